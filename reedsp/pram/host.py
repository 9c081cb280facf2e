"""Values that are the same for all processors, computed by the host: ``n``, lengths, given numbers, meta-variables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy.typing as npt

from reedsp.pram.arithmetic import LAZY, NoResultError, compute
from reedsp.pram.errors import UndefinedError
from reedsp.pram.tree import Constant, Element, Expression, Length, Number, Operation, Tree, Variable

Read = Callable[[Element, Number], Number]
"""Reads an element at an index."""


def evaluate(
    tree: Tree,
    expression: Expression,
    variable: Callable[[str], Number],
    length: Callable[[str], int],
    read: Read,
    undefined: Callable[[str], dict[str, Any]],
) -> Number:
    """Compute an expression, with the values of variables, the lengths of arrays and their elements.

    `undefined` is called with a reason where an operation has no result, and returns more of what UndefinedError says.
    """

    def value(part: Expression) -> Number:
        if isinstance(part, Constant):
            return part.value
        if isinstance(part, Variable):
            return variable(part.name)
        if isinstance(part, Length):
            return length(part.name)
        if isinstance(part, Element):
            return read(part, value(part.index))
        if part.operator in LAZY:
            return lazy(part)
        arguments = [value(each) for each in part.arguments]
        try:
            return compute(part.operator, arguments, part.type)
        except NoResultError as error:
            at = part.position
            more = undefined(str(error))
            raise UndefinedError(more.pop("reason"), at.line, at.column, tree.text_at(at), **more) from None

    def lazy(part: Operation) -> Number:
        if part.operator == "if":
            condition, one, other = part.arguments
            return value(one) if value(condition) else value(other)
        first, second = part.arguments
        decided = bool(value(first))
        return decided if decided == (part.operator == "or") else bool(value(second))

    return value(expression)


class HostValues:
    """The host's values while a program runs.

    Attributes
    ----------
    variables : dict
        Meta-variables by their names.
    """

    def __init__(self, tree: Tree, n: int, memory: Mapping[str, npt.NDArray[Any]]) -> None:
        self._tree, self._n, self._memory = tree, n, memory
        self.variables: dict[str, Number] = {}

    def evaluate(self, expression: Expression, p: int = 0) -> Number:
        """Compute an expression for one processor.

        Raises
        ------
        UndefinedError
            An operation in it has no result.
        """

        def variable(name: str) -> Number:
            if name in ("p", "n"):
                return p if name == "p" else self._n
            return self.variables.get(name, 0)

        def read(element: Element, index: Number) -> Number:
            found: Number = self._memory[element.name][int(index)].item()
            return found

        def undefined(reason: str) -> dict[str, Any]:
            return {"reason": f"processor {p}: {reason}", "processors": (p,)}

        return evaluate(self._tree, expression, variable, lambda name: len(self._memory[name]), read, undefined)
