"""Breadth-first search of deep graphs: near-far along edges of weight 1, and the tree of it (cl/traversal/deep.cl).

A level of a road network keeps one work-group busy for a moment, and there are a thousand of them. Near-far searches
many at a time in each work-group, and what it finds too far away it finds again.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import pyopencl as cl

from reedsp.algorithms.single_source.near_far_work_group import Search, tuning_for
from reedsp.arithmetic.paths import Arithmetic
from reedsp.device.job import Job
from reedsp.edges.balance import FEW_EDGES
from reedsp.edges.device_graph import UnitEdges, largest_degree
from reedsp.graph.graph import Graph
from reedsp.system.progress_bar import Report

_FILE = "traversal/deep.cl"
_GROUP_SIZE = 64
_ARITHMETIC = Arithmetic(np.dtype(np.int32))
_GROUPS_PER_COMPUTE_UNIT, _LOCAL_ROUNDS, _LEVELS = 2, 64, 64.0  # of near-far
_FIRST_LAUNCHES = 4
_SMALL_LEVELS = 4  # work-groups' worth of vertices: in a graph that is not deep a level has more after these launches


def suits(graph: Graph) -> bool:
    """Return whether no vertex has many edges, and the graph was not found to have large levels."""
    few = graph.m <= FEW_EDGES * graph.n and largest_degree(graph) <= FEW_EDGES
    return few and bool(graph._derived.get("is_deep", True))


class DeepSearch:
    """Searches from one source after the other.

    Attributes
    ----------
    levels : pyopencl.Buffer of int32, shape (n,)
        -1 where there is no path.
    predecessors : pyopencl.Buffer of int32, shape (n,)
    """

    def __init__(self, graph: Graph, job: Job) -> None:
        self._graph, self._job, n = graph, job, np.uint32(graph.n)
        self._edges = UnitEdges(graph, job)
        tuning = tuning_for(job.device, self._edges, 1, "low-degree")
        groups = _GROUPS_PER_COMPUTE_UNIT * job.device.compute_units
        self._tuning = dataclasses.replace(tuning, groups=groups, local_rounds=_LOCAL_ROUNDS, delta=_LEVELS)
        self.levels: cl.Buffer = job.allocate(graph.n, np.int32)
        self.predecessors: cl.Buffer = job.allocate(graph.n, np.int32)
        width = self._tuning.balance.units_at_once
        macros = {"WIDTH": width, **self._edges.macros, **_ARITHMETIC.macros}
        self._begin, self._finish = (job.device.kernel(_FILE, name, **macros) for name in ("begin", "finish"))
        self._padded = self._edges.padded(job, width)
        self._size = n

    def run(self, source: int, progress: Report | None, always: bool) -> bool:
        """Search to the end, if the graph is deep or `always` is true; return whether that was so."""
        job, n = self._job, self._graph.n
        search = Search(job, self._edges, _ARITHMETIC, [[source]], self._tuning)
        if not always and "is_deep" not in self._graph._derived:
            waiting = search.begin(_FIRST_LAUNCHES, 1)
            if waiting > 0:
                self._graph._derived["is_deep"] = waiting <= _SMALL_LEVELS * self._tuning.group_size
            if waiting > _SMALL_LEVELS * self._tuning.group_size:
                return False
        search.run(progress)
        job.launch(self._begin, n, _GROUP_SIZE, search.dist, self.levels, self.predecessors, self._size)
        job.launch(self._finish, n, _GROUP_SIZE, self._padded, self.levels, self.predecessors, self._size)
        return True
