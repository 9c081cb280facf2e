"""Large buffers of CPU devices, in memory of numpy: it asks for large pages, which the system hands out sooner."""

from __future__ import annotations

import contextlib
import time
import weakref
from typing import Any

import numpy as np
import numpy.typing as npt
import pyopencl as cl

_ALIGNMENT = 4096
_WAIT = 1e-3  # seconds: a queue on which nothing is left to do answers much sooner

_in_use: dict[int, tuple[cl.Event, npt.NDArray[Any]]] = {}
"""By the identity of the memory. A collector of garbage may release a buffer at any time, also while this is looked at:
each step is a single operation."""


def allocate(queue: cl.CommandQueue, size: int) -> cl.Buffer:
    """Return an uninitialised buffer of some bytes for commands on this queue.

    OpenCL keeps a buffer until the commands that use it are done, but not the memory of the host that it lies in:
    this memory is kept here from the end of the buffer until the queue has come so far.
    """
    release()
    memory = np.empty(size + _ALIGNMENT, np.uint8)
    first = -memory.ctypes.data % _ALIGNMENT
    lent = memory[first : first + size]
    weakref.finalize(lent, _release_after, queue, memory).atexit = False
    return cl.Buffer(queue.context, cl.mem_flags.READ_WRITE | cl.mem_flags.USE_HOST_PTR, hostbuf=lent)


def release() -> None:
    """Give memory back that no command uses any more."""
    for memory, (done, _) in _in_use.copy().items():
        if _is_done(done):
            _in_use.pop(memory, None)


def _release_after(queue: cl.CommandQueue, memory: npt.NDArray[Any]) -> None:
    """Keep the memory of a buffer that is no more until everything queued so far is done."""
    with contextlib.suppress(cl.Error):
        done = cl.enqueue_marker(queue)
        _in_use[id(memory)] = done, memory
        queue.flush()
        started = time.perf_counter()
        while not _is_done(done) and time.perf_counter() - started < _WAIT:
            time.sleep(0)
        release()


def _is_done(event: cl.Event) -> bool:
    return event.command_execution_status <= cl.command_execution_status.COMPLETE  # failures are less
