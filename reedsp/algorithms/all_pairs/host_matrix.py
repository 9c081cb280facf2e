"""The matrix of path weights on the host: for several devices, or larger than one."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Iterator, Sequence
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


class HostMatrix(PathMatrix):
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

    dist: npt.NDArray[Any]

    def __init__(
        self,
        devices: Sequence[Device],
        job: Job,
        weights: Weights,
        graph: Graph,
        memory_limit: int | None = None,
        checkpoint: Checkpoint | None = None,
    ) -> None:
        super().__init__(job, weights, graph, graph.n)
        self._devices = devices
        self._memory_limit = memory_limit
        self._checkpoint = checkpoint
        self._dense = graph.dense
        self._cycles: list[tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]] = []
        if checkpoint is None:
            self.dist = np.empty((self.n, self.n), weights.dtype)
            self._fill()
        else:
            self.dist = checkpoint.matrix
            if checkpoint.fresh:
                self._fill()
                checkpoint.filled()

    def edges_from(self, rows: slice) -> tuple[npt.NDArray[np.intp], npt.NDArray[Any], npt.NDArray[Any]]:
        """Return sources, targets and weights of the edges that leave some vertices."""
        if self._dense is not None:
            some = self._dense.values[rows]
            sources, targets = np.nonzero(some != self._dense.none)
            return rows.start + sources, targets, some[sources, targets].astype(self.weights.dtype)
        graph = self.graph
        edges = slice(int(graph.indptr[rows.start]), int(graph.indptr[rows.stop]))
        sources = np.repeat(np.arange(rows.start, rows.stop), np.diff(graph.indptr[rows.start : rows.stop + 1]))
        return sources, graph.indices[edges], graph.weights[edges].astype(self.weights.dtype)

    def _fill(self) -> None:
        def fill(first: int, last: int) -> None:
            rows = slice(first, last)
            if self._dense is not None:
                write_edges(self._dense.values[rows], self._dense.none, first, self.weights, self.dist[rows])
                return
            self.dist[rows] = self.weights.no_path
            sources, targets, edge_weights = self.edges_from(rows)
            self.dist[sources, targets] = edge_weights
            diagonal = np.arange(first, last)
            own = self.dist[diagonal, diagonal]
            self.dist[diagonal, diagonal] = np.minimum(own, self.weights.dtype.type(0))

        in_parts(fill, self.n, self.row_bytes, TRANSFERRED)

    def solve(self, progress: Callable[[int, int], None] | None) -> None:
        """Relax all paths through every vertex."""
        self.jobs += solve_matrix(
            self.dist, self.weights, self._devices, self._memory_limit, self._checkpoint, progress
        )

    def _diagonal(self) -> npt.NDArray[Any]:
        return self.dist.diagonal()

    def _mark_paths_through(self, vertices: npt.NDArray[np.intp]) -> None:
        none = self.weights.no_path
        self._cycles = [(self.dist[:, v] != none, self.dist[v] != none) for v in vertices]

    def reset_diagonal(self) -> bool:
        """Return whether a path weight from a vertex to itself is below zero, and not marked; then all are useless."""
        unmarked = np.ones(self.n, np.bool_)
        for before, after in self._cycles:
            unmarked &= ~(before & after)
        return bool((self._diagonal()[unmarked] < 0).any())

    def _read(self, rows: slice) -> npt.NDArray[Any]:
        values = np.array(self.dist[rows])
        for before, after in self._cycles:
            values[np.ix_(before[rows], after)] = self.weights.unbounded
        return values

    @contextlib.contextmanager
    def rows_on_host(self, rows: slice) -> Iterator[npt.NDArray[Any]]:
        """Lend a copy of rows."""
        yield self._read(rows)

    def rows_on_device(self, rows: slice) -> Block:
        """Return a copy of rows on the device of `job`."""
        return Block(self.job.upload(self._read(rows)), self.n)


def fingerprint(graph: Graph, weights: Weights) -> str:
    """Return what distinguishes one problem from another."""
    digest = hashlib.sha256(f"{weights} {graph.n}".encode())
    for array in (graph.indptr, graph.indices, graph.weights):
        digest.update(str(array.dtype).encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()
