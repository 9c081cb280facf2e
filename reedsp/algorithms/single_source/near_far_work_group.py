"""Near-far shortest paths on devices with many work-items (cl/single_source/near_far_work_group.cl)."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pyopencl as cl

from reedsp.arithmetic.paths import Arithmetic
from reedsp.cost_model import settings
from reedsp.device.build import constants
from reedsp.device.device import Device
from reedsp.device.errors import DeviceError
from reedsp.device.iterate import Batches
from reedsp.device.job import BoundKernel, Job, Kernel
from reedsp.device.selfcheck import is_trusted
from reedsp.edges.balance import Balance, balance_for
from reedsp.edges.device_graph import OutEdges, UnitEdges
from reedsp.edges.selfcheck import finds_distances_along_few, finds_known_distances

_FILE = "single_source/near_far_work_group.cl"
_SMALL_GROUP = 64
_GROUP_SIZE = 256  # where vertices have few edges, as in the graph of the trial
_PHASES = 6  # launches until all the words that take turns come round
_LARGEST_ENTRY = 16  # bytes, of two keys
_FIRST_BATCH, _SHORTEST_BATCH, _LONGEST_BATCH = 16, 8, 48
_PART_OF_LAUNCHES = 4  # that may be queued in vain
_QUEUE = 512
_WIDEST, _COUNTERS = 8, 64  # bytes of the widest numbers, and of what a work-group counts
_STEPS_OF_HUB = 32
_LEAST_SHARE = 4  # entries, unless one keeps a work-group busy
_PART_FOR_EDGES = 8  # of the memory, for edges that "low-degree" reads
_LAUNCHES_A_VERTEX = 4  # twice those of a hub, which takes one to be listed and one to be relaxed
_HUBS_AT_ONCE = 256  # a fourth of those that have room in a launch
_ROUNDING = 4.0  # rounding can double a path weight, and halve what the threshold rises by
_FIRST_LAUNCHES, _FIRST_LOCAL_ROUNDS = 4, 4
_DEEP = "is_deep"  # what is known of a graph whose frontiers are small
_SMALL_FRONTIER = 1024  # entries a row: in a graph that is not deep more are waiting after these launches


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
        Entries of the near queue and of the far pile, at least one for each slot of a row. Those without room cost
        time.
    balance : Balance
        How a work-group shares out the edges of its entries.
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
    balance: Balance = field(default_factory=Balance)


def tuning_for(
    device: Device, edges: OutEdges | UnitEdges, rows: int, balance: str | None = None, itemsize: int = _WIDEST
) -> Tuning:
    """Return what measured well for graphs like this one, with the rung of the ladder that is named.

    Parameters
    ----------
    device : Device
    edges : OutEdges or UnitEdges
    rows : int
    balance : str, optional
    itemsize : int
        Bytes of a path weight: work-groups are so small that their queues of these fit into local memory.

    Raises
    ------
    ValueError
        The rung does not suit the graph.
    """
    rung = balance_for(edges, min(device.max_allocation, device.global_memory // _PART_FOR_EDGES), balance)
    measured = _measured(edges, rows)
    group_size, queue = _sizes(device, measured.group_size, itemsize)
    smaller = 1 if device.kind == "cpu" else max(1, measured.group_size // group_size)
    return Tuning(
        group_size=group_size,
        groups=smaller * measured.groups * device.compute_units,
        local_rounds=measured.local_rounds,
        least_share=max(1, min(_LEAST_SHARE, group_size, int(group_size / max(1.0, edges.mean_degree)))),
        delta=measured.delta * edges.typical_weight,
        queue=queue,
        hub=_STEPS_OF_HUB * group_size,
        edges_alone=max(measured.steps_alone, rung.units_at_once) * group_size,
        room=_room(device, edges.n, rows, _room_a_slot(edges, rows)),
        balance=rung,
    )


def _measured(edges: OutEdges | UnitEdges, rows: int) -> settings.Shared:
    return settings.shared(edges.n, edges.m, edges.max_degree, rows, bool(edges.known.get(_DEEP, True)))


def _may_be_deep(edges: OutEdges | UnitEdges) -> bool:
    """Return whether a first search has to find out how large frontiers are."""
    return edges.mean_degree <= settings.FEW_EDGES and _DEEP not in edges.known


def room_of_rows(
    job: Job, edges: OutEdges, arithmetic: Arithmetic, starts: Sequence[Sequence[int]], balance: str | None = None
) -> float:
    """Return how many entries the queues of a search from these rows of vertices have for each slot.

    Where frontiers are small, queues of many rows are. Of a graph that may be so this looks at the first launches from
    the first row.
    """
    if len(starts) >= settings.MANY_ROWS and _may_be_deep(edges):
        tuning = tuning_for(job.device, edges, 1, balance, arithmetic.dtype.itemsize)
        _look_at_frontiers(Search(job, edges, arithmetic, [list(dict.fromkeys(starts[0]))], tuning), edges)
    return _room_a_slot(edges, len(starts))


def _room_a_slot(edges: OutEdges | UnitEdges, rows: int) -> float:
    return _measured(edges, rows).room if _DEEP in edges.known else 1.0


def _look_at_frontiers(search: Search, edges: OutEdges, rows: int = 1) -> None:
    """Launch a few times, and note whether a graph is deep, unless that is not to be seen: the search has ended."""
    waiting = search.begin(_FIRST_LAUNCHES, _FIRST_LOCAL_ROUNDS)
    if waiting > 0:
        edges.known[_DEEP] = waiting <= _SMALL_FRONTIER * rows


def _room(device: Device, n: int, rows: int, each: float) -> int:
    """Return the entries of the queues of so many rows, with so many for each slot, and for two rows at least."""
    if rows == 1:
        return min(2 * n, device.max_allocation // _LARGEST_ENTRY)
    return max(2 * n, int(each * rows * n))


def _sizes(device: Device, group_size: int, itemsize: int) -> tuple[int, int]:
    """Return the work-items of a work-group that a device allows, and the entries of a local queue."""
    if device.kind == "cpu":  # whose compilers take long over large work-groups
        return min(16, 1 << device.max_work_group_size.bit_length() - 1), 32
    size = min(group_size, 1 << device.max_work_group_size.bit_length() - 1)
    while size > _QUEUE and _local_bytes(size, size, itemsize) > device.local_memory:
        size //= 2
    return size, max(size, _QUEUE)


def _local_bytes(group_size: int, queue: int, itemsize: int) -> int:
    """Return the bytes of local memory that a work-group takes."""
    return queue * 3 * (4 + itemsize) + group_size * (8 + _WIDEST + itemsize) + _COUNTERS


def _right_tuning(device: Device, edges: OutEdges, arithmetic: Arithmetic, rows: int, balance: str | None) -> Tuning:
    """Return that tuning, with the work-groups of trials of the whole method if others give wrong answers here."""
    itemsize = arithmetic.dtype.itemsize
    tuning = tuning_for(device, edges, rows, balance, itemsize)
    size, queue = _sizes(device, _GROUP_SIZE, itemsize)
    rung = tuning.balance
    if (tuning.group_size, tuning.queue, rung) == (size, queue, Balance()):
        return tuning
    name = f"near-far in work-groups of {tuning.group_size} by {rung.name} of {rung.units_at_once} and {arithmetic}"
    options = (tuning.group_size, tuning.queue, rung.name)
    if rung.name == "low-degree":
        right = is_trusted(
            device, name, finds_distances_along_few, _distances, arithmetic, rung.units_at_once, *options
        )
    else:
        right = is_trusted(device, name, finds_known_distances, _distances, arithmetic, *options)
    if right:
        return tuning
    share = min(tuning.least_share, size)
    return dataclasses.replace(tuning, group_size=size, queue=queue, least_share=share, balance=Balance())


def _distances(
    job: Job,
    edges: OutEdges,
    arithmetic: Arithmetic,
    starts: Sequence[Sequence[int]],
    group_size: int,
    queue: int,
    balance: str,
) -> cl.Buffer:
    tuning = tuning_for(job.device, edges, len(starts), balance)
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
    balance: str | None = None,
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
    balance : str, optional
        A rung of :data:`reedsp.edges.balance.RUNGS`, instead of that of what measured well.
    tuning : Tuning, optional
        By default what measured well for similar graphs.
    progress : callable(rounds, n), optional

    Returns
    -------
    dist : pyopencl.Buffer, shape (rows, n)
        In the arithmetic.
    rounds : int
        Launches that had something to do.

    Raises
    ------
    DeviceError
        The search goes on for longer than it can.
    """
    follows = tuning is None and delta is None and _may_be_deep(edges)
    tuning = tuning or _right_tuning(job.device, edges, arithmetic, len(starts), balance)
    if delta is not None:
        tuning = dataclasses.replace(tuning, delta=delta)
    search = Search(job, edges, arithmetic, starts, tuning, ceiling, target)
    if follows:
        _look_at_frontiers(search, edges, len(starts))
        search.follow(tuning_for(job.device, edges, len(starts), balance, arithmetic.dtype.itemsize))
    return search.dist, search.run(progress)


