"""Bellman-Ford with a queue: families, negative cycles, pauses, rows, and what saturates or rounds."""

from __future__ import annotations

import numpy as np
import pytest

import reedsp
from reedsp.algorithms.single_source import bellman_ford_queue
from reedsp.device import iterate
from reedsp.device.device import Device
from reedsp.device.job import Launched, recording
from tests.support import oracle
from tests.support.families import CYCLE_FREE, NEGATIVE_CYCLES, Family, named

METHOD = "bellman-ford-queue"

families = pytest.mark.parametrize("family", CYCLE_FREE, ids=lambda family: family.name)


@pytest.mark.deep("int32", "int64", "float32")
@families
@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
def test_every_type(family: Family, dtype: str, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """More sources than work-items, each of which pauses after every vertex."""
    if max(family.weights, default=0) > 2**20 and np.dtype(dtype).itemsize == 4:
        pytest.skip("the weights do not fit into this type")
    monkeypatch.setattr(bellman_ford_queue, "_LEAST_BUDGET", 1)
    monkeypatch.setattr(bellman_ford_queue, "_FIRST_BUDGET", 1)
    monkeypatch.setattr(device, "compute_units", 2)
    sources = sorted({family.source, 0, family.n // 2, family.n - 1})
    found = reedsp.sssp(family.graph(np.dtype(dtype).type), sources, METHOD, dtype=dtype, device=device)
    for row, source in enumerate(sources):
        expected = oracle.distances(family.n, family.edges, source)
        none = np.inf if dtype.startswith("f") else np.iinfo(dtype).max
        assert found.dist[row].tolist() == [none if each is None else each for each in expected]
    assert found.verify()


@families
def test_same_bytes_as_output_parallel(family: Family, device: Device) -> None:
    graph, sources = family.graph(), [family.source, 0, family.source]
    expected, found = (reedsp.sssp(graph, sources, each, device=device) for each in ("output-parallel", METHOD))
    assert found.dist.tobytes() == expected.dist.tobytes()
    assert found.pred.tobytes() == expected.pred.tobytes()
    if not graph.has_negative_weights:
        within = [reedsp.sssp(graph, 0, each, cutoff=20, device=device) for each in (expected.method, METHOD)]
        assert within[0].dist.tobytes() == within[1].dist.tobytes()
        assert within[0].pred.tobytes() == within[1].pred.tobytes()


@pytest.mark.parametrize("dtype", ["int64", "float64"])
@pytest.mark.parametrize("family", NEGATIVE_CYCLES, ids=lambda family: family.name)
def test_negative_cycles(family: Family, dtype: str, device: Device) -> None:
    graph = family.graph(np.dtype(dtype).type)
    for sources in (family.source, [family.n - 1, family.source, 0]):
        with pytest.raises(reedsp.NegativeCycleError) as caught:
            reedsp.sssp(graph, sources, METHOD, device=device)
        assert oracle.closed_walk_weight(family.edges, caught.value.cycle) < 0


def test_negative_cycle_out_of_reach(device: Device) -> None:
    family = named("negative cycle out of reach")
    found = reedsp.sssp(family.graph(), [0, 1], METHOD, device=device)
    assert found.dist[0].tolist() == [np.inf if d is None else d for d in oracle.distances(6, family.edges, 0)]
    with pytest.raises(reedsp.NegativeCycleError):
        reedsp.sssp(family.graph(), [0, 4], METHOD, device=device)


def test_a_cycle_through_a_vertex_of_many_edges(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is looked for once as many edges were relaxed as there are some times over, however few vertices."""
    monkeypatch.setattr(iterate, "_SECONDS", 3600.0)
    leaves = np.arange(3, 20_000)
    heads, tails = [1, 2, 1, *leaves, *leaves], [0, 1, 2, *[0] * len(leaves), *[1] * len(leaves)]
    weights = [0, 0, -1, *[-(10**9)] * len(leaves), *[0] * len(leaves)]
    graph, launches = reedsp.Graph.from_edges(20_000, tails, heads, weights), []
    for sources in (0, 0, [5, 0, 0]):
        launched: list[Launched] = []
        with recording(launched.append), pytest.raises(reedsp.NegativeCycleError) as caught:
            reedsp.sssp(graph, sources, METHOD, device=device)
        assert sorted(caught.value.cycle[1:]) == [1, 2]
        launches.append(len(launched))
    assert max(launches[1:]) < 30, "the first search may have had the kernel's trial"


def test_edges_of_fallen_vertices_only(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a path each vertex falls once, whatever the weights; rounds would take a launch for each."""
    monkeypatch.setattr(iterate, "_SECONDS", 3600.0)
    n = 3000
    weights = np.where(np.arange(n - 1) % 2, -4, 5)
    graph = reedsp.Graph.from_edges(n, range(n - 1), range(1, n), weights)
    found = reedsp.sssp(graph, 0, METHOD, device=device)
    assert found.rounds == n
    assert found.dist.tolist() == [0, *np.cumsum(weights).tolist()]
    if device.kind == "cpu":
        assert found.stats["kernels_launched"] < 100


def test_vertices_are_queued_once(device: Device) -> None:
    """All lower the distance of the last one, which waits meanwhile; and the queue goes round."""
    middle = np.arange(1, 101)
    graph = reedsp.Graph.from_edges(
        102, [*[0] * 100, *middle, 101], [*middle, *[101] * 100, 1], [*[1] * 100, *-middle, 200]
    )
    found = reedsp.sssp(graph, [0, 101], METHOD, device=device)
    assert found.rounds == 102 + 2
    assert found.dist[:, 101].tolist() == [-99, 0]
    assert found.pred[0, 101] == 100


def test_fractional_weights(device: Device) -> None:
    rng = np.random.default_rng(1)
    ends, height = rng.integers(0, 200, (2, 900)), rng.random(200)
    weights = rng.random(900) + height[ends[1]] - height[ends[0]]
    graph, sources = reedsp.Graph.from_edges(200, *ends, weights), [3, 0, 3, 150]
    expected, found = (reedsp.sssp(graph, sources, each, device=device) for each in ("output-parallel", METHOD))
    assert graph.has_negative_weights
    assert found.dist.tobytes() == expected.dist.tobytes()
    assert found.pred.tobytes() == expected.pred.tobytes()


def test_sums_that_saturate(device: Device) -> None:
    heavy = 2**62
    rises = reedsp.Graph.from_edges(4, [0, 1, 2], [1, 2, 3], [heavy, heavy, -1])
    with pytest.raises(OverflowError, match=r"^a distance from vertex 0 is beyond int64$"):
        reedsp.sssp(rises, [0, 1], METHOD, device=device, dtype="int64")
    falls = reedsp.Graph.from_edges(4, [0, 1, 2], [1, 2, 3], [-heavy, -heavy, -1])
    with pytest.raises(OverflowError, match=r"^a distance from vertex 0 is below int64$"):
        reedsp.sssp(falls, [0, 1], METHOD, device=device, dtype="int64")
    assert reedsp.sssp(falls, [2, 3], METHOD, device=device, dtype="int64").dist[0, 3] == -1
    turns = reedsp.Graph.from_edges(3, [0, 1, 2], [1, 2, 1], [0, -heavy, -heavy])
    with pytest.raises(reedsp.NegativeCycleError):
        reedsp.sssp(turns, 0, METHOD, device=device, dtype="int64")


@pytest.mark.parametrize("bits", [21, 25, 53, 57])
def test_sums_that_would_leave_the_type(bits: int, device: Device) -> None:
    """A path weight below all simple paths stops the search, many turns before a look at the predecessors is due."""
    for n in (2, 5):
        vertices = np.arange(n)
        turn = reedsp.Graph.from_edges(n, vertices, np.roll(vertices, -1), [-(2**bits)] * n)
        for sources in (0, [1, 0]):
            with pytest.raises(reedsp.NegativeCycleError):
                reedsp.sssp(turn, sources, METHOD, device=device)
    path = reedsp.Graph.from_edges(4, [0, 1, 2], [1, 2, 3], [-(2**bits)] * 3)
    assert reedsp.sssp(path, 0, METHOD, device=device).dist.tolist() == [-depth * 2.0**bits for depth in range(4)]


@pytest.mark.parametrize("bits", [22, 54])
def test_a_cycle_is_looked_for_before_a_second_turn_leaves_the_type(bits: int, device: Device) -> None:
    vertices = np.arange(200)
    turn = reedsp.Graph.from_edges(200, vertices, np.roll(vertices, -1), [-(2**bits)] * 200)
    with pytest.raises(reedsp.NegativeCycleError):
        reedsp.sssp(turn, 0, METHOD, device=device)


def test_rounding_makes_a_cycle(device: Device) -> None:
    """Each turn of a cycle of weight 0.3 loses 2: that row is solved in integers, and the other one as it is."""
    graph = reedsp.Graph.from_edges(5, [0, 1, 2, 3, 4], [1, 2, 3, 1, 3], [1e16, 0.9, 0.9, -1.5, 0.25])
    for sources, rows in ((0, 1), ([0, 4], 1)):
        found = reedsp.sssp(graph, sources, METHOD, device=device)
        assert np.atleast_2d(found.dist)[0].tolist() == [0, 1e16, 1e16, 1e16 + 2, np.inf]
        assert found.stats["exact_on_host"] == rows
        assert found.verify()
    assert found.dist[1].tolist() == [np.inf, -1.25, -0.35, 0.25, 0]


def test_progress(device: Device) -> None:
    n, seen = 300, []
    graph = reedsp.Graph.from_edges(n, range(n - 1), range(1, n), [-1] * (n - 1))
    reedsp.sssp(graph, [0, 30], METHOD, device=device, progress=lambda *state: seen.append(state))
    assert seen[-1] == (2, 2)


def test_rows_fit_into_memory(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    arithmetic = reedsp.algorithms.single_source.sssp.Arithmetic(np.dtype(np.int32))
    monkeypatch.setattr(device, "max_allocation", 1 << 40)
    monkeypatch.setattr(device, "kind", "gpu")
    monkeypatch.setattr(device, "global_memory", 1 << 30)
    assert bellman_ford_queue.rows_at_once(device, arithmetic, 1000) == (1 << 28) // 28_000
    monkeypatch.setattr(device, "kind", "cpu")
    assert bellman_ford_queue.rows_at_once(device, arithmetic, 1000) == (1 << 24) // 28_000
    monkeypatch.setattr(device, "max_allocation", 12_000)
    assert bellman_ford_queue.rows_at_once(device, arithmetic, 1000) == 3
