"""What the kernels of cl/cost_model/ compute, and what numpy says to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import numpy.typing as npt

from reedsp.arithmetic.types import C_TYPES
from reedsp.device.build import constants
from reedsp.device.device import Device
from reedsp.device.job import Argument, Job

Words = npt.NDArray[np.uint32]

PROBES, PAIRS = "cost_model/probes.cl", "cost_model/pairs.cl"
GROUP, GROUPS, STEPS = 8, 9, 5
ITEMS = GROUP * GROUPS
NUMBERS = ("uint16", "int32", "int64", "float32", "float64")


def after(x: Words) -> Words:
    return x * np.uint32(1664525) + np.uint32(1013904223)


def first_of(numbers: npt.NDArray[np.int64]) -> Words:
    return (numbers + 1).astype(np.uint32) * np.uint32(2654435761)


def run(device: Device, name: str, items: int, group: int, table: Words, *numbers: int) -> tuple[Words, Words]:
    """Run a probe; return its results, and what became of the table."""
    job = Job(device)
    buffer, results = job.upload(table), job.full(ITEMS, np.uint32(77))
    memory: tuple[Argument, ...] = {"lower": (buffer,), "nothing": (results,), "barriers": (results,)}.get(
        name, (buffer, results)
    )
    kernel = device.kernel(PROBES, name, GROUP_SIZE=group)
    job.launch(kernel, items, group, *memory, *map(np.uint32, numbers))
    return job.download(results, ITEMS, np.uint32), job.download(buffer, len(table), np.uint32)


def chases(device: Device) -> bool:
    following = np.array([3, 0, 1, 4, 2], np.uint32)
    return all(run(device, "chase", 1, 1, following, steps)[0][0] == [0, 3, 4, 2, 1, 0][steps] for steps in range(6))


def gathers(device: Device, stride: int | None) -> bool:
    """Whether the right words are added up: anywhere, or by neighbours some words apart."""
    table = np.random.default_rng(7).integers(0, 1 << 32, 64, np.uint32)
    items = np.arange(ITEMS)
    x, expected = first_of(items if stride is None else items // GROUP), np.zeros(ITEMS, np.uint32)
    for _ in range(STEPS):
        x = after(x)
        at = x >> np.uint32(3)
        if stride is not None:
            at = at // np.uint32(GROUP) * np.uint32(GROUP) + (items % GROUP * stride).astype(np.uint32)
        expected += table[at & np.uint32(63)]
    name, numbers = ("gather", (63, STEPS)) if stride is None else ("strided", (63, stride, STEPS))
    return np.array_equal(run(device, name, ITEMS, GROUP, table, *numbers)[0], expected)


def lowers(device: Device) -> bool:
    table = np.full(16, 3 << 30, np.uint32)
    x, expected = first_of(np.arange(ITEMS)), table.copy()
    for _ in range(STEPS):
        x = after(x)
        np.minimum.at(expected, (x >> np.uint32(3)) & np.uint32(15), x)
    return np.array_equal(run(device, "lower", ITEMS, GROUP, table, 15, STEPS)[1], expected)


def copies(device: Device) -> bool:
    table = np.arange(4 * ITEMS, dtype=np.uint32)
    job = Job(device)
    to = job.full(4 * ITEMS, np.uint32(77))
    job.launch(device.kernel(PROBES, "copy", GROUP_SIZE=GROUP), ITEMS, GROUP, job.upload(table), to)
    return np.array_equal(job.download(to, 4 * ITEMS, np.uint32), table)


def waits(device: Device) -> bool:
    """Whether each work-item sees what its neighbour has written."""
    sums = np.tile(np.arange(GROUP, dtype=np.uint32), GROUPS).reshape(GROUPS, GROUP)
    for _ in range(STEPS):
        sums = sums + np.roll(sums, -1, axis=1)
    return np.array_equal(run(device, "barriers", ITEMS, GROUP, np.zeros(1, np.uint32), STEPS)[0], sums.ravel())


def begins(device: Device) -> bool:
    return not run(device, "nothing", ITEMS, GROUP, np.zeros(1, np.uint32))[0].any()


def adds(device: Device, name: str, lanes: int, steps: int = STEPS) -> bool:
    """Whether sums and minima go around the ring."""
    dtype, chains = np.dtype(name), constants(PAIRS)["CHAINS"]
    values = np.arange(ITEMS)[:, None] % 64 + 8 * (5 * np.arange(chains) % chains)
    for _ in range(steps):
        for i in range(chains):
            values[:, i] = np.minimum(values[:, i], values[:, (i + 1) % chains] + 3)
    job = Job(device)
    results = job.full(ITEMS * lanes, np.zeros(1, dtype)[0])
    kernel = device.kernel(PAIRS, "pairs", GROUP_SIZE=GROUP, NUMBER=C_TYPES[dtype], LANES=lanes)
    job.launch(kernel, ITEMS, GROUP, results, np.array([3], dtype)[0], np.uint32(steps))
    expected = np.repeat(values.sum(axis=1), lanes)
    return np.array_equal(job.download(results, ITEMS * lanes, dtype), expected)


def checks() -> Iterator[tuple[str, str, Callable[[Device], bool]]]:
    """Yield a name for each kind of run, its file, and what says whether it is right."""
    probes: dict[str, Callable[[Device], bool]] = {
        "chase": chases,
        "gather": partial(gathers, stride=None),
        **{f"strided by {stride}": partial(gathers, stride=stride) for stride in (1, 4)},
        "lower": lowers,
        "copy": copies,
        "barriers": waits,
        "nothing": begins,
    }
    for name, check in probes.items():
        yield name, PROBES, check
    for name in NUMBERS:
        yield f"pairs of {name}", PAIRS, partial(adds, name=name, lanes=4)
