"""Breadth-first search from a few sources at a time by single work-items, for CPU devices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from reedsp.device.build import constants
from reedsp.device.job import Argument, BoundKernel, Job
from reedsp.edges.device_graph import Neighbours, largest_degree
from reedsp.edges.statistics import RowStatistics, add_up_levels
from reedsp.graph.graph import Graph
from reedsp.system.progress_bar import Report

_FILE, _QUEUE_FILE = "traversal/bfs_work_items.cl", "traversal/queue.cl"
_WORD = 64  # vertices
_PARTS = 32  # of a level, at most: more than there are compute units, so that they end together
_BOTTOM_UP_BATCH = 3  # levels between two looks at the device
_LONGEST_DISPATCH = 1 << 21  # edges top-down: about 50 ms on a slow machine, so that Ctrl-C is prompt
_LONGEST_LEVEL = 1 << 24  # edges and vertices bottom-up, which goes faster
_ROW_BYTES = 24  # for each vertex and source
_MOST_BYTES = 1 << 28
MOST_ROWS = 64
"""Sources that are searched from at once, at most."""


def rows_at_once(n: int) -> int:
    """Return from how many sources at once a graph of n vertices is searched."""
    return max(1, min(MOST_ROWS, _MOST_BYTES // (_ROW_BYTES * max(1, n))))


class WorkItemSearch:
    """Searches from a few sources at a time (cl/traversal/bfs_work_items.cl), which have begun.

    The host looks at the device seldom, and prepares what comes next while the device searches: most searches are over
    sooner than a few looks take.

    Parameters
    ----------
    graph : Graph
    sources : sequence of int
    answers : ndarray of int32, shape (len(sources), 2, graph.n)
        Levels and predecessors, filled by :meth:`split`.
    job : Job
    factor : int
        How many edges for each edge of a level bottom-up may look at; 0: no level is searched bottom-up.
    """

    def __init__(
        self, graph: Graph, sources: Sequence[int], answers: npt.NDArray[np.int32], job: Job, factor: int
    ) -> None:
        self._edges = Neighbours.of(graph, job, incoming=False)
        self._graph, self._job, self._rows, self._n = graph, job, len(sources), np.uint32(graph.n)
        self._answers = answers
        # A graph that has been searched bottom-up will be again, so that there is no need to ask first.
        self._goes_up = factor > 0 and "searched_bottom_up" in graph._derived
        self._macros = {
            "PREFETCH_BUILT_IN": int(job.device.kind == "cpu"),
            **self._edges.macros,
        }
        self._words = -(-graph.n // _WORD)
        self._part_words = np.uint32(-(-self._words // min(self._words, _PARTS)))
        self._parts = -(-self._words // int(self._part_words))
        self._found = job.allocate(self._rows * graph.n, np.uint64)
        self._queue = job.allocate(self._rows * (graph.n + constants(_QUEUE_FILE)["BLOCK"]), np.int32)
        self._layout = constants(_FILE)
        self._control = job.allocate(self._rows * self._layout["CONTROL_WORDS"], np.uint64)
        ends = job.allocate(self._rows * graph.n, np.uint32)
        self._marks, level_bits = (job.allocate(self._rows * self._words, np.uint64) for _ in range(2))
        level_words = job.allocate(self._rows * -(-self._words // _WORD), np.uint64)
        bits = (self._marks, level_bits, level_words, self._control)
        start = job.upload(np.array(sources, np.int32), keep=False)
        begin = (
            *(start, self._edges.first_edge, self._found, self._queue, *bits),
            *(np.uint64(factor), self._part_words, self._n),
        )
        self._bind("begin", self._parts, *begin).queue()
        limits = (np.uint64(_LONGEST_DISPATCH), np.uint32(largest_degree(graph)))
        edges = (self._edges.first_edge, self._edges.vertices)
        self._top_down = self._bind("top_down", 1, *edges, self._found, self._queue, ends, *bits, *limits, self._n)
        self._top_down.queue()
        self._bottom_up: _BottomUp | None = None

    def _bind(self, name: str, parts: int, *args: Argument) -> BoundKernel:
        kernel = self._job.device.kernel(_FILE, name, **self._macros)
        return self._job.bind(kernel, (parts, self._rows), (1, 1), *args)

    def run(self, progress: Report | None) -> int:
        """Search to the end; return the number of levels that were found bottom-up."""
        if self._goes_up:
            self._queue_bottom_up()
            self._top_down.queue()
        layout, count = self._layout, self._layout["CONTROL_WORDS"]
        while True:
            control = self._job.download(self._control, self._rows * count, np.uint64)
            steps = control[layout["STEP"] :: count]
            if (steps == layout["DONE"]).all():
                return int(control[layout["BOTTOM_UP_LEVELS"] :: count].sum())
            if progress is not None:
                progress(int(control[layout["LEVEL"] :: count].max()), self._graph.n)
            self._goes_up = self._goes_up or bool(((steps != layout["TOP_DOWN"]) & (steps != layout["DONE"])).any())
            if self._goes_up:
                self._queue_bottom_up()
            self._top_down.queue()

    def _queue_bottom_up(self) -> None:
        """Queue what does nothing unless bottom-up pays."""
        if self._bottom_up is None:
            self._graph._derived["searched_bottom_up"] = True
            self._bottom_up = self._bind_bottom_up()
        self._bottom_up.queue(self._job)

    def _bind_bottom_up(self) -> _BottomUp:
        """Return the kernels that many graphs do without."""
        job, rows, words, n = self._job, self._rows, self._words, self._n
        unvisited, frontier = job.allocate(rows * words, np.uint64), job.allocate(2 * rows * words, np.uint64)
        sums = job.allocate(2 * rows * self._parts, np.uint64)
        inward = Neighbours.of(self._graph, job, incoming=True)
        edges = (inward.first_edge, inward.vertices, self._edges.first_edge)
        bits = (self._found, unvisited, frontier)
        parts, control, part_words = np.uint32(self._parts), self._control, self._part_words
        # A level of a large graph takes several dispatches.
        work = rows * (self._graph.n + self._graph.m)
        together = max(1, min(self._parts, self._parts * _LONGEST_LEVEL // work))
        return _BottomUp(
            self._bind("write_bits", self._parts, *bits, control, part_words, n),
            [
                self._bind(
                    *("bottom_up", min(together, self._parts - first)),
                    *(*edges, *bits, sums, control, part_words, np.uint32(first), parts, n),
                )
                for first in range(0, self._parts, together)
            ],
            self._bind("advance", 1, frontier, self._queue, self._marks, sums, control, parts, n),
        )

    def split(self, statistics: RowStatistics | None) -> None:
        """Write the answers, and fill statistics of the levels."""
        with self._job.writes(self._answers) as result:
            self._bind("split", self._parts, self._found, result, self._part_words, self._n).queue()
            if statistics is not None:
                add_up_levels(self._job, result, self._graph.n, statistics)


@dataclass(frozen=True)
class _BottomUp:
    """The kernels that search levels bottom-up."""

    write_bits: BoundKernel
    parts: list[BoundKernel]
    advance: BoundKernel

    def queue(self, job: Job) -> None:
        """Queue a few levels, or one of a large graph, waiting for each of its parts."""
        self.write_bits.queue()
        for _ in range(_BOTTOM_UP_BATCH if len(self.parts) == 1 else 1):
            for part in self.parts:
                part.queue()
                if len(self.parts) > 1:
                    job.finish()
            self.advance.queue()
