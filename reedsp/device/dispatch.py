"""How a launch is cut into dispatches that end soon: while one runs, Ctrl-C has to wait, and so has everybody else."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

PAIRS_A_STEP = 2
"""Pairs (sum, minimum), next to each other in memory, that count as one step in plain min-plus products."""


class Slices(NamedTuple):
    """A launch, cut along one of its dimensions.

    Attributes
    ----------
    dimension : int
    ends : tuple of int
        Work-items along that dimension, ascending, up to which each dispatch goes; whole work-groups but for the last.
    steps : int
        What a dispatch does, about: edges, or as much.
    """

    dimension: int
    ends: tuple[int, ...]
    steps: int


def even(dimension: int, length: int, group: int, steps: int, at_once: int) -> Slices:
    """Cut a launch whose work-items all do the same.

    Parameters
    ----------
    dimension : int
    length, group : int
        Work-items of the launch and of a work-group, along that dimension.
    steps : int
        What the whole launch does.
    at_once : int
        ``Device.steps_at_once``.
    """
    groups = max(1, -(-length // group))
    count = min(groups, max(1, -(-steps // at_once)))
    ends = [groups * part // count * group for part in range(1, count)]
    return Slices(dimension, (*ends, length), -(-steps // count))


def by_counts(counts: npt.NDArray[Any], total: int, group: int, rows: int, at_once: int) -> Slices:
    """Cut a launch, along its first dimension, whose work-items do differently much.

    A dispatch does no more than the device is given at a time, unless it is a single work-group.

    Parameters
    ----------
    counts : ndarray, shape (n,)
        Steps of each work-item; each counts as one more.
    total : int
        Sum of the counts.
    group : int
        Work-items of a work-group.
    rows : int
        How often the launch does all this.
    at_once : int
        As for :func:`even`.
    """
    n = len(counts)
    if total + n <= at_once // max(1, rows):
        return Slices(0, (n,), (total + n) * rows)
    done = np.add.reduceat(counts.astype(np.int64) + 1, np.arange(0, n, group)).cumsum() * rows  # after each group
    ends, before = [0], 0
    while ends[-1] < len(done):
        ends.append(max(ends[-1] + 1, int(np.searchsorted(done, before + at_once, "right"))))
        before = int(done[ends[-1] - 1])
    return Slices(0, (*(end * group for end in ends[1:-1]), n), at_once)
