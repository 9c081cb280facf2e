"""Both input-parallel methods against the oracle, against each other and against SciPy."""

from __future__ import annotations

import functools
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pytest
import scipy.sparse.csgraph

import reedsp
from reedsp.algorithms.single_source import input_parallel as module
from reedsp.algorithms.single_source.input_parallel import input_parallel, input_parallel_refined
from reedsp.algorithms.single_source.output_parallel import output_parallel
from reedsp.algorithms.single_source.task import Outcome, Task
from reedsp.arithmetic.paths import Arithmetic, ceiling_of, choose_arithmetic
from reedsp.device.job import Job
from reedsp.edges import device_graph, ladder
from reedsp.edges.edge_classes import LEAF, edge_classes
from reedsp.edges.ladder import DIRECT_SEARCH, RUNGS, Rung
from tests.support import oracle
from tests.support.families import FAMILIES, NEGATIVE_CYCLES, Family, named

METHODS = {
    "plain": input_parallel,
    "refined": functools.partial(input_parallel_refined, list_active=False),
    "refined, listed": functools.partial(input_parallel_refined, list_active=True),
    "refined, by classes": functools.partial(input_parallel_refined, list_active=True, edge_classes=True),
}
DTYPES = [np.dtype(kind) for kind in (np.int32, np.int64, np.float32, np.float64)]
EXACT = {np.dtype(np.int32): 2**31, np.dtype(np.int64): 2**63, np.dtype(np.float32): 2**24, np.dtype(np.float64): 2**53}

each_method = pytest.mark.parametrize("method", METHODS)
each_dtype = pytest.mark.parametrize("dtype", DTYPES, ids=str)


class Solution(NamedTuple):
    dist: np.ndarray
    predecessors: np.ndarray
    rounds: int
    exact_on_host: bool


def solved(
    method: Callable[..., Outcome],
    graph: reedsp.Graph,
    source: int,
    device: reedsp.Device,
    arithmetic: Arithmetic,
    **limits: Any,
) -> Solution:
    dist, pred = np.empty((1, graph.n), arithmetic.dtype), np.empty((1, graph.n), np.int32)
    outcome = method(Task(graph, [[source]], Job(device), arithmetic, dist, pred, **limits))
    return Solution(dist[0], pred[0], outcome.rounds, outcome.rows_from_host == {0})


def solve(
    method: str, graph: reedsp.Graph, source: int, device: reedsp.Device, dtype: object = np.float64, **limits: Any
) -> Solution:
    """Solve in the arithmetic that the front door would choose for distances of this dtype."""
    return solved(METHODS[method], graph, source, device, choose_arithmetic(graph, np.dtype(dtype)), **limits)


def fits(family: Family, dtype: np.dtype) -> bool:
    """Return whether the arithmetic holds every path sum, and one edge more."""
    graph = family.graph()
    return graph.simple_path_bound + graph.max_abs_weight < EXACT[dtype]


@functools.cache
def expected_of(number: int) -> tuple[list[Fraction | None], list[int]]:
    family = FAMILIES[number]
    dist = oracle.distances(family.n, family.edges, family.source)
    return dist, oracle.predecessors(family.n, family.edges, family.source, dist)


def check(number: int, solution: Solution, arithmetic: Arithmetic) -> None:
    dist, tree = expected_of(number)
    assert solution.dist.dtype == arithmetic.dtype
    assert [None if d == arithmetic.infinity else Fraction(d.item()) for d in solution.dist] == dist
    assert solution.predecessors.dtype == np.int32
    assert solution.predecessors.tolist() == tree
    assert not solution.exact_on_host


@pytest.mark.deep
@each_method
@pytest.mark.parametrize(
    ("number", "dtype"),
    [
        pytest.param(number, dtype, id=f"{family.name}-{dtype}")
        for number, family in enumerate(FAMILIES)
        for dtype in DTYPES
        if fits(family, dtype)
    ],
)
def test_families_in_every_arithmetic(method: str, number: int, dtype: np.dtype, device: reedsp.Device) -> None:
    family, arithmetic = FAMILIES[number], Arithmetic(dtype)
    solution = solved(METHODS[method], family.graph(), family.source, device, arithmetic)
    check(number, solution, arithmetic)
    if family.directed and dtype.kind == "i":
        saturating = Arithmetic(dtype, saturate=True)
        check(number, solved(METHODS[method], family.graph(), family.source, device, saturating), saturating)


