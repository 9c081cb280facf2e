"""Whether edges are a spanning forest, decided by the cycle rule where there is no device."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.edges.verify import VerificationError
from reedsp.graph.graph import Graph, edge_sources

_Edge = tuple[int | float, int, int]
"""Weight, negative for the maximum forest, and ends: in the order of edges."""


def verify_forest_on_host(graph: Graph, ends: npt.NDArray[np.int32], weights: npt.NDArray[Any], maximum: bool) -> None:
    """Check what :func:`.verify_forest` does, of ends that are vertices."""
    forest = sorted(_edges(ends[:, 0], ends[:, 1], weights, maximum))
    parents, since = _united(graph, forest)
    left = set(forest)
    tails, heads = edge_sources(graph), graph.indices
    for edge in _edges(np.minimum(tails, heads), np.maximum(tails, heads), graph.weights, maximum):
        _, one, other = edge
        left.discard(edge)
        last: int | float = -1
        while one != other:
            if since[one] > since[other]:
                one, other = other, one
            if (last := since[one]) == math.inf:
                raise _wrong(graph, edge, "no tree holds both of its ends")
            one = parents[one]
        if last >= 0 and edge < forest[int(last)]:
            raise _wrong(graph, edge, "the forest has an edge between its ends that comes later in the order")
    if left:
        edge = min(left)
        raise _wrong(graph, edge, f"the graph has no such edge of weight {-edge[0] if maximum else edge[0]}")


def _edges(smaller: Any, larger: Any, weights: npt.NDArray[Any], maximum: bool) -> list[_Edge]:
    ordered = [-weight for weight in weights.tolist()] if maximum else weights.tolist()
    return list(zip(ordered, smaller.tolist(), larger.tolist(), strict=True))


def _united(graph: Graph, forest: list[_Edge]) -> tuple[list[int], list[int | float]]:
    """Return a parent of each vertex, and which edge of the forest has put it there; later ones are nearer the root."""
    parents, sizes = list(range(graph.n)), [1] * graph.n
    since: list[int | float] = [math.inf] * graph.n
    for number, edge in enumerate(forest):
        roots = []
        for vertex in edge[1:]:
            while parents[vertex] != vertex:
                vertex = parents[vertex]
            roots.append(vertex)
        if roots[0] == roots[1]:
            raise _wrong(graph, edge, "it closes a cycle")
        low, high = sorted(roots, key=sizes.__getitem__)
        parents[low], since[low] = high, number
        sizes[high] += sizes[low]
    return parents, since


def _wrong(graph: Graph, edge: _Edge, fault: str) -> VerificationError:
    return VerificationError(f"edge {tuple(graph.names[vertex] for vertex in edge[1:])!r}: {fault}")
