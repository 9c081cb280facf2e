"""What lies within a cutoff: found on the host, where it is little, with the answers of a device."""

from __future__ import annotations

import heapq
from typing import Any

import numpy as np
import pytest

import reedsp
from reedsp.algorithms.single_source.host import nearby
from reedsp.algorithms.single_source.host.nearby import connected_nearby, edges_between, search_nearby
from reedsp.cost_model import choose_search, place

WEIGHTS: dict[str, Any] = {
    "integers": np.array([1, 2, 3, 5]),
    "zeros": np.array([0, 0, 1]),
    "fractions": np.array([0.1, 0.2, 0.3]),
    "float32": np.array([0.1, 0.7], np.float32),
}


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch, device: reedsp.Device) -> None:
    """Have the host look for what is near, and this device do the rest."""
    monkeypatch.setenv("REEDSP_DEVICE", str(device.index))
    monkeypatch.setattr(place, "_serves", True)
    monkeypatch.setattr(choose_search, "shortest_paths_on_host", lambda asked, known: None)


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a look go on however far the first rounds lead: those along edges of weight 0 lead nowhere."""
    monkeypatch.setattr(nearby, "_FIRST", nearby._ROUNDS)


def drawn(weights: str, seed: int, n: int = 60, m: int = 75) -> reedsp.Graph:
    rng = np.random.default_rng(seed)
    return reedsp.Graph.from_edges(n, *rng.integers(0, n, (2, m)), rng.choice(WEIGHTS[weights], m))


def by_a_heap(graph: reedsp.Graph, starts: list[int], cutoff: float) -> dict[int, float]:
    """Return what is near by the algorithm of the textbook."""
    edges: dict[int, list[tuple[int, float]]] = {vertex: [] for vertex in range(graph.n)}
    for tail, head, weight in graph.edges():
        edges[tail].append((head, float(weight)))
    found: dict[int, float] = {}
    heap = [(0.0, start) for start in starts]
    while heap:
        dist, vertex = heapq.heappop(heap)
        if vertex in found or dist > cutoff:
            continue
        found[vertex] = dist
        for head, weight in edges[vertex]:
            heapq.heappush(heap, (dist + weight, head))
    return found


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("starts", [[7], [50, 3, 3]])
def test_what_is_near(weights: str, starts: list[int], patient: None) -> None:
    for seed in range(8):
        graph = drawn(weights, seed)
        for cutoff in (0.0, 0.3, 1.0, 4.0):
            found = search_nearby(graph.indptr, graph.indices, graph.weights, [starts], cutoff)
            assert found is not None
            assert found.vertices.tolist() == sorted(found.vertices.tolist())
            assert dict(zip(found.vertices.tolist(), found.dist.tolist(), strict=True)) == by_a_heap(
                graph, starts, cutoff
            )


def test_edges_are_counted_without_weights() -> None:
    graph = drawn("fractions", 1)
    ones = reedsp.Graph.from_edges(graph.n, *np.array([edge[:2] for edge in graph.edges()]).T)
    found = search_nearby(graph.indptr, graph.indices, None, [[0]], 2)
    assert found is not None
    assert dict(zip(found.vertices.tolist(), found.dist.tolist(), strict=True)) == by_a_heap(ones, [0], 2)


def path_of(n: int) -> reedsp.Graph:
    return reedsp.Graph.from_edges(n, range(n - 1), range(1, n))


def are_few(graph: reedsp.Graph, cutoff: float) -> bool:
    return search_nearby(graph.indptr, graph.indices, graph.weights, [[0]], cutoff) is not None


def test_no_more_is_looked_at_than_a_little() -> None:
    rounds, edges = nearby._ROUNDS, nearby._EDGES
    path = path_of(2 * rounds)
    assert are_few(path, rounds - 1)
    assert not are_few(path, rounds)
    for degree, is_little in ((edges, True), (edges + 1, False)):
        star = reedsp.Graph.from_edges(degree + 1, [0] * degree, range(1, degree + 1))
        assert are_few(star, 0.5) == is_little
        way = reedsp.Graph.from_edges(degree + 1, [0, *[1] * (degree - 1)], range(1, degree + 1))
        assert are_few(way, 2) == (degree <= edges)  # an edge that leads to it


def test_a_look_ends_soon_where_it_leads_to_more(monkeypatch: pytest.MonkeyPatch) -> None:
    rounds = nearby._FIRST
    looks: list[int] = []
    rows_of = nearby._rows_of
    monkeypatch.setattr(nearby, "_rows_of", lambda *given: looks.append(1) or rows_of(*given))
    path = path_of(1000)
    assert not are_few(path, nearby._ROUNDS + 0.5)
    assert len(looks) == rounds
    looks.clear()
    assert are_few(path, nearby._ROUNDS - 0.5)
    assert len(looks) == nearby._ROUNDS
    side = 100
    vertices = np.arange(side * side).reshape(side, side)
    tails = np.concatenate([vertices[:, :-1].ravel(), vertices[:-1].ravel()])
    heads = np.concatenate([vertices[:, 1:].ravel(), vertices[1:].ravel()])
    grid = reedsp.Graph.from_edges(side**2, tails, heads)
    assert are_few(grid, 2.5 * rounds)
    monkeypatch.setattr(nearby, "_EDGES", 2 * 10 * 2.5**2 - 1)  # ten corners in four rounds
    looks.clear()
    assert not are_few(grid, 2.5 * rounds)
    assert len(looks) == rounds


@pytest.mark.parametrize("cutoff", [1e300, np.finfo(np.float64).max, np.inf])
def test_limits_that_are_none(cutoff: float) -> None:
    """They are far beyond all sums."""
    assert not are_few(path_of(1000), cutoff)
    assert are_few(path_of(4), cutoff)


def test_frontiers_without_a_cutoff_do_not_grow_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """But a first vertex may have many edges, and others as large a part of all edges as costs little."""
    least, part, edges = nearby._LEAST, nearby._PART, nearby._EDGES
    star = reedsp.Graph.from_edges(edges + 1, [0] * edges, range(1, edges + 1))
    assert are_few(star, np.inf)
    for width, is_little in ((least, False), (least - 1, True)):
        way = reedsp.Graph.from_edges(width + 2, [0, *[1] * width], range(1, width + 2))
        assert are_few(way, np.inf) == is_little
        assert are_few(way, 2)
    many = part * (least + 1)
    tails = [0, *[1] * least, *[many] * (many - least - 1)]
    assert are_few(reedsp.Graph.from_edges(many + 1, tails, range(1, many + 1)), np.inf)
    two = search_nearby(way.indptr, way.indices, way.weights, [[0], [0]], np.inf)
    assert two is not None
    assert len(two.vertices) == 2 * (least + 1)
    monkeypatch.setattr(nearby, "_EDGES", least)
    assert not are_few(reedsp.Graph.from_edges(many + 1, tails, range(1, many + 1)), np.inf)


def test_what_is_connected() -> None:
    """To any vertex, by edges in either direction, found in few passes over all edges."""
    passes, edges = nearby._PASSES, nearby._EDGES
    for turns, is_little in ((passes - 1, True), (passes, False)):
        tails = [2 + each // 2 * 2 for each in range(2 * turns)]
        heads = [1 + (each + 1) // 2 * 2 for each in range(2 * turns)]
        zigzag = reedsp.Graph.from_edges(2 * turns + 9, tails, heads)
        found = connected_nearby(zigzag.indptr, zigzag.indices, [1])
        assert (found is not None) == is_little
        if found is not None:
            assert found.tolist() == list(range(1, 2 * turns + 2))
    for entering, is_little in ((edges, True), (edges + 1, False)):
        graph = reedsp.Graph.from_edges(entering + 3, [*range(1, entering + 1)], [0] * entering)
        assert (connected_nearby(graph.indptr, graph.indices, [0]) is not None) == is_little
        one_way = connected_nearby(graph.indptr, graph.indices, [0], directed=True)
        assert one_way is not None
        assert one_way.tolist() == [0]
    path = path_of(99)
    assert connected_nearby(path.indptr, path.indices, [0]) is None


def test_edges_between_some_vertices() -> None:
    graph = reedsp.Graph.from_edges(6, [1, 1, 3, 4, 5], [3, 2, 1, 5, 1])
    begins, ends, edges = edges_between(graph.indptr, graph.indices, np.array([1, 3, 5]))
    assert (begins.tolist(), ends.tolist()) == ([0, 1, 2, 3], [1, 0, 0])
    assert graph.indices[edges].tolist() == [3, 1, 1]


@pytest.mark.parametrize(
    ("indptr", "heads"),
    [
        ([0, 1, 2, 2], [1, 3]),
        ([0, 1, 2, 2], [1, -1]),
        ([0, 1, 0, 2], [1, 0]),
        ([0, 2**40, 2, 2], [1, 0]),
        ([0, 2, 4, 3], [1, 2]),
    ],
)
def test_what_cannot_be_is_not_near(indptr: list[int], heads: list[int]) -> None:
    """Nor does it end the process, or take its memory."""
    assert search_nearby(np.array(indptr), np.array(heads), np.ones(2), [[0]], 5) is None
    assert connected_nearby(np.array(indptr), np.array(heads), [0]) is None


@pytest.mark.deep("integers", "fractions", "False-None-float32")
@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("target", [None, 20])
@pytest.mark.parametrize("min_only", [False, True])
def test_the_answers_are_those_of_a_device(
    weights: str, target: int | None, min_only: bool, device: reedsp.Device, looks: None, patient: None
) -> None:
    source: Any = [31, 4] if min_only else 31
    for seed in range(4):
        graph = drawn(weights, seed)
        for cutoff in (0, 0.3, 2):
            here = reedsp.sssp(graph, source, cutoff=cutoff, target=target, min_only=min_only)
            there = reedsp.sssp(graph, source, cutoff=cutoff, target=target, min_only=min_only, device=device)
            assert here.device == place.HOST
            assert there.device != place.HOST
            for name in ("dist", "pred", "nearest"):
                assert np.array_equal(getattr(here, name), getattr(there, name)), name
            assert here.verify()


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
def test_distances_have_the_type_that_is_asked_for(dtype: Any, looks: None) -> None:
    graph = drawn("integers", 3)
    found = reedsp.sssp(graph, 0, cutoff=3, dtype=dtype)
    assert found.dist.dtype == dtype
    assert found.stats["chosen_because"] == "little lies within the cutoff"
    assert found.to_dict() == reedsp.sssp(graph, 0, cutoff=3, dtype=dtype, method="near-far").to_dict()


def test_a_device_does_what_is_not_near_or_is_asked_for(device: reedsp.Device, looks: None) -> None:
    graph, rounds = drawn("integers", 3), nearby._ROUNDS
    path = path_of(10**5)
    for given, options in [
        (path, {"cutoff": 50_000}),
        (path, {}),
        (path, {"cutoff": np.inf}),
        (graph, {"cutoff": 1, "device": device}),
        (graph, {"cutoff": 1, "method": "near-far"}),
        (graph, {"cutoff": 1, "progress": lambda *_: None}),
    ]:
        assert reedsp.sssp(given, 0, **options).device != place.HOST
    assert reedsp.sssp(graph, [0, 1], cutoff=0).device != place.HOST
    assert reedsp.sssp(path, 0, cutoff=rounds - 1).device == place.HOST


def test_negative_weights_are_for_a_device(looks: None) -> None:
    """What leads beyond the cutoff may come back."""
    graph = reedsp.Graph.from_edges(3, [0, 1], [1, 2], [5, -4])
    with pytest.raises(ValueError, match="cutoff"):
        reedsp.sssp(graph, 0, cutoff=1)
