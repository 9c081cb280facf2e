"""Spanning forests: every method against Kruskal's algorithm in Python, edge by edge, and what results can do."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import math
import threading
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.csgraph

import reedsp
from reedsp.algorithms.structure.forests import choose, kruskal
from reedsp.algorithms.structure.forests import edges as edges_module
from reedsp.cost_model import place
from reedsp.device.device import Device
from reedsp.device.job import Job, spoilt_memory

Edges = list[tuple[int, int, Any]]
METHODS = ("kruskal", "boruvka", "dulle")
FAST = METHODS[:2]
DTYPES = (np.int32, np.int64, np.float32, np.float64)
RING = [(0, 5, 1), (1, 3, 1), (2, 4, 1), (0, 3, 5), (1, 4, 5), (2, 5, 5)]
"""The edges of weight 1, and others, that close a cycle where components hook to the smallest vertex."""


@pytest.fixture(params=["as it is", "gpu", "gpu without 64-bit atomics", "small chunks"])
def pretender(request: pytest.FixtureRequest, device: Device, monkeypatch: pytest.MonkeyPatch) -> Device:
    """The device, one that pretends to be a GPU, also a simple one, and one that gets little to do at a time."""
    if request.param.startswith("gpu"):
        monkeypatch.setattr(device, "kind", "gpu")
    if request.param.endswith("atomics"):
        monkeypatch.setattr(device, "int64_atomics", False)
        monkeypatch.setattr(device, "loads_are_atomic", False)
    if request.param == "small chunks":
        monkeypatch.setattr(edges_module, "_FEWEST", 5)
        monkeypatch.setattr(edges_module, "_CHUNK", 16)
        monkeypatch.setattr(kruskal, "_FIRST_BUDGET", 3)
    return device


def oracle(graph: reedsp.Graph, maximum: bool = False) -> Edges:
    """The forest of the order (weight, smaller end, larger end), edges ascending."""
    sign = -1 if maximum else 1
    tails = np.repeat(np.arange(graph.n), np.diff(graph.indptr)).tolist()
    first: dict[tuple[int, int], Any] = {}
    for tail, head, weight in zip(tails, graph.indices.tolist(), graph.weights.tolist(), strict=True):
        ends = min(tail, head), max(tail, head)
        if tail != head:
            first[ends] = min(first.get(ends, math.inf), sign * weight)
    parent = list(range(graph.n))

    def root(vertex: int) -> int:
        while parent[vertex] != vertex:
            parent[vertex] = vertex = parent[parent[vertex]]
        return vertex

    chosen = []
    for (smaller, larger), weight in sorted(first.items(), key=lambda each: (each[1], each[0])):
        if root(smaller) != root(larger):
            parent[root(smaller)] = root(larger)
            chosen.append((smaller, larger, sign * weight))
    return sorted(chosen)


def by_work_groups(graph: reedsp.Graph, device: Device, maximum: bool = False) -> Edges:
    """The forest by a method for GPUs, with and without 64-bit atomic operations."""
    found = []
    for wide in (True, False):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(device, "int64_atomics", device.int64_atomics and wide)
            found.append(listed(reedsp.spanning_forest(graph, method="boruvka", maximum=maximum, device=device)))
    assert found[0] == found[1]
    return found[0]


def listed(forest: reedsp.SpanningForest) -> Edges:
    return [(*ends, weight) for ends, weight in zip(forest.ends.tolist(), forest.weights.tolist(), strict=True)]


def union(graphs: Iterator[tuple[int, Edges]], directed: bool, dtype: Any = np.int32) -> reedsp.Graph:
    """One graph of many, side by side."""
    first, edges = 0, []
    for n, own in graphs:
        edges += [(first + tail, first + head, weight) for tail, head, weight in own]
        first += n
    tails, heads, weights = zip(*edges, strict=True)
    return reedsp.Graph.from_edges(first, tails, heads, np.array(weights, dtype), directed)


def undirected(n: int, weights: tuple[Any, ...]) -> Iterator[tuple[int, Edges]]:
    """Every graph of n vertices in which each edge has one of some weights, or is not there."""
    pairs = list(itertools.combinations(range(n), 2))
    for each in itertools.product((None, *weights), repeat=len(pairs)):
        yield n, [(*ends, weight) for ends, weight in zip(pairs, each, strict=True) if weight is not None]


def both_ways(n: int, weights: tuple[Any, ...], loops: bool) -> Iterator[tuple[int, Edges]]:
    """The same of directed graphs."""
    pairs = [(tail, head) for tail in range(n) for head in range(n) if loops or tail != head]
    for each in itertools.product((None, *weights), repeat=len(pairs)):
        yield n, [(*ends, weight) for ends, weight in zip(pairs, each, strict=True) if weight is not None]


def random_graph(
    n: int, m: int, seed: int, dtype: Any = np.int32, directed: bool = True, most: int = 9
) -> reedsp.Graph:
    rng = np.random.default_rng(seed)
    return reedsp.Graph.from_edges(n, *rng.integers(0, n, (2, m)), rng.integers(-most, most, m).astype(dtype), directed)


# ---- from rows ----------------------------------------------------------------------------------------


@pytest.mark.deep
@pytest.mark.parametrize("maximum", [False, True])
@pytest.mark.parametrize("most", [1, 3, 10**6])
def test_first_edges_of_rows(most: int, maximum: bool, device: Device) -> None:
    """Of equal ones the first; rows of as many edges as are looked at, and of one more; loops, and empty rows."""
    rng = np.random.default_rng(most)
    n, longest = 300, 64
    hub = [(0, vertex) for vertex in range(1, longest + 1)] + [(100, vertex) for vertex in range(101, longest + 102)]
    some = [*hub, *rng.integers(0, n, (500, 2)).tolist(), (7, 7), (8, 8)]
    some = [(u, v) for u, v in some if not {u, v} & {5, 250} and (u, v) not in ((0, 200), (200, 0))]
    tails, heads = np.array(some).T
    graph = reedsp.Graph.from_edges(n, tails, heads, rng.integers(1, most + 1, len(some)), directed=False)
    assert np.diff(graph.indptr).max() > longest
    assert by_work_groups(graph, device, maximum) == oracle(graph, maximum)


def test_rows_that_are_long(device: Device) -> None:
    """A star has its center's row left out; the lightest edge of a vertex may be the last of its row."""
    for n in (64, 65, 66, 200):
        for weights in (np.arange(1, n), np.arange(n, 1, -1), np.ones(n - 1, int)):
            graph = reedsp.Graph.from_edges(n, np.zeros(n - 1, int), np.arange(1, n), weights, directed=False)
            assert by_work_groups(graph, device) == oracle(graph)


