"""Arithmetic, conversions and negative cycles on the host, against exact rational arithmetic."""

from __future__ import annotations

import copy
import itertools
import pickle
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import networkx as nx
import numpy as np
import pytest
import scipy.sparse.csgraph
from numpy.lib.stride_tricks import as_strided

import reedsp
from reedsp.arithmetic.paths import (
    ROUNDS_BEYOND,
    Arithmetic,
    bound_of,
    bounds_matter,
    ceiling_of,
    choose_arithmetic,
    excludes_overflow,
    from_result,
    output_array,
    result_dtype,
    to_result,
)
from reedsp.edges.negative_cycle_error import NegativeCycleError
from reedsp.edges.negative_cycles import (
    cycle_weight,
    error_for,
    exact_shortest_paths,
    hidden_negative_cycle,
    predecessor_cycle,
)
from reedsp.graph.graph import Graph
from tests.support import oracle
from tests.support.families import FAMILIES, NEGATIVE_CYCLES, Family

INT32, INT64, FLOAT32, FLOAT64 = (np.dtype(kind) for kind in (np.int32, np.int64, np.float32, np.float64))
INT32_MAX, INT64_MAX = 2**31 - 1, 2**63 - 1
FLOAT_MAX = np.finfo(np.float64).max.item()

Edges = list[tuple[int, int, Fraction]]


def edges_of(graph: Graph) -> Edges:
    sources = np.repeat(np.arange(graph.n), np.diff(graph.indptr))
    return oracle.edges_of(sources, graph.indices, graph.weights.tolist(), directed=True)


def has_negative_cycle(n: int, edges: Edges, source: int) -> bool:
    try:
        oracle.distances(n, edges, source)
    except oracle.NegativeCycle:
        return True
    return False


# ---- which arithmetic -------------------------------------------------------------------------------


def simple_path_weights(graph: Graph) -> Iterator[Fraction]:
    """Yield the exact weight of every simple path of at least one edge."""
    leaving: dict[int, Edges] = {v: [] for v in range(graph.n)}
    for u, v, w in edges_of(graph):
        leaving[u].append((u, v, w))

    def extend(vertex: int, visited: frozenset[int], weight: Fraction) -> Iterator[Fraction]:
        for _, v, w in leaving[vertex]:
            if v not in visited:
                yield weight + w
                yield from extend(v, visited | {v}, weight + w)

    for start in range(graph.n):
        yield from extend(start, frozenset({start}), Fraction(0))


def weights_for_bounds(kind: str, rng: np.random.Generator, m: int) -> np.ndarray:
    if kind == "small":
        return rng.integers(-9, 10, m)
    if kind == "int32 limit":
        return rng.integers(2**28, 2**30, m) * rng.choice([-1, 1], m)
    if kind == "beyond 2**53":
        return rng.integers(2**52, 2**60, m) * rng.choice([-1, 1], m)
    if kind == "float32":
        return rng.normal(size=m).astype(np.float32)
    if kind == "huge floats":
        return rng.random(m) * 1e308
    if kind == "subnormal":
        return rng.integers(-9, 10, m) * 5e-324
    return np.ldexp(rng.random(m), rng.integers(-80, 3, m)) * rng.choice([-1, 1], m)  # fractional


@pytest.mark.parametrize(
    "kind", ["small", "int32 limit", "beyond 2**53", "float32", "huge floats", "subnormal", "fractional"]
)
@pytest.mark.parametrize("seed", range(8))
def test_no_simple_path_exceeds_the_bound(kind: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 7))
    m = int(rng.integers(0, 3 * n))
    u, v = rng.integers(0, n, (2, m))
    graph = Graph.from_edges(n, u, v, weights_for_bounds(kind, rng, m), directed=bool(rng.integers(2)))
    heaviest = max(map(abs, simple_path_weights(graph)), default=Fraction(0))
    for bound in (graph.rough_path_bound, graph.simple_path_bound):
        assert bound == np.inf or heaviest <= Fraction(bound)


@pytest.mark.parametrize(
    "weights", [[1.0, 2.0**-60], [0.1, 0.2, 0.3, 0.4], [2**53 - 1, 1, 1], [2**62 + 1, 2**62 + 1], [2.0**53, 1.0, 1.0]]
)
def test_the_bound_does_not_lose_to_rounding(weights: list[float]) -> None:
    """A path whose weight rounds down when it is added in floats."""
    graph = Graph.from_edges(len(weights) + 1, range(len(weights)), range(1, len(weights) + 1), weights)
    for bound in (graph.rough_path_bound, graph.simple_path_bound):
        assert Fraction(bound) >= sum(map(Fraction, weights))


def test_the_rough_bound_is_the_sum_of_all_magnitudes() -> None:
    graph = Graph.from_edges(4, [0, 1, 1, 2, 2], [1, 2, 3, 3, 1], [5, -9, 4, -(2**63), 2])
    for _ in range(2):
        assert graph.rough_path_bound == (5 + 9 + 4 + 2**63 + 2) * (1 + 2.0**-20)
    assert graph.simple_path_bound == (5 + 9 + 2**63) * (1 + 2.0**-20)
    assert graph.rough_path_bound == graph.simple_path_bound  # which is known by now


def test_the_rough_bound_is_enough_where_it_says_int32(monkeypatch: pytest.MonkeyPatch) -> None:
    tight: list[Graph] = []
    monkeypatch.setattr(Graph, "_sum_of_heaviest", lambda graph: tight.append(graph) or 0.0)
    ends = range(1000), range(1, 1001)
    for weights, expected in (([10**7, *[1] * 999], 0), ([10**7] * 1000, 1)):
        graph = Graph.from_edges(1001, *ends, weights)
        assert choose_arithmetic(graph, FLOAT64).dtype == INT32
        assert len(tight) == expected


def test_the_bound_is_tight_for_whole_weights() -> None:
    graph = Graph.from_edges(4, [0, 1, 1, 2, 2], [1, 2, 2, 3, 1], [5, 9, -4, -7, 2])
    assert graph.simple_path_bound == 5 + 4 + 7
    assert Graph.from_edges(3, [0, 1], [1, 2], [2**53 - 2, 1]).simple_path_bound == 2**53 - 1


@pytest.mark.parametrize("dtype", [np.int64, np.float64])
@pytest.mark.parametrize(
    ("edges", "chosen", "saturate"),
    [
        ([], INT32, False),
        ([(0, 1, 0)], INT32, False),
        ([(0, 1, 2**30 - 1)], INT32, False),  # the bound, and one more edge, is 2**31 - 2
        ([(0, 1, 2**30)], INT64, False),
        ([(0, 1, 2**30 - 1), (1, 2, 1)], INT64, False),
        ([(0, 1, 2**30 - 2), (1, 2, 1)], INT32, False),
        ([(0, 1, -(2**30))], INT64, False),
        ([(0, 1, -(2**25)), (1, 2, -(2**25))], INT32, False),  # falls to 36 * 2**25 in 35 rounds
        ([(0, 1, -(2**26)), (1, 2, -(2**26))], INT32, True),
        ([(0, 0, -59_652_324), (0, 1, 1)], INT32, True),  # 36 of it are 2**31 + 16
        ([(0, 0, -59_652_323), (0, 1, 1)], INT32, False),
        ([(0, 1, 2**40)], INT64, False),
        ([(0, 1, -(2**40)), (1, 2, 2**40)], INT64, False),
    ],
)
def test_the_narrowest_integers_are_chosen(
    edges: list[tuple[int, int, int]], chosen: np.dtype[Any], saturate: bool, dtype: type
) -> None:
    u, v, w = zip(*edges, strict=True) if edges else ([], [], [])
    graph = Graph.from_edges(3, u, v, np.array(w, dtype))
    for result in (INT32, INT64, FLOAT32, FLOAT64):
        assert choose_arithmetic(graph, result) == Arithmetic(chosen, saturate)


