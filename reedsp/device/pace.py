"""How much a device is given at a time, so that Ctrl-C and progress reports are prompt: Python runs in between only."""

from __future__ import annotations

import sys
import time


class Pace:
    """An amount that is doubled or halved, by how long the device takes over it.

    Parameters
    ----------
    first : int
    most : int
        Bound of the amount, also of the first one.
    seconds : float
        What takes longer is halved, and what takes less than half of it doubled.

    Attributes
    ----------
    amount : int
        Launches, edges or the like, at least one.
    """

    def __init__(self, first: int, most: int = sys.maxsize, seconds: float = 0.04) -> None:
        self.amount = min(first, most)
        self._most, self._seconds = most, seconds
        self._begun = 0.0

    def begin(self) -> None:
        """Take the time from now on."""
        self._begun = time.perf_counter()

    def adapt(self) -> None:
        """Change the amount for the next time."""
        elapsed = time.perf_counter() - self._begun
        if elapsed < self._seconds / 2:
            self.amount = min(2 * self.amount, self._most)
        elif elapsed > self._seconds:
            self.amount = max(1, self.amount // 2)
