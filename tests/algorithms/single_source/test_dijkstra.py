"""Dijkstra with heaps and with arrays: every form of the kernels, every arithmetic, and budgets that end at once."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import networkx as nx
import numpy as np
import pytest

import reedsp
from reedsp.algorithms.all_pairs import johnson
from reedsp.algorithms.single_source import dijkstra_array, dijkstra_heap, near_far
from reedsp.algorithms.single_source import sssp as ss
from reedsp.arithmetic.paths import Arithmetic, choose_arithmetic
from reedsp.device import iterate
from reedsp.device.device import Device
from reedsp.device.errors import DeviceError
from reedsp.device.job import Job
from reedsp.edges.device_graph import OutEdges
from tests.algorithms.single_source.answers import check_ceilings, check_targets, exact, expected, nearest, references
from tests.support import oracle
from tests.support.families import NOT_NEGATIVE, Family, _relabel_killer, named

INT32, INT64, FLOAT32, FLOAT64 = map(np.dtype, (np.int32, np.int64, np.float32, np.float64))
NAMES = ("dijkstra-heap", "dijkstra-array")
WAYS: dict[str, Callable[..., tuple[Any, int]]] = {
    "heap": functools.partial(dijkstra_heap.search, workers=1),
    "binary heaps side by side": functools.partial(dijkstra_heap.search, arity=2, interleaved=True, workers=3),
    "heaps of arity 8": functools.partial(dijkstra_heap.search, arity=8, workers=2),
    "vectors": functools.partial(dijkstra_array.search, groups=2),
    "local vectors": functools.partial(dijkstra_array.search, local_memory=True, groups=2),
    "groups of 4": functools.partial(dijkstra_array.search, group_size=4, groups=1),
    "local groups of 32": functools.partial(dijkstra_array.search, group_size=32, local_memory=True, groups=2),
}
ways = pytest.mark.parametrize("way", WAYS)
families = pytest.mark.parametrize("family", NOT_NEGATIVE, ids=lambda family: family.name)


@pytest.fixture(params=["as it is", "tiny"])
def setting(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Budgets and room as they are, or so small that launches end and stale entries are dropped all the time."""
    if request.param == "tiny":
        be_tiny(monkeypatch)
    return request.param


def be_tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "_CHUNK": 3,
        "_SPARE_ROOM": 0,
        "_FIRST_BUDGET": dict.fromkeys(("cpu", "gpu"), 1),
    }.items():
        monkeypatch.setattr(dijkstra_heap, name, value)
    monkeypatch.setattr(dijkstra_array, "_FIRST_BUDGET", 1)
    monkeypatch.setattr(iterate, "_SECONDS", 0.0)


def solve(
    device: Device,
    way: str,
    graph: reedsp.Graph,
    arithmetic: Arithmetic,
    starts: Sequence[Sequence[int]],
    **options: object,
) -> np.ndarray:
    job = Job(device)
    dist, vertices = WAYS[way](job, OutEdges.of(graph, job, arithmetic), arithmetic, starts, **options)
    found = job.download(dist, len(starts) * graph.n, arithmetic.dtype).reshape(len(starts), graph.n)
    if "target" not in options:
        assert vertices == np.count_nonzero(found != arithmetic.infinity)  # each vertex once
    return found


# ---- the kernels -------------------------------------------------------------------------------------


@pytest.mark.deep
@ways
@families
def test_integers(device: Device, family: Family, way: str, setting: str) -> None:
    graph = family.graph()
    for arithmetic in {choose_arithmetic(graph, INT64), Arithmetic(INT64), Arithmetic(INT64, saturate=True)}:
        (row,) = solve(device, way, graph, arithmetic, [[family.source]])
        assert exact(row, arithmetic) == expected(family.name, family.source)


@pytest.mark.deep
@ways
@families
def test_floats(device: Device, family: Family, way: str, setting: str) -> None:
    """Sums that round are added from left to right."""
    weights = [w / 3 for w in family.weights]
    graph = family.graph(units=3)
    for arithmetic in (Arithmetic(FLOAT32), Arithmetic(FLOAT64)):
        rounded = [float(arithmetic.dtype.type(w)) for w in weights]
        edges = oracle.edges_of(family.sources, family.targets, rounded, family.directed)
        (row,) = solve(device, way, graph, arithmetic, [[family.source]])
        assert row.tolist() == oracle.left_to_right_distances(family.n, edges, family.source, arithmetic.dtype.type)


