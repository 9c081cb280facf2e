"""Products by either way into a device and back, numpy's or kernels', of arrays of the host or of pyopencl."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pyopencl as cl
import pytest
import scipy.sparse
from pyopencl import array as cl_array

import reedsp
from reedsp.device import selfcheck
from reedsp.device.device import Device
from reedsp.minplus import entries, operands
from tests.minplus.test_entries import layouts
from tests.minplus.test_product import infinity

DTYPES = [np.dtype(f"{kind}{size}") for kind in "iu" for size in (1, 2, 4, 8)] + [np.dtype("f4"), np.dtype("f8")]
SHAPES = ((1, 1, 1), (1, 300, 2), (70, 65, 129), (130, 3, 64))
WAYS = ("numpy", "kernels", "a CPU's kernels", "a GPU's kernels")
OF_SMALL_PIECES: dict[str, dict[Any, Any]] = {}
"""What is known of a device with few entries for each work-group."""


def choose(way: str, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have one way taken, whatever the size; with few entries for each work-group of a device that pretends."""
    monkeypatch.setattr(operands, "_WORTH_KERNELS", 1 << 62 if way == "numpy" else 0)
    if way.startswith("a "):
        monkeypatch.setattr(device, "kind", way[2:5].lower())
        monkeypatch.setattr(entries, "_CPU_PIECE", 64)
        monkeypatch.setattr(entries, "_GPU_PIECE", 64)
        monkeypatch.setattr(entries, "_GPU_GROUP", 32)
        monkeypatch.setattr(selfcheck, "_known", OF_SMALL_PIECES.setdefault(way, {}))
        monkeypatch.setattr(selfcheck, "_record", lambda *_: None)  # other tests ask for other programs


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest, device: Device, monkeypatch: pytest.MonkeyPatch) -> str:
    choose(request.param, device, monkeypatch)
    return request.param


