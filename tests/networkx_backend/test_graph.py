"""What a graph is when it is asked about: generators read it late, and views have edges of two weights."""

from __future__ import annotations

import copy
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any

import networkx as nx
import numpy as np
import pytest

from reedsp.networkx_backend import functions, on_device
from reedsp.networkx_backend.graph import NetworkXGraph
from tests.networkx_backend.test_functions import engine, forced, outcome

__all__ = ["engine", "forced"]  # the fixtures

# ---- graphs that change before a generator is asked ------------------------------------------------------

Call = Callable[..., Iterator[Any]]


def weight_of(tail: Any, head: Any, data: dict[str, Any]) -> Any:
    return data["weight"]


GENERATORS: dict[str, Call] = {
    "levels": nx.all_pairs_shortest_path_length,
    "fewest edges": nx.all_pairs_shortest_path,
    "distances and paths": nx.all_pairs_dijkstra,
    "distances": nx.all_pairs_dijkstra_path_length,
    "distances, by a function": lambda graph, **to: nx.all_pairs_dijkstra_path_length(graph, weight=weight_of, **to),
    "paths": nx.all_pairs_dijkstra_path,
    "shortest_path": lambda graph, **to: nx.shortest_path(graph, weight="weight", **to),
    "shortest_path_length": nx.shortest_path_length,
    "all paths of one": lambda graph, **to: nx.single_source_all_shortest_paths(graph, 1, weight="weight", **to),
    "all paths": lambda graph, **to: nx.all_pairs_all_shortest_paths(graph, weight="weight", **to),
}
OF_GRAPHS: dict[str, Call] = {
    "components": nx.connected_components,
    "least edges": nx.minimum_spanning_edges,
    "greatest edges": lambda graph, **to: nx.maximum_spanning_edges(graph, data=False, **to),
}
OF_DIGRAPHS: dict[str, Call] = {
    "weak": nx.weakly_connected_components,
    "strong": nx.strongly_connected_components,
    "attracting": nx.attracting_components,
}
CALLS = [
    *((nx.Graph, name, call) for name, call in (GENERATORS | OF_GRAPHS).items()),
    *((nx.DiGraph, name, call) for name, call in (GENERATORS | OF_DIGRAPHS).items()),
]
CHANGES: dict[str, Callable[[Any], None]] = {
    "less edges": lambda graph: graph.remove_edge(1, 2),
    "more edges": lambda graph: graph.add_edge(0, 2, weight=3),
    "others": lambda graph: (graph.remove_edge(0, 1), graph.add_edge(0, 3, weight=7)),  # type: ignore[func-returns-value]
    "more nodes": lambda graph: graph.add_edge(3, "new", weight=1),
    "less nodes": lambda graph: graph.remove_node(3),
}


def weighted_path(kind: Any) -> Any:
    graph = kind()
    graph.add_weighted_edges_from([(0, 1, 1), (1, 2, 10), (2, 3, 100)])
    return graph


@pytest.mark.deep("device")
@pytest.mark.parametrize(("kind", "name", "call"), CALLS, ids=[f"{kind.__name__} {name}" for kind, name, _ in CALLS])
def test_generators_answer_for_the_graph_as_it_is(kind: Any, name: str, call: Call, engine: str) -> None:
    for change in CHANGES.values():
        answers = []
        for backend in ("networkx", "reedsp"):
            graph = weighted_path(kind)
            nx.dijkstra_path_length(graph, 0, 3, backend=backend)  # has the graph read
            generator = call(graph, backend=backend)
            change(graph)
            answers.append(list(generator))
        assert answers[0] == answers[1]


def test_a_graph_that_has_not_changed_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(on_device.FORCE_DEVICE, "1")
    graph = weighted_path(nx.Graph)
    dict(nx.all_pairs_dijkstra_path_length(graph, backend="reedsp"))
    graph[0][1]["weight"] = 5  # which nobody notices, as the documentation says
    assert dict(nx.all_pairs_dijkstra_path_length(graph, backend="reedsp"))[0][1] == 1


def test_an_algorithm_that_there_is_not_is_refused_at_the_call(engine: str) -> None:
    for function in (nx.minimum_spanning_edges, nx.maximum_spanning_edges):
        with pytest.raises(ValueError, match="not a valid choice"):
            function(weighted_path(nx.Graph), "none", backend="reedsp")


# ---- classes that list other edges than they store ---------------------------------------------------------


class AntiGraph(nx.Graph):
    """The complement of what is stored, as in networkx' gallery."""

    def __getitem__(self, node: Any) -> dict[Any, Any]:
        return {other: {} for other in self._adj if other not in self._adj[node] and other != node}

    def neighbors(self, node: Any) -> Iterator[Any]:
        return iter(self[node])


