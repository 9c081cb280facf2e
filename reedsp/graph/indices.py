"""The index arrays of a compressed sparse matrix, as SciPy makes them."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np


def with_indices_alike(matrix: Any) -> Any:
    """Return a sparse matrix whose index arrays are contiguous, and of one type in this machine's byte order."""
    if matrix.format not in ("csr", "csc", "bsr"):
        return matrix
    both = matrix.indptr, matrix.indices
    if both[0].dtype == both[1].dtype and all(each.dtype.isnative and each.flags.c_contiguous for each in both):
        return matrix
    kind = np.result_type(*(each.dtype for each in both)).newbyteorder("=")
    matrix = copy.copy(matrix)
    matrix.indptr, matrix.indices = (np.ascontiguousarray(each, kind) for each in both)
    return matrix
