"""Folders and files of another user are refused (reedsp.system.files.own_folder), and no link is followed."""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path

import numpy as np
import pytest

import reedsp
from reedsp.device.device import Device
from reedsp.system.files import own_folder
from reedsp.system.files.own_folder import OwnFolder

pytestmark = pytest.mark.skipif(os.name != "posix", reason="files have no owners")

NAMES = ("matrix", "journal", "lock", "panels", "rows", "columns", "dist.npy", "pred.npy")
CONTENT = b"what the victim has written"
GRAPH = reedsp.Graph.from_edges(3, [0, 1, 2], [1, 2, 0], [7, 2, 1])


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    file = tmp_path / "home" / "victim.txt"
    file.parent.mkdir()
    file.write_bytes(CONTENT)
    return file


def call(out: Path, device: Device) -> None:
    """Compute with the same name as the attacker expects; results are right, or it is refused."""
    with contextlib.suppress(PermissionError, FileExistsError):
        paths = reedsp.apsp(GRAPH, predecessors=True, out=out, device=device)
        assert np.array_equal(paths.dist, [[0, 7, 9], [3, 0, 2], [1, 8, 0]])


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", ["link", "second name", "dangling", "pipe"])
def test_planted_in_the_folder(kind: str, name: str, tmp_path: Path, victim: Path, device: Device) -> None:
    out = tmp_path / "o.npy"
    folder = tmp_path / "o.npy.partial"
    folder.mkdir()
    if kind == "link":
        (folder / name).symlink_to(victim)
    elif kind == "second name":
        (folder / name).hardlink_to(victim)
    elif kind == "dangling":
        (folder / name).symlink_to(victim.with_name("new"))
    else:
        os.mkfifo(folder / name)
    call(out, device)
    assert victim.read_bytes() == CONTENT
    assert [each.name for each in victim.parent.iterdir()] == [victim.name]


@pytest.mark.parametrize("name", ["o.npy", "o.pred.npy", "o.npy.partial"])
@pytest.mark.parametrize("target", ["victim.txt", "new", "."])
def test_planted_beside_it(name: str, target: str, tmp_path: Path, victim: Path, device: Device) -> None:
    (tmp_path / name).symlink_to(victim.parent / target)
    with pytest.raises(PermissionError if name == "o.npy.partial" else FileExistsError, match=name):
        reedsp.apsp(GRAPH, predecessors=True, out=tmp_path / "o.npy", device=device)
    assert victim.read_bytes() == CONTENT
    assert [each.name for each in victim.parent.iterdir()] == [victim.name]
    assert (tmp_path / name).is_symlink()


def test_another_users_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "c").mkdir()
    user = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: user + 1)
    with pytest.raises(PermissionError, match=r"it is another user's: .*c"):
        OwnFolder(tmp_path / "c")


def test_another_users_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = OwnFolder(tmp_path / "c")
    (tmp_path / "c" / "a").touch()
    user = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: user + 1)
    with pytest.raises(PermissionError, match=r"it is another user's: .*a"):
        folder.open("a", "rb")


def test_nobody_else_can_write_to_it(tmp_path: Path) -> None:
    """Whether it is new, or was made by a user whose group may change what is new."""
    (tmp_path / "old").mkdir()
    (tmp_path / "old").chmod(0o775)
    for name in ("new", "old"):
        OwnFolder(tmp_path / name)
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o700
    (tmp_path / "read").mkdir()
    (tmp_path / "read").chmod(0o755)
    OwnFolder(tmp_path / "read")
    assert stat.S_IMODE((tmp_path / "read").stat().st_mode) == 0o755  # which does no harm


def test_folders_above_it_are_made(tmp_path: Path) -> None:
    folder = OwnFolder(tmp_path / "a" / "b" / "c")
    assert folder.names() == set()
    assert (tmp_path / "a" / "b" / "c").is_dir()


def test_a_folder_that_is_exchanged(tmp_path: Path, victim: Path) -> None:
    """Its files are reached by the folder itself, whatever has its name now."""
    folder = OwnFolder(tmp_path / "c")
    (tmp_path / "c").rename(tmp_path / "moved")
    (tmp_path / "c").symlink_to(victim.parent)
    with folder.open("victim.txt", "wb") as stream:
        stream.write(b"ours")
    assert victim.read_bytes() == CONTENT
    assert (tmp_path / "moved" / "victim.txt").read_bytes() == b"ours"
    folder.unlink("victim.txt")
    assert victim.read_bytes() == CONTENT