@pytest.mark.deep
@each_method
@pytest.mark.parametrize("dtype", [np.float64, np.int32, np.float32, np.uint16, np.int8])
def test_families_in_every_weight_type(method: str, dtype: type, device: reedsp.Device) -> None:
    for number, family in enumerate(FAMILIES):
        weights = np.array(family.weights, np.int64)
        if (weights.astype(dtype).astype(np.int64) == weights).all():
            graph = family.graph(dtype)
            arithmetic = choose_arithmetic(graph, np.dtype(np.float64))
            check(number, solved(METHODS[method], graph, family.source, device, arithmetic), arithmetic)


@pytest.mark.deep("by classes", "listed", "plain")
@each_method
@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_as_many_rounds_as_output_parallel(method: str, family: Family, device: reedsp.Device) -> None:
    graph = family.graph()
    arithmetic = choose_arithmetic(graph, np.dtype(np.float64))
    other = solved(output_parallel, graph, family.source, device, arithmetic)
    assert solve(method, graph, family.source, device).rounds == other.rounds


@pytest.mark.deep
@each_method
@each_dtype
@pytest.mark.parametrize("family", NEGATIVE_CYCLES, ids=lambda family: family.name)
def test_negative_cycles(method: str, family: Family, dtype: np.dtype, device: reedsp.Device) -> None:
    graph = family.graph()
    chosen = choose_arithmetic(graph, np.dtype(np.int64))
    if graph.max_abs_weight >= EXACT[dtype]:
        dtype = chosen.dtype
    arithmetic = Arithmetic(dtype, saturate=chosen.saturate and dtype.kind == "i")
    with pytest.raises(reedsp.NegativeCycleError) as caught:
        solved(METHODS[method], graph, family.source, device, arithmetic)
    weight = oracle.closed_walk_weight(family.edges, caught.value.cycle)
    assert weight < 0
    assert caught.value.weight == weight


@pytest.mark.deep("refined")
@each_method
@pytest.mark.parametrize("length", [14, 29, 30, 31, 32, 33, 46, 47, 48, 61, 62, 63])
def test_negative_cycle_that_is_reached_late(method: str, length: int, device: reedsp.Device) -> None:
    """Around the rounds in which sources begin to be kept and cycles to be looked for."""
    vertices = np.arange(length)
    u, v = np.append(vertices, [length, length]), np.append(vertices + 1, [length + 1, length - 1])
    weights = np.full(len(u), 3)
    weights[-1] = -4
    graph = reedsp.Graph.from_edges(length + 2, u, v, weights)
    with pytest.raises(reedsp.NegativeCycleError) as caught:
        solve(method, graph, 0, device)
    assert sorted(caught.value.cycle[:-1]) == [length - 1, length]
    assert caught.value.weight == -1
    weights[-1] = -3
    assert solve(method, reedsp.Graph.from_edges(length + 2, u, v, weights), 0, device).dist[-1] == 3 * length + 3


@pytest.mark.deep("float32", "refined")
@each_method
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_fractional_weights_add_up_from_left_to_right(method: str, dtype: type, device: reedsp.Device) -> None:
    rng = np.random.default_rng(1)
    n, m = 150, 700
    u, v = rng.integers(0, n, (2, m))
    weights = (rng.random(m) * 10.0 ** rng.integers(-6, 3, m)).astype(dtype)
    solution = solve(method, reedsp.Graph.from_edges(n, u, v, weights), 5, device, dtype)
    assert solution.dist.dtype == dtype
    edges = oracle.edges_of(u, v, weights.tolist(), True)
    assert solution.dist.tolist() == oracle.left_to_right_distances(n, edges, 5, dtype)


