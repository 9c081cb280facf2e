"""What searches do, counted by kernels that are built to (cl/single_source/counted.cl)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyopencl as cl

from reedsp import Graph
from reedsp.algorithms.single_source import bellman_ford_groups, dijkstra_array, dijkstra_heap
from reedsp.arithmetic.paths import choose_arithmetic
from reedsp.device.build import constants
from reedsp.device.device import Device
from reedsp.device.job import Job
from reedsp.edges.device_graph import DeviceGraph, OutEdges

_LAYOUT = constants("single_source/counted.cl")
_INT64 = np.dtype(np.int64)


@dataclass(frozen=True)
class Counts:
    """What a program did, in the words of the paper's section II, over all sources.

    Attributes
    ----------
    operations : int
        T1: additions and comparisons of path weights.
    span : int
        T-infinity: those of the longest chain of operations that wait for each other. Sources do not.
    accesses : int
        M: of global memory; what neighbours access together counts once.
    extractions, insertions : int
        Minima that were taken out; distances that were lowered.
    """

    operations: int
    span: int
    accesses: int
    extractions: int
    insertions: int


def count_heap(graph: Graph, device: Device, sources: Sequence[int], arity: int = 2) -> Counts:
    """Count what Dijkstra's algorithm with a heap does, a work-item a source (section III.B)."""
    job, arithmetic = Job(device), choose_arithmetic(graph, _INT64)
    counts = _zeros(job, len(sources))
    edges, starts = OutEdges.of(graph, job, arithmetic), [[source] for source in sources]
    dijkstra_heap.search(job, edges, arithmetic, starts, arity=arity, counts=counts)
    return _counted(job, counts, len(sources), 1)


def count_array(
    graph: Graph, device: Device, sources: Sequence[int], group_size: int, local_memory: bool = False
) -> Counts:
    """Count what Dijkstra's algorithm with an array does, a work-group a source (section III.C).

    With `local_memory` the array lies there (section V.A).
    """
    job, arithmetic = Job(device), choose_arithmetic(graph, _INT64)
    counts = _zeros(job, len(sources) * group_size)
    options = {"group_size": group_size, "local_memory": local_memory}
    edges, starts = OutEdges.of(graph, job, arithmetic), [[source] for source in sources]
    dijkstra_array.search(job, edges, arithmetic, starts, counts=counts, **options)
    return _counted(job, counts, len(sources), group_size)


def count_bellman_ford(
    graph: Graph, device: Device, sources: Sequence[int], group_size: int, local_memory: bool
) -> Counts:
    """Count what Bellman-Ford does, a work-group a source (section III.D): no minima, and no access together.

    Its span is not counted. With `local_memory` path weights lie there (section V.A).
    """
    job, arithmetic = Job(device), choose_arithmetic(graph, _INT64)
    counts = _zeros(job, len(sources) * group_size)
    on_device, starts = DeviceGraph.of(graph, job, arithmetic, in_degree_order=False), [[each] for each in sources]
    options = {"group_size": group_size, "local_memory": local_memory}
    bellman_ford_groups.search(job, on_device, starts, arithmetic.infinity, False, counts=counts, **options)
    return _counted(job, counts, len(sources), group_size)


def _zeros(job: Job, places: int) -> cl.Buffer:
    return job.full(places * _LAYOUT["COUNTED"], np.uint64(0))


def _counted(job: Job, counts: cl.Buffer, rows: int, group_size: int) -> Counts:
    shape = rows, group_size, _LAYOUT["COUNTED"]
    words = job.download(counts, rows * group_size * _LAYOUT["COUNTED"], np.uint64).reshape(shape)
    of_rows: npt.NDArray[np.uint64] = words.sum(axis=1)
    total = of_rows.sum(axis=0)
    return Counts(
        **{name: int(total[_LAYOUT[name.upper()]]) for name in ("operations", "accesses", "extractions", "insertions")},
        span=int(of_rows[:, _LAYOUT["SPAN"]].max(initial=0)),
    )
