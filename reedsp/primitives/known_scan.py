"""Arrays with known scans, which the kernels that scan are tried on before they are trusted."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

_JOINS: dict[str, Any] = {"add": np.add, "min": np.minimum, "max": np.maximum}
_SMALL = 1000  # sums of some ten thousand such numbers are exact in float32
_SELDOM = 0.005  # elements that begin a segment
_OFTEN = 0.1  # elements that are infinite, where that hides nothing
_LONG = 3  # a part of the array, one in so many, without a beginning: longer than any tile


class KnownScan(NamedTuple):
    """An array, where its segments begin, and all joins within them, of the elements up to each, and before it."""

    x: npt.NDArray[Any]
    heads: npt.NDArray[np.uint8]
    inclusive: npt.NDArray[Any]
    exclusive: npt.NDArray[Any]


def known_scan(dtype: np.dtype[Any], op: str, identity: Any, segmented: bool, n: int) -> KnownScan:
    """Return an array of some type, and its scan by numpy.

    It has negative numbers if the type has, numbers whose sums wrap around if these may, and floats that are infinite:
    where those stay infinite to the end of a segment, at its end.

    Parameters
    ----------
    dtype : dtype
    op : {"add", "min", "max"}
    identity
        What the scan without the element itself begins with.
    segmented : bool
        Whether there are segments, or the whole array is one.
    n : int
    """
    rng = np.random.default_rng(2012)
    heads = (rng.random(n) < (_SELDOM if segmented else 0)).astype(np.uint8)
    heads[n // _LONG : 2 * n // _LONG] = 0
    starts = np.flatnonzero(np.r_[True, heads[1:]])
    x = _numbers(rng, dtype, op, n)
    if dtype.kind == "f":
        x[np.append(starts[1:], n) - 1] = -np.inf if op == "min" else np.inf
    inclusive = np.concatenate([_JOINS[op].accumulate(part, dtype=dtype) for part in np.split(x, starts[1:])])
    exclusive = np.roll(inclusive, 1)
    exclusive[starts] = identity
    return KnownScan(x, heads, inclusive, exclusive)


def _numbers(rng: np.random.Generator, dtype: np.dtype[Any], op: str, n: int) -> npt.NDArray[Any]:
    """Return numbers whose least, or greatest, so far changes now and then."""
    if op == "add" and dtype.kind == "u":
        return rng.integers(0, np.iinfo(dtype).max, n, dtype)
    x = rng.integers(-_SMALL, _SMALL, n) if dtype.kind != "u" else rng.integers(0, _SMALL, n)
    if op != "add":
        x += np.arange(n)[:: 1 if op == "max" else -1]
    x = x.astype(dtype)
    if op != "add" and dtype.kind == "f":
        x = x / dtype.type(2)
        x[rng.random(n) < _OFTEN] = np.inf if op == "min" else -np.inf
    return x
