"""How much a device is given at a time follows from how long it takes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from reedsp.device import iterate
from reedsp.device.build import constants
from reedsp.device.iterate import Batches, Pace, take_rows


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
    monkeypatch.setattr(iterate, "_SECONDS", 8.0)
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
    assert amounts(Pace(3, 20), clock, [0.1] * 5) == [3, 6, 12, 20, 20, 20]


def test_halved_down_to_one_while_it_takes_long(clock: Clock) -> None:
    assert amounts(Pace(9), clock, [16.0] * 4) == [9, 4, 2, 1, 1]


def test_kept_from_half_of_the_time_on(clock: Clock) -> None:
    assert amounts(Pace(4), clock, [1.0, 1.5, 2.0, 2.25, 1.0, 4.0]) == [4, 4, 4, 4, 2, 4, 2]


def test_first_amount_keeps_to_the_bound() -> None:
    assert Pace(8, 1).amount == 1


def test_time_outside_does_not_count(clock: Clock) -> None:
    given = Pace(4)
    for _ in range(2):
        clock.now += 1000.0
        given.begin()
        clock.now += 0.5
        given.adapt()
    assert given.amount == 16


# ---- batches of launches -----------------------------------------------------------------------------


def batches_of(known: dict[Any, Any], needed: int, clock: Clock, seconds: float = 0.0, most: int = 100) -> list[int]:
    """Return the batches of a search that takes so many launches, each of them so long."""
    batches, found = Batches(known, "kind", 8, 2, most, part=1), []
    while True:
        found.append(batches.begin())
        clock.now += seconds * found[-1]
        if sum(found) >= needed:
            batches.end(needed)
            return found
        batches.go_on()


def test_a_search_is_given_what_the_last_one_needed(clock: Clock) -> None:
    known: dict[Any, Any] = {}
    assert batches_of(known, 21, clock) == [8, 8, 16]
    assert batches_of(known, 21, clock) == [21]
    assert batches_of(known, 25, clock) == [21, 5]
    assert batches_of(known, 25, clock) == [25]
    assert batches_of({}, 21, clock) == [8, 8, 16]


def test_one_that_needs_less_takes_little_from_the_next_one(clock: Clock) -> None:
    known: dict[Any, Any] = {}
    needed = (24, 3, 3, 24, 8, 1, 1, 1)
    firsts = [batches_of(known, each, clock)[0] for each in needed]
    assert firsts == [8, 24, 21, 19, 24, 21, 19, 17]
    for _ in range(20):
        batches_of(known, 1, clock)
    assert batches_of(known, 1, clock) == [1]


def test_what_takes_long_is_not_queued_at_once_the_next_time(clock: Clock) -> None:
    """Python has to hear Ctrl-C."""
    known: dict[Any, Any] = {}
    batches_of(known, 40, clock, seconds=6.0)
    assert batches_of(known, 40, clock, seconds=6.0)[0] == 1
    assert batches_of(known, 40, clock, most=30)[0] == 1
    assert batches_of(known, 40, clock, most=30)[0] == 30


def test_kinds_of_searches_are_apart(clock: Clock) -> None:
    known: dict[Any, Any] = {}
    batches_of(known, 50, clock)
    assert Batches(known, "kind", 8, 2, 100, part=1).begin() == 50
    assert Batches(known, "other", 8, 2, 100, part=1).begin() == 8


def test_steps_of_rows_beyond_32_bits() -> None:
    """The counter of a device begins at 0 again; the host goes on."""
    layout = constants("core/rows.cl")
    words = np.zeros((3, layout["COUNTERS"]), np.uint32)
    words[:, layout["STEPS"]] = [2**32 - 10, 5, 7]
    words[-1, layout["ROWS_DONE"]] = 2

    class Fake:
        def download(self, *_: Any) -> np.ndarray:
            return next(counters)

        def set(self, *_: Any) -> None:
            pass

        queue = set

    counters, seen = iter(words), list[int]()
    fake: Any = Fake()
    assert take_rows(fake, fake, fake, 2, Pace(1), seen.append) == 2**32 + 7
    assert seen == [2**32 - 10, 2**32 + 5]
