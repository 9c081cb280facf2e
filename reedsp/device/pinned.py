"""Host memory that a device reads and writes by itself: several times as fast as any other where memory is its own."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import numpy.typing as npt
import pyopencl as cl

from reedsp.system.parts import TRANSFERRED


class PinnedArray:
    """An array in such memory, for as long as this object lives.

    Parameters
    ----------
    queue : pyopencl.CommandQueue
    shape : tuple of int
    dtype : dtype

    Attributes
    ----------
    array : ndarray
    """

    def __init__(self, queue: cl.CommandQueue, shape: tuple[int, ...], dtype: npt.DTypeLike) -> None:
        flags, access = cl.mem_flags, cl.map_flags.READ | cl.map_flags.WRITE
        size = int(np.prod(shape)) * np.dtype(dtype).itemsize
        self._buffer = cl.Buffer(queue.context, flags.READ_WRITE | flags.ALLOC_HOST_PTR, size)
        mapped: npt.NDArray[Any]
        mapped, _ = cl.enqueue_map_buffer(queue, self._buffer, access, 0, shape, np.dtype(dtype), is_blocking=True)  # type: ignore[arg-type]
        self.array = mapped


class PinnedParts:
    """Parts of such memory that are lent to threads, each to one at a time, and kept for the next.

    Parameters
    ----------
    queue : pyopencl.CommandQueue
    """

    def __init__(self, queue: cl.CommandQueue) -> None:
        self._queue = queue
        self._lock = threading.Lock()
        self._free: list[PinnedArray] = []

    def take(self) -> PinnedArray:
        """Return an array of TRANSFERRED bytes that is in use nowhere else."""
        with self._lock:
            return self._free.pop() if self._free else PinnedArray(self._queue, (TRANSFERRED,), np.uint8)

    def give_back(self, part: PinnedArray) -> None:
        """Keep an array for the next caller."""
        with self._lock:
            self._free.append(part)
