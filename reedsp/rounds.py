"""Repeat a kernel until a round changes nothing, reading back from the device as rarely as possible."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import pyopencl as cl

from reedsp.device import Job

_MAX_BATCH = 64
_BATCH_SECONDS = 0.04  # keeps Ctrl-C and progress reports prompt: Python runs between batches only


def run_until_unchanged(
    job: Job,
    launch: Callable[[cl.Buffer, np.uint32, int], None],
    limit: int,
    after_batch: Callable[[int], None] | None = None,
) -> tuple[int, bool]:
    """Run rounds until one changes nothing, or `limit` rounds.

    The rounds of a batch are queued one behind the other without waiting (thesis section 5.3.1 waits after each).
    Each reports through a word of its own, and skips its work once its predecessor has reported no change, so
    that the rounds queued in vain cost next to nothing.

    Parameters
    ----------
    job : Job
    launch : callable(updates, slot, round)
        Queues round number `round`. The kernel does nothing if ``updates[slot]`` is 0, and sets
        ``updates[slot + 1]`` to 1 if it changes anything.
    limit : int
        Largest number of rounds.
    after_batch : callable(rounds), optional
        Called with the number of rounds done after each read-back that shows a change.

    Returns
    -------
    rounds : int
        Rounds that were not skipped, the last one, which found nothing, included.
    unchanged : bool
        Whether the last round changed nothing.
    """
    fresh = np.zeros(_MAX_BATCH + 1, np.uint32)
    fresh[0] = 1
    updates = job.allocate(len(fresh), np.uint32)
    done, batch = 0, 1
    while done < limit:
        batch = min(batch, limit - done)
        started = time.perf_counter()
        job.overwrite(updates, fresh)
        for slot in range(batch):
            launch(updates, np.uint32(slot), done + slot)
        changed = job.download(updates, batch + 1, np.uint32)
        if not changed.all():
            return done + int(np.argmin(changed)), True
        done += batch
        if after_batch is not None:
            after_batch(done)
        elapsed = time.perf_counter() - started
        if elapsed < _BATCH_SECONDS / 2:
            batch = min(2 * batch, _MAX_BATCH)
        elif elapsed > _BATCH_SECONDS:
            batch = max(1, batch // 2)
    return done, False
