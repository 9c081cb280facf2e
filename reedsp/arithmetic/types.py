"""The types of numbers that kernels work on: their names in OpenCL C, "no path" in each, and conversion for users."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.graph.graph import EXACT_IN_FLOAT64

C_TYPES: dict[np.dtype[Any], str] = {
    np.dtype(np.int8): "char",
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


class InexactError(ValueError):
    """A distance has no exact value in the type that was asked for."""


def signed(item_size: int) -> np.dtype[Any]:
    """Return the signed integers of some bytes."""
    return np.dtype(f"i{item_size}")


def unsigned(item_size: int) -> np.dtype[Any]:
    """Return the unsigned integers of some bytes."""
    return np.dtype(f"u{item_size}")


@functools.cache
def infinity(dtype: np.dtype[Any]) -> Any:
    """Return the value that is read as "no path": inf, or the largest integer."""
    return dtype.type(np.inf if dtype.kind == "f" else np.iinfo(dtype).max)


@functools.cache
def name_of(dtype: np.dtype[Any]) -> str:
    """Return numpy's name of a type, which numpy makes again each time."""
    return str(dtype)


def minus_infinity(dtype: np.dtype[Any]) -> Any:
    """Return the value that users read as the weight of unbounded paths: -inf, or the smallest integer."""
    return dtype.type(-np.inf if dtype.kind == "f" else np.iinfo(dtype).min)


def literal(value: Any, dtype: np.dtype[Any]) -> str:
    """Return how OpenCL C writes an integer, or the infinity of a type of floats that has the sign of `value`."""
    if dtype.kind == "f":
        text = f"{'-' if value < 0 else ''}(({C_TYPES[dtype]})INFINITY)"
    else:
        text = f"{value}{'U' if dtype == np.uint64 else ''}{'L' if dtype.itemsize == 8 else ''}"
    return text if value > 0 else f"({text})"


def weight_macros(dtype: np.dtype[Any], saturate: bool = False) -> dict[str, str | int]:
    """Return the macros of ``core/weights.cl`` for path weights of this dtype."""
    name = C_TYPES[dtype]
    largest = literal(np.inf, dtype) if dtype.kind == "f" else f"{name.upper()}_MAX"
    return {"WEIGHT": name, "INF": largest, "IS_INTEGER": int(dtype.kind == "i"), "SATURATE": int(saturate)}


def convert(
    values: npt.NDArray[Any],
    target: npt.NDArray[Any],
    no_path: Any,
    unbounded: Any | None,
    index_of: Callable[[int], str],
) -> None:
    """Write what a device computes with in the type of a result, which may round only if it is float32.

    Parameters
    ----------
    values : ndarray
    target : ndarray of the same shape
        Filled: "no path" is inf or the largest integer, unbounded paths are -inf or the smallest integer.
    no_path, unbounded
        What stands for these among integers; `unbounded` is None where no path is.
    index_of : callable(int)
        Returns the index, for a message, of a number of `values` that are counted row by row.

    Raises
    ------
    OverflowError
        A distance is outside the integer type.
    InexactError
        A distance has no exact float64 value.
    """
    dtype = target.dtype
    np.copyto(target, values, casting="unsafe")
    if values.dtype.kind == "f" or values.size == 0:
        return
    # where there are none, to look for the extremes takes less time than to mark them
    marked = [(values == no_path, infinity(dtype))] if values.max() == no_path else []
    if unbounded is not None and values.min() == unbounded:
        marked.append((values == unbounded, minus_infinity(dtype)))
    lost = first_lost(values, dtype, [where for where, _ in marked], reserve_minimum=unbounded is not None)
    if lost is not None:
        entry = f"dist[{index_of(lost)}] = {values.flat[lost]}"
        if dtype.kind == "f":
            raise InexactError(f"{entry} has no exact float64 value; ask for dtype='int64'")
        raise OverflowError(f"{entry} is outside {dtype}; ask for dtype='int64'")
    for where, meaning in marked:
        np.copyto(target, meaning, where=where)


def first_lost(
    values: npt.NDArray[Any],
    dtype: np.dtype[Any],
    marked: Sequence[npt.NDArray[np.bool_]] = (),
    reserve_minimum: bool = False,
) -> int | None:
    """Return which of some integers, counted row by row, is the first that a type cannot hold, or None.

    Parameters
    ----------
    values : ndarray of integers, or of Python's integers
    dtype : dtype
        Integers, of which the largest stands for "no path"; float64; or float32, which may round.
    marked : sequence of ndarray of bool
        Where no number counts.
    reserve_minimum : bool
        Whether the smallest integer of `dtype` has a meaning of its own.
    """
    if dtype.kind == "f":
        if dtype.itemsize < 8 or values.itemsize < 8:
            return None
        lost = np.abs(values) > EXACT_IN_FLOAT64
    elif np.can_cast(values.dtype, dtype):
        return None
    else:
        limits = np.iinfo(dtype)
        lost = (values < limits.min + reserve_minimum) | (values >= limits.max)
    for each in marked:
        lost &= ~each
    if dtype.kind == "f" and lost.any():
        large = values[lost]
        with np.errstate(invalid="ignore"):  # 2^63, which is beyond int64
            lost[lost] = large.astype(dtype).astype(large.dtype) != large
    return int(lost.argmax()) if lost.any() else None
