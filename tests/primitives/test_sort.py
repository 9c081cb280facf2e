"""Sorts against numpy's stable ones: every type, pattern and method, on arrays of the host and of devices."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyopencl.array as cl_array
import pytest

import reedsp
from reedsp.cost_model import place
from reedsp.device.device import Device
from reedsp.device.errors import DeviceError
from reedsp.device.job import Job
from reedsp.primitives.sort import merges, radix, selfcheck, sorts
from reedsp.primitives.sort.records import KEY_TYPES, Columns, Records, Sorting, kernel_by_order
from tests.deep.fuzz.sorts import random_cases
from tests.primitives.test_scan import queue_of

FORMS = {"work-item": "cpu", "work-group": "gpu", "lanes": "gpu"}
PATTERNS = ("random", "ascending", "descending", "constant", "few", "special", "narrow")
QUICK = (np.dtype(np.uint8),)  # beside the types of the other tests
# An order that is not total: all numbers of one parity are equal in it.
ODD_FIRST = "(a & 1) > (b & 1)"


@pytest.fixture(params=FORMS)
def pretender(request: pytest.FixtureRequest, device: Device, monkeypatch: pytest.MonkeyPatch) -> Device:
    """A device that pretends to be of each kind, and takes few keys at a time."""
    pretender = Device(device.index, device.handle)
    pretender._context, pretender._queue = device.context, device.queue
    pretender.kind, pretender.compute_units = FORMS[request.param], 3
    monkeypatch.setattr(selfcheck, "has_lanes", lambda device: request.param == "lanes")
    make_small(monkeypatch)
    return pretender


def make_small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make chunks, tiles, runs and pieces so small that short arrays have many of each."""
    for module, settings in (
        (radix, {"_CHUNK": 64, "_SHORTEST_CHUNK": 16, "_GROUP_SIZE": 8, "_MOST_ITEMS": 3}),
        (radix, {"_GROUPS_PER_COMPUTE_UNIT": 2, "_GROUPS_OF_LANES_PER_COMPUTE_UNIT": 2}),
        (radix, {"_TEAMS": (5, 4), "_FEW_ITEMS": 3, "_MOST_ITEMS_OF_LANES": 3}),
        (merges, {"_RUN": 4, "_PIECE": 8, "_GROUP_SIZE": 4, "_ITEMS": 3}),
    ):
        for name, value in settings.items():
            monkeypatch.setattr(module, name, value)


def keys_of(dtype: np.dtype[Any], pattern: str, n: int) -> np.ndarray:
    rng = np.random.default_rng([2016, n])
    if dtype.kind == "b":
        keys = rng.random(n) < 0.5
    elif dtype.kind == "f":
        keys = rng.standard_normal(n).astype(dtype)
    else:
        limits = np.iinfo(dtype)
        keys = rng.integers(limits.min, limits.max, n, dtype, endpoint=True)
    match pattern:
        case "ascending" | "descending":
            keys = np.sort(keys)[:: 1 if pattern == "ascending" else -1]
        case "constant":
            keys = np.full(n, keys[0] if n else 0, dtype)
        case "few":
            keys = keys[rng.integers(0, min(n, 5), n)] if n else keys
        case "special":
            keys = selfcheck.known_keys(dtype, n) if n else keys
        case "narrow":  # a range within the type's, and low bits that all have in common
            keys = (rng.integers(0, 3000, n) * 16 + 7 - (0 if dtype.kind in "ub" else 9000)).astype(dtype)
    return np.ascontiguousarray(keys)


def assert_sorted_as_by_numpy(keys: np.ndarray, device: Device, **how: Any) -> None:
    """Keys alone, indices, and values beside keys."""
    indices = np.argsort(keys, kind="stable")
    values = np.arange(len(keys), dtype=np.uint16)
    before = keys.copy()
    found = reedsp.sort(keys, device=device, **how)
    assert found.dtype == keys.dtype
    assert found.tobytes() == keys[indices].tobytes() == np.sort(keys, kind="stable").tobytes()
    places = reedsp.argsort(keys, device=device, **how)
    assert places.dtype == np.int64
    np.testing.assert_array_equal(places, indices)
    sorted_keys, beside = reedsp.sort_by_key(keys, values, device=device, **how)
    assert sorted_keys.tobytes() == found.tobytes()
    np.testing.assert_array_equal(beside, values[indices])
    assert keys.tobytes() == before.tobytes()


# ---- types, patterns and lengths --------------------------------------------------------------------


