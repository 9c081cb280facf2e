"""What "auto" takes for searches from one vertex or several, and where they are done, and why."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import NamedTuple

from reedsp.cost_model import place, searches
from reedsp.cost_model.choose import time_text
from reedsp.cost_model.families import Known
from reedsp.cost_model.searches import Searches
from reedsp.cost_model.work import total

_BEGUN = 3e-4
"""Seconds that no device is done in: what takes less on the host is not asked about."""
_LOOKED = 0.2
"""Seconds in which a process looks for devices and builds a first kernel, at least."""
_MANY_EDGES = 100
"""Edges to one vertex that keep its work-item of a GPU busy for long, as measured; what a row waits is not counted."""
MANY_ROWS = 64
"""Sources from which on searches in local memory took less time than near-far on a GPU, as measured."""

NEAR_FAR, LOCAL = "near-far", "near-far-local"
CHANGED, ALL, BY_EDGES = "input-parallel-refined", "output-parallel", "input-parallel"
GROUPS, QUEUE = "bellman-ford", "bellman-ford-queue"
ITEMS, LEVEL_GROUPS, SOURCE_A_GROUP = "work-items", "work-groups", "source-a-group"


class Choice(NamedTuple):
    """Methods of a device, and why they are taken.

    Attributes
    ----------
    methods : tuple of str
        The fastest first, as is expected; the others are for devices on which that one gives wrong answers.
    because : str
        In a sentence.
    seconds : float
        That the first one is expected to take.
    """

    methods: tuple[str, ...]
    because: str
    seconds: float


@functools.lru_cache(maxsize=256)
def seconds_on(asked: Searches, known: Known, method: str) -> float:
    """Return the seconds that a method of a device takes."""
    return total(searches.METHODS[method](asked, known)[0], known.machine)


NOTHING = Choice(("dijkstra",), "there are no sources", 0.0)
"""What the host does for none."""


# ---- on the host, or on a device --------------------------------------------------------------------


class _Waiting:
    """Searches on the host that a device might have done sooner, but which no device had been looked for for."""

    seconds = 0.0


_Ask = Callable[[Searches], Known | None]


@functools.lru_cache(maxsize=256)
def _at_once(method: str, here: float) -> Choice:
    return Choice((method,), f"{time_text(here)} are expected on the host, and no device begins sooner", here)


def _on_host(method: str, here: float, there: Callable[[Known], float], asked: Searches, known: _Ask) -> Choice | None:
    """Return the method of the host, which takes so many seconds; None if a device does it."""
    if here <= _BEGUN:
        return _at_once(method, here)
    found = known(asked)
    if found is None:
        if here >= 1e-6 * place.on_any_device(asked.n, asked.m):
            return None
        return Choice((method,), f"{time_text(here)} are expected on the host, and no device is known", here)
    then = there(found)
    if here >= then:
        return None
    return Choice((method,), f"{time_text(here)} are expected on the host, and {time_text(then)} of a device", here)


def shortest_paths_on_host(asked: Searches, known: _Ask) -> Choice | None:
    """Return what the host does, and why, for shortest paths; None if a device is expected to be done sooner.

    Parameters
    ----------
    asked : Searches
    known : callable(asked)
        Returns what is known of the device, of which is asked only if it matters; None if there is none.
    """

    def there(known: Known) -> float:
        methods = (CHANGED, ALL, GROUPS, QUEUE) if asked.negative else (NEAR_FAR,)
        alike = asked._replace(scattered=0.0)  # which costs both of them time
        return min(seconds_on(alike, known, each) for each in methods)

    method = "bellman-ford" if asked.negative else "dijkstra"
    return _on_host(method, searches.on_host(asked), there, asked, known)


def levels_on_host(asked: Searches, known: _Ask) -> Choice | None:
    """Return what the host does, as :func:`shortest_paths_on_host`, for a breadth-first search."""
    there = functools.partial(_levels_seconds, asked)
    return _on_host("dijkstra", searches.levels_on_host(asked), there, asked, known)


def is_time_to_look(asked: Searches) -> bool:
    """Return whether it is worth it to look for devices in a process that has not done so.

    That takes as long as many small searches: so the host has to have taken as long for these before.
    """
    _Waiting.seconds += searches.on_host(asked)
    return _Waiting.seconds > _LOOKED


# ---- shortest paths ---------------------------------------------------------------------------------


def shortest_paths(
    asked: Searches, known: Known, *, min_only: bool, most_entering: Callable[[], int], fits: Callable[[], bool]
) -> Choice:
    """Return the methods that can, the fastest first.

    Parameters
    ----------
    asked : Searches
    known : Known
        The device.
    min_only : bool
        Whether rows have several sources.
    most_entering : callable()
        Returns the most edges that lead to a vertex.
    fits : callable()
        Returns whether a work-group of a GPU has local memory for a search.
    """
    if asked.negative:
        return _of_negative(asked, known, most_entering)
    expected = seconds_on(asked, known, NEAR_FAR)
    because = f"none of the weights is negative, and {time_text(expected)} are expected, by {known.source}"
    if min_only:
        return Choice((NEAR_FAR,), because, expected)
    methods = (NEAR_FAR, CHANGED, ALL, BY_EDGES)
    if asked.rows >= MANY_ROWS and fits():
        because = f"{asked.rows:,} sources are at least {MANY_ROWS}, and each search fits into local memory; {because}"
        return Choice((LOCAL, *methods), because, expected)
    return Choice(methods, because, expected)


def _of_negative(asked: Searches, known: Known, most_entering: Callable[[], int]) -> Choice:
    """Return methods: rounds of few changed vertices, of all edges, or of all edges by a work-group a row; or a queue.

    Changed vertices save work, which is what CPUs lack. GPUs rather lack launches, of which these have more, unless so
    many edges lead to one vertex that its work-item is busy for long. A queue has the least work, and one work-item.
    """
    by_rows = (CHANGED, ALL) if known.is_cpu or most_entering() > _MANY_EDGES else (ALL, CHANGED)
    times = {each: seconds_on(asked, known, each) for each in (by_rows[0], GROUPS, QUEUE)}
    first, other, *_ = sorted(times, key=times.__getitem__)
    because = (
        f"some weights are negative, and {time_text(times[first])} are expected, and {time_text(times[other])} "
        f"of {other}, by {known.source}"
    )
    rest = [each for each in (*by_rows, BY_EDGES) if each != first]
    return Choice((first, *rest), because, times[first])


# ---- breadth-first ----------------------------------------------------------------------------------


@functools.lru_cache(maxsize=256)
def levels_times(asked: Searches, known: Known, is_cpu: bool) -> dict[str, float]:
    """Return the seconds of each method that may be the fastest one on a device, that one first."""
    in_turn = total(searches.breadth_first(asked, known)[0], known.machine)
    if is_cpu:
        return {ITEMS: in_turn}
    times = {LEVEL_GROUPS: in_turn}
    if asked.rows > 1:
        times[SOURCE_A_GROUP] = total(searches.breadth_first_in_groups(asked, known)[0], known.machine)
    return dict(sorted(times.items(), key=lambda each: each[1]))


def _levels_seconds(asked: Searches, known: Known) -> float:
    return min(levels_times(asked, known, known.is_cpu).values())


def breadth_first(asked: Searches, known: Known, kind: str) -> Choice:
    """Return the methods for a kind of device, those of its kind first: on CPUs work-items search rows alone."""
    times = levels_times(asked, known, kind == "cpu")
    methods = tuple(times) + tuple(each for each in (ITEMS, LEVEL_GROUPS) if each not in times)
    expected = times[methods[0]]
    because = f"the device is a {kind}, and {time_text(expected)} are expected, by {known.source}"
    return Choice(methods, because, expected)
