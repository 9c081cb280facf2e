"""Small random graphs of every kind, all of their simple paths, and graphs as text."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np

import reedsp
from tests.support import oracle

KINDS = ("zero and small", "fractional", "negative", "negative fractions", "unit", "undirected")


def graph_of(kind: str, seed: int) -> tuple[reedsp.Graph, list[oracle.Edge]]:
    """A small graph with parallel edges, loops, ties and vertices out of reach, and its edges."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 9))
    u, v = rng.integers(0, n, (2, int(rng.integers(0, 3 * n + 1))))
    potential = rng.integers(-9, 9, n)
    weights: Any = rng.integers(0, 3, len(u))
    if kind == "fractional":
        weights = rng.choice([0.1, 0.2, 0.3, 0.0], len(u))
    elif kind == "negative":
        weights = weights + potential[v] - potential[u]
    elif kind == "negative fractions":
        weights = (weights + potential[v] - potential[u]) / 8
    elif kind == "unit":
        weights = np.ones(len(u), np.int64)
    directed = kind != "undirected"
    edges = oracle.edges_of(u, v, weights.tolist(), directed)
    return reedsp.Graph.from_edges(n, u, v, weights, directed), edges


def simple_paths(n: int, edges: list[oracle.Edge], source: int, target: int) -> Iterator[tuple[Fraction, list[int]]]:
    """All of them, by trying every way."""
    least: dict[tuple[int, int], Fraction] = {}
    for u, v, weight in edges:
        least[u, v] = min(weight, least.get((u, v), weight))

    def go(path: list[int], weight: Fraction) -> Iterator[tuple[Fraction, list[int]]]:
        if path[-1] == target:
            yield weight, path
            return
        for v in range(n):
            if v not in path and (path[-1], v) in least:
                yield from go([*path, v], weight + least[path[-1], v])

    return go([source], Fraction(0))


def text_of_graph(graph: reedsp.Graph) -> str:
    """The lines that :func:`reedsp.io.texts.graph_of_text` reads; vertices are called by numbers."""
    names = list(graph.names)
    lines = ["directed"] * graph.directed
    for vertex, name in enumerate(names):
        row = slice(int(graph.indptr[vertex]), int(graph.indptr[vertex + 1]))
        pairs = zip(graph.indices[row].tolist(), graph.weights[row].tolist(), strict=True)
        lines.append(" ".join([f"{name} :", *(f"{names[end]}={weight!r}" for end, weight in pairs)]))
    return "\n".join(lines)
