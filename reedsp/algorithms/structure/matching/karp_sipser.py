"""A large matching by one work-item, of what has a single choice first (cl/matching/karp_sipser.cl)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyopencl as cl

from reedsp.algorithms.structure.matching import one_work_item
from reedsp.algorithms.structure.matching.biadjacency import MOST_ENTRIES
from reedsp.algorithms.structure.matching.sides import Rows, parts_of
from reedsp.arithmetic.types import C_TYPES
from reedsp.device.build import SIMULATORS, constants
from reedsp.device.dispatch import even
from reedsp.system.progress_bar import Report

_FILE = "matching/karp_sipser.cl"
_PIECE = 1 << 14
_LONGEST_STEP = 1 << 24  # entries, which take some 50 ms
_LEFT = np.dtype(np.uint64)
_DTYPES = {name: np.dtype(dtype) for dtype, name in C_TYPES.items()}
_HUB, _FEWEST_OF_HUB = 12, 64
"""A row with more than so many times the mean of all rows' entries, and with more than so many, is a hub."""


@dataclass(frozen=True)
class Start:
    """What is left to a search of augmenting paths.

    Attributes
    ----------
    mates : pyopencl.Buffer of int32, shape (n + columns,)
        What each row, then each column, is matched with; -1 for nothing.
    seen : pyopencl.Buffer of uint32, shape (columns,)
        0, or 2^32 - 1 of columns that no path need lead through.
    free_rows : pyopencl.Buffer of uint32
        Rows to search from.
    count : int
        How many there are.
    """

    mates: cl.Buffer
    seen: cl.Buffer
    free_rows: cl.Buffer
    count: int


def match(rows: Rows, progress: Report | None = None) -> Start:
    """Match what has a single choice, as long as there is any, then a row with one of two columns, and so on.

    Parameters
    ----------
    rows : Rows
    progress : callable(done, most), optional
        Is told that no phase has been searched yet, and how many rows there are.

    Raises
    ------
    ValueError
        The arrays are no rows of a matrix.
    """
    job, n, columns, m = rows.job, rows.n, rows.columns, rows.m
    prefetches = int(job.device.platform not in SIMULATORS)
    macros: dict[str, str | int] = {"PIECE": _PIECE, "PREFETCH_BUILT_IN": prefetches, **rows.macros}
    parts = parts_of(job.device, m)
    left, wrong = job.full(parts * columns, _LEFT.type(0)), job.full(1, np.uint32(0))
    rows.look(wrong)
    steps, count = -(-m // (parts * _LONGEST_STEP)), job.device.kernel(_FILE, "count", **macros)
    most = np.uint32(min(max(_FEWEST_OF_HUB, _HUB * m // n), MOST_ENTRIES))
    sizes = (np.uint32(n), np.uint32(columns))
    for step in map(np.uint32, range(steps)):
        numbers = (np.uint64(m), *sizes, most, np.uint32(parts), step, np.uint32(steps))
        job.launch(count, parts, 1, rows.indptr, rows.indices, left, wrong, *numbers)
    rows.check(wrong)

    mates, queue = job.allocate(n + columns, np.int32), job.allocate(n + columns + 1, np.uint32)
    heads, seen = job.allocate(columns, np.uint32), job.allocate(columns, np.uint32)
    listed, free_rows = job.allocate(n, np.uint32), job.allocate(n, np.uint32)
    pointer = _DTYPES[str(rows.macros["POINTER"])]
    fields = [("columns", np.uint32, 2), ("next", np.uint32, 2), ("entry", pointer), ("last", pointer)]
    watch = job.allocate(n, np.dtype(fields, align=True))
    state = job.full(constants(_FILE)["STATE_WORDS"], np.uint64(0))
    pieces = -(-(n + columns) // _PIECE)
    begin = job.device.kernel(_FILE, "begin", **macros)
    slices = even(0, pieces, 1, n + columns * parts, job.device.steps_at_once)
    job.launch(begin, pieces, 1, left, mates, heads, seen, *sizes, np.uint32(parts), slices=slices)
    lists = (left, mates, heads, watch, queue, listed, seen, free_rows)
    arrays = (rows.indptr, rows.indices, *lists)
    report = None if progress is None else lambda _: progress(0, n)
    words = one_work_item.run(job, (_FILE, "match", macros), arrays, state, (*sizes, most), report)
    return Start(mates, seen, free_rows, int(words[constants(_FILE)["FREE"]]))
