"""Edges are written, and facts seen, as numpy has them: in every type, with every fault in every place."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from reedsp.arithmetic.paths import Arithmetic
from reedsp.device.device import Device
from reedsp.device.job import Job
from reedsp.edges import matrix_graph, preparation
from reedsp.edges.matrix_graph import are_finite, canonical_rows, graph_over
from reedsp.edges.preparation import Facts, Preparation
from reedsp.edges.preparation_check import prepares_known_rows

INT32, FLOAT64 = np.dtype(np.int32), np.dtype(np.float64)
TYPES = [np.dtype(name) for name in ("int32", "int64", "float32", "float64")]
WHOLE = Arithmetic(INT32)
Rows = tuple[np.ndarray, np.ndarray, np.ndarray]


@pytest.fixture(autouse=True, params=["whole pieces", "small pieces"])
def _pieces(request: pytest.FixtureRequest, own_verdicts: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pieces of some entries, so that rows and groups of eight begin and end anywhere in them."""
    if request.param == "small pieces":
        monkeypatch.setattr(preparation, "_CPU_PIECE", 21)
        monkeypatch.setattr(preparation, "_GPU_GROUP", 32)
        monkeypatch.setattr(preparation, "_GPU_PIECE", 64)


def rows_of(n: int, degree: int, dtype: np.dtype[Any], index: type = np.int32, low: int = 0) -> Rows:
    """Rows of different lengths, some of them empty."""
    rng = np.random.default_rng(n)
    columns = [np.sort(rng.choice(n, rng.integers(0, min(n, degree) + 1), replace=False)) for _ in range(n)]
    indptr = np.cumsum([0, *map(len, columns)]).astype(index)
    return indptr, np.concatenate(columns).astype(index), rng.integers(low, 100, indptr[-1]).astype(dtype)


def look(device: Device, rows: Rows, arithmetic: Arithmetic = WHOLE, unit: bool = False) -> tuple[Any, ...]:
    job = Job(device)
    prepared = Preparation(job, *rows, arithmetic, unit=unit)
    buffers = prepared.edges()
    facts = buffers.facts
    assert facts == prepared.facts()
    total = prepared.sum_of_heaviest() if facts.canonical else 0
    prepared.close()
    edge = np.dtype([("target", np.int32), ("weight", arithmetic.dtype)], align=True)
    first_edge = job.download(buffers.first_edge, len(rows[0]), np.uint32)
    return first_edge, job.download(buffers.edges, len(rows[1]), edge), facts, total


@pytest.mark.deep
@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("dtype", TYPES, ids=str)
@pytest.mark.parametrize("to", [INT32, FLOAT64], ids=str)
@pytest.mark.parametrize("n", [1, 9, 70, 300])
def test_edges(n: int, to: np.dtype[Any], dtype: np.dtype[Any], index: type, device: Device) -> None:
    rows = rows_of(n, 12, dtype, index, low=-50)
    if len(rows[1]) == 0:
        rows = np.array([0, 1], index), np.array([0], index), np.array([7], dtype)
    first_edge, edges, facts, total = look(device, rows, Arithmetic(to))
    np.testing.assert_array_equal(first_edge, rows[0])
    np.testing.assert_array_equal(edges["target"], rows[1])
    np.testing.assert_array_equal(edges["weight"], rows[2])
    low, high, magnitudes = min(0, rows[2].min()), max(0, rows[2].max()), sum(map(abs, rows[2].tolist()))
    assert facts == Facts(True, True, low, high, magnitudes, np.diff(rows[0]).max())
    heaviest = [max(map(abs, rows[2][a:b].tolist()), default=0) for a, b in zip(rows[0], rows[0][1:], strict=False)]
    assert total == sum(heaviest)


@pytest.mark.deep
def test_every_edge_weighs_one(device: Device) -> None:
    rows = rows_of(40, 9, FLOAT64)
    assert (look(device, rows, unit=True)[1]["weight"] == 1).all()


@pytest.mark.deep("small pieces")
def test_a_zero_has_no_sign(device: Device) -> None:
    _, edges, facts, _ = look(device, (np.array([0, 1]), np.array([0]), np.array([-0.0])), Arithmetic(FLOAT64))
    assert not np.signbit(edges["weight"]).any()
    assert facts.low == 0


@pytest.mark.deep("int64", "small pieces")
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_the_smallest_integer_has_a_magnitude(dtype: type, device: Device) -> None:
    lowest = np.iinfo(dtype).min
    for place in (0, 9):
        weights = np.ones(20, dtype)
        weights[place] = lowest
        _, _, facts, total = look(device, (np.arange(21), np.arange(20), weights))
        assert (facts.low, facts.high, facts.total) == (lowest, 1, float(19 - int(lowest)))
        assert total == 19 - int(lowest)


