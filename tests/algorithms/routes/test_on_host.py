"""The k shortest simple paths of small graphs give the same bytes on the host and on a device."""

from __future__ import annotations

from fractions import Fraction
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


@pytest.mark.deep("our search", "3-SciPy first", "1-SciPy first")
@pytest.mark.parametrize("search", [-1e9, 1e9], ids=["our search", "SciPy first"])
@pytest.mark.parametrize("heaviest", [1, 3, 1000])
def test_all_simple_paths_of_random_graphs(
    search: float, heaviest: int, serves: None, launches: list[Launched], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(place, "_SEARCH", search)
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


@pytest.fixture
def left(serves: None, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Return the calls that were left to the device."""
    calls: list[Any] = []
    yen = searches._yen
    monkeypatch.setattr(searches, "_yen", lambda *args: (calls.append(args), yen(*args))[1])
    return calls


def weights_of(kind: str, u: Any, v: Any, n: int, rng: np.random.Generator) -> np.ndarray[Any, Any]:
    """Return weights of edges that close no negative cycle."""
    m = len(u)
    if kind == "tenths":
        return np.full(m, 0.1)
    weights = rng.random(m) + 0.01 if "fractions" in kind else rng.integers(0, 3, m).astype(np.float64)
    if kind == "all zero":
        return 0 * weights
    potentials = rng.integers(-9, 10, n) if "negative" in kind else np.zeros(n)
    return weights + potentials[u] - potentials[v]


@pytest.mark.parametrize("pred", [False, True], ids=["weights", "paths"])
@pytest.mark.parametrize("search", [-1e9, 1e9], ids=["our search", "SciPy first"])
@pytest.mark.parametrize("kind", ["zeros", "all zero", "tenths", "fractions", "negative", "negative fractions"])
def test_other_weights_in_any_order_of_edges(
    kind: str, search: float, pred: bool, left: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of parallel edges the lightest counts."""
    monkeypatch.setattr(place, "_SEARCH", search)
    rng = np.random.default_rng(len(kind))
    for number in range(30):
        n = int(rng.integers(2, 7))
        u, v = rng.integers(0, n, (2, int(rng.integers(1, n * n + 2))))
        if number % 2:
            u, v = np.divmod(np.unique(u * n + v), n)
        weights, order = weights_of(kind, u, v, n, rng), np.argsort(u, kind="stable")
        indptr = np.append(0, np.cumsum(np.bincount(u, minlength=n)))
        rows = weights[order], v[order].astype(np.int32), indptr.astype(np.int32)
        lightest = np.full((n, n), np.inf)
        np.minimum.at(lightest, (u, v), weights)
        source, sink = rng.choice(n, 2, replace=False).tolist()
        every = exact_paths(lightest, source, sink)
        for paths in (1, 2, len(every) + 3):
            matrix = scipy.sparse.csr_array(rows, shape=(n, n))
            dist: Any = reedsp.csgraph.yen(matrix, source, sink, paths, return_predecessors=pred)
            if pred:
                dist, found = dist
                np.testing.assert_array_equal(found, rows_of(every[:paths], n), strict=True)
            np.testing.assert_array_equal(dist, np.array([float(each[0]) for each in every[:paths]]), strict=True)
    assert not left


def exact_paths(weights: Any, source: int, target: int) -> list[tuple[Fraction, int, tuple[int, ...]]]:
    """Return all simple paths in the order of reedsp.yen, where inf is no edge."""
    found, ends = [], [(Fraction(0), (source,))]
    while ends:
        weight, path = ends.pop()
        if path[-1] == target:
            found.append((weight, len(path), path))
            continue
        for v in np.flatnonzero(weights[path[-1]] < np.inf).tolist():
            if v not in path:
                ends.append((weight + Fraction(weights[path[-1], v].item()), (*path, v)))
    return sorted(found)


@pytest.mark.parametrize("paths", [1, 2])
def test_sums_that_rounding_does_not_tell_apart(paths: int, left: list[Any]) -> None:
    """0.1 + 0.2 is more than 0.3 by less than sums may lose."""
    weights = np.zeros((4, 4))
    weights[[0, 0, 1, 2, 2], [1, 2, 3, 1, 3]] = 0.3, 0.1, 0.5, 0.2, 0.75
    every = exact_paths(np.where(weights == 0, np.inf, weights), 0, 3)
    dist, pred = reedsp.csgraph.yen(weights, 0, 3, paths, return_predecessors=True)
    assert dist.tolist() == [float(weight) for weight, *_ in every[:paths]]
    np.testing.assert_array_equal(pred, rows_of(every[:paths], 4))
    assert left


def test_ties_are_not_found_one_by_one(left: list[Any]) -> None:
    """A grid has more shortest paths from corner to corner than anyone could look at."""
    side = 30
    numbers = np.arange(side * side).reshape(side, side)
    ends = [(numbers[:, :-1], numbers[:, 1:]), (numbers[:-1], numbers[1:])]
    u, v = (np.concatenate([pair[side].ravel() for pair in ends]) for side in (0, 1))
    matrix = scipy.sparse.csr_array((np.ones(len(u)), (u, v)), shape=(side * side,) * 2)
    for paths in (1, 3):
        dist, pred = reedsp.csgraph.yen(matrix, 0, side * side - 1, paths, return_predecessors=True)
        assert dist.tolist() == [2 * side - 2] * paths
        assert pred[0, -1] == side * (side - 1) - 1
        assert reedsp.csgraph.yen(matrix, 0, side * side - 1, paths).tolist() == dist.tolist()
    assert not left


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


@pytest.mark.deep("0-4-1")
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
    monkeypatch.setattr(on_host, "_PATIENCE", 1)
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
