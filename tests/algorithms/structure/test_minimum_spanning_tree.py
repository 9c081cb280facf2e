"""csgraph.minimum_spanning_tree against SciPy's, byte by byte; and networkx' functions by the backend."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np
import pytest
import scipy.sparse
from scipy.sparse.csgraph import minimum_spanning_tree as by_scipy

from reedsp.cost_model import place
from reedsp.csgraph import minimum_spanning_tree
from reedsp.device.device import Device
from reedsp.networkx_backend.on_device import FORCE_DEVICE, kernels_launched


@pytest.fixture(autouse=True, params=["device", "host"])
def where(request: pytest.FixtureRequest, device: Device, monkeypatch: pytest.MonkeyPatch) -> str:
    """On the device, and on the host."""
    monkeypatch.setenv("REEDSP_DEVICE", str(device.index))
    monkeypatch.setattr(place, "_serves", request.param == "host")
    return str(request.param)


def assert_same(given: Any) -> None:
    expected, found = by_scipy(given), minimum_spanning_tree(given)
    assert type(found) is type(expected)
    for name in ("indptr", "indices", "data"):
        one, other = getattr(expected, name), getattr(found, name)
        assert (one.dtype, one.tobytes()) == (other.dtype, other.tobytes()), name
    assert found.shape == expected.shape


def random_rows(rng: np.random.Generator, n: int, m: int, values: np.ndarray) -> scipy.sparse.csr_array:
    """Entries in any order, some of them twice."""
    indptr = np.sort(np.concatenate(([0], rng.integers(0, m + 1, n - 1), [m])))
    rows = values, rng.integers(0, n, m).astype(np.int32), indptr.astype(np.int32)
    return scipy.sparse.csr_array(rows, shape=(n, n))


@pytest.mark.parametrize("dtype", ["f8", "f4", "i4", "i8", "i2", "u1", "u8", "?"])
def test_every_type(dtype: str) -> None:
    rng = np.random.default_rng(1)
    for n, m in ((1, 3), (2, 5), (20, 30), (20, 300), (300, 400)):
        assert_same(random_rows(rng, n, m, rng.integers(0, 4, m).astype(dtype)))


def test_numbers_that_are_none() -> None:
    rng = np.random.default_rng(2)
    some = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.5, -2.5, 5e-324, -1e300, 1e300, -np.nan])
    for n, m in ((3, 6), (12, 30), (40, 60)):
        for _ in range(5):
            assert_same(random_rows(rng, n, m, rng.choice(some, m)))
            assert_same(random_rows(rng, n, m, rng.choice(some[1:5], m)))


def test_all_small_matrices() -> None:
    """Side by side, since both take the entries of one before those of the next where weights are equal."""
    blocks = [scipy.sparse.coo_array(np.array(each).reshape(2, 2)) for each in itertools.product((0.0, 1, 2), repeat=4)]
    assert_same(scipy.sparse.csr_array(scipy.sparse.block_diag(blocks)))
    cells = [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)]
    blocks = []
    for weights in itertools.product((0.0, 1, 2), repeat=6):
        block = np.zeros((3, 3))
        for cell, weight in zip(cells, weights, strict=True):
            block[cell] = weight
        blocks.append(scipy.sparse.coo_array(block))
    assert_same(scipy.sparse.csr_array(scipy.sparse.block_diag(blocks)))


@pytest.mark.parametrize("make", ["csr", "csc", "coo", "lil", "dok", "bsr", "dia"])
def test_every_format(make: str) -> None:
    dense = np.random.default_rng(3).integers(0, 3, (15, 15)).astype(float)
    for kind in ("array", "matrix"):
        assert_same(getattr(scipy.sparse, f"{make}_{kind}")(dense))


@pytest.mark.parametrize("dtype", ["f8", "i4", "?"])
def test_what_fills_blocks_is_no_edge(dtype: str) -> None:
    rows = scipy.sparse.csr_array(np.array([[0, 5, 0, 9], [0, 0, 7, 0], [0, 0, 0, 3], [0, 0, 0, 0]], dtype))
    found, expected = minimum_spanning_tree(rows.tobsr((2, 2))), minimum_spanning_tree(rows)
    assert (found.nnz, found.toarray().tolist()) == (3, expected.toarray().tolist())


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
def test_dense_and_masked() -> None:
    dense = np.random.default_rng(4).integers(0, 3, (15, 15)).astype(float)
    assert_same(dense)
    assert_same(dense.tolist())
    assert_same(np.matrix(dense))
    dense[3, 4], dense[5, 6] = np.nan, np.inf
    assert_same(dense)
    assert_same(np.ma.masked_equal(dense, 2))
    assert_same(np.zeros((4, 4)))


def test_numbers_that_are_objects() -> None:
    given = np.array([[0, 8, 0, 3], [0, 0, 2, 5.5], [0, 0, 0, 6], [0, 0, 0, 0]], object)
    assert (minimum_spanning_tree(given) != by_scipy(given.astype(float))).nnz == 0


@pytest.mark.deep("device")
def test_indices_of_64_bits() -> None:
    graph = random_rows(np.random.default_rng(5), 20, 60, np.arange(60) % 7 * 1.0)
    graph.indices, graph.indptr = graph.indices.astype(np.int64), graph.indptr.astype(np.int64)
    assert_same(graph)


def test_the_matrix_stays_as_it_is() -> None:
    graph = random_rows(np.random.default_rng(6), 20, 60, np.arange(60) % 7 * 1.0)
    before = graph.copy()
    for overwrite in (False, True):
        minimum_spanning_tree(graph, overwrite)
        assert (graph.data == before.data).all()
        assert graph.nnz == before.nnz


def test_wrong_matrices() -> None:
    for given in (scipy.sparse.csr_array((2, 3)), np.ones((2, 3))):
        with pytest.raises(ValueError, match=r"shape|square|N, N"):
            minimum_spanning_tree(given)
    for given in (np.ones((2, 2), complex), scipy.sparse.csr_array(np.ones((2, 2), complex))):
        with pytest.raises(TypeError, match="expected real numbers"):
            minimum_spanning_tree(given)
    graph = random_rows(np.random.default_rng(7), 5, 12, np.ones(12))
    graph.indices[3] = 9
    with pytest.raises(ValueError, match=r"csgraph.indices\[3\] = 9 is not a vertex of a graph with 5 vertices"):
        minimum_spanning_tree(graph)
    graph.indices[3], graph.indptr[2] = 1, 40
    with pytest.raises(ValueError, match=r"csgraph\.indptr does not ascend from 0 to the number of entries, 12"):
        minimum_spanning_tree(graph)
    graph.indptr = graph.indptr.astype(np.float64)
    with pytest.raises(ValueError, match="csgraph has indices of float64 and int32"):
        minimum_spanning_tree(graph)


@pytest.mark.parametrize(
    ("graph", "array", "message"),
    [
        (scipy.sparse.csc_array(np.eye(6)), "indices", r"csgraph.indices\[2\] = 70000000, .* from 0 to 5"),
        (scipy.sparse.csc_array(np.eye(6)), "indptr", "csgraph.indptr is corrupt: expected 7 ascending numbers"),
        (scipy.sparse.coo_array(np.eye(6)), "row", r"csgraph.coords\[0\]\[2\] = 70000000, .* from 0 to 5"),
        (scipy.sparse.bsr_array(np.eye(6), blocksize=(2, 2)), "indices", r"indices\[2\] = 70000000, .* from 0 to 2"),
        (scipy.sparse.bsr_array(np.eye(6), blocksize=(2, 2)), "indptr", "csgraph.indptr is corrupt: expected 4 "),
    ],
)
def test_corrupt_matrices_of_other_formats(graph: Any, array: str, message: str) -> None:
    """SciPy would end the process when it makes rows of them."""
    getattr(graph, array)[2] = 70_000_000
    with pytest.raises(ValueError, match=message):
        minimum_spanning_tree(graph)


def test_more_entries_than_places(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if where == "device":
        monkeypatch.setattr("reedsp.csgraph.spanning.MOST_EDGES", 3)
        with pytest.raises(MemoryError, match="csgraph has 4 entries"):
            minimum_spanning_tree(np.ones((2, 2)))


# ---- networkx ---------------------------------------------------------------------------------------

WEIGHTS = (
    (1, 2),
    (1, 2, 3, 2.0, True),
    (1.5, -0.0, 0.0, float("inf"), float("-inf")),
    (1, 2**60, -(2**60)),
    (1, 2.5, 2**60),
    (1, float("nan"), 2),
    (2**70, 1),
    ("a", 1),
)


def graphs() -> Iterator[Any]:
    """Graphs with nodes of many kinds, attributes, loops and parallel edges."""
    rng = random.Random(2016)
    for number, weights in enumerate(WEIGHTS * 2):
        n = rng.randint(1, 9)
        graph: Any = (nx.MultiGraph if number % 2 else nx.Graph)(name="x")
        nodes = rng.sample(["a", "b", 3, 4.5, (1, 2), 7, 8, 9, frozenset()], n)
        graph.add_nodes_from(nodes, color=1)
        for _ in range(3 * n):
            given = {"weight": rng.choice(weights)} if rng.random() < 0.9 else {}
            graph.add_edge(rng.choice(nodes), rng.choice(nodes), **given, tag=rng.random())
        yield graph
    yield nx.Graph()
    yield nx.DiGraph([(1, 2)])
    yield nx.Graph([(1, 2, {"weight": float("nan")})])


def outcome(call: Any) -> str:
    """What a call gives, in every detail; or how it fails."""
    try:
        found = call()
        if isinstance(found, nx.Graph):
            return repr((type(found), found.graph, list(found.nodes(data=True)), dict(found.adj)))
        return repr(list(found))
    except Exception as error:  # whatever networkx raises
        return repr(error)


@pytest.mark.deep("device")
@pytest.mark.parametrize("extreme", ["minimum", "maximum"])
def test_networkx_has_its_own_answers(extreme: str, monkeypatch: pytest.MonkeyPatch, where: str) -> None:
    if where == "device":
        monkeypatch.setenv(FORCE_DEVICE, "1")
    before = kernels_launched()
    tree, edges = getattr(nx, f"{extreme}_spanning_tree"), getattr(nx, f"{extreme}_spanning_edges")
    for graph in graphs():
        for ignore_nan in (False, True):
            for algorithm in ("kruskal", "prim", "none"):
                options = {"ignore_nan": ignore_nan, "algorithm": algorithm}
                assert outcome(lambda: tree(graph, backend="reedsp", **options)) == outcome(  # noqa: B023
                    lambda: tree(graph, **options)  # noqa: B023
                )
        for keys, data in itertools.product((False, True), repeat=2):
            assert outcome(lambda: edges(graph, backend="reedsp", keys=keys, data=data)) == outcome(  # noqa: B023
                lambda: edges(graph, keys=keys, data=data)  # noqa: B023
            )
    assert (kernels_launched() > before) == (where == "device")
