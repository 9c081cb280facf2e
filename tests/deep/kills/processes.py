"""Processes that are killed: how they are started and told apart from others, and how a folder is looked at."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import IO

MODULE = "tests.deep.kills"
PATIENCE = 300.0  # seconds for what should have ended
_MARK = "REEDSP_KILLS"
_PARTIAL = re.compile(r"\..+\.[0-9a-f]{16}\.partial")


class WrongError(Exception):
    """What must not be, after a kill."""


class Processes:
    """Processes of one call, which know each other by a mark in their environment.

    Parameters
    ----------
    **variables : str
        Of the environment.
    """

    def __init__(self, **variables: str) -> None:
        self._mark = uuid.uuid4().hex
        self._variables = {**variables, _MARK: self._mark}

    def start(self, *arguments: object, said: IO[str] | int | None = None) -> subprocess.Popen[str]:
        """Start Python with some arguments; its output can be read; its errors go to a file, or where those here do."""
        command = [sys.executable, *map(str, arguments)]
        variables = {**os.environ, **self._variables}
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=said, text=True, env=variables)

    def alive(self, named: str = "") -> list[int]:
        """Return the processes that have this mark, those that others have started included.

        Parameters
        ----------
        named : str
            Only those whose command holds this.
        """
        mark = f"{_MARK}={self._mark}"
        every = map(int, filter(str.isdigit, os.listdir("/proc")))
        return [pid for pid in every if mark in _words(pid, "environ") and named in " ".join(_words(pid, "cmdline"))]

    def wait_for_none(self) -> None:
        """Wait until all have ended.

        Raises
        ------
        WrongError
            One goes on.
        """
        end = time.monotonic() + PATIENCE
        while left := self.alive():
            if time.monotonic() > end:
                raise WrongError(f"processes {left} are at work after those that began them have been killed")
            time.sleep(0.01)

    def kill(self, named: str = "") -> None:
        """Kill all, or those whose command holds this, and wait until they are no more."""
        while left := self.alive(named):
            for pid in left:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    continue
            time.sleep(0.01)


def _words(pid: int, name: str) -> list[str]:
    try:
        return Path(f"/proc/{pid}/{name}").read_bytes().decode(errors="replace").split("\0")
    except OSError:  # it has ended, or is another user's
        return []


def contents(folder: Path) -> dict[str, bytes]:
    """Return the bytes of all files below a folder by their names in it."""
    return {str(each.relative_to(folder)): each.read_bytes() for each in _files(folder)}


def is_partial(name: str) -> bool:
    """Whether this is how a file is called before it is complete."""
    return _PARTIAL.fullmatch(Path(name).name) is not None


def _files(folder: Path) -> Iterator[Path]:
    for each in folder.rglob("*"):
        if each.is_file():
            yield each


def emptied(folder: Path) -> Path:
    """Return a folder without anything in it."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def read_until(process: subprocess.Popen[str], *wanted: str) -> str:
    """Return the first of the lines of a process that begins with one of these words; nothing if it has ended."""
    assert process.stdout is not None
    for line in process.stdout:
        if line.split()[:1] in [[each] for each in wanted]:
            return line.strip()
    return ""
