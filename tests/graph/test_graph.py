"""Every way to make a Graph: the right edges, nothing aliased, and each fault refused by name and position."""

from __future__ import annotations

import contextlib
import copy
import functools
import itertools
import pickle
import re
import tracemalloc
from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import networkx as nx
import numpy as np
import pandas
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from reedsp.graph import graph as graph_module
from reedsp.graph.arguments import as_graph
from reedsp.graph.graph import MAX_VERTICES, Graph
from reedsp.system import parts

INT64_MAX = 2**63 - 1
INTEGERS = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]
FLOATS = [np.float16, np.float32, np.float64, np.longdouble]
STORED_AS = {
    np.bool_: np.int32,
    np.int8: np.int32,
    np.int16: np.int32,
    np.int32: np.int32,
    np.int64: np.int64,
    np.uint8: np.int32,
    np.uint16: np.int32,
    np.uint32: np.int64,
    np.uint64: np.int64,
    np.float16: np.float32,
    np.float32: np.float32,
    np.float64: np.float64,
    np.longdouble: np.float64,
}
FORMATS = ("csr", "csc", "coo", "lil", "dok", "bsr", "dia")
SPARSE = [getattr(sp, f"{form}_{kind}") for form in FORMATS for kind in ("array", "matrix")]

Edges = list[tuple[int, int, Any]]


def name_of(parameter: object) -> str | None:
    return getattr(parameter, "__name__", None)


def stored(graph: Graph) -> Edges:
    """Return the edges in the order in which they are stored."""
    sources = np.repeat(np.arange(graph.n), np.diff(graph.indptr))
    return list(zip(sources.tolist(), graph.indices.tolist(), graph.weights.tolist(), strict=True))


def canonical(edges: Iterable[tuple[int, int, Any]], directed: bool = True) -> Edges:
    """Return what a graph has to store: sorted, of parallel edges the least, both ways if undirected."""
    least: dict[tuple[int, int], Any] = {}
    for u, v, w in edges:
        for pair in {(u, v)} if directed else {(u, v), (v, u)}:
            least[pair] = min(w, least.get(pair, w))
    return [(u, v, w) for (u, v), w in sorted(least.items())]


def bits(array: np.ndarray) -> bytes:
    return array.dtype.str.encode() + array.tobytes()


def assert_sound(graph: Graph) -> None:
    """Assert what the library relies on and never checks again."""
    assert graph.indptr.dtype == np.int64
    assert graph.indices.dtype == np.int32
    assert graph.weights.dtype in (np.int32, np.int64, np.float32, np.float64)
    assert graph.indptr.shape == (graph.n + 1,)
    assert graph.indices.shape == graph.weights.shape == (graph.m,)
    assert graph.indptr[0] == 0
    assert graph.indptr[-1] == graph.m
    assert (np.diff(graph.indptr) >= 0).all()
    pairs = [(u, v) for u, v, _ in stored(graph)]
    assert all(before < after for before, after in itertools.pairwise(pairs))
    assert all(0 <= v < graph.n for _, v in pairs)
    if graph.weights.dtype.kind == "f":
        assert np.isfinite(graph.weights).all()
        assert not (np.signbit(graph.weights) & (graph.weights == 0)).any()
    for array in (graph.indptr, graph.indices, graph.weights):
        assert array.flags.c_contiguous
        assert array.flags.owndata
        with pytest.raises(ValueError, match=r"read-only"):
            array[...] = 0
    if not graph.directed:
        assert sorted((v, u, w) for u, v, w in stored(graph)) == stored(graph)


def assert_same(graph: Graph, other: Graph) -> None:
    assert graph.n == other.n
    for one, two in zip(
        (graph.indptr, graph.indices, graph.weights), (other.indptr, other.indices, other.weights), strict=True
    ):
        assert bits(one) == bits(two)
    assert (graph.directed, graph.offset, graph.labels) == (other.directed, other.offset, other.labels)


