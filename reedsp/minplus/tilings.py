"""How large the pieces of a min-plus product are that a device works on at a time, by families of devices.

The figures in ``experiments/results`` say what they are worth. What ``reedsp tune`` (``reedsp/minplus/tune.py``) has
found on a device takes precedence. It changes how long a product takes, and nothing else.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from reedsp.arithmetic.matrix import INTEGERS, Weights
from reedsp.device.build import constants
from reedsp.device.device import Device
from reedsp.system.files.measured_file import MeasuredFile, UnusableError

FILES = MeasuredFile("tunings", "tilings", "reedsp tune")
"""Where what was found is kept."""


@dataclass(frozen=True)
class Tiling:
    """One way to build a kernel for products of blocks.

    Attributes
    ----------
    kernel : str
        Name of the function that makes such tilings: ``"registers"``, ``"pairs"`` or ``"panels"``.
    file : str
        File in ``cl/``.
    macros : dict
        Its macros, without those of the weights.
    rows, inner, columns : int
        What a work-group does; where groups share local memory, the shape of a product has to be a multiple of these.
    group_size : int
        Work-items of a group.
    """

    kernel: str
    file: str
    macros: dict[str, int] = field(hash=False)
    rows: int
    inner: int
    columns: int
    group_size: int = 1


def registers(rows: int, columns: int, depth: int, item_rows: int, item_columns: int) -> Tiling:
    """Return a tiling for work-groups that share tiles in local memory (``cl/minplus/registers.cl``)."""
    macros = {
        **{"TILE_ROWS": rows, "TILE_COLUMNS": columns, "DEPTH": depth},
        **{"ITEM_ROWS": item_rows, "ITEM_COLUMNS": item_columns, "PAIRS": 0},
    }
    group_size = rows // item_rows * (columns // item_columns)
    return Tiling("registers", "minplus/registers.cl", macros, rows, depth, columns, group_size)


def pairs(rows: int, columns: int, depth: int, item_rows: int, item_columns: int) -> Tiling:
    """Return a tiling for work-groups whose registers hold pairs of 16-bit weights (``cl/minplus/registers.cl``)."""
    tiling = registers(rows, columns, depth, item_rows, item_columns)
    return replace(tiling, kernel="pairs", macros={**tiling.macros, "PAIRS": 1})


def panels(vector_length: int, vectors: int, item_rows: int, depth: int = 256, rows: int = 64) -> Tiling:
    """Return a tiling for work-items that work alone (``cl/minplus/panels.cl``)."""
    macros = {
        **{"VECTOR_LENGTH": vector_length, "VECTORS": vectors, "ITEM_ROWS": item_rows},
        **{"DEPTH": depth, "ROWS": rows},
    }
    return Tiling("panels", "minplus/panels.cl", macros, rows, 1, vector_length * vectors)


_MAKERS: dict[str, Callable[..., Tiling]] = {"registers": registers, "pairs": pairs, "panels": panels}
_INSTRUCTIONS_FOR_PAIRS = 9  # Hopper

# By the type of the weights, from the largest to the smallest; the smallest is 64 x 64.
_GPU = {
    "int32": [registers(128, 64, 8, 8, 8), registers(64, 64, 16, 8, 8)],
    "float32": [registers(128, 64, 16, 8, 8), registers(64, 64, 16, 8, 8)],
    "float32, none negative": [registers(128, 64, 16, 8, 8), registers(64, 64, 16, 8, 8)],
    "int64": [registers(64, 64, 8, 8, 4)],
    "uint64": [registers(64, 64, 8, 8, 4)],
    "float64": [registers(128, 64, 8, 8, 8), registers(64, 64, 8, 8, 8)],
    "uint16": [pairs(128, 128, 8, 8, 16), pairs(64, 64, 16, 8, 8)],
}
# For products that would have too few work-groups with these: smaller tiles by more work-items.
_GPU_FEW = {
    "int32": registers(64, 32, 16, 4, 4),
    "float32": registers(64, 32, 16, 4, 4),
    "int64": registers(32, 32, 16, 4, 4),
    "uint64": registers(32, 32, 16, 4, 4),
    "float64": registers(32, 32, 16, 4, 4),
    "uint16": pairs(32, 64, 16, 4, 8),
}
# By bytes of a vector register and of a weight: AVX2 has 16 registers, AVX-512 has 32 of twice the size. Rows of a
# work-item are whole tiles: those of a tile that overlaps are computed twice.
_CPU = {
    (16, 2): panels(8, 2, 4),
    (16, 4): panels(4, 2, 4),
    (16, 8): panels(2, 2, 4),
    (32, 2): panels(16, 2, 6, 512, 48),
    (32, 4): panels(8, 2, 6, 512, 48),
    (32, 8): panels(4, 2, 6, rows=48),
    (64, 2): panels(16, 4, 6, rows=48),
    (64, 4): panels(16, 2, 8),
    (64, 8): panels(8, 2, 8),
}


def name_of(weights: Weights) -> str:
    """Return what the table calls an arithmetic, such as ``"float32, none negative"``."""
    return (
        f"{weights.dtype}, none negative" if weights.non_negative and weights.dtype.kind == "f" else f"{weights.dtype}"
    )


_FLOATS = tuple(Weights(np.dtype(dtype), np.inf, np.inf) for dtype in (np.float32, np.float64))

ARITHMETICS = {
    name_of(each): each
    for each in (*INTEGERS, *(w for each in _FLOATS for w in (each, replace(each, non_negative=True))))
}
"""Every arithmetic by its name."""


def works_in_groups(device: Device) -> bool:
    """Return whether work-groups that share local memory are what the device is quick at, and large enough on it."""
    return device.kind == "gpu" and device.max_work_group_size >= 256 and device.local_memory >= 32 << 10


def tilings_for(device: Device, weights: Weights, in_groups: bool) -> list[Tiling]:
    """Return the tilings to use on a device, the largest first.

    Parameters
    ----------
    device : Device
    weights : Weights
    in_groups : bool
        Those for work-groups; otherwise those for work-items that work alone, which every device can run.
    """
    found = tuned(device).get(name_of(weights), [])
    if found and in_groups == (found[0].kernel != "panels"):
        return [complete(each, device) for each in found]
    return tabled(device, weights, in_groups)


def tabled(device: Device, weights: Weights, in_groups: bool) -> list[Tiling]:
    """Return the tilings of the tables; parameters as for :func:`tilings_for`."""
    if not in_groups:
        return [_CPU[_vector_bytes(device), weights.dtype.itemsize]]
    name = name_of(weights)
    found = [complete(each, device) for each in _GPU[name if name in _GPU else str(weights.dtype)]]
    return found if works_in_groups(device) else found[-1:]


def tabled_for_few(device: Device, weights: Weights) -> Tiling:
    """Return the tiling for work-groups where products have too few of them with others."""
    return complete(_GPU_FEW[str(weights.dtype)], device)


def complete(tiling: Tiling, device: Device) -> Tiling:
    """Return a tiling with the macros that are no choice, but follow from the device."""
    if tiling.kernel != "pairs":
        return tiling
    ptx = int(device.nvidia_generation >= _INSTRUCTIONS_FOR_PAIRS)
    return replace(tiling, macros={**tiling.macros, "PTX": ptx})


def vector_length(device: Device, weights: Weights) -> int:
    """Return how many weights a vector register of the device holds, up to the 16 that OpenCL has vectors for."""
    return min(16, _vector_bytes(device) // weights.dtype.itemsize)


def _vector_bytes(device: Device) -> int:
    width: Any = 4 * device.handle.native_vector_width_float
    return min(64, max(16, int(width)))


# ---- what may be chosen -----------------------------------------------------------------------------

_TILE_SIDES = (64, 128)
_ENTRIES_BYTES = 512  # of a work-item's entries: 128 registers of a GPU
_VECTOR_REGISTERS = 32


def parameters_of(tiling: Tiling) -> dict[str, int]:
    """Return the parameters of the function that makes a tiling."""
    return {
        name.lower().removeprefix("tile_"): value
        for name, value in tiling.macros.items()
        if name not in ("PAIRS", "PTX")
    }


def describe(tiling: Tiling) -> str:
    """Return a tiling in few letters, such as ``"128x64x16 8x8"`` or ``"6x2x8 64x256"``."""
    macros = tiling.macros
    if tiling.kernel == "panels":
        return "{ITEM_ROWS}x{VECTORS}x{VECTOR_LENGTH} {ROWS}x{DEPTH}".format(**macros)
    return "{TILE_ROWS}x{TILE_COLUMNS}x{DEPTH} {ITEM_ROWS}x{ITEM_COLUMNS}".format(**macros)


def make(kernel: str, parameters: dict[str, int]) -> Tiling:
    """Return the tiling with these parameters; :func:`fits` says whether it can be used."""
    return _MAKERS[kernel](**parameters)


def fits(tiling: Tiling, device: Device, weights: Weights) -> bool:
    """Return whether a tiling keeps to what the kernels, their callers and the device ask for.

    The sides of matrices are multiples of 64, and products in place rely on tiles that are no smaller than that.
    """
    macros, item_size, is_narrow = tiling.macros, weights.dtype.itemsize, weights.dtype.itemsize == 2
    if tiling.kernel == "panels":
        return (
            macros["VECTOR_LENGTH"] in (2, 4, 8, 16)
            and macros["VECTORS"] in (1, 2, 4)
            and tiling.columns <= _TILE_SIDES[0]
            and macros["DEPTH"] in (64, 128, 256, 512, 1024)
            and macros["ROWS"] in (32, 48, 64, 96, 128)
            and 1 <= macros["ITEM_ROWS"] <= 12
            and macros["ITEM_ROWS"] * tiling.columns * item_size <= _VECTOR_REGISTERS * _vector_bytes(device)
        )
    if is_narrow != (tiling.kernel == "pairs"):
        return False
    rows, columns, depth = tiling.rows, tiling.columns, tiling.inner
    item_rows, item_columns = macros["ITEM_ROWS"], macros["ITEM_COLUMNS"]
    if rows not in _TILE_SIDES or columns not in _TILE_SIDES or depth not in (8, 16, 32, 64):
        return False
    if item_rows not in (4, 8, 16) or item_columns not in ((8, 16) if is_narrow else (4, 8, 16)):
        return False
    quad = constants("minplus/registers.cl")["QUAD"]
    at_once = 2 * quad if is_narrow else quad  # of b
    stored = (rows + quad) * max(item_size, 4) + columns * item_size  # a row of each tile in local memory
    return (
        item_rows * item_columns * item_size <= _ENTRIES_BYTES
        and rows * depth % (quad * tiling.group_size) == 0
        and depth * columns % (at_once * tiling.group_size) == 0
        and tiling.group_size <= device.max_work_group_size
        and 2 * depth * stored <= device.local_memory
    )


# ---- what is stored ---------------------------------------------------------------------------------

_tuned: weakref.WeakKeyDictionary[Device, dict[str, list[Tiling]]] = weakref.WeakKeyDictionary()


def tuned(device: Device) -> dict[str, list[Tiling]]:
    """Return the tilings that are stored for a device, by the name of the arithmetic; they are read once."""
    if (found := _tuned.get(device)) is None:
        found = _tuned[device] = _read(device)
    return found


def read_anew(device: Device) -> None:
    """Have the tilings that are stored for a device read again when they are next asked for."""
    _tuned.pop(device, None)


def tuning_file(device: Device) -> Path:
    """Return the file that holds the tilings for a device, which need not exist.

    Raises
    ------
    OSError
        There is no directory for it that only this user can change.
    """
    return FILES.path(device.identity)


def _read(device: Device) -> dict[str, list[Tiling]]:
    def parse(content: dict[str, Any]) -> dict[str, list[Tiling]]:
        return {name: _parsed_tilings(name, entries, device) for name, entries in content.items()}

    return FILES.read(device.identity, parse) or {}


def _parsed_tilings(name: str, entries: Any, device: Device) -> list[Tiling]:
    if name not in ARITHMETICS or not isinstance(entries, list):
        raise UnusableError("it is damaged")
    tilings = [_parsed_tiling(entry, device, ARITHMETICS[name]) for entry in entries]
    kernels = {tiling.kernel for tiling in tilings}
    areas = [tiling.rows * tiling.columns for tiling in tilings]
    if kernels == {"panels"}:
        right = len(tilings) == 1
    else:
        right = len(kernels) == 1 and areas == sorted(set(areas), reverse=True) and areas[-1] == _TILE_SIDES[0] ** 2
    if not right:
        raise UnusableError(f"its tilings for {name} cannot be used")
    return tilings


def _parsed_tiling(entry: Any, device: Device, weights: Weights) -> Tiling:
    if not isinstance(entry, dict) or not isinstance(kernel := entry.get("kernel"), str) or kernel not in _MAKERS:
        raise UnusableError("it is damaged")
    parameters = {parameter: value for parameter, value in entry.items() if parameter != "kernel"}
    example = registers(64, 64, 16, 8, 8) if kernel != "panels" else panels(8, 2, 4)
    if set(parameters) != set(parameters_of(example)) or any(type(value) is not int for value in parameters.values()):
        raise UnusableError("it is damaged")
    if not all(0 < value <= 1024 for value in parameters.values()) or parameters["item_rows"] > parameters["rows"]:
        raise UnusableError("its numbers are out of range")
    if parameters.get("item_columns", 1) > parameters.get("columns", 1):
        raise UnusableError("its numbers are out of range")
    tiling = make(kernel, parameters)
    if not fits(tiling, device, weights):
        raise UnusableError("one of its tilings does not fit the device")
    return tiling
