"""The parameters of a device in the model of Ma, Agrawal and Chamberlain, and what Table III makes of each of them.

Parameters are measured as by ``reedsp calibrate``, and counted in operations of a core, of which it does one a clock:
a sum and a minimum of int32 are two. Fast memory that a device does not have is the part of a table that is read RATIO
times as fast as the slowest one. One parameter after the other is then varied, and the formulae say which part of a
PRAM's speed each algorithm keeps, for VERTICES vertices with n / lg n edges each: figures that the paper does not have.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from functools import partial

import pyopencl as cl
from matplotlib.figure import Figure

from experiments.lib.experiment import Case, Experiment, Row, Setting
from experiments.lib.plotting import INK, device_of, finish, line
from reedsp.cost_model import calibrate
from reedsp.cost_model.machine import Machine
from reedsp.cost_model.many_core import TABLE, ManyCore, Program, speedup
from reedsp.device.device import Device

VERTICES = 1 << 17  # more than fit into fast memory
RATIO = 10
FACTORS = tuple(2.0**power for power in range(-8, 9))
SIZES = tuple(1 << power for power in range(8, 21, 2))
LETTERS = {
    "latency": "L",
    "cores": "P",
    "coalesced": "C",
    "local_words": "Z",
    "cores_together": "Q",
    "most_threads": "X",
}
VARIED = ("latency", "coalesced", "local_words", "most_threads")


def many_core(device: Device, machine: Machine) -> ManyCore:
    """Return the parameters of a device."""
    clock = 1e6 * device.handle.max_clock_frequency
    cores = max(1, round(2 * machine.pairs["int32"] / clock))
    (smallest, _), *_, (_, slowest) = machine.latencies
    fast = max([size for size, seconds in machine.latencies if RATIO * seconds <= slowest], default=smallest)
    has_fast = device.handle.local_mem_type == cl.device_local_mem_type.LOCAL
    return ManyCore(
        latency=slowest * clock,
        cores=cores,
        coalesced=machine.coalesced,
        local_words=(device.local_memory if has_fast else fast) / 4,
        cores_together=cores / device.compute_units,
        most_threads=max(1, machine.threads / cores),
    )


def program_of(name: str, n: float, machine: ManyCore) -> Program:
    return TABLE[name].program(n, n * n / math.log2(n), machine)


def part_of_pram(name: str, n: float, machine: ManyCore) -> float:
    """Return how fast an algorithm is, beside a PRAM of as many cores; without the span, as Table III has it."""
    return speedup(program_of(name, n, machine), machine, span=False) / machine.cores


def row_of(what: str, name: str, x: float, value: float) -> Row:
    return {"what": what, "name": name, "x": f"{x:.6g}", "value": f"{value:.6g}"}


def values_around(value: float) -> list[float]:
    """Return values that a parameter may have: there is no part of a word, of a thread or of a core."""
    return [factor * value for factor in FACTORS if factor * value >= 1]


def rows(setting: Setting) -> Iterator[Row]:
    measured = calibrate.measured(setting.device)
    machine = many_core(setting.device, measured)
    yield row_of("parameter", "operations a second", 0, 2 * measured.pairs["int32"])
    for field, letter in LETTERS.items():
        yield row_of("parameter", letter, 0, getattr(machine, field))
    for name in TABLE:
        for field in VARIED:
            for value in values_around(getattr(machine, field)):
                varied = dataclasses.replace(machine, **{field: value})
                yield row_of(LETTERS[field], name, value, part_of_pram(name, VERTICES, varied))
        for n in SIZES:
            yield row_of("n", name, n, part_of_pram(name, n, machine))
        for cores in values_around(machine.cores):
            varied = dataclasses.replace(machine, cores=cores)
            yield row_of("P", name, cores, speedup(program_of(name, VERTICES, varied), varied))


def cases(setting: Setting) -> list[Case]:
    return [("parameters and formulae", partial(rows, setting))]


def plot(rows: list[dict[str, str]]) -> Figure:
    """Draw what each parameter does, and where the device is."""
    figure = Figure(figsize=(9.4, 6.4), layout="constrained")
    of_device = {row["name"]: float(row["value"]) for row in rows if row["what"] == "parameter"}
    titles = {
        "L": "latency L, operations of a core",
        "C": "words of an access C",
        "Z": "words of fast memory Z",
        "X": "threads of a core X",
        "n": "vertices n",
        "P": "cores P",
    }
    for axes, (what, title) in zip(figure.subplots(2, 3).flat, titles.items(), strict=True):
        for number, name in enumerate(TABLE):
            chosen = [row for row in rows if (row["what"], row["name"]) == (what, name)]
            line(axes, [(float(row["x"]), float(row["value"])) for row in chosen], name, number, markersize=3)
        if what in of_device:
            axes.axvline(of_device[what], color=INK, linewidth=0.8)
        finish(axes, title, "times as fast as one core" if what == "P" else "part of a PRAM's speed", "")
        axes.legend().remove()
        names = axes.get_legend_handles_labels()
    figure.legend(*names, loc="outside lower center", ncols=len(TABLE), fontsize=8, frameon=False)
    figure.suptitle(f"Table III with the parameters of {device_of(rows)} (upright lines)", fontsize=11)
    return figure


EXPERIMENT = Experiment(
    "A device in the model of Ma, Agrawal and Chamberlain, and Table III as curves of its parameters", cases, plot
)
