"""The words in which the tables of roles are written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

Of: TypeAlias = Literal["vertices", "elements", "edges", "matrix", "queue", "cells"]
Look: TypeAlias = Literal[
    "distance", "level", "label", "pointer", "predecessor", "mate", "flag", "set", "chosen", "value", "count", "tree"
]
Holds: TypeAlias = Literal["numbers", "distances", "vertices"]


@dataclass(frozen=True)
class Array:
    """An array as a trace shows it.

    Attributes
    ----------
    meaning : str
    of : str
        What it has an element for.
    role : str
        How a page draws it.
    holds : str
        "distances", of which the largest number of the type stands for none; "vertices", of which a negative number
        does; or "numbers", that stand for themselves.
    """

    meaning: str
    of: Of
    role: Look
    holds: Holds = "numbers"


class Role(NamedTuple):
    """What one argument of a kernel in global memory is for.

    Attributes
    ----------
    array : str
        As a trace calls it; empty if it is not shown.
    dtype : str
        Its type in OpenCL C, or the macro that says it.
    reads, writes : bool
    """

    array: str
    dtype: str
    reads: bool
    writes: bool


def reads(array: str, dtype: str) -> Role:
    """Return the role of an argument that is not written to."""
    return Role(array, dtype, True, False)


def writes(array: str, dtype: str) -> Role:
    """Return the role of an argument that is only written to."""
    return Role(array, dtype, False, True)


def updates(array: str, dtype: str) -> Role:
    """Return the role of an argument that is read and written to."""
    return Role(array, dtype, True, True)


INPUT = Role("", "", True, False)
"""The graph, the elements, or what is made of them beforehand."""

INTERNAL = Role("", "", True, True)
"""Counters and other words by which launches agree on what is to be done."""

SAME = Role("*", "", True, True)
"""What the buffer has been in launches before."""

Roles: TypeAlias = Mapping[str, Role]
"""Of the arguments of a kernel in global memory, in order."""

Kernels: TypeAlias = Mapping[str, Mapping[str, Roles]]
"""Roles by file and kernel."""
