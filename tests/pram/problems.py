"""Inputs of the programs of the thesis, with the answers of numpy and SciPy."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse
import scipy.sparse.csgraph

from reedsp import pram
from reedsp.pram import examples


@dataclass(frozen=True)
class Problem:
    """A program, its processors, what it is given, and what has to hold of its result."""

    program: pram.Program
    n: int
    given: dict[str, Any]
    check: Callable[[Mapping[str, Any]], None]


def equal(**expected: Any) -> Callable[[Mapping[str, Any]], None]:
    """Return a check that arrays begin with what is expected."""

    def check(result: Mapping[str, Any]) -> None:
        for name, values in expected.items():
            np.testing.assert_array_equal(result[name][: len(values)], values)

    return check


def problems(seed: int, large: bool = False) -> Iterator[Problem]:
    """Yield a problem for each program of the thesis."""
    rng = np.random.default_rng(seed)
    length = int(rng.integers(200, 400)) if large else int(rng.integers(1, 20))
    values = rng.integers(-99, 99, length)
    power = rng.integers(-99, 99, 1 << (9 if large else seed % 5 + 1))
    yield Problem(examples.total, len(power) // 2, {"A": power}, equal(A=[power.sum()]))
    pairs = rng.integers(-9, 9, (2, length))
    given = {"A": pairs[0], "B": pairs[1]}
    yield Problem(examples.sorted_pairs, length, given, equal(A=pairs.min(axis=0), B=pairs.max(axis=0)))
    yield Problem(examples.reduction, (length + 1) // 2, {"A": values}, equal(A=[values.sum()]))
    yield Problem(examples.scan, length, {"A": values}, equal(A=values.cumsum()))
    yield Problem(examples.efficient_scan, (length + 1) // 2, {"A": values}, equal(A=values.cumsum()))
    one, other = (np.sort(rng.integers(0, 9, rng.integers(1, length + 1))) for _ in range(2))
    both = np.concatenate([one, other])
    given = {"A": one, "B": other, "C": np.zeros(len(both), int)}
    yield Problem(examples.merge, len(both), given, equal(C=np.sort(both)))
    yield _floyd_warshall(rng, 12 if large else int(rng.integers(1, 7)))
    n = 24 if large else int(rng.integers(1, 12))
    yield _components(rng, n)
    yield _spanning_tree(rng, n)
    yield _matching(rng, 12 if large else 5)


def _floyd_warshall(rng: np.random.Generator, m: int) -> Problem:
    far = 1 << 40
    weights = rng.integers(1, 9, (m, m))
    weights[rng.random((m, m)) < 0.5] = far
    np.fill_diagonal(weights, 0)
    graph = np.where(weights < far, weights, np.inf)
    expected = scipy.sparse.csgraph.floyd_warshall(np.ma.masked_invalid(graph)).ravel()

    def check(result: Mapping[str, Any]) -> None:
        np.testing.assert_array_equal(np.where(result["A"] < far, result["A"], np.inf), expected)

    return Problem(examples.floyd_warshall, m * m, {"m": m, "A": weights.ravel()}, check)


def _least_vertices(matrix: Any) -> Any:
    _, labels = scipy.sparse.csgraph.connected_components(matrix, directed=False)
    return np.array([np.flatnonzero(labels == label)[0] for label in labels])


def _components(rng: np.random.Generator, n: int) -> Problem:
    edges = rng.random((n, n)) < 0.7 / n
    edges |= edges.T
    given = {"A": edges.ravel(), "C": np.zeros(n, int)}
    return Problem(examples.components, n, given, equal(C=_least_vertices(edges)))


def _spanning_tree(rng: np.random.Generator, n: int) -> Problem:
    """Weights of 1 to 3, so that many are equal: their ranks are a total order."""
    ends = np.argwhere(np.triu(rng.random((n, n)) < 2.5 / n, 1))
    weights = rng.integers(1, 4, len(ends))
    ranks = np.full((n, n), len(ends))
    matrix = np.zeros((n, n))
    for rank, edge in enumerate(np.lexsort((ends[:, 1], ends[:, 0], weights))):
        i, j = ends[edge]
        ranks[i, j] = ranks[j, i] = rank
        matrix[i, j] = weights[edge]
    tree = scipy.sparse.csgraph.minimum_spanning_tree(matrix)
    labels = _least_vertices(matrix)

    def check(result: Mapping[str, Any]) -> None:
        marked = result["F"].reshape(n, n)
        assert (marked == marked.T).all()
        assert np.triu(marked).sum() == n - len(set(labels.tolist()))
        assert (matrix * np.triu(marked)).sum() == tree.sum()
        np.testing.assert_array_equal(_least_vertices(marked), labels)
        pairs = set(zip(result["C"].tolist(), labels.tolist(), strict=True))
        assert len(pairs) == len(set(labels.tolist())) == len(set(result["C"].tolist()))

    given = {"edges": len(ends), "W": ranks.ravel(), "F": np.zeros(n * n, bool), "C": np.zeros(n, int)}
    return Problem(examples.spanning_tree, n, given, check)


def _matching(rng: np.random.Generator, most: int) -> Problem:
    balls, bins = (int(each) for each in rng.integers(1, most + 1, 2))
    matrix = scipy.sparse.csr_array(rng.random((balls, bins)) < 0.4)
    other = scipy.sparse.csr_array(matrix.T)
    other.sort_indices()
    maximum = (scipy.sparse.csgraph.maximum_bipartite_matching(matrix) >= 0).sum()

    def check(result: Mapping[str, Any]) -> None:
        ball_of = {int(x): u for u, x in enumerate(result["MU"]) if x >= 0}
        assert len(ball_of) == maximum == (result["MU"] >= 0).sum()
        assert all(matrix[u, x] for x, u in ball_of.items())
        assert {x: int(u) for x, u in enumerate(result["MV"]) if u >= 0} == ball_of

    given = {
        "balls": balls,
        "bins": bins,
        "rounds": 8 * most,
        "IU": matrix.indptr,
        "SU": matrix.indices,
        "IV": other.indptr,
        "SV": other.indices,
        "MU": np.zeros(balls, int),
        "MV": np.zeros(bins, int),
    }
    return Problem(examples.matching, max(balls, bins), given, check)
