"""Searches from both ends find what those of networkx find, or nothing after too many nodes."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import networkx as nx
import pytest

from reedsp.networkx_backend import nearby
from reedsp.networkx_backend.graph import NetworkXGraph

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
