"""Matrices as users have them, which a device looks at, converts and gives back without a pass of the host.

A dense matrix becomes one that products, or all pairs, are computed with, in three steps::

    entries = entries_of(job, matrix)  # of a type that the device can_look at
    facts = look(job, entries, absent)
    weights = ...  # an arithmetic in which the weights from facts.low to facts.high, and sums of them, are exact
    buffer = convert(job, entries, weights, shape, absent)

and a product becomes a matrix of a user by :func:`write_results`.

What means "no path" is `absent`: any of "infinity", which is inf or the largest integer, "zero" and "nan". An entry
that is not absent, and NaN or -inf, is wrong: ``facts.wrong`` says which is the first. A mask is for the host to apply.
An array of the host is in use until ``job.return_borrowed()``. Devices are tried before by ``can_look`` and
``can_convert`` (:mod:`reedsp.minplus.entries_check`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyopencl as cl

from reedsp.arithmetic.matrix import Weights
from reedsp.arithmetic.types import C_TYPES, infinity, literal, signed
from reedsp.device.build import constants
from reedsp.device.device import Device
from reedsp.device.dispatch import even
from reedsp.device.job import Job, Memory

_LOOK, _CONVERT, _WRITE = "minplus/entries.cl", "minplus/from_user.cl", "minplus/to_user.cl"
_NOWHERE = np.iinfo(np.uint64).max
_CPU_PIECE = 1 << 14  # entries of a work-group
_GPU_GROUP, _GPU_PIECE = 256, 1 << 13
_MOST_SPARE = 2  # times the entries of a view, up to which the memory between them goes to a device as well


@dataclass(frozen=True)
class Entries:
    """A matrix of a user in a buffer.

    Attributes
    ----------
    buffer : pyopencl.Buffer or pyopencl.SVM
    dtype : dtype
    shape : tuple of int
    first : int
        Index of the first entry.
    strides : tuple of int
        Elements from one row to the next, and from one column to the next.
    """

    buffer: Memory
    dtype: np.dtype[Any]
    shape: tuple[int, int]
    first: int
    strides: tuple[int, int]


@dataclass(frozen=True)
class Facts:
    """What there is to see in a matrix.

    Attributes
    ----------
    wrong : int or None
        Index of the first entry, counted row by row, that is NaN or -inf. The other facts mean nothing then.
    low, high : number
        Minimum and maximum of the weights and 0.
    integral : bool
        Whether every weight is an integer, or infinite.
    has_signs : bool
        Whether a weight is negative, or is -0.0.
    """

    wrong: int | None
    low: Any
    high: Any
    integral: bool
    has_signs: bool


def can_read(device: Device, dtype: np.dtype[Any]) -> bool:
    """Return whether kernels of a device read this type."""
    return dtype in C_TYPES and (device.fp64 or dtype != np.float64)


def entries_of(job: Job, matrix: npt.NDArray[Any]) -> Entries:
    """Return the entries of an array of the host, which is not empty and :func:`can_read`, where a device reads them.

    A CPU device reads them where they are.
    """
    memory, first, strides = _memory_of(matrix)
    buffer = job.borrow(memory, writable=False) if job.device.kind == "cpu" else job.upload(memory)
    return Entries(buffer, memory.dtype, (matrix.shape[0], matrix.shape[1]), first, strides)


def look(job: Job, entries: Entries, absent: tuple[str, ...] = ("infinity",)) -> Facts:
    """Wait for the work queued so far and return what there is to see.

    Parameters
    ----------
    job : Job
    entries : Entries
    absent : tuple of {"infinity", "zero", "nan"}
        What is no weight, as the head of this file says.
    """
    rows, columns = entries.shape
    row_stride, column_stride = entries.strides
    if row_stride == columns * column_stride:
        entries, rows, columns = replace(entries, strides=(0, column_stride)), 1, rows * columns
    dtype, count = entries.dtype, rows * columns
    group, groups = _groups(job.device, count)
    fact = [("low", dtype), ("high", dtype), ("flags", np.uint32), ("wrong", np.uint64)]
    facts = job.allocate(groups, fact_type := np.dtype(fact, align=True))
    macros = _macros(job.device, dtype, absent)
    macros |= {"WORD": C_TYPES[signed(dtype.itemsize)], "IS_FLOAT": int(dtype.kind == "f")}
    kernel = job.device.kernel(_LOOK, "look_at_entries", **macros)
    slices = even(0, groups * group, group, count, job.device.steps_at_once)
    sizes = *_places(entries), np.uint64(rows), np.uint64(columns)
    job.launch(kernel, groups * group, group, entries.buffer, facts, *sizes, slices=slices)
    seen = job.download(facts, groups, fact_type)
    flags, bits = int(np.bitwise_or.reduce(seen["flags"])), constants(_LOOK)
    wrong = int(seen["wrong"].min())
    low = seen["low"].min().item()
    return Facts(
        wrong=None if wrong == _NOWHERE else wrong,
        low=low,
        high=seen["high"].max().item(),
        integral=not flags & bits["FRACTIONAL"],
        has_signs=low < 0 or bool(flags & bits["SIGNED"]),
    )


def convert(
    job: Job,
    entries: Entries,
    weights: Weights,
    shape: tuple[int, int],
    absent: tuple[str, ...] = ("infinity",),
    of_graph: bool = False,
) -> cl.Buffer:
    """Queue the conversion to an arithmetic, which has to hold all weights, and return where the result will be.

    Parameters
    ----------
    job : Job
    entries : Entries
    weights : Weights
    shape : tuple of int
        Rows and columns of the result, which is row-major and filled up with "no path".
    absent : tuple of str
        As for :func:`look`.
    of_graph : bool
        Have a path from each vertex to itself, which weighs 0 or less.
    """
    rows, columns = shape
    target = job.allocate(rows * columns, weights.dtype)
    group, groups = _groups(job.device, rows * columns)
    macros = {**_macros(job.device, entries.dtype, absent), **weights.macros(job.device.kind)}
    kernel = job.device.kernel(_CONVERT, "convert_entries", OF_GRAPH=int(of_graph), **macros)
    slices = even(0, groups * group, group, rows * columns, job.device.steps_at_once)
    sizes = *_places(entries), *map(np.uint64, (*entries.shape, rows, columns))
    job.launch(kernel, groups * group, group, entries.buffer, target, *sizes, slices=slices)
    return target


def write_results(
    job: Job,
    weights: Weights,
    product: cl.Buffer,
    stride: int,
    result: Memory,
    shape: tuple[int, int],
    dtype: np.dtype[Any],
) -> int | None:
    """Queue the conversion of a product to the type of a user.

    Where that cannot hold all results of the arithmetic, wait for the work queued so far and return the index of the
    first entry, counted row by row, that it does not hold.

    Parameters
    ----------
    job : Job
    weights : Weights
        The arithmetic of the product.
    product : pyopencl.Buffer
        Row-major.
    stride : int
        Elements from one row of the product to the next.
    result : pyopencl.Buffer or pyopencl.SVM
        Row-major, without anything between rows.
    shape : tuple of int
        Rows and columns of the result.
    dtype : dtype
        That of the product if it is of floats, or else any integers.
    """
    count = shape[0] * shape[1]
    group, groups = _groups(job.device, count)
    lost = job.allocate(groups, np.uint64)
    macros = {**_sizes_as_macros(job.device), **weights.macros(job.device.kind)}
    names = {"RESULT": C_TYPES[dtype], "INFINITE": literal(infinity(dtype), dtype)}
    kernel = job.device.kernel(_WRITE, "write_results", **macros, **names)
    slices = even(0, groups * group, group, count, job.device.steps_at_once)
    sizes = map(np.uint64, (*shape, stride))
    job.launch(kernel, groups * group, group, product, result, lost, *_range(weights, dtype), *sizes, slices=slices)
    if np.can_cast(weights.dtype, dtype):
        return None
    first = int(job.download(lost, groups, np.uint64).min())
    return None if first == _NOWHERE else first


def _range(weights: Weights, dtype: np.dtype[Any]) -> tuple[np.generic, np.generic]:
    """Return the smallest and the largest result that a type holds, besides "no path", in the type of the product."""
    if dtype.kind == "f":
        return weights.dtype.type(-np.inf), weights.dtype.type(np.inf)
    held, computed = np.iinfo(dtype), np.iinfo(weights.dtype)
    return weights.dtype.type(max(held.min, computed.min)), weights.dtype.type(min(held.max - 1, computed.max))


def _memory_of(matrix: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], int, tuple[int, int]]:
    """Return an array of one dimension with all entries, the index of the first, and strides in elements."""
    dtype = matrix.dtype.newbyteorder("=")
    size = dtype.itemsize
    ends = [(length - 1) * stride for length, stride in zip(matrix.shape, matrix.strides, strict=True)]
    count = sum(map(abs, ends)) // size + 1
    is_read = matrix.dtype.isnative and matrix.flags.aligned and not any(stride % size for stride in matrix.strides)
    if not is_read or count > _MOST_SPARE * matrix.size:
        return np.ascontiguousarray(matrix, dtype).reshape(-1), 0, (matrix.shape[1], 1)
    lowest = matrix[tuple(slice(None, None, -1 if end < 0 else 1) for end in ends)]
    memory = np.lib.stride_tricks.as_strided(lowest, (count,), (size,), writeable=False)
    first = sum(-end for end in ends if end < 0) // size
    return memory, first, (matrix.strides[0] // size, matrix.strides[1] // size)


def _places(entries: Entries) -> tuple[np.int64, ...]:
    return tuple(map(np.int64, (entries.first, *entries.strides)))


def _groups(device: Device, count: int) -> tuple[int, int]:
    """Return the size and the number of work-groups for some entries."""
    group, piece = _sizes(device)
    return group, -(-count // piece)


def _sizes(device: Device) -> tuple[int, int]:
    """Return the work-items of a work-group, and its entries."""
    return (1, _CPU_PIECE) if device.kind == "cpu" else (min(_GPU_GROUP, device.max_work_group_size), _GPU_PIECE)


def _sizes_as_macros(device: Device) -> dict[str, str | int]:
    group, piece = _sizes(device)
    return {"GROUP_SIZE": group, "PIECE": piece}


def _macros(device: Device, dtype: np.dtype[Any], absent: tuple[str, ...]) -> dict[str, str | int]:
    tests = {
        "infinity": f"(x == (VALUE){literal(infinity(dtype), dtype)})",
        "zero": "(x == (VALUE)0)",
        "nan": "(x != x)",
    }
    expression = f"({' | '.join(tests[each] for each in absent)})"
    return {**_sizes_as_macros(device), "VALUE": C_TYPES[dtype], "ABSENT": expression}
