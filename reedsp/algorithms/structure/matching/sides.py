"""Both sides of a bipartite graph on a device (cl/matching/rows.cl): columns of rows, and rows of columns."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyopencl as cl

from reedsp.algorithms.structure.matching.biadjacency import Biadjacency
from reedsp.device.device import Device
from reedsp.device.dispatch import even
from reedsp.device.job import Job
from reedsp.edges.preparation import MatrixRows
from reedsp.primitives.operators import resolve
from reedsp.primitives.plans import Buffers, Elements
from reedsp.primitives.scan import plan_scan

FILE = "matching/rows.cl"

Mates = tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]
"""The column of each row, and the row of each column; -1 where there is none."""

_PIECE = 1 << 14
_GROUP_SIZE = 256
_MOST_PARTS = 8
_FEWEST_ENTRIES = 1 << 15  # of a part: fewer are counted sooner than a second work-item has begun
_LONGEST_STEP = 1 << 24  # entries, which take some 50 ms
_COUNT = np.dtype(np.uint32)


class Rows:
    """The rows of a bipartite graph on a device.

    A CPU device reads the arrays of the graph where they are, until :meth:`close`.

    Parameters
    ----------
    job : Job
    graph : Biadjacency
        With at least one entry.

    Attributes
    ----------
    job : Job
    n, columns, m : int
        Rows, columns and entries.
    indptr, indices : pyopencl.Buffer
        As given.
    macros : dict
        POINTER and INDEX, their types in OpenCL C.
    """

    def __init__(self, job: Job, graph: Biadjacency) -> None:
        self.job, self.n, self.columns, self.m = job, graph.n, graph.columns, graph.m
        self._graph = graph
        self._rows = MatrixRows(job, graph.indptr, graph.indices)
        self.indptr, self.indices, self.macros = self._rows.indptr, self._rows.indices, self._rows.macros

    def look(self, wrong: cl.Buffer) -> None:
        """Queue a look at the row pointers, which sets `wrong` to 1 if they do not ascend from 0 to m."""
        device = self.job.device
        group, piece = _shape(device, device.kind == "cpu")
        pieces = -(-self.n // piece)
        self.job.launch(
            device.kernel(FILE, "look", APART=int(piece > 1), PIECE=piece, **self.macros),
            *(pieces, group, self.indptr, wrong, np.uint64(self.m), np.uint32(self.n)),
            slices=even(0, pieces, group, self.n, device.steps_at_once),
        )

    def check(self, wrong: cl.Buffer) -> None:
        """Raise if `wrong` was set.

        Raises
        ------
        ValueError
            The arrays are no rows of a matrix.
        """
        if self.job.download(wrong, 1, np.uint32)[0]:
            self._graph.refuse_corrupt()
            raise ValueError("graph: its row pointers do not ascend, or an index is out of range")

    def close(self) -> None:
        """Read the arrays of the graph no more."""
        self._rows.close()


class Sides(Rows):
    """The rows of a bipartite graph on a device, and its columns.

    The rows of a column ascend on a CPU; on a GPU, where that takes long, they come in any order.

    Parameters
    ----------
    job, graph
        As for :class:`Rows`.

    Attributes
    ----------
    first_row : pyopencl.Buffer of uint32, shape (columns + 1,)
    rows : pyopencl.Buffer of int32, shape (m,)
        The rows of column ``j`` are ``first_row[j] .. first_row[j + 1] - 1`` of these.

    Raises
    ------
    ValueError
        The arrays are no rows of a matrix.
    """

    def __init__(self, job: Job, graph: Biadjacency) -> None:
        super().__init__(job, graph)
        self.first_row: cl.Buffer = job.allocate(self.columns + 1, _COUNT)
        self.rows: cl.Buffer = job.allocate(self.m, np.int32)
        try:
            self._transpose(job.device.kind == "cpu")
        except BaseException:
            self.close()
            raise

    def _transpose(self, apart: bool) -> None:
        job, n, columns, m = self.job, self.n, self.columns, self.m
        parts = parts_of(job.device, m) if apart else 1
        group, piece = _shape(job.device, apart)
        items, steps = (parts, -(-m // (parts * _LONGEST_STEP))) if apart else (m, 1)
        sizes = (np.uint32(columns), np.uint32(parts))
        counts = job.full(parts * columns, np.uint32(0))
        wrong, totals = job.full(1, np.uint32(0)), job.allocate(columns + 1, _COUNT)
        macros: dict[str, str | int] = {"APART": int(apart), "PIECE": piece, **self.macros}
        kernels = {name: job.device.kernel(FILE, name, **macros) for name in ("count", "combine", "scatter")}
        whole = even(0, items, group, m, job.device.steps_at_once)
        at_once = None if apart else whole

        self.look(wrong)
        for step in map(np.uint32, range(steps)):
            numbers = (np.uint64(m), *sizes, step, np.uint32(steps))
            job.launch(kernels["count"], items, group, self.indices, counts, wrong, *numbers, slices=at_once)
        self.check(wrong)
        pieces = -(-(columns + 1) // piece)
        job.launch(
            *(kernels["combine"], pieces, group, counts, totals, *sizes),
            slices=even(0, pieces, group, columns * parts, job.device.steps_at_once),
        )
        sums = Elements(resolve("add", _COUNT), _COUNT, built_in=True, exclusive=True)
        buffers = Buffers(totals, totals, self.first_row, job.allocate(1, _COUNT))
        for kernel in plan_scan(job, sums, buffers, columns + 1):
            kernel.queue()
        arrays = (self.indptr, self.indices, counts, self.first_row, self.rows)
        for step in map(np.uint32, range(steps)):
            more = (np.uint64(m), np.uint32(n), *sizes, step, np.uint32(steps))
            job.launch(kernels["scatter"], items, group, *arrays, *more, slices=at_once)


def parts_of(device: Device, m: int) -> int:
    """Return how many work-items of a device share so many entries, if each of them does much at a time."""
    return max(1, min(device.compute_units, _MOST_PARTS, m // _FEWEST_ENTRIES))


def _shape(device: Device, apart: bool) -> tuple[int, int]:
    """Return the size of work-groups, and how much a work-item does."""
    return (1, _PIECE) if apart else (min(_GROUP_SIZE, device.max_work_group_size), 1)


def downloaded(job: Job, mates: cl.Buffer, n: int, columns: int) -> Mates:
    """Return what the rows, and the columns behind them in one buffer, are matched with."""
    found = np.empty(n, np.int32), np.empty(columns, np.int32)
    job.download_into(found[0], mates)
    job.download_into(found[1], mates, n)
    return found
