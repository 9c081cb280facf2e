"""Decimal fractions ``mantissa / 10**places`` and the nearest float64, many at a time.

Powers of ten up to 10**22 are float64 themselves. A quotient or product with one of them is computed as the sum of two
float64, the second of which says by how much the first is off (Dekker, "A floating-point technique for extending the
available precision", 1971). Where the error of that second one could still change what is rounded to, as next to a
number halfway between two float64, an answer is not certain, and left to Python.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

MOST_PLACES = 22
"""The last power of ten that float64 holds."""

_TENS = np.array([float(10**places) for places in range(MOST_PLACES + 1)])
_HALVES = 2.0**27 + 1  # times this, a float64 is cut into two of 26 bits, whose products are exact
_ERROR = 2.0**-50  # of the second float64, which has been rounded twice
_SMALLEST, _END = 1e-4, 1e16  # Python writes others with an exponent
_BOUNDS = np.array([float(f"1e{power}") for power in range(-3, 16)])
_FEWEST_DIGITS, _MOST_DIGITS = 15, 17  # all decimals of 15 digits come back from float64; 17 tell all float64 apart

_Floats = npt.NDArray[np.float64]


def nearest_floats(mantissas: npt.NDArray[np.int64], places: npt.NDArray[Any]) -> tuple[_Floats, npt.NDArray[np.bool_]]:
    """Return the float64 that are nearest to ``mantissas / 10**places``, and where that is certain.

    Parameters
    ----------
    mantissas : ndarray of int64
        From 0 to 10**18.
    places : ndarray of int
        From 0 to `MOST_PLACES`.
    """
    first = mantissas.astype(np.float64)
    left = (mantissas - first.astype(np.int64)).astype(np.float64)
    tens = _TENS.take(places)
    quotient = first / tens
    product, error = _product(quotient, tens)
    left += first - product - error
    left /= tens
    values: _Floats = quotient + left * (1 - _ERROR)
    return values, values == quotient + left * (1 + _ERROR)


def shortest_decimals(
    values: _Floats,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """Return the decimals with the fewest digits, and of these the nearest, that mean float64, as Python's `repr` does.

    Parameters
    ----------
    values : ndarray of float64
        Not negative.

    Returns
    -------
    mantissas : ndarray of int64
    places : ndarray of int64
        From 1 on; the mantissa may end in zeros.
    certain : ndarray of bool
        Where these are found: not of numbers that Python writes with an exponent.
    """
    mantissas, places = np.zeros(len(values), np.int64), np.ones(len(values), np.int64)
    certain = values == 0
    left = np.flatnonzero((values >= _SMALLEST) & (values < _END))
    for digits in range(_FEWEST_DIGITS, _MOST_DIGITS + 1):
        some = values[left]
        after = np.maximum(digits + 3 - np.searchsorted(_BOUNDS, some, side="right"), 1)
        rounded, is_nearest = _rounded(some, after)
        back, is_exact = nearest_floats(rounded, after)
        found = is_nearest & is_exact & (back == some)
        at = left[found]
        mantissas[at], places[at], certain[at] = rounded[found], after[found], True
        left = left[is_exact & (back != some)]
    return mantissas, places, certain


def _rounded(values: _Floats, places: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """Return the integers nearest to ``values * 10**places``, and where no other one is as near."""
    product, error = _product(values, _TENS.take(places))
    nearest = np.rint(product)
    error += product - nearest
    more = np.rint(error)
    return nearest.astype(np.int64) + more.astype(np.int64), np.abs(error - more) < 0.5 - _ERROR


def _product(a: _Floats, b: _Floats) -> tuple[_Floats, _Floats]:
    """Return products, and the errors of their rounding."""
    product = a * b
    (a_high, a_low), (b_high, b_low) = _halves(a), _halves(b)
    error = a_high * b_high - product
    error += a_high * b_low
    error += a_low * b_high
    error += a_low * b_low
    return product, error


def _halves(values: _Floats) -> tuple[_Floats, _Floats]:
    """Cut float64 in two of 26 bits."""
    scaled = values * _HALVES
    high = scaled - (scaled - values)
    return high, values - high
