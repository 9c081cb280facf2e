"""Expressions as text, and the meta-program of Dulle's section 2.2, written as his Algorithm 2."""

from __future__ import annotations

from collections.abc import Callable

from reedsp.pram.tree import (
    Assign,
    Constant,
    Element,
    Expression,
    If,
    Length,
    Statement,
    Tree,
    Variable,
)

PRECEDENCE = {
    "if": 0,
    "or": 1,
    "and": 2,
    "not": 3,
    **dict.fromkeys(("<", "<=", ">", ">=", "==", "!="), 4),
    "|": 5,
    "^": 6,
    "&": 7,
    **dict.fromkeys(("<<", ">>"), 8),
    **dict.fromkeys(("+", "-"), 9),
    **dict.fromkeys(("*", "/", "//", "%"), 10),
    "negative": 11,
    "~": 11,
}
_ATOM = 12


def written(expression: Expression, tree: Tree, variable: Callable[[str], str] = str) -> str:
    """Return an expression as Python has it; `variable` says how a private variable is written."""

    def text(part: Expression, least: int = 0) -> str:
        found, level = form(part)
        return f"({found})" if level < least else found

    def form(part: Expression) -> tuple[str, int]:
        if isinstance(part, Constant):
            return str(part.value), _ATOM
        if isinstance(part, Variable):
            return (part.name if part.name in ("p", "n") else variable(part.name)), _ATOM
        if isinstance(part, Length):
            return f"len({part.name})", _ATOM
        if isinstance(part, Element):
            if part.name in tree.globals:
                return (part.name if tree.globals[part.name].single else f"{part.name}[{text(part.index)}]"), _ATOM
            return f"{variable(part.name)}[{text(part.index)}]", _ATOM
        operator, arguments = part.operator, part.arguments
        if operator not in PRECEDENCE:
            return f"{operator}({', '.join(map(text, arguments))})", _ATOM
        level = PRECEDENCE[operator]
        if operator == "if":
            return f"{text(arguments[1], 1)} if {text(arguments[0], 1)} else {text(arguments[2])}", level
        if len(arguments) == 1:
            sign = {"negative": "-", "not": "not "}.get(operator, operator)
            return sign + text(arguments[0], level), level
        first = level + (level == PRECEDENCE["<"])  # Python compares one with the other, and that one with a third
        return f"{text(arguments[0], first)} {operator} {text(arguments[1], level + 1)}", level

    return text(expression)


def declarations(tree: Tree) -> list[str]:
    """Return what a program declares, as the thesis begins its algorithms."""
    shared = [
        each.name if each.single else f"{each.name}[{'·' if each.size is None else written(each.size, tree)}]"
        for each in tree.globals.values()
    ]
    private = [each.name if each.size is None else f"{each.name}[{each.size}]" for each in tree.privates.values()]
    return [f"{word} {', '.join(names)}" for word, names in (("global", shared), ("private", private)) if names]


def _indexed(name: str) -> str:
    return f"{name}_p"


def assignment_text(statement: Assign, tree: Tree) -> str:
    """Return an assignment of the meta-program, for one processor."""
    return f"{written(statement.target, tree, _indexed)} ← {written(statement.value, tree, _indexed)}"


def condition_text(condition: Expression, tree: Tree) -> str:
    """Return a condition of the meta-program, for one processor."""
    return written(condition, tree, _indexed)


def meta_program(tree: Tree) -> str:
    """Return the meta-program: who is active is a stack of sets, and each step is for all of the uppermost set."""
    lines = [*declarations(tree), "T0 ← {0, ..., n-1}"]

    def block(body: tuple[Statement, ...], level: int, indent: str) -> None:
        for statement in body:
            if isinstance(statement, Assign):
                lines.append(f"{indent}{assignment_text(statement, tree)} ∀ p ∈ T{level}")
                continue
            condition, inner = condition_text(statement.condition, tree), level + 1
            lines.append(f"{indent}T{inner} ← {{p ∈ T{level} | {condition}}}")
            if isinstance(statement, If):
                block(statement.body, inner, indent)
            else:
                lines.append(f"{indent}while T{inner} ≠ ∅:")
                block(statement.body, inner, indent + "    ")
                lines.append(f"{indent}    T{inner} ← {{p ∈ T{inner} | {condition}}}")

    block(tree.body, 0, "")
    return "\n".join(lines) + "\n"