@pytest.mark.deep
@ways
@families
def test_rows(device: Device, family: Family, way: str, setting: str) -> None:
    """More rows than work-items or work-groups, rows with several starts, and a vertex given twice."""
    rng = np.random.default_rng(9)
    starts = [rng.integers(0, family.n, count).tolist() for count in (1, 3, 1, 2, 1, 1, 1)]
    starts[1] += starts[1]
    graph = family.graph()
    arithmetic = choose_arithmetic(graph, INT64)
    rows = solve(device, way, graph, arithmetic, starts)
    assert [exact(row, arithmetic) for row in rows] == [nearest(family.name, row) for row in starts]


@pytest.mark.parametrize("count", [1, 2, 3, 40])
def test_any_number_of_workers(device: Device, count: int) -> None:
    family = named("random")
    graph = family.graph()
    arithmetic = choose_arithmetic(graph, INT64)
    starts = [[3], [7], [20]]
    right = [expected(family.name, start) for (start,) in starts]
    for interleaved in (False, True):
        rows = solve(device, "heap", graph, arithmetic, starts, workers=count, interleaved=interleaved)
        assert [exact(row, arithmetic) for row in rows] == right
    for way in ("vectors", "groups of 4"):
        rows = solve(device, way, graph, arithmetic, starts, groups=count)
        assert [exact(row, arithmetic) for row in rows] == right


@pytest.mark.deep("tiny", "groups", "local", "arity", "binary", "heap")
@ways
def test_ceiling(device: Device, way: str, setting: str) -> None:
    check_ceilings(functools.partial(solve, device, way))


@pytest.mark.deep("random", "grid", "zero")
@ways
@pytest.mark.parametrize("name", ["random", "grid", "zero-weight cycles", "disconnected"])
def test_target(device: Device, name: str, way: str, setting: str) -> None:
    check_targets(name, functools.partial(solve, device, way))


@ways
def test_a_target_ends_each_row(device: Device, way: str, setting: str) -> None:
    """Nothing behind it is relaxed; and the row after it is searched as if there had been none."""
    n = 300
    graph = reedsp.Graph.from_edges(n, range(n - 1), range(1, n), np.full(n - 1, 5))
    arithmetic = choose_arithmetic(graph, INT64)
    job = Job(device)
    edges = OutEdges.of(graph, job, arithmetic)
    dist, vertices = WAYS[way](job, edges, arithmetic, [[0], [10], [250]], target=20)
    rows = job.download(dist, 3 * n, arithmetic.dtype).reshape(3, n)
    assert vertices == 21 + 11 + 50  # from the last source the target cannot be reached
    assert rows[0, :22].tolist() == list(range(0, 110, 5))
    assert rows[1, 10:22].tolist() == list(range(0, 60, 5))
    assert rows[2, 250:].tolist() == list(range(0, 250, 5))
    assert (rows[:2, 22:] == arithmetic.infinity).all()


@pytest.mark.deep("local", "groups", "arity", "binary")
@ways
def test_sums_beyond_the_type_are_not_reached(device: Device, way: str) -> None:
    weight = 2**62 - 1
    graph = reedsp.Graph.from_edges(5, [0, 1, 2, 3], [1, 2, 3, 4], np.array([weight, weight, 0, weight]))
    arithmetic = choose_arithmetic(graph, INT64)
    assert arithmetic == Arithmetic(INT64, saturate=True)
    (row,) = solve(device, way, graph, arithmetic, [[0]])
    assert exact(row, arithmetic) == [0, weight, 2 * weight, 2 * weight, None]


@pytest.mark.deep("as it is", "heap", "groups of 4", "local groups of 32", "local vectors")
@ways
def test_subnormal_and_huge_floats(device: Device, way: str, setting: str) -> None:
    least, huge = 5e-324, 1e308
    weights = np.array([least, least, huge, huge / 4, 0.0])
    graph = reedsp.Graph.from_edges(6, [0, 1, 2, 3, 4], [1, 2, 3, 4, 5], weights)
    (row,) = solve(device, way, graph, Arithmetic(FLOAT64), [[0]])
    assert row.tolist() == np.cumsum([0.0, *weights]).tolist()


