"""A graph in the memory of a device, in the five arrays of the thesis."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyopencl as cl

from reedsp.arithmetic.paths import Arithmetic
from reedsp.arithmetic.types import C_TYPES
from reedsp.device.device import Device
from reedsp.device.dispatch import Slices, by_counts
from reedsp.device.job import Job, Memory
from reedsp.edges.preparation import EdgeBuffers, Facts, Preparation
from reedsp.edges.preparation_check import can_prepare
from reedsp.graph.graph import Graph

_SAMPLE = 1024  # weights
_SMALL_GROUP = 64

NO_VERTEX = -9999
"""Predecessor of a vertex that has none, as in SciPy."""
UNREACHED = -1
"""Level of a vertex that no path leads to."""


class DeviceGraph:
    """The edges of a graph on a device, sorted by the vertex that they end at (thesis section 5.3.1).

    Use :meth:`of`, which keeps one copy per graph, device, arithmetic and order for as long as the graph lives.

    Attributes
    ----------
    edge_weights : pyopencl.Buffer of the arithmetic's dtype, shape (m,)
    edge_sources : pyopencl.Buffer of int32, shape (m,)
        Sources of the edges, in device numbers; within one vertex they ascend in the *user's* numbers.
    edge_counts : pyopencl.Buffer of uint32, shape (n,)
    max_edge_count : int
    vertex_edge_index : pyopencl.Buffer of uint64, shape (n,)
    reordered : bool
        Whether the device numbers vertices in another order than the user.
    number_of : ndarray of int32, shape (n,)
        Device number of each vertex.
    vertex_of : ndarray of int32, shape (n,)
        Vertex of each device number.

    The fifth array, the path weights, belongs to each solution.
    """

    def __init__(self, graph: Graph, job: Job, arithmetic: Arithmetic, in_degree_order: bool) -> None:
        indptr, sources, weights = graph.in_edges()
        counts = np.diff(indptr)
        self.n: int = graph.n
        self.m: int = graph.m
        self.reordered = in_degree_order
        self.arithmetic = arithmetic
        self.vertex_of: npt.NDArray[np.int32]
        self.number_of: npt.NDArray[np.int32]
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
        self.max_edge_count: int = int(counts.max(initial=0))
        self._counts = counts
        self._steps_at_once = job.device.steps_at_once
        self._slices: dict[tuple[int, int], Slices] = {}
        self._edge_targets: cl.Buffer | None = None
        self.edge_weights: cl.Buffer = job.upload(weights.astype(arithmetic.dtype, copy=False))
        self.edge_sources: cl.Buffer = job.upload(sources)
        self.edge_counts: cl.Buffer = job.upload(counts.astype(np.uint32))
        self.vertex_edge_index: cl.Buffer = job.upload(starts.astype(np.uint64))

    def edge_targets(self, job: Job) -> cl.Buffer:
        """Return the ends of the edges, of int32 and shape (m,), copied to the device at the first call."""
        if self._edge_targets is None:
            self._edge_targets = job.upload(np.repeat(np.arange(self.n, dtype=np.int32), self._counts))
        return self._edge_targets

    def slices(self, group_size: int, rows: int = 1) -> Slices:
        """Return how to cut a launch that takes the edges that end at each vertex, in each of some rows."""
        key = (group_size, rows)
        if key not in self._slices:
            self._slices[key] = by_counts(self._counts, self.m, group_size, rows, self._steps_at_once)
        return self._slices[key]

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
        """Reorder one value a vertex, the last axis, from the device's order to the user's."""
        return values[..., self.number_of] if self.reordered else values

    def to_vertices(self, numbers: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
        """Translate device numbers to vertices; NO_VERTEX stays."""
        if not self.reordered:
            return numbers
        return np.where(numbers >= 0, self.vertex_of[np.maximum(numbers, 0)], np.int32(NO_VERTEX))

    def to_numbers(self, vertices: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
        """Translate vertices to device numbers; NO_VERTEX stays."""
        return np.where(vertices >= 0, self.number_of[np.maximum(vertices, 0)], np.int32(NO_VERTEX))


class OutEdges:
    """The edges of a graph on a device, sorted by the vertex that they leave (cl/core/out_edges.cl).

    Use :meth:`of`, which keeps one copy per graph, device and arithmetic for as long as the graph lives.

    Attributes
    ----------
    n, m : int
    max_degree : int
        The most edges that leave a vertex.
    mean_degree : float
    typical_weight : float
        Median of the positive weights in a sample: a few huge ones leave it as it is. 1 if there are none.
    heaviest : int or float
        Largest magnitude of a weight.
    first_edge : pyopencl.Buffer of uint32, or of uint64 if there are 2^32 edges or more, shape (n + 1,)
        Index of the first edge that leaves each vertex, then m.
    edges : pyopencl.Buffer of pairs (int32 target, weight in the arithmetic's dtype), aligned as in C, shape (m,)
    edge_bytes : int
        Size of such a pair.
    macros : dict
        Those of ``cl/core/out_edges.cl`` beside the arithmetic's.
    known : dict
        What searches have found out about the graph.
    """

    def __init__(self, graph: Graph, job: Job, arithmetic: Arithmetic, buffers: EdgeBuffers | None = None) -> None:
        self.known = graph._derived
        self.n: int = graph.n
        self.m: int = graph.m
        if buffers is None:
            buffers = _edges_of(graph, job, arithmetic)
        self._buffers = buffers
        self._arithmetic = arithmetic
        self._padded: dict[int, cl.Buffer] = {}
        self.edge_bytes: int = 2 * arithmetic.dtype.itemsize
        self.macros: dict[str, str | int] = buffers.macros
        self.first_edge: cl.Buffer = buffers.first_edge
        self.edges: cl.Buffer = buffers.edges
        self.mean_degree: float = graph.m / max(1, graph.n)
        sample = graph.weights[:: max(1, graph.m // _SAMPLE)]
        positive = np.sort(sample[sample > 0])
        self.typical_weight: float = float(positive[len(positive) // 2]) if len(positive) else 1.0
        self.heaviest: int | float = graph.max_abs_weight
        self.max_degree: int = buffers.facts.longest

    @classmethod
    def of(cls, graph: Graph, job: Job, arithmetic: Arithmetic) -> OutEdges:
        """Return the edges of this graph on the job's device, copied there only once."""
        copies: dict[tuple[Device, Arithmetic], OutEdges] = graph._derived.setdefault("out_edges", {})
        key = (job.device, arithmetic)
        if key not in copies:
            copies[key] = cls(graph, job, arithmetic)
        return copies[key]

    def padded(self, job: Job, width: int) -> cl.Buffer:
        """Return the edges with room for `width` of each vertex, written at the first call (cl/edges/pad.cl)."""
        if width not in self._padded:
            self._padded[width] = _padded(self, job, width, self._arithmetic, unit=False)
        return self._padded[width]

    @classmethod
    def keep(cls, graph: Graph, job: Job, arithmetic: Arithmetic, buffers: EdgeBuffers) -> None:
        """Have :meth:`of` return edges that were prepared before the graph was made."""
        graph._derived.setdefault("out_edges", {})[job.device, arithmetic] = cls(graph, job, arithmetic, buffers)


def _edges_of(graph: Graph, job: Job, arithmetic: Arithmetic) -> EdgeBuffers:
    """Return the edges on the device, written by it, or by the host if the device does it wrong."""
    dtypes = graph.indptr.dtype, graph.indices.dtype, graph.weights.dtype
    fits = job.device.fp64 or graph.weights.dtype != np.float64
    if fits and can_prepare(job.device, dtypes, arithmetic):
        preparation = Preparation(job, graph.indptr, graph.indices, graph.weights, arithmetic)
        buffers = preparation.edges()
        preparation.close()
        return buffers
    first_edge, macros = _offsets(graph.indptr, graph.m)
    edges = np.empty(graph.m, np.dtype([("target", np.int32), ("weight", arithmetic.dtype)], align=True))
    edges["target"], edges["weight"] = graph.indices, graph.weights
    facts = Facts(True, graph.has_integral_weights, 0, 0, 0.0, int(np.diff(graph.indptr).max(initial=0)))
    return EdgeBuffers(job.upload(first_edge), job.upload(edges), macros, facts)


class Neighbours:
    """The edges of a graph on a device without their weights, sorted by one end.

    Use :meth:`of`, which keeps one copy per graph, device and direction for as long as the graph lives.

    Attributes
    ----------
    n, m : int
    first_edge : pyopencl.Buffer of uint32, or of uint64 if there are 2^32 edges or more, shape (n + 1,)
        Index of the first neighbour of each vertex, then m.
    vertices : pyopencl.Buffer or pyopencl.SVM of int32, shape (m,)
        The vertices at the other ends of the edges, in ascending order for each vertex.
    macros : dict
        OFFSET, the OpenCL C type of `first_edge`.
    """

    def __init__(self, graph: Graph, job: Job, incoming: bool) -> None:
        self.n: int = graph.n
        self.m: int = graph.m
        indptr, vertices = graph._in_neighbors() if incoming else (graph.indptr, graph.indices)
        self.macros: dict[str, str | int]
        first_edge, self.macros = _offsets(indptr, graph.m)
        self.first_edge: cl.Buffer = job.upload(first_edge)
        self.vertices: Memory = job.reads(vertices)

    @classmethod
    def of(cls, graph: Graph, job: Job, incoming: bool) -> Neighbours:
        """Return the successors of each vertex, or the predecessors, on the job's device, copied there only once."""
        copies: dict[tuple[Device, bool], Neighbours] = graph._derived.setdefault("neighbours", {})
        key = (job.device, incoming and graph.directed)
        if key not in copies:
            copies[key] = cls(graph, job, incoming)
        return copies[key]

    @staticmethod
    def are_there(graph: Graph, device: Device, incoming: bool) -> bool:
        """Return whether they are on a device already."""
        return (device, incoming and graph.directed) in graph._derived.get("neighbours", {})


class UnitEdges:
    """The edges of a graph on a device as if each weighed 1, for searches that read them padded.

    Attributes
    ----------
    n, m, max_degree, mean_degree, typical_weight, heaviest, first_edge, edges, edge_bytes, macros, known
        As of :class:`OutEdges`, but that `edges` are the vertices that they lead to.
    """

    typical_weight = 1.0
    heaviest = 1
    edge_bytes = 8

    def __init__(self, graph: Graph, job: Job) -> None:
        neighbours = Neighbours.of(graph, job, incoming=False)
        self.n, self.m, self.known = graph.n, graph.m, graph._derived
        self.max_degree = largest_degree(graph)
        self.mean_degree = graph.m / max(1, graph.n)
        self.macros = neighbours.macros
        self.first_edge = neighbours.first_edge
        self.edges = neighbours.vertices
        self._padded: dict[tuple[Device, int], cl.Buffer] = graph._derived.setdefault("padded_neighbours", {})

    def padded(self, job: Job, width: int) -> cl.Buffer:
        """Return the edges as of :meth:`OutEdges.padded`, in the arithmetic of int32."""
        key = (job.device, width)
        if key not in self._padded:
            self._padded[key] = _padded(self, job, width, Arithmetic(np.dtype(np.int32)), unit=True)
        return self._padded[key]


def _padded(edges: OutEdges | UnitEdges, job: Job, width: int, arithmetic: Arithmetic, unit: bool) -> cl.Buffer:
    """Return a copy of edges with room for `width` of each vertex, with or without weights of their own."""
    padded = job.allocate(edges.n * width, np.dtype((np.void, edges.edge_bytes)), keep=True)
    macros = {"WIDTH": width, "UNIT": int(unit), **edges.macros, **arithmetic.macros}
    kernel = job.device.kernel("edges/pad.cl", "pad", **macros)
    job.launch(kernel, edges.n, _SMALL_GROUP, edges.first_edge, edges.edges, padded, np.uint32(edges.n))
    return padded


def largest_degree(graph: Graph) -> int:
    """Return the largest number of edges that leave a vertex, counted only once."""
    if "largest_degree" not in graph._derived:
        graph._derived["largest_degree"] = int(np.diff(graph.indptr).max(initial=0))
    degree: int = graph._derived["largest_degree"]
    return degree


def _offsets(indptr: npt.NDArray[np.int64], m: int) -> tuple[npt.NDArray[Any], dict[str, str | int]]:
    """Return the offsets in the narrowest type that holds them, and its name in OpenCL C."""
    dtype = np.dtype(np.uint32 if m < 1 << 32 else np.uint64)
    return indptr.astype(dtype), {"OFFSET": C_TYPES[dtype]}
