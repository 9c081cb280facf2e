"""Breadth-first search by frontiers, whose edges a rung of the ladder shares out (cl/traversal/frontier.cl)."""

from __future__ import annotations

import numpy as np
import pyopencl as cl

from reedsp.device.build import constants
from reedsp.device.iterate import Rounds
from reedsp.device.job import Argument, BoundKernel, Job, Kernel
from reedsp.edges.device_graph import Neighbours
from reedsp.edges.ladder import RungPlan, rung_for
from reedsp.graph.graph import Graph
from reedsp.primitives.operators import resolve
from reedsp.primitives.plans import Buffers, Elements, Plan
from reedsp.primitives.scan import plan_scan
from reedsp.system.progress_bar import Report

_FILE = "traversal/frontier.cl"
_FOUND = 8  # vertices that a work-item of a GPU has found before it looks for room in the queue
_FOUND_ON_CPU = 64


class FrontierSearch:
    """Searches from one source after the other.

    Parameters
    ----------
    graph : Graph
    job : Job
    balance : str
        One of ``reedsp.edges.ladder.RUNGS``.

    Attributes
    ----------
    levels : pyopencl.Buffer of int32, shape (n,)
        -1 where there is no path.
    predecessors : pyopencl.Buffer of int32, shape (n,)
    """

    def __init__(self, graph: Graph, job: Job, balance: str) -> None:
        self._job, self._n = job, graph.n
        self._edges = Neighbours.of(graph, job, incoming=False)
        self._rung = rung_for(job.device, balance)
        self._rounds = Rounds(job)
        self._offset = np.dtype(np.uint32 if self._edges.macros["OFFSET"] == "uint" else np.uint64)
        self.levels: cl.Buffer = job.allocate(graph.n, np.int32)
        self.predecessors: cl.Buffer = job.allocate(graph.n, np.int32)
        self._queue = job.allocate(graph.n, np.uint32)
        self._prefixes = job.allocate(graph.n + 1, self._offset)
        self._ends = job.allocate(constants(_FILE)["PHASES"], np.uint32)
        self._sizes, self._counts = job.allocate(1, np.uint32), job.allocate(1, np.uint32)
        offset = str(self._edges.macros["OFFSET"])
        self._ladder = RungPlan(job, self._rung, self._prefixes, offset, self._sizes, graph.n, graph.m)
        reached = (self._queue, self.levels, self.predecessors, self._ends, self._rounds.updates)
        self._begin = self._bind("begin", graph.n, *reached, np.uint32(0), np.uint32(graph.n))
        sums = self._plan_prefixes()
        self._levels = [(self._bind_settle(phase), [*sums, *self._plan_expansion(phase)]) for phase in range(3)]

    def run(self, source: int, progress: Report | None) -> int:
        """Search to the end; return the number of levels that were found bottom-up: none."""
        self._begin.set("source", np.uint32(source))
        self._begin.queue()
        n = self._n
        self._rounds.run(self._queue_level, n, progress and (lambda levels: progress(min(levels, n), n)))
        return 0

    def _queue_level(self, level: int) -> None:
        settle, others = self._levels[level % len(self._levels)]
        settle.set("level", np.int32(level))
        settle.queue()
        for kernel in others:
            kernel.queue()

    def _kernel(self, name: str) -> Kernel:
        found = _FOUND_ON_CPU if self._job.device.kind == "cpu" else _FOUND
        return self._job.device.kernel(_FILE, name, FOUND=found, **self._rung.macros, **self._edges.macros)

    def _bind(self, name: str, items: int, *args: Argument) -> BoundKernel:
        return self._job.bind(self._kernel(name), items, self._rung.group_size, *args)

    def _bind_settle(self, phase: int) -> BoundKernel:
        """Give the frontier its level and count its edges."""
        frontier = (self._edges.first_edge, self._queue, self.levels, self._prefixes)
        counters = (self._ends, self._sizes, self._counts, self._rounds.updates)
        items = min(self._rung.items, -(-self._n // self._rung.run))
        return self._bind("settle", items, *frontier, *counters, np.uint32(phase), np.int32(0))

    def _plan_prefixes(self) -> Plan:
        """Scan the counts of edges."""
        elements = Elements(resolve("add", self._offset), self._offset, built_in=True, exclusive=True, counted=True)
        total = self._job.allocate(1, self._offset)
        buffers = Buffers(self._prefixes, self._prefixes, self._prefixes, total, self._counts)
        return plan_scan(self._job, elements, buffers, self._n + 1)

    def _plan_expansion(self, phase: int) -> Plan:
        """Go through the edges of the frontier."""
        edges = (self._edges.first_edge, self._edges.vertices)
        state = (self._queue, self.levels, self.predecessors, self._prefixes, self._ends, self._sizes)
        turn = phase if self._ladder.takes_turns else 0
        numbers = (self._ladder.buffer, np.uint32(phase), np.uint32(turn))
        return self._ladder.launches(turn, self._kernel("expand"), [(*edges, *state, self._rounds.updates, *numbers)])
