"""networkx' shortest-path functions, answered here exactly as by networkx: values, types, orders, ties and errors."""

from __future__ import annotations

import math
import pickle
import random
import subprocess
import sys
import threading
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import Any
from unittest import mock

import networkx as nx
import numpy as np
import pytest
from networkx.algorithms import distance_measures, efficiency_measures, wiener

import reedsp
from reedsp import _nx_info
from reedsp.networkx_backend import (
    centrality,
    components,
    flow,
    forests,
    functions,
    matching,
    nearby,
    on_device,
    order,
)
from reedsp.networkx_backend.paths import LazyPaths
from reedsp.networkx_backend.release import networkx_function
from reedsp.system import switches

FUNCTIONS = [name for name in functions.FUNCTIONS if getattr(getattr(nx, name, None), "name", None) == name]
"""The functions that the installed networkx dispatches."""
CLASSES = (nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph)
NODES: dict[str, Callable[[int], Any]] = {
    "int": lambda i: i,
    "str": lambda i: f"n{i * 7919 % 101}",
    "mixed": lambda i: (i, str(i), (i,), i + 0.5)[i % 4],
}
NO_WEIGHT = object()
WEIGHTS: dict[str, tuple[Any, ...]] = {
    "int": (1, 2, 3, 4),
    "int and 0": (0, 0, 1, 2),
    "only 0": (0,),
    "float": tuple(random.Random(1).random() for _ in range(50)),
    "tied float": (0.1, 0.2, 0.3, 0.0),
    "signed 0": (0.0, -0.0, 1.0),
    "denormal": (5e-324, 1e-310, 0.0, 1.0),
    "beyond 2**53": (2**53, 2**53 + 1, 2**53 + 2),
    "near 2**63": (2**62, 2**62 + 1, 2**63 - 1),
    "beyond int64": (10**20, 10**20 + 1),
    "Fraction": (Fraction(0), Fraction(1, 3), Fraction(2, 3)),
    "Decimal": (Decimal(1), Decimal("0.5")),
    "int and float": (1, 2, 0.5, 1.5, 1.0),
    "large int and float": (2**53 + 1, 2**53, 2.0**53, 1, 0.5),
    "hidden": (1, 2, None),
    "hidden float": (1.5, 2.0, None),
    "bool": (True, False, 2),
    "missing": (NO_WEIGHT, 1, 2),
    "missing float": (NO_WEIGHT, 0.5, 1.5),
    "negative": (-1, 2, 3, 4, 5),
    "negative float": (-0.1, 0.7, 1.9),
    "inf": (1.0, math.inf, 2.0),
    "NaN": (1.0, math.nan, 2.0),
    "str": (1, "x"),
}


@pytest.fixture(params=["host", "device"])
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Where searches run that can run on a device."""
    monkeypatch.setenv(on_device.FORCE_DEVICE, "1" if request.param == "device" else "0")
    return request.param


@pytest.fixture
def forced(monkeypatch: pytest.MonkeyPatch) -> None:
    """Search on the device, however small the graph is."""
    monkeypatch.setenv(on_device.FORCE_DEVICE, "1")


@pytest.mark.parametrize("value", ["true", "yes", "01", "never", " 1"])
def test_a_switch_without_a_meaning_is_named(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(on_device.FORCE_DEVICE, value)
    monkeypatch.setattr(switches, "_named", set())
    with pytest.warns(RuntimeWarning, match=f"^REEDSP_FORCE_DEVICE = '{value}' is ignored, expected '1' or '0'$"):
        assert not on_device.is_forced()
    assert not on_device.is_forced()  # without a second warning, which would be an error


@pytest.mark.parametrize(("value", "forces"), [("1", True), ("0", False), ("", False)])
def test_what_the_switch_means(value: str, forces: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(on_device.FORCE_DEVICE, value)
    assert on_device.is_forced() == forces


def some_graph(seed: int, kind: str, n: int | None = None, m: int | None = None) -> nx.Graph:
    rnd = random.Random(f"{seed} {kind}")
    graph = CLASSES[seed % len(CLASSES)]()
    name = NODES[rnd.choice(list(NODES))]
    n = rnd.randint(1, 9) if n is None else n
    numbers = list(range(n))
    rnd.shuffle(numbers)
    graph.add_nodes_from(map(name, numbers))
    for _ in range(rnd.randint(0, 3 * n) if m is None else m):
        weight = rnd.choice(WEIGHTS[kind])
        ends = name(rnd.randrange(n)), name(rnd.randrange(n))
        graph.add_edge(*ends, **({} if weight is NO_WEIGHT else {"weight": weight}))
    return graph


def spelled(answer: Any) -> Any:
    """Return what makes two answers the same: types, values and orders."""
    if isinstance(answer, dict):
        return dict if type(answer) is LazyPaths else type(answer), [
            (spelled(key), spelled(value)) for key, value in answer.items()
        ]
    if isinstance(answer, (list, tuple)):
        return type(answer), [spelled(each) for each in answer]
    if isinstance(answer, nx.Graph):
        return type(answer), spelled([list(answer.nodes(data=True)), list(answer.edges(data=True)), answer.graph])
    if isinstance(answer, np.ndarray):
        return answer.dtype, answer.shape, str(answer.tolist())
    return type(answer), repr(answer)


def outcome(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Return an answer, or the class of an error."""
    try:
        answer = function(*args, **kwargs)
        return spelled(list(answer) if isinstance(answer, Iterator) else answer)
    except Exception as error:
        return type(error)


def assert_same(function: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
    expected = outcome(function, *args, backend="networkx", **kwargs)
    found = outcome(function, *args, backend="reedsp", **kwargs)
    assert found == expected, (function.__name__, list(args[0].edges(data=True)), args[1:], kwargs)


# ---- the same answers -------------------------------------------------------------------------------


def unweighted_calls(s: Any, t: Any) -> Iterator[tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]]:
    for cutoff in (None, 0, 1.5, -1, 2, math.inf, math.nan, "2", [1], 2 + 0j):
        for function in (
            nx.single_source_shortest_path,
            nx.single_source_shortest_path_length,
            nx.single_target_shortest_path,
            nx.single_target_shortest_path_length,
            nx.predecessor,
        ):
            yield function, (s,), {"cutoff": cutoff}
        yield nx.predecessor, (s,), {"cutoff": cutoff, "return_seen": True}
        yield nx.predecessor, (s, t), {"cutoff": cutoff, "return_seen": True}
    for function in (nx.all_pairs_shortest_path, nx.all_pairs_shortest_path_length):
        yield function, (), {}
        yield function, (), {"cutoff": 1}
    for function in (nx.bidirectional_shortest_path, nx.has_path, nx.predecessor, nx.all_shortest_paths):
        yield function, (s, t), {}
    yield nx.all_shortest_paths, ([s], t), {}


