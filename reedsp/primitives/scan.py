"""Reductions, scans (prefix sums), segmented scans and compactions (thesis sections 4.2, 5.4.1 and 5.4.2).

A public function checks its arguments, makes a plan and queues it. A plan is a list of bound kernels, which can be
queued again and again for other contents of the same buffers.
"""

from __future__ import annotations

import dataclasses
import functools
import sys
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pyopencl as cl

from reedsp.device.arrays import DeviceArrays, HostArrays, are_on_device, check_output, overlap, vector
from reedsp.device.build import KernelBuildError
from reedsp.device.device import BoundKernel, Device, DeviceError, Job, Kernel, get_device, round_up
from reedsp.device.dispatch import even
from reedsp.device.selfcheck import is_trusted
from reedsp.primitives.known_scan import known_scan
from reedsp.primitives.operators import C_TYPES, OPERATORS, Operator, identity_of, operator_macros, resolve
from reedsp.system.options import check_method
from reedsp.typing import ChunkedMethod, OperatorName, ScanMethod

_CHUNKED = ("fast", "work-group", "work-item")
_METHODS = (*_CHUNKED, "blelloch", "naive")
_FORMS = ("work-item", "work-group")  # that can do whatever "fast" has to

# Of the array with a known answer.
_KNOWN = 3 * (1 << 14) + 5  # elements
_FEW_CHUNKS = 5  # so that each has several tiles
_SHORT_CHUNK = 1 << 12  # so that there are several spans

_QUAD = 4  # elements, as in cl/primitives/quads.cl
_GROUP_SIZE = 256
_ROWS = {4: 8, 8: 4, 16: 2}  # by bytes of an item
_ROWS_OF_COMPACTION = 4
_GROUPS_PER_COMPUTE_UNIT = 32
_BLELLOCH_GROUP_SIZE = 128
_PLAIN_GROUP_SIZE = 256  # of kernels without local memory
_CHUNK = 1 << 22  # elements that a work-item scans in one launch: some milliseconds
_SHORTEST_CHUNK = 1 << 14  # below, a second work-item costs more than it gains
_FIRST_CHUNK_SHARE = 0.5  # of the others: a sum takes about half the time of a scan
_LINE = 64  # elements: no two work-items write to one cache line

_MARK_DTYPES = (np.dtype(np.bool_), np.dtype(np.uint8), np.dtype(np.int8))
_PLACE_DTYPES = tuple(dtype for dtype in C_TYPES if dtype.kind in "iu")
_VALUE_TYPES = {1: "uchar", 2: "ushort", 4: "uint", 8: "ulong"}

Compaction = Literal["values", "places"]


@dataclass(frozen=True)
class Elements:
    """What ``cl/primitives/elements.cl`` is built for.

    Attributes
    ----------
    operator : Operator
    dtype : dtype
        Of the elements that are joined.
    built_in : bool
        Whether the operator is one of ours, whose expressions hold for vectors, too.
    exclusive, segmented : bool
    compaction : {"values", "places"}, optional
    value_type : str, optional
        OpenCL C type of what is read and written, if it is not that of the elements.
    """

    operator: Operator
    dtype: np.dtype[Any]
    built_in: bool
    exclusive: bool = False
    segmented: bool = False
    compaction: Compaction | None = None
    value_type: str | None = None

    @property
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
        }

    @property
    def item_bytes(self) -> int:
        """Size of an ``Item``."""
        return self.dtype.itemsize * (1 + self.segmented)


@dataclass(frozen=True)
class Buffers:
    """What a plan reads and writes; a plain scan reads no marks, and any buffer will do for them.

    Attributes
    ----------
    x, marks, out : pyopencl.Buffer
        As in ``cl/primitives/elements.cl``.
    total : pyopencl.Buffer
        One element: the join of all. Written by the methods that scan chunks only.
    """

    x: cl.Buffer
    marks: cl.Buffer
    out: cl.Buffer
    total: cl.Buffer


Plan = list[BoundKernel]
"""Kernels to queue, in this order."""


# ---- public functions -------------------------------------------------------------------------------


