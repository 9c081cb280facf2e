"""All pairs by every method against the exact oracle, with negative cycles, and at the limits of each arithmetic."""

from __future__ import annotations

import contextlib
import doctest
import functools
import itertools
import time
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import networkx as nx
import numpy as np
import pytest
import scipy.sparse

import reedsp
from reedsp.algorithms.all_pairs import answers as all_pairs_answers
from reedsp.algorithms.all_pairs import apsp, floyd_warshall, lund_smith, path_matrix
from reedsp.algorithms.all_pairs.answers import Answers
from reedsp.algorithms.all_pairs.path_matrix import PathMatrix
from reedsp.arithmetic.matrix import INTEGERS, Weights
from reedsp.device import job as job_module
from reedsp.device.device import Device
from reedsp.minplus import product as minplus_product
from tests.support import families, oracle
from tests.support.families import CYCLE_FREE, NEGATIVE_CYCLES, Family, named
from tests.support.oracle import Edge, edges_of

METHODS = ("floyd-warshall", "min-plus")
OPTIONS = [
    *(("floyd-warshall", {"kernel": kernel}) for kernel in ("blocked", *lund_smith.LADDER)),
    *(("min-plus", {"product": product}) for product in minplus_product.METHODS),
]
UNITS = 8  # weights of floats are multiples of an eighth, so that every sum is exact
NO_PATH, NO_VERTEX, UNBOUNDED = None, -9999, float("-inf")


def with_options(choices: list[tuple[str, dict[str, str]]]) -> pytest.MarkDecorator:
    names = ["-".join((method, *options.values())) for method, options in choices]
    return pytest.mark.parametrize(("method", "options"), choices, ids=names)


every_option = with_options(OPTIONS)
every_method = pytest.mark.parametrize("method", METHODS)

SMALL = [
    *(family for family in CYCLE_FREE if family.n <= 130),
    families.random("heavy, smaller", 70, 300, 2**29, 2**30, seed=26),
    families.random("beyond int32, smaller", 70, 300, 2**40, 2**44, seed=27),
    families._potentials("negative edges, smaller", 90, 420, seed=21),
    families._potentials("negative edges, many ties", 40, 500, seed=22),
    families.random("zero-weight edges only", 66, 300, 0, 1, seed=23),
    families.random("undirected, zero weights, ties", 70, 150, 0, 3, seed=24, directed=False),
    families.grid("small grid", 9, 11, seed=25),
    Family("hub", 130, [0] * 129 + [*range(1, 130)], [*range(1, 130)] + [0] * 129, [1 + i % 7 for i in range(258)]),
    Family("inward and outward star", 80, [0] * 40 + [*range(40, 80)], [*range(1, 41), *([0] * 40)], [2] * 80),
]


# ---- helpers ----------------------------------------------------------------------------------------


@functools.cache
def answer_for(name: str) -> tuple[list[list[Any]], list[list[int]]]:
    """Return exact distances and predecessors of a family."""
    family = next(each for each in (*SMALL, *NEGATIVE_CYCLES) if each.name == name)
    dist = oracle.all_distances(family.n, family.edges)
    return dist, oracle.all_predecessors(family.n, family.edges, dist)


def as_type(dist: list[list[Any]], dtype: np.dtype[Any], units: int = 1) -> list[list[Any]]:
    """Return exact distances as a result of some type lists them."""
    floats = dtype.kind == "f"
    special = {
        NO_PATH: np.inf if floats else np.iinfo(dtype).max,
        UNBOUNDED: UNBOUNDED if floats else np.iinfo(dtype).min,
    }
    return [[special[d] if d in special else float(d / units) if floats else int(d) for d in row] for row in dist]


def check_paths(result: reedsp.AllPairs, edges: list[Edge], dist: list[list[Any]], pairs: Any, units: int = 1) -> None:
    """Assert that each path is one, of the right weight."""
    best: dict[tuple[int, int], Fraction] = {}
    for u, v, w in edges:
        best[u, v] = min(w, best.get((u, v), w))
    for i, j in pairs:
        if dist[i][j] in (NO_PATH, UNBOUNDED):
            with pytest.raises(ValueError, match="negative cycle" if dist[i][j] == UNBOUNDED else "no path from"):
                result.path(i, j)
            continue
        path = result.path(i, j)
        assert (path[0], path[-1]) == (i, j)
        assert len(set(path)) == len(path)
        assert sum(best[step] for step in itertools.pairwise(path)) == dist[i][j]


def some_pairs(n: int, seed: int = 0, count: int = 150) -> list[tuple[int, int]]:
    return np.random.default_rng(seed).integers(0, n, (count, 2)).tolist() if n else []


def check_acyclic(pred: np.ndarray, dist: np.ndarray) -> None:
    """Assert that the predecessors of each row lead to its source from wherever there is a path."""
    n = len(pred)
    ancestors = np.where(pred == NO_VERTEX, np.arange(n), pred)
    assert (pred.diagonal() == NO_VERTEX).all()
    for _ in range(n.bit_length()):
        ancestors = np.take_along_axis(ancestors, ancestors, 1)
    reached = np.isfinite(dist)
    assert (ancestors == np.arange(n)[:, None])[reached].all()
    assert (pred == NO_VERTEX)[~reached].all()


def needs_doubles(device: Device) -> None:
    if not device.fp64:
        pytest.skip("the device has no doubles")


def exactly(n: int, u: Any, v: Any, weights: Any) -> tuple[list[Edge], list[list[Any]]]:
    """Return edges and the exact distances."""
    edges = edges_of(u, v, np.asarray(weights).tolist(), True)
    return edges, oracle.all_distances(n, edges)


def floyd_warshall_of(matrix: np.ndarray) -> np.ndarray:
    """Three loops, the inner two in numpy; whole numbers as floats, no path inf, no negative cycle."""
    dist = matrix.copy()
    for k in range(len(dist)):
        np.minimum(dist, dist[:, k, None] + dist[k], out=dist)
    return dist


# ---- every family -----------------------------------------------------------------------------------


@pytest.mark.deep
@pytest.mark.parametrize("family", SMALL, ids=lambda family: family.name)
def test_families(family: Family, device: Device) -> None:
    dist, pred = answer_for(family.name)
    for units in (1, UNITS) if device.fp64 else (1,):
        graph = family.graph(units=units)
        before = [array.copy() for array in (graph.indptr, graph.indices, graph.weights)]
        for method in METHODS:
            result = reedsp.apsp(graph, method, predecessors=True, device=device)
            assert result.dist.dtype == np.float64
            assert result.pred.dtype == np.int32
            assert result.dist.tolist() == as_type(dist, result.dist.dtype, units)
            assert result.pred.tolist() == pred
            assert result.method == method
            assert result.device == str(device) == result.stats["device"]
            check_paths(result, family.edges, dist, some_pairs(family.n))
        for now, then in zip((graph.indptr, graph.indices, graph.weights), before, strict=True):
            assert np.array_equal(now, then)


