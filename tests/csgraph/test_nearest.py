"""Limits, and the nearest of several vertices: the host finds what a device finds."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.csgraph

import reedsp
from reedsp.algorithms.single_source import sssp
from reedsp.algorithms.single_source.host import nearby
from reedsp.algorithms.single_source.host import trees as host_trees
from reedsp.cost_model import choose_search, place
from reedsp.csgraph import dijkstra, nearest, searches

FORMS: dict[str, Callable[[Any], Any]] = {
    "csr": scipy.sparse.csr_array,
    "csc": scipy.sparse.csc_array,
    "coo": scipy.sparse.coo_array,
    "dense": np.asarray,
}


@pytest.fixture
def no_graphs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have no graph be made of a matrix, as a search on a device needs it."""
    monkeypatch.setattr(place, "_serves", True)
    monkeypatch.setattr(searches, "graph_of", lambda *_: pytest.fail("not on the host"))
    monkeypatch.setattr(searches, "_edges_to_each", lambda *_: None)


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have every matrix be so large that a device is likely to search it sooner."""
    monkeypatch.setattr(place, "_DEVICE", 1.0)
    monkeypatch.setattr(place, "_DEVICE_THIN", 1.0)


def drawn(seed: int, n: int = 40, m: int = 100) -> Any:
    rng = np.random.default_rng(seed)
    weights = [rng.integers(1, 6, m), rng.random(m), rng.choice([0.0, 0.1, 0.2, 0.3], m)][seed % 3]
    dense = np.zeros((n, n))
    dense[rng.integers(0, n, m), rng.integers(0, n, m)] = weights
    return dense


def same(found: Any, expected: Any) -> bool:
    if not isinstance(found, tuple):
        found, expected = (found,), (expected,)
    return all(
        (each.dtype, each.shape, each.tobytes()) == (other.dtype, other.shape, other.tobytes())
        for each, other in zip(found, expected, strict=True)
    )


@pytest.mark.deep("csr", "csc", "coo")
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("unweighted", [False, True])
def test_the_nearest_of_several_vertices(
    form: str, directed: bool, unweighted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for seed in range(3):
        matrix = FORMS[form](drawn(seed))
        for sources in (5, [3, -1], [8, 3, 8]):
            for limit in (np.inf, 2.0):
                options = {"indices": sources, "min_only": True, "limit": limit}
                options |= {"directed": directed, "unweighted": unweighted}
                for trees in (False, True):
                    monkeypatch.setattr(place, "_serves", False)
                    expected = dijkstra(matrix, return_predecessors=trees, **options)
                    monkeypatch.setattr(place, "_serves", True)
                    with monkeypatch.context() as patch:
                        patch.setattr(searches, "graph_of", lambda *_: pytest.fail("not on the host"))
                        found = dijkstra(matrix, return_predecessors=trees, **options)
                    assert same(found, expected)
                distances = found[0]
                assert np.array_equal(distances, scipy.sparse.csgraph.dijkstra(matrix, **options))


@pytest.mark.deep("True-False-False", "False-False-False", "True-False-True")
@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("min_only", [False, True])
@pytest.mark.parametrize("unweighted", [False, True])
def test_what_is_near(
    directed: bool, min_only: bool, unweighted: bool, large: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for seed in range(6):
        matrix = scipy.sparse.csr_array(drawn(seed, m=50))
        for sources in ([7, 2], [11]) if min_only else (7, [11], -1, [[7], [2]]):
            for limit in (0, 0.25, 3):
                options: dict[str, Any] = {"indices": sources, "limit": limit, "unweighted": unweighted}
                options |= {"min_only": min_only, "directed": directed}
                for trees in (False, True):
                    monkeypatch.setattr(place, "_serves", False)
                    expected = dijkstra(matrix, return_predecessors=trees, **options)
                    monkeypatch.setattr(place, "_serves", True)
                    with monkeypatch.context() as patch:
                        patch.setattr(searches, "graph_of", lambda *_: pytest.fail("not on the host"))
                        patch.setattr(searches, "_edges_to_each", lambda *_: pytest.fail("not on the host"))
                        found = dijkstra(matrix, return_predecessors=trees, **options)
                    assert same(found, expected)


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("unweighted", [False, True])
@pytest.mark.parametrize("given", [{"indices": 7}, {"indices": [[11], [-1]]}, {"indices": [2, 7], "min_only": True}])
def test_what_little_can_be_reached(
    directed: bool, unweighted: bool, given: dict[str, Any], large: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a limit: the host finds it as a device does, whatever there is elsewhere."""
    monkeypatch.setattr(nearby, "_PASSES", 20)  # edges both ways lead to and fro
    for seed in range(6):
        parts = drawn(seed, n=20, m=15), np.ones((30, 30)), drawn(seed + 1, m=10)
        matrix = scipy.sparse.block_diag([*map(scipy.sparse.csr_array, parts)], format="csr")
        options = {"directed": directed, "unweighted": unweighted, **given}
        for trees in (False, True):
            monkeypatch.setattr(place, "_serves", False)
            expected = dijkstra(matrix, return_predecessors=trees, **options)
            monkeypatch.setattr(place, "_serves", True)
            with monkeypatch.context() as patch:
                patch.setattr(searches, "graph_of", lambda *_: pytest.fail("not on the host"))
                patch.setattr(searches, "_edges_to_each", lambda *_: None)
                assert same(dijkstra(matrix, return_predecessors=trees, **options), expected)