def reduce(
    x: Any,
    op: OperatorName | Operator = "add",
    *,
    method: ChunkedMethod = "fast",
    device: Device | int | str | None = None,
) -> Any:
    """Join all elements of an array, in their order.

    The parallel left fold of thesis section 4.2.1 (Algorithm 7): each work-group joins a chunk in a tree that keeps
    the order of the elements, so that the operator has to be associative but need not be commutative.

    Parameters
    ----------
    x : array_like or pyopencl.array.Array, shape (n,)
        Elements of type int32, uint32, int64, uint64, float32 or float64.
    op : {"add", "min", "max"} or Operator
        Sums of integers wrap around, as ``numpy.sum(x, dtype=x.dtype)`` does. The least or greatest of NaN and
        anything is NaN.
    method : {"fast", "work-group", "work-item"}
        One work-group a chunk, or one work-item a chunk; "fast" takes the second on CPUs and the first elsewhere.
    device : Device, int or str, optional
        As for :func:`reedsp.sssp`. Arrays of pyopencl are worked on by the device of their queue.

    Returns
    -------
    numpy number, or pyopencl.array.Array of shape (1,)
        The identity of `op` if `x` is empty. For an array of pyopencl the result stays on the device, and nothing
        waits. Results of floats are the same bits in every run on one device.

    Raises
    ------
    TypeError, ValueError
        An argument is wrong; the message names it.
    DeviceError, DeviceMemoryError
        The device cannot do it.

    Examples
    --------
    >>> import reedsp
    >>> int(reedsp.reduce([3, 1, 2], "max"))
    3
    """
    x = _elements_of(x)
    elements = _elements(op, x.dtype)
    check_method(method, _CHUNKED)
    if x.size == 0 and isinstance(x, np.ndarray):
        return identity_of(resolve(op, x.dtype), x.dtype)
    arrays = _open(device, elements, method, x=x)
    result = arrays.empty(1, x.dtype)
    total = arrays.write(result)
    arrays.run(plan_reduce(arrays.job, elements, arrays.read(x), total, x.size, method))
    arrays.finish(total, result)
    return result[0] if isinstance(result, np.ndarray) else result


def inclusive_scan(
    x: Any,
    op: OperatorName | Operator = "add",
    method: ScanMethod = "fast",
    *,
    out: Any = None,
    device: Device | int | str | None = None,
) -> Any:
    """Join each element of an array with all elements before it: prefix sums, prefix minimums and the like.

    Thesis section 4.2.

    Parameters
    ----------
    x : array_like or pyopencl.array.Array, shape (n,)
        Elements of type int32, uint32, int64, uint64, float32 or float64.
    op : {"add", "min", "max"} or Operator
        Sums of integers wrap around, as ``numpy.cumsum(x, dtype=x.dtype)`` does. The least or greatest of NaN and
        anything is NaN.
    method : {"fast", "blelloch", "naive", "work-group", "work-item"}
        "blelloch" is the work-efficient scan of Algorithms 9 to 11, "naive" that of Algorithm 8. The others first
        reduce chunks of the elements and then scan them (section 4.2.3), with one work-group or one work-item a
        chunk; "fast" takes the second on CPUs and the first elsewhere.
    out : array like `x`, optional
        Where to store the result, of the same type and length. It may be `x` itself, but must not overlap it otherwise.
    device : Device, int or str, optional
        As for :func:`reedsp.sssp`. Arrays of pyopencl are worked on by the device of their queue.

    Returns
    -------
    ndarray or pyopencl.array.Array, shape (n,), of the type of `x`
        `out` if it was given. For an array of pyopencl the result stays on the device, and nothing waits. Results of
        floats are the same bits in every run on one device.

    Raises
    ------
    TypeError, ValueError
        An argument is wrong; the message names it.
    DeviceError, DeviceMemoryError
        The device cannot do it.

    Examples
    --------
    >>> import reedsp
    >>> reedsp.inclusive_scan([3, 1, 2])
    array([3, 4, 6])
    """
    return _scan(x, None, op, method, False, out, device)


def exclusive_scan(
    x: Any,
    op: OperatorName | Operator = "add",
    method: ScanMethod = "fast",
    *,
    out: Any = None,
    device: Device | int | str | None = None,
) -> Any:
    """Join all elements of an array before each one; the first result is the identity of `op`.

    Parameters, returns and errors are those of :func:`inclusive_scan`.

    Examples
    --------
    >>> import reedsp
    >>> reedsp.exclusive_scan([3, 1, 2])
    array([0, 3, 4])
    """
    return _scan(x, None, op, method, True, out, device)


