"""Searches from both ends find what those of networkx find, or nothing after too many nodes."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import networkx as nx
import pytest

from reedsp.networkx_backend import nearby, on_device
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
    for _ in range(3):
        assert nearby.own_answer("single_source_shortest_path_length", graph, 0) is None
    assert passed == [on_device.NEAR_EDGES, *2 * [on_device.NEAR_EDGES_FROM_EACH]]
