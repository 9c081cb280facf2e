"""Checks of Dulle's reductions and scans by trees of work-groups (cl/strided)."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator
from functools import partial

import numpy as np

import reedsp
from reedsp.device.device import Device
from reedsp.device.job import Job
from reedsp.primitives.operators import resolve
from reedsp.primitives.plans import Elements
from reedsp.primitives.strided.trees import Shape, plan_pairs, plan_tree_reduction, plan_tree_scan
from tests.deep.oclgrind import Check
from tests.support import oracle

LATER = reedsp.Operator("b == 0 ? a : b", identity=0)
"""Whichever of two numbers comes later, if it is not 0: it does not commute."""

OPERATORS = {"add": lambda a, b: a + b, LATER: lambda a, b: b or a}
SHAPES = (Shape(16, 3), Shape(4, 1), Shape(1, 4))


def checks(device: Device) -> Iterator[Check]:
    """Every kernel, over several levels and a rest."""
    for op, dtype in itertools.product(OPERATORS, map(np.dtype, (np.uint32, np.float64))):
        yield {"strided/pairs.cl"}, partial(check_reduction, device, op, dtype, None)
        for shape in SHAPES:
            yield {"strided/reduce.cl"}, partial(check_reduction, device, op, dtype, shape)
            yield {"strided/scan.cl"}, partial(check_scan, device, op, dtype, shape)


def numbers(op: str | reedsp.Operator, dtype: np.dtype, tile: int) -> tuple[np.ndarray, Elements]:
    """Return an array of more than two levels, and what is done with it."""
    n = min(tile * tile + 2 * tile, 500) + 3
    return np.random.default_rng(n).integers(0, 9, n).astype(dtype), Elements(resolve(op, dtype), dtype, op == "add")


def check_reduction(device: Device, op: str | reedsp.Operator, dtype: np.dtype, shape: Shape | None) -> None:
    """By a tree, or in pairs."""
    x, elements = numbers(op, dtype, 16 if shape is None else shape.tile)
    job = Job(device)
    given, total = job.upload(x), job.allocate(x.size, dtype)
    if shape is None:
        plan = plan_pairs(job, elements, given, total, x.size)
    else:
        plan = plan_tree_reduction(job, elements, given, total, x.size, shape)
    for kernel in plan:
        kernel.queue()
    assert job.download(total, 1, dtype)[0] == functools.reduce(OPERATORS[op], x.tolist())


def check_scan(device: Device, op: str | reedsp.Operator, dtype: np.dtype, shape: Shape) -> None:
    """Up and down, each element with all before it and itself."""
    x, elements = numbers(op, dtype, shape.tile)
    job = Job(device)
    given, out = job.upload(x), job.allocate(x.size, dtype)
    for kernel in plan_tree_scan(job, elements, given, out, x.size, shape):
        kernel.queue()
    expected = oracle.scan(x.tolist(), OPERATORS[op], elements.operator.identity, np.zeros(x.size, np.bool_), False)
    assert job.download(out, x.size, dtype).tolist() == expected
