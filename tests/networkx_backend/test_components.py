"""networkx' functions of components, answered here exactly as by networkx: sets, their order, and errors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import networkx as nx
import numpy as np
import pytest

from reedsp.algorithms.structure.components.on_host import strong_labels
from reedsp.networkx_backend import components, on_device
from tests.networkx_backend.test_functions import CLASSES, engine, some_graph

__all__ = ["engine"]  # the fixture

OF_GRAPHS = (nx.connected_components, nx.number_connected_components, nx.is_connected)
OF_DIGRAPHS = (
    *(nx.weakly_connected_components, nx.number_weakly_connected_components, nx.is_weakly_connected),
    *(nx.strongly_connected_components, nx.number_strongly_connected_components, nx.is_strongly_connected),
    *(nx.attracting_components, nx.number_attracting_components, nx.is_attracting_component),
)


def listed(answer: Any) -> Any:
    return list(answer) if isinstance(answer, Iterator) else answer


def compare(function: Callable[..., Any], graph: nx.Graph, *args: Any) -> None:
    answers: list[Any] = []
    for backend in ("networkx", "reedsp"):
        try:
            answers.append(listed(function(graph, *args, backend=backend)))
        except Exception as error:
            answers.append((type(error), str(error)))
    assert answers[0] == answers[1], (function.__name__, list(graph.edges), args)
    assert type(answers[0]) is type(answers[1])


@pytest.mark.parametrize("kind", CLASSES)
def test_the_same_in_the_same_order(engine: str, kind: Any) -> None:
    for seed in range(12):
        graph = kind(some_graph(seed, "int", 20, 5 + 3 * seed))
        for function in (*OF_GRAPHS, *OF_DIGRAPHS):
            compare(function, graph)
        for node in (*list(graph)[:3], "missing", []):
            compare(nx.node_connected_component, graph, node)


@pytest.mark.parametrize("kind", CLASSES)
def test_null_graphs(engine: str, kind: Any) -> None:
    for function in (*OF_GRAPHS, *OF_DIGRAPHS):
        compare(function, kind())


def test_condensation(engine: str) -> None:
    for seed in range(8):
        graph = nx.DiGraph(some_graph(seed, "int", 20, 5 + 3 * seed))
        for scc in (None, list(nx.strongly_connected_components(graph))[::-1]):
            own, ours = (nx.condensation(graph, scc, backend=backend) for backend in ("networkx", "reedsp"))
            assert type(ours) is nx.DiGraph
            assert dict(own.nodes.data()) == dict(ours.nodes.data())
            assert (list(own), list(own.edges), own.graph) == (list(ours), list(ours.edges), ours.graph)


def no_parts(*_: Any) -> None:
    raise AssertionError


@pytest.mark.parametrize("kind", CLASSES)
def test_a_small_first_component_is_found_without_the_others(kind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(on_device.FORCE_DEVICE, raising=False)
    monkeypatch.setattr(on_device, "MIN_NODES", 100)
    monkeypatch.setattr(components, "_parts", no_parts)
    graph = kind([(0, 1), (1, 2), (2, 0)])
    nx.add_cycle(graph, range(3, 3000))
    connected = (nx.is_weakly_connected, nx.is_strongly_connected) if graph.is_directed() else (nx.is_connected,)
    for function in connected:
        assert not function(graph, backend="reedsp")
    sets = nx.weakly_connected_components if graph.is_directed() else nx.connected_components
    assert next(sets(graph, backend="reedsp")) == {0, 1, 2}
    with pytest.raises(nx.NetworkXError):
        nx.average_shortest_path_length(graph, backend="reedsp")
    assert nx.wiener_index(graph, backend="reedsp") == np.inf
    if graph.is_directed():
        graph.add_edge(2, 3)  # now the first node reaches all, but few reach it
        assert not nx.is_strongly_connected(graph, backend="reedsp")


@pytest.mark.parametrize("near", [0, 20, 10**9])
def test_components_after_the_first(near: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """However soon the host leaves the search to the device, also where the first set or the graph was changed."""
    monkeypatch.delenv(on_device.FORCE_DEVICE, raising=False)
    monkeypatch.setattr(on_device, "MIN_NODES", 0)
    monkeypatch.setattr(on_device, "NEAR_EDGES", near)
    monkeypatch.setattr(on_device, "NEAR_PART", 10**9)
    for kind in CLASSES:
        for seed in range(6):
            graph = kind(some_graph(seed, "int", 20, 3 * seed))
            for function in (*OF_GRAPHS, *OF_DIGRAPHS):
                compare(function, graph)
            compare(function, graph.subgraph([]))
    graph = nx.empty_graph(6)
    sets = nx.connected_components(graph, backend="reedsp")
    next(sets).clear()
    if near:
        graph.add_edge(2, 4)
        assert list(sets) == [{1}, {2, 4}, {3}, {5}]


def test_sets_are_the_callers(engine: str) -> None:
    graph = nx.path_graph(4)
    [first] = nx.connected_components(graph, backend="reedsp")
    first.clear()
    assert list(nx.connected_components(graph, backend="reedsp")) == [{0, 1, 2, 3}]


def test_a_gpu_leaves_the_order_to_the_host(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where SciPy finds the components, which looks at edges from the last one to the first before 1.18."""
    from reedsp.device.discovery import get_device

    monkeypatch.setenv(on_device.FORCE_DEVICE, "1")
    monkeypatch.setattr(get_device(), "kind", "gpu")
    for seed in range(8):
        graph = nx.DiGraph(some_graph(seed, "int", 20, 5 + 3 * seed))
        for function in OF_DIGRAPHS:
            compare(function, graph)
    rows = np.array([0, 2, 3, 4, 4]), np.array([2, 1, 3, 3], np.int32)
    assert strong_labels(*rows)[1].tolist() == [3, 2, 1, 0]
