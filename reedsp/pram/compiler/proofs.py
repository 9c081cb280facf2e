"""What can be proven about indices: whether two different processors can ever meet in a cell.

An index is understood if it is ``a * p + b``, where ``a`` and ``b`` are polynomials of numbers that are the same for
all processors and that the host knows. What is not understood counts as meeting.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from reedsp.pram.arithmetic import WIDTHS
from reedsp.pram.tree import (
    Assign,
    Constant,
    Element,
    Expression,
    If,
    Length,
    Number,
    Operation,
    Statement,
    Tree,
    Variable,
    While,
    elements_of,
    expressions_of,
    statements,
)

Polynomial = Mapping[tuple[str, ...], int]
"""Coefficients by products of symbols; no coefficient is 0."""

_SMALL = 1 << 31  # coefficients below, times a processor's number, do not wrap


@dataclass(frozen=True)
class Form:
    """An index ``a * p + b``."""

    a: Polynomial
    b: Polynomial


def symbol_of(expression: Expression, tree: Tree, known: frozenset[str]) -> str | None:
    """Return the name of a number that is the same for all processors and known to the host, if this is one."""
    if isinstance(expression, Variable) and (expression.name == "n" or expression.name in known):
        return expression.name
    if isinstance(expression, Length):
        return f"len({expression.name})"
    if isinstance(expression, Element) and expression.name in known and tree.globals[expression.name].single:
        return expression.name
    return None


def is_known(expression: Expression, tree: Tree, known: frozenset[str], also_p: bool = False) -> bool:
    """Whether the host can compute an expression: it is made of constants and known numbers."""
    if isinstance(expression, Constant) or symbol_of(expression, tree, known) is not None:
        return True
    if isinstance(expression, Variable):
        return expression.name == "p" and also_p
    return isinstance(expression, Operation) and all(
        is_known(each, tree, known, also_p) for each in expression.arguments
    )


def form_of(expression: Expression, tree: Tree, known: frozenset[str]) -> Form | None:
    """Return an index of type int64 as ``a * p + b``, or None where it is not understood."""
    if isinstance(expression, Constant):
        return Form({}, _cleaned({(): int(expression.value)})) if expression.type in WIDTHS else None
    if isinstance(expression, Variable) and expression.name == "p":
        return Form({(): 1}, {})
    if (symbol := symbol_of(expression, tree, known)) is not None:
        return Form({}, {(symbol,): 1}) if expression.type in WIDTHS else None
    if not isinstance(expression, Operation) or expression.type != "int64":
        return None
    forms = [form_of(each, tree, known) for each in expression.arguments]
    if expression.operator == "int64":
        return forms[0]
    one, other = forms[0], forms[-1]
    if one is None or other is None:
        return None
    if expression.operator == "+":
        return Form(_sum(one.a, other.a), _sum(one.b, other.b))
    if expression.operator == "-":
        return Form(_sum(one.a, other.a, -1), _sum(one.b, other.b, -1))
    if expression.operator == "negative":
        return Form(_sum({}, one.a, -1), _sum({}, one.b, -1))
    if expression.operator == "*" and not (one.a and other.a):
        if not one.a:
            one, other = other, one
        return Form(_product(one.a, other.b), _product(one.b, other.b))
    return None


def may_meet(one: Form | None, other: Form | None) -> bool:
    """Whether the index of one processor may equal the other index of another processor, whatever the numbers are."""
    if one is None or other is None or one.a != other.a or set(one.a) != {()}:
        return True
    stride, apart = one.a[()], _sum(other.b, one.b, -1)
    if not apart:
        return not abs(stride) < _SMALL
    if set(apart) != {()} or not abs(stride) < _SMALL or not abs(apart[()]) < _SMALL:
        return True
    return apart[()] % stride == 0


def depends_on_numbers(one: Form | None, other: Form | None) -> bool:
    """Whether numbers that are known when the program runs may prove what cannot be proven without them."""
    if one is None or other is None:
        return False
    return any(symbols for each in (one.a, one.b, other.a, other.b) for symbols in each)


def meet(one: Form, other: Form, n: int, value: Callable[[str], Number]) -> bool:
    """Whether they may, for n processors and with the numbers that the host knows now."""
    (a, b), (c, d) = ((_valued(each.a, value), _valued(each.b, value)) for each in (one, other))
    if any(abs(stride) * n + abs(offset) >= 1 << 62 for stride, offset in ((a, b), (c, d))):
        return True
    if a == c:
        if a == 0:
            return b == d and n > 1
        return d != b and (d - b) % a == 0 and abs((d - b) // a) < n
    if (d - b) % math.gcd(a, c):
        return False
    ends = sorted((b, b + a * (n - 1))), sorted((d, d + c * (n - 1)))
    return max(ends[0][0], ends[1][0]) <= min(ends[0][1], ends[1][1])


def is_exact(form: Form, n: int, value: Callable[[str], Number]) -> bool:
    """Whether no number of n processors wraps, with the numbers that the host knows now."""
    a, b = _valued(form.a, value), _valued(form.b, value)
    return all(-(1 << 63) <= b + a * p < 1 << 63 for p in (0, n - 1))


@dataclass(frozen=True)
class Bound:
    """A condition, ``low < high`` or ``low <= high``, which processors from some number on may not fulfil."""

    condition: Operation
    low: Form
    high: Form

    def active(self, n: int, value: Callable[[str], Number]) -> int:
        """Return how many processors, from the first one on, may be active."""
        if not (is_exact(self.low, n, value) and is_exact(self.high, n, value)):
            return n
        a, b = (_valued(_sum(*each, -1), value) for each in ((self.low.a, self.high.a), (self.low.b, self.high.b)))
        b -= self.condition.operator in ("<=", ">=")
        if a < 0:
            return n
        if a == 0:
            return n if b < 0 else 0
        return max(0, min(n, -(b // a)))


def bounds_of(body: tuple[Statement, ...], tree: Tree, known: frozenset[str]) -> tuple[Bound, ...]:
    """Return a bound for each of some statements, or none at all if one of them may be executed by all processors."""
    found = [_bound_of(each.condition, tree, known) if isinstance(each, If) else None for each in body]
    bounds = tuple(each for each in found if each is not None)
    return bounds if len(bounds) == len(found) else ()


def _bound_of(condition: Expression, tree: Tree, known: frozenset[str]) -> Bound | None:
    if not isinstance(condition, Operation):
        return None
    if condition.operator == "and":  # who fails the first part evaluates nothing else
        return _bound_of(condition.arguments[0], tree, known)
    if condition.operator not in ("<", "<=", ">", ">="):
        return None
    forms = [form_of(each, tree, known) for each in condition.arguments]
    low, high = forms if condition.operator in ("<", "<=") else forms[::-1]
    if low is None or high is None:
        return None
    a = _sum(low.a, high.a, -1)
    if set(a) == {()} and a[()] < 0:
        return None  # it is the first processors that do not fulfil it
    return Bound(condition, low, high)


def accesses(body: tuple[Statement, ...], tree: Tree) -> Iterator[tuple[Element, bool]]:
    """Yield the elements of global arrays that statements touch, and whether they write them."""
    for statement in body:
        for expression in expressions_of(statement):
            for element in elements_of(expression):
                if element.name in tree.globals:
                    yield element, False
        if isinstance(statement, Assign):
            if isinstance(statement.target, Element) and statement.target.name in tree.globals:
                yield statement.target, True
        else:
            yield from accesses(statement.body, tree)


def reads_of(name: str, body: tuple[Statement, ...], tree: Tree) -> list[Element]:
    """Return the elements of a global array that statements read."""
    return [element for element, writes in accesses(body, tree) if element.name == name and not writes]


def meeting_place(
    body: tuple[Statement, ...],
    tree: Tree,
    form: Callable[[Element], Form | None],
    exclusive: bool = False,
    apart: int = 0,
) -> tuple[Element, Element] | None:
    """Return a write, and an access of the same array that another processor may make to the same cell.

    None where there is none: then processors need not wait for each other anywhere in these statements. `exclusive`
    says that no two processors write the same cell in one step, since the mode of the program forbids it. The only
    access to an array, if no loop is around it, is such a step. One assignment alone reads everything before it stores
    anything, so that only reads count. As many statements as `apart` says, from the first one on, are known to have no
    such place among themselves; they are none, or several.
    """
    alone = only_assignment(body) is not None
    found: list[tuple[Element, bool]] = []
    others: dict[str, list[tuple[Element, bool]]] = {}
    before: dict[str, int] = {}  # by array, accesses of the statements that are apart
    for part, is_new in ((body[:apart], False), (body[apart:], True)):
        for element, stores in accesses(part, tree):
            found.append((element, stores))
            others.setdefault(element.name, []).append((element, stores))
            before[element.name] = before.get(element.name, 0) + (not is_new)
    past = sum(before.values())
    for position, (write, writes) in enumerate(found):
        if not writes:
            continue
        touched = others[write.name]
        if exclusive and len(touched) == 1 and not _in_a_loop(write, body):
            continue
        if position < past and not (exclusive and before[write.name] == 1):
            touched = touched[before[write.name] :]
        for element, stores in touched:
            if not (alone and stores) and may_meet(form(write), form(element)):
                return write, element
    return None


def _in_a_loop(element: Element, body: tuple[Statement, ...]) -> bool:
    loops = [each for each in statements(body) if isinstance(each, While)]
    return any(each is element for loop in loops for each in _targets(loop.body))


def _targets(body: tuple[Statement, ...]) -> Iterator[Element | Variable]:
    return (each.target for each in statements(body) if isinstance(each, Assign))


def only_assignment(body: tuple[Statement, ...]) -> Assign | None:
    """Return the assignment, if statements are one assignment, perhaps below conditions."""
    if len(body) != 1:
        return None
    [statement] = body
    if isinstance(statement, If):
        return only_assignment(statement.body)
    return statement if isinstance(statement, Assign) else None


def reads_what_it_wrote(body: tuple[Statement, ...], tree: Tree) -> Element | None:
    """Return an element of an array that is read after the same array was written, as double buffering forbids."""

    def walk(block: tuple[Statement, ...], written: set[str]) -> Element | None:
        for statement in block:
            again = () if isinstance(statement, (Assign, If)) else tuple(accesses((statement,), tree))
            written |= {element.name for element, writes in again if writes}  # by the round before
            for expression in expressions_of(statement):
                for element in elements_of(expression):
                    if element.name in written:
                        return element
            if not isinstance(statement, Assign):
                if (found := walk(statement.body, written)) is not None:
                    return found
            elif isinstance(statement.target, Element) and statement.target.name in tree.globals:
                written.add(statement.target.name)
        return None

    return walk(body, set())


# ---- polynomials ------------------------------------------------------------------------------------


def _cleaned(polynomial: Mapping[tuple[str, ...], int]) -> Polynomial:
    return {symbols: factor for symbols, factor in polynomial.items() if factor}


def _sum(one: Polynomial, other: Polynomial, factor: int = 1) -> Polynomial:
    total = dict(one)
    for symbols, each in other.items():
        total[symbols] = total.get(symbols, 0) + factor * each
    return _cleaned(total)


def _product(one: Polynomial, other: Polynomial) -> Polynomial:
    total: dict[tuple[str, ...], int] = {}
    for symbols, each in one.items():
        for more, factor in other.items():
            key = tuple(sorted((*symbols, *more)))
            total[key] = total.get(key, 0) + each * factor
    return _cleaned(total)


def _valued(polynomial: Polynomial, value: Callable[[str], Number]) -> int:
    return sum(factor * math.prod(int(value(each)) for each in symbols) for symbols, factor in polynomial.items())
