"""Input Parallel Bellman-Ford and its refinement (thesis section 5.4, cl/single_source/input_parallel*.cl)."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyopencl as cl

from reedsp.algorithms.single_source.outcome import RoundingError, look_for_cycle, settle, solve_on_host
from reedsp.algorithms.single_source.selfcheck import finds_known_tree
from reedsp.algorithms.single_source.task import Outcome, Task
from reedsp.arithmetic.types import C_TYPES
from reedsp.device.build import constants
from reedsp.device.device import Device
from reedsp.device.dispatch import even
from reedsp.device.iterate import Rounds
from reedsp.device.job import BoundKernel, Job, Kernel
from reedsp.device.selfcheck import is_trusted
from reedsp.edges.device_graph import DeviceGraph, OutEdges
from reedsp.edges.edge_classes import edge_classes_on
from reedsp.edges.ladder import DIRECT_SEARCH, RungPlan, rung_for
from reedsp.graph.graph import Graph
from reedsp.primitives.operators import resolve
from reedsp.primitives.plans import Buffers, Elements, Plan
from reedsp.primitives.scan import plan_scan

_GPU_GROUP_SIZE = 256
_CPU_GROUP_SIZE = 1024
_ROUNDS_UNWATCHED = 32
_FIRST_CYCLE_CHECK = 48  # more than the rounds that are not watched
_PHASES = 3
_REFINED = "single_source/input_parallel_refined.cl"

_QueueRound = Callable[[int], None]
"""Queues a round by its number."""


def input_parallel(task: Task) -> Outcome:
    """Solve single-source shortest paths by Input Parallel Bellman-Ford.

    In each round one work-item an edge adds a path weight and the weight of the edge, a segmented scan finds the
    minimum of these sums for each vertex, and one work-item a vertex updates its path weight (thesis section 5.4.1).
    After k rounds each path weight is the minimum of all paths of at most k edges.

    Parameters
    ----------
    task : Task

    Returns
    -------
    Outcome

    Raises
    ------
    NegativeCycleError
        A negative cycle can be reached from the source.
    OverflowError
        A distance lies outside the arithmetic.
    DeviceError, DeviceMemoryError
        The device cannot do it.
    """
    return _solve(task, _all_edges)


def input_parallel_refined(
    task: Task, *, list_active: bool | None = None, balance: str | None = None, edge_classes: bool = False
) -> Outcome:
    """Solve single-source shortest paths by Input Parallel Bellman-Ford, relaxing only what can cause an update.

    A round relaxes the edges that leave a vertex whose path weight the last round has lowered (thesis section 5.4.2).
    Prefix sums share these edges out evenly. The path weights after each round, and so the number of rounds, are those
    of :func:`input_parallel`, whose task, result and errors hold here, too.

    Parameters
    ----------
    list_active : bool, optional
        List the updated vertices first, and take the prefix sums of the list, as in the thesis. Otherwise they are
        taken of all vertices, where those without an update count no edges, which measured faster on every device with
        "direct-search". By default listed for every other rung.
    balance : str, optional
        How the edges are shared out: a rung of the ladder, one of ``reedsp.edges.ladder.RUNGS``; by default
        "direct-search". It decides how fast a round is, never what it finds. A rung that gives wrong answers in trials
        on this device is replaced by "direct-search".
    edge_classes : bool
        No atomic operation where only one edge ends at a vertex, and no search from a vertex that no edge leaves, or
        only the one back to where it was reached from (Busato and Bombieri, section 3.2). It changes nothing that is
        found. Not used if that gives wrong answers in trials on this device.
    """
    rung = _right_rung(task, balance)
    return _by_rung(task, rung, list_active, edge_classes and _are_classes_right(task, rung))


def _right_rung(task: Task, balance: str | None) -> str:
    """Return the rung that is named, if it gives right answers on this device."""
    if balance in (None, DIRECT_SEARCH):
        return DIRECT_SEARCH
    return balance if _passes(task, f"input-parallel-refined by {balance}", ("balance", balance)) else DIRECT_SEARCH


def _are_classes_right(task: Task, balance: str) -> bool:
    name = f"input-parallel-refined by {balance} with edge classes"
    return _passes(task, name, ("balance", balance), ("edge_classes", True))


def _passes(task: Task, name: str, *options: tuple[str, Any]) -> bool:
    """Return whether trials with these options give right answers on this device."""
    arithmetic, negative = task.arithmetic, task.graph.has_negative_weights
    trial = (_by_rung, arithmetic, negative, False, *options)
    return is_trusted(task.job.device, f"{name} in {arithmetic}", finds_known_tree, *trial)


def _by_rung(task: Task, balance: str, list_active: bool | None = None, edge_classes: bool = False) -> Outcome:
    listed = balance != DIRECT_SEARCH if list_active is None else list_active
    plan = functools.partial(_active_edges, list_active=listed, balance=balance, edge_classes=edge_classes)
    return _solve(task, plan)


@dataclass(frozen=True)
class _Row:
    """What the two methods share: the graph, and the path weights from one source."""

    graph: Graph
    on_device: DeviceGraph
    source: int
    job: Job
    ceiling: Any
    weights: cl.Buffer
    predecessors: cl.Buffer
    rounds: Rounds

    @property
    def watched(self) -> bool:
        """Whether the rounds have to watch for negative cycles."""
        return self.graph.has_negative_weights

    def kernel(self, file: str, name: str, **macros: str | int) -> Kernel:
        """Return a kernel in the arithmetic of the graph."""
        return self.job.device.kernel(file, name, **self.on_device.arithmetic.macros, **macros)

    def bind(self, kernel: Kernel, items: int, *args: cl.Buffer | np.generic) -> BoundKernel:
        """Bind a kernel that has no wish as to its work-groups, all work-items of which do about the same."""
        group = _group_size(self.job.device)
        slices = even(0, items, group, items, self.job.device.steps_at_once)
        return self.job.bind(kernel, items, group, *args, slices=slices)


def _solve(task: Task, plan_rounds: Callable[[_Row], _QueueRound]) -> Outcome:
    return task.in_parts(1, functools.partial(_solve_row, plan_rounds))


def _solve_row(plan_rounds: Callable[[_Row], _QueueRound], task: Task) -> Outcome:
    graph, job, arithmetic = task.graph, task.job, task.arithmetic
    row = _Row(
        graph=graph,
        on_device=DeviceGraph.of(graph, job, arithmetic, in_degree_order=False),
        source=task.source,
        job=job,
        ceiling=task.bound,
        weights=job.allocate(graph.n, arithmetic.dtype),
        predecessors=job.allocate(graph.n if graph.has_negative_weights else 1, np.int32),
        rounds=Rounds(job),
    )
    next_cycle_check = _FIRST_CYCLE_CHECK

    def after_batch(rounds: int) -> None:
        nonlocal next_cycle_check
        if task.progress is not None:
            task.progress(min(rounds, graph.n), graph.n)
        if row.watched and rounds >= next_cycle_check:
            next_cycle_check = 2 * rounds
            look_for_cycle(task, row.on_device, row.predecessors)

    try:
        rounds, unchanged = row.rounds.run(plan_rounds(row), graph.n + _ROUNDS_UNWATCHED, after_batch)
        if row.watched and (arithmetic.saturate or not unchanged):
            look_for_cycle(task, row.on_device, row.predecessors)  # saturated sums come to rest on one, too
        if not unchanged:
            raise RoundingError
        return settle(task, row.on_device, row.weights, rounds)
    except RoundingError:
        return solve_on_host(task)


def _all_edges(row: _Row) -> _QueueRound:
    """Relax every edge in each round (cl/single_source/input_parallel.cl)."""
    file, graph, job = "single_source/input_parallel.cl", row.on_device, row.job
    dtype = graph.arithmetic.dtype
    n, m = np.uint32(graph.n), np.uint64(graph.m)
    macros = {"GROUP_SIZE": _group_size(job.device), "KEEP_PREDECESSORS": int(row.watched)}
    initialise, relax, finalise = (row.kernel(file, name, **macros) for name in ("initialise", "relax", "finalise"))
    row.bind(initialise, graph.n, row.weights, row.predecessors, np.uint32(row.source), n).queue()

    elements = Elements(resolve("min", dtype), dtype, built_in=True, segmented=True)
    sums, total = job.allocate(graph.m, dtype), job.allocate(1, dtype)
    scan = plan_scan(job, elements, Buffers(sums, _heads(row), sums, total), graph.m)
    updates = row.rounds.updates
    rounds = []
    for phase in map(np.uint32, range(_PHASES)):
        edges = (graph.edge_weights, graph.edge_sources, row.weights, sums)
        relaxation = row.bind(relax, graph.m, *edges, updates, phase, m)
        index = (graph.edge_sources, graph.edge_counts, graph.vertex_edge_index)
        results = (row.weights, row.predecessors, updates)
        finalisation = row.bind(finalise, graph.n, sums, *index, *results, phase, row.ceiling, n)
        rounds.append([relaxation, *scan, finalisation])
    return _queue_in_turn(rounds)


def _heads(row: _Row) -> cl.Buffer:
    """Return marks at the edges with which segments begin: the entries of `vertex_edge_index`.

    A vertex without incoming edges has the index of the next edge there is, which begins a segment anyway, or the end.
    """
    graph, words = row.on_device, -(-row.on_device.m // 4)
    marks = row.job.allocate(words, np.uint32)
    clear, mark = (
        row.job.device.kernel("primitives/heads.cl", name, INDEX=C_TYPES[np.dtype(np.uint64)])
        for name in ("clear", "mark_heads")
    )
    row.bind(clear, words, marks, np.uint64(words)).queue()
    row.bind(mark, graph.n, graph.vertex_edge_index, marks, np.uint64(graph.n), np.uint64(graph.m)).queue()
    return marks


def _active_edges(row: _Row, list_active: bool, balance: str, edge_classes: bool) -> _QueueRound:
    """Relax the edges that leave a vertex of the last round's updates (cl/single_source/input_parallel_refined.cl).

    The sources of updates only serve to find a negative cycle, which is not looked for in the first rounds, so these
    need not record them. After n rounds that do, each updated vertex has a source that was updated in the round before
    or later, and that one another: n + 1 vertices lead from one to the next, and one of them comes twice. Saturated
    sums may come to rest sooner.
    """
    plan = functools.cache(_Refined(row, list_active, balance, edge_classes).plan_rounds)
    first_watched = 0 if row.on_device.arithmetic.saturate else _ROUNDS_UNWATCHED
    return lambda number: plan(row.watched and number >= first_watched)(number)


class _Refined:
    """The buffers and kernels of one solution by the refined method."""

    def __init__(self, row: _Row, list_active: bool, balance: str, edge_classes: bool) -> None:
        graph, job = row.graph, row.job
        self.row, self.listed, self.classified = row, list_active, edge_classes
        self.out = OutEdges.of(graph, job, row.on_device.arithmetic)
        self.wide = row.on_device.arithmetic.dtype.itemsize == 8
        self.rung = rung_for(job.device, balance)
        self.offset = np.dtype(np.uint32 if self.out.macros["OFFSET"] == "uint" else np.uint64)
        self.prefixes = job.allocate(graph.n + 1, self.offset)
        length = graph.n if list_active else 1
        self.marks, self.active = job.allocate(length, np.uint8), job.allocate(length, np.uint32)
        self.active_count = job.allocate(1, np.uint32)
        counted = self.active_count if list_active else None
        sizes = (str(self.out.macros["OFFSET"]), counted, graph.n, graph.m)
        self.ladder = RungPlan(job, self.rung, self.prefixes, *sizes)
        self.classes = edge_classes_on(graph, job) if edge_classes else job.allocate(1, np.uint8)
        self.best = job.allocate(graph.n * (1 + self.wide), np.uint32)
        self.best_sources = job.allocate(graph.n if row.watched else 1, np.uint32)
        self.state = (row.weights, self.best, self.out.first_edge, self.marks, self.prefixes)
        initialise = self.kernel("initialise", watched=False)
        row.bind(initialise, graph.n + 1, *self.state, np.uint32(row.source), np.uint32(graph.n)).queue()
        self.frontier = [*(self.plan_list() if list_active else []), *self.plan_prefixes()]

    def kernel(self, name: str, watched: bool) -> Kernel:
        """Return a kernel for rounds that keep the sources of updates, or for others."""
        return self.row.kernel(
            _REFINED,
            name,
            LISTED=int(self.listed),
            EDGE_CLASSES=int(self.classified),
            WIDE=int(self.wide),
            KEEP_PREDECESSORS=int(watched),
            **self.rung.macros,
            **self.out.macros,
        )

    def plan_list(self) -> Plan:
        """List the active vertices, and count the edges that leave each."""
        n, dtype = self.row.graph.n, np.dtype(np.uint32)
        elements = Elements(resolve("add", dtype), dtype, built_in=True, compaction="places", value_type="uint")
        buffers = Buffers(self.marks, self.marks, self.active, self.active_count)
        args = (self.out.first_edge, self.active, self.active_count, self.prefixes, np.uint32(n))
        count_edges = self.row.bind(self.kernel("count_edges", watched=False), n + 1, *args)
        return [*plan_scan(self.row.job, elements, buffers, n), count_edges]

    def plan_prefixes(self) -> Plan:
        """Scan the counts of active edges."""
        elements = Elements(resolve("add", self.offset), self.offset, built_in=True, exclusive=True)
        total = self.row.job.allocate(1, self.offset)
        buffers = Buffers(self.prefixes, self.prefixes, self.prefixes, total)
        return plan_scan(self.row.job, elements, buffers, self.row.graph.n + 1)

    def plan_rounds(self, watched: bool) -> _QueueRound:
        """Plan rounds that keep the sources of updates, or others."""
        row, job, out = self.row, self.row.job, self.out
        n = np.uint32(row.graph.n)
        sources = (self.best_sources, row.predecessors)
        if watched:
            row.bind(self.kernel("initialise_sources", watched), row.graph.n, *sources, n).queue()
        layout = constants(_REFINED)
        steps = [layout["HIGH_WORDS"], *[layout["LOW_WORDS"]] * self.wide, *[layout["SOURCES"]] * watched]
        edges = (out.first_edge, out.edges, self.active, self.active_count, self.prefixes)
        minima = (self.classes, row.weights, self.best, self.best_sources, self.ladder.buffer, row.ceiling, n)
        relax = self.kernel("relax", watched)

        @functools.cache
        def relaxations(turn: int) -> Plan:
            visits = [(*edges, *minima, np.uint32(turn), step) for step in map(np.uint32, steps)]
            return self.ladder.launches(turn, relax, visits)

        group = self.rung.group_size
        finalise, items = self.kernel("finalise", watched), -(-row.graph.n // self.rung.run)
        rounds = []
        for phase in map(np.uint32, range(_PHASES)):
            args = (*self.state, self.classes, *sources, row.rounds.updates, phase, n)
            turn = int(phase) if self.ladder.takes_turns else 0
            rounds.append([*self.frontier, *relaxations(turn), job.bind(finalise, items, group, *args)])
        return _queue_in_turn(rounds)


def _queue_in_turn(rounds: list[Plan]) -> _QueueRound:
    """Queue the kernels of each phase in turn."""

    def queue_round(number: int) -> None:
        for kernel in rounds[number % _PHASES]:
            kernel.queue()

    return queue_round


def _group_size(device: Device) -> int:
    """Return the work-items of a work-group."""
    return min(_CPU_GROUP_SIZE if device.kind == "cpu" else _GPU_GROUP_SIZE, device.max_work_group_size)
