"""Maximum matchings of networkx graphs: networkx' number of pairs, its cover, its errors and its types."""

from __future__ import annotations

import random
from typing import Any

import networkx as nx
import pytest

from reedsp.networkx_backend import on_device
from reedsp.networkx_backend.on_device import kernels_launched
from tests.networkx_backend.test_functions import engine

__all__ = ["engine"]  # the fixture

matching, cover = nx.bipartite.hopcroft_karp_matching, nx.bipartite.to_vertex_cover


def graph_of(seed: int, kind: type[nx.Graph] = nx.Graph) -> tuple[nx.Graph, set[Any]]:
    """Return a graph with names of several types, in no order, and one side of it."""
    rng = random.Random(seed)
    n, columns = rng.randint(1, 12), rng.randint(1, 12)
    names = [*((i, "top") for i in range(n)), *(f"bottom {j}" for j in range(columns))]
    graph = kind()
    graph.add_nodes_from(rng.sample(names, len(names)))
    for _ in range(rng.randint(0, 2 * (n + columns))):
        graph.add_edge(names[rng.randrange(n)], names[n + rng.randrange(columns)], weight=rng.choice([1, "a", None]))
    return graph, set(names[:n])


@pytest.mark.parametrize("kind", [nx.Graph, nx.MultiGraph])
@pytest.mark.parametrize("seed", range(20))
def test_pairs_and_cover(seed: int, kind: type[nx.Graph], engine: str) -> None:
    graph, top = graph_of(seed, kind)
    for side in (top, set(graph) - top):
        before = kernels_launched()
        found = matching(graph, side, backend="reedsp")
        expected = matching(graph, side, backend="networkx")
        assert type(found) is dict
        assert len(found) == len(expected)
        assert all(found[found[node]] == node and graph.has_edge(node, found[node]) for node in found)
        covering = cover(graph, found, side, backend="reedsp")
        assert type(covering) is set
        assert covering == cover(graph, expected, side, backend="networkx")
        launched = kernels_launched() - before
        assert (launched > 0) == (engine == "device" and graph.number_of_edges() > 0)


def test_sides_are_found(engine: str) -> None:
    graph = nx.path_graph(6)
    assert matching(graph, backend="reedsp") == {0: 1, 2: 3, 4: 5, 1: 0, 3: 2, 5: 4}
    assert nx.bipartite.maximum_matching is matching
    assert cover(graph, matching(graph), backend="reedsp") == cover(graph, matching(graph), backend="networkx")


@pytest.mark.parametrize("backend", ["reedsp", "networkx"])
def test_errors_are_those_of_networkx(backend: str, engine: str) -> None:
    two = nx.Graph([(0, 1), (2, 3)])
    for call in (lambda: matching(two, backend=backend), lambda: cover(two, {0: 1, 1: 0}, backend=backend)):
        with pytest.raises(nx.AmbiguousSolution, match="Disconnected graph"):
            call()
    with pytest.raises(nx.NetworkXError, match="not bipartite"):
        matching(nx.cycle_graph(3), backend=backend)
    with pytest.raises(KeyError):
        matching(two, [0, 2, 9], backend=backend)


def test_what_networkx_answers_alone(engine: str) -> None:
    """Directed graphs, edges within a side, and covers from what is no maximum matching."""
    directed = nx.DiGraph([(0, 2), (1, 2), (1, 3)])
    assert matching(directed, [0, 1], backend="reedsp") == matching(directed, [0, 1], backend="networkx")
    for backend in ("reedsp", "networkx"):
        with pytest.raises(KeyError):
            matching(nx.Graph([(0, 1), (1, 2), (0, 3)]), [0, 1], backend=backend)
    graph = nx.path_graph(4)
    for wrong in ({}, {1: 2, 2: 1}, {0: 1, 1: 0}, {9: 8, 8: 9}):
        assert cover(graph, wrong, [0, 2], backend="reedsp") == cover(graph, wrong, [0, 2], backend="networkx")


def test_an_iterator_of_top_nodes(engine: str) -> None:
    assert matching(nx.Graph([(0, 1), (2, 3)]), iter([0, 2]), backend="reedsp") == {0: 1, 2: 3, 1: 0, 3: 2}


def test_large_graphs_are_matched_on_the_device_unasked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(on_device, "MIN_NODES", 5)
    if not on_device.has_device():
        pytest.skip("there is no OpenCL device on this machine")
    with nx.config(backend_priority=["reedsp"]):
        for graph, launches in ((nx.path_graph(8), True), (nx.path_graph(4), False)):
            before = kernels_launched()
            assert len(matching(graph)) == len(graph)
            assert (kernels_launched() > before) == launches
