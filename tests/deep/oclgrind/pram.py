"""Checks of PRAM programs, whose kernels are generated: plain, with all optimisations, and with errors reported."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, Literal

import numpy as np

from reedsp import pram
from reedsp.device.device import Device
from reedsp.pram import examples
from tests.deep.oclgrind import Check
from tests.pram.problems import Problem, problems

FILES = {"primitives/reduce.cl", "primitives/work_group_scan.cl", "primitives/work_item_scan.cl"}
SEED = 2  # the sizes of its problems are small, and differ

CONCURRENT = """def f(p, n, A: int64[:], B: int64[:]):
    A[B[p]] = p
    if p % 3 > 0:
        A[B[p] + 1] = A[B[p]] + A[(p + 1) % n]
"""


def checks(device: Device) -> Iterator[Check]:
    """Yield every check."""
    for method in ("bitset", "list"):
        for problem in problems(SEED):
            for check in (False, True):
                yield FILES, partial(_solve, device, problem, method, "all", check)
            if problem.program in (examples.total, examples.scan, examples.merge):
                yield FILES, partial(_solve, device, problem, method, (), False)
        yield FILES, partial(_write_concurrently, device, method)


def _solve(
    device: Device, problem: Problem, method: Literal["bitset", "list"], optimizations: Any, check: bool
) -> None:
    result = problem.program.run(
        problem.n, method=method, optimizations=optimizations, check=check, device=device, **problem.given
    )
    problem.check(result)


def _write_concurrently(device: Device, method: Literal["bitset", "list"]) -> None:
    program = pram.from_text(CONCURRENT, mode="priority")
    given = {"A": np.arange(8), "B": np.array([0, 2, 0, 5, 2, 2, 6])}
    expected = program.run(7, method="interpreter", **given)["A"]
    for check in (False, True):
        np.testing.assert_array_equal(program.run(7, method=method, check=check, device=device, **given)["A"], expected)
