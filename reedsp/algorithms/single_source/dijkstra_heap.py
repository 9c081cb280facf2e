"""Dijkstra's algorithm with heaps, one work-item a row (cl/single_source/dijkstra_heap.cl)."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyopencl as cl

from reedsp.algorithms.single_source import near_far
from reedsp.algorithms.single_source.outcome import solve_by
from reedsp.algorithms.single_source.task import Outcome, Task, upload_starts
from reedsp.arithmetic.paths import Arithmetic
from reedsp.device.build import constants
from reedsp.device.device import Device
from reedsp.device.iterate import Pace, take_rows
from reedsp.device.job import Job, round_up
from reedsp.edges.device_graph import OutEdges

ARITIES = (2, 4, 8)
_FILE = "single_source/dijkstra_heap.cl"
_ARITY = 4
_CHUNK = 64  # edges
_SPARE_ROOM = 1 / 8  # for stale entries, beside one entry a vertex
_GPU_GROUP = 32  # work-items, so that few rows are spread over many compute units
_FIRST_BUDGET = {"cpu": 1 << 18, "gpu": 1 << 12}  # edges that a work-item relaxes in the first launch
_PART_OF_MEMORY = 0.25


def dijkstra_heap(task: Task, *, arity: int = _ARITY) -> Outcome:
    """Solve single-source shortest paths by Dijkstra's algorithm with a heap, a work-item a row.

    Ma, Agrawal and Chamberlain (2012, section III.B) take it for Johnson's algorithm.

    Parameters
    ----------
    task : Task
        Of a graph without negative weights. What is farther away than a target is left out.
    arity : {4, 2, 8}
        Children of an entry of the heap.

    Returns
    -------
    Outcome
        Its rounds are the vertices whose edges were relaxed.

    Raises
    ------
    ValueError
        There is no such `arity`.
    OverflowError
        A distance lies outside the arithmetic.
    DeviceError, DeviceMemoryError
        The device cannot do it.
    """
    check_arity(arity)
    most = rows_at_once(task.job.device, task.arithmetic, task.graph.n)
    return task.in_parts(most, functools.partial(solve_by, functools.partial(search, arity=arity)))


def check_arity(arity: int) -> None:
    """Refuse a number of children that no heap has."""
    if arity not in ARITIES:
        raise ValueError(f"options: arity = {arity!r}, expected one of {', '.join(map(str, ARITIES))}")


def rows_at_once(device: Device, arithmetic: Arithmetic, n: int) -> int:
    """Return how many rows of n vertices fit into the memory that a search may use."""
    if device.kind == "cpu":  # few work-items, whose heaps are used again for row after row
        return near_far.rows_at_once(device, arithmetic, n, work_groups=False)
    size = arithmetic.dtype.itemsize
    heap = _capacity(n) * 2 * size
    memory = _PART_OF_MEMORY * device.global_memory
    return max(1, min(int(memory) // (heap + n * (size + 4)), device.max_allocation // heap))


def _capacity(n: int) -> int:
    """Return the room for the entries of a heap, and before the first one, a multiple of every arity."""
    return round_up(n + int(n * _SPARE_ROOM) + _CHUNK, ARITIES[-1]) + ARITIES[-1]


def search(
    job: Job,
    edges: OutEdges,
    arithmetic: Arithmetic,
    starts: Sequence[Sequence[int]],
    *,
    ceiling: Any = None,
    target: int | None = None,
    arity: int = _ARITY,
    progress: Callable[[int, int], None] | None = None,
    workers: int | None = None,
    interleaved: bool | None = None,
    counts: cl.Buffer | None = None,
) -> tuple[cl.Buffer, int]:
    """Find the distances from some vertices to all vertices.

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
    arity : int
        As for :func:`dijkstra_heap`.
    progress : callable(vertices, n), optional
        Called between launches.
    workers : int, optional
        Work-items; by default as many as a CPU device has compute units, and on others as there are rows.
    interleaved : bool, optional
        Whether entries of the same number of all heaps lie side by side; by default not on CPUs.
    counts : pyopencl.Buffer of uint64, shape (rows, COUNTED), optional
        To which a kernel that counts adds (cl/single_source/counted.cl).

    Returns
    -------
    dist : pyopencl.Buffer of the arithmetic's dtype, shape (rows, n)
        The arithmetic's infinity where there is no path.
    vertices : int
        Those of all rows whose edges were relaxed.

    Raises
    ------
    DeviceError, DeviceMemoryError
        The device cannot do it.
    """
    on_cpu = job.device.kind == "cpu"
    n, rows, size = edges.n, len(starts), arithmetic.dtype.itemsize
    workers = min(rows, (job.device.compute_units if on_cpu else rows) if workers is None else workers)
    group = 1 if on_cpu else min(_GPU_GROUP, job.device.max_work_group_size)
    macros: dict[str, str | int] = {
        "ARITY": arity,
        "INTERLEAVED": int(not on_cpu if interleaved is None else interleaved),
        "CHUNK": _CHUNK,
        "WIDE": int(size == 8),
        "GROUP_SIZE": group,
        "COUNTS": int(counts is not None),
        **edges.macros,
        **arithmetic.macros,
    }
    kernel = job.device.kernel(_FILE, "solve_rows", **macros)
    layout, capacity = constants(_FILE), _capacity(n)
    dist, counters = job.full(rows * n, arithmetic.infinity), job.full(layout["COUNTERS"], np.uint32(0))
    arguments = (
        edges.first_edge,
        edges.edges,
        *upload_starts(job, starts),
        dist,
        job.allocate(workers * capacity * 2 * size, np.uint8),
        job.full(workers * layout["STATE_BYTES"], np.uint8(0)),
        counters,
        counters if counts is None else counts,
        arithmetic.infinity if ceiling is None else arithmetic.dtype.type(ceiling),
        np.uint32(n if target is None else target),
        np.uint64(0),
        *map(np.uint32, (capacity, workers, n, rows)),
    )
    launch = job.bind(kernel, workers, group, *arguments)
    report = None if progress is None else lambda vertices: progress(vertices, n)
    pace = Pace(_FIRST_BUDGET["cpu" if on_cpu else "gpu"])
    return dist, take_rows(job, launch, counters, rows, pace, report)
