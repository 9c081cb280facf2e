"""Distances between some vertices and some others, and the nearest ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from reedsp.algorithms.routes.rows import MEMORY_LIMIT, Rows, row_blocks, rows_of
from reedsp.algorithms.rows import Prepared, accepted
from reedsp.arithmetic.paths import Arithmetic, choose_arithmetic, exact_type, result_dtype, to_result
from reedsp.arithmetic.types import infinity
from reedsp.device.device import Device
from reedsp.edges.device_graph import NO_VERTEX
from reedsp.graph.arguments import vertices_argument
from reedsp.graph.graph import MAX_VERTICES, Graph
from reedsp.system.elsewhere import Elsewhere
from reedsp.system.host_memory import host_memory
from reedsp.system.options import check_memory_limit, integer
from reedsp.system.public import compared_as_object, public
from reedsp.typing import Distances, DistanceType, GraphLike, Vertices


@public
@compared_as_object
class Nearest(NamedTuple):
    """The vertices that are nearest to each source, and how far they are.

    Attributes
    ----------
    dist : ndarray, shape (s, k)
        Distances, ascending in each row; inf (in an integer dtype its largest value) where there are fewer than k.
    vertices : ndarray, shape (s, k)
        The vertices, where distances are equal in the order of their indices. If the graph knows names, an array of
        objects: the names, and None where there are fewer than k. Otherwise an array of int32: indices, and -9999.

    Examples
    --------
    >>> import reedsp
    >>> dist, vertices = reedsp.k_nearest(reedsp.Graph.from_edges(3, [0, 0], [1, 2], [7, 2]), [0], 2)
    >>> dist, vertices
    (array([[2., 7.]]), array([[2, 1]], dtype=int32))
    """

    dist: Distances
    vertices: npt.NDArray[Any]


def distance_table(
    graph: GraphLike | Prepared,
    sources: Vertices,
    targets: Vertices,
    *,
    dtype: DistanceType | None = None,
    memory_limit: int = MEMORY_LIMIT,
    device: Device | Elsewhere | int | str | None = None,
) -> Distances:
    """Find the distances from each of several sources to each of several targets.

    Parameters
    ----------
    graph : Graph, scipy sparse matrix, dense array, networkx graph or PreparedGraph
        As for :func:`reedsp.sssp`. Weights may be negative.
    sources, targets : sequence of int or of other names
        Vertices.
    dtype : {None, "float64", "float32", "int64", "int32"}
        Type of the distances, as for :func:`reedsp.sssp`.
    memory_limit : int
        Bytes that distances to vertices that were not asked for may take on the host at a time, beside the table.
    device : Device, int, str or cluster, optional
        As for :func:`reedsp.sssp`.

    Returns
    -------
    ndarray, shape (s, t)
        inf (in an integer dtype its largest value) where there is no path.

    Raises
    ------
    NegativeCycleError, OverflowError, ValueError, TypeError, DeviceError, DeviceMemoryError
        As for :func:`reedsp.all_pairs_rows`; of a cluster only negative cycles that can be reached.

    Notes
    -----
    If there are fewer targets than sources, integer weights that are not negative are searched backwards from the
    targets. Fractional ones are always added from the source on, so that the distances are those of
    :func:`reedsp.sssp`.

    Examples
    --------
    >>> import reedsp
    >>> graph = reedsp.Graph.from_edges(4, [0, 1, 2, 3], [1, 2, 3, 0], [1, 2, 3, 4])
    >>> reedsp.distance_table(graph, [0, 1], [2, 3, 1])
    array([[3., 6., 1.],
           [2., 5., 0.]])
    """
    check_memory_limit(memory_limit)
    if isinstance(device, Elsewhere) and not isinstance(graph, Prepared):
        table: Distances = device.answer("distance_table", graph, sources, targets, dtype=dtype)
        return table
    return table_and_device(graph, sources, targets, dtype=dtype, memory_limit=memory_limit, device=device)[0]


def table_and_device(
    graph: GraphLike | Prepared,
    sources: Vertices,
    targets: Vertices,
    *,
    dtype: DistanceType | None = None,
    memory_limit: int = MEMORY_LIMIT,
    device: Device | Elsewhere | int | str | None = None,
) -> tuple[Distances, str]:
    """Return what :func:`distance_table` finds with these arguments here, and where, in words."""
    asked, graph = accepted(graph)
    starts = vertices_argument(graph, sources, "sources")
    ends = vertices_argument(graph, targets, "targets")
    result = result_dtype(dtype, graph)
    backwards = is_better_backwards(graph, starts, ends, result)
    found = rows_of(asked, device, result, len(ends if backwards else starts))
    table, index = np.empty((len(starts), len(ends)), result), 0
    if backwards:
        for block, columns in _columns(found, starts, ends, result, memory_limit):
            table[:, index : index + len(block)] = columns
            index += len(block)
        return table, str(found.device)
    for block, rows in row_blocks(found, starts if len(ends) else ends, result, memory_limit, ends):
        table[index : index + len(block)] = rows
        index += len(block)
    return table, str(found.device)


def k_nearest(
    graph: GraphLike | Prepared,
    sources: Vertices | None,
    k: int,
    among: Vertices | None = None,
    *,
    dtype: DistanceType | None = None,
    memory_limit: int = MEMORY_LIMIT,
    device: Device | int | str | None = None,
) -> Nearest:
    """Find the k vertices that are nearest to each of several sources, of all vertices or of given ones.

    Parameters
    ----------
    graph : Graph, scipy sparse matrix, dense array, networkx graph or PreparedGraph
        As for :func:`reedsp.sssp`. Weights may be negative.
    sources : sequence of int or of other names, or None
        Vertices where the paths start; None means all.
    k : int
        Number of vertices for each source. The result has k columns also where there are fewer vertices, and has to fit
        into the host's memory.
    among : sequence of int or of other names, optional
        Vertices, such as facilities, of which the nearest are wanted; a source that is one of them is its own nearest.
        By default all vertices but the source itself.
    dtype : {None, "float64", "float32", "int64", "int32"}
        Type of the distances, as for :func:`reedsp.sssp`.
    memory_limit : int
        Bytes that other distances may take on the host at a time.
    device : Device, int or str, optional
        As for :func:`reedsp.sssp`.

    Returns
    -------
    Nearest
        ``(dist, vertices)``, both of shape (s, k).

    Raises
    ------
    NegativeCycleError, OverflowError, ValueError, TypeError, DeviceError, DeviceMemoryError
        As for :func:`reedsp.all_pairs_rows`.
    MemoryError
        The host has no memory for the result; the message names k and the bytes.

    Notes
    -----
    If there are fewer vertices in `among` than sources, integer weights that are not negative are searched backwards,
    as for :func:`reedsp.distance_table`.

    Examples
    --------
    >>> import reedsp
    >>> graph = reedsp.Graph.from_edges(5, [0, 1, 2, 3], [1, 2, 3, 4], [1, 2, 3, 4], directed=False)
    >>> nearest = reedsp.k_nearest(graph, [0, 4], 2)
    >>> nearest.vertices
    array([[1, 2],
           [3, 2]], dtype=int32)
    >>> reedsp.k_nearest(graph, [1, 2, 3], 1, among=[0, 4]).dist
    array([[1.],
           [3.],
           [4.]])
    """
    asked, graph = accepted(graph)
    starts = np.arange(graph.n) if sources is None else vertices_argument(graph, sources, "sources")
    ends = None if among is None else np.unique(vertices_argument(graph, among, "among"))
    wanted = integer(k, "k")
    if wanted < 0:
        raise ValueError(f"k = {wanted}, expected a number of vertices")
    if wanted > MAX_VERTICES:
        raise ValueError(f"k = {wanted} is more than the {MAX_VERTICES:,} vertices that a graph may have")
    result = result_dtype(dtype, graph)
    check_memory_limit(memory_limit)
    needed = len(starts) * wanted * (result.itemsize + 4 + 8 * graph.has_names)
    if needed > host_memory():
        raise MemoryError(f"k = {wanted}: the result takes {needed:,} bytes, the host has {host_memory():,}")
    backwards = ends is not None and is_better_backwards(graph, starts, ends, result)
    found = rows_of(asked, device, result, len(ends) if backwards and ends is not None else len(starts))
    nearest = Nearest(
        np.full((len(starts), wanted), infinity(result), result), np.full((len(starts), wanted), NO_VERTEX, np.int32)
    )
    if wanted == 0:
        return _named(nearest, graph)
    if backwards and ends is not None:
        for block, columns in _columns(found, starts, ends, result, memory_limit):
            _merge(nearest, block, columns)
        return _named(nearest, graph)
    index = 0
    for block, rows in row_blocks(found, starts, result, memory_limit, ends):
        for source, row in zip(block.tolist(), rows, strict=True):
            if ends is None:
                row[source] = infinity(result)
            _take_nearest(nearest, index, row, ends)
            index += 1
    return _named(nearest, graph)


def _named(nearest: Nearest, graph: Graph) -> Nearest:
    """Return the same with names in place of indices, if the graph knows names."""
    if not graph.has_names:
        return nearest
    names = np.fromiter((*graph.names, None), object, graph.n + 1)
    return nearest._replace(vertices=names[np.maximum(nearest.vertices, -1)])


def _take_nearest(nearest: Nearest, index: int, dist: npt.NDArray[Any], ends: npt.NDArray[np.intp] | None) -> None:
    """Fill a row with the smallest of some distances, of equal ones those that come first."""
    k = min(nearest.dist.shape[1], len(dist))
    if k == 0:
        return
    last = np.partition(dist, k - 1)[k - 1]
    near = np.flatnonzero((dist <= last) & (dist != infinity(dist.dtype)))
    near = near[np.argsort(dist[near], kind="stable")[:k]]
    nearest.dist[index, : len(near)] = dist[near]
    nearest.vertices[index, : len(near)] = near if ends is None else ends[near]


def _merge(nearest: Nearest, vertices: npt.NDArray[np.intp], dist: npt.NDArray[Any]) -> None:
    """Put vertices that come after those already there, and their distances, shape (s, b), in their places."""
    k = nearest.dist.shape[1]
    every_dist = np.concatenate((nearest.dist, dist), axis=1)
    reached = dist != infinity(dist.dtype)
    indices = np.where(reached, vertices.astype(np.int32), np.int32(NO_VERTEX))
    every_vertex = np.concatenate((nearest.vertices, indices), axis=1)
    order = np.argsort(every_dist, axis=1, kind="stable")[:, :k]
    nearest.dist[...] = np.take_along_axis(every_dist, order, axis=1)
    nearest.vertices[...] = np.take_along_axis(every_vertex, order, axis=1)


def is_better_backwards(
    graph: Graph, starts: npt.NDArray[np.intp], ends: npt.NDArray[np.intp], result: np.dtype[Any]
) -> bool:
    """Return whether distances for a table are better searched from its ends, against the edges."""
    if not len(ends) < len(starts) or graph.has_negative_weights:
        return False
    arithmetic = choose_arithmetic(graph, result)
    return arithmetic.dtype.kind == "i" and not arithmetic.saturate  # in which every order gives the same sum


def backwards_type(graph: Graph, result: np.dtype[Any]) -> np.dtype[Any]:
    """Return the type in which distances are searched backwards: one that holds them all, see :func:`turned`."""
    is_held = result == np.float64 and exact_type(graph) is None
    return result if is_held else choose_arithmetic(graph, result).dtype


def turned(
    rows: npt.NDArray[Any], result: np.dtype[Any], starts: npt.NDArray[np.intp], ends: npt.NDArray[np.intp]
) -> npt.NDArray[Any]:
    """Return what was searched from some ends to some starts as a table from these to those, of the type asked for.

    It is converted in the direction that was asked for, so that an error names the pair in it.
    """
    return rows.T if rows.dtype == result else to_result(rows.T, Arithmetic(rows.dtype), result, starts, ends)


def _columns(
    found: Rows, starts: npt.NDArray[np.intp], ends: npt.NDArray[np.intp], result: np.dtype[Any], memory_limit: int
) -> Iterator[tuple[npt.NDArray[np.intp], npt.NDArray[Any]]]:
    """Yield some ends after the other, with the distances to them from all starts, searched backwards."""
    searched = backwards_type(found.graph, result)
    for block, rows in row_blocks(found.reverse(), ends, searched, memory_limit, starts):
        yield block, turned(rows, result, starts, block)
