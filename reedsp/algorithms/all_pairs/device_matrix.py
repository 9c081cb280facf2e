"""The matrix of path weights on one device (cl/all_pairs/matrix.cl)."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pyopencl as cl

from reedsp.algorithms.all_pairs.path_matrix import PathMatrix
from reedsp.arithmetic.matrix import Weights, write_edges
from reedsp.cost_model.counts import SPAN
from reedsp.device.device import Device
from reedsp.device.job import Job, round_up
from reedsp.graph.graph import Graph
from reedsp.minplus.matrix import Block

_GROUP = (64, 1)
_SMALL = 1024  # vertices, below which a side rounded up to tiles of 128 would be much larger than n
_PART_OF_MEMORY = 0.9  # of the device
_PART_FOR_EDGES = 0.05


class DeviceMatrix(PathMatrix):
    """Path weights on a device, filled up to full tiles.

    Parameters
    ----------
    job : Job
    weights : Weights
    graph : Graph
    keep_edges : bool
        Keep a copy of the matrix on the device, for predecessors, if it takes little of its memory.

    Attributes
    ----------
    side : int
        Rows and columns of the matrix.
    dist : Block, shape (side, side)
    edges : pyopencl.Buffer, shape (side, side), optional
        What it was at first, if that is kept.
    """

    dist: Block

    def __init__(self, job: Job, weights: Weights, graph: Graph, keep_edges: bool = False) -> None:
        self.side: int = side_of(graph.n)
        super().__init__(job, weights, graph, self.side)
        self._dense = graph.dense
        self.edges: cl.Buffer | None = None
        self.dist = Block(self.edges_from(slice(0, self.side)), self.side)
        size = self.side * self.row_bytes
        if keep_edges and size <= _PART_FOR_EDGES * job.device.global_memory:
            self.edges = job.allocate(self.side * self.side, weights.dtype)
            job.copy(self.edges, 0, self.dist.buffer, 0, size)

    @staticmethod
    def fits(device: Device, weights: Weights, n: int, beside: int = 0) -> bool:
        """Return whether the matrix, what Floyd-Warshall needs and some bytes beside it fit into a device's memory."""
        side, item_size = side_of(n), weights.dtype.itemsize
        size, panels = side**2 * item_size, 2 * side * SPAN * item_size
        return size <= device.max_allocation and size + panels + beside <= _PART_OF_MEMORY * device.global_memory

    def edges_from(self, rows: slice) -> cl.Buffer:
        """Return rows of the matrix as it is at first, on the device, with what fills up tiles."""
        job, weights, first, shape = self.job, self.weights, rows.start, (rows.stop - rows.start, self.side)
        if self._dense is not None:
            values, none = self._dense.values, self._dense.none

            def write(start: int, end: int, part: npt.NDArray[Any]) -> None:
                write_edges(values[first + start : first + end], none, first + start, weights, part)

            return job.upload_rows(shape, weights.dtype, write)
        buffer = job.allocate(shape[0] * self.side, weights.dtype)
        clear = job.device.kernel("all_pairs/matrix.cl", "clear", **self.macros)
        sizes = np.uint32(self.side), np.uint32(self.n), np.uint32(first)
        job.launch(clear, (self.side, shape[0]), _GROUP, buffer, *sizes)
        index = self.graph.indptr[first : min(rows.stop, self.n) + 1]
        edges = slice(int(index[0]), int(index[-1]))
        if edges.start < edges.stop:
            scatter = job.device.kernel("all_pairs/matrix.cl", "scatter", **self.macros)
            group = 1 if job.device.kind == "cpu" else _GROUP[0]
            listed = job.upload(self.graph.indices[edges]), job.upload(self.graph.weights[edges], weights.dtype)
            offsets = job.upload(index - edges.start, np.uint64)
            numbers = np.uint32(self.side), np.uint32(first)
            job.launch(scatter, (len(index) - 1) * group, group, buffer, offsets, *listed, *numbers)
        return buffer

    def reset_diagonal(self) -> bool:
        """Set path weights from vertices to themselves to zero if they are not marked; return whether one was below."""
        diagonal = self._diagonal()
        wrong = self._below_zero(diagonal)
        if wrong.any():
            diagonal[wrong] = 0
            self._launch_on_diagonal("set_diagonal", self.job.upload(diagonal))
        return bool(wrong.any())

    def _diagonal(self) -> npt.NDArray[Any]:
        values = self.job.allocate(self.n, self.weights.dtype)
        self._launch_on_diagonal("diagonal", values)
        return self.job.download(values, self.n, self.weights.dtype)

    def _launch_on_diagonal(self, name: str, values: cl.Buffer) -> None:
        kernel = self.job.device.kernel("all_pairs/matrix.cl", name, **self.macros)
        sizes = (np.uint32(self.side), np.uint32(self.n))
        self.job.launch(kernel, self.n, _GROUP[0], self.dist.buffer, values, *sizes)

    def mark_paths_through(self, vertices: npt.NDArray[np.intp]) -> None:
        """Mark as unbounded what can pass one of these vertices."""
        job = self.job
        self.cycles = vertices
        self._reached = before, after = (
            job.allocate(len(vertices) * self.n, np.uint8),
            job.allocate(len(vertices) * self.n, np.uint8),
        )
        sizes = (np.uint32(self.side), np.uint32(self.n))
        reach = job.device.kernel("all_pairs/matrix.cl", "reach", **self.macros)
        cycles = job.upload(vertices.astype(np.int32))
        job.launch(reach, (self.n, len(vertices)), _GROUP, self.dist.buffer, cycles, before, after, *sizes)
        mark = job.device.kernel("all_pairs/matrix.cl", "mark", **self.macros)
        numbers = (self.weights.unbounded, np.uint32(len(vertices)))
        job.launch(mark, (self.n, self.n), _GROUP, self.dist.buffer, before, after, *numbers, *sizes)

    def _reach(self) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
        shape = len(self.cycles), self.n
        before, after = (self.job.download(each, shape[0] * shape[1], np.uint8) for each in self._reached)
        return before.reshape(shape).astype(np.bool_), after.reshape(shape).astype(np.bool_)

    @contextlib.contextmanager
    def rows_on_host(self, rows: slice) -> Iterator[npt.NDArray[Any]]:
        """Lend a copy of rows, of few enough to go through pinned memory at once, without what fills up tiles."""
        shape = (rows.stop - rows.start, self.side)
        with self.job.lent(self.dist.buffer, rows.start * self.side, shape, self.weights.dtype) as values:
            yield values[:, : self.n]

    def rows_on_device(self, rows: slice) -> Block:
        """Return rows where they are."""
        return self.dist.at(rows.start, 0)


def side_of(n: int) -> int:
    """Return n rounded up to tiles."""
    return round_up(n, 64 if n <= _SMALL else 128)
