"""Drivers that pip installed become visible; what the user has set, and other users' directories, stay untouched."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import types
from importlib import metadata
from pathlib import Path

import pytest

import reedsp
from reedsp.system import icd

PACKAGE_PARENT = Path(reedsp.__file__).resolve().parent.parent

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="pip's runtimes are made visible on Linux only")

ENABLE = """
import json, os, sys
from pathlib import Path
from reedsp.system import icd
icd.SYSTEM_DIRECTORY = Path(sys.argv[1])
directory = icd.enable_pip_runtimes()
print(json.dumps({
    "directory": directory and str(directory),
    "variable": os.environ.get("OCL_ICD_VENDORS"),
    "again": icd.enable_pip_runtimes() == directory,
    "files": {file.name: file.read_text() for file in directory.iterdir()} if directory else None,
    "mode": directory and directory.stat().st_mode & 0o777,
}))
"""
PLATFORMS = """
import json, sys
if sys.argv[1] == "enable":
    from reedsp.system import icd
    icd.enable_pip_runtimes()
import pyopencl
try:
    print(json.dumps([platform.name for platform in pyopencl.get_platforms()]))
except pyopencl.Error:
    print("[]")
"""


class Machine:
    """A home, a directory of the system's drivers, and a runtime that pip installed, all made up."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.cache = self.home / ".cache"
        self.system = folder / "vendors"
        self.site = folder / "site"
        self.library = self.site / "lib" / "libintelocl.so"
        self.record = self.site / "intel_opencl_rt-1.0.dist-info" / "RECORD"
        for directory in (self.home, self.system, self.library.parent, self.record.parent):
            directory.mkdir(parents=True)
        self.library.write_bytes(b"")
        self.record.write_text("lib/libintelocl.so,,\n")
        self.record.with_name("METADATA").write_text("Metadata-Version: 2.1\nName: intel-opencl-rt\nVersion: 1.0\n")
        (self.system / "gpu.icd").write_text("libgpu-opencl.so.1\n")

    def enable(self, before: str = "", **variables: str) -> dict[str, object]:
        """Call enable_pip_runtimes in a process that has nothing but the given environment variables."""
        path = os.pathsep.join((str(self.site), str(PACKAGE_PARENT)))
        environment = {"HOME": str(self.home), "PATH": os.defpath, "PYTHONPATH": path, **variables}
        output = _python(before + ENABLE, environment, str(self.system))
        return json.loads(output)


def _python(code: str, environment: dict[str, str], *arguments: str) -> str:
    command = [sys.executable, "-c", code, *arguments]
    environment |= {name: value for name, value in os.environ.items() if name.startswith("COVERAGE_")}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


