"""Spanning trees of networkx graphs, with the edges, and in the order, that networkx' Kruskal's algorithm gives."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np
import numpy.typing as npt

from reedsp.algorithms.structure.forests.choose import MOST_EDGES, choose
from reedsp.algorithms.structure.forests.edges import DeviceEdges, in_order
from reedsp.device.discovery import get_device
from reedsp.device.job import Job
from reedsp.graph.graph import EXACT_IN_FLOAT64
from reedsp.networkx_backend import on_device
from reedsp.networkx_backend.graph import NetworkXGraph

_KRUSKAL = "kruskal"


def minimum_spanning_tree(
    G: NetworkXGraph, weight: Any = "weight", algorithm: Any = _KRUSKAL, ignore_nan: bool = False
) -> Any:
    """Return a minimum spanning tree or forest."""
    return _tree(G, "minimum_spanning_tree", weight, algorithm, ignore_nan)


def maximum_spanning_tree(
    G: NetworkXGraph, weight: Any = "weight", algorithm: Any = _KRUSKAL, ignore_nan: bool = False
) -> Any:
    """Return a maximum spanning tree or forest."""
    return _tree(G, "maximum_spanning_tree", weight, algorithm, ignore_nan)


def minimum_spanning_edges(
    G: NetworkXGraph,
    algorithm: Any = _KRUSKAL,
    weight: Any = "weight",
    keys: bool = True,
    data: bool = True,
    ignore_nan: bool = False,
) -> Iterator[Any]:
    """Return an iterator over the edges of a minimum spanning forest."""
    return _edges(G, "minimum_spanning_edges", algorithm, weight, keys, data, ignore_nan)


def maximum_spanning_edges(
    G: NetworkXGraph,
    algorithm: Any = _KRUSKAL,
    weight: Any = "weight",
    keys: bool = True,
    data: bool = True,
    ignore_nan: bool = False,
) -> Iterator[Any]:
    """Return an iterator over the edges of a maximum spanning forest."""
    return _edges(G, "maximum_spanning_edges", algorithm, weight, keys, data, ignore_nan)


def _tree(G: NetworkXGraph, name: str, weight: Any, algorithm: Any, ignore_nan: bool) -> Any:
    edges = _chosen(G, name.startswith("max"), weight, algorithm, ignore_nan)
    if edges is None:
        given = {"weight": weight, "algorithm": algorithm, "ignore_nan": ignore_nan}
        return getattr(nx, name)(G.source, **given, backend="networkx")
    tree = G.source.__class__()
    tree.graph.update(G.source.graph)
    tree.add_nodes_from(G.source.nodes.items())
    tree.add_edges_from(edges)
    return tree


def _edges(
    G: NetworkXGraph, name: str, algorithm: Any, weight: Any, keys: bool, data: bool, ignore_nan: bool
) -> Iterator[Any]:
    given = {"weight": weight, "keys": keys, "data": data, "ignore_nan": ignore_nan}
    of_networkx: Iterator[Any] = getattr(nx, name)(G.source, algorithm, **given, backend="networkx")
    if algorithm != _KRUSKAL:
        return of_networkx
    shown = [0, 1, *([2] if G.is_multigraph() and keys else []), *([-1] if data else [])]
    return _chosen_when_asked(G, name.startswith("max"), weight, ignore_nan, shown, of_networkx)


def _chosen_when_asked(
    G: NetworkXGraph, maximum: bool, weight: Any, ignore_nan: bool, shown: list[int], of_networkx: Iterator[Any]
) -> Iterator[Any]:
    edges = _chosen(G.as_it_is(), maximum, weight, _KRUSKAL, ignore_nan)
    if edges is None:
        yield from of_networkx
    else:
        yield from (tuple(edge[place] for place in shown) for edge in edges)


def _chosen(
    G: NetworkXGraph, maximum: bool, weight: Any, algorithm: Any, ignore_nan: bool
) -> list[tuple[Any, ...]] | None:
    """Return the edges of the forest, as networkx lists edges, by weight; None if networkx has to find them itself.

    Its sort is stable: of equal edges the one that it lists first comes first, and joins first.
    """
    if algorithm != _KRUSKAL or G.is_directed() or not on_device.is_wanted(G):
        return None
    edges = list(G.source.edges(keys=True, data=True) if G.is_multigraph() else G.source.edges(data=True))
    weights = _comparable([edge[-1].get(weight, 1) for edge in edges])
    if weights is None or len(edges) > MOST_EDGES:
        return None
    if (nans := np.isnan(weights)).any():
        if not ignore_nan:
            return None  # networkx tells which
        edges = [edge for edge, is_nan in zip(edges, nans.tolist(), strict=True) if not is_nan]
        weights = weights[~nans]
    if not edges:
        return []
    number_of = G.number_of
    tails, heads = (np.fromiter((number_of[edge[end]] for edge in edges), np.int32, len(edges)) for end in (0, 1))
    places = _places(len(G), tails, heads, weights, maximum)
    ordered = in_order(weights[places])
    in_turn = places[np.argsort(~ordered if maximum else ordered, kind="stable")]
    return [edges[place] for place in in_turn.tolist()]


def _comparable(values: list[Any]) -> npt.NDArray[Any] | None:
    """Return weights in a type in which they compare as in Python, or None."""
    kinds = set(map(type, values))
    if not kinds <= {int, bool, float}:
        return None
    try:
        if float not in kinds:
            return np.fromiter(values, np.int64, len(values))
        largest = max((abs(value) for value in values if type(value) is not float), default=0)
        return np.fromiter(values, np.float64, len(values)) if largest <= EXACT_IN_FLOAT64 else None
    except OverflowError:
        return None


def _places(
    n: int, tails: npt.NDArray[np.int32], heads: npt.NDArray[np.int32], weights: npt.NDArray[Any], maximum: bool
) -> npt.NDArray[np.uint32]:
    """Return which edges are in the forest, ascending."""
    job = Job(get_device(), recycle=True)
    try:
        edges = DeviceEdges(job, n, heads, weights, tails=tails)
        found, count, _ = choose(edges, edges.look(job), job, maximum=maximum, upper=False)
        places = job.download(found, count, np.uint32)
    finally:
        job.return_borrowed()
        job.recycle()
    on_device.count_launches(job.kernels_launched)
    return places
