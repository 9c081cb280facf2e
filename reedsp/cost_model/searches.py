"""What searches from one vertex or several do, in counts; the numbers are fitted as those for all pairs."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from reedsp.cost_model.counts import SIZES, search_on_cpu
from reedsp.cost_model.families import Known
from reedsp.cost_model.work import Work

_GUESSED = 10.0
"""Factor that counts are within which depend on rounds that nobody knows."""

_CALL = 4e-4
_GPU_CALL = 8e-4
"""Seconds that a call takes of the host."""
_VERTEX_BYTES = 60
"""For each vertex and row: what is filled, split and copied."""
_MOST_WORKERS, _SHARED_EDGES = 8, 1 << 18
"""Work-items of a CPU that search one row together, and edges from which on."""
_GPU_WAITS, _GPU_ROW_WAITS = 20, 160
"""Of one search by a whole GPU, times the root of the number of vertices, and for each further one by a work-group."""
_LEVEL_CALL = 2e-4
_LEVEL_STEPS, _LEVEL_WAITS, _FOUND_WAITS = 0.5, 0.15, 1.2
"""Of a breadth-first search on a CPU, for each edge, and for each vertex."""
_ROUNDS = 3
"""Of Bellman-Ford, for each doubling of the number of vertices."""


class Searches(NamedTuple):
    """Searches, before they are done.

    Attributes
    ----------
    n, m : int
    directed : bool
    rows : int
    arithmetic : str
        In which path weights are added.
    size : int
        Bytes of a distance of the result.
    """

    n: int
    m: int
    directed: bool
    rows: int
    arithmetic: str
    size: int


Counted = tuple[Sequence[Work], float]
"""Parts of work, and a factor that they are within beside that of the machine."""


def near_far(asked: Searches, known: Known) -> Counted:
    """Return what near-far does."""
    n, rows = float(asked.n), asked.rows
    moved = Work(bytes=_VERTEX_BYTES * n * rows, received=0.0 if known.is_cpu else (asked.size + 4.0) * n * rows)
    if known.is_cpu:
        together = min(known.units, _MOST_WORKERS) if asked.m >= _SHARED_EDGES else 1
        workers = together if rows == 1 else min(rows, known.units)
        search = search_on_cpu(
            *(n, asked.m, asked.n, asked.directed, SIZES[asked.arithmetic]), trees=True, rows=rows / workers
        )
        return [Work(host=_CALL, launches=8, read_backs=4), search, moved], 1.0
    waits = (_GPU_WAITS + _GPU_ROW_WAITS * (rows - 1) / known.units) * math.sqrt(n)
    search = Work(waits=waits, footprint=8.0 * (n + asked.m), atomics=float(rows) * asked.m)
    return [Work(host=_GPU_CALL, launches=30, read_backs=10), search, moved], 2.0


def _guessed(asked: Searches, known: Known) -> Counted:
    """Return what near-far does, for others that do about as much."""
    return near_far(asked, known)[0], _GUESSED


def bellman_ford(asked: Searches, known: Known) -> Counted:
    """Return what rounds over all edges do, of which nobody knows how many there are."""
    rounds = _ROUNDS * (1 + math.log2(asked.n)) * asked.rows
    reads = rounds * asked.m
    call = _CALL if known.is_cpu else _GPU_CALL
    return [
        Work(host=call, launches=2 * rounds, read_backs=rounds / 4),
        Work(random=reads),
    ], _GUESSED


def breadth_first(asked: Searches, known: Known) -> Counted:
    """Return what a breadth-first search does."""
    n, rows, edges = float(asked.n), asked.rows, float(asked.m)
    moved = Work(bytes=_VERTEX_BYTES * n * rows, received=0.0 if known.is_cpu else 8 * n * rows)
    if not known.is_cpu:
        search = Work(waits=_GPU_WAITS * math.sqrt(n) * rows, footprint=8 * edges)
        return [Work(host=_GPU_CALL, launches=20, read_backs=5), search, moved], 2.0
    each = rows / min(rows, known.units)
    waits = _LEVEL_WAITS * edges + _FOUND_WAITS * n
    search = Work(steps=each * _LEVEL_STEPS * edges, waits=each * waits, footprint=2 * n)
    return [Work(host=_LEVEL_CALL, launches=4, read_backs=2), search, moved], 2.0


def bytes_of(asked: Searches, known: Known) -> int:
    """Return the bytes that a device needs: edges, and some words for each vertex."""
    edge = 2 * SIZES[asked.arithmetic]
    return edge * asked.m + asked.n * (8 + 24 * min(asked.rows, known.units) + 16 * asked.rows)


METHODS: dict[str, Callable[[Searches, Known], Counted]] = {
    "near-far": near_far,
    "near-far-local": _guessed,
    "bellman-ford": bellman_ford,
    "dijkstra-heap": _guessed,
    "dijkstra-array": _guessed,
    "output-parallel": bellman_ford,
    "input-parallel": bellman_ford,
    "input-parallel-refined": bellman_ford,
}
"""The counts of each method of sssp, by its name."""
