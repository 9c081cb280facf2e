"""Edges both ways: as a graph that is not directed has them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse

import reedsp
from reedsp.csgraph import dijkstra
from reedsp.csgraph.matrix import graph_of
from reedsp.csgraph.undirected import both_ways
from reedsp.device.device import Device

WEIGHTS: dict[str, Any] = {
    "whole": lambda rng, m: rng.integers(0, 5, m).astype(np.float64),
    "fractions": lambda rng, m: rng.random(m),
    "zeros with a sign": lambda rng, m: np.where(rng.random(m) < 0.5, -0.0, 1.0),
    "tiny and huge": lambda rng, m: 10.0 ** rng.integers(-320, 308, m),
    "int16": lambda rng, m: rng.integers(0, 5, m).astype(np.int16),
    "bool": lambda rng, m: rng.random(m) < 0.5,
    "float32": lambda rng, m: rng.random(m).astype(np.float32),
}


@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize("weights", WEIGHTS.values(), ids=WEIGHTS)
def test_as_a_graph_has_them(weights: Any, symmetric: bool) -> None:
    for seed in range(10):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(1, 30))
        ends = rng.integers(0, n, (2, 4 * n))
        if symmetric:
            ends = np.concatenate((ends, ends[::-1]), axis=1)
        different = np.unique(ends[0] * n + ends[1])
        tails, heads = different // n, different % n
        matrix = scipy.sparse.csr_array((weights(rng, len(tails)), (tails, heads)), shape=(n, n))
        expected = reedsp.Graph.from_edges(n, tails, heads, matrix.data.astype(np.float64), directed=False)
        found = both_ways(matrix.indptr, matrix.indices, matrix.data)
        assert found is not None
        assert found[0].tolist() == expected.indptr.tolist()
        assert found[1].tolist() == expected.indices.tolist()
        assert found[2].tobytes() == expected.weights.astype(np.float64).tobytes()


def test_a_graph_of_them(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REEDSP_DEVICE", str(device.index))
    matrix = scipy.sparse.csr_array(np.array([[3.0, 5, 0], [2, 0, 0], [0, 7, 0]]))
    graph = graph_of(matrix, directed=False)
    assert (graph.directed, graph.m) == (False, 5)
    assert sorted(graph.edges()) == [(0, 0, 3), (0, 1, 2), (1, 2, 7)]
    assert dijkstra(matrix, directed=False, indices=2).tolist() == [9, 7, 0]
    assert dijkstra(matrix, directed=False, indices=2, unweighted=True).tolist() == [2, 1, 0]


@pytest.mark.parametrize("weight", [-1, np.inf, np.nan])
def test_what_is_for_others(weight: float) -> None:
    """Weights that are negative or no numbers, columns in no order or twice, and integers that float64 may not hold."""
    matrix = scipy.sparse.csr_array(np.array([[0, 1.0, 4], [0, 0, 2], [0, 0, 0]]))
    arrays = matrix.indptr, matrix.indices, matrix.data
    assert both_ways(*arrays) is not None
    assert both_ways(*arrays[:2], np.array([1, weight, 2])) is None
    assert both_ways(*arrays[:2], matrix.data.astype(np.int64)) is None
    assert both_ways(arrays[0], np.array([2, 1, 2], np.int32), arrays[2]) is None
    assert both_ways(arrays[0], np.array([1, 1, 2], np.int32), arrays[2]) is None
