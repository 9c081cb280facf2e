"""What can be done with a result: routes, ties, other libraries' objects, pictures, copies."""

from __future__ import annotations

import copy
import datetime
import itertools
import multiprocessing
import pickle
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from html.parser import HTMLParser
from typing import Any

import matplotlib
import networkx as nx
import numpy as np
import pyarrow
import pytest

import reedsp
from reedsp.results.ties import tight_edges
from tests.support import oracle
from tests.support.small_graphs import KINDS, graph_of, simple_paths

matplotlib.use("Agg")
from matplotlib import pyplot as plt

CASES = [(kind, seed) for kind in KINDS for seed in range(12)]


# ---- routes -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "seed"), CASES)
def test_many_paths_are_those_that_are_found_one_by_one(kind: str, seed: int, device: reedsp.Device) -> None:
    graph, _ = graph_of(kind, seed)
    targets = [*range(graph.n), *range(-graph.n, 0)] * 3  # more than are followed one by one
    for result in (reedsp.sssp(graph, 0, device=device), reedsp.bfs(graph, 0, device=device)):
        routes = result.paths_to(targets)
        assert len(routes) == len(targets)
        for target, route in zip(targets, routes, strict=True):
            reached = np.asarray(result)[target] not in (np.inf, -1)
            assert route == (result.path(target) if reached else [])
        assert routes[1:3] == [routes[1], routes[2]]
        assert routes[-1] == list(routes)[-1]
        assert routes.vertices.dtype == np.int32
        array = result.paths_to(np.array(targets, np.int32))
        assert np.array_equal(array.vertices, routes.vertices)


def test_routes_of_several_sources_and_of_the_nearest(device: reedsp.Device) -> None:
    graph = reedsp.Graph.from_edges(6, [0, 1, 2, 4], [1, 2, 3, 3], [1, 1, 1, 1])
    rows = reedsp.sssp(graph, [0, 4, 0], device=device)
    assert list(rows.paths_to([3, 5, 4], source=4)) == [[4, 3], [], [4]]
    with pytest.raises(ValueError, match="several"):
        rows.paths_to([3])
    nearest = reedsp.sssp(graph, [0, 4], min_only=True, device=device)
    assert list(nearest.paths_to([3, 2, 0, 5])) == [[4, 3], [0, 1, 2], [0], []]
    with pytest.MonkeyPatch.context() as patch:  # however many sources there are, they are not looked up again
        patch.setattr(reedsp.ShortestPaths, "_starts", None)
        assert nearest.path(2) == [0, 1, 2]
        assert list(nearest.paths_to([3, 5])) == [[4, 3], []]
    levels = reedsp.bfs(graph, [0, 4], device=device)
    assert list(levels.paths_to([3, 0], source=0)) == [[0, 1, 2, 3], [0]]


@pytest.mark.parametrize(("kind", "seed"), CASES[::3])
def test_paths_between_pairs(kind: str, seed: int, device: reedsp.Device) -> None:
    graph, _ = graph_of(kind, seed)
    paths = reedsp.apsp(graph, "floyd-warshall", predecessors=True, device=device)
    sources, targets = np.indices((graph.n, graph.n)).reshape(2, -1)
    for source, target, route in zip(sources, targets, paths.paths_between(sources, targets), strict=True):
        if np.isinf(paths.dist[source, target]):
            assert route == []
        else:
            assert route == paths.path(int(source), int(target))


def test_pairs_that_have_no_shortest_path(device: reedsp.Device) -> None:
    graph = reedsp.Graph.from_edges(4, [0, 1, 1], [1, 0, 2], [-2, 1, 1])
    paths = reedsp.apsp(graph, predecessors=True, negative_cycles="mark", device=device)
    assert list(paths.paths_between([0, 0, 2, 3], [1, 2, 2, 0])) == [[], [], [2], []]
    with pytest.raises(ValueError, match="2 entries, targets has 1"):
        paths.paths_between([0, 1], [1])
    with pytest.raises(ValueError, match="paths_between: there are no predecessors"):
        reedsp.apsp(graph, negative_cycles="mark", device=device).paths_between([0], [0])


