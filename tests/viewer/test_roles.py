"""The tables of roles name the arguments that kernels have, in their order, and what may be done to them."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import pytest

from reedsp.arithmetic.types import C_TYPES
from reedsp.device.build import kernel_directory, text_of
from reedsp.viewer.roles import all_pairs, primitives, role, single_source, structure, traversal

ROOMS = (all_pairs, primitives, single_source, structure, traversal)
CASES = [(room, file, kernel) for room in ROOMS for file, kernels in room.KERNELS.items() for kernel in kernels]
SAME_MEMORY = {"Key": "WEIGHT", "Item": "ELEMENT", "Stored": "ELEMENT", "VALUE": "ELEMENT", "uint": "WEIGHT"}
"""Types of as many bytes, or the macro of the type of which an item is made, in which an argument may be read."""


def declared(file: str, kernel: str) -> dict[str, tuple[str, bool]]:
    """Return the type of each argument in global memory, and whether it is constant, as the file has it."""
    text = (kernel_directory() / text_of(file, kernel).file).read_text()
    [found] = re.findall(rf"^__kernel void {kernel}\(([^)]*)\)", re.sub(r"//.*", "", text), re.MULTILINE)
    arguments = {}
    for argument in found.split(","):
        words = argument.replace("*", " ").split()
        if "__global" in words:
            kind = next(word for word in words if word not in ("volatile", "__global", "const", "restrict"))
            arguments[words[-1]] = kind, "const" in words
    return arguments


@pytest.mark.parametrize(("room", "file", "kernel"), CASES, ids=lambda each: getattr(each, "__name__", each))
def test_arguments_are_those_of_the_kernel(room: Any, file: str, kernel: str) -> None:
    found, table = declared(file, kernel), room.KERNELS[file][kernel]
    assert list(table) == list(found)
    for argument, each in table.items():
        kind, constant = found[argument]
        assert each.reads or each.writes
        if each.array and each != role.SAME:
            assert each.dtype in (kind, SAME_MEMORY.get(kind)), argument
            assert each.writes != constant, argument
        if each == role.INPUT:
            assert constant, argument
        if each == role.INTERNAL:
            assert not constant, argument


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.__name__)
def test_every_array_is_of_some_kernel(room: Any) -> None:
    named = {each.array for kernels in room.KERNELS.values() for roles in kernels.values() for each in roles.values()}
    beside = {  # in the memory of others
        "labels",
        "directed_sums",
        "frontier",
        "levels",
        "predecessors",
        "heads",
        "mask",
    }
    assert set(room.ARRAYS) <= named | beside
    assert named - {"", "*"} <= set(room.ARRAYS) | {"found", "frontier_bits"}


def test_types_are_known() -> None:
    for room in ROOMS:
        for kernels in room.KERNELS.values():
            for roles in kernels.values():
                for each in roles.values():
                    assert each.dtype in {"", "WEIGHT", "ELEMENT", "VALUE", "KEY", "OFFSET", *C_TYPES.values()}


def test_the_tables_are_data_only() -> None:
    for room in ROOMS:
        tree = ast.parse(Path(room.__file__).read_text())
        assert not [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.For, ast.If))]