@pytest.mark.parametrize("method", ["auto", "D", "BF", "J"])
def test_all_searches_look_for_what_little_can_be_reached(method: Any, large: None, no_graphs: None) -> None:
    matrix = scipy.sparse.csr_array(np.diag([1.5, 2.5, 3.5, 0, 0], 1))
    assert searches.shortest_path(matrix, method, indices=1).tolist() == [np.inf, 0, 2.5, 6, np.inf, np.inf]


@pytest.mark.parametrize("directed", [False, True])
def test_what_is_unreachable_is_looked_at(directed: bool, large: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """A negative weight there has the same say as ever, and infinity is no edge."""
    monkeypatch.setattr(place, "_serves", True)
    matrix = scipy.sparse.csr_array(([1.0, 2.0, 3.0], ([0, 4, 6], [1, 5, 7])), shape=(9, 9))
    matrix.data[-1] = np.inf
    assert dijkstra(matrix, directed, 0)[:3].tolist() == [0, 1, np.inf]
    assert dijkstra(matrix, directed, 6)[5:].tolist() == [np.inf, 0, np.inf, np.inf]
    matrix.data[-1] = -np.inf
    with pytest.raises(ValueError, match="-inf"):
        dijkstra(matrix, directed, 0)
    matrix.data[-1], matrix.indices[-1] = 1, 30
    with pytest.raises(ValueError, match="30"):
        dijkstra(matrix, directed, 0)


@pytest.mark.parametrize("trees", [False, True])
def test_what_is_near_each_of_many(trees: bool, monkeypatch: pytest.MonkeyPatch, no_graphs: None) -> None:
    """SciPy takes microseconds for each, in a matrix that takes long as a whole."""
    n = 2000
    ends, weights = np.arange(n - 1), np.ones(n - 1)
    matrix = scipy.sparse.csr_array((weights, (ends, ends + 1)), shape=(n, n))
    sources = np.arange(0, n, 100)
    assert not place.is_for_host(n, n - 1, len(sources))
    found = dijkstra(matrix, indices=sources, limit=3, return_predecessors=trees)
    expected = scipy.sparse.csgraph.dijkstra(matrix, indices=sources, limit=3, return_predecessors=trees)
    assert same(found, expected)
    monkeypatch.setattr(nearest, "is_limited_for_host", lambda n, m, rows, reached, predecessors: reached <= 32)
    assert dijkstra(matrix, indices=sources, limit=31).shape == (len(sources), n)
    with pytest.raises(pytest.fail.Exception, match="not on the host"):
        dijkstra(matrix, indices=sources, limit=32)


@pytest.mark.parametrize("first", [[], [0, 500]])
def test_sources_without_edges_speak_for_no_others(first: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor does one alone."""
    monkeypatch.setattr(place, "_serves", True)
    n = 1000
    rng = np.random.default_rng(1)
    tails = rng.integers(1, n, 20 * n)
    tails[tails == 500] = 1
    matrix = scipy.sparse.coo_array((np.ones(20 * n), (tails, rng.integers(0, n, 20 * n))), shape=(n, n)).tocsr()
    options: dict[str, Any] = {"unweighted": False, "predecessors": False}
    sources = np.array([*first, 7, 8, 9, 10])
    monkeypatch.setattr(nearest, "is_limited_for_host", lambda n, m, rows, reached, predecessors: reached < 200)
    assert nearest.are_within(matrix, sources, 1.0, **options)
    assert not nearest.are_within(matrix, sources, 40.0, **options)
    assert not nearest.are_within(matrix, np.array(first, np.int64), 1.0, **options)
    ways = scipy.sparse.block_diag([matrix, np.ones((1, 1))], format="csr")
    assert not nearest.are_within(ways, np.array([n, n, 7, n, n, n, n]), 40.0, **options)


@pytest.mark.parametrize("trees", [False, True])
@pytest.mark.parametrize("unweighted", [False, True])
def test_what_is_near_each_of_several_is_found_together(
    trees: bool, unweighted: bool, large: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many they are, as long as few edges lead there in all."""
    sources = [*range(0, 40, 2), 7, 7]
    for seed in range(6):
        matrix = scipy.sparse.csr_array(drawn(seed, m=60))
        for limit in (0.25, 3):
            options: dict[str, Any] = {"indices": sources, "limit": limit, "unweighted": unweighted}
            monkeypatch.setattr(place, "_serves", False)
            expected = dijkstra(matrix, return_predecessors=trees, **options)
            monkeypatch.setattr(place, "_serves", True)
            with monkeypatch.context() as patch:
                patch.setattr(searches, "graph_of", lambda *_: pytest.fail("not on the host"))
                assert same(dijkstra(matrix, return_predecessors=trees, **options), expected)


def test_sources_without_edges_are_cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    """One vertex among ten has edges, and reaches some 300 others."""
    monkeypatch.setattr(place, "_serves", True)
    n = 1000
    star = scipy.sparse.csr_array((np.ones(300), np.arange(300), np.append(0, np.full(n, 300))), shape=(n, n))
    seen: list[float] = []
    monkeypatch.setattr(nearest, "is_limited_for_host", lambda *given: seen.append(given[3]) or len(seen) > 1)
    assert nearest.are_within(star, np.arange(0, n, 100), 5.0, unweighted=False, predecessors=False)
    assert seen == [n // 2, 30]


@pytest.mark.parametrize("limit", [1e300, np.finfo(np.float64).max])
def test_limits_that_are_none(limit: float, large: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(place, "_serves", True)
    matrix = scipy.sparse.csr_array(drawn(1))
    assert np.array_equal(dijkstra(matrix, indices=0, limit=limit), scipy.sparse.csgraph.dijkstra(matrix, indices=0))


def test_all_weights_are_looked_at(large: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """However far they are: what is no weight, or is negative, is treated as ever."""
    monkeypatch.setattr(place, "_serves", True)
    matrix = scipy.sparse.csr_array(np.diag(np.ones(9), 1))
    matrix.data[-1] = -2
    with pytest.warns(UserWarning, match="negative weights"):
        found = dijkstra(matrix, indices=0, limit=2)
    assert found[:4].tolist() == [0, 1, 2, np.inf]
    for wrong in (matrix, scipy.sparse.csr_array([[0, -np.inf, np.inf], [0, 0, 1], [np.inf, 0, 0]])):
        wrong.data[-1] = -np.inf
        with pytest.raises(ValueError, match="-inf"):
            dijkstra(wrong, indices=0, limit=2)
    matrix.data[-1], matrix.indices[-1] = 1, 30
    with pytest.raises(ValueError, match="30"):
        dijkstra(matrix, indices=0, limit=2)


def test_other_types_and_sources_are_left_to_others(large: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(place, "_serves", True)
    matrix = scipy.sparse.csr_array(np.diag(np.ones(9), 1))
    with pytest.raises(TypeError, match="complex"):
        dijkstra(matrix.astype(complex), indices=0, limit=2)
    with pytest.raises(ValueError, match="indices = 10"):
        dijkstra(matrix, indices=10, limit=2)
    assert dijkstra(matrix, indices=[], limit=2).shape == (0, 10)
    assert dijkstra(matrix, limit=2).shape == (10, 10)
    none = scipy.sparse.csr_array((3, 3))
    assert dijkstra(none, indices=1, limit=2).tolist() == [np.inf, 0, np.inf]
    assert reedsp.csgraph.dijkstra(matrix, indices=[], limit=2, min_only=True).tolist() == [np.inf] * 10


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("directed", [True, False])
def test_what_is_near_is_looked_for_once(
    form: str, directed: bool, large: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a CSR matrix, or else in the graph that is made of it; then a device searches."""
    calls = []
    for module in (nearest, sssp):
        look = module.search_nearby
        monkeypatch.setattr(module, "search_nearby", lambda *given, look=look: calls.append(1) or look(*given))
        monkeypatch.setattr(module, "is_limited_for_host", lambda *_: False, raising=False)
    monkeypatch.setattr(place, "_serves", True)
    monkeypatch.setattr(place, "is_limited_for_host", lambda *_, **__: False)
    monkeypatch.setattr(choose_search, "shortest_paths_on_host", lambda asked, known: None)
    dense = drawn(1)
    for min_only in (False, True):
        calls.clear()
        found = dijkstra(FORMS[form](dense), directed, 0, limit=2, min_only=min_only)
        expected = scipy.sparse.csgraph.dijkstra(dense, directed, 0, limit=2, min_only=min_only)
        assert np.array_equal(found, expected)
        assert calls == [1]


def test_the_start_is_taken_before_smaller_vertices(large: None, no_graphs: None) -> None:
    """If an edge from it is a shortest path, as SciPy takes it."""
    matrix = scipy.sparse.csr_array(([2.0, 1.0, 1.0], ([7, 7, 1], [3, 1, 3])), shape=(9, 9))
    options: dict[str, Any] = {"indices": 7, "limit": 5, "return_predecessors": True}
    assert dijkstra(matrix, **options)[1].tolist() == [-9999, 7, -9999, 7, *[-9999] * 5]
    assert dijkstra(matrix, min_only=True, **options)[1].tolist() == [-9999, 7, -9999, 1, *[-9999] * 5]


def test_few_vertices_are_searched_from_without_a_look(no_graphs: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """It would take about as long as SciPy takes."""
    monkeypatch.setattr(nearest, "dijkstra", lambda *_, **__: pytest.fail("a look"))
    rng = np.random.default_rng(3)
    matrix = scipy.sparse.csr_array(rng.integers(1, 100, (100, 100)) * (rng.random((100, 100)) < 0.03) * 1.0)
    assert not place.is_for_host(100, matrix.nnz, 100)
    assert same(dijkstra(matrix, limit=50), scipy.sparse.csgraph.dijkstra(matrix, limit=50))


def test_the_sources_are_scipys_if_its_tree_is_the_only_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """They need not be looked for then."""
    monkeypatch.setattr(place, "_serves", True)
    monkeypatch.setattr(nearest, "nearest_source", lambda *_: pytest.fail("looked for"))
    options: dict[str, Any] = {"indices": [0, 3], "min_only": True, "return_predecessors": True}
    matrix = scipy.sparse.csr_array(([1.0, 4.0, 2.0], ([0, 1, 3], [1, 2, 2])), shape=(4, 4))
    assert same(dijkstra(matrix, **options), scipy.sparse.csgraph.dijkstra(matrix, **options))


@pytest.mark.parametrize("depth", [1, 3, 29])
def test_sources_follow_the_tree(depth: int) -> None:
    """Whatever the sources of another tree are, near the roots or far from them."""
    rng = np.random.default_rng(depth)
    for _ in range(20):
        pred = np.arange(-1, 29, dtype=np.int32)
        pred[rng.random(30) < 1 / depth] = -9999
        pred[0] = -9999
        starts, others = np.split((pred < 0).nonzero()[0], [3])
        pred[np.arange(30) >= min(others, default=30)] = -9999  # no path leads there
        expected = sssp.nearest_source(pred, starts.tolist())
        nearly = rng.choice(starts, 30).astype(np.int32)
        roots = pred < 0
        nearly[roots] = expected[roots]
        np.testing.assert_array_equal(nearest._sources_of(pred, nearly, starts), expected, strict=True)


def test_vertices_without_a_path_are_left_alone() -> None:
    """They may be nearly all: what is beside the answer takes a byte for each, and no edges of theirs are looked at."""
    n = 1 << 20
    pred = np.full(n, -9999, np.int32)
    pred[1:9] = np.arange(8)
    tracemalloc.start()
    found = sssp.nearest_source(pred, [0, n - 1])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found[:9].tolist() == [0] * 9
    assert found[-1] == n - 1
    assert np.count_nonzero(found >= 0) == 10
    assert peak < 6 * n


def test_edges_of_vertices_without_a_path_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(place, "_serves", True)
    looked: list[int] = []
    tight = host_trees._tight_of_row
    monkeypatch.setattr(
        host_trees, "_tight_of_row", lambda counts, *edges: looked.append(int(counts.sum())) or tight(counts, *edges)
    )
    n = 10_000
    heads = np.arange(n)[:, None] + [1, 2]
    matrix = scipy.sparse.csr_array((np.tile([1.0, 2.0], n), heads.ravel() % n, np.arange(0, 2 * n + 1, 2)))
    for options in ({"indices": 5}, {"indices": [5, 9], "min_only": True}):
        found = dijkstra(matrix, limit=8, return_predecessors=True, **options)
        assert found[1][6:10].tolist() == ([5, 5, 6, 7] if len(found) == 2 else [5, 5, 6, -9999])
        assert looked.pop() < 40
        assert looked == []


def test_edges_both_ways_are_those_of_what_is_near(large: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many there are elsewhere, and in whatever order they stand."""
    looked: list[int] = []
    made = nearest.edges_both_ways
    monkeypatch.setattr(nearest, "edges_both_ways", lambda matrix: looked.append(matrix.nnz) or made(matrix))
    n = 1000
    heads = (np.arange(n)[:, None] + [2, 1, 1]).ravel() % n
    matrix = scipy.sparse.csr_array((np.tile([2.0, 3.0, 1.0], n), heads, np.arange(0, 3 * n + 1, 3)), shape=(n, n))
    for given in ({"indices": 5}, {"indices": [5, 9]}, {"indices": [9, 5], "min_only": True}):
        options: dict[str, Any] = {"directed": False, "limit": 2, "return_predecessors": True, **given}
        monkeypatch.setattr(place, "_serves", False)
        expected = dijkstra(matrix, **options)
        monkeypatch.setattr(place, "_serves", True)
        assert same(dijkstra(matrix, **options), expected)
        assert looked.pop() < 40
        assert looked == []
