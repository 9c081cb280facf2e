"""networkx' centralities, answered here: keys, types and errors as by networkx, values to the last but one digit."""

from __future__ import annotations

import itertools
import math
import random
from typing import Any

import networkx as nx
import pytest

from reedsp.networkx_backend import functions, on_device
from tests.networkx_backend.test_functions import CLASSES, engine

__all__ = ["engine"]  # the fixture

SIZES = ((0, 0), (1, 0), (1, 2), (2, 1), (3, 3), (20, 25), (20, 70))


def made(cls: type[nx.Graph], n: int, m: int) -> nx.Graph:
    """Return a graph with loops, parallel edges and weights; its nodes are in no order."""
    rnd = random.Random(f"{cls.__name__} {n} {m}")
    nodes = [f"node {i}" for i in range(n)]
    rnd.shuffle(nodes)
    graph = cls()
    graph.add_nodes_from(nodes)
    for _ in range(m):
        graph.add_edge(rnd.choice(nodes), rnd.choice(nodes), weight=rnd.randint(1, 3), real=rnd.random())
    return graph


def outcome(function: Any, *args: Any, **kwargs: Any) -> Any:
    try:
        return function(*args, **kwargs)
    except Exception as error:  # of networkx, whatever it is
        return type(error)


def assert_alike(function: Any, *args: Any, close: float = 1e-12, **kwargs: Any) -> None:
    expected = outcome(function, *args, **kwargs)
    found = outcome(function, *args, **kwargs, backend="reedsp")
    assert type(found) is type(expected)
    if not isinstance(expected, dict):
        assert found == expected
        return
    assert list(found) == list(expected)
    for key, value in expected.items():
        assert type(found[key]) is type(value)
        assert found[key] == value or math.isclose(found[key], value, rel_tol=close) or value != value


@pytest.mark.parametrize("cls", CLASSES)
@pytest.mark.parametrize("size", SIZES)
def test_betweenness(engine: str, size: tuple[int, int], cls: type[nx.Graph]) -> None:
    graph = made(cls, *size)
    for normalized, k in itertools.product((True, False), (None, 0, 1, 2, size[0], size[0] + 1)):
        for endpoints in (True, False):
            arguments: dict[str, Any] = {"k": k, "normalized": normalized, "endpoints": endpoints, "seed": 7}
            assert_alike(nx.betweenness_centrality, graph, **arguments)
        assert_alike(nx.edge_betweenness_centrality, graph, k=k, normalized=normalized, seed=7)


@pytest.mark.parametrize("cls", CLASSES)
def test_subsets(engine: str, cls: type[nx.Graph]) -> None:
    """Some sources are there twice, and some targets are not in the graph."""
    for size in SIZES:
        graph = made(cls, *size)
        nodes = list(graph)
        some = (nodes[: len(nodes) // 2 + 1] + nodes[:1], [*nodes[len(nodes) // 3 :], "missing"])
        for normalized, (sources, targets) in itertools.product((True, False), (some, some[::-1], ([], nodes))):
            assert_alike(nx.betweenness_centrality_subset, graph, sources, targets, normalized=normalized)


@pytest.mark.parametrize("cls", CLASSES)
def test_weights_are_left_to_networkx(engine: str, cls: type[nx.Graph]) -> None:
    graph = made(cls, 20, 70)
    nodes = list(graph)
    for weight in ("weight", "real"):
        assert_alike(nx.betweenness_centrality, graph, weight=weight)
        assert_alike(nx.edge_betweenness_centrality, graph, weight=weight)
        assert_alike(nx.betweenness_centrality_subset, graph, nodes[:5], nodes[3:], weight=weight)


@pytest.mark.deep("device")
@pytest.mark.parametrize("cls", CLASSES)
@pytest.mark.parametrize("distance", [None, "weight", "real", "no such attribute"])
def test_harmonic_centrality(engine: str, distance: str | None, cls: type[nx.Graph]) -> None:
    """To the last digit."""
    for size in SIZES:
        graph = made(cls, *size)
        nodes = list(graph)
        for nbunch, sources in itertools.product((None, nodes[:3], nodes[:1], [*nodes, "missing"]), (None, nodes[2:5])):
            assert_alike(nx.harmonic_centrality, graph, nbunch, distance, sources, close=0)
        if nodes:
            assert_alike(nx.harmonic_centrality, graph, nodes[0], distance, close=0)


def test_reciprocals_of_distances_beyond_float64(engine: str) -> None:
    graph = nx.path_graph(40)
    nx.set_edge_attributes(graph, 2**53 + 1, "weight")
    for nbunch in (None, [0, 39]):
        assert_alike(nx.harmonic_centrality, graph, nbunch, distance="weight", close=0)


def test_mixed_weights_are_left_to_networkx(engine: str) -> None:
    graph = nx.path_graph(4)
    nx.set_edge_attributes(graph, {(0, 1): 1, (1, 2): 2.5, (2, 3): 2}, "weight")
    assert_alike(nx.harmonic_centrality, graph, distance="weight", close=0)


def test_a_view_whose_neighbours_are_in_no_dict(engine: str) -> None:
    graph = made(nx.Graph, 30, 70)
    view = nx.subgraph_view(graph, filter_node=lambda node: node != "node 3")
    assert_alike(nx.betweenness_centrality, view)
    assert_alike(nx.edge_betweenness_centrality, view)


def test_paths_of_small_graphs_are_counted_by_networkx(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(on_device.FORCE_DEVICE, raising=False)
    least = on_device.MIN_NODES_OF_PATHS
    with nx.config(backend_priority=["reedsp"]):
        before = on_device.kernels_launched()
        nx.betweenness_centrality(nx.cycle_graph(least - 1))
        assert on_device.kernels_launched() == before
        nx.betweenness_centrality(nx.cycle_graph(least))
        assert on_device.kernels_launched() > before
        before = on_device.kernels_launched()
        nx.betweenness_centrality(nx.cycle_graph(2 * least), k=least // 3, seed=1)
        assert on_device.kernels_launched() == before
    small = nx.path_graph(least - 1)
    assert f"fewer than {least}" in str(functions.should_run("betweenness_centrality", (small,), {}))


@pytest.mark.parametrize("near", [3, 2000])
@pytest.mark.parametrize("name", ["nbunch", "sources"])
def test_iterators_are_read_once(name: str, near: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the first search is given up, too."""
    monkeypatch.delenv(on_device.FORCE_DEVICE, raising=False)
    monkeypatch.setattr(on_device, "NEAR_EDGES", near)
    graph = nx.path_graph(12_000)
    found, expected = (
        nx.harmonic_centrality(graph, **{name: iter([2, 1, 12_001])}, backend=backend)
        for backend in ("reedsp", "networkx")
    )
    assert found == pytest.approx(expected)
    assert len(found) == (2 if name == "nbunch" else len(graph))
