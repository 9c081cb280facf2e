"""Breadth-first search without a queue (cl/experiments/every_level.cl), and how much each technique looks at."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

import reedsp
from reedsp.device.build import constants
from reedsp.device.iterate import Rounds
from reedsp.device.job import Argument, BoundKernel, Job
from reedsp.edges.device_graph import Neighbours

FILE = "experiments/every_level.cl"
KERNELS = {"all vertices": "look_at_vertices", "all edges": "look_at_edges", "matrix-vector": "multiply"}
"""By the names of techniques."""

GROUP_SIZE = 256


class Looks(NamedTuple):
    """How often a search looks at a vertex, and at an edge."""

    vertices: int
    edges: int


class EveryLevel:
    """Searches by one technique.

    Parameters
    ----------
    graph : Graph
    job : Job
    technique : str
        One of :data:`KERNELS`.
    width : int
        Of a virtual warp, of "all vertices".
    counts : bool
        Count the looks.
    """

    def __init__(self, graph: reedsp.Graph, job: Job, technique: str, width: int = 1, counts: bool = False) -> None:
        self._job, self._n = job, graph.n
        layout = constants(FILE)
        edges = Neighbours.of(graph, job, incoming=technique == "matrix-vector")
        self._macros: dict[str, str | int] = {"WIDTH": width, "COUNTS": int(counts), **edges.macros}
        self._rounds = Rounds(job)
        self._levels, self._predecessors = job.allocate(graph.n, np.int32), job.allocate(graph.n, np.int32)
        self._looks = job.full(layout["LOOKS"], np.uint32(0))
        self._places = layout["AT_VERTICES"], layout["AT_EDGES"]
        n, updates = np.uint32(graph.n), self._rounds.updates
        ends = (edges.first_edge, edges.vertices)
        items, size = graph.n * width, n
        if technique == "all edges":
            sources = np.repeat(np.arange(graph.n, dtype=np.int32), np.diff(graph.indptr))
            ends, items, size = (job.upload(sources), edges.vertices), graph.m, np.uint64(graph.m)
        self._begin = self._bind("begin", graph.n, self._levels, self._predecessors, updates, np.uint32(0), n)
        state = (self._levels, self._predecessors, self._looks, updates)
        name = KERNELS[technique]
        self._phases = [
            (
                self._bind(name, items, *ends, *state, np.uint32(phase), np.int32(0), size),
                self._bind("settle", graph.n, *state, np.uint32(phase), np.int32(0), n),
            )
            for phase in range(3)
        ]

    def search(self, source: int) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        """Return levels and predecessors."""
        self._begin.set("source", np.uint32(source))
        self._begin.queue()
        self._rounds.run(self._queue_level, self._n)
        return tuple(self._job.download(each, self._n, np.int32) for each in (self._levels, self._predecessors))

    def looks(self) -> Looks:
        """Return how often all searches so far have looked at something."""
        words = self._job.download(self._looks, 4, np.uint32).astype(int)
        return Looks(*(int(words[place]) + (int(words[place + 1]) << 32) for place in self._places))

    def _queue_level(self, level: int) -> None:
        for kernel in self._phases[level % len(self._phases)]:
            kernel.set("level", np.int32(level))
            kernel.queue()

    def _bind(self, name: str, items: int, *args: Argument) -> BoundKernel:
        kernel = self._job.device.kernel(FILE, name, **self._macros)
        return self._job.bind(kernel, items, min(GROUP_SIZE, self._job.device.max_work_group_size), *args)


def expected_looks(graph: reedsp.Graph, levels: npt.NDArray[np.int32], technique: str) -> Looks:
    """Return how often a search that finds these levels looks at something, by hand.

    Each level but the last, which finds nothing, has a part of what there is; without a queue each goes through all
    vertices to settle them, and the technique through all vertices, or all edges. A frontier has each vertex once in
    either step.
    """
    reached = levels >= 0
    rounds, leaving = int(levels.max()) + 1, int(np.diff(graph.indptr)[reached].sum())
    by_hand = {
        "all vertices": Looks(2 * rounds * graph.n, leaving),
        "all edges": Looks(rounds * graph.n, rounds * graph.m),
        "matrix-vector": Looks(2 * rounds * graph.n, rounds * graph.m),
    }
    return by_hand.get(technique, Looks(2 * int(reached.sum()), leaving))
