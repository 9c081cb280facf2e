"""Arguments that are the names of files or folders."""

from __future__ import annotations

import errno
import os
from pathlib import Path


def path_argument(value: str | bytes | os.PathLike[str], name: str) -> str:
    """Return a path as text, as it was given.

    Raises
    ------
    TypeError, ValueError
        It is none, or an empty one, or holds a null character; the message names the argument.
    """
    if not isinstance(value, str | bytes | os.PathLike):
        raise TypeError(f"{name}: expected a path, got {value!r}")
    text = os.fsdecode(value)
    if not text:
        raise ValueError(f"{name}: it is empty, expected a path")
    if "\0" in text:
        raise ValueError(f"{name} = {text!r}, expected a path without null characters")
    return text


def path_to_write(out: str | os.PathLike[str]) -> Path:
    """Return the absolute path of something that is to be written.

    Raises
    ------
    TypeError, ValueError
        It is no path, as for :func:`path_argument`, or has no name; the message names the argument.
    FileNotFoundError
        There is no folder for it.
    """
    if isinstance(out, bytes):
        raise TypeError(f"out: expected a path as text, got {out!r}")
    path = Path(path_argument(out, "out")).absolute()
    if not path.name:
        raise ValueError(f"out = {str(path)!r}, expected a path that ends in a name")
    if not path.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path.parent))
    return path
