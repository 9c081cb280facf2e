"""What is sorted: keys, what they carry, and the buffers that they go through."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyopencl as cl

from reedsp.arithmetic.types import C_TYPES, unsigned
from reedsp.device.build import KernelBuildError
from reedsp.device.errors import DeviceError
from reedsp.device.job import Job, Kernel, Memory

KEY_TYPES = tuple(
    np.dtype(name)
    for name in (
        *("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"),
        *("float16", "float32", "float64"),
    )
)
"""The types of keys that can be sorted."""

_KINDS = {"b": 0, "u": 0, "i": 1, "f": 2}  # as in cl/sort/keys.cl
_BY_NUMBER = "(ordinal_of(a) < ordinal_of(b))"


@dataclass(frozen=True)
class Records:
    """What kernels are built for.

    Attributes
    ----------
    keys : dtype
    carried, result : dtype, optional
        Unsigned integers of the size of what is moved along with each key, on the way and at the end.
    are_numbered : bool
        Whether each key carries its own index, and the sorted keys are not wanted.
    is_long : bool
        Whether there are so many that 32 bits do not count them.
    order : str, optional
        OpenCL C expression in ``a`` and ``b``; by default numbers ascend.
    """

    keys: np.dtype[Any]
    carried: np.dtype[Any] | None = None
    result: np.dtype[Any] | None = None
    are_numbered: bool = False
    is_long: bool = False
    order: str | None = None

    @property
    def count_type(self) -> np.dtype[Any]:
        """Unsigned integers that count records."""
        return np.dtype(np.uint64 if self.is_long else np.uint32)

    @property
    def bits(self) -> np.dtype[Any]:
        """Unsigned integers of the size of a key."""
        return unsigned(self.keys.itemsize)

    def macros(self, last: bool) -> dict[str, str | int]:
        """Return the macros of ``cl/sort/keys.cl``, for the last pass or another one."""
        value = self.carried or np.dtype(np.uint8)
        return {
            "KEY": C_TYPES[self.bits],
            "KIND": _KINDS[self.keys.kind],
            "CARRIED": int(self.carried is not None),
            "VALUE": C_TYPES[value],
            "RESULT": C_TYPES[(self.result if last else None) or value],
        }

    def order_macros(self, last: bool) -> dict[str, str | int]:
        """Return the macros of ``cl/sort/order.cl``."""
        if self.order is None:
            return {**self.macros(last), "ELEMENT": C_TYPES[self.bits], "ORDER": _BY_NUMBER}
        element = C_TYPES[self.bits if self.keys.kind == "b" else self.keys]
        return {**self.macros(last), "ELEMENT": element, "ORDER": f"({self.order})"}


def kernel_by_order(job: Job, records: Records, file: str, name: str, last: bool, **macros: str | int) -> Kernel:
    """Return a kernel that compares keys.

    Raises
    ------
    ValueError
        The order of a user is no expression.
    """
    try:
        return job.device.kernel(file, name, **records.order_macros(last), **macros)
    except DeviceError as error:
        if records.order is None or not isinstance(error.__cause__, KernelBuildError):
            raise
        raise ValueError(f"order: {records.order!r} is no OpenCL C expression:\n{error}") from error


@dataclass(frozen=True)
class Columns:
    """Buffers of records; there is no buffer of what is not carried, or not wanted."""

    keys: Memory | None
    values: Memory | None = None


@dataclass(frozen=True)
class Pass:
    """One way of all records from buffers to others.

    Attributes
    ----------
    buffers : tuple of pyopencl.Buffer or pyopencl.SVM
        The keys and values that are read, and the keys and values that are written.
    numbered : numpy.uint32
        1 if each key gets its own index to carry.
    keeps_keys : numpy.uint32
        1 if the keys are written.
    is_last : bool
    """

    buffers: tuple[Memory, Memory, Memory, Memory]
    numbered: np.uint32
    keeps_keys: np.uint32
    is_last: bool


class Sorting:
    """Records on their way from one pair of buffers to another, in as many passes as it takes.

    Parameters
    ----------
    job : Job
    records : Records
    n : int
        At least one.
    source, target : Columns
        May share buffers, column by column.
    """

    def __init__(self, job: Job, records: Records, n: int, source: Columns, target: Columns) -> None:
        self.job, self.records, self.n = job, records, n
        self.source, self._target = source, target

    def run(self, count: int, queue: Callable[[int, Pass], None]) -> None:
        """Queue passes, at least one.

        Every other one writes the target, the last one among them, and the others write buffers of their own.
        """
        records = self.records
        other = Columns(*(self._scratch(dtype) if count > 1 else None for dtype in (records.keys, records.carried)))
        target = self._target
        if target.keys is None and count > 2:  # the keys' own way, though they are not wanted at its end
            target = Columns(self._scratch(records.keys), target.values)
        read = self._apart(other) if count % 2 else self.source
        for number in range(count):
            is_first, is_last = number == 0, number == count - 1
            written = other if (count - 1 - number) % 2 else target
            keeps_keys = not (is_last and records.are_numbered)
            assert read.keys is not None
            some = written.values if written.keys is None else written.keys  # stands for what is not touched
            assert some is not None
            buffers = (read.keys, read.values or read.keys, written.keys or some, written.values or some)
            numbered = records.are_numbered and is_first
            queue(number, Pass(buffers, np.uint32(numbered), np.uint32(keeps_keys), is_last))
            read = written

    def copy_keys(self) -> None:
        """Queue a copy of keys that carry nothing, and that are sorted."""
        source, target = self.source.keys, self._target.keys
        assert source is not None
        assert target is not None
        if source is not target:
            self.job.copy(target, 0, source, 0, self.n * self.records.keys.itemsize)

    def _apart(self, other: Columns) -> Columns:
        """Return what the first of an odd number of passes reads: not what it writes."""
        source, target, records = self.source, self._target, self.records
        columns: list[Memory | None] = []
        for read, written, free, dtype in (
            (source.keys, target.keys, other.keys, records.keys),
            (source.values, target.values, other.values, records.carried),
        ):
            if read is not None and read is written:
                copy = free or self._scratch(dtype)
                assert copy is not None
                assert dtype is not None
                self.job.copy(copy, 0, read, 0, self.n * dtype.itemsize)
                columns.append(copy)
            else:
                columns.append(read)
        return Columns(*columns)

    def _scratch(self, dtype: np.dtype[Any] | None) -> cl.Buffer | None:
        return None if dtype is None else self.job.allocate(self.n, dtype)
