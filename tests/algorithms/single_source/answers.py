"""What searches have to find, and checks that several kernels share."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import scipy.sparse.csgraph

import reedsp
from reedsp.arithmetic.paths import Arithmetic, ceiling_of, choose_arithmetic
from tests.support import oracle
from tests.support.families import named

INT64, FLOAT64 = np.dtype(np.int64), np.dtype(np.float64)


def random_graph(n: int, m: int, seed: int, high: int = 1000) -> reedsp.Graph:
    rng = np.random.default_rng(seed)
    return reedsp.Graph.from_edges(n, *rng.integers(0, n, (2, m)), rng.integers(0, high, m))


def references(graph: reedsp.Graph, sources: int | list[int]) -> np.ndarray:
    """Distances by SciPy, which takes stored zeros for edges of weight 0."""
    return scipy.sparse.csgraph.dijkstra(graph.to_scipy(), indices=sources)


@functools.cache
def expected(name: str, start: int) -> list[Any]:
    return oracle.distances(named(name).n, named(name).edges, start)


def nearest(name: str, starts: Iterable[int]) -> list[Any]:
    """Return the distance from the nearest start."""
    columns = zip(*(expected(name, start) for start in starts), strict=True)
    return [min((d for d in column if d is not None), default=None) for column in columns]


def exact(row: np.ndarray, arithmetic: Arithmetic) -> list[Any]:
    return [None if d == arithmetic.infinity else d for d in row.tolist()]


def check_ceilings(solve: Callable[..., np.ndarray]) -> None:
    """Of a search that takes a graph, an arithmetic and starts: what is beyond a cutoff is not reached."""
    family = named("random")
    graph = family.graph()
    full = expected(family.name, family.source)
    reached = sorted(d for d in full if d is not None)
    for arithmetic in (choose_arithmetic(graph, INT64), Arithmetic(FLOAT64)):
        for cutoff in (0, int(reached[len(reached) // 2]), int(reached[-1]), int(reached[-1]) + 1):
            (row,) = solve(graph, arithmetic, [[family.source]], ceiling=ceiling_of(cutoff, arithmetic))
            assert exact(row, arithmetic) == [d if d is not None and d <= cutoff else None for d in full]


def check_targets(name: str, solve: Callable[..., np.ndarray]) -> None:
    """Distances up to that of the target are final, and the others are not too small."""
    family = named(name)
    graph = family.graph()
    arithmetic = choose_arithmetic(graph, INT64)
    full = expected(name, family.source)
    for target in range(0, family.n, 1 + family.n // 8):
        (row,) = solve(graph, arithmetic, [[family.source]], target=target)
        bound = float("inf") if full[target] is None else full[target]
        for found, right in zip(exact(row, arithmetic), full, strict=True):
            if right is not None and right <= bound:
                assert found == right
            else:
                assert found is None or (right is not None and found >= right)
