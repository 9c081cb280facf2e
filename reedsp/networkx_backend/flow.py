"""networkx' maximum flows and minimum cuts, for capacities that are ints.

Values and cuts are the same for every maximum flow; of several maximum flows themselves, this may be another one.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import networkx as nx
import numpy as np

from reedsp.algorithms.structure.flow.maximum_flow import maximum_flow as find_flow
from reedsp.algorithms.structure.flow.result import Flow
from reedsp.device.discovery import get_device
from reedsp.graph.graph import Graph
from reedsp.networkx_backend import on_device
from reedsp.networkx_backend.graph import NetworkXGraph, Node

_LARGEST = np.iinfo(np.int64).max


def maximum_flow(
    flowG: NetworkXGraph, _s: Node, _t: Node, capacity: Any = "capacity", flow_func: Any = None, **kwargs: Any
) -> tuple[Any, dict[Node, dict[Node, Any]]]:
    """Return the value of a maximum flow, and what flows along each edge."""
    found = _found(flowG, _s, _t, capacity, flow_func, kwargs)
    if found is None:
        return _own("maximum_flow", flowG, _s, _t, capacity, flow_func, kwargs)  # type: ignore[no-any-return]
    flows: dict[Node, dict[Node, Any]] = {}
    number_of, nodes = flowG.number_of, flowG.nodes
    carried: list[dict[Node, int]] = [{} for _ in nodes]
    carrying = np.flatnonzero(found.flow)
    tails = np.searchsorted(found.graph.indptr, carrying, side="right") - 1
    heads = found.graph.indices[carrying]
    for tail, head, amount in zip(tails.tolist(), heads.tolist(), found.flow[carrying].tolist(), strict=True):
        carried[tail][nodes[head]] = amount
    for node, neighbours in flowG.adjacency().items():
        flows[node] = {**dict.fromkeys(neighbours, 0), **carried[number_of[node]]}
    return found.value, flows


def maximum_flow_value(
    flowG: NetworkXGraph, _s: Node, _t: Node, capacity: Any = "capacity", flow_func: Any = None, **kwargs: Any
) -> Any:
    """Return the value of a maximum flow."""
    found = _found(flowG, _s, _t, capacity, flow_func, kwargs)
    return _own("maximum_flow_value", flowG, _s, _t, capacity, flow_func, kwargs) if found is None else found.value


def minimum_cut(
    flowG: NetworkXGraph, _s: Node, _t: Node, capacity: Any = "capacity", flow_func: Any = None, **kwargs: Any
) -> tuple[Any, tuple[set[Node], set[Node]]]:
    """Return the capacity of a minimum cut, and its two sides: that of the target as small as it can be."""
    found = _found(flowG, _t, _s, capacity, flow_func, kwargs, backward=True)
    if found is None:
        return _own("minimum_cut", flowG, _s, _t, capacity, flow_func, kwargs)  # type: ignore[no-any-return]
    names, of_target = flowG.names, found.is_source_side
    return found.value, (set(names[~of_target]), set(names[of_target]))


def minimum_cut_value(
    flowG: NetworkXGraph, _s: Node, _t: Node, capacity: Any = "capacity", flow_func: Any = None, **kwargs: Any
) -> Any:
    """Return the capacity of a minimum cut."""
    found = _found(flowG, _s, _t, capacity, flow_func, kwargs)
    return _own("minimum_cut_value", flowG, _s, _t, capacity, flow_func, kwargs) if found is None else found.value


def _own(name: str, G: NetworkXGraph, s: Node, t: Node, capacity: Any, flow_func: Any, options: dict[str, Any]) -> Any:
    """Return what networkx' own function answers."""
    return getattr(nx, name)(G.source, s, t, capacity=capacity, flow_func=flow_func, **options, backend="networkx")


def _found(
    G: NetworkXGraph, s: Node, t: Node, capacity: Any, flow_func: Any, options: dict[str, Any], backward: bool = False
) -> Flow | None:
    """Return a maximum flow, against the edges where `backward`; None where networkx answers, or says what is wrong."""
    if flow_func is not None or options or not on_device.is_wanted(G):
        return None
    if G.is_multigraph() or s not in G or t not in G or s == t or G.has_two_weights():
        return None
    values = list(_capacities(G, capacity))
    if not values or any(type(value) is not int for value in values) or not 0 <= min(values) <= max(values) <= _LARGEST:
        return None  # infinite, fractional or wrong
    number_of = G.number_of
    rows = G.adjacency().items()
    tails = np.repeat(np.arange(len(G)), [len(neighbours) for _, neighbours in rows])
    heads = np.fromiter((number_of[head] for _, neighbours in rows for head in neighbours), np.int64, len(values))
    starts, ends = (heads, tails) if backward else (tails, heads)
    graph = Graph.from_edges(len(G), starts, ends, np.array(values, np.int64))
    leaving, entering = (sum(graph.weights[each].tolist()) for each in _ends_of(graph, number_of[s], number_of[t]))
    if min(leaving, entering) > _LARGEST:
        return None
    found = find_flow(graph, number_of[s], number_of[t], device=get_device())
    on_device.counted(found)
    return found


def _capacities(G: NetworkXGraph, capacity: Any) -> Iterable[Any]:
    """Yield the capacity of each edge, by tail and then in networkx' order; None for one that has none."""
    for neighbours in G.adjacency().values():
        for attributes in neighbours.values():
            yield attributes.get(capacity)


def _ends_of(graph: Graph, start: int, end: int) -> tuple[Any, Any]:
    """Return which edges leave one vertex, and which end at another."""
    return slice(graph.indptr[start], graph.indptr[start + 1]), graph.indices == end
