"""Breadth-first search by frontiers: every rung of the ladder of load balancing finds what the oracle finds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import reedsp
from reedsp.algorithms.traversal import bfs as traversal_bfs
from reedsp.algorithms.traversal import frontier
from reedsp.algorithms.traversal.bfs import bfs
from reedsp.algorithms.traversal.frontier import FrontierSearch
from reedsp.device.build import constants
from reedsp.device.device import Device
from reedsp.device.iterate import Rounds
from reedsp.device.job import Job
from reedsp.edges import device_graph, ladder
from reedsp.edges.device_graph import NO_VERTEX
from reedsp.edges.ladder import DIRECT_SEARCH, RUNGS, Rung, rung_for
from tests.algorithms.traversal.test_bfs import GRAPHS, path, power_law, reference, unweighted
from tests.support import oracle
from tests.support.families import FAMILIES

SMALL = Rung("", 32, 96, run=3, large=20, each=4)
EVERY_TIME = (DIRECT_SEARCH, "multi-phase")
each_rung = pytest.mark.parametrize("name", RUNGS)
deep = pytest.mark.deep(*(name for name in RUNGS if name not in EVERY_TIME))


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Work-groups that have little to do, and work-items that look for room in the queue again and again."""
    monkeypatch.setattr(frontier, "rung_for", lambda device, name: replace(SMALL, name=name))
    monkeypatch.setattr(frontier, "_FOUND_ON_CPU", 2)
    monkeypatch.setattr(frontier, "_FOUND", 2)


def check(device: Device, graph: reedsp.Graph, name: str, *sources: int) -> None:
    found = bfs(graph, sources, device=device, options={"method": "frontier", "balance": name})
    assert found.method == "frontier"
    assert found.stats["bottom_up_levels"] == 0
    for row, source in enumerate(sources):
        assert (found.levels[row].tolist(), found.pred[row].tolist()) == reference(graph, source)


