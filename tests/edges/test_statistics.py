"""How many vertices rows of distances reach, how far the farthest is, and the sum: on the device and on the host."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from reedsp.arithmetic.paths import Arithmetic
from reedsp.device.job import Job, Launched, recording
from reedsp.edges import statistics
from reedsp.edges.statistics import Measured, RowStatistics, add_up, add_up_levels, add_up_on_host

LANES = 256
DTYPES = ("int32", "int64", "float32", "float64")


def sum_of_lanes(row: list[float]) -> float:
    """Return the sum of a row in the order that kernels and numpy have to keep, added up by Python."""
    lanes = [0.0] * LANES
    for vertex, dist in enumerate(row):
        lanes[vertex % LANES] += dist
    while len(lanes) > 1:
        half = len(lanes) // 2
        lanes = [lanes[lane] + lanes[lane + half] for lane in range(half)]
    return lanes[0]


def rows_of(dtype: str, rows: int, n: int, seed: int) -> npt.NDArray[Any]:
    """Return rows in which some vertices are not reached, and in which the order of additions matters."""
    rng = np.random.default_rng(seed)
    dist = rng.integers(0, 10**6, (rows, n)) if dtype[0] == "i" else rng.random((rows, n)) * 10.0 ** rng.integers(0, 9)
    dist = dist.astype(dtype)
    dist[rng.random((rows, n)) < rng.random((rows, 1))] = Arithmetic(np.dtype(dtype)).infinity
    return dist


def expected_of(dist: npt.NDArray[Any], no_path: Any) -> tuple[list[Any], list[Any], list[Any]]:
    """Return the statistics, by Python alone."""
    reached = [[value for value in row if value != no_path] for row in dist.tolist()]
    counted = [[value if value != no_path else 0 for value in row] for row in dist.tolist()]
    totals = [sum_of_lanes(row) if dist.dtype.kind == "f" else sum(row) for row in counted]
    return [len(row) for row in reached], [max(row, default=0) for row in reached], totals


def lists(found: RowStatistics) -> tuple[list[Any], list[Any], list[Any]]:
    return found.reached.tolist(), found.farthest.tolist(), found.total.tolist()


@pytest.mark.deep
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("group_size", [None, 1, 2, 64, 256])
def test_statistics_are_those_of_python(dtype: str, group_size: int | None, device: Any) -> None:
    arithmetic, job = Arithmetic(np.dtype(dtype)), Job(device)
    for rows, n in ((1, 1), (3, 255), (2, 256), (4, 257), (2, 1030), (70, 7)):
        dist = rows_of(dtype, rows, n, seed=n)
        expected = expected_of(dist, arithmetic.infinity)
        found, on_host = (RowStatistics.empty(rows, dist.dtype) for _ in range(2))
        add_up(job, job.upload(dist), n, found, arithmetic, group_size)
        add_up_on_host(dist, on_host, arithmetic.infinity)
        assert lists(found) == lists(on_host) == expected
        assert (found.total.dtype.kind, found.farthest.dtype) == (dist.dtype.kind, dist.dtype)


@pytest.mark.deep("192-128", "256-256")
@pytest.mark.parametrize(("most", "expected"), [(1, 1), (192, 128), (256, 256), (4096, 256)])
def test_work_groups_of_a_gpu_divide_the_lanes(
    most: int, expected: int, device: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(device, "kind", "gpu")
    monkeypatch.setattr(device, "max_work_group_size", most)
    arithmetic, job = Arithmetic(np.dtype(np.float64)), Job(device)
    dist = rows_of("float64", 3, 700, seed=4)
    found = RowStatistics.empty(3, dist.dtype)
    launched: list[Launched] = []
    with recording(launched.append):
        add_up(job, job.upload(dist), 700, found, arithmetic)
    assert [each.local_size for each in launched] == [(expected,)]
    assert lists(found) == expected_of(dist, np.inf)


def test_levels_lie_beside_predecessors(device: Any) -> None:
    rng, job, n = np.random.default_rng(1), Job(device), 300
    found = rng.integers(-1, 40, (5, 2, n)).astype(np.int32)
    rows = RowStatistics.empty(5, found.dtype)
    add_up_levels(job, job.upload(found), n, rows)
    assert lists(rows) == expected_of(found[:, 0], -1)


def test_no_rows(device: Any) -> None:
    arithmetic, job = Arithmetic(np.dtype(np.int32)), Job(device)
    rows = RowStatistics.empty(0, arithmetic.dtype)
    add_up(job, job.upload(np.empty(0, np.int32)), 4, rows, arithmetic)
    add_up_on_host(np.empty((0, 4), np.int32), rows, arithmetic.infinity)
    assert lists(rows) == ([], [], [])


def test_sums_are_refused_only_beyond_int64(device: Any) -> None:
    arithmetic, job = Arithmetic(np.dtype(np.int64)), Job(device)
    most, far = 2**63 - 1, 2**62
    for row, fits in (([far, far - 1, most], True), ([far, far, most], False), ([far, far, far, far, 5], False)):
        dist = np.array([[1] * len(row), row], np.int64)
        rows = RowStatistics.empty(4, dist.dtype, ["a", "b", "c", "d"]).part(slice(1, 3))
        for add in (
            lambda dist=dist, rows=rows: add_up(job, job.upload(dist), dist.shape[1], rows, arithmetic),
            lambda dist=dist, rows=rows: add_up_on_host(dist, rows, arithmetic.infinity),
        ):
            if fits:
                add()
                assert rows.total.tolist() == [3, most]
            else:
                total = sum(each for each in row if each != most)
                text = f"^the distances from vertex 'c' add up to {total}, which is beyond int64"
                with pytest.raises(OverflowError, match=text):
                    add()


def test_sums_are_refused_only_beyond_int64_on_either_side() -> None:
    most, far = 2**63 - 1, -(2**62)
    for row, total in (([0, far, far], 2 * far), ([5, far, far, -6], None), ([0, far, far, far, far], None)):
        rows = RowStatistics.empty(1, np.dtype(np.int64))
        if total is not None:
            add_up_on_host(np.array([row]), rows, most)
            assert rows.total.tolist() == [total]
        else:
            with pytest.raises(OverflowError, match=f"add up to {sum(row)}, which is beyond int64"):
                add_up_on_host(np.array([row]), rows, most)


def test_sums_beyond_float64_are_refused(device: Any) -> None:
    arithmetic, job = Arithmetic(np.dtype(np.float64)), Job(device)
    for row in ([0.0, 1.7e308, np.inf], [0.0, 1.7e308, 1.7e308]):
        dist, fits = np.array([[0.0, 1.0, 2.0], row]), np.inf in row
        for add in (
            lambda rows, dist=dist: add_up(job, job.upload(dist), 3, rows, arithmetic),
            lambda rows, dist=dist: add_up_on_host(dist, rows, arithmetic.infinity),
        ):
            rows = RowStatistics.empty(2, dist.dtype, ["a", "b"])
            if fits:
                add(rows)
                assert rows.total.tolist() == [3.0, 1.7e308]
            else:
                with pytest.raises(OverflowError, match="from vertex 'b' add up to a number that is beyond"):
                    add(rows)


def test_parts_share_memory_and_are_joined() -> None:
    rows = RowStatistics(np.arange(4), np.arange(4.0), np.arange(4.0) * 2)
    rows.part(slice(2, 4)).reached[...] = 9
    assert rows.reached.tolist() == [0, 1, 9, 9]
    parts = [
        Measured(rows.part(slice(2)), "a", "one", "so", 3),
        Measured(rows.part(slice(2, 4)), "b", "two", "no", 4),
        Measured(rows, "a", "one", "no", 5),
    ]
    joined = Measured.joined(parts, np.dtype(float))
    assert lists(joined.rows) == tuple(each + each for each in lists(rows))
    assert joined[1:] == ("a, b", "one, two", "so", 12)
    none = Measured.joined([], np.dtype(np.int32))
    assert lists(none.rows) == ([], [], [])
    assert none[1:] == ("", "", "there is nothing to find", 0)
    assert not rows.equals(parts[0].rows)
    assert rows.equals(RowStatistics(*(each.copy() for each in (rows.reached, rows.farthest, rows.total))))


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_wrong_kernel_is_noticed(dtype: str, device: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    arithmetic = Arithmetic(np.dtype(dtype))
    assert statistics.adds_up_known_rows(device, arithmetic)
    assert statistics.adds_up_known_levels(device)
    original = statistics._add_up

    def off_by_one(job: Any, dist: Any, n: int, *rest: Any) -> None:
        original(job, dist, n - 1, *rest)

    monkeypatch.setattr(statistics, "_add_up", off_by_one)
    assert not statistics.adds_up_known_rows(device, arithmetic)
    assert not statistics.adds_up_known_levels(device)


def test_floats_need_double_precision(device: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device, "fp64", False)
    assert not statistics.adds_up(device, Arithmetic(np.dtype(np.float32)))
    assert statistics.adds_up(device, Arithmetic(np.dtype(np.int32)))
