"""A file that appears whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import functools
import os
import secrets
import shutil
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

from reedsp.system.options import flag

FULL = (errno.ENOSPC, errno.EDQUOT)
"""Numbers of the errors that say that there is no room on a disk."""

_NAMED = 24
"""Characters of a file's name that another one beside it begins with, which may not be too long where this is not."""

_NO_LINKS = (errno.EPERM, errno.EACCES, errno.EMLINK, errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOTSUP)
_NO_SYNCHRONISING = (errno.EINVAL, errno.EBADF, errno.EACCES, errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOTSUP)


def write_whole(path: Path, write: Callable[[IO[bytes]], object], *, overwrite: bool = False) -> None:
    """Write a file under another name beside its place, and move it there when it is complete, and on the disk.

    Others may write a file of the same name at the same time: one of them stays. The other name is random, and no one
    deletes it but who has made it: after a kill it is left.

    Parameters
    ----------
    path : Path
    write : callable(stream)
        Writes the content to a binary stream.
    overwrite : bool
        Whether a file of this name may be replaced: the new one has its permissions, and a symbolic link stays one.

    Raises
    ------
    FileExistsError
        There is one that may not be replaced, perhaps only since the writing began.
    OSError
        The file cannot be written.
    """
    overwrite = flag(overwrite, "overwrite")
    permissions = None
    if overwrite:
        path = followed(path)
        permissions = _permissions(path)

    def write_to_disk(file: IO[bytes]) -> None:
        if permissions is not None and hasattr(os, "fchmod"):
            os.fchmod(file.fileno(), permissions)
        write(file)
        file.flush()
        os.fsync(file.fileno())

    if not overwrite:
        _refuse_existing(path)
    created = 0o666 if permissions is None else permissions
    _write_beside(path, write_to_disk, os.replace if overwrite else put_in_place, created)
    synchronise_folder(path.parent)


def replace_whole(complete: Path, path: Path) -> None:
    """Move a complete file over another, if it is there, of which it takes the permissions; a symbolic link stays one.

    Raises
    ------
    OSError
    """
    path = followed(path)
    permissions = _permissions(path)
    if permissions is not None:
        complete.chmod(permissions)
    try:
        os.replace(complete, path)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        with complete.open("rb") as content:  # a link may lead to another disk
            write_whole(path, functools.partial(shutil.copyfileobj, content), overwrite=True)
        complete.unlink()


def check_writable(path: Path) -> None:
    """Raise what would keep a file from being written there, whatever its content: make one beside it for a moment.

    Raises
    ------
    OSError
        Its name is too long, or no file can be made in its folder.
    """
    path = followed(path)
    with contextlib.suppress(FileNotFoundError):
        path.lstat()
    _write_beside(path, lambda file: None, lambda partial, path: None, 0o600)


def write_private(path: Path, content: bytes) -> None:
    """Write a file for this user alone, in place of any other, as above but for the wait until it is on the disk.

    Raises
    ------
    OSError
        The file cannot be written.
    """
    _write_beside(path, lambda file: file.write(content), os.replace, 0o600)


def _write_beside(
    path: Path, write: Callable[[IO[bytes]], object], move: Callable[[Path, Path], object], permissions: int
) -> None:
    partial = path.with_name(f".{path.name[:_NAMED]}.{secrets.token_hex(8)}.partial")
    opened = functools.partial(os.open, mode=permissions)
    try:
        with open(partial, "xb", opener=opened) as file, room_for(path), file:  # to close it needs room, too
            write(file)
        move(partial, path)
    except OSError as error:
        if error.filename == str(partial):  # no one has heard of it
            error.filename = str(path)
        raise
    finally:
        with contextlib.suppress(OSError):  # it says less than what has been raised
            partial.unlink()


def followed(path: Path) -> Path:
    """Return what a symbolic link leads to, and of anything else the path."""
    return Path(os.path.realpath(path)) if os.path.islink(path) else path


def _permissions(path: Path) -> int | None:
    """Return those of a file; None if there is none."""
    with contextlib.suppress(FileNotFoundError):
        return stat.S_IMODE(path.stat().st_mode)
    return None


def put_in_place(source: str | Path, path: Path, folder: int | None = None) -> None:
    """Give a file another name, which may not be taken.

    Parameters
    ----------
    source : str or Path
    path : Path
    folder : int, optional
        Descriptor of the folder in which `source` is.

    Raises
    ------
    FileExistsError
        There is a file of this name.
    OSError
    """
    try:
        os.link(source, path, src_dir_fd=folder)
    except FileExistsError:
        _refuse_existing(path)
        raise
    except (OSError, NotImplementedError) as error:
        if isinstance(error, OSError) and error.errno not in _NO_LINKS:
            raise
        _refuse_existing(path)  # where a file has one name only, it may be taken in between
        os.rename(source, path, src_dir_fd=folder)
    else:
        if folder is not None:
            synchronise_folder(path.parent)  # or a power cut may take both names: the folders are two
        os.unlink(source, dir_fd=folder)


def synchronise_folder(folder: Path) -> None:
    """Wait until the names of files are on the disk, where the system can."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:  # files can be made in folders that cannot be read
        if error.errno not in _NO_SYNCHRONISING:
            raise
        return
    with contextlib.ExitStack() as stack:
        stack.callback(os.close, descriptor)
        synchronise_descriptor(descriptor)


def synchronise_descriptor(folder: int) -> None:
    """As :func:`synchronise_folder`, of an open one."""
    try:
        os.fsync(folder)
    except OSError as error:
        if error.errno not in _NO_SYNCHRONISING:
            raise


@contextlib.contextmanager
def room_for(path: Path, needed: int | None = None) -> Iterator[None]:
    """Have the error of a disk that is full say which file does not fit.

    Parameters
    ----------
    path : Path
    needed : int, optional
        Bytes that the file would take.
    """
    free = shutil.disk_usage(path.parent).free  # before what is tried takes all of it
    try:
        yield
    except OSError as error:
        if error.errno not in FULL or error.filename is not None:
            raise
        sizes = f"{free:,} bytes are free"
        if needed is not None:
            sizes = f"{needed:,} bytes are needed, {sizes}"
        raise OSError(error.errno, f"{os.strerror(error.errno)}: {sizes}", str(path)) from error


def _refuse_existing(path: Path) -> None:
    try:
        path.lstat()  # which raises something else where no file can have this name
    except FileNotFoundError:
        return
    raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
