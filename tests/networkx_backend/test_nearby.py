"""Searches from both ends find what those of networkx find, or nothing after too many nodes."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable
from typing import Any

import networkx as nx
import pytest

from reedsp.networkx_backend import functions, nearby, on_device, views
from reedsp.networkx_backend.graph import NetworkXGraph, most_nodes

ANY = 10**9  # nodes


def answer(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except (nx.NetworkXNoPath, ValueError) as error:
        return type(error), str(error)


def by_edges(graph: nx.Graph, source: Any, target: Any, most: int = ANY) -> Any:
    given = NetworkXGraph(graph)
    rows = given.adjacency(), given.adjacency(reverse=True)
    return nearby.breadth_first_between(*rows, source, target, most)


def by_weight(graph: nx.Graph, source: Any, target: Any, most: int = ANY) -> Any:
    given = NetworkXGraph(graph)
    rows = given.rows("weight"), given.rows("weight", reverse=True)
    return nearby.dijkstra_between(*rows, source, target, most)


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("weights", [[1, 2, 5], [1, 2, None], [0.1, 0.3, 0], [3, 4, -1]])
def test_they_are_those_of_networkx(weights: list[Any], directed: bool) -> None:
    for seed in range(20):
        rng = random.Random(seed)
        graph = nx.gnm_random_graph(12, 24, seed=seed, directed=directed)
        for *_, data in graph.edges(data=True):
            data["weight"] = rng.choice(weights)  # None hides an edge
        for source, target in ((0, 11), (3, 7), (5, 5)):
            expected = answer(lambda: nx.bidirectional_dijkstra(graph, source, target, backend="networkx"))  # noqa: B023
            assert answer(lambda: by_weight(graph, source, target)) == expected  # noqa: B023
            expected = answer(lambda: nx.bidirectional_shortest_path(graph, source, target, backend="networkx"))  # noqa: B023
            assert answer(lambda: by_edges(graph, source, target)) == expected  # noqa: B023


def test_they_give_up_after_some_nodes() -> None:
    graph = nx.path_graph(30)
    for search in (by_edges, by_weight):
        assert search(graph, 0, 29, 10) is None
        assert search(graph, 0, 29, 40) is not None
        assert search(graph, 7, 7, 0) is not None


def test_nodes_that_a_hub_leads_to_count_once_some_are_settled() -> None:
    """A hub is settled soon, and may lead to most edges."""
    graph = nx.star_graph(range(1000))
    nx.add_path(graph, range(1000, 1030))
    graph.add_edge(1, 1000, weight=9)
    given = NetworkXGraph(graph)
    rows = given.rows("weight"), given.rows("weight", reverse=True)
    assert nearby.dijkstra_between(*rows, 0, 1029, 4, 500) is None
    found = nearby.dijkstra_between(*rows, 0, 1029, 4, 2000)
    assert found == nx.bidirectional_dijkstra(graph, 0, 1029, backend="networkx")


class OwnGraph(nx.Graph):
    """A class with an attribute that views of networkx have, too."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self._graph: Any = None
        super().__init__(*arguments, **options)


def test_a_class_that_only_looks_like_a_view() -> None:
    graph = OwnGraph(nx.path_graph(5))
    assert len(NetworkXGraph(graph)) == 5
    assert not NetworkXGraph(graph).has_two_weights()
    found = nx.single_source_shortest_path_length(graph, 0, backend="reedsp")
    assert found == {node: node for node in range(5)}
    view = nx.subgraph_view(graph, filter_node=lambda node: node < 3)
    assert (len(NetworkXGraph(view)), most_nodes(view)) == (3, 5)