@linux_only
class TestEnable:
    def test_writes_the_runtime_and_the_system_drivers(self, machine: Machine) -> None:
        result = machine.enable()
        directory = Path(str(result["directory"]))
        assert directory.parent == machine.cache / "reedsp" / "icd"
        assert result["variable"] == str(directory)
        assert result["files"] == {
            "pip-libintelocl.icd": f"{machine.library}\n",
            "system-gpu.icd": "libgpu-opencl.so.1\n",
        }
        assert result["again"]

    def test_only_the_user_can_write_there_whatever_the_umask(self, machine: Machine) -> None:
        result = machine.enable(before="import os; os.umask(0)")
        directory = Path(str(result["directory"]))
        for each in (directory, directory.parent, directory.parent.parent):
            assert stat.S_IMODE(each.stat().st_mode) == 0o700

    def test_uses_the_same_directory_until_a_driver_changes(self, machine: Machine) -> None:
        first = machine.enable()["directory"]
        assert machine.enable()["directory"] == first
        (machine.system / "gpu.icd").write_text("libgpu-opencl.so.2\n")
        second = machine.enable()
        assert second["directory"] != first
        assert second["files"]["system-gpu.icd"] == "libgpu-opencl.so.2\n"

    def test_repairs_a_damaged_file(self, machine: Machine) -> None:
        first = machine.enable()
        (Path(str(first["directory"])) / "pip-libintelocl.icd").write_text("/somewhere/el")
        assert machine.enable() == first

    def test_respects_xdg_cache_home(self, machine: Machine, tmp_path: Path) -> None:
        result = machine.enable(XDG_CACHE_HOME=str(tmp_path / "elsewhere"))
        assert Path(str(result["directory"])).parent == tmp_path / "elsewhere" / "reedsp" / "icd"

    @pytest.mark.parametrize("name", icd.LOADER_VARIABLES)
    def test_leaves_the_choice_of_the_user_alone(self, machine: Machine, name: str) -> None:
        result = machine.enable(**{name: "/my/drivers"})
        assert result["directory"] is None
        assert result["variable"] == ("/my/drivers" if name == "OCL_ICD_VENDORS" else None)
        assert not machine.cache.exists()

    def test_does_nothing_without_a_runtime(self, machine: Machine) -> None:
        machine.library.unlink()
        assert machine.enable()["directory"] is None

    def test_does_nothing_where_the_system_has_the_same_runtime(self, machine: Machine, tmp_path: Path) -> None:
        own = tmp_path / "system" / "libintelocl.so"
        own.parent.mkdir()
        own.write_bytes(b"")
        (machine.system / "intel.icd").write_text(str(own))
        assert machine.enable()["directory"] is None

    @pytest.mark.parametrize("record", [b"\xff\xfe\x00", b'lib/"libintelocl.so\n"', b"", b"\x00\n"])
    def test_survives_broken_metadata(self, machine: Machine, record: bytes) -> None:
        machine.record.write_bytes(record)
        assert machine.enable()["directory"] is None

    def test_finds_the_runtime_where_it_is_said_twice(self, machine: Machine) -> None:
        machine.record.write_text("old/libintelocl.so,,\nlib/libintelocl.so,,\n")
        assert machine.enable()["files"] == {
            "pip-libintelocl.icd": f"{machine.library}\n",
            "system-gpu.icd": "libgpu-opencl.so.1\n",
        }

    def test_survives_missing_metadata(self, machine: Machine) -> None:
        machine.record.unlink()
        machine.record.with_name("METADATA").unlink()
        assert machine.enable()["directory"] is None

    def test_survives_an_unreadable_system_file(self, machine: Machine) -> None:
        (machine.system / "folder.icd").mkdir()
        (machine.system / "dangling.icd").symlink_to("/nonexistent")
        assert sorted(machine.enable()["files"]) == ["pip-libintelocl.icd", "system-gpu.icd"]


@linux_only
class TestUntrustedCache:
    def _is_temporary(self, machine: Machine, result: dict[str, object]) -> None:
        """The files are right, in a private directory outside the cache, which is removed at the end."""
        directory = Path(str(result["directory"]))
        assert machine.cache not in directory.parents
        assert result["variable"] == str(directory)
        assert sorted(result["files"]) == ["pip-libintelocl.icd", "system-gpu.icd"]
        assert result["mode"] == 0o700
        assert not directory.exists()

    def test_cannot_be_written(self, machine: Machine) -> None:
        machine.cache.write_text("a file where the directory should be")
        self._is_temporary(machine, machine.enable())

    @pytest.mark.parametrize("level", [0, 1, 2])
    @pytest.mark.parametrize("mode", [0o770, 0o777])
    def test_others_can_write(self, machine: Machine, level: int, mode: int) -> None:
        directory = Path(str(machine.enable()["directory"]))
        (directory, *directory.parents)[level].chmod(mode)
        self._is_temporary(machine, machine.enable())

    def test_belongs_to_somebody_else(self, machine: Machine) -> None:
        machine.enable()
        self._is_temporary(
            machine, machine.enable(before="import os; other = os.geteuid() + 1; os.geteuid = lambda: other")
        )

    def test_is_a_link(self, machine: Machine, tmp_path: Path) -> None:
        machine.cache.mkdir()
        (tmp_path / "theirs").mkdir(mode=0o700)
        (machine.cache / "reedsp").symlink_to(tmp_path / "theirs")
        self._is_temporary(machine, machine.enable())
        assert list((tmp_path / "theirs").iterdir()) == []

    def test_no_directory_at_all(self, machine: Machine) -> None:
        machine.cache.write_text("a file where the directory should be")
        refuse = "import tempfile\ndef refuse(**names): raise OSError\ntempfile.mkdtemp = refuse\n"
        result = machine.enable(before=refuse)
        assert (result["directory"], result["variable"]) == (None, None)


