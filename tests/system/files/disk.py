"""What a disk may hold after the power has failed: every state between two operations on files."""

from __future__ import annotations

import os
import random
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reedsp.system.files import writing

OPERATIONS = ("open", "link", "unlink", "rename", "replace", "fsync", "mkdir", "rmdir", "ftruncate", "posix_fallocate")
AT_RANDOM = 6  # of the states that a cut may leave, beside what was synchronised alone and what was written at all

Content = tuple[bytes, int]
"""What a file holds, and its time."""

Names = dict[str, int]
"""The files and folders of a folder, by their numbers."""


@dataclass(frozen=True)
class State:
    """What is found on a disk after a cut."""

    root: int
    folders: dict[int, Names]
    files: dict[int, Content]

    def place(self, path: Path) -> None:
        """Write all of it to a folder; a file that is there twice has two names."""
        self._place(self.root, path, {})

    def _place(self, folder: int, path: Path, written: dict[int, Path]) -> None:
        path.mkdir(mode=0o700)
        for name, number in self.folders[folder].items():
            if number in self.folders:
                self._place(number, path / name, written)
            elif number in written:
                os.link(written[number], path / name)
            else:
                written[number] = path / name
                content, time = self.files[number]
                (path / name).write_bytes(content)
                os.utime(path / name, ns=(time, time))

    def described(self, folder: int | None = None) -> tuple[Any, ...]:
        """Return what distinguishes it from others."""
        names = self.folders[self.root if folder is None else folder]
        return tuple(
            (name, self.described(number) if number in self.folders else self.files[number])
            for name, number in sorted(names.items())
        )


@dataclass
class Disk:
    """A folder, and how much of it would be left at each step if the power failed.

    A file that is synchronised keeps its content, a folder its names. Before that, a file may hold what it held then,
    what it holds now, or some of each; a folder may have the names of any moment since.
    """

    path: Path
    seed: int = 0
    states: list[State] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._lock = threading.RLock()
        self._busy = False
        self._random = random.Random(self.seed)
        self._held: dict[int, int] = {}  # descriptors, so that no number is given twice
        self._safe: dict[int, Content] = {}
        self._versions: dict[int, list[Names]] = {}
        self._seen: set[tuple[Any, ...]] = set()
        self._look(self.path)
        for number, versions in self._versions.items():
            del versions[:-1]
            assert number in self._held
        self._safe = {number: self._content(number) for number in self._held if number not in self._versions}

    def record(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Look at the folder before and after every operation on files from now on."""
        for name in OPERATIONS:
            monkeypatch.setattr(os, name, self._watched(getattr(os, name), name == "fsync"))
        monkeypatch.setattr(writing, "write", self._watched(writing.write, False))
        flush = np.memmap.flush

        def flushed(matrix: np.memmap[Any, Any]) -> None:
            flush(matrix)
            with self._lock:
                self.synchronised(os.stat(str(matrix.filename)).st_ino)

        monkeypatch.setattr(np.memmap, "flush", flushed)

    def _watched(self, operation: Callable[..., Any], synchronises: bool) -> Callable[..., Any]:
        def watched(*arguments: Any, **options: Any) -> Any:
            with self._lock:
                if self._busy:
                    return operation(*arguments, **options)
                self.cut()
                try:
                    return operation(*arguments, **options)
                finally:
                    if synchronises:
                        self.synchronised(os.fstat(arguments[0]).st_ino)
                    self.cut()

        return watched

    def synchronised(self, number: int) -> None:
        """Have what is in a file or folder stay."""
        self._look(self.path)
        if number in self._versions:
            del self._versions[number][:-1]
        elif number in self._held:
            self._safe[number] = self._content(number)

    def cut(self) -> None:
        """Add the states in which a cut at this moment may leave the disk."""
        with self._lock:
            self._busy = True
            try:
                self._look(self.path)
                for state in self._possible():
                    if (described := state.described()) not in self._seen:
                        self._seen.add(described)
                        self.states.append(state)
            finally:
                self._busy = False

    def close(self) -> None:
        """Let go of all files."""
        for descriptor in self._held.values():
            os.close(descriptor)

    def _possible(self) -> Iterator[State]:
        now = {number: self._content(number) for number in self._held if number not in self._versions}
        root = os.stat(self.path).st_ino
        for turn in range(AT_RANDOM + 2):
            folders, files = {}, {}
            for number, versions in self._versions.items():
                index = self._random.randrange(len(versions))
                folders[number] = versions[0 if turn == 0 else -1 if turn == 1 else index]
            for number, (content, time) in now.items():
                before = self._safe.get(number, (b"", time))
                middle = self._random.randint(0, len(content))
                torn = (content[:middle] + before[0][middle:], time)
                choices = [before, (content, time), torn]
                files[number] = choices[turn if turn < 2 else self._random.randrange(3)]
            yield State(root, folders, files)

    def _look(self, folder: Path) -> None:
        """Note the names in a folder, and in those below it."""
        busy, self._busy = self._busy, True
        try:
            number = self._hold(folder)
            names = {}
            for each in sorted(folder.iterdir()):
                names[each.name] = self._hold(each)
                if each.is_dir():
                    self._look(each)
            versions = self._versions.setdefault(number, [{}])
            if versions[-1] != names:
                versions.append(names)
        finally:
            self._busy = busy

    def _hold(self, path: Path) -> int:
        number = os.stat(path).st_ino
        if number not in self._held:
            self._held[number] = os.open(path, os.O_RDONLY)
        return number

    def _content(self, number: int) -> Content:
        status = os.fstat(self._held[number])
        return os.pread(self._held[number], status.st_size, 0), status.st_mtime_ns


def states_of(
    work: Callable[[], object], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[list[State], list[State]]:
    """Return the states in which a cut during some work, and one after it, may leave a folder."""
    disk = Disk(folder)
    try:
        with monkeypatch.context() as patch:
            disk.record(patch)
            work()
        during, disk.states = disk.states, []
        disk._seen.clear()
        disk.cut()
        return during, disk.states
    finally:
        disk.close()
