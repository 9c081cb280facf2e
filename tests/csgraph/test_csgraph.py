"""The functions of scipy.sparse.csgraph on our kernels: equal to SciPy's where it is right, exact where it is not."""

from __future__ import annotations

import inspect
import itertools
import subprocess
import sys
import warnings
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.csgraph as theirs
from scipy.sparse.csgraph import _shortest_path as their_searches
from scipy.sparse.csgraph import _traversal as their_traversals

import reedsp
from reedsp import csgraph as ours
from reedsp.cost_model import place
from reedsp.csgraph import conversions, searches
from reedsp.csgraph.matrix import is_ordered
from reedsp.device.discovery import get_device
from reedsp.device.job import Launched, recording
from reedsp.edges.preparation import Preparation
from reedsp.graph import remembered
from reedsp.system import parts
from tests.support import oracle

NONE = -9999
BY_INDICES = ("dijkstra", "bellman_ford", "johnson", "shortest_path")
SEARCHES = (*BY_INDICES, "floyd_warshall", "breadth_first_order", "breadth_first_tree")
SMALL = np.array([[0, 3, 3, 0], [0, 0, 0, 2], [0, 0, 0, 0], [1, 0, 0, 0]], float)
NEGATIVE = np.array([[0, 0, 0, 5], [-1, 0, 0, 0], [0, -1, 0, 0], [0, 0, -3, 0]], float)
DOWNHILL = np.array([[0, 4, 5, 0], [0, 0, -3, 2], [0, 0, 0, -1], [0, 0, 0, 0]], float)
FORMATS = ("csr", "csc", "coo", "lil", "dok", "dia", "bsr")


@pytest.fixture(autouse=True)
def _on_device(device: reedsp.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REEDSP_DEVICE", str(device.index))


def random_graph(seed: int, n: int, fractional: bool = False) -> scipy.sparse.csr_array:
    """A graph with ties, zero weights, loops and vertices out of reach."""
    rng = np.random.default_rng(seed)
    edges = np.argwhere(rng.random((n, n)) < min(1, 2.5 / n))
    weights = rng.random(len(edges)) if fractional else rng.integers(0, 6, len(edges)).astype(float)
    return scipy.sparse.csr_array((weights, tuple(edges.T)), shape=(n, n))


def downhill_graph(seed: int, n: int) -> scipy.sparse.csr_array:
    """Negative weights without a negative cycle."""
    graph = random_graph(seed, n)
    potential = np.random.default_rng(seed).integers(-9, 9, n)
    rows, columns = graph.nonzero() if graph.nnz == 0 else graph.tocoo().coords
    return scipy.sparse.csr_array((graph.data + potential[columns] - potential[rows], (rows, columns)), shape=(n, n))


def edges_of(graph: scipy.sparse.csr_array, directed: bool, unweighted: bool = False) -> list[oracle.Edge]:
    rows, columns = graph.tocoo().coords
    return oracle.edges_of(rows, columns, [1] * graph.nnz if unweighted else graph.data.tolist(), directed)


def check_trees(n: int, edges: list[oracle.Edge], sources: Any, dist: Any, pred: Any) -> None:
    """Every row is a tree of shortest paths."""
    for source, d, p in zip(np.ravel(sources), dist.reshape(-1, n), pred.reshape(-1, n), strict=True):
        exact = [None if np.isinf(each) else Fraction(each) for each in d.tolist()]
        oracle.check_tree(n, edges, int(source) % n, exact, p.tolist())


def call(name: str, graph: Any, **arguments: Any) -> Any:
    function = getattr(ours, name)
    return function(graph, 0, **arguments) if name.startswith("breadth") else function(graph, **arguments)


def same(answer: Any, expected: Any) -> None:
    """Equal in value, type and shape."""
    answers, all_expected = (each if isinstance(each, tuple) else (each,) for each in (answer, expected))
    assert len(answers) == len(all_expected)
    for one, other in zip(answers, all_expected, strict=True):
        assert type(one) is type(other) is np.ndarray
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other, strict=True)


# ---- the interface ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name in ours.__all__ if name != "NegativeCycleError"])
def test_signatures(name: str) -> None:
    def parameters(function: Callable[..., Any]) -> list[tuple[str, object]]:
        return [(each.name, each.default) for each in inspect.signature(function).parameters.values()]

    assert parameters(getattr(ours, name)) == parameters(getattr(theirs, name))


def test_the_exception_is_scipys() -> None:
    assert ours.NegativeCycleError is theirs.NegativeCycleError
    assert issubclass(reedsp.NegativeCycleError, ours.NegativeCycleError)


def test_nothing_is_imported_on_the_way() -> None:
    code = "import sys, reedsp; sys.exit(bool({'reedsp.csgraph', 'scipy', 'numpy', 'pyopencl'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("name", SEARCHES)
def test_nothing_is_handed_back_to_scipy(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = getattr(theirs, name)(SMALL, *([0] if name.startswith("breadth") else []))

    def refuse(*args: object, **kwargs: object) -> None:
        raise AssertionError("handed back to SciPy")

    for module, each in itertools.product((theirs, their_searches, their_traversals), SEARCHES):
        monkeypatch.setattr(module, each, refuse, raising=False)
    launches: list[Launched] = []
    with recording(launches.append):
        answer = call(name, SMALL)
    if name == "breadth_first_tree":
        answer, expected = answer.toarray(), expected.toarray()
    same(answer, expected)
    assert launches


# ---- equal to SciPy ---------------------------------------------------------------------------------


@pytest.mark.deep("bellman_ford", "johnson", "shortest_path", "dijkstra-False-True")
@pytest.mark.parametrize("unweighted", [False, True])
@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("name", BY_INDICES)
def test_searches_from_indices(name: str, directed: bool, unweighted: bool) -> None:
    for seed, n in enumerate((1, 2, 5, 20, 67)):
        graph = random_graph(seed, n)
        edges = edges_of(graph, directed, unweighted)
        rng = np.random.default_rng(seed)
        for indices in (None, 0, -1, np.int64(n - 1), [], rng.integers(-n, n, 3), rng.integers(0, n, (2, 2)), [[0]]):
            options = {"directed": directed, "unweighted": unweighted, "indices": indices}
            expected = theirs.dijkstra(graph, **options)
            dist, pred = getattr(ours, name)(graph, return_predecessors=True, **options)
            same(dist, expected)
            same(getattr(ours, name)(graph, **options), expected)
            assert (pred.dtype, pred.shape) == (np.int32, dist.shape)
            check_trees(n, edges, np.arange(n) if indices is None else indices, dist, pred)


@pytest.mark.parametrize("unweighted", [False, True])
@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("method", ["FW", "auto", "D", "BF", "J", None])
def test_all_pairs(method: str | None, directed: bool, unweighted: bool) -> None:
    for seed, n in enumerate((1, 3, 20, 67), start=10):
        graph = random_graph(seed, n)
        options = {"directed": directed, "unweighted": unweighted}
        expected = theirs.floyd_warshall(graph, **options)
        if method is None:
            dist, pred = ours.floyd_warshall(graph, return_predecessors=True, **options)
        else:
            dist, pred = ours.shortest_path(graph, method, return_predecessors=True, **options)
        same(dist, expected)
        assert dist.flags.carray
        assert (pred.dtype, pred.shape) == (np.int32, (n, n))
        check_trees(n, edges_of(graph, directed, unweighted), range(n), dist, pred)


@pytest.mark.deep("float32", "int32", "int64-1")
@pytest.mark.parametrize("heavy", [1, 2, 3])
@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float32, np.float64])
def test_sums_about_the_largest_of_32_bits(dtype: type, heavy: int) -> None:
    """The sum of all edges holds paths in 32 bits, or each vertex's heaviest does, or they need more."""
    weights = np.ones(150)
    weights[[30, 31, 120][:heavy]] = 2**30
    path = scipy.sparse.csr_array((weights.astype(dtype), (np.arange(150), np.arange(1, 151))), shape=(151, 151))
    same(ours.dijkstra(path, indices=0), np.append(0, np.cumsum(weights)))


