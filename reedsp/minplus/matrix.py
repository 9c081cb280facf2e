"""Row-major matrices in the memory of a device: parts of them, copies and transposes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyopencl as cl

from reedsp.arithmetic.types import C_TYPES, unsigned
from reedsp.device.job import Job

_TRANSPOSED = (32, 8)  # side of a tile, and rows of it that a work-group moves at once


@dataclass(frozen=True)
class Block:
    """Part of a row-major matrix on the device.

    Attributes
    ----------
    buffer : pyopencl.Buffer
    stride : int
        Elements from one row to the next.
    first : int
        Index of the first element of the part.
    """

    buffer: cl.Buffer
    stride: int
    first: int = 0

    def at(self, row: int, column: int) -> Block:
        """Return the part that begins at this row and column of this one."""
        return Block(self.buffer, self.stride, self.first + row * self.stride + column)


def copy_block(job: Job, source: Block, target: Block, shape: tuple[int, int], item_size: int) -> None:
    """Queue a copy of a block of some rows and columns, of elements of some bytes."""
    rows, columns = shape
    offsets = [(each.first * item_size, each.stride * item_size) for each in (target, source)]
    job.copy_rows(target.buffer, *offsets[0], source.buffer, *offsets[1], columns * item_size, rows)


def transpose(
    job: Job, source: Block, shape: tuple[int, int], stride: int, dtype: np.dtype[Any], filling: Any = 0
) -> cl.Buffer:
    """Queue the transposition of a block into a new buffer.

    Parameters
    ----------
    job : Job
    source : Block
    shape : tuple of int
        Rows and columns of the block.
    stride : int
        Elements from one row of the transpose to the next, at least the rows of the block.
    dtype : dtype
    filling
        What the transpose is filled up with.
    """
    rows, columns = shape
    element = C_TYPES[unsigned(dtype.itemsize)]
    bits = np.array([filling], dtype).view(unsigned(dtype.itemsize))[0]
    block, step = _TRANSPOSED
    kernel = job.device.kernel("core/transpose.cl", "transpose", ELEMENT=element, BLOCK=block, STEP=step)
    target = job.allocate(columns * stride, dtype)
    numbers = map(np.uint32, (source.stride, stride, rows, columns))
    sizes = (columns, -(-stride // block) * step)
    job.launch(kernel, sizes, _TRANSPOSED, source.buffer, target, np.uint64(source.first), *numbers, bits)
    return target