@pytest.mark.deep(*(str(dtype) for dtype in KEY_TYPES if dtype not in QUICK), parts=82)
@pytest.mark.parametrize("dtype", KEY_TYPES, ids=str)
def test_every_type_and_pattern(dtype: np.dtype[Any], pretender: Device) -> None:
    for pattern in PATTERNS:
        assert_sorted_as_by_numpy(keys_of(dtype, pattern, 301), pretender)


@pytest.mark.deep
@pytest.mark.parametrize("n", [0, 1, 2, 3, 15, 16, 17, 23, 24, 25, 63, 64, 65, 143, 144, 145, 191, 192, 193, 1000])
def test_lengths_around_chunks_and_tiles(n: int, pretender: Device) -> None:
    for pattern in ("random", "few", "narrow"):
        assert_sorted_as_by_numpy(keys_of(np.dtype(np.int32), pattern, n), pretender)
    assert_sorted_as_by_numpy(keys_of(np.dtype(np.float64), "special", n), pretender)


@pytest.mark.deep
@pytest.mark.parametrize("presort", ["bitonic", "odd-even", "none"])
def test_lists_of_dulle(presort: Any, device: Device) -> None:
    for length in (8, 6) if presort == "odd-even" else (8,):
        how: Any = {"method": "merge", "presort": presort, "list_length": length, "device": device}
        for n in (0, 1, 2, 5, 7, 8, 9, 16, 17, 31, 33, 100):
            keys = keys_of(np.dtype(np.float32), "special", n)
            np.testing.assert_array_equal(reedsp.argsort(keys, **how), np.argsort(keys, kind="stable"))


@pytest.mark.deep
@pytest.mark.parametrize("presort", ["bitonic", "odd-even", "none"])
@pytest.mark.parametrize("dtype", KEY_TYPES, ids=str)
def test_every_type_in_lists_of_dulle(dtype: np.dtype[Any], presort: Any, device: Device) -> None:
    for pattern in PATTERNS:
        assert_sorted_as_by_numpy(keys_of(dtype, pattern, 301), device, method="merge", presort=presort)


@pytest.mark.deep("uint32")
@pytest.mark.parametrize("dtype", [np.uint32, np.float64], ids=["uint32", "float64"])
def test_settings_that_are_used(dtype: type, device: Device) -> None:
    """Several chunks, with a rest, and an odd and an even number of digits."""
    for pattern in ("random", "narrow", "special"):
        assert_sorted_as_by_numpy(keys_of(np.dtype(dtype), pattern, 3 * (1 << 13) + 77), device)


def test_small_arrays_are_sorted_on_the_host(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the same bytes, and unless a device, an order or Dulle's sort is asked for."""
    monkeypatch.setenv("REEDSP_DEVICE", str(device.index))
    monkeypatch.setattr(place, "_serves", True)
    monkeypatch.setattr(sorts, "get_device", lambda device: pytest.fail("a device was chosen"))
    for dtype in KEY_TYPES:
        assert_sorted_as_by_numpy(keys_of(dtype, "special", 301), None)  # type: ignore[arg-type]
    keys = keys_of(np.dtype(np.int32), "random", 50)
    out = np.empty_like(keys)
    assert reedsp.sort(keys, out=out) is out
    np.testing.assert_array_equal(out, np.sort(keys))
    for asked in ({"device": device}, {"order": "a > b"}, {"method": "merge"}):
        with pytest.raises(pytest.fail.Exception, match="a device was chosen"):
            reedsp.sort(keys, **asked)


# ---- digits -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("keys", "digits"),
    [
        ([5, 5, 5], []),
        ([1, 2, 3], []),
        ([2, 1], [(0, 3)]),  # 1 and 2 differ in two bits, though in the range there is one
        ([1 << 20, 0], [(20, 1)]),
        ([256, 0, 512], [(8, 3)]),
        ([7, 2000, 9], [(0, 31), (5, 63)]),
        ([1 << 63, 0, 1], [(8 * place, 255) for place in range(8)]),
    ],
)
def test_digits_that_keys_differ_in(keys: list[int], digits: list[tuple[int, int]], device: Device) -> None:
    array = np.array(keys, np.uint64)
    facts = np.array(
        [[min(keys), max(keys), np.bitwise_or.reduce(array ^ array[0]), np.any(array[1:] < array[:-1])]], np.uint64
    )
    found = [(int(shift), int(mask)) for shift, mask in radix.Facts.of(facts).digits()]
    if keys == [2, 1]:
        digits = [(0, 1)]
    assert found == digits
    assert reedsp.sort(array, device=device).tolist() == sorted(keys)