@pytest.mark.parametrize(
    ("edges", "saturate"),
    [
        ([(0, 1, 2**61)], False),
        ([(0, 1, 2**62)], True),
        ([(0, 1, 2**62 - 2**40)], True),  # the bound allows for rounding beyond 2**53
        ([(0, 1, INT64_MAX)], True),
        ([(0, 1, -(2**63))], True),
        ([(0, 1, -(2**57)), (1, 2, -(2**57))], False),
        ([(0, 1, -(2**58)), (1, 2, -(2**58))], True),  # 36 rounds
        ([(0, 1, -(2**61)), (1, 2, 1)], True),
        ([(0, 1, 2**61), (1, 2, -1)], True),
    ],
)
def test_19_integers_saturate_where_int64_is_too_narrow(edges: list[tuple[int, int, int]], saturate: bool) -> None:
    u, v, w = zip(*edges, strict=True)
    graph = Graph.from_edges(3, u, v, w)
    for result in (INT32, INT64, FLOAT32, FLOAT64):
        assert choose_arithmetic(graph, result) == Arithmetic(INT64, saturate)


def sums_that_are_tried(graph: Graph, source: int, in_place: bool) -> Iterator[int]:
    """Yield each sum of as many rounds as are run, and those of one more look at every edge."""
    edges = [(u, v, int(w)) for u, v, w in edges_of(graph)]
    dist: dict[int, int] = {source: 0}
    for _ in range(graph.n + ROUNDS_BEYOND):
        before = dist if in_place else dict(dist)
        for u, v, w in edges:
            if u in before:
                through = before[u] + w
                yield through
                if v not in dist or through < dist[v]:
                    dist[v] = through


