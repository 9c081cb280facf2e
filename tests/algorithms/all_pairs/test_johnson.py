"""Johnson's all pairs against the oracle and the matrix methods: potentials, trees, negative cycles, choice."""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.sparse.csgraph

import reedsp
from reedsp.algorithms.all_pairs import johnson
from reedsp.algorithms.single_source.task import Outcome, Task
from reedsp.cost_model import counts
from reedsp.cost_model.work import Work
from reedsp.device.device import Device
from tests.support import oracle
from tests.support.families import CYCLE_FREE, NEGATIVE_CYCLES, Family, named


@pytest.mark.deep
@pytest.mark.parametrize("family", [each for each in CYCLE_FREE if each.n <= 300], ids=lambda family: family.name)
def test_families(family: Family, device: Device) -> None:
    paths = reedsp.apsp(family.graph(), "johnson", True, device=device)
    expected = oracle.all_distances(family.n, family.edges)
    unreached = [[None if d == np.inf else Fraction(d) for d in row] for row in paths.dist.tolist()]
    assert unreached == expected
    assert paths.pred is not None
    assert paths.pred.tolist() == oracle.all_predecessors(family.n, family.edges, expected)
    assert paths.method == "johnson"


@pytest.mark.parametrize("family", NEGATIVE_CYCLES, ids=lambda family: family.name)
def test_negative_cycles(family: Family, device: Device) -> None:
    with pytest.raises(reedsp.NegativeCycleError) as caught:
        reedsp.apsp(family.graph(), "johnson", device=device)
    assert oracle.closed_walk_weight(family.edges, caught.value.cycle) < 0


