"""A call is in one phase at a time."""

from __future__ import annotations

import contextlib
from types import SimpleNamespace

import pytest

from reedsp.system import phases


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Return the time, in seconds, which stands still unless it is changed."""
    now = [10.0]
    monkeypatch.setattr(phases, "time", SimpleNamespace(perf_counter=lambda: now[0]))
    return now


def test_a_phase_goes_on_after_another_within_it(clock: list[float]) -> None:
    found = phases.Phases()
    clock[0] += 1
    found.begin("search")
    clock[0] += 2
    with found.within("upload"):
        clock[0] += 4
    clock[0] += 8
    with contextlib.suppress(KeyError), found.within("tree"):
        clock[0] += 16
        raise KeyError
    clock[0] += 32
    expected = dict.fromkeys(phases.NAMES, 0.0) | {"prepare": 1e3, "search": 42e3, "upload": 4e3, "tree": 16e3}
    assert found.milliseconds() == expected
    clock[0] += 1
    assert found.milliseconds() == expected | {"search": 43e3}