def weights(shape: tuple[int, int], dtype: np.dtype[Any], seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    matrix = rng.integers(0 if dtype.kind == "u" else -30, 31, shape).astype(dtype)
    if dtype.kind == "f":
        matrix += rng.integers(0, 8, shape).astype(dtype) / 8
    matrix[rng.random(shape) < 0.3] = infinity(dtype)
    return matrix


def expected_product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """By numpy in float64, which holds all sums here."""
    dtype = np.result_type(a, b)
    left, right = (np.where(each == infinity(each.dtype), np.inf, each.astype(np.float64)) for each in (a, b))
    sums = np.array([(row[:, None] + right).min(axis=0, initial=np.inf) for row in left]).reshape(len(a), b.shape[1])
    result = np.where(sums == np.inf, 0, sums).astype(dtype)
    result[sums == np.inf] = infinity(dtype)
    return result


def needs_doubles(device: Device, dtype: np.dtype[Any]) -> None:
    if dtype == np.float64 and not device.fp64:
        pytest.skip("the device has no doubles")


@pytest.mark.deep
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_every_type_and_shape(dtype: np.dtype[Any], way: str, device: Device) -> None:
    needs_doubles(device, dtype)
    for rows, inner, columns in SHAPES:
        a, b = weights((rows, inner), dtype, 1), weights((inner, columns), dtype, 2)
        for out in (None, np.empty((rows, columns), dtype)):
            product = reedsp.min_plus_product(a, b, device=device, out=out)
            assert out is None or product is out
            assert product.tobytes() == expected_product(a, b).tobytes()
            assert product.dtype == dtype
            assert product.flags.owndata
            assert product.flags.carray
    square = weights((67, 67), dtype, 3)
    power = reedsp.min_plus_power(square, 3, device=device)
    assert power.tobytes() == expected_product(expected_product(square, square), square).tobytes()


@pytest.mark.deep
def test_types_that_differ(way: str, device: Device) -> None:
    for left, right in itertools.product(map(np.dtype, ("i1", "u4", "i8", "f4")), map(np.dtype, ("i2", "u8", "f4"))):
        if np.result_type(left, right) != np.float64 or device.fp64:
            a, b = weights((20, 30), left, 1), weights((30, 10), right, 2)
            assert reedsp.min_plus_product(a, b, device=device).tobytes() == expected_product(a, b).tobytes()


@pytest.mark.deep
def test_layouts(way: str, device: Device) -> None:
    a, b = weights((40, 30), np.dtype(np.int32), 1), weights((30, 20), np.dtype(np.int32), 2)
    expected = expected_product(a, b)
    for left, right in zip(layouts(a), layouts(b), strict=True):
        assert np.array_equal(reedsp.min_plus_product(left, right, device=device), expected)
        assert np.array_equal(reedsp.min_plus_product(left, b, device=device), expected)
    same = np.broadcast_to(np.float32(2), (70, 70))
    assert (reedsp.min_plus_product(same, same, device=device) == 4).all()
    half = weights((20, 20), np.dtype(np.float32), 1).astype(np.float16)
    found = reedsp.min_plus_product(half, half.T, device=device)
    assert np.array_equal(found, expected_product(half.astype(np.float32), half.T.astype(np.float32)))
    swapped = half.astype(half.dtype.newbyteorder())
    assert np.array_equal(reedsp.min_plus_product(swapped, swapped.T, device=device), found)


@pytest.mark.deep("kernels")
def test_the_first_wrong_entry(way: str, device: Device) -> None:
    right = np.ones((90, 50), np.float32)
    for place, number in itertools.product(((0, 0), (1, 0), (44, 77), (59, 89)), (np.nan, -np.inf)):
        wrong = np.ones((60, 90), np.float32)
        wrong[place] = number
        wrong[59, 89] = number
        for given in (wrong, np.asfortranarray(wrong), np.repeat(wrong, 2, axis=1)[:, ::2]):
            with pytest.raises(ValueError, match=rf"^a\[{place[0]}, {place[1]}\] is {number}$"):
                reedsp.min_plus_product(given, right, device=device)
            with pytest.raises(ValueError, match=r"^b\["):
                reedsp.min_plus_product(right.T, given.T, device=device)
        with pytest.raises(ValueError, match=rf"^a\[{place[0]}, {place[1]}\] is {number}$"):
            reedsp.min_plus_power(np.pad(wrong, ((0, 30), (0, 0))), 0, device=device)


@pytest.mark.deep
@pytest.mark.parametrize("dtype", DTYPES[:8], ids=str)
def test_results_on_both_sides_of_the_limits(dtype: np.dtype[Any], way: str, device: Device) -> None:
    limits = np.iinfo(dtype)
    a, b = np.zeros((70, 3), dtype), np.zeros((3, 70), dtype)
    a[33, :], b[:, 50] = limits.max - 1, 0
    a[34, :] = limits.min
    assert reedsp.min_plus_product(a, b, device=device).tolist() == np.repeat(a[:, :1], 70, axis=1).tolist()
    b[:, 50] = 1
    text = rf"^entry \(33, 50\) of the product is {limits.max}, which {dtype} cannot hold$"
    with pytest.raises(OverflowError, match=text):
        reedsp.min_plus_product(a, b, device=device)
    with pytest.raises(OverflowError, match=text):
        reedsp.min_plus_product(a, b, device=device, out=np.empty((70, 70), dtype))
    if dtype.kind == "i":
        b[:, 50] = -1
        text = rf"^entry \(34, 50\) of the product is {limits.min - 1}, which {dtype} cannot hold$"
        with pytest.raises(OverflowError, match=text):
            reedsp.min_plus_product(a, b, device=device)
    square = np.full((70, 70), limits.max // 2 + 1, dtype)
    with pytest.raises(OverflowError, match=rf"^entry \(0, 0\) of the product is {2 * (limits.max // 2 + 1)}, which"):
        reedsp.min_plus_power(square, 2, device=device)


@pytest.mark.deep("a CPU's", "kernels")
def test_every_result_is_looked_at(way: str, device: Device) -> None:
    a, b = np.array([[100]], np.int8), np.zeros((1, 70), np.int8)
    for column in range(70):
        b[0, column] = 27
        with pytest.raises(OverflowError, match=rf"^entry \(0, {column}\) of the product is 127, which int8"):
            reedsp.min_plus_product(a, b, device=device)
        b[0, column] = 26
    assert (reedsp.min_plus_product(a, b, device=device) == 126).all()


@pytest.mark.deep
@pytest.mark.parametrize("dtype", DTYPES[8:], ids=str)
def test_floats_at_their_limits(dtype: np.dtype[Any], way: str, device: Device) -> None:
    needs_doubles(device, dtype)
    largest = np.finfo(dtype).max
    a = np.array([[-0.0, np.inf], [largest, largest], [-largest, 0]], dtype)
    found = reedsp.min_plus_product(a, np.array([[-0.0, largest], [np.inf, largest]], dtype), device=device)
    assert found.tobytes() == np.array([[0, largest], [largest, np.inf], [-largest, 0]], dtype).tobytes()


@pytest.mark.deep("a GPU's", "a CPU's", "kernels")
def test_empty_matrices_and_powers(way: str, device: Device) -> None:
    for rows, inner, columns in ((0, 3, 2), (3, 0, 2), (3, 2, 0), (0, 0, 0)):
        out = np.zeros((rows, columns), np.int16)
        a, b = np.zeros((rows, inner), "i2"), np.zeros((inner, columns), "i2")
        product = reedsp.min_plus_product(a, b, out=out, device="none")
        assert product is out
        assert (out == 32767).all()
    a = weights((66, 66), np.dtype(np.float32), 1)
    unit = np.full((66, 66), np.inf)
    np.fill_diagonal(unit, 0)
    for k, expected in ((0, unit), (1, a), (2, expected_product(a, a))):
        out = np.empty((66, 66), np.float32)
        assert np.array_equal(reedsp.min_plus_power(a, k, device=device), expected)
        assert reedsp.min_plus_power(a, k, device=device, out=out) is out
        assert np.array_equal(out, expected)


@pytest.mark.deep("a CPU's", "a GPU's kernels")
def test_a_result_in_the_place_of_a_matrix(way: str, device: Device) -> None:
    a, b = weights((66, 66), np.dtype(np.int32), 1), weights((66, 66), np.dtype(np.int32), 2)
    expected = expected_product(a, b)
    for place in (0, 1):
        given = [a.copy(), b.copy()]
        reedsp.min_plus_product(*given, device=device, out=given[place])
        assert np.array_equal(given[place], expected)
    assert np.array_equal(reedsp.min_plus_power(given[0], 2, device=device, out=given[0]), expected_product(a, a))
    memory = np.zeros((100, 66), np.int32)
    memory[:66], memory[34:] = a, b
    overlapping = memory[:66].copy()
    reedsp.min_plus_product(memory[:66], memory[34:], device=device, out=memory[10:76])
    assert np.array_equal(memory[10:76], expected_product(overlapping, b))


@pytest.mark.parametrize(
    ("out", "error", "message"),
    [
        ([[0]], TypeError, "^out: expected an array, got list"),
        (np.empty((2, 3)), ValueError, r"^out: expected shape \(2, 2\) and dtype float32, got \(2, 3\) and float64"),
        (np.empty((2, 2)), ValueError, r"^out: expected shape \(2, 2\) and dtype float32, got \(2, 2\) and float64"),
        (np.empty((2, 4), "f4")[:, ::2], ValueError, "^out: it has to be contiguous, aligned and writable"),
        (np.empty((2, 2), "f4", order="F"), ValueError, "^out: it has to be contiguous, aligned and writable"),
    ],
)
def test_wrong_outputs(out: Any, error: type[Exception], message: str) -> None:
    a = np.ones((2, 2), np.float32)
    with pytest.raises(error, match=message):
        reedsp.min_plus_product(a, a, out=out)
    with pytest.raises(error, match=message):
        reedsp.min_plus_power(a, 3, out=out)


# ---- arrays of pyopencl -----------------------------------------------------------------------------


@pytest.fixture(params=["in order", "out of order"])
def queue(request: pytest.FixtureRequest, device: Device) -> cl.CommandQueue:
    mode = cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE if request.param == "out of order" else 0
    return cl.CommandQueue(device.context, device.handle, properties=mode)


@pytest.mark.deep
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_arrays_of_a_device(dtype: np.dtype[Any], queue: cl.CommandQueue, device: Device) -> None:
    needs_doubles(device, dtype)
    a, b = weights((70, 65), dtype, 1), weights((65, 129), dtype, 2)
    left, right = (cl_array.to_device(queue, each) for each in (a, b))
    expected = expected_product(a, b)
    product = reedsp.min_plus_product(left, right)
    assert product.queue is queue
    assert product.dtype == dtype
    assert product.get().tobytes() == expected.tobytes()
    out = cl_array.empty(queue, expected.shape, dtype)
    assert reedsp.min_plus_product(left, right, out=out, device=device) is out
    assert out.get().tobytes() == expected.tobytes()
    square = cl_array.to_device(queue, a[:65])
    for k in range(4):
        power = reedsp.min_plus_power(square, k)
        assert power.get().tobytes() == reedsp.min_plus_power(a[:65], k, device=device).tobytes()
    reedsp.min_plus_power(square, 2, out=square)
    assert square.get().tobytes() == expected_product(a[:65], a[:65]).tobytes()
    assert left.get().tobytes() == a.tobytes()


def test_parts_of_arrays_of_a_device(queue: cl.CommandQueue) -> None:
    """That begin where buffers can begin, and where none can."""
    host = weights((200, 64), np.dtype(np.int32), 1)
    memory = cl_array.to_device(queue, host)
    for first in (0, 1, 32, 64):
        part = memory[first : first + 64]
        assert np.array_equal(
            reedsp.min_plus_product(part, part).get(),
            expected_product(host[first : first + 64], host[first : first + 64]),
        )
    reedsp.min_plus_product(memory[1:65], memory[:64], out=memory[2:66])
    host[2:66] = expected_product(host[1:65], host[:64])
    assert np.array_equal(memory.get(), host)


@pytest.mark.deep("in order")
def test_what_is_wrong_on_a_device(queue: cl.CommandQueue) -> None:
    a = np.ones((66, 66), np.float32)
    a[7, 65] = np.nan
    with pytest.raises(ValueError, match=r"^b\[7, 65\] is nan$"):
        reedsp.min_plus_product(cl_array.to_device(queue, np.ones_like(a)), cl_array.to_device(queue, a))
    high = cl_array.to_device(queue, np.full((3, 3), 100, np.int8))
    with pytest.raises(OverflowError, match=r"^entry \(0, 0\) of the product is 200, which int8 cannot hold$"):
        reedsp.min_plus_product(high, high)
    large = cl_array.to_device(queue, np.full((2, 2), 2**62, np.uint64))
    assert (reedsp.min_plus_product(large, large).get() == 2**63).all()  # which no type of the device holds
    for left, right in ((high, np.ones((3, 3), np.int8)), (np.ones((3, 3), np.int8), high)):
        with pytest.raises(TypeError, match=r"^b: a .* array, but a is a .* array; convert one$"):
            reedsp.min_plus_product(left, right)
    with pytest.raises(TypeError, match=r"^out: a host array, but a is a pyopencl array; convert one$"):
        reedsp.min_plus_power(high, 2, out=np.empty((3, 3), np.int8))
    with pytest.raises(ValueError, match=r"^a: only contiguous arrays are supported on a device$"):
        reedsp.min_plus_product(cl_array.to_device(queue, a).T, high)
    with pytest.raises(TypeError, match=r"^a: float16 is not supported on a device$"):
        reedsp.min_plus_power(cl_array.to_device(queue, a.astype(np.float16)), 2)
    swapped = cl_array.to_device(queue, np.ones((2, 2), np.dtype(np.int32).newbyteorder()))
    with pytest.raises(TypeError, match=r"^a: [<>]i4 is not in this machine's byte order"):
        reedsp.min_plus_product(swapped, swapped)
    with pytest.raises(TypeError, match=r"^graph: [<>]i4 is not in this machine's byte order"):
        reedsp.all_pairs_on_device(swapped)
    with pytest.raises(ValueError, match=r"^a: a matrix is expected, got shape \(5,\)$"):
        reedsp.min_plus_power(cl_array.zeros(queue, 5, np.int32), 2)


def test_empty_arrays_of_a_device(queue: cl.CommandQueue) -> None:
    for rows, inner, columns in ((0, 3, 2), (3, 0, 2), (3, 2, 0)):
        a, b = (cl_array.empty(queue, shape, np.int16) for shape in ((rows, inner), (inner, columns)))
        product = reedsp.min_plus_product(a, b)
        assert product.shape == (rows, columns)
        assert product.size == 0 or (product.get() == 32767).all()


# ---- what cannot be trusted -------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["can_look", "can_convert", "can_write"])
def test_numpy_takes_the_place_of_a_wrong_kernel(name: str, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(operands, "_WORTH_KERNELS", 0)
    monkeypatch.setattr(operands, name, lambda *arguments: False)
    a = weights((66, 66), np.dtype(np.int32), 1)
    assert np.array_equal(reedsp.min_plus_product(a, a, device=device), expected_product(a, a))
    on_device = cl_array.to_device(device.queue, a)
    with pytest.raises(reedsp.DeviceError, match="it cannot convert such matrices; use arrays of the host"):
        reedsp.min_plus_product(on_device, on_device)


def test_what_takes_a_large_part_of_memory(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """There is no room for it as it is given and as it is computed with."""
    monkeypatch.setattr(operands, "_WORTH_KERNELS", 0)
    monkeypatch.setattr(device, "global_memory", 4 * 2 * 66 * 66 * 4 - 1)
    monkeypatch.setattr(operands, "look", None)
    a = weights((66, 66), np.dtype(np.int32), 1)
    assert np.array_equal(reedsp.min_plus_product(a, a, device=device), expected_product(a, a))


def test_what_is_no_dense_matrix() -> None:
    for wrong, name in ((scipy.sparse.csr_array([[1]]), "csr_array"), (reedsp.Graph.from_edges(1, [], []), "Graph")):
        with pytest.raises(TypeError, match=f"^a: a dense matrix is expected, got a {name}$"):
            reedsp.min_plus_product(wrong, [[1]])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"^b: setting an array element with a sequence"):
        reedsp.min_plus_product([[1]], [[1], [1, 2]])  # type: ignore[list-item]
