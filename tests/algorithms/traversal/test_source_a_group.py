"""Breadth-first search of which each work-group does a row, against a search with a list and the other methods."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import reedsp
from reedsp.algorithms.traversal import source_a_group
from reedsp.cost_model import choose_search, families
from reedsp.cost_model.searches import Searches
from reedsp.device import iterate
from reedsp.edges import device_graph
from tests.algorithms.traversal.test_bfs import GRAPHS, core_with_tail, reference, unweighted
from tests.support import oracle
from tests.support.families import FAMILIES, Family

METHOD = "source-a-group"
SIZES: list[dict[str, Any]] = [{}, {"group_size": 32}, {"group_size": 256}]
every_size = pytest.mark.parametrize("more", SIZES, ids=lambda more: str(more.get("group_size")))


def search(graph: reedsp.Graph, sources: Any, device: reedsp.Device, **more: Any) -> reedsp.BreadthFirst:
    return reedsp.bfs(graph, sources, device=device, options={"method": METHOD, **more})


def check(found: reedsp.BreadthFirst, graph: reedsp.Graph, sources: list[int]) -> None:
    assert found.levels.shape == found.pred.shape == (len(sources), graph.n)
    assert found.levels.dtype == found.pred.dtype == np.int32
    for row, source in enumerate(sources):
        assert (found.levels[row].tolist(), found.pred[row].tolist()) == reference(graph, source)


@pytest.mark.deep
@every_size
@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_families(family: Family, more: dict[str, Any], device: reedsp.Device) -> None:
    graph = unweighted(family)
    edges = oracle.edges_of(family.sources, family.targets, [1] * len(family.sources), family.directed)
    sources = [family.source, family.n - 1]
    found = search(graph, sources, device, **more)
    for row, source in enumerate(sources):
        expected = oracle.distances(family.n, edges, source)
        assert found.levels[row].tolist() == [-1 if level is None else level for level in expected]
        assert found.pred[row].tolist() == oracle.predecessors(family.n, edges, source, expected)
    assert found.method == METHOD
    assert found.verify()


@pytest.mark.deep("256", "power law")
@every_size
@pytest.mark.parametrize("name", GRAPHS)
def test_larger_graphs(name: str, more: dict[str, Any], device: reedsp.Device) -> None:
    graph = GRAPHS[name]
    sources = [0, graph.n - 1, 7, 0]
    check(search(graph, sources, device, **more), graph, sources)


@pytest.mark.parametrize("budget", [1, 30])
@pytest.mark.parametrize("name", GRAPHS)
def test_a_row_goes_on_where_a_launch_has_ended(
    name: str, budget: int, device: reedsp.Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On fewer work-groups than there are rows, each of which is in another row when a launch ends."""
    graph, sources = GRAPHS[name], [5, 0, 9, 5, 500, 2, 1]
    monkeypatch.setattr(device, "compute_units", 1)
    monkeypatch.setattr(source_a_group, "GROUPS_PER_COMPUTE_UNIT", 3)
    whole = search(graph, sources, device)
    monkeypatch.setattr(source_a_group, "_FIRST_BUDGET", budget)
    monkeypatch.setattr(iterate, "_SECONDS", 0.0)  # it is halved, then
    found = search(graph, sources, device)
    check(found, graph, sources)
    assert found.stats["kernels_launched"] > whole.stats["kernels_launched"]
    assert np.array_equal(found.levels, whole.levels)
    assert np.array_equal(found.pred, whole.pred)


