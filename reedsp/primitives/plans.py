"""How reductions, scans and compactions are computed: kernels with their arguments, to be queued one after the other.

A plan can be queued again and again for other contents of the same buffers.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from reedsp.arithmetic.types import C_TYPES, unsigned
from reedsp.device.build import KernelBuildError, constants
from reedsp.device.device import Device, Program
from reedsp.device.dispatch import even
from reedsp.device.errors import DeviceError
from reedsp.device.job import Argument, BoundKernel, Job, Kernel, Memory, round_up
from reedsp.primitives.operators import Operator, operator_macros

CHUNKED = ("work-group", "work-item")
"""The forms that reduce chunks of the elements, and then scan them."""

_GROUP_SIZE = 256
_ROWS = {4: 8, 8: 4, 16: 2}  # by bytes of an item
_ROWS_OF_COMPACTION = 4
_ROWS_OF_SINGLE_PASS = 12
_GROUPS_PER_COMPUTE_UNIT = 32
_BLELLOCH_GROUP_SIZE = 128
_CHUNK = 1 << 22  # elements that a work-item scans in one launch: some milliseconds
_SHORTEST_CHUNK = 1 << 14  # below, a second work-item costs more than it gains
_FIRST_CHUNK_SHARE = 0.5  # of the others: a sum takes about half the time of a scan
_ITEM_OF_WORD = 4  # bytes
_LOOKS = 64  # for a word that is missing
_LINE = 64  # elements: no two work-items write to one cache line

VALUE_TYPES = {size: C_TYPES[unsigned(size)] for size in (1, 2, 4, 8)}
"""Of what is collected, in OpenCL C, by bytes."""

PLAIN_GROUP_SIZE = 256
"""Work-items of a work-group, for kernels without local memory."""

SHORTEST_SINGLE_PASS = 1 << 23
"""Elements, from which on a single pass takes less time."""

Compaction = Literal["values", "places"]


@dataclass(frozen=True)
class Elements:
    """What ``cl/primitives/elements.cl`` is built for.

    Attributes
    ----------
    operator : Operator
    dtype : dtype
        Of the elements that are combined.
    built_in : bool
        Whether the operator is one of ours, whose expressions hold for vectors, too.
    exclusive, segmented : bool
    compaction : {"values", "places"}, optional
    value_type : str, optional
        OpenCL C type of what is read and written, if it is not that of the elements.
    counted : bool
        Whether the device alone knows how many there are; for scans in a form of :data:`CHUNKED`.
    """

    operator: Operator
    dtype: np.dtype[Any]
    built_in: bool
    exclusive: bool = False
    segmented: bool = False
    compaction: Compaction | None = None
    value_type: str | None = None
    counted: bool = False

    @functools.cached_property
    def macros(self) -> dict[str, str | int]:
        """The macros of ``cl/primitives/elements.cl``."""
        return {
            **operator_macros(self.operator, self.dtype),
            "COMMUTATIVE": int(self.operator.commutative and not self.segmented),
            "EXCLUSIVE": int(self.exclusive),
            "SEGMENTED": int(self.segmented),
            "COMPACTION": {None: 0, "values": 1, "places": 2}[self.compaction],
            "VALUE": self.value_type or C_TYPES[self.dtype],
            "MARK": "uchar",
            "COUNTED": int(self.counted),
        }

    def program(self, file: str, **macros: str | int) -> Program:
        """Return what is built of a file for these elements; it is put together once."""
        key = (file, *macros.items())
        if (program := self._programs.get(key)) is None:
            program = self._programs[key] = file, tuple(sorted({**self.macros, **macros}.items()))
        return program

    @functools.cached_property
    def _programs(self) -> dict[tuple[Any, ...], Program]:
        return {}

    @property
    def item_bytes(self) -> int:
        """Size of an ``Item``."""
        return self.dtype.itemsize * (1 + self.segmented)


@dataclass(frozen=True)
class Buffers:
    """What a plan reads and writes; a plain scan reads no marks, and any buffer will do for them.

    Attributes
    ----------
    x, marks, out : pyopencl.Buffer or pyopencl.SVM
        As in ``cl/primitives/elements.cl``.
    total : pyopencl.Buffer or pyopencl.SVM
        One element: all combined. Written by the methods that scan chunks only.
    count : pyopencl.Buffer, optional
        One uint32, of counted elements: how many there are, of as many as the plan is made for.
    """

    x: Memory
    marks: Memory
    out: Memory
    total: Memory
    count: Memory | None = None

    def length(self, n: int) -> Memory | np.uint64:
        """Return what tells a scan how many elements there are, at most `n`."""
        return np.uint64(n) if self.count is None else self.count


Plan = list[BoundKernel]
"""Kernels to queue, in this order."""


def reduce_in_form(
    job: Job, elements: Elements, x: Memory, total: Memory, n: int, form: str, group_size: int | None
) -> Iterator[BoundKernel]:
    """Yield the kernels that combine the first n elements of a buffer into one, in a form of :data:`CHUNKED`."""
    if form == "work-item":
        size, multiple, limit = 1, 1, min(job.device.compute_units, -(-n // _SHORTEST_CHUNK))
        kernel = kernel_of(
            job, elements, "primitives/work_item_scan.cl", "reduce_chunks", VECTORS=int(elements.built_in)
        )
    else:
        size, macros, multiple = _tiling(job.device, elements, group_size)
        limit = _GROUPS_PER_COMPUTE_UNIT * job.device.compute_units
        kernel = kernel_of(job, elements, "primitives/reduce.cl", "reduce_chunks", **macros)
    chunk, chunks = _chunks(n, multiple, limit)
    if chunks == 1:
        yield job.bind(kernel, size, size, x, x, total, np.uint64(chunk), np.uint64(n))
        return
    sums = job.allocate(chunks * elements.item_bytes, np.uint8)
    yield job.bind(kernel, chunks * size, size, x, x, sums, np.uint64(chunk), np.uint64(n))
    whole = np.uint64(round_up(chunks, multiple))
    yield job.bind(kernel, size, size, sums, sums, total, whole, np.uint64(chunks))


def scan_in_form(
    job: Job,
    elements: Elements,
    buffers: Buffers,
    n: int,
    form: str,
    group_size: int | None,
    most_chunks: int | None = None,
    longest_chunk: int | None = None,
) -> Iterable[BoundKernel]:
    """Return the kernels that scan the first n elements of a buffer, or collect some of them, in one form."""
    if form == "blelloch":
        return _plan_blelloch(job, elements, buffers, n, group_size)
    if form == "naive":
        return _plan_naive(job, elements, buffers, n)
    if form == "work-item":
        return _plan_work_item(job, elements, buffers, n, longest_chunk or _CHUNK)
    if form == "single-pass":
        return _plan_single_pass(job, elements, buffers, n, group_size)
    return _plan_work_group(job, elements, buffers, n, group_size, most_chunks)


def _plan_work_group(
    job: Job, elements: Elements, buffers: Buffers, n: int, group_size: int | None, most_chunks: int | None
) -> Iterator[BoundKernel]:
    """Reduce, then scan: one work-group a chunk (cl/primitives/work_group_scan.cl)."""
    size, macros, tile = _tiling(job.device, elements, group_size)
    chunk, chunks = _chunks(n, tile, most_chunks or _GROUPS_PER_COMPUTE_UNIT * job.device.compute_units)
    sums = job.allocate(chunks * elements.item_bytes, np.uint8)
    numbers = (np.uint64(chunk), buffers.length(n))
    if chunks > 1:
        reduction = kernel_of(job, elements, "primitives/work_group_scan.cl", "reduce_chunks", **macros)
        yield job.bind(reduction, chunks * size, size, buffers.x, buffers.marks, sums, *numbers)
    scan = kernel_of(job, elements, "primitives/work_group_scan.cl", "scan_chunks", **macros)
    results = (buffers.out, buffers.total)
    yield job.bind(scan, chunks * size, size, buffers.x, buffers.marks, sums, *results, *numbers)


def _plan_single_pass(
    job: Job, elements: Elements, buffers: Buffers, n: int, group_size: int | None
) -> Iterator[BoundKernel]:
    """Scan in a single pass: one work-group a tile (cl/primitives/single_pass_scan.cl)."""
    size = group_size_of(job.device, "work-group", group_size)
    file = "primitives/single_pass_scan.cl"
    tiles = max(1, -(-n // (size * _ROWS_OF_SINGLE_PASS * constants(file)["QUAD"])))
    atomic_loads = int(not job.device.loads_are_atomic)
    macros = {"GROUP_SIZE": size, "ROWS": _ROWS_OF_SINGLE_PASS, "ATOMIC_LOADS": atomic_loads, "LOOKS": _LOOKS}
    words = job.allocate(tiles, np.uint64)
    clear = kernel_of(job, elements, file, "clear_words", **macros)
    yield job.bind(clear, tiles, min(PLAIN_GROUP_SIZE, job.device.max_work_group_size), words, np.uint64(tiles))
    scan = kernel_of(job, elements, file, "scan_tiles", **macros)
    arrays = (buffers.x, buffers.marks, words, buffers.out, buffers.total)
    yield job.bind(scan, tiles * size, size, *arrays, np.uint64(n))


def can_pass_once(device: Device, elements: Elements) -> bool:
    """Return whether elements are such that a single pass may scan them.

    What a work-group knows of a tile has to fit a word beside an element. Compilers may round operators of users in
    one way here and in another one there.
    """
    is_plain = elements.built_in and not elements.segmented and elements.compaction is None and not elements.counted
    return is_plain and elements.dtype.itemsize == _ITEM_OF_WORD and device.kind != "cpu" and device.int64_atomics


def _plan_work_item(job: Job, elements: Elements, buffers: Buffers, n: int, longest_chunk: int) -> Plan:
    """Reduce, then scan: one work-item a chunk, span by span (cl/primitives/work_item_scan.cl)."""
    chunks = max(1, min(job.device.compute_units, n // _SHORTEST_CHUNK))
    if chunks == 1:
        first_length, length = min(longest_chunk, n), 0
    else:
        length = min(longest_chunk, round_up(int(n / (chunks + _FIRST_CHUNK_SHARE)) + 1, _LINE))
        first_length = round_up(int(_FIRST_CHUNK_SHARE * length), _LINE)
    span = max(1, first_length + chunks * length)
    vectors = int(elements.built_in and not elements.segmented and elements.compaction is None)
    first, others = (
        kernel_of(job, elements, "primitives/work_item_scan.cl", name, VECTORS=vectors)
        for name in ("scan_first_chunk", "scan_other_chunks")
    )
    sums = job.allocate(chunks * elements.item_bytes, np.uint8)
    arrays = (buffers.x, buffers.marks, sums, buffers.out, buffers.total)
    lengths = (np.uint64(first_length), np.uint64(length), buffers.length(n))
    plan = []
    for base in range(0, max(1, n), span):
        whole = even(0, chunks, 1, min(span, n - base) // 2, sys.maxsize)
        plan.append(job.bind(first, chunks, 1, *arrays, np.uint64(base), *lengths, slices=whole))
        if chunks > 1 and base + first_length < n:
            plan.append(job.bind(others, chunks, 1, *arrays, np.uint64(base), *lengths, slices=whole))
    return plan


def _plan_blelloch(job: Job, elements: Elements, buffers: Buffers, n: int, group_size: int | None) -> Plan:
    """Scan segments in local memory, the segment sums likewise, and add these (Algorithms 10 and 11)."""
    size = group_size_of(job.device, "blelloch", group_size)
    segment = 2 * size * constants("primitives/blelloch_scan.cl")["QUAD"]
    marks = buffers.marks

    def level(x: Memory, out: Memory, count: int, of_sums: bool) -> Plan:
        def bind(name: str, *args: Memory) -> BoundKernel:
            macros = {"GROUP_SIZE": size, "OF_SUMS": int(of_sums)}
            kernel = kernel_of(job, elements, "primitives/blelloch_scan.cl", name, **macros)
            return job.bind(kernel, segments * size, size, *args, np.uint64(count))

        segments = max(1, -(-count // segment))
        sums = job.allocate(segments * elements.item_bytes, np.uint8)
        first_heads = job.allocate(segments, np.uint32) if elements.segmented and not of_sums else sums
        plan = [bind("segment_sums", x, marks, out, sums, first_heads)]
        if segments > 1:
            plan += level(sums, sums, segments, of_sums=True)
            plan.append(bind("uniform_add", out, sums, first_heads))
        return plan

    return level(buffers.x, buffers.out, n, of_sums=False)


def _plan_naive(job: Job, elements: Elements, buffers: Buffers, n: int) -> Plan:
    """Join each element with the one 1, 2, 4, ... places before it (Algorithm 8)."""
    items, new_items = (job.allocate(n * elements.item_bytes, np.uint8) for _ in range(2))

    def bind(name: str, *args: Argument) -> BoundKernel:
        return job.bind(
            kernel_of(job, elements, "primitives/naive_scan.cl", name),
            n,
            min(PLAIN_GROUP_SIZE, job.device.max_work_group_size),
            *args,
            np.uint64(n),
        )

    plan = [bind("copy_elements", buffers.x, buffers.marks, items)]
    stride = 1
    while stride < n:
        plan.append(bind("add_earlier", items, new_items, np.uint64(stride)))
        items, new_items = new_items, items
        stride *= 2
    return [*plan, bind("store_prefixes", items, buffers.out)]


def group_size_of(device: Device, form: str, asked: int | None) -> int:
    """Return the work-items of a work-group: as many as were asked for, or what measured best."""
    if asked is not None or form == "work-item":
        return asked or 1
    largest = min({"blelloch": _BLELLOCH_GROUP_SIZE}.get(form, _GROUP_SIZE), device.max_work_group_size)
    return 1 << largest.bit_length() - 1 if form == "blelloch" else largest


def _tiling(device: Device, elements: Elements, group_size: int | None) -> tuple[int, dict[str, str | int], int]:
    """Return the work-group size, the macros of ``cl/primitives/reduce.cl`` and the elements of a tile."""
    size = group_size_of(device, "work-group", group_size)
    rows = _ROWS[elements.item_bytes] if elements.compaction is None else _ROWS_OF_COMPACTION
    return size, {"GROUP_SIZE": size, "ROWS": rows}, size * rows * constants("primitives/reduce.cl")["QUAD"]


def _chunks(n: int, multiple: int, limit: int) -> tuple[int, int]:
    """Return the elements of a chunk and the number of chunks, at least one and at most `limit`."""
    chunk = max(1, round_up(-(-n // max(1, limit)), multiple))
    return chunk, max(1, -(-n // chunk))


def kernel_of(job: Job, elements: Elements, file: str, name: str, **macros: str | int) -> Kernel:
    """Return a kernel for some elements.

    Raises
    ------
    ValueError
        The expression of the operator is no OpenCL C expression.
    """
    try:
        return job.device.kernel_of(elements.program(file, **macros), name)
    except DeviceError as error:
        if elements.built_in or not isinstance(error.__cause__, KernelBuildError):
            raise
        raise ValueError(f"op: {elements.operator.expression!r} is no OpenCL C expression:\n{error}") from error
