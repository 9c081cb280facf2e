"""Shortest-path trees of many sources from their final distances (cl/all_pairs/trees.cl)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyopencl as cl

from reedsp.arithmetic.matrix import Weights
from reedsp.arithmetic.types import C_TYPES, signed
from reedsp.device.iterate import PASSES, Rounds
from reedsp.device.job import Job
from reedsp.graph.graph import Graph
from reedsp.minplus.matrix import Block, transpose
from reedsp.minplus.tilings import vector_length

_GROUP = (64, 1)
_PARTS_ON_GPU = 16  # of the edges into a vertex, so that there are enough work-items


@dataclass(frozen=True)
class TightEdges:
    """The edges of a graph that can end a shortest path, on the device, by the vertex they end at.

    Attributes
    ----------
    sources, weights, index : pyopencl.Buffer
        Vertex that each edge comes from, its weight, and for each vertex the index of its first edge.
    count : int
    """

    sources: cl.Buffer
    weights: cl.Buffer
    index: cl.Buffer
    count: int


def find_tight_edges(
    job: Job,
    weights: Weights,
    graph: Graph,
    dist: Block | npt.NDArray[Any],
    in_edges: tuple[cl.Buffer, cl.Buffer] | None = None,
) -> TightEdges:
    """Return the edges that are as short as the shortest path between their ends.

    With floats those are kept too that only rounding may have made longer.

    Parameters
    ----------
    job : Job
    weights : Weights
    graph : Graph
    dist : Block or ndarray, shape (n, n)
        Distances between all vertices, on the device or on the host.
    in_edges : pair of pyopencl.Buffer, optional
        Sources and weights of the edges, by the vertices that they end at, if the device has them already.
    """
    indptr, sources, given = graph.in_edges()
    slack = weights.dtype.type(0)
    if weights.dtype.kind == "f":
        magnitude = graph.simple_path_bound if graph.has_negative_weights else _farthest(job, weights, graph.n, dist)
        with np.errstate(over="ignore"):
            slack = weights.dtype.type(4 * graph.n * np.finfo(weights.dtype).eps * magnitude)
    if not isinstance(dist, Block):
        targets = np.repeat(np.arange(graph.n, dtype=np.int32), np.diff(indptr))
        between, edge_weights = dist[sources, targets], given.astype(weights.dtype)
        with np.errstate(over="ignore"):
            tight = edge_weights <= between + slack
        kept = np.flatnonzero((sources != targets) & (between >= weights.lowest) & tight)
        index = np.searchsorted(kept, indptr).astype(np.uint64)
        return TightEdges(job.upload(sources[kept]), job.upload(edge_weights[kept]), job.upload(index), len(kept))
    macros = _macros(job, weights, False)
    listed = in_edges or (job.upload(sources), job.upload(given.astype(weights.dtype)))
    edges = (dist.buffer, *listed, job.upload(indptr, np.uint64))
    numbers = (slack, weights.lowest, np.uint32(dist.stride), np.uint32(graph.n))
    parts = _parts(job)
    counts = job.allocate(graph.n * parts, np.uint32)
    count = job.device.kernel("all_pairs/trees.cl", "count_tight", **macros)
    job.launch(count, (graph.n, parts), _GROUP, *edges, counts, *numbers)
    index = np.zeros(graph.n * parts + 1, np.uint64)
    np.cumsum(job.download(counts, graph.n * parts, np.uint32), out=index[1:])
    total = int(index[-1])
    tight_sources, tight_weights = job.allocate(total, np.int32), job.allocate(total, weights.dtype)
    keep = job.device.kernel("all_pairs/trees.cl", "keep_tight", **macros)
    job.launch(keep, (graph.n, parts), _GROUP, *edges, job.upload(index), tight_sources, tight_weights, *numbers)
    return TightEdges(tight_sources, tight_weights, job.upload(index[::parts]), total)


def _parts(job: Job) -> int:
    return 1 if job.device.kind == "cpu" else _PARTS_ON_GPU


def _farthest(job: Job, weights: Weights, n: int, dist: Block | npt.NDArray[Any]) -> float:
    """Return the largest distance."""
    if isinstance(dist, Block):
        kernel = job.device.kernel("all_pairs/trees.cl", "farthest", **_macros(job, weights, False))
        largest = job.allocate(n * _parts(job), weights.dtype)
        numbers = (weights.lowest, np.uint32(dist.stride), np.uint32(n))
        job.launch(kernel, (n, _parts(job)), _GROUP, dist.buffer, largest, *numbers)
        return float(job.download(largest, n * _parts(job), weights.dtype).max())
    return max(float(np.max(row, where=row != weights.no_path, initial=0)) for row in dist)


def shortest_path_trees(
    job: Job,
    weights: Weights,
    edges: TightEdges,
    dist: Block,
    first: int,
    shape: tuple[int, int],
    zero_progress_only: bool,
) -> tuple[cl.Buffer, npt.NDArray[np.intp]]:
    """Find the predecessor of each vertex on the shortest path from each of some sources.

    Parameters
    ----------
    job : Job
    weights : Weights
    edges : TightEdges
    dist : Block, shape (rows, n)
        Distances from the sources `first`, `first` + 1, ...
    first : int
    shape : tuple of int
        Rows and n.
    zero_progress_only : bool
        Resolve every tight edge by hop level: needed if the graph has negative weights.

    Returns
    -------
    predecessors : pyopencl.Buffer of int32, shape (rows, n)
        NO_VERTEX for the source, where there is no path, and where its weight is unbounded.
    unresolved : ndarray of int
        Sources that have vertices whose predecessor rounding has hidden.
    """
    rows, n = shape
    macros = _macros(job, weights, zero_progress_only)
    vectors = -(-rows // vector_length(job.device, weights))
    stride = vectors * vector_length(job.device, weights)
    by_vertex = transpose(job, dist, (rows, n), stride, weights.dtype, weights.no_path)
    predecessors = job.allocate(n * stride, np.int32)
    rows_left = job.full(stride, np.uint32(0))
    of_edges = (edges.sources, edges.weights, edges.index)
    kernel = job.device.kernel("all_pairs/trees.cl", "resolve_progress", **macros)
    numbers = (weights.lowest, np.uint32(first), np.uint32(stride))
    job.launch(kernel, (vectors, n), _GROUP, by_vertex, *of_edges, predecessors, rows_left, *numbers)
    if job.download(rows_left, rows, np.uint32).any():
        states = [job.allocate(n * stride, np.uint8), job.allocate(n * stride, np.uint8)]
        begin = job.device.kernel("all_pairs/trees.cl", "begin_levels", **macros)
        job.launch(begin, (stride, n), _GROUP, by_vertex, predecessors, states[0], *numbers)
        rounds = Rounds(job)
        level = job.device.kernel("all_pairs/trees.cl", "resolve_level", **macros)
        passes = [
            job.bind(
                *(level, (stride, n), _GROUP, by_vertex, *of_edges, predecessors, rows_left),
                *(states[number % 2], states[1 - number % 2], rounds.updates, np.uint32(number % 3), np.uint32(stride)),
            )
            for number in range(PASSES)
        ]
        rounds.run(lambda number: passes[number % PASSES].queue(), limit=n + 1)
        rows_left = job.full(stride, np.uint32(0))
        find = job.device.kernel("all_pairs/trees.cl", "find_unresolved", **macros)
        job.launch(find, (stride, n), _GROUP, states[0], rows_left, np.uint32(stride))
    unresolved = np.flatnonzero(job.download(rows_left, rows, np.uint32)) + first
    return transpose(job, Block(predecessors, stride), (n, rows), n, np.dtype(np.int32)), unresolved


def _macros(job: Job, weights: Weights, zero_progress_only: bool) -> dict[str, str | int]:
    truth = C_TYPES[signed(weights.dtype.itemsize)]
    own: dict[str, str | int] = {"ZERO_PROGRESS_ONLY": int(zero_progress_only), "TRUTH": truth}
    return {**own, "VECTOR_LENGTH": vector_length(job.device, weights), **weights.macros(job.device.kind)}
