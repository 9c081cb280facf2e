"""Negative cycles, decided exactly: in integers on the host, never by a tolerance."""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

import reedsp
from reedsp.edges.device_graph import NO_VERTEX
from reedsp.edges.overflow_error import VertexOverflowError
from reedsp.graph.graph import Graph, edge_sources


def predecessor_cycle(predecessors: npt.NDArray[np.int32]) -> list[int] | None:
    """Return a cycle in a graph of predecessors, in the direction of its edges, or None if it is a forest.

    Parameters
    ----------
    predecessors : ndarray of int32, shape (n,)
        Predecessor of each vertex; NO_VERTEX where there is none.
    """
    n = len(predecessors)
    root = n  # a vertex of its own above every tree
    ancestors = np.append(np.where(predecessors >= 0, predecessors, root), root)
    for _ in range(n.bit_length()):
        ancestors = ancestors[ancestors]
    endless = np.flatnonzero(ancestors[:n] != root)
    if len(endless) == 0:
        return None
    start = int(ancestors[endless[0]])  # more than n steps up: on a cycle
    cycle = [start]
    while (vertex := int(predecessors[cycle[-1]])) != start:
        cycle.append(vertex)
    cycle.append(start)
    return cycle[::-1]


def cycle_weight(graph: Graph, cycle: Sequence[int]) -> Fraction:
    """Return the exact weight of a closed walk given by its vertices, the first one again at the end."""
    total = Fraction(0)
    for u, v in itertools.pairwise(cycle):
        first, last = graph.indptr[u], graph.indptr[u + 1]
        total += Fraction(graph.weights[first + np.searchsorted(graph.indices[first:last], v)].item())
    return total


def error_for(graph: Graph, cycle: Sequence[int], weight: Fraction) -> reedsp.NegativeCycleError:
    """Return the exception to raise for a negative cycle of this graph, whose vertices are given by their indices."""
    names = [graph.names[vertex] for vertex in cycle]
    if graph.weight_dtype.kind == "i":
        return reedsp.NegativeCycleError(names, int(weight))
    return reedsp.NegativeCycleError(names, float(weight) if weight >= -sys.float_info.max else -math.inf)


def renamed(error: reedsp.NegativeCycleError, names: Sequence[Any]) -> reedsp.NegativeCycleError:
    """Return the same error for a graph of these names, whose indices the cycle is given by."""
    return reedsp.NegativeCycleError([names[vertex] for vertex in error.cycle], error.weight)


def hidden_negative_cycle(graph: Graph, dist: npt.NDArray[np.float64]) -> list[int] | None:
    """Return a negative cycle reachable from the source that floating-point relaxations did not notice, or None.

    Rounding can hide a cycle whose weight is far below the path weights around it. The slack
    ``dist[u] + weight - dist[v]`` of the edges of a cycle adds up to the weight of the cycle, so a negative cycle
    has an edge of negative slack, and its other edges have less slack than all negative slack together. That
    leaves few edges, and only those on cycles of their own are searched, in integers.

    Parameters
    ----------
    graph : Graph
    dist : ndarray of float64, shape (n,)
        Distances after the relaxations have come to rest; inf = unreachable.

    Raises
    ------
    OverflowError
        A distance is -inf, and not because of a negative cycle.
    """
    import scipy.sparse.csgraph

    sources = edge_sources(graph)
    edges = np.flatnonzero(dist[sources] < np.inf)
    fallen = np.isneginf(dist)
    if not fallen.any():  # otherwise slack says nothing, and every edge is suspect
        edges = edges[_has_little_slack(dist[sources[edges]], graph.weights[edges], dist[graph.indices[edges]])]
    shape = (graph.n, graph.n)
    near = scipy.sparse.csr_array((np.ones(len(edges), np.int8), (sources[edges], graph.indices[edges])), shape=shape)
    _, component = scipy.sparse.csgraph.connected_components(near, connection="strong")
    edges = edges[component[sources[edges]] == component[graph.indices[edges]]]
    vertices, ends = np.unique(np.concatenate((sources[edges], graph.indices[edges])), return_inverse=True)
    suspect = Graph.from_edges(len(vertices), ends[: len(edges)], ends[len(edges) :], graph.weights[edges])
    try:
        exact_shortest_paths(suspect, range(suspect.n))
    except reedsp.NegativeCycleError as found:
        return [int(vertices[vertex]) for vertex in found.cycle]
    if fallen.any():
        lowest = graph.names[int(np.argmax(fallen))]
        raise VertexOverflowError("the distance of vertex {} is below the range of floats", lowest)
    return None