@pytest.mark.deep("refined", "float32")
@each_method
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_fractional_negative_weights(method: str, dtype: type, device: reedsp.Device) -> None:
    rng = np.random.default_rng(2)
    n, m = 120, 500
    potential = rng.random(n) * 10 - 5
    u, v = rng.integers(0, n, (2, m))
    weights = (potential[v] - potential[u] + rng.random(m)).astype(dtype)
    graph = reedsp.Graph.from_edges(n, u, v, weights)
    solution = solve(method, graph, 0, device, dtype)
    expected = oracle.distances(n, oracle.edges_of(u, v, weights.tolist(), True), 0)
    assert min(solution.dist) < 0 < max(solution.dist)
    for got, right in zip(solution.dist, expected, strict=True):
        bound = n * 20 * np.finfo(dtype).eps
        assert (right is None and got == np.inf) or abs(Fraction(got.item()) - right) <= bound
    other = solved(output_parallel, graph, 0, device, choose_arithmetic(graph, np.dtype(dtype)))
    assert np.array_equal(solution.dist, other.dist)
    assert np.array_equal(solution.predecessors, other.predecessors)


@pytest.mark.deep("refined")
@each_method
def test_rounding_neither_hides_nor_fakes_a_negative_cycle(method: str, device: reedsp.Device) -> None:
    """At 1e16 neighbouring floats are 2 apart: +0.5 and -0.75 vanish there, and -1.1 counts as -2."""
    hidden = reedsp.Graph.from_edges(4, [0, 1, 2, 2], [1, 2, 1, 3], [1e16, 0.5, -0.75, 1.0])
    with pytest.raises(reedsp.NegativeCycleError) as caught:
        solve(method, hidden, 0, device)
    assert sorted(caught.value.cycle[:-1]) == [1, 2]
    assert caught.value.weight == -0.25
    u, v, weights = [0, 1, 2, 3, 3], [1, 2, 3, 1, 4], [1e16, 0.9, 0.9, -1.1, 8.0]
    solution = solve(method, reedsp.Graph.from_edges(5, u, v, weights), 0, device)
    edges = oracle.edges_of(u, v, weights, True)
    expected = oracle.distances(5, edges, 0)
    assert solution.exact_on_host
    assert solution.dist.tolist() == [float(d) for d in expected]
    assert solution.predecessors.tolist() == oracle.predecessors(5, edges, 0, expected)


@pytest.mark.deep("by classes", "refined")
@each_method
def test_sums_beyond_the_arithmetic(method: str, device: reedsp.Device) -> None:
    big, most = 2**62, 2**63 - 1
    path = reedsp.Graph.from_edges(4, [0, 1, 2], [1, 2, 3], [big, big - 1, 1])
    with pytest.raises(OverflowError, match="beyond int64"):
        solve(method, path, 0, device)
    assert solve(method, path, 1, device, np.int64).dist.tolist() == [most, 0, big - 1, big]
    downhill = reedsp.Graph.from_edges(4, [0, 1, 2], [1, 2, 3], [-big, -big, -1])
    with pytest.raises(OverflowError, match="below int64"):
        solve(method, downhill, 0, device)
    floats = reedsp.Graph.from_edges(3, [0, 1], [1, 2], [1.5e308, 1.5e308])
    with pytest.raises(OverflowError, match="beyond float64"):
        solve(method, floats, 0, device)


@pytest.mark.deep("refined")
@each_method
def test_whole_range_of_int64(method: str, device: reedsp.Device) -> None:
    """High words that are equal, and low words that are greatest, least, and of either sign."""
    heavy = [2**63 - 2, 2**63 - 3, 2**63 - 2**32, 2**32 - 1, 2**32, 2**31, 1, 0, -1, -(2**31), -(2**32), -(2**62)]
    n = len(heavy) + 2
    leaves = list(range(1, n - 1))
    graph = reedsp.Graph.from_edges(n, [0] * len(heavy), leaves, heavy)
    assert solve(method, graph, 0, device, np.int64).dist.tolist() == [0, *heavy, 2**63 - 1]
    for kept in (heavy[:3], heavy[3:5], heavy[6:9], heavy[9:]):
        u, v = [0] * len(kept) + leaves[: len(kept)], leaves[: len(kept)] + [n - 1] * len(kept)
        graph = reedsp.Graph.from_edges(n, u, v, kept + [0] * len(kept))
        solution = solve(method, graph, 0, device, np.int64)
        assert solution.dist[-1] == min(kept)
        assert solution.predecessors[-1] == 1 + kept.index(min(kept))


