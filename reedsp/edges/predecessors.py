"""Shortest-path trees from final distances, the same on every device and whichever way the edges are sorted.

The kernels are in cl/edges: predecessors.cl takes the edges that end at each vertex, and predecessors_outgoing.cl those
that leave it, as predecessors_in_order.cl does on CPU devices where there are many hop levels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyopencl as cl

from reedsp.arithmetic.paths import Arithmetic
from reedsp.device.build import constants
from reedsp.device.dispatch import Slices, even
from reedsp.device.iterate import PASSES, Pace, Rounds, take_rows
from reedsp.device.job import Job
from reedsp.edges.device_graph import DeviceGraph, OutEdges

GROUP_SIZE = 64
_MANY_EDGES = 64  # that end at one vertex; with more, a GPU takes the edges one by one
_EDGES_EACH = 4  # taken by one work-item, all of whose loads are then under way at once
_FILE, _OUTGOING = "edges/predecessors.cl", "edges/predecessors_outgoing.cl"
_IN_ORDER = "edges/predecessors_in_order.cl"
_CPU_RUN = 4096  # edges of one work-item
_CPU_LEVELS = 4
"""Hop levels for each of which a CPU looks at all vertices; of more, most have few vertices."""
_FIRST_BUDGET = 1 << 20  # edges at which a work-item looks in a launch, if it takes one vertex after the other


@dataclass(frozen=True)
class Trees:
    """Shortest-path trees, one a row, on the device.

    Attributes
    ----------
    predecessors : pyopencl.Buffer of int32, shape (rows, n)
        In the device's order and numbers; NO_VERTEX for sources and unreachable vertices.
    rows : int
    overflowed : bool
        Whether the weight of every path to some vertex lies beyond the arithmetic's range.
    unresolved : int
        Number of reached vertices without a predecessor; 0 unless floating-point rounding has left a vertex whose
        distance no longer follows from the source's.
    """

    predecessors: cl.Buffer
    rows: int
    overflowed: bool
    unresolved: int

    def read_into(self, predecessors: npt.NDArray[np.int32], job: Job, graph: DeviceGraph | None = None) -> None:
        """Copy them into an array of shape (rows, n), in the user's order and numbers; `graph` may have others."""
        job.download_into(predecessors, self.predecessors)
        if graph is not None and graph.reordered:
            predecessors[...] = graph.to_user_order(graph.to_vertices(predecessors))


