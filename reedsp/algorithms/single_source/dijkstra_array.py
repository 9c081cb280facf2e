"""Dijkstra's algorithm with arrays, one work-group a row (cl/single_source/dijkstra_array.cl)."""

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

_FILE = "single_source/dijkstra_array.cl"
_GPU_GROUP = 256  # work-items
_GROUPS_PER_COMPUTE_UNIT = 8
_FIRST_BUDGET = 1 << 20  # edges, and sixteenths of keys
_PART_OF_MEMORY = 0.25
_LEAST_CAPACITY = 1024  # keys
COALESCED = 32
"""Words that count as one access, as on GPUs."""


def dijkstra_array(task: Task, *, group_size: int | None = None, local_memory: bool | None = None) -> Outcome:
    """Solve single-source shortest paths by Dijkstra's algorithm with an array of distances, a work-group a row.

    Ma, Agrawal and Chamberlain (2012, section III.C) take it for Johnson's algorithm. It looks at every distance for
    each vertex: for dense graphs, and small ones.

    Parameters
    ----------
    task : Task
        Of a graph without negative weights. What is farther away than a target is left out.
    group_size : int, optional
        Work-items of a work-group, a power of two; by default 1 on CPUs, where it takes whole vectors at a time.
    local_memory : bool, optional
        Whether the array lies in local memory; by default where it fits there, but not on CPUs, which have none.

    Returns
    -------
    Outcome
        Its rounds are the vertices whose edges were relaxed.

    Raises
    ------
    ValueError
        An option is wrong, or the array does not fit into local memory.
    OverflowError
        A distance lies outside the arithmetic.
    DeviceError, DeviceMemoryError
        The device cannot do it.
    """
    device, n = task.job.device, task.graph.n
    size = _group_size(device) if group_size is None else group_size
    check_group_size(size, device)
    most = _local_capacity(device, task.arithmetic, size)
    if local_memory and n > most:
        raise ValueError(f"options: local_memory = {local_memory}, but {n} distances do not fit, {most} would")
    rows = rows_at_once(device, task.arithmetic, n)
    own = functools.partial(search, group_size=size, local_memory=local_memory)
    return task.in_parts(rows, functools.partial(solve_by, own))


def rows_at_once(device: Device, arithmetic: Arithmetic, n: int) -> int:
    """Return how many rows of n vertices fit into the memory that a search may use."""
    if device.kind == "cpu":
        return near_far.rows_at_once(device, arithmetic, n, work_groups=False)
    size = arithmetic.dtype.itemsize
    memory = _PART_OF_MEMORY * device.global_memory
    return max(1, min(int(memory) // (n * (2 * size + 4)), device.max_allocation // (n * size)))


def check_group_size(size: int, device: Device) -> None:
    """Raise ValueError for a number of work-items that none of these work-groups has."""
    if not 0 < size <= device.max_work_group_size or size & (size - 1):
        raise ValueError(f"options: group_size = {size}, expected a power of two up to {device.max_work_group_size}")


def _group_size(device: Device) -> int:
    if device.kind == "cpu":
        return 1
    return min(_GPU_GROUP, 1 << device.max_work_group_size.bit_length() - 1)


def _local_capacity(device: Device, arithmetic: Arithmetic, group_size: int) -> int:
    """Return for how many keys there is local memory."""
    size = arithmetic.dtype.itemsize
    others, block = group_size * 2 * size + 16, constants(_FILE)["BLOCK"]
    return max(0, device.local_memory - others) // size // block * block


def search(
    job: Job,
    edges: OutEdges,
    arithmetic: Arithmetic,
    starts: Sequence[Sequence[int]],
    *,
    ceiling: Any = None,
    target: int | None = None,
    group_size: int | None = None,
    local_memory: bool | None = None,
    progress: Callable[[int, int], None] | None = None,
    groups: int | None = None,
    counts: cl.Buffer | None = None,
) -> tuple[cl.Buffer, int]:
    """Find the distances from some vertices to all vertices.

    Parameters
    ----------
    job, edges, arithmetic, starts, ceiling, target, progress
        As of :func:`.dijkstra_heap.search`.
    group_size, local_memory
        As of :func:`dijkstra_array`.
    groups : int, optional
        Work-groups; by default as many as there are compute units, on GPUs some times as many.
    counts : pyopencl.Buffer of uint64, shape (rows, group_size, COUNTED), optional
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
    device, n, rows, size = job.device, edges.n, len(starts), arithmetic.dtype.itemsize
    group_size = _group_size(device) if group_size is None else group_size
    most = _local_capacity(device, arithmetic, group_size)
    in_local = (device.kind != "cpu" and n <= most) if local_memory is None else local_memory
    if groups is None:
        groups = device.compute_units * (1 if device.kind == "cpu" else _GROUPS_PER_COMPUTE_UNIT)
    groups = min(rows, groups)
    macros: dict[str, str | int] = {
        "GROUP_SIZE": group_size,
        "LANES": 64 // size,
        "IN_LOCAL": int(in_local),
        "WIDE": int(size == 8),
        "COUNTS": int(counts is not None),
        "COALESCED": COALESCED,
        **edges.macros,
        **arithmetic.macros,
    }
    if in_local:  # powers of two, so that few programs are built
        macros["CAPACITY"] = min(most, max(_LEAST_CAPACITY, 1 << (n - 1).bit_length()))
    kernel = device.kernel(_FILE, "solve_rows", **macros)
    layout = constants(_FILE)
    capacity = round_up(n, layout["BLOCK"])
    dist, counters = job.allocate(rows * n, arithmetic.dtype), job.full(layout["COUNTERS"], np.uint32(0))
    arguments = (
        edges.first_edge,
        edges.edges,
        *upload_starts(job, starts),
        dist,
        job.allocate(groups * capacity, arithmetic.dtype),
        job.full(groups * layout["STATE_BYTES"], np.uint8(0)),
        counters,
        counters if counts is None else counts,
        arithmetic.infinity if ceiling is None else arithmetic.dtype.type(ceiling),
        np.uint32(n if target is None else target),
        np.uint64(0),
        *map(np.uint32, (capacity, n, rows)),
    )
    launch = job.bind(kernel, groups * group_size, group_size, *arguments)
    report = None if progress is None else lambda vertices: progress(vertices, n)
    return dist, take_rows(job, launch, counters, rows, Pace(_FIRST_BUDGET), report)
