"""Binaries of kernels on disk: what is read again, and what is not; no device is needed."""

from __future__ import annotations

import errno
import os
import pickle
import re
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

from reedsp.device import kernel_cache
from reedsp.system.files import cache_folders

pytestmark = pytest.mark.usefixtures("unwarned")

HEAD = len(kernel_cache._MAGIC) + 32
DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda content: b"",
    "head only": lambda content: content[:HEAD],
    "half a head": lambda content: content[: HEAD // 2],
    "half": lambda content: content[: len(content) // 2],
    "one byte short": lambda content: content[:-1],
    "one byte more": lambda content: content + b"\0",
    "one bit in the code": lambda content: content[:-1] + bytes([content[-1] ^ 1]),
    "one bit in the digest": lambda content: content[: HEAD - 1] + bytes([content[HEAD - 1] ^ 1]) + content[HEAD:],
    "another format": lambda content: content.replace(b"kernel 1", b"kernel 0", 1),
    "no head": lambda content: content[HEAD:],
    "a pickle": lambda content: pickle.dumps({"kernel": content}),
}
AGAIN = "every process compiles its kernels again, since they cannot be kept: {}; set XDG_CACHE_HOME to a folder"


def kept(*key: object, binary: bytes = b"some code") -> Path:
    """Return the file of a binary that was written."""
    file = kernel_cache.file_for(*key)
    assert file is not None
    kernel_cache.write(file, binary)
    return file


def test_what_was_written_is_read(private_cache: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", kernel_cache.__name__)
    for binary in (b"", b"some code", bytes(100_000)):
        file = kept("a kernel", binary=binary)
        assert file.parent == private_cache / "reedsp" / "kernels"
        assert kernel_cache.read(file) == binary
    assert kernel_cache.file_for("a kernel") == file
    another = kernel_cache.file_for("another")
    assert another is not None
    assert kernel_cache.read(another) is None
    assert list(file.parent.iterdir()) == [file]
    assert caplog.messages == []


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_67_damaged_entry_is_not_read(
    damage: Callable[[bytes], bytes], private_cache: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", kernel_cache.__name__)
    entry = kept("a kernel")
    content = damage(entry.read_bytes())
    assert content != entry.read_bytes()
    entry.write_bytes(content)
    assert caplog.messages == []
    assert kernel_cache.read(entry) is None
    assert caplog.messages == [f"cached kernel {entry.name} is damaged and is built anew"]


def test_67_entry_under_another_name_is_not_read(private_cache: Path) -> None:
    entry, another = kept("a kernel"), kept("another")
    another.write_bytes(entry.read_bytes())
    assert kernel_cache.read(another) is None
    assert kernel_cache.read(entry) == b"some code"


def test_66_names_tell_all_keys_apart(private_cache: Path) -> None:
    keys = [("a", "b"), ("ab",), ("a", b"b"), ("b", "a"), ("../../outside", "/etc"), ("a\0b\n",), ("ü" * 5000,)]
    names = [kept(*key).name for key in keys]
    assert len({*names}) == len(keys)
    assert all(re.fullmatch(r"[0-9a-f]{64}\.bin", name) for name in names)
    assert len([*private_cache.rglob("*.bin")]) == len(keys)


@pytest.mark.skipif(os.name != "posix", reason="permissions are those of POSIX")
def test_68_nothing_is_kept_where_others_can_write(private_cache: Path) -> None:
    folder = kept("a kernel").parent
    folder.chmod(0o777)
    with pytest.warns(RuntimeWarning, match=f"^kernels are not cached: {folder} is not a directory that only you can"):
        assert kernel_cache.file_for("a kernel") is None
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # it has been said
        assert kernel_cache.file_for("a kernel") is None
        assert not kernel_cache.is_empty()


def test_69_what_is_in_the_way_of_the_cache_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    reason = AGAIN.format(f"{tmp_path / 'file'}: {os.strerror(errno.ENOTDIR)}")
    with pytest.warns(RuntimeWarning, match=f"^{reason} that can be written to$"):
        assert kernel_cache.file_for("a kernel") is None
    cache_folders._warned.clear()
    with pytest.warns(RuntimeWarning, match=reason) as caught:
        kernel_cache.write(tmp_path / "file" / "kernel.bin", b"binary")
    assert caught[0].filename == kernel_cache.__file__
    kernel_cache.write(tmp_path / "file" / "kernel.bin", b"binary")  # it has been said


def test_69_warnings_that_are_errors_are_raised_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RuntimeWarning, match=AGAIN.format(".*")):
            kernel_cache.file_for("a kernel")
        assert kernel_cache.file_for("a kernel") is None


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_67_a_pipe_or_a_link_is_not_read(private_cache: Path, tmp_path: Path) -> None:
    """Nor does a call wait for who writes to it; the next kernel takes its place."""
    entry = kept("a kernel")
    entry.rename(tmp_path / entry.name)
    os.mkfifo(entry)
    assert kernel_cache.read(entry) is None
    entry.unlink()
    entry.symlink_to(tmp_path / entry.name)
    assert kernel_cache.read(entry) is None
    assert kernel_cache.read(kept("a kernel")) == b"some code"


def test_67_a_file_that_is_too_large_is_not_read(private_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = kept("a kernel")
    monkeypatch.setattr(kernel_cache, "_LARGEST", len(entry.read_bytes()))
    assert kernel_cache.read(entry) == b"some code"
    monkeypatch.setattr(kernel_cache, "_LARGEST", len(entry.read_bytes()) - 1)
    assert kernel_cache.read(entry) is None


def test_69_without_a_home(monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", homeless)
    with pytest.warns(RuntimeWarning, match=AGAIN.format("Could not determine home directory.")):
        assert kernel_cache.file_for("a kernel") is None


def test_whether_a_kernel_has_been_kept(private_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert kernel_cache.is_empty()
    file = kept("a kernel")
    assert not kernel_cache.is_empty()
    monkeypatch.setenv("XDG_CACHE_HOME", str(file))
    with pytest.warns(RuntimeWarning, match=AGAIN.format(".*")):
        assert not kernel_cache.is_empty()


def test_a_folder_that_cannot_be_looked_into_is_not_empty(private_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(folder: object) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    for name in ("listdir", "scandir"):
        monkeypatch.setattr(os, name, fail)
    assert not kernel_cache.is_empty()
