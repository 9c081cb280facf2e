"""Dense matrices of weights, which a graph keeps as they are until its edges are asked for one by one."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from reedsp.system.parts import in_parts

_BLOCK = 512  # rows and columns that are compared with those across the diagonal at a time
_NARROWED = 1 << 20  # bytes of a matrix, from which on it takes less time to use less memory
_NARROW = (np.dtype(np.int16), np.dtype(np.int32))
_SAMPLE = 8  # rows and columns

Absent = Callable[[slice, npt.NDArray[Any]], npt.NDArray[np.bool_] | None]
"""Says which entries of some rows of a matrix are no edge; see :class:`DenseWeights`."""


class Rows(NamedTuple):
    """Edges in compressed rows, targets ascending."""

    indptr: npt.NDArray[np.int64]
    indices: npt.NDArray[np.int32]
    weights: npt.NDArray[Any]


class UnusableMatrixError(Exception):
    """An integer weight is the number that would stand for "no edge"."""


class _TooNarrowError(Exception):
    """A weight is not among the numbers of a type."""


class DenseWeights:
    """The weights of edges between all pairs of vertices, in an array of our own, and what is known of them.

    One pass copies a matrix, some rows at a time, and looks at them while they are in a cache.

    Parameters
    ----------
    given : ndarray, shape (n, n)
        Numbers of at most 64 bits; it may be written to by another thread.
    absent : callable(rows, part)
        Returns which entries of some rows, ``part = given[rows]``, are no edge; None if all of them are one. Infinity
        is none in any case, nor is False in a boolean matrix.
    directed : bool
        False makes each edge usable in both directions, with the smaller of the two weights.
    name : str
        What to call the matrix in an error.
    dtype : dtype, optional
        Of the weights; by default as a graph has them.
    nan_is_absent : bool
        NaN is no edge, instead of an error.
    unit : bool
        Every edge weighs 1.

    Attributes
    ----------
    dtype : dtype
        Of the weights.
    values : ndarray, shape (n, n)
        Read-only; of that type, or of one with fewer bytes that holds all weights too. What is no edge is `none`.
    none
        Infinity, or the largest integer.
    m : int
        Number of edges.
    facts : dict
        ``max_abs_weight``, ``negative`` and ``integral`` of the weights.
    heaviest : ndarray of float64, shape (n,)
        Magnitude of the heaviest edge that leaves each vertex; 0 if there is none.

    Raises
    ------
    ValueError
        A weight is NaN, -inf or outside int64.
    UnusableMatrixError
        A weight is the number that stands for "no edge".
    """

    def __init__(
        self,
        given: npt.NDArray[Any],
        absent: Absent,
        *,
        directed: bool = True,
        name: str = "matrix",
        dtype: np.dtype[Any] | None = None,
        nan_is_absent: bool = False,
        unit: bool = False,
    ) -> None:
        n = len(given)
        self._given, self._absent, self._name = given, absent, name
        self._nan_is_absent, self._unit = nan_is_absent, unit
        self.dtype: np.dtype[Any] = weight_dtype(given.dtype) if dtype is None else dtype
        self.heaviest: npt.NDArray[np.float64] = np.empty(n)
        for stored in self._narrow_types():
            with contextlib.suppress(_TooNarrowError):
                self._copy(stored, directed)
                break
        else:
            self._copy(self.dtype, directed)
        for each in (self._flat, self.values):
            each.flags.writeable = False
        self.m: int = sum(self._counts)
        heaviest = max(abs(min(self._lows)), abs(max(self._highs))) if self.m else 0
        self.facts: dict[str, Any] = {
            "max_abs_weight": float(heaviest) if self.m and self.dtype.kind == "f" else heaviest,
            "negative": self.m > 0 and min(self._lows) < 0,
            "integral": not self._fractional,
        }
        del self._given, self._absent

    def rows(self) -> Rows:
        """Return the edges in compressed rows."""
        n, values = len(self.values), self.values
        indptr, targets = np.zeros(n + 1, np.int64), np.arange(n, dtype=np.int32)
        if self.m == n * n:
            indices = np.empty(n * n, np.int32)
            self._in_parts(lambda rows: np.copyto(indices.reshape(n, n)[rows], targets))
            weights = self._flat if values.dtype == self.dtype else np.empty(n * n, self.dtype)
            if weights is not self._flat:
                self._in_parts(lambda rows: np.copyto(weights.reshape(n, n)[rows], values[rows]))
            return Rows(np.arange(n + 1, dtype=np.int64) * n, indices, weights)

        def count(rows: slice) -> None:
            indptr[1:][rows] = (values[rows] != self.none).sum(axis=1, dtype=np.int32)

        self._in_parts(count)
        np.cumsum(indptr, out=indptr)
        indices, weights = np.empty(self.m, np.int32), np.empty(self.m, self.dtype)

        def write(rows: slice) -> None:
            part, edges = values[rows], slice(indptr[rows.start], indptr[rows.stop])
            present = part != self.none
            weights[edges] = part[present]
            indices[edges] = np.broadcast_to(targets, part.shape)[present]

        self._in_parts(write)
        return Rows(indptr, indices, weights)

    def _narrow_types(self) -> list[np.dtype[Any]]:
        """Return types that are narrower than that of the weights, and that hold those of a sample."""
        n, size = len(self._given), self.dtype.itemsize
        step = max(1, n // _SAMPLE)
        sample = self._given[::step, ::step]
        if self._unit or n * n * size < _NARROWED:
            return []
        sample = sample[np.isfinite(sample)]
        heaviest = np.abs(sample.astype(np.float64)).max(initial=0)
        if sample.dtype.kind == "f" and not np.array_equal(np.rint(sample), sample):
            return []
        return [each for each in _NARROW if each.itemsize < size and heaviest < np.iinfo(each).max]

    def _copy(self, stored: np.dtype[Any], directed: bool) -> None:
        """Copy the matrix, in some type, and look at it."""
        n = len(self._given)
        self.none: Any = stored.type(np.inf if stored.kind == "f" else np.iinfo(stored).max)
        self._flat: npt.NDArray[Any] = np.empty(n * n, stored)
        self.values: npt.NDArray[Any] = self._flat.reshape(n, n)
        self._lows: list[Any] = []
        self._highs: list[Any] = []
        self._counts: list[int] = []
        self._fractional: list[bool] = []
        if directed:
            self._in_parts(lambda rows: self._look(rows, self._take(rows)))
        else:
            self._in_parts(lambda rows: self._clear(rows, self._take(rows)))
            self._make_symmetric()
            self._in_parts(lambda rows: self._look(rows, self._find_absent(rows)))

    def _in_parts(self, work: Callable[[slice], None]) -> None:
        row_bytes = max(1, len(self.values) * self.dtype.itemsize)

        def work_on(first: int, last: int) -> None:
            work(slice(first, last))

        in_parts(work_on, len(self.values), row_bytes)

    def _take(self, rows: slice) -> npt.NDArray[np.bool_] | None:
        """Copy rows, with 0 where there is no edge; return where that is, if anywhere."""
        given, own = self._given[rows], self.values[rows]
        absent = self._absent(rows, given)
        if given.dtype.kind == "b":
            absent = ~given if absent is None else absent | ~given
        if own.dtype != self.dtype:
            return self._take_narrow(rows, absent)
        with np.errstate(over="ignore", invalid="ignore"):  # anything may stand where there is no edge
            np.add(given, 0, out=own, casting="unsafe")  # -0.0 + 0 is 0.0
        if absent is not None:
            np.copyto(own, 0, where=absent)
        if own.dtype.kind == "f":
            if not own.max() < np.inf or not own.min() > -np.inf:  # neither holds if one is NaN
                absent = self._with_infinity(rows, own, absent)
                np.copyto(own, 0, where=absent)
        elif given.dtype == np.uint64 and (own < 0).any():
            at = np.argwhere(own < 0)[0]
            raise ValueError(f"{self._position(rows, at)} = {given[tuple(at)]} is outside int64")
        elif given.dtype.itemsize >= own.itemsize and (own == self.none).any():
            raise UnusableMatrixError
        if self._unit:
            np.copyto(own, 1, where=True if absent is None else ~absent)
        return absent

    def _take_narrow(self, rows: slice, absent: npt.NDArray[np.bool_] | None) -> npt.NDArray[np.bool_] | None:
        """Do the same where the type has fewer bytes than that of the weights."""
        given, own = self._given[rows], self.values[rows]
        with np.errstate(invalid="ignore"):
            np.copyto(own, given, casting="unsafe")
        differs = own != given
        if absent is not None:
            differs &= ~absent
        if differs.any():
            if given.dtype.kind != "f":
                raise _TooNarrowError
            absent = self._with_infinity(rows, given, absent)
            if (differs & ~absent).any():
                raise _TooNarrowError
        if absent is not None:
            np.copyto(own, 0, where=absent)
        if own.max() == self.none:
            raise _TooNarrowError
        return absent

    def _with_infinity(
        self, rows: slice, part: npt.NDArray[Any], absent: npt.NDArray[np.bool_] | None
    ) -> npt.NDArray[np.bool_]:
        """Return where there is no edge in rows with numbers that are not finite."""
        wrong = np.isneginf(part) if self._nan_is_absent else np.isneginf(part) | np.isnan(part)
        if absent is not None:
            wrong &= ~absent
        if wrong.any():
            at = np.argwhere(wrong)[0]
            raise ValueError(f"{self._position(rows, at)} is {part[tuple(at)]}, expected a number greater than -inf")
        infinite: npt.NDArray[np.bool_] = ~np.isfinite(part)
        if absent is not None:
            infinite |= absent
        return infinite

    def _position(self, rows: slice, at: npt.NDArray[np.intp]) -> str:
        return f"{self._name}[{rows.start + at[0]}, {at[1]}]"

    def _look(self, rows: slice, absent: npt.NDArray[np.bool_] | None) -> None:
        """Note what rows hold, and mark what is no edge."""
        own = self.values[rows]
        low, high = own.min(axis=1), own.max(axis=1)
        np.maximum(-low.astype(np.float64), high, out=self.heaviest[rows])
        self._lows.append(low.min().item())
        self._highs.append(high.max().item())
        if own.dtype.kind == "f" and not self._fractional and not np.array_equal(np.rint(own), own):
            self._fractional.append(True)
        self._counts.append(own.size)
        self._clear(rows, absent)
        if absent is not None:
            self._counts.append(-int(np.count_nonzero(absent)))

    def _clear(self, rows: slice, absent: npt.NDArray[np.bool_] | None) -> None:
        if absent is not None:
            np.copyto(self.values[rows], self.none, where=absent)

    def _find_absent(self, rows: slice) -> npt.NDArray[np.bool_]:
        """Put 0 where there is no edge, and return where that is."""
        absent: npt.NDArray[np.bool_] = self.values[rows] == self.none
        np.copyto(self.values[rows], 0, where=absent)
        return absent

    def _make_symmetric(self) -> None:
        values, n = self.values, len(self.values)

        def compare(first: int, last: int) -> None:
            for begin in range(first * _BLOCK, min(last * _BLOCK, n), _BLOCK):
                for across in range(begin, n, _BLOCK):
                    one = values[begin : begin + _BLOCK, across : across + _BLOCK]
                    other = values[across : across + _BLOCK, begin : begin + _BLOCK].T
                    np.copyto(one, np.minimum(one, other))
                    np.copyto(other, one)

        in_parts(compare, -(-n // _BLOCK), _BLOCK * n * values.itemsize)


def weight_dtype(given: np.dtype[Any]) -> np.dtype[Any]:
    """Return the type in which a graph keeps weights that come in some type of real numbers."""
    if given.kind == "b":
        return np.dtype(np.int32)
    if given.kind in "iu":
        fits = given.itemsize < 4 or (given.itemsize == 4 and given.kind == "i")
        return np.dtype(np.int32 if fits else np.int64)
    return np.dtype(np.float32 if given.itemsize <= 4 else np.float64)
