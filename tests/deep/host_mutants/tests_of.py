"""Which tests might notice a fault: those that run its line, as a run without any fault shows."""

from __future__ import annotations

import ast
import fnmatch
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import coverage
import pytest

from tests.deep.host_mutants.faults import PACKAGE, ROOT, Fault, file_of

TESTS = ROOT / "tests"
ALL_PAIRS = "algorithms/all_pairs/"
CHECKPOINTS = (f"{ALL_PAIRS}test_killed.py", f"{ALL_PAIRS}test_out_of_core.py", f"{ALL_PAIRS}test_apsp_large.py")
SUMS = "algorithms/routes/test_statistics.py"
CLUSTERS = ("cluster/test_all_pairs.py", "cluster/test_searches.py")
MORE: dict[str, tuple[str, ...]] = {
    "algorithms.all_pairs.out_of_core.*": CHECKPOINTS,
    "algorithms.all_pairs.out_of_core.array_files": (f"{ALL_PAIRS}test_checkpoint.py",),
    "algorithms.all_pairs.*_matrix": (*CHECKPOINTS[1:], f"{ALL_PAIRS}test_apsp.py"),
    "algorithms.contraction.prepared_graph": (
        *("algorithms/contraction/test_prepare.py", "algorithms/contraction/test_in_place_of_graphs.py"),
        *("algorithms/contraction/test_files.py", "networkx_backend/test_prepared.py"),
    ),
    "algorithms.traversal.work_*": ("algorithms/traversal/test_bfs.py",),
    "algorithms.routes.statistics": (SUMS, "cluster/test_searches.py"),
    "arithmetic.*": (
        *("arithmetic/test_paths.py", "arithmetic/test_conversion.py", f"{ALL_PAIRS}test_apsp_large.py"),
        *("minplus/test_operands.py", "minplus/test_entries.py", f"{ALL_PAIRS}test_apsp.py"),
    ),
    "edges.statistics": (SUMS,),
    "results.statistics": (SUMS,),
    "device.memory.reused": ("device/test_reused.py",),
    "edges.negative_cycle*": ("arithmetic/test_paths.py",),
    "io.archives": ("io/test_readers.py", "results/test_files.py"),
    "system.files.atomic_file": ("system/files/test_own_folder.py", CHECKPOINTS[0]),
    "system.files.own_folder": (CHECKPOINTS[0],),
    "system.files.regular_file": ("system/files/test_own_folder.py", "device/test_kernel_cache.py"),
    "system.files.cache_folders": ("system/test_icd.py",),
    "system.files.journal*": (f"{ALL_PAIRS}test_checkpoint.py", "cluster/test_work_folder.py", *CHECKPOINTS[:2]),
    "system.files.file_errors": ("system/files/test_failing.py",),
    "system.host_memory": ("system/test_parts.py",),
    "system.files.measured_file": ("cost_model/test_calibrate.py", "minplus/test_tune.py"),
    "device.kernel_cache": ("device/test_kernel_cache.py",),
    "cluster.work_folder": CLUSTERS,
    "viewer.server": ("viewer/test_watch.py",),
}
"""Tests beside the mirrored ones, of modules that are tested in other rooms, or whose room takes long."""

GENERAL = ("deep/differential/test_differential.py", "test_bad_input.py")
"""Tests for modules whose room has none."""


@dataclass(frozen=True)
class Ran:
    """What a file of tests did without a fault.

    Attributes
    ----------
    seconds : mapping of str to float
        How long each test took that passed.
    lines : mapping of module to mapping of line to list of str
        Which tests have run each line.
    """

    seconds: Mapping[str, float]
    lines: Mapping[str, Mapping[int, Sequence[str]]]


def files_of(module: str) -> list[str]:
    """Return the files of tests for a module: its own, then those of :data:`MORE`, or of its room."""
    *rooms, name = module.split(".")
    own = [f"{'/'.join(rooms[:depth])}/test_{name}.py" for depth in range(len(rooms), 0, -1)]
    chosen = [file for pattern, files in MORE.items() if fnmatch.fnmatch(module, pattern) for file in files]
    for depth in range(len(rooms), 0, -1):
        if not chosen:
            folder = TESTS / "/".join(rooms[:depth])
            chosen = [file.relative_to(TESTS).as_posix() for file in sorted(folder.glob("test_*.py"))]
    return list(dict.fromkeys(file for file in (*own, *(chosen or GENERAL)) if (TESTS / file).is_file()))


