"""The levels of Dulle's trees: one launch each, with a stride that grows from level to level."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from reedsp.device.device import Device
from reedsp.device.dispatch import even
from reedsp.device.errors import DeviceError
from reedsp.device.job import Job, Kernel, Memory
from reedsp.primitives.plans import PLAIN_GROUP_SIZE, Elements, Plan, kernel_of

_REDUCTION = (64, 16)  # what was fastest in the thesis, figures 5.1 and 5.6
_SCAN = (256, 8)


@dataclass(frozen=True)
class Shape:
    """A node of the tree.

    Attributes
    ----------
    group_size : int
        Work-items of a work-group, the thesis' m.
    each : int
        Elements of a work-item, its c.
    """

    group_size: int
    each: int

    @property
    def tile(self) -> int:
        """Elements of a work-group, at least two."""
        return self.group_size * self.each

    def local_bytes(self, elements: Elements) -> int:
        """Return the local memory that a work-group needs."""
        return self.tile * elements.dtype.itemsize


def default_shape(device: Device, reduces: bool) -> Shape:
    """Return the shape that was fastest in the thesis, as far as the device has such work-groups."""
    size, each = _REDUCTION if reduces else _SCAN
    return Shape(min(size, device.max_work_group_size), each)


def strides_of_reduction(n: int, tile: int) -> Iterator[tuple[int, int]]:
    """Yield the stride of each level, from the leaves on, and how many nodes it has."""
    stride, nodes = 1, 0
    while nodes != 1:
        nodes = max(1, -(-n // (stride * tile)))
        yield stride, nodes
        stride *= tile


def strides_of_scan(n: int, tile: int) -> list[tuple[int, int]]:
    """Return the stride of each level, from the leaves on, and how many nodes it has."""
    found, stride = [(1, max(1, -(-n // tile)))], tile
    while n // stride > 1:
        found.append((stride, -(-(n // stride) // tile)))
        stride *= tile
    return found


def plan_pairs(job: Job, elements: Elements, x: Memory, total: Memory, n: int) -> Plan:
    """Plan to combine the first n elements of a buffer into one, in pairs (Algorithm 6)."""
    size = min(PLAIN_GROUP_SIZE, job.device.max_work_group_size)
    kernel = _kernel(job, elements, "strided/pairs.cl", "reduce_pairs", None)
    return _reduction(job, kernel, elements, x, total, n, 2, size, 1)


def plan_tree_reduction(job: Job, elements: Elements, x: Memory, total: Memory, n: int, shape: Shape) -> Plan:
    """Plan to combine the first n elements of a buffer into one, by work-groups (Algorithms 7 and 8)."""
    kernel = _kernel(job, elements, "strided/reduce.cl", "reduce_step", shape)
    return _reduction(job, kernel, elements, x, total, n, shape.tile, shape.group_size, shape.group_size)


def _reduction(
    job: Job, kernel: Kernel, elements: Elements, x: Memory, total: Memory, n: int, tile: int, size: int, items: int
) -> Plan:
    """Plan the levels of a reduction, with some work-items for each node."""
    levels = list(strides_of_reduction(n, tile))
    level = job.allocate(n, elements.dtype) if len(levels) > 1 else total
    plan = []
    for stride, nodes in levels:
        slices = even(0, nodes * items, size, nodes * tile, job.device.steps_at_once)
        target = total if nodes == 1 else level
        numbers = (np.uint64(stride), np.uint64(n))
        plan.append(job.bind(kernel, nodes * items, size, x, target, *numbers, slices=slices))
        x = level
    return plan


def plan_tree_scan(job: Job, elements: Elements, x: Memory, out: Memory, n: int, shape: Shape) -> Plan:
    """Plan to scan the first n elements of a buffer (Algorithms 9 and 10)."""
    up, down = (_kernel(job, elements, "strided/scan.cl", name, shape) for name in ("up_step", "down_step"))
    levels, size, at_once = strides_of_scan(n, shape.tile), shape.group_size, job.device.steps_at_once
    plan = []
    for stride, nodes in levels:
        slices = even(0, nodes * size, size, nodes * shape.tile, at_once)
        numbers = (np.uint64(stride), np.uint64(n))
        plan.append(job.bind(up, nodes * size, size, x, out, *numbers, slices=slices))
        x = out
    for stride, nodes in reversed(levels):
        if nodes > 1:
            items = (nodes - 1) * size
            slices = even(0, items, size, (nodes - 1) * shape.tile, at_once)
            plan.append(job.bind(down, items, size, out, np.uint64(stride), np.uint64(n), slices=slices))
    return plan


def _kernel(job: Job, elements: Elements, file: str, name: str, shape: Shape | None) -> Kernel:
    macros: dict[str, str | int] = {}
    if shape is not None:
        macros = {"GROUP_SIZE": shape.group_size, "EACH": shape.each}
        needed, available = shape.local_bytes(elements), job.device.local_memory
        if needed > available:  # before a compiler sees it, since not all refuse it
            has = f"{job.device} has {available:,}"
            raise DeviceError(
                f"{shape.group_size} x {shape.each} elements: {needed:,} bytes of local memory, but {has}"
            )
    return kernel_of(job, elements, file, name, **macros)
