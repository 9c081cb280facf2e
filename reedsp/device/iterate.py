"""Repeat a kernel until a round changes nothing, in batches that end soon enough for Ctrl-C and progress reports."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Hashable, Iterator
from typing import Any

import numpy as np
import pyopencl as cl

from reedsp.device.build import constants
from reedsp.device.job import BoundKernel, Job

PASSES = 6
"""Bound kernels that an iteration needs: three phases times two directions between two buffers."""

_MAX_BATCH = 64
_SECONDS = 0.04  # what takes longer is halved, and what takes less than half of it doubled
_PART = 4  # of the launches so far, in another batch of a search that was expected to have ended
_FEWER = 8  # one of so many expected launches is left out where fewer were needed: others may take as many as before


class Pace:
    """An amount that is doubled or halved, by how long the device takes over it.

    Python, which hears Ctrl-C, runs in between only.

    Parameters
    ----------
    first : int
    most : int
        Bound of the amount, also of the first one.

    Attributes
    ----------
    amount : int
        Launches, edges or the like, at least one.
    """

    def __init__(self, first: int, most: int = sys.maxsize) -> None:
        self.amount = min(first, most)
        self._most = most
        self._begun = 0.0

    def begin(self) -> None:
        """Take the time from now on."""
        self._begun = time.perf_counter()

    def adapt(self) -> None:
        """Change the amount for the next time."""
        elapsed = time.perf_counter() - self._begun
        if elapsed < _SECONDS / 2:
            self.amount = min(2 * self.amount, self._most)
        elif elapsed > _SECONDS:
            self.amount = max(1, self.amount // 2)


class Batches:
    """How many launches to queue before the device is asked whether there is more to do.

    A search takes about as many as the last one of its kind on the same graph: then nothing is launched in vain, which
    takes a third of a short search's time, and the device is asked once.

    Parameters
    ----------
    known : dict
        What is known of the graph.
    kind : hashable
        Of the search.
    first, shortest, most : int
        Launches at once: at first, where there was no search yet; later; and at most.
    part : int
        Where there was no search yet, later batches have this part of the launches so far.
    """

    def __init__(self, known: dict[Any, Any], kind: Hashable, first: int, shortest: int, most: int, part: int) -> None:
        self._known, self._key = known, ("launches", kind)
        self._expected, longest = known.get(self._key, (0, first))
        self._next, self._shortest, self._part = self._expected or first, shortest, _PART if self._expected else part
        self._pace = Pace(longest, most)
        self._launched = 0

    def begin(self) -> int:
        """Return how many launches to queue next."""
        self._pace.begin()
        amount = min(self._next, self._pace.amount)
        self._launched += amount
        return amount

    def go_on(self) -> None:
        """Prepare for another batch."""
        self._pace.adapt()
        self._next = max(self._shortest, self._launched // self._part)

    def end(self, needed: int) -> None:
        """Note how many launches the search has needed."""
        self._pace.adapt()
        fewer = self._expected - max(1, self._expected // _FEWER)
        self._known[self._key] = max(needed, fewer), self._pace.amount


def repeated(launch: BoundKernel, pace: Pace) -> Iterator[None]:
    """Queue a kernel again and again, for as long as the caller does not end the loop.

    Parameters
    ----------
    launch : BoundKernel
        With an argument `budget`, of uint64, which is set.
    pace : Pace
        Of budgets, for which the caller waits for each launch.
    """
    while True:
        pace.begin()
        launch.set("budget", np.uint64(pace.amount))
        launch.queue()
        yield
        pace.adapt()


def take_rows(
    job: Job,
    launch: BoundKernel,
    counters: cl.Buffer,
    rows: int,
    pace: Pace,
    progress: Callable[[int], None] | None = None,
) -> int:
    """Launch a kernel that takes one row of work after the other, up to a budget, until all rows are done.

    Parameters
    ----------
    job : Job
    launch, pace
        As for :func:`repeated`.
    counters : pyopencl.Buffer of uint32, shape (COUNTERS,)
        Those of cl/core/rows.cl, zeros at first.
    rows : int
    progress : callable(steps), optional
        Called between launches.

    Returns
    -------
    steps : int
        Of all rows.
    """
    layout, steps = constants("core/rows.cl"), 0
    for _ in repeated(launch, pace):
        words = job.download(counters, layout["COUNTERS"], np.uint32)
        steps += (int(words[layout["STEPS"]]) - steps) % 2**32  # which begin at 0 again
        if words[layout["ROWS_DONE"]] == rows:
            break
        if progress is not None:
            progress(steps)
    return steps


class Rounds:
    """Runs the rounds of one iteration; cl/core/rounds.cl describes how they report.

    Attributes
    ----------
    updates : pyopencl.Buffer
        Argument of the kernel, beside its phase.
    """

    def __init__(self, job: Job) -> None:
        self._job = job
        self._rounds_run = constants("core/rounds.cl")["ROUNDS_RUN"]
        self.updates: cl.Buffer = job.upload(np.array([1, 0, 0, 0], np.uint32), keep=False)

    def run(
        self, queue_round: Callable[[int], None], limit: int, after_batch: Callable[[int], None] | None = None
    ) -> tuple[int, bool]:
        """Run rounds until one changes nothing, or `limit` rounds.

        The rounds of a batch are queued one behind the other without waiting (thesis section 5.3.1 waits after
        each). Each skips its work once its predecessor has reported no change, so that the rounds queued in vain
        cost next to nothing.

        Parameters
        ----------
        queue_round : callable(round)
            Queues round number 0, 1, 2, ... with phase ``round % 3``.
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
        done, pace = 0, Pace(1, _MAX_BATCH)
        while done < limit:
            pace.begin()
            batch = min(pace.amount, limit - done)
            for number in range(done, done + batch):
                queue_round(number)
            done += batch
            words = self._job.download(self.updates, 4, np.uint32)
            if words[done % 3] == 0:
                return int(words[self._rounds_run]), True
            if after_batch is not None:
                after_batch(done)
            pace.adapt()
        return done, False
