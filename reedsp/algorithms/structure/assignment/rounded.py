"""Full matchings of fractions by auctions in integers: of what int64 holds of them, then of what is left."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from reedsp.algorithms.structure.assignment.auction import LARGEST, UnsettledError, auction, doubled, prices_of
from reedsp.algorithms.structure.assignment.paths import Found
from reedsp.algorithms.structure.assignment.weights import Weights
from reedsp.device.job import Job
from reedsp.system.progress_bar import Report

_KEPT = 8
"""Steps a row by which an edge may be worse than the best: what was rounded away makes up for no more."""

_LEAST_BITS = 3
"""By which a step is divided at least, so that the prices of all later steps are less than `_KEPT` of the first."""

_SMALLEST = -1074
"""Exponent of the smallest number of float64."""


def can_round(weights: Weights) -> bool:
    """Return whether int64 holds the prices of auctions of rounded fractions."""
    rows = weights.rows if weights.rows == weights.columns else weights.rows + weights.columns
    return _bits(rows, _KEPT * rows) >= _LEAST_BITS


def rounded_auction(job: Job, weights: Weights, maximum: bool, progress: Report | None = None) -> Found:
    """Match every row of fractions, of which there are at most as many as columns, and which one :func:`can_round`.

    Weights are rounded towards 0 to steps, which are a power of two, and matched by an auction. An edge that the prices
    say to be some steps a row worse than the best is in no better matching. Of the others, which are few, the steps
    that they are worse and what was rounded away are the weights for smaller steps, until nothing is left: no sum is
    rounded.

    Parameters
    ----------
    job : Job
    weights : Weights
        At least one, of float64.
    maximum : bool
    progress : callable(rows, most), optional

    Raises
    ------
    ValueError
        There is no full matching.
    """
    is_square = weights.rows == weights.columns
    level = _first_level(weights if is_square else doubled(weights), maximum)
    found = auction(job, level.weights, False, progress, small_prices=True)
    matched, rounds = found.edges, found.rounds
    proofs = [_Proof.of(level, matched, found.prices)]
    while (deeper := level.next(proofs[-1])) is not None:
        matched = np.searchsorted(deeper.edges, level.edges[matched])
        level = deeper
        try:
            prices = prices_of(job, level.weights, matched, len(matched) + 1)
        except UnsettledError:  # another matching is better
            found = auction(job, level.weights, False, progress, small_prices=True)
            matched, prices, rounds = found.edges, found.prices, rounds + found.rounds
        proofs.append(_Proof.of(level, matched, prices))
    edges = level.edges[matched][: weights.rows]  # those of the first copy come first
    if is_square:
        return Found(edges, _sum((proof.columns, proof.exponent) for proof in proofs), rounds)
    return Found(edges, _of_two_copies(proofs, weights, edges), rounds)


@dataclass(frozen=True, eq=False)
class _Proof:
    """Prices of a square matrix, in steps of two to the power of `exponent`."""

    exponent: int
    rows: npt.NDArray[np.int64]
    columns: npt.NDArray[np.int64]

    @classmethod
    def of(cls, level: _Level, matched: npt.NDArray[np.int64], columns: npt.NDArray[np.int64]) -> _Proof:
        weights = level.weights
        return cls(level.exponent, weights.values[matched] - columns[weights.indices[matched]], columns)


@dataclass(frozen=True, eq=False)
class _Level:
    """A square matrix, in steps of two to the power of `exponent`.

    Attributes
    ----------
    weights : Weights
        Of int64.
    rest : ndarray of float64, shape (m,)
        What was rounded away.
    exponent : int
    edges : ndarray of int64, shape (m,)
        Index of each entry in the whole matrix.
    """

    weights: Weights
    rest: npt.NDArray[np.float64]
    exponent: int
    edges: npt.NDArray[np.int64]

    def next(self, proof: _Proof) -> _Level | None:
        """Return what may be in a better matching, in smaller steps; None if nothing of it was rounded away."""
        weights, n = self.weights, self.weights.rows
        slack = weights.values - np.repeat(proof.rows, np.diff(weights.indptr)) - proof.columns[weights.indices]
        is_kept = slack <= _KEPT * n
        kept = np.flatnonzero(is_kept)
        if not self.rest[kept].any():
            return None
        bits = min(_bits(n, _KEPT * n), self.exponent - _SMALLEST)
        steps, rest = _rounded(self.rest[kept], self.exponent - bits)
        indptr = np.append(0, np.cumsum(is_kept))[weights.indptr].astype(weights.indptr.dtype)
        values = (slack[kept] << bits) + steps
        smaller = Weights(indptr, weights.indices[kept], values, weights.columns)
        return _Level(smaller, rest, self.exponent - bits, self.edges[kept])


def _first_level(weights: Weights, maximum: bool) -> _Level:
    values = -weights.values if maximum else weights.values
    size = int(np.frexp(np.abs(values).max())[1])
    exponent = max(size - _bits(weights.rows, 0), _SMALLEST)
    steps, rest = _rounded(values, exponent)
    whole = Weights(weights.indptr, weights.indices, steps, weights.columns)
    return _Level(whole, rest, exponent, np.arange(weights.m))


def _rounded(values: npt.NDArray[np.float64], exponent: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """Return how many steps fit into each of some numbers, and what is left of it."""
    steps = np.trunc(np.ldexp(values, -exponent))
    return steps.astype(np.int64), values - np.ldexp(steps, exponent)


def _bits(rows: int, steps: int) -> int:
    """Return by how many bits steps can be divided so that the prices of an auction fit, of weights of some steps."""
    return int((LARGEST // (8 * (rows + 1) ** 2) - 2) // (steps + 2)).bit_length() - 1


def _sum(parts: Iterable[tuple[npt.NDArray[np.int64], int]]) -> npt.NDArray[np.float64]:
    """Return the sum of some prices, each in steps of its own."""
    each = [np.ldexp(steps.astype(np.float64), exponent) for steps, exponent in parts]
    total: npt.NDArray[np.float64] = np.sum(each, axis=0)
    return total


def _of_two_copies(proofs: list[_Proof], weights: Weights, edges: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """Return prices of columns from those of a matrix and its transposed copy: the mean of what both say."""
    rows, columns = weights.rows, weights.columns
    prices = _sum((proof.columns[:columns] + proof.rows[rows:], proof.exponent - 1) for proof in proofs)
    is_matched = np.zeros(columns, np.bool_)
    is_matched[weights.indices[edges]] = True
    return np.where(is_matched, np.minimum(prices, 0), 0)