def test_classes_that_list_edges_of_their_own(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(on_device, "MIN_NODES", 0)
    graph = AntiGraph(nx.gnm_random_graph(60, 900, seed=1))
    assert functions.should_run("betweenness_centrality", (graph,), {}) == "AntiGraph lists edges in a way of its own"
    launched = on_device.kernels_launched()
    for function, args in (
        *((nx.predecessor, (0,)), (nx.betweenness_centrality, ()), (nx.edge_betweenness_centrality, ())),
        *((nx.bidirectional_shortest_path, (0, 5)), (nx.shortest_path_length, (0, 5)), (nx.floyd_warshall, ())),
        *((nx.closeness_centrality, ()), (nx.node_connected_component, (3,)), (nx.minimum_spanning_tree, ())),
    ):
        for each in (graph, graph.subgraph(range(50))):
            found, expected = (outcome(function, each, *args, backend=backend) for backend in ("reedsp", "networkx"))
            assert found == expected
    source, target = next((u, v) for u in graph for v in graph if v not in graph._adj[u] and u != v)
    found, expected = (
        outcome(nx.astar_path_length, graph, source, target, backend=backend) for backend in ("reedsp", "networkx")
    )
    assert found == expected
    assert on_device.kernels_launched() == launched


def test_classes_that_add_to_networkx_own(forced: None) -> None:
    class Named(nx.Graph):
        edge_attr_dict_factory = OrderedDict

        def add_edge(self, *ends: Any, **data: Any) -> None:
            super().add_edge(*ends, **data)

    launched = on_device.kernels_launched()
    assert nx.shortest_path_length(Named(nx.path_graph(5)), 0, 4, backend="reedsp") == 4
    assert on_device.kernels_launched() > launched


# ---- views ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [nx.Graph, nx.MultiDiGraph])
def test_a_view_filters_each_edge_as_often_as_networkx(kind: Any) -> None:
    graph = kind(nx.gnm_random_graph(30, 80, seed=3))
    asked = []

    def shows(node: Any) -> bool:
        asked.append(node)
        return bool(node)

    for weight, times in ((None, 1), ("weight", 2)):
        view = nx.subgraph_view(graph, filter_node=shows)
        asked.clear()
        expected = [other for node in view for other in (view._adj[node] if weight is None else dict(view._adj[node]))]
        once = len(asked)
        asked.clear()
        arcs = NetworkXGraph(view).arcs(weight)
        assert arcs is not None
        assert [arcs.n, len(arcs.heads)] == [29, len(expected)]
        assert len(asked) <= times * once
        assert NetworkXGraph(view).nodes == list(view)


# ---- edges of two weights ---------------------------------------------------------------------------------


def without_directions(kind: Any) -> Any:
    """A view in which an edge has other data from its other end."""
    graph = kind()
    for tail in range(8):
        graph.add_edge(tail, tail + 1, weight=1, capacity=2)
        graph.add_edge(tail + 1, tail, weight=5 + tail, capacity=0)
    return graph.to_undirected(as_view=True)


@pytest.mark.parametrize("kind", [nx.DiGraph, nx.MultiDiGraph])
@pytest.mark.parametrize("part", ["whole", "subgraph"])
def test_views_without_directions(kind: Any, part: str, engine: str) -> None:
    view = without_directions(kind)
    graph = view if part == "whole" else view.subgraph(range(7))

    def both(function: Any, *args: Any, **options: Any) -> Any:
        found, expected = (function(graph, *args, **options, backend=each) for each in ("reedsp", "networkx"))
        np.testing.assert_equal(found, expected)

    both(nx.floyd_warshall_numpy)
    both(nx.floyd_warshall)
    both(nx.average_shortest_path_length, weight="weight", method="floyd-warshall-numpy")
    for source, target in ((1, 0), (0, 1), (6, 0)):
        both(nx.bidirectional_dijkstra, source, target)
        both(nx.shortest_path, source, target, weight="weight")
        both(nx.shortest_path_length, source, target, weight="weight")
        if kind is nx.DiGraph:
            both(nx.maximum_flow_value, source, target)
            both(nx.minimum_cut, source, target)


# ---- what networkx keeps ---------------------------------------------------------------------------------


def by_name(graph: Any, name: str) -> Any:
    return nx.dijkstra_path_length(graph, 0, 3, weight=name, backend="reedsp")


def named_weights() -> nx.Graph:
    graph = nx.path_graph(4)
    for index, name in enumerate("abcd"):
        nx.set_edge_attributes(graph, index, name)
    return graph


def test_one_converted_graph_for_the_names_of_all_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(on_device.FORCE_DEVICE, "1")
    read: list[int] = []
    ends = NetworkXGraph._heads
    monkeypatch.setattr(NetworkXGraph, "_heads", lambda graph, rows, m: (read.append(m), ends(graph, rows, m))[1])
    graph = named_weights()
    assert [by_name(graph, name) for name in "abcd"] == [0, 3, 6, 9]
    kept = graph.__networkx_cache__["backends"]["reedsp"].values()
    assert len({id(each) for each in kept}) == 1
    assert read == [6]
    graph.add_edge(0, 3, b=1)
    assert [by_name(graph, name) for name in "abcd"] == [0, 1, 1, 1]
    assert read == [6, 8]


def test_no_converted_graph_is_used_again_where_none_is_to_be_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(on_device.FORCE_DEVICE, "1")
    graph = named_weights()
    assert by_name(graph, "b") == 3
    with nx.config(cache_converted_graphs=False):
        graph[0][1]["b"] = 5
        assert by_name(graph, "b") == 7
        assert functions.convert_from_nx(graph) is not functions.convert_from_nx(graph)


def test_a_copy_that_shares_its_cache_is_another_graph() -> None:
    graph = named_weights()
    by_name(graph, "b")
    other = copy.copy(graph)
    assert functions.convert_from_nx(other).source is other
    assert functions.convert_from_nx(graph).source is graph
