"""One way of memory after the other (cl/experiments/accesses.cl and banks.cl): launches, and what each has to find."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyopencl as cl

from reedsp.device.build import constants
from reedsp.device.device import Device
from reedsp.device.job import Argument, BoundKernel, Job, Size

GLOBAL, LOCAL = "experiments/accesses.cl", "experiments/banks.cl"
LOCAL_WORDS = constants(LOCAL)["LOCAL_WORDS"]
LINE_WORDS = 32  # from one word of a chain to the next one at least
WORDS = {1: ("uchar", 1), 2: ("ushort", 1), 4: ("uint", 1), 8: ("uint2", 2), 16: ("uint4", 4)}
"""What is read as one word of so many bytes, and its components."""

MOST_STEPS, ELSEWHERE, BLOCKS = 1 << 22, 1024, 64
"""Of any launch; places where a group of neighbours reads; blocks that all read, and times that words are raised."""

Numbers = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint32]
_SEED = 2012
_WINDOW = 64  # results that are compared


def content(place: Numbers) -> Words:
    """Return the words of the table at some places."""
    return place.astype(np.uint32) * np.uint32(2654435761)


def mixed(x: Numbers) -> Numbers:
    """Return what the kernels' function of the same name does."""
    return (content(x) >> np.uint32(3)).astype(np.int64)


@dataclass(frozen=True)
class Access:
    """A kernel with its arguments.

    Attributes
    ----------
    job : Job
    launch : callable(steps) -> BoundKernel
    expected : callable(numbers, steps) -> words
        What is right at these places of the results.
    results : Buffer
    length : int
        Of the results.
    accesses : int
        How many all work-items make in a step.
    bytes : int
        Of an access.
    most_steps : int
        For which there is room in the table.
    whole : bool
        It is always launched with that many, so that caches are as full as they are.
    goes_on : bool
        Each launch begins with the results of the one before, which `expected` takes instead of their places.
    """

    job: Job
    launch: Callable[[int], BoundKernel]
    expected: Callable[[Numbers, int], Words]
    results: cl.Buffer
    length: int
    accesses: int
    bytes: int = 4
    most_steps: int = MOST_STEPS

    goes_on: bool = False
    whole: bool = False

    def check(self, steps: int, launches: int = 1, every: bool = False) -> Callable[[], bool]:
        """Return what says, after each so many launches, whether some results are right, or all of them."""
        count = self.length if every else min(_WINDOW, self.length)
        first = int(np.random.default_rng(_SEED).integers(0, self.length - count + 1))
        right = None if self.goes_on else self.expected(np.arange(first, first + count), steps)
        last = self._found(first, count)

        def is_right() -> bool:
            nonlocal last
            before, last = last, self._found(first, count)
            expected = self.expected(before.astype(np.int64), steps * launches) if right is None else right
            return np.array_equal(last, expected)

        return is_right

    def _found(self, first: int, count: int) -> Words:
        found = np.empty(count, np.uint32)
        self.job.download_into(found, self.results, first)
        return found