def lines_of(fault: Fault) -> range:
    """Return the lines of the statement that a fault is in; of one with others in it, those before them."""
    tree = ast.parse(file_of(fault.module).read_text(encoding="utf-8"))
    found = range(fault.line, fault.line + 1)
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt) and node.end_lineno is not None:
            body = getattr(node, "body", None)
            end = max(node.lineno + 1, body[0].lineno) if body else node.end_lineno + 1
            if node.lineno <= fault.line < end:
                found = range(node.lineno, end)
    return found


def is_run_at_import(fault: Fault) -> bool:
    """Return whether the line of a fault is in no function, so that only the test that imports its module runs it."""
    tree = ast.parse(file_of(fault.module).read_text(encoding="utf-8"))
    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    return not any(each.body[0].lineno <= fault.line <= (each.end_lineno or 0) for each in functions)


def chosen_tests(fault: Fault, ran: Sequence[Ran], patience: float) -> list[str]:
    """Return the tests that run the line of a fault, or else its module, or else all, the quickest first.

    What is run at an import counts for all tests of the module, those in its own file included that compare its
    constants alone.

    Parameters
    ----------
    fault : Fault
    ran : sequence of Ran
    patience : float
        Seconds that they may take together; at least one is returned if there are any.
    """
    lines = lines_of(fault)
    seconds = {test: taken for each in ran for test, taken in each.seconds.items()}
    by_line = [
        (line, test) for each in ran for line, tests in each.lines.get(fault.module, {}).items() for test in tests
    ]
    own: set[str] = set()
    found: set[str] = set()
    if is_run_at_import(fault):
        own = {test for test in seconds if f"/test_{fault.module.rpartition('.')[2]}.py::" in test}
    else:
        found = {test for line, test in by_line if line in lines and test in seconds}
    found = found or own | {test for _, test in by_line if test in seconds} or set(seconds)
    taken, total = [], 0.0
    for test in sorted(found, key=lambda each: (seconds[each], each)):
        total += seconds[test]
        if taken and total > patience:
            break
        taken.append(test)
    return taken


class Recorder:
    """A plugin of pytest that records which test runs which lines of the package, and how long it takes."""

    def __init__(self) -> None:
        self._coverage = coverage.Coverage(data_file=None, config_file=False, source_pkgs=["reedsp"])
        self._coverage.start()
        self._seconds: dict[str, float] = {}
        self._bad: set[str] = set()

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Say whose lines are run."""
        self._coverage.switch_context(item.nodeid)
        yield
        self._coverage.switch_context("")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add up the time of the parts of a test."""
        self._seconds[report.nodeid] = self._seconds.get(report.nodeid, 0) + report.duration
        if report.outcome != "passed":
            self._bad.add(report.nodeid)

    def result(self) -> dict[str, Any]:
        """Return what :class:`Ran` is made of."""
        self._coverage.stop()
        data = self._coverage.get_data()
        lines = {}
        for file in data.measured_files():
            name = (
                Path(file).relative_to(PACKAGE).with_suffix("").as_posix().replace("/", ".").removesuffix(".__init__")
            )
            by_line = data.contexts_by_lineno(file)
            lines[name] = {line: [test for test in tests if test] for line, tests in by_line.items()}
        return {
            "seconds": {test: each for test, each in self._seconds.items() if test not in self._bad},
            "lines": lines,
        }


def ran_of(content: str) -> Ran:
    """Return what a recorder has written."""
    found = json.loads(content)
    lines = {module: {int(line): tests for line, tests in each.items()} for module, each in found["lines"].items()}
    return Ran(found["seconds"], lines)


def key_of(file: str) -> str:
    """Return a name for what a file of tests does, which changes with it and with the package."""
    digest = hashlib.sha256()
    for each in (*sorted(PACKAGE.rglob("*.py")), TESTS / "conftest.py", TESTS / file):
        digest.update(each.read_bytes())
    return f"{Path(file).stem}-{digest.hexdigest()[:12]}"