def test_sorted_keys_are_only_copied(device: Device) -> None:
    """One launch looks, and none moves; GPUs look at long arrays."""
    n = 1000 if device.kind == "cpu" else 1 << 24
    keys = np.arange(n, dtype=np.int32)
    job, records = Job(device), Records(keys.dtype)
    target = job.allocate(n, keys.dtype)
    sorting = Sorting(job, records, n, Columns(job.upload(keys)), Columns(target))
    radix.radix_sort(sorting, selfcheck.trusted_form(device, records, "radix"))
    assert job.kernels_launched == 1
    np.testing.assert_array_equal(job.download(target, n, keys.dtype), keys)


def test_counts_of_64_bits(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """As for 2^32 keys and more."""
    monkeypatch.setattr(sorts, "_SHORTEST_LONG", 0)
    assert_sorted_as_by_numpy(keys_of(np.dtype(np.int32), "few", 1000), device)


@pytest.mark.deep(parts=410)  # each case has kernels of its own
@pytest.mark.parametrize("seed", range(80))
@pytest.mark.parametrize("form", FORMS)
def test_random_cases(form: str, seed: int, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """A slice of the 100,000 of ``python -m tests.deep.fuzz.sorts``."""
    make_small(monkeypatch)
    pretender = Device(device.index, device.handle)
    pretender.kind = FORMS[form]
    monkeypatch.setattr(selfcheck, "has_lanes", lambda device: form == "lanes")
    assert random_cases(pretender, 6, seed) == 6


# ---- a user's order ---------------------------------------------------------------------------------


@pytest.mark.deep
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 8, 9, 11, 12, 13, 23, 24, 25, 48, 49, 300])
def test_users_orders(n: int, pretender: Device) -> None:
    keys = keys_of(np.dtype(np.int32), "random", n)
    by_parity = np.argsort(1 - (keys & 1), kind="stable")
    np.testing.assert_array_equal(reedsp.argsort(keys, order=ODD_FIRST, device=pretender), by_parity)
    found, beside = reedsp.sort_by_key(keys, np.arange(n, dtype=np.uint16), order=ODD_FIRST, device=pretender)
    np.testing.assert_array_equal(found, keys[by_parity])
    np.testing.assert_array_equal(beside, by_parity)


@pytest.mark.deep
def test_orders_of_other_types(device: Device) -> None:
    truths = np.array([True, False, True])
    assert reedsp.argsort(truths, order="a > b", device=device).tolist() == [0, 2, 1]
    numbers = np.array([0.5, -3, 2], np.float32)
    assert reedsp.sort(numbers, order="fabs(a) < fabs(b)", device=device).tolist() == [0.5, 2, -3]
    if device.fp64:
        assert reedsp.sort(numbers.astype(float), order="a > b", device=device).tolist() == [2, 0.5, -3]


@pytest.mark.deep
def test_dulles_sort_takes_an_order_too(device: Device) -> None:
    keys = keys_of(np.dtype(np.int32), "random", 100)
    expected = np.argsort(1 - (keys & 1), kind="stable")
    for presort in ("bitonic", "none"):
        how: Any = {"method": "merge", "presort": presort, "list_length": 8, "order": ODD_FIRST}
        np.testing.assert_array_equal(reedsp.argsort(keys, device=device, **how), expected)


# ---- arrays -----------------------------------------------------------------------------------------


def test_arrays_that_are_no_plain_ones(device: Device) -> None:
    keys = keys_of(np.dtype(np.int32), "random", 400)
    for given in (keys[::2], keys[::-1], keys.astype(">i4"), keys.tolist()):
        found = reedsp.sort(given, device=device)
        np.testing.assert_array_equal(found, np.sort(given))
        assert found.dtype.isnative
        np.testing.assert_array_equal(reedsp.argsort(given, device=device), np.argsort(given, kind="stable"))
    misplaced = np.frombuffer(b"\0" + keys.tobytes(), np.uint8)[1:].view(np.int32)
    np.testing.assert_array_equal(reedsp.sort(misplaced, device=device), np.sort(keys))
    keys.flags.writeable = False
    np.testing.assert_array_equal(reedsp.sort(keys, device=device), np.sort(keys))


