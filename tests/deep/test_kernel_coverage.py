"""Flags of statements: every statement has one of its own, kernels with flags build and compute the same."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from reedsp.device.build import kernel_directory
from tests.deep import kernel_coverage
from tests.deep.kernel_coverage import FLAGS, PARAMETER
from tests.deep.mutants import UNREACHED

pytestmark = pytest.mark.deep

HELPER = """\
// A function, and macros that stand for statements.
#define TWICE(x) { const int twice_ = 2 * (x); x = twice_; }
#define FOR_BOTH(i) \\
    for (uint i = 0; i < 2; ++i)

int doubled(const int x);

int doubled(const int x)
{
    int y;
    y = x;
    TWICE(y)
    return y;
}
"""
KERNEL = """\
#include "helper.cl"

typedef struct {
    int x;
} Pair;

WORK_GROUP(1, 1, 1)
__kernel void run(__global int *out, const int n)
{
    __local int sums[2];
#pragma unroll
    for (int i = 0; i < n; ++i)
        if (i % 2)  // for (;;) in a comment is none
            out[i] = doubled(i);
        else if (i == 4)
            continue;
        else {
            do
                out[i] = 1;
            while (out[i] == 0);
        }
#if WIDE
    for (int i = 0; i < n; ++i) {
        out[i] += 1;
    }
#else
    while (n < 0) {
        out[0] = 1;
    }
#endif
    FOR_BOTH(i)
        sums[i] = i;
}
"""


@pytest.fixture
def small(tmp_path: Path) -> Path:
    (tmp_path / "helper.cl").write_text(HELPER)
    (tmp_path / "kernel.cl").write_text(KERNEL)
    return tmp_path


def test_statements_are_found_in_every_branch(small: Path) -> None:
    found = [(each.line, each.text) for each in kernel_coverage.all_statements(small)]
    assert found == [
        (2, "const int twice_ = 2 * (x); x = twice_; }"),
        (2, "x = twice_; }"),
        (11, "y = x;"),
        (12, "TWICE(y)"),
        (13, "return y;"),
        (12, "for (int i = 0; i < n; ++i)"),
        (13, "if (i % 2)  // for (;;) in a comment is none"),
        (14, "out[i] = doubled(i);"),
        (15, "if (i == 4)"),
        (16, "continue;"),
        (18, "do"),
        (19, "out[i] = 1;"),
        (23, "for (int i = 0; i < n; ++i) {"),
        (24, "out[i] += 1;"),
        (27, "while (n < 0) {"),
        (28, "out[0] = 1;"),
        (31, "FOR_BOTH(i)"),
        (32, "sums[i] = i;"),
    ]


def test_each_statement_sets_its_flag_and_no_line_moves(small: Path) -> None:
    helper, kernel = (
        kernel_coverage.with_flags(small, file, first) for file, first in (("helper.cl", 0), ("kernel.cl", 5))
    )
    assert len(helper.splitlines()) == len(HELPER.splitlines())
    assert f"int doubled({PARAMETER}, const int x);" in helper
    assert f"int doubled({PARAMETER}, const int x)\n" in helper
    lines = kernel.splitlines()
    assert len(lines) == len(KERNEL.splitlines())
    assert lines[7] == f"__kernel void run(__global int *out, const int n, {PARAMETER})"
    assert lines[13] == f"            {{ {FLAGS}[7] = 1; out[i] = doubled({FLAGS}, i); }}"
    assert lines[14] == f"        else {{ {FLAGS}[8] = 1; if (i == 4)"
    for number in range(5, 18):
        assert kernel.count(f"{FLAGS}[{number}] = 1;") == 1


def test_what_is_called_may_be_in_the_file_that_includes(tmp_path: Path) -> None:
    (tmp_path / "below.cl").write_text("void share(void)\n{\n    visit(1);\n    other(1);\n}\n")
    (tmp_path / "above.cl").write_text('void visit(const int unit);\n#include "below.cl"\n')
    (tmp_path / "elsewhere.cl").write_text("void other(const int unit);\n")
    text = kernel_coverage.with_flags(tmp_path, "below.cl", 0)
    assert f"visit({FLAGS}, 1);" in text
    assert "other(1);" in text


def test_every_statement_of_the_kernels_has_one_flag(tmp_path: Path) -> None:
    kernel_coverage.write_with_flags(kernel_directory(), tmp_path)
    every = kernel_coverage.all_statements(kernel_directory())
    text = "".join(file.read_text() for file in sorted(tmp_path.glob("*/*.cl")))
    assert [text.count(f"{FLAGS}[{number}] = 1;") for number in range(len(every))] == [1] * len(every)
    assert len({(each.file, each.place) for each in every}) == len(every)


def test_statements_that_no_device_reaches_exist() -> None:
    assert {(each.file, each.text) for each in kernel_coverage.all_statements(kernel_directory())} > set(UNREACHED)


def test_what_tests_reach_is_kept_and_united(tmp_path: Path) -> None:
    command = [sys.executable, "-m", kernel_coverage.__name__, "--keep", str(tmp_path)]
    environment = {**os.environ, "REEDSP_DEVICE": os.environ.get("REEDSP_DEVICE", "cpu")}
    test = str(Path(__file__).parents[1] / "device" / "test_device.py") + "::test_self_test_passes"
    run = subprocess.run([*command, "-n", "0", test], env=environment, capture_output=True, text=True)
    assert run.returncode == 1, run.stdout + run.stderr  # other files were not reached
    assert "12 of   12" in next(line for line in run.stdout.splitlines() if line.startswith("core/self_test.cl"))
    [kept] = [json.loads(file.read_text()) for file in tmp_path.glob("reached-*.json")]
    assert {key.split()[0] for key in kept} == {"core/self_test.cl", "core/weights.cl"}
    again = subprocess.run([*command, "--report"], env=environment, capture_output=True, text=True)
    assert again.stdout.endswith(run.stdout[run.stdout.index("all_pairs/matrix.cl") :])
    elsewhere = {key.split()[0] + " 0": places for key, places in kept.items()}  # of texts that have changed since
    reached = kernel_coverage.reached_in(tmp_path)
    (tmp_path / "reached-elsewhere.json").write_text(json.dumps({**elsewhere, "primitives/quads.cl 0": [1]}))
    assert kernel_coverage.reached_in(tmp_path) == reached
