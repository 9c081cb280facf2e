"""A program after its text was read: expressions and statements with types, and every name it has.

Conditions with ``else`` and loops over ranges are made of plain conditions and loops here, as the meta-program of
Dulle's section 2.2 has these and assignments only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

Scalar = Literal["boolean", "int32", "int64", "float32", "float64"]
Mode = Literal["EREW", "CREW", "common", "arbitrary", "priority"]
Number = bool | int | float

DTYPES: dict[str, np.dtype[np.generic]] = {
    "boolean": np.dtype(np.bool_),
    "int32": np.dtype(np.int32),
    "int64": np.dtype(np.int64),
    "float32": np.dtype(np.float32),
    "float64": np.dtype(np.float64),
}
"""What the types of the language are in numpy."""


@dataclass(frozen=True)
class Position:
    """Where something stands in the file of the program."""

    line: int
    column: int


@dataclass(frozen=True)
class Constant:
    """A number of the text."""

    value: Number
    type: Scalar


@dataclass(frozen=True)
class Variable:
    """The value of a private variable, of ``p`` or of ``n``."""

    name: str
    type: Scalar


@dataclass(frozen=True)
class Element:
    """An element of an array; a global variable is the only element of one."""

    name: str
    index: Expression
    type: Scalar
    position: Position = field(compare=False)


@dataclass(frozen=True)
class Length:
    """The number of elements of a global array."""

    name: str
    type: Scalar = "int64"


@dataclass(frozen=True)
class Operation:
    """An operator or a function, named as it is written: ``+``, ``and``, ``if``, ``min``, ``int32`` ..."""

    operator: str
    arguments: tuple[Expression, ...]
    type: Scalar
    position: Position = field(compare=False)


Expression = Constant | Variable | Element | Length | Operation


@dataclass(frozen=True)
class Assign:
    """Every active processor computes a value, and then stores it."""

    target: Variable | Element
    value: Expression
    position: Position = field(compare=False)


@dataclass(frozen=True)
class If:
    """Those active processors whose condition holds execute the body."""

    condition: Expression
    body: tuple[Statement, ...]
    position: Position = field(compare=False)


@dataclass(frozen=True)
class Range:
    """What a loop over a range goes through; its counter is not assigned by anything else."""

    counter: str
    start: Expression
    stop: Expression
    step: int


@dataclass(frozen=True)
class While:
    """Active processors execute the body as long as their condition holds; who has left does not come back."""

    condition: Expression
    body: tuple[Statement, ...]
    range: Range | None
    position: Position = field(compare=False)


Statement = Assign | If | While


@dataclass(frozen=True)
class Global:
    """A global array or variable.

    Attributes
    ----------
    size : Expression, optional
        Elements of one that the program declares; None if the caller gives it.
    single : bool
        Whether it is a variable, which is an array of one element here.
    """

    name: str
    type: Scalar
    single: bool
    size: Expression | None = None


@dataclass(frozen=True)
class Private:
    """A private variable, or an array of a fixed size."""

    name: str
    type: Scalar
    size: int | None = None


@dataclass(frozen=True)
class Tree:
    """A program.

    Attributes
    ----------
    name : str
    mode : str
    globals, privates : mapping
        By their names, in the order of the text.
    body : tuple of Statement
    lines : mapping of int to str
        The lines of the text.
    """

    name: str
    mode: Mode
    globals: Mapping[str, Global]
    privates: Mapping[str, Private]
    body: tuple[Statement, ...]
    lines: Mapping[int, str]

    def text_at(self, position: Position) -> str:
        """Return the line that something stands on."""
        return self.lines.get(position.line, "")


def parts(expression: Expression) -> Iterator[Expression]:
    """Yield an expression and all it is made of."""
    yield expression
    if isinstance(expression, Element):
        yield from parts(expression.index)
    elif isinstance(expression, Operation):
        for argument in expression.arguments:
            yield from parts(argument)


def elements_of(expression: Expression) -> list[Element]:
    """Return the elements of arrays that an expression reads."""
    return [part for part in parts(expression) if isinstance(part, Element)]


def variables_of(expression: Expression) -> set[str]:
    """Return the names of the variables that an expression reads."""
    return {part.name for part in parts(expression) if isinstance(part, Variable)}


def statements(body: tuple[Statement, ...]) -> Iterator[Statement]:
    """Yield statements and all inside of them, in the order of the text."""
    for statement in body:
        yield statement
        if not isinstance(statement, Assign):
            yield from statements(statement.body)


def expressions_of(statement: Statement) -> list[Expression]:
    """Return the expressions that a statement itself evaluates, without those of its body."""
    if not isinstance(statement, Assign):
        return [statement.condition]
    index = [statement.target.index] if isinstance(statement.target, Element) else []
    return [*index, statement.value]


def assigned(body: tuple[Statement, ...]) -> set[str]:
    """Return the names of the private variables that statements assign to."""
    return {
        each.target.name for each in statements(body) if isinstance(each, Assign) and isinstance(each.target, Variable)
    }
