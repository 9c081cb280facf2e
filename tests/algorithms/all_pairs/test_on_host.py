"""Small graphs' distances between all pairs, and trees, are the same whichever way the host finds them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse
from scipy.sparse.csgraph import floyd_warshall

from reedsp.algorithms.all_pairs import on_host
from reedsp.algorithms.single_source.host.trees import trees

WAYS = {
    "ties": {"_IN_DEGREE": 1000},
    "keys": {"_IN_DEGREE": 0, "_RELAXATIONS": 0},
}


def small_graphs(heaviest: int) -> list[Any]:
    """Return connected ones and others, with loops and many ties."""
    rng = np.random.default_rng(heaviest)
    found = []
    for n in (1, 2, 3, 8, 31, 32, 33, 70):
        for m in (1, n, 2 * n, 10 * n):
            weights = np.zeros((n, n))
            weights[tuple(rng.integers(0, n, (2, m)))] = rng.integers(1, heaviest, m, endpoint=True)
            found.append(scipy.sparse.csr_array(weights))
    return found


@pytest.mark.parametrize("heaviest", [1, 4, 70_000, 2**31, 2**44])
@pytest.mark.parametrize("way", WAYS)
def test_each_way(way: str, heaviest: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in WAYS[way].items():
        monkeypatch.setattr(on_host, name, value)
    for matrix in small_graphs(heaviest):
        expected = floyd_warshall(matrix)
        edges = matrix.indptr, matrix.indices, matrix.data
        tree = trees(*edges, expected, [[source] for source in range(matrix.shape[0])], direct=True)
        dist, pred = on_host.floyd_warshall(matrix, False, True)
        np.testing.assert_array_equal(dist, expected, strict=True)
        np.testing.assert_array_equal(pred, tree, strict=True)


@pytest.mark.parametrize("way", WAYS)
def test_distances_that_differ_by_65536(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in WAYS[way].items():
        monkeypatch.setattr(on_host, name, value)
    weights = np.array([[0, 1, 2, 65538], [0, 0, 0, 65540], [0, 0, 0, 3], [0, 0, 0, 0]], float)
    dist, pred = on_host.floyd_warshall(scipy.sparse.csr_array(weights), False, True)
    assert (dist[0].tolist(), pred[0].tolist()) == ([0, 1, 2, 5], [-9999, 0, 0, 2])


@pytest.mark.parametrize("way", WAYS)
def test_unweighted(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in WAYS[way].items():
        monkeypatch.setattr(on_host, name, value)
    edges = np.array([0.0, 5, 5]), np.array([1, 2, 2]), np.array([0, 2, 3, 3])
    dist, pred = on_host.floyd_warshall(scipy.sparse.csr_array(edges, shape=(3, 3)), True, True)
    assert dist.tolist() == [[0, 1, 1], [np.inf, 0, 1], [np.inf, np.inf, 0]]
    assert pred.tolist() == [[-9999, 0, 0], [-9999, -9999, 1], [-9999] * 3]


@pytest.mark.parametrize("n", [12, 60])
def test_parallel_edges_that_no_flag_tells_of(n: int) -> None:
    """Columns that were changed in place, after SciPy had seen that they were in order."""
    rng = np.random.default_rng(n)
    matrix = scipy.sparse.csr_array(rng.integers(1, 50, (n, n)).astype(np.float64))
    assert matrix.has_canonical_format
    matrix.indices[1::n] = matrix.indices[0::n]
    assert matrix.has_canonical_format
    least = np.full((n, n), np.inf)
    np.minimum.at(least, (np.repeat(np.arange(n), n), matrix.indices), matrix.data)
    dist, pred = on_host.floyd_warshall(matrix, False, True)
    expected = on_host.floyd_warshall(scipy.sparse.csr_array(np.where(least < np.inf, least, 0)), False, True)
    np.testing.assert_array_equal(dist, expected[0])
    np.testing.assert_array_equal(pred, expected[1])
