"""Runs of tests in processes of their own, which share the modules of others and nothing else."""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import resource
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.deep.host_mutants.faults import ROOT, Fault
from tests.deep.host_mutants.planting import plant
from tests.deep.host_mutants.tests_of import TESTS, Ran, Recorder, chosen_tests, files_of, key_of, ran_of
from tests.deep.host_mutants.verdicts import Verdict

HEAVY = (
    *("numpy", "scipy.sparse.csgraph", "pyopencl", "networkx", "typer", "rich.console", "xxhash"),
    *("hypothesis.strategies", "zarr", "xdist.plugin", "pytest_timeout"),
)
"""Modules that take long to import, and that a process imports once for all that are forked from it."""

MEMORY = 8 << 30
"""Bytes that a process may use: a loop that a fault keeps from ending asks for more and more."""

SECONDS, TIMES = 20, 3
"""A run may take so many seconds, and so many times what it takes without a fault: it is an endless loop then."""

IMPORTED = "pytest.PytestAssertRewriteWarning"
OPTIONS = ("-q", "-x", "-n", "0", "-W", "error", "-W", f"ignore::{IMPORTED}", "-p", "no:cacheprovider")


class First:
    """A plugin of pytest that records the first test that fails."""

    def __init__(self) -> None:
        self.failed = ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Look at the parts of a test."""
        if report.failed and not self.failed:
            self.failed = report.nodeid


class Runs:
    """A folder in which tests run, with caches that are the same for each run.

    Parameters
    ----------
    folder : Path
        Made where missing; what tests do without a fault is kept in it.

    Raises
    ------
    RuntimeError
        This process has looked for devices, which OpenCL does not survive in those that are forked from it.
    """

    def __init__(self, folder: Path) -> None:
        if "reedsp.device.discovery" in sys.modules:
            raise RuntimeError("faults are tried by a process that uses no device itself")
        self._folder = folder
        self._warm, self._now = folder / "warm", folder / "now"
        for name in ("warm/caches", "warm/pocl", "warm/home"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        for name in HEAVY:
            importlib.import_module(name)
        self._sound: dict[tuple[str, ...], bool] = {}
        self._known: dict[str, Ran] = {}

    def without_fault(self, file: str) -> Ran:
        """Return what a file of tests does, from an earlier call if nothing has changed since."""
        if file not in self._known:
            kept = self._folder / f"{key_of(file)}.json"
            if not kept.exists():
                partial = kept.with_suffix(".partial")
                self._fork(lambda: _record([str(TESTS / file)], partial), None, self._warm)
                if not partial.exists():
                    raise RuntimeError(f"{file}: {(self._warm / 'output').read_text(errors='replace')}")
                partial.rename(kept)
            self._known[file] = ran_of(kept.read_text())
        return self._known[file]

    def verdict(self, fault: Fault, patience: float) -> Verdict:
        """Run the tests that might notice a fault, for so many seconds."""
        started = time.monotonic()
        ran = [self.without_fault(file) for file in files_of(fault.module)]
        seconds = {test: taken for each in ran for test, taken in each.seconds.items()}
        tests, by = chosen_tests(fault, ran, patience), ""
        while tests:
            limit = SECONDS + TIMES * sum(seconds[test] for test in tests)
            by = self.run(tests, fault.name, limit)
            noticed = by if by in seconds else ""
            if not by or self._passes([noticed] if noticed else tests, limit):
                break
            tests, by = [test for test in tests if noticed and test != noticed], ""
        result = "killed" if by else "survived"
        taken = round(time.monotonic() - started, 1)
        return Verdict(fault.key, fault.name, fault.line, fault.operator, result, by, taken)

    def run(self, tests: Sequence[str], fault: str | None, limit: float) -> str:
        """Return what has noticed a fault: a test, or else what became of the process; nothing if all passed."""
        shutil.rmtree(self._now, ignore_errors=True)
        shutil.copytree(self._warm, self._now)
        said = self._now / "said"
        status = self._fork(lambda: _first_failure(tests, self._now, said, fault), limit, self._now)
        if status is None:
            return "no end"
        if status == 0:
            return ""
        return (said.read_text() if said.exists() else "") or f"status {status}"

    def _passes(self, tests: Sequence[str], limit: float) -> bool:
        """Whether nothing is noticed where there is no fault, which is tried once."""
        key = tuple(tests)
        if key not in self._sound:
            self._sound[key] = self.run(tests, None, limit) == ""
        return self._sound[key]

    def _fork(self, work: Callable[[], int], limit: float | None, caches: Path) -> int | None:
        """Return the status that a process ends with, or None if it had to be ended."""
        child = os.fork()
        if child == 0:
            _become(work, caches)
        ends = None if limit is None else time.monotonic() + limit
        try:
            while (ended := os.waitpid(child, os.WNOHANG))[0] == 0:
                if ends is not None and time.monotonic() > ends:
                    return None
                time.sleep(0.02)
            return os.waitstatus_to_exitcode(ended[1])
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child, signal.SIGKILL)  # what it has started, too
            with contextlib.suppress(ChildProcessError):  # it has ended
                os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT)
                os.kill(child, signal.SIGKILL)  # also before it has a group of its own
                os.waitpid(child, 0)


def _become(work: Callable[[], int], caches: Path) -> None:
    """Do some work as a process of its own, and end it."""
    status = 70
    try:
        os.setsid()
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
        for name in [name for name in sys.modules if name.split(".")[0] == "reedsp"]:
            del sys.modules[name]  # networkx imports some of it
        os.environ |= {
            **{"XDG_CACHE_HOME": str(caches / "caches"), "POCL_CACHE_DIR": str(caches / "pocl")},
            **{"HOME": str(caches / "home"), "HYPOTHESIS_STORAGE_DIRECTORY": str(caches / "hypothesis")},
            **{"PYTHONPYCACHEPREFIX": str(caches.parent / "compiled"), "PYTHONDONTWRITEBYTECODE": ""},
            "REEDSP_DEVICE": os.environ.get("REEDSP_DEVICE", "pocl"),
        }
        sys.pycache_prefix, sys.dont_write_bytecode = str(caches.parent / "compiled"), False
        os.chdir(ROOT)
        output = os.open(caches / "output", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        for stream in (1, 2):
            os.dup2(output, stream)
        status = work()
        sys.stdout.flush()
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
    finally:
        os._exit(status)


def _record(files: Sequence[str], said: Path) -> int:
    plugin = Recorder()
    options = [each for each in OPTIONS if each != "-x"]
    pytest.main([*options, f"--basetemp={said.with_name('tests')}", *files], [plugin])
    said.write_text(json.dumps(plugin.result()))
    return 0


def _first_failure(tests: Sequence[str], folder: Path, said: Path, fault: str | None) -> int:
    if fault is not None:
        plant(fault)
    plugin: Any = First()
    status = int(pytest.main([*OPTIONS, f"--basetemp={folder / 'tests'}", *tests], [plugin]))
    said.write_text(plugin.failed)
    return status
