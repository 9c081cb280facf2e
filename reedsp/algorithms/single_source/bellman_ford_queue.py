"""Bellman-Ford with a queue, one work-item a row (cl/single_source/bellman_ford_queue.cl)."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyopencl as cl

from reedsp.algorithms.single_source.outcome import (
    RoundingError,
    fill_rows,
    refuse_cycle,
    settle_outgoing,
    solve_on_host,
)
from reedsp.algorithms.single_source.task import Outcome, Task, upload_starts
from reedsp.arithmetic.paths import Arithmetic
from reedsp.cost_model import settings
from reedsp.device.build import constants
from reedsp.device.device import Device
from reedsp.device.iterate import Pace, take_rows
from reedsp.edges.device_graph import NO_VERTEX, OutEdges

_FILE = "single_source/bellman_ford_queue.cl"
_FIRST_BUDGET, _LEAST_BUDGET = 1 << 21, 1 << 12  # edges that a work-item relaxes in the first launch
_VISITS = 8
"""Times that each edge is relaxed, on average, before a negative cycle is looked for."""
_PART_OF_MEMORY = 0.25
_VERTEX_BYTES = 24  # beside a path weight


def bellman_ford_queue(task: Task) -> Outcome:
    """Solve single-source shortest paths by Bellman-Ford with a queue, a work-item a row.

    Vertices whose path weight has fallen wait in a queue for their edges to be relaxed (Moore, "The shortest path
    through a maze", 1959; the thesis' section 5.4.2 relaxes all of them at once). Weights may be negative.

    Parameters
    ----------
    task : Task
        Each row has one source, unless the weights are not negative.

    Returns
    -------
    Outcome
        Its rounds are the vertices whose edges were relaxed.

    Raises
    ------
    NegativeCycleError
        A negative cycle can be reached from a source.
    OverflowError
        A distance lies outside the arithmetic.
    DeviceError, DeviceMemoryError
        The device cannot do it.
    """
    negative = task.graph.has_negative_weights
    task = dataclasses.replace(task, target=None, by_hops=task.by_hops or negative)
    return task.in_parts(rows_at_once(task.job.device, task.arithmetic, task.graph.n), _solve)


def rows_at_once(device: Device, arithmetic: Arithmetic, n: int) -> int:
    """Return how many rows of n vertices fit into the memory that a search may use."""
    size = max(1, n) * arithmetic.dtype.itemsize
    memory = settings.ON_CPU if device.kind == "cpu" else _PART_OF_MEMORY * device.global_memory
    return max(1, min(int(memory) // (size + _VERTEX_BYTES * max(1, n)), device.max_allocation // size))


def _solve(task: Task) -> Outcome:
    graph, job = task.graph, task.job
    job.phases.begin("prepare")
    edges = OutEdges.of(graph, job, task.arithmetic)
    job.phases.begin("search")
    search = _Search(task, edges)
    try:
        taken = search.run()
    except RoundingError:
        return solve_on_host(task) if len(task.starts) == 1 else task.in_parts(1, _solve)
    if not (graph.has_negative_weights and (task.arithmetic.saturate or task.arithmetic.dtype.kind == "f")):
        fill_rows(task, edges, search.weights, task.different_starts())
        return Outcome(taken)
    rows = range(len(task.starts))
    outcomes = [_settle(task.of_row(row), edges, search, row) for row in rows]
    return Outcome(taken, frozenset(row for row in rows if outcomes[row].rows_from_host))


def _settle(task: Task, edges: OutEdges, search: _Search, row: int) -> Outcome:
    """Fill the arrays of one row, whose weights may hide a negative cycle, or be spoilt by rounding."""
    try:
        if task.arithmetic.saturate:  # saturated sums come to rest on a negative cycle, too
            search.look_for_cycle(row)
        return settle_outgoing(task, edges, search.weights_of(row), 0)
    except RoundingError:
        return solve_on_host(task)


class _Search:
    """The search of all rows of a task: its buffers, and the watch for negative cycles."""

    def __init__(self, task: Task, edges: OutEdges) -> None:
        job, n, rows = task.job, edges.n, len(task.starts)
        self._task, self._edges, self._layout = task, edges, constants(_FILE)
        self._workers = min(rows, job.device.compute_units if job.device.kind == "cpu" else rows)
        self.weights = job.full(rows * n, task.arithmetic.infinity)
        self._predecessors = job.full(rows * n, np.int32(NO_VERTEX))
        self._searches = job.full(self._workers * self._layout["SEARCH_WORDS"], np.uint32(0))
        self._next_look = dict.fromkeys(range(rows), _VISITS * (n + edges.m))

    def run(self) -> int:
        """Relax until nothing falls any more; return the number of vertices whose edges were relaxed.

        Raises
        ------
        NegativeCycleError
            There is a negative cycle.
        RoundingError
            There is a cycle which rounding has made one.
        """
        task, edges, n = self._task, self._edges, self._edges.n
        job, arithmetic, workers = task.job, task.arithmetic, self._workers
        macros = {"PREFETCH_BUILT_IN": int(job.device.kind == "cpu"), **edges.macros, **arithmetic.macros}
        counters = job.full(self._layout["COUNTERS"], np.uint32(0))
        arguments: list[cl.Buffer | np.generic | Any] = [
            *(edges.first_edge, edges.edges, *upload_starts(job, task.starts), self.weights, self._predecessors),
            *(job.allocate(workers * n, np.uint32), job.full(workers * n, np.uint8(0)), self._searches, counters),
            *(
                arithmetic.dtype.type(task.bound),
                self._lowest(),
                np.uint64(0),
                np.uint32(n),
                np.uint32(len(task.starts)),
            ),
        ]
        launch = job.bind(job.device.kernel(_FILE, "solve_rows", **macros), workers, 1, *arguments)
        first = max(_LEAST_BUDGET, min(_FIRST_BUDGET, _VISITS * (n + edges.m)))
        return take_rows(job, launch, counters, len(task.starts), Pace(first), self._go_on)

    def _lowest(self) -> np.generic:
        """Return what no simple path weighs less than, or the minimum of the type where sums round, or saturate."""
        dtype, lowest = self._task.arithmetic.dtype, -np.inf
        if dtype.kind == "i":
            lowest = max(-self._edges.n * int(self._task.graph.max_abs_weight), int(np.iinfo(dtype).min))
        return dtype.type(lowest)  # type: ignore[no-any-return]

    def _go_on(self, taken: int) -> None:
        """Report between launches, and look for negative cycles where much was relaxed since the last look."""
        if self._task.progress is not None:
            self._task.progress(taken, self._edges.n)
        if self._task.graph.has_negative_weights:
            for row, relaxed in self._under_way():
                if relaxed >= self._next_look[row]:
                    self._next_look[row] = 2 * relaxed
                    self.look_for_cycle(row)

    def _under_way(self) -> Iterator[tuple[int, int]]:
        """Yield the rows that work-items have begun and not ended, and the edges that these have relaxed for each."""
        layout = self._layout
        size = self._workers * layout["SEARCH_WORDS"]
        words = self._task.job.download(self._searches, size, np.uint32).reshape(self._workers, -1)
        for search in words[words[:, layout["ACTIVE"]] != 0].tolist():
            low, high = search[layout["RELAXED"] : layout["RELAXED"] + 2]
            yield search[layout["ROW"]], low + (high << 32)

    def weights_of(self, row: int) -> cl.Buffer:
        """Return the path weights of a row."""
        if len(self._task.starts) == 1:
            return self.weights
        job, dtype, n = self._task.job, self._task.arithmetic.dtype, self._edges.n
        weights = job.allocate(n, dtype)
        job.copy(weights, 0, self.weights, row * n * dtype.itemsize, n * dtype.itemsize)
        return weights

    def look_for_cycle(self, row: int) -> None:
        """Raise if the predecessors of a row close a cycle, which has negative weight."""
        kept = np.empty(self._edges.n, np.int32)
        self._task.job.download_into(kept, self._predecessors, row * self._edges.n)
        refuse_cycle(self._task.graph, kept)