def test_less_is_looked_at_once_a_search_was_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every later question about a large component would pay for a search in vain."""
    monkeypatch.delenv(on_device.FORCE_DEVICE, raising=False)
    passed = []

    def limited(name: str, graph: NetworkXGraph, most: int, *arguments: Any, **options: Any) -> Any:
        passed.append(most)

    monkeypatch.setattr(nearby, "limited_answer", limited)
    graph = NetworkXGraph(nx.path_graph(20_000))
    graph.ends()
    for _ in range(3):
        assert nearby.own_answer("single_source_shortest_path_length", graph, 0) is None
    assert passed == [on_device.NEAR_EDGES, *2 * [on_device.NEAR_EDGES_FROM_EACH]]
    passed.clear()
    for options in ({"cutoff": 3}, {"target": 5}, {"weight": "weight"}, {"weight": constant}):
        assert (
            nearby.own_answer("multi_source_dijkstra", graph, [0], **options) is None
        )  # no question about a component
    assert passed == 4 * [on_device.NEAR_EDGES]


def constant(tail: Any, head: Any, data: Any) -> int:
    return 1


@pytest.fixture
def readings(monkeypatch: pytest.MonkeyPatch) -> list[NetworkXGraph]:
    """Graphs whose edges were read for the device, each time that was so."""
    monkeypatch.delenv(on_device.FORCE_DEVICE, raising=False)
    for name, number in (("MIN_NODES", 0), ("NEAR_EDGES", 60), ("NEAR_NODES", 20)):
        monkeypatch.setattr(on_device, name, number)
    read, found = NetworkXGraph._read, []

    def counted(graph: NetworkXGraph, *arguments: Any, **options: Any) -> Any:
        found.append(graph)
        return read(graph, *arguments, **options)

    monkeypatch.setattr(NetworkXGraph, "_read", counted)
    return found


NEAR: dict[str, Callable[..., Any]] = {
    "levels": lambda graph, far, **to: nx.single_source_shortest_path_length(graph, 0, cutoff=far, **to),
    "fewest edges": lambda graph, far, **to: nx.single_source_shortest_path(graph, 0, cutoff=far, **to),
    "distances": lambda graph, far, **to: nx.single_source_dijkstra_path_length(graph, 0, cutoff=far, **to),
    "distance": lambda graph, far, **to: nx.dijkstra_path_length(graph, 0, far, **to),
    "by a function": lambda graph, far, **to: nx.dijkstra_path_length(graph, 0, far, weight=constant, **to),
    "bellman-ford": lambda graph, far, **to: nx.bellman_ford_path_length(graph, 1709, 1709 - far % 9, **to),
    "between": lambda graph, far, **to: nx.shortest_path(graph, 0, far, **to),
    "between by weight": lambda graph, far, **to: nx.shortest_path(graph, 0, far, weight="weight", **to),
    "component": lambda graph, far, **to: nx.node_connected_component(graph, 1650, **to),
    "closeness": lambda graph, far, **to: nx.closeness_centrality(graph, 1700, **to),
}


def path_and_components() -> nx.Graph:
    return nx.disjoint_union_all(map(nx.path_graph, (1600, 90, 20)))


@pytest.mark.parametrize("name", NEAR)
def test_no_graph_is_read_for_a_few_nodes(name: str, readings: list[NetworkXGraph]) -> None:
    """Neither one that changed since it was read, nor a view, nor for a function as weight, nor after a wide search."""
    graph = path_and_components()
    nx.single_source_shortest_path_length(graph, 0, backend="reedsp")
    nx.single_source_dijkstra_path_length(graph, 0, backend="reedsp")
    assert readings
    for each in (graph, graph.subgraph(range(1710)), nx.subgraph_view(graph)):
        expected = NEAR[name](each, 60, backend="networkx")
        if each is not graph or name != "by a function":
            graph.add_edge(0, 1)
        readings.clear()
        assert NEAR[name](each, 60, backend="reedsp") == expected
        assert readings == []


@pytest.mark.parametrize("name", ["levels", "distances", "distance", "by a function", "between"])
def test_what_is_far_is_for_the_device(name: str, readings: list[NetworkXGraph]) -> None:
    graph = path_and_components()
    launched = on_device.kernels_launched()
    for far in (390, 80):  # once the edges are at hand, 80 nodes are many
        readings.clear()
        assert NEAR[name](graph, far, backend="reedsp") == NEAR[name](graph, far, backend="networkx")
        assert len(readings) == (far == 390)
        assert (on_device.kernels_launched() > launched) == (far == 390 or name != "by a function")
        launched = on_device.kernels_launched()


def test_all_pairs_of_a_view_are_for_the_device(readings: list[NetworkXGraph]) -> None:
    """Which reads it once for all."""
    view = path_and_components().subgraph(range(1500, 1650))
    assert dict(nx.all_pairs_shortest_path_length(view, backend="reedsp")) == dict(
        nx.all_pairs_shortest_path_length(view, backend="networkx")
    )
    assert len(set(map(id, readings))) == 1


@pytest.fixture
def passed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many edges and nodes were in the rows that searches on the host have looked at, of graphs that are large."""
    monkeypatch.delenv(on_device.FORCE_DEVICE, raising=False)
    monkeypatch.setattr(on_device, "MIN_NODES", 0)
    look, found = views._LimitedRows.__getitem__, []

    def counted(rows: Any, node: Any) -> Any:
        found.append(1 + len(rows._rows[node]))
        return look(rows, node)

    monkeypatch.setattr(views._LimitedRows, "__getitem__", counted)
    return found


