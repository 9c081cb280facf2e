"""The weights that a full matching is looked for in, and the integers that they are solved as."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.algorithms.structure.matching.biadjacency import Names, edges_between, side_of
from reedsp.graph.arguments import as_graph
from reedsp.graph.corrupt import refuse_corrupt
from reedsp.graph.graph import Graph, entries_of_dense, is_networkx, is_sparse, without_room
from reedsp.graph.indices import with_indices_alike

_MOST_INDEX = np.iinfo(np.int32).max
_LARGEST = 2**63 - 1
_SAMPLE = 1024  # weights
_STEPS, _STEPS_OF_PATHS = 512, 16
"""How many times the range of the weights, for each row, a price changes: by little more than the range in each of
eight bids for a row, of 26 auctions at most if there are any, and by twice the length of a path, which has each row
once."""


@dataclass(frozen=True, eq=False)
class Weights:
    """A matrix of weights in rows, whose columns come in any order and may occur several times.

    Attributes
    ----------
    indptr : ndarray of int32 or int64, shape (rows + 1,)
    indices : ndarray of int32 or int64, shape (m,)
    values : ndarray of int32, int64 or float64, shape (m,)
        Finite.
    columns : int
    """

    indptr: npt.NDArray[Any]
    indices: npt.NDArray[Any]
    values: npt.NDArray[Any]
    columns: int

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.indptr) - 1

    @property
    def m(self) -> int:
        """Number of weights."""
        return len(self.indices)

    @property
    def is_integral(self) -> bool:
        """Whether sums are integers."""
        return bool(self.values.dtype.kind == "i")

    def tails(self) -> npt.NDArray[np.int32]:
        """Return the row of each weight, shape (m,)."""
        return np.repeat(np.arange(self.rows, dtype=np.int32), np.diff(self.indptr))

    def transposed(self) -> tuple[Weights, npt.NDArray[np.intp]]:
        """Return the same weights with rows and columns exchanged, and where each of them was before."""
        order = np.argsort(self.indices, kind="stable")
        indptr = np.append(0, np.cumsum(np.bincount(self.indices, minlength=self.columns)))
        return Weights(indptr, self.tails()[order], self.values[order], self.rows), order


def weights_of(graph: Any, maximum: bool = False, rows: Any = None) -> tuple[Weights, Names, Names]:
    """Return the weights that are meant, and what rows and columns are called.

    Parameters
    ----------
    graph, maximum, rows
        As for :func:`reedsp.full_matching`.

    Raises
    ------
    TypeError, ValueError
        They are wrong; the message names the argument, and the position, the vertex or the edge.
    """
    if rows is not None or isinstance(graph, Graph) or is_networkx(graph):
        return _of_graph(as_graph(graph), rows)
    weights = _of_sparse(graph, maximum) if is_sparse(graph) else _of_dense(graph, maximum)
    return weights, Names(range(weights.rows)), Names(range(weights.columns))


def _of_graph(graph: Graph, rows: Any) -> tuple[Weights, Names, Names]:
    numbers, _ = _numbers(graph.weights, "graph.weights[{}]".format)
    if rows is None and graph.directed:
        return Weights(graph.indptr, graph.indices, numbers, graph.n), Names(graph.names), Names(graph.names)
    edges, tails, heads, sides = edges_between(graph, side_of(graph, rows))
    order = np.argsort(tails, kind="stable")
    indptr = np.searchsorted(tails[order], np.arange(len(sides[0]) + 1))
    weights = Weights(indptr, heads[order], numbers[edges[order]], len(sides[1]))
    return weights, Names(graph.names, sides[0]), Names(graph.names, sides[1])


def _of_dense(matrix: Any, maximum: bool) -> Weights:
    if not isinstance(matrix, (np.ndarray, list, tuple)):
        cure = "; numpy.asarray makes a matrix of it" if hasattr(matrix, "__array__") else ""
        raise TypeError(f"graph: expected a matrix or a graph, got {type(matrix).__name__}{cure}")
    given = entries_of_dense(matrix, "graph")
    _refuse_others(given.dtype)
    present = ~np.ma.getmaskarray(matrix) if np.ma.isMaskedArray(matrix) else given != 0
    tails, heads = np.nonzero(present)
    indptr = np.searchsorted(tails, np.arange(len(given) + 1))
    if given.dtype.kind == "b":
        given = given.view(np.uint8)  # False is a weight where it is not masked
    values, columns = given[tails, heads], given.shape[1]
    return _checked(indptr, heads.astype(np.int32), values, columns, maximum, _by_row_and_column(tails, heads))


def _of_sparse(matrix: Any, maximum: bool) -> Weights:
    if len(matrix.shape) != 2:
        raise ValueError(f"graph has {len(matrix.shape)} dimensions, expected 2")
    rows, columns = matrix.shape
    if max(rows, columns) > _MOST_INDEX:
        raise ValueError(f"graph has the shape {matrix.shape}, expected at most {_MOST_INDEX} rows and columns")
    _refuse_others(matrix.dtype)
    refuse_corrupt(matrix, "graph")
    if matrix.format == "csr":
        matrix, m = with_indices_alike(matrix), int(matrix.indptr[-1])
        indices, values = matrix.indices[:m], matrix.data[:m]
        return _checked(matrix.indptr, indices, values, columns, maximum, "graph.data[{}]".format)
    tails, heads, values = _entries(matrix)
    order = np.argsort(tails, kind="stable")
    tails, heads, values = tails[order], heads[order].astype(np.int32, copy=False), values[order]
    indptr = np.append(0, np.cumsum(np.bincount(tails, minlength=rows)))
    return _checked(indptr, heads, values, columns, maximum, _by_row_and_column(tails, heads))


def _entries(matrix: Any) -> tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]:
    """Return the row, the column and the value of each entry of a matrix that is not kept row by row."""
    if matrix.format == "csc":
        m, counts = int(matrix.indptr[-1]), np.diff(matrix.indptr)
        return matrix.indices[:m], np.repeat(np.arange(matrix.shape[1], dtype=np.int32), counts), matrix.data[:m]
    entries = without_room(matrix).tocoo()
    kept = entries.data != 0 if matrix.format == "bsr" else slice(None)  # but what fills blocks
    return entries.row[kept], entries.col[kept], entries.data[kept]


def _by_row_and_column(tails: npt.NDArray[Any], heads: npt.NDArray[Any]) -> Callable[[int], str]:
    """Return what names an entry of a matrix that is not kept row by row."""
    return lambda entry: f"graph[{tails[entry]}, {heads[entry]}]"


def _checked(
    indptr: npt.NDArray[Any],
    indices: npt.NDArray[Any],
    values: npt.NDArray[Any],
    columns: int,
    maximum: bool,
    named: Callable[[int], str],
) -> Weights:
    """Return weights without those that are infinitely bad, or False."""
    numbers, absent = _numbers(values, named, maximum)
    if absent is not None and absent.any():
        before = np.append(0, np.cumsum(~absent))
        indptr, indices, numbers = before[indptr], indices[~absent], numbers[~absent]
    return Weights(indptr, np.ascontiguousarray(indices), np.ascontiguousarray(numbers), columns)


def _refuse_others(dtype: np.dtype[Any]) -> None:
    if dtype.kind not in "biuf":
        raise TypeError(f"graph has dtype {dtype}, expected real numbers")


def _numbers(
    values: npt.NDArray[Any], named: Callable[[int], str], maximum: bool = False
) -> tuple[npt.NDArray[Any], npt.NDArray[np.bool_] | None]:
    """Return weights as int32, int64 or float64, and which of them are none; None for the latter if all are."""
    if values.dtype.kind == "f":
        with np.errstate(over="ignore"):  # which is told below
            numbers = values.astype(np.float64, copy=False)
        if np.isfinite(numbers).all() and (values.dtype.itemsize <= 8 or (numbers == values).all()):
            return numbers, None
        absent = np.isneginf(numbers) if maximum else np.isposinf(numbers)
        wrong = ~(absent | np.isfinite(numbers)) | (np.isfinite(values) & (numbers != values))
        if wrong.any():
            edge = int(np.argmax(wrong))
            expected = "a number that float64 holds" if np.isfinite(values[edge]) else "a finite number"
            raise ValueError(f"{named(edge)} is {values[edge]}, expected {expected}")
        return numbers, absent
    if values.dtype.kind == "u" and values.dtype.itemsize == 8 and len(values) and values.max() > _LARGEST:
        edge = int(np.argmax(values > _LARGEST))
        raise ValueError(f"{named(edge)} = {values[edge]} is outside int64")
    narrow = values.dtype == np.int32 or values.dtype.kind == "b" or values.dtype.itemsize < 4
    return values.astype(np.int32 if narrow else np.int64, copy=False), ~values if values.dtype.kind == "b" else None


def in_integers(weights: Weights) -> tuple[Weights, int]:
    """Return the weights as integers, and by which power of two they were multiplied, if int64 holds the prices.

    Fractions that do not fit remain as they are, with power 0.

    Raises
    ------
    OverflowError
        They are integers, whose prices int64 may not hold; or others, whose prices float64 may not.
    """
    values, m = weights.values, weights.m
    if m == 0:
        return replace(weights, values=values.astype(np.int64)), 0
    if weights.is_integral:
        if not _prices_fit(weights, _STEPS_OF_PATHS):
            raise OverflowError(
                f"the weights are from {values.min()} to {values.max()}, whose prices int64 may not hold for "
                f"{min(weights.rows, weights.columns)} edges"
            )
        return weights, 0
    # A few weights tell most often.
    for some in (values[:_SAMPLE], values):
        power = _power_of_fractions(some)
        if power >= 1024 or int(np.frexp(np.abs(some).max())[1]) + power > 62:  # or 2^62 is reached
            return _in_floats(weights), 0
    solved = replace(weights, values=np.ldexp(values, power).astype(np.int64))
    return (solved, power) if auctions_fit(solved) else (_in_floats(weights), 0)


def auctions_fit(weights: Weights) -> bool:
    """Return whether int64 holds the prices of integers after the auctions of a single work-item."""
    return _prices_fit(weights, _STEPS)


def _in_floats(weights: Weights) -> Weights:
    largest, matched = float(np.abs(weights.values).max()), min(weights.rows, weights.columns)
    if largest > np.finfo(np.float64).max / (4 * (matched + 1)):
        raise OverflowError(f"the weights reach {largest}, whose prices float64 may not hold for {matched} edges")
    return weights


def _prices_fit(weights: Weights, steps: int) -> bool:
    """Return whether int64 holds prices of so many steps for a row, and sums of two."""
    lowest, highest = int(weights.values.min()), int(weights.values.max())
    matched = min(weights.rows, weights.columns)
    return steps * (matched + 1) * (highest - lowest) < 2**62 and max(-lowest, highest) < 2**62


def _power_of_fractions(values: npt.NDArray[np.float64]) -> int:
    """Return the smallest power of two, at least 0, that makes integers of all of some numbers."""
    mantissa, exponent = np.frexp(values)
    integers = np.ldexp(mantissa, 53).astype(np.int64)
    lowest_bit = np.frexp((integers & -integers).astype(np.float64))[1] - 1
    return max(0, int((53 - lowest_bit - exponent)[integers != 0].max(initial=0)))
