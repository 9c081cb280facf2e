"""The trees by the edges that leave vertices are those by the edges that end there, and those of the definition."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

import reedsp
from reedsp.arithmetic.paths import Arithmetic
from reedsp.device import iterate
from reedsp.device.device import Device
from reedsp.device.job import Job, Launched, recording
from reedsp.edges import predecessors
from reedsp.edges.device_graph import DeviceGraph, OutEdges
from reedsp.edges.predecessors import find_trees, find_trees_outgoing
from tests.support import oracle
from tests.support.families import FAMILIES, Family

LARGEST = 2**30  # path weight


@pytest.mark.deep
@pytest.mark.parametrize("run", [1, 3, 4096])
@pytest.mark.parametrize("by_hops", [False, True])
@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_both_ways(family: Family, by_hops: bool, run: int, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    graph, job = family.graph(), Job(device)
    if graph.n == 0 or graph.n * max(map(abs, family.weights), default=0) > LARGEST:
        pytest.skip("nothing to search, or sums beyond int32")
    monkeypatch.setattr(predecessors, "_CPU_RUN", run)
    arithmetic = Arithmetic(np.dtype(np.int32))
    starts = sorted({family.source, 0, family.n - 1})
    exact = [oracle.distances(family.n, family.edges, source) for source in starts]
    values = [[arithmetic.infinity if each is None else int(each) for each in row] for row in exact]
    dist, sources = job.upload(np.array(values, np.int32)), [[source] for source in starts]
    inward = find_trees(job, DeviceGraph(graph, job, arithmetic, False), dist, sources, by_hops)
    outward = find_trees_outgoing(job, OutEdges(graph, job, arithmetic), arithmetic, dist, sources, by_hops)
    assert (inward.unresolved, inward.overflowed) == (outward.unresolved, outward.overflowed) == (0, False)
    found = [np.empty((len(starts), graph.n), np.int32) for _ in range(2)]
    inward.read_into(found[0], job)
    outward.read_into(found[1], job)
    np.testing.assert_array_equal(*found)
    if not by_hops and min(family.weights, default=0) >= 0:
        for row, source in enumerate(starts):
            assert found[1][row].tolist() == oracle.predecessors(family.n, family.edges, source, exact[row])


@pytest.mark.deep("False", "2-1048576", "one vertex", "path")
@pytest.mark.parametrize(("levels", "budget"), [(1, 1), (2, 1 << 20)])
@pytest.mark.parametrize("by_hops", [False, True])
@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_one_vertex_after_the_other(
    family: Family, by_hops: bool, levels: int, budget: int, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where there are many hop levels, in as many launches as it needs."""
    monkeypatch.setattr(device, "kind", "cpu")
    monkeypatch.setattr(predecessors, "_CPU_LEVELS", levels)
    monkeypatch.setattr(predecessors, "_FIRST_BUDGET", budget)
    monkeypatch.setattr(device, "compute_units", 2)
    test_both_ways(family, by_hops, 3, device, monkeypatch)


