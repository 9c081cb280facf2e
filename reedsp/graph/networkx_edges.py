"""Edges of graphs of networkx as arrays, each read once, together with its weight.

Another thread may change the graph meanwhile: then an edge is read as it was or as it is, but never in part, and what
Python or the arrays do not bear raises KeyError or RuntimeError.
"""

from __future__ import annotations

import contextlib
import math
import re
import sys
from array import array
from collections.abc import Hashable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

_INT64 = np.iinfo(np.int64)
_DEGREES = re.compile(r"GEOG.*\b4326\W*|[^\[]*\b4326\b[^\[]*", re.DOTALL | re.IGNORECASE)
"""EPSG:4326 as a name or as a long text, but no long text of another system that is based on it."""


class NetworkXEdges(NamedTuple):
    """Edges by the indices of their ends; an undirected edge once, from the end that comes first.

    Attributes
    ----------
    sources, targets : ndarray of int32, shape (m,)
    weights : list or None
        As they are given, 1 where there is none; None if they were not asked for, and then of parallel edges one is
        enough.
    """

    sources: npt.NDArray[np.int32]
    targets: npt.NDArray[np.int32]
    weights: list[Any] | None


def first_number(nodes: Sequence[Hashable]) -> int | None:
    """Return the first of nodes that are consecutive integers, or equal to them; None if they are others."""
    first = nodes[0] if nodes else 0
    if type(first) is not int or not _INT64.min <= first <= _INT64.max - len(nodes):
        return None
    return first if list(range(first, first + len(nodes))) == nodes else None


def read_edges(graph: Any, nodes: list[Hashable], weight: str | None) -> NetworkXEdges:
    """Return the edges of any graph of networkx.

    Parameters
    ----------
    graph : networkx.Graph
    nodes : list
        All nodes, in the order of their indices.
    weight : str or None
        Which attribute is the weight.

    Raises
    ------
    KeyError, RuntimeError
        The graph has changed on the way.
    """
    networkx = sys.modules["networkx"]
    own = (networkx.Graph, networkx.DiGraph, networkx.MultiGraph, networkx.MultiDiGraph)
    if type(graph) not in own or type(graph._adj) is not dict:
        return _as_listed(graph, nodes, weight)  # views, and classes that may list other edges than they store
    first = first_number(nodes)
    if first is not None:
        try:
            return _as_stored(graph, nodes, weight, first, None)
        except (OverflowError, TypeError):  # an edge names a node by something that equals it, but is no int
            pass
    return _as_stored(graph, nodes, weight, 0, _indices(nodes))


def _indices(nodes: list[Hashable]) -> dict[Hashable, int]:
    return dict(zip(nodes, range(len(nodes)), strict=True))


def _as_stored(
    graph: Any, nodes: list[Hashable], weight: str | None, first: int, index_of: dict[Hashable, int] | None
) -> NetworkXEdges:
    """Return the edges in networkx' own dicts; without indices, nodes are consecutive integers.

    One loop: lists of tuples would take as long again, most of it for the garbage collector.
    """
    targets, ends = array("q"), array("q", [0])
    weights: list[Any] = []
    add, weigh = targets.append, weights.append
    adjacency, is_directed, is_multigraph = graph._adj, graph.is_directed(), graph.is_multigraph()
    for source, node in enumerate(nodes, first):
        for neighbour, data in adjacency[node].items():
            target = neighbour if index_of is None else index_of[neighbour]
            if target < source and not is_directed:
                continue  # read from there
            if weight is None:
                add(target)
            elif is_multigraph:
                for each in data.values():
                    add(target)
                    weigh(each.get(weight, 1))
            else:
                add(target)
                weigh(data.get(weight, 1))
        ends.append(len(targets))
    found = np.asarray(targets) - first
    if found.size and not 0 <= found.min() <= found.max() < len(nodes):
        raise KeyError("a neighbour that is not among the nodes")
    sources = np.repeat(np.arange(len(nodes), dtype=np.int32), np.diff(np.asarray(ends)))
    return NetworkXEdges(sources, found.astype(np.int32), None if weight is None else weights)


def _as_listed(graph: Any, nodes: list[Hashable], weight: str | None) -> NetworkXEdges:
    """Return the edges that the public `edges` lists."""
    index_of = _indices(nodes)
    sources, targets = array("i"), array("i")
    weights: list[Any] = []
    edges: Iterable[Any] = ((u, v, 1) for u, v in graph.edges())
    if weight is not None:
        edges = graph.edges(data=weight, default=1)
    for source, target, value in edges:
        sources.append(index_of[source])
        targets.append(index_of[target])
        weights.append(value)
    ends = np.array(sources, np.int32), np.array(targets, np.int32)
    return NetworkXEdges(*ends, None if weight is None else weights)


def read_places(graph: Any, nodes: Sequence[Hashable]) -> tuple[npt.NDArray[np.float64], bool] | None:
    """Return x and y of the nodes of a map, and whether these are degrees; None if the graph is no map.

    Maps are graphs with a coordinate reference system, as those of osmnx. What is beyond 180 or 90 is taken for no
    degrees, whatever the system.

    Raises
    ------
    ValueError
        Some nodes have no coordinates, or others than finite numbers.
    KeyError, RuntimeError
        The graph has changed on the way.
    """
    system = graph.graph.get("crs")
    if system is None or not nodes:
        return None
    attributes = [graph.nodes[node] for node in nodes]
    missing = [node for node, each in zip(nodes, attributes, strict=True) if "x" not in each or "y" not in each]
    if len(missing) == len(nodes):
        return None
    if missing:
        raise ValueError(f"node {missing[0]!r} has no x and y, while other nodes of this map have")
    places = _coordinates(nodes, [(each["x"], each["y"]) for each in attributes])
    return places, _DEGREES.fullmatch(str(system)) is not None and bool((np.abs(places) <= (180, 90)).all())


def _coordinates(nodes: Sequence[Hashable], given: list[tuple[Any, Any]]) -> npt.NDArray[np.float64]:
    """Return coordinates as an array; one by one, which takes longer, if they may not all be numbers."""
    with contextlib.suppress(OverflowError, TypeError, ValueError):
        places = np.array(given)
        if places.ndim == 2 and np.can_cast(places.dtype, np.float64) and np.isfinite(places).all():
            return places.astype(np.float64)
    pairs = zip(nodes, given, strict=True)
    return np.array(
        [[_coordinate(node, axis, each) for axis, each in zip("xy", pair, strict=True)] for node, pair in pairs]
    )


def _coordinate(node: Hashable, axis: str, value: Any) -> float:
    """Return a coordinate, also one that is a string, as files have them that networkx reads."""
    try:
        number = float(value)
    except (OverflowError, TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise ValueError(f"node {node!r} has {axis} = {value!r}, expected a finite number")
    return number