def _has_little_slack(
    before: npt.NDArray[np.float64], weights: npt.NDArray[Any], after: npt.NDArray[np.float64]
) -> npt.NDArray[np.bool_]:
    """Return which edges have so little slack that they may lie on a negative cycle."""
    weights = weights.astype(np.float64)
    with np.errstate(over="ignore"):
        slack = before + weights - after
        slack = np.where(np.isinf(slack), 2 * (before / 2 + weights / 2 - after / 2), slack)
        error = 2.0**-50 * np.abs(before) + 2.0**-50 * np.abs(weights) + 2.0**-50 * np.abs(after)
        negative_slack = np.maximum(error - slack, 0).sum() * (1 + 2.0**-20)
    little: npt.NDArray[np.bool_] = slack - error <= negative_slack
    return little


def exact_shortest_paths(graph: Graph, sources: Sequence[int]) -> tuple[list[int | None], int, npt.NDArray[np.int32]]:
    """Solve Bellman-Ford in Python's integers.

    Slow, and right where rounding has broken the device's float arithmetic: a float is an integer multiple of some
    power of two, so that all sums are exact.

    Parameters
    ----------
    graph : Graph
    sources : sequence of int
        Vertices that start with distance 0.

    Returns
    -------
    dist : list of int or None
        Distances in units of ``1 / scale``; None = unreachable.
    scale : int
    predecessors : ndarray of int32, shape (n,)
        A shortest-path tree by hop level, the smallest predecessor first.

    Raises
    ------
    NegativeCycleError
        A negative cycle can be reached from a source.
    """
    ratios = [weight.as_integer_ratio() for weight in graph.weights.tolist()]
    scale = max((denominator for _, denominator in ratios), default=1)
    weights = [numerator * (scale // denominator) for numerator, denominator in ratios]
    indptr, indices = graph.indptr.tolist(), graph.indices.tolist()
    dist: list[int | None] = [None] * graph.n
    latest = np.full(graph.n, NO_VERTEX, np.int32)
    for source in sources:
        dist[source] = 0
    active, next_check, rounds = sorted(set(sources)), 2, 0
    while active:
        improved = set()
        for u in active:
            through: int = dist[u]  # type: ignore[assignment]  # an active vertex is reached
            for edge in range(indptr[u], indptr[u + 1]):
                v = indices[edge]
                known = dist[v]
                if known is None or through + weights[edge] < known:
                    dist[v] = through + weights[edge]
                    latest[v] = u
                    improved.add(v)
        active = sorted(improved)
        rounds += 1
        if rounds == next_check:
            next_check *= 2
            if (cycle := predecessor_cycle(latest)) is not None:
                raise error_for(graph, cycle, cycle_weight(graph, cycle))
    return dist, scale, _hop_level_tree(graph, dist, weights, sources)


def _hop_level_tree(
    graph: Graph, dist: Sequence[int | None], weights: Sequence[int], sources: Sequence[int]
) -> npt.NDArray[np.int32]:
    """Return the tree that cl/edges/predecessors.cl would build with ZERO_PROGRESS_ONLY."""
    indptr, indices = graph.indptr.tolist(), graph.indices.tolist()
    tree = np.full(graph.n, NO_VERTEX, np.int32)
    resolved = {source for source in sources if dist[source] == 0}
    level = sorted(resolved)
    while level:
        following = set()
        for u in level:  # ascending, so that the first to arrive is the smallest
            for edge in range(indptr[u], indptr[u + 1]):
                v = indices[edge]
                if v not in resolved and dist[v] == dist[u] + weights[edge]:  # type: ignore[operator]
                    resolved.add(v)
                    tree[v] = u
                    following.add(v)
        level = sorted(following)
    return tree