@pytest.mark.parametrize("order", ["ascending", "descending", "equal", "mixed"])
def test_long_ways_to_a_root(order: str, device: Device) -> None:
    """Each vertex of a path points to the one before it, or the one behind it: no way takes as long as it is."""
    n = 200_000
    steps = {"ascending": np.arange(n - 1), "descending": np.arange(n - 1, 0, -1), "equal": np.ones(n - 1, int)}
    steps["mixed"] = np.abs(np.arange(n - 1) % 2000 - 1000)
    number = np.arange(n)
    for directed in (False, True):
        graph = reedsp.Graph.from_edges(n, number[:-1], number[1:], steps[order] + 1, directed=directed)
        forest = reedsp.spanning_forest(graph, method="boruvka", device=device)
        assert len(forest) == n - 1
        assert np.array_equal(forest.ends, np.column_stack((number[:-1], number[1:])))
        if order != "mixed":
            assert forest.stats["rounds"] == 1  # that by rows


# ---- answers ----------------------------------------------------------------------------------------


@pytest.mark.deep
@pytest.mark.parametrize("method", FAST)
@pytest.mark.parametrize("weights", [(7,), (-1, 2), (-1.5, 0.0, 2.5)], ids=["one", "two", "three"])
def test_all_small_undirected_graphs(weights: tuple[Any, ...], method: Any, device: Device) -> None:
    for n in (2, 3, 4):
        graph = union(undirected(n, weights), directed=False, dtype=type(weights[0]))
        for maximum in (False, True):
            forest = reedsp.spanning_forest(graph, maximum, method, device=device)
            assert listed(forest) == oracle(graph, maximum)
    assert forest.verify(device)


