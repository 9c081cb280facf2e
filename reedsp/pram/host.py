"""Values that are the same for all processors, computed by the host: ``n``, lengths, given numbers, meta-variables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy.typing as npt

from reedsp.pram.arithmetic import LAZY, NoResultError, compute, converted
from reedsp.pram.errors import UndefinedError
from reedsp.pram.tree import Constant, Element, Expression, Length, Number, Operation, Tree, Variable

Computed = Callable[[int], Number]
"""Computes the value of an expression for one processor."""


def compiled(
    tree: Tree,
    expression: Expression,
    variable: Callable[[str, int], Number],
    length: Callable[[str], int],
    read: Callable[[Element, Number, int], Number],
    undefined: Callable[[str, int], dict[str, Any]] | None,
) -> Computed:
    """Return a function that computes an expression, with values of variables, lengths of arrays and their elements.

    `variable`, `read` and `undefined` are told the processor. `undefined` is called with a reason where an operation
    has no result, and returns more of what UndefinedError says; without it such an operation gives 0.
    """

    def made(part: Expression) -> Computed:
        if isinstance(part, Constant):
            constant = part.value
            return lambda p: constant
        if isinstance(part, Variable):
            name = part.name
            return lambda p: variable(name, p)
        if isinstance(part, Length):
            array = part.name
            return lambda p: length(array)
        if isinstance(part, Element):
            element, index = part, made(part.index)
            return lambda p: read(element, index(p), p)
        return lazy(part) if part.operator in LAZY else strict(part)

    def strict(part: Operation) -> Computed:
        operator, kind, arguments = part.operator, part.type, [made(each) for each in part.arguments]

        def value(p: int) -> Number:
            given = [each(p) for each in arguments]
            try:
                return compute(operator, given, kind)
            except NoResultError as error:
                if undefined is None:
                    return converted(0, kind)
                at = part.position
                more = undefined(str(error), p)
                raise UndefinedError(more.pop("reason"), at.line, at.column, tree.text_at(at), **more) from None

        return value

    def lazy(part: Operation) -> Computed:
        if part.operator == "if":
            condition, one, other = (made(each) for each in part.arguments)
            return lambda p: one(p) if condition(p) else other(p)
        first, second = (made(each) for each in part.arguments)
        if part.operator == "or":
            return lambda p: bool(first(p)) or bool(second(p))
        return lambda p: bool(first(p)) and bool(second(p))

    return made(expression)


class HostValues:
    """The host's values while a program runs.

    Parameters
    ----------
    tree : Tree
    n : int
        Processors.
    memory : mapping
        Global arrays.
    check : bool
        Whether operations without a result are errors; otherwise they give 0, as in kernels that do not check.

    Attributes
    ----------
    variables : dict
        Meta-variables by their names.
    """

    def __init__(self, tree: Tree, n: int, memory: Mapping[str, npt.NDArray[Any]], check: bool = True) -> None:
        self._tree, self._n, self._memory, self._check = tree, n, memory, check
        self._compiled: dict[int, tuple[Expression, Computed]] = {}  # by the identity of expressions, which are kept
        self.variables: dict[str, Number] = {}

    def evaluate(self, expression: Expression, p: int = 0) -> Number:
        """Compute an expression for one processor.

        Raises
        ------
        UndefinedError
            An operation in it has no result, and that is checked.
        """
        if (found := self._compiled.get(id(expression))) is None:
            value = compiled(
                *(self._tree, expression, self._variable, self._length, self._read),
                self._undefined if self._check else None,
            )
            found = self._compiled[id(expression)] = expression, value
        return found[1](p)

    @staticmethod
    def _undefined(reason: str, p: int) -> dict[str, Any]:
        return {"reason": f"processor {p}: {reason}", "processors": (p,)}

    def _variable(self, name: str, p: int) -> Number:
        if name in ("p", "n"):
            return p if name == "p" else self._n
        return self.variables.get(name, 0)

    def _length(self, name: str) -> int:
        return len(self._memory[name])

    def _read(self, element: Element, index: Number, p: int) -> Number:
        found: Number = self._memory[element.name][int(index)].item()
        return found
