"""A file that appears whole or not at all."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import IO


def write_whole(path: Path, write: Callable[[IO[bytes]], object], *, overwrite: bool = False) -> None:
    """Write a file under another name beside its place, and move it there when it is complete.

    Parameters
    ----------
    path : Path
    write : callable(stream)
        Writes the content to a binary stream.
    overwrite : bool
        Whether a file of this name may be replaced.

    Raises
    ------
    FileExistsError
        There is one that may not be replaced, perhaps only since the writing began.
    OSError
        The file cannot be written.
    """
    if not overwrite:
        _refuse_existing(path)
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        with open(partial, "xb") as file:
            write(file)
        if not overwrite:
            _refuse_existing(path)
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)


def _refuse_existing(path: Path) -> None:
    if os.path.lexists(path):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