@pytest.mark.deep
@pytest.mark.parametrize("name", ["negative edges, smaller", "undirected, zero weights, ties", "heavy, smaller"])
def test_same_as_from_each_source(name: str, device: Device) -> None:
    graph = next(family for family in SMALL if family.name == name).graph()
    single = reedsp.sssp(graph, range(graph.n), device=device)
    result = reedsp.apsp(graph, "floyd-warshall", predecessors=True, device=device)
    assert np.array_equal(result.dist, single.dist)
    assert np.array_equal(result.pred, single.pred)
    assert reedsp.apsp(graph, device=device).pred is None


@pytest.mark.deep
@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # some is put aside: Intel's compiler crashes on tilings of GPUs
@pytest.mark.parametrize("name", ["negative edges, smaller", "undirected, zero weights, ties", "heavy, smaller", "hub"])
def test_a_gpu_gets_the_same(name: str, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """More work-items, and copies through pinned memory, however little there is to do; any device will do as one."""
    family = next(family for family in SMALL if family.name == name)
    dist, pred = answer_for(name)
    gpu = Device(device.index, device.handle)
    gpu.kind = "gpu"
    monkeypatch.setattr(job_module, "_LARGE_UPLOAD", 4)
    monkeypatch.setattr(job_module, "_LARGE_DOWNLOAD", 4)
    for units in (1, UNITS) if device.fp64 else (1,):
        result = reedsp.apsp(family.graph(units=units), METHODS[0], predecessors=True, device=gpu)
        assert result.dist.tolist() == as_type(dist, result.dist.dtype, units)
        assert result.pred.tolist() == pred


@pytest.mark.deep
@every_option
def test_options(method: str, options: dict[str, str], device: Device) -> None:
    for name, units in (
        ("random, dense, many ties", 1),
        ("negative edges, smaller", 1),
        ("negative edges, many ties", UNITS),
    ):
        if units > 1 and not device.fp64:
            continue
        family = next(each for each in SMALL if each.name == name)
        dist, pred = answer_for(name)
        result = reedsp.apsp(family.graph(units=units), method, True, device=device, options=options)
        assert result.dist.tolist() == as_type(dist, result.dist.dtype, units)
        assert result.pred.tolist() == pred


@pytest.mark.deep
@every_method
@pytest.mark.parametrize("n", [0, 1, 2, 63, 64, 65, 131, 257])
def test_46_every_size(n: int, method: str, device: Device) -> None:
    rng = np.random.default_rng(n)
    u, v = rng.integers(0, max(n, 1), (2, 2 * n))
    u[u == n // 3] = 0  # a vertex that reaches none
    weights = rng.integers(1, 20, 2 * n)
    graph = reedsp.Graph.from_edges(n, u, v, weights)
    result = reedsp.apsp(graph, method, predecessors=True, device=device)
    expected = np.full((n, n), np.inf)
    np.minimum.at(expected, (u, v), weights)
    np.fill_diagonal(expected, 0)
    edges = expected.copy()
    expected = floyd_warshall_of(expected)
    assert result.dist.shape == result.pred.shape == (n, n)
    assert np.array_equal(result.dist, expected)
    assert n == 0 or result.stats["arithmetic"] == "uint16"
    pred = np.full((n, n), NO_VERTEX)
    for source, vertex in zip(*np.nonzero(np.isfinite(expected)), strict=True):
        if source != vertex:  # all weights are positive: the smallest vertex among the tight edges
            pred[source, vertex] = np.flatnonzero(
                (expected[source] + edges[:, vertex] == expected[source, vertex]) & (np.arange(n) != vertex)
            )[0]
    assert np.array_equal(result.pred, pred)
    assert n < 63 or (expected == np.inf).any()


def test_01_empty_graph_needs_no_device() -> None:
    empty = reedsp.Graph.from_edges(0, [], [])
    for dtype, method in itertools.product((None, "int32", "int64", "float32", "float64"), METHODS):
        result = reedsp.apsp(empty, method, True, negative_cycles="mark", device="no such device", dtype=dtype)
        assert result.dist.shape == result.pred.shape == (0, 0)
        assert result.dist.dtype == (dtype or "float64")
        assert repr(result).startswith("<reedsp.AllPairs: 0 vertices")


@pytest.mark.deep("floyd")
@every_method
def test_02_03_45_nothing_to_reach(method: str, device: Device) -> None:
    for n, u in ((1, []), (1, [0]), (5, []), (67, [3])):
        result = reedsp.apsp(reedsp.Graph.from_edges(n, u, u, [7] * len(u)), method, True, device=device)
        assert np.array_equal(result.dist, np.where(np.eye(n), 0, np.inf))
        assert (result.pred == NO_VERTEX).all()
        assert result.path(0, 0) == [0]


@every_method
def test_04_06_07_loops_parallel_edges_and_zeros(method: str, device: Device) -> None:
    graph = reedsp.Graph.from_edges(3, [0, 0, 0, 1, 1, 2], [1, 1, 0, 2, 1, 2], [5, 3, 4, 0, 0, 9])
    result = reedsp.apsp(graph, method, True, device=device)
    assert result.dist.tolist() == [[0, 3, 3], [np.inf, 0, 0], [np.inf, np.inf, 0]]
    assert result.pred.tolist() == [[-9999, 0, 1], [-9999, -9999, 1], [-9999, -9999, -9999]]


# ---- arithmetic -------------------------------------------------------------------------------------


def path_of_weight(total: int, n: int, sign: int = 1) -> tuple[reedsp.Graph, np.ndarray]:
    """Return a path through n vertices in a random order that weighs just that, and its distances from the start."""
    order = np.random.default_rng(5).permutation(n)
    weights = np.full(n - 1, total // (n - 1))
    weights[-1] += total - weights.sum()
    distances = np.zeros(n, np.int64)
    distances[order[1:]] = sign * np.cumsum(weights)
    return reedsp.Graph.from_edges(n, order[:-1], order[1:], sign * weights), distances


@pytest.mark.deep
@every_method
@pytest.mark.parametrize("n", [2, 70, 131])
def test_19_limits_of_each_arithmetic(n: int, method: str, device: Device) -> None:
    types = [str(weights.dtype) for weights in INTEGERS]
    for place, weights in enumerate(INTEGERS):
        limit = weights.limit if weights.limit < 2**53 else int(weights.limit / (1 + 2.0**-20)) - 2**10
        above = limit + 1 if weights.limit < 2**53 else limit + 2**20
        for sign, total in itertools.product((1, -1), (limit, above)):
            graph, distances = path_of_weight(total, n, sign)
            assert (graph.simple_path_bound <= weights.limit) == (total == limit)
            if total == above and place == 2:
                with pytest.raises(OverflowError, match=r"^graph: path weights of up to 2\.306e\+18 are possible"):
                    reedsp.apsp(graph, method, device=device)
                continue
            result = reedsp.apsp(graph, method, True, device=device, dtype="int64")
            expected = max(place + (total == above), int(sign < 0))
            assert result.stats["arithmetic"] == types[expected]
            start = int(np.flatnonzero(distances == 0)[0])
            assert np.array_equal(result.dist[start], distances)
            rank = np.argsort(np.abs(distances))
            steps = np.argsort(rank)
            within = steps[:, None] <= steps
            none = np.iinfo(np.int64).max
            assert np.array_equal(result.dist, np.where(within, distances - distances[:, None], none))
            assert result.path(start, int(rank[-1])) == rank.tolist()


@pytest.mark.deep("floyd")
@every_method
def test_negative_weights_that_are_not_narrow(method: str, device: Device) -> None:
    graph = reedsp.Graph.from_edges(3, [0, 1], [1, 2], [4, -1])
    assert reedsp.apsp(graph, method, device=device).stats["arithmetic"] == "int32"


@pytest.mark.deep("floyd", "None-min-plus")
@every_method
@pytest.mark.parametrize("dtype", [None, "float64", "float32", "int64", "int32"])
def test_every_result_type(dtype: str | None, method: str, device: Device) -> None:
    for name in ("negative edges, smaller", "path", "beyond int32, smaller"):
        family = next(each for each in SMALL if each.name == name)
        dist, pred = answer_for(name)
        if name == "beyond int32, smaller" and dtype in ("int32", "float32"):
            continue
        for weights in (np.int64, np.float64):
            graph = reedsp.Graph.from_edges(
                family.n, family.sources, family.targets, np.array(family.weights, weights), directed=family.directed
            )
            result = reedsp.apsp(graph, method, True, device=device, dtype=dtype)
            assert result.dist.dtype == (dtype or "float64")
            assert result.dist.tolist() == as_type(dist, result.dist.dtype)
            assert result.pred.tolist() == pred
            assert result.stats["arithmetic"] in ("uint16", "int32", "int64")


@every_method
def test_19_24_results_that_do_not_fit(method: str, device: Device) -> None:
    twice = reedsp.Graph.from_edges(3, [0, 1], [1, 2], [2**30, 2**30 - 1])
    with pytest.raises(OverflowError, match=r"dist\[0, 2\] = 2147483647 is outside int32; ask for dtype='int64'"):
        reedsp.apsp(twice, method, device=device, dtype="int32")
    assert reedsp.apsp(twice, method, device=device, dtype="int64").dist[0, 2] == 2**31 - 1
    less = reedsp.Graph.from_edges(3, [0, 1], [1, 2], [2**30, 2**30 - 2])
    assert reedsp.apsp(less, method, device=device, dtype="int32").dist[0, 2] == 2**31 - 2
    down = reedsp.Graph.from_edges(3, [0, 1], [1, 2], [-(2**30), -(2**30)])
    with pytest.raises(OverflowError, match=r"dist\[0, 2\] = -2147483648 is outside int32"):
        reedsp.apsp(down, method, device=device, dtype="int32")
    graph = reedsp.Graph.from_edges(3, [0, 1], [1, 2], [2**53, 1])
    with pytest.raises(ValueError, match=r"dist\[0, 2\] = 9007199254740993 has no exact float64 value"):
        reedsp.apsp(graph, method, device=device)
    assert reedsp.apsp(graph, method, device=device, dtype="int64").dist[0].tolist() == [0, 2**53, 2**53 + 1]
    assert reedsp.apsp(graph, method, device=device, dtype="float32").dist[0].tolist() == [0, 2**53, 2**53]
    even = reedsp.Graph.from_edges(3, [0, 1], [1, 2], [-(2**53), -2])
    assert reedsp.apsp(even, method, device=device).dist[0].tolist() == [0, -(2**53), -(2**53) - 2]


@pytest.mark.deep("floyd")
@every_method
def test_19_path_weights_beyond_every_type(method: str, device: Device) -> None:
    big = 2**62
    for weights in ([big, big - 1, 1], [-big, -big, -1], [big, -big, 3]):
        graph = reedsp.Graph.from_edges(4, [0, 1, 2], [1, 2, 3], weights)
        with pytest.raises(OverflowError):
            reedsp.apsp(graph, method, device=device)
    cycle = reedsp.Graph.from_edges(4, [0, 1, 2, 2], [1, 2, 0, 3], [big, -big, -1, big])
    for negative_cycles in ("raise", "mark"):
        with pytest.raises(reedsp.NegativeCycleError, match="weight -1:"):
            reedsp.apsp(cycle, method, negative_cycles=negative_cycles, device=device)


def test_the_row_of_an_overflow_is_named_wherever_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    n, first = 30, 16
    dist = np.full((n, n), np.inf)
    dist[29, 0] = dist[0, 1] = 1.5e308

    @contextlib.contextmanager
    def rows_on_host(rows: slice) -> Iterator[Any]:
        assert first <= rows.start < rows.stop <= n
        yield dist[rows]

    some: Any = SimpleNamespace(rows=range(first, n), row_bytes=8 * n, rows_on_host=rows_on_host)
    some.graph = reedsp.Graph.from_edges(n, [0, 29], [1, 0], [1.5e308, 1.5e308])
    some.weights = Weights(np.dtype(np.float64), np.inf, np.inf)
    for transferred in (8 * 8 * n, 1 << 20):
        monkeypatch.setattr(path_matrix, "TRANSFERRED", transferred)
        with pytest.raises(OverflowError, match=r"^a distance from vertex 29 is beyond float64$"):
            PathMatrix.refuse_overflow(some)
    dist[29, 1] = 1.7e308
    PathMatrix.refuse_overflow(some)


def test_rows_are_worked_on_some_at_a_time() -> None:
    some: Any = SimpleNamespace(rows=range(3, 10), row_bytes=1 << 25)
    assert [(each.start, each.stop) for each in PathMatrix.slices(some)] == [(3, 5), (5, 7), (7, 9), (9, 10)]
    some.row_bytes = 1 << 27
    assert [(each.start, each.stop) for each in PathMatrix.slices(some)] == [(row, row + 1) for row in range(3, 10)]
    some.row_bytes = 1
    assert list(PathMatrix.slices(some)) == [slice(3, 10)]


@pytest.mark.deep
@every_method
def test_21_float_sums_beyond_the_largest_float(method: str, device: Device) -> None:
    needs_doubles(device)
    graph = reedsp.Graph.from_edges(3, [0, 1], [1, 2], [1.5e308, 1.5e308])
    with pytest.raises(OverflowError, match=r"^a distance from vertex 0 is beyond float64$"):
        reedsp.apsp(graph, method, True, device=device)
    graph = reedsp.Graph.from_edges(14, [0, 13], [1, 0], [1.5e308, 1.5e308])
    with pytest.raises(OverflowError, match=r"^a distance from vertex 13 is beyond float64$"):
        reedsp.apsp(graph, method, True, device=device)
    graph = reedsp.Graph.from_edges(3, [0, 2], [1, 1], [1.5e308, 1.6e308])
    assert reedsp.apsp(graph, method, True, device=device).dist[:, 1].tolist() == [1.5e308, 0, 1.6e308]
    # A path that leads out of the range and back in would depend on the order of its sums.
    graph = reedsp.Graph.from_edges(4, [0, 1, 2], [1, 2, 3], [1.5e308, 1.5e308, -1.7e308])
    with pytest.raises(OverflowError, match="path weights of up to inf"):
        reedsp.apsp(graph, method, device=device)
    with pytest.raises(OverflowError, match=r"^dtype = float32: a weight of magnitude 1\.7e\+308"):
        reedsp.apsp(graph, method, device=device, dtype="float32")


@pytest.mark.deep
@every_method
def test_22_subnormal_weights_count(method: str, device: Device) -> None:
    for dtype in ("float64", "float32"):
        if dtype == "float32" or device.fp64:
            tiny = np.finfo(dtype).smallest_subnormal
            weights = np.array([1, 1, 3, 0], dtype) * tiny
            graph = reedsp.Graph.from_edges(4, [0, 1, 0, 3], [1, 2, 3, 2], weights)
            result = reedsp.apsp(graph, method, True, device=device, dtype=dtype)
            assert result.dist[0].tolist() == [0, tiny, 2 * tiny, 3 * tiny]
            assert result.pred[0].tolist() == [-9999, 0, 1, 0]


@pytest.mark.deep
@every_method
def test_23_25_26_27_28_weights_of_every_kind(method: str, device: Device) -> None:
    for dtype in (np.uint8, np.int8, np.uint16, np.uint32, np.uint64, np.float16, np.float32, np.float64):
        graph = reedsp.Graph.from_edges(3, [0, 1, 0], [1, 2, 2], np.array([1, 2, 4], dtype))
        assert reedsp.apsp(graph, method, device=device).dist[0].tolist() == [0, 1, 3]
    graph = reedsp.Graph.from_edges(3, [0, 1, 0], [1, 2, 2], [True, True, False])
    assert reedsp.apsp(graph, method, device=device).dist[0].tolist() == [0, 1, 2]
    zero = reedsp.apsp(reedsp.Graph.from_edges(2, [0], [1], [-0.0]), method, device=device)
    assert not np.signbit(zero.dist).any()
    rounded = reedsp.Graph.from_edges(2, [0], [1], [-1e-60])
    assert not np.signbit(reedsp.apsp(rounded, method, device=device, dtype="float32").dist).any()
    if device.fp64:
        small = reedsp.apsp(np.array([[0, 1e-9, 1.0], [0, 0, 1e-12], [0, 0, 0]]), method, device=device)
        assert small.dist[0].tolist() == [0, 1e-9, 1e-9 + 1e-12]


# ---- fractional weights -----------------------------------------------------------------------------


def check_rounding(
    result: reedsp.AllPairs, edges: list[Edge], expected: list[list[Any]], magnitude: float | None
) -> None:
    """Assert that distances are near the exact ones, and that predecessors are trees that give them.

    Within one rounding of a number of this magnitude for each edge of a path, or of the distance itself.
    """
    n, eps = len(expected), float(np.finfo(result.dist.dtype).eps)
    for row, exact in zip(result.dist.tolist(), expected, strict=True):
        for d, right in zip(row, exact, strict=True):
            if right in (NO_PATH, UNBOUNDED):
                assert d == (np.inf if right is NO_PATH else UNBOUNDED)
            else:
                assert abs(Fraction(d) - right) <= n * eps * (float(right) if magnitude is None else magnitude)
    assert (result.dist.diagonal() <= 0).all()
    assert ((result.dist.diagonal() == 0) | (result.dist.diagonal() == UNBOUNDED)).all()
    if result.pred is None:
        return
    check_acyclic(result.pred, result.dist)
    best: dict[tuple[int, int], float] = {}
    for u, v, w in edges:
        best[u, v] = min(float(w), best.get((u, v), np.inf))
    for i, j in zip(*np.nonzero(result.pred != NO_VERTEX), strict=True):
        before = int(result.pred[i, j])
        through, own = float(result.dist[i, before]) + best[before, int(j)], float(result.dist[i, j])
        assert abs(through - own) <= 2 * n * eps * (own if magnitude is None else magnitude)


def fractional(kind: str, seed: int, dtype: str, n: int = 60) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return edges without a negative cycle whose weights floats cannot add up exactly."""
    rng = np.random.default_rng(seed)
    m = 5 * n
    u, v = rng.integers(0, n, (2, m))
    weights = rng.random(m)
    if kind == "scales":
        weights *= 10.0 ** rng.integers(-20, 3, m)
    elif kind == "hidden":  # what is below the last digit of the others decides about their order
        weights = np.where(rng.random(m) < 0.7, np.finfo(dtype).eps * weights, weights)
    elif kind == "tiny":
        weights = np.where(rng.random(m) < 0.5, 1e-30 * weights, weights)
    elif kind == "negative":
        potential = 10 * rng.random(n)
        weights += potential[v] - potential[u]
    elif kind == "tight":  # cycles weigh little more than nothing
        potential = 10 * rng.random(n)
        weights = potential[v] - potential[u] + 100 * np.finfo(dtype).eps
    return u, v, weights.astype(dtype)


@pytest.mark.deep
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("kind", ["plain", "scales", "hidden", "tiny", "negative", "tight"])
def test_rounding(kind: str, dtype: str, device: Device) -> None:
    if dtype == "float64":
        needs_doubles(device)
    for n, seed in ((60, 0), (45, 1)):
        u, v, weights = fractional(kind, seed, dtype, n)
        edges, expected = exactly(n, u, v, weights)
        graph = reedsp.Graph.from_edges(n, u, v, weights)
        magnitude = graph.simple_path_bound if graph.has_negative_weights else None
        for method in METHODS:
            result = reedsp.apsp(graph, method, True, device=device, dtype=dtype)
            assert result.dist.dtype == result.stats["arithmetic"] == dtype
            check_rounding(result, edges, expected, magnitude)
            again = reedsp.apsp(graph, method, True, device=device, dtype=dtype)
            assert np.array_equal(result.dist, again.dist)
            assert np.array_equal(result.pred, again.pred)


def test_edges_that_only_rounding_makes_longer_are_kept(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """From 0 the edge from 1 to 2 is as good as the way through 3, which costs less."""
    kept: list[int] = []
    find = all_pairs_answers.find_tight_edges

    def spy(*arguments: Any) -> Any:
        edges = find(*arguments)
        kept.append(edges.count)
        return edges

    monkeypatch.setattr(all_pairs_answers, "find_tight_edges", spy)
    graph = reedsp.Graph.from_edges(4, [0, 1, 1, 3], [1, 2, 3, 2], np.array([2**24, 1, 0.5, 0.4], np.float32))
    for method in METHODS:
        result = reedsp.apsp(graph, method, True, device=device, dtype="float32")
        assert result.dist[1, 2] < 1
        assert result.dist[0].tolist() == [0, 2**24, 2**24, 2**24]
        assert result.pred[0, 2] == 1
    assert kept == [4] * len(METHODS)


@pytest.mark.deep("floyd")
@every_method
def test_rounding_that_hides_predecessors(method: str, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sources for which it does are solved anew, and no others."""
    needs_doubles(device)
    anew: list[int] = []
    solve = Answers._solve

    def spy(answers: Answers, sources: np.ndarray, *arrays: np.ndarray) -> None:
        anew.extend(sources.tolist())
        solve(answers, sources, *arrays)

    monkeypatch.setattr(Answers, "_solve", spy)
    n = 50
    for seed in range(3):
        rng = np.random.default_rng(seed)
        u, v = rng.integers(0, n, (2, 2 * n))
        weights = np.where(rng.random(2 * n) < 0.6, 1.2e-16 * rng.random(2 * n), rng.random(2 * n))
        graph = reedsp.Graph.from_edges(n, u, v, weights, directed=False)
        result = reedsp.apsp(graph, method, True, device=device)
        edges = edges_of(u, v, weights.tolist(), False)
        check_rounding(result, edges, oracle.all_distances(n, edges), None)
    assert 0 < len(anew) < 3 * n


def test_rounding_that_turns_predecessors_round(device: Device) -> None:
    """With these weights 1 comes before 3 on the way down in floats, and 3 before 1 on the way that costs less."""
    needs_doubles(device)
    u, v = [1, 0, 0, 1, 2, 3], [3, 1, 4, 2, 4, 4]
    weights = [6.860153538505335e-17, 4.100093939196345e-17, 0.7064295233319244]
    weights += [0.932317954732589, 0.6692623431651683, 9.258236680662119e-17]
    graph = reedsp.Graph.from_edges(5, u, v, weights, directed=False)
    edges = edges_of(u, v, weights, False)
    for method in METHODS:
        result = reedsp.apsp(graph, method, True, device=device)
        check_rounding(result, edges, oracle.all_distances(5, edges), None)
    assert result.path(2, 1)[-1] == 1


@every_method
def test_float32_weights_are_added_in_float64_by_default(method: str, device: Device) -> None:
    needs_doubles(device)
    weights = np.array([0.1, 0.2, 0.3], np.float32)
    result = reedsp.apsp(reedsp.Graph.from_edges(4, [0, 1, 2], [1, 2, 3], weights), method, device=device)
    assert result.dist[0, 3] == weights.astype(np.float64).sum()


def tree_both_ways(n: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return a random tree whose edges weigh the opposite on the way back, and what each vertex is above the root."""
    rng = np.random.default_rng(seed)
    parent, weights = [int(rng.integers(0, i)) for i in range(1, n)], rng.random(n - 1) - 0.5
    height = [Fraction(0)]
    for up, weight in zip(parent, weights.tolist(), strict=True):
        height.append(height[up] + Fraction(weight))
    name = rng.permutation(n)
    u, v = name[parent], name[1:]
    exact = np.empty(n, object)
    exact[name] = height
    return np.append(u, v), np.append(v, u), np.append(weights, -weights), exact


@pytest.mark.deep
@with_options([*((method, {}) for method in METHODS), OPTIONS[2]])
def test_14_rounding_errors_do_not_grow_around_cycles(method: str, options: dict[str, str], device: Device) -> None:
    """Every cycle weighs exactly nothing, and many of them less than nothing in floats.

    In place each vertex could double the error: without care it is beyond 1 at 400 vertices.
    """
    needs_doubles(device)
    n = 200
    u, v, weights, height = tree_both_ways(n, 2)
    graph = reedsp.Graph.from_edges(n, u, v, weights)
    result = reedsp.apsp(graph, method, device=device, options=options)
    exact = height - height[:, None]
    error = np.abs(np.array([[Fraction(d) for d in row] for row in result.dist.tolist()]) - exact).max()
    assert error <= n * np.finfo(np.float64).eps * graph.simple_path_bound
    assert not result.dist.diagonal().any()
    n = 60
    u, v, weights, height = tree_both_ways(n, 3)
    edges, expected = exactly(n, u, v, weights)
    graph = reedsp.Graph.from_edges(n, u, v, weights)
    result = reedsp.apsp(graph, method, True, device=device, options=options)
    check_rounding(result, edges, expected, graph.simple_path_bound)


@pytest.mark.deep
def test_files_of_distances_that_rounding_has_spoilt(
    device: Device, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are corrected a few rows at a time, and before they are written, also where no predecessors are wanted."""
    needs_doubles(device)
    n = 60
    u, v, weights, height = tree_both_ways(n, 3)
    graph = reedsp.Graph.from_edges(n, u, v, weights)
    exact = (height - height[:, None]).astype(np.float64)
    monkeypatch.setattr(path_matrix, "_ROWS_BYTES", 4096)
    for predecessors in (False, True):
        file = tmp_path / f"{predecessors}.npy"
        result = reedsp.apsp(graph, "floyd-warshall", predecessors, device=device, out=file)
        assert not result.dist.diagonal().any()
        np.testing.assert_allclose(result.dist, exact, rtol=0, atol=n * 2.0**-52 * graph.simple_path_bound)
        assert np.array_equal(result.dist, reedsp.apsp(graph, "floyd-warshall", predecessors, device=device).dist)


# ---- negative cycles --------------------------------------------------------------------------------


@pytest.mark.deep("negative self loop-floyd-warshall")
@every_method
@pytest.mark.parametrize("family", NEGATIVE_CYCLES, ids=lambda family: family.name)
def test_05_10_12_15_negative_cycles_raise(family: Family, method: str, device: Device) -> None:
    for units in (1, UNITS) if device.fp64 else (1,):
        graph = family.graph(units=units)
        with pytest.raises(reedsp.NegativeCycleError) as caught:
            reedsp.apsp(graph, method, predecessors=True, device=device)
        weight = oracle.closed_walk_weight(family.edges, caught.value.cycle)
        assert weight < 0
        assert caught.value.weight == weight / units
        with pytest.raises(reedsp.NegativeCycleError):
            reedsp.apsp(graph, method, device=device, dtype="float32")


@every_method
def test_11_12_raised_wherever_it_is(method: str, device: Device) -> None:
    """Also where nothing leads to it."""
    u, v = [0, 1, 68, 69, 69], [1, 2, 69, 68, 3]
    for scale in (1, 0.25):
        weights = np.array([5, 7, 2, -3, 1]) * scale
        with pytest.raises(reedsp.NegativeCycleError) as caught:
            reedsp.apsp(reedsp.Graph.from_edges(70, u, v, weights), method, device=device)
        assert sorted(caught.value.cycle[1:]) == [68, 69]
        assert caught.value.weight == -scale


@pytest.mark.deep("floyd", "1-min-plus")
@every_method
@pytest.mark.parametrize("units", [1, UNITS])
def test_13_total_of_minus_one_among_large_weights(units: int, method: str, device: Device) -> None:
    if units > 1:
        needs_doubles(device)
    n = 200
    rng = np.random.default_rng(0)
    weights = rng.integers(-(10**6), 10**6, n)
    weights[-1] -= weights.sum() + 1
    ring = np.arange(n), (np.arange(n) + 1) % n
    with pytest.raises(reedsp.NegativeCycleError) as caught:
        reedsp.apsp(reedsp.Graph.from_edges(n, *ring, weights / units), method, device=device)
    assert caught.value.weight == -1 / units
    assert len(caught.value.cycle) == n + 1
    weights[-1] += 1
    result = reedsp.apsp(reedsp.Graph.from_edges(n, *ring, weights / units), method, device=device)
    heights = np.append(0, np.cumsum(weights[:-1]))
    assert np.array_equal(result.dist * units, heights - heights[:, None])


def check_decided_exactly(
    n: int, u: list[int], v: list[int], weights: list[float], method: str, device: Device
) -> None:
    graph = reedsp.Graph.from_edges(n, u, v, np.array(weights, np.float64))
    edges, expected = exactly(n, u, v, weights)
    marked = reedsp.apsp(graph, method, True, "mark", device=device)
    check_rounding(marked, edges, expected, graph.simple_path_bound)
    if any(UNBOUNDED in row for row in expected):
        with pytest.raises(reedsp.NegativeCycleError) as caught:
            reedsp.apsp(graph, method, device=device)
        weight = oracle.closed_walk_weight(edges, caught.value.cycle)
        assert weight < 0
        assert caught.value.weight == float(weight)
    else:
        raised = reedsp.apsp(graph, method, True, device=device)
        assert np.array_equal(raised.dist, marked.dist)
        assert np.array_equal(raised.pred, marked.pred)


@pytest.mark.deep
@every_method
@pytest.mark.parametrize(
    "weights",
    [
        (0.1, 0.2, -0.3),
        (0.1, 0.2, -0.30000000000000004),
        (0.7, 0.1, -0.8),
        (0.7, 0.1, -0.7999999999999999),
        (1.1, 2.2, -3.3000000000000003),
        (0.5, 0.25, -0.75),
        (1e16, 1.0, -1e16, -0.5),
        (1e16, 1.0, -1e16, -1.0),
        (1e16, 0.5, -1e16, -0.75),
        (1.0, 1e-17, -1.0),
        (1.0, -1e-17, -1.0),
        (5e-324, -5e-324),
        (5e-324, -1e-323),
        (0.1, -0.1),
        (-1e-17,),
    ],
    ids=str,
)
def test_tiny_totals_are_decided_exactly(weights: tuple[float, ...], method: str, device: Device) -> None:
    needs_doubles(device)
    ring = list(range(len(weights)))
    for turn in ring:  # the order in which vertices come decides how it is added up
        u = [(each + turn) % len(ring) for each in ring]
        v = [(each + turn + 1) % len(ring) for each in ring]
        check_decided_exactly(len(ring), u, v, list(weights), method, device)
        # and in the middle of a path
        n = len(ring) + 2
        check_decided_exactly(n, [*u, n - 2, u[-1]], [*v, u[0], n - 1], [*weights, 2.5, 0.3], method, device)


@pytest.mark.deep("floyd")
@every_method
def test_random_totals_near_zero_are_decided_exactly(method: str, device: Device) -> None:
    """Each ring weighs what is left of floats that add up to zero; some of them hang on one another."""
    needs_doubles(device)
    negative = 0
    for seed in range(8):
        rng = np.random.default_rng(seed)
        u, v, weights = [], [], []
        n = 0
        for size in rng.integers(2, 9, 7).tolist():
            own = (rng.random(size - 1) - 0.5) * 10.0 ** rng.integers(-3, 3, size - 1)
            ring = (n + rng.permutation(size)).tolist()
            last = -float(own.sum())
            exact = sum(map(Fraction, own.tolist()), Fraction(last))
            if exact < 0 and rng.random() < 0.7:
                last = float(np.nextafter(np.nextafter(last, np.inf), np.inf))
            negative += sum(map(Fraction, own.tolist()), Fraction(last)) < 0
            u += ring
            v += [*ring[1:], ring[0]]
            weights += [*own.tolist(), last]
            if n and rng.random() < 0.5:
                u.append(int(rng.integers(0, n)))
                v.append(n)
                weights.append(float(rng.random()))
            n += size
        check_decided_exactly(n, u, v, weights, method, device)
    assert 3 < negative < 40


def test_rounding_neither_hides_nor_fakes_a_negative_cycle(device: Device) -> None:
    """At 1e16 neighbouring floats are 2 apart."""
    needs_doubles(device)
    for method in METHODS:
        check_decided_exactly(4, [0, 1, 2, 2], [1, 2, 1, 3], [1e16, 0.5, -0.75, 1.0], method, device)
        check_decided_exactly(5, [0, 1, 2, 3, 3], [1, 2, 3, 1, 4], [1e16, 0.9, 0.9, -1.1, 8.0], method, device)


@every_method
def test_whole_floats_beyond_int64(method: str, device: Device) -> None:
    """They are added in floats, so that the diagonal does not say which cycles are negative."""
    needs_doubles(device)
    big = 2.0**80
    check_decided_exactly(3, [0, 1, 1], [1, 0, 2], [big, -2 * big, 3.0], method, device)
    check_decided_exactly(3, [0, 1, 1], [1, 0, 2], [big, -big, 3.0], method, device)


# ---- negative cycles, marked ------------------------------------------------------------------------


def several_cycles(n: int, seed: int, low: int = -3) -> Family:
    """Return a sparse graph with negative cycles in some of its components, and others around them."""
    rng = np.random.default_rng(seed)
    potential = rng.integers(-40, 40, n)
    u, v = rng.integers(0, n, (2, 2 * n))
    kept = u // 8 <= v // 8  # no way back to components before
    u, v = u[kept], v[kept]
    weights = potential[v] - potential[u] + rng.integers(0, 9, len(u))
    ends = list(zip(u.tolist(), v.tolist(), weights.tolist(), strict=True))
    for first in range(8, n - 8, 40):
        ring = (first + rng.permutation(8)[: rng.integers(1, 8)]).tolist()
        steps = list(zip(ring, [*ring[1:], ring[0]], strict=True))
        ends += [(a, b, int(potential[b] - potential[a])) for a, b in steps[:-1]]
        a, b = steps[-1]
        ends.append((a, b, int(potential[b] - potential[a]) + low))
    sources, targets, numbers = (list(each) for each in zip(*ends, strict=True))
    return Family(f"several cycles {seed}", n, sources, targets, numbers)


MARKED = [
    *(family for family in NEGATIVE_CYCLES if family.n <= 131 and family.name != "heavy"),
    named("negative cycle out of reach"),
    Family("behind a path", 90, [*range(89), 89], [*range(1, 90), 70], [7] * 89 + [-7 * 19 - 1]),
    Family("long ring", 131, list(range(131)), [*range(1, 131), 0], [1] * 130 + [-131]),
    *(several_cycles(n, seed) for n, seed in ((70, 1), (100, 2), (131, 3))),
    several_cycles(90, 4, low=-(2**26)),
    Family("only loops", 66, [3, 40, 65, 3, 65], [3, 40, 65, 7, 64], [-1, -2, 0, 4, 9]),
    Family("one vertex", 1, [0], [0], [-1]),
]


@pytest.mark.deep
@pytest.mark.parametrize("family", MARKED, ids=lambda family: family.name)
def test_marks(family: Family, device: Device) -> None:
    dist = oracle.all_distances(family.n, family.edges)
    pred = oracle.all_predecessors(family.n, family.edges, dist)
    assert any(UNBOUNDED in row for row in dist)
    for units in (1, UNITS) if device.fp64 else (1,):
        graph = family.graph(units=units)
        for method, dtype in itertools.product(METHODS, (None, "int64", "int32", "float32")):
            if units > 1 and dtype in ("int64", "int32"):
                continue
            result = reedsp.apsp(graph, method, True, "mark", device=device, dtype=dtype)
            assert result.dist.dtype == (dtype or "float64")
            assert result.dist.tolist() == as_type(dist, result.dist.dtype, units)
            assert result.pred.tolist() == pred
            check_paths(result, family.edges, dist, some_pairs(family.n, count=60), units)


@pytest.mark.deep
@every_option
def test_marks_with_every_option(method: str, options: dict[str, str], device: Device) -> None:
    family = several_cycles(100, 2)
    dist = oracle.all_distances(family.n, family.edges)
    for units in (1, UNITS) if device.fp64 else (1,):
        result = reedsp.apsp(family.graph(units=units), method, negative_cycles="mark", device=device, options=options)
        assert result.dist.tolist() == as_type(dist, result.dist.dtype, units)


@pytest.mark.deep
@with_options([*((method, {}) for method in METHODS), *OPTIONS[1:5]])
def test_weights_that_fall_exponentially(method: str, options: dict[str, str], device: Device) -> None:
    """Each vertex can double them: they neither overflow nor become no number, and nothing else changes."""
    size, n = 130, 150
    u, v = np.nonzero(~np.eye(size, dtype=bool))
    # before: 130 -> 131 -> the cycles; after: 132 -> 133; beside: 134 -> ... -> 149, from 130 as well
    u = np.concatenate((u, [130, 131, 7, 132, 130], np.arange(134, 149)))
    v = np.concatenate((v, [131, 9, 132, 133, 134], np.arange(135, 150)))
    inside = size * (size - 1)
    for weight, tail, dtype, arithmetic in (
        (-1, 1, "int32", "int32"),
        (-(2**24), 2**20, "int64", "int64"),
        (-1.5, 0.25, "float64", "float64"),
        (-1.5, 0.25, "float32", "float32"),
        (-1e30, 2**20 + 0.5, "float64", "float64"),
    ):
        if dtype == "float64" and not device.fp64:
            continue
        weights = np.append(np.full(inside, weight), np.full(len(u) - inside, tail))
        graph = reedsp.Graph.from_edges(n, u, v, weights)
        result = reedsp.apsp(graph, method, True, "mark", device=device, dtype=dtype, options=options)
        assert result.stats["arithmetic"] == arithmetic
        floats = np.dtype(dtype).kind == "f"
        expected = np.full((n, n), np.inf if floats else np.iinfo(dtype).max, dtype)
        np.fill_diagonal(expected, 0)
        chain = np.array([130, *range(134, 150)])
        for place, vertex in enumerate(chain):
            expected[vertex, chain[place:]] = np.arange(len(chain) - place) * np.dtype(dtype).type(tail)
        expected[130, 131] = expected[132, 133] = tail
        expected[np.ix_([*range(size), 130, 131], [*range(size), 132, 133])] = (
            -np.inf if floats else np.iinfo(dtype).min
        )
        assert np.array_equal(result.dist, expected)
        assert (result.pred[chain[:-1], chain[1:]] == chain[:-1]).all()
        assert (result.pred[:size] == NO_VERTEX).all()
        with pytest.raises(reedsp.NegativeCycleError):
            reedsp.apsp(graph, method, device=device, dtype=dtype, options=options)


# ---- what a graph is given as -----------------------------------------------------------------------


def test_53_nodes_of_networkx(device: Device) -> None:
    graph = nx.DiGraph()
    graph.add_weighted_edges_from([("a", "b", 2), ("b", ("c", 1), 1), ("a", ("c", 1), 7)])
    graph.add_node("alone")
    nodes = list(graph)
    result = reedsp.apsp(graph, predecessors=True, device=device)
    assert result.path("a", ("c", 1)) == ["a", "b", ("c", 1)]
    assert result.dist[nodes.index("a")].tolist() == [0, 2, 3, np.inf]
    with pytest.raises(ValueError, match="no path from vertex 'a' to vertex 'alone'"):
        result.path("a", "alone")
    with pytest.raises(ValueError, match="'z' is not a vertex"):
        result.path("z", "a")
    assert list(graph) == nodes
    expected = dict(nx.all_pairs_dijkstra_path_length(graph))
    for i, j in itertools.product(nodes, repeat=2):
        assert expected[i].get(j, np.inf) == result.dist[nodes.index(i), nodes.index(j)]


def test_31_32_33_34_graph_may_be_anything_that_holds_one(device: Device) -> None:
    dense = np.array([[0, 4, 1, 0], [0, 0, 0, 3], [0, 2, 0, 0], [6, 0, 0, 0]])
    expected = reedsp.apsp(reedsp.Graph.from_dense(dense), device=device).dist
    assert expected[0].tolist() == [0, 3, 1, 6]
    locked = dense.copy()
    locked.flags.writeable = False
    masked = np.ma.masked_equal(dense, 0)
    for graph in (dense, dense.tolist(), np.asfortranarray(dense), locked, masked, dense.astype(np.float32)):
        assert np.array_equal(reedsp.apsp(graph, device=device).dist, expected)
    for kind in ("csr", "csc", "coo", "lil", "dok", "bsr", "dia"):
        for matrix in (scipy.sparse.csr_array(dense).asformat(kind), scipy.sparse.csr_matrix(dense).asformat(kind)):
            assert np.array_equal(reedsp.apsp(matrix, device=device).dist, expected)
            assert np.array_equal(matrix.toarray(), dense)
    assert (masked.mask == (dense == 0)).all()
    with pytest.raises(TypeError, match="graph: expected"):
        reedsp.apsp("graph", device=device)


def test_17_infinite_weights_are_no_edges(device: Device) -> None:
    graph = reedsp.Graph.from_edges(3, [0, 1, 0], [1, 2, 2], [1.0, 2.0, np.inf])
    assert reedsp.apsp(graph, device=device).dist[0].tolist() == [0, 1, 3]
    assert reedsp.apsp([[0, np.inf], [1, 0]], device=device).dist.tolist() == [[0, np.inf], [1, 0]]


# ---- arguments --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"method": "dijkstra"}, ValueError, "^method = 'dijkstra', expected one of 'auto', 'min-plus', 'floyd-war"),
        ({"negative_cycles": "ignore"}, ValueError, "^negative_cycles = 'ignore', expected 'raise' or 'mark'"),
        ({"options": {"product": "tiles"}}, ValueError, "^options: 'product' needs a method that has it: 'min"),
        ({"options": {"kernel": "cuda"}}, ValueError, "^options: kernel = 'cuda', expected one of 'blocked', 'harish"),
        ({"method": "min-plus", "options": {"kernel": "blocked"}}, ValueError, "'min-plus' has no option 'kernel'"),
        (
            {"method": "min-plus", "options": {"product": "fast"}},
            ValueError,
            "product = 'fast', expected one of 'auto'",
        ),
        ({"dtype": "int16"}, ValueError, "^dtype = int16"),
        ({"dtype": "int64"}, ValueError, "^dtype = int64 .*fractional"),
        ({"device": "no such device"}, reedsp.DeviceError, "fits none of the devices found"),
        ({"device": 1.5}, TypeError, "^device: expected"),
        ({"device": b"0"}, TypeError, "^device: expected .*, got bytes"),
        ({"device": [0, "no such device"]}, reedsp.DeviceError, r"^device\[1\] = 'no such device' fits none"),
        ({"device": [0, 1.5]}, TypeError, r"^device\[1\]: expected"),
        ({"device": []}, ValueError, "^device: the list is empty"),
    ],
)
def test_44_bad_arguments(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    graph = reedsp.Graph.from_edges(3, [0, 1], [1, 2], [0.5, 0.5])
    with pytest.raises(error, match=message):
        reedsp.apsp(graph, **arguments)


@pytest.mark.parametrize(
    ("graph", "error", "message"),
    [
        ([[0, np.nan], [1, 0]], ValueError, r"^matrix\[0, 1\] is nan"),
        ([[0, 1], [-np.inf, 0]], ValueError, r"^matrix\[1, 0\] is -inf"),
        ([[0, 1j], [1, 0]], TypeError, "^matrix"),
        ([["a", "b"], ["c", "d"]], TypeError, "^matrix"),
        ([[0, 1, 2], [1, 0, 2]], ValueError, r"shape \(2, 3\)"),
        (np.zeros(4), ValueError, "1 dimensions"),
        (np.zeros((2, 2, 2)), ValueError, "3 dimensions"),
        (None, TypeError, "^graph: expected"),
    ],
)
def test_16_18_29_30_38_bad_graphs(graph: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        reedsp.apsp(graph)


def test_routes(device: Device) -> None:
    graph = reedsp.Graph.from_edges(5, [0, 0, 1, 2], [1, 2, 3, 3], [7, 2, 1, 3])
    result = reedsp.apsp(graph, predecessors=True, device=device)
    assert result.path(0, 3) == result.path(-5, -2) == [0, 2, 3]
    assert result.path(4, 4) == [4]
    for pair, error, message in (
        ((0, 4), ValueError, "no path from vertex 0 to vertex 4"),
        ((0, 5), ValueError, "target = 5 is not a vertex"),
        ((-6, 0), ValueError, "source = -6 is not a vertex"),
        ((1.5, 0), TypeError, "source: expected an integer"),
    ):
        with pytest.raises(error, match=message):
            result.path(*pair)
    with pytest.raises(ValueError, match="ask for them with predecessors=True"):
        reedsp.apsp(graph, device=device).path(0, 3)
    assert repr(result).startswith(f"<reedsp.AllPairs: 5 vertices, {result.method}, ")


@every_method
def test_progress_and_stats(method: str, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(floyd_warshall, "_PAIRS_BETWEEN_WAITS", (0, 0))
    n = floyd_warshall.SPAN + 70
    seen: list[tuple[int, int]] = []
    graph = reedsp.Graph.from_edges(n, range(n - 1), range(1, n))
    result = reedsp.apsp(graph, method, device=device, progress=lambda *state: seen.append(state))
    assert np.array_equal(result.dist[0], np.arange(n))
    done = [vertices for vertices, _ in seen]
    assert len(done) > 1
    assert all(before < after for before, after in itertools.pairwise(done))
    assert done[-1] == n
    assert {most for _, most in seen} == {n}
    assert {"device", "kernels_launched", "milliseconds", "bytes_to_device", "bytes_from_device"} <= set(result.stats)
    assert result.stats["kernels_launched"] > 3
    assert result.stats["bytes_from_device"] >= 2 * n * n
    assert result.stats["milliseconds"] > 0


@pytest.mark.parametrize("predecessors", [False, True])
def test_phases_of_files(predecessors: bool, tmp_path: Path, device: Device) -> None:
    weights = np.random.default_rng(1).integers(1, 100, (130, 130))
    phases = reedsp.apsp(weights, predecessors=predecessors, out=tmp_path / "x.npy", device=device).stats["phases"]
    assert min(phases[phase] for phase in ("prepare", "search", "download")) > 0
    assert (phases["tree"] > 0) == predecessors


@every_method
@pytest.mark.parametrize("predecessors", [False, True])
def test_phases_add_up_to_the_call(method: str, predecessors: bool, device: Device) -> None:
    weights = np.random.default_rng(1).integers(1, 100, (130, 130))
    started = time.perf_counter()
    stats = reedsp.apsp(weights, method, predecessors, device=device).stats
    elapsed = 1e3 * (time.perf_counter() - started)
    assert stats["milliseconds"] <= sum(stats["phases"].values()) <= elapsed
    assert min(stats["phases"][phase] for phase in ("prepare", "upload", "search", "download")) > 0
    assert (stats["phases"]["tree"] > 0) == predecessors


@every_method
def test_usable_after_an_error(method: str, device: Device) -> None:
    bad = reedsp.Graph.from_edges(2, [0, 1], [1, 0], [1, -2])
    good = reedsp.Graph.from_edges(2, [0, 1], [1, 0], [2, -2])
    for _ in range(2):
        with pytest.raises(reedsp.NegativeCycleError):
            reedsp.apsp(bad, method, device=device)
        assert reedsp.apsp(good, method, device=device).dist.tolist() == [[0, 2], [-2, 0]]


def test_documented_examples(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REEDSP_DEVICE", device.name)
    assert doctest.testmod(apsp, raise_on_error=True).attempted >= 3
