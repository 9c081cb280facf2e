"""Flows, full matchings, depth-first orders, reverse Cuthill-McKee and Laplacian in place of SciPy's."""

from __future__ import annotations

import contextlib
import itertools
from typing import Any

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse
from scipy.sparse import csgraph as theirs

from reedsp import csgraph as ours
from reedsp import full_matching
from reedsp.algorithms.structure.flow import maximum_flow as flows
from reedsp.cost_model import place
from reedsp.csgraph import components as csgraph_components
from reedsp.csgraph import flows as csgraph_flows
from reedsp.device.device import Device

RNG = np.random.default_rng(11)


def random_matrix(n: int, density: float, dtype: Any = np.float64) -> Any:
    dense = RNG.integers(1, 30, (n, n)) * (RNG.random((n, n)) < density)
    return scipy.sparse.csr_array(dense.astype(dtype))


def corrupt(indptr: Any = None, indices: Any = None, kind: Any = scipy.sparse.csr_array) -> Any:
    matrix = kind(np.array([[0, 1, 0], [1, 0, 2], [0, 2, 0]], np.int32))
    matrix.indptr = matrix.indptr if indptr is None else np.array(indptr, np.int32)
    matrix.indices = matrix.indices if indices is None else np.array(indices, np.int32)
    return matrix


