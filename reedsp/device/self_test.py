"""A small kernel with known answers, in every arithmetic that a device has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from reedsp.arithmetic.types import infinity, weight_macros
from reedsp.device.errors import DeviceError
from reedsp.device.job import Job

if TYPE_CHECKING:
    from reedsp.device.device import Device

_GROUP_SIZE = 16


def self_test(device: Device) -> None:
    """Run it; errors are those of :meth:`Device.self_test`."""
    for dtype in (np.int32, np.int64, np.float32, np.float64):
        if dtype is not np.float64 or device.fp64:
            _test(device, np.dtype(dtype))


def _test(device: Device, dtype: np.dtype[Any]) -> None:
    groups, size = 8, _GROUP_SIZE
    number = np.arange(groups * size)
    unit = dtype.type(np.iinfo(dtype).max // 2000 if dtype.kind == "i" else 1 / 3)  # so that every bit counts
    dist = (number * 7919 % 1009 - 300).astype(dtype) * unit + number.astype(dtype)
    weights = (number * 104729 % 997 - 450).astype(dtype) * unit
    if dtype.kind == "f":
        subnormal = number % 5 == 1
        dist[subnormal] = number[subnormal] * np.finfo(dtype).smallest_subnormal
        weights[subnormal] = 2 * dist[subnormal]
    unreached = number % 5 == 2
    expected = dist + weights
    dist[unreached] = infinity(dtype)
    expected[unreached] = infinity(dtype)
    job = Job(device)
    kernel = device.kernel("core/self_test.cl", "self_test", GROUP_SIZE=size, **weight_macros(dtype))
    minimum, sums = job.allocate(groups, dtype), job.allocate(groups * size, dtype)
    job.launch(kernel, groups * size, size, job.upload(dist), job.upload(weights), minimum, sums)
    rows = expected.reshape(groups, size)
    right = np.array_equal(job.download(minimum, groups, dtype), rows.min(axis=1))
    if not right or not np.array_equal(job.download(sums, groups * size, dtype), rows[:, ::-1].ravel()):
        raise DeviceError(f"{device} gives wrong answers in {dtype} arithmetic")