@linux_only
def test_intel_runtime_appears_beside_the_system_drivers(tmp_path: Path) -> None:
    try:
        metadata.version("intel-opencl-rt")
    except metadata.PackageNotFoundError:
        pytest.skip("Intel's CPU runtime is not installed: pip install intel-opencl-rt intel-cmplr-lib-rt")
    environment = {"HOME": str(tmp_path), "PATH": os.defpath, "PYTHONPATH": str(PACKAGE_PARENT)}
    before = json.loads(_python(PLATFORMS, environment, "leave"))
    after = json.loads(_python(PLATFORMS, environment, "enable"))
    assert sorted({*before, "Intel(R) OpenCL"}) == sorted(after)


class TestDrivers:
    def _configured(self, **environ: str) -> list[icd.Driver]:
        return [driver for driver in icd.drivers(environ) if driver.origin != "pyopencl"]

    def test_directory(self, tmp_path: Path) -> None:
        (tmp_path / "a.icd").write_text("liba.so\n")
        (tmp_path / "b.icd").write_text("/opt/b/libb.so")
        (tmp_path / "c.txt").write_text("libc.so")
        assert self._configured(OCL_ICD_VENDORS=str(tmp_path)) == [
            icd.Driver("liba.so", str(tmp_path / "a.icd"), "OCL_ICD_VENDORS"),
            icd.Driver("/opt/b/libb.so", str(tmp_path / "b.icd"), "OCL_ICD_VENDORS"),
        ]
        assert [driver.origin for driver in self._configured(OPENCL_VENDOR_PATH=str(tmp_path))] == [
            "OPENCL_VENDOR_PATH"
        ] * 2

    def test_single_file_and_library(self, tmp_path: Path) -> None:
        file = tmp_path / "one.icd"
        file.write_text("libone.so")
        assert self._configured(OCL_ICD_VENDORS=str(file)) == [icd.Driver("libone.so", str(file), "OCL_ICD_VENDORS")]
        assert self._configured(OCL_ICD_VENDORS="libtwo.so") == [icd.Driver("libtwo.so", "", "OCL_ICD_VENDORS")]

    def test_libraries_come_before_the_system(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "s.icd").write_text("libs.so")
        monkeypatch.setattr(icd, "SYSTEM_DIRECTORY", tmp_path)
        libraries = os.pathsep.join(("liba.so", "libb.so"))
        found = self._configured(OCL_ICD_FILENAMES=libraries)
        assert [driver.library for driver in found][:3] == ["liba.so", "libb.so", "libs.so"]

    def test_those_of_conda(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "conda-meta").mkdir()
        (tmp_path / "etc" / "OpenCL" / "vendors").mkdir(parents=True)
        (tmp_path / "etc" / "OpenCL" / "vendors" / "pocl.icd").write_text("libpocl.so")
        monkeypatch.setattr(sys, "prefix", str(tmp_path))
        monkeypatch.setattr(icd, "SYSTEM_DIRECTORY", tmp_path / "none")
        of_conda = icd.Driver("libpocl.so", str(tmp_path / "etc" / "OpenCL" / "vendors" / "pocl.icd"), "conda")
        assert self._configured()[-1:] == [of_conda]

    def test_only_linux_has_those_of_pip(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "s.icd").write_text("libs.so")
        monkeypatch.setattr(icd, "SYSTEM_DIRECTORY", tmp_path)
        monkeypatch.setattr(icd, "_pip_drivers", lambda: [icd.Driver("libpip.so", "", "pip package x")])
        for system, origins in (("linux", ["pip package x", "system"]), ("darwin", ["system"])):
            monkeypatch.setattr(sys, "platform", system)
            assert [driver.origin for driver in self._configured()][: len(origins)] == origins

    def test_pyopencl_that_is_no_package(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "pyopencl", types.ModuleType("pyopencl"))  # without a __spec__
        assert icd.drivers({"OCL_ICD_VENDORS": "/nonexistent/dir.icd"}) == []

    def test_pyopencl_reads_its_own(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "pyopencl" / ".libs").mkdir(parents=True)
        (tmp_path / "pyopencl" / "__init__.py").write_text("")
        (tmp_path / "pyopencl" / ".libs" / "x.icd").write_text("libx.so")
        monkeypatch.delitem(sys.modules, "pyopencl", raising=False)
        monkeypatch.syspath_prepend(tmp_path)
        found = icd.drivers({"OCL_ICD_VENDORS": "/nonexistent/dir.icd"})
        assert found == [icd.Driver("libx.so", str(tmp_path / "pyopencl" / ".libs" / "x.icd"), "pyopencl")]


