"""Matrices of users that a device looks at and converts: types, layouts, wrong entries, what is absent."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from reedsp.arithmetic.matrix import INTEGERS, Weights
from reedsp.device.device import Device
from reedsp.device.job import Job
from reedsp.minplus import entries, entries_check
from reedsp.minplus.entries import Facts, convert, entries_of, look

INTEGER_TYPES = [np.dtype(f"{kind}{size}") for kind in "iu" for size in (1, 2, 4, 8)]
FLOAT_TYPES = [np.dtype(np.float32), np.dtype(np.float64)]
FLOAT32 = Weights(np.dtype(np.float32), np.inf, np.inf)


@pytest.fixture(params=["as it is", "cpu", "gpu"])
def pretender(request: pytest.FixtureRequest, device: Device, monkeypatch: pytest.MonkeyPatch) -> Device:
    """The device, and one that pretends to be of each kind, with few entries for each of its work-groups."""
    if request.param != "as it is":
        monkeypatch.setattr(device, "kind", request.param)
        monkeypatch.setattr(entries, "_CPU_PIECE", 64)
        monkeypatch.setattr(entries, "_GPU_PIECE", 64)
        monkeypatch.setattr(entries, "_GPU_GROUP", 32)
    return device


def needs_doubles(device: Device, dtype: np.dtype[Any]) -> None:
    if dtype == np.float64 and not device.fp64:
        pytest.skip("the device has no doubles")


def facts_of(device: Device, matrix: np.ndarray, absent: tuple[str, ...] = ("infinity",)) -> Facts:
    job = Job(device)
    facts = look(job, entries_of(job, matrix), absent)
    job.return_borrowed()
    return facts


def converted(device: Device, matrix: np.ndarray, weights: Weights, shape: tuple[int, int], **more: Any) -> np.ndarray:
    job = Job(device)
    buffer = convert(job, entries_of(job, matrix), weights, shape, **more)
    job.return_borrowed()
    return job.download(buffer, shape[0] * shape[1], weights.dtype).reshape(shape)


def layouts(matrix: np.ndarray) -> Iterator[np.ndarray]:
    """The same entries in memory of many orders."""
    rows, columns = matrix.shape
    yield matrix
    yield np.asfortranarray(matrix)
    yield matrix[::-1].copy()[::-1]
    yield np.repeat(matrix, 2, axis=1)[:, ::2]
    yield np.repeat(matrix, 5, axis=0)[::5]
    yield np.ascontiguousarray(matrix[:, ::-1])[:, ::-1]
    yield np.pad(matrix, 3)[3 : 3 + rows, 3 : 3 + columns]
    yield matrix.astype(matrix.dtype.newbyteorder("S"))
    record = np.zeros(matrix.shape, np.dtype([("before", np.uint8), ("entry", matrix.dtype)]))
    record["entry"] = matrix
    yield record["entry"]  # neither aligned nor an integer of entries apart
    frozen = matrix.copy()
    frozen.flags.writeable = False
    yield frozen


@pytest.mark.deep
@pytest.mark.parametrize("dtype", [*INTEGER_TYPES, *FLOAT_TYPES], ids=str)
def test_extremes_of_every_type(dtype: np.dtype[Any], pretender: Device) -> None:
    needs_doubles(pretender, dtype)
    limits = np.finfo(dtype) if dtype.kind == "f" else np.iinfo(dtype)
    infinite = np.inf if dtype.kind == "f" else limits.max
    for shape in ((1, 1), (1, 200), (200, 1), (13, 37)):
        matrix = np.full(shape, infinite, dtype)
        assert facts_of(pretender, matrix) == Facts(None, 0, 0, True, False)
        matrix[-1, -1] = 7
        assert facts_of(pretender, matrix) == Facts(None, 0, 7, True, False)
        matrix[0, 0] = limits.min
        seen = facts_of(pretender, matrix)
        assert (seen.low, seen.has_signs) == (limits.min, dtype.kind != "u")
        matrix[0, 0] = limits.max
        if dtype.kind == "f":
            assert facts_of(pretender, matrix).high == limits.max
        else:
            assert facts_of(pretender, matrix).high == (0 if matrix.size == 1 else 7)
            assert facts_of(pretender, matrix, ("zero",)).high == limits.max
            matrix[0, 0] -= 1
            assert facts_of(pretender, matrix).high == limits.max - 1


@pytest.mark.deep("float32", "cpu")
@pytest.mark.parametrize("dtype", FLOAT_TYPES, ids=str)
def test_the_first_wrong_entry(dtype: np.dtype[Any], pretender: Device) -> None:
    needs_doubles(pretender, dtype)
    rng = np.random.default_rng(1)
    for number, shape in itertools.product((np.nan, -np.nan, -np.inf), ((11, 29), (1, 300), (300, 1), (9, 8))):
        matrix = rng.random(shape, dtype)
        for place in (0, 7, 8, 63, 64, matrix.size - 1):
            changed = matrix.copy()
            changed.flat[place] = number
            changed.flat[min(place + 65, matrix.size - 1)] = number
            for each in (changed, np.asfortranarray(changed), np.repeat(changed, 2, axis=1)[:, ::2]):
                assert facts_of(pretender, each).wrong == place
    assert facts_of(pretender, matrix).wrong is None


@pytest.mark.deep("cpu")
def test_every_entry_is_seen(pretender: Device) -> None:
    matrix = np.zeros((5, 21), np.int16)
    for place in range(matrix.size):
        matrix.flat[place] = place + 1
        for each in (matrix, np.asfortranarray(matrix), matrix[::-1, ::-1], np.repeat(matrix, 2, axis=1)[:, ::2]):
            assert facts_of(pretender, each).high == place + 1
        matrix.flat[place] = 0


@pytest.mark.deep
def test_what_is_absent(pretender: Device) -> None:
    matrix = np.array([[0.5, np.inf, 0, 3], [-0.0, np.nan, 4, 5]] * 9, np.float32)
    assert facts_of(pretender, matrix, ("infinity", "nan")) == Facts(None, 0, 5, False, True)
    assert facts_of(pretender, matrix, ("infinity", "nan", "zero")) == Facts(None, 0, 5, False, False)
    assert facts_of(pretender, matrix, ("infinity", "zero")).wrong == 5
    assert facts_of(pretender, matrix, ("zero", "nan")).high == np.inf
    whole = matrix[:, 1:]
    assert facts_of(pretender, whole, ("infinity", "nan")) == Facts(None, 0, 5, True, False)
    matrix[3, 3] = -np.inf
    assert facts_of(pretender, matrix, ("infinity", "zero", "nan")).wrong == 15
    found = converted(pretender, matrix[:2], FLOAT32, (3, 6), absent=("infinity", "zero", "nan"))
    inf = np.inf
    assert found.tolist() == [[0.5, inf, inf, 3, inf, inf], [inf, inf, 4, 5, inf, inf], [inf] * 6]
    marks = np.array([[0, 127], [5, 0]], np.int8)
    assert facts_of(pretender, marks, ("zero",)) == Facts(None, 0, 127, True, False)
    assert facts_of(pretender, marks) == Facts(None, 0, 5, True, False)


@pytest.mark.deep
@pytest.mark.parametrize("weights", [*INTEGERS, FLOAT32], ids=lambda each: str(each.dtype))
@pytest.mark.parametrize("dtype", [np.dtype(np.int8), np.dtype(np.uint64), np.dtype(np.float32)], ids=str)
def test_conversion_of_every_layout(dtype: np.dtype[Any], weights: Weights, pretender: Device) -> None:
    rng = np.random.default_rng(3)
    infinite = np.inf if dtype.kind == "f" else np.iinfo(dtype).max
    for rows, columns, shape in ((1, 1, (1, 1)), (17, 23, (32, 64)), (23, 70, (23, 70)), (70, 9, (128, 10))):
        matrix = rng.integers(0, 100, (rows, columns)).astype(dtype)
        matrix[rng.random(matrix.shape) < 0.3] = infinite
        expected = np.full(shape, weights.no_path, weights.dtype)
        for row, column in np.ndindex(rows, columns):
            if matrix[row, column] != infinite:
                expected[row, column] = int(matrix[row, column])
        for each in layouts(matrix):
            assert np.array_equal(converted(pretender, each, weights, shape), expected)


@pytest.mark.deep("cpu", "as it is")
def test_paths_from_vertices_to_themselves(pretender: Device) -> None:
    n = 70
    matrix = np.full((n, n), 9, np.int32)
    matrix[np.arange(n), np.arange(n)] = np.resize([-3, 0, 5, np.iinfo(np.int32).max], n)
    found = converted(pretender, matrix, INTEGERS[1], (128, 128), of_graph=True)
    assert found.diagonal().tolist() == [*np.resize([-3, 0, 0, 0], n), *[INTEGERS[1].no_path] * 58]
    found[np.arange(n), np.arange(n)] = 9
    assert (found[:n, :n] == 9).all()
    assert (found[n:] == INTEGERS[1].no_path).all()
    assert (found[:, n:] == INTEGERS[1].no_path).all()
    fractions = np.diag(np.array([0.5, -0.5, np.inf, 0], np.float32))
    assert converted(pretender, fractions, FLOAT32, (4, 4), of_graph=True).diagonal().tolist() == [0, -0.5, 0, 0]


def test_a_device_that_is_wrong_is_not_trusted(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    assert entries_check.sees_known_entries(device, "float32", ("infinity",))
    assert entries_check.converts_known_entries(device, "int16", INTEGERS[1], ("infinity",), False)
    assert entries_check.writes_known_results(device, INTEGERS[1], "int16")
    monkeypatch.setattr(entries_check, "write_results", lambda *arguments: None)
    monkeypatch.setattr(entries_check, "look", lambda *arguments: Facts(None, 0, 99, True, False))
    monkeypatch.setattr(entries_check, "convert", lambda job, *arguments: job.full(192 * 320, np.int32(7)))
    assert not entries_check.sees_known_entries(device, "float32", ("infinity",))
    assert not entries_check.converts_known_entries(device, "int16", INTEGERS[1], ("infinity",), False)
    assert not entries_check.writes_known_results(device, INTEGERS[1], "int16")
    assert not entries_check.can_look(device, np.dtype(np.float16))


@pytest.mark.deep("int16")
@pytest.mark.parametrize("dtype", ["float32", "int16"])
def test_a_device_that_takes_nan_for_a_weight_is_not_trusted(
    dtype: str, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Integers are none, so that they are seen as they are."""
    assert entries_check.sees_known_entries(device, dtype, ("zero", "nan"))
    monkeypatch.setattr(entries_check, "look", lambda job, entries, absent: look(job, entries, ("zero",)))
    assert entries_check.sees_known_entries(device, dtype, ("zero", "nan")) == (dtype == "int16")