# ---- maximum flow ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("frozen", ["indptr", "indices", "data"])
@pytest.mark.parametrize("method", ["dinic", "edmonds_karp"])
@pytest.mark.parametrize("serves", [True, False])
def test_flows_through_arrays_that_are_read_only(
    serves: bool, method: str, frozen: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(place, "_serves", serves)
    matrix = scipy.sparse.csr_array(np.array([[0, 5, 2], [0, 0, 3], [0, 0, 0]], np.int32))
    getattr(matrix, frozen).flags.writeable = False
    found = ours.maximum_flow(matrix, 0, 2, method=method)
    assert (found.flow_value, found.flow.toarray().tolist()) == (5, [[0, 3, 2], [-3, 0, 3], [-2, -3, 0]])


def test_flows_through_what_is_no_square_matrix() -> None:
    for given in (scipy.sparse.csr_array(np.array([1, 0, 2])), scipy.sparse.csr_array(np.ones((2, 3), np.int32))):
        with pytest.raises(ValueError, match=r"^graph must be specified as a square matrix\.$"):
            ours.maximum_flow(given, 0, 1)


@pytest.mark.parametrize("on", ["device", "host", "gpu"])
def test_flows_are_those_of_scipy(
    on: str, device: Device, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    if on == "host":
        request.getfixturevalue("serves")
    if on == "gpu":  # the flow of which may be another one
        monkeypatch.setattr(flows, "_trusted_method", lambda *_: ("push-relabel", ""))
    for n, density in ((2, 1.0), (9, 0.3), (40, 0.1), (40, 0.02)):
        matrix = random_matrix(n, density, np.int32)
        for method in ("dinic", "edmonds_karp"):
            found, expected = (each.maximum_flow(matrix, 0, n - 1, method=method) for each in (ours, theirs))
            assert (found.flow_value, type(found.flow_value)) == (expected.flow_value, type(expected.flow_value))
            assert type(found) is type(expected)
            assert type(found.flow) is type(expected.flow)
            assert found.flow.dtype == expected.flow.dtype
            np.testing.assert_array_equal(found.flow.indices, expected.flow.indices)
            np.testing.assert_array_equal(found.flow.indptr, expected.flow.indptr)
            if on == "host" or (on == "device" and device.kind == "cpu"):
                np.testing.assert_array_equal(found.flow.data, expected.flow.data)
            net = found.flow.toarray()
            np.testing.assert_array_equal(net, -net.T)
            assert (net <= matrix.toarray()).all()
            assert not net[1:-1].sum(axis=1).any()


@pytest.mark.deep("csr_array", "dinic")
@pytest.mark.parametrize("kind", [scipy.sparse.csr_array, scipy.sparse.csr_matrix])
@pytest.mark.parametrize("method", ["dinic", "push-relabel"])
def test_types_of_the_arrays_of_a_flow(kind: Any, method: str, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flows, "_trusted_method", lambda *_: (method, ""))
    matrix = kind(random_matrix(20, 0.3, np.int32))
    for size in (np.int32, np.int64):
        matrix.indices, matrix.indptr = matrix.indices.astype(size), matrix.indptr.astype(size)
        flow = ours.maximum_flow(matrix, 0, 19).flow
        assert (flow.indices.dtype, flow.indptr.dtype, flow.dtype) == (np.int32,) * 3


def test_flows_for_which_a_gpu_takes_longer(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of many edges at each vertex SciPy's is taken in a network of any size; a grid goes to the GPU if it is large."""
    monkeypatch.setattr(place, "_serves", True)
    monkeypatch.setattr(device, "kind", "gpu")
    monkeypatch.setattr(csgraph_flows, "get_device", lambda: device)
    asked: list[int] = []
    monkeypatch.setattr(csgraph_flows, "flow_between", lambda network: asked.append(network.n) or 1 / 0)
    n = 20_000
    for degree, on_device in ((1, False), (2, False), (3, True), (8, False)):
        tails = np.repeat(np.arange(n - degree), degree)
        heads = tails + np.tile(np.arange(1, degree + 1), n - degree)
        matrix = scipy.sparse.csr_array((np.ones(len(tails), np.int32), (tails, heads)), shape=(n, n))
        if on_device:
            with pytest.raises(ZeroDivisionError):
                ours.maximum_flow(matrix, 0, n - degree)
        else:
            assert ours.maximum_flow(matrix, 0, 9).flow_value == degree
    assert asked == [n]


@pytest.mark.parametrize("pairs", [50, 49])
def test_full_matchings_for_a_gpu(pairs: int, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of so many pairs or more, whatever the weights."""
    monkeypatch.setattr(place, "_serves", True)
    monkeypatch.setattr(place, "_GPU_PAIRS", 50)
    monkeypatch.setattr(place, "_FEW_WEIGHTS", 0)
    monkeypatch.setattr(device, "kind", "gpu")
    monkeypatch.setattr(csgraph_flows, "get_device", lambda: device)
    asked: list[Any] = []
    found = csgraph_flows.full_matching
    monkeypatch.setattr(csgraph_flows, "full_matching", lambda *given: asked.append(given) or found(*given))
    matrix = scipy.sparse.csr_array(scipy.sparse.eye_array(pairs, 60))
    matrix.data = np.arange(1.0, pairs + 1) / 7
    assert ours.min_weight_full_bipartite_matching(matrix)[1].tolist() == list(range(pairs))
    assert len(asked) == (pairs == 50)


@pytest.mark.deep
def test_flows_that_scipy_finds_wrong() -> None:
    wide = scipy.sparse.csr_array(np.array([[0, 2**40, 0], [0, 0, 2**33], [0, 0, 0]]))
    found = ours.maximum_flow(wide, 0, 2)
    assert (found.flow_value, found.flow.dtype, found.flow.toarray()[0, 1]) == (2**33, np.int64, 2**33)
    assert ours.maximum_flow(wide, 0, 2, method="edmonds_karp").flow_value == 2**33
    both = scipy.sparse.csr_array(np.array([[0, 2**31 - 1], [2**31 - 1, 0]], np.int32))
    assert ours.maximum_flow(both, 0, 1).flow_value == 2**31 - 1
    twice = scipy.sparse.csr_array(([1, 2, 3, 1, 1], [1, 1, 0, 2, 2], [0, 2, 3, 5]), shape=(3, 3))
    assert ours.maximum_flow(twice, 0, 1).flow_value == 3
    wide = scipy.sparse.csr_array(([2**30, 2**30, 2**30, 5], [1, 1, 1, 0], [0, 3, 4]), shape=(2, 2))
    assert ours.maximum_flow(wide, 0, 1).flow_value == 3 * 2**30
    unsorted = scipy.sparse.csr_array(([7, 2, 5], [2, 1, 2], [0, 2, 3, 3]), shape=(3, 3))
    assert ours.maximum_flow(unsorted, 0, 2).flow_value == 9
    assert unsorted.indices.tolist() == [2, 1, 2]
    empty = ours.maximum_flow(scipy.sparse.csr_matrix((3, 3), dtype=np.int32), 0, 2)
    assert (empty.flow_value, empty.flow.nnz, type(empty.flow)) == (0, 0, scipy.sparse.csr_matrix)


@pytest.mark.parametrize(
    ("matrix", "kind", "message"),
    [
        (np.ones((2, 2), int), TypeError, "graph must be in CSR format"),
        (scipy.sparse.csc_array(np.ones((2, 2), int)), TypeError, "graph must be in CSR format"),
        (scipy.sparse.csr_array(np.ones((2, 2))), ValueError, "graph capacities must be integers"),
        (scipy.sparse.csr_array(np.ones((2, 3), int)), ValueError, "graph must be specified as a square matrix."),
        (scipy.sparse.csr_array(np.ones((1, 1), int)), ValueError, r"sink value \(1\) must be between 0 and 0"),
        (
            scipy.sparse.csr_array([[0, -4], [1, 0]]),
            ValueError,
            r"csgraph\[0, 1\] is -4, expected a capacity",
        ),
        (
            scipy.sparse.csr_array(np.array([[0, 0], [2**63, 0]], np.uint64)),
            ValueError,
            r"csgraph\[1, 0\] is 9223372036854775808, expected one that int64 holds",
        ),
        (
            scipy.sparse.csr_array(([2**62, 2**62], [1, 1], [0, 2, 2]), shape=(2, 2)),
            OverflowError,
            "capacities of parallel edges may add up to more than int64 holds",
        ),
    ],
)
def test_wrong_networks(matrix: Any, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        ours.maximum_flow(matrix, 0, 1)


@pytest.mark.deep
def test_large_capacities_to_which_nothing_is_added() -> None:
    """Those of parallel edges are added up, and no others, however many there are."""
    matrix = scipy.sparse.csr_array(np.diag([2**62, 2**62], 1))
    assert ours.maximum_flow(matrix, 0, 2).flow_value == 2**62
    unsorted = scipy.sparse.csr_array(([2**62, 5, 7, 3], [2, 1, 3, 3], [0, 2, 3, 4, 4]), shape=(4, 4))
    assert ours.maximum_flow(unsorted, 0, 3).flow_value == 8
    assert unsorted.indices.tolist() == [2, 1, 3, 3]


def test_wrong_arguments_of_flows() -> None:
    matrix = scipy.sparse.csr_array([[0, 5], [0, 0]])
    with pytest.raises(ValueError, match=r"^source and sink vertices must differ$"):
        ours.maximum_flow(matrix, 0, 0)
    with pytest.raises(ValueError, match=r"^simplex method is not supported yet.$"):
        ours.maximum_flow(matrix, 0, 1, method="simplex")
    for source, sink, name in ((0.9, 1, "source"), (0, 1.0, "sink"), (0, "1", "sink"), (None, 1, "source")):
        with pytest.raises(TypeError, match=rf"^{name}: expected an integer, got "):
            ours.maximum_flow(matrix, source, sink)


# ---- full matchings -------------------------------------------------------------------------------------


@pytest.mark.deep("device")
@pytest.mark.parametrize("on", ["device", "host"])
@pytest.mark.parametrize("maximize", [False, True])
def test_full_matchings_weigh_as_much(on: str, maximize: bool, device: Device, request: pytest.FixtureRequest) -> None:
    if on == "host":
        request.getfixturevalue("serves")
    for shape in ((1, 1), (6, 6), (5, 9), (9, 5), (0, 3)):
        for scale in (1, 0.37):
            dense = RNG.integers(1, 30, shape) * scale
            for kind in (scipy.sparse.csr_array, scipy.sparse.csc_matrix, scipy.sparse.coo_array):
                found = ours.min_weight_full_bipartite_matching(kind(dense), maximize)
                expected = theirs.min_weight_full_bipartite_matching(kind(dense).tocsr(), maximize)
                assert abs(dense[found].sum() - dense[expected].sum()) < 1e-9
                assert [each.dtype for each in found] == [each.dtype for each in expected]
                assert found[0].tolist() == sorted(expected[0].tolist()) or shape[0] > shape[1]


@pytest.mark.parametrize("on", ["device", "host"])
def test_rules_of_full_matchings(on: str, device: Device, request: pytest.FixtureRequest) -> None:
    if on == "host":
        request.getfixturevalue("serves")
    zero = scipy.sparse.csr_array(([0, 5, 5, 0], [0, 1, 0, 1], [0, 2, 4]), shape=(2, 2))
    with pytest.warns(UserWarning, match="explicit zero weights are removed before matching"):
        assert ours.min_weight_full_bipartite_matching(zero)[1].tolist() == [1, 0]
    assert zero.nnz == 4
    infinite = scipy.sparse.csr_array([[np.inf, 2], [3, 1]])
    assert ours.min_weight_full_bipartite_matching(infinite)[1].tolist() == [1, 0]
    with pytest.raises(ValueError, match=r"^no full matching exists$"):
        ours.min_weight_full_bipartite_matching(scipy.sparse.csr_array([[1, 0], [1, 0]]))
    with pytest.raises(ValueError, match=r"^biadjacency\[0, 0\] is inf, expected a finite number$"):
        ours.min_weight_full_bipartite_matching(infinite, maximize=True)
    for wrong in (np.nan, -np.inf):
        with pytest.raises(ValueError, match="expected a finite number"):
            ours.min_weight_full_bipartite_matching(scipy.sparse.csr_array([[wrong]]))
    for given in (np.eye(2), scipy.sparse.lil_array(np.eye(2)), scipy.sparse.csr_array(np.eye(2) * 1j)):
        with pytest.raises(TypeError):
            ours.min_weight_full_bipartite_matching(given)
    with pytest.raises(ValueError, match=r"^biadjacency has 1 dimension, expected 2$"):
        ours.min_weight_full_bipartite_matching(scipy.sparse.coo_array(np.arange(5)))
    objects = scipy.sparse.csr_array(np.eye(2))
    objects.data = objects.data.astype(object)
    with pytest.raises(ValueError, match=r"^expected a matrix containing numerical entries, got object$"):
        ours.min_weight_full_bipartite_matching(objects)
    beyond = np.array([[1, 2], [2**63 + 1, 4]], np.uint64)
    for kind in (scipy.sparse.csr_array, scipy.sparse.csc_matrix, scipy.sparse.coo_array):
        with pytest.raises(ValueError, match=r"^biadjacency\[1, 0\] is 9223372036854775809, expected a number"):
            ours.min_weight_full_bipartite_matching(kind(beyond))
    beyond[1, 0] = 2**63 - 1
    with pytest.raises(OverflowError, match="whose prices int64 may not hold"):
        ours.min_weight_full_bipartite_matching(scipy.sparse.csr_array(beyond))
    large = scipy.sparse.csr_array(np.array([[2**53 + 1, 2**53], [2**53 + 2, 2**53 + 2]]))  # equal as doubles
    assert ours.min_weight_full_bipartite_matching(large)[1].tolist() == [1, 0]


# ---- what the host does ---------------------------------------------------------------------------------


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("dtype", [np.float64, np.int32, np.uint8])
def test_depth_first(directed: bool, dtype: Any) -> None:
    for n, density in ((1, 1.0), (12, 0.2), (40, 0.05)):
        matrix = random_matrix(n, density, dtype)
        for start in {0, n // 2}:
            for kind in (scipy.sparse.csr_array, scipy.sparse.csr_matrix, scipy.sparse.csc_array, np.asarray):
                given, rows = kind(matrix.toarray()), matrix  # of columns without direction SciPy has another order
                if kind is scipy.sparse.csr_matrix:
                    rows = given
                found = ours.depth_first_order(given, start, directed)
                for one, other in zip(found, theirs.depth_first_order(rows, start, directed), strict=True):
                    np.testing.assert_array_equal(one, other, strict=True)
                tree, expected = (
                    ours.depth_first_tree(given, start, directed),
                    theirs.depth_first_tree(rows, start, directed),
                )
                np.testing.assert_array_equal(tree.toarray(), expected.toarray(), strict=True)
                assert isinstance(tree, type(expected))
    assert ours.depth_first_order([[0, 1], [0, 0]], 0, return_predecessors=False).tolist() == [0, 1]


def test_depth_first_in_ascending_order_however_stored() -> None:
    matrix = scipy.sparse.csr_array((np.ones(3), [2, 1, 0], [0, 2, 2, 3]), shape=(3, 3))
    assert theirs.depth_first_order(matrix, 0)[0].tolist() == [0, 2, 1]
    assert ours.depth_first_order(matrix, 0)[0].tolist() == [0, 1, 2]
    np.testing.assert_array_equal(ours.depth_first_tree(matrix, 0).toarray(), matrix.toarray() * [[1], [0], [0]])


def test_depth_first_where_scipy_is_wrong() -> None:
    matrix = scipy.sparse.csr_array([[0.0, 1, 2], [0, 0, 0], [0, 0, 0]])
    matrix.data[0] = np.nan
    assert ours.depth_first_order(matrix, 0)[0].tolist() == [0, 2]
    matrix.data[0] = -np.inf
    with pytest.raises(ValueError, match=r"csgraph\[0, 1\] is -inf"):
        ours.depth_first_order(matrix, 0)
    with pytest.raises(TypeError, match="complex128"):
        ours.depth_first_order(matrix.astype(complex), 0)
    for start in (-1, 3, 10**9):
        for function in (ours.depth_first_order, ours.depth_first_tree):
            with pytest.raises(ValueError, match=f"^i_start = {start} is not a vertex of a graph with 3 vertices$"):
                function(abs(matrix) > 0, start)
    for broken in (corrupt(indptr=[0, 400, 3, 4]), corrupt(indices=[1, 0, 2000, 1])):
        with pytest.raises(ValueError, match="ind"):
            ours.depth_first_order(broken, 0)


def test_reverse_cuthill_mckee() -> None:
    for n, density in ((1, 1.0), (30, 0.1), (200, 0.02)):
        matrix = random_matrix(n, density)
        for given, symmetric in ((matrix, False), (scipy.sparse.csc_array(matrix + matrix.T), True)):
            found, expected = (each.reverse_cuthill_mckee(given, symmetric) for each in (ours, theirs))
            np.testing.assert_array_equal(found, expected, strict=True)
    assert ours.reverse_cuthill_mckee(scipy.sparse.csr_array((0, 0))).shape == (0,)
    with pytest.raises(ValueError, match=r"^graph has shape \(4,\), expected a square matrix$"):
        ours.reverse_cuthill_mckee(scipy.sparse.csr_array(np.ones(4)))
    with pytest.raises(ValueError, match=r"^graph has shape \(2, 3\), expected a square matrix$"):
        ours.reverse_cuthill_mckee(scipy.sparse.csr_array(np.ones((2, 3))), symmetric_mode=True)
    with pytest.raises(TypeError):
        ours.reverse_cuthill_mckee(np.eye(2))


@pytest.mark.parametrize("form", ["dense", "csr", "csc", "coo", "lil", "dok", "dia", "bsr"])
@pytest.mark.parametrize("kind", [np.int8, np.int32, np.uint8, np.uint64, np.bool_])
def test_degrees_of_integers(form: str, kind: Any) -> None:
    """They are as in int64, whose type they have where their own does not hold them."""
    rows = (
        [[0, 100, 0], [0, 0, 100], [0, 50, 0]],
        [[0, 3, 0], [3, 0, 1], [0, 1, 0]],
        [[0, 127, 0], [127, 0, 0], [0, 0, 0]],
    )
    for heavy in map(np.array, rows):
        given = heavy.astype(kind)
        matrix = given if form == "dense" else scipy.sparse.csr_array(given).asformat(form)
        for normed, symmetrized in ((False, False), (True, False), (False, True)):
            options = {"normed": normed, "symmetrized": symmetrized}
            found = ours.laplacian(matrix, **options)
            found = found.toarray() if scipy.sparse.issparse(found) else found
            expected = theirs.laplacian(given.astype(np.int64), **options)
            np.testing.assert_array_equal(found, expected)
            holds = np.dtype(kind).kind == "i" and np.abs(expected).max() <= np.iinfo(kind).max
            assert found.dtype == (expected.dtype if normed or not holds else kind)
            np.testing.assert_array_equal(matrix if form == "dense" else matrix.toarray(), given)


def test_a_laplacian_leaves_the_matrix_as_it_is() -> None:
    parts = [100, 100, 3], [1, 1, 0], [0, 2, 3]
    matrix = scipy.sparse.csr_array(tuple(map(np.array, parts)), shape=(2, 2))
    matrix.data = matrix.data.astype(np.int8)
    for array in (matrix.data, matrix.indices, matrix.indptr):
        array.flags.writeable = False
    assert ours.laplacian(matrix).toarray().tolist() == [[3, -200], [-3, 200]]
    assert ours.laplacian(matrix.astype(np.int32)).dtype == np.int32
    assert [each.tolist() for each in (matrix.data, matrix.indices, matrix.indptr)] == list(parts)


@pytest.mark.parametrize("kind", [np.int64, np.uint64])
def test_degrees_beyond_int64(kind: Any) -> None:
    heavy = np.full((3, 3), 2**62, kind)
    for graph in (heavy, scipy.sparse.csr_array(heavy)):
        with pytest.raises(OverflowError, match=r"^csgraph: its degrees are beyond int64$"):
            ours.laplacian(graph)
        assert ours.laplacian(graph, normed=True).dtype == np.float64


@pytest.mark.parametrize("kind", [">f8", ">i4", ">u2", np.float16, object, ">f4"])
def test_sparse_numbers_of_types_that_scipy_does_not_hold(kind: Any) -> None:
    matrix = scipy.sparse.csr_array([[0, 1.0], [0, 0]])
    matrix.data = matrix.data.astype(kind)
    assert ours.minimum_spanning_tree(matrix).toarray().tolist() == [[0, 1], [0, 0]]
    assert ours.laplacian(matrix).toarray().tolist() == [[0, -1], [0, 1]]


@pytest.mark.parametrize("normed", [False, True])
@pytest.mark.parametrize("form", ["array", "function"])
def test_laplacians_of_matrices_without_diagonals(form: Any, normed: bool) -> None:
    nothing = scipy.sparse.dia_array((3, 3))
    for symmetrized in (False, True):
        found = ours.laplacian(nothing, normed, form=form, symmetrized=symmetrized)
        assert (found.toarray() if form == "array" else found(np.eye(3))).tolist() == np.zeros((3, 3)).tolist()


def test_laplacians_of_objects_and_frames() -> None:
    rows = np.array([[0, 4.0, 0], [1, 0, 9], [0, 1, 0]])
    frame = pytest.importorskip("pandas").DataFrame(rows)
    for given in (rows.astype(object), np.ma.masked_equal(rows.astype(object), 0), frame):
        for options in ({}, {"normed": True}, {"normed": True, "symmetrized": True}):
            found = ours.laplacian(given, **options).astype(np.float64)
            np.testing.assert_array_equal(found, theirs.laplacian(rows, **options), strict=True)


def test_laplacian() -> None:
    matrix = random_matrix(9, 0.4)
    blocks = matrix.tobsr((3, 3)), matrix.tobsr((1, 3)), matrix.tobsr((9, 3))
    others = (matrix.toarray(), matrix.tocoo(), *blocks, matrix.tolil(), matrix.astype(np.int32))
    for given in (matrix, *others):
        for normed in (False, True):
            found, expected = (each.laplacian(given, normed, return_diag=True) for each in (ours, theirs))
            for one, other in zip(found, expected, strict=True):
                one, other = (each.toarray() if scipy.sparse.issparse(each) else each for each in (one, other))
                np.testing.assert_array_equal(one, other, strict=True)
    vector = np.arange(9.0)
    by_function = ours.laplacian(matrix, form="function", symmetrized=True, use_out_degree=True, dtype=np.float32)
    expected = theirs.laplacian(matrix, form="function", symmetrized=True, use_out_degree=True, dtype=np.float32)
    np.testing.assert_array_equal(by_function(vector[:, np.newaxis]), expected(vector[:, np.newaxis]))
    assert ours.laplacian([[0, 1], [1, 0]]).tolist() == [[1, -1], [-1, 1]]
    assert ours.laplacian(np.empty((0, 0), np.int8)).shape == (0, 0)
    with pytest.raises(ValueError, match="square"):
        ours.laplacian(np.ones((2, 3)))


BROKEN = {
    "pointers that descend": (corrupt(indptr=[0, 400_000_000, 3, 4]), "indptr is corrupt"),
    "pointers beyond the end": (corrupt(indptr=[0, 1, 3, 9]), "indptr is corrupt"),
    "pointers that do not begin with 0": (corrupt(indptr=[1, 1, 3, 4]), "indptr is corrupt"),
    "too few pointers": (corrupt(indptr=[0, 1, 4]), "indptr is corrupt"),
    "an index too large": (corrupt(indices=[1, 0, 200_000_000, 1]), r"indices\[2\] = 200000000, expected a number"),
    "a negative index": (corrupt(indices=[1, 0, -70_000_000, 1]), r"indices\[2\] = -70000000, expected a number"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_corrupt_matrices_crash_nothing(name: str) -> None:
    """SciPy's routines end the process on most of them."""
    matrix, message = BROKEN[name]
    for call in (
        lambda: ours.maximum_flow(matrix, 0, 2),
        lambda: ours.min_weight_full_bipartite_matching(matrix),
        lambda: ours.reverse_cuthill_mckee(matrix),
        lambda: ours.laplacian(matrix),
    ):
        with pytest.raises(ValueError, match=message):
            call()


@pytest.mark.parametrize("on_host", [True, False])
def test_indices_in_another_byte_order(on_host: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(place, "_serves", on_host)
    matrix = scipy.sparse.csr_array((np.array([3, 2, 1], np.int32), [1, 2, 0], [0, 1, 2, 3]), shape=(3, 3))
    matrix.indices = matrix.indices.astype(">i4")
    assert ours.reverse_cuthill_mckee(matrix).tolist() == [2, 1, 0]
    assert ours.maximum_flow(matrix, 0, 2).flow_value == 2
    assert ours.min_weight_full_bipartite_matching(matrix)[1].tolist() == [1, 2, 0]
    assert ours.dijkstra(matrix, indices=0).tolist() == [0, 3, 5]
    matrix.indices = np.array([0, 1 << 24, 2 << 24]).astype(">i4")
    for call in (
        lambda: ours.maximum_flow(matrix, 0, 2),
        lambda: ours.min_weight_full_bipartite_matching(matrix),
        lambda: ours.reverse_cuthill_mckee(matrix),
        lambda: ours.laplacian(matrix),
    ):
        with pytest.raises(ValueError, match=r"indices\[1\] = 16777216, expected a number from 0 to 2$"):
            call()


def test_corrupt_matrices_of_other_formats() -> None:
    with pytest.raises(ValueError, match=r"graph.indices\[0\] = 7"):
        ours.reverse_cuthill_mckee(corrupt(indices=[7, 0, 2, 1], kind=scipy.sparse.csc_array))
    entries = scipy.sparse.coo_array(np.eye(3))
    entries.coords[1][2] = 9
    for call in (ours.laplacian, ours.min_weight_full_bipartite_matching):
        with pytest.raises(ValueError, match=r"coords\[1\]\[2\] = 9, expected a number from 0 to 2"):
            call(entries)
    for name, value, message in (("indices", 3, r"csgraph.indices\[1\] = 3"), ("indptr", 9, "indptr is corrupt")):
        blocks = scipy.sparse.bsr_array(np.eye(6), blocksize=(2, 2))
        getattr(blocks, name)[1] = value
        with pytest.raises(ValueError, match=message):
            ours.laplacian(blocks)


def test_a_large_network_on_the_device(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REEDSP_DEVICE", str(device.index))
    n, m = 3000, 30_000
    matrix = scipy.sparse.csr_array(
        (RNG.integers(1, 100, m).astype(np.int32), RNG.integers(0, n, (2, m))),  # type: ignore[arg-type]
        shape=(n, n),
    )
    matrix.sum_duplicates()
    found, expected = (each.maximum_flow(matrix, 0, n - 1) for each in (ours, theirs))
    assert found.flow_value == expected.flow_value


# ---- where ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["cpu", "gpu"])
def test_which_full_matchings_are_for_the_host(
    kind: str, device: Device, serves: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a matrix that is half full on any device, of a thin one only if that is a GPU."""
    monkeypatch.setattr(device, "kind", kind)
    on_device: list[int] = []

    def noted(matrix: Any, maximize: bool) -> Any:
        on_device.append(matrix.nnz)
        return full_matching(matrix, maximize, device=device, method="shortest-paths")

    monkeypatch.setattr(csgraph_flows, "full_matching", noted)
    n = 4000
    ends = np.tile(np.arange(n), 4), np.concatenate((np.arange(n), RNG.integers(0, n, 3 * n)))
    thin = scipy.sparse.csr_array((RNG.integers(1, 50, 4 * n).astype(float), ends), shape=(n, n))
    for matrix, is_for_cpu in ((thin, kind == "cpu"), (scipy.sparse.csr_array(RNG.random((800, 900)) + 1), False)):
        on_device.clear()
        rows, columns = ours.min_weight_full_bipartite_matching(matrix)
        expected = theirs.min_weight_full_bipartite_matching(matrix)
        assert matrix[rows, columns].sum() == pytest.approx(matrix[expected].sum())
        assert on_device == ([matrix.nnz] if is_for_cpu else [])


@pytest.mark.parametrize("heaviest", [2**53, 2.0**60])
@pytest.mark.parametrize("sign", [1, -1])
def test_full_matchings_that_float64_holds(
    heaviest: float, sign: int, serves: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SciPy, which adds up in float64, has floats as they are, and integers that it does not round."""
    monkeypatch.delattr(csgraph_flows, "full_matching")
    matrix = scipy.sparse.csr_array([[heaviest, heaviest / 2], [1, 1]]).astype(type(heaviest)) * sign
    assert ours.min_weight_full_bipartite_matching(matrix)[1].tolist() == ([1, 0] if sign == 1 else [0, 1])


@pytest.mark.parametrize("sign", [1, -1])
def test_full_matchings_that_float64_rounds(sign: int, serves: None) -> None:
    """SciPy would take the first integer for the second one, and find either matching: a device looks at them."""
    matrix = sign * scipy.sparse.csr_array([[2**53 + 1, 2**53], [1, 1]])
    assert ours.min_weight_full_bipartite_matching(matrix)[1].tolist() == ([1, 0] if sign == 1 else [0, 1])


@pytest.mark.parametrize("double", [False, True])
def test_strong_components_where_the_device_is_a_gpu(
    double: bool, device: Device, serves: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An ordered matrix goes to SciPy as it is; of columns that are twice in a row, the last one goes there."""
    monkeypatch.setattr(device, "kind", "gpu")
    monkeypatch.setattr(place, "_LABEL_DEVICE", 0.0)
    matrix = random_matrix(60, 0.03)
    expected = theirs.connected_components(matrix, connection="strong")
    given = matrix if double else matrix.astype(np.int32)
    if double:  # of each row the first column again, before it
        first = given.indptr[:-1][np.diff(given.indptr) > 0]
        data, indices = (np.insert(each, first, each[first]) for each in (given.data, given.indices))
        counts = np.diff(given.indptr) + (np.diff(given.indptr) > 0)
        given = scipy.sparse.csr_array((data, indices, np.append(0, np.cumsum(counts))), shape=(60, 60))
    to_scipy: list[Any] = []
    on_host = csgraph_components._on_host
    monkeypatch.setattr(csgraph_components, "_on_host", lambda *each: to_scipy.append(each[0]) or on_host(*each))
    for each in (matrix, given):
        count, labels = ours.connected_components(each, connection="strong")
        assert count == expected[0]
        np.testing.assert_array_equal(labels, expected[1])
    assert to_scipy[0] is matrix


@pytest.mark.deep("gpu", "host", "float32", "int32")
@pytest.mark.parametrize("on", ["host", "cpu", "gpu"])
@pytest.mark.parametrize("dtype", [np.float32, np.int32, np.uint8])
def test_strong_components_of_columns_that_scipy_puts_in_order(
    on: str, dtype: type, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(place, "_serves", on == "host")
    monkeypatch.setenv("REEDSP_DEVICE", str(device.index))  # whatever kind it is said to be
    monkeypatch.setattr(device, "kind", "gpu" if on == "gpu" else "cpu")
    for seed in range(20):
        rng = np.random.default_rng(seed)
        rows, columns = (rng.random((8, 8)) < 0.25).nonzero()
        given = scipy.sparse.csr_array((np.ones(len(rows), dtype), (rows, columns)), shape=(8, 8))
        for first, last in zip(given.indptr[:-1], given.indptr[1:], strict=True):
            given.indices[first:last] = given.indices[first:last][::-1].copy()
        found = ours.connected_components(given, connection="strong")
        expected = theirs.connected_components(given.astype(np.float64), connection="strong")
        assert (found[0], found[1].tolist()) == (expected[0], expected[1].tolist())


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "lil", "dense", "list"])
@pytest.mark.parametrize("connection", ["weak", "strong"])
def test_components_of_small_graphs_need_no_device(
    connection: str, form: str, serves: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(csgraph_components, "_found")
    matrix = random_matrix(12, 0.1).astype(np.int32)
    matrix.data -= 3  # weights below 0 are edges, too
    given = {"dense": matrix.toarray(), "list": matrix.toarray().tolist()}.get(form)
    found = ours.connected_components(matrix.asformat(form) if given is None else given, connection=connection)
    expected = theirs.connected_components(matrix if given is None else matrix.toarray(), connection=connection)
    assert (found[0], found[1].tolist()) == (expected[0], expected[1].tolist())


def test_masked_entries_are_no_edges_of_a_laplacian() -> None:
    for dtype in (int, float):
        weights = np.ma.array([[0, 1, 2], [1, 0, 0], [2, 0, 0]], dtype, mask=[[0, 1, 0], [0, 0, 0], [0, 0, 0]])
        expected = theirs.laplacian(weights.filled(0))
        np.testing.assert_array_equal(ours.laplacian(weights), expected, strict=True)
        assert weights.data[0, 1] == 1
        np.testing.assert_array_equal(ours.laplacian(weights, copy=False), expected, strict=True)


SLOW = np.array([[4, 7, 1, 8], [6, 10, 7, 11], [9, 6, 6, 9], [5, 6, 7, 6]])
"""Weights, but for the first and the third added to much: SciPy's routine takes as many steps as that is large."""


@pytest.mark.parametrize("much", [2**21, 2**40, 2**51, 2.0**40, 2.0**30 + 0.5])
@pytest.mark.parametrize("size", [4, 204])
@pytest.mark.parametrize("few_cells", [csgraph_flows._FEW_CELLS, 0])
def test_full_matchings_whose_time_does_not_grow_with_the_weights(
    much: float, size: int, few_cells: int, serves: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(csgraph_flows, "_FEW_CELLS", few_cells)
    weights = SLOW + type(much)(much)
    weights[0, ::2] = 4, 1
    weights = scipy.linalg.block_diag(weights, np.diag(np.arange(1, size - 3)))
    rows, columns = ours.min_weight_full_bipartite_matching(scipy.sparse.csr_array(weights))
    best = min(sum(weights[i, p[i]] for i in range(4)) for p in itertools.permutations(range(4)))
    assert weights[rows, columns][:4].sum() == best
    columns = ours.min_weight_full_bipartite_matching(scipy.sparse.csr_array(-weights), maximize=True)[1]
    assert weights[rows, columns][:4].sum() == best


@pytest.mark.parametrize("sign", [1, -1])
def test_a_full_matching_of_tenths(sign: int, serves: None) -> None:
    """What is rounded away in sums of them is no step by which to lower prices: SciPy's routine does so for ever."""
    tenths = np.array([[9, 1000, 3, 6], [1000, 1000, 3, 6], [4, 1000, 2, 1000], [5, 1000, 7, 5]])
    matrix = scipy.sparse.csr_array(sign * tenths / 10)
    rows, columns = ours.min_weight_full_bipartite_matching(matrix, maximize=sign < 0)
    assert tenths[rows, columns].sum() == min(
        tenths[range(4), order].sum() for order in itertools.permutations(range(4))
    )


def test_a_stored_zero_and_an_infinity_beside_weights_far_apart(serves: None) -> None:
    """They are removed, and what is left is looked at."""
    weights = SLOW.astype(float) + 2**30
    weights[0, ::2] = 4, 1
    wide = scipy.sparse.csr_array(scipy.linalg.block_diag(weights, 2.0**52))
    for absent in (0, np.inf):
        matrix = wide.tolil()
        matrix[0, 4] = 7
        matrix = matrix.tocsr()
        matrix.data[matrix.data == 7] = absent
        with pytest.warns(UserWarning, match="explicit zero") if absent == 0 else contextlib.nullcontext():
            found = ours.min_weight_full_bipartite_matching(matrix)[1]
        assert found.tolist() == ours.min_weight_full_bipartite_matching(wide)[1].tolist()


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([1, 2**20], True),
        ([-(2**22), 2**22], True),
        ([1, 2**22], False),
        ([0.5, 0.75, -3.0], True),
        ([0.1, 0.2], False),
        ([0.1, 0.1], True),
        ([], True),
        ([1e300, -1e300, 1e-300], False),
        ([-(2.0**1023), 2.0**1023], True),
        ([5e-324, 1e-323], False),
    ],
)
def test_weights_that_are_few_steps_apart(values: list[float], expected: bool) -> None:
    assert csgraph_flows._are_few_steps(np.array(values)) == expected


@pytest.mark.parametrize("much", [0, 2**30])
@pytest.mark.parametrize("kind", ["csr", "csc", "coo"])
@pytest.mark.parametrize("maximize", [False, True])
def test_of_several_weights_of_a_pair_the_better_one_counts(
    much: int, kind: str, maximize: bool, request: pytest.FixtureRequest, device: Device
) -> None:
    """On a device, and on the host: SciPy adds them up, or takes any."""
    for on_host in (False, True):
        if on_host:
            request.getfixturevalue("serves")
        rng = np.random.default_rng(5)
        for n in (2, 3, 4) * 8:
            ends = np.concatenate((np.tile(np.arange(n), (2, 1)), rng.integers(0, n, (2, 3 * n))), axis=1)
            weights = rng.integers(1, 30, 4 * n) + much * rng.integers(0, 2, 4 * n)
            matrix = several_weights(weights, ends, n).asformat(kind, copy=True)
            best: dict[tuple[int, int], int] = {}
            for row, column, weight in zip(*ends.tolist(), weights.tolist(), strict=True):
                best[row, column] = (max if maximize else min)(weight, best.get((row, column), weight))
            sums = [
                sum(best[pair] for pair in enumerate(order))
                for order in itertools.permutations(range(n))
                if all(pair in best for pair in enumerate(order))
            ]
            rows, columns = ours.min_weight_full_bipartite_matching(matrix, maximize)
            found = sum(best[pair] for pair in zip(rows.tolist(), columns.tolist(), strict=True))
            assert found == (max(sums) if maximize else min(sums)), (on_host, n)


def several_weights(weights: Any, ends: Any, n: int) -> Any:
    """Return a CSR matrix that stores all of them, in whatever order."""
    order = np.argsort(ends[0], kind="stable")
    indptr = np.append(0, np.cumsum(np.bincount(ends[0], minlength=n)))
    return scipy.sparse.csr_array((weights[order], ends[1][order], indptr), shape=(n, n))
