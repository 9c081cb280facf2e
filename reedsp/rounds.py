"""Repeat a kernel until a round changes nothing, reading back from the device as rarely as possible."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import pyopencl as cl

from reedsp.device import Job

_MAX_BATCH = 64
_BATCH_SECONDS = 0.04  # keeps Ctrl-C and progress reports prompt: Python runs between batches only


class Updates:
    """The words through which rounds report: round number r of a batch reads word r and sets word r + 1.

    Attributes
    ----------
    buffer : pyopencl.Buffer of uint32
        Argument of the kernel, which does nothing if ``buffer[slot]`` is 0, and sets ``buffer[slot + 1]`` to 1 if it
        changes anything.
    """

    def __init__(self, job: Job) -> None:
        self._job = job
        self._fresh = np.zeros(_MAX_BATCH + 1, np.uint32)
        self._fresh[0] = 1
        self.buffer: cl.Buffer = job.allocate(len(self._fresh), np.uint32)

    def reset(self) -> None:
        """Queue the state before the first round of a batch."""
        self._job.overwrite(self.buffer, self._fresh)

    def read(self, rounds: int) -> tuple[int, bool]:
        """Wait for the rounds of a batch; return how many were not skipped, and whether the last changed nothing."""
        changed = self._job.download(self.buffer, rounds + 1, np.uint32)
        return (rounds, False) if changed.all() else (int(np.argmin(changed)), True)


def run_until_unchanged(
    job: Job,
    updates: Updates,
    queue_round: Callable[[np.uint32, int], None],
    limit: int,
    after_batch: Callable[[int], None] | None = None,
) -> tuple[int, bool]:
    """Run rounds until one changes nothing, or `limit` rounds.

    The rounds of a batch are queued one behind the other without waiting (thesis section 5.3.1 waits after each).
    Each skips its work once its predecessor has reported no change, so that the rounds queued in vain cost next to
    nothing.

    Parameters
    ----------
    job : Job
    updates : Updates
    queue_round : callable(slot, round)
        Queues round number `round`, which reports through word `slot` + 1.
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
    slots = np.arange(_MAX_BATCH, dtype=np.uint32)
    done, batch = 0, 1
    while done < limit:
        batch = min(batch, limit - done)
        started = time.perf_counter()
        updates.reset()
        for slot in range(batch):
            queue_round(slots[slot], done + slot)
        ran, unchanged = updates.read(batch)
        done += ran
        if unchanged:
            return done, True
        if after_batch is not None:
            after_batch(done)
        elapsed = time.perf_counter() - started
        if elapsed < _BATCH_SECONDS / 2:
            batch = min(2 * batch, _MAX_BATCH)
        elif elapsed > _BATCH_SECONDS:
            batch = max(1, batch // 2)
    return done, False
