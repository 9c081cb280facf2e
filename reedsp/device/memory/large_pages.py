"""Large buffers of CPU devices, in memory of numpy: it asks for large pages, which the system hands out sooner."""

from __future__ import annotations

import time
import weakref
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyopencl as cl

_ALIGNMENT = 4096
_WAIT = 1e-3  # seconds: a queue on which nothing is left to do answers much sooner


@dataclass
class _Memory:
    """Memory of the host that is kept from before a buffer lies in it until the queue has come past its end."""

    queue: cl.CommandQueue
    memory: npt.NDArray[Any]
    lent: weakref.ref[npt.NDArray[Any]]
    done: cl.Event | None = None


_kept: dict[int, _Memory] = {}
"""By the identity of the memory. A collector of garbage may release a buffer at any time, also while this is looked at,
and Ctrl-C may interrupt what follows: each step is a single operation, and what was missed is done later."""


def allocate(queue: cl.CommandQueue, size: int) -> cl.Buffer:
    """Return an uninitialised buffer of some bytes for commands on this queue.

    OpenCL keeps a buffer until the commands that use it are done, but not the memory of the host that it lies in.
    """
    release()
    memory = np.empty(size + _ALIGNMENT, np.uint8)
    first = -memory.ctypes.data % _ALIGNMENT
    lent = memory[first : first + size]
    _kept[id(memory)] = _Memory(queue, memory, weakref.ref(lent))
    weakref.finalize(lent, _let_go, id(memory)).atexit = False
    return cl.Buffer(queue.context, cl.mem_flags.READ_WRITE | cl.mem_flags.USE_HOST_PTR, hostbuf=lent)


def release() -> None:
    """Give memory back that no buffer lies in and no command uses any more."""
    for number, kept in _kept.copy().items():
        if kept.lent() is None:
            if kept.done is None:
                _mark(number, kept)
            elif _is_done(kept.done):
                _kept.pop(number, None)


def _let_go(number: int) -> None:
    """Give memory back whose buffer is no more; where the queue is busy, later."""
    if (kept := _kept.get(number)) is not None:
        _mark(number, kept)
        started = time.perf_counter()
        while kept.done is not None and not _is_done(kept.done) and time.perf_counter() - started < _WAIT:
            time.sleep(0)
        release()


def _mark(number: int, kept: _Memory) -> None:
    """Have an event tell when everything is done that was queued so far; without a device nothing is ever queued."""
    try:
        kept.done = cl.enqueue_marker(kept.queue)
        kept.queue.flush()
    except cl.Error:
        _kept.pop(number, None)


def _is_done(event: cl.Event) -> bool:
    return event.command_execution_status <= cl.command_execution_status.COMPLETE  # failures are less
