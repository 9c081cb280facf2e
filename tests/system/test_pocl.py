"""PoCL works where the user's home cannot be written to, and keeps to the folder that a user has chosen."""

from __future__ import annotations

import errno
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import reedsp
from reedsp.system import icd, pocl

PACKAGE_PARENT = Path(reedsp.__file__).resolve().parent.parent

posix_only = pytest.mark.skipif(os.name != "posix", reason="elsewhere PoCL has other folders")
needs_pocl = pytest.mark.skipif(
    "Portable Computing Language" not in [device.platform for device in reedsp.devices()],
    reason="PoCL is not installed",
)

GIVE = """
import json, os
from reedsp.system import pocl
given = pocl.give_cache_folder()
print(json.dumps({
    "given": given and str(given),
    "variable": os.environ.get("POCL_CACHE_DIR"),
    "mode": given and given.stat().st_mode & 0o777,
    "again": pocl.give_cache_folder(),
}))
"""
SOLVE = """
import json, os
import reedsp
graph = reedsp.Graph.from_edges(4, [0, 0, 1, 2], [1, 2, 3, 3], [7, 2, 1, 3])
found = [each for each in reedsp.devices() if each.platform == "Portable Computing Language"]
print(json.dumps([reedsp.sssp(graph, 0, device=each).dist.tolist() for each in found]))
print(os.environ["POCL_CACHE_DIR"])
"""

SORT = """
import os, pathlib, shutil, warnings
import reedsp
warnings.simplefilter("ignore")
[device, *_] = [each for each in reedsp.devices() if each.platform == "Portable Computing Language"]
reedsp.sort([3, 1, 2], device=device)
cache = pathlib.Path(os.environ["XDG_CACHE_HOME"])
shutil.rmtree(cache)
print(reedsp.sort([3, 1, 2], method="merge", device=device))
shutil.rmtree(cache)
cache.touch()
try:
    reedsp.reduce([3, 1, 2], device=device)
except reedsp.DeviceError as error:
    print(str(error).splitlines()[-1])
"""


