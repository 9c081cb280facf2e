"""Sweeps by batches and by rounds give the same rows."""

from __future__ import annotations

import dataclasses
import functools
import itertools
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyopencl as cl
import pytest

import reedsp
from reedsp.algorithms.contraction import top, wide
from reedsp.algorithms.contraction.batches import Batches
from reedsp.algorithms.contraction.exact import units_of
from reedsp.algorithms.contraction.hierarchy import contract
from reedsp.algorithms.contraction.selfcheck import finds_known_rows
from reedsp.algorithms.contraction.sweep import sweep_to
from reedsp.algorithms.contraction.unpack import unpacked
from reedsp.algorithms.contraction.wide import Wide
from reedsp.arithmetic.paths import Arithmetic
from reedsp.device import build
from reedsp.device.job import Job, Kernel, Launched, recording, round_up
from tests.device import test_build
from tests.support.families import grid

GRID = grid("grid", 17, 23, seed=5)


@pytest.mark.deep
@pytest.mark.parametrize("rows", [1, 8, 9, 16, 17, 64, 65, 300])
@pytest.mark.parametrize("heavy", [1, 2**25])
@pytest.mark.parametrize("result", ["of the search", "float64"])
def test_sweeps_in_both_forms(rows: int, heavy: int, result: str, device: reedsp.Device) -> None:
    graph = dataclasses.replace(GRID, weights=[heavy * weight for weight in GRID.weights]).graph()
    job = Job(device)
    found = contract(graph, units_of(graph), job)
    narrow = np.int32 if heavy == 1 else np.int64
    arithmetic = Arithmetic(np.dtype(np.float64 if result == "float64" else narrow))
    rng = np.random.default_rng(rows)
    sources, targets = rng.integers(0, graph.n, (2, rows))
    expected = reedsp.sssp(graph, sources, "near-far", device=device, dtype="int64").dist
    few = Wide(found, job, small=5, waiting=4, top=64), Wide(found, job, waiting=1, top=0)
    for searches in (Batches(found, job), Wide(found, job), *few):
        for sweep, wanted in ((None, expected), (sweep_to(found, targets), expected[:, targets])):
            dist = np.empty(wanted.shape, arithmetic.dtype)
            with job.writes(dist) as results:
                searches.rows(job, found.rank[sources], arithmetic, results, sweep)
            assert np.array_equal(dist, wanted)


