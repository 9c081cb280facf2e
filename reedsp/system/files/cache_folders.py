"""Directories that no other user can change, in the user's cache or temporary. Only the standard library is used."""

from __future__ import annotations

import atexit
import contextlib
import errno
import os
import shutil
import stat
import tempfile
import threading
import warnings
from pathlib import Path

_MOST_LINKS = 40

_warned: set[str] = set()
_warned_lock = threading.Lock()


class SharedDirectoryError(OSError):
    """A cache directory, or one that it lies in, can be changed by others.

    Attributes
    ----------
    filename : str
        That directory.
    cure : str
        What to do about it.
    """

    def __init__(self, folder: Path, cure: str) -> None:
        super().__init__(errno.EPERM, "not a directory that only you can change", str(folder))
        self.cure = cure


def private_directory(*names: str) -> Path:
    """Return ``reedsp/<names>`` in the user's cache, made where missing, without symbolic links.

    The cache is ``XDG_CACHE_HOME``, or ``~/.cache``. No other user can put something in its place: each directory from
    the root down belongs to this user or to root, and others cannot write to it, unless its sticky bit keeps them from
    renaming what is not theirs; the owner's own group, the one with the owner's number, may. So a directory that has
    been checked still is what it was when those in it are checked and read. ``reedsp`` and what is below are this
    user's alone.

    Raises
    ------
    SharedDirectoryError
        One of them is not so; its ``filename`` says which.
    OSError
        There is no home, or it cannot be written to.
    """
    chosen = Path(os.environ.get("XDG_CACHE_HOME", ""))
    try:
        folder = chosen if chosen.is_absolute() else Path.home() / ".cache"
    except RuntimeError as error:
        raise OSError(str(error)) from None
    if os.name == "posix":
        folder = _reached_safely(folder)
    else:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for name in ("reedsp", *names):
        folder /= name
        try:
            os.mkdir(folder, 0o700)
        except FileExistsError:
            if folder.is_file():
                raise  # in the way, but no danger
            if not _is_private(folder):
                raise SharedDirectoryError(folder, "delete it") from None
    return folder


def warn_of_shared(error: SharedDirectoryError, consequence: str) -> None:
    """Warn of a directory that is not trusted, and of what follows from it, once in a process."""
    with _warned_lock:
        if error.filename in _warned:
            return
        _warned.add(error.filename)
    warnings.warn(f"{consequence}: {error.filename} is {error.strerror}; {error.cure}", RuntimeWarning, stacklevel=3)


def _reached_safely(folder: Path) -> Path:
    """Return a directory without symbolic links, made where missing, after a look at each one on the way to it."""
    place, links = Path(folder.anchor), 0
    remaining = [*reversed(folder.parts[1:])]
    _check_on_the_way(place, place.lstat())
    while remaining:
        name = remaining.pop()
        if name == "..":
            place = place.parent
            continue
        below = place / name
        try:
            status = below.lstat()
        except FileNotFoundError:
            with contextlib.suppress(FileExistsError):  # another process has made it meanwhile
                os.mkdir(below, 0o700)
            status = below.lstat()
        _check_on_the_way(below, status)
        if not stat.S_ISLNK(status.st_mode):
            place = below
            continue
        links += 1
        if links > _MOST_LINKS:
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(folder))
        target = Path(os.readlink(below))
        if target.is_absolute():
            place = Path(target.anchor)
        remaining += reversed(target.parts[1:] if target.is_absolute() else target.parts)
    return place


def _check_on_the_way(folder: Path, status: os.stat_result) -> None:
    """Raise if others can replace what lies in this directory, or where this symbolic link leads."""
    mode, owner = status.st_mode, status.st_uid
    if owner not in (0, os.geteuid()):
        raise SharedDirectoryError(folder, "set XDG_CACHE_HOME to a directory of yours")
    if stat.S_ISLNK(mode):
        return
    if not stat.S_ISDIR(mode):
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(folder))
    group_writes = mode & stat.S_IWGRP and status.st_gid != owner
    if (group_writes or mode & stat.S_IWOTH) and not mode & stat.S_ISVTX:
        cure = f"run: chmod go-w {folder}" if owner == os.geteuid() else "set XDG_CACHE_HOME to a directory of yours"
        raise SharedDirectoryError(folder, cure)


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
