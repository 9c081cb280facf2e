"""Memory that one job leaves to the next: with NVIDIA's driver, to make or release some takes longer than a search.

Beside buffers it is memory of the host that a device reads and writes by itself: several times as fast as any other
where memory is the device's own.
"""

from __future__ import annotations

import itertools
import threading
import weakref
from collections import deque
from typing import Any

import numpy as np
import numpy.typing as npt
import pyopencl as cl

from reedsp.system.parts import TRANSFERRED

_LARGEST = 1 << 24  # bytes
_PART_OF_GPU = 256  # of its memory
_LARGEST_IN_ALL = 16  # buffers that are not in use
_MOST_COPIES = 8  # at a time from memory that is pinned


class Scratch:
    """Buffers of one device that are not in use, each as large as a power of two.

    What has been queued with a buffer comes before what is queued with it next, on the one queue of the device.

    Parameters
    ----------
    kind : str
        Of the device.
    memory : int
        Bytes of the device.

    Attributes
    ----------
    largest : int
        Bytes of the largest buffer that is kept. All that are kept together have at most 16 times as many.
    """

    def __init__(self, kind: str, memory: int) -> None:
        self.largest: int = max(_LARGEST, 0 if kind == "cpu" else memory // _PART_OF_GPU)
        self._lock = threading.RLock()  # a collector of garbage may give back what this thread is about to take
        self._free: dict[int, list[cl.Buffer]] = {}
        self._owned: dict[int, tuple[weakref.ref[object], tuple[cl.Buffer, ...]]] = {}
        self._numbers = itertools.count()
        self._bytes = 0

    def take(self, context: cl.Context, size: int) -> cl.Buffer:
        """Return a buffer of at least so many bytes."""
        size = 1 << (size - 1).bit_length()
        with self._lock:
            if not self._free.get(size):
                self._take_back_missed()
            if free := self._free.get(size):
                self._bytes -= size
                return free.pop()
        return cl.Buffer(context, cl.mem_flags.READ_WRITE, size)

    def give_back(self, *buffers: cl.Buffer) -> None:
        """Let others take buffers that were taken here, all of whose work is queued."""
        with self._lock:
            for buffer in buffers:
                size = int(buffer.size)
                if self._bytes + size <= _LARGEST_IN_ALL * self.largest:
                    self._bytes += size
                    self._free.setdefault(size, []).append(buffer)

    def give_back_with(self, owner: object, *buffers: cl.Buffer) -> None:
        """Let others take buffers once an object is no more."""
        number = next(self._numbers)
        self._owned[number] = weakref.ref(owner), buffers
        weakref.finalize(owner, self._take_back, number).atexit = False

    def _take_back(self, number: int) -> None:
        _, buffers = self._owned.pop(number, (None, ()))
        self.give_back(*buffers)

    def _take_back_missed(self) -> None:
        """Let others take buffers whose owner is no more, where Ctrl-C has interrupted what should have followed."""
        for number, (owner, _) in self._owned.copy().items():
            if owner() is None:
                self._take_back(number)

    def release(self) -> bool:
        """Have the device free what is not in use; return whether there was anything."""
        with self._lock:
            self._take_back_missed()
            some = bool(self._bytes)
            self._free.clear()
            self._bytes = 0
        return some

    def handles(self) -> set[int]:
        """Return the handles of the buffers that are not in use."""
        with self._lock:
            return {buffer.int_ptr for buffers in self._free.values() for buffer in buffers}


class PinnedArray:
    """An array in memory of the host that a device reads and writes by itself, for as long as this object lives.

    Parameters
    ----------
    queue : pyopencl.CommandQueue
    shape : tuple of int
    dtype : dtype

    Attributes
    ----------
    array : ndarray
    copied : pyopencl.Event, optional
        Of a copy to the device, before whose end the array must not change.
    """

    def __init__(self, queue: cl.CommandQueue, shape: tuple[int, ...], dtype: npt.DTypeLike) -> None:
        flags, access = cl.mem_flags, cl.map_flags.READ | cl.map_flags.WRITE
        size = int(np.prod(shape)) * np.dtype(dtype).itemsize
        self._buffer = cl.Buffer(queue.context, flags.READ_WRITE | flags.ALLOC_HOST_PTR, size)
        mapped: npt.NDArray[Any]
        mapped, _ = cl.enqueue_map_buffer(queue, self._buffer, access, 0, shape, np.dtype(dtype), is_blocking=True)  # type: ignore[arg-type]
        self.array = mapped
        self.copied: cl.Event | None = None


class PinnedParts:
    """Parts of such memory that are lent to threads, each to one at a time, and kept for the next.

    Parameters
    ----------
    queue : pyopencl.CommandQueue
    """

    def __init__(self, queue: cl.CommandQueue) -> None:
        self._queue = queue
        # Those first that were given back first. A signal's handler may ask meanwhile: each step is a single operation.
        self._free: deque[PinnedArray] = deque()

    def take(self) -> PinnedArray:
        """Return an array of TRANSFERRED bytes that is in use nowhere else; may wait for a copy to end."""
        try:
            part = self._free.popleft()
        except IndexError:
            return self._new()
        if len(self._free) + 1 < _MOST_COPIES and _is_read(part):
            self._free.appendleft(part)
            return self._new()
        if part.copied is not None:
            part.copied.wait()
            part.copied = None
        return part

    def give_back(self, part: PinnedArray) -> None:
        """Keep an array for the next caller."""
        self._free.append(part)

    def _new(self) -> PinnedArray:
        return PinnedArray(self._queue, (TRANSFERRED,), np.uint8)


def _is_read(part: PinnedArray) -> bool:
    """Return whether a copy to the device has not ended."""
    complete = cl.command_execution_status.COMPLETE  # failures are less
    return part.copied is not None and part.copied.command_execution_status > complete