@pytest.mark.deep
@pytest.mark.parametrize("method", FAST)
def test_all_undirected_graphs_of_five_vertices(method: Any, device: Device) -> None:
    graph = union(undirected(5, (1, 2)), directed=False)
    for maximum in (False, True):
        assert listed(reedsp.spanning_forest(graph, maximum, method, device=device)) == oracle(graph, maximum)


@pytest.mark.deep
@pytest.mark.parametrize("method", FAST)
@pytest.mark.parametrize(("loops", "weights"), [(True, (0, 3)), (False, (1, 2, 3))])
def test_all_small_directed_graphs(loops: bool, weights: tuple[int, ...], method: Any, device: Device) -> None:
    graph = union(both_ways(3, weights, loops), directed=True)
    for maximum in (False, True):
        forest = reedsp.spanning_forest(graph, maximum, method, device=device)
        assert listed(forest) == oracle(graph, maximum)
        assert forest.verify(device)


@pytest.mark.parametrize("n", [2, 3, 4])
def test_all_small_graphs_by_dulle(n: int, device: Device) -> None:
    """Thirty of them at a time, since memory grows with the square."""
    graphs = list(undirected(n, (1, 2) if n == 4 else (1, 2, 3)))
    for first in range(0, len(graphs), 150):
        graph = union(iter([*graphs[first : first + 150], (2, [(0, 1, 1)])]), directed=False)
        assert listed(reedsp.spanning_forest(graph, method="dulle", device=device)) == oracle(graph)


@pytest.mark.parametrize("maximum", [False, True])
@pytest.mark.parametrize("method", METHODS)
def test_components_do_not_hook_in_a_ring(method: Any, maximum: bool, device: Device) -> None:
    graph = reedsp.Graph.from_edges(6, *zip(*RING, strict=True), directed=False)  # type: ignore[misc]
    forest = reedsp.spanning_forest(graph, maximum, method, device=device)
    assert listed(forest) == oracle(graph, maximum)
    assert len(forest) == 5


@pytest.mark.deep
@pytest.mark.parametrize("maximum", [False, True])
@pytest.mark.parametrize("dtype", DTYPES)
def test_every_type(dtype: Any, maximum: bool, pretender: Device) -> None:
    for seed, (n, m, directed) in enumerate([(40, 500, True), (300, 200, True), (60, 300, False)]):
        graph = random_graph(n, m, seed, dtype, directed)
        for method in METHODS:
            assert listed(reedsp.spanning_forest(graph, maximum, method, device=pretender)) == oracle(graph, maximum)


