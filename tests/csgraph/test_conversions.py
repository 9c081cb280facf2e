"""Conversions in place of SciPy's: masks count, and nothing leads compiled code beyond its memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from scipy.sparse import csgraph as theirs

from reedsp import csgraph as ours
from reedsp.cost_model import place
from reedsp.csgraph import conversions

NONE = -9999
WEIGHTS = [[0, 1.0], [2, 0]]
CORRUPT = {
    "column": ([1, 10**8], [0, 1, 2], "indices"),
    "negative column": ([1, -1], [0, 1, 2], "indices"),
    "pointer": ([1, 0], [0, 10**8, 2], "indptr"),
    "few pointers": ([1, 0], [0, 2], "indptr"),
}


@pytest.mark.parametrize("convert", [ours.csgraph_to_dense, ours.csgraph_to_masked])
class TestToDense:
    """Of both conversions to a dense matrix."""

    @pytest.mark.parametrize("what", CORRUPT)
    @pytest.mark.parametrize("kind", [scipy.sparse.csr_array, scipy.sparse.csc_matrix])
    def test_corrupt_arrays_are_refused(self, convert: Callable[[Any], Any], kind: Any, what: str) -> None:
        indices, indptr, array = CORRUPT[what]
        matrix = kind(np.array(WEIGHTS))
        matrix.indices, matrix.indptr = np.array(indices, np.int32), np.array(indptr, np.int32)
        with pytest.raises(ValueError, match=rf"^csgraph\.{array}"):
            convert(matrix)

    def test_indices_of_two_types(self, convert: Callable[[Any], Any]) -> None:
        matrix = scipy.sparse.csr_array(np.array(WEIGHTS))
        matrix.indptr = matrix.indptr.astype(">i8")
        assert convert(matrix).tolist() == convert(scipy.sparse.csr_array(np.array(WEIGHTS))).tolist()

    def test_what_is_no_graph(self, convert: Callable[[Any], Any]) -> None:
        for wrong in (WEIGHTS, scipy.sparse.coo_array(np.array(WEIGHTS)), scipy.sparse.csr_array(np.ones((2, 3)))):
            with pytest.raises(ValueError, match=r"^csgraph "):
                convert(wrong)
        with pytest.raises(TypeError, match=r"^csgraph has dtype complex128"):
            convert(scipy.sparse.csr_array(np.eye(2) * 1j))


def test_dense_matrices_are_those_of_scipy() -> None:
    twice = scipy.sparse.csr_array(([3.0, 2, 5], [1, 1, 0], [0, 2, 3]), shape=(2, 2))
    for matrix in (twice, twice.tocsc(), twice.tolil(), scipy.sparse.csr_matrix(np.eye(3, dtype=np.int8))):
        for null in (0, np.inf, -1):
            found, expected = (each.csgraph_to_dense(matrix, null) for each in (ours, theirs))
            np.testing.assert_array_equal(found, expected, strict=True)
        found, expected = (each.csgraph_to_masked(matrix) for each in (ours, theirs))
        np.testing.assert_array_equal(np.ma.getmaskarray(found), np.ma.getmaskarray(expected))
        np.testing.assert_array_equal(found.filled(7), expected.filled(7), strict=True)


def test_dense_objects_are_numbers() -> None:
    assert ours.csgraph_from_dense(np.array([[0, 1], [3, 2]], object)).toarray().tolist() == [[0, 1], [3, 2]]
    assert ours.csgraph_masked_from_dense([[0, 2**70], [1, 0]]).tolist() == [[None, 2.0**70], [1, None]]


def test_masked_entries_are_no_edges() -> None:
    masked = np.ma.array([[0, 5.0], [np.nan, 4]], mask=[[0, 1], [0, 0]])
    assert ours.csgraph_masked_from_dense(masked).mask.tolist() == [[True, True], [True, False]]
    assert ours.csgraph_masked_from_dense(masked, null_value=None).mask.tolist() == [[False, True], [True, False]]
    assert ours.csgraph_from_dense(masked).toarray().tolist() == [[0, 0], [0, 4]]
    assert masked.mask.tolist() == [[False, True], [False, False]]
    rows = list(masked)
    for convert in (ours.csgraph_from_dense, ours.csgraph_masked_from_dense):
        with pytest.raises(ValueError, match=r"^graph\[0\]\[1\] is masked$"):
            convert(rows)


@pytest.mark.parametrize("convert", [ours.csgraph_from_dense, ours.csgraph_masked_from_dense])
def test_what_is_no_null(convert: Callable[..., Any]) -> None:
    for wrong in ("a", 1j, object()):
        with pytest.raises(TypeError, match=r"^null_value: expected a number, got "):
            convert(WEIGHTS, wrong)
    with pytest.raises(ValueError, match=r"^csgraph has shape \(4,\), expected a square matrix$"):
        ours.csgraph_to_dense(scipy.sparse.csr_array(np.ones(4)))


@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_masked_matrices() -> None:
    edges = ours.csgraph_from_masked(np.matrix(WEIGHTS))
    assert edges.toarray().tolist() == WEIGHTS
    assert edges.nnz == 4  # nothing is masked


@pytest.mark.parametrize(
    ("predecessors", "error", "said"),
    [
        ([NONE, 5], ValueError, r"^predecessors\[1\] = 5 is not a vertex of a graph with 2 vertices$"),
        ([NONE], ValueError, r"^predecessors has shape \(1,\), expected \(2,\)$"),
        ([[NONE, 0]], ValueError, r"^predecessors has shape \(1, 2\), expected \(2,\)$"),
        ([NONE, 0.7], ValueError, r"^predecessors\[1\] = 0.7, expected an integral number$"),
        ([np.nan, 0], ValueError, r"^predecessors\[0\] = nan, expected an integral number$"),
        ([0, -np.inf], ValueError, r"^predecessors\[1\] = -inf, expected an integral number$"),
        (["0", "1"], TypeError, r"^predecessors has dtype <U1, expected integers$"),
        (np.array([NONE, 0], object), TypeError, r"^predecessors has dtype object, expected integers$"),
        ([False, False], TypeError, r"^predecessors has dtype bool, expected integers$"),
        (np.ma.array([NONE, 0], mask=[0, 1]), ValueError, r"^predecessors\[1\] is masked$"),
    ],
)
def test_what_are_no_predecessors(predecessors: Any, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        ours.reconstruct_path(WEIGHTS, predecessors)


def test_trees_of_any_integers() -> None:
    for kind in (np.int8, np.int32, np.int64, list):
        predecessors = [-3, 0] if kind is list else np.array([-3, 0], kind)
        assert ours.reconstruct_path(WEIGHTS, predecessors).toarray().tolist() == [[0, 1], [0, 0]]
    assert ours.reconstruct_path(np.zeros((0, 0)), []).shape == (0, 0)


def test_predecessors_without_an_edge() -> None:
    """0 stands where an edge was to be, or inf without directions, as in SciPy."""
    graph, predecessors = scipy.sparse.csr_array([[0, 1.0, 0], [0, 0, 0], [0, 0, 0]]), np.array([NONE, 0, 1])
    for directed, weight in ((True, 0), (False, np.inf)):
        found, expected = (each.reconstruct_path(graph, predecessors, directed) for each in (ours, theirs))
        assert found.toarray().tolist() == expected.toarray().tolist() == [[0, 1, 0], [0, 0, weight], [0, 0, 0]]


@pytest.mark.parametrize("form", [scipy.sparse.csr_array, scipy.sparse.csc_array])
def test_matrices_without_entries_need_no_device(form: Any, serves: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(conversions, "graph_of")
    graph, none = form((3, 3)), np.full(3, NONE, np.int32)
    for module in (ours, theirs):
        order, before = module.depth_first_order(graph, 1)
        assert (order.tolist(), before.tolist()) == ([1], none.tolist())
        assert module.depth_first_tree(graph, 1).nnz == module.reconstruct_path(graph, none).nnz == 0
    assert ours.yen(graph, 0, 1, 3).shape == (0,)
    assert [each.shape for each in ours.yen(graph, 0, 1, 3, return_predecessors=True)] == [(0,), (0, 3)]


@pytest.mark.parametrize("form", ["unsorted", "csc_array", "csc_matrix", "parallel", "nan", "inf"])
@pytest.mark.parametrize("directed", [True, False])
def test_trees_need_no_device(form: str, directed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither do sums along paths, in whatever order edges stand, and of several the minimum counts."""
    rng = np.random.default_rng(7)
    dense = rng.integers(1, 50, (30, 30)) * (rng.random((30, 30)) < 0.1) * 1.0
    rows, columns = dense.nonzero()
    given, weights = scipy.sparse.csr_array(dense), dense[rows, columns]
    if form in ("parallel", "nan", "inf"):
        rows, columns = np.tile(rows, 2), np.tile(columns, 2)
        weights = np.append(weights, weights + 3 if form == "parallel" else np.full(len(weights), float(form)))
    order = rng.permutation(len(rows))
    order = order.take(rows.take(order).argsort(kind="stable"))
    pointers = np.append(0, np.bincount(rows, minlength=30).cumsum())
    graph: Any = scipy.sparse.csr_array((weights[order], columns[order], pointers), shape=(30, 30))
    if form.startswith("csc"):
        graph = getattr(scipy.sparse, form)(given)
    monkeypatch.delattr(conversions, "graph_of")
    stored = graph.copy()
    _, before = theirs.depth_first_order(given, 0, directed)
    np.testing.assert_array_equal(ours.depth_first_order(graph, 0, directed)[1], before, strict=True)
    tree = theirs.depth_first_tree(given, 0, directed).toarray()
    for found in (ours.depth_first_tree(graph, 0, directed), ours.reconstruct_path(graph, before, directed)):
        np.testing.assert_array_equal(found.toarray(), tree, strict=True)
    _, paths = theirs.shortest_path(given, "D", directed, return_predecessors=True)
    sums = ours.construct_dist_matrix(graph, paths, directed)
    np.testing.assert_array_equal(sums, theirs.construct_dist_matrix(given, paths, directed), strict=True)
    for name in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(graph, name), getattr(stored, name))