def weighted_calls(
    s: Any, t: Any, some: Any, weight: Any, a_star: bool
) -> Iterator[tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]]:
    w = {"weight": weight}
    to_target = (
        *(nx.dijkstra_path, nx.dijkstra_path_length, nx.single_source_dijkstra, nx.bidirectional_dijkstra),
        *(nx.bellman_ford_path, nx.bellman_ford_path_length, nx.single_source_bellman_ford),
        *((nx.astar_path, nx.astar_path_length) if a_star else ()),
    )
    for function in to_target:
        yield function, (s, t), w
    for function in (
        nx.single_source_dijkstra,
        nx.single_source_dijkstra_path,
        nx.single_source_dijkstra_path_length,
        nx.dijkstra_predecessor_and_distance,
    ):
        for cutoff in (None, 0, 2, 2.5, -1, math.inf, Fraction(3, 2)):
            yield function, (s,), {**w, "cutoff": cutoff}
    for function in (
        *(nx.single_source_bellman_ford, nx.single_source_bellman_ford_path, nx.goldberg_radzik),
        *(nx.single_source_bellman_ford_path_length, nx.bellman_ford_predecessor_and_distance),
    ):
        yield function, (s,), w
    for heuristic in (True, False):
        yield nx.bellman_ford_predecessor_and_distance, (s,), {**w, "heuristic": heuristic}
        yield nx.negative_edge_cycle, (), {**w, "heuristic": heuristic}
    for function in (
        *(nx.all_pairs_dijkstra, nx.all_pairs_dijkstra_path, nx.all_pairs_dijkstra_path_length),
        *(nx.all_pairs_bellman_ford_path, nx.all_pairs_bellman_ford_path_length, nx.johnson),
        *(nx.floyd_warshall, nx.floyd_warshall_predecessor_and_distance, nx.floyd_warshall_numpy),
        nx.all_pairs_all_shortest_paths,
    ):
        yield function, (), w
    for function in (
        nx.multi_source_dijkstra,
        nx.multi_source_dijkstra_path,
        nx.multi_source_dijkstra_path_length,
    ):
        for sources in ([s, some], [some, s, some], {s, some}, [], ["missing"]):
            yield function, (sources,), w
    yield nx.multi_source_dijkstra, ([s, some], t), w
    for method in ("dijkstra", "bellman-ford", "unweighted", "no such method"):
        for function in (nx.shortest_path, nx.shortest_path_length):
            for ends in ((s, t), (s,), (None, t), ()):
                yield function, ends, {**w, "method": method}
        yield nx.all_shortest_paths, (s, t), {**w, "method": method}
        yield nx.single_source_all_shortest_paths, (s,), {**w, "method": method}
    for method in (None, "unweighted", "dijkstra", "bellman-ford", "floyd-warshall", "floyd-warshall-numpy", "x"):
        yield nx.average_shortest_path_length, (), {**w, "method": method}


def ends_in(graph: nx.Graph, seed: int) -> tuple[Any, Any, Any]:
    rnd = random.Random(seed)
    nodes = list(graph)
    return rnd.choice([*nodes, "missing"]) if seed % 7 == 6 else rnd.choice(nodes), rnd.choice(nodes), rnd.choice(nodes)


@pytest.mark.deep("device")
@pytest.mark.parametrize("seed", range(8))
def test_unweighted_functions(engine: str, seed: int) -> None:
    graph = some_graph(seed, "float")
    s, t, _ = ends_in(graph, seed)
    for function, args, kwargs in unweighted_calls(s, t if seed % 3 else "missing"):
        assert_same(function, graph, *args, **kwargs)


@pytest.mark.deep
@pytest.mark.parametrize("kind", WEIGHTS)
def test_weighted_functions(engine: str, kind: str) -> None:
    for seed in range(5):
        graph = some_graph(seed, kind)
        s, t, some = ends_in(graph, seed)
        a_star = kind not in ("negative", "negative float", "NaN")  # on which networkx does not end
        for function, args, kwargs in weighted_calls(s, t if seed % 4 else "missing", some, "weight", a_star):
            assert_same(function, graph, *args, **kwargs)


def weight_of(tail: Any, head: Any, data: dict[Any, Any]) -> Any:
    """Return a weight that depends on the direction, hidden where it would be 2."""
    if "weight" not in data:
        data = next(iter(data.values()), {})
    weight = data.get("weight", 1) + (str(tail) < str(head))
    return None if weight == 2 else weight


@pytest.mark.deep
@pytest.mark.parametrize("weight", [weight_of, None, "no such attribute"])
def test_other_weights(engine: str, weight: Any) -> None:
    for seed in range(8):
        graph = some_graph(seed, "int")
        s, t, some = ends_in(graph, seed)
        for function, args, kwargs in weighted_calls(s, t, some, weight, a_star=True):
            assert_same(function, graph, *args, **kwargs)


def test_functions_as_weights_are_called_once_for_each_edge(engine: str) -> None:
    graph = some_graph(1, "int", n=30, m=90)
    for function, args in (
        (nx.single_source_dijkstra, (next(iter(graph)),)),
        (nx.all_pairs_dijkstra_path_length, ()),
        (nx.single_source_bellman_ford, (next(iter(graph)),)),
    ):
        called: Counter[tuple[Any, Any]] = Counter()

        def count(tail: Any, head: Any, data: dict[Any, Any], called: Counter[tuple[Any, Any]] = called) -> int:
            called[tail, head] += 1
            return data["weight"]

        list(function(graph, *args, weight=count, backend="reedsp"))
        is_reread = engine == "host" and function is nx.all_pairs_dijkstra_path_length
        assert set(called.values()) == {1} or is_reread


def test_function_that_fails_where_no_search_passes(engine: str) -> None:
    graph = nx.DiGraph([(0, 1), (1, 2), (3, 4), (2, 5)])

    def weight(tail: int, head: int, data: dict[str, Any]) -> Any:
        if tail == 3:
            raise LookupError
        return {2: None}.get(tail, tail + 0.5)

    for source in graph:
        assert_same(nx.single_source_dijkstra, graph, source, weight=weight)
        assert_same(nx.dijkstra_path, graph, source, 2, weight=weight)
    assert_same(nx.all_pairs_dijkstra_path_length, graph, weight=weight)


def test_function_whose_answers_change(engine: str) -> None:
    """A penalty on edges that were used, as in searches for alternative routes."""
    graph = nx.grid_2d_graph(5, 5)
    routes: dict[str, list[Any]] = {}
    for backend in ("networkx", "reedsp"):
        used: Counter[frozenset[Any]] = Counter()
        routes[backend] = []
        for _ in range(4):
            path = nx.dijkstra_path(
                graph, (0, 0), (4, 4), weight=lambda u, v, d, used=used: 1 + used[frozenset((u, v))], backend=backend
            )
            used.update(map(frozenset, pairwise(path)))
            routes[backend].append(path)
    assert routes["reedsp"] == routes["networkx"]


