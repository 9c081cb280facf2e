"""The k shortest simple paths of a small graph on the host, in the order of :func:`reedsp.yen`.

An edge's slack is what a path loses by it: dist[u] + w - dist[v], never negative. So the ends of paths, extended
backwards from the target in the order of the slacks on them, arrive at the source in the order of their weights.
"""

from __future__ import annotations

import heapq
from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.graph.graph import EXACT_IN_FLOAT64

_PATIENCE = 600
"""Extensions before the search is given up: most of them may lead into the paths themselves."""

_Path = tuple[int, ...]


def shortest_simple_paths(
    matrix: Any, dist: npt.NDArray[np.float64], source: int, target: int, count: int
) -> list[tuple[float, _Path]] | None:
    """Return weights and vertices of the shortest simple paths; None if that takes too long.

    Parameters
    ----------
    matrix : CSR matrix of float64
        Checked: its weights are integers that are not negative, of which float64 holds sums, and no edges are parallel.
    dist : ndarray, shape (n,)
        Distances from the source.
    source, target : int
        Different vertices.
    count : int
        Number of paths; fewer are found if there are no more.
    """
    if dist[target] == np.inf:
        return []
    if 2 * len(dist) * matrix.data.max() > EXACT_IN_FLOAT64:
        return None
    columns = matrix.tocsc()
    into: dict[int, tuple[list[float], list[int]]] = {}
    heap: list[tuple[float, _Path, int, float]] = []

    def add(before: float, end: _Path, index: int) -> None:
        """Add the first extension of the end of a path, by the edges from an index on, to a vertex not on it."""
        vertex = end[0]
        if vertex not in into:
            first, last = columns.indptr[vertex : vertex + 2]
            tails = columns.indices[first:last]
            slacks = dist.take(tails) + columns.data[first:last] - dist[vertex]
            order = slacks.argsort()
            into[vertex] = slacks.take(order).tolist(), tails.take(order).tolist()
        slacks_there, tails_there = into[vertex]
        while index < len(tails_there) and tails_there[index] in end:
            index += 1
        if index < len(tails_there) and slacks_there[index] < np.inf:
            heapq.heappush(heap, (before + slacks_there[index], end, index, before))

    found: list[tuple[float, int, _Path]] = []
    add(float(dist[target]), (target,), 0)
    for _ in range(_PATIENCE):
        # Of equally long paths all are found, before they are put in order.
        if not heap or (len(found) >= count and heap[0][0] > found[-1][0]):
            return [(weight, path) for weight, _, path in sorted(found)[:count]]
        weight, end, index, before = heapq.heappop(heap)
        path = into[end[0]][1][index], *end
        if path[0] == source:
            found.append((weight, len(path), path))
        else:
            add(weight, path, 0)
        add(before, end, index + 1)
    return None