@pytest.mark.deep
@pytest.mark.parametrize("pattern", ["random", "few", "ascending", "narrow"])  # four digits, and other numbers of them
def test_results_go_where_they_are_wanted(pattern: str, pretender: Device) -> None:
    given = keys_of(np.dtype(np.int32), pattern, 301)
    for shift in (0, 8, 16):  # an odd number of digits, and an even one
        keys = given >> shift
        expected = np.argsort(keys, kind="stable")
        for out in (np.empty_like(keys), keys.copy()):
            source = keys if not np.array_equal(out, keys) else out
            assert reedsp.sort(source, out=out, device=pretender) is out
            np.testing.assert_array_equal(out, keys[expected])
        places = np.empty(301, np.int64)
        assert reedsp.argsort(keys, out=places, device=pretender) is places
        np.testing.assert_array_equal(places, expected)
        for own in (False, True):
            values = np.arange(301, dtype=np.uint16)
            pair = (keys.copy(), values.copy()) if own else (np.empty_like(keys), np.empty_like(values))
            source = pair if own else (keys, values)
            found = reedsp.sort_by_key(*source, out=pair, device=pretender)
            assert all(each is one for each, one in zip(found, pair, strict=True))
            np.testing.assert_array_equal(pair[0], keys[expected])
            np.testing.assert_array_equal(pair[1], expected)


def test_results_within_the_same_memory(device: Device) -> None:
    memory = keys_of(np.dtype(np.int32), "random", 101)
    expected = np.sort(memory[:100])
    reedsp.sort(memory[:100], out=memory[1:], device=device)
    np.testing.assert_array_equal(memory[1:], expected)


@pytest.mark.deep("False")
@pytest.mark.parametrize("out_of_order", [False, True])
def test_arrays_of_a_device(out_of_order: bool, device: Device) -> None:
    queue = queue_of(device, out_of_order)
    for dtype, n in ((np.int32, 1000), (np.uint8, 333), (np.int32, 0), (np.int32, 1)):
        keys = keys_of(np.dtype(dtype), "random", n)
        values = np.arange(n, dtype=np.uint16)
        expected = np.argsort(keys, kind="stable")
        given, beside = cl_array.to_device(queue, keys), cl_array.to_device(queue, values)
        np.testing.assert_array_equal(reedsp.sort(given).get(), keys[expected])
        places = reedsp.argsort(given)
        assert places.dtype == np.int64
        np.testing.assert_array_equal(places.get(), expected)
        found = reedsp.sort_by_key(given, beside)
        np.testing.assert_array_equal(found[0].get(), keys[expected])
        np.testing.assert_array_equal(found[1].get(), expected)
        np.testing.assert_array_equal(given.get(), keys)
        assert reedsp.sort(given, out=given) is given
        np.testing.assert_array_equal(given.get(), keys[expected])


def test_parts_of_arrays_of_a_device(device: Device) -> None:
    keys = keys_of(np.dtype(np.int32), "random", 1000)
    given = cl_array.to_device(queue_of(device, False), keys)
    np.testing.assert_array_equal(reedsp.sort(given[3:900]).get(), np.sort(keys[3:900]))
    part = given[5:105]
    reedsp.sort(part, out=part)
    expected = keys.copy()
    expected[5:105].sort()
    np.testing.assert_array_equal(given.get(), expected)


# ---- errors -----------------------------------------------------------------------------------------

KEYS = np.array([3, 1, 2])


