"""How often a loop may begin again before it is given up."""

from __future__ import annotations

from typing import NamedTuple

from reedsp.pram.tree import Range
from reedsp.system.options import integer

MAX_ROUNDS = 1 << 16
"""As often as a loop without a range may begin again, if the caller does not say."""

_MOST_ROUNDS = (1 << 63) - 1  # that a kernel counts; more are not done in a lifetime


class Limits(NamedTuple):
    """As often as loops may begin again: those without a range, and those over one, which end by themselves."""

    whiles: int
    ranges: int

    def of(self, over: Range | None) -> int:
        """Return the limit of a loop by its range, if it has one."""
        return self.whiles if over is None else self.ranges


def limits_of(max_rounds: int | None) -> Limits:
    """Return the limits that a caller sets, or else those of this module."""
    if max_rounds is None:
        return Limits(MAX_ROUNDS, _MOST_ROUNDS)
    limit = min(integer(max_rounds, "max_rounds"), _MOST_ROUNDS)
    if limit < 1:
        raise ValueError(f"max_rounds = {limit}: at least one is needed")
    return Limits(limit, limit)
