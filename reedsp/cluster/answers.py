"""What a worker makes of rows of final path weights, or of a search's: distances and predecessors, or files of them."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from reedsp.algorithms.all_pairs.answers import Answers
from reedsp.algorithms.all_pairs.apsp import find_negative_cycle, negative_cycles_of_floats, planned
from reedsp.algorithms.all_pairs.host_matrix import HostRows
from reedsp.algorithms.all_pairs.johnson import Searches
from reedsp.algorithms.all_pairs.trees import (
    Listed,
    farthest_of,
    listed_together,
    tight_edges_from,
    tight_edges_on_device,
)
from reedsp.cluster.output import Output
from reedsp.cluster.strips import Rows, Strips, release, taken
from reedsp.cluster.tasks import in_halves
from reedsp.cluster.worker import registry
from reedsp.device.job import Job

_SEARCHES = "searches of all pairs"

Found = tuple[npt.NDArray[Any], npt.NDArray[np.int32] | None] | None
"""Distances and predecessors, or nothing if they are in files."""


@dataclass(frozen=True)
class Wanted:
    """What is to be found, and where it goes.

    Attributes
    ----------
    dtype : dtype
        Of the distances.
    predecessors : bool
    dist, pred : Output or None
        Where they go, if not back.
    """

    dtype: np.dtype[Any]
    predecessors: bool
    dist: Output | None = None
    pred: Output | None = None

    def give(self, first: int, dist: npt.NDArray[Any], pred: npt.NDArray[np.int32] | None) -> Found:
        """Write rows from one on, or return them."""
        if self.dist is None:
            return dist, pred
        if pred is not None and self.pred is not None:
            self.pred.write(first, pred)
        self.dist.write(first, dist)
        return None


@dataclass(frozen=True)
class Marks:
    """What is known of negative cycles.

    Attributes
    ----------
    beyond : dict of int to ndarray of uint8
        A vertex of each strongly connected component with a negative cycle, and packed bits: where paths lead from it.
    useless : bool
        Whether rounding has made all path weights useless.
    """

    beyond: Mapping[int, npt.NDArray[np.uint8]] = field(default_factory=dict)
    useless: bool = False


class Look(NamedTuple):
    """What there is to see in a strip."""

    below_zero: npt.NDArray[np.intp]
    """Vertices that a path of negative weight leads back to."""
    farthest: float
    """The largest distance, if it is needed."""


# ---- of a matrix ------------------------------------------------------------------------------------


def method_for(reference: Any, options: Mapping[str, Any]) -> tuple[str, str]:
    """Return the method that :func:`reedsp.apsp` takes on the worker's device, and why."""
    with registry.lock():
        plan = planned(registry.graph(reference), device=registry.device(), **options)
        return plan.method, plan.because


def cycle_among(reference: Any, vertices: npt.NDArray[np.intp] | None, dtype: np.dtype[Any]) -> list[int] | None:
    """Return the indices of a negative cycle's vertices, among some or all, or None if there is none."""
    graph = registry.graph(reference)
    with registry.lock():
        among = np.arange(graph.n) if vertices is None else vertices
        error = find_negative_cycle(graph, among, Job(registry.device()), dtype)
    return None if error is None else error.cycle


def float_cycles(reference: Any, dtype: np.dtype[Any]) -> npt.NDArray[np.intp]:
    """Return a vertex of a negative cycle of each strongly connected component that has one, decided exactly."""
    with registry.lock():
        return negative_cycles_of_floats(registry.graph(reference), Job(registry.device()), dtype, until_first=False)


def look(strips: Strips, strip: int, rows: Rows, farthest: bool) -> Look:
    """Return what there is to see in a strip."""
    values = taken(strips, strip, rows)
    below = np.flatnonzero(values.diagonal(strips.first(strip)) < 0) + strips.first(strip)
    return Look(below, farthest_of(values, strips.weights) if farthest else 0.0)


def beyond(strips: Strips, strip: int, rows: Rows, vertices: npt.NDArray[np.intp]) -> npt.NDArray[np.uint8]:
    """Return where paths lead from some vertices of a strip, in packed bits."""
    return np.packbits(taken(strips, strip, rows)[vertices - strips.first(strip)] != strips.weights.no_path, axis=1)


