"""Small inputs as CSR matrices of float64, the one form that SciPy's compiled searches are given."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse
from scipy.sparse import issparse

from reedsp.cost_model.place import is_for_host
from reedsp.csgraph.matrix import Rows, are_indices, are_pointers, ascend, compressed_rows, unsigned
from reedsp.graph.corrupt import are_lists_right
from reedsp.graph.graph import EXACT_IN_FLOAT64, as_array

_FLOAT64 = np.dtype(np.float64)


class Small(NamedTuple):
    """A small matrix.

    Attributes
    ----------
    matrix : CSR matrix of float64
    progress : bool
        Whether none of its weights is lost in a sum, nor negative.
    signed : bool
        Whether some are negative.
    """

    matrix: Any
    progress: bool
    signed: bool


def small_matrix(csgraph: Any, unweighted: bool = False, *, signed: bool = False) -> Small | None:
    """Return a small matrix as SciPy's searches take it.

    None if it is large, or anything but a matrix of finite numbers, whose sums float64 holds, or if some are negative,
    but where such are `signed`.
    """
    if (rows := compressed_rows(csgraph)) is None:
        if (csgraph := compressed(csgraph, unweighted)) is None:
            return None
        rows = csgraph.indptr, csgraph.indices, csgraph.data
    elif not is_for_host(len(rows[0]), len(rows[1]), 1, unweighted):
        return None
    if (extent := extent_of(rows, signed)) is None:
        return None
    (indptr, indices, data), (lightest, longest) = rows, extent
    n = len(indptr) - 1
    if data.dtype != _FLOAT64 or (lightest == 0 and np.signbit(data).any()):
        data = data + 0.0  # which is no longer -0.0
    if data is not csgraph.data:
        csgraph = scipy.sparse.csr_array((data.astype(_FLOAT64, copy=False), indices, indptr), shape=(n, n))
    return Small(csgraph, lightest * EXACT_IN_FLOAT64 > longest, lightest < 0)


def extent_of(rows: Rows, signed: bool = False) -> tuple[float, float] | None:
    """Return the minimum weight of a CSR matrix, and what no path is longer than.

    None for anything but finite numbers, whose sums float64 holds, at edges between vertices, or if some are negative,
    but where such are `signed`.
    """
    indptr, indices, data = rows
    n, m = len(indptr) - 1, len(indices)
    if not len(data) == m > 0 or data.dtype.kind not in "biuf" or not are_pointers(indptr, indices):
        return None
    # An index of an extremum is found sooner than the extremum, in small arrays, and is that of a NaN if there is one.
    lightest, heaviest = float(data[data.argmin()]), float(data[data.argmax()])
    longest = n * (max(heaviest, -lightest) if signed else heaviest)
    columns = unsigned(indices)
    is_right = (signed or lightest >= 0) and longest <= EXACT_IN_FLOAT64 and columns[columns.argmax()] < n
    return (lightest, longest) if is_right else None


def compressed(csgraph: Any, unweighted: bool = False) -> Any:
    """Return a small square array, or matrix in CSC, COO or LIL, as a CSR matrix whose weights have not been checked.

    None for others, for those that are corrupt, and for parallel edges in COO, which SciPy adds up, or in LIL.
    """
    if issparse(csgraph):
        return _of_sparse(csgraph, unweighted)
    if not isinstance(csgraph, (np.ndarray, list, tuple)) or (isinstance(csgraph, np.ndarray) and csgraph.ndim != 2):
        return None
    if not is_for_host(len(csgraph), len(csgraph) ** 2, 1):
        return None
    dense = np.asarray(np.ma.getdata(csgraph)) if isinstance(csgraph, np.ndarray) else as_array(csgraph, "csgraph")
    if dense.ndim != 2 or not 0 < len(dense) == dense.shape[1] or dense.dtype.kind not in "biuf":
        return None
    # NaN and infinity are no edges.
    is_edge = dense < np.inf
    is_edge &= ~np.ma.getmaskarray(csgraph) if isinstance(csgraph, np.ma.MaskedArray) else dense != 0
    edges = is_edge.ravel().nonzero()[0]
    return _of_positions(edges, dense.ravel().take(edges).astype(_FLOAT64), len(dense))


def _of_sparse(csgraph: Any, unweighted: bool) -> Any:
    if csgraph.format not in ("csc", "coo", "lil") or len(csgraph.shape) != 2 or csgraph.dtype.kind not in "biuf":
        return None
    is_lists = csgraph.format == "lil"
    n, m = csgraph.shape[0], csgraph.nnz if is_lists else len(csgraph.data)
    if not (n == csgraph.shape[1] and m > 0 and is_for_host(n, m, 1, unweighted)):
        return None
    if is_lists:
        rows = csgraph.tocsr() if are_lists_right(csgraph) else None
        return rows if rows is not None and ascend(rows.indptr, rows.indices) else None
    ends = (csgraph.indices,) if csgraph.format == "csc" else (csgraph.row, csgraph.col)
    if not are_indices(*ends) or any(len(each) != m or unsigned(each).max() >= n for each in ends):
        return None
    if csgraph.format == "csc" and (len(csgraph.indptr) != n + 1 or not are_pointers(csgraph.indptr, csgraph.indices)):
        return None
    rows = csgraph.tocsr()
    return rows if len(rows.data) == m else None


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


def both_ways(matrix: Any) -> Any:
    """Return a CSR matrix whose edges lead both ways, each with the lesser weight of what leads between its ends.

    Its columns ascend, even if those of the given one do not.
    """
    n = matrix.shape[0]
    tails = np.arange(n, dtype=np.int64).repeat(matrix.indptr[1:] - matrix.indptr[:-1])
    positions = np.concatenate((tails * n + matrix.indices, matrix.indices * np.int64(n) + tails))
    order = positions.argsort()
    positions, weights = positions.take(order), np.concatenate((matrix.data, matrix.data)).take(order)
    first = np.append(True, positions[1:] != positions[:-1]).nonzero()[0]
    return _of_positions(positions.take(first), np.minimum.reduceat(weights, first), n)


def _of_positions(positions: npt.NDArray[np.int64], weights: npt.NDArray[np.float64], n: int) -> Any:
    """Return a CSR matrix of edges, given by their indices in the flat array of the dense matrix, in order."""
    indptr = positions.searchsorted(np.arange(n + 1) * n).astype(np.int32)
    return scipy.sparse.csr_array((weights, (positions % n).astype(np.int32), indptr), shape=(n, n))
