"""Searches in a hierarchy by many work-items side by side, for many sources at once (wide.cl): the form for GPUs."""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyopencl as cl

from reedsp.algorithms.contraction.batches import Batches
from reedsp.algorithms.contraction.exact import infinity_of
from reedsp.algorithms.contraction.hierarchy import Half, Hierarchy
from reedsp.algorithms.contraction.resident import ResidentEdges, result_macros, uploaded
from reedsp.algorithms.contraction.sweep import Sweep, sweep_to_all
from reedsp.algorithms.contraction.top import Top
from reedsp.arithmetic.paths import Arithmetic
from reedsp.device.build import constants
from reedsp.device.job import Job, Launch, Memory
from reedsp.graph.graph import transposed

_FILE = "contraction/wide.cl"
_LEAST_LANES, _FEW_LANES, _MOST_LANES = 8, 32, 256
_WAITING, _TEAM = 2048, 16  # vertices that wait; work-items of one
_CLIMBERS, _CLIMBERS_FROM_FEW = 256, 1024  # work-items that climb from a source
_TOP = 2048  # vertices whose distances from each other are kept
_SMALL = 384  # vertices of a round, at most
_PARTS = 4, 32  # work-items that share the edges of a vertex there, at least and at most
_EDGES = 4  # of each of these
_GROUP_SIZE, _GROUP_BYTES = 256, 16384
_TILE_BYTES, _TILE_LANES = 256, 64
_TRACERS = 64
_PART_OF_MEMORY = 1 / 8


class _Down(NamedTuple):
    """A sweep on a device: its rounds' beginnings, here and there, and the first that is small, as all above are."""

    members: cl.Buffer
    begins: npt.NDArray[np.int64]
    rounds: cl.Buffer
    first_small: int
    targets: cl.Buffer
    target_count: int

    @classmethod
    def of(cls, sweep: Sweep, small: int, job: Job) -> _Down:
        begins = sweep.rounds
        large = np.flatnonzero(np.diff(begins) > small)
        first_small = int(large[-1]) + 1 if len(large) else 0
        rounds, targets = job.upload(begins.astype(np.uint32)), job.upload(sweep.targets)
        return cls(job.upload(sweep.members), begins, rounds, first_small, targets, len(sweep.targets))


