"""A maximum matching as balls that choose bins: Dulle's rounds, Khosla's search (cl/matching/balls.cl)."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.algorithms.structure.matching.sides import Mates, Sides
from reedsp.device.build import constants
from reedsp.device.iterate import Pace, Rounds, repeated
from reedsp.system.progress_bar import Report

_FILE = "matching/balls.cl"
_CPU_PIECE, _GPU_GROUP = 1 << 12, 64
_FIRST_BUDGET = 1 << 20  # candidates


def solve_in_rounds(
    sides: Sides, progress: Report | None = None, most_rounds: int = sys.maxsize
) -> tuple[Mates, dict[str, Any]]:
    """Return a maximum matching, and what is to be reported of the search: thesis Algorithms 15-17.

    After fewer rounds than are needed, which are n in the thesis, it is a matching, but need not be a maximum one.

    Parameters
    ----------
    sides : Sides
    progress : callable(done, most), optional
        Is told the rounds so far, and how many rows there are.
    most_rounds : int
    """
    job, n, columns = sides.job, sides.n, sides.columns
    piece, group = (_CPU_PIECE, 1) if job.device.kind == "cpu" else (1, min(_GPU_GROUP, job.device.max_work_group_size))
    macros: dict[str, str | int] = {"PIECE": piece, **sides.macros}
    choose_bin, choose_ball = (job.device.kernel(_FILE, name, **macros) for name in ("choose_bin", "choose_ball"))
    bin_of, ball_of = job.full(n, np.int32(-1)), job.full(columns, np.int32(-1))
    labels = job.allocate(n, np.uint32), job.full(columns, np.uint32(0))
    rounds, phase = Rounds(job), np.uint32(0)
    limit = np.uint32(columns + 1)
    bound = [
        job.bind(
            *(choose_bin, -(-n // piece), group, sides.indptr, sides.indices, bin_of, ball_of),
            *(*labels, rounds.updates, np.uint32(n), limit, phase),
        ),
        job.bind(
            *(choose_ball, -(-columns // piece), group, sides.first_row, sides.rows, bin_of, ball_of),
            *(*labels, rounds.updates, np.uint32(columns), phase),
        ),
    ]

    def queue_round(number: int) -> None:
        for kernel in bound:
            kernel.set("phase", np.uint32(number % 3))
            kernel.queue()

    done, _ = rounds.run(queue_round, most_rounds, None if progress is None else lambda done: progress(done, n))
    return _mates(job.download(ball_of, columns, np.int32), n), {"rounds": done}


def solve_by_search(sides: Sides, progress: Report | None = None) -> tuple[Mates, dict[str, Any]]:
    """Return the same by one work-item: thesis Algorithm 14; what is reported is how many balls were taken up."""
    job, n, columns, layout = sides.job, sides.n, sides.columns, constants(_FILE)
    kernel = job.device.kernel(_FILE, "search", PIECE=1, **sides.macros)
    ball_of, labels = job.full(columns, np.int32(-1)), job.full(columns, np.uint32(0))
    state = job.full(layout["STATE_WORDS"], np.uint64(0))
    sizes = (np.uint32(n), np.uint32(columns))
    bound = job.bind(kernel, 1, 1, sides.indptr, sides.indices, ball_of, labels, state, *sizes, np.uint64(0))
    for _ in repeated(bound, Pace(_FIRST_BUDGET)):
        words = job.download(state, layout["STATE_WORDS"], np.uint64)
        if words[layout["IS_DONE"]]:
            break
        if progress is not None:
            progress(int(words[layout["CURSOR"]]), n)
    return _mates(job.download(ball_of, columns, np.int32), n), {"rounds": n}


def _mates(row_of_column: npt.NDArray[np.int32], n: int) -> Mates:
    column_of_row = np.full(n, -1, np.int32)
    matched = np.flatnonzero(row_of_column >= 0).astype(np.int32)
    column_of_row[row_of_column[matched]] = matched
    return column_of_row, row_of_column
