"""Sorts: by digits, and Dulle's merge sort (section 5.3) with every presort and several lengths of lists.

The keys are on the device already; "whole call" is from an array of numpy to another. The ways on the device take
turns, and then whole calls and numpy's do: a GPU that has waited for numpy is slower at first. Every result is compared
with numpy's. The rows of RANK say what its flag b does to equal keys, by a model of one merge.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pyopencl.array as cl_array
from matplotlib.figure import Figure

import reedsp
from experiments.lib.experiment import Case, Experiment, Row, Setting, WrongAnswerError
from experiments.lib.measure import measure_in_turn
from experiments.lib.plotting import device_of, finish, line, panels

SEED = 2016
SMALLEST = 12  # of the sizes, as a power of two
STEP = 2
WARM_UP = 2
SLOW_FROM = 24  # from which size on odd-even transposition, lists of one and indices are left out
LARGE_FROM, LARGE_REPEATS = 26, 3  # numpy takes many seconds there
LISTS = {"bitonic": (16, 64, 256, 1024), "odd-even": (16, 64, 256), "none": (2,)}
RANKS = {"b as printed": (True, False), "b exchanged": (False, True), "without b": (False, False)}
"""Whether an element of the first list counts equal ones of the second, and the other way round."""

PLOTTED = (
    ("fast", "", ""),
    ("merge", "bitonic", "256"),
    ("merge", "odd-even", "64"),
    ("merge", "none", ""),
    ("whole call", "", ""),
    ("numpy.sort", "", ""),
)

Way = tuple[str, str, int | str]


def ways(device: reedsp.Device, x: np.ndarray, power: int) -> Iterator[tuple[Way, Callable[[], Callable[[], Any]]]]:
    """Yield method, presort and length of lists, and a function that sorts and gives access to the result."""
    array, out = cl_array.to_device(device.queue, x), cl_array.empty(device.queue, x.size, x.dtype)

    def on_device(**how: Any) -> Callable[[], Any]:
        reedsp.sort(array, out=out, **how)
        device.queue.finish()
        return out.get

    yield ("fast", "", ""), on_device
    for presort, lengths in LISTS.items():
        for length in lengths:
            if length <= device.max_work_group_size and (presort == "bitonic" or power < SLOW_FROM):
                how = {"method": "merge", "presort": presort, "list_length": length}
                yield ("merge", presort, "" if presort == "none" else length), partial(on_device, **how)

    def whole(sort: Callable[[], np.ndarray]) -> Callable[[], Any]:
        result = sort()
        return lambda: result

    def indices(sort: Callable[[], np.ndarray]) -> Callable[[], Any]:
        result = sort()
        return lambda: x[result]

    yield ("whole call", "", ""), partial(whole, lambda: reedsp.sort(x, device=device))
    yield ("numpy.sort", "", ""), partial(whole, lambda: np.sort(x))
    if power < SLOW_FROM:
        yield ("whole call, indices", "", ""), partial(indices, lambda: reedsp.argsort(x, device=device))
        yield ("numpy.argsort", "", ""), partial(indices, lambda: np.argsort(x))


def rows(device: reedsp.Device, power: int, repeats: int) -> Iterator[Row]:
    x = np.random.default_rng(SEED).integers(0, 1 << 32, 1 << power, np.uint32)
    expected = np.sort(x)

    def check(result: Callable[[], Any]) -> None:
        if not np.array_equal(result(), expected):
            raise WrongAnswerError("not sorted")

    solves = dict(ways(device, x, power))
    repeats = min(repeats, LARGE_REPEATS) if power >= LARGE_FROM else repeats
    on_device = {way: solve for way, solve in solves.items() if way[0] in ("fast", "merge")}
    times: list[dict[str, Any]] = []
    for group in (on_device, {way: solve for way, solve in solves.items() if way not in on_device}):
        times += measure_in_turn([(solve, check) for solve in group.values()], repeats, WARM_UP)
    for (method, presort, length), each in zip(solves, times, strict=True):
        rate = round(x.size / 1e6 / each["min_ms"], 4)
        what = {"method": method, "presort": presort, "list_length": length, "n": x.size, "seed": SEED}
        yield {**what, **each, "gigakeys_per_second": rate, "places": "", "stable": ""}


def ranks(n: int) -> Iterator[Row]:
    """Yield what the flag does: how many places of a merge are taken, and whether equal keys keep their order."""
    keys = np.random.default_rng(SEED).integers(0, n // 8, n)
    first, second = np.sort(keys[: n // 2]), np.sort(keys[n // 2 :])
    for name, flags in RANKS.items():
        sides = ["right" if flag else "left" for flag in flags]
        places = np.concatenate(
            [
                np.arange(first.size) + np.searchsorted(second, first, sides[0]),
                np.arange(second.size) + np.searchsorted(first, second, sides[1]),
            ]
        )
        taken = np.unique(places).size
        stable = np.argsort(np.concatenate([first, second]), kind="stable")
        is_stable = taken == n and np.array_equal(places[stable], np.arange(n))
        what = {"method": f"RANK, {name}", "presort": "", "list_length": "", "n": n, "seed": SEED}
        empty = dict.fromkeys(("first_ms", "min_ms", "median_ms", "repeats", "gigakeys_per_second"), "")
        yield {**what, **empty, "places": taken, "stable": is_stable}


def cases(setting: Setting) -> list[Case]:
    largest = 14 if setting.quick else 22 if setting.device.kind == "cpu" else 28
    repeats = 1 if setting.quick else 7
    timed: list[Case] = [
        (f"2^{power}", partial(rows, setting.device, power, repeats)) for power in range(SMALLEST, largest + 1, STEP)
    ]
    return [("RANK", partial(ranks, 1000)), *timed]


def plot(rows: list[dict[str, str]]) -> Figure:
    """Draw how many keys each way sorts in a second against their number."""
    figure, [axes] = panels()
    for number, way in enumerate(PLOTTED):
        points = [
            (float(row["n"]), float(row["gigakeys_per_second"]))
            for row in rows
            if (row["method"], row["presort"], row["list_length"]) == way
        ]
        if points:
            line(axes, points, " ".join(filter(None, way)), number)
    finish(axes, "keys (uint32)", "10^9 keys a second", f"Sorts: {device_of(rows)}")
    return figure


EXPERIMENT = Experiment("Dulle section 5.3: sorts of uint32, by digits and by merging", cases, plot)