@pytest.mark.parametrize(
    ("arguments", "end"),
    [
        ({"cutoff": 1}, "within cutoff = 1"),
        ({"cutoff": 1.5}, "within cutoff = 1.5"),
        ({"target": "b"}, "was found before the search stopped at target = 'b'"),
        ({"target": "b", "cutoff": 3}, "was found before the search stopped at target = 'b'"),
        ({"target": "d", "cutoff": 1}, "within cutoff = 1"),
    ],
)
def test_what_a_search_has_left_out_is_not_said_to_have_no_path(
    arguments: dict[str, Any], end: str, device: reedsp.Device
) -> None:
    graph = reedsp.Graph.from_edges(4, [0, 1], [1, 2], [1, 3], labels=["a", "b", "c", "d"])
    paths = reedsp.sssp(graph, "a", device=device, **arguments)
    for ask in (paths.path, paths.all_paths_to, paths.plot):
        with pytest.raises(ValueError, match=rf"^no path from vertex 'a' to vertex 'c' {end}$"):
            ask("c")
    assert list(paths.paths_to(["c", "b"])) == [[], ["a", "b"]]


def test_a_search_that_nothing_has_stopped_says_that_there_is_no_path(device: reedsp.Device) -> None:
    graph = reedsp.Graph.from_edges(3, [0], [1], [1])
    for arguments in ({}, {"target": 2}, {"cutoff": np.inf}):
        with pytest.raises(ValueError, match=r"^no path from vertex 0 to vertex 2$"):
            reedsp.sssp(graph, 0, device=device, **arguments).path(2)


def test_a_route_that_there_is_not(device: reedsp.Device) -> None:
    routes = reedsp.sssp(reedsp.Graph.from_edges(3, [0, 1], [1, 2]), 0, device=device).paths_to([1, 2])
    for number in (2, -3):
        with pytest.raises(IndexError, match=rf"^there is no route {number}: there are 2$"):
            routes[number]


def test_a_long_route_among_many(device: reedsp.Device) -> None:
    n = 50_000
    graph = reedsp.Graph.from_edges(n, np.arange(n - 1), np.arange(1, n))
    routes = reedsp.bfs(graph, 0, device=device).paths_to([*range(40), n - 1])
    assert routes[40] == list(range(n))
    assert [len(route) for route in routes[:40]] == list(range(1, 41))


def test_long_routes(device: reedsp.Device) -> None:
    """Several of which go on at each step."""
    graph = reedsp.Graph.from_edges(60, range(59), range(1, 60))
    routes = reedsp.sssp(graph, 0, device=device).paths_to(range(20, 60))
    assert list(routes) == [list(range(target + 1)) for target in range(20, 60)]
    assert repr(routes) == "<reedsp.Routes: 40 routes, 1,620 vertices>"


@pytest.mark.parametrize(
    ("targets", "error", "words"),
    [
        ([0, 5], ValueError, r"targets\[1\] = 5"),
        (np.array([0, -4]), ValueError, r"targets\[1\] = -4"),
        ([0, 1.5], TypeError, r"targets\[1\]"),
        (2, TypeError, "targets: expected several"),
        ("12", TypeError, "targets: expected several"),
    ],
)
def test_targets_that_are_no_vertices(targets: Any, error: type, words: str, device: reedsp.Device) -> None:
    graph = reedsp.Graph.from_edges(3, [0], [1])
    for result in (reedsp.sssp(graph, 0, device=device), reedsp.bfs(graph, 0, device=device)):
        with pytest.raises(error, match=words):
            result.paths_to(targets)


def test_nodes_of_networkx_name_the_vertices(device: reedsp.Device) -> None:
    graph = nx.DiGraph([("a", (1, 2)), ((1, 2), "c"), ("a", "d"), ("d", "c")])
    paths = reedsp.sssp(graph, "a", device=device)
    assert list(paths.paths_to(["c", "a"])) == [["a", (1, 2), "c"], ["a"]]
    assert sorted(map(str, paths.all_paths_to("c"))) == sorted(map(str, nx.all_shortest_paths(graph, "a", "c")))
    assert list(reedsp.bfs(graph, "a", device=device).paths_to([(1, 2)])) == [["a", (1, 2)]]
    pairs = reedsp.apsp(graph, predecessors=True, device=device)
    assert list(pairs.paths_between(["a"], ["c"])) == [["a", (1, 2), "c"]]
    frame = paths.to_dataframe()
    assert frame.index.to_list() == list(graph)
    assert frame["pred"].to_list() == [None, "a", (1, 2), "a"]


