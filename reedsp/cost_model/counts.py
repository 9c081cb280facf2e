"""What the methods for all pairs do, in counts, from what is known of a graph before it is solved.

Each number below, but for `TILE` and `SPAN`, was fitted to whole calls with a graph that is on the device
(experiments/tmm/cost_model_fit.py): on two cores of a CPU, and on one GPU of a data centre. They are counts, the same
for all machines of a kind.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from reedsp.cost_model.families import Known
from reedsp.cost_model.settings import LEAST_PART, ON_CPU, PARTS
from reedsp.cost_model.work import Work

TILE = 64
"""Vertices of the tiles that Floyd-Warshall closes first; it pads a matrix to a multiple of it."""

SPAN = 512
"""Vertices through which Floyd-Warshall relaxes all paths at a time.

It decides in which order floats are added up, so it depends on nothing, and results neither on the device nor on where
the matrix is kept.
"""

_CALL, _TILE = 3e-4, 1.1e-4
"""Seconds in which the host gets a matrix under way, in all, and for each tile on the diagonal,"""
_GPU_CALL, _GPU_TILE = 4e-4, 1.5e-4
"""the same where it waits for a GPU."""

_LAUNCHES = 8
"""Of Floyd-Warshall, for each tile on the diagonal,"""
_TILE_STEPS = 2400
"""which one work-group of a GPU closes in so many steps."""
_GPU_PASSES = 2
"""Of a matrix on the host through the memory of a GPU."""
_CUBE, _BORDER = 0.87, 1.2
"""Of the pairs of a product: of each triple, and of those of a span, as products at its borders are smaller."""

KERNELS = {
    "blocked": (1.0, 1.0),
    "harish-narayanan": (22.0, 55.0),
    "katz-kider": (15.0, 5.3),
    "optimized-blocked": (8.0, 2.3),
    "staged-load": (9.0, 1.9),
}
"""Times as long for each pair by older kernels, on a CPU and on a GPU (experiments/lund_smith/floyd_warshall.py)."""

_TREE_CALL = 5e-4
_TREE_BYTES, _TREESIZES = 77, 39
"""For each entry when predecessors are found afterwards: bytes, and as many times the size of a number."""
_BY_HOPS = 1100
"""Bytes for each source and edge or vertex, where predecessors are chosen by the number of edges of a path."""

_PART, _PART_TREE = 2e-4, 3.5e-4
"""Parts of Johnson's searches, each of which takes so many seconds, without trees and with them,"""
_SOURCE, _SOURCE_TREE = 1.7e-6, 3.5e-6
"""as each source does, and with a tree."""
_SEARCH_BYTES = 9
"""For each entry."""
_EDGE_STEPS, _EDGE_WAITS = 0.4, 0.2
"""Of a thread of a CPU, for each edge that is looked at."""
_SHORTER_STEPS, _SHORTER_WAITS = 8.4, 0.1
"""The same for each distance that is lowered."""
_TREE_STEPS = 0.33
"""For each edge, where trees are noted on the way."""
_LOCAL_BYTES = 45_000
"""Of distances and marks that a work-group of a GPU has room for:"""
_LOCAL_WAITS, _GROUP_WAITS = 6, 60
"""what it waits for in a search, with room for them and without, times the root of the number of vertices."""
_EDGE_BYTES, _TREE_EDGE_BYTES = 8, 24
"""On a GPU, for each edge that is looked at, and once more with a tree."""
_GPU_SOURCE, _GPU_SOURCE_TREE = 1.8e-6, 2.6e-6
"""Seconds of the host for each source, where a GPU searches from all, without a tree and with it."""

_POTENTIALS = 3e-3
"""Seconds in which negative weights are removed, as far as they do not grow,"""
_POTENTIAL_WAITS = 30.0
"""with so many looks at each edge,"""
_SHIFTED = 5e-9
"""and seconds of the host for each distance that is shifted back."""


class Pairs(NamedTuple):
    """What all pairs are, before they are solved.

    Attributes
    ----------
    n, m : int
    reached, edges : float
        Vertices that a search from one finds on average, and edges that leave them.
    directed, negative : bool
    search, matrix : str
        Types that a search and a matrix add path weights in.
    size : int
        Bytes of a distance of the result.
    predecessors : bool
    """

    n: int
    m: int
    reached: float
    edges: float
    directed: bool
    negative: bool
    search: str
    matrix: str
    size: int
    predecessors: bool


SIZES = {"uint16": 2, "int32": 4, "float32": 4, "int64": 8, "float64": 8}


