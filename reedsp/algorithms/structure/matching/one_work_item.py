"""Kernels of one work-item, which end after a budget of entries and go on in the next launch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyopencl as cl

from reedsp.device.build import constants
from reedsp.device.iterate import Pace, repeated
from reedsp.device.job import Argument, Job

_MOST = 1 << 18
"""Entries of a launch, which take at most some 50 ms where each of them is far from the last one in memory."""

Words = np.ndarray[Any, np.dtype[np.uint64]]


def run(
    job: Job,
    kernel: tuple[str, str, dict[str, str | int]],
    arrays: tuple[Argument, ...],
    state: cl.Buffer,
    sizes: tuple[np.uint32, ...],
    report: Callable[[Words], None] | None = None,
) -> Words:
    """Launch a kernel until it is done, and return its state.

    Parameters
    ----------
    job : Job
    kernel : tuple
        File, name and macros. Its last arguments are the arrays, the state, the sizes and the budget.
    arrays, state, sizes
    report : callable(state), optional
        Is called between two launches.
    """
    file, name, macros = kernel
    layout = constants(file)
    bound = job.bind(job.device.kernel(file, name, **macros), 1, 1, *arrays, state, *sizes, np.uint64(0))
    for _ in repeated(bound, Pace(_MOST, _MOST)):
        words = job.download(state, layout["STATE_WORDS"], np.uint64)
        if words[layout["IS_DONE"]]:
            break
        if report is not None:
            report(words)
    return words
