"""Small inputs as CSR matrices of float64, the one form that SciPy's compiled searches are given."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from reedsp.cost_model.place import is_for_host
from reedsp.csgraph.formats import compressed, of_positions
from reedsp.csgraph.matrix import Rows, are_pointers, ascend, compressed_rows, unsigned
from reedsp.graph.graph import EXACT_IN_FLOAT64

_FLOAT64 = np.dtype(np.float64)

_MANY_EDGES = 8000
"""Edges above which it takes less to look which of them are on shortest paths than to turn them all; as measured."""

_ADDED = float(np.finfo(np.float64).max) / 2
"""What sums of floats may reach: rounding does not make infinity of what weighs less."""


class Small(NamedTuple):
    """A small matrix.

    Attributes
    ----------
    matrix : CSR matrix of float64
    progress : bool
        Whether none of its weights is lost in a sum, nor negative.
    signed : bool
        Whether some are negative.
    counted : bool
        Whether float64 holds each sum of as many weights as there are vertices, if they are integers.
    """

    matrix: Any
    progress: bool
    signed: bool
    counted: bool


def small_matrix(csgraph: Any, unweighted: bool = False, *, signed: bool = False, searches: int = 1) -> Small | None:
    """Return a small matrix as SciPy's searches take it.

    None if it is large, or anything but a matrix of numbers, whose sums float64 holds, or if some are negative, but
    where such are `signed`, or do not matter. An array that is too large for so many searches is not looked through.
    """
    if (rows := compressed_rows(csgraph)) is None:
        if (csgraph := compressed(csgraph, unweighted, searches)) is None:
            return None
        rows = csgraph.indptr, csgraph.indices, csgraph.data
    elif not is_for_host(len(rows[0]), len(rows[1]), 1, unweighted):
        return None
    signed = signed and not unweighted
    if (extent := extent_of(rows, signed)) is None:
        rows = _finite_rows(rows, unweighted)
        if rows is None or (extent := extent_of(rows, signed)) is None:
            return None
    (indptr, indices, data), (lightest, longest) = rows, extent
    if data.dtype != _FLOAT64 or (lightest == 0 and np.signbit(data).any()):
        data = data + 0.0  # which is no longer -0.0
    if data is not csgraph.data:
        csgraph = _over(indptr, indices, data.astype(_FLOAT64, copy=False), csgraph)
    return Small(csgraph, lightest * EXACT_IN_FLOAT64 > longest, lightest < 0, longest <= EXACT_IN_FLOAT64)


def extent_of(rows: Rows, signed: bool = False) -> tuple[float, float] | None:
    """Return the minimum weight of a CSR matrix, and what no path is longer than.

    None for anything but finite numbers, whose sums float64 holds, or a device adds up in float64 as well, at edges
    between vertices, or if some are negative, but where such are `signed`.
    """
    if (extremes := _extremes(rows)) is None:
        return None
    (lightest, heaviest), n = extremes, len(rows[0]) - 1
    longest = n * (max(heaviest, -lightest) if signed else heaviest)
    most = _ADDED if lightest >= 0 and rows[2].dtype.kind == "f" else EXACT_IN_FLOAT64
    return (lightest, longest) if (signed or lightest >= 0) and longest <= most else None


def _extremes(rows: Rows) -> tuple[float, float] | None:
    """Return the minimum and the maximum weight of a CSR matrix, 1 without any; None if it is empty or corrupt."""
    indptr, indices, data = rows
    n, m = len(indptr) - 1, len(indices)
    if len(data) != m or n == 0 or data.dtype.kind not in "biuf" or not are_pointers(indptr, indices):
        return None
    if m == 0:
        return 1.0, 1.0
    columns = unsigned(indices)
    # An index of an extremum is found sooner than the extremum, in small arrays, and is that of a NaN if there is one.
    if columns[columns.argmax()] >= n:
        return None
    return float(data[data.argmin()]), float(data[data.argmax()])


def plain_matrix(csgraph: Any, is_small: Callable[[int, int], bool]) -> Any:
    """Return a matrix, whose numbers of vertices and edges are small, in CSR with finite weights, or None.

    It is the given one if that is such a matrix as it stands. In others the columns of each row ascend.
    """
    if (rows := compressed_rows(csgraph)) is None:
        if (csgraph := compressed(csgraph)) is None:
            return None
        rows = csgraph.indptr, csgraph.indices, csgraph.data
    if not is_small(len(rows[0]) - 1, len(rows[1])) or (extremes := _extremes(rows)) is None:
        return None
    if all(map(math.isfinite, extremes)):
        are_alike = rows[0].dtype == rows[1].dtype and all(each.flags.c_contiguous for each in rows)
        if are_alike and len(csgraph.indices) == len(rows[1]):
            return csgraph
        indptr, indices, data = map(np.ascontiguousarray, rows)
        return _over(indptr.astype(indices.dtype, copy=False), indices, data, csgraph)
    if (finite := _finite_rows(rows)) is None or not ascend(*finite[:2]):
        return None
    return _over(*finite, csgraph)


def _over(indptr: npt.NDArray[Any], indices: npt.NDArray[Any], data: npt.NDArray[np.float64], csgraph: Any) -> Any:
    """Return a CSR matrix of arrays, as another one is; SciPy's constructor takes ten times as long."""
    matrix = copy.copy(csgraph)
    matrix.indptr, matrix.indices, matrix.data = indptr, indices, data
    return matrix


