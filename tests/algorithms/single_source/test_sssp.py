"""Every method on every graph family against the oracle, and the real graphs against their reference answers."""

from __future__ import annotations

import gzip
import hashlib
import itertools
import pickle
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.csgraph

import reedsp
from reedsp.algorithms.single_source import near_far
from reedsp.algorithms.single_source.sssp import distances as distances_alone
from reedsp.cost_model import place
from tests.support import oracle
from tests.support.deep_marks import near_far_in_work_groups
from tests.support.families import FAMILIES, NEGATIVE_CYCLES, Family, named
from tests.support.oracle import edges_of

REFINEMENTS = [
    dict(zip(("cooperative_loading", "in_degree_order", "early_stop"), choice, strict=True))
    for choice in itertools.product((False, True), repeat=3)
]

WAYS: dict[str, dict[str, object]] = {
    "output-parallel": {"method": "output-parallel"},
    "input-parallel": {"method": "input-parallel"},
    "refined": {"method": "input-parallel-refined"},
    "near-far": {"method": "near-far", "options": {"work_groups": False}},
    "near-far in groups": {"method": "near-far", "options": {"work_groups": True}},
    "near-far in local memory": {"method": "near-far-local"},
    "a group a source": {"method": "bellman-ford"},
    "a queue": {"method": "bellman-ford-queue"},
}
BELLMAN_FORD = [WAYS[name] for name in ("output-parallel", "input-parallel", "refined", "a group a source", "a queue")]

every_way = pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
every_bellman_ford = pytest.mark.parametrize("way", BELLMAN_FORD, ids=lambda way: way["method"])


def exact(dist: np.ndarray) -> list[Fraction | None]:
    unreached = np.inf if dist.dtype.kind == "f" else np.iinfo(dist.dtype).max
    return [None if d == unreached else Fraction(d.item()) for d in dist]


def exists_in(family: Family, dtype: type) -> bool:
    weights = np.array(family.weights, np.int64)
    return bool((weights.astype(dtype).astype(np.int64) == weights).all())


@pytest.mark.deep
@near_far_in_work_groups("int64", "near-far in groups-heavy", "near-far in groups-beyond int32")
@pytest.mark.parametrize(
    ("family", "dtype"),
    [
        pytest.param(family, dtype, id=f"{family.name}-{dtype.__name__}")
        for dtype in (np.int64, np.float64, np.int32, np.float32, np.uint16, np.int8)
        for family in FAMILIES
        if exists_in(family, dtype)
    ],
)
@every_way
def test_families_in_every_weight_type(
    family: Family, dtype: type, way: dict[str, object], device: reedsp.Device
) -> None:
    graph = family.graph(dtype)
    if graph.has_negative_weights and way["method"] in ("near-far", "near-far-local"):
        with pytest.raises(ValueError, match=r"method = 'near-far(-local)?': needs weights that are not negative"):
            reedsp.sssp(graph, family.source, device=device, **way)
        return
    result = reedsp.sssp(graph, family.source, device=device, **way)
    expected = oracle.distances(family.n, family.edges, family.source)
    assert result.dist.dtype == np.float64
    assert result.pred.dtype == np.int32
    assert exact(result.dist) == expected
    assert result.pred.tolist() == oracle.predecessors(family.n, family.edges, family.source, expected)
    oracle.check_tree(family.n, family.edges, family.source, expected, result.pred.tolist())
    assert result.verify()


@pytest.mark.deep
@pytest.mark.parametrize("family", [*FAMILIES, *NEGATIVE_CYCLES], ids=lambda family: family.name)
@pytest.mark.parametrize("dtype", [None, "int64", "int32", "float32"])
@pytest.mark.parametrize("way", [{}, *WAYS.values()], ids=["auto", *WAYS])
def test_distances_alone_are_those_beside_trees(
    family: Family, dtype: Any, way: dict[str, Any], device: reedsp.Device
) -> None:
    graph, sources = family.graph(), [family.source, 0, family.source]
    found = []
    for search in (lambda *args, **given: reedsp.sssp(*args, **given).dist, distances_alone):
        try:
            dist = search(graph, sources, dtype=dtype, device=device, **way)
        except (reedsp.NegativeCycleError, OverflowError, ValueError) as error:
            found.append((type(error), str(error)))
        else:
            found.append((dist.dtype, dist.tobytes()))
    assert found[0] == found[1]


@pytest.mark.deep
@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
@pytest.mark.parametrize("options", REFINEMENTS, ids=lambda options: "".join(str(int(on)) for on in options.values()))
def test_refinements_change_nothing(family: Family, options: dict[str, bool], device: reedsp.Device) -> None:
    result = reedsp.sssp(
        family.graph(), family.source, "output-parallel", device=device, dtype="int64", options=options
    )
    expected = oracle.distances(family.n, family.edges, family.source)
    assert exact(result.dist) == expected
    assert result.pred.tolist() == oracle.predecessors(family.n, family.edges, family.source, expected)
    if not options["early_stop"]:
        assert result.rounds == family.n - 1


