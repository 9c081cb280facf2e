"""Which arithmetic computes path sums exactly, and what type the caller gets back."""

from __future__ import annotations

import math
import numbers
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
import numpy.typing as npt

from reedsp.arithmetic.types import convert, infinity, name_of, weight_macros
from reedsp.graph.graph import EXACT_IN_FLOAT64
from reedsp.system.parts import in_parts

ROUNDS_BEYOND = 33
"""How many more rounds than vertices a method may run before it looks for a negative cycle, the last sums included."""

RESULT_TYPES = tuple(np.dtype(kind) for kind in (np.int32, np.int64, np.float32, np.float64))
"""The types that distances can have."""

_INT32_MAX = 2**31 - 1
_INT64_MAX = 2**63 - 1


class PathFacts(Protocol):
    """What decides in which arithmetic path sums are exact: a graph, or what is known of one."""

    @property
    def n(self) -> int:
        """Number of vertices."""

    @property
    def weight_dtype(self) -> np.dtype[Any]:
        """Type of the weights."""

    @property
    def max_abs_weight(self) -> int | float:
        """Largest magnitude of a weight."""

    @property
    def simple_path_bound(self) -> float:
        """A number that the magnitude of no simple path's weight exceeds."""

    @property
    def rough_path_bound(self) -> float:
        """Such a number that may be larger, and takes less time to find."""

    @property
    def has_negative_weights(self) -> bool:
        """Whether some edge has a weight below zero."""

    @property
    def has_integral_weights(self) -> bool:
        """Whether every weight is an integer, whatever its dtype."""


@dataclass(frozen=True)
class Arithmetic:
    """The arithmetic in which a device adds and compares path weights.

    Attributes
    ----------
    dtype : numpy.dtype
        int32, int64, float32 or float64.
    saturate : bool
        Whether a path sum might leave the type. It then stops at the type's limit, a float at infinity, and the
        overflow is reported.
    """

    dtype: np.dtype[Any]
    saturate: bool = False

    def __str__(self) -> str:
        return f"{name_of(self.dtype)}{', saturating' if self.saturate else ''}"

    @property
    def infinity(self) -> Any:
        """The value that stands for "no path"."""
        return infinity(self.dtype)

    @property
    def macros(self) -> dict[str, str | int]:
        """The macros of ``cl/core/weights.cl``."""
        return weight_macros(self.dtype, self.saturate and self.dtype.kind == "i")

    def step(self, delta: float) -> Any:
        """Return a width in the arithmetic by which path weights can rise: neither zero nor beyond it."""
        if self.dtype.kind == "i":
            return self.infinity if delta >= self.infinity else self.dtype.type(max(1, delta))
        limits = np.finfo(self.dtype)
        return self.dtype.type(min(max(delta, float(limits.tiny)), float(limits.max)))


def result_dtype(dtype: npt.DTypeLike | None, graph: PathFacts, name: str = "dtype") -> np.dtype[Any]:
    """Return the dtype of the distances that the caller asked for, by an argument of a name; float64 by default.

    Raises
    ------
    ValueError
        It is none of int32, int64, float32 and float64, or an integer type for fractional weights.
    TypeError
        It is no dtype at all.
    """
    if dtype is None:
        return np.dtype(np.float64)
    try:
        chosen = np.dtype(dtype)
    except TypeError:
        raise TypeError(f"{name} = {dtype!r}, expected one of {', '.join(map(str, RESULT_TYPES))}") from None
    if chosen not in RESULT_TYPES:
        raise ValueError(f"{name} = {chosen}, expected one of {', '.join(map(str, RESULT_TYPES))}")
    if chosen.kind == "i" and not graph.has_integral_weights:
        raise ValueError(f"{name} = {chosen} cannot hold distances of a graph with fractional weights")
    return chosen


