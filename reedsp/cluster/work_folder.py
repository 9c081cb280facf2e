"""A folder beside a result, in which is what has been done: the same call goes on from there.

Each line of its journal has a checksum, and says of what is on the disk already: the strips of a matrix after some
passes, and rows of the result. What no line speaks of is done again, to the same bytes. So it does no harm if a task
that no one waits for any more writes its file once again; that of another problem has other names.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from reedsp.cluster.strips import Filed
from reedsp.system.files.atomic_file import synchronise_folder
from reedsp.system.files.journaled_folder import JOURNAL, LOCK, JournaledFolder
from reedsp.system.files.rows_path import is_there, refuse_existing

FORMAT = 2
"""Version of the files; others are not read."""

_STRIP, _SCRATCH, _RESULT = "strip-", "scratch-", "result-"
_OWN = re.compile(rf"\.?({_STRIP}|{_SCRATCH}|{_RESULT})[0-9a-f]{{12}}-")
"""How the names of all files begin; those with a dot are not complete."""

_LATE = 10
"""Files that tasks may write into a folder while it is deleted."""


class WorkFolder(JournaledFolder):
    """What has been done for a result that is not complete.

    Parameters
    ----------
    path : Path
        Made where missing. What an earlier call has left there is gone on with.
    problem : mapping of str to int or str
        Says which problem this is; an earlier call has had the same.

    Attributes
    ----------
    rows : int or None
        Rows of a strip, or that a task writes, if work has begun.
    passes : int
        After how many passes the strips of the matrix were stored.
    written : set of int
        First rows of what has been written to the result.

    Raises
    ------
    ValueError
        The folder is that of another problem, or damaged; the message says how.
    BlockingIOError
        Another call is working in this folder.
    FileExistsError
        The folder holds something else.
    OSError
        It cannot be written.
    """

    def __init__(self, path: Path, problem: Mapping[str, int | str]) -> None:
        self.rows: int | None = None
        self.passes: int = 0
        self.written: set[int] = set()
        self._checksums: list[int] = []
        self._placed: set[str] = set()
        self._n = int(problem["n"])
        self._token = ""  # of this problem, cut in this way
        super().__init__(path, {"format": FORMAT, **problem})

    # ---- strips of a matrix ------------------------------------------------------------------------

    def scratch(self, name: str) -> Path:
        """Return where a strip may be kept for a while."""
        return self.path / f"{_SCRATCH}{self._token}-{name}"

    def file(self, strip: int, passes: int) -> Path:
        """Return where a strip is stored after some passes."""
        return self.path / f"{_STRIP}{self._token}-{strip}-{passes}"

    def strips(self) -> list[Filed]:
        """Return the strips that were stored last, if any were."""
        return [Filed(self.file(strip, self.passes), checksum) for strip, checksum in enumerate(self._checksums)]

    def record_strips(self, passes: int, strips: Sequence[Filed]) -> None:
        """Record that all strips are stored; earlier ones are deleted."""
        synchronise_folder(self.path)
        before = self.strips()
        self._record("strips", passes, [each.checksum for each in strips])
        for each in before:
            each.path.unlink(missing_ok=True)

    # ---- the result --------------------------------------------------------------------------------

    def begin(self, rows: int) -> None:
        """Record into how many rows at a time the work is cut, unless that is known."""
        if self.rows is None:
            self._record("rows", rows)

    def result(self, name: str) -> Path:
        """Return where a result is until it is complete."""
        return self.path / f"{_RESULT}{self._token}-{name}"

    def record_written(self, first: int) -> None:
        """Record that rows of all results, from one on, are on the disk."""
        self._record("written", first)

    def place(self, targets: Mapping[str, Path]) -> None:
        """Move complete results to where they were asked for, those that are not there yet.

        Raises
        ------
        FileExistsError
            A target is taken.
        """
        for name, target in targets.items():
            if name not in self._placed:
                source = self.result(name)
                if _is_one_file(source, target):
                    synchronise_folder(target.parent)
                    source.unlink()
                elif source.is_dir():
                    refuse_existing(target)
                    os.rename(source, target)
                elif is_there(source):
                    self._own.give(source.name, target)
                synchronise_folder(target.parent)
                self._record("placed", name)

    def refuse_taken(self, targets: Mapping[str, Path]) -> None:
        """Raise FileExistsError if a target is taken, but by a result that is complete."""
        for name, target in targets.items():
            moved = self.is_complete and not is_there(self.result(name))
            if not (moved or name in self._placed or _is_one_file(self.result(name), target)):
                refuse_existing(target)

    def has_lost(self, targets: Mapping[str, Path]) -> bool:
        """Whether a result, of which rows were written, is neither here nor where it was asked for any more."""
        places = ((self.result(name), target) for name, target in targets.items())
        begun = self.is_complete or bool(self.written)
        return begun and any(not any(map(is_there, both)) for both in places)

    @property
    def is_complete(self) -> bool:
        """Whether all rows are written."""
        return self.rows is not None and len(self.written) == -(-self._n // self.rows)

    def remove(self) -> None:
        """Delete all that is in the folder, and the folder."""
        for name in sorted(self._own.names() - {JOURNAL, LOCK}):
            _delete(self.path / name)
        super().remove()

    # ---- the journal -------------------------------------------------------------------------------

    def _open(self) -> None:
        super()._open()
        kept = {each.path.name for each in self.strips()}
        current = f"{_RESULT}{self._token}-"
        for name in self._own.names():  # what was left by tasks that no line speaks of
            stale = name.startswith((_STRIP, _SCRATCH, ".")) and name not in kept
            if stale or (name.startswith(_RESULT) and (self.rows is None or not name.startswith(current))):
                _delete(self.path / name)

    def _is_own(self, name: str, has_journal: bool) -> bool:
        return _OWN.match(name) is not None  # also without a journal: tasks may be later than its end

    def _may_follow(self, record: Any) -> bool:
        match record:
            case ["rows", int(rows)]:
                return self.rows is None and rows > 0
            case ["strips", int(passes), [*checksums]]:
                known = self.rows is not None and len(checksums) == -(-self._n // self.rows)
                return known and passes > self.passes and all(type(each) is int for each in checksums)
            case ["written", int(first)]:
                return self.rows is not None and 0 <= first < self._n and first % self.rows == 0
            case ["placed", str()]:
                return self.is_complete
        return False

    def _replay(self, kind: str, *values: Any) -> None:
        if kind == "rows":
            self.rows = values[0]
            self._token = hashlib.sha256(f"{sorted(self._header.items())} {self.rows}".encode()).hexdigest()[:12]
        elif kind == "strips":
            self.passes, self._checksums = values
        elif kind == "written":
            self.written.add(values[0])
        else:
            self._placed.add(values[0])


def _is_one_file(source: Path, target: Path) -> bool:
    """Whether a file has two names, as where the power failed while it was moved."""
    return is_there(source) and is_there(target) and os.path.samefile(source, target)


def _delete(path: Path) -> None:
    """Delete a file, or a folder, in which tasks that were late may go on to write."""
    if path.is_symlink() or not path.is_dir():
        path.unlink(missing_ok=True)
        return
    for _ in range(_LATE):
        with contextlib.suppress(OSError):
            shutil.rmtree(path)
            return
    shutil.rmtree(path)