def in_csr(n: int, sources: Sequence[int], targets: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return indptr, indices and data, duplicates and order within a row kept."""
    order = np.argsort(sources, kind="stable")
    indptr = np.concatenate(([0], np.cumsum(np.bincount(sources, minlength=n))))
    return indptr, np.asarray(targets)[order], np.asarray(weights)[order]


# ---- from_edges and the constructor -----------------------------------------------------------------


def test_01_no_vertices() -> None:
    empty = [
        Graph([0], []),
        Graph([0], [], []),
        Graph.from_edges(0, [], []),
        Graph.from_edges(0, [], [], [], directed=False, labels=[]),
        Graph.from_dense(np.zeros((0, 0))),
        Graph.from_dense(np.ma.masked_array(np.zeros((0, 0)))),
        Graph.from_networkx(nx.MultiGraph()),
        *(Graph.from_scipy(kind((0, 0))) for kind in SPARSE),
    ]
    for graph in empty:
        assert_sound(graph)
        assert (graph.n, graph.m, graph.indptr.tolist()) == (0, 0, [0])
        assert graph.to_scipy().shape == (0, 0)
        assert [len(part) for part in graph.in_edges()] == [1, 0, 0]
        assert graph.max_abs_weight == graph.simple_path_bound == 0
        assert graph.has_integral_weights
        assert not graph.has_negative_weights
        assert_same(graph, pickle.loads(pickle.dumps(graph)))
        with pytest.raises(ValueError, match=r"0 is not a vertex"):
            graph.index(0)


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize(("loops", "kept"), [([], []), ([4], [4]), ([-3, 5], [-3]), ([0], [0]), ([np.inf], [])])
def test_02_one_vertex_with_and_without_a_loop(loops: list[float], kept: list[float], directed: bool) -> None:
    nowhere = [0] * len(loops)
    graph = Graph.from_edges(1, nowhere, nowhere, loops, directed)
    assert_sound(graph)
    assert (graph.n, graph.weights.tolist()) == (1, kept)


@pytest.mark.parametrize("directed", [True, False])
def test_03_no_edges(directed: bool) -> None:
    none = np.array([], np.uint8)
    graph = Graph.from_edges(5, none, (), directed=directed)
    assert_sound(graph)
    assert (graph.n, graph.m) == (5, 0)
    assert graph.in_edges().indptr.tolist() == [0] * 6
    assert_same(graph, Graph([0] * 6, [], directed=directed))
    assert Graph.from_networkx(nx.empty_graph(5)).m == Graph.from_dense(np.zeros((5, 5))).m == 0


@pytest.mark.parametrize("weight", [3, 0, -2, 0.5, -0.5])
def test_04_05_self_loops_are_stored_once(weight: float) -> None:
    for directed in (True, False):
        graph = Graph.from_edges(3, [1, 1, 0], [1, 1, 1], [weight, weight + 1, 7], directed)
        assert_sound(graph)
        assert [edge for edge in stored(graph) if edge[0] == edge[1]] == [(1, 1, weight)]
        assert graph.m == (2 if directed else 3)


def test_undirected_edges_go_both_ways_and_the_lighter_counts() -> None:
    edges = [(0, 1, 5), (1, 0, 3), (2, 1, -4), (2, 2, 6), (3, 0, 8), (0, 3, 8)]
    u, v, w = zip(*edges, strict=True)
    graph = Graph.from_edges(5, u, v, w, directed=False)
    assert_sound(graph)
    assert stored(graph) == canonical(edges, directed=False)
    assert_same(graph, Graph(*in_csr(5, u, v, w), directed=False))
    dense = np.full((5, 5), np.inf)
    dense[list(u), list(v)] = w
    as_float = Graph.from_dense(dense, directed=False)
    assert stored(as_float) == stored(graph)
    assert stored(Graph.from_scipy(sp.coo_array((w, (u, v)), (5, 5)), directed=False)) == stored(graph)
    assert in_edges_of(graph) == in_edges_of(as_float)


@pytest.mark.parametrize("form", ["csr", "csc"])
@pytest.mark.parametrize("entries", [1, 7, 2**16, 2**16 + 1, 200_000])
def test_rows_of_which_some_entries_are_no_edges(form: str, entries: int) -> None:
    """Rows end where the entries that are looked at together do, on both sides of that, and without any entry."""
    rng = np.random.default_rng(entries)
    ends = np.array([0, 0, 2**16 - 1, 2**16, 2**16, 2**16 + 1, 2**17, 2**17])
    indptr = np.sort(np.minimum(np.append(np.append(ends, rng.integers(0, entries + 1, 500)), entries), entries))
    n = len(indptr) - 1
    weights = rng.choice([1.5, 2.5, np.inf], entries)
    matrix = getattr(sp, f"{form}_array")((weights, rng.integers(0, n, entries), indptr), shape=(n, n))
    there = matrix.tocoo()
    kept = there.data < np.inf
    assert stored(Graph.from_scipy(matrix)) == stored(
        Graph.from_edges(n, there.row[kept], there.col[kept], there.data[kept])
    )


def test_memory_of_entries_that_are_no_edges() -> None:
    """Some are looked at together, not all: nothing has eight bytes for each."""
    n, each = 2**11, 2**10
    there, columns = np.arange(n * each) % 3 > 0, np.tile(np.arange(each, dtype=np.int32), n)
    matrix = sp.csr_array((there, columns, np.arange(n + 1, dtype=np.int32) * each), shape=(n, n))
    tracemalloc.start()
    graph = Graph.from_scipy(matrix)
    taken = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert graph.m == np.count_nonzero(there)
    assert taken < 12 * n * each  # columns, weights and what is kept are 9


def extreme_weights(dtype: type, rng: np.random.Generator, count: int) -> np.ndarray:
    if dtype is np.bool_:
        return rng.integers(0, 2, count).astype(np.bool_)
    if np.dtype(dtype).kind in "iu":
        info = np.iinfo(dtype)
        top = min(int(info.max), INT64_MAX)
        pool = [info.min, info.min + 1, 0, 1, 2, top - 1, top]
        return np.array(pool, dtype)[rng.integers(0, len(pool), count)]
    info = np.finfo(np.float64 if dtype is np.longdouble else dtype)
    tiny = float(info.smallest_subnormal)
    pool = [
        float(info.min),
        -1.0,
        -tiny,
        -0.0,
        0.0,
        tiny,
        2 * tiny,
        1.0,
        1.0 + float(info.eps),
        float(info.max),
        np.inf,
    ]
    return np.array(pool, dtype)[rng.integers(0, len(pool), count)]


@pytest.mark.parametrize(
    ("way", "dtype"),
    [
        pytest.param(way, dtype, id=f"{way}-{dtype.__name__}")
        for way in ("from_edges", "Graph", "csr", "csc", "coo", "bsr")
        for dtype in STORED_AS
        if dtype is not np.float16 or way in ("from_edges", "Graph")  # SciPy has no sparse float16
    ],
)
@pytest.mark.parametrize("directed", [True, False])
def test_06_parallel_edges_keep_the_minimum_of_every_dtype(way: str, dtype: type, directed: bool) -> None:
    rng = np.random.default_rng(1)
    n, m = 7, 400
    u, v = rng.integers(0, n, (2, m))
    weights = extreme_weights(dtype, rng, m)
    before = [bits(array) for array in (u, v, weights)]
    if way == "from_edges":
        graph = Graph.from_edges(n, u, v, weights, directed)
    elif way == "Graph":
        graph = Graph(*in_csr(n, u, v, weights), directed=directed)
    elif way == "coo":
        graph = Graph.from_scipy(sp.coo_array((weights, (u, v)), shape=(n, n)), directed)
    elif way == "csr":
        indptr, targets, data = in_csr(n, u, v, weights)
        graph = Graph.from_scipy(sp.csr_array((data, targets, indptr), shape=(n, n)), directed)
    elif way == "csc":
        indptr, sources, data = in_csr(n, v, u, weights)
        graph = Graph.from_scipy(sp.csc_array((data, sources, indptr), shape=(n, n)), directed)
    else:
        indptr, targets, data = in_csr(n, u, v, weights)
        graph = Graph.from_scipy(sp.bsr_array((data.reshape(-1, 1, 1), targets, indptr), shape=(n, n)), directed)
    absent = {False, np.inf} if dtype is np.bool_ else {np.inf}
    absent |= {0} if way == "bsr" else set()
    edges = [edge for edge in zip(u.tolist(), v.tolist(), weights, strict=True) if edge[2] not in absent]
    assert_sound(graph)
    assert stored(graph) == [(a, b, np.float64(w) if w in FLOATS else w) for a, b, w in canonical(edges, directed)]
    assert graph.weights.dtype == STORED_AS[dtype]
    assert [bits(array) for array in (u, v, weights)] == before


def test_weights_default_to_one() -> None:
    for graph in (Graph([0, 2, 2], [1, 0]), Graph.from_edges(2, [0, 0], [1, 0])):
        assert graph.weights.tolist() == [1, 1]
        assert graph.weights.dtype == np.int32


@pytest.mark.parametrize("dtype", [*INTEGERS, ">i8", ">u2", "<i4"], ids=lambda dtype: np.dtype(dtype).str)
def test_27_36_index_types(dtype: Any) -> None:
    u, v = np.array([2, 0, 1, 2], dtype), np.array([0, 1, 1, 2], dtype)
    expected = Graph.from_edges(3, [2, 0, 1, 2], [0, 1, 1, 2], [1, 2, 3, 4])
    assert_same(Graph.from_edges(3, u, v, np.array([1, 2, 3, 4])), expected)
    assert_same(Graph(np.array([0, 1, 2, 4], dtype), np.array([1, 1, 0, 2], dtype), [2, 3, 1, 4]), expected)
    for form in ("csr", "csc", "coo", "bsr"):
        matrix = sp.coo_array(([1, 2, 3, 4], ([2, 0, 1, 2], [0, 1, 1, 2])), shape=(3, 3)).asformat(form)
        for name in ("indptr", "indices") if form != "coo" else ():
            setattr(matrix, name, getattr(matrix, name).astype(dtype))
        assert_same(Graph.from_scipy(matrix), expected)


@pytest.mark.parametrize("dtype", [">f8", ">f4", ">i4", ">i8", ">u4", ">f2"])
def test_weights_of_the_other_byte_order(dtype: str) -> None:
    graph = Graph.from_edges(2, [0, 1], [1, 0], np.array([3, 1], dtype))
    assert_sound(graph)
    assert graph.weights.dtype.isnative
    assert graph.weights.tolist() == [3, 1]


def test_16_18_weights_that_are_no_weights_are_named_by_position() -> None:
    for bad in (np.nan, -np.inf):
        for dtype in FLOATS:
            weights = np.array([1, np.inf, 2, bad, bad], dtype)
            u, v = [2, 0, 2, 1, 0], [0, 1, 1, 2, 2]
            with pytest.raises(ValueError, match=rf"^weights\[3\] is {bad}"):
                Graph.from_edges(3, u, v, weights)
            with pytest.raises(ValueError, match=rf"^weights\[1\] is {bad}"):
                Graph([0, 3, 4, 5], [0, 1, 2, 0, 1], weights[[0, 3, 1, 2, 4]])
            dense = np.zeros((3, 3), dtype)
            dense[1, 2] = dense[2, 0] = bad
            with pytest.raises(ValueError, match=rf"^matrix\[1, 2\] is {bad}"):
                Graph.from_dense(dense)
            if dtype is not np.float16:
                for kind in SPARSE:
                    with pytest.raises(ValueError, match=rf"^matrix\[(1, 2|2, 0)\] is {bad}"):
                        Graph.from_scipy(kind(dense))
    graph = nx.path_graph(["a", "b", "c"])
    graph["b"]["c"]["weight"] = float("nan")
    with pytest.raises(ValueError, match=r"^weight of edge \('b', 'c'\) is nan"):
        Graph.from_networkx(graph)


def test_17_infinite_and_false_weights_are_no_edges() -> None:
    u, v, w = [0, 0, 1, 2], [1, 1, 2, 2], [np.inf, 4.0, np.inf, 1.0]
    for dtype in FLOATS:
        graph = Graph.from_edges(3, u, v, np.array(w, dtype))
        assert_sound(graph)
        assert stored(graph) == [(0, 1, 4), (2, 2, 1)]
    assert Graph.from_edges(2, [0, 1], [1, 0], [np.inf, np.inf], directed=False).m == 0
    assert stored(Graph.from_edges(3, u, v, [False, True, False, True])) == [(0, 1, 1), (2, 2, 1)]
    assert stored(Graph.from_dense([[0, np.inf], [2, np.inf]])) == [(1, 0, 2)]
    for form in ("csr", "csc", "coo"):
        matrix = sp.coo_array((w, (u, v)), shape=(3, 3)).asformat(form)
        if form == "coo":
            assert stored(Graph.from_scipy(matrix)) == [(0, 1, 4), (2, 2, 1)]
        matrix.data[:] = np.inf
        assert Graph.from_scipy(matrix).m == 0
    falses = sp.csr_array((np.array([True, False, True]), [1, 2, 0], [0, 2, 3, 3]), shape=(3, 3))
    for form in FORMATS:
        assert stored(Graph.from_scipy(falses.asformat(form))) == [(0, 1, 1), (1, 0, 1)]


def test_22_23_small_weights_are_kept() -> None:
    for dtype in (np.float16, np.float32, np.float64):
        tiny = float(np.finfo(dtype).smallest_subnormal)
        dense = np.array([[0, tiny, 1e-7], [-tiny, 0, 3 * tiny], [np.inf, 0, tiny]], dtype)
        expected = [(0, 1, tiny), (0, 2, float(dense[0, 2])), (1, 0, -tiny), (1, 2, 3 * tiny), (2, 2, tiny)]
        assert stored(Graph.from_dense(dense)) == expected
        u, v, w = zip(*expected, strict=True)
        assert stored(Graph.from_edges(3, u, v, np.array(w, dtype))) == expected
    assert stored(Graph.from_dense([[0, 1e-9], [1e-300, 5e-324]])) == [(0, 1, 1e-9), (1, 0, 1e-300), (1, 1, 5e-324)]


@pytest.mark.parametrize("big", [2**53 + 1, -(2**53) - 1, INT64_MAX, 1 - 2**63, 2**62 + 1])
def test_24_large_integers_are_exact_or_refused(big: int) -> None:
    graph = nx.DiGraph()
    graph.add_edge(0, 1, weight=big)
    graph.add_edge(1, 0, weight=1)
    matrix = [[0, big], [1, 0]]
    exact = [
        Graph.from_edges(2, [0, 1], [1, 0], [big, 1]),
        Graph.from_edges(2, [0, 1], [1, 0], (np.int64(big), 1)),
        Graph.from_dense(matrix),
        Graph.from_dense(tuple(map(tuple, matrix))),
        Graph.from_networkx(graph),
        Graph.from_scipy(sp.csc_array(np.array(matrix))),
    ]
    for each in exact:
        assert stored(each) == [(0, 1, big), (1, 0, 1)]
        assert each.weights.dtype == np.int64
    for number in (big, np.int64(big)):
        with pytest.raises(ValueError, match=rf"^weights\[1\] = {big} has no exact float64 value; give integers only"):
            Graph.from_edges(2, [0, 1], [1, 0], [0.5, number])
        with pytest.raises(ValueError, match=rf"^matrix\[1, 0\] = {big} has no exact float64 value"):
            Graph.from_dense([[0, 0.5], [number, 0]])
        graph[1][0]["weight"], graph[0][1]["weight"] = number, 0.5
        with pytest.raises(ValueError, match=rf"^weight of edge \(1, 0\) = {big} has no exact float64 value"):
            Graph.from_networkx(graph)


def test_24_integers_that_float64_holds_may_stand_among_floats() -> None:
    for big in (2**53, -(2**53), 2**53 + 2, 2**63, 2**1023, (2**53 - 1) * 2**971):
        assert Graph.from_edges(2, [0, 1], [1, 0], [0.5, big]).weights.tolist() == [0.5, float(big)]
        assert Graph.from_dense([[0.5, 0], [big, 0]]).weights.tolist() == [0.5, float(big)]
        graph = nx.DiGraph([(0, 1, {"weight": 0.5}), (1, 0, {"weight": big})])
        assert Graph.from_networkx(graph).weights.tolist() == [0.5, float(big)]


@pytest.mark.parametrize(
    "beyond", [2**63, -(2**63) - 1, 2**64 - 1, 2**64, 10**400], ids=lambda beyond: str(beyond)[:24]
)
def test_24_integers_beyond_int64_are_refused(beyond: int) -> None:
    where = rf"= {beyond} is outside int64"
    for other in (1, -1):
        with pytest.raises(ValueError, match=r"^weights\[1\] " + where):
            Graph.from_edges(2, [0, 1], [1, 0], [other, beyond])
        with pytest.raises(ValueError, match=r"^matrix\[1, 0\] " + where):
            Graph.from_dense([[0, other], [beyond, 0]])
        graph = nx.DiGraph([(0, 1, {"weight": other}), (1, 0, {"weight": beyond})])
        with pytest.raises(ValueError, match=r"^weight of edge \(1, 0\) " + where):
            Graph.from_networkx(graph)
    if beyond == 10**400:
        graph[0][1]["weight"] = 0.5
        with pytest.raises(ValueError, match=r"^weight of edge \(1, 0\) = .*has no exact float64 value"):
            Graph.from_networkx(graph)
        with pytest.raises(ValueError, match=r"^weights\[0\] = .*has no exact float64 value"):
            Graph.from_edges(2, [0, 1], [1, 0], [beyond, 0.5])


def test_27_uint64_beyond_int64_is_named_by_position() -> None:
    values = np.array([3, INT64_MAX, 2**63, 2**64 - 1], np.uint64)
    with pytest.raises(ValueError, match=r"^weights\[2\] = 9223372036854775808 is outside int64"):
        Graph.from_edges(4, [0, 1, 2, 3], [1, 2, 3, 0], values)
    assert Graph.from_edges(2, [0, 1], [1, 0], values[:2]).weights.tolist() == [3, INT64_MAX]
    with pytest.raises(ValueError, match=r"^sources\[2\] = 9223372036854775808 is outside int64"):
        Graph.from_edges(2, values, values)
    dense = np.zeros((2, 2), np.uint64)
    dense[1, 0] = 2**64 - 1
    with pytest.raises(ValueError, match=r"^matrix\[1, 0\] = 18446744073709551615 is outside int64"):
        Graph.from_dense(dense)
    with pytest.raises(ValueError, match=r"^matrix\[1, 0\] = 18446744073709551615 is outside int64"):
        Graph.from_scipy(sp.csr_array(dense))


def test_25_negative_zero_becomes_zero() -> None:
    dense = np.full((2, 2), -0.0)
    for dtype in FLOATS:
        graphs = [
            Graph.from_edges(2, [0, 1], [1, 0], np.array([-0.0, 0.0], dtype)),
            Graph([0, 1, 2], [1, 0], np.array([0.0, -0.0], dtype)),
            Graph.from_dense(dense.astype(dtype), null_value=None),
        ]
        if dtype is not np.float16:
            graphs.append(Graph.from_scipy(sp.csr_array((np.array([-0.0], dtype), [1], [0, 1, 1]), shape=(2, 2))))
        for graph in graphs:
            assert_sound(graph)
            assert graph.m > 0
            assert graph.weights.tobytes() == bytes(graph.weights.nbytes)
    assert Graph.from_dense(dense).m == 0


def test_26_true_is_an_edge_of_weight_one() -> None:
    dense = np.array([[True, False], [True, True]])
    expected = [(0, 0, 1), (1, 0, 1), (1, 1, 1)]
    for graph in (Graph.from_dense(dense), Graph.from_dense(dense, null_value=None), Graph.from_dense(dense.tolist())):
        assert stored(graph) == expected
        assert graph.weights.dtype == np.int32
    for kind in SPARSE:
        assert stored(Graph.from_scipy(kind(dense))) == expected


def test_28_longdouble_is_exact_or_refused() -> None:
    for weights in ([0.5, 3.0, np.inf, -0.0], [5e-324, 1.7976931348623157e308, 1e-300, 2**60]):
        graph = Graph.from_edges(4, [0, 1, 2, 3], [1, 2, 3, 0], np.array(weights, np.longdouble))
        assert graph.weights.dtype == np.float64
        assert graph.weights.tolist() == [w + 0 for w in weights if w != np.inf]
    if np.finfo(np.longdouble).nmant <= 52:
        pytest.skip("longdouble is float64 here")
    third = np.longdouble(1) / 3
    for bad in (third, np.longdouble("1e4000"), np.longdouble("-1e4000"), np.longdouble("1e-4000")):
        with pytest.raises(ValueError, match=r"^weights\[1\] = .* has no exact float64 value"):
            Graph.from_edges(2, [0, 1], [1, 0], np.array([1, bad]))
        with pytest.raises(ValueError, match=r"^weights\[0\] = .* has no exact float64 value"):
            Graph.from_edges(2, [0, 1], [1, 0], [bad, 1])
        with pytest.raises(ValueError, match=r"^matrix\[1, 0\] = .* has no exact float64 value"):
            Graph.from_dense([[0, 1.0], [bad, 0]])
        with pytest.raises(ValueError, match=r"^weight of edge \('a', 'b'\) = .* has no exact float64 value"):
            Graph.from_networkx(nx.DiGraph([("a", "b", {"weight": bad}), ("b", "a", {"weight": 2})]))


@pytest.mark.parametrize(
    ("weights", "name"),
    [
        (np.array([1, 2j]), "complex128"),
        (np.array([1, 2], np.complex64), "complex64"),
        ([1j, 2], "complex128"),
        (np.array([1, 2], object), "object"),
        (np.array(["1", "2"]), "<U1"),
        (["1", "2"], "<U1"),
        (np.array([b"1", b"2"]), "|S1"),
        (np.array([1, 2], "m8[s]"), r"timedelta64\[s\]"),
        (np.array([1, 2], "M8[s]"), r"datetime64\[s\]"),
        (np.zeros(2, [("a", int)]), "'a'"),
    ],
)
def test_29_30_weights_that_are_not_real_numbers(weights: Any, name: str) -> None:
    with pytest.raises(TypeError, match=rf"^weights has dtype .*{name}.*, expected real numbers"):
        Graph.from_edges(2, [0, 1], [1, 0], weights)
    with pytest.raises(TypeError, match=rf"^weights has dtype .*{name}.*, expected real numbers"):
        Graph([0, 1, 2], [1, 0], weights)
    with pytest.raises(TypeError, match=rf"^matrix has dtype .*{name}.*, expected real numbers"):
        Graph.from_dense(np.stack((weights, weights)))


@pytest.mark.parametrize("bad", [None, Fraction(1, 3), Decimal("0.5"), {}])
def test_30_python_objects_among_the_weights_are_named_by_position(bad: object) -> None:
    with pytest.raises(TypeError, match=r"^weights\[1\] is .*, expected an int or a float"):
        Graph.from_edges(2, [0, 1], [1, 0], [1, bad])
    with pytest.raises(TypeError, match=r"^matrix\[1, 0\] is .*, expected an int or a float"):
        Graph.from_dense([[0, 2], [bad, 0.5]])


def test_30_complex_sparse_matrices() -> None:
    for kind in SPARSE:
        with pytest.raises(TypeError, match=r"^matrix has dtype complex128, expected real numbers"):
            Graph.from_scipy(kind(np.array([[0, 1j], [1, 0]])))


@pytest.mark.parametrize(
    ("n", "error", "message"),
    [
        (3.0, TypeError, "^n: expected an integer, got 3.0"),
        ("3", TypeError, "^n: expected an integer, got '3'"),
        (None, TypeError, "^n: expected an integer, got None"),
        (True, TypeError, "^n: expected an integer, got True"),
        (np.True_, TypeError, r"^n: expected an integer, got (np\.)?True"),
        (np.float64(3), TypeError, "^n: expected an integer"),
        (-1, ValueError, "^n = -1 is outside 0 .. 2147483647"),
        (2**31, ValueError, "^n = 2147483648 is outside"),
        (10**30, ValueError, "^n = 1000000000000000000000000000000 is outside"),
    ],
)
def test_number_of_vertices(n: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Graph.from_edges(n, [], [])


def test_numbers_of_vertices_that_are_fine() -> None:
    assert [Graph.from_edges(n, [], []).n for n in (3, np.int8(3), np.uint64(3), np.array(3))] == [3] * 4
    assert np.iinfo(np.int32).max == MAX_VERTICES
    with pytest.raises(ValueError, match=r"^n = 2147483648 is outside"):
        Graph.from_scipy(sp.coo_array((2**31, 2**31), dtype=float))


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (([0, 3], [1, 0]), ValueError, r"^sources\[1\] = 3 is not a vertex of a graph with 3 vertices"),
        (([0, 0, -1], [1, 0, 0]), ValueError, r"^sources\[2\] = -1 is not a vertex"),
        (([0, 0], [-3, 5]), ValueError, r"^targets\[0\] = -3 is not a vertex"),
        (([0, 0], [2, 2**40]), ValueError, r"^targets\[1\] = 1099511627776 is not a vertex"),
        (([0, 0], [2, 2**32]), ValueError, r"^targets\[1\] = 4294967296 is not a vertex"),
        (([0], [1, 2]), ValueError, "^sources has 1 entries, targets has 2"),
        (([0, 1, 2], [1, 2]), ValueError, "^sources has 3 entries, targets has 2"),
        (([0, 1], [1, 2], [1.0]), ValueError, "^weights has 1 entries for 2 edges"),
        (([0, 1], [1, 2], []), ValueError, "^weights has 0 entries for 2 edges"),
        (([0, 1], [1, 2], 5), ValueError, "^weights has 0 dimensions, expected 1"),
        (([0, 1], [1, 2], [[1, 2]]), ValueError, "^weights has 2 dimensions, expected 1"),
        (([0, 1], [1, 2], [1, [2]]), ValueError, "^weights: "),
        (([[0, 1]], [1, 2]), ValueError, "^sources has 2 dimensions, expected 1"),
        (([0, 1], 1), ValueError, "^targets has 0 dimensions, expected 1"),
        (({0, 1}, [1, 2]), TypeError, "^sources: expected a sequence of numbers, got a set$"),
        (([0, 1], (end for end in (1, 2))), TypeError, "^targets: expected a sequence of numbers, got a generator$"),
        (([0, 1], [1, 2], {0: 1}), TypeError, "^weights: expected a sequence of numbers, got a dict$"),
        (([0, 1], [[1], 2]), ValueError, "^targets: "),
        (([0.0, 1.0], [1, 2]), TypeError, "^sources has dtype float64, expected integers"),
        (([0, 1], [True, False]), TypeError, "^targets has dtype bool, expected integers"),
        (([0, 1], ["1", "2"]), TypeError, "^targets has dtype <U1, expected integers"),
        (([0, 1], np.array([1, None])), TypeError, "^targets has dtype object, expected integers"),
        (([0, 1], [1, None]), TypeError, r"^targets\[1\] is None, expected an integer"),
        (([0, 0.5], [1, 2]), TypeError, r"^sources\[1\] is 0.5, expected an integer"),
        (([0, 1], [1, 2**70]), ValueError, rf"^targets\[1\] = {2**70} is outside int64"),
        (([0, 2**63], [1, 2]), ValueError, r"^sources\[1\] = 9223372036854775808 is outside int64"),
        ((np.ma.array([0, 1], mask=[0, 1]), [1, 2]), ValueError, r"^sources\[1\] is masked"),
        (([0, 1], [1, 2], np.ma.array([0.5, 1], mask=[1, 0])), ValueError, r"^weights\[0\] is masked"),
    ],
)
def test_faults_in_edge_lists(arguments: tuple[Any, ...], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Graph.from_edges(3, *arguments)


def test_ends_in_a_list_of_different_integers() -> None:
    assert_same(Graph.from_edges(3, [np.uint64(0), 1], (1, np.uint64(2))), Graph.from_edges(3, [0, 1], [1, 2]))


def test_masked_rows_of_lists() -> None:
    for rows, position in (
        ([np.ma.array([0, 5], mask=[False, True]), [1, 0]], r"matrix\[0\]\[1\]"),
        ([[1, 0], [np.ma.masked, 0]], r"matrix\[1\]\[0\]"),
    ):
        with pytest.raises(ValueError, match=f"^{position} is masked$"):
            Graph.from_dense(rows)


def test_weights_of_two_dimensions() -> None:
    matrix = sp.csr_array(([1, 2, 3], ([0, 1, 2], [1, 2, 0])), shape=(3, 3))
    matrix.data = np.ones((3, 2))
    with pytest.raises(ValueError, match=r"^data has the shape \(3, 2\), expected \(3,\)$"):
        Graph.from_scipy(matrix)


def test_33_masked_vectors_without_a_masked_entry() -> None:
    plain = np.ma.array([0, 1])
    assert_same(Graph.from_edges(3, plain, plain + 1, plain), Graph.from_edges(3, [0, 1], [1, 2], [0, 1]))


class OnlyArray:
    """An array_like that numpy understands and Python cannot iterate over."""

    def __init__(self, values: Sequence[float], meanwhile: Callable[[], object] = lambda: None) -> None:
        self.values, self.meanwhile = values, meanwhile

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        self.meanwhile()
        return np.array(self.values, dtype)


def test_any_array_like_will_do() -> None:
    expected = Graph.from_edges(3, [0, 1], [1, 2], [0.5, 4])
    for kind in (tuple, np.array, OnlyArray, memoryview_of):
        assert_same(Graph.from_edges(3, kind([0, 1]), kind([1, 2]), kind([0.5, 4])), expected)
        assert_same(Graph(kind([0, 1, 2, 2]), kind([1, 2]), kind([0.5, 4])), expected)
    assert_same(Graph.from_edges(3, range(2), range(1, 3), [0.5, np.float16(4)]), expected)
    assert_same(Graph.from_dense(OnlyArray([[0, 0.5, 0], [0, 0, 4], [0, 0, 0]])), expected)


def memoryview_of(values: list[float]) -> memoryview:
    return memoryview(np.array(values))


@pytest.mark.parametrize(
    ("indptr", "indices", "message"),
    [
        ([], [], "^indptr is empty: it needs one entry more than the graph has vertices"),
        ([1, 2], [0, 0], r"^indptr\[0\] must be 0"),
        ([-1, 1], [0], r"^indptr\[0\] must be 0"),
        ([0, 2, 1, 3], [0, 0, 0], r"^indptr\[2\] = 1 is less than the entry before it"),
        ([0, -1, 2], [0, 1], r"^indptr\[1\] = -1 is less than the entry before it"),
        ([0, 1, 2], [0, 1, 1], "^indptr ends at 2, but there are 3 indices"),
        ([0, 1, 4], [0, 1, 1], "^indptr ends at 4, but there are 3 indices"),
        ([0, 2**62, 2], [0, 1], r"^indptr\[2\] = 2 is less than the entry before it"),
        ([0, 1, 2**62], [0, 1], "^indptr ends at 4611686018427387904, but there are 2 indices"),
        ([0, 1, 2], [0, 2], r"^indices\[1\] = 2 is not a vertex of a graph with 2 vertices"),
        ([0, 1, 2], [-1, 0], r"^indices\[0\] = -1 is not a vertex of a graph with 2 vertices"),
        ([0], [0], r"^indices\[0\] = 0 is not a vertex of a graph with 0 vertices"),
        ([[0, 1]], [0], "^indptr has 2 dimensions, expected 1"),
        ([0, 1], [[0]], "^indices has 2 dimensions, expected 1"),
    ],
)
def test_37_corrupt_index_arrays(indptr: list[int], indices: list[int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Graph(indptr, indices)


def test_37_row_pointers_have_to_be_integers() -> None:
    with pytest.raises(TypeError, match=r"^indptr has dtype float64, expected integers"):
        Graph([0.0, 1.0], [0])
    with pytest.raises(TypeError, match=r"^indices has dtype float64, expected integers"):
        Graph([0, 1], [0.0])
    with pytest.raises(ValueError, match=r"^indptr\[1\] = 18446744073709551615 is outside int64"):
        Graph(np.array([0, 2**64 - 1], np.uint64), [0])
    with pytest.raises(ValueError, match=r"^weights has 2 entries for 1 edges"):
        Graph([0, 1], [0], [1, 2])


# ---- from_scipy -------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", SPARSE, ids=name_of)
@pytest.mark.parametrize("dtype", [dtype for dtype in STORED_AS if dtype is not np.float16], ids=name_of)
def test_34_every_sparse_format(kind: Any, dtype: type) -> None:
    rng = np.random.default_rng(2)
    dense = np.triu(np.tril(rng.integers(-9 if np.dtype(dtype).kind in "if" else 1, 9, (8, 8)), 3), -4).astype(dtype)
    dense[0, 0] = dense[7, 4] = 0
    matrix = kind(dense)
    assert matrix.dtype == dtype
    before = (matrix.toarray(), matrix.nnz)
    expected = [(u, v, dense[u, v]) for u, v in np.argwhere(dense).tolist()]
    graph = Graph.from_scipy(matrix)
    assert_sound(graph)
    assert stored(graph) == expected
    assert graph.weights.dtype == STORED_AS[dtype]
    assert_same(graph, as_graph(matrix))
    assert stored(Graph.from_scipy(matrix, directed=False)) == canonical(expected, directed=False)
    assert np.array_equal(matrix.toarray(), before[0])  # not its bytes: a longdouble has some that mean nothing
    assert matrix.nnz == before[1]


@pytest.mark.parametrize("rows", [1, 2, 3, 6])
@pytest.mark.parametrize("columns", [1, 2, 3, 6])
def test_34_bsr_blocks_of_every_shape(rows: int, columns: int) -> None:
    dense = np.random.default_rng(3).integers(-4, 5, (6, 6)).astype(np.float64)
    dense[:3, 2:5] = 0
    graph = Graph.from_scipy(sp.bsr_array(dense, blocksize=(rows, columns)))
    assert_same(graph, Graph.from_dense(dense))


def test_34_bsr_blocks_that_occur_twice_keep_the_minimum() -> None:
    blocks = np.array([[[5, 0], [2, 3]], [[4, 7], [0, 9]]])
    matrix = sp.bsr_array((blocks, [1, 1], [0, 2, 2]), shape=(4, 4))
    assert stored(Graph.from_scipy(matrix)) == [(0, 2, 4), (0, 3, 7), (1, 2, 2), (1, 3, 3)]


@pytest.mark.parametrize("offsets", [[0], [2, -1, 0], [-3, 3], [1, -4, 9, 4]])
def test_34_dia_offsets_in_any_order_and_beyond_the_matrix(offsets: list[int]) -> None:
    data = np.arange(1.0, 1 + 5 * len(offsets)).reshape(len(offsets), 5)
    for width in (5, 4):
        matrix = sp.dia_array((data[:, :width], offsets), shape=(5, 5))
        assert_same(Graph.from_scipy(matrix), Graph.from_dense(matrix.toarray()))


def test_35_rows_that_are_not_sorted() -> None:
    data, indices, indptr = np.array([4, 1, 3, 2, 0]), np.array([3, 0, 2, 1, 0]), np.array([0, 3, 3, 5, 5])
    expected = [(0, 0, 1), (0, 2, 3), (0, 3, 4), (2, 0, 0), (2, 1, 2)]
    matrix = sp.csr_array((data, indices, indptr), shape=(4, 4))
    assert stored(Graph.from_scipy(matrix)) == stored(Graph(indptr, indices, data)) == expected
    assert matrix.indices.tolist() == [3, 0, 2, 1, 0]
    transposed = sp.csc_array((data, indices, indptr), shape=(4, 4))
    assert stored(Graph.from_scipy(transposed)) == sorted((v, u, w) for u, v, w in expected)


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "lil", "dok"])
def test_07_stored_zeros_are_edges(form: str) -> None:
    matrix = sp.coo_array((np.array([0.0, 2.0, 0.0]), ([0, 0, 2], [1, 2, 2])), shape=(3, 3))
    if form in ("lil", "dok"):  # these drop a zero on assignment
        matrix = matrix.tolil()
        matrix.rows[0], matrix.data[0] = [1, 2], [0.0, 2.0]
        matrix.rows[2], matrix.data[2] = [2], [0.0]
    matrix = matrix.asformat(form)
    if form == "dok":
        matrix._dict.update({(0, 1): 0.0, (2, 2): 0.0})
    assert stored(Graph.from_scipy(matrix)) == [(0, 1, 0), (0, 2, 2), (2, 2, 0)]


@pytest.mark.parametrize("form", ["bsr", "dia"])
def test_07_zeros_of_padded_formats_are_no_edges(form: str) -> None:
    matrix = sp.csr_array(np.array([[1.0, 2, 0, 0], [0, 3, 0, 0], [0, 0, 0, 0], [0, 0, 0, 4]])).asformat(form)
    assert stored(Graph.from_scipy(matrix)) == [(0, 0, 1), (0, 1, 2), (1, 1, 3), (3, 3, 4)]


def change(name: str, values: Any) -> Callable[[Any], None]:
    def apply(matrix: Any) -> None:
        setattr(matrix, name, np.array(values) if not isinstance(values, tuple) else values)

    return apply


def spoil_lil(name: str, row: int, entries: list[int] | None) -> Callable[[Any], None]:
    def apply(matrix: Any) -> None:
        if entries is None:
            setattr(matrix, name, getattr(matrix, name)[:row])
        else:
            getattr(matrix, name)[row] = entries

    return apply


@pytest.mark.parametrize(
    ("form", "spoil", "message"),
    [
        ("csr", change("indptr", [0, 2, 3]), "^indptr has 3 entries, expected 5"),
        ("csr", change("indptr", [0, 2, 3, 3, 4, 4]), "^indptr has 6 entries, expected 5"),
        ("csr", change("indptr", [0, 3, 2, 3, 4]), r"^indptr\[2\] = 2 is less than the entry before it"),
        ("csr", change("indptr", [0, 2, 3, 3, 9]), "^indptr ends at 9, but there are 4 indices"),
        ("csr", change("indptr", [1, 2, 3, 3, 4]), r"^indptr\[0\] must be 0"),
        ("csr", change("indices", [0, 1, 4, 0]), r"^indices\[2\] = 4 is not a vertex of a graph with 4 vertices"),
        ("csr", change("indices", [0, -1, 2, 0]), r"^indices\[1\] = -1 is not a vertex"),
        ("csr", change("indices", [0, 1, 2]), "^indptr ends at 4, but there are 3 indices"),
        ("csr", change("data", [1.0, 2.0]), "^data has 2 entries for 4 indices"),
        ("csc", change("indptr", [0, 1, 4]), "^indptr has 3 entries, expected 5"),
        ("csc", change("indptr", [0, 2, 1, 3, 4]), r"^indptr\[2\] = 1 is less than the entry before it"),
        ("csc", change("indptr", [0, 1, 2, 3, 10**6]), "^indptr ends at 1000000, but there are 4 indices"),
        ("csc", change("indices", [0, 10**6, 0, 1]), r"^indices\[1\] = 1000000 is not a vertex"),
        ("csc", change("data", [1.0] * 5), "^data has 5 entries for 4 indices"),
        ("bsr", change("indptr", [0, 4]), "^indptr has 2 entries, expected 3"),
        ("bsr", change("indptr", [0, 3, 2]), r"^indptr\[2\] = 2 is less than the entry before it"),
        ("bsr", change("indices", [0, 2, 0]), r"^indices\[1\] = 2 is not a vertex"),
        ("bsr", change("data", np.ones((2, 2, 2))), "^data has 2 entries for 3 indices"),
        ("coo", change("coords", (np.array([1]), np.array([0, 1, 2, 0]))), "1 rows, 4 columns and 4 weights"),
        ("coo", change("coords", (np.array([0, 0, 1, 3]), np.array([0]))), "4 rows, 1 columns and 4 weights"),
        ("coo", change("data", [1.0]), "4 rows, 4 columns and 1 weights"),
        ("coo", change("data", [1.0] * 5), "4 rows, 4 columns and 5 weights"),
        ("coo", change("coords", (np.array([0, 0, 1, 4]), np.array([0, 1, 2, 0]))), r"^row indices\[3\] = 4 is not"),
        ("coo", change("coords", (np.array([0, 0, 1, 3]), np.array([0, -1, 2, 0]))), r"^column indices\[1\] = -1 is"),
        ("lil", spoil_lil("rows", 0, [0, 1, 2]), "^rows and data differ in length"),
        ("lil", spoil_lil("data", 0, [1.0] * 50), "^rows and data differ in length"),
        ("lil", spoil_lil("rows", 2, None), "^rows and data differ in length"),
        ("lil", spoil_lil("rows", 1, [7]), "7"),
        ("lil", spoil_lil("rows", 1, [-1]), "negative|-1"),
        ("dia", change("offsets", [0]), "^offsets has 1 entries for"),
        ("dia", change("offsets", list(range(50))), "^offsets has 50 entries for"),
    ],
)
def test_37_corrupt_sparse_matrices(form: str, spoil: Callable[[Any], None], message: str) -> None:
    matrix = sp.csr_array(np.array([[1.0, 2, 0, 0], [0, 0, 3, 0], [0, 0, 0, 0], [4, 0, 0, 0]]))
    matrix = matrix.tobsr((2, 2)) if form == "bsr" else matrix.asformat(form)
    spoil(matrix)
    with pytest.raises(ValueError, match=message):
        Graph.from_scipy(matrix)


def test_37_dok_keys_beyond_the_matrix() -> None:
    matrix = sp.dok_array((3, 3))
    matrix._dict[5, 1] = 2.0
    with pytest.raises(ValueError, match=r"5"):
        Graph.from_scipy(matrix)


@pytest.mark.parametrize("kind", SPARSE, ids=name_of)
def test_38_sparse_matrices_that_are_not_square(kind: Any) -> None:
    with pytest.raises(ValueError, match=r"^matrix has shape \(2, 3\), expected a square matrix"):
        Graph.from_scipy(kind((2, 3)))


def test_38_sparse_arrays_of_other_dimensions() -> None:
    for shape in ((4,), (2, 2, 2)):
        with pytest.raises(ValueError, match=r"^matrix has shape .*, expected a square matrix"):
            Graph.from_scipy(sp.coo_array(np.ones(shape)))


@pytest.mark.parametrize("matrix", [np.eye(3), [[1]], None, nx.Graph(), "csr"])
def test_from_scipy_takes_sparse_matrices_only(matrix: Any) -> None:
    with pytest.raises(TypeError, match=r"^matrix: expected a SciPy sparse matrix, got"):
        Graph.from_scipy(matrix)


def test_to_scipy_round_trip() -> None:
    for dtype in (np.int32, np.int64, np.float32, np.float64):
        for directed in (True, False):
            weights = np.array([0, 3, -1, 2, 0], dtype)
            graph = Graph.from_edges(5, [0, 3, 1, 0, 4], [1, 2, 1, 3, 0], weights, directed)
            matrix = graph.to_scipy()
            assert isinstance(matrix, sp.csr_array)
            assert matrix.shape == (5, 5)
            assert matrix.nnz == graph.m
            assert_same(Graph.from_scipy(matrix, directed), graph)
            matrix.data[:] = 9
            matrix.indices[:] = 0
            matrix.indptr[:] = 0
            assert stored(graph) == canonical(
                zip([0, 3, 1, 0, 4], [1, 2, 1, 3, 0], weights.tolist(), strict=True), directed
            )


# ---- from_dense -------------------------------------------------------------------------------------

DENSE = np.array([[0, 4, np.inf, -1], [0, 0, 2.5, 0], [1, 0, 7, 0], [0, np.inf, 0, 0]])
DENSE_EDGES = [(0, 1, 4), (0, 3, -1), (1, 2, 2.5), (2, 0, 1), (2, 2, 7)]


def test_08_dense_zeros_and_infinities_are_no_edges() -> None:
    assert stored(Graph.from_dense(DENSE)) == DENSE_EDGES
    assert stored(Graph.from_dense(DENSE.tolist())) == DENSE_EDGES
    assert stored(Graph.from_dense(tuple(map(tuple, DENSE)))) == DENSE_EDGES
    assert stored(Graph.from_dense(list(DENSE))) == DENSE_EDGES
    assert_same(as_graph(DENSE), as_graph(DENSE.tolist()))


@pytest.mark.parametrize("null_value", ["x", [0, 1], np.zeros(2), 1j])
def test_what_is_no_null_value(null_value: Any) -> None:
    with pytest.raises(TypeError, match=r"^null_value: expected a number or None, got "):
        Graph.from_dense(DENSE, null_value=null_value)


@pytest.mark.parametrize("null_value", [None, np.inf])
def test_08_with_null_value_none_zeros_are_edges(null_value: float | None) -> None:
    expected = [(u, v, w) for (u, v), w in np.ndenumerate(DENSE) if w != np.inf]
    assert stored(Graph.from_dense(DENSE, null_value=null_value)) == expected
    assert stored(Graph.from_dense(np.zeros((2, 2), np.int16), null_value=null_value)) == [
        (0, 0, 0),
        (0, 1, 0),
        (1, 0, 0),
        (1, 1, 0),
    ]


@pytest.mark.parametrize("null_value", [-1, 2.5, 10**30, -(10**30)])
@pytest.mark.parametrize("dtype", [np.float64, np.int64, np.uint8])
def test_08_null_value_may_be_any_number(null_value: float, dtype: type) -> None:
    dense = np.where(np.isfinite(DENSE), np.abs(DENSE) if dtype is np.uint8 else DENSE, 9).astype(dtype)
    expected = [(u, v, w) for (u, v), w in np.ndenumerate(dense) if w != null_value]
    assert stored(Graph.from_dense(dense, null_value=null_value)) == expected


def test_31_memory_layouts() -> None:
    big = np.full((8, 12), 77.0)
    big[::2, 1::3] = DENSE
    layouts = [
        np.asfortranarray(DENSE),
        big[::2, 1::3],
        DENSE[::-1].copy()[::-1],
        DENSE.T.copy().T,
        np.lib.stride_tricks.as_strided(DENSE.copy(), DENSE.shape, DENSE.strides),
        DENSE.astype(">f8"),
        DENSE.view(np.matrix),
    ]
    for layout in layouts:
        before = layout.tobytes()
        assert stored(Graph.from_dense(layout)) == DENSE_EDGES
        assert layout.tobytes() == before
    constant = np.broadcast_to(3.0, (3, 3))
    assert Graph.from_dense(constant).weights.tolist() == [3] * 9
    u, v, w = (np.array(column) for column in zip(*DENSE_EDGES, strict=True))
    strided = [np.repeat(column, 3)[::3] for column in (u, v, w)]
    assert stored(Graph.from_edges(4, *strided)) == DENSE_EDGES
    assert stored(Graph.from_edges(4, *(column[::-1] for column in (u, v, w)))) == DENSE_EDGES


def test_32_read_only_inputs() -> None:
    u, v, w = (np.array(column) for column in zip(*DENSE_EDGES, strict=True))
    indptr, indices, data = in_csr(4, u, v, w)
    dense = DENSE.copy()
    for array in (u, v, w, indptr, indices, data, dense):
        array.flags.writeable = False
    for directed in (True, False):
        expected = canonical(DENSE_EDGES, directed)
        assert stored(Graph.from_edges(4, u, v, w, directed)) == expected
        assert stored(Graph(indptr, indices, data, directed=directed)) == expected
        assert stored(Graph.from_dense(dense, directed)) == expected
        assert stored(Graph.from_scipy(sp.csr_array((data, indices, indptr), shape=(4, 4)), directed)) == expected
        assert stored(Graph.from_scipy(sp.coo_array((w, (u, v)), shape=(4, 4)), directed)) == expected


def test_33_only_the_mask_says_which_entries_are_missing() -> None:
    mask = np.zeros((4, 4), bool)
    mask[0, 1] = mask[1, 1] = mask[3, 3] = True
    expected = [(u, v, w) for (u, v), w in np.ndenumerate(DENSE) if w != np.inf and not mask[u, v]]
    values = DENSE.copy()
    values[0, 1], values[3, 3] = np.nan, -np.inf
    for masked in (
        np.ma.masked_array(values, mask),
        np.ma.masked_array(np.asfortranarray(values), mask),
        np.ma.masked_array(values.view(np.matrix), mask),
        np.ma.masked_array(values, mask, hard_mask=True, fill_value=5),
    ):
        assert stored(Graph.from_dense(masked)) == expected
        assert stored(Graph.from_dense(masked, null_value=None)) == expected
        assert_same(as_graph(masked), Graph.from_dense(masked))
    assert stored(Graph.from_dense(np.ma.masked_array(DENSE))) == [
        (u, v, w) for (u, v), w in np.ndenumerate(DENSE) if w != np.inf
    ]
    assert Graph.from_dense(np.ma.masked_all((3, 3))).m == 0
    integers = np.ma.masked_equal(np.array([[0, 1], [2, 0]], np.uint8), 2)
    assert stored(Graph.from_dense(integers)) == [(0, 0, 0), (0, 1, 1), (1, 1, 0)]
    values[2, 3] = np.nan
    with pytest.raises(ValueError, match=r"^matrix\[2, 3\] is nan"):
        Graph.from_dense(np.ma.masked_array(values, mask))


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (np.zeros((2, 3)), r"^matrix has shape \(2, 3\), expected a square matrix"),
        (np.zeros((1, 0)), r"^matrix has shape \(1, 0\), expected a square matrix"),
        (np.zeros(4), "^matrix has 1 dimensions, expected 2"),
        (np.zeros((2, 2, 2)), "^matrix has 3 dimensions, expected 2"),
        (np.ma.masked_all(3), "^matrix has 1 dimensions, expected 2"),
        (5, "^matrix has 0 dimensions, expected 2"),
        ([], "^matrix has 1 dimensions, expected 2"),
        ([[1, 2]], r"^matrix has shape \(1, 2\), expected a square matrix"),
        ([[1, 2], [3]], "^matrix: "),
        (sp.eye_array(3), "^matrix has 0 dimensions, expected 2; it is sparse, and Graph.from_scipy makes a graph"),
    ],
)
def test_38_matrices_of_the_wrong_shape(matrix: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Graph.from_dense(matrix)


# ---- from_networkx ----------------------------------------------------------------------------------


def named(graph: Graph) -> list[tuple[Any, Any, Any]]:
    return [(graph.name(u), graph.name(v), w) for u, v, w in stored(graph)]


@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph])
def test_53_54_networkx_graphs_of_every_kind(kind: Any) -> None:
    nodes = ["a", ("b", 1), 3, frozenset({2}), 2.5]
    edges = [("a", 3, 4), (3, "a", 2), (("b", 1), "a", -1), (2.5, 2.5, 0), (3, frozenset({2}), 9), ("a", 3, 7)]
    graph = kind()
    graph.add_nodes_from(nodes)
    graph.add_weighted_edges_from(edges)
    before = (list(graph), list(graph.edges(data=True)))
    result = Graph.from_networkx(graph)
    assert_sound(result)
    place = {node: vertex for vertex, node in enumerate(nodes)}
    if kind is nx.Graph:  # add_edge replaces
        edges = edges[2:]
    elif kind is nx.DiGraph:
        edges = edges[1:]
    expected = canonical([(place[u], place[v], w) for u, v, w in edges], graph.is_directed())
    assert stored(result) == expected
    assert result.labels == tuple(nodes)
    assert result.directed == graph.is_directed()
    assert result.weights.dtype == np.int64
    assert [result.index(node) for node in nodes] == [0, 1, 2, 3, 4]
    assert_same(as_graph(graph), result)
    assert (list(graph), list(graph.edges(data=True))) == before
    graph.add_edge("new", "a", weight=-100)
    assert stored(result) == expected
    assert result.n == 5


def test_53_vertices_are_in_the_order_of_the_nodes() -> None:
    graph = nx.DiGraph()
    graph.add_nodes_from([3, 1, "z", 0])
    graph.add_edge(0, 3, weight=5)
    result = Graph.from_networkx(graph)
    assert stored(result) == [(3, 0, 5)]
    assert [result.name(v) for v in range(4)] == [3, 1, "z", 0]


def test_55_a_missing_weight_is_one_and_weight_none_makes_every_weight_one() -> None:
    graph = nx.MultiDiGraph()
    graph.add_edge("a", "b", weight=7, cost=0.5)
    graph.add_edge("a", "b")
    graph.add_edge("b", "c", weight=0)
    graph.add_edge("b", "c", cost=-2)
    assert named(Graph.from_networkx(graph)) == [("a", "b", 1), ("b", "c", 0)]
    assert named(Graph.from_networkx(graph, weight="cost")) == [("a", "b", 0.5), ("b", "c", -2)]
    assert named(Graph.from_networkx(graph, weight="absent")) == [("a", "b", 1), ("b", "c", 1)]
    graph["a"]["b"][0]["weight"] = "not looked at"
    assert named(Graph.from_networkx(graph, weight=None)) == [("a", "b", 1), ("b", "c", 1)]


@pytest.mark.parametrize(
    ("weights", "expected", "dtype"),
    [
        ([True, False, 3], [1, 0, 3], np.int64),
        ([np.True_, np.False_, 2], [1, 0, 2], np.int64),
        ([np.int8(-3), np.uint64(INT64_MAX), -(2**63)], [-3, INT64_MAX, -(2**63)], np.int64),
        ([1, 0.5, 2**53], [1, 0.5, 2**53], np.float64),
        ([np.float32(0.1), np.float16(2), 1], [float(np.float32(0.1)), 2, 1], np.float64),
        ([5e-324, -0.0, np.inf], [5e-324, 0], np.float64),
        ([True, 0.25, np.longdouble(0.5)], [1, 0.25, 0.5], np.float64),
    ],
)
@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph])
def test_networkx_weights_of_many_types(weights: list[Any], expected: list[Any], dtype: type, kind: Any) -> None:
    graph = kind()
    graph.add_weighted_edges_from([(v, v + 1, weight) for v, weight in enumerate(weights)])
    result = Graph.from_networkx(graph)
    assert_sound(result)
    assert [w for u, v, w in stored(result) if u < v] == expected
    assert result.weights.dtype == dtype


@pytest.mark.parametrize(
    "bad", [None, "3", Fraction(1, 2), Decimal(1), 2j, [1], np.array([1]), np.timedelta64(3, "s"), np.complex64(1)]
)
@pytest.mark.parametrize("kind", [nx.Graph, nx.MultiDiGraph])
def test_29_30_networkx_weights_that_are_no_numbers(bad: object, kind: Any) -> None:
    graph = kind()
    graph.add_edge("a", "b", weight=1)
    graph.add_edge("b", ("c", 2), weight=bad)
    graph.add_edge("d", "e", weight="later")
    with pytest.raises(TypeError, match=r"^weight of edge \('b', \('c', 2\)\) is .*, expected an int or a float"):
        Graph.from_networkx(graph)


def test_the_first_of_several_wrong_weights_is_named() -> None:
    rubbish = [None, "x", 1j, Fraction(1), b"y", Decimal(2), {}, object()]
    for first in range(len(rubbish)):
        wrong = rubbish[first:] + rubbish[:first]
        graph = nx.DiGraph([(v, v + 1, {"weight": weight}) for v, weight in enumerate([1, *wrong])])
        with pytest.raises(TypeError, match=r"^weight of edge \(1, 2\) is "):
            Graph.from_networkx(graph)
        with pytest.raises(TypeError, match=r"^weights\[1\] is "):
            Graph.from_edges(9, range(8), range(8), [2, *wrong[:-1]])


@pytest.mark.parametrize("weight", [True, False, 3, ("weight",), lambda u, v, data: 1])
def test_the_weight_of_a_networkx_graph_is_a_name(weight: Any) -> None:
    with pytest.raises(TypeError, match=r"^weight: expected the name of an edge attribute or None, got"):
        Graph.from_networkx(nx.path_graph(3), weight=weight)


@pytest.mark.parametrize("graph", ["abc", [(0, 1)], {0: {1: {}}}, np.eye(2), sp.eye_array(2), None, nx.Graph])
def test_from_networkx_takes_networkx_graphs_only(graph: Any) -> None:
    with pytest.raises(TypeError, match=r"^graph: expected a networkx graph, got"):
        Graph.from_networkx(graph)


def test_networkx_views() -> None:
    graph = nx.DiGraph([(0, 1, {"weight": 2}), (1, 2, {"weight": 3}), (2, 0, {"weight": 4})])
    assert named(Graph.from_networkx(graph.reverse(copy=False))) == [(0, 2, 4), (1, 0, 2), (2, 1, 3)]
    assert named(Graph.from_networkx(graph.subgraph([1, 2]))) == [(1, 2, 3)]
    assert len(named(Graph.from_networkx(graph.to_undirected(as_view=True)))) == 6


NODE_NAMES: dict[str, Callable[[int], Any]] = {
    "numbers": lambda i: i,
    "numbers from -3": lambda i: i - 3,
    "numbers beyond int32": lambda i: 2**40 + i,
    "the last numbers of int64": lambda i: 2**63 - 9 + i,
    "numbers beyond int64": lambda i: 2**63 - 4 + i,
    "equal to numbers": lambda i: (i, float(i), Fraction(i), Decimal(i), complex(i))[i % 5],
    "every other number": lambda i: 2 * i,
    "strings": lambda i: f"n{i}",
}


@pytest.mark.parametrize("names", NODE_NAMES)
@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph])
def test_a_networkx_graph_is_read_alike_from_its_dicts_and_from_its_list_of_edges(kind: Any, names: str) -> None:
    class Subclass(kind):
        pass

    name, rng = NODE_NAMES[names], np.random.default_rng(3)
    graph, subclass = kind(), Subclass()
    for each in (graph, subclass):
        each.add_nodes_from(map(name, range(9)))
    for u, v, w in rng.integers(0, 9, (40, 3)).tolist():
        for each in (graph, subclass):
            each.add_edge(name(u), name(v), **({"weight": w / 2, "cost": w} if w else {}))
    for weight in ("weight", "cost", "absent", None):
        result = Graph.from_networkx(graph, weight)
        assert_sound(result)
        assert_same(result, Graph.from_networkx(subclass, weight))
        assert result.labels == tuple(map(name, range(9)))
        edges = ((u, v, 1) for u, v in graph.edges()) if weight is None else graph.edges(data=weight, default=1)
        expected = canonical([(result.index(u), result.index(v), w) for u, v, w in edges], graph.is_directed())
        assert stored(result) == expected
    graph.add_edge(name(4), name(7), weight="much")
    with pytest.raises(TypeError, match=re.escape(f"weight of edge {(name(4), name(7))} is 'much'")):
        Graph.from_networkx(graph)


def test_an_edge_may_name_a_node_by_what_equals_it() -> None:
    for name in (1.0, True, Fraction(1), complex(1), np.int64(1)):
        graph = nx.DiGraph()
        graph.add_nodes_from(range(3))
        graph.add_edge(0, name, weight=4)
        graph.add_edge(2, name, weight=5)
        assert stored(Graph.from_networkx(graph)) == [(0, 1, 4), (2, 1, 5)]


# ---- a graph that changes under our hands -----------------------------------------------------------


def test_56_a_node_that_appears_while_the_graph_is_read() -> None:
    class Growing(nx.DiGraph):
        @property
        def edges(self) -> Any:
            self.add_edge("new", "a", weight=1)
            return nx.DiGraph.edges.__get__(self)

    for weight in ("weight", None):
        with pytest.raises(ValueError, match=r"^graph has changed while it was read"):
            Graph.from_networkx(Growing([("a", "b")]), weight)


def test_56_an_edge_that_appears_while_the_graph_is_read() -> None:
    class Growing(nx.DiGraph):
        @property
        def edges(self) -> Any:
            def edges(**keywords: Any) -> Iterator[Any]:
                for neighbour in self._adj["a"]:
                    self.add_edge("a", "c", weight=1)
                    yield ("a", neighbour, 1) if keywords else ("a", neighbour)

            return edges

    for weight in ("weight", None):
        with pytest.raises(ValueError, match=r"^graph has changed while it was read"):
            Graph.from_networkx(Growing([("a", "b"), ("c", "b")]), weight)


@pytest.mark.parametrize("nodes", [(0, 1, 2), "abc"])
@pytest.mark.parametrize("change", ["a node goes", "an edge comes", "a node comes", "a node of another type comes"])
@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph])
def test_56_networkx_dicts_that_change_while_they_are_read(kind: Any, change: str, nodes: Any) -> None:
    a, b, c = nodes

    class Changing(dict[str, int]):
        def get(self, key: str, default: Any = None) -> Any:
            if change == "a node goes":
                graph.remove_node(c)
            elif change == "an edge comes":
                graph.add_edge(a, c)
            else:
                graph.add_edge(b, 7 if change == "a node comes" else "7")
            return super().get(key, default)

    graph = kind()
    graph.add_nodes_from(nodes)
    graph.add_edge(a, b)
    graph._adj[a][b] = Changing(weight=1)
    with pytest.raises(ValueError, match=r"^graph has changed while it was read"):
        Graph.from_networkx(graph)


@pytest.mark.parametrize("value", [-1, 2, 99, 2**33, 2**62, -(2**62)])
@pytest.mark.parametrize("ends", ["sources", "targets"])
@pytest.mark.parametrize("directed", [True, False])
def test_56_arrays_that_change_after_they_were_checked(value: int, ends: str, directed: bool) -> None:
    """Reading the weights changes the ends: the graph is refused, or is a sound one all the same."""
    arrays = {"sources": np.array([0, 1, 0]), "targets": np.array([1, 0, 0])}

    def meanwhile() -> None:
        arrays[ends][1] = value

    with contextlib.suppress(ValueError):
        assert_sound(Graph.from_edges(2, *arrays.values(), OnlyArray([1, 2, 3], meanwhile), directed))
    arrays["sources"][1], arrays["targets"][1] = 1, 0
    assert_sound(Graph.from_edges(2, *arrays.values(), OnlyArray([1, 2, 3]), directed))


# ---- nothing is aliased, nothing can be changed -----------------------------------------------------


@pytest.mark.parametrize("weight_type", [*INTEGERS, *FLOATS, np.bool_], ids=name_of)
@pytest.mark.parametrize("index_type", [np.int32, np.int64])
@pytest.mark.parametrize("directed", [True, False])
def test_inputs_are_neither_changed_nor_aliased(weight_type: type, index_type: type, directed: bool) -> None:
    """Sorted edges without duplicates: nothing has to be rearranged, so that aliasing would be easy."""
    u, v = np.array([0, 0, 1, 2], index_type), np.array([1, 2, 2, 0], index_type)
    w = np.array([3, 1, 2, 1], weight_type)
    indptr, indices, data = np.array([0, 2, 3, 4], index_type), v.copy(), w.copy()
    dense = np.zeros((3, 3), weight_type)
    dense[u, v] = w
    arrays = [u, v, w, indptr, indices, data, dense]
    graphs = [
        Graph.from_edges(3, u, v, w, directed),
        Graph(indptr, indices, data, directed=directed),
        Graph.from_dense(dense, directed),
    ]
    if weight_type is not np.float16:
        matrices = [
            sp.csr_array((data, indices, indptr), shape=(3, 3), copy=False),
            sp.csc_array((data, indices, indptr), shape=(3, 3), copy=False),
            sp.coo_array((w, (u, v)), shape=(3, 3), copy=False),
        ]
        graphs += [Graph.from_scipy(matrix, directed) for matrix in matrices]
        for matrix in matrices:
            arrays += [
                getattr(matrix, name) for name in ("indptr", "indices", "data", "row", "col") if hasattr(matrix, name)
            ]
    expected = canonical(zip(u.tolist(), v.tolist(), w.tolist(), strict=True), directed)
    for graph in (*graphs[:4], *graphs[5:]):
        assert stored(graph) == expected
    contents = [stored(graph) for graph in graphs]
    for array, graph in itertools.product(arrays, graphs):
        for own in (graph.indptr, graph.indices, graph.weights):
            assert not np.shares_memory(array, own)
    for array in arrays:
        array[...] = 0
    assert [stored(graph) for graph in graphs] == contents


def sample(**keywords: Any) -> Graph:
    return Graph.from_edges(4, [0, 1, 2, 0], [1, 2, 0, 3], [3, 0, -2, 5], **keywords)


def test_a_graph_cannot_be_changed() -> None:
    graph = sample(labels="abcd")
    graph.in_edges()
    for name in ("indptr", "indices", "weights", "directed", "offset", "labels", "n", "m", "_derived", "anything"):
        with pytest.raises(AttributeError, match=f"^a Graph cannot be changed: {name}"):
            setattr(graph, name, 1)
        with pytest.raises(AttributeError, match=f"^a Graph cannot be changed: {name}"):
            delattr(graph, name)
    with pytest.raises(AttributeError, match=r"cannot be changed"):
        graph.__init__([0], [])  # type: ignore[misc]
    for array in (graph.indptr, graph.indices, graph.weights):
        with pytest.raises(ValueError, match=r"read-only"):
            array[0] = 1
        with pytest.raises(ValueError, match=r"read-only"):
            array += 1
    assert isinstance(graph.labels, tuple)
    assert stored(graph) == [(0, 1, 3), (0, 3, 5), (1, 2, 0), (2, 0, -2)]


@pytest.mark.parametrize("directed", [True, False])
def test_sources_of_edges_without_their_weights(directed: bool) -> None:
    rng = np.random.default_rng(5)
    graph = Graph.from_edges(40, *rng.integers(0, 40, (2, 200)), rng.integers(1, 9, 200), directed=directed)
    alone = graph._in_neighbors()
    assert directed != ("in_edges" in graph._derived)
    for one, other, again in zip(alone, graph.in_edges()[:2], graph._in_neighbors(), strict=True):
        assert one.dtype == other.dtype
        assert one.tolist() == other.tolist() == again.tolist()


@pytest.mark.parametrize("directed", [True, False])
def test_in_edges_cannot_be_changed(directed: bool) -> None:
    graph = sample(directed=directed)
    for array in graph.in_edges():
        with pytest.raises(ValueError, match=r"read-only"):
            array[0] = 1
    assert graph.in_edges() is graph.in_edges()


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("labels", [None, ["x", ("y", 1), 2.5, False]])
@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float32, np.float64])
def test_pickles_and_copies_are_the_same_and_read_only(directed: bool, labels: Any, dtype: type) -> None:
    w = np.array([3, 0, -2, 5], dtype)
    graph = Graph.from_edges(4, [0, 1, 2, 0], [1, 2, 0, 3], w, directed, offset=7, labels=labels)
    graph.in_edges()
    others = [pickle.loads(pickle.dumps(graph, protocol)) for protocol in range(pickle.HIGHEST_PROTOCOL + 1)]
    others += [copy.copy(graph), copy.deepcopy(graph)]
    for other in others:
        assert_sound(other)
        assert_same(other, graph)
        assert in_edges_of(other) == in_edges_of(graph)
        with pytest.raises(AttributeError, match=r"cannot be changed"):
            other.offset = 0
        assert other.index(other.name(2)) == 2
        assert other == graph
        assert hash(other) == hash(graph)


# ---- names, properties, in-edges --------------------------------------------------------------------


def test_names_are_numbers_plus_the_offset() -> None:
    graph = sample(offset=1)
    assert [graph.name(v) for v in range(4)] == [1, 2, 3, 4]
    assert [graph.index(name) for name in (1, np.int8(2), np.uint64(4))] == [0, 1, 3]
    assert all(type(graph.index(name)) is int for name in (1, np.int8(2)))
    for wrong in (0, 5, -1, 1.0, "1", None, 10**30, [1]):
        with pytest.raises(ValueError, match=r"is not a vertex of this graph, whose vertices are 1 \.\. 4"):
            graph.index(wrong)
    assert sample(offset=np.int64(-3)).name(0) == -3
    assert type(sample(offset=np.int64(-3)).offset) is int


def test_names_are_labels() -> None:
    labels = ["a", ("b", 1), 3, False]
    graph = sample(labels=labels, offset=5)
    assert [graph.name(v) for v in range(4)] == labels
    assert [graph.index(name) for name in labels] == [0, 1, 2, 3]
    for wrong in ("z", 1, 5, [1], {}):
        with pytest.raises(
            ValueError, match=r"is not a vertex of this graph, whose vertices are 'a', \('b', 1\), 3, False"
        ):
            graph.index(wrong)
    labels[0] = "changed"
    assert graph.name(0) == "a"


@pytest.mark.parametrize(
    ("labels", "error", "message"),
    [
        (["a", "b", "a", "c"], ValueError, r"^labels\[2\] = 'a' is also labels\[0\]"),
        ([0, "b", "a", 0.0], ValueError, r"^labels\[3\] = 0.0 is also labels\[0\]"),
        (["a", None, "b", "c"], ValueError, r"^labels\[1\] = None stands for no vertex"),
        ({"a": 0, "b": 1, "c": 2, "d": 3}, TypeError, "^labels: expected a sequence, got a dict$"),
        (np.array(3), TypeError, "^labels: expected a sequence, got a ndarray$"),
        ([np.float64("nan"), 1, 2, 3], ValueError, r"^labels\[0\] = .*nan.* cannot be found again"),
        ([1, 2, float("nan"), 3], ValueError, r"^labels\[2\] = nan cannot be found again"),
        (["a", pandas.NA, "b", "c"], ValueError, r"^labels\[1\] = <NA> cannot be found again"),
        (["a", "b", ["c"], "d"], TypeError, r"^labels\[2\] = \['c'\] is not hashable"),
        (["a", "b"], ValueError, r"^labels has 2 entries for 4 vertices"),
    ],
)
def test_labels_that_cannot_be_names(labels: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        sample(labels=labels)
    with pytest.raises(error, match=message):
        Graph([0, 0, 0, 0, 0], [], labels=labels)


class NeverSaysWhetherItIsEqual:
    """What is compared to an array of answers."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    __hash__ = object.__hash__

    def __eq__(self, other: object) -> Any:
        return self.answer

    def __ne__(self, other: object) -> Any:
        return self.answer


def test_labels_whose_comparison_has_no_answer() -> None:
    label = NeverSaysWhetherItIsEqual(np.ones(2))
    assert Graph.from_edges(2, [0], [1], labels=["a", label]).index(label) == 1


def test_labels_of_numpy_keep_zeros_at_the_end() -> None:
    labels = [np.str_("a"), np.str_("a\0"), np.bytes_(b"a"), np.bytes_(b"a\0")]
    graph = Graph.from_edges(4, [], [], labels=labels)
    assert graph.labels == ("a", "a\0", b"a", b"a\0")
    assert set(map(type, graph.labels)) == {str, bytes}


@pytest.mark.parametrize(
    ("keywords", "error", "message"),
    [
        ({"labels": ["a"]}, ValueError, "^labels has 1 entries for 4 vertices"),
        ({"labels": []}, ValueError, "^labels has 0 entries for 4 vertices"),
        ({"labels": range(5)}, ValueError, "^labels has 5 entries for 4 vertices"),
        ({"offset": 1.0}, TypeError, "^offset: expected an integer, got 1.0"),
        ({"offset": None}, TypeError, "^offset: expected an integer, got None"),
        ({"offset": True}, TypeError, "^offset: expected an integer, got True"),
        ({"offset": 2**63 - 3}, ValueError, f"^offset = {2**63 - 3}: int64 does not hold the numbers of 4 vertices"),
        ({"offset": -(2**63) - 1}, ValueError, "^offset = -9223372036854775809: int64 does not hold"),
    ],
)
def test_faulty_names(keywords: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        sample(**keywords)
    with pytest.raises(error, match=message):
        Graph([0, 1, 1, 1, 1], [0], **keywords)


def test_offsets_as_far_as_int64() -> None:
    for offset in (-(2**63), 2**63 - 4):
        graph = sample(offset=offset)
        assert [graph.index(name) for name in graph.names] == [0, 1, 2, 3]
        assert graph.name(3) == offset + 3
    assert Graph.from_edges(0, [], [], offset=2**63 - 1).offset == 2**63 - 1


def in_edges_of(graph: Graph) -> list[tuple[int, int, Any]]:
    """Return (target, source, weight) in stored order."""
    indptr, sources, weights = graph.in_edges()
    assert (indptr.dtype, sources.dtype, weights.dtype) == (np.int64, np.int32, graph.weights.dtype)
    targets = np.repeat(np.arange(graph.n), np.diff(indptr))
    return list(zip(targets.tolist(), sources.tolist(), weights.tolist(), strict=True))


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_in_edges_are_grouped_by_target_with_sources_ascending(directed: bool, seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, m = 40, 300
    u, v = rng.integers(0, n, (2, m))
    graph = Graph.from_edges(n, u, v, rng.integers(-3, 3, m), directed)
    assert in_edges_of(graph) == sorted((v, u, w) for u, v, w in stored(graph))
    assert graph.in_edges().indptr.shape == (n + 1,)


def test_in_edges_of_the_last_and_of_empty_vertices() -> None:
    graph = Graph.from_edges(5, [4, 3, 0], [1, 1, 1], [0, 2, 7])
    assert in_edges_of(graph) == [(1, 0, 7), (1, 3, 2), (1, 4, 0)]
    assert graph.in_edges().indptr.tolist() == [0, 0, 3, 3, 3, 3]


@pytest.mark.parametrize(
    ("weights", "heaviest", "negative", "integral"),
    [
        (np.array([3, -7, 5]), 7, True, True),
        (np.array([-(2**63), 2**63 - 1, 0]), 2**63, True, True),
        (np.array([-(2**31), 5, 0], np.int32), 2**31, True, True),
        (np.array([0.5, 2, 3]), 3, False, False),
        (np.array([1, 2, -4], np.float32), 4, True, True),
        (np.array([1e300, 2.0**60, 0]), 1e300, False, True),
        (np.array([-5e-324, 0, 0]), 5e-324, True, False),
        (np.array([0, -0.0, 0]), 0, False, True),
    ],
)
def test_what_a_graph_knows_about_its_weights(
    weights: np.ndarray, heaviest: Any, negative: bool, integral: bool
) -> None:
    graph = Graph.from_edges(3, [0, 1, 2], [1, 2, 0], weights)
    assert graph.max_abs_weight == heaviest
    assert type(graph.max_abs_weight) in (int, float)
    assert graph.has_negative_weights is negative
    assert graph.has_integral_weights is integral


def test_repr() -> None:
    graph = Graph.from_edges(1234, range(1233), range(1, 1234), directed=False)
    assert repr(graph) == "<reedsp.Graph: 1,234 vertices, 2,466 edges, undirected, int32 weights>"
    assert repr(sample()) == "<reedsp.Graph: 4 vertices, 4 edges, directed, int64 weights>"
    assert repr(Graph.from_edges(0, [], [], [])) == "<reedsp.Graph: 0 vertices, 0 edges, directed, float64 weights>"


def test_as_graph() -> None:
    graph = sample()
    assert as_graph(graph) is graph
    for wrong in (None, 5, "file.gr", {0: 1}, {(0, 1)}, nx.Graph):
        with pytest.raises(TypeError, match=r"^network: expected a reedsp.Graph, a SciPy sparse matrix"):
            as_graph(wrong, "network")


# ---- one graph through every container --------------------------------------------------------------


@st.composite
def edge_lists(draw: st.DrawFn) -> tuple[int, Edges]:
    n = draw(st.integers(1, 8))
    vertex = st.integers(0, n - 1)
    whole = st.integers(-4, 4) | st.integers(-(2**63), INT64_MAX)
    broken = st.sampled_from([0.0, -0.0, 0.5, -2.5, 5e-324, 1e-9, 1e300, np.inf]) | st.floats(
        allow_nan=False, min_value=-1e308
    )
    weight = draw(st.sampled_from([whole, broken]))
    edges = draw(st.lists(st.tuples(vertex, vertex, weight), max_size=20))
    return n, draw(st.permutations(edges))


@settings(max_examples=150, derandomize=True, database=None)
@given(edge_lists(), st.booleans(), st.randoms(use_true_random=False))
def test_every_container_gives_the_same_graph(edge_list: tuple[int, Edges], directed: bool, random: Any) -> None:
    n, edges = edge_list
    u, v, w = ([edge[part] for edge in edges] for part in range(3))
    weights = np.array(w, np.int64 if edges and isinstance(w[0], int) else np.float64)
    graph = Graph.from_edges(n, u, v, weights, directed)
    assert_sound(graph)
    assert stored(graph) == canonical([edge for edge in edges if edge[2] != np.inf], directed)

    order = list(range(len(edges)))
    random.shuffle(order)
    shuffled = ([column[i] for i in order] for column in (u, v))
    assert_same(Graph.from_edges(n, *shuffled, weights[order], directed), graph)
    indptr, targets, data = in_csr(n, np.array(u, int), np.array(v, int), weights)
    assert_same(Graph(indptr, targets, data, directed=directed), graph)
    assert_same(Graph.from_scipy(sp.csr_array((data, targets, indptr), shape=(n, n)), directed), graph)
    indptr, sources, data = in_csr(n, np.array(v, int), np.array(u, int), weights)
    assert_same(Graph.from_scipy(sp.csc_matrix((data, sources, indptr), shape=(n, n)), directed), graph)
    assert_same(Graph.from_scipy(sp.coo_array((weights, (u, v)), shape=(n, n)), directed), graph)
    assert_same(Graph.from_scipy(graph.to_scipy(), directed), graph)
    assert_same(pickle.loads(pickle.dumps(graph)), graph)

    network = nx.MultiDiGraph() if directed else nx.MultiGraph()
    network.add_nodes_from(range(n))
    network.add_weighted_edges_from(zip(u, v, weights.tolist(), strict=True))
    if edges:  # without a weight to look at, networkx graphs are integral
        assert stored(Graph.from_networkx(network)) == stored(graph)
        assert Graph.from_networkx(network).weights.dtype == graph.weights.dtype

    # The other containers hold no duplicates, and some of them no zeros.
    least = np.ma.masked_all((n, n), graph.weights.dtype)
    for a, b, weight in stored(graph):
        least[a, b] = weight
    assert_same(Graph.from_dense(least, directed), graph)
    if weights.dtype == np.float64:
        assert_same(Graph.from_dense(least.filled(np.inf), directed, null_value=None), graph)
    matrix = graph.to_scipy().tolil()
    assert_same(Graph.from_scipy(matrix, directed), graph)
    assert_same(Graph.from_scipy(sp.dok_matrix(graph.to_scipy()), directed), graph)
    a, b, c = ([edge[part] for edge in stored(graph) if edge[2]] for part in range(3))
    without_zeros = Graph.from_edges(n, a, b, np.array(c, weights.dtype), directed)
    dense = least.filled(0)
    assert_same(Graph.from_dense(dense, directed), without_zeros)
    assert_same(Graph.from_dense(np.asfortranarray(dense), directed), without_zeros)
    if edges:
        assert stored(Graph.from_dense(dense.tolist(), directed)) == stored(without_zeros)
    divisors = [size for size in range(1, n + 1) if n % size == 0]
    blocks = (random.choice(divisors), random.choice(divisors))
    for converted in (sp.bsr_array(dense, blocksize=blocks), sp.dia_array(dense), sp.lil_matrix(dense)):
        assert_same(Graph.from_scipy(converted, directed), without_zeros)


# ---- rows that need no sorting -----------------------------------------------------------------------


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("change", ["nothing", "order", "weight", "edge", "twice", "infinite"])
def test_rows_as_they_stand_and_rows_that_have_to_be_mended(change: str, directed: bool) -> None:
    """A symmetric matrix in order is taken as it is; what is not so gives what its list of edges gives."""
    rng = np.random.default_rng(8)
    upper = np.triu(rng.integers(1, 9, (40, 40)) * (rng.random((40, 40)) < 0.2))
    matrix = sp.csr_array(upper + np.triu(upper, 1).T)
    indptr, indices, weights = matrix.indptr.copy(), matrix.indices.copy(), matrix.data.astype(np.float64)
    begin, end = indptr[7], indptr[8]
    assert end - begin > 2
    if change == "order":
        indices[begin:end], weights[begin:end] = indices[begin:end][::-1].copy(), weights[begin:end][::-1].copy()
    elif change == "weight":
        weights[begin] += 1
    elif change == "edge":
        indptr, indices, weights = np.append(indptr[:-1], indptr[-1] - 1), indices[:-1], weights[:-1]
    elif change == "twice":
        indices[begin + 1] = indices[begin]
    elif change == "infinite":
        weights[begin] = np.inf
    given = indptr.copy(), indices.copy(), weights.copy()
    graph = Graph(indptr, indices, weights, directed=directed)
    expected: dict[tuple[int, int], float] = {}
    for source in range(40):
        for edge in range(given[0][source], given[0][source + 1]):
            target = int(given[1][edge])
            for pair in [(source, target)] if directed else [(source, target), (target, source)]:
                if given[2][edge] < np.inf:
                    expected[pair] = min(expected.get(pair, np.inf), float(given[2][edge]))
    sources = np.repeat(np.arange(40), np.diff(graph.indptr)).tolist()
    found = list(zip(sources, graph.indices.tolist(), strict=True))
    assert found == sorted(expected)
    assert graph.weights.tolist() == [expected[pair] for pair in found]
    for ours, theirs in zip((graph.indptr, graph.indices, graph.weights), (indptr, indices, weights), strict=True):
        assert not np.shares_memory(ours, theirs)
        theirs.flags.writeable = True  # what was given stays the caller's


def test_after_columns_that_fall_no_more_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rows are made anew then."""
    monkeypatch.setattr(graph_module, "in_parts", functools.partial(parts.in_parts, part=16))
    indptr, columns, weights = [0, 2, 4, 6, 8, 10], [1, 0, 0, 1, 2, 1, 3, 4, 0, 4], list(range(1, 11))
    graph = Graph(indptr, columns, weights)
    rows = [(row, columns[place], weights[place]) for row in range(5) for place in range(2 * row, 2 * row + 2)]
    assert list(graph.edges()) == sorted(rows)
    assert Graph(indptr, np.sort(np.reshape(columns, (5, 2))).ravel(), weights).m == 10
