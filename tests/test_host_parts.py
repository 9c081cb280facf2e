"""Passes over large arrays in parts (reedsp.host_parts), and the conversions that use them."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from reedsp.exactness import Arithmetic, to_result
from reedsp.host_parts import PART, in_parts
from reedsp.path_matrix import Weights, write_distances

INT64 = np.dtype(np.int64)
FLOAT64 = np.dtype(np.float64)


@pytest.mark.parametrize("itemsize", [0, 1, 8, 3 * PART])
@pytest.mark.parametrize("count", [0, 1, 7, 40])
def test_the_parts_cover_the_whole_once(count: int, itemsize: int) -> None:
    seen: list[int] = []
    in_parts(lambda first, last: seen.extend(range(first, last)), count, itemsize)
    assert sorted(seen) == list(range(count))


def test_little_is_done_by_the_calling_thread_and_much_by_others() -> None:
    threads: set[int] = set()
    in_parts(lambda first, last: threads.add(threading.get_ident()), 3, PART)
    assert threads == {threading.get_ident()}
    threads.clear()
    in_parts(lambda first, last: threads.add(threading.get_ident()), 100, PART)
    assert threading.get_ident() not in threads


def test_the_error_of_the_first_part_is_raised() -> None:
    def fail(first: int, last: int) -> None:
        if first >= 5:
            raise ValueError(str(first))

    with pytest.raises(ValueError, match=r"^5$"):
        in_parts(fail, 40, PART)


def test_threads_have_the_callers_error_state() -> None:
    states = []
    with np.errstate(over="raise"):
        in_parts(lambda first, last: states.append(np.geterr()["over"]), 20, PART)
    assert states == ["raise"] * 20


def test_large_results_are_converted_as_small_ones() -> None:
    n = 3 * PART + 17
    dist = np.arange(n)
    dist[::5] = Arithmetic(INT64).infinity
    expected = dist.astype(float)
    expected[::5] = np.inf
    assert np.array_equal(to_result(dist, Arithmetic(INT64), FLOAT64), expected)
    rows = dist[: n - n % 2].reshape(2, -1)
    assert np.array_equal(to_result(rows, Arithmetic(INT64), FLOAT64), expected[: rows.size].reshape(2, -1))
    for wrong in (n - 2, n - 3):
        dist[wrong] = 2**53 + 1
        with pytest.raises(ValueError, match=rf"dist\[{wrong}\] = {2**53 + 1} has no exact"):
            to_result(dist, Arithmetic(INT64), FLOAT64)


def test_large_matrices_are_converted_as_small_ones() -> None:
    weights = Weights(np.dtype(np.int32), 2**31 - 1, 2**30, False)
    values = np.arange(300 * 10_000, dtype=np.int32).reshape(300, 10_000)
    expected = values.astype(np.float64)
    values[7, 3], expected[7, 3] = weights.no_path, np.inf
    values[299, 9_999], expected[299, 9_999] = weights.unbounded, -np.inf
    dist = np.empty((300, 2 * 10_000))[:, ::2]
    write_distances(values, 0, weights, dist)
    assert np.array_equal(dist, expected)
    large = values.astype(np.int64) + 2**31
    with pytest.raises(OverflowError, match=r"^dist\[1000, 0\] = 2147483648 is outside int32"):
        write_distances(large, 1000, Weights(INT64, 2**63 - 1, 2**62, False), np.empty((300, 10_000), np.int32))
