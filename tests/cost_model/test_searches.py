"""What searches do, count by count: on machines on which all is free but one thing, which takes a second each time."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from reedsp.cost_model import searches
from reedsp.cost_model.counts import search_on_cpu
from reedsp.cost_model.families import Known
from reedsp.cost_model.machine import UNITS, Machine
from reedsp.cost_model.searches import Counted, Searches
from reedsp.cost_model.work import total

NOTHING, ENDLESS = 1e-18, 1e18
RATES = ("bandwidth", "random_reads", "atomic_minima", "upload", "download")
FREE = Machine(
    latencies=((1, NOTHING), (2, NOTHING)),
    pairs={"int32": ENDLESS},
    **{"coalesced": 1, "threads": 1, **dict.fromkeys(RATES, ENDLESS)},
    **dict.fromkeys(("barrier", "launch", "read_back"), NOTHING),
)
ONE = {
    **{name: replace(FREE, **{name: 1.0}) for name in UNITS if name not in ("coalesced", "threads")},
    "waits": replace(FREE, latencies=((1, NOTHING), (2, 1.0))),
    "waits and steps": replace(FREE, latencies=((1, 1.0),)),
}
"""Machines on which one thing takes a second."""

CPU, GPU = (Known(FREE, kind, 4, "nothing") for kind in ("cpu", "gpu"))
LARGE = Searches(4096, 4096, True, 1, "int32", 8)
"""Of which a search is expected to find all, along one edge to each vertex."""
NEAR_FAR, GROUPS, CHANGED, ALL = "near-far", "bellman-ford", "input-parallel-refined", "output-parallel"
QUEUE = "bellman-ford-queue"
BFS, BFS_IN_GROUPS = "breadth-first", "breadth-first in groups"
METHODS = {**searches.METHODS, BFS: searches.breadth_first, BFS_IN_GROUPS: searches.breadth_first_in_groups}


def counted(method: str, asked: Searches, known: Known) -> Counted:
    return METHODS[method](asked, known)


def host(method: str, asked: Searches, known: Known) -> float:
    """Return the seconds that the host takes."""
    return sum(each.host for each in counted(method, asked, known)[0])


def count(what: str, method: str, asked: Searches, known: Known) -> float:
    """Return how many there are of what takes time."""
    if what == "steps":
        return count("waits and steps", method, asked, known) - count("waits", method, asked, known)
    return total([each._replace(host=0.0) for each in counted(method, asked, known)[0]], ONE[what])


def near(value: float) -> float:
    return pytest.approx(value, rel=1e-9, abs=1e-6)  # type: ignore[no-any-return]


def of(known: Known, units: int) -> Known:
    """Return a device of so many units."""
    return replace(known, units=units)


# ---- near-far ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("degree", "directed", "ways"), [(1, True, 1), (4, True, 4), (4, False, 3), (2, False, 1)])
def test_near_far_by_a_thread(degree: int, directed: bool, ways: int) -> None:
    """Each edge takes 0.4 steps and 0.2 waits, each distance that is lowered 8.4 and 0.1, and trees a third of a step.

    A distance is lowered 1 + ln k times, where there are k ways to a vertex: not the one that an undirected edge led.
    """
    asked = Searches(4096, 4096 * degree, directed, 1, "int32", 8)
    lowered = 4096 * (1 + math.log(ways))
    assert count("steps", NEAR_FAR, asked, CPU) == near((0.4 + 0.33) * asked.m + 8.4 * lowered)
    assert count("waits", NEAR_FAR, asked, CPU) == near(0.2 * asked.m + 0.1 * lowered)
    added = asked._replace(stays=True)
    assert count("steps", NEAR_FAR, added, CPU) == near(0.4 * asked.m + 8.4 * lowered)


def test_edges_that_lead_far_away() -> None:
    """A vertex waits once, and an edge a tenth of it, anywhere in edges and distances, within a factor of two."""
    asked = LARGE._replace(m=3 * LARGE.n, rows=3)
    far = asked._replace(scattered=0.5)
    more = count("waits", NEAR_FAR, far, CPU) - count("waits", NEAR_FAR, asked, CPU)
    assert more == near(0.5 * (LARGE.n + 0.1 * asked.m))
    (_, _, strayed, _), factor = counted(NEAR_FAR, far, CPU)
    assert (strayed.footprint, factor) == (8 * (asked.n + asked.m), 2)
    assert counted(NEAR_FAR, asked, CPU)[1] == 1
    assert count("waits", NEAR_FAR, far, GPU) == count("waits", NEAR_FAR, asked, GPU)


def test_a_small_thin_graph_is_found_in_part() -> None:
    """A fifth of it: up to 3000 vertices, from which no more edges lead, in one direction."""
    small = Searches(3000, 3000, True, 1, "int32", 8)
    for method in (NEAR_FAR, BFS):
        part, all_of_it = (count("waits", method, small._replace(directed=directed), CPU) for directed in (True, False))
        assert part == near(all_of_it / 5)
        for larger in (small._replace(n=3001), small._replace(m=3001)):
            assert count("waits", method, larger, CPU) == pytest.approx(all_of_it, rel=1e-3)
    nothing = Searches(4, 0, True, 1, "int32", 8)
    assert count("steps", NEAR_FAR, nothing, CPU) == near(8.4)  # of the source itself


def test_threads_share_rows_or_the_only_one() -> None:
    asked = LARGE._replace(m=1 << 18)
    for what in ("steps", "waits"):
        alone = count(what, NEAR_FAR, asked, of(CPU, 1))
        for units, sharers in ((2, 2), (8, 8), (64, 8)):  # eight at most
            assert count(what, NEAR_FAR, asked, of(CPU, units)) == near(alone / sharers)
            assert count(what, NEAR_FAR, asked._replace(rows=96), of(CPU, units)) == near(alone * 96 / units)
        smaller = asked._replace(m=(1 << 18) - 1)
        assert count(what, NEAR_FAR, smaller, of(CPU, 8)) == count(what, NEAR_FAR, smaller, of(CPU, 1))
        assert count(what, NEAR_FAR, asked._replace(rows=3), of(CPU, 8)) == near(alone)


def test_near_far_by_work_groups() -> None:
    """A whole GPU waits 20 times the root of n, and a work-group for a further row 160 times, or 60 where it stays."""
    asked = Searches(2500, 10_000, True, 1, "int32", 8)
    many = asked._replace(rows=1 + 4 * 3)  # three further ones for each of four work-groups
    assert count("waits", NEAR_FAR, asked, GPU) == near(20 * 50)
    assert count("waits", NEAR_FAR, many, GPU) == near((20 + 3 * 160) * 50)
    assert count("waits", NEAR_FAR, many._replace(stays=True), GPU) == near((20 + 3 * 60) * 50)
    assert count("atomic_minima", NEAR_FAR, many, GPU) == near(many.m * many.rows)
    assert counted(NEAR_FAR, many, GPU)[0][1].footprint == 8 * (many.n + many.m)


@pytest.mark.parametrize(("known", "method"), [(CPU, NEAR_FAR), (GPU, NEAR_FAR), (CPU, BFS), (GPU, BFS)])
def test_each_vertex_of_a_row_is_filled_split_and_copied(known: Known, method: str) -> None:
    """In 60 bytes; and what a search finds is copied from a GPU, if it is wanted."""
    asked = LARGE._replace(rows=5, size=8)
    vertices = asked.n * asked.rows
    assert count("bandwidth", method, asked, known) == near(60 * vertices)
    assert count("download", method, asked._replace(stays=True), known) == near(0)
    tree = 4
    found = 8 + tree if method == NEAR_FAR else 4 + tree
    assert count("download", method, asked, known) == near(0 if known is CPU else found * vertices)
    if method == NEAR_FAR and known is GPU:
        assert count("download", method, asked._replace(size=4), known) == near((4 + tree) * vertices)
    assert count("upload", method, asked, known) == near(0)  # the graph is on the device


def more_steps(method: str, asked: Searches, known: Known) -> float:
    """Return the steps of a method beside those of near-far."""
    return count("steps", method, asked, known) - count("steps", NEAR_FAR, asked, known)


def test_all_distances_are_looked_at_for_each_vertex() -> None:
    """A hundredth of a step for each of their bytes, by a thread a row."""
    for arithmetic, size in (("int32", 4), ("int64", 8)):
        asked = LARGE._replace(arithmetic=arithmetic)
        assert more_steps("dijkstra-array", asked, CPU) == near(0.01 * size * asked.n**2)
        assert more_steps("dijkstra-array", asked._replace(rows=12), CPU) == near(3 * 0.01 * size * asked.n**2)
    part = Searches(3000, 3000, True, 1, "int32", 8)
    assert more_steps("dijkstra-array", part, CPU) == near(0.04 * 3000**2 / 5)


def test_all_bits_are_looked_at_in_each_round() -> None:
    """Half a step for 32 vertices; as many rounds as levels, or as a thin graph may have."""
    local, words, root = "near-far-local", LARGE.n / 32, 64
    for thin in (LARGE, LARGE._replace(m=2 * LARGE.n, directed=False)):
        assert more_steps(local, thin, CPU) == near(0.5 * words * root**1.5)
        assert more_steps(local, thin._replace(m=thin.m + 1), CPU) == near(0.5 * words * root)
        assert more_steps(local, thin._replace(rows=12), CPU) == near(3 * 0.5 * words * root**1.5)
    assert more_steps(local, LARGE._replace(m=7 * LARGE.n), CPU) == near(0.5 * words * 12)
    assert more_steps(local, Searches(2401, 2401, True, 1, "int32", 8), CPU) == near(0.5 * 2401 / 32 * 343 / 5)


# ---- rounds -----------------------------------------------------------------------------------------

ROUNDS = 3 * (1 + 12)
"""Of a row, of 2^12 vertices: 3 (1 + log2 n)."""
ROWS = LARGE._replace(m=20_000, rows=6, negative=True)


@pytest.mark.parametrize("known", [CPU, GPU])
def test_launches_and_looks_of_rounds(known: Known) -> None:
    """Rounds of all edges take two launches, on a GPU three, of changed vertices 1.2, or five; a look every four."""
    rounds = ROUNDS * ROWS.rows
    changed, looks = (1.2, 0.4) if known is CPU else (5, 0.25)
    assert count("launch", ALL, ROWS, known) == near((2 if known is CPU else 3) * rounds)
    assert count("read_back", ALL, ROWS, known) == near(rounds / 4)
    assert count("launch", CHANGED, ROWS, known) == near(changed * rounds)
    assert count("read_back", CHANGED, ROWS, known) == near(looks * rounds)
    for what in ("launch", "read_back"):  # a work-group makes its rounds alone
        assert count(what, GROUPS, ROWS, known) == near(count(what, GROUPS, ROWS._replace(rows=1, n=4), known))
    assert count("random_reads", ALL, ROWS, known) == near(rounds * ROWS.m)
    assert count("random_reads", CHANGED, ROWS, known) == near(0 if known is CPU else rounds * ROWS.m)


def test_rounds_of_changed_vertices_are_shared_by_all_threads() -> None:
    """An edge takes 0.9 steps of a round, and the tree of each row 100 for each vertex, found hop by hop."""
    steps = 0.9 * ROUNDS * ROWS.rows * ROWS.m + 100 * ROWS.n * ROWS.rows
    for units in (1, 4, 64):
        assert count("steps", CHANGED, ROWS, of(CPU, units)) == near(steps / units)
    assert count("waits", CHANGED, ROWS, CPU) == near(0)


def test_rounds_of_a_row_by_a_thread() -> None:
    """An edge takes 0.4 steps and 0.15 waits of a round; threads make a row each."""
    for units, turns in ((1, 6), (3, 2), (6, 1), (64, 1)):
        known = of(CPU, units)
        assert count("steps", GROUPS, ROWS, known) == near(turns * (0.4 * ROUNDS * ROWS.m + 100 * ROWS.n))
        assert count("waits", GROUPS, ROWS, known) == near(turns * 0.15 * ROUNDS * ROWS.m)
    wide, narrow = (counted(GROUPS, ROWS._replace(arithmetic=each), CPU)[0][1] for each in ("int64", "int32"))
    assert wide.footprint == 2 * narrow.footprint == 16 * ROWS.n


def test_rounds_of_a_row_by_a_work_group() -> None:
    """A word anywhere is read for each vertex, and every fourth edge, at the rate of a unit; and there are 15 waits."""
    reads = ROUNDS * (ROWS.n + ROWS.m / 4)
    for units, turns in ((1, 6), (3, 2), (6, 1), (64, 1)):
        assert count("random_reads", GROUPS, ROWS, of(GPU, units)) == near(units * turns * reads)
        assert count("waits", GROUPS, ROWS, of(GPU, units)) == near(turns * 15 * ROUNDS)
    assert counted(GROUPS, ROWS, GPU)[0][1].footprint == 8 * (ROWS.n + ROWS.m)


def test_a_queue() -> None:
    """Each edge is relaxed three times, by a thread of a CPU as where no weights are negative; a GPU waits for each."""
    for units, turns in ((1, 6), (3, 2), (6, 1), (64, 1)):
        work = search_on_cpu(ROWS.n, 3 * ROWS.m, ROWS.n, True, 4, trees=True, rows=turns)
        assert count("steps", QUEUE, ROWS, of(CPU, units)) == near(work.steps)
        assert count("waits", QUEUE, ROWS, of(CPU, units)) == near(work.waits)
        assert count("waits", QUEUE, ROWS, of(GPU, units)) == near(turns * 3 * ROWS.m)
    assert sum(each.bytes for each in counted(QUEUE, ROWS, CPU)[0]) == 60 * ROWS.n * ROWS.rows
    assert counted(QUEUE, ROWS, GPU)[0][1].footprint == 8 * (ROWS.n + ROWS.m)


# ---- breadth-first ----------------------------------------------------------------------------------


def test_levels_by_threads() -> None:
    """An edge takes 0.5 steps and 0.15 waits, of a vertex no more than eight, and a vertex 12 and 1.2."""
    for degree, looked_at in ((1, 1), (8, 8), (9, 8), (100, 8)):
        asked = LARGE._replace(m=degree * LARGE.n)
        assert count("steps", BFS, asked, CPU) == near((0.5 * looked_at + 12) * asked.n)
        assert count("waits", BFS, asked, CPU) == near((0.15 * looked_at + 1.2) * asked.n)
        for units, turns in ((1, 6), (3, 2), (6, 1), (64, 1)):
            shared = count("waits", BFS, asked._replace(rows=6), of(CPU, units))
            assert shared == near(turns * count("waits", BFS, asked, CPU))
    (_, search, _), _ = counted(BFS, LARGE, CPU)
    assert search.footprint == 2 * LARGE.n  # levels of two bytes


@pytest.mark.parametrize(("m", "levels"), [(6 << 12, 1 << 6), ((6 << 12) + 1, 12)])
def test_levels_by_work_groups(m: int, levels: int) -> None:
    """There are as many levels as the root of n with up to six edges a vertex, and its logarithm with more."""
    asked = LARGE._replace(m=m, rows=7)
    assert count("waits", BFS, asked, GPU) == near(60 * levels * 7)
    for units, turns in ((1, 7 / 4), (2, 1), (64, 1)):  # four work-groups of a unit at a time
        waits = count("waits", BFS_IN_GROUPS, asked, of(GPU, units))
        assert waits == near(turns * (25 * levels + 0.015 * m))
    for method in (BFS, BFS_IN_GROUPS):
        assert count("random_reads", method, asked, GPU) == near(7 * m)
        assert counted(method, asked, GPU)[0][1].footprint == 8 * m
        assert count("bandwidth", method, asked, GPU) == near(60 * asked.n * 7)
        assert count("download", method, asked, GPU) == near(8 * asked.n * 7)
        assert count("download", method, asked._replace(stays=True), GPU) == near(0)


def test_rows_of_levels_have_launches_of_their_own_but_in_groups() -> None:
    one, seven = LARGE, LARGE._replace(rows=7)
    for what in ("launch", "read_back"):
        assert count(what, BFS, seven, GPU) == near(7 * count(what, BFS, one, GPU))
        assert count(what, BFS, seven, CPU) == near(count(what, BFS, one, CPU))
        assert count(what, BFS, one, CPU) < count(what, BFS, one, GPU)
        assert count(what, BFS_IN_GROUPS, seven, GPU) == near(count(what, BFS_IN_GROUPS, one, GPU))


# ---- the host ---------------------------------------------------------------------------------------


def test_the_host_beside_a_device() -> None:
    """It takes 0.8 ms for each row that has a turn of its own on a CPU; a GPU is not waited for row by row."""
    for method, known, each in (
        *((CHANGED, CPU, 8e-4), (ALL, CPU, 8e-4), (BFS, CPU, 1e-5)),
        *((GROUPS, CPU, 0), (NEAR_FAR, CPU, 0), (QUEUE, CPU, 0)),
        *((name, GPU, 0) for name in (CHANGED, ALL, BFS, BFS_IN_GROUPS, GROUPS, NEAR_FAR, QUEUE)),
    ):
        one, many = (host(method, LARGE._replace(rows=rows), known) for rows in (1, 1001))
        assert many - one == pytest.approx(1000 * each), (method, known.kind)
        assert 1e-4 < one < 1.3e-3


def test_seconds_of_scipy() -> None:
    """0.1 ms, and for a source 8 µs, a vertex 38 ns, an edge 7, and 9 log2 n for each distance lowered again."""
    asked = Searches(1 << 14, 1 << 16, True, 1, "int32", 8)
    row = 8e-6 + 38e-9 * asked.n + 7e-9 * asked.m + 9e-9 * 14 * asked.n * math.log(4)
    assert searches.on_host(asked._replace(rows=11)) - searches.on_host(asked) == near(10 * row)
    assert searches.on_host(asked) - row == pytest.approx(1e-4, rel=0.06)
    undirected = 9e-9 * 14 * asked.n * (math.log(4) - math.log(3))
    assert searches.on_host(asked) - searches.on_host(asked._replace(directed=False)) == near(undirected)
    relaxed = 2.5e-9 * asked.n * asked.m  # once, for potentials, where sums are exact
    negative = asked._replace(negative=True)
    assert searches.on_host(negative) == near(1.05e-4 + 8e-6 + relaxed)
    assert searches.on_host(negative._replace(rows=3)) == near(1.05e-4 + relaxed + 3 * row)
    rounded = negative._replace(arithmetic="float64", rows=3)
    assert searches.on_host(rounded) == near(1.05e-4 + 1.5e-4 + 4 * (8e-6 + relaxed))
    thin = asked._replace(n=1000, m=500)  # nothing is lowered twice, and a fifth of it found
    assert searches.on_host(thin._replace(rows=2)) - searches.on_host(thin) == near(8e-6 + (38e-6 + 3.5e-6) / 5)
    levels = searches.levels_on_host(asked._replace(rows=3))
    assert levels == near(0.7 * searches.on_host(asked._replace(rows=3)) + 3 * 8e-9 * asked.n)


# ---- how far off, and how much memory ---------------------------------------------------------------


def test_rounds_may_be_off_by_ten_times() -> None:
    """A GPU by two; what one thread of a CPU does is known as well as the machine."""
    rounds = (GROUPS, CHANGED, ALL, QUEUE, "input-parallel", "dijkstra-heap", "dijkstra-array", "near-far-local")
    assert {counted(method, LARGE, known)[1] for method in rounds for known in (CPU, GPU)} == {10}
    assert [counted(NEAR_FAR, LARGE, known)[1] for known in (CPU, GPU)] == [1, 2]
    for method in rounds[-3:]:  # which do about as much
        assert counted(method, LARGE, GPU)[0] == counted(NEAR_FAR, LARGE, GPU)[0]
    assert counted("dijkstra-heap", LARGE, CPU)[0] == counted(NEAR_FAR, LARGE, CPU)[0]
    levels = ((BFS, CPU), (BFS, GPU), (BFS_IN_GROUPS, GPU))
    assert [counted(method, LARGE, known)[1] for method, known in levels] == [2, 2, 2]


def test_bytes_of_a_search() -> None:
    """Ends and weights of edges; of a vertex 8 bytes, 16 for each row, and 24 for each unit that has one."""
    n, m = 1000, 7000
    for arithmetic, size in (("int32", 4), ("int64", 8)):
        asked = Searches(n, m, True, 10, arithmetic, 8)
        for known in (CPU, GPU):  # of four units
            assert searches.bytes_of(asked, known, 10) == 2 * size * m + n * (8 + 4 * 24 + 10 * 16)
            assert searches.bytes_of(asked, known, 11) == searches.bytes_of(asked, known, 10)
            assert searches.bytes_of(asked, known, 3) == 2 * size * m + n * (8 + 3 * 24 + 3 * 16)
        added = asked._replace(stays=True)  # of which a CPU keeps nothing but distances
        assert searches.bytes_of(added, CPU, 10) == 2 * size * m + n * (8 + 4 * 24 + 10 * size)
        assert searches.bytes_of(added, GPU, 10) == searches.bytes_of(asked, GPU, 10)


def test_bytes_of_levels() -> None:
    asked = Searches(1000, 7000, True, 10, "int32", 8)
    of_rows = [searches.bytes_of_levels(asked, rows) for rows in (1, 2, 10, 11)]
    assert of_rows == [8 * 7000 + 1000 * (8 + 24 * rows) for rows in (1, 2, 10, 10)]
