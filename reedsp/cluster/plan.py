"""How the rows of an answer are cut into tasks, and what a graph needs on a device."""

from __future__ import annotations

AHEAD = 4
"""Tasks of a worker that are handed in at a time."""


def parts(rows: int, step: int) -> list[tuple[int, int]]:
    """Return the first row of each task, and the one after its last."""
    return [(first, min(first + step, rows)) for first in range(0, rows, step)]


def bytes_needed(n: int, m: int, itemsize: int) -> int:
    """Return the bytes that a device needs, at least, for a graph and one search in it.

    Parameters
    ----------
    n, m : int
        Vertices and edges.
    itemsize : int
        Bytes of a path weight.
    """
    return m * (4 + itemsize) + n * (8 + 2 * itemsize)
