"""Small inputs of reedsp.csgraph in every form give the same bytes on the host and on a device."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from scipy.sparse.csgraph import dijkstra, yen

import reedsp
import reedsp.csgraph as ours
from reedsp.algorithms.single_source.host import trees
from reedsp.cost_model import place
from reedsp.csgraph import formats, nearest, on_host, small
from reedsp.csgraph.formats import compressed, of_positions
from reedsp.csgraph.matrix import are_plain, are_pointers
from reedsp.device.job import Launched, recording

FORMS: dict[str, Callable[[Any], Any]] = {
    "csr": lambda matrix: matrix,
    "float32": lambda matrix: matrix.astype(np.float32),
    "csc": lambda matrix: matrix.tocsc(),
    "coo": lambda matrix: matrix.tocoo(),
    "lil": lambda matrix: matrix.tolil(),
    "dok": lambda matrix: matrix.todok(),
    "bsr": lambda matrix: matrix.tobsr(blocksize=(matrix.shape[0], 1)),
    "dia": lambda matrix: scipy.sparse.dia_array(matrix),
    "dense": lambda matrix: matrix.toarray(),
    "masked": lambda matrix: np.ma.masked_equal(matrix.toarray(), 0),
    "list": lambda matrix: matrix.toarray().tolist(),
}

CALLS: dict[str, Callable[..., Any]] = {
    "dijkstra": lambda graph, **options: ours.dijkstra(graph, indices=[0, 2, 0], **options),
    "no sources": lambda graph, **options: ours.dijkstra(graph, indices=[], **options),
    "trees": lambda graph, **options: ours.dijkstra(graph, indices=[1, 2], return_predecessors=True, **options),
    "floyd_warshall": ours.floyd_warshall,
    "forest": lambda graph, **options: ours.floyd_warshall(graph, return_predecessors=True, **options),
    "all pairs": ours.shortest_path,
    "trees of all pairs": lambda graph, **options: ours.shortest_path(graph, return_predecessors=True, **options),
    "bellman_ford": lambda graph, **options: ours.bellman_ford(graph, indices=[0, 2], **options),
    "johnson": lambda graph, **options: ours.johnson(graph, indices=2, **options),
    "tree": lambda graph, **options: ours.breadth_first_tree(graph, 0, **options).toarray(),
    "yen": lambda graph, **options: ours.yen(graph, 0, 2, 4, **options),
    "paths of yen": lambda graph, **options: ours.yen(graph, 0, 2, 4, return_predecessors=True, **options),
}


@pytest.mark.parametrize("call", ["dijkstra", "floyd_warshall", "forest", "all pairs", "bellman_ford", "johnson"])
@pytest.mark.parametrize("n", [3, 40])
def test_zeros_have_no_sign(call: str, n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever of the two is stored, on the host as on a device."""
    weights = np.where(np.arange(n - 1) % 2, 1.0, -0.0)
    matrix = scipy.sparse.csr_array((weights, (np.arange(n - 1), np.arange(1, n))), shape=(n, n))
    answers = []
    for serves in (True, False):
        monkeypatch.setattr(place, "_serves", serves)
        found = CALLS[call](matrix)
        answers.append(found if isinstance(found, np.ndarray) else found[0])
        assert not np.signbit(answers[-1]).any()
    assert answers[0].tobytes() == answers[1].tobytes()


def random_matrix(rng: np.random.Generator, heaviest: int, divisor: float = 1) -> Any:
    """Return a matrix with ties, loops and vertices without edges."""
    n = int(rng.integers(3, 30))
    weights = rng.integers(1, heaviest, (n, n), endpoint=True) * (rng.random((n, n)) < rng.choice([0.05, 0.2, 0.6]))
    weights[0, 2] = 1
    return scipy.sparse.csr_array(weights / divisor)


