"""The folder of work in progress by itself: what may be recorded when, what it keeps, and what it deletes."""

from __future__ import annotations

import errno
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reedsp.cluster import work_folder
from reedsp.cluster.strips import Filed
from reedsp.cluster.work_folder import WorkFolder
from reedsp.system.files import atomic_file
from reedsp.system.files.journal import Journal
from reedsp.system.files.own_folder import OwnFolder
from reedsp.system.files.rows_path import is_there, partial
from tests.system.files.failing import CUT, READING_ERRORS, each_read_fails

N, ROWS = 10, 4
PROBLEM: dict[str, int | str] = {"fingerprint": "a graph", "n": N}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "x.npy.partial"


def opened(folder: Path, **changed: int | str) -> WorkFolder:
    return WorkFolder(folder, PROBLEM | changed)


def begun(folder: Path) -> WorkFolder:
    work = opened(folder)
    work.begin(ROWS)
    return work


def complete(folder: Path) -> WorkFolder:
    work = begun(folder)
    for first in range(0, N, ROWS):
        work.record_written(first)
    return work


def names(folder: Path) -> set[str]:
    return {each.name for each in folder.iterdir()}


# ---- the journal ------------------------------------------------------------------------------------

BEGUN = ["rows", ROWS]
WRITTEN = [["written", first] for first in range(0, N, ROWS)]


@pytest.mark.parametrize(
    "records",
    [
        [["rows", 1]],
        [BEGUN, ["strips", 1, [1, 2, 3]], ["strips", 5, [0, 0, 0]]],
        [BEGUN, ["written", 8], ["written", 0], ["written", 0]],
        [BEGUN, *WRITTEN, ["placed", "dist"], ["placed", "pred"]],
    ],
)
def test_records_that_follow_each_other(records: list[Any], folder: Path) -> None:
    append(folder, records)
    opened(folder).close()


@pytest.mark.parametrize(
    "records",
    [
        *([each] for each in (["rows", 0], ["rows", -4], ["rows", 4.0], ["rows"], ["nothing"], 5, None, {}, [])),
        *([each] for each in (["strips", 1, [1, 2, 3]], ["written", 0], ["placed", "dist"])),
        [BEGUN, BEGUN],
        *([BEGUN, ["strips", *each]] for each in ((0, [1, 2, 3]), (1, [1, 2]), (1, [1, 2, 3, 4]), (1, [1, 2, 3.0]))),
        [BEGUN, ["strips", 1, 5]],
        [BEGUN, ["strips", 3, [1, 2, 3]], ["strips", 3, [1, 2, 3]]],
        *([BEGUN, ["written", first]] for first in (-ROWS, 3, 12, 4.0, "0")),
        [["rows", N // 2], ["written", N]],
        [BEGUN, *WRITTEN[1:], ["placed", "dist"]],
        [BEGUN, *WRITTEN, ["placed", 5]],
    ],
    ids=str,
)
def test_records_that_cannot_follow(records: list[Any], folder: Path) -> None:
    append(folder, records)
    with pytest.raises(ValueError, match=f"journal: line {len(records) + 1} cannot follow those before it; .*delete"):
        opened(folder)
    with pytest.raises(ValueError, match="cannot follow"):  # nobody is at work in it
        opened(folder)


def append(folder: Path, records: list[Any]) -> None:
    """Write records to the journal of a new folder."""
    opened(folder).close()
    own = OwnFolder(folder)
    journal = Journal(own, "journal")
    assert len(journal.read()) == 1
    for each in records:
        journal.append(each)
    own.close()


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"n": 11}, "its n is 10, not 11"),
        ({"fingerprint": "another"}, "its fingerprint is 'a graph', not 'another'"),
        ({"type": "int32"}, "its type is None, not 'int32'"),
    ],
)
def test_the_folder_of_another_problem(changed: dict[str, int | str], message: str, folder: Path) -> None:
    begun(folder).close()
    with pytest.raises(ValueError, match=f"journal: {message}; it is another problem's, delete .*partial to start"):
        opened(folder, **changed)
    with opened(folder) as work:
        assert work.rows == ROWS


@pytest.mark.parametrize(
    ("header", "message"),
    [
        (5, "line 1 is no header; it is damaged"),
        ({"format": 1} | PROBLEM, "its format is 1, not 2; it is another problem's"),
        ({"format": 2} | PROBLEM | {"type": None}, "its type is None, not None; it is another problem's"),
    ],
)
def test_a_folder_of_another_version(header: Any, message: str, folder: Path) -> None:
    own = OwnFolder(folder)
    Journal(own, "journal").append(header)
    own.close()
    with pytest.raises(ValueError, match=f"journal: {message}"):
        opened(folder)


