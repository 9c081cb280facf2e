"""The types of numbers that kernels work on: their names in OpenCL C, and what stands for "no path" in each."""

from __future__ import annotations

from typing import Any

import numpy as np

C_TYPES: dict[np.dtype[Any], str] = {
    np.dtype(np.uint8): "uchar",
    np.dtype(np.int16): "short",
    np.dtype(np.uint16): "ushort",
    np.dtype(np.int32): "int",
    np.dtype(np.uint32): "uint",
    np.dtype(np.int64): "long",
    np.dtype(np.uint64): "ulong",
    np.dtype(np.float32): "float",
    np.dtype(np.float64): "double",
}
"""Their names in OpenCL C."""


def signed(item_size: int) -> np.dtype[Any]:
    """Return the signed integers of some bytes."""
    return np.dtype(f"i{item_size}")


def unsigned(item_size: int) -> np.dtype[Any]:
    """Return the unsigned integers of some bytes."""
    return np.dtype(f"u{item_size}")


def infinity(dtype: np.dtype[Any]) -> Any:
    """Return the value that is read as "no path": inf, or the largest integer."""
    return dtype.type(np.inf if dtype.kind == "f" else np.iinfo(dtype).max)


def minus_infinity(dtype: np.dtype[Any]) -> Any:
    """Return the value that users read as the weight of unbounded paths: -inf, or the smallest integer."""
    return dtype.type(-np.inf if dtype.kind == "f" else np.iinfo(dtype).min)


def literal(value: Any, dtype: np.dtype[Any]) -> str:
    """Return how OpenCL C writes an integer, or the infinity of a type of floats that has the sign of `value`."""
    if dtype.kind == "f":
        text = f"{'-' if value < 0 else ''}(({C_TYPES[dtype]})INFINITY)"
    else:
        text = f"{value}{'L' if dtype.itemsize == 8 else ''}"
    return text if value > 0 else f"({text})"


def weight_macros(dtype: np.dtype[Any], saturate: bool = False) -> dict[str, str | int]:
    """Return the macros of ``core/weights.cl`` for path weights of this dtype."""
    name = C_TYPES[dtype]
    largest = literal(np.inf, dtype) if dtype.kind == "f" else f"{name.upper()}_MAX"
    return {"WEIGHT": name, "INF": largest, "IS_INTEGER": int(dtype.kind == "i"), "SATURATE": int(saturate)}
