"""What searches find, which cannot be known before: found out by a few searches on the host, once for a graph."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from reedsp.graph.graph import Graph

_KEY = "reach"
_CALL, _VERTEX, _EDGE = 1.5e-4, 3e-8, 1.5e-8
"""Seconds that it takes, in all, and for each vertex and edge; as measured."""
_MANY_EDGES = 8
"""Of a vertex, with which a look at each of them takes longer than it is worth."""
_LARGE = 1 << 16
"""Vertices from which on the distances of a search leave the nearest memory,"""
_NEARBY = 1 << 14
"""and numbers of vertices between the ends of an edge up to which it stays there."""
_SAMPLED = 256
"""Edges whose ends are looked at."""
_SAMPLES = 8
"""Searches from vertices that do not lead to the first one, at most."""


class Reach(NamedTuple):
    """What a search from a vertex finds on average.

    Attributes
    ----------
    vertices, edges : float
        Found, and edges that leave them.
    """

    vertices: float
    edges: float


def bound(graph: Graph) -> Reach:
    """Return what a search finds at most on average, by the degrees alone: no vertex that no edge leads to.

    Parameters
    ----------
    graph : Graph
        With a vertex. Where it has many edges, one is expected to lead to every vertex.
    """
    n, m = graph.n, graph.m
    leaving = entered = int(np.count_nonzero(np.diff(graph.indptr)))
    if graph.directed and m > _MANY_EDGES * n:
        entered = n
    elif graph.directed:
        has_entry = np.zeros(n, bool)
        has_entry[graph.indices] = True
        entered = int(np.count_nonzero(has_entry))
    part = leaving / n  # the others find themselves alone
    return Reach(min(n, 1 + part * entered), part * m)


def known_reach(graph: Graph) -> Reach | None:
    """Return what an earlier call has found."""
    return graph._derived.get(_KEY)


def reach(graph: Graph, budget: float) -> Reach | None:
    """Return what a search finds on average, if that is known, or found out in so many seconds; None if not.

    Of an undirected graph it is what the components say. In a directed one searches go there and back from the vertex
    with the most edges: each vertex that leads to it leads to all that it leads to. The others are judged by samples.

    Parameters
    ----------
    graph : Graph
        With a vertex.
    budget : float
    """
    if (found := known_reach(graph)) is not None:
        return found
    if _CALL + _VERTEX * graph.n + _EDGE * graph.m > budget:
        return None
    found = _directed(graph) if graph.directed else _undirected(graph)
    graph._derived[_KEY] = found
    return found


def scattered(graph: Graph) -> float:
    """Return which part of the edges leads far away in memory, by a sample of a large graph; the graph keeps it."""
    if graph.n < _LARGE or graph.m == 0:
        return 0.0
    if "scattered" not in graph._derived:
        edges = np.arange(0, graph.m, max(1, graph.m // _SAMPLED))
        sources = np.searchsorted(graph.indptr, edges, "right") - 1
        graph._derived["scattered"] = float(np.mean(np.abs(graph.indices[edges] - sources) > _NEARBY))
    part: float = graph._derived["scattered"]
    return part


def _undirected(graph: Graph) -> Reach:
    component = graph.strong_components()
    sizes = np.bincount(component).astype(np.float64)
    edges = np.bincount(component, weights=np.diff(graph.indptr))
    return Reach(float(sizes @ sizes) / graph.n, float(sizes @ edges) / graph.n)


def _directed(graph: Graph) -> Reach:
    import scipy.sparse

    n, m = graph.n, graph.m
    degrees = np.diff(graph.indptr)
    forth = scipy.sparse.csr_array((np.ones(m), graph.indices, graph.indptr), shape=(n, n))
    first = int(degrees.argmax())
    leads = np.zeros(n, bool)
    leads[_found(forth.T.tocsr(), first)] = True
    there, others = _found(forth, first), np.flatnonzero(~leads)
    part = 1 - len(others) / n
    vertices, edges = part * len(there), part * float(degrees[there].sum())
    if len(others):
        chosen = others[:: -(-len(others) // _SAMPLES)]
        founds = [_found(forth, source) for source in chosen.tolist()]
        weight = (1 - part) / len(founds)
        vertices += weight * sum(map(len, founds))
        edges += weight * sum(float(degrees[found].sum()) for found in founds)
    return Reach(vertices, edges)


def _found(edges: Any, source: int) -> npt.NDArray[np.int32]:
    """Return the vertices that a search finds."""
    from scipy.sparse.csgraph import breadth_first_order

    found: npt.NDArray[np.int32] = breadth_first_order(edges, source, return_predecessors=False)
    return found
