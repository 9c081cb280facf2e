"""Modules import in one direction, kernels are read in one place, and everything public is explained."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator

import pytest

from reedsp.device.build import kernel_directory
from tests.support.kernel_files import kernel_files
from tests.support.modules import PACKAGE, TEXTS, TREES, imports, is_type_checking, modules_of_reedsp, room_of_module
from tests.support.rooms import ROOM_OF_KERNELS, ROOT, contracts, is_at_or_above

MOST_FILES = 16  # of a folder, of one kind: as many as a reader takes in at a glance


# What has to run where nothing but Python works: the package itself, its command, and the examination.
LIGHT = (
    *("__init__", "__main__", "_nx_info", "_version", "cli", "cli.command", "cli.status", "cli.doctor"),
    *(name for name in TREES if name.split(".")[0] == "system"),
)
FORBIDDEN_OPTIONS = (
    "-cl-fast-relaxed-math",
    "-cl-finite-math-only",
    "-cl-unsafe-math-optimizations",
    "-cl-denorms-are-zero",
    "-cl-no-signed-zeros",
    "-cl-mad-enable",
    "-ffast-math",
)


@pytest.mark.parametrize("folder", ["reedsp", "cl", "tests", "experiments", "docs"])
def test_no_folder_holds_too_many_files(folder: str) -> None:
    counts = Counter(
        (file.parent, file.suffix) for file in (ROOT / folder).rglob("*") if file.suffix in (".py", ".cl", ".md")
    )
    assert counts
    assert {str(key): count for key, count in counts.items() if count > MOST_FILES} == {}


def test_the_rooms_are_checked() -> None:
    """Their order is in pyproject.toml, and import-linter, which ``.ci/run`` calls, knows each of them."""
    rooms = contracts()[0]
    listed = {room.strip() for layer in rooms["layers"] for room in layer.split("|")}
    assert rooms["exhaustive"]
    assert listed == {name.split(".")[0] for name in TREES} - {"__init__"}


def test_every_module_is_used() -> None:
    """By another, by a user, as a process of its own or as a part of the documentation; tools are elsewhere."""
    used = {name for module, tree in TREES.items() for name in modules_of_reedsp(imports(ast.walk(tree))) - {module}}
    entrances = {
        "__init__",
        "__main__",
        "_nx_info",
        "cli.keys",
        "cost_model.many_core",
        "viewer.generators",
        "device.compiler_child",
        "csgraph",
        "pram.examples",
    }
    rooms = {name.rpartition(".")[0] for name in TREES}
    assert set(TREES) - used - entrances - rooms == set()


@pytest.mark.parametrize("module", LIGHT)
def test_light_modules_import_the_standard_library_only(module: str) -> None:
    """Not counting what a function imports when it is called, and what only a type checker reads."""
    body = [node for node in TREES[module].body if not is_type_checking(node)]
    found = list(imports(body))
    ours = modules_of_reedsp(iter(found))
    others = {name.split(".")[0] for name, _ in found} - {"reedsp"}
    assert others <= set(sys.stdlib_module_names)
    assert ours <= set(LIGHT)


def strings(tree: ast.AST) -> Iterator[str]:
    """Yield the string constants of a module that are no docstrings."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    docstrings = set()
    for node in ast.walk(tree):
        if isinstance(node, documented) and ast.get_docstring(node) is not None:
            docstrings.add(id(node.body[0].value))  # type: ignore[attr-defined]
        # a string on a line of its own explains the constant above it
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            docstrings.add(id(node.value))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node.value


def test_one_module_reads_the_kernels() -> None:
    readers = {
        module for module in TREES if any(re.search(r"(^|[/\\])cl($|[/\\])", text) for text in strings(TREES[module]))
    }
    assert readers == {"device.build"}
    for module, tree in TREES.items():
        names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        names |= {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        if module != "device.build":
            assert not names & {"kernel_directory", "assemble"}, module


KERNELS = {name: (kernel_directory() / name).read_text(encoding="utf-8") for name in kernel_files(kernel_directory())}


def kernels_named_in(tree: ast.Module) -> set[str]:
    return {text for text in strings(tree) if re.fullmatch(r"\w+/\w+\.cl", text)}


@pytest.mark.parametrize("module", [name for name, text in TEXTS.items() if re.search(r"\w/\w+\.cl\b", text)])
def test_kernels_are_launched_from_their_room_or_above(module: str) -> None:
    for kernel in kernels_named_in(TREES[module]):
        assert is_at_or_above(room_of_module(module), ROOM_OF_KERNELS[kernel.partition("/")[0]]), kernel


@pytest.mark.parametrize("file", KERNELS)
def test_kernels_include_those_of_their_room_or_below(file: str) -> None:
    folder = file.partition("/")[0]
    included = re.findall(r'^#include "(\w+)/\w+\.cl"$', KERNELS[file], re.MULTILINE)
    assert len(included) == KERNELS[file].count("#include ")
    if folder != "experiments":  # which are above all
        assert all(is_at_or_above(ROOM_OF_KERNELS[folder], ROOM_OF_KERNELS[each]) for each in included)


def test_kernels_are_named_by_files_that_exist() -> None:
    """And those of experiments only there, as they are not in the wheel."""
    experiments = [ast.parse(file.read_text(encoding="utf-8")) for file in ROOT.glob("experiments/**/*.py")]
    named = {kernel for tree in TREES.values() for kernel in kernels_named_in(tree)}
    measured = {kernel for tree in experiments for kernel in kernels_named_in(tree)}
    included = {name for text in KERNELS.values() for name in re.findall(r'^#include "(.*)"$', text, re.MULTILINE)}
    assert named | measured | included == set(KERNELS)
    assert not [name for name in named if name.startswith("experiments/")]


def overloads(node: ast.ClassDef | ast.FunctionDef) -> bool:
    """Whether this only declares types, of a function that is defined below."""
    return any(isinstance(each, ast.Name) and each.id == "overload" for each in node.decorator_list)


def public(tree: ast.AST, inside: str = "") -> Iterator[tuple[str, ast.AST]]:
    """Yield the public classes, functions and methods below a node, with their full names."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and not node.name.startswith("_") and not overloads(node):
            yield inside + node.name, node
            if isinstance(node, ast.ClassDef):
                yield from public(node, f"{inside}{node.name}.")


@pytest.mark.parametrize("module", TREES)
def test_everything_public_has_a_docstring(module: str) -> None:
    tree = TREES[module]
    assert ast.get_docstring(tree)
    assert [name for name, node in public(tree) if not ast.get_docstring(node)] == []  # type: ignore[arg-type]


@pytest.mark.deep
def test_modules_are_imported_without_a_warning() -> None:
    names = [f"reedsp.{module}" for module in TREES if module.split(".")[-1] not in ("__init__", "__main__")]
    assert len(names) > 200
    code = "import importlib, sys\nfor name in sys.argv[1:]: importlib.import_module(name)"
    command = [sys.executable, "-X", "dev", "-W", "error", "-c", code, *names]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)


def test_no_compiler_option_that_changes_results() -> None:
    files = [*PACKAGE.rglob("*.py"), *kernel_directory().rglob("*.cl")]
    files += [*ROOT.glob("experiments/**/*.py"), *(each for each in ROOT.glob(".ci/*") if each.is_file())]
    assert len(files) > 20
    for file in files:
        text = file.read_text(encoding="utf-8")
        assert [option for option in FORBIDDEN_OPTIONS if option in text] == [], file.name