@pytest.mark.deep
@pytest.mark.parametrize("family", NEGATIVE_CYCLES, ids=lambda family: family.name)
@pytest.mark.parametrize("dtype", [np.int64, np.float64])
@pytest.mark.parametrize(
    "way",
    [*BELLMAN_FORD, {"method": "output-parallel", "options": {"early_stop": False}}],
    ids=[*(way["method"] for way in BELLMAN_FORD), "all rounds"],
)
def test_negative_cycles(family: Family, dtype: type, way: dict[str, object], device: reedsp.Device) -> None:
    with pytest.raises(oracle.NegativeCycle):
        oracle.distances(family.n, family.edges, family.source)
    with pytest.raises(reedsp.NegativeCycleError) as caught:
        reedsp.sssp(family.graph(dtype), family.source, device=device, **way)
    weight = oracle.closed_walk_weight(family.edges, caught.value.cycle)
    assert weight < 0
    assert caught.value.weight == weight
    assert isinstance(caught.value, scipy.sparse.csgraph.NegativeCycleError)
    assert isinstance(caught.value, nx.NetworkXUnbounded)
    assert pickle.loads(pickle.dumps(caught.value)).cycle == caught.value.cycle


@pytest.mark.deep
@near_far_in_work_groups("float32", "near-far in groups*float32")
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("seed", range(4))
@every_way
def test_fractional_weights_add_up_from_left_to_right(
    dtype: str, seed: int, way: dict[str, object], device: reedsp.Device
) -> None:
    rng = np.random.default_rng(seed)
    n, m = 150, 700
    u, v = rng.integers(0, n, (2, m))
    weights = (rng.random(m) * 10.0 ** rng.integers(-6, 3, m)).astype(dtype)
    result = reedsp.sssp(reedsp.Graph.from_edges(n, u, v, weights), 5, dtype=dtype, device=device, **way)
    edges = edges_of(u, v, weights.tolist(), True)
    assert result.dist.dtype == np.dtype(dtype)
    assert result.stats["arithmetic"] == dtype
    assert result.dist.tolist() == oracle.left_to_right_distances(n, edges, 5, np.dtype(dtype).type)
    assert result.verify()


def test_float32_weights_are_added_in_float64_by_default(device: reedsp.Device) -> None:
    weights = np.array([0.1, 0.2, 0.3], np.float32)
    result = reedsp.sssp(reedsp.Graph.from_edges(4, [0, 1, 2], [1, 2, 3], weights), 0, device=device)
    assert result.dist[3] == weights.astype(np.float64).cumsum()[2]


@pytest.mark.deep("parallel", "bellman-ford-0")
@pytest.mark.parametrize("seed", range(3))
@every_bellman_ford
def test_fractional_negative_weights(seed: int, way: dict[str, object], device: reedsp.Device) -> None:
    rng = np.random.default_rng(seed)
    n, m = 120, 500
    potential = rng.random(n) * 10
    u, v = rng.integers(0, n, (2, m))
    weights = potential[v] - potential[u] + rng.random(m)
    result = reedsp.sssp(reedsp.Graph.from_edges(n, u, v, weights), 0, device=device, **way)
    expected = oracle.distances(n, edges_of(u, v, weights.tolist(), True), 0)
    for got, right in zip(result.dist, expected, strict=True):
        assert (right is None and got == np.inf) or abs(Fraction(got.item()) - right) <= n * 2.0**-50 * 10
    assert result.verify()


@every_bellman_ford
def test_rounding_does_not_hide_a_negative_cycle(way: dict[str, object], device: reedsp.Device) -> None:
    """At 1e16 neighbouring floats are 2 apart, so that +0.5 and -0.75 both vanish in a path weight."""
    graph = reedsp.Graph.from_edges(4, [0, 1, 2, 2], [1, 2, 1, 3], [1e16, 0.5, -0.75, 1.0])
    with pytest.raises(reedsp.NegativeCycleError) as caught:
        reedsp.sssp(graph, 0, device=device, **way)
    assert sorted(caught.value.cycle[:-1]) == [1, 2]
    assert caught.value.weight == -0.25


