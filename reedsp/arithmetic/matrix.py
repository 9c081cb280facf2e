"""Dense matrices of path weights: their arithmetic on a device, and conversions from and to the types of users."""

from __future__ import annotations

import numbers
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.arithmetic.paths import Arithmetic, PathFacts
from reedsp.arithmetic.types import C_TYPES, convert, first_lost, infinity, literal, signed

_BITS_IN_FULL = 256  # of a number in a message; Python writes none of more than some thousand digits


@dataclass(frozen=True)
class Weights:
    """The arithmetic of a product on the device.

    Attributes
    ----------
    dtype : dtype
    no_path
        What stands for infinity.
    limit
        The largest finite result; larger ones are no path.
    non_negative : bool
        Whether none of the weights is negative.
    """

    dtype: np.dtype[Any]
    no_path: Any
    limit: Any
    non_negative: bool = False

    @property
    def lowest(self) -> Any:
        """The smallest finite weight, as a number of the type; integers stop there along a negative cycle."""
        if self.dtype.kind == "f":
            return np.finfo(self.dtype).min
        return self.dtype.type(0 if self.dtype.kind == "u" else -self.limit)

    @property
    def unbounded(self) -> Any:
        """What stands for the weight of paths that can pass a negative cycle."""
        if self.dtype.kind == "u":  # of which there are none
            return self.dtype.type(np.iinfo(self.dtype).max)
        return self.dtype.type(-np.inf if self.dtype.kind == "f" else -self.limit - 1)

    def macros(self, kind: str) -> dict[str, str | int]:
        """Return the macros of ``cl/minplus/common.cl``, with the minimum that a device of some kind is quickest at."""
        dtype = self.dtype
        name, order, minimum = C_TYPES[dtype], C_TYPES[dtype], "min"
        if dtype.kind == "f":
            if self.non_negative and not (kind == "gpu" and dtype.itemsize == 8):
                order = C_TYPES[signed(dtype.itemsize)]
            else:
                minimum = "fmin" if kind == "gpu" and dtype.itemsize == 4 else "smaller"
        lowest = -np.inf if dtype.kind == "f" else self.lowest
        return {
            **{"WEIGHT": name, "NO_PATH": literal(self.no_path, dtype), "LIMIT": literal(self.limit, dtype)},
            **{"LOWEST": literal(lowest, dtype), "ORDER": order, "MINIMUM": minimum},
        }


def _integers(dtype: npt.DTypeLike) -> Weights:
    """Return an arithmetic whose infinity can be doubled without overflow.

    Less any finite number it is still above the largest finite sum. Where no number is negative, any larger one is.
    """
    bits = 8 * np.dtype(dtype).itemsize
    if np.dtype(dtype).kind == "u":
        return Weights(np.dtype(dtype), (1 << bits - 1) - 1, (1 << bits - 1) - 2, non_negative=True)
    return Weights(np.dtype(dtype), (1 << bits - 2) - 1, (1 << bits - 3) - 1)


NARROW = _integers(np.uint16)
INTEGERS = (NARROW, _integers(np.int32), _integers(np.int64))
WIDEST = _integers(np.uint64)
"""What holds larger sums than any of these, for numbers of which none is negative."""


def integers_for(bound: int, non_negative: bool) -> Weights | None:
    """Return the narrowest integers in which no path weight exceeds the limit, or None if there are none.

    Parameters
    ----------
    bound : int
        No path weight that is wanted, or added up on the way to it, is of greater magnitude.
    non_negative : bool
    """
    fitting = (each for each in INTEGERS if bound <= each.limit and (non_negative or not each.non_negative))
    return next(fitting, None)


def matrix_weights(graph: PathFacts, arithmetic: Arithmetic) -> Weights | None:
    """Return the narrowest arithmetic in which no path weight rounds or overflows, or None if there is none.

    Floats round; if none is negative, those above all floats are infinite.

    Parameters
    ----------
    graph : Graph, or what is known of it
    arithmetic : Arithmetic
        That of sums along its edges.
    """
    if arithmetic.dtype.kind == "f":
        if graph.has_negative_weights and graph.simple_path_bound > float(np.finfo(arithmetic.dtype).max):
            return None
        return Weights(arithmetic.dtype, np.inf, np.inf, not graph.has_negative_weights)
    bound = max(graph.simple_path_bound, graph.max_abs_weight)
    return integers_for(int(bound) + (bound != int(bound)), not graph.has_negative_weights)


def weights_of(*matrices: npt.NDArray[Any], times: int = 1) -> Weights | None:
    """Return the narrowest exact arithmetic for the product of these matrices, or None if the device has none.

    A product of `times` copies of them.
    """
    dtype = np.result_type(*matrices)
    if dtype.kind == "f":
        return product_weights(dtype, [], any(np.signbit(each).any() for each in matrices))
    negative = any(each.dtype.kind == "i" and (each < 0).any() for each in matrices)
    return product_weights(dtype, map(largest, matrices), negative, times)


def product_weights(
    dtype: np.dtype[Any], largest_of_each: Iterable[int], has_signs: bool, times: int = 1
) -> Weights | None:
    """Return the same from what was seen in the matrices.

    Parameters
    ----------
    dtype : dtype
        Of the product.
    largest_of_each : iterable of int
        The largest absolute value of a finite entry of each matrix, if they are of integers.
    has_signs : bool
        Whether one has a negative entry, or -0.0, which is not less than 0.0 but whose bits are those of the smallest
        integer.
    times : int
        As for :func:`weights_of`.
    """
    if dtype.kind == "f":
        return Weights(dtype, np.inf, np.inf, not has_signs)
    return integers_for(times * sum(largest_of_each), not has_signs)