def _finite_rows(rows: Rows, unweighted: bool = False) -> Rows | None:
    """Return a CSR matrix without the entries that are no edges, with weights of 1 if they do not matter.

    None if all are edges of weights that do, and for what is corrupt, and where a weight is -inf.
    """
    indptr, indices, data = rows
    if _extremes(rows) is None:
        return None
    kept = np.isfinite(data := data.astype(_FLOAT64))
    edges = kept.nonzero()[0]
    if (len(edges) == len(data) and not unweighted) or np.count_nonzero(data == -np.inf):
        return None
    weights = np.ones(len(edges)) if unweighted else data.take(edges)
    return edges.searchsorted(indptr).astype(indices.dtype), indices.take(edges), weights


def edges_both_ways(matrix: Any) -> Rows:
    """Return the rows of a graph whose edges lead both ways, those of a CSR matrix and then those of its columns."""
    columns = matrix.tocsc()
    begins, others, m = matrix.indptr, columns.indptr, len(matrix.data)
    edges = np.arange(m)
    own = edges + others[:-1].repeat(begins[1:] - begins[:-1])
    other = edges + begins[1:].repeat(others[1:] - others[:-1])
    heads, weights = np.empty(2 * m, matrix.indices.dtype), np.empty(2 * m)
    heads[own], heads[other] = matrix.indices, columns.indices
    weights[own], weights[other] = matrix.data, columns.data
    return begins + others, heads, weights


def last_edges(matrix: Any, dist: npt.NDArray[np.float64], unweighted: bool) -> Any:
    """Return a CSR matrix of the edges that may be the last of a shortest path in either direction.

    Few of many are, so that it is soon turned. A small one is returned as it is.

    Parameters
    ----------
    matrix : CSR matrix of float64
    dist : ndarray, shape (rows, n)
    unweighted : bool
        Whether every edge weighs 1.
    """
    indptr, heads, data = matrix.indptr, matrix.indices, matrix.data
    if len(data) <= _MANY_EDGES:
        return matrix
    kept, counts, weights = np.zeros(len(data), np.bool_), np.diff(indptr), 1.0 if unweighted else data
    for row in dist:
        tails, ends = row.repeat(counts), row.take(heads)
        kept |= tails + weights == ends
        kept |= ends + weights == tails
    edges = kept.nonzero()[0]
    return _over(edges.searchsorted(indptr).astype(indptr.dtype), heads.take(edges), data.take(edges), matrix)


def both_ways(matrix: Any) -> Any:
    """Return a CSR matrix whose edges lead both ways, each with the lesser weight of what leads between its ends.

    Its columns ascend, even if those of the given one do not.
    """
    n = matrix.shape[0]
    tails = np.arange(n, dtype=np.int64).repeat(matrix.indptr[1:] - matrix.indptr[:-1])
    positions = np.concatenate((tails * n + matrix.indices, matrix.indices * np.int64(n) + tails))
    order = positions.argsort()
    positions, weights = positions.take(order), np.concatenate((matrix.data, matrix.data)).take(order)
    is_first = np.ones(len(positions), np.bool_)
    np.not_equal(positions[1:], positions[:-1], out=is_first[1:])
    first = is_first.nonzero()[0]
    return of_positions(positions.take(first), np.minimum.reduceat(weights, first), n)
