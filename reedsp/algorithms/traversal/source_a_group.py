"""Breadth-first search from many sources on GPUs, one work-group a row (cl/traversal/bfs_rows.cl)."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.device.build import constants
from reedsp.device.device import Device
from reedsp.device.iterate import Pace, take_rows
from reedsp.device.job import Job
from reedsp.edges.device_graph import Neighbours
from reedsp.edges.statistics import RowStatistics, add_up_levels
from reedsp.graph.graph import Graph
from reedsp.system.progress_bar import Report, of_a_search, report_done

_FILE = "traversal/bfs_rows.cl"
_GROUP_SIZE = 512
GROUPS_PER_COMPUTE_UNIT = 8
_FIRST_BUDGET = 1 << 22  # edges that a work-group looks at
_PART_OF_MEMORY = 0.125  # for levels and predecessors, and for queues
_MOST_BYTES = 1 << 33  # of levels and predecessors: with more a batch keeps the host waiting


def search_rows(
    graph: Graph,
    sources: Sequence[int],
    answers: npt.NDArray[np.int32] | None,
    job: Job,
    progress: Report | None,
    group_size: int | None = None,
    statistics: RowStatistics | None = None,
) -> dict[str, Any]:
    """Fill `answers`, levels and predecessors from each source, as many sources at once as fit into memory.

    Parameters
    ----------
    graph : Graph
    sources : sequence of int
    answers : ndarray of int32, shape (len(sources), 2, graph.n), optional
    job : Job
    progress : callable(done, most), optional
    group_size : int, optional
        Work-items of a work-group.
    statistics : RowStatistics, optional
        Of the levels; filled.

    Returns
    -------
    dict
        What is to be reported: the time without that of results on their way back, and levels found bottom-up, of which
        there are none.
    """
    n, count, searching = graph.n, len(sources), 0.0
    size = _GROUP_SIZE if group_size is None else group_size
    started = time.perf_counter()
    edges = Neighbours.of(graph, job, incoming=False)
    most = rows_at_once(job.device, n)
    groups = min(count, most, job.device.compute_units * GROUPS_PER_COMPUTE_UNIT)
    layout = constants(_FILE)
    kernel = job.device.kernel(_FILE, "search_rows", GROUP_SIZE=size, **edges.macros)
    found, queues = job.allocate(min(count, most) * 2 * n, np.int32), job.allocate(groups * n, np.uint32)
    for first in range(0, count, most):
        starts = np.array(sources[first : first + most], np.uint32)
        counters = job.full(layout["COUNTERS"], np.uint32(0))
        launch = job.bind(
            *(kernel, groups * size, size, edges.first_edge, edges.vertices),
            *(job.upload(starts, keep=False), found, queues, counters),
            job.full(groups * layout["PAUSED_WORDS"], np.uint32(0)),
            *(np.uint64(0), np.uint32(n), np.uint32(len(starts))),
        )
        report = of_a_search(progress, first, count)
        take_rows(
            *(job, launch, counters, len(starts), Pace(_FIRST_BUDGET)),
            None if report is None else lambda levels, report=report: report(min(levels, n), n),  # type: ignore[misc]
        )
        searching += time.perf_counter() - started
        with job.phases.within("download"):
            if answers is not None:
                job.download_into(answers[first : first + most], found)
            if statistics is not None:
                add_up_levels(job, found, n, statistics.part(slice(first, first + most)))
        report_done(progress, first + len(starts), count)
        started = time.perf_counter()
    return {"search_milliseconds": 1e3 * searching, "bottom_up_levels": 0}


def rows_at_once(device: Device, n: int) -> int:
    """Return from how many sources at once a graph of n vertices is searched."""
    most = min(int(_PART_OF_MEMORY * device.global_memory), device.max_allocation, _MOST_BYTES)
    return max(1, most // (2 * 4 * max(1, n)))
