"""Min-plus powers against repeated products in exact arithmetic."""

from __future__ import annotations

import functools
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import reedsp
from reedsp.device.device import Device
from reedsp.minplus import product
from tests.minplus.test_product import infinity
from tests.support import oracle

METHODS = ("auto", "tiles", "registers")
EXPONENTS = (*range(10), 16, 31)
DTYPES = [
    *map(np.dtype, (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint32, np.uint64, np.float32, np.float64))
]
N = 19  # more than a tile of 16

Matrix = tuple[tuple[Any, ...], ...]  # None = no path


def matrix(dtype: np.dtype[Any], k: int, n: int = N, zero_diagonal: bool = False) -> np.ndarray:
    """A sparse matrix whose powers up to k stay within the type; floats are multiples of an eighth, so exact."""
    rng = np.random.default_rng(n)
    most = 50 if dtype.kind == "f" else min(50, (np.iinfo(dtype).max - 1) // max(k, 1))
    result = rng.integers(0 if dtype.kind == "u" else -most, most + 1, (n, n)).astype(dtype)
    if dtype.kind == "f":
        result /= 8
    result[rng.random((n, n)) < 0.85] = infinity(dtype)
    if zero_diagonal:
        np.fill_diagonal(result, 0)
    return result


def exact(array: np.ndarray) -> Matrix:
    none = infinity(array.dtype)
    return tuple(tuple(None if x == none else Fraction(x) for x in row) for row in array.tolist())


@pytest.mark.parametrize("zero", [0, 0.0])
def test_exponents_of_many_digits(zero: float, device: Device) -> None:
    assert reedsp.min_plus_power([[zero]], 2**1100, device=device).tolist() == [[zero]]


@functools.cache
def power_of(base: Matrix, k: int) -> Matrix:
    """One product after another."""
    if k == 0:
        return tuple(tuple(Fraction(0) if i == j else None for j in range(len(base))) for i in range(len(base)))
    return tuple(map(tuple, oracle.min_plus_product(power_of(base, k - 1), base, len(base))))


def check(base: np.ndarray, k: int, method: str, device: Device) -> None:
    before = base.copy()
    power = reedsp.min_plus_power(base, k, method, device=device)
    assert power.dtype == base.dtype
    assert power.shape == base.shape
    assert exact(power) == power_of(exact(base), k)
    assert np.array_equal(base, before)
    assert power is not base
    assert not np.shares_memory(power, base)


@pytest.mark.deep
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_every_exponent_and_type(dtype: np.dtype[Any], method: str, device: Device) -> None:
    if dtype == np.float64 and not device.fp64:
        pytest.skip("the device has no doubles")
    for k in EXPONENTS:
        check(matrix(dtype, 31), k, method, device)


@pytest.mark.deep
@pytest.mark.parametrize("method", product.METHODS)
def test_every_method(method: str, device: Device) -> None:
    for k in (2, 5):
        check(matrix(np.dtype(np.int32), 5, n=70), k, method, device)
        check(matrix(np.dtype(np.float32), 5, n=33), k, method, device)


@pytest.mark.parametrize("n", [1, 2, 15, 16, 17, 65])
def test_46_every_size(n: int, device: Device) -> None:
    for k in (2, 3, 7):
        check(matrix(np.dtype(np.int64), k, n), k, "auto", device)


def test_exponent_one_is_the_matrix_itself(device: Device) -> None:
    """matrixExponent in thesis section 5.2.1 returns the cube for it, and so a wrong power for any other exponent."""
    base = matrix(np.dtype(np.int32), 3)
    assert np.array_equal(reedsp.min_plus_power(base, 1, device=device), base)
    for k in range(3):
        assert reedsp.min_plus_power(base.astype(">i4"), k, device=device).dtype == np.int32
    assert not np.signbit(reedsp.min_plus_power(np.array([[-0.0]]), 1, device=device)).any()
    cube = reedsp.min_plus_power(base, 3, device=device)
    assert not np.array_equal(cube, base)
    square = reedsp.min_plus_product(base, base, device=device)
    assert np.array_equal(cube, reedsp.min_plus_product(square, base, device=device))


@pytest.mark.deep("registers")
@pytest.mark.parametrize("method", METHODS)
def test_zero_diagonal_allows_fewer_edges(method: str, device: Device) -> None:
    n, none = 70, np.iinfo(np.int32).max
    base = np.full((n, n), none, np.int32)
    np.fill_diagonal(base, 0)
    base[np.arange(n - 1), np.arange(1, n)] = 3
    steps = np.arange(n) - np.arange(n)[:, None]
    for k in (1, 2, 6, 31, n - 2, n - 1, 1000):
        within = (steps >= 0) & (steps <= k)
        power = reedsp.min_plus_power(base, k, method, device=device)
        assert np.array_equal(power, np.where(within, 3 * steps, none))
    np.fill_diagonal(base, none)  # exactly k edges
    assert np.array_equal(
        reedsp.min_plus_power(base, 31, method, device=device), np.where(steps == 31, 3 * steps, none)
    )
    assert (reedsp.min_plus_power(base, n, method, device=device) == none).all()


def test_same_as_all_pairs(device: Device) -> None:
    base = np.abs(matrix(np.dtype(np.int32), 1, n=40))
    base[base == np.iinfo(np.int32).max] = 10**6  # each pair has an edge
    np.fill_diagonal(base, 0)
    graph = reedsp.Graph.from_dense(base, null_value=None)
    assert np.array_equal(
        reedsp.min_plus_power(base, 39, device=device), reedsp.apsp(graph, dtype="int32", device=device).dist
    )


@pytest.mark.parametrize("method", METHODS)
def test_nothing_but_infinity(method: str, device: Device) -> None:
    for dtype in (np.int8, np.int64, np.uint64, np.float32):
        check(np.full((20, 20), infinity(np.dtype(dtype)), dtype), 3, method, device)


@pytest.mark.parametrize("method", METHODS)
def test_19_overflow_names_the_entry(method: str, device: Device) -> None:
    base = np.array([[127, 127, 5], [127, 64, 127], [127, 127, 127]], np.int8)
    with pytest.raises(OverflowError, match=r"entry \(1, 1\) of the product is 128, which int8 cannot hold"):
        reedsp.min_plus_power(base, 2, method, device=device)
    base[1, 1] = 42
    assert reedsp.min_plus_power(base, 3, method, device=device)[1, 1] == 126
    base[1, 1] = -64
    assert reedsp.min_plus_power(base, 2, method, device=device)[1, 1] == -128
    with pytest.raises(OverflowError, match=r"entry \(1, 1\) of the product is -192, which int8"):
        reedsp.min_plus_power(base, 3, method, device=device)


@pytest.mark.parametrize("method", METHODS)
def test_integers_beyond_every_type_of_the_device(method: str, device: Device) -> None:
    """Multiplied on the host, where sums on the way may be as large as they like."""
    none = np.iinfo(np.int64).max
    for number, k in ((2**61 - 1, 1), (2**60, 2), (2**61, 3), (2**62, 1), (2**55, 200), (-(2**61), 4)):
        check(np.array([[none, number, none], [number, none, 0], [none, -number, none]]), k, method, device)
    with pytest.raises(OverflowError, match=rf"entry \(0, 0\) of the product is {3 * 2**62}, which int64 cannot hold"):
        reedsp.min_plus_power([[2**62]], 3, method, device=device)
    with pytest.raises(OverflowError, match=rf"entry \(0, 0\) of the product is {2**63 - 1}, which int64 cannot hold"):
        reedsp.min_plus_power([[(2**63 - 1) // 7]], 7, method, device=device)
    huge = np.array([[2**62]], np.uint64)
    assert reedsp.min_plus_power(huge, 3, method, device=device).tolist() == [[3 * 2**62]]
    with pytest.raises(OverflowError, match="which uint64 cannot hold"):
        reedsp.min_plus_power(huge, 4, method, device=device)


@pytest.mark.parametrize("weight", [2**29 - 1, 2**61 - 1])
def test_limits_of_the_types_of_the_device(weight: int, device: Device) -> None:
    for most in (weight, weight + 1):
        for k in (3, 4, 7):
            check(np.array([[-1, most // k], [most // k, most % k]]), k, "auto", device)


def test_floats_are_rounded_at_each_addition(device: Device) -> None:
    for dtype in (np.float32, np.float64):
        if dtype is np.float64 and not device.fp64:
            continue
        rng = np.random.default_rng(1)
        base = rng.random((12, 12)).astype(dtype)
        for k in (2, 7, 16):
            power = reedsp.min_plus_power(base, k, device=device)
            for row, right in zip(power.tolist(), power_of(exact(base), k), strict=True):
                for x, y in zip(row, right, strict=True):
                    assert abs(Fraction(x) - y) <= k * float(np.finfo(dtype).eps) * float(y)


def test_01_empty_matrix_needs_no_device() -> None:
    for dtype, k in ((np.int8, 0), (np.float64, 1), (np.uint32, 5)):
        power = reedsp.min_plus_power(np.zeros((0, 0), dtype), k, device="no such device")
        assert power.dtype == dtype
        assert power.shape == (0, 0)


def test_numbers_of_numpy_are_exponents(device: Device) -> None:
    base = matrix(np.dtype(np.int32), 4)
    for kind in (np.uint8, np.int64):
        assert np.array_equal(
            reedsp.min_plus_power(base, kind(4), device=device), reedsp.min_plus_power(base, 4, device=device)
        )


@pytest.mark.parametrize(
    ("a", "k", "error", "message"),
    [
        ([[1.0]], True, TypeError, "^k: expected an integer, got True"),
        ([[1.0]], np.True_, TypeError, "^k: expected an integer"),
        ([[1.0]], 2.0, TypeError, r"^k: expected an integer, got 2\.0"),
        ([[1.0]], "2", TypeError, "^k: expected an integer, got '2'"),
        ([[1.0]], None, TypeError, "^k: expected an integer, got None"),
        ([[1.0]], -1, ValueError, "^k = -1, expected at least 0"),
        ([[1.0, 2.0]], 2, ValueError, r"^a: a square matrix is expected, got shape \(1, 2\)"),
        ([1.0], 2, ValueError, r"^a: a matrix is expected, got shape \(1,\)"),
        ([[float("nan")]], 2, ValueError, r"^a\[0, 0\] is nan"),
        ([[-float("inf")]], 2, ValueError, r"^a\[0, 0\] is -inf"),
        ([[1j]], 2, TypeError, "^a: integers or floats are expected"),
        ([[True]], 2, TypeError, "^a: integers or floats are expected"),
    ],
)
def test_16_18_29_38_43_wrong_arguments(a: Any, k: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        reedsp.min_plus_power(a, k)


@pytest.mark.parametrize("k", [0, 1, 2])
def test_44_unknown_method(k: int) -> None:
    with pytest.raises(ValueError, match=r"^method: 'fast' is none of 'auto', 'naive'"):
        reedsp.min_plus_power([[1.0]], k, "fast")


def test_a_number_of_more_digits_than_are_written() -> None:
    with pytest.raises(OverflowError, match=r"^entry \(0, 0\) of the product is a number of 16,610 bits, which int64"):
        reedsp.min_plus_power([[1]], 10**5000)
    with pytest.raises(OverflowError, match=f"^entry .* is {2**255}, which int64 cannot hold"):
        reedsp.min_plus_power([[1]], 2**255)
