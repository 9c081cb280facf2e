"""Directories of the cache: made where missing, and refused where others could change or replace them."""

from __future__ import annotations

import atexit
import errno
import os
import stat
import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from reedsp.system.files import cache_folders
from reedsp.system.files.cache_folders import SharedDirectoryError, private_directory

pytestmark = pytest.mark.skipif(os.name != "posix", reason="permissions are those of POSIX")


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder of this user, with two folders above it that are this user's, too."""
    folder = tmp_path / "home" / "data" / "cache"
    folder.mkdir(mode=0o755, parents=True)
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
    return folder


@pytest.fixture
def facts(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """What the system says about a path is something else: only root could make it so."""
    planted: dict[Path, dict[str, int]] = {}
    lstat = Path.lstat

    def see(path: Path) -> Any:
        status = lstat(path)
        seen = {"st_mode": status.st_mode, "st_uid": status.st_uid, "st_gid": status.st_gid}
        return SimpleNamespace(**(seen | planted.get(path, {})))

    monkeypatch.setattr(Path, "lstat", see)
    return lambda path, **others: planted.update({path: others})


def refused() -> SharedDirectoryError:
    with pytest.raises(SharedDirectoryError, match="not a directory that only you can change") as caught:
        private_directory("kernels")
    return caught.value


LEVELS = pytest.mark.parametrize("level", [0, 1, 2])


@LEVELS
@pytest.mark.parametrize("mode", [0o777, 0o757, 0o703])
def test_68_others_can_write_above(mode: int, level: int, cache: Path) -> None:
    folder = (cache, *cache.parents)[level]
    folder.chmod(mode)
    error = refused()
    assert (error.filename, error.cure) == (str(folder), f"run: chmod go-w {folder}")
    assert not (cache / "reedsp").exists()
    folder.chmod(0o755)
    assert private_directory("kernels") == cache / "reedsp" / "kernels"


@LEVELS
@pytest.mark.parametrize("mode", [0o1777, 0o755, 0o711, 0o700, 0o3777])
def test_others_cannot_rename(mode: int, level: int, cache: Path) -> None:
    """The sticky bit is what keeps them from it in the folder of temporary files."""
    (cache, *cache.parents)[level].chmod(mode)
    assert private_directory("kernels") == cache / "reedsp" / "kernels"


@LEVELS
def test_68_a_group_can_write_above(level: int, cache: Path, facts: Callable[..., None]) -> None:
    """A group that has the number of the owner is the owner's own, as home directories have it on many systems."""
    folder = (cache, *cache.parents)[level]
    owner = os.geteuid()
    facts(folder, st_mode=stat.S_IFDIR | 0o2775, st_uid=owner, st_gid=owner + 1)
    assert refused().filename == str(folder)
    facts(folder, st_mode=stat.S_IFDIR | 0o2775, st_uid=owner, st_gid=owner)
    assert private_directory("kernels") == cache / "reedsp" / "kernels"
    facts(folder, st_mode=stat.S_IFDIR | 0o2755, st_uid=owner, st_gid=owner + 1)
    assert private_directory("kernels") == cache / "reedsp" / "kernels"


def test_68_others_can_write_at_the_root(cache: Path, facts: Callable[..., None]) -> None:
    facts(Path("/"), st_mode=stat.S_IFDIR | 0o777)
    assert refused().filename == "/"


@pytest.mark.parametrize("name", ["reedsp", "reedsp/kernels"])
@pytest.mark.parametrize("wrong", ["group", "others", "owner", "link"])
def test_68_a_folder_of_the_cache_is_not_this_users_alone(
    wrong: str, name: str, cache: Path, tmp_path: Path, facts: Callable[..., None]
) -> None:
    folder = cache / name
    folder.parent.mkdir(mode=0o700, exist_ok=True)
    if wrong == "link":
        (tmp_path / "mine").mkdir(mode=0o700)
        folder.symlink_to(tmp_path / "mine")
    else:
        folder.mkdir(mode=0o700)
        folder.chmod({"group": 0o720, "others": 0o702, "owner": 0o700}[wrong])
    if wrong == "owner":
        facts(folder, st_uid=os.geteuid() + 1)
    error = refused()
    mended = name == "reedsp" and wrong in (
        "group",
        "others",
    )  # there are no files in it that others may have put there
    assert (error.filename, error.cure) == (str(folder), f"run: chmod go-w {folder}" if mended else "delete it")


@LEVELS
def test_68_somebody_else_owns_what_is_above(level: int, cache: Path, facts: Callable[..., None]) -> None:
    folder = (cache, *cache.parents)[level]
    for owner in (65534, os.geteuid() + 1):
        facts(folder, st_uid=owner)
        error = refused()
        assert (error.filename, error.cure) == (str(folder), "set XDG_CACHE_HOME to a directory of yours")
    facts(folder, st_uid=0)
    assert private_directory("kernels") == cache / "reedsp" / "kernels"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files away")
@LEVELS
def test_68_somebody_else_really_owns_what_is_above(level: int, cache: Path) -> None:
    folder = (cache, *cache.parents)[level]
    os.chown(folder, 65534, -1)
    assert refused().filename == str(folder)


@pytest.mark.parametrize("relative", [True, False])
def test_a_link_is_followed_once(relative: bool, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """To a folder without links in its path, so that nobody can lead it elsewhere later."""
    link = tmp_path / "links" / "to the cache"
    link.parent.mkdir(mode=0o755)
    link.symlink_to("../home/./data" if relative else cache.parent)
    monkeypatch.setenv("XDG_CACHE_HOME", str(link / "cache"))
    assert private_directory("kernels") == cache / "reedsp" / "kernels"
    link.parent.chmod(0o777)
    assert refused().filename == str(link.parent)
    link.parent.chmod(0o1777)
    assert private_directory("kernels") == cache / "reedsp" / "kernels"
    cache.parent.chmod(0o777)
    assert refused().filename == str(cache.parent)


def test_68_a_link_of_somebody_else(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, facts: Callable[..., None]
) -> None:
    """In a folder with a sticky bit, where everybody may put one."""
    link = tmp_path / "link"
    link.symlink_to(cache)
    monkeypatch.setenv("XDG_CACHE_HOME", str(link))
    assert private_directory("kernels") == cache / "reedsp" / "kernels"
    facts(link, st_uid=os.geteuid() + 1)
    assert refused().filename == str(link)


def test_69_links_in_a_circle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "one").symlink_to("other")
    (tmp_path / "other").symlink_to("one")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "one"))
    with pytest.raises(OSError, match="symbolic links"):
        private_directory("kernels")


