"""A hierarchy of the vertices of a graph: they are contracted in rounds, the least important first (rounds.cl)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.algorithms.contraction.core import ORIGINAL, Core, Edges, lightest, ranges
from reedsp.algorithms.contraction.exact import Units
from reedsp.algorithms.contraction.rounds import Round
from reedsp.device.job import Job
from reedsp.graph.graph import Graph

_CORE, _OF_PLANE = 1024, 2  # vertices that are contracted if most of all are, or this by the root of all
_SMALL, _COMPLETE = 400, 1 / 4  # vertices that are contracted whatever it takes; of the pairs of more have an edge
_DENSE, _VERY_DENSE = 20, 100  # edges of a vertex of a larger core, on the average
_EARLY, _MOST_EARLY, _MORE = 1 / 4, 10, 1.5  # of the vertices are left; edges of each, and as many as in the graph
_MUCH_LEFT = 1 / 2  # of the vertices and edges of the graph, where a core that is dense ends it
_LEAST = 2**32 - 1  # priority
_MOST_EDGES = 2**31 - 1
_HASH = np.uint64(2_654_435_769)


class NoHierarchyError(ValueError):
    """A graph needs too many shortcuts."""


@dataclass(frozen=True)
class Half:
    """The edges between each vertex and those of higher rank, in one direction.

    Attributes
    ----------
    first : ndarray of int64, shape (n + 1,)
        The first edge of each vertex, by rank, then how many there are.
    higher : ndarray of int32, shape (k,)
        Rank of the other end.
    weights : ndarray of int32 or int64, shape (k,)
    parts : ndarray of int32, shape (k, 2)
        What a shortcut stands for: an edge of the other half :attr:`Hierarchy.down`, then one of :attr:`Hierarchy.up`;
        ORIGINAL, twice, if it is an edge of the graph.
    """

    first: npt.NDArray[np.int64]
    higher: npt.NDArray[np.int32]
    weights: npt.NDArray[Any]
    parts: npt.NDArray[np.int32]


@dataclass(frozen=True)
class Hierarchy:
    """A graph whose vertices were contracted one after the other.

    Every shortest path has one of the same weight that leads up along edges, and then down.

    Attributes
    ----------
    vertices : ndarray of int32, shape (n,)
        The vertex of each rank.
    rank : ndarray of int32, shape (n,)
        The rank of each vertex.
    rounds : ndarray of int64, shape (r + 1,)
        The first rank of each round, then n. No edge joins two vertices of a round.
    up, down : Half
        The edges that lead from each vertex to higher ones, and those that come from there.
    exponent : int
        Of two: what a unit of the weights is worth.
    """

    vertices: npt.NDArray[np.int32]
    rank: npt.NDArray[np.int32]
    rounds: npt.NDArray[np.int64]
    up: Half
    down: Half
    exponent: int

    @property
    def shortcuts(self) -> int:
        """How many of the edges are shortcuts."""
        return sum(int(np.count_nonzero(half.parts[:, 0] != ORIGINAL)) for half in (self.up, self.down))

    def gives(self, dtype: np.dtype[Any]) -> bool:
        """Return whether distances are found in a type: units of more than 1 are of weights for float64 alone."""
        return self.exponent <= 0 or dtype.kind == "f"

    def reverse(self) -> Hierarchy:
        """Return the hierarchy of the graph with all edges in the opposite direction."""
        up, down = (replace(half, parts=half.parts[:, ::-1]) for half in (self.down, self.up))
        return replace(self, up=up, down=down)


def contract(
    graph: Graph,
    units: Units,
    job: Job,
    progress: Callable[[int, int], None] | None = None,
    budget: float = math.inf,
) -> Hierarchy:
    """Contract the vertices of a graph; `progress` is told how many of them are.

    Parameters
    ----------
    budget : float
        How many edges the cores may have, those of all rounds together until few vertices are left.

    Raises
    ------
    NoHierarchyError
        It needs too many shortcuts.
    """
    core = Core.of(graph, units)
    grown = _Grown(units.weights.dtype)
    state = _State.of(core.n)
    while core.n > 0:
        budget -= core.m if core.n > _few(graph) else 0
        if budget < 0:
            raise _refusal(core.n, core.m, graph)
        on_device = Round(job, core)
        goes = _chosen(on_device, core, state)
        going = np.flatnonzero(goes)
        shortcuts = _shortcuts(on_device, core, goes, grown, graph)
        grown.append(core, going)
        state = state.after(core, goes, going)
        core = core.without(goes, shortcuts)
        if max(grown.up_edges, grown.down_edges) > _MOST_EDGES or _is_hopeless(core.n, core.m, graph):
            raise _refusal(core.n, core.m, graph)
        job.recycle()
        if progress is not None:
            progress(graph.n - core.n, graph.n)
    return grown.finished(graph.n, units.exponent)


def _shortcuts(on_device: Round, core: Core, goes: npt.NDArray[np.bool_], grown: _Grown, graph: Graph) -> Edges:
    """Return the shortcuts of the vertices that go, of parallel ones the lightest, unless they are hopelessly many."""
    left, found = core.n - int(goes.sum()), core.edges.chosen(slice(0))
    for some in on_device.shortcuts(core, goes, grown.down_edges, grown.up_edges):
        found = lightest(found.followed_by(some), core.n)
        if _is_hopeless(left, len(found.heads), graph):
            raise _refusal(left, len(found.heads), graph)
    return found


def _refusal(n: int, m: int, graph: Graph) -> NoHierarchyError:
    return NoHierarchyError(
        f"graph: it has no hierarchy that could be of use: {m:,} edges and shortcuts join the last {n:,} of its "
        f"{graph.n:,} vertices; reedsp.sssp searches it as it is, and reedsp.apsp solves all pairs"
    )


def _is_hopeless(n: int, m: int, graph: Graph) -> bool:
    """Return whether there are more and more shortcuts in a core, of which most would be there in the end."""
    early = n > _EARLY * graph.n
    if n <= _few(graph):
        return early and n > _SMALL and m > _COMPLETE * n**2
    if early and m > n * max(_MOST_EARLY, _MORE * graph.m / graph.n):
        return True
    much = m > _MUCH_LEFT * (graph.n + graph.m)
    return m > (_DENSE if much else _VERY_DENSE) * n


def _few(graph: Graph) -> float:
    """Return how many of the vertices are contracted if all others are."""
    return max(_CORE, _OF_PLANE * math.sqrt(graph.n))


@dataclass(frozen=True)
class _State:
    """What is known of the vertices of a core.

    Attributes
    ----------
    difference : ndarray of int64, shape (n,)
        How many more edges there would be without each, as it was counted last.
    level : ndarray of int64, shape (n,)
        One more than that of any neighbour that is contracted.
    gone : ndarray of int64, shape (n,)
        Neighbours that are contracted.
    changed : ndarray of bool, shape (n,)
        Whether there is to be counted again.
    """

    difference: npt.NDArray[np.int64]
    level: npt.NDArray[np.int64]
    gone: npt.NDArray[np.int64]
    changed: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, n: int) -> _State:
        return cls(np.zeros(n, np.int64), np.zeros(n, np.int64), np.zeros(n, np.int64), np.ones(n, bool))

    def after(self, core: Core, goes: npt.NDArray[np.bool_], going: npt.NDArray[np.intp]) -> _State:
        """Return what is known when some vertices have gone."""
        leaving, entering = goes[core.edges.tails], goes[core.edges.heads]
        ends = np.concatenate((core.edges.heads[leaving], core.edges.tails[entering]))
        others = np.concatenate((core.edges.tails[leaving], core.edges.heads[entering]))
        level, changed = self.level.copy(), np.zeros(core.n, bool)
        np.maximum.at(level, ends, self.level[others] + 1)
        gone = self.gone + np.bincount(ends, minlength=core.n)
        changed[ends] = True
        stays = ~goes
        return _State(self.difference[stays], level[stays], gone[stays], changed[stays])


def _count(on_device: Round, core: Core, state: _State, vertices: npt.NDArray[np.intp]) -> None:
    """Count how many more edges there would be without each of some vertices."""
    degrees = core.in_degrees[vertices] + core.out_degrees[vertices]
    state.difference[vertices] = on_device.counts(core, vertices) - degrees


def _chosen(on_device: Round, core: Core, state: _State) -> npt.NDArray[np.bool_]:
    """Return which vertices go now: those that matter less than all others around."""
    _count(on_device, core, state, np.flatnonzero(state.changed))
    keys = _keys(core, state)
    goes: npt.NDArray[np.bool_] = on_device.smallest_around(keys) == keys
    return goes


def _keys(core: Core, state: _State) -> npt.NDArray[np.uint64]:
    """Return a number for each vertex, different ones, which are smaller for those that matter less."""
    priority = 2 * state.difference + state.gone + 3 * state.level
    priority = np.minimum(priority - priority.min(), _LEAST)
    hashes = (core.names.astype(np.uint64) * _HASH) & np.uint64(0xFFFF_FFFF)
    keys: npt.NDArray[np.uint64] = priority.astype(np.uint64) << np.uint64(32) | hashes
    return keys


class _Grown:
    """The hierarchy so far.

    Attributes
    ----------
    up_edges, down_edges : int
        How many there are in each half.
    """

    def __init__(self, dtype: np.dtype[Any]) -> None:
        self.up_edges = self.down_edges = 0
        self._dtype = dtype
        self._vertices: list[npt.NDArray[np.int32]] = []
        self._up: list[tuple[npt.NDArray[Any], ...]] = []
        self._down: list[tuple[npt.NDArray[Any], ...]] = []

    def append(self, core: Core, going: npt.NDArray[np.intp]) -> None:
        """Add vertices of a core, with their edges to those that stay."""
        edges, names = core.edges, core.names
        leaving = ranges(core.first_out, going)
        entering = core.entering[ranges(core.first_in, going)]
        self._vertices.append(names[going])
        self._up.append((core.out_degrees[going], names[edges.heads[leaving]], *_of(edges, leaving)))
        self._down.append((core.in_degrees[going], names[edges.tails[entering]], *_of(edges, entering)))
        self.up_edges += len(leaving)
        self.down_edges += len(entering)

    def finished(self, n: int, exponent: int) -> Hierarchy:
        """Return the hierarchy of n vertices."""
        sizes = list(map(len, self._vertices))
        vertices = np.concatenate((*self._vertices, np.empty(0, np.int32)))
        rank = np.empty(n, np.int32)
        rank[vertices] = np.arange(n, dtype=np.int32)
        rounds = np.cumsum([0, *sizes])
        up, down = (self._half(pieces, rank) for pieces in (self._up, self._down))
        return Hierarchy(vertices, rank, rounds, up, down, exponent)

    def _half(self, pieces: list[tuple[npt.NDArray[Any], ...]], rank: npt.NDArray[np.int32]) -> Half:
        empty = (np.empty(0, np.int64), np.empty(0, np.int32), np.empty(0, self._dtype), np.empty((0, 2), np.int32))
        degrees, higher, weights, parts = map(np.concatenate, zip(empty, *pieces, strict=True))
        return Half(np.concatenate(([0], degrees.cumsum())), rank[higher], weights, parts)


def _of(edges: Edges, chosen: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[np.int32]]:
    return edges.weights[chosen], edges.parts[chosen]
