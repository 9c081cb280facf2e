"""Small inputs give the same bytes on the host and on a device, and the host is used for nothing else."""

from __future__ import annotations

import itertools
import os
import sys
import warnings
from typing import Any

import numpy as np
import pytest
import scipy.sparse

import reedsp
import reedsp.csgraph
from reedsp.algorithms.single_source.host import searches, trees
from reedsp.cost_model import choose_search, place
from reedsp.device import errors
from reedsp.device.device import Device
from reedsp.device.job import Launched
from tests.support.families import FAMILIES, Family

LARGEST = 5000  # edges


def answer(call: Any) -> Any:
    """Return what a call returns, or the error that it raises."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return call()
    except (ArithmeticError, ValueError, reedsp.NegativeCycleError) as error:
        return error


def same(one: Any, other: Any) -> None:
    if getattr(other, "cycle", None) is not None:  # of several negative ones, which is found first is a matter of time
        assert type(one) is type(other)
        return
    if isinstance(other, Exception):
        assert (type(one), str(one)) == (type(other), str(other))
        return
    for ours, theirs in zip(*(each if isinstance(each, tuple) else (each,) for each in (one, other)), strict=True):
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours, theirs, strict=True)
        assert ours.tobytes() == theirs.tobytes()


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_bfs_both_ways(family: Family, serves: None, device: Device) -> None:
    graph = family.graph()
    for source in (family.source, [family.source, 0, family.n - 1, 0], []):
        here, there = (reedsp.bfs(graph, source, device=each) for each in (None, device))
        assert here.device == place.HOST
        same((here.levels, here.pred), (there.levels, there.pred))
        assert here.source == there.source
        assert here.stats.keys() == there.stats.keys()
        assert here.verify()


@pytest.mark.deep
@pytest.mark.parametrize(("dtype", "units"), [(np.int64, 1), (np.float64, 1), (np.float64, 3), (np.float32, 2)])
@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_sssp_both_ways(family: Family, dtype: Any, units: int, serves: None, device: Device) -> None:
    graph = family.graph(dtype, units)
    if graph.m > LARGEST:
        pytest.skip("a large graph")
    sources = [family.source, 0, 0]
    cases: list[dict[str, Any]] = [{"source": family.source}, {"source": sources}, {"source": []}]
    cases += [{"source": family.source, "dtype": kind} for kind in ("int64", "float32")]
    cases += [
        {"source": sources, "min_only": True},
        {"source": 0, "cutoff": 100},
        {"source": 0, "target": family.n - 1},
    ]
    for case in cases:
        here, there = (answer(lambda: reedsp.sssp(graph, device=each, **case)) for each in (None, device))  # noqa: B023
        if isinstance(there, Exception):
            same(here, there)
            continue
        same((here.dist, here.pred), (there.dist, there.pred))
        if there.nearest is not None:
            same(here.nearest, there.nearest)
        assert here.verify()
        assert here.stats.keys() == there.stats.keys()


@pytest.mark.deep
@pytest.mark.parametrize("return_predecessors", [False, True])
@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_csgraph_both_ways(
    family: Family, directed: bool, return_predecessors: bool, serves: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = family.graph()
    if graph.m > LARGEST // 4:
        pytest.skip("a large graph")
    matrix = graph.to_scipy()
    options = {"directed": directed, "return_predecessors": return_predecessors}
    names = ("dijkstra", "bellman_ford", "johnson", "shortest_path", "floyd_warshall")
    cases = [
        (name, kind, indices, unweighted)
        for name in names
        for kind in (matrix, matrix.astype(np.float64), matrix.toarray(), 0.1 * matrix)
        for indices in ((None,) if name == "floyd_warshall" else (None, family.source, [0, family.n - 1]))
        for unweighted in (False, True)
    ]

    def call(name: str, kind: Any, indices: Any, unweighted: bool) -> Any:
        chosen = {} if indices is None else {"indices": indices}
        return answer(lambda: getattr(reedsp.csgraph, name)(kind, unweighted=unweighted, **options, **chosen))

    here = [call(*case) for case in cases]
    monkeypatch.setattr(place, "_serves", False)
    for found, case in zip(here, cases, strict=True):
        same(found, call(*case))


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_breadth_first_both_ways(family: Family, serves: None, monkeypatch: pytest.MonkeyPatch) -> None:
    matrix = family.graph().to_scipy().astype(np.float64)
    if matrix.nnz > LARGEST:
        pytest.skip("a large graph")
    here = answer(lambda: reedsp.csgraph.breadth_first_order(matrix, family.source))
    monkeypatch.setattr(place, "_serves", False)
    same(here, answer(lambda: reedsp.csgraph.breadth_first_order(matrix, family.source)))


@pytest.mark.parametrize("by_hand", [0, 1 << 30])
@pytest.mark.parametrize("by_hops", [False, True])
def test_trees_level_by_level(by_hops: bool, by_hand: int, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """Along edges that weigh nothing, by numpy and by hand: the smallest vertex one level below."""
    monkeypatch.setattr(trees, "_BY_HAND", by_hand)
    for seed in range(20):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(2, 30))
        ends = rng.integers(0, n, (2, 4 * n))
        height = rng.integers(0, 9, n) * by_hops
        weights = rng.integers(0, 2, 4 * n) + height[ends[1]] - height[ends[0]]
        graph, sources = reedsp.Graph.from_edges(n, *ends, weights), [0, n - 1, 1]
        expected = reedsp.sssp(graph, sources, device=device)
        dist = expected.dist.astype(np.float64)
        edges = graph.indptr, graph.indices, graph.weights.astype(np.float64)
        found = trees.trees(*edges, dist, [[source] for source in sources], by_hops=graph.has_negative_weights)
        assert found.tolist() == expected.pred.tolist()


@pytest.mark.parametrize("rows", [1, 2])
def test_trees_of_many_levels_take_no_step_for_each(rows: int, serves: None) -> None:
    """Along a path of edges that weigh nothing, where every vertex is at a level of its own."""
    n, calls = 2000, 0

    def count(*_: Any) -> None:
        nonlocal calls
        calls += 1

    path = scipy.sparse.csr_array((np.zeros(n - 1), (np.arange(n - 1), np.arange(1, n))), shape=(n, n))
    edges = path.indptr, path.indices, path.data
    dist, starts = np.zeros((rows, n)), [[0]] * rows
    trees.trees(*edges, dist, starts)  # which imports what it needs
    sys.setprofile(count)
    try:
        pred = trees.trees(*edges, dist, starts)
    finally:
        sys.setprofile(None)
    assert pred.tolist() == [[-9999, *range(n - 1)]] * rows
    assert calls < n


# ---- what is not for the host -----------------------------------------------------------------------


SMALL = reedsp.Graph.from_edges(4, [0, 0, 1, 2], [1, 2, 3, 3], [7, 2, 1, 3])


def test_small_inputs_launch_nothing(serves: None, launches: list[Launched]) -> None:
    paths = reedsp.sssp(SMALL, 0)
    assert (paths.dist.tolist(), paths.device, paths.method) == ([0, 7, 2, 5], place.HOST, "dijkstra")
    search = reedsp.bfs(SMALL, [0, 3])
    assert (search.levels.tolist(), search.device) == ([[0, 1, 1, 2], [-1, -1, -1, 0]], place.HOST)
    reedsp.csgraph.dijkstra(SMALL.to_scipy(), indices=0, return_predecessors=True)
    reedsp.csgraph.breadth_first_tree(SMALL.to_scipy().astype(float), 0)
    assert not launches


def test_a_device_that_is_named_is_used(serves: None, launches: list[Launched], device: Device) -> None:
    assert reedsp.sssp(SMALL, 0, device=device).device == str(device)
    assert reedsp.sssp(SMALL, 0, "near-far").device == str(device)
    assert reedsp.bfs(SMALL, 0, device=device).device == str(device)
    assert reedsp.bfs(SMALL, 0, options={"direction": "auto"}).device == str(device)
    assert launches


def test_the_switch(serves: None, launches: list[Launched], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(place, "_serves", False)
    reedsp.sssp(SMALL, 0)
    assert launches


def test_large_inputs_are_for_the_device(
    serves: None, launches: list[Launched], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(choose_search, "_BEGUN", 0.0)
    monkeypatch.setattr(choose_search, "seconds_on", lambda *_: 1.2e-4)
    monkeypatch.setattr(choose_search, "_levels_seconds", lambda *_: 8.5e-5)
    assert reedsp.sssp(SMALL, 0).device == reedsp.bfs(SMALL, 0).device == place.HOST
    assert not launches
    assert reedsp.sssp(SMALL, [0, 1, 2]).device != place.HOST
    assert reedsp.bfs(SMALL, [0, 1, 2]).device != place.HOST
    assert launches


def corrupt(**changes: Any) -> scipy.sparse.csr_array:
    matrix = SMALL.to_scipy().astype(np.float64)
    for name, value in changes.items():
        getattr(matrix, name)[1] = value
    return matrix


@pytest.mark.parametrize(
    "changes", [{"indices": 9}, {"indices": -1}, {"indptr": 9}, {"indptr": -1}, {"data": -np.inf}], ids=str
)
def test_corrupt_matrices_never_reach_scipy(changes: dict[str, Any], serves: None) -> None:
    for name in ("dijkstra", "johnson", "shortest_path", "floyd_warshall"):
        with pytest.raises(ValueError, match=r"indices|indptr|row pointers|inf"):
            getattr(reedsp.csgraph, name)(corrupt(**changes))
    with pytest.raises(ValueError, match=r"indices|indptr|row pointers|inf"):
        reedsp.csgraph.breadth_first_order(corrupt(**changes), 0)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_what_is_not_finite_is_no_edge(value: float, serves: None) -> None:
    matrix = corrupt(data=value)  # from 0 to 2
    assert reedsp.csgraph.dijkstra(matrix, indices=0).tolist() == [0, 7, np.inf, 8]
    assert reedsp.csgraph.breadth_first_order(matrix, 0)[0].tolist() == [0, 1, 3]


def test_columns_in_another_order(serves: None) -> None:
    matrix = scipy.sparse.csr_array((np.ones(3), np.array([2, 1, 0]), np.array([0, 2, 3, 3])), shape=(3, 3))
    assert reedsp.csgraph.breadth_first_order(matrix, 0)[0].tolist() == [0, 2, 1]


def test_sums_that_vanish_in_rounding(serves: None, device: Device) -> None:
    """No edge makes progress, and hop levels decide."""
    graph = reedsp.Graph.from_edges(5, [0, 1, 2, 1, 3], [1, 2, 3, 3, 4], [1.0, 1e-30, 1e-30, 1e-30, 1e-30])
    here, there = (reedsp.sssp(graph, 0, device=each) for each in (None, device))
    same((here.dist, here.pred), (there.dist, there.pred))
    matrix = graph.to_scipy()
    same(
        reedsp.csgraph.dijkstra(matrix, indices=0, return_predecessors=True)[1],
        reedsp.csgraph.dijkstra(matrix, indices=[0, 0], return_predecessors=True)[1][1],
    )
    assert here.pred.tolist() == [-9999, 0, 1, 1, 3]


def test_trees_of_many_rows() -> None:
    rng = np.random.default_rng(0)
    graph = reedsp.Graph.from_edges(30, *rng.integers(0, 30, (2, 90)), rng.integers(0, 4, 90))
    rows = graph.indptr, graph.indices, graph.weights.astype(np.float64)
    dist, _ = searches.solve(graph, [[each] for each in range(30)], predecessors=False)
    together = trees.trees(*rows, dist, [[each] for each in range(30)])
    for each, direct in itertools.product(range(30), (False, True)):
        alone = trees.trees(*rows, dist[[each]], [[each]], direct=direct)[0]
        several = trees.trees(*rows, dist, [[row] for row in range(30)], direct=direct)[each]
        np.testing.assert_array_equal(alone, several)
        if not direct:
            np.testing.assert_array_equal(alone, together[each])


def test_what_is_farther_than_a_target_is_left_out(serves: None, device: Device) -> None:
    rng = np.random.default_rng(7)
    graph = reedsp.Graph.from_edges(60, *rng.integers(0, 60, (2, 180)), rng.integers(0, 9, 180))
    for source in (0, [0, 1, 2]):
        here, there = (reedsp.sssp(graph, source, target=5, device=each) for each in (None, device))
        assert (here.device, np.isinf(here.dist).any()) == (place.HOST, True)
        same((here.dist, here.pred), (there.dist, there.pred))
        assert here.verify()
    beyond = reedsp.Graph.from_edges(3, [0, 0], [1, 2], [1, 2**31 + 5])
    assert reedsp.sssp(beyond, 0, target=1, dtype="int32").dist.tolist() == [0, 1, 2**31 - 1]


def test_a_forked_process_asks_no_device(serves: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choose_search, "_BEGUN", 0.0)
    monkeypatch.setattr(errors, "_process", os.getpid() + 1)
    assert reedsp.sssp(SMALL, 0).device == reedsp.bfs(SMALL, 0).device == place.HOST
    assert reedsp.distance_statistics(SMALL, [0]).device == place.HOST
    with pytest.raises(RuntimeError, match="OpenCL does not survive a fork"):
        reedsp.sssp(SMALL, 0, "near-far")
