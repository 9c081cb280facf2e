"""What a graph is, and which are its vertices: nothing is read below a mask, and what is no vertex has a position."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse

from reedsp import csgraph as ours
from reedsp.cost_model import place
from reedsp.csgraph import components
from reedsp.device.discovery import get_device

TRIANGLE = np.array([[0, 1.0, 4], [0, 0, 2], [3, 0, 0]])
OF_GRAPHS: dict[str, Callable[[Any], Any]] = {
    "bellman_ford": ours.bellman_ford,
    "breadth_first_order": lambda graph: ours.breadth_first_order(graph, 0),
    "breadth_first_tree": lambda graph: ours.breadth_first_tree(graph, 0),
    "connected_components": ours.connected_components,
    "construct_dist_matrix": lambda graph: ours.construct_dist_matrix(graph, np.full((2, 2), -9999, np.int32)),
    "depth_first_order": lambda graph: ours.depth_first_order(graph, 0),
    "depth_first_tree": lambda graph: ours.depth_first_tree(graph, 0),
    "dijkstra": lambda graph: ours.dijkstra(graph, indices=0),
    "floyd_warshall": ours.floyd_warshall,
    "johnson": ours.johnson,
    "laplacian": ours.laplacian,
    "reconstruct_path": lambda graph: ours.reconstruct_path(graph, [-9999, 0]),
    "shortest_path": ours.shortest_path,
    "yen": lambda graph: ours.yen(graph, 0, 1, 1),
}


@pytest.fixture(params=[True, False], ids=["host", "device"], autouse=True)
def _serves(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(place, "_serves", request.param)


@pytest.mark.parametrize("name", OF_GRAPHS)
def test_masked_entries_in_lists_are_refused(name: str) -> None:
    rows = [np.ma.array([0, 9.0], mask=[0, 1]), np.ma.array([1.0, 0], mask=[0, 0])]
    for given in (rows, tuple(rows)):
        with pytest.raises(ValueError, match=r"^csgraph\[0\]\[1\] is masked$"):
            OF_GRAPHS[name](given)


def with_arrays(indptr: Any, indices: Any) -> Any:
    """Return a matrix with two edges, whose arrays SciPy would not make so."""
    matrix = scipy.sparse.csr_array(np.array([[0, 1.0], [2, 0]]))
    matrix.indptr, matrix.indices = indptr(matrix.indptr), indices(matrix.indices)
    return matrix


OF_INDICES: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "wide pointers": (np.int64, np.int32),
    "wide columns": (np.int32, np.int64),
    "swapped": (lambda given: given.astype(">i4"), lambda given: given.astype(">i4")),
    "strided": (lambda given: given.repeat(2)[::2], lambda given: given.repeat(2)[::2]),
}
OF_ANY_INDICES: dict[str, Callable[[Any], Any]] = {
    **OF_GRAPHS,
    "degrees of both directions": lambda graph: ours.laplacian(graph, symmetrized=True),
    "order": ours.reverse_cuthill_mckee,
    "order in symmetric mode": lambda graph: ours.reverse_cuthill_mckee(graph, True),
    "strong components": lambda graph: ours.connected_components(graph, connection="strong"),
    "tree without direction": lambda graph: ours.breadth_first_tree(graph, 0, False),
}


def plain(found: Any) -> Any:
    if isinstance(found, tuple):
        return [plain(each) for each in found]
    return found.toarray().tolist() if scipy.sparse.issparse(found) else np.asarray(found).tolist()


@pytest.mark.parametrize("kind", ["cpu", "gpu"])
@pytest.mark.parametrize("indices", OF_INDICES)
@pytest.mark.parametrize("name", OF_ANY_INDICES)
def test_index_arrays_that_scipy_would_not_make(
    name: str, indices: str, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = plain(OF_ANY_INDICES[name](with_arrays(np.int32, np.int32)))
    device = get_device()
    monkeypatch.setenv("REEDSP_DEVICE", str(device.index))  # whatever kind it is said to be
    if name in ("strong components", "tree without direction"):  # which the host of a GPU finds in large matrices
        monkeypatch.setattr(device, "kind", kind)
        monkeypatch.setattr(components, "_small", lambda *_: None)
    assert plain(OF_ANY_INDICES[name](with_arrays(*OF_INDICES[indices]))) == expected


@pytest.mark.parametrize("indices", OF_INDICES)
@pytest.mark.parametrize("function", [ours.connected_components, lambda graph: ours.breadth_first_order(graph, 0)])
def test_such_index_arrays_of_infinite_weights(function: Callable[[Any], Any], indices: str) -> None:
    plain_one, matrix = with_arrays(np.int32, np.int32), with_arrays(*OF_INDICES[indices])
    plain_one.data[0] = matrix.data[0] = np.inf
    assert plain(function(matrix)) == plain(function(plain_one))


def test_false_is_a_weight_where_it_is_stored_or_not_masked() -> None:
    rows = np.array([[True, False], [True, True]])
    stored = scipy.sparse.csr_array((rows.ravel(), [0, 1, 0, 1], [0, 2, 4]))
    for given in (stored, stored.tocsc(), stored.tolil(), np.ma.array(rows, mask=False)):
        assert ours.shortest_path(given).tolist() == [[0, 0], [1, 0]]
        assert ours.connected_components(given, connection="strong")[0] == 1


FLAGS: dict[Callable[..., Any], tuple[str, ...]] = {
    ours.bellman_ford: ("directed", "return_predecessors", "unweighted"),
    ours.breadth_first_order: ("directed", "return_predecessors"),
    ours.breadth_first_tree: ("directed",),
    ours.connected_components: ("directed", "return_labels"),
    ours.depth_first_order: ("directed", "return_predecessors"),
    ours.depth_first_tree: ("directed",),
    ours.dijkstra: ("directed", "return_predecessors", "unweighted", "min_only"),
    ours.floyd_warshall: ("directed", "return_predecessors", "unweighted", "overwrite"),
    ours.johnson: ("directed", "return_predecessors", "unweighted"),
    ours.min_weight_full_bipartite_matching: ("maximize",),
    ours.shortest_path: ("directed", "return_predecessors", "unweighted", "overwrite"),
    ours.yen: ("directed", "return_predecessors", "unweighted"),
}


@pytest.mark.deep("device")
@pytest.mark.parametrize("search", FLAGS)
def test_flags_are_any_truth(search: Callable[..., Any]) -> None:
    """As in SciPy: a number, a string or None is true or false, whatever solves the graph."""
    matrix = scipy.sparse.csr_array(TRIANGLE + TRIANGLE.T)
    own = {ours.dijkstra: {"indices": [0, 1]}, ours.yen: {"source": 0, "sink": 2, "K": 2}}.get(search, {})
    given = (matrix, 0) if "first" in search.__name__ else (matrix,)
    for flag in FLAGS[search]:
        for value in (1, 0, None, "x", "", np.int8(1)):
            found, expected = (search(*given, **own, **{flag: each}) for each in (value, bool(value)))
            assert repr(found) == repr(expected)


@pytest.mark.parametrize("search", [ours.dijkstra, ours.bellman_ford, ours.johnson, ours.shortest_path])
@pytest.mark.parametrize("kind", [scipy.sparse.csr_array, np.asarray])
@pytest.mark.parametrize(
    ("indices", "error", "said"),
    [
        (np.ma.array([0, 1], mask=[0, 1]), ValueError, r"^indices\[1\] is masked$"),
        (np.ma.masked, ValueError, r"^indices is masked$"),
        ([0, np.ma.masked], ValueError, r"^indices\[1\] is masked$"),
        (np.array([True, False, True]), TypeError, r"^indices has dtype bool, expected integers$"),
        (True, TypeError, r"^indices has dtype bool, expected integers$"),
        ([True, 2], TypeError, r"^indices\[0\] = True, expected an integer$"),
        ((1, np.False_), TypeError, r"^indices\[1\] = (np\.)?False_?, expected an integer$"),
        ([True, 1.0], TypeError, r"^indices\[0\] = True, expected an integer$"),
        ([[1, 0], [True, 2]], TypeError, r"^indices\[1, 0\] = True, expected an integer$"),
        (7, ValueError, r"^indices = 7 is not a vertex of a graph with 3 vertices$"),
        (np.array([0, -4, 9]), ValueError, r"^indices\[1\] = -4 is not a vertex of a graph with 3 vertices$"),
        ([[0, 1], [3, 0]], ValueError, r"^indices\[1, 0\] = 3 is not a vertex of a graph with 3 vertices$"),
        ([0, 0.5], ValueError, r"^indices\[1\] = 0.5 is not a vertex of a graph with 3 vertices$"),
        ([np.nan], ValueError, r"^indices\[0\] = nan is not a vertex of a graph with 3 vertices$"),
        (np.uint64(2**64 - 1), ValueError, r"^indices = 18446744073709551615 is not a vertex"),
    ],
)
def test_what_are_no_vertices(search: Any, kind: Any, indices: Any, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        search(kind(TRIANGLE), indices=indices)


def test_what_are_vertices() -> None:
    for indices in (1, np.int8(1), np.uint8(1), -2, 1.0, np.ma.array(1), [1.0]):
        assert ours.dijkstra(TRIANGLE, indices=indices).ravel().tolist() == [5, 0, 2]
    assert ours.dijkstra(TRIANGLE, indices=[]).shape == (0, 3)


def test_vertices_in_what_numpy_makes_an_array_of() -> None:
    class Tensor:
        """An array whose size is a method."""

        def __array__(self, *_: Any, **__: Any) -> Any:
            return np.array([1, 0])

        def __len__(self) -> int:
            return 2

        def size(self) -> int:
            return 2

    line = [[0, 2], [0, 0]]
    for graph in (line, scipy.sparse.csr_array(line)):
        for search in (ours.dijkstra, ours.shortest_path):
            assert search(graph, indices=Tensor()).tolist() == [[np.inf, 0], [0, 2]]


def test_true_is_no_vertex() -> None:
    for graph in (scipy.sparse.csr_array(TRIANGLE), TRIANGLE):
        for search in (ours.breadth_first_order, ours.breadth_first_tree, ours.depth_first_order):
            with pytest.raises(TypeError, match=r"^i_start: expected an integer, got True$"):
                search(graph, True)


def test_how_many_paths() -> None:
    for wrong in (1.0, True, "1"):
        with pytest.raises(TypeError, match=r"^K: expected an integer"):
            ours.yen(TRIANGLE, 0, 2, wrong)
    with pytest.raises(ValueError, match=r"^K = -1, expected at least 0$"):
        ours.yen(TRIANGLE, 0, 2, -1)
    assert ours.yen(TRIANGLE, 0, 2, 0).shape == (0,)
    assert ours.yen(TRIANGLE, 0, 2, 10**9).tolist() == [3, 4]  # memory for two


@pytest.mark.parametrize(
    ("indices", "error", "said"),
    [
        ([0, 2**70], ValueError, rf"indices\[1\] = {2**70} is not a vertex of a graph with 3 vertices"),
        ([[0], [-(2**70)]], ValueError, r"indices\[1, 0\] = -"),
        (2**70, ValueError, r"indices = "),
        ([None], TypeError, r"indices\[0\] = None, expected an integer"),
        ([0, "a"], TypeError, r"indices"),
        (np.array([True, 1], object), TypeError, r"indices\[0\] = True, expected an integer"),
    ],
)
def test_indices_that_numpy_leaves_as_they_are(indices: Any, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=f"^{said}"):
        ours.dijkstra(TRIANGLE, indices=indices)
    assert ours.dijkstra(TRIANGLE, indices=np.array([2, -2], object)).shape == (2, 3)


def test_what_spans_no_tree() -> None:
    for graph, error, said in (
        (TRIANGLE * 1j, TypeError, "has dtype complex128, expected real numbers"),
        ([["a"]], TypeError, "has dtype <U1, expected real numbers"),
        (np.ones((2, 3)), ValueError, r"has shape \(2, 3\), expected a square matrix"),
    ):
        with pytest.raises(error, match=f"^csgraph {said}$"):
            ours.minimum_spanning_tree(graph)
