"""networkx' maximum flows and minimum cuts: values, cuts, types and errors as networkx has them."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
import pytest

from reedsp.networkx_backend import on_device

VALUES = (nx.maximum_flow_value, nx.minimum_cut_value)


@pytest.fixture(params=["1", ""], ids=["device", "host"])
def forced(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """On the device however small the graph is, or where networkx is."""
    monkeypatch.setenv(on_device.FORCE_DEVICE, request.param)
    return request.param  # type: ignore[no-any-return]


def some_graph(seed: int, kind: Any = nx.DiGraph) -> Any:
    rng = np.random.default_rng(seed)
    graph = kind()
    graph.add_nodes_from("abcdefghij")
    names = list(graph)
    for tail, head in rng.integers(0, 10, (25, 2)).tolist():
        graph.add_edge(names[tail], names[head], capacity=int(rng.integers(0, 12)))
    return graph


def outcome(call: Any) -> Any:
    try:
        return call()
    except Exception as error:
        return type(error), str(error)


@pytest.mark.parametrize("kind", [nx.DiGraph, nx.Graph])
def test_values_and_cuts(kind: Any, forced: str) -> None:
    for seed in range(12):
        graph = some_graph(seed, kind)
        before = on_device.kernels_launched()
        for function in (*VALUES, nx.minimum_cut):
            found, expected = (function(graph, "a", "j", backend=each) for each in ("reedsp", "networkx"))
            assert found == expected
            assert type(found) is type(expected)
        value, flow = nx.maximum_flow(graph, "a", "j", backend="reedsp")
        assert value == nx.maximum_flow_value(graph, "a", "j", backend="networkx")
        assert list(flow) == list(graph)
        assert (on_device.kernels_launched() > before) == bool(forced)
        for node in graph:
            assert list(flow[node]) == list(graph[node])
            out, into = sum(flow[node].values()), sum(flow[each].get(node, 0) for each in graph)
            assert out - into == {"a": value, "j": -value}.get(node, 0)
            for head, amount in flow[node].items():
                assert type(amount) is int
                assert 0 <= amount <= graph[node][head]["capacity"]
                assert node == head or not (amount and flow[head].get(node, 0))


def test_what_networkx_answers(forced: str) -> None:
    """Infinite, fractional, mixed and wrong capacities, and errors."""
    cases: list[tuple[Any, tuple[Any, ...], dict[str, Any]]] = []
    for change in ({}, {"capacity": 2.5}, {"capacity": float("inf")}, {"capacity": True}, {"capacity": 2**70}):
        graph = some_graph(3)
        for _, _, attributes in graph.edges(data=True):
            attributes.clear() if not change else attributes.update(change)
        cases.append((graph, ("a", "j"), {}))
    graph = some_graph(4)
    wide = nx.DiGraph([("a", "b", {"capacity": 2**63 - 1}), ("a", "c", {"capacity": 2**63 - 1})])
    wide.add_edges_from([("b", "d", {"capacity": 2**63 - 1}), ("c", "d", {"capacity": 2**63 - 1})])
    cases += [
        (graph, ("a", "a"), {}),
        (graph, ("a", "z"), {}),
        (graph, ("z", "a"), {}),
        (graph, ("a", "j"), {"capacity": "other"}),
        (nx.MultiDiGraph(graph), ("a", "j"), {}),
        (nx.DiGraph(), ("a", "j"), {}),
        (nx.empty_graph("aj", nx.DiGraph), ("a", "j"), {}),
        (wide, ("a", "d"), {}),
        (graph, ("a", "j"), {"flow_func": nx.algorithms.flow.dinitz}),
        (graph, ("a", "j"), {"flow_func": nx.algorithms.flow.edmonds_karp, "cutoff": 3}),
        (graph, ("a", "j"), {"flow_func": "none"}),
        (graph, ("a", "j"), {"cutoff": 3}),
    ]
    for graph, ends, options in cases:
        for function in (*VALUES, nx.minimum_cut):
            answers = [
                outcome(lambda f=function, g=graph, e=ends, o=options, b=each: f(g, *e, **o, backend=b))
                for each in ("reedsp", "networkx")
            ]
            assert answers[0] == answers[1]


def test_functions_are_dispatched(forced: str, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = some_graph(5)
    monkeypatch.setattr(on_device, "MIN_NODES", 5)
    with nx.config.backend_priority(algos=["reedsp"]):
        before = on_device.kernels_launched()
        assert nx.minimum_cut(graph, "a", "j") == nx.minimum_cut(graph, "a", "j", backend="networkx")
        assert on_device.kernels_launched() > before
        flow_func = nx.algorithms.flow.edmonds_karp
        assert nx.maximum_flow_value(graph, "a", "j", flow_func=flow_func) == nx.maximum_flow_value(graph, "a", "j")
