"""Reductions, scans (prefix sums), segmented scans and compactions (thesis 4.2, 5.4.1 and 5.4.2; Dulle 5.1 and 5.2).

A public function checks its arguments, makes a plan (:mod:`reedsp.primitives.plans`) and queues it.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterable
from typing import Any

import numpy as np

from reedsp.arithmetic.matrix import wrong_type
from reedsp.arithmetic.types import C_TYPES
from reedsp.device.arrays import (
    DeviceArrays,
    HostArrays,
    are_on_device,
    check_output,
    is_device_array,
    overlap,
    vector,
)
from reedsp.device.device import Device
from reedsp.device.discovery import get_device
from reedsp.device.job import BoundKernel, Job, Memory
from reedsp.primitives.operators import ELEMENT_TYPES, Operator, identity_of, resolve
from reedsp.primitives.plans import (
    CHUNKED,
    PLAIN_GROUP_SIZE,
    SHORTEST_SINGLE_PASS,
    VALUE_TYPES,
    Buffers,
    Compaction,
    Elements,
    Plan,
    reduce_in_form,
    scan_in_form,
)
from reedsp.primitives.selfcheck import passes_once, trusted_form
from reedsp.primitives.strided.selfcheck import check_tree
from reedsp.primitives.strided.trees import Shape, default_shape, plan_pairs, plan_tree_reduction, plan_tree_scan
from reedsp.system.options import check_method, flag, integer
from reedsp.typing import ChunkedMethod, InclusiveMethod, OperatorName, ReduceMethod, ScanMethod

_CHUNKED = ("fast", *CHUNKED)
_METHODS = (*_CHUNKED, "blelloch", "naive")
_REDUCTIONS = (*_CHUNKED, "naive", "dulle")
_INCLUSIVE = (*_METHODS, "dulle")
_TREES = ("naive", "dulle")
_MARK_DTYPES = (np.dtype(np.bool_), np.dtype(np.uint8), np.dtype(np.int8))
_PLACE_DTYPES = tuple(dtype for dtype in ELEMENT_TYPES if dtype.kind in "iu")


# ---- public functions -------------------------------------------------------------------------------


def reduce(
    x: Any,
    op: OperatorName | Operator = "add",
    *,
    method: ReduceMethod = "fast",
    group_size: int | None = None,
    each: int | None = None,
    device: Device | int | str | None = None,
) -> Any:
    """Join all elements of an array, in their order.

    The parallel left fold of thesis section 4.2.1 (Algorithm 7): each work-group combines a chunk in a tree that keeps
    the order of the elements, so that the operator has to be associative but need not be commutative.

    Parameters
    ----------
    x : array_like or pyopencl.array.Array, shape (n,)
        Elements of type int32, uint32, int64, uint64, float32 or float64.
    op : {"add", "min", "max"} or Operator
        Sums of integers wrap around, as ``numpy.sum(x, dtype=x.dtype)`` does. The minimum or maximum of NaN and
        anything is NaN.
    method : {"fast", "work-group", "work-item", "naive", "dulle"}
        One work-group a chunk, or one work-item a chunk; "fast" takes the second on CPUs and the first elsewhere.
        "naive" joins pairs, one launch a level, and "dulle" lets a work-group join more (Algorithms 6 to 8 of Dulle's
        thesis, section 5.1).
    group_size, each : int, optional
        Of "dulle": work-items of a work-group, and elements of each (his m and c); together at least two. 64 and 16 by
        default, the fastest in his thesis.
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
    x = elements_of(x)
    elements = _elements(op, x.dtype)
    check_method(method, _REDUCTIONS)
    sizes = _sizes(method, group_size, each)
    if x.size == 0 and isinstance(x, np.ndarray):
        return identity_of(resolve(op, x.dtype), x.dtype)
    arrays = _open(device, elements, method, x=x)
    total, deliver = arrays.reserve(1, x.dtype)
    arrays.run(_reduction(arrays.job, elements, arrays.read(x), total, x.size, method, *sizes))
    result = deliver()
    return result[0] if isinstance(result, np.ndarray) else result


