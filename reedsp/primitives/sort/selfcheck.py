"""Which form of a sort gives right answers on a device: each is tried on keys whose order is known first."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.device.device import Device
from reedsp.device.job import Job
from reedsp.device.selfcheck import is_trusted, none_is_trusted
from reedsp.primitives.sort.merges import list_sort, merge_path_sort
from reedsp.primitives.sort.radix import has_lanes, radix_sort
from reedsp.primitives.sort.records import Columns, Records, Sorting

_SORTS: dict[str, Callable[..., None]] = {"radix": radix_sort, "merge": merge_path_sort, "lists": list_sort}
_FORMS: tuple[str, ...] = ("work-item", "work-group")
_LENGTH = 3 * (1 << 13) + 5  # several chunks, tiles and runs
_FEW = 1 << 10  # keys, each of which occurs often


def trusted_form(device: Device, records: Records, algorithm: str) -> str:
    """Return the quickest form of "radix" or "merge" that sorts such records right.

    Raises
    ------
    DeviceError
        None of them does.
    """
    forms = _FORMS if device.kind == "cpu" else _FORMS[::-1]
    if algorithm == "radix" and has_lanes(device):
        forms = ("lanes", *forms)
    for form in forms:
        if _is_trusted(device, records, algorithm, form):
            return form
    raise none_is_trusted(f"{device}: the {algorithm} sort of {records.keys} gives wrong answers, or fails")


def check_lists(device: Device, records: Records, presort: str, length: int) -> None:
    """Check that Dulle's sort sorts such records right.

    Raises
    ------
    DeviceError
        It does not.
    """
    if not _is_trusted(device, records, "lists", presort, length):
        raise none_is_trusted(f"{device}: Dulle's merge sort of {records.keys} gives wrong answers, or fails")


def _is_trusted(device: Device, records: Records, algorithm: str, *choices: Any) -> bool:
    if records.order is not None:  # what users' orders make of keys is not known here: the usual one stands for them
        records = dataclasses.replace(records, order=None)
    name = functools.partial(_name_of_trial, records, algorithm, *choices)
    return is_trusted(device, name, sorts_known_keys, records, algorithm, *choices)


def _name_of_trial(records: Records, algorithm: str, *choices: Any) -> str:
    what = " with what they carry" if records.carried is not None else ""
    return f"the {algorithm} sort of {records.keys}{what}, {', '.join(map(str, choices))},"


def sorts_known_keys(device: Device, records: Records, algorithm: str, *choices: Any) -> bool:
    """Return whether keys that occur often, and some special ones, are sorted as by numpy."""
    job, keys = Job(device), known_keys(records.keys, _LENGTH)
    indices = np.argsort(keys, kind="stable")
    carried, result = (each or np.dtype(np.uint8) for each in (records.carried, records.result))
    numbers = np.arange(_LENGTH).astype(carried)
    target_keys = None if records.are_numbered else job.allocate(_LENGTH, records.keys)
    target_values = None if records.result is None else job.allocate(_LENGTH, result)
    values = None if records.carried is None or records.are_numbered else job.upload(numbers)
    source, target = Columns(job.upload(keys), values), Columns(target_keys, target_values)
    _SORTS[algorithm](Sorting(job, records, _LENGTH, source, target), *choices)
    is_right = True
    if target_values is not None:
        found = job.download(target_values, _LENGTH, result)
        is_right = np.array_equal(found, numbers[indices].astype(result))
    if target_keys is not None:
        found = job.download(target_keys, _LENGTH, records.keys)
        is_right &= found.tobytes() == keys[indices].tobytes()
    return is_right


def known_keys(dtype: np.dtype[Any], n: int) -> npt.NDArray[Any]:
    """Return keys of some type: over its whole range, with its limits, zeros of both signs and kinds of NaN."""
    rng = np.random.default_rng(2016)
    bits = rng.integers(0, 256, (min(n, _FEW), dtype.itemsize), np.uint8)
    if dtype.kind == "b":
        bits %= 2
    some = bits.reshape(-1).view(dtype)
    keys = some[rng.integers(0, len(some), n)]
    if dtype.kind == "f":
        keys[::50] = 0.0
        keys[7::50] = -0.0
        keys[9::70] = np.nan
        keys[11::70] = -np.nan
        keys[13::70] = -np.inf
    elif dtype.kind != "b":
        keys[::50] = np.iinfo(dtype).max
        keys[7::50] = np.iinfo(dtype).min
    return keys
