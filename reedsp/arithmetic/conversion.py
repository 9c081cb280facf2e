"""From the integers or floats that a device computes with to the type of a result, without a change of any value."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.arithmetic.types import infinity, minus_infinity
from reedsp.graph.graph import EXACT_IN_FLOAT64


def convert(
    values: npt.NDArray[Any],
    target: npt.NDArray[Any],
    no_path: Any,
    unbounded: Any | None,
    index_of: Callable[[int], str],
) -> None:
    """Write distances in the type of a result, which may round only if it is float32.

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
    ValueError
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
            raise ValueError(f"{entry} has no exact float64 value; ask for dtype='int64'")
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