def is_useless(strips: Strips, strip: int, rows: Rows, marks: Marks) -> bool:
    """Return whether a path weight from a vertex to itself is below zero, and not marked."""
    return _matrix(strips, strips.first(strip), taken(strips, strip, rows), marks).reset_diagonal()


def tight(strips: Strips, strip: int, rows: Rows, slack: Any) -> Listed:
    """Return the edges from the vertices of a strip that can end a shortest path."""
    graph, values = registry.graph(strips.graph), taken(strips, strip, rows)
    return tight_edges_from(graph, strips.weights, strips.first(strip), values, slack, strips.weights.lowest)


def together(*parts: Listed) -> Listed:
    """Return edges of all strips."""
    return listed_together(parts)


def answer(
    strips: Strips, some: Sequence[int], rows: Rows, wanted: Wanted, marks: Marks, edges: Listed | None
) -> Found:
    """Return, or write, the distances and predecessors of some strips, of one share; those that are written, of one."""
    n, sizes = strips.n, [strips.size(strip) for strip in some]
    dist = np.empty((sum(sizes), n), wanted.dtype)
    pred = np.empty((sum(sizes), n), np.int32) if wanted.predecessors else None
    with registry.lock():
        release()
        ends = itertools.accumulate(sizes)
        for strip, size, end in zip(some, sizes, ends, strict=True):
            here = slice(end - size, end)
            given = taken(strips, strip, rows), dist[here], None if pred is None else pred[here]
            in_halves(functools.partial(_answer, strips, strip, *given, marks, edges), range(size))
    return wanted.give(strips.first(some[0]), dist, pred)


def _answer(
    strips: Strips,
    strip: int,
    values: npt.NDArray[Any],
    dist: npt.NDArray[Any],
    pred: npt.NDArray[np.int32] | None,
    marks: Marks,
    edges: Listed | None,
    some: Sequence[int],
) -> None:
    """Fill some rows of a strip's distances and predecessors."""
    here = slice(some[0], some[-1] + 1)
    matrix = _matrix(strips, strips.first(strip) + here.start, values[here], marks)
    if not marks.useless:
        matrix.refuse_overflow()
    listed = None if edges is None else tight_edges_on_device(matrix.job, strips.n, edges)
    found = Answers(matrix, dist.dtype, marks.useless, listed)
    found.to_memory(dist[here], None if pred is None else pred[here])


def _matrix(strips: Strips, first: int, values: npt.NDArray[Any], marks: Marks) -> HostRows:
    """Return the matrix that has some rows, from one on."""
    after = {v: np.unpackbits(bits, count=strips.n).astype(np.bool_) for v, bits in marks.beyond.items()}
    job, graph = Job(registry.device()), registry.graph(strips.graph)
    matrix = HostRows(job, strips.weights, graph, values, first, after)
    matrix.mark_paths_through(np.array(list(after), np.intp))
    return matrix


# ---- of searches ------------------------------------------------------------------------------------


def search(reference: Any, first: int, last: int, wanted: Wanted, name: str, method: str | None) -> Found:
    """Return, or write, the distances and predecessors from some vertices, by Johnson's searches.

    Raises
    ------
    NegativeCycleError
        There is a negative cycle, given by the names that the graph has here.
    """
    graph = registry.graph(reference)
    with registry.lock():
        held: dict[str, Searches] = registry.kept(_SEARCHES, dict)
        if name not in held:
            held.clear()  # no others are likely to go on here
            held[name] = Searches(graph, Job(registry.device()), wanted.dtype, method)
        searches = held[name]
        dist = np.empty((last - first, graph.n), wanted.dtype)
        pred = np.empty((last - first, graph.n), np.int32) if wanted.predecessors else None

        def solve(some: Sequence[int]) -> None:
            here = slice(some[0] - first, some[-1] + 1 - first)
            searches.rows(np.array(some), None if pred is None else pred[here], dist[here])

        for start in range(first, last, searches.at_once):
            in_halves(solve, range(start, min(start + searches.at_once, last)))
    return wanted.give(first, dist, pred)