@pytest.mark.deep
@pytest.mark.parametrize("method", FAST)
def test_keys_of_every_width(method: Any, pretender: Device) -> None:
    rng = np.random.default_rng(8)
    n, m = 50, 400
    ends = rng.integers(0, n, (2, m))
    limits = np.iinfo(np.int64)
    some = rng.integers(0, m, m // 2)  # so that many weights are equal
    for weights in (
        rng.integers(limits.min, limits.max, m, endpoint=True),
        np.array([limits.min, limits.max])[rng.integers(0, 2, m)],
        rng.integers(-(2**31), 2**31, m).astype(np.int32),
        rng.integers(0, 2**33, m),
        rng.standard_normal(m),
        rng.standard_normal(m).astype(np.float32),
        rng.integers(-3, 3, m) * np.float64(5e-324),
        rng.integers(-3, 3, m).astype(np.float32) * np.float32(1e-45),
        rng.integers(-3, 3, m) * 1e300,
        rng.integers(-(2**53), 2**53, m).astype(np.float64),
        np.where(rng.integers(0, 2, m), 0.0, -0.0),
        np.zeros(m, np.int32),
    ):
        weights[: m // 2] = weights[some]
        graph = reedsp.Graph.from_edges(n, *ends, weights, directed=False)
        for maximum in (False, True):
            forest = reedsp.spanning_forest(graph, maximum, method, device=pretender)
            assert listed(forest) == oracle(graph, maximum)
            assert forest.weights.dtype == graph.weights.dtype


@pytest.mark.deep
@pytest.mark.parametrize("method", FAST)
def test_light_edges_first(method: Any, pretender: Device) -> None:
    """Many edges for each vertex: of the heavy ones few are between trees."""
    for most in (3, 10**6):
        graph = random_graph(200, 20_000, 3, directed=False, most=most)
        forest = reedsp.spanning_forest(graph, method=method, device=pretender)
        assert listed(forest) == oracle(graph)
        assert forest.stats.get("edges_sorted", 0) < graph.m // 4
    graph = random_graph(2000, 900, 4, directed=True)
    many = reedsp.Graph.from_edges(
        2000,
        *np.hstack([[graph.indices, np.repeat(np.arange(2000), np.diff(graph.indptr))], np.tile([[1], [2]], 20_000)]),
    )
    assert listed(reedsp.spanning_forest(many, method=method, device=pretender)) == oracle(many)


@pytest.mark.deep
def test_large_graphs_have_scipys_weight(device: Device) -> None:
    for seed, (n, m) in enumerate([(20_000, 30_000), (5_000, 200_000), (30_000, 10_000)]):
        graph = random_graph(n, m, seed, np.float64, directed=False, most=10**6)
        shifted = scipy.sparse.csr_array((graph.weights + 2**30, graph.indices, graph.indptr), shape=(n, n))
        tree = scipy.sparse.csgraph.minimum_spanning_tree(shifted)
        for method in FAST:
            forest = reedsp.spanning_forest(graph, method=method, device=device)
            assert len(forest) == tree.nnz
            assert forest.total_weight == tree.sum() - tree.nnz * 2.0**30
        assert forest.verify(device)


@pytest.mark.parametrize("n", [20_000, pytest.param(10**6, marks=pytest.mark.deep)])
@pytest.mark.parametrize("method", FAST)
def test_stars_and_paths(method: Any, n: int, device: Device) -> None:
    order = np.random.default_rng(1).permutation(n)
    for tails, heads in ((np.zeros(n - 1, int), np.arange(1, n)), (order[:-1], order[1:])):
        graph = reedsp.Graph.from_edges(n, tails, heads, heads % 1000, directed=False)
        forest = reedsp.spanning_forest(graph, method=method, device=device)
        pairs = np.sort(np.column_stack((tails, heads)), axis=1)
        assert np.array_equal(forest.ends, pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))])
        assert forest.total_weight == int((heads % 1000).sum())
    assert forest.verify(device)


@pytest.mark.deep("gpu", "as it is", "auto", "boruvka")
@pytest.mark.parametrize("method", ["auto", *METHODS])
@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_without_edges(n: int, method: Any, pretender: Device) -> None:
    for loops in ([], list(range(n))):
        graph = reedsp.Graph.from_edges(n, loops, loops)
        forest = reedsp.spanning_forest(graph, method=method, device=pretender)
        assert (len(forest), forest.trees, forest.total_weight) == (0, n, 0)
        assert forest.ends.shape == (0, 2)
        assert forest.method == forest.stats["method"] in METHODS
        assert forest.verify(pretender)


def test_infinite_weights_and_parallel_edges(device: Device) -> None:
    graph = reedsp.Graph.from_edges(3, [0, 0, 1, 2], [1, 1, 0, 1], [5.0, 4.0, 3.0, np.inf])
    assert listed(reedsp.spanning_forest(graph, device=device)) == [(0, 1, 3.0)]
    assert listed(reedsp.spanning_forest(graph, maximum=True, device=device)) == [(0, 1, 4.0)]  # of a Graph's edges


def test_whatever_is_a_graph(device: Device) -> None:
    dense = np.array([[0, 4, 1], [0, 0, 2], [0, 0, 0]])
    named = nx.Graph()
    named.add_weighted_edges_from([("a", "b", 4), ("a", "c", 1), ("b", "c", 2)])
    for given in (dense, scipy.sparse.coo_array(dense), scipy.sparse.csc_matrix(dense), dense.tolist(), named):
        forest = reedsp.spanning_forest(given, device=device)
        assert listed(forest) == [(0, 2, 1), (1, 2, 2)]
    assert list(forest.edges()) == [("a", "c", 1), ("b", "c", 2)]


