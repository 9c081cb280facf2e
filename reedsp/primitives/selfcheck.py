"""Which form of a scan gives right answers on a device: each is tried on an array with a known scan first."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from reedsp.device.device import Device
from reedsp.device.job import Job
from reedsp.device.selfcheck import is_trusted, none_is_trusted
from reedsp.primitives.operators import OPERATORS, resolve
from reedsp.primitives.plans import (
    CHUNKED,
    VALUE_TYPES,
    Buffers,
    Elements,
    can_pass_once,
    group_size_of,
    reduce_in_form,
    scan_in_form,
)

_FORMS = ("work-item", "work-group")  # that can do whatever "fast" has to

# Of the array with a known scan.
_LENGTH = 3 * (1 << 14) + 5
_FEW_CHUNKS = 5  # so that each has several tiles
_SHORT_CHUNK = 1 << 12  # so that there are several spans
_JOINS: dict[str, Any] = {"add": np.add, "min": np.minimum, "max": np.maximum}
_SMALL = 1000  # sums of some ten thousand such numbers are exact in float32
_SELDOM = 0.005  # elements that begin a segment
_OFTEN = 0.1  # elements that are infinite, where that hides nothing
_LONG = 3  # a part of the array, one in so many, without a beginning: longer than any tile


def trusted_form(device: Device, elements: Elements, method: str, group_size: int | None) -> str:
    """Return the form of scan that a method stands for; for "fast" the quickest one that gives right answers here.

    Raises
    ------
    DeviceError
        None of them does.
    """
    preferred = preferred_form(device, method)
    if elements.dtype == np.float64 and not device.fp64:
        return preferred  # which cannot be built, and says why
    forms = [preferred]
    if method == "fast":
        forms += [each for each in _FORMS if each != preferred]
    if not elements.built_in:  # what users' operators make of numbers is not known here, so that sums stand for them
        elements = dataclasses.replace(elements, operator=resolve("add", elements.dtype))
    for form in forms:
        name = functools.partial(_name_of_trial, elements, form, group_size)
        trial = (scans_known_array, elements, form, group_size_of(device, form, group_size))
        if is_trusted(device, name, *trial, repr(elements.operator.identity)):  # 0.0 and -0.0 are equal
            return form
    raise none_is_trusted(f"{device}: the {_described(elements)} gives wrong answers, or fails")


def passes_once(device: Device, elements: Elements) -> bool:
    """Return whether a single pass scans such elements right on this device."""
    if not can_pass_once(device, elements):
        return False
    name = functools.partial(_name_of_trial, elements, "single-pass", None)
    trial = (scans_known_array, elements, "single-pass", group_size_of(device, "work-group", None))
    return is_trusted(device, name, *trial, repr(elements.operator.identity))


def preferred_form(device: Device, method: str) -> str:
    """Return the form of scan that a method stands for."""
    if method == "fast":
        return "work-item" if device.kind == "cpu" else "work-group"
    return method


def scans_known_array(device: Device, elements: Elements, form: str, group_size: int, _identity: str) -> bool:
    """Return whether scans and reductions, or compactions, of several tiles, chunks and a rest are those of numpy."""
    if elements.compaction is not None:
        return _collects_known_array(Job(device), elements, form, group_size)
    job, dtype = Job(device), elements.dtype
    known = known_scan(dtype, _name_of(elements), elements.operator.identity, elements.segmented, _LENGTH)
    x, out, total = job.upload(known.x), job.allocate(_LENGTH, dtype), job.allocate(1, dtype)
    length = _LENGTH // 2 if elements.counted else _LENGTH
    count = job.upload(np.array([length], np.uint32)) if elements.counted else None
    buffers = Buffers(x, job.upload(known.heads), out, total, count)
    for kernel in scan_in_form(job, elements, buffers, _LENGTH, form, group_size, _FEW_CHUNKS, _SHORT_CHUNK):
        kernel.queue()
    expected = known.exclusive if elements.exclusive else known.inclusive
    if not np.array_equal(job.download(out, length, dtype), expected[:length]):
        return False
    if elements.counted:
        return bool(job.download(total, 1, dtype)[0] == known.inclusive[length - 1])
    if form not in CHUNKED or elements.segmented or elements.exclusive:
        return True
    for kernel in reduce_in_form(job, elements, x, total, _LENGTH, form, group_size):
        kernel.queue()
    return bool(job.download(total, 1, dtype)[0] == known.inclusive[-1])


def _collects_known_array(job: Job, elements: Elements, form: str, group_size: int) -> bool:
    rng = np.random.default_rng(2012)
    marks = (rng.random(_LENGTH) < rng.random(_LENGTH)).astype(np.uint8)
    [size] = (size for size, name in VALUE_TYPES.items() if name == elements.value_type)
    x = rng.integers(0, 256, _LENGTH * size, np.uint8).view(f"u{size}")
    places = np.flatnonzero(marks)
    expected = x[places] if elements.compaction == "values" else places.astype(x.dtype)
    out, total = job.allocate(_LENGTH, x.dtype), job.allocate(1, elements.dtype)
    buffers = Buffers(job.upload(x), job.upload(marks), out, total)
    for kernel in scan_in_form(job, elements, buffers, _LENGTH, form, group_size, _FEW_CHUNKS, _SHORT_CHUNK):
        kernel.queue()
    right = np.array_equal(job.download(out, len(places), x.dtype), expected)
    return right and int(job.download(total, 1, elements.dtype)[0]) == len(places)


def _name_of_trial(elements: Elements, form: str, group_size: int | None) -> str:
    return f"the {_described(elements)} in {form} form" + ("" if group_size is None else f", {group_size} together")


def _described(elements: Elements) -> str:
    if elements.compaction is not None:
        return f"compaction of {elements.value_type} by {elements.compaction} and {elements.dtype}"
    kind = "segmented scan" if elements.segmented else "scan"
    op = _name_of(elements) if elements.built_in else "an operator"
    counted = ", counted on the device" if elements.counted else ""
    return f"{kind} of {elements.dtype} by {op}, {'exclusive' if elements.exclusive else 'inclusive'}{counted},"


def _name_of(elements: Elements) -> str:
    """Return the name of a built-in operator."""
    names = (name for name in OPERATORS if resolve(name, elements.dtype) == elements.operator)
    return next(names)


class KnownScan(NamedTuple):
    """An array, where its segments begin, and within them the elements up to each combined, and those before it."""

    x: npt.NDArray[Any]
    heads: npt.NDArray[np.uint8]
    inclusive: npt.NDArray[Any]
    exclusive: npt.NDArray[Any]


def known_scan(dtype: np.dtype[Any], op: str, identity: Any, segmented: bool, n: int) -> KnownScan:
    """Return an array of some type, and its scan by numpy.

    It has negative numbers if the type has, numbers whose sums wrap around if these may, and floats that are infinite:
    where those stay infinite to the end of a segment, at its end.

    Parameters
    ----------
    dtype : dtype
    op : {"add", "min", "max"}
    identity
        What the scan without the element itself begins with.
    segmented : bool
        Whether there are segments, or the whole array is one.
    n : int
    """
    rng = np.random.default_rng(2012)
    heads = (rng.random(n) < (_SELDOM if segmented else 0)).astype(np.uint8)
    heads[n // _LONG : 2 * n // _LONG] = 0
    starts = np.flatnonzero(np.r_[True, heads[1:]])
    x = _numbers(rng, dtype, op, n)
    if dtype.kind == "f":
        x[np.append(starts[1:], n) - 1] = -np.inf if op == "min" else np.inf
    inclusive = np.concatenate([_JOINS[op].accumulate(part, dtype=dtype) for part in np.split(x, starts[1:])])
    exclusive = np.roll(inclusive, 1)
    exclusive[starts] = identity
    return KnownScan(x, heads, inclusive, exclusive)


def _numbers(rng: np.random.Generator, dtype: np.dtype[Any], op: str, n: int) -> npt.NDArray[Any]:
    """Return numbers whose minimum, or maximum, so far changes now and then."""
    if op == "add" and dtype.kind == "u":
        return rng.integers(0, np.iinfo(dtype).max, n, dtype)
    x = rng.integers(-_SMALL, _SMALL, n) if dtype.kind != "u" else rng.integers(0, _SMALL, n)
    if op != "add":
        x += np.arange(n)[:: 1 if op == "max" else -1]
    x = x.astype(dtype)
    if op != "add" and dtype.kind == "f":
        x = x / dtype.type(2)
        x[rng.random(n) < _OFTEN] = np.inf if op == "min" else -np.inf
    return x
