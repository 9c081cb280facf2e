"""The matrix of path weights between all pairs of vertices on the host: for several devices, or larger than one."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.algorithms.all_pairs.checkpoint import Checkpoint
from reedsp.algorithms.all_pairs.out_of_core import close_matrix
from reedsp.arithmetic.matrix import Weights
from reedsp.device.device import Device, Job
from reedsp.graph.graph import Graph
from reedsp.minplus.matrix import Block

_ROWS_BYTES = 1 << 26  # that are worked on at a time


class HostMatrix:
    """Path weights on the host; at first those of the edges. Devices work on rows that pass through their memory.

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

    Attributes
    ----------
    job, weights, graph
        The arguments.
    jobs : list of Job
        All there have been.
    n : int
    dist : ndarray, shape (n, n)
        The path weights, where they are.
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
        self.job = job
        self.jobs = [job]
        self.weights = weights
        self.graph = graph
        self.n: int = graph.n
        self._devices = devices
        self._memory_limit = memory_limit
        self._checkpoint = checkpoint
        self._cycles: list[tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]] = []
        if checkpoint is None:
            self.dist: npt.NDArray[Any] = np.empty((self.n, self.n), weights.dtype)
            self._fill()
        else:
            self.dist = checkpoint.matrix
            if checkpoint.fresh:
                self._fill()
                checkpoint.filled()

    def _fill(self) -> None:
        indptr, targets = self.graph.indptr, self.graph.indices
        edge_weights = self.graph.weights.astype(self.weights.dtype)
        for rows in self.slices():
            self.dist[rows] = self.weights.no_path
            edges = slice(int(indptr[rows.start]), int(indptr[rows.stop]))
            sources = np.repeat(np.arange(rows.start, rows.stop), np.diff(indptr[rows.start : rows.stop + 1]))
            self.dist[sources, targets[edges]] = edge_weights[edges]
        diagonal = np.arange(self.n)
        own = self.dist[diagonal, diagonal]
        self.dist[diagonal, diagonal] = np.minimum(own, self.weights.dtype.type(0))

    def slices(self) -> Iterator[slice]:
        """Yield some rows at a time."""
        step = max(1, _ROWS_BYTES // (self.n * self.weights.dtype.itemsize))
        for first in range(0, self.n, step):
            yield slice(first, min(first + step, self.n))

    def close(self, progress: Callable[[int, int], None] | None) -> None:
        """Shorten all paths."""
        self.jobs += close_matrix(
            self.dist, self.weights, self._devices, self._memory_limit, self._checkpoint, progress
        )

    def vertices_on_negative_cycles(self) -> npt.NDArray[np.intp]:
        """Return the vertices that a path of negative weight leads back to (thesis section 5.2.3)."""
        return np.flatnonzero(self.dist.diagonal() < 0)

    def mark_unbounded(self, on_cycles: npt.NDArray[np.intp]) -> None:
        """Make the weights of all paths that can pass a negative cycle less than any other, in what is read.

        Parameters
        ----------
        on_cycles : ndarray of int
            Vertices on negative cycles; at least one of each cycle.
        """
        if len(on_cycles) == 0:
            return
        _, chosen = np.unique(self.graph.strong_components()[on_cycles], return_index=True)
        none = self.weights.no_path
        self._cycles = [(self.dist[:, v] != none, self.dist[v] != none) for v in on_cycles[chosen]]

    def reset_diagonal(self) -> bool:
        """Return whether a path weight from a vertex to itself is below zero, and not marked; then all are useless."""
        unmarked = np.ones(self.n, np.bool_)
        for before, after in self._cycles:
            unmarked &= ~(before & after)
        return bool((self.dist.diagonal()[unmarked] < 0).any())

    @property
    def row_bytes(self) -> int:
        """Bytes of a row."""
        return self.n * self.weights.dtype.itemsize

    def _read(self, rows: slice) -> npt.NDArray[Any]:
        values = np.array(self.dist[rows])
        for before, after in self._cycles:
            values[np.ix_(before[rows], after)] = self.weights.unbounded
        return values

    @contextlib.contextmanager
    def rows_on_host(self, rows: slice) -> Iterator[npt.NDArray[Any]]:
        """Lend a copy of rows, with what is unbounded marked."""
        yield self._read(rows)

    def rows_on_device(self, rows: slice) -> Block:
        """Return rows on the device of `job`."""
        return Block(self.job.upload(self._read(rows)), self.n)


def fingerprint(graph: Graph, weights: Weights) -> str:
    """Return what tells one problem from another."""
    digest = hashlib.sha256(f"{weights} {graph.n}".encode())
    for array in (graph.indptr, graph.indices, graph.weights):
        digest.update(str(array.dtype).encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()
