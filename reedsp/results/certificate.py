"""Whether distances are the shortest, decided on the host from the edges of the graph and nothing else.

Finite distances are right if and only if the sources have distance 0, no edge leads to a vertex on a shorter path,
and each other reached vertex has an edge that gives exactly its distance and, followed backwards, leads to a source:
then each distance is that of a path, and none is shorter.

Where weights are added as integers, sums are exact. Otherwise a distance may differ from the sum that gives it by two
units in the last place of the largest number in it, and in a matrix, where the weights of a path are added in any
order, by as many as there are vertices. If some weights are negative there, the largest number may also be any distance
on the way (see :class:`_Sums`), but no weight that is on none.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

import reedsp
from reedsp.arithmetic.paths import choose_arithmetic
from reedsp.edges.device_graph import NO_VERTEX
from reedsp.edges.negative_cycles import exact_shortest_paths
from reedsp.edges.verify import VerificationError, wrong_nearest
from reedsp.graph.graph import Graph, edge_sources
from reedsp.results.files import Stored, masks

_SAFE = 2**61  # sums of three numbers up to here fit into int64
_LARGEST_OF_FLOAT32 = 2**24  # of integers, all of which it has up to there
_UNITS = 2
_PART = 1 << 20  # numbers of a matrix that are looked at together


def check(graph: Graph, stored: Stored, progress: Callable[[int, int], None] | None = None) -> int:
    """Check every row of a result against every edge.

    Parameters
    ----------
    graph : Graph
    stored : Stored
    progress : callable(rows, of), optional
        Called after each row.

    Returns
    -------
    int
        Number of rows.

    Raises
    ------
    VerificationError
        A rule is broken. The message names a vertex as the file of the graph does.
    """
    edges = _Edges(graph, stored.levels)
    sums = _sums(edges, stored)
    marked = _marked(stored)
    if marked is not None:
        _check_marked(graph, marked)
    for row, sources in enumerate(stored.sources):
        try:
            _check_row(edges, stored, row, sources, marked, sums)
        except VerificationError as error:
            if len(stored.sources) == 1:
                raise
            raise VerificationError(f"from {graph.names[sources[0]]}: {error}") from None
        if progress is not None:
            progress(row + 1, len(stored.sources))
    if stored.nearest is not None:
        _check_nearest(graph, stored, stored.nearest)
    return len(stored.sources)


class _Edges:
    """The edges of a graph in arrays, with weights that can be added to distances."""

    def __init__(self, graph: Graph, levels: bool) -> None:
        self.graph = graph
        self.tails = edge_sources(graph)
        self.heads = graph.indices.astype(np.intp)
        self.whole = levels or choose_arithmetic(graph, np.dtype(np.float64)).dtype.kind == "i"
        self._behind: dict[int, tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]] = {}
        self.weights: npt.NDArray[Any] = np.ones(graph.m, np.int64) if levels else self._weights()

    def _weights(self) -> npt.NDArray[Any]:
        weights = self.graph.weights
        if not self.whole:
            return weights.astype(np.float64)
        return weights.astype(np.int64) if self.graph.max_abs_weight < _SAFE else _objects(weights)

    @functools.cached_property
    def _keys(self) -> npt.NDArray[np.int64]:
        return self.tails * np.int64(self.graph.n) + self.heads  # ascending, as the edges of a Graph are

    def between(self, tails: npt.NDArray[Any], heads: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the edge from each of some vertices to another; -1 where there is none."""
        keys = self._keys
        wanted = tails * np.int64(self.graph.n) + heads
        place = np.minimum(np.searchsorted(keys, wanted), max(0, len(keys) - 1))
        return np.where(keys[place] == wanted, place, -1) if len(keys) else np.full(len(wanted), -1)

    @functools.cached_property
    def components(self) -> npt.NDArray[np.intp]:
        return np.asarray(self.graph.strong_components())

    def behind(self, source: int, marked: npt.NDArray[np.bool_]) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
        """Return what edges lead to from a vertex, and from those marked among it: the same for its component."""
        component = int(self.components[source])
        if component not in self._behind:
            linked = _reachable(self.graph, self.tails, self.heads, [source])
            starts = np.flatnonzero(linked & marked).tolist()
            self._behind[component] = linked, _reachable(self.graph, self.tails, self.heads, starts)
        return self._behind[component]

    def name(self, edge: int) -> str:
        weight = self.weights[edge]
        return f"the edge from {self.graph.names[self.tails[edge]]} of weight {weight}"