def test_a_header_that_says_more(folder: Path) -> None:
    opened(folder, type="int32").close()
    with pytest.raises(ValueError, match="journal: its type is 'int32', not None; it is another"):
        opened(folder)


def test_one_call_at_a_time(folder: Path) -> None:
    with opened(folder), pytest.raises(BlockingIOError, match="another process is working in this folder"):
        opened(folder)
    opened(folder).close()


@pytest.mark.parametrize(
    "name", ["thesis.tex", "strip-plan.txt", "result-2024", "scratch-0123456789a-b", ".x.partial", "video.mp4.partial"]
)
def test_the_folder_of_something_else(name: str, folder: Path) -> None:
    folder.mkdir()
    (folder / name).touch()
    with pytest.raises(FileExistsError, match=f"it is not the folder of .*: it holds '{re.escape(name)}'") as found:
        opened(folder)
    assert (found.value.errno, found.value.filename) == (errno.EEXIST, str(folder))
    assert names(folder) == {name}


# ---- what is gone on with ---------------------------------------------------------------------------


def test_what_was_recorded_is_known_again(folder: Path) -> None:
    with begun(folder) as work:
        work.begin(7)
        assert (work.rows, work.passes, work.written, work.strips()) == (ROWS, 0, set(), [])
        work.record_strips(2, [Filed(work.file(strip, 2), strip + 5) for strip in range(3)])
        work.record_written(4)
        files = [work.file(strip, 2) for strip in range(3)]
        for each in files:
            each.touch()
    with opened(folder) as work:
        assert (work.rows, work.passes, work.written) == (ROWS, 2, {4})
        assert work.strips() == [Filed(each, strip + 5) for strip, each in enumerate(files)]
        assert names(folder) == {"journal", "lock", *(each.name for each in files)}
        assert not work.is_complete
        work.record_written(0)
        work.record_written(0)
        assert not work.is_complete
        work.record_written(8)
        assert work.is_complete


