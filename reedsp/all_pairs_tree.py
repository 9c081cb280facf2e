"""Shortest-path trees of many sources from their final distances (cl/all_pairs_tree.cl)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyopencl as cl

from reedsp.device import Job
from reedsp.graph import Graph
from reedsp.path_matrix import Block, Weights
from reedsp.rounds import PASSES, Rounds

_GROUP = (64, 1)


@dataclass(frozen=True)
class TightEdges:
    """The edges of a graph that can end a shortest path, on the device, by the vertex they end at.

    Attributes
    ----------
    sources, weights, index : pyopencl.Buffer
        Vertex that each edge comes from, its weight, and for each vertex the place of its first edge.
    count : int
    """

    sources: cl.Buffer
    weights: cl.Buffer
    index: cl.Buffer
    count: int


def find_tight_edges(job: Job, weights: Weights, graph: Graph, dist: Block | npt.NDArray[Any]) -> TightEdges:
    """Return the edges that are as short as the shortest path between their ends.

    With floats those are kept too that only rounding may have made longer.

    Parameters
    ----------
    job : Job
    weights : Weights
    graph : Graph
    dist : Block or ndarray, shape (n, n)
        Distances between all vertices, on the device or on the host.
    """
    indptr, sources, edge_weights = graph.in_edges()
    edge_weights = edge_weights.astype(weights.dtype)
    targets = np.repeat(np.arange(graph.n, dtype=np.int32), np.diff(indptr))
    slack = weights.dtype.type(0)
    if weights.dtype.kind == "f":
        magnitude = graph.simple_path_bound if graph.has_negative_weights else _farthest(job, weights, graph.n, dist)
        with np.errstate(over="ignore"):
            slack = weights.dtype.type(4 * graph.n * np.finfo(weights.dtype).eps * magnitude)
    if isinstance(dist, Block):
        kernel = job.device.kernel("all_pairs_tree.cl", "mark_tight", **_macros(job, weights, False))
        marks = job.allocate(graph.m, np.uint8)
        job.launch(
            *(kernel, graph.m, _GROUP[0], dist.buffer, job.upload(sources), job.upload(targets)),
            *(job.upload(edge_weights), marks, slack, weights.least, np.uint32(dist.stride), np.uint64(graph.m)),
        )
        tight = job.download(marks, graph.m, np.uint8)
    else:
        between = dist[sources, targets]
        tight = (sources != targets) & (between >= weights.least) & (edge_weights <= between + slack)
    kept = np.flatnonzero(tight)
    index = np.searchsorted(kept, indptr).astype(np.uint64)
    return TightEdges(job.upload(sources[kept]), job.upload(edge_weights[kept]), job.upload(index), len(kept))


def _farthest(job: Job, weights: Weights, n: int, dist: Block | npt.NDArray[Any]) -> float:
    """Return the largest distance."""
    if isinstance(dist, Block):
        kernel = job.device.kernel("all_pairs_tree.cl", "farthest", **_macros(job, weights, False))
        largest = job.allocate(n, weights.dtype)
        job.launch(kernel, n, _GROUP[0], dist.buffer, largest, weights.least, np.uint32(dist.stride), np.uint32(n))
        return float(job.download(largest, n, weights.dtype).max())
    return max(float(np.max(row, where=row != weights.no_path, initial=0)) for row in dist)


def shortest_path_trees(
    job: Job, weights: Weights, edges: TightEdges, dist: Block, first: int, rows: int, n: int, zero_progress_only: bool
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.intp]]:
    """Return the predecessor of each vertex on the shortest path from each of some sources.

    Parameters
    ----------
    job : Job
    weights : Weights
    edges : TightEdges
    dist : Block, shape (rows, n)
        Distances from the sources `first`, `first` + 1, ...
    first, rows, n : int
    zero_progress_only : bool
        Resolve every tight edge by hop level: needed if the graph has negative weights.

    Returns
    -------
    predecessors : ndarray of int32, shape (rows, n)
        NO_VERTEX for the source, where there is no path, and where its weight is unbounded.
    unresolved : ndarray of int
        Sources that have vertices whose predecessor rounding has hidden.
    """
    macros = _macros(job, weights, zero_progress_only)
    predecessors = job.allocate(rows * n, np.int32)
    rows_left = job.upload(np.zeros(rows, np.uint32))
    of_edges = (edges.sources, edges.weights, edges.index)
    sizes = (np.uint32(dist.stride), np.uint32(n))
    kernel = job.device.kernel("all_pairs_tree.cl", "resolve_progress", **macros)
    outputs = (predecessors, rows_left, weights.least, np.uint32(first))
    job.launch(kernel, (n, rows), _GROUP, dist.buffer, *of_edges, *outputs, *sizes)
    unresolved = np.flatnonzero(job.download(rows_left, rows, np.uint32))
    if len(unresolved):
        states = [job.allocate(rows * n, np.uint8), job.allocate(rows * n, np.uint8)]
        begin = job.device.kernel("all_pairs_tree.cl", "begin_levels", **macros)
        job.launch(
            begin, (n, rows), _GROUP, dist.buffer, predecessors, states[0], weights.least, np.uint32(first), *sizes
        )
        rounds = Rounds(job)
        level = job.device.kernel("all_pairs_tree.cl", "resolve_level", **macros)
        passes = [
            job.bind(
                *(level, (n, rows), _GROUP, dist.buffer, *of_edges, predecessors, rows_left),
                *(states[number % 2], states[1 - number % 2], rounds.updates, np.uint32(number % 3), *sizes),
            )
            for number in range(PASSES)
        ]
        rounds.run(lambda number: passes[number % PASSES].queue(), limit=n + 1)
        rows_left = job.upload(np.zeros(rows, np.uint32))
        find = job.device.kernel("all_pairs_tree.cl", "find_unresolved", **macros)
        job.launch(find, (n, rows), _GROUP, states[0], rows_left, np.uint32(n))
        unresolved = np.flatnonzero(job.download(rows_left, rows, np.uint32))
    return job.download(predecessors, rows * n, np.int32).reshape(rows, n), unresolved + first


def _macros(job: Job, weights: Weights, zero_progress_only: bool) -> dict[str, str | int]:
    return {"ZERO_PROGRESS_ONLY": int(zero_progress_only), **weights.macros(job.device)}
