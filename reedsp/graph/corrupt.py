"""What is wrong with the index arrays of a sparse matrix, which anybody may have written into."""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.graph.graph import is_sparse


def refuse_corrupt(matrix: Any, name: str) -> None:
    """Raise ValueError for arrays of a sparse matrix that lead compiled code beyond its memory."""
    if not is_sparse(matrix) or len(matrix.shape) != 2:
        return
    if matrix.format in ("csr", "csc", "bsr"):
        rows, columns = matrix.shape[::-1] if matrix.format == "csc" else matrix.shape
        if matrix.format == "bsr":  # whose indices are those of blocks
            rows, columns = rows // matrix.blocksize[0], columns // matrix.blocksize[1]
        indptr, indices, stored = matrix.indptr, matrix.indices, min(len(matrix.indices), len(matrix.data))
        if len(indptr) != rows + 1 or indptr[0] != 0 or indptr[-1] > stored or (indptr[1:] < indptr[:-1]).any():
            raise ValueError(f"{name}.indptr is corrupt: expected {rows + 1} ascending numbers from 0 to {stored}")
        refuse_beyond(indices[: int(indptr[-1])], columns, f"{name}.indices")
    elif matrix.format == "coo":
        for axis, (indices, size) in enumerate(zip(matrix.coords, matrix.shape, strict=True)):
            _refuse_another_length(f"{name}.coords[{axis}]", indices, f"{name}.data", matrix.data)
            refuse_beyond(indices, size, f"{name}.coords[{axis}]")
    elif matrix.format == "dia":
        _refuse_another_length(f"{name}.offsets", matrix.offsets, f"{name}.data", matrix.data)
    elif matrix.format == "lil":
        if are_lists_right(matrix):
            return
        _refuse_another_length(f"{name}.rows", matrix.rows, f"{name}.data", matrix.data)
        for row, (indices, values) in enumerate(zip(matrix.rows, matrix.data, strict=True)):
            _refuse_another_length(f"{name}.rows[{row}]", indices, f"{name}.data[{row}]", values)
            refuse_beyond(np.array(indices, np.int64), matrix.shape[1], f"{name}.rows[{row}]")


def are_lists_right(matrix: Any) -> bool:
    """Return whether a LIL matrix has a weight for each column, and columns that exist."""
    if not are_lists_alike(matrix):
        return False
    columns = np.fromiter(chain.from_iterable(matrix.rows), np.int64)
    return not len(columns) or bool(columns.min() >= 0 and columns.max() < matrix.shape[1])


def are_lists_alike(matrix: Any) -> bool:
    """Return whether a LIL matrix has a list for each row, and a weight for each column, whichever columns these are.

    SciPy converts it then without a look beyond its lists.
    """
    lengths = [*map(len, matrix.rows)]
    return len(lengths) == matrix.shape[0] and lengths == [*map(len, matrix.data)]


def _refuse_another_length(name: str, values: Any, other: str, others: Any) -> None:
    if len(values) != len(others):
        raise ValueError(f"{name} has {len(values)} entries, but {other} has {len(others)}")


def refuse_beyond(indices: npt.NDArray[Any], size: int, name: str) -> None:
    """Raise ValueError if an index is not below a size; negative ones are large as unsigned numbers."""
    numbers = indices.view(indices.dtype.str.replace("i", "u"))
    if len(numbers) and numbers.max() >= size:
        entry = int(np.argmax(numbers >= size))
        raise ValueError(f"{name}[{entry}] = {indices[entry]}, expected a number from 0 to {size - 1}")