@pytest.mark.parametrize("limit", [0, 0.5, 1, 2.5, 3, np.inf])
@pytest.mark.parametrize("indices", [0, -1, 17, [3], [[40]], [3, 5], []])
def test_edges_to_each_within_a_limit(indices: Any, limit: float) -> None:
    graph = scipy.sparse.random_array((60, 60), density=0.03, format="csr", rng=np.random.default_rng(5))
    expected = theirs.dijkstra(graph, indices=np.array(indices, int), unweighted=True, limit=limit)
    found = ours.dijkstra(graph, indices=indices, unweighted=True, limit=limit)
    assert found.dtype == np.float64
    assert np.array_equal(found, expected.reshape(found.shape))
    assert found.shape == (*np.shape(indices), 60)
    with pytest.raises(ValueError, match=r"is not a vertex of a graph with 60 vertices"):
        ours.dijkstra(graph, indices=60, unweighted=True, limit=limit)


@pytest.mark.parametrize("limit", [np.array(3.0), Decimal(3), Fraction(3), np.int8(3), np.float32(3), np.array(3)])
def test_what_is_a_limit(limit: Any) -> None:
    line = [[0, 2, 0], [0, 0, 2], [0, 0, 0]]
    assert ours.dijkstra(line, indices=0, limit=limit).tolist() == [0, 2, np.inf]