@pytest.mark.parametrize("weight", ["weight", constant])
@pytest.mark.parametrize("hubs", [False, True])
def test_a_search_in_vain_passes_a_part_of_the_edges(hubs: bool, weight: Any, passed: list[int]) -> None:
    """Also where it comes to a few nodes first that lead to most edges."""
    apart = nx.path_graph(range(4000, 4020))
    graph = nx.compose(
        nx.barabasi_albert_graph(3000, 6, seed=1) if hubs else nx.gnm_random_graph(400, 18_000, seed=1), apart
    )
    longest = max(degree for _, degree in graph.degree)
    least, most = on_device.NEAR_EDGES, on_device.NEAR_EDGES + longest + 2
    part = 1.1 * (2 * graph.number_of_edges() + len(graph)) / on_device.NEAR_PART  # which is guessed from some rows
    for search, more in (
        (lambda: nx.dijkstra_path_length(graph, 0, 4000, weight=weight, backend="reedsp"), part),
        (lambda: nx.astar_path(graph, 0, 4000, weight=weight, backend="reedsp"), part),
        (lambda: nx.single_source_dijkstra(graph, 0, cutoff=10**6, weight=weight, backend="reedsp"), part),
        (lambda: nx.node_connected_component(graph, 0, backend="reedsp"), part),
        (lambda: nx.single_source_dijkstra_path_length(graph, 0, weight=weight, backend="reedsp"), 0),
        (lambda: nx.single_source_shortest_path_length(graph, 0, backend="reedsp"), 0),
        (lambda: nx.predecessor(graph, 0, target=4000, backend="reedsp"), 0),
        (lambda: nx.bellman_ford_path_length(graph, 0, 4000, weight=weight, backend="reedsp"), 0),
        (lambda: nx.single_source_bellman_ford(graph, 0, 4000, weight="weight", backend="reedsp"), 0),
        (lambda: nx.is_connected(graph, backend="reedsp"), 0),
    ):
        graph.__networkx_cache__.clear()
        passed.clear()
        with contextlib.suppress(nx.NetworkXNoPath):
            search()
        assert least < sum(passed) <= most + more


@pytest.mark.parametrize("forced", ["0", "1"])
def test_a_weight_that_is_no_key(forced: str, passed: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    """networkx looks at it where it passes an edge only; of a graph that is converted, the backend decides."""
    monkeypatch.setenv(on_device.FORCE_DEVICE, forced)
    graph, weight = nx.path_graph(5), ["a"]
    graph.add_node("apart")
    converted: Any = functions.convert_from_nx(graph)
    for each in (graph, converted):
        assert nx.dijkstra_path_length(each, 0, 0, weight=weight) == 0
        assert nx.bellman_ford_path_length(each, 0, 0, weight=weight) == 0
        assert nx.single_source_dijkstra_path_length(each, "apart", weight=weight) == {"apart": 0}
        with pytest.raises(TypeError, match="unhashable type"):
            nx.dijkstra_path_length(each, 0, 3, weight=weight)
