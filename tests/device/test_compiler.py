"""Kernels are compiled in a child process: what ends it, ends nothing else."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import UserDict
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

import reedsp
from reedsp.device import build, compiler_child
from reedsp.device import compiler as compiler_module
from reedsp.device.compiler import Compiler, CompilerCrashError, CompilerUnavailableError, RefusedError
from reedsp.device.device import Device
from reedsp.system import child

KERNEL = "__kernel void nothing(__global int *x) {{ x[0] = {0}; }}\n"

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the planted faults are those of POSIX")


@pytest.fixture
def compiler(monkeypatch: pytest.MonkeyPatch) -> Iterator[Compiler]:
    """One whose child crashes if the source says so, in place of that of this process."""
    monkeypatch.setattr(compiler_module, "_CHILD", "tests.support.child_that_crashes")
    own = Compiler()
    monkeypatch.setattr(build, "compiler", own)
    yield own
    own.stop()


def binary(compiler: Compiler, device: Device, source: str) -> bytes:
    return compiler.compile(build.driver_of(device.handle), source, build._OPTIONS)


def check_works(compiler: Compiler, device: Device) -> None:
    """What it compiles is a program of this device, with the kernel of the source."""
    source = KERNEL.format(compiler.compile.__name__.__len__())
    program = build._load(device.context, device.handle, source, binary(compiler, device, source), build._OPTIONS)
    assert program is not None
    assert program.kernel_names == "nothing"


def test_compiles_for_this_device(compiler: Compiler, device: Device) -> None:
    check_works(compiler, device)
    process = compiler._child
    check_works(compiler, device)
    assert compiler._child is process is not None


def test_refused_source(compiler: Compiler, device: Device) -> None:
    with pytest.raises(RefusedError, match="planted_type"):
        binary(compiler, device, "planted_type mistake;")
    check_works(compiler, device)


@pytest.mark.deep("planted_exit")
@pytest.mark.parametrize("warm", [False, True])
@pytest.mark.parametrize(
    ("fault", "words"),
    [("planted_crash", "(?s)Aborted.*most recent call first"), ("planted_exit", "exit status 3")],
)
def test_74_crash_ends_the_child_only(fault: str, words: str, warm: bool, compiler: Compiler, device: Device) -> None:
    if warm:
        check_works(compiler, device)
    for _ in range(2):
        with pytest.raises(CompilerCrashError, match=words):
            binary(compiler, device, f"// {fault}\n")
    check_works(compiler, device)


def test_a_handler_may_compile_while_its_thread_does(
    compiler: Compiler, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In its own process: the child is not asked two questions at a time."""
    ask, found = compiler._ask, []

    def interrupted(request: bytes | None) -> bytes | None:
        monkeypatch.undo()
        compiler.begin(build.driver_of(device.handle))
        with pytest.raises(CompilerUnavailableError, match="handler"):
            binary(compiler, device, KERNEL.format(1))
        found.append(request)
        return ask(request)

    def compile_both() -> None:
        check_works(compiler, device)
        monkeypatch.setattr(compiler, "_ask", interrupted)
        check_works(compiler, device)
        check_works(compiler, device)

    thread = threading.Thread(target=compile_both, daemon=True)
    thread.start()
    thread.join(60)
    assert not thread.is_alive()
    assert len(found) == 1