@pytest.mark.deep("heap")
@ways
def test_weights_that_rounding_swallows(device: Device, way: str, setting: str) -> None:
    """Cycles along which no distance grows: every vertex is settled once, at the sum from left to right."""
    n = 40
    rng = np.random.default_rng(5)
    ends = np.concatenate(([[0], [1]], rng.integers(1, n, (2, 400))), axis=1)
    weights = np.concatenate(([1e16], rng.choice([0.0, 0.25, 0.5, 1.0, 3.0], 400)))
    graph = reedsp.Graph.from_edges(n, *ends, weights)
    (row,) = solve(device, way, graph, Arithmetic(FLOAT64), [[0]])
    edges = oracle.edges_of(*ends.tolist(), weights.tolist(), True)
    assert row.tolist() == oracle.left_to_right_distances(n, edges, 0, np.float64)


@ways
def test_progress_is_reported_between_launches(device: Device, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    be_tiny(monkeypatch)
    graph = named("grid").graph()
    seen: list[tuple[int, int]] = []
    report = {"progress": lambda *words: seen.append(words)}
    solve(device, way, graph, choose_arithmetic(graph, INT64), [[0], [1]], **report)
    assert len(seen) > 100  # a vertex and its edges are more than the budget, and at most three rows are under way
    assert seen == sorted(seen)
    assert {n for _, n in seen} == {graph.n}


@pytest.mark.deep
@ways
@pytest.mark.parametrize("n", [127, 128, 129, 1024, 1025, 2500])
def test_sizes_around_blocks(device: Device, way: str, n: int) -> None:
    rng = np.random.default_rng(n)
    graph = reedsp.Graph.from_edges(n, *rng.integers(0, n, (2, 5 * n)), rng.integers(0, 50, 5 * n))
    for arithmetic in (Arithmetic(INT32), Arithmetic(INT64)):
        rows = solve(device, way, graph, arithmetic, [[0], [n - 1], [n // 2]])
        right = [references(graph, source) for source in (0, n - 1, n // 2)]
        assert np.array_equal(np.where(rows == arithmetic.infinity, np.inf, rows), right)


@pytest.mark.deep("local", "groups", "arity", "binary")
@ways
def test_relabelling_stays_polynomial(device: Device, way: str) -> None:
    for k in (20, 40):
        family = _relabel_killer(k)
        graph = family.graph()
        arithmetic = choose_arithmetic(graph, INT64)
        (row,) = solve(device, way, graph, arithmetic, [[0]])
        assert exact(row, arithmetic) == oracle.distances(family.n, family.edges, 0)


@pytest.mark.deep
@ways
def test_large(device: Device, way: str) -> None:
    rng = np.random.default_rng(17)
    for n, exponent in ((5_000, 3), (20_000, 1)):
        u, v = (n * rng.random((2, 100_000)) ** exponent).astype(np.int64)
        graph = reedsp.Graph.from_edges(n, u, v, rng.integers(0, 1001, 100_000))
        for arithmetic in (Arithmetic(INT32), Arithmetic(FLOAT64)):
            if "local" in way and n > dijkstra_array._local_capacity(device, arithmetic, 32):
                continue  # it is refused
            rows = solve(device, way, graph, arithmetic, [[0], [n // 2], [n - 1]])
            right = [references(graph, source) for source in (0, n // 2, n - 1)]
            assert np.array_equal(np.where(rows == arithmetic.infinity, np.inf, rows), right)


# ---- as methods --------------------------------------------------------------------------------------


@pytest.mark.deep
@pytest.mark.parametrize("name", NAMES)
@families
def test_the_same_bytes_as_near_far(device: Device, family: Family, name: str) -> None:
    """In every type of results, and with fractions: distances and trees."""
    sources = sorted({family.source, 0, family.n - 1})
    thirds = family.graph(units=3)
    for graph, dtypes in ((family.graph(), ("float64", "float32", "int64")), (thirds, ("float64", "float32"))):
        for dtype in dtypes:
            paths = reedsp.sssp(graph, sources, name, dtype=dtype, device=device)
            others = reedsp.sssp(graph, sources, "near-far", dtype=dtype, device=device)
            assert paths.dist.tobytes() == others.dist.tobytes()
            assert paths.pred.tobytes() == others.pred.tobytes()
            assert paths.method == name
            assert paths.verify()


@pytest.mark.parametrize("name", NAMES)
def test_against_networkx(device: Device, name: str) -> None:
    family = named("parallel edges and self loops")
    graph = nx.MultiDiGraph()
    graph.add_nodes_from(range(family.n))
    graph.add_weighted_edges_from(zip(family.sources, family.targets, family.weights, strict=True))
    right = nx.single_source_dijkstra_path_length(graph, 3)
    dist = reedsp.sssp(graph, 3, name, device=device).dist
    assert dist.tolist() == [right.get(vertex, np.inf) for vertex in range(family.n)]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dtype", ["float64", "int64"])
def test_nearest_sources_cutoffs_and_targets(device: Device, name: str, dtype: str) -> None:
    family = named("random, undirected")
    graph = family.graph()
    for options in (
        {"source": [4, 9, 9, 11], "min_only": True},
        {"source": [4, 9], "cutoff": 17},
        {"source": 4, "cutoff": 0},
        {"source": [4, 9, 11], "target": 30},
        {"source": 4, "target": 4},
        {"source": [], "cutoff": 3},
    ):
        paths = reedsp.sssp(graph, method=name, dtype=dtype, device=device, **options)
        others = reedsp.sssp(graph, method="near-far", dtype=dtype, device=device, **options)
        assert np.array_equal(paths.dist, others.dist)
        assert np.array_equal(paths.pred, others.pred)
        assert paths.verify()
        if "min_only" in options:
            assert np.array_equal(paths.nearest, others.nearest)


@pytest.mark.deep("array")
@pytest.mark.parametrize("name", NAMES)
def test_options(device: Device, name: str) -> None:
    graph = named("random").graph()
    right = reedsp.sssp(graph, 0, "near-far", device=device).dist
    sizes = [{"group_size": 2}, {"group_size": 16, "local_memory": True}, {"local_memory": False}]
    for options in [{"arity": 2}, {"arity": 8}] if name == "dijkstra-heap" else sizes:
        assert np.array_equal(reedsp.sssp(graph, 0, name, device=device, options=options).dist, right)


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("dijkstra-heap", {"arity": 3}, r"options: arity = 3, expected one of 2, 4, 8"),
        ("dijkstra-heap", {"group_size": 3}, r"method 'dijkstra-heap' has no option 'group_size'; it has arity"),
        ("dijkstra-array", {"group_size": 3}, r"options: group_size = 3, expected a power of two up to \d+"),
        ("dijkstra-array", {"group_size": 0}, r"options: group_size = 0, expected a power of two"),
        ("dijkstra-array", {"group_size": 1 << 40}, r"options: group_size = 1099511627776, expected a power of two"),
        ("dijkstra-array", {"arity": 2}, r"has no option 'arity'; it has group_size, local_memory"),
    ],
)
def test_wrong_options(device: Device, name: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        reedsp.sssp(named("grid").graph(), 0, name, device=device, options=options)


def test_what_does_not_fit_into_local_memory(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    graph, size = named("random").graph(), dijkstra_array._group_size(device)
    reedsp.sssp(graph, 0, "dijkstra-array", device=device)  # and what it needs is tried with the memory that there is
    monkeypatch.setattr(device, "local_memory", 8 * size + 16 + 4 * 290)  # 256 distances of int32, whole blocks
    with pytest.raises(ValueError, match="local_memory = True, but 300 distances do not fit, 256 would"):
        reedsp.sssp(graph, 0, "dijkstra-array", device=device, options={"local_memory": True})
    assert reedsp.sssp(graph, 0, "dijkstra-array", device=device).dist.shape == (300,)


@pytest.mark.parametrize("name", NAMES)
def test_negative_weights_are_refused(device: Device, name: str) -> None:
    graph = reedsp.Graph.from_edges(2, [0], [1], [-1])
    with pytest.raises(ValueError, match=f"method = '{name}': needs weights that are not negative"):
        reedsp.sssp(graph, 0, name, device=device)


@pytest.mark.parametrize("name", NAMES)
def test_distances_beyond_the_type(device: Device, name: str) -> None:
    graph = reedsp.Graph.from_edges(3, [0, 1], [1, 2], np.array([2**62, 2**62]))
    with pytest.raises(OverflowError, match="from vertex 0 to vertex 2 is beyond int64"):
        reedsp.sssp(graph, 0, name, dtype="int64", device=device)
    assert reedsp.sssp(graph, 0, name, dtype="int64", cutoff=2**62, device=device).dist[1] == 2**62
    assert reedsp.sssp(graph, 0, name, dtype="int64", target=1, device=device).dist[1] == 2**62


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("negative", [False, True])
def test_all_pairs(device: Device, name: str, negative: bool) -> None:
    rng = np.random.default_rng(1)
    n, m = 150, 600
    u, v = rng.integers(0, n, (2, m))
    weights = rng.integers(0, 30, m)
    if negative:
        potential = rng.integers(-500, 500, n)
        weights += potential[v] - potential[u]
    graph = reedsp.Graph.from_edges(n, u, v, weights)
    for dtype in ("float64", "int32"):
        paths = reedsp.apsp(graph, "johnson", True, device=device, dtype=dtype, options={"search": name})
        matrices = reedsp.apsp(graph, "floyd-warshall", True, device=device, dtype=dtype)
        assert np.array_equal(paths.dist, matrices.dist)
        assert np.array_equal(paths.pred, matrices.pred)
    fractions = reedsp.Graph.from_edges(n, u, v, rng.random(m))
    both = [
        reedsp.apsp(fractions, "johnson", True, device=device, options=options) for options in ({}, {"search": name})
    ]
    assert both[0].dist.tobytes() == both[1].dist.tobytes()
    assert both[0].pred.tobytes() == both[1].pred.tobytes()


@pytest.mark.parametrize("name", NAMES)
def test_wrong_answers_are_noticed(device: Device, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = named("grid").graph()
    monkeypatch.setattr(ss, "is_trusted", lambda *arguments: False)
    monkeypatch.setattr(johnson, "is_trusted", lambda *arguments: False)
    with pytest.raises(DeviceError, match=f"{name} in int32 give wrong answers, or fail"):
        reedsp.sssp(graph, 0, name, device=device)
    with pytest.raises(DeviceError, match=f"{name} in int32 gives wrong answers, or fails"):
        reedsp.apsp(graph, "johnson", device=device, options={"search": name})
    assert reedsp.apsp(graph, "johnson", device=device).dist.shape == (graph.n, graph.n)


# ---- memory ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("module", [dijkstra_heap, dijkstra_array])
def test_rows_that_fit(module: Any, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    arithmetic = Arithmetic(INT32)
    same = near_far.rows_at_once(device, arithmetic, 1000, work_groups=False)
    if device.kind == "cpu":
        assert module.rows_at_once(device, arithmetic, 1000) == same
    monkeypatch.setattr(device, "kind", "gpu")
    monkeypatch.setattr(device, "global_memory", 4_000_000)
    monkeypatch.setattr(device, "max_allocation", 1_000_000)
    heaps = 1_000_000 // (8 * (1125 + 64 + 11) + 8 * 1000)
    assert module.rows_at_once(device, arithmetic, 1000) == (heaps if module is dijkstra_heap else 1_000_000 // 12_000)
    monkeypatch.setattr(device, "max_allocation", 40_000)
    assert module.rows_at_once(device, arithmetic, 1000) == (4 if module is dijkstra_heap else 10)
    assert module.rows_at_once(device, arithmetic, 10**9) == 1


@pytest.mark.parametrize("name", NAMES)
def test_in_parts(device: Device, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = named("random").graph()
    right = reedsp.sssp(graph, range(20), "near-far", device=device)
    module = dijkstra_heap if name == "dijkstra-heap" else dijkstra_array
    monkeypatch.setattr(module, "rows_at_once", lambda *arguments: 3)
    seen: list[tuple[int, int]] = []
    paths = reedsp.sssp(graph, range(20), name, device=device, progress=lambda *words: seen.append(words))
    assert np.array_equal(paths.dist, right.dist)
    assert paths.rounds == np.isfinite(right.dist).sum()
    assert seen[-1] == (20, 20)


@pytest.mark.deep("array")
@pytest.mark.parametrize("name", NAMES)
def test_forms_of_gpus(device: Device, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Heaps side by side and in groups; arrays in local memory of groups of many work-items."""
    graph = named("random").graph()
    right = reedsp.sssp(graph, range(70), "near-far", device=device)
    built: list[dict[str, Any]] = []
    kernel = Device.kernel
    monkeypatch.setattr(Device, "kernel", lambda self, *a, **k: built.append(k) or kernel(self, *a, **k))
    monkeypatch.setattr(device, "kind", "gpu")
    monkeypatch.setattr(device, "compute_units", 1)
    paths = reedsp.sssp(graph, range(70), name, device=device)
    assert np.array_equal(paths.dist, right.dist)
    assert np.array_equal(paths.pred, right.pred)
    forms = [k for k in built if "COUNTS" in k]
    assert forms
    for form in forms:
        if name == "dijkstra-heap":
            assert (form["INTERLEAVED"], form["GROUP_SIZE"]) == (1, 32)
        else:
            assert (form["IN_LOCAL"], form["GROUP_SIZE"], form["CAPACITY"]) == (1, 256, 1024)
