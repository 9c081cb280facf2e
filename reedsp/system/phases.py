"""Where the time of a call goes: it is in one phase at a time, so that all phases add up to the call."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator

NAMES = ("prepare", "upload", "search", "tree", "download", "convert")
"""From what was given to what a search needs, copies to a device, path weights, predecessors, copies back, and results
in their type."""


class Phases:
    """A clock for the phases of a call, which begins in the first one."""

    def __init__(self) -> None:
        self._seconds = dict.fromkeys(NAMES, 0.0)
        self._phase, self._since = NAMES[0], time.perf_counter()

    def begin(self, phase: str) -> None:
        """End one phase, and begin another."""
        now = time.perf_counter()
        self._seconds[self._phase] += now - self._since
        self._phase, self._since = phase, now

    @contextlib.contextmanager
    def within(self, phase: str) -> Iterator[None]:
        """Go on, after what is done here, with the phase that there was before."""
        before = self._phase
        self.begin(phase)
        try:
            yield
        finally:
            self.begin(before)

    def milliseconds(self) -> dict[str, float]:
        """Return how long the call has been in each phase so far."""
        self.begin(self._phase)
        return {phase: 1e3 * seconds for phase, seconds in self._seconds.items()}