def find_trees(
    job: Job, graph: DeviceGraph, dist: cl.Buffer, sources: Sequence[Sequence[int]], zero_progress_only: bool
) -> Trees:
    """Find the trees of final distances on the device.

    Parameters
    ----------
    job : Job
    graph : DeviceGraph
    dist : pyopencl.Buffer, shape (rows, n)
        Final distances in the graph's arithmetic and device order.
    sources : sequence of sequences of int
        The sources of each row, as the user numbers them. Their distances are 0.
    zero_progress_only : bool
        Resolve every tight edge by hop level: needed if the graph has negative weights.
    """
    n, rows = graph.n, len(sources)
    macros = {"ZERO_PROGRESS_ONLY": int(zero_progress_only), "EDGES_EACH": _EDGES_EACH, **graph.arithmetic.macros}
    vertices, group = (n, rows), (GROUP_SIZE, 1)
    slices = graph.slices(GROUP_SIZE, rows)
    counts = job.full(2, np.uint32(0))
    edges = (graph.edge_weights, graph.edge_sources, graph.edge_counts, graph.vertex_edge_index)

    def launch(name: str, size: tuple[int, int], *args: cl.Buffer | np.generic, slices: Slices | None = None) -> None:
        kernel = job.device.kernel(_FILE, name, **macros)
        job.launch(kernel, size, group, *args, np.uint32(n), slices=slices)

    if job.device.kind == "cpu" or zero_progress_only or graph.reordered or graph.max_edge_count <= _MANY_EDGES:
        predecessors = job.allocate(rows * n, np.int32)
        launch("resolve_progress", vertices, *edges, dist, predecessors, counts, slices=slices)
    else:
        ends = (graph.edge_weights, graph.edge_sources, graph.edge_targets(job))
        predecessors = job.full(rows * n, np.int32(constants(_FILE)["NOT_YET"]))
        items = -(-graph.m // _EDGES_EACH)
        launch("resolve_progress_by_edges", (items, rows), *ends, dist, predecessors, counts, np.uint64(graph.m))
        launch("count_unresolved", vertices, dist, predecessors, counts)
    slots = np.unique([row * n + int(graph.number_of[v]) for row, some in enumerate(sources) for v in some])
    left, overflowed = map(int, job.download(counts, 2, np.uint32))
    unresolved = 0
    if left > len(slots):
        levels = [job.allocate(rows * n, np.uint32), job.allocate(rows * n, np.uint32)]
        launch("start_levels", vertices, predecessors, levels[0])
        start = job.device.kernel(_FILE, "start_at_sources", **macros)
        on_device = job.upload(slots.astype(np.uint64), keep=False)
        job.launch(start, len(slots), GROUP_SIZE, on_device, levels[0], np.uint32(len(slots)))
        _resolve_levels(job, graph, dist, predecessors, levels, macros, rows)
        final_levels = job.download(levels[0], rows * n, np.uint32)
        reached = job.download(dist, rows * n, graph.arithmetic.dtype) != graph.arithmetic.infinity
        unresolved = int(np.count_nonzero(reached & (final_levels == constants(_FILE)["UNRESOLVED"])))
    return Trees(predecessors, rows, bool(overflowed), unresolved)


def _resolve_levels(
    job: Job,
    graph: DeviceGraph,
    dist: cl.Buffer,
    predecessors: cl.Buffer,
    levels: list[cl.Buffer],
    macros: dict[str, str | int],
    rows: int,
) -> None:
    """Give every vertex that tight edges lead to a predecessor, one hop level after the other."""
    kernel = job.device.kernel(_FILE, "resolve_level", **macros)
    edges = (graph.edge_weights, graph.edge_sources, graph.edge_counts, graph.vertex_edge_index)
    rounds = Rounds(job)
    passes = []
    for number in range(PASSES):
        buffers = (levels[number % 2], levels[(number + 1) % 2], rounds.updates)
        numbers = (np.uint32(number % 3), np.uint32(0), np.uint32(graph.n))
        size, group = (graph.n, rows), (GROUP_SIZE, 1)
        args = (*edges, dist, predecessors, *buffers, *numbers)
        passes.append(job.bind(kernel, size, group, *args, slices=graph.slices(GROUP_SIZE, rows)))

    def queue_level(level: int) -> None:
        passes[level % PASSES].set("level", np.uint32(level))
        passes[level % PASSES].queue()

    rounds.run(queue_level, limit=graph.n + 1)


class Noted(NamedTuple):
    """What a search has noted on the way of its trees.

    Attributes
    ----------
    predecessors : pyopencl.Buffer of int32, shape (rows, n)
        The smallest vertex from which a tight edge makes progress; NO_VERTEX if there is none.
    counts : pyopencl.Buffer of uint32, shape (2,)
        Number of reached vertices without one, sources among them; and 0.
    """

    predecessors: cl.Buffer
    counts: cl.Buffer


def find_trees_outgoing(
    job: Job,
    edges: OutEdges,
    arithmetic: Arithmetic,
    dist: cl.Buffer,
    sources: Sequence[Sequence[int]],
    zero_progress_only: bool,
    noted: Noted | None = None,
) -> Trees:
    """Find the trees of final distances on the device by the edges that leave each vertex.

    Parameters
    ----------
    job : Job
    edges : OutEdges
    arithmetic : Arithmetic
        That of `edges`.
    dist, sources, zero_progress_only
        As for :func:`find_trees`, in the user's order.
    noted : Noted, optional
        What the search knows of them already.
    """
    n, m, rows = edges.n, edges.m, len(sources)
    at_once = job.device.steps_at_once
    run, group = (min(_CPU_RUN, at_once), 1) if job.device.kind == "cpu" else (1, GROUP_SIZE)
    macros = {
        "ZERO_PROGRESS_ONLY": int(zero_progress_only),
        "RUN": run,
        "ATOMIC_LOADS": int(not job.device.loads_are_atomic),
        **edges.macros,
        **arithmetic.macros,
    }
    vertices = even(0, n, GROUP_SIZE, n * rows, at_once)

    def launch(name: str, *args: cl.Buffer | np.generic) -> None:
        kernel = job.device.kernel(_OUTGOING, name, **macros)
        job.launch(kernel, (n, rows), (GROUP_SIZE, 1), *args, np.uint32(n), slices=vertices)

    if noted is not None:
        predecessors, counts = noted
    else:
        predecessors = job.full(rows * n, np.int32(constants(_OUTGOING)["NOT_YET"]))
        counts = job.full(2, np.uint32(0))
        if m > 0:
            runs = -(-m // run)
            kernel = job.device.kernel(_OUTGOING, "resolve_progress", **macros)
            args = (edges.first_edge, edges.edges, dist, predecessors, counts)
            slices = even(0, runs, group, m * rows, at_once)
            job.launch(kernel, (runs, rows), (group, 1), *args, np.uint64(m), np.uint32(n), slices=slices)
        launch("count_unresolved", dist, predecessors, counts)
    starts = {row * n + vertex for row, some in enumerate(sources) for vertex in some}
    left, overflowed = map(int, job.download(counts, 2, np.uint32))
    unresolved = 0
    if left > len(starts):
        levels = job.allocate(rows * n, np.uint32)
        launch("start_levels", predecessors, levels)
        start = job.device.kernel(_OUTGOING, "start_at_sources", **macros)
        slots = job.upload(np.array(sorted(starts), np.uint64), keep=False)
        job.launch(start, len(starts), GROUP_SIZE, slots, levels, np.uint32(len(starts)))
        launch("reopen_unresolved", levels, predecessors)
        rounds = Rounds(job)
        resolve = job.device.kernel(_OUTGOING, "resolve_level", **macros)
        buffers = (edges.first_edge, edges.edges, dist, predecessors, levels, rounds.updates)
        numbers = (np.uint32(0), np.uint32(0), np.uint32(n))
        sizes = (n, rows), (GROUP_SIZE, 1)
        level_pass = job.bind(
            resolve, *sizes, *buffers, *numbers, slices=even(0, n, GROUP_SIZE, (n + m) * rows, at_once)
        )

        def queue_level(number: int) -> None:
            level_pass.set("phase", np.uint32(number % 3))
            level_pass.set("level", np.uint32(number))
            level_pass.queue()

        most = min(n + 1, _CPU_LEVELS) if job.device.kind == "cpu" else n + 1
        _, is_done = rounds.run(queue_level, limit=most)
        if not is_done:
            _resolve_in_order(job, edges, arithmetic, (dist, predecessors, levels), rows, most)
        job.fill(counts, 2, np.uint32(0))
        launch("count_unresolved", dist, predecessors, counts)
        unresolved = int(job.download(counts, 2, np.uint32)[0])
    return Trees(predecessors, rows, bool(overflowed), unresolved)


def _resolve_in_order(
    job: Job, edges: OutEdges, arithmetic: Arithmetic, state: Sequence[cl.Buffer], rows: int, level: int
) -> None:
    """Resolve the hop levels from this one on, one vertex after the other."""
    workers, layout = min(rows, job.device.compute_units), constants(_IN_ORDER)
    kernel = job.device.kernel(_IN_ORDER, "resolve_rows", **edges.macros, **arithmetic.macros)
    counters = job.full(layout["COUNTERS"], np.uint32(0))
    searches = job.full(workers * layout["SEARCH_WORDS"], np.uint32(0))
    own = (job.allocate(workers * edges.n, np.uint32), searches, counters)
    numbers = (np.uint32(level), np.uint64(0), np.uint32(edges.n), np.uint32(rows))
    launch = job.bind(kernel, workers, 1, edges.first_edge, edges.edges, *state, *own, *numbers)
    take_rows(job, launch, counters, rows, Pace(_FIRST_BUDGET))
