"""Scans, reductions, compaction and sorts of an array."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.device.arrays import are_on_device
from reedsp.device.device import Device
from reedsp.device.job import Job
from reedsp.primitives.operators import resolve
from reedsp.primitives.plans import Buffers, Elements
from reedsp.primitives.scan import (
    compact,
    elements_of,
    exclusive_scan,
    heads_of,
    inclusive_scan,
    mask_of,
    plan_scan,
    reduce,
    segmented_scan,
)
from reedsp.primitives.sort.sorts import sort
from reedsp.system.options import flag
from reedsp.viewer.inputs import Input
from reedsp.viewer.recorder import Moment, Recorder
from reedsp.viewer.roles.primitives import ARRAYS, KERNELS
from reedsp.viewer.story import State, Story, Values, as_json, changed, counted

LARGEST_TREE = 256
"""Leaves, so that copies of the tree fit into local memory."""

_QUAD = 8  # elements that a work-item of the recursion takes


def _marks(heads: Any, values: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Return for each element whether a segment begins with it."""
    n = values.size
    checked = heads_of(heads, n, "input")
    are_on_device({"input": values, "heads": checked})
    marks = np.zeros(n + 1, bool)  # a segment that begins behind the last element has none
    marks[checked if checked.dtype.kind in "iu" and checked.dtype.itemsize > 1 else np.flatnonzero(checked)] = True
    return marks[:n]


