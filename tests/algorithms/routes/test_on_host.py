"""The k shortest simple paths of small graphs give the same bytes on the host and on a device."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse

import reedsp
import reedsp.csgraph
from reedsp.algorithms.routes import on_host
from reedsp.cost_model import place
from reedsp.csgraph import searches
from reedsp.device.job import Launched
from tests.support.families import FAMILIES, Family

LARGEST = 1500  # edges


def simple_paths(weights: Any, source: int, target: int) -> list[tuple[float, int, tuple[int, ...]]]:
    """Return all simple paths in the order of reedsp.yen."""
    found = []
    ends = [(0.0, (source,))]
    while ends:
        weight, path = ends.pop()
        if path[-1] == target:
            found.append((weight, len(path), path))
            continue
        for v in np.flatnonzero(weights[path[-1]]).tolist():
            if v not in path:
                ends.append((weight + weights[path[-1], v], (*path, v)))
    return sorted(found)


def rows_of(paths: list[Any], n: int) -> np.ndarray[Any, Any]:
    rows = np.full((len(paths), n), -9999, np.int32)
    for row, (*_, path) in zip(rows, paths, strict=True):
        row[list(path[1:])] = path[:-1]
    return rows


@pytest.mark.parametrize("search", [-1e9, 1e9], ids=["our search", "SciPy first"])
@pytest.mark.parametrize("heaviest", [1, 3, 1000])
def test_all_simple_paths_of_random_graphs(
    search: float, heaviest: int, serves: None, launches: list[Launched], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(place, "_SEARCH", search)
    monkeypatch.setattr(on_host, "_PATIENCE", 10**6)
    rng = np.random.default_rng(heaviest)
    for _ in range(150):
        n = int(rng.integers(2, 8))
        weights = np.zeros((n, n))
        u, v = rng.integers(0, n, (2, int(rng.integers(1, n * n + 2))))
        weights[u, v] = rng.integers(1, heaviest + 1, len(u))
        source, sink = rng.choice(n, 2, replace=False).tolist()
        every = simple_paths(weights, source, sink)
        for paths in (1, 2, 5, len(every) + 3):
            for matrix in (weights, scipy.sparse.csr_array(weights)):
                dist, pred = reedsp.csgraph.yen(matrix, source, sink, paths, return_predecessors=True)
                assert dist.tolist() == [weight for weight, *_ in every[:paths]]
                np.testing.assert_array_equal(pred, rows_of(every[:paths], n), strict=True)
    assert not launches


@pytest.mark.deep
@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_yen_both_ways(family: Family, serves: None, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = reedsp.Graph.from_edges(
        family.n, family.sources, family.targets, np.array(family.weights), directed=family.directed
    )
    if graph.m > LARGEST:
        pytest.skip("a large graph")
    matrix = graph.to_scipy()
    cases = [
        (kind, sink, paths, unweighted)
        for kind in (matrix, matrix.astype(np.float64), matrix.toarray())
        for sink in (family.n - 1, family.n // 2, family.source)
        for paths in (1, 6)
        for unweighted in (False, True)
    ]

    def call(kind: Any, sink: int, paths: int, unweighted: bool) -> Any:
        options = {"return_predecessors": True, "unweighted": unweighted}
        try:
            return reedsp.csgraph.yen(kind, family.source, sink, paths, **options)
        except (ArithmeticError, ValueError, reedsp.NegativeCycleError) as error:
            return type(error), str(error)

    here = [call(*case) for case in cases]
    monkeypatch.setattr(place, "_serves", False)
    for found, case in zip(here, cases, strict=True):
        expected = call(*case)
        if isinstance(expected[0], type):
            assert found == expected
            continue
        for ours, theirs in zip(found, expected, strict=True):
            np.testing.assert_array_equal(ours, theirs, strict=True)
            assert ours.tobytes() == theirs.tobytes()


@pytest.mark.parametrize(
    ("source", "sink", "paths"),
    [(0, 4, 1), (-1, 0, 1), (0, 3, -1), (0.5, 3, 1), (0, 3, 1.5), (0, 3, 0), (2, 2, 3), (3, 0, 2), (True, 3, 1)],
)
def test_arguments_both_ways(source: Any, sink: Any, paths: Any, serves: None, monkeypatch: pytest.MonkeyPatch) -> None:
    matrix = scipy.sparse.csr_array(np.array([[0, 7, 2, 0], [0, 0, 0, 1], [0, 0, 0, 3], [0, 0, 0, 0]]))

    def call() -> Any:
        try:
            return [each.tolist() for each in reedsp.csgraph.yen(matrix, source, sink, paths, return_predecessors=True)]
        except (TypeError, ValueError) as error:
            return type(error), str(error)

    here = call()
    monkeypatch.setattr(place, "_serves", False)
    assert here == call()


def test_a_search_that_takes_long_is_given_up(serves: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(place, "_SEARCH", -1e9)
    monkeypatch.setattr(on_host, "_PATIENCE", 3)
    calls = []
    yen = searches._yen
    monkeypatch.setattr(searches, "_yen", lambda *args: (calls.append(args), yen(*args))[1])
    assert reedsp.csgraph.yen(np.ones((6, 6)), 0, 5, 4).tolist() == [1, 2, 2, 2]
    assert calls


def test_weights_whose_slacks_float64_may_not_hold(serves: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(place, "_SEARCH", -1e9)
    weights = np.zeros((4, 4))
    weights[[0, 0, 1, 2], [1, 2, 3, 3]] = 2.0**50, 1, 1, 2.0**50 - 2
    calls = []
    yen = searches._yen
    monkeypatch.setattr(searches, "_yen", lambda *args: (calls.append(args), yen(*args))[1])
    assert reedsp.csgraph.yen(weights, 0, 3, 3).tolist() == [2.0**50 - 1, 2.0**50 + 1]
    assert not calls
    weights[0, 1] = 2.0**51
    assert reedsp.csgraph.yen(weights, 0, 3, 3).tolist() == [2.0**50 - 1, 2.0**51 + 1]
    assert calls
