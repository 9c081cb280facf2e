"""Full matchings by an auction in integers, all free rows in lock-step (cl/assignment/auction_rounds.cl)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.algorithms.structure.assignment.paths import NO_FULL_MATCHING, Found
from reedsp.algorithms.structure.assignment.weights import Weights
from reedsp.arithmetic.types import C_TYPES
from reedsp.device.build import constants
from reedsp.device.iterate import Pace
from reedsp.device.job import Argument, Job
from reedsp.edges.preparation import MatrixRows
from reedsp.system.progress_bar import Report

_FILE = "assignment/auction_rounds.cl"
_GPU_GROUP, _CPU_GROUP = 128, 16
_TEAM = 8  # work-items for a row
_REFINEMENT = 7  # of epsilon from one auction to the next
_MOST_LAUNCHES = 64  # between two looks at the device
_PATIENCE = 4096  # rounds until it is asked whether there is a full matching at all
_LARGEST = 2**62


def can_auction(weights: Weights) -> bool:
    """Return whether int64 holds the prices of an auction."""
    if not weights.is_integral or weights.m == 0:
        return weights.is_integral
    lowest, highest, rows = int(weights.values.min()), int(weights.values.max()), weights.rows
    if weights.columns > rows:  # of two copies, with weights of 0 between them
        lowest, highest, rows = min(lowest, 0), max(highest, 0), rows + weights.columns
    return 8 * (rows + 1) ** 2 * (highest - lowest + 1) < _LARGEST


def auction(job: Job, weights: Weights, maximum: bool, progress: Report | None = None) -> Found:
    """Match every row, of which there are at most as many as columns, of weights that :func:`can_auction`.

    Where there are more columns, a second copy of the matrix, transposed, takes those that the first one leaves free:
    rows of both copies and columns of both make a square matrix, with a weight of 0 between the two copies of a column.

    Parameters
    ----------
    job : Job
    weights : Weights
    maximum : bool
    progress : callable(rounds, most), optional

    Raises
    ------
    ValueError
        There is no full matching.
    """
    square = weights if weights.rows == weights.columns else _doubled(weights)
    edges, prices, rounds = _Auction(job, square, maximum).run(weights, progress)
    edges = edges[: weights.rows]  # those of the first copy come first
    search = _Prices(job, weights, maximum, edges)
    return Found(edges, search.run(prices if square is weights else None), rounds)


def _doubled(weights: Weights) -> Weights:
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
        self.matrix = MatrixRows(job, weights.indptr, weights.indices)
        self.values = job.reads(weights.values)
        self.first_in, self.rows_in, self.edges_in = (job.upload(each) for each in columns)
        self.group = _CPU_GROUP if job.device.kind == "cpu" else _GPU_GROUP
        self.macros: dict[str, str | int] = {
            "GROUP_SIZE": self.group,
            "TEAM": _TEAM,
            **self.matrix.macros,
            "VALUE": C_TYPES[weights.values.dtype],
            "NEGATED": int(maximum),
        }
        self.layout = constants(_FILE)
        self.control = job.full(self.layout["CONTROL_WORDS"], np.uint32(0))

    def bind(self, name: str, items: int, *args: Argument) -> Any:
        """Return a kernel with its arguments."""
        return self.job.bind(self.job.device.kernel(_FILE, name, **self.macros), items, self.group, *args)

    def until_nothing(self, queue_round: Callable[[int], None], after: Callable[[int], None]) -> int:
        """Queue an even number of rounds again and again until none of them reports anything; return how many."""
        pace, rounds = Pace(1, _MOST_LAUNCHES), 0
        while True:
            pace.begin()
            self.job.fill(self.control, self.layout["CONTROL_WORDS"], np.uint32(0))
            for number in range(2 * pace.amount):
                queue_round(number)
            rounds += 2 * pace.amount
            words = self.job.download(self.control, self.layout["CONTROL_WORDS"], np.uint32)
            if not words[self.layout["ANY"]]:
                return rounds
            after(rounds)
            pace.adapt()


class _Auction:
    """Auctions with smaller and smaller epsilon, in a square matrix."""

    def __init__(self, job: Job, weights: Weights, maximum: bool) -> None:
        self._device = _OnDevice(job, weights, maximum)
        self._next_question = _PATIENCE

    def run(self, asked: Weights, progress: Report | None) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], int]:
        """Return the edge of each row, the prices, multiplied by rows + 1, and the number of rounds."""
        device = self._device
        job, weights, rows = device.job, device.weights, device.weights.rows
        edge_of, row_of = job.allocate(rows, np.int64), job.allocate(rows, np.int32)
        price, is_wanted = job.full(rows, np.int64(0)), job.full(rows, np.uint32(0))
        bid_edge, bid_price = job.full(rows, np.int64(-1)), job.allocate(rows, np.int64)
        restart = device.bind("restart", rows, edge_of, row_of, np.uint32(rows))
        scale = rows + 1
        epsilon = max(1, int(np.ptp(weights.values.astype(object))) * scale // 4)
        numbers = (device.shift, np.int64(scale), np.int64(epsilon), np.uint32(rows))
        matrix = (device.matrix.indptr, device.matrix.indices, device.values)
        offers = (edge_of, price, bid_edge, bid_price, is_wanted, device.control)
        bid = device.bind("bid", rows * _TEAM, *matrix, *offers, *numbers)
        position = len(matrix) + len(offers) + 2  # of epsilon
        columns = (device.matrix.indices, device.first_in, device.rows_in)
        takes = (edge_of, row_of, price, bid_edge, bid_price, is_wanted, np.uint32(rows))
        assign = device.bind("assign", rows, *columns, *takes)
        total = 0

        def round_of_bids(number: int) -> None:
            bid.queue()
            assign.queue()

        def look(rounds: int) -> None:
            if total + rounds >= self._next_question:
                self._next_question = 2**62
                if not has_full_matching(asked):
                    raise ValueError(NO_FULL_MATCHING)
            if progress is not None:
                progress(total + rounds, total + rounds)

        try:
            while True:
                restart.queue()
                bid.set(position, np.int64(epsilon))
                total += device.until_nothing(round_of_bids, look)
                if epsilon == 1:
                    break
                epsilon = max(1, epsilon // _REFINEMENT)
            found = job.download(edge_of, rows, np.int64), job.download(price, rows, np.int64)
        finally:
            device.matrix.close()
        return found[0], found[1] // scale, total


class _Prices:
    """Prices that prove a matching of minimum weight: the longest paths that no cycle makes shorter."""

    def __init__(self, job: Job, weights: Weights, maximum: bool, edges: npt.NDArray[np.int64]) -> None:
        self._device = _OnDevice(job, weights, maximum)
        self._edge_of = job.upload(edges)

    def run(self, begin: npt.NDArray[np.int64] | None) -> npt.NDArray[np.int64]:
        """Return the prices of columns, none above where they begin, or above 0."""
        device, job, columns = self._device, self._device.job, self._device.weights.columns
        first = np.zeros(columns, np.int64) if begin is None else begin
        prices = [job.upload(first), job.allocate(columns, np.int64)]
        entries = (
            device.matrix.indices,
            device.values,
            device.first_in,
            device.rows_in,
            device.edges_in,
            self._edge_of,
        )
        rounds = [
            device.bind("relax", columns, *entries, *both, device.control, device.shift, np.uint32(columns))
            for both in (prices, prices[::-1])
        ]
        try:
            device.until_nothing(lambda number: rounds[number % 2].queue(), lambda rounds: None)
            return job.download(prices[0], columns, np.int64)
        finally:
            device.matrix.close()


def has_full_matching(weights: Weights) -> bool:
    """Return whether every row can have a column of its own; by SciPy, on the host."""
    import scipy.sparse
    from scipy.sparse.csgraph import maximum_bipartite_matching

    ones = np.ones(weights.m, np.int8)
    rows = (ones, weights.indices.astype(np.int32), weights.indptr.astype(np.int32))
    matrix = scipy.sparse.csr_array(rows, shape=(weights.rows, weights.columns))
    return bool((maximum_bipartite_matching(matrix, perm_type="column") >= 0).all())
