"""Breadth-first search: both sets of kernels in every direction against plain references, and its answers."""

from __future__ import annotations

import itertools
import pickle
import time
from dataclasses import replace
from typing import Any

import networkx as nx
import numpy as np
import pytest
import scipy.sparse.csgraph

import reedsp
from reedsp.algorithms.traversal import bfs as traversal_bfs
from reedsp.algorithms.traversal import deep, work_items
from reedsp.algorithms.traversal.bfs import bfs
from reedsp.device.job import Launched, recording
from reedsp.edges import device_graph
from tests.support import oracle
from tests.support.families import FAMILIES, Family

DIRECTIONS = ("auto", "top-down", "bottom-up")
SETTINGS = [
    {"method": method, "direction": direction, **more}
    for method, more in (("work-items", {}), ("work-groups", {"group_size": 32}), ("work-groups", {"group_size": 64}))
    for direction in DIRECTIONS
]
every_setting = pytest.mark.parametrize("options", SETTINGS, ids=lambda options: "-".join(map(str, options.values())))


def reference(graph: reedsp.Graph, source: int) -> tuple[list[int], list[int]]:
    """Level after level with a list; the smallest predecessor, because each level is searched in ascending order."""
    levels, pred = [-1] * graph.n, [-9999] * graph.n
    levels[source] = 0
    level = [source]
    while level:
        found = []
        for u in level:
            for v in graph.indices[graph.indptr[u] : graph.indptr[u + 1]].tolist():
                if levels[v] < 0:
                    levels[v], pred[v] = levels[u] + 1, u
                    found.append(v)
        level = sorted(found)
    return levels, pred


def unweighted(family: Family) -> reedsp.Graph:
    return reedsp.Graph.from_edges(family.n, family.sources, family.targets, directed=family.directed)


def power_law(n: int, m: int, seed: int, directed: bool = False) -> reedsp.Graph:
    """A few hubs, many vertices of low degree, and some of none."""
    rng = np.random.default_rng(seed)
    ends = rng.permutation(n)[(n * rng.random((2, m)) ** 3).astype(int)]
    return reedsp.Graph.from_edges(n, *ends, directed=directed)


def core_with_tail(core: int, tail: int, seed: int) -> reedsp.Graph:
    """A dense graph, from which a path leads to another one: down, up, down, up and down again."""
    rng = np.random.default_rng(seed)
    first, second = rng.integers(0, core, (2, 2, 20 * core))
    path = np.arange(core - 1, core + tail)
    u = np.concatenate((first[0], path, second[0] + core + tail))
    v = np.concatenate((first[1], path + 1, second[1] + core + tail))
    return reedsp.Graph.from_edges(2 * core + tail, u, v, directed=False)


def late_predecessor(count: int) -> reedsp.Graph:
    """Vertices with many edges that end there, of which only one of the last comes from a vertex that is reached."""
    others = np.arange(40, 40 + count)
    u = [*np.tile(others, 40).tolist(), 40 + count]
    v = [*np.repeat(np.arange(40), count).tolist(), 40 + count - 2]
    return reedsp.Graph.from_edges(41 + count, u, v)


GRAPHS = {
    "power law": power_law(3000, 20_000, 1),
    "power law, directed": power_law(3000, 20_000, 2, directed=True),
    "two cores": core_with_tail(700, 90, 3),
    "late predecessor": late_predecessor(500),
    "sparse": power_law(5000, 4000, 4),
}


@pytest.mark.deep
@every_setting
@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_families(family: Family, options: dict[str, object], device: reedsp.Device) -> None:
    graph = unweighted(family)
    edges = oracle.edges_of(family.sources, family.targets, [1] * len(family.sources), family.directed)
    expected = oracle.distances(family.n, edges, family.source)
    found = bfs(graph, family.source, device=device, options=options)
    assert found.levels.tolist() == [-1 if level is None else level for level in expected]
    assert found.pred.tolist() == oracle.predecessors(family.n, edges, family.source, expected)
    assert found.levels.dtype == found.pred.dtype == np.int32
    assert found.method == options["method"]
    assert found.verify()


