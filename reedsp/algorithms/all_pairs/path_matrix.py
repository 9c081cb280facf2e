"""The matrix of path weights between all pairs of vertices, wherever it is kept."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.arithmetic.matrix import Weights
from reedsp.arithmetic.paths import choose_arithmetic
from reedsp.device.job import Job
from reedsp.edges.overflow_error import VertexOverflowError
from reedsp.graph.graph import Graph, edge_sources
from reedsp.minplus.matrix import Block
from reedsp.system.parts import TRANSFERRED, in_parts

_ROWS_BYTES = 1 << 26  # that are worked on at a time
_BYTES_AT_A_TIME = 1 << 24  # of a part in which overflow is looked for, of which several are looked at together


class PathMatrix(ABC):
    """Path weights, at first those of the edges: zero on the diagonal, or the weight of a negative edge there.

    Parameters
    ----------
    job : Job
    weights : Weights
    graph : Graph
    side : int
        Elements of a row, with what fills up tiles.
    rows : slice, optional
        Those that there are; by default all.

    Attributes
    ----------
    job, weights, graph
        The arguments.
    jobs : list of Job
        All there have been.
    n : int
        Vertices.
    rows : slice
        The rows that there are: all, or those of some vertices.
    cycles : ndarray of int
        Vertices of negative cycles: paths that can pass one are marked.
    macros : dict
        Those of the weights.
    row_bytes : int
        Bytes of a row, with what fills up tiles.
    dist : Block or ndarray, shape (n, n)
        The path weights, where they are.
    """

    dist: Block | npt.NDArray[Any]

    def __init__(self, job: Job, weights: Weights, graph: Graph, side: int, rows: slice | None = None) -> None:
        self.job = job
        self.jobs: list[Job] = [job]
        self.weights = weights
        self.macros = weights.macros(job.device.kind)
        self.graph = graph
        self.n: int = graph.n
        self.rows = slice(0, graph.n) if rows is None else rows
        self.cycles = np.empty(0, np.intp)
        self.row_bytes: int = side * weights.dtype.itemsize

    def vertices_on_negative_cycles(self) -> npt.NDArray[np.intp]:
        """Return the vertices that a path of negative weight leads back to (thesis section 5.2.3)."""
        return np.flatnonzero(self._diagonal() < 0)

    def mark_unbounded(self, on_cycles: npt.NDArray[np.intp]) -> None:
        """Make the weights of all paths that can pass a negative cycle less than any other, in what is read.

        Parameters
        ----------
        on_cycles : ndarray of int
            Vertices on negative cycles; at least one of each cycle.
        """
        if len(on_cycles):
            self.mark_paths_through(one_of_each(self.graph, on_cycles))

    def unbounded(self, sources: npt.NDArray[np.intp]) -> npt.NDArray[np.bool_]:
        """Return which paths from some vertices of the rows are marked, shape (k, n)."""
        marked = np.zeros((len(sources), self.n), np.bool_)
        if len(self.cycles):
            for before, after in zip(*self._reach(), strict=True):
                marked[np.ix_(before[sources - self.rows.start], after)] = True
        return marked

    def slices(self) -> Iterator[slice]:
        """Yield some rows at a time."""
        step = max(1, _ROWS_BYTES // self.row_bytes)
        for first in range(self.rows.start, self.rows.stop, step):
            yield slice(first, min(first + step, self.rows.stop))

    def refuse_overflow(self) -> None:
        """Raise if rounded sums have left the range of floats, where the matrix then says "no path".

        From where a path leads to, an edge leads on: if that ends where there is "no path", a sum has overflowed. Only
        heavy weights make it worth a look.

        Raises
        ------
        OverflowError
            There is such a path.
        """
        graph, dtype = self.graph, self.weights.dtype
        if dtype.kind != "f" or not choose_arithmetic(graph, dtype).saturate:
            return
        starts = edge_sources(graph)

        def look(start: int, end: int) -> None:
            first_row = self.rows.start + start
            with self.rows_on_host(slice(first_row, self.rows.start + end)) as values:
                reached = np.packbits(values != self.weights.no_path, axis=0)  # 8 rows in a byte
            step = max(1, _BYTES_AT_A_TIME // len(reached))
            for first in range(0, graph.m, step):
                edges = slice(first, first + step)
                lost = reached[:, starts[edges]] & ~reached[:, graph.indices[edges]]
                if lost.any():
                    byte, edge = np.argwhere(lost)[0]
                    source = first_row + 8 * int(byte) + int(np.unpackbits(lost[byte, edge : edge + 1]).argmax())
                    raise VertexOverflowError(f"a distance from vertex {{}} is beyond {dtype}", graph.names[source])

        in_parts(look, self.rows.stop - self.rows.start, self.row_bytes, TRANSFERRED)

    def _below_zero(self, diagonal: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
        """Return which path weights from vertices to themselves are below zero, and not marked.

        What they are does not tell: where rounding makes a cycle less than zero, they may fall to -inf.
        """
        below: npt.NDArray[np.bool_] = diagonal < 0
        if len(self.cycles):
            before, after = self._reach()
            below &= ~(before & after[:, self.rows]).any(axis=0)
        return below

    @abstractmethod
    def reset_diagonal(self) -> bool:
        """Return whether a path weight from a vertex to itself was below zero and not marked; it may be zero now."""

    @abstractmethod
    def rows_on_host(self, rows: slice) -> AbstractContextManager[npt.NDArray[Any]]:
        """Lend rows to be read, shape (rows, n): one, or no more than reedsp.system.parts.TRANSFERRED bytes of them."""

    @abstractmethod
    def rows_on_device(self, rows: slice) -> Block:
        """Return rows on the device of `job`."""

    @abstractmethod
    def _diagonal(self) -> npt.NDArray[Any]:
        """Return the path weights from each vertex to itself."""

    @abstractmethod
    def mark_paths_through(self, vertices: npt.NDArray[np.intp]) -> None:
        """Mark as unbounded what can pass one of these vertices, which `cycles` then are."""

    @abstractmethod
    def _reach(self) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
        """Return which rows lead to each of `cycles`, and where that leads to: shapes (k, rows) and (k, n)."""


def one_of_each(graph: Graph, vertices: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
    """Return one of the vertices of each strongly connected component: what reaches it reaches the others."""
    _, chosen = np.unique(graph.strong_components()[vertices], return_index=True)
    return vertices[chosen]
