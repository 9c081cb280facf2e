"""All pairs of dense matrices: the same bytes as of lists of edges, which are never made."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import scipy.sparse

import reedsp
from reedsp import csgraph
from reedsp.algorithms.all_pairs import answers, device_matrix, trees
from reedsp.device import job as job_module
from reedsp.device.device import Device
from reedsp.graph import dense
from reedsp.graph import graph as graph_module
from reedsp.graph.dense import DenseWeights
from reedsp.graph.graph import Graph
from tests.support.families import FAMILIES, NEGATIVE_CYCLES, Family

METHODS = ("floyd-warshall", "min-plus")
SMALL = [family for family in (*FAMILIES, *NEGATIVE_CYCLES) if family.n <= 130 and family.name != "heavy"]


@pytest.fixture(autouse=True, params=[0, 1 << 62], ids=["narrow", "wide"])
def always_dense(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Have matrices stay what they are however few edges they have, in as few bytes as can be, or in their own."""
    monkeypatch.setattr(graph_module, "_PART_OF_DENSE", 0)
    monkeypatch.setattr(dense, "_NARROWED", request.param)
    return


@pytest.fixture
def no_rows(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Fail if something asks for the edges of a matrix in compressed rows."""

    def refuse(weights: DenseWeights) -> None:
        raise AssertionError("edges are not needed in compressed rows")

    monkeypatch.setattr(DenseWeights, "rows", refuse)
    return


def needs_doubles(device: Device) -> None:
    if not device.fp64:
        pytest.skip("the device has no doubles")


def both_ways(family: Family, units: int) -> tuple[Graph, Graph]:
    """Return a family's graph, of a list and of a masked matrix, its weights divided by some units."""
    graph = family.graph(units=units)
    listed = graph.to_scipy().tocoo()
    matrix = np.ma.masked_all((family.n, family.n), graph.weights.dtype)
    matrix[listed.row, listed.col] = listed.data
    return graph, Graph.from_dense(matrix, directed=family.directed)


def answer(graph: Graph, **arguments: Any) -> tuple[Any, ...]:
    try:
        paths = reedsp.apsp(graph, predecessors=True, **arguments)
    except (reedsp.NegativeCycleError, OverflowError, ValueError) as error:
        return type(error), str(error)
    return paths.dist.tobytes(), paths.pred.tobytes(), paths.method, paths.stats["arithmetic"]


@pytest.mark.deep("min", "wide")
@pytest.mark.parametrize("units", [1, 7])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("family", SMALL, ids=lambda family: family.name)
def test_families(family: Family, method: str, units: int, device: Device) -> None:
    if units > 1:
        needs_doubles(device)
    for negative_cycles in ("raise", "mark"):
        more = {"negative_cycles": negative_cycles, "device": device}
        listed, matrix = both_ways(family, units)
        assert answer(matrix, method=method, **more) == answer(listed, method=method, **more)


def random_matrix(n: int, kind: str, directed: bool = True) -> np.ndarray:
    rng = np.random.default_rng(n)
    matrix = rng.integers(1, 1000, (n, n)).astype(np.float64)
    potential = rng.integers(0, 1000, n)
    if kind == "fractional":
        matrix += rng.random((n, n))
    elif kind == "negative":
        matrix += potential[:, np.newaxis] - potential
    elif kind == "float32":
        matrix = (matrix / 7).astype(np.float32)
    elif kind != "whole":
        matrix = matrix.astype(kind)
    matrix[rng.random((n, n)) < 0.2] = 0
    np.fill_diagonal(matrix, 0)
    return matrix if directed else np.minimum(matrix, matrix.T)


def list_of(matrix: np.ndarray) -> Graph:
    return Graph.from_edges(len(matrix), *np.nonzero(matrix), matrix[np.nonzero(matrix)])


@pytest.mark.deep
@pytest.mark.usefixtures("no_rows")
@pytest.mark.parametrize("method", ["auto", *METHODS])
@pytest.mark.parametrize("kind", ["whole", "fractional", "negative", "float32", "int32", "int16", "uint64"])
def test_no_rows_are_made(kind: str, method: str, device: Device) -> None:
    if kind in ("whole", "fractional", "negative"):
        needs_doubles(device)
    for n in (1, 63, 150):
        matrix = random_matrix(n, kind)
        dtype = "float32" if kind == "float32" else None
        expected = reedsp.apsp(list_of(matrix), method, True, device=device, dtype=dtype)
        for predecessors in (False, True):
            found = reedsp.apsp(matrix, method, predecessors, device=device, dtype=dtype)
            assert found.graph.dense is not None
            assert found.dist.tobytes() == expected.dist.tobytes()
            if predecessors:
                assert found.pred.tobytes() == expected.pred.tobytes()


def test_the_graph_of_a_result_does_not_change_with_the_array(device: Device) -> None:
    matrix = random_matrix(20, "int32")
    expected = list_of(matrix)
    found = reedsp.apsp(matrix, device=device)
    matrix[...] = 1
    assert found.graph == expected


@pytest.mark.deep
@pytest.mark.parametrize("pretends", ["cpu", "gpu"])
@pytest.mark.parametrize("is_listed", [False, True])
@pytest.mark.parametrize("large", [4, 1 << 30])
def test_rows_of_edges_can_be_sent_again(
    large: int, is_listed: bool, pretends: str, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a copy of the matrix would take too much of a device's memory; small and large ones, in any way."""
    expected = {}
    for n in (5, 64, 65, 150, 200):
        expected[n] = reedsp.apsp(list_of(random_matrix(n, "int32")), "floyd-warshall", True, device=device)
    monkeypatch.setattr(device_matrix, "_PART_FOR_EDGES", 0)
    monkeypatch.setattr(trees, "_ROWS_OF_A_PART", 9)
    monkeypatch.setattr(answers, "_EDGES_AT_A_TIME", {"cpu": 5000, "gpu": 7000})
    monkeypatch.setattr(job_module, "_LARGE_UPLOAD", large)
    if device.kind == "cpu":
        monkeypatch.setattr(device, "kind", pretends)
    for n, right in expected.items():
        matrix = random_matrix(n, "int32")
        graph = list_of(matrix) if is_listed else matrix
        found = reedsp.apsp(graph, "floyd-warshall", True, device=device)
        assert found.dist.tobytes() == right.dist.tobytes()
        assert found.pred.tobytes() == right.pred.tobytes()


@pytest.mark.usefixtures("no_rows")
@pytest.mark.parametrize("kind", ["whole", "negative", "float32", "int32"])
def test_on_the_host(kind: str, device: Device) -> None:
    """Where the device has too little memory."""
    if kind in ("whole", "negative"):
        needs_doubles(device)
    for n in (1, 63, 150):
        matrix = random_matrix(n, kind)
        dtype = "float32" if kind == "float32" else None
        expected = reedsp.apsp(list_of(matrix), "floyd-warshall", True, device=device, dtype=dtype)
        for graph in (matrix, list_of(matrix)):
            limited = {"dtype": dtype, "device": device, "memory_limit": 1 << 20}
            found = reedsp.apsp(graph, "floyd-warshall", True, **limited)
            assert found.dist.tobytes() == expected.dist.tobytes()
            assert found.pred.tobytes() == expected.pred.tobytes()


@pytest.mark.deep
@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("unweighted", [True, False])
@pytest.mark.parametrize("kind", ["whole", "fractional", "negative", "int32"])
def test_csgraph(kind: str, unweighted: bool, directed: bool, no_rows: None) -> None:
    """The functions of csgraph take a matrix as SciPy's sparse arrays of the same entries."""
    matrix = random_matrix(70, kind, directed or kind == "negative")
    if kind == "negative" and not directed:
        matrix = np.abs(matrix)
    with_nan = matrix.astype(np.float64)
    with_nan[with_nan == 0] = np.nan
    with_nan[3, 2] = with_nan[2, 3] = np.inf
    without = matrix.copy()
    without[3, 2] = without[2, 3] = 0
    for given, listed in ((matrix, matrix), (with_nan, without), (np.ma.masked_equal(matrix, 0), matrix)):
        sparse = scipy.sparse.csr_array(listed)
        expected = csgraph.floyd_warshall(sparse, directed, True, unweighted)
        found = csgraph.floyd_warshall(given, directed, True, unweighted)
        assert [each.tobytes() for each in found] == [each.tobytes() for each in expected]
        found = csgraph.floyd_warshall(given, directed, unweighted=unweighted)
        assert found.tobytes() == expected[0].tobytes()


def test_csgraph_names_endless_entries() -> None:
    matrix = np.ones((6, 6))
    matrix[4, 2] = matrix[5, 5] = -np.inf
    for function in (csgraph.floyd_warshall, csgraph.shortest_path):
        with pytest.raises(ValueError, match=r"^csgraph\[4, 2\] is -inf, expected a number greater than -inf$"):
            function(matrix)
    with pytest.raises(ValueError, match=r"^csgraph has shape \(6, 5\), expected a square matrix$"):
        csgraph.floyd_warshall(matrix[:, :5])
