"""Operations on files of which one fails: opening, naming, deleting, synchronising, making folders, writing."""

from __future__ import annotations

import builtins
import errno
import io
import itertools
import os
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from reedsp.algorithms.all_pairs.out_of_core import array_files

OPERATIONS = ("open", "link", "unlink", "rename", "replace", "fsync", "mkdir", "rmdir", "ftruncate", "posix_fallocate")
SHORT = 0
"""Instead of the number of an error: half of what is to be written is, and the caller is told so."""


ERRORS = {
    "full": errno.ENOSPC,
    "broken": errno.EIO,
    "forbidden": errno.EACCES,
    "interrupted": errno.EINTR,
    "short": SHORT,
}
"""Of which Python itself repeats what was interrupted, where the system says so and not a test."""

every_error = pytest.mark.parametrize("error", ERRORS.values(), ids=ERRORS)


@dataclass
class Failing:
    """Has one operation fail on what is in a folder, and counts them all.

    Attributes
    ----------
    folder : Path
    number : int
        Which one fails, in the order in which they begin; -1: none.
    error : int
        With which number of :mod:`errno`; :data:`SHORT` fails only where something is written.
    """

    folder: Path
    number: int = -1
    error: int = SHORT
    begun: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._lock = threading.Lock()

    def plant(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Watch all operations from now on."""
        for name in OPERATIONS:
            if hasattr(os, name):
                monkeypatch.setattr(os, name, self._watched(name, getattr(os, name)))
        monkeypatch.setattr(array_files, "write", self._written(array_files.write))
        opened = self._opened(open)
        for module in (builtins, io):  # pathlib has the latter
            monkeypatch.setattr(module, "open", opened)

    @property
    def has_failed(self) -> bool:
        """Whether the operation was begun."""
        return 0 <= self.number < len(self.begun)

    def begin(self, name: str) -> bool:
        """Count an operation; return whether it is the one that fails."""
        with self._lock:
            self.begun.append(name)
            return len(self.begun) - 1 == self.number

    def fail(self) -> None:
        raise OSError(self.error, os.strerror(self.error))

    def _watched(self, name: str, operation: Callable[..., Any]) -> Callable[..., Any]:
        def watched(*arguments: Any, **options: Any) -> Any:
            if self._is_within(arguments[0], options) and self.begin(name) and self.error != SHORT:
                self.fail()
            return operation(*arguments, **options)

        return watched

    def _written(self, write: Callable[..., Any]) -> Callable[..., Any]:
        def written(stream: Any, *arguments: Any) -> Any:
            if self._is_within(stream.fileno(), {}) and self.begin("write") and self.error != SHORT:
                self.fail()
            return write(stream, *arguments)

        return written

    def _opened(self, opens: Callable[..., Any]) -> Callable[..., Any]:
        def opened(file: Any, mode: str = "r", *arguments: Any, **options: Any) -> Any:
            if not (isinstance(file, (str, os.PathLike)) and self._is_within(file, {})):
                return opens(file, mode, *arguments, **options)
            if self.begin("open") and self.error != SHORT:
                self.fail()
            if "b" not in mode or not set(mode) & set("wxa+"):
                return opens(file, mode, *arguments, **options)
            raw = _Raw(file, mode, opener=options.get("opener"))
            raw.failing = self
            return io.BufferedRandom(raw) if "+" in mode else io.BufferedWriter(raw)

        return opened

    def _is_within(self, given: Any, options: dict[str, Any]) -> bool:
        folder = options.get("dir_fd", options.get("src_dir_fd"))
        if folder is not None:
            given = folder
        try:
            path = (
                os.readlink(f"/proc/self/fd/{given}") if isinstance(given, int) else os.path.abspath(os.fspath(given))
            )
        except (OSError, TypeError):
            return False
        return Path(path).is_relative_to(self.folder)


class _Raw(io.FileIO):
    """A file that is written to."""

    failing: Failing

    def write(self, content: Any) -> int:
        if self.failing.begin("write"):
            if self.failing.error != SHORT:
                self.failing.fail()
            return super().write(memoryview(content)[: -(-len(content) // 2)])
        return super().write(content)


def contents(folder: Path) -> dict[str, bytes]:
    """Return what is in all files of a folder, and in those below it."""
    return {str(each.relative_to(folder)): each.read_bytes() for each in folder.rglob("*") if each.is_file()}


def error_of(call: Callable[[], object]) -> OSError | None:
    """Return what a call raises."""
    try:
        call()
    except OSError as error:
        return error
    return None


def each_fails(
    call: Callable[[Path], object], error: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> list[str]:
    """Have each operation of a call fail; return the operations.

    The call raises an OSError of this number, or does what it is there for nevertheless. Then it is made again: it
    leaves what it would have left at once.
    """
    (tmp_path / "whole").mkdir()
    call(tmp_path / "whole")
    expected = contents(tmp_path / "whole")
    assert expected
    for number in itertools.count():
        folder = tmp_path / f"{number}"
        folder.mkdir()
        failing = Failing(folder, number, error)
        with monkeypatch.context() as patch:
            failing.plant(patch)
            raised = error_of(lambda: call(folder))  # noqa: B023
        ended = raised is None
        assert ended or (raised.errno == error and failing.has_failed), raised
        if not failing.has_failed:
            assert contents(folder) == expected
            return failing.begun
        left = contents(folder)
        if ended:
            assert {name: left.get(name) for name in expected} == expected
        if not ended or left != expected:
            try:
                call(folder)
            except FileExistsError:
                assert {name: left.get(name) for name in expected} == expected  # the last step was all that failed
            left = {name: content for name, content in contents(folder).items() if not name.endswith(".partial")}
            assert left == expected, (number, failing.begun[number])
    raise AssertionError
