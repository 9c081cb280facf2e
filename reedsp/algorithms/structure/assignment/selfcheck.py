"""A trial of full matchings with weights whose answers prove themselves."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from reedsp.algorithms.structure.assignment.paths import Found
from reedsp.algorithms.structure.assignment.weights import Weights
from reedsp.device.device import Device
from reedsp.device.job import Job

_ROUNDING = 1e-9
"""Of prices below 1,000 in float64."""

Method = Callable[[Job, Weights, bool], Found]


def finds_known_matching(device: Device, method: Method, pointer: str, index: str, value: str, maximum: bool) -> bool:
    """Return whether a method finds full matchings that prices prove, of a square matrix and of one with more columns.

    Parameters
    ----------
    device : Device
    method : callable(job, weights, maximum)
    pointer, index, value : str
        Names of the types of the arrays.
    maximum : bool
    """
    rng = np.random.default_rng(2016)
    for rows, columns, entries in ((40, 40, 200), (30, 50, 150), (12, 12, 144)):
        matching = np.arange(rows) * columns + rng.permutation(columns)[:rows]
        keys = np.union1d(matching, rng.integers(0, rows * columns, entries))
        values = rng.integers(-20, 60, len(keys)).astype(value)
        if values.dtype.kind == "f":
            values /= 3
        indptr = np.searchsorted(keys, np.arange(rows + 1) * columns).astype(pointer)
        weights = Weights(indptr, (keys % columns).astype(index), values, columns)
        if not _is_proved(weights, maximum, method(Job(device), weights, maximum)):
            return False
    return True


def _is_proved(weights: Weights, maximum: bool, found: Found) -> bool:
    """Return whether all rows are matched, and the prices say that it cannot be done for less."""
    if not (weights.tails()[found.edges] == np.arange(weights.rows)).all():
        return False
    columns = weights.indices[found.edges]
    values = (-weights.values if maximum else weights.values).astype(found.prices.dtype)
    reduced = values - found.prices[weights.indices]
    free = np.setdiff1d(np.arange(weights.columns), columns)
    prices_fit = weights.rows == weights.columns or (found.prices.max() <= 0 and not found.prices[free].any())
    lowest = np.minimum.reduceat(reduced, weights.indptr[:-1])
    is_tight = np.abs(lowest - reduced[found.edges]).max() <= (0 if weights.is_integral else _ROUNDING)
    return bool(len(set(columns.tolist())) == weights.rows and prices_fit and is_tight)
