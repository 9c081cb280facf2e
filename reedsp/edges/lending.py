"""Arrays of the host that kernels read and write: of a CPU device where they are, of others in copies."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pyopencl as cl

from reedsp.device.job import Job


def lent(job: Job, array: npt.NDArray[Any]) -> cl.Buffer:
    """Return an array for kernels to read, until the job returns what is borrowed."""
    array = np.ascontiguousarray(array)
    return job.borrow(array, writable=False) if job.device.kind == "cpu" and array.size else job.upload(array)


@contextlib.contextmanager
def written(job: Job, array: npt.NDArray[Any]) -> Iterator[cl.Buffer]:
    """Lend a contiguous array for kernels to write all of, which it holds in the end."""
    if job.device.kind == "cpu" and array.size:
        buffer = job.borrow(array, writable=True)
        yield buffer
        job.give_back(buffer, array)
    else:
        buffer = job.allocate(array.size, array.dtype)
        yield buffer
        job.download_into(array, buffer)
