"""Full matchings by shortest augmenting paths, in one work-item (cl/assignment/paths.cl)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.algorithms.structure.assignment.weights import Weights, auctions_fit
from reedsp.arithmetic.types import C_TYPES
from reedsp.device.build import constants
from reedsp.device.iterate import Pace, repeated
from reedsp.device.job import Job
from reedsp.edges.preparation import MatrixRows
from reedsp.system.progress_bar import Report

_FILE = "assignment/paths.cl"
_FIRST_BUDGET = 1 << 21  # edges
_SPARSE = 64  # weights of a row, up to which auctions pay
_LARGEST_SPREAD = 2.0**12  # of fractions, in typical weights
_FIRST_EPSILON, _LAST_EPSILON = 4, 8  # parts of the range of the weights, the last one of those of each row

NO_FULL_MATCHING = "no full matching exists"
"""What the error says, as SciPy's does."""


@dataclass(frozen=True, eq=False)
class Found:
    """A full matching of the rows, and the prices of the columns that prove it.

    Attributes
    ----------
    edges : ndarray of int64, shape (rows,)
        Index of the weight by which each row is matched.
    prices : ndarray of int64 or float64, shape (columns,)
        Not above 0, and 0 where the column is free; of the negative weights, where the maximum was looked for.
    rounds : int
    """

    edges: npt.NDArray[np.int64]
    prices: npt.NDArray[Any]
    rounds: int


def shortest_paths(job: Job, weights: Weights, maximum: bool, progress: Report | None = None) -> Found:
    """Match every row, of which there are at most as many as columns.

    Parameters
    ----------
    job : Job
    weights : Weights
        At least one. Integers whose prices int64 holds, or fractions, for devices with double precision.
    maximum : bool
        Find the maximum weight instead of the minimum.
    progress : callable(rows, most), optional

    Raises
    ------
    ValueError
        There is no full matching.
    """
    rows, columns, device = weights.rows, weights.columns, job.device
    layout = constants(_FILE)
    kind: np.dtype[Any] = np.dtype(np.int64 if weights.is_integral else np.float64)
    largest = "LONG_MAX" if weights.is_integral else "DBL_MAX"
    limit: Any = np.iinfo(np.int64).max if weights.is_integral else np.finfo(np.float64).max
    matrix = MatrixRows(job, weights.indptr, weights.indices)
    macros: dict[str, str | int] = {
        "VALUE": C_TYPES[weights.values.dtype],
        "SUM": C_TYPES[kind],
        "SUM_MAX": largest,
        "NEGATED": int(maximum),
    }
    try:
        values = job.reads(weights.values)
        edge_of, row_of = job.full(rows, np.int64(-1)), job.full(columns, np.int32(-1))
        price, dist = job.full(columns, kind.type(0)), job.full(columns, kind.type(limit))
        edge_to, row_to = job.allocate(columns, np.int64), job.allocate(columns, np.int32)
        heap, slot = job.allocate(columns, np.int32), job.full(columns, np.int32(layout["NOT_REACHED"]))
        free_rows = job.upload(np.arange(rows, dtype=np.int32))
        begin = np.zeros(layout["STATE_WORDS"], np.int32)
        begin[layout["FREE"]] = rows
        first_sums = np.zeros(layout["SUMS"], kind)
        shift = _shift(weights, maximum, kind)
        first_sums[layout["EPSILON"]], last_epsilon = _epsilons(weights, kind, shift)
        state, sums = job.upload(begin), job.upload(first_sums)
        arrays = (edge_of, row_of, price, dist, edge_to, row_to, heap, slot, free_rows, state, sums)
        sizes = (shift, kind.type(last_epsilon), np.int32(rows), np.int32(columns))
        kernel = device.kernel(_FILE, "solve", **matrix.macros, **macros)
        solve = job.bind(kernel, 1, 1, matrix.indptr, matrix.indices, values, *arrays, *sizes, np.uint64(0))
        for _ in repeated(solve, Pace(_FIRST_BUDGET)):
            words = job.download(state, layout["STATE_WORDS"], np.int32)
            if words[layout["STEP"]] >= layout["DONE"]:
                break
            if progress is not None:
                progress(int(words[layout["NEXT"]]), rows)
        if words[layout["STEP"]] == layout["INFEASIBLE"]:
            raise ValueError(NO_FULL_MATCHING)
        with job.phases.within("download"):
            edges, prices = job.download(edge_of, rows, np.int64), job.download(price, columns, kind)
    finally:
        matrix.close()
    return Found(edges, prices, int(words[layout["FREE"]]))


def _shift(weights: Weights, maximum: bool, kind: np.dtype[Any]) -> Any:
    """Return what is taken from every weight; of fractions nothing, from which small ones would be rounded away.

    But fractions that are all of one size are added up with more digits without it.
    """
    lowest, highest = weights.values.min().astype(kind), weights.values.max().astype(kind)
    are_alike = 0 < lowest <= highest <= 2 * lowest or 2 * highest <= lowest <= highest < 0
    if not (weights.is_integral or are_alike):
        return kind.type(0)
    return highest if maximum else lowest


def _epsilons(weights: Weights, kind: np.dtype[Any], shift: Any) -> tuple[Any, Any]:
    """Return the first and the last epsilon of the auctions; 0 for the first if there shall be none.

    Of fractions they are of the size of those that rows can be matched by: from prices of the size of one that is very
    large, as for what must not be matched, the others would be rounded away.
    """
    is_suited = weights.rows == weights.columns and weights.m <= _SPARSE * weights.rows
    if not is_suited or (weights.is_integral and not auctions_fit(weights)):
        return kind.type(0), kind.type(0)
    lowest, highest = weights.values.min().item(), weights.values.max().item()
    if weights.is_integral:
        return max(1, (highest - lowest) // _FIRST_EPSILON), 1
    sizes = np.abs(weights.values - shift)
    sizes[sizes == 0] = np.inf
    least = np.minimum.reduceat(sizes, weights.indptr[:-1][np.diff(weights.indptr) > 0])
    typical = np.median(least[np.isfinite(least)]) if np.isfinite(least).any() else 1.0
    spread = min(highest - lowest, _LARGEST_SPREAD * float(typical))
    last = spread / (_LAST_EPSILON * weights.rows)
    return max(last, spread / _FIRST_EPSILON), last
