"""Sequences that stand for vertices, or for their names: what is one, and what is in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from typing import Any

import numpy as np
import numpy.typing as npt


def is_mapping(values: object) -> bool:
    """Whether there is more in it than its keys; the nodes of networkx are a set, too, and mean these alone."""
    return isinstance(values, Mapping) and not isinstance(values, Set)


def dimensions(values: object) -> int:
    """Return how many dimensions an array or a table has; anything else has one."""
    shape = getattr(values, "shape", None)
    return len(shape) if isinstance(shape, tuple) else 1


def refuse_other_than_several(vertices: Any, argument: str) -> None:
    """Raise TypeError or ValueError for what holds no vertices one after the other, or more than these."""
    if is_mapping(vertices) or isinstance(vertices, (set, frozenset)):  # which have no order
        raise TypeError(f"{argument}: expected a sequence of vertices, got a {type(vertices).__name__}")
    if (count := dimensions(vertices)) > 1:
        raise ValueError(f"{argument} has {count} dimensions, expected 1")
    if isinstance(vertices, (str, bytes)) or not isinstance(vertices, Iterable) or count == 0:
        raise TypeError(f"{argument}: expected several vertices, got {vertices!r}")


def entries_of(values: Iterable[Any]) -> list[Any]:
    """Return what is in there, with Python's objects in place of Arrow's, which do not equal them."""
    entries = list(values)
    if not any(hasattr(kind, "as_py") for kind in set(map(type, entries))):
        return entries
    return [each.as_py() if hasattr(each, "as_py") else each for each in entries]


def first_missing(values: object) -> int | None:
    """Return the first position of an array of pandas, Arrow or polars without a value, of which numpy makes NaN."""
    kind = type(values)
    if isinstance(values, np.ndarray) or not (hasattr(kind, "is_null") or hasattr(kind, "isna")):
        return None
    absent = _absent(values)
    return int(np.argmax(absent)) if absent is not None and absent.any() else None


def _absent(values: Any) -> npt.NDArray[np.bool_] | None:
    """Return which values are missing; None of an array whose type is numpy's, which holds one everywhere."""
    if hasattr(type(values), "is_null"):
        return np.asarray(values.is_null())
    has_values_only = isinstance(getattr(values, "dtype", None), np.dtype) or dimensions(values) != 1
    return None if has_values_only else np.asarray(values.isna())
