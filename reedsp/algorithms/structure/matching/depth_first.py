"""A maximum matching by one work-item, as Pothen and Fan find it (cl/matching/depth_first.cl)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyopencl as cl

from reedsp.algorithms.structure.matching.sides import Mates, Rows, Sides, downloaded
from reedsp.device.build import constants
from reedsp.device.dispatch import even
from reedsp.device.iterate import Pace
from reedsp.device.job import Argument, Job
from reedsp.system.progress_bar import Report

_FILE = "matching/depth_first.cl"
_PIECE = 1 << 14
_FIRST_BUDGET = 1 << 21  # entries


def solve(sides: Sides, progress: Report | None = None) -> tuple[Mates, dict[str, Any]]:
    """Return a maximum matching, and what is to be reported of the search.

    Parameters
    ----------
    sides : Sides
        With rows in order.
    progress : callable(done, most), optional
        Is told the phases so far, and how many rows there are.
    """
    job, n, columns = sides.job, sides.n, sides.columns
    macros: dict[str, str | int] = {"PIECE": _PIECE, **sides.macros}
    mates, degrees = job.allocate(n + columns, np.int32), job.allocate(n + columns, np.uint32)
    queue, sizes = job.allocate(n + columns, np.uint32), (np.uint32(n), np.uint32(columns))
    pieces = -(-(n + columns) // _PIECE)
    whole = even(0, pieces, 1, n + columns, job.device.steps_at_once)
    begin = job.device.kernel(_FILE, "begin", **macros)
    job.launch(begin, pieces, 1, sides.indptr, sides.first_row, mates, degrees, *sizes, slices=whole)
    state = job.full(constants(_FILE)["STATE_WORDS"], np.uint64(0))
    both = (sides.indptr, sides.indices, sides.first_row, sides.rows)
    _run(job, macros, "karp_sipser", (*both, mates, degrees, queue), state, sizes)
    phases, augmented, _ = augment(sides, mates, progress)
    return downloaded(job, mates, n, columns), {"rounds": phases, "augmented": augmented}


def augment(rows: Rows, mates: cl.Buffer, progress: Report | None = None) -> tuple[int, int, cl.Buffer]:
    """Make a matching a maximum one, by augmenting paths.

    Parameters
    ----------
    rows : Rows
    mates : pyopencl.Buffer of int32, shape (n + columns,)
        What each row, then each column, is matched with; -1 for nothing.
    progress : callable(done, most), optional

    Returns
    -------
    phases, augmented : int
        How many phases there were, of which the last one has found nothing, and how many paths.
    seen : pyopencl.Buffer of uint32, shape (columns,)
        `phases` for each column that an alternating path leads to from a row that is not matched.
    """
    job, n = rows.job, rows.n
    layout = constants(_FILE)
    macros: dict[str, str | int] = {"PIECE": _PIECE, **rows.macros}
    looked, free_rows, positions, stack = (job.allocate(n, np.uint32) for _ in range(4))
    seen = job.full(rows.columns, np.uint32(0))
    state = job.full(layout["STATE_WORDS"], np.uint64(0))
    _run(job, macros, "list_free_rows", (rows.indptr, mates, looked, free_rows), state, (np.uint32(n),))
    args = (rows.indptr, rows.indices, mates, looked, seen, stack, positions, free_rows)
    words = _run(job, macros, "augment", args, state, (np.uint32(n),), progress)
    return int(words[layout["PHASE"]]), int(words[layout["TOTAL"]]), seen


def _run(
    job: Job,
    macros: dict[str, str | int],
    name: str,
    arrays: tuple[Argument, ...],
    state: cl.Buffer,
    sizes: tuple[Argument, ...],
    progress: Report | None = None,
) -> np.ndarray[Any, np.dtype[np.uint64]]:
    """Launch a kernel until it is done, and return its state."""
    layout, pace = constants(_FILE), Pace(_FIRST_BUDGET)
    kernel = job.device.kernel(_FILE, name, **macros)
    bound = job.bind(kernel, 1, 1, *arrays, state, *sizes, np.uint64(pace.amount))
    while True:
        pace.begin()
        bound.queue()
        words = job.download(state, layout["STATE_WORDS"], np.uint64)
        if words[layout["IS_DONE"]]:
            return words
        if progress is not None:
            progress(int(words[layout["PHASE"]]), int(sizes[0]))  # type: ignore[arg-type]
        pace.adapt()
        bound.set(kernel.position_of("budget"), np.uint64(pace.amount))
