"""Find the tilings that products are quickest with on a device, and store them: ``reedsp tune``.

A search along one coordinate at a time, from what is in use. All values of a coordinate are tried in turn, several
times, and the shortest time of each counts; what gives wrong products, or fails, is passed over.
"""

from __future__ import annotations

import itertools
import logging
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyopencl as cl

from reedsp.arithmetic.matrix import Weights
from reedsp.device.device import Device
from reedsp.device.errors import DeviceError
from reedsp.device.job import Job
from reedsp.minplus.blocks import Products
from reedsp.minplus.matrix import Block
from reedsp.minplus.selfcheck import is_right, numbers, product
from reedsp.minplus.tilings import (
    ARITHMETICS,
    FILES,
    Tiling,
    complete,
    describe,
    fits,
    make,
    name_of,
    pairs,
    panels,
    parameters_of,
    read_anew,
    registers,
    tabled,
    tilings_for,
    tuned,
    tuning_file,
    vector_length,
    works_in_groups,
)

_log = logging.getLogger(__name__)

Parameters = dict[str, int]
Progress = Callable[[float, str], None]
"""Told which part of the work is done, between 0 and 1, and what is being looked at."""

_ENOUGH_SECONDS = 5e-3  # of a product that is timed
_SMALLEST, _LARGEST = 256, 8192  # sides of the matrices
_CHECKED_ROWS = 8
_HOPELESS = 2.0  # times the shortest time: not tried again after some rounds
_ROUNDS_FOR_ALL = 3
_WORTHWHILE = 1.03  # times the present rate: less may be chance
_FINAL_ROUNDS = 20


@dataclass(frozen=True)
class _Effort:
    rounds: int
    sweeps: int
    seconds: float  # for an arithmetic; what is found by then is taken


_QUICK = _Effort(rounds=4, sweeps=1, seconds=5.0)
_THOROUGH = _Effort(rounds=8, sweeps=2, seconds=35.0)


@dataclass(frozen=True)
class Outcome:
    """What was found for one arithmetic, in billions of pairs (sum, minimum) per second.

    Attributes
    ----------
    arithmetic : str
    before, after : Tiling
        What was in use, and what is now; the same if nothing is worth a change.
    rate_before, rate_after : float
        0 if the tiling gives wrong products, or fails.
    small : bool
        This is the tiling for products that are too small, or of the wrong shape, for a larger one.
    """

    arithmetic: str
    before: Tiling
    rate_before: float
    after: Tiling
    rate_after: float
    small: bool = False


def tune(device: Device, quick: bool = False, progress: Progress | None = None) -> list[Outcome]:
    """Find the tilings that a device is quickest with, and store them for this user.

    What was found is stored after each arithmetic, so that an interruption loses little.

    Parameters
    ----------
    device : Device
    quick : bool
        Look at fewer tilings, for about a minute instead of a few.
    progress : callable(part, text), optional

    Returns
    -------
    list of Outcome

    Raises
    ------
    DeviceError
        No tiling gives right products in one of the arithmetics.
    OSError
        What is found could not be stored.
    """
    tuning_file(device)  # raises now what it would raise afterwards
    effort = _QUICK if quick else _THOROUGH
    arithmetics = {name: each for name, each in ARITHMETICS.items() if device.fp64 or each.dtype != np.float64}
    outcomes: list[Outcome] = []
    for number, (name, weights) in enumerate(arithmetics.items()):
        bench = _Bench(device, weights)

        def report(part: float, number: int = number, name: str = name) -> None:
            if progress is not None:
                progress((number + part) / len(arithmetics), name)

        report(0.0)
        found = _outcomes(bench, name, effort, report)
        _keep(bench, name, [outcome.after for outcome in found])
        outcomes += found
    return outcomes


def forget(device: Device) -> bool:
    """Delete what is stored for a device; return whether there was something."""
    existed = FILES.forget(device.identity)
    read_anew(device)
    return existed


# ---- candidates -------------------------------------------------------------------------------------

Coordinates = list[list[Parameters]]
"""Values that are tried in turn, each with the best ones of the others."""


