"""Graphs over the arrays of a user's matrix, which the device that is to search them looks at, and nothing copies."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.arithmetic.paths import Arithmetic, bounds_matter, choose_arithmetic, has_exact_sums
from reedsp.device.device import Device
from reedsp.device.job import Job
from reedsp.edges.device_graph import OutEdges
from reedsp.edges.preparation import MatrixRows, Preparation
from reedsp.edges.preparation_check import can_prepare
from reedsp.graph.graph import EXACT_IN_FLOAT64, Graph
from reedsp.system.parts import WORTH_THREADS, in_parts

_SAMPLE = 64  # weights
_FEW = 4096  # weights
_MOST_BYTES = 16  # of an edge
_INT32_MAX = np.iinfo(np.int32).max
_ROUNDED_UP = 1 + 2.0**-10  # more than a sum of some thousand numbers of float32 can lose
_WITHOUT_FP64 = (np.dtype(np.int32), np.dtype(np.int64), np.dtype(np.float32))
_INDICES = (np.dtype(np.int32), np.dtype(np.int64))


def is_compressed(indptr: npt.NDArray[Any], indices: npt.NDArray[Any], values: npt.NDArray[Any]) -> bool:
    """Return whether these can be the arrays of a CSR matrix with entries, of types that kernels read or are given."""
    if not indptr.ndim == indices.ndim == values.ndim == 1 or not {indptr.dtype, indices.dtype} <= set(_INDICES):
        return False
    if values.dtype.kind not in "biuf" or values.dtype.itemsize > 8:
        return False
    m = len(indices)
    return len(indptr) > 1 and len(values) == m > 0 and indptr[0] == 0 and bool(indptr[-1] == m)


def canonical_rows(
    indptr: npt.NDArray[Any], indices: npt.NDArray[Any], values: npt.NDArray[Any], device: Device
) -> MatrixRows | None:
    """Return the rows of a CSR matrix on a device if it has seen that they are those of a graph as they stand.

    Parameters as for :func:`graph_over`. Weights are not looked at: :func:`are_finite` does that.
    """
    if not is_compressed(indptr, indices, values) or not _fits(indices, device):
        return None
    arithmetic = Arithmetic(np.dtype(np.int32))
    if not can_prepare(device, (indptr.dtype, indices.dtype, indices.dtype), arithmetic, writes=False):
        return None
    preparation = Preparation(Job(device, recycle=True), indptr, indices, indices, arithmetic)
    if preparation.facts().canonical:
        return preparation.rows
    preparation.rows.close()
    return None


def graph_over(
    indptr: npt.NDArray[Any],
    indices: npt.NDArray[Any],
    values: npt.NDArray[Any],
    device: Device,
    unit: bool = False,
    *,
    directed: bool = True,
) -> Graph | None:
    """Return the graph of a CSR matrix, whose edges the device then has, too; None if the arrays are to be cleaned.

    Columns have to ascend in each row, none of them twice, and weights to be finite and integers or floats of at most
    64 bits; float64 has to hold the integers, and the weight of each path of theirs. Other arrays, corrupt ones among
    them, are for constructors of :class:`Graph`.

    Parameters
    ----------
    indptr : ndarray, shape (n + 1,)
    indices, values : ndarray, shape (m,)
    device : Device
    unit : bool
        Have every edge weigh 1; the weights have to be finite nevertheless.
    directed : bool
        False if each edge is there in both directions, with the same weight.
    """
    if not is_compressed(indptr, indices, values) or not _fits(values, device):
        return None
    n, m, values = len(indptr) - 1, len(indices), _readable(values)
    sample = values[:: max(1, m // _SAMPLE)]
    whole = unit or bool((sample == np.floor(sample)).all())
    guess = Arithmetic(np.dtype(np.int32 if whole else np.float64))
    if not can_prepare(device, (indptr.dtype, indices.dtype, values.dtype), guess, unit=unit):
        return None
    job = Job(device, recycle=True)
    preparation = Preparation(job, indptr, indices, values, guess, unit=unit)
    try:
        buffers = preparation.edges()
        seen = buffers.facts
        heaviest = max(-seen.low, seen.high)
        if not seen.canonical or (values.dtype.kind != "f" and heaviest > EXACT_IN_FLOAT64):
            return None
        facts = {"max_abs_weight": heaviest, "negative": seen.low < 0, "integral": seen.integral}
        if unit:
            values = np.broadcast_to(np.int32(1), m)
            facts = {"max_abs_weight": 1, "negative": False, "integral": True}
        elif seen.integral and n * heaviest < EXACT_IN_FLOAT64 and bounds_matter(n, heaviest):
            total = seen.total * _ROUNDED_UP
            facts["bound"] = total if total + heaviest < _INT32_MAX else float(preparation.sum_of_heaviest())
    finally:
        preparation.close()
        job.recycle()
    graph = Graph._over(indptr, indices, values, directed, **facts)
    if values.dtype.kind != "f" and not has_exact_sums(graph):
        return None
    arithmetic = choose_arithmetic(graph, np.dtype(np.float64))
    if arithmetic.dtype == guess.dtype:
        OutEdges.keep(graph, job, arithmetic, buffers)
    return graph


def _fits(values: npt.NDArray[Any], device: Device) -> bool:
    """Return whether the device can read the weights, and has room for the edges."""
    return _MOST_BYTES * len(values) <= device.max_allocation and (device.fp64 or values.dtype in _WITHOUT_FP64)


def are_finite(values: npt.NDArray[Any]) -> bool:
    """Return whether all weights are finite."""
    if values.dtype.kind != "f" or len(values) == 0:
        return True
    if len(values) <= _FEW:  # the extrema of others take longer than their sum
        return math.isfinite(values[values.argmin()]) and math.isfinite(values[values.argmax()])
    sums: list[float] = []

    def add_up(first: int, last: int) -> None:
        sums.append(float(np.einsum("i->", values[first:last])))  # quicker than a look at each, and without warnings

    in_parts(add_up, len(values), values.itemsize, WORTH_THREADS)
    return math.isfinite(sum(sums)) or bool(np.isfinite(values).all())


def _readable(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the weights in a type that kernels read."""
    is_read = values.dtype.isnative and values.dtype.itemsize >= 4 and values.dtype.kind in "if"
    return values if is_read else values.astype(np.float64)
