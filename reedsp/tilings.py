"""How large the pieces of a min-plus product are that a device works on at a time, by families of devices.

The figures in ``experiments/results`` say what they are worth. What ``reedsp tune`` finds on a device takes precedence.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from reedsp.device import Device
from reedsp.path_matrix import Weights


@dataclass(frozen=True)
class Tiling:
    """One way to build a kernel for products of blocks.

    Attributes
    ----------
    file : str
        File in ``cl/``.
    macros : dict
        Its macros, without those of the weights.
    rows, inner, columns : int
        What a work-group does; where groups share local memory, the shape of a product has to be a multiple of these.
    group_size : int
        Work-items of a group.
    """

    file: str
    macros: dict[str, int]
    rows: int
    inner: int
    columns: int
    group_size: int = 1


def registers(rows: int, columns: int, depth: int, item_rows: int, item_columns: int) -> Tiling:
    """Return a tiling for work-groups that share tiles in local memory (``cl/minplus_registers.cl``)."""
    macros = {
        **{"TILE_ROWS": rows, "TILE_COLUMNS": columns, "DEPTH": depth},
        **{"ITEM_ROWS": item_rows, "ITEM_COLUMNS": item_columns},
    }
    group_size = rows // item_rows * (columns // item_columns)
    return Tiling("minplus_registers.cl", macros, rows, depth, columns, group_size)


def pairs(rows: int, columns: int, depth: int, item_rows: int, item_columns: int) -> Tiling:
    """Return a tiling for work-groups whose work-items own pairs of 16-bit weights (``cl/minplus_pairs.cl``)."""
    return replace(registers(rows, columns, depth, item_rows, item_columns), file="minplus_pairs.cl")


def panels(vector_length: int, vectors: int, item_rows: int, depth: int = 256, rows: int = 64) -> Tiling:
    """Return a tiling for work-items that work alone (``cl/minplus_panels.cl``)."""
    macros = {
        **{"VECTOR_LENGTH": vector_length, "VECTORS": vectors, "ITEM_ROWS": item_rows},
        **{"DEPTH": depth, "ROWS": rows},
    }
    return Tiling("minplus_panels.cl", macros, rows, 1, vector_length * vectors)


_INSTRUCTIONS_FOR_PAIRS = 9  # Hopper

# By the type of the weights, from the largest to the smallest; the smallest is 64 x 64.
_GPU = {
    "int32": [registers(128, 64, 8, 8, 8), registers(64, 64, 16, 8, 8)],
    "float32": [registers(128, 64, 16, 8, 8), registers(64, 64, 16, 8, 8)],
    "float32, none negative": [registers(128, 64, 16, 8, 8), registers(64, 64, 16, 8, 8)],
    "int64": [registers(64, 64, 16, 8, 4)],
    "float64": [registers(128, 64, 8, 8, 8), registers(64, 64, 8, 8, 8)],
    "uint16": [pairs(128, 128, 8, 8, 16), pairs(64, 64, 16, 8, 8)],
}
# By bytes of a vector register and of a weight: AVX2 has 16 registers, AVX-512 has 32 of twice the size.
_CPU = {
    (16, 2): panels(8, 2, 4),
    (16, 4): panels(4, 2, 4),
    (16, 8): panels(2, 2, 4),
    (32, 2): panels(16, 2, 6),
    (32, 4): panels(8, 2, 6),
    (32, 8): panels(4, 2, 6),
    (64, 2): panels(32 // 2, 4, 6),
    (64, 4): panels(16, 2, 8),
    (64, 8): panels(8, 2, 8),
}


def name_of(weights: Weights) -> str:
    """Return what the table calls an arithmetic, such as ``"float32, none negative"``."""
    return (
        f"{weights.dtype}, none negative" if weights.non_negative and weights.dtype.kind == "f" else f"{weights.dtype}"
    )


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
    if not in_groups:
        return [_CPU[_vector_bytes(device), weights.dtype.itemsize]]
    name = name_of(weights)
    found = _GPU[name if name in _GPU else str(weights.dtype)]
    if weights.dtype.itemsize == 2:
        ptx = int(device.nvidia_generation >= _INSTRUCTIONS_FOR_PAIRS)
        found = [replace(each, macros={**each.macros, "PTX": ptx}) for each in found]
    return found if works_in_groups(device) else found[-1:]


def vector_length(device: Device, weights: Weights) -> int:
    """Return how many weights a vector register of the device holds."""
    return _vector_bytes(device) // weights.dtype.itemsize


def _vector_bytes(device: Device) -> int:
    width: Any = 4 * device.handle.native_vector_width_float
    return min(64, max(16, int(width)))