class TestLoadError:
    @linux_only
    def test_missing_library(self) -> None:
        error = icd.load_error("/nonexistent/libdriver.so")
        assert error == "/nonexistent/libdriver.so: cannot open shared object file: No such file or directory"

    @linux_only
    def test_library_that_is_no_driver(self) -> None:
        error = icd.load_error("libc.so.6")
        assert error is not None
        assert "undefined symbol: clGetExtensionFunctionAddress" in error

    @linux_only
    def test_driver_of_this_machine(self) -> None:
        if not reedsp.devices():
            pytest.skip("there is no OpenCL driver on this machine")
        environ = {name: value for name, value in os.environ.items() if name not in icd.LOADER_VARIABLES}
        assert None in [icd.load_error(driver.library) for driver in icd.drivers(environ)]

    @pytest.mark.skipif(os.name != "posix", reason="signals")
    def test_crash_ends_only_the_child(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(icd, "_LOAD", "import os; os.abort()")
        assert icd.load_error("libdriver.so") == "crashes when it is loaded (Aborted)"

    def test_endless_loading(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(icd, "_LOAD", "import time; time.sleep(600)")
        monkeypatch.setattr(icd, "_LOAD_SECONDS", 1)
        assert icd.load_error("libdriver.so") == "does not finish loading within 1 s"

    def test_python_that_cannot_be_started(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sys, "executable", "/nonexistent/python")
        error = icd.load_error("libdriver.so")
        assert error is not None
        assert error.startswith("cannot be tried: ")


@pytest.mark.parametrize(
    ("system", "machine", "release", "command"),
    [
        ("linux", "x86_64", {"ID": "fedora"}, 'pip install "reedsp[cpu]"'),
        ("linux", "aarch64", {"ID": "fedora"}, "sudo dnf install pocl"),
        ("linux", "aarch64", {"ID": "ubuntu", "ID_LIKE": "debian"}, "sudo apt-get install pocl-opencl-icd"),
        ("linux", "aarch64", None, "sudo apt-get install pocl-opencl-icd"),
        ("darwin", "arm64", {}, "conda install -c conda-forge pyopencl pocl"),
        ("win32", "AMD64", None, "the GPU vendor's driver, or Intel's CPU Runtime for OpenCL Applications"),
    ],
)
def test_install_command_suits_the_machine(
    monkeypatch: pytest.MonkeyPatch, system: str, machine: str, release: dict[str, str] | None, command: str
) -> None:
    def read_release() -> dict[str, str]:
        if release is None:
            raise FileNotFoundError
        return release

    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr(icd.platform, "machine", lambda: machine)
    monkeypatch.setattr(icd.platform, "freedesktop_os_release", read_release)
    install = "install " if system == "win32" else ""
    where = " from intel.com" if system == "win32" else ""
    assert icd.install_command() == install + command + where
    assert command in icd.install_hint()


def test_imports_only_the_standard_library() -> None:
    code = "import sys, reedsp.system.icd; print(sorted({name.split('.')[0] for name in sys.modules}))"
    environment = {"PATH": os.defpath, "PYTHONPATH": str(PACKAGE_PARENT)}
    loaded = set(json.loads(_python(code, environment).replace("'", '"')))
    assert loaded & {"numpy", "scipy", "networkx", "pyopencl", "typer", "rich"} == set()