@pytest.mark.parametrize("at_once", [1, 3, 64])
def test_as_many_rows_at_once_as_fit(at_once: int, device: reedsp.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    graph, sources = GRAPHS["two cores"], [5, 1, 0, 800, 9, 5, 5]
    whole = search(graph, sources, device)  # and the graph, which is larger than a row, is there from now on
    memory = 2 * 4 * graph.n * at_once
    monkeypatch.setattr(device, "max_allocation", memory)
    assert source_a_group.rows_at_once(device, graph.n) == at_once
    found = search(graph, sources, device)
    check(found, graph, sources)
    assert np.array_equal(found.pred, whole.pred)
    assert found.stats["kernels_launched"] >= -(-len(sources) // at_once)


def test_memory_for_no_row_is_memory_for_one(device: reedsp.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device, "max_allocation", 1)
    assert source_a_group.rows_at_once(device, 10) == 1


def test_one_source_and_none(device: reedsp.Device) -> None:
    graph = GRAPHS["sparse"]
    one = search(graph, 7, device)
    assert (one.levels.tolist(), one.pred.tolist()) == reference(graph, 7)
    assert search(graph, [], device).levels.shape == (0, graph.n)
    lonely = search(reedsp.Graph.from_edges(1, [], []), [0, 0], device)
    assert (lonely.levels.tolist(), lonely.pred.tolist()) == ([[0], [0]], [[-9999], [-9999]])


def test_a_star_of_many_leaves(device: reedsp.Device) -> None:
    """The edges of one vertex, of as many rounds of the work-items as they take."""
    n = 100_001
    graph = reedsp.Graph.from_edges(n, np.full(n - 1, n - 1), np.arange(n - 1), directed=False)
    found = search(graph, [n - 1, 5], device)
    assert (found.levels[0, :-1] == 1).all()
    assert np.array_equal(np.bincount(found.levels[1]), [1, 1, n - 2])
    assert found.verify()


def test_places_of_64_bits(device: reedsp.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a graph of 2^32 edges needs, on a small one."""
    monkeypatch.setattr(device_graph, "_offsets", lambda indptr, m: (indptr.astype(np.uint64), {"OFFSET": "ulong"}))
    graph = core_with_tail(300, 20, 5)
    check(search(graph, [4, 9], device), graph, [4, 9])


def test_progress(device: reedsp.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source_a_group, "_FIRST_BUDGET", 256)
    path = reedsp.Graph.from_edges(20_000, np.arange(19_999), np.arange(1, 20_000))
    seen: list[tuple[int, int]] = []
    reedsp.bfs(path, 0, device=device, options={"method": METHOD}, progress=lambda *state: seen.append(state))
    assert len(seen) > 2
    assert seen == sorted(seen)
    assert all(0 < level < most == path.n for level, most in seen)
    seen.clear()
    monkeypatch.setattr(source_a_group, "rows_at_once", lambda device, n: 2)
    sources = [19_990, 19_991, 19_992]
    reedsp.bfs(path, sources, device=device, options={"method": METHOD}, progress=lambda *state: seen.append(state))
    assert seen == sorted(seen)
    assert seen[-1] == (3, 3)
    assert {total for _, total in seen} == {3}


def test_gpus_take_it_for_many_sources_of_small_or_deep_graphs() -> None:
    known = families.family("gpu", 100, 1 << 36, shares_memory=False)

    def chosen(n: int, m: int, rows: int) -> tuple[str, ...]:
        return choose_search.breadth_first(Searches(n, m, True, rows, "int32", 4), known, "gpu").methods

    assert chosen(1000, 3000, 1)[0] == "work-groups"
    assert chosen(1000, 3000, 16)[0] == METHOD
    assert chosen(200_000, 700_000, 1000)[0] == METHOD
    assert chosen(1 << 20, 30_000_000, 2)[0] == "work-groups"
    assert set(chosen(1000, 3000, 16)) == {"work-items", "work-groups", METHOD}
    cores = families.family("cpu", 8, 1 << 34, shares_memory=True)
    assert METHOD not in choose_search.breadth_first(Searches(1000, 3000, True, 16, "int32", 4), cores, "cpu").methods


def test_what_does_not_fit(device: reedsp.Device) -> None:
    with pytest.raises(ValueError, match=r"options: direction: 'source-a-group' has none"):
        search(GRAPHS["sparse"], [0, 1], device, direction="top-down")
    with pytest.raises(ValueError, match=r"options: group_size = 33, expected a power of two"):
        search(GRAPHS["sparse"], [0, 1], device, group_size=33)
