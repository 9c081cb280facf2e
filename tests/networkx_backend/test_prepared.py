"""Measures of networkx that a prepared graph answers are those of networkx."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import networkx as nx
import numpy as np
import pytest

import reedsp
from reedsp.algorithms.routes import statistics
from reedsp.networkx_backend import on_device

MEASURES: dict[str, Callable[..., Any]] = {
    "closeness": lambda graph, **options: nx.closeness_centrality(graph, distance="weight", **options),
    "eccentricity": lambda graph, **options: nx.eccentricity(graph, weight="weight", **options),
    "harmonic": lambda graph, **options: nx.harmonic_centrality(graph, distance="weight", **options),
    "to some": lambda graph, **options: nx.harmonic_centrality(graph, list(graph)[:9], distance="weight", **options),
    "mean": lambda graph, **options: nx.average_shortest_path_length(graph, weight="weight", **options),
    "wiener": lambda graph, **options: nx.wiener_index(graph, weight="weight", **options),
    "bounded": lambda graph, **options: nx.radius(graph, weight="weight", **options),
}


def weighted(kind: Callable[[], Any], unit: float = 1) -> Any:
    graph = kind()
    grid = nx.grid_2d_graph(7, 6)
    rng = np.random.default_rng(2)
    graph.add_edges_from([*grid.edges, *([(v, u) for u, v in grid.edges] if graph.is_directed() else [])])
    for *_, data in graph.edges(data=True):
        data["weight"] = int(rng.integers(1, 20)) * unit
    return graph


@pytest.fixture
def no_search(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(on_device.FORCE_DEVICE, "1")
    monkeypatch.setattr(on_device, "sssp", None)
    monkeypatch.setattr(statistics, "distances_from", None)


@pytest.mark.deep
@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph, nx.MultiDiGraph])
@pytest.mark.parametrize("unit", [1, 0.5])
@pytest.mark.parametrize("name", MEASURES)
def test_measures(name: str, unit: float, kind: Callable[[], Any], device: reedsp.Device, no_search: None) -> None:
    graph = weighted(kind, unit)
    prepared = reedsp.prepare(graph, device=device)
    before = on_device.kernels_launched()
    with prepared.answers_networkx():
        found = MEASURES[name](graph, backend="reedsp")
    expected = MEASURES[name](graph, backend="networkx")
    assert found == expected
    assert list(map(type, found.values())) == list(map(type, expected.values())) if isinstance(found, dict) else True
    assert on_device.kernels_launched() > before


def test_usebounds(device: reedsp.Device, no_search: None) -> None:
    graph = weighted(nx.Graph)
    with reedsp.prepare(graph, device=device).answers_networkx():
        found = nx.diameter(graph, usebounds=True, weight="weight", backend="reedsp")
    assert found == nx.diameter(graph, weight="weight")


def test_other_edges_and_weights_are_searched(device: reedsp.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(on_device.FORCE_DEVICE, "1")
    monkeypatch.setenv("REEDSP_DEVICE", device.name)
    graph = weighted(nx.DiGraph)
    prepared = reedsp.prepare(graph, device=device)
    (tail, head, data), *_ = graph.edges(data=True)
    for change in (lambda: data.update(weight=100), lambda: graph.remove_edge(tail, head)):
        change()
        with prepared.answers_networkx():
            found = nx.closeness_centrality(graph, distance="weight", backend="reedsp")
            unweighted = nx.closeness_centrality(graph, backend="reedsp")
        assert found == nx.closeness_centrality(graph, distance="weight")
        assert unweighted == nx.closeness_centrality(graph)
    assert on_device.of_networkx() is None
