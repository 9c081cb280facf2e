"""Reductions and prefix sums by trees of work-groups (Dulle, sections 5.1 and 5.2, figures 5.1 and 5.6).

His kernels with m work-items of c elements each, as far as that fits into local memory; the algorithms that he starts
from, in pairs and of Hillis and Steele; the library's own; and a copy. Arrays of uint32 are on the device already. All
ways take turns, and a device compares every result with numpy's. Accesses are those to elements in global memory,
counted from the plan; MemAccess is the thesis' sum for a tree with k children, n/k^i + n/k^(i+1).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
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
from reedsp.primitives.plans import Buffers, Elements, Plan
from reedsp.primitives.scan import plan_reduce, plan_scan
from reedsp.primitives.strided.trees import (
    Shape,
    plan_tree_reduction,
    plan_tree_scan,
    strides_of_reduction,
    strides_of_scan,
)

SEED = 2016
SIZES = {"cpu": (12, 16, 20, 24), "gpu": (12, 16, 20, 24, 28)}  # powers of two
GROUP_SIZES = (32, 64, 256, 1024)
EACH = (1, 4, 8, 16, 64)
WARM_UP = 1
PROBLEMS = ("reduction", "scan")
PLOTTED = ((64, 16), (256, 8), (256, 4), (32, 64), (1024, 1))
TYPE = np.dtype(np.uint32)

Way = tuple[str, Shape | None]


def accesses(problem: str, method: str, shape: Shape | None, n: int) -> int | str:
    """Return how many elements are read and written; empty for the library's own ways."""
    if shape is None and (problem, method) == ("scan", "naive"):
        return 2 * n * (2 + (n - 1).bit_length()) + sum(n - (1 << i) for i in range((n - 1).bit_length()))
    if shape is None and method != "naive":
        return ""
    tile = 2 if shape is None else shape.tile
    if problem == "reduction":
        return sum(-(-n // stride) + nodes for stride, nodes in strides_of_reduction(n, tile))
    total = 0
    for stride, nodes in strides_of_scan(n, tile):
        count = n // stride
        later = count - tile - (count // tile - 1) if nodes > 1 else 0  # all but the first node, and each one's last
        total += 2 * count + 2 * later + (nodes - 1)
    return total


def mem_access(n: int, k: int) -> float:
    """Return the thesis' sum, over the levels from 0 to log_k n."""
    levels, nodes = 0, n
    while nodes > 1:
        nodes, levels = -(-nodes // k), levels + 1
    return round(sum(n / k**i + n / k ** (i + 1) for i in range(levels + 1)), 1)


def plans(problem: str, job: Job, x: cl.Buffer, out: cl.Buffer, n: int) -> Iterator[tuple[Way, Plan]]:
    """Yield every way whose work-groups the device has, with what is to be queued."""
    device, elements = job.device, Elements(resolve("add", TYPE), TYPE, built_in=True)
    total = out if problem == "reduction" else job.allocate(1, TYPE)
    for method in ("fast", "naive"):
        if problem == "reduction":
            yield (method, None), plan_reduce(job, elements, x, total, n, method)
        else:
            yield (method, None), plan_scan(job, elements, Buffers(x, x, out, total), n, method)
    tree = plan_tree_reduction if problem == "reduction" else plan_tree_scan
    for group_size in GROUP_SIZES:
        for each in EACH:
            shape = Shape(group_size, each)
            fits = group_size <= device.max_work_group_size and shape.local_bytes(elements) <= device.local_memory
            if fits:
                yield ("dulle", shape), tree(job, elements, x, out, n, shape)


def rows(problem: str, device: reedsp.Device, power: int, repeats: int) -> Iterator[Row]:
    n, job = 1 << power, Job(device)
    values = np.random.default_rng(SEED).integers(0, 1 << 32, n, TYPE)
    right = np.cumsum(values, dtype=TYPE) if problem == "scan" else np.sum(values, keepdims=True, dtype=TYPE)
    x, out, expected = job.upload(values), job.allocate(n, TYPE), job.upload(right)

    def solve(plan: Plan) -> Callable[[], None]:
        def queue() -> None:
            for kernel in plan:
                kernel.queue()
            job.finish()

        return queue

    def check(_: None) -> None:
        found, known = (cl_array.Array(device.queue, right.size, TYPE, data=each) for each in (out, expected))
        if int(reedsp.compact_indices(found != known)[1].get()[0]):
            raise WrongAnswerError(f"wrong {problem}")
        job.fill(out, right.size, np.uint32(0))
        job.finish()

    def copy() -> None:
        cl.enqueue_copy(device.queue, out, x)
        device.queue.finish()

    ways = dict(plans(problem, job, x, out, n))
    solves: list[tuple[Callable[[], Any], Callable[[Any], None]]] = [(copy, lambda _: None)]
    solves += [(solve(plan), check) for plan in ways.values()]
    times = measure_in_turn(solves, repeats, WARM_UP)
    copied = times[0]["min_ms"]
    moved = TYPE.itemsize * n * (1 if problem == "reduction" else 2)
    for (method, shape), plan, each in zip([("copy", None), *ways], [[], *ways.values()], times, strict=True):
        tile = 2 if shape is None else shape.tile
        sums = problem == "reduction" and method in ("naive", "dulle")
        yield {
            "problem": problem,
            "method": method,
            "m": "" if shape is None else shape.group_size,
            "c": "" if shape is None else shape.each,
            "n": n,
            "seed": SEED,
            "launches": len(plan),
            "accesses": accesses(problem, method, shape, n),
            "mem_access": mem_access(n, tile) if sums else "",
            **each,
            "gigabytes_per_second": round(
                (2 * TYPE.itemsize * n if method == "copy" else moved) / 1e6 / each["min_ms"], 2
            ),
            "of_copy": round(copied / each["min_ms"], 4),
        }


def cases(setting: Setting) -> list[Case]:
    powers = (10,) if setting.quick else SIZES["cpu" if setting.device.kind == "cpu" else "gpu"]
    repeats = 1 if setting.quick else 5
    return [
        (f"{problem} of 2^{power}", partial(rows, problem, setting.device, power, repeats))
        for problem in PROBLEMS
        for power in powers
    ]


def plot(rows: list[dict[str, str]]) -> Figure:
    """Draw the time of each way against the number of elements."""
    figure, axes = panels(2, width=4.4)
    for place, problem in zip(axes, PROBLEMS, strict=True):
        own = [row for row in rows if row["problem"] == problem]
        series = [("copy", "", ""), ("fast", "", ""), ("naive", "", "")]
        series += [("dulle", str(m), str(c)) for m, c in PLOTTED]
        for number, (method, m, c) in enumerate(series):
            chosen = [row for row in own if (row["method"], row["m"], row["c"]) == (method, m, c)]
            points = [(float(row["n"]), float(row["min_ms"])) for row in chosen]
            if points:
                line(place, points, f"m = {m}, c = {c}" if m else method, number)
        finish(place, "elements (uint32)", "milliseconds", f"{problem}: {device_of(rows)}")
    return figure


EXPERIMENT = Experiment("Dulle figures 5.1 and 5.6: trees of work-groups of any m and c", cases, plot)