def check_kind(name: str, array: Any) -> None:
    """Check that an array is a matrix of int8 to int64, uint8 to uint64, or of floats of at most 64 bits.

    Raises
    ------
    TypeError, ValueError
        It is not.
    """
    if array.ndim != 2:
        raise ValueError(f"{name}: a matrix is expected, got shape {array.shape}")
    if array.dtype.kind not in "iuf":
        raise wrong_type(name, array, "integers or floats")
    if array.dtype.itemsize > 8:
        raise ValueError(f"{name}: {array.dtype} is wider than float64")


def wrong_type(name: str, array: Any, expected: str) -> TypeError:
    """Return the error that an array is of another type than expected; it names the first object that is no number."""
    if array.dtype == object:
        for index, each in np.ndenumerate(array):
            if not isinstance(each, numbers.Number):
                return TypeError(f"{name}[{', '.join(map(str, index))}] is {each!r}, expected a number")
    return TypeError(f"{name}: {expected} are expected, got {array.dtype}")


def check_entries(name: str, array: npt.NDArray[Any]) -> None:
    """Check that no entry is NaN or -inf.

    Raises
    ------
    ValueError
        One is; the message names the first.
    """
    if array.dtype.kind == "f":
        wrong = np.isnan(array) | (array == -np.inf)
        if wrong.any():
            raise wrong_entry(name, array, int(wrong.argmax()))


def wrong_entry(name: str, array: Any, index: int) -> ValueError:
    """Return the error that an entry, which is counted row by row, is NaN or -inf."""
    row, column = divmod(index, array.shape[1])
    return ValueError(f"{name}[{row}, {column}] is {array[row, column]}")


def largest(matrix: npt.NDArray[Any]) -> int:
    """Return the largest absolute value of a finite entry."""
    finite = matrix[matrix != infinity(matrix.dtype)]
    return max(abs(int(finite.min())), abs(int(finite.max()))) if finite.size else 0


def to_device(matrix: npt.NDArray[Any], shape: tuple[int, int], weights: Weights) -> npt.NDArray[Any]:
    """Return a row-major matrix of the device's type with the device's infinity, also where it is filled up."""
    result = np.full(shape, weights.no_path, weights.dtype)
    part = result[: matrix.shape[0], : matrix.shape[1]]
    part[:] = matrix
    if matrix.dtype.kind != "f":
        part[matrix == infinity(matrix.dtype)] = weights.no_path
    return result


def write_edges(values: npt.NDArray[Any], none: Any, first: int, weights: Weights, target: npt.NDArray[Any]) -> None:
    """Write weights of edges as path weights: zero on the diagonal, or the weight of a negative edge there.

    Parameters
    ----------
    values : ndarray, shape (rows, n)
        Weights, from row `first` of a matrix on.
    none
        What is no edge among them: infinity, or the largest integer.
    first : int
    weights : Weights
        Their type holds what is an edge.
    target : ndarray, shape (rows or more, n or more)
        Filled, and filled up with "no path".
    """
    count, n = values.shape
    part = target[:count, :n]
    with np.errstate(invalid="ignore"):
        np.copyto(part, values, casting="unsafe")
    np.copyto(part, weights.no_path, where=values == none)
    own = part[np.arange(count), first + np.arange(count)]
    part[np.arange(count), first + np.arange(count)] = np.minimum(own, weights.dtype.type(0))
    target[:count, n:] = weights.no_path
    target[count:] = weights.no_path


def to_user(values: npt.NDArray[Any], no_path: npt.NDArray[np.bool_], dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """Return finite integers and "no path" in the type of the result."""
    if (lost := first_lost(values, dtype, [no_path])) is not None:
        raise lost_entry(divmod(lost, values.shape[1]), values.flat[lost], dtype)
    result = np.where(no_path, 0, values).astype(dtype)
    result[no_path] = infinity(dtype)
    return result


def lost_entry(place: tuple[int, int], value: Any, dtype: np.dtype[Any]) -> OverflowError:
    """Return the error that the type of the result cannot hold an entry."""
    number = int(value)
    text = number if number.bit_length() <= _BITS_IN_FULL else f"a number of {number.bit_length():,} bits"
    return OverflowError(f"entry ({place[0]}, {place[1]}) of the product is {text}, which {dtype} cannot hold")


def write_distances(values: npt.NDArray[Any], first: int, weights: Weights, dist: npt.NDArray[Any]) -> None:
    """Write path weights in the type of a result, which may round only if it is float32.

    Parameters
    ----------
    values : ndarray, shape (rows, n)
        From row `first` of a matrix on.
    first : int
    weights : Weights
    dist : ndarray, shape (rows, n)
        Filled. No path is inf or the largest integer; unbounded paths are -inf or the smallest integer.

    Raises
    ------
    OverflowError, ValueError
        As :func:`convert`.
    """
    n = values.shape[1]
    convert(
        *(values, dist, weights.no_path, weights.unbounded),
        index_of=lambda number: f"{first + number // n}, {number % n}",
    )