# ---- ties -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "seed"), CASES)
def test_all_tied_paths(kind: str, seed: int, device: reedsp.Device) -> None:
    """Against trying every simple path; the weights of "fractional" do round, so there it is the rounded sums."""
    graph, edges = graph_of(kind, seed)
    result = reedsp.sssp(graph, 0, device=device)
    for target in range(graph.n):
        every = list(simple_paths(graph.n, edges, 0, target))
        if not every:
            with pytest.raises(ValueError, match="no path"):
                result.all_paths_to(target)
            continue
        if kind == "fractional":
            dist = oracle.left_to_right_distances(graph.n, edges, 0, float)
            tied = [path for _, path in every if is_tight(path, dist, edges)]
        else:
            tied = [path for weight, path in every if weight == min(every)[0]]
        found = list(result.all_paths_to(target))
        assert found == sorted(tied)
        assert result.path(target) in found


def is_tight(path: list[int], dist: list[float], edges: list[oracle.Edge]) -> bool:
    return all(
        any((u, v) == ends and dist[u] + float(weight) == dist[v] for u, v, weight in edges)
        for ends in itertools.pairwise(path)
    )


@pytest.mark.parametrize("seed", range(8))
def test_all_paths_with_the_fewest_edges(seed: int, device: reedsp.Device) -> None:
    graph, edges = graph_of("unit", seed)
    result = reedsp.bfs(graph, 0, device=device)
    same = nx.DiGraph([(u, v) for u, v, _ in edges])
    same.add_nodes_from(range(graph.n))
    for target in np.flatnonzero(result.levels >= 0).tolist():
        assert list(result.all_paths_to(target)) == sorted(nx.all_shortest_paths(same, 0, target))
    for target in np.flatnonzero(result.levels < 0).tolist():
        with pytest.raises(ValueError, match="no path from vertex 0"):
            result.all_paths_to(target)


def test_tied_paths_come_one_by_one(device: reedsp.Device) -> None:
    """A grid of 60 x 60 has more shortest paths between its corners than could ever be listed."""
    vertex = np.arange(3600).reshape(60, 60)
    u = np.concatenate((vertex[:, :-1].ravel(), vertex[:-1].ravel()))
    v = np.concatenate((vertex[:, 1:].ravel(), vertex[1:].ravel()))
    paths = reedsp.sssp(reedsp.Graph.from_edges(3600, u, v, directed=False), 0, device=device)
    first, second = itertools.islice(paths.all_paths_to(3599), 2)
    assert first == [*range(60), *range(119, 3600, 60)]
    assert first < second
    assert len(second) == 119


def test_zero_weight_cycles_make_no_dead_ends(device: reedsp.Device) -> None:
    """A complete graph of weight zero: 30 vertices, where ways that end nowhere would take for ever."""
    u, v = np.nonzero(~np.eye(30, dtype=bool))
    keep = v != 29  # only vertex 1 leads to the last one
    graph = reedsp.Graph.from_edges(30, [*u[keep], 1], [*v[keep], 29], np.zeros(keep.sum() + 1, int))
    some = list(itertools.islice(reedsp.sssp(graph, 0, device=device).all_paths_to(29), 500))
    assert some[0] == [0, 1, 29]
    assert some == sorted(some)
    assert all(path[-2:] == [1, 29] and len(set(path)) == len(path) for path in some)


def test_ties_from_the_nearest_of_several_sources(device: reedsp.Device) -> None:
    graph = reedsp.Graph.from_edges(4, [0, 1, 0, 3], [2, 2, 3, 2], [2, 2, 1, 1])
    paths = reedsp.sssp(graph, [1, 0], min_only=True, device=device)
    assert list(paths.all_paths_to(2)) == [[0, 2], [0, 3, 2], [1, 2]]
    assert list(paths.all_paths_to(1)) == [[1]]


def test_ties_where_the_host_has_solved_in_whole_numbers(device: reedsp.Device) -> None:
    """Rounded sums would contradict each other."""
    ends = ([0, 1, 2, 3, 3, 0, 5], [1, 2, 3, 1, 4, 5, 2])
    graph = reedsp.Graph.from_edges(6, *ends, [1e16, 0.9, 0.9, -1.1, 8.0, 1e16, 0.9])
    paths = reedsp.sssp(graph, 0, device=device)
    assert paths.stats["exact_on_host"] == 1
    assert list(paths.all_paths_to(4)) == [[0, 1, 2, 3, 4], [0, 5, 2, 3, 4]]


