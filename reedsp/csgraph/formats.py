"""Small arrays, and small matrices of other formats, as CSR matrices with the edges that a device finds in them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse
from scipy.sparse import issparse

from reedsp.cost_model.place import is_for_host
from reedsp.csgraph.matrix import are_indices, are_pointers, ascend, unsigned
from reedsp.graph.corrupt import are_lists_alike
from reedsp.graph.graph import as_array

_LOOKED_THROUGH = 1 << 21
"""Entries of an array up to which each call may look for edges; a graph that is made of a larger one is remembered."""

_FULL, _WITHOUT_GAPS = 250, 0.98
"""Vertices of an array up to which each call may look for edges if such a part of its entries are; as measured."""

_LOOKED_AT = 16
"""Rows of a large array that say how many of its entries are edges, at least."""


def compressed(csgraph: Any, unweighted: bool = False, searches: int = 1) -> Any:
    """Return a small square array, or matrix of any format but CSR, as a CSR matrix whose weights are not yet checked.

    None for others, for those that are corrupt, and for parallel edges, which SciPy would add up. An array in which a
    device would sooner have done so many searches is not small; one without gaps it is given as it is, and remembers.
    """
    if issparse(csgraph):
        return _of_sparse(csgraph, unweighted)
    if not isinstance(csgraph, (np.ndarray, list, tuple)) or (isinstance(csgraph, np.ndarray) and csgraph.ndim != 2):
        return None
    n = len(csgraph)
    how_often = searches, unweighted
    if is_for_host(n, n * n, *how_often):
        if n > _FULL and _is_in_order(csgraph) and _part_of_edges(csgraph) >= _WITHOUT_GAPS:
            return None
    elif not (_is_in_order(csgraph) and _is_thin(csgraph, n, n * n, *how_often)):
        return None
    dense = np.asarray(np.ma.getdata(csgraph)) if isinstance(csgraph, np.ndarray) else as_array(csgraph, "csgraph")
    if dense.ndim != 2 or not 0 < len(dense) == dense.shape[1] or dense.dtype.kind not in "biuf":
        return None
    # NaN and infinity are no edges.
    is_edge = dense < np.inf
    is_edge &= ~np.ma.getmaskarray(csgraph) if isinstance(csgraph, np.ma.MaskedArray) else dense != 0
    edges = is_edge.ravel().nonzero()[0]
    if not is_for_host(n, len(edges), *how_often):
        return None
    return of_positions(edges, dense.ravel().take(edges).astype(np.float64), n)


def _is_in_order(rows: Any) -> bool:
    return not isinstance(rows, np.ndarray) or rows.flags.c_contiguous


def _is_thin(rows: Any, n: int, entries: int, searches: int = 1, unweighted: bool = False) -> bool:
    """Return whether few entries of an array, or of the diagonals of a matrix, seem to be edges, by a look at some."""
    if entries > _LOOKED_THROUGH or not is_for_host(n, 0, searches, unweighted):
        return False
    return is_for_host(n, int(_part_of_edges(rows) * entries), searches, unweighted)


def _part_of_edges(rows: Any) -> float:
    """Return what part of the entries seem to be edges, by a look at some rows; 1 for lists that hold anything else."""
    looked_at = rows[:: 1 + len(rows) // _LOOKED_AT]
    if isinstance(rows, np.ma.MaskedArray):
        looked_at = ~np.ma.getmaskarray(looked_at)
    try:
        counts = [np.count_nonzero(row) / max(len(row), 1) for row in looked_at]
    except (TypeError, ValueError):
        return 1.0
    return float(sum(counts)) / max(len(counts), 1)


def _of_sparse(csgraph: Any, unweighted: bool) -> Any:
    n, form = csgraph.shape[0], csgraph.format
    if form == "csr" or len(csgraph.shape) != 2 or csgraph.dtype.kind not in "biuf":
        return None
    m = csgraph.nnz if form in ("lil", "dok") else csgraph.data.size
    if not 0 < n == csgraph.shape[1]:
        return None
    if not (is_for_host(n, m, 1, unweighted) or (form == "dia" and _is_thin(csgraph.data, n, m))):
        return None
    if form == "dok":
        csgraph = csgraph.tocoo()
    if not _is_right(csgraph, n):
        return None
    try:
        rows = csgraph.tocsr()
    except OverflowError:  # of columns that no index can be
        return None
    if form in ("csc", "coo", "dok"):
        return rows if len(rows.data) == m else None
    if form == "lil":
        if not _are_below(n, rows.indices):
            return None
    else:
        rows.eliminate_zeros()  # of what fills blocks and diagonals
        if not is_for_host(n, len(rows.data), 1, unweighted):
            return None
    return rows if ascend(rows.indptr, rows.indices) else None


def _is_right(csgraph: Any, n: int) -> bool:
    """Return whether SciPy converts a matrix without a look beyond its arrays."""
    form, m = csgraph.format, len(csgraph.data)
    if form == "lil":
        return are_lists_alike(csgraph)
    if form == "coo":
        ends = csgraph.row, csgraph.col
        return all(len(each) == m for each in ends) and are_indices(*ends) and _are_below(n, *ends)
    if form == "dia":
        offsets = csgraph.offsets
        return len(offsets) == m and are_indices(offsets) and bool((abs(offsets) < n).all())
    rows, columns = csgraph.blocksize if form == "bsr" else (1, 1)
    indptr, indices = csgraph.indptr, csgraph.indices
    is_right = len(indices) == m and (len(indptr) - 1) * rows == n and n % columns == 0
    return is_right and are_pointers(indptr, indices) and _are_below(n // columns, indices)


def _are_below(size: int, *arrays: npt.NDArray[Any]) -> bool:
    return all(unsigned(each).max(initial=0) < size for each in arrays)


def of_positions(positions: npt.NDArray[np.int64], weights: npt.NDArray[np.float64], n: int) -> Any:
    """Return a CSR matrix of edges, given by their indices in the flat array of the dense matrix, in order."""
    indptr = positions.searchsorted(np.arange(n + 1) * n).astype(np.int32)
    return scipy.sparse.csr_array((weights, (positions % n).astype(np.int32), indptr), shape=(n, n))