@every_bellman_ford
def test_rounding_does_not_fake_a_negative_cycle(way: dict[str, object], device: reedsp.Device) -> None:
    """+0.9 vanishes at 1e16 and -1.1 counts as -2, so that the floats sink along a cycle of weight +0.7."""
    u, v, weights = [0, 1, 2, 3, 3], [1, 2, 3, 1, 4], [1e16, 0.9, 0.9, -1.1, 8.0]
    result = reedsp.sssp(reedsp.Graph.from_edges(5, u, v, weights), 0, device=device, **way)
    expected = oracle.distances(5, edges_of(u, v, weights, True), 0)
    assert result.dist.tolist() == [float(d) for d in expected]
    assert result.pred.tolist() == oracle.predecessors(5, edges_of(u, v, weights, True), 0, expected)
    assert result.stats["exact_on_host"] == 1
    assert result.verify()


@pytest.mark.deep
@every_bellman_ford
def test_13_cycle_total_of_minus_one_among_large_weights(way: dict[str, object], device: reedsp.Device) -> None:
    n = 1000
    rng = np.random.default_rng(0)
    weights = rng.integers(-(10**6), 10**6, n)
    weights[-1] -= weights.sum() + 1
    graph = reedsp.Graph.from_edges(n, np.arange(n), (np.arange(n) + 1) % n, weights)
    with pytest.raises(reedsp.NegativeCycleError, match="weight -1:"):
        reedsp.sssp(graph, 17, device=device, **way)
    weights[-1] += 1
    graph = reedsp.Graph.from_edges(n, np.arange(n), (np.arange(n) + 1) % n, weights)
    assert reedsp.sssp(graph, 17, device=device, **way).dist[16] == -weights[16]


@pytest.mark.deep
@every_bellman_ford
def test_19_sums_beyond_int32_and_int64(way: dict[str, object], device: reedsp.Device) -> None:
    big = 2**62
    path = reedsp.Graph.from_edges(4, [0, 1, 2], [1, 2, 3], [big, big - 1, 1])
    with pytest.raises(OverflowError, match="int64"):
        reedsp.sssp(path, 0, device=device, **way)
    assert reedsp.sssp(path, 1, dtype="int64", device=device, **way).dist.tolist() == [2**63 - 1, 0, big - 1, big]
    twice = reedsp.Graph.from_edges(3, [0, 1], [1, 2], [2**31 - 1, 2**31 - 1])
    assert reedsp.sssp(twice, 0, device=device, **way).dist.tolist() == [0, 2**31 - 1, 2**32 - 2]
    with pytest.raises(OverflowError, match=r"dist\[1\] = 2147483647 is outside int32"):
        reedsp.sssp(twice, 0, dtype="int32", device=device, **way)
    downhill = reedsp.Graph.from_edges(4, [0, 1, 2], [1, 2, 3], [-big, -big, -1])
    with pytest.raises(OverflowError, match="int64"):
        reedsp.sssp(downhill, 0, device=device, **way)


@pytest.mark.deep("parallel", "a group a source", "refined")
@near_far_in_work_groups("int64", "near-far in groups")
@every_way
def test_24_integers_beyond_float64(way: dict[str, object], device: reedsp.Device) -> None:
    graph = reedsp.Graph.from_edges(3, [0, 1], [1, 2], [2**53, 1])
    with pytest.raises(ValueError, match=r"dist\[2\] = 9007199254740993 has no exact float64 value"):
        reedsp.sssp(graph, 0, device=device, **way)
    with pytest.raises(ValueError, match=r"dist\[0, 2\] = 9007199254740993"):
        reedsp.sssp(graph, [0], device=device, **way)
    result = reedsp.sssp(graph, 0, dtype="int64", device=device, **way)
    assert result.dist.tolist() == [0, 2**53, 2**53 + 1]
    assert result.verify()


@pytest.mark.deep("far", "parallel")
@every_way
def test_21_path_weights_beyond_the_largest_float(way: dict[str, object], device: reedsp.Device) -> None:
    graph = reedsp.Graph.from_edges(3, [0, 1], [1, 2], [1.5e308, 1.5e308])
    with pytest.raises(OverflowError, match="float64"):
        reedsp.sssp(graph, 0, device=device, **way)


@pytest.mark.deep("parallel", "refined", "a group a source", "far in local memory")
@near_far_in_work_groups("float32", "near-far in groups")
@every_way
def test_22_subnormal_weights_count(way: dict[str, object], device: reedsp.Device) -> None:
    tiny = 5e-324
    graph = reedsp.Graph.from_edges(4, [0, 1, 0, 3], [1, 2, 3, 2], [tiny, tiny, 3 * tiny, 0.0])
    assert reedsp.sssp(graph, 0, device=device, **way).dist.tolist() == [0, tiny, 2 * tiny, 3 * tiny]
    small = np.float32(1e-45)
    graph = reedsp.Graph.from_edges(3, [0, 1], [1, 2], np.array([small, small]))
    assert reedsp.sssp(graph, 0, dtype="float32", device=device, **way).dist.tolist() == [0, small, small + small]


