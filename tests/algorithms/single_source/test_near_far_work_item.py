"""Near-far on CPU devices: one work-item a row, and several work-items for one row."""

from __future__ import annotations

import functools
import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

import reedsp
from reedsp.algorithms.single_source import near_far, near_far_work_item, sssp
from reedsp.algorithms.single_source.task import Outcome, Task
from reedsp.arithmetic.paths import Arithmetic, choose_arithmetic
from reedsp.device import iterate
from reedsp.device.device import Device
from reedsp.device.job import Job
from reedsp.edges.device_graph import OutEdges
from reedsp.edges.predecessors import find_trees_outgoing
from tests.algorithms.single_source.answers import check_ceilings, check_targets, exact, expected, nearest, references
from tests.support import oracle
from tests.support.families import NOT_NEGATIVE, Family, _relabel_killer, named

INT32, INT64, FLOAT32, FLOAT64 = map(np.dtype, (np.int32, np.int64, np.float32, np.float64))
BIG = 100_000
TINY = {
    "_CHUNK": 3,
    "_SPARE_ROOM": 0,
    "_ROWS_BUDGET": 7,
    "_SECONDS": 0.0,  # the budget never grows
    "_TEAM_BUDGET": 16,
    "_SLICE": 5,
    "_FEW": 2,
    "_PATIENCE": 3,
    "_LAG": 1,
    "_FIRST_BATCH": 1,
}


