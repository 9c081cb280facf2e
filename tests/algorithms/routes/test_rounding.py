"""What is to be added to rounded distances, against sums of fractions."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import reedsp
from reedsp.algorithms.contraction.exact import exponent_of
from reedsp.algorithms.routes import k_shortest
from reedsp.algorithms.routes.rounding import MOST, corrections
from tests.support import oracle

WEIGHTS = {
    "tenths": [0.1, 0.2, 0.3],
    "thirds": [1 / 3, 2 / 3, 1.0],
    "of float32": np.array([0.1, 0.7, 0.0], np.float32),
    "near the smallest": [5e-324, 1e-323, 0.0],
    "far apart": [0.01, 123.45, 0.0],
    "negative": [0.1, 0.7, 0.2],
}
EXACT_IN_FLOAT64 = ("of float32", "near the smallest")


@pytest.mark.deep("0-of float32")
@pytest.mark.parametrize("kind", WEIGHTS)
@pytest.mark.parametrize("seed", range(3))
def test_distances_are_exact_with_corrections(kind: str, seed: int, device: reedsp.Device) -> None:
    rng = np.random.default_rng(seed)
    n = 60
    u, v = np.hstack([[range(n - 2), range(1, n - 1)], rng.integers(0, n - 1, (2, 60))])  # none to the last vertex
    weights = rng.choice(WEIGHTS[kind], len(u))
    if kind == "negative":
        potential = rng.integers(-3, 3, n) / 10
        weights = np.maximum(weights + potential[v] - potential[u], potential[v] - potential[u])
    graph = reedsp.Graph.from_edges(n, u, v, weights)
    expected = oracle.distances(n, oracle.edges_of(u, v, weights.tolist(), True), 0)
    dist = reedsp.sssp(graph, 0, device=device).dist
    exponent = exponent_of(graph.weights)
    unit = Fraction(2) ** exponent
    errors = [0 if exact is None else (exact - Fraction(d)) / unit for exact, d in zip(expected, dist, strict=True)]
    _, found = corrections(graph, 0, dist, exponent, int(max(map(abs, errors))) + 1, device)
    assert np.array_equal(found == np.iinfo(np.int64).max, np.isinf(dist))
    assert [each for each, d in zip(found.tolist(), dist, strict=True) if d < np.inf] == [
        error for error, d in zip(errors, dist, strict=True) if d < np.inf
    ]
    assert any(errors) != (kind in EXACT_IN_FLOAT64)


@pytest.mark.parametrize(("large", "is_corrected"), [(1e16, True), (1e30, False)])
def test_weights_too_far_apart_are_searched_as_ever(
    large: float, is_corrected: bool, device: reedsp.Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(k_shortest, "_FEW", 1)
    called: list[Any] = []
    monkeypatch.setattr(k_shortest, "corrections", lambda *asked: called.append(asked) or corrections(*asked))
    ends = ([0, 0, 1, 2, 0, 5], [1, 2, 3, 3, 5, 3])
    graph = reedsp.Graph.from_edges(6, *ends, [large, large, 0.125, 2**-10, large, 2**-10])
    assert list(reedsp.yen(graph, 0, 3, 5, device=device).routes) == [[0, 2, 3], [0, 5, 3], [0, 1, 3]]
    assert len(called) == is_corrected
    assert all(most <= MOST for *_, most, _ in called)
