"""Have Oclgrind 21.10 know which memory of the device is initialised, so that what it reports is a fault of ours.

Its record of a buffer outlives the buffer: a later one that gets the same number has it, and where that is longer, what
kernels write behind the end of the record is not noted, and is reported when it is read. What the host writes begins a
new record, as long as that alone, even if it is a part of the buffer.
"""

from __future__ import annotations

import numpy as np
import pyopencl as cl

from reedsp.device.job import Job
from reedsp.device.memory.scratch import Scratch

kept: list[object] = []
"""Buffers that must not be freed."""


def know_what_is_initialised() -> None:
    """Have every job of this process do without what leaves a wrong record; it can make 65,535 buffers then."""
    _keep_buffers()
    _write_fillings()
    _copy_what_is_lent()


def _keep_buffers() -> None:
    """Never free a buffer."""
    for name in ("allocate", "upload", "upload_rows", "borrow"):
        make = getattr(Job, name)

        def make_and_keep(*args: object, make: object = make, **options: object) -> object:
            kept.append(make(*args, **options))
            return kept[-1]

        setattr(Job, name, make_and_keep)

    def no_larger(scratch: Scratch, context: cl.Context, size: int) -> cl.Buffer:
        """Allocate what is asked for: behind a recycled buffer there is room, and in it what was there before."""
        return cl.Buffer(context, cl.mem_flags.READ_WRITE, size)

    Scratch.take, Scratch.give_back = no_larger, lambda scratch, *buffers: None


def _write_fillings() -> None:
    """Fill buffers from the host: what the simulator fills itself is a record of one element."""

    def fill(job: Job, buffer: cl.Buffer, length: int, value: np.generic) -> None:
        cl.enqueue_copy(job.device.queue, buffer, np.full(max(1, length), value))

    Job.fill = fill


def _copy_what_is_lent() -> None:
    """Copy what the host lends to be read, which is taken for uninitialised."""
    borrow = Job.borrow

    def borrow_to_write(job: Job, array: np.ndarray, writable: bool) -> object:
        return borrow(job, array, writable) if writable else job.upload(array)

    Job.borrow = borrow_to_write
