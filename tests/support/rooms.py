"""The rooms of the package, in the order that the contracts of import-linter give them, and whose a file is."""

from __future__ import annotations

import functools
import tomllib
from pathlib import Path, PurePosixPath
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
ROOM_OF_KERNELS = {
    "core": "device",
    "primitives": "primitives",
    "sort": "primitives",
    "strided": "primitives",
    "cost_model": "cost_model",
    "minplus": "minplus",
    "edges": "edges",
    "balance": "edges",
    "single_source": "algorithms.single_source",
    "contraction": "algorithms.contraction",
    "traversal": "algorithms.traversal",
    "assignment": "algorithms.structure",
    "centrality": "algorithms.structure",
    "components": "algorithms.structure",
    "flow": "algorithms.structure",
    "forests": "algorithms.structure",
    "matching": "algorithms.structure",
    "all_pairs": "algorithms.all_pairs",
}


def contracts() -> list[dict[str, Any]]:
    """Return the contracts in pyproject.toml."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return settings["tool"]["importlinter"]["contracts"]


def layers() -> list[list[str]]:
    """Return the rooms side by side in each layer, the highest first; those of the algorithms, too."""
    rooms, algorithms = ([layer.split(" | ") for layer in contract["layers"]] for contract in contracts()[:2])
    [index] = [number for number, layer in enumerate(rooms) if "algorithms" in layer]
    rooms[index : index + 1] = [[f"algorithms.{each}" for each in layer] for layer in algorithms]
    return rooms


@functools.cache
def floors() -> dict[str, float]:
    """Return the floor of each room; ``algorithms``, what all of its rooms have in common, is just below them."""
    found: dict[str, float] = {each: -number for number, layer in enumerate(layers()) for each in layer}
    return {**found, "algorithms": min(floor for room, floor in found.items() if room.startswith("algorithms.")) - 0.5}


def is_at_or_above(room: str, other: str) -> bool:
    """Whether a room is the same as another, or may import from it."""
    return room == other or floors()[room] > floors()[other]


def room_of(file: str) -> str | None:
    """Return the room of a module, a kernel or a test, by its path below the root; None if it belongs to none."""
    top, *inside = PurePosixPath(file).parts
    if not inside or top not in ("reedsp", "cl", "tests"):
        return None
    if top == "cl":
        return ROOM_OF_KERNELS.get(inside[0])
    inside = [part.removesuffix(".py").removeprefix("test_") for part in inside]
    for depth in (2, 1):
        if (room := ".".join(inside[:depth])) in floors():
            return room
    return None
