"""Searches in a hierarchy by work-items alone, each for a batch of sources (batches.cl): the form for CPUs."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyopencl as cl

from reedsp.algorithms.contraction.core import ranges
from reedsp.algorithms.contraction.exact import infinity_of
from reedsp.algorithms.contraction.hierarchy import Hierarchy
from reedsp.algorithms.contraction.resident import ResidentEdges, result_macros, uploaded
from reedsp.algorithms.contraction.sweep import Sweep, sweep_to_all
from reedsp.arithmetic.paths import Arithmetic
from reedsp.device.build import constants
from reedsp.device.job import Job, Memory

_FILE = "contraction/batches.cl"


class Batches:
    """A hierarchy on a device, each of whose work-items searches by itself.

    Parameters
    ----------
    hierarchy : Hierarchy
    job : Job
        Which copies it there.
    """

    def __init__(self, hierarchy: Hierarchy, job: Job) -> None:
        self._hierarchy = hierarchy
        self._n: int = len(hierarchy.vertices)
        self._dtype: np.dtype[Any] = hierarchy.up.weights.dtype
        self._most_edges = 2 * len(hierarchy.rounds)
        up, down = hierarchy.up, hierarchy.down
        self._up = uploaded(up.first, up.higher, up.weights, job)
        self._down = uploaded(down.first, down.higher, down.weights, job)
        self._all = _Swept(hierarchy, sweep_to_all(hierarchy), job, self._down)
        infinity = self._dtype.type(infinity_of(self._dtype))
        above, scratch = job.allocate(2 * self._n, self._dtype), job.allocate(6 * self._n, np.int32)
        self._between = above, scratch
        job.fill(above, 2 * self._n, infinity)

    def rows(
        self,
        job: Job,
        sources: npt.NDArray[np.int32],
        arithmetic: Arithmetic,
        results: Memory,
        sweep: Sweep | None = None,
    ) -> None:
        """Queue the search for the distances from some sources.

        Parameters
        ----------
        job : Job
        sources : ndarray of int32, shape (rows,)
            Their ranks; at least one.
        arithmetic : Arithmetic
            Type of the distances, which holds all of them.
        results : memory, shape (rows, targets)
            For the distances.
        sweep : Sweep, optional
            By default to all vertices of the graph, in its order.
        """
        here = self._all if sweep is None else _Swept(self._hierarchy, sweep, job)
        n, rows, device, lanes = self._n, len(sources), job.device, constants(_FILE)["LANES"]
        size = here.count * lanes * self._dtype.itemsize
        workers = max(1, min(device.compute_units, -(-rows // lanes), device.max_allocation // size))
        kernel = device.kernel(_FILE, "solve_batches", **result_macros(self._hierarchy, arithmetic))
        above, heap = job.allocate(workers * n, self._dtype), job.allocate(workers * n, np.int32)
        job.fill(above, workers * n, self._dtype.type(infinity_of(self._dtype)))
        dist = job.allocate(workers * here.count * lanes, self._dtype)
        is_set = job.full(workers * here.count, np.uint8(0))
        sizes = np.uint32(n), np.uint32(here.count), np.uint32(here.target_count)
        ranks = job.upload(sources, keep=False)
        buffers = (*self._up, *here.edges, here.index_of, here.targets, ranks, results, above, heap, dist, is_set)
        for first in range(0, rows, workers * lanes):
            job.launch(kernel, workers, 1, *buffers, *sizes, np.uint32(first), np.uint32(rows))
            job.add_steps(lanes * (here.count + here.edge_count))

    def meet(self, job: Job, source: int, target: int) -> tuple[int, list[int], list[int]]:
        """Return a shortest path from one rank to another.

        Returns
        -------
        weight : int
            In units; -1 if there is no path.
        up, down : list of int
            Indices of edges, in the order of the path.
        """
        meeting, weight = job.allocate(3 + self._most_edges, np.int32), job.allocate(1, self._dtype)
        kernel = job.device.kernel(_FILE, "meet", **result_macros(self._hierarchy, Arithmetic(self._dtype)))
        ends = np.uint32(self._n), np.int32(source), np.int32(target)
        job.launch(kernel, 1, 1, *self._up, *self._down, *self._between, meeting, weight, *ends)
        highest, ups, downs, *edges = job.download(meeting, 3 + self._most_edges, np.int32).tolist()
        found = int(job.download(weight, 1, self._dtype)[0])
        if highest < 0:
            return -1, [], []
        return found, edges[:ups][::-1], edges[ups : ups + downs]


class _Swept:
    """The vertices of a sweep, and the edges between them, one after the other on a device."""

    def __init__(self, hierarchy: Hierarchy, sweep: Sweep, job: Job, edges: ResidentEdges | None = None) -> None:
        down, members = hierarchy.down, sweep.members
        self.count, self.target_count = len(members), len(sweep.targets)
        degrees = np.diff(down.first)[members]
        self.edge_count = int(degrees.sum())
        index_of = np.full(len(hierarchy.vertices), -1, np.int32)
        index_of[members] = np.arange(self.count)
        if edges is None:
            chosen = ranges(down.first, members)
            first = np.concatenate(([0], degrees.cumsum()))
            edges = uploaded(first, index_of[down.higher[chosen]], down.weights[chosen], job)
        self.edges = edges
        self.index_of: cl.Buffer = job.upload(index_of)
        self.targets: cl.Buffer = job.upload(index_of[sweep.targets])
