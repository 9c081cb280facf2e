"""A folder in which work goes on after an interruption as if there had been none, as its journal says how far it is."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
import threading
from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from reedsp.system.files.file_errors import named_errors
from reedsp.system.files.journal import Journal, damaged
from reedsp.system.files.own_folder import OwnFolder

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

JOURNAL, LOCK = "journal", "lock"
"""Names of two files in the folder."""


class JournaledFolder(ABC):
    """A folder of this user's with a journal, in which one call works at a time.

    The first line of the journal is a header. What another line says has been written is on the disk before that line
    is.

    Parameters
    ----------
    path : Path
        Made where missing. What an earlier call has left there is gone on with.
    header : mapping of str to int or str
        Says which problem this is; an earlier call has had the same.

    Raises
    ------
    ValueError
        The folder is that of another problem or version, or damaged; the message names the file.
    BlockingIOError
        Another call is working in this folder.
    FileExistsError
        The folder holds something else.
    PermissionError
        The folder, or a file in it, is a link or another user's.
    OSError
        It cannot be written.
    """

    def __init__(self, path: Path, header: Mapping[str, int | str]) -> None:
        self.path: Path = path
        self._header: dict[str, Any] = {**header}
        self._mutex = threading.Lock()
        self._own = OwnFolder(path)
        names = self._own.names()
        foreign = sorted(name for name in names - {JOURNAL, LOCK} if not self._is_own(name, JOURNAL in names))
        if foreign:
            raise FileExistsError(
                errno.EEXIST, f"it is not the folder of work in progress: it holds {foreign[0]!r}", str(path)
            )
        self._lock = _locked(self._own)
        self._journal = Journal(self._own, JOURNAL)
        try:
            self._open()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let others work in the folder, and refuse to write to it from now on."""
        with self._mutex:
            self._lock.close()
            self._own.close()

    def remove(self) -> None:
        """Delete the journal and the folder, in which nothing else is left."""
        self._own.unlink(JOURNAL)
        if sys.platform == "win32":
            self._lock.close()  # no file is deleted there that is open
        self._own.unlink(LOCK)
        self.close()
        with contextlib.suppress(OSError):  # another call has begun to work in it, or a task was late
            self.path.rmdir()

    @abstractmethod
    def _is_own(self, name: str, has_journal: bool) -> bool:
        """Whether a file may be there, with or without a journal."""

    @abstractmethod
    def _may_follow(self, record: Any) -> bool:
        """Whether a record of the journal has a meaning behind those that have been replayed."""

    @abstractmethod
    def _replay(self, kind: str, *values: Any) -> None:
        """Change the state by what a record says."""

    def _open(self) -> None:
        """Take the state from the journal."""
        header, *records = self._journal.read() or [self._header]
        if self._journal.is_empty:
            self._journal.append(header)
        if not isinstance(header, dict):
            raise damaged(self._journal.file, "line 1 is no header")
        if header != self._header:
            wrong = next(key for key in {**self._header, **header} if _differ(header, self._header, key))
            raise ValueError(
                f"{self._journal.file}: its {wrong} is {header.get(wrong)!r}, not {self._header.get(wrong)!r}; "
                f"it is another problem's, delete {self.path} to start again, or choose another name"
            )
        for number, record in enumerate(records, start=2):
            if not self._may_follow(record):
                raise damaged(self._journal.file, f"line {number} cannot follow those before it")
            self._replay(*record)

    def _record(self, *record: Any) -> None:
        with self._mutex:
            self._refuse_when_closed()
            self._journal.append(record)
            self._replay(*record)

    def _refuse_when_closed(self) -> None:
        if self._lock.closed:
            raise ValueError(f"{self.path}: it is closed, and cannot be written to")


def _differ(header: Mapping[str, Any], other: Mapping[str, Any], key: str) -> bool:
    """Whether two headers say something else, or only one of them anything."""
    return key not in header or key not in other or header[key] != other[key]


def _locked(folder: OwnFolder) -> IO[bytes]:
    """Open a file of a folder that no other process, nor this one, has opened in this way.

    Raises
    ------
    BlockingIOError
        One has.
    """
    stream = folder.open(LOCK, "ab")
    try:
        _lock(stream, folder.path)
        status = folder.status(LOCK)
        with named_errors(folder.path / LOCK):
            if status is None or not os.path.samestat(status, os.fstat(stream.fileno())):
                raise _busy("another process has just finished in this folder", folder.path)
    except BaseException:
        stream.close()
        raise
    return stream


def _lock(stream: IO[bytes], folder: Path) -> None:
    try:
        if sys.platform == "win32":
            msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno not in (errno.EACCES, errno.EAGAIN, errno.EDEADLK):
            raise
        raise _busy("another process is working in this folder", folder) from None


def _busy(why: str, folder: Path) -> BlockingIOError:
    return BlockingIOError(errno.EAGAIN, why, str(folder))
