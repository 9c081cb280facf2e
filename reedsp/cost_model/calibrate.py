"""Measure the parameters of a machine: ``reedsp calibrate``."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pyopencl as cl

from reedsp.arithmetic.types import C_TYPES
from reedsp.cost_model import families
from reedsp.cost_model.machine import FILES, Machine, identity_of
from reedsp.device.build import constants
from reedsp.device.device import Device
from reedsp.device.job import Argument, BoundKernel, Job, Kernel

Progress = Callable[[float, str], None]
"""Told which part of the work is done, between 0 and 1, and what is being measured."""

_PROBES, _PAIRS = "cost_model/probes.cl", "cost_model/pairs.cl"
_LINE = 64  # bytes between the words of a chase, so that each is in another cache line
_CHASED = tuple(1 << power for power in (14, 17, 20, 22, 24, 26))  # bytes
_TABLE = 1 << 27  # bytes, more than caches hold
_STRIDES = (1, 2, 4, 8, 16, 32, 64)  # words
_NUMBERS = (np.uint16, np.int32, np.int64, np.float32, np.float64)
_GPU_GROUP, _CPU_GROUP, _CPU_LANES, _GPU_LANES = 256, 64, 16, 4
_GPU_ITEMS, _CPU_ITEMS = 2048, 512  # of a compute unit
_ENOUGH = 3e-3  # seconds of a launch that is timed
_MOST_STEPS = 1 << 22
_REPEATS = 9
_LAUNCHES, _READ_BACKS = 200, 30
_NEARLY = 0.8  # of the best rate, or of the longest time
_SENT = 1 << 26  # bytes
_CHAINS = constants(_PAIRS)["CHAINS"]


def calibrate(device: Device, progress: Progress | None = None) -> Machine:
    """Measure what a device can do, and store it for this user; it takes some seconds.

    Parameters
    ----------
    device : Device
    progress : callable(part, text), optional

    Raises
    ------
    OSError
        It cannot be stored.
    """
    identity = identity_of(device)
    FILES.path(identity)  # raises now what it would raise afterwards
    machine = measured(device, progress)
    FILES.write(identity, machine.content())
    families.forget(device)
    return machine


def measured(device: Device, progress: Progress | None = None) -> Machine:
    """Measure what a device can do."""
    bench = _Bench(device)
    steps: dict[str, Callable[[], Any]] = {
        "latencies": bench.latencies,
        "bandwidth": bench.bandwidth,
        "random_reads": bench.random_reads,
        "atomic_minima": bench.atomic_minima,
        "coalesced": bench.coalesced,
        "threads": bench.threads,
        "barrier": bench.barrier,
        "launch": bench.launch,
        "read_back": bench.read_back,
        "upload": bench.upload,
        "download": bench.download,
        "pairs": bench.pairs,
    }
    found = {}
    for number, (name, measure) in enumerate(steps.items()):
        if progress is not None:
            progress(number / len(steps), name.replace("_", " "))
        found[name] = measure()
    return Machine(**found)


class _Bench:
    """A device, memory on it, and how long its kernels take."""

    def __init__(self, device: Device) -> None:
        self._device, self._job = device, Job(device)
        is_cpu = device.kind == "cpu"
        wanted = _CPU_GROUP if is_cpu else _GPU_GROUP
        self._group = min(wanted, 1 << device.max_work_group_size.bit_length() - 1)
        self._items = self._rounded((_CPU_ITEMS if is_cpu else _GPU_ITEMS) * device.compute_units)
        self._lanes = _CPU_LANES if is_cpu else _GPU_LANES
        room = min(_TABLE, device.max_allocation, device.global_memory // 8)
        self._bytes = 1 << room.bit_length() - 1
        self._table = self._job.full(self._bytes // 4, np.uint32(1))
        self._results = self._job.allocate(4 * max(self._items, self._group), np.uint32)

    def _rounded(self, items: int) -> int:
        return -(-items // self._group) * self._group

    # ---- how long it takes ----

    def _shortest(self, work: Callable[[], object], repeats: int = _REPEATS) -> float:
        """Return the least seconds of some work, which has been done once before."""
        times = []
        for _ in range(1 + repeats):
            started = time.perf_counter()
            work()
            self._job.finish()
            times.append(time.perf_counter() - started)
        return min(times[1:])

    def _probe(self, name: str, group: int | None = None) -> Kernel:
        return self._device.kernel(_PROBES, name, GROUP_SIZE=self._group if group is None else group)

    def _rate(self, kernel: Kernel, items: int, group: int, *args: Argument) -> float:
        """Return how many steps per second a kernel makes, whose last argument is their number, in all its work-items.

        The number of steps grows until they take long enough to be timed.
        """
        steps = 16
        while True:
            bound = self._job.bind(kernel, items, group, *args, np.uint32(steps))
            seconds = self._shortest(bound.queue, 1)
            if seconds >= _ENOUGH or steps >= _MOST_STEPS:
                seconds = min(seconds, self._shortest(bound.queue))
                if seconds >= _ENOUGH / 2 or steps >= _MOST_STEPS:  # else something else took the time
                    return items * steps / seconds
            steps = min(_MOST_STEPS, steps * int(np.clip(1.5 * _ENOUGH / seconds, 2, 32)))

    # ---- what is measured ----

    def latencies(self) -> tuple[tuple[int, float], ...]:
        """Follow one cycle through all words of a table, whose sizes grow, by one work-item."""
        sizes = [size for size in _CHASED if size <= self._bytes]
        found = [(size, 1 / self._chase(size)) for size in sizes]
        longest = itertools.accumulate((seconds for _, seconds in found), max)
        return tuple(zip(sizes, longest, strict=True))

    def _chase(self, size: int) -> float:
        words = _LINE // 4
        order = np.random.default_rng(2012).permutation(size // _LINE)
        order = np.roll(order, -int(np.argmin(order)))  # begins at the first word
        following = np.zeros(size // 4, np.uint32)
        following[order * words] = np.roll(order, -1) * words
        return self._rate(self._probe("chase"), 1, 1, self._job.upload(following), self._results)

    def bandwidth(self) -> float:
        """Copy one half of the table to the other."""
        half = self._bytes // 2
        to = self._job.allocate(half, np.uint8)
        bound = self._job.bind(self._probe("copy"), half // 16, self._group, self._table, to)
        return 2 * half / self._shortest(bound.queue)

    @property
    def _mask(self) -> np.uint32:
        return np.uint32(self._bytes // 4 - 1)

    def random_reads(self) -> float:
        """Read words anywhere."""
        return self._rate(self._probe("gather"), self._items, self._group, self._table, self._results, self._mask)

    def atomic_minima(self) -> float:
        """Lower words anywhere."""
        return self._rate(self._probe("lower"), self._items, self._group, self._table, self._mask)

    def coalesced(self) -> int:
        """Read words that are farther and farther apart, until it hardly takes longer."""
        kernel, memory = self._probe("strided"), (self._table, self._results, self._mask)
        rates = [self._rate(kernel, self._items, self._group, *memory, np.uint32(stride)) for stride in _STRIDES]
        seconds = [1 / rate for rate in rates]
        return next(stride for stride, each in zip(_STRIDES, seconds, strict=True) if each >= _NEARLY * max(seconds))

    def threads(self) -> int:
        """Read words anywhere with more and more work-items, until it hardly becomes faster."""
        counts = [1 << power for power in range(self._items.bit_length())]
        rates = []
        for items in counts:
            group = 1 if self._device.kind == "cpu" else min(items, self._group)
            kernel = self._probe("gather", group)
            rates.append(self._rate(kernel, items, group, self._table, self._results, self._mask))
        return next(items for items, rate in zip(counts, rates, strict=True) if rate >= _NEARLY * max(rates))

    def barrier(self) -> float:
        """Have one work-group wait for itself, twice a step."""
        return self._group / self._rate(self._probe("barriers"), self._group, self._group, self._results) / 2

    def launch(self) -> float:
        """Queue a kernel that does nothing again and again."""
        bound = self._nothing()

        def queue() -> None:
            for _ in range(_LAUNCHES):
                bound.queue()

        return self._shortest(queue) / _LAUNCHES

    def read_back(self) -> float:
        """Queue a kernel and wait for a word of its results, again and again."""
        bound = self._nothing()

        def run() -> None:
            for _ in range(_READ_BACKS):
                bound.queue()
                self._job.download(self._results, 1, np.uint32)

        return self._shortest(run) / _READ_BACKS

    def _nothing(self) -> BoundKernel:
        return self._job.bind(self._probe("nothing"), self._group, self._group, self._results)

    def upload(self) -> float:
        """Copy an array to the device, as a call does."""
        sent = np.zeros(min(_SENT, self._bytes), np.uint8)

        def send() -> cl.Buffer:
            return self._job.upload(sent)

        return sent.nbytes / self._shortest(send)

    def download(self) -> float:
        """Copy an array back."""
        received = np.empty(min(_SENT, self._bytes) // 4, np.uint32)
        return received.nbytes / self._shortest(lambda: self._job.download_into(received, self._table))

    def pairs(self) -> dict[str, float]:
        """Add numbers and take minima, in registers, in each type of them."""
        found = {}
        for dtype in map(np.dtype, _NUMBERS):
            if dtype == np.float64 and not self._device.fp64:
                continue
            macros: dict[str, str | int] = {"NUMBER": C_TYPES[dtype], "LANES": self._lanes, "GROUP_SIZE": self._group}
            kernel = self._device.kernel(_PAIRS, "pairs", **macros)
            results = self._job.allocate(self._items * self._lanes, dtype)
            steps = self._rate(kernel, self._items, self._group, results, np.ones(1, dtype)[0])
            found[str(dtype)] = steps * self._lanes * _CHAINS
        return found
