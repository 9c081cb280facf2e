"""What operators compute, on single numbers: integers wrap, divisions round down, nothing is undefined in silence.

The interpreter and the host's part of a compiled program use this; kernels compute the same bits.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from reedsp.pram.tree import DTYPES, Number, Scalar

WIDTHS = {"int32": 32, "int64": 64}
"""Bits of the integers."""


class NoResultError(ArithmeticError):
    """An operation has no result for these numbers; what evaluates it knows where it stands."""


def wrapped(value: int, kind: str) -> int:
    """Return an integer as its type holds it."""
    width = WIDTHS[kind]
    return (value + (1 << (width - 1))) % (1 << width) - (1 << (width - 1))


def rounded(value: float, kind: str) -> float:
    """Return a float as its type holds it."""
    if kind == "float64":
        return float(value)
    with np.errstate(over="ignore", invalid="ignore"):
        return float(np.float32(value))


def converted(value: Number, kind: Scalar) -> Number:
    """Convert a number to a type.

    Raises
    ------
    NoResultError
        It does not fit.
    """
    if kind == "boolean":
        return bool(value)
    if kind in WIDTHS:
        if isinstance(value, float):
            if not math.isfinite(value) or not -(1 << (WIDTHS[kind] - 1)) <= int(value) < 1 << (WIDTHS[kind] - 1):
                raise NoResultError(f"{value} is no {kind}")
        elif wrapped(int(value), kind) != value:
            raise NoResultError(f"{value} is no {kind}")
        return int(value)
    if kind == "float32" and not isinstance(value, float):
        return float(np.float32(np.int64(value)))  # rounded once, from the integer itself
    return rounded(float(value), kind)


def _floor_divide(x: int, y: int) -> int:
    if y == 0:
        raise NoResultError("division by zero")
    return x // y


def _modulo(x: int, y: int) -> int:
    if y == 0:
        raise NoResultError("division by zero")
    return x % y


def _true_divide(x: float, y: float) -> float:
    with np.errstate(all="ignore"):
        return float(np.float64(x) / np.float64(y))


def _minimum(x: Number, y: Number) -> Number:
    return y if y < x else x


def _maximum(x: Number, y: Number) -> Number:
    return y if y > x else x


def ceil_log2(x: int) -> int:
    """Return the smallest number k >= 0 with 2 ** k >= x."""
    return (x - 1).bit_length() if x > 1 else 0


_PLAIN: dict[str, Callable[..., Number]] = {
    "+": lambda x, y: x + y,
    "-": lambda x, y: x - y,
    "*": lambda x, y: x * y,
    "/": _true_divide,
    "//": _floor_divide,
    "%": _modulo,
    "&": lambda x, y: x & y,
    "|": lambda x, y: x | y,
    "^": lambda x, y: x ^ y,
    "~": lambda x: ~x,
    "negative": lambda x: -x,
    "<": lambda x, y: x < y,
    "<=": lambda x, y: x <= y,
    ">": lambda x, y: x > y,
    ">=": lambda x, y: x >= y,
    "==": lambda x, y: x == y,
    "!=": lambda x, y: x != y,
    "not": lambda x: not x,
    "min": _minimum,
    "max": _maximum,
    "abs": abs,
    "ceil_log2": ceil_log2,
}
LAZY = ("and", "or", "if")
"""Operators that do not evaluate all their arguments."""


def compute(operator: str, arguments: list[Number], kind: Scalar) -> Number:
    """Apply an operator to numbers that have the type of its operands.

    Raises
    ------
    NoResultError
        It has no result.
    """
    if operator in DTYPES:
        return converted(arguments[0], kind)
    if operator in ("<<", ">>"):
        shifted, count = int(arguments[0]), int(arguments[1])
        if not 0 <= count < WIDTHS[kind]:
            raise NoResultError(f"{kind} shifted by {count}")
        return wrapped(shifted << count if operator == "<<" else shifted >> count, kind)
    value = _PLAIN[operator](*arguments)
    if kind in WIDTHS:
        return wrapped(int(value), kind)
    return bool(value) if kind == "boolean" else rounded(value, kind)
