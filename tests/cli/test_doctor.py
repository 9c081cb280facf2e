"""`reedsp doctor` tells the truth about a healthy machine, and survives everything that can be broken."""

from __future__ import annotations

import ctypes
import dataclasses
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import types
from collections.abc import Callable, Mapping
from pathlib import Path

import pyopencl
import pytest

import reedsp
from reedsp.cli import doctor
from reedsp.system import icd

PACKAGE = Path(reedsp.__file__).resolve().parent

needs_device = pytest.mark.skipif(not reedsp.devices(), reason="there is no OpenCL device on this machine")
needs_loader = pytest.mark.skipif(
    any(device.platform == "Oclgrind" for device in reedsp.devices()),
    reason="Oclgrind shows its device whatever the loader reads",
)

NO_DRIVER = {**dict.fromkeys(icd.LOADER_VARIABLES, ""), "OCL_ICD_VENDORS": "/nonexistent"}


def run(*command: str, path: str | Path = "", variables: Mapping[str, str] | None = None) -> tuple[int, str]:
    """Run Python as if reedsp had not yet been used in this process; return exit status and standard output."""
    environment = dict(os.environ)
    if environment.get("OCL_ICD_VENDORS") == str(icd.enable_pip_runtimes()):
        del environment["OCL_ICD_VENDORS"]
    environment["PYTHONPATH"] = os.pathsep.join(str(each) for each in (path, PACKAGE.parent) if each)
    environment.update(variables or {})
    child = subprocess.run([sys.executable, *command], env=environment, capture_output=True, text=True)
    assert "Traceback" not in child.stderr
    return child.returncode, child.stdout


def examine(*arguments: str, path: str | Path = "", variables: Mapping[str, str] | None = None) -> tuple[int, str]:
    return run("-m", "reedsp.cli.doctor", *arguments, path=path, variables=variables)


def fake_module(folder: Path, name: str, content: str) -> Path:
    """Put a module in front of the installed one, and return the directory to search first."""
    (folder / f"{name}.py").write_text(content)
    return folder


def cure(report: str) -> str:
    """Return the one command that a report ends in."""
    found = re.search(r"^This cures it:\n\n    (.+)$", report, re.MULTILINE)
    assert found is not None, report
    return found[1]


# ---- a healthy machine ------------------------------------------------------------------------------


@needs_device
def test_healthy_machine() -> None:
    status, report = examine()
    assert status == 0
    assert report.endswith("\neverything works\n")
    assert f"reedsp    {reedsp.__version__}, {PACKAGE}\n" in report
    for device in reedsp.devices():
        assert re.search(
            rf"^  \d  {re.escape(str(device))}, {device.kind}.*: passes its self test$", report, re.MULTILINE
        )


@pytest.mark.deep
@needs_device
def test_json() -> None:
    status, report = examine("--json")
    facts = json.loads(report)
    assert status == 0
    assert facts["works"] is True
    assert (facts["problem"], facts["command"]) == (None, None)
    assert sorted(device["name"] for device in facts["opencl"]["devices"]) == sorted(map(str, reedsp.devices()))
    assert [device["default"] for device in facts["opencl"]["devices"]].count(True) == 1
    versions = {package["name"]: package["version"] for package in facts["packages"]}
    assert versions["numpy"] == sys.modules["numpy"].__version__


@pytest.mark.deep
@needs_device
def test_chosen_device_that_does_not_exist() -> None:
    status, report = examine(variables={"REEDSP_DEVICE": "no such device"})
    assert status == 0
    assert "Problem: REEDSP_DEVICE = 'no such device' fits none of the devices found" in report
    assert "  REEDSP_DEVICE=no such device\n" in report
    assert cure(report) == doctor._unset("REEDSP_DEVICE")


# ---- no driver --------------------------------------------------------------------------------------


@pytest.mark.deep
@needs_loader
def test_no_driver() -> None:
    status, report = examine(variables=NO_DRIVER)
    assert status == 1
    assert "Problem: no OpenCL device was found" in report
    assert "/nonexistent (OCL_ICD_VENDORS): DOES NOT LOAD: " in report
    assert "  platforms none\n" in report
    assert icd.INSTALL_COMMANDS in report


@pytest.mark.deep
@needs_loader
@pytest.mark.skipif(not icd.drivers({}), reason="there is no OpenCL driver on this machine")
def test_variable_that_hides_the_drivers() -> None:
    _, report = examine(variables=NO_DRIVER)
    assert "OCL_ICD_VENDORS=/nonexistent hides the drivers of this machine" in report
    assert cure(report) == doctor._unset("OCL_ICD_VENDORS")


