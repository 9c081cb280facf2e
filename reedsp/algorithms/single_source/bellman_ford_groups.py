"""Bellman-Ford from many sources, one work-group a row (cl/single_source/bellman_ford_groups.cl)."""

from __future__ import annotations

import dataclasses
import functools
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyopencl as cl

from reedsp.algorithms.single_source.outcome import RoundingError, beyond, look_for_cycle, settle, solve_on_host
from reedsp.algorithms.single_source.output_parallel import output_parallel
from reedsp.algorithms.single_source.task import Outcome, Task, check_group_size, upload_starts
from reedsp.arithmetic.paths import Arithmetic
from reedsp.cost_model import settings
from reedsp.device.build import constants
from reedsp.device.device import Device
from reedsp.device.errors import DeviceError
from reedsp.device.iterate import Pace, take_rows
from reedsp.device.job import Job
from reedsp.edges.device_graph import DeviceGraph
from reedsp.edges.distances import read_distances
from reedsp.edges.predecessors import find_trees

_FILE = "single_source/bellman_ford_groups.cl"
_GPU_GROUP = 256  # work-items
_GROUPS_PER_COMPUTE_UNIT = 8
_FIRST_BUDGET = 1 << 20  # edges that a work-group relaxes
_OTHER_BYTES = 64  # of local memory
_LEAST_ROOM = 1024  # vertices
_PART_OF_MEMORY = 0.25


def bellman_ford(task: Task, *, group_size: int | None = None, local_memory: bool | None = None) -> Outcome:
    """Solve single-source shortest paths from many sources by Bellman-Ford, a work-group a row.

    Each round relaxes every edge, from the path weights of the round before (Ma, Agrawal and Chamberlain, 2012,
    Algorithm 2), until one updates nothing. Weights may be negative.

    Parameters
    ----------
    task : Task
        Each row has one source, unless the weights are not negative.
    group_size : int, optional
        Work-items of a work-group; by default 1 on CPUs.
    local_memory : bool, optional
        Whether path weights lie in local memory; by default where two for each vertex fit there, but not on CPUs, which
        have none.

    Returns
    -------
    Outcome

    Raises
    ------
    ValueError
        An option is wrong, or path weights do not fit into local memory.
    NegativeCycleError
        A negative cycle can be reached from a source.
    OverflowError
        A distance lies outside the arithmetic.
    DeviceError, DeviceMemoryError
        The device cannot do it.
    """
    device, n = task.job.device, task.graph.n
    size = _group_size(device) if group_size is None else group_size
    check_group_size(size, device)
    most = _local_room(device, task.arithmetic)
    if local_memory and n > most:
        raise ValueError(f"options: local_memory = {local_memory}, but {n} vertices do not fit, {most} would")
    solve = functools.partial(_solve, int(size), local_memory)
    return task.in_parts(rows_at_once(device, task.arithmetic, n), solve)


