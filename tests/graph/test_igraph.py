from __future__ import annotations

import sys
from typing import Any

import igraph
import numpy as np
import pytest

import reedsp

EDGES = [(0, 1), (1, 2), (2, 0), (1, 2)]


def graph_of(weights: list[Any] | None = None, **options: Any) -> Any:
    graph = igraph.Graph(3, EDGES, **options)
    if weights is not None:
        graph.es["weight"] = weights
    return graph


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("weights", [[5, 4, 3, 2], [0.5, 1.5, 2.5, np.inf], None])
def test_same_as_from_edges(directed: bool, weights: list[Any] | None) -> None:
    graph = reedsp.Graph.from_igraph(graph_of(weights, directed=directed))
    assert graph == reedsp.Graph.from_edges(3, *zip(*EDGES, strict=True), weights, directed=directed)
    assert graph.labels is None


def test_names_and_another_attribute() -> None:
    given = graph_of(directed=True)
    given.vs["name"] = ["a", "b", "c"]
    given.es["km"] = [1, 2, 3, 4]
    assert list(reedsp.Graph.from_igraph(given, "km").edges()) == [("a", "b", 1), ("b", "c", 2), ("c", "a", 3)]
    assert {weight for _, _, weight in reedsp.Graph.from_igraph(given, None).edges()} == {1}


def test_distances_are_those_of_igraph() -> None:
    given = igraph.Graph.Erdos_Renyi(60, m=200, directed=True)
    given.es["weight"] = np.random.default_rng(1).integers(0, 50, 200).tolist()
    expected = given.distances(0, weights="weight")[0]
    assert reedsp.sssp(reedsp.Graph.from_igraph(given), 0).dist.tolist() == expected


def test_empty() -> None:
    graph = reedsp.Graph.from_igraph(igraph.Graph())
    assert (graph.n, graph.m, graph.directed) == (0, 0, False)


def test_what_is_wrong() -> None:
    with pytest.raises(TypeError, match=r"weight of edge \(1, 2\) is None, expected an int or a float"):
        reedsp.Graph.from_igraph(graph_of([1, None, 2, 3]))
    with pytest.raises(ValueError, match=r"weight of edge \(0, 2\) is nan"):
        reedsp.Graph.from_igraph(graph_of([1.0, 2.0, np.nan, 3.0]))
    twice = graph_of()
    twice.vs["name"] = ["a", "b", "a"]
    with pytest.raises(ValueError, match=r"^graph.vs\[2\]\['name'\] = 'a' is also graph.vs\[0\]\['name'\]$"):
        reedsp.Graph.from_igraph(twice)
    twice.vs["name"] = ["a", "b", "c"]
    twice.es["weight"] = [1, "x", 2, 3]
    with pytest.raises(TypeError, match=r"weight of edge \('b', 'c'\) is 'x'"):
        reedsp.Graph.from_igraph(twice)
    for wrong in (5, ["weight"], True):
        with pytest.raises(TypeError, match=r"^weight: expected the name of an edge attribute or None, got "):
            reedsp.Graph.from_igraph(graph_of([1, 2, 3, 4]), wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="graph: expected a graph of igraph, got list"):
        reedsp.Graph.from_igraph([[0, 1], [1, 0]])


def test_without_igraph(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "igraph")
    with pytest.raises(TypeError, match="expected a graph of igraph, got int"):
        reedsp.Graph.from_igraph(7)