def test_levels_of_a_long_path(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its hop levels took a launch each."""
    monkeypatch.setattr(device, "kind", "cpu")
    monkeypatch.setattr(iterate, "_SECONDS", 3600.0)
    n = 3000
    graph = reedsp.Graph.from_edges(n, range(n - 1), range(1, n), np.zeros(n - 1, np.int64))
    launched: list[Launched] = []
    with recording(launched.append):
        assert find(device, graph, [0] * n, 0) == [-9999, *range(n - 1)]
    assert len(launched) < 100


@pytest.mark.parametrize("atomic", [True, False])
def test_of_several_predecessors_the_smallest(atomic: bool, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """All vertices of a layer offer themselves to each of the next."""
    monkeypatch.setattr(device, "loads_are_atomic", atomic and device.loads_are_atomic)
    monkeypatch.setattr(predecessors, "_CPU_RUN", 7)
    width = 60
    middle, last = np.arange(1, width + 1), np.arange(width + 1, 2 * width + 1)
    sources = np.concatenate([np.zeros(width, int), np.repeat(middle, width)])
    targets = np.concatenate([middle, np.tile(last, width)])
    graph = reedsp.Graph.from_edges(2 * width + 1, sources, targets)
    assert find(device, graph, [0, *[1] * width, *[2] * width], 0) == [-9999, *[0] * width, *[1] * width]


@pytest.mark.parametrize("ends", [64, 65, 300])
def test_by_edges_where_many_end_at_one_vertex(ends: int, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a GPU. The smallest predecessor is more edges away from the source than the others."""
    launched: list[Launched] = []
    monkeypatch.setattr(device, "kind", "gpu")
    middle = range(2, ends + 1)
    edges = [*((0, v, 1 + v % 3) for v in middle), (2, 1, 1), (ends + 1, ends + 2, 0)]
    edges += [(1, ends + 1, 2), *((v, ends + 1, 5 - v % 3) for v in middle)]
    graph, job = reedsp.Graph.from_edges(ends + 3, *map(list, zip(*edges, strict=True))), Job(device)
    arithmetic = Arithmetic(np.dtype(np.int32))
    exact = oracle.distances(ends + 3, edges, 0)
    dist = job.upload(np.array([exact, exact], np.int32))
    for _ in range(2):
        with recording(launched.append):
            trees = find_trees(job, DeviceGraph.of(graph, job, arithmetic, False), dist, [[0], [0]], False)
        found = np.empty((2, graph.n), np.int32)
        trees.read_into(found, job)
        assert found.tolist() == [oracle.predecessors(ends + 3, edges, 0, exact)] * 2
    assert ("resolve_progress_by_edges" in {each.kernel.name for each in launched}) == (ends > 64)


def test_distances_that_contradict_each_other(device: Device) -> None:
    graph, job = reedsp.Graph.from_edges(3, [0, 1], [1, 2], [2, 2]), Job(device)
    arithmetic = Arithmetic(np.dtype(np.int32))
    dist = job.upload(np.array([0, 2, 3], np.int32))
    edges = OutEdges(graph, job, arithmetic)
    assert find_trees_outgoing(job, edges, arithmetic, dist, [[0]], False).unresolved == 1


@pytest.mark.parametrize("dtype", ["int32", "int64", "float64"])
def test_what_overflows_is_seen(dtype: str, device: Device) -> None:
    arithmetic = Arithmetic(np.dtype(dtype), saturate=True)
    huge = np.finfo(np.float64).max if dtype == "float64" else np.iinfo(dtype).max - 1
    graph, job = reedsp.Graph.from_edges(3, [0, 1], [1, 2], np.array([huge, huge])), Job(device)
    edges = OutEdges(graph, job, arithmetic)
    for last, overflows in ((arithmetic.infinity, True), (huge, False)):
        weights = np.array([0, huge, last], dtype)
        if not overflows:
            edges = OutEdges(reedsp.Graph.from_edges(3, [0, 0], [1, 2], np.array([huge, huge])), job, arithmetic)
        found = find_trees_outgoing(job, edges, arithmetic, job.upload(weights), [[0]], False)
        assert found.overflowed == overflows
        tree = np.empty((1, 3), np.int32)
        found.read_into(tree, job)
        assert tree.tolist() == [[-9999, 0, -9999 if overflows else 0]]


def find(device: Device, graph: reedsp.Graph, dist: Sequence[int], source: int) -> list[int]:
    job, arithmetic = Job(device), Arithmetic(np.dtype(np.int32))
    trees = find_trees_outgoing(
        job, OutEdges(graph, job, arithmetic), arithmetic, job.upload(np.array(dist, np.int32)), [[source]], False
    )
    found = np.empty((1, graph.n), np.int32)
    trees.read_into(found, job)
    return found[0].tolist()
