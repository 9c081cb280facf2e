"""Johnson's shortest paths between all pairs: searches from every vertex, after making all weights non-negative."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

import reedsp
from reedsp.algorithms.single_source import bellman_ford_groups, dijkstra_array, dijkstra_heap, near_far_local
from reedsp.algorithms.single_source.bellman_ford_queue import bellman_ford_queue
from reedsp.algorithms.single_source.near_far import in_work_groups, near_far, rows_at_once
from reedsp.algorithms.single_source.output_parallel import output_parallel
from reedsp.algorithms.single_source.selfcheck import finds_known_tree
from reedsp.algorithms.single_source.task import Outcome, Task
from reedsp.arithmetic.paths import Arithmetic, choose_arithmetic, to_result
from reedsp.arithmetic.types import minus_infinity
from reedsp.cost_model import settings
from reedsp.device.device import Device
from reedsp.device.job import Job
from reedsp.device.selfcheck import is_trusted, none_is_trusted
from reedsp.edges.negative_cycles import exact_shortest_paths, renamed
from reedsp.edges.selfcheck import converts
from reedsp.graph.graph import Graph, edge_sources

_INT64 = np.dtype(np.int64)
_INT64_MAX = 2**63 - 1
_NEAR_FAR, _LOCAL, _WITHOUT_POTENTIALS = "near-far", "near-far-local", "bellman-ford"


@dataclass(frozen=True)
class Search:
    """A search from many sources.

    Attributes
    ----------
    solve : callable(task)
        Returns an :class:`.Outcome`.
    rows_at_once : callable(device, arithmetic, n)
        Returns how many rows of n vertices there is memory for.
    needs_potentials : bool
        Whether negative weights have to be removed for it.
    """

    solve: Callable[[Task], Outcome]
    rows_at_once: Callable[[Device, Arithmetic, int], int]
    needs_potentials: bool = True


def _near_far_rows(device: Device, arithmetic: Arithmetic, n: int) -> int:
    return rows_at_once(device, arithmetic, n, in_work_groups(device, arithmetic))


SEARCHES = {
    _NEAR_FAR: Search(near_far, _near_far_rows),
    _LOCAL: Search(near_far_local.near_far_local, near_far_local.rows_at_once),
    _WITHOUT_POTENTIALS: Search(
        bellman_ford_groups.bellman_ford, bellman_ford_groups.rows_at_once, needs_potentials=False
    ),
    "dijkstra-heap": Search(dijkstra_heap.dijkstra_heap, dijkstra_heap.rows_at_once),
    "dijkstra-array": Search(dijkstra_array.dijkstra_array, dijkstra_array.rows_at_once),
}
"""Those that there are, by their names."""


def johnson(
    graph: Graph,
    job: Job,
    dtype: np.dtype[Any],
    predecessors: bool,
    progress: Callable[[int, int], None] | None = None,
    out: npt.NDArray[Any] | None = None,
    search: str | None = None,
) -> tuple[npt.NDArray[Any], npt.NDArray[np.int32] | None, str]:
    """Solve shortest paths between all pairs along the edges of a sparse graph.

    Negative weights are removed by potentials: a vertex of its own, from which an edge of weight 0 leads to each
    vertex, gives Bellman-Ford distances h(v) to all of them, and w(u, v) + h(u) - h(v) is never negative. All path
    weights from s to t change by h(s) - h(t), and the same edges are tight, so that the trees stay as they are.
    Searches by Bellman-Ford need none of this, and take over where such sums are beyond int64.

    Parameters
    ----------
    graph : Graph
        With integer weights, if some are negative: of others the potentials would be rounded.
    job : Job
    dtype : dtype
        Of the distances.
    predecessors : bool
    progress : callable(vertices, n), optional
        Called with the number of sources that are done.
    out : ndarray, shape (n, n), optional
        Filled with the distances.
    search : str, optional
        One of `SEARCHES`; by default the one that is expected to be the fastest.

    Returns
    -------
    dist : ndarray, shape (n, n)
    predecessors : ndarray of int32, shape (n, n), or None
    arithmetic : str
        In which path weights were added.

    Raises
    ------
    NegativeCycleError
        There is a negative cycle.
    OverflowError
        A path weight lies outside the arithmetic, or a distance outside `dtype`.
    DeviceError
        The search gives wrong answers on the device, or fails.
    """
    n = graph.n
    searches = Searches(graph, job, dtype, search)
    dist = np.empty((n, n), dtype) if out is None else out
    pred = np.empty((n, n), np.int32) if predecessors else None
    step = min(searches.at_once, max(-(-n // settings.PARTS), settings.LEAST_PART // n))
    for first in range(0, n, step):
        last = min(first + step, n)
        searches.rows(np.arange(first, last), None if pred is None else pred[first:last], dist[first:last])
        if progress is not None:
            progress(last, n)
    return dist, pred, str(searches.arithmetic.dtype)


class Searches:
    """Searches from any vertices, some at a time, of a graph whose weights potentials have made non-negative.

    Parameters
    ----------
    graph, job, dtype, search
        As for :func:`johnson`.
    rounded : bool
        Potentials may be rounded, as sums of the weights are, but once: for any weights without a negative cycle.

    Attributes
    ----------
    arithmetic : Arithmetic
        In which path weights are added.
    at_once : int
        Number of vertices to start from for which there is memory.
    """

    def __init__(
        self, graph: Graph, job: Job, dtype: np.dtype[Any], search: str | None = None, rounded: bool = False
    ) -> None:
        self._graph, self._job, self._dtype = graph, job, dtype
        sums = choose_arithmetic(graph, dtype).dtype if rounded else _INT64
        self._sums = sums if sums.kind == "f" else _INT64
        self._may_do_without = search is None and graph.has_negative_weights and self._sums == _INT64
        try:
            self._set_up(search)
        except OverflowError:
            if not self._may_do_without:
                raise
            self._set_up_without_potentials()

    def _set_up(self, search: str | None) -> None:
        graph, job, dtype = self._graph, self._job, self._dtype
        removes = graph.has_negative_weights and (search is None or SEARCHES[search].needs_potentials)
        self._potentials = _potentials(graph, job, self._sums) if removes else None
        self._bare = graph if self._potentials is None else _reweighted(graph, self._potentials)
        self.arithmetic = choose_arithmetic(self._bare, dtype if self._potentials is None else self._potentials.dtype)
        self._marks = minus_infinity(self.arithmetic.dtype) if graph.has_negative_weights else None
        self._search = SEARCHES[self._fastest() if search is None else search]
        if search is not None and not self._is_trusted(search):
            raise none_is_trusted(f"{job.device}: {search} in {self.arithmetic} gives wrong answers, or fails")
        self.at_once = self._search.rows_at_once(job.device, self.arithmetic, graph.n)
        self._converts = not graph.has_negative_weights and converts(job.device, graph, self.arithmetic, dtype)

    def _set_up_without_potentials(self) -> None:
        """Search by what needs none, because sums with them are beyond int64."""
        self._may_do_without = False
        self._set_up(_WITHOUT_POTENTIALS)

    def _fastest(self) -> str:
        """Return the search that is expected to find all pairs first, and finds them."""
        graph = self._bare
        by_hops = self._potentials is not None
        pays = near_far_local.is_faster(self._job, graph, self.arithmetic, graph.n, by_hops)
        return _LOCAL if pays else _NEAR_FAR

    def _is_trusted(self, search: str) -> bool:
        if search in (_NEAR_FAR, _LOCAL):  # which find that out by themselves
            return True
        negative, by_hops = self._bare.has_negative_weights, self._potentials is not None
        trial = (finds_known_tree, SEARCHES[search].solve, self.arithmetic, negative, by_hops)
        return is_trusted(self._job.device, f"{search} in {self.arithmetic}", *trial)

    def rows(
        self,
        sources: npt.NDArray[np.intp],
        pred: npt.NDArray[np.int32] | None = None,
        out: npt.NDArray[Any] | None = None,
        columns: npt.NDArray[np.intp] | None = None,
    ) -> npt.NDArray[Any]:
        """Return distances from some vertices, shape (k, n), in `out`, and fill `pred`, of this shape, if given.

        With `columns`, and then no `out`, only those to these vertices: others may be beyond the type.
        """
        starts = [[source] for source in sources.tolist()]
        shape = len(sources), self._bare.n
        is_found = self._converts or (self._potentials is None and self.arithmetic.dtype == self._dtype)
        is_found = is_found and (out is None or out.flags.c_contiguous)
        dtype = self._dtype if is_found else self.arithmetic.dtype
        found = out if is_found and out is not None else np.empty(shape, dtype)
        by_hops = self._potentials is not None
        try:
            self._search.solve(Task(self._bare, starts, self._job, self.arithmetic, found, pred, by_hops=by_hops))
        except OverflowError:
            if not self._may_do_without:
                if self._potentials is None:
                    raise
                raise _beyond(self._potentials.dtype) from None
            self._set_up_without_potentials()
            return self.rows(sources, pred, out, columns)
        if columns is not None:
            found = found[:, columns]
        if is_found:
            converted = found
        elif self._potentials is None:
            converted = to_result(found, self.arithmetic, self._dtype, sources, columns, unbounded=self._marks)
        else:
            converted = _with_potentials(found, self.arithmetic, self._potentials, sources, self._dtype, columns)
        if out is None or is_found:
            return converted
        out[...] = converted
        return out


def distances_from_root(
    graph: Graph, vertices: npt.NDArray[np.intp], job: Job, dtype: np.dtype[Any]
) -> npt.NDArray[Any]:
    """Return distances from a vertex of its own, from which an edge of weight 0 leads to each of some vertices.

    Only edges between these count. The distances are in the arithmetic that those of this dtype are added in.

    Raises
    ------
    NegativeCycleError
        There is a negative cycle, whose vertices are given by their positions among these.
    OverflowError
        A path weight is below the arithmetic.
    """
    root = len(vertices)
    position = np.full(graph.n, -1)
    position[vertices] = np.arange(root)
    sources, targets = position[edge_sources(graph)], position[graph.indices]
    inside = np.flatnonzero((sources >= 0) & (targets >= 0))
    augmented = Graph.from_edges(
        root + 1,
        np.append(sources[inside], np.full(root, root)),
        np.append(targets[inside], np.arange(root)),
        np.append(graph.weights[inside], np.zeros(root, graph.weights.dtype)),
    )
    arithmetic = choose_arithmetic(augmented, dtype)
    dist = np.empty((1, root + 1), arithmetic.dtype)
    search = bellman_ford_queue if job.device.kind == "cpu" else output_parallel
    try:
        search(Task(augmented, [[root]], job, arithmetic, dist))
    except OverflowError:  # which names a vertex of the augmented graph
        raise OverflowError(f"graph: the weight of a path is below {arithmetic.dtype}") from None
    return dist[0, :root]


def _potentials(graph: Graph, job: Job, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    if dtype.kind == "f":  # whatever device there is, the same
        exact, scale, _ = exact_shortest_paths(graph, range(graph.n))
        return np.array([float(Fraction(height or 0, scale)) for height in exact], dtype)
    if graph.max_abs_weight > _INT64_MAX:
        raise OverflowError(f"graph: a weight of magnitude {graph.max_abs_weight} is beyond int64")
    try:
        return distances_from_root(graph, np.arange(graph.n), job, dtype).astype(dtype)
    except reedsp.NegativeCycleError as error:
        raise renamed(error, graph.names) from None


def _beyond(dtype: np.dtype[Any]) -> OverflowError:
    return OverflowError(f"graph: weights and potentials together are beyond {dtype}")


def _reweighted(graph: Graph, potentials: npt.NDArray[Any]) -> Graph:
    dtype, sources = potentials.dtype, edge_sources(graph)
    if dtype.kind == "f":
        with np.errstate(over="ignore"):
            weights = graph.weights.astype(dtype) + potentials[sources] - potentials[graph.indices]
        if weights.max(initial=0) == np.inf:
            raise _beyond(dtype)
        return Graph(graph.indptr, graph.indices, np.where(weights > 0, weights, dtype.type(0)), directed=True)
    # No difference is beyond int64; and no sum is negative, unless it is that.
    weights = graph.weights.astype(dtype) + (potentials[sources] - potentials[graph.indices])
    if weights.min(initial=0) < 0:
        raise _beyond(dtype)
    return Graph(graph.indptr, graph.indices, weights, directed=True)


def _with_potentials(
    dist: npt.NDArray[Any],
    arithmetic: Arithmetic,
    potentials: npt.NDArray[Any],
    sources: npt.NDArray[np.intp],
    dtype: np.dtype[Any],
    columns: npt.NDArray[np.intp] | None,
) -> npt.NDArray[Any]:
    """Return the distances along the edges of the graph itself, to all vertices or those of some columns."""
    sums = Arithmetic(potentials.dtype)
    reached = dist != arithmetic.infinity
    shifted = np.full(dist.shape, sums.infinity, sums.dtype)
    change = (potentials if columns is None else potentials[columns]) - potentials[sources, np.newaxis]
    np.add(dist, change, out=shifted, where=reached, casting="unsafe")
    if arithmetic.dtype == _INT64:  # sums of narrower distances fit
        wrapped = reached & (change > 0) & ((shifted < change) | (shifted == sums.infinity))
        if wrapped.any():
            row, column = np.argwhere(wrapped)[0].tolist()
            raise OverflowError(
                f"dist[{sources[row]}, {column if columns is None else columns[column]}] is beyond int64"
            )
    return to_result(shifted, sums, dtype, sources, columns, unbounded=minus_infinity(sums.dtype))
