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
_warned_lock = threading.RLock()  # a signal's handler may warn meanwhile


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
    folder = _cache()
    if os.name == "posix":
        folder = _reached_safely(folder)
    else:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for depth, name in enumerate(("reedsp", *names)):
        folder /= name
        try:
            os.mkdir(folder, 0o700)
        except FileExistsError:
            if folder.is_file():
                raise  # in the way, but no danger
        if os.name == "posix":
            _check_private(folder, has_files=depth == len(names))
    return folder


def named_directory(*names: str) -> Path:
    """Return what :func:`private_directory` looks at, by the name that leads there: nothing is made or refused.

    Raises
    ------
    OSError
        There is no home.
    """
    return _cache().joinpath("reedsp", *names)


def _cache() -> Path:
    chosen = Path(os.environ.get("XDG_CACHE_HOME", ""))
    if chosen.is_absolute():
        return chosen
    try:
        home = Path.home()
    except RuntimeError as error:
        raise OSError(str(error)) from None
    if not home.is_absolute():
        raise OSError(f"the home directory is {str(home)!r}, expected an absolute path")
    return home / ".cache"


def warn_of_shared(error: SharedDirectoryError, consequence: str) -> None:
    """Warn of a directory that is not trusted, and of what follows from it, once in a process."""
    warn_once(f"{consequence}: {error.filename} is {error.strerror}; {error.cure}", stacklevel=3)


def warn_once(message: str, stacklevel: int) -> None:
    """Warn in a process once, even where the warning is made an error; `stacklevel` as for :func:`warnings.warn`."""
    with _warned_lock:
        if message in _warned:
            return
        _warned.add(message)
    warnings.warn(message, RuntimeWarning, stacklevel=stacklevel + 1)


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
        cure = _closing(folder) if owner == os.geteuid() else "set XDG_CACHE_HOME to a directory of yours"
        raise SharedDirectoryError(folder, cure)


def _check_private(folder: Path, has_files: bool) -> None:
    """Raise if this is no directory of this user alone; one in which are only others is mended as those above are."""
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid():
        raise SharedDirectoryError(folder, "delete it")
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):  # files of others, which may be there, would be taken for ours
        raise SharedDirectoryError(folder, "delete it" if has_files else _closing(folder))


def _closing(folder: Path) -> str:
    return f"run: chmod go-w {folder}"


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
