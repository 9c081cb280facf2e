"""Reductions, scans and compactions against numpy and the oracle, on arrays of the host and of devices."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import operator
import os
import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
import pyopencl.tools as cl_tools
import pytest

import reedsp
from reedsp.device import discovery
from reedsp.device.arrays import DeviceArrays
from reedsp.device.device import Device
from reedsp.device.job import Job
from reedsp.primitives import plans, scan, selfcheck
from tests.deep import under_oclgrind
from tests.support import oracle

METHODS = ("fast", "work-group", "work-item", "blelloch", "naive")
CHUNKED = METHODS[:3]
DTYPES = [np.dtype(name) for name in ("int32", "uint32", "int64", "uint64", "float32", "float64")]
INTEGERS, FLOATS = DTYPES[:4], DTYPES[4:]
UFUNCS = {"add": np.add, "min": np.minimum, "max": np.maximum}
KINDS = list(itertools.product((False, True), repeat=2))  # exclusive, segmented
RNG_SEED = 20

AFFINE = "((a >> 16) * (b >> 16) & 0xFFFF) << 16 | ((a & 0xFFFF) * (b >> 16) + (b & 0xFFFF) & 0xFFFF)"


def then(a: int, b: int) -> int:
    """The affine map a, then b; scale and shift modulo 2^16, packed into one number."""
    (s, t), (u, v) = divmod(a, 1 << 16), divmod(b, 1 << 16)
    return s * u % (1 << 16) << 16 | (t * u + v) % (1 << 16)


def last_of(a: float, b: float) -> float:
    return b if b != 0 else a


OPERATORS = [
    (reedsp.Operator(AFFINE, 1 << 16), then, "int64"),
    (reedsp.Operator(AFFINE, 1 << 16), then, "uint32"),
    (reedsp.Operator("b == 0 ? a : b", 0), last_of, "float32"),
    (reedsp.Operator("a ^ b", 0, commutative=True), operator.xor, "uint64"),
]
OPERATOR_IDS = ["affine-int64", "affine-uint32", "last-float32", "xor-uint64"]


@pytest.fixture(autouse=True)
def no_double(request: pytest.FixtureRequest) -> None:
    """Skip a test in float64 on a device that has none."""
    parameters = request.node.callspec.params if hasattr(request.node, "callspec") else {}
    if parameters.get("dtype") == np.float64 and not parameters["device"].fp64:
        pytest.skip("the device has no float64")


@pytest.fixture
def small(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tiles, segments, chunks and spans so small that short arrays have many of each."""
    monkeypatch.setattr(plans, "_GROUP_SIZE", 4)
    monkeypatch.setattr(plans, "_BLELLOCH_GROUP_SIZE", 4)
    monkeypatch.setattr(plans, "_GROUPS_PER_COMPUTE_UNIT", 3)
    monkeypatch.setattr(plans, "_CHUNK", 64)
    monkeypatch.setattr(plans, "_SHORTEST_CHUNK", 16)
    monkeypatch.setattr(plans, "_LINE", 8)
    monkeypatch.setattr(device, "compute_units", 3)


@functools.cache
def context_of(device: Device) -> cl.Context:
    """Return a context that lives on: with Intel's runtime a queue does not keep its own."""
    return cl.Context([device.handle])


@functools.cache
def queue_of(device: Device, out_of_order: bool = False) -> cl.CommandQueue:
    properties = cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE if out_of_order else 0
    return cl.CommandQueue(context_of(device), properties=properties)


@pytest.fixture
def queue(device: Device) -> cl.CommandQueue:
    """A queue of the test's own, in a context of its own."""
    return queue_of(device)


def block(device: Device, method: str, item_bytes: int) -> int:
    """Elements of a tile, segment, span or work-group under the fixture `small`."""
    method = selfcheck.preferred_form(device, method)
    return {"work-group": 4 * 4 * plans._ROWS[item_bytes], "work-item": 32 + 3 * 64, "blelloch": 32, "naive": 64}[
        method
    ]


def lengths(width: int) -> list[int]:
    return [0, 1, 2, width - 1, width, width + 1, 2 * width - 1, 2 * width, 2 * width + 1, 32 * 32 + 1, 20 * width + 3]


def values(dtype: np.dtype[Any], n: int) -> np.ndarray:
    """Integers over the whole range of the type, often its limits; or floats of which every sum is exact."""
    rng = np.random.default_rng([RNG_SEED, n])
    if dtype.kind == "f":
        return rng.integers(-50, 50, n).astype(dtype)
    limits = np.iinfo(dtype)
    x = rng.integers(limits.min, limits.max, n, dtype, endpoint=True)
    x[rng.random(n) < 0.2] = limits.max
    x[rng.random(n) < 0.1] = limits.min
    return x


def random_heads(n: int) -> np.ndarray:
    return np.random.default_rng([RNG_SEED + 1, n]).random(n) < 0.03


def join_of(op: str, dtype: np.dtype[Any]) -> Callable[[Any, Any], Any]:
    if op != "add":
        return {"min": min, "max": max}[op]
    if dtype.kind == "f":
        return operator.add
    low, size = int(np.iinfo(dtype).min), 1 << 8 * dtype.itemsize
    return lambda a, b: (a + b - low) % size + low


def identity(op: str, dtype: np.dtype[Any]) -> Any:
    limits = np.iinfo(dtype) if dtype.kind in "iu" else None
    least, greatest = (limits.min, limits.max) if limits else (-np.inf, np.inf)
    return {"add": 0, "min": greatest, "max": least}[op]


def numpy_scan(x: np.ndarray, op: str, heads: np.ndarray, exclusive: bool) -> np.ndarray:
    pieces = []
    for piece in np.split(x, np.flatnonzero(heads)):
        prefixes = UFUNCS[op].accumulate(piece, dtype=x.dtype)
        shifted = np.concatenate([np.array([identity(op, x.dtype)], x.dtype), prefixes])[:-1]
        pieces.append(shifted if exclusive else prefixes)
    return np.concatenate(pieces)


def scanned(x: Any, op: Any, method: str, exclusive: bool, heads: Any = None, **options: Any) -> Any:
    if heads is not None:
        return reedsp.segmented_scan(x, heads, op, method, exclusive=exclusive, **options)
    return (reedsp.exclusive_scan if exclusive else reedsp.inclusive_scan)(x, op, method, **options)


# ---- results ----------------------------------------------------------------------------------------