def test_integer_results_have_a_largest_integer_for_no_path(device: reedsp.Device) -> None:
    graph = reedsp.Graph.from_edges(3, [0], [1], [5])
    for dtype in (np.int32, np.int64):
        result = reedsp.sssp(graph, 0, dtype=dtype, device=device)
        assert result.dist.dtype == dtype
        assert result.dist.tolist() == [0, 5, np.iinfo(dtype).max]
        assert result.to_dict() == {0: 0, 1: 5}


def test_float32_result_of_whole_weights_is_rounded_once(device: reedsp.Device) -> None:
    graph = reedsp.Graph.from_edges(3, [0, 1], [1, 2], [2**24, 1])
    result = reedsp.sssp(graph, 0, dtype="float32", device=device)
    assert result.dist.tolist() == [0, 2**24, 2**24]
    assert result.verify()


@pytest.mark.deep("parallel", "far", "refined")
@every_way
def test_cutoff_keeps_what_is_within(way: dict[str, object], device: reedsp.Device) -> None:
    family = named("random")
    graph = family.graph()
    full = reedsp.sssp(graph, 0, device=device, **way)
    for cutoff in (0, 20, 20.5, 21, np.inf):
        part = reedsp.sssp(graph, 0, cutoff=cutoff, device=device, **way)
        within = full.dist <= cutoff
        assert np.array_equal(part.dist, np.where(within, full.dist, np.inf))
        assert np.array_equal(part.pred, np.where(within, full.pred, -9999))
        assert part.verify()
    halves = reedsp.Graph.from_edges(3, [0, 1], [1, 2], [0.25, 0.5])
    assert reedsp.sssp(halves, 0, cutoff=0.75, device=device, **way).dist.tolist() == [0, 0.25, 0.75]
    assert reedsp.sssp(halves, 0, cutoff=np.nextafter(0.75, 0), device=device, **way).dist.tolist() == [0, 0.25, np.inf]


@every_way
def test_several_sources(way: dict[str, object], device: reedsp.Device) -> None:
    family = named("random")
    graph = family.graph()
    result = reedsp.sssp(graph, [3, -1, 3], device=device, **way)
    assert result.source == [3, family.n - 1, 3]
    for row, source in enumerate(result.source):
        single = reedsp.sssp(graph, source, device=device, **way)
        assert np.array_equal(result.dist[row], single.dist)
        assert np.array_equal(result.pred[row], single.pred)
    reached = int(np.flatnonzero(np.isfinite(result.dist[1]))[-1])
    assert result.path(reached, source=-1)[0] == family.n - 1
    with pytest.raises(ValueError, match="name one of the sources"):
        result.path(reached)
    assert result.verify()
    for empty in ([], np.array([], dtype=np.int64)):
        assert reedsp.sssp(graph, empty, device=device, **way).dist.shape == (0, family.n)


def test_routes(device: reedsp.Device) -> None:
    graph = reedsp.Graph.from_edges(5, [0, 0, 1, 2], [1, 2, 3, 3], [7, 2, 1, 3])
    result = reedsp.sssp(graph, 0, device=device)
    assert result.path(3) == [0, 2, 3]
    assert result.path(-2) == [0, 2, 3]
    assert result.path(0) == [0]
    with pytest.raises(ValueError, match="no path from vertex 0 to vertex 4"):
        result.path(4)
    with pytest.raises(ValueError, match="target = 5 is not a vertex"):
        result.path(5)
    assert "4 of 5 reached" in repr(result)


def test_networkx_graphs_keep_their_nodes(device: reedsp.Device) -> None:
    graph = nx.Graph()
    graph.add_edge("a", ("b", 1), weight=2)
    graph.add_edge(("b", 1), 3.5, weight=1)
    graph.add_node("alone")
    result = reedsp.sssp(graph, "a", target=3.5, device=device)
    assert result.path(3.5) == ["a", ("b", 1), 3.5]
    assert result.to_dict() == {"a": 0, ("b", 1): 2, 3.5: 3}
    assert reedsp.sssp(graph, ["a", 3.5], device=device).path("a", source=3.5) == [3.5, ("b", 1), "a"]
    with pytest.raises(ValueError, match="'z' is not a vertex"):
        reedsp.sssp(graph, "z", device=device)