def python(code: str, **variables: str) -> str:
    """Return what Python prints with these environment variables and none by which folders are found."""
    hidden = {"HOME", "XDG_CACHE_HOME", "POCL_CACHE_DIR", "REEDSP_DEVICE", "PYTHONWARNINGS"}
    if os.environ.get("OCL_ICD_VENDORS") == str(icd.enable_pip_runtimes()):
        hidden.add("OCL_ICD_VENDORS")
    kept = {name: value for name, value in os.environ.items() if name not in hidden}
    environment = {**kept, "PYTHONPATH": str(PACKAGE_PARENT), **variables}
    child = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert child.returncode == 0, child.stderr
    return child.stdout


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file where a folder should be, so that not even root can write to it."""
    path = tmp_path / "file"
    path.write_text("")
    return path


def check_temporary(result: dict[str, object]) -> None:
    """A folder for this user alone was given, once, and is removed at the end."""
    assert result["given"] == result["variable"]
    assert result["mode"] == 0o700
    assert result["again"] is None
    assert not Path(str(result["given"])).exists()


@posix_only
class TestGiveCacheFolder:
    def test_home_that_cannot_be_written_to(self, file: Path) -> None:
        check_temporary(json.loads(python(GIVE, HOME=str(file))))

    def test_no_home(self) -> None:
        check_temporary(json.loads(python(GIVE)))

    def test_cache_that_cannot_be_written_to(self, file: Path, tmp_path: Path) -> None:
        check_temporary(json.loads(python(GIVE, HOME=str(tmp_path), XDG_CACHE_HOME=str(file))))

    def test_folder_that_can_be_written_to(self, file: Path, tmp_path: Path) -> None:
        nothing = {"given": None, "variable": None, "mode": None, "again": None}
        assert json.loads(python(GIVE, HOME=str(tmp_path / "home"))) == nothing
        assert json.loads(python(GIVE, HOME=str(file), XDG_CACHE_HOME=str(tmp_path / "cache"))) == nothing
        assert list(tmp_path.iterdir()) == [file]

    def test_choice_of_the_user(self, file: Path) -> None:
        result = json.loads(python(GIVE, HOME=str(file), POCL_CACHE_DIR="/my/folder"))
        assert (result["given"], result["variable"]) == (None, "/my/folder")

    def test_nowhere_to_write(self, file: Path) -> None:
        refuse = "import tempfile\ndef refuse(*given, **names): raise OSError\ntempfile.mkdtemp = refuse\n"
        result = json.loads(python(refuse + GIVE, HOME=str(file)))
        assert (result["given"], result["variable"]) == (None, None)


@pytest.mark.deep
@posix_only
@needs_pocl
def test_pocl_solves_without_a_home(file: Path) -> None:
    answers, folder = python(SOLVE, HOME=str(file)).splitlines()
    assert json.loads(answers) == [[0, 7, 2, 5]]
    assert not Path(folder).exists()


@pytest.mark.deep
@posix_only
@needs_pocl
def test_folder_that_is_deleted_meanwhile(tmp_path: Path) -> None:
    """It is made again; where it cannot be, the error says what is the matter."""
    cache = tmp_path / "cache"
    ordered, error = python(SORT, XDG_CACHE_HOME=str(cache)).splitlines()
    assert ordered == "[1 2 3]"
    assert error == f"PoCL cannot write to its cache {cache}/pocl/kcache: {os.strerror(errno.ENOTDIR)}"


@posix_only
def test_mended_folder(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(pocl.VARIABLE, str(tmp_path / "a" / "folder"))
    assert pocl.cache_folder_error() is not None
    pocl.mend_cache_folder()
    pocl.mend_cache_folder()
    assert pocl.cache_folder_error() is None
    monkeypatch.setenv(pocl.VARIABLE, str(file))
    pocl.mend_cache_folder()
    assert pocl.cache_folder_error() == f"PoCL cannot write to its cache {file}: {os.strerror(errno.ENOTDIR)}"
    for name in (pocl.VARIABLE, "XDG_CACHE_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)
    pocl.mend_cache_folder()
    assert pocl.cache_folder_error() is None


@posix_only
@pytest.mark.skipif(not Path("/proc").is_dir(), reason="there is no folder in which not even root may write")
def test_root_cannot_write_everywhere() -> None:
    assert not pocl.can_write(Path("/proc"))
    assert not pocl.can_write(Path("/proc/below"))


@posix_only
def test_can_write(file: Path, tmp_path: Path) -> None:
    assert pocl.can_write(tmp_path)
    assert pocl.can_write(tmp_path / "new" / "folder")
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    for impossible in (None, file, file / "below", tmp_path / "dangling", tmp_path / "dangling" / "below"):
        assert not pocl.can_write(impossible)


@posix_only
@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may write anywhere")
def test_folder_of_somebody_else_cannot_be_written_to(tmp_path: Path) -> None:
    (tmp_path / "theirs").mkdir(mode=0o500)
    assert not pocl.can_write(tmp_path / "theirs")
    assert not pocl.can_write(tmp_path / "theirs" / "below")


def test_imports_only_the_standard_library() -> None:
    loaded = python("import sys, reedsp.system.pocl; print(*{name.split('.')[0] for name in sys.modules})").split()
    assert set(loaded).isdisjoint({"numpy", "scipy", "networkx", "pyopencl", "typer", "rich"})


def test_a_disk_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Full(io.BytesIO):
        def write(self, given: object) -> int:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setenv(pocl.VARIABLE, str(tmp_path))
    assert pocl.cache_folder_error() is None
    monkeypatch.setattr("tempfile.TemporaryFile", lambda dir: Full())
    assert pocl.cache_folder_error() == f"PoCL cannot write to its cache {tmp_path}: {os.strerror(errno.ENOSPC)}"
