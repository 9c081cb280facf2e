"""The matrix of path weights between all pairs of vertices, on one device (cl/all_pairs.cl)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from reedsp.device import Job, round_up
from reedsp.graph import Graph
from reedsp.path_matrix import Block, Weights

_GROUP = (64, 1)
_SMALL = 1024  # vertices, below which a side in whole tiles of 128 would be much larger than n
_ROWS_BYTES = 1 << 26  # that come from the device at a time


class PathMatrix:
    """Path weights on a device, filled up to whole tiles; at first those of the edges.

    Parameters
    ----------
    job : Job
    weights : Weights
    graph : Graph

    Attributes
    ----------
    graph : Graph
    n, side : int
        Vertices, and rows and columns of the matrix.
    block : Block, shape (side, side)
        Zero on the diagonal, or the weight of an edge from a vertex to itself if that is negative.
    """

    def __init__(self, job: Job, weights: Weights, graph: Graph) -> None:
        self.job = job
        self.weights = weights
        self.graph = graph
        self.n = graph.n
        self.side = round_up(graph.n, 64 if graph.n <= _SMALL else 128)
        self.block = Block(job.allocate(self.side * self.side, weights.dtype), self.side)
        macros = weights.macros(job.device)
        clear = job.device.kernel("all_pairs.cl", "clear", **macros)
        job.launch(clear, (self.side, self.side), _GROUP, self.block.buffer, np.uint32(self.side), np.uint32(self.n))
        if graph.m:
            scatter = job.device.kernel("all_pairs.cl", "scatter", **macros)
            sources = np.repeat(np.arange(self.n, dtype=np.int32), np.diff(graph.indptr))
            edges = (job.upload(sources), job.upload(graph.indices), job.upload(graph.weights.astype(weights.dtype)))
            sizes = (np.uint32(self.side), np.uint64(graph.m))
            job.launch(scatter, graph.m, _GROUP[0], self.block.buffer, *edges, *sizes)

    def vertices_on_negative_cycles(self) -> npt.NDArray[np.intp]:
        """Return the vertices that a path of negative weight leads back to (thesis section 5.2.3)."""
        size = self.weights.dtype.itemsize
        diagonal = self.job.allocate(self.n, self.weights.dtype)
        self.job.copy_rows(diagonal, 0, size, self.block.buffer, 0, (self.side + 1) * size, size, self.n)
        return np.flatnonzero(self.job.download(diagonal, self.n, self.weights.dtype) < 0)

    def mark_unbounded(self, on_cycles: npt.NDArray[np.intp]) -> None:
        """Make the weights of all paths that can pass a negative cycle less than any other.

        Parameters
        ----------
        on_cycles : ndarray of int
            Vertices on negative cycles; at least one of each cycle.
        """
        component = self.graph.strong_components()
        # What reaches one vertex of a strongly connected component reaches the others.
        _, chosen = np.unique(component[on_cycles], return_index=True)
        cycles = on_cycles[chosen].astype(np.int32)
        job, macros = self.job, self.weights.macros(self.job.device)
        before, after = (job.allocate(len(cycles) * self.n, np.uint8) for _ in range(2))
        sizes = (np.uint32(self.side), np.uint32(self.n))
        reach = job.device.kernel("all_pairs.cl", "reach", **macros)
        job.launch(reach, (self.n, len(cycles)), _GROUP, self.block.buffer, job.upload(cycles), before, after, *sizes)
        mark = job.device.kernel("all_pairs.cl", "mark", **macros)
        numbers = (self.weights.unbounded, np.uint32(len(cycles)))
        job.launch(mark, (self.n, self.n), _GROUP, self.block.buffer, before, after, *numbers, *sizes)

    def rows(self) -> Iterator[tuple[slice, npt.NDArray[np.generic]]]:
        """Yield some rows at a time, without what fills up tiles."""
        step = max(1, _ROWS_BYTES // (self.side * self.weights.dtype.itemsize))
        for first in range(0, self.n, step):
            last = min(first + step, self.n)
            rows = self.job.download_rows(
                self.block.buffer, first * self.side, (last - first, self.side), self.weights.dtype
            )
            yield slice(first, last), rows[:, : self.n]
