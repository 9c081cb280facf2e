"""A maximum matching by work-groups: rounds of offers, then breadth-first phases (cl/matching/phases.cl)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyopencl as cl

from reedsp.algorithms.structure.matching.sides import Mates, Rows, Sides, downloaded
from reedsp.device.build import constants
from reedsp.device.iterate import Pace
from reedsp.device.job import BoundKernel, Job, Memory
from reedsp.system.progress_bar import Report

_FILE = "matching/phases.cl"
_NONE, _NO_OFFER = np.int32(-1), np.uint32(0xFFFFFFFF)
_GROUP_SIZE = 256
_GROUPS_PER_UNIT = 8
_MOST_DEGREE = 4096
_FIRST_CHOICES = (1, 2, 4)  # of the rows that make offers in the first rounds
_MOST_ROUNDS = 24
_SINGLE_CHOICES = 2  # rounds of either side, after each of these, of those with a single choice
_FIRST_LEVELS, _MOST_LEVELS = 4, 1 << 12


def solve(sides: Sides, progress: Report | None = None) -> tuple[Mates, dict[str, Any]]:
    """Return a maximum matching, and what is to be reported of the search.

    Parameters
    ----------
    sides : Sides
    progress : callable(done, most), optional
        Is told the phases so far, and how many rows there are.
    """
    job, n, columns = sides.job, sides.n, sides.columns
    mates = job.full(n + columns, _NONE)
    _make_offers(sides, mates)
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
    seen : pyopencl.Buffer of uint8, shape (columns,)
        1 for each column that an alternating path leads to from a row that is not matched.
    """
    phase = _Phase(rows, mates)
    phases = augmented = 0
    while True:
        found = phase.run()
        phases, augmented = phases + 1, augmented + found
        if found == 0:
            return phases, augmented, phase.seen
        if progress is not None:
            progress(phases, rows.n)


class _Phase:
    """A search from all free rows at once, and the augmentation of its trees, to be run again and again."""

    def __init__(self, rows: Rows, mates: cl.Buffer) -> None:
        job, n, columns = rows.job, rows.n, rows.columns
        self._job, self._layout = job, constants(_FILE)
        self._words = self._layout["STATE_WORDS"]
        self._state = job.allocate(self._words, np.uint32)
        self.seen: cl.Buffer = job.allocate(columns, np.uint8)
        parents, reached = job.allocate(columns, np.uint32), job.allocate(columns, np.uint32)
        trees, ends, frontier, roots = (job.allocate(n, np.uint32) for _ in range(4))
        size = _group_size(job)
        items = size * min(-(-n // size), _GROUPS_PER_UNIT * job.device.compute_units)
        macros = _macros(job, rows.macros)

        def bound(name: str, items: int, *args: Any) -> BoundKernel:
            return job.bind(job.device.kernel(_FILE, name, **macros), items, size, *args)

        sizes = np.uint32(n), np.uint32(columns)
        tree = (parents, self.seen, trees, ends)
        self._begin = bound(
            "begin_phase", max(n, columns), rows.indptr, mates, *tree, frontier, roots, self._state, *sizes
        )
        lists = (frontier, reached, self._state)
        self._levels = [
            (
                bound("expand", items, rows.indptr, rows.indices, *tree, *lists, np.uint32(parity)),
                bound("settle", items, mates, *tree, *lists, sizes[0], np.uint32(parity)),
            )
            for parity in range(2)
        ]
        self._augment = bound("augment", items, mates, parents, ends, roots, self._state, sizes[0])
        self._pace = Pace(_FIRST_LEVELS, _MOST_LEVELS)

    def run(self) -> int:
        """Return how many paths were found."""
        self._job.fill(self._state, self._words, np.uint32(0))
        self._begin.queue()
        levels, pace = 0, self._pace
        while True:
            pace.begin()
            for level in range(levels, levels + pace.amount):
                for kernel in self._levels[level % 2]:
                    kernel.queue()
            levels += pace.amount
            if self._job.download(self._state, self._words, np.uint32)[self._layout["ROWS"] + levels % 2] == 0:
                break
            pace.adapt()
        self._augment.queue()
        return int(self._job.download(self._state, self._words, np.uint32)[self._layout["FOUND"]])


# ---- rounds of offers -------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Round:
    """Offers of one side, and their acceptance by the other."""

    choose: BoundKernel
    accept: BoundKernel

    def queue(self) -> None:
        self.choose.queue()
        self.accept.queue()


def _make_offers(sides: Sides, mates: cl.Buffer) -> None:
    """Match those that have few choices first, until no row has any, or for some rounds."""
    job, layout = sides.job, constants(_FILE)
    state = job.full(layout["STATE_WORDS"], np.uint32(0))
    offers = job.full(max(sides.n, sides.columns), _NO_OFFER)
    rows, columns = (np.uint32(0), np.uint32(sides.n)), (np.uint32(sides.n), np.uint32(sides.columns))
    by_rows, by_single_rows = (
        _bound_round(job, sides.macros, (sides.indptr, sides.indices), mates, offers, state, rows, columns)
        for _ in range(2)
    )
    of_columns: dict[str, str | int] = {"POINTER": "uint", "INDEX": "int"}
    by_single_columns = _bound_round(
        job, of_columns, (sides.first_row, sides.rows), mates, offers, state, columns, rows
    )
    for number in range(_MOST_ROUNDS):
        choices = _FIRST_CHOICES[number] if number < len(_FIRST_CHOICES) else layout["ANY"]
        by_rows.choose.set("most", np.uint32(choices))
        by_rows.choose.set("turn", np.uint32(number))
        for each in (by_rows, *(by_single_rows, by_single_columns) * _SINGLE_CHOICES):
            each.queue()
        if choices == layout["ANY"]:
            if not job.download(state, layout["STATE_WORDS"], np.uint32)[layout["OFFERS"]]:
                return
            job.fill(state, layout["STATE_WORDS"], np.uint32(0))


def _bound_round(
    job: Job,
    macros: dict[str, str | int],
    neighbours: tuple[Memory, Memory],
    mates: cl.Buffer,
    offers: cl.Buffer,
    state: cl.Buffer,
    own: tuple[np.uint32, np.uint32],
    other: tuple[np.uint32, np.uint32],
) -> _Round:
    """Return a round of those with a single choice; of either side there is the first vertex, and how many."""
    size = _group_size(job)
    choose, accept = (job.device.kernel(_FILE, name, **_macros(job, macros)) for name in ("choose", "accept"))
    degree, single, turn = np.uint32(_MOST_DEGREE), np.uint32(1), np.uint32(0)
    args = (*neighbours, mates, offers, state, own[0], other[0], own[1], degree, single, turn)
    return _Round(
        job.bind(choose, int(own[1]), size, *args),
        job.bind(accept, int(other[1]), size, mates, offers, other[0], own[0], other[1]),
    )


def _group_size(job: Job) -> int:
    return 1 << min(_GROUP_SIZE, job.device.max_work_group_size).bit_length() - 1


def _macros(job: Job, of_rows: dict[str, str | int]) -> dict[str, str | int]:
    return {"GROUP_SIZE": _group_size(job), **of_rows}
