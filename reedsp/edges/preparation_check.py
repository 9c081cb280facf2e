"""Whether a device sees in the arrays of a matrix what is there: it is tried on small ones, each with a fault."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.arithmetic.paths import Arithmetic
from reedsp.device.device import Device
from reedsp.device.job import Job
from reedsp.device.selfcheck import is_trusted
from reedsp.edges.preparation import Facts, Preparation

_Rows = tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]
_ROWS, _DEGREE, _LARGEST = 40, 12, 100


def can_prepare(
    device: Device,
    dtypes: tuple[np.dtype[Any], ...],
    arithmetic: Arithmetic,
    *,
    unit: bool = False,
    writes: bool = True,
) -> bool:
    """Return whether a device prepares arrays of these types rightly: of row pointers, columns and weights.

    `unit` and `writes` are those of :class:`.Preparation` and of what is asked of it.
    """
    description = f"preparation of {dtypes[2]} for {arithmetic}"
    return is_trusted(device, description, prepares_known_rows, *map(str, dtypes), arithmetic, unit, writes)


def prepares_known_rows(
    device: Device, pointer: str, index: str, value: str, arithmetic: Arithmetic, unit: bool, writes: bool
) -> bool:
    """Return whether edges are written, and facts seen, as they are."""
    dtypes = [np.dtype(each) for each in (pointer, index, value)]
    for number, (rows, expected) in enumerate(_cases(dtypes)):
        job = Job(device)
        preparation = Preparation(job, *rows, arithmetic, unit=unit)
        buffers = preparation.edges() if writes else None
        facts = preparation.facts() if buffers is None else buffers.facts
        total = preparation.sum_of_heaviest() if facts.canonical and writes else None
        preparation.close()
        if facts != expected if expected.canonical else facts.canonical:
            return False
        if buffers is None or number > 0:
            continue
        edge = np.dtype([("target", np.int32), ("weight", arithmetic.dtype)], align=True)
        written = job.download(buffers.edges, len(rows[1]), edge)
        weights = 1 if unit else rows[2].astype(arithmetic.dtype)
        first_edge = job.download(buffers.first_edge, len(rows[0]), np.uint32)
        is_right = (written["target"] == rows[1]).all() and (written["weight"] == weights).all()
        heaviest = sum(int(rows[2][a:b].max(initial=0)) for a, b in zip(rows[0], rows[0][1:], strict=False))
        if not is_right or not (first_edge == rows[0]).all() or total != heaviest:
            return False
    return True


def _cases(dtypes: list[np.dtype[Any]]) -> Iterator[tuple[_Rows, Facts]]:
    """Return rows as they should be, and others."""
    rng = np.random.default_rng(2012)
    columns = [np.sort(rng.choice(_ROWS, rng.integers(0, _DEGREE), replace=False)) for _ in range(_ROWS)]
    right = (np.cumsum([0, *map(len, columns)]), np.concatenate(columns))
    rows = tuple(each.astype(dtype) for each, dtype in zip(right, dtypes[:2], strict=True))
    values = rng.integers(1, _LARGEST, len(rows[1])).astype(dtypes[2])
    longest = int(np.diff(rows[0]).max())
    total = float(values.sum())
    yield (rows[0], rows[1], values), Facts(True, True, 0, values.max().item(), total, longest)
    wrong = Facts(False, False, 0, 0, 0.0, 0)
    places = range(0, len(values), 7)
    for place in places:
        for column in (-1, _ROWS):
            yield (rows[0], _changed(rows[1], place, column), values), wrong
        below = _changed(values, place, -5)
        yield (rows[0], rows[1], below), Facts(True, True, -5, below.max().item(), float(abs(below).sum()), longest)
        if dtypes[2].kind == "f":
            for number in (np.nan, np.inf, -np.inf):
                yield (rows[0], rows[1], _changed(values, place, number)), wrong
            half = _changed(values, place, 0.5)
            yield (rows[0], rows[1], half), Facts(True, False, 0, half.max().item(), float(half.sum()), longest)
    for row in np.flatnonzero(np.diff(rows[0]) > 1)[::5].tolist():
        first = int(rows[0][row])
        yield (rows[0], _changed(rows[1], first + 1, rows[1][first]), values), wrong
        yield (_changed(rows[0], row + 1, -1), rows[1], values), wrong
        yield (_changed(rows[0], row + 1, len(values) + 1), rows[1], values), wrong


def _changed(array: npt.NDArray[Any], place: int, value: Any) -> npt.NDArray[Any]:
    copy = array.copy()
    copy[place] = value
    return copy