class _Watch:
    """Notices a search that goes on for longer than any can: an error of the device, or of its compiler.

    Each entry comes from one that was relaxed by the launch before, or by this one, and so on back to a split. Path
    weights fall strictly at a vertex, and never from an entry to the next one, so that no vertex comes twice in such a
    line. And each split raises the threshold, until it is beyond every path. Where entries were lost, all vertices that
    are reached in some rows are queued again, after which one more of each shortest path there is final.

    Parameters
    ----------
    edges : OutEdges or UnitEdges
    arithmetic : Arithmetic
    rows : int
    tuning : Tuning
        Of the smallest delta that the search is given.
    """

    def __init__(self, edges: OutEdges | UnitEdges, arithmetic: Arithmetic, rows: int, tuning: Tuning) -> None:
        hubs = rows * min(edges.n, edges.m // max(1, tuning.hub))
        self._most_launches = (_LAUNCHES_A_VERTEX + hubs // _HUBS_AT_ONCE) * (edges.n + 1)
        farthest = min(edges.n * float(edges.heaviest), float(arithmetic.infinity))
        self._most_splits = _ROUNDING * farthest / float(arithmetic.step(tuning.delta)) + 2
        self._most_requeues = rows * (edges.n + 1)
        self._splits = self._launches = self._requeues = 0

    def requeued(self, launches: int) -> None:
        """Begin to count again: the entries that are queued come from no others."""
        self._launches = launches
        self._requeues += 1

    def look(self, device: Device, launches: int, splits: int) -> None:
        """Take how many launches had something to do, and how often the far pile was split, up to now.

        Raises
        ------
        DeviceError
            There were too many of them.
        """
        if splits != self._splits:
            self._splits, self._launches = splits, launches
        too_many = splits > self._most_splits or self._requeues > self._most_requeues
        if too_many or launches - self._launches > self._most_launches:
            raise DeviceError(
                f"{device}: near-far in work-groups does not end: {launches:,} launches and {splits:,} splits are more "
                "than it can take"
            )


class Search:
    """Buffers and kernels of one search; parameters as for :func:`solve`.

    Attributes
    ----------
    dist : pyopencl.Buffer, shape (rows, n)
        In the arithmetic; the distances once the search has run.
    """

    def __init__(
        self,
        job: Job,
        edges: OutEdges | UnitEdges,
        arithmetic: Arithmetic,
        starts: Sequence[Sequence[int]],
        tuning: Tuning,
        ceiling: Any = None,
        target: int | None = None,
    ) -> None:
        n, rows, dtype = edges.n, len(starts), arithmetic.dtype
        self._job, self._n, self._tuning, self._arithmetic = job, n, tuning, arithmetic
        self._edges, self._rows, self._stops = edges, rows, target is not None or ceiling is not None
        self._launches = 0
        self._watch = _Watch(edges, arithmetic, rows, tuning)
        key = np.dtype(f"u{dtype.itemsize}")
        delta = arithmetic.step(tuning.delta)
        self._macros: dict[str, str | int] = {
            "GROUP_SIZE": tuning.group_size,
            "QUEUE": tuning.queue,
            **tuning.balance.macros,
            "WIDE": int(dtype.itemsize == 8),
            "ATOMIC_LOADS": int(not job.device.loads_are_atomic),
            **edges.macros,
            **arithmetic.macros,
        }
        slots = np.array([row * n + vertex for row, some in enumerate(starts) for vertex in some], np.uint32)
        # A search that stops at a target leaves a far pile of all rows behind, which then have room together.
        room = np.uint32(max(tuning.room, len(slots), n if target is None else rows * n))
        self._room, self._rows_with_room = room, max(1, int(room) // max(1, n))
        self._again: int | None = None  # the first of the rows that are queued again, as entries found no room
        self.dist = job.allocate(rows * n, dtype)
        self._near = (job.allocate(2 * int(room), np.uint32), job.allocate(2 * int(room), key))
        layout = self._layout = constants(_FILE)
        hubs = (job.allocate(2 * layout["HUB_ROOM"], np.uint32), job.allocate(2 * layout["HUB_ROOM"], key))
        far = (job.allocate(2 * int(room), np.uint32), job.allocate(2 * int(room), key))
        self._counts, limits = job.allocate(layout["COUNTS"], np.uint32), job.allocate(layout["LIMITS"], key)
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
        lists = (self.dist, *self._near, *hubs, *far, self._counts, limits, room, room)
        bound = arithmetic.infinity if ceiling is None else ceiling
        stop = (np.uint32(0 if target is None else rows), np.uint32(target or 0))
        self._advance: BoundKernel = job.bind(
            self._kernel("advance"),
            tuning.groups * tuning.group_size,
            tuning.group_size,
            *(edges.first_edge, tuning.balance.edges_of(edges, job), *lists, np.uint32(0), delta, bound),
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
        layout, first = self._layout, _SHORTEST_BATCH if self._launches else _FIRST_BATCH
        kind = ("near-far", type(self._edges).__name__, self._rows)
        known = {} if self._stops else self._edges.known
        batches = Batches(known, kind, first, _SHORTEST_BATCH, _LONGEST_BATCH, _PART_OF_LAUNCHES)
        while True:
            counts = self._launch(batches.begin())
            if counts[layout["DONE"]]:
                if not self._goes_on(bool(counts[layout["LOST"]])):
                    batches.end(int(counts[layout["ROUNDS"]]) + 1)  # the last one finds nothing to do
                    return int(counts[layout["ROUNDS"]])
                self._watch.requeued(int(counts[layout["ROUNDS"]]))
            splits = int(counts[layout["SPLITS"] + self._launches % 2])
            self._watch.look(self._job.device, int(counts[layout["ROUNDS"]]), splits)
            if progress is not None:
                progress(int(counts[layout["ROUNDS"]]), self._n)
            batches.go_on()

    def begin(self, launches: int, local_rounds: int) -> int:
        """Launch a few times, with so many rounds where work-groups share the entries; return how many are left."""
        self._advance.set("local_rounds", np.uint32(local_rounds))
        layout, counts = self._layout, self._launch(launches)
        self._advance.set("local_rounds", np.uint32(self._tuning.local_rounds))
        splits = int(counts[layout["SPLITS"] + self._launches % 2])
        return int(counts[layout["NEAR"] + self._launches % 3]) + int(counts[layout["FAR"] + splits % 3])

    def follow(self, tuning: Tuning) -> None:
        """Go on with the local rounds and the delta of another tuning."""
        if tuning.delta < self._tuning.delta:
            self._watch = _Watch(self._edges, self._arithmetic, self._rows, tuning)
        self._advance.set("local_rounds", np.uint32(tuning.local_rounds))
        self._advance.set("delta", self._arithmetic.step(tuning.delta))

    def _launch(self, launches: int) -> npt.NDArray[np.uint32]:
        """Launch so often; return the counts then."""
        for _ in range(launches):
            self._advance.set("round", np.uint32(self._launches % _PHASES))
            self._advance.queue()
            self._launches += 1
        return self._job.download(self._counts, self._layout["COUNTS"], np.uint32)

    def _goes_on(self, lost: bool) -> bool:
        """Queue rows again if entries were lost, or have been in rows whose turn it is; return whether there are any.

        All rows have their turn, as many at once as have room for each slot. Rows that lose entries then do it again.
        """
        if lost:
            self._again = self._again or 0
        elif self._again is not None:
            self._again += self._rows_with_room
        if self._again is None or self._again >= self._rows:
            return False
        self._requeue(self._again, min(self._again + self._rows_with_room, self._rows))
        return True

    def _requeue(self, first: int, end: int) -> None:
        """Queue what is reached in rows first .. end - 1."""
        slots = (end - first) * self._n
        place = (np.uint32(self._launches % _PHASES), np.uint32(first * self._n), np.uint32(slots))
        kernel = self._kernel("requeue")
        self._job.launch(kernel, slots, _SMALL_GROUP, self.dist, *self._near, self._counts, self._room, *place)