@pytest.mark.deep("float32")
@pytest.mark.parametrize("dtype", DTYPES)
def test_the_host_has_the_same_bytes(dtype: Any, monkeypatch: pytest.MonkeyPatch, device: Device) -> None:
    monkeypatch.setenv("REEDSP_DEVICE", str(device.index))
    for seed, directed in itertools.product(range(4), (False, True)):
        graph = random_graph(30, 20 * seed, seed, dtype, directed)
        for maximum in (False, True):
            there = reedsp.spanning_forest(graph, maximum, device=device)
            with monkeypatch.context() as patch:
                patch.setattr(place, "_serves", True)
                here = reedsp.spanning_forest(graph, maximum)
            assert here.method == "host"
            for one, other in ((here.ends, there.ends), (here.weights, there.weights)):
                assert (one.dtype, one.shape, one.tobytes()) == (other.dtype, other.shape, other.tobytes())
            assert here.stats.keys() >= {
                "device",
                "method",
                "why",
                "kernels_launched",
                "milliseconds",
                "rounds",
                "phases",
            }


@pytest.mark.deep("gpu")
def test_a_graph_can_be_searched_again(pretender: Device) -> None:
    """What was kept of the first search is no part of the second."""
    graph = random_graph(100, 600, 5)
    expected = oracle(graph), oracle(graph, maximum=True)
    for _ in range(2):
        for maximum in (False, True):
            assert listed(reedsp.spanning_forest(graph, maximum, device=pretender)) == expected[maximum]


# ---- results ----------------------------------------------------------------------------------------


def small_forest(device: Device) -> reedsp.SpanningForest:
    labels = ["Bern", "Thun", "Chur", "Genf", "Zug"]
    graph = reedsp.Graph.from_edges(5, [0, 0, 1, 2], [1, 2, 2, 3], [7, 0, 1, 3], directed=False, labels=labels)
    return reedsp.spanning_forest(graph, device=device)


def test_results_speak_names(device: Device, tmp_path: Path) -> None:
    forest = small_forest(device)
    assert list(forest.edges()) == [("Bern", "Chur", 0), ("Thun", "Chur", 1), ("Chur", "Genf", 3)]
    assert (len(forest), forest.trees, forest.total_weight) == (3, 2, 4)
    assert repr(forest) == "<reedsp.SpanningForest: minimum, 3 edges, 2 trees, weight 4>"
    assert "Chur" in forest._repr_html_()
    tree = forest.to_networkx()
    assert list(tree) == list(forest.graph.names)
    assert {frozenset(ends): w for *ends, w in tree.edges(data="weight")} == {
        frozenset(ends): w for *ends, w in forest.edges()
    }
    matrix = forest.to_scipy()
    assert (matrix.nnz, matrix[0, 2], matrix[1, 2], matrix[2, 3]) == (3, 0, 1, 3)
    forest.save(tmp_path / "forest.csv")
    assert (tmp_path / "forest.csv").read_text() == "smaller,larger,weight\nBern,Chur,0\nThun,Chur,1\nChur,Genf,3\n"
    with pytest.raises(FileExistsError):
        forest.save(tmp_path / "forest.csv")
    forest.save(tmp_path / "forest.csv", overwrite=True)
    with pytest.raises(ValueError, match="expected a name that ends in"):
        forest.save(tmp_path / "forest.txt")


def test_total_weights_are_exact(device: Device) -> None:
    weights = [2**62, 2**62, 2**62]
    assert reedsp.spanning_forest(path_of(weights), device=device).total_weight == 3 * 2**62
    weights = [1e16, 1.0, 1.0]
    assert reedsp.spanning_forest(path_of(weights), device=device).total_weight == float(sum(map(Fraction, weights)))


@pytest.mark.deep("weights1")
@pytest.mark.parametrize(
    ("weights", "total"),
    [
        ([1.7e308, 1.7e308, -1.7e308], 1.7e308),
        ([1.7e308, 1.7e308], math.inf),
        ([-1.7e308, -1.7e308, 0.5], -math.inf),
        ([1.7e308, -1.7e308, 2.0**-1074, 1.0], 1.0),
    ],
)
def test_total_weights_beyond_the_largest_float(weights: list[float], total: float, device: Device) -> None:
    forest = reedsp.spanning_forest(path_of(weights), device=device)
    assert forest.total_weight == total
    assert str(total) in repr(forest)
    assert str(total) in forest._repr_html_()