def _panel_coordinates(native: int, quick: bool) -> Coordinates:
    lengths = [length for length in (native, native // 2, 2 * native) if 2 <= length <= 16]
    rows = (4, 6, 8, 12) if quick else (2, 3, 4, 5, 6, 7, 8, 10, 12)
    entries = [{"vectors": vectors, "item_rows": height} for vectors, height in itertools.product((1, 2, 4), rows)]
    if quick:
        return [
            [{"item_rows": each} for each in rows],
            [{"vectors": each} for each in (1, 2, 4)],
            [{"depth": each} for each in (128, 256, 512)],
        ]
    sides = itertools.product((128, 256, 512), (32, 48, 64, 96))
    blocks = [{"depth": depth, "rows": height} for depth, height in sides]
    return [entries, [{"vector_length": each} for each in lengths], blocks]


def _group_coordinates(large: bool, weights: Weights, quick: bool) -> Coordinates:
    sides = [(128, 64), (64, 128), (128, 128)] if large else [(64, 64)]
    tiles = [{"rows": rows, "columns": columns} for rows, columns in sides]
    entries = [(8, 8), (8, 4), (4, 8), (8, 16), (16, 8), (4, 4)]
    if weights.dtype.itemsize == 2:
        entries = [(8, 16), (8, 8), (16, 8), (16, 16), (4, 16), (4, 8)]
    items = [{"item_rows": rows, "item_columns": columns} for rows, columns in entries[: 3 if quick else 6]]
    depths = [{"depth": each} for each in (8, 16, 32)]
    if quick:
        return [depths, tiles, items]
    return [[{**tile, **depth} for tile, depth in itertools.product(tiles, depths)], items, depths]


def _varied(tiling: Tiling, values: Iterable[Parameters], device: Device, weights: Weights) -> Iterator[Tiling]:
    """Yield the tilings that differ from this one in one coordinate, and fit."""
    for changes in values:
        candidate = complete(make(tiling.kernel, {**parameters_of(tiling), **changes}), device)
        if candidate != tiling and fits(candidate, device, weights):
            yield candidate


# ---- measuring --------------------------------------------------------------------------------------


class _Bench:
    """Square matrices on a device, and how fast tilings multiply them.

    Parameters
    ----------
    device : Device
    weights : Weights
    """

    def __init__(self, device: Device, weights: Weights) -> None:
        self.device = device
        self.weights = weights
        self.in_groups = works_in_groups(device)
        self._job = Job(device)
        self._rng = np.random.default_rng(2012)
        self._products: dict[str, Products | None] = {}  # None: wrong, or it failed
        self._resize(_SMALLEST)

    def choose_size(self, tiling: Tiling) -> None:
        """Make the matrices as large as a product needs to take long enough to be timed."""
        memory = min(self.device.max_allocation, self.device.global_memory // 8)
        while 2 * self._n <= _LARGEST and 4 * self._n**2 * self.weights.dtype.itemsize <= memory:
            products = self._products_with(tiling)
            if min(self._seconds(products) for _ in range(3)) >= _ENOUGH_SECONDS:  # the first one builds a kernel
                break
            self._resize(2 * self._n)
        self.works(tiling)  # so that the search does not have to wait for numpy

    def works(self, tiling: Tiling) -> bool:
        """Return whether some rows of a product with this tiling are right, as numpy has them."""
        if (key := repr(tiling)) not in self._products:
            products = self._products_with(tiling)
            self._products[key] = (
                products if self._passes(tiling, lambda: self._some_rows_are_right(products)) else None
            )
        return self._products[key] is not None

    def is_right(self, tiling: Tiling) -> bool:
        """Return whether all of a smaller product is right."""
        return self._passes(tiling, lambda: is_right(self.device, self.weights, self.in_groups, tiling))

    def rates(self, tilings: Sequence[Tiling], rounds: int, rounds_for_all: int = _ROUNDS_FOR_ALL) -> list[float]:
        """Return billions of pairs per second with each of the tilings; 0 with those that do not work."""
        best = [np.inf] * len(tilings)
        for number in range(rounds):
            hopeless = _HOPELESS * min(best, default=np.inf)
            for index, tiling in enumerate(tilings):
                if self.works(tiling) and (number < rounds_for_all or best[index] <= hopeless):
                    products = self._products[repr(tiling)]
                    assert products is not None
                    best[index] = min(best[index], self._seconds(products))
        return [self._n**3 / seconds / 1e9 for seconds in best]

    def _products_with(self, tiling: Tiling) -> Products:
        return Products(self._job, self.weights, self.in_groups, [tiling])

    def _resize(self, n: int) -> None:
        self._n = n
        self._products.clear()
        self._a, self._b = (numbers((n, n), self.weights, self._rng) for _ in range(2))
        self._right: npt.NDArray[Any] | None = None
        buffers = self._job.upload(self._a), self._job.upload(self._b), self._job.allocate(n * n, self.weights.dtype)
        self._blocks = Block(buffers[0], n), Block(buffers[1], n), Block(buffers[2], n)

    def _seconds(self, products: Products) -> float:
        started = time.perf_counter()
        products.queue(*self._blocks, (self._n, self._n, self._n))
        self._job.finish()
        return time.perf_counter() - started

    # ---- checking ----

    def _passes(self, tiling: Tiling, check: Callable[[], bool]) -> bool:
        try:
            if check():
                return True
            reason = "wrong products"
        except (DeviceError, cl.Error) as error:
            reason = str(error)
        _log.info("%s: %s of %s is passed over: %s", self.device, name_of(self.weights), describe(tiling), reason)
        return False

    def _some_rows_are_right(self, products: Products) -> bool:
        job, n, dtype = self._job, self._n, self.weights.dtype
        chosen = np.linspace(0, n - 1, _CHECKED_ROWS, dtype=np.intp)
        if self._right is None:
            self._right = product(self._a[chosen], self._b, self.weights)
        a, _, c = self._blocks
        job.copy(c.buffer, 0, a.buffer, 0, n * n * dtype.itemsize)  # so that what is not written is wrong
        products.queue(*self._blocks, (n, n, n))
        rows = [job.download_rows(c.buffer, int(row) * n, (1, n), dtype)[0] for row in chosen]
        return np.array_equal(rows, self._right)


# ---- searching --------------------------------------------------------------------------------------


def _outcomes(bench: _Bench, name: str, effort: _Effort, report: Callable[[float], None]) -> list[Outcome]:
    """Return what is best in one arithmetic; in work-groups the tiling for large products first."""
    device, weights, in_groups = bench.device, bench.weights, bench.in_groups
    in_use = tilings_for(device, weights, in_groups)
    known = [*in_use, *tabled(device, weights, in_groups), _frugal(device, weights, in_groups)]
    working = next((tiling for tiling in known if bench.works(tiling)), None)
    if working is None:
        raise DeviceError(f"{device}: no tiling gives right products in {name}")
    bench.choose_size(working)
    quick = effort is _QUICK
    if not in_groups:
        coordinates = _panel_coordinates(vector_length(device, weights), quick)
        return [_compared(bench, name, in_use[0], _search(bench, known, coordinates, effort, report))]
    half = replace(effort, seconds=effort.seconds / 2)
    smallest = [tiling for tiling in known if _area(tiling) == _area(in_use[-1])]
    found = _search(bench, smallest, _group_coordinates(False, weights, quick), half, lambda part: report(part / 2))
    small = _compared(bench, name, in_use[-1], found, small=True)
    larger = [tiling for tiling in known if _area(tiling) > _area(small.after)]
    larger += _varied(small.after, [{"rows": 128}, {"columns": 128}], device, weights)
    found = _search(bench, larger, _group_coordinates(True, weights, quick), half, lambda part: report((1 + part) / 2))
    large = _compared(bench, name, in_use[0], found or [small.after])
    if large.after in (small.before, small.after) or large.rate_after < small.rate_after:
        return [replace(small, before=large.before, rate_before=large.rate_before, small=False)]
    return [large, small]


def _search(
    bench: _Bench, starts: list[Tiling], coordinates: Coordinates, effort: _Effort, report: Callable[[float], None]
) -> list[Tiling]:
    """Return tilings that work, each quicker than those before it."""
    started = time.perf_counter()
    tried: set[str] = set()
    found: list[Tiling] = []

    def spent() -> float:
        return (time.perf_counter() - started) / effort.seconds

    def try_all(candidates: Iterable[Tiling]) -> None:
        compared = found[-1:]
        for tiling in candidates:
            if repr(tiling) not in tried and (spent() < 1 or not compared):
                tried.add(repr(tiling))
                if bench.works(tiling):
                    compared.append(tiling)
                report(min(1.0, spent()))
        if len(compared) > len(found[-1:]):
            rates = bench.rates(compared, effort.rounds)
            best = compared[int(np.argmax(rates))]
            if best not in found:
                found.append(best)

    try_all(starts)
    for _ in range(effort.sweeps):
        before = found[-1:]
        for values in coordinates:
            if found:
                try_all(_varied(found[-1], values, bench.device, bench.weights))
        if found[-1:] == before:
            break
    return found


def _compared(bench: _Bench, name: str, before: Tiling, found: list[Tiling], small: bool = False) -> Outcome:
    """Return what is gained by the last of some tilings that is right in every way, if it is worth a change."""
    after = next((tiling for tiling in reversed(found) if bench.is_right(tiling)), None)
    if after is None:
        raise DeviceError(f"{bench.device}: no tiling gives right products in {name}")
    rate_before, rate_after = bench.rates([before, after], _FINAL_ROUNDS, _FINAL_ROUNDS)
    if after == before or 0 < rate_after < _WORTHWHILE * rate_before:
        after, rate_after = before, rate_before
    return Outcome(name, before, rate_before, after, rate_after, small)


def _frugal(device: Device, weights: Weights, in_groups: bool) -> Tiling:
    """Return a tiling that needs little of everything."""
    if not in_groups:
        return panels(min(4, vector_length(device, weights)), 1, 4)
    maker = pairs if weights.dtype.itemsize == 2 else registers
    return complete(maker(64, 64, 8, 8, 8), device)


def _area(tiling: Tiling) -> int:
    return tiling.rows * tiling.columns


# ---- storing ----------------------------------------------------------------------------------------


def store(device: Device, tilings: Mapping[str, Sequence[Tiling]]) -> None:
    """Store tilings for a device, by the name of the arithmetic, in place of what is stored.

    Raises
    ------
    OSError
        There is no directory that only this user can change, or it cannot be written to.
    """
    entries = {
        name: [{"kernel": tiling.kernel, **parameters_of(tiling)} for tiling in found]
        for name, found in tilings.items()
    }
    FILES.write(device.identity, entries)
    read_anew(device)


def _keep(bench: _Bench, name: str, found: list[Tiling]) -> None:
    """Store what was found for an arithmetic, unless it is what the tables say."""
    others = {known: tilings for known, tilings in tuned(bench.device).items() if known != name}
    if found != tabled(bench.device, bench.weights, bench.in_groups):
        others[name] = found
    if others or tuning_file(bench.device).exists():  # even if it is damaged
        store(bench.device, others)
