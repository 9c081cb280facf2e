"""Which of several devices a process takes, so that the workers of a host use all of them alike.

A claim is a lock on a file, which the system takes back when the process ends: a worker that is started in the place of
another one gets its device. Files of processes that have ended are deleted with the next claim.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Generic, TypeVar

from reedsp.system.files.own_folder import OwnFolder

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_TURN = "turn"
"""Name of the file that is locked while others are made or deleted."""

Each = TypeVar("Each")


@dataclass(frozen=True)
class Claim(Generic[Each]):
    """What a process has taken, until it ends or lets go.

    Attributes
    ----------
    taken : object
    """

    taken: Each
    _file: IO[bytes] | None = None

    def release(self) -> None:
        """Let others have it."""
        if self._file is not None and not self._file.closed:
            with _turn() as folder:
                name = Path(self._file.name).name
                found = folder.status(name)
                if found is not None and os.path.samestat(found, os.fstat(self._file.fileno())):
                    folder.unlink(name)  # a process that was forked may have the lock, too
                self._file.close()


def claim(key: str, offered: Sequence[Each]) -> Claim[Each]:
    """Claim the first of some devices that fewest processes with this key have claimed.

    Parameters
    ----------
    key : str
        Of a cluster: others do not count.
    offered : sequence
        At least one, the same in every process.
    """
    if len(offered) == 1 or fcntl is None:
        return Claim(offered[0])
    with _turn() as folder:
        for name in folder.names() - {_TURN}:
            if (file := _locked(folder, name)) is not None:
                folder.unlink(name)
                file.close()
        turn = 0
        while True:
            for index, each in enumerate(offered):
                name = hashlib.sha256(f"{key} {index} {turn}".encode()).hexdigest()[:32]
                if (file := _locked(folder, name)) is not None:
                    return Claim(each, file)
            turn += 1


@contextlib.contextmanager
def _turn() -> Iterator[OwnFolder]:
    """Open the folder of this user's claims, in which no other thread or process makes or deletes a file meanwhile."""
    path = Path(tempfile.gettempdir(), f"reedsp-claims-{os.getuid()}")
    with contextlib.closing(OwnFolder(path)) as folder, folder.open(_TURN, "ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        try:
            yield folder
        finally:
            fcntl.flock(file, fcntl.LOCK_UN)  # a process that is forked meanwhile has the file open, too


def _locked(folder: OwnFolder, name: str) -> IO[bytes] | None:
    """Open a file that no one has locked, and lock it."""
    file = folder.open(name, "ab")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        return None
    return file
