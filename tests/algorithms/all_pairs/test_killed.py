"""All pairs into files, ended at any step: the same call goes on to the same bytes, and touches nobody's files."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import reedsp
from reedsp.device.device import Device
from reedsp.results.all_pairs import AllPairs
from reedsp.system.files import writing
from reedsp.system.files.own_folder import OwnFolder

VERTICES = 70
NAMES = ("y.npy", "y.pred.npy")
OPERATIONS = ("open", "link", "unlink", "rename", "replace", "fsync", "mkdir", "rmdir", "ftruncate", "posix_fallocate")


class EndedError(BaseException):
    """The process is to have ended here."""


class Files:
    """Operations on files. Once they are to end, every further one fails, as if the process were no more.

    Parameters
    ----------
    patch : MonkeyPatch
    ends : callable(operations)
        Whether they end after those that have happened.
    """

    def __init__(self, patch: pytest.MonkeyPatch, ends: Callable[[list[str]], bool] = lambda done: False) -> None:
        self.done: list[str] = []
        self._ends = ends
        for name in OPERATIONS:
            if hasattr(os, name):
                patch.setattr(os, name, self._watched(name, getattr(os, name)))
        patch.setattr(writing, "write", self._watched("write", writing.write))

    def _watched(self, name: str, operation: Callable[..., Any]) -> Callable[..., Any]:
        def watched(*arguments: Any, **options: Any) -> Any:
            if self._ends(self.done):
                raise EndedError(name)
            self.done.append(name)
            return operation(*arguments, **options)

        return watched


def call(folder: Path, device: Device, **options: Any) -> AllPairs:
    rng = np.random.default_rng(4)
    ends = rng.integers(0, VERTICES, (2, 4 * VERTICES))
    graph = reedsp.Graph.from_edges(VERTICES, *ends, rng.integers(1, 99, 4 * VERTICES))
    return reedsp.apsp(
        graph, "floyd-warshall", out=folder / "y.npy", device=device, **{"predecessors": True, **options}
    )


def end_after(operation: str, count: int, folder: Path, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """End a call when an operation has happened so often."""
    with monkeypatch.context() as patch:
        Files(patch, lambda done: done.count(operation) == count)
        with pytest.raises(EndedError):
            call(folder, device)


def contents(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in NAMES if (folder / name).exists()}


@pytest.fixture
def expected(tmp_path: Path, device: Device) -> dict[str, bytes]:
    """Return what each file holds after a call that nobody has disturbed."""
    (tmp_path / "undisturbed").mkdir()
    call(tmp_path / "undisturbed", device)
    return contents(tmp_path / "undisturbed")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "files").mkdir()
    return tmp_path / "files"


def test_ended_at_every_operation(
    folder: Path, device: Device, expected: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        files = Files(patch)
        call(folder, device)
    assert len(files.done) > 60
    for number in range(len(files.done)):
        for name in NAMES:
            (folder / name).unlink()
        with monkeypatch.context() as patch:
            Files(patch, lambda done: len(done) == number)  # noqa: B023
            with pytest.raises(EndedError):
                call(folder, device)
        found = contents(folder)
        try:
            paths = call(folder, device)
        except FileExistsError:  # nothing was left to be done but to remove an empty folder
            assert found == expected
        else:
            assert np.array_equal(paths.dist, np.load(folder / "y.npy"))
        assert contents(folder) == expected, (number, files.done[number])
        assert {each.name for each in folder.iterdir()} == set(NAMES)


def test_ended_again_and_again(
    folder: Path, device: Device, expected: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each time a few operations later than before."""
    for allowed in range(1, 1000, 7):
        try:
            with monkeypatch.context() as patch:
                Files(patch, lambda done: len(done) == allowed)  # noqa: B023
                call(folder, device)
            break
        except EndedError:
            continue
    assert allowed > 20
    assert contents(folder) == expected
    assert {each.name for each in folder.iterdir()} == set(NAMES)


