"""Near-far: both sets of kernels, settings that try every branch, targets, nearest sources and several rows."""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import scipy.sparse.csgraph

import reedsp
from reedsp.algorithms.single_source import near_far, near_far_work_group
from reedsp.algorithms.single_source.near_far_work_group import Tuning
from reedsp.arithmetic.paths import Arithmetic
from reedsp.device.device import Device
from reedsp.device.job import Job
from reedsp.edges import predecessors
from reedsp.edges.device_graph import OutEdges
from tests.algorithms.single_source.answers import random_graph, references
from tests.support import oracle
from tests.support.deep_marks import near_far_in_work_groups
from tests.support.families import NOT_NEGATIVE, Family

DTYPES = [np.dtype(name) for name in ("int32", "int64", "float32", "float64")]

both = pytest.mark.parametrize("work_groups", [False, True], ids=["items", "groups"])
families = pytest.mark.parametrize("family", NOT_NEGATIVE, ids=lambda family: family.name)


def solve(graph: reedsp.Graph, source: Any, work_groups: bool, device: Device, **more: Any) -> reedsp.ShortestPaths:
    return reedsp.sssp(graph, source, "near-far", device=device, options={"work_groups": work_groups}, **more)


# ---- the kernels for work-groups, in settings of their own -----------------------------------------


def run(device: Device, graph: reedsp.Graph, source: int, dtype: np.dtype, **settings: Any) -> np.ndarray:
    return search(device, graph, source, dtype, **settings)[0]


def search(
    device: Device, graph: reedsp.Graph, source: int, dtype: np.dtype, **settings: Any
) -> tuple[np.ndarray, int]:
    arithmetic = Arithmetic(dtype)
    job = Job(device)
    edges = OutEdges.of(graph, job, arithmetic)
    tuning = Tuning(
        group_size=16,
        groups=3,
        local_rounds=2,
        least_share=5,
        delta=7.0,
        queue=32,
        hub=8,
        edges_alone=40,
        room=2 * graph.n,
    )
    dist, rounds = near_far_work_group.solve(
        job, edges, arithmetic, [[source]], tuning=dataclasses.replace(tuning, **settings)
    )
    assert rounds > 0
    return job.download(dist, graph.n, dtype), rounds


@pytest.mark.deep
@near_far_in_work_groups("int64", "-int64-")
@near_far_in_work_groups("float32", "-float32-")
@families
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_work_groups_in_every_type(family: Family, dtype: np.dtype, device: Device) -> None:
    if max(family.weights, default=0) > 2**20 and dtype.itemsize == 4:
        pytest.skip("the weights do not fit into this type")
    expected = [None if d is None else int(d) for d in oracle.distances(family.n, family.edges, family.source)]
    got = run(device, family.graph(), family.source, dtype)
    unreached = np.inf if dtype.kind == "f" else np.iinfo(dtype).max
    assert [None if d == unreached else int(d) for d in got.tolist()] == expected


@pytest.mark.parametrize(
    "settings",
    [
        {"delta": 1e-9},
        {"delta": 1e30},
        {"local_rounds": 1},
        {"local_rounds": 1000},
        {"groups": 1},
        {"groups": 50, "delta": 300.0},
        {"hub": 1},
        {"hub": 10**6},
        {"edges_alone": 0},
        {"edges_alone": 0, "local_rounds": 1000, "hub": 10**6},
        {"edges_alone": 10**6, "hub": 10**6},
        {"room": 0},
        {"room": 0, "delta": 1e30, "groups": 7},
    ],
    ids=str,
)
def test_settings_change_nothing(settings: dict[str, Any], device: Device) -> None:
    graph = random_graph(3000, 30_000, seed=1)
    expected = references(graph, [5])[0]
    got = run(device, graph, 5, np.dtype(np.int32), **settings)
    assert np.array_equal(np.where(got == 2**31 - 1, np.inf, got), expected)


