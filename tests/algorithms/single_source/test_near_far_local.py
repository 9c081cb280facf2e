"""Near-far in local memory: families, types, sizes of work-groups, pauses, 16 bits, and graphs that do not fit."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

import reedsp
from reedsp.algorithms.single_source import near_far_local
from reedsp.algorithms.single_source.near_far_local import Tuning
from reedsp.arithmetic.paths import Arithmetic
from reedsp.device.device import Device
from reedsp.device.errors import DeviceError, DeviceMemoryError
from reedsp.device.job import Job
from reedsp.edges.device_graph import OutEdges
from tests.algorithms.single_source.answers import random_graph, references
from tests.support import oracle
from tests.support.families import NOT_NEGATIVE, Family

DTYPES = [np.dtype(name) for name in ("int32", "int64", "float32", "float64")]
INT32 = np.dtype(np.int32)
SETTINGS = Tuning(
    group_size=16, lanes=4, edges_at_once=2, hub=9, queue=32, groups=2, narrow=False, delta=20.0
)  # few work-groups, a queue that is soon full, and large vertices

families = pytest.mark.parametrize("family", NOT_NEGATIVE, ids=lambda family: family.name)


def run(
    device: Device, graph: reedsp.Graph, sources: list[int], dtype: np.dtype, budget: int = 1 << 20, **settings: Any
) -> tuple[np.ndarray | None, int]:
    arithmetic, job = Arithmetic(dtype), Job(device)
    edges = OutEdges.of(graph, job, arithmetic)
    tuning = dataclasses.replace(SETTINGS, **settings)
    starts = [[source] for source in sources]
    budgets = {"first_budget": budget, "most_budget": budget}
    found, rounds = near_far_local.solve(job, edges, arithmetic, starts, tuning, **budgets)
    if found is None:
        return None, rounds
    dist = job.download(found, len(sources) * graph.n, dtype).reshape(-1, graph.n)
    return np.where(dist == arithmetic.infinity, np.inf, dist), rounds


@pytest.mark.deep
@families
@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: f"{dtype}-")
def test_every_type(family: Family, dtype: np.dtype, device: Device) -> None:
    """More sources than work-groups."""
    if max(family.weights, default=0) > 2**20 and dtype.itemsize == 4:
        pytest.skip("the weights do not fit into this type")
    sources = sorted({family.source, 0, family.n // 2, family.n - 1})
    found, rounds = run(device, family.graph(), sources, dtype)
    assert found is not None
    assert rounds >= len(sources)
    for row, source in zip(found.tolist(), sources, strict=True):
        expected = oracle.distances(family.n, family.edges, source)
        assert row == [np.inf if each is None else float(each) for each in expected]


@pytest.mark.deep("star", "heavy")
@families
def test_same_bytes_as_near_far(family: Family, device: Device) -> None:
    graph, sources = family.graph(), [family.source, 0, family.source]
    for more in ({}, {"cutoff": 20}, {"target": family.n - 1}):
        expected, found = (
            reedsp.sssp(graph, sources, method, device=device, **more) for method in ("near-far", "near-far-local")
        )
        assert found.method == "near-far-local"
        assert found.dist.tobytes() == expected.dist.tobytes()
        assert found.pred.tobytes() == expected.pred.tobytes()
    nearest = [reedsp.sssp(graph, sources, each, device=device, min_only=True) for each in ("near-far", found.method)]
    assert nearest[0].dist.tobytes() == nearest[1].dist.tobytes()
    assert nearest[0].nearest.tobytes() == nearest[1].nearest.tobytes()


@pytest.mark.deep("-3", "-64", "-100", "-256")
@pytest.mark.parametrize("group_size", [1, 3, 64, 100, 256], ids=lambda size: f"-{size}")
def test_group_sizes(group_size: int, device: Device) -> None:
    graph = random_graph(700, 5000, seed=1)
    found = reedsp.sssp(graph, [5, 699, 0], "near-far-local", device=device, options={"group_size": group_size})
    assert np.array_equal(found.dist, references(graph, [5, 699, 0]))
    assert found.verify()


@pytest.mark.deep
@pytest.mark.parametrize(
    "settings",
    [
        *({"delta": 1e-9}, {"delta": np.inf}, {"groups": 1}, {"groups": 9}, {"budget": 1}, {"budget": 300}),
        *({"narrow": True}, {"narrow": True, "budget": 1}, {"hub": 0}, {"hub": 1}, {"queue": 64, "delta": np.inf}),
        *({"group_size": 1, "lanes": 1, "hub": 0}, {"group_size": 1, "lanes": 1, "hub": 0, "narrow": True}),
        {"lanes": 16, "edges_at_once": 1, "hub": 0},
    ],
    ids=str,
)
def test_settings_change_nothing(settings: dict[str, Any], device: Device) -> None:
    graph, sources = random_graph(500, 4000, seed=2), [3, 499, 0, 77, 3]
    found, rounds = run(device, graph, sources, INT32, **settings)
    assert np.array_equal(found, references(graph, sources))
    if "delta" not in settings:
        assert rounds > 3 * len(sources)


def test_delta_and_progress(device: Device) -> None:
    """The lower it is, the more rounds there are, of which the last one is reported, too."""
    graph = random_graph(300, 1500, seed=3)
    rounds = []
    for delta in (1, 50, np.inf):
        seen: list[tuple[int, int]] = []
        found = reedsp.sssp(
            *(graph, 7, "near-far-local"),
            device=device,
            options={"delta": delta},
            progress=lambda *state, seen=seen: seen.append(state),
        )
        assert np.array_equal(found.dist, references(graph, [7])[0])
        assert seen == sorted(seen)
        assert seen[-1] == (found.rounds, graph.n)
        rounds.append(found.rounds)
    assert rounds == sorted(rounds, reverse=True)
    assert len(set(rounds)) == 3


def test_a_row_goes_on_where_the_launch_before_has_ended(device: Device) -> None:
    """The same rounds as in one launch: queue, threshold and what is far are kept, too."""
    graph = random_graph(900, 9000, seed=3)
    job, arithmetic = Job(device), Arithmetic(INT32)
    edges = OutEdges.of(graph, job, arithmetic)
    tuning = dataclasses.replace(SETTINGS, group_size=1, lanes=1, hub=0, groups=1)
    rounds, launches = {}, {}
    for budget in (1, 1 << 20):
        before = job.kernels_launched
        budgets = {"first_budget": budget, "most_budget": budget}
        found, rounds[budget] = near_far_local.solve(job, edges, arithmetic, [[7], [8]], tuning, **budgets)
        launches[budget] = job.kernels_launched - before
        dist = job.download(found, 2 * graph.n, INT32).reshape(2, -1)
        assert np.array_equal(np.where(dist == arithmetic.infinity, np.inf, dist), references(graph, [7, 8]))
    assert rounds[1] == rounds[1 << 20]
    if device.kind == "cpu":
        assert launches[1] >= rounds[1] > launches[1 << 20] == 1


def test_as_many_rounds_in_floats(device: Device) -> None:
    """The threshold rises by as much."""
    graph = random_graph(300, 2000, seed=9)
    alone = {"group_size": 1, "lanes": 1, "hub": 0, "groups": 1, "delta": 100.0}
    rounds = {str(dtype): run(device, graph, [0, 1], dtype, **alone)[1] for dtype in DTYPES}
    assert len(set(rounds.values())) == 1
    assert rounds["int32"] < 100


# ---- distances in 16 bits ---------------------------------------------------------------------------


@pytest.mark.parametrize("last", [65533, 65534, 65535])
def test_the_largest_distance_of_16_bits(last: int, device: Device) -> None:
    graph = reedsp.Graph.from_edges(4, [0, 1, 0], [1, 2, 3], [last - 1, 1, 7])
    found, _ = run(device, graph, [0, 3, 1], INT32, narrow=True)
    if last < 65535:
        assert found is not None
        assert found[0].tolist() == [0, last - 1, last, 7]
    else:
        assert found is None


def test_a_path_beyond_16_bits_that_is_not_the_shortest(device: Device) -> None:
    graph = reedsp.Graph.from_edges(4, [0, 0, 1, 0], [1, 2, 2, 3], [60000, 5, 60000, 1])
    found, _ = run(device, graph, [0], INT32, narrow=True)
    assert found is not None
    assert found[0].tolist() == [0, 60000, 5, 1]


@pytest.mark.deep
def test_many_rows_of_small_graphs_on_gpus(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where that many work-groups are at work, and the distances fit."""
    graph = random_graph(300, 1500, seed=11)
    many = range(near_far_local.MANY_ROWS)
    assert reedsp.sssp(graph, many, device=device).method == ("near-far" if device.kind == "cpu" else "near-far-local")
    monkeypatch.setattr(device, "kind", "gpu")
    for sources, method in ((many, "near-far-local"), (many[1:], "near-far")):
        found = reedsp.sssp(graph, sources, device=device)
        assert found.method == method
        assert np.array_equal(found.dist, references(graph, sources))
        found.verify()
    monkeypatch.setattr(near_far_local, "is_trusted", lambda *arguments: False)
    assert reedsp.sssp(graph, many, device=device).method == "near-far"
    monkeypatch.undo()
    monkeypatch.setattr(device, "kind", "gpu")
    assert near_far_local.is_faster(Job(device), graph, Arithmetic(INT32), len(many))
    monkeypatch.setattr(device, "int64_atomics", False)
    assert not near_far_local.is_faster(Job(device), graph, Arithmetic(np.dtype(np.int64)), len(many))
    monkeypatch.setattr(device, "local_memory", 2048)
    assert not near_far_local.is_faster(Job(device), graph, Arithmetic(INT32), len(many))