def test_distances_at_the_ends_of_int64() -> None:
    """A difference that wraps round must not look like a weight."""
    least, most = np.iinfo(np.int64).min + 1, np.iinfo(np.int64).max - 1
    graph = reedsp.Graph.from_edges(3, [0, 1, 0], [1, 2, 2], [most, 5, 2 * 3])
    dist = np.array([0, most, least], np.int64)
    assert tight_edges(graph, dist, np.iinfo(np.int64).max).tolist() == [True, False, False]


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64"])
def test_ties_in_every_dtype(dtype: str, device: reedsp.Device) -> None:
    graph = reedsp.Graph.from_edges(4, [0, 0, 1, 2], [1, 2, 3, 3], [3, 4, 4, 3])
    paths = reedsp.sssp(graph, 0, dtype=dtype, device=device)
    assert list(paths.all_paths_to(3)) == [[0, 1, 3], [0, 2, 3]]


# ---- other libraries --------------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "seed"), CASES[::2])
def test_the_tree_in_networkx(kind: str, seed: int, device: reedsp.Device) -> None:
    graph, _ = graph_of(kind, seed)
    paths = reedsp.sssp(graph, 0, device=device)
    tree = paths.to_networkx()
    reached = np.flatnonzero(np.isfinite(paths.dist)).tolist()
    assert list(tree) == reached
    assert tree.number_of_edges() == len(reached) - 1
    weights = graph.to_scipy()
    for vertex in reached:
        assert nx.shortest_path(tree, 0, vertex) == paths.path(vertex)
        assert tree.nodes[vertex] == {"dist": paths.dist[vertex]}
    for u, v, weight in tree.edges(data="weight"):
        assert weight == weights[u, v]
        assert type(weight) in (int, float)
    levels = reedsp.bfs(graph, 0, device=device)
    assert dict(levels.to_networkx().nodes(data="level")) == {
        v: level for v, level in enumerate(levels.levels.tolist()) if level >= 0
    }


def test_networkx_objects_have_the_users_names(device: reedsp.Device) -> None:
    graph = reedsp.Graph.from_edges(3, [0, 1], [1, 2], [2, 3], offset=1)
    assert list(reedsp.sssp(graph, 1, device=device).to_networkx().edges) == [(1, 2), (2, 3)]
    rows = reedsp.sssp(graph, [1, 3], min_only=True, device=device).to_networkx()
    assert rows.nodes(data="nearest")[2] == 1
    closure = reedsp.apsp(graph, dtype="int32", device=device).to_networkx()
    assert list(closure.edges(data="weight")) == [(1, 2, 2), (1, 3, 5), (2, 3, 3)]


@pytest.mark.parametrize("labels", [None, ["a", "b", "c", "d"], [7, 3, 2**40, -1]])
def test_arrow_has_the_lines_of_pandas(labels: list[Any] | None, device: reedsp.Device) -> None:
    graph = reedsp.Graph.from_edges(4, [0, 1, 0], [1, 2, 2], [4, 3, 9], offset=int(labels is None), labels=labels)
    first, second = graph.names[:2]
    for paths in (
        reedsp.sssp(graph, first, device=device),
        reedsp.sssp(graph, [first, second], device=device),
        reedsp.sssp(graph, [first, second], min_only=True, device=device),
        reedsp.bfs(graph, [second, first], device=device),
    ):
        table, frame = paths.to_arrow(), paths.to_dataframe().reset_index()
        assert table.column_names == list(frame.columns)
        for name in table.column_names:
            expected = frame[name].astype(object)
            assert table[name].to_pylist() == expected.where(expected.notna(), None).to_list()
        assert {str(table[name].type) for name in ("vertex", "pred")} == {"string" if first == "a" else "int64"}
        assert pyarrow.table(paths) == table  # by the stream


