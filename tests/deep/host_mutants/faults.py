"""Faults by their names: which ones there are in a module, and what the module is with one of them."""

from __future__ import annotations

import ast
import hashlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.deep.host_mutants.operators import Edit, edits_of

ROOT = Path(__file__).resolve().parents[3]
PACKAGE = ROOT / "reedsp"
EQUIVALENT = Path(__file__).with_name("equivalent.txt")
LEFT_OUT = ("_nx_info", "_version", "pram.examples")
"""What networkx imports on its own, a number, and programs that are no Python."""


@dataclass(frozen=True)
class Fault:
    """A fault that can be planted.

    Attributes
    ----------
    name : str
        ``module:line:what``, and ``#2`` behind it for the second of this name.
    module : str
        Within the package.
    line : int
    operator, what, code : str
        Its kind, the change itself, and the line as it is.
    key : str
        Of the whole text of the module, too, so that no verdict outlives a change of it.
    """

    name: str
    module: str
    line: int
    operator: str
    what: str = field(compare=False)
    code: str = field(compare=False)
    key: str = field(compare=False)

    def changes(self) -> set[tuple[str, str, str]]:
        """Return what it may be called by where it changes nothing: with all like it in its line, or by its number."""
        _, _, number = self.name.partition("#")
        return {(self.module, self.code, each) for each in (self.what, f"{self.what}#{number or 1}")}


def modules() -> list[str]:
    """Return the names of all modules that faults are planted in."""
    found = []
    for file in sorted(PACKAGE.rglob("*.py")):
        parts = file.relative_to(PACKAGE).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" and parts[1:] else parts)
        if name not in LEFT_OUT:
            found.append(name)
    return found


def file_of(module: str) -> Path:
    """Return the file of a module."""
    path = PACKAGE / module.replace(".", "/")
    package = path / "__init__.py"
    return package if package.exists() else path.with_suffix(".py")


def faults_of(module: str) -> list[Fault]:
    """Return every fault of a module, in the order of its text."""
    text = file_of(module).read_text(encoding="utf-8")
    lines = text.split("\n")
    return [
        Fault(
            name,
            module,
            edit.line,
            edit.operator,
            edit.what,
            lines[edit.line - 1].strip(),
            hashlib.sha256(f"{name}\n{text}".encode()).hexdigest()[:12],
        )
        for name, edit in _named(module, ast.parse(text))
    ]


def planted(module: str, text: str, name: str) -> ast.Module:
    """Return the syntax tree of a module with the fault of this name.

    Raises
    ------
    LookupError
        There is no such fault.
    """
    tree = ast.parse(text)
    for each, edit in _named(module, tree):
        if each == name:
            edit.apply()
            return ast.fix_missing_locations(tree)
    raise LookupError(f"name: {module} has no fault {name!r}")


def _named(module: str, tree: ast.Module) -> Iterator[tuple[str, Edit]]:
    counts: Counter[str] = Counter()
    for edit in list(edits_of(tree)):
        name = f"{module}:{edit.line}:{edit.what}"
        counts[name] += 1
        yield (name if counts[name] == 1 else f"{name}#{counts[name]}"), edit


def equivalents() -> dict[tuple[str, str, str], str]:
    """Return the faults that change nothing, by module, line and change, and why."""
    rows = {}
    for line in EQUIVALENT.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            module, code, what, reason = (each.strip() for each in line.split(" ¦ "))
            rows[module, code, what] = reason
    return rows