@pytest.mark.deep("multi")
@deep
@each_rung
def test_families(name: str, device: Device, small: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every second one with its edges in several dispatches."""
    for number, family in enumerate(FAMILIES):
        monkeypatch.setattr(ladder, "MOST_UNITS", 300 if number % 2 else 1 << 30)
        edges = oracle.edges_of(family.sources, family.targets, [1] * len(family.sources), family.directed)
        expected = oracle.distances(family.n, edges, family.source)
        found = bfs(unweighted(family), family.source, device=device, options={"balance": name})
        assert found.levels.tolist() == [-1 if level is None else level for level in expected], family.name
        assert found.pred.tolist() == oracle.predecessors(family.n, edges, family.source, expected), family.name
        assert found.levels.dtype == found.pred.dtype == np.int32
        assert found.verify()


@pytest.mark.deep("multi")
@deep
@each_rung
def test_larger_graphs(name: str, device: Device, small: None) -> None:
    for graph in GRAPHS.values():
        check(device, graph, name, 0, graph.n - 1)


@pytest.mark.deep("multi")
@deep
@each_rung
def test_as_devices_are_given_them(name: str, device: Device) -> None:
    """Hubs, and vertices without edges; the same bytes as by the other methods."""
    graph = power_law(20_000, 150_000, 8)
    found = bfs(graph, [3, 19_999], device=device, options={"balance": name})
    for options in ({"method": "work-items"}, {"method": "work-groups", "direction": "top-down"}):
        other = bfs(graph, [3, 19_999], device=device, options=options)
        assert found.levels.tobytes() == other.levels.tobytes()
        assert found.pred.tobytes() == other.pred.tobytes()


@pytest.mark.deep
@each_rung
def test_a_star(name: str, device: Device) -> None:
    """From the hub, whose edges all lead to new vertices, and to it."""
    n = 100_001
    graph = reedsp.Graph.from_edges(n, np.full(n - 1, n - 1), np.arange(n - 1), directed=False)
    for source in (n - 1, 5):
        found = bfs(graph, source, device=device, options={"balance": name})
        assert (found.levels[: n - 1] == (1 if source == n - 1 else 2)).sum() == n - 1 - (source == 5)
        assert found.verify()


@pytest.mark.deep
@each_rung
def test_places_of_64_bits(name: str, device: Device, small: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a graph of 2^32 edges needs, on a small one."""
    monkeypatch.setattr(device_graph, "_offsets", lambda indptr, m: (indptr.astype(np.uint64), {"OFFSET": "ulong"}))
    check(device, power_law(600, 3000, 5), name, 4)


@pytest.mark.deep("uint64")
@deep
@each_rung
@pytest.mark.parametrize("dtype", [np.uint32, np.uint64], ids=lambda dtype: np.dtype(dtype).name)
def test_edges_beyond_two_to_the_31(
    name: str, dtype: type, device: Device, small: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The edges of a frontier, as if billions of others came before them in it."""
    before = (1 << 31) + 7 if dtype is np.uint32 else (1 << 34) + 7
    offset = "uint" if dtype is np.uint32 else "ulong"
    monkeypatch.setattr(device_graph, "_offsets", lambda indptr, m: (indptr.astype(dtype), {"OFFSET": offset}))
    graph = power_law(400, 3000, 9)
    degrees = np.diff(graph.indptr)
    vertices = np.argsort(-degrees)[:50].astype(np.uint32)
    prefixes = before + np.concatenate(([0], np.cumsum(degrees[vertices])))
    job = Job(device)
    search = FrontierSearch(graph, job, name)
    search._begin.queue()
    levels = np.where(np.isin(np.arange(graph.n), vertices), 0, -1).astype(np.int32)
    for buffer, values in (
        (search.levels, levels),
        (search._queue, vertices),
        (search._prefixes, prefixes.astype(dtype)),
        (search._sizes, np.array([50], np.uint32)),
        (search._ends, np.array([50, 50, 0], np.uint32)),
    ):
        job.copy(buffer, 0, job.upload(values), 0, values.nbytes)
    ends = int(prefixes[0]), int(prefixes[-1])
    monkeypatch.setattr(search._ladder, "parts", [ends])
    for kernel in search._plan_expansion(0):
        kernel.queue()
    expected = np.full(graph.n, NO_VERTEX)
    for vertex in sorted(vertices.tolist(), reverse=True):
        expected[graph.indices[graph.indptr[vertex] : graph.indptr[vertex + 1]]] = vertex
    expected[vertices] = NO_VERTEX
    assert job.download(search.predecessors, graph.n, np.int32).tolist() == expected.tolist()
    found = np.flatnonzero(expected >= 0)
    start, end, _ = job.download(search._ends, constants("traversal/frontier.cl")["PHASES"], np.uint32).tolist()
    assert (start, end) == (50, 50 + len(found))
    assert sorted(job.download(search._queue, end, np.uint32)[start:].tolist()) == found.tolist()


def test_every_vertex_is_in_the_queue_once(device: Device) -> None:
    """In the order of the levels, and each level costs what it has: vertices without edges cost one each."""
    graph = GRAPHS["power law"]
    job = Job(device)
    search = FrontierSearch(graph, job, DIRECT_SEARCH)
    search.run(1, None)
    levels, _ = reference(graph, 1)
    reached = np.flatnonzero(np.array(levels) >= 0)
    queue = job.download(search._queue, len(reached), np.uint32)
    assert sorted(queue.tolist()) == reached.tolist()
    assert np.diff(np.array(levels)[queue]).min() >= 0


def test_few_looks_at_the_device(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """Levels are queued many at a time, whatever the device finds; the last ones are in vain."""
    looks: list[int] = []
    download = Job.download
    monkeypatch.setattr(Job, "download", lambda job, *given: (looks.append(1), download(job, *given))[1])
    found = bfs(path(600), 0, device=device, options={"balance": "items"})
    assert found.levels.tolist() == list(range(600))
    assert len(looks) < 60


def test_the_last_level_may_be_the_largest_there_can_be(device: Device) -> None:
    for n in (1, 2, 3, 64):
        check(device, path(n), "items", 0, n - 1)


def test_progress(device: Device) -> None:
    seen: list[tuple[int, int]] = []
    bfs(path(700), 0, device=device, options={"balance": "items"}, progress=lambda *state: seen.append(state))
    assert len(seen) > 2
    assert seen == sorted(seen)
    assert all(0 < level <= most == 700 for level, most in seen)
    seen.clear()
    bfs(path(70), [3, 69], device=device, options={"method": "frontier"}, progress=lambda *state: seen.append(state))
    assert seen[-1] == (2, 2)


@pytest.mark.deep
def test_no_answer_is_left_over_from_an_earlier_search(device: Device) -> None:
    for graph in (GRAPHS["power law"], path(3), GRAPHS["two cores"], GRAPHS["sparse"]):
        for name in (DIRECT_SEARCH, "dynamic-virtual-warps", "two-phase"):
            check(device, graph, name, 1, 0, 1)


def test_options(device: Device) -> None:
    graph = path(5)
    for options in ({"method": "frontier"}, {"balance": "two-phase"}, {"method": "frontier", "balance": "items"}):
        found = bfs(graph, 0, device=device, options=options)
        assert found.method == "frontier"
        assert found.levels.tolist() == [0, 1, 2, 3, 4]
    assert bfs(graph, [], device=device, options={"method": "frontier"}).levels.shape == (0, 5)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"balance": "warps"}, r"balance = 'warps', expected one of 'direct-search', 'items', 'virtual-warps-2', "),
        ({"balance": 3}, r"balance = 3, expected one of 'direct-search', "),
        ({"balance": "items", "direction": "auto"}, r"direction: 'frontier' has none$"),
        ({"method": "frontier", "group_size": 64}, r"group_size: 'frontier' has none$"),
        ({"method": "work-items", "balance": "items"}, r"balance: 'work-items' has none$"),
        ({"method": "near-far", "balance": "items"}, r"balance: 'near-far' has none$"),
        (
            {"method": "fronts"},
            r"method = 'fronts', expected one of 'work-items', 'work-groups', 'source-a-group', 'near",
        ),
    ],
)
def test_bad_options(options: dict[str, object], message: str, device: Device) -> None:
    with pytest.raises(ValueError, match=f"^options: {message}"):
        bfs(path(5), 0, device=device, options=options)


def test_75_a_wrong_rung_is_replaced(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """What finds wrong levels in trials is put aside; direct search serves, unless it is wrong, too."""
    wrong = {"warp-search"}
    monkeypatch.setattr(traversal_bfs, "is_trusted", lambda device, name, *trial: name.split()[-1] not in wrong)
    assert traversal_bfs._right_rung(device, "warp-search") == DIRECT_SEARCH
    assert traversal_bfs._right_rung(device, "items") == "items"
    assert bfs(path(9), 0, device=device, options={"balance": "warp-search"}).levels.tolist() == list(range(9))
    wrong.add(DIRECT_SEARCH)
    with pytest.raises(reedsp.DeviceError, match=r"breadth-first search gives wrong answers, or fails$"):
        bfs(path(9), 0, device=device, options={"balance": "warp-search"})


@pytest.mark.parametrize("name", ["items", DIRECT_SEARCH])
def test_trials_notice_a_fault(name: str, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that stops too soon."""
    trial = (device, traversal_bfs._search_by_frontier, ((("balance", name),),))
    assert traversal_bfs.finds_known_levels(*trial)
    run = Rounds.run
    monkeypatch.setattr(Rounds, "run", lambda rounds, queue, limit, report: run(rounds, queue, 3, report))
    assert not traversal_bfs.finds_known_levels(*trial)


@pytest.mark.deep
def test_work_groups_of_gpus(device: Device) -> None:
    """What a GPU is given, of its number of work-items for one compute unit."""
    gpu = Device(device.index, device.handle)
    gpu.kind = "gpu"
    for name in (DIRECT_SEARCH, "cta-warp-scan"):
        assert rung_for(gpu, name).run == 1
        assert rung_for(gpu, name).group_size == min(256, 1 << device.max_work_group_size.bit_length() - 1)
        check(gpu, power_law(900, 5000, 3), name, 7)