@pytest.mark.deep("order: 'a < c' is no OpenCL C expression")
@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: reedsp.sort(np.array(["b", "a"])), TypeError, "values: elements of type bool, int8,"),
        (lambda: reedsp.sort(KEYS + 0j), TypeError, "values: elements of type bool, int8,"),
        (lambda: reedsp.argsort(np.array([1, 2**70])), TypeError, "values: elements of type bool, int8,"),
        (lambda: reedsp.sort(np.longdouble([1])), TypeError, "values: elements of type bool, int8,"),
        (lambda: reedsp.sort(np.ones((2, 2))), ValueError, r"values: an array of one dimension is expected, got shape"),
        (lambda: reedsp.sort({1, 2}), ValueError, "values: an array of one dimension is expected, got set$"),
        (
            lambda: reedsp.sort(i for i in KEYS),
            ValueError,
            "values: an array of one dimension is expected, got generator$",
        ),
        (lambda: reedsp.sort(np.ma.array(KEYS)), TypeError, "values: masked arrays are not supported"),
        (lambda: reedsp.sort(KEYS, "quick"), ValueError, "method: 'quick' is none of 'fast', 'merge'"),
        (lambda: reedsp.sort(KEYS, presort="shell"), ValueError, "presort = 'shell', expected one of 'bitonic'"),
        (lambda: reedsp.sort(KEYS, list_length=1), ValueError, "list_length: at least 2 is expected, got 1"),
        (lambda: reedsp.sort(KEYS, list_length=2.5), TypeError, "list_length: expected an integer, got 2.5"),
        (lambda: reedsp.sort(KEYS, list_length=True), TypeError, "list_length: expected an integer, got True"),
        (lambda: reedsp.sort(KEYS, list_length=12), ValueError, "list_length: 12 is no power of two"),
        (
            lambda: reedsp.sort(KEYS, list_length=8),
            ValueError,
            "^list_length: method = 'fast' has none",
        ),
        (
            lambda: reedsp.argsort(KEYS, presort="none"),
            ValueError,
            "^presort: method = 'fast' has none",
        ),
        (
            lambda: reedsp.sort(KEYS, "merge", list_length=1 << 20),
            ValueError,
            "list_length: 1048576, but .* has work-groups of at most",
        ),
        (lambda: reedsp.sort(KEYS, order=3), TypeError, "order: expected a string, got int"),
        (lambda: reedsp.sort(KEYS, order="a < b; b"), ValueError, "order: ';' at position 5 is no part of an"),
        (lambda: reedsp.sort(KEYS, order="a < c"), ValueError, "order: 'a < c' is no OpenCL C expression"),
        (lambda: reedsp.sort(KEYS.astype(np.float16), order="a < b"), TypeError, "order: values of float16 have none"),
        (lambda: reedsp.sort(KEYS, out=np.empty(3)), ValueError, "out: expected shape"),
        (lambda: reedsp.argsort(KEYS, out=np.empty(3, np.int32)), ValueError, "out: expected shape"),
        (
            lambda: reedsp.sort(np.array([2, 1], ">i4"), out=np.empty(2, np.dtype(np.int32).newbyteorder())),
            ValueError,
            r"out: expected shape \(2,\) and dtype int32 in this machine's byte order, got \(2,\) and ",
        ),
        (lambda: reedsp.argsort(KEYS, out=KEYS), ValueError, "out: it overlaps values"),
        (lambda: reedsp.sort_by_key(KEYS, [1, 2]), ValueError, "values: it has 2 elements, but keys has 3"),
        (lambda: reedsp.sort([1, None]), TypeError, r"values\[1\] is None, expected a number$"),
        (lambda: reedsp.sort_by_key([1, None], [1, 2]), TypeError, r"keys\[1\] is None, expected a number$"),
        (lambda: reedsp.sort_by_key(KEYS, [1, 2, None]), TypeError, r"values\[2\] is None, expected a number$"),
        (lambda: reedsp.sort_by_key(KEYS, KEYS + 0j), TypeError, "values: elements of 1, 2, 4 or 8 bytes are"),
        (lambda: reedsp.sort_by_key(KEYS, KEYS, out=KEYS), TypeError, "out: a pair of arrays is expected"),
        (
            lambda: reedsp.sort_by_key(KEYS, KEYS + 1, out=(np.empty(3), KEYS.copy())),
            ValueError,
            r"out\[0\]: expected shape",
        ),
        (
            lambda: reedsp.sort_by_key(KEYS, KEYS + 1, out=(KEYS, KEYS)),
            ValueError,
            "out: its arrays overlap each other, or what they are not like",
        ),
        (lambda: reedsp.sort(KEYS, device=99), DeviceError, "99"),
    ],
)
def test_wrong_arguments(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=f"^{message}" if message != "99" else message):
        call()


def test_an_array_of_a_device_and_one_of_the_host(device: Device) -> None:
    given = cl_array.to_device(queue_of(device, False), KEYS)
    with pytest.raises(TypeError, match=r"^out: a host array, but values is a pyopencl array; convert one$"):
        reedsp.sort(given, out=KEYS)