@pytest.mark.deep("power law-work-groups-auto-64", "groups")
@every_setting
@pytest.mark.parametrize("name", GRAPHS)
def test_larger_graphs(name: str, options: dict[str, object], device: reedsp.Device) -> None:
    graph = GRAPHS[name]
    for source in (0, graph.n - 1):
        found = bfs(graph, source, device=device, options=options)
        assert (found.levels.tolist(), found.pred.tolist()) == reference(graph, source)
        assert found.verify()


@pytest.mark.deep("auto")
@every_setting
def test_both_directions_are_used(options: dict[str, object], device: reedsp.Device) -> None:
    graph = GRAPHS["two cores"]
    found = bfs(graph, 0, device=device, options=options)
    levels = found.levels.max()
    up = found.stats["bottom_up_levels"]
    assert {"auto": 2 <= up <= 10, "top-down": up == 0, "bottom-up": up >= levels - 1}[options["direction"]], up


@pytest.mark.parametrize("seed", range(8))
def test_the_tree_is_that_of_unit_weights(seed: int, device: reedsp.Device) -> None:
    rng = np.random.default_rng(seed)
    graph = reedsp.Graph.from_edges(200, *rng.integers(0, 200, (2, 500)), directed=seed % 2 == 0)
    paths = reedsp.sssp(graph, 7, device=device)
    for options in SETTINGS:
        found = bfs(graph, 7, device=device, options=options)
        assert np.array_equal(found.pred, paths.pred)
        assert np.array_equal(np.where(found.levels < 0, np.inf, found.levels), paths.dist)


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("name", ["two cores", "power law, directed"])
def test_a_search_goes_on_where_a_dispatch_has_ended(
    name: str, direction: str, device: reedsp.Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = int(np.argmax(np.diff(GRAPHS[name].indptr)))
    whole = bfs(GRAPHS[name], source, device=device, options={"method": "work-items", "direction": direction})
    monkeypatch.setattr(work_items, "_LONGEST_DISPATCH", 40)
    monkeypatch.setattr(work_items, "_LONGEST_LEVEL", 9000)
    pieces = bfs(GRAPHS[name], source, device=device, options={"method": "work-items", "direction": direction})
    assert pieces.stats["kernels_launched"] > 1.5 * whole.stats["kernels_launched"]
    assert np.array_equal(pieces.levels, whole.levels)
    assert np.array_equal(pieces.pred, whole.pred)


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_the_next_search_launches_as_often_as_the_last_one_had_to(direction: str, device: reedsp.Device) -> None:
    """One that takes more launches goes on; where fewer would do, the next search has one step less."""
    width, layers, rng = 500, 12, np.random.default_rng(5)
    ends = rng.integers(0, width, (2, layers - 1, 4 * width)) + width * np.arange(layers - 1)[:, None]
    far, near = layers * width, layers * width + 1
    tails = np.concatenate((ends[0].ravel(), np.repeat([far, near], width)))
    heads = np.concatenate((ends[1].ravel() + width, np.arange(width), np.arange(width) + 8 * width))
    graph = reedsp.Graph.from_edges(layers * width + 2, tails, heads)
    expected = {source: reference(graph, source) for source in (far, near)}
    launched = []
    for source in (far, far, near, near, far):
        found = bfs(
            graph, source, device=device, options={"method": "work-groups", "direction": direction, "group_size": 32}
        )
        assert (found.levels.tolist(), found.pred.tolist()) == expected[source]
        launched.append(found.stats["kernels_launched"])
    assert launched[1] < launched[0]
    assert launched[2:4] == [launched[1], launched[1] - 2]
    assert launched[1] <= launched[4] <= launched[1] + 4


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("steps", [0, 5])
def test_no_launch_finds_out_that_all_vertices_are_reached(steps: int, direction: str, device: reedsp.Device) -> None:
    """Nor where one work-group has searched the first levels alone, several of them in one launch."""
    width, layers = 500, 6
    heads = np.arange(width, width * layers).repeat(4)
    tails = heads - heads % width - 1 - np.random.default_rng(6).integers(0, width, len(heads))
    path = width * layers + np.arange(steps + 1)  # from a source to all of the first layer
    ends = (
        np.concatenate((tails, path[:-1], path[-1:].repeat(width))),
        np.concatenate((heads, path[1:], np.arange(width))),
    )
    launched = []
    for others in (0, 1):
        graph, source = reedsp.Graph.from_edges(len(path) + width * layers + others, *ends), int(path[0])
        for _ in range(2):
            options = {"method": "work-groups", "direction": direction, "group_size": 32}
            found = bfs(graph, source, device=device, options=options)
            assert (found.levels.tolist(), found.pred.tolist()) == reference(graph, source)
        launched.append(found.stats["kernels_launched"])
    assert launched[1] == launched[0] + 2
    assert steps or launched[0] == 1 + 2 * layers


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_the_next_search_does_not_ask_first(direction: str, device: reedsp.Device) -> None:
    """Once a graph has been searched bottom-up, kernels for it are queued ahead."""
    graph, long = power_law(3000, 20_000, 6), core_with_tail(300, 200, 7)
    for each, sources in itertools.product((graph, long), ([0], [1], [2, 0, 5], [1])):
        found = bfs(each, sources, device=device, options={"method": "work-items", "direction": direction})
        for row, source in enumerate(sources):
            assert (found.levels[row].tolist(), found.pred[row].tolist()) == reference(each, source)
        assert (found.stats["bottom_up_levels"] > 0) == (direction != "top-down")
        assert ("searched_bottom_up" in each._derived) == (direction != "top-down")


@pytest.mark.deep("groups")
@pytest.mark.parametrize("method", traversal_bfs.METHODS)
def test_few_searches_of_a_directed_graph_go_top_down(method: str, device: reedsp.Device) -> None:
    """Until they have taken as long as to sort its edges by their heads; several sources are several searches."""
    options = {"method": method}
    expected = reference(GRAPHS["power law, directed"], 5)

    def searched(graph: reedsp.Graph, sources: list[int]) -> bool:
        found = bfs(graph, sources, device=device, options=options)
        assert all(
            (levels.tolist(), pred.tolist()) == expected for levels, pred in zip(found.levels, found.pred, strict=True)
        )
        is_sorted = device_graph.Neighbours.are_there(graph, device, incoming=True)
        assert is_sorted == (found.stats["bottom_up_levels"] > 0)
        return is_sorted

    graph = power_law(3000, 20_000, 2, directed=True)
    assert [searched(graph, [5, 5, 5]) for _ in range(4)] == [False, False, True, True]
    assert searched(power_law(3000, 20_000, 2, directed=True), [5] * 9)
    undirected = power_law(3000, 20_000, 6)
    assert bfs(undirected, 0, device=device, options=options).stats["bottom_up_levels"] > 0


@pytest.mark.deep("groups")
@every_setting
@pytest.mark.parametrize("at_once", [1, 3, 64])
def test_several_sources(
    at_once: int, options: dict[str, object], device: reedsp.Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(work_items, "MOST_ROWS", at_once)
    graph = GRAPHS["two cores"]
    sources = [5, graph.n - 1, 5, 800, 0]
    found = bfs(graph, sources, device=device, options=options)
    assert found.source == sources
    assert found.levels.shape == found.pred.shape == (5, graph.n)
    for row, source in enumerate(sources):
        assert (found.levels[row].tolist(), found.pred[row].tolist()) == reference(graph, source)
    assert found.verify()
    assert found.path(3, source=800) == bfs(graph, 800, device=device).path(3)
    with pytest.raises(ValueError, match="source: name one of the sources"):
        found.path(3)
    with pytest.raises(ValueError, match="source = 6 is not among the sources"):
        found.path(3, source=6)


def test_no_source_at_all(device: reedsp.Device) -> None:
    for options in SETTINGS:
        found = bfs(GRAPHS["sparse"], [], device=device, options=options)
        assert found.levels.shape == found.pred.shape == (0, 5000)
        assert found.verify()


def test_a_path_of_a_million_vertices(device: reedsp.Device) -> None:
    n = 1_000_000
    graph = reedsp.Graph.from_edges(n, np.arange(n - 1), np.arange(1, n))
    found = bfs(graph, 0, device=device)
    assert np.array_equal(found.levels, np.arange(n))
    assert np.array_equal(found.pred[1:], np.arange(n - 1))


@pytest.mark.deep("options2")
@pytest.mark.parametrize("options", [{}, *({"method": method} for method in traversal_bfs.METHODS)])
def test_a_star_of_a_million_leaves(options: dict[str, object], device: reedsp.Device) -> None:
    n = 1_000_001
    graph = reedsp.Graph.from_edges(n, np.full(n - 1, n - 1), np.arange(n - 1), directed=False)
    for source in (n - 1, 5):
        found = bfs(graph, source, device=device, options=options)
        assert (found.levels[: n - 1] == (1 if source == n - 1 else 2)).sum() == n - 1 - (source == 5)
        assert found.verify()


@pytest.mark.deep
@every_setting
def test_places_of_64_bits(options: dict[str, object], device: reedsp.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a graph of 2^32 edges needs, on a small one."""
    monkeypatch.setattr(device_graph, "_offsets", lambda indptr, m: (indptr.astype(np.uint64), {"OFFSET": "ulong"}))
    graph = core_with_tail(300, 20, 5)
    found = bfs(graph, 4, device=device, options=options)
    assert (found.levels.tolist(), found.pred.tolist()) == reference(graph, 4)


def test_weights_are_ignored(device: reedsp.Device) -> None:
    graph = reedsp.Graph.from_edges(4, [0, 1, 2, 0], [1, 2, 0, 3], [-5, 1, 1, 0.5])
    assert bfs(graph, 0, device=device).levels.tolist() == [0, 1, 2, 1]


@pytest.mark.parametrize(
    "kind", [lambda graph: graph, lambda graph: graph.to_scipy(), lambda g: g.to_scipy().toarray()]
)
def test_every_kind_of_graph(kind: object, device: reedsp.Device) -> None:
    graph = reedsp.Graph.from_edges(5, [0, 0, 1, 2, 3], [1, 2, 3, 3, 0])
    found = bfs(kind(graph), np.int64(-5), device=device)
    assert found.levels.tolist() == [0, 1, 1, 2, -1]
    assert found.pred.tolist() == [-9999, 0, 0, 1, -9999]
    assert found.path(3) == found.path(-2, source=0) == [0, 1, 3]
    assert found.path(0) == [0]
    with pytest.raises(ValueError, match="no path from vertex 0 to vertex 4"):
        found.path(4)
    with pytest.raises(ValueError, match="source = 1, but the paths start at 0"):
        found.path(3, source=1)
    assert repr(found).startswith("<reedsp.BreadthFirst: source 0, 4 of 5 reached, ")
    assert np.array_equal(pickle.loads(pickle.dumps(found)).levels, found.levels)


def test_networkx_nodes(device: reedsp.Device) -> None:
    graph = nx.Graph([("a", "b"), ("b", (1, 2)), ((1, 2), "d"), ("a", "d")])
    found = bfs(graph, "a", device=device)
    assert dict(zip(graph, found.levels.tolist(), strict=True)) == nx.single_source_shortest_path_length(graph, "a")
    assert found.path((1, 2)) == ["a", "b", (1, 2)]
    both = bfs(graph, [(1, 2), "a"], device=device)
    assert both.path("a", source=(1, 2)) == [(1, 2), "b", "a"]
    with pytest.raises(ValueError, match="'z' is not a vertex"):
        bfs(graph, "z", device=device)


@pytest.mark.parametrize(
    ("source", "error", "message"),
    [
        (5, ValueError, r"source = 5 is not a vertex of a graph with 5 vertices"),
        (-6, ValueError, r"source = -6 "),
        ([0, 9], ValueError, r"source\[1\] = 9 "),
        (1.5, TypeError, r"source: expected an integer, got 1\.5"),
        ("0", TypeError, r"source: expected an integer"),
        (None, TypeError, r"source: expected an integer"),
        (np.bool_(True), TypeError, r"source: expected an integer"),
        ([0, 1.0], TypeError, r"source\[1\]: expected an integer"),
        (np.zeros((1, 1), int), ValueError, r"source has 2 dimensions"),
    ],
)
def test_bad_sources(source: object, error: type[Exception], message: str) -> None:
    graph = reedsp.Graph.from_edges(5, [0], [1])
    with pytest.raises(error, match=message):
        bfs(graph, source)
    if not isinstance(source, np.bool_):
        with pytest.raises(error, match=message):
            reedsp.sssp(graph, source)


def test_a_graph_without_vertices() -> None:
    graph = reedsp.Graph.from_edges(0, [], [])
    with pytest.raises(ValueError, match="source = 0 is not a vertex of a graph with 0 vertices"):
        bfs(graph, 0)
    assert bfs(graph, []).levels.shape == (0, 0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"colour": 1}, "no option 'colour'"),
        ({"method": "magic"}, "method = 'magic', expected one of 'work-items', 'work-groups'"),
        ({"direction": "up"}, "direction = 'up', expected one of"),
        ({"method": "work-items", "group_size": 64}, "group_size: 'work-items' has none"),
        ({"method": "work-groups", "group_size": 48}, "group_size = 48, expected a power of two from 32 on"),
        *(
            (
                {"method": method, "group_size": 1 << 20},
                "^options: group_size = 1048576, expected a power of two from 32 to",
            )
            for method in ("work-groups", "source-a-group")
        ),
    ],
)
def test_bad_options(options: dict[str, object], message: str, device: reedsp.Device) -> None:
    with pytest.raises(ValueError, match=message):
        bfs(reedsp.Graph.from_edges(5, [0], [1]), 0, device=device, options=options)


def test_not_a_graph() -> None:
    with pytest.raises(TypeError, match="graph: expected"):
        bfs("graph", 0)


def changes() -> list[tuple[str, int, int, str]]:
    return [
        ("levels", 0, 1, "the source is 0"),
        ("levels", 3, 0, "the source is 0"),
        ("levels", 4, -2, "level -2"),
        ("levels", 3, -1, "leads to it earlier"),
        ("levels", 3, 3, "leads to it earlier"),
        ("levels", 4, 3, "predecessor none"),
        ("pred", 3, 2, "expected 1"),
        ("pred", 3, -9999, "expected 1"),
        ("pred", 0, 1, "expected none"),
        ("pred", 4, 0, "expected none"),
        ("pred", 4, 99, "expected none"),
    ]


@pytest.mark.parametrize(("field", "vertex", "value", "message"), changes())
def test_verification_finds_what_is_wrong(
    field: str, vertex: int, value: int, message: str, device: reedsp.Device
) -> None:
    found = bfs(reedsp.Graph.from_edges(5, [0, 0, 1, 2], [1, 2, 3, 3]), 0, device=device)
    assert found.verify()
    array = getattr(found, field).copy()
    array[vertex] = value
    with pytest.raises(reedsp.VerificationError, match=rf"vertex \d.*{message}"):
        replace(found, **{field: array}).verify()


def test_no_answer_is_left_over_from_an_earlier_search(device: reedsp.Device) -> None:
    """Buffers are used again: a small graph after a large one, and back."""
    graphs = [GRAPHS["power law"], reedsp.Graph.from_edges(3, [0], [1]), GRAPHS["two cores"], GRAPHS["sparse"]]
    for graph, options in itertools.product(graphs, SETTINGS):
        found = bfs(graph, 1, device=device, options=options)
        assert (found.levels.tolist(), found.pred.tolist()) == reference(graph, 1)


def test_statistics(device: reedsp.Device) -> None:
    started = time.perf_counter()
    stats = bfs(GRAPHS["power law"], 1, device=device).stats
    elapsed = 1e3 * (time.perf_counter() - started)
    assert stats["milliseconds"] <= sum(stats["phases"].values()) <= elapsed
    assert min(stats["phases"][phase] for phase in ("prepare", "search", "download")) > 0
    assert 0 < stats["search_milliseconds"] <= stats["milliseconds"]
    assert stats["kernels_launched"] >= 3
    assert stats["device"] == str(device)


@pytest.mark.parametrize("method", traversal_bfs.METHODS)
def test_progress(method: str, device: reedsp.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work_items, "_LONGEST_DISPATCH", 64)  # of one search the host sees many levels,
    monkeypatch.setattr(work_items, "MOST_ROWS", 2)  # and of several each part
    path = reedsp.Graph.from_edges(20_000, np.arange(19_999), np.arange(1, 20_000))
    seen: list[tuple[int, int]] = []
    options = {"method": method}
    bfs(path, 0, device=device, options=options, progress=lambda *state: seen.append(state))
    assert len(seen) > 2
    assert seen == sorted(seen)
    assert all(0 < level < most == path.n for level, most in seen)
    seen.clear()
    bfs(path, [19_990, 19_991, 19_992], device=device, options=options, progress=lambda *state: seen.append(state))
    assert seen == sorted(seen)
    assert seen[-1] == (3, 3)
    assert {total for _, total in seen} == {3}


def test_scipy_agrees(device: reedsp.Device) -> None:
    graph = GRAPHS["power law, directed"]
    order = scipy.sparse.csgraph.breadth_first_order(graph.to_scipy(), 2, return_predecessors=False)
    assert sorted(order) == np.flatnonzero(bfs(graph, 2, device=device).levels >= 0).tolist()


# ---- deep graphs of few edges a vertex --------------------------------------------------------------


def grid(width: int) -> reedsp.Graph:
    number = np.arange(width * width).reshape(width, width)
    tails, heads = (
        np.concatenate((a.ravel(), b.ravel())) for a, b in ((number[1:], number[:, 1:]), (number[:-1], number[:, :-1]))
    )
    return reedsp.Graph.from_edges(width * width, tails, heads, directed=False)


def out_of_each(n: int, degree: int, seed: int) -> reedsp.Graph:
    targets = np.random.default_rng(seed).integers(0, n, n * degree)
    return reedsp.Graph.from_edges(n, np.repeat(np.arange(n), degree), targets)


def path(n: int) -> reedsp.Graph:
    return reedsp.Graph.from_edges(n, np.arange(n - 1), np.arange(1, n))


@pytest.fixture
def gpu(device: reedsp.Device, monkeypatch: pytest.MonkeyPatch) -> reedsp.Device:
    """The device, which is taken for a GPU."""
    monkeypatch.setattr(device, "kind", "gpu")
    return device


@pytest.mark.deep("options1")
@pytest.mark.parametrize("options", [{"direction": "top-down"}, {"group_size": 64}])
def test_options_are_those_of_a_method_that_has_them(options: dict[str, Any], gpu: reedsp.Device) -> None:
    """Of several sources, of which each has a group, and of one."""
    graph = out_of_each(900, 3, 1)
    for source in ([0, 5], 7):
        search = bfs(graph, source, device=gpu, options=options)
        assert search.method == ("source-a-group" if options == {"group_size": 64} and source != 7 else "work-groups")
        assert (
            search.stats["chosen_because"] == reedsp.estimate(graph, "bfs", source, device=gpu, options=options).because
        )
        assert ("options" in search.stats["chosen_because"]) == (source != 7 and "direction" in options)
        for row, start in zip(np.atleast_2d(search.levels), np.atleast_1d(source), strict=True):
            assert row.tolist() == reference(graph, int(start))[0]


THIN = {
    "one vertex": path(1),
    "path": path(700),
    "grid": grid(40),
    "out of each 3": out_of_each(900, 3, 1),
    "out of each 8": out_of_each(2000, 8, 2),
    "in pieces": out_of_each(500, 1, 3),
}


@pytest.mark.deep("one vertex", "path")
@pytest.mark.parametrize("name", THIN)
def test_near_far_finds_levels_and_tree(name: str, device: reedsp.Device) -> None:
    graph = THIN[name]
    sources = [0, graph.n - 1, graph.n // 2]
    search = bfs(graph, sources, device=device, options={"method": "near-far"})
    assert search.method == "near-far"
    for row, source in enumerate(sources):
        levels, pred = reference(graph, source)
        assert search.levels[row].tolist() == levels
        assert search.pred[row].tolist() == pred


def test_few_edges_and_small_levels_choose_near_far(gpu: reedsp.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deep, "_FIRST_LAUNCHES", 1)
    graph = grid(200)  # more levels than one launch searches
    for source in (0, 20_100):
        search = bfs(graph, source, device=gpu)
        assert search.method == "near-far"
        assert search.levels.tolist() == reference(graph, source)[0]
    assert graph._derived["is_deep"]


def test_large_levels_choose_work_groups(gpu: reedsp.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """What near-far has found until then is not used, and it is not tried again on this graph."""
    monkeypatch.setattr(deep, "_SMALL_LEVELS", 0)
    monkeypatch.setattr(deep, "_FIRST_LAUNCHES", 1)
    graph, runs = out_of_each(2000, 8, 4), []
    run = deep.DeepSearch.run
    monkeypatch.setattr(deep.DeepSearch, "run", lambda own, *given: (runs.append(own), run(own, *given))[1])
    for _ in range(2):
        search = bfs(graph, 5, device=gpu)
        assert search.method == "work-groups"
        assert (search.levels.tolist(), search.pred.tolist()) == reference(graph, 5)
    assert [each._graph for each in runs].count(graph) == 1  # the device's trial has graphs of its own
    assert not graph._derived["is_deep"]


def test_many_edges_do_not_choose_near_far(gpu: reedsp.Device) -> None:
    graph = out_of_each(300, 40, 5)
    assert not deep.suits(graph)
    assert bfs(graph, 0, device=gpu).method == "work-groups"
    with pytest.raises(ValueError, match=r"^options: method = 'near-far', but a vertex has \d+ edges, and may have 8$"):
        bfs(graph, 0, device=gpu, options={"method": "near-far"})


def test_a_search_that_ends_at_once_says_nothing_of_the_depth(gpu: reedsp.Device) -> None:
    graph = path(300)
    assert bfs(graph, 298, device=gpu).levels.tolist() == [-1] * 298 + [0, 1]
    assert "is_deep" not in graph._derived
    found = bfs(graph, 0, device=gpu)
    assert (found.method, found.levels.tolist()) == ("near-far", list(range(300)))
    assert graph._derived["is_deep"]


def test_near_far_has_no_direction(device: reedsp.Device) -> None:
    for name, value in (("direction", "auto"), ("group_size", 64)):
        with pytest.raises(ValueError, match=f"^options: {name}: 'near-far' has none$"):
            bfs(path(5), 0, device=device, options={"method": "near-far", name: value})


def test_75_wrong_near_far_is_not_used(gpu: reedsp.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(traversal_bfs, "is_trusted", lambda device, name, *trial: "near-far" not in name)
    assert bfs(grid(30), 0, device=gpu).method == "work-groups"
    with pytest.raises(reedsp.DeviceError, match=r"breadth-first search gives wrong answers, or fails$"):
        bfs(grid(30), 0, device=gpu, options={"method": "near-far"})


def test_parts_use_the_same_memory(device: reedsp.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many sources there are, in a search as in statistics."""
    monkeypatch.setattr(work_items, "MOST_ROWS", 2)
    launches: list[Launched] = []
    with recording(launches.append):
        bfs(path(40), range(32), device=device, options={"method": "work-items"})
        if device.kind == "cpu":
            reedsp.distance_statistics(path(40), range(32), unweighted=True, device=device)
    begun = [each for each in launches if each.kernel.name == "begin"]
    found = {each.arguments[each.kernel.positions["found"]].int_ptr for each in begun}  # type: ignore[union-attr]
    assert len(begun) == (32 if device.kind == "cpu" else 16)
    assert len(found) <= 4


def test_options_of_numpy(device: reedsp.Device) -> None:
    options = {"method": np.str_("work-groups"), "group_size": np.int64(64)}
    assert bfs(path(5), 0, device=device, options=options).method == "work-groups"
