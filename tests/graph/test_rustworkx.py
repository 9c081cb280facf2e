from __future__ import annotations

import operator
import sys
from typing import Any

import numpy as np
import pytest
import rustworkx

import reedsp

EDGES = [(0, 1), (1, 2), (2, 0), (1, 2), (2, 1), (3, 3)]
KINDS = {False: rustworkx.PyGraph, True: rustworkx.PyDiGraph}


def graph_of(payloads: list[Any], directed: bool = False) -> Any:
    graph = KINDS[directed]()
    graph.add_nodes_from(list("abcd"))
    graph.add_edges_from([(*ends, payload) for ends, payload in zip(EDGES, payloads, strict=True)])
    return graph


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize(
    "weights", [[5, 4, 3, 2, 1, 7], [2**60, 1, 2**60 + 1, 3, 4, 5], [0.5, 1.5, np.inf, 2.5, 0.0, 1]]
)
def test_same_as_from_edges(directed: bool, weights: list[Any]) -> None:
    graph = reedsp.Graph.from_rustworkx(graph_of(weights, directed))
    assert graph == reedsp.Graph.from_edges(4, *zip(*EDGES, strict=True), weights, directed=directed)
    assert (graph.labels, graph.offset) == (None, 0)


def test_functions_of_payloads_and_none() -> None:
    given = graph_of([{"km": edge} for edge in range(6)], directed=True)
    graph = reedsp.Graph.from_rustworkx(given, operator.itemgetter("km"))
    assert list(graph.edges()) == [(0, 1, 0), (1, 2, 1), (2, 0, 2), (2, 1, 4), (3, 3, 5)]
    assert {weight for _, _, weight in reedsp.Graph.from_rustworkx(given, None).edges()} == {1}


@pytest.mark.parametrize("directed", [False, True])
def test_removed_nodes_and_edges(directed: bool) -> None:
    given = graph_of([5, 4, 3, 2, 1, 7], directed)
    given.remove_node(1)
    given.add_edge(3, 0, 8)
    graph = reedsp.Graph.from_rustworkx(given)
    assert graph.names == (0, 2, 3)
    ends = [(2, 0, 3), (3, 0, 8), (3, 3, 7)] if directed else [(0, 2, 3), (0, 3, 8), (3, 3, 7)]
    assert list(graph.edges()) == ends
    by_payload = reedsp.Graph.from_rustworkx(given, names="payload")
    assert list(by_payload.edges()) == [("abcd"[one], "abcd"[other], weight) for one, other, weight in ends]
    given.remove_node(0)
    assert reedsp.Graph.from_rustworkx(given).names == range(2, 4)


def test_distances_are_those_of_rustworkx() -> None:
    given = rustworkx.directed_gnp_random_graph(200, 0.03, seed=1)
    weights = np.random.default_rng(1).integers(0, 50, given.num_edges()).tolist()
    for edge, weight in zip(given.edge_indices(), weights, strict=True):
        given.update_edge_by_index(edge, weight)
    given.remove_nodes_from(list(range(0, 200, 7)))
    expected = rustworkx.dijkstra_shortest_path_lengths(given, 1, float)
    assert reedsp.sssp(reedsp.Graph.from_rustworkx(given), 1).to_dict() == {1: 0.0, **expected}


def test_directed_acyclic_and_empty() -> None:
    given = rustworkx.PyDAG(check_cycle=True)
    graph = reedsp.Graph.from_rustworkx(given)
    assert (graph.n, graph.m, graph.directed) == (0, 0, True)
    given.add_child(given.add_node("root"), "leaf", 3)
    assert list(reedsp.Graph.from_rustworkx(given).edges()) == [(0, 1, 3)]


def test_weights_that_are_wrong() -> None:
    given = graph_of([1, 2, None, 3, 4, 5], directed=True)
    with pytest.raises(TypeError, match=r"weight of edge \(2, 0\) is None, expected an int or a float"):
        reedsp.Graph.from_rustworkx(given)
    given.remove_node(1)
    with pytest.raises(TypeError, match=r"weight of edge \('c', 'a'\) is None"):
        reedsp.Graph.from_rustworkx(given, names="payload")
    with pytest.raises(TypeError, match=r"weight of edge \(2, 0\) is \[None\], expected an int or a float"):
        reedsp.Graph.from_rustworkx(given, lambda payload: [payload])
    with pytest.raises(ValueError, match=r"weight of edge \(2, 0\) is nan"):
        reedsp.Graph.from_rustworkx(given, lambda payload: float("nan") if payload is None else 1.0)
    with pytest.raises(TypeError, match="weight: expected 'payload', a function or None, got 'km'"):
        reedsp.Graph.from_rustworkx(given, "km")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^weight: expected 'payload', a function or None, got array\(\[1, 2\]\)$"):
        reedsp.Graph.from_rustworkx(given, np.array([1, 2]))  # type: ignore[arg-type]


def test_what_is_wrong() -> None:
    given = graph_of([1] * 6)
    with pytest.raises(ValueError, match="names = 'label', expected one of 'index', 'payload'"):
        reedsp.Graph.from_rustworkx(given, names="label")  # type: ignore[arg-type]
    given[3] = "b"
    with pytest.raises(ValueError, match=r"^graph\[3\] = 'b' is also graph\[1\]$"):
        reedsp.Graph.from_rustworkx(given, names="payload")
    given[3] = ["d"]
    with pytest.raises(TypeError, match=r"^graph\[3\] = \['d'\] is not hashable$"):
        reedsp.Graph.from_rustworkx(given, names="payload")
    with pytest.raises(TypeError, match="graph: expected a graph of rustworkx, got list"):
        reedsp.Graph.from_rustworkx([[0, 1], [1, 0]])


def test_without_rustworkx(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "rustworkx")
    with pytest.raises(TypeError, match="expected a graph of rustworkx, got int"):
        reedsp.Graph.from_rustworkx(7)
