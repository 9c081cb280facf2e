"""networkx' betweenness and harmonic centrality: by the device's sums, in networkx' order and types."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import networkx as nx
import numpy as np
import numpy.typing as npt

from reedsp.algorithms.structure.centrality.scales import scale, scaled_edges, scaled_values
from reedsp.graph.graph import EXACT_IN_FLOAT64
from reedsp.networkx_backend import nearby, on_device
from reedsp.networkx_backend.graph import Arcs, NetworkXGraph, Node
from reedsp.networkx_backend.measures import plus_reciprocals


def betweenness_centrality(
    G: NetworkXGraph,
    k: int | None = None,
    normalized: bool = True,
    weight: Any = None,
    endpoints: bool = False,
    seed: Any = None,
) -> dict[Node, float]:
    """Return which part of the shortest paths passes each node."""
    k = None if k == len(G) else k
    if weight is not None or not on_device.is_wanted_by_paths(G, k):
        return nx.betweenness_centrality(  # type: ignore[no-any-return]
            G.source, k, normalized=normalized, weight=weight, endpoints=endpoints, seed=seed, backend="networkx"
        )
    sources = _drawn(G, k, seed)
    _, sums = on_device.dependencies(G, sources)
    values = scaled_values(sums, sources, G.is_directed(), bool(normalized), bool(endpoints))
    return dict(zip(G.nodes, values.tolist(), strict=True))


def edge_betweenness_centrality(
    G: NetworkXGraph, k: int | None = None, normalized: bool = True, weight: Any = None, seed: Any = None
) -> dict[tuple[Node, ...], float]:
    """Return which part of the shortest paths passes each edge."""
    if weight is not None or not on_device.is_wanted_by_paths(G, k):
        return nx.edge_betweenness_centrality(  # type: ignore[no-any-return]
            G.source, k, normalized=normalized, weight=weight, seed=seed, backend="networkx"
        )
    sources = _drawn(G, k, seed)
    arcs, sums = on_device.dependencies(G, sources, edges=True)
    values = scaled_edges(arcs.graph, sums, len(sources), G.is_directed(), bool(normalized))
    ends = dict.fromkeys(G.source.edges())  # of parallel edges once
    each = dict(zip(ends, _as_listed(G, arcs, values).tolist(), strict=True))
    return _of_parallel_edges(G, each) if G.is_multigraph() else each


def betweenness_centrality_subset(
    G: NetworkXGraph, sources: Iterable[Node], targets: Iterable[Node], normalized: bool = False, weight: Any = None
) -> dict[Node, float]:
    """Return which part of the shortest paths from some nodes to others passes each node."""
    starts, ends = list(sources), set(targets)
    known = all(node in G for node in starts)
    if weight is not None or not known or not on_device.is_wanted_by_paths(G, len(starts)):
        return nx.betweenness_centrality_subset(  # type: ignore[no-any-return]
            G.source, starts, ends, normalized=normalized, weight=weight, backend="networkx"
        )
    is_target = np.fromiter((node in ends for node in G), np.uint8, len(G))
    _, sums = on_device.dependencies(G, [G.number_of[node] for node in starts], is_target)
    n = len(G)
    values = sums.vertices if n < 3 else sums.vertices * scale(n - 1, None, G.is_directed(), bool(normalized))
    return dict(zip(G.nodes, values.tolist(), strict=True))


def _drawn(G: NetworkXGraph, k: int | None, seed: Any) -> list[int]:
    """Return all nodes, or those that networkx would draw."""
    if k is None:
        return list(range(len(G)))
    return [G.number_of[node] for node in seed.sample(list(G), k)]


def _as_listed(G: NetworkXGraph, arcs: Arcs, values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return values of the edges of a device's graph in networkx' order: of an undirected edge the first one."""
    listed = np.empty_like(values)
    listed[np.lexsort((arcs.heads, arcs.tails))] = values
    return listed if G.is_directed() else listed[arcs.tails <= arcs.heads]


def _of_parallel_edges(G: NetworkXGraph, values: dict[tuple[Node, ...], float]) -> dict[tuple[Node, ...], float]:
    """Return the values of edges with keys: each has its part."""
    keyed: dict[tuple[Node, ...], float] = dict.fromkeys(G.edges, 0.0)
    adjacency = G.adjacency()
    for (u, v), value in values.items():
        keys = adjacency[u][v]
        for key in keys:
            keyed[u, v, key] = value / len(keys)
    return keyed


# ---- harmonic centrality ----------------------------------------------------------------------------


def harmonic_centrality(
    G: NetworkXGraph, nbunch: Any = None, distance: Any = None, sources: Any = None
) -> dict[Node, float]:
    """Return the sum of the reciprocals of the distances to each node."""
    # Lists: what is given may be an iterator, which is read once.
    nbunch, sources = (each if each is None else list(G.source.nbunch_iter(each)) for each in (nbunch, sources))
    if nbunch is not None or sources is not None:
        distance = nearby.asked_once(G, distance)
        near: dict[Node, float] | None = nearby.own_answer(
            "harmonic_centrality", G, nbunch, distance=distance, sources=sources
        )
        if near is not None:
            return near
    ends = set(G.nodes if nbunch is None else nbunch)
    starts = set(G.nodes if sources is None else sources)
    backwards = len(ends) < len(starts)
    searched = ends if backwards else starts
    is_own = not searched or nearby.is_scattered(G)
    arcs = None if is_own else on_device.arcs_for(G, distance, backwards, searches=len(searched))
    if arcs is None or arcs.values is not None:
        return nx.harmonic_centrality(G.source, nbunch, distance, sources, backend="networkx")  # type: ignore[no-any-return]
    numbers = [G.number_of[node] for node in searched]
    rows = on_device.distances_from_each(arcs, numbers, distance is not None)
    if backwards:
        among = _is_among(G, starts)
        found = (
            (node, plus_reciprocals(0, dist[reached & among]))
            for node, (dist, reached) in zip(searched, rows, strict=True)
        )
        harmonic: dict[Node, float] = dict.fromkeys(ends, 0)
        return harmonic | dict(found)
    totals, is_reached = np.zeros(len(G)), np.zeros(len(G), bool)
    for dist, reached in rows:
        passed = reached & (dist != 0)
        np.add(totals, _reciprocals(np.where(passed, dist, 1)), out=totals, where=passed)
        is_reached |= passed
    numbers = [G.number_of[node] for node in ends]
    return {
        node: total if has_one else 0
        for node, total, has_one in zip(ends, totals[numbers].tolist(), is_reached[numbers].tolist(), strict=True)
    }


def _reciprocals(numbers: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Return what Python's division gives: numpy rounds ints that float64 does not hold before it divides."""
    if numbers.dtype.kind == "i" and numbers.max() > EXACT_IN_FLOAT64:
        return np.array([1 / number for number in numbers.tolist()])
    return np.asarray(1 / numbers, np.float64)


def _is_among(G: NetworkXGraph, nodes: set[Node]) -> npt.NDArray[np.bool_]:
    among = np.zeros(len(G), bool)
    among[[G.number_of[node] for node in nodes]] = True
    return among