def test_names_that_are_no_column_of_arrow(device: reedsp.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    for labels in (["a", 1], [1, 2**70], [("a", 1), "b"]):
        paths = reedsp.sssp(reedsp.Graph.from_edges(2, [0], [1], labels=labels), labels[0], device=device)
        with pytest.raises(TypeError, match="to_arrow: the names of the vertices are no column of Arrow"):
            paths.to_arrow()
    day = datetime.datetime(2020, 1, 1, 5)
    for labels, reason in (
        ([b"a", "a"], "binary does not tell all of them apart"),
        ([day.date(), day], "date32.* does not tell all of them apart"),
        (["\ud800", "a"], ""),
        ([day, day.replace(tzinfo=datetime.UTC)], "timestamp.* does not tell all of them apart"),
        ([(b"a",), ("a",)], "list<.* does not tell all of them apart"),
    ):
        paths = reedsp.sssp(reedsp.Graph.from_edges(2, [0], [1], labels=labels), labels[0], device=device)
        for convert in (paths.to_arrow, paths.__arrow_c_stream__):
            with pytest.raises(TypeError, match=f"^to_arrow: the names .* are no column of Arrow: {reason}"):
                convert()
    kind = type("kind", (str,), {})
    for labels in ([kind("a"), "b"], [1, 2.5]):  # which Arrow tells apart
        assert (
            reedsp.sssp(reedsp.Graph.from_edges(2, [0], [1], labels=labels), labels[0]).to_arrow()[0].to_pylist()
            == labels
        )
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r"pip install 'reedsp\[tables\]'"):
        paths.to_arrow()


@pytest.mark.parametrize(
    "labels", [[b"a", b"b"], [1.5, 2.0], [True, False], [datetime.date(2020, 1, 1), datetime.date(2021, 1, 1)]]
)
def test_names_of_one_type_are_a_column_of_arrow(labels: list[Any], device: reedsp.Device) -> None:
    graph = reedsp.Graph.from_edges(2, [0], [1], labels=labels)
    assert reedsp.sssp(graph, labels[0], device=device).to_arrow()["vertex"].to_pylist() == labels


def test_dataframes(device: reedsp.Device) -> None:
    graph = reedsp.Graph.from_edges(3, [0, 1], [1, 2], [2.5, 3], offset=1)
    frame = reedsp.sssp(graph, 2, device=device).to_dataframe()
    assert frame.index.to_list() == [1, 2, 3]
    assert frame["dist"].to_list() == [np.inf, 0, 3]
    assert frame["pred"].dropna().to_dict() == {3: 2}
    rows = reedsp.sssp(graph, [2, 1], device=device).to_dataframe()
    assert rows.index.to_list() == [(2, 1), (2, 2), (2, 3), (1, 1), (1, 2), (1, 3)]
    assert rows.loc[(1, 3), "dist"] == 5.5
    nearest = reedsp.sssp(graph, [2, 1], min_only=True, device=device).to_dataframe()
    assert nearest["nearest"].to_list() == [1, 2, 2]
    assert reedsp.bfs(graph, 1, device=device).to_dataframe()["level"].to_list() == [0, 1, 2]
    matrix = reedsp.apsp(graph, device=device).to_dataframe()
    assert matrix.loc[1, 3] == 5.5
    assert matrix.columns.to_list() == [1, 2, 3]


def test_what_is_missing_is_named_with_its_cure(device: reedsp.Device) -> None:
    code = (
        "import sys; sys.modules['pandas'] = sys.modules['matplotlib.pyplot'] = None\n"
        "import reedsp; paths = reedsp.sssp(reedsp.Graph.from_edges(2, [0], [1]), 0)\n"
        "for use in (paths.to_dataframe, paths.plot):\n"
        "    try: use()\n"
        "    except ImportError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [
        "to_dataframe: pandas is not installed; install it with: pip install pandas",
        "plot: matplotlib is not installed; install it with: pip install 'reedsp[plot]'",
    ]


def test_results_are_arrays(device: reedsp.Device) -> None:
    graph = reedsp.Graph.from_edges(3, [0, 1], [1, 2], [2, 3])
    for result, values in (
        (paths := reedsp.sssp(graph, 0, device=device), paths.dist),
        (levels := reedsp.bfs(graph, 0, device=device), levels.levels),
        (pairs := reedsp.apsp(graph, device=device), pairs.dist),
    ):
        assert np.asarray(result) is values
        assert np.shares_memory(np.from_dlpack(result), values)
        assert result.__dlpack_device__() == values.__dlpack_device__()
        assert np.asarray(result, np.float32).dtype == np.float32
        assert not np.shares_memory(np.array(result), values)
        assert np.array_equal(np.add(result, 1), values + 1)


# ---- copies -----------------------------------------------------------------------------------------


