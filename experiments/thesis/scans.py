"""Prefix sums: the methods of thesis section 4.2 against a copy of the same array.

Arrays are on the device already. A plan is queued and waited for; "call" is the public function with everything it
does on the host. All ways take turns, and every result is compared with numpy's. A rate counts each element as read
once and written once, which is what a copy does.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
from matplotlib.figure import Figure

import reedsp
from experiments.lib.experiment import Case, Experiment, Row, Setting, WrongAnswerError
from experiments.lib.measure import measure_in_turn
from experiments.lib.plotting import device_of, finish, line, panels
from reedsp.device.job import Job
from reedsp.primitives.operators import resolve
from reedsp.primitives.plans import Buffers, Elements
from reedsp.primitives.scan import plan_scan

SEED = 2012
SMALLEST = 10  # of the sizes, as a power of two
STEP = 2
WARM_UP = 3
PLOTTED = ("copy", "fast", "blelloch", "naive", "numpy.cumsum")
BLELLOCH_GROUP_SIZES = (256, 1024)  # beside the one that is used; the thesis takes the largest that is supported


def copies(device: reedsp.Device, x: np.ndarray, job: Job) -> Iterator[tuple[str, Callable[[], None]]]:
    """Yield the ways to copy an array, of which the fastest counts."""
    source, target = job.upload(x), job.allocate(x.size, x.dtype)

    def on_device() -> None:
        cl.enqueue_copy(device.queue, target, source)
        device.queue.finish()

    yield "copy", on_device
    if device.kind == "cpu":
        out = np.empty_like(x)
        ends = np.linspace(0, x.size, device.compute_units + 1, dtype=int).tolist()
        parts = [slice(*pair) for pair in itertools.pairwise(ends)]
        pool = ThreadPoolExecutor(device.compute_units)
        yield "copy by threads", lambda: [None for _ in pool.map(lambda part: np.copyto(out[part], x[part]), parts)]


def methods(
    device: reedsp.Device, x: np.ndarray, job: Job
) -> Iterator[tuple[str, int, Callable[[], Callable[[], np.ndarray]]]]:
    """Yield name, work-group size (0: the default), and a function that scans and gives access to the result."""
    elements = Elements(resolve("add", x.dtype), x.dtype, built_in=True)
    source, target, total = job.upload(x), job.allocate(x.size, x.dtype), job.allocate(1, x.dtype)

    def download() -> np.ndarray:
        return job.download(target, x.size, x.dtype)

    groups = [size for size in BLELLOCH_GROUP_SIZES if size <= device.max_work_group_size]
    for method, group_size in [("fast", 0), ("blelloch", 0), ("naive", 0), *(("blelloch", size) for size in groups)]:
        try:
            plan = plan_scan(job, elements, Buffers(source, source, target, total), x.size, method, group_size or None)
        except reedsp.DeviceError:  # work-groups of this size are too large for this kernel
            continue

        def solve(plan: Any = plan) -> Callable[[], np.ndarray]:
            for kernel in plan:
                kernel.queue()
            job.finish()
            return download

        yield method, group_size, solve
    array, out = cl_array.to_device(device.queue, x), cl_array.empty(device.queue, x.size, x.dtype)

    def call() -> Callable[[], np.ndarray]:
        reedsp.inclusive_scan(array, out=out)
        device.queue.finish()
        return out.get

    yield "call", 0, call
    if device.kind == "cpu":
        result = np.empty_like(x)

        def numpy_cumsum() -> Callable[[], np.ndarray]:
            np.cumsum(x, dtype=x.dtype, out=result)
            return lambda: result

        yield "numpy.cumsum", 0, numpy_cumsum


def rows(device: reedsp.Device, dtype: type, power: int, repeats: int) -> Iterator[Row]:
    x = np.random.default_rng(SEED).integers(-1, 2, 1 << power).astype(dtype)  # every prefix sum is exact
    expected = np.cumsum(x, dtype=np.int64)

    def check(result: Callable[[], np.ndarray]) -> None:
        if not np.array_equal(result(), expected):
            raise WrongAnswerError("wrong prefix sums")

    job = Job(device)
    size_of = {"n": x.size, "dtype": np.dtype(dtype).name, "seed": SEED}
    solves = {(name, 0): (copy, no_check) for name, copy in copies(device, x, job)}
    ways = len(solves)
    for method, group_size, solve in methods(device, x, job):
        solves[method, group_size] = (solve, check)
    times = measure_in_turn(list(solves.values()), repeats, WARM_UP)
    copy_ms = min(each["min_ms"] for each in times[:ways])
    for (method, group_size), each in zip(solves, times, strict=True):
        rate = 2 * x.nbytes / 1e6 / each["min_ms"]
        ratios = {"gigabytes_per_second": round(rate, 1), "of_copy": round(copy_ms / each["min_ms"], 3)}
        yield {"method": method, "group_size": group_size or "", **size_of, **each, **ratios}


def no_check(answer: None) -> None:
    """Accept a copy, which is only there to be compared with."""


def cases(setting: Setting) -> list[Case]:
    largest, repeats = (16, 1) if setting.quick else (26, 9) if setting.device.kind == "cpu" else (28, 7)
    sizes = [(np.float32, power) for power in range(SMALLEST, largest + 1, STEP)] + [(np.int32, largest)]
    return [
        (f"2^{power} of {dtype.__name__}", partial(rows, setting.device, dtype, power, repeats))
        for dtype, power in sizes
    ]


def plot(rows: list[dict[str, str]]) -> Figure:
    """Draw the throughput of each method against the number of elements."""
    figure, [axes] = panels()
    for number, method in enumerate(PLOTTED):
        points = [
            (float(row["n"]), float(row["gigabytes_per_second"]))
            for row in rows
            if (row["method"], row["group_size"], row["dtype"]) == (method, "", "float32")
        ]
        if points:
            line(axes, points, method, number)
    finish(
        axes, "elements (float32)", "GB/s, each element read once and written once", f"Prefix sums: {device_of(rows)}"
    )
    return figure


EXPERIMENT = Experiment("Prefix sums: every method against a copy (thesis 4.2)", cases, plot)
