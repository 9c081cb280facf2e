"""The edges of a matrix both ways: what the functions that take ``directed=False`` search."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse

_FLOAT64 = np.dtype(np.float64)
_LARGEST = np.iinfo(np.int64).max


def both_ways(
    indptr: npt.NDArray[Any], indices: npt.NDArray[Any], data: npt.NDArray[Any]
) -> tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[np.float64]] | None:
    """Return the arrays of a CSR matrix with each edge in both directions, of two between vertices the lighter one.

    Columns ascend in each row, none of them twice. None for matrices of which this does not hold, or whose weights are
    anything but numbers that float64 holds, finite and not negative.

    Parameters
    ----------
    indptr, indices, data : ndarray
        Of a square CSR matrix with entries, of real numbers; its indices are right.
    """
    if not (data.dtype == _FLOAT64 or data.dtype.itemsize <= 4):
        return None
    weights = data.astype(np.float64)
    weights += 0.0  # which makes 0.0 of -0.0
    if not (weights[weights.argmin()] >= 0 and weights[weights.argmax()] < np.inf):
        return None
    # Floats that are not negative are in the order of their bits. SciPy's maximum has 0 where there is no entry: so the
    # lighter edge has to be the larger number, and none 0.
    turned = scipy.sparse.csr_array((_LARGEST - weights.view(np.int64), indices, indptr), shape=(len(indptr) - 1,) * 2)
    if not turned.has_canonical_format:
        return None
    back = turned.T.tocsr()
    both = turned if _are_alike(turned, back) else turned.maximum(back)
    values = np.maximum(turned.data, back.data) if both is turned else both.data
    return both.indptr, both.indices, (_LARGEST - values).view(np.float64)


def _are_alike(one: scipy.sparse.csr_array, other: scipy.sparse.csr_array) -> bool:
    """Return whether two matrices have entries at the same places."""
    return np.array_equal(one.indptr, other.indptr) and np.array_equal(one.indices, other.indices)
