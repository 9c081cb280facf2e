"""The ladder of load balancing over a launch: how all work-items share out the units of some items (cl/balance/).

Busato and Bombieri (2017), section 5. Items are vertices, for example, and units the edges that leave them. A rung
decides how fast the work is done, never what comes out. :mod:`reedsp.edges.balance` has the rungs within a work-group.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pyopencl as cl

from reedsp.device.build import constants
from reedsp.device.device import Device
from reedsp.device.dispatch import even
from reedsp.device.job import Argument, BoundKernel, Job, Kernel

_FILE = "balance/ladder.cl"
_WIDTHS = (2, 4, 8, 16, 32)
_WARPS = "virtual-warps-"

DIRECT_SEARCH = "direct-search"

RUNGS = (
    DIRECT_SEARCH,
    "items",
    *(f"{_WARPS}{width}" for width in _WIDTHS),
    "dynamic-virtual-warps",
    "cta-warp-scan",
    "warp-search",
    "block-search",
    "two-phase",
    "multi-phase",
)
"""By the names of ``options={"balance": ...}``."""

MOST_UNITS = 1 << 30
"""Of a launch, in every rung but "direct-search"."""

_GPU_GROUP_SIZE, _CPU_GROUP_SIZE = 256, 32
_GPU_ITEMS_PER_COMPUTE_UNIT = 2048
_CPU_GROUPS_PER_COMPUTE_UNIT = 8
_CPU_RUN = 512
_SMALL_GROUP = 64
_LARGE = 4096  # units of an item
_EACH, _PORTIONS = 8, 2


@dataclass(frozen=True)
class Rung:
    """A rung of the ladder, and what makes it fast or slow.

    Attributes
    ----------
    name : str
        One of :data:`RUNGS`.
    group_size : int
        Work-items of a work-group; a power of 2 from 32 on, unless it is "direct-search".
    items : int
        Work-items of a launch, at most.
    run : int
        Units that follow one another and are left to one work-item, in "direct-search".
    large : int
        Units of an item from which on all work-groups share it, in "dynamic-virtual-warps".
    each, portions : int
        Items and units that a work-item takes of a tile, and in how many parts: "two-phase" and "multi-phase".
    """

    name: str
    group_size: int
    items: int
    run: int = 1
    large: int = _LARGE
    each: int = _EACH
    portions: int = _PORTIONS

    @property
    def macros(self) -> dict[str, str | int]:
        """Those of ``cl/balance/ladder.cl``, but for BALANCED and OFFSET."""
        of_width = self.name.startswith(_WARPS)
        name = "virtual-warps" if of_width else self.name
        return {
            "GROUP_SIZE": self.group_size,
            "RUN": self.run,
            "LADDER": constants(_FILE)[name.upper().replace("-", "_")],
            "WIDTH": int(self.name.removeprefix(_WARPS)) if of_width else _WIDTHS[-1],
            "LARGE": self.large,
            "EACH": self.each,
            "PORTIONS": self.portions,
        }


def rung_for(device: Device, name: str) -> Rung:
    """Return the rung of this name as it suits a device.

    Each run of units begins with a search for the item that they belong to. A CPU does that rarely; elsewhere runs of
    one unit let neighbouring work-items read neighbouring units.
    """
    if device.kind == "cpu":
        size = 1 if name == DIRECT_SEARCH else _CPU_GROUP_SIZE
        return Rung(name, size, _CPU_GROUPS_PER_COMPUTE_UNIT * device.compute_units * size, _CPU_RUN)
    size = min(_GPU_GROUP_SIZE, 1 << device.max_work_group_size.bit_length() - 1)
    return Rung(name, size, _GPU_ITEMS_PER_COMPUTE_UNIT * device.compute_units)


class RungPlan:
    """The launches by which a rung shares out units, and what it prepares for them by a kernel of its own.

    Parameters
    ----------
    job : Job
    rung : Rung
    prefixes : pyopencl.Buffer, shape (items + 1,)
    offset : str
        The OpenCL C type of `prefixes`.
    item_count : pyopencl.Buffer or None
        How many items there are, if the device alone knows it.
    items, units : int
        How many there are at most.

    Attributes
    ----------
    buffer : pyopencl.Buffer
        Argument ``plan`` of the launches.
    takes_turns : bool
        Whether their argument ``turn`` matters.
    parts : list of pairs of int
        The units of each dispatch: arguments ``first`` and ``last``.
    work_items : int
        Of each dispatch.
    """

    def __init__(
        self,
        job: Job,
        rung: Rung,
        prefixes: cl.Buffer,
        offset: str,
        item_count: cl.Buffer | None,
        items: int,
        units: int,
    ) -> None:
        self._job, self._items = job, np.uint32(items)
        self._lists = (prefixes, prefixes if item_count is None else item_count)
        self._macros: dict[str, str | int] = {"OFFSET": offset, "COUNTED": int(item_count is not None)}
        self._rung = rung
        searches_all = rung.name == DIRECT_SEARCH
        at_once = job.device.steps_at_once if searches_all else min(job.device.steps_at_once, MOST_UNITS)
        self.parts: list[tuple[int, int]] = list(itertools.pairwise([*range(0, max(1, units), at_once), units]))
        self.work_items: int = min(rung.items, -(-units // rung.run)) if searches_all else rung.items
        self._tiles = -(-(items + min(units, MOST_UNITS)) // (rung.group_size * rung.each))
        self.takes_turns: bool = rung.name == "dynamic-virtual-warps"
        self.buffer: cl.Buffer
        if self.takes_turns:
            turns = constants("balance/units.cl")["TURNS"]
            self.buffer = job.full(turns + units // rung.large + 1, np.uint32(0))
        elif self._has_tiles:
            self.buffer = job.allocate(self._tiles + 1, np.uint32)
        else:
            self.buffer = job.allocate(1, np.uint32)

    @property
    def _has_tiles(self) -> bool:
        return self._rung.name in ("two-phase", "multi-phase")

    def for_round(self, turn: int) -> list[BoundKernel]:
        """Return what comes before the first launch for some prefix sums; `turn` is 0, 1, 2, 0 ..."""
        if not self.takes_turns:
            return []
        kernel = self._job.device.kernel("balance/large_items.cl", "list_large", **self._macros, LARGE=self._rung.large)
        args = (*self._lists, self.buffer, self._items, np.uint32(turn))
        return [self._job.bind(kernel, min(int(self._items), self._rung.items), _SMALL_GROUP, *args)]

    def for_units(self, first: int, last: int) -> list[BoundKernel]:
        """Return what comes before the launches for these units, at most :data:`MOST_UNITS` of them."""
        if not self._has_tiles:
            return []
        macros = {**self._macros, "GROUP_SIZE": self._rung.group_size, "EACH": self._rung.each}
        kernel = self._job.device.kernel("balance/partition.cl", "partition", **macros)
        args = (*self._lists, self.buffer, self._items, np.uint64(first), np.uint64(last))
        return [self._job.bind(kernel, min(self._tiles + 1, self._rung.items), _SMALL_GROUP, *args)]

    def launches(self, turn: int, kernel: Kernel, visits: Iterable[tuple[Argument, ...]]) -> list[BoundKernel]:
        """Return what shares out all units, once for each visit.

        Parameters
        ----------
        turn : int
            As of :meth:`for_round`.
        kernel : Kernel
            One that includes ``cl/balance/ladder.cl``.
        visits : iterable of tuples
            The arguments of each visit, but for the last two: the units of a dispatch.
        """
        found = self.for_round(turn)
        for number, args in enumerate(visits):
            for first, last in self.parts:
                if number == 0 or len(self.parts) > 1:
                    found += self.for_units(first, last)
                whole = even(0, self.work_items, self._rung.group_size, last - first, sys.maxsize)
                units = (np.uint64(first), np.uint64(last))
                size = self._rung.group_size
                found.append(self._job.bind(kernel, self.work_items, size, *args, *units, slices=whole))
        return found