def output_array(out: npt.NDArray[Any], shape: tuple[int, ...], dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """Return the array that the caller gave for the distances.

    Raises
    ------
    ValueError, TypeError
        It cannot hold them.
    """
    if not isinstance(out, np.ndarray) or np.ma.isMaskedArray(out):
        raise TypeError(f"out: expected an array without a mask, got {type(out).__name__}")
    if isinstance(out, np.matrix):  # whose rows have two dimensions
        raise TypeError("out: expected an array, got a numpy.matrix; give numpy.asarray(out), which shares its memory")
    if out.shape != shape or out.dtype != dtype:
        raise ValueError(f"out has shape {out.shape} and dtype {out.dtype}, expected {shape} and {dtype}")
    if not out.flags.writeable:
        raise ValueError("out is read-only")
    if not out.flags.forc and _has_shared_elements(out):
        raise ValueError("out: some of its elements share memory")
    return out


def _has_shared_elements(array: npt.NDArray[Any]) -> bool:
    """Return whether elements of an array share memory, or lie between others as in no array that was cut or turned."""
    end = array.itemsize
    for stride, length in sorted(zip(map(abs, array.strides), array.shape, strict=True)):
        if length > 1 and stride < end:
            return array.size > 0
        end += stride * (length - 1)
    return False


def bounds_matter(n: int, heaviest: float) -> bool:
    """Return whether a path of as many edges as there are vertices, all of them the heaviest, may be beyond int32."""
    return not n * heaviest < _INT32_MAX


def has_exact_sums(graph: PathFacts) -> bool:
    """Return whether float64 holds the weight of each simple path, of integers, and of what is tried beyond it."""
    heaviest = graph.max_abs_weight
    return graph.n * heaviest <= EXACT_IN_FLOAT64 or graph.simple_path_bound + heaviest <= EXACT_IN_FLOAT64


def choose_arithmetic(graph: PathFacts, result: np.dtype[Any]) -> Arithmetic:
    """Return the narrowest arithmetic in which no path sum of this graph rounds or overflows.

    Integer weights are added as int32 or int64, also when they are stored as floats, as long as float64 would give the
    same or the caller asked for integers. The minimum weight of a walk of at most k edges is that of a simple path as
    long as there is no negative cycle, so a bound on simple paths, and one edge more for the sums that are tried,
    holds for every sum. Along a negative cycle sums fall further, until the cycle is found: if they could leave the
    type, they saturate, and so they do where int64 itself is too narrow. Other weights are added in float64, or in
    float32 if the caller asked for that; rounding can double a sum, since each step adds at most its weight again.

    Raises
    ------
    OverflowError
        A weight is outside the type that the caller asked for, or outside int64 if that is an integer type.
    """
    heaviest = graph.max_abs_weight
    widest, largest = ("int64", _INT64_MAX) if result.kind == "i" else (result, float(np.finfo(result).max))
    if graph.weight_dtype.kind == "f" and heaviest > largest:
        raise OverflowError(f"dtype = {result}: a weight of magnitude {heaviest} is beyond {widest}")
    bound = graph.n * heaviest  # a simple path has fewer edges, and one more is tried
    if bounds_matter(graph.n, heaviest):
        bound = graph.rough_path_bound + heaviest
        if bound >= _INT32_MAX:
            bound = graph.simple_path_bound + heaviest
    integers = "i" in (graph.weight_dtype.kind, result.kind) or bound <= EXACT_IN_FLOAT64
    if graph.has_integral_weights and integers:
        falling = (graph.n + ROUNDS_BEYOND) * heaviest if graph.has_negative_weights else 0
        narrow = bound < _INT32_MAX
        limit = _INT32_MAX if narrow else _INT64_MAX
        return Arithmetic(np.dtype(np.int32 if narrow else np.int64), saturate=max(bound, falling) >= limit)
    floats = np.dtype(np.float32) if result == np.float32 else np.dtype(np.float64)
    most = float(np.finfo(floats).max)
    return Arithmetic(floats, saturate=2 * bound > most and 2 * graph.simple_path_bound > most)


def ceiling_of(cutoff: float | np.integer[Any] | None, arithmetic: Arithmetic) -> Any:
    """Return the smallest value of the arithmetic that is greater than `cutoff`.

    Raises
    ------
    TypeError
        The cutoff is not a number.
    ValueError
        It is negative or NaN.
    """
    if cutoff is None:
        return arithmetic.infinity
    if isinstance(cutoff, bool) or not isinstance(cutoff, numbers.Real):
        raise TypeError(f"cutoff: expected a number, got {cutoff!r}")
    if not cutoff >= 0:
        raise ValueError(f"cutoff = {cutoff}, expected a number of at least 0")
    cutoff = _number(cutoff)
    dtype = arithmetic.dtype
    try:
        unlimited = math.isinf(cutoff)
    except OverflowError:  # an int beyond every float
        unlimited = True
    if unlimited:
        return arithmetic.infinity
    if dtype.kind == "i":
        return dtype.type(min(math.floor(cutoff) + 1, int(arithmetic.infinity)))
    with np.errstate(over="ignore"):
        nearest = dtype.type(cutoff)
        return nearest if float(nearest) > cutoff else np.nextafter(nearest, arithmetic.infinity)


def excludes_overflow(cutoff: float | np.integer[Any] | None, arithmetic: Arithmetic) -> bool:
    """Return whether every distance that the arithmetic cannot hold is greater than `cutoff`."""
    if cutoff is None:
        return False
    if arithmetic.dtype.kind == "i":
        return bool(_number(cutoff) < int(arithmetic.infinity))
    return bool(_number(cutoff) <= float(np.finfo(arithmetic.dtype).max))


def _number(cutoff: Any) -> Any:
    """Return a number as Python's: numpy compares its integers with floats as floats, and its short floats as such."""
    if isinstance(cutoff, numbers.Integral):
        return int(cutoff)
    return float(cutoff) if isinstance(cutoff, (np.float16, np.float32)) else cutoff


def exact_type(graph: PathFacts) -> Literal["int64"] | None:
    """Return the type of distances: int64 where float64 may not hold them exactly, otherwise None, the usual one."""
    largest = graph.simple_path_bound if graph.has_integral_weights else 0
    in_integers = largest <= _INT64_MAX or graph.weight_dtype.kind == "i"
    return "int64" if largest > EXACT_IN_FLOAT64 and in_integers else None


def bound_of(cutoff: float | np.integer[Any] | None, arithmetic: Arithmetic) -> int | float | None:
    """Return the largest value of the arithmetic that is not greater than `cutoff`; None if no distance is greater."""
    ceiling = ceiling_of(cutoff, arithmetic)
    if ceiling == arithmetic.infinity:
        return None
    return int(ceiling) - 1 if arithmetic.dtype.kind == "i" else float(np.nextafter(ceiling, -arithmetic.infinity))


def to_result(
    dist: npt.NDArray[Any],
    arithmetic: Arithmetic,
    result: np.dtype[Any],
    rows: npt.NDArray[np.intp] | None = None,
    columns: npt.NDArray[np.intp] | None = None,
    unbounded: Any | None = None,
) -> npt.NDArray[Any]:
    """Convert distances from the device's arithmetic to the caller's type without changing a value.

    Unreachable vertices become inf, or the largest integer of an integer type. Only a float32 result that the
    caller asked for may round. Where these are some `rows` of a matrix, and some `columns` of these, errors name their
    positions in it. `unbounded` is as for :func:`.types.convert`: with it no distance is the smallest integer.

    Raises
    ------
    OverflowError
        A distance is outside the integer type asked for.
    ValueError
        A distance has no exact float64 value.
    """
    values, converted = dist.reshape(-1), np.empty(dist.shape, result)
    flat, n = converted.reshape(-1), dist.shape[-1]

    def index_of(number: int) -> str:
        row, column = divmod(number, n)
        if columns is not None:
            column = columns[column]
        if rows is not None:
            return f"{rows[row]}, {column}"
        return f"{row}, {column}" if dist.size > n else str(column)

    def part(first: int, last: int) -> None:
        convert(
            *(values[first:last], flat[first:last], arithmetic.infinity, unbounded),
            lambda number: index_of(first + number),
        )

    in_parts(part, values.size, values.itemsize)
    return converted


def from_result(dist: npt.NDArray[Any], arithmetic: Arithmetic) -> npt.NDArray[Any]:
    """Convert distances of any result type back to the device's arithmetic; the inverse of :func:`to_result`."""
    unreachable = dist == infinity(dist.dtype)
    converted = np.where(unreachable, dist.dtype.type(0), dist).astype(arithmetic.dtype)
    converted[unreachable] = arithmetic.infinity
    return converted
