"""Radix sort, least significant digit first: the digits that keys differ in, from the lowest to the highest."""

from __future__ import annotations

import functools
import itertools
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyopencl as cl

from reedsp.arithmetic.types import C_TYPES
from reedsp.device.build import constants
from reedsp.device.device import Device, Program
from reedsp.device.dispatch import Slices, even
from reedsp.device.job import Argument, BoundKernel, Job, round_up
from reedsp.primitives.sort.records import Pass, Records, Sorting

_FILES = {
    "work-item": "sort/radix_work_item.cl",
    "work-group": "sort/radix_work_group.cl",
    "lanes": "sort/radix_lanes.cl",
}
_DIGIT_BITS = 8

# Work-items, each with a chunk.
_CHUNK = 1 << 20  # keys at most: some milliseconds
_SHORTEST_CHUNK = 1 << 13  # below, a second work-item costs more than it gains

# Work-groups.
_GROUP_SIZE = 256
_MOST_ITEMS_OF_LANES = 13  # more would leave room for fewer work-groups
_MOST_ITEMS = 15  # keys of a work-item in a tile; an odd number, so that work-items read from different banks
_COPIES = 4  # of counters, so that equal digits do not wait for each other
_GROUPS_PER_COMPUTE_UNIT = 12
_LANES = 32  # of NVIDIA's GPUs
_FIRST_WITH_LANES = 7  # generation of NVIDIA's GPUs
_TEAMS = (16, 8)  # of lanes in a work-group: the first that leave room for _FEW_ITEMS
_FEW_ITEMS = 11
_GROUPS_OF_LANES_PER_COMPUTE_UNIT = 6
_LOOKED_AT_FROM = (
    1 << 21
)  # keys of at most _QUICK_BYTES: below, all digits take no longer than to wait for what is known
_QUICK_BYTES = 4


class Digit(NamedTuple):
    """Bits of a key, counted from the smallest ordinal."""

    shift: np.uint32
    mask: np.uint32