def test_as_many_links_as_the_system_follows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Linux follows 40."""
    (tmp_path / "0").mkdir()
    for number in range(1, 42):
        (tmp_path / str(number)).symlink_to(str(number - 1))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "40"))
    assert private_directory("kernels") == tmp_path / "0" / "reedsp" / "kernels"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "41"))
    with pytest.raises(OSError, match="symbolic links") as found:
        private_directory("kernels")
    assert (found.value.errno, found.value.filename) == (errno.ELOOP, str(tmp_path / "41"))


def test_a_file_in_the_way_is_no_danger(cache: Path) -> None:
    cache.mkdir(parents=True, exist_ok=True)
    (cache / "reedsp").touch()
    with pytest.raises(FileExistsError):
        private_directory("kernels")


def test_the_cache_is_in_the_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    for chosen in (None, "", "not/absolute"):
        monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
        if chosen is not None:
            monkeypatch.setenv("XDG_CACHE_HOME", chosen)
        assert private_directory("kernels") == tmp_path / ".cache" / "reedsp" / "kernels"


def test_where_folders_have_no_permissions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are made, and used whoever else may write to them."""
    monkeypatch.setattr(os, "name", "another system")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "a" / "b"))
    made = private_directory("kernels")
    assert made == tmp_path / "a" / "b" / "reedsp" / "kernels"
    assert stat.S_IMODE(made.parents[1].stat().st_mode) == 0o700
    made.chmod(0o777)
    assert private_directory("kernels") == made


