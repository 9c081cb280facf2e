"""From the arrays of a compressed sparse row matrix to edges on a device, in one pass (cl/edges/prepare.cl)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyopencl as cl

from reedsp.arithmetic.paths import Arithmetic
from reedsp.arithmetic.types import C_TYPES
from reedsp.device.build import constants
from reedsp.device.dispatch import even
from reedsp.device.job import Job, Memory

_FILE = "edges/prepare.cl"
_CPU_PIECE = 1 << 14  # entries of a work-group
_GPU_GROUP, _GPU_PIECE = 128, 1 << 13


@dataclass(frozen=True)
class Facts:
    """What the pass has seen.

    Attributes
    ----------
    canonical : bool
        Whether the arrays are those of a graph as it stands: row pointers ascend from 0 to m, columns are in range and
        ascend in each row, none of them twice, and weights are finite.
    integral : bool
        Whether every weight is an integer.
    low, high : number
        Minimum and maximum of the weights and 0.
    total : float
        Sum of the magnitudes of the weights, rounded; infinity if the arrays are not canonical.
    longest : int
        The most edges of a row.
    """

    canonical: bool
    integral: bool
    low: Any
    high: Any
    total: float
    longest: int


@dataclass(frozen=True)
class EdgeBuffers:
    """Edges on a device, as cl/core/out_edges.cl has them; the device has the buffers back when this object goes.

    Attributes
    ----------
    first_edge : pyopencl.Buffer of uint32, or of uint64 if there are 2^32 edges or more, shape (n + 1,)
    edges : pyopencl.Buffer of pairs (int32 target, weight in the arithmetic's dtype), aligned as in C, shape (m,)
    macros : dict
        OFFSET, the OpenCL C type of `first_edge`.
    facts : Facts
        What was seen on the way.
    """

    first_edge: cl.Buffer
    edges: cl.Buffer
    macros: dict[str, str | int]
    facts: Facts


class MatrixRows:
    """Row pointers and columns of a matrix, which a CPU device reads where they are.

    Parameters
    ----------
    job : Job
    indptr : ndarray of int32 or int64, shape (n + 1,)
    indices : ndarray of int32 or int64, shape (m,)

    Attributes
    ----------
    job : Job
    n, m : int
    indptr, indices : pyopencl.Buffer or pyopencl.SVM
    macros : dict
        POINTER and INDEX, their types in OpenCL C.
    """

    def __init__(self, job: Job, indptr: npt.NDArray[Any], indices: npt.NDArray[Any]) -> None:
        self.job = job
        self.n, self.m = len(indptr) - 1, len(indices)
        self.indptr, self.indices = job.reads(indptr, keep=False), job.reads(indices, keep=False)
        self.macros: dict[str, str | int] = {"POINTER": C_TYPES[indptr.dtype], "INDEX": C_TYPES[indices.dtype]}

    def close(self) -> None:
        """Read the arrays no more."""
        self.job.return_borrowed()
        self.job.recycle()


class Preparation:
    """The arrays of a matrix, which a CPU device reads where they are.

    Parameters
    ----------
    job : Job
    indptr : ndarray of int32 or int64, shape (n + 1,)
        It begins with 0 and ends with m.
    indices : ndarray of int32 or int64, shape (m,)
    values : ndarray of int32, int64, float32 or float64, shape (m,)
        The weights, or `indices` once more if they are not to be looked at. The last ones are for devices with double
        precision.
    arithmetic : Arithmetic
        Whose type the weights of the edges get. One that this does not hold becomes any number.
    unit : bool
        Have every edge weigh 1.

    Attributes
    ----------
    rows : MatrixRows
    """

    def __init__(
        self,
        job: Job,
        indptr: npt.NDArray[Any],
        indices: npt.NDArray[Any],
        values: npt.NDArray[Any],
        arithmetic: Arithmetic,
        *,
        unit: bool = False,
    ) -> None:
        self.rows = MatrixRows(job, indptr, indices)
        self._job, self._n, self._m, self._dtype = job, self.rows.n, self.rows.m, arithmetic.dtype
        is_cpu = job.device.kind == "cpu"
        self._value = values.dtype
        self._group, self._piece = (1, _CPU_PIECE) if is_cpu else (_GPU_GROUP, _GPU_PIECE)
        self._offset = np.dtype(np.uint32 if self._m < 1 << 32 else np.uint64)
        self._macros: dict[str, str | int] = {"OFFSET": C_TYPES[self._offset]}
        self._options: dict[str, str | int] = {
            "GROUP_SIZE": self._group,
            "PIECE": self._piece,
            "VALUE": C_TYPES[values.dtype],
            "VALUE_IS_INTEGER": int(values.dtype.kind == "i"),
            "UNIT": int(unit),
            "WRITES": 0,
            **self.rows.macros,
            **self._macros,
            **arithmetic.macros,
        }
        self._indptr, self._indices = self.rows.indptr, self.rows.indices
        self._values = self._indices if values is indices else job.reads(values, keep=False)

    def edges(self) -> EdgeBuffers:
        """Return the edges, and what was seen on the way."""
        edge = np.dtype([("target", np.int32), ("weight", self._dtype)], align=True)
        first_edge, edges = self._job.allocate(self._n + 1, self._offset), self._job.allocate(self._m, edge)
        found = EdgeBuffers(first_edge, edges, self._macros, self._look(first_edge, edges, writes=True))
        self._job.recycle_with(found, first_edge, edges)
        return found

    def facts(self) -> Facts:
        """Return what there is to see, and write no edges."""
        nothing = self._job.allocate(1, np.uint64)
        return self._look(nothing, nothing, writes=False)

    def _look(self, first_edge: cl.Buffer, edges: cl.Buffer, writes: bool) -> Facts:
        n, m = self._n, self._m
        self._options["WRITES"] = int(writes)
        value = self._value
        total = np.uint64 if value.kind == "i" else value
        counts = [("flags", np.uint32), ("descents", np.int32), ("longest", np.uint32)]
        fact = [("low", value), ("high", value), ("total", total), *counts]
        arrays = self._indptr, self._indices, self._values, first_edge, edges
        sizes = np.uint64(m), np.uint32(n)
        seen = self._launch((n + 1, m), "prepare", arrays, np.dtype(fact, align=True), *sizes)
        flags, fractional = int(np.bitwise_or.reduce(seen["flags"])), constants(_FILE)["FRACTIONAL"]
        canonical = not flags & ~fractional and int(seen["descents"].sum(dtype=np.int64)) == 0
        return Facts(
            canonical=canonical,
            integral=not flags & fractional,
            low=seen["low"].min().item(),
            high=seen["high"].max().item(),
            total=float(seen["total"].sum(dtype=np.float64)) if canonical else np.inf,
            longest=int(seen["longest"].max()),
        )

    def sum_of_heaviest(self) -> int:
        """Return the sum over the vertices of the heaviest edge that leaves each, rounded up; it has to fit into int64.

        Row pointers have to be in order.
        """
        arrays = self._indptr, self._values
        sums = self._launch((self._n,), "sum_heaviest", arrays, np.dtype(np.uint64), np.uint32(self._n))
        return int(sums.sum())

    def close(self) -> None:
        """Read the arrays no more."""
        self._job.return_borrowed()

    def _launch(
        self, counts: tuple[int, ...], name: str, args: tuple[Memory, ...], dtype: np.dtype[Any], *sizes: np.generic
    ) -> npt.NDArray[Any]:
        """Launch a kernel over rows, or these and entries, and return what each of its work-groups has written."""
        job, group = self._job, self._group
        groups = sum(-(-count // self._piece) for count in counts)
        kernel = job.device.kernel(_FILE, name, **self._options)
        written = job.allocate(groups, dtype)
        slices = even(0, groups * group, group, sum(counts), job.device.steps_at_once)
        job.launch(kernel, groups * group, group, *args, written, *sizes, slices=slices)
        return job.download(written, groups, dtype)