@pytest.mark.parametrize("placed", [0, 1])
def test_files_of_somebody_else(
    placed: int, folder: Path, device: Device, expected: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """They appear before the second result is moved there: an error, until they are gone."""
    end_after("link", placed, folder, device, monkeypatch)
    theirs = folder / "y.npy"
    theirs.write_bytes(b"theirs")
    for _ in range(2):
        with pytest.raises(FileExistsError, match=r"y\.npy"):
            call(folder, device)
        assert theirs.read_bytes() == b"theirs"
    theirs.unlink()
    call(folder, device)
    assert contents(folder) == expected


def test_a_file_that_appears_during_the_call(folder: Path, device: Device, expected: dict[str, bytes]) -> None:
    def progress(done: int, n: int) -> None:
        (folder / "y.pred.npy").write_bytes(b"theirs")

    with pytest.raises(FileExistsError, match=r"y\.pred\.npy"):
        call(folder, device, progress=progress)
    assert contents(folder) == {"y.pred.npy": b"theirs"}
    (folder / "y.pred.npy").unlink()
    call(folder, device, progress=lambda *_: pytest.fail("what was computed is computed again"))
    assert contents(folder) == expected


@pytest.mark.parametrize("deleted", [NAMES[:1], NAMES[1:], NAMES])
@pytest.mark.parametrize("instant", ["first", "second", "placed"])
def test_results_that_were_deleted_since(
    instant: str,
    deleted: tuple[str, ...],
    folder: Path,
    device: Device,
    expected: dict[str, bytes],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """When one or both had been moved to their places, or that was recorded: they are made again."""
    with monkeypatch.context() as patch:
        files = Files(patch)
        call(folder, device)
    for name in NAMES:
        (folder / name).unlink()
    operation, count = {"first": ("link", 1), "second": ("link", 2), "placed": ("fsync", files.done.count("fsync"))}[
        instant
    ]
    end_after(operation, count, folder, device, monkeypatch)
    for name in deleted:
        (folder / name).unlink(missing_ok=True)
    try:
        call(folder, device)
    except FileExistsError as error:  # it is not replaced, though it was the same
        Path(error.filename).unlink()
        call(folder, device)
    assert contents(folder) == expected


def test_ended_twice_while_the_folder_goes(
    folder: Path, device: Device, expected: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(2):
        with monkeypatch.context() as patch:
            # all results are in their places, and something of the folder is deleted
            Files(patch, lambda done: contents(folder) == expected and done[-1:] == ["unlink"])
            with pytest.raises(EndedError):
                call(folder, device)
    call(folder, device)
    assert contents(folder) == expected


def test_another_kind_of_result(
    folder: Path, device: Device, expected: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was written for one call is not taken for the answer to another."""
    end_after("link", 0, folder, device, monkeypatch)
    dist = call(folder, device, predecessors=False, dtype=np.float32).dist
    assert dist.dtype == np.float32
    assert {each.name for each in folder.iterdir()} == {"y.npy"}
    assert np.array_equal(dist, np.frombuffer(expected["y.npy"][-8 * VERTICES**2 :]).reshape(VERTICES, VERTICES))


def test_the_disk_has_what_the_journal_says(folder: Path, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before a line is written, all that was written to other files is synchronised, their names, and other lines."""
    dirty: set[str] = set()
    lines = 0
    write, fsync, flush, open_own = writing.write, os.fsync, np.memmap.flush, OwnFolder.open

    def written(stream: Any, place: int | None, content: Any) -> None:
        nonlocal lines
        name = Path(stream.name).name
        if name == "journal":
            assert not dirty
            lines += 1
        dirty.add(name)
        write(stream, place, content)

    def synchronised(descriptor: int) -> None:
        dirty.discard(Path(os.readlink(f"/proc/self/fd/{descriptor}")).name)
        fsync(descriptor)

    def flushed(matrix: np.memmap[Any, Any]) -> None:
        dirty.discard("matrix")
        flush(matrix)

    def opened(own: OwnFolder, name: str, mode: str) -> Any:
        if name not in ("journal", "lock") and own.status(name) is None:
            dirty.update((name, own.path.name))
        return open_own(own, name, mode)

    monkeypatch.setattr(writing, "write", written)
    monkeypatch.setattr(os, "fsync", synchronised)
    monkeypatch.setattr(np.memmap, "flush", flushed)
    monkeypatch.setattr(OwnFolder, "open", opened)
    call(folder, device)
    assert lines >= 8