def test_graph_may_be_anything_that_holds_one(device: reedsp.Device) -> None:
    dense = np.array([[0, 4.0, 1], [0, 0, 0], [0, 2, 0]])
    expected = [0, 3, 1]
    for graph in (dense, dense.tolist(), scipy.sparse.csr_array(dense), np.ma.masked_equal(dense, 0)):
        assert reedsp.sssp(graph, 0, device=device).dist.tolist() == expected
    with pytest.raises(TypeError, match="graph: expected"):
        reedsp.sssp("graph", 0, device=device)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"source": 3}, ValueError, "source = 3 is not a vertex of a graph with 3 vertices"),
        ({"source": -4}, ValueError, "source = -4"),
        ({"source": 1.5}, TypeError, "source: expected an integer, got 1.5"),
        ({"source": "0"}, TypeError, "source: expected an integer"),
        ({"source": [0, 7]}, ValueError, r"source\[1\] = 7"),
        ({"source": np.zeros((2, 2), int)}, ValueError, "2 dimensions"),
        ({"source": 0, "target": 9}, ValueError, "target = 9"),
        ({"source": 0, "method": "another"}, ValueError, "'auto', 'output-parallel'"),
        ({"source": 0, "cutoff": -1}, ValueError, "cutoff = -1"),
        ({"source": 0, "cutoff": float("nan")}, ValueError, "cutoff = nan"),
        ({"source": 0, "cutoff": True}, TypeError, "^cutoff: expected a number, got True"),
        ({"source": 0, "dtype": "int16"}, ValueError, "dtype = int16"),
        ({"source": 0, "dtype": "int32"}, ValueError, "fractional"),
        (
            {"source": 0, "options": {"delta": 3}},
            ValueError,
            "^options: 'delta' needs a method that has it: 'near-far' or",
        ),
        ({"source": 0, "device": "no such device"}, reedsp.DeviceError, "fits none of the devices found"),
        ({"source": 0, "device": 1.5}, TypeError, "device: expected"),
    ],
)
def test_bad_arguments(arguments: dict[str, object], error: type[Exception], message: str) -> None:
    graph = reedsp.Graph.from_edges(3, [0, 1], [1, 2], [0.5, 0.5])
    with pytest.raises(error, match=message):
        reedsp.sssp(graph, **arguments)


@pytest.mark.parametrize(
    ("method", "options", "error", "message"),
    [
        ("near-far", {"delta": "x"}, TypeError, "delta: expected a number, got 'x'"),
        ("near-far", {"delta": True}, TypeError, "delta: expected a number, got True"),
        ("near-far-local", {"delta": 0}, ValueError, "delta = 0, expected a number above 0"),
        ("near-far", {"delta": -3}, ValueError, "delta = -3, expected a number above 0"),
        ("near-far-local", {"delta": float("nan")}, ValueError, "delta = nan, expected a number above 0"),
        ("near-far", {"work_groups": 1.5}, TypeError, "work_groups: expected True or False, got 1.5"),
        ("near-far", {"work_groups": -1}, TypeError, "work_groups: expected True or False, got -1"),
        ("output-parallel", {"group_size": 0}, ValueError, "group_size = 0, expected an integer from 1 to"),
        ("output-parallel", {"group_size": 1 << 20}, ValueError, "group_size = 1048576, expected an integer from"),
        ("output-parallel", {"group_size": "x"}, TypeError, "group_size: expected an integer, got 'x'"),
        ("dijkstra-array", {"group_size": "x"}, TypeError, "group_size: expected an integer, got 'x'"),
        ("bellman-ford", {"group_size": 1.5}, TypeError, "group_size: expected an integer, got 1.5"),
        ("dijkstra-heap", {"arity": 2.0}, TypeError, "arity: expected an integer, got 2.0"),
    ],
)
def test_bad_options(method: Any, options: Any, error: type[Exception], message: str, device: reedsp.Device) -> None:
    graph = reedsp.Graph.from_edges(3, [0, 1], [1, 2], [1, 2])
    with pytest.raises(error, match=f"^options: {message}"):
        reedsp.sssp(graph, 0, method, options=options, device=device)


def test_cutoff_needs_weights_that_are_not_negative() -> None:
    with pytest.raises(ValueError, match="cutoff"):
        reedsp.sssp(reedsp.Graph.from_edges(2, [0], [1], [-1]), 0, cutoff=3)


def test_01_empty_graph_has_no_source() -> None:
    empty = reedsp.Graph.from_edges(0, [], [])
    with pytest.raises(ValueError, match="source = 0 is not a vertex of a graph with 0 vertices"):
        reedsp.sssp(empty, 0)


def test_progress_and_stats(device: reedsp.Device) -> None:
    family = named("path")
    seen: list[tuple[int, int]] = []
    result = reedsp.sssp(
        family.graph(), 0, "output-parallel", device=device, progress=lambda *state: seen.append(state)
    )
    assert result.rounds == family.n
    assert [rounds for rounds, _ in seen] == sorted(rounds for rounds, _ in seen)
    assert seen[-1][0] <= family.n
    assert {most for _, most in seen} == {family.n}
    assert result.stats["kernels_launched"] >= result.rounds
    assert result.stats["bytes_from_device"] > 0
    assert result.stats["milliseconds"] > 0
    assert str(device) == result.device == result.stats["device"]


