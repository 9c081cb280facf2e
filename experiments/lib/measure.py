"""The only timing code: how long a solve takes, checked outside the timed region."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

LEAST_REPEATS = 3
PATIENCE = 10.0
"""Seconds to repeat calls for that are compared with others: three times at least, or once what takes longer."""

Answer = TypeVar("Answer")


def measure(
    solve: Callable[[], Answer], check: Callable[[Answer], None], repeats: int
) -> tuple[Answer, dict[str, float]]:
    """Time a call that returns when its work is done; see :func:`measure_in_turn`.

    Returns
    -------
    answer
        The last one.
    dict
        ``first_ms``, ``min_ms``, ``median_ms``, ``repeats``.
    """
    answers: list[Answer] = []

    def keep_and_check(answer: Answer) -> None:
        answers[:] = [answer]
        check(answer)

    [times] = measure_in_turn([(solve, keep_and_check)], repeats)
    return answers[0], times


def measure_in_turn(
    solves: Sequence[tuple[Callable[[], Any], Callable[[Any], None]]],
    repeats: int,
    warm_up: int = 0,
    patience: float = math.inf,
) -> list[dict[str, float]]:
    """Time several calls in turn, again and again, so that what slows the machine down slows all of them down.

    The first call of each builds kernels and copies its input to the device; it is reported apart. Every answer is
    checked, outside the timed region; a wrong one raises, so that no figure is ever written without a right answer. A
    GPU that idles during a long check lowers its clock: `warm_up` calls come before each timed one. Without repeats the
    first call counts: for what takes minutes, and is as fast at once. What has been repeated three times and for
    `patience` seconds is not called again; neither is what took as long in its first repeat.

    Returns
    -------
    list of dict
        ``first_ms``, ``min_ms``, ``median_ms`` and ``repeats`` of each.
    """
    times: list[list[float]] = [[] for _ in solves]
    for number in range(repeats + 1):
        for (solve, check), series in zip(solves, times, strict=True):
            if _is_enough(series, 1e3 * patience):
                continue
            for _ in range(warm_up if number else 0):
                solve()
            started = time.perf_counter()
            answer = solve()
            series.append(1e3 * (time.perf_counter() - started))
            check(answer)
    return [
        {
            "first_ms": round(first, 3),
            "min_ms": round(min(rest or [first]), 4),
            "median_ms": round(statistics.median(rest or [first]), 4),
            "repeats": len(rest),
        }
        for first, *rest in times
    ]


def _is_enough(series: Sequence[float], patience: float) -> bool:
    """Return whether a call that took so many milliseconds each time is not timed again."""
    repeated = series[1:]
    return sum(repeated) > patience and (len(repeated) >= LEAST_REPEATS or repeated[0] > patience)


def fastest_search(stats: Sequence[Mapping[str, Any]]) -> float | str:
    """Return the milliseconds of the shortest search among calls that say how long theirs was; nothing if none does."""
    searches = [each["phases"]["search"] for each in stats if "phases" in each]
    return round(min(searches), 4) if searches else ""
