"""Products and powers of integers that no arithmetic of a device holds as they are, on both sides of its widest."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pyopencl import array as cl_array

import reedsp
from reedsp.arithmetic.matrix import WIDEST, weights_of
from reedsp.device.device import Device
from reedsp.minplus import offsets
from tests.minplus import test_power, test_product
from tests.minplus.test_product import infinity

METHODS = ("auto", "tiles", "registers")
INT64, UINT64 = np.dtype(np.int64), np.dtype(np.uint64)


@pytest.fixture(params=["by the device", "on the host"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Have one way taken wherever it can be."""
    monkeypatch.setattr(offsets, "_FEW", 0 if request.param == "by the device" else 1 << 62)
    return str(request.param)


@pytest.fixture
def never_on_host(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(offsets, "_on_host", None)


def numbers(shape: tuple[int, int], low: int, high: int, dtype: np.dtype[Any]) -> np.ndarray:
    """Both are among them, and infinity."""
    rng = np.random.default_rng(3)
    result = rng.integers(low, high, shape, dtype, endpoint=True)
    result[rng.random(shape) < 0.3] = infinity(dtype)
    result[0, 0], result[-1, -1] = low, high
    return result


@pytest.mark.deep("by the device")
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("low", [-(2**61), -7, 0])
def test_every_distance_from_the_minimum(low: int, method: str, way: str, device: Device) -> None:
    """On both sides of what the types of the device hold, and of what those of the host do."""
    for limit in (2**62 - 1, WIDEST.limit, 2**64 - 2):
        for most in (limit, limit + 1):
            a = numbers((5, 7), low, low + limit // 4, INT64)
            b = numbers((7, 66), -(2**63) - low, -(2**63) - low + most - limit // 4, INT64)
            assert weights_of(a, b) is None
            test_product.check(a, b, method, device)


def test_types_and_what_is_beyond_them(way: str, device: Device) -> None:
    large = numbers((5, 5), 2**62, 2**63 - 1, UINT64)
    test_product.check(large, large, "auto", device)
    test_product.check(large.astype(">u8"), np.asfortranarray(large), "auto", device)
    with pytest.raises(OverflowError, match=rf"^entry \(0, 0\) of the product is {3 * 2**63}, which uint64 cannot"):
        reedsp.min_plus_product([[3 * 2**62]], [[3 * 2**62]], device=device)
    for entry, other in ((2**63 - 2, 1), (2**62, 2**62), (-(2**63), -1)):
        with pytest.raises(OverflowError, match=rf"^entry \(1, 0\) of the product is {entry + other}, which int64"):
            reedsp.min_plus_product([[2**63 - 1, 0], [entry, 0]], [[other], [2**63 - 1]], device=device)
    assert reedsp.min_plus_product([[2**63 - 2]], [[0]], device=device).tolist() == [[2**63 - 2]]
    nothing = np.full((3, 3), infinity(INT64))
    assert (reedsp.min_plus_product(nothing, [[2**62]] * 3, device=device) == infinity(INT64)).all()


@pytest.mark.usefixtures("never_on_host")
def test_an_infinity_of_the_users_own(device: Device) -> None:
    """Such entries took thousands of times as long as others."""
    own = (2**63 - 1) // 2
    a = np.random.default_rng(1).integers(-9, 99, (64, 64))
    a[a > 50] = own - 9
    left = a - a.min()
    expected = (left[:, :, None] + left[None]).min(axis=1) + 2 * a.min()
    assert np.array_equal(reedsp.min_plus_product(a, a, device=device), expected)
    out, on_device = cl_array.empty(device.queue, a.shape, a.dtype), cl_array.to_device(device.queue, a)
    assert reedsp.min_plus_product(on_device, on_device, out=out) is out
    assert np.array_equal(out.get(), expected)


@pytest.mark.usefixtures("never_on_host")
def test_a_power_whose_bound_is_beyond_every_type(device: Device) -> None:
    """Only its exponent is: no entry of it is larger than those of the matrix."""
    base = np.random.default_rng(2).integers(0, 2**40, (64, 64))
    np.fill_diagonal(base, 0)
    assert weights_of(base, times=2**22) is None
    assert weights_of(base, times=64) is not None
    expected = reedsp.min_plus_power(base, 64, device=device)
    for k in (2**22, 2**22 + 5, 2**90):
        assert np.array_equal(reedsp.min_plus_power(base, k, device=device), expected)


def test_powers_that_grow(way: str, device: Device) -> None:
    """From the narrowest type to beyond all of them."""
    none = infinity(INT64)
    for number, k in ((2**61, 3), (2**58, 30), (-(2**61), 4), (2**55, 200)):
        base = np.array([[none, number, none], [number, none, 0], [none, -number, none]])
        test_power.check(base, k, "auto", device)
    steps = np.array([[-(2**57), none], [3, 5]])
    for k in (63, 64):
        test_power.check(steps, k, "auto", device)
    with pytest.raises(OverflowError, match=rf"^entry \(0, 0\) of the product is {-(2**57) * 65}, which int64 cannot"):
        reedsp.min_plus_power(steps, 65, device=device)
