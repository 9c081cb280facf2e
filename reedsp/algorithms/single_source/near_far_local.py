"""Near-far shortest paths of small graphs from many sources: each in the local memory of one work-group.

The kernel is cl/single_source/near_far_local.cl.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyopencl as cl

from reedsp.algorithms.single_source.outcome import fill_rows
from reedsp.algorithms.single_source.selfcheck import finds_known_tree
from reedsp.algorithms.single_source.task import Outcome, Task, upload_starts
from reedsp.algorithms.single_source.task import check_group_size as check_size
from reedsp.arithmetic.paths import Arithmetic
from reedsp.cost_model import settings
from reedsp.cost_model.choose_search import MANY_ROWS
from reedsp.device.build import constants
from reedsp.device.device import Device
from reedsp.device.errors import DeviceError, DeviceMemoryError
from reedsp.device.iterate import Pace, take_rows
from reedsp.device.job import Job, round_up
from reedsp.device.selfcheck import is_trusted, none_is_trusted
from reedsp.edges.device_graph import OutEdges
from reedsp.graph.graph import Graph

_FILE = "single_source/near_far_local.cl"
_BEYOND = constants(_FILE)["BEYOND"]
_BEYOND_16_BITS = "beyond_16_bits"  # what a search has found out about a graph

_GROUP_SIZE, _LARGE_GROUP = 256, 512
_GROUPS_PER_COMPUTE_UNIT = 16  # as many as can be at work there
_EDGES_AT_ONCE = 2
_EDGES_OF_LANE = 2.5  # of a vertex
_MOST_LANES = 32
_STEPS_OF_HUB = 32  # of the work-items of one vertex
_QUEUE = 512

_QUEUE_ON_CPU = 256
_SHARE = 64  # vertices, of which local memory has room for a multiple
_LEAST_ROOM, _PARTS = 1024, 4  # vertices, and parts of a power of two, of which it has a multiple if that fits
_OTHER_BYTES = 256  # of local memory, for counts and gaps
_PART_OF_MEMORY = 0.25
_MOST_SLOTS = 1 << 31
_BUDGET = 1 << 20  # edges that a work-group relaxes in the first launch
_MOST_BUDGET = 1 << 30


@dataclass(frozen=True)
class Tuning:
    """What makes the search fast or slow, and never right or wrong.

    Attributes
    ----------
    group_size : int
        Work-items of a work-group.
    lanes : int
        Those that relax the edges of one vertex, a divisor of it.
    edges_at_once : int
        Edges that each of these loads before it relaxes the first.
    hub : int
        Edges from which on all work-items of a work-group relax those of one vertex. 0: none has as many.
    queue : int
        Vertices that are relaxed together at most, a multiple of 32.
    groups : int
        Work-groups.
    narrow : bool
        Keep distances in 16 bits.
    delta : float
        By how much the threshold between near and far rises; inf: all vertices are near.
    """

    group_size: int
    lanes: int
    edges_at_once: int
    hub: int
    queue: int
    groups: int
    narrow: bool
    delta: float

    def local_bytes(self, vertices: int, itemsize: int) -> int:
        """Return the local memory of a work-group with room for so many vertices."""
        entry = 2 if vertices < 1 << 16 else 4
        queues = self.queue * entry * (2 if self.hub else 1)
        return vertices * (2 if self.narrow else itemsize) + vertices // 4 + queues + _OTHER_BYTES

    def most_vertices(self, device: Device, arithmetic: Arithmetic) -> int:
        """Return how many vertices a graph may have on a device."""
        low, high = 0, device.local_memory // _SHARE
        while low < high:
            middle = (low + high + 1) // 2
            fits = self.local_bytes(middle * _SHARE, arithmetic.dtype.itemsize) <= device.local_memory
            low, high = (middle, high) if fits else (low, middle - 1)
        return low * _SHARE


def tuning_for(
    device: Device, edges: OutEdges, arithmetic: Arithmetic, narrow: bool, group_size: int | None = None
) -> Tuning:
    """Return what is expected to suit a graph; parameters as for :func:`near_far_local`."""
    on_cpu = device.kind == "cpu"
    size = group_size
    if size is None:
        large = settings.needs_large_groups(edges.n, edges.mean_degree)
        size = 1 if on_cpu else min(_LARGE_GROUP if large else _GROUP_SIZE, device.max_work_group_size)
        if arithmetic.dtype.itemsize == 8 and not device.int64_atomics:
            size = 1
    each = 1 if size == 1 else _EDGES_AT_ONCE
    wanted = min(_MOST_LANES, 1 << round(math.log2(max(1.0, edges.mean_degree / _EDGES_OF_LANE))))
    lanes = math.gcd(wanted, size)
    hub = _STEPS_OF_HUB * lanes * each
    return Tuning(
        group_size=size,
        lanes=lanes,
        edges_at_once=each,
        hub=hub if edges.max_degree >= hub and size > lanes else 0,
        queue=_QUEUE_ON_CPU if on_cpu else _QUEUE,
        groups=device.compute_units * (1 if on_cpu else _GROUPS_PER_COMPUTE_UNIT),
        narrow=narrow,
        delta=edges.typical_weight * settings.delta_in_local_memory(edges.mean_degree),
    )


def rows_at_once(device: Device, arithmetic: Arithmetic, n: int) -> int:
    """Return how many rows of n vertices fit into the memory that a search may use."""
    size = n * arithmetic.dtype.itemsize
    with_trees = size + 3 * 4 * n
    memory = min(_PART_OF_MEMORY * device.global_memory / max(1, with_trees), device.max_allocation / max(1, size))
    if device.kind == "cpu":
        memory = min(memory, settings.ON_CPU / max(1, size))
    return max(1, min(int(memory), _MOST_SLOTS // max(1, n)))


def near_far_local(task: Task, *, delta: float | None = None, group_size: int | None = None) -> Outcome:
    """Solve single-source shortest paths from many sources, each by one work-group in its local memory.

    Where distances in the arithmetic do not fit, they are kept in 16 bits, as long as none of the graph is beyond them.

    Parameters
    ----------
    task : Task
        Of a graph without negative weights. What is farther away than a target is left out.
    delta : float, optional
        By how much the threshold between near and far rises, in units of weight; inf: all vertices are near. By default
        what is expected to suit the graph.
    group_size : int, optional
        Work-items of a work-group. By default 1 on CPUs, and where the arithmetic has 64 bits, and the device no
        atomic operations on these.

    Returns
    -------
    Outcome

    Raises
    ------
    ValueError
        The graph has too many vertices for the local memory of the device; the message says how many it may have.
    OverflowError
        A distance lies outside the arithmetic.
    DeviceError, DeviceMemoryError
        The device cannot do it.
    """
    device, arithmetic = task.job.device, task.arithmetic
    if group_size is not None:
        check_group_size(group_size, device, arithmetic)
    return task.in_parts(rows_at_once(device, arithmetic, task.graph.n), functools.partial(_solve, delta, group_size))


def check_group_size(size: int, device: Device, arithmetic: Arithmetic) -> None:
    """Raise ValueError for a number of work-items that none of these work-groups has."""
    check_size(size, device)
    if size > 1 and arithmetic.dtype.itemsize == 8 and not device.int64_atomics:
        raise ValueError(
            f"options: group_size = {size}, but {device} has no atomic operations of 64 bits: it is 1 there"
        )


def _solve(delta: float | None, group_size: int | None, task: Task) -> Outcome:
    job, arithmetic, graph = task.job, task.arithmetic, task.graph
    job.phases.begin("prepare")
    edges = OutEdges.of(graph, job, arithmetic)
    distinct = task.different_starts()
    job.phases.begin("search")
    found = rounds = None
    while found is None:
        tuning = _right_tuning(job.device, graph, edges, arithmetic, group_size, task.by_hops)
        if delta is not None:
            tuning = dataclasses.replace(tuning, delta=delta)
        found, rounds = solve(job, edges, arithmetic, distinct, tuning, ceiling=task.ceiling, progress=task.progress)
        if found is None:
            edges.known[_BEYOND_16_BITS] = True
    assert rounds is not None
    if task.progress is not None:
        task.progress(rounds, graph.n)
    fill_rows(task, edges, found, distinct)
    return Outcome(rounds)


def _right_tuning(
    device: Device, graph: Graph, edges: OutEdges, arithmetic: Arithmetic, group_size: int | None, by_hops: bool
) -> Tuning:
    """Return a tuning that has room for the graph, and gives right answers on the device."""
    wide, narrow = (tuning_for(device, edges, arithmetic, narrow, group_size) for narrow in (False, True))
    most = wide.most_vertices(device, arithmetic)
    can_be_narrow = (
        arithmetic.dtype == np.int32 and graph.max_abs_weight < _BEYOND and _BEYOND_16_BITS not in edges.known
    )
    tuning = narrow if can_be_narrow and edges.n > most else wide
    most = tuning.most_vertices(device, arithmetic)
    if edges.n > most:
        raise ValueError(
            f"near-far-local: the graph has {edges.n:,} vertices; the local memory of {device} "
            f"has room for {most:,} with distances in {'uint16' if tuning.narrow else arithmetic.dtype}"
        )
    room = _room(edges.n, tuning, device, arithmetic)
    numbers = (tuning.group_size, tuning.lanes, tuning.edges_at_once, tuning.hub, tuning.queue, tuning.narrow, room)
    name = f"near-far in local memory by {' '.join(map(str, numbers))} and {arithmetic}"
    if not is_trusted(device, name, _finds_what_is_known, arithmetic, by_hops, *numbers):
        raise none_is_trusted(f"{device}: near-far-local in {arithmetic} gives wrong answers, or fails")
    return tuning


def is_faster(job: Job, graph: Graph, arithmetic: Arithmetic, rows: int, by_hops: bool = False) -> bool:
    """Return whether so many rows of a graph are found, as is expected, sooner than by near-far, and rightly."""
    if rows < MANY_ROWS or not fits(job.device, graph.n, arithmetic):
        return False
    return is_right(job, graph, arithmetic, by_hops)


def fits(device: Device, n: int, arithmetic: Arithmetic) -> bool:
    """Return whether the work-groups of a GPU have local memory for searches of so many vertices."""
    if device.kind == "cpu" or (arithmetic.dtype.itemsize == 8 and not device.int64_atomics):
        return False
    with_most_queues = Tuning(_LARGE_GROUP, 1, _EDGES_AT_ONCE, 1, _QUEUE, 1, False, 0.0)
    return n <= with_most_queues.most_vertices(device, arithmetic)


def is_right(job: Job, graph: Graph, arithmetic: Arithmetic, by_hops: bool = False) -> bool:
    """Return whether the device gives right answers in local memory, of which the graph fits into."""
    device = job.device
    try:
        _right_tuning(device, graph, OutEdges.of(graph, job, arithmetic), arithmetic, None, by_hops)
    except DeviceMemoryError:
        raise
    except DeviceError:
        return False
    return True


def _finds_what_is_known(
    device: Device,
    arithmetic: Arithmetic,
    by_hops: bool,
    group_size: int,
    lanes: int,
    edges_at_once: int,
    hub: int,
    queue: int,
    narrow: bool,
    room: int,
) -> bool:
    tuning = Tuning(group_size, lanes, edges_at_once, hub, queue, device.compute_units, narrow, 20.0)

    def solved(task: Task) -> Outcome:
        edges, starts = OutEdges.of(task.graph, task.job, arithmetic), task.different_starts()
        found, rounds = solve(task.job, edges, arithmetic, starts, tuning, room=room)
        if found is not None:
            fill_rows(task, edges, found, starts)
        return Outcome(rounds)

    return finds_known_tree(device, solved, arithmetic, negative=False, by_hops=by_hops)


def solve(
    job: Job,
    edges: OutEdges,
    arithmetic: Arithmetic,
    starts: Sequence[Sequence[int]],
    tuning: Tuning,
    *,
    room: int | None = None,
    ceiling: Any = None,
    progress: Callable[[int, int], None] | None = None,
    first_budget: int = _BUDGET,
    most_budget: int = _MOST_BUDGET,
) -> tuple[cl.Buffer | None, int]:
    """Find the distances from each of some vertices along edges that are not negative.

    Parameters
    ----------
    job : Job
    edges : OutEdges
    arithmetic : Arithmetic
        That of `edges`.
    starts : sequence of sequences of int
        For each row of the answer the vertices at distance 0.
    tuning : Tuning
        The device has enough local memory for it.
    room : int, optional
        Vertices for which the kernel is built, a multiple of 64; by default one that suits the graph.
    ceiling : optional
        Path weights from here on are left out.
    progress : callable(rounds, n), optional
        Called between launches.
    first_budget, most_budget : int
        Edges that a work-group of a CPU relaxes in the first launch, and in any.

    Returns
    -------
    dist : pyopencl.Buffer, shape (rows, n), or None
        In the arithmetic; None if the tuning is narrow, and a distance beyond 16 bits.
    rounds : int
        Sets of vertices that were relaxed together, over all rows.
    """
    n, rows, dtype, device = edges.n, len(starts), arithmetic.dtype, job.device
    bounded = device.kind == "cpu"
    vertices = _room(n, tuning, device, arithmetic) if room is None else room
    macros = {
        "GROUP_SIZE": tuning.group_size,
        "LANES": tuning.lanes,
        "EDGES_AT_ONCE": tuning.edges_at_once,
        "HUB": tuning.hub,
        "VERTICES": vertices,
        "QUEUE": tuning.queue,
        "NARROW": int(tuning.narrow),
        "BOUNDED": int(bounded),
        "WIDE": int(dtype.itemsize == 8),
        "ATOMIC_LOADS": int(tuning.group_size > 1 and not device.loads_are_atomic),
        **edges.macros,
        **arithmetic.macros,
    }
    kernel, layout = device.kernel(_FILE, "solve_rows", **macros), constants(_FILE)
    groups = min(tuning.groups, rows)
    state = layout["PAUSED_BITS"] + vertices // 16 + tuning.group_size if bounded else 1
    dist = job.allocate(rows * n, dtype)
    counters = job.full(layout["COUNTERS"], np.uint32(0))
    arguments = (
        *(edges.first_edge, edges.edges, *upload_starts(job, starts), dist, counters),
        job.full(groups * state, np.uint32(0)),
        job.allocate(groups, np.dtype(f"u{dtype.itemsize}")),
        *(arithmetic.step(tuning.delta), arithmetic.infinity if ceiling is None else dtype.type(ceiling)),
    )
    size = tuning.group_size
    numbers = (np.uint64(0), np.uint32(n), np.uint32(rows))
    launch = job.bind(kernel, groups * size, size, *arguments, *numbers)
    report = None if progress is None else lambda rounds: progress(rounds, n)
    rounds = take_rows(job, launch, counters, rows, Pace(first_budget, most_budget), report)
    given_up = tuning.narrow and job.download(counters, layout["COUNTERS"], np.uint32)[layout["GIVEN_UP"]]
    return None if given_up else dist, rounds


def _room(n: int, tuning: Tuning, device: Device, arithmetic: Arithmetic) -> int:
    """Return for how many vertices a kernel is built, of sizes that are not too many."""
    unit = max(_LEAST_ROOM, (1 << n.bit_length() - 1) // _PARTS)
    rounded = round_up(n, unit)
    fits = tuning.local_bytes(rounded, arithmetic.dtype.itemsize) <= device.local_memory
    return rounded if fits else round_up(n, _SHARE)
