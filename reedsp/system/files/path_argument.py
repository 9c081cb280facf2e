"""Arguments that are the names of files or folders."""

from __future__ import annotations

import os


def path_argument(value: str | bytes | os.PathLike[str], name: str) -> str:
    """Return a path as text, as it was given.

    Raises
    ------
    TypeError
        It is none; the message names the argument.
    """
    if not isinstance(value, str | bytes | os.PathLike):
        raise TypeError(f"{name}: expected a path, got {value!r}")
    return os.fsdecode(value)
