"""The arithmetic of dense matrices: which one is chosen, what it tells kernels, and what it does at its limits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from reedsp.arithmetic.matrix import (
    INTEGERS,
    Weights,
    check_entries,
    check_kind,
    integers_for,
    largest,
    matrix_weights,
    product_weights,
    to_device,
    to_user,
    weights_of,
    write_distances,
    write_edges,
)
from reedsp.arithmetic.paths import Arithmetic

NARROW, MIDDLE, WIDE = INTEGERS
FLOAT32, FLOAT64 = (Weights(np.dtype(dtype), np.inf, np.inf) for dtype in (np.float32, np.float64))
POSITIVE32, POSITIVE64 = (Weights(each.dtype, np.inf, np.inf, non_negative=True) for each in (FLOAT32, FLOAT64))
FLOAT_MAX = float(np.finfo(np.float64).max)


@dataclass
class Facts:
    """What is known of a graph of integers."""

    n: int = 4
    weight_dtype: Any = WIDE.dtype
    max_abs_weight: float = 1
    simple_path_bound: float = 3
    rough_path_bound: float = 3
    has_negative_weights: bool = False
    has_integral_weights: bool = True


def test_integers_have_room_for_sums() -> None:
    """Infinity doubled fits, and infinity less any number is above the limit, or the limit is as near as can be."""
    assert (NARROW.dtype, NARROW.no_path, NARROW.limit) == (np.uint16, 2**15 - 1, 2**15 - 2)
    assert (MIDDLE.dtype, MIDDLE.no_path, MIDDLE.limit) == (np.int32, 2**30 - 1, 2**29 - 1)
    assert (WIDE.dtype, WIDE.no_path, WIDE.limit) == (np.int64, 2**62 - 1, 2**61 - 1)
    assert [each.non_negative for each in INTEGERS] == [True, False, False]


def test_what_stands_for_paths_without_a_bound() -> None:
    assert (NARROW.lowest, NARROW.unbounded) == (0, 2**16 - 1)
    assert (MIDDLE.lowest, MIDDLE.unbounded) == (1 - 2**29, -(2**29))
    assert (WIDE.lowest, WIDE.unbounded) == (1 - 2**61, -(2**61))
    assert (FLOAT64.lowest, FLOAT64.unbounded) == (-FLOAT_MAX, -np.inf)
    for weights in (*INTEGERS, FLOAT32, FLOAT64):
        assert {type(weights.lowest), type(weights.unbounded)} == {weights.dtype.type}


@pytest.mark.parametrize(
    ("weights", "kind", "order", "minimum"),
    [
        (NARROW, "gpu", "ushort", "min"),
        (MIDDLE, "cpu", "int", "min"),
        (WIDE, "gpu", "long", "min"),
        (FLOAT32, "gpu", "float", "fmin"),
        (FLOAT32, "cpu", "float", "smaller"),
        (FLOAT64, "gpu", "double", "smaller"),
        (FLOAT64, "cpu", "double", "smaller"),
        (POSITIVE32, "gpu", "int", "min"),
        (POSITIVE32, "cpu", "int", "min"),
        (POSITIVE64, "gpu", "double", "smaller"),
        (POSITIVE64, "cpu", "long", "min"),
    ],
    ids=str,
)
def test_how_a_device_compares(weights: Weights, kind: str, order: str, minimum: str) -> None:
    macros = weights.macros(kind)
    assert (macros.pop("ORDER"), macros.pop("MINIMUM")) == (order, minimum)
    assert set(macros) == {"WEIGHT", "NO_PATH", "LIMIT", "LOWEST"}


@pytest.mark.parametrize(
    ("weights", "name", "no_path", "limit", "lowest"),
    [
        (NARROW, "ushort", "32767", "32766", "(0)"),
        (MIDDLE, "int", f"{2**30 - 1}", f"{2**29 - 1}", f"({1 - 2**29})"),
        (WIDE, "long", f"{2**62 - 1}L", f"{2**61 - 1}L", f"({1 - 2**61}L)"),
        (FLOAT32, "float", *2 * ["((float)INFINITY)"], "(-((float)INFINITY))"),
        (FLOAT64, "double", *2 * ["((double)INFINITY)"], "(-((double)INFINITY))"),
    ],
    ids=str,
)
def test_what_kernels_are_told(weights: Weights, name: str, no_path: str, limit: str, lowest: str) -> None:
    macros = weights.macros("cpu")
    assert (macros["WEIGHT"], macros["NO_PATH"]) == (name, no_path)
    assert (macros["LIMIT"], macros["LOWEST"]) == (limit, lowest)


def test_the_narrowest_integers_that_hold_a_bound() -> None:
    limits = [each.limit for each in INTEGERS]
    assert [integers_for(limit, True) for limit in limits] == list(INTEGERS)
    assert [integers_for(limit + 1, True) for limit in limits] == [MIDDLE, WIDE, None]
    assert [integers_for(limit, False) for limit in limits] == [MIDDLE, MIDDLE, WIDE]


def test_all_pairs_of_integers() -> None:
    integers = Arithmetic(np.dtype(np.int64))
    limit = MIDDLE.limit
    for bound, heaviest, expected in (
        (NARROW.limit, 1, NARROW),
        (1, NARROW.limit + 1, MIDDLE),
        (limit, 1, MIDDLE),
        (limit + 0.5, 1, WIDE),
        (limit + 1, 1, WIDE),
        (WIDE.limit * 4, 1, None),
    ):
        facts = Facts(simple_path_bound=bound, max_abs_weight=heaviest)
        assert matrix_weights(facts, integers) == expected
    assert matrix_weights(Facts(has_negative_weights=True), integers) == MIDDLE


def test_all_pairs_of_floats() -> None:
    floats = Arithmetic(np.dtype(np.float64))
    assert matrix_weights(Facts(simple_path_bound=np.inf), floats) == POSITIVE64
    assert matrix_weights(Facts(has_negative_weights=True, simple_path_bound=FLOAT_MAX), floats) == FLOAT64
    assert matrix_weights(Facts(has_negative_weights=True, simple_path_bound=np.inf), floats) is None
    assert matrix_weights(Facts(), Arithmetic(np.dtype(np.float32))) == POSITIVE32


def test_products_of_integers() -> None:
    small = np.array([[1, 2], [3, 4]])
    assert weights_of(small, small) == NARROW
    assert weights_of(small.astype(np.uint8), small) == NARROW
    assert weights_of(small, -small) == MIDDLE
    assert weights_of(small, np.zeros((2, 2), np.int64)) == NARROW
    half = np.array([[NARROW.limit // 2]])
    assert weights_of(half, half) == NARROW
    assert weights_of(half, half, times=2) == MIDDLE
    assert weights_of(half, half + 1) == MIDDLE
    assert product_weights(np.dtype(np.int64), [3, NARROW.limit - 3], False) == NARROW
    assert product_weights(np.dtype(np.int64), [3, NARROW.limit - 2], False) == MIDDLE
    assert product_weights(np.dtype(np.int64), [1], True) == MIDDLE


def test_products_of_floats() -> None:
    assert weights_of(np.zeros((1, 1)), np.ones((1, 1))) == POSITIVE64
    assert weights_of(np.zeros((1, 1)), np.array([[-0.0]])) == FLOAT64
    assert weights_of(np.ones((1, 1), np.float32), np.ones((1, 1), np.float32)) == POSITIVE32


@pytest.mark.parametrize("dtype", [np.int8, np.uint64, np.int64, np.float16, np.float32, np.float64])
def test_kinds_of_matrices(dtype: type) -> None:
    check_kind("a", np.ones((2, 2), dtype))


def test_other_kinds_are_refused() -> None:
    with pytest.raises(ValueError, match=r"^a: a matrix is expected, got shape \(2,\)$"):
        check_kind("a", np.ones(2))
    for dtype in (np.bool_, np.complex128, np.str_):
        with pytest.raises(TypeError, match=r"^a: integers or floats are expected, got "):
            check_kind("a", np.ones((2, 2), dtype))
    if np.dtype(np.longdouble).itemsize > 8:
        with pytest.raises(ValueError, match=r"^a: float\d+ is wider than float64$"):
            check_kind("a", np.ones((2, 2), np.longdouble))


def test_entries_that_are_no_weights_are_named() -> None:
    for wrong in (np.nan, -np.inf):
        matrix = np.zeros((3, 4))
        check_entries("a", matrix)
        matrix[2, 1:] = wrong, 0, wrong
        with pytest.raises(ValueError, match=rf"^a\[2, 1\] is {wrong}$"):
            check_entries("a", matrix)
    check_entries("a", np.array([[np.inf, -1.0]]))
    check_entries("a", np.array([[-(2**63)]]))


def test_the_largest_entry() -> None:
    most = np.iinfo(np.int16).max
    assert largest(np.array([[3, -7], [most, 5]], np.int16)) == 7
    assert largest(np.array([[3, 9], [-8, 5]])) == 9
    assert largest(np.array([[-3, -2]])) == 3
    assert largest(np.full((2, 2), most, np.int16)) == largest(np.empty((0, 3), np.int16)) == 0
    assert largest(np.array([[-(2**63)]])) == 2**63


def test_matrices_for_a_device_are_filled_up() -> None:
    most = np.iinfo(np.int64).max
    given = to_device(np.array([[1, most], [0, 5]]), (3, 4), MIDDLE)
    none = MIDDLE.no_path
    assert given.dtype == np.int32
    assert given.tolist() == [[1, none, none, none], [0, 5, none, none], [none] * 4]
    floats = to_device(np.array([[1.5, np.inf]]), (1, 3), FLOAT64)
    assert floats.tolist() == [[1.5, np.inf, np.inf]]


def test_edges_for_a_device_are_filled_up() -> None:
    target = np.full((4, 5), 77, np.int32)
    most = np.iinfo(np.int64).max
    write_edges(np.array([[4, 5, most], [most, 6, -2]]), most, 1, MIDDLE, target)
    none = MIDDLE.no_path
    assert target.tolist() == [[4, 0, none, none, none], [none, 6, -2, none, none], [none] * 5, [none] * 5]
    floats = np.full((1, 2), 77.0)
    write_edges(np.array([[np.inf, 2.5]]), np.inf, 0, FLOAT64, floats)
    assert floats.tolist() == [[0, 2.5]]


def test_products_for_users() -> None:
    values, none = np.array([[3, 40_000], [5, 7]]), np.array([[False, True], [False, False]])
    assert to_user(values, none, np.dtype(np.int16)).tolist() == [[3, 2**15 - 1], [5, 7]]
    assert to_user(values, none, np.dtype(np.float64)).tolist() == [[3, np.inf], [5, 7]]
    none[0, 1], none[1, 0] = False, True
    with pytest.raises(OverflowError, match=r"^entry \(0, 1\) of the product is 40000, which int16 cannot hold$"):
        to_user(values, none, np.dtype(np.int16))


def test_distances_for_users() -> None:
    values = np.array([[MIDDLE.no_path, MIDDLE.unbounded], [3, -4]], np.int32)
    for dtype, none, unbounded in ((np.float64, np.inf, -np.inf), (np.int64, 2**63 - 1, -(2**63))):
        dist = np.empty((2, 2), dtype)
        write_distances(values, 5, MIDDLE, dist)
        assert dist.tolist() == [[none, unbounded], [3, -4]]
    with pytest.raises(ValueError, match=r"^dist\[6, 1\] = 9007199254740993 has no exact float64 value"):
        write_distances(np.array([[1, 2], [3, 2**53 + 1]]), 5, WIDE, np.empty((2, 2)))