def near_a_limit(seed: int) -> tuple[Graph, bool]:
    """Return a graph whose path weights come near a limit of int32 or int64, and whether it has a negative cycle."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 8))
    m = int(rng.integers(1, 3 * n + 1))
    u, v = rng.integers(0, n, (2, m))
    limit = 2 ** int(rng.choice([31, 63]))
    top = min(2**62, max(2, int(limit / rng.uniform(0.4, 3) / rng.integers(1, n + 2))))
    kind = seed % 4
    if kind == 0:
        weights = rng.integers(top // 2, top, m)
    elif kind == 1:  # negative edges without a negative cycle
        potential = rng.integers(0, top, n)
        weights = potential[v] - potential[u] + rng.integers(0, 1 + top // 9, m)
    elif kind == 2:
        weights = rng.integers(-top, top, m)
    else:
        weights = -rng.integers(top // 2, top, m)
    graph = Graph.from_edges(n, u, v, weights)
    return graph, any(has_negative_cycle(n, edges_of(graph), source) for source in range(n))


@pytest.mark.parametrize("batch", range(8))
def test_19_no_sum_leaves_the_arithmetic_unless_it_saturates(batch: int) -> None:
    seen = set()
    for seed in range(40 * batch, 40 * batch + 40):
        graph, has_cycle = near_a_limit(seed)
        chosen = choose_arithmetic(graph, FLOAT64)
        smallest, infinity = np.iinfo(chosen.dtype).min, int(chosen.infinity)
        sums = [total for source in range(graph.n) for total in sums_that_are_tried(graph, source, in_place=False)]
        inside = all(smallest <= total < infinity for total in sums)
        assert inside or chosen.saturate
        if not has_cycle and graph.m:
            gauss_seidel = [total for source in range(graph.n) for total in sums_that_are_tried(graph, source, True)]
            assert chosen.saturate or all(smallest <= total < infinity for total in gauss_seidel)
            distances = [d for source in range(graph.n) for d in oracle.distances(graph.n, edges_of(graph), source)]
            assert chosen.dtype == INT64 or all(d is None or smallest < d < infinity for d in distances)
        if chosen.dtype == INT64:  # int32 would not have been enough by the bound
            assert graph.simple_path_bound + graph.max_abs_weight >= INT32_MAX
        seen.add((chosen.dtype.name, chosen.saturate, inside))
    assert {("int32", False, True), ("int64", False, True), ("int64", True, False)} <= seen


@dataclass
class Facts:
    """What is known of a graph."""

    n: int = 2
    weight_dtype: Any = INT64
    max_abs_weight: float = 1
    simple_path_bound: float = 1
    rough_path_bound: float = 1
    has_negative_weights: bool = False
    has_integral_weights: bool = True


def test_the_rough_bound_serves_only_below_the_limit() -> None:
    heaviest = 2**30
    rough = INT32_MAX - heaviest
    facts = Facts(max_abs_weight=heaviest, simple_path_bound=rough - 1, rough_path_bound=rough)
    assert choose_arithmetic(facts, FLOAT64) == Arithmetic(INT32)
    facts = Facts(max_abs_weight=heaviest, simple_path_bound=rough + 9, rough_path_bound=rough - 1)
    assert choose_arithmetic(facts, FLOAT64) == Arithmetic(INT32)
    facts = Facts(max_abs_weight=heaviest, simple_path_bound=rough, rough_path_bound=rough)
    assert choose_arithmetic(facts, FLOAT64) == Arithmetic(INT64)
    assert [bounds_matter(2, each) for each in (INT32_MAX / 2 - 1, INT32_MAX / 2, np.inf)] == [False, True, True]


@pytest.mark.parametrize(("share", "saturate"), [(0.4, False), (0.5, False), (0.6, True)])
def test_floats_saturate_where_a_rounded_sum_may_leave_them(share: float, saturate: bool) -> None:
    bound = share * FLOAT_MAX
    facts = Facts(3, FLOAT64, FLOAT_MAX, bound, bound, has_integral_weights=False)
    assert choose_arithmetic(facts, FLOAT64) == Arithmetic(FLOAT64, saturate)
    light = Facts(3, FLOAT64, 1, bound, bound, has_integral_weights=False)
    assert choose_arithmetic(light, FLOAT64) == Arithmetic(FLOAT64)


def test_macros_of_path_weights() -> None:
    assert [Arithmetic(dtype, True).macros["SATURATE"] for dtype in (INT32, INT64, FLOAT32, FLOAT64)] == [1, 1, 0, 0]
    assert Arithmetic(INT64).macros == {"WEIGHT": "long", "INF": "LONG_MAX", "IS_INTEGER": 1, "SATURATE": 0}
    assert [str(Arithmetic(INT32)), str(Arithmetic(FLOAT64, True))] == ["int32", "float64, saturating"]


def test_steps_are_neither_zero_nor_beyond_the_arithmetic() -> None:
    most, tiny = float(np.finfo(np.float32).max), float(np.finfo(np.float32).tiny)
    steps = [Arithmetic(FLOAT32).step(each) for each in (0, 1.5, 1e300, np.inf)]
    assert steps == [tiny, 1.5, most, most]
    whole = [Arithmetic(INT32).step(each) for each in (0, 0.5, 7.9, INT32_MAX, INT32_MAX + 0.5, np.inf)]
    assert whole == [1, 1, 7, INT32_MAX, INT32_MAX, INT32_MAX]
    assert Arithmetic(INT64).step(2.0**63) == INT64_MAX  # the float that is nearest to it is beyond it
    assert {type(each) for each in steps} == {np.float32}
    assert {type(each) for each in whole} == {np.int32}


def test_arrays_for_distances() -> None:
    array = np.empty((2, 3), np.float32)
    assert output_array(array, (2, 3), FLOAT32) is array
    for shape, dtype in (((3, 2), FLOAT32), ((2, 3), FLOAT64)):
        with pytest.raises(ValueError, match=r"^out has shape "):
            output_array(array, shape, dtype)
    array.flags.writeable = False
    with pytest.raises(TypeError, match=r"^out: expected an array without a mask, got MaskedArray$"):
        output_array(np.ma.zeros((2, 3), np.float32), (2, 3), FLOAT32)
    with pytest.raises(TypeError, match=r"^out: expected an array, got a numpy\.matrix; give numpy\.asarray\(out\)"):
        output_array(array.view(np.matrix), (2, 3), FLOAT32)
    with pytest.raises(ValueError, match=r"^out is read-only$"):
        output_array(array, (2, 3), FLOAT32)


def test_arrays_whose_elements_share_memory_are_refused() -> None:
    memory = np.empty(60, np.float32)
    for strides in ((4, 4), (0, 4), (8, 8), (8, 4), (-4, 4)):
        with pytest.raises(ValueError, match=r"^out: some of its elements share memory$"):
            output_array(as_strided(memory[20:], (2, 3), strides), (2, 3), FLOAT32)
    cut = memory.reshape(6, 10)
    for array in (cut[:2, :3], cut[::3, 1::3], cut.T[8:, ::2], cut[::-3, 2::-1], as_strided(memory, (2, 3), (4, 24))):
        assert output_array(array, (2, 3), FLOAT32) is array
    for shape in ((1, 3), (0, 3)):
        one = as_strided(memory, shape, (0, 4))
        assert output_array(one, shape, FLOAT32) is one


def test_the_dtype_of_an_array_for_distances_is_said_to_be_its_own(device: reedsp.Device) -> None:
    graph = reedsp.Graph.from_edges(2, [0], [1], [0.5])
    for dtype in (">f8", "float16", "uint64"):
        with pytest.raises(
            ValueError, match=rf"^out\.dtype = {np.dtype(dtype)}, expected one of int32, int64, float32"
        ):
            reedsp.apsp(graph, out=np.empty((2, 2), dtype), device=device)
    with pytest.raises(ValueError, match=r"^out\.dtype = int32 cannot hold distances of a graph with fractional"):
        reedsp.apsp(graph, out=np.empty((2, 2), np.int32), device=device)
    with pytest.raises(ValueError, match=r"^dtype = float16, expected one of"):
        reedsp.apsp(graph, dtype="float16", device=device)  # type: ignore[arg-type]


@pytest.mark.parametrize("weight_type", [np.float32, np.float64])
def test_fractional_weights_are_added_as_floats(weight_type: type) -> None:
    graph = Graph.from_edges(2, [0], [1], np.array([0.5], weight_type))
    assert choose_arithmetic(graph, FLOAT64) == Arithmetic(FLOAT64)
    assert choose_arithmetic(graph, FLOAT32) == Arithmetic(FLOAT32)


def test_20_whole_floats_are_added_as_integers_while_float64_would_give_the_same() -> None:
    many = Graph.from_edges(3, [0, 1], [1, 2], np.array([2**24, 1], np.float32))
    assert choose_arithmetic(many, FLOAT32) == choose_arithmetic(many, FLOAT64) == Arithmetic(INT32)
    wide = Graph.from_edges(2, [0], [1], [2.0**52])
    assert choose_arithmetic(wide, FLOAT64) == Arithmetic(INT64)
    wider = Graph.from_edges(3, [0, 1], [1, 2], [2.0**52, 2.0**52])
    assert choose_arithmetic(wider, FLOAT64) == Arithmetic(FLOAT64)
    assert choose_arithmetic(wider, FLOAT32) == Arithmetic(FLOAT32)


@pytest.mark.parametrize("result", [INT32, INT64])
def test_20_whole_floats_are_added_as_integers_for_an_integer_result(result: np.dtype[Any]) -> None:
    """Their sums beyond 2**53 would round in float64, and the integers would not be what they claim to be."""
    graph = Graph.from_edges(4, [0, 1, 2], [1, 2, 3], [2.0**53, 1.0, 1.0])
    assert choose_arithmetic(graph, result) == Arithmetic(INT64)
    heavy = Graph.from_edges(2, [0], [1], [2.0**62])
    assert choose_arithmetic(heavy, result) == Arithmetic(INT64, saturate=True)


def test_20_integer_results_of_whole_floats_are_exact(device: reedsp.Device) -> None:
    weights = [2.0**53, 1.0, 1.0]
    graph = Graph.from_edges(5, [0, 1, 2], [1, 2, 3], weights)
    result = reedsp.sssp(graph, 0, dtype="int64", device=device)
    assert result.dist.tolist() == [0, 2**53, 2**53 + 1, 2**53 + 2, INT64_MAX]
    assert result.verify()


@pytest.mark.parametrize(
    ("weight", "result", "widest"),
    [
        (1e300, INT64, INT64),
        (2.0**63, INT64, INT64),
        (-(2.0**63), INT32, INT64),
        (1e39, FLOAT32, FLOAT32),
        (-1e300, FLOAT32, FLOAT32),
    ],
)
def test_21_a_weight_beyond_the_type_asked_for_is_refused(
    weight: float, result: np.dtype[Any], widest: np.dtype[Any]
) -> None:
    graph = Graph.from_edges(3, [0, 1], [1, 2], [weight, 1])
    message = f"dtype = {result}: a weight of magnitude {abs(weight)} is beyond {widest}"
    with pytest.raises(OverflowError, match="^" + re.escape(message) + "$"):
        choose_arithmetic(graph, result)
    assert choose_arithmetic(graph, FLOAT64) == Arithmetic(FLOAT64)


def test_21_the_largest_weights_of_a_type_are_accepted() -> None:
    largest = float(np.finfo(np.float32).max)
    assert choose_arithmetic(Graph.from_edges(2, [0], [1], [largest]), FLOAT32) == Arithmetic(FLOAT32, True)
    assert choose_arithmetic(Graph.from_edges(2, [0], [1], [largest / 4]), FLOAT32) == Arithmetic(FLOAT32)
    below = float(np.nextafter(2.0**63, 0))
    assert choose_arithmetic(Graph.from_edges(2, [0], [1], [below]), INT64) == Arithmetic(INT64, True)
    assert choose_arithmetic(Graph.from_edges(2, [0], [1], [FLOAT_MAX]), FLOAT64) == Arithmetic(FLOAT64, True)
    assert choose_arithmetic(Graph.from_edges(2, [0], [1], [FLOAT_MAX / 4]), FLOAT64) == Arithmetic(FLOAT64)


# ---- result types, cutoffs, conversions -------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "given"),
    [
        (None, FLOAT64),
        (float, FLOAT64),
        ("float32", FLOAT32),
        ("f4", FLOAT32),
        (np.int32, INT32),
        (np.dtype("int64"), INT64),
        (int, np.dtype(int)),
    ],
)
def test_result_types(asked: Any, given: np.dtype[Any]) -> None:
    for weights in ([1, -2], [1.0, -2.0], [], [0.0, 1e300]):
        graph = Graph.from_edges(2, [0, 1][: len(weights)], [1, 0][: len(weights)], weights)
        assert result_dtype(asked, graph) == given


@pytest.mark.parametrize("asked", ["int16", "uint64", "uint32", "float16", "longdouble", "complex128", bool, object])
def test_other_result_types_are_refused(asked: Any) -> None:
    message = f"^dtype = {np.dtype(asked)}, expected one of int32, int64, float32, float64"
    with pytest.raises(ValueError, match=message):
        result_dtype(asked, Graph.from_edges(1, [], []))


@pytest.mark.parametrize("asked", ["int32", "int64"])
def test_integers_cannot_hold_fractional_distances(asked: str) -> None:
    for weights in ([0.5, 1.0], [5e-324, 0.0], [1e15, 1e15 + 0.5]):
        graph = Graph.from_edges(2, [0, 1], [1, 0], weights)
        with pytest.raises(ValueError, match=rf"^dtype = {asked} cannot hold distances of a graph with fractional"):
            result_dtype(asked, graph)
        for allowed in (None, "float32", "float64"):
            assert result_dtype(allowed, graph) == np.dtype(allowed)


CUTOFFS = [
    0,
    -0.0,
    5e-324,
    1e-45,
    0.1,
    np.float32(0.1),
    np.float16(2.5),
    20,
    20.5,
    np.int8(20),
    Fraction(1, 3),
    2**24,
    2**24 + 1,
    INT32_MAX - 2,
    INT32_MAX - 1,
    INT32_MAX,
    2.5e9,
    2**53 + 1,
    np.uint64(2**53 + 1),
    INT64_MAX - 2,
    INT64_MAX - 1,
    INT64_MAX,
    2**64 - 1,
    np.finfo(np.float32).max,
    float(np.finfo(np.float32).max) * (1 + 2**-30),
    1e39,
    FLOAT_MAX,
    np.longdouble(1) / 10,
    2**1024,
    10**400,
    np.inf,
    np.float32(np.inf),
]


@pytest.mark.parametrize("cutoff", CUTOFFS, ids=lambda cutoff: f"{type(cutoff).__name__}-{str(cutoff)[:24]}")
@pytest.mark.parametrize("dtype", [INT32, INT64, FLOAT32, FLOAT64], ids=str)
def test_the_ceiling_is_the_least_value_above_the_cutoff(cutoff: Any, dtype: np.dtype[Any]) -> None:
    arithmetic = Arithmetic(dtype)
    ceiling = ceiling_of(cutoff, arithmetic)
    assert ceiling.dtype == dtype
    infinity = arithmetic.infinity
    exact = None if not isinstance(cutoff, (int, Fraction)) and np.isinf(cutoff) else as_fraction(cutoff)
    if exact is not None and ceiling != infinity:
        assert Fraction(ceiling.item()) > exact
    if ceiling == infinity and dtype.kind == "i":
        below = int(infinity) - 1
    elif dtype.kind == "i":
        below = int(ceiling) - 1
    else:
        below = np.nextafter(ceiling, dtype.type(-np.inf)).item()
    assert exact is None or Fraction(below) <= exact
    if exact is None:
        assert ceiling == infinity


def as_fraction(number: Any) -> Fraction:
    if isinstance(number, np.floating):
        return Fraction(*number.as_integer_ratio())
    return Fraction(int(number) if isinstance(number, np.integer) else number)


def test_bounds_of_cutoffs() -> None:
    whole, single = Arithmetic(INT32), Arithmetic(FLOAT32)
    assert [bound_of(each, whole) for each in (None, 0, 7.9, INT32_MAX - 1, INT32_MAX)] == [
        *(None, 0, 7, None, None),
    ]
    assert bound_of(INT32_MAX - 2, whole) == INT32_MAX - 2
    assert [bound_of(each, single) for each in (None, 0, 1.5, 1e300)] == [None, 0, 1.5, None]
    assert type(bound_of(7, whole)) is int
    assert type(bound_of(7, single)) is float


def test_cutoffs_that_exclude_what_cannot_be_held() -> None:
    whole, single = Arithmetic(INT32), Arithmetic(FLOAT32)
    most = float(np.finfo(np.float32).max)
    assert [excludes_overflow(each, whole) for each in (None, INT32_MAX - 1, INT32_MAX)] == [False, True, False]
    assert [excludes_overflow(each, single) for each in (None, most, most * 1.001)] == [False, True, False]


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64, np.int8, np.uint64])
def test_cutoffs_that_are_numbers_of_numpy(kind: Any) -> None:
    """Its short floats hold no limit of the arithmetic, and warn."""
    cutoff = kind(3.25)
    for dtype in (INT32, INT64, FLOAT32, FLOAT64):
        arithmetic = Arithmetic(dtype)
        assert excludes_overflow(cutoff, arithmetic)
        assert ceiling_of(cutoff, arithmetic) == ceiling_of(cutoff.item(), arithmetic)


def test_no_cutoff_means_no_ceiling() -> None:
    for dtype in (INT32, INT64, FLOAT32, FLOAT64):
        arithmetic = Arithmetic(dtype)
        assert ceiling_of(None, arithmetic) == arithmetic.infinity
        assert ceiling_of(np.inf, arithmetic) == arithmetic.infinity


@pytest.mark.parametrize(
    "cutoff",
    [-1, -0.5, -5e-324, np.nan, np.float32(np.nan), -np.inf, -(10**400), Fraction(-1, 9)],
    ids=lambda cutoff: str(cutoff)[:24],
)
def test_cutoffs_have_to_be_at_least_zero(cutoff: Any) -> None:
    for dtype in (INT32, INT64, FLOAT32, FLOAT64):
        with pytest.raises(ValueError, match=r"^cutoff = .*, expected a number of at least 0"):
            ceiling_of(cutoff, Arithmetic(dtype))


@pytest.mark.parametrize("cutoff", ["3", 2j, [3], np.array([3, 4]), Decimal(3)])
def test_cutoffs_have_to_be_numbers(cutoff: Any) -> None:
    with pytest.raises(TypeError, match=r"^cutoff: expected a number, got"):
        ceiling_of(cutoff, Arithmetic(FLOAT64))


# choose_arithmetic pairs fractional weights with their own type only.
PAIRS = [
    *itertools.product((INT32, INT64), (INT32, INT64, FLOAT32, FLOAT64)),
    (FLOAT32, FLOAT32),
    (FLOAT64, FLOAT64),
]


def values_in_both(arithmetic: np.dtype[Any], result: np.dtype[Any]) -> list[Any]:
    """Return distances that both types hold, extremes included, and "no path"."""
    if arithmetic.kind == "f":
        info = np.finfo(arithmetic)
        values = [0.0, 0.5, -0.5, info.max.item(), info.min.item(), info.smallest_subnormal.item(), 1 / 3]
        return [*(arithmetic.type(value).item() for value in values), np.inf]
    info = np.iinfo(arithmetic)
    candidates = [0, 1, -1, 2**24, 2**24 + 1, 2**53, 2**53 - 1, 2**53 + 1, -(2**53), 2**53 + 2, 2**62, -(2**62)]
    candidates += [info.max - 1, info.max - 2, info.min, info.min + 1, INT32_MAX - 1, INT32_MAX, -(2**31), -(2**31) - 1]
    if result.kind == "i":
        target = np.iinfo(result)
        held = [c for c in candidates if target.min <= c < target.max]
    else:
        held = [c for c in candidates if int(result.type(c)) == c]
    return [*(c for c in held if info.min <= c < info.max), int(info.max)]


@pytest.mark.parametrize(("arithmetic", "result"), PAIRS, ids=str)
@pytest.mark.parametrize("shape", [(-1,), (1, -1), (2, -1), (0, 5)])
def test_conversions_are_inverse_to_each_other(
    arithmetic: np.dtype[Any], result: np.dtype[Any], shape: tuple[int, int]
) -> None:
    held = values_in_both(arithmetic, result)
    dist = np.array(held + held, arithmetic)
    dist = dist[:0].reshape(shape) if 0 in shape else dist.reshape(shape)
    before = dist.copy()
    converted = to_result(dist, Arithmetic(arithmetic), result)
    assert converted.dtype == result
    assert converted.shape == dist.shape
    infinity = Arithmetic(arithmetic).infinity
    nowhere = np.inf if result.kind == "f" else np.iinfo(result).max
    assert converted.ravel().tolist() == [nowhere if d == infinity else d for d in dist.ravel().tolist()]
    back = from_result(converted, Arithmetic(arithmetic))
    assert back.dtype == arithmetic
    assert np.array_equal(back, dist)
    assert np.array_equal(dist, before)
    assert not np.shares_memory(converted, dist)
    assert not np.shares_memory(back, converted)


@pytest.mark.parametrize(
    ("value", "result", "error", "message"),
    [
        (INT32_MAX, INT32, OverflowError, "is outside int32; ask for dtype='int64'"),
        (INT32_MAX + 1, INT32, OverflowError, "is outside int32"),
        (-(2**31) - 1, INT32, OverflowError, "is outside int32"),
        (2**53 + 1, FLOAT64, ValueError, "has no exact float64 value; ask for dtype='int64'"),
        (-(2**53) - 1, FLOAT64, ValueError, "has no exact float64 value"),
        (INT64_MAX - 1, FLOAT64, ValueError, "has no exact float64 value"),
        (1 - 2**63, FLOAT64, ValueError, "has no exact float64 value"),
    ],
)
def test_19_24_distances_outside_the_result_are_named(
    value: int, result: np.dtype[Any], error: type[Exception], message: str
) -> None:
    dist = np.array([0, 2**53 if result == FLOAT64 else 5, value, value, INT64_MAX])
    with pytest.raises(error, match=rf"^dist\[2\] = {value} {message}"):
        to_result(dist, Arithmetic(INT64), result)
    with pytest.raises(error, match=rf"^dist\[2\] = {value} {message}"):
        to_result(dist[np.newaxis], Arithmetic(INT64), result)
    rows = np.array([[0, 1, 2, 3, 4], dist, dist])
    with pytest.raises(error, match=rf"^dist\[1, 2\] = {value} {message}"):
        to_result(rows, Arithmetic(INT64), result)


def test_a_distance_that_is_lost_is_named_by_its_row() -> None:
    dist = np.arange(6).reshape(2, 3)
    assert to_result(dist, Arithmetic(INT64), FLOAT64).tolist() == dist.tolist()
    for place, name in (((1, 2), "1, 2"), ((0, 1), "0, 1"), ((1, 0), "1, 0")):
        wrong = dist.copy()
        wrong[place] = 2**53 + 1
        with pytest.raises(ValueError, match=rf"^dist\[{name}\] = {2**53 + 1} has no exact float64 value"):
            to_result(wrong, Arithmetic(INT64), FLOAT64)
    with pytest.raises(ValueError, match=r"^dist\[2\] = "):
        to_result(wrong[1, ::-1], Arithmetic(INT64), FLOAT64)


def test_20_a_float32_result_is_rounded_once() -> None:
    dist = np.array([2**24 + 1, 2**24 + 3, INT32_MAX - 1, INT64_MAX - 1, -(2**63), INT64_MAX])
    converted = to_result(dist, Arithmetic(INT64), FLOAT32)
    assert converted.tolist() == [2**24, 2**24 + 4, 2**31, 2**63, -(2**63), np.inf]
    in_int32 = to_result(dist[:3].astype(np.int32), Arithmetic(INT32), FLOAT32)
    assert in_int32.tolist() == [2**24, 2**24 + 4, 2**31]


# ---- cycles of predecessors -------------------------------------------------------------------------


def cycles_of(predecessors: Sequence[int]) -> set[frozenset[int]]:
    """Find every cycle of a graph of predecessors by walking."""
    cycles = set()
    for start in range(len(predecessors)):
        walk = [start]
        while (before := predecessors[walk[-1]]) >= 0 and before not in walk:
            walk.append(before)
        if before >= 0:
            cycles.add(frozenset(walk[walk.index(before) :]))
    return cycles


def check_predecessor_cycle(predecessors: np.ndarray) -> None:
    before = predecessors.copy()
    cycle = predecessor_cycle(predecessors)
    assert np.array_equal(predecessors, before)
    expected = cycles_of(predecessors.tolist())
    if not expected:
        assert cycle is None
        return
    assert cycle is not None
    assert all(type(vertex) is int for vertex in cycle)
    assert cycle[0] == cycle[-1]
    assert len(set(cycle)) == len(cycle) - 1
    assert all(predecessors[v] == u for u, v in itertools.pairwise(cycle))
    assert frozenset(cycle) in expected


@pytest.mark.parametrize("seed", range(60))
def test_predecessor_cycles_of_random_functional_graphs(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 70))
    predecessors = rng.integers(0, n, n).astype(np.int32)
    for share in (0, 0.05, 0.5, 1):
        check_predecessor_cycle(np.where(rng.random(n) < share, np.int32(-9999), predecessors).astype(np.int32))


@pytest.mark.parametrize("seed", range(20))
def test_forests_have_no_predecessor_cycle(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 100))
    names = rng.permutation(n)
    predecessors = np.full(n, -9999, np.int32)
    for v in range(1, n):
        if rng.random() < 0.95:
            predecessors[names[v]] = names[rng.integers(max(0, v - 3), v)]
    assert predecessor_cycle(predecessors) is None


@pytest.mark.parametrize("n", range(1, 70))
def test_predecessor_paths_and_rings_of_every_length(n: int) -> None:
    path = np.arange(-1, n - 1, dtype=np.int32)
    path[0] = -9999
    assert predecessor_cycle(path) is None
    assert predecessor_cycle(path[::-1].copy() * 0 - 9999) is None
    for back in {0, n // 2, n - 1}:  # the path ends in a cycle of length n - back
        ring = path.copy()
        ring[back] = n - 1
        check_predecessor_cycle(ring)
    backwards = np.arange(1, n + 1, dtype=np.int32)
    backwards[-1] = -9999
    assert predecessor_cycle(backwards) is None
    backwards[-1] = 0
    cycle = predecessor_cycle(backwards)
    assert cycle is not None
    assert len(cycle) == n + 1


def test_no_vertices_have_no_predecessor_cycle() -> None:
    assert predecessor_cycle(np.empty(0, np.int32)) is None
    assert predecessor_cycle(np.array([-9999], np.int32)) is None
    assert predecessor_cycle(np.array([0], np.int32)) == [0, 0]


def test_13_a_long_cycle_of_weight_minus_one() -> None:
    n = 100_000
    rng = np.random.default_rng(5)
    weights = rng.integers(-(10**6), 10**6, n)
    weights[-1] -= weights.sum() + 1
    names = rng.permutation(n)
    graph = Graph.from_edges(n, names, np.roll(names, -1), weights)
    predecessors = np.empty(n, np.int32)
    predecessors[np.roll(names, -1)] = names
    cycle = predecessor_cycle(predecessors)
    assert cycle is not None
    assert len(cycle) == n + 1
    assert cycle_weight(graph, cycle) == -1


# ---- the weight of a cycle and the error ------------------------------------------------------------


def test_cycle_weights_are_exact() -> None:
    cases: list[tuple[list[float], Fraction]] = [
        ([1e16, 0.5, -0.75, -1e16], Fraction(-1, 4)),
        ([1e308, 1e308, -1e308, -1e308, 5e-324], Fraction(1, 2**1074)),
        ([0.1] * 10, 10 * Fraction(0.1)),
        ([2**62, 2**62, 2**62, -(2**63), -1], Fraction(3 * 2**62 - 2**63 - 1)),
        ([-(2**63), -(2**63)], Fraction(-(2**64))),
        ([-7], Fraction(-7)),
    ]
    for weights, total in cases:
        n = len(weights)
        graph = Graph.from_edges(n, range(n), [*range(1, n), 0], weights)
        assert cycle_weight(graph, [*range(n), 0]) == total
        assert cycle_weight(graph, [n - 1, *range(n)]) == total
    single = Graph.from_edges(3, [0, 0, 0, 1, 2, 2], [2, 1, 0, 0, 0, 1], np.array([1, 2, 4, 8, 0.1, 32], np.float32))
    assert cycle_weight(single, [0, 2, 0]) == 1 + Fraction(float(np.float32(0.1)))
    assert cycle_weight(single, [0, 0]) == 4
    assert cycle_weight(single, [0, 2, 1, 0]) == 1 + 32 + 8


@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        (np.array([-1, -2], np.int32), -3),
        (np.array([-(2**63), -1]), -(2**63) - 1),
        (np.array([1e16, -1e16 - 2]), -2.0),
        (np.array([5e-324, -1e-323]), -5e-324),
        (np.array([0.5, -0.75], np.float32), -0.25),
        (np.array([-1e308, -0.7e308]), -1.7e308),
        (np.array([-FLOAT_MAX / 2, -FLOAT_MAX / 2]), -FLOAT_MAX),
        (np.array([-1.5e308, -1.5e308]), -np.inf),
    ],
)
def test_the_error_carries_the_weight_as_a_number(weights: np.ndarray, expected: float) -> None:
    graph = Graph.from_edges(2, [0, 1], [1, 0], weights)
    error = error_for(graph, [0, 1, 0], cycle_weight(graph, [0, 1, 0]))
    assert error.weight == expected
    assert type(error.weight) is type(expected)
    assert error.cycle == [0, 1, 0]


def test_10_negative_cycle_errors_are_what_scipy_and_networkx_raise() -> None:
    assert reedsp.NegativeCycleError is NegativeCycleError
    error = NegativeCycleError((3, "a", 3), -0.5)
    for kind in (scipy.sparse.csgraph.NegativeCycleError, nx.NetworkXUnbounded, nx.NetworkXException):
        assert isinstance(error, kind)
    assert error.cycle == [3, "a", 3]
    assert str(error) == "negative cycle of weight -0.5: 3 -> a -> 3"
    error.add_note("kept")
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        again = pickle.loads(pickle.dumps(error, protocol))
        assert type(again) is NegativeCycleError
        assert (again.cycle, again.weight, str(again)) == (error.cycle, error.weight, str(error))
    assert copy.copy(error).cycle == [3, "a", 3]


def test_10_long_cycles_are_shown_in_part_and_kept_whole() -> None:
    assert str(NegativeCycleError(range(12), -1)).endswith(
        ": 0 -> 1 -> 2 -> 3 -> 4 -> 5 -> 6 -> 7 -> 8 -> 9 -> 10 -> 11"
    )
    assert str(NegativeCycleError(range(13), -1)).endswith(
        ": 0 -> 1 -> 2 -> 3 -> 4 -> 5 -> ... -> 8 -> 9 -> 10 -> 11 -> 12"
    )
    error = NegativeCycleError([*range(1000), 0], -1)
    assert str(error) == (
        "negative cycle of weight -1: 0 -> 1 -> 2 -> 3 -> 4 -> 5 -> ... -> 996 -> 997 -> 998 -> 999 -> 0"
    )
    assert len(error.cycle) == 1001
    assert pickle.loads(pickle.dumps(error)).cycle == error.cycle


# ---- negative cycles that floats hide ---------------------------------------------------------------


def float_distances(graph: Graph, source: int, rounds: int) -> np.ndarray:
    """Relax in float64, left to right, for a number of rounds or until the weights are at rest."""
    dist = np.full(graph.n, np.inf)
    dist[source] = 0
    sources = np.repeat(np.arange(graph.n), np.diff(graph.indptr))
    for _ in range(rounds):
        after = dist.copy()
        with np.errstate(over="ignore"):
            np.minimum.at(after, graph.indices, dist[sources] + graph.weights)
        if np.array_equal(after, dist):
            break
        dist = after
    return dist


def with_a_planted_cycle(seed: int) -> Graph:
    """Return a float graph with a cycle whose exact weight is next to nothing, among heavy path weights."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 16))
    length = int(rng.integers(1, 5))
    exponent = int(rng.choice([-1060, -20, 10, 53, 60, 300]))
    potential = np.ldexp(rng.random(n), exponent) * rng.choice([0, 1e-17, 1, 1], n)
    m = 3 * n
    u, v = rng.integers(0, n, (2, m))
    weights = potential[v] - potential[u] + np.ldexp(rng.random(m), exponent - int(rng.choice([0, 40, 60])))
    ring = rng.permutation(n)[:length]
    following = np.roll(ring, -1)
    ring_weights = potential[following] - potential[ring]
    total = sum(map(Fraction, ring_weights.tolist()), Fraction(0))
    spare = float(-total)  # brings the cycle to about zero, exactly where a float can
    offset = float(rng.choice([-1, 0, 1])) * 2.0 ** max(-1074, exponent - 60)
    u, v = np.append(u, ring), np.append(v, following)
    weights = np.append(weights, ring_weights)
    weights[-1] += spare + offset
    return Graph.from_edges(n, u, v, weights)


