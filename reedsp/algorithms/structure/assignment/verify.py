"""Prove a full matching by its prices, on a device (cl/assignment/verify.cl); without them where they are too large."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.algorithms.structure.assignment.weights import Weights
from reedsp.arithmetic.types import C_TYPES
from reedsp.device.build import constants
from reedsp.device.job import Job
from reedsp.edges.negative_cycles import hidden_negative_cycle
from reedsp.edges.verify import VerificationError
from reedsp.graph.graph import Graph

_FILE = "assignment/verify.cl"
_GROUP_SIZE = 64
_PART = 1 << 21  # weights a launch
_NONE = 0xFFFFFFFF
_USUAL = 16  # times the rows, and 16, times the heaviest weight of a matching, which prices seldom exceed
_ROUNDS = 64  # of relaxations, after which exact sums decide about more edges than they would have to
_RULES = {
    "FEASIBLE": "row {}: its price and that of a column are beyond the weight between them",
    "TIGHT": "row {}: the weight by which it is matched is none of its own, or not its price and that of the column",
    "FREE_ROW": "row {}: it is free, or may be, and its price does not say so",
    "FREE_COLUMN": "column {}: it is free, or may be, and its price does not say so",
    "MATCHED_ONCE": "column {}: it is matched more than once",
}


def verify_full(
    job: Job,
    weights: Weights,
    edges: npt.NDArray[np.int64],
    row_prices: npt.NDArray[Any],
    column_prices: npt.NDArray[Any],
    maximum: bool,
) -> None:
    """Check that no full matching weighs less, or more.

    Parameters
    ----------
    job : Job
    weights : Weights
    edges : ndarray of int64, shape (rows,)
        Index of the weight by which each row is matched, -1 for none.
    row_prices, column_prices : ndarray of int64, or of float64 if the weights are fractions
        Finite.
    maximum : bool

    Raises
    ------
    VerificationError
        A rule is broken; the message names a row or a column.
    """
    rows, columns = weights.rows, weights.columns
    kind: np.dtype[Any] = np.dtype(np.int64 if weights.is_integral else np.float64)
    layout = constants(_FILE)
    macros: dict[str, str | int] = {
        "VALUE": C_TYPES[weights.values.dtype],
        "SUM": C_TYPES[kind],
        "IS_INTEGER": int(weights.is_integral),
        "NEGATED": int(maximum),
    }
    prices = [-each.astype(kind) if maximum else each.astype(kind) for each in (row_prices, column_prices)]
    matrix = [job.reads(each) for each in (weights.indptr.astype(np.int64), weights.indices.astype(np.int32))]
    values, edge_of = job.reads(weights.values), job.reads(np.asarray(edges, np.int64))
    row_price, column_price = (job.reads(each) for each in prices)
    matched, offenders = job.full(columns, np.uint32(0)), job.full(len(_RULES), np.uint32(_NONE))
    cuts = np.searchsorted(weights.indptr, np.arange(0, weights.m, _PART)).tolist()
    arrays = (*matrix, values, edge_of, row_price, column_price, matched, offenders)
    heaviest, largest = _sizes(weights, edges, prices)
    options = (kind.type(_tolerance(weights, max(heaviest, largest))), np.uint32(rows > columns))
    kernels = {name: job.device.kernel(_FILE, name, **macros) for name in ("check_rows", "check_columns")}
    for begin, end in pairwise(sorted({0, *cuts, rows})):
        part = (np.uint32(begin), np.uint32(end))
        job.launch(kernels["check_rows"], end - begin, _GROUP_SIZE, *arrays, *options, *part)
        job.finish()
    last = (np.uint32(columns > rows), np.uint32(columns))
    job.launch(kernels["check_columns"], columns, _GROUP_SIZE, matched, column_price, offenders, *last)
    found = job.download(offenders, len(_RULES), np.uint32).tolist()
    job.return_borrowed()
    for rule, fault in _RULES.items():
        if (offender := found[layout[rule]]) != _NONE:
            raise VerificationError(fault.format(offender))
    usual = _USUAL * (rows + 16) * heaviest
    if not weights.is_integral and largest > usual:
        _refuse_better(weights, edges, maximum, _tolerance(weights, usual))


def _sizes(weights: Weights, edges: npt.NDArray[np.int64], prices: Sequence[npt.NDArray[Any]]) -> tuple[float, float]:
    """Return the sizes of the heaviest weight in the matching and of the largest price.

    Weights that are not in the matching are in no sum: one that is very large, as for what must not be matched, excuses
    no other.
    """
    matched = weights.values[edges[(edges >= 0) & (edges < weights.m)]]
    heaviest, *largest = (float(np.abs(each).max(initial=0)) for each in (matched, *prices))
    return heaviest, max(largest)


def _tolerance(weights: Weights, size: float) -> float:
    """Return what rounding may have taken from a sum of two prices of a size; 0 for integers."""
    if weights.is_integral:
        return 0
    float64 = np.finfo(np.float64)  # whose smallest number has no half
    return float(float64.eps * (weights.rows + 16) * size + 2 * float64.smallest_subnormal)


def _refuse_better(weights: Weights, edges: npt.NDArray[np.int64], maximum: bool, tolerance: float) -> None:
    """Check that no exchange of pairs makes a matching better, beyond a tolerance for each pair.

    Prices beside which the weights are rounded away prove nothing. An exchange is a cycle: from a row to its new
    column, from there to the row that has had this one, and so on; or by way of one more vertex between what becomes
    free and what was. Prices of the host's own say which edges need a look; these are added up exactly.
    """
    rows, columns = weights.rows, weights.columns
    values = -weights.values if maximum else weights.values
    matched = np.flatnonzero(edges >= 0)
    taken = rows + weights.indices[edges[matched]]
    outside = rows + columns
    free = np.setdiff1d(np.arange(outside), np.concatenate((matched, taken)))
    leave, enter = (free, taken) if columns > rows else (matched, free)
    tails = np.concatenate((weights.tails(), taken, leave, np.full(len(enter), outside)))
    heads = np.concatenate((rows + weights.indices, matched, np.full(len(leave), outside), enter))
    lengths = np.concatenate((values + tolerance, -values[edges[matched]], np.zeros(len(leave) + len(enter))))
    exchanges = Graph.from_edges(outside + 1, tails, heads, lengths)
    cycle = hidden_negative_cycle(exchanges, _relaxed(outside + 1, tails, heads, lengths))
    if cycle is not None:
        row = min(vertex for vertex in cycle if vertex < rows)
        raise VerificationError(f"row {row}: another matching is better, in which its column is another one, or none")


def _relaxed(
    n: int, tails: npt.NDArray[Any], heads: npt.NDArray[Any], lengths: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Return distances of n vertices, each of which is at 0 first, after relaxations that mostly come to rest."""
    order = heads.argsort(kind="stable")
    tails, lengths = tails[order], lengths[order]
    reached, first = np.unique(heads[order], return_index=True)
    dist = np.zeros(n)
    for _ in range(_ROUNDS):
        with np.errstate(over="ignore"):
            found = np.minimum(dist[reached], np.minimum.reduceat(dist[tails] + lengths, first))
        if np.array_equal(found, dist[reached]) or not np.isfinite(found).all():
            break
        dist[reached] = found
    return dist
