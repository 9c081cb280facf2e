"""A checkpoint by itself: what may be recorded when, what is on the disk before it is, and what is left at the end."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt
import pytest

from reedsp.algorithms.all_pairs.out_of_core import checkpoint as checkpoint_module
from reedsp.algorithms.all_pairs.out_of_core.checkpoint import DIST, PRED, Checkpoint
from reedsp.system.files.journal import Journal
from reedsp.system.files.own_folder import OwnFolder

SPAN, N = 128, 300  # three spans, of which the last is shorter
MATRIX = np.arange(N * N, dtype=np.int32).reshape(N, N)


@pytest.fixture(autouse=True)
def short_spans(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoint_module, "SPAN", SPAN)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "c"


def opened(folder: Path) -> Checkpoint:
    return Checkpoint(folder, "a graph", N, np.int32)


def filled(folder: Path) -> Checkpoint:
    checkpoint = opened(folder)
    checkpoint.matrix[:] = MATRIX
    checkpoint.filled()
    return checkpoint


def in_a_pass(folder: Path, first: int = 0, size: int = SPAN) -> Checkpoint:
    checkpoint = filled(folder)
    checkpoint.store_panels(0, MATRIX[first : first + size] + 1)
    checkpoint.store_rows(0, MATRIX[first : first + size] + 2)
    checkpoint.begin_pass(first, size)
    return checkpoint


def finished(folder: Path) -> Checkpoint:
    checkpoint = in_a_pass(folder, 0, N)
    checkpoint.end_pass()
    assert checkpoint.finished()
    return checkpoint


# ---- the journal ------------------------------------------------------------------------------------

SIDES = {"panels": 1, "rows": 2, "columns": 3}
FILLED = ["filled", [1, 2, 3]]
PASS = ["pass", 0, SPAN, SIDES]
WHOLE = [FILLED, ["pass", 0, N, SIDES], ["done", N]]
RESULTS = ["results", "a kind", {DIST: [1, 2]}]


@pytest.mark.parametrize(
    "records",
    [
        [FILLED, PASS, ["writing", 0, SPAN], ["written", 0, SPAN, [5]], ["done", SPAN]],
        [FILLED, PASS, ["writing", 0, N], ["written", 0, N, [5, 0, 7]], ["written", 2 * SPAN, N, [8]]],
        [FILLED, PASS, ["done", SPAN], ["pass", SPAN, N - SPAN, SIDES], ["done", N]],
        [*WHOLE, RESULTS, ["results", "another", {DIST: [0, 0], PRED: [3, 4]}], ["placed"]],
    ],
    ids=lambda records: records[-1][0],
)
def test_records_that_follow_each_other(records: list[Any], folder: Path) -> None:
    append(folder, records)
    if records[-1] == ["placed"]:
        with opened(folder) as checkpoint:
            assert checkpoint.placed
    else:
        with pytest.raises(ValueError, match=r"matrix: wrong checksum between rows \d+ and \d+; it is damaged"):
            opened(folder)


@pytest.mark.parametrize(
    "records",
    [
        *([each] for each in (PASS, RESULTS, ["placed"], ["nothing"], [], {}, 5, None, "done", ["filled"])),
        *([["filled", each]] for each in ([1, 2], [1, 2, 3, 4], [1, 2, -3], [1, 2, True], [1, 2, 3.0], 3)),
        [FILLED, FILLED],
        *(
            [FILLED, ["pass", first, size, SIDES]]
            for first, size in ((SPAN, SPAN), (0, 0), (0, -1), (0, N + 1), (0.0, SPAN), (0, True), (-1, SPAN))
        ),
        [FILLED, ["pass", 0, SPAN, {"panels": 1, "rows": 2}]],
        [FILLED, ["pass", 0, SPAN, SIDES | {"matrix": 4}]],
        [FILLED, ["pass", 0, SPAN, SIDES | {"rows": -1}]],
        [FILLED, ["pass", 0, SPAN, 5]],
        [FILLED, PASS, PASS],
        *([FILLED, each] for each in (["writing", 0, SPAN], ["written", 0, SPAN, [5]], ["done", 0], ["done", SPAN])),
        *([FILLED, PASS, ["writing", *each]] for each in ((0, 0), (SPAN, 0), (0, N + 1), (-1, 5), (0, 5.0), (True, 5))),
        *(
            [FILLED, PASS, ["written", *each]]
            for each in ((0, 0, []), (SPAN, 0, []), (0, N + 1, [1, 2, 3]), (0, SPAN, [5, 6]), (0, SPAN, [-5]))
        ),
        *([FILLED, PASS, ["done", each]] for each in (SPAN - 1, 0, float(SPAN))),
        [FILLED, ["pass", 0, 1, SIDES], ["done", True]],
        [FILLED, RESULTS],
        *(
            [*WHOLE, ["results", "a kind", each]]
            for each in (
                *({}, {PRED: [1, 2]}, {DIST: [1, 2], "other": [1, 2]}, {DIST: [1]}, {DIST: [1, 2, 3]}),
                *({DIST: [1, -2]}, {DIST: [1, True]}, {DIST: 5}, {DIST: "12"}, [DIST]),
            )
        ),
        [*WHOLE, ["results", 3, {DIST: [1, 2]}]],
        [*WHOLE, ["placed"]],
        [*WHOLE, RESULTS, ["placed"], ["placed"]],
        [*WHOLE, RESULTS, ["placed"], RESULTS],
    ],
    ids=str,
)
def test_records_that_cannot_follow(records: list[Any], folder: Path) -> None:
    append(folder, records)
    with pytest.raises(ValueError, match=f"journal: line {len(records) + 1} cannot follow those before it"):
        opened(folder)


def append(folder: Path, records: list[Any]) -> None:
    """Write records to the journal of a new checkpoint."""
    opened(folder).close()
    own = OwnFolder(folder)
    journal = Journal(own, "journal")
    assert len(journal.read()) == 1
    for each in records:
        journal.append(each)
    own.close()


@pytest.mark.parametrize("header", [5, [], "a header", None])
def test_a_journal_without_a_header(header: Any, folder: Path) -> None:
    own = OwnFolder(folder)
    Journal(own, "journal").append(header)
    own.close()
    with pytest.raises(ValueError, match="journal: line 1 is no header; it is damaged"):
        opened(folder)


def test_what_a_journal_begins_with(folder: Path) -> None:
    with opened(folder) as checkpoint:
        assert (checkpoint.fresh, checkpoint.done, checkpoint.unfinished, checkpoint.placed) == (True, 0, None, False)
        assert checkpoint.panels is None
        assert checkpoint.columns is None
    own = OwnFolder(folder)
    [header] = Journal(own, "journal").read()
    own.close()
    problem = {"fingerprint": "a graph", "n": N, "dtype": MATRIX.dtype.str}
    assert header == {"format": 2, "vertices at a time": SPAN, **problem}


@pytest.mark.parametrize("now", [None, os.stat(os.curdir)])
def test_a_lock_that_was_deleted_meanwhile(
    now: os.stat_result | None, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(OwnFolder, "status", lambda folder, name: now)
        with pytest.raises(BlockingIOError, match="another process has just finished in this folder") as found:
            opened(folder)
    assert found.value.filename == str(folder)
    opened(folder).close()


@pytest.mark.skipif(sys.platform == "win32", reason="files are locked in another way there")
@pytest.mark.parametrize(("code", "is_busy"), [(errno.EAGAIN, True), (errno.EACCES, True), (errno.ENOLCK, False)])
def test_a_lock_that_cannot_be_taken(code: int, is_busy: bool, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process is said to be at work only where the system says so, and not where it has no locks."""

    def refuse(*arguments: object) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr("fcntl.flock", refuse)
    with pytest.raises(OSError, match="another process is working" if is_busy else os.strerror(code)) as found:
        opened(folder)
    assert found.value.errno == (errno.EAGAIN if is_busy else code)


