"""The words of a text, found and read as numbers a block at a time, where their meaning is certain.

What is not, is left to who reads line by line.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from reedsp.graph.graph import EXACT_IN_FLOAT64
from reedsp.io.decimals import MOST_PLACES, nearest_floats

_MOST_BYTES = 2**24
"""Bytes that are split into words at a time, at most."""

_WORD_MEMORY = 112
"""Bytes that the arrays take for each word that is parsed at once."""

_MEMORY = 2**25
"""Bytes that they may take, beyond two for each byte."""

_AT_ONCE = 2**13
"""Fractions that are read at a time, each of which takes some 200 bytes meanwhile."""

_TRIED = 2**8
"""Those that are read first, which show whether others are worth it."""

MAX_DIGITS = 18
"""A number with so many digits fits into int64, whatever the digits are."""

INTEGER = re.compile(rb"[+-]?[0-9]+")
INFINITY = re.compile(rb"[+]?inf(inity)?", re.IGNORECASE)
NOT_ZERO = re.compile(rb"[^1-9eE]*[1-9]")
_NUMBERS = b"0123456789+-.eE"
_NO_NUMBER, _NOT_REAL = (
    bytes(set(range(256)) - set(characters)) for characters in (_NUMBERS, _NUMBERS + b"INFTYinfty")
)
_TENS = 10 ** np.arange(MAX_DIGITS + 1)

_Places = npt.NDArray[np.int64]


class Words(NamedTuple):
    """Where the words of a block are: ``data[starts[i]:ends[i]]``, with line breaks at ``breaks``.

    Line i reaches from ``breaks[i]`` to ``breaks[i + 1]``; the data begin and end with a line break.
    """

    data: npt.NDArray[np.uint8]
    starts: npt.NDArray[np.int64]
    ends: npt.NDArray[np.int64]
    breaks: npt.NDArray[np.int64]


def find_words(block: bytes) -> Words | None:
    """Split a block into words; None when they are many, or when it has unusual control characters."""
    if len(block) > _MOST_BYTES:
        return None
    padded = b"\n" + block + (b"" if block.endswith(b"\n") else b"\n")
    data = np.frombuffer(padded, np.uint8)
    gap = data <= ord(" ")
    if np.count_nonzero(gap) != sum(np.count_nonzero(data == space) for space in b" \t\r\n"):
        return None
    breaks = np.flatnonzero(data == ord("\n"))
    changes = gap[1:] != gap[:-1]
    if np.count_nonzero(changes) // 2 * _WORD_MEMORY > _MEMORY + 2 * len(block):
        return None
    borders = np.flatnonzero(changes) + 1
    return Words(data, borders[0::2], borders[1::2], breaks)


def words_in_columns(
    block: bytes, columns: int, tag: bytes
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64], npt.NDArray[np.int64]] | None:
    """Return a block, and where the words of each line begin and end, but for the tag that all lines begin with.

    None where a line has another number of words, or begins otherwise.
    """
    words = find_words(block)
    if words is None:
        return None
    data, starts, ends, breaks = words
    count = len(breaks) - 1
    if len(starts) != count * columns:
        return None
    starts, ends = starts.reshape(count, -1), ends.reshape(count, -1)
    if (starts[:, 0] < breaks[:-1]).any() or (ends[:, -1] > breaks[1:]).any():
        return None
    if tag:
        tags, lengths = data[starts[:, 0]], ends[:, 0] - starts[:, 0]
        if (tags != ord(tag)).any() or (lengths != 1).any():
            return None
        starts, ends = starts[:, 1:], ends[:, 1:]
    return data, starts, ends


def naturals(
    data: npt.NDArray[np.uint8], starts: npt.NDArray[np.int64], ends: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64] | None:
    """Read words that consist of digits only; None when one does not, or has too many digits for int64."""
    lengths = ends - starts
    if lengths.max(initial=0) > MAX_DIGITS or lengths.min(initial=1) < 1:
        return None
    return _digits(data, ends, lengths.astype(np.uint8))


def _digits(
    data: npt.NDArray[np.uint8], ends: npt.NDArray[np.int64], lengths: npt.NDArray[np.uint8]
) -> npt.NDArray[np.int64] | None:
    """Read digits, as many of each number as its length says, of which 0 means 0; None when one is none."""
    longest = int(lengths.max(initial=0))
    position = ends - longest  # before the first byte this wraps round, to where a byte counts as a zero, too
    values = np.zeros(len(ends), dtype=np.int64)
    for index in range(longest, 0, -1):
        digits = data.take(position) - np.uint8(ord("0"))
        digits *= lengths >= index  # what is before a shorter word counts as a zero
        if digits.max() > 9:
            return None
        values *= 10
        values += digits
        position += 1
    return values


def integers(
    data: npt.NDArray[np.uint8], starts: npt.NDArray[np.int64], ends: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64] | None:
    """Read words that consist of digits with or without a sign before them, else None."""
    first = data[starts]
    negative = first == ord("-")
    values = naturals(data, starts + (negative | (first == ord("+"))), ends)
    return values if values is None else np.where(negative, -values, values)


def numbers(
    data: npt.NDArray[np.uint8], starts: _Places, ends: _Places, real: bool = False
) -> npt.NDArray[np.int64] | npt.NDArray[np.float64] | None:
    """Read words as int64 if all are integers, else as float64.

    None when one is no number, or float64 might not hold it. Among `real` numbers one may be infinite, and integers
    are rounded where one is a fraction.
    """
    values = integers(data, starts, ends)
    if values is None:
        return _fractions(data, np.ascontiguousarray(starts), np.ascontiguousarray(ends), real)
    return values


def _fractions(
    data: npt.NDArray[np.uint8], starts: _Places, ends: _Places, real: bool
) -> npt.NDArray[np.float64] | None:
    """Read words as float64, as :func:`numbers`; None also where none of them is a fraction, unless they are real."""
    exponents = _first((data | 0x20) == ord("e"), starts, ends)
    points = _first(data == ord("."), starts, exponents)
    if not real and np.array_equal(points, ends):
        return None
    values, certain = np.zeros(len(starts)), np.zeros(len(starts), np.bool_)
    for begin, end in itertools.pairwise((0, *range(_TRIED, len(starts), _AT_ONCE), len(starts))):
        some = slice(begin, end)
        values[some], certain[some] = _decimals(data, *(each[some] for each in (starts, points, exponents, ends)))
        if np.count_nonzero(certain[some]) < (end - begin) / 2:  # as where all have exponents
            break
    rest = np.flatnonzero(~certain)
    if len(rest):
        content = data.tobytes()
        bounds = zip(starts[rest].tolist(), ends[rest].tolist(), strict=True)
        others = _one_by_one([content[start:end] for start, end in bounds], real)
        if others is None:
            return None
        values[rest] = others
    return values


def _first(marks: npt.NDArray[np.bool_], starts: _Places, ends: _Places) -> _Places:
    """Return where the first mark of each word is, or where the word ends if it has none."""
    places = np.append(np.flatnonzero(marks), len(marks))
    found: _Places = np.minimum(places[np.searchsorted(places, starts)], ends)
    return found


def _decimals(
    data: npt.NDArray[np.uint8], starts: _Places, points: _Places, exponents: _Places, ends: _Places
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    """Read decimals of few digits; return the values, and where they are certain to be right.

    Words are ``data[starts[i]:ends[i]]``, with a point and an exponent at these places, or at what follows if there is
    none.
    """
    first = data[starts]
    negative = first == ord("-")
    wholes = points - starts - (negative | (first == ord("+")))
    begins = np.minimum(points + 1, exponents)
    behind = exponents - begins
    for _ in range(MOST_PLACES - MAX_DIGITS):
        begins += data[begins] == ord("0")
    lengths = exponents - begins
    places = behind - _exponents(data, exponents, ends)
    certain = (wholes + behind > 0) & (np.maximum(wholes, lengths) <= MAX_DIGITS)
    certain &= (behind <= MOST_PLACES) & (places >= 0) & (places <= MOST_PLACES)
    whole = _digits(data, points, np.where(certain, wholes, 0).astype(np.uint8))
    fraction = _digits(data, exponents, np.where(certain, lengths, 0).astype(np.uint8))
    if whole is None or fraction is None:
        return np.zeros(len(starts)), np.zeros(len(starts), bool)
    behind = np.minimum(behind, MAX_DIGITS)
    certain &= whole < _TENS[MAX_DIGITS - behind]
    mantissas = np.where(certain, whole * _TENS[behind] + fraction, 0)
    values, nearest = nearest_floats(mantissas, np.where(certain, places, 0))
    return np.where(negative, -values, values), certain & nearest & (values < EXACT_IN_FLOAT64)


def _exponents(data: npt.NDArray[np.uint8], places: _Places, ends: _Places) -> _Places:
    """Return what follows the letters at these places, before the ends; far too much if it is no number."""
    values = np.zeros(len(ends), np.int64)
    rows = np.flatnonzero(places < ends)
    if len(rows):
        found = integers(data, places[rows] + 1, ends[rows])
        values[rows] = MOST_PLACES**2 if found is None else found
    return values


def _one_by_one(words: list[bytes], real: bool) -> npt.NDArray[np.float64] | None:
    """Read words as :func:`numbers`."""
    characters = b"".join(words)
    if len(characters.translate(None, _NOT_REAL if real else _NO_NUMBER)) < len(characters):
        return None
    try:
        values = np.array(list(map(float, words)))
    except ValueError:
        return None

    def chosen(where: npt.NDArray[np.bool_]) -> Iterator[bytes]:
        return itertools.compress(words, where.tolist()) if where.any() else iter(())

    if any(map(NOT_ZERO.match, chosen(values == 0))) or not all(map(INFINITY.fullmatch, chosen(np.isinf(values)))):
        return None
    if not real and any(map(INTEGER.fullmatch, chosen(np.abs(values) >= EXACT_IN_FLOAT64))):
        return None
    return values
