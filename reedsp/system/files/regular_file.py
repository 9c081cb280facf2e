"""Files that are opened only if they are regular ones: a link may lead anywhere, and of a pipe nothing comes."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from reedsp.system.files.file_errors import named_errors

NO_LINK = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)  # nor wait for who writes to a pipe
"""What has a file opened only if its name is no link."""


def open_regular(path: Path, flags: int, folder: int | None = None) -> int:
    """Open a file that is neither a link nor a folder, pipe or device, and return its descriptor.

    Parameters
    ----------
    path : Path
    flags : int
        As for :func:`os.open`.
    folder : int, optional
        Descriptor of the folder that it is in, by way of which it is opened.

    Raises
    ------
    PermissionError
        It is something else.
    OSError
    """
    try:
        descriptor = os.open(path if folder is None else path.name, flags | NO_LINK, 0o666, dir_fd=folder)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.EMLINK, errno.ENXIO):
            raise refusal("a link, which is not followed, or no regular file", path) from None
        raise OSError(error.errno, error.strerror, str(path)) from None
    try:
        with named_errors(path):
            is_regular = stat.S_ISREG(os.fstat(descriptor).st_mode)
        if not is_regular:
            raise refusal("no regular file", path)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def read_regular(path: Path, most: int) -> bytes:
    """Return what a file holds, but no more than so many bytes; errors as for :func:`open_regular`."""
    with open(path, "rb", opener=lambda _, flags: open_regular(path, flags)) as stream:
        return stream.read(most)


def refusal(what: str, path: Path) -> PermissionError:
    """Return the error for a file that is not opened."""
    return PermissionError(errno.EPERM, f"it is {what}", str(path))
