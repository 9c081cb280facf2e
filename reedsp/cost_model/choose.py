"""What "auto" takes for all pairs, and why: by a rule of the graph alone where sums are rounded, else by the model."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

from reedsp.arithmetic.matrix import Weights
from reedsp.arithmetic.paths import Arithmetic
from reedsp.arithmetic.types import name_of
from reedsp.cost_model import probe
from reedsp.cost_model.counts import METHODS, SPAN, Pairs, floyd_warshall, passing
from reedsp.cost_model.families import Known
from reedsp.cost_model.work import seconds as seconds_of
from reedsp.cost_model.work import total
from reedsp.graph.graph import Graph

_MIN_VERTICES_OF_ROUNDED_SUMS = 50
"""Vertices of a graph with one edge each from which on searches take less time than matrices.

It decides where sums are rounded, in another way by each method: so it is the same for all devices, and never measured.
"""
_PART = 0.01
"""Of the time of a call that is expected without it, that may be spent on a look at what searches find."""
_PARTLY, _GUESSED = 2.0, 10.0
"""Factors that counts are within: where something is not known about them, and where they are of another method."""
_FEW = 400
"""Vertices below which it is not worth a look."""

MATRIX, SEARCHES = "floyd-warshall", "johnson"


class Choice(NamedTuple):
    """A method, and why it is taken.

    Attributes
    ----------
    method : str
    because : str
        In a sentence.
    """

    method: str
    because: str


def pairs_of(
    graph: Graph,
    arithmetic: Arithmetic,
    weights: Weights | None,
    size: int,
    predecessors: bool,
    reach: probe.Reach | None,
) -> Pairs:
    """Return what the counts of all pairs depend on; without a look at a graph, what degrees allow is reached."""
    if reach is None:
        reach = probe.bound(graph) if graph.n >= _FEW and graph.dense is None else probe.Reach(graph.n, graph.m)
    reached, edges = reach
    return Pairs(
        *(graph.n, graph.m, reached, edges, graph.directed, graph.has_negative_weights),
        *(name_of(arithmetic.dtype), "int64" if weights is None else name_of(weights.dtype), size, predecessors),
    )


def predicted(pairs: Pairs, known: Known, method: str) -> float:
    """Return the seconds that a method takes for all pairs."""
    return total(METHODS[method](pairs, known), known.machine)


class Expected(NamedTuple):
    """How long a call takes.

    Attributes
    ----------
    seconds, factor : float
        What is expected, and within which factor, beside that of the machine's parameters.
    """

    seconds: float
    factor: float


def expected(
    pairs: Pairs, known: Known, method: str, *, own: bool, on_host: bool, kernel: str = "blocked", devices: int = 1
) -> Expected:
    """Return how long all pairs take by some method.

    Parameters
    ----------
    pairs : Pairs
    known : Known
    method : str
    own : bool
        Whether it is done as the method does it by default, which is what was counted.
    on_host : bool
        Whether the matrix is on the host.
    kernel : str
        Of Floyd-Warshall.
    devices : int
        That share the rows of a matrix on the host, span by span, but not the copies.
    """
    if kernel != "blocked":
        return Expected(total(floyd_warshall(pairs, known, kernel), known.machine), _PARTLY)
    if method not in METHODS:  # squares, each as much as Floyd-Warshall
        squares = max(1, math.ceil(math.log2(pairs.n)))
        return Expected(squares * predicted(pairs, known, MATRIX), _PARTLY if own else _GUESSED)
    seconds = predicted(pairs, known, method)
    if on_host:
        seconds /= min(devices, -(-pairs.n // SPAN))
        seconds += seconds_of(passing(pairs, known), known.machine)
    return Expected(seconds, _PARTLY if on_host else 1.0 if own else _GUESSED)


def all_pairs(
    graph: Graph,
    known: Known,
    arithmetic: Arithmetic,
    weights: Weights | None,
    *,
    size: int = 8,
    predecessors: bool = False,
    negative_cycles: str = "raise",
) -> Choice:
    """Choose between searches from every vertex and a matrix.

    Parameters
    ----------
    graph : Graph
        With a vertex.
    known : Known
        The device.
    arithmetic : Arithmetic
        That of sums along edges.
    weights : Weights or None
        The arithmetic of a matrix, if there is one that adds the path weights up.
    size : int
        Bytes of a distance of the result.
    predecessors : bool
    negative_cycles : str
    """
    floats, negative = arithmetic.dtype.kind == "f", graph.has_negative_weights
    if negative and (floats or negative_cycles == "mark"):
        what = (
            "cycles of negative weight are marked" if negative_cycles == "mark" else "negative weights are fractional"
        )
        return Choice(MATRIX, f"{what}, which searches cannot do")
    if weights is None:
        return Choice(SEARCHES, f"no matrix holds path weights of up to {graph.simple_path_bound:.4g}")
    if floats:
        n, m = graph.n, graph.m
        pays = n**2 > _MIN_VERTICES_OF_ROUNDED_SUMS * (m + n)
        compared = f"{n**2 / (m + n):.4g} is {'above' if pays else 'not above'} {_MIN_VERTICES_OF_ROUNDED_SUMS}"
        rule = f"sums are rounded and n^2 / (m + n) = {compared}, the same rule on all devices"
        return Choice(SEARCHES if pays else MATRIX, rule)

    if graph.dense is not None:
        return Choice(MATRIX, f"it is a dense matrix with {graph.m:,} edges")

    def times(reach: probe.Reach | None) -> Mapping[str, float]:
        pairs = pairs_of(graph, arithmetic, weights, size, predecessors, reach)
        return {method: predicted(pairs, known, method) for method in METHODS}

    reach = probe.known_reach(graph)
    found = times(reach)
    if reach is None and graph.n >= _FEW and times(probe.Reach(1, 0))[SEARCHES] < found[MATRIX]:
        reach = probe.reach(graph, _PART * min(found.values()))
        found = times(reach) if reach is not None else found
    method, other = (SEARCHES, MATRIX) if found[SEARCHES] < found[MATRIX] else (MATRIX, SEARCHES)
    because = f"{time_text(found[method])} are expected, and {time_text(found[other])} of {other}, by {known.source}"
    if reach is not None:
        because += f", where a search finds {reach.vertices:,.0f} of {graph.n:,} vertices"
    return Choice(method, because)


def time_text(seconds: float) -> str:
    """Return a time with a unit."""
    return f"{seconds:.3g} s" if seconds >= 1 else f"{1e3 * seconds:.3g} ms"
