"""The order in which networkx' searches settle nodes, and the predecessors they name, from the distances alone.

Such a search settles nodes by distance and, among equal distances, in the order in which these were found. The
distance of a node is found at the first edge on a shortest path that the search comes to: the tail of that edge is
the one that was settled first, and the edge is the first of its tail that leads there. So the order of one distance
follows from the order of the smaller ones. Edges that add nothing lead to nodes of the same distance: those are found
one after the other, as in a queue.
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import itemgetter
from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.networkx_backend.graph import Arcs

_FEW_TIED_DISTANCES = 5000
_MOST_ROUNDS = 30
_FEW_EDGES = 50  # to nodes of one distance, which Python puts in order sooner than numpy
_MOST_TAILS_LOOKED_UP = 1 / 8  # of the nodes; from more of them, it is sooner to look at all edges


@dataclass(frozen=True)
class Replay:
    """A search that has been reconstructed.

    Attributes
    ----------
    order : ndarray of int64
        The nodes that were reached, in the order in which they were settled.
    rank : ndarray of int64, shape (n,)
        The index of each node in this order; n for those that were not reached.
    """

    order: npt.NDArray[np.int64]
    rank: npt.NDArray[np.int64]
    _tight: npt.NDArray[np.int64]  # edges on shortest paths
    _arcs: Arcs
    _sources: list[int]

    def first_edges(self) -> npt.NDArray[np.int64]:
        """Return for each node the edge by which its distance was found, -1 for sources and what was not reached."""
        arcs, tight = self._arcs, self._tight
        found = tight[self.rank[arcs.tails[tight]] < self.rank[arcs.heads[tight]]]
        first = np.full(arcs.n, -1, np.int64)
        heads = arcs.heads[found]
        first[heads] = found[_first_turns(self.rank[arcs.tails[found]], heads, arcs.n)[heads] % len(found)]
        first[self._sources] = -1
        return first

    def predecessors(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Return heads and tails of all edges on shortest paths, by head and then in the order of the search."""
        arcs, tight = self._arcs, self._tight
        by_tail = tight[_ascending(self.rank[arcs.tails[tight]])]
        by_head = by_tail[_ascending(arcs.heads[by_tail])]
        return arcs.heads[by_head].astype(np.int64), arcs.tails[by_head].astype(np.int64)

    def discovered(self, passed: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return the nodes in the order in which the search first came to them along the edges `passed`."""
        heads = self._arcs.heads[passed][_ascending(self.rank[self._arcs.tails[passed]])]
        return _in_order_of_appearance(np.concatenate((np.array(self._sources, np.int64), heads)))


def replay(arcs: Arcs, dist: npt.NDArray[Any], reached: npt.NDArray[np.bool_], sources: list[int]) -> Replay:
    """Reconstruct the search that found these distances.

    Parameters
    ----------
    arcs : Arcs
        No weight is negative.
    dist : ndarray, shape (n,)
        Distances in the type of the weights, 0 for the sources.
    reached : ndarray of bool, shape (n,)
    sources : list of int
        In the order in which the search was given them.
    """
    tight = tight_edges(arcs, dist, reached)
    rank = _Ranking(arcs, dist, np.flatnonzero(reached), tight).rank(sources)
    order = np.empty(int(np.count_nonzero(reached)), np.int64)
    order[rank[reached]] = np.flatnonzero(reached)
    return Replay(order, rank, tight, arcs, sources)


def tight_edges(arcs: Arcs, dist: npt.NDArray[Any], reached: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """Return the edges that are the last one of a shortest path."""
    if reached.all():
        return np.flatnonzero(dist[arcs.tails] + arcs.costs == dist[arcs.heads])
    passed = edges_among(arcs, reached)
    heads = arcs.heads[passed]
    tight: npt.NDArray[np.int64] = passed[dist[arcs.tails[passed]] + arcs.costs[passed] == dist[heads]]
    return tight


def edges_among(arcs: Arcs, reached: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """Return the edges between nodes that were reached, of which there may be few."""
    tails = np.flatnonzero(reached)
    if len(tails) > _MOST_TAILS_LOOKED_UP * arcs.n:
        return np.flatnonzero(reached[arcs.tails] & reached[arcs.heads])
    first, last = np.searchsorted(arcs.tails, tails, "left"), np.searchsorted(arcs.tails, tails, "right")
    counts = last - first
    edges = np.repeat(last - np.cumsum(counts), counts) + np.arange(counts.sum())
    return edges[reached[arcs.heads[edges]]]


def only_path(
    arcs: Arcs,
    dist: npt.NDArray[Any],
    reached: npt.NDArray[np.bool_],
    source: int,
    target: int,
    rounding: float = 0,
) -> list[int] | None:
    """Return the one shortest path between two nodes, which every search finds, or None if there may be others.

    Parameters
    ----------
    arcs : Arcs
    dist : ndarray, shape (n,)
        Distances from the source.
    reached : ndarray of bool, shape (n,)
        Whose distances count. The target's does.
    source, target : int
    rounding : float
        A path that is longer by no more than this may be taken for as short.
    """
    edges = np.flatnonzero(reached[arcs.tails] & (arcs.tails != arcs.heads))
    tails, heads = arcs.tails[edges], arcs.heads[edges]
    # A path that leaves this one comes back to it along an edge that makes it longer by as much as is compared here.
    close = dist[tails] + arcs.costs[edges] <= dist[heads] + rounding
    tails, heads = tails[close], heads[close]
    edges_to = np.bincount(heads, minlength=arcs.n)
    before = np.empty(arcs.n, np.int32)
    before[heads] = tails
    path = [target]
    while path[-1] != source:
        if edges_to[path[-1]] != 1:
            return None
        path.append(int(before[path[-1]]))
    return path[::-1]


class _Ranking:
    """Nodes by distance, of which equal ones are put in order, smaller distances first."""

    def __init__(
        self, arcs: Arcs, dist: npt.NDArray[Any], reached: npt.NDArray[np.int64], tight: npt.NDArray[np.int64]
    ) -> None:
        by_distance = reached[_ascending(dist[reached])]
        sorted_dist = dist[by_distance]
        begins = np.ones(len(by_distance), bool)
        begins[1:] = sorted_dist[1:] != sorted_dist[:-1]
        self._starts = np.append(np.flatnonzero(begins), len(by_distance))
        sizes = np.diff(self._starts)
        self._level = np.empty(arcs.n, np.int64)
        self._level[by_distance] = np.repeat(np.arange(len(sizes)), sizes)
        self._rank = np.full(arcs.n, arcs.n, np.int64)
        self._ranks = np.arange(len(by_distance))
        self._rank[by_distance] = self._ranks
        self._by_distance = by_distance
        is_tied = np.zeros(arcs.n, bool)
        is_tied[by_distance] = np.repeat(sizes > 1, sizes)
        chosen = tight[is_tied[arcs.heads[tight]]]
        tails, heads = arcs.tails[chosen].astype(np.int64), arcs.heads[chosen].astype(np.int64)
        further = dist[tails] < dist[heads]
        level = ~further & (tails != heads)
        self._upward = tails[further], heads[further]
        self._level_edges = self._by_level(tails[level], heads[level])

    def _by_level(self, tails: npt.NDArray[np.int64], heads: npt.NDArray[np.int64]) -> _Edges:
        order = _ascending(self._level[heads])
        bounds = np.searchsorted(self._level[heads[order]], np.arange(len(self._starts)))
        return _Edges(tails[order], heads[order], bounds.tolist())

    def rank(self, sources: list[int]) -> npt.NDArray[np.int64]:
        self._settle(0, self._queue(0, list(dict.fromkeys(sources))))
        starts = self._starts.tolist()
        tied = np.flatnonzero(np.diff(self._starts) > 1)
        tied = tied[tied > 0]
        if len(tied) > _FEW_TIED_DISTANCES and not len(self._level_edges.heads) and self._settle_together(tied):
            return self._rank
        upward = self._by_level(*self._upward)
        for level in tied.tolist():
            found = self._found(*upward.of(level))
            if len(found) < starts[level + 1] - starts[level]:
                found = self._queue(level, found if isinstance(found, list) else found.tolist())
            self._settle(starts[level], found)
        return self._rank

    def _settle(self, start: int, nodes: list[int] | npt.NDArray[np.int64]) -> None:
        self._rank[nodes] = self._ranks[start : start + len(nodes)]

    def _found(self, tails: npt.NDArray[np.int64], heads: npt.NDArray[np.int64]) -> list[int] | npt.NDArray[np.int64]:
        """Return the heads of edges in the order in which a search comes to them."""
        turns = self._rank[tails]
        if len(heads) > _FEW_EDGES:
            return _in_order_of_appearance(heads[np.argsort(turns, kind="stable")])
        by_turn = sorted(zip(turns.tolist(), heads.tolist(), strict=True), key=itemgetter(0))
        return list(dict.fromkeys(head for _, head in by_turn))

    def _queue(self, level: int, found: list[int]) -> list[int]:
        """Return the nodes of one distance, of which those that are found come first."""
        tails, heads = self._level_edges.of(level)
        after: dict[int, list[int]] = {}
        for tail, head in zip(tails.tolist(), heads.tolist(), strict=True):
            after.setdefault(tail, []).append(head)
        seen, order = set(found), found.copy()
        for node in order:  # which grows meanwhile
            for head in after.get(node, ()):
                if head not in seen:
                    seen.add(head)
                    order.append(head)
        return order

    def _settle_together(self, tied: npt.NDArray[np.int64]) -> bool:
        """Put the nodes of tied distances in order until nothing changes; tell whether it came to that."""
        sizes = np.diff(self._starts)[tied]
        of = np.repeat(np.arange(len(tied)), sizes)
        ranks = np.repeat(self._starts[tied] - (np.cumsum(sizes) - sizes), sizes) + np.arange(len(of))
        nodes = self._by_distance[ranks]
        tails, heads = self._upward
        for _ in range(_MOST_ROUNDS):
            by_turn = _ascending(_first_turns(self._rank[tails], heads, len(self._rank))[nodes])
            again = nodes[by_turn[_ascending(of[by_turn])]]
            if np.array_equal(self._rank[again], ranks):
                return True
            self._rank[again] = ranks
        return False


@dataclass(frozen=True)
class _Edges:
    """Edges by the distance of their heads, and where each distance begins."""

    tails: npt.NDArray[np.int64]
    heads: npt.NDArray[np.int64]
    bounds: list[int]

    def of(self, level: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        part = slice(self.bounds[level], self.bounds[level + 1])
        return self.tails[part], self.heads[part]


def _ascending(values: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Return the indices that sort numbers, none of which is negative; equal ones stay as they are.

    numpy sorts 16 bits by counting, which is several times as fast as comparing 64. Bits of floats ascend with them.
    """
    bits = values.astype(np.int64) if values.dtype.kind == "i" else values.view(np.int64)
    order: npt.NDArray[np.int64] = np.argsort(bits.astype(np.uint16), kind="stable")
    for shift in range(16, int(bits.max(initial=0)).bit_length(), 16):
        order = order[np.argsort((bits >> shift).astype(np.uint16)[order], kind="stable")]
    return order


def _first_turns(ranks: npt.NDArray[np.int64], heads: npt.NDArray[Any], n: int) -> npt.NDArray[np.int64]:
    """Return for each node the minimum of rank * m + index of the m edges to it, given the ranks of their tails.

    It is that of the edge by which a search comes to the node first.
    """
    turns = ranks * len(heads) + np.arange(len(heads))
    first = np.full(n, np.iinfo(np.int64).max)
    np.minimum.at(first, heads, turns)
    return first


def _in_order_of_appearance(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    _, first = np.unique(values, return_index=True)
    return values[np.sort(first)]