@pytest.mark.deep
@needs_loader
def test_no_driver_as_json() -> None:
    status, report = examine("--json", variables=NO_DRIVER)
    facts = json.loads(report)
    assert status == 1
    assert facts["works"] is False
    assert facts["opencl"]["devices"] == []
    assert facts["environment"]["OCL_ICD_VENDORS"] == "/nonexistent"


# ---- nowhere to write ---------------------------------------------------------------------------------

pocl_only = pytest.mark.skipif(
    not any(Path("/etc/OpenCL/vendors").glob("pocl*.icd")), reason="PoCL is not installed as Debian does"
)


@pytest.mark.deep
@needs_device
def test_kernels_that_cannot_be_kept(tmp_path: Path) -> None:
    """PoCL's devices pass as well: it gets a temporary folder."""
    (tmp_path / "file").write_text("")
    places = dict.fromkeys(("HOME", "XDG_CACHE_HOME"), str(tmp_path / "file"))
    status, report = examine(variables={**places, "POCL_CACHE_DIR": "", "REEDSP_DEVICE": ""})
    assert status == 0
    assert report.count(": passes its self test\n") == len(reedsp.devices())
    assert "Problem: every process compiles its kernels again, since they cannot be kept: " in report
    assert f"  cache     NONE: {tmp_path / 'file'}" in report
    assert cure(report).startswith(doctor._set("XDG_CACHE_HOME", ""))


@pytest.mark.deep
@needs_loader
@pocl_only
def test_folder_of_pocl_that_cannot_be_written_to(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    chosen = str(tmp_path / "file" / "below")
    status, report = examine(
        variables={"OCL_ICD_VENDORS": "/etc/OpenCL/vendors/pocl.icd", "POCL_CACHE_DIR": chosen, "REEDSP_DEVICE": "pocl"}
    )
    assert status == 1
    assert f"Problem: PoCL cannot work, since POCL_CACHE_DIR={chosen} cannot be written to\n" in report
    assert cure(report) == doctor._unset("POCL_CACHE_DIR")


@pytest.mark.skipif(os.name != "posix", reason="elsewhere there are other temporary folders")
def test_no_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert doctor._temporary_error() is None
    monkeypatch.setattr(doctor.tempfile, "tempdir", str(tmp_path / "nowhere"))
    assert doctor._temporary_error() == "No such file or directory"


def test_cache_that_others_could_write_to(private_cache: Path) -> None:
    assert doctor._kernel_cache_error() is None
    (private_cache / "reedsp").chmod(0o777)
    assert doctor._kernel_cache_error() == f"{private_cache / 'reedsp'}: not a directory that only you can change"


# ---- broken packages --------------------------------------------------------------------------------


def test_without_any_package(tmp_path: Path) -> None:
    shutil.copytree(PACKAGE, tmp_path / "reedsp")
    environment = {"PYTHONPATH": str(tmp_path), "PATH": os.defpath}
    command = [sys.executable, "-S", "-m", "reedsp.cli.doctor"]
    child = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=tmp_path)
    assert (child.returncode, child.stderr) == (1, "")
    assert "  pyopencl            missing\n" in child.stdout
    assert cure(child.stdout) == f"{sys.executable} -m pip install numpy scipy networkx pyopencl typer rich xxhash"


def test_broken_numpy(tmp_path: Path) -> None:
    status, report = examine(path=fake_module(tmp_path, "numpy", "raise RuntimeError('wrong ABI')"))
    assert status == 1
    assert re.search(r"^  numpy +\S+, BROKEN: RuntimeError: wrong ABI$", report, re.MULTILINE)
    assert "Problem: numpy cannot be imported: RuntimeError: wrong ABI" in report
    assert cure(report) == f"{sys.executable} -m pip install --force-reinstall --no-cache-dir numpy"


@pytest.mark.deep
@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_pyopencl_that_crashes(tmp_path: Path) -> None:
    status, report = examine(path=fake_module(tmp_path, "pyopencl", "import os; os.abort()"))
    assert status == 1
    assert "Problem: pyopencl cannot be imported: Python crashed: Aborted" in report
    assert cure(report) == f"{sys.executable} -m pip install --force-reinstall --no-cache-dir pyopencl"


@pytest.mark.deep
@needs_device
@pytest.mark.parametrize("name", ["typer", "rich"])
def test_console_script_survives_a_broken_command_line(tmp_path: Path, name: str) -> None:
    broken = fake_module(tmp_path, name, f"raise ImportError('no {name} today')")
    status, report = run("-c", "from reedsp.cli import main; main()", "doctor", path=broken)
    assert status == 0
    assert f"Problem: {name} cannot be imported: ImportError: no {name} today" in report
    assert "passes its self test" in report


