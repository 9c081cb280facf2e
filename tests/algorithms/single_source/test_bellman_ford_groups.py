"""Bellman-Ford with a work-group a source: families, negative cycles, pauses, local memory, and what it counts."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse.csgraph

import reedsp
from reedsp.algorithms.single_source import bellman_ford_groups
from reedsp.arithmetic.paths import Arithmetic
from reedsp.device.build import constants
from reedsp.device.device import Device
from reedsp.device.iterate import Pace
from reedsp.device.job import Job
from reedsp.edges.device_graph import DeviceGraph
from tests.support import oracle
from tests.support.families import CYCLE_FREE, NEGATIVE_CYCLES, Family, named

DTYPES = [np.dtype(name) for name in ("int32", "int64", "float32", "float64")]
LAYOUT = constants("single_source/bellman_ford_groups.cl")

families = pytest.mark.parametrize("family", CYCLE_FREE, ids=lambda family: family.name)


def search(
    device: Device,
    graph: reedsp.Graph,
    sources: list[int],
    dtype: np.dtype,
    group_size: int = 16,
    local_memory: bool = True,
    budget: int = 1 << 40,
    groups: int = 2,
) -> tuple[np.ndarray, bellman_ford_groups.Found]:
    arithmetic, job = Arithmetic(dtype), Job(device)
    on_device = DeviceGraph.of(graph, job, arithmetic, in_degree_order=False)
    found = bellman_ford_groups.search(
        *(job, on_device, [[source] for source in sources], arithmetic.infinity, graph.has_negative_weights),
        group_size=group_size,
        local_memory=local_memory,
        groups=groups,
        pace=Pace(budget, budget),
    )
    dist = job.download(found.weights, len(sources) * graph.n, dtype).reshape(-1, graph.n)
    return np.where(dist == arithmetic.infinity, np.inf, dist), found


@pytest.mark.deep
@families
@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: f"{dtype}-")
@pytest.mark.parametrize("local_memory", [False, True])
def test_every_type(family: Family, dtype: np.dtype, local_memory: bool, device: Device) -> None:
    """More sources than work-groups, and as many rounds as Bellman-Ford takes."""
    if max(family.weights, default=0) > 2**20 and dtype.itemsize == 4:
        pytest.skip("the weights do not fit into this type")
    sources = sorted({family.source, 0, family.n // 2, family.n - 1})
    got, found = search(device, family.graph(), sources, dtype, local_memory=local_memory)
    for row, source in zip(got.tolist(), sources, strict=True):
        expected = oracle.distances(family.n, family.edges, source)
        assert row == [np.inf if each is None else float(each) for each in expected]
    one = [search(device, family.graph(), [source], dtype)[1].rests[0] for source in sources]
    assert found.rests.tolist() == one
    assert found.rounds == sum(one)


@pytest.mark.deep("heavy", "negative edges")
@families
def test_same_bytes_as_output_parallel(family: Family, device: Device) -> None:
    graph, sources = family.graph(), [family.source, 0, family.source]
    expected, found = (reedsp.sssp(graph, sources, each, device=device) for each in ("output-parallel", "bellman-ford"))
    assert found.dist.tobytes() == expected.dist.tobytes()
    assert found.pred.tobytes() == expected.pred.tobytes()
    assert found.rounds == expected.rounds
    if not graph.has_negative_weights:
        within = [reedsp.sssp(graph, 0, each, cutoff=20, device=device) for each in (expected.method, found.method)]
        assert within[0].dist.tobytes() == within[1].dist.tobytes()
        assert within[0].pred.tobytes() == within[1].pred.tobytes()


@pytest.mark.deep("float64")
@pytest.mark.parametrize("dtype", ["int64", "float64"])
@pytest.mark.parametrize("family", NEGATIVE_CYCLES, ids=lambda family: family.name)
def test_negative_cycles(family: Family, dtype: str, device: Device) -> None:
    graph = family.graph(np.dtype(dtype).type)
    sources = [family.n - 1, family.source, 0]
    with pytest.raises(reedsp.NegativeCycleError) as caught:
        reedsp.sssp(graph, sources, "bellman-ford", device=device)
    assert oracle.closed_walk_weight(family.edges, caught.value.cycle) < 0


def test_negative_cycle_out_of_reach(device: Device) -> None:
    family = named("negative cycle out of reach")
    found = reedsp.sssp(family.graph(), [0, 1], "bellman-ford", device=device)
    assert found.dist[0].tolist() == [np.inf if d is None else d for d in oracle.distances(6, family.edges, 0)]
    with pytest.raises(reedsp.NegativeCycleError):
        reedsp.sssp(family.graph(), [0, 4], "bellman-ford", device=device)


def test_rows_after_one_in_unrest_are_abandoned(device: Device) -> None:
    graph = reedsp.Graph.from_edges(300, [*range(299), 1], [*range(1, 300), 0], [1] * 299 + [-5])
    _, found = search(device, graph, [5] + [200] * 40, np.dtype(np.int32), groups=1)
    assert found.rests[0] == 295  # all vertices after the source, and a round without an update
    _, found = search(device, graph, [0] + [200] * 40, np.dtype(np.int32), groups=1)
    assert found.rests.tolist() == [LAYOUT["UNREST"]] + [LAYOUT["ABANDONED"]] * 40
    assert found.in_unrest


def test_fractional_weights(device: Device) -> None:
    rng = np.random.default_rng(1)
    ends, height = rng.integers(0, 200, (2, 900)), rng.random(200)
    weights = rng.random(900) + height[ends[1]] - height[ends[0]]
    for graph in (reedsp.Graph.from_edges(200, *ends, weights), reedsp.Graph.from_edges(200, *ends, rng.random(900))):
        sources = [0, 5, 77]
        expected, found = (
            reedsp.sssp(graph, sources, each, device=device) for each in ("output-parallel", "bellman-ford")
        )
        assert found.dist.tobytes() == expected.dist.tobytes()
        assert found.pred.tobytes() == expected.pred.tobytes()


def test_rows_that_rounding_has_spoilt(device: Device) -> None:
    """They, and those that were abandoned then, are as by the other methods."""
    u, v, weights = [0, 1, 2, 3, 3], [1, 2, 3, 1, 4], [1e16, 0.9, 0.9, -1.1, 8.0]
    graph, sources = reedsp.Graph.from_edges(5, u, v, weights), [0, 4, 1, 0, 3, 2]
    expected, found = (reedsp.sssp(graph, sources, each, device=device) for each in ("output-parallel", "bellman-ford"))
    assert found.dist.tobytes() == expected.dist.tobytes()
    assert found.pred.tobytes() == expected.pred.tobytes()
    assert found.stats["exact_on_host"] == expected.stats["exact_on_host"] == 2


def test_saturated_sums(device: Device) -> None:
    heavy = 2**62
    graph = reedsp.Graph.from_edges(4, [0, 1, 2, 0], [1, 2, 3, 3], [heavy, heavy, heavy, 5])
    with pytest.raises(OverflowError, match="beyond int64"):
        reedsp.sssp(graph, [0, 1], "bellman-ford", device=device, dtype="int64")
    falls = reedsp.Graph.from_edges(4, [0, 1, 2, 0], [1, 2, 3, 3], [-heavy, -heavy, -heavy, 5])
    with pytest.raises(OverflowError, match="below int64"):
        reedsp.sssp(falls, [0, 1], "bellman-ford", device=device, dtype="int64")
    assert reedsp.sssp(falls, [2, 3], "bellman-ford", device=device, dtype="int64").dist[0, 3] == -heavy


def test_sums_that_could_saturate_without_predecessors(device: Device) -> None:
    heavy, none = 2**62, 2**63 - 1
    search = {"device": device, "dtype": "int64", "options": {"search": "bellman-ford"}}
    graph = reedsp.Graph.from_edges(4, [0, 2, 3], [1, 1, 1], [heavy, heavy, heavy + 5])
    expected = [[0, heavy, none, none], [none, 0, none, none], [none, heavy, 0, none], [none, heavy + 5, none, 0]]
    assert reedsp.apsp(graph, "johnson", **search).dist.tolist() == expected  # type: ignore[call-overload]
    beyond = reedsp.Graph.from_edges(4, [0, 1, 2], [1, 2, 3], [heavy, heavy, heavy])
    with pytest.raises(OverflowError, match="from vertex 0 to vertex 2 is beyond int64"):
        reedsp.apsp(beyond, "johnson", **search)  # type: ignore[call-overload]


def test_progress(device: Device) -> None:
    """The rounds of the only source; of several sources, how many are done."""
    graph = reedsp.Graph.from_edges(70, range(69), range(1, 70))
    seen: list[tuple[int, int]] = []
    reedsp.sssp(graph, 0, "bellman-ford", device=device, progress=lambda *state: seen.append(state))
    assert seen == sorted(seen)
    assert seen[-1] == (70, 70)
    seen.clear()
    reedsp.sssp(graph, [0, 30], "bellman-ford", device=device, progress=lambda *state: seen.append(state))
    assert seen == sorted(seen)
    assert seen[-1] == (2, 2)


@pytest.mark.deep("-3", "-64", "-256")
@pytest.mark.parametrize("group_size", [1, 3, 64, 256], ids=lambda size: f"-{size}")
@pytest.mark.parametrize("local_memory", [False, True])
def test_group_sizes(group_size: int, local_memory: bool, device: Device) -> None:
    rng = np.random.default_rng(2)
    graph = reedsp.Graph.from_edges(700, *rng.integers(0, 700, (2, 5000)), rng.integers(0, 1000, 5000))
    options = {"group_size": group_size, "local_memory": local_memory}
    found = reedsp.sssp(graph, [5, 699, 0], "bellman-ford", device=device, options=options)
    assert np.array_equal(found.dist, scipy.sparse.csgraph.dijkstra(graph.to_scipy(), indices=[5, 699, 0]))
    assert found.verify()


@pytest.mark.deep("16-False", "1-True")
@pytest.mark.parametrize("local_memory", [False, True])
@pytest.mark.parametrize("group_size", [1, 16])
def test_a_row_goes_on_where_the_launch_before_has_ended(group_size: int, local_memory: bool, device: Device) -> None:
    family = named("negative edges")
    graph, sources = family.graph(), [0, 9, 30]
    whole, at_once = search(device, graph, sources, np.dtype(np.int32))
    for budget in (1, 3 * (graph.n + graph.m)):
        parts, found = search(device, graph, sources, np.dtype(np.int32), group_size, local_memory, budget)
        assert np.array_equal(parts, whole)
        assert found.rests.tolist() == at_once.rests.tolist()
        assert found.rounds == at_once.rounds


def test_what_it_counts(device: Device) -> None:
    """Two operations an edge and a round, and of accesses those of distances only where these are not local."""
    rng = np.random.default_rng(3)
    graph = reedsp.Graph.from_edges(90, *rng.integers(0, 90, (2, 400)), rng.integers(0, 100, 400))
    arithmetic, group_size, sources = Arithmetic(np.dtype(np.int32)), 8, [0, 50, 7]
    for local_memory in (False, True):
        job = Job(device)
        on_device = DeviceGraph.of(graph, job, arithmetic, in_degree_order=False)
        length = len(sources) * group_size * LAYOUT["COUNTED"]
        counts = job.full(length, np.uint64(0))
        found = bellman_ford_groups.search(
            *(job, on_device, [[source] for source in sources], arithmetic.infinity, False),
            group_size=group_size,
            local_memory=local_memory,
            counts=counts,
            pace=Pace(1, 1),  # launches add to what those before have counted
        )
        of_items = job.download(counts, length, np.uint64).reshape(len(sources), group_size, -1)
        totals = of_items.sum(axis=1).astype(np.int64)
        rounds = found.rests.astype(np.int64)
        assert totals[:, LAYOUT["OPERATIONS"]].tolist() == (2 * graph.m * rounds).tolist()
        per_round = 2 * graph.m + 2 * graph.n + (0 if local_memory else graph.m + 2 * graph.n)
        assert totals[:, LAYOUT["ACCESSES"]].tolist() == (per_round * rounds).tolist()
        reached = np.isfinite(scipy.sparse.csgraph.dijkstra(graph.to_scipy(), indices=sources)).sum(axis=1) - 1
        assert (totals[:, LAYOUT["INSERTIONS"]] >= reached).all()


def test_bad_options(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = reedsp.Graph.from_edges(200, [0], [1], [7])
    for size in (0, -5, device.max_work_group_size + 1):
        with pytest.raises(ValueError, match=r"^options: group_size = .*, expected an integer from 1 to"):
            reedsp.sssp(graph, [0], "bellman-ford", device=device, options={"group_size": size})
    monkeypatch.setattr(device, "local_memory", 1024)
    with pytest.raises(ValueError, match="local_memory = True, but 200 vertices do not fit, 120 would"):
        reedsp.sssp(graph, [0], "bellman-ford", device=device, options={"local_memory": True})
    assert reedsp.sssp(graph, [0], "bellman-ford", device=device).dist[0, 1] == 7
    with pytest.raises(ValueError, match="min_only: method 'bellman-ford' cannot do it"):
        reedsp.sssp(graph, [0, 1], "bellman-ford", device=device, min_only=True)


def test_local_memory_where_it_fits(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """But on CPUs."""
    asked: list[object] = []
    kernel = Device.kernel
    monkeypatch.setattr(
        *(Device, "kernel"),
        lambda self, file, name, **macros: asked.append(macros.get("IN_LOCAL")) or kernel(self, file, name, **macros),
    )
    graph = reedsp.Graph.from_edges(100, np.arange(99), np.arange(1, 100), np.ones(99, int))
    arithmetic = Arithmetic(np.dtype(np.int32))
    for kind, memory, expected in (("cpu", 1 << 16, 0), ("gpu", 1 << 16, 1), ("gpu", 8 * 100 + 63, 0), ("gpu", 864, 1)):
        monkeypatch.setattr(device, "kind", kind)
        monkeypatch.setattr(device, "local_memory", memory)
        job = Job(device)
        on_device = DeviceGraph.of(graph, job, arithmetic, in_degree_order=False)
        asked.clear()
        bellman_ford_groups.search(job, on_device, [[0]], arithmetic.infinity, False, group_size=4)
        assert asked == [expected]


@pytest.mark.parametrize("family", NEGATIVE_CYCLES, ids=lambda family: family.name)
def test_johnson_with_a_negative_cycle(family: Family, device: Device) -> None:
    with pytest.raises(reedsp.NegativeCycleError) as caught:
        reedsp.apsp(family.graph(), "johnson", device=device, options={"search": "bellman-ford"})
    assert oracle.closed_walk_weight(family.edges, caught.value.cycle) < 0
