"""A folder of this user's, in which no file is opened that another user may have put there.

The name of the folder may be known to others, and they may be able to write beside it. So it is opened once, and its
files by way of it; neither it nor they may be links, or another user's. Where the system has no users, or cannot open
files relative to a folder, less is looked at.
"""

from __future__ import annotations

import os
import stat
import weakref
from pathlib import Path
from typing import IO

from reedsp.system.files.atomic_file import put_in_place, synchronise_descriptor
from reedsp.system.files.file_errors import named_errors
from reedsp.system.files.regular_file import NO_LINK, open_regular, refusal

_RELATIVE = hasattr(os, "O_DIRECTORY") and {os.open, os.stat, os.unlink, os.link, os.rename} <= os.supports_dir_fd
_CLOSED = -2  # no descriptor: the system refuses it; of -1 os.listdir lists the current folder


class OwnFolder:
    """A folder, made where missing, that only this user can change from now on.

    Parameters
    ----------
    path : Path

    Raises
    ------
    PermissionError
        It is a link, or another user's.
    FileExistsError
        It is no folder.
    OSError
        It cannot be made.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._handle: int | None = None
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            os.mkdir(path, 0o700)
        except FileExistsError:
            if path.is_symlink():
                raise refusal("a link, which is not followed", path) from None
            if not path.is_dir():
                raise
        if _RELATIVE:
            self._handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | NO_LINK)
            self._close = weakref.finalize(self, os.close, self._handle)
            with named_errors(path):
                status = os.fstat(self._handle)
                _refuse_others(status, path)
                if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
                    os.fchmod(self._handle, 0o700)

    def close(self) -> None:
        """Let go of the folder, in which nothing is to be done any more, by any thread.

        A descriptor that is closed while a thread still uses its number may be another file's then. Where this is not
        called, the folder is let go of with the last name of it; but there Python loses an exception, such as that of
        Ctrl-C.
        """
        if self._handle is not None:
            self._handle = _CLOSED
            self._close()

    def names(self) -> set[str]:
        """Return the names of all that is there."""
        with named_errors(self.path):
            return set(os.listdir(self.path if self._handle is None else self._handle))

    def open(self, name: str, mode: str) -> IO[bytes]:
        """Open a file, as the function of this name does.

        Raises
        ------
        PermissionError
            It is no regular file with this name alone, or another user's.
        OSError
        """

        def opener(_: str, flags: int) -> int:
            path = self.path / name
            if self._handle is None:
                if path.is_symlink():
                    raise refusal("a link, which is not followed", path)
                return os.open(path, flags, 0o666)
            descriptor = open_regular(path, flags & ~os.O_TRUNC, self._handle)
            try:
                with named_errors(path):
                    status = os.fstat(descriptor)
                if status.st_nlink > 1:
                    raise refusal("not a regular file with a single name", path)
                _refuse_others(status, path)
                if flags & os.O_TRUNC:
                    os.ftruncate(descriptor, 0)
            except BaseException:
                os.close(descriptor)
                raise
            return descriptor

        return open(self.path / name, mode, opener=opener)

    def status(self, name: str) -> os.stat_result | None:
        """Return what is known of a file, or None if there is none."""
        try:
            if self._handle is None:
                return os.lstat(self.path / name)
            return os.stat(name, dir_fd=self._handle, follow_symlinks=False)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(self.path / name)) from None

    def unlink(self, name: str) -> None:
        """Delete a file, if there is one."""
        if self.status(name) is not None:
            os.unlink(self.path / name if self._handle is None else name, dir_fd=self._handle)

    def give(self, name: str, path: Path) -> None:
        """Move a file out to a place that is not taken; errors as for :func:`.put_in_place`."""
        put_in_place(self.path / name if self._handle is None else name, path, self._handle)

    def synchronise(self) -> None:
        """Wait until the names are on the disk."""
        if self._handle is not None:
            synchronise_descriptor(self._handle)


def _refuse_others(status: os.stat_result, path: Path) -> None:
    if status.st_uid != os.geteuid():
        raise refusal("another user's", path)
