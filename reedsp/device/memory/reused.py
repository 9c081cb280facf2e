"""Large buffers that one part of some work leaves to the next.

NVIDIA's driver takes a fifth of the time of a search from a thousand vertices to make and free ten gigabytes, and what
several threads ask of it one after the other.
"""

from __future__ import annotations

import pyopencl as cl

_MUCH_LARGER = 2


class Reused:
    """Buffers of a job, kept from part to part, on a queue that runs commands in their order."""

    def __init__(self) -> None:
        self._in_use: list[cl.Buffer] = []
        self._free: list[cl.Buffer] = []

    def take(self, size: int) -> cl.Buffer | None:
        """Return the smallest buffer that an earlier part has left of at least so many bytes, and not many more."""
        fitting = [each for each in self._free if size <= each.size <= _MUCH_LARGER * size]
        if not fitting:
            return None
        buffer = min(fitting, key=lambda each: int(each.size))
        self._free.remove(buffer)
        self._in_use.append(buffer)
        return buffer

    def add(self, buffer: cl.Buffer) -> None:
        """Keep a new buffer, which is in use."""
        self._in_use.append(buffer)

    def end_part(self) -> None:
        """Leave all buffers to the next part; all work with them is queued."""
        self._free += self._in_use
        self._in_use.clear()

    def release(self) -> bool:
        """Have the device free what is not in use; return whether there was anything."""
        some = bool(self._free)
        self._free.clear()
        return some