def inclusive_scan(
    x: Any,
    op: OperatorName | Operator = "add",
    method: InclusiveMethod = "fast",
    *,
    group_size: int | None = None,
    each: int | None = None,
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
        Sums of integers wrap around, as ``numpy.cumsum(x, dtype=x.dtype)`` does. The minimum or maximum of NaN and
        anything is NaN.
    method : {"fast", "blelloch", "naive", "dulle", "work-group", "work-item"}
        "blelloch" is the work-efficient scan of Algorithms 9 to 11, "naive" that of Algorithm 8. "dulle" goes up and
        down a tree of work-groups in place (Algorithms 9 and 10 of Dulle's thesis, section 5.2). The others first
        reduce chunks of the elements and then scan them (section 4.2.3), with one work-group or one work-item a
        chunk; "fast" takes the second on CPUs and the first elsewhere.
    group_size, each : int, optional
        Of "dulle", as for :func:`reduce`; 256 and 8 by default.
    out : array like `x`, optional
        Where to store the result, of the same type and length, in this machine's byte order. It may be `x` itself, but
        must not overlap it otherwise.
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
    check_method(method, _INCLUSIVE)
    return _scan(x, None, op, method, False, out, device, _sizes(method, group_size, each))


def exclusive_scan(
    x: Any,
    op: OperatorName | Operator = "add",
    method: ScanMethod = "fast",
    *,
    out: Any = None,
    device: Device | int | str | None = None,
) -> Any:
    """Join all elements of an array before each one; the first result is the identity of `op`.

    Parameters, returns and errors are those of :func:`inclusive_scan`, but that there is no "dulle". Of a sum of
    negative zeros the sign is open.

    Examples
    --------
    >>> import reedsp
    >>> reedsp.exclusive_scan([3, 1, 2])
    array([0, 3, 4])
    """
    check_method(method, _METHODS)
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
        Leave out the element itself; the result at each head is the identity of `op`. Of a sum of negative zeros the
        sign is open then.

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
    check_method(method, _METHODS)
    return _scan(x, heads, op, method, flag(exclusive, "exclusive"), out, device)


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
    if x.dtype.hasobject or x.dtype.itemsize not in VALUE_TYPES:
        raise wrong_type("x", x, "elements of 1, 2, 4 or 8 bytes")
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
    mask = vector("mask", mask)
    small = is_device_array(mask) and len(mask) < 1 << 31
    return _compact(None, mask, np.dtype(np.int32 if small else np.int64), "places", method, device)


# ---- arguments --------------------------------------------------------------------------------------


def _scan(
    x: Any,
    heads: Any,
    op: str | Operator,
    method: str,
    exclusive: bool,
    out: Any,
    device: Any,
    sizes: tuple[int | None, int | None] = (None, None),
) -> Any:
    x = elements_of(x)
    elements = _elements(op, x.dtype, exclusive=exclusive, segmented=heads is not None, scanned=True)
    if heads is not None:
        heads = heads_of(heads, x.size)
    if out is not None:
        check_output("out", out, x.shape, x.dtype)
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
    arrays.run(_scanning(arrays.job, elements, Buffers(source, marks, target, total), x.size, method, *sizes))
    return arrays.finish(target, result)


def _sizes(method: str, group_size: Any, each: Any) -> tuple[int | None, int | None]:
    """Return the sizes of Dulle's work-groups, if they were given."""
    sizes: list[int | None] = []
    for name, value in {"group_size": group_size, "each": each}.items():
        if value is None:
            sizes.append(None)
            continue
        if method != "dulle":
            raise ValueError(f'{name}: method = {method!r} has none; "dulle" has')
        size = integer(value, name)
        if size < 1:
            raise ValueError(f"{name}: at least 1 is expected, got {size}")
        sizes.append(size)
    if sizes == [1, 1]:
        raise ValueError("group_size and each: both are 1, so that a work-group would join nothing")
    return sizes[0], sizes[1]


def _compact(x: Any, mask: Any, dtype: np.dtype[Any], compaction: Compaction, method: str, device: Any) -> Any:
    mask = mask_of(mask, None if x is None else x.size)
    check_method(method, _CHUNKED)
    n = mask.size
    on_device = are_on_device({"mask": mask, "x": x})
    if n == 0 and not on_device:
        return np.empty(0, dtype)
    count_dtype = np.dtype(np.uint32 if n < 1 << 32 else np.uint64)
    elements = dataclasses.replace(
        _elements("add", count_dtype), compaction=compaction, value_type=VALUE_TYPES[dtype.itemsize]
    )
    arrays = _open(device, elements, method, mask=mask, x=x)
    marks = arrays.read(mask)
    source = marks if x is None else arrays.read(x)
    job = arrays.job
    if isinstance(arrays, DeviceArrays):
        collected = arrays.empty(n, dtype)
        target = arrays.write(collected)
        number, deliver = arrays.reserve(1, count_dtype)
        arrays.run(_scanning(job, elements, Buffers(source, marks, target, number), n, method))
        count = deliver()  # before the memory that it lies in is lent again
        return arrays.finish(target, collected), count
    out, total = job.allocate(n, dtype), job.allocate(1, count_dtype)
    arrays.run(_scanning(job, elements, Buffers(source, marks, out, total), n, method))
    selected = int(job.download(total, 1, count_dtype)[0])
    return job.download(out, selected, dtype)


def elements_of(x: Any, name: str = "x") -> Any:
    """Return an array of a type that scans are for, or raise a TypeError under its name."""
    x = vector(name, x)
    if x.dtype not in ELEMENT_TYPES:
        raise wrong_type(name, x, f"elements of type {', '.join(map(str, ELEMENT_TYPES))}")
    return x


def _elements(
    op: str | Operator,
    dtype: np.dtype[Any],
    *,
    exclusive: bool = False,
    segmented: bool = False,
    scanned: bool = False,
) -> Elements:
    if isinstance(op, str):
        return _of_built_in(op, dtype, exclusive, segmented, scanned)
    return Elements(resolve(op, dtype), dtype, built_in=False, exclusive=exclusive, segmented=segmented)


@functools.cache
def _of_built_in(op: str, dtype: np.dtype[Any], exclusive: bool, segmented: bool, scanned: bool) -> Elements:
    if op == "add" and dtype.kind == "i":
        # Signed sums that overflow are undefined in OpenCL C; the same bits as unsigned numbers wrap, as numpy's do.
        dtype = np.dtype(f"u{dtype.itemsize}")
    operator = resolve(op, dtype)
    if op == "add" and dtype.kind == "f" and scanned and not exclusive:
        operator = dataclasses.replace(operator, identity=-0.0)  # 0.0 + -0.0 is 0.0, as if there was another element
    return Elements(operator, dtype, built_in=True, exclusive=exclusive, segmented=segmented)


def heads_of(heads: Any, n: int, of: str = "x") -> Any:
    """Return where segments begin, checked: marks of the n elements of an array of this name, or places."""
    heads = vector("heads", heads)
    if heads.dtype in _MARK_DTYPES:
        if heads.size != n:
            raise ValueError(f"heads: {heads.size} of {heads.dtype}, but {of} has {n} elements")
        return heads
    if heads.size == 0 and isinstance(heads, np.ndarray):
        return np.zeros(n, np.uint8)
    if heads.dtype not in _PLACE_DTYPES:
        raise wrong_type("heads", heads, "booleans, or places in integers of 32 or 64 bits")
    if isinstance(heads, np.ndarray):
        wrong = (heads < 0) | (heads > n)
        if wrong.any():
            position = int(wrong.argmax())
            raise ValueError(f"heads[{position}] = {heads[position]} is no place from 0 to {n}")
    return heads


def mask_of(mask: Any, n: int | None, of: str = "x") -> Any:
    """Return which of n elements of an array of this name, or of any number of them, are to be collected, checked."""
    mask = vector("mask", mask)
    if n is not None and mask.size != n:
        raise ValueError(f"mask: it has {mask.size} elements, but {of} has {n}")
    if mask.size == 0 and isinstance(mask, np.ndarray):  # numpy makes floats of an empty list
        return np.zeros(0, bool)
    if mask.dtype not in _MARK_DTYPES:
        raise wrong_type("mask", mask, "booleans or bytes")
    return mask


def _marks(arrays: HostArrays | DeviceArrays, heads: Any, n: int) -> Memory:
    """Return one byte an element, not 0 where a segment begins."""
    if heads.dtype in _MARK_DTYPES:
        return arrays.read(heads)
    if isinstance(heads, np.ndarray):
        marks = np.zeros(n + 1, np.uint8)
        marks[heads] = 1
        return arrays.read(marks)
    job = arrays.job
    words = -(-n // 4)
    size = min(PLAIN_GROUP_SIZE, job.device.max_work_group_size)
    buffer = job.allocate(words, np.uint32)
    clear, mark = (
        job.device.kernel("primitives/heads.cl", name, INDEX=C_TYPES[heads.dtype]) for name in ("clear", "mark_heads")
    )
    job.launch(clear, words, size, buffer, np.uint64(words))
    job.launch(mark, heads.size, size, arrays.read(heads), buffer, np.uint64(heads.size), np.uint64(n))
    return buffer


def _open(device: Any, elements: Elements, method: str, **given: Any) -> HostArrays | DeviceArrays:
    if are_on_device(given):
        return DeviceArrays(given, device)
    chosen = get_device(device)
    if method in _TREES:
        return HostArrays(chosen, borrow=chosen.kind == "cpu")
    # The other forms read vectors, at places that are multiples of their size.
    return HostArrays(
        chosen, borrow=chosen.kind == "cpu" and trusted_form(chosen, elements, method, None) == "work-item"
    )


# ---- plans ------------------------------------------------------------------------------------------


def plan_reduce(
    job: Job,
    elements: Elements,
    x: Memory,
    total: Memory,
    n: int,
    method: str = "fast",
    group_size: int | None = None,
) -> Plan:
    """Plan to combine the first n elements of a buffer into one (section 4.2.1, Algorithm 7).

    `group_size` is the number of work-items of a work-group, if it is not to be the one that measured best.
    """
    return list(_reduction(job, elements, x, total, n, method, group_size, None))


def _reduction(
    job: Job,
    elements: Elements,
    x: Memory,
    total: Memory,
    n: int,
    method: str,
    group_size: int | None,
    each: int | None,
) -> Iterable[BoundKernel]:
    """Return a plan whose kernels are bound one after the other, so that the first can be queued before."""
    if method == "naive":
        check_tree(job.device, elements, "reduction", None)
        return plan_pairs(job, elements, x, total, n)
    if method == "dulle":
        shape = _shape(job.device, True, group_size, each)
        check_tree(job.device, elements, "reduction", shape)
        return plan_tree_reduction(job, elements, x, total, n, shape)
    form = trusted_form(job.device, elements, method, group_size)
    return reduce_in_form(job, elements, x, total, n, form, group_size)


def plan_scan(
    job: Job, elements: Elements, buffers: Buffers, n: int, method: str = "fast", group_size: int | None = None
) -> Plan:
    """Plan to scan the first n elements of a buffer, or to collect some of them; `group_size` as above."""
    return list(_scanning(job, elements, buffers, n, method, group_size))


def _scanning(
    job: Job,
    elements: Elements,
    buffers: Buffers,
    n: int,
    method: str,
    group_size: int | None = None,
    each: int | None = None,
) -> Iterable[BoundKernel]:
    """Return a plan whose kernels are bound one after the other, so that the first can be queued before."""
    if method == "dulle":
        shape = _shape(job.device, False, group_size, each)
        check_tree(job.device, elements, "scan", shape)
        return plan_tree_scan(job, elements, buffers.x, buffers.out, n, shape)
    is_long = n >= SHORTEST_SINGLE_PASS and buffers.x != buffers.out
    if is_long and method == "fast" and group_size is None and passes_once(job.device, elements):
        return scan_in_form(job, elements, buffers, n, "single-pass", None)
    form = trusted_form(job.device, elements, method, group_size)
    return scan_in_form(job, elements, buffers, n, form, group_size)


def _shape(device: Device, reduces: bool, group_size: int | None, each: int | None) -> Shape:
    """Return the shape of a node of Dulle's tree, of default sizes where none are given.

    Raises
    ------
    ValueError
        The device has no such work-groups.
    """
    usual = default_shape(device, reduces)
    shape = Shape(group_size or usual.group_size, each or usual.each)
    if shape.group_size > (most := device.max_work_group_size):
        raise ValueError(f"group_size: {shape.group_size}, but {device} has work-groups of at most {most} work-items")
    return shape
