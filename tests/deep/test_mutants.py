"""The faults that are planted in kernels are the same for a seed, real, of every kind, and noticed."""

from __future__ import annotations

import functools
import itertools
import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from reedsp.device.build import kernel_directory
from tests.deep import mutants
from tests.device import test_build
from tests.support.kernel_files import kernel_files

pytestmark = pytest.mark.deep


@functools.cache
def plan() -> list[mutants.Mutant]:
    """Return all faults in the order in which they are tried."""
    return mutants.planned(kernel_directory(), 0)


def hundreds() -> list[mutants.Mutant]:
    """Return those that are tried first."""
    return plan()[:700]


needs_oclgrind = pytest.mark.skipif(shutil.which("oclgrind") is None, reason="mutants are tried under Oclgrind")


def test_the_seed_alone_decides() -> None:
    again, other = (mutants.planned(kernel_directory(), seed) for seed in (0, 1))
    assert again == plan() != other
    assert Counter(other) == Counter(plan())


def test_every_operator_and_every_file_takes_part() -> None:
    assert {mutant.operator for mutant in hundreds()} == set(mutants.OPERATORS)
    every, tried = (Counter(mutant.file for mutant in some) for some in (plan(), hundreds()))
    without = {
        "core/out_edges.cl",
        "core/dispatch.cl",
        "core/prefetch.cl",
        "core/weights.cl",
        "flow/arc.cl",
        "single_source/entry.cl",
        "traversal/bfs_direction.cl",
    }  # declarations; what changes no answer
    assert set(every) == set(kernel_files(kernel_directory())) - without
    assert all(tried[file] >= min(2, number) for file, number in every.items())


def test_files_can_be_chosen() -> None:
    assert {each.file for each in mutants.planned(kernel_directory(), 0, "*/near_far_w*")} == {
        "single_source/near_far_work_group.cl",
        "single_source/near_far_work_item.cl",
    }


def test_operators_can_be_chosen() -> None:
    chosen = mutants.planned(kernel_directory(), 0, operators=mutants.RACES)
    assert chosen == [each for each in plan() if each.operator in mutants.RACES] != []


def test_every_kernel_file_has_tests() -> None:
    assert set(mutants.MODULES) == set(test_build.OWN_MACROS)
    modules = {module for modules in mutants.MODULES.values() for module in modules}
    assert all((mutants.TESTS / module).is_file() for module in modules)
    assert mutants.modules_of("primitives/quads.cl") == ["primitives/test_scan.py"]
    assert set(mutants.modules_of("core/weights.cl")) > set(mutants.modules_of("edges/verify.cl"))


def test_nothing_but_code_is_changed() -> None:
    for mutant in plan():
        assert mutants.code_of(mutant.before) != mutants.code_of(mutant.after), mutant.diff
        old, new = (
            [line for line in text.splitlines() if line.startswith(("//", "#if", "#error", "#include", "#pragma"))]
            for text in (mutant.before, mutant.after)
        )
        assert old == new


def test_mutants_have_names_of_their_own() -> None:
    assert len({mutant.key for mutant in plan()}) == len({(mutant.file, mutant.after) for mutant in plan()})


EXAMPLES = {
    "barrier": ("a(); barrier(CLK_LOCAL_MEM_FENCE); b();", ["a(); ; b();"]),
    "guard": (
        "const size_t i = get_global_id(0); if (i >= n) return; if (x) y(); if (i < n && x) z();",
        [
            "const size_t i = get_global_id(0); if (false) return; if (x) y(); if (i < n && x) z();",
            "const size_t i = get_global_id(0); if (i >= n) return; if (x) y(); if (true) z();",
        ],
    ),
    "atomic": (
        "old = atomic_add(&sums[f(a, b)], c);",
        [
            "old = ({ __typeof__(*(&sums[f(a, b)]) + 0) was_ = *(&sums[f(a, b)]); "
            "*(&sums[f(a, b)]) = was_ + (c); was_; });"
        ],
    ),
    "relation": ("a < b << c; // d < e", ["a <= b << c; // d < e"]),
    "min-max": ("atomic_min(p, max(a, b));", ["atomic_max(p, max(a, b));", "atomic_min(p, min(a, b));"]),
    "sign": ("float y = a[i + 1] - b;", ["float y = a[i - 1] - b;"]),
    "off by one": (
        "for (uint i = 0; i < n; ++i) {}",
        ["for (uint i = 1; i < n; ++i) {}", "for (uint i = 0; i + 1 < n; ++i) {}"],
    ),
    "narrow": (
        "const ulong at = (size_t)row * n;",
        ["const ulong at = row * n;", "const uint at = (size_t)row * n;"],
    ),
    "logic": ('a && b || c; "&& "', ['a || b || c; "&& "', 'a && b && c; "&& "']),
    "arguments": ("f(a[i, j], b, b);", ["f(b, a[i, j], b);"]),
}


@pytest.mark.parametrize("operator", mutants.OPERATORS)
def test_operator(operator: str) -> None:
    text, expected = EXAMPLES[operator]
    edits = mutants.OPERATORS[operator](mutants.code_of(text))
    assert sorted(text[:begin] + new + text[end:] for begin, end, new in edits) == sorted(expected)


