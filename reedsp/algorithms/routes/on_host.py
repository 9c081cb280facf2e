"""The k shortest simple paths of a small graph on the host, in the order of :func:`reedsp.yen`.

An edge's slack is what a path loses by it: dist[u] + w - dist[v], never negative. No path that ends as another does is
before that end with the first path to its beginning. So ends are made longer in the order of the slacks on them, and
each stands for the first path that ends so, unless that visits a vertex twice.

Of fractions the distances are rounded. Where that may hide which of two paths is the shorter one, and it matters, a
device is left to find out.
"""

from __future__ import annotations

import heapq
import itertools
import math
from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.algorithms.routes.first_paths import before_on_first_paths
from reedsp.graph.graph import EXACT_IN_FLOAT64

_PATIENCE = 100
"""Ends that are looked at for each path before the search is given up: most of them may lead into the paths."""

_UNCERTAIN = -1
"""What is before a vertex where rounding may hide which one is."""

_Path = tuple[int, ...]


def shortest_simple_paths(
    matrix: Any,
    source: int,
    target: int,
    count: int,
    dist: npt.NDArray[np.float64],
    pred: npt.NDArray[np.int32],
    is_exact: bool,
) -> list[tuple[float, _Path]] | None:
    """Return weights and vertices of the shortest simple paths; None if that takes too long, or rounding hides them.

    Parameters
    ----------
    matrix : CSR matrix of float64
        Checked: no edges are parallel, columns ascend, and no cycle has a negative weight.
    source, target : int
        Different vertices.
    count : int
        Number of paths; fewer are found if there are no more.
    dist, pred : ndarray, shape (n,)
        Distances from the source, and the vertices before each one on some shortest paths.
    is_exact : bool
        Whether weights are integers.
    """
    if dist[target] == np.inf:
        return []
    heaviest = float(np.abs(matrix.data).max())
    if is_exact and 2 * len(dist) * heaviest > EXACT_IN_FLOAT64:
        return None
    # Of the sums along a path, and of its slacks.
    error = 0.0 if is_exact else 2.0**-50 * (len(dist) + 1) ** 2 * heaviest
    search = _Search(matrix, source, dist, pred, error)
    if count > 1:
        found = search.paths_to(target, count)
    else:
        first = search.first_path(target)
        found = None if first is None else [(float(dist[target]), first)]
    return found if is_exact or found is None else _in_exact_order(matrix, [path for _, path in found], count)


class _Search:
    """Paths from one vertex.

    Parameters
    ----------
    matrix, source, dist, pred
        As for :func:`shortest_simple_paths`.
    error : float
        More than sums are rounded by; 0 if they are exact.
    """

    def __init__(
        self, matrix: Any, source: int, dist: npt.NDArray[np.float64], pred: npt.NDArray[np.int32], error: float
    ) -> None:
        self._indptr, self._heads = matrix.indptr, matrix.indices
        self._source, self._dist, self._error = source, dist, error
        # What an edge leads to, and inf where it comes from nowhere.
        self._after = dist.repeat(self._indptr[1:] - self._indptr[:-1])
        is_reached = self._after < np.inf
        self._after += matrix.data
        self._is_tight = (self._after <= dist.take(self._heads) + error) & is_reached
        ways = np.bincount(self._heads.compress(self._is_tight), minlength=len(dist))
        self._before: Any = pred.copy()
        self._before[ways > 1] = _UNCERTAIN
        self._into: dict[int, tuple[list[float], list[int]]] = {}
        # The weight of a path, its number of vertices, itself, and its end, which others have in common; or, for paths
        # that are not known yet, a bound, 0, no path, their common end, the index of the next edge into that, the
        # vertex that must not come before it, and the weight of the first path with this end.
        self._heap: list[Any] = []
        self._order = itertools.count()

    def first_path(self, target: int) -> _Path | None:
        """Return the first path to a vertex that can be reached; None if it is uncertain."""
        path, before = [target], memoryview(self._before)
        while path[-1] != self._source:
            vertex = before[path[-1]]
            if vertex == _UNCERTAIN:
                if self._error:
                    return None
                self._before = before_on_first_paths(self._indptr, self._heads, self._is_tight, self._source)
                return self.first_path(target)
            path.append(vertex)
        path.reverse()
        return tuple(path)

    def paths_to(self, target: int, count: int) -> list[tuple[float, _Path]] | None:
        """Return the first paths by the sums there are, and those that are too close to the last of them to say."""
        found: list[tuple[float, _Path]] = []
        if not self._add_first(float(self._dist[target]), (), target):
            return None
        for _ in range(_PATIENCE * count):
            if not self._heap or (len(found) >= count and self._heap[0][0] >= found[count - 1][0] + 2 * self._error):
                return found
            weight, vertices, path, _, end, *others = heapq.heappop(self._heap)
            if not vertices:
                index, banned, of_end = others
                tail = self._edges_into(end[0])[1][index]
                if not self._add_first(weight, end, tail):
                    return None
                self._add_others(of_end, end, index + 1, banned)
            elif len(set(path)) < vertices:
                self._add_others(weight, end, 0, _UNCERTAIN)
            else:
                found.append((weight, path))
                for first in range(vertices - len(end), 0, -1):
                    self._add_others(weight, path[first:], 0, path[first - 1])
        return None

    def _add_first(self, weight: float, end: _Path, tail: int) -> bool:
        """Add the first path that leads by way of a vertex to an end; tell whether it is certain."""
        if (first := self.first_path(tail)) is None:
            return False
        heapq.heappush(self._heap, (weight, len(first) + len(end), first + end, next(self._order), (tail, *end)))
        return True

    def _add_others(self, weight: float, end: _Path, index: int, banned: int) -> None:
        """Add the paths with an end, whose first one has some weight, by the edges into it from an index on."""
        slacks, tails = self._edges_into(end[0])
        while index < len(tails) and (tails[index] == banned or tails[index] in end):
            index += 1
        if index < len(tails) and slacks[index] < np.inf:
            entry = weight + slacks[index], 0, (), next(self._order), end, index, banned, weight
            heapq.heappush(self._heap, entry)

    def _edges_into(self, vertex: int) -> tuple[list[float], list[int]]:
        """Return the slacks of the edges into a vertex, in order, and where they come from."""
        if vertex not in self._into:
            edges = (self._heads == vertex).nonzero()[0]
            slacks = self._after.take(edges) - self._dist[vertex]
            order = slacks.argsort()
            tails = self._indptr.searchsorted(edges.take(order), "right") - 1
            self._into[vertex] = slacks.take(order).tolist(), tails.tolist()
        return self._into[vertex]


def _in_exact_order(matrix: Any, paths: list[_Path], count: int) -> list[tuple[float, _Path]] | None:
    """Return paths in the order of their exact weights, which are rounded once; None if two are equal then."""
    n = matrix.shape[0]
    keys = np.arange(n).repeat(matrix.indptr[1:] - matrix.indptr[:-1]) * n + matrix.indices
    found = []
    for path in paths:
        vertices = np.array(path)
        edges = keys.searchsorted(vertices[:-1] * n + vertices[1:])
        found.append((math.fsum(matrix.data.take(edges).tolist()), path))
    found.sort()
    if any(one == other for (one, _), (other, _) in itertools.pairwise(found[: count + 1])):
        return None
    return found[:count]
