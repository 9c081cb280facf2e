from __future__ import annotations

import sys
from typing import Any

import networkit
import numpy as np
import pytest

import reedsp

EDGES = [(0, 1), (1, 2), (2, 0), (1, 2), (2, 1), (3, 3)]
WEIGHTS = [5.0, 4.0, 3.0, 2.0, 1.5, 7.0]


def graph_of(weights: list[float] | None = None, directed: bool = False) -> Any:
    graph = networkit.Graph(4, weighted=weights is not None, directed=directed)
    for edge, ends in enumerate(EDGES):
        graph.addEdge(*ends, *([] if weights is None else weights[edge : edge + 1]))
    return graph


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("weights", [WEIGHTS, [1.0, 2.0, np.inf, 0.0, 3.0, 4.0], None])
def test_same_as_from_edges(directed: bool, weights: list[float] | None) -> None:
    graph = reedsp.Graph.from_networkit(graph_of(weights, directed))
    assert graph == reedsp.Graph.from_edges(4, *zip(*EDGES, strict=True), weights, directed=directed)
    assert (graph.labels, graph.offset) == (None, 0)
    assert graph.weights.dtype == (np.int32 if weights is None else np.float64)


@pytest.mark.parametrize("directed", [False, True])
def test_removed_nodes_and_edges(directed: bool) -> None:
    given = graph_of(WEIGHTS, directed)
    given.removeNode(1)
    assert list(reedsp.Graph.from_networkit(given).edges()) == [(2, 0, 3.0) if directed else (0, 2, 3.0), (3, 3, 7.0)]
    assert reedsp.Graph.from_networkit(given).names == (0, 2, 3)
    given.removeEdge(3, 3)
    given.removeNode(0)
    graph = reedsp.Graph.from_networkit(given)
    assert (graph.m, graph.names, graph.labels) == (0, range(2, 4), None)


def test_distances_are_those_of_networkit() -> None:
    given = networkit.generators.ErdosRenyiGenerator(200, 0.03, directed=True).generate()
    given = networkit.graphtools.toWeighted(given)
    rng = np.random.default_rng(1)
    for ends in list(given.iterEdges()):
        given.setWeight(*ends, float(rng.integers(0, 50)))
    for node in range(0, 200, 7):
        given.removeNode(node)
    search = networkit.distance.Dijkstra(given, 1).run()
    paths = reedsp.sssp(reedsp.Graph.from_networkit(given), 1)
    largest = np.finfo(np.float64).max
    expected = {node: dist if dist < largest else np.inf for node, dist in enumerate(search.getDistances())}
    assert paths.to_dict() == {node: expected[node] for node in given.iterNodes() if expected[node] < np.inf}


def test_empty() -> None:
    graph = reedsp.Graph.from_networkit(networkit.Graph(0, directed=True))
    assert (graph.n, graph.m, graph.directed) == (0, 0, True)
    given = networkit.Graph(1)
    given.removeNode(0)
    assert reedsp.Graph.from_networkit(given).n == 0


def test_what_is_wrong() -> None:
    given = graph_of([1.0, 2.0, np.nan, 3.0, 4.0, 5.0], directed=True)
    with pytest.raises(ValueError, match=r"weight of edge \(2, 0\) is nan"):
        reedsp.Graph.from_networkit(given)
    given.setWeight(2, 0, -np.inf)
    given.removeNode(1)
    with pytest.raises(ValueError, match=r"weight of edge \(2, 0\) is -inf, expected a number greater than -inf"):
        reedsp.Graph.from_networkit(given)
    with pytest.raises(TypeError, match="graph: expected a graph of networkit, got list"):
        reedsp.Graph.from_networkit([[0, 1], [1, 0]])


def test_without_networkit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "networkit")
    with pytest.raises(TypeError, match="expected a graph of networkit, got int"):
        reedsp.Graph.from_networkit(7)
