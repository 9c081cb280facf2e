"""Near-far shortest paths on CPU devices, for weights that are not negative.

In cl/single_source, one work-item a row of distances (near_far_work_item.cl), or several (near_far_team.cl).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyopencl as cl

from reedsp.algorithms.single_source.task import upload_starts
from reedsp.arithmetic.paths import Arithmetic
from reedsp.device.build import constants
from reedsp.device.device import Device
from reedsp.device.iterate import Pace, take_rows
from reedsp.device.job import Job
from reedsp.device.selfcheck import is_trusted
from reedsp.edges.device_graph import OutEdges
from reedsp.edges.selfcheck import finds_known_distances

_FILE, _TEAM_FILE = "single_source/near_far_work_item.cl", "single_source/near_far_team.cl"
_CHUNK = 256  # edges
_SPARE_ROOM = 1 / 8  # for stale entries, beside one entry a vertex
_LAUNCH_SECONDS = 0.03
_ROWS_BUDGET = 1 << 21  # edges that a work-item relaxes in the first launch

_TEAM_BUDGET = 1 << 18  # edges that each work-item of a team relaxes in a launch: about two milliseconds
_LARGEST_TEAM = 8
_LEAST_TEAM_EDGES = 1 << 18
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
    piles = _Piles.of(job.device, edges, arithmetic)
    bounds = (
        arithmetic.infinity if ceiling is None else arithmetic.dtype.type(ceiling),
        np.uint32(edges.n if target is None else target),
    )
    width = arithmetic.step(_default_delta(edges) if delta is None else delta)
    team = _team_size(job.device, edges, arithmetic, piles, workers) if len(starts) == 1 else 1
    if team > 1:
        return _solve_row(job, edges, arithmetic, piles, starts[0], bounds, width, progress, team)
    workers = piles.most(job.device, job.device.compute_units if workers is None else workers, 1)
    return _solve_rows(job, edges, arithmetic, piles, starts, bounds, width, progress, min(workers, len(starts)))


@dataclass(frozen=True)
class _Piles:
    """The room for the entries of one work-item: `capacity` of them in each pile."""

    capacity: int
    pile_bytes: int

    @classmethod
    def of(cls, device: Device, edges: OutEdges, arithmetic: Arithmetic) -> _Piles:
        capacity = edges.n + int(edges.n * _SPARE_ROOM) + _CHUNK
        return cls(capacity, capacity * 2 * arithmetic.dtype.itemsize)

    def most(self, device: Device, workers: int, piles: int) -> int:
        """Return how many work-items, each with this number of piles in one buffer, the device has memory for."""
        room = min(device.max_allocation, device.global_memory // 4)
        return max(1, min(workers, room // (piles * self.pile_bytes)))


def _team_size(device: Device, edges: OutEdges, arithmetic: Arithmetic, piles: _Piles, workers: int | None) -> int:
    """Return how many work-items solve one row together."""
    if arithmetic.dtype.itemsize == 8 and not device.int64_atomics:
        return 1
    if workers is not None:
        return piles.most(device, workers, 4)
    team = piles.most(device, min(device.compute_units, _LARGEST_TEAM), 4) if edges.m >= _LEAST_TEAM_EDGES else 1
    name, trial = f"near-far in a team of work-items and {arithmetic}", (finds_known_distances, _distances, arithmetic)
    return team if team > 1 and is_trusted(device, name, *trial, team) else 1


def _distances(
    job: Job, edges: OutEdges, arithmetic: Arithmetic, starts: Sequence[Sequence[int]], team: int
) -> cl.Buffer:
    return solve(job, edges, arithmetic, starts, workers=team)[0]


def _macros(device: Device, edges: OutEdges, arithmetic: Arithmetic) -> dict[str, str | int]:
    """Return the macros that all kernels need."""
    own: dict[str, str | int] = {
        "WIDE": int(arithmetic.dtype.itemsize == 8),
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
    bounds: tuple[Any, np.uint32],
    delta: Any,
    progress: Callable[[int, int], None] | None,
    workers: int,
) -> tuple[cl.Buffer, int]:
    """Give each work-item a row, and the next one when it is done with it."""
    n, rows = edges.n, len(starts)
    macros = {"SHARED": 0, **_macros(job.device, edges, arithmetic)}
    kernel = job.device.kernel(_FILE, "solve_rows", **macros)
    dist = job.allocate(rows * n, arithmetic.dtype)
    counters = job.full(3, np.uint32(0))
    pace = Pace(_ROWS_BUDGET, seconds=_LAUNCH_SECONDS)
    arguments: list[Any] = [
        edges.first_edge,
        edges.edges,
        *upload_starts(job, starts),
        dist,
        *(job.allocate(workers * piles.pile_bytes, np.uint8) for _ in ("near", "far")),
        job.full(workers * constants(_FILE)["STATE_BYTES"], np.uint8(0)),
        counters,
        delta,
        *bounds,
    ]
    sizes = (np.uint32(piles.capacity), np.uint32(n), np.uint32(rows))
    launch = job.bind(kernel, workers, 1, *arguments, np.uint64(pace.amount), *sizes)
    report = None if progress is None else lambda rounds: progress(rounds, n)
    return dist, take_rows(job, launch, kernel.position_of("budget"), counters, rows, pace, report)


def _solve_row(
    job: Job,
    edges: OutEdges,
    arithmetic: Arithmetic,
    piles: _Piles,
    starts: Sequence[int],
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
        **_macros(job.device, edges, arithmetic),
    }
    begin, advance = (job.device.kernel(_TEAM_FILE, name, **macros) for name in ("begin", "advance"))
    dist = job.allocate(n, arithmetic.dtype)
    entries = job.allocate(4 * workers * piles.pile_bytes, np.uint8)
    shares = job.allocate(2 * workers * constants(_TEAM_FILE)["STATE_BYTES"], np.uint8)
    limits = job.allocate(2 * workers, arithmetic.dtype)
    report = job.allocate(2 * workers, np.uint32)
    state = (dist, entries, shares, limits, report)
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
    pace, number = Pace(_FIRST_BATCH, _LARGEST_BATCH, _LAUNCH_SECONDS), 2
    while True:
        pace.begin()
        for _ in range(pace.amount):
            launches[number % 2].queue()
            number += 1
        words = job.download(report, 2 * workers, np.uint32).reshape(workers, 2)
        rounds = int(words[:, 1].sum())
        if not words[:, 0].any():
            return dist, rounds
        if progress is not None:
            progress(rounds, n)
        pace.adapt()


def _default_delta(edges: OutEdges) -> float:
    """Return a near interval that holds enough to do, and in which few distances are lowered again.

    The more edges a vertex has, the sooner a shorter path is found: more than a typical weight on road networks, and a
    quarter of one where there are sixteen edges a vertex or more. The optimum is flat, as measured.
    """
    return edges.typical_weight * min(2.0, max(0.25, 4 * edges.n / max(1, edges.m)))
