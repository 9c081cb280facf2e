"""Files that appear whole or not at all (reedsp.system.files.atomic_file), whoever else writes one of the same name."""

from __future__ import annotations

import errno
import os
import re
import shutil
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import pytest

from reedsp.system.files import atomic_file
from reedsp.system.files.atomic_file import (
    check_writable,
    put_in_place,
    replace_whole,
    room_for,
    write_private,
    write_whole,
)

ONE_PID = """
import os, sys
from pathlib import Path
from reedsp.system.files.atomic_file import write_whole
os.getpid = lambda: 7
def write(stream):
    stream.write(sys.argv[2].encode())
    print(flush=True)
    sys.stdin.readline()
write_whole(Path(sys.argv[1]), write, overwrite=True)
"""


def failing(code: int) -> Callable[..., None]:
    def fail(*arguments: object, **options: object) -> None:
        raise OSError(code, os.strerror(code))

    return fail


def test_two_threads(tmp_path: Path) -> None:
    """Both have begun before either ends."""
    path, both = tmp_path / "a", threading.Barrier(2, timeout=30)
    errors: list[BaseException] = []

    def write(content: bytes) -> None:
        def to(stream: IO[bytes]) -> None:
            both.wait()
            stream.write(content)

        try:
            write_whole(path, to, overwrite=True)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=write, args=(content,)) for content in (b"one", b"two")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert path.read_bytes() in (b"one", b"two")
    assert list(tmp_path.iterdir()) == [path]


def test_two_processes_with_one_number(tmp_path: Path) -> None:
    """As there are in two containers; the one that has begun first ends last."""
    path = tmp_path / "a"
    command = [sys.executable, "-c", ONE_PID, str(path)]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([*command, "one"], **pipes) as one, subprocess.Popen([*command, "two"], **pipes) as two:
        for each in (one, two):
            assert each.stdout is not None
            each.stdout.readline()
        for each, content in ((two, b"two"), (one, b"one")):
            each.communicate("\n")
            assert each.returncode == 0
            assert path.read_bytes() == content
    assert list(tmp_path.iterdir()) == [path]


def test_what_was_left_by_a_kill_is_in_nobodys_way(tmp_path: Path) -> None:
    left = tmp_path / f".a.{os.getpid()}.partial"
    left.write_bytes(b"half")
    write_whole(tmp_path / "a", lambda stream: stream.write(b"whole"))
    assert (tmp_path / "a").read_bytes() == b"whole"
    assert left.read_bytes() == b"half"


