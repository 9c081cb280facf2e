"""How work is shared out among workers: counts by hand, and what two workers took, as it was measured."""

from __future__ import annotations

import itertools

import pytest

from reedsp.cost_model import sharing


def test_rows_of_a_task() -> None:
    """All workers have as many tasks, four at least, and no more than it takes for the rows of one to fit."""
    for rows, workers, fit in itertools.product((1, 2, 5, 16, 97, 1000), (1, 2, 3, 7), (1, 3, 8, 50)):
        tasks = next(each for each in itertools.count(4 * workers, workers) if -(-rows // each) <= fit)
        assert sharing.rows_of_task(rows, workers, 10, 10 * fit + 9) == -(-rows // tasks)


def test_rows_without_workers_or_bytes() -> None:
    """There is a row at least, also of nothing, and of more bytes than a task may have."""
    assert sharing.rows_of_task(1000, 0, 8) == sharing.rows_of_task(1000, 1, 8) == 250
    assert sharing.rows_of_task(1000, 1, 0) == 250
    assert sharing.rows_of_task(0, 2, 8) == sharing.rows_of_task(8, 2, 1 << 40) == 1
    assert sharing.rows_of_task(1000, 1, 1 << 20) == 125  # eight tasks of no more than 128 rows, which are 2^27 bytes


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_searches_take_as_long_as_the_worker_with_the_most(workers: int) -> None:
    """A row takes a second: nothing else counts."""
    for rows in (1, 5, 24, 100, 1001):
        shared = sharing.searches(rows, 1, 0, workers, 1 << 30, float)
        rows_of_task = sharing.rows_of_task(rows, workers, 1)
        assert shared.tasks == -(-rows // rows_of_task)
        of_one = -(-shared.tasks // workers) * rows_of_task
        assert of_one <= shared.seconds < of_one + 0.1
        assert rows / workers <= shared.seconds


def test_tasks_that_do_nothing() -> None:
    """They take two to four milliseconds each, one after the other: so the client is what is waited for."""
    for workers in (1, 2, 7):
        shared = sharing.searches(1000, 1, 0, workers, 1 << 30, lambda rows: 0.0)
        assert 2e-3 < shared.seconds / shared.tasks < 4e-3
        assert shared.seconds / shared.tasks == pytest.approx(sharing.strips(1, 0, 1, 1, 0.0).seconds)
    assert sharing.searches(0, 8, 0, 2, 1 << 30, lambda rows: 9.0) == (0, 0.0)


def test_a_graph_is_sent_to_each_worker_and_made_ready_by_all_at_once() -> None:
    """New York, of which a second worker took 12.2 ms more, and one 71 ms (experiments/results/*/clusters.csv)."""
    size = 730_100 * 8 + 264_346 * 4
    seconds = [sharing.searches(0, 8, size, workers, 1 << 30, float).seconds for workers in (1, 2, 3)]
    assert seconds[1] - seconds[0] == pytest.approx(seconds[2] - seconds[1])
    assert sharing.searches(0, 8, 10 * size, 1, 1 << 30, float).seconds == pytest.approx(10 * seconds[0])
    assert 0.0122 / 1.3 < seconds[1] - seconds[0] < 0.0122 * 1.3
    assert 0.0710 / 1.3 < seconds[0] < 0.0710 * 1.3


def test_spans_of_a_strip() -> None:
    """All workers have four strips of so many at least, and would not with one more; there are no smaller ones."""
    for spans, workers in itertools.product((1, 7, 8, 63, 64, 200), (0, 1, 2, 3)):
        found = sharing.spans_of_strip(64 * spans - 63, 64, workers)  # the last one is of a single row
        assert found == 1 or found * 4 * max(1, workers) <= spans
        assert (found + 1) * 4 * max(1, workers) > spans


def test_each_strip_takes_part_in_each_pass() -> None:
    assert sharing.strips(1024, 4, 64, 1, 0.0).tasks == 4 * 4  # of four spans
    assert sharing.strips(1025, 4, 64, 1, 0.0).tasks == 5 * 5
    assert sharing.strips(1024, 4, 64, 2, 0.0).tasks == 8 * 8
    assert sharing.strips(1024, 4, 64, 100, 0.0).tasks == 16 * 16
    assert sharing.strips(1, 4, 64, 3, 0.0).tasks == 1


def test_strips_do_not_travel_to_a_single_worker() -> None:
    alone, two, four = (sharing.strips(10_000, 4, 512, workers, 64.0).seconds for workers in (1, 2, 4))
    assert alone == 64
    assert two - 32 == pytest.approx(four - 16)  # which all get at once
    assert sharing.strips(10_000, 8, 512, 2, 64.0).seconds - 32 == pytest.approx(2 * (two - 32))
    assert sharing.strips(20_000, 4, 512, 2, 64.0).seconds - 32 == pytest.approx(4 * (two - 32))


@pytest.mark.parametrize(("n", "one", "two"), [(4096, 0.840346, 0.576891), (8192, 6.646759, 3.902732)])
def test_a_matrix_took_two_workers_as_long(n: int, one: float, two: float) -> None:
    """By what it took one of them (experiments/results/pocl-amd-epyc/clusters.csv)."""
    assert sharing.strips(n, 4, 512, 2, one).seconds == pytest.approx(two, rel=0.05)