def test_where_no_process_can_be_started(compiler: Compiler, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """As from a sub-interpreter that is isolated."""

    def refuse(*arguments: object, **options: object) -> None:
        raise RuntimeError("subprocess not supported for isolated subinterpreters")

    monkeypatch.setattr(subprocess, "Popen", refuse)
    with pytest.raises(CompilerUnavailableError, match="isolated"):
        binary(compiler, device, KERNEL.format(1))


@pytest.mark.deep
def test_a_child_that_crashes_after_other_work_gets_a_successor(
    compiler: Compiler, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which has the answer, or crashes, too; a child that has done nothing else gets none."""
    children: list[object] = []
    spawn = compiler._spawn

    def counted(driver: Sequence[str]) -> None:
        spawn(driver)
        children.append(compiler._child)

    monkeypatch.setattr(compiler, "_spawn", counted)
    check_works(compiler, device)
    assert binary(compiler, device, KERNEL.format(11) + "// planted_weariness\n")
    assert len(children) == 2
    for needed in (3, 4):
        compiler.begin(build.driver_of(device.handle))
        with pytest.raises(CompilerCrashError, match="Aborted"):
            binary(compiler, device, "// planted_crash\n")
        assert len(children) == needed
    check_works(compiler, device)


def test_74_crash_is_an_error_that_names_the_file(compiler: Compiler, device: Device, kernel_copy: Path) -> None:
    file = kernel_copy / "core/self_test.cl"
    right = file.read_text()
    file.write_text(right + "// planted_crash\n")
    own = Device(device.index, device.handle)
    with pytest.raises(reedsp.DeviceError, match=r"the compiler of .* has crashed on cl/core/self_test\.cl: Aborted"):
        own.self_test()
    file.write_text(right)
    own.self_test()


@pytest.mark.deep
def test_hanging_compiler_is_stopped(compiler: Compiler, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    check_works(compiler, device)
    first = compiler._child
    with monkeypatch.context() as patch:
        patch.setattr(compiler_module, "PATIENCE", 0.5)
        patch.setattr(compiler, "_spawn", None)  # no other one is tried
        with pytest.raises(CompilerCrashError, match="Killed"):
            binary(compiler, device, "// planted_hang\n")
    assert first is not None
    assert first.poll() == -signal.SIGKILL
    check_works(compiler, device)
    assert binary(compiler, device, KERNEL.format(13) + "// planted_weariness\n")  # the next one does not hang


def test_78_interrupted_while_compiling(compiler: Compiler, device: Device) -> None:
    check_works(compiler, device)
    process = compiler._child
    assert process is not None
    threading.Timer(0.5, os.kill, [os.getpid(), signal.SIGINT]).start()
    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        binary(compiler, device, "// planted_hang\n")
    assert time.monotonic() - started < 60  # and not the ten minutes that the compiler would take
    assert process.poll() is not None
    check_works(compiler, device)


def test_words_of_a_driver_are_no_answer(compiler: Compiler, device: Device) -> None:
    source = KERNEL.format(7)
    assert binary(compiler, device, source + "// planted_words\n")
    check_works(compiler, device)


def test_child_that_has_ended_is_replaced(compiler: Compiler, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    check_works(compiler, device)
    first = compiler._child
    assert first is not None
    binary(compiler, device, KERNEL.format(9) + "// planted_leave\n")
    assert first.wait(60) == 0
    check_works(compiler, device)
    assert compiler._child is not first


def test_child_gets_ready_where_nothing_has_been_kept(compiler: Compiler, device: Device, private_cache: Path) -> None:
    build.expect_work(device.handle)
    process = compiler._child
    assert process is not None
    check_works(compiler, device)
    build.expect_work(device.handle)
    assert compiler._child is process
    compiler.stop()
    build.kernel_cache.write(build.kernel_cache.file_for("some", "kernel"), b"kept")
    build.expect_work(device.handle)
    assert compiler._child is None


@pytest.mark.parametrize("said", ["hi", "hello from a module of this site", "", "\0" * 40])
def test_what_python_prints_at_its_start_is_no_answer(
    said: str, compiler: Compiler, device: Device, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = f"import os, sys; print({said!r}, flush=True); os.write(1, {said.encode()!r})\n"
    (tmp_path / "sitecustomize.py").write_text(code)
    monkeypatch.syspath_prepend(tmp_path)
    check_works(compiler, device)


def test_a_child_that_never_begins_is_waited_for_once(
    compiler: Compiler, device: Device, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sitecustomize.py").write_text("import time; time.sleep(600)\n")
    monkeypatch.setattr(compiler_module, "PATIENCE", 0.5)
    monkeypatch.syspath_prepend(tmp_path)
    for _ in range(2):
        with pytest.raises(CompilerUnavailableError, match=r"^Killed"):
            check_works(compiler, device)
        monkeypatch.setattr(compiler, "_spawn", None)


@pytest.mark.deep("no such device", "no module")
@pytest.mark.parametrize("place", ["no interpreter", "no module", "no such device", "frozen", "None", "a child"])
def test_compiled_here_where_there_can_be_no_child(
    place: str, compiler: Compiler, device: Device, private_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if place == "no interpreter":
        monkeypatch.setattr(sys, "executable", "/no/such/interpreter")
    elif place == "frozen":
        monkeypatch.setattr(sys, "frozen", True, raising=False)
    elif place == "None":
        monkeypatch.setattr(sys, "executable", None)
    elif place == "a child":
        monkeypatch.setenv(child._VARIABLE, "1")
    elif place == "no module":
        monkeypatch.setattr(compiler_module, "_CHILD", "no_such_module")
    else:
        driver = build.driver_of
        monkeypatch.setattr(build, "driver_of", lambda handle: ("elsewhere", *driver(handle)))
    Device(device.index, device.handle).self_test()
    with pytest.raises(CompilerUnavailableError):
        compiler.compile(("elsewhere",), KERNEL.format(1), build._OPTIONS)


def test_a_variable_that_another_thread_hides_meanwhile(
    compiler: Compiler, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Environment(UserDict[str, str]):
        def __iter__(self) -> Iterator[str]:
            names = list(self.data)
            self.data.pop("PYOPENCL_BUILD_OPTIONS", None)
            return iter(names)

    monkeypatch.setattr(os, "environ", Environment({**os.environ, "PYOPENCL_BUILD_OPTIONS": ""}))
    check_works(compiler, device)


def test_entries_of_the_path_that_are_no_text(
    compiler: Compiler, device: Device, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path, tmp_path, os.fsencode(tmp_path), None])
    check_works(compiler, device)


def test_nothing_is_imported_from_the_current_directory(device: Device, tmp_path: Path) -> None:
    for name in ("reedsp", "pyopencl", "numpy", "json"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('imported from the current directory')\n")
    code = (
        "import sys; sys.path = [each for each in sys.path if each not in ('', '.')]\n"
        "import reedsp; from reedsp.device import get_device; get_device().self_test()\n"
        "from reedsp.device.compiler import compiler; assert compiler._child is not None; print('right')"
    )
    environment = {**os.environ, "REEDSP_DEVICE": str(device.index), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    environment["PYTHONPATH"] = str(Path(reedsp.__file__).resolve().parents[1])
    command = [sys.executable, "-P", "-c", code]
    process = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    assert process.stdout == "right\n"


def test_a_device_that_the_child_does_not_find() -> None:
    driver = ["no platform", "0", "no device", "0"]
    request = json.dumps({"driver": driver, "source": "", "options": "", "has_binary": True})
    assert compiler_child._answer(request.encode())[:1] == compiler_module.UNABLE