@pytest.mark.parametrize("serves", [True, False])
def test_distances_are_not_rounded_to_the_type_of_a_limit(serves: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(place, "_serves", serves)
    for weight, limit, within in (
        (1.0001, np.float16(1), False),
        (1 + 1e-9, np.float32(1), False),
        (1e6, np.float16(60_000), False),
        (0.1, Fraction(1, 10), True),
        (1e300, 10**400, True),
        (1e300, Fraction(10**400), True),
    ):
        line = scipy.sparse.csr_array([[0, weight], [0, 0]])
        for min_only in (False, True):
            dist = ours.dijkstra(line, indices=0, limit=limit, min_only=min_only)  # type: ignore[arg-type]
            assert dist.tolist() == [0, weight if within else np.inf]
    with pytest.raises(ValueError, match=r"^limit = -inf, expected a number of at least 0$"):
        ours.dijkstra(line, indices=0, limit=-(10**400))
    for nothing in (np.datetime64("2020"), np.str_("2"), np.bytes_(b"1"), np.array("a"), "3", 3j, None):
        with pytest.raises(TypeError, match=r"^limit: expected a number, got "):
            ours.dijkstra(line, indices=0, limit=nothing)  # type: ignore[arg-type]


def test_arrays_of_no_dimension() -> None:
    for function in (ours.dijkstra, ours.shortest_path, ours.floyd_warshall, ours.connected_components):
        for nothing in (np.array(5.0), np.float64(5)):
            with pytest.raises(ValueError, match=r"^csgraph has shape \(\), expected a square matrix$"):
                function(nothing)


def with_room(kind: Any, dense: Any) -> Any:
    """Return a matrix whose arrays have room for two more entries, as SciPy's own may have."""
    matrix = kind(dense)
    matrix.data = np.append(matrix.data, [9, 9])
    matrix.indices = np.append(matrix.indices, np.array([0, 1 << 20], matrix.indices.dtype))
    return matrix


@pytest.mark.deep("csr_array")
@pytest.mark.parametrize("kind", [scipy.sparse.csr_array, scipy.sparse.csc_array])
def test_room_behind_the_last_entry(kind: Any) -> None:
    dense = np.array([[0, 3, 0], [0, 0, 4], [1, 0, 0.0]])
    roomy, plain = with_room(kind, dense), kind(dense)
    roomy.copy().check_format()  # which trims what it looks at
    assert len(roomy.indices) == 5
    assert list(reedsp.Graph.from_scipy(roomy).edges()) == list(reedsp.Graph.from_scipy(plain).edges())
    for directed in (True, False):
        for function in (ours.dijkstra, ours.shortest_path, ours.floyd_warshall, ours.johnson, ours.bellman_ford):
            assert (function(roomy, directed=directed) == function(plain, directed=directed)).all()
        for function in (ours.breadth_first_order, ours.depth_first_order):
            for one, other in zip(function(roomy, 0, directed), function(plain, 0, directed), strict=True):
                assert one.tolist() == other.tolist()
        assert ours.connected_components(roomy, directed)[0] == ours.connected_components(plain, directed)[0] == 1
        for function in (ours.breadth_first_tree, ours.depth_first_tree):
            assert (function(roomy, 0, directed) != function(plain, 0, directed)).nnz == 0
        for kept in ([-9999, 0, 1], np.array([-9999, 0, 1], np.int32)):
            tree, expected = (ours.reconstruct_path(each, kept, directed) for each in (roomy, plain))
            assert (tree != expected).nnz == 0
        before = ours.shortest_path(plain, directed=directed, return_predecessors=True)[1]
        found, expected = (ours.construct_dist_matrix(each, before, directed) for each in (roomy, plain))
        assert (found == expected).all()
    assert ours.yen(roomy, 0, 2, 1).tolist() == [7]
    assert (ours.laplacian(roomy) != ours.laplacian(plain)).nnz == 0
    assert ours.minimum_spanning_tree(roomy).nnz == 2


@pytest.mark.parametrize("serves", [True, False])
def test_room_behind_columns_in_no_order_and_behind_no_entry(serves: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(place, "_serves", serves)
    matrix = scipy.sparse.csr_array((3, 3))
    indptr, indices = np.array([0, 2, 2, 2], np.int32), np.array([1, 0, 7], np.int32)
    matrix.data, matrix.indices, matrix.indptr = np.array([1.0, 1, 9]), indices, indptr
    assert ours.connected_components(matrix, connection="strong")[1].tolist() == [1, 0, 2]
    empty = scipy.sparse.csr_array((3, 3))
    empty.data, empty.indices = np.zeros(3), np.zeros(3, np.int32)
    assert ours.minimum_spanning_tree(empty).nnz == 0


@pytest.mark.deep("data-cpu-False")
@pytest.mark.parametrize("serves", [True, False])
@pytest.mark.parametrize("kind", ["cpu", "gpu"])
@pytest.mark.parametrize("strided", ["data", "indices", "indptr"])
def test_arrays_that_are_strided(strided: str, kind: str, serves: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(place, "_serves", serves)
    columns, rows = np.array([1, 2], np.int32), np.array([0, 1, 2, 2], np.int32)  # old versions of SciPy need 32 bits
    matrix = scipy.sparse.csr_array(([1.0, 2.0], columns, rows), shape=(3, 3))
    setattr(matrix, strided, np.repeat(getattr(matrix, strided), 2)[::2])
    for function in (ours.breadth_first_order, ours.depth_first_order):
        order, predecessors = function(matrix, 0)
        assert (order.tolist(), predecessors.tolist()) == ([0, 1, 2], [-9999, 0, 1])
    for tree in (ours.breadth_first_tree, ours.depth_first_tree):
        assert tree(matrix, 0).toarray().tolist() == [[0, 1, 0], [0, 0, 2], [0, 0, 0]]
    assert ours.connected_components(matrix)[0] == 1
    assert ours.dijkstra(matrix, indices=0).tolist() == [0, 1, 3]
    assert ours.minimum_spanning_tree(matrix).nnz == 2
    monkeypatch.setattr(get_device(), "kind", kind)
    assert ours.connected_components(matrix, connection="strong")[1].tolist() == [2, 1, 0]


@pytest.mark.parametrize("function", ["dijkstra", "bellman_ford", "johnson", "shortest_path", "floyd_warshall"])
def test_sums_of_integers_are_rounded_as_those_of_floats(function: str) -> None:
    matrix = scipy.sparse.csr_array(([2**52 + 1, 2**53 - 1], ([0, 1], [1, 2])), shape=(3, 3))
    for each in (matrix, matrix.tocsc(), matrix.toarray()):
        found = getattr(ours, function)(each)
        assert (found == getattr(scipy.sparse.csgraph, function)(matrix.astype(np.float64))).all()


@pytest.mark.parametrize("limit", ["3", [3], np.array([3]), None, 1j, np.complex128(3)])
def test_what_is_no_limit(limit: Any) -> None:
    with pytest.raises(TypeError, match=r"^limit: expected a number, got "):
        ours.dijkstra([[0, 1], [1, 0]], limit=limit)


@pytest.mark.parametrize(
    ("name", "value", "not_called"),
    [
        ("fp64", False, "reedsp.algorithms.traversal.queue_order._distances_by_item"),
        ("kind", "gpu", "reedsp.csgraph.searches.queue_distances"),
    ],
)
def test_edges_to_each_where_they_are_not_counted(
    name: str, value: Any, not_called: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a GPU, and in single precision."""
    monkeypatch.setattr(get_device(), name, value)
    monkeypatch.setattr(not_called, None)
    graph = random_graph(5, 60)
    same(ours.dijkstra(graph, indices=2, unweighted=True), theirs.dijkstra(graph, indices=2, unweighted=True))


@pytest.mark.deep("False")
@pytest.mark.parametrize("directed", [True, False])
def test_limit_and_nearest(directed: bool) -> None:
    for seed, n in enumerate((1, 2, 5, 20, 67), start=20):
        graph = random_graph(seed, n)
        rng = np.random.default_rng(seed)
        every = theirs.dijkstra(graph, directed=directed)
        for limit, indices in itertools.product(
            (0, 1, 2.5, 4, np.inf), (None, 0, -1, [], rng.integers(0, n, 3), rng.integers(-n, n, (2, 2)))
        ):
            options = {"directed": directed, "indices": indices, "limit": limit}
            same(ours.dijkstra(graph, **options), theirs.dijkstra(graph, **options))
            expected = theirs.dijkstra(graph, min_only=True, return_predecessors=True, **options)
            same(ours.dijkstra(graph, min_only=True, **options), expected[0])
            dist, pred, sources = ours.dijkstra(graph, min_only=True, return_predecessors=True, **options)
            same(dist, expected[0])
            reached = np.isfinite(dist)
            assert (pred.dtype, sources.dtype, pred.shape, sources.shape) == (np.int32, np.int32, (n,), (n,))
            np.testing.assert_array_equal(sources == NONE, ~reached)
            np.testing.assert_array_equal(every[sources[reached], np.flatnonzero(reached)], dist[reached])
            inner = np.flatnonzero(pred != NONE)
            np.testing.assert_array_equal(sources[inner], sources[pred[inner]])
            roots = np.flatnonzero((pred == NONE) & reached)
            np.testing.assert_array_equal(sources[roots], roots)


@pytest.mark.parametrize("directed", [True, False])
def test_predecessors_within_a_limit(directed: bool) -> None:
    graph = random_graph(30, 40)
    full, tree = ours.dijkstra(graph, directed, return_predecessors=True)
    dist, pred = ours.dijkstra(graph, directed, return_predecessors=True, limit=4)
    np.testing.assert_array_equal(dist, np.where(full <= 4, full, np.inf))
    np.testing.assert_array_equal(pred, np.where(full <= 4, tree, NONE))


def test_negative_weights() -> None:
    for seed, n in enumerate((2, 5, 20, 67), start=40):
        graph = downhill_graph(seed, n)
        expected = theirs.johnson(graph)
        for method in ("FW", "BF", "J", "auto"):
            dist, pred = ours.shortest_path(graph, method, return_predecessors=True)
            same(dist, expected)
            check_trees(n, edges_of(graph, True), range(n), dist, pred)
        for name in ("bellman_ford", "johnson", "shortest_path"):
            dist, pred = getattr(ours, name)(graph, indices=[-1, 0], return_predecessors=True)
            same(dist, expected[[-1, 0]])
            check_trees(n, edges_of(graph, True), [-1, 0], dist, pred)


@pytest.mark.parametrize("directed", [True, False])
def test_fractional_weights_are_added_as_dijkstras_algorithm_does(directed: bool) -> None:
    for seed, n in enumerate((5, 30, 90), start=50):
        graph = random_graph(seed, n, fractional=True)
        expected = theirs.dijkstra(graph, directed)
        for name in ("dijkstra", "bellman_ford", "johnson"):
            same(getattr(ours, name)(graph, directed), expected)
            same(getattr(ours, name)(graph, directed, indices=[1, 0]), expected[[1, 0]])
        np.testing.assert_allclose(ours.floyd_warshall(graph, directed), expected, rtol=1e-14)
        np.testing.assert_allclose(ours.shortest_path(graph, directed=directed), expected, rtol=1e-14)


def test_ties_fall_to_the_edge_from_the_source() -> None:
    graph = np.array([[0, 0, 0, 0], [2, 0, 0, 0], [1, 1, 0, 0], [2, 4, 1, 0]])  # from 3, vertex 1 is at 2 by way of 2
    _, pred = ours.shortest_path(graph, indices=3, return_predecessors=True)
    assert pred.tolist() == [3, 2, 3, NONE]
    for method in ("FW", "D", "BF", "J"):
        assert ours.shortest_path(graph, method, return_predecessors=True)[1][3].tolist() == [3, 2, 3, NONE]
    same(pred, theirs.dijkstra(graph, indices=3, return_predecessors=True)[1])


@pytest.mark.parametrize("directed", [True, False])
def test_breadth_first(directed: bool) -> None:
    for seed, n in enumerate((1, 2, 5, 20, 67, 500), start=60):
        graph = random_graph(seed, n)
        graph.data += 1
        for start in {0, n // 2, n - 1}:
            expected = theirs.breadth_first_order(graph, start, directed)
            same(ours.breadth_first_order(graph, start, directed), expected)
            same(ours.breadth_first_order(graph, start, directed, return_predecessors=False), expected[0])
            tree = ours.breadth_first_tree(graph, start, directed)
            assert type(tree) is scipy.sparse.csr_array
            same(tree.toarray(), theirs.breadth_first_tree(graph, start, directed).toarray())


@pytest.mark.deep("True-gpu")
@pytest.mark.parametrize("kind", ["cpu", "gpu"])
@pytest.mark.parametrize("directed", [True, False])
def test_breadth_first_in_the_order_of_storage(directed: bool, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows whose columns do not ascend, and that have some twice, are searched as SciPy searches them."""
    rng = np.random.default_rng(64)
    for n, m in ((3, 7), (40, 200), (3000, 9000)):
        tails, heads = np.sort(rng.integers(0, n, m)), rng.integers(0, n, m)
        indptr = np.searchsorted(tails, np.arange(n + 1))
        graph = scipy.sparse.csr_array((rng.integers(1, 9, m).astype(float), heads, indptr), shape=(n, n))
        if kind == "gpu":
            monkeypatch.setattr(get_device(), "kind", "gpu")
        for start in (0, n - 1):
            expected = theirs.breadth_first_order(graph.copy(), start, directed)
            same(ours.breadth_first_order(graph, start, directed), expected)
        graph.data[m // 2] = np.inf  # no edge, so that the others are put in order
        ends = np.delete((tails, heads), m // 2, axis=1)
        ascending = scipy.sparse.coo_array((np.ones(m - 1), tuple(ends)), shape=(n, n)).tocsr()
        same(ours.breadth_first_order(graph, 0, directed), theirs.breadth_first_order(ascending, 0, directed))


def test_breadth_first_trees_are_of_the_kind_of_the_graph() -> None:
    assert type(ours.breadth_first_tree(scipy.sparse.csc_matrix(SMALL), 0)) is scipy.sparse.csr_matrix
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PendingDeprecationWarning)
        matrix = np.matrix(SMALL)
    assert type(ours.breadth_first_tree(matrix, 0)) is scipy.sparse.csr_matrix
    assert type(ours.csgraph_from_dense(matrix)) is scipy.sparse.csr_matrix
    assert type(ours.breadth_first_tree(SMALL, 0)) is scipy.sparse.csr_array


def test_no_vertices() -> None:
    for graph, name in itertools.product((np.zeros((0, 0)), scipy.sparse.csr_array((0, 0))), SEARCHES[:5]):
        same(
            getattr(ours, name)(graph, return_predecessors=True),
            (np.zeros((0, 0)), np.zeros((0, 0), np.int32)),
        )
    none = np.zeros(0, np.int32)
    same(ours.dijkstra(np.zeros((0, 0)), min_only=True, return_predecessors=True), (np.zeros(0), none, none))
    for options in ({}, {"indices": [0, 2]}, {"min_only": True}):
        same(ours.dijkstra(np.zeros((3, 3)), **options), theirs.dijkstra(np.zeros((3, 3)), **options))


# ---- what a graph is --------------------------------------------------------------------------------


@pytest.mark.deep("dijkstra")
@pytest.mark.parametrize("name", SEARCHES)
def test_every_container(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PendingDeprecationWarning)
        matrix = np.matrix(SMALL)
    frozen = SMALL.copy()
    frozen.flags.writeable = False
    wide = np.repeat(np.repeat(SMALL, 2, axis=0), 3, axis=1)
    containers = [
        SMALL.tolist(),
        tuple(map(tuple, SMALL)),
        matrix,
        frozen,
        wide[::2, ::3],
        np.asfortranarray(SMALL),
        SMALL[::-1, ::-1].copy()[::-1, ::-1],
        SMALL.astype(">f8"),
        np.where(SMALL == 0, np.nan, SMALL),
        np.where(SMALL == 0, np.inf, SMALL),
        np.ma.masked_equal(SMALL, 0),
        np.ma.array(np.where(SMALL == 0, 7, SMALL), mask=SMALL == 0),
        *(SMALL.astype(dtype) for dtype in (np.int8, np.uint64, np.int64, np.float32, np.longdouble, object)),
        *(scipy.sparse.csr_array(SMALL.astype(dtype)) for dtype in (np.int8, np.int64, np.float32)),
        *(scipy.sparse.csr_array(SMALL).asformat(each) for each in FORMATS),
        *(scipy.sparse.csr_matrix(SMALL).asformat(each) for each in FORMATS),
    ]
    expected = getattr(theirs, name)(SMALL, *([0] if name.startswith("breadth") else []))
    for graph in containers:
        answer = call(name, graph)
        if name == "breadth_first_tree":
            same(answer.toarray(), expected.toarray())
        else:
            same(answer, expected)


def test_booleans() -> None:
    expected = theirs.dijkstra(SMALL > 0)
    for graph in (SMALL > 0, scipy.sparse.csr_array(SMALL > 0), scipy.sparse.lil_array(SMALL > 0)):
        same(ours.dijkstra(graph), expected)
    stored = scipy.sparse.csr_array((np.array([False]), ([0], [1])), shape=(2, 2))
    same(ours.dijkstra(stored), theirs.dijkstra(stored))  # a stored zero is an edge


@pytest.mark.parametrize("name", SEARCHES)
def test_29_complex_numbers_are_refused(name: str) -> None:
    dense = SMALL.astype(complex)
    graphs = [dense, dense.tolist(), np.ma.masked_equal(dense, 0)]
    graphs += [scipy.sparse.csr_array(SMALL.astype(np.complex64)).asformat(each) for each in FORMATS]
    for graph in graphs:
        with pytest.raises(TypeError, match=r"^csgraph has dtype complex(64|128), expected real numbers$"):
            call(name, graph)


@pytest.mark.parametrize("name", SEARCHES)
def test_30_texts_and_times_are_refused(name: str) -> None:
    for graph in ([["0", "3"], ["1", "0"]], np.full((2, 2), "2020-01-01", "M8[D]"), np.ones((2, 2), "m8[s]")):
        with pytest.raises(
            TypeError, match=r"^csgraph has dtype (<U1|datetime64\[D\]|<M8\[D\]|timedelta64\[s\]|<m8\[s\]), exp"
        ):
            call(name, graph)


def test_29_conversions_refuse_complex_numbers() -> None:
    for convert in (ours.csgraph_from_dense, ours.csgraph_masked_from_dense, ours.csgraph_from_masked):
        with pytest.raises(TypeError, match=r"^graph has dtype complex128, expected real numbers$"):
            convert(np.ma.masked_equal(SMALL.astype(complex), 0))
    with pytest.raises(TypeError, match=r"^graph: expected a masked array, got csr_array$"):
        ours.csgraph_from_masked(scipy.sparse.csr_array(SMALL))


@pytest.mark.parametrize("name", SEARCHES)
def test_18_minus_infinity_is_refused(name: str) -> None:
    dense = SMALL.copy()
    dense[2, 1] = -np.inf
    graphs = [dense, dense.tolist(), np.ma.masked_equal(dense, 0)]
    graphs += [scipy.sparse.csr_array(dense).asformat(each) for each in FORMATS]
    has_weights = not name.startswith("breadth")
    for graph, options in itertools.product(graphs, [{}, {"unweighted": True}] if has_weights else [{}]):
        with pytest.raises(ValueError, match=r"^csgraph\[2, 1\] is -inf, expected a number greater than -inf$"):
            call(name, graph, **options)


def test_18_minus_infinity_under_a_mask_is_no_edge() -> None:
    hidden = np.ma.array(np.where(SMALL == 0, -np.inf, SMALL), mask=SMALL == 0)
    same(ours.dijkstra(hidden), theirs.dijkstra(SMALL))


def test_inputs_stay_as_they_are() -> None:
    def arrays(graph: Any) -> list[Any]:
        if not scipy.sparse.issparse(graph):
            return [np.ma.getdata(graph), np.ma.getmaskarray(graph)]
        kept = [getattr(graph, name) for name in ("data", "indices", "indptr", "row", "col") if hasattr(graph, name)]
        return [np.array(each) for each in kept]

    parallel = scipy.sparse.csr_array((np.array([3, 2]), np.array([1, 1]), np.array([0, 2, 2])), shape=(2, 2))
    coo = scipy.sparse.coo_array((np.array([3, 2]), ([0, 0], [1, 1])), shape=(2, 2))
    for graph, name in itertools.product(
        (SMALL.copy(), np.ma.masked_equal(SMALL, 0), scipy.sparse.csc_array(SMALL), parallel, coo), SEARCHES
    ):
        before = [each.copy() for each in arrays(graph)]
        call(name, graph)
        for directed in (True, False):
            call(name, graph, directed=directed)
        for one, other in zip(before, arrays(graph), strict=True):
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("method", ["FW", "auto"])
@pytest.mark.parametrize("on_host", [False, True])
def test_overwrite(on_host: bool, method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(place, "_serves", on_host)
    if on_host:
        monkeypatch.setattr(searches, "graph_of", lambda *_: pytest.fail("not on the host"))
    expected = theirs.floyd_warshall(SMALL)
    graph = SMALL.copy()
    answer, pred = ours.shortest_path(graph, method, overwrite=True, return_predecessors=True)
    assert np.shares_memory(graph, answer)
    same(answer, expected)
    check_trees(4, edges_of(scipy.sparse.csr_array(SMALL), True), range(4), answer, pred)
    masked = np.ma.masked_equal(SMALL, 0)
    assert np.shares_memory(ours.shortest_path(masked, method, overwrite=True), masked.data)
    same(masked.data, expected)
    for other in (np.asfortranarray(SMALL), SMALL.astype(np.float32), np.repeat(SMALL, 2, axis=0)[::2]):
        before = other.copy()
        answer = ours.shortest_path(other, method, overwrite=True)
        assert not np.shares_memory(answer, other)
        same(answer, expected)
        np.testing.assert_array_equal(other, before)
    for ignored in (SMALL.tolist(), scipy.sparse.csr_array(SMALL)):
        same(ours.shortest_path(ignored, method, overwrite=True), expected)
    graph = SMALL.copy()
    same(ours.shortest_path(graph, "D", overwrite=True), expected)
    same(ours.shortest_path(graph, overwrite=True, indices=[0, 1, 2, 3]), expected)
    np.testing.assert_array_equal(graph, SMALL)
    frozen = SMALL.copy()
    frozen.flags.writeable = False
    with pytest.raises(ValueError, match="csgraph is read-only"):
        ours.shortest_path(frozen, method, overwrite=True)


@pytest.mark.parametrize("on_host", [False, True])
def test_overwrite_spares_a_graph_with_a_negative_cycle(on_host: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(place, "_serves", on_host)
    graph = np.array([[0, -1.0], [-1.0, 0]])
    with pytest.raises(ours.NegativeCycleError):
        ours.floyd_warshall(graph, overwrite=True)
    assert graph.tolist() == [[0, -1], [-1, 0]]


# ---- a matrix that is given again -------------------------------------------------------------------


@pytest.mark.deep("yen", "masked", "csc", "int64 indices")
@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("kind", ["int64 indices", "csr", "csc", "dense", "masked"])
@pytest.mark.parametrize("name", [*SEARCHES, "yen"])
def test_a_weight_that_changes_between_calls(
    name: str, kind: str, directed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remembered, "_FEWEST_BYTES", 0)
    given: Any = random_graph(5, 30)
    if kind in ("csc", "int64 indices"):
        given = given.asformat("csc" if kind == "csc" else "csr")
    elif kind in ("dense", "masked"):
        given = given.toarray()
    if kind == "int64 indices":
        given.indices, given.indptr = given.indices.astype(np.int64), given.indptr.astype(np.int64)
    if kind == "masked":
        given = np.ma.masked_equal(given, 0)
    values = given.data.reshape(-1) if scipy.sparse.issparse(given) else np.ma.getdata(given).reshape(-1)
    arguments: dict[str, Any] = {"source": 0, "sink": 7, "K": 3} if name == "yen" else {}
    if name.startswith("breadth"):
        arguments["i_start"] = 0

    def asked(matrix: Any) -> Any:
        found = getattr(ours, name)(matrix, **arguments, directed=directed)
        found = found if isinstance(found, tuple) else (found,)
        return [each.toarray() if scipy.sparse.issparse(each) else each for each in found]

    for weight in (1.0, 0.25, 7.0, 1.0):
        values[np.flatnonzero(values)[3]] = weight
        expected = asked(given.copy())
        for _ in range(4):
            assert all(map(np.array_equal, asked(given), expected))


def test_the_third_call_with_a_matrix_prepares_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[Any] = []
    preparation = Preparation.edges
    ours.dijkstra(random_graph(5, 40, fractional=True), indices=0)  # what is tried before is tried here
    monkeypatch.setattr(remembered, "_FEWEST_BYTES", 0)
    monkeypatch.setattr(Preparation, "edges", lambda self: (looked.append(self), preparation(self))[1])
    graph = random_graph(6, 40, fractional=True)
    expected = theirs.dijkstra(graph, indices=0)
    for number in (1, 2, 2, 2):
        assert np.array_equal(ours.dijkstra(graph, indices=0), expected)
        assert len(looked) == number
    graph.data[:] = graph.data / 2
    assert np.array_equal(ours.dijkstra(graph, indices=0), theirs.dijkstra(graph, indices=0))
    assert len(looked) == 3


# ---- where SciPy is wrong ---------------------------------------------------------------------------


def assert_exact(graph: Any, edges: list[oracle.Edge], n: int, directed: bool = True, names: Any = BY_INDICES) -> None:
    expected = [[np.inf if d is None else float(d) for d in row] for row in oracle.all_distances(n, edges)]
    for name in (*names, "floyd_warshall"):
        dist, pred = getattr(ours, name)(graph, directed=directed, return_predecessors=True)
        same(dist, np.array(expected))
        check_trees(n, edges, range(n), dist, pred)
    for name in names:
        same(getattr(ours, name)(graph, directed=directed, indices=range(n)), np.array(expected))


@pytest.mark.deep("float32", "int32")
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int32, np.int64, np.uint8])
def test_the_least_of_parallel_edges_counts(dtype: type) -> None:
    rng = np.random.default_rng(70)
    n = 12
    ends, weights = rng.integers(0, n, (2, 90)), rng.integers(1, 9, 90).astype(dtype)
    coo = scipy.sparse.coo_array((weights, tuple(ends)), shape=(n, n))
    order = np.argsort(ends[0], kind="stable")
    indptr = np.searchsorted(ends[0][order], np.arange(n + 1))
    csr = scipy.sparse.csr_array((weights[order], ends[1][order], indptr), shape=(n, n))
    edges = oracle.edges_of(*ends, weights.tolist(), True)
    for graph in (coo, csr, scipy.sparse.csc_array((csr.data, csr.indices, csr.indptr), shape=(n, n)).T):
        assert_exact(graph, edges, n)
        assert graph.nnz == 90


def test_tiny_dense_weights_count() -> None:
    graph = np.array([[0, 2.0**-30, 1], [0, 0, 2.0**-40], [2.0**-35, 0, 0]])
    rows, columns = np.nonzero(graph)
    assert_exact(graph, oracle.edges_of(rows, columns, graph[rows, columns].tolist(), True), 3)
    assert ours.breadth_first_order(graph, 0)[0].tolist() == [0, 1, 2]
    assert ours.csgraph_from_dense(graph).nnz == 4
    dist, pred = ours.dijkstra(graph, return_predecessors=True)
    np.testing.assert_array_equal(ours.construct_dist_matrix(graph, pred), dist)
    assert ours.breadth_first_tree(graph, 0).toarray()[0, 1] == 2.0**-30


@pytest.mark.parametrize("seed", range(80, 86))
def test_undirected_graphs_without_a_negative_weight_have_no_negative_cycle(seed: int) -> None:
    graph = 1000 * random_graph(seed, 60, fractional=True)
    expected = theirs.dijkstra(graph, directed=False)
    same(ours.bellman_ford(graph, directed=False), expected)
    same(ours.bellman_ford(graph, directed=False, indices=3), expected[3])


@pytest.mark.parametrize("method", ["FW", "D", "BF", "J", "auto"])
def test_a_negative_self_loop_is_a_negative_cycle(method: str) -> None:
    graph = SMALL.copy()
    graph[1, 1] = -1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        with pytest.raises(ours.NegativeCycleError):
            ours.shortest_path(graph, method)


@pytest.mark.parametrize("overwrite", [False, True])
def test_fortran_order(overwrite: bool) -> None:
    expected = theirs.floyd_warshall(SMALL)
    for directed in (True, False):
        graph = np.asfortranarray(SMALL)
        expected = theirs.floyd_warshall(SMALL, directed)
        same(ours.floyd_warshall(graph, directed, overwrite=overwrite), expected)
        np.testing.assert_array_equal(graph, SMALL)


def test_the_mask_alone_says_what_is_no_edge() -> None:
    zeros = np.ma.array(np.zeros((3, 3)), mask=[[1, 0, 1], [1, 1, 0], [1, 1, 1]])
    assert_exact(zeros, oracle.edges_of([0, 1], [1, 2], [0, 0], True), 3)
    bare = np.ma.array([[0.0, 2.0], [3.0, 0.0]])
    assert_exact(bare, oracle.edges_of([0, 1], [1, 0], [2, 3], True), 2)
    assert ours.csgraph_from_masked(bare).nnz == 4


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_17_what_is_not_finite_is_no_edge(value: float) -> None:
    stored = scipy.sparse.csr_array((np.array([value, 5.0]), ([0, 1], [1, 2])), shape=(3, 3))
    for unweighted, name in itertools.product((False, True), (*BY_INDICES, "floyd_warshall")):
        dist = getattr(ours, name)(stored, unweighted=unweighted)
        assert dist[0].tolist() == [0, np.inf, np.inf]
        assert dist[1].tolist() == [np.inf, 0, 1 if unweighted else 5]
    assert ours.breadth_first_order(stored, 0)[0].tolist() == [0]


def test_padding_of_blocks_and_diagonals_is_no_edge() -> None:
    graph = np.array([[0, 1.0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 2], [0, 0, 0, 0]])
    rows, columns = np.nonzero(graph)
    edges = oracle.edges_of(rows, columns, graph[rows, columns].tolist(), True)
    assert_exact(scipy.sparse.bsr_array(graph, blocksize=(2, 2)), edges, 4)
    assert_exact(scipy.sparse.dia_array(graph), edges, 4)


def test_zero_weights_survive_without_direction() -> None:
    graph = scipy.sparse.csr_array((np.array([0.0, 5.0]), ([0, 1], [1, 2])), shape=(3, 3))
    assert_exact(graph, oracle.edges_of([0, 1], [1, 2], [0, 5], False), 3, directed=False)
    dist, pred = ours.shortest_path(graph, directed=False, return_predecessors=True)
    np.testing.assert_array_equal(ours.construct_dist_matrix(graph, pred, directed=False), dist)
    assert ours.reconstruct_path(graph, pred[0], directed=False).toarray().tolist() == [[0, 0, 0], [0, 0, 5], [0, 0, 0]]
    for tree in (ours.breadth_first_tree, ours.depth_first_tree):
        assert tree(graph, 0, directed=False).data.tolist() == [0, 5]


@pytest.mark.parametrize("part", [1 << 20, 64])
@pytest.mark.parametrize("matrix", [scipy.sparse.csr_array, scipy.sparse.csr_matrix])
def test_trees_of_predecessors(matrix: Any, part: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of a search, which one pass finds, and any others, which it leaves to SciPy."""
    in_parts = parts.in_parts
    monkeypatch.setattr(conversions, "in_parts", lambda work, count, size: in_parts(work, count, size, part))
    rng = np.random.default_rng(part)
    for seed, n in enumerate((1, 2, 5, 40, 300), start=91):
        graph = matrix(random_graph(seed, n))
        pred = theirs.breadth_first_order(graph, 0)[1]
        elsewhere = np.where(pred < 0, pred, rng.integers(0, n, n, np.int32))
        for before in (pred, elsewhere, pred.astype(np.int64), np.full(n, -1, np.int32)):
            tree, expected = ours.reconstruct_path(graph, before), theirs.reconstruct_path(graph, before)
            assert type(tree) is matrix
            assert tree.indices.dtype == tree.indptr.dtype == np.int32
            same(tree.toarray(), expected.toarray())
            same(tree.indptr, expected.indptr)
    zero = matrix((np.array([1.0, 4.0, -0.0]), np.array([1, 2, 0]), np.array([0, 2, 3, 3])), shape=(3, 3))
    for before in ([-1, 0, 0], [1, -1, 0], [-1, -1, 0], [2, -1, 0]):  # the last one names an edge that there is not
        tree = ours.reconstruct_path(zero, np.array(before, np.int32))
        same(tree.toarray(), theirs.reconstruct_path(zero, np.array(before, np.int32)).toarray())
        assert not np.signbit(tree.data).any()


@pytest.mark.parametrize("dtype", [np.uint8, np.uint64, np.float32, np.float64])
def test_predecessors_of_other_kinds_are_read(dtype: Any) -> None:
    """SciPy refuses floats from its version 1.18 on; they are taken here with any version."""
    graph, before = scipy.sparse.csr_array(np.array([[0, 7, 2], [0, 0, 0], [4, 3, 0]])), np.array([2, 2, 0], dtype)
    expected = theirs.reconstruct_path(graph, before.astype(np.int32)).toarray()
    same(ours.reconstruct_path(graph, before).toarray(), expected)


@pytest.mark.parametrize("directed", [True, False])
def test_distances_are_those_along_the_predecessors(directed: bool) -> None:
    graph = random_graph(90, 40)
    dist, pred = ours.shortest_path(graph, directed=directed, return_predecessors=True)
    same(ours.construct_dist_matrix(graph, pred, directed), dist)
    same(ours.construct_dist_matrix(graph, pred, directed, null_value=-1), np.where(np.isfinite(dist), dist, -1))
    with pytest.raises(TypeError):
        ours.construct_dist_matrix(graph, pred.astype(np.int64))


# ---- dijkstra with negative weights -----------------------------------------------------------------


def test_dijkstra_warns_of_negative_weights_and_answers_them() -> None:
    for graph in (NEGATIVE[:3, :3], DOWNHILL, downhill_graph(100, 30)):
        expected = theirs.johnson(graph)
        n = len(expected)
        with pytest.warns(UserWarning, match="negative weights") as caught:
            same(ours.dijkstra(graph), expected)
        assert caught[0].filename == __file__
        with pytest.warns(UserWarning, match="negative weights") as caught:
            same(ours.shortest_path(graph, "D", indices=[1, 0]), expected[[1, 0]])
        assert caught[0].filename == __file__
        with pytest.warns(UserWarning, match="negative weights"):
            same(ours.dijkstra(graph, limit=1), np.where(expected <= 1, expected, np.inf))
        with pytest.warns(UserWarning, match="negative weights"):
            dist, pred, sources = ours.dijkstra(graph, indices=[0, 1, n - 1], min_only=True, return_predecessors=True)
        same(dist, expected[[0, 1, n - 1]].min(axis=0))
        np.testing.assert_array_equal(sources == NONE, np.isinf(dist))
        reached = np.flatnonzero(np.isfinite(dist))
        np.testing.assert_array_equal(expected[sources[reached], reached], dist[reached])
        inner = np.flatnonzero(pred != NONE)
        np.testing.assert_array_equal(sources[inner], sources[pred[inner]])
        np.testing.assert_array_equal(pred[sources[reached]] == NONE, True)
        weights = np.full((n, n), np.inf)
        rows, columns = scipy.sparse.coo_array(graph).coords
        weights[rows, columns] = scipy.sparse.coo_array(graph).data
        np.testing.assert_array_equal(dist[pred[inner]] + weights[pred[inner], inner], dist[inner])


@pytest.mark.parametrize("method", ["FW", "D", "BF", "J", "auto"])
def test_negative_cycles(method: str) -> None:
    cycle = np.array([[0, 0, 0, 0], [0, 0, -2, 0], [0, 1, 0, 0], [1, 0, 0, 0]], float)  # 1 -> 2 -> 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        with pytest.raises(ours.NegativeCycleError) as caught:
            ours.shortest_path(cycle, method)
        assert oracle.closed_walk_weight(edges_of(scipy.sparse.csr_array(cycle), True), caught.value.cycle) < 0
        if method == "FW":
            return
        with pytest.raises(ours.NegativeCycleError):
            ours.shortest_path(cycle, method, indices=[0, 2])
        if method in ("J", "auto"):  # as in SciPy a cycle anywhere
            with pytest.raises(ours.NegativeCycleError):
                ours.shortest_path(cycle, method, indices=3)
        else:
            assert ours.shortest_path(cycle, method, indices=3).tolist() == [1, np.inf, np.inf, 0]
        with pytest.raises(ours.NegativeCycleError):  # an edge there and back
            ours.shortest_path(DOWNHILL, method, directed=False, indices=0)
        same(ours.shortest_path(cycle, method, unweighted=True), theirs.dijkstra(cycle != 0))


# ---- mistakes ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", BY_INDICES)
def test_indices_out_of_range(name: str) -> None:
    for indices in (4, -5, [0, 4], [[-5]], 1.5, 2**40):
        with pytest.raises(ValueError, match="indices"):
            getattr(ours, name)(SMALL, indices=indices)


@pytest.mark.parametrize("name", BY_INDICES)
def test_indices_that_are_no_numbers(name: str) -> None:
    for indices in ("1", ["1"], 1 + 0j, [1 + 0j]):
        with pytest.raises(TypeError, match=r"^indices has dtype .*, expected integers$"):
            getattr(ours, name)(SMALL, indices=indices)


@pytest.mark.parametrize("name", ["breadth_first_order", "breadth_first_tree", "depth_first_order", "depth_first_tree"])
def test_43_starts_that_are_no_integers(name: str) -> None:
    for start in ("1", 1.7, None, [1]):
        with pytest.raises(TypeError, match=r"^i_start: expected an integer, got "):
            getattr(ours, name)(SMALL, start)
    found, expected = (getattr(ours, name)(SMALL, start) for start in (np.uint8(1), 1))
    if name.endswith("tree"):
        found, expected = found.toarray(), expected.toarray()
    same(found, expected)


@pytest.mark.parametrize("name", SEARCHES)
def test_graphs_that_are_not_square(name: str) -> None:
    for graph, shape in (
        (np.zeros((2, 3)), r"2, 3"),
        (scipy.sparse.csr_array((2, 3)), r"2, 3"),
        (scipy.sparse.csr_array(np.ones(4)), r"4,"),
        (np.zeros(3), r"3,"),
        (np.zeros((2, 2, 2)), r"2, 2, 2"),
        ([], r"0,"),
        (None, ""),
        ("graph", ""),
    ):
        with pytest.raises(ValueError, match=rf"^csgraph has shape \({shape}\), expected a square matrix$"):
            call(name, graph)


def test_wrong_arguments() -> None:
    with pytest.raises(ValueError, match="method = 'dijkstra'"):
        ours.shortest_path(SMALL, "dijkstra")
    with pytest.raises(ValueError, match="indices"):
        ours.shortest_path(SMALL, "FW", indices=0)
    for limit in (-1, np.nan, -np.inf):
        with pytest.raises(ValueError, match="limit"):
            ours.dijkstra(SMALL, limit=limit, indices=[])
    for limit in ("3", None):
        with pytest.raises(TypeError):
            ours.dijkstra(SMALL, limit=limit)
    for start in (4, -1):
        with pytest.raises(ValueError, match="i_start"):
            ours.breadth_first_order(SMALL, start)
    with pytest.raises(ValueError, match="square"):
        ours.csgraph_from_dense(np.zeros((2, 3)))


@pytest.mark.parametrize("null_value", [0, 3, np.nan, np.inf, None])
@pytest.mark.parametrize(("nan_null", "infinity_null"), [(True, True), (True, False), (False, True), (False, False)])
def test_conversions(null_value: float | None, nan_null: bool, infinity_null: bool) -> None:
    graph = np.array([[0, 3, np.inf], [np.nan, 1, -np.inf], [2, 0, 7.0]])
    arguments = (graph, null_value, nan_null, infinity_null)
    one, other = ours.csgraph_masked_from_dense(*arguments), theirs.csgraph_masked_from_dense(*arguments)
    np.testing.assert_array_equal(np.ma.getmaskarray(one), np.ma.getmaskarray(other))
    np.testing.assert_array_equal(one.data, other.data)
    assert one.fill_value == other.fill_value
    whole = np.array([[0, 3], [1, 0]])
    assert ours.csgraph_masked_from_dense(whole).dtype == theirs.csgraph_masked_from_dense(whole).dtype
    assert not np.shares_memory(one.data, graph)
    assert np.shares_memory(ours.csgraph_masked_from_dense(graph, copy=False).data, graph)
    one, other = ours.csgraph_from_dense(*arguments), theirs.csgraph_from_dense(*arguments)
    assert type(one) is type(other)
    for name in ("data", "indices", "indptr"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


@pytest.mark.parametrize("name", ["dijkstra", "bellman_ford", "johnson", "floyd_warshall", "shortest_path"])
def test_a_path_heavier_than_every_float_is_no_missing_path(name: str) -> None:
    matrix = scipy.sparse.csr_array(([1.5e308, 1.5e308], ([0, 1], [1, 2])), shape=(3, 3))
    assert getattr(theirs, name)(matrix)[0, 2] == np.inf
    with pytest.raises(OverflowError, match=r"beyond float64$"):
        getattr(ours, name)(matrix)


@pytest.mark.parametrize(
    ("columns", "ordered"),
    [([1, 2, 0, 2], True), ([2, 1, 0, 2], False), ([1, 1, 0, 2], False), ([1, 2, 2, 2], False), ([1, 2, 2, 0], False)],
)
def test_columns_that_ascend(columns: list[int], ordered: bool) -> None:
    """In each row, none of them twice; from one row to the next they may do what they want."""
    matrix = scipy.sparse.csr_array((np.ones(4), np.array(columns), np.array([0, 2, 4, 4])), shape=(3, 3))
    assert is_ordered(matrix) == ordered


@pytest.mark.parametrize(
    ("change", "value"), [("data", np.nan), ("data", np.inf), ("data", -np.inf), ("indices", 3), ("indices", -1)]
)
def test_arrays_that_are_not_in_order(change: str, value: float) -> None:
    matrix = scipy.sparse.csr_array((np.ones(4), np.array([1, 2, 0, 2]), np.array([0, 2, 4, 4])), shape=(3, 3))
    getattr(matrix, change)[3] = value
    assert not is_ordered(matrix)