def test_strips_are_deleted_when_later_ones_are_recorded(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synchronised: list[set[str]] = []
    fsync = os.fsync

    def synchronise(descriptor: int) -> None:
        synchronised.append(names(folder))
        fsync(descriptor)

    with begun(folder) as work:
        for passes in (1, 3):
            stored = [work.file(strip, passes) for strip in range(3)]
            for each in stored:
                each.touch()
            before = names(folder)
            with monkeypatch.context() as patch:
                patch.setattr(os, "fsync", synchronise)
                work.record_strips(passes, [Filed(each, 0) for each in stored])
            assert synchronised == [before, before]
            synchronised.clear()
            assert names(folder) == {"journal", "lock", *(each.name for each in stored)}
        stored[0].unlink()
        work.record_strips(4, [Filed(work.file(strip, 4), 0) for strip in range(3)])
        assert names(folder) == {"journal", "lock"}


def test_names_tell_problems_and_cuts_apart(tmp_path: Path) -> None:
    found = set()
    for number, (changed, rows) in enumerate((({}, 4), ({}, 5), ({"fingerprint": "another"}, 4), ({"n": 11}, 4))):
        with opened(tmp_path / str(number), **changed) as work:
            work.begin(rows)
            found |= {each.name for each in (work.result("a"), work.scratch("a"), work.file(1, 23), work.file(12, 3))}
    assert len(found) == 16
    with begun(tmp_path / "again") as work:
        assert work.result("a").name in found


def test_what_no_line_speaks_of_is_deleted(folder: Path) -> None:
    with begun(folder) as work:
        kept = [work.file(strip, 1) for strip in range(3)]
        work.record_strips(1, [Filed(each, 0) for each in kept])
        kept.append(work.result("dist"))
        for each in (*kept, work.file(0, 2), work.scratch("a"), folder / "result-0123456789ab-dist"):
            each.touch()
        for each in (work.file(1, 2), work.result("dist")):
            (folder / f".{each.name[:24]}.0123456789abcdef.partial").touch()
        work.scratch("folder").mkdir()
        (work.scratch("folder") / "file").touch()
        work.file(2, 2).symlink_to(folder)
    with opened(folder):
        assert names(folder) == {"journal", "lock", *(each.name for each in kept)}


def test_what_a_late_task_has_deleted_meanwhile_is_gone(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    listed = OwnFolder.names
    with begun(folder) as work:
        late = work.scratch("late").name
    monkeypatch.setattr(OwnFolder, "names", lambda own: listed(own) | {late})
    work = opened(folder)
    work.remove()
    assert not folder.exists()


def test_results_of_work_that_has_not_begun_are_deleted(folder: Path) -> None:
    with opened(folder):
        (folder / "result-0123456789ab-dist").touch()
    with opened(folder):
        assert names(folder) == {"journal", "lock"}


# ---- results ----------------------------------------------------------------------------------------


def in_place(work: WorkFolder, target: Path) -> None:
    """Have no result to move: it has the name that it was asked for, too."""
    os.link(work.result("dist"), target)


@pytest.mark.parametrize("earlier", [None, in_place])
def test_results_are_moved_once(
    earlier: Callable[[WorkFolder, Path], None] | None, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    targets = {"dist": tmp_path / "x.npy"}
    with complete(folder) as work:
        work.result("dist").write_bytes(b"distances")
        if earlier is not None:
            earlier(work, targets["dist"])
        work.refuse_taken(targets)
        assert not work.has_lost(targets)
        work.place(targets)
        assert targets["dist"].read_bytes() == b"distances"
        assert not is_there(work.result("dist"))
        work.refuse_taken(targets)
    journal = (folder / "journal").read_bytes()
    with opened(folder) as work:
        work.place(targets)
        assert (folder / "journal").read_bytes() == journal
        assert not work.has_lost(targets)
        targets["dist"].unlink()
        assert work.has_lost(targets)


def test_a_result_that_was_moved_before_the_power_failed_is_no_others(folder: Path, tmp_path: Path) -> None:
    """The line of the journal that says so is missing."""
    targets = {"dist": tmp_path / "x.npy"}
    with complete(folder) as work:
        work.result("dist").write_bytes(b"distances")
        os.rename(work.result("dist"), targets["dist"])
    with opened(folder) as work:
        work.refuse_taken(targets)
        work.place(targets)
        assert targets["dist"].read_bytes() == b"distances"
        work.refuse_taken(targets)


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="what a descriptor stands for is not known")
def test_of_two_names_the_second_is_on_the_disk_before_the_first_is_deleted(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[str, bool]] = []
    fsync = os.fsync
    with complete(folder) as work:
        source = work.result("dist")
        source.write_bytes(b"distances")
        in_place(work, tmp_path / "x.npy")

        def synchronise(descriptor: int) -> None:
            seen.append((os.readlink(f"/proc/self/fd/{descriptor}"), source.exists()))
            fsync(descriptor)

        monkeypatch.setattr(os, "fsync", synchronise)
        work.place({"dist": tmp_path / "x.npy"})
    assert seen[0] == (str(tmp_path), True)
    assert seen[-1] == (str(folder / "journal"), False)


def test_a_file_that_appears_meanwhile_is_not_replaced(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However late, after the last look."""
    target = tmp_path / "x.npy"
    with complete(folder) as work:
        work.result("dist").write_bytes(b"distances")
        target.write_bytes(b"theirs")
        monkeypatch.setattr(work_folder, "refuse_existing", lambda path: None)
        monkeypatch.setattr(atomic_file, "_refuse_existing", lambda path: None)
        with pytest.raises(FileExistsError):
            work.place({"dist": target})
        assert (target.read_bytes(), work.result("dist").read_bytes()) == (b"theirs", b"distances")


def test_a_folder_is_moved(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[str, bool]] = []
    fsync = os.fsync

    def synchronise(descriptor: int) -> None:
        seen.append((os.readlink(f"/proc/self/fd/{descriptor}"), (tmp_path / "rows").exists()))
        fsync(descriptor)

    with complete(folder) as work:
        work.result("rows").mkdir()
        (work.result("rows") / "0.npy").touch()
        monkeypatch.setattr(os, "fsync", synchronise)
        work.place({"rows": tmp_path / "rows"})
        assert seen == [(str(tmp_path), True), (str(folder / "journal"), True)]
        assert names(tmp_path / "rows") == {"0.npy"}
        assert not is_there(work.result("rows"))


@pytest.mark.parametrize("is_folder", [False, True])
def test_what_is_there_is_not_replaced(is_folder: bool, folder: Path, tmp_path: Path) -> None:
    target = tmp_path / "x"
    target.mkdir()
    with complete(folder) as work:
        work.result("rows").mkdir() if is_folder else work.result("rows").touch()
        for refused in (work.refuse_taken, work.place):
            with pytest.raises(FileExistsError) as found:
                refused({"rows": target})
            assert (found.value.errno, found.value.filename) == (errno.EEXIST, str(target))
    assert list(target.iterdir()) == []


def test_targets_are_refused_before_the_work(folder: Path, tmp_path: Path) -> None:
    target = tmp_path / "x.npy"
    with opened(folder) as work:
        work.refuse_taken({"dist": target})
        target.symlink_to("nowhere")
        with pytest.raises(FileExistsError):
            work.refuse_taken({"dist": target})
        work.begin(ROWS)
        with pytest.raises(FileExistsError):
            work.refuse_taken({"dist": target})


def test_results_are_lost_only_if_there_were_any(folder: Path, tmp_path: Path) -> None:
    targets = {"dist": tmp_path / "x.npy", "pred": tmp_path / "x.pred.npy"}
    with begun(folder) as work:
        assert not work.has_lost(targets)
        work.record_written(0)
        assert work.has_lost(targets)
        work.result("dist").touch()
        assert work.has_lost(targets)
        targets["pred"].touch()
        assert not work.has_lost(targets)


def test_what_cannot_be_looked_at_is_not_lost(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(path: Path) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO), str(path))

    with complete(folder) as work:
        work.result("dist").touch()
        monkeypatch.setattr(os, "lstat", fail)
        with pytest.raises(OSError, match="Input/output error"):
            work.has_lost({"dist": tmp_path / "x.npy"})


@pytest.mark.parametrize("error", [each for each in READING_ERRORS.values() if each != CUT])
def test_reading_it_fails(error: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def call(folder: Path) -> object:
        target = {"dist": folder / "x.npy"}
        with opened(folder / "work") as work:
            work.refuse_taken(target)
            return (
                work.has_lost(target),
                work.rows,
                work.passes,
                work.written,
                [each.checksum for each in work.strips()],
            )

    (tmp_path / "written").mkdir()
    with begun(tmp_path / "written" / "work") as work:
        work.record_strips(2, [Filed(work.file(strip, 2), strip) for strip in range(3)])
        work.record_written(4)
        work.result("dist").touch()
    begun_operations = each_read_fails(call, error, tmp_path / "written", tmp_path, monkeypatch)
    assert {"stat", "lstat", "fstat", "listdir", "open", "read"} <= set(begun_operations)


# ---- the end ----------------------------------------------------------------------------------------


def test_nothing_is_left_where_it_is_removed(folder: Path) -> None:
    work = begun(folder)
    work.result("dist").touch()
    work.scratch("a").mkdir()
    work.remove()
    assert not folder.exists()
    with pytest.raises(OSError, match="Bad file descriptor"):
        work._own.names()


def test_no_other_call_works_in_it_until_all_is_deleted(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work = begun(folder)
    unlink, deleted = OwnFolder.unlink, []

    def busy(own: OwnFolder, name: str) -> None:
        with pytest.raises(BlockingIOError):
            opened(folder)
        deleted.append(name)
        unlink(own, name)

    monkeypatch.setattr(OwnFolder, "unlink", busy)
    work.remove()
    assert deleted == ["journal", "lock"]


def test_what_a_late_task_writes_is_left(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work = begun(folder)
    close = work.close

    def late() -> None:
        work.scratch("late").touch()
        close()

    monkeypatch.setattr(work, "close", late)
    work.remove()
    assert names(folder) == {work.scratch("late").name}
    opened(folder).remove()
    assert not folder.exists()


def test_where_it_is() -> None:
    assert partial(Path("a/x.npy")) == Path("a/x.npy.partial")


def test_a_task_that_is_late_writes_while_a_folder_is_deleted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows, late = tmp_path / "rows", ["b", "c"]

    def late_rmtree(path: Path) -> None:
        for file in path.iterdir():
            file.unlink()
        if late:
            (path / late.pop()).write_text("late")
        path.rmdir()

    monkeypatch.setattr(shutil, "rmtree", late_rmtree)
    rows.mkdir()
    (rows / "a").write_text("in time")
    work_folder._delete(rows)
    assert not rows.exists()
    assert not late
    monkeypatch.setattr(shutil, "rmtree", lambda path: (path / "always").rmdir())
    rows.mkdir()
    with pytest.raises(FileNotFoundError, match="always"):
        work_folder._delete(rows)
