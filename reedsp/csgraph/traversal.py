"""Breadth-first search: the order of a queue, and its tree."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from functools import partial
from typing import Any, Literal, overload

import numpy as np
import numpy.typing as npt
import scipy.sparse
from scipy.sparse.csgraph import breadth_first_order as on_host

from reedsp.algorithms.single_source.host.nearby import connected_nearby, edges_between
from reedsp.algorithms.traversal.queue_order import queue_order
from reedsp.cost_model.place import is_order_for_host, serves
from reedsp.csgraph.conversions import reconstruct_path, tree_of
from reedsp.csgraph.matrix import Rows, are_as_read, are_indices, are_plain, are_rows, ascend, compressed_rows, graph_of
from reedsp.csgraph.small import plain_matrix
from reedsp.device.device import Device
from reedsp.device.discovery import get_device
from reedsp.device.job import Job
from reedsp.edges.device_graph import NO_VERTEX
from reedsp.edges.matrix_graph import are_finite, canonical_rows
from reedsp.edges.preparation import MatrixRows
from reedsp.graph.graph import without_room
from reedsp.graph.indices import with_indices_alike
from reedsp.primitives.sort.sorts import sort_by_key
from reedsp.system.options import integer
from reedsp.typing import MatrixLike

_Vertices = npt.NDArray[np.int32]


@overload
def breadth_first_order(
    csgraph: MatrixLike, i_start: int, directed: bool = True, return_predecessors: Literal[True] = True
) -> tuple[_Vertices, _Vertices]: ...
@overload
def breadth_first_order(
    csgraph: MatrixLike, i_start: int, directed: bool, return_predecessors: Literal[False]
) -> _Vertices: ...
@overload
def breadth_first_order(
    csgraph: MatrixLike, i_start: int, directed: bool = True, *, return_predecessors: Literal[False]
) -> _Vertices: ...
@overload
def breadth_first_order(
    csgraph: MatrixLike, i_start: int, directed: bool = True, return_predecessors: bool = True
) -> _Vertices | tuple[_Vertices, _Vertices]: ...
def breadth_first_order(
    csgraph: MatrixLike, i_start: int, directed: bool = True, return_predecessors: bool = True
) -> _Vertices | tuple[_Vertices, _Vertices]:
    """List the vertices that can be reached from one, those behind fewer edges first.

    Behind equally many they are listed as a queue would have them: in the order of the vertices before them, and those
    behind the same one as a CSR matrix of float64 stores them, else ascending.

    Parameters
    ----------
    csgraph, directed
        As for :func:`shortest_path`. Without direction, edges that leave a vertex come before those that end there.
    i_start : int
        Vertex to start from, 0 .. n-1.
    return_predecessors : bool
        Return the tree, too.

    Returns
    -------
    node_array : ndarray of int32
        Vertices; `i_start` is the first.
    predecessors : ndarray of int32, shape (n,)
        Of the vertices one level below that have an edge to this one, the first in `node_array`; -9999 for `i_start`
        and what cannot be reached. If asked for.

    Raises
    ------
    TypeError
        The vertex is no integer.
    ValueError
        The graph is not square, or has no such vertex.

    Examples
    --------
    >>> from reedsp.csgraph import breadth_first_order
    >>> breadth_first_order([[0, 1, 1, 0], [0, 0, 0, 1], [0, 0, 0, 1], [0, 0, 0, 0]], 0)
    (array([0, 1, 2, 3], dtype=int32), array([-9999,     0,     0,     1], dtype=int32))
    """
    i_start = integer(i_start, "i_start")
    if (matrix := _for_host(csgraph, i_start)) is not None:
        return on_host(matrix, i_start, directed, return_predecessors)  # type: ignore[no-any-return]
    order, predecessors = _near(csgraph, i_start, directed) or _order(csgraph, i_start, directed)
    return (order, predecessors) if return_predecessors else order


def _for_host(csgraph: MatrixLike, i_start: int) -> Any:
    """Return a matrix that SciPy's functions are likely to search sooner than a device, and answer right, or None."""
    matrix = plain_matrix(csgraph, is_order_for_host)
    return matrix if matrix is not None and 0 <= i_start < matrix.shape[0] else None


def _near(csgraph: MatrixLike, i_start: int, directed: bool) -> tuple[_Vertices, _Vertices] | None:
    """Return the order and the predecessors, if few vertices can be reached in a CSR matrix that SciPy searches right.

    SciPy is given the part of these alone.
    """
    rows = compressed_rows(csgraph)
    if rows is None or not (
        serves() and are_indices(*rows[:2]) and 0 <= i_start < len(rows[0]) - 1 and len(rows[1]) > 0
    ):
        return None
    near = connected_nearby(*rows[:2], [i_start], directed)
    if near is None or not are_plain(*rows):
        return None
    indptr, heads, edges = edges_between(*rows[:2], near)
    if not are_as_read(indptr, heads, rows[2].take(edges)):
        return None
    order, before = _by_scipy(indptr, heads, int(near.searchsorted(i_start)), directed)
    predecessors = np.full(len(rows[0]) - 1, NO_VERTEX, np.int32)
    predecessors[near] = np.where(before < 0, NO_VERTEX, near.take(before, mode="clip"))
    return near.astype(np.int32).take(order), predecessors