def test_a_home_is_an_absolute_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sub" / "home").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", lambda: Path("sub/home"))
    with pytest.raises(OSError, match=r"^the home directory is 'sub/home', expected an absolute path$"):
        private_directory("kernels")
    assert [each.name for each in tmp_path.rglob("*")] == ["sub", "home"]


def test_without_a_home(monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> Path:
        raise RuntimeError("no home")

    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", none)
    with pytest.raises(OSError, match=r"^no home$"):
        private_directory("kernels")


def test_a_file_on_the_way_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with pytest.raises(NotADirectoryError) as found:
        private_directory("kernels")
    assert found.value.filename == str(tmp_path / "file")


def test_66_missing_folders_are_made_for_this_user_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "a" / "b"))
    previous = os.umask(0)
    try:
        made = private_directory("kernels")
    finally:
        os.umask(previous)
    for folder in (made, *made.parents[:3]):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_68_each_folder_is_warned_of_once_in_all_threads(cache: Path) -> None:
    errors = [SharedDirectoryError(cache / name, "delete it") for name in ("one", "other")]
    start = threading.Barrier(8)

    def warn() -> None:
        start.wait()
        for error in errors * 20:
            cache_folders.warn_of_shared(error, "nothing is cached")

    threads = [threading.Thread(target=warn) for _ in range(8)]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(str(each.message) for each in caught) == [
        f"nothing is cached: {error.filename} is not a directory that only you can change; delete it"
        for error in errors
    ]


@pytest.mark.usefixtures("unwarned")
def test_68_all_that_follows_from_a_folder_is_said(cache: Path) -> None:
    """Once each, also where a warning is an error."""
    error = SharedDirectoryError(cache, "delete it")
    for consequence in ("nothing is measured", "nothing is cached"):
        with pytest.warns(RuntimeWarning, match=f"^{consequence}: {cache} is not"):
            cache_folders.warn_of_shared(error, consequence)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cache_folders.warn_of_shared(error, "nothing is cached")
        with pytest.raises(RuntimeWarning, match="nothing is tuned"):
            cache_folders.warn_of_shared(error, "nothing is tuned")
        cache_folders.warn_of_shared(error, "nothing is tuned")


def test_68_a_warning_names_the_line_that_wants_the_cache(cache: Path) -> None:
    def asked() -> None:
        cache_folders.warn_of_shared(SharedDirectoryError(cache / "another", "delete it"), "nothing is cached")

    with pytest.warns(RuntimeWarning, match="nothing is cached") as caught:
        asked()
    assert (caught[0].filename, caught[0].lineno) == (__file__, asked.__code__.co_firstlineno + 4)


def test_a_temporary_folder_lasts_as_long_as_the_process_that_made_it(monkeypatch: pytest.MonkeyPatch) -> None:
    at_the_end: list[Callable[[], None]] = []
    monkeypatch.setattr(atexit, "register", at_the_end.append)
    made = cache_folders.temporary_directory("reedsp-")
    (made / "file").touch()
    assert made.name.startswith("reedsp-")
    with monkeypatch.context() as patch:
        patch.setattr(os, "getpid", lambda: 1 - os.getppid())
        at_the_end[0]()
    assert (made / "file").exists()
    at_the_end[0]()
    assert not made.exists()
    at_the_end[0]()


def test_a_signals_handler_warns_in_the_midst_of_a_warning() -> None:
    """In the same thread, which would wait for itself."""

    def warn() -> None:
        with cache_folders._warned_lock, pytest.warns(RuntimeWarning, match="^from a handler$"):
            cache_folders.warn_once("from a handler", stacklevel=1)

    thread = threading.Thread(target=warn, daemon=True)
    thread.start()
    thread.join(30)
    assert not thread.is_alive()
    assert "from a handler" in cache_folders._warned