def check_hidden(graph: Graph, source: int, dist: np.ndarray) -> bool:
    """Compare with the oracle; return whether there was a cycle to find."""
    edges = edges_of(graph)
    before = dist.copy()
    cycle = hidden_negative_cycle(graph, dist)
    assert np.array_equal(dist, before)
    assert (cycle is not None) == has_negative_cycle(graph.n, edges, source)
    if cycle is None:
        return False
    assert oracle.closed_walk_weight(edges, cycle) < 0
    assert all(type(vertex) is int for vertex in cycle)
    assert np.isfinite(dist[cycle]).all()
    return True


@pytest.mark.parametrize("batch", range(6))
def test_hidden_cycles_are_found_exactly(batch: int) -> None:
    found = {True: 0, False: 0}
    hidden = 0
    for seed in range(40 * batch, 40 * batch + 40):
        graph = with_a_planted_cycle(seed)
        for source in (0, graph.n - 1):
            dist = float_distances(graph, source, rounds=4 * graph.n)
            there = check_hidden(graph, source, dist)
            found[there] += 1
            hidden += there and np.array_equal(dist, float_distances(graph, source, rounds=8 * graph.n))
    assert min(found.values()) > 5
    assert hidden > 0


@pytest.mark.parametrize("seed", range(40))
def test_hidden_cycles_are_found_whatever_the_distances(seed: int) -> None:
    """The slack of a cycle's edges adds up to its weight for any distances, also ones rounded to float32 or wrong."""
    graph = with_a_planted_cycle(seed)
    rng = np.random.default_rng(seed)
    dist = float_distances(graph, 0, rounds=4 * graph.n)
    reached = np.isfinite(dist)
    with np.errstate(over="ignore", under="ignore"):
        single = dist.astype(np.float32).astype(np.float64)
    if np.isfinite(single[reached]).all():
        check_hidden(graph, 0, single)
    scale = np.abs(dist[reached]).max()
    check_hidden(graph, 0, dist + scale * rng.normal(size=graph.n))
    check_hidden(graph, 0, np.where(reached, 0.0, np.inf))
    check_hidden(graph, 0, np.where(reached, rng.permutation(np.where(reached, dist, 1.0)), np.inf))


