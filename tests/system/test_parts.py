"""Passes over large arrays in parts (reedsp.system.parts), and the conversions that use them."""

from __future__ import annotations

import contextlib
import os
import threading

import numpy as np
import pytest

from reedsp.arithmetic.matrix import Weights, write_distances
from reedsp.arithmetic.paths import Arithmetic, to_result
from reedsp.system.parts import PART, in_parts

INT64 = np.dtype(np.int64)
FLOAT64 = np.dtype(np.float64)


@pytest.mark.parametrize("itemsize", [0, 1, 8, 3 * PART])
@pytest.mark.parametrize("count", [0, 1, 7, 40])
def test_the_parts_cover_the_whole_once(count: int, itemsize: int) -> None:
    seen: list[int] = []
    in_parts(lambda first, last: seen.extend(range(first, last)), count, itemsize)
    assert sorted(seen) == list(range(count))


def test_little_is_done_by_the_calling_thread_and_much_by_others_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 4)
    threads: set[int] = set()
    in_parts(lambda first, last: threads.add(threading.get_ident()), 3, PART)
    assert threads == {threading.get_ident()}
    together = threading.Barrier(4, timeout=60)

    def meet(first: int, last: int) -> None:
        together.wait()
        threads.add(threading.get_ident())

    in_parts(meet, 4 * 25, PART)  # no thread goes on before three others have a part
    assert len(threads) == 4


def test_parts_within_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also while all threads are busy: who asks does the work."""
    monkeypatch.setattr(os, "cpu_count", lambda: 64)
    seen: list[int] = []
    in_parts(lambda first, last: in_parts(lambda *part: seen.append(first), 20, PART), 40, PART)
    assert sorted(seen) == sorted([*range(40)] * 20)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_has_threads_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 4)
    in_parts(lambda first, last: None, 40, PART)
    if (child := os.fork()) == 0:
        together = threading.Barrier(4, timeout=60)
        with contextlib.suppress(threading.BrokenBarrierError):
            in_parts(lambda first, last: (together.wait(), None)[1], 40, PART)
            os._exit(0)
        os._exit(1)
    assert os.waitpid(child, 0)[1] == 0


def test_after_an_error_nothing_goes_on() -> None:
    begun: list[int] = []

    def fail(first: int, last: int) -> None:
        begun.append(first)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        in_parts(fail, 1000, PART)
    assert len(begun) <= 8
    before = len(begun)
    in_parts(lambda first, last: None, 40, PART)
    assert len(begun) == before


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
