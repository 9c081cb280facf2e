"""Shortest paths in tiny graphs by a heap of Python's own, which is done before SciPy has looked at its arguments."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from heapq import heappop, heappush
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from reedsp.edges.device_graph import NO_VERTEX


class Tree(NamedTuple):
    """Shortest paths from the nearest of some vertices.

    Attributes
    ----------
    dist : ndarray of float64, shape (n,)
        inf where there is no path.
    pred : ndarray of int32, shape (n,)
        The vertex before the last one on each path, NO_VERTEX for the starts and where there is no path.
    source : ndarray of int32, shape (n,)
        Where each path starts, NO_VERTEX where there is none.
    """

    dist: npt.NDArray[np.float64]
    pred: npt.NDArray[np.int32]
    source: npt.NDArray[np.int32]


def search_by_hand(
    matrix: Any,
    starts: Iterable[int],
    limit: float = np.inf,
    unweighted: bool = False,
    directed: bool = True,
) -> Tree:
    """Return the shortest paths from the nearest start, by the rule of :func:`.trees`.

    Parameters
    ----------
    matrix : CSR matrix of float64
        Checked: every edge makes a path longer, unless each weighs 1.
    starts : iterable of int
        Vertices.
    limit : float
        Leave out what is farther away.
    unweighted : bool
        Have every edge weigh 1.
    directed : bool
        False makes each edge usable in both directions.
    """
    return _tree(_edges_of_each(matrix, unweighted, directed), starts, limit)


def search_each_by_hand(
    matrix: Any, sources: Iterable[int], limit: float, unweighted: bool, directed: bool
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int32]]:
    """Return distances and predecessors from each source, both of shape (sources, n).

    Before all others it takes the source, if an edge from that is a shortest path. Parameters as for
    :func:`search_by_hand`.
    """
    leading = _edges_of_each(matrix, unweighted, directed)
    trees = [_tree(leading, [source], limit, direct=True) for source in sources]
    return np.array([tree.dist for tree in trees]), np.array([tree.pred for tree in trees])


def _edges_of_each(matrix: Any, unweighted: bool, directed: bool) -> list[list[tuple[int, float]]]:
    """Return heads and weights of the edges of each vertex."""
    pointers, heads = matrix.indptr.tolist(), matrix.indices.tolist()
    weights = itertools.repeat(1.0) if unweighted else matrix.data.tolist()
    edges = list(zip(heads, weights, strict=False))
    leading = [edges[first:last] for first, last in itertools.pairwise(pointers)]
    if not directed:
        _lead_back(leading)
    return leading


def _tree(leading: list[list[tuple[int, float]]], starts: Iterable[int], limit: float, *, direct: bool = False) -> Tree:
    """Return the shortest paths from the nearest start, along edges that lead from each vertex."""
    n = len(leading)
    dist, pred, source = [math.inf] * n, [NO_VERTEX] * n, [NO_VERTEX] * n
    waiting, kept = [], NO_VERTEX
    for start in starts:
        dist[start], source[start] = 0.0, start
        waiting.append((0.0, start))
        kept = start if direct else NO_VERTEX
    while waiting:
        reached, tail = heappop(waiting)
        if reached > dist[tail]:
            continue  # by a path that another one is shorter than
        if (before := pred[tail]) >= 0:
            source[tail] = source[before]
        for head, weight in leading[tail]:
            after = reached + weight
            if after < dist[head]:
                if after <= limit:
                    dist[head], pred[head] = after, tail
                    heappush(waiting, (after, head))
            elif after == dist[head] and tail < pred[head] != kept:
                pred[head] = tail
    return Tree(np.array(dist), np.array(pred, np.int32), np.array(source, np.int32))


def _lead_back(leading: list[list[tuple[int, float]]]) -> None:
    """Add the edges of the other direction to those of each vertex."""
    for tail, edges in enumerate([list(own) for own in leading]):
        for head, weight in edges:
            leading[head].append((tail, weight))
