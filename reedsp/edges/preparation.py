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
from reedsp.device.job import Job

_FILE = "edges/prepare.cl"
_CPU_PIECE = 1 << 14  # entries of a work-group
_GPU_GROUP, _GPU_PIECE = 128, 1 << 13
_VALUES = tuple(np.dtype(kind) for kind in (np.int32, np.int64, np.float32, np.float64))
"""Types of weights that kernels read."""


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
    """

    canonical: bool
    integral: bool
    low: Any
    high: Any


@dataclass(frozen=True)
class PreparedEdges:
    """Edges on a device, as cl/core/out_edges.cl has them.

    Attributes
    ----------
    first_edge : pyopencl.Buffer of uint32, or of uint64 if there are 2^32 edges or more, shape (n + 1,)
    edges : pyopencl.Buffer of pairs (int32 target, weight in the arithmetic's dtype), aligned as in C, shape (m,)
    macros : dict
        OFFSET, the OpenCL C type of `first_edge`.
    facts : Facts
    """

    first_edge: cl.Buffer
    edges: cl.Buffer
    macros: dict[str, str | int]
    facts: Facts


def prepare(
    job: Job,
    indptr: npt.NDArray[Any],
    indices: npt.NDArray[Any],
    values: npt.NDArray[Any],
    arithmetic: Arithmetic,
    *,
    unit: bool = False,
) -> PreparedEdges:
    """Return the edges of a matrix on the job's device.

    A CPU device reads the arrays where they are.

    Parameters
    ----------
    job : Job
    indptr : ndarray of int32 or int64, shape (n + 1,)
        It begins with 0 and ends with m.
    indices : ndarray of int32 or int64, shape (m,)
    values : ndarray of real numbers, shape (m,)
        The weights.
    arithmetic : Arithmetic
        Whose type the weights of the edges get. One that this does not hold becomes any number.
    unit : bool
        Have every edge weigh 1.
    """
    n, m, device = len(indptr) - 1, len(indices), job.device
    if values.dtype not in _VALUES or (values.dtype.itemsize == 8 and values.dtype.kind == "f" and not device.fp64):
        values = values.astype(arithmetic.dtype)
    is_cpu = device.kind == "cpu"
    group, piece = (1, _CPU_PIECE) if is_cpu else (_GPU_GROUP, _GPU_PIECE)
    offset = np.dtype(np.uint32 if m < 1 << 32 else np.uint64)
    macros: dict[str, str | int] = {"OFFSET": C_TYPES[offset]}
    options: dict[str, str | int] = {
        "GROUP_SIZE": group,
        "PIECE": piece,
        "VALUE": C_TYPES[values.dtype],
        "VALUE_IS_INTEGER": int(values.dtype.kind == "i"),
        "UNIT": int(unit),
        "POINTER": C_TYPES[indptr.dtype],
        "INDEX": C_TYPES[indices.dtype],
        **macros,
        **arithmetic.macros,
    }
    fact = np.dtype([("low", values.dtype), ("high", values.dtype), ("flags", "u4"), ("descents", "u4")], align=True)
    pieces, row_pieces = -(-m // piece), -(-(n + 1) // piece)
    pointers, columns, weights = (
        job.borrow(array, writable=False) if is_cpu and array.size else job.upload(array)
        for array in map(np.ascontiguousarray, (indptr, indices, values))
    )
    first_edge = job.allocate(n + 1, offset, keep=True)
    edges = job.allocate(m, np.dtype([("target", np.int32), ("weight", arithmetic.dtype)], align=True), keep=True)
    facts = [job.allocate(count, fact) for count in (pieces, row_pieces)]
    sizes = np.uint64(m), np.uint32(n)
    rows = device.kernel(_FILE, "prepare_rows", **options)
    args = (pointers, columns, first_edge, facts[1])
    job.launch(
        rows,
        row_pieces * group,
        group,
        *args,
        *sizes,
        slices=even(0, row_pieces * group, group, n, device.steps_at_once),
    )
    if m > 0:
        entries = device.kernel(_FILE, "prepare_edges", **options)
        args = (columns, weights, edges, facts[0])
        job.launch(
            entries,
            pieces * group,
            group,
            *args,
            *sizes,
            slices=even(0, pieces * group, group, m, device.steps_at_once),
        )
    seen = job.download(facts[0], pieces, fact)
    of_rows = job.download(facts[1], row_pieces, fact)
    job.return_borrowed()
    return PreparedEdges(first_edge, edges, macros, _joined(seen, of_rows))


def _joined(entries: npt.NDArray[Any], rows: npt.NDArray[Any]) -> Facts:
    """Join what each work-group has seen of the entries, and of the rows."""
    bits = constants(_FILE)
    flags = int(np.bitwise_or.reduce(entries["flags"], initial=0) | np.bitwise_or.reduce(rows["flags"]))
    descents = [int(each["descents"].sum(dtype=np.int64)) for each in (entries, rows)]
    return Facts(
        canonical=not flags & ~bits["FRACTIONAL"] and descents[0] == descents[1],
        integral=not flags & bits["FRACTIONAL"],
        low=entries["low"].min(initial=0).item(),
        high=entries["high"].max(initial=0).item(),
    )
