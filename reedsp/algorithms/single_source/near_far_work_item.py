"""Near-far shortest paths on CPU devices, for weights that are not negative.

In cl/single_source, one work-item a row of distances (near_far_work_item.cl), or several (near_far_team.cl). Where a
distance and a vertex fit into one word, they can note the trees on the way (near_far_trees.cl).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyopencl as cl

from reedsp.algorithms.single_source.task import upload_starts
from reedsp.arithmetic.paths import Arithmetic
from reedsp.cost_model import settings
from reedsp.device.build import constants
from reedsp.device.device import Device
from reedsp.device.dispatch import even
from reedsp.device.iterate import Pace, take_rows
from reedsp.device.job import Job
from reedsp.device.selfcheck import is_trusted
from reedsp.edges.device_graph import OutEdges
from reedsp.edges.predecessors import Noted
from reedsp.edges.selfcheck import SOURCE, finds_known_distances, is_known, known_levels
from reedsp.graph.graph import Graph, edge_sources

_FILE, _TEAM_FILE = "single_source/near_far_work_item.cl", "single_source/near_far_team.cl"
_TREES_FILE = "single_source/near_far_trees.cl"
_WORD = np.dtype(np.uint64)  # a distance and a vertex
_GROUP_SIZE = 64
_CHUNK = 256  # edges
_SPARE_ROOM = 1 / 8  # for stale entries, beside one entry a vertex
_ROWS_BUDGET = 1 << 21  # edges that a work-item relaxes in the first launch

_TEAM_BUDGET = 1 << 18  # edges that each work-item of a team relaxes in a launch: about two milliseconds
_LAG = 32  # intervals
_SLICE = 4096  # edges
_FEW = 512  # entries
_PATIENCE = 50_000  # looks: about a tenth of a millisecond
_FIRST_BATCH = 6  # launches, after the first two
_LARGEST_BATCH = 64


def solve(
    job: Job,
    edges: OutEdges,
    arithmetic: Arithmetic,
    starts: Sequence[Sequence[int]],
    *,
    ceiling: Any = None,
    target: int | None = None,
    delta: float | None = None,
    progress: Callable[[int, int], None] | None = None,
    workers: int | None = None,
) -> tuple[cl.Buffer, int]:
    """Find the distances from some vertices to all vertices.

    Vertices up to a limit are near, and relaxed until none of them changes any more; the others wait in a pile. Then
    the limit rises to `delta` above the minimum distance in the pile.

    Parameters
    ----------
    job : Job
    edges : OutEdges
        None of the weights is negative.
    arithmetic : Arithmetic
        That of `edges`.
    starts : sequence of sequences of int
        For each row of the answer, the vertices at distance 0.
    ceiling : optional
        Path weights from here on are left out.
    target : int, optional
        Only distances up to that of this vertex have to be found; greater ones may be too great, or missing.
    delta : float, optional
        Width that the near interval grows to; by default from the weights of a sample of edges and the mean degree.
    progress : callable(rounds, n), optional
        Called between launches.
    workers : int, optional
        Work-items; by default as many as the device has compute units. Several of them work on one row together if
        there is only one, and the device has atomic operations for the arithmetic, unless the graph is small.

    Returns
    -------
    dist : pyopencl.Buffer of the arithmetic's dtype, shape (rows, n)
        The arithmetic's infinity where there is no path.
    rounds : int
        Near intervals of all rows and work-items.

    Raises
    ------
    DeviceError, DeviceMemoryError
        The device cannot do it.
    """
    return _search(job, edges, arithmetic, starts, False, ceiling, target, delta, progress, workers)


def solve_with_trees(
    job: Job,
    edges: OutEdges,
    arithmetic: Arithmetic,
    starts: Sequence[Sequence[int]],
    *,
    ceiling: Any = None,
    delta: float | None = None,
    progress: Callable[[int, int], None] | None = None,
    workers: int | None = None,
) -> tuple[cl.Buffer, int, Noted]:
    """Find the distances, the rounds, and on the way the trees, where :func:`can_note_trees`.

    The arguments are as for :func:`solve`.
    """
    words, rounds = _search(job, edges, arithmetic, starts, True, ceiling, None, delta, progress, workers)
    count, counts = len(starts) * edges.n, job.full(2, np.uint32(0))
    dist, predecessors = job.allocate(count, arithmetic.dtype), job.allocate(count, np.int32)
    kernel = job.device.kernel(_TREES_FILE, "split_words", **arithmetic.macros)
    slices = even(0, count, _GROUP_SIZE, count, job.device.steps_at_once)
    job.launch(kernel, count, _GROUP_SIZE, words, dist, predecessors, counts, np.uint64(count), slices=slices)
    return dist, rounds, Noted(predecessors, counts)


def can_note_trees(device: Device, edges: OutEdges, arithmetic: Arithmetic, rows: int) -> bool:
    """Return whether the device notes trees on the way, and rightly, in a search of so many rows.

    A distance and a vertex have to fit into one word, of which several work-items take the minimum.
    """
    if arithmetic.dtype != np.int32 or arithmetic.saturate or not device.int64_atomics:
        return False
    workers = min(_team_size(device, edges, arithmetic, None), 2) if rows == 1 else 1
    name = f"near-far that notes trees in {'several work-items' if workers > 1 else 'a work-item'} and {arithmetic}"
    return is_trusted(device, name, _finds_known_trees, arithmetic, workers)


def _finds_known_trees(device: Device, arithmetic: Arithmetic, workers: int) -> bool:
    known, levels, before = known_levels()
    ones = np.ones(known.m, known.weights.dtype)
    graph, job = Graph.from_edges(known.n, edge_sources(known), known.indices, ones), Job(device)
    edges = OutEdges.of(graph, job, arithmetic)
    dist, _, noted = solve_with_trees(job, edges, arithmetic, [[SOURCE]], workers=workers)
    is_right = is_known(job.download(dist, graph.n, arithmetic.dtype), arithmetic.infinity, levels)
    return is_right and np.array_equal(job.download(noted.predecessors, graph.n, np.int32), before)


def _search(
    job: Job,
    edges: OutEdges,
    arithmetic: Arithmetic,
    starts: Sequence[Sequence[int]],
    trees: bool,
    ceiling: Any,
    target: int | None,
    delta: float | None,
    progress: Callable[[int, int], None] | None,
    workers: int | None,
) -> tuple[cl.Buffer, int]:
    """Return the distances, or the words that trees are noted in, and the rounds."""
    piles = _Piles.of(edges, arithmetic)
    bounds = (
        arithmetic.infinity if ceiling is None else arithmetic.dtype.type(ceiling),
        np.uint32(edges.n if target is None else target),
    )
    by_default = edges.typical_weight * settings.delta_of_items(edges.n, edges.m)
    width = arithmetic.step(by_default if delta is None else delta)
    team = _team_size(job.device, edges, arithmetic, workers) if len(starts) == 1 else 1
    if team > 1 and not (trees or workers) and not _is_trusted_team(job.device, arithmetic, team):
        team = 1
    if team > 1:
        return _solve_row(job, edges, arithmetic, piles, starts[0], trees, bounds, width, progress, team)
    workers = min(piles.most(job.device, job.device.compute_units if workers is None else workers, 1), len(starts))
    return _solve_rows(job, edges, arithmetic, piles, starts, trees, bounds, width, progress, workers)


@dataclass(frozen=True)
class _Piles:
    """The room for the entries of one work-item: `capacity` of them in each pile."""

    capacity: int
    pile_bytes: int

    @classmethod
    def of(cls, edges: OutEdges, arithmetic: Arithmetic) -> _Piles:
        capacity = edges.n + int(edges.n * _SPARE_ROOM) + _CHUNK
        return cls(capacity, capacity * 2 * arithmetic.dtype.itemsize)

    def most(self, device: Device, workers: int, piles: int) -> int:
        """Return how many work-items, each with this number of piles in one buffer, the device has memory for."""
        room = min(device.max_allocation, device.global_memory // 4)
        return max(1, min(workers, room // (piles * self.pile_bytes)))


def _team_size(device: Device, edges: OutEdges, arithmetic: Arithmetic, workers: int | None) -> int:
    """Return how many work-items solve one row together."""
    if arithmetic.dtype.itemsize == 8 and not device.int64_atomics:
        return 1
    if workers is None:
        workers = min(device.compute_units, settings.LARGEST_TEAM) if edges.m >= settings.TEAM_EDGES else 1
    return _Piles.of(edges, arithmetic).most(device, workers, 4)


def _is_trusted_team(device: Device, arithmetic: Arithmetic, team: int) -> bool:
    trial = (finds_known_distances, _distances, arithmetic)
    return is_trusted(device, f"near-far in a team of work-items and {arithmetic}", *trial, team)


def _distances(
    job: Job, edges: OutEdges, arithmetic: Arithmetic, starts: Sequence[Sequence[int]], team: int
) -> cl.Buffer:
    return solve(job, edges, arithmetic, starts, workers=team)[0]


def _macros(device: Device, edges: OutEdges, arithmetic: Arithmetic, trees: bool) -> dict[str, str | int]:
    """Return the macros that all kernels need."""
    own: dict[str, str | int] = {
        "WIDE": int(arithmetic.dtype.itemsize == 8),
        "TREES": int(trees),
        "CHUNK": _CHUNK,
        "PREFETCH_BUILT_IN": int(device.kind == "cpu"),
    }
    return {**own, **edges.macros, **arithmetic.macros}


def _solve_rows(
    job: Job,
    edges: OutEdges,
    arithmetic: Arithmetic,
    piles: _Piles,
    starts: Sequence[Sequence[int]],
    trees: bool,
    bounds: tuple[Any, np.uint32],
    delta: Any,
    progress: Callable[[int, int], None] | None,
    workers: int,
) -> tuple[cl.Buffer, int]:
    """Give each work-item a row, and the next one when it is done with it."""
    n, rows = edges.n, len(starts)
    macros = {"SHARED": 0, **_macros(job.device, edges, arithmetic, trees)}
    kernel = job.device.kernel(_FILE, "solve_rows", **macros)
    words = job.allocate(rows * n, _WORD if trees else arithmetic.dtype)
    layout = constants(_FILE)
    counters = job.full(layout["COUNTERS"], np.uint32(0))
    arguments: list[Any] = [
        edges.first_edge,
        edges.edges,
        *upload_starts(job, starts),
        words,
        *(job.allocate(workers * piles.pile_bytes, np.uint8) for _ in ("near", "far")),
        job.full(workers * layout["STATE_BYTES"], np.uint8(0)),
        counters,
        delta,
        *bounds,
    ]
    sizes = (np.uint32(piles.capacity), np.uint32(n), np.uint32(rows))
    launch = job.bind(kernel, workers, 1, *arguments, np.uint64(0), *sizes)
    report = None if progress is None else lambda rounds: progress(rounds, n)
    return words, take_rows(job, launch, counters, rows, Pace(_ROWS_BUDGET), report)


def _solve_row(
    job: Job,
    edges: OutEdges,
    arithmetic: Arithmetic,
    piles: _Piles,
    starts: Sequence[int],
    trees: bool,
    bounds: tuple[Any, np.uint32],
    delta: Any,
    progress: Callable[[int, int], None] | None,
    workers: int,
) -> tuple[cl.Buffer, int]:
    """Solve one row with several work-items."""
    n = edges.n
    macros = {
        "SHARED": 1,
        "ATOMIC_LOADS": int(not job.device.loads_are_atomic),
        "SLICE": _SLICE,
        "LAG": _LAG,
        **_macros(job.device, edges, arithmetic, trees),
    }
    begin, advance = (job.device.kernel(_TEAM_FILE, name, **macros) for name in ("begin", "advance"))
    words = job.allocate(n, _WORD if trees else arithmetic.dtype)
    entries = job.allocate(4 * workers * piles.pile_bytes, np.uint8)
    shares = job.allocate(2 * workers * constants(_TEAM_FILE)["STATE_BYTES"], np.uint8)
    limits = job.allocate(2 * workers, arithmetic.dtype)
    report = job.allocate(2 * workers, np.uint32)
    state = (words, entries, shares, limits, report)
    sizes = (np.uint32(piles.capacity), np.uint32(n))
    different = sorted(set(starts))
    at_zero = job.upload(np.array(different, np.int32))
    job.launch(begin, workers, 1, at_zero, np.uint32(len(different)), *state, delta, *sizes)
    tuning = (np.uint64(_TEAM_BUDGET), np.uint32(_FEW), np.uint32(_PATIENCE))
    launches = []
    for phase in range(2):
        now = (*state, np.uint32(phase), delta, *bounds, *tuning, *sizes)
        launches.append(job.bind(advance, workers, 1, edges.first_edge, edges.edges, *now))
        launches[-1].queue()  # the device begins while the host prepares the second one
    pace, number = Pace(_FIRST_BATCH, _LARGEST_BATCH), 2
    while True:
        pace.begin()
        for _ in range(pace.amount):
            launches[number % 2].queue()
            number += 1
        left, intervals = job.download(report, 2 * workers, np.uint32).reshape(workers, 2).T
        rounds = int(intervals.sum())
        if not left.any():
            return words, rounds
        if progress is not None:
            progress(rounds, n)
        pace.adapt()
