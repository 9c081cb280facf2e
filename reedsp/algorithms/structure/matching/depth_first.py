"""A maximum matching by one work-item, as Pothen and Fan find it (cl/matching/depth_first.cl)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyopencl as cl

from reedsp.algorithms.structure.matching import karp_sipser, one_work_item
from reedsp.algorithms.structure.matching.sides import Mates, Rows, downloaded
from reedsp.device.build import constants
from reedsp.system.progress_bar import Report

_FILE = "matching/depth_first.cl"


def solve(rows: Rows, progress: Report | None = None) -> tuple[Mates, dict[str, Any]]:
    """Return a maximum matching, and what is to be reported of the search.

    Parameters
    ----------
    rows : Rows
    progress : callable(done, most), optional
        Is told the phases so far, and how many rows there are.

    Raises
    ------
    ValueError
        The arrays are no rows of a matrix.
    """
    start = karp_sipser.match(rows, progress)
    phases = augmented = 0
    if start.count:
        phases, augmented = _search(rows, start, progress)
    return downloaded(rows.job, start.mates, rows.n, rows.columns), {"rounds": phases, "augmented": augmented}


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
    job, n, layout = rows.job, np.uint32(rows.n), constants(_FILE)
    free_rows, state = job.allocate(rows.n, np.uint32), job.full(layout["STATE_WORDS"], np.uint64(0))
    kernel = (_FILE, "list_free_rows", rows.macros)
    words = one_work_item.run(job, kernel, (rows.indptr, mates, free_rows), state, (n,))
    seen = job.full(rows.columns, np.uint32(0))
    start = karp_sipser.Start(mates, seen, free_rows, int(words[layout["FREE"]]))
    return *_search(rows, start, progress), seen


def _search(rows: Rows, start: karp_sipser.Start, progress: Report | None) -> tuple[int, int]:
    """Return how many phases there were, and how many augmenting paths."""
    job, n, layout = rows.job, rows.n, constants(_FILE)
    looked = job.full(n, np.uint32(0))
    positions, stack = job.allocate(n, np.uint32), job.allocate(n, np.uint32)
    words = np.zeros(layout["STATE_WORDS"], np.uint64)
    words[layout["PHASE"]], words[layout["FREE"]] = 1, start.count
    args = (rows.indptr, rows.indices, start.mates, looked, start.seen, stack, positions, start.free_rows)

    def report(words: one_work_item.Words) -> None:
        if progress is not None:
            progress(int(words[layout["PHASE"]]), n)

    words = one_work_item.run(job, (_FILE, "augment", rows.macros), args, job.upload(words), (np.uint32(n),), report)
    return int(words[layout["PHASE"]]), int(words[layout["TOTAL"]])
