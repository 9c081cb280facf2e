"""Push and relabel, all vertices in lock-step, by work-groups (cl/flow/push_relabel.cl)."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pyopencl as cl

from reedsp.algorithms.structure.flow.capacities import Found, Network
from reedsp.arithmetic.types import C_TYPES
from reedsp.device.build import constants
from reedsp.device.iterate import Pace
from reedsp.device.job import Argument, BoundKernel, Job
from reedsp.edges.preparation import MatrixRows
from reedsp.graph.graph import transposed
from reedsp.system.progress_bar import Report

_FILE = "flow/push_relabel.cl"
_GPU_GROUP, _CPU_GROUP = 128, 16
_HUB = 512  # arcs
_FEWEST_ROUNDS = 32
"""Between two searches for distances; otherwise as many as the farthest vertex is away."""

_MOST_LAUNCHES = 64  # between two looks at the device


class TooDeepError(Exception):
    """The sink is farther away from a vertex than was allowed."""


def push_relabel(job: Job, network: Network, progress: Report | None = None, most_levels: int = sys.maxsize) -> Found:
    """Return the maximum flow that pushing and relabelling find.

    Parameters
    ----------
    job : Job
    network : Network
        With an edge.
    progress : callable(rounds, vertices), optional
    most_levels : int
        Arcs that any vertex may be away from the sink.

    Raises
    ------
    TooDeepError
        One is farther away.
    """
    search = _PushRelabel(job, network if network.leaving < 2**64 else _limited(network))
    try:
        value = search.run(progress, most_levels)
        with job.phases.within("download"):
            flow = job.download(search.flow, network.m, network.capacities.dtype)
        return Found(value, flow, search.source_side(network.source)[: network.n], search.rounds)
    finally:
        search.close()


def _limited(network: Network) -> Network:
    """Return a network with one more vertex, the source, from which an edge carries to the old one what may flow.

    So much is on its way at most: uint64 would not hold what leaves the old one at first.
    """
    capacity = min(network.bound, np.iinfo(np.int64).max)
    return replace(
        network,
        indptr=np.append(network.indptr, network.m + 1),
        indices=np.append(network.indices, network.indices.dtype.type(network.source)),
        capacities=np.append(network.capacities, capacity),
        source=network.n,
    )


class _PushRelabel:
    def __init__(self, job: Job, network: Network) -> None:
        self._job, self._network, n, m = job, network, network.n, network.m
        with job.phases.within("prepare"):
            first_in, tails, edges = transposed(network.indptr, network.indices, np.arange(m))
            degrees = np.diff(network.indptr) + np.diff(first_in)
            hubs = np.flatnonzero(degrees > _HUB).astype(np.int32)
        self._hub_count = len(hubs)
        self._rows = MatrixRows(job, network.indptr, network.indices)
        self._layout = constants(_FILE)
        self._group = _CPU_GROUP if job.device.kind == "cpu" else _GPU_GROUP
        self._macros: dict[str, str | int] = {
            "GROUP_SIZE": self._group,
            "HUB": _HUB,
            **self._rows.macros,
            "CAPACITY": C_TYPES[network.capacities.dtype],
            "ATOMIC_LOADS": int(not job.device.loads_are_atomic),
        }
        capacity = network.capacities.dtype
        self.flow = job.full(m, capacity.type(0))
        columns = [
            job.upload(each, dtype) for each, dtype in ((first_in, np.int64), (tails, np.int32), (edges, np.int64))
        ]
        rows = (self._rows.indptr, self._rows.indices, job.reads(network.capacities))
        self._edges: tuple[Argument, ...] = (
            *rows,
            *columns,
            self.flow,
            np.uint64(network.bound),
            np.uint32(n),
        )
        self._hubs = job.upload(hubs)
        self._heights = [job.allocate(n, np.uint32), job.allocate(n, np.uint32)]
        self._excess = job.full(n, np.uint64(0))
        self._incoming = job.full(n * self._layout["SUM_WORDS"], np.uint32(0))
        self._control = job.full(self._layout["CONTROL_WORDS"], np.uint32(0))
        self._pace = Pace(4, _MOST_LAUNCHES)
        self.rounds = 0
        self._ends = (np.uint32(network.source), np.uint32(network.sink))

    def close(self) -> None:
        """Read the arrays of the network no more."""
        self._rows.close()

    def _bind(self, name: str, *args: Argument) -> list[BoundKernel]:
        """Return a kernel for all vertices, and the one for hubs, if there are any."""
        job = self._job

        def bound(name: str, items: int, *args: Argument) -> BoundKernel:
            return job.bind(job.device.kernel(_FILE, name, **self._macros), items, self._group, *self._edges, *args)

        kernels = [bound(name, self._network.n, *args)]
        if self._hub_count:
            kernels.append(bound(f"{name}_hubs", self._hub_count * self._group, *args, self._hubs))
        return kernels

    def _search(self, height: cl.Buffer, root: int, blocked: int, forward: bool, most_levels: int = sys.maxsize) -> int:
        """Write how many arcs lead from each vertex to one, or the other way; return the largest number."""
        job, n = self._job, self._network.n
        begin = job.device.kernel(_FILE, "begin_search", **self._macros)
        job.launch(begin, n, self._group, height, self._control, np.uint32(root), np.uint32(n))
        kernels = self._bind("reach", height, self._control, np.uint32(0), np.uint32(blocked), np.uint32(forward))
        level = 0
        while True:
            self._pace.begin()
            for _ in range(self._pace.amount):
                for kernel in kernels:
                    kernel.set("level", np.uint32(level))
                    kernel.queue()
                level += 1
            deepest = int(
                job.download(self._control, self._layout["CONTROL_WORDS"], np.uint32)[self._layout["DEEPEST"]]
            )
            if deepest > most_levels:
                raise TooDeepError
            if deepest < level:
                return deepest
            self._pace.adapt()

    def run(self, progress: Report | None, most_levels: int) -> int:
        """Find the flow; return its value."""
        job, network = self._job, self._network
        source, sink = network.source, network.sink
        begin = job.device.kernel(_FILE, "begin", **self._macros)
        leaving = int(network.indptr[source + 1] - network.indptr[source])
        job.launch(begin, leaving, self._group, *self._edges, self._incoming, np.uint32(source))
        self._send(sink, source, progress, most_levels)
        value = int(job.download(self._excess, network.n, np.uint64)[sink])
        self._send(source, sink, progress)  # what cannot get to the sink
        return value

    def _send(self, target: int, blocked: int, progress: Report | None, most_levels: int = sys.maxsize) -> None:
        """Push until no vertex that has something left reaches the target."""
        job = self._job
        pushes, settles = [], []
        for one, other in (self._heights, self._heights[::-1]):
            pushes.append(self._bind("push", one, self._excess, self._incoming, *self._ends))
            ends = (self._excess, self._incoming, self._control, *self._ends)
            settles.append(self._bind("settle", one, other, *ends))
        while True:
            deepest = self._search(self._heights[0], target, blocked, False, most_levels)
            # An even number, so that the heights are where they were.
            rounds = 2 * (max(deepest, _FEWEST_ROUNDS) // 2)
            done, is_active = 0, True
            while done < rounds and is_active:
                self._pace.begin()
                part = min(2 * self._pace.amount, rounds - done)
                job.fill(self._control, self._layout["CONTROL_WORDS"], np.uint32(0))
                for _ in range(part // 2):
                    for push, settle in zip(pushes, settles, strict=True):
                        for kernel in (*push, *settle):
                            kernel.queue()
                done += part
                words = job.download(self._control, self._layout["CONTROL_WORDS"], np.uint32)
                is_active = bool(words[self._layout["ACTIVE"]])
                self._pace.adapt()
            self.rounds += done
            if progress is not None:
                progress(self.rounds, self._network.n)
            if not is_active:
                return

    def source_side(self, source: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Return which vertices the source still reaches."""
        network = self._network
        self._search(self._heights[0], source, network.n, forward=True)
        heights = self._job.download(self._heights[0], network.n, np.uint32)
        return np.asarray(heights != self._layout["UNREACHED"])
