"""Dulle's reductions and scan against numpy and a fold of Python, in every shape of work-groups."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
import pytest

import reedsp
from reedsp.device.device import Device
from reedsp.device.job import Job, spoilt_memory
from reedsp.primitives.operators import ELEMENT_TYPES, resolve
from reedsp.primitives.plans import Elements
from reedsp.primitives.scan import plan_reduce
from reedsp.primitives.strided import selfcheck
from reedsp.primitives.strided.trees import Shape, strides_of_reduction, strides_of_scan

SHAPES = [(1, 2), (2, 1), (3, 3), (1, 5), (8, 2)]  # also such as are no powers of two
THEN = "(a >> 16) * (b >> 16) << 16 | ((a & 0xFFFF) * (b >> 16) + (b & 0xFFFF)) & 0xFFFF"
"""Affine maps modulo 2^16, one after the other: not commutative."""


def then(a: int, b: int) -> int:
    (s, t), (u, v) = divmod(a, 1 << 16), divmod(b, 1 << 16)
    return (s * u << 16 | (t * u + v) % (1 << 16)) % (1 << 32)


def lengths(tile: int) -> list[int]:
    """Around the sizes at which another node, or another level, begins."""
    around = [tile**level + more for level in (1, 2, 3) for more in (-1, 0, 1) if tile**level < 1200]
    return sorted({0, 1, 2, 3, 2 * tile, 3 * tile + 1, 997, *around})


@pytest.mark.deep
@pytest.mark.parametrize(("group_size", "each"), SHAPES)
def test_every_length_around_nodes_and_levels(group_size: int, each: int, device: Device) -> None:
    shape: Any = {"group_size": group_size, "each": each, "device": device}
    for n in lengths(group_size * each):
        x = np.random.default_rng(n).integers(-(1 << 40), 1 << 40, n)
        assert reedsp.reduce(x, method="dulle", **shape) == x.sum()
        np.testing.assert_array_equal(reedsp.inclusive_scan(x, method="dulle", **shape), x.cumsum())


def test_pairs(device: Device) -> None:
    for n in (*range(18), 255, 256, 257, 1000):
        x = np.random.default_rng(n).integers(-99, 99, n).astype(np.int32)
        assert reedsp.reduce(x, method="naive", device=device) == x.sum()
        assert reedsp.reduce(x, "min", method="naive", device=device) == x.min(initial=np.iinfo(np.int32).max)


@pytest.mark.deep("dulle", "naive")
@pytest.mark.parametrize("method", ["naive", "dulle", "fast"])
def test_a_sum_of_negative_zeros_is_zero(method: Any, device: Device) -> None:
    for n in (1, 2, 3, 9):
        x = np.full(n, -0.0, np.float32)
        assert np.signbit(reedsp.reduce(x, method=method, device=device)) == np.signbit(x.sum())
        assert np.signbit(reedsp.reduce(x, "min", method=method, device=device))


@pytest.mark.deep
@pytest.mark.parametrize("dtype", ELEMENT_TYPES, ids=str)
def test_types_and_operators(dtype: np.dtype[Any], device: Device) -> None:
    if dtype == np.float64 and not device.fp64:
        pytest.skip("the device has no float64")
    x = np.random.default_rng(1).integers(0, 100, 777).astype(dtype)
    if dtype.kind == "f":
        x[300], x[600] = np.inf, np.nan
    for op, join in (("add", np.add), ("min", np.minimum), ("max", np.maximum)):
        expected = join.accumulate(x, dtype=dtype)
        found = reedsp.inclusive_scan(x, op, "dulle", group_size=3, each=4, device=device)
        np.testing.assert_array_equal(found, expected)
        assert found.dtype == dtype
        for method in ("naive", "dulle"):
            np.testing.assert_array_equal(reedsp.reduce(x, op, method=method, device=device), expected[-1])


@pytest.mark.deep
@pytest.mark.parametrize(("group_size", "each"), [(None, None), (3, 3), (1, 5)])
def test_the_order_of_operands(group_size: int | None, each: int | None, device: Device) -> None:
    """The thesis exchanges them, so that "abcdefgh" became "ghefcdab"."""
    for n in (1, 2, 11, 100, 1500):
        x = np.random.default_rng(n).integers(0, 1 << 32, n, np.uint32)
        expected = list(itertools.accumulate(x.tolist(), then))
        op = reedsp.Operator(THEN, 1 << 16)
        shape: Any = {"method": "dulle", "group_size": group_size, "each": each, "device": device}
        assert reedsp.inclusive_scan(x, op, **shape).tolist() == expected
        assert int(reedsp.reduce(x, op, **shape)) == expected[-1]
        assert int(reedsp.reduce(x, op, method="naive", device=device)) == expected[-1]


def test_negative_zeros_stay(device: Device) -> None:
    x = np.array([-0.0, -0.0, 0.0, -0.0], np.float32)
    found = reedsp.inclusive_scan(x, method="dulle", group_size=2, each=1, device=device)
    assert np.signbit(found).tolist() == np.signbit(x.cumsum()).tolist()


def test_arrays_of_a_device_and_in_place(device: Device) -> None:
    context = cl.Context([device.handle])
    queue = cl.CommandQueue(context)
    x = np.arange(1000, dtype=np.int32)[::-1].copy()
    array = cl_array.to_device(queue, x)
    assert reedsp.reduce(array, method="dulle", group_size=4, each=4).get()[0] == x.sum()
    assert reedsp.reduce(array, method="naive").get()[0] == x.sum()
    np.testing.assert_array_equal(array.get(), x)  # the thesis' reductions overwrite it
    assert reedsp.inclusive_scan(array, method="dulle", group_size=4, each=4, out=array) is array
    np.testing.assert_array_equal(array.get(), x.cumsum())
    nothing = cl_array.empty(queue, 0, np.int32)
    for method in ("naive", "dulle"):
        assert reedsp.reduce(nothing, "min", method=method).get()[0] == np.iinfo(np.int32).max
    assert reedsp.inclusive_scan(nothing, method="dulle").size == 0


def test_in_place_on_the_host(device: Device) -> None:
    x = np.arange(500, dtype=np.int64)
    expected = x.cumsum()
    reedsp.inclusive_scan(x, method="dulle", group_size=2, each=3, out=x, device=device)
    np.testing.assert_array_equal(x, expected)


def test_levels() -> None:
    for n, tile in itertools.product((1, 2, 7, 8, 9, 64, 65, 1000), (2, 3, 8)):
        expected, left = [], n
        while not expected or left > 1:
            left = -(-left // tile)
            expected.append(left)
        assert [nodes for _, nodes in strides_of_reduction(n, tile)] == expected
        strides = [stride for stride, _ in strides_of_scan(n, tile)]
        assert strides == [tile**level for level in range(len(strides))]
        assert n // (strides[-1] * tile) < 2  # nothing is left to combine


def test_launches_that_are_cut(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.random.default_rng(0).integers(-9, 9, 3000)
    monkeypatch.setattr(device, "steps_at_once", 100)
    shape: Any = {"method": "dulle", "group_size": 4, "each": 4, "device": device}
    np.testing.assert_array_equal(reedsp.inclusive_scan(x, **shape), x.cumsum())
    assert reedsp.reduce(x, **shape) == reedsp.reduce(x, method="naive", device=device) == x.sum()


def test_a_plan_can_be_queued_again(device: Device) -> None:
    job, dtype = Job(device), np.dtype(np.int64)
    elements = Elements(resolve("add", dtype), dtype, built_in=True)
    x = np.arange(300)
    buffer, total = job.upload(x), job.allocate(1, dtype)
    for method in ("naive", "dulle"):
        plan = plan_reduce(job, elements, buffer, total, x.size, method)
        for _ in range(2):
            for kernel in plan:
                kernel.queue()
            assert job.download(total, 1, dtype)[0] == x.sum()


def test_a_device_that_is_wrong(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selfcheck, "is_trusted", lambda *given: False)
    with pytest.raises(
        reedsp.DeviceError, match=r"Dulle's reduction of 5 x 3 elements a work-group, of u?int64, gives"
    ):
        reedsp.reduce(np.arange(9), method="dulle", group_size=5, each=3, device=device)
    with pytest.raises(reedsp.DeviceError, match=r"Dulle's reduction in pairs, of u?int64, gives wrong"):
        reedsp.reduce(np.arange(9), method="naive", device=device)


def test_the_trial_sees_what_is_wrong(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    dtype = np.dtype(np.int64)
    elements = Elements(resolve("add", dtype), dtype, built_in=True)
    for kind, shape in (("reduction", None), ("reduction", Shape(4, 2)), ("scan", Shape(4, 2))):
        assert selfcheck.follows_known_scan(device, elements, kind, shape, "0")
    for name in ("plan_pairs", "plan_tree_reduction", "plan_tree_scan"):
        plan = getattr(selfcheck, name)
        monkeypatch.setattr(selfcheck, name, lambda *given, plan=plan: plan(*given)[:-1])
    for kind, shape in (("reduction", None), ("reduction", Shape(4, 2)), ("scan", Shape(4, 2))):
        with spoilt_memory():
            assert not selfcheck.follows_known_scan(device, elements, kind, shape, "0")


WRONG: list[tuple[Callable[..., Any], dict[str, Any], type[Exception], str]] = [
    (reedsp.reduce, {"group_size": 4}, ValueError, "group_size: method = 'fast' has none"),
    (reedsp.inclusive_scan, {"each": 4, "method": "naive"}, ValueError, "each: method = 'naive' has none"),
    (reedsp.reduce, {"method": "dulle", "each": 1.5}, TypeError, "each: expected an integer, got 1.5"),
    (reedsp.reduce, {"method": "dulle", "each": True}, TypeError, "each: expected an integer, got True"),
    (reedsp.reduce, {"method": "dulle", "group_size": 0}, ValueError, "group_size: at least 1 is expected, got 0"),
    (reedsp.reduce, {"method": "dulle", "group_size": 1, "each": 1}, ValueError, "group_size and each: both are 1"),
    (reedsp.reduce, {"method": "dulle", "group_size": 1 << 20}, ValueError, "group_size: 1048576, but "),
    (reedsp.reduce, {"method": "dulle", "each": 1 << 24}, reedsp.DeviceError, "bytes of local memory, but "),
    (reedsp.exclusive_scan, {"method": "dulle"}, ValueError, "method: 'dulle' is none of"),
    (
        functools.partial(reedsp.segmented_scan, heads=[0]),
        {"method": "dulle"},
        ValueError,
        "method: 'dulle' is none of",
    ),
    (reedsp.reduce, {"method": "blelloch"}, ValueError, "method: 'blelloch' is none of"),
    (
        reedsp.reduce,
        {"method": "dulle", "op": reedsp.Operator("a +* b", 0)},
        ValueError,
        "op: 'a +* b' is no OpenCL C expression",
    ),
]


@pytest.mark.parametrize(("function", "more", "error", "message"), WRONG, ids=[each[3] for each in WRONG])
def test_wrong_arguments(
    function: Callable[..., Any], more: dict[str, Any], error: type[Exception], message: str, device: Device
) -> None:
    with pytest.raises(error) as caught:
        function([1, 2, 3], device=device, **more)
    assert message in str(caught.value)
