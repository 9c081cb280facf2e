"""Operations on files of which one fails: opening, naming, deleting, synchronising, writing, reading."""

from __future__ import annotations

import builtins
import contextlib
import errno
import io
import itertools
import mmap
import os
import shutil
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from reedsp.system.files import writing

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

READING = ("open", "stat", "lstat", "fstat", "listdir", "scandir", "readlink")
CUT = -1
"""Instead of the number of an error: the file has become shorter."""

READING_ERRORS = {name: error for name, error in ERRORS.items() if name != "full"} | {"cut": CUT}
every_reading_error = pytest.mark.parametrize("error", READING_ERRORS.values(), ids=READING_ERRORS)


@contextlib.contextmanager
def files_that_end_at(size: int) -> Iterator[None]:
    """Have the system refuse what does not fit into a file of some bytes, however it is written."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


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
        monkeypatch.setattr(writing, "write", self._written(writing.write))
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


@dataclass
class FailingReads(Failing):
    """The same of operations that read; :data:`CUT` has the file lose its second half, unless it is mapped."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.mapped: set[str] = set()

    def plant(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Watch all operations from now on."""
        for name in READING:
            monkeypatch.setattr(os, name, self._watched(name, getattr(os, name)))
        monkeypatch.setattr(mmap, "mmap", self._mapping())
        opened = self._opened(open)
        for module in (builtins, io):
            monkeypatch.setattr(module, "open", opened)

    def strike(self, name: str, path: str) -> bool:
        """Begin an operation, and fail in it if it is its turn; return whether only some of it may be done."""
        if not self.begin(name):
            return False
        if self.error == CUT:
            if path not in self.mapped and os.path.isfile(path):
                os.truncate(path, os.path.getsize(path) // 2)
        elif self.error != SHORT:
            named = name not in ("read", "fstat", "mmap")
            raise OSError(self.error, os.strerror(self.error), *([path] if named else []))
        return self.error == SHORT

    def _watched(self, name: str, operation: Callable[..., Any]) -> Callable[..., Any]:
        def watched(*arguments: Any, **options: Any) -> Any:
            path = self._path(arguments[0], options) if arguments else None
            if path is not None:
                self.strike(name, path)
            return operation(*arguments, **options)

        return watched

    def _mapping(self) -> type[mmap.mmap]:
        failing = self

        class Mapping(mmap.mmap):
            def __new__(cls, descriptor: int, *arguments: Any, **options: Any) -> Mapping:
                path = failing._path(descriptor, {})
                if path is not None:
                    failing.strike("mmap", path)
                made = super().__new__(cls, descriptor, *arguments, **options)
                failing.mapped |= {path or ""}
                return made

        return Mapping

    def _opened(self, opens: Callable[..., Any]) -> Callable[..., Any]:
        def opened(file: Any, mode: str = "r", *arguments: Any, **options: Any) -> Any:
            path = self._path(file, {}) if isinstance(file, (str, os.PathLike)) else None
            if path is None or set(mode) & set("wxa"):
                return opens(file, mode, *arguments, **options)
            self.strike("open", path)
            raw = _RawRead(path, mode.replace("t", "").replace("b", ""), opener=options.pop("opener", None))
            raw.failing, raw.path = self, path
            if "+" in mode:
                return io.BufferedRandom(raw)
            return io.BufferedReader(raw) if "b" in mode else io.TextIOWrapper(io.BufferedReader(raw), **options)

        return opened

    def _path(self, given: Any, options: dict[str, Any]) -> str | None:
        """Return which file in the folder an operation is about."""
        if not self._is_within(given, options):
            return None
        descriptor = given if isinstance(given, int) else options.get("dir_fd")
        if descriptor is None:
            return os.path.abspath(os.fspath(given))
        place = os.readlink(f"/proc/self/fd/{descriptor}")
        return place if isinstance(given, int) else os.path.join(place, given)


class _RawRead(io.FileIO):
    """A file that is read."""

    failing: FailingReads
    path: str

    def readinto(self, buffer: Any) -> int:
        half = len(buffer) // 2 or 1
        is_short = self.failing.strike("read", self.path)
        return super().readinto(memoryview(buffer)[:half] if is_short else buffer)

    def readall(self) -> bytes:
        self.failing.strike("read", self.path)
        return super().readall()


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


def each_read_fails(
    call: Callable[[Path], object], error: int, written: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> list[str]:
    """Have each operation of a call that reads fail, on a copy of what is written; return the operations.

    The call returns what it would have returned, or raises an error that names a file of this folder: an OSError of
    this number, or a ValueError of a file that was cut. Where nothing was cut, the same call made again succeeds.
    """
    shutil.copytree(written, folder / "whole")
    expected = call(folder / "whole")
    left = contents(folder / "whole")
    for number in itertools.count():
        copy = folder / f"{number}"
        shutil.copytree(written, copy)
        failing = FailingReads(copy, number, error)
        raised: Exception | None = None
        with monkeypatch.context() as patch:
            failing.plant(patch)
            try:
                found = call(copy)
            except (OSError, ValueError) as problem:
                raised = problem
        if raised is None:
            assert found == expected, (number, failing.begun)
        elif error == CUT:
            if not isinstance(raised, ValueError):
                raise AssertionError(f"no ValueError: operation {number}, {failing.begun[number]}") from raised
            assert str(raised).startswith(f"{copy}{os.sep}"), raised
        else:
            assert isinstance(raised, OSError), raised
            assert raised.errno == error != SHORT, raised
            assert str(raised.filename).startswith(str(copy)), failing.begun
        if not failing.has_failed:
            assert raised is None
            return failing.begun
        if raised is not None and error != CUT:
            try:
                assert call(copy) == expected, (number, failing.begun)
            except FileExistsError:  # the last step was all that failed
                assert contents(copy) == left, (number, failing.begun)
        shutil.rmtree(copy)
    raise AssertionError
