"""Modules import in one direction, kernels are read in one place, and everything public is explained."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import reedsp
from reedsp.kernels import kernel_directory

PACKAGE = Path(reedsp.__file__).resolve().parent
TREES = {file.stem: ast.parse(file.read_text(encoding="utf-8")) for file in sorted(PACKAGE.glob("*.py"))}

# A module imports from the lines above its own only: the algorithms, for one, do not import one another.
LAYERS = (
    (
        "_nx_info",
        "_private",
        "_version",
        "cli_status",
        "compiler",
        "presentation",
        "progress",
        "progress_bar",
        "slices",
        "threads",
        "whole_file",
    ),
    ("graph",),
    ("typing", "vertices"),
    (
        *("_icd", "_pocl", "datasets", "host_parts", "kernels", "known_graph", "known_scan"),
        *("networkx_graph", "networkx_release", "own_folder"),
    ),
    ("networkx_host", "networkx_paths", "networkx_replay", "pinned"),
    ("device", "readers"),
    ("compiler_child", "doctor", "exactness", "operands", "operators", "path_matrix", "writers"),
    ("device_graph", "rounds", "tilings"),
    ("coordinates", "exports", "result_writers", "routes", "tied_paths"),
    ("plotting",),
    ("search_result",),
    ("products", "trust"),
    ("trusted_products",),
    ("negative_cycle", "predecessors"),
    ("solution",),
    ("verification", "bellman_ford", "floyd_warshall", "lund_smith", "minplus", "scan"),
    ("input_parallel", "near_far_work_group", "near_far_work_item", "breadth_first"),
    ("near_far",),
    ("device_distances", "johnson"),
    ("all_pairs_matrix", "all_pairs_tree", "checkpoint", "result", "tuning"),
    ("out_of_core", "result_files"),
    ("certificate", "host_matrix", "saved_results"),
    ("all_pairs_answers", "all_pairs_range"),
    ("all_pairs", "single_source"),
    ("graph_facts", "k_shortest", "row_blocks"),
    ("tables",),
    ("networkx_device",),
    ("networkx_measures",),
    ("csgraph", "networkx_backend"),
    ("__init__",),
    ("demo",),
    ("cli_keys", "cli_options", "cli_output"),
    ("cli_graph",),
    ("cli_all_pairs", "cli_files", "cli_machine", "cli_paths", "cli_verify"),
    ("cli_commands",),
    ("cli",),
    ("__main__",),
)
LAYER_OF = {module: number for number, layer in enumerate(LAYERS) for module in layer}
# What has to run where nothing but Python works: the package itself, its command, and the examination.
LIGHT = (
    *("__init__", "__main__", "_icd", "_nx_info", "_pocl", "_private", "_version", "cli", "cli_status", "doctor"),
    "threads",
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
        if module == "reedsp" and name is not None:
            modules.add(name if name in TREES else reedsp._MODULE_OF.get(name, "__init__"))
        elif module == "reedsp" or module.startswith("reedsp."):
            modules.add(module.removeprefix("reedsp").removeprefix(".") or "__init__")
    return modules


def is_type_checking(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def test_every_module_has_its_layer() -> None:
    assert sorted(LAYER_OF) == sorted(TREES)
    assert len(LAYER_OF) == sum(map(len, LAYERS))


@pytest.mark.parametrize("module", TREES)
def test_imports_point_one_way(module: str) -> None:
    used = modules_of_reedsp(imports(ast.walk(TREES[module])))
    assert used <= set(TREES)
    assert [name for name in used if LAYER_OF[name] >= LAYER_OF[module]] == []


def test_every_module_is_used() -> None:
    """By another, by a user, as a process of its own or as a part of the documentation; tools are elsewhere."""
    used = {name for module, tree in TREES.items() for name in modules_of_reedsp(imports(ast.walk(tree))) - {module}}
    entrances = {"__init__", "__main__", "_nx_info", "cli", "cli_keys", "compiler_child", "csgraph", "networkx_backend"}
    assert set(TREES) - used - entrances == set()


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
    assert readers == {"kernels"}
    for module, tree in TREES.items():
        names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        names |= {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        if module != "kernels":
            assert not names & {"kernel_directory", "assemble"}, module


def test_kernels_are_named_by_files_that_exist() -> None:
    files = {file.name: file.read_text(encoding="utf-8") for file in kernel_directory().iterdir()}
    experiments = [ast.parse(file.read_text(encoding="utf-8")) for file in PACKAGE.parent.glob("experiments/*.py")]
    trees = [*TREES.values(), *experiments]
    named = {text for tree in trees for text in strings(tree) if re.fullmatch(r"\w+\.cl", text)}
    included = {name for text in files.values() for name in re.findall(r'^#include "(.*)"$', text, re.MULTILINE)}
    assert named | included == set(files)


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


def test_no_compiler_option_that_changes_results() -> None:
    files = [*PACKAGE.glob("*.py"), *kernel_directory().glob("*.cl")]
    files += [*PACKAGE.parent.glob("experiments/*.py"), *PACKAGE.parent.glob(".ci/*")]
    assert len(files) > 20
    for file in files:
        text = file.read_text(encoding="utf-8")
        assert [option for option in FORBIDDEN_OPTIONS if option in text] == [], file.name
