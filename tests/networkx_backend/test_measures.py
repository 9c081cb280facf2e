"""networkx' measures of distances, answered here exactly as by networkx: values, types, orders and errors."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import networkx as nx
import pytest

from reedsp.networkx_backend import functions, measures, on_device
from reedsp.networkx_backend.graph import NetworkXGraph
from tests.networkx_backend.test_functions import (
    CLASSES,
    WEIGHTS,
    assert_same,
    ends_in,
    engine,
    outcome,
    some_graph,
    weight_of,
)

__all__ = ["engine"]  # the fixture

Call = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]
WEIGHTED = (
    *(nx.eccentricity, nx.diameter, nx.radius, nx.periphery, nx.center, nx.barycenter, nx.harmonic_diameter),
    *(nx.wiener_index, nx.hyper_wiener_index, nx.schultz_index, nx.gutman_index),
)
EXACT = ("int", "int and 0", "only 0", "bool", "beyond 2**53", "hidden", "missing")  # networkx ends on these
BOUNDED = (nx.diameter, nx.radius, nx.periphery, nx.center)


def connected_graph(seed: int, kind: str, n: int | None = None, m: int | None = None) -> nx.Graph:
    """Return a graph in which every node reaches every other one."""
    graph = some_graph(seed, kind, n, m)
    nodes = list(graph)
    for one, other in zip(nodes, nodes[1:] + nodes[:1], strict=True):
        if not graph.has_edge(one, other):
            weight = random.Random(f"{seed} {one}").choice(WEIGHTS[kind])
            graph.add_edge(one, other, **({"weight": weight} if isinstance(weight, (int, float)) else {}))
    return graph


def calls(s: Any, some: Any, weight: Any) -> Iterator[Call]:
    w = {"weight": weight}
    for function in WEIGHTED:
        yield function, (), w
    yield nx.eccentricity, (s,), w
    yield nx.eccentricity, ([s, some, "missing"],), w
    for improved in (True, False):
        yield nx.closeness_centrality, (), {"distance": weight, "wf_improved": improved}
    for node in (s, some, "missing"):
        yield nx.closeness_centrality, (node,), {"distance": weight}


@pytest.mark.deep
@pytest.mark.parametrize("kind", WEIGHTS)
def test_weighted(engine: str, kind: str) -> None:
    for seed, make in enumerate((connected_graph,) * 4 + (some_graph,)):
        graph = make(seed, kind)
        s, _, some = ends_in(graph, seed)
        for function, args, kwargs in calls(s, some, "weight"):
            assert_same(function, graph, *args, **kwargs)


@pytest.mark.parametrize("weight", [weight_of, None, "no such attribute"])
def test_other_weights(engine: str, weight: Any) -> None:
    for seed, make in enumerate((connected_graph,) * 4 + (some_graph,) * 4):
        graph = make(seed, "int")
        s, t, some = ends_in(graph, seed)
        for function, args, kwargs in calls(s, some, weight):
            assert_same(function, graph, *args, **kwargs)
        for function in (nx.global_efficiency, nx.local_efficiency):
            assert_same(function, graph)
        for target in (s, t, "missing"):
            assert_same(nx.efficiency, graph, s, target)


@pytest.mark.deep
@pytest.mark.parametrize("kind", ["int", "float", "int and 0", "tied float", "beyond 2**53"])
def test_larger_graphs(engine: str, kind: str) -> None:
    for seed in range(4):
        graph = connected_graph(seed, kind, n=40, m=30)
        for function, args, kwargs in calls(*ends_in(graph, 0)[:2], "weight"):
            assert_same(function, graph, *args, **kwargs)
        assert_same(nx.closeness_centrality, graph)
        for function in (nx.global_efficiency, nx.local_efficiency, nx.harmonic_diameter, nx.barycenter):
            assert_same(function, graph)


@pytest.mark.deep
@pytest.mark.parametrize("weight", [None, "weight"])
def test_bounds_of_eccentricity(engine: str, weight: str | None) -> None:
    for seed in range(4):
        graph = connected_graph(2 * seed, "int", n=60, m=40)
        for function in BOUNDED:
            assert_same(function, graph, usebounds=True, weight=weight)
    for seed, kind in enumerate(EXACT):
        for graph in (connected_graph(seed, kind), some_graph(seed, kind), connected_graph(2, "beyond int64")):
            for function in BOUNDED:
                assert_same(function, graph, usebounds=True, weight=weight)
    assert_same(nx.diameter, nx.path_graph(50), usebounds=True)
    for function in (nx.diameter, nx.radius, nx.center, nx.periphery):
        assert_same(function, nx.Graph(), usebounds=True)
    assert_same(nx.center, nx.cycle_graph(21), usebounds=True)


def test_bounds_need_few_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = nx.connected_watts_strogatz_graph(300, 4, 0.1, seed=2)
    searched: list[int] = []
    search = on_device.distances_from_each

    def counted(arcs: Any, numbers: Sequence[int], weighted: bool) -> Any:
        searched.extend(numbers)
        return search(arcs, numbers, weighted)

    monkeypatch.setattr(on_device, "distances_from_each", counted)
    monkeypatch.setattr(on_device, "MIN_NODES", 300)
    assert nx.diameter(graph, usebounds=True, backend="reedsp") == nx.diameter(graph)
    assert 0 < len(searched) < 100


def test_bounds_of_small_graphs_are_left_to_networkx_unread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(on_device.FORCE_DEVICE, raising=False)
    monkeypatch.setattr(NetworkXGraph, "arcs", None)
    graph = nx.connected_watts_strogatz_graph(300, 4, 0.1, seed=2)
    for function in BOUNDED:
        assert_same(function, graph, usebounds=True)


# ---- what is near ------------------------------------------------------------------------------------


def test_measures_of_small_components_ask_no_device(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(on_device.FORCE_DEVICE, raising=False)
    monkeypatch.setattr(NetworkXGraph, "arcs", None)
    triangles = nx.disjoint_union_all([nx.complete_graph(3)] * 200)
    nx.set_edge_attributes(triangles, {edge: 1 + sum(edge) % 5 for edge in triangles.edges}, "weight")
    for graph in (triangles, nx.DiGraph(triangles), nx.reverse_view(nx.DiGraph(triangles))):
        assert_same(nx.eccentricity, graph)
        assert_same(nx.diameter, graph, weight="weight")
        assert_same(nx.barycenter, graph)
        for distance in (None, "weight"):
            assert_same(nx.closeness_centrality, graph, distance=distance)
            assert_same(nx.harmonic_centrality, graph, distance=distance)
            assert_same(nx.harmonic_diameter, graph, weight=distance)
        if not graph.is_directed():
            assert_same(nx.global_efficiency, graph)
    monkeypatch.setattr(on_device, "MIN_NODES", 500)
    for graph in (triangles, nx.DiGraph(triangles)):
        assert_same(nx.harmonic_centrality, graph, [5])
        assert_same(nx.eccentricity, graph, 5)
    assert_same(nx.closeness_centrality, triangles, 5)


@pytest.mark.deep("weight")
@pytest.mark.parametrize("weight", [None, "weight"])
def test_measures_of_a_large_component_among_small_ones(weight: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(on_device.FORCE_DEVICE, raising=False)
    triangle, large = nx.complete_graph(3), nx.gnm_random_graph(300, 900, seed=1)
    graph = nx.disjoint_union_all([triangle, triangle, large, triangle])
    for values in ({edge: 1 + sum(edge) % 5 for edge in graph.edges}, {edge: sum(edge) / 7 for edge in graph.edges}):
        nx.set_edge_attributes(graph, values, "weight")
        graph.__networkx_cache__.clear()
        for each in (graph, nx.DiGraph(graph)):
            assert_same(nx.closeness_centrality, each, distance=weight)
            assert_same(nx.harmonic_centrality, each, distance=weight)
            assert_same(nx.harmonic_diameter, each, weight=weight)
            assert_same(nx.eccentricity, each, weight=weight)


@pytest.mark.parametrize("cls", CLASSES)
def test_graphs_without_edges_or_nodes(engine: str, cls: type[nx.Graph]) -> None:
    loop = cls([(0, 0)])
    nx.set_edge_attributes(loop, 1.5, "weight")
    for graph in (cls(), nx.empty_graph(1, cls), nx.empty_graph(3, cls), loop):
        for weight in (None, "weight"):
            for function, args, kwargs in calls(0, 0, weight):
                assert_same(function, graph, *args, **kwargs)
        for function in (nx.global_efficiency, nx.local_efficiency):
            assert_same(function, graph)


def test_trees(engine: str) -> None:
    for graph in (nx.path_graph(7), nx.path_graph(8), nx.balanced_tree(2, 3), nx.star_graph(4)):
        for function in (nx.center, nx.barycenter, nx.periphery):
            assert_same(function, graph)


def test_distances_and_eccentricities_that_are_given(engine: str) -> None:
    graph = connected_graph(0, "int", n=8, m=10)
    lengths = dict(nx.all_pairs_shortest_path_length(graph))
    for function in (nx.eccentricity, nx.harmonic_diameter, nx.barycenter):
        assert_same(function, graph, sp=lengths)
    for wrong in ([1, 2], dict.fromkeys(graph, 3), {}):
        for function in (nx.eccentricity, nx.harmonic_diameter):
            assert_same(function, graph, sp=wrong)
    assert_same(nx.barycenter, graph, sp=lengths, weight="weight")
    far = nx.eccentricity(graph)
    for function in BOUNDED:
        assert_same(function, graph, e=far)
        assert_same(function, graph, e=far, usebounds=True)


def test_closeness_from_distances_that_are_given(engine: str) -> None:
    """`sp` is an argument since networkx 3.7."""
    for seed in range(4):
        graph = some_graph(seed, "float", n=8)
        lengths = dict(nx.all_pairs_dijkstra_path_length(graph))
        for given in (lengths, {}, [1, 2]):
            for node in (None, *list(graph)[:2], "missing"):  # an argument since networkx 3.7
                assert_same(nx.closeness_centrality, graph, node, distance="weight", sp=given)


@pytest.mark.parametrize("directed", [False, True])
def test_closeness_of_given_distances_is_that_of_the_graph(directed: bool) -> None:
    """Whatever networkx there is."""
    for seed in range(4):
        graph = nx.gnm_random_graph(9, 14, seed=seed, directed=directed)
        lengths = dict(nx.all_pairs_shortest_path_length(graph, backend="networkx"))
        expected = nx.closeness_centrality(graph, backend="networkx")
        given = NetworkXGraph(graph)
        assert measures.closeness_centrality(given, sp=lengths) == expected
        assert measures.closeness_centrality(given, 3, sp=lengths) == expected[3]


def test_a_later_networkx_knows_no_eccentricity_of_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measures, "SINCE_3_7", True)
    with pytest.raises(nx.NetworkXPointlessConcept, match="null graph"):
        measures.eccentricity(NetworkXGraph(nx.Graph()))


def test_single_edges_as_a_later_networkx_reads_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """A function gives weights, None hides an edge, and a loop counts if it is negative."""
    monkeypatch.setattr(on_device, "SINCE_3_7", True)
    graph = nx.DiGraph([(0, 1, {"w": 3}), (1, 2, {"w": None}), (2, 2, {"w": -1}), (0, 0, {"w": 5})])
    inf = float("inf")
    expected = {0: {0: 0, 1: 3, 2: inf}, 1: {0: inf, 1: 0, 2: inf}, 2: {0: inf, 1: inf, 2: -1}}
    for weight in ("w", lambda tail, head, data: data["w"]):
        assert on_device.direct_distances(NetworkXGraph(graph), weight) == expected


def test_sums_that_are_written_to_the_nodes(engine: str) -> None:
    graph = connected_graph(0, "float", n=8, m=10)
    other = copy.deepcopy(graph)
    expected = outcome(nx.barycenter, graph, weight="weight", attr="sum", backend="networkx")
    assert outcome(nx.barycenter, other, weight="weight", attr="sum", backend="reedsp") == expected
    assert list(other.nodes(data=True)) == list(graph.nodes(data=True))


@pytest.mark.parametrize("weight", [None, "weight"])
def test_sums_from_many_nodes(weight: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """From one first, then from some, whose sums may be all that is asked for."""
    monkeypatch.setenv(on_device.FORCE_DEVICE, "1")
    asked: list[int] = []
    original = on_device.statistics_from_each

    def counted(arcs: Any, numbers: Sequence[int], weighted: bool) -> Any:
        asked.append(len(numbers))
        return original(arcs, numbers, weighted)

    monkeypatch.setattr(on_device, "statistics_from_each", counted)
    graph = nx.gnm_random_graph(100, 300, seed=3, directed=True)
    graph.add_edges_from(zip(range(100), [*range(1, 100), 0], strict=True))
    nx.set_edge_attributes(graph, {edge: 1 + sum(edge) % 5 for edge in graph.edges}, "weight")
    assert_same(nx.eccentricity, graph, weight=weight)
    assert_same(nx.closeness_centrality, graph, distance=weight)
    assert_same(nx.average_shortest_path_length, graph, weight=weight)
    assert_same(nx.barycenter, graph.to_undirected(), weight=weight)
    assert asked == [1, 64, 35] * 4
    asked.clear()
    graph.add_node("alone")
    assert_same(nx.eccentricity, graph, weight=weight)
    assert asked == [1]


def test_sums_beyond_int64_are_right(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(on_device.FORCE_DEVICE, "1")
    graph = nx.path_graph(40)
    nx.set_edge_attributes(graph, 2**56, "weight")
    assert 2**56 * 40 < 2**63 < 2**56 * sum(range(40))
    before = on_device.kernels_launched()
    assert_same(nx.closeness_centrality, graph, distance="weight")
    assert_same(nx.wiener_index, graph, weight="weight")
    assert_same(nx.eccentricity, graph, weight="weight")
    assert on_device.kernels_launched() > before


def test_a_node_named_weight(engine: str) -> None:
    graph = nx.Graph([("a", "weight"), ("weight", "b"), ("a", "c")])
    for weight in (None, "weight"):
        for function in (nx.schultz_index, nx.gutman_index):
            assert_same(function, graph, weight=weight)


def test_distances_from_each_node_go_to_the_device_sooner(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(on_device.FORCE_DEVICE, raising=False)
    least = on_device.MIN_NODES_FROM_EACH
    assert least < on_device.MIN_NODES
    before = on_device.kernels_launched()
    with nx.config(backend_priority=["reedsp"]):
        assert nx.diameter(nx.cycle_graph(least - 1)) == (least - 1) // 2
        assert on_device.kernels_launched() == before
        assert nx.diameter(nx.cycle_graph(least)) == least // 2
    assert on_device.kernels_launched() > before
    small = nx.path_graph(least - 1)
    assert f"fewer than {least}" in str(functions.should_run("diameter", (small,), {}))


@pytest.mark.parametrize("distance", [None, "weight"])
def test_errors_say_what_those_of_networkx_say(distance: str | None, engine: str) -> None:
    cycle, apart = nx.cycle_graph(4), nx.disjoint_union(nx.cycle_graph(3), nx.cycle_graph(3))
    for function, args, options in (
        (nx.barycenter, (apart,), {"weight": distance}),
        (nx.average_shortest_path_length, (nx.Graph(),), {"weight": distance}),
        (nx.average_shortest_path_length, (apart,), {"weight": distance}),
        (nx.closeness_centrality, (cycle, 777), {"distance": distance}),
    ):
        with pytest.raises(nx.NetworkXException) as expected:
            function(*args, **options, backend="networkx")
        with pytest.raises(nx.NetworkXException) as found:
            function(*args, **options, backend="reedsp")
        assert (type(found.value), str(found.value)) == (type(expected.value), str(expected.value))


class InOrder(nx.Graph):
    """A class that names its nodes in another order than the one in which it keeps them."""

    def __iter__(self) -> Any:
        return iter(sorted(self._node))


@pytest.mark.parametrize("directed", [False, True])
def test_a_class_that_names_its_nodes_in_another_order(directed: bool, engine: str) -> None:
    cls = type("InOrder", (InOrder, nx.DiGraph), {}) if directed else InOrder
    graph = cls([(4, 1), (1, 3), (3, 0), (0, 4), (2, 4), (1, 2), (2, 3)])
    nx.set_edge_attributes(graph, {edge: 1 + index for index, edge in enumerate(graph.edges)}, "capacity")
    for distance in (None, "weight"):
        assert_same(nx.closeness_centrality, graph, distance=distance)
    for measure in (nx.betweenness_centrality, nx.edge_betweenness_centrality, nx.harmonic_centrality):
        assert_same(measure, graph)
    for question in (nx.maximum_flow, nx.minimum_cut):
        assert_same(question, graph, 4, 0)
    if not directed:
        assert_same(nx.eccentricity, graph)
        assert_same(nx.center, graph)