def case_of(method: str, dtype: np.dtype[Any]) -> tuple[str, bool, bool]:
    """Return an operator and a kind of scan, which alternate: each meets every method and type, and one another."""
    number = METHODS.index(method) + DTYPES.index(dtype)
    return list(UFUNCS)[(number + DTYPES.index(dtype) // 3) % len(UFUNCS)], *KINDS[number % len(KINDS)]


def test_every_pair_of_method_type_operator_and_kind_is_tried() -> None:
    cases = [
        (method, dtype, op, kind) for method in METHODS for dtype in DTYPES for op, *kind in [case_of(method, dtype)]
    ]
    choices = METHODS, DTYPES, list(UFUNCS), [list(kind) for kind in KINDS]
    for (i, first), (j, second) in itertools.combinations(enumerate(choices), 2):
        assert all(any(case[i] == a and case[j] == b for case in cases) for a in first for b in second)


@pytest.mark.deep
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("method", METHODS)
def test_scans(method: str, dtype: np.dtype[Any], device: Device, small: None) -> None:
    op, exclusive, segmented = case_of(method, dtype)
    for n in lengths(block(device, method, dtype.itemsize * (1 + segmented))):
        x, heads = values(dtype, n), random_heads(n)
        got = scanned(x, op, method, exclusive, heads if segmented else None, device=device)
        assert got.dtype == dtype
        expected = oracle.scan(x.tolist(), join_of(op, dtype), identity(op, dtype), heads & segmented, exclusive)
        assert got.tolist() == expected
        assert got.tobytes() == numpy_scan(x, op, heads & segmented, exclusive).tobytes()


@pytest.mark.deep
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("method", CHUNKED)
def test_reductions(method: str, dtype: np.dtype[Any], device: Device, small: None) -> None:
    op, *_ = case_of(method, dtype)
    for n in lengths(block(device, method, dtype.itemsize)):
        x = values(dtype, n)
        got = reedsp.reduce(x, op, method=method, device=device)
        assert type(got) is dtype.type
        assert got == functools.reduce(join_of(op, dtype), x.tolist(), identity(op, dtype))
        assert got == UFUNCS[op].reduce(x, dtype=dtype, initial=identity(op, dtype))


@pytest.mark.deep
@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("method", METHODS)
def test_sizes_that_are_used(method: str, exclusive: bool, device: Device) -> None:
    x, heads = values(np.dtype(np.int32), 100_003), random_heads(100_003)
    assert (scanned(x, "add", method, exclusive, device=device) == numpy_scan(x, "add", heads & False, exclusive)).all()
    expected = numpy_scan(x, "add", heads, exclusive)
    assert (scanned(x, "add", method, exclusive, heads, device=device) == expected).all()
    if method in CHUNKED:
        assert reedsp.reduce(x, method=method, device=device) == x.sum(dtype=x.dtype)
        assert (reedsp.compact(x, heads, method=method, device=device) == x[heads]).all()


@pytest.mark.deep
@pytest.mark.parametrize(("op", "join", "dtype"), OPERATORS, ids=OPERATOR_IDS)
@pytest.mark.parametrize("method", METHODS)
def test_operators_of_ones_own(
    method: str, op: reedsp.Operator, join: Callable[[Any, Any], Any], dtype: str, device: Device, small: None
) -> None:
    kind = METHODS.index(method) + OPERATORS.index((op, join, dtype))  # each kind meets every method and operator
    exclusive, segmented = KINDS[kind % len(KINDS)]
    width = block(device, method, np.dtype(dtype).itemsize * (1 + segmented))
    for n in (0, 1, 2, width + 1, 2 * width - 1, 32 * 32 + 1, 10 * width + 3):
        rng = np.random.default_rng([RNG_SEED, n])
        x, heads = rng.integers(0, 1 << 32, n).astype(dtype), random_heads(n)
        x[rng.random(n) < 0.5] = 3 << 16 if join is then else 0
        got = scanned(x, op, method, exclusive, heads if segmented else None, device=device)
        assert got.tolist() == oracle.scan(x.tolist(), join, op.identity, heads & segmented, exclusive)
        if method in CHUNKED:
            total = reedsp.reduce(x, op, method=method, device=device)
            assert total == functools.reduce(join, x.tolist(), op.identity)


def plan_of(device: Device, method: str, n: int, op: str = "add", **options: Any) -> list[Any]:
    job = Job(device)
    elements = dataclasses.replace(scan._elements(op, np.dtype(np.int32)), **options)
    buffers = plans.Buffers(*(job.allocate(n, np.int32) for _ in range(4)))
    return scan.plan_scan(job, elements, buffers, n, method)


@pytest.mark.deep
@pytest.mark.parametrize(
    ("n", "levels"),
    [(0, 1), (1, 1), (32, 1), (33, 2), (32**2, 2), (32**2 + 1, 3), (32**3, 3), (32**3 + 1, 4)],
)
@pytest.mark.parametrize("segmented", [False, True])
def test_levels_of_recursion(n: int, levels: int, segmented: bool, device: Device, small: None) -> None:
    names = [kernel._name for kernel in plan_of(device, "blelloch", n, segmented=segmented)]
    assert names == ["segment_sums"] * levels + ["uniform_add"] * (levels - 1)
    x, heads = values(np.dtype(np.int32), n), random_heads(n)
    got = scanned(x, "add", "blelloch", False, heads if segmented else None, device=device)
    assert (got == numpy_scan(x, "add", heads & segmented, False)).all()


def test_launches(device: Device, small: None) -> None:
    """The lengths of the tests above need more than one chunk, more than one tile a chunk, and several spans."""
    tiles = 20 + 1
    reduction, scan_of_chunks = plan_of(device, "work-group", 20 * 128 + 3)
    chunks = scan_of_chunks._global_size[0] // 4
    assert reduction._global_size == scan_of_chunks._global_size
    assert 4 < chunks < tiles
    assert len(plan_of(device, "work-group", 128)) == 1
    assert len(plan_of(device, "work-item", 20 * 224 + 3)) == 2 * 20 + 1
    assert {kernel._global_size for kernel in plan_of(device, "work-item", 20 * 224 + 3)} == {(3,)}
    assert len(plan_of(device, "naive", 65)) == 2 + 7


@pytest.mark.parametrize(
    ("method", "group_size"),
    [*(("work-group", size) for size in (1, 2, 3, 8, 64)), *(("blelloch", size) for size in (1, 2, 8, 64))],
)
@pytest.mark.deep
def test_work_group_sizes(method: str, group_size: int, device: Device) -> None:
    job, x = Job(device), values(np.dtype(np.int32), 1500)
    out, total = job.allocate(x.size, x.dtype), job.allocate(1, x.dtype)
    elements = scan._elements("add", x.dtype)
    source = job.upload(x)
    for kernel in scan.plan_scan(job, elements, plans.Buffers(source, source, out, total), x.size, method, group_size):
        kernel.queue()
    assert (job.download(out, x.size, x.dtype) == x.cumsum(dtype=x.dtype)).all()
    if method == "work-group":
        assert job.download(total, 1, x.dtype) == x.sum(dtype=x.dtype)
        for kernel in scan.plan_reduce(job, elements, source, total, x.size, method, group_size):
            kernel.queue()
        assert job.download(total, 1, x.dtype) == x.sum(dtype=x.dtype)


@pytest.mark.deep("group", "False-work-item")
@pytest.mark.parametrize("method", ["work-group", "work-item"])
@pytest.mark.parametrize("exclusive", [False, True])
def test_the_device_alone_knows_how_many(method: str, exclusive: bool, device: Device, small: None) -> None:
    """One plan for as many as there may be, over one chunk, several, and spans that begin behind the last element."""
    n = 20 * 224 + 3
    x = values(np.dtype(np.uint32), n)
    job, elements = Job(device), dataclasses.replace(scan._elements("add", x.dtype), exclusive=exclusive, counted=True)
    source, count = job.upload(x), job.allocate(1, np.uint32)
    out, total = job.allocate(n, x.dtype), job.allocate(1, x.dtype)
    plan = scan.plan_scan(job, elements, plans.Buffers(source, source, out, total, count), n, method)
    assert len(plan) > 1
    for length in (0, 1, 31, 128, 224, 225, 1000, 2 * 224, n - 1, n):
        job.fill(out, n, np.uint32(77))
        job.fill(count, 1, np.uint32(length))
        for kernel in plan:
            kernel.queue()
        got = job.download(out, n, x.dtype)
        assert (got[:length] == numpy_scan(x[:length], "add", np.zeros(length, np.bool_), exclusive)).all()
        assert (got[length:] == 77).all()
        assert job.download(total, 1, x.dtype)[0] == x[:length].sum(dtype=x.dtype)


def test_a_plan_can_be_queued_again(device: Device, small: None) -> None:
    for method in METHODS:
        job, x = Job(device), values(np.dtype(np.int32), 700)
        source, out, total = job.upload(x), job.allocate(x.size, x.dtype), job.allocate(1, x.dtype)
        buffers = plans.Buffers(source, source, out, total)
        plan = scan.plan_scan(job, scan._elements("add", x.dtype), buffers, x.size, method)
        for _ in range(2):
            for kernel in plan:
                kernel.queue()
            assert (job.download(out, x.size, x.dtype) == x.cumsum(dtype=x.dtype)).all()
            x = x[::-1].copy()
            cl.enqueue_copy(device.queue, source, x)


@pytest.fixture
def passing_once(device: Device, small: None, monkeypatch: pytest.MonkeyPatch) -> Device:
    """A GPU, or a device that pretends to be one, that scans short arrays in a single pass, in tiles of 32 elements."""
    pretender = Device(device.index, device.handle)
    pretender._context, pretender._queue = device.context, device.queue
    pretender.kind = "gpu"
    if not pretender.int64_atomics:
        pytest.skip("the device has no atomic operations of 64 bits")
    for name, value in {"_ROWS_OF_SINGLE_PASS": 2, "_LOOKS": 2}.items():
        monkeypatch.setattr(plans, name, value)
    monkeypatch.setattr(scan, "SHORTEST_SINGLE_PASS", 1)
    return pretender


@pytest.mark.deep
@pytest.mark.parametrize("n", [1, 31, 32, 33, 64, 4 * 32 + 1, 5 * 32, 20 * 32 + 3])
@pytest.mark.parametrize("exclusive", [False, True])
def test_single_pass(n: int, exclusive: bool, passing_once: Device) -> None:
    """Up to a tile, and more tiles than a work-group looks at together."""
    for dtype, op in itertools.product(("int32", "uint32", "float32"), UFUNCS):
        x, job = values(np.dtype(dtype), n), Job(passing_once)
        given, out, total = job.upload(x), job.allocate(n, x.dtype), job.allocate(1, x.dtype)
        elements = scan._elements(op, x.dtype, exclusive=exclusive, scanned=True)
        plan = scan.plan_scan(job, elements, plans.Buffers(given, given, out, total), n)
        assert [kernel._name for kernel in plan] == ["clear_words", "scan_tiles"]
        for _ in range(2):
            for kernel in plan:
                kernel.queue()
            got = job.download(out, n, x.dtype)
            assert (got == numpy_scan(x, op, np.zeros(n, np.bool_), exclusive)).all()
            assert job.download(total, 1, x.dtype)[0] == UFUNCS[op].reduce(x, dtype=x.dtype)


@pytest.mark.deep
def test_what_is_scanned_in_a_single_pass(passing_once: Device) -> None:
    """What a word has room for, if it does not become what it is read from."""
    job = Job(passing_once)
    x, out = job.allocate(500, np.float64), job.allocate(500, np.float64)

    def names(target: Any, elements: plans.Elements, method: str = "fast") -> list[str]:
        plan = scan.plan_scan(job, elements, plans.Buffers(x, x, target, x), 500, method)
        return [kernel._name for kernel in plan]

    single, others = ["clear_words", "scan_tiles"], ["reduce_chunks", "scan_chunks"]
    plain = scan._elements("add", np.dtype(np.float32))
    assert names(out, plain) == single
    assert names(x, plain) == names(out, plain, "work-group") == others
    assert names(out, scan._elements("add", np.dtype(np.int64))) == others
    assert names(out, scan._elements(reedsp.Operator("a ^ b", 0), np.dtype(np.uint32))) == others
    assert names(out, dataclasses.replace(plain, segmented=True)) == others
    passing_once.int64_atomics = False
    assert names(out, plain) == others


@pytest.mark.deep
@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("looks", [0, 3])
def test_no_order_of_work_groups_makes_a_difference(
    looks: int, exclusive: bool, passing_once: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Floats are the same bits whether tiles before are done, or have to be added by those behind."""
    monkeypatch.setattr(plans, "_LOOKS", looks)
    rng, n = np.random.default_rng(RNG_SEED), 30 * 32 + 9
    numbers = (rng.standard_normal(n) * 10.0 ** rng.integers(-6, 6, n)).astype(np.float32)
    elements = scan._elements("add", numbers.dtype, exclusive=exclusive, scanned=True)
    for x in (numbers, np.full(n, -0.0, np.float32)):
        job, found = Job(passing_once), set()
        given, out, total = job.upload(x), job.allocate(n, x.dtype), job.allocate(1, x.dtype)
        buffers = plans.Buffers(given, given, out, total)
        clear, scan_tiles = plans.scan_in_form(job, elements, buffers, n, "single-pass", None)
        for together, step in ((31, 1), (1, 1), (1, -1), (7, -1)):  # tiles of a dispatch, and in which order these come
            parts = range(0, 31, together)[::step]
            scan_tiles._dispatches = [((4 * part,), (4 * min(together, 31 - part),)) for part in parts]
            clear.queue()
            scan_tiles.queue()
            found.add(job.download(out, n, x.dtype).tobytes() + job.download(total, 1, x.dtype).tobytes())
        assert len(found) == 1
        right = np.cumsum(x, dtype=np.float64)
        prefixes = np.frombuffer(found.pop(), np.float32)
        np.testing.assert_allclose(
            prefixes[1:n] if exclusive else prefixes[:n], right[:-1] if exclusive else right, 1e-3
        )
        assert np.signbit(prefixes[:n]).all() == (not exclusive and x is not numbers)


# ---- numbers ----------------------------------------------------------------------------------------


@pytest.mark.deep
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("method", METHODS)
def test_rounding_stays_within_its_bound_and_never_varies(
    method: str, dtype: np.dtype[Any], device: Device, small: None
) -> None:
    n = 1500
    rng = np.random.default_rng(RNG_SEED)
    x = (rng.standard_normal(n) * 10.0 ** rng.integers(-6, 6, n)).astype(dtype)
    exact = list(itertools.accumulate(map(Fraction, x.tolist())))
    magnitude = list(itertools.accumulate(abs(Fraction(value)) for value in x.tolist()))
    bound = n * Fraction(float(np.finfo(dtype).eps))
    runs = [reedsp.inclusive_scan(x, "add", method, device=device) for _ in range(3)]
    assert len({run.tobytes() for run in runs}) == 1
    for got, right, size in zip(runs[0].tolist(), exact, magnitude, strict=True):
        assert abs(Fraction(got) - right) <= bound * size
    if method in CHUNKED:
        totals = [reedsp.reduce(x, method=method, device=device) for _ in range(3)]
        assert len({total.tobytes() for total in totals}) == 1
        assert abs(Fraction(totals[0].item()) - exact[-1]) <= bound * magnitude[-1]
    for infinity in (np.inf, -np.inf, np.nan):
        x = values(dtype, n)
        x[n // 2] = infinity
        assert_scan_and_total_as_numpy(x, "add", method, device)


@pytest.mark.deep
@pytest.mark.parametrize("op", ["min", "max"])
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("method", METHODS)
def test_infinity_and_nan(method: str, dtype: np.dtype[Any], op: str, device: Device, small: None) -> None:
    x = values(dtype, 700)
    x[40::97] = np.inf
    x[55::97] = -np.inf
    assert_scan_and_total_as_numpy(x, op, method, device)
    for place in (0, 1, 63, 350, 699):
        x = values(dtype, 700)
        x[place] = np.nan
        assert_scan_and_total_as_numpy(x, op, method, device)


def assert_scan_and_total_as_numpy(x: np.ndarray, op: str, method: str, device: Device) -> None:
    expected = UFUNCS[op].accumulate(x)
    np.testing.assert_array_equal(reedsp.inclusive_scan(x, op, method, device=device), expected)
    if method in CHUNKED:
        np.testing.assert_array_equal(reedsp.reduce(x, op, method=method, device=device), expected[-1])


def test_infinities_of_both_signs_add_up_to_nan(device: Device) -> None:
    x = np.array([1, np.inf, 2, -np.inf, 3], np.float32)
    expected = [1, np.inf, np.inf, np.nan, np.nan]
    np.testing.assert_array_equal(reedsp.inclusive_scan(x, device=device), expected)
    assert np.isnan(reedsp.reduce(x, device=device))


@pytest.mark.deep("int64")
@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
@pytest.mark.parametrize("method", METHODS)
def test_integer_sums_wrap_around(method: str, dtype: np.dtype[Any], device: Device, small: None) -> None:
    limits = np.iinfo(dtype)
    x = np.array([limits.max, 1, limits.max, limits.max, 2, limits.min, limits.min, limits.max], dtype)
    expected = oracle.scan(x.tolist(), join_of("add", dtype), 0, [False] * x.size, False)
    assert reedsp.inclusive_scan(x, "add", method, device=device).tolist() == expected
    assert expected[1] == limits.min
    if method in CHUNKED:
        assert reedsp.reduce(x, method=method, device=device) == expected[-1]


# ---- segments ---------------------------------------------------------------------------------------


@pytest.mark.deep
@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("method", METHODS)
def test_segments(method: str, exclusive: bool, device: Device, small: None) -> None:
    dtype = np.dtype(np.int32)
    width = block(device, method, 2 * dtype.itemsize)
    n = 4 * width + 5
    x = values(dtype, n)
    every = [np.arange(n) % step == 0 for step in (1, 2, width, width + 1, n)]
    for heads in [*every, np.zeros(n, bool), np.arange(n) == n - 1, random_heads(n)]:
        got = scanned(x, "min", method, exclusive, heads, device=device)
        assert got.tolist() == oracle.scan(x.tolist(), min, np.iinfo(dtype).max, heads, exclusive)
        if exclusive:
            assert (got[heads] == np.iinfo(dtype).max).all()


HEADS_AS_BYTES = {
    "bool": lambda heads: heads,
    "uint8": lambda heads: heads.astype(np.uint8) * 200,
    "int8": lambda heads: heads.astype(np.int8) * -128,
}


@pytest.mark.parametrize("on_device", [False, True])
@pytest.mark.parametrize("kind", [*HEADS_AS_BYTES, "int32", "uint32", "int64", "uint64"])
def test_kinds_of_heads(kind: str, on_device: bool, device: Device, queue: cl.CommandQueue) -> None:
    n = 301
    x, heads = values(np.dtype(np.int32), n), random_heads(n)
    heads[[4, 5, 6, 7, n - 1]] = True
    places = np.flatnonzero(heads)
    shuffled = np.random.default_rng(RNG_SEED).permutation([*places, *places[:3], 0, n])
    given = HEADS_AS_BYTES[kind](heads) if kind in HEADS_AS_BYTES else shuffled.astype(kind)
    before = given.copy()
    arrays = [cl_array.to_device(queue, each) for each in (x, given)] if on_device else (x, given)
    got = reedsp.segmented_scan(*arrays, device=device)
    assert (got.get() if on_device else got).tolist() == numpy_scan(x, "add", heads, False).tolist()
    assert (arrays[1].get() if on_device else given).tobytes() == before.tobytes()


@pytest.mark.deep
@pytest.mark.parametrize("method", METHODS)
def test_zeros_keep_their_sign(method: str, device: Device, small: None) -> None:
    for n in lengths(block(device, method, 8)):
        x = np.full(n, -0.0, np.float32)
        for heads in (None, [], [0], [n // 2], np.ones(n, bool)):
            assert np.signbit(scanned(x, "add", method, False, heads, device=device)).all()


@pytest.mark.deep("group")
@pytest.mark.parametrize("method", CHUNKED)
def test_the_sum_of_nothing_is_zero_everywhere(method: str, device: Device, queue: cl.CommandQueue) -> None:
    nothing = np.empty(0, np.float32)
    sums = (
        reedsp.reduce(nothing, method=method, device=device),
        *reedsp.reduce(cl_array.to_device(queue, nothing), method=method).get(),
    )
    assert [each.tobytes() for each in sums] == [np.float32(0).tobytes()] * 2


@pytest.mark.parametrize("on_device", [False, True])
def test_places_and_booleans_give_the_same_bits(on_device: bool, device: Device, queue: cl.CommandQueue) -> None:
    x, heads = np.full(9, -0.0, np.float32), np.arange(9) % 4 == 0
    for given in (heads, np.flatnonzero(heads)):
        arrays = [cl_array.to_device(queue, each) for each in (x, given)] if on_device else (x, given)
        got = reedsp.segmented_scan(*arrays, exclusive=True, device=device)
        assert (got.get() if on_device else got).tobytes() == np.where(heads, 0, x).tobytes()


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint64", "float64"])
def test_no_heads_at_all(dtype: str, device: Device, queue: cl.CommandQueue) -> None:
    x = values(np.dtype(np.int32), 77)
    assert (reedsp.segmented_scan(x, np.array([], dtype), device=device) == x.cumsum(dtype=x.dtype)).all()
    assert (reedsp.segmented_scan(x, [], device=device) == x.cumsum(dtype=x.dtype)).all()
    if dtype != "float64":
        arrays = [cl_array.to_device(queue, each) for each in (x, np.array([], dtype))]
        assert (reedsp.segmented_scan(*arrays).get() == x.cumsum(dtype=x.dtype)).all()


@pytest.mark.parametrize("dtype", ["int32", "uint32", "int64", "uint64"])
def test_places_outside_an_array_of_a_device_are_ignored(dtype: str, queue: cl.CommandQueue) -> None:
    limits = np.iinfo(dtype)
    x = values(np.dtype(np.int32), 50)
    places = np.array([limits.min, 7, 50, 51, 1000, limits.max], dtype)
    heads = np.isin(np.arange(50), places.astype(object))
    got = reedsp.segmented_scan(*(cl_array.to_device(queue, each) for each in (x, places))).get()
    assert got.tolist() == numpy_scan(x, "add", heads, False).tolist()


def test_indptr_of_a_sparse_matrix(device: Device) -> None:
    assert reedsp.segmented_scan([1, 2, 3, 4], [0, 0, 2, 2, 4, 4], device=device).tolist() == [1, 3, 3, 7]


# ---- compaction -------------------------------------------------------------------------------------

ELEMENT_TYPES = ["bool", "int8", "uint16", "float16", "float32", "complex64", "float64", "datetime64[s]", "S2", "i2,i2"]


def masks(n: int) -> Iterator[np.ndarray]:
    yield from (np.zeros(n, bool), np.ones(n, bool), np.arange(n) == n - 1, np.arange(n) == 0)
    yield np.random.default_rng([RNG_SEED, n]).random(n) < 0.4


@pytest.mark.deep
@pytest.mark.parametrize("dtype", ELEMENT_TYPES)
@pytest.mark.parametrize("method", CHUNKED)
def test_compactions(method: str, dtype: str, device: Device, small: None) -> None:
    for n in (0, 1, 2, 127, 128, 129, 224, 225, 2563):
        size = np.dtype(dtype).itemsize
        x = np.random.default_rng(n).integers(0, 2 if dtype == "bool" else 120, n * size, np.uint8).view(dtype)
        for mask in masks(n):
            got = reedsp.compact(x, mask, method=method, device=device)
            assert got.dtype == x.dtype
            assert got.tobytes() == x[mask].tobytes()
            if dtype == "int8":
                assert (reedsp.compact(x, x, method=method, device=device) == x[x != 0]).all()
                places = reedsp.compact_indices(mask, method=method, device=device)
                assert places.dtype == np.int64
                assert places.tolist() == np.flatnonzero(mask).tolist()


@pytest.mark.deep
@pytest.mark.parametrize("kind", HEADS_AS_BYTES)
@pytest.mark.parametrize("dtype", ["bool", "uint16", "float32", "complex64"])
@pytest.mark.parametrize("method", CHUNKED)
def test_compactions_of_arrays_of_a_device(
    method: str, dtype: str, kind: str, device: Device, queue: cl.CommandQueue, small: None
) -> None:
    for n in (0, 1, 129, 1000):
        x = np.random.default_rng(n).integers(0, 100, n).astype(dtype)
        for mask in masks(n):
            given = [cl_array.to_device(queue, each) for each in (x, HEADS_AS_BYTES[kind](mask))]
            collected, count = reedsp.compact(*given, method=method)
            assert (collected.shape, collected.dtype, count.shape) == (x.shape, x.dtype, (1,))
            assert collected.get()[: count.get()[0]].tolist() == x[mask].tolist()
            assert count.get()[0] == mask.sum()
            if dtype == "bool":
                places, count = reedsp.compact_indices(given[1], method=method)
                assert places.dtype == np.int32
                assert places.get()[: count.get()[0]].tolist() == np.flatnonzero(mask).tolist()


# ---- arrays of a device -----------------------------------------------------------------------------


@pytest.mark.deep
def test_nothing_is_copied_to_the_host_and_nothing_waits(
    device: Device, queue: cl.CommandQueue, small: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    n = 5003
    host, mask = values(np.dtype(np.int32), n), random_heads(n)
    x, marks, places = (cl_array.to_device(queue, each) for each in (host, mask, np.flatnonzero(mask)))

    def one_of_each(out: cl_array.Array) -> list[Any]:
        results: list[Any] = []
        for method in METHODS:
            results.append(reedsp.inclusive_scan(x, "add", method))
            results.append(reedsp.segmented_scan(x, places, "min", method))
        for method in CHUNKED:
            results += [reedsp.reduce(x, "max", method=method), *reedsp.compact(x, marks, method=method)]
            results += reedsp.compact_indices(marks, method=method)
        results.append(reedsp.exclusive_scan(x[3:], "max", out=out[4:]))
        return results

    expected: list[Any] = [host.cumsum(dtype=host.dtype), numpy_scan(host, "min", mask, False)] * len(METHODS)
    expected += [host.max(), host[mask], mask.sum(), np.flatnonzero(mask), mask.sum()] * len(CHUNKED)
    expected.append(numpy_scan(host[3:], "max", mask[3:] & False, True))

    def forbidden(*args: object, **options: object) -> None:
        raise AssertionError("this waits, or copies between host and device")

    def copy_on_device(queue: cl.CommandQueue, target: Any, source: Any, **options: Any) -> Any:
        assert isinstance(target, cl.MemoryObject)
        assert isinstance(source, cl.MemoryObject)
        return enqueue_copy(queue, target, source, **options)

    one_of_each(
        cl_array.zeros(queue, n + 1, np.int32)
    )  # kernels are built, and tried on a known answer, when they are first needed
    out = cl_array.zeros(queue, n + 1, np.int32)
    queue.finish()
    enqueue_copy = cl.enqueue_copy
    gate = cl.UserEvent(queue.context)
    with monkeypatch.context() as patch:
        patch.setattr(cl, "enqueue_copy", copy_on_device)
        patch.setattr(cl, "enqueue_map_buffer", forbidden)
        patch.setattr(cl, "wait_for_events", forbidden)
        patch.setattr(cl.CommandQueue, "finish", forbidden)
        patch.setattr(cl.Event, "wait", forbidden)
        for name in ("upload", "borrow", "give_back", "download", "download_into", "finish"):
            patch.setattr(Job, name, forbidden)
        cl.enqueue_barrier(queue, wait_for=[gate])
        try:
            results = one_of_each(out)
            behind = cl.enqueue_marker(queue)
            assert behind.command_execution_status != cl.command_execution_status.COMPLETE
        finally:
            gate.set_status(cl.command_execution_status.COMPLETE)
    for got, right in zip(results, expected, strict=True):
        assert isinstance(got, cl_array.Array)
        assert got.queue == queue
        assert (got.get()[: np.size(right)] == right).all()
    assert (x.get() == host).all()
    assert (out.get()[:4] == 0).all()


def test_results_wait_for_what_their_owner_has_queued_and_carry_an_event(queue: cl.CommandQueue) -> None:
    other = cl.CommandQueue(queue.context)
    gate = cl.UserEvent(queue.context)
    x = cl_array.zeros(other, 1000, np.int32)
    try:
        cl.enqueue_barrier(other, wait_for=[gate])
        x.add_event(cl.enqueue_fill(other, x.base_data, np.int32(1), x.nbytes))
        got = reedsp.inclusive_scan(x.with_queue(queue))
        assert got.events[-1].command_execution_status != cl.command_execution_status.COMPLETE
    finally:
        gate.set_status(cl.command_execution_status.COMPLETE)
    assert (got.get() == np.arange(1, 1001)).all()


@pytest.mark.deep
@pytest.mark.parametrize("method", METHODS)
def test_out_of_order_queue(method: str, device: Device, small: None) -> None:
    queue = queue_of(device, out_of_order=True)
    n = 3001
    host, heads = values(np.dtype(np.int32), n), random_heads(n)
    for _ in range(5):
        x, marks, places = (cl_array.to_device(queue, each) for each in (host, heads, np.flatnonzero(heads)))
        got = reedsp.segmented_scan(x[1:], places, "add", method)
        reedsp.inclusive_scan(x, "max", method, out=x)
        last = reedsp.exclusive_scan(x[3:], "min", method)
        assert (got.get() == numpy_scan(host[1:], "add", np.isin(np.arange(n - 1), np.flatnonzero(heads)), False)).all()
        running = np.maximum.accumulate(host)
        assert (x.get() == running).all()
        assert (last.get() == numpy_scan(running[3:], "min", heads[3:] & False, True)).all()
        if method in CHUNKED:
            collected, count = reedsp.compact(x, marks, method=method)
            assert (collected.get()[: count.get()[0]] == running[heads]).all()


@pytest.mark.deep
@pytest.mark.parametrize("start", [0, 1, 3, 64, 128, 131])
@pytest.mark.parametrize("method", METHODS)
def test_slices(method: str, start: int, queue: cl.CommandQueue, small: None) -> None:
    host, mask = values(np.dtype(np.int32), 1000), random_heads(1000)
    x, marks = cl_array.to_device(queue, host), cl_array.to_device(queue, mask)
    for end in (start, start + 1, start + 300):
        part = slice(start, end)
        n = end - start
        assert (reedsp.inclusive_scan(x[part], "max", method).get() == np.maximum.accumulate(host[part])).all()
        got = reedsp.segmented_scan(x[part], marks[part], "max", method, exclusive=True)
        assert (got.get() == numpy_scan(host[part], "max", mask[part], True)).all()
        for offset in (0, 1, 64, 500):
            out = cl_array.to_device(queue, np.full(1000, -7, np.int32))
            window = out[offset : offset + n]
            assert reedsp.inclusive_scan(x[part], "max", method, out=window) is window
            written = np.full(1000, -7, np.int32)
            written[offset : offset + n] = np.maximum.accumulate(host[part])
            assert (out.get() == written).all()
        if method in CHUNKED:
            assert reedsp.reduce(x[part], "max", method=method).get()[0] == host[part].max(initial=-(2**31))
            collected, count = reedsp.compact(x[part], marks[part], method=method)
            assert collected.get()[: count.get()[0]].tolist() == host[part][mask[part]].tolist()
    assert (x.get() == host).all()


@pytest.mark.deep
@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("method", METHODS)
def test_in_place_on_a_device(method: str, exclusive: bool, queue: cl.CommandQueue, small: None) -> None:
    host, heads = values(np.dtype(np.int32), 1000), random_heads(1000)
    for start, segmented in itertools.product((0, 64, 3), (False, True)):
        base = cl_array.to_device(queue, host)
        x, marks = base[start:900], cl_array.to_device(queue, heads[start:900])
        assert scanned(x, "add", method, exclusive, marks if segmented else None, out=x) is x
        expected = host.copy()
        expected[start:900] = numpy_scan(host[start:900], "add", heads[start:900] & segmented, exclusive)
        assert (base.get() == expected).all()


def test_parts_of_one_array_of_a_device(queue: cl.CommandQueue) -> None:
    host = values(np.dtype(np.int32), 1000)
    for target in (500, 512, 700):
        base = cl_array.to_device(queue, host)
        reedsp.inclusive_scan(base[:300], out=base[target : target + 300])
        expected = host.copy()
        expected[target : target + 300] = host[:300].cumsum(dtype=host.dtype)
        assert (base.get() == expected).all()
    for target in (1, 64, 299):
        with pytest.raises(ValueError, match="out: it overlaps the input"):
            reedsp.inclusive_scan(base[:300], out=base[target : target + 300])


@pytest.mark.parametrize(("mask", "got"), [(None, "NoneType"), (3, "int"), (np.array(1), r"shape \(\)")])
def test_masks_of_no_dimension(mask: Any, got: str) -> None:
    with pytest.raises(ValueError, match=f"^mask: an array of one dimension is expected, got {got}$"):
        reedsp.compact_indices(mask)


def test_masked_entries_of_lists(device: Device) -> None:
    for given, position in (([np.ma.masked, 1], "values[0]"), ([1, np.ma.masked], "values[1]")):
        with pytest.raises(ValueError, match=f"^{re.escape(position)} is masked$"):
            reedsp.sort(given, device=device)
    rows = [np.ma.array([1, 5], mask=[False, True]), [1, 0]]
    for ask in (reedsp.min_plus_product, lambda a, b: reedsp.min_plus_product(b, a)):
        with pytest.raises(ValueError, match=r"^[ab]\[0\]\[1\] is masked$"):
            ask(rows, [[9, 9], [0, 0]])


@pytest.mark.deep
def test_empty_arrays_of_a_device(queue: cl.CommandQueue) -> None:
    x, mask = cl_array.empty(queue, 0, np.int32), cl_array.empty(queue, 0, np.int8)
    for method in METHODS:
        assert reedsp.inclusive_scan(x, "add", method).get().tolist() == []
        assert reedsp.segmented_scan(x, mask, "add", method, out=x) is x
    for method in CHUNKED:
        assert reedsp.reduce(x, "max", method=method).get().tolist() == [-(2**31)]
        assert [each.get().tolist() for each in reedsp.compact(x, mask, method=method)] == [[], [0]]


def test_device_argument_with_arrays_of_a_device(device: Device, queue: cl.CommandQueue) -> None:
    x = cl_array.to_device(queue, np.arange(5, dtype=np.int32))
    for right in (device, device.index, device.handle):
        assert reedsp.inclusive_scan(x, device=right).get().tolist() == [0, 1, 3, 6, 10]
    for other in reedsp.devices():
        if other.handle != device.handle:
            with pytest.raises(ValueError, match=r"^device: x is on "):
                reedsp.inclusive_scan(x, device=other)


def test_arrays_of_a_device_that_do_not_fit_together(device: Device, queue: cl.CommandQueue) -> None:
    host = np.arange(8, dtype=np.int32)
    x = cl_array.to_device(queue, host)
    foreign_context = cl.Context([device.handle])
    foreign = cl_array.to_device(cl.CommandQueue(foreign_context), host)
    mask, foreign_mask = (cl_array.to_device(each.queue, host.astype(np.int8)) for each in (x, foreign))
    wrong: list[tuple[Callable[[], Any], type[Exception], str]] = [
        (lambda: reedsp.inclusive_scan(x, out=foreign), ValueError, "^out: it belongs to another OpenCL context"),
        (lambda: reedsp.segmented_scan(x, foreign_mask), ValueError, "^heads: it belongs to another OpenCL context"),
        (lambda: reedsp.compact(x, foreign_mask), ValueError, "^x: it belongs to another .* than mask"),
        (lambda: reedsp.inclusive_scan(x.with_queue(None)), ValueError, "^x: it has no queue"),
        (lambda: reedsp.compact_indices(mask.with_queue(None)), ValueError, "^mask: it has no queue"),
        (lambda: reedsp.inclusive_scan(x, out=host.copy()), TypeError, "^out: a host array, but x is a pyopencl array"),
        (lambda: reedsp.inclusive_scan(host, out=x), TypeError, "^out: a pyopencl array, but x is a host array"),
        (lambda: reedsp.segmented_scan(x, [0, 3]), TypeError, "^heads: a host array"),
        (lambda: reedsp.segmented_scan(host, mask), TypeError, "^heads: a pyopencl array"),
        (lambda: reedsp.compact(host, mask), TypeError, "^x: a host array"),
        (lambda: reedsp.compact(x, host.astype(bool)), TypeError, "^x: a pyopencl array"),
        (lambda: reedsp.inclusive_scan(x[::2]), ValueError, "^x: only contiguous"),
        (lambda: reedsp.inclusive_scan(x[::-1]), ValueError, "^x: only contiguous"),
        (lambda: reedsp.inclusive_scan(x[:4], out=x[::2]), ValueError, "^out: it has to be contiguous"),
        (lambda: reedsp.inclusive_scan(x.reshape(2, 4)), ValueError, r"^x: .* one dimension .* \(2, 4\)"),
        (lambda: reedsp.inclusive_scan(mask), TypeError, "^x: elements of type int32, .* got int8"),
        (lambda: reedsp.inclusive_scan(x, out=x[:7]), ValueError, "^out: expected shape"),
        (lambda: reedsp.segmented_scan(x, mask[:7]), ValueError, "^heads: 7 of int8, but x has 8"),
        (lambda: reedsp.compact(x, mask[:7]), ValueError, "^mask: it has 7 elements, but x has 8"),
    ]
    for call, error, message in wrong:
        with pytest.raises(error, match=message):
            call()
    assert (x.get() == host).all()


# ---- arrays of the host -----------------------------------------------------------------------------

LAYOUTS: dict[str, Callable[[np.ndarray], Any]] = {
    "strided": lambda x: np.repeat(x, 3)[::3],
    "reversed": lambda x: x[::-1].copy()[::-1],
    "row of a Fortran array": lambda x: np.asfortranarray(np.stack([x, x]))[0],
    "byte-swapped": lambda x: x.astype(x.dtype.newbyteorder()),
    "unaligned": lambda x: np.frombuffer(b"\0" + x.tobytes(), np.uint8)[1:].view(x.dtype),
    "list": lambda x: [np.int64(value) for value in x],
}


@pytest.mark.deep
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("method", METHODS)
def test_layouts(method: str, layout: str, device: Device, small: None) -> None:
    host, heads = values(np.dtype(np.int64), 333), random_heads(333)
    given = LAYOUTS[layout](host)
    if isinstance(given, np.ndarray):
        given.flags.writeable = False
    places = LAYOUTS[layout](np.flatnonzero(heads))
    assert (reedsp.inclusive_scan(given, "add", method, device=device) == host.cumsum()).all()
    got = reedsp.segmented_scan(given, places, "add", method, exclusive=True, device=device)
    assert (got == numpy_scan(host, "add", heads, True)).all()
    assert (np.asarray(given) == host).all()
    if method in CHUNKED:
        assert reedsp.reduce(given, method=method, device=device) == host.sum()
        assert (reedsp.compact(given, heads[::-1], method=method, device=device) == host[heads[::-1]]).all()


@pytest.mark.deep
@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("method", METHODS)
def test_out(method: str, exclusive: bool, device: Device, small: None) -> None:
    """It may be the input, begin a little before or after it, or be an array of its own."""
    n = 700
    for place, segmented in itertools.product((100, 99, 101, 0, 300, 800), (False, True)):
        base, heads = values(np.dtype(np.int32), 1500), random_heads(n)
        x, out = base[100 : 100 + n], base[place : place + n]
        expected = base.copy()
        expected[place : place + n] = numpy_scan(x, "add", heads & segmented, exclusive)
        assert scanned(x, "add", method, exclusive, heads if segmented else None, out=out, device=device) is out
        assert (base == expected).all()


def test_empty_input_needs_no_device(monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*args: object) -> None:
        raise AssertionError("a device is opened")

    monkeypatch.setattr(scan, "get_device", forbidden)
    monkeypatch.setattr(discovery, "devices", forbidden)
    for dtype, op in itertools.product(DTYPES, UFUNCS):
        x = np.empty(0, dtype)
        total = reedsp.reduce(x, op, device="nonexistent")
        assert (total, type(total)) == (identity(op, dtype), dtype.type)
        for got in (
            reedsp.inclusive_scan(x, op, device="nonexistent"),
            reedsp.exclusive_scan(x, op, device="nonexistent"),
            reedsp.segmented_scan(x, [], op, device="nonexistent"),
            reedsp.segmented_scan(x, [0, 0], op, device="nonexistent"),
            reedsp.compact(x, np.empty(0, bool), device="nonexistent"),
        ):
            assert (got.dtype, got.shape) == (dtype, (0,))
        assert reedsp.inclusive_scan(x, op, out=x) is x
    assert reedsp.compact_indices(np.empty(0, bool)).dtype == np.int64
    assert reedsp.compact_indices([]).dtype == np.int64
    assert reedsp.compact([], []).tolist() == []


# ---- wrong arguments --------------------------------------------------------------------------------

X = np.arange(4, dtype=np.int32)
READ_ONLY = np.arange(4, dtype=np.int32)
READ_ONLY.flags.writeable = False
UNALIGNED = np.zeros(17, np.uint8)[1:].view(np.int32)
NAMES = "'fast', 'work-group', 'work-item'"
ANY = {"device": "nonexistent"}

WRONG: list[tuple[str, Callable[[], Any], type[Exception], str]] = [
    *(
        (f"{function.__name__} of {dtype}", functools.partial(function, np.zeros(3, dtype)), TypeError, message)
        for function in (reedsp.reduce, reedsp.inclusive_scan, reedsp.exclusive_scan)
        for dtype in ("bool", "int8", "int16", "float16", "complex64", "object", "U3", "longdouble", "datetime64[s]")
        for message in (r"^x: elements of type int32, uint32, int64, uint64, float32, float64 are expected, got ",)
    ),
    ("a missing element", lambda: reedsp.inclusive_scan([1, None]), TypeError, r"^x\[1\] is None, expected a number$"),
    ("an integer of 70 bits", lambda: reedsp.reduce([1, 2**70]), TypeError, "^x: elements of type .* got object$"),
    ("an object", lambda: reedsp.compact([1, None], [True] * 2), TypeError, r"^x\[1\] is None, expected a number$"),
    ("a missing mark", lambda: reedsp.compact_indices([True, None]), TypeError, r"^mask\[1\] is None, expected"),
    ("a missing head", lambda: reedsp.segmented_scan(X, [0, None]), TypeError, r"^heads\[1\] is None, expected"),
    ("no marks", lambda: reedsp.compact(X, []), ValueError, "^mask: it has 0 elements, but x has 4$"),
    ("masked x", lambda: reedsp.reduce(np.ma.masked_array(X)), TypeError, r"^x: masked .* x\.filled\(\)"),
    ("masked heads", lambda: reedsp.segmented_scan(X, np.ma.masked_array(X)), TypeError, "^heads: masked"),
    ("masked mask", lambda: reedsp.compact_indices(np.ma.masked_array(X > 1)), TypeError, "^mask: masked"),
    ("masked out", lambda: reedsp.inclusive_scan(X, out=np.ma.masked_array(X)), TypeError, "^out: .*MaskedArray"),
    ("2-D x", lambda: reedsp.reduce(X.reshape(2, 2)), ValueError, r"^x: .*one dimension.*\(2, 2\)"),
    ("0-D x", lambda: reedsp.inclusive_scan(3), ValueError, r"^x: .*one dimension.* got int$"),
    ("2-D heads", lambda: reedsp.segmented_scan(X, [[0]]), ValueError, "^heads: .*one dimension"),
    ("2-D mask", lambda: reedsp.compact(X, [[True]]), ValueError, "^mask: .*one dimension"),
    ("list out", lambda: reedsp.inclusive_scan(X, out=[0] * 4), TypeError, "^out: .* list"),
    ("type of out", lambda: reedsp.inclusive_scan(X, out=X.astype("i8")), ValueError, "^out: .*int32.*int64"),
    ("swapped out", lambda: reedsp.inclusive_scan(X, out=X.astype(">i4")), ValueError, "^out: .*byte order, got .*>i4"),
    ("shape of out", lambda: reedsp.inclusive_scan(X, out=X[:3].copy()), ValueError, r"^out: .*\(4,\).*\(3,\)"),
    ("read-only out", lambda: reedsp.inclusive_scan(X, out=READ_ONLY), ValueError, "^out: .*writable"),
    ("strided out", lambda: reedsp.inclusive_scan(X, out=np.zeros(8, "i4")[::2]), ValueError, "^out: .*contiguous"),
    ("unaligned out", lambda: reedsp.inclusive_scan(X, out=UNALIGNED), ValueError, "^out: .*aligned"),
    ("name of op", lambda: reedsp.reduce(X, "mul"), ValueError, "^op: 'mul' is none of 'add', 'min', 'max', nor"),
    ("type of op", lambda: reedsp.reduce(X, np.add), TypeError, "^op: expected a string or a reedsp.Operator.*ufunc"),
    ("array op", lambda: reedsp.inclusive_scan(X, X), TypeError, "^op: .*ndarray"),
    (
        "method of reduce",
        lambda: reedsp.reduce(X, method="x"),
        ValueError,
        f"^method: 'x' .* {NAMES}, 'naive', 'dulle'$",
    ),
    ("method of compact", lambda: reedsp.compact(X, X > 1, method="naive"), ValueError, f"^method: .* {NAMES}$"),
    ("method of indices", lambda: reedsp.compact_indices(X > 1, method=""), ValueError, f"^method: '' .* {NAMES}$"),
    (
        "method",
        lambda: reedsp.inclusive_scan(X, "add", "x"),
        ValueError,
        f"^method: .* {NAMES}, 'blelloch', 'naive', 'dulle'$",
    ),
    ("no heads", lambda: reedsp.segmented_scan(X, None), TypeError, "^heads: an array is expected"),
    ("head too large", lambda: reedsp.segmented_scan(X, [0, 2, 5]), ValueError, r"^heads\[2\] = 5 is no .* 0 to 4"),
    ("negative head", lambda: reedsp.segmented_scan(X, [0, -1]), ValueError, r"^heads\[1\] = -1 is no "),
    ("type of heads", lambda: reedsp.segmented_scan(X, [0.0]), TypeError, "^heads: .*float64"),
    ("narrow heads", lambda: reedsp.segmented_scan(X, X.astype("i2")), TypeError, "^heads: .*int16"),
    ("few heads", lambda: reedsp.segmented_scan(X, [True]), ValueError, "^heads: 1 of bool, but x has 4"),
    ("no marks", lambda: reedsp.segmented_scan(X, np.zeros(0, bool)), ValueError, "^heads: 0 of bool, but x has 4"),
    ("short mask", lambda: reedsp.compact(X, [True]), ValueError, "^mask: it has 1 elements, but x has 4"),
    ("type of mask", lambda: reedsp.compact(X, X), TypeError, "^mask: .*int32"),
    ("type of mask of indices", lambda: reedsp.compact_indices([1.5]), TypeError, "^mask: .*float64"),
    ("wide elements", lambda: reedsp.compact(np.zeros(4, "c16"), X > 1), TypeError, "^x: .*8 bytes.*complex128"),
    ("objects", lambda: reedsp.compact(np.zeros(4, object), X > 1), TypeError, "^x: .*object"),
    ("device", lambda: reedsp.reduce(X, **ANY), reedsp.DeviceError, "nonexistent"),
]


@pytest.mark.parametrize(("call", "error", "message"), [case[1:] for case in WRONG], ids=[case[0] for case in WRONG])
def test_wrong_arguments(call: Callable[[], Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()
    assert X.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("expression", "error", "message"),
    [
        (3, TypeError, "^expression: expected a string, got int"),
        ("", ValueError, "^expression: it is empty"),
        (" \t", ValueError, "^expression: it is empty"),
        ("(a + b", ValueError, r"^expression: a '\)' is missing"),
        ("a) + (b", ValueError, r"^expression: '\)' at position 1 closes nothing"),
        *(
            (f"a {bad} b", ValueError, f"^expression: {re.escape(repr(bad))} at position 2 is no part")
            for bad in ("\n", "\r", "\0", "\\", "#", ";", "{", "}", '"', "'", "`", "//", "/*")
        ),
    ],
)
def test_expressions_that_are_none(expression: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        reedsp.Operator(expression, 0)


@pytest.mark.parametrize(
    ("identity", "dtype", "error"),
    [
        *((wrong, dtype, TypeError) for wrong in (True, np.True_, "0", None, 1j) for dtype in ("int32", "float32")),
        *((wrong, dtype, ValueError) for wrong in (np.nan, np.inf, 0.5) for dtype in ("int32", "uint64")),
        *((-1, dtype, ValueError) for dtype in ("uint32", "uint64")),
        *((2**bits, dtype, ValueError) for bits, dtype in ((31, "int32"), (32, "uint32"), (63, "int64"))),
        *((number(2.0**63), "int64", ValueError) for number in (float, np.float32, np.float64)),
        *((number(2.0**64), "uint64", ValueError) for number in (float, np.float32, np.float64)),
        *((2 * 10**308, "float64", ValueError), (-(10**400), "float64", ValueError), (1e300, "float32", ValueError)),
    ],
)
@pytest.mark.parametrize("n", [0, 3])
def test_identities_that_are_none(identity: Any, dtype: str, error: type[Exception], n: int) -> None:
    op = reedsp.Operator("a", identity)
    for function in (reedsp.reduce, reedsp.inclusive_scan):
        with pytest.raises(error, match=r"^op: its identity"):
            function(np.zeros(n, dtype), op)


@pytest.mark.parametrize(
    ("identity", "dtype"),
    [(np.int8(-3), "int32"), (2.0, "uint64"), (2**64 - 1, "uint64"), (-np.inf, "float32"), (1e-50, "float32")],
)
def test_identities(identity: Any, dtype: str) -> None:
    assert reedsp.reduce(np.zeros(0, dtype), reedsp.Operator("a", identity)) == np.dtype(dtype).type(identity)


@pytest.mark.deep
@pytest.mark.parametrize("method", METHODS)
def test_expression_that_does_not_compile(method: str, device: Device) -> None:
    op = reedsp.Operator("a + unheard_of(b)", 0)
    functions = [reedsp.inclusive_scan, reedsp.exclusive_scan]
    for function in [*functions, reedsp.reduce] if method in CHUNKED else functions:
        with pytest.raises(ValueError, match=r"(?s)^op: 'a \+ unheard_of\(b\)' is no OpenCL C .*unheard_of") as caught:
            function(X, op, method=method, device=device)
        assert isinstance(caught.value.__cause__, reedsp.DeviceError)
    assert reedsp.inclusive_scan(X, "add", method, device=device).tolist() == [0, 1, 3, 6]


def test_device_without_float64(device: Device) -> None:
    single = Device(device.index, device.handle)
    single.fp64 = False
    x = np.arange(4, dtype=np.float64)
    for call in (reedsp.reduce, reedsp.inclusive_scan, functools.partial(reedsp.segmented_scan, heads=[0, 2])):
        for method in CHUNKED:
            with pytest.raises(reedsp.DeviceError, match="no double precision"):
                call(x, method=method, device=single)
    assert reedsp.inclusive_scan(x.astype(np.float32), device=single).tolist() == [0, 1, 3, 6]
    assert reedsp.compact(x, [0 < 1, False, True, False], device=single).tolist() == [0, 2]


BEYOND_31_BITS = 2**31 + 17


def ramp_sum(end: np.ndarray) -> np.ndarray:
    """The sum of i % 7 over all i below `end`."""
    whole, rest = np.divmod(end, 7)
    return 21 * whole + rest * (rest - 1) // 2


@pytest.mark.parametrize("method", METHODS)
def test_48_more_elements_than_an_int_can_count(method: str, device: Device) -> None:
    n = BEYOND_31_BITS
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    if device.max_allocation < 4 * n or device.global_memory < 24 * n or memory < 24 * n:
        pytest.skip(f"{n:,} elements need buffers of {4 * n:,} bytes and {24 * n:,} bytes of memory")
    x = np.resize(np.arange(7 << 20, dtype=np.int32) % 7, n)
    array = cl_array.to_device(device.queue, x)
    reedsp.inclusive_scan(array, method=method, out=array)
    scanned = array.get()
    for first in range(0, n, 1 << 24):
        expected = ramp_sum(np.arange(first + 1, min(first + (1 << 24), n) + 1)).astype(np.int32)  # wraps around
        assert np.array_equal(scanned[first : first + (1 << 24)], expected)
    if method not in ("blelloch", "naive"):
        array.set(x)
        assert reedsp.reduce(array, method=method).get()[0] == ramp_sum(np.array([n])).astype(np.int32)[0]
        mask = cl_array.to_device(device.queue, (x == 5).view(np.uint8))
        places, count = reedsp.compact_indices(mask, method=method)
        selected = int(count.get()[0])
        assert selected == len(range(5, n, 7))
        assert np.array_equal(places.get()[:selected], np.arange(5, n, 7))


@pytest.mark.parametrize("start", [0, 1, 64])
def test_arrays_from_a_pool(start: int, queue: cl.CommandQueue) -> None:
    pool = cl_tools.MemoryPool(cl_tools.ImmediateAllocator(queue))
    host = values(np.dtype(np.int32), 1000)
    x = cl_array.to_device(queue, host, allocator=pool)
    out = cl_array.zeros(queue, 1000, np.int32, allocator=pool)
    for method in METHODS:
        assert (reedsp.inclusive_scan(x[start:], method=method).get() == np.cumsum(host[start:], dtype=np.int32)).all()
        reedsp.inclusive_scan(x[: 1000 - start], method=method, out=out[start:])
        assert (out.get()[start:] == np.cumsum(host[: 1000 - start], dtype=np.int32)).all()


def test_arrays_of_shared_virtual_memory(queue: cl.CommandQueue) -> None:
    """To which buffers of our own cannot be copied."""
    if not queue.device.svm_capabilities & cl.device_svm_capabilities.COARSE_GRAIN_BUFFER:
        pytest.skip("this device has none")
    host = values(np.dtype(np.int32), 1000)
    x = cl_array.to_device(queue, host, allocator=cl_tools.SVMAllocator(queue.context, queue=queue))
    assert reedsp.reduce(x).get().tolist() == [host.sum(dtype=np.int32)]
    places, count = reedsp.compact_indices(x > 0)
    assert places.get()[: int(count.get()[0])].tolist() == np.flatnonzero(host > 0).tolist()
    assert (reedsp.inclusive_scan(x).get() == np.cumsum(host, dtype=np.int32)).all()
    assert (reedsp.inclusive_scan(x[:500]).get() == np.cumsum(host[:500], dtype=np.int32)).all()
    for name, ask in (
        ("x", lambda: reedsp.inclusive_scan(x[5:])),
        ("values", lambda: reedsp.sort(x[5:])),
        ("mask", lambda: reedsp.compact_indices((x > 0)[5:])),
        ("out", lambda: reedsp.inclusive_scan(x[:500], out=x[500:])),
    ):
        with pytest.raises(ValueError, match=f"^{name}: it begins within shared virtual memory; call {name}.copy"):
            ask()
    square = x[10:110].reshape(10, 10)
    with pytest.raises(ValueError, match=r"^a: it begins within shared virtual memory; call a.copy\(\) first$"):
        reedsp.min_plus_product(square, square)


def test_events_do_not_pile_up(queue: cl.CommandQueue) -> None:
    """Of many calls with one result the last one's event remains, and that of others who use the array meanwhile."""
    x, out = (cl_array.to_device(queue, np.ones(100, np.int32)) for _ in range(2))
    for _ in range(20):
        reedsp.inclusive_scan(x, out=out)
    assert len(out.events) == 1
    arrays = DeviceArrays({"x": x, "out": out}, None)
    other = cl.enqueue_marker(queue)
    out.add_event(other)
    arrays.finish(arrays.write(out), out)
    assert out.events[0] is other
    assert len(out.events) == 2


def test_parts_of_parts(queue: cl.CommandQueue) -> None:
    """No buffer begins within a part of another one."""
    whole, host = cl_array.zeros(queue, 4096, np.int32), values(np.dtype(np.int32), 2048)
    part = cl_array.Array(queue, (2048,), np.int32, data=whole.base_data.get_sub_region(8192, 8192))
    part.set(host)
    assert reedsp.reduce(part[1024:]).get() == host[1024:].sum(dtype=np.int32)
    reedsp.inclusive_scan(part[1024:], out=part[:1024])
    assert (part.get()[:1024] == np.cumsum(host[1024:], dtype=np.int32)).all()


def test_parts_that_overlap(queue: cl.CommandQueue) -> None:
    """Whatever buffers they are given as."""
    host = values(np.dtype(np.int32), 4096)
    whole = cl_array.to_device(queue, host)
    first, second, same = (
        cl_array.Array(queue, (2048,), np.int32, data=whole.base_data.get_sub_region(begin, 8192))
        for begin in (0, 4096, 0)
    )
    for out in (second, whole[1024:3072], whole[1:2049]):
        for ask in (reedsp.inclusive_scan, reedsp.sort):
            with pytest.raises(ValueError, match=r"^out: it overlaps"):
                ask(first, out=out)
    assert (whole.get() == host).all()
    reedsp.inclusive_scan(first, out=same)
    assert (whole.get() == np.append(np.cumsum(host[:2048], dtype=np.int32), host[2048:])).all()


def test_two_parts_of_one_buffer(queue: cl.CommandQueue) -> None:
    host = values(np.dtype(np.int32), 4096)
    for method in METHODS:
        x = cl_array.to_device(queue, host)
        reedsp.inclusive_scan(x[:2048], method=method, out=x[2048:])
        assert (x.get() == np.concatenate((host[:2048], np.cumsum(host[:2048], dtype=np.int32)))).all()


@pytest.mark.deep("blelloch", "group")
@pytest.mark.parametrize("method", METHODS)
def test_heads_in_the_memory_of_the_result(method: str, device: Device) -> None:
    memory = np.zeros(4000, np.uint8)
    heads, out = memory[:1000], memory.view(np.int32)
    x = values(np.dtype(np.int32), 1000)
    heads[::7] = 1
    expected = numpy_scan(x, "add", heads.copy() != 0, False)
    assert (reedsp.segmented_scan(x, heads, method=method, out=out, device=device) == expected).all()
    heads[:] = 0
    heads[::7] = 1
    on_device = cl_array.to_device(device.queue, memory)
    out = on_device.view(np.int32)
    reedsp.segmented_scan(cl_array.to_device(device.queue, x), on_device[:1000], method=method, out=out)
    assert (out.get() == expected).all()


@pytest.mark.deep
@pytest.mark.parametrize("segmented", [False, True])
@pytest.mark.parametrize("dtype", [np.uint32, np.float64])
def test_the_tree_of_the_sweeps_is_copied_at_each_barrier(dtype: type, segmented: bool, device: Device) -> None:
    under_oclgrind.check_trace(device, np.dtype(dtype), segmented)