def path_of(weights: list[Any]) -> reedsp.Graph:
    n = len(weights) + 1
    return reedsp.Graph.from_edges(n, range(n - 1), range(1, n), weights, directed=False)


# ---- verify -----------------------------------------------------------------------------------------


def changed(forest: reedsp.SpanningForest, ends: Edges) -> reedsp.SpanningForest:
    rows = np.array([each[:2] for each in ends], np.int32).reshape(-1, 2)
    weights = np.array([each[2] for each in ends], forest.weights.dtype)
    return reedsp.SpanningForest(forest.graph, rows, weights, forest.maximum, "kruskal", "", {})


@pytest.mark.parametrize("maximum", [False, True])
def test_verify_finds_every_other_set_of_edges(maximum: bool, device: Device) -> None:
    """Of all sets of edges of a graph only the forest passes."""
    edges = [(0, 1, 2), (0, 2, 2), (1, 2, 2), (1, 3, 1), (2, 3, 2), (4, 5, 1)]
    graph = reedsp.Graph.from_edges(6, *zip(*edges, strict=True), directed=False)  # type: ignore[misc]
    forest = reedsp.spanning_forest(graph, maximum, device=device)
    passed = []
    for count in range(len(edges) + 1):
        for some in itertools.combinations(edges, count):
            try:
                changed(forest, list(some)).verify(device)
            except reedsp.VerificationError:
                continue
            passed.append(list(some))
    assert passed == [listed(forest)]


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        ([(0, 2, 0), (1, 2, 1), (2, 3, 4)], r"\('Chur', 'Genf'\)"),
        ([(0, 2, 0), (1, 2, 1)], r"edge \('Chur', 'Genf'\): no tree holds both of its ends"),
        ([(0, 1, 7), (0, 2, 0), (1, 2, 1), (2, 3, 3)], r"edge \('Bern', 'Thun'\): it closes a cycle"),
        ([(0, 1, 7), (0, 2, 0), (2, 3, 3)], r"edge \('Thun', 'Chur'\): the forest has an edge between its ends"),
        (
            [(0, 2, 0), (1, 2, 1), (2, 3, 3), (3, 4, 1)],
            r"edge \('Genf', 'Zug'\): the graph has no such edge of weight 1",
        ),
        ([(1, 2, 1), (0, 2, 0), (2, 3, 3)], "edge 1: its ends"),
        ([(0, 2, 0), (2, 1, 1), (2, 3, 3)], "edge 1: its ends"),
        ([(0, 2, 0), (1, 2, 1), (2, 9, 3)], "edge 2: its ends"),
    ],
)
def test_verify_names_an_edge(edges: Edges, message: str, device: Device) -> None:
    with pytest.raises(reedsp.VerificationError, match=message):
        changed(small_forest(device), edges).verify(device)


def test_verify_finds_forms_that_do_not_fit(device: Device) -> None:
    forest = small_forest(device)
    ends, weights = forest.ends, forest.weights
    others: list[Any] = [ends[:2], ends.astype(np.int64), ends.astype(np.float64), ends.astype(">i4"), ends.tolist()]
    for other in others:
        with pytest.raises(reedsp.VerificationError, match=r"^ends: expected 3 x 2 numbers of type int32$"):
            dataclasses.replace(forest, ends=other).verify(device)
    for other in (weights.astype(np.float64), weights.reshape(3, 1), weights.tolist(), None):
        with pytest.raises(reedsp.VerificationError, match=rf"^weights: expected .* numbers of type {weights.dtype}$"):
            dataclasses.replace(forest, weights=other).verify(device)
    assert dataclasses.replace(forest, ends=np.asfortranarray(ends), weights=np.repeat(weights, 2)[::2]).verify(device)
    empty = reedsp.spanning_forest(reedsp.Graph.from_edges(5, [], []), device=device)
    with pytest.raises(reedsp.VerificationError, match="the graph has no edges"):
        changed(empty, [(0, 1, 1)]).verify(device)


def test_verify_looks_at_the_sum(device: Device) -> None:
    forest = small_forest(device)
    assert forest.total_weight == 4
    assert forest.verify(device)
    vars(forest)["total_weight"] = 5
    with pytest.raises(reedsp.VerificationError, match=r"^the edges weigh 4, but the total weight is 5$"):
        forest.verify(device)