def test_required_packages_are_those_of_the_project() -> None:
    project = PACKAGE.parent / "pyproject.toml"
    if not project.is_file():
        pytest.skip("pyproject.toml is not part of an installed package")
    dependencies = tomllib.loads(project.read_text())["project"]["dependencies"]
    assert sorted(name for name, _, _ in doctor._REQUIRED) == sorted(
        re.split(r"[<>=~! ]", each)[0] for each in dependencies
    )


# ---- children ---------------------------------------------------------------------------------------


def test_child_that_never_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(fake_module(tmp_path, "endless", "import time; time.sleep(600)"))
    monkeypatch.setattr(doctor, "_CHILD_SECONDS", 1)
    assert doctor.ask("import", "endless") == (None, "no answer within 1 s")


def test_child_that_prints(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(fake_module(tmp_path, "noisy", "print('driver 1.0 starting', end='')"))
    assert doctor.ask("import", "noisy") == (None, None)


def test_child_that_leaves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(fake_module(tmp_path, "leaving", "import os; os._exit(7)"))
    assert doctor.ask("import", "leaving") == (None, "Python ended with exit status 7")


def test_python_that_cannot_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nonexistent/python")
    answer, error = doctor.ask("import", "json")
    assert answer is None
    assert error is not None
    assert error.startswith("cannot start '/nonexistent/python': ")


# ---- what is found out ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "module", "version", "error"),
    [
        ("no-such-package", "no_such_module", None, None),
        ("no-such-package", None, None, None),
        ("no-such-package", "json", "of unknown version", None),
        ("no-such-package", "broken", "of unknown version", "KeyError: 3"),
    ],
)
def test_packages_without_metadata(
    name: str,
    module: str | None,
    version: str | None,
    error: str | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.syspath_prepend(fake_module(tmp_path, "broken", "raise KeyError(3)"))
    found = doctor._package_state(name, module, "for nothing", True)
    assert found == doctor.Package(name, version, error, True, "for nothing")
    expected = "missing" if version is None else version if error is None else f"{version}, BROKEN: {error}"
    assert doctor._package_line(found).split(maxsplit=1) == [name, expected]


def test_a_platform_without_devices() -> None:
    class Platform:
        def get_devices(self) -> list[object]:
            raise pyopencl.RuntimeError("clGetDeviceIDs", -1)

    assert doctor._platform_devices(Platform()) == []


@pytest.mark.parametrize(
    ("maps", "extension", "expected"),
    [
        (None, None, None),
        ("7f00 r--p 0 00:00 1 /lib/libc.so.6\n", None, None),
        ("7f00 r--p 0 00:00 1 /lib/libOpenCL.so.1\n", None, "/lib/libOpenCL.so.1"),
        ("7f00 r--p 0 00:00 1 /lib/libOpenCL.so.1\n", {4: b"OCL Icd", 2: b"2.3"}, "/lib/libOpenCL.so.1 (OCL Icd 2.3)"),
        ("7f00 r--p 0 00:00 1 /lib/libOpenCL.so.1\n", {2: b"2.3"}, "/lib/libOpenCL.so.1 (2.3)"),
    ],
)
def test_the_loader(
    maps: str | None, extension: dict[int, bytes] | None, expected: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it tells of itself: nothing, all, or a part."""

    def read(path: Path, **_: object) -> str:
        if maps is None:
            raise FileNotFoundError(path)
        return maps

    @ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_void_p)
    def describe(information: int, size: int, text: int, _: object) -> int:
        if extension is None or information not in extension:
            return -30
        ctypes.memmove(text, extension[information] + b"\0", len(extension[information]) + 1)
        return 0

    def address_of(name: bytes) -> int | None:
        return None if extension is None else ctypes.cast(describe, ctypes.c_void_p).value

    library = types.SimpleNamespace(clGetExtensionFunctionAddress=address_of)
    monkeypatch.setattr(Path, "read_text", read)
    monkeypatch.setattr(doctor.ctypes, "CDLL", lambda path: library)
    assert doctor._loader() == expected


@pytest.mark.parametrize("terminal", [False, True])
def test_a_terminal_is_told_what_is_examined(
    terminal: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def gather(announce: Callable[[str], None]) -> doctor.Facts:
        announce("drivers")
        return HEALTHY

    monkeypatch.setattr(doctor, "_gather", gather)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal, raising=False)
    assert doctor.main([]) == 0
    out, err = capsys.readouterr()
    assert out.endswith("\neverything works\n")
    assert err == ("examining drivers ...\n" if terminal else "")


@needs_device
def test_where_a_default_encoding_is_an_error() -> None:
    options = ("-X", "warn_default_encoding", "-W", "error::EncodingWarning")
    assert run(*options, "-c", "import reedsp; reedsp.show_versions()")[0] == 0
    assert run(*options, "-c", "from reedsp.cli import doctor; doctor._loader()")[0] == 0


def test_how_variables_are_unset(monkeypatch: pytest.MonkeyPatch) -> None:
    for system, command in (("linux", "unset A B"), ("win32", "set A= & set B=")):
        monkeypatch.setattr(sys, "platform", system)
        assert doctor._unset("A", "B") == command


# ---- diagnosis --------------------------------------------------------------------------------------

GOOD_PACKAGE = doctor.Package("numpy", "2.0", None, True, "arrays")
GOOD_DEVICE = doctor.DeviceState(1, "good", "cpu", False, None)
BAD_DEVICE = doctor.DeviceState(0, "bad", "gpu", True, "wrong answers")
OPENCL = doctor.OpenCL(None, [], [dataclasses.replace(GOOD_DEVICE, default=True)], None, None)
HEALTHY = doctor.Facts(
    python={"executable": "python", "version": "3.11", "platform": "any"},
    reedsp={"version": "1", "place": "here"},
    packages=[GOOD_PACKAGE],
    environment={},
    drivers=[],
    hidden_drivers=[],
    opencl=OPENCL,
    kernel_cache_error=None,
    temporary_error=None,
    pocl_cache_error=None,
)
INTEL = [doctor.Package(name, "2026.2", None, False, "a CPU device") for name in doctor._INTEL_RUNTIME]
SILENT_POCL = doctor.Platform("Portable Computing Language", "OpenCL 3.0 PoCL 3.1", 0)
PIP_DRIVER = doctor.DriverState("libintelocl.so", "", "pip package intel-opencl-rt", None)
NO_LIBIMF = dataclasses.replace(PIP_DRIVER, error="libimf.so: cannot open shared object file")
NO_LIBRARIES = dataclasses.replace(INTEL[1], version=None)


def facts(**changes: object) -> doctor.Facts:
    return dataclasses.replace(HEALTHY, **changes)


def opencl(**changes: object) -> doctor.OpenCL:
    return dataclasses.replace(OPENCL, **changes)


def test_nothing_to_cure() -> None:
    assert doctor.diagnose(HEALTHY) == doctor.Diagnosis(None, None)
    optional = doctor.Package("matplotlib", None, None, False, "pictures")
    assert doctor.diagnose(facts(packages=[GOOD_PACKAGE, optional])).problem is None
    unused = doctor.DriverState("libnvidia-opencl.so.1", "nvidia.icd", "system", "no such file")
    assert doctor.diagnose(facts(drivers=[unused])).problem is None


@pytest.mark.parametrize(
    ("state", "problem", "command"),
    [
        (
            facts(
                packages=[doctor.Package("rich", None, None, True, ""), doctor.Package("numpy", "1", "bad", True, "")]
            ),
            "rich is not installed",
            "python -m pip install rich",
        ),
        (facts(opencl=opencl(devices=[])), "no OpenCL device was found", icd.install_command()),
        (
            facts(opencl=opencl(devices=[]), environment={"OCL_ICD_VENDORS": "/x"}),
            "no OpenCL device was found",
            icd.install_command(),
        ),
        (
            facts(opencl=opencl(devices=[]), environment={"OCL_ICD_VENDORS": "/x"}, hidden_drivers=["libpocl.so"]),
            "no OpenCL device was found, because OCL_ICD_VENDORS=/x hides the drivers of this machine",
            doctor._unset("OCL_ICD_VENDORS"),
        ),
        (
            facts(opencl=opencl(devices=[]), drivers=[dataclasses.replace(PIP_DRIVER, error="no libtbb")]),
            "no OpenCL device was found",
            "python -m pip install --force-reinstall intel-opencl-rt intel-cmplr-lib-rt",
        ),
        (
            facts(opencl=opencl(devices=[], error="Python crashed: Segmentation fault")),
            "OpenCL cannot be used: Python crashed: Segmentation fault",
            icd.install_command(),
        ),
        (
            facts(opencl=opencl(devices=[BAD_DEVICE])),
            "no device passes its self test; bad: wrong answers",
            icd.install_command(),
        ),
        (
            facts(opencl=opencl(devices=[BAD_DEVICE]), drivers=[PIP_DRIVER]),
            "no device passes its self test; bad: wrong answers",
            "python -m pip install --force-reinstall reedsp",
        ),
        (
            facts(opencl=opencl(devices=[BAD_DEVICE, GOOD_DEVICE])),
            "the default device bad fails its self test: wrong answers",
            doctor._set("REEDSP_DEVICE", "1"),
        ),
        (
            facts(opencl=opencl(default_error="REEDSP_DEVICE = 'x' fits none")),
            "REEDSP_DEVICE = 'x' fits none",
            doctor._unset("REEDSP_DEVICE"),
        ),
        (
            facts(opencl=opencl(devices=[]), drivers=[NO_LIBIMF], packages=[GOOD_PACKAGE, INTEL[0], NO_LIBRARIES]),
            "no OpenCL device was found",
            "python -m pip install intel-cmplr-lib-rt",
        ),
        (
            facts(
                opencl=opencl(default_error="REEDSP_DEVICE = 'intel' fits none"),
                drivers=[NO_LIBIMF],
                packages=[GOOD_PACKAGE, INTEL[0], NO_LIBRARIES],
            ),
            "the driver of pip package intel-opencl-rt does not load: libimf.so: cannot open shared object file",
            "python -m pip install intel-cmplr-lib-rt",
        ),
        (
            facts(drivers=[NO_LIBIMF], packages=[GOOD_PACKAGE, *INTEL]),
            "the driver of pip package intel-opencl-rt does not load: libimf.so: cannot open shared object file",
            "python -m pip install --force-reinstall intel-opencl-rt intel-cmplr-lib-rt",
        ),
        (
            facts(
                opencl=opencl(devices=[], platforms=[SILENT_POCL]),
                environment={"POCL_CACHE_DIR": "/x"},
                pocl_cache_error="POCL_CACHE_DIR=/x cannot be written to",
            ),
            "PoCL cannot work, since POCL_CACHE_DIR=/x cannot be written to",
            doctor._unset("POCL_CACHE_DIR"),
        ),
        (
            facts(
                opencl=opencl(platforms=[SILENT_POCL], default_error="REEDSP_DEVICE = 'pocl' fits none"),
                environment={"POCL_CACHE_DIR": "/x", "REEDSP_DEVICE": "pocl"},
                pocl_cache_error="POCL_CACHE_DIR=/x cannot be written to",
            ),
            "PoCL cannot work, since POCL_CACHE_DIR=/x cannot be written to",
            doctor._unset("POCL_CACHE_DIR"),
        ),
        (
            facts(opencl=opencl(devices=[]), temporary_error="none found"),
            "drivers need a temporary folder: none found",
            doctor._set("TMPDIR", "/dev/shm"),
        ),
    ],
)
def test_first_problem_and_its_cure(state: doctor.Facts, problem: str, command: str) -> None:
    assert doctor.diagnose(state) == doctor.Diagnosis(problem, command)


def test_exit_status_is_about_devices() -> None:
    assert facts(opencl=opencl(devices=[BAD_DEVICE, GOOD_DEVICE])).works
    assert not facts(opencl=opencl(devices=[BAD_DEVICE])).works
    assert not facts(opencl=opencl(devices=[])).works


def test_report_names_a_failing_device_and_driver() -> None:
    driver = doctor.DriverState("libx.so", "/etc/x.icd", "system", "no such file")
    state = facts(opencl=opencl(devices=[BAD_DEVICE, GOOD_DEVICE]), drivers=[driver])
    report = doctor.render(state, doctor.diagnose(state))
    assert "  0  bad, gpu (default): FAILS ITS SELF TEST: wrong answers\n" in report
    assert "libx.so (/etc/x.icd): DOES NOT LOAD: no such file\n" in report
    assert cure(report) == doctor._set("REEDSP_DEVICE", "1")


def test_platform_without_a_device_is_told() -> None:
    state = facts(opencl=opencl(platforms=[dataclasses.replace(SILENT_POCL, devices=1), SILENT_POCL]))
    report = doctor.render(state, doctor.diagnose(state))
    assert report.endswith("\neverything works, but Portable Computing Language shows no device")


def test_imports_only_the_standard_library() -> None:
    status, loaded = run("-c", "import sys, reedsp.cli.doctor; print(*sorted(sys.modules))")
    assert status == 0
    assert {name.split(".")[0] for name in loaded.split()}.isdisjoint({"numpy", "scipy", "pyopencl", "typer", "rich"})
