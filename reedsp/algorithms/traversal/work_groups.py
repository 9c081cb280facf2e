"""Breadth-first search by work-groups that share each level, for GPUs."""

from __future__ import annotations

from typing import Any

import numpy as np

from reedsp.device.build import constants
from reedsp.device.iterate import Batches
from reedsp.device.job import Argument, BoundKernel, Job, round_up
from reedsp.edges.device_graph import Neighbours
from reedsp.graph.graph import Graph
from reedsp.system.progress_bar import Report

_FILE = "traversal/bfs_work_groups.cl"
_GROUP_SIZE = 256
_GROUPS_PER_UNIT = 8
_PIECE = 64
_EDGES_PER_ITEM = 4
_SMALL = 4  # work-groups' worth of pieces up to which one work-group searches alone
_MOST_LEVELS = 256
_FIRST_BATCH, _LARGEST_BATCH = 8, 32
_SHORTEST_BATCH = 2


class WorkGroupSearch:
    """Searches from one source after the other (cl/traversal/bfs_work_groups.cl)."""

    def __init__(self, graph: Graph, job: Job, factor: int, group_size: int | None) -> None:
        outward = Neighbours.of(graph, job, incoming=False)
        inward = Neighbours.of(graph, job, incoming=True) if factor else outward
        size = _GROUP_SIZE if group_size is None else group_size
        self._job, self._n, n = job, graph.n, np.uint32(graph.n)
        self._known: dict[str, Any] = graph._derived
        macros = {
            "GROUP_SIZE": size,
            "PIECE": _PIECE,
            "EDGES_PER_ITEM": _EDGES_PER_ITEM,
            "SMALL": _SMALL * size,
            "MOST_LEVELS": _MOST_LEVELS,
            **outward.macros,
        }
        capacity, words = graph.n + graph.m // _PIECE + 1, -(-graph.n // 32)
        self.levels, self.predecessors = job.allocate(graph.n, np.int32), job.allocate(graph.n, np.int32)
        queues = job.allocate(2 * capacity, np.uint64)  # of pairs
        visited, frontiers = job.allocate(words, np.uint32), job.allocate(2 * words, np.uint32)
        self._layout = constants(_FILE)
        self._control = job.allocate(self._layout["CONTROL_WORDS"], np.uint32)
        items = min(job.device.compute_units * _GROUPS_PER_UNIT * size, round_up(graph.n, size))
        edges = (outward.first_edge, outward.vertices, inward.first_edge, inward.vertices)
        state = (queues, visited, frontiers, self._control, np.uint32(capacity), n)

        def bind(name: str, items: int, *args: Argument) -> BoundKernel:
            kernel = job.device.kernel(_FILE, name, **macros)
            return job.bind(kernel, items, size, *args)

        begin = (self.levels, self.predecessors, queues, visited, self._control, np.uint32(0), np.uint32(factor), n)
        self._begin = bind("begin", graph.n, outward.first_edge, *begin)
        self._search = bind("search", items, *edges, self.levels, self.predecessors, *state)
        self._settle = bind("settle", items, outward.first_edge, self.levels, *state)

    def run(self, source: int, progress: Report | None) -> int:
        """Search to the end; return the number of levels that were found bottom-up."""
        self._begin.set("source", np.uint32(source))
        self._begin.queue()
        layout = self._layout
        batches = Batches(self._known, "levels", _FIRST_BATCH, _SHORTEST_BATCH, _LARGEST_BATCH, part=1)
        while True:
            for _ in range(batches.begin()):
                self._search.queue()
                self._settle.queue()
            control = self._job.download(self._control, layout["CONTROL_WORDS"], np.uint32)
            if control[layout["STEP"]] == layout["DONE"]:
                batches.end(int(control[layout["LAUNCHES"]]))
                return int(control[layout["BOTTOM_UP_LEVELS"]])
            if progress is not None:
                progress(int(control[layout["LEVEL"]]), self._n)
            batches.go_on()
