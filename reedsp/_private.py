"""Directories that nobody else can change, in the user's cache or temporary. Only the standard library is used."""

from __future__ import annotations

import atexit
import os
import shutil
import stat
import tempfile
from pathlib import Path


class SharedDirectoryError(OSError):
    """A cache directory is another user's, can be written to by others, or is not a real directory."""


def private_directory(*names: str) -> Path:
    """Return ``reedsp/<names>`` in the user's cache, made where missing.

    The cache is ``XDG_CACHE_HOME``, or ``~/.cache``.

    Raises
    ------
    SharedDirectoryError
        One of the levels is not private; its ``filename`` says which.
    OSError
        There is no home, or it cannot be written to.
    """
    chosen = Path(os.environ.get("XDG_CACHE_HOME", ""))
    try:
        folder = chosen if chosen.is_absolute() else Path.home() / ".cache"
    except RuntimeError as error:
        raise OSError(str(error)) from None
    os.makedirs(folder, mode=0o700, exist_ok=True)
    for name in ("reedsp", *names):
        folder /= name
        try:
            os.mkdir(folder, 0o700)
        except FileExistsError:
            if folder.is_file():
                raise  # in the way, but no danger
            if not _is_private(folder):
                raise SharedDirectoryError(0, "not a directory that only you can change", str(folder)) from None
    return folder


def _is_private(folder: Path) -> bool:
    if os.name != "posix":
        return True
    status = folder.lstat()
    others_write = status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid() and not others_write


def temporary_directory(prefix: str) -> Path:
    """Return a new directory, which is removed when this process ends.

    Raises
    ------
    OSError
        None can be made.
    """
    directory = tempfile.mkdtemp(prefix=prefix)
    owner = os.getpid()

    def remove() -> None:
        if os.getpid() == owner:  # not in a forked child
            shutil.rmtree(directory, ignore_errors=True)

    atexit.register(remove)
    return Path(directory)
