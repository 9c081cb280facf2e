"""Distances from every vertex, some rows at a time, so that no matrix has to be kept."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.algorithms.all_pairs.johnson import Searches
from reedsp.algorithms.single_source.sssp import sssp
from reedsp.arithmetic.paths import result_dtype
from reedsp.device.device import Device
from reedsp.device.discovery import get_device
from reedsp.device.job import Job
from reedsp.graph.arguments import as_graph, vertices_argument
from reedsp.graph.graph import Graph
from reedsp.typing import Distances, DistanceType, GraphLike, Vertices

MEMORY_LIMIT = 1 << 28
"""Bytes of rows that are held at once by default."""


def all_pairs_rows(
    graph: GraphLike,
    sources: Vertices | None = None,
    *,
    dtype: DistanceType | None = None,
    memory_limit: int = MEMORY_LIMIT,
    device: Device | int | str | None = None,
) -> Iterator[tuple[Any, Distances]]:
    """Iterate over the distances from every vertex in blocks of rows, of which only one is kept.

    Parameters
    ----------
    graph : Graph, scipy sparse matrix, dense array or networkx graph
        As for :func:`reedsp.sssp`. Weights may be negative.
    sources : sequence of int or of other names, optional
        Vertices to start from, in this order; all of them by default.
    dtype : {None, "float64", "float32", "int64", "int32"}
        Type of the distances, as for :func:`reedsp.sssp`.
    memory_limit : int
        Bytes that the rows of a block may take on the host; a block has at least one row.
    device : Device, int or str, optional
        As for :func:`reedsp.sssp`.

    Yields
    ------
    sources : ndarray of intp, shape (b,), or list of names
        The vertices where the rows of the block start: their names if the graph knows names, else an array of indices.
    rows : ndarray, shape (b, n)
        Their distances to all vertices, in an array of its own: those that :func:`reedsp.sssp` gives.

    Raises
    ------
    NegativeCycleError
        There is a negative cycle; if weights are fractional, one that can be reached from a source.
    OverflowError, ValueError, TypeError, DeviceError, DeviceMemoryError
        As for :func:`reedsp.sssp`.

    Examples
    --------
    The farthest vertex of each, without the matrix:

    >>> import numpy as np
    >>> import reedsp
    >>> graph = reedsp.Graph.from_edges(4, [0, 1, 2, 3], [1, 2, 3, 0], [1, 2, 3, 4])
    >>> eccentricity = np.empty(4)
    >>> for sources, rows in reedsp.all_pairs_rows(graph):
    ...     eccentricity[sources] = rows.max(axis=1)
    >>> eccentricity
    array([6., 9., 8., 7.])
    """
    graph = as_graph(graph)
    check_memory_limit(memory_limit)
    starts = np.arange(graph.n) if sources is None else vertices_argument(graph, sources, "sources")
    blocks = row_blocks(graph, starts, result_dtype(dtype, graph), memory_limit, get_device(device))
    if not graph.has_names:
        return blocks
    return (([graph.names[index] for index in block.tolist()], rows) for block, rows in blocks)


def check_memory_limit(memory_limit: int) -> None:
    """Raise ValueError if this is no number of bytes."""
    if not memory_limit > 0:
        raise ValueError(f"memory_limit = {memory_limit}, expected a number of bytes")


def row_blocks(
    graph: Graph, sources: npt.NDArray[np.intp], dtype: np.dtype[Any], memory_limit: int, device: Device
) -> Iterator[tuple[npt.NDArray[np.intp], npt.NDArray[Any]]]:
    """Yield the blocks of :func:`all_pairs_rows`, for arguments that were checked."""
    if len(sources) == 0:
        return
    row_bytes = graph.n * (dtype.itemsize + 8)  # also in the device's arithmetic
    step = max(1, memory_limit // row_bytes)
    if graph.has_negative_weights and not graph.has_integral_weights:
        for block in _parts(sources, step):
            yield block, sssp(graph, [graph.names[index] for index in block], dtype=dtype, device=device).dist
        return
    searches = Searches(graph, Job(device), dtype)
    for block in _parts(sources, min(step, searches.at_once)):
        yield block, searches.rows(block)


def _parts(sources: npt.NDArray[np.intp], step: int) -> list[npt.NDArray[np.intp]]:
    """Return the sources in parts of about the same size, none larger than `step`."""
    return np.array_split(sources, -(-len(sources) // step))