def test_lanes_come_first_where_there_are_any(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """And other forms of a radix sort, or of a merge, where there are none, or theirs is not right."""
    asked: list[str] = []
    monkeypatch.setattr(selfcheck, "_is_trusted", lambda *arguments: asked.append(arguments[-1]))
    pretender, records = Device(device.index, device.handle), Records(KEYS.dtype)
    others = ["work-group", "work-item"]
    pretender.kind = "gpu"
    for generation, algorithm, forms in ((7, "radix", ["lanes", *others]), (6, "radix", others), (9, "merge", others)):
        pretender.nvidia_generation = generation
        with pytest.raises(DeviceError, match=rf"the {algorithm} sort of int64 gives wrong answers, or fails$"):
            selfcheck.trusted_form(pretender, records, algorithm)
        assert asked == forms
        asked.clear()


@pytest.mark.parametrize("carried", [None, np.dtype(np.uint64)])
def test_lanes_fit_in_local_memory(
    carried: np.dtype[Any] | None, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Small keys are sorted by large work-groups, others by smaller ones, in the least local memory that GPUs have."""
    monkeypatch.setattr(device, "local_memory", 1 << 15)
    for dtype, size in ((np.uint8, 16), (np.float64, 8)):
        records = Records(np.dtype(dtype), carried, carried)
        found, items = radix._sizes_in_lanes(device, records, 32, 256)
        assert (found, items % 2) == (32 * size, 1)
        each = np.dtype(dtype).itemsize + 2 * (carried is not None)
        assert found * items * each + 2 * 256 * size + 4 * (2 * found + 2 * 256) <= 1 << 15
        assert (
            items == radix._MOST_ITEMS_OF_LANES or found * (items + 2) * each + 512 * size + 8 * found + 2048 > 1 << 15
        )


def test_no_form_is_right(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selfcheck, "is_trusted", lambda *arguments: False)
    with pytest.raises(DeviceError, match=r"the radix sort of int64 gives wrong answers, or fails$"):
        reedsp.sort(KEYS, device=device)
    with pytest.raises(DeviceError, match=r"Dulle's merge sort of int64 gives wrong answers, or fails$"):
        reedsp.sort(KEYS, "merge", device=device)


@pytest.mark.parametrize(("carried", "what"), [(None, ""), (np.dtype(np.int32), " with what they carry")])
def test_a_form_that_is_wrong_is_put_aside(
    carried: np.dtype[Any] | None, what: str, device: Device, own_verdicts: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(selfcheck, "sorts_known_keys", lambda device, records, algorithm, form: form == "work-group")
    monkeypatch.setattr(selfcheck, "has_lanes", lambda device: False)
    monkeypatch.setattr(device, "kind", "cpu")
    said = f"^the radix sort of int16{what}, work-item, gives a wrong answer on .*, and is put aside$"
    with pytest.warns(RuntimeWarning, match=said):
        assert selfcheck.trusted_form(device, Records(np.dtype(np.int16), carried, carried), "radix") == "work-group"


def test_a_kernel_that_is_not_built_for_another_reason(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: object, **macros: object) -> None:
        raise DeviceError("out of resources")

    monkeypatch.setattr(Device, "kernel", fail)
    records = Records(np.dtype(np.int32), order="a > b")
    with pytest.raises(DeviceError, match=r"^out of resources$"):
        kernel_by_order(Job(device), records, "sort/lists.cl", "merge_step", True)


@pytest.mark.deep
def test_75_wrong_sorts_are_replaced(device: Device, kernel_copy: Path, own_verdicts: None) -> None:
    if device.kind == "gpu":
        pytest.skip("it is tried in the form of GPUs")
    fresh = Device(device.index, device.handle)
    file = kernel_copy / "sort" / "radix_work_item.cl"
    right = "numbered ? (RESULT)i :"
    assert right in file.read_text()
    file.write_text(file.read_text().replace(right, "numbered ? (RESULT)(i ^ (i == 20000)) :"))
    keys = keys_of(np.dtype(np.int8), "random", 300)
    message = "the radix sort of int8 with what they carry, work-item, gives a wrong answer"
    with pytest.warns(RuntimeWarning, match=message):
        found = reedsp.argsort(keys, device=fresh)
    np.testing.assert_array_equal(found, np.argsort(keys, kind="stable"))


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([0.5, 2**53 + 1], rf"\[1\] = {2**53 + 1} has no exact float64 value"),
        ([2**63 + 1, -1], rf"\[0\] = {2**63 + 1} has no exact float64 value"),
    ],
)
def test_integers_in_a_list_that_would_be_rounded(values: list[float], said: str) -> None:
    """Numpy makes floats of them, some of which are equal then."""
    for sort in (reedsp.sort, reedsp.argsort):
        with pytest.raises(ValueError, match=f"^values{said}"):
            sort(values)
    with pytest.raises(ValueError, match=f"^x{said}"):
        reedsp.reduce(values)
    assert reedsp.sort([0.5, 2**53]).tolist() == [0.5, 2**53]
    assert reedsp.sort([2**63 + 1, 2**63]).tolist() == [2**63, 2**63 + 1]