class ArrayStory(Story):
    """What all of them share: an array of the user's."""

    kernels = KERNELS
    shows: tuple[str, ...]

    def __init__(self, given: Input, device: Device) -> None:
        super().__init__(device)
        self.values = given.as_array
        self.n = self.values.size
        self.arrays = {name: ARRAYS[name] for name in self.shows}
        self.main = self.shows[0]
        self.found: Any = None

    def answer(self) -> State:
        """Return what the library answers."""
        return {self.main: in_json(self.found)}

    def shape(self, name: str) -> list[int]:
        """Return how many elements there are."""
        return [self.n]

    def first(self) -> dict[str, Values]:
        """Return the elements themselves."""
        return {**super().first(), self.main: in_json(self.values)}

    def dtype(self, name: str, moment: Moment) -> np.dtype[Any]:
        """Return the type of the elements, which kernels may take for others of the same size."""
        return self.values.dtype

    def in_order(self, name: str, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return values in the type of the elements."""
        return values.view(self.values.dtype)


def in_json(values: npt.NDArray[Any]) -> Values:
    """Return the elements of an array as JSON has them."""
    return [as_json(value) for value in np.asarray(values).tolist()]


# ---- scans ------------------------------------------------------------------------------------------


class NaiveScan(ArrayStory):
    """Each element is combined with the one 1, 2, 4, ... places before it."""

    title = "Naive scan"
    paper = "thesis, Algorithm 8"
    shows: tuple[str, ...] = ("prefixes",)

    def __init__(self, given: Input, device: Device, op: str = "add", exclusive: bool = False) -> None:
        super().__init__(given, device)
        elements_of(self.values, "input")
        self.op, self.exclusive = op, flag(exclusive, "exclusive")

    def run(self) -> None:
        """Scan."""
        scan = exclusive_scan if self.exclusive else inclusive_scan
        self.found = scan(self.values, self.op, "naive", device=self.device)  # type: ignore[arg-type]

    def says(self, moment: Moment, before: State, after: State) -> str:
        """Return over which distance elements were combined."""
        count = counted(len(changed(before["prefixes"], after["prefixes"])), "prefix", "prefixes")
        if moment.kernel == "add_earlier":
            return f"stride {moment.numbers['stride']}: {count} combined with the element so far before"
        return f"{count} moved: an exclusive scan leaves out the element itself"


class SegmentedScan(NaiveScan):
    """The same within segments."""

    title = "Segmented scan"
    paper = "thesis, section 5.4.1"
    shows = ("prefixes", "heads")

    def __init__(
        self, given: Input, device: Device, heads: Any = None, op: str = "add", exclusive: bool = False
    ) -> None:
        super().__init__(given, device, op, exclusive)
        self.heads = _marks(np.arange(0, self.n, max(1, self.n // 3)) if heads is None else heads, self.values)

    def run(self) -> None:
        """Scan."""
        options = {"exclusive": self.exclusive, "device": self.device}
        self.found = segmented_scan(self.values, self.heads, self.op, "naive", **options)  # type: ignore[arg-type]

    def first(self) -> dict[str, Values]:
        """Return the elements, and where segments begin."""
        return {**super().first(), "heads": self.heads.astype(int).tolist()}

    def shown(self, name: str, moment: Moment) -> Values | None:
        """Return the prefixes; an item also has a word that says whether a segment begins in it."""
        if name not in moment.left:
            return None
        values = moment.left[name]
        values = values[: self.n] if moment.kernel == "store_prefixes" else values[: 2 * self.n : 2].copy()
        return self.plain(name, self.in_order(name, values), moment)


class Recursion(ArrayStory):
    """Segments are scanned in local memory, their sums likewise, and these are added to each."""

    title = "Work-efficient scan, by recursion"
    paper = "thesis, Algorithms 10 and 11"
    shows = ("prefixes", "sums")

    def __init__(self, given: Input, device: Device, op: str = "add") -> None:
        super().__init__(given, device)
        elements_of(self.values, "input")
        self.op = op
        self.group_size = 1
        while (_QUAD * self.group_size) ** 2 < self.n:  # so that the sums are one segment
            self.group_size *= 2
        self.segments = -(-self.n // (_QUAD * self.group_size))
        if self.segments == 1:
            del self.arrays["sums"]  # which the kernel then leaves as they were

    def run(self) -> None:
        """Scan by work-groups so small that there are several."""
        job, dtype = Job(self.device), self.values.dtype
        elements = Elements(resolve(self.op, dtype), dtype, built_in=True)
        source, out, total = job.upload(self.values), job.allocate(self.n, dtype), job.allocate(1, dtype)
        for kernel in plan_scan(
            job, elements, Buffers(source, source, out, total), self.n, "blelloch", self.group_size
        ):
            kernel.queue()
        self.found = job.download(out, self.n, dtype)
        job.finish()

    def shape(self, name: str) -> list[int]:
        """Return how many elements or segments there are."""
        return [self.segments if name == "sums" else self.n]

    def shown(self, name: str, moment: Moment) -> Values | None:
        """Return an array; the second level writes its prefixes to the sums of the first."""
        if moment.kernel == "segment_sums" and moment.macros["OF_SUMS"]:
            if name == "prefixes":
                return None
            return self.plain(name, self.in_order(name, moment.left["prefixes"][: self.segments]), moment)
        return super().shown(name, moment)

    def says(self, moment: Moment, before: State, after: State) -> str:
        """Return what became of the segments."""
        if moment.kernel == "uniform_add":
            return "each segment gets the sum of those before it"
        if moment.macros["OF_SUMS"]:
            return "the sums are scanned by the same kernel"
        segment = _QUAD * self.group_size
        return f"{counted(self.segments, 'segment')} of {segment} elements scanned, each in the local memory of a group"


class BlellochTree(ArrayStory):
    """The tree in the local memory of one work-group, copied at each barrier."""

    title = "Work-efficient scan: the tree of a work-group"
    paper = "thesis, Algorithm 9"
    shows = ("tree",)

    def __init__(self, given: Input, device: Device) -> None:
        super().__init__(given, device)
        elements_of(self.values, "input")
        if self.n > LARGEST_TREE:
            raise ValueError(f"input: a tree has at most {LARGEST_TREE} leaves, the array has {self.n:,} elements")
        self.leaves = max(2, 1 << (self.n - 1).bit_length())
        self.heights = self.leaves.bit_length() - 1
        self.levels = 2 * self.heights + 2
        self.padded = np.zeros(self.leaves, self.values.dtype)
        self.padded[: self.n] = self.values

    def run(self) -> None:
        """Sweep from the leaves to the root and back."""
        job, dtype, size = Job(self.device), self.values.dtype, self.leaves // 2
        macros = Elements(resolve("add", dtype), dtype, built_in=True).macros
        own = {"GROUP_SIZE": size, "OF_SUMS": 1, "LEVELS": self.levels}
        kernel = self.device.kernel("primitives/scan_trace.cl", "trace_sweep", **macros, **own)
        copies = job.allocate(self.levels * self.leaves, dtype)
        job.launch(kernel, size, size, job.upload(self.padded), copies)
        self.found = job.download(copies, self.levels * self.leaves, dtype)[-self.leaves :]
        job.finish()

    def record(self) -> Recorder:
        """Make a moment of each barrier, all of which one launch has copied."""
        recorder = super().record()
        [launch] = recorder.moments
        rows = launch.left["tree"][: self.levels * self.leaves].reshape(self.levels, self.leaves)
        recorder.moments = [
            dataclasses.replace(launch, left={"tree": row}, numbers={"barrier": barrier})
            for barrier, row in enumerate(rows)
        ]
        return recorder

    def shape(self, name: str) -> list[int]:
        """Return how many leaves there are, a power of two."""
        return [self.leaves]

    def first(self) -> dict[str, Values]:
        """Return the leaves."""
        return {"tree": in_json(self.padded)}

    def says(self, moment: Moment, before: State, after: State) -> str:
        """Return the way and the distance of what was added."""
        barrier = moment.numbers["barrier"]
        count = counted(len(changed(before["tree"], after["tree"])), "item")
        if barrier <= self.heights:
            return f"leaf to root, stride {1 << barrier - 1}: {count} changed"
        stride = 1 << 2 * self.heights + 1 - barrier
        cleared = "the root is cleared, and then " if stride == self.leaves // 2 else ""
        return f"{cleared}root to leaf, stride {stride}: {count} changed"

    def level(self, moment: Moment) -> int:
        """Return the level whose nodes were written."""
        barrier = int(moment.numbers["barrier"])
        return barrier if barrier <= self.heights else 2 * self.heights + 1 - barrier

    def active(self, moment: Moment, before: State, after: State) -> list[int] | None:
        """Return the items that were changed."""
        return changed(before["tree"], after["tree"])


class DulleScan(NaiveScan):
    """A tree of work-groups, each of which scans elements that lie a stride apart."""

    title = "Scan by Dulle's tree"
    paper = "Dulle, Algorithms 9 and 10"

    def __init__(self, given: Input, device: Device, op: str = "add", group_size: int = 2, each: int = 2) -> None:
        super().__init__(given, device, op)
        self.sizes = {"group_size": group_size, "each": each}

    def run(self) -> None:
        """Scan by work-groups so small that the tree has several levels."""
        self.found = inclusive_scan(self.values, self.op, "dulle", device=self.device, **self.sizes)  # type: ignore[arg-type]

    def says(self, moment: Moment, before: State, after: State) -> str:
        """Return the level of the tree."""
        count = counted(len(changed(before["prefixes"], after["prefixes"])), "prefix", "prefixes")
        way = "up" if moment.kernel == "up_step" else "down"
        return f"{way}, stride {moment.numbers['stride']}: {count} changed"


# ---- reductions -------------------------------------------------------------------------------------


class PairReduction(ArrayStory):
    """Two elements become one, again and again."""

    title = "Reduction in pairs"
    paper = "Dulle, Algorithm 6"
    shows = ("partial",)
    method = "naive"

    def __init__(self, given: Input, device: Device, op: str = "add") -> None:
        super().__init__(given, device)
        elements_of(self.values, "input")
        self.op = op
        self.sizes: dict[str, int] = {}

    def run(self) -> None:
        """Reduce."""
        self.found = reduce(self.values, self.op, method=self.method, device=self.device, **self.sizes)  # type: ignore[arg-type]

    def answer(self) -> State:
        """Return the one element that is left, where the tree has it."""
        return {"partial": [as_json(np.asarray(self.found).item()), *[None] * (self.n - 1)]}

    def together(self, moment: Moment) -> int:
        """Return how many elements are combined in one after a launch."""
        return int(2 * moment.numbers["stride"])

    def shown(self, name: str, moment: Moment) -> Values | None:
        """Return the elements of the next level, where they are; the others are of no use any more."""
        step = self.together(moment)
        kept: Values = [None] * self.n
        values = moment.left[name].view(self.values.dtype)
        for index in range(0, self.n, step):
            kept[index] = as_json(values[index].item())
        return kept

    def says(self, moment: Moment, before: State, after: State) -> str:
        """Return how many are left."""
        left = -(-self.n // self.together(moment))
        return f"stride {moment.numbers['stride']}: {counted(left, 'element')} left"


class DulleReduction(PairReduction):
    """A tree of work-groups, each of which reduces elements that lie a stride apart."""

    title = "Reduction by Dulle's tree"
    paper = "Dulle, Algorithms 7 and 8"
    method = "dulle"

    def __init__(self, given: Input, device: Device, op: str = "add", group_size: int = 2, each: int = 2) -> None:
        super().__init__(given, device, op)
        self.sizes = {"group_size": group_size, "each": each}

    def together(self, moment: Moment) -> int:
        """Return how many elements are combined in one after a launch."""
        return int(moment.numbers["stride"] * self.sizes["group_size"] * self.sizes["each"])


# ---- compaction -------------------------------------------------------------------------------------


class Compaction(ArrayStory):
    """Elements are collected at the index that a scan of the mask finds."""

    title = "Compaction"
    paper = "thesis, section 5.4.2"
    shows = ("collected", "mask")
    watched = ("total",)

    def __init__(self, given: Input, device: Device, mask: Any = None) -> None:
        super().__init__(given, device)
        self.mask = mask_of(self.values != 0 if mask is None else mask, self.n, "input")
        are_on_device({"input": self.values, "mask": self.mask})

    def run(self) -> None:
        """Collect."""
        self.found = compact(self.values, self.mask, method="work-item", device=self.device)

    def first(self) -> dict[str, Values]:
        """Return the mask; nothing is collected yet."""
        return {"collected": [], "mask": (self.mask != 0).astype(int).tolist()}

    def shown(self, name: str, moment: Moment) -> Values | None:
        """Return what is collected."""
        if name not in moment.left:
            return None
        count = int(moment.buffers["total"][0])
        return self.plain(name, self.in_order(name, moment.left[name][:count]), moment)

    def says(self, moment: Moment, before: State, after: State) -> str:
        """Return how many elements were collected."""
        return f"{len(after['collected'])} of {counted(self.n, 'element')} collected"


# ---- sorts ------------------------------------------------------------------------------------------


class RadixSort(ArrayStory):
    """Keys are moved by one digit after the other, the lowest first."""

    title = "Radix sort"
    shows = ("keys",)

    def run(self) -> None:
        """Sort."""
        self.found = sort(self.values, device=self.device)

    def says(self, moment: Moment, before: State, after: State) -> str:
        """Return the digit."""
        first = moment.numbers["shift"]
        last = first + int(moment.numbers["mask"]).bit_length() - 1
        moved = counted(len(changed(before["keys"], after["keys"])), "place has", "places have")
        return f"by bits {first} to {last}: {moved} another key"


class MergeSort(ArrayStory):
    """Lists are sorted by a network, and pairs of them merged."""

    title = "Merge sort of lists"
    paper = "Dulle, Algorithm 11"
    shows = ("keys",)

    def __init__(self, given: Input, device: Device, presort: str = "bitonic", list_length: int = 4) -> None:
        super().__init__(given, device)
        self.options: dict[str, Any] = {"presort": presort, "list_length": list_length}

    def run(self) -> None:
        """Sort."""
        self.found = sort(self.values, "merge", device=self.device, **self.options)

    def says(self, moment: Moment, before: State, after: State) -> str:
        """Return how long the lists are that are in order."""
        if moment.kernel == "sort_lists":
            return f"lists of {moment.macros['LIST']} elements are in order"
        return f"lists of {2 * moment.numbers['width']} elements are in order"


class PathSort(ArrayStory):
    """Runs are sorted, and pairs of them merged along merge paths, by a user's order."""

    title = "Merge sort by an order"
    shows = ("keys",)

    def __init__(self, given: Input, device: Device, order: str = "a > b") -> None:
        super().__init__(given, device)
        self.order = order

    def run(self) -> None:
        """Sort."""
        self.found = sort(self.values, order=self.order, device=self.device)

    def says(self, moment: Moment, before: State, after: State) -> str:
        """Return how long the runs are that are in order."""
        macros = moment.macros
        if moment.kernel == "sort_runs":
            length = int(macros["RUN"])
        elif moment.kernel == "sort_tiles":
            length = int(macros["GROUP_SIZE"]) * int(macros["ITEMS"])
        else:
            length = 2 * int(moment.numbers["width"])
        return f"runs of {length} elements are in order"
