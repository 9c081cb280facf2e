"""The words that a program is written in, so that Python finds them where the program's function is defined."""

from __future__ import annotations

from typing import Any

from reedsp.pram.arithmetic import ceil_log2 as ceil_log2
from reedsp.pram.arithmetic import converted
from reedsp.pram.tree import Number, Scalar


class Type:
    """A type of the language.

    ``int64`` declares a variable, ``int64[:]`` a global array that the caller gives, ``int64[4]`` a private array, and
    ``int64(x)`` converts a number.
    """

    def __init__(self, name: Scalar) -> None:
        self.name = name

    def __getitem__(self, size: object) -> Type:
        return self

    def __call__(self, value: Number) -> Number:
        """Convert a number."""
        return converted(value, self.name)

    def __repr__(self) -> str:
        return self.name


boolean, int32, int64 = Type("boolean"), Type("int32"), Type("int64")
float32, float64 = Type("float32"), Type("float64")


class Global:
    """``Global[int64[2 * n]]`` or ``Global[int64]`` declares a global array or variable inside of a program.

    It holds zeros at the beginning. Its size may use ``n``, lengths of given arrays, and given integers, which
    nothing above it assigns to.
    """

    def __class_getitem__(cls, type: object) -> type[Global]:
        return cls


def select(condition: bool, one: Any, other: Any) -> Any:
    """Return one value or the other; in a program only that one is evaluated."""
    return one if condition else other
