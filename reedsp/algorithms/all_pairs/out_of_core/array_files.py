"""Arrays in files: their checksums, and numpy's format."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from reedsp.system.files import writing


def checksum(rows: npt.NDArray[Any], before: int = 0) -> int:
    """Return the checksum of contiguous rows, given that of those before them."""
    return zlib.crc32(rows.data, before)


def save(stream: IO[bytes], array: npt.NDArray[Any]) -> None:
    """Write an array as :func:`numpy.save` does, but with the system's error where that is not possible.

    What numpy writes by itself, past a stream that is a file, has no number of an error: not even that of a full disk.
    """
    write_npy(stream, iter([array]), array.shape, array.dtype)


def write_npy(
    stream: IO[bytes], rows: Iterator[npt.NDArray[Any]], shape: tuple[int, ...], dtype: npt.DTypeLike
) -> None:
    """Write an array in numpy's format.

    Parameters
    ----------
    stream : binary stream
    rows : iterator of arrays
        Some rows at a time.
    shape : tuple of int
    dtype : dtype

    Raises
    ------
    ValueError
        There are more or fewer rows than `shape` says.
    OSError
    """
    header = {"descr": np.lib.format.dtype_to_descr(np.dtype(dtype)), "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(stream, header)
    count = 0
    for part in rows:
        if part.shape[1:] != shape[1:]:
            raise ValueError(f"rows: of shape {part.shape[1:]}, not {shape[1:]}")
        count += len(part)
        writing.write(stream, None, np.ascontiguousarray(part, dtype).data)
    if count != shape[0]:
        raise ValueError(f"rows: {count} came, not {shape[0]}")
