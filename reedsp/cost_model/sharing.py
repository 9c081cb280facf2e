"""How rows are shared out among workers of a cluster, and what that takes."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

PARTS = 4
"""Tasks of each worker, at least, so that all are busy to the end."""

ROW_BYTES = 1 << 27
"""Of the rows of a task, at most."""

ROW_BYTES_GPU = 1 << 30
"""The same for GPUs, which are not busy before they search from hundreds of sources at a time."""

ADDED = 8
"""Times as many rows if they are added up where they are found: they are not copied."""

STRIPS = 4
"""Strips of each worker, at least: while some are relaxed, the next is on its way."""

_TASK = 3e-3
"""Seconds of a task beside its work; these three are measured by experiments/many_machines/clusters.py."""
_NETWORK = 5e8
"""Bytes a second that reach a worker."""
_BUILT = 1e8
"""Bytes of a graph a second that a worker makes ready to be searched."""


def rows_of_task(rows: int, workers: int, row_bytes: int, most: int = ROW_BYTES) -> int:
    """Return how many rows a task finds.

    Parameters
    ----------
    rows : int
        Of the answer.
    workers : int
    row_bytes : int
        Of each row.
    most : int
        Bytes of all of them.

    Returns
    -------
    int
        So many that all workers have as many tasks as the others.
    """
    workers, fit = max(1, workers), max(1, most // max(1, row_bytes))
    tasks = max(PARTS * workers, -(-rows // fit))
    return max(1, -(-rows // (-(-tasks // workers) * workers)))


class Shared(NamedTuple):
    """How work is shared out.

    Attributes
    ----------
    tasks : int
    seconds : float
        Until the last one is done, with the graph sent before.
    """

    tasks: int
    seconds: float


def searches(
    rows: int, row_bytes: int, graph_bytes: int, workers: int, most: int, seconds_of: Callable[[int], float]
) -> Shared:
    """Return how searches are shared out, and what they take.

    Parameters
    ----------
    rows, row_bytes, workers, most : int
        As for :func:`rows_of_task`.
    graph_bytes : int
        That are sent to each worker, one after the other.
    seconds_of : callable(rows)
        What one device takes for some rows.
    """
    step = rows_of_task(rows, workers, row_bytes, most)
    tasks = -(-rows // step)
    of_each = -(-tasks // workers)
    busy = of_each * (_TASK + seconds_of(min(step, rows))) if tasks else 0.0
    sent = graph_bytes * (workers / _NETWORK + 1 / _BUILT)
    return Shared(tasks, sent + max(tasks * _TASK, busy))


def spans_of_strip(n: int, span: int, workers: int) -> int:
    """Return how many spans of rows a strip of Floyd-Warshall's matrix has, at most, so that all workers have some."""
    return max(1, -(-n // span) // (STRIPS * max(1, workers)))


def strips(n: int, itemsize: int, span: int, workers: int, seconds: float) -> Shared:
    """Return how the strips of Floyd-Warshall's matrix are shared out, and what they take.

    Parameters
    ----------
    n, itemsize : int
        Of the matrix.
    span : int
        Rows of which a strip has several.
    workers : int
    seconds : float
        What one device takes for the matrix, of which strips pass through it.
    """
    passes = -(-n // (span * spans_of_strip(n, span, workers)))
    tasks = passes * passes
    travels = n * n * itemsize / _NETWORK if workers > 1 else 0.0  # in each pass a strip, to all other workers
    return Shared(tasks, travels + max(tasks * _TASK, seconds / workers))
