"""What searches from one vertex or several do, in counts; the numbers are fitted as those for all pairs."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from reedsp.cost_model.counts import SIZES, search_on_cpu
from reedsp.cost_model.families import Known
from reedsp.cost_model.settings import LARGEST_TEAM, TEAM_EDGES
from reedsp.cost_model.work import Work

_GUESSED = 10.0
"""Factor that counts are within which depend on rounds that are not known."""

_CALL = 4e-4
_GPU_CALL = 6e-4
"""Seconds that a call takes of the host."""
_LEVEL_BYTES = 24
"""Of a device, for each vertex and row of a breadth-first search."""
_VERTEX_BYTES = 60
"""For each vertex and row: what is filled, split and copied."""
_GPU_WAITS, _GPU_ROW_WAITS, _GPU_ADDED_WAITS = 20, 160, 60
"""Of one search by a whole GPU, times the root of the number of vertices, and for each further one by a work-group; and
of each if distances are added up, and never read."""
_FAR_EDGE_WAITS, _FAR_VERTEX_WAITS = 0.1, 1.0
"""Of a thread of a CPU that searches a graph whose edges lead far away in memory, beside what others take: for each
edge and vertex, anywhere in what it searches; by the seconds of the processor from 10^5 to 10^6 vertices."""
_KEY_STEPS = 0.01
"""Of a thread of a CPU that looks at all distances for each vertex it finds, for each of their bytes."""
_WORD_STEPS, _WORD_BITS = 0.5, 32
"""Of one that looks in each round for the vertices that have changed, for each word, which has a bit for so many."""
_FAR = 2.0
"""Factor that its counts are within: how many accesses are waited for at a time depends on the frontier."""
_LEVEL_CALL, _LEVEL_ROW = 2.5e-4, 1e-5
_GPU_LEVELS_CALL = 1.5e-4
_GPU_LEVELS_LAUNCHES, _GPU_LEVELS_READS, _GPU_LEVEL_WAITS = 15, 3, 60
"""Of a breadth-first search by a whole GPU, and for each of its levels."""
_GROUP_WAITS, _GROUP_EDGE_WAITS = 25, 0.015
"""Of one work-group, for each level, and for each edge."""
_RESIDENT = 4  # work-groups of a compute unit that work at the same time
_FEW_EDGES = 6
"""Edges of a vertex on average up to which the number of levels is guessed to be the root of that of the vertices; with
more it is the logarithm."""
_LEVEL_STEPS, _LEVEL_WAITS, _FOUND_STEPS, _FOUND_WAITS = 0.5, 0.15, 12, 1.2
"""Of a breadth-first search on a CPU, for each edge, and for each vertex."""
_LOOKED_AT = 8
"""Edges of a vertex at most that one looks at on average: of vertices with more, levels are found from below."""
_ROUNDS = 3
"""Of Bellman-Ford, for each doubling of the number of vertices: it cancels out where methods of rounds are compared."""
_ROUND_STEPS, _ROUND_WAITS = 0.4, 0.15
"""Of a thread of a CPU that searches a row alone in rounds over all edges, for each of them in each round."""
_ROW_CALL, _HOP_STEPS = 8e-4, 100
"""Seconds of the host for each row that has a turn of its own, or for all rows; and steps for each vertex of a row, of
which the tree is found hop by hop."""
_CHANGED_LAUNCHES, _CHANGED_READS, _CHANGED_STEPS = 1.2, 0.4, 0.9
"""Of rounds over the edges of changed vertices: launches, looks, and for each edge steps that all threads share."""
_QUEUE_VISITS = 3
"""Times that a vertex's distance has fallen when its edges are relaxed, one vertex after the other: as a guess."""
_GPU_LAUNCHES, _GPU_CHANGED_LAUNCHES, _GPU_LOOKS = 3, 5, 0.25
"""Launches of a round over all edges by a whole GPU, or over those of changed vertices, and looks."""
_GPU_GROUP_EDGE, _GPU_GROUP_WAITS = 0.25, 15
"""Random reads for each edge, in a round in which a work-group searches a row, beside one for each vertex; waits."""