def segmented_scan(
    x: Any,
    heads: Any,
    op: OperatorName | Operator = "add",
    method: ScanMethod = "fast",
    *,
    exclusive: bool = False,
    out: Any = None,
    device: Device | int | str | None = None,
) -> Any:
    """Scan each segment of an array by itself (thesis section 5.4.1).

    Parameters
    ----------
    x : array_like or pyopencl.array.Array, shape (n,)
        As for :func:`inclusive_scan`.
    heads : array_like or pyopencl.array.Array
        Where segments begin: either n booleans (or bytes, not 0 at the first element of a segment), or places from 0 to
        n in integers of 32 or 64 bits, such as the ``indptr`` of a sparse matrix. The first element always begins
        one. A place that comes twice is an empty segment, and so is n. In an array of pyopencl other places
        are ignored.
    op, method, out, device
        As for :func:`inclusive_scan`.
    exclusive : bool
        Leave out the element itself; the result at each head is the identity of `op`.

    Returns
    -------
    ndarray or pyopencl.array.Array, shape (n,), of the type of `x`
        As for :func:`inclusive_scan`.

    Raises
    ------
    TypeError, ValueError
        An argument is wrong; the message names it.
    DeviceError, DeviceMemoryError
        The device cannot do it.

    Examples
    --------
    >>> import reedsp
    >>> reedsp.segmented_scan([3, 1, 2, 5, 4], [0, 2], "min")
    array([3, 1, 2, 2, 2])
    """
    if heads is None:
        raise TypeError("heads: an array is expected, got None")
    return _scan(x, heads, op, method, exclusive, out, device)


def compact(x: Any, mask: Any, *, method: ChunkedMethod = "fast", device: Device | int | str | None = None) -> Any:
    """Collect the elements that a mask selects, in their order, by a scan of the mask (thesis section 5.4.2).

    Parameters
    ----------
    x : array_like or pyopencl.array.Array, shape (n,)
        Elements of any type of 1, 2, 4 or 8 bytes.
    mask : array_like or pyopencl.array.Array, shape (n,)
        Booleans (or bytes, where not 0 means True).
    method : {"fast", "work-group", "work-item"}
        As for :func:`inclusive_scan`.
    device : Device, int or str, optional
        As for :func:`reedsp.sssp`. Arrays of pyopencl are worked on by the device of their queue.

    Returns
    -------
    ndarray
        The selected elements, ``x[mask]``.
    or pair of pyopencl.array.Array, of shapes (n,) and (1,)
        For arrays of pyopencl: an array that begins with the selected elements, and how many they are, since nothing
        waits until that is known. The rest of the first one is undefined.

    Raises
    ------
    TypeError, ValueError
        An argument is wrong; the message names it.
    DeviceError, DeviceMemoryError
        The device cannot do it.

    Examples
    --------
    >>> import reedsp
    >>> reedsp.compact([3, 1, 2, 5], [True, False, False, True])
    array([3, 5])
    """
    x = vector("x", x)
    if x.dtype.hasobject or x.dtype.itemsize not in _VALUE_TYPES:
        raise TypeError(f"x: elements of 1, 2, 4 or 8 bytes are expected, got {x.dtype}")
    return _compact(x, mask, x.dtype, "values", method, device)


def compact_indices(mask: Any, *, method: ChunkedMethod = "fast", device: Device | int | str | None = None) -> Any:
    """Collect the places of the True in a mask, in ascending order.

    Parameters and errors are those of :func:`compact`.

    Returns
    -------
    ndarray of int64
        ``numpy.flatnonzero(mask)``.
    or pair of pyopencl.array.Array, of shapes (n,) and (1,)
        For an array of pyopencl, as :func:`compact` returns them; the places are int32 if n is below 2^31, else int64.

    Examples
    --------
    >>> import reedsp
    >>> reedsp.compact_indices([True, False, False, True])
    array([0, 3])
    """
    on_device = are_on_device({"mask": mask})
    small = len(mask) < 1 << 31 if on_device else False
    return _compact(None, mask, np.dtype(np.int32 if small else np.int64), "places", method, device)


# ---- arguments --------------------------------------------------------------------------------------


