"""Shortest-path trees from final distances, the same on every device (cl/predecessors.cl)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyopencl as cl

from reedsp.device import Job
from reedsp.device_graph import DeviceGraph
from reedsp.rounds import PASSES, Rounds

GROUP_SIZE = 64
_UNRESOLVED = 0xFFFFFFFF
_LEVEL_ARGUMENT = 10  # of resolve_level


def shortest_path_tree(
    job: Job, graph: DeviceGraph, dist: cl.Buffer, source: int, zero_progress_only: bool
) -> tuple[npt.NDArray[np.int32], int, int]:
    """Return the predecessor of each vertex for final distances on the device.

    Parameters
    ----------
    job : Job
    graph : DeviceGraph
    dist : pyopencl.Buffer, shape (n,)
        Final distances in the graph's arithmetic and device order.
    source : int
        Device number of the source.
    zero_progress_only : bool
        Resolve every tight edge by hop level: needed if the graph has negative weights.

    Returns
    -------
    predecessors : ndarray of int32, shape (n,)
        In device order and device numbers; NO_VERTEX for the source and unreachable vertices.
    overflowed : int
        Number of vertices whose every path weight lies beyond the arithmetic's range.
    unresolved : int
        Number of reached vertices without a predecessor; 0 unless floating-point rounding has left a vertex
        whose distance no longer follows from the source's.
    """
    n = graph.n
    macros = {"ZERO_PROGRESS_ONLY": int(zero_progress_only), **graph.arithmetic.macros}
    first_pass = job.device.kernel("predecessors.cl", "resolve_progress", **macros)
    one_level = job.device.kernel("predecessors.cl", "resolve_level", **macros)
    edges = (graph.edge_weights, graph.edge_sources, graph.edge_counts, graph.vertex_edge_index)
    predecessors = job.allocate(n, np.int32)
    levels = [job.allocate(n, np.uint32), job.allocate(n, np.uint32)]
    counts = job.upload(np.zeros(2, np.uint32))

    job.launch(
        first_pass, n, GROUP_SIZE, *edges, dist, predecessors, levels[0], counts, np.uint32(source), np.uint32(n)
    )
    unresolved, overflowed = map(int, job.download(counts, 2, np.uint32))
    if unresolved:
        rounds = Rounds(job)
        passes = []
        for number in range(PASSES):
            buffers = (levels[number % 2], levels[(number + 1) % 2], rounds.updates)
            numbers = (np.uint32(number % 3), np.uint32(0), np.uint32(n))
            passes.append(job.bind(one_level, n, GROUP_SIZE, *edges, dist, predecessors, *buffers, *numbers))

        def queue_level(level: int) -> None:
            kernel = passes[level % PASSES]
            kernel.set(_LEVEL_ARGUMENT, np.uint32(level))
            kernel.queue()

        rounds.run(queue_level, limit=n + 1)
    result = job.download(predecessors, n, np.int32)
    if unresolved:
        final_levels = job.download(levels[0], n, np.uint32)
        reached = job.download(dist, n, graph.arithmetic.dtype) != graph.arithmetic.infinity
        unresolved = int(np.count_nonzero(reached & (final_levels == _UNRESOLVED)))
    return result, overflowed, unresolved