def test_a_matrix_without_rows(folder: Path) -> None:
    with pytest.raises(ValueError, match=r"^n: at least one row is needed, got 0$"):
        Checkpoint(folder, "a graph", 0, np.int32)
    with Checkpoint(folder, "a graph", 1, np.int32) as checkpoint:
        assert checkpoint.matrix.shape == (1, 1)


# ---- what is on the disk ----------------------------------------------------------------------------


@pytest.fixture
def synchronised(folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that have been synchronised, in their order; a journal has its new line then."""
    names: list[str] = []
    lines = [0]
    fsync, flush = os.fsync, np.memmap.flush

    def synchronise(descriptor: int) -> None:
        path = Path(os.readlink(f"/proc/self/fd/{descriptor}"))
        names.append("." if path == folder else path.name)
        if path.name == "journal":
            lines[0] += 1
            content = path.read_bytes()
            assert (content.count(b"\n"), content[-1:]) == (lines[0], b"\n")
        fsync(descriptor)

    def flushed(matrix: np.memmap[Any, Any]) -> None:
        names.append("mapped")
        flush(matrix)

    monkeypatch.setattr(os, "fsync", synchronise)
    monkeypatch.setattr(np.memmap, "flush", flushed)
    return names


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="what a descriptor stands for is not known")
def test_what_a_line_says_is_on_the_disk_before_it(folder: Path, synchronised: list[str]) -> None:
    def since() -> list[str]:
        taken = synchronised[:]
        synchronised.clear()
        return taken

    checkpoint = filled(folder)
    assert since() == ["journal", ".", "mapped", ".", "journal"]
    checkpoint.store_panels(0, MATRIX[:SPAN])
    checkpoint.store_rows(0, MATRIX[:SPAN])
    assert since() == []
    checkpoint.begin_pass(0, SPAN)
    assert since() == ["panels", "rows", "columns", ".", "journal"]
    checkpoint.begin_rows(SPAN, N)
    assert since() == ["journal"]
    checkpoint.write_rows(SPAN, MATRIX[SPAN:])
    checkpoint.end_rows(SPAN, N)
    assert since() == ["matrix", "journal"]
    checkpoint.put_rows()
    assert since() == ["journal", "matrix", "journal"]
    checkpoint.end_pass()
    assert since() == ["journal"]
    checkpoint.remove()
    assert since() == ["."]


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="what a descriptor stands for is not known")
def test_results_are_on_the_disk_before_it_is_said(folder: Path, tmp_path: Path, synchronised: list[str]) -> None:
    targets = {PRED: tmp_path / "x.pred.npy", DIST: tmp_path / "x.npy"}
    checkpoint = finished(folder)
    synchronised.clear()
    checkpoint.write_results("a kind", {name: (7, lambda stream: stream.write(b"content")) for name in targets})
    assert synchronised == [PRED, DIST, ".", "journal"]
    assert checkpoint.has_results("a kind", targets)
    synchronised.clear()
    checkpoint.place_results(targets)
    assert synchronised == [*2 * [tmp_path.name], tmp_path.name, "journal"]
    assert [each.read_bytes() for each in targets.values()] == 2 * [b"content"]
    synchronised.clear()
    checkpoint.place_results(targets)
    assert synchronised == [tmp_path.name]
    checkpoint.remove()


# ---- a pass -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("first", "size"), [(0, SPAN), (SPAN, SPAN), (0, 2 * SPAN), (2 * SPAN, N - 2 * SPAN), (0, N)])
@pytest.mark.parametrize("piece", [10_000, 100])  # several rows of the columns, or less than one
def test_a_pass_has_what_is_needed_to_do_it_again(
    piece: int, first: int, size: int, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkpoint_module, "_PIECE", piece)
    with filled(folder) as checkpoint:
        for begin in range(0, first, SPAN):
            checkpoint.store_panels(0, MATRIX[:SPAN])
            checkpoint.store_rows(0, MATRIX[:SPAN])
            checkpoint.begin_pass(begin, SPAN)
            checkpoint.end_pass()
        for row in range(0, size, SPAN):
            rows = MATRIX[first + row : first + min(row + SPAN, size)]
            checkpoint.store_panels(row, rows + 1)
            checkpoint.store_rows(row, rows + 2)
        checkpoint.begin_pass(first, size)
        assert (checkpoint.done, checkpoint.unfinished) == (first, (first, size))
    with opened(folder) as checkpoint:
        assert (checkpoint.fresh, checkpoint.done, checkpoint.unfinished) == (False, first, (first, size))
        assert np.array_equal(checkpoint.panels, MATRIX[first : first + size] + 1)
        assert np.array_equal(checkpoint.columns, MATRIX[:, first : first + size])
        assert checkpoint.missing() == [(0, N)]
        checkpoint.put_rows()
        expected = MATRIX.copy()
        expected[first : first + size] += 2
        assert np.array_equal(checkpoint.matrix, expected)
        before = (folder / "journal").read_bytes()
        checkpoint.put_rows()
        assert (folder / "journal").read_bytes() == before
        outside = [(0, first)] * (first > 0) + [(first + size, N)] * (first + size < N)
        assert checkpoint.missing() == outside
    with opened(folder) as checkpoint:
        assert checkpoint.missing() == outside
        checkpoint.end_pass()
        assert (checkpoint.unfinished, checkpoint.panels, checkpoint.columns) == (None, None, None)
        assert checkpoint.done == first + size
        assert checkpoint.finished() == (first + size == N)


def test_rows_of_several_spans_may_be_written_at_once(folder: Path) -> None:
    with in_a_pass(folder) as checkpoint:
        checkpoint.begin_rows(SPAN, N)
        checkpoint.write_rows(SPAN, MATRIX[SPAN:] + 3)
        checkpoint.end_rows(SPAN, N)
    with opened(folder) as checkpoint:
        assert np.array_equal(checkpoint.matrix[SPAN:], MATRIX[SPAN:] + 3)


def test_rows_may_be_written_in_parts(folder: Path) -> None:
    with in_a_pass(folder) as checkpoint:
        checkpoint.begin_rows(SPAN, N)
        for row in (SPAN, SPAN + 50, 2 * SPAN):
            last = {SPAN: SPAN + 50, SPAN + 50: 2 * SPAN, 2 * SPAN: N}[row]
            checkpoint.write_rows(row, MATRIX[row:last] + 3)
        checkpoint.end_rows(SPAN, N)
    with opened(folder) as checkpoint:
        assert checkpoint.missing() == [(0, SPAN)]
        assert np.array_equal(checkpoint.matrix[SPAN:], MATRIX[SPAN:] + 3)


def test_spans_are_written_in_any_order(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As by several devices: the first one in two parts, and several others at once in between."""
    monkeypatch.setattr(checkpoint_module, "SPAN", SPAN // 2)
    with in_a_pass(folder) as checkpoint:
        checkpoint.begin_rows(0, N)
        for first, last in ((0, 20), (SPAN, N), (20, SPAN)):
            checkpoint.write_rows(first, MATRIX[first:last] + 3)
        checkpoint.end_rows(0, N)
    with opened(folder) as checkpoint:
        assert checkpoint.missing() == []
        assert np.array_equal(checkpoint.matrix, MATRIX + 3)


@pytest.mark.parametrize("name", ["panels", "columns", "rows"])
def test_a_file_that_has_become_shorter_is_named(name: str, folder: Path) -> None:
    with in_a_pass(folder, 0, 2 * SPAN) as checkpoint:
        os.truncate(folder / name, (folder / name).stat().st_size - 1)
        with pytest.raises(ValueError, match=f"{name}: too short; it is damaged"):
            checkpoint.put_rows() if name == "rows" else checkpoint._map_side_files()


# ---- results, and the end ---------------------------------------------------------------------------


def test_results_are_those_of_their_kind(folder: Path, tmp_path: Path) -> None:
    targets = {DIST: tmp_path / "x.npy"}
    with finished(folder) as checkpoint:
        assert not checkpoint.has_results("a kind", targets)
        checkpoint.refuse_taken("a kind", targets)
        checkpoint.write_results("a kind", {DIST: (1, lambda stream: stream.write(b"1"))})
        assert checkpoint.has_results("a kind", targets)
        assert not checkpoint.has_results("another", targets)
        assert not checkpoint.has_results("a kind", targets | {PRED: tmp_path / "x.pred.npy"})
        checkpoint.place_results(targets)
        checkpoint.refuse_taken("a kind", targets)
        with pytest.raises(FileExistsError) as taken:
            checkpoint.refuse_taken("another", targets)
        assert (taken.value.errno, taken.value.filename) == (errno.EEXIST, str(targets[DIST]))
        assert checkpoint.placed
    targets[DIST].write_bytes(b"2")
    os.utime(targets[DIST], (1, 1))
    with opened(folder) as checkpoint:
        assert not checkpoint.has_results("a kind", targets)
        with pytest.raises(FileExistsError):
            checkpoint.refuse_taken("a kind", targets)


def test_results_take_the_room_of_what_no_pass_needs_any_more(folder: Path) -> None:
    def write(stream: IO[bytes]) -> None:
        assert {each.name for each in folder.iterdir()} == {"journal", "lock", "matrix", DIST}
        raise OSError(errno.EIO, "broken")

    with finished(folder) as checkpoint, pytest.raises(OSError, match="broken"):
        checkpoint.write_results("a kind", {DIST: (1, write)})
    with opened(folder) as checkpoint:  # as where it was killed meanwhile
        assert checkpoint.finished()
        assert np.array_equal(checkpoint.matrix, MATRIX)


def test_a_link_to_the_result_is_not_the_result(folder: Path, tmp_path: Path) -> None:
    with finished(folder) as checkpoint:
        checkpoint.write_results("a kind", {DIST: (1, lambda stream: stream.write(b"1"))})
        target = tmp_path / "x.npy"
        target.symlink_to(folder / DIST)
        with pytest.raises(FileExistsError):
            checkpoint.refuse_taken("a kind", {DIST: target})


def test_results_that_cannot_be_written_leave_nothing(folder: Path) -> None:
    def fail(stream: object) -> None:
        raise OSError(errno.EIO, "broken")

    with finished(folder) as checkpoint:
        writers = {PRED: (1, lambda stream: stream.write(b"1")), DIST: (1, fail)}
        with pytest.raises(OSError, match="broken"):
            checkpoint.write_results("a kind", writers)
        assert not {PRED, DIST} & {each.name for each in folder.iterdir()}


def test_no_result_is_begun_after_it_was_closed(folder: Path) -> None:
    checkpoint = finished(folder)
    writers = {PRED: (1, lambda stream: checkpoint.close()), DIST: (1, lambda stream: pytest.fail("it is closed"))}
    with pytest.raises(ValueError, match="it is closed, and cannot be written to"):
        checkpoint.write_results("a kind", writers)
    with opened(folder) as checkpoint:
        assert not checkpoint.has_results("a kind", {DIST: folder / "nowhere"})


def test_a_result_that_a_power_cut_left_with_two_names_keeps_that_of_its_target(folder: Path, tmp_path: Path) -> None:
    target = tmp_path / "x.npy"
    with finished(folder) as checkpoint:
        checkpoint.write_results("a kind", {DIST: (1, lambda stream: stream.write(b"1"))})
        os.link(folder / DIST, target)
        checkpoint.place_results({DIST: target})
        assert (target.read_bytes(), target.stat().st_nlink) == (b"1", 1)
        assert not (folder / DIST).exists()


def test_nothing_is_left_where_it_is_removed(folder: Path) -> None:
    checkpoint = in_a_pass(folder)
    checkpoint.remove()
    assert not folder.exists()
    assert checkpoint.panels is None
    assert checkpoint.columns is None
    assert not hasattr(checkpoint, "matrix")
    with pytest.raises(ValueError, match="it is closed"):
        checkpoint.begin_rows(0, SPAN)
    with pytest.raises(OSError, match="Bad file descriptor"):
        checkpoint._own.names()


def test_what_others_have_put_there_stays(folder: Path) -> None:
    checkpoint = filled(folder)
    (folder / "theirs").touch()
    checkpoint.remove()
    assert [each.name for each in folder.iterdir()] == ["theirs"]
    with pytest.raises(FileExistsError, match=r"it is not the folder of work in progress: it holds 'theirs'.*c'$"):
        opened(folder)


@pytest.mark.parametrize("name", ["matrix", "rows", DIST])
def test_files_without_a_journal_are_those_of_others(name: str, folder: Path) -> None:
    folder.mkdir()
    (folder / name).write_text("theirs")
    with pytest.raises(FileExistsError, match=f"it is not the folder of work in progress: it holds '{name}'"):
        opened(folder)
    assert {each.name: each.read_text() for each in folder.iterdir()} == {name: "theirs"}


@pytest.mark.parametrize("left", [[], ["lock"], ["journal"], ["journal", "lock"]])
def test_what_a_power_cut_leaves_of_a_beginning_is_taken(left: list[str], folder: Path) -> None:
    folder.mkdir()
    for name in left:
        (folder / name).touch()
    filled(folder).remove()
    assert not folder.exists()


def test_a_matrix_for_which_no_room_can_be_reserved(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(code: int) -> Any:
        def fail(*arguments: object) -> None:
            raise OSError(code, os.strerror(code))

        return fail

    with filled(folder) as checkpoint:
        for code in (errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL):
            monkeypatch.setattr(os, "posix_fallocate", refuse(code))
            checkpoint._reserve(12_345)
            assert (folder / "matrix").stat().st_size == 12_345
        monkeypatch.setattr(os, "posix_fallocate", refuse(errno.EIO))
        with pytest.raises(OSError, match=os.strerror(errno.EIO)):
            checkpoint._reserve(12_345)
        assert not (folder / "matrix").exists()


def as_bytes(array: npt.NDArray[Any]) -> bytes:
    return np.ascontiguousarray(array).tobytes()


def test_files_hold_rows_one_after_the_other(folder: Path) -> None:
    with in_a_pass(folder, 0, 2):
        assert (folder / "panels").read_bytes() == as_bytes(MATRIX[:2] + 1)
        assert (folder / "rows").read_bytes() == as_bytes(MATRIX[:2] + 2)
        assert (folder / "columns").read_bytes() == as_bytes(MATRIX[:, :2])
        assert (folder / "matrix").read_bytes() == as_bytes(MATRIX)