def test_copies_and_pickles(device: reedsp.Device) -> None:
    graph = reedsp.Graph.from_edges(4, [0, 1, 2], [1, 2, 0], [2, 3, 4], labels=list("abcd"))
    paths = reedsp.sssp(graph, ["a", "b"], device=device)
    levels, pairs = reedsp.bfs(graph, "a", device=device), reedsp.apsp(graph, predecessors=True, device=device)
    for again in (copy.copy, copy.deepcopy, lambda result: pickle.loads(pickle.dumps(result))):
        same = again(paths)
        assert np.array_equal(same.dist, paths.dist)
        assert same.path("c", "a") == ["a", "b", "c"]
        assert same.verify()  # on whichever device there is
        assert repr(same) == repr(paths)
        assert again(levels).verify()
        assert again(pairs).path("c", "b") == ["c", "a", "b"]
        assert again(pairs).graph == graph


def distance_in_child(graph: reedsp.Graph, paths: reedsp.ShortestPaths) -> float:
    assert paths.verify()
    return float(reedsp.sssp(graph, 0).dist[-1])


def test_processes_that_are_spawned(device: reedsp.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REEDSP_DEVICE", str(device.name))
    graph = reedsp.Graph.from_edges(3, [0, 1], [1, 2], [2, 3])
    paths = reedsp.sssp(graph, 0, device=device)
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        assert pool.submit(distance_in_child, graph, paths).result() == 5


# ---- presentation -----------------------------------------------------------------------------------


class Tags(HTMLParser):
    """Reads HTML and keeps what has to be closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.open += [tag] if tag != "br" else []
        self.attributes += attributes

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def parsed(result: Any) -> Tags:
    tags = Tags()
    tags.feed(result._repr_html_())
    assert tags.open == []
    assert {name for name, _ in tags.attributes} <= {"style"}  # no file, no script, no colour of its own
    assert not any("background:" in str(value).replace("background:none", "") for _, value in tags.attributes)
    return tags


def test_html(device: reedsp.Device) -> None:
    graph = reedsp.Graph.from_edges(3, [0, 1], [1, 2], [2, 3.25], labels=["<b>&", "y", "z"])
    shown = parsed(reedsp.sssp(graph, "<b>&", device=device)).text
    assert "<b>&" in shown
    assert "5.25" in shown
    assert "3 of 3 vertices reached" in shown
    assert "from 2 sources" in parsed(reedsp.sssp(graph, ["y", "z"], device=device)).text
    assert "nearest of 2 sources" in parsed(reedsp.sssp(graph, ["y", "z"], min_only=True, device=device)).text
    assert "level" in parsed(reedsp.bfs(graph, "y", device=device)).text
    assert "2 sources" in parsed(reedsp.bfs(graph, ["y", "z"], device=device)).text
    assert "all pairs of 3" in parsed(reedsp.apsp(graph, device=device)).text
    marked = reedsp.apsp(reedsp.Graph.from_edges(2, [0, 1], [1, 0], [-2, 1]), negative_cycles="mark", device=device)
    assert "-inf" in parsed(marked).text


def test_routes_and_statistics_in_a_notebook(device: reedsp.Device) -> None:
    graph = reedsp.Graph.from_edges(30, np.arange(28), np.arange(1, 29), labels=[f"<{v}>" for v in range(30)])
    routes = parsed(reedsp.sssp(graph, "<0>", device=device).paths_to(["<2>", "<29>", *["<28>"] * 8])).text
    assert "10 routes" in routes
    assert "<0> \N{RIGHTWARDS ARROW} <1> \N{RIGHTWARDS ARROW} <2>" in routes
    assert "<7> \N{RIGHTWARDS ARROW} \N{HORIZONTAL ELLIPSIS} \N{RIGHTWARDS ARROW} <21>" in routes
    statistics = parsed(reedsp.distance_statistics(graph, device=device)).text
    assert "from 30 sources" in statistics
    assert "closeness" in statistics
    assert "406" in statistics  # all distances from the first one


def test_what_was_reached_by_name(device: reedsp.Device) -> None:
    graph = reedsp.Graph.from_edges(4, [0, 1], [1, 2], [2, 3], labels=list("abcd"))
    assert reedsp.bfs(graph, "a", device=device).to_dict() == {"a": 0, "b": 1, "c": 2}
    assert reedsp.bfs(graph, ["a", "b"], device=device).to_dict("b") == {"b": 0, "c": 1}
    assert reedsp.sssp(graph, ["a", "b"], device=device).to_dict("a") == {"a": 0, "b": 2, "c": 5}


def test_large_and_empty_results_are_short(device: reedsp.Device) -> None:
    large = reedsp.Graph.from_edges(5000, np.arange(4999), np.arange(1, 5000))
    for result in (
        *(reedsp.sssp(large, source, device=device) for source in (0, list(range(30)))),
        reedsp.bfs(large, list(range(30)), device=device),
    ):
        assert len(repr(result)) < 250
        assert len(result._repr_html_()) < 8000
    none = reedsp.Graph.from_edges(0, [], [])
    for empty in (reedsp.apsp(none, device=device), reedsp.sssp(none, [], device=device)):
        parsed(empty)
    assert list(reedsp.apsp(none, predecessors=True, device=device).paths_between([], [])) == []


# ---- pictures ---------------------------------------------------------------------------------------


@pytest.fixture
def figures() -> Iterator[None]:
    """Close them in the end."""
    yield
    plt.close("all")


def colours_of(figure: Any) -> set[tuple[int, ...]]:
    figure.canvas.draw()
    pixels = np.asarray(figure.canvas.buffer_rgba())[..., :3].reshape(-1, 3)
    return set(map(tuple, np.unique(pixels, axis=0).tolist()))


@pytest.mark.usefixtures("figures")
def test_maps(device: reedsp.Device) -> None:
    vertex = np.arange(100).reshape(10, 10)
    u = np.concatenate((vertex[:, :-1].ravel(), vertex[:-1].ravel()))
    v = np.concatenate((vertex[:, 1:].ravel(), vertex[1:].ravel()))
    graph = reedsp.Graph.from_edges(101, u, v, np.arange(1, len(u) + 1), directed=False)
    graph = graph.with_coordinates([*((each % 10, each // 10) for each in range(100)), (11, 11)])
    for result in (reedsp.sssp(graph, 0, device=device), reedsp.bfs(graph, 0, device=device)):
        ax = result.plot(99)
        route = ax.lines[1].get_xydata()
        assert np.array_equal(route, graph.coordinates[result.path(99)])
        lines = sum(len(path.vertices) // 2 for collection in ax.collections for path in collection.get_paths())
        assert lines == len(u)  # each road once
        assert len(colours_of(ax.figure)) > 100
    with pytest.raises(ValueError, match="no path"):
        result.plot(100)


@pytest.mark.usefixtures("figures")
@pytest.mark.parametrize(
    ("place", "geographic", "height"),
    [
        ((-73_530_767, 60_000_000), None, 2),  # degrees of longitude are half as long there
        ((-73.53, -60), True, 2),
        ((-73.53, -60), None, 1),
        ((0, 90), True, 20),  # the pole has no map
    ],
)
def test_scale_of_maps(
    device: reedsp.Device, place: tuple[float, float], geographic: bool | None, height: float
) -> None:
    graph = reedsp.Graph.from_edges(2, [0], [1]).with_coordinates([place, place], geographic=geographic)
    assert reedsp.sssp(graph, 0, device=device).plot().get_aspect() == pytest.approx(height)


@pytest.mark.usefixtures("figures")
def test_large_numbers_are_written_out(device: reedsp.Device) -> None:
    """With no power of ten beside the axis."""
    far = reedsp.Graph.from_edges(100, np.arange(99), np.arange(1, 100), np.full(99, 10**6))
    few = reedsp.Graph.from_edges(3, [0, 1], [1, 2], [10**6, 10**6])
    map_of_few = few.with_coordinates([[0, 0], [1, 0], [1, 1]])
    for graph, axis, number in ((far, "xaxis", "20,000,000"), (few, "yaxis", "1,000,000")):
        ax = reedsp.sssp(graph, 0, device=device).plot()
        assert number in labels_of_ticks(getattr(ax, axis))
    for ax in (reedsp.sssp(map_of_few, 0, device=device).plot(), reedsp.apsp(few, device=device).plot()):
        assert "1,000,000" in labels_of_ticks(ax.figure.axes[1].yaxis)


def labels_of_ticks(axis: Any) -> list[str]:
    axis.figure.canvas.draw()
    return [label.get_text() for label in axis.get_ticklabels()]


@pytest.mark.usefixtures("figures")
def test_the_table_of_a_matrix_shares_its_memory() -> None:
    pytest.importorskip("pandas")
    pairs = reedsp.apsp(reedsp.Graph.from_edges(3, [0, 1], [1, 2], [4, 3]))
    assert np.shares_memory(pairs.to_dataframe().to_numpy(), pairs.dist)


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_integers_that_stand_for_no_path_are_missing(dtype: Any, device: reedsp.Device) -> None:
    """In tables they would be taken for distances, or levels."""
    pytest.importorskip("pandas")
    graph = reedsp.Graph.from_edges(3, [0], [1], [7])
    for source in (0, [0, 2]):
        for found, column in (
            (reedsp.sssp(graph, source, dtype=dtype, device=device), "dist"),
            (reedsp.bfs(graph, source, device=device), "level"),
        ):
            numbers = np.ravel(found)
            expected = [None if number in (-1, np.iinfo(dtype).max) else number for number in numbers.tolist()]
            frame, table = found.to_dataframe()[column], found.to_arrow()[column]
            assert frame.dtype == str(numbers.dtype).title()
            assert frame.astype(object).where(frame.notna(), None).tolist() == expected
            assert (str(table.type), table.to_pylist()) == (numbers.dtype, expected)
    assert reedsp.sssp(graph, 0, device=device).to_dataframe()["dist"].tolist() == [0, 7, np.inf]


def test_integers_that_are_no_distances_are_missing_in_a_matrix(device: reedsp.Device) -> None:
    pytest.importorskip("pandas")
    cycle = reedsp.Graph.from_edges(3, [0, 1, 0], [1, 0, 2], [-2, 1, 5], labels=[("a", 1), "b", "c"])
    table = reedsp.apsp(cycle, dtype="int64", negative_cycles="mark", device=device).to_dataframe()
    assert table.isna().to_numpy().tolist() == [[True] * 3, [True] * 3, [True, True, False]]
    assert set(map(str, table.dtypes)) == {"Int64"}
    assert (table.loc["c", "c"], list(table.columns), list(table.index)) == (0, list(cycle.names), list(cycle.names))
    ring = reedsp.apsp(reedsp.Graph.from_edges(3, [0, 1, 2], [1, 2, 0]), dtype="int64", device=device)
    assert np.shares_memory(ring.to_dataframe().to_numpy(), ring.dist)  # where nothing is missing


@pytest.mark.deep
def test_pictures_without_coordinates(device: reedsp.Device) -> None:
    small = reedsp.Graph.from_edges(5, [0, 0, 1, 1], [1, 2, 3, 4], [1, 2, 2, 3], labels=list("abcde"))
    ax = reedsp.sssp(small, "a", device=device).plot("e")
    assert [text.get_text() for text in ax.texts] == list("abcde")
    assert [text.get_position()[1] for text in ax.texts] == [0, 1, 2, 3, 4]
    large = reedsp.Graph.from_edges(200, np.arange(199), np.arange(1, 200))
    ax = reedsp.sssp(large, 0, device=device).plot(7)
    assert ax.lines[0].get_xydata()[-1].tolist() == [199, 200]
    assert ax.lines[1].get_xdata() == [7, 7]
    own = plt.figure().subplots()
    assert reedsp.sssp(large, [3, 4], device=device).plot(source=3, ax=own) is own
    matrix = reedsp.apsp(small, device=device).plot()
    assert matrix.images[0].get_array().shape == (5, 5)
    assert [text.get_text() for text in matrix.get_xticklabels()] == list("abcde")
    numbered = reedsp.apsp(reedsp.Graph.from_edges(3, [0], [1], offset=1), device=device).plot()
    assert numbered.images[0].get_extent() == [0.5, 3.5, 3.5, 0.5]
    for nothing in (reedsp.Graph.from_edges(1, [], []), reedsp.Graph.from_edges(3, [0], [1], [0])):
        for each in (nothing, nothing.with_coordinates(np.zeros((nothing.n, 2)))):
            colours_of(reedsp.sssp(each, 0, device=device).plot(0).figure)
    cycle = reedsp.Graph.from_edges(2, [0, 1], [1, 0], [-1, -1])
    for nothing in (reedsp.Graph.from_edges(0, [], []), cycle):  # and no scale, which has no ends
        figure = reedsp.apsp(nothing, negative_cycles="mark", device=device).plot().figure
        figure.canvas.draw()
        assert len(figure.axes) == 1


def test_figures_are_not_needed_to_import() -> None:
    code = "import reedsp, sys; reedsp.AllPairs, reedsp.ShortestPaths; "
    code += "print(sorted({'matplotlib', 'pandas'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