def _scan(x: Any, heads: Any, op: str | Operator, method: str, exclusive: bool, out: Any, device: Any) -> Any:
    x = _elements_of(x)
    elements = dataclasses.replace(_elements(op, x.dtype), exclusive=exclusive, segmented=heads is not None)
    if op == "add" and x.dtype.kind == "f" and not exclusive:  # 0.0 + -0.0 is 0.0, as if there had been another element
        elements = dataclasses.replace(elements, operator=dataclasses.replace(elements.operator, identity=-0.0))
    check_method(method, _METHODS)
    if heads is not None:
        heads = _heads_of(heads, x.size)
    if out is not None:
        check_output("out", out, x)
    on_device = are_on_device({"x": x, "heads": heads, "out": out})
    if heads is not None and out is not None and overlap(heads, out):
        heads = heads.copy()
    if x.size == 0 and not on_device:
        return np.empty_like(x) if out is None else out
    arrays = _open(device, elements, method, x=x, heads=heads, out=out)
    result = arrays.empty(x.size, x.dtype) if out is None else out
    source, target = arrays.read_and_write(x, result)
    marks = source if heads is None else _marks(arrays, heads, x.size)
    total = arrays.job.allocate(1, x.dtype)
    arrays.run(plan_scan(arrays.job, elements, Buffers(source, marks, target, total), x.size, method))
    return arrays.finish(target, result)


def _compact(x: Any, mask: Any, dtype: np.dtype[Any], compaction: Compaction, method: str, device: Any) -> Any:
    mask = vector("mask", mask)
    if mask.dtype not in _MARK_DTYPES:
        raise TypeError(f"mask: booleans or bytes are expected, got {mask.dtype}")
    if x is not None and x.shape != mask.shape:
        raise ValueError(f"mask: it has {mask.size} elements, but x has {x.size}")
    check_method(method, _CHUNKED)
    n = mask.size
    on_device = are_on_device({"mask": mask, "x": x})
    if n == 0 and not on_device:
        return np.empty(0, dtype)
    count_dtype = np.dtype(np.uint32 if n < 1 << 32 else np.uint64)
    elements = dataclasses.replace(
        _elements("add", count_dtype), compaction=compaction, value_type=_VALUE_TYPES[dtype.itemsize]
    )
    arrays = _open(device, elements, method, mask=mask, x=x)
    marks = arrays.read(mask)
    source = marks if x is None else arrays.read(x)
    if isinstance(arrays, DeviceArrays):
        collected, count = arrays.empty(n, dtype), arrays.empty(1, count_dtype)
        target, total = arrays.write(collected), arrays.write(count)
    else:
        target, total = arrays.job.allocate(n, dtype), arrays.job.allocate(1, count_dtype)
    arrays.run(plan_scan(arrays.job, elements, Buffers(source, marks, target, total), n, method))
    if isinstance(arrays, DeviceArrays):
        return arrays.finish(target, collected), arrays.finish(total, count)
    selected = int(arrays.job.download(total, 1, count_dtype)[0])
    return arrays.job.download(target, selected, dtype)


def _elements_of(x: Any) -> Any:
    x = vector("x", x)
    if x.dtype not in C_TYPES:
        raise TypeError(f"x: elements of type {', '.join(map(str, C_TYPES))} are expected, got {x.dtype}")
    return x


def _elements(op: str | Operator, dtype: np.dtype[Any]) -> Elements:
    if isinstance(op, str) and op == "add" and dtype.kind == "i":
        # Signed sums that overflow are undefined in OpenCL C; the same bits as unsigned numbers wrap, as numpy's do.
        dtype = np.dtype(f"u{dtype.itemsize}")
    return Elements(resolve(op, dtype), dtype, built_in=isinstance(op, str))


def _heads_of(heads: Any, n: int) -> Any:
    heads = vector("heads", heads)
    if heads.size == 0 and isinstance(heads, np.ndarray):
        return np.zeros(n, np.uint8)
    if heads.dtype in _MARK_DTYPES:
        if heads.size != n:
            raise ValueError(f"heads: {heads.size} of {heads.dtype}, but x has {n} elements")
        return heads
    if heads.dtype not in _PLACE_DTYPES:
        raise TypeError(f"heads: booleans, or places in integers of 32 or 64 bits are expected, got {heads.dtype}")
    if isinstance(heads, np.ndarray):
        wrong = (heads < 0) | (heads > n)
        if wrong.any():
            position = int(wrong.argmax())
            raise ValueError(f"heads[{position}] = {heads[position]} is no place from 0 to {n}")
    return heads