@pytest.fixture(params=["as it is", "tiny"])
def setting(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Piles and budgets as they are, or so small that entries are cleared away and launches end all the time."""
    if request.param == "tiny":
        use(monkeypatch, **TINY)
    return request.param


def use(monkeypatch: pytest.MonkeyPatch, **constants: float) -> None:
    for name, value in constants.items():
        monkeypatch.setattr(iterate if name == "_SECONDS" else near_far_work_item, name, value)


def solve(
    device: Device, graph: reedsp.Graph, arithmetic: Arithmetic, starts: Sequence[Sequence[int]], **options: object
) -> np.ndarray:
    job = Job(device)
    edges = OutEdges.of(graph, job, arithmetic)
    dist, rounds = near_far_work_item.solve(job, edges, arithmetic, starts, **options)
    assert rounds > 0
    return job.download(dist, len(starts) * graph.n, arithmetic.dtype).reshape(len(starts), graph.n)


@pytest.mark.deep
@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("family", NOT_NEGATIVE, ids=lambda family: family.name)
def test_integers(device: Device, family: Family, workers: int, setting: str) -> None:
    graph = family.graph()
    narrow = choose_arithmetic(graph, INT64)
    for arithmetic in {narrow, Arithmetic(INT64), Arithmetic(INT64, saturate=True)}:
        (row,) = solve(device, graph, arithmetic, [[family.source]], workers=workers)
        assert exact(row, arithmetic) == expected(family.name, family.source)


@pytest.mark.deep
@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("family", NOT_NEGATIVE, ids=lambda family: family.name)
def test_floats(device: Device, family: Family, workers: int, setting: str) -> None:
    """Sums that round are added from left to right, whatever the order of the relaxations."""
    weights = [w / 3 for w in family.weights]
    graph = family.graph(units=3)
    for arithmetic in (Arithmetic(FLOAT32), Arithmetic(FLOAT64)):
        rounded = [float(arithmetic.dtype.type(w)) for w in weights]
        edges = oracle.edges_of(family.sources, family.targets, rounded, family.directed)
        (row,) = solve(device, graph, arithmetic, [[family.source]], workers=workers)
        assert row.tolist() == oracle.left_to_right_distances(family.n, edges, family.source, arithmetic.dtype.type)


@pytest.mark.deep
@pytest.mark.parametrize("family", NOT_NEGATIVE, ids=lambda family: family.name)
def test_rows(device: Device, family: Family, setting: str) -> None:
    """More rows than work-items, rows with several starts, and a vertex given twice."""
    rng = np.random.default_rng(9)
    starts = [rng.integers(0, family.n, count).tolist() for count in (1, 3, 1, 2, 1)]
    starts[1] += starts[1]
    graph = family.graph()
    arithmetic = choose_arithmetic(graph, INT64)
    for workers in (1, 2, 3, 40):
        rows = solve(device, graph, arithmetic, starts, workers=workers)
        assert [exact(row, arithmetic) for row in rows] == [nearest(family.name, row) for row in starts]
    (together,) = solve(device, graph, arithmetic, starts[1:2], workers=2)
    assert exact(together, arithmetic) == nearest(family.name, starts[1])


def trees(
    device: Device, graph: reedsp.Graph, starts: Sequence[Sequence[int]], **options: object
) -> tuple[np.ndarray, np.ndarray]:
    job, arithmetic = Job(device), Arithmetic(INT32)
    edges = OutEdges.of(graph, job, arithmetic)
    dist, _, noted = near_far_work_item.solve_with_trees(job, edges, arithmetic, starts, **options)
    shape = len(starts), graph.n
    final, before = (job.download(each, shape[0] * shape[1], INT32) for each in (dist, noted.predecessors))
    without = int(np.sum((final != arithmetic.infinity) & (before < 0)))
    assert job.download(noted.counts, 2, np.uint32).tolist() == [without, 0]
    found = find_trees_outgoing(job, edges, arithmetic, dist, starts, False, noted).predecessors
    return tuple(job.download(each, shape[0] * shape[1], INT32).reshape(shape) for each in (dist, found))


@pytest.mark.deep
@pytest.mark.parametrize("workers", [1, 2, 3])
@pytest.mark.parametrize("family", NOT_NEGATIVE, ids=lambda family: family.name)
def test_trees_are_noted(device: Device, family: Family, workers: int, setting: str) -> None:
    """Where edges weigh nothing hop levels decide afterwards, of vertices that no edge with a weight is tight to."""
    weights = np.array(family.weights)
    if max(weights, default=0) * family.n >= 2**31 - 1:
        weights = weights % 50
    for changed in (weights, np.maximum(weights, 1), weights % 3):  # the last have many ties
        other = replace(family, weights=changed.tolist())
        graph, edges = other.graph(), other.edges
        sources = [family.source] if workers < 3 else [family.source, 0, family.n - 1]
        dist, pred = trees(device, graph, [[source] for source in sources], workers=workers)
        for source, ours, before in zip(sources, dist, pred, strict=True):
            right = oracle.distances(family.n, edges, source)
            assert exact(ours, Arithmetic(INT32)) == right
            assert before.tolist() == oracle.predecessors(family.n, edges, source, right)


@pytest.mark.deep("tiny")
@pytest.mark.parametrize("workers", [1, 2])
def test_trees_up_to_a_ceiling_and_from_several_starts(device: Device, workers: int, setting: str) -> None:
    family = named("random")
    family = replace(family, weights=[w + 1 for w in family.weights])
    graph, edges = family.graph(), family.edges
    starts = [family.source, 3]
    columns = zip(*(oracle.distances(family.n, edges, start) for start in starts), strict=True)
    right = [min((d for d in column if d is not None), default=None) for column in columns]
    cutoff = int(sorted(d for d in right if d is not None)[len(right) // 2])
    for ceiling in (None, cutoff + 1):
        (dist,), (pred,) = trees(device, graph, [starts], ceiling=ceiling, workers=workers)
        within = [d if d is not None and (ceiling is None or d < ceiling) else None for d in right]
        assert exact(dist, Arithmetic(INT32)) == within
        before = dict.fromkeys(range(family.n), -9999)
        for u, v, w in sorted(edges, reverse=True):
            if v not in starts and None not in (within[u], within[v]) and within[u] + w == within[v]:
                before[v] = u
        assert pred.tolist() == list(before.values())


def test_what_notes_trees(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """Predecessors are noted if they are wanted; a device that does it wrong finds them afterwards."""
    noted, solve_with_trees = [], near_far_work_item.solve_with_trees

    def counted(*arguments: object, **options: object) -> object:
        noted.append(True)
        return solve_with_trees(*arguments, **options)  # type: ignore[arg-type]

    graph = named("random").graph()
    expected = reedsp.sssp(graph, 0, "input-parallel", device=device).pred.tolist()
    for module in (near_far, sssp):  # as on a CPU
        monkeypatch.setattr(module, "chosen_form", lambda *_: False)
    assert reedsp.sssp(graph, 0, "near-far", device=device).pred.tolist() == expected  # what is tried at first use
    monkeypatch.setattr(near_far_work_item, "solve_with_trees", counted)
    for wanted in ({}, {"target": graph.n - 1}):
        noted.clear()
        reedsp.sssp(graph, 0, "near-far", device=device, **wanted)
        assert len(noted) == (not wanted)
    noted.clear()
    sssp.rows_from(graph, [[0]], predecessors=False)
    assert reedsp.sssp(graph, 0, "near-far", device=device, dtype="int64").pred.tolist() == expected
    monkeypatch.setattr(near_far_work_item, "is_trusted", lambda device, name, *trial: "notes trees" not in name)
    assert reedsp.sssp(graph, 0, "near-far", device=device).pred.tolist() == expected
    assert len(noted) == 1


@pytest.mark.deep("-2", "tiny")
@pytest.mark.parametrize("workers", [1, 2])
def test_ceiling(device: Device, workers: int, setting: str) -> None:
    check_ceilings(functools.partial(solve, device, workers=workers))


@pytest.mark.deep("random", "grid")
@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("name", ["random", "grid", "zero-weight cycles", "disconnected"])
def test_target(device: Device, name: str, workers: int, setting: str) -> None:
    check_targets(name, functools.partial(solve, device, workers=workers, delta=3))


def test_target_saves_work(device: Device) -> None:
    n = 10_000
    graph = reedsp.Graph.from_edges(n, range(n - 1), range(1, n), np.full(n - 1, 5))
    for workers in (1, 2):
        (row,) = solve(device, graph, choose_arithmetic(graph, INT64), [[0]], target=20, workers=workers)
        assert row[:21].tolist() == list(range(0, 101, 5))
        assert row[-1] == np.iinfo(row.dtype).max


@pytest.mark.deep("tiny", "as it is-0-2", "as it is-1-2")
@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("delta", [0, 1, 17.5, 1e300])
def test_any_width_of_the_interval(device: Device, delta: float, workers: int, setting: str) -> None:
    for name in ("random", "random, dense, many ties", "relabel killer", "beyond int32"):
        family = named(name)
        graph = family.graph()
        for arithmetic in (choose_arithmetic(graph, INT64), Arithmetic(FLOAT64)):
            (row,) = solve(device, graph, arithmetic, [[family.source]], delta=delta, workers=workers)
            assert exact(row, arithmetic) == expected(name, family.source)


@pytest.mark.parametrize("workers", [1, 2])
def test_sums_beyond_the_type_are_not_reached(device: Device, workers: int) -> None:
    weight = 2**62 - 1
    graph = reedsp.Graph.from_edges(5, [0, 1, 2, 3], [1, 2, 3, 4], np.array([weight, weight, 0, weight]))
    arithmetic = choose_arithmetic(graph, INT64)
    assert arithmetic == Arithmetic(INT64, saturate=True)
    (row,) = solve(device, graph, arithmetic, [[0]], workers=workers)
    assert exact(row, arithmetic) == [0, weight, 2 * weight, 2 * weight, None]


@pytest.mark.parametrize("workers", [1, 2])
def test_subnormal_and_huge_floats(device: Device, workers: int, setting: str) -> None:
    least, huge = 5e-324, 1e308
    weights = np.array([least, least, huge, huge / 4, 0.0])
    graph = reedsp.Graph.from_edges(6, [0, 1, 2, 3, 4], [1, 2, 3, 4, 5], weights)
    (row,) = solve(device, graph, Arithmetic(FLOAT64), [[0]], workers=workers)
    assert row.tolist() == np.cumsum([0.0, *weights]).tolist()


def test_a_device_without_64_bit_atomics(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """One work-item solves the row."""
    monkeypatch.setattr(device, "int64_atomics", False)
    family = NOT_NEGATIVE[-1]
    graph = family.graph()
    asked: list[str] = []
    kernel = Device.kernel
    monkeypatch.setattr(Device, "kernel", lambda self, file, *a, **k: asked.append(file) or kernel(self, file, *a, **k))
    for arithmetic in (Arithmetic(INT64), Arithmetic(FLOAT64)):
        (row,) = solve(device, graph, arithmetic, [[family.source]], workers=2)
        assert exact(row, arithmetic) == expected(family.name, family.source)
    assert set(asked) == {"edges/prepare.cl", "single_source/near_far_work_item.cl"}
    solve(device, graph, Arithmetic(INT32), [[family.source]], workers=2)
    assert "single_source/near_far_team.cl" in asked


@pytest.mark.parametrize("trusted", [True, False])
def test_a_team_that_is_wrong(trusted: bool, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """One work-item solves the row instead."""
    asked: list[str] = []
    kernel = Device.kernel
    family = NOT_NEGATIVE[-1]
    monkeypatch.setattr(device, "compute_units", 2)
    monkeypatch.setattr(near_far_work_item.settings, "TEAM_EDGES", 0)
    monkeypatch.setattr(near_far_work_item, "is_trusted", lambda device, name, *trial: trusted or "team" not in name)
    monkeypatch.setattr(Device, "kernel", lambda self, file, *a, **k: asked.append(file) or kernel(self, file, *a, **k))
    (row,) = solve(device, family.graph(), Arithmetic(INT32), [[family.source]])
    assert exact(row, Arithmetic(INT32)) == expected(family.name, family.source)
    assert ("single_source/near_far_team.cl" in asked) == trusted


@pytest.mark.deep
def test_a_device_whose_loads_are_not_atomic(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work-items read by atomic operations what the others lower."""
    monkeypatch.setattr(device, "loads_are_atomic", False)
    asked: list[object] = []
    kernel = Device.kernel
    monkeypatch.setattr(Device, "kernel", lambda *a, **k: asked.append(k.get("ATOMIC_LOADS")) or kernel(*a, **k))
    for family in NOT_NEGATIVE[:4]:
        for arithmetic in (Arithmetic(INT32), Arithmetic(INT64), Arithmetic(FLOAT64)):
            (row,) = solve(device, family.graph(), arithmetic, [[family.source]], workers=3)
            assert exact(row, arithmetic) == expected(family.name, family.source)
    assert set(asked) == {1, None}  # None: where nothing is shared


def test_progress_is_reported_between_launches(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, **TINY)
    family = named("grid")
    graph = family.graph()
    for starts, workers in (([[0]], 1), ([[0]], 2), ([[0], [1]], 2)):
        seen: list[tuple[int, int]] = []
        options = {"workers": workers, "progress": lambda *words, seen=seen: seen.append(words)}
        solve(device, graph, choose_arithmetic(graph, INT64), starts, **options)
        assert len(seen) > 3
        assert seen == sorted(seen)
        assert {n for _, n in seen} == {graph.n}


@pytest.mark.parametrize(
    ("kind", "at_once", "rows", "parts"),
    [
        ("cpu", 15, 64, [12, 12, 12, 12, 12, 4]),
        ("cpu", 15, 13, [8, 5]),
        ("cpu", 3, 7, [3, 3, 1]),
        ("cpu", 100, 7, [7]),
        ("gpu", 15, 64, [13, 13, 13, 13, 12]),
    ],
)
def test_parts_of_which_each_core_gets_as_many_rows(
    kind: str, at_once: int, rows: int, parts: list[int], device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: list[int] = []

    def solve_part(delta: object, work_groups: object, balance: object, notes_trees: object, task: Task) -> Outcome:
        taken.append(len(task.starts))
        return Outcome(1)

    monkeypatch.setattr(near_far, "_solve", solve_part)
    monkeypatch.setattr(near_far, "rows_at_once", lambda *arguments: at_once)
    monkeypatch.setattr(sssp, "chosen_form", lambda *arguments: False)  # it is of another kind
    monkeypatch.setattr(device, "kind", kind)
    monkeypatch.setattr(device, "compute_units", 4)
    reedsp.sssp(reedsp.Graph.from_edges(rows, [0], [1], [1]), range(rows), "near-far", dtype="int32", device=device)
    assert taken == parts


def test_not_more_work_items_than_memory(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    family = named("random")
    graph = family.graph()
    arithmetic = choose_arithmetic(graph, INT64)
    monkeypatch.setattr(device, "max_allocation", 12_000)  # two piles; four are more
    for starts in ([[0]], [[0], [1], [2]]):
        rows = solve(device, graph, arithmetic, starts, workers=1000)
        assert [exact(row, arithmetic) for row in rows] == [expected(family.name, start) for (start,) in starts]


# ---- large graphs ------------------------------------------------------------------------------------


def check(device: Device, graph: reedsp.Graph, right: np.ndarray, source: int = 0, **options: object) -> None:
    arithmetic = choose_arithmetic(graph, INT64)
    (row,) = solve(device, graph, arithmetic, [[source]], **options)
    assert np.array_equal(np.where(row == arithmetic.infinity, np.inf, row), right)


def large(name: str) -> reedsp.Graph:
    """Return a graph of a hundred thousand edges."""
    rng = np.random.default_rng(17)
    if name == "grid":
        side = 160
        vertex = np.arange(side * side).reshape(side, side)
        u = np.concatenate((vertex[:, :-1].ravel(), vertex[:-1].ravel()))
        v = np.concatenate((vertex[:, 1:].ravel(), vertex[1:].ravel()))
        return reedsp.Graph.from_edges(side * side, u, v, rng.integers(1, 1001, len(u)), directed=False)
    n = 5_000 if name == "hubs" else 20_000
    u, v = (n * rng.random((2, BIG)) ** (3 if name == "hubs" else 1)).astype(np.int64)
    return reedsp.Graph.from_edges(n, u, v, rng.integers(0 if name == "hubs" else 1, 1001, BIG))


@pytest.mark.deep
@pytest.mark.parametrize("workers", [1, 2, 3])
@pytest.mark.parametrize("name", ["grid", "uniform", "hubs"])
def test_large(device: Device, name: str, workers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work-items that meet all the time, again and again, in every rhythm."""
    graph = large(name)
    right = references(graph, 0)
    for repetition in range(10 if workers == 1 else 60):
        few, budget, patience = ((512, 1 << 18, 50_000), (8, 3000, 100), (64, 20_000, 2000))[repetition % 3]
        use(monkeypatch, _FEW=few, _TEAM_BUDGET=budget, _PATIENCE=patience, _SLICE=budget // 8)
        check(device, graph, right, workers=workers, delta=(None, 30, 2000)[repetition // 3 % 3])


@pytest.mark.deep
def test_large_in_64_bits(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, _FEW=32, _TEAM_BUDGET=5000, _SLICE=500)
    whole = large("uniform")
    right = references(whole, 0)
    graph = reedsp.Graph(whole.indptr, whole.indices, whole.weights << 32, directed=True)
    for _ in range(20):
        for arithmetic in (Arithmetic(INT64), Arithmetic(FLOAT64)):
            (row,) = solve(device, graph, arithmetic, [[0]], workers=2)
            assert np.array_equal(np.where(row == arithmetic.infinity, np.inf, row / 2.0**32), right)


def test_large_rows(device: Device) -> None:
    graph = large("grid")
    arithmetic = choose_arithmetic(graph, INT64)
    sources = list(range(0, graph.n, graph.n // 9))
    rows = solve(device, graph, arithmetic, [[source] for source in sources])
    assert all(np.array_equal(row, references(graph, source)) for row, source in zip(rows, sources, strict=True))


def path(n: int, shuffled: bool) -> reedsp.Graph:
    order = np.random.default_rng(1).permutation(n) if shuffled else np.arange(n)
    return reedsp.Graph.from_edges(n, order[:-1], order[1:], np.arange(n - 1) % 7)


def star(leaves: int, weights: np.ndarray) -> reedsp.Graph:
    return reedsp.Graph.from_edges(leaves + 1, np.zeros(leaves, np.int64), np.arange(1, leaves + 1), weights)


HARD = {
    "path": lambda n: path(n, shuffled=False),
    "shuffled path": lambda n: path(n, shuffled=True),
    "star": lambda n: star(n, 1 + np.arange(n) % 1000),
    "star of very different weights": lambda n: star(n, (1.00002 ** np.arange(n)).astype(np.int64)),
    "star of distant weights": lambda n: star(n, np.where(np.arange(n) % 2, 1, np.arange(n) << 12)),
    "one huge weight": lambda n: star(n, np.where(np.arange(n) == n // 2, 2**40, 3)),
    "all weights 0": lambda n: reedsp.Graph.from_edges(
        n // 8, *np.random.default_rng(2).integers(0, n // 8, (2, n)), np.zeros(n, int)
    ),
    "all weights equal": lambda n: reedsp.Graph.from_edges(
        n // 8, *np.random.default_rng(3).integers(0, n // 8, (2, n)), np.full(n, 10**6)
    ),
}


@pytest.mark.deep
@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("name", HARD)
def test_hard_graphs_take_bounded_time(device: Device, name: str, workers: int) -> None:
    graph = HARD[name](1_000_000)
    source = int(np.random.default_rng(1).permutation(graph.n)[0]) if name == "shuffled path" else 0
    right = references(graph, source)
    started = time.perf_counter()
    check(device, graph, right, source, workers=workers)
    assert time.perf_counter() - started < 20  # a pile that is scanned for every entry takes hours


@pytest.mark.parametrize("workers", [1, 2])
def test_relabelling_stays_polynomial(device: Device, workers: int) -> None:
    """2**20 relabellings are possible here, and 2**40."""
    for k in (20, 40):
        family = _relabel_killer(k)
        graph = family.graph()
        for delta in (None, 1, 2.0**k, 1e300):
            arithmetic = choose_arithmetic(graph, INT64)
            (row,) = solve(device, graph, arithmetic, [[0]], workers=workers, delta=delta)
            assert exact(row, arithmetic) == oracle.distances(family.n, family.edges, 0)


def test_rounds_are_those_of_all_rows_and_launches(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """One for each edge of a path, all of which are longer than the interval is wide, and one behind the last."""
    path = reedsp.Graph.from_edges(6, range(4), range(1, 5), [100, 101, 102, 103])
    for constants in ({}, TINY):
        use(monkeypatch, **constants)
        arithmetic, job = Arithmetic(INT32), Job(device)
        edges = OutEdges.of(path, job, arithmetic)
        starts = [[0], [5], [3], [4], [1]]
        _, rounds = near_far_work_item.solve(job, edges, arithmetic, starts, delta=1.0, workers=2)
        assert rounds == 5 + 1 + 2 + 1 + 4