# ---- what does not fit ------------------------------------------------------------------------------


@pytest.fixture
def little(device: Device, monkeypatch: pytest.MonkeyPatch) -> Device:
    """A device with 8 KiB of local memory, most of which is for vertices."""
    monkeypatch.setattr(device, "local_memory", 8192)
    return device


def most(device: Device, kind: str) -> int:
    tuning = near_far_local.tuning_for(device, _Facts, Arithmetic(np.dtype(kind)), kind == "uint16")
    return tuning.most_vertices(device, Arithmetic(np.dtype(kind)))


class _Facts:
    n, mean_degree, max_degree, typical_weight = 1000, 2.0, 4, 1.0


def test_the_largest_graph(little: Device) -> None:
    largest = most(little, "int64")
    assert 800 <= largest <= 8192 // 8
    assert largest % 64 == 0
    heavy = np.array([2**40])
    for n in (largest, largest + 1):
        ring = reedsp.Graph.from_edges(n, np.arange(n), (np.arange(n) + 1) % n, np.repeat(heavy, n))
        if n == largest:
            dist = reedsp.sssp(ring, [1, 0], "near-far-local", device=little, dtype="int64").dist
            assert dist[0].tolist() == [(n - 1) * 2**40, *(k * 2**40 for k in range(n - 1))]
            continue
        message = rf"near-far-local: the graph has {n:,} vertices; .*has room for {largest:,} with distances in int64"
        with pytest.raises(ValueError, match=message):
            reedsp.sssp(ring, [1, 0], "near-far-local", device=little)
        with pytest.raises(ValueError, match=message):
            reedsp.apsp(ring, "johnson", device=little, options={"search": "near-far-local"})
        if little.kind == "cpu":  # work-groups of a GPU want more than that
            assert reedsp.sssp(ring, [1, 0], device=little).method == "near-far"