def test_what_is_no_code_is_left_alone() -> None:
    text = """// if (i < 1)
#if A < 1 || \\
    B > 2
#error "A < 1"
#define LOWER(place, key) atomic_min(place, key) // 3
/* 4
   5 */ __attribute__((aligned(2 * sizeof(SIZE)))) x;
WORK_GROUP(SIZE / 6, 7, 1)
"""
    code = mutants.code_of(text)
    assert len(code) == len(text)
    assert code.split() == ["atomic_min(place,", "key)", "x;"]


@pytest.mark.parametrize(("file", "line"), mutants.EQUIVALENT)
def test_equivalent_mutants_are_mutants_that_are_not_tried(file: str, line: str) -> None:
    every = mutants.mutants_of(kernel_directory(), file)
    declared = [
        each
        for each in every
        for both in [mutants.lines_at(each.after, each.line)]
        if line in (both[0], " ".join(both))
    ]
    assert declared
    assert set(declared).isdisjoint(plan())


@pytest.mark.parametrize(("file", "lines"), mutants.HARMLESS)
def test_harmless_lines_are_lines_without_mutants(file: str, lines: str) -> None:
    text = [line.strip() for line in (kernel_directory() / file).read_text().split("\n")]
    numbers = {number for number, both in enumerate(itertools.pairwise(text), 1) if " ".join(both) == lines}
    assert numbers & {each.line for each in mutants.mutants_of(kernel_directory(), file)}
    assert numbers.isdisjoint(each.line for each in plan() if each.file == file)


def test_verdicts_are_kept(tmp_path: Path) -> None:
    kept = [
        mutants.Verdict("0f", "a.cl", 3, "guard", "killed", 'checks: "no", it is 1', 2.5),
        mutants.Verdict("1f", "b.cl", 4, "logic", "survived", "", 0.1),
    ]
    for verdict in kept:
        mutants.keep(tmp_path / "kept.csv", verdict)
    assert list(mutants.kept_verdicts(tmp_path / "kept.csv").values()) == kept
    assert mutants.kept_verdicts(None) == mutants.kept_verdicts(tmp_path / "none.csv") == {}


@pytest.mark.parametrize(
    ("name", "status", "output", "log", "by"),
    [
        ("tests", 0, "3 passed", "", ""),
        ("tests", None, "", "", "tests: no end"),
        ("tests", -11, "", "", "tests: it crashed"),
        ("oclgrind", 0, "all answers are right", "", ""),
        ("oclgrind", 0, "", "\nRead-write data race\n", "oclgrind says: Read-write data race"),
        ("oclgrind", 0, "wrong", "", "oclgrind: wrong"),
        ("tests", 1, "FAILED tests/test_a.py::b[c] - no\n", "", "tests: tests/test_a.py::b[c]"),
    ],
)
def test_reason(name: str, status: int | None, output: str, log: str, by: str, tmp_path: Path) -> None:
    file = tmp_path / "log"
    file.write_text(log)
    assert mutants.reason(name, status, output, file) == by


@pytest.mark.parametrize(("survivor", "enough"), [(None, True), ("logic", True), ("barrier", False)])
def test_how_many_have_to_be_killed(survivor: str | None, enough: bool, capsys: pytest.CaptureFixture[str]) -> None:
    one_each = [next(each for each in plan() if each.operator == name) for name in mutants.OPERATORS]
    found = [
        (each, mutants.Verdict(each.key, each.file, each.line, each.operator, "killed", "", 0))
        for each in itertools.chain(*[one_each] * 3)
    ]
    for place, (mutant, verdict) in enumerate(found):
        if mutant.operator == survivor:
            found[place] = mutant, replace(verdict, result="survived")
            break
    assert mutants.summary(found) == enough
    assert (f"survived: {mutant.key}, {survivor}" in capsys.readouterr().out) == (survivor is not None)


SELF_TEST = mutants.mutants_of(kernel_directory(), "core/self_test.cl")


@needs_oclgrind
@pytest.mark.parametrize(
    ("operator", "line", "by"),
    [
        ("barrier", ";", "oclgrind says: Uninitialized value"),
        ("guard", "if (true)", "oclgrind says: Invalid read"),
        ("arguments", "path[slot] = path_sum(weights[item], dist[item]);", "oclgrind: "),
    ],
)
def test_a_fault_is_noticed(operator: str, line: str, by: str, tmp_path: Path) -> None:
    mutant = next(each for each in SELF_TEST if each.operator == operator and f"+{line}" in each.diff.replace("  ", ""))
    verdict = mutants.Worker(tmp_path).verdict(mutant)
    assert (verdict.key, verdict.result) == (mutant.key, "killed")
    assert verdict.by.startswith(by)


@needs_oclgrind
def test_without_a_fault_nothing_is_noticed(tmp_path: Path) -> None:
    text = (kernel_directory() / "core/self_test.cl").read_text()
    worker = mutants.Worker(tmp_path)
    unchanged = mutants.Mutant("core/self_test.cl", "none", text, text)
    assert all(
        worker.passes(unchanged, *step)
        for step in itertools.islice(worker.steps("core/self_test.cl", "guard").items(), 3)
    )


@needs_oclgrind
def test_what_does_not_build_does_not_count(tmp_path: Path) -> None:
    text = (kernel_directory() / "core/self_test.cl").read_text()
    mutant = mutants.Mutant("core/self_test.cl", "none", text, text + "planted_type mistake;\n")
    assert mutants.Worker(tmp_path).verdict(mutant).result == "discarded"
