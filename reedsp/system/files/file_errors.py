"""Errors that name a file: the system knows its name where it is opened, but not where it is read or mapped."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator


@contextlib.contextmanager
def named_errors(path: str | os.PathLike[str]) -> Iterator[None]:
    """Have every error of the system in a ``with`` block say which file it is about."""
    try:
        yield
    except OSError as error:
        if error.errno is None or isinstance(error.filename, str | bytes):  # else it is a descriptor, if anything
            raise
        raise OSError(error.errno, error.strerror, os.fsdecode(path)) from error
