"""Near-far shortest paths on devices with many work-items (cl/single_source/near_far_work_group.cl)."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyopencl as cl

from reedsp.arithmetic.paths import Arithmetic
from reedsp.device.build import constants
from reedsp.device.device import Device
from reedsp.device.iterate import Pace
from reedsp.device.job import BoundKernel, Job, Kernel
from reedsp.device.selfcheck import is_trusted
from reedsp.edges.device_graph import OutEdges
from reedsp.edges.selfcheck import finds_known_distances

_FILE = "single_source/near_far_work_group.cl"
_SMALL_GROUP = 64
_GROUP_SIZE = 256  # where vertices have few edges, as in the graph of the trial
_PHASES = 6  # launches until all the words that take turns come round
_LARGEST_ENTRY = 16  # bytes, of two keys
_SHORTEST_BATCH, _LONGEST_BATCH = 16, 48
_GROUPS_PER_COMPUTE_UNIT = 4
_QUEUE = 512
_STEPS_OF_HUB = 32
_STEPS_ALONE = 4
_FEW_EDGES = 6.0  # a vertex, as in grids and road networks
_MANY_EDGES = 1000  # at one vertex, as in social networks
_TIMES_THE_MEAN = 8  # which that vertex has, too, unless all have many
_LEAST_SHARE = 4  # entries, unless one keeps a work-group busy


@dataclass(frozen=True)
class Tuning:
    """What makes the search fast or slow, and never right or wrong.

    Attributes
    ----------
    group_size : int
        Work-items of a work-group, a power of 2.
    groups : int
        Work-groups of a launch.
    local_rounds : int
        Relaxations that a work-group goes on with what it has found itself.
    least_share : int
        Entries that a work-group takes at once, at least.
    delta : float
        By how much the threshold between near and far rises.
    queue : int
        Entries of a local queue.
    hub : int
        Edges from which on all work-groups share a vertex.
    edges_alone : int
        Edges up to which one work-group relaxes entries that several could share.
    room : int
        Entries of the near queue and of the far pile, at least one a slot. Those without room cost time.
    """

    group_size: int
    groups: int
    local_rounds: int
    least_share: int
    delta: float
    queue: int
    hub: int
    edges_alone: int
    room: int


def tuning_for(device: Device, edges: OutEdges, rows: int) -> Tuning:
    """Return what measured well for graphs like this one."""
    if edges.max_degree > max(_MANY_EDGES, _TIMES_THE_MEAN * edges.mean_degree):
        group_size, local_rounds, delta = 512, 2, 16.0
    elif edges.mean_degree > _FEW_EDGES:
        group_size, local_rounds, delta = _GROUP_SIZE, 4, 1.5
    else:
        group_size, local_rounds, delta = _GROUP_SIZE, 32, 128.0
    group_size, queue = _sizes(device, group_size)
    return Tuning(
        group_size=group_size,
        groups=_GROUPS_PER_COMPUTE_UNIT * device.compute_units,
        local_rounds=local_rounds,
        least_share=max(1, min(_LEAST_SHARE, group_size, int(group_size / max(1.0, edges.mean_degree)))),
        delta=delta * edges.typical_weight,
        queue=queue,
        hub=_STEPS_OF_HUB * group_size,
        edges_alone=_STEPS_ALONE * group_size,
        room=min(2 * edges.n, device.max_allocation // _LARGEST_ENTRY) if rows == 1 else rows * edges.n,
    )


def _sizes(device: Device, group_size: int) -> tuple[int, int]:
    """Return the work-items of a work-group that a device allows, and the entries of a local queue."""
    size, queue = group_size, max(group_size, _QUEUE)
    if device.kind == "cpu":  # whose compilers take long over large work-groups
        size, queue = 16, 32
    return min(size, 1 << device.max_work_group_size.bit_length() - 1), queue


def _right_tuning(device: Device, edges: OutEdges, arithmetic: Arithmetic, rows: int) -> Tuning:
    """Return that tuning, with work-groups of another size if those give wrong answers here."""
    tuning = tuning_for(device, edges, rows)
    size, queue = _sizes(device, _GROUP_SIZE)  # as in trials of the whole method
    if (tuning.group_size, tuning.queue) == (size, queue):
        return tuning
    name = f"near-far in work-groups of {tuning.group_size} and {arithmetic}"
    if is_trusted(device, name, finds_known_distances, _distances, arithmetic, tuning.group_size, tuning.queue):
        return tuning
    return dataclasses.replace(tuning, group_size=size, queue=queue, least_share=min(tuning.least_share, size))


def _distances(
    job: Job, edges: OutEdges, arithmetic: Arithmetic, starts: Sequence[Sequence[int]], group_size: int, queue: int
) -> cl.Buffer:
    tuning = tuning_for(job.device, edges, len(starts))
    tuning = dataclasses.replace(tuning, group_size=group_size, queue=queue)
    return solve(job, edges, arithmetic, starts, tuning=tuning)[0]


def solve(
    job: Job,
    edges: OutEdges,
    arithmetic: Arithmetic,
    starts: Sequence[Sequence[int]],
    *,
    ceiling: Any = None,
    target: int | None = None,
    delta: float | None = None,
    tuning: Tuning | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[cl.Buffer, int]:
    """Find distances from one vertex or several, in each of several rows, along edges that are not negative.

    Parameters
    ----------
    job : Job
    edges : OutEdges
    arithmetic : Arithmetic
        Holds every path sum. With 64 bits, the device needs 64-bit atomic operations.
    starts : sequence of sequences of int
        For each row the vertices at distance 0, all different.
    ceiling : optional
        Path weights from here on are left out.
    target : int, optional
        Stop as soon as the distance of this vertex is final in all rows. Distances up to it are final then.
    delta : float, optional
        Instead of that of `tuning`.
    tuning : Tuning, optional
        By default what measured well for similar graphs.
    progress : callable(rounds, n), optional

    Returns
    -------
    dist : pyopencl.Buffer, shape (rows, n)
        In the arithmetic.
    rounds : int
        Launches that had something to do.
    """
    tuning = tuning or _right_tuning(job.device, edges, arithmetic, len(starts))
    if delta is not None:
        tuning = dataclasses.replace(tuning, delta=delta)
    search = _Search(job, edges, arithmetic, starts, ceiling, target, tuning)
    return search.dist, search.run(progress)


class _Search:
    """Buffers and kernels of one search."""

    def __init__(
        self,
        job: Job,
        edges: OutEdges,
        arithmetic: Arithmetic,
        starts: Sequence[Sequence[int]],
        ceiling: Any,
        target: int | None,
        tuning: Tuning,
    ) -> None:
        n, rows, dtype = edges.n, len(starts), arithmetic.dtype
        self._job, self._n = job, n
        self._slots = np.uint32(rows * n)
        key = np.dtype(f"u{dtype.itemsize}")
        delta = arithmetic.step(tuning.delta)
        self._macros: dict[str, str | int] = {
            "GROUP_SIZE": tuning.group_size,
            "QUEUE": tuning.queue,
            "WIDE": int(dtype.itemsize == 8),
            "ATOMIC_LOADS": int(not job.device.loads_are_atomic),
            **edges.macros,
            **arithmetic.macros,
        }
        room = np.uint32(max(tuning.room, rows * n))
        self._room = room
        self.dist = job.allocate(rows * n, dtype)
        self._near = (job.allocate(2 * int(room), np.uint32), job.allocate(2 * int(room), key))
        layout = self._layout = constants(_FILE)
        hubs = (job.allocate(2 * layout["HUB_ROOM"], np.uint32), job.allocate(2 * layout["HUB_ROOM"], key))
        far = (job.allocate(2 * int(room), np.uint32), job.allocate(2 * int(room), key))
        self._counts, limits = job.allocate(layout["COUNTS"], np.uint32), job.allocate(layout["LIMITS"], key)
        slots = np.array([row * n + vertex for row, some in enumerate(starts) for vertex in some], np.uint32)
        count = np.uint32(len(slots))
        job.launch(
            self._kernel("clear"),
            rows * n,
            _SMALL_GROUP,
            self.dist,
            self._counts,
            limits,
            count,
            delta,
            np.uint64(rows * n),
        )
        job.launch(
            *(self._kernel("start"), len(slots), _SMALL_GROUP),
            *(job.upload(slots, keep=False), self.dist, *self._near, count),
        )
        advance = self._kernel("advance")
        self._round = advance.position_of("round")
        lists = (self.dist, *self._near, *hubs, *far, self._counts, limits, room, room)
        bound = arithmetic.infinity if ceiling is None else ceiling
        stop = (np.uint32(0 if target is None else rows), np.uint32(target or 0))
        self._advance: BoundKernel = job.bind(
            advance,
            tuning.groups * tuning.group_size,
            tuning.group_size,
            *(edges.first_edge, edges.edges, *lists, np.uint32(0), delta, bound),
            *(
                np.uint32(tuning.local_rounds),
                np.uint32(tuning.least_share),
                np.uint32(tuning.hub),
                np.uint32(tuning.edges_alone),
                np.uint32(edges.max_degree),
                *stop,
                np.uint32(n),
            ),
        )

    def _kernel(self, name: str) -> Kernel:
        return self._job.device.kernel(_FILE, name, **self._macros)

    def run(self, progress: Callable[[int, int], None] | None) -> int:
        """Launch until nothing is left to do; return the number of launches that had something to do."""
        layout, launch, pace = self._layout, 0, Pace(_SHORTEST_BATCH, _LONGEST_BATCH)
        while True:
            pace.begin()
            for _ in range(pace.amount):
                self._advance.set(self._round, np.uint32(launch % _PHASES))
                self._advance.queue()
                launch += 1
            counts = self._job.download(self._counts, layout["COUNTS"], np.uint32)
            if counts[layout["DONE"]]:
                if not counts[layout["LOST"]]:
                    return int(counts[layout["ROUNDS"]])
                self._requeue(launch)
            if progress is not None:
                progress(int(counts[layout["ROUNDS"]]), self._n)
            pace.adapt()

    def _requeue(self, launch: int) -> None:
        sizes = (self._room, np.uint32(launch % _PHASES), self._slots)
        kernel = self._kernel("requeue")
        self._job.launch(kernel, int(self._slots), _SMALL_GROUP, self.dist, *self._near, self._counts, *sizes)
