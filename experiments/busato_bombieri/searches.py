"""Searches that only the survey's figure 7 needs: with buckets (section 3.1), and Algorithm 5 by one work-item."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

import reedsp
from reedsp.arithmetic.paths import Arithmetic
from reedsp.device.job import Job, Kernel
from reedsp.edges.device_graph import OutEdges
from reedsp.primitives.sort.radix import radix_sort
from reedsp.primitives.sort.records import Columns, Records, Sorting
from reedsp.primitives.sort.selfcheck import trusted_form

NONE = np.uint32(0xFFFFFFFF)
_WARP = 32  # work-items that share the edges of a vertex on a GPU
_GROUP_SIZE = 64
_EDGES_AT_ONCE = 1 << 24  # by one work-item


class _Search:
    """A graph on a device, and the kernels of a file.

    Parameters
    ----------
    graph : Graph
        Integer weights, none negative, and distances below 2^31.
    device : Device
    """

    def __init__(self, graph: reedsp.Graph, device: reedsp.Device) -> None:
        self._job, self._n = Job(device), graph.n
        self._arithmetic = Arithmetic(np.dtype(np.int32))
        self._out = OutEdges.of(graph, self._job, self._arithmetic)
        self._edges = (self._out.first_edge, self._out.edges)

    def _kernels(self, file: str, *names: str, **macros: int) -> Iterator[Kernel]:
        macros_of_all = {**macros, **self._out.macros, **self._arithmetic.macros}
        return (self._job.device.kernel(file, name, **macros_of_all) for name in names)


class Bucketing(_Search):
    """Delta-stepping whose buckets are runs of a sorted list (cl/experiments/bucketing.cl).

    Parameters
    ----------
    graph : Graph
        Integer weights, none negative, and distances below 2^31.
    device : Device
    delta : int
        The width of a bucket.
    width : int, optional
        Work-items that share the edges of a vertex; 32 on GPUs, and 1 elsewhere.
    """

    def __init__(self, graph: reedsp.Graph, device: reedsp.Device, delta: int, width: int | None = None) -> None:
        super().__init__(graph, device)
        n, self._delta = graph.n, np.uint32(delta)
        self._width = width or (_WARP if device.kind == "gpu" else 1)
        macros = {"WIDTH": self._width, "ATOMIC_LOADS": int(not device.loads_are_atomic)}
        names = ("initialise", "relax", "rebuild")
        self._initialise, self._relax, self._rebuild = self._kernels("experiments/bucketing.cl", *names, **macros)
        uint = np.dtype(np.uint32)
        self._dist, self._waits_in, self._rounds, self._pushed = (self._job.allocate(n, uint) for _ in range(4))
        self._lists = [tuple(self._job.allocate(n, uint) for _ in range(2)) for _ in range(2)]
        self._pushes, self._count = (self._job.allocate(1, uint) for _ in range(2))
        self._records = Records(uint, uint, uint)
        self._form = trusted_form(device, self._records, "radix")

    def solve(self, source: int) -> tuple[npt.NDArray[np.uint32], int]:
        """Return the distances, NONE where there is no path, and how many rounds it took."""
        job, count, rounds = self._job, 1, 0
        now, other = self._lists
        state = (self._dist, self._waits_in, self._rounds)
        n = np.uint32(self._n)
        job.launch(self._initialise, self._n, _GROUP_SIZE, *state, *now, self._pushes, np.uint32(source), n)
        while count:
            rounds += 1
            numbers = (np.uint32(count), np.uint32(rounds))
            lists = (*now, *state, self._pushed, self._pushes, self._count)
            job.launch(self._relax, count * self._width, _GROUP_SIZE, *self._edges, *lists, *numbers)
            every = count + int(job.download(self._pushes, 1, np.uint32)[0])
            args = (*now, self._dist, self._waits_in, self._pushed, *other, self._count, self._delta)
            job.launch(self._rebuild, every, _GROUP_SIZE, *args, np.uint32(count), np.uint32(every))
            job.fill(self._pushes, 1, np.uint32(0))
            count = int(job.download(self._count, 1, np.uint32)[0])
            if count:
                radix_sort(Sorting(job, self._records, count, Columns(*other), Columns(*now)), self._form)
        return job.download(self._dist, self._n, np.uint32), rounds


class QueueBellmanFord(_Search):
    """Bellman-Ford with a queue, by one work-item of a CPU device (cl/experiments/queue_bellman_ford.cl).

    Parameters
    ----------
    graph : Graph
        Integer weights, none negative, and distances below 2^31.
    device : Device
    """

    def __init__(self, graph: reedsp.Graph, device: reedsp.Device) -> None:
        super().__init__(graph, device)
        self._initialise, self._relax = self._kernels("experiments/queue_bellman_ford.cl", "initialise", "relax")
        dtypes: tuple[Any, ...] = (np.uint32, np.uint8, np.uint32)
        self._dist, self._queued, self._queue = (self._job.allocate(self._n, dtype) for dtype in dtypes)
        self._state = self._job.allocate(2, np.uint32)

    def solve(self, source: int, most: int = _EDGES_AT_ONCE) -> npt.NDArray[np.uint32]:
        """Return the distances, NONE where there is no path; a launch relaxes some `most` edges."""
        job, n = self._job, np.uint32(self._n)
        state = (self._dist, self._queued, self._queue, self._state)
        job.launch(self._initialise, self._n, _GROUP_SIZE, *state, np.uint32(source), n)
        while True:
            job.launch(self._relax, 1, 1, *self._edges, *state, np.uint64(most), n)
            if not job.download(self._state, 2, np.uint32)[1]:
                return job.download(self._dist, self._n, np.uint32)
