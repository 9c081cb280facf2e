"""How near Lund and Smith's implementations, and ours, come to what the device could do.

A task is an addition and a minimum in float32. The arithmetic ceiling is computed from the device's properties, under
these assumptions. On a GPU each lane starts one instruction in each clock, and a task takes two; a multiprocessor of
NVIDIA has 128 lanes of float32, or 64 (compute capability 6.0, 7.x and 8.0), any other compute unit 64. On a CPU each
core starts two vector additions and two vector minima in each clock, although in some they share two units: what a CPU
can do is measured by `min_plus`. The clock is the one that the driver names, which a processor may exceed for some
time. Nothing is allowed for loads, nor for instructions that do more than one of these at once or take more than one
clock.

The bandwidth bound holds for one work-item a task: three reads and a write of global memory for each, at the speed of
the fastest copy. It counts bytes that are read and written, and a device with a cache that holds much of the matrix can
exceed it.

The figures of the paper are those of its section 5. Its 933 GFLOP/s count three operations of each lane in each clock;
by the assumptions above that is 155 billion tasks per second.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
from matplotlib.figure import Figure

import reedsp
from experiments.lib.experiment import Case, Experiment, Row, Setting
from experiments.lib.measure import measure_in_turn
from experiments.lib.plotting import INK, bars, device_of, finish, panels
from experiments.lund_smith.floyd_warshall import LADDER_KIND, SEED, measured
from experiments.report.published import (
    BYTES_PER_TASK,
    LUND_SMITH_COPY,
    LUND_SMITH_DEVICE,
    LUND_SMITH_GIGAFLOPS,
    LUND_SMITH_RATES_AT,
    LUND_SMITH_SECONDS,
)
from experiments.thesis.scans import copies, no_check
from reedsp.algorithms.all_pairs import lund_smith
from reedsp.device.job import Job

METHODS = (*lund_smith.LADDER, "blocked")
BY_TASKS = "harish-narayanan"
INSTRUCTIONS_PER_TASK = 2
ADVERTISED_PER_CLOCK = 3
HALF_AS_MANY_LANES = ((6, 0), (7, 0), (7, 2), (7, 5), (8, 0))  # compute capabilities
PAPER_CEILING = LUND_SMITH_GIGAFLOPS / ADVERTISED_PER_CLOCK / INSTRUCTIONS_PER_TASK
PAPER_BOUND = LUND_SMITH_COPY / BYTES_PER_TASK


def lanes_of(device: reedsp.Device) -> int:
    """Return how many instructions for one float32 a compute unit can start in each clock."""
    handle = device.handle
    if device.kind == "cpu":
        return 4 * int(handle.native_vector_width_float)
    if device.nvidia_generation:
        capability = (device.nvidia_generation, int(handle.compute_capability_minor_nv))
        return 64 if capability in HALF_AS_MANY_LANES else 128
    return 64


def copy_rate(device: reedsp.Device, elements: int, repeats: int) -> float:
    """Return the bytes that the fastest copy reads and writes in a nanosecond."""
    x = np.random.default_rng(SEED).random(elements, np.float32)
    solves = [(copy, no_check) for _, copy in copies(device, x, Job(device))]
    return max(2 * x.nbytes / 1e6 / times["min_ms"] for times in measure_in_turn(solves, repeats))


def rows(device: reedsp.Device, n: int, elements: int, repeats: int) -> Iterator[Row]:
    clock, lanes = int(device.handle.max_clock_frequency), lanes_of(device)
    ceiling = device.compute_units * lanes * clock / 1e3 / INSTRUCTIONS_PER_TASK
    rate_of_copy = copy_rate(device, elements, repeats)
    bound = rate_of_copy / BYTES_PER_TASK
    for method, times in zip(METHODS, measured(device, n, LADDER_KIND, list(METHODS), repeats), strict=True):
        rate = n**3 / times["min_ms"] / 1e6
        seconds = LUND_SMITH_SECONDS.get(method, {}).get(LUND_SMITH_RATES_AT)
        paper = LUND_SMITH_RATES_AT**3 / seconds / 1e9 if seconds else None
        yield {
            "method": method,
            "n": n,
            "kind": LADDER_KIND,
            "seed": SEED,
            "compute_units": device.compute_units,
            "clock_mhz": clock,
            "lanes": lanes,
            "bytes_of_memory": device.global_memory,
            "ceiling_gigatasks_per_second": round(ceiling, 1),
            "copy_gigabytes_per_second": round(rate_of_copy, 1),
            "bandwidth_gigatasks_per_second": round(bound, 2),
            **times,
            "gigatasks_per_second": round(rate, 2),
            "of_ceiling": round(rate / ceiling, 4),
            "of_bandwidth": round(rate / bound, 4) if method == BY_TASKS else "",
            "paper_gigatasks_per_second": round(paper, 2) if paper else "",
            "paper_of_ceiling": round(paper / PAPER_CEILING, 4) if paper else "",
            "paper_of_bandwidth": round(paper / PAPER_BOUND, 4) if paper and method == BY_TASKS else "",
        }


def cases(setting: Setting) -> list[Case]:
    device = setting.device
    n, power, repeats = (8192, 28, 2) if device.kind == "gpu" else (2048, 26, 1)
    if setting.quick:
        n, power, repeats = 256, 20, 1
    return [(f"n = {n}", partial(rows, device, n, 1 << power, repeats))]


def impossible(setting: Setting) -> str:
    """Return why no ceiling can be computed."""
    return "" if setting.device.handle.max_clock_frequency else "the driver does not say how fast the clock is"


def plot(rows: list[dict[str, str]]) -> Figure:
    """Draw tasks per second below the bounds, and the part of the arithmetic ceiling that is attained."""
    figure, [left, right] = panels(2, 4.0, 4.4)
    names = [row["method"].replace("-", "-\n") for row in rows]
    ours, paper = device_of(rows), f"{LUND_SMITH_DEVICE}, paper"

    def series(column: str, factor: float) -> dict[str, list[float | None]]:
        return {
            ours: [factor * float(row[column]) for row in rows],
            paper: [factor * float(value) if (value := row[f"paper_{column}"]) else None for row in rows],
        }

    bars(left, names, series("gigatasks_per_second", 1), "")
    bounds = {
        "arithmetic ceiling": float(rows[0]["ceiling_gigatasks_per_second"]),
        "copy bandwidth / 16 bytes": float(rows[0]["bandwidth_gigatasks_per_second"]),
    }
    for (name, bound), dash in zip(bounds.items(), ("-", "--"), strict=True):
        left.axhline(bound, color=INK, linewidth=0.9, linestyle=dash, label=f"{name}, {ours}")
    title = f"Floyd-Warshall, float32, n = {int(rows[0]['n']):,}"
    finish(left, "", "10$^9$ tasks per second", title, "y")
    slowest = min(float(row["gigatasks_per_second"]) for row in rows)
    left.set_ylim(min(1, slowest / 3), 60 * left.get_ylim()[1])
    left.legend(fontsize=7, frameon=False, loc="upper left")
    bars(right, names, series("of_ceiling", 100), "")
    finish(right, "", "% of the arithmetic ceiling", "What is attained of the ceiling", "")
    for axes in (left, right):
        axes.set_xticks(range(len(names)), names, rotation=0, ha="center")
    return figure


EXPERIMENT = Experiment(
    "Floyd-Warshall against the ceilings of the device (Lund and Smith, sections 3.1 and 5)", cases, plot, impossible
)
