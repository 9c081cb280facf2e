"""Passes over large arrays of the host, a part that fits into a cache at a time, on several cores."""

from __future__ import annotations

import os
from collections.abc import Callable

from reedsp.system.threads import shared

PART = 1 << 20
"""Bytes of a part: with what is computed from it, it stays in the second cache."""

TRANSFERRED = 4 << 20
"""Bytes of a part that comes from a device, or goes there: each has to be asked for."""

WORTH_THREADS = 8 * PART
"""Bytes from which on several threads take part."""

_MOST_THREADS = 8


def in_parts(work: Callable[[int, int], None], count: int, itemsize: int, part: int = PART) -> None:
    """Call ``work(first, last)`` for parts of ``range(count)`` that cover it.

    Several calls run at a time if there is much to do, one of them in this thread; numpy lets other threads run
    meanwhile. Memory that no process has used before is handed out page by page, which takes one core longer than what
    is then done with it.

    Parameters
    ----------
    work : callable(int, int)
        An error of it is raised, and other parts are left out; of several errors, that of the first part.
    count : int
        Number of items.
    itemsize : int
        Bytes of an item.
    part : int
        Bytes of a part.
    """
    if count * itemsize <= part:
        if count:
            work(0, count)
        return
    step = max(1, part // max(1, itemsize))
    firsts = range(0, count, step)
    if count * itemsize < WORTH_THREADS:
        for first in firsts:
            work(first, min(first + step, count))
        return
    threads = min(_MOST_THREADS, os.cpu_count() or 1, len(firsts))
    shared(lambda number: work(firsts[number], min(firsts[number] + step, count)), len(firsts), threads - 1)
