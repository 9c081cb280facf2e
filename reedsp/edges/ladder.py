"""The ladder of load balancing over a launch: how all work-items share out the units of some items (cl/balance/).

Busato and Bombieri (2017), section 5. Items are vertices, for example, and units the edges that leave them. A rung
decides how fast the work is done, never what comes out. :mod:`reedsp.edges.balance` has the rungs within a work-group.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyopencl as cl

from reedsp.device.build import constants
from reedsp.device.device import Device
from reedsp.device.job import BoundKernel, Job

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
    large : int
        Units of an item from which on all work-groups share it, in "dynamic-virtual-warps".
    each, portions : int
        Items and units that a work-item takes of a tile, and in how many parts: "two-phase" and "multi-phase".
    """

    name: str
    group_size: int
    items: int
    large: int = _LARGE
    each: int = _EACH
    portions: int = _PORTIONS

    @property
    def goes_by_items(self) -> bool:
        """Whether it takes time for items without units, so that these had better be left out."""
        return self.name != DIRECT_SEARCH

    @property
    def macros(self) -> dict[str, str | int]:
        """Those of ``cl/balance/ladder.cl``, but for GROUP_SIZE and RUN."""
        of_width = self.name.startswith(_WARPS)
        name = "virtual-warps" if of_width else self.name
        return {
            "LADDER": constants(_FILE)[name.upper().replace("-", "_")],
            "WIDTH": int(self.name.removeprefix(_WARPS)) if of_width else _WIDTHS[-1],
            "LARGE": self.large,
            "EACH": self.each,
            "PORTIONS": self.portions,
        }


def rung_for(device: Device, name: str) -> Rung:
    """Return the rung of this name, but for "direct-search", as it suits a device."""
    if device.kind == "cpu":
        return Rung(name, _CPU_GROUP_SIZE, _CPU_GROUPS_PER_COMPUTE_UNIT * device.compute_units * _CPU_GROUP_SIZE)
    size = min(_GPU_GROUP_SIZE, 1 << device.max_work_group_size.bit_length() - 1)
    return Rung(name, size, _GPU_ITEMS_PER_COMPUTE_UNIT * device.compute_units)


class RungPlan:
    """What a rung prepares for its launches by a kernel of its own, if it has one.

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
        self._job, self._items, self._units = job, np.uint32(items), units
        self._lists = (prefixes, prefixes if item_count is None else item_count)
        self._macros: dict[str, str | int] = {"OFFSET": offset, "COUNTED": int(item_count is not None)}
        self._rung = rung
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
        return [self._job.bind(kernel, int(self._items), _SMALL_GROUP, *args)]

    def for_units(self, first: int, last: int) -> list[BoundKernel]:
        """Return what comes before the launches for these units, at most :data:`MOST_UNITS` of them."""
        if not self._has_tiles:
            return []
        macros = {**self._macros, "GROUP_SIZE": self._rung.group_size, "EACH": self._rung.each}
        kernel = self._job.device.kernel("balance/partition.cl", "partition", **macros)
        args = (*self._lists, self.buffer, self._items, np.uint64(first), np.uint64(last))
        return [self._job.bind(kernel, self._tiles + 1, _SMALL_GROUP, *args)]
