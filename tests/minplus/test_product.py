"""Min-plus products against exact arithmetic: every method, type and shape, and what is no matrix of path weights."""

from __future__ import annotations

import doctest
import itertools
from typing import Any

import numpy as np
import pytest

import reedsp
from reedsp.arithmetic.matrix import INTEGERS, weights_of
from reedsp.device.device import Device
from reedsp.device.job import Job
from reedsp.minplus import product as minplus_product
from reedsp.minplus import tilings
from tests.support import oracle

METHODS = [method for method in minplus_product.METHODS if method != "auto"]
DTYPES = [
    *map(np.dtype, (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint32, np.uint64, np.float32, np.float64))
]
TILE, BLOCK = minplus_product._TILE, minplus_product._ROW_BLOCK
WIDE = 64  # side of the smallest tile in registers
SIDES = (1, 2, TILE - 1, TILE, TILE + 1, BLOCK - 1, BLOCK, BLOCK + 1, WIDE - 1, WIDE, 2 * BLOCK + 3, 2 * WIDE + 3)


def infinity(dtype: np.dtype[Any]) -> Any:
    return np.inf if dtype.kind == "f" else np.iinfo(dtype).max


def matrix(shape: tuple[int, int], dtype: np.dtype[Any], seed: int, missing: float = 0.3) -> np.ndarray:
    """A matrix of small path weights, negative ones among them where the type has any, some of them infinite."""
    rng = np.random.default_rng(seed)
    low = 0 if dtype.kind == "u" else -50
    result = rng.integers(low, 51, shape).astype(dtype)
    if dtype.kind == "f":
        result += rng.integers(0, 8, shape).astype(dtype) / 8
    result[rng.random(shape) < missing] = infinity(dtype)
    return result


def non_negative(matrix: np.ndarray) -> np.ndarray:
    return np.abs(matrix) if matrix.dtype.kind == "f" else matrix


def check(a: np.ndarray, b: np.ndarray, method: str, device: Device) -> None:
    before = a.copy(), b.copy()
    product = reedsp.min_plus_product(a, b, method, device=device)
    assert product.dtype == np.result_type(a, b)
    assert product.shape == (a.shape[0], b.shape[1])
    exact = [[None if x == infinity(each.dtype) else x for x in row] for each in (a, b) for row in each.tolist()]
    expected = oracle.min_plus_product(exact[: len(a)], exact[len(a) :], b.shape[1])
    assert [[None if x == infinity(product.dtype) else x for x in row] for row in product.tolist()] == expected
    assert all(np.array_equal(now, then) for now, then in zip((a, b), before, strict=True))