@pytest.mark.parametrize(
    ("predecessors", "said"),
    [
        ([[NONE, 5], [1, NONE]], r"^predecessors\[0, 1\] = 5 is not a vertex of a graph with 2 vertices$"),
        ([[NONE, 0], [2, NONE]], r"^predecessors\[1, 0\] = 2 is not a vertex of a graph with 2 vertices$"),
        ([[NONE, 0]], r"^predecessors has shape \(1, 2\), expected \(2, 2\)$"),
        ([NONE, 0], r"^predecessors has shape \(2,\), expected \(2, 2\)$"),
    ],
)
def test_what_are_no_predecessors_of_pairs(predecessors: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        ours.construct_dist_matrix(WEIGHTS, np.array(predecessors, np.int32))


def test_negative_predecessors_are_none() -> None:
    found = ours.construct_dist_matrix(WEIGHTS, np.array([[-1, -7], [1, NONE]], np.int32))
    assert found.tolist() == [[0, np.inf], [2, 0]]


def test_graphs_of_paths_stay_as_they_are() -> None:
    dense = np.array(WEIGHTS)
    ours.construct_dist_matrix(dense, np.array([[NONE, 0], [1, NONE]], np.int32))
    assert dense.tolist() == WEIGHTS


@pytest.mark.deep("float64", "False-csr_array-float32")
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int32, np.uint8, np.int64, np.bool_])
@pytest.mark.parametrize("kind", [scipy.sparse.csr_array, scipy.sparse.csr_matrix, scipy.sparse.lil_array])
@pytest.mark.parametrize("serves", [True, False])
def test_graphs_of_any_numbers(serves: bool, kind: Any, dtype: type, monkeypatch: pytest.MonkeyPatch) -> None:
    """On the host and on a device, with and without directions, trees are SciPy's."""
    monkeypatch.setattr(place, "_serves", serves)
    rng = np.random.default_rng(5)
    graph = kind((rng.integers(1, 200, (20, 20)) * (rng.random((20, 20)) < 0.1)).astype(dtype))
    before = graph.copy()
    for directed in (True, False):
        for tree in ("breadth_first_tree", "depth_first_tree"):
            found, expected = (getattr(each, tree)(graph, 0, directed) for each in (ours, theirs))
            assert type(found) is type(expected)
            np.testing.assert_array_equal(found.toarray(), expected.toarray(), strict=True)
        order = theirs.breadth_first_order(graph, 0, directed)[1]
        found, expected = (each.reconstruct_path(graph, order, directed) for each in (ours, theirs))
        assert type(found) is type(expected)
        np.testing.assert_array_equal(found.toarray(), expected.toarray(), strict=True)
        paths = theirs.shortest_path(graph, "D", directed, return_predecessors=True)[1]
        found, expected = (each.construct_dist_matrix(graph, paths, directed) for each in (ours, theirs))
        np.testing.assert_array_equal(found, expected, strict=True)
    assert (graph != before).nnz == 0
