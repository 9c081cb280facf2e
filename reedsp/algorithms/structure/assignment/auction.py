"""Full matchings by an auction in integers, all free rows in lock-step (cl/assignment/auction_*.cl)."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt

from reedsp.algorithms.structure.assignment.paths import NO_FULL_MATCHING, Found
from reedsp.algorithms.structure.assignment.weights import Weights
from reedsp.arithmetic.types import C_TYPES
from reedsp.device.build import constants
from reedsp.device.iterate import Pace
from reedsp.device.job import Argument, BoundKernel, Job
from reedsp.edges.preparation import MatrixRows
from reedsp.system.progress_bar import Report

_ROUNDS, _FEW = "assignment/auction_rounds.cl", "assignment/auction_few.cl"
_GPU_GROUP, _GPU_FEW_GROUP, _CPU_GROUP = 128, 512, 16
_LEAST_TEAM = 8  # work-items for a row or a column
_EACH = 8  # edges of an average one, for each of them
_REFINEMENT = 7  # of epsilon from one auction to the next
_MOST_LAUNCHES = 64  # between two looks at the device
_FIRST_BUDGET, _MOST_ROUNDS = 1 << 20, 1 << 12  # edges, and rounds, of a first launch for few rows
_PATIENCE = 4096  # rounds until it is asked whether there is a full matching at all
LARGEST = 2**62
"""Bound of prices."""


class UnsettledError(Exception):
    """Prices do not come to rest."""


def can_auction(weights: Weights) -> bool:
    """Return whether int64 holds the prices of an auction."""
    if not weights.is_integral or weights.m == 0:
        return weights.is_integral
    lowest, highest, rows = int(weights.values.min()), int(weights.values.max()), weights.rows
    if weights.columns > rows:  # of two copies, with weights of 0 between them
        lowest, highest, rows = min(lowest, 0), max(highest, 0), rows + weights.columns
    return 8 * (rows + 1) ** 2 * (highest - lowest + 1) < LARGEST


def auction(
    job: Job, weights: Weights, maximum: bool, progress: Report | None = None, small_prices: bool = False
) -> Found:
    """Match every row, of which there are at most as many as columns, of weights that :func:`can_auction`.

    Where there are more columns, a second copy of the matrix, transposed, takes those that the first one leaves free:
    rows of both copies and columns of both make a square matrix, with a weight of 0 between the two copies of a column.

    Parameters
    ----------
    job : Job
    weights : Weights
    maximum : bool
    progress : callable(rows, most), optional
    small_prices : bool
        Find prices of the size of the weights in the matching, which takes longer than to begin with those of the
        auction, of the size of the largest weight.

    Raises
    ------
    ValueError
        There is no full matching.
    """
    is_square = weights.rows == weights.columns
    with _OnDevice(job, weights if is_square else doubled(weights), maximum) as matrix:
        edges, prices, rounds = _Auction(matrix, weights, progress).run()
        if is_square:
            return Found(edges, _settled(matrix, edges, None if small_prices else prices), rounds)
    edges = edges[: weights.rows]  # those of the first copy come first
    with _OnDevice(job, weights, maximum) as matrix:
        return Found(edges, _settled(matrix, edges), rounds)


def prices_of(
    job: Job, weights: Weights, edges: npt.NDArray[np.int64], most: int | None = None
) -> npt.NDArray[np.int64]:
    """Return the prices of columns that prove a matching to be of minimum weight, none above 0.

    Parameters
    ----------
    job : Job
    weights : Weights
        Of integers.
    edges : ndarray of int64, shape (rows,)
        Index of the weight by which each row is matched.
    most : int, optional
        Rounds until it is given up.

    Raises
    ------
    UnsettledError
        It is, as where another matching is better.
    """
    with _OnDevice(job, weights, False) as matrix:
        return _settled(matrix, edges, most=most)


def doubled(weights: Weights) -> Weights:
    """Return the square matrix of two copies: rows, then the columns of the second; columns, then its rows."""
    rows, columns, m = weights.rows, weights.columns, weights.m
    copy, before = weights.transposed()
    # Each column in the second copy goes with its rows, or with itself in the first copy, for no weight.
    counts = np.diff(copy.indptr)
    starts = copy.indptr[:-1] + np.arange(columns)
    indices = np.empty(m + columns, np.int64)
    values = np.zeros(m + columns, weights.values.dtype)
    is_own = np.zeros(m + columns, np.bool_)
    is_own[starts] = True
    indices[is_own] = np.arange(columns)
    indices[~is_own] = columns + copy.indices
    values[~is_own] = weights.values[before]
    indptr = np.append(0, np.cumsum(counts + 1)) + m
    return Weights(
        np.concatenate((weights.indptr[:-1], indptr)).astype(np.int64),
        np.concatenate((weights.indices, indices)).astype(np.int32),
        np.concatenate((weights.values, values)),
        columns + rows,
    )


def _by_columns(weights: Weights) -> tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]:
    """Return where each column begins, and the row and the index of each entry, rows ascending."""
    import scipy.sparse

    rows = (np.arange(weights.m), weights.indices.astype(np.int64), weights.indptr.astype(np.int64))
    columns = scipy.sparse.csr_array(rows, shape=(weights.rows, weights.columns)).tocsc()
    return columns.indptr.astype(np.int64), columns.indices.astype(np.int32), columns.data.astype(np.int64)


class _OnDevice:
    """A matrix on a device, by rows and by columns."""

    def __init__(self, job: Job, weights: Weights, maximum: bool) -> None:
        self.job, self.weights = job, weights
        with job.phases.within("prepare"):
            columns = _by_columns(weights)
            self.shift = np.int64(weights.values.max() if maximum else weights.values.min())
        self.rows = MatrixRows(job, weights.indptr, weights.indices)
        self.values = job.reads(weights.values)
        self.first_in, self.rows_in, self.edges_in = (job.upload(each) for each in columns)
        self._average = max(1, weights.m // weights.rows)
        self._group = _CPU_GROUP if job.device.kind == "cpu" else _GPU_GROUP
        most = _CPU_GROUP if job.device.kind == "cpu" else _GPU_FEW_GROUP
        self._few = min(most, 1 << job.device.max_work_group_size.bit_length() - 1)
        self.most_free = self._few // _LEAST_TEAM
        types = {**self.rows.macros, "VALUE": C_TYPES[weights.values.dtype], "NEGATED": int(maximum)}
        self._macros: dict[str, str | int] = {"GROUP_SIZE": self._group, **types}
        self._macros_of_few: dict[str, str | int] = {"GROUP_SIZE": self._few, "TEAM": _LEAST_TEAM, **types}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.rows.close()

    def bind(self, name: str, items: int, *args: Argument) -> BoundKernel:
        """Return a kernel with its arguments."""
        return self.job.bind(self.job.device.kernel(_ROUNDS, name, **self._macros), items, self._group, *args)

    def bind_teams(self, name: str, rows: int, *args: Argument) -> BoundKernel:
        """Return a kernel with its arguments, for a team of work-items a row or column."""
        team = self._team_of(self._group)
        return self.bind(name, rows * team, *args, np.uint32(team))

    def bind_few(self, *args: Argument) -> BoundKernel:
        """Return the kernel for `most_free` rows at most with its arguments, but the budget."""
        kernel = self.job.device.kernel(_FEW, "rounds_of_few", **self._macros_of_few)
        return self.job.bind(kernel, self._few, self._few, *args, np.uint32(self._team_of(self._few)), np.uint32(0))

    def rounds_of(self, edges: int) -> int:
        """Return how many rounds look at about so many edges of each row."""
        return max(1, min(edges // self._average, _MOST_ROUNDS))

    def _team_of(self, group: int) -> int:
        """Return how many work-items look at a row: more for longer rows."""
        return min(max(_LEAST_TEAM, 1 << (self._average // _EACH).bit_length()), group)


class _Auction:
    """Auctions with smaller and smaller epsilon, in a square matrix.

    Parameters
    ----------
    matrix : _OnDevice
    asked : Weights
        What is looked into if they do not end.
    progress : callable(rows, most), optional
    """

    def __init__(self, matrix: _OnDevice, asked: Weights, progress: Report | None) -> None:
        self._matrix, self._asked, self._progress = matrix, asked, progress
        self._rows, self._next_question, self._rounds = matrix.weights.rows, _PATIENCE, 0

    def run(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], int]:
        """Return the edge of each row, the prices, multiplied by rows + 1, and the number of rounds."""
        matrix, rows = self._matrix, self._rows
        job, scale = matrix.job, rows + 1
        edge_of, row_of = job.allocate(rows, np.int64), job.allocate(rows, np.int32)
        price, is_wanted = job.full(rows, np.int64(0)), job.full(rows, np.uint32(0))
        bids = (job.full(rows, np.int64(-1)), job.allocate(rows, np.int64), is_wanted)
        layout = constants(_FEW)
        control = job.allocate(layout["CONTROL_WORDS"], np.uint32)
        values = matrix.weights.values
        epsilon = max(1, (int(values.max()) - int(values.min())) * scale // 4)
        numbers = (matrix.shift, np.int64(scale), np.int64(epsilon), np.uint32(rows))
        by_rows = (matrix.rows.indptr, matrix.rows.indices, matrix.values)
        by_columns = (matrix.rows.indices, matrix.first_in, matrix.rows_in)
        takes = (edge_of, row_of, price, *bids, np.uint32(rows))
        restart = matrix.bind("restart", rows, edge_of, row_of, np.uint32(rows))
        bid = matrix.bind_teams("bid", rows, *by_rows, edge_of, price, *bids, *numbers)
        assign = matrix.bind_teams("assign", rows, *by_columns, *takes)
        few = matrix.bind_few(*by_rows, edge_of, row_of, price, control, *numbers)
        pace = Pace(matrix.rounds_of(_FIRST_BUDGET), 1 << 31)
        while True:
            restart.queue()
            for kernel in (bid, few):
                kernel.set("epsilon", np.int64(epsilon))
            free = rows
            many = Pace(1, _MOST_LAUNCHES)
            while free:
                used = many if free > matrix.most_free else pace
                used.begin()
                if used is many:
                    for _ in range(many.amount):
                        bid.queue()
                        assign.queue()
                    self._rounds += many.amount
                few.set("budget", np.uint32(pace.amount))
                few.queue()
                words = job.download(control, layout["CONTROL_WORDS"], np.uint32)
                free = int(words[layout["FREE"]])
                self._rounds += int(words[layout["ROUNDS"]])
                used.adapt()
                self._look(free)
            if epsilon == 1:
                break
            epsilon = max(1, epsilon // _REFINEMENT)
        return job.download(edge_of, rows, np.int64), job.download(price, rows, np.int64) // scale, self._rounds

    def _look(self, free: int) -> None:
        if self._rounds >= self._next_question:
            self._next_question = 2**62
            if not has_full_matching(self._asked):
                raise ValueError(NO_FULL_MATCHING)
        if self._progress is not None:
            self._progress(self._rows - free, self._rows)


def _settled(
    matrix: _OnDevice,
    edges: npt.NDArray[np.int64],
    begin: npt.NDArray[np.int64] | None = None,
    most: int | None = None,
) -> npt.NDArray[np.int64]:
    """Return the prices of columns that prove a matching to be the best, none above where they begin, or above 0.

    They are the lengths of shortest paths, of which one has a cycle where another matching is better.
    """
    job, columns, layout = matrix.job, matrix.weights.columns, constants(_ROUNDS)
    first = np.zeros(columns, np.int64) if begin is None else begin
    prices = [job.upload(first), job.allocate(columns, np.int64)]
    by_columns = (matrix.first_in, matrix.rows_in, matrix.edges_in, job.upload(edges))
    control = job.allocate(layout["CONTROL_WORDS"], np.uint32)
    last = (control, matrix.shift, np.uint32(columns))
    rounds = [
        matrix.bind_teams("relax", columns, matrix.rows.indices, matrix.values, *by_columns, *both, *last)
        for both in (prices, prices[::-1])
    ]
    pace, done = Pace(1, _MOST_LAUNCHES), 0
    while most is None or done <= most:
        pace.begin()
        job.fill(control, layout["CONTROL_WORDS"], np.uint32(0))
        for number in range(2 * pace.amount):
            rounds[number % 2].queue()
        done += 2 * pace.amount
        if not job.download(control, layout["CONTROL_WORDS"], np.uint32)[layout["ANY"]]:
            return job.download(prices[0], columns, np.int64)
        pace.adapt()
    raise UnsettledError


def has_full_matching(weights: Weights) -> bool:
    """Return whether every row can have a column of its own; by SciPy, on the host."""
    import scipy.sparse
    from scipy.sparse.csgraph import maximum_bipartite_matching

    ones = np.ones(weights.m, np.int8)
    rows = (ones, weights.indices.astype(np.int32), weights.indptr.astype(np.int32))
    matrix = scipy.sparse.csr_array(rows, shape=(weights.rows, weights.columns))
    return bool((maximum_bipartite_matching(matrix, perm_type="column") >= 0).all())