@pytest.mark.deep
@each_method
def test_subnormal_weights_count(method: str, device: reedsp.Device) -> None:
    tiny = 5e-324
    graph = reedsp.Graph.from_edges(4, [0, 1, 0, 3], [1, 2, 3, 2], [tiny, tiny, 3 * tiny, 0.0])
    assert solve(method, graph, 0, device).dist.tolist() == [0, tiny, 2 * tiny, 3 * tiny]


@pytest.mark.deep
@each_method
def test_ceiling(method: str, device: reedsp.Device) -> None:
    family = named("random")
    whole = family.graph()
    halves = reedsp.Graph(whole.indptr, whole.indices, whole.weights + 0.5, directed=True)
    for graph in (whole, halves):
        arithmetic = choose_arithmetic(graph, np.dtype(np.float64))
        full = solve(method, graph, 0, device)
        for cutoff in (0, 20, 20.5, 21, 1e9):
            part = solve(method, graph, 0, device, ceiling=ceiling_of(cutoff, arithmetic))
            within = full.dist <= cutoff
            assert np.array_equal(part.dist, np.where(within, full.dist, arithmetic.infinity))
            assert np.array_equal(part.predecessors, np.where(within, full.predecessors, -9999))


def potentials(n: int, m: int, dtype: type, seed: int) -> reedsp.Graph:
    """Negative edges without a negative cycle, and a hub in which a tenth of all edges end."""
    rng = np.random.default_rng(seed)
    potential = rng.integers(-1000, 1000, n)
    u, v = rng.integers(0, n, (2, m))
    v[rng.random(m) < 0.1] = n // 2
    weights = (potential[v] - potential[u] + rng.integers(0, 100, m)).astype(dtype)
    return reedsp.Graph.from_edges(n, u, v, weights + (0.5 if dtype is np.float64 else 0))


@pytest.mark.deep
@each_method
@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float64])
@pytest.mark.parametrize("negative", [False, True])
def test_medium_graphs(method: str, dtype: type, negative: bool, device: reedsp.Device) -> None:
    n, m = (900, 6000) if negative else (5000, 60_000)
    graph = potentials(n, m, dtype, seed=7)
    if not negative:
        graph = reedsp.Graph(graph.indptr, graph.indices, np.abs(graph.weights) + 1, directed=True)
    heavier = dtype is np.int64
    if heavier:
        graph = reedsp.Graph(graph.indptr, graph.indices, graph.weights * 2**20, directed=True)
    arithmetic = choose_arithmetic(graph, np.dtype(np.float64))
    assert arithmetic.dtype == dtype
    solution = solved(METHODS[method], graph, 3, device, arithmetic)
    reference = scipy.sparse.csgraph.bellman_ford if negative else scipy.sparse.csgraph.dijkstra
    expected = reference(graph.to_scipy(), indices=3)
    assert np.array_equal(np.where(solution.dist == arithmetic.infinity, np.inf, solution.dist), expected)
    other = solved(output_parallel, graph, 3, device, arithmetic)
    assert np.array_equal(solution.predecessors, other.predecessors)
    assert solution.rounds == other.rounds


SEVERAL = [
    number
    for number, family in enumerate(FAMILIES)
    if family.name
    in ("no edges", "inward star", "grid", "complete", "beyond int32", "negative edges", "one vertex", "star")
]
SHARES = {
    "one edge each": Rung(DIRECT_SEARCH, 64, 256),
    "runs of three": Rung(DIRECT_SEARCH, 1, 5, 3),
    "all in one": Rung(DIRECT_SEARCH, 1, 1, 1 << 20),
}