@pytest.mark.deep("True")
@pytest.mark.parametrize("cooperative_loading", [False, True])
def test_progress_without_an_early_stop(cooperative_loading: bool, device: reedsp.Device) -> None:
    """Before each wait."""
    graph = reedsp.Graph.from_edges(70, range(69), range(1, 70))
    seen: list[tuple[int, int]] = []
    options = {"early_stop": False, "cooperative_loading": cooperative_loading}
    found = reedsp.sssp(
        graph, 0, "output-parallel", device=device, options=options, progress=lambda *state: seen.append(state)
    )
    assert found.dist.tolist() == list(range(70))
    assert seen == [(32, 69), (64, 69)]


def test_no_form_of_near_far_is_right(device: reedsp.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(near_far, "is_trusted", lambda *arguments: False)
    with pytest.raises(reedsp.DeviceError, match=r": near-far in int32 give wrong answers, or fail$"):
        reedsp.sssp(FAMILIES[0].graph(), 0, "near-far", device=device)


@pytest.mark.parametrize("method", ["near-far", "output-parallel", "input-parallel-refined"])
@pytest.mark.parametrize("source", [0, [3, 4]])
def test_phases_add_up_to_the_call(method: str, source: Any, device: reedsp.Device) -> None:
    matrix = scipy.sparse.random_array((300, 300), density=0.03, rng=np.random.default_rng(1), format="csr")
    started = time.perf_counter()
    stats = reedsp.sssp(matrix, source, method, device=device).stats
    elapsed = 1e3 * (time.perf_counter() - started)
    assert tuple(stats["phases"]) == ("prepare", "upload", "search", "tree", "download", "convert")
    assert min(stats["phases"].values()) > 0
    assert stats["milliseconds"] <= sum(stats["phases"].values()) <= elapsed


def test_phases_on_the_host(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(place, "_serves", True)
    paths = reedsp.sssp(FAMILIES[-1].graph(), 0)
    assert paths.device == place.HOST
    assert paths.stats["phases"]["search"] > 0
    assert paths.stats["phases"]["upload"] == paths.stats["phases"]["download"] == 0


@pytest.mark.parametrize("dtype", [np.float64, np.int32, np.float32, np.int64])
@pytest.mark.parametrize("source", [2, [2, 5]])
def test_distances_are_written_where_they_are_to_be(dtype: type, source: Any, device: reedsp.Device) -> None:
    """Also into an array with gaps, and with the rest of it untouched."""
    graph = reedsp.Graph.from_edges(9, [0, 2, 2, 5, 6], [1, 6, 7, 8, 5], [3, 4, 5, 1, 2])
    shape = (9,) if isinstance(source, int) else (2, 9)
    expected = reedsp.sssp(graph, source, dtype=dtype, device=device).dist
    wide = np.full((*shape[:-1], 20), 77, dtype)
    for out in (np.empty(shape, dtype), wide[..., 1:19:2]):
        paths = reedsp.sssp(graph, source, out=out, device=device)
        assert paths.dist is out
        np.testing.assert_array_equal(out, expected)
    assert (wide[..., ::2] == 77).all()
    assert (wide[..., 19] == 77).all()


@pytest.mark.parametrize("method", ["near-far", "output-parallel"])
def test_progress_of_several_sources(method: str, device: reedsp.Device) -> None:
    """How many of them are done; from the nearest of them there is one search, which has rounds."""
    family = named("path")
    seen: list[tuple[int, int]] = []
    reedsp.sssp(family.graph(), [0, 3, 0], method, device=device, progress=lambda *state: seen.append(state))
    assert seen == sorted(seen)
    assert seen[-1] == (3, 3)
    assert {total for _, total in seen} == {3}
    if method == "near-far":
        seen.clear()
        reedsp.sssp(family.graph(), [0, 3], method, min_only=True, device=device, progress=lambda *s: seen.append(s))
        assert {most for _, most in seen} == {family.n}


def test_verify_notices_each_broken_rule(device: reedsp.Device) -> None:
    graph = reedsp.Graph.from_edges(6, [0, 0, 1, 2, 3, 4], [1, 2, 3, 3, 4, 3], [1, 1, 1, 1, 0, 0])
    right = reedsp.sssp(graph, 0, device=device)
    assert right.verify()
    for index, value, rule in [
        (0, 1, "source"),
        (3, 1, "shorter path"),
        (3, 9, "shorter path"),
        (5, 1, "no edge that gives its distance"),
    ]:
        broken = reedsp.sssp(graph, 0, device=device)
        broken.dist[index] = value
        with pytest.raises(reedsp.VerificationError, match=rule):
            broken.verify()
    for index, value, rule in [
        (0, 1, "source"),
        (3, 0, "no edge that gives its distance"),
        (3, -9999, "no edge that gives its distance"),
        (5, 4, "no edge that gives its distance"),
        (4, 77, "is not a vertex"),
        (3, 4, "do not lead back to a source"),
    ]:
        broken = reedsp.sssp(graph, 0, device=device)
        broken.pred[index] = value
        with pytest.raises(reedsp.VerificationError, match=rule):
            broken.verify()


# ---- real graphs ------------------------------------------------------------------------------------


def test_usa_road_new_york(shared_data: Path, device: reedsp.Device) -> None:
    graph = reedsp.read(shared_data / "dimacs-ny" / "USA-road-d.NY.gr.gz")
    result = reedsp.sssp(graph, 1, device=device)
    assert np.isfinite(result.dist).all()
    assert result.dist.size == 264_346
    assert int(result.dist.sum()) == 186_686_642_878
    assert result.dist.max() == 1_440_081
    assert result.verify()
    # All weights are positive, so the tree is the smallest vertex among the tight edges into each vertex.
    edges = graph.to_scipy().tocoo()
    tight = result.dist[edges.row] + edges.data == result.dist[edges.col]
    smallest = np.full(graph.n, graph.n)
    np.minimum.at(smallest, edges.col[tight], edges.row[tight])
    assert np.array_equal(result.pred, np.where(smallest == graph.n, -9999, smallest))
    digest = hashlib.sha256(result.pred.astype("<i4").tobytes()).hexdigest()
    assert digest == "378b7fea28195469444ef91b60553ef67ed043d8b65e0e10fff5572a70727b53"  # on every device


def read_rodinia(file: Path) -> reedsp.Graph:
    """Rodinia's BFS format: n, then start and count of each vertex, the source, m, then target and weight."""
    numbers = np.array(gzip.decompress(file.read_bytes()).split(), np.int64)
    n = int(numbers[0])
    rows, m = numbers[1 : 1 + 2 * n].reshape(n, 2), int(numbers[2 + 2 * n])
    edges = numbers[3 + 2 * n :].reshape(m, 2)
    return reedsp.Graph.from_edges(n, np.repeat(np.arange(n), rows[:, 1]), edges[:, 0], edges[:, 1])


@pytest.mark.parametrize(("name", "total"), [("graph4096", 67_992), ("graph65536", 2_719_598)])
def test_rodinia(name: str, total: int, shared_data: Path, device: reedsp.Device) -> None:
    result = reedsp.sssp(read_rodinia(shared_data / "rodinia-bfs" / f"{name}.txt.gz"), 0, device=device)
    assert result.dist[np.isfinite(result.dist)].sum() == total
    assert result.verify()


@pytest.mark.parametrize(
    ("edges", "answer", "source", "directed"),
    [
        ("dir-input", "dir-output", 1, True),
        ("undir-input", "undir-output", 1, False),
        ("example-directed", "example-directed-SSSP", 1, True),
        ("example-undirected", "example-undirected-SSSP", 2, False),
    ],
)
def test_ldbc(edges: str, answer: str, source: int, directed: bool, shared_data: Path, device: reedsp.Device) -> None:
    folder = shared_data / "ldbc-sssp-answers"
    names = [int(line) for line in (folder / f"{edges}.v").read_text().split()]
    place = {name: vertex for vertex, name in enumerate(names)}
    rows = [line.split() for line in (folder / f"{edges}.e").read_text().splitlines()]
    graph = reedsp.Graph.from_edges(
        len(names),
        [place[int(u)] for u, _, _ in rows],
        [place[int(v)] for _, v, _ in rows],
        [float(w) for _, _, w in rows],
        directed=directed,
        labels=names,
    )
    result = reedsp.sssp(graph, source, device=device)
    for line in (folder / answer).read_text().splitlines():
        name, distance = line.split()
        assert result.dist[graph.index(int(name))] == pytest.approx(float(distance), rel=1e-12)
    assert result.verify()


@pytest.mark.deep("test_FW_2003")
@pytest.mark.parametrize(
    "name",
    ["cover", "jagmesh7", "karate", "ldbc-directed-example", "test_BF", "test_FW_1000", "test_FW_2003", "west0067"],
)
def test_lagraph(name: str, shared_data: Path, device: reedsp.Device) -> None:
    graph = reedsp.read(shared_data / "lagraph-mtx" / f"{name}.mtx.gz")
    entries = graph.to_scipy().tocoo()
    edges = edges_of(entries.row, entries.col, entries.data.tolist(), True)
    try:
        expected = oracle.distances(graph.n, edges, 0)
    except oracle.NegativeCycle:
        with pytest.raises(reedsp.NegativeCycleError) as caught:
            reedsp.sssp(graph, 1, device=device)
        assert oracle.closed_walk_weight(edges, [graph.index(name) for name in caught.value.cycle]) < 0
        return
    result = reedsp.sssp(graph, 1, device=device)
    if graph.has_integral_weights:
        assert exact(result.dist) == expected
    else:
        finite = [float(d) if d is not None else np.inf for d in expected]
        assert result.dist == pytest.approx(finite, rel=1e-13)
    if name == "test_FW_2003":
        assert np.isfinite(result.dist).sum() == 1519
        assert result.dist[np.isfinite(result.dist)].sum() == 35609
    assert result.verify()


@every_bellman_ford
def test_14_the_source_is_at_distance_zero(way: dict[str, object], device: reedsp.Device) -> None:
    """Cycles that weigh nothing, but less than nothing in floats."""
    if not device.fp64:
        pytest.skip("the device has no doubles")
    u, v = [4, 1, 2, 4, 1, 1, 1, 2, 3, 5, 6, 0], [1, 2, 3, 5, 6, 0, 4, 1, 2, 4, 1, 1]
    w = [0.21970961435511716, 0.13435811751845772, 0.005975651872091259]
    w += [-0.4402132687350321, -0.32350035663031174, 0.49823572448357223]
    paths = reedsp.sssp(reedsp.Graph.from_edges(7, u, v, [*w, *(-x for x in w)]), 5, device=device, **way)
    assert paths.dist[5] == 0
    assert paths.pred[5] == -9999
    assert paths.verify()


@pytest.mark.parametrize("method", ["near-far", "output-parallel"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.int32])
def test_distances_in_an_array_of_the_caller(method: str, dtype: type, device: reedsp.Device) -> None:
    graph = reedsp.Graph.from_edges(4, [0, 0, 1, 2], [1, 2, 3, 3], [7, 2, 1, 3])
    one, two, strided = np.zeros(4, dtype), np.zeros((2, 4), dtype), np.zeros((4, 6), dtype)[::2, ::-1][:, :4]
    for source, out in ((0, one), ([0, 3], two), ([3, 0], strided[:2])):
        paths = reedsp.sssp(graph, source, method, out=out, device=device)
        assert paths.dist is out
        assert np.array_equal(out, reedsp.sssp(graph, source, dtype=dtype, device=device).dist)
        assert paths.verify()
    nearest = reedsp.sssp(graph, [1, 2], out=one, min_only=True, device=device)
    assert one.tolist() == reedsp.sssp(graph, [1, 2], dtype=dtype, min_only=True, device=device).dist.tolist()
    assert nearest.dist is one


def test_an_array_of_no_distances(device: reedsp.Device) -> None:
    graph, out = reedsp.Graph.from_edges(0, [], []), np.empty((0, 0))
    assert reedsp.sssp(graph, [], out=out, device=device).dist is out


def test_array_that_cannot_hold_the_distances(device: reedsp.Device) -> None:
    graph = reedsp.Graph.from_edges(4, [0, 0, 1, 2], [1, 2, 3, 3], [7, 2, 1, 3])
    read_only = np.zeros(4)
    read_only.flags.writeable = False
    for out, dtype, message in (
        (np.zeros(3), None, r"^out has shape \(3,\) and dtype float64, expected \(4,\) and float64$"),
        (np.zeros((1, 4)), None, r"^out has shape \(1, 4\)"),
        (np.zeros(4), "int64", r"^out has .* dtype float64, expected \(4,\) and int64$"),
        (np.zeros(4, np.int16), None, r"^out\.dtype = int16, expected one of"),
        (read_only, None, "^out is read-only$"),
    ):
        with pytest.raises(ValueError, match=message):
            reedsp.sssp(graph, 0, dtype=dtype, out=out, device=device)
        assert not out.any()


@pytest.mark.parametrize(
    ("method", "options"),
    [
        ("near-far-local", {"group_size": np.int32(8)}),
        ("near-far", {"delta": Fraction(1, 3)}),
        ("near-far", {"delta": 10**400}),
        ("near-far", {"work_groups": np.bool_(False), "delta": np.float32(2)}),
        ("input-parallel-refined", {"balance": np.str_("direct-search")}),
    ],
)
def test_options_of_other_types(method: Any, options: Any, device: reedsp.Device) -> None:
    graph = reedsp.Graph.from_edges(3, [0, 1], [1, 2], [1, 2])
    assert reedsp.sssp(graph, 0, method, options=options, device=device).dist.tolist() == [0, 1, 3]


@pytest.mark.parametrize("method", ["dijkstra", "nearby"])
def test_methods_of_the_host_are_not_asked_for(method: Any, device: reedsp.Device) -> None:
    with pytest.raises(ValueError, match=rf"^method = '{method}' is the host's, which 'auto' takes where it is done"):
        reedsp.sssp([[0, 1], [0, 0]], 0, method=method, device=device)