_HOST_CALL, _HOST_ROW, _HOST_VERTEX, _HOST_EDGE, _HOST_LOWERED = 1.05e-4, 8e-6, 3.8e-8, 7e-9, 9e-9
"""Seconds that SciPy's Dijkstra's algorithm and the tree take on one core: of a call, and for each source, vertex,
edge and, as for :func:`.search_on_cpu`, each time that a distance is lowered again, times the depth of a heap."""
_HOST_ROUNDS, _HOST_ROUNDED = 2.5e-9, 1.5e-4
"""The same of its Bellman-Ford's algorithm, for each vertex and edge: all rounds that there can be. It gives potentials
for all sources where sums are exact; where they are rounded, a search more and some time show that they may be."""
_SMALL, _PART_FOUND = 3000, 0.2
"""Vertices of a small directed graph with at most as many edges, of which a search is expected to find a part only."""
_HOST_LEVELS, _LEVEL_VERTEX = 0.7, 8e-9
"""Of the seconds that it takes with weights, those that it takes where all edges weigh the same; and for each vertex of
a row, found or not, as distances become levels."""


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
    negative : bool
        Whether some weights are negative.
    stays : bool
        Whether distances are added up where they are found, in place of a result with trees.
    scattered : float
        Part of the edges that lead far away in memory (:func:`.probe.scattered`).
    """

    n: int
    m: int
    directed: bool
    rows: int
    arithmetic: str
    size: int
    negative: bool = False
    stays: bool = False
    scattered: float = 0.0


Counted = tuple[Sequence[Work], float]
"""Parts of work, and a factor that they are within beside that of the machine."""


def near_far(asked: Searches, known: Known) -> Counted:
    """Return what near-far does."""
    n, rows = float(asked.n), asked.rows
    received = 0.0 if known.is_cpu or asked.stays else (asked.size + 4.0) * n * rows
    moved = Work(bytes=_VERTEX_BYTES * n * rows, received=received)
    if known.is_cpu:
        together = min(known.units, LARGEST_TEAM) if asked.m >= TEAM_EDGES else 1
        workers = together if rows == 1 else min(rows, known.units)
        found = max(1.0, _part_found(asked) * n), _part_found(asked) * asked.m
        search = search_on_cpu(
            *(*found, n, asked.directed, SIZES[asked.arithmetic]), trees=not asked.stays, rows=rows / workers
        )
        far = asked.scattered * (_FAR_VERTEX_WAITS * found[0] + _FAR_EDGE_WAITS * found[1])
        held = 2.0 * SIZES[asked.arithmetic] * (n + asked.m)
        strayed = Work(waits=far * rows / workers, footprint=held)
        works = [Work(host=_CALL, launches=8, read_backs=4), search, strayed, moved]
        return works, _FAR if asked.scattered else 1.0
    each = _GPU_ADDED_WAITS if asked.stays else _GPU_ROW_WAITS
    waits = (_GPU_WAITS + each * (rows - 1) / known.units) * math.sqrt(n)
    search = Work(waits=waits, footprint=8.0 * (n + asked.m), atomics=float(rows) * asked.m)
    return [Work(host=_GPU_CALL, launches=30, read_backs=10), search, moved], 2.0


def _guessed(asked: Searches, known: Known) -> Counted:
    """Return what near-far does, for others that do about as much."""
    return near_far(asked, known)[0], _GUESSED


def dijkstra_by_array(asked: Searches, known: Known) -> Counted:
    """Return what searches do that look at the distances of all vertices for each vertex, on a CPU.

    Of a GPU, whose work-groups look at some hundreds at a time, what near-far does.
    """
    found = _part_found(asked) * asked.n
    return _with_looks(asked, known, found * _KEY_STEPS * SIZES[asked.arithmetic] * asked.n), _GUESSED


def near_far_by_bits(asked: Searches, known: Known) -> Counted:
    """Return what near-far does, and on a CPU looks in each round at bits of all vertices.

    With an edge a vertex rounds are between those of a tree with many branches and those of a path, one a vertex.
    """
    is_thin = asked.m <= asked.n * (1 if asked.directed else 2)
    rounds = _part_found(asked) * asked.n**0.75 if is_thin else _levels(asked)
    return _with_looks(asked, known, rounds * _WORD_STEPS * asked.n / _WORD_BITS), _GUESSED


def _with_looks(asked: Searches, known: Known, steps: float) -> Sequence[Work]:
    """Return what near-far does, and on a CPU so many steps more for each row."""
    works = near_far(asked, known)[0]
    if not known.is_cpu:
        return works
    return [*works, Work(steps=steps * asked.rows / min(asked.rows, known.units))]


def bellman_ford(asked: Searches, known: Known) -> Counted:
    """Return what rounds do in each of which a row makes its turn alone, and all edges theirs."""
    return _rounds_of_all(asked, known, _GPU_LAUNCHES), _GUESSED


def _rounds_of_all(asked: Searches, known: Known, gpu_launches: float) -> Sequence[Work]:
    rounds = _rounds(asked) * asked.rows
    begun = Work(host=_CALL + _ROW_CALL * asked.rows, launches=2 * rounds, read_backs=rounds / 4)
    if not known.is_cpu:
        begun = Work(host=_GPU_CALL, launches=gpu_launches * rounds, read_backs=_GPU_LOOKS * rounds)
    return [begun, Work(random=rounds * asked.m)]


def _part_found(asked: Searches) -> float:
    """Return which part of a graph a search is expected to find; of a large one all, as a guess there may cost much."""
    return _PART_FOUND if asked.directed and asked.m <= asked.n <= _SMALL else 1.0


def _rounds(asked: Searches) -> float:
    """Return the rounds of a row, of which it is not known how many there are."""
    return _ROUNDS * (1 + math.log2(asked.n))


def bellman_ford_by_changes(asked: Searches, known: Known) -> Counted:
    """Return what rounds over the edges of changed vertices do, row by row."""
    if not known.is_cpu:
        return _rounds_of_all(asked, known, _GPU_CHANGED_LAUNCHES), _GUESSED
    rounds = _rounds(asked) * asked.rows
    begun = Work(
        host=_CALL + _ROW_CALL * asked.rows, launches=_CHANGED_LAUNCHES * rounds, read_backs=_CHANGED_READS * rounds
    )
    steps = _CHANGED_STEPS * rounds * asked.m + _HOP_STEPS * asked.n * asked.rows
    return [begun, Work(steps=steps / known.units)], _GUESSED


def bellman_ford_in_groups(asked: Searches, known: Known) -> Counted:
    """Return what rounds over all edges do where each work-group searches a row."""
    rounds, sharers = _rounds(asked) * asked.rows, min(asked.rows, known.units)
    begun = Work(host=_CALL + _ROW_CALL / 2 if known.is_cpu else _GPU_CALL, launches=8, read_backs=4)
    if not known.is_cpu:  # of which the rates are those of all units
        reads = rounds * (asked.n + _GPU_GROUP_EDGE * asked.m)
        waits = _GPU_GROUP_WAITS * rounds / sharers
        waited = Work(waits=waits, footprint=8.0 * (asked.n + asked.m))
        return [begun, waited, Work(random=reads * known.units / sharers)], _GUESSED
    alone, size = rounds * asked.m / sharers, 2.0 * SIZES[asked.arithmetic] * asked.n
    steps = _ROUND_STEPS * alone + _HOP_STEPS * asked.n * asked.rows / sharers
    return [begun, Work(steps=steps, waits=_ROUND_WAITS * alone, footprint=size)], _GUESSED


def bellman_ford_by_queue(asked: Searches, known: Known) -> Counted:
    """Return what a work-item does that relaxes the edges of changed vertices, one after the other."""
    n, visits = float(asked.n), _QUEUE_VISITS * float(asked.m)
    each = asked.rows / min(asked.rows, known.units)
    search = search_on_cpu(n, visits, n, True, SIZES[asked.arithmetic], trees=True, rows=each)
    if not known.is_cpu:  # each edge waits for the one before
        search = Work(waits=each * visits, footprint=8.0 * (n + asked.m))
    begun = Work(host=_CALL if known.is_cpu else _GPU_CALL, launches=8, read_backs=4)
    return [begun, search, Work(bytes=_VERTEX_BYTES * n * asked.rows)], _GUESSED


def on_host(asked: Searches) -> float:
    """Return the seconds that the host takes, by SciPy."""
    n, m = asked.n, asked.m
    relaxed = _HOST_ROUNDS * n * m if asked.negative else 0.0
    if asked.negative and asked.arithmetic.startswith("float"):
        return _HOST_CALL + _HOST_ROUNDED + (1 + asked.rows) * (_HOST_ROW + relaxed)
    if asked.negative and asked.rows == 1:
        return _HOST_CALL + _HOST_ROW + relaxed
    lowered = n * math.log(max(1.0, m / n - (not asked.directed))) * math.log2(n)
    each = _HOST_ROW + _part_found(asked) * (_HOST_VERTEX * n + _HOST_EDGE * m + _HOST_LOWERED * lowered)
    return _HOST_CALL + relaxed + asked.rows * each


def levels_on_host(asked: Searches) -> float:
    """Return the seconds that the host takes for a breadth-first search."""
    return _HOST_LEVELS * on_host(asked) + _LEVEL_VERTEX * asked.rows * asked.n


def breadth_first(asked: Searches, known: Known) -> Counted:
    """Return what a breadth-first search does, on a GPU from one source after the other, each by all work-groups."""
    n, rows, edges = float(asked.n), asked.rows, float(asked.m)
    moved = Work(bytes=_VERTEX_BYTES * n * rows, received=0.0 if known.is_cpu or asked.stays else 8 * n * rows)
    if not known.is_cpu:
        search = Work(waits=_GPU_LEVEL_WAITS * _levels(asked) * rows, random=edges * rows, footprint=8 * edges)
        launches, reads = _GPU_LEVELS_LAUNCHES * rows, _GPU_LEVELS_READS * rows
        return [Work(host=_GPU_LEVELS_CALL, launches=launches, read_backs=reads), search, moved], 2.0
    each = _part_found(asked) * rows / min(rows, known.units)
    edges = min(edges, _LOOKED_AT * n)
    steps, waits = _LEVEL_STEPS * edges + _FOUND_STEPS * n, _LEVEL_WAITS * edges + _FOUND_WAITS * n
    search = Work(steps=each * steps, waits=each * waits, footprint=2 * n)
    return [Work(host=_LEVEL_CALL + _LEVEL_ROW * rows, launches=4, read_backs=2), search, moved], 2.0


def breadth_first_in_groups(asked: Searches, known: Known) -> Counted:
    """Return what breadth-first searches do each of which one work-group of a GPU makes by itself."""
    n, rows, edges = float(asked.n), asked.rows, float(asked.m)
    moved = Work(bytes=_VERTEX_BYTES * n * rows, received=0.0 if asked.stays else 8 * n * rows)
    each = rows / min(rows, _RESIDENT * known.units)
    waits = each * (_GROUP_WAITS * _levels(asked) + _GROUP_EDGE_WAITS * edges)
    search = Work(waits=waits, random=edges * rows, footprint=8 * edges)
    return [Work(host=_GPU_LEVELS_CALL, launches=5, read_backs=3), search, moved], 2.0


def _levels(asked: Searches) -> float:
    """Return how many levels there are, which is not known before."""
    return math.sqrt(asked.n) if asked.m <= _FEW_EDGES * asked.n else math.log2(asked.n)


def bytes_of(asked: Searches, known: Known, at_once: int) -> int:
    """Return the bytes that a device needs, which searches so many rows at once: edges, and words for each vertex."""
    size, rows = SIZES[asked.arithmetic], min(asked.rows, at_once)
    each = size if asked.stays and known.is_cpu else 16
    return 2 * size * asked.m + asked.n * (8 + 24 * min(rows, known.units) + each * rows)


def bytes_of_levels(asked: Searches, at_once: int) -> int:
    """Return the bytes that a device needs for breadth-first searches."""
    return 8 * asked.m + asked.n * (8 + _LEVEL_BYTES * min(asked.rows, at_once))


METHODS: dict[str, Callable[[Searches, Known], Counted]] = {
    "near-far": near_far,
    "near-far-local": near_far_by_bits,
    "bellman-ford": bellman_ford_in_groups,
    "bellman-ford-queue": bellman_ford_by_queue,
    "dijkstra-heap": _guessed,
    "dijkstra-array": dijkstra_by_array,
    "output-parallel": bellman_ford,
    "input-parallel": bellman_ford,
    "input-parallel-refined": bellman_ford_by_changes,
}
"""The counts of each method of sssp, by its name."""