@pytest.mark.parametrize("links", [True, False])
def test_a_file_that_appears_meanwhile_is_not_replaced(
    links: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However late; where files have one name only, before the last look."""
    if links:
        monkeypatch.setattr(atomic_file, "_refuse_existing", lambda path: None)
    else:
        monkeypatch.setattr(os, "link", failing(errno.EPERM))
    path = tmp_path / "a"
    with pytest.raises(FileExistsError):
        write_whole(path, lambda stream: path.write_bytes(b"theirs"))
    assert path.read_bytes() == b"theirs"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_is_there_is_replaced_when_asked_to_and_else_refused_before_the_work(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"earlier")
    with pytest.raises(FileExistsError) as found:
        write_whole(path, lambda stream: pytest.fail("nothing is to be written"))
    assert (found.value.filename, path.read_bytes()) == (str(path), b"earlier")
    write_whole(path, lambda stream: stream.write(b"later"), overwrite=True)
    assert path.read_bytes() == b"later"


@pytest.mark.skipif(os.name != "posix", reason="there are no such permissions")
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o666])
def test_a_file_keeps_its_permissions(mode: int, tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"1")
    path.chmod(mode)

    def write(stream: IO[bytes]) -> None:
        assert {stat.S_IMODE(each.stat().st_mode) for each in tmp_path.iterdir()} == {mode}
        stream.write(b"2")

    write_whole(path, write, overwrite=True)
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (b"2", mode)


@pytest.mark.parametrize("is_there", [True, False])
def test_a_link_stays_a_link(is_there: bool, tmp_path: Path) -> None:
    target, link = tmp_path / "elsewhere" / "a", tmp_path / "link"
    target.parent.mkdir()
    if is_there:
        target.write_bytes(b"1")
    link.symlink_to("elsewhere/a")
    with pytest.raises(FileExistsError):
        write_whole(link, lambda stream: stream.write(b"2"))
    write_whole(link, lambda stream: stream.write(b"2"), overwrite=True)
    assert (link.is_symlink(), target.read_bytes()) == (True, b"2")
    assert sorted(each.name for each in tmp_path.rglob("*")) == ["a", "elsewhere", "link"]


@pytest.mark.skipif(os.name != "posix", reason="links and permissions")
@pytest.mark.parametrize("is_far", [True, False])
def test_a_complete_file_replaces_what_a_link_leads_to(
    is_far: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target, link, complete = tmp_path / "a", tmp_path / "link", tmp_path / "complete"
    target.write_bytes(b"1")
    target.chmod(0o640)
    link.symlink_to("a")
    complete.write_bytes(b"2")
    replace = os.replace

    def on_one_disk(source: Path, to: Path) -> None:
        if is_far and source == complete:
            raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
        replace(source, to)

    monkeypatch.setattr(os, "replace", on_one_disk)
    replace_whole(complete, link)
    assert (link.is_symlink(), target.read_bytes(), stat.S_IMODE(target.stat().st_mode)) == (True, b"2", 0o640)
    assert sorted(tmp_path.iterdir()) == [target, link]


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    path = tmp_path / "nowhere" / "a"
    with pytest.raises(FileNotFoundError) as found:
        write_whole(path, lambda stream: stream.write(b"1"))
    assert found.value.filename == str(path)


def test_without_a_second_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "link", failing(errno.EOPNOTSUPP))
    write_whole(tmp_path / "a", lambda stream: stream.write(b"1"))
    assert [each.name for each in tmp_path.iterdir()] == ["a"]
    monkeypatch.setattr(os, "link", failing(errno.EIO))
    with pytest.raises(OSError, match=os.strerror(errno.EIO)):
        put_in_place(tmp_path / "a", tmp_path / "b")


@pytest.mark.skipif(not hasattr(os, "O_DIRECTORY"), reason="folders cannot be synchronised")
@pytest.mark.parametrize("overwrite", [False, True])
def test_the_disk_has_the_file_before_it_has_its_name(
    overwrite: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a"
    seen: list[tuple[str, bool]] = []
    fsync = os.fsync

    def synchronise(descriptor: int) -> None:
        name = Path(os.readlink(f"/proc/self/fd/{descriptor}"))
        assert name.is_dir() or name.read_bytes() == b"content"
        seen.append(("folder" if name == tmp_path else "file", path.exists()))
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", synchronise)
    write_whole(path, lambda stream: stream.write(b"content"), overwrite=overwrite)
    assert seen == [("file", False), ("folder", True)]


def test_a_folder_that_cannot_be_synchronised(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    atomic_file.synchronise_folder(tmp_path)
    monkeypatch.setattr(os, "fsync", failing(errno.EINVAL))
    atomic_file.synchronise_folder(tmp_path)
    monkeypatch.setattr(os, "fsync", failing(errno.EIO))
    with pytest.raises(OSError, match=os.strerror(errno.EIO)):
        atomic_file.synchronise_folder(tmp_path)
    monkeypatch.delattr(os, "O_DIRECTORY")
    atomic_file.synchronise_folder(tmp_path)


@pytest.mark.skipif(not hasattr(os, "O_DIRECTORY"), reason="folders cannot be synchronised")
def test_only_folders_are_synchronised_and_none_is_left_open(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.touch()
    free = os.dup(0)
    os.close(free)
    with pytest.raises(NotADirectoryError):
        atomic_file.synchronise_folder(file)
    atomic_file.synchronise_folder(tmp_path)
    again = os.dup(0)
    os.close(again)
    assert again == free


def test_others_may_read_what_is_no_private_file(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        write_whole(tmp_path / "a", lambda stream: stream.write(b"1"))
        write_private(tmp_path / "b", b"1")
    finally:
        os.umask(before)
    assert [(tmp_path / name).stat().st_mode & 0o777 for name in "ab"] == [0o644, 0o600]


def test_a_disk_that_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names the file and the bytes; nothing is left."""
    free = [5000]
    monkeypatch.setattr(shutil, "disk_usage", lambda path: shutil._ntuple_diskusage(9000, 4000, free[0]))  # type: ignore[attr-defined]

    def write(stream: IO[bytes]) -> None:
        """Take all that is free, as the reservation of a file that does not fit does."""
        free[0] = 0
        failing(errno.ENOSPC)()

    path = tmp_path / "a"
    with pytest.raises(OSError, match=r"No space left on device: 5,000 bytes are free: '.*/a'") as found:
        write_whole(path, write)
    free[0] = 5000
    assert found.value.errno == errno.ENOSPC
    assert found.value.filename == str(path)
    assert list(tmp_path.iterdir()) == []
    with (
        pytest.raises(OSError, match=r": 7,000,000 bytes are needed, 5,000 bytes are free: "),
        room_for(path, 7_000_000),
    ):
        failing(errno.EDQUOT)()
    with pytest.raises(OSError, match="^" + re.escape(f"[Errno {errno.EIO}] {os.strerror(errno.EIO)}") + "$"):
        write_whole(path, lambda stream: failing(errno.EIO)())


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device is always full")
@pytest.mark.parametrize("pieces", [1, 700])
def test_a_disk_that_is_full_when_the_file_is_closed(
    pieces: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is still in the buffer is written once more then, and fails once more."""
    opened = os.open
    monkeypatch.setattr(os, "open", lambda path, flags, mode=0: opened("/dev/full", os.O_WRONLY))
    path = tmp_path / "a"
    with pytest.raises(OSError, match=r"No space left on device: [0-9,]+ bytes are free: '.*/a'$") as found:
        write_whole(path, lambda stream: [stream.write(b"x" * 100) for _ in range(pieces)])
    assert found.value.filename == str(path)
    with pytest.raises(OSError, match=r"bytes are free: '.*/a'$"):
        write_private(path, b"x" * 100 * pieces)


def test_an_error_is_not_that_of_the_file_beside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a disk that takes no changes the other file can be neither made nor deleted."""
    path = tmp_path / "a"
    monkeypatch.setattr(os, "open", refused)
    monkeypatch.setattr(os, "unlink", refused)
    monkeypatch.setattr(Path, "unlink", refused)
    for call in (check_writable, lambda path: write_whole(path, lambda stream: stream.write(b"1"))):
        with pytest.raises(OSError, match=os.strerror(errno.EROFS)) as found:
            call(path)
        assert found.value.filename == str(path)


def refused(path: Path, *_: object, **options: object) -> int:
    raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(path))


@pytest.mark.parametrize("overwrite", [False, True])
@pytest.mark.parametrize("letter", ["x", "\N{CJK UNIFIED IDEOGRAPH-8DEF}"])
def test_the_longest_names(overwrite: bool, letter: str, tmp_path: Path) -> None:
    longest = os.pathconf(tmp_path, "PC_NAME_MAX") // len(os.fsencode(letter))
    path, beyond = tmp_path / (longest * letter), tmp_path / ((longest + 1) * letter)
    check_writable(path)
    write_whole(path, lambda stream: stream.write(b"1"), overwrite=overwrite)
    assert path.read_bytes() == b"1"
    write_private(path, b"2")
    called: list[object] = []
    for call in (check_writable, lambda path: write_whole(path, called.append, overwrite=overwrite)):
        with pytest.raises(OSError, match=os.strerror(errno.ENAMETOOLONG)) as found:
            call(beyond)
        assert found.value.filename == str(beyond)
    assert called == []
    assert list(tmp_path.iterdir()) == [path]


def test_where_files_can_be_made(tmp_path: Path) -> None:
    (tmp_path / "there").write_bytes(b"1")
    (tmp_path / "link").symlink_to("nowhere/a")
    for name in ("new", "there"):
        check_writable(tmp_path / name)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["link", "there"]
    for wrong in (tmp_path / "nowhere" / "a", tmp_path / "link", tmp_path / "there" / "a", Path("/proc/a")):
        with pytest.raises(OSError, match=r"/a'$"):
            check_writable(wrong)


def test_private_file_is_replaced_at_once_and_is_this_users_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")
    path.chmod(0o644)
    with monkeypatch.context() as patch:
        patch.setattr(atomic_file.os, "replace", failing(errno.EIO))
        with pytest.raises(OSError, match=re.escape(os.strerror(errno.EIO))):
            write_private(path, b"new")
    assert path.read_bytes() == b"old"
    write_private(path, b"new")
    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]
    if os.name == "posix":
        assert path.stat().st_mode & 0o777 == 0o600
