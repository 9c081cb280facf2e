"""The types of numbers: their names, what stands for no path in each, and which numbers each can hold."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from reedsp.arithmetic.types import (
    C_TYPES,
    convert,
    first_lost,
    infinity,
    literal,
    minus_infinity,
    name_of,
    signed,
    unsigned,
    weight_macros,
)

INT32, INT64, UINT64, FLOAT32, FLOAT64 = (
    np.dtype(each) for each in (np.int32, np.int64, np.uint64, np.float32, np.float64)
)


def test_names() -> None:
    assert [C_TYPES[np.dtype(each)] for each in ("i1", "u2", "i4", "u8", "f4", "f8")] == [
        *("char", "ushort", "int", "ulong", "float", "double")
    ]
    assert (signed(2), unsigned(8), name_of(FLOAT32)) == (np.int16, np.uint64, "float32")


def test_no_path_and_paths_without_a_bound() -> None:
    assert (infinity(INT32), minus_infinity(INT32)) == (2**31 - 1, -(2**31))
    assert (infinity(FLOAT32), minus_infinity(FLOAT32)) == (np.inf, -np.inf)
    for dtype in (INT32, UINT64, FLOAT64):
        assert {type(infinity(dtype)), type(minus_infinity(dtype))} == {dtype.type}


@pytest.mark.parametrize(
    ("value", "dtype", "text"),
    [
        (7, INT32, "7"),
        (0, INT32, "(0)"),
        (-7, INT32, "(-7)"),
        (7, INT64, "7L"),
        (-7, INT64, "(-7L)"),
        (7, UINT64, "7UL"),
        (np.inf, FLOAT32, "((float)INFINITY)"),
        (-np.inf, FLOAT64, "(-((double)INFINITY))"),
    ],
)
def test_literals(value: Any, dtype: np.dtype[Any], text: str) -> None:
    assert literal(value, dtype) == text


def test_macros() -> None:
    assert weight_macros(INT32) == {"WEIGHT": "int", "INF": "INT_MAX", "IS_INTEGER": 1, "SATURATE": 0}
    assert weight_macros(INT64, saturate=True) == {
        **{"WEIGHT": "long", "INF": "LONG_MAX", "IS_INTEGER": 1, "SATURATE": 1},
    }
    assert weight_macros(FLOAT32) == {
        **{"WEIGHT": "float", "INF": "((float)INFINITY)", "IS_INTEGER": 0, "SATURATE": 0},
    }


def test_the_first_number_that_a_type_cannot_hold() -> None:
    values = np.array([[1, -(2**31)], [2**31 - 1, 2**31 - 2]])
    assert first_lost(values, INT32) == 2
    assert first_lost(values, INT32, reserve_minimum=True) == 1
    marked = np.array([[False, True], [False, False]])
    assert first_lost(values, INT32, [marked], reserve_minimum=True) == 2
    assert first_lost(values, INT32, [marked, values == 2**31 - 1], reserve_minimum=True) is None
    assert first_lost(values - 1, INT32) == 1
    assert first_lost(values, INT64) is None


def test_the_first_number_that_floats_cannot_hold() -> None:
    values = np.array([2**53, -(2**53), 2**53 + 2, 2**53 + 1, -(2**53) - 1])
    assert first_lost(values, FLOAT64) == 3
    assert first_lost(values, FLOAT64, [values == 2**53 + 1]) == 4
    assert first_lost(values, FLOAT32) is None
    assert first_lost(values[:3], FLOAT64) is None
    assert first_lost(np.array([2**31 - 1], np.int32), FLOAT64) is None
    assert first_lost(np.array([2**63 - 1]), FLOAT64) == 0


def test_marks_that_are_not_there_cost_nothing_and_change_nothing() -> None:
    target = np.empty(2, np.int64)
    convert(np.array([5, -9], np.int32), target, np.int32(99), np.int32(-99), str)
    assert target.tolist() == [5, -9]
    convert(np.empty(0, np.int32), np.empty(0), np.int32(99), None, str)
    floats = np.empty(2, np.float32)
    convert(np.array([1.25, np.inf]), floats, np.inf, None, str)
    assert floats.tolist() == [1.25, np.inf]


def test_which_number_was_lost_is_said() -> None:
    with pytest.raises(OverflowError, match=r"^dist\[<1>\] = -2147483648 is outside int32; ask for dtype='int64'$"):
        convert(np.array([7, -(2**31)]), np.empty(2, np.int32), 99, -99, lambda number: f"<{number}>")
    target = np.empty(2, np.int32)
    convert(np.array([7, -(2**31)]), target, 99, None, str)
    assert target.tolist() == [7, -(2**31)]
