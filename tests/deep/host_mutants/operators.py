"""The faults that can be planted in a module of Python, each by one change of its syntax tree."""

from __future__ import annotations

import ast
import functools
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

Replace = Callable[[ast.AST], None]
Found = Iterator[tuple[str, Callable[[], None]]]

COMPARED: dict[type[ast.cmpop], tuple[type[ast.cmpop], str]] = {
    ast.Lt: (ast.LtE, "< to <="),
    ast.LtE: (ast.Lt, "<= to <"),
    ast.Gt: (ast.GtE, "> to >="),
    ast.GtE: (ast.Gt, ">= to >"),
    ast.Eq: (ast.NotEq, "== to !="),
    ast.NotEq: (ast.Eq, "!= to =="),
    ast.Is: (ast.IsNot, "is to is not"),
    ast.IsNot: (ast.Is, "is not to is"),
    ast.In: (ast.NotIn, "in to not in"),
    ast.NotIn: (ast.In, "not in to in"),
}
COMPUTED: dict[type[ast.operator], tuple[type[ast.operator], str]] = {
    ast.Add: (ast.Sub, "+ to -"),
    ast.Sub: (ast.Add, "- to +"),
    ast.Mult: (ast.FloorDiv, "* to //"),
    ast.Div: (ast.Mult, "/ to *"),
    ast.FloorDiv: (ast.Mod, "// to %"),
    ast.Mod: (ast.FloorDiv, "% to //"),
    ast.Pow: (ast.Mult, "** to *"),
    ast.LShift: (ast.RShift, "<< to >>"),
    ast.RShift: (ast.LShift, ">> to <<"),
    ast.BitAnd: (ast.BitOr, "& to |"),
    ast.BitOr: (ast.BitAnd, "| to &"),
    ast.BitXor: (ast.BitOr, "^ to |"),
}
OTHER_END = {"min": "max", "max": "min", "minimum": "maximum", "maximum": "minimum", "floor": "ceil", "ceil": "floor"}
UNTOUCHED = ("annotation", "returns", "decorator_list", "type_comment", "type_params")
"""Fields that hold types, or what is decided when a function is defined."""


@dataclass(frozen=True)
class Edit:
    """A change of a syntax tree: the line it is in, what it is, and what makes it."""

    line: int
    operator: str
    what: str
    apply: Callable[[], None]


def _compare(node: ast.AST, replace: Replace) -> Found:
    if isinstance(node, ast.Compare):
        for index, each in enumerate(node.ops):
            other, what = COMPARED[type(each)]
            yield what, functools.partial(node.ops.__setitem__, index, other())


def _arithmetic(node: ast.AST, replace: Replace) -> Found:
    if isinstance(node, ast.BinOp | ast.AugAssign):
        other, what = COMPUTED.get(type(node.op), (None, ""))
        if other is not None:
            yield what, functools.partial(setattr, node, "op", other())
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.Invert):
        yield f"without {'-' if isinstance(node.op, ast.USub) else '~'}", functools.partial(replace, node.operand)


def _constant(node: ast.AST, replace: Replace) -> Found:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        value = node.value
        if isinstance(value, bool):
            other: Any = not value
        else:
            other = value + 1 if isinstance(value, int) else 2 * value or 1.0
        yield f"{value!r} to {other!r}", functools.partial(replace, ast.Constant(other))


def _key(node: ast.AST, replace: Replace) -> Found:
    keys: list[ast.AST | None] = []
    if isinstance(node, ast.Dict):
        keys = [*node.keys]
    elif isinstance(node, ast.Subscript):
        keys = [node.slice]
    elif isinstance(node, ast.Compare):
        keys = [node.left, *node.comparators]
    elif isinstance(node, ast.MatchValue):
        keys = [node.value]
    for key in keys:
        if isinstance(key, ast.Constant) and isinstance(key.value, str):
            yield f"{key.value!r} to another", functools.partial(setattr, key, "value", f"{key.value}_")


def _logic(node: ast.AST, replace: Replace) -> Found:
    if isinstance(node, ast.BoolOp):
        is_and = isinstance(node.op, ast.And)
        other = ast.Or() if is_and else ast.And()
        yield "and to or" if is_and else "or to and", functools.partial(setattr, node, "op", other)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield "without not", functools.partial(replace, node.operand)


