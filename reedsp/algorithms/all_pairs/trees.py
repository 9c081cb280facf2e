"""Shortest-path trees of many sources from their final distances (cl/all_pairs/trees.cl)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyopencl as cl

from reedsp.algorithms.all_pairs.device_matrix import DeviceMatrix
from reedsp.algorithms.all_pairs.host_matrix import HostMatrix, edges_from
from reedsp.algorithms.all_pairs.path_matrix import PathMatrix
from reedsp.arithmetic.matrix import Weights
from reedsp.arithmetic.types import C_TYPES, signed
from reedsp.device.iterate import PASSES, Rounds
from reedsp.device.job import Job
from reedsp.graph.graph import Graph
from reedsp.minplus.matrix import Block, transpose
from reedsp.minplus.tilings import vector_length
from reedsp.system.parts import TRANSFERRED, in_parts

_GROUP = (64, 1)
_PARTS = 64  # at most, of the vertices that edges leave, so that there are enough work-items
_ROWS_OF_A_PART = 64  # at least


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


def find_tight_edges(matrix: PathMatrix) -> TightEdges:
    """Return the edges that are as short as the shortest path between their ends.

    With floats those are kept too that only rounding may have made longer.

    Parameters
    ----------
    matrix : PathMatrix
        Of distances between all vertices.
    """
    graph, weights = matrix.graph, matrix.weights
    rounded = weights.dtype.kind == "f" and not graph.has_negative_weights
    slack = slack_of(graph, weights, _farthest(matrix) if rounded else 0)
    if isinstance(matrix, HostMatrix):
        return _on_host(matrix, slack)
    assert isinstance(matrix, DeviceMatrix)
    return _on_device(matrix, slack)


def slack_of(graph: Graph, weights: Weights, farthest: float) -> Any:
    """Return by how much rounding may have made a shortest path shorter than the edges on it.

    Parameters
    ----------
    graph : Graph
    weights : Weights
    farthest : float
        The largest distance, if weights are floats of which none is negative.
    """
    if weights.dtype.kind != "f":
        return weights.dtype.type(0)
    magnitude = graph.simple_path_bound if graph.has_negative_weights else farthest
    with np.errstate(over="ignore"):
        return weights.dtype.type(4 * graph.n * np.finfo(weights.dtype).eps * magnitude)


Listed = tuple[npt.NDArray[np.int32], npt.NDArray[Any], npt.NDArray[Any]]
"""Sources, targets and weights of edges."""


def tight_edges_from(
    graph: Graph, weights: Weights, first: int, dist: npt.NDArray[Any], slack: Any, lowest: Any
) -> Listed:
    """Return the edges from some vertices that are as short as the shortest path between their ends.

    Parameters
    ----------
    graph : Graph
    weights : Weights
    first : int
    dist : ndarray, shape (rows, n)
        From row `first` of the matrix on.
    slack
        As from :func:`slack_of`.
    lowest
        Path weights below it are unbounded.
    """
    found: dict[int, Listed] = {}

    def look(start: int, end: int) -> None:
        sources, targets, edge_weights = edges_from(graph, weights, slice(first + start, first + end))
        between = dist[sources - first, targets]
        with np.errstate(over="ignore"):
            tight = edge_weights <= between + slack
        tight &= (sources != targets) & (between >= lowest)
        found[start] = sources[tight].astype(np.int32), targets[tight], edge_weights[tight]

    in_parts(look, len(dist), graph.n * weights.dtype.itemsize, TRANSFERRED)
    return listed_together([found[start] for start in sorted(found)])


def listed_together(parts: Sequence[Listed]) -> Listed:
    """Return edges that were listed apart."""
    sources, targets, edge_weights = (np.concatenate(each) for each in zip(*parts, strict=True))
    return sources, targets, edge_weights


def tight_edges_on_device(job: Job, n: int, edges: Listed) -> TightEdges:
    """Copy edges, those of each target in the order in which they are listed, to the device."""
    sources, targets, edge_weights = edges
    order = np.argsort(targets, kind="stable")
    index = np.searchsorted(targets[order], np.arange(n + 1)).astype(np.uint64)
    return TightEdges(job.upload(sources[order]), job.upload(edge_weights[order]), job.upload(index), len(order))


def _on_host(matrix: HostMatrix, slack: Any) -> TightEdges:
    weights = matrix.weights
    edges = tight_edges_from(matrix.graph, weights, 0, matrix.dist, slack, weights.lowest)
    return tight_edges_on_device(matrix.job, matrix.n, edges)


def _on_device(matrix: DeviceMatrix, slack: Any) -> TightEdges:
    n, job, weights = matrix.n, matrix.job, matrix.weights
    parts = min(_PARTS, -(-n // _ROWS_OF_A_PART))
    at_once = 1 if matrix.edges is None else parts
    length = vector_length(job.device, weights)
    vectors = -(-n // length)
    macros = _macros(matrix, length, False)

    def launch(name: str, *lists: cl.Buffer) -> None:
        kernel = job.device.kernel("all_pairs/trees.cl", name, **macros)
        for part in range(0, parts, at_once):
            edges = matrix.edges or matrix.edges_from(slice(n * part // parts, n * (part + 1) // parts))
            numbers = (slack, weights.lowest, *map(np.uint32, (matrix.dist.stride, n, part, parts)))
            job.launch(kernel, (vectors, at_once), _GROUP, matrix.dist.buffer, edges, *lists, *numbers)

    counts = job.allocate(n * parts, np.uint32)
    launch("count_tight", counts)
    index = np.zeros(n * parts + 1, np.uint64)
    np.cumsum(job.download(counts, n * parts, np.uint32), out=index[1:])
    total = int(index[-1])
    sources, edge_weights = job.allocate(total, np.int32), job.allocate(total, weights.dtype)
    launch("keep_tight", job.upload(index), sources, edge_weights)
    return TightEdges(sources, edge_weights, job.upload(index[::parts]), total)


def _farthest(matrix: PathMatrix) -> float:
    """Return the largest distance."""
    job, weights, n = matrix.job, matrix.weights, matrix.n
    if isinstance(matrix, DeviceMatrix):
        macros = _macros(matrix, vector_length(job.device, weights), False)
        kernel = job.device.kernel("all_pairs/trees.cl", "farthest", **macros)
        parts = min(_PARTS, -(-n // _ROWS_OF_A_PART))
        largest = job.allocate(n * parts, weights.dtype)
        numbers = (weights.lowest, np.uint32(matrix.dist.stride), np.uint32(n))
        job.launch(kernel, (n, parts), _GROUP, matrix.dist.buffer, largest, *numbers)
        return float(job.download(largest, n * parts, weights.dtype).max())
    assert isinstance(matrix.dist, np.ndarray)
    return farthest_of(matrix.dist, weights)


def farthest_of(dist: npt.NDArray[Any], weights: Weights) -> float:
    """Return the largest distance in some rows on the host."""
    return max(float(np.max(row, where=row != weights.no_path, initial=0)) for row in dist)


def shortest_path_trees(
    matrix: PathMatrix,
    edges: TightEdges,
    dist: Block,
    first: int,
    shape: tuple[int, int],
    zero_progress_only: bool,
) -> tuple[cl.Buffer, npt.NDArray[np.intp]]:
    """Find the predecessor of each vertex on the shortest path from each of some sources.

    Parameters
    ----------
    matrix : PathMatrix
        Of distances between all vertices.
    edges : TightEdges
    dist : Block, shape (rows, n)
        Its rows from `first` on, on the device.
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
    job, weights = matrix.job, matrix.weights
    length = vector_length(job.device, weights)
    macros = _macros(matrix, length, zero_progress_only)
    vectors = -(-rows // length)
    stride = vectors * length
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


def _macros(matrix: PathMatrix, length: int, zero_progress_only: bool) -> dict[str, str | int]:
    truth = C_TYPES[signed(matrix.weights.dtype.itemsize)]
    own: dict[str, str | int] = {"ZERO_PROGRESS_ONLY": int(zero_progress_only), "TRUTH": truth, "VECTOR_LENGTH": length}
    return {**own, **matrix.macros}
