"""Whether a device sees what is in matrices of users, and converts them and products rightly: tried on small ones."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.arithmetic.matrix import Weights
from reedsp.arithmetic.types import first_lost, infinity
from reedsp.device.device import Device
from reedsp.device.job import Job
from reedsp.device.selfcheck import is_trusted
from reedsp.minplus.entries import Facts, can_read, convert, entries_of, look, write_results

_SHAPE, _FILLED_UP = (150, 301), (192, 320)  # entries of several work-groups, and no multiple of anything
_LARGEST = 100


def can_look(device: Device, dtype: np.dtype[Any], absent: tuple[str, ...] = ("infinity",)) -> bool:
    """Return whether a device sees what is there in matrices of a type; parameters as for :func:`.look`."""
    name = f"the look at matrices of {dtype}"
    return can_read(device, dtype) and is_trusted(device, name, sees_known_entries, str(dtype), absent)


def can_convert(
    device: Device,
    dtype: np.dtype[Any],
    weights: Weights,
    absent: tuple[str, ...] = ("infinity",),
    of_graph: bool = False,
) -> bool:
    """Return whether a device converts matrices of a type rightly; parameters as for :func:`.convert`."""
    name = f"the conversion of matrices of {dtype} to {weights.dtype}"
    arguments = (str(dtype), weights, absent, of_graph)
    return can_read(device, dtype) and is_trusted(device, name, converts_known_entries, *arguments)


def can_write(device: Device, weights: Weights, dtype: np.dtype[Any]) -> bool:
    """Return whether a device writes products in the type of a result rightly, as :func:`.write_results`."""
    name = f"the conversion of products from {weights.dtype} to {dtype}"
    return can_read(device, dtype) and is_trusted(device, name, writes_known_results, weights, str(dtype))


def sees_known_entries(device: Device, dtype: str, absent: tuple[str, ...]) -> bool:
    """Return whether the facts are those that numpy finds."""
    for matrix in _matrices(np.dtype(dtype), absent):
        job = Job(device)
        facts, expected = look(job, entries_of(job, matrix), absent), _facts_of(matrix, absent)
        job.return_borrowed()
        if facts.wrong != expected.wrong or (expected.wrong is None and facts != expected):
            return False
    return True


def converts_known_entries(
    device: Device, dtype: str, weights: Weights, absent: tuple[str, ...], of_graph: bool
) -> bool:
    """Return whether matrices are converted as numpy does it."""
    rng = np.random.default_rng(2012)
    given = _weights(np.dtype(dtype), absent, rng, signed=not weights.non_negative)
    if given.dtype.kind == "f" and weights.dtype.kind == "f":
        given += rng.integers(0, 8, given.shape).astype(given.dtype) / 8
    square = (given[:, :150], given[::-1, 1::2], given.T[:150])
    for matrix in square if of_graph else (*square, given):
        rows, columns = matrix.shape
        expected = np.full(_FILLED_UP, weights.no_path, weights.dtype)
        part = expected[:rows, :columns]
        np.copyto(part, matrix, where=~_is_absent(matrix, absent), casting="unsafe")
        if of_graph:
            diagonal = np.arange(rows)
            part[diagonal, diagonal] = np.minimum(part[diagonal, diagonal], weights.dtype.type(0))
        job = Job(device)
        found = job.download(
            convert(job, entries_of(job, matrix), weights, _FILLED_UP, absent, of_graph), expected.size, weights.dtype
        )
        job.return_borrowed()
        if not np.array_equal(found.reshape(_FILLED_UP), expected):
            return False
    return True


def writes_known_results(device: Device, weights: Weights, dtype: str) -> bool:
    """Return whether results are written as numpy does it, and the first is seen that the type does not hold."""
    result, (rows, columns) = np.dtype(dtype), _SHAPE
    rng = np.random.default_rng(2012)
    product = np.full(_FILLED_UP, 0 if weights.non_negative else -1, weights.dtype)  # which fills up and is not wanted
    product[:rows, :columns] = rng.integers(0 if result.kind == "u" else -9 * (not weights.non_negative), 99, _SHAPE)
    product[rng.random(_FILLED_UP) < 0.1] = weights.no_path
    held = _extremes(weights, result)
    for number, place in itertools.product(held, ((0, 0), (70, 101), (149, 300))):
        given = product.copy()
        given[place] = number
        given[149, 290:300] = number
        part = given[:rows, :columns]
        none = part == weights.no_path
        expected = np.where(none, 0, part).astype(result) + result.type(0)  # no negative zeros
        expected[none] = infinity(result)
        lost = first_lost(part, result, [none]) if result.kind != "f" else None
        job = Job(device)
        target = job.allocate(part.size, result)
        found = write_results(job, weights, job.upload(given), _FILLED_UP[1], target, _SHAPE, result)
        if found != lost or (lost is None and job.download(target, part.size, result).tobytes() != expected.tobytes()):
            return False
    return True


def _extremes(weights: Weights, dtype: np.dtype[Any]) -> list[Any]:
    """Return results that a type just holds, or just does not, and that the arithmetic has."""
    if dtype.kind == "f":
        return [-0.0, np.finfo(dtype).max, np.finfo(dtype).min, np.finfo(dtype).smallest_subnormal, -np.inf]
    limits, lowest = np.iinfo(dtype), int(weights.lowest)
    near = [limits.min - 1, limits.min, limits.max - 1, limits.max, limits.max + 1, lowest, int(weights.limit)]
    return [each for each in near if lowest <= each <= weights.limit]


def _matrices(dtype: np.dtype[Any], absent: tuple[str, ...]) -> Iterator[npt.NDArray[Any]]:
    """Return matrices in memory of several orders, each next one with another entry that matters."""
    plain = _weights(dtype, absent, np.random.default_rng(2012), signed=False)
    limits = np.finfo(dtype) if dtype.kind == "f" else np.iinfo(dtype)
    numbers = [limits.min, limits.max, 0]
    if dtype.kind == "f":
        numbers += [0.5, -0.0, np.nan, -np.inf, np.inf]
    else:
        numbers.append(limits.max - 1)
    for number in numbers:
        for place in ((0, 0), (70, 101), (149, 300)):
            matrix = plain.copy()
            matrix[place] = number
            yield matrix
            yield matrix[::-1, ::-2]
            yield matrix.T
            if number != number or number == -np.inf:
                matrix[140:, 7] = number  # others behind the first one
                yield matrix
    for each in range(8):  # entries that are taken at a time
        matrix = plain.copy()
        matrix[70 + each, 101 + each] = _LARGEST
        yield matrix
        yield matrix.T


def _weights(dtype: np.dtype[Any], absent: tuple[str, ...], rng: np.random.Generator, signed: bool) -> npt.NDArray[Any]:
    """Return integers, and here and there what is absent."""
    low = -_LARGEST if signed and dtype.kind != "u" else 1
    matrix = rng.integers(low, _LARGEST, _SHAPE).astype(dtype)
    for each in absent:
        if each != "nan" or dtype.kind == "f":
            value = {"infinity": infinity(dtype), "zero": 0, "nan": np.nan}[each]
            matrix[rng.random(_SHAPE) < 0.1] = value
    return matrix


def _is_absent(matrix: npt.NDArray[Any], absent: tuple[str, ...]) -> npt.NDArray[np.bool_]:
    result = np.zeros(matrix.shape, np.bool_)
    for each in absent:
        if each == "nan":
            result |= matrix != matrix
        else:
            result |= matrix == (infinity(matrix.dtype) if each == "infinity" else 0)
    return result


def _facts_of(matrix: npt.NDArray[Any], absent: tuple[str, ...]) -> Facts:
    weights = np.where(_is_absent(matrix, absent), matrix.dtype.type(0), matrix)
    wrong = np.isnan(weights) | (weights == -np.inf)
    low = min(0, weights.min().item())
    return Facts(
        wrong=int(wrong.argmax()) if wrong.any() else None,
        low=low,
        high=max(0, weights.max().item()),
        integral=bool((weights == np.rint(weights)).all()) if matrix.dtype.kind == "f" else True,
        has_signs=bool(np.signbit(weights).any()) if matrix.dtype.kind == "f" else low < 0,
    )
