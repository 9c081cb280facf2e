"""Distances from every vertex, some rows at a time, so that no matrix has to be kept."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from reedsp.algorithms.all_pairs.johnson import Searches
from reedsp.algorithms.contraction.automatic import prepared_for
from reedsp.algorithms.rows import Prepared, RowSearch, accepted, check_device
from reedsp.algorithms.single_source.host.searches import can_solve, solve
from reedsp.algorithms.single_source.sssp import sssp
from reedsp.arithmetic.paths import choose_arithmetic, from_result, result_dtype, to_result
from reedsp.cost_model.place import HOST, is_for_host
from reedsp.device.device import Device
from reedsp.device.discovery import get_device
from reedsp.device.job import Job
from reedsp.graph.arguments import vertices_argument
from reedsp.graph.graph import Graph
from reedsp.system.elsewhere import Elsewhere
from reedsp.system.options import check_memory_limit
from reedsp.typing import Distances, DistanceType, GraphLike, Vertices

MEMORY_LIMIT = 1 << 28
"""Bytes of rows that are held at once by default."""


def all_pairs_rows(
    graph: GraphLike | Prepared,
    sources: Vertices | None = None,
    *,
    dtype: DistanceType | None = None,
    memory_limit: int = MEMORY_LIMIT,
    device: Device | int | str | None = None,
) -> Iterator[tuple[Any, Distances]]:
    """Iterate over the distances from every vertex in blocks of rows, of which only one is kept.

    Parameters
    ----------
    graph : Graph, scipy sparse matrix, dense array, networkx graph or PreparedGraph
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
        Their distances to all vertices, in an array of its own: those that :func:`reedsp.sssp` gives. All rows come in
        the order of `sources` as given, so that an array of them is filled by position: names are no indices.

    Raises
    ------
    NegativeCycleError
        There is a negative cycle; if weights are fractional, one that can be reached from a source.
    OverflowError, ValueError, TypeError, DeviceError, DeviceMemoryError
        As for :func:`reedsp.sssp`.

    Notes
    -----
    From very many sources of a graph like a road network, a CPU device prepares it first, as by :func:`reedsp.prepare`.

    Examples
    --------
    The farthest vertex of each, without the matrix:

    >>> import numpy as np
    >>> import reedsp
    >>> graph = reedsp.Graph.from_edges(4, [0, 1, 2, 3], [1, 2, 3, 0], [1, 2, 3, 4])
    >>> np.concatenate([rows.max(axis=1) for sources, rows in reedsp.all_pairs_rows(graph)])
    array([6., 9., 8., 7.])
    """
    asked, graph = accepted(graph)
    check_memory_limit(memory_limit)
    starts = np.arange(graph.n) if sources is None else vertices_argument(graph, sources, "sources")
    result = result_dtype(dtype, graph)
    blocks = row_blocks(rows_of(asked, device, result, len(starts)), starts, result, memory_limit)
    if not graph.has_names:
        return blocks
    return (([graph.names[index] for index in block.tolist()], rows) for block, rows in blocks)


@dataclass(frozen=True)
class Searched:
    """A graph that is searched on a device, some vertices at a time."""

    graph: Graph
    device: Device

    def reverse(self) -> Searched:
        """Return the same with all edges in the opposite direction."""
        return Searched(self.graph.reverse(), self.device)

    def _row_search(self, job: Job, dtype: np.dtype[Any], targets: npt.NDArray[np.intp] | None = None) -> RowSearch:
        graph = self.graph
        row_bytes = max(1, graph.n) * (dtype.itemsize + 8)  # also in the device's arithmetic
        if graph.has_negative_weights and not graph.has_integral_weights:
            columns = slice(None) if targets is None else targets
            return RowSearch(lambda sources: self._found_alone(job, sources, dtype)[:, columns], sys.maxsize, row_bytes)
        searches = Searches(graph, job, dtype)
        return RowSearch(lambda sources: searches.rows(sources, columns=targets), searches.at_once, row_bytes)

    def _found_alone(self, job: Job, sources: npt.NDArray[np.intp], dtype: np.dtype[Any]) -> npt.NDArray[Any]:
        names = [self.graph.names[index] for index in sources]
        found = sssp(self.graph, names, dtype=dtype, device=self.device)
        job.kernels_launched += found.stats["kernels_launched"]
        return found.dist


@dataclass(frozen=True)
class SearchedOnHost:
    """A small graph that is searched on the host, from few vertices."""

    graph: Graph
    device: ClassVar[str] = HOST

    def reverse(self) -> SearchedOnHost:
        """Return the same with all edges in the opposite direction."""
        return SearchedOnHost(self.graph.reverse())

    def row_search(self, dtype: np.dtype[Any], targets: npt.NDArray[np.intp] | None = None) -> RowSearch:
        """Return the search for distances of a type to some vertices, by default to all."""
        graph, arithmetic = self.graph, choose_arithmetic(self.graph, dtype)

        def find(sources: npt.NDArray[np.intp]) -> npt.NDArray[Any]:
            found, _ = solve(graph, [[each] for each in sources.tolist()], predecessors=False)
            found = found if targets is None else found[:, targets]
            return to_result(from_result(found, arithmetic), arithmetic, dtype, sources, targets)

        return RowSearch(find, sys.maxsize, max(1, graph.n) * (dtype.itemsize + 8))


Rows = Searched | SearchedOnHost | Prepared
"""What gives rows of distances."""


def rows_of(
    asked: Graph | Prepared, device: Device | Elsewhere | int | str | None, dtype: np.dtype[Any], count: int
) -> Rows:
    """Return what gives this many rows: a graph on a device, or one that is prepared there, or a small one on the host.

    The host is for what it does as quickly as :mod:`reedsp.csgraph` has it done there, if no device is named.
    """
    if isinstance(asked, Prepared):
        check_device(asked, device)
        return asked
    few = device is None and is_for_host(asked.n, asked.m, count)
    if few and not asked.has_negative_weights and can_solve(asked, choose_arithmetic(asked, dtype)):
        return SearchedOnHost(asked)
    return Searched(asked, get_device(device))  # type: ignore[arg-type]  # which refuses a cluster


def row_blocks(
    rows: Rows,
    sources: npt.NDArray[np.intp],
    dtype: np.dtype[Any],
    memory_limit: int,
    targets: npt.NDArray[np.intp] | None = None,
    job: Job | None = None,
) -> Iterator[tuple[npt.NDArray[np.intp], npt.NDArray[Any]]]:
    """Yield the blocks of :func:`all_pairs_rows`, for arguments that were checked; by default to all vertices."""
    if isinstance(rows, SearchedOnHost):
        yield from rows.row_search(dtype, targets).blocks(sources, memory_limit)
    elif len(sources):
        job = Job(rows.device, recycle=True) if job is None else job
        prepared = prepared_for(rows.graph, rows.device, len(sources), dtype) if isinstance(rows, Searched) else rows
        yield from (prepared or rows)._row_search(job, dtype, targets).blocks(sources, memory_limit)