def _marks(arrays: HostArrays | DeviceArrays, heads: Any, n: int) -> cl.Buffer:
    """Return one byte an element, not 0 where a segment begins."""
    if heads.dtype in _MARK_DTYPES:
        return arrays.read(heads)
    if isinstance(heads, np.ndarray):
        marks = np.zeros(n + 1, np.uint8)
        marks[heads] = 1
        return arrays.read(marks)
    job = arrays.job
    words = -(-n // 4)
    size = min(_PLAIN_GROUP_SIZE, job.device.max_work_group_size)
    buffer = job.allocate(words, np.uint32)
    clear, mark = (
        job.device.kernel("primitives/heads.cl", name, PLACE=C_TYPES[heads.dtype]) for name in ("clear", "mark_heads")
    )
    job.launch(clear, words, size, buffer, np.uint64(words))
    job.launch(mark, heads.size, size, arrays.read(heads), buffer, np.uint64(heads.size), np.uint64(n))
    return buffer


def _open(device: Any, elements: Elements, method: str, **given: Any) -> HostArrays | DeviceArrays:
    if are_on_device(given):
        return DeviceArrays(given, device)
    chosen = get_device(device)
    # The other forms read vectors, at places that are multiples of their size.
    return HostArrays(
        chosen, borrow=chosen.kind == "cpu" and _trusted_form(chosen, elements, method, None) == "work-item"
    )


# ---- plans ------------------------------------------------------------------------------------------


def plan_reduce(
    job: Job,
    elements: Elements,
    x: cl.Buffer,
    total: cl.Buffer,
    n: int,
    method: str = "fast",
    group_size: int | None = None,
) -> Plan:
    """Plan to join the first n elements of a buffer into one (section 4.2.1, Algorithm 7).

    `group_size` is the number of work-items of a work-group, if it is not to be the one that measured best.
    """
    form = _trusted_form(job.device, elements, method, group_size)
    return _plan_reduce(job, elements, x, total, n, form, group_size)


def _plan_reduce(
    job: Job, elements: Elements, x: cl.Buffer, total: cl.Buffer, n: int, form: str, group_size: int | None
) -> Plan:
    if form == "work-item":
        size, multiple, limit = 1, 1, min(job.device.compute_units, -(-n // _SHORTEST_CHUNK))
        kernel = _kernel(job, elements, "primitives/work_item_scan.cl", "reduce_chunks", VECTORS=int(elements.built_in))
    else:
        size, macros, multiple = _tiling(job.device, elements, group_size)
        limit = _GROUPS_PER_COMPUTE_UNIT * job.device.compute_units
        kernel = _kernel(job, elements, "primitives/reduce.cl", "reduce_chunks", **macros)
    chunk, chunks = _chunks(n, multiple, limit)
    if chunks == 1:
        return [job.bind(kernel, size, size, x, x, total, np.uint64(chunk), np.uint64(n))]
    sums = job.allocate(chunks * elements.item_bytes, np.uint8)
    whole = np.uint64(round_up(chunks, multiple))
    return [
        job.bind(kernel, chunks * size, size, x, x, sums, np.uint64(chunk), np.uint64(n)),
        job.bind(kernel, size, size, sums, sums, total, whole, np.uint64(chunks)),
    ]


def plan_scan(
    job: Job, elements: Elements, buffers: Buffers, n: int, method: str = "fast", group_size: int | None = None
) -> Plan:
    """Plan to scan the first n elements of a buffer, or to collect some of them.

    `group_size` is the number of work-items of a work-group, if it is not to be the one that measured best.
    """
    form = _trusted_form(job.device, elements, method, group_size)
    return _plan_scan(job, elements, buffers, n, form, group_size)


def _plan_scan(
    job: Job,
    elements: Elements,
    buffers: Buffers,
    n: int,
    form: str,
    group_size: int | None,
    most_chunks: int | None = None,
    longest_chunk: int | None = None,
) -> Plan:
    if form == "blelloch":
        return _plan_blelloch(job, elements, buffers, n, group_size)
    if form == "naive":
        return _plan_naive(job, elements, buffers, n)
    if form == "work-item":
        return _plan_work_item(job, elements, buffers, n, longest_chunk or _CHUNK)
    return _plan_work_group(job, elements, buffers, n, group_size, most_chunks)


def _plan_work_group(
    job: Job, elements: Elements, buffers: Buffers, n: int, group_size: int | None, most_chunks: int | None
) -> Plan:
    """Reduce, then scan: one work-group a chunk (cl/primitives/work_group_scan.cl)."""
    size, macros, tile = _tiling(job.device, elements, group_size)
    chunk, chunks = _chunks(n, tile, most_chunks or _GROUPS_PER_COMPUTE_UNIT * job.device.compute_units)
    sums = job.allocate(chunks * elements.item_bytes, np.uint8)
    numbers = (np.uint64(chunk), np.uint64(n))
    plan = []
    if chunks > 1:
        reduction = _kernel(job, elements, "primitives/work_group_scan.cl", "reduce_chunks", **macros)
        plan.append(job.bind(reduction, chunks * size, size, buffers.x, buffers.marks, sums, *numbers))
    scan = _kernel(job, elements, "primitives/work_group_scan.cl", "scan_chunks", **macros)
    results = (buffers.out, buffers.total)
    plan.append(job.bind(scan, chunks * size, size, buffers.x, buffers.marks, sums, *results, *numbers))
    return plan


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
        _kernel(job, elements, "primitives/work_item_scan.cl", name, VECTORS=vectors)
        for name in ("scan_first_chunk", "scan_other_chunks")
    )
    sums = job.allocate(chunks * elements.item_bytes, np.uint8)
    arrays = (buffers.x, buffers.marks, sums, buffers.out, buffers.total)
    lengths = (np.uint64(first_length), np.uint64(length), np.uint64(n))
    plan = []
    for base in range(0, max(1, n), span):
        whole = even(0, chunks, 1, min(span, n - base) // 2, sys.maxsize)
        plan.append(job.bind(first, chunks, 1, *arrays, np.uint64(base), *lengths, slices=whole))
        if chunks > 1 and base + first_length < n:
            plan.append(job.bind(others, chunks, 1, *arrays, np.uint64(base), *lengths, slices=whole))
    return plan


def _plan_blelloch(job: Job, elements: Elements, buffers: Buffers, n: int, group_size: int | None) -> Plan:
    """Scan segments in local memory, the segment sums likewise, and add these (Algorithms 10 and 11)."""
    if group_size is None:
        largest = min(_BLELLOCH_GROUP_SIZE, job.device.max_work_group_size)
        group_size = 1 << largest.bit_length() - 1
    segment = 2 * group_size * _QUAD
    marks = buffers.marks

    def level(x: cl.Buffer, out: cl.Buffer, count: int, of_sums: bool) -> Plan:
        def bind(name: str, *args: cl.Buffer) -> BoundKernel:
            macros = {"GROUP_SIZE": group_size, "OF_SUMS": int(of_sums)}
            kernel = _kernel(job, elements, "primitives/blelloch_scan.cl", name, **macros)
            return job.bind(kernel, segments * group_size, group_size, *args, np.uint64(count))

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

    def bind(name: str, *args: cl.Buffer | np.generic) -> BoundKernel:
        return job.bind(
            _kernel(job, elements, "primitives/naive_scan.cl", name),
            n,
            min(_PLAIN_GROUP_SIZE, job.device.max_work_group_size),
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


def _preferred_form(device: Device, method: str) -> str:
    if method == "fast":
        return "work-item" if device.kind == "cpu" else "work-group"
    return method


def _tiling(device: Device, elements: Elements, group_size: int | None) -> tuple[int, dict[str, str | int], int]:
    """Return the work-group size, the macros of ``cl/primitives/reduce.cl`` and the elements of a tile."""
    size = group_size or min(_GROUP_SIZE, device.max_work_group_size)
    rows = _ROWS[elements.item_bytes] if elements.compaction is None else _ROWS_OF_COMPACTION
    return size, {"GROUP_SIZE": size, "ROWS": rows}, size * rows * _QUAD


def _chunks(n: int, multiple: int, limit: int) -> tuple[int, int]:
    """Return the elements of a chunk and the number of chunks, at least one and at most `limit`."""
    chunk = max(1, round_up(-(-n // max(1, limit)), multiple))
    return chunk, max(1, -(-n // chunk))


def _kernel(job: Job, elements: Elements, file: str, name: str, **macros: str | int) -> Kernel:
    try:
        return job.device.kernel(file, name, **elements.macros, **macros)
    except DeviceError as error:
        if elements.built_in or not isinstance(error.__cause__, KernelBuildError):
            raise
        raise ValueError(f"op: {elements.operator.expression!r} is no OpenCL C expression:\n{error}") from error


# ---- trust ------------------------------------------------------------------------------------------


def _trusted_form(device: Device, elements: Elements, method: str, group_size: int | None) -> str:
    """Return the form of scan that a method stands for; for "fast" the quickest one that gives right answers here.

    Raises
    ------
    DeviceError
        None of them does.
    """
    preferred = _preferred_form(device, method)
    if elements.dtype == np.float64 and not device.fp64:
        return preferred  # which cannot be built, and says why
    forms = [preferred]
    if method == "fast":
        forms += [each for each in _FORMS if each != preferred]
    for form in forms:
        name = f"the {_described(elements)} in {form} form" + ("" if group_size is None else f", {group_size} together")
        if is_trusted(device, name, functools.partial(_is_right, device, elements, form, group_size)):
            return form
    raise DeviceError(f"{device}: the {_described(elements)} gives wrong answers, or fails")


def _described(elements: Elements) -> str:
    """Return what is scanned, by all that decides which kernels do it but the operators of users.

    What these make of numbers is not known here, so that sums stand for them.
    """
    if elements.compaction is not None:
        return f"compaction of {elements.value_type} by {elements.compaction} and {elements.dtype}"
    kind = "segmented scan" if elements.segmented else "scan"
    op = _name_of(elements) if elements.built_in else "an operator"
    return f"{kind} of {elements.dtype} by {op}, {'exclusive' if elements.exclusive else 'inclusive'},"


def _name_of(elements: Elements) -> str:
    """Return the name of a built-in operator."""
    names = (name for name in OPERATORS if resolve(name, elements.dtype) == elements.operator)
    return next(names)


def _is_right(device: Device, elements: Elements, form: str, group_size: int | None) -> bool:
    """Return whether scans and reductions, or compactions, of several tiles, chunks and a rest are those of numpy."""
    if device.shares_queue:  # on which nothing waits
        device = Device(device.index, device.handle)
    if not elements.built_in:
        elements = dataclasses.replace(elements, operator=resolve("add", elements.dtype))
    if elements.compaction is not None:
        return _is_right_compaction(Job(device), elements, form, group_size)
    job, dtype = Job(device), elements.dtype
    op = _name_of(elements)
    known = known_scan(dtype, op, elements.operator.identity, elements.segmented, _KNOWN)
    x, out, total = job.upload(known.x), job.allocate(_KNOWN, dtype), job.allocate(1, dtype)
    buffers = Buffers(x, job.upload(known.heads), out, total)
    for kernel in _plan_scan(job, elements, buffers, _KNOWN, form, group_size, _FEW_CHUNKS, _SHORT_CHUNK):
        kernel.queue()
    expected = known.exclusive if elements.exclusive else known.inclusive
    if not np.array_equal(job.download(out, _KNOWN, dtype), expected):
        return False
    if form not in _CHUNKED or elements.segmented or elements.exclusive:
        return True
    for kernel in _plan_reduce(job, elements, x, total, _KNOWN, form, group_size):
        kernel.queue()
    return bool(job.download(total, 1, dtype)[0] == known.inclusive[-1])


def _is_right_compaction(job: Job, elements: Elements, form: str, group_size: int | None) -> bool:
    rng = np.random.default_rng(2012)
    marks = (rng.random(_KNOWN) < rng.random(_KNOWN)).astype(np.uint8)
    [size] = (size for size, name in _VALUE_TYPES.items() if name == elements.value_type)
    x = rng.integers(0, 256, _KNOWN * size, np.uint8).view(f"u{size}")
    places = np.flatnonzero(marks)
    expected = x[places] if elements.compaction == "values" else places.astype(x.dtype)
    out, total = job.allocate(_KNOWN, x.dtype), job.allocate(1, elements.dtype)
    buffers = Buffers(job.upload(x), job.upload(marks), out, total)
    for kernel in _plan_scan(job, elements, buffers, _KNOWN, form, group_size, _FEW_CHUNKS, _SHORT_CHUNK):
        kernel.queue()
    right = np.array_equal(job.download(out, len(places), x.dtype), expected)
    return right and int(job.download(total, 1, elements.dtype)[0]) == len(places)
