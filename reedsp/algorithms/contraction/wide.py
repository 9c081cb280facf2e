"""Searches in a hierarchy by many work-items side by side, for many sources at once (wide.cl): the form for GPUs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyopencl as cl

from reedsp.algorithms.contraction.batches import Batches
from reedsp.algorithms.contraction.exact import infinity_of
from reedsp.algorithms.contraction.hierarchy import Hierarchy
from reedsp.algorithms.contraction.resident import result_macros, uploaded
from reedsp.algorithms.contraction.sweep import Sweep, sweep_to_all
from reedsp.arithmetic.paths import Arithmetic
from reedsp.device.job import Argument, BoundKernel, Job, Launch, Memory
from reedsp.graph.graph import transposed

_FILE = "contraction/wide.cl"
_LEAST_LANES, _MOST_LANES = 8, 256
_SMALL = 256  # vertices of a round, at most
_CHUNK = 2  # lanes of a work-group there
_PARTS = 4, 32  # work-items that share the edges of a vertex there, at least and at most
_EDGES = 4  # of each of these
_GROUP_SIZE, _MOST_GROUP = 256, 1024
_TILE, _TILE_ROWS = 32, 8
_TRACERS = 64
_PART_OF_MEMORY = 1 / 8


class _Rounds(NamedTuple):
    """Rounds of some vertices: their beginnings, here and on a device, and the first of those that are small."""

    begins: npt.NDArray[np.int64]
    on_device: cl.Buffer
    first_small: int

    @classmethod
    def of(cls, begins: npt.NDArray[np.int64], small: int, job: Job) -> _Rounds:
        large = np.flatnonzero(np.diff(begins) > small)
        first_small = int(large[-1]) + 1 if len(large) else 0
        return cls(begins, job.upload(begins.astype(np.uint32)), first_small)


class _Down(NamedTuple):
    """A sweep on a device."""

    members: cl.Buffer
    rounds: _Rounds
    targets: cl.Buffer
    target_count: int

    @classmethod
    def of(cls, sweep: Sweep, small: int, job: Job) -> _Down:
        rounds = _Rounds.of(sweep.rounds, small, job)
        return cls(job.upload(sweep.members), rounds, job.upload(sweep.targets), len(sweep.targets))


class Wide:
    """A hierarchy on a device, whose work-items share each round of its vertices.

    Parameters
    ----------
    hierarchy : Hierarchy
    job : Job
        Which copies it there.
    small : int
        Vertices of a round, at most. Above all larger ones, several such rounds are swept over in one launch.
    """

    def __init__(self, hierarchy: Hierarchy, job: Job, small: int = _SMALL) -> None:
        self._hierarchy, self._small = hierarchy, small
        self._n: int = len(hierarchy.vertices)
        self._dtype: np.dtype[Any] = hierarchy.up.weights.dtype
        up, down = hierarchy.up, hierarchy.down
        self._upper = uploaded(up.first, up.higher, up.weights, job)
        first, lower, self._numbers = transposed(up.first, up.higher, np.arange(len(up.higher), dtype=np.int32))
        self._lower = uploaded(first, lower.astype(np.int32, copy=False), up.weights[self._numbers], job)
        self._higher = uploaded(down.first, down.higher, down.weights, job)
        self._rounds = _Rounds.of(hierarchy.rounds, small, job)
        self._all = _Down.of(sweep_to_all(hierarchy), small, job)
        first_small = int(hierarchy.rounds[self._rounds.first_small])
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
            search.climb(first, used)
            search.sweep(down)
            args = search.dist, down.targets, results, *sizes, np.uint32(first), np.uint32(used)
            job.launch(write, (down.target_count, used), (_TILE, _TILE_ROWS), *args)

    def meet(self, job: Job, source: int, target: int) -> tuple[int, list[int], list[int]]:
        """Return a shortest path from one rank to another, as :meth:`Batches.meet` does."""
        search = _Search(self, job, _LEAST_LANES, job.upload(np.array([source], np.int32), keep=False))
        search.climb(0, 1)
        climbed = job.allocate(self._n * _LEAST_LANES, self._dtype)
        job.copy(climbed, 0, search.dist, 0, self._n * _LEAST_LANES * self._dtype.itemsize)
        search.sweep(self._all)
        most = 2 + 2 * len(self._rounds.begins)
        path, weight = job.allocate(most, np.int32), job.allocate(1, self._dtype)
        kernel = job.device.kernel(_FILE, "trace", **self._macros(Arithmetic(self._dtype)))
        ends = np.uint32(_LEAST_LANES), np.int32(source), np.int32(target)
        buffers = *self._lower, *self._higher, climbed, search.dist, path, weight
        job.launch(kernel, _TRACERS, _TRACERS, *buffers, *ends)
        ups, downs, *edges = job.download(path, most, np.int32).tolist()
        found = int(job.download(weight, 1, self._dtype)[0])
        if ups < 0:
            return -1, [], []
        return found, self._numbers[edges[downs : downs + ups][::-1]].tolist(), edges[:downs][::-1]

    def _lanes(self, job: Job, rows: int) -> int:
        """Return how many sources are searched for at a time: a power of two."""
        device = job.device
        memory = min(device.max_allocation, int(_PART_OF_MEMORY * device.global_memory))
        most = min(_MOST_LANES, memory // (self._n * self._dtype.itemsize), 2 * rows - 1)
        return max(_LEAST_LANES, 1 << most.bit_length() - 1)

    def _macros(self, arithmetic: Arithmetic) -> dict[str, str | int]:
        sizes = {"GROUP": _MOST_GROUP, "TILE": _TILE, "TILE_ROWS": _TILE_ROWS}
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
        self._begin, climb, sweep = (job.device.kernel(_FILE, name, **macros) for name in ("begin", "climb", "sweep"))
        rounds, count = (np.uint32(0), np.uint32(0)), np.uint32(lanes)
        climbing = *wide._upper, wide._rounds.on_device, self.dist, count, *rounds
        sweeping = *wide._higher, wide._all.members, wide._all.rounds.on_device, self.dist, count, *rounds
        side_by_side, most = min(lanes, _TILE), min(climb.max_work_group_size, sweep.max_work_group_size, _MOST_GROUP)
        one = side_by_side, 1, _GROUP_SIZE // side_by_side
        several = _CHUNK, wide._parts, most // (_CHUNK * wide._parts)
        self._climbs, self._sweeps = (
            tuple(job.bind(kernel, group, group, *args) for group in (one, several))
            for kernel, args in ((climb, climbing), (sweep, sweeping))
        )
        self._climbing, self._sweeping = climbing[:-2], sweeping[:-2]

    def climb(self, first: int, used: int) -> None:
        """Queue what finds the distances from some of the sources along paths that lead up only."""
        job, wide, lanes = self._job, self._wide, self._lanes
        job.fill(self.dist, wide._n * lanes, wide._dtype.type(infinity_of(wide._dtype)))
        numbers = np.uint32(lanes), np.uint32(first), np.uint32(used)
        job.launch(self._begin, lanes, _LEAST_LANES, self._sources, self.dist, *numbers)
        job.run(self._over(wide._rounds, self._climbs, self._climbing))

    def sweep(self, down: _Down) -> None:
        """Queue what goes on from there to lower vertices."""
        args = *self._sweeping[:2], down.members, down.rounds.on_device, *self._sweeping[4:]
        self._job.run(reversed(list(self._over(down.rounds, self._sweeps, args))))

    def _over(self, rounds: _Rounds, kernels: tuple[BoundKernel, ...], args: tuple[Argument, ...]) -> Iterator[Launch]:
        """Yield launches over all rounds from the lowest to the highest: each large one by itself, then the others."""
        one, several = kernels
        sizes = np.diff(rounds.begins).tolist()
        for number, size in enumerate(sizes[: rounds.first_small]):
            if size:
                span = np.uint32(number), np.uint32(number + 1)
                yield Launch(one, (self._lanes, 1, size), (*args, *span), size * self._lanes)
        if rounds.first_small < len(sizes):
            count = sum(sizes[rounds.first_small :]) * self._lanes
            span = np.uint32(rounds.first_small), np.uint32(len(sizes))
            yield Launch(several, (self._lanes, self._wide._parts, 1), (*args, *span), count)


def searches_in(hierarchy: Hierarchy, job: Job) -> Batches | Wide:
    """Copy a hierarchy to a device, in the form that is fast there."""
    device = job.device
    is_wide = device.kind != "cpu" and (hierarchy.up.weights.dtype == np.int32 or device.int64_atomics)
    return (Wide if is_wide else Batches)(hierarchy, job)