def test_a_link_that_appears_between_two_looks(tmp_path: Path, victim: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "c").symlink_to(victim.parent)
    monkeypatch.setattr(Path, "is_symlink", lambda path: False)
    with pytest.raises(OSError, match="c"):
        OwnFolder(tmp_path / "c")


def test_a_file_that_appears_between_two_looks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "x").write_text("a file")
    monkeypatch.setattr(Path, "is_dir", lambda path: True)
    with pytest.raises(NotADirectoryError):
        OwnFolder(tmp_path / "x")


def test_files_begin_empty_and_are_no_programs(tmp_path: Path) -> None:
    folder = OwnFolder(tmp_path / "c")
    for content in (b"long", b""):
        with folder.open("a", "wb") as stream:
            stream.write(content)
        status = folder.status("a")
        assert status is not None
        assert (status.st_size, status.st_mode & 0o111) == (len(content), 0)


@pytest.mark.skipif(not hasattr(os, "O_DIRECTORY"), reason="folders cannot be opened here")
def test_what_is_refused_is_not_left_open(tmp_path: Path, victim: Path) -> None:
    folder = OwnFolder(tmp_path / "c")
    (tmp_path / "c" / "a").hardlink_to(victim)
    free = os.dup(0)
    os.close(free)
    with pytest.raises(PermissionError, match="single name"):
        folder.open("a", "rb")
    again = os.dup(0)
    os.close(again)
    assert again == free


def test_what_is_known_of_a_link_is_its_own(tmp_path: Path, victim: Path) -> None:
    folder = OwnFolder(tmp_path / "c")
    (tmp_path / "c" / "a").symlink_to(victim)
    status = folder.status("a")
    assert status is not None
    assert stat.S_ISLNK(status.st_mode)


def test_a_file_in_the_way(tmp_path: Path) -> None:
    (tmp_path / "c").touch()
    with pytest.raises(FileExistsError):
        OwnFolder(tmp_path / "c")
    with pytest.raises(FileNotFoundError, match=r"c2.a"):
        OwnFolder(tmp_path / "c2").open("a", "rb")


def test_where_folders_cannot_be_opened(tmp_path: Path, victim: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on Windows: links are looked for by their names."""
    monkeypatch.setattr(own_folder, "_RELATIVE", False)
    folder = OwnFolder(tmp_path / "c")
    with folder.open("a", "wb") as stream:
        stream.write(b"1")
    folder.synchronise()
    status = folder.status("a")
    assert status is not None
    assert status.st_size == 1
    assert not status.st_mode & stat.S_IXOTH
    folder.give("a", tmp_path / "b")
    assert folder.names() == set()
    assert folder.status("a") is None
    folder.unlink("a")
    (tmp_path / "c" / "a").symlink_to(victim)
    with pytest.raises(PermissionError, match="it is a link"):
        folder.open("a", "wb")
    folder.unlink("a")
    assert victim.read_bytes() == CONTENT
    folder.close()
    assert folder.names() == set()  # nothing was held open


@pytest.mark.skipif(not hasattr(os, "O_DIRECTORY"), reason="folders cannot be synchronised")
def test_what_is_moved_out_has_its_new_name_on_the_disk_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = OwnFolder(tmp_path / "c")
    folder.open("a", "wb").close()
    seen: list[tuple[Path, set[str]]] = []
    fsync = os.fsync

    def synchronise(descriptor: int) -> None:
        seen.append((Path(os.readlink(f"/proc/self/fd/{descriptor}")), folder.names()))
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", synchronise)
    folder.give("a", tmp_path / "b")
    assert seen == [(tmp_path, {"a"})]
    assert folder.names() == set()


@pytest.mark.skipif(not hasattr(os, "O_DIRECTORY"), reason="folders cannot be opened here")
def test_closing(tmp_path: Path) -> None:
    """It is let go of once: its number may be another file's then."""
    folder = OwnFolder(tmp_path / "c")
    number = folder._handle
    assert number is not None
    folder.close()
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(number)
    with pytest.raises(OSError, match="Bad file descriptor"):
        folder.open("a", "wb")
    other = os.open(tmp_path, os.O_RDONLY)
    if other != number:
        os.dup2(other, number)
        os.close(other)
    folder.close()
    with pytest.raises(OSError, match="Bad file descriptor"):
        folder.names()
    del folder
    os.fstat(number)
    os.close(number)
