"""The order in which networkx' searches settle nodes, and the predecessors they name, from the distances alone.

Such a search settles nodes by distance and, among equal distances, in the order in which these were found. The
distance of a node is found at the first edge on a shortest path that the search comes to: the tail of that edge is
the one that was settled first, and the edge is the first of its tail that leads there. So the order of one distance
follows from the order of the smaller ones. Edges that add nothing lead to nodes of the same distance: those are found
one after the other, as in a queue.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.networkx_backend.graph import Arcs

_FEW_TIED_DISTANCES = 5000
_MOST_ROUNDS = 30


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
        found = found[np.argsort(self.rank[arcs.tails[found]], kind="stable")][::-1]
        first = np.full(arcs.n, -1, np.int64)
        first[arcs.heads[found]] = found  # the last one stays
        first[self._sources] = -1
        return first

    def predecessors(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Return heads and tails of all edges on shortest paths, by head and then in the order of the search."""
        arcs, tight = self._arcs, self._tight
        by_tail = tight[np.argsort(self.rank[arcs.tails[tight]], kind="stable")]
        by_head = by_tail[np.argsort(arcs.heads[by_tail], kind="stable")]
        return arcs.heads[by_head].astype(np.int64), arcs.tails[by_head].astype(np.int64)

    def discovered(self, passed: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return the nodes in the order in which the search first came to them along the edges `passed`."""
        heads = self._arcs.heads[passed][np.argsort(self.rank[self._arcs.tails[passed]], kind="stable")]
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
    passed = np.flatnonzero(reached[arcs.tails] & reached[arcs.heads])
    heads = arcs.heads[passed]
    tight: npt.NDArray[np.int64] = passed[dist[arcs.tails[passed]] + arcs.costs[passed] == dist[heads]]
    return tight


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
        by_distance = reached[np.argsort(dist[reached], kind="stable")]
        sorted_dist = dist[by_distance]
        begins = np.ones(len(by_distance), bool)
        begins[1:] = sorted_dist[1:] != sorted_dist[:-1]
        self._starts = np.append(np.flatnonzero(begins), len(by_distance))
        self._level = np.empty(arcs.n, np.int64)
        self._level[by_distance] = np.cumsum(begins) - 1
        self._rank = np.full(arcs.n, arcs.n, np.int64)
        self._rank[by_distance] = np.arange(len(by_distance))
        self._by_distance = by_distance
        tails, heads = arcs.tails[tight].astype(np.int64), arcs.heads[tight].astype(np.int64)
        is_tied = (np.diff(self._starts) > 1)[self._level[heads]]
        further = dist[tails] < dist[heads]
        self._upward = self._by_level(tails, heads, is_tied & further)
        self._level_edges = self._by_level(tails, heads, is_tied & ~further & (tails != heads))

    def _by_level(
        self, tails: npt.NDArray[np.int64], heads: npt.NDArray[np.int64], chosen: npt.NDArray[np.bool_]
    ) -> _Edges:
        tails, heads = tails[chosen], heads[chosen]
        order = np.argsort(self._level[heads], kind="stable")
        bounds = np.searchsorted(self._level[heads[order]], np.arange(len(self._starts)))
        return _Edges(tails[order], heads[order], bounds)

    def rank(self, sources: list[int]) -> npt.NDArray[np.int64]:
        self._settle(0, self._queue(0, list(dict.fromkeys(sources))))
        tied = np.flatnonzero(np.diff(self._starts) > 1)
        tied = tied[tied > 0]
        if len(tied) > _FEW_TIED_DISTANCES and not len(self._level_edges.heads) and self._settle_together():
            return self._rank
        for level in tied.tolist():
            tails, heads = self._upward.of(level)
            found = _in_order_of_appearance(heads[np.argsort(self._rank[tails], kind="stable")])
            if len(found) < self._starts[level + 1] - self._starts[level]:
                found = self._queue(level, found.tolist())
            self._settle(level, found)
        return self._rank

    def _settle(self, level: int, nodes: npt.NDArray[np.int64]) -> None:
        self._rank[nodes] = np.arange(self._starts[level], self._starts[level] + len(nodes))

    def _queue(self, level: int, found: list[int]) -> npt.NDArray[np.int64]:
        """Return the nodes of one distance, of which those that are found come first."""
        tails, heads = self._level_edges.of(level)
        after: dict[int, list[int]] = {}
        for tail, head in zip(tails.tolist(), heads.tolist(), strict=True):
            after.setdefault(tail, []).append(head)
        seen, waiting, order = set(found), deque(found), []
        while waiting:
            node = waiting.popleft()
            order.append(node)
            for head in after.get(node, ()):
                if head not in seen:
                    seen.add(head)
                    waiting.append(head)
        return np.array(order, np.int64)

    def _settle_together(self) -> bool:
        """Put all distances in order again and again until nothing changes; tell whether it came to that."""
        tails, heads = self._upward.tails, self._upward.heads
        index = np.zeros(len(self._rank), np.int64)
        for _ in range(_MOST_ROUNDS):
            order = np.argsort(self._rank[tails], kind="stable")[::-1]
            index[heads[order]] = np.arange(len(order))[::-1]  # the last one stays, which is the first edge
            again = self._by_distance[np.lexsort((index[self._by_distance], self._level[self._by_distance]))]
            first = self._starts[1]
            again[:first] = again[:first][np.argsort(self._rank[again[:first]])]  # the sources are in order
            ranks = np.arange(len(again))
            if np.array_equal(self._rank[again], ranks):
                return True
            self._rank[again] = ranks
        return False


@dataclass(frozen=True)
class _Edges:
    """Edges by the distance of their heads, and where each distance begins."""

    tails: npt.NDArray[np.int64]
    heads: npt.NDArray[np.int64]
    bounds: npt.NDArray[np.int64]

    def of(self, level: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        part = slice(self.bounds[level], self.bounds[level + 1])
        return self.tails[part], self.heads[part]


def _in_order_of_appearance(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    _, first = np.unique(values, return_index=True)
    return values[np.sort(first)]