def _objects(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return integers as Python's, which never overflow."""
    return np.array([int(value) for value in values.tolist()] or [0], object)[: len(values)]


def _distances(edges: _Edges, dist: npt.NDArray[Any], reached: npt.NDArray[np.bool_]) -> npt.NDArray[Any]:
    """Return the distances of a row in a type that the weights can be added to; 0 where there is none."""
    dist = np.where(reached, dist, dist.dtype.type(0))
    if not edges.whole:
        return dist.astype(np.float64)
    if dist.dtype.kind == "f":
        fractional = np.flatnonzero(dist != np.rint(dist))
        if len(fractional):
            raise _wrong(edges.graph, fractional[0], f"its distance {dist[fractional[0]]} is not whole")
        large = bool((np.abs(dist) >= _SAFE).any())
    else:
        large = bool(((dist >= _SAFE) | (dist <= -_SAFE)).any())
    return _objects(dist) if large or edges.weights.dtype.kind == "O" else dist.astype(np.int64)


def _wrong(graph: Graph, vertex: int, reason: str) -> VerificationError:
    return VerificationError(f"vertex {graph.names[vertex]}: {reason}")


@np.errstate(over="ignore")  # a sum beyond float64 is no shorter path
def _check_row(
    edges: _Edges,
    stored: Stored,
    row: int,
    sources: list[int],
    marked: npt.NDArray[np.bool_] | None,
    sums: _Sums | None,
) -> None:
    graph = edges.graph
    reached, unbounded = masks(stored, row)
    if stored.dist.dtype.kind == "f" and (nan := np.isnan(stored.dist[row])).any():
        raise _wrong(graph, int(np.argmax(nan)), "its distance is nan")
    if marked is None and unbounded.any():
        raise _wrong(graph, np.flatnonzero(unbounded)[0], "its distance is -inf")
    dist = _distances(edges, stored.dist[row], reached)
    if marked is not None:
        _check_unbounded(edges, sources[0], reached, unbounded, marked)
    pred = None if stored.pred is None else stored.pred[row]
    for source in sources:
        if not (reached[source] or unbounded[source]) or (reached[source] and dist[source] != 0):
            raise _wrong(graph, source, "it is a source, but its distance is not 0")
    rounding = _rounding(edges, stored, dist)
    given = _Row(edges, dist, reached, rounding, sums)
    shorter = _shorter(given, unbounded, _cutoff(stored, dist, reached))
    behind_shorter = np.zeros(graph.n, bool)
    behind_shorter[edges.heads[shorter]] = True
    _check_support(given, sources, pred, behind_shorter)
    if len(shorter):
        edge = int(shorter[np.argmin(edges.heads[shorter])])
        vertex = int(edges.heads[edge])
        has = f"its distance is {dist[vertex]}" if reached[vertex] else "it has no distance"
        length = dist[edges.tails[edge]] + edges.weights[edge]
        raise _wrong(graph, vertex, f"{has}, but {edges.name(edge)} gives {length}")


@dataclass(frozen=True)
class _Rounding:
    """By how much a distance may differ from the sum that gives it: a part of the largest number in it, or `least`."""

    part: float
    least: float

    def of(self, largest: Any) -> Any:
        return np.maximum(self.part * largest, self.least)


_NO_ROUNDING = _Rounding(0.0, 0.0)


def _rounding(edges: _Edges, stored: Stored, dist: npt.NDArray[Any]) -> _Rounding:
    narrow = stored.dist.dtype.kind == "f" and stored.dist.dtype.itemsize < 8
    limits = np.finfo(np.float32 if narrow else np.float64)
    eps = float(limits.eps)
    if not edges.whole:
        units = max(_UNITS, edges.graph.n) if stored.any_order else _UNITS
        return _Rounding(units * eps, _UNITS * eps * float(limits.tiny))
    if not narrow or not (np.abs(dist) > _LARGEST_OF_FLOAT32).any():
        return _NO_ROUNDING
    return _Rounding(eps, 0.0)  # each of both was rounded once, from an exact sum


class _Row:
    """The distances of a row, 0 where there is none, beside those that the edges between reached vertices give."""

    def __init__(
        self,
        edges: _Edges,
        dist: npt.NDArray[Any],
        reached: npt.NDArray[np.bool_],
        rounding: _Rounding,
        sums: _Sums | None,
    ) -> None:
        self.edges, self.dist, self.reached, self.rounding, self._sums = edges, dist, reached, rounding, sums
        excess = np.repeat(dist, np.diff(edges.graph.indptr))
        excess += edges.weights
        np.subtract(dist[edges.heads], excess, out=excess)
        self._largest = np.abs(dist).max(initial=0)
        # A tight edge is not heavier than the distances at both ends together, but for the rounding.
        bound = self.rounding.of(4 * self._most()) if self.rounding.part else 0
        near = np.flatnonzero(excess >= -bound)
        self._near = near[reached[edges.tails[near]] & reached[edges.heads[near]]]

    def shorter(self) -> npt.NDArray[np.intp]:
        """Return the edges that give less than the distance at their end."""
        edge = self._near[self._excess(self._near) > 0]
        return edge[~self.fits(edge)]

    def tight(self) -> npt.NDArray[np.intp]:
        """Return the edges that give the distance at their end, whatever else is on the way to it."""
        return self._near[self._fit_by_themselves(self._near)]

    def all_tight(self) -> npt.NDArray[np.intp]:
        """Return these and those that give it within the rounding of what is on the way, which takes longer."""
        return self._near[self.fits(self._near)]

    def _excess(self, edge: npt.NDArray[np.intp]) -> npt.NDArray[Any]:
        """Return by how much the distance at the end of each edge is above what the edge gives."""
        given = self.dist[self.edges.tails[edge]] + self.edges.weights[edge]
        return np.asarray(self.dist[self.edges.heads[edge]] - given)

    def _most(self) -> Any:
        """Return what no number that a distance is made of is above, but for the weight of an edge."""
        return self._largest if self._sums is None else max(self._largest, self._sums.lowest.max(initial=0))

    def fits(self, edge: npt.NDArray[np.intp]) -> npt.NDArray[np.bool_]:
        """Return which edges give the distance at their end, within the rounding."""
        fits = self._fit_by_themselves(edge)
        if self._sums is not None and not fits.all():
            off = np.abs(self._excess(edge).astype(np.float64))
            open_ = np.flatnonzero(~fits & (off <= self.rounding.of(self._most())))
            both = np.append(self.edges.tails[edge[open_]], self.edges.heads[edge[open_]])
            ends, place = np.unique(both, return_inverse=True)
            largest = self._sums.on_the_way(self.dist, self.reached, ends)[place].reshape(2, -1).max(axis=0)
            fits[open_] = off[open_] <= self.rounding.of(largest)
        return fits

    def _fit_by_themselves(self, edge: npt.NDArray[np.intp]) -> npt.NDArray[np.bool_]:
        excess = self._excess(edge)
        if not self.rounding.part:
            return np.asarray(excess == 0)
        begin, end, weight = self.edges.tails[edge], self.edges.heads[edge], np.abs(self.edges.weights[edge])
        largest = np.maximum(np.maximum(np.abs(self.dist[begin]), np.abs(self.dist[end])), weight).astype(np.float64)
        return np.asarray(np.abs(excess.astype(np.float64)) <= self.rounding.of(largest))


class _Sums:
    """How large the sums may have been that distances of a matrix are made of, where some weights are negative.

    Any part of a path may have been added up first, and no part of a shortest path is longer than two distances on the
    way. Where rounding makes a cycle negative, potentials are added, too: the least distances to vertices on the way.
    """

    def __init__(self, edges: _Edges, dist: npt.NDArray[Any], rounding: _Rounding) -> None:
        self._edges, self._dist, self._rounding = edges, dist, rounding

    @functools.cached_property
    def lowest(self) -> npt.NDArray[np.float64]:
        """By how much the least distance to each vertex is below 0; 0 if no cycle is as light as rounding may be.

        Distances are rounded, so that by the least of them a vertex may be off that is not below 0 in its own column.
        """
        edges = self._edges
        component, below = edges.components, np.zeros(edges.graph.n)
        largest = np.zeros(edges.graph.n)  # of the distances within each component
        for vertex, row in enumerate(self._dist):
            finite = np.where(np.isfinite(row), row, 0).astype(np.float64)
            own = component[vertex]
            largest[own] = max(largest[own], np.abs(finite[component == own]).max(initial=0))
            np.maximum(below, -finite, out=below)
        on_cycle = np.flatnonzero((component[edges.heads] == component[edges.tails]) & (edges.heads != edges.tails))
        begin, end = edges.tails[on_cycle], edges.heads[on_cycle]
        back = self._dist[end, begin].astype(np.float64)
        light = back + edges.weights[on_cycle] <= self._rounding.of(largest[component[begin]])
        light &= np.isfinite(back)
        return below + self._rounding.of(below.max(initial=0)) if light.any() else np.zeros(edges.graph.n)

    def on_the_way(
        self, dist: npt.NDArray[Any], reached: npt.NDArray[np.bool_], vertices: npt.NDArray[np.intp]
    ) -> npt.NDArray[np.float64]:
        """Return the largest number on the ways to some vertices that are shortest, within the rounding."""
        before = np.flatnonzero(reached)
        size = np.maximum(np.abs(dist), self.lowest)[before, np.newaxis]
        largest, step = np.zeros(len(vertices)), max(1, _PART // max(1, len(before)))
        for first in range(0, len(vertices), step):
            ends = vertices[first : first + step]
            detour = dist[before, np.newaxis] + self._dist[before[:, np.newaxis], ends].astype(np.float64) - dist[ends]
            largest[first : first + step] = np.where(detour <= self._rounding.of(size), size, 0).max(axis=0, initial=0)
        return largest


def _sums(edges: _Edges, stored: Stored) -> _Sums | None:
    if edges.whole or not stored.any_order or not edges.graph.has_negative_weights or stored.dist.dtype.kind != "f":
        return None
    return _Sums(edges, stored.dist, _rounding(edges, stored, stored.dist[:0]))


def _check_support(
    given: _Row, sources: list[int], pred: npt.NDArray[Any] | None, behind_shorter: npt.NDArray[np.bool_]
) -> None:
    """Check that each distance is that of a path: of the one that the predecessors say, if there are any.

    Where that fails behind a vertex to which there is a shorter path, the latter is what has to be reported.
    """
    edges, dist, reached = given.edges, given.dist, given.reached
    graph = edges.graph
    is_source = np.zeros(graph.n, bool)
    is_source[sources] = True
    others = np.flatnonzero(reached & ~is_source)
    if pred is None:
        for tight in (given.tight, given.all_tight):
            edge = tight()
            lost = reached & ~_reachable(graph, edges.tails[edge], edges.heads[edge], sources)
            if not lost.any():
                break
        else:
            vertex = int(np.argmax(lost))
            raise _wrong(graph, vertex, f"no path gives its distance {dist[vertex]}")
        return
    stray = (pred != NO_VERTEX) & (~reached | is_source)
    if stray.any():
        reason = "it is a source" if is_source[np.argmax(stray)] else "it has no distance"
        raise _wrong(graph, int(np.argmax(stray)), f"it has a predecessor, though {reason}")
    before = pred[others].astype(np.int64)
    bad = np.ones(len(others), bool)
    valid = (before >= 0) & (before < graph.n)
    valid[valid] = reached[before[valid]]
    edge = np.full(len(others), -1)
    edge[valid] = edges.between(before[valid], others[valid])
    exists = edge >= 0
    bad[exists] = ~given.fits(edge[exists])
    if bad.any():
        _raise_unsupported(edges, others, before, edge, bad, dist, behind_shorter)
        return
    order = np.argsort(before, kind="stable")
    rooted = _reachable(graph, before[order], others[order], sources)
    if not rooted[others].all():
        vertex = int(others[~rooted[others]][0])
        raise _wrong(graph, vertex, "its predecessors do not lead back to a source")


def _raise_unsupported(
    edges: _Edges,
    others: npt.NDArray[Any],
    before: npt.NDArray[Any],
    edge: npt.NDArray[Any],
    bad: npt.NDArray[np.bool_],
    dist: npt.NDArray[Any],
    behind_shorter: npt.NDArray[np.bool_],
) -> None:
    """Name the first vertex that does not fit to its predecessor, while nothing is wrong with the predecessor."""
    wrong = np.append(behind_shorter, False)  # the last one for predecessors that are no vertices
    wrong[others[bad]] = True
    inside = np.where((before >= 0) & (before < edges.graph.n), before, edges.graph.n)
    first = np.flatnonzero(bad & ~wrong[inside])
    if not len(first) and behind_shorter.any():
        return
    place = int(first[0]) if len(first) else int(np.flatnonzero(bad)[0])
    vertex = int(others[place])
    if edge[place] < 0:
        known = 0 <= before[place] < edges.graph.n
        name = edges.graph.names[before[place]] if known else before[place]
        raise _wrong(edges.graph, vertex, f"there is no edge to it from its predecessor {name}")
    tail = int(before[place])
    given = dist[tail] + edges.weights[edge[place]]
    raise _wrong(edges.graph, vertex, f"its distance is {dist[vertex]}, but {edges.name(edge[place])} gives {given}")


def _reachable(
    graph: Graph, tails: npt.NDArray[Any], heads: npt.NDArray[Any], sources: list[int]
) -> npt.NDArray[np.bool_]:
    """Return which vertices some edges, in the order of their tails, lead to from any of the sources."""
    import scipy.sparse.csgraph

    root = graph.n  # with an edge to each source
    indptr = np.append(np.searchsorted(tails, np.arange(root + 1)), len(tails) + len(sources))
    heads = np.append(heads, sources)
    links = scipy.sparse.csr_array((np.ones(len(heads)), heads, indptr), shape=(root + 1, root + 1))
    found = np.zeros(root + 1, bool)
    found[scipy.sparse.csgraph.breadth_first_order(links, root, return_predecessors=False)] = True
    return found[:root]


def _cutoff(stored: Stored, dist: npt.NDArray[Any], reached: npt.NDArray[np.bool_]) -> float | None:
    """Return the distance beyond which paths were left out of a row."""
    bounds = [stored.cutoff]
    if stored.stopped_at is not None and reached[stored.stopped_at]:
        bounds.append(dist[stored.stopped_at])
    return min((bound for bound in bounds if bound is not None), default=None)


def _shorter(given: _Row, unbounded: npt.NDArray[np.bool_], cutoff: float | None) -> npt.NDArray[np.intp]:
    """Return the edges that lead to a vertex on a shorter path, or on any path to one without a distance."""
    edges, dist, reached = given.edges, given.dist, given.reached
    slack = given.rounding.of(abs(cutoff)) if given.rounding.part and cutoff is not None else 0
    if cutoff is not None and (reached & (dist > cutoff + slack)).any():
        vertex = int(np.argmax(reached & (dist > cutoff + slack)))
        raise _wrong(edges.graph, vertex, f"its distance {dist[vertex]} is beyond the cutoff {cutoff}")
    shorter, missing = given.shorter(), ~(reached | unbounded)
    if not missing.any():
        return shorter
    edge = np.flatnonzero(reached[edges.tails] & missing[edges.heads])
    if cutoff is not None:
        edge = edge[dist[edges.tails[edge]] + edges.weights[edge] <= cutoff - slack]
    return np.append(shorter, edge)


def _check_nearest(graph: Graph, stored: Stored, nearest: npt.NDArray[Any]) -> None:
    assert stored.pred is not None
    wrong = wrong_nearest(nearest, stored.pred[0], stored.sources[0])
    if len(wrong):
        raise _wrong(graph, wrong[0], "its nearest source is not that of its predecessor")


# ---- negative cycles --------------------------------------------------------------------------------


def _marked(stored: Stored) -> npt.NDArray[np.bool_] | None:
    """Return which vertices a matrix says to be on a closed path through a negative cycle; None if there is none."""
    if len(stored.sources) != stored.dist.shape[1] or stored.nearest is not None or stored.levels:
        return None
    marked = np.array([masks(stored, row)[1][row] for row in range(len(stored.sources))], bool)
    return marked if marked.any() else None


def _check_marked(graph: Graph, marked: npt.NDArray[np.bool_]) -> None:
    """Check that the components marked have a negative cycle; that the others have none shows in their distances."""
    component = graph.strong_components()
    matrix = graph.to_scipy()
    for each in np.unique(component[marked]):
        inside = np.flatnonzero(component == each)
        if not marked[inside].all():
            vertex = inside[~marked[inside]][0]
            raise _wrong(graph, vertex, "its distance from itself is not -inf, but that of its component is")
        part = matrix[inside][:, inside]
        try:
            exact_shortest_paths(Graph(part.indptr, part.indices, part.data, directed=True), range(len(inside)))
        except reedsp.NegativeCycleError:
            continue
        raise _wrong(graph, inside[0], "its distance from itself is -inf, but its component has no negative cycle")


def _check_unbounded(
    edges: _Edges,
    source: int,
    reached: npt.NDArray[np.bool_],
    unbounded: npt.NDArray[np.bool_],
    marked: npt.NDArray[np.bool_],
) -> None:
    """Check that exactly the vertices behind a negative cycle that the source reaches are marked."""
    linked, behind = edges.behind(source, marked)
    for wrong, reason in (
        (unbounded & ~behind, "its distance is -inf, but no path can pass a negative cycle"),
        (behind & ~unbounded, "its distance is not -inf, but a path can pass a negative cycle"),
        (reached & ~linked, "it has a distance, but no path leads to it"),
    ):
        if wrong.any():
            raise _wrong(edges.graph, int(np.argmax(wrong)), reason)