class Facts(NamedTuple):
    """What is known of all keys, as ordinals (cl/sort/digits.cl)."""

    smallest: int
    largest: int
    differing: int
    is_sorted: bool

    @classmethod
    def of(cls, chunks: npt.NDArray[np.uint64]) -> Facts:
        """Combine those of chunks."""
        smallest, largest, differing, descents = chunks.T
        return cls(
            int(smallest.min()), int(largest.max()), int(np.bitwise_or.reduce(differing)), not bool(descents.any())
        )

    def digits(self) -> list[Digit]:
        """Return the digits that keys may differ in, the lowest first."""
        if self.is_sorted:
            return []
        lowest = (self.differing & -self.differing).bit_length() - 1  # the keys agree in all bits below
        highest = (self.largest - self.smallest).bit_length()
        count = -(-(highest - lowest) // _DIGIT_BITS)
        ends = [lowest + (highest - lowest) * number // count for number in range(count + 1)]
        return [Digit(np.uint32(start), np.uint32((1 << end - start) - 1)) for start, end in itertools.pairwise(ends)]


def radix_sort(sorting: Sorting, form: str) -> None:
    """Queue the sort of records, in a form; waits for what is queued if keys have several digits."""
    records = sorting.records
    passes = _WorkItems(sorting) if form == "work-item" else _WorkGroups(sorting, form == "lanes")
    highest = (1 << 8 * records.keys.itemsize) - 1
    is_looked_at = records.keys.itemsize > 1 and sorting.n >= passes.looked_at_from(records)
    facts = passes.look() if is_looked_at else Facts(0, highest, highest, False)
    digits = facts.digits()
    if not digits and records.carried is None:
        sorting.copy_keys()
        return
    digits = digits or [Digit(np.uint32(0), np.uint32(0))]  # a pass that keeps the order
    smallest = records.bits.type(facts.smallest)
    sorting.run(len(digits), lambda number, step: passes.move(step, smallest, digits[number]))


class _Launches:
    """Launches of kernels again and again, with arguments of which few change."""

    def __init__(self, job: Job, records: Records, form: str, **macros: str | int) -> None:
        self._job, self._records, self._file = job, records, _FILES[form]
        self._macros = tuple(macros.items())
        self._bound: dict[tuple[str, bool], BoundKernel] = {}

    def queue(
        self, name: str, last: bool, items: int, group: int, *args: Argument, slices: Slices | None = None
    ) -> None:
        """Launch a kernel, built for the last pass or another one."""
        last = last and self._records.result != self._records.carried  # the same kernel otherwise
        if (bound := self._bound.get((name, last))) is not None:
            bound.set_all(*args)
        else:
            kernel = self._job.device.kernel_of(_program(self._file, self._records, last, self._macros), name)
            bound = self._bound[name, last] = self._job.bind(kernel, items, group, *args, slices=slices)
        bound.queue()


@functools.lru_cache(maxsize=256)
def _program(file: str, records: Records, last: bool, macros: tuple[tuple[str, str | int], ...]) -> Program:
    own = {"COUNT": C_TYPES[records.count_type], **dict(macros)}
    return file, tuple(sorted({**records.macros(last), **own}.items()))


class _WorkItems:
    """For CPU devices: a work-item a chunk (cl/sort/radix_work_item.cl)."""

    def __init__(self, sorting: Sorting) -> None:
        job, n = sorting.job, sorting.n
        self._job, self._source = job, sorting.source
        self._launches = _Launches(job, sorting.records, "work-item", DIGITS=1 << _DIGIT_BITS)
        chunks = max(1, min(job.device.compute_units, n // _SHORTEST_CHUNK), -(-n // _CHUNK))
        chunk = -(-n // chunks)
        self._chunks = -(-n // chunk)
        self._sizes = (np.uint64(chunk), np.uint64(n))
        self._slices = even(0, self._chunks, 1, n, job.device.steps_at_once)
        self._counts = job.allocate(self._chunks << _DIGIT_BITS, sorting.records.count_type)

    @staticmethod
    def looked_at_from(_: Records) -> int:
        """Return how many keys are so many that looking at them may pay."""
        return 0

    def look(self) -> Facts:
        """Return what is known of the keys."""
        facts = self._job.allocate(self._chunks * _facts("work-item"), np.uint64)
        self._launch("look", True, self._source.keys, facts, *self._sizes)
        return _read(self._job, facts, self._chunks, "work-item")

    def move(self, step: Pass, smallest: np.generic, digit: Digit) -> None:
        """Queue a pass."""
        keys, values, moved_keys, moved_values = step.buffers
        self._launch("count_digits", True, keys, self._counts, smallest, *digit, *self._sizes)
        buffers = (keys, values, self._counts, moved_keys, moved_values)
        flags = (step.numbered, step.keeps_keys)
        self._launch("move_records", step.is_last, *buffers, smallest, *digit, *flags, *self._sizes)

    def _launch(self, name: str, last: bool, *args: Any) -> None:
        self._launches.queue(name, last, self._chunks, 1, *args, slices=self._slices)


class _WorkGroups:
    """For GPUs: a work-group a chunk, tile by tile (cl/sort/radix_work_group.cl)."""

    def __init__(self, sorting: Sorting, in_lanes: bool) -> None:
        job, records, n = sorting.job, sorting.records, sorting.n
        self._job, self._source = job, sorting.source
        device = job.device
        self._radix = radix = constants(_FILES["work-group"])["RADIX"]
        if in_lanes:
            lanes = _LANES if has_lanes(device) else 1
            self._size, items = _sizes_in_lanes(device, records, lanes, radix)
            groups = _GROUPS_OF_LANES_PER_COMPUTE_UNIT
            self._moves = _Launches(job, records, "lanes", GROUP_SIZE=self._size, ITEMS=items, LANES=lanes)
        else:
            self._size = min(_GROUP_SIZE, device.max_work_group_size)
            items, groups = (
                _items(device, records, self._size, radix, 33 * self._size + 8 * radix),
                _GROUPS_PER_COMPUTE_UNIT,
            )
        macros = {"GROUP_SIZE": self._size, "ITEMS": min(items, _MOST_ITEMS), "COPIES": _COPIES}
        self._launches = _Launches(job, records, "work-group", **macros)
        if not in_lanes:
            self._moves = self._launches
        tile = self._size * items
        chunk = round_up(-(-n // (groups * device.compute_units)), tile)
        self._chunks = -(-n // chunk)
        self._sizes = (np.uint64(chunk), np.uint64(n))
        self._counts = job.allocate(radix * self._chunks, records.count_type)
        self._totals = job.allocate(radix, records.count_type)

    @staticmethod
    def looked_at_from(records: Records) -> int:
        """Return how many keys are so many that looking at them may pay."""
        return _LOOKED_AT_FROM if records.keys.itemsize <= _QUICK_BYTES else 0

    def look(self) -> Facts:
        """Return what is known of the keys."""
        facts = self._job.allocate(self._chunks * _facts("work-group"), np.uint64)
        self._launch("look", True, self._chunks, self._source.keys, facts, *self._sizes)
        return _read(self._job, facts, self._chunks, "work-group")

    def move(self, step: Pass, smallest: np.generic, digit: Digit) -> None:
        """Queue a pass."""
        keys, values, moved_keys, moved_values = step.buffers
        chunks, counts, totals = self._chunks, self._counts, self._totals
        self._launch("count_digits", True, chunks, keys, counts, smallest, *digit, *self._sizes)
        self._launch("place_digits", True, self._radix, counts, totals, np.uint64(chunks))
        buffers = (keys, values, counts, totals, moved_keys, moved_values)
        flags = (step.numbered, step.keeps_keys)
        numbers = (smallest, *digit, *flags, *self._sizes)
        self._moves.queue("move_records", step.is_last, chunks * self._size, self._size, *buffers, *numbers)

    def _launch(self, name: str, last: bool, groups: int, *args: Any) -> None:
        self._launches.queue(name, last, groups * self._size, self._size, *args)


def _sizes_in_lanes(device: Device, records: Records, lanes: int, radix: int) -> tuple[int, int]:
    """Return the work-items of a work-group, and the keys of each, of ``cl/sort/radix_lanes.cl``."""
    most = [(size * lanes, _items(device, records, size * lanes, radix, 2 * radix * size)) for size in _TEAMS]
    size, items = next((each for each in most if each[1] >= _FEW_ITEMS), most[-1])
    return size, min(items, _MOST_ITEMS_OF_LANES)


def _items(device: Device, records: Records, size: int, radix: int, taken: int) -> int:
    """Return for how many keys of each work-item there is local memory, of which some bytes are taken."""
    free = device.local_memory - taken - 2 * (size + radix) * records.count_type.itemsize
    items = free // (size * (records.keys.itemsize + 2 * (records.carried is not None)))
    return max(1, min(_MOST_ITEMS, items - 1 + items % 2))


def has_lanes(device: Device) -> bool:
    """Return whether the work-items of a device run in step, and have instructions for that."""
    return device.nvidia_generation >= _FIRST_WITH_LANES


def _facts(form: str) -> int:
    return constants(_FILES[form])["FACTS"]


def _read(job: Job, facts: cl.Buffer, chunks: int, form: str) -> Facts:
    width = _facts(form)
    return Facts.of(job.download(facts, chunks * width, np.uint64).reshape(chunks, width))