def _condition(node: ast.AST, replace: Replace) -> Found:
    if isinstance(node, ast.If | ast.While | ast.IfExp):
        yield "condition negated", functools.partial(setattr, node, "test", ast.UnaryOp(ast.Not(), node.test))
    if isinstance(node, ast.comprehension):
        for index, test in enumerate(node.ifs):
            yield "condition negated", functools.partial(node.ifs.__setitem__, index, ast.UnaryOp(ast.Not(), test))


def _statement(node: ast.AST, replace: Replace) -> Found:
    dropped = ""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        dropped = "call"
    elif isinstance(node, ast.AugAssign):
        dropped = "assignment"
    elif isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        if node.value is not None and isinstance(targets[0], ast.Attribute | ast.Subscript):
            dropped = "assignment"
    elif isinstance(node, ast.Raise):
        dropped = "raise"
    if dropped:
        yield f"without the {dropped}", functools.partial(replace, ast.Pass())
    if isinstance(node, ast.Continue | ast.Break):
        other = ast.Break() if isinstance(node, ast.Continue) else ast.Continue()
        yield f"{type(other).__name__.lower()} instead", functools.partial(replace, other)
    if isinstance(node, ast.Return) and not (node.value is None or _is_none(node.value)):
        yield "return None", functools.partial(replace, ast.Return(ast.Constant(None)))


def _element(node: ast.AST, replace: Replace) -> Found:
    if isinstance(node, ast.For | ast.comprehension) and isinstance(node.iter, ast.Tuple | ast.List):
        elements = node.iter.elts
        for index in range(len(elements) if len(elements) > 1 else 0):
            yield f"without element {index}", functools.partial(elements.__delitem__, index)


def _extreme(node: ast.AST, replace: Replace) -> Found:
    if isinstance(node, ast.Name) and node.id in OTHER_END and isinstance(node.ctx, ast.Load):
        yield f"{node.id} to {OTHER_END[node.id]}", functools.partial(setattr, node, "id", OTHER_END[node.id])
    if isinstance(node, ast.Attribute) and node.attr in OTHER_END and isinstance(node.ctx, ast.Load):
        yield f"{node.attr} to {OTHER_END[node.attr]}", functools.partial(setattr, node, "attr", OTHER_END[node.attr])


OPERATORS: dict[str, Callable[[ast.AST, Replace], Found]] = {
    "compare": _compare,
    "arithmetic": _arithmetic,
    "constant": _constant,
    "key": _key,
    "logic": _logic,
    "condition": _condition,
    "statement": _statement,
    "element": _element,
    "extreme": _extreme,
}


def edits_of(tree: ast.Module) -> Iterator[Edit]:
    """Yield every change that can be made to a syntax tree, in the order of its text; made to this very tree."""
    yield from _edits(tree, lambda _: None, 1)


def _edits(node: ast.AST, replace: Replace, line: int) -> Iterator[Edit]:
    line = getattr(node, "lineno", line)
    if _is_left_alone(node):
        return
    for name, operator in OPERATORS.items():
        for what, apply in operator(node, replace):
            yield Edit(line, name, what, apply)
    skipped = UNTOUCHED
    if isinstance(node, ast.If) and (taken := _of_this_system(node.test)) is not None:
        skipped = (*UNTOUCHED, "test", "orelse" if taken else "body")
    for field, value in ast.iter_fields(node):
        if field in skipped:
            continue
        if isinstance(value, list):
            for index, child in enumerate(value):
                if isinstance(child, ast.AST):
                    yield from _edits(child, functools.partial(value.__setitem__, index), line)
        elif isinstance(value, ast.AST):
            yield from _edits(value, functools.partial(setattr, node, field), line)


def _is_left_alone(node: ast.AST) -> bool:
    """Whether a node is for readers and checkers of types only, or the text of a message."""
    if isinstance(node, ast.Assert | ast.JoinedStr | ast.Import | ast.ImportFrom):
        return True
    if isinstance(node, ast.FunctionDef):
        return any(isinstance(each, ast.Name) and each.id == "overload" for each in node.decorator_list)
    if isinstance(node, ast.Assign):
        return any(isinstance(target, ast.Name) and target.id == "__all__" for target in node.targets)
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def _of_this_system(test: ast.expr) -> bool | None:
    """Return what a comparison of ``sys.platform`` gives here; None if a condition is none."""
    if isinstance(test, ast.Compare) and ast.unparse(test.left) == "sys.platform":
        return bool(eval(ast.unparse(test), {"sys": sys}))
    return None


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
