"""A graph in the memory of a device, in the five arrays of the thesis."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.device import Device, Job
from reedsp.exactness import Arithmetic
from reedsp.graph import Graph

NO_VERTEX = -9999
"""Predecessor of a vertex that has none, as in SciPy."""


class DeviceGraph:
    """The edges of a graph on a device, sorted by the vertex that they end at (thesis section 5.3.1).

    Use :meth:`of`, which keeps one copy per graph, device, arithmetic and order for as long as the graph lives.

    Attributes
    ----------
    edge_weights : pyopencl.Buffer of the arithmetic's dtype, shape (m,)
    edge_sources : pyopencl.Buffer of int32, shape (m,)
        Sources of the edges, in device numbers; within one vertex they ascend in the *user's* numbers.
    edge_counts : pyopencl.Buffer of uint32, shape (n,)
    vertex_edge_index : pyopencl.Buffer of uint64, shape (n,)
    number_of : ndarray of int32, shape (n,)
        Device number of each vertex.
    vertex_of : ndarray of int32, shape (n,)
        Vertex of each device number.

    The fifth array, the path weights, belongs to each solution.
    """

    def __init__(self, graph: Graph, job: Job, arithmetic: Arithmetic, in_degree_order: bool) -> None:
        indptr, sources, weights = graph.in_edges()
        counts = np.diff(indptr)
        self.n, self.m = graph.n, graph.m
        self.arithmetic = arithmetic
        if in_degree_order:
            self.vertex_of = np.argsort(-counts, kind="stable").astype(np.int32)
            self.number_of = np.empty(self.n, np.int32)
            self.number_of[self.vertex_of] = np.arange(self.n, dtype=np.int32)
            counts = counts[self.vertex_of]
            starts = np.cumsum(counts) - counts
            edges = np.arange(self.m) + np.repeat(indptr[self.vertex_of] - starts, counts)
            sources, weights = self.number_of[sources[edges]], weights[edges]
        else:
            self.vertex_of = self.number_of = np.arange(self.n, dtype=np.int32)
            starts = indptr[:-1]
        self.edge_weights = job.upload(weights.astype(arithmetic.dtype, copy=False))
        self.edge_sources = job.upload(sources)
        self.edge_counts = job.upload(counts.astype(np.uint32))
        self.vertex_edge_index = job.upload(starts.astype(np.uint64))

    @classmethod
    def of(cls, graph: Graph, job: Job, arithmetic: Arithmetic, in_degree_order: bool = True) -> DeviceGraph:
        """Return this graph on the job's device, copied there only once."""
        copies: dict[tuple[Device, Arithmetic, bool], DeviceGraph] = graph._derived.setdefault("device_graphs", {})
        key = (job.device, arithmetic, in_degree_order)
        if key not in copies:
            copies[key] = cls(graph, job, arithmetic, in_degree_order)
        return copies[key]

    def to_device_order(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Reorder one value a vertex from the user's order to the device's."""
        return values[self.vertex_of]

    def to_user_order(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Reorder one value a vertex from the device's order to the user's."""
        return values[self.number_of]

    def to_vertices(self, numbers: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
        """Translate device numbers to vertices; NO_VERTEX stays."""
        return np.where(numbers >= 0, self.vertex_of[np.maximum(numbers, 0)], np.int32(NO_VERTEX))

    def to_numbers(self, vertices: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
        """Translate vertices to device numbers; NO_VERTEX stays."""
        return np.where(vertices >= 0, self.number_of[np.maximum(vertices, 0)], np.int32(NO_VERTEX))