@pytest.mark.deep("small pieces")
def test_heaviest_edges_are_rounded_up(device: Device) -> None:
    rows = np.array([0, 2, 3, 3]), np.array([0, 1, 2]), np.array([1.5, -2.25, 0.5])
    assert look(device, rows, Arithmetic(FLOAT64))[3] == 3 + 1


PLACES = (0, 1, 7, 8, 20, 21, 22, 63, 64, -9, -1)


@pytest.mark.deep
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_is_seen(value: float, dtype: type, place: int, device: Device) -> None:
    rows = rows_of(60, 12, np.dtype(dtype))
    rows[2][place] = value
    assert not look(device, rows)[2].canonical


@pytest.mark.deep
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(("dtype", "digits"), [(np.float32, 23), (np.float64, 52)])
def test_integers_as_large_as_they_may_be(dtype: type, digits: int, place: int, device: Device) -> None:
    """From 2^digits on there are only integers, of which those from twice that on are even."""
    for value, is_integer in [
        *((1 - 2.0**-digits, False), (2.0 ** (digits - 1) + 0.5, False), (2.0**digits - 0.5, False)),
        *((2.0**digits - 1, True), (2.0**digits, True), (2.0**digits + 1, True), (2.0 ** (digits + 1) - 1, True)),
        *((2.0 ** (digits + 2) + 4, True), (2.0**100, True)),
    ]:
        for sign in (1, -1):
            rows = rows_of(60, 12, np.dtype(dtype))
            rows[2][place] = sign * value
            assert rows[2][place] == sign * value
            facts = look(device, rows, Arithmetic(FLOAT64))[2] if value < 2.0**60 else facts_of(device, rows)
            assert (facts.canonical, facts.integral) == (True, is_integer)


def facts_of(device: Device, rows: Rows) -> Facts:
    prepared = Preparation(Job(device), *rows, Arithmetic(FLOAT64))
    facts = prepared.facts()
    prepared.close()
    return facts


@pytest.mark.deep("small pieces")
@pytest.mark.parametrize("place", PLACES)
def test_a_fraction_is_seen(place: int, device: Device) -> None:
    rows = rows_of(60, 12, FLOAT64)
    rows[2][place] += 2.0**-40
    facts = look(device, rows, Arithmetic(FLOAT64))[2]
    assert (facts.canonical, facts.integral) == (True, False)


@pytest.mark.deep("small pieces")
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("value", [-1, -(2**31), 60, 2**31 - 1])
def test_a_column_out_of_range_is_seen(value: int, place: int, device: Device) -> None:
    rows = rows_of(60, 12, FLOAT64)
    rows[1][place] = value
    assert not look(device, rows)[2].canonical


@pytest.mark.deep("small pieces")
@pytest.mark.parametrize("value", [2**32, 2**32 + 5, -(2**32)])
def test_a_wide_column_is_not_cut(value: int, device: Device) -> None:
    rows = rows_of(60, 12, FLOAT64, np.int64)
    rows[1][33] = value
    assert not look(device, rows)[2].canonical


@pytest.mark.deep("small pieces")
@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("swap", [False, True])
def test_columns_that_do_not_ascend_are_seen(swap: bool, index: type, device: Device) -> None:
    """Two of one row change places, or the second is the first again; wherever the row begins."""
    rows = rows_of(60, 12, FLOAT64, index)
    for row in np.flatnonzero(np.diff(rows[0]) > 1).tolist():
        columns = rows[1].copy()
        first = int(rows[0][row])
        columns[first + 1] = columns[first]
        if swap:
            columns[first] = rows[1][first + 1]
        assert not look(device, (rows[0], columns, rows[2]))[2].canonical, row


@pytest.mark.parametrize("row", [1, 5, 21, 59])
@pytest.mark.parametrize("value", [-1, 10**6, None])
def test_row_pointers_out_of_order_are_seen(value: int | None, row: int, device: Device) -> None:
    rows = rows_of(60, 12, FLOAT64)
    rows[0][row] = rows[0][row + 1] + 1 if value is None else value
    assert not look(device, rows)[2].canonical


def test_graphs_over_arrays(device: Device) -> None:
    rows = rows_of(60, 12, FLOAT64, np.int64)
    graph = graph_over(*rows, device)
    assert graph is not None
    assert graph.indices.dtype == np.int32
    for ours, theirs in zip((graph.indptr, graph.indices, graph.weights), rows, strict=True):
        np.testing.assert_array_equal(ours, theirs)
        assert not ours.flags.writeable
        assert theirs.flags.writeable
    assert (graph.max_abs_weight, graph.has_negative_weights, graph.has_integral_weights) == (99, False, True)


