"""Radix sort, least significant digit first: the digits that keys differ in, from the lowest to the highest."""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyopencl as cl

from reedsp.arithmetic.types import C_TYPES
from reedsp.device.build import constants
from reedsp.device.dispatch import Slices, even
from reedsp.device.job import Argument, BoundKernel, Job, round_up
from reedsp.primitives.sort.records import Pass, Records, Sorting

_FILES = {"work-item": "primitives/sort_radix_work_item.cl", "work-group": "primitives/sort_radix_work_group.cl"}
_DIGIT_BITS = 8

# Work-items, each with a chunk.
_CHUNK = 1 << 20  # keys at most: some milliseconds
_SHORTEST_CHUNK = 1 << 13  # below, a second work-item costs more than it gains

# Work-groups.
_GROUP_SIZE = 256
_MOST_ITEMS = 15  # keys of a work-item in a tile; an odd number, so that work-items read from different banks
_COPIES = 4  # of counters, so that equal digits do not wait for each other
_GROUPS_PER_COMPUTE_UNIT = 8
_LOOKED_AT_FROM = (
    1 << 21
)  # keys of at most _QUICK_BYTES: below, all digits take no longer than to wait for what is known
_QUICK_BYTES = 4


class Digit(NamedTuple):
    """Bits of a key, counted from the smallest ordinal."""

    shift: np.uint32
    mask: np.uint32


class Facts(NamedTuple):
    """What is known of all keys, as ordinals (cl/primitives/sort_digits.cl)."""

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
    passes = (_WorkItems if form == "work-item" else _WorkGroups)(sorting)
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
        self._macros = {"COUNT": C_TYPES[records.count_type], **macros}
        self._bound: dict[tuple[str, bool], BoundKernel] = {}

    def queue(
        self, name: str, last: bool, items: int, group: int, *args: Argument, slices: Slices | None = None
    ) -> None:
        """Launch a kernel, built for the last pass or another one."""
        last = last and self._records.result != self._records.carried  # the same kernel otherwise
        if (bound := self._bound.get((name, last))) is not None:
            bound.set_all(*args)
        else:
            kernel = self._job.device.kernel(self._file, name, **self._records.macros(last), **self._macros)
            bound = self._bound[name, last] = self._job.bind(kernel, items, group, *args, slices=slices)
        bound.queue()


class _WorkItems:
    """For CPU devices: a work-item a chunk (cl/primitives/sort_radix_work_item.cl)."""

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
    """For GPUs: a work-group a chunk, tile by tile (cl/primitives/sort_radix_work_group.cl)."""

    def __init__(self, sorting: Sorting) -> None:
        job, records, n = sorting.job, sorting.records, sorting.n
        self._job, self._source = job, sorting.source
        device = job.device
        self._size = min(_GROUP_SIZE, device.max_work_group_size)
        radix = constants(_FILES["work-group"])["RADIX"]
        self._radix, count_bytes = radix, records.count_type.itemsize
        free = device.local_memory - 33 * self._size - (2 * self._size + radix) * count_bytes - 8 * radix
        items = free // (self._size * (records.keys.itemsize + 2 * (records.carried is not None)))
        items = max(1, min(_MOST_ITEMS, items - 1 + items % 2))
        macros = {"GROUP_SIZE": self._size, "ITEMS": items, "COPIES": _COPIES}
        self._launches = _Launches(job, records, "work-group", **macros)
        tile = self._size * items
        chunk = round_up(-(-n // (_GROUPS_PER_COMPUTE_UNIT * device.compute_units)), tile)
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
        self._launch("move_records", step.is_last, chunks, *buffers, smallest, *digit, *flags, *self._sizes)

    def _launch(self, name: str, last: bool, groups: int, *args: Any) -> None:
        self._launches.queue(name, last, groups * self._size, self._size, *args)


def _facts(form: str) -> int:
    return constants(_FILES[form])["FACTS"]


def _read(job: Job, facts: cl.Buffer, chunks: int, form: str) -> Facts:
    width = _facts(form)
    return Facts.of(job.download(facts, chunks * width, np.uint64).reshape(chunks, width))