@pytest.mark.deep
@pytest.mark.parametrize("method", METHODS)
def test_46_every_shape(method: str, device: Device) -> None:
    for number, (rows, inner, columns) in enumerate(itertools.product(SIDES, (1, TILE, 2 * BLOCK + 3), SIDES)):
        if number % 3 == METHODS.index(method) % 3:
            dtype = DTYPES[number // 3 % len(DTYPES)]
            if dtype != np.float64 or device.fp64:
                check(matrix((rows, inner), dtype, number), matrix((inner, columns), dtype, number + 1), method, device)


@pytest.mark.deep("int32", "panels", "auto")
@pytest.mark.parametrize("dtype", [np.uint8, np.int32])
@pytest.mark.parametrize("method", ["panels", "registers", "auto"])
def test_46_shapes_around_panels(method: str, dtype: type, device: Device) -> None:
    """On both sides of the rows and columns that are in registers, and of what is packed at a time."""
    left = matrix((1, 1), np.dtype(dtype), 0)
    tiling = tilings.tilings_for(device, weights_of(left, left), in_groups=False)[0]
    item_rows, width, depth = (tiling.macros["ITEM_ROWS"], tiling.columns, tiling.macros["DEPTH"])
    heights = (1, item_rows - 1, item_rows, item_rows + 1, 2 * item_rows - 1, 2 * item_rows + 1)
    for number, (rows, columns) in enumerate(itertools.product(heights, (1, width - 1, width, width + 1, 2 * width))):
        inner = (1, 2, depth - 1, depth, depth + 1)[number % 5 if number % 4 == 0 else number % 2]
        a, b = (matrix(shape, np.dtype(dtype), number) for shape in ((rows, inner), (inner, columns)))
        check(a, b, method, device)


@pytest.mark.deep
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("method", minplus_product.METHODS)
def test_every_type(method: str, dtype: np.dtype[Any], device: Device) -> None:
    if dtype == np.float64 and not device.fp64:
        pytest.skip("the device has no doubles")
    check(matrix((37, 50), dtype, 1), matrix((50, 41), dtype, 2), method, device)
    check(matrix((3, 50), dtype, 1, missing=1), matrix((50, 3), dtype, 2), method, device)
    check(non_negative(matrix((37, 50), dtype, 3)), non_negative(matrix((50, 41), dtype, 4)), method, device)


@pytest.mark.deep
@pytest.mark.parametrize("kind", ["gpu", "cpu"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("method", METHODS)
def test_every_way_to_take_the_minimum(
    method: str, dtype: type, kind: str, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    if dtype is np.float64 and not device.fp64:
        pytest.skip("the device has no doubles")
    monkeypatch.setattr(device, "kind", kind)
    a, b = matrix((70, 40), np.dtype(dtype), 1), matrix((40, 67), np.dtype(dtype), 2)
    check(a, b, method, device)
    check(non_negative(a), non_negative(b), method, device)
    a[0, 0] = -0.0
    check(a, non_negative(b), method, device)


def test_types_are_mixed_as_numpy_does(device: Device) -> None:
    for left, right in itertools.combinations(DTYPES, 2):
        if np.result_type(left, right) != np.float64 or device.fp64:
            check(matrix((5, 7), left, 1), matrix((7, 6), right, 2), "auto", device)


@pytest.mark.deep("row", "tiles", "268435456-naive", "registers", "536870912-naive")
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("magnitude", [2**28 - 1, 2**28, 2**29, 2**30, 2**60 - 1, 2**60, 2**61, 2**62 - 1])
def test_large_integers(method: str, magnitude: int, device: Device) -> None:
    """On both sides of what each type of the device can hold, and beyond all of them."""
    none = np.iinfo(np.int64).max
    a = np.array([[magnitude, none, -magnitude], [none, none, none], [0, -magnitude, none]])
    b = np.array([[magnitude, -magnitude], [none, magnitude], [magnitude, none]])
    check(a, b, method, device)


@pytest.mark.deep("row", "16383-16383-naive")
@pytest.mark.parametrize("method", minplus_product.METHODS)
@pytest.mark.parametrize(("left", "right"), [(16383, 16383), (16383, 16384), (0, 32766), (32767, 0), (32766, 32767)])
def test_numbers_of_16_bits(method: str, left: int, right: int, device: Device) -> None:
    """On both sides of what the device computes in 16 bits, in every type that holds them."""
    for dtype in (np.uint16, np.int32, np.uint64):
        a, b = (matrix(shape, np.dtype(dtype), left) for shape in ((20, 9), (9, 70)))
        for each, largest in ((a, left), (b, right)):
            finite = each != infinity(each.dtype)
            each[finite] = largest - np.minimum(np.abs(each[finite].astype(np.int64)), largest)
            each[3, 5], each[4, 5] = largest, 0
        assert weights_of(a, b).dtype == (np.uint16 if left + right <= 32766 else np.int32)
        check(a, b, method, device)
    a, b = np.array([[left, 65535]], np.uint16), np.array([[right], [0]], np.uint16)
    check(a, b, method, device)
    a[0, 0] += 1
    with pytest.raises(OverflowError, match=r"is 65535, which uint16"):
        reedsp.min_plus_product(a, np.array([[65534 - left], [0]], np.uint16), method, device=device)
    assert weights_of(a, np.array([[-1], [0]])).dtype == np.int32


@pytest.mark.parametrize("method", METHODS)
def test_19_overflow_names_the_entry(method: str, device: Device) -> None:
    a = np.array([[0, 1], [127, 100]], np.int8)
    with pytest.raises(OverflowError, match=r"entry \(1, 0\) of the product is 200, which int8 cannot hold"):
        reedsp.min_plus_product(a, np.array([[5, 127], [100, 3]], np.int8), method, device=device)
    with pytest.raises(OverflowError, match=r"entry \(0, 0\) of the product is -18446744073709551616, which int64"):
        reedsp.min_plus_product([[-(2**63)]], [[-(2**63)]], method, device=device)


def test_floats_are_rounded_once(device: Device) -> None:
    for dtype in (np.float32, np.float64):
        if dtype is np.float32 or device.fp64:
            tiny = np.finfo(dtype).smallest_subnormal
            a, b = (
                np.array([[1, tiny, 3 * tiny]], dtype),
                np.array([[np.finfo(dtype).eps / 2], [2 * tiny], [tiny]], dtype),
            )
            product = reedsp.min_plus_product(a, b, device=device)
            assert product[0, 0] == min(a[0, k] + b[k, 0] for k in range(3)) == 3 * tiny
            assert reedsp.min_plus_product(a[:, :1], b[:1], device=device)[0, 0] == dtype(1)


def test_25_no_negative_zero(device: Device) -> None:
    zero = np.array([[-0.0]], np.float32)
    assert not np.signbit(reedsp.min_plus_product(zero, zero, device=device)).any()


@pytest.mark.parametrize("shape", [(0, 3, 2), (3, 0, 2), (3, 2, 0), (0, 0, 0)])
def test_01_empty_matrices_need_no_device(shape: tuple[int, int, int]) -> None:
    rows, inner, columns = shape
    for dtype in DTYPES:
        product = reedsp.min_plus_product(
            np.zeros((rows, inner), dtype), np.zeros((inner, columns), dtype), device="none"
        )
        assert product.dtype == dtype
        assert product.shape == (rows, columns)
        assert (product == infinity(dtype)).all()


def test_31_32_layouts(device: Device) -> None:
    a, b = matrix((40, 30), np.dtype(np.int32), 1), matrix((30, 20), np.dtype(np.int32), 2)
    for left in (np.asfortranarray(a), a[::-1][::-1], np.repeat(a, 2, axis=1)[:, ::2], a.astype(">i4"), a.tolist()):
        if isinstance(left, list):
            left = np.array(left, np.int32)
        check(left, b, "auto", device)
    a.flags.writeable = False
    check(a, b, "auto", device)


NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("a", "b", "error", "message"),
    [
        ([[1.0, NAN]], [[1.0], [2.0]], ValueError, r"^a\[0, 1\] is nan"),
        ([[1.0, 2.0]], [[1.0], [-INF]], ValueError, r"^b\[1, 0\] is -inf"),
        ([1.0, 2.0], [[1.0], [2.0]], ValueError, r"^a: a matrix is expected, got shape \(2,\)"),
        ([[1.0, 2.0]], [[1.0]], ValueError, "^b: it has 1 rows, but a has 2 columns"),
        ([[1j]], [[1.0]], TypeError, "^a: integers or floats are expected, got complex128"),
        ([[True]], [[1.0]], TypeError, "^a: integers or floats are expected, got bool"),
        ([["x"]], [[1.0]], TypeError, "^a: integers or floats are expected, got <U1"),
        ([[1.0]], np.array([[2**70]]), TypeError, "^b: integers or floats are expected, got object"),
        ([[0, None], [1, 0]], [[1.0]], TypeError, r"^a\[0, 1\] is None, expected a number$"),
        ([[1.0]], np.array([[2**70, "x"]], object), TypeError, r"^b\[0, 1\] is 'x', expected a number$"),
        ([[2**53 + 1, 0.5]], [[0], [1]], ValueError, rf"^a\[0, 0\] = {2**53 + 1} has no exact float64 value; give an"),
        ([np.array([1, 2**53 + 1]), [0.5, 1]], [[0], [1]], ValueError, rf"^a\[0, 1\] = {2**53 + 1} has no"),
        ([[1, 2]], [[0.5], [-1 - 2**53]], ValueError, rf"^b\[1, 0\] = {-1 - 2**53} has no exact float64 value"),
        ([[1.0]], np.ma.masked_array([[1.0]]), TypeError, "^b: masked arrays are not supported"),
        (np.ones((1, 1), np.longdouble), [[1.0]], ValueError, "^a: .* is wider than float64"),
    ],
)
def test_16_18_28_29_30_38_wrong_arguments(a: Any, b: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        reedsp.min_plus_product(a, b)


def test_44_unknown_method() -> None:
    with pytest.raises(ValueError, match=r"^method: 'fast' is none of 'auto', 'naive', .*'tiles'"):
        reedsp.min_plus_product([[1.0]], [[1.0]], "fast")


def test_28_half_precision_is_widened(device: Device) -> None:
    half = np.array([[0.5, 2]], np.float16)
    product = reedsp.min_plus_product(half, half.T, device=device)
    assert product.dtype == np.float32
    assert product.tolist() == [[1.0]]


@pytest.mark.parametrize("changed", [None, (0, 0), (36, 36), (3, 36)])
def test_whether_a_square_differs_is_noticed(changed: tuple[int, int] | None, device: Device) -> None:
    """By one entry, wherever it is; the matrix is no multiple of a work-group."""
    n, weights = 37, INTEGERS[1]
    closed = np.add.outer(np.arange(n), -np.arange(n)).astype(weights.dtype) + 40 * (1 - np.eye(n, dtype=np.int32))
    np.fill_diagonal(closed, 0)
    if changed is not None:
        closed[changed] += 100
    job = Job(device)
    product, differs = minplus_product.square(job, weights, job.upload(closed), n, "naive")
    expected = (closed[:, :, None] + closed[None]).min(axis=1)
    assert np.array_equal(job.download(product, n * n, weights.dtype).reshape(n, n), expected)
    assert differs == (changed is not None) == (not np.array_equal(closed, expected))


def test_documented_examples(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    if not device.fp64:
        pytest.skip("the device has no doubles")
    monkeypatch.setenv("REEDSP_DEVICE", device.name)
    assert doctest.testmod(minplus_product, raise_on_error=True).attempted >= 3