class _NotAsReadError(Exception):
    """A weight is not finite, or SciPy would put the columns in order."""


def _order(csgraph: MatrixLike, i_start: int, directed: bool) -> tuple[_Vertices, _Vertices]:
    """Return the order and the predecessors, found on the device unless it takes too many steps."""
    device, given = get_device(), compressed_rows(csgraph)
    is_cpu = device.kind == "cpu"
    if given is not None and directed:
        start = _vertex(i_start, len(given[0]) - 1)
        rows = _rows_as_stored(given, device) if is_cpu else canonical_rows(*given, device)
        if rows is not None:
            with contextlib.suppress(_NotAsReadError):
                return _order_of(rows, *given[:2], start, partial(_check, given, is_cpu))
    as_stored = given is not None and are_plain(*given) and are_as_read(*given)
    if given is not None and as_stored:
        indptr, indices, _ = given
    else:
        graph = graph_of(csgraph, directed=True, unweighted=True)
        indptr, indices = graph.indptr, graph.indices
    start = _vertex(i_start, len(indptr) - 1)
    if not is_cpu and (as_stored or not directed):  # GPUs would take an edge twice that is twice in a row
        return _by_scipy(indptr, indices, start, directed)
    if not directed:
        indptr, indices = _both_ways(indptr, indices)
    return _order_of(MatrixRows(Job(device, recycle=True), indptr, indices), indptr, indices, start)


def _rows_as_stored(given: Rows, device: Device) -> MatrixRows | None:
    return MatrixRows(Job(device, recycle=True), *given[:2]) if are_rows(*given) else None


def _vertex(i_start: int, n: int) -> int:
    if not 0 <= i_start < n:
        raise ValueError(f"i_start = {i_start} is not a vertex of a graph with {n} vertices")
    return i_start


def _check(given: Rows, as_stored: bool) -> None:
    if not are_finite(given[2]) or (as_stored and not are_as_read(*given)):
        raise _NotAsReadError


def _order_of(
    rows: MatrixRows,
    indptr: npt.NDArray[Any],
    indices: npt.NDArray[Any],
    start: int,
    meanwhile: Callable[[], None] | None = None,
) -> tuple[_Vertices, _Vertices]:
    try:
        found = queue_order(rows, start, meanwhile)
    finally:
        rows.close()
    return _by_scipy(indptr, indices, start) if found is None else found


def _by_scipy(
    indptr: npt.NDArray[Any], indices: npt.NDArray[Any], start: int, directed: bool = True
) -> tuple[_Vertices, _Vertices]:
    n = len(indptr) - 1
    matrix = scipy.sparse.csr_array((np.ones(len(indices)), indices, indptr), shape=(n, n))
    return on_host(with_indices_alike(matrix), start, directed)  # type: ignore[no-any-return]


def _both_ways(
    indptr: npt.NDArray[Any], indices: npt.NDArray[Any]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    """Return the rows of a graph whose edges lead in both directions, at each vertex first those that leave it."""
    n = len(indptr) - 1
    tails, heads = np.repeat(np.arange(n, dtype=np.int32), np.diff(indptr)), indices.astype(np.int32, copy=False)
    tails, heads = np.concatenate((tails, heads)), np.concatenate((heads, tails))
    _, outward = sort_by_key(tails, heads)
    return np.append(0, np.cumsum(np.bincount(tails, minlength=n))), outward


def breadth_first_tree(csgraph: MatrixLike, i_start: int, directed: bool = True) -> Any:
    """Return the edges by which :func:`breadth_first_order` reaches each vertex.

    Parameters
    ----------
    csgraph, i_start, directed
        As for :func:`breadth_first_order`.

    Returns
    -------
    csr_array or csr_matrix of float64, shape (n, n)
        The weights of these edges, from the vertex nearer to `i_start` to the other one. A ``csr_matrix`` if `csgraph`
        is a matrix rather than an array.

    Raises
    ------
    TypeError
        The vertex is no integer.
    ValueError
        The graph is not square, or has no such vertex.

    Examples
    --------
    >>> from reedsp.csgraph import breadth_first_tree
    >>> breadth_first_tree([[0, 5, 4, 0], [0, 0, 0, 3], [0, 0, 0, 2], [0, 0, 0, 0]], 0).toarray()
    array([[0., 5., 4., 0.],
           [0., 0., 0., 3.],
           [0., 0., 0., 0.],
           [0., 0., 0., 0.]])
    """
    i_start, rows = integer(i_start, "i_start"), compressed_rows(csgraph)
    if directed and rows is not None and _for_host(csgraph, i_start) is csgraph and ascend(*rows[:2]):
        tree = tree_of(without_room(csgraph), on_host(csgraph, i_start)[1])
        if tree is not None:
            return tree
    _, predecessors = breadth_first_order(csgraph, i_start, directed)
    return reconstruct_path(csgraph, predecessors, directed)
