"""Graphs of networkx as arrays: whichever nodes they have, and however many are read at a time."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import networkx as nx
import numpy as np
import pytest

from reedsp.networkx_backend import graph as backend_graph
from reedsp.networkx_backend.graph import NetworkXGraph
from reedsp.networkx_backend.order import _ascending
from reedsp.networkx_backend.reading import Consecutive, Weights
from tests.networkx_backend.test_functions import CLASSES, NO_WEIGHT, WEIGHTS

NAMES: dict[str, Callable[[int], Any]] = {
    "numbers": lambda i: i,
    "numbers from 5": lambda i: i + 5,
    "the last numbers of int64": lambda i: 2**63 - 30 + i,
    "equal to numbers": lambda i: (i, float(i), Fraction(i), complex(i))[i % 4],
    "tuples": lambda i: (i, -i),
}
EXACT = ("int", "float", "signed 0", "int and float", "hidden", "hidden float", "bool", "missing", "negative")


def in_order(kind: type[nx.Graph], name: Callable[[int], Any], weights: str, seed: int) -> Any:
    """Return a graph whose nodes are in the order of their names."""
    rnd = random.Random(seed)
    graph: Any = kind()
    graph.add_nodes_from(map(name, range(20)))
    for _ in range(60):
        weight = rnd.choice(WEIGHTS[weights])
        ends = name(rnd.randrange(20)), name(rnd.randrange(20))
        graph.add_edge(*ends, **({} if weight is NO_WEIGHT else {"weight": weight}))
    return graph


def lightest(graph: Any, data: Any) -> Any:
    return min([each.get("weight", 1) for each in data.values()]) if graph.is_multigraph() else data.get("weight", 1)


@pytest.mark.deep("numbers")
@pytest.mark.parametrize("at_once", [1, 7, 10**6])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("names", NAMES)
@pytest.mark.parametrize("kind", CLASSES)
def test_edges_are_in_the_order_of_networkx(
    kind: type[nx.Graph], names: str, reverse: bool, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backend_graph, "_NODES_AT_ONCE", at_once)
    for seed, weights in enumerate(EXACT):
        if weights.startswith("hidden") and kind in (nx.MultiGraph, nx.MultiDiGraph):
            continue  # no minimum of None and a number
        graph = in_order(kind, NAMES[names], weights, seed)
        rows = graph._pred if reverse and graph.is_directed() else graph._adj
        index = {node: i for i, node in enumerate(graph)}
        expected = [(index[u], index[v], lightest(graph, data)) for u, row in rows.items() for v, data in row.items()]
        converted = NetworkXGraph(graph)
        arcs = converted.arcs("weight", reverse)
        assert arcs is not None
        shown = [edge for edge in expected if edge[2] is not None]
        given = arcs.costs.tolist() if arcs.values is None else arcs.values
        found = list(zip(arcs.tails.tolist(), arcs.heads.tolist(), given, strict=True))
        assert repr(found) == repr([(u, v, int(w) if weights == "bool" else w) for u, v, w in shown])
        assert arcs.graph.directed == (graph.is_directed() or weights.startswith("hidden"))
        assert list(arcs.graph.edges()) == sorted((u, v, w) for u, v, w in shown if arcs.graph.directed or u <= v)
        assert not (np.signbit(arcs.graph.weights) & (arcs.graph.weights == 0)).any()
        unweighted = converted.arcs(None, reverse)  # whose ends are known
        assert unweighted is not None
        assert list(zip(unweighted.tails, unweighted.heads, strict=True)) == [edge[:2] for edge in expected]
        assert set(unweighted.costs.tolist()) == set(unweighted.graph.weights.tolist()) == {1}


@pytest.mark.parametrize("kind", CLASSES)
def test_the_matrix_has_all_weights(kind: type[nx.Graph]) -> None:
    graph = in_order(kind, NAMES["tuples"], "int and float", 1)
    converted = NetworkXGraph(graph)
    for weight in ("weight", None):
        expected = nx.to_numpy_array(graph, weight=weight, multigraph_weight=min, nonedge=math.inf)
        assert np.array_equal(converted.matrix(weight), expected)


@pytest.mark.parametrize("kind", CLASSES)
def test_how_many_nodes_and_edges(kind: type[nx.Graph]) -> None:
    graph = kind([(0, 1), (1, 0), (1, 2), (2, 2)])
    converted = NetworkXGraph(graph)
    assert converted.number_of_nodes() == len(converted) == graph.number_of_nodes()
    assert converted.number_of_edges() == len(converted.edges) == graph.number_of_edges()


def test_weights_that_a_function_gives_may_depend_on_the_direction() -> None:
    arcs = NetworkXGraph(nx.path_graph(3)).arcs(lambda tail, head, data: 10 * tail + head)
    assert arcs is not None
    assert list(arcs.graph.edges()) == [(0, 1, 1), (1, 0, 10), (1, 2, 12), (2, 1, 21)]


def test_an_edge_to_what_is_no_node_is_not_read() -> None:
    graph = nx.path_graph(3)
    graph._adj[1][7] = {}
    assert NetworkXGraph(graph).arcs("weight") is None
    with pytest.raises(KeyError):
        NetworkXGraph(graph).arcs(None)


def test_hidden_edges_among_weights_that_no_device_adds_up() -> None:
    graph = nx.Graph([(0, 1, {"weight": None}), (1, 2, {"weight": 2**70})])
    assert NetworkXGraph(graph).arcs("weight") is None
    graph[1][2]["weight"] = 5
    arcs = NetworkXGraph(graph).arcs("weight")
    assert arcs is not None
    assert list(arcs.graph.edges()) == [(1, 2, 5), (2, 1, 5)]


@pytest.mark.parametrize("view", ["filtered", "both directions", "reversed"])
def test_views_are_read_by_their_own_methods(view: str) -> None:
    base = in_order(nx.DiGraph, NAMES["numbers"], "int", 4)
    graph: Any = {
        "filtered": lambda: nx.subgraph_view(base, filter_node=lambda node: node % 3, filter_edge=lambda u, v: u < v),
        "both directions": lambda: nx.Graph(base).to_undirected(as_view=True),
        "reversed": lambda: base.reverse(copy=False),
    }[view]()
    arcs = NetworkXGraph(graph).arcs("weight")
    assert arcs is not None
    nodes = list(graph)
    found = [(nodes[u], nodes[v], w) for u, v, w in zip(arcs.tails, arcs.heads, arcs.costs.tolist(), strict=True)]
    assert found == [(u, v, data["weight"]) for u in graph for v, data in graph[u].items()]


def test_dicts_of_other_classes_are_asked_by_their_own_methods() -> None:
    class Doubled(dict[str, int]):
        def get(self, name: str, default: Any = None) -> Any:
            return 2 * super().get(name, default)

    class Roads(nx.Graph):
        edge_attr_dict_factory = Doubled

    graph = Roads()
    graph.add_edge(0, 1, weight=21)
    arcs = NetworkXGraph(graph).arcs("weight")
    assert arcs is not None
    assert arcs.costs.tolist() == [42, 42]


def test_consecutive_nodes_are_found_by_whatever_equals_them() -> None:
    index_of = Consecutive(5, 3)
    for name in (6, 6.0, Fraction(6), np.int64(6), complex(6)):
        assert index_of[name] == 1
    for name in (4, 8, 5.5, "6", None):
        with pytest.raises(KeyError):
            index_of[name]
    assert dict(index_of) == {5: 0, 6: 1, 7: 2}
    assert len(index_of) == 3


@pytest.mark.parametrize(
    ("parts", "dtype"),
    [
        ([[1, 2], [True]], np.int64),
        ([[0.5], [2.5]], np.float64),
        ([[1], [2.5], [3]], np.float64),
        ([[2.5], [1]], np.float64),
        ([], np.int64),
        ([[1], [2**63], [1]], None),
        ([[2**62], [1]], None),
        ([[0.5], [2**53]], None),
        ([[0.5], [math.inf]], None),
        ([[0.5], [math.nan]], None),
        ([[1], [Fraction(1)]], None),
        ([[np.int64(1)]], None),
    ],
)
def test_weights_become_numbers_whose_sums_are_exact(parts: list[list[Any]], dtype: Any) -> None:
    weights = Weights()
    for part in parts:
        weights.extend(part)
    costs = weights.costs(3)
    values = [value for part in parts for value in part]
    assert weights.values == values
    if dtype is None:
        assert costs is None
    else:
        assert costs is not None
        assert (costs.dtype, costs.tolist()) == (dtype, values)


def test_numbers_ascend_and_equal_ones_stay_as_they_are() -> None:
    rng = np.random.default_rng(5)
    for largest in (0, 1, 2**16 - 1, 2**16, 2**31, 2**62):
        whole = rng.integers(0, largest, 5000, endpoint=True)
        whole[::7] = whole[0]
        for values in (whole, whole.astype(np.float64), whole / 3, np.minimum(whole, 2**31 - 1).astype(np.int32)):
            assert np.array_equal(_ascending(values), np.argsort(values, kind="stable"))
    assert _ascending(np.array([5e-324, np.inf, 0.0])).tolist() == [2, 0, 1]
    assert not len(_ascending(np.empty(0)))
