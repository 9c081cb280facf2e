"""Checks of sorts."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
import pyopencl as cl
import pytest

from reedsp.device.device import Device
from reedsp.device.job import Job
from reedsp.primitives.sort import merges, radix
from reedsp.primitives.sort.merges import PRESORTS, list_sort, merge_path_sort
from reedsp.primitives.sort.radix import radix_sort
from reedsp.primitives.sort.records import Columns, Records, Sorting
from reedsp.primitives.sort.selfcheck import known_keys
from tests.deep.oclgrind import Check

SMALL = (
    (radix, {"_CHUNK": 32, "_SHORTEST_CHUNK": 8, "_GROUP_SIZE": 16, "_MOST_ITEMS": 3, "_GROUPS_PER_COMPUTE_UNIT": 1}),
    (radix, {"_TEAMS": (5,), "_MOST_ITEMS_OF_LANES": 3, "_GROUPS_OF_LANES_PER_COMPUTE_UNIT": 1}),
    (merges, {"_RUN": 4, "_PIECE": 8, "_GROUP_SIZE": 4, "_ITEMS": 3}),
)
LIST = 8
DTYPES = [np.dtype(name) for name in ("uint8", "int16", "uint32", "float64")]


def checks(device: Device) -> Iterator[Check]:
    """Yield every check: each kernel with keys alone, with their indices and with values, of several sizes."""
    shared, by_order = {"sort/keys.cl"}, {"sort/keys.cl", "sort/order.cl"}
    for dtype in DTYPES:
        for records in (
            Records(dtype),
            Records(dtype, np.dtype(np.uint32), np.dtype(np.uint64), are_numbered=True),
            Records(dtype, np.dtype(np.uint16), np.dtype(np.uint16), is_long=True),
        ):
            for n in (1, 47, 150):
                used = shared | {f"sort/{name}.cl" for name in ("digits", "sums", "radix_lanes", "radix_work_group")}
                yield used, partial(check, device, records, n, radix_sort, "lanes")
                for form in ("work-item", "work-group"):
                    name = form.replace("-", "_")
                    used = shared | {f"sort/radix_{name}.cl", "sort/digits.cl"}
                    yield used, partial(check, device, records, n, radix_sort, form)
                    if not records.is_long:
                        used = by_order | {f"sort/merge_{name}.cl"}
                        yield used, partial(check, device, records, n, merge_path_sort, form)
    for presort in PRESORTS:
        for records in (Records(DTYPES[1]), Records(DTYPES[3], np.dtype(np.uint32), np.dtype(np.uint32))):
            used = by_order | {"sort/lists.cl"}
            yield used, partial(check, device, records, 50, list_sort, presort, LIST)


def check(device: Device, records: Records, n: int, sort: object, *choices: object) -> None:
    """Sort keys, often equal ones, and compare with numpy."""
    keys = known_keys(records.keys, n)
    indices = np.argsort(keys, kind="stable")
    with pytest.MonkeyPatch.context() as patch:
        for module, settings in SMALL:
            for name, value in settings.items():
                patch.setattr(module, name, value)
        patch.setattr(device, "compute_units", 3)
        job = Job(device)
        values: cl.Buffer | None = None
        numbers = np.arange(n).astype(records.carried or np.uint8)
        if records.carried is not None and not records.are_numbered:
            values = job.upload(numbers)
        moved_keys = None if records.are_numbered else job.allocate(n, records.keys)
        moved_values = None if records.result is None else job.allocate(n, records.result)
        sorting = Sorting(job, records, n, Columns(job.upload(keys), values), Columns(moved_keys, moved_values))
        sort(sorting, *choices)  # type: ignore[operator]
        if moved_keys is not None:
            assert job.download(moved_keys, n, records.keys).tobytes() == keys[indices].tobytes()
        if moved_values is not None:
            assert job.download(moved_values, n, records.result).tolist() == numbers[indices].tolist()
