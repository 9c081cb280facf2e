"""Graphs of dense matrices: the same as of lists of edges, and no list is made before something asks for one."""

from __future__ import annotations

import functools
import pickle
import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from reedsp.graph import dense
from reedsp.graph import graph as graph_module
from reedsp.graph.dense import DenseWeights
from reedsp.graph.graph import Graph
from reedsp.system import parts

DTYPES = (np.bool_, np.int8, np.uint16, np.int32, np.uint32, np.int64, np.uint64, np.float16, np.float32, np.float64)


@pytest.fixture(autouse=True, params=[0, 1 << 62], ids=["narrow", "wide"])
def small_parts(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Have matrices stay what they are however few edges they have, and be looked at in parts, by threads."""
    monkeypatch.setattr(graph_module, "_PART_OF_DENSE", 0)
    monkeypatch.setattr(dense, "in_parts", functools.partial(parts.in_parts, part=200))
    monkeypatch.setattr(dense, "_BLOCK", 3)
    monkeypatch.setattr(dense, "_NARROWED", request.param)
    monkeypatch.setattr(parts, "WORTH_THREADS", 100)
    return


def random_matrix(n: int, dtype: Any, density: float, rng: np.random.Generator) -> np.ndarray:
    values = rng.integers(0 if np.dtype(dtype).kind in "bu" else -9, 10, (n, n))
    values[rng.random((n, n)) >= density] = 0
    matrix = values.astype(dtype)
    return matrix / dtype(8) if np.dtype(dtype).kind == "f" else matrix


def edges_of(matrix: np.ndarray, directed: bool) -> Graph:
    """Return the graph of the entries, by way of a list."""
    present = ~np.ma.getmaskarray(matrix) if np.ma.isMaskedArray(matrix) else matrix != 0
    sources, targets = np.nonzero(present)
    return Graph.from_edges(len(matrix), sources, targets, np.ma.getdata(matrix)[present], directed)


def facts_of(graph: Graph) -> tuple[Any, ...]:
    known = graph.n, graph.m, graph.weight_dtype, graph.max_abs_weight, graph.simple_path_bound
    return *known, graph.has_negative_weights, graph.has_integral_weights, repr(graph), hash(graph)


def assert_same(graph: Graph, expected: Graph) -> None:
    """Compare what is known of a matrix first, and then its edges."""
    assert graph.dense is not None
    assert facts_of(graph) == facts_of(expected)
    for fact in facts_of(graph)[3:5]:
        assert type(fact) in (int, float)
    assert graph.dense is not None
    for name in ("indptr", "indices", "weights"):
        found, right = getattr(graph, name), getattr(expected, name)
        assert found.dtype == right.dtype
        assert found.tobytes() == right.tobytes()
        assert found.flags.owndata
        assert not found.flags.writeable
    assert graph.dense is None
    assert facts_of(graph) == facts_of(expected)
    assert graph == expected


@pytest.mark.deep
@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("dtype", DTYPES)
def test_the_edges_are_those_of_a_list(dtype: Any, directed: bool) -> None:
    rng = np.random.default_rng(1)
    for n in (1, 2, 3, 7, 30):
        for density in (0, 0.1, 0.9, 2):
            matrix = random_matrix(n, dtype, density, rng)
            whole = np.rint(matrix).astype(dtype)
            assert_same(Graph.from_dense(whole, directed), edges_of(whole, directed))
            for layout in (matrix, np.asfortranarray(matrix), matrix.astype(matrix.dtype.newbyteorder())):
                assert_same(Graph.from_dense(layout, directed), edges_of(matrix, directed))
            full = np.where(matrix == 0, 1, matrix).astype(matrix.dtype)
            assert_same(Graph.from_dense(full, directed), edges_of(full, directed))
            masked = np.ma.masked_array(matrix, rng.random((n, n)) < 0.3)
            numbers = masked.view(np.uint8) if masked.dtype == bool else masked  # a False that is not masked is an edge
            assert_same(Graph.from_dense(masked, directed), edges_of(numbers, directed))


@pytest.mark.parametrize("directed", [True, False])
def test_infinity_is_no_edge_and_zeros_lose_their_sign(directed: bool) -> None:
    rng = np.random.default_rng(2)
    matrix = np.where(rng.random((9, 9)) < 0.3, np.inf, rng.integers(-3, 3, (9, 9)) * -0.5)
    sources, targets = np.nonzero(matrix < np.inf)
    every = Graph.from_edges(9, sources, targets, matrix[sources, targets], directed)
    assert_same(Graph.from_dense(matrix, directed, null_value=None), every)
    assert_same(Graph.from_dense(matrix, directed, null_value=np.inf), every)
    unknown = np.where(np.isinf(matrix), np.nan, matrix)
    assert_same(Graph.from_dense(unknown, directed, null_value=np.nan), every)
    some = (matrix < np.inf) & (matrix != -0.5)
    sources, targets = np.nonzero(some)
    expected = Graph.from_edges(9, sources, targets, matrix[some], directed)
    assert_same(Graph.from_dense(matrix, directed, null_value=-0.5), expected)


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint64])
def test_the_integer_that_stands_for_no_edge_is_a_weight_nevertheless(dtype: Any, directed: bool) -> None:
    largest = min(np.iinfo(dtype).max, 2**63 - 1)
    matrix = np.zeros((5, 5), dtype)
    matrix[3, 1], matrix[1, 3] = largest, largest
    graph = Graph.from_dense(matrix, directed)
    assert graph.dense is None
    assert list(graph.edges()) == [(1, 3, largest), (3, 1, largest)][: 1 + directed]
    if dtype != np.uint64:
        matrix[1, 3] = np.iinfo(dtype).min
        assert Graph.from_dense(matrix, directed).max_abs_weight == -int(np.iinfo(dtype).min)


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float32, np.float64])
def test_few_weights_do_not_fit_into_few_bytes(dtype: Any, directed: bool) -> None:
    """They lie where no sample is taken."""
    kind = np.dtype(dtype).kind
    others = [0.5, 2.0**40, np.inf, 2.0**31] if kind == "f" else []
    for weight in (2**15 - 2, 2**15 - 1, -(2**15), 2**15, 2**31 - 128, -(2**31), *others):
        for row in (1, 19):
            matrix = random_matrix(20, dtype, 0.9, np.random.default_rng(row))
            matrix = np.rint(matrix).astype(dtype)
            matrix[row, 3] = weight
            if weight < np.inf:
                assert_same(Graph.from_dense(matrix, directed), edges_of(matrix, directed))
            kept = np.where(matrix < np.inf, matrix, 0)
            garbage = np.ma.masked_array(matrix, (matrix == weight) | (matrix == 0))
            assert_same(Graph.from_dense(garbage, directed), edges_of(np.where(kept == weight, 0, kept), directed))


def test_small_integers_take_two_bytes() -> None:
    matrix = np.arange(-8.0, 17).reshape(5, 5)
    matrix[0, 0] = np.inf
    graph = Graph.from_dense(matrix)
    assert graph.dense is not None
    assert graph.dense.dtype == np.float64
    assert graph.dense.values.dtype == (np.int16 if dense._NARROWED == 0 else np.float64)
    assert type(graph.max_abs_weight) is float
    matrix[0, 0] = -8
    ends = np.indices(matrix.shape).reshape(2, -1)
    for given in (matrix, matrix.astype(np.int64)):
        assert_same(Graph.from_dense(given, null_value=None), Graph.from_edges(5, *ends, given.ravel()))


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize(
    ("bad", "dtype", "message"),
    [
        (np.nan, np.float64, "is nan, expected a number greater than -inf"),
        (-np.inf, np.float64, "is -inf, expected a number greater than -inf"),
        (-np.inf, np.float16, "is -inf, expected a number greater than -inf"),
        (2**63, np.uint64, "= 9223372036854775808 is outside int64"),
    ],
)
def test_of_several_faults_the_first_is_named(bad: Any, dtype: Any, message: str, directed: bool) -> None:
    for row in (0, 6, 19):
        matrix = np.ones((20, 20), dtype)
        matrix[row, 4] = matrix[row, 17] = matrix[19, 19] = bad
        with pytest.raises(ValueError, match=rf"^matrix\[{row}, 4\] {re.escape(message)}$"):
            Graph.from_dense(matrix, directed)
        hidden = np.ma.masked_array(matrix, matrix == bad if bad == bad else np.isnan(matrix))
        assert Graph.from_dense(hidden, directed).max_abs_weight == 1


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_what_is_behind_a_mask_is_never_looked_at(dtype: type[np.floating[Any]], directed: bool) -> None:
    """Not even a NaN with which a sum is an invalid operation, as memory that nobody has written may have it."""
    signalling = {4: np.uint32(0x7F800001), 8: np.uint64(0x7FF0000000000001)}[np.dtype(dtype).itemsize]
    values = np.full((9, 9), signalling).view(dtype)
    matrix = np.ma.masked_array(values, np.ones((9, 9), bool))
    matrix[2, 5] = 3
    with np.errstate(all="raise"):
        graph = Graph.from_dense(matrix, directed=directed)
    assert graph.m == (1 if directed else 2)
    assert graph.weights.tolist() == [3] * graph.m


@pytest.mark.parametrize("directed", [True, False])
def test_false_is_an_edge_where_it_is_not_masked(directed: bool) -> None:
    values = random_matrix(9, np.bool_, 0.5, np.random.default_rng(5))
    matrix = np.ma.masked_array(values, random_matrix(9, np.bool_, 0.5, np.random.default_rng(6)))
    assert_same(Graph.from_dense(matrix, directed), edges_of(matrix.astype(np.int32), directed))


@pytest.mark.parametrize(
    ("dtype", "weights", "null_value", "kept"),
    [
        (np.int64, [5, 2**53, 2**53 + 1], 2.0**53, [5, 2**53 + 1]),
        (np.int64, [5, 2**53, 2**53 + 1], np.float32(2**53), [5, 2**53 + 1]),
        (np.int64, [5, 2**53, 2**53 + 1], 2**53 + 1, [5, 2**53]),
        (np.int64, [5, 2**53, 2**53 + 1], 5.5, [5, 2**53, 2**53 + 1]),
        (np.int64, [5, -(2**63), 2**62], 2.0**63, [5, -(2**63), 2**62]),
        (np.uint8, [0, 1, 255], -1, [0, 1, 255]),
        (np.uint8, [0, 1, 255], 256, [0, 1, 255]),
        (np.uint8, [0, 1, 255], np.nan, [0, 1, 255]),
        (np.float64, [5, 2**53], 2**53 + 1, [5, 2**53]),
        (np.float64, [5, 2**53], np.int64(2**53), [5]),
        (np.float64, [5, 2**53], 10**400, [5, 2**53]),
        (np.float32, [5, 2**24], 2**24 + 1, [5, 2**24]),
        (np.float16, [5, 2**11], 10**5, [5, 2**11]),
        (np.float32, [0.5, 0.25], Fraction(1, 4), [0.5]),
        (np.longdouble, [5, 7], 5, [7]),
    ],
)
def test_no_edge_is_what_is_exactly_a_number(dtype: Any, weights: list[Any], null_value: Any, kept: list[Any]) -> None:
    n = len(weights)
    graph = Graph.from_dense(np.array([weights] * n, dtype), null_value=null_value)
    assert [weight for _, _, weight in graph.edges()] == kept * n


@pytest.mark.parametrize("directed", [True, False])
def test_what_happens_to_the_array_later_does_not_matter(directed: bool) -> None:
    matrix = np.arange(25.0).reshape(5, 5)
    expected = edges_of(matrix, directed)
    graph = Graph.from_dense(matrix, directed)
    matrix[...] = -1
    assert_same(graph, expected)


def test_a_matrix_cannot_be_changed() -> None:
    graph = Graph.from_dense(np.ones((3, 3)))
    assert graph.dense is not None
    with pytest.raises(ValueError, match="read-only"):
        graph.dense.values[0, 0] = 7
    with pytest.raises(ValueError, match="WRITEABLE"):
        graph.dense.values.flags.writeable = True
    with pytest.raises(AttributeError):
        graph.weights = np.ones(9)  # type: ignore[misc]


def test_few_edges_are_kept_in_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    matrix = np.zeros((8, 8))
    matrix[2] = 1
    assert Graph.from_dense(matrix).dense is None
    matrix[2:6] = 1
    assert Graph.from_dense(matrix).dense is not None


def test_a_graph_with_coordinates_shares_the_matrix() -> None:
    graph = Graph.from_dense(np.ones((3, 3)))
    placed = graph.with_coordinates(np.zeros((3, 2)))
    assert placed.dense is graph.dense is not None
    assert list(placed.edges()) == list(graph.edges())
    assert pickle.loads(pickle.dumps(graph)) == graph


def test_facts_do_not_need_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(weights: DenseWeights) -> None:
        raise AssertionError

    monkeypatch.setattr(DenseWeights, "rows", refuse)
    graph = Graph.from_dense(np.arange(9.0).reshape(3, 3) - 0.5)
    assert facts_of(graph)[:7] == (3, 9, np.dtype(np.float64), 7.5, 13.5 * (1 + 2.0**-20), True, False)
    with pytest.raises(AssertionError):
        list(graph.edges())