@pytest.mark.deep
@pytest.mark.parametrize("few_tied_distances", [0, 10**9])
@pytest.mark.parametrize("kind", ["int", "int and 0", "float", "tied float", "int and float"])
def test_larger_graphs(forced: None, kind: str, few_tied_distances: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(order, "_FEW_TIED_DISTANCES", few_tied_distances)
    for seed in range(4):
        graph = some_graph(seed, kind, n=200, m=700)
        s, t, some = ends_in(graph, seed)
        for function in (nx.single_source_dijkstra, nx.dijkstra_predecessor_and_distance):
            assert_same(function, graph, s)
            assert_same(function, graph, s, cutoff=4)
        assert_same(nx.single_source_dijkstra, graph, s, t)
        assert_same(nx.multi_source_dijkstra, graph, [s, some, t])
        assert_same(nx.astar_path, graph, s, t)
        assert_same(nx.astar_path_length, graph, t, s)
        assert_same(nx.predecessor, graph, s)
        assert_same(nx.single_target_shortest_path, graph, t)


def test_ties_that_follow_from_ties(forced: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a grid every order follows from the order one step before, so that few rounds do not settle it."""
    monkeypatch.setattr(order, "_FEW_TIED_DISTANCES", 0)
    for rounds in (1, 3, 100):
        monkeypatch.setattr(order, "_MOST_ROUNDS", rounds)
        graph = nx.grid_2d_graph(12, 12)
        assert_same(nx.single_source_dijkstra, graph, (3, 4))
        assert_same(nx.dijkstra_predecessor_and_distance, graph, (3, 4))


@pytest.mark.parametrize("few_edges", [0, 10**9])
def test_ties_of_few_and_of_many_nodes(forced: None, few_edges: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Along edges that add nothing and others: where few nodes tie, no array is sorted for them."""
    monkeypatch.setattr(order, "_FEW_EDGES", few_edges)
    appearing, sorts = order._in_order_of_appearance, []
    monkeypatch.setattr(order, "_in_order_of_appearance", lambda values: sorts.append(len(values)) or appearing(values))
    path = nx.path_graph(100)
    nx.set_edge_attributes(path, {edge: edge[0] // 2 % 2 for edge in path.edges}, "weight")
    for graph in (path, *(some_graph(seed, "int and 0", n=60, m=200) for seed in range(3))):
        source = next(iter(graph))
        assert_same(nx.single_source_dijkstra, graph, source)
        assert_same(nx.dijkstra_predecessor_and_distance, graph, source)
    sorts.clear()
    nx.dijkstra_predecessor_and_distance(path, 0, backend="reedsp")
    assert (len(sorts) > 1) == (few_edges == 0)  # one is that of all nodes


TO_A_TARGET = (
    *(nx.bidirectional_dijkstra, nx.bidirectional_shortest_path, nx.bellman_ford_path, nx.single_source_bellman_ford),
    *(nx.shortest_path, nx.shortest_path_length, nx.has_path),
)


@pytest.mark.deep
@pytest.mark.parametrize("near", [0, 3, 50, 10**9])
@pytest.mark.parametrize("kind", ["int", "int and 0", "float", "tied float", "int and float", "negative", "unique"])
def test_between_two_nodes(kind: str, near: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """However soon the host leaves a search to the device, which names a path only if there is no other."""
    monkeypatch.setattr(on_device, "MIN_NODES", 0)
    monkeypatch.setattr(on_device, "NEAR_NODES", near)
    monkeypatch.setattr(on_device, "NEAR_PART", 10**9)
    for seed in range(8):
        graph = some_graph(seed, "int" if kind == "unique" else kind, n=60, m=150)
        if kind == "unique":
            for number, (*_, data) in enumerate(graph.edges(data=True)):
                data["weight"] = 10_000 + 7919 * number % 10_007
        s, t, _ = ends_in(graph, seed)
        for function in TO_A_TARGET:
            assert_same(function, graph, s, t)
        for method in ("dijkstra", "bellman-ford"):
            assert_same(nx.shortest_path, graph, s, t, weight="weight", method=method)


def local_calls(s: Any, t: Any, missing: Any) -> Iterator[tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]]:
    """What may be answered from a few edges: as far as a cutoff, to a target, or of one component."""
    for cutoff in (0, 1.5, 50, math.nan):
        within = {"cutoff": cutoff}
        for by_edges in (nx.single_source_shortest_path_length, nx.single_source_shortest_path, nx.predecessor):
            yield by_edges, (s,), within
        yield nx.predecessor, (s, t), {**within, "return_seen": True}
        yield nx.single_target_shortest_path_length, (t,), within
        yield nx.single_target_shortest_path, (t,), within
        for by_weight in (nx.single_source_dijkstra, nx.dijkstra_predecessor_and_distance):
            yield by_weight, (s,), within
        yield nx.multi_source_dijkstra_path, ([s, t],), within
        yield nx.single_source_dijkstra_path_length, (missing,), within
        yield nx.multi_source_dijkstra_path_length, ([t, s],), {**within, "weight": lambda *edge: 2}
    for to_target in (nx.dijkstra_path, nx.dijkstra_path_length, nx.astar_path, nx.astar_path_length):
        for ends in ((s, t), (t, t), (s, missing)):
            yield to_target, ends, {}
    yield nx.multi_source_dijkstra, ([s], t), {"cutoff": 2}
    yield nx.node_connected_component, (s,), {}


@pytest.mark.deep("int and 0", "tied float", "int and float-0")
@pytest.mark.parametrize("near", [0, 40, 10**9])
@pytest.mark.parametrize("kind", ["int and 0", "tied float", "int and float"])
def test_local_questions(kind: str, near: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """However soon the host leaves a search to the device."""
    monkeypatch.setattr(on_device, "MIN_NODES", 0)
    monkeypatch.setattr(on_device, "NEAR_EDGES", near)
    monkeypatch.setattr(on_device, "NEAR_PART", 10**9)
    for seed in range(4):
        graph = some_graph(seed, kind, n=25, m=60)
        s, t, missing = ends_in(graph, seed)
        for function, args, kwargs in local_calls(s, t, missing):
            if function is nx.node_connected_component:
                assert outcome(nx.connected_components, graph, backend="networkx") is nx.NetworkXNotImplemented or (
                    function(graph, s, backend="reedsp") == function(graph, s, backend="networkx")
                )
            else:
                assert_same(function, graph, *args, **kwargs)


def test_local_questions_about_a_large_graph_ask_no_device(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(on_device, "MIN_NODES", 100)
    graph = nx.path_graph(5000)
    launched = on_device.kernels_launched()
    assert list(nx.single_source_shortest_path_length(graph, 40, cutoff=2, backend="reedsp")) == [40, 39, 41, 38, 42]
    assert nx.single_source_shortest_path(graph, 0, cutoff=1, backend="reedsp") == {0: [0], 1: [0, 1]}
    assert nx.single_target_shortest_path(graph, 0, cutoff=1, backend="reedsp") == {0: [0], 1: [1, 0]}
    assert nx.predecessor(graph, 0, cutoff=1, backend="reedsp") == {0: [], 1: [0]}
    assert nx.single_source_dijkstra(graph, 0, cutoff=1, backend="reedsp") == ({0: 0, 1: 1}, {0: [0], 1: [0, 1]})
    assert nx.single_source_dijkstra_path(graph, 0, cutoff=1, backend="reedsp") == {0: [0], 1: [0, 1]}
    assert nx.single_source_dijkstra_path_length(graph, 0, cutoff=1, backend="reedsp") == {0: 0, 1: 1}
    assert nx.dijkstra_predecessor_and_distance(graph, 0, cutoff=0, backend="reedsp") == ({0: []}, {0: 0})
    assert nx.dijkstra_path(graph, 7, 9, backend="reedsp") == [7, 8, 9]
    assert nx.dijkstra_path_length(graph, 7, 9, backend="reedsp") == 2
    assert nx.astar_path(graph, 7, 9, backend="reedsp") == [7, 8, 9]
    assert nx.bidirectional_dijkstra(graph, 7, 9, backend="reedsp") == (2, [7, 8, 9])
    for all_pairs in (
        *(nx.all_pairs_dijkstra, nx.all_pairs_dijkstra_path, nx.all_pairs_dijkstra_path_length),
        *(nx.all_pairs_shortest_path, nx.all_pairs_shortest_path_length),
    ):
        assert len(list(all_pairs(graph, cutoff=1, backend="reedsp"))) == 5000
    graph.remove_edge(2, 3)
    for from_one in (
        *(nx.single_source_shortest_path, nx.single_source_shortest_path_length, nx.predecessor),
        *(nx.single_target_shortest_path, nx.single_target_shortest_path_length, nx.single_source_dijkstra_path),
        *(nx.single_source_dijkstra_path_length, nx.shortest_path_length),
    ):
        assert list(from_one(graph, 0, backend="reedsp")) == [0, 1, 2]
    assert nx.bellman_ford_path(graph, 0, 2, backend="reedsp") == [0, 1, 2]
    assert nx.bellman_ford_path_length(graph, 0, 2, backend="reedsp") == 2
    assert nx.single_source_dijkstra(graph, 0, backend="reedsp") == (
        {0: 0, 1: 1, 2: 2},
        {0: [0], 1: [0, 1], 2: [0, 1, 2]},
    )
    assert nx.shortest_path(graph, target=0, weight="weight", backend="reedsp") == {0: [0], 1: [1, 0], 2: [2, 1, 0]}
    assert list(nx.all_shortest_paths(graph, 0, 2, weight="weight", backend="reedsp")) == [[0, 1, 2]]
    assert nx.node_connected_component(graph, 1, backend="reedsp") == {0, 1, 2}
    assert on_device.kernels_launched() == launched
    assert "arcs" not in {name[0] for name in graph.__networkx_cache__["backends"]["reedsp"].popitem()[1]._kept}
    assert len(nx.node_connected_component(graph, 3, backend="reedsp")) == 4997
    assert on_device.kernels_launched() > launched


def test_a_function_as_weight_is_asked_once_where_the_host_gives_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(on_device.FORCE_DEVICE, raising=False)
    monkeypatch.setattr(on_device, "MIN_NODES", 0)
    monkeypatch.setattr(on_device, "NEAR_EDGES", 60)
    monkeypatch.setattr(on_device, "NEAR_PART", 10**9)
    graph = nx.gnm_random_graph(200, 600, seed=2, directed=True)
    asked: Counter[tuple[int, int]] = Counter()

    def weight(tail: int, head: int, data: Any) -> int:
        asked[tail, head] += 1
        return (tail * head) % 7 + 1

    for function, args, kwargs in (
        *((each, (0,), {}) for each in (nx.single_source_dijkstra, nx.dijkstra_predecessor_and_distance)),
        *((each, (0, 150), {}) for each in (nx.dijkstra_path, nx.dijkstra_path_length, nx.astar_path)),
        *(
            (each, (0,), {"cutoff": 9})
            for each in (nx.single_source_dijkstra_path_length, nx.single_source_dijkstra_path)
        ),
        *((each, (0,), {}) for each in (nx.shortest_path, nx.shortest_path_length)),
        (nx.bellman_ford_path_length, (0, 150), {}),
        (nx.all_pairs_dijkstra_path_length, (), {}),
    ):
        asked.clear()
        answer = function(graph, *args, weight=weight, **kwargs, backend="reedsp")
        found = spelled(list(answer) if isinstance(answer, Iterator) else answer)
        assert len(asked) == 600
        assert set(asked.values()) == {1}, function
        assert found == outcome(function, graph, *args, weight=weight, **kwargs, backend="networkx")
    asked.clear()
    neighbour = next(iter(graph[0]))
    monkeypatch.setattr(on_device, "NEAR_EDGES", 2000)
    assert nx.dijkstra_path_length(graph, 0, neighbour, weight=weight, backend="reedsp") > 0
    assert 0 < len(asked) < 600  # where the host finds it, the device asks for none


@pytest.mark.deep("tied float", "int and float", "int and 0")
@pytest.mark.parametrize("near", [0, 12, 10**9])
@pytest.mark.parametrize("kind", ["int and 0", "tied float", "int and float", "negative"])
def test_each_of_large_and_small_components(kind: str, near: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """However often the host and the device take turns."""
    monkeypatch.delenv(on_device.FORCE_DEVICE, raising=False)
    monkeypatch.setattr(on_device, "MIN_NODES", 0)
    monkeypatch.setattr(on_device, "NEAR_EDGES", near)
    monkeypatch.setattr(on_device, "NEAR_PART", 10**9)
    for seed in range(4):
        graph = some_graph(seed, kind, n=40, m=30)
        for function in (nx.all_pairs_dijkstra, nx.all_pairs_dijkstra_path, nx.all_pairs_dijkstra_path_length):
            assert_same(function, graph)
            assert_same(function, graph, cutoff=1)
            assert_same(function, graph, weight=weight_of)
        for function in (nx.all_pairs_shortest_path, nx.all_pairs_shortest_path_length):
            assert_same(function, graph)
            assert_same(function, graph, cutoff=1)
        assert_same(nx.johnson, graph)
        s, t, _ = ends_in(graph, seed)
        for function in (nx.bellman_ford_path, nx.bellman_ford_path_length, nx.single_source_bellman_ford):
            assert_same(function, graph, s, t)
        assert_same(nx.shortest_path, graph, target=t, weight="weight")
        assert_same(nx.shortest_path_length, graph, target=t, weight="weight")


def test_johnson_of_small_components_is_networkx_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(on_device.FORCE_DEVICE, raising=False)
    launched = on_device.kernels_launched()
    assert_same(nx.johnson, nx.disjoint_union_all([nx.complete_graph(3)] * 100))
    assert on_device.kernels_launched() == launched


def test_the_first_of_all_pairs_takes_one_search(forced: None, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    search = on_device.bfs

    def counted(graph: Any, sources: Any) -> Any:
        asked.append(len(sources))
        return search(graph, sources)

    monkeypatch.setattr(on_device, "bfs", counted)
    lengths = nx.all_pairs_shortest_path_length(nx.path_graph(100), backend="reedsp")
    next(lengths)
    assert asked == [1]
    list(lengths)
    assert asked == [1, 2, 4, 8, 16, 32, 37]


@pytest.mark.parametrize("near", [5, 2000])
@pytest.mark.parametrize(
    "function",
    [
        *(nx.dijkstra_path, nx.single_source_dijkstra, nx.dijkstra_path_length, nx.astar_path, nx.shortest_path),
        *(nx.shortest_path_length, nx.bidirectional_shortest_path, nx.bidirectional_dijkstra, nx.bellman_ford_path),
        *(nx.bellman_ford_path_length, nx.single_source_bellman_ford),
    ],
)
def test_where_there_is_no_path(function: Any, near: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error is networkx' own, to the letter, however much is near the source."""
    monkeypatch.setattr(on_device, "MIN_NODES", 0)
    monkeypatch.setattr(on_device, "NEAR_EDGES", near)
    monkeypatch.setattr(on_device, "NEAR_NODES", near)
    monkeypatch.setattr(on_device, "NEAR_PART", 10**9)
    graph = nx.path_graph(40)
    graph.remove_edge(3, 4)
    with pytest.raises(nx.NetworkXNoPath) as expected:
        function(graph, 20, 0, backend="networkx")
    with pytest.raises(nx.NetworkXNoPath) as found:
        function(graph, 20, 0, backend="reedsp")
    assert str(found.value) == str(expected.value)


@pytest.mark.parametrize("weight", [7, 0.7])
def test_the_only_path_is_found_on_the_device(forced: None, weight: float, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_search(*_: object) -> None:
        raise AssertionError

    for module, name in ((nearby, "dijkstra_between"), (nearby, "breadth_first_between"), (functions, "_own")):
        monkeypatch.setattr(module, name, no_search)
    graph = nx.path_graph(50, create_using=nx.DiGraph)
    nx.set_edge_attributes(graph, weight, "weight")
    graph.add_edge(3, 40, weight=37 * weight + 0.01)
    graph.add_node("apart")
    path = list(range(49))
    assert nx.shortest_path(graph, 0, 48, "weight", backend="reedsp") == path
    assert nx.shortest_path(graph, 0, 48, backend="reedsp") == [0, 1, 2, 3, *range(40, 49)]
    assert nx.shortest_path_length(graph, 0, 48, backend="reedsp") == 12
    assert not nx.has_path(graph, 48, 0, backend="reedsp")
    with pytest.raises(nx.NetworkXNoPath):
        nx.shortest_path(graph, 0, "apart", "weight", backend="reedsp")
    with pytest.raises(nx.NetworkXNoPath, match=r"^No path to apart\.$"):
        nx.dijkstra_path(graph, 0, "apart", backend="reedsp")
    with pytest.raises(nx.NetworkXNoPath, match=r"^No path to apart\.$"):
        nx.multi_source_dijkstra(graph, [0, 1], "apart", backend="reedsp")
    graph[3][40]["weight"] = 1000
    graph.__networkx_cache__.clear()
    if type(weight) is int:
        assert nx.bidirectional_dijkstra(graph, 0, 48, backend="reedsp") == (48 * weight, path)
        assert nx.bellman_ford_path(graph, 0, 48, backend="reedsp") == path


def test_paths_that_only_rounding_tells_apart_are_searched_on_the_host(forced: None) -> None:
    """Three times 0.1 is more than 0.3 where it is added up, and which sum is rounded how depends on the search."""
    graph = nx.DiGraph()
    graph.add_weighted_edges_from([(0, 1, 0.1), (1, 2, 0.1), (2, 3, 0.1), (0, 4, 0.2), (4, 3, 0.1), (3, 5, 0.7)])
    for target in (3, 5):
        assert_same(nx.shortest_path, graph, 0, target, weight="weight")
        assert_same(nx.bidirectional_dijkstra, graph, 0, target)


def test_heuristics(engine: str) -> None:
    graph = nx.grid_2d_graph(6, 6)

    def estimate(one: tuple[int, int], other: tuple[int, int]) -> float:
        return math.dist(one, other)

    for function in (nx.astar_path, nx.astar_path_length):
        for cutoff in (None, 5, 9):
            assert_same(function, graph, (0, 0), (4, 5), estimate, cutoff=cutoff)


def test_ends_of_a_search_that_are_no_nodes(engine: str) -> None:
    graph = nx.path_graph(3)
    for function in (nx.astar_path, nx.astar_path_length):
        for source, target in ((0, "zz"), ("zz", 0), ("zz", "zz"), ("yy", "zz")):
            errors = []
            for backend in ("reedsp", "networkx"):
                with pytest.raises(nx.NodeNotFound) as caught:
                    function(graph, source, target, backend=backend)
                errors.append(str(caught.value))
            assert errors[0] == errors[1]


def test_matrix_in_the_order_of_a_list(engine: str) -> None:
    graph = some_graph(1, "int", n=6, m=15)
    nodes = sorted(graph, key=str)
    assert_same(nx.floyd_warshall_numpy, graph, nodes)
    for wrong in (nodes[:-1], [*nodes[:-1], nodes[0]], [*nodes[:-1], "missing"]):
        assert_same(nx.floyd_warshall_numpy, graph, wrong)


@pytest.mark.parametrize("cls", CLASSES)
def test_negative_loops(engine: str, cls: type[nx.Graph]) -> None:
    graph = nx.path_graph(4, cls)
    graph.add_edge(2, 2, weight=-1)
    for function in (nx.floyd_warshall, nx.floyd_warshall_numpy, nx.floyd_warshall_predecessor_and_distance):
        assert_same(function, graph)


def test_reconstructed_paths() -> None:
    graph = some_graph(1, "int", n=6, m=25)
    predecessors, _ = nx.floyd_warshall_predecessor_and_distance(graph, backend="reedsp")
    for s in graph:
        for t in predecessors[s]:
            assert nx.reconstruct_path(s, t, predecessors, backend="reedsp") == nx.reconstruct_path(s, t, predecessors)


@pytest.mark.parametrize("cls", CLASSES)
def test_graphs_without_edges_or_nodes(engine: str, cls: type[nx.Graph]) -> None:
    for graph in (cls(), nx.empty_graph(1, cls), nx.empty_graph(3, cls)):
        for function in (
            *(nx.all_pairs_dijkstra, nx.all_pairs_shortest_path, nx.johnson, nx.negative_edge_cycle),
            *(nx.floyd_warshall, nx.floyd_warshall_numpy, nx.average_shortest_path_length, nx.shortest_path),
        ):
            assert_same(function, graph)
        assert_same(nx.single_source_dijkstra, graph, 0)
        assert_same(nx.single_source_shortest_path, graph, 0)


def test_views(engine: str) -> None:
    graph = some_graph(1, "int", n=9, m=25)
    s = next(iter(graph))
    for view in (graph.reverse(copy=False), nx.subgraph_view(graph, filter_node=lambda node: node != s)):
        start = next(iter(view))
        assert_same(nx.single_source_dijkstra, view, start)
        assert_same(nx.single_target_shortest_path, view, start)


VIEWS: dict[str, Callable[[Any], Any]] = {
    "subgraph": lambda graph: graph.subgraph(range(5)),
    "subgraph of a subgraph": lambda graph: graph.subgraph(range(6)).subgraph(range(5)),
    "edges": lambda graph: graph.edge_subgraph([edge for edge in graph.edges if max(edge[:2]) < 5]),
    "reversed": lambda graph: graph.reverse(copy=False) if graph.is_directed() else graph.subgraph(graph),
    "undirected": lambda graph: graph.to_undirected(as_view=True),
    "directed": lambda graph: graph.to_directed(as_view=True),
    "filtered": lambda graph: nx.subgraph_view(graph, filter_node=lambda node: node != 6),
}


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("kind", [nx.Graph, nx.MultiDiGraph])
def test_views_follow_a_graph_that_changes(engine: str, kind: type, view: str) -> None:
    graph = nx.path_graph(7, create_using=kind)
    seen = VIEWS[view](graph)
    for change in (lambda: None, lambda: graph.remove_node(2), lambda: graph.add_edge(0, 3)):
        change()
        for _ in range(2):
            assert_same(nx.single_source_dijkstra, seen, 0)
            assert_same(nx.closeness_centrality, seen)


# ---- the caller's objects ---------------------------------------------------------------------------


def test_nodes_that_the_caller_names_appear_in_the_answer(engine: str) -> None:
    graph = nx.path_graph(4)
    for function in (
        *(nx.single_source_dijkstra, nx.single_source_shortest_path, nx.dijkstra_predecessor_and_distance),
        *(nx.single_source_bellman_ford, nx.single_target_shortest_path_length),
    ):
        assert_same(function, graph, 1.0)
    for function in (
        *(nx.dijkstra_path, nx.bellman_ford_path, nx.bidirectional_dijkstra, nx.shortest_path, nx.astar_path),
        *(nx.bidirectional_shortest_path, nx.single_source_bellman_ford),
    ):
        assert_same(function, graph, 1.0, 3.0)
        assert_same(function, graph, 1.0, True)


def test_a_path_from_or_to_none(engine: str) -> None:
    """networkx asks for paths from or to all nodes then."""
    for ends in ((None, 2), (0, None), (None, None), (None, "missing"), ("missing", None)):
        assert_same(nx.has_path, nx.path_graph(3), *ends)


def test_nearby_questions_about_views_and_changed_graphs_count_no_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(on_device, "MIN_NODES", 100)
    monkeypatch.setattr(functions.NetworkXGraph, "nodes", None)
    graph = nx.path_graph(300)
    view = graph.subgraph(range(250))
    monkeypatch.setattr(nx.Graph, "__len__", lambda graph: 1 // (not hasattr(graph, "_graph")) * len(graph._node))
    with nx.config(backend_priority=["reedsp"]):
        assert nx.has_path(view, 7, 8)
        assert nx.bidirectional_dijkstra(view, 7, 9) == (2, [7, 8, 9])
    functions.convert_from_nx(graph)
    assert nx.has_path(graph, 7, 8, backend="reedsp")
    [converted] = graph.__networkx_cache__["backends"]["reedsp"].values()
    assert not converted._kept


def test_source_that_cannot_be_a_node(engine: str) -> None:
    for function in (nx.dijkstra_path_length, nx.bidirectional_shortest_path, nx.has_path):
        assert_same(function, nx.path_graph(3), [0], 1)


def test_launches_of_two_threads_are_counted() -> None:
    before, other = on_device.kernels_launched(), threading.Thread(target=on_device.count_launches, args=(1,))

    class Launches(int):
        def __radd__(self, launched: int) -> int:
            other.start()
            other.join(0.2)
            return launched + int(self)

    on_device.count_launches(Launches(2))
    other.join()
    assert on_device.kernels_launched() == before + 3


# ---- laziness ---------------------------------------------------------------------------------------


def test_generators_do_nothing_before_they_are_asked(engine: str) -> None:
    graph = nx.path_graph(5)
    before = on_device.kernels_launched()
    lazy = [
        nx.all_pairs_dijkstra(graph, backend="reedsp"),
        nx.all_pairs_shortest_path_length(graph, backend="reedsp"),
        nx.single_source_all_shortest_paths(graph, "missing", backend="reedsp"),
        nx.shortest_path(graph, backend="reedsp"),
    ]
    assert all(isinstance(each, Iterator) for each in lazy)
    assert on_device.kernels_launched() == before
    assert next(lazy[0])[0] == 0
    with pytest.raises(nx.NodeNotFound):
        next(lazy[2])
    unreachable = nx.all_shortest_paths(nx.empty_graph(2), 0, 1, backend="reedsp")
    with pytest.raises(nx.NetworkXNoPath):
        next(unreachable)
    with pytest.raises(nx.NodeNotFound):
        nx.all_shortest_paths(graph, "missing", 1, backend="reedsp")


def test_importing_networkx_imports_nothing_heavy() -> None:
    code = (
        "import sys, networkx as nx\n"
        "assert 'reedsp' in nx.config.backends\n"
        "loaded = {name.split('.')[0] for name in sys.modules}\n"
        "print(sorted(loaded & {'pyopencl', 'numpy', 'scipy'}), sorted(n for n in sys.modules if 'reedsp' in n))"
    )
    child = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True, cwd="/"
    )
    assert child.stdout == "[] ['reedsp', 'reedsp._nx_info', 'reedsp._version']\n"


# ---- dispatch ---------------------------------------------------------------------------------------


STRUCTURE = sorted(
    name
    for module in (centrality, components, flow, forests, matching)
    for name, function in vars(module).items()
    if name in FUNCTIONS and getattr(function, "__module__", "") == module.__name__
)
"""Functions about what a graph is made of, whose arguments differ: each has tests of its own."""


def test_every_function_of_networkx_is_here() -> None:
    modules = ("weighted", "unweighted", "generic", "dense", "astar")
    package = "networkx.algorithms.shortest_paths"
    names = [name for module in modules for name in sys.modules[f"{package}.{module}"].__all__]
    names += [*efficiency_measures.__all__, *wiener.__all__, "closeness_centrality"]
    names += distance_measures.__all__
    names += STRUCTURE
    left_out = {"resistance_distance", "kemeny_constant", "effective_graph_resistance", "floyd_warshall_tree"}
    dispatched = {networkx_function(name).name for name in names} - left_out
    assert len(dispatched) == 61 + len(STRUCTURE)
    assert set(FUNCTIONS) == dispatched
    for name in dispatched:
        assert callable(getattr(functions.backend, name))
        assert "reedsp" in networkx_function(name).backends


def some_calls(graph: nx.Graph) -> dict[str, tuple[Any, ...]]:
    """Return arguments for each function."""
    s, t = list(graph)[:2]
    everything = {"from one": (graph, s), "between two": (graph, s, t), "all": (graph,), "several": (graph, [s, t])}
    kinds = {
        "all": ("all_pairs", "average", "floyd", "johnson", "local", "negative", *_nx_info.FROM_EACH),
        "several": ("multi",),
        "between two": (
            *("all_shortest", "astar", "bellman", "bidirectional"),
            *("dijkstra_path", "efficiency", "has_path"),
        ),
    }

    def arguments(name: str) -> tuple[Any, ...]:
        if name == "reconstruct_path":
            return s, t, nx.floyd_warshall_predecessor_and_distance(graph)[0]
        kind = next((kind for kind, starts in kinds.items() if name.startswith(starts)), "from one")
        return everything[kind]

    return {name: arguments(name) for name in FUNCTIONS}


def test_device_functions_launch_kernels(forced: None) -> None:
    graph = nx.cycle_graph(6)
    nx.set_edge_attributes(graph, 3, "weight")
    calls = some_calls(graph)
    for name in sorted(calls.keys() & set(_nx_info.DEVICE_FUNCTIONS) - set(STRUCTURE)):
        before = on_device.kernels_launched()
        answer = getattr(nx, name)(*calls[name], backend="reedsp")
        if isinstance(answer, Iterator):
            list(answer)
        assert on_device.kernels_launched() > before, name


def test_large_graphs_are_searched_on_the_device_unasked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(on_device.FORCE_DEVICE, raising=False)
    before = on_device.kernels_launched()
    small, large = nx.path_graph(10), nx.path_graph(on_device.MIN_NODES)
    with nx.config(backend_priority=["reedsp"]):
        nx.single_source_dijkstra_path_length(small, 0)
        assert on_device.kernels_launched() == before
        assert nx.single_source_dijkstra_path_length(large, 0)[7] == 7
    assert on_device.kernels_launched() > before


def test_all_pairs_go_to_the_device_sooner(monkeypatch: pytest.MonkeyPatch) -> None:
    """In sizes at which networkx, with loops in Python over all triples, takes seconds."""
    monkeypatch.delenv(on_device.FORCE_DEVICE, raising=False)
    for function, least in (
        (nx.floyd_warshall, on_device.MIN_NODES_OF_TRIPLES),
        (nx.floyd_warshall_numpy, on_device.MIN_NODES_FROM_EACH),
        (nx.johnson, on_device.MIN_NODES_FROM_EACH),
    ):
        small, large = (nx.cycle_graph(n) for n in (least - 1, least))
        assert f"fewer than {least}" in str(functions.should_run(function.__name__, (small,), {}))
        assert functions.should_run(function.__name__, (large,), {}) is True
        own = mock.Mock()
        with mock.patch.object(functions, "_own", own):
            function(large, backend="reedsp")
            own.assert_not_called()
            function(small, backend="reedsp")
        assert own.call_args.args == (function.__name__, small)


@pytest.mark.parametrize("kind", ["no weights", "floats", "ints", "mixed", "one fraction"])
@pytest.mark.parametrize("cls", CLASSES)
def test_types_of_all_distances(engine: str, cls: type[nx.Graph], kind: str) -> None:
    graph = nx.gnm_random_graph(9, 14, seed=5, directed=graph_class_is_directed(cls))
    graph = cls(graph)
    for index, (*_, data) in enumerate(graph.edges(data=True)):
        if kind != "no weights":
            data["weight"] = float(index) if kind == "floats" or (kind == "mixed" and index % 2) else index
    if kind == "one fraction":
        next(iter(graph.edges(data=True)))[-1]["weight"] = 0.5
    assert_same(nx.floyd_warshall, graph)


def graph_class_is_directed(cls: type[nx.Graph]) -> bool:
    return cls().is_directed()


def test_a_pickle_holds_no_arrays() -> None:
    graph = nx.path_graph(2000)
    before = len(pickle.dumps(graph))
    assert nx.shortest_path_length(graph, 0, 1999, backend="reedsp") == 1999
    kept = pickle.dumps(graph)
    assert len(kept) < 1.5 * before
    again = pickle.loads(kept)
    assert "reedsp" in again.__networkx_cache__["backends"]
    assert nx.shortest_path_length(again, 0, 1998, backend="reedsp") == 1998
    again.add_edge(0, 1999)
    assert nx.shortest_path_length(again, 0, 1998, backend="reedsp") == 2


def test_reasons_not_to_run() -> None:
    graph = nx.path_graph(3)
    assert "3 nodes" in str(functions.should_run("dijkstra_path", (graph, 0, 1), {}))
    assert "3 nodes" in str(functions.should_run("dijkstra_path", (), {"G": graph}))
    assert "host" in str(functions.should_run("goldberg_radzik", (graph, 0), {}))
    assert "host" in str(functions.should_run("astar_path", (graph, 0, 1), {"heuristic": weight_of}))
    large = nx.empty_graph(on_device.MIN_NODES)
    assert functions.should_run("dijkstra_path", (large, 0, 1), {}) is True
    assert functions.can_run("dijkstra_path", (graph, 0, 1), {}) is True
    assert isinstance(functions.can_run("pagerank", (graph,), {}), str)


def test_without_a_device_the_host_answers(forced: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(on_device, "has_device", lambda: False)
    before = on_device.kernels_launched()
    assert nx.dijkstra_path_length(nx.path_graph(4), 0, 3, backend="reedsp") == 3
    assert on_device.kernels_launched() == before
    large = nx.empty_graph(on_device.MIN_NODES)
    assert "no usable" in str(functions.should_run("dijkstra_path", (large, 0, 1), {}))


def test_whether_there_is_a_device(monkeypatch: pytest.MonkeyPatch) -> None:
    def find() -> None:
        raise reedsp.DeviceError("none")

    assert on_device.has_device() == bool(reedsp.devices())
    monkeypatch.setattr(on_device, "get_device", find)
    on_device._has_own_device.cache_clear()
    try:
        assert not on_device.has_device()
    finally:
        on_device._has_own_device.cache_clear()


def test_converted_graphs_are_cached_until_the_graph_changes(engine: str) -> None:
    graph = nx.path_graph(4)
    nx.dijkstra_path_length(graph, 0, 3, backend="reedsp")
    cached = graph.__networkx_cache__["backends"]["reedsp"]
    assert len(cached) == 1
    assert nx.dijkstra_path_length(graph, 0, 3, backend="reedsp") == 3
    graph.add_edge(0, 3, weight=2)
    assert nx.dijkstra_path_length(graph, 0, 3, backend="reedsp") == 2
    assert nx.shortest_path_length(graph, 0, 3, backend="reedsp") == 1


def test_a_converted_graph_is_used_again_without_a_word(engine: str) -> None:
    graph = nx.path_graph(4)
    for _ in range(2):  # also where all filters have been taken away meanwhile
        with warnings.catch_warnings():
            warnings.resetwarnings()
            warnings.simplefilter("error")
            for _ in range(2):
                nx.dijkstra_path_length(graph, 0, 3, backend="reedsp")
                nx.diameter(graph, backend="reedsp")
            with pytest.raises(UserWarning, match="saved to cache"):
                warnings.warn(
                    "Note: conversions to backend graphs are saved to cache, for the 'other' backend", stacklevel=1
                )


def test_graph_with_a_converted_graph_in_its_cache_can_be_pickled(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(on_device, "MIN_NODES", 0)
    graph = nx.path_graph(4)
    nx.shortest_path(graph, 0, 3, "weight", backend="reedsp")
    nx.dijkstra_path_length(graph, 0, 3, backend="reedsp")
    nx.single_source_dijkstra(graph, 0, backend="reedsp")
    copy = pickle.loads(pickle.dumps(graph))
    assert nx.dijkstra_path_length(copy, 0, 3, backend="reedsp") == 3


def test_graph_is_not_changed_by_the_search_for_a_negative_cycle(engine: str) -> None:
    graph = nx.DiGraph()
    graph.add_weighted_edges_from([(0, 1, 1), (1, 2, -3), (2, 0, 1)])
    assert nx.negative_edge_cycle(graph, backend="reedsp")
    assert list(graph) == [0, 1, 2]
    cycle = nx.find_negative_cycle(graph, 0, backend="reedsp")
    assert cycle == nx.find_negative_cycle(graph, 0)
    assert cycle[0] == cycle[-1]
    with pytest.raises(nx.NetworkXError):
        nx.find_negative_cycle(nx.path_graph(3), 0, backend="reedsp")


@pytest.mark.parametrize("cls", CLASSES)
def test_negative_cycles_of_fractions_are_looked_for_in_the_graph_itself(
    engine: str, cls: type[nx.Graph], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither it nor its rows are copied, and nothing is added, which another thread might see."""
    graph = cls()
    graph.add_weighted_edges_from([(-1, 1, 0.5), (1, 2, 0.25), (2, -1, 1), (3, 4, 0.5)])
    monkeypatch.setattr(cls, "copy", None)

    def weight(tail: Any, head: Any, data: Any) -> float:
        seen = [list(row) for row in graph.adj.values()]
        assert seen == before
        return -0.1 if -2 in (tail, head) and head == 3 else 1

    before = [list(row) for row in graph.adj.values()]
    assert_same(nx.negative_edge_cycle, graph)
    assert not nx.negative_edge_cycle(graph, weight, backend="reedsp")
    graph.add_edge(4, 3, weight=-0.75)
    before = [list(row) for row in graph.adj.values()]
    for heuristic in (True, False):
        assert nx.negative_edge_cycle(graph, heuristic=heuristic, backend="reedsp")
    assert list(graph) == [-1, 1, 2, 3, 4]


class Named:
    """A node that knows others of its class alone, as many do."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __eq__(self, other: Any) -> bool:
        return bool(self.name == other.name)

    def __hash__(self) -> int:
        return hash(self.name)


@pytest.mark.parametrize("cls", [nx.Graph, nx.MultiGraph, nx.DiGraph, nx.MultiDiGraph])
def test_the_node_more_is_compared_with_no_other(engine: str, cls: type[nx.Graph]) -> None:
    graph = cls()
    a, b, c = map(Named, "abc")
    graph.add_weighted_edges_from([(a, b, 0.5), (b, c, 0.5)])
    assert not nx.negative_edge_cycle(graph, heuristic=False, backend="reedsp")


@pytest.mark.parametrize("cls", [nx.Graph, nx.MultiGraph, nx.DiGraph, nx.MultiDiGraph])
def test_each_edge_of_the_node_more_has_data_of_its_own(engine: str, cls: type[nx.Graph]) -> None:
    """A weight function may keep there what it has found."""
    alike = []

    def weight(tail: Any, head: Any, data: Any) -> float:
        own = data.setdefault(0, {}) if graph.is_multigraph() else data
        alike.append(own.setdefault("edge", {tail, head}) == {tail, head})
        return 1.0

    graph = cls([(0, 1), (1, 2)])
    assert not nx.negative_edge_cycle(graph, weight, backend="reedsp")
    assert len(alike) > 2
    assert all(alike)


def test_negative_loop_of_the_only_node_is_a_cycle(engine: str) -> None:
    """Here networkx itself fails with an AttributeError."""
    graph = nx.DiGraph()
    graph.add_edge("a", "a", weight=-1)
    assert nx.find_negative_cycle(graph, "a", backend="reedsp") == ["a", "a"]


def test_backend_graph_is_taken_as_it_is(engine: str) -> None:
    graph = functions.convert_from_nx(nx.path_graph(4))
    assert (len(graph), list(graph), 2 in graph, graph.is_directed(), graph.is_multigraph()) == (
        *(4, [0, 1, 2, 3], True),
        *(False, False),
    )
    assert nx.shortest_path(graph, 0, 3) == [0, 1, 2, 3]
    assert functions.convert_from_nx(graph) is graph
    assert functions.convert_to_nx(graph) is graph.source


def test_views_of_multigraphs_in_which_all_edges_between_two_nodes_are_hidden(forced: None) -> None:
    """The length that networkx gives such a row is larger than what there is in it."""
    graph = nx.MultiGraph([(0, 1), (0, 1), (1, 2), (2, 0), (2, 3)])
    view = graph.edge_subgraph([(0, 1, 0), (2, 3, 0), (1, 2, 0)])
    assert len(view._adj[0]) > len(list(view._adj[0]))
    assert nx.shortest_path_length(view, 0, backend="reedsp") == {0: 0, 1: 1, 2: 2, 3: 3}
    assert nx.is_connected(view, backend="reedsp")
