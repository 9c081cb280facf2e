"""The modules of reedsp as their source says: what they are called, and what they import."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator, Mapping
from pathlib import Path

import reedsp
from tests.support.rooms import room_of

PACKAGE = Path(reedsp.__file__).resolve().parent


def name_of(file: Path) -> str:
    """Return what a module is called within the package; the package of a folder is called as the folder."""
    parts = file.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" and parts[1:] else parts)


TEXTS = {name_of(file): file.read_text(encoding="utf-8") for file in sorted(PACKAGE.rglob("*.py"))}


class _Trees(Mapping[str, ast.Module]):
    """The syntax tree of each module, made when it is asked for: to collect tests none is needed."""

    def __getitem__(self, module: str) -> ast.Module:
        return _tree(module)

    def __iter__(self) -> Iterator[str]:
        return iter(TEXTS)

    def __len__(self) -> int:
        return len(TEXTS)


@functools.cache
def _tree(module: str) -> ast.Module:
    return ast.parse(TEXTS[module])


TREES = _Trees()


def room_of_module(module: str) -> str:
    """Return the room that a module is in; the algorithms have several."""
    return room_of(f"reedsp/{module.replace('.', '/')}.py") or module


def imports(nodes: Iterator[ast.AST] | list[ast.stmt]) -> Iterator[tuple[str, str | None]]:
    """Yield each imported module and, of a "from" import, the name taken from it."""
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from ((alias.name, None) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "a relative import"
            yield from ((str(node.module), alias.name) for alias in node.names)


def modules_of_reedsp(found: Iterator[tuple[str, str | None]]) -> set[str]:
    """Return the modules of this package among imports; of a name taken from the package, the module it comes from."""
    modules = set()
    for module, name in found:
        if module.split(".")[0] != "reedsp":
            continue
        inside = module.removeprefix("reedsp").removeprefix(".")
        below = f"{inside}.{name}".removeprefix(".")
        if below in TREES:
            modules.add(below)
        elif inside:
            modules.add(inside)
        else:
            modules.add(reedsp._MODULE_OF.get(str(name), "__init__"))
    return modules


def is_type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def run_time_nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield all nodes of a module but those that only a type checker reads."""
    for node in ast.iter_child_nodes(tree):
        if not is_type_checking(node):
            yield node
            yield from run_time_nodes(node)