def test_larger_graphs_in_16_bits(little: Device) -> None:
    wide = most(little, "int32")
    n = wide + 70
    ring = reedsp.Graph.from_edges(n, np.arange(n), (np.arange(n) + 1) % n, np.full(n, 2))
    found = reedsp.sssp(ring, [1, 0], "near-far-local", device=little)
    assert found.dist[1].tolist() == [2 * k for k in range(n)]
    heavier = reedsp.Graph.from_edges(n, np.arange(n), (np.arange(n) + 1) % n, np.full(n, 200))
    message = rf"the graph has {n:,} vertices; .*has room for {wide:,} with distances in int32"
    with pytest.raises(ValueError, match=message):
        reedsp.sssp(heavier, [1, 0], "near-far-local", device=little)


def test_local_memory_is_what_the_kernel_takes(device: Device) -> None:
    for dtype, narrow, hub in ((INT32, False, 0), (INT32, True, 9), (np.dtype(np.float64), False, 9)):
        arithmetic, job = Arithmetic(dtype), Job(device)
        edges = OutEdges.of(random_graph(500, 600, seed=4), job, arithmetic)
        tuning = dataclasses.replace(SETTINGS, narrow=narrow, hub=hub)
        near_far_local.solve(job, edges, arithmetic, [[0]], tuning)
        taken = max(
            kernel.local_memory
            for ((file, macros), _), kernel in device._built.kernels.items()
            if file == "single_source/near_far_local.cl"
            and {("HUB", hub), ("NARROW", int(narrow)), ("WIDE", int(dtype.itemsize == 8))} <= set(macros)
            and ("QUEUE", 32) in macros
            and ("VERTICES", 1024) in macros
        )
        assert taken <= tuning.local_bytes(1024, dtype.itemsize) <= taken + 2 * near_far_local._OTHER_BYTES


