"""Integers too large for the arithmetic of a device: a minimum for each matrix, and how far above it each entry is.

Whatever the minimum, sums of such distances are what products are made of, and they are never negative.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from reedsp.arithmetic.matrix import WIDEST, Weights, integers_for, to_user
from reedsp.arithmetic.types import infinity

_UINT64 = np.dtype(np.uint64)
_FEW = 1 << 16  # pairs, which take the host less time than a device may need to build a kernel


class Offsets(NamedTuple):
    """A matrix of integers of any size.

    Attributes
    ----------
    low : int
        The minimum.
    above : ndarray of uint64, or of Python's integers if one is beyond that
        What each entry is less the minimum; 0 where there is no path.
    none : ndarray of bool
        Where there is no path.
    """

    low: int
    above: npt.NDArray[Any]
    none: npt.NDArray[np.bool_]

    @staticmethod
    def of(matrix: npt.NDArray[Any]) -> Offsets:
        """Return those of a matrix of a user."""
        none = matrix == infinity(matrix.dtype)
        low = 0 if none.all() else int(matrix.min(where=~none, initial=infinity(matrix.dtype)))
        return Offsets(low, np.where(none, _UINT64.type(0), matrix.astype(_UINT64) - _wrapped(low)), none)

    @property
    def largest(self) -> int:
        """How far the maximum is above the minimum."""
        return int(self.above.max(initial=0))

    def to_user(self, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
        """Return the matrix in a type.

        Raises
        ------
        OverflowError
            It does not hold an entry.
        """
        limits = np.iinfo(dtype)
        if limits.min <= self.low and self.low + self.largest < limits.max:
            return to_user((self.above + _wrapped(self.low)).astype(dtype), self.none, dtype)
        return to_user(self.above.astype(object) + self.low, self.none, dtype)


Multiply = Callable[[Weights, npt.NDArray[Any], npt.NDArray[Any]], npt.NDArray[Any]]
"""Returns the product of two matrices of uint64, whose infinity is no path, by an arithmetic of the device."""


def product_of(left: Offsets, right: Offsets, multiply: Multiply) -> Offsets:
    """Return a product: by the device where a type of it holds all sums, otherwise by the host, slowly."""
    most = left.largest + right.largest
    weights = integers_for(most, True) or (WIDEST if most <= WIDEST.limit else None)
    if weights is None or math.prod((*left.above.shape, right.above.shape[1])) < _FEW:
        sums, none = _on_host(left, right, most + 1)
    else:
        sums = multiply(weights, *(np.where(each.none, infinity(_UINT64), each.above) for each in (left, right)))
        none = sums == infinity(_UINT64)
    low = 0 if none.all() else int(sums[~none].min())
    above = np.where(none, sums.dtype.type(0), sums - low)
    fits = above.max() <= np.iinfo(_UINT64).max
    return Offsets(left.low + right.low + low, above.astype(_UINT64) if fits else above, none)


def _on_host(left: Offsets, right: Offsets, no_path: int) -> tuple[npt.NDArray[Any], npt.NDArray[np.bool_]]:
    """Return the product of what is above the minima, and where there is no path: where it is `no_path`."""
    dtype = _UINT64 if no_path <= np.iinfo(_UINT64).max else np.dtype(object)
    a, b = left.above.astype(dtype), right.above.astype(dtype)
    product = np.full((a.shape[0], b.shape[1]), no_path, dtype)
    for k in range(a.shape[1]):
        sums = a[:, k, None] + b[k]
        sums[left.none[:, k]] = no_path
        sums[:, right.none[k]] = no_path
        np.minimum(product, sums, out=product)
    return product, (product == no_path).astype(bool)


def _wrapped(number: int) -> np.uint64:
    """Return an integer in the arithmetic of uint64, in which sums and differences that fit are right."""
    return _UINT64.type(number % 2**64)
