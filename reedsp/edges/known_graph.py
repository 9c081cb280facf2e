"""A small graph with known distances, which solvers are tried on before they are trusted."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.graph.graph import Graph, edge_sources

SOURCE = 0
"""From which distances are known."""

_VERTICES, _OUT_OF_REACH, _HUB = 600, 10, 5
_LARGEST_LENGTH, _LARGEST_HEIGHT = 50, 1000


def known_graph(fractional: bool, negative: bool) -> tuple[Graph, npt.NDArray[Any]]:
    """Return a graph and the distances of its vertices from the first one, inf where there is no path.

    It has several work-groups of vertices and a rest, one vertex with hundreds of edges, edges that weigh nothing,
    and vertices that cannot be reached.

    Parameters
    ----------
    fractional : bool
        Weights are multiples of a half, rather than whole.
    negative : bool
        Some weights are negative; no cycle is.
    """
    rng = np.random.default_rng(2012)
    reachable = _VERTICES - _OUT_OF_REACH
    sources = np.concatenate([rng.integers(0, _VERTICES, 3 * _VERTICES), np.full(reachable, _HUB)])
    targets = np.concatenate([rng.integers(0, reachable, 3 * _VERTICES), np.arange(reachable)])
    lengths = rng.integers(0, _LARGEST_LENGTH, len(sources))
    heights = rng.integers(0, _LARGEST_HEIGHT, _VERTICES) if negative else np.zeros(_VERTICES, np.int64)
    weights = lengths + heights[sources] - heights[targets]
    expected = _distances(sources, targets, weights)
    if not fractional:
        return Graph.from_edges(_VERTICES, sources, targets, weights), expected
    return Graph.from_edges(_VERTICES, sources, targets, weights / 2), expected / 2


def known_levels() -> tuple[Graph, npt.NDArray[Any], npt.NDArray[np.int32]]:
    """Return that graph with weights of 1, the distances, and for each vertex the first that it is reached from.

    Where there is none the last array holds -9999.
    """
    graph, _ = known_graph(fractional=False, negative=False)
    sources, targets = edge_sources(graph), graph.indices
    levels = _distances(sources, targets, np.ones(graph.m))
    before = np.full(graph.n, graph.n)
    tight = np.isfinite(levels[targets]) & (levels[sources] + 1 == levels[targets])
    np.minimum.at(before, targets[tight], sources[tight])
    return graph, levels, np.where(before == graph.n, -9999, before).astype(np.int32)


def is_known_tree(
    dist: npt.NDArray[Any], pred: npt.NDArray[np.int32], infinity: Any, graph: Graph, expected: npt.NDArray[Any]
) -> bool:
    """Return whether these are the distances, and each reached vertex has a predecessor by way of which it is that far.

    Parameters
    ----------
    dist, pred : ndarray, shape (n,)
    infinity
        What stands for "no path" in `dist`.
    graph, expected
        As :func:`known_graph` returns them.
    """
    if not np.array_equal(np.where(dist == infinity, np.inf, dist.astype(np.float64)), expected):
        return False
    has_one = np.isfinite(expected)
    has_one[SOURCE] = False
    if not np.array_equal(pred >= 0, has_one):
        return False
    targets = np.flatnonzero(has_one)
    sources = edge_sources(graph)
    edges = dict(zip(zip(sources.tolist(), graph.indices.tolist(), strict=True), graph.weights.tolist(), strict=True))
    weights = [edges.get((before, after), np.inf) for before, after in zip(pred[targets], targets, strict=True)]
    return np.array_equal(expected[pred[targets]] + weights, expected[targets])


def _distances(sources: Any, targets: Any, weights: Any) -> npt.NDArray[np.float64]:
    """Relax all edges until nothing changes."""
    dist = np.full(_VERTICES, np.inf)
    dist[SOURCE] = 0
    while True:
        shorter = dist.copy()
        np.minimum.at(shorter, targets, dist[sources] + weights)
        if np.array_equal(shorter, dist):
            return dist
        dist = shorter