# ---- through the front doors ------------------------------------------------------------------------


@pytest.mark.deep
def test_fractional_sums_are_the_same_bytes(device: Device) -> None:
    rng = np.random.default_rng(6)
    graph = reedsp.Graph.from_edges(300, *rng.integers(0, 300, (2, 2000)), rng.random(2000))
    for dtype in ("float64", "float32"):
        expected, found = (
            reedsp.sssp(graph, range(9), each, device=device, dtype=dtype) for each in ("near-far", "near-far-local")
        )
        assert found.dist.tobytes() == expected.dist.tobytes()
        assert found.pred.tobytes() == expected.pred.tobytes()


def test_saturated_sums(device: Device) -> None:
    heavy = 2**62
    graph = reedsp.Graph.from_edges(4, [0, 1, 2, 0], [1, 2, 3, 3], [heavy, heavy, heavy, 5])
    with pytest.raises(OverflowError, match="from vertex 0 to vertex 2 is beyond int64"):
        reedsp.sssp(graph, [0, 1], "near-far-local", device=device, dtype="int64")
    within = reedsp.sssp(graph, [0, 1], "near-far-local", device=device, dtype="int64", cutoff=2**62)
    assert within.dist[0].tolist() == [0, heavy, 2**63 - 1, 5]


def test_bad_options(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = random_graph(20, 60, seed=7, high=2**50)
    for size in (0, -5, device.max_work_group_size + 1):
        with pytest.raises(ValueError, match=r"^options: group_size = .*, expected an integer from 1 to"):
            reedsp.sssp(graph, [0], "near-far-local", device=device, options={"group_size": size})
    with pytest.raises(ValueError, match="weights that are not negative"):
        reedsp.sssp(reedsp.Graph.from_edges(2, [0], [1], [-1]), [0], "near-far-local", device=device)
    monkeypatch.setattr(device, "int64_atomics", False)
    with pytest.raises(ValueError, match=r"group_size = 4, but .* has no atomic operations of 64 bits"):
        reedsp.sssp(graph, [0], "near-far-local", device=device, options={"group_size": 4})
    found = reedsp.sssp(graph, [0], "near-far-local", device=device)
    assert np.array_equal(found.dist, references(graph, [0]))


@pytest.mark.parametrize(("degree", "lanes"), [(1, 1), (10, 4), (40, 16), (1000, 32)])
def test_lanes_by_the_mean_degree(degree: int, lanes: int, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device, "kind", "gpu")
    monkeypatch.setattr(device, "max_work_group_size", 1024)
    monkeypatch.setattr(_Facts, "mean_degree", float(degree))
    tuning = near_far_local.tuning_for(device, _Facts, Arithmetic(INT32), False)
    assert (tuning.lanes, tuning.group_size, tuning.hub) == (lanes, 512 if degree > 32 else 256, 0)
    monkeypatch.setattr(_Facts, "max_degree", 64 * lanes)
    assert near_far_local.tuning_for(device, _Facts, Arithmetic(INT32), False).hub == 64 * lanes


def test_no_tuning_gives_right_answers(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(near_far_local, "is_trusted", lambda *arguments: False)
    with pytest.raises(DeviceError, match="near-far-local in int32 gives wrong answers, or fails"):
        reedsp.sssp(random_graph(20, 60, seed=8), [0], "near-far-local", device=device)


def test_no_memory_for_a_trial(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """Then there is none for other methods, either."""

    def refuse(*arguments: object) -> bool:
        raise DeviceMemoryError("no room")

    graph = random_graph(300, 1500, seed=11)
    monkeypatch.setattr(device, "kind", "gpu")
    monkeypatch.setattr(near_far_local, "is_trusted", refuse)
    with pytest.raises(DeviceMemoryError, match=r"^no room$"):
        near_far_local.is_right(Job(device), graph, Arithmetic(INT32))


def test_a_trial_that_takes_distances_for_too_large(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is found then, not even what the trial before may have left in memory."""
    numbers = (1, 1, 1, 0, 32, True, 640)
    assert near_far_local._finds_what_is_known(device, Arithmetic(INT32), False, *numbers)
    monkeypatch.setattr(near_far_local, "solve", lambda *arguments, **options: (None, 1))
    assert not near_far_local._finds_what_is_known(device, Arithmetic(INT32), False, *numbers)


def test_no_sources(device: Device) -> None:
    graph = random_graph(20, 60, seed=8)
    assert reedsp.sssp(graph, [], "near-far-local", device=device).dist.shape == (0, 20)
