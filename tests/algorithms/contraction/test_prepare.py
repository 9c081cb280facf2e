"""Prepared graphs give the distances, trees and paths of other searches, on graphs of every kind."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import networkx as nx
import numpy as np
import pyopencl as cl
import pytest

import reedsp
from reedsp.algorithms.contraction import hierarchy, prepared_graph
from reedsp.algorithms.contraction import rounds as searches
from reedsp.algorithms.contraction.core import ORIGINAL, Core, Edges
from reedsp.algorithms.contraction.exact import units_of
from reedsp.arithmetic.types import InexactError
from reedsp.device.job import Job
from reedsp.device.memory.scratch import Scratch
from tests.support import oracle
from tests.support.families import NOT_NEGATIVE, Family, grid, random
from tests.support.small_graphs import graph_of

CLOSE = [
    random(f"random, {low} .. {high}, {seed}", 90, 260, low, high, seed)
    for seed, (low, high) in enumerate([(0, 2), (0, 1), (1, 3), (0, 100)] * 3)
]


GRID = grid("grid", 9, 11, seed=4)


def expected_rows(family: Family, sources: list[int]) -> list[list[float]]:
    rows = [oracle.distances(family.n, family.edges, source) for source in sources]
    return [[np.inf if each is None else float(each) for each in row] for row in rows]


def weight_of(edges: list[oracle.Edge], path: list[int]) -> float:
    lightest: dict[tuple[int, int], float] = {}
    for u, v, weight in edges:
        lightest[u, v] = min(float(weight), lightest.get((u, v), np.inf))
    return sum(lightest[pair] for pair in itertools.pairwise(path))


@pytest.mark.deep
@pytest.mark.parametrize("family", [*NOT_NEGATIVE, *CLOSE], ids=lambda family: family.name)
def test_prepared_graphs_answer_as_other_searches(family: Family, device: reedsp.Device) -> None:
    graph = family.graph()
    prepared = reedsp.prepare(graph, device=device)
    rng = np.random.default_rng(0)
    sources = [family.source, *rng.integers(0, family.n, 17).tolist()]  # more than are searched side by side
    expected = np.array(expected_rows(family, sources))
    assert np.array_equal(prepared.distances(sources), expected)
    targets = rng.integers(0, family.n, 5).tolist()
    assert np.array_equal(prepared.distance_table(sources, targets), expected[:, targets])
    found, other = prepared.sssp(sources), reedsp.sssp(graph, sources, "near-far", device=device)
    assert np.array_equal(found.dist, other.dist)
    assert np.array_equal(found.pred, other.pred)
    assert found.verify()
    for target, dist in zip(targets, expected[0, targets].tolist(), strict=True):
        assert prepared.distance(family.source, target) == dist
        if np.isfinite(dist):
            path = prepared.path(family.source, target)
            assert (path[0], path[-1]) == (family.source, target)
            assert weight_of(family.edges, path) == dist
        else:
            with pytest.raises(ValueError, match=f"no path from vertex {family.source} to vertex {target}"):
                prepared.path(family.source, target)


def test_paths_along_edges_of_weight_zero_visit_no_vertex_twice(device: reedsp.Device) -> None:
    sources, targets = [3, 6, 5, 7, 0, 4, 3, 0, 5, 3, 4, 4, 6], [3, 1, 2, 6, 1, 0, 2, 3, 7, 0, 6, 6, 2]
    weights = [0, 1, 1, 1, 0, 1, 1, 0, 0, 0, 0, 0, 1]
    prepared = reedsp.prepare(reedsp.Graph.from_edges(8, sources, targets, weights), device=device)
    assert prepared.path(4, 1) in ([4, 0, 1], [4, 6, 1])


@pytest.mark.parametrize(("first", "last", "shortcuts"), [(2, 0, 0), (1, 1, 0), (2, 1, 1), (3, 0, 1)])
def test_a_witness_may_end_in_an_edge_of_weight_zero(
    first: int, last: int, shortcuts: int, device: reedsp.Device
) -> None:
    """It is as far as the path by way of vertex 0 before that edge."""
    graph = reedsp.Graph.from_edges(4, [1, 0, 1, 3], [0, 2, 3, 2], [1, 1, first, last])
    core = Core.of(graph, units_of(graph))
    assert searches.Round(Job(device), core).counts(core, np.arange(1)).tolist() == [shortcuts]


@pytest.mark.parametrize("heaviest", [0, 1])
def test_grids_with_edges_of_weight_zero_need_few_shortcuts(heaviest: int, device: reedsp.Device) -> None:
    family = grid("grid", 34, 32, seed=2)
    weights = np.random.default_rng(2).random(len(family.sources)) < 0.1 * heaviest
    graph = reedsp.Graph.from_edges(family.n, family.sources, family.targets, weights.astype(int), directed=False)
    prepared = reedsp.prepare(graph, device=device)
    assert prepared.shortcuts < graph.m
    sources = range(0, family.n, 97)
    assert np.array_equal(prepared.distances(sources), reedsp.sssp(graph, sources, "near-far", device=device).dist)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("kind", ["zero and small", "unit", "undirected"])
def test_small_graphs(kind: str, seed: int, device: reedsp.Device) -> None:
    graph, edges = graph_of(kind, seed)
    prepared = reedsp.prepare(graph, device=device)
    every = list(range(graph.n))
    expected = [[np.inf if d is None else float(d) for d in row] for row in oracle.all_distances(graph.n, edges)]
    assert prepared.distances(every).tolist() == expected
    assert prepared.distance_table(every, every).tolist() == expected
    assert [[prepared.distance(u, v) for v in every] for u in every] == expected


@pytest.mark.parametrize("seed", range(3))
def test_larger_grids_with_directions(seed: int, device: reedsp.Device) -> None:
    family = grid("grid", 40, 35, seed)
    rng = np.random.default_rng(seed)
    ends = family.sources + family.targets, family.targets + family.sources
    graph = reedsp.Graph.from_edges(family.n, *ends, rng.integers(0, 60, len(ends[0])))
    prepared = reedsp.prepare(graph, device=device)
    sources = rng.integers(0, family.n, 40)
    expected = reedsp.sssp(graph, sources, "near-far", device=device).dist
    assert np.array_equal(prepared.distances(sources), expected)
    assert np.array_equal(prepared.distance_table(sources, sources[:9]), expected[:, sources[:9]])


@pytest.mark.parametrize(("seed", "factor"), [(0, 1), (1, 2), (2, 8)])
def test_graphs_with_hubs_are_right_or_refused(seed: int, factor: int, device: reedsp.Device) -> None:
    ends = np.minimum(np.random.default_rng(seed).zipf(1.6, (2, 3000 * factor)), 3000) - 1
    graph = reedsp.Graph.from_edges(3000, *ends, np.arange(3000 * factor) % 9)
    try:
        prepared = reedsp.prepare(graph, device=device)
    except hierarchy.NoHierarchyError:
        return
    assert np.array_equal(prepared.distances([0, 1]), reedsp.sssp(graph, [0, 1], "near-far", device=device).dist)


def test_a_hub_goes_last(device: reedsp.Device) -> None:
    """Also if more shortcuts than 32 bits count would take its place."""
    leaves = np.arange(1, 70_001)
    graph = reedsp.Graph.from_edges(70_001, np.zeros_like(leaves), leaves, 1 + leaves % 9, directed=False)
    prepared = reedsp.prepare(graph, device=device)
    assert prepared.shortcuts == 0
    assert prepared.distance(1, 2) == 5
    assert np.array_equal(prepared.distances(3)[1:], 4 + (1 + leaves % 9) * (leaves != 3) - 4 * (leaves == 3))


def test_a_graph_without_hierarchy_is_refused(monkeypatch: pytest.MonkeyPatch, device: reedsp.Device) -> None:
    monkeypatch.setattr(hierarchy, "_CORE", 40)
    graph = random("random", 400, 8000, 1, 1000, seed=1).graph()
    with pytest.raises(ValueError, match=r"^graph: it has no hierarchy that could be of use: [\d,]+ edges"):
        reedsp.prepare(graph, device=device)


@pytest.mark.parametrize(("few", "short", "is_refused"), [(99, 356, False), (98, 0, False), (98, 1, True)])
def test_the_edges_of_all_cores_but_those_of_few_vertices_may_be_limited(
    few: int, short: int, is_refused: bool, device: reedsp.Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hierarchy, "_CORE", few)
    graph = GRID.graph()
    arguments = graph, units_of(graph), Job(device), None, graph.m - short
    if is_refused:
        with pytest.raises(hierarchy.NoHierarchyError, match=f"{graph.m} edges and shortcuts join the last 99 of its"):
            hierarchy.contract(*arguments)
    else:
        assert len(hierarchy.contract(*arguments).vertices) == 99


@pytest.mark.parametrize("leaves_to_hub", [False, True])
def test_more_edges_than_are_numbered_are_refused(
    leaves_to_hub: bool, monkeypatch: pytest.MonkeyPatch, device: reedsp.Device
) -> None:
    """All edges of this graph lead up, or all down."""
    assert np.iinfo(np.int32).max == hierarchy._MOST_EDGES
    ends = [0] * 5, range(1, 6)
    graph = reedsp.Graph.from_edges(6, *(ends[::-1] if leaves_to_hub else ends))
    monkeypatch.setattr(hierarchy, "_MOST_EDGES", 5)
    found = hierarchy.contract(graph, units_of(graph), Job(device))
    assert sorted((len(found.up.higher), len(found.down.higher))) == [0, 5]
    monkeypatch.setattr(hierarchy, "_MOST_EDGES", 4)
    with pytest.raises(hierarchy.NoHierarchyError):
        hierarchy.contract(graph, units_of(graph), Job(device))


@pytest.mark.parametrize(
    ("n", "m", "is_hopeless"),
    [
        (1024, 10**9, False),
        (1025, 20 * 1025, False),
        (1025, 20 * 1025 + 1, True),
        (4000, 50_000, False),
        (4000, 100_000, True),
    ],
)
def test_a_core_that_most_of_the_graph_would_be_left_of_is_given_up(n: int, m: int, is_hopeless: bool) -> None:
    assert hierarchy._is_hopeless(n, m, SimpleNamespace(n=16_001, m=20_000)) == is_hopeless


@pytest.mark.parametrize(
    ("n", "m", "edges", "is_hopeless"),
    [
        (2001, 20_010, 16_000, False),
        (2001, 20_011, 16_000, True),
        (2000, 39_999, 16_000, False),
        (2001, 30_015, 80_000, False),
        (2001, 30_016, 80_000, True),
    ],
)
def test_a_core_that_becomes_dense_early_is_given_up(n: int, m: int, edges: int, is_hopeless: bool) -> None:
    assert hierarchy._is_hopeless(n, m, SimpleNamespace(n=8000, m=edges)) == is_hopeless


@pytest.mark.parametrize(("m", "is_hopeless"), [(100 * 3000, False), (100 * 3000 + 1, True)])
def test_a_core_of_a_large_graph_may_be_denser(m: int, is_hopeless: bool) -> None:
    large = SimpleNamespace(n=10**6, m=10**6)
    assert hierarchy._is_hopeless(3000, m, large) == is_hopeless
    assert not hierarchy._is_hopeless(2000, 10**9, large)
    assert not hierarchy._is_hopeless(40_000, 10**6, large)
    assert hierarchy._is_hopeless(40_000, 10**6 + 1, large)


@pytest.mark.parametrize(
    ("n", "m", "vertices", "is_hopeless"),
    [(400, 159_600, 800, False), (401, 40_200, 800, False), (401, 40_201, 800, True), (401, 40_201, 1604, False)],
)
def test_a_small_core_that_is_dense_early_is_given_up(n: int, m: int, vertices: int, is_hopeless: bool) -> None:
    assert hierarchy._is_hopeless(n, m, SimpleNamespace(n=vertices, m=10 * vertices)) == is_hopeless


def test_a_dense_graph_is_given_up_soon(device: reedsp.Device) -> None:
    """Of which nearly all pairs of vertices would be shortcuts."""
    rng, done = np.random.default_rng(0), [0]
    graph = reedsp.Graph.from_dense(rng.integers(1, 1000, (450, 450)))
    with pytest.raises(ValueError, match=r"reedsp\.apsp solves all pairs$"):
        reedsp.prepare(graph, device=device, progress=lambda each, _: done.append(each))
    assert done == [0]


def test_shortcuts_are_found_for_some_vertices_after_the_other(
    monkeypatch: pytest.MonkeyPatch, device: reedsp.Device
) -> None:
    """With the same bytes in the end."""
    several = np.repeat(np.arange(8), 60), 8 + np.tile(np.arange(60), 8)
    graph = reedsp.Graph.from_edges(68, *several, np.random.default_rng(1).integers(1, 9, 480), directed=False)
    slots, look = [], searches.Round._shortcuts_of

    def counted(self: searches.Round, core: Core, goes: Any, some: np.ndarray, *rest: int) -> Edges:
        slots.append(int(core.in_degrees[some[1:]] @ core.out_degrees[some[1:]]))
        return look(self, core, goes, some, *rest)

    monkeypatch.setattr(searches.Round, "_shortcuts_of", counted)
    usual = hierarchy.contract(graph, units_of(graph), Job(device))
    rounds = len(slots)
    monkeypatch.setattr(searches, "_SLOTS", 200)
    found = hierarchy.contract(graph, units_of(graph), Job(device))
    assert rounds == len(usual.rounds) - 1
    assert max(slots[rounds:]) < 200 < max(slots[:rounds]), "of all vertices but the first"
    for name in ("vertices", "rounds"):
        assert np.array_equal(getattr(found, name), getattr(usual, name))
    for one, other in ((found.up, usual.up), (found.down, usual.down)):
        for name in ("first", "higher", "weights", "parts"):
            assert np.array_equal(getattr(one, name), getattr(other, name))


def test_a_round_whose_shortcuts_are_hopeless_is_not_finished(
    monkeypatch: pytest.MonkeyPatch, device: reedsp.Device
) -> None:
    """Of which a few of the vertices that go show that."""
    monkeypatch.setattr(hierarchy, "_CORE", 40)
    monkeypatch.setattr(hierarchy, "_VERY_DENSE", 10)
    rng = np.random.default_rng(1)
    graph = reedsp.Graph.from_edges(600, *rng.integers(0, 600, (2, 24_000)), rng.integers(1, 1000, 24_000))
    looked_at, look = [], searches.Round._shortcuts_of

    def counted(self: searches.Round, core: Core, goes: Any, some: np.ndarray, *rest: int) -> Edges:
        looked_at[-1] += len(some)
        return look(self, core, goes, some, *rest)

    monkeypatch.setattr(searches.Round, "_shortcuts_of", counted)
    for slots in (10**9, 1000):
        monkeypatch.setattr(searches, "_SLOTS", slots)
        looked_at.append(0)
        with pytest.raises(hierarchy.NoHierarchyError):
            hierarchy.contract(graph, units_of(graph), Job(device))
    assert looked_at[1] < looked_at[0]


@pytest.mark.parametrize(("weight", "parts"), [(2, [5, 6]), (3, [ORIGINAL, ORIGINAL]), (4, [ORIGINAL, ORIGINAL])])
def test_a_shortcut_replaces_a_heavier_edge_alone(weight: int, parts: list[int]) -> None:
    graph = reedsp.Graph.from_edges(3, [0, 0, 1], [1, 2, 2], [1, 3, 1])
    ends, of_what = (np.array([0]), np.array([2])), np.array([[5, 6]], np.int32)
    shortcut = Edges(*ends, np.array([weight], np.int32), of_what)
    left = Core.of(graph, units_of(graph)).without(np.array([False, True, False]), shortcut)
    assert (left.names.tolist(), left.edges.tails.tolist(), left.edges.heads.tolist()) == ([0, 2], [0], [1])
    assert (left.edges.weights.tolist(), left.edges.parts.tolist()) == ([min(weight, 3)], [parts])


@pytest.mark.parametrize("between", [9, None])
def test_of_two_shortcuts_the_lighter_is_left(between: int | None) -> None:
    """Which come in the order of their ends, by way of two vertices that go at once."""
    edges = [(0, 1, 1), (1, 3, 1), (0, 2, 2), (2, 3, 2), *([] if between is None else [(0, 3, between)])]
    graph = reedsp.Graph.from_edges(4, *np.array(edges).T)
    ends, of_what = (np.array([0, 0]), np.array([3, 3])), np.array([[0, 0], [1, 1]], np.int32)
    shortcuts = Edges(*ends, np.array([2, 4], np.int32), of_what)
    left = Core.of(graph, units_of(graph)).without(np.array([False, True, True, False]), shortcuts)
    assert (left.edges.weights.tolist(), left.edges.parts.tolist()) == ([2], [[0, 0]])


@pytest.mark.parametrize(("back", "directed", "symmetric"), [(4, True, True), (5, True, False), (5, False, True)])
def test_a_core_with_the_same_edges_in_both_directions_is_symmetric(back: int, directed: bool, symmetric: bool) -> None:
    graph = reedsp.Graph.from_edges(2, [0, 1], [1, 0], [4, back], directed)
    assert Core.of(graph, units_of(graph)).symmetric == symmetric


def test_a_priority_is_cut_to_32_bits() -> None:
    """So that a vertex with more of it goes last, whatever its hash, which decides between the same ones alone."""
    zeros = np.zeros(5, np.int64)
    state = hierarchy._State(np.array([-3, 0, 100, 2**31 - 5, 2**31 + 10]), zeros, zeros, zeros > 0)
    keys = hierarchy._keys(SimpleNamespace(names=np.array([3, 1, 4, 2, 5])), state)
    assert (keys >> 32).tolist() == [0, 6, 206, 2**32 - 4, 2**32 - 1]
    assert (np.diff((keys & 0xFFFF_FFFF).astype(np.int64)) < 0).all()


def test_vertices_go_in_an_order_that_needs_few_shortcuts(device: reedsp.Device) -> None:
    """As many in all versions and on all devices: what goes first is decided by integers."""
    for family, shortcuts, rounds in ((grid("grid", 12, 9, seed=2), 278, 16), (grid("grid", 30, 30, seed=5), 3410, 29)):
        graph = family.graph()
        prepared = reedsp.prepare(graph, device=device)
        assert (prepared.shortcuts, prepared.rounds) == (shortcuts, rounds)
        stats = prepared.sssp(0).stats
        assert all(stats["phases"][each] > 0 for each in ("search", "convert")), "each takes some of the time"
        assert stats["exact_on_host"] == 0
        assert stats["arithmetic"] == "int32"
        assert stats["chosen_because"] == "the graph was prepared"


def test_how_many_vertices_are_contracted_is_told(device: reedsp.Device) -> None:
    told: list[tuple[int, int]] = []
    prepared = reedsp.prepare(GRID.graph(), device=device, progress=lambda *each: told.append(each))
    assert len(told) == prepared.rounds
    assert [done for done, _ in told] == prepared._hierarchy.rounds[1:].tolist()
    assert {n for _, n in told} == {GRID.n}


def test_names_types_and_other_kinds_of_graphs(device: reedsp.Device) -> None:
    towns = nx.Graph()
    towns.add_weighted_edges_from([("Bern", "Thun", 30), ("Thun", "Brig", 70), ("Bern", "Biel", 35)])
    towns.add_node("Elba")
    prepared = reedsp.prepare(towns, device=device)
    assert prepared.path("Biel", "Brig") == ["Biel", "Bern", "Thun", "Brig"]
    assert prepared.distance("Biel", "Elba") == np.inf
    assert prepared.distance_table(["Bern"], ["Brig", "Elba"], dtype="int32").tolist() == [[100, 2**31 - 1]]
    one = prepared.sssp("Biel", dtype="int64")
    assert (one.dist.dtype, one.dist.shape, one.pred.shape) == (np.int64, (5,), (5,))
    assert one.path("Brig") == ["Biel", "Bern", "Thun", "Brig"]
    assert (one.method, one.device) == ("contraction-hierarchy", str(device))
    assert prepared.distances(["Bern", "Thun"], dtype="float32").dtype == np.float32
    assert prepared.sssp(["Bern", "Thun"], dtype="float32").verify()
    assert prepared.distances([]).shape == (0, 5)
    assert prepared.distance_table([], ["Bern"]).shape == (0, 1)
    assert "shortcuts" in repr(prepared)
    with pytest.raises(ValueError, match="target = 'Rome' is not a vertex"):
        prepared.distance("Bern", "Rome")
    with pytest.raises(ValueError, match=r"sources\[1\] = 'Rome' is not a vertex"):
        prepared.distance_table(["Bern", "Rome"], ["Thun"])


def test_fractions_of_a_power_of_two(device: reedsp.Device) -> None:
    family = grid("grid", 20, 20, seed=3)
    graph = family.graph(units=8)
    prepared = reedsp.prepare(graph, device=device)
    expected = reedsp.sssp(graph, [0, 7], "near-far", device=device)
    found = prepared.sssp([0, 7])
    assert np.array_equal(found.dist, expected.dist)
    assert np.array_equal(found.pred, expected.pred)
    assert found.verify()
    assert prepared.distance(0, 399) == expected.dist[0, 399]
    with pytest.raises(ValueError, match="dtype = float32 may round sums of these weights; use float64"):
        prepared.distances(0, dtype="float32")


@pytest.mark.deep("53", "200")
@pytest.mark.parametrize("exponent", [53, 200, 1000])
def test_multiples_of_a_large_power_of_two(exponent: int, device: reedsp.Device) -> None:
    """Float64 holds their sums, and no integer may."""
    unit = 2.0**exponent
    graph = reedsp.Graph.from_edges(4, [0, 1, 0], [1, 2, 2], [unit, 3 * unit, 5 * unit])
    prepared = reedsp.prepare(graph, device=device)
    expected = [0, unit, 4 * unit, np.inf]
    assert prepared.sssp(0).verify()
    for row in (prepared.sssp(0).dist, prepared.distances(0), prepared.distance_table([0], range(4))[0]):
        assert row.tolist() == expected
    assert [prepared.distance(0, vertex) for vertex in range(4)] == expected
    assert reedsp.distance_statistics(prepared).farness.tolist() == [5 * unit, 3 * unit, 0, 0]
    for call in (prepared.sssp, prepared.distances):
        with pytest.raises(
            ValueError,
            match=rf"^dtype = int64: sums of these weights, multiples of 2\*\*{exponent}, are for float64 alone$",
        ):
            call(0, dtype="int64")


def test_distances_beyond_float64(device: reedsp.Device) -> None:
    graph = reedsp.Graph.from_edges(3, [0, 1], [1, 2], [2**55, 1])
    prepared = reedsp.prepare(graph, device=device)
    assert prepared.distances(0, dtype="int64").tolist() == [0, 2**55, 2**55 + 1]
    assert prepared.distance(0, 1) == 2**55
    for call in (lambda: prepared.distance(0, 2), lambda: prepared.distances(0)):
        with pytest.raises(InexactError, match=f"{2**55 + 1} has no exact float64 value"):
            call()


def test_no_vertices(device: reedsp.Device) -> None:
    prepared = reedsp.prepare(reedsp.Graph.from_edges(0, [], []), device=device)
    assert prepared.rounds == 0
    assert prepared.distances([]).shape == (0, 0)
    assert reedsp.distance_statistics(prepared).farness.shape == (0,)


@pytest.mark.parametrize("is_right", [True, False])
def test_distances_are_written_as_float64_where_that_is_trusted(
    is_right: bool, device: reedsp.Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepared = reedsp.prepare(GRID.graph(), device=device)
    expected = reedsp.sssp(prepared.graph, [0, 7], "near-far", device=device).dist
    rows, given = prepared._searches.rows, []
    monkeypatch.setattr(prepared_graph, "_finds_rows", lambda *_: is_right)
    monkeypatch.setattr(prepared._searches, "rows", lambda *args: (given.append(args[2].dtype.name), rows(*args)))
    assert np.array_equal(prepared.distances([0, 7]), expected)
    assert np.array_equal(prepared.distance_table([0, 7], [3, 1]), expected[:, [3, 1]])
    assert given == 2 * ["float64" if is_right and device.fp64 else "int32"]


def test_buffers_are_left_to_what_is_asked_next(device: reedsp.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    take, give_back, held, most = Scratch.take, Scratch.give_back, set(), [0]

    def taken(scratch: Scratch, context: cl.Context, size: int) -> cl.Buffer:
        buffer = take(scratch, context, size)
        held.add(buffer.int_ptr)
        most[0] = max(most[0], len(held))
        return buffer

    def given_back(scratch: Scratch, *buffers: cl.Buffer) -> None:
        held.difference_update(each.int_ptr for each in buffers)
        give_back(scratch, *buffers)

    monkeypatch.setattr(Scratch, "take", taken)
    monkeypatch.setattr(Scratch, "give_back", given_back)
    prepared = reedsp.prepare(GRID.graph(), device=device)
    assert most[0] > 0
    for ask in (
        lambda: prepared.distance(0, 7),
        lambda: prepared.path(0, 7),
        lambda: prepared.distances([0, 7]),
        lambda: prepared.distance_table([0, 7], [3, 1]),
        lambda: prepared.sssp(0),  # after which those are held that have the edges of the graph
    ):
        assert held == set()
        most[0] = 0
        ask()
        assert most[0] > 0


@pytest.mark.parametrize(("targets", "width"), [(None, 99), ([3, 1], 2), ([3], 1)])
def test_a_row_takes_memory_in_both_of_its_types(targets: list[int] | None, width: int, device: reedsp.Device) -> None:
    prepared, ends = reedsp.prepare(GRID.graph(), device=device), None if targets is None else np.array(targets)
    search = prepared._row_search(Job(device), np.dtype(np.int64), ends)
    assert search.row_bytes == width * (8 + 4)


@pytest.mark.parametrize(
    ("max_allocation", "global_memory", "row_bytes", "rows"),
    [(1000, 1 << 20, 10, 100), (1 << 20, 8000, 10, 100), (1 << 20, 8000, 334, 2), (1000, 8000, 1001, 1)],
)
def test_rows_take_an_eighth_of_the_memory_of_a_device(
    max_allocation: int,
    global_memory: int,
    row_bytes: int,
    rows: int,
    device: reedsp.Device,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    prepared = reedsp.prepare(GRID.graph(), device=device)
    memory = SimpleNamespace(max_allocation=max_allocation, global_memory=global_memory)
    monkeypatch.setattr(prepared, "device", memory)
    assert prepared._rows_at_once(row_bytes) == rows


def test_a_device_that_contracts_wrongly_is_refused(
    device: reedsp.Device, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    graph = GRID.graph()
    reedsp.prepare(graph, device=device).save(tmp_path / "prepared.npz")
    monkeypatch.setattr(prepared_graph, "is_trusted", lambda *_: False)
    with pytest.raises(reedsp.DeviceError, match=r": contraction in int32 for int32 gives wrong answers, or fails$"):
        reedsp.prepare(graph, device=device)
    with pytest.raises(reedsp.DeviceError, match=r": contraction in int32 for int32 gives wrong answers, or fails$"):
        reedsp.load_prepared(tmp_path / "prepared.npz", graph, device=device)


def test_no_search_is_begun_for_no_targets(device: reedsp.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    prepared = reedsp.prepare(GRID.graph(), device=device)
    monkeypatch.delattr(type(prepared._searches), "rows")
    assert prepared.distance_table([0, 7], []).shape == (2, 0)
    assert prepared.distance_table([], [0]).shape == (0, 1)


def test_a_graph_without_a_hierarchy_is_given_up_early(device: reedsp.Device) -> None:
    rng, done = np.random.default_rng(4), [0]
    graph = reedsp.Graph.from_edges(4000, *rng.integers(0, 4000, (2, 16000)), directed=False)
    with pytest.raises(ValueError, match="no hierarchy that could be of use"):
        reedsp.prepare(graph, device=device, progress=lambda each, _: done.append(each))
    assert done[-1] < graph.n / 2


@pytest.mark.parametrize(
    ("entering", "witnesses", "shortcuts"),
    [
        ((0, 1), (), [0, 3]),
        ((1, 8), (), [3, 24]),
        ((9, 100), (), [27, 300]),
        ((8, 1), range(0, 8, 2), [12, 0]),
        ((16, 17), range(0, 17, 2), [48, 3 * 3 * 17 // 6]),
        ((17, 16), range(1, 17, 2), [3 * 3 * 17 // 6, 0]),
    ],
)
def test_shortcuts_are_counted_at_up_to_eight_edges_of_a_vertex(
    entering: tuple[int, int], witnesses: Sequence[int], shortcuts: list[int], device: reedsp.Device
) -> None:
    """Of more edges those in the middle of equal parts stand for the others.

    Paths lead by way of two vertices to three others each; those from some of the first vertices have witnesses.
    """
    edges, n = [], 8
    for hub, count in enumerate(entering):
        ends = range(2 + 3 * hub, 5 + 3 * hub)
        edges += [(hub, end) for end in ends]
        edges += [(n + each, hub) for each in range(count)]
        edges += [(n + each, end) for each in witnesses if each < count for end in ends]
        n += count
    graph = reedsp.Graph.from_edges(n, *np.array(edges).T)
    core = Core.of(graph, units_of(graph))
    assert searches.Round(Job(device), core).counts(core, np.arange(2)).tolist() == shortcuts


@pytest.mark.parametrize(
    ("n", "m", "listed", "settled"),
    [
        (20_000, 0, 254, 128),
        (20_001, 0, 62, 16),
        (20_001, 8 * 20_001, 62, 16),
        (20_001, 8 * 20_001 + 1, 254, 128),
        (1000, 240_000, 254, 25),
        (1000, 240_040, 254, 24),
        (1000, 250_000, 254, 24),
        (1000, 250_001, 254, 1),
    ],
)
def test_how_far_witnesses_are_searched_for(n: int, m: int, listed: int, settled: int, device: reedsp.Device) -> None:
    """Farther in late rounds, not as far where vertices have many edges, and no farther than one where all have."""
    ends = np.zeros(m, np.int32)
    core: Any = SimpleNamespace(
        n=n, m=m, symmetric=True, first_out=np.zeros(1, np.uint32), edges=Edges(ends, ends, ends, ends)
    )
    found = searches.Round(Job(device), core)
    assert (found._macros["LISTED"], found._settled) == (listed, settled)


def test_a_search_for_witnesses_follows_the_edges_of_a_vertex_at_least(
    device: reedsp.Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searches, "_FOLLOWED", 1)
    graph = GRID.graph()
    assert searches.Round(Job(device), Core.of(graph, units_of(graph)))._settled == 1


def test_a_search_for_witnesses_does_not_follow_a_hub(device: reedsp.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    ends = np.arange(1, 300)
    graph = reedsp.Graph.from_edges(300, [*np.zeros(299, int), *ends], [*ends, *np.roll(ends, 1)], directed=False)
    usual = reedsp.prepare(graph, device=device)
    monkeypatch.setattr(searches, "_FOLLOWED", 200)
    without = reedsp.prepare(graph, device=device)
    assert without.shortcuts > usual.shortcuts
    assert np.array_equal(without.distances(range(0, 300, 7)), usual.distances(range(0, 300, 7)))