class Memory:
    """A table on a device, and kernels that read it.

    Parameters
    ----------
    device : Device
    size : int
        Bytes of the table, a power of 2.
    items, group : int
        Work-items of a launch and of a work-group, powers of 2 but for a factor of the first.
    """

    def __init__(self, device: Device, size: int, items: int, group: int) -> None:
        self.job, self.size, self.items, self.group = Job(device), size, items, group
        self._words = size // 4
        self._table = self.job.upload(content(np.arange(self._words)))
        self._results = self.job.full(items, np.uint32(0))

    def _of(
        self,
        file: str,
        name: str,
        memory: tuple[Argument, ...],
        numbers: tuple[int, ...],
        items: Size,
        group: Size,
        macros: dict[str, str | int],
        steps_follow: bool = True,
    ) -> Callable[[int], BoundKernel]:
        """Return what binds a kernel to its arguments and a number of steps."""
        usual: dict[str, str | int] = {"GROUP_SIZE": self.group}
        if file == GLOBAL:
            usual |= {"WORD": "uint", "LANES": 1, "LENGTH": 1, "VLOAD": 0}
        else:
            usual |= {"STAGED": 0, "TILE": 16, "TILE_ROWS": 8, "PAD": 0, "TRANSPOSED": 0}
        kernel = self.job.device.kernel(file, name, **{**usual, **macros})

        def launch(steps: int) -> BoundKernel:
            last = (steps,) if steps_follow else ()
            return self.job.bind(kernel, items, group, *memory, *map(np.uint32, (*numbers, *last)))

        return launch

    def _reads(
        self,
        name: str,
        numbers: tuple[int, ...],
        expected: Callable[[Numbers, int], Words],
        accesses: int,
        *,
        file: str = GLOBAL,
        table: bool = True,
        most_steps: int = MOST_STEPS,
        size: int = 4,
        **macros: str | int,
    ) -> Access:
        memory = (self._table, self._results) if table else (self._results,)
        launch = self._of(file, name, memory, numbers, self.items, self.group, macros)
        whole = most_steps < MOST_STEPS
        return Access(self.job, launch, expected, self._results, self.items, accesses, size, most_steps, whole=whole)

    # ---- global memory ----

    def words(self, size: int) -> Access:
        """Read words of so many bytes, side by side."""
        name, lanes = WORDS[size]

        def expected(item: Numbers, steps: int) -> Words:
            number = np.arange(steps)[:, None] * self.items + item
            if size < 4:
                parts = content(number * size // 4) >> (8 * (number * size % 4)).astype(np.uint32)
                return (parts & np.uint32((1 << 8 * size) - 1)).sum(axis=0, dtype=np.uint32)
            return sum(content(number * lanes + lane).sum(axis=0, dtype=np.uint32) for lane in range(lanes))

        most, macros = self.size // (size * self.items), {"WORD": name, "LANES": lanes}
        return self._reads("read_words", (self.items,), expected, self.items, most_steps=most, size=size, **macros)

    def records(self, length: int, apart: int, shift: int = 0, vload: bool = False) -> Access:
        """Read records of some words, which lie some words apart."""

        def expected(item: Numbers, steps: int) -> Words:
            first = shift + (np.arange(steps)[:, None] * self.items + item) * apart
            return sum(content(first + k).sum(axis=0, dtype=np.uint32) for k in range(length))

        most = (self._words - shift - length) // (self.items * apart)
        return self._reads(
            *("read_records", (self.items, apart, shift), expected, self.items),
            **{"most_steps": most, "size": 4 * length, "LENGTH": length, "VLOAD": int(vload)},
        )

    def neighbours(self, stride: int, factor: int = 1, shift: int = 0) -> Access:
        """Read words some distance apart, in some order, from a word on."""

        def expected(item: Numbers, steps: int) -> Words:
            place = item % self.group * factor % self.group * stride + shift
            first = mixed(item // self.group * 40503 + np.arange(steps)[:, None]) // self.group * self.group
            return content((first + place) % self._words).sum(axis=0, dtype=np.uint32)

        numbers = self._words - 1, stride, factor, shift
        return self._reads("read_neighbours", numbers, expected, self.items, most_steps=ELSEWHERE)

    def lines(self, items: int, down: int, across: int, steps: int) -> Access:
        """Add up words some distance apart, each work-item from another one on."""
        results = self.job.full(items, np.uint32(0))

        def expected(item: Numbers, steps: int) -> Words:
            return content(item * down + np.arange(steps)[:, None] * across).sum(axis=0, dtype=np.uint32)

        memory = self._table, results
        launch = self._of(GLOBAL, "add_lines", memory, (down, across), items, self.group, {})
        return Access(self.job, launch, expected, results, items, items, most_steps=steps, whole=True)

    def raised(self, words: int) -> Access:
        """Raise words, of which there are so many."""
        raised = self.job.full(words, np.uint32(0))

        def expected(word: Numbers, steps: int) -> Words:
            each = [np.arange(number, self.items, words)[:, None] for number in word.tolist()]
            return np.array([mixed(item * 40503 + np.arange(steps)).max(initial=0) for item in each], np.uint32)

        launch = self._of(GLOBAL, "raise_words", (raised,), (words - 1,), self.items, self.group, {})
        return Access(self.job, launch, expected, raised, words, self.items, most_steps=BLOCKS, whole=True)

    # ---- local memory ----

    def same(self, staged: bool) -> Access:
        """Have all of a group read the same words."""

        def expected(item: Numbers, steps: int) -> Words:
            total = np.zeros(len(item), np.uint32)
            for step in range(steps):
                first = mixed(item // self.group * 40503 + step) // self.group * self.group % self._words
                for k in range(self.group):
                    total = total * np.uint32(3) + content(first + k)
            return total

        accesses = self.items * self.group
        return self._reads(
            *("read_same", (self._words - 1,), expected, accesses), file=LOCAL, most_steps=BLOCKS, STAGED=int(staged)
        )

    def local(self, stride: int) -> Access:
        """Read words of local memory some distance apart."""

        def expected(item: Numbers, steps: int) -> Words:
            whole, rest = divmod(steps, LOCAL_WORDS)
            place = item % self.group * stride + np.arange(rest)[:, None]
            once = mixed(np.arange(LOCAL_WORDS)).astype(np.uint32).sum(dtype=np.uint32)
            return mixed(place % LOCAL_WORDS).astype(np.uint32).sum(axis=0, dtype=np.uint32) + once * np.uint32(whole)

        return self._reads("read_local", (stride,), expected, self.items, file=LOCAL, table=False)

    def transposed(self, side: int, tile: int, pad: int) -> Access:
        """Transpose a square matrix by tiles."""
        out, rows = self.job.allocate(side * side, np.uint32), max(1, tile // 4)

        def expected(place: Numbers, steps: int) -> Words:
            return content(place % side * side + place // side)

        macros: dict[str, str | int] = {"TILE": tile, "TILE_ROWS": rows, "PAD": pad}
        items, group = (side, side // tile * rows), (tile, rows)
        memory = self._table, out
        launch = self._of(LOCAL, "transpose", memory, (side, side), items, group, macros, steps_follow=False)
        return Access(self.job, launch, expected, out, side * side, side * side, 8, 1)

    def product(self, side: int, tile: int, pad: int, transposed: bool) -> Access:
        """Multiply a square matrix by itself, or by its transpose."""
        out = self.job.allocate(side * side, np.uint32)

        def expected(place: Numbers, steps: int) -> Words:
            row, column, k = place // side, place % side, np.arange(side)[:, None]
            b = content(column * side + k if transposed else k * side + column)
            return (content(row * side + k) * b).sum(axis=0, dtype=np.uint32)

        macros: dict[str, str | int] = {"TILE": tile, "TILE_ROWS": tile, "PAD": pad, "TRANSPOSED": int(transposed)}
        memory = self._table, self._table, out
        group = (tile, tile)
        launch = self._of(LOCAL, "multiply", memory, (side, side), (side, side), group, macros, steps_follow=False)
        return Access(self.job, launch, expected, out, side * side, 2 * side**3, 4, 1)


class Chains:
    """One cycle through the lines of a table in random order, and work-items that follow it.

    Parameters
    ----------
    device : Device
    size : int
        Bytes of the table, a power of 2.
    """

    def __init__(self, device: Device, size: int) -> None:
        self.job, self._lines = Job(device), size // (4 * LINE_WORDS)
        self._order = np.random.default_rng(_SEED).permutation(self._lines)
        self._place = np.empty_like(self._order)
        self._place[self._order] = np.arange(self._lines)
        table = np.zeros(size // 4, np.uint32)
        table[self._order * LINE_WORDS] = np.roll(self._order, -1) * LINE_WORDS
        self._table = self.job.upload(table)

    def followed(self, items: int, group: int) -> Access:
        """Follow the cycle from as many lines as there are work-items."""
        begin = content(np.arange(items)).astype(np.int64) % self._lines * LINE_WORDS
        results = self.job.upload(begin.astype(np.uint32))

        def expected(at: Numbers, steps: int) -> Words:
            place = (self._place[at // LINE_WORDS] + steps) % self._lines
            return (self._order[place] * LINE_WORDS).astype(np.uint32)

        macros: dict[str, str | int] = {"GROUP_SIZE": group, "WORD": "uint", "LANES": 1, "LENGTH": 1, "VLOAD": 0}
        kernel = self.job.device.kernel(GLOBAL, "follow", **macros)

        def launch(steps: int) -> BoundKernel:
            return self.job.bind(kernel, items, group, self._table, results, np.uint32(steps))

        return Access(self.job, launch, expected, results, items, items, goes_on=True)
