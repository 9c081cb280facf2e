"""Which of several devices a process takes, so that the workers of a host use all of them alike.

A claim is a lock on a file, which the system takes back when the process ends: a worker that is started in the place of
another one gets its device.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import IO, TypeVar

from reedsp.system.files.own_folder import OwnFolder

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

Each = TypeVar("Each")

_held: list[IO[bytes]] = []


def claim(key: str, offered: Sequence[Each]) -> Each:
    """Return the first of some devices that fewest processes with this key have claimed, and claim it.

    Parameters
    ----------
    key : str
        Of a cluster: others do not count.
    offered : sequence
        At least one, the same in every process.
    """
    if len(offered) == 1 or fcntl is None:
        return offered[0]
    user = os.getuid()
    folder = OwnFolder(Path(tempfile.gettempdir(), f"reedsp-claims-{user}"))
    turn = 0
    while True:
        for index, each in enumerate(offered):
            name = hashlib.sha256(f"{key} {index} {turn}".encode()).hexdigest()[:32]
            file = folder.open(name, "ab")
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                file.close()
                continue
            _held.append(file)
            return each
        turn += 1
