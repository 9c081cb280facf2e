"""The matrix of path weights on the host: for several devices, or larger than one."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.algorithms.all_pairs.out_of_core.checkpoint import Checkpoint
from reedsp.algorithms.all_pairs.out_of_core.solve import solve_matrix
from reedsp.algorithms.all_pairs.path_matrix import PathMatrix
from reedsp.arithmetic.matrix import Weights, write_edges
from reedsp.device.device import Device
from reedsp.device.job import Job
from reedsp.graph.graph import Graph
from reedsp.minplus.matrix import Block
from reedsp.system.parts import TRANSFERRED, in_parts


class HostRows(PathMatrix):
    """Path weights from some vertices on the host.

    Parameters
    ----------
    job : Job
        For what is done on a device.
    weights : Weights
    graph : Graph
    dist : ndarray, shape (rows, n)
    first : int
        The vertex of the first row.
    beyond : mapping of int to ndarray of bool, shape (n,), optional
        Which vertices a path leads to from those that :meth:`mark_paths_through` is called with; by default, if there
        are all rows, it is seen there.
    """

    dist: npt.NDArray[Any]

    def __init__(
        self,
        job: Job,
        weights: Weights,
        graph: Graph,
        dist: npt.NDArray[Any],
        first: int = 0,
        beyond: Mapping[int, npt.NDArray[np.bool_]] | None = None,
    ) -> None:
        super().__init__(job, weights, graph, graph.n, slice(first, first + len(dist)))
        self.dist = dist
        self._beyond = beyond

    def _diagonal(self) -> npt.NDArray[Any]:
        return self.dist.diagonal(self.rows.start)

    def mark_paths_through(self, vertices: npt.NDArray[np.intp]) -> None:
        """Mark as unbounded what can pass one of these vertices."""
        none, beyond = self.weights.no_path, self._beyond
        self.cycles, some = vertices, vertices.tolist()
        before = self.dist.T[vertices] != none
        after = self.dist[vertices] != none if beyond is None else np.array([beyond[v] for v in some], np.bool_)
        self._reached = before, after

    def _reach(self) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
        return self._reached

    def reset_diagonal(self) -> bool:
        """Return whether a path weight from a vertex to itself is below zero, and not marked; then all are useless."""
        return bool(self._below_zero(self._diagonal()).any())

    def _read(self, rows: slice) -> npt.NDArray[Any]:
        own = self.dist[rows.start - self.rows.start : rows.stop - self.rows.start]
        if not len(self.cycles):
            return own
        return np.where(self.unbounded(np.arange(rows.start, rows.stop)), self.weights.unbounded, own)

    @contextlib.contextmanager
    def rows_on_host(self, rows: slice) -> Iterator[npt.NDArray[Any]]:
        """Lend rows, to be read: they may be those of the matrix."""
        values = self._read(rows)[:]
        values.flags.writeable = False
        yield values

    def rows_on_device(self, rows: slice) -> Block:
        """Return a copy of rows on the device of `job`."""
        return Block(self.job.upload(self._read(rows)), self.n)


class HostMatrix(HostRows):
    """Path weights on the host. Devices work on rows that pass through their memory.

    Parameters
    ----------
    devices : sequence of Device
    job : Job
        On the first of them, for what is done beside.
    weights : Weights
    graph : Graph
    memory_limit : int, optional
        Bytes that may be allocated on each device.
    checkpoint : Checkpoint, optional
        Where the matrix is kept, instead of in memory.
    """

    def __init__(
        self,
        devices: Sequence[Device],
        job: Job,
        weights: Weights,
        graph: Graph,
        memory_limit: int | None = None,
        checkpoint: Checkpoint | None = None,
    ) -> None:
        matrix = np.empty((graph.n, graph.n), weights.dtype) if checkpoint is None else checkpoint.matrix
        super().__init__(job, weights, graph, matrix)
        self._devices = devices
        self._memory_limit = memory_limit
        self._checkpoint = checkpoint
        if checkpoint is None or checkpoint.fresh:
            fill_rows(graph, weights, 0, matrix)
        if checkpoint is not None and checkpoint.fresh:
            checkpoint.filled()

    def solve(self, progress: Callable[[int, int], None] | None) -> None:
        """Relax all paths through every vertex."""
        self.jobs += solve_matrix(
            self.dist, self.weights, self._devices, self._memory_limit, self._checkpoint, progress
        )


def fill_rows(graph: Graph, weights: Weights, first: int, rows: npt.NDArray[Any]) -> None:
    """Write the path weights that there are at first: those of edges, on the diagonal zero or a negative edge's.

    Parameters
    ----------
    graph : Graph
    weights : Weights
    first : int
    rows : ndarray, shape (rows, n)
        From row `first` of the matrix on; filled.
    """
    dense = graph.dense

    def fill(start: int, end: int) -> None:
        part, some = rows[start:end], slice(first + start, first + end)
        if dense is not None:
            write_edges(dense.values[some], dense.none, some.start, weights, part)
            return
        part[:] = weights.no_path
        sources, targets, edge_weights = edges_from(graph, weights, some)
        part[sources - some.start, targets] = edge_weights
        diagonal = np.arange(end - start), np.arange(some.start, some.stop)
        part[diagonal] = np.minimum(part[diagonal], weights.dtype.type(0))

    in_parts(fill, len(rows), graph.n * weights.dtype.itemsize, TRANSFERRED)


def edges_from(
    graph: Graph, weights: Weights, rows: slice
) -> tuple[npt.NDArray[np.intp], npt.NDArray[Any], npt.NDArray[Any]]:
    """Return sources, targets and weights of the edges that leave some vertices."""
    if graph.dense is not None:
        some = graph.dense.values[rows]
        sources, targets = np.nonzero(some != graph.dense.none)
        return rows.start + sources, targets, some[sources, targets].astype(weights.dtype)
    edges = slice(int(graph.indptr[rows.start]), int(graph.indptr[rows.stop]))
    sources = np.repeat(np.arange(rows.start, rows.stop), np.diff(graph.indptr[rows.start : rows.stop + 1]))
    return sources, graph.indices[edges], graph.weights[edges].astype(weights.dtype)


def fingerprint(graph: Graph, weights: Weights) -> str:
    """Return what distinguishes one problem from another."""
    digest = hashlib.sha256(f"{weights} {graph.n}".encode())
    for array in (graph.indptr, graph.indices, graph.weights):
        digest.update(str(array.dtype).encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()
