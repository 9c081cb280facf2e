"""Components by the matrix of a graph: Dulle's thesis, Algorithm 18 (cl/components/dulle.cl)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from reedsp.device.dispatch import even
from reedsp.device.job import Argument, BoundKernel, Job
from reedsp.graph.graph import Graph, edge_sources

_FILE = "components/dulle.cl"
_GROUP_SIZE = 64
LARGEST = 1 << 15
"""Vertices: their matrix takes 1 GiB then."""


def label_by_matrix(job: Job, graph: Graph, labels: npt.NDArray[np.int32]) -> tuple[int, int]:
    """Write the number of the component of each vertex, in the order of their smallest vertices.

    Parameters
    ----------
    job : Job
    graph : Graph
        With at least one vertex; edges are taken in both directions.
    labels : ndarray, shape (n,)

    Returns
    -------
    count : int
        Components.
    rounds : int
        ceil(log2(n)), which the thesis takes for enough, and which is.

    Raises
    ------
    ValueError
        The graph has more than LARGEST vertices.
    """
    n = graph.n
    if n > LARGEST:
        raise ValueError(f"method: 'dulle' takes a matrix of at most {LARGEST:,} vertices, the graph has {n:,}")
    matrix = np.zeros((n, n), np.uint8)
    sources = edge_sources(graph)
    matrix[sources, graph.indices] = matrix[graph.indices, sources] = 1
    adjacent = job.upload(matrix)
    components, targets, copied = (job.allocate(n, np.int32) for _ in range(3))
    group = 1 if job.device.kind == "cpu" else min(_GROUP_SIZE, job.device.max_work_group_size)

    def bind(name: str, *args: Argument, steps: int = 1) -> BoundKernel:
        slices = even(0, n, group, n * steps, job.device.steps_at_once)
        return job.bind(job.device.kernel(_FILE, name), n, group, *args, np.uint32(n), slices=slices)

    jump, keep = bind("pointer_jump", copied, components), bind("copy", components, copied)
    step = (
        bind("step_1", adjacent, components, targets, steps=n),
        bind("step_2", components, targets, copied, steps=n),
        bind("copy", targets, copied),
        bind("step_3a", components, targets),
        jump,
        bind("step_3b", components, copied),
    )
    rounds = (n - 1).bit_length()
    job.phases.begin("search")
    bind("init", components).queue()
    for _ in range(rounds):
        for kernel in (*step, *[jump, keep] * rounds):
            kernel.queue()
    job.finish()
    job.phases.begin("download")
    smallest = job.download(components, n, np.int32)
    is_smallest = smallest == np.arange(n)
    labels[:] = (np.cumsum(is_smallest) - 1)[smallest]
    return int(is_smallest.sum()), rounds
