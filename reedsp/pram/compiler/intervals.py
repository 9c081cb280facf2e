"""Between which numbers an integer expression is, so that kernels add with ``+`` where nothing can wrap."""

from __future__ import annotations

from collections.abc import Mapping

from reedsp.pram.arithmetic import WIDTHS
from reedsp.pram.memory import LONGEST_ARRAY, MOST_PROCESSORS
from reedsp.pram.tree import Constant, Element, Expression, Length, Range, Tree, Variable, While, statements

Interval = tuple[int, int]


def of_type(kind: str) -> Interval:
    """Return all numbers of an integer type."""
    width = WIDTHS[kind]
    return -(1 << (width - 1)), (1 << (width - 1)) - 1


def counters_of(tree: Tree) -> Mapping[str, Interval]:
    """Return between which numbers the counters of loops are, where that is less than their type holds."""
    ranges: dict[str, list[Range]] = {}
    for each in statements(tree.body):
        if isinstance(each, While) and each.range is not None:
            ranges.setdefault(each.range.counter, []).append(each.range)
    found: dict[str, Interval] = {}
    for name, loops in ranges.items():
        ends = [interval(end, {}) for each in loops for end in (each.start, each.stop)]
        widest = max(abs(each.step) for each in loops)
        found[name] = min(low for low, _ in ends) - widest, max(high for _, high in ends) + widest
    return found


def interval(expression: Expression, counters: Mapping[str, Interval]) -> Interval:
    """Return the least and the largest number that an integer expression may be."""
    everything = of_type(expression.type)
    found = _interval(expression, counters)
    return found if found is not None and everything[0] <= found[0] and found[1] <= everything[1] else everything


def exact(expression: Expression, counters: Mapping[str, Interval]) -> bool:
    """Whether an operation on integers cannot wrap."""
    everything = of_type(expression.type)
    found = _interval(expression, counters)
    return found is not None and everything[0] <= found[0] and found[1] <= everything[1]


def _interval(expression: Expression, counters: Mapping[str, Interval]) -> Interval | None:
    if isinstance(expression, Constant):
        return int(expression.value), int(expression.value)
    if isinstance(expression, Length):
        return 0, LONGEST_ARRAY
    if isinstance(expression, Variable):
        if expression.name in ("p", "n"):
            return 0, MOST_PROCESSORS
        return counters.get(expression.name)
    if isinstance(expression, Element) or any(each.type not in WIDTHS for each in expression.arguments):
        return None
    operator = expression.operator
    ends = [interval(each, counters) for each in expression.arguments]
    (a, b), (c, d) = ends[0], ends[-1]
    if operator in WIDTHS:
        return a, b
    if operator == "+":
        return a + c, b + d
    if operator == "-":
        return a - d, b - c
    if operator == "*":
        products = [x * y for x in (a, b) for y in (c, d)]
        return min(products), max(products)
    if operator == "negative":
        return -b, -a
    if operator in ("//", "%") and c > 0:
        return (0, d - 1) if operator == "%" else (min(a // c, a // d), max(b // c, b // d))
    if operator in ("min", "max"):
        chosen = min if operator == "min" else max
        return chosen(a, c), chosen(b, d)
    return None