def test_row_12_a_negative_cycle_anywhere_counts(device: Device) -> None:
    family = named("negative cycle out of reach")
    with pytest.raises(reedsp.NegativeCycleError):
        reedsp.apsp(family.graph(), "johnson", device=device)


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int32"])
@pytest.mark.parametrize("negative", [False, True])
def test_same_as_matrices(dtype: str, negative: bool, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    n, m = 150, 600
    u, v = rng.integers(0, n, (2, m))
    weights = rng.integers(0, 30, m)
    if negative:
        potential = rng.integers(-500, 500, n)
        weights += potential[v] - potential[u]
    graph = reedsp.Graph.from_edges(n, u, v, weights)
    tens = dataclasses.replace(johnson.SEARCHES["near-far"], rows_at_once=lambda *arguments: 10)
    monkeypatch.setitem(johnson.SEARCHES, "near-far", tens)
    seen: list[tuple[int, int]] = []
    paths = reedsp.apsp(graph, "johnson", True, device=device, dtype=dtype, progress=lambda *state: seen.append(state))
    matrices = reedsp.apsp(graph, "floyd-warshall", True, device=device, dtype=dtype)
    assert paths.dist.dtype == np.dtype(dtype)
    assert np.array_equal(paths.dist, matrices.dist)
    assert np.array_equal(paths.pred, matrices.pred)
    if device.kind == "cpu":  # GPUs take other searches
        assert seen == [(done, n) for done in range(10, n + 1, 10)]
    assert seen[-1] == (n, n)
    without = reedsp.apsp(graph, "johnson", device=device, dtype=dtype)
    assert without.pred is None
    assert np.array_equal(without.dist, paths.dist)


@pytest.mark.deep
@pytest.mark.parametrize("search", ["near-far", "near-far-local", "bellman-ford", "dijkstra-heap", "dijkstra-array"])
@pytest.mark.parametrize("fractional", [False, True])
def test_distances_in_a_place_of_any_order(search: str, fractional: bool, device: Device) -> None:
    rng = np.random.default_rng(4)
    n, m = 90, 200  # not all can be reached
    weights = rng.random(m) if fractional else rng.integers(0, 30, m)
    graph = reedsp.Graph.from_edges(n, *rng.integers(0, n, (2, m)), weights)
    expected = scipy.sparse.csgraph.johnson(graph.to_scipy())
    for order in ("C", "F"):
        place = np.full((n, n), -1.0, order=order)
        paths = reedsp.apsp(graph, "johnson", out=place, device=device, options={"search": search})
        assert paths.dist is place
        assert np.allclose(place, expected, rtol=1e-12) if fractional else np.array_equal(place, expected)
        assert np.isinf(place).any()
    whole = reedsp.apsp(graph, "johnson", device=device, options={"search": search})
    assert whole.dist.tobytes() == np.ascontiguousarray(place).tobytes()


def test_fractional_weights(device: Device) -> None:
    rng = np.random.default_rng(2)
    n, m = 120, 500
    graph = reedsp.Graph.from_edges(n, *rng.integers(0, n, (2, m)), rng.random(m))
    paths = reedsp.apsp(graph, "johnson", True, device=device)
    for source in (0, 77):
        one = reedsp.sssp(graph, source, "output-parallel", device=device)
        assert np.array_equal(paths.dist[source], one.dist)
        assert np.array_equal(paths.pred[source], one.pred)
    negative = reedsp.Graph.from_edges(3, [0, 1], [1, 2], [-0.5, 2.0])
    with pytest.raises(ValueError, match="weights that are negative and fractional need another method"):
        reedsp.apsp(negative, "johnson", device=device)
    assert reedsp.apsp(negative, device=device).dist[0, 2] == 1.5


def test_large_weights_widen_or_are_refused(device: Device) -> None:
    big = 2**40
    graph = reedsp.Graph.from_edges(4, [0, 1, 2, 0], [1, 2, 3, 3], [big, -big, 3, 5])
    assert reedsp.apsp(graph, "johnson", device=device).dist[0].tolist() == [0, big, 0, 3]
    huge = 2**62
    graph = reedsp.Graph.from_edges(4, [0, 1, 2], [1, 2, 3], [-huge, huge, 1])
    with pytest.raises(
        ValueError, match=rf"^dist\[1, 3\] = {huge + 1} has no exact float64 value; ask for dtype='int64'"
    ):
        reedsp.apsp(graph, "johnson", device=device)
    found = reedsp.apsp(graph, "johnson", device=device, dtype="int64")
    assert [found.dist[0].tolist(), found.dist[1].tolist()] == [[0, -huge, 0, 1], [2**63 - 1, 0, huge, huge + 1]]


def test_auto_takes_it_for_sparse_graphs(device: Device, monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    path = reedsp.Graph.from_edges(200, np.arange(199), np.arange(1, 200), np.arange(199))
    monkeypatch.setitem(counts.METHODS, "johnson", lambda pairs, known: [Work(host=1e-9)])
    paths = reedsp.apsp(path, device=device)
    assert paths.method == "johnson"
    assert np.array_equal(paths.dist, scipy.sparse.csgraph.dijkstra(path.to_scipy()))
    assert reedsp.apsp(path, device=device, memory_limit=1 << 24).method == "floyd-warshall"
    assert reedsp.apsp(path, device=device, options={"kernel": "blocked"}).method == "floyd-warshall"
    negative = reedsp.Graph.from_edges(200, np.arange(199), np.arange(1, 200), np.full(199, -1))
    assert reedsp.apsp(negative, device=device).method == "johnson"
    assert reedsp.apsp(negative, negative_cycles="mark", device=device).method == "floyd-warshall"
    with pytest.raises(ValueError, match="negative_cycles = 'mark'"):
        reedsp.apsp(negative, "johnson", negative_cycles="mark", device=device)
    with pytest.raises(ValueError, match="need method='floyd-warshall'"):
        reedsp.apsp(path, "johnson", memory_limit=1 << 24, device=device)
    with pytest.raises(ValueError, match="'johnson' has no option 'kernel'"):
        reedsp.apsp(path, "johnson", options={"kernel": "blocked"}, device=device)
    with pytest.raises(ValueError, match="options: search = 'x', expected one of 'near-far'"):
        reedsp.apsp(path, "johnson", options={"search": "x"}, device=device)
    monkeypatch.setitem(counts.METHODS, "johnson", lambda pairs, known: [Work(host=1e9)])
    assert reedsp.apsp(path, device=device).method == "floyd-warshall"


def test_one_vertex_and_none(device: Device) -> None:
    assert reedsp.apsp(reedsp.Graph.from_edges(1, [], []), "johnson", device=device).dist.tolist() == [[0]]
    assert reedsp.apsp(reedsp.Graph.from_edges(0, [], []), "johnson", device=device).dist.shape == (0, 0)
    loop = reedsp.Graph.from_edges(1, [0], [0], [-1])
    with pytest.raises(reedsp.NegativeCycleError):
        reedsp.apsp(loop, "johnson", device=device)


def test_the_search_that_is_taken_by_itself(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = reedsp.Graph.from_edges(100, *np.random.default_rng(3).integers(0, 100, (2, 500)), np.ones(500, int))
    taken = []
    for name, search in johnson.SEARCHES.items():

        def solve(task: Task, name: str = name, search: johnson.Search = search) -> Outcome:
            taken.append(name)
            return search.solve(task)

        monkeypatch.setitem(johnson.SEARCHES, name, dataclasses.replace(search, solve=solve))
    expected = scipy.sparse.csgraph.dijkstra(graph.to_scipy())
    for kind in ("cpu", "gpu"):
        monkeypatch.setattr(device, "kind", kind)
        assert np.array_equal(reedsp.apsp(graph, "johnson", device=device).dist, expected)
    assert taken == ["near-far", "near-far-local"]


@pytest.mark.deep("float64")
@pytest.mark.parametrize("search", [name for name in johnson.SEARCHES if name != "near-far"])
@pytest.mark.parametrize("dtype", ["float64", "int64"])
@pytest.mark.parametrize("negative", [False, True])
def test_every_search_finds_the_same_bytes(search: str, dtype: str, negative: bool, device: Device) -> None:
    rng = np.random.default_rng(5)
    n, m = 150, 600
    u, v = rng.integers(0, n, (2, m))
    weights = rng.integers(0, 30, m)
    if negative:
        potential = rng.integers(-500, 500, n)
        weights += potential[v] - potential[u]
    graph = reedsp.Graph.from_edges(n, u, v, weights)
    expected, found = (
        reedsp.apsp(graph, "johnson", True, device=device, dtype=dtype, options={"search": each})
        for each in ("near-far", search)
    )
    assert found.dist.tobytes() == expected.dist.tobytes()
    assert found.pred is not None
    assert expected.pred is not None
    assert found.pred.tobytes() == expected.pred.tobytes()


@pytest.mark.deep("options1")
@pytest.mark.parametrize("options", [None, {"search": "bellman-ford"}])
def test_no_distance_is_the_smallest_integer(options: Any, device: Device) -> None:
    """Which says that a path can pass a negative cycle."""
    graph = reedsp.Graph.from_edges(3, [0, 1], [1, 2], [-(2**31), 5])
    with pytest.raises(OverflowError, match=r"^dist\[0, 1\] = -2147483648 is outside int32; ask for dtype='int64'$"):
        reedsp.apsp(graph, "johnson", True, device=device, dtype="int32", options=options)
    held = reedsp.apsp(graph, "johnson", True, device=device, dtype="int64", options=options)
    assert held.path(0, 1) == [0, 1]
    assert held.dist[0].tolist() == [0, -(2**31), 5 - 2**31]


def test_it_says_itself_what_it_cannot_add_up(device: Device) -> None:
    with pytest.raises(OverflowError, match=r"^graph: a weight of magnitude 1e\+20 is beyond int64$"):
        reedsp.apsp(WIDE, "johnson", device=device, options={"search": "near-far"})
    graph = reedsp.Graph.from_edges(4, [0, 1, 2, 0], [1, 2, 3, 3], [-(2**60), 2**62, 2**62, 2**10])
    with pytest.raises(OverflowError, match=r"^dist\[1, 3\] is beyond int64$"):
        reedsp.apsp(graph, "johnson", device=device, dtype="int64")


WIDE = np.array([[0, -1e20, 0], [0, 0, 5.0], [0, 0, 0]])
BEYOND = {
    "potentials and edges": ([0, 1, 2], [3, 3, 3], [2**62, -(2**62), 2**62]),
    "potentials that fit": ([0, 1, 2], [3, 3, 3], [2**62 - 1, -(2**62), 2**62 - 1]),
    "potentials and paths": ([0, 1, 2, 0], [1, 2, 3, 3], [2**62, -5, 2**61, 2**62 - 9]),
    "a path of potentials": ([0, 1, 2, 3], [1, 2, 3, 0], [-(2**61), -(2**61), -(2**61), 2**62 + 2**61]),
}


@pytest.mark.deep("potentials and edges-auto")
@pytest.mark.parametrize("method", ["auto", "johnson"])
@pytest.mark.parametrize("name", BEYOND)
def test_distances_that_fit_where_sums_with_potentials_do_not(name: str, method: Any, device: Device) -> None:
    graph = reedsp.Graph.from_edges(4, *BEYOND[name])
    expected, found = (
        reedsp.apsp(graph, *given, True, device=device, dtype="int64", options=options)
        for given, options in ((["johnson"], {"search": "bellman-ford"}), ([method], None))
    )
    exact = scipy.sparse.csgraph.bellman_ford(graph.to_scipy())
    assert np.array_equal(np.where(found.dist == 2**63 - 1, np.inf, found.dist.astype(float)), exact)
    assert found.dist.tolist() == expected.dist.tolist()
    assert np.array_equal(found.pred, expected.pred)


@pytest.mark.parametrize("search", ["near-far", "dijkstra-heap"])
def test_sums_with_potentials_are_not_said_to_be_distances(search: Any, device: Device) -> None:
    graph = reedsp.Graph.from_edges(5, [0, 1, 4], [1, 2, 2], [2**62, 2**61, -(2**62)], labels=list("abcde"))
    with pytest.raises(OverflowError, match=r"^graph: weights and potentials together are beyond int64$"):
        reedsp.apsp(graph, "johnson", device=device, dtype="int64", options={"search": search})


def test_weights_beyond_int64_that_float64_adds_up(device: Device) -> None:
    if not device.fp64:
        pytest.skip("the device has no doubles")
    found = reedsp.apsp(WIDE, "johnson", device=device)
    assert found.dist.tolist() == [[0, -1e20, -1e20], [np.inf, 0, 5], [np.inf, np.inf, 0]]