@pytest.mark.deep
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("directed", [True, False])
def test_each_form(directed: bool, form: str, serves: None, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(len(form))
    for heaviest, divisor in ((1, 1), (4, 1), (70_000, 1), (50, 7)):
        given = FORMS[form](random_matrix(rng, heaviest, divisor))
        calls = dict(CALLS, breadth_first=lambda graph, directed: ours.breadth_first_order(graph, 0, directed))
        for name, call in calls.items():
            found = []
            for serves_now in (True, False):
                monkeypatch.setattr(place, "_serves", serves_now)
                answer = call(given, directed=directed)
                found.append(answer if isinstance(answer, tuple) else (answer,))
            for here, there in zip(*found, strict=True):
                np.testing.assert_array_equal(here, there, err_msg=name, strict=True)


def answers(call: Callable[[], Any], monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Return the bytes of what the host and what the device finds, or the error."""
    found = []
    for serves_now in (True, False):
        monkeypatch.setattr(place, "_serves", serves_now)
        try:
            answer = call()
        except (ValueError, ArithmeticError) as error:
            found.append(str(error))
            continue
        found.append([each.tobytes() for each in (answer if isinstance(answer, tuple) else (answer,))])
    monkeypatch.setattr(place, "_serves", True)
    return found


SEARCHES = ("dijkstra", "no sources", "trees", "floyd_warshall", "all pairs", "bellman_ford", "johnson")


@pytest.mark.parametrize("form", FORMS)
def test_each_form_is_for_the_host(form: str, serves: None, launches: list[Launched]) -> None:
    given = FORMS[form](scipy.sparse.csr_array(np.array([[0, 2, 1], [0, 0, 3], [1, 0, 0]], float)))
    for name in (*SEARCHES, "forest", "trees of all pairs"):
        CALLS[name](given)
    assert ours.breadth_first_order(given, 1)[0].tolist() == [1, 2, 0]
    assert ours.connected_components(given, connection="strong")[0] == 1
    assert not launches


CHAIN = np.arange(5), np.arange(1, 6)

UNUSUAL: dict[str, Any] = {
    "infinity and NaN": scipy.sparse.csr_array(([1, np.inf, 2, np.nan, 0.5], CHAIN), shape=(6, 6)),
    "nothing but infinity": scipy.sparse.csr_array((np.full(5, np.inf), CHAIN), shape=(6, 6)),
    "large": scipy.sparse.csr_array(([0.1, 1e17, 3e15, 7, 2**53], CHAIN), shape=(6, 6)),
    "almost too large": scipy.sparse.csr_array(([0.1, 1e307, 1e307, 7, 1e300], CHAIN), shape=(6, 6)),
    "no entries": scipy.sparse.csr_array((6, 6)),
    "no entries, dense": np.zeros((6, 6)),
}


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("matrix", UNUSUAL.values(), ids=UNUSUAL)
def test_unusual_matrices_are_for_the_host(
    matrix: Any, directed: bool, serves: None, launches: list[Launched], monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = [partial(CALLS[name], matrix.copy(), directed=directed) for name in SEARCHES]
    calls += [partial(ours.dijkstra, matrix.copy(), directed, [4, 1], min_only=True, return_predecessors=True)]
    calls += [partial(ours.breadth_first_order, matrix.copy(), 1, directed)]
    calls += [partial(connected, matrix.copy(), directed, connection) for connection in ("weak", "strong")]
    for call in calls:
        call()
        if directed or matrix is not UNUSUAL["large"]:
            assert not launches, call
        here, there = answers(call, monkeypatch)
        assert here == there, call
        launches.clear()


def connected(matrix: Any, directed: bool, connection: str) -> Any:
    return np.array(ours.connected_components(matrix, directed, connection)[1])


def test_sums_beyond_float64(serves: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are what they are on a device: those of integers in int64, those of floats rounded, or an error."""
    rng = np.random.default_rng(5)
    for n in (9, 80):
        ends = np.nonzero(~np.eye(n, dtype=bool))
        for weights in (
            rng.integers(2**50, 2**53, len(ends[0])),
            rng.integers(2**50, 2**53, len(ends[0])) * 2.0,
            10 ** rng.uniform(0, 17, len(ends[0])),
            np.full(len(ends[0]), 1e308),
        ):
            matrix = scipy.sparse.csr_array((weights * (ends[1] == ends[0] + 1), ends), shape=(n, n))
            matrix.eliminate_zeros()
            both = [matrix, scipy.sparse.csr_array(matrix + matrix.T)]
            for name in ("dijkstra", "trees", "floyd_warshall", "forest", "all pairs", "bellman_ford"):
                for given, directed in ((both[0], True), (both[0], False), (both[1], True)):
                    here, there = answers(partial(CALLS[name], given, directed=directed), monkeypatch)
                    assert here == there, name


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("serving", [True, False])
def test_integers_beyond_float64_are_added_from_the_start(
    serving: bool, directed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between all pairs as from each vertex, on the host and on a device: as SciPy adds them."""
    monkeypatch.setattr(place, "_serves", serving)
    rng, n = np.random.default_rng(0), 12
    for _ in range(3):
        cells = np.unique(rng.integers(0, n * n, 40))
        weights = rng.integers(1, 2**52, len(cells)).astype(float)
        matrix = scipy.sparse.csr_array((weights, (cells // n, cells % n)), shape=(n, n))
        expected = dijkstra(matrix, directed)
        for given in (matrix, matrix.toarray()):
            for function in (ours.dijkstra, ours.bellman_ford, ours.johnson, ours.shortest_path):
                for indices in (None, np.arange(n)):
                    found = function(given, directed=directed, indices=indices)
                    np.testing.assert_array_equal(found, expected, strict=True)


@pytest.mark.parametrize("n", [99, 100, 101, 102])
def test_rounded_sums_of_all_pairs(n: int, serves: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Up to 100 vertices they are those of Dijkstra's algorithm, which a long path tells from others."""
    rng = np.random.default_rng(n)
    there = scipy.sparse.csr_array((rng.random(n - 1), (np.arange(n - 1), np.arange(1, n))), shape=(n, n))
    matrix = (there + there.T).tocsr()  # with fewer edges each vertex searches, however many there are
    found = []
    for serves_now in (True, False):
        monkeypatch.setattr(place, "_serves", serves_now)
        found.append(ours.shortest_path(matrix))
    np.testing.assert_array_equal(*found, strict=True)
    assert np.array_equal(found[0], dijkstra(matrix)) == (n <= 100)


def test_many_paths(serves: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """SciPy takes long to find them, a search of our own does not."""
    rng = np.random.default_rng(8)
    matrix = scipy.sparse.csr_array(rng.integers(1, 90, (200, 200)) * (rng.random((200, 200)) < 0.05) * 1.0)
    found = ours.yen(matrix, 0, 7, 20)
    np.testing.assert_array_equal(found, yen(matrix, 0, 7, 20), strict=True)
    monkeypatch.setattr(place, "_serves", False)
    np.testing.assert_array_equal(found, ours.yen(matrix, 0, 7, 20), strict=True)


def test_trees_of_weights_of_zero(device: reedsp.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are found on a device if so many searches of the host would take longer."""
    monkeypatch.setenv("REEDSP_DEVICE", str(device.index))
    monkeypatch.setattr(place, "_serves", True)
    for n, by_device in ((9, False), (150, True)):
        matrix = scipy.sparse.csr_array((np.arange(n - 1) % 3 * 1.0, (np.arange(n - 1), np.arange(1, n))), shape=(n, n))
        launched: list[Launched] = []
        with recording(launched.append):
            dist, pred = ours.floyd_warshall(matrix, return_predecessors=True)
        assert bool(launched) == by_device
        np.testing.assert_array_equal(dist, dijkstra(matrix))
        np.testing.assert_array_equal(pred, np.where(np.triu(np.ones((n, n)), 1) > 0, np.arange(n) - 1, -9999))


def test_trees_of_edges_that_are_there_twice(serves: None) -> None:
    matrix = scipy.sparse.csr_array((np.array([5.0, 2, 3]), np.array([1, 1, 2]), np.array([0, 2, 3, 3])), shape=(3, 3))
    expected = [[0, 2, 0], [0, 0, 3], [0, 0, 0]]
    np.testing.assert_array_equal(ours.breadth_first_tree(matrix, 0).toarray(), expected)


@pytest.mark.deep
@pytest.mark.parametrize(
    "settings",
    [
        *({}, {"_BLOCK": 40}, {"_BLOCK": 1, "_HASHED_BLOCK": 200}, {"_HASHES": 0}, {"_HASHES": 0, "_ROW_BLOCK": 30}),
        {"_HASHES": 0, "_ROW_BLOCK": 0, "_REACHED": 1},
    ],
    ids=["sums", "parts", "hashes", "rows", "parts of rows", "what is reached"],
)
@pytest.mark.parametrize(("heaviest", "divisor"), [(1, 1), (3, 1), (5, 7), (2**17, 1)])
def test_the_smallest_predecessor(
    heaviest: int, divisor: float, settings: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in settings.items():
        monkeypatch.setattr(trees, name, value)
    rng = np.random.default_rng(heaviest)
    for _ in range(30):
        matrix = random_matrix(rng, heaviest, divisor)
        sources = rng.integers(0, matrix.shape[0], 5)
        dist, pred = dijkstra(matrix, indices=sources, return_predecessors=True)
        expected = np.full_like(pred, -9999)
        for row, source in enumerate(sources):
            for tail, head in reversed(list(zip(*matrix.nonzero(), strict=True))):
                tight = dist[row, tail] < np.inf and dist[row, tail] + matrix[tail, head] == dist[row, head]
                if tight and head != source and expected[row, head] != source:
                    expected[row, head] = tail
            direct = matrix.indices[matrix.indptr[source] : matrix.indptr[source + 1]]
            for head in direct:
                if head != source and dist[row, head] == matrix[source, head]:
                    expected[row, head] = source
        trees.choose_smallest(matrix.indptr, matrix.indices, matrix.data, dist, pred, sources)
        np.testing.assert_array_equal(pred, expected, strict=True)


def corrupt(form: str, name: str, index: int, value: int) -> Any:
    matrix = FORMS[form](scipy.sparse.csr_array(np.array([[0, 2, 1], [0, 0, 3], [1, 0, 0]], float)))
    getattr(matrix, name)[index] = value
    return matrix


@pytest.mark.parametrize(
    "graph",
    [
        corrupt("csc", "indices", 1, 3),
        corrupt("csc", "indices", 1, -1),
        corrupt("csc", "indptr", 1, 5),
        corrupt("csc", "indptr", 0, 1),
        corrupt("bsr", "indices", 1, 3),
        corrupt("bsr", "indptr", 1, 5),
        corrupt("dia", "offsets", 0, 3),
        corrupt("coo", "row", 0, 3),
        corrupt("coo", "col", 0, -1),
        scipy.sparse.coo_array(([1.0, 2.0], ([0, 0], [1, 1])), shape=(2, 2)),  # SciPy adds these up
        scipy.sparse.coo_array((2, 3)),
        np.zeros((2, 3)),
        np.zeros(3),
        np.zeros((3, 3), complex),
        [["a"]],
    ],
)
def test_what_scipy_is_not_given(graph: Any, serves: None) -> None:
    assert compressed(graph) is None


def test_row_pointers_whose_differences_wrap() -> None:
    """Differences of int32 would all be positive."""
    pointers = np.array([0, 2**31 - 1, -5, 4], np.int32)
    with np.errstate(over="ignore"):
        assert (pointers[1:] - pointers[:-1] > 0).all()
    assert not are_pointers(pointers, np.zeros(4, np.int32))


def test_what_is_plain() -> None:
    pointers, columns, weights = np.array([0, 2, 2]), np.array([1, 0]), np.ones(2)
    assert are_plain(pointers, columns, weights)
    assert not are_plain(np.array([0, 3, 2]), columns, weights)
    assert not are_plain(pointers, np.array([1, 2]), weights)
    assert not are_plain(pointers, columns, np.array([1, np.nan]))
    assert not are_plain(pointers, columns, np.ones(1))
    assert not are_plain(pointers, columns, np.ones(2, np.complex128))


class Pydata:
    """As much of an array of pydata's sparse as these functions use."""

    def __init__(self, matrix: Any) -> None:
        self.matrix = scipy.sparse.csr_array(matrix)
        self.dtype, self.shape = self.matrix.dtype, self.matrix.shape

    @classmethod
    def from_scipy_sparse(cls, matrix: Any) -> Pydata:
        return cls(matrix)

    def to_scipy_sparse(self, accept_fv: Any = None) -> Any:
        return self.matrix


def test_arrays_of_pydata() -> None:
    """They are those of SciPy, and what is sparse comes back as one of them."""
    capacities = random_matrix(np.random.default_rng(3), 9).astype(np.int32)
    graph = capacities.astype(np.float64)
    np.testing.assert_array_equal(ours.dijkstra(Pydata(graph)), ours.dijkstra(graph))
    assert ours.connected_components(Pydata(graph))[0] == ours.connected_components(graph)[0]
    tree = ours.minimum_spanning_tree(Pydata(graph))
    assert isinstance(tree, Pydata)
    np.testing.assert_array_equal(tree.matrix.toarray(), ours.minimum_spanning_tree(graph).toarray())
    found, expected = ours.maximum_flow(Pydata(capacities), 0, 2), ours.maximum_flow(capacities, 0, 2)
    assert found.flow_value == expected.flow_value
    assert isinstance(found.flow, Pydata)
    assert (found.flow.matrix != expected.flow).nnz == 0
    full = scipy.sparse.csr_array(np.arange(1.0, 10).reshape(3, 3) % 7 + 1)
    for maximize in (False, True):
        for here, there in zip(
            ours.min_weight_full_bipartite_matching(Pydata(full), maximize),
            ours.min_weight_full_bipartite_matching(full, maximize),
            strict=True,
        ):
            np.testing.assert_array_equal(here, there)


@pytest.mark.parametrize("n", [3, 400])
def test_false_is_an_edge_where_it_is_not_masked(n: int, serves: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """However large the matrix is, on the host as on a device: SciPy's searches say so."""
    mask = np.ones((n, n), bool)
    mask[0, 1] = mask[1, 2] = False
    matrix = np.ma.MaskedArray(np.zeros((n, n), bool), mask)
    expected = dijkstra(matrix, indices=0)
    assert ours.dijkstra(matrix, indices=0).tolist() == expected.tolist() == [0, 0, 0, *[np.inf] * (n - 3)]
    monkeypatch.setattr(place, "_serves", False)
    assert ours.dijkstra(matrix, indices=0).tolist() == expected.tolist()


@pytest.mark.parametrize("form", ["dense", "masked", "list", "dia"])
def test_arrays_of_few_edges_are_small(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their edges are counted, unless some rows say that there are many."""
    monkeypatch.setattr("reedsp.csgraph.formats.is_for_host", lambda n, m, rows, unweighted=False: m <= 2 * n)
    few, hidden, many = np.zeros((3, 40, 40))
    few[np.arange(39), np.arange(1, 40)] = 7
    hidden[17] = hidden[19] = 7  # in no row that is looked at
    many[:] = 7
    found = compressed(FORMS[form](scipy.sparse.csr_array(few)))
    assert (found != scipy.sparse.csr_array(few)).nnz == 0
    for matrix in (hidden + few, many):
        assert compressed(FORMS[form](scipy.sparse.csr_array(matrix))) is None
    diagonals = np.zeros((33, 40))
    diagonals[[1, 2, 4, 5]] = 7  # so are these
    assert compressed(scipy.sparse.dia_array((diagonals, np.arange(33)), shape=(40, 40))) is None
    assert compressed(np.asfortranarray(few)) is None  # whose edges are in another order
    monkeypatch.setattr("reedsp.csgraph.formats._LOOKED_THROUGH", 40)
    assert (compressed(FORMS[form](scipy.sparse.csr_array(few))) is None) is (form != "dia")  # of one diagonal


def test_arrays_without_gaps_are_given_to_a_device_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """It remembers them; with gaps it would not take them."""
    monkeypatch.setattr(place, "_serves", True)
    full = np.ones((300, 300))
    np.fill_diagonal(full, 0)
    masked, gaps = np.ma.masked_array(full, full == 0), full.copy()
    gaps[:, ::20] = 0
    for given in (full, full.astype(np.int32), masked, full.tolist()):
        assert compressed(given) is None
    assert compressed(gaps) is not None
    assert compressed(full[:250, :250]) is not None
    assert compressed(np.asfortranarray(full)) is not None


@pytest.mark.parametrize("indices", [list(range(200)), tuple(range(200)), range(200), np.arange(200)])
def test_arrays_are_not_looked_through_for_more_searches_than_the_host_makes(
    indices: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(place, "_serves", True)
    rng, n = np.random.default_rng(1), 600
    graph = np.zeros((n, n))
    graph[rng.integers(0, n, 1000), rng.integers(0, n, 1000)] = rng.integers(1, 9, 1000)
    looked: list[Any] = []
    monkeypatch.setattr(formats, "of_positions", lambda *given: looked.append(given) or of_positions(*given))
    found = ours.dijkstra(graph, indices=indices)
    for nothing in ([], (), np.empty(0, int)):  # of an array that is too large for one search
        assert ours.dijkstra(np.ones((900, 900)), indices=nothing).shape == (0, 900)
    assert not looked
    for few in ([7], 7, np.array(7), np.array([7]), []):
        looked.clear()
        dist = ours.dijkstra(graph, indices=few)
        assert looked
        np.testing.assert_array_equal(dist.reshape(-1, n), found[[7] * (len(dist.reshape(-1, n)))])


@pytest.mark.parametrize("column", [-1, 3, 10**12, 10**30])
def test_lists_of_columns_that_do_not_exist(column: int, serves: None) -> None:
    lists = scipy.sparse.lil_array((3, 3))
    lists[0, 1] = 2.0
    found = compressed(lists)
    assert (found.indices.tolist(), found.data.tolist()) == ([1], [2])
    lists.rows[0] = [column]
    assert compressed(lists) is None
    lists.rows[0] = [1, 2]  # without another weight
    assert compressed(lists) is None


@pytest.mark.parametrize("trees", [False, True])
def test_all_pairs_without_edges_need_no_search(
    trees: bool, launches: list[Launched], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Although there are too many vertices for a search from each, or for Floyd-Warshall's algorithm."""
    monkeypatch.setattr(place, "_serves", True)
    matrix = scipy.sparse.csr_array((600, 600))
    expected = np.where(np.eye(600, dtype=bool), 0, np.inf)
    for call in (ours.shortest_path, ours.floyd_warshall, ours.johnson, ours.dijkstra):
        found = call(matrix, return_predecessors=trees)
        dist, pred = found if trees else (found, np.full((600, 600), -9999, np.int32))
        np.testing.assert_array_equal(dist, expected, strict=True)
        np.testing.assert_array_equal(pred, np.full((600, 600), -9999, np.int32), strict=True)
    assert not launches


@pytest.mark.parametrize("directed", [True, False])
def test_trees_of_rounded_sums(
    directed: bool, serves: None, launches: list[Launched], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Floyd-Warshall's algorithm needs a device where rounding may hide which edge of a path is the last."""
    rng = np.random.default_rng(3)
    matrix = random_matrix(rng, 50, 7)
    matrix.data += rng.random(matrix.nnz)
    call = partial(ours.floyd_warshall, return_predecessors=True, directed=directed)
    call(matrix)
    assert not launches
    here, there = answers(lambda: call(matrix), monkeypatch)
    assert here == there
    alike = scipy.sparse.csr_array(([0.3, 0.1 + 1e-15, 0.1, 0.3], ([0, 0, 1, 2], [1, 2, 3, 3])), shape=(4, 4))
    launches.clear()
    assert call(alike)[1][0].tolist() == [-9999, 0, 0, 1]
    assert launches


@pytest.mark.parametrize("unweighted", [False, True])
@pytest.mark.parametrize("given", [{"indices": 3}, {"indices": [5, 9]}, {"indices": [9, 5], "min_only": True}])
def test_only_edges_of_shortest_paths_are_turned(
    given: dict[str, Any], unweighted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To find the trees of a dense graph whose edges lead both ways, ties, weights of 0 and what is apart included."""
    turned: list[int] = []
    made = small.edges_both_ways
    for module in (on_host, nearest):
        monkeypatch.setattr(module, "edges_both_ways", lambda matrix: turned.append(matrix.nnz) or made(matrix))
    monkeypatch.setattr(small, "_MANY_EDGES", 500)
    rng, n = np.random.default_rng(4), 60
    for weights in (rng.integers(1, 90, (n, n)), rng.random((n, n)), rng.integers(0, 90, (n, n))):
        matrix = scipy.sparse.csr_array((weights.ravel() * 1.0, np.tile(np.arange(n), n), np.arange(0, n * n + 1, n)))
        matrix.resize((n + 3, n + 3))
        options = {"directed": False, "unweighted": unweighted, "return_predecessors": True, **given}
        monkeypatch.setattr(place, "_serves", False)
        expected = ours.dijkstra(matrix, **options)
        monkeypatch.setattr(place, "_serves", True)
        for one, other in zip(ours.dijkstra(matrix, **options), expected, strict=True):
            np.testing.assert_array_equal(one, other, strict=True)
        assert unweighted or turned.pop() < n * n // 10
