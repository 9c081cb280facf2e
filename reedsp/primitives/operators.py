"""Associative operators, and the macros with which the kernels of reductions and scans are built for them."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from reedsp.arithmetic.types import C_TYPES
from reedsp.system.options import flag
from reedsp.system.public import public

ELEMENT_TYPES = tuple(np.dtype(each) for each in (np.int32, np.uint32, np.int64, np.uint64, np.float32, np.float64))
"""The types of elements that are reduced and scanned."""

OPERATORS = ("add", "min", "max")
"""The built-in operators."""
# Each holds for vectors as well as for numbers. The minimum or maximum of a NaN and a number is the NaN, as in numpy.
_OF_INTEGERS = {"add": "a + b", "min": "min(a, b)", "max": "max(a, b)"}
_OF_FLOATS = {
    "add": "a + b",
    "min": "((a < b) | (a != a)) ? a : b",
    "max": "((a > b) | (a != a)) ? a : b",
}


@public
@dataclass(frozen=True)
class Operator:
    """An associative operator of your own, for reductions and scans.

    Parameters
    ----------
    expression : str
        OpenCL C expression in ``a`` and ``b``, which have the type of the elements; ``a`` stands for the earlier ones.
        It is not checked to be associative: if it is not, the result depends on the device. Signed integers
        must not overflow in it, which OpenCL C leaves undefined.
    identity : int or float
        Its identity element: combined with any ``x``, from either side, it gives ``x``.
    commutative : bool
        Whether the elements may be combined in any order, which is faster.

    Raises
    ------
    TypeError, ValueError
        `expression` is not one line of text, or its parentheses do not match.

    Examples
    --------
    The affine maps ``x -> s x + t`` modulo 2^16, applied one after the other, ``s`` in the upper half of each element:

    >>> import numpy as np
    >>> import reedsp
    >>> then = "(a >> 16) * (b >> 16) << 16 | ((a & 0xFFFF) * (b >> 16) + (b & 0xFFFF)) & 0xFFFF"
    >>> maps = np.array([2 << 16 | 1, 3 << 16 | 0, 1 << 16 | 5], np.uint32)
    >>> result = reedsp.reduce(maps, reedsp.Operator(then, identity=1 << 16))
    >>> int(result >> 16), int(result & 0xFFFF)  # 3 (2 x + 1) + 5
    (6, 8)
    """

    expression: str
    identity: int | float
    commutative: bool = False

    def __post_init__(self) -> None:
        check_expression("expression", self.expression)
        flag(self.commutative, "commutative")


def check_expression(argument: str, expression: object) -> None:
    """Check that this can be an expression of OpenCL C, and nothing more.

    Raises
    ------
    TypeError, ValueError
        It is not one line of text, or its parentheses do not match; the message names the argument.
    """
    if not isinstance(expression, str):
        raise TypeError(f"{argument}: expected a string, got {type(expression).__name__}")
    if not expression.strip():
        raise ValueError(f"{argument}: it is empty")
    if found := re.search(r"[\0\n\r\\#;{}\"'`]|//|/\*", expression):
        raise ValueError(f"{argument}: {found[0]!r} at position {found.start()} is no part of an expression")
    depth = 0
    for position, character in enumerate(expression):
        depth += (character == "(") - (character == ")")
        if depth < 0:
            raise ValueError(f"{argument}: ')' at position {position} closes nothing")
    if depth > 0:
        raise ValueError(f"{argument}: a ')' is missing at the end")


def resolve(op: str | Operator, dtype: np.dtype[Any]) -> Operator:
    """Return the operator that a name stands for with elements of this type.

    Raises
    ------
    TypeError, ValueError
        `op` is no operator, or its identity is no number of this type.
    """
    if isinstance(op, str):
        if op not in OPERATORS:
            raise ValueError(f"op: {op!r} is none of {', '.join(map(repr, OPERATORS))}, nor a reedsp.Operator")
        return _built_in(op, dtype)
    if not isinstance(op, Operator):
        raise TypeError(f"op: expected a string or a reedsp.Operator, got {type(op).__name__}")
    identity_of(op, dtype)
    return op


@functools.lru_cache
def _built_in(name: str, dtype: np.dtype[Any]) -> Operator:
    integer = dtype.kind in "iu"
    smallest, largest = (np.iinfo(dtype).min, np.iinfo(dtype).max) if integer else (-np.inf, np.inf)
    identity = {"add": 0, "min": largest, "max": smallest}[name]
    return Operator((_OF_INTEGERS if integer else _OF_FLOATS)[name], identity, commutative=True)


def identity_of(operator: Operator, dtype: np.dtype[Any]) -> Any:
    """Return the identity of an operator as a number of this type.

    Raises
    ------
    TypeError, ValueError
        It is none.
    """
    value = operator.identity
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise TypeError(f"op: its identity has to be a number, got {type(value).__name__}")
    if isinstance(value, np.generic):
        value = value.item()  # Python compares an int with a float exactly
    if dtype.kind == "f":
        if float(np.finfo(dtype).max) < abs(value) != np.inf:
            raise ValueError(f"op: its identity {value!r} is no {dtype} number")
        return dtype.type(value)
    limits = np.iinfo(dtype)
    if value != value or not limits.min <= value <= limits.max or value != int(value):
        raise ValueError(f"op: its identity {value!r} is no {dtype} number")
    return dtype.type(int(value))


def operator_macros(operator: Operator, dtype: np.dtype[Any]) -> dict[str, str | int]:
    """Return the macros of ``cl/primitives/elements.cl`` that say what is combined, and how."""
    bits = int(identity_of(operator, dtype).view(f"u{dtype.itemsize}"))
    suffix = "ul" if dtype.itemsize == 8 else "u"
    return {
        "ELEMENT": C_TYPES[dtype],
        "OPERATION": f"({operator.expression})",
        "IDENTITY": f"as_{C_TYPES[dtype]}({bits:#x}{suffix})",
    }
