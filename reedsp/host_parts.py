"""Passes over large arrays of the host, a part that fits into a cache at a time, on several cores."""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from contextvars import copy_context

PART = 1 << 20
"""Bytes of a part: with what is computed from it, it stays in the second cache."""

TRANSFERRED = 4 << 20
"""Bytes of a part that comes from a device, or goes there: each has to be asked for."""

_WORTH_THREADS = 8 * PART
_MOST_THREADS = 8


@functools.cache
def _helpers() -> ThreadPoolExecutor:
    """Return the threads that help: to start some for each array would take as long as to copy tens of megabytes."""
    return ThreadPoolExecutor(_MOST_THREADS - 1, thread_name_prefix="reedsp-parts")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_helpers.cache_clear)  # threads do not come along


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
    step = max(1, part // max(1, itemsize))
    firsts = range(0, count, step)
    if count * itemsize < _WORTH_THREADS:
        for first in firsts:
            work(first, min(first + step, count))
        return
    waiting, lock = iter(firsts), threading.Lock()
    failures: dict[int, BaseException] = {}

    def help_out() -> None:
        while not failures:
            with lock:
                first = next(waiting, None)
            if first is None:
                return
            try:
                work(first, min(first + step, count))
            except BaseException as error:
                failures[first] = error

    helpers = [
        # each with the caller's numpy.errstate, which a thread does not inherit
        _helpers().submit(copy_context().run, help_out)
        for _ in range(min(_MOST_THREADS, os.cpu_count() or 1, len(firsts)) - 1)
    ]
    try:
        help_out()
    finally:
        wait([each for each in helpers if not each.cancel()])  # who has not begun has nothing to do any more
    if failures:
        raise failures[min(failures)]