def rows_at_once(device: Device, arithmetic: Arithmetic, n: int) -> int:
    """Return how many rows of n vertices fit into the memory that a search may use."""
    size = max(1, n) * arithmetic.dtype.itemsize
    memory = settings.ON_CPU if device.kind == "cpu" else _PART_OF_MEMORY * device.global_memory
    return max(1, min(int(memory) // (2 * size + 4 * 4 * max(1, n)), device.max_allocation // size))


def _group_size(device: Device) -> int:
    return 1 if device.kind == "cpu" else min(_GPU_GROUP, device.max_work_group_size)


def _local_room(device: Device, arithmetic: Arithmetic) -> int:
    """Return for how many vertices there is local memory."""
    return max(0, device.local_memory - _OTHER_BYTES) // (2 * arithmetic.dtype.itemsize)


def _solve(group_size: int, local_memory: bool | None, task: Task) -> Outcome:
    graph, job, arithmetic = task.graph, task.job, task.arithmetic
    job.phases.begin("prepare")
    on_device = DeviceGraph.of(graph, job, arithmetic, in_degree_order=False)
    job.phases.begin("search")
    report = task.progress
    found = search(
        *(job, on_device, task.starts, task.bound, graph.has_negative_weights),
        group_size=group_size,
        local_memory=local_memory,
        progress=None if report is None else lambda rounds: report(rounds, graph.n),
    )
    if report is not None:
        report(found.rounds, graph.n)
    if graph.has_negative_weights and (found.in_unrest or arithmetic.saturate or arithmetic.dtype.kind == "f"):
        return Outcome(found.rounds, _settle_rows(task, on_device, found))
    if task.predecessors is not None or arithmetic.saturate:
        job.phases.begin("tree")
        by_hops = task.by_hops or graph.has_negative_weights
        trees = find_trees(job, on_device, found.weights, task.starts, by_hops)
        if trees.overflowed and task.ceiling is None:
            rows = job.download(found.weights, len(task.starts) * graph.n, arithmetic.dtype).reshape(-1, graph.n)
            raise beyond(arithmetic, graph, task.starts, rows)
        if trees.unresolved:
            raise DeviceError(f"{job.device} has computed path weights that contradict each other")
        if task.predecessors is not None:
            job.phases.begin("download")
            trees.read_into(task.predecessors, job)
    job.phases.begin("download")
    read_distances(job, found.weights, task.dist, arithmetic)
    return Outcome(found.rounds)


def _settle_rows(task: Task, on_device: DeviceGraph, found: Found) -> frozenset[int]:
    """Fill the arrays of a task row by row, where one may have met a negative cycle; return those from the host."""
    job, n, size = task.job, task.graph.n, task.arithmetic.dtype.itemsize
    layout, from_host = constants(_FILE), set()
    weights, predecessors = job.allocate(n, task.arithmetic.dtype), job.allocate(n, np.int32)
    rests = found.rests.tolist()
    for row in sorted(range(len(rests)), key=lambda each: rests[each] != layout["UNREST"]):
        one = task.of_row(row)
        if rests[row] == layout["ABANDONED"]:
            outcome = output_parallel(one)
        else:
            job.copy(weights, 0, found.weights, row * n * size, n * size)
            job.copy(predecessors, 0, found.predecessors, row * n * 4, n * 4)
            outcome = _settle_row(one, on_device, weights, predecessors, rests[row] == layout["UNREST"])
        if outcome.rows_from_host:
            from_host.add(row)
    return frozenset(from_host)


def _settle_row(
    task: Task, on_device: DeviceGraph, weights: cl.Buffer, predecessors: cl.Buffer, in_unrest: bool
) -> Outcome:
    try:
        if in_unrest or task.arithmetic.saturate:  # saturated sums come to rest on a negative cycle, too
            look_for_cycle(task, on_device, predecessors)
        if in_unrest:
            raise RoundingError
        return settle(task, on_device, weights, 0)
    except RoundingError:
        return solve_on_host(task)


@dataclasses.dataclass(frozen=True)
class Found:
    """What a search has found.

    Attributes
    ----------
    weights : pyopencl.Buffer, shape (rows, n)
        Path weights; those of a row that was not abandoned, and is not in unrest, are final.
    predecessors : pyopencl.Buffer of int32, shape (rows, n)
        The source of the edge that gave each of them, if some weights are negative.
    rests : ndarray of uint32, shape (rows,)
        As cl/single_source/bellman_ford_groups.cl says it.
    rounds : int
        Of all rows.
    """

    weights: cl.Buffer
    predecessors: cl.Buffer
    rests: npt.NDArray[np.uint32]
    rounds: int

    @property
    def in_unrest(self) -> bool:
        """Whether some row was updated in as many rounds as there are vertices."""
        return bool((self.rests == constants(_FILE)["UNREST"]).any())


def search(
    job: Job,
    on_device: DeviceGraph,
    starts: Sequence[Sequence[int]],
    ceiling: Any,
    negative: bool,
    *,
    group_size: int,
    local_memory: bool | None = None,
    progress: Callable[[int], None] | None = None,
    groups: int | None = None,
    counts: cl.Buffer | None = None,
    pace: Pace | None = None,
) -> Found:
    """Find path weights from some vertices to all vertices.

    Parameters
    ----------
    job : Job
    on_device : DeviceGraph
        In the order of the user.
    starts : sequence of sequences of int
        For each row the vertices at distance 0.
    ceiling
        Path weights from here on are left out.
    negative : bool
        Whether some weights are: then predecessors are kept, which show a negative cycle.
    group_size, local_memory
        As of :func:`bellman_ford`.
    progress : callable(rounds), optional
        Called between launches.
    groups : int, optional
        Work-groups; by default as many as there are compute units, on GPUs some times as many.
    counts : pyopencl.Buffer of uint64, shape (rows, group_size, COUNTED), optional
        To which a kernel that counts adds (cl/single_source/counted.cl).
    pace : Pace, optional
        Of edges that a work-group relaxes in a launch.

    Returns
    -------
    Found

    Raises
    ------
    DeviceError, DeviceMemoryError
        The device cannot do it.
    """
    device, n, rows, arithmetic = job.device, on_device.n, len(starts), on_device.arithmetic
    most, layout, on_cpu = _local_room(device, arithmetic), constants(_FILE), device.kind == "cpu"
    in_local = (not on_cpu and n <= most) if local_memory is None else local_memory
    if groups is None:
        groups = device.compute_units * (1 if on_cpu else _GROUPS_PER_COMPUTE_UNIT)
    groups = min(rows, groups)
    if pace is None:
        pace = Pace(_FIRST_BUDGET if on_cpu else sys.maxsize)
    macros: dict[str, str | int] = {
        "GROUP_SIZE": group_size,
        "IN_LOCAL": int(in_local),
        "KEEP_PREDECESSORS": int(negative),
        "COUNTS": int(counts is not None),
        **arithmetic.macros,
    }
    if in_local:  # powers of two, so that few programs are built
        macros["VERTICES"] = min(most, max(_LEAST_ROOM, 1 << (n - 1).bit_length()))
    kernel = device.kernel(_FILE, "solve_rows", **macros)
    weights = job.allocate(rows * n, arithmetic.dtype)
    predecessors = job.allocate(rows * n if negative else 1, np.int32)
    rests, counters = job.allocate(rows, np.uint32), job.full(layout["COUNTERS"], np.uint32(0))
    edges = (on_device.edge_weights, on_device.edge_sources, on_device.edge_counts, on_device.vertex_edge_index)
    launch = job.bind(
        *(kernel, groups * group_size, group_size, *edges, *upload_starts(job, starts), weights),
        *(job.allocate(1 if in_local else groups * n, arithmetic.dtype), predecessors, rests, counters),
        job.full(groups * layout["PAUSED_WORDS"], np.uint32(0)),
        *(rests if counts is None else counts, arithmetic.dtype.type(ceiling), np.uint32(n), np.uint64(0)),
        *(np.uint64(on_device.m), np.uint32(n), np.uint32(rows)),
    )
    rounds = take_rows(job, launch, counters, rows, pace, progress)
    return Found(weights, predecessors, job.download(rests, rows, np.uint32), rounds)