def floyd_warshall(pairs: Pairs, known: Known, kernel: str = "blocked") -> Sequence[Work]:
    """Return what Floyd-Warshall does, in blocks or by one of the older kernels."""
    times = KERNELS[kernel][0 if known.is_cpu else 1]
    n, tiles = pairs.n, -(-pairs.n // TILE)
    side = float(TILE * tiles)
    product = Work(
        host=_CALL + _TILE * tiles if known.is_cpu else _GPU_CALL + _GPU_TILE * tiles,
        sent=float(SIZES[pairs.matrix] + 4) * pairs.m,
        launches=_LAUNCHES * tiles,
        pairs=times * side**2 * (_CUBE * side + _BORDER * min(side, SPAN)),
        arithmetic=pairs.matrix,
        received=float(pairs.size) * n * n,
    )
    works = [product] if known.is_cpu else [product, Work(steps=_TILE_STEPS * tiles)]
    if pairs.predecessors:
        works.append(_trees(pairs, SIZES[pairs.matrix]))
    return works


def johnson(pairs: Pairs, known: Known) -> Sequence[Work]:
    """Return what searches from all vertices do."""
    n, size = float(pairs.n), SIZES[pairs.search]
    parts = -(-pairs.n // _rows_at_once(pairs, known)) if known.is_cpu else 1
    searchers = min(n, known.units)
    part, source = (_PART_TREE, _SOURCE_TREE) if pairs.predecessors else (_PART, _SOURCE)
    host = parts * part + n * source
    if not known.is_cpu:
        host = _GPU_CALL + n * (_GPU_SOURCE_TREE if pairs.predecessors else _GPU_SOURCE)
    noted = known.is_cpu and pairs.search == "int32" and not pairs.negative
    received = 4.0 * noted * pairs.predecessors + (0 if known.is_cpu else pairs.size)  # else it is written in its place
    works = [
        Work(
            host=host,
            launches=3 * parts,
            read_backs=2 * parts,
            bytes=_SEARCH_BYTES * n * n,
            received=received * n * n,
        )
    ]
    if known.is_cpu:
        trees, rows = pairs.predecessors and noted, n / searchers
        works.append(search_on_cpu(pairs.reached, pairs.edges, n, pairs.directed, size, trees, rows))
    else:
        each = _LOCAL_WAITS if (size + 0.25) * n <= _LOCAL_BYTES else _GROUP_WAITS
        edges = _EDGE_BYTES + _TREE_EDGE_BYTES * pairs.predecessors
        waits = n / searchers * each * math.sqrt(n)
        works.append(Work(waits=waits, bytes=edges * n * pairs.edges, footprint=size * n + 8.0 * pairs.m))
    if pairs.predecessors and not noted:
        works.append(_trees(pairs, size))
    if pairs.negative:
        rounds = _POTENTIAL_WAITS * pairs.m / known.machine.threads
        works.append(Work(host=_POTENTIALS + _SHIFTED * n * n, waits=rounds, footprint=8.0 * pairs.m))
    return works


def search_on_cpu(reached: float, edges: float, n: float, directed: bool, size: int, trees: bool, rows: float) -> Work:
    """Return what a thread does that searches along edges that are not negative, so many rows one after the other.

    A distance is lowered as often as there are minima among numbers in random order, one for each side from which a
    vertex is reached: not from where an undirected edge has led.
    """
    ways = max(1.0, edges / reached - (not directed))
    lowered = reached * (1 + math.log(ways))
    steps = (_EDGE_STEPS + _TREE_STEPS * trees) * edges + _SHORTER_STEPS * lowered
    waits = _EDGE_WAITS * edges + _SHORTER_WAITS * lowered
    return Work(steps=rows * steps, waits=rows * waits, footprint=2.0 * size * n)


def _trees(pairs: Pairs, size: int) -> Work:
    """Return what predecessors take that are found when all distances are known."""
    n = float(pairs.n)
    each = (_TREE_BYTES + _TREESIZES * size) * n * n
    by_hops = _BY_HOPS * n * (n + pairs.m) if pairs.negative else 0.0
    return Work(host=_TREE_CALL, bytes=each + by_hops, received=4 * n * n)


def passing(pairs: Pairs, known: Known) -> Work:
    """Return the copies of a matrix that is on the host, a few times on a GPU, and span by span on a CPU."""
    passes = -(-pairs.n // SPAN) if known.is_cpu else _GPU_PASSES
    travelling = float(passes) * pairs.n**2 * SIZES[pairs.matrix]
    return Work(sent=travelling, received=travelling)


def bytes_of_matrix(pairs: Pairs) -> int:
    """Return the bytes that Floyd-Warshall needs on a device: the matrix, copies of what it replaces, and trees."""
    size, side = SIZES[pairs.matrix], TILE * -(-pairs.n // TILE)
    found = size * side * (side + 2 * (SPAN if side > SPAN else TILE)) + (size + 4) * pairs.m
    return found + pairs.predecessors * pairs.n**2 * (8 + 2 * size)


def bytes_of_pass(pairs: Pairs) -> int:
    """Return the bytes of the files by which a pass through a span is repeated; of longer ones an answer has more."""
    return 3 * min(SPAN, pairs.n) * pairs.n * SIZES[pairs.matrix]


def bytes_of_searches(pairs: Pairs, known: Known) -> int:
    """Return the bytes that searches from all vertices need on a device, of which some are searched at a time."""
    size, n = SIZES[pairs.search], pairs.n
    each = n * (size + 16 * pairs.predecessors + (0 if known.is_cpu else 20 + 4 * size))
    rows = _rows_at_once(pairs, known)
    return rows * each + 2 * size * pairs.m + 8 * n + 5 * size * n * (known.units if known.is_cpu else 0)


def _rows_at_once(pairs: Pairs, known: Known) -> int:
    """Return from how many vertices searches start at a time."""
    n = pairs.n
    rows = min(n, max(-(-n // PARTS), LEAST_PART // n))
    return min(rows, max(1, ON_CPU // (n * SIZES[pairs.search]))) if known.is_cpu else rows


METHODS = {"floyd-warshall": floyd_warshall, "johnson": johnson}
"""The counts of each method that "auto" chooses from, by its name."""