def test_few_edges_are_searched_in_whole_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whole numbers are slow: only edges on cycles of next to no slack are searched."""
    searched: list[int] = []

    def spy(graph: Graph, sources: Sequence[int]) -> Any:
        searched.append(graph.m)
        return exact_shortest_paths(graph, sources)

    monkeypatch.setattr("reedsp.edges.negative_cycles.exact_shortest_paths", spy)
    rng = np.random.default_rng(0)
    n, m = 200, 2000
    u, v = rng.integers(0, n, (2, m))
    potential = rng.random(n) * 1e6
    weights = potential[v] - potential[u] + rng.random(m) + 1e-3
    between = potential[7] - potential[3]  # there and back adds up to exactly zero
    u, v, weights = np.append(u, [3, 7, n]), np.append(v, [7, 3, 3]), np.append(weights, [between, -between, -1e7])
    graph = Graph.from_edges(n + 1, u, v, weights)
    assert hidden_negative_cycle(graph, float_distances(graph, n, rounds=n + 1)) is None
    assert 2 <= searched.pop() < 20


def test_14_a_zero_weight_cycle_is_not_negative_however_it_rounds() -> None:
    for weights in ([0.1, 0.2, -0.1, -0.2], [1e16, 1.0, -1e16, -1.0], [5e-324, -5e-324], [1e308, -1e308]):
        n = len(weights)
        graph = Graph.from_edges(n + 1, [n, *range(n)], [0, *range(1, n), 0], [1e17, *weights])
        for start in (0.0, 1e17):
            dist = np.append(np.full(n, start), 0.0)
            assert hidden_negative_cycle(graph, dist) is None
        smaller = np.array([1e17, *weights])
        smaller[1] = np.nextafter(smaller[1], -np.inf)
        lighter = Graph.from_edges(n + 1, [n, *range(n)], [0, *range(1, n), 0], smaller)
        cycle = hidden_negative_cycle(lighter, dist)
        assert cycle is not None
        assert cycle_weight(lighter, cycle) < 0


def test_11_a_negative_cycle_out_of_reach_is_not_reported() -> None:
    graph = Graph.from_edges(5, [0, 1, 2, 3, 3], [1, 0, 3, 2, 0], [1.0, -0.5, 1e16, -1e17, 0.25])
    assert hidden_negative_cycle(graph, np.array([0, 1.0, np.inf, np.inf, np.inf])) is None
    cycle = hidden_negative_cycle(graph, np.array([0, 1.0, 7.0, 5.0, np.inf]))
    assert cycle is not None
    assert set(cycle) == {2, 3}


def test_rounding_at_heavy_vertices_counts_at_light_ones() -> None:
    """Going up to 1e16 loses -1 to rounding; on the way back an edge between light vertices has a slack of 0.5."""
    edges = [(0, 1, 0.0), (0, 2, 1.0), (1, 2, 1.5), (2, 3, 1e16 - 2), (3, 1, -1e16)]
    graph = Graph.from_edges(4, *zip(*edges, strict=True))
    dist = float_distances(graph, 0, rounds=9)
    assert dist.tolist() == [0, 0, 1, 1e16]
    assert check_hidden(graph, 0, dist)
    light = Graph.from_edges(4, *zip(*edges[:2], (1, 2, 2.0), *edges[3:], strict=True))
    assert not check_hidden(light, 0, dist)


def test_slack_may_be_wrong_by_what_its_sums_round() -> None:
    """Three sums are rounded up, one of them to twice the slack that all others could make up for."""
    half = 2.0**-53  # of the distance between floats where these distances are
    weights = [1.375 * half, -0.6875 * half, -0.6885 * half]
    dist = np.full(3, 1 + 2.0**-20)
    assert (dist + weights - dist).tolist() == [2 * half, 0, 0]
    assert check_hidden(Graph.from_edges(3, [0, 1, 2], [1, 2, 0], weights), 0, dist)


def test_slack_that_is_rounded_up_is_compared_with_less() -> None:
    """Of two edges at heavy vertices one seems to gain 20 and the other to lose 19, which lose 0.4 together."""
    heavy = np.full(2, 2.0**53)
    weights = [19, -19.4]
    assert (heavy + weights - heavy).tolist() == [20, -19]
    assert check_hidden(Graph.from_edges(2, [0, 1], [1, 0], weights), 0, heavy)


def test_05_hidden_negative_self_loops() -> None:
    graph = Graph.from_edges(3, [0, 1, 1], [1, 1, 2], [1e17, -1.0, 3.0])
    assert hidden_negative_cycle(graph, np.array([0, 1e17, 1e17])) == [1, 1]
    harmless = Graph.from_edges(3, [0, 1, 1], [1, 1, 2], [1e17, 5e-324, -3.0])
    assert hidden_negative_cycle(harmless, np.array([0, 1e17, 1e17])) is None
    assert hidden_negative_cycle(Graph.from_edges(1, [], [], [-0.5][:0]), np.zeros(1)) is None


def test_21_sums_that_overflow_do_not_hide_a_cycle() -> None:
    """An edge elsewhere whose sum overflows; and one on the cycle whose sum overflows by rounding alone."""
    u, v, weights = [0, 1, 2, 2, 0, 4], [1, 2, 1, 3, 4, 3], [1e16, 0.5, -0.75, 1.0, 1.5e308, 1.5e308]
    graph = Graph.from_edges(5, u, v, weights)
    assert check_hidden(graph, 0, np.array([0, 1e16, 1e16, 1e16, 1.5e308]))

    # before + weight is half a unit beyond the largest float, which is the distance of its end
    start, rise = 2.0**1023, float(Fraction(FLOAT_MAX) - 2**1023 + 2**970)
    assert start + rise == np.inf
    graph = Graph.from_edges(3, [0, 1, 2], [1, 2, 1], [start, rise, -rise - 2.0**971])
    dist = np.array([0.0, start, FLOAT_MAX])
    assert check_hidden(graph, 0, dist)


def test_21_distances_below_the_range_of_floats() -> None:
    """A cycle can pull distances down to -inf, where they come to rest; a long way down is an overflow."""
    ring = Graph.from_edges(3, [0, 1, 2], [1, 2, 1], [1.0, -1e308, -1e308])
    cycle = hidden_negative_cycle(ring, np.array([0, -np.inf, -np.inf]))
    assert cycle is not None
    assert set(cycle) == {1, 2}
    steep = Graph.from_edges(4, [0, 1, 2], [1, 2, 3], [-1e308, -1e308, 5.0])
    with pytest.raises(OverflowError, match=r"^the distance of vertex 2 is below the range of floats"):
        hidden_negative_cycle(steep, np.array([0, -1e308, -np.inf, -np.inf]))


def test_21_negative_overflow_on_devices(device: reedsp.Device) -> None:
    n = 60
    u, v = np.arange(n), np.arange(1, n + 1)
    steep = Graph.from_edges(n + 1, u, v, np.full(n, -1e308))
    with pytest.raises(OverflowError, match="below the range of floats"):
        reedsp.sssp(steep, 0, device=device)
    ring = Graph.from_edges(n + 1, [*u, 5], [*v, 4], np.full(n + 1, -1e308))
    with pytest.raises(reedsp.NegativeCycleError) as caught:
        reedsp.sssp(ring, 0, device=device)
    assert set(caught.value.cycle) == {4, 5}
    assert caught.value.weight == -np.inf


# ---- Bellman-Ford in whole numbers ------------------------------------------------------------------


def by_hop_level(n: int, edges: Edges, source: int, dist: Sequence[Fraction | None]) -> list[int]:
    """Ask the oracle for the tree of a graph with negative weights: an edge out of reach makes every graph one."""
    return oracle.predecessors(n + 2, [*edges, (n, n + 1, Fraction(-1))], source, [*dist, None, None])[:n]


def check_exact_shortest_paths(graph: Graph, source: int) -> None:
    edges = edges_of(graph)
    if has_negative_cycle(graph.n, edges, source):
        with pytest.raises(NegativeCycleError) as caught:
            exact_shortest_paths(graph, [source])
        weight = oracle.closed_walk_weight(edges, caught.value.cycle)
        assert weight < 0
        assert caught.value.weight == weight
        return
    expected = oracle.distances(graph.n, edges, source)
    dist, scale, tree = exact_shortest_paths(graph, [source])
    assert [None if d is None else Fraction(d, scale) for d in dist] == expected
    assert tree.dtype == np.int32
    assert tree.tolist() == by_hop_level(graph.n, edges, source, expected)
    oracle.check_tree(graph.n, edges, source, expected, tree.tolist())


@pytest.mark.parametrize(
    "family", [family for family in FAMILIES + NEGATIVE_CYCLES if family.n <= 130], ids=lambda family: family.name
)
@pytest.mark.parametrize("dtype", [np.int64, np.float64])
def test_exact_shortest_paths_on_every_family(family: Family, dtype: type) -> None:
    check_exact_shortest_paths(family.graph(dtype), family.source)


@pytest.mark.parametrize("seed", range(30))
def test_exact_shortest_paths_on_random_floats(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 25))
    m = 3 * n
    u, v = rng.integers(0, n, (2, m))
    exponent = int(rng.choice([-1074, -1, 0, 900]))
    potential = np.ldexp(rng.integers(0, 9, n).astype(np.float64), exponent)
    weights = (
        potential[v] - potential[u] + np.ldexp(rng.integers(0, 3, m).astype(np.float64), max(-1074, exponent - 30))
    )
    if seed % 3 == 0:
        weights[rng.integers(m)] -= 2.0**-1074 if exponent < 900 else 2.0**890
    check_exact_shortest_paths(Graph.from_edges(n, u, v, weights), 0)
    check_exact_shortest_paths(Graph.from_edges(n, u, v, weights), n - 1)


def test_exact_shortest_paths_mix_the_largest_and_the_smallest_floats() -> None:
    graph = Graph.from_edges(4, [0, 1, 2], [1, 2, 3], [FLOAT_MAX, 5e-324, -FLOAT_MAX])
    dist, scale, tree = exact_shortest_paths(graph, [0])
    assert Fraction(dist[3], scale) == Fraction(1, 2**1074)
    assert tree.tolist() == [-9999, 0, 1, 2]
    single = Graph.from_edges(2, [0], [1], np.array([0.1], np.float32))
    dist, scale, _ = exact_shortest_paths(single, [0])
    assert Fraction(dist[1], scale) == Fraction(float(np.float32(0.1)))


def test_exact_shortest_paths_from_no_source_and_without_edges() -> None:
    graph = Graph.from_edges(2, [0], [1], [0.5])
    for sources, expected in (([], [None, None]), ([1], [None, 0]), ([1, 1], [None, 0])):
        dist, _, tree = exact_shortest_paths(graph, sources)
        assert dist == expected
        assert tree.tolist() == [-9999, -9999]
    dist, scale, tree = exact_shortest_paths(Graph.from_edges(0, [], []), [])
    assert (dist, scale, tree.tolist()) == ([], 1, [])


@pytest.mark.parametrize("seed", range(20))
def test_exact_shortest_paths_from_several_sources(seed: int) -> None:
    """The same as from one vertex in front, from which an edge of weight 0 leads to each source."""
    rng = np.random.default_rng(seed)
    n = 15
    u, v = rng.integers(0, n, (2, 40))
    potential = rng.integers(-9, 9, n)
    weights = potential[v] - potential[u] + rng.integers(0, 3, 40)
    graph = Graph.from_edges(n, u, v, weights)
    sources = rng.integers(0, n, 4).tolist()
    dist, scale, tree = exact_shortest_paths(graph, sources)
    edges = edges_of(graph) + [(n, source, Fraction(0)) for source in sources]
    expected = oracle.distances(n + 1, edges, n)
    assert scale == 1
    assert dist == expected[:n]
    in_front = by_hop_level(n + 1, edges, n, expected)[:n]
    roots = {source for source in sources if expected[source] == 0}
    assert tree.tolist() == [-9999 if v in roots else u for v, u in enumerate(in_front)]


@pytest.mark.parametrize("n", [1, 2, 3, 10, 150])
def test_10_cycles_of_every_length_are_found_in_whole_numbers(n: int) -> None:
    weights = [1.0] * (n - 1) + [-float(n - 1) - 2.0**-40]
    graph = Graph.from_edges(n + 1, [n, *range(n)], [0, *range(1, n), 0], [3.0, *weights])
    with pytest.raises(NegativeCycleError) as caught:
        exact_shortest_paths(graph, [n])
    assert caught.value.weight == -(2.0**-40)
    assert sorted(caught.value.cycle[1:]) == list(range(n))
    assert exact_shortest_paths(graph, [])[0] == [None] * (n + 1)


def test_15_an_undirected_negative_edge_is_a_negative_cycle() -> None:
    graph = Graph.from_edges(4, [0, 1, 2], [1, 2, 3], [2.5, 1.0, -5e-324], directed=False)
    with pytest.raises(NegativeCycleError) as caught:
        exact_shortest_paths(graph, [0])
    assert set(caught.value.cycle) == {2, 3}
    assert caught.value.weight == -1e-323


@pytest.mark.parametrize(
    "call",
    [
        lambda graph, device: reedsp.sssp(graph, "a", device=device),
        lambda graph, device: reedsp.apsp(graph, device=device),
        lambda graph, device: reedsp.yen(graph, "a", "c", 2, device=device),
        lambda graph, device: reedsp.distance_table(graph, ["a", "b", "c"], ["a"], device=device),
        lambda graph, device: reedsp.k_nearest(graph, ["a"], 2, device=device),
    ],
    ids=["sssp", "apsp", "yen", "distance_table", "k_nearest"],
)
def test_10_cycle_of_a_networkx_graph_is_one_of_nodes(call: Callable[..., Any], device: reedsp.Device) -> None:
    graph = nx.DiGraph()
    graph.add_weighted_edges_from([("a", "b", 4), ("b", "c", 1), ("c", "d", 1), ("d", "b", -3)])
    with pytest.raises(reedsp.NegativeCycleError, match=" -> ") as caught:
        call(graph, device)
    assert caught.value.cycle[0] == caught.value.cycle[-1]
    steps = list(itertools.pairwise(caught.value.cycle))
    assert sorted(steps) == [("b", "c"), ("c", "d"), ("d", "b")]
    assert caught.value.weight == sum(graph.edges[step]["weight"] for step in steps) == -1
