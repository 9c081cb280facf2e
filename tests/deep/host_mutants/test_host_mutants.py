"""The faults that are planted in modules of the package are real, have names of their own, and are noticed."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.deep.host_mutants import __main__ as command
from tests.deep.host_mutants import faults, planting, runs
from tests.deep.host_mutants.operators import OPERATORS, edits_of
from tests.deep.host_mutants.tests_of import TESTS, Ran, chosen_tests, files_of, lines_of
from tests.deep.host_mutants.verdicts import Verdict, kept_verdicts

EXAMPLES = {
    "compare": {"a < b <= c": {"a <= b <= c", "a < b < c"}, "a is not b": {"a is b"}, "a in b": {"a not in b"}},
    "arithmetic": {"a + b * c": {"a - b * c", "a + b // c"}, "a >>= 1": {"a <<= 1"}, "-a": {"a"}, "~a": {"a"}},
    "constant": {"f(0, True)": {"f(1, True)", "f(0, False)"}, "a = 2.5": {"a = 5.0"}, "a = 0.0": {"a = 1.0"}},
    "key": {"{'a': b['c']}": {"{'a_': b['c']}", "{'a': b['c_']}"}, "a == 'b'": {"a == 'b_'"}, "f('a')": set()},
    "logic": {"a and b": {"a or b"}, "not a": {"a"}},
    "condition": {
        "while a:\n    b()": {"while not a:\n    b()"},
        "a if b else c": {"a if not b else c"},
        "[a for a in b if c]": {"[a for a in b if not c]"},
        "if TYPE_CHECKING:\n    a()": set(),
    },
    "statement": {
        "a()": {"pass"},
        "a.b = c": {"pass"},
        "a = c": set(),
        "raise a": {"pass"},
        "while a:\n    break": {"while a:\n    continue"},
        "def f():\n    return a": {"def f():\n    return None"},
        "def f():\n    return None": set(),
        "'''A docstring.'''": set(),
    },
    "element": {"for a in (b, c):\n    d()": {"for a in (c,):\n    d()", "for a in (b,):\n    d()"}},
    "extreme": {"min(a, np.maximum(b))": {"max(a, np.maximum(b))", "min(a, np.minimum(b))"}},
}


def changed(text: str, operator: str) -> Iterator[str]:
    """Yield a text with each fault of a kind."""
    for number, edit in enumerate(edits_of(ast.parse(text))):
        if edit.operator == operator:
            tree = ast.parse(text)
            list(edits_of(tree))[number].apply()
            yield ast.unparse(ast.fix_missing_locations(tree))


@pytest.mark.parametrize("operator", OPERATORS)
def test_operators(operator: str) -> None:
    for text, expected in EXAMPLES[operator].items():
        assert set(changed(text, operator)) == expected, text


def test_types_and_messages_are_left_alone() -> None:
    for text in (
        "def f(a: x[0]) -> y[0]: ...",
        "a: x[0]",
        "assert a < 1",
        "f'{a + 1}'",
        "__all__ = x[0]",
        "@f(0)\ndef g(): ...",
    ):
        assert list(edits_of(ast.parse(text))) == []


def test_what_another_system_runs_is_left_alone() -> None:
    text = f"if sys.platform == {sys.platform!r}:\n    a()\nelse:\n    b()"
    assert set(changed(text, "statement")) == {text.replace("a()", "pass")}


@pytest.mark.deep
def test_every_fault_changes_its_module() -> None:
    for module in ("arithmetic.paths", "system.parts", "__init__"):
        text = faults.file_of(module).read_text()
        every = faults.faults_of(module)
        texts = {ast.unparse(faults.planted(module, text, fault.name)) for fault in every}
        assert len(texts) == len(every) == len({fault.name for fault in every}) > 5
        assert ast.unparse(ast.parse(text)) not in texts
    with pytest.raises(LookupError, match="has no fault 'nothing'"):
        faults.planted(module, text, "nothing")


def test_every_module_has_tests() -> None:
    assert all(files_of(module) for module in faults.modules())
    assert files_of("system.parts")[0] == "system/test_parts.py"
    assert files_of("edges.negative_cycles") == ["arithmetic/test_paths.py"]
    assert all((TESTS / file).is_file() for module in faults.modules() for file in files_of(module))


def test_faults_that_change_nothing_are_real_lines() -> None:
    known = faults.equivalents()
    there = {
        change
        for module in {each[0] for each in known}
        for fault in faults.faults_of(module)
        for change in fault.changes()
    }
    assert set(known) - there == set()
    assert all(known.values())


def a_fault(module: str, text: str) -> faults.Fault:
    return next(fault for fault in faults.faults_of(module) if text in fault.code)


def test_tests_that_run_the_line_are_chosen() -> None:
    fault = a_fault("system.parts", "range(")
    lines = lines_of(fault)
    assert fault.line in lines
    seconds = {"slow": 9.0, "quick": 1.0, "other": 0.1}
    by_line = {lines[0]: ["slow", "quick", "that fails"], lines[-1] + 1: ["other"]}
    ran = [Ran(seconds, {"system.parts": by_line})]
    assert chosen_tests(fault, ran, 60) == ["quick", "slow"]
    assert chosen_tests(fault, ran, 5) == ["quick"]
    assert chosen_tests(fault, [Ran(seconds, {"system.parts": {1: [], lines[-1] + 1: ["other"]}})], 60) == ["other"]
    assert chosen_tests(fault, [Ran(seconds, {})], 60) == ["other", "quick", "slow"]
    constant = next(
        each for each in faults.faults_of("system.files.cache_folders") if each.code.startswith("_MOST_LINKS")
    )
    by_line = {constant.line: ["other"], constant.line + 40: ["quick"]}
    assert chosen_tests(constant, [Ran(seconds, {"system.files.cache_folders": by_line})], 60) == ["other", "quick"]
    own = "tests/system/files/test_cache_folders.py::test_of_a_constant"
    ran = [Ran(seconds | {own: 0.0}, {"system.files.cache_folders": by_line})]
    assert chosen_tests(constant, ran, 60) == [own, "other", "quick"]
    assert chosen_tests(a_fault("system.files.cache_folders", "links += 1"), ran, 60) == ["other", "quick"]


def alone(*arguments: str) -> str:
    """Return what Python prints in a process that has not used any device."""
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=faults.ROOT, capture_output=True, text=True, check=True, timeout=300).stdout


@pytest.mark.deep
def test_a_fault_is_noticed_by_the_test_of_its_line(tmp_path: Path) -> None:
    options = ["--modules", "system.host_memory", "--operators", "statement", "--output", str(tmp_path / "kept.csv")]
    said = alone("-m", "tests.deep.host_mutants", *options)
    every = [fault for fault in faults.faults_of("system.host_memory") if fault.operator == "statement"]
    found = kept_verdicts(tmp_path / "kept.csv")
    assert set(found) == {fault.key for fault in every}
    assert all(verdict.by.startswith("tests/system/test_host_memory.py::") for verdict in found.values())
    assert said.endswith(f"{len(every)} of {len(every):>4} killed\n")


TRY = """
import pathlib, sys
from tests.deep.host_mutants.runs import Runs
runs = Runs(pathlib.Path(sys.argv[1]))
tests = list(runs.without_fault("system/test_phases.py").seconds)
print(len(tests), [runs.run(tests, None, limit) for limit in (60, 0.01)])
"""


@pytest.mark.deep
def test_what_changes_nothing_is_not_noticed_and_what_does_not_end_is(tmp_path: Path) -> None:
    assert alone("-c", TRY, str(tmp_path)) == "1 ['', 'no end']\n"


def test_no_process_that_uses_a_device_tries_faults(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="uses no device itself"):
        runs.Runs(tmp_path)


def test_a_test_that_fails_anyway_notices_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    fault = a_fault("system.parts", "range(")
    ran = Ran({"a": 1, "b": 2}, {"system.parts": {fault.line: ["a", "b"]}})
    asked: list[tuple[list[str], str | None]] = []

    def run(self: runs.Runs, tests: list[str], name: str | None, limit: float) -> str:
        asked.append((tests, name))
        return tests[-1] if "b" in tests else ""

    monkeypatch.setattr(runs.Runs, "without_fault", lambda self, file: ran)
    monkeypatch.setattr(runs.Runs, "run", run)
    some: Any = object.__new__(runs.Runs)
    some._sound = {}
    assert some.verdict(fault, 60).result == "survived"
    assert asked == [(["a", "b"], fault.name), (["b"], None), (["a"], fault.name)]


def test_processes_have_the_fault_too(tmp_path: Path) -> None:
    fault = next(each for each in faults.faults_of("system.public") if each.operator == "statement")
    environment = {**os.environ, planting.FAULT: fault.name}
    environment["PYTHONPATH"] = os.pathsep.join((str(planting.IN_CHILDREN), str(faults.ROOT)))
    show = "import sys, reedsp.system.public as m; print(type(m.__loader__).__name__, type(sys.__loader__).__name__)"
    said = subprocess.run([sys.executable, "-c", show], env=environment, capture_output=True, text=True, check=True)
    assert said.stdout.split()[0] == "_Loader"


def test_verdicts_are_not_found_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    some = faults.faults_of("system.parts")[:2]
    asked: list[str] = []

    class Known:
        def __init__(self, folder: Path) -> None:
            pass

        def verdict(self, fault: faults.Fault, patience: float) -> Verdict:
            asked.append(fault.name)
            return Verdict(fault.key, fault.name, fault.line, fault.operator, "survived", "", 1)

    monkeypatch.setattr(command, "Runs", Known)
    for _ in range(2):
        found = command.tried(some, tmp_path, 60, 1e9, tmp_path / "kept.csv")
        assert [verdict.file for verdict in found] == asked == [fault.name for fault in some]
    assert len(command.tried(some, tmp_path, 60, 1e9, tmp_path / "kept.csv", again=True)) == 2
    assert asked == 2 * [fault.name for fault in some]
    assert command.tried(some, tmp_path, 60, -1, None) == []
    assert not command.summary(some, found)
