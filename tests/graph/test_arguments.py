"""Vertices go by the names that a graph knows, wherever one is named; arrays are by index."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import igraph
import networkx as nx
import numpy as np
import pyarrow
import pytest

import reedsp
from reedsp.graph import graph as graph_module
from reedsp.graph.arguments import (
    as_graph,
    name_or_none,
    refuse_other_than_graph,
    source_argument,
    vertex_argument,
    vertices_argument,
)
from reedsp.graph.graph import Graph

ENDS, WEIGHTS = ([0, 1, 2, 0], [1, 2, 3, 3]), [4, 1, 2, 9]
NAMES = {
    "numbers": range(1, 5),
    "strings": ["Bern", "Thun", "Spiez", "Brig"],
    "pairs": [(0, 1), (0, 0), (1, 1), (1, 0)],
}


def numbered(**naming: Any) -> Graph:
    return Graph.from_edges(4, *ENDS, WEIGHTS, **naming)


def named(kind: str) -> Graph:
    return numbered(offset=1) if kind == "numbers" else numbered(labels=NAMES[kind])


@pytest.fixture(params=NAMES)
def kind(request: pytest.FixtureRequest) -> str:
    """What the names are."""
    return str(request.param)


# ---- arguments --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("vertex", "number"), [(0, 0), (4, 4), (-1, 4), (-5, 0), (np.int8(-2), 3), (np.uint64(2), 2)])
def test_40_without_names_numbers_count_from_the_end_too(vertex: Any, number: int) -> None:
    graph = Graph.from_edges(5, [], [])
    assert vertex_argument(graph, vertex, "source") == number
    assert vertices_argument(graph, [vertex], "sources").tolist() == [number]
    assert vertices_argument(graph, np.array([vertex]), "sources").tolist() == [number]
    assert graph.subgraph([vertex]).names == (number,)
    assert graph.subgraph(np.array([vertex])).names == (number,)
    assert Graph.from_edges(5, [number], [3]).neighbors(vertex) == [3]


def test_what_is_looked_up_is_a_name(kind: str) -> None:
    """Which no negative number is because it counts from the end."""
    for graph in (named(kind), Graph.from_edges(5, [], [])):
        assert -1 not in graph
        with pytest.raises(ValueError, match=r"^-1 is not a vertex of this graph"):
            graph.index(-1)
        assert graph.name(-1) == graph.names[-1]


@pytest.mark.parametrize(
    ("vertices", "error", "message"),
    [
        ([0, -6], ValueError, r"^vertices\[1\] = -6 is not a vertex of a graph with 5 vertices$"),
        ([4, -1], ValueError, r"^vertices\[1\] = -1 is also vertices\[0\]$"),
        ([0.5], TypeError, r"^vertices\[0\]: expected an integer, got 0\.5$"),
    ],
)
def test_no_vertices_of_a_subgraph(vertices: list[Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Graph.from_edges(5, [], []).subgraph(vertices)


@pytest.mark.parametrize(
    ("vertex", "error", "message"),
    [
        (5, ValueError, "^source = 5 is not a vertex of a graph with 5 vertices"),
        (-6, ValueError, "^source = -6 is not a vertex"),
        (10**30, ValueError, "^source = 1000000000000000000000000000000 is not a vertex"),
        (1.5, TypeError, "^source: expected an integer, got 1.5"),
        (2.0, TypeError, "^source: expected an integer, got 2.0"),
        (None, TypeError, "^source: expected an integer, got None"),
        (True, TypeError, "^source: expected an integer, got True"),
    ],
)
def test_39_43_wrong_vertex_arguments(vertex: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        vertex_argument(Graph.from_edges(5, [], []), vertex, "source")


@pytest.mark.parametrize("vertices", [{0: 5}, {1, 0}, frozenset((1, 0))])
def test_what_has_no_order_is_no_sequence(vertices: Any) -> None:
    message = rf"^source: expected a sequence of vertices, got a {type(vertices).__name__}$"
    with pytest.raises(TypeError, match=message):
        source_argument(Graph.from_edges(6, [], []), vertices)
    with pytest.raises(TypeError, match=message):
        vertices_argument(Graph.from_edges(6, [], []), vertices, "source")
    assert source_argument(Graph.from_edges(1, [], [], labels=[frozenset((1, 0))]), frozenset((1, 0))) == ([0], False)


def test_several_vertices_have_one_dimension() -> None:
    with pytest.raises(ValueError, match=r"^sources has 2 dimensions, expected 1$"):
        vertices_argument(Graph.from_edges(5, [], []), np.array([[0]]), "sources")


def test_truth_among_integers_is_no_vertex() -> None:
    for wrong, position in (([1, True], 1), ([False, 0], 0)):
        with pytest.raises(TypeError, match=rf"^sources\[{position}\]: expected an integer, got {wrong[position]}$"):
            vertices_argument(Graph.from_edges(5, [], []), wrong, "sources")


@pytest.mark.parametrize(
    ("index", "shown"), [(-9999, "none"), (-1, "none"), (0, "'Bern'"), (3, "'Brig'"), (4, "no. 4")]
)
def test_vertices_as_errors_show_them(index: int, shown: str) -> None:
    assert name_or_none(named("strings"), index) == shown


def test_what_is_no_graph_says_how_one_is_made(tmp_path: Path) -> None:
    table = pyarrow.table({"source": [0], "target": [1], "weight": [1]})
    for given, message in (
        ("roads.gr", r"got str; reedsp\.read\(path\) reads a file$"),
        (tmp_path, r"got pathlib\.\w+; reedsp\.read\(path\) reads a file$"),
        ({"source": [0]}, r"got dict; reedsp\.Graph\.from_table makes one of a table$"),
        (
            table.to_pandas(),
            r"got pandas.*DataFrame; reedsp\.Graph\.from_table makes one of a table of edges, "
            r"and reedsp\.Graph\.from_dense of a matrix$",
        ),
        (table, r"got pyarrow.lib.Table; reedsp\.Graph\.from_table makes one of a table of edges, and .* of a matrix$"),
        (igraph.Graph(3), r"got igraph.Graph; reedsp\.Graph\.from_igraph makes one of it$"),
        (3, "got int$"),
    ):
        with pytest.raises(TypeError, match=f"^graph: expected a reedsp.Graph, .*{message}"):
            as_graph(given)
        with pytest.raises(TypeError, match=f"^graph: expected a reedsp.Graph, {message}"):
            refuse_other_than_graph(given)
    with pytest.raises(
        TypeError, match=r"got networkx\.classes\.digraph\.DiGraph; reedsp\.Graph\.from_networkx makes one"
    ):
        refuse_other_than_graph(nx.DiGraph())
    with pytest.raises(TypeError, match=r"^graph: expected a networkx graph, got reedsp\.Graph$"):
        Graph.from_networkx(numbered())


def test_what_has_a_graph_is_none(device: reedsp.Device) -> None:
    graph = numbered()
    for given in (
        reedsp.sssp(graph, 0, device=device),
        reedsp.apsp(graph, device=device),
        reedsp.prepare(graph, device=device),
    ):
        with pytest.raises(TypeError, match=rf"got reedsp\.{type(given).__name__}; its attribute graph is one$"):
            as_graph(given)


def test_masked_vertices_are_refused(device: reedsp.Device) -> None:
    masked = np.ma.array([0, -7], mask=[False, True])
    for vertices in (masked, np.ma.array([0, 99], mask=[False, True]), np.ma.array([0, 3], mask=[False, True])):
        for ask in (
            lambda graph, vertices=vertices: vertices_argument(graph, vertices, "source"),
            lambda graph, vertices=vertices: reedsp.sssp(graph, vertices, device=device),
            lambda graph, vertices=vertices: reedsp.bfs(graph, vertices, device=device),
        ):
            with pytest.raises(ValueError, match=r"^source\[1\] is masked$"):
                ask(numbered())
        with pytest.raises(ValueError, match=r"^targets\[1\] is masked$"):
            reedsp.distance_table(numbered(), [0], vertices, device=device)
    assert vertices_argument(numbered(offset=1), np.ma.array([1, 4]), "source").tolist() == [0, 3]


def test_a_mask_is_no_list_of_vertices(device: reedsp.Device) -> None:
    for mask in ([False, True, True, False], np.array([False, True, True, False])):
        for graph in (numbered(), numbered(offset=1), numbered(labels=[0, 1, 2, 3])):
            with pytest.raises((TypeError, ValueError), match=r"^source\[0\](: expected an integer, got | = ).*False"):
                reedsp.sssp(graph, mask, device=device)
    assert [numbered(offset=offset).index(1) for offset in (0, 1)] == [1, 0]
    assert True not in numbered(offset=1)
    assert numbered(labels=[False, True, 2, 3]).index(np.True_) == 1


def test_labels_without_an_order_are_refused() -> None:
    for labels in ({1, 2, 3, 4}, frozenset("abcd"), (name for name in "abcd")):
        with pytest.raises(TypeError, match=r"^labels: expected a sequence, got a (set|frozenset|generator)$"):
            numbered(labels=labels)
    assert numbered(labels=dict.fromkeys("abcd").keys()).labels == tuple("abcd")


def test_names_are_looked_up(kind: str) -> None:
    graph, names = named(kind), list(NAMES[kind])
    assert [vertex_argument(graph, name, "source") for name in names] == [0, 1, 2, 3]
    assert vertices_argument(graph, reversed(names), "sources").tolist() == [3, 2, 1, 0]
    assert source_argument(graph, names[2]) == ([2], False)
    assert source_argument(graph, names[1:]) == ([1, 2, 3], True)
    assert list(graph.names) == names
    assert [graph.name(index) for index in range(-4, 4)] == 2 * names
    assert names[1] in graph
    assert "nowhere" not in graph


@pytest.mark.parametrize("numbers", [np.array([4, 1], np.uint8), np.array([4, 1], np.int64), [4, 1]])
def test_arrays_of_numbers_are_names_of_numbered_vertices(numbers: Any) -> None:
    assert vertices_argument(named("numbers"), numbers, "sources").tolist() == [3, 0]
    assert source_argument(named("numbers"), numbers) == ([3, 0], True)


def test_numbers_beyond_int64_are_no_names() -> None:
    graph = Graph.from_edges(4, [], [], offset=-5)
    assert vertices_argument(graph, np.array([-3]), "sources").tolist() == [2]
    with pytest.raises(ValueError, match=r"^sources\[0\] = .*18446744073709551613.* whose vertices are -5 \.\. -2"):
        vertices_argument(graph, np.array([2**64 - 3], np.uint64), "sources")


def test_a_tuple_is_one_source_where_it_is_a_name_and_several_otherwise() -> None:
    pairs = named("pairs")
    assert source_argument(pairs, (0, 0)) == ([1], False)
    assert source_argument(pairs, [(0, 0), (1, 0)]) == ([1, 3], True)
    assert source_argument(pairs, ((0, 0), (1, 0))) == ([1, 3], True)
    assert source_argument(named("strings"), ("Thun", "Brig")) == ([1, 3], True)
    assert source_argument(named("strings"), np.array(["Thun", "Brig"])) == ([1, 3], True)


@pytest.mark.parametrize(
    ("kind", "wrong", "message"),
    [
        ("numbers", 0, r"0 is not a vertex of this graph, whose vertices are 1 \.\. 4$"),
        ("numbers", -1, r"-1 is not a vertex of this graph, whose vertices are 1 \.\. 4$"),
        ("numbers", "Bern", r"'Bern' is not a vertex of this graph, whose vertices are 1 \.\. 4$"),
        (
            "strings",
            "Basel",
            r"'Basel' is not a vertex of this graph, whose vertices are 'Bern', 'Thun', 'Spiez', 'Brig'$",
        ),
        ("strings", 0, r"0 is not a vertex of this graph, whose vertices are 'Bern', "),
    ],
)
def test_what_is_no_name_is_an_error_that_says_which_names_there_are(kind: str, wrong: Any, message: str) -> None:
    graph = named(kind)
    with pytest.raises(ValueError, match=f"^source = {message}"):
        source_argument(graph, wrong)
    with pytest.raises(ValueError, match=rf"^targets\[1\] = {message}"):
        vertices_argument(graph, [graph.names[0], wrong], "targets")
    assert wrong not in graph


def test_of_many_names_some_are_said() -> None:
    graph = Graph.from_edges(2000, [], [], labels=[f"v{number}" for number in range(2000)])
    with pytest.raises(
        ValueError, match=r"whose vertices are 'v0', 'v1', 'v2', 'v3', \.\.\., 'v1999' \(2,000 in all\)$"
    ):
        graph.index("w")
    with pytest.raises(IndexError, match=r"^index = 2000 is out of range for a graph with 2000 vertices"):
        graph.name(2000)
    with pytest.raises(TypeError, match=r"^index: expected an integer, got 'v1'"):
        graph.name("v1")  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", [np.array([1, 0]), np.array([1, 5]), [1, 0]])
def test_a_number_that_is_no_name_is_found_in_arrays(wrong: Any) -> None:
    with pytest.raises(ValueError, match=r"^among\[1\] = .*whose vertices are 1 \.\. 4"):
        vertices_argument(named("numbers"), wrong, "among")


# ---- every function ---------------------------------------------------------------------------------


def test_everything_speaks_names_but_arrays(kind: str, device: reedsp.Device) -> None:
    graph, names = named(kind), list(NAMES[kind])
    plain = numbered()
    a, b, c, d = names
    paths = reedsp.sssp(graph, a, target=d, device=device)
    assert np.array_equal(paths.dist, reedsp.sssp(plain, 0, device=device).dist)
    assert np.array_equal(paths.pred, reedsp.sssp(plain, 0, device=device).pred)
    assert paths.source == a
    assert paths.path(d) == [a, b, c, d]
    assert list(paths.paths_to([d, b])) == [[a, b, c, d], [a, b]]
    assert list(paths.all_paths_to(c)) == [[a, b, c]]
    assert paths.to_dict() == {a: 0, b: 4, c: 5, d: 7}
    assert paths.to_networkx().nodes[d]["dist"] == 7
    assert paths.to_dataframe()["pred"].to_list()[1:] == [a, b, c]
    assert f"source {a!r}, " in repr(paths)
    rows = reedsp.sssp(graph, [c, a], device=device)
    assert rows.source == [c, a]
    assert rows.path(d, c) == [c, d]
    assert rows.verify()
    nearest = reedsp.sssp(graph, [c, a], min_only=True, device=device)
    assert nearest.nearest is not None
    assert nearest.nearest.tolist() == [0, 0, 2, 2]
    assert nearest.verify()
    assert nearest.path(d) == [c, d]
    levels = reedsp.bfs(graph, a, device=device)
    assert (levels.path(d), levels.to_networkx().nodes[d], levels.verify()) == ([a, d], {"level": 1}, True)
    pairs = reedsp.apsp(graph, predecessors=True, device=device)
    assert pairs.path(b, d) == [b, c, d]
    assert list(pairs.paths_between([b], [d])) == [[b, c, d]]
    assert pairs.to_dataframe().loc[[b], [d]].to_numpy().tolist() == [[3]]
    assert list(reedsp.yen(graph, a, d, 9, device=device)) == [(7, [a, b, c, d]), (9, [a, d])]
    assert (reedsp.yen(graph, a, d, 9, device=device).source, reedsp.yen(graph, a, d, 0, device=device).target) == (
        a,
        d,
    )
    assert reedsp.k_nearest(graph, [a, d], 2, device=device).vertices.tolist() == [[b, c], [None, None]]
    assert reedsp.k_nearest(graph, None, 1, among=[d], device=device).vertices.tolist() == [[d], [d], [d], [d]]
    assert reedsp.distance_table(graph, [a, b], [d], device=device).tolist() == [[7], [3]]
    assert [sources for sources, _ in reedsp.all_pairs_rows(graph, [d, a], device=device)] == [[d, a]]
    assert reedsp.distances_on_device(graph, b, device=device).get()[2] == 1


@pytest.mark.parametrize("weights", [[1, -3, 1, 2], [1.5, -3, 1, 2]])
def test_cycles_are_named(kind: str, weights: list[float], device: reedsp.Device) -> None:
    ends, names = ([1, 2, 3, 0], [2, 3, 1, 1]), list(NAMES[kind])
    graph = Graph.from_edges(4, *ends, weights, **({"offset": 1} if kind == "numbers" else {"labels": names}))
    calls: list[Callable[[], object]] = [
        lambda: reedsp.sssp(graph, names[0], device=device),
        lambda: reedsp.apsp(graph, "floyd-warshall", device=device),
        lambda: reedsp.all_pairs_on_device(graph, device=device),
        lambda: reedsp.yen(graph, names[0], names[1], 2, device=device),
        lambda: reedsp.k_nearest(graph, [names[0]], 1, device=device),
        lambda: reedsp.distance_table(graph, [names[0]], [names[1]], device=device),
    ]
    if graph.has_integral_weights:
        calls.append(lambda: reedsp.apsp(graph, "johnson", device=device))
    for call in calls:
        with pytest.raises(reedsp.NegativeCycleError) as caught:
            call()
        assert set(caught.value.cycle) == set(names[1:])
        assert str(names[1]) in str(caught.value)


def test_a_networkx_graph_means_the_same_before_and_after(device: reedsp.Device) -> None:
    theirs = nx.DiGraph()
    theirs.add_nodes_from([10, 0, 1, 2])
    theirs.add_weighted_edges_from([(10, 0, 1), (0, 1, 1), (1, 2, 1), (2, 10, 5)])
    for call in (
        lambda graph: reedsp.sssp(graph, 0, device=device).dist.tolist(),
        lambda graph: reedsp.sssp(graph, [0, 10], device=device).path(2, 10),
        lambda graph: reedsp.bfs(graph, 0, device=device).path(2),
        lambda graph: reedsp.apsp(graph, predecessors=True, device=device).path(10, 2),
        lambda graph: reedsp.k_nearest(graph, [10], 2, device=device).vertices.tolist(),
        lambda graph: list(reedsp.yen(graph, 0, 2, 3, device=device)),
        lambda graph: [sources for sources, _ in reedsp.all_pairs_rows(graph, device=device)],
    ):
        assert call(theirs) == call(Graph.from_networkx(theirs))
    assert reedsp.sssp(theirs, 0, device=device).dist.tolist() == [7, 0, 1, 2]


@pytest.mark.parametrize("kind", ["numbers", "strings"])
def test_wrong_results_are_reported_by_name(kind: str, device: reedsp.Device) -> None:
    graph, names = named(kind), NAMES[kind]
    paths, levels = reedsp.sssp(graph, names[0], device=device), reedsp.bfs(graph, names[0], device=device)
    paths.pred[3], levels.levels[2] = 0, 7
    with pytest.raises(reedsp.VerificationError, match=f"^vertex {names[3]!r}: .*pred {names[0]!r}"):
        paths.verify()
    with pytest.raises(reedsp.VerificationError, match=f"^vertex {names[2]!r}: an edge from vertex {names[1]!r}"):
        levels.verify()


# ---- the graph itself -------------------------------------------------------------------------------


def test_edges_and_neighbours(kind: str) -> None:
    graph, (a, b, c, d) = named(kind), NAMES[kind]
    assert len(graph) == 4
    assert list(graph.edges()) == [(a, b, 4), (a, d, 9), (b, c, 1), (c, d, 2)]
    assert all(type(weight) is int for _, _, weight in graph.edges())
    assert (graph.neighbors(a), graph.neighbors(d)) == ([b, d], [])
    with pytest.raises(ValueError, match=r"^name = 'nowhere' is not a vertex of this graph"):
        graph.neighbors("nowhere")
    undirected = Graph.from_edges(3, [1, 2, 2], [0, 1, 2], [5.5, 6, 7], directed=False)
    assert list(undirected.edges()) == [(0, 1, 5.5), (1, 2, 6), (2, 2, 7)]


@pytest.mark.parametrize("directed", [True, False])
def test_edges_are_converted_some_at_a_time(directed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = Graph.from_edges(9, [1, 1, 1, 4, 8, 8], [0, 1, 2, 4, 0, 7], range(6), directed)
    expected = list(graph.edges())
    for some in (1, 2, 3, 100):
        monkeypatch.setattr(graph_module, "_EDGES_AT_ONCE", some)
        assert list(graph.edges()) == expected


def test_rows_without_edges_are_not_walked_over() -> None:
    graph = Graph.from_edges(10**6, [999_998], [999_999], [7])
    tracemalloc.start()
    try:
        assert next(graph.edges()) == (999_998, 999_999, 7)
        assert tracemalloc.get_traced_memory()[1] < 2**20
    finally:
        tracemalloc.stop()


def test_the_reverse(kind: str) -> None:
    graph, (a, b, c, d) = named(kind).with_coordinates(np.arange(8).reshape(4, 2)), NAMES[kind]
    back = graph.reverse()
    assert list(back.edges()) == sorted([(b, a, 4), (d, a, 9), (c, b, 1), (d, c, 2)], key=lambda e: graph.index(e[0]))
    assert np.array_equal(back.coordinates, graph.coordinates)  # type: ignore[arg-type]
    assert back.reverse() == graph
    undirected = numbered(directed=False)
    assert undirected.reverse() is undirected


def test_a_subgraph_keeps_names_and_coordinates(kind: str) -> None:
    graph, (a, b, c, d) = named(kind).with_coordinates(np.arange(8).reshape(4, 2)), NAMES[kind]
    part = graph.subgraph([d, b, c])
    assert part.names == (d, b, c)
    assert list(part.edges()) == [(b, c, 1), (c, d, 2)]
    assert part.coordinates is not None
    assert part.coordinates.tolist() == [[6, 7], [2, 3], [4, 5]]
    assert part.subgraph([]).names == ()
    with pytest.raises(ValueError, match=r"^vertices\[1\] = .* is also vertices\[0\]"):
        graph.subgraph([d, d])
    with pytest.raises(ValueError, match=r"^vertices\[1\] = 'nowhere' is not a vertex"):
        graph.subgraph([a, "nowhere"])
    for wrong in (1, "ab", b"ab", None):
        with pytest.raises(TypeError, match=f"^vertices: expected several vertices, got {wrong!r}$"):
            graph.subgraph(wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("directed", [True, False])
def test_a_subgraph_has_the_edges_between_its_vertices(directed: bool) -> None:
    rng = np.random.default_rng(3)
    graph = Graph.from_edges(40, *rng.integers(0, 40, (2, 300)), rng.integers(-5, 9, 300), directed)
    chosen = rng.choice(40, 17, replace=False)
    part = graph.subgraph(chosen.tolist())
    assert part.directed is directed
    dense = graph.to_scipy().toarray()
    assert np.array_equal(part.to_scipy().toarray(), dense[np.ix_(chosen, chosen)])
    assert set(part.edges()) <= {edge for u, v, w in graph.edges() for edge in ((u, v, w), (v, u, w))}


def test_equality() -> None:
    graph = numbered()
    assert graph == numbered()
    assert graph == Graph.from_edges(4, *ENDS, np.array(WEIGHTS, np.float32))
    assert hash(graph) == hash(Graph.from_edges(4, *ENDS, np.array(WEIGHTS, np.float32)))
    assert numbered(offset=1) == numbered(labels=[1, 2, 3, 4])
    places = np.zeros((4, 2))
    for other in (
        numbered(offset=1),
        numbered(labels="abcd"),
        numbered(directed=False),
        Graph.from_edges(4, *ENDS, [4, 1, 2, 8]),
        Graph.from_edges(4, *ENDS[::-1], WEIGHTS),
        Graph.from_edges(5, *ENDS, WEIGHTS),
        numbered().with_coordinates(places),
        None,
        "graph",
    ):
        assert graph != other
    assert numbered().with_coordinates(places) == numbered().with_coordinates(places)
    assert numbered().with_coordinates(places) != numbered().with_coordinates(places + 1)


def test_weights_are_equal_as_numbers_beyond_float64() -> None:
    def one_edge(weight: Any, dtype: type) -> Graph:
        return Graph.from_edges(2, [0], [1], np.array([weight], dtype))

    for whole, number in ((2**53 + 1, 2.0**53), (2**63 - 1, 2.0**63), (-(2**62) - 1, -(2.0**62))):
        for dtype in (np.float32, np.float64):
            exact = one_edge(whole, np.int64)
            assert exact != one_edge(number, dtype)
            assert one_edge(number, dtype) != exact
    for number in (2**53, 2**62, -(2**63)):
        assert one_edge(number, np.int64) == one_edge(number, np.float32) == one_edge(number, np.float64)


def test_a_graph_in_a_notebook() -> None:
    shown = named("strings")._repr_html_()
    assert "Graph of 4 vertices and 4 edges, directed" in shown
    assert "Bern to Brig" in shown
    assert ">Spiez<" in shown
    large = Graph.from_edges(5000, np.arange(4999), np.arange(1, 5000))
    assert len(large._repr_html_()) < 5000
    assert "Graph of 0 vertices" in Graph.from_edges(0, [], [])._repr_html_()


def test_views_of_networkx_are_several_vertices() -> None:
    path = nx.path_graph(4)
    graph = reedsp.Graph.from_networkx(path)
    for several in (path.nodes, path.nodes(), dict.fromkeys([0, 1, 2, 3]).keys()):
        assert source_argument(graph, several) == ([0, 1, 2, 3], True)