@pytest.mark.deep("-4")
@pytest.mark.parametrize("group_size", [4, 16])
def test_edges_decide_how_much_one_work_group_takes_alone(group_size: int, device: Device) -> None:
    """Not entries: along layers of four vertices sixteen edges at a time; nothing leads to the vertex of many edges."""
    layers, width = 60, 4
    n = layers * width
    before = np.repeat(np.arange(n - width), width)
    after = (before // width + 1) * width + np.tile(np.arange(width), n - width)
    sources = np.concatenate(([n] * width, before, np.full(n, n + 1)))
    targets = np.concatenate((np.arange(width), after, np.arange(n)))
    graph = reedsp.Graph.from_edges(n + 2, sources, targets, np.ones(len(sources), int))
    settings = {"group_size": group_size, "queue": 32, "local_rounds": 2, "delta": 1e9, "hub": 10**6}
    expected = references(graph, [n])[0]
    rounds = {}
    for edges_alone in (15, 16):
        got, rounds[edges_alone] = search(device, graph, n, np.dtype(np.int32), **settings, edges_alone=edges_alone)
        assert np.array_equal(np.where(got == 2**31 - 1, np.inf, got), expected)
    assert rounds[16] == 1
    assert rounds[15] == layers


def test_dense_graphs_are_not_taken_for_ones_with_hubs(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    def tuning_of(graph: reedsp.Graph) -> Tuning:
        edges = OutEdges.of(graph, Job(device), Arithmetic(np.dtype(np.int32)))
        return near_far_work_group.tuning_for(device, edges, 1)

    complete = np.triu(np.ones((1100, 1100), int), 1)
    star = reedsp.Graph.from_edges(1101, np.zeros(1100, int), np.arange(1, 1101), directed=False)
    monkeypatch.setattr(device, "kind", "gpu")
    monkeypatch.setattr(device, "max_work_group_size", 1024)
    dense, hub = tuning_of(reedsp.Graph.from_dense(complete, directed=False)), tuning_of(star)
    assert (dense.group_size, dense.least_share, dense.edges_alone) == (256, 1, 1024)
    assert (hub.group_size, hub.least_share, hub.edges_alone) == (256, 4, 4096)


@pytest.mark.parametrize(
    ("mean", "largest", "n", "rows", "deep", "settings"),
    [
        (16, 50_000, 1_000_000, 1, None, (1024, 2, 16, 4, 2)),
        (16, 50_000, 500_000, 1, None, (512, 2, 16, 4, 4)),
        (16, 50_000, 300_000, 1, None, (256, 2, 16, 16, 4)),
        (16, 50_000, 500_000, 2, None, (512, 2, 16, 4, 4)),
        (16, 40, 1_000_000, 1, None, (256, 4, 0.5, 16, 4)),
        (16, 40, 375_000, 1, None, (256, 4, 1.5, 4, 4)),
        (16, 40, 375_000, 2, None, (256, 4, 0.5, 16, 4)),
        (12, 40, 1_000_000, 1, None, (256, 4, 1.5, 16, 4)),
        (6, 40, 1_000_000, 1, False, (256, 4, 4, 4, 4)),
        (6, 40, 1_000_000, 1, None, (256, 64, 128, 4, 2)),
        (2.9, 8, 1_000_000, 1, True, (256, 32, 256, 8, 2)),
        (2.9, 8, 4_000_001, 1, True, (128, 32, 128, 8, 8)),
        (2.9, 8, 1_000_000, 2, True, (256, 32, 128, 8, 4)),
        (2.9, 8, 1_000_000, 8, True, (256, 16, 64, 8, 4)),
        (2.9, 8, 2_500_001, 8, True, (256, 16, 16, 8, 4)),
    ],
)
def test_settings_follow_the_degrees(
    mean: float, largest: int, n: int, rows: int, deep: bool | None, settings: tuple[float, ...]
) -> None:
    known = {} if deep is None else {"is_deep": deep}
    degrees = {"mean_degree": mean, "max_degree": largest, "typical_weight": 10.0}
    edges: Any = SimpleNamespace(n=n, m=int(n * mean), edge_bytes=8, known=known, **degrees)
    gpu: Any = SimpleNamespace(
        **{"kind": "gpu", "max_work_group_size": 1024, "compute_units": 10, "local_memory": 1 << 16},
        **{"max_allocation": 1 << 34, "global_memory": 1 << 36},
    )
    found = near_far_work_group.tuning_for(gpu, edges, rows)
    alone, groups = found.edges_alone / found.group_size, found.groups / 10
    assert (found.group_size, found.local_rounds, found.delta / 10, alone, groups) == settings


@pytest.mark.parametrize(
    ("memory", "most", "sizes"),
    [
        (64, 1024, {4: (1024, 1024), 8: (1024, 1024)}),
        (48, 1024, {4: (1024, 1024), 8: (512, 512)}),
        (32, 1024, {4: (512, 512), 8: (512, 512)}),
        (64, 256, {4: (256, 512), 8: (256, 512)}),
    ],
)
def test_work_groups_fit_into_local_memory(memory: int, most: int, sizes: dict[int, tuple[int, int]]) -> None:
    gpu: Any = SimpleNamespace(kind="gpu", max_work_group_size=most, local_memory=memory << 10)
    assert {itemsize: near_far_work_group._sizes(gpu, 1024, itemsize) for itemsize in (4, 8)} == sizes


@pytest.mark.parametrize(
    ("most", "memory", "itemsize", "expected"),
    [(1024, 48, 4, (1024, 20)), (1024, 48, 8, (512, 40)), (512, 48, 4, (512, 40)), (256, 48, 4, (256, 80))],
)
def test_smaller_work_groups_are_more(most: int, memory: int, itemsize: int, expected: tuple[int, int]) -> None:
    """As many work-items, where a device allows or has memory for smaller ones only."""
    facts = {"mean_degree": 16.0, "max_degree": 50_000, "typical_weight": 10.0}
    edges: Any = SimpleNamespace(n=1_000_000, m=16_000_000, edge_bytes=8, known={}, **facts)
    gpu: Any = SimpleNamespace(
        **{"kind": "gpu", "max_work_group_size": most, "compute_units": 10, "local_memory": memory << 10},
        **{"max_allocation": 1 << 34, "global_memory": 1 << 36},
    )
    found = near_far_work_group.tuning_for(gpu, edges, 1, itemsize=itemsize)
    assert (found.group_size, found.groups) == expected


def test_local_memory_is_what_the_host_expects(device: Device) -> None:
    """As far as compilers say it: CPUs keep variables elsewhere that a work-item has alone."""
    for dtype in (np.int32, np.int64):
        arithmetic = Arithmetic(np.dtype(dtype))
        edges = OutEdges.of(reedsp.Graph.from_edges(3, [0, 1], [1, 2], [1, 1]), job := Job(device), arithmetic)
        tuning = near_far_work_group.tuning_for(device, edges, 1)
        search = near_far_work_group.Search(job, edges, arithmetic, [[0]], tuning)
        expected = near_far_work_group._local_bytes(tuning.group_size, tuning.queue, arithmetic.dtype.itemsize)
        assert search._kernel("advance").local_memory <= expected


def test_entries_without_room_are_made_up_for(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every vertex is lowered again and again within one round: more entries than there is room for."""
    n = 300
    later = [(u, v) for u in range(n) for v in range(u + 1, min(u + 40, n))]
    u, v = np.array(later).T
    graph = reedsp.Graph.from_edges(n, u, v, (v - u) ** 2)
    repeated: list[int] = []
    requeue = near_far_work_group.Search._requeue
    monkeypatch.setattr(
        near_far_work_group.Search,
        "_requeue",
        lambda self, *rows: (repeated.append(self._launches), requeue(self, *rows)),
    )
    many_edges = random_graph(200, 20_000, seed=3, high=10**6)
    got = run(device, many_edges, 0, np.dtype(np.int32), room=0, delta=1e9, local_rounds=1, groups=8)
    assert np.array_equal(got, references(many_edges, [0])[0])
    got = run(device, graph, 0, np.dtype(np.int32), room=0, delta=1e9, local_rounds=1, groups=8)
    assert np.array_equal(got, references(graph, [0])[0])
    assert repeated, "there was room for everything: this test tries nothing"


@pytest.mark.parametrize("rows_with_room", [1, 2, 3, 7, 8])
def test_rows_without_room_have_their_turn(
    rows_with_room: int, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some of several rows at a time, where entries of all of them did not fit into the queues."""
    n = 100
    u, v = np.array([(u, v) for u in range(n) for v in range(u + 1, min(u + 40, n))]).T
    graph = reedsp.Graph.from_edges(n, u, v, (v - u) ** 2)
    arithmetic, job, starts = Arithmetic(np.dtype(np.int32)), Job(device), [0, 1, 99, 0, 5, 50, 2]
    again: list[tuple[int, int]] = []
    requeue = near_far_work_group.Search._requeue
    monkeypatch.setattr(
        near_far_work_group.Search,
        "_requeue",
        lambda self, *rows: (again.append(rows), requeue(self, *rows)),
    )
    edges = OutEdges.of(graph, job, arithmetic)
    tuning = near_far_work_group.tuning_for(device, edges, len(starts))
    tuning = dataclasses.replace(tuning, group_size=16, queue=16, groups=8, local_rounds=1, delta=1e9, hub=10**6)
    tuning = dataclasses.replace(tuning, edges_alone=0, room=rows_with_room * n)
    dist, _ = near_far_work_group.solve(job, edges, arithmetic, [[start] for start in starts], tuning=tuning)
    found = job.download(dist, (len(starts), n), np.int32)
    assert np.array_equal(np.where(found == 2**31 - 1, np.inf, found), references(graph, starts))
    assert again, "there was room for everything: this test tries nothing"
    turns = [(first, min(first + rows_with_room, 7)) for first in range(0, 7, rows_with_room)]
    assert list(dict.fromkeys(again)) == turns
    assert again == sorted(again)


def test_room_for_many_rows(device: Device) -> None:
    """Queues are small where frontiers are, which the first launches from one vertex tell."""
    arithmetic, job = Arithmetic(np.dtype(np.int32)), Job(device)
    settings = near_far_work_group.settings
    number = np.arange(120_000)
    path = reedsp.Graph.from_edges(len(number), number[:-1], number[1:], number[:-1] % 7 + 1, directed=False)
    for graph, deep in ((path, True), (random_graph(120_000, 480_000, seed=9), False)):
        edges = OutEdges.of(graph, job, arithmetic)
        for rows in (1, settings.MANY_ROWS - 1):
            assert near_far_work_group.room_of_rows(job, edges, arithmetic, [[0]] * rows) == 1.0
        assert "is_deep" not in edges.known
        rooms = [near_far_work_group.room_of_rows(job, edges, arithmetic, [[0, 0]] * rows) for rows in (8, 166, 167)]
        assert edges.known["is_deep"] == deep
        assert rooms == [1.0, 1.0, 1 / 8 if deep else 1.0]
        room = near_far_work_group.tuning_for(device, edges, 167).room
        assert room == int(rooms[2] * 167 * graph.n)
    edges = OutEdges.of(random_graph(50_000, 400_000, seed=9), job, arithmetic)
    assert near_far_work_group.room_of_rows(job, edges, arithmetic, [[0]] * 1000) == 1.0
    assert "is_deep" not in edges.known  # where vertices have more edges
    ended = reedsp.Graph.from_edges(50_000, [1], [2], [1])
    edges = OutEdges.of(ended, job, arithmetic)
    assert near_far_work_group.room_of_rows(job, edges, arithmetic, [[0]] * 1000) == 1.0
    assert "is_deep" not in edges.known  # of a search that ends at once nothing is to be seen


@pytest.mark.parametrize("stops", [False, True])
def test_rows_of_few_vertices(stops: bool, device: Device) -> None:
    """There is room for all that searches start from, and for all rows of those that stop at a target."""
    n = 3
    graph = reedsp.Graph.from_edges(n, [0, 1], [1, 2], [5, 6])
    arithmetic, job = Arithmetic(np.dtype(np.int32)), Job(device)
    edges = OutEdges.of(graph, job, arithmetic)
    tuning = dataclasses.replace(near_far_work_group.tuning_for(device, edges, 900), room=0)
    starts, target = [[row % n] for row in range(900)], 2 if stops else None
    search = near_far_work_group.Search(job, edges, arithmetic, starts, tuning, target=target)
    assert int(search._room) == (900 * n if stops else 900)
    search.run(None)
    found = job.download(search.dist, (900, n), np.int32)[:, 2]
    assert found.tolist() == [11, 6, 0] * 300


def test_progress_in_work_groups(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(near_far_work_group, "_FIRST_BATCH", 1)
    monkeypatch.setattr(near_far_work_group, "_SHORTEST_BATCH", 1)
    graph = random_graph(900, 3000, seed=5)
    seen: list[tuple[int, int]] = []
    options = {"work_groups": True, "delta": 1}
    found = reedsp.sssp(
        graph, 0, "near-far", device=device, options=options, progress=lambda *state: seen.append(state)
    )
    assert np.array_equal(found.dist, references(graph, [0])[0])
    assert len(seen) > 3
    assert seen == sorted(seen)
    assert seen[-1] == (found.rounds, graph.n)


# ---- what both sets of kernels promise --------------------------------------------------------------


@pytest.mark.deep
@near_far_in_work_groups("int64", "heavy-groups", "beyond int32-groups")
@both
@families
def test_target(family: Family, work_groups: bool, device: Device) -> None:
    graph = family.graph()
    full = reedsp.sssp(graph, family.source, "output-parallel", device=device)
    for target in {family.source, family.n - 1, family.n // 2, family.n // 3}:
        options = {"work_groups": work_groups, "delta": 1}  # many splits, any of which could be taken for the last
        part = reedsp.sssp(graph, family.source, "near-far", target=target, device=device, options=options)
        within = full.dist <= full.dist[target]
        assert np.array_equal(part.dist, np.where(within, full.dist, np.inf))
        assert np.array_equal(part.pred, np.where(within, full.pred, -9999))
        assert part.verify()


@pytest.mark.deep
@both
def test_what_is_too_far_matters_for_the_target_alone(work_groups: bool, device: Device) -> None:
    graph = reedsp.Graph.from_edges(4, [0, 1, 0], [1, 2, 3], [2**62, 2**62, 5])
    for before in (0, 2**63 - 1):  # in the array that is filled
        for target in (1, 2, 3):
            out = np.full(4, before)
            given: Any = {"target": target, "out": out, "device": device, "options": {"work_groups": work_groups}}
            if target == 2:
                with pytest.raises(OverflowError, match="from vertex 0 to vertex 2 is beyond int64"):
                    reedsp.sssp(graph, 0, "near-far", **given)
            else:
                reedsp.sssp(graph, 0, "near-far", **given)
                assert out[target] == (2**62 if target == 1 else 5)


def test_target_is_final_when_the_search_stops(device: Device) -> None:
    """It is reached early by a long way round, and its distance falls once more, several splits later."""
    n = 50
    u, v = [*range(n - 1), 0, n - 2], [*range(1, n), n, n]
    graph = reedsp.Graph.from_edges(n + 1, u, v, [2] * (n - 1) + [1000, 3])
    for work_groups in (False, True):
        options = {"work_groups": work_groups, "delta": 1}
        paths = reedsp.sssp(graph, 0, "near-far", target=n, device=device, options=options)
        assert paths.dist[n] == 2 * (n - 2) + 3


@pytest.mark.deep(group="trees of near-far by edges")
@families
def test_trees_by_edges_are_those_by_vertices(family: Family, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a GPU, where many edges end at one vertex."""
    monkeypatch.setattr(predecessors, "_MANY_EDGES", 0)
    monkeypatch.setattr(device, "kind", "gpu")
    paths = solve(family.graph(), family.source, False, device)
    expected = oracle.distances(family.n, family.edges, family.source)
    assert paths.pred.tolist() == oracle.predecessors(family.n, family.edges, family.source, expected)


@pytest.mark.deep(group="trees of near-far by edges")
def test_trees_by_edges_notice_distances_beyond_int64(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(predecessors, "_MANY_EDGES", 0)
    monkeypatch.setattr(device, "kind", "gpu")
    big = 2**62
    graph = reedsp.Graph.from_edges(4, [0, 1, 2], [1, 2, 3], [big, big - 1, 1])
    with pytest.raises(OverflowError, match="from vertex 0 to vertex 2 is beyond int64"):
        reedsp.sssp(graph, 0, "near-far", device=device)
    paths = reedsp.sssp(graph, 1, "near-far", dtype="int64", device=device)
    assert paths.dist.tolist() == [2**63 - 1, 0, big - 1, big]
    assert paths.pred.tolist() == [-9999, -9999, 1, 2]


@both
def test_target_stops_early(work_groups: bool, device: Device) -> None:
    """The first vertices of a long path cost next to nothing."""
    n = 20_000
    path = reedsp.Graph.from_edges(n, np.arange(n - 1), np.arange(1, n), np.full(n - 1, 3))
    part = solve(path, 0, work_groups, device, target=5)
    assert np.array_equal(np.flatnonzero(np.isfinite(part.dist)), np.arange(6))
    assert part.rounds < solve(path, 0, work_groups, device).rounds / 10
    assert part.path(5) == [0, 1, 2, 3, 4, 5]
    with pytest.raises(ValueError, match="no path"):
        part.path(6)


@both
def test_target_and_cutoff(work_groups: bool, device: Device) -> None:
    graph = random_graph(500, 2500, seed=4)
    full = references(graph, [0])[0]
    far, near = np.argsort(np.where(np.isfinite(full), full, -1))[[-1, 250]]
    for target, cutoff in ((far, full[near]), (near, full[far])):
        part = solve(graph, 0, work_groups, device, target=int(target), cutoff=float(cutoff))
        assert np.array_equal(part.dist, np.where(full <= full[near], full, np.inf))
        assert part.verify()


@near_far_in_work_groups("int64", "heavy-groups", "beyond int32-groups")
@both
@families
def test_nearest_source(family: Family, work_groups: bool, device: Device) -> None:
    graph = family.graph()
    sources = sorted({family.source, family.n - 1, family.n // 2})
    each = np.array([reedsp.sssp(graph, source, "output-parallel", device=device).dist for source in sources])
    result = solve(graph, [*sources, sources[0]], work_groups, device, min_only=True)
    assert result.dist.shape == (family.n,)
    assert np.array_equal(result.dist, each.min(axis=0))
    assert result.nearest is not None
    for vertex, nearest in enumerate(result.nearest.tolist()):
        if np.isinf(result.dist[vertex]):
            assert nearest == -9999
            with pytest.raises(ValueError, match=f"no path to vertex {vertex}"):
                result.path(vertex)
        else:
            assert each[sources.index(nearest), vertex] == result.dist[vertex]
            assert result.path(vertex)[0] == nearest
    assert result.verify()
    assert f"{np.isfinite(result.dist).sum():,} of {family.n:,} reached" in repr(result)
    for source in sources:
        assert (result.dist[source], result.nearest[source], result.pred[source]) == (0, source, -9999)


def test_nearest_source_agrees_with_scipy(device: Device) -> None:
    graph = random_graph(2000, 8000, seed=5)
    sources = [3, 500, 1999]
    expected, _, nearest = scipy.sparse.csgraph.dijkstra(
        graph.to_scipy(), indices=sources, min_only=True, return_predecessors=True
    )
    result = reedsp.sssp(graph, sources, min_only=True, device=device)
    assert np.array_equal(result.dist, expected)
    alone = np.count_nonzero(references(graph, sources) == expected, axis=0) == 1
    assert alone.sum() > 1000
    assert np.array_equal(result.nearest[alone], nearest[alone])


def test_bad_nearest_sources(device: Device) -> None:
    graph = random_graph(10, 30, seed=6)
    for source in (3, []):
        with pytest.raises(ValueError, match="min_only: needs a sequence of at least one source"):
            reedsp.sssp(graph, source, min_only=True, device=device)
    with pytest.raises(ValueError, match="min_only: method 'output-parallel' cannot do it"):
        reedsp.sssp(graph, [1, 2], "output-parallel", min_only=True, device=device)
    negative = reedsp.Graph.from_edges(2, [0], [1], [-1])
    with pytest.raises(ValueError, match="min_only: needs weights that are not negative"):
        reedsp.sssp(negative, [0, 1], min_only=True, device=device)
    result = reedsp.sssp(graph, [1, 2], min_only=True, device=device)
    with pytest.raises(ValueError, match="the paths start at the nearest of the sources"):
        result.path(3, source=1)


@both
@pytest.mark.parametrize("at_once", [1, 3, 100])
def test_many_sources(work_groups: bool, at_once: int, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(near_far, "rows_at_once", lambda *arguments: at_once)
    graph = random_graph(700, 3000, seed=7)
    sources = [0, 699, 5, 5, *range(100, 108)]
    result = solve(graph, sources, work_groups, device)
    assert np.array_equal(result.dist, references(graph, sources))
    one = reedsp.sssp(graph, 5, "output-parallel", device=device)
    assert np.array_equal(result.pred[2], one.pred)
    assert np.array_equal(result.pred[3], one.pred)
    assert result.verify()


def test_rows_at_once_fit_into_memory(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    arithmetic = Arithmetic(np.dtype(np.int32))
    assert near_far.rows_at_once(device, arithmetic, 2**31 - 1, False) == 1
    assert near_far.rows_at_once(device, arithmetic, 0, False) >= 1
    monkeypatch.setattr(device, "global_memory", 1 << 20)
    monkeypatch.setattr(device, "max_allocation", 1 << 20)
    for work_groups, room, bytes_each in ((False, 1.0, 4 * 100), (True, 1.0, 48 * 100), (True, 1 / 8, 20 * 100)):
        rows = near_far.rows_at_once(device, arithmetic, 100, work_groups, room)
        assert rows == (1 << 18) // bytes_each
        assert near_far.rows_at_once(device, arithmetic, 1 << 20, work_groups) == 1
    for most, room, rows in ((8000, 1.0, 10), (8000, 1 / 8, 20)):  # queues, or distances, are one allocation
        monkeypatch.setattr(device, "max_allocation", most)
        assert near_far.rows_at_once(device, arithmetic, 100, True, room) == rows


@both
def test_delta(work_groups: bool, device: Device) -> None:
    graph = random_graph(2000, 9000, seed=8)
    expected = references(graph, [1])[0]
    for delta in (1e-9, 0.3, 1, 10**6, 1e300):
        options = {"work_groups": work_groups, "delta": delta}
        assert np.array_equal(reedsp.sssp(graph, 1, "near-far", device=device, options=options).dist, expected)


@both
@pytest.mark.parametrize("leaves", [50_000])
def test_hub(work_groups: bool, leaves: int, device: Device) -> None:
    weights = np.arange(leaves) % 1000 + 1
    star = reedsp.Graph.from_edges(leaves + 1, np.zeros(leaves, int), np.arange(1, leaves + 1), weights, directed=False)
    for source in (0, 7):
        assert np.array_equal(solve(star, source, work_groups, device).dist, references(star, [source])[0])


@both
def test_one_huge_weight_among_small_ones(work_groups: bool, device: Device) -> None:
    n = 3000
    rng = np.random.default_rng(9)
    weights = rng.integers(1, 5, 4 * n)
    weights[::n] = 2**28
    graph = reedsp.Graph.from_edges(n, *rng.integers(0, n, (2, 4 * n)), weights)
    assert np.array_equal(solve(graph, 0, work_groups, device).dist, references(graph, [0])[0])


@near_far_in_work_groups("int64", "groups")
@both
def test_far_apart_distances_take_few_rounds(work_groups: bool, device: Device) -> None:
    """The threshold jumps to the least distance in the far pile rather than rise a million times."""
    graph = reedsp.Graph.from_edges(5, [0, 0, 0, 1, 2], [1, 2, 3, 4, 4], [1, 10**6, 2 * 10**9, 10**9, 10])
    result = reedsp.sssp(graph, 0, "near-far", device=device, options={"work_groups": work_groups, "delta": 1})
    assert result.dist.tolist() == [0, 1, 10**6, 2 * 10**9, 10**6 + 10]
    assert result.rounds < 20


@both
def test_every_weight_is_zero(work_groups: bool, device: Device) -> None:
    rng = np.random.default_rng(10)
    graph = reedsp.Graph.from_edges(300, *rng.integers(0, 300, (2, 900)), np.zeros(900, int))
    result = solve(graph, 4, work_groups, device)
    expected = reedsp.sssp(graph, 4, "output-parallel", device=device)
    assert np.array_equal(result.dist, expected.dist)
    assert np.array_equal(result.pred, expected.pred)