@pytest.mark.deep
@pytest.mark.parametrize("method", ["refined", "refined, listed"])
@pytest.mark.parametrize("shares", SHARES)
def test_any_way_of_sharing_out_the_edges(
    method: str, shares: str, device: reedsp.Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "rung_for", lambda device, name: SHARES[shares])
    for number in SEVERAL:
        family = FAMILIES[number]
        graph = family.graph()
        arithmetic = choose_arithmetic(graph, np.dtype(np.float64))
        check(number, solved(METHODS[method], graph, family.source, device, arithmetic), arithmetic)


@pytest.mark.deep
@pytest.mark.parametrize("method", ["refined", "refined, listed"])
def test_places_of_64_bits(method: str, device: reedsp.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a graph of 2^32 edges or more."""
    monkeypatch.setattr(device_graph, "_offsets", lambda indptr, m: (indptr.astype(np.uint64), {"OFFSET": "ulong"}))
    for number in SEVERAL:
        family = FAMILIES[number]
        graph = family.graph()
        arithmetic = choose_arithmetic(graph, np.dtype(np.float64))
        check(number, solved(METHODS[method], graph, family.source, device, arithmetic), arithmetic)


OTHERS = [name for name in RUNGS if name != DIRECT_SEARCH]


@pytest.mark.deep(*(name for name in OTHERS if name != "dynamic-virtual-warps"), "True")
@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("listed", [False, True])
def test_every_rung_of_the_ladder(
    name: str, listed: bool, device: reedsp.Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of many work-groups that have little to do, and of edges in several dispatches."""
    monkeypatch.setattr(module, "rung_for", lambda device, name: Rung(name, 32, 96, large=20, each=4))
    solve = functools.partial(module._by_rung, list_active=listed, balance=name)
    for number in range(len(FAMILIES)) if listed else SEVERAL[:-2]:
        family = FAMILIES[number]
        graph = family.graph()
        arithmetic = choose_arithmetic(graph, np.dtype(np.float64))
        monkeypatch.setattr(ladder, "MOST_UNITS", 300 if number % 2 else 1 << 30)
        check(number, solved(solve, graph, family.source, device, arithmetic), arithmetic)


@pytest.mark.deep
@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("dtype", [np.int32, np.float64], ids=lambda dtype: np.dtype(dtype).name)
def test_the_same_bytes_by_every_rung(name: str, dtype: type, device: reedsp.Device) -> None:
    """Rounds, distances and the tree; more than 32 rounds, after which sources are kept."""
    graph = potentials(900, 6000, dtype, seed=7)
    long = reedsp.Graph.from_edges(60, range(59), range(1, 60), np.full(59, -1, dtype))
    for each in (graph, long):
        arithmetic = choose_arithmetic(each, np.dtype(np.float64))
        first = solved(input_parallel_refined, each, 0, device, arithmetic)
        other = solved(functools.partial(input_parallel_refined, balance=name), each, 0, device, arithmetic)
        assert other.dist.tobytes() == first.dist.tobytes()
        assert other.predecessors.tobytes() == first.predecessors.tobytes()
        assert other.rounds == first.rounds


def test_rungs_by_the_public_function(device: reedsp.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = named("grid").graph()
    options = {"balance": "two-phase"}
    paths = reedsp.sssp(graph, 0, "input-parallel-refined", device=device, options=options)
    default = reedsp.sssp(graph, 0, "input-parallel-refined", device=device)
    assert np.array_equal(paths.dist, default.dist)
    assert np.array_equal(paths.pred, default.pred)
    with pytest.raises(ValueError, match=r"^options: balance = 'warps', expected one of 'direct-search', 'items', 'v"):
        reedsp.sssp(graph, 0, "input-parallel-refined", device=device, options={"balance": "warps"})  # type: ignore


def test_75_a_wrong_rung_is_replaced(device: reedsp.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """What finds wrong distances in trials is put aside; direct search serves."""
    monkeypatch.setattr(module, "is_trusted", lambda device, name, *trial: "warp-search" not in name)
    graph = FAMILIES[3].graph()
    task = Task(graph, [[0]], Job(device), Arithmetic(np.dtype(np.int32)), np.empty((1, graph.n), np.int32))
    assert module._right_rung(task, "warp-search") == module._right_rung(task, None) == DIRECT_SEARCH
    assert module._right_rung(task, "items") == "items"


@pytest.mark.deep
@pytest.mark.parametrize("name", [DIRECT_SEARCH, "virtual-warps-4", "multi-phase"])
def test_edge_classes_by_several_rungs(name: str, device: reedsp.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a list of active vertices, and with edges in several dispatches."""
    monkeypatch.setattr(module, "rung_for", lambda device, name: Rung(name, 32, 96, large=20, each=4))
    solve = functools.partial(module._by_rung, list_active=False, balance=name, edge_classes=True)
    for number, family in enumerate(FAMILIES):
        graph = family.graph()
        arithmetic = choose_arithmetic(graph, np.dtype(np.float64))
        monkeypatch.setattr(ladder, "MOST_UNITS", 300 if number % 2 else 1 << 30)
        check(number, solved(solve, graph, family.source, device, arithmetic), arithmetic)


def twigs(n: int, dtype: type, directed: bool) -> reedsp.Graph:
    """Return a random tree, most of whose vertices hang on one edge, with a few other edges and loops."""
    rng = np.random.default_rng(n)
    u = np.concatenate(((rng.random(n - 1) ** 3 * np.arange(1, n)).astype(int), rng.integers(0, n, n // 10)))
    v = np.concatenate((np.arange(1, n), rng.integers(0, n, n // 10)))
    u, v = np.append(u, range(0, n, 9)), np.append(v, range(0, n, 9))
    if directed:  # and some of them back
        back = rng.random(len(u)) < 0.4
        u, v = np.append(u, v[back]), np.append(v, u[back])
    return reedsp.Graph.from_edges(n, u, v, rng.integers(0, 50, len(u)).astype(dtype), directed=directed)


@pytest.mark.deep("undirected-int32")
@pytest.mark.parametrize("dtype", [np.int32, np.float64], ids=lambda dtype: np.dtype(dtype).name)
@pytest.mark.parametrize("directed", [False, True], ids=["undirected", "directed"])
def test_edge_classes_change_nothing(directed: bool, dtype: type, device: reedsp.Device) -> None:
    """The same bytes and rounds, from the root and from vertices at the ends."""
    graph = twigs(600, dtype, directed)
    leaves = np.flatnonzero(edge_classes(graph) & LEAF)
    assert 150 < len(leaves) < 500
    arithmetic = choose_arithmetic(graph, np.dtype(np.float64))
    for source in (0, *leaves[:2].tolist(), int(leaves[-1])):
        first = solved(input_parallel_refined, graph, source, device, arithmetic)
        other = solved(METHODS["refined, by classes"], graph, source, device, arithmetic)
        assert other.dist.tobytes() == first.dist.tobytes()
        assert other.predecessors.tobytes() == first.predecessors.tobytes()
        assert other.rounds == first.rounds


@pytest.mark.deep("weights0")
@pytest.mark.parametrize("weights", [(5, -6), (-6, 5), (-1, -1)])
def test_a_leaf_on_a_negative_cycle_is_none(weights: tuple[int, int], device: reedsp.Device) -> None:
    """There and back again, or around a loop of its own."""
    there_and_back = reedsp.Graph.from_edges(3, [0, 1, 2], [1, 2, 1], [1, *weights])
    loop = reedsp.Graph.from_edges(2, [0, 1], [1, 1], [1, min(weights)])
    for graph in (there_and_back, loop):
        with pytest.raises(reedsp.NegativeCycleError):
            solve("refined, by classes", graph, 0, device)


def test_wrong_edge_classes_are_put_aside(device: reedsp.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a trial with them fails."""
    asked: list[str] = []

    def is_trusted(device: reedsp.Device, name: str, *trial: object) -> bool:
        asked.append(name)
        return False

    monkeypatch.setattr(module, "is_trusted", is_trusted)
    monkeypatch.setattr(module, "edge_classes_on", None)
    assert solve("refined, by classes", twigs(50, np.int32, True), 0, device).rounds > 2
    assert asked == ["input-parallel-refined by direct-search with edge classes in int32"]


def test_edge_classes_by_the_public_function(device: reedsp.Device) -> None:
    graph = twigs(100, np.int64, False)
    paths = reedsp.sssp(graph, 0, "input-parallel-refined", device=device, options={"edge_classes": True})
    assert np.array_equal(paths.dist, scipy.sparse.csgraph.dijkstra(graph.to_scipy(), indices=0))
    with pytest.raises(ValueError, match=r"no option 'edges'; it has list_active, balance, edge_classes$"):
        reedsp.sssp(graph, 0, "input-parallel-refined", device=device, options={"edges": True})  # type: ignore


def count_active(
    device: reedsp.Device, graph: reedsp.Graph, monkeypatch: pytest.MonkeyPatch, method: str = "refined, listed"
) -> list[int]:
    """Return the number of active edges of each round."""
    counts: list[int] = []
    plan = module._Refined.plan_rounds

    def plan_and_count(state: Any, watched: bool) -> Callable[[int], None]:
        queue = plan(state, watched)
        if state.row.graph is not graph:  # that of a trial
            return queue

        def queue_round(number: int) -> None:
            queue(number)
            counts.append(int(state.row.job.download(state.prefixes, graph.n + 1, state.offset)[-1]))

        return queue_round

    monkeypatch.setattr(module._Refined, "plan_rounds", plan_and_count)
    solution = solve(method, graph, 0, device)
    return counts[: solution.rounds]


def test_no_edge_of_a_leaf_is_relaxed(device: reedsp.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """But those of a leaf that is the source."""
    star = reedsp.Graph.from_edges(41, np.zeros(40, int), range(1, 41), np.ones(40), directed=False)
    assert count_active(device, star, monkeypatch) == [40, 40]
    assert count_active(device, star, monkeypatch, "refined, by classes") == [40, 0]
    path = reedsp.Graph.from_edges(4, [0, 1, 2], [1, 2, 3], np.ones(3), directed=False)
    assert count_active(device, path, monkeypatch, "refined, by classes") == [1, 2, 2, 0]


def test_only_edges_that_leave_updated_vertices_are_relaxed(
    device: reedsp.Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    family = named("random")
    dist: list[Fraction | None] = [None] * family.n
    dist[0], active, expected = Fraction(0), {0}, []
    while active:
        relaxed = [edge for edge in set(best_edges(family)) if edge[0] in active]
        expected.append(len(relaxed))
        before, active = list(dist), set()
        for u, v, weight in relaxed:
            if dist[v] is None or before[u] + weight < dist[v]:
                dist[v] = before[u] + weight
                active.add(v)
    assert count_active(device, family.graph(), monkeypatch) == expected


def best_edges(family: Family) -> list[oracle.Edge]:
    """Return the edges of a graph that keeps the best of parallel ones."""
    best: dict[tuple[int, int], Fraction] = {}
    for u, v, weight in family.edges:
        best[u, v] = min(weight, best.get((u, v), weight))
    return [(u, v, weight) for (u, v), weight in best.items()]


@each_method
def test_progress(method: str, device: reedsp.Device) -> None:
    family = named("path")
    seen: list[tuple[int, int]] = []
    solution = solve(method, family.graph(), 0, device, progress=lambda *state: seen.append(state))
    assert solution.rounds == family.n
    rounds = [done for done, _ in seen]
    assert rounds == sorted(rounds)
    assert 0 < rounds[-1] <= family.n
    assert {most for _, most in seen} == {family.n}


@each_method
def test_same_answer_every_time(method: str, device: reedsp.Device) -> None:
    graph = potentials(3000, 30_000, np.float64, seed=9)
    first = solve(method, graph, 1, device)
    for _ in range(5):
        again = solve(method, graph, 1, device)
        assert np.array_equal(again.dist, first.dist)
        assert again.rounds == first.rounds
