"""How much a device is given at a time follows from how long it takes."""

from __future__ import annotations

import pytest

from reedsp.device import iterate
from reedsp.device.iterate import Pace


class Clock:
    """Says the time that a test has set."""

    def __init__(self) -> None:
        self.now = 100.0

    def perf_counter(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(iterate, "time", clock)
    return clock


def amounts(given: Pace, clock: Clock, seconds_each: list[float]) -> list[int]:
    found = []
    for seconds in seconds_each:
        found.append(given.amount)
        given.begin()
        clock.now += seconds * given.amount
        given.adapt()
    return [*found, given.amount]


def test_doubled_up_to_the_most_while_it_takes_little(clock: Clock) -> None:
    assert amounts(Pace(3, 20, seconds=8.0), clock, [0.1] * 5) == [3, 6, 12, 20, 20, 20]


def test_halved_down_to_one_while_it_takes_long(clock: Clock) -> None:
    assert amounts(Pace(9, seconds=1.0), clock, [2.0] * 4) == [9, 4, 2, 1, 1]


def test_kept_from_half_of_the_time_on(clock: Clock) -> None:
    assert amounts(Pace(4, seconds=8.0), clock, [1.0, 1.5, 2.0, 2.25, 1.0, 4.0]) == [4, 4, 4, 4, 2, 4, 2]


def test_first_amount_keeps_to_the_bound() -> None:
    assert Pace(8, 1).amount == 1


def test_time_outside_does_not_count(clock: Clock) -> None:
    given = Pace(4, seconds=8.0)
    for _ in range(2):
        clock.now += 1000.0
        given.begin()
        clock.now += 0.5
        given.adapt()
    assert given.amount == 16