class Wide:
    """A hierarchy on a device, whose work-items share each round of its vertices.

    Parameters
    ----------
    hierarchy : Hierarchy
    job : Job
        Which copies it there.
    small : int
        Vertices of a round, at most. Above all larger ones, several such rounds are swept over in one launch.
    waiting : int
        Vertices that a climb has reached but not yet left, at most; it looks at all vertices if there are more.
    top : int
        Vertices whose distances from each other are found now, at most.
    """

    def __init__(
        self, hierarchy: Hierarchy, job: Job, small: int = _SMALL, waiting: int = _WAITING, top: int = _TOP
    ) -> None:
        self._hierarchy, self._small, self._waiting = hierarchy, small, waiting
        self._n: int = len(hierarchy.vertices)
        self._dtype: np.dtype[Any] = hierarchy.up.weights.dtype
        self._tile = _TILE_BYTES // self._dtype.itemsize
        self._side_by_side = constants(_FILE)["SIDE_BY_SIDE"]
        self._group = _GROUP_BYTES // (self._side_by_side * self._dtype.itemsize)
        up, down = hierarchy.up, hierarchy.down
        self._upper = uploaded(up.first, up.higher, up.weights, job)
        self._lower, self._ups = _from_above(up, job)
        self._below, self._downs = _from_above(down, job)
        self._higher = uploaded(down.first, down.higher, down.weights, job)
        self._ends: cl.Buffer = job.upload(hierarchy.rounds[1:].repeat(np.diff(hierarchy.rounds)).astype(np.uint32))
        self._all = _Down.of(sweep_to_all(hierarchy), small, job)
        self._top = Top.of(hierarchy, top, job)
        first_small = int(hierarchy.rounds[self._all.first_small])
        share = (len(up.higher) - int(up.first[first_small])) // (_EDGES * max(1, self._n - first_small))
        self._parts = min(max(1 << share.bit_length(), _PARTS[0]), _PARTS[1])

    def rows(
        self,
        job: Job,
        sources: npt.NDArray[np.int32],
        arithmetic: Arithmetic,
        results: Memory,
        sweep: Sweep | None = None,
    ) -> None:
        """Queue the search for the distances from some sources, as :meth:`Batches.rows` does."""
        down = self._all if sweep is None else _Down.of(sweep, self._small, job)
        rows, ranks = len(sources), job.upload(sources, keep=False)
        lanes = self._lanes(job, rows)
        search = _Search(self, job, lanes, ranks)
        write = job.device.kernel(_FILE, "write_rows", **self._macros(arithmetic))
        sizes = np.uint32(down.target_count), np.uint32(lanes)
        for first in range(0, rows, lanes):
            used = min(lanes, rows - first)
            search.find(first, used, down)
            args = search.dist, down.targets, results, *sizes, np.uint32(first), np.uint32(used)
            tiles = -(-down.target_count // self._tile) * -(-used // min(lanes, _TILE_LANES))
            job.launch(write, tiles * _GROUP_SIZE, _GROUP_SIZE, *args)

    def meet(self, job: Job, source: int, target: int) -> tuple[int, list[int], list[int]]:
        """Return a shortest path from one rank to another, as :meth:`Batches.meet` does."""
        n, macros = self._n, self._macros(Arithmetic(self._dtype))
        names = "search_from_both_ends", "weigh_paths", "find_meeting", "trace"
        climb, weigh, find, trace = (job.device.kernel(_FILE, name, **macros) for name in names)
        infinity, count = self._dtype.type(infinity_of(self._dtype)), np.uint32(n)
        ends = job.upload(np.array([source, target], np.int32), keep=False)
        dist, most = job.full(2 * n, infinity), 2 * len(self._all.begins)
        weight, meeting, path = job.full(1, infinity), job.full(1, count), job.allocate(most, np.int32)
        climbers = min(_CLIMBERS_FROM_FEW, climb.max_work_group_size // _TEAM * _TEAM)
        job.launch(climb, 2 * climbers, climbers, ends, *self._upper, *self._higher, self._ends, dist, count)
        job.launch(weigh, n, _GROUP_SIZE, dist, weight, count)
        job.launch(find, n, _GROUP_SIZE, dist, weight, meeting, count)
        found = dist, weight, meeting, path
        job.launch(trace, _TRACERS, _TRACERS, *self._lower, *self._below, *found, np.int32(source), np.int32(target))
        ups, downs, *edges = job.download(path, most, np.int32).tolist()
        if ups < 0:
            return -1, [], []
        up, down = edges[:ups][::-1], edges[ups : ups + downs]
        return int(job.download(weight, 1, self._dtype)[0]), self._ups[up].tolist(), self._downs[down].tolist()

    def _lanes(self, job: Job, rows: int) -> int:
        """Return how many sources are searched for at a time: a power of two."""
        device = job.device
        memory = min(device.max_allocation, int(_PART_OF_MEMORY * device.global_memory))
        most = min(_MOST_LANES, memory // (self._n * self._dtype.itemsize), 2 * rows - 1)
        return max(_LEAST_LANES, 1 << most.bit_length() >> 1)

    def _macros(self, arithmetic: Arithmetic) -> dict[str, str | int]:
        sizes = {
            "WAITING": self._waiting,
            "TEAM": _TEAM,
            "GROUP": self._group,
            "TILE": self._tile,
            "TILE_LANES": _TILE_LANES,
        }
        words = {"WIDE": int(self._dtype.itemsize == 8), "ATOMIC_LOADS": 0}
        return {**sizes, **words, **result_macros(self._hierarchy, arithmetic)}


class _Search:
    """A batch of sources, whose distances are found in all lanes at once.

    Attributes
    ----------
    dist : pyopencl.Buffer, shape (n, lanes)
    """

    def __init__(self, wide: Wide, job: Job, lanes: int, sources: cl.Buffer) -> None:
        self._wide, self._job, self._lanes, self._sources = wide, job, lanes, sources
        self.dist: cl.Buffer = job.allocate(wide._n * lanes, wide._dtype)
        macros = wide._macros(Arithmetic(wide._dtype))
        names = "climb", "sweep_round", "sweep_rounds"
        self._climb, one, several = (job.device.kernel(_FILE, name, **macros) for name in names)
        climbers = _CLIMBERS if lanes > _FEW_LANES else _CLIMBERS_FROM_FEW
        self._climbers = min(climbers, self._climb.max_work_group_size // _TEAM * _TEAM)
        most, zeros = min(several.max_work_group_size, wide._group), (np.uint32(lanes), np.uint32(0), np.uint32(0))
        group = wide._parts, most // wide._parts
        everywhere = *wide._higher, wide._all.members
        self._one = job.bind(one, (_GROUP_SIZE,), (_GROUP_SIZE,), *everywhere, self.dist, *zeros)
        self._several = job.bind(several, group, group, *everywhere, wide._all.rounds, self.dist, *zeros)
        self._lower = wide._top.lowering(job, self.dist, lanes)

    def find(self, first: int, used: int, down: _Down) -> None:
        """Queue what finds the distances from some of the sources to the vertices of a sweep."""
        limit = self._wide._n if self._lower is None else self._wide._top.first
        self.climb(first, used, limit)
        if self._lower is not None:
            self._lower()
        self.sweep(down, limit)

    def climb(self, first: int, used: int, limit: int) -> None:
        """Queue what finds the distances along paths that lead up only, to the first vertices that reach a limit."""
        job, wide, lanes = self._job, self._wide, self._lanes
        job.fill(self.dist, wide._n * lanes, wide._dtype.type(infinity_of(wide._dtype)))
        numbers = np.uint32(lanes), np.uint32(first), np.uint32(limit)
        args = self._sources, *wide._upper, wide._ends, self.dist, *numbers
        job.launch(self._climb, used * self._climbers, self._climbers, *args)

    def sweep(self, down: _Down, limit: int) -> None:
        """Queue what goes on from the vertices that reach a limit, and others above, to lower ones."""
        begins, args, lanes = down.begins, (*self._wide._higher, down.members), np.uint32(self._lanes)
        count = int(np.searchsorted(self._wide._hierarchy.rounds[:-1], limit))
        launches: list[Launch] = []
        small = min(down.first_small, count)
        if small < count:
            span, members = (np.uint32(small), np.uint32(count)), int(begins[count] - begins[small])
            items = self._lanes // self._wide._side_by_side * self._wide._parts
            several = *args, down.rounds, self.dist, lanes, *span
            launches.append(Launch(self._several, (items, 1), several, members * self._lanes))
        for end, begin in itertools.pairwise(begins[small::-1].tolist()):
            if begin < end:
                one = *args, self.dist, lanes, np.uint32(begin), np.uint32(end)
                items = (end - begin) * self._lanes
                launches.append(Launch(self._one, (items // self._wide._side_by_side,), one, items))
        self._job.run(launches)


def _from_above(half: Half, job: Job) -> tuple[ResidentEdges, npt.NDArray[np.int32]]:
    """Copy edges to a device, by their higher ends, and return their numbers, too."""
    first, lower, numbers = transposed(half.first, half.higher, np.arange(len(half.higher), dtype=np.int32))
    return uploaded(first, lower.astype(np.int32, copy=False), half.weights[numbers], job), numbers


def searches_in(hierarchy: Hierarchy, job: Job) -> Batches | Wide:
    """Copy a hierarchy to a device, in the form that is fast there."""
    device = job.device
    is_wide = device.kind != "cpu" and (hierarchy.up.weights.dtype == np.int32 or device.int64_atomics)
    return (Wide if is_wide else Batches)(hierarchy, job)