@pytest.mark.deep("rows9")
@pytest.mark.parametrize(
    "rows",
    [
        (np.array([0]), np.array([], np.int64), np.array([])),
        (np.array([0, 0]), np.array([], np.int64), np.array([])),
        (np.array([1, 1]), np.array([0]), np.array([1.0])),
        (np.array([0, 2]), np.array([0]), np.array([1.0])),
        (np.array([0, 1]), np.array([0]), np.array([1.0, 2.0])),
        (np.array([0, 1]), np.array([0]), np.array([1j])),
        (np.array([0, 1]), np.array([0]), np.array([[1.0]])),
        (np.array([0.0, 1.0]), np.array([0]), np.array([1.0])),
        (np.array([0, 1], np.uint32), np.array([0]), np.array([1.0])),
        (np.array([0, 1]), np.array([0]), np.array([2**53 + 1])),
        (np.array([0, 1, 2, 2]), np.array([1, 2]), np.array([2**51, 3 * 2**51 - 1])),  # and one edge more
    ],
)
def test_other_arrays_are_for_the_constructors(rows: Rows, device: Device) -> None:
    assert graph_over(*rows, device) is None


def test_paths_of_integers_that_float64_just_holds(device: Device) -> None:
    graph = graph_over(np.array([0, 1, 2, 2]), np.array([1, 2]), np.array([2**51, 3 * 2**50]), device)
    assert graph is not None
    assert graph.weights.dtype.kind == "i"


@pytest.mark.deep("small pieces", "bool", "uint8")
@pytest.mark.parametrize("dtype", ["bool", "uint8", "int16", ">f8", ">i4", "uint64", "float16"])
def test_every_type_of_weights(dtype: str, device: Device) -> None:
    indptr, indices, values = rows_of(60, 12, FLOAT64)
    graph = graph_over(indptr, indices, values.astype(dtype), device)
    assert graph is not None
    np.testing.assert_array_equal(graph.weights, values.astype(dtype).astype(np.float64))
    rows = canonical_rows(indptr, indices, values.astype(dtype), device)
    assert rows is not None
    rows.close()


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_weights_that_are_finite(bad: float, dtype: type) -> None:
    """Two infinities have no sum, and numbers can have one that is too large."""
    values = rows_of(60, 12, FLOAT64)[2].astype(dtype)
    assert are_finite(values)
    values[17] = bad
    assert not are_finite(values)
    values[3] = np.inf
    assert not are_finite(values)
    values[:] = np.finfo(dtype).max
    assert are_finite(values)


def test_columns_that_are_not_those_of_a_graph_on_a_gpu(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device, "kind", "gpu")
    indptr, indices, values = rows_of(60, 12, FLOAT64)
    for place, column in ((5, -1), (5, 60), (1, int(indices[0]))):
        wrong = indices.copy()
        wrong[place] = column
        assert canonical_rows(indptr, wrong, values, device) is None


def test_what_a_device_cannot_prepare_is_for_the_constructors(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is wrong, its memory is too small, or it has no doubles."""
    rows = rows_of(60, 12, FLOAT64)
    with monkeypatch.context() as patch:
        patch.setattr(matrix_graph, "can_prepare", lambda *_, **__: False)
        assert graph_over(*rows, device) is None
        assert canonical_rows(*rows, device) is None
    for ability, value in (("max_allocation", 16 * len(rows[1]) - 1), ("fp64", False)):
        with monkeypatch.context() as patch:
            patch.setattr(device, ability, value)
            assert graph_over(*rows, device) is None
            assert (canonical_rows(*rows, device) is None) == (ability == "max_allocation")
    assert canonical_rows(rows[0], rows[1][:-1], rows[2], device) is None


def test_a_device_that_adds_up_wrong_is_noticed(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = device, "int64", "int32", "int32", Arithmetic(np.dtype(np.int32)), False, True
    assert prepares_known_rows(*settings)
    sum_of_heaviest = Preparation.sum_of_heaviest
    with monkeypatch.context() as patch:
        patch.setattr(Preparation, "sum_of_heaviest", lambda self: sum_of_heaviest(self) + 1)
        assert not prepares_known_rows(*settings)


def test_a_device_that_sees_no_fault_is_noticed(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = device, "int64", "int32", "int32", Arithmetic(np.dtype(np.int32)), False, False
    assert prepares_known_rows(*settings)
    facts = Preparation.facts
    monkeypatch.setattr(Preparation, "facts", lambda self: dataclasses.replace(facts(self), canonical=True))
    assert not prepares_known_rows(*settings)
