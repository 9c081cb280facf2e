"""Files of numpy's arrays, and archives of them: looked at before numpy or SciPy reads them."""

from __future__ import annotations

import io
import math
import re
import zipfile
from collections.abc import Callable, Collection, Mapping
from typing import IO, Any

import numpy as np

BASE_SIZE = 2**26
"""Decompressed bytes that a file of any size may have."""

EXPANSION = 200
"""Largest accepted ratio of decompressed to compressed bytes, beyond the base."""

DEFLATE_LEVEL = 4
"""How hard files are compressed: in a third of the time of 6, zlib's own choice, for a few bytes more. Rows without
paths take 1 several times as many."""

Shape = tuple[int, ...]

_ARRAY_HEADER = re.compile(
    rb" *\{ *'descr' *: *'([<>=|]?[biufcSU][0-9]+)' *, *'fortran_order' *: *(?:True|False) *, *"
    rb"'shape' *: *\( *((?:[0-9]{1,18} *, *)*(?:[0-9]{1,18})?) *\) *,? *\} *\n?"
)
_MOST_OF_HEADER = 10_000
"""Bytes of an array's header that are believed; numpy reads no more either."""


def check_archive(
    file: IO[bytes],
    integers: Collection[str] = (),
    justified: Callable[[Mapping[str, Shape]], Mapping[str, int]] | None = None,
) -> int:
    """Check that an archive holds nothing but arrays of numbers and strings, as large as they say.

    Parameters
    ----------
    file : binary file
        One that can seek.
    integers : collection of str
        Names of files inside that have to be arrays of integers, if they are there.
    justified : callable, optional
        Returns, given the shape of each array by its file's name, how many bytes may be expected of some, besides.

    Returns
    -------
    int
        Bytes of all of them.

    Raises
    ------
    ValueError
        It holds something else, or expands to more than 64 MiB and 200 times its size and what is justified.
    Exception
        Whatever :mod:`zipfile` raises for an archive that is damaged.
    """
    limit = BASE_SIZE + EXPANSION * file.seek(0, io.SEEK_END)
    sizes: dict[str, int] = {}
    shapes: dict[str, Shape] = {}
    with zipfile.ZipFile(file) as archive:
        members = archive.infolist()
        for member in members:
            if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise ValueError(f"{member.filename} is compressed by method {member.compress_type}")
            with archive.open(member) as stream:
                dtype, shapes[member.filename] = check_npy(stream, member.file_size, member.filename)
            if member.filename in integers and dtype.kind not in "iu":  # SciPy would convert them, with warnings
                raise ValueError(f"{member.filename} is an array of {dtype}, expected integers")
            sizes[member.filename] = member.file_size
    if justified is not None:
        limit += sum(min(size, sizes.get(name, 0)) for name, size in justified(shapes).items())
    total = sum(member.file_size for member in members)
    if total > limit:
        raise ValueError(f"it expands to {total} bytes, more than {limit}")
    return total


def check_npy(file: IO[bytes], size: int, name: str) -> tuple[np.dtype[Any], Shape]:
    """Check that a ``.npy`` file holds an array of real numbers or strings, as large as it says.

    The header is Python code, which numpy evaluates with care, but not without warnings: it has to be as numpy writes.

    Parameters
    ----------
    file : binary file
        At its beginning; what follows the header is not read.
    size : int
        Bytes of the file.
    name : str
        What to call it in an error.

    Returns
    -------
    dtype : dtype
    shape : tuple of int
        Those of the array.

    Raises
    ------
    ValueError
        It is no such file.
    """
    version = np.lib.format.read_magic(file)
    if version not in ((1, 0), (2, 0)):
        raise ValueError(f"{name} is an array file of version {version}, expected 1.0 or 2.0")
    length = int.from_bytes(file.read(2 if version == (1, 0) else 4), "little")
    header = _ARRAY_HEADER.fullmatch(file.read(min(length, _MOST_OF_HEADER)))
    if header is None:
        raise ValueError(f"{name} does not begin with the header of an array of numbers or strings")
    try:
        dtype = np.dtype(header[1].decode())
    except TypeError as error:
        raise ValueError(f"{name}: {error}") from None
    if dtype.kind == "c":  # of which numpy and SciPy may drop a part, with a warning
        raise ValueError(f"{name} is an array of complex numbers")
    shape = tuple(map(int, header[2].replace(b",", b" ").split()))
    declared = math.prod(shape) * dtype.itemsize
    if file.tell() + declared != size:
        raise ValueError(f"{name} declares {declared} bytes of {dtype}, which do not agree with its size")
    return dtype, shape
