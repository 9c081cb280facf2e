"""Many calls in one process: memory does not grow, no buffer is left, and no launch lasts long.

    python -m tests.deep.soak [CALLS]

runs that many calls (20,000 by default) of every kind in turn, on the device that REEDSP_DEVICE chooses, and prints
how much the process has grown since the first ones. The exit status is 1 if it is more than 5 MiB, if a buffer is left
that no later call uses, or if an answer changes.
"""

from __future__ import annotations

import ctypes
import gc
import os
import sys
import weakref
from typing import Any, ClassVar

import numpy as np
import pyopencl as cl

from reedsp.device.device import Device
from reedsp.device.discovery import get_device
from tests.support.calls import CALLS

ALLOWED = 5 << 20  # bytes
WARM_UP = 40  # calls of each kind, after which nothing is new any more
REPORTS = 10


class CountedBuffer(cl.Buffer):
    """A buffer of which is known whether it still exists."""

    living: ClassVar[weakref.WeakSet[CountedBuffer]] = weakref.WeakSet()

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.living.add(self)


def resident() -> int:
    """Return the bytes of memory that the process holds, without what its allocator keeps for later."""
    ctypes.CDLL(None).malloc_trim(0)
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def left_over(device: Device) -> int:
    """Return how many buffers exist that the device does not keep for later calls."""
    gc.collect()
    return len({buffer.int_ptr for buffer in CountedBuffer.living} - device.scratch.handles())


def soak(device: Device, count: int) -> tuple[int, int, int]:
    """Return by how many bytes the process grows in that many calls, the buffers that are left, and changed answers."""
    expected = {name: call(device) for name, call in CALLS.items()}
    for _ in range(WARM_UP):
        for call in CALLS.values():
            call(device)
    gc.collect()
    before, changed, names = resident(), 0, list(CALLS)
    for number in range(count):
        name = names[number % len(names)]
        changed += not np.array_equal(CALLS[name](device), expected[name])
        if (number + 1) % max(1, count // REPORTS) == 0:
            gc.collect()
            print(f"{number + 1:>8,} calls: {(resident() - before) / 2**20:+.2f} MiB", flush=True)
    gc.collect()
    return resident() - before, left_over(device), changed


def main() -> int:
    """Run the calls and print what is left of them."""
    cl.Buffer = CountedBuffer  # type: ignore[misc]
    chosen = get_device()
    own = Device(chosen.index, chosen.handle)  # all of whose buffers are counted
    growth, buffers, changed = soak(own, int(sys.argv[1]) if sys.argv[1:] else 20_000)
    print(f"{own}: {growth / 2**20:+.2f} MiB, {buffers} buffers left, {changed} answers changed")
    return int(growth > ALLOWED or buffers > 0 or changed > 0)


if __name__ == "__main__":
    sys.exit(main())