# ---- arguments --------------------------------------------------------------------------------------


def test_arguments(device: Device) -> None:
    with pytest.raises(ValueError, match="method = 'prim', expected one of 'auto', 'kruskal'"):
        reedsp.spanning_forest([[0, 1], [0, 0]], method="prim", device=device)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="graph: expected"):
        reedsp.spanning_forest("graph", device=device)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="is nan"):
        reedsp.spanning_forest([[0, np.nan], [0, 0]], device=device)
    for wrong in ("kruskal", 1, None, np.array([True])):
        with pytest.raises(TypeError, match="maximum: expected True or False, got "):
            reedsp.spanning_forest([[0, 1], [0, 0]], wrong, device=device)  # type: ignore[arg-type]
    assert reedsp.spanning_forest([[0, 1], [2, 0]], np.True_, device=device).weights.tolist() == [2]  # type: ignore[arg-type]
    with pytest.raises(reedsp.DeviceMemoryError, match="bytes"):
        reedsp.spanning_forest(path_of([1] * 10**6), method="dulle", device=device)


@pytest.mark.parametrize("method", ["auto", "kruskal"])
def test_a_device_that_is_wrong(method: Any, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choose, "is_trusted", lambda *arguments: False)
    with pytest.raises(reedsp.DeviceError, match=r"a spanning forest by .*kruskal.* gives wrong answers, or fails"):
        reedsp.spanning_forest(path_of([1, 2]), method=method, device=device)


@pytest.mark.deep("gpu")
@pytest.mark.parametrize(("kind", "other"), [("cpu", "boruvka"), ("gpu", "kruskal")])
def test_another_method_is_taken(kind: str, other: str, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device, "kind", kind)
    monkeypatch.setattr(choose, "is_trusted", lambda device, description, *rest: other in description)
    forest = reedsp.spanning_forest(path_of([1, 2]), device=device)
    assert (forest.method, forest.total_weight) == (other, 3)


@pytest.mark.deep
@pytest.mark.parametrize("has_rows", [True, False])
@pytest.mark.parametrize("method", FAST)
def test_trials_see_wrong_forests(method: str, has_rows: bool, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another order than the one that is to be tried, edges that are not those of the forest, and ends of others."""
    trial = functools.partial(choose.finds_known_forests, device, method, "int32", "int32", "float64", has_rows)
    order = False, 64, 11
    assert trial(*order)
    assert not trial(False, 64, 8)
    with monkeypatch.context() as patch:
        patch.setattr(choose, "_mark", lambda *arguments: {})
        assert not trial(*order)
    for ends in ("ends_of", "heads_of"):
        right = getattr(edges_module.DeviceEdges, ends)

        def wrong(self: Any, *arguments: Any, right: Any = right) -> Any:
            found, weights = right(self, *arguments)
            return found[::-1], weights

        with monkeypatch.context() as patch:
            patch.setattr(edges_module.DeviceEdges, ends, wrong)
            assert not trial(*order)


def test_more_edges_than_places(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reedsp.algorithms.structure.forests.spanning_forest.MOST_EDGES", 3)
    with pytest.raises(reedsp.DeviceMemoryError, match="4 edges"):
        reedsp.spanning_forest(path_of([1, 2]), device=device)


def test_tails_that_another_thread_asks_for_before_they_are_written(
    device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(device, "kind", "gpu")
    job, launch, asked = Job(device), Job.launch, []
    indptr, heads = np.array([0, 2, 3, 3, 5], np.int32), np.array([1, 3, 0, 1, 2], np.int32)
    edges = edges_module.DeviceEdges(job, 4, heads, np.ones(5, np.int32), indptr=indptr)

    def ask() -> None:
        asked.append(job.download(edges.tails(Job(device)), 5, np.int32).tolist())

    def launch_later(*args: Any, **options: Any) -> None:
        if threading.current_thread() is threading.main_thread():
            other = threading.Thread(target=ask)
            other.start()
            other.join()
        launch(*args, **options)

    monkeypatch.setattr(Job, "launch", launch_later)
    with spoilt_memory():
        edges.tails(job)
    assert asked == [[0, 0, 1, 3, 3]]
