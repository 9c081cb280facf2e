"""Tiny graphs: Python's own search finds what SciPy's finds, with the trees of every device."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
import scipy.sparse

import reedsp
from reedsp.algorithms.single_source.host import by_hand
from reedsp.algorithms.single_source.host.routines import Routines
from reedsp.cost_model import place
from reedsp.csgraph import bellman_ford, dijkstra, johnson, shortest_path

WEIGHTS = ([1.0, 2.0, 3.0], [0.1, 0.2, 0.3, 0.6], [1.0], [1e-9, 7.0, 1e5])


def drawn(seed: int) -> Any:
    """Return a matrix of up to twelve vertices, whose edges may be parallel, lead to their own tail, or be none."""
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(1, 13)), int(rng.integers(0, 41))
    tails = np.sort(rng.integers(0, n, m))
    indptr = np.searchsorted(tails, np.arange(n + 1)).astype(np.int32)
    heads, weights = rng.integers(0, n, m).astype(np.int32), rng.choice(WEIGHTS[seed % len(WEIGHTS)], m)
    return scipy.sparse.csr_array((weights, heads, indptr), shape=(n, n))


def same(found: Any, expected: Any) -> bool:
    found, expected = (each if isinstance(each, tuple) else (each,) for each in (found, expected))
    return [(each.dtype, each.shape, each.tobytes()) for each in found] == [
        (each.dtype, each.shape, each.tobytes()) for each in expected
    ]


@pytest.fixture
def by_python(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that makes a call in which no other search answers."""

    def answer(call: Any, *args: Any, **options: Any) -> Any:
        with monkeypatch.context() as patch:
            patch.setattr(place, "_serves", True)
            fails = Routines(*[lambda *_, **__: pytest.fail("not by hand")] * len(Routines._fields))
            for module in ("algorithms.single_source.host.searches", "csgraph.nearest"):
                patch.setattr(f"reedsp.{module}.routines", lambda: fails)
            return call(*args, **options)

    return answer


@pytest.fixture
def by_others(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that makes a call that Python's search does not answer, on the host or on the device."""

    def answer(call: Any, *args: Any, on_host: bool = True, **options: Any) -> Any:
        with monkeypatch.context() as patch:
            patch.setattr(place, "_serves", on_host)
            patch.setattr(place, "_BY_HAND", -1)
            patch.setattr(place, "_ROWS_BY_HAND", -1)
            return call(*args, **options)

    return answer


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("unweighted", [False, True])
def test_trees_of_one_vertex_and_of_the_nearest(
    directed: bool, unweighted: bool, by_python: Any, by_others: Any
) -> None:
    options: dict[str, Any] = {"directed": directed, "unweighted": unweighted, "return_predecessors": True}
    for seed in range(60):
        matrix = drawn(seed)
        n = matrix.shape[0]
        some = [int(vertex) for vertex in np.random.default_rng(seed).integers(-n, n, 3)]
        for limit, (indices, min_only) in itertools.product((np.inf, 0.3, 3.0), ((some[0], False), (some, True))):
            asked = {"indices": indices, "limit": limit, "min_only": min_only, **options}
            found, on_host = by_python(dijkstra, matrix, **asked), bool(seed % 10)
            assert same(found, by_others(dijkstra, matrix, on_host=on_host, **asked)), (seed, asked)


def test_other_functions_of_one_vertex(by_python: Any, by_others: Any) -> None:
    for seed, function in itertools.product(range(20), (dijkstra, bellman_ford, johnson, shortest_path)):
        matrix = drawn(seed)
        for indices in ([0], [[-1]], 0):
            found = by_python(function, matrix, indices=indices)
            assert same(found, by_others(function, matrix, indices=indices))


@pytest.mark.parametrize("trees", [False, True])
@pytest.mark.parametrize("directed", [True, False])
def test_trees_of_several_vertices(directed: bool, trees: bool, by_python: Any, by_others: Any) -> None:
    for seed, function in itertools.product(range(0, 60, 4), (dijkstra, bellman_ford, johnson, shortest_path)):
        matrix = drawn(seed + 1)[:4, :4]  # with fractions
        n = matrix.shape[0]
        assert place.is_searched_by_hand(n, matrix.nnz, n)
        for indices in (None, [0, -1], [[0], [0]]):
            asked = {"indices": indices, "directed": directed, "return_predecessors": trees}
            found, on_host = by_python(function, matrix, **asked), bool(seed % 8)
            assert same(found, by_others(function, matrix, on_host=on_host, **asked)), (seed, asked)


def test_searches_of_graphs(by_python: Any, by_others: Any) -> None:
    for seed in range(40):
        matrix = drawn(seed)
        graph, last = reedsp.Graph.from_scipy(matrix), matrix.shape[0] - 1
        cases: list[dict[str, Any]] = [{}, {"cutoff": 0.3}, {"target": last}, {"target": last, "cutoff": 3}]
        for case in cases:
            found, expected = by_python(reedsp.sssp, graph, 0, **case), by_others(reedsp.sssp, graph, 0, **case)
            assert same((found.dist, found.pred), (expected.dist, expected.pred))
            assert found.verify()
        several = {"source": [0, last], "min_only": True}
        found, expected = by_python(reedsp.sssp, graph, **several), by_others(reedsp.sssp, graph, **several)
        assert same((found.dist, found.pred, found.nearest), (expected.dist, expected.pred, expected.nearest))


@pytest.mark.parametrize("weights", [[0.0, 1.0, 1.0], [1e-17, 1.0, 1.0]])
def test_weights_that_make_no_path_longer_are_left_to_others(
    weights: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(by_hand, "search_by_hand", lambda *_: pytest.fail("by hand"))
    monkeypatch.setattr("reedsp.csgraph.on_host.search_each_by_hand", by_hand.search_by_hand)
    for module in ("reedsp.csgraph.nearest", "reedsp.algorithms.single_source.host.searches"):
        monkeypatch.setattr(f"{module}.search_by_hand", by_hand.search_by_hand)
    monkeypatch.setattr(place, "_serves", True)
    matrix = scipy.sparse.csr_array((weights, [1, 2, 0], [0, 1, 2, 3]), shape=(3, 3))
    assert dijkstra(matrix, indices=0).tolist() == [0.0, weights[0], weights[0] + 1.0]
    assert dijkstra(matrix, indices=[0], min_only=True).tolist() == [0.0, weights[0], weights[0] + 1.0]
    assert reedsp.sssp(reedsp.Graph.from_scipy(matrix), 0).dist.tolist() == [0.0, weights[0], weights[0] + 1.0]


def test_large_graphs_are_left_to_scipy(by_python: Any) -> None:
    assert place.is_searched_by_hand(10, 100)
    assert not place.is_searched_by_hand(10, 101)
    assert place.is_searched_by_hand(10, 15, 8)
    assert not place.is_searched_by_hand(10, 16, 8)
    path = scipy.sparse.csr_array((np.ones(60), (np.arange(60), np.arange(1, 61))), shape=(61, 61))
    with pytest.raises(pytest.fail.Exception, match="not by hand"):
        by_python(dijkstra, path, indices=0)