@pytest.mark.deep("True")
@pytest.mark.parametrize("trusted", [True, False])
def test_one_way_streets_between_the_highest_vertices(
    trusted: bool, device: reedsp.Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whose distances are those of a product, or of the climb where the device gives wrong ones."""

    def untrusted(*_: object) -> None:
        raise reedsp.DeviceError("no tiling is right")

    if not trusted:
        monkeypatch.setattr(top, "trusted_products", untrusted)
    rng = np.random.default_rng(8)
    graph = reedsp.Graph.from_edges(200, *rng.integers(0, 200, (2, 700)), rng.integers(0, 50, 700))
    job, sources = Job(device), np.arange(64)
    found, dist = contract(graph, units_of(graph), job), np.empty((64, 200))
    searches = Wide(found, job, top=128)
    assert searches._top.count == 128 * trusted
    with job.writes(dist) as results:
        searches.rows(job, found.rank[sources], Arithmetic(np.dtype(np.float64)), results)
    assert np.array_equal(dist, reedsp.sssp(graph, sources, "near-far", device=device).dist)


@pytest.mark.deep("int64")
@pytest.mark.parametrize(("most", "dtype"), [(2**30 - 2, np.int32), (2**53 - 1, np.int64)])
def test_the_greatest_distances_are_no_less_than_others(most: int, dtype: type, device: reedsp.Device) -> None:
    """In 32 bits one is only one less than what stands for no path."""
    graph, job = reedsp.Graph.from_edges(64, [0, 1], [1, 2], [most - 1, 1]), Job(device)
    found, dist = contract(graph, units_of(graph), job), np.empty((64, 64), dtype)
    assert found.up.weights.dtype == dtype
    searches = Wide(found, job, top=64)
    assert searches._top.count == 64
    lowering = [searches._top.lowering(job, job.allocate(64 * lanes, dtype), lanes) for lanes in (32, 64)]
    assert [each is None for each in lowering] == [True, False]
    with job.writes(dist) as results:
        searches.rows(job, found.rank[np.arange(64)], Arithmetic(np.dtype(dtype)), results)
    assert dist[[0, 0, 1], [1, 2, 2]].tolist() == [most - 1, most, 1]
    assert np.count_nonzero(dist == np.iinfo(dtype).max) == 64 * 64 - 64 - 3


def test_no_product_is_computed_of_fewer_vertices_than_a_tile_has(
    device: reedsp.Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph, job = reedsp.Graph.from_edges(64, [0, 1], [1, 2]), Job(device)
    monkeypatch.delattr(top, "trusted_products")
    searches = Wide(contract(graph, units_of(graph), job), job, top=63)
    assert searches._top.count == 0
    assert searches._top.lowering(job, job.allocate(64 * 64, np.int32), 64) is None


@pytest.mark.parametrize("form", [Batches, Wide])
def test_a_single_round_of_many_vertices(form: type[Batches | Wide], device: reedsp.Device) -> None:
    """No smaller ones are left to be swept over in one launch."""
    graph, job, n = reedsp.Graph.from_edges(500, [], []), Job(device), 500
    found, dist = contract(graph, units_of(graph), job), np.empty((3, n), np.int32)
    searches, launches = form(found, job), []
    with recording(launches.append), job.writes(dist) as results:
        searches.rows(job, found.rank[[0, 7, 499]], Arithmetic(np.dtype(np.int32)), results)
    expected = np.full((3, n), np.iinfo(np.int32).max)
    expected[[0, 1, 2], [0, 7, 499]] = 0
    assert np.array_equal(dist, expected)
    assert form is Batches or [launch.kernel.name for launch in launches] == ["climb", "sweep_round", "write_rows"]


@pytest.mark.parametrize(
    ("rows", "compute_units", "in_memory", "workers"),
    [(1, 9, 9, [1]), (16, 9, 9, [1]), (17, 9, 9, [2]), (70, 9, 9, [5]), (70, 3, 9, [3, 3]), (70, 9, 4, [4, 4])],
)
def test_batches_are_searched_side_by_side(
    rows: int,
    compute_units: int,
    in_memory: int,
    workers: list[int],
    device: reedsp.Device,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """By work-items alone, no more of them than a device has compute units, or than there are batches, or memory."""
    graph = GRID.graph()
    job, sources = Job(device), np.arange(rows)
    found, dist, launches, steps = contract(graph, units_of(graph), job), np.empty((rows, graph.n), np.int32), [], []
    searches, expected = Batches(found, job), reedsp.sssp(graph, sources, "near-far", device=device).dist
    monkeypatch.setattr(job, "add_steps", steps.append)
    monkeypatch.setattr(device, "compute_units", compute_units)
    monkeypatch.setattr(device, "max_allocation", (in_memory + 1) * graph.n * 16 * 4 - 1)
    with recording(launches.append), job.writes(dist) as results:
        searches.rows(job, found.rank[sources], Arithmetic(dist.dtype), results)
    assert steps == len(workers) * [16 * (graph.n + len(found.down.higher))]
    assert [(launch.global_size, launch.local_size) for launch in launches] == [((each,), (1,)) for each in workers]
    assert np.array_equal(dist, expected)
    with recording(launches.append):
        assert searches.meet(job, *found.rank[[0, 1]].tolist())[0] == expected[0, 1]
    assert (launches[-1].global_size, launches[-1].local_size) == ((1,), (1,)), "a pair by one alone"


def test_batches_take_memory_for_one_work_item_at_least(device: reedsp.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = GRID.graph()
    job = Job(device)
    found = contract(graph, units_of(graph), job)
    searches = Batches(found, job)
    monkeypatch.setattr(device, "max_allocation", graph.n * 16 * 4 - 1)
    with pytest.raises(reedsp.DeviceMemoryError):
        searches.rows(job, found.rank[:1], Arithmetic(np.dtype(np.int32)), job.allocate(graph.n, np.int32))


@pytest.mark.deep("9-16-1024")
@pytest.mark.parametrize(("rows", "lanes", "most_climbers"), [(9, 16, 1024), (17, 32, 1024), (70, 128, 256)])
def test_work_items_share_what_there_is(
    rows: int, lanes: int, most_climbers: int, device: reedsp.Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each launch has as many as its vertices, edges or tiles need, in whole work-groups."""

    def sizes(launch: Launched) -> tuple[str, tuple[int, ...], tuple[int, ...]]:
        return launch.kernel.name, launch.global_size, launch.local_size

    def climbers(kernel: Kernel, most: int) -> int:
        return min(most, kernel.max_work_group_size // 16 * 16)

    graph, job = GRID.graph(), Job(device)
    found, dist = contract(graph, units_of(graph), job), np.empty((rows, graph.n), np.int32)
    searches, launches, pair, run, steps = Wide(found, job, small=20, top=0), [], [], job.run, []
    monkeypatch.setattr(job, "run", lambda queued: (steps.extend(each.steps for each in queued), run(queued)))
    with recording(launches.append), job.writes(dist) as results:
        searches.rows(job, found.rank[np.arange(rows)], Arithmetic(dist.dtype), results)
    climb, several, *one, write = launches
    most = climbers(climb.kernel, most_climbers)
    assert sizes(climb) == ("climb", (rows * most,), (most,))
    group = 4, min(several.kernel.max_work_group_size, 1024) // 4
    assert sizes(several) == ("sweep_rounds", (lanes, group[1]), group)
    vertices = np.diff(found.rounds)[:6][::-1]
    assert steps == [(graph.n - found.rounds[6]) * lanes, *(vertices * lanes)]
    for launch, each in zip(one, vertices.tolist(), strict=True):
        assert sizes(launch) == ("sweep_round", (round_up(each * lanes // 4, 256),), (256,))
    assert np.array_equal(dist, reedsp.sssp(graph, range(rows), "near-far", device=device).dist)
    tiles = -(-graph.n // 64) * -(-rows // min(64, lanes))
    assert sizes(write) == ("write_rows", (tiles * 256,), (256,))
    with recording(pair.append):
        searches.meet(job, *found.rank[[0, 200]].tolist())
    most = climbers(pair[0].kernel, 1024)
    assert list(map(sizes, pair)) == [
        ("search_from_both_ends", (2 * most,), (most,)),
        *((name, (512,), (256,)) for name in ("weigh_paths", "find_meeting")),
        ("trace", (64,), (64,)),
    ]


@pytest.mark.parametrize(
    ("kind", "dtype", "int64_atomics", "form"),
    [
        ("cpu", np.int32, True, "Batches"),
        ("cpu", np.int64, True, "Batches"),
        ("gpu", np.int32, False, "Wide"),
        ("gpu", np.int64, True, "Wide"),
        ("gpu", np.int64, False, "Batches"),
    ],
)
def test_gpus_search_wide_where_they_have_the_atomics(
    kind: str, dtype: type, int64_atomics: bool, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("Batches", "Wide"):
        monkeypatch.setattr(wide, name, lambda *_, name=name: name)
    job: Any = SimpleNamespace(device=SimpleNamespace(kind=kind, int64_atomics=int64_atomics))
    found: Any = SimpleNamespace(up=SimpleNamespace(weights=np.empty(0, dtype)))
    assert wide.searches_in(found, job) == form


@pytest.mark.deep
@pytest.mark.parametrize(("n", "parts"), [(20, 4), (40, 8), (100, 16), (300, 32)])
@pytest.mark.parametrize("alone", [0, 400])
def test_more_work_items_share_vertices_of_more_edges(n: int, parts: int, alone: int, device: reedsp.Device) -> None:
    """On the average of those above the rounds that are large."""
    graph, job = reedsp.Graph.from_edges(n + alone, *np.triu_indices(n, 1), directed=False), Job(device)
    searches = Wide(contract(graph, units_of(graph), job), job, small=384, top=0)
    assert (searches._all.first_small, searches._parts) == (int(alone > 0), parts)


def test_rounds_without_vertices_are_left_out(device: reedsp.Device) -> None:
    graph, job = GRID.graph(), Job(device)
    found, launches, dist = contract(graph, units_of(graph), job), [], np.empty((1, 1), np.int32)
    searches, sweep = Wide(found, job, small=0, top=0), sweep_to(found, np.array([200]))
    with recording(launches.append), job.writes(dist) as results:
        searches.rows(job, found.rank[[0]], Arithmetic(dist.dtype), results, sweep)
    assert dist[0, 0] == reedsp.sssp(graph, 0, "near-far", device=device).dist[200]
    rounds = np.count_nonzero(np.diff(sweep.rounds))
    assert rounds < len(found.rounds) - 1
    assert [launch.kernel.name for launch in launches] == ["climb", *(["sweep_round"] * rounds), "write_rows"]


@pytest.mark.parametrize("units", [np.int32, np.int64])
def test_how_many_sources_are_searched_for_at_a_time(units: type, device: reedsp.Device) -> None:
    """As many as there are or up to twice as many, in an eighth of the memory of a device."""
    graph = reedsp.Graph.from_edges(3, [0, 1], [1, 2], [1, 1 if units is np.int32 else 2**40])
    found = contract(graph, units_of(graph), Job(device))
    searches, lane, much = Wide(found, Job(device)), 3 * np.dtype(units).itemsize, 1 << 40

    def lanes(rows: int, max_allocation: int = much, global_memory: int = much) -> int:
        memory: Any = SimpleNamespace(max_allocation=max_allocation, global_memory=global_memory)
        return searches._lanes(SimpleNamespace(device=memory), rows)

    assert [lanes(rows) for rows in (1, 8, 9, 16, 17, 128, 129, 1000)] == [8, 8, 16, 16, 32, 128, 256, 256]
    assert [lanes(1000, 64 * lane), lanes(1000, 64 * lane - 1), lanes(1000, lane - 1)] == [64, 32, 8]
    assert [lanes(1000, much, 8 * 64 * lane), lanes(1000, much, 8 * 64 * lane - 8)] == [64, 32]


def test_a_restricted_sweep_passes_few_vertices(device: reedsp.Device) -> None:
    graph = reedsp.Graph.from_edges(100, range(99), range(1, 100), directed=False)
    found = contract(graph, units_of(graph), Job(device))
    assert sweep_to(found, np.array([0])).members.size < 20
    assert found.shortcuts > 0


def test_distances_of_more_than_32_bits_are_told_apart(device: reedsp.Device) -> None:
    """Where they lie, without the gigabytes that they take."""
    probe = """
    __kernel void probe(__global ulong *place, const uint vertex, const uint lane, const uint lanes)
    {
        *place = entry_of(vertex, lane, lanes);
    }
    """
    source = build.assemble("contraction/wide.cl", test_build.FIRST["contraction/wide.cl"]) + probe
    program = build.build_generated(device.context, device.handle, source, "the probe")
    kernel, job = cl.Kernel(program, "probe"), Job(device)
    place = job.allocate(1, np.uint64)
    kernel(device.queue, (1,), None, place, np.uint32(2**25 + 3), np.uint32(200), np.uint32(256))
    assert job.download(place, 1, np.uint64)[0] == (2**25 + 3) * 256 + 200


@pytest.mark.parametrize("form", [Batches, Wide])
@pytest.mark.parametrize("directed", [False, True])
def test_what_a_round_or_a_search_copies_to_a_device_is_not_kept(
    form: type[Batches | Wide], directed: bool, device: reedsp.Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The memory serves the next one: of a GPU, where such copies are recycled."""
    upload, kept = Job.upload, []

    def recorded(job: Job, array: np.ndarray, dtype: Any = None, *, keep: bool = True) -> cl.Buffer:
        kept.append(keep)
        return upload(job, array, dtype, keep=keep)

    monkeypatch.setattr(Job, "full", filled_there)
    graph, job = reedsp.Graph.from_edges(5, range(4), range(1, 5), directed=directed), Job(device)
    with monkeypatch.context() as patch:
        patch.setattr(Job, "upload", recorded)
        found = contract(graph, units_of(graph), job)
    searches = form(found, job)
    dist = np.empty((1, 5), np.int32)
    with monkeypatch.context() as patch, job.writes(dist) as results:
        patch.setattr(Job, "upload", recorded)
        searches.rows(job, found.rank[[0]], Arithmetic(np.dtype(np.int32)), results)
        assert searches.meet(job, *found.rank[[0, 4]].tolist())[0] == 4
    assert dist.tolist() == [[0, 1, 2, 3, 4]]
    assert not any(kept)


def filled_there(job: Job, length: int, value: np.generic) -> cl.Buffer:
    """Fill on the device also what the host fills where that is quicker."""
    buffer = job.allocate(length, value.dtype)
    job.fill(buffer, length, value)
    return buffer


@pytest.mark.deep("Wide", "34359738368-False-Batches")
@pytest.mark.parametrize("form", [Batches, Wide])
@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("heavy", [1, 2**35])
def test_pairs_in_both_forms(form: type[Batches | Wide], directed: bool, heavy: int, device: reedsp.Device) -> None:
    n, rng = 60, np.random.default_rng(heavy % 97)
    ends, weights = rng.integers(0, n, (2, 100)), rng.integers(0, 4, 100) * heavy
    graph = reedsp.Graph.from_edges(n, *ends, weights, directed=directed)
    job = Job(device)
    found = contract(graph, units_of(graph), job)
    searches = form(found, job)
    matrix = graph.to_scipy().todok()
    rows = reedsp.sssp(graph, range(n), "near-far", device=device).dist
    for source, target in rng.integers(0, n, (60, 2)).tolist():
        weight, up, down = searches.meet(job, *found.rank[[source, target]].tolist())
        if np.isinf(rows[source, target]):
            assert (weight, up, down) == (-1, [], [])
            continue
        assert weight == rows[source, target]
        path = [source, *unpacked(found, up, down)]
        assert path[-1] == target
        assert sum(matrix[edge] for edge in itertools.pairwise(path)) == weight


@pytest.mark.parametrize("form", [Batches, Wide])
def test_pairs_that_meet_beyond_one_work_group(form: type[Batches | Wide], device: reedsp.Device) -> None:
    """The highest vertices, where they meet, have the last numbers."""
    graph = GRID.graph()
    job = Job(device)
    found = contract(graph, units_of(graph), job)
    searches = form(found, job)
    rows = reedsp.sssp(graph, [0, 200], "near-far", device=device).dist
    for row, source in enumerate((0, 200)):
        for target in range(5, GRID.n, 40):
            weight, up, down = searches.meet(job, *found.rank[[source, target]].tolist())
            assert weight == rows[row, target]
            assert [source, *unpacked(found, up, down)][-1] == target


@pytest.mark.deep
@pytest.mark.parametrize("units", [np.int32, np.int64])
@pytest.mark.parametrize(
    ("result", "exponent"), [(np.int32, 0), (np.int64, 0), (np.float64, 0), (np.float64, -3), (np.float64, -1074)]
)
def test_the_trial_of_a_device_passes_right_rows_alone(
    units: type, result: type, exponent: int, device: reedsp.Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    trial = functools.partial(finds_known_rows, device, np.dtype(units), exponent, Arithmetic(np.dtype(result)))
    assert trial()
    form = Batches if device.kind == "cpu" else Wide
    meet, rows = form.meet, form.rows
    with monkeypatch.context() as patch:
        patch.setattr(form, "meet", lambda *given: (meet(*given)[0] + 1, *meet(*given)[1:]))
        assert not trial()
    for step in ([0, 1], [1, 0]):

        def from_another(
            self: Batches | Wide, job: Job, sources: Any, arithmetic: Arithmetic, results: Any, step: list[int] = step
        ) -> None:
            rows(self, job, ((sources + step) % self._n).astype(np.int32), arithmetic, results)

        with monkeypatch.context() as patch:
            patch.setattr(form, "rows", from_another)
            assert not trial()
