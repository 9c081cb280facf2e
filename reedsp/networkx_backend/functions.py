"""The backend that networkx dispatches to: its shortest-path functions, with the same answers in every respect.

Each function has the arguments, the answer and the errors of the function of networkx that has its name, down to the
types of numbers, the order of keys and which of several shortest paths is named; see docs/reference/networkx.md.
"""

from __future__ import annotations

import contextlib
import functools
import warnings
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, pairwise
from types import SimpleNamespace
from typing import Any

import networkx as nx
import numpy as np
import numpy.typing as npt

from reedsp._nx_info import COUNT_PATHS, DEVICE_FUNCTIONS, FROM_EACH, HOST_FUNCTIONS
from reedsp.edges.negative_cycle_error import NegativeCycleError
from reedsp.networkx_backend import nearby, on_device, views
from reedsp.networkx_backend.centrality import (  # noqa: F401  networkx finds them here
    betweenness_centrality,
    betweenness_centrality_subset,
    edge_betweenness_centrality,
    harmonic_centrality,
)
from reedsp.networkx_backend.components import (  # noqa: F401
    attracting_components,
    condensation,
    connected_components,
    is_attracting_component,
    is_connected,
    is_strongly_connected,
    is_weakly_connected,
    node_connected_component,
    number_attracting_components,
    number_connected_components,
    number_strongly_connected_components,
    number_weakly_connected_components,
    strongly_connected_components,
    weakly_connected_components,
)
from reedsp.networkx_backend.flow import (  # noqa: F401  networkx finds them here
    maximum_flow,
    maximum_flow_value,
    minimum_cut,
    minimum_cut_value,
)
from reedsp.networkx_backend.forests import (  # noqa: F401  networkx finds them here
    maximum_spanning_edges,
    maximum_spanning_tree,
    minimum_spanning_edges,
    minimum_spanning_tree,
)
from reedsp.networkx_backend.graph import Arcs, NetworkXGraph, Node, lists_what_it_stores, most_nodes
from reedsp.networkx_backend.matching import (  # noqa: F401  networkx finds them here
    hopcroft_karp_matching,
    to_vertex_cover,
)
from reedsp.networkx_backend.measures import (  # noqa: F401  networkx finds them here
    center,
    centroid,
    closeness_centrality,
    diameter,
    eccentricity,
    global_efficiency,
    gutman_index,
    harmonic_diameter,
    hyper_wiener_index,
    local_efficiency,
    periphery,
    radius,
    schultz_index,
    sum_of_distances,
    wiener_index,
)
from reedsp.networkx_backend.paths import all_paths_to
from reedsp.networkx_backend.release import Dispatched

Lengths = dict[Node, Any]
Paths = dict[Node, list[Node]]
Predecessors = dict[Node, list[Node]]

barycenter = centroid  # its name before networkx 3.7

_NEGATIVE_CYCLE = "Negative cycle detected."
_CACHE_WARNING = r"Note: conversions to backend graphs are saved to cache[\s\S]* for the 'reedsp' backend"
_NO_LIMIT = float("inf")
_METHODS = ("dijkstra", "bellman-ford")


# ---- what networkx asks of a backend ----------------------------------------------------------------


def convert_from_nx(graph: Any, **what_to_keep: Any) -> NetworkXGraph:
    """Return the graph as this backend reads it; neighbours and weights are read when they are needed.

    networkx keeps one for the name of each weight: all of these are one, which has read the neighbours once.
    """
    if isinstance(graph, NetworkXGraph):
        return graph
    if hasattr(graph, "_graph"):  # a view of another graph, whose changes would not clear the view's cache
        graph.__networkx_cache__ = None  # as networkx says that it is switched off
    kept = NetworkXGraph.kept_of(graph) if nx.config.cache_converted_graphs else []
    return kept[0] if kept else NetworkXGraph(graph)


def convert_to_nx(answer: Any, *, name: str | None = None) -> Any:
    """Return an answer as networkx gives it, which it already is; of a graph, the graph of networkx."""
    return answer.source if isinstance(answer, NetworkXGraph) else answer


def can_run(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool | str:
    """Tell whether a function can be called with these arguments, or why not."""
    _keep_quiet_about_the_cache()
    if name not in FUNCTIONS:
        return f"reedsp has no function {name}"
    return FUNCTIONS[name].reason_not_to_run(args, kwargs) or True


def _keep_quiet_about_the_cache() -> None:
    """Ignore networkx' warning of twenty lines at each use of a converted graph, also where filters were reset.

    It warns of weights that are changed in place, as the page of this backend does. Others' warnings remain.
    """
    if not any(getattr(each[1], "pattern", None) == _CACHE_WARNING for each in warnings.filters):
        warnings.filterwarnings("ignore", _CACHE_WARNING, UserWarning)


def should_run(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool | str:
    """Tell whether a call would be answered sooner here than by networkx, or why not."""
    if name in HOST_FUNCTIONS:
        return f"{name} is searched on the host, where networkx is as fast"
    graph = args[0] if args else kwargs["G" if "G" in kwargs else "flowG"]
    if name in ("astar_path", "astar_path_length") and (len(args) > 3 or kwargs.get("heuristic") is not None):
        return "a search that is led by a function is searched on the host, where networkx is as fast"
    minimum = on_device.MIN_NODES_FROM_EACH if name in FROM_EACH else on_device.MIN_NODES
    if name in COUNT_PATHS:
        minimum = on_device.MIN_NODES_OF_PATHS
    elif name == "floyd_warshall":
        minimum = on_device.MIN_NODES_OF_TRIPLES
    nodes = len(graph) if minimum < on_device.MIN_NODES else most_nodes(graph)
    if nodes < minimum:
        return f"{nodes} nodes, fewer than {minimum}: networkx answers sooner"
    if views.is_limited(graph):
        return "a search that is begun on the host stays there"
    if not lists_what_it_stores(graph):
        return f"{type(graph).__name__} lists edges in a way of its own"
    return on_device.has_device() or "there is no usable OpenCL device"


# ---- networkx' own answers --------------------------------------------------------------------------


def _own(name: str, graph: Any, *args: Any, **kwargs: Any) -> Any:
    """Return what networkx' own function answers, where a device cannot or does not pay."""
    return getattr(nx, name)(graph, *args, **kwargs, backend="networkx")


def _side(G: NetworkXGraph, reverse: bool) -> Any:
    """Return the graph of networkx, with its edges in the other direction where `reverse`."""
    return nx.reverse_view(G.source) if reverse and G.is_directed() else G.source


# ---- nodes ------------------------------------------------------------------------------------------


def _no_path(source: Any, target: Any) -> nx.NetworkXNoPath:
    return nx.NetworkXNoPath(f"Node {target} not reachable from {source}")


def _no_path_between(source: Any, target: Any) -> nx.NetworkXNoPath:
    """Return what networkx raises where two searches do not meet."""
    return nx.NetworkXNoPath(f"No path between {source} and {target}.")


def _is_named_alike(G: NetworkXGraph, *named: Node) -> bool:
    """Tell whether nodes look as they do in the graph, so that an answer does not show whose object is in it."""
    pairs = [(node, G.nodes[G.number_of[node]]) for node in named]
    return all(one is own or (type(one) is type(own) and repr(one) == repr(own)) for one, own in pairs)


def _the_one(found: on_device.Between | None, no_path: nx.NetworkXNoPath) -> tuple[Any, list[Node] | None]:
    """Return length and nodes of the only shortest path, None for the nodes where there may be others.

    Where there is no path, that is raised.
    """
    if found is None:
        return None, None
    if not found.path:
        raise no_path
    return found.length, found.path


def _backwards(paths: Paths) -> Paths:
    return {node: path[::-1] for node, path in paths.items()}


# ---- unweighted -------------------------------------------------------------------------------------


def _limit(cutoff: Any) -> Any:
    """Return a cutoff as levels are compared with it; TypeError, as in networkx, for what is no number."""
    return _NO_LIMIT if cutoff is None else cutoff if cutoff > 0 else 0


def _levels(G: NetworkXGraph, source: Node, cutoff: Any, reverse: bool) -> Lengths:
    name = f"single_{_end(reverse)}_shortest_path_length"
    near: Lengths | None = nearby.own_answer(name, G, source, cutoff=cutoff)
    if near is not None:
        return near
    if source in G and on_device.is_wanted(G):
        return on_device.breadth_first(G, source, _limit(cutoff), reverse).lengths
    lengths: Lengths = _own(name, G.source, source, cutoff=cutoff)
    return lengths


def _end(reverse: bool) -> str:
    return "target" if reverse else "source"


def single_source_shortest_path_length(G: NetworkXGraph, source: Node, cutoff: Any = None) -> Lengths:
    """Return the number of edges from the source to each node."""
    return _levels(G, source, cutoff, reverse=False)


def single_target_shortest_path_length(G: NetworkXGraph, target: Node, cutoff: Any = None) -> Lengths:
    """Return the number of edges from each node to the target."""
    return _levels(G, target, cutoff, reverse=True)


def all_pairs_shortest_path_length(G: NetworkXGraph, cutoff: Any = None) -> Iterator[tuple[Node, Lengths]]:
    """Yield each node with the number of edges to each other one."""
    G = G.as_it_is()
    if on_device.is_wanted(G):
        yield from _breadth_first_from_each(G, cutoff, "single_source_shortest_path_length", lambda tree: tree.lengths)
    else:
        for node in G:
            yield node, _levels(G, node, cutoff, reverse=False)


def _breadth_first_from_each(
    G: NetworkXGraph, cutoff: Any, name: str, answer: Callable[[on_device.DeviceTree], Any]
) -> Iterator[tuple[Node, Any]]:
    """Yield each node with networkx' answer from it, or that of a search on the device."""
    limit = _limit(cutoff)
    return nearby.from_each(
        G.source,
        lambda node: nearby.answer_of_many(name, G, node, cutoff=cutoff),
        lambda node: _own(name, G.source, node, cutoff=cutoff),
        lambda nodes: map(answer, on_device.breadth_first_from_each(G, nodes, limit)),
        nearby.more_and_more(),
    )


def _fewest_edges(G: NetworkXGraph, source: Node, cutoff: Any, reverse: bool) -> Paths:
    """Return a path with the fewest edges to each node, or from each where `reverse`."""
    name = f"single_{_end(reverse)}_shortest_path"
    near: Paths | None = nearby.own_answer(name, G, source, cutoff=cutoff)
    if near is not None:
        return near
    if source in G and on_device.is_wanted(G):
        return on_device.breadth_first(G, source, _limit(cutoff), reverse).paths(reverse)
    paths: Paths = _own(name, G.source, source, cutoff=cutoff)
    return paths


def single_source_shortest_path(G: NetworkXGraph, source: Node, cutoff: Any = None) -> Paths:
    """Return a path with the fewest edges to each node."""
    return _fewest_edges(G, source, cutoff, reverse=False)


def single_target_shortest_path(G: NetworkXGraph, target: Node, cutoff: Any = None) -> Paths:
    """Return a path with the fewest edges from each node."""
    return _fewest_edges(G, target, cutoff, reverse=True)


def all_pairs_shortest_path(G: NetworkXGraph, cutoff: Any = None) -> Iterator[tuple[Node, Paths]]:
    """Yield each node with paths with the fewest edges to the others."""
    G = G.as_it_is()
    if on_device.is_wanted(G):
        yield from _breadth_first_from_each(G, cutoff, "single_source_shortest_path", lambda tree: tree.paths())
    else:
        for node in G:
            yield node, _fewest_edges(G, node, cutoff, reverse=False)


def bidirectional_shortest_path(G: NetworkXGraph, source: Node, target: Node) -> list[Node]:
    """Return a path with the fewest edges."""
    path = _fewest_edges_nearby(G, source, target)
    if path is None and source in G and target in G and on_device.is_wanted(G) and _is_named_alike(G, source, target):
        found = on_device.path_with_fewest_edges(G, source, target)
        path = _the_one(found, _no_path_between(source, target))[1]
    return _own("bidirectional_shortest_path", G.source, source, target) if path is None else path


def _fewest_edges_nearby(G: NetworkXGraph, source: Node, target: Node) -> list[Node] | None:
    """Return what the host finds; None where the nodes are so far apart that the device is quicker."""
    if not (source in G and target in G and nearby.is_tried(G)):
        return None
    after, before = G.adjacency(), G.adjacency(reverse=True)
    most = max(on_device.NEAR_NODES, nearby.nodes_sooner_seen(G))
    return nearby.breadth_first_between(after, before, source, target, most)


def _level_between(G: NetworkXGraph, source: Node, target: Node) -> int:
    """Return the number of edges on a path with the fewest."""
    path = _fewest_edges_nearby(G, source, target)
    if path is None and source in G and target in G and on_device.is_wanted(G):
        level = on_device.level_between(G, source, target)
        if level is None:
            raise _no_path_between(source, target)
        return level
    return len(_own("bidirectional_shortest_path", G.source, source, target) if path is None else path) - 1


def predecessor(
    G: NetworkXGraph, source: Node, target: Node | None = None, cutoff: Any = None, return_seen: Any = None
) -> Any:
    """Return all nodes before each node on paths with the fewest edges."""
    given = {"target": target, "cutoff": cutoff, "return_seen": return_seen}
    near = nearby.own_answer("predecessor", G, source, **given)
    if near is not None:
        return near
    if not (source in G and on_device.is_wanted(G)):
        return _own("predecessor", G.source, source, **given)
    limited = cutoff and cutoff == cutoff  # NaN limits nothing
    tree = on_device.breadth_first(G, source, max(1, cutoff) if limited else _NO_LIMIT)
    if target is None:
        return (tree.predecessors, tree.lengths) if return_seen else tree.predecessors
    before = tree.predecessors.get(target, [])
    return (before, tree.lengths.get(target, -1)) if return_seen else before


# ---- Dijkstra ---------------------------------------------------------------------------------------


def _dijkstra_arcs(
    G: NetworkXGraph, sources: Iterable[Node], weight: Any, cutoff: Any, reverse: bool = False
) -> Arcs | None:
    """Return the edges for searches on the device; None where networkx answers."""
    present = on_device.takes(cutoff) and all(source in G for source in sources)
    return on_device.arcs_for(G, weight, reverse) if present else None


def _dijkstra_tree(
    G: NetworkXGraph, sources: list[Node], cutoff: Any, weight: Any, reverse: bool = False
) -> on_device.DeviceTree | None:
    """Return a search on the device; None where networkx answers."""
    arcs = _dijkstra_arcs(G, sources, weight, cutoff, reverse) if sources else None
    return None if arcs is None else on_device.dijkstra(G, arcs, sources, cutoff)


def _dijkstra_lengths(
    G: NetworkXGraph, sources: list[Node], cutoff: Any, weight: Any, reverse: bool = False
) -> Lengths:
    weight = nearby.asked_once(G, weight)
    name, given = "multi_source_dijkstra_path_length", {"cutoff": cutoff, "weight": weight}
    near: Lengths | None = nearby.own_answer(name, G, sources, reverse=reverse, **given)
    if near is not None:
        return near
    tree = _dijkstra_tree(G, sources, cutoff, weight, reverse)
    if tree is not None:
        return tree.lengths
    return _own(name, _side(G, reverse), sources, **given)  # type: ignore[no-any-return]


def _dijkstra_paths(G: NetworkXGraph, sources: list[Node], cutoff: Any, weight: Any, reverse: bool = False) -> Paths:
    """Return a shortest path to each node, or from each where `reverse`."""
    weight = nearby.asked_once(G, weight)
    name, given = "multi_source_dijkstra", {"cutoff": cutoff, "weight": weight}
    found: tuple[Lengths, Paths] | None = nearby.own_answer(name, G, sources, reverse=reverse, **given)
    if found is None:
        tree = _dijkstra_tree(G, sources, cutoff, weight, reverse)
        if tree is not None:
            return tree.paths(source_last=reverse)
        found = _own(name, _side(G, reverse), sources, **given)
    return _backwards(found[1]) if reverse else found[1]


def _dijkstra_to(
    G: NetworkXGraph, sources: list[Node], target: Node, cutoff: Any, weight: Any, no_path: nx.NetworkXNoPath
) -> tuple[on_device.DeviceTree, int] | None:
    """Return a search that has reached one node, and the number of this node; None where networkx answers.

    Where there is no path, that is raised.
    """
    arcs = _dijkstra_arcs(G, [*sources, target], weight, cutoff) if sources and target not in sources else None
    if arcs is None:
        return None
    tree = on_device.dijkstra(G, arcs, sources, cutoff, target)
    number = G.number_of[target]
    if not tree.number_reached(number):
        raise no_path
    return tree, number


def _listed(sources: Any) -> list[Node]:
    return list(sources) if sources else []


def dijkstra_path(G: NetworkXGraph, source: Node, target: Node, weight: Any = "weight") -> list[Node]:
    """Return a shortest path between two nodes."""
    path: list[Node] = single_source_dijkstra(G, source, target, weight=weight)[1]
    return path


def dijkstra_path_length(G: NetworkXGraph, source: Node, target: Node, weight: Any = "weight") -> Any:
    """Return the length of a shortest path between two nodes."""
    weight = nearby.asked_once(G, weight)
    near = nearby.own_answer("dijkstra_path_length", G, source, target=target, weight=weight)
    if near is not None:
        return near
    found = _dijkstra_to(G, [source], target, None, weight, _no_path(source, target))
    if found is None:
        return _own("dijkstra_path_length", G.source, source, target, weight=weight)
    tree, number = found
    return tree.length_to(number)


def single_source_dijkstra_path(G: NetworkXGraph, source: Node, cutoff: Any = None, weight: Any = "weight") -> Paths:
    """Return a shortest path to each node."""
    return multi_source_dijkstra_path(G, {source}, cutoff, weight)


def single_source_dijkstra_path_length(
    G: NetworkXGraph, source: Node, cutoff: Any = None, weight: Any = "weight"
) -> Lengths:
    """Return the distance of each node."""
    return multi_source_dijkstra_path_length(G, {source}, cutoff, weight)


def single_source_dijkstra(
    G: NetworkXGraph, source: Node, target: Node | None = None, cutoff: Any = None, weight: Any = "weight"
) -> tuple[Any, Any]:
    """Return distances and shortest paths to all nodes, or to the target."""
    return multi_source_dijkstra(G, {source}, target, cutoff, weight)


def multi_source_dijkstra_path(G: NetworkXGraph, sources: Any, cutoff: Any = None, weight: Any = "weight") -> Paths:
    """Return a shortest path from any of the sources to each node."""
    return _dijkstra_paths(G, _listed(sources), cutoff, weight)


def multi_source_dijkstra_path_length(
    G: NetworkXGraph, sources: Any, cutoff: Any = None, weight: Any = "weight"
) -> Lengths:
    """Return the distance of each node from the nearest source."""
    return _dijkstra_lengths(G, _listed(sources), cutoff, weight)


def multi_source_dijkstra(
    G: NetworkXGraph, sources: Any, target: Node | None = None, cutoff: Any = None, weight: Any = "weight"
) -> tuple[Any, Any]:
    """Return distances and shortest paths from any of the sources to all nodes, or to the target."""
    weight = nearby.asked_once(G, weight)
    listed, given = _listed(sources), {"target": target, "cutoff": cutoff, "weight": weight}
    near: tuple[Any, Any] | None = nearby.own_answer("multi_source_dijkstra", G, listed, **given)
    if near is not None:
        return near
    if target is None:
        tree = _dijkstra_tree(G, listed, cutoff, weight)
        if tree is not None:
            return tree.lengths, tree.paths()
    no_path = nx.NetworkXNoPath(f"No path to {target}.")
    found = None if target is None else _dijkstra_to(G, listed, target, cutoff, weight, no_path)
    if found is None:
        return _own("multi_source_dijkstra", G.source, listed, **given)  # type: ignore[no-any-return]
    tree, number = found
    return tree.length_to(number), tree.path_to(target, number)


def dijkstra_predecessor_and_distance(
    G: NetworkXGraph, source: Node, cutoff: Any = None, weight: Any = "weight"
) -> tuple[Predecessors, Lengths]:
    """Return all predecessors on shortest paths, and the distance, of each node."""
    weight = nearby.asked_once(G, weight)
    name, given = "dijkstra_predecessor_and_distance", {"cutoff": cutoff, "weight": weight}
    near: tuple[Predecessors, Lengths] | None = nearby.own_answer(name, G, source, **given)
    if near is not None:
        return near
    tree = _dijkstra_tree(G, [source], cutoff, weight)
    if tree is None:
        return _own(name, G.source, source, **given)  # type: ignore[no-any-return]
    return tree.predecessors, tree.lengths


def all_pairs_dijkstra(
    G: NetworkXGraph, cutoff: Any = None, weight: Any = "weight"
) -> Iterator[tuple[Node, tuple[Lengths, Paths]]]:
    """Yield each node with distances of and shortest paths to the others."""
    name = "multi_source_dijkstra"
    yield from _dijkstra_from_each(G.as_it_is(), cutoff, weight, name, lambda tree: (tree.lengths, tree.paths()))


def _dijkstra_from_each(
    G: NetworkXGraph, cutoff: Any, weight: Any, name: str, answer: Callable[[on_device.DeviceTree], Any]
) -> Iterator[tuple[Node, Any]]:
    """Yield each node with networkx' answer from it, or that of a search on the device."""
    weight = nearby.asked_once(G, weight)
    given = {"cutoff": cutoff, "weight": weight}
    kept = functools.cache(lambda: _dijkstra_arcs(G, (), weight, cutoff))

    def near(node: Node) -> Any:
        is_asked = callable(weight) and kept.cache_info().currsize  # then a function has told all weights
        return None if is_asked else nearby.answer_of_many(name, G, [node], **given)

    def own(node: Node) -> Any:
        return _own(name, G.source, [node], **given)

    def far(nodes: list[Node]) -> Iterable[Any]:
        arcs = kept()
        return map(own, nodes) if arcs is None else map(answer, on_device.dijkstra_from_each(G, arcs, nodes, cutoff))

    return nearby.from_each(G.source, near, own, far, nearby.more_and_more())


def all_pairs_dijkstra_path_length(
    G: NetworkXGraph, cutoff: Any = None, weight: Any = "weight"
) -> Iterator[tuple[Node, Lengths]]:
    """Yield each node with the distances of the others."""
    name = "multi_source_dijkstra_path_length"
    yield from _dijkstra_from_each(G.as_it_is(), cutoff, weight, name, lambda tree: tree.lengths)


def all_pairs_dijkstra_path(
    G: NetworkXGraph, cutoff: Any = None, weight: Any = "weight"
) -> Iterator[tuple[Node, Paths]]:
    """Yield each node with shortest paths to the others."""
    name = "multi_source_dijkstra"
    found = _dijkstra_from_each(G.as_it_is(), cutoff, weight, name, lambda tree: (None, tree.paths()))
    yield from ((node, paths) for node, (_, paths) in found)


def bidirectional_dijkstra(
    G: NetworkXGraph, source: Node, target: Node, weight: Any = "weight"
) -> tuple[Any, list[Node]]:
    """Return the length and the nodes of a shortest path."""
    return _dijkstra_between(G, source, target, weight, with_length=True)


def _dijkstra_between(
    G: NetworkXGraph, source: Node, target: Node, weight: Any, with_length: bool
) -> tuple[Any, list[Node]]:
    """Return the length and the nodes of a shortest path, of which the length may not be wanted.

    Where a length is a float, the last digits say where the two searches of networkx met.
    """
    present = source in G and target in G
    known = present and not callable(weight) and not G.has_two_weights()
    if known and nearby.is_tried(G):
        after, before = G.rows(weight), G.rows(weight, reverse=True)
        seen = nearby.nodes_sooner_seen(G, weight)
        found = nearby.dijkstra_between(after, before, source, target, on_device.NEAR_NODES, seen)
        if found is not None:
            return found
    if known and on_device.is_wanted(G) and _is_named_alike(G, source, target):
        arcs = on_device.arcs_for(G, weight)
        if arcs is not None and (arcs.is_integral or not with_length):
            between = on_device.path_between(G, arcs, source, target)
            length, path = _the_one(between, _no_path_between(source, target))
            if path is not None:
                return length, path
    return _own("bidirectional_dijkstra", G.source, source, target, weight=weight)  # type: ignore[no-any-return]


# ---- Bellman-Ford -----------------------------------------------------------------------------------


@contextlib.contextmanager
def _networkx_errors() -> Iterator[None]:
    """Raise networkx' error for a negative cycle, without the cycle, whose vertices are numbers."""
    try:
        yield
    except NegativeCycleError:
        raise nx.NetworkXUnbounded(_NEGATIVE_CYCLE) from None


def bellman_ford_path(G: NetworkXGraph, source: Node, target: Node, weight: Any = "weight") -> list[Node]:
    """Return a shortest path between two nodes."""
    path: list[Node] = single_source_bellman_ford(G, source, target, weight)[1]
    return path


def bellman_ford_path_length(G: NetworkXGraph, source: Node, target: Node, weight: Any = "weight") -> Any:
    """Return the length of a shortest path between two nodes."""
    weight = nearby.asked_once(G, weight)
    near = nearby.own_answer("bellman_ford_path_length", G, source, target=target, weight=weight)
    if near is not None:
        return near
    arcs = on_device.whole_arcs_for(G, weight) if source in G and target in G and source != target else None
    if arcs is None:
        return _own("bellman_ford_path_length", G.source, source, target, weight=weight)
    with _networkx_errors():
        length = on_device.bellman_ford_length(G, arcs, source, target)
    if length is None:
        raise nx.NetworkXNoPath(f"node {target} not reachable from {source}")
    return length


def single_source_bellman_ford(
    G: NetworkXGraph, source: Node, target: Node | None = None, weight: Any = "weight"
) -> tuple[Any, Any]:
    """Return distances and shortest paths to all nodes, or to the target."""
    found = None if target is None or source == target else _bellman_ford_to(G, source, target, weight)
    if found is None:
        return _own("single_source_bellman_ford", G.source, source, target=target, weight=weight)  # type: ignore[no-any-return]
    return found


def _bellman_ford_to(G: NetworkXGraph, source: Node, target: Node, weight: Any) -> tuple[Any, list[Node]] | None:
    """Return the length and the nodes of the only shortest path; None where networkx answers."""
    if callable(weight) or source not in G or target not in G:
        return None
    near: tuple[Any, list[Node]] | None = nearby.own_answer(
        "single_source_bellman_ford", G, source, target=target, weight=weight
    )
    if near is not None:
        return near
    arcs = on_device.whole_arcs_for(G, weight) if _is_named_alike(G, source, target) else None
    if arcs is None:
        return None
    with _networkx_errors():
        found = on_device.bellman_ford_path(G, arcs, source, target)
    no_path = nx.NetworkXNoPath(f"Target {target} cannot be reached from given sources")
    length, path = _the_one(found, no_path)
    return None if path is None else (length, path)


def negative_edge_cycle(G: NetworkXGraph, weight: Any = "weight", heuristic: bool = True) -> bool:
    """Tell whether there is a negative cycle."""
    if not any(G.adjacency().values()):
        return False
    # networkx asks a function about the edges of a node more, too, from which it searches
    arcs = None if callable(weight) else on_device.whole_arcs_for(G, weight)
    try:
        if arcs is None:
            graph, root = views.with_root(G)
            _own("bellman_ford_predecessor_and_distance", graph, root, weight=weight, heuristic=heuristic)
        else:
            on_device.potentials(arcs)
    except (nx.NetworkXUnbounded, NegativeCycleError):
        return True
    return False


def find_negative_cycle(G: NetworkXGraph, source: Node, weight: Any = "weight") -> list[Node]:
    """Return a negative cycle that the source leads to."""
    if G.nodes == [source] and negative_edge_cycle(G, weight):  # which networkx does not find
        return [source, source]
    return _own("find_negative_cycle", G.source, source, weight=weight)  # type: ignore[no-any-return]


def johnson(G: NetworkXGraph, weight: Any = "weight") -> dict[Node, Paths]:
    """Return shortest paths between all pairs."""
    is_own = nearby.is_scattered(G)
    arcs = None if is_own else on_device.whole_arcs_for(G, weight, searches=len(G))
    if arcs is None:
        return _own("johnson", G.source, weight=weight)  # type: ignore[no-any-return]
    with _networkx_errors():
        arcs = on_device.without_negative_costs(arcs)
    trees = on_device.dijkstra_from_each(G, arcs, G.nodes)
    return {node: tree.paths() for node, tree in zip(G, trees, strict=True)}


# ---- generic ----------------------------------------------------------------------------------------


def has_path(G: NetworkXGraph, source: Node, target: Node) -> bool:
    """Tell whether there is a path."""
    if source is None or target is None:  # which asks networkx for paths from or to all
        return bool(_own("has_path", G.source, source, target))
    try:
        _level_between(G, source, target)
    except nx.NetworkXNoPath:
        return False
    return True


def _method(weight: Any, method: str) -> str:
    if method not in _METHODS:
        raise ValueError(f"method not supported: {method}")
    return "unweighted" if weight is None else method


def shortest_path(
    G: NetworkXGraph,
    source: Node | None = None,
    target: Node | None = None,
    weight: Any = None,
    method: str = "dijkstra",
) -> Any:
    """Return a shortest path between two nodes, or those from or to one node, or yield those of each node."""
    method = _method(weight, method)
    if source is not None and target is not None:
        if method == "unweighted":
            return bidirectional_shortest_path(G, source, target)
        if method == "dijkstra":
            return _dijkstra_between(G, source, target, weight, with_length=False)[1]
        return bellman_ford_path(G, source, target, weight)
    if source is not None:
        return _paths_from(G, source, weight, method, reverse=False)
    if target is not None:
        return _paths_from(G, target, weight, method, reverse=True)
    if method == "unweighted":
        return all_pairs_shortest_path(G)
    if method == "dijkstra":
        return all_pairs_dijkstra_path(G, None, weight)
    return _own("all_pairs_bellman_ford_path", G.source, weight=weight)


def _paths_from(G: NetworkXGraph, source: Node, weight: Any, method: str, reverse: bool) -> Paths:
    """Return a path to each node, or from each where `reverse`."""
    if method == "unweighted":
        return _fewest_edges(G, source, None, reverse)
    if method == "dijkstra":
        return _dijkstra_paths(G, [source], None, weight, reverse)
    paths: Paths = _own("single_source_bellman_ford_path", _side(G, reverse), source, weight=weight)
    return _backwards(paths) if reverse else paths


def shortest_path_length(
    G: NetworkXGraph,
    source: Node | None = None,
    target: Node | None = None,
    weight: Any = None,
    method: str = "dijkstra",
) -> Any:
    """Return a distance between two nodes, or those from or to one node, or yield those of each node."""
    method = _method(weight, method)
    if source is not None and target is not None:
        if method == "unweighted":
            return _level_between(G, source, target)
        if method == "dijkstra":
            return dijkstra_path_length(G, source, target, weight)
        return bellman_ford_path_length(G, source, target, weight)
    if source is not None:
        return _lengths_from(G, source, weight, method, reverse=False)
    if target is not None:
        return _lengths_from(G, target, weight, method, reverse=True)
    if method == "unweighted":
        return all_pairs_shortest_path_length(G)
    if method == "dijkstra":
        return all_pairs_dijkstra_path_length(G, None, weight)
    return _own("all_pairs_bellman_ford_path_length", G.source, weight=weight)


def _lengths_from(G: NetworkXGraph, source: Node, weight: Any, method: str, reverse: bool) -> Lengths:
    if method == "unweighted":
        return _levels(G, source, None, reverse)
    if method == "dijkstra":
        return _dijkstra_lengths(G, [source], None, weight, reverse)
    lengths: Lengths = _own("single_source_bellman_ford_path_length", _side(G, reverse), source, weight=weight)
    return lengths


def average_shortest_path_length(G: NetworkXGraph, weight: Any = None, method: str | None = None) -> float:
    """Return the mean of all distances."""
    if method is None:
        method = "unweighted" if weight is None else "dijkstra"
    if method not in ("unweighted", *_METHODS, "floyd-warshall", "floyd-warshall-numpy"):
        raise ValueError(f"method not supported: {method}")
    n = len(G)
    if n == 0:
        raise nx.NetworkXPointlessConcept("the null graph has no paths, thus there is no average shortest path length")
    if n == 1:
        return 0
    if not is_connected(G):
        raise nx.NetworkXError(f"Graph is not {'strongly ' if G.is_directed() else ''}connected.")
    total: float = _sum_of_lengths(G, weight, method)
    return total / (n * (n - 1))


def _sum_of_lengths(G: NetworkXGraph, weight: Any, method: str) -> Any:
    if method == "floyd-warshall-numpy":
        return float(floyd_warshall_numpy(G, weight=weight).sum())
    if method == "floyd-warshall":
        return sum(sum(row.values()) for row in floyd_warshall(G, weight).values())
    if method == "bellman-ford":
        rows = _own("all_pairs_bellman_ford_path_length", G.source, weight=weight)
        return sum(chain.from_iterable(lengths.values() for _, lengths in rows))
    return sum_of_distances(G, None if method == "unweighted" else weight)


def all_shortest_paths(
    G: NetworkXGraph, source: Node, target: Node, weight: Any = None, method: str = "dijkstra"
) -> Iterator[list[Node]]:
    """Return an iterator of all shortest paths between two nodes."""
    predecessors = _predecessors(G, source, weight, method)
    return all_paths_to({source}, target, predecessors)


def _predecessors(G: NetworkXGraph, source: Node, weight: Any, method: str) -> Predecessors:
    if weight is None or method == "unweighted":
        return predecessor(G, source)  # type: ignore[no-any-return]
    if _method(weight, method) == "dijkstra":
        return dijkstra_predecessor_and_distance(G, source, weight=weight)[0]
    return _own("bellman_ford_predecessor_and_distance", G.source, source, weight=weight)[0]  # type: ignore[no-any-return]


def single_source_all_shortest_paths(
    G: NetworkXGraph, source: Node, weight: Any = None, method: str = "dijkstra"
) -> Iterator[tuple[Node, list[list[Node]]]]:
    """Yield each node with all shortest paths to it."""
    yield from _all_paths_from(G.as_it_is(), source, weight, method)


def _all_paths_from(
    G: NetworkXGraph, source: Node, weight: Any, method: str
) -> Iterator[tuple[Node, list[list[Node]]]]:
    predecessors = _predecessors(G, source, weight, method)
    for node in predecessors:
        yield node, list(all_paths_to({source}, node, predecessors))


def all_pairs_all_shortest_paths(
    G: NetworkXGraph, weight: Any = None, method: str = "dijkstra"
) -> Iterator[tuple[Node, dict[Node, list[list[Node]]]]]:
    """Yield each node with all shortest paths to the others."""
    G = G.as_it_is()
    for node in G:
        yield node, dict(_all_paths_from(G, node, weight, method))


# ---- dense ------------------------------------------------------------------------------------------


def floyd_warshall_numpy(G: NetworkXGraph, nodelist: Any = None, weight: Any = "weight") -> npt.NDArray[np.float64]:
    """Return the matrix of distances between all pairs."""
    nodelist = None if nodelist is None else list(nodelist)
    dist = None
    wanted = on_device.is_wanted(G, searches=len(G)) and not G.has_two_weights()
    if wanted and (nodelist is None or _is_permutation(G, nodelist)):
        matrix = G.matrix(weight)
        if not (matrix.diagonal() < 0).any():
            np.fill_diagonal(matrix, 0)
            numbers = range(len(G)) if nodelist is None else [G.number_of[node] for node in nodelist]
            dist = on_device.all_distances(matrix[np.ix_(numbers, numbers)])
    return _own("floyd_warshall_numpy", G.source, nodelist=nodelist, weight=weight) if dist is None else dist


def _is_permutation(G: NetworkXGraph, nodes: list[Any]) -> bool:
    return len(nodes) == len(G) and all(node in G for node in nodes) and len(set(nodes)) == len(G)


def floyd_warshall(G: NetworkXGraph, weight: Any = "weight") -> dict[Node, Lengths]:
    """Return the distances between all pairs."""
    if on_device.is_wanted_by_triples(G) and not G.has_two_weights():
        lengths = on_device.direct_distances(G, weight)
        if on_device.shorten(G, lengths):
            return lengths
    return _own("floyd_warshall", G.source, weight=weight)  # type: ignore[no-any-return]


# ---- A* ---------------------------------------------------------------------------------------------


def astar_path(
    G: NetworkXGraph,
    source: Node,
    target: Node,
    heuristic: Callable[[Node, Node], Any] | None = None,
    weight: Any = "weight",
    *,
    cutoff: Any = None,
) -> list[Node]:
    """Return the path between two nodes that A* finds."""
    if heuristic is None and not cutoff and source != target:  # then it takes the steps of Dijkstra's search
        weight = nearby.asked_once(G, weight)
        near: list[Node] | None = nearby.own_answer("astar_path", G, source, target=target, weight=weight)
        if near is not None:
            return near
        found = _dijkstra_to(G, [source], target, None, weight, _no_path(source, target))
        if found is not None:
            tree, number = found
            return tree.path_to(G.nodes[number], number)
    return _own("astar_path", G.source, source, target, heuristic=heuristic, weight=weight, cutoff=cutoff)  # type: ignore[no-any-return]


def astar_path_length(
    G: NetworkXGraph,
    source: Node,
    target: Node,
    heuristic: Callable[[Node, Node], Any] | None = None,
    weight: Any = "weight",
    *,
    cutoff: Any = None,
) -> Any:
    """Return the length of the path between two nodes that A* finds."""
    is_other = not lists_what_it_stores(G.source)
    if is_other or source not in G or target not in G:  # of which it says something else than of the path
        return _own("astar_path_length", G.source, source, target, heuristic=heuristic, weight=weight, cutoff=cutoff)
    path = astar_path(G, source, target, heuristic, weight, cutoff=cutoff)
    cost, adjacency = G.cost_of(weight), G.adjacency()
    return sum(cost(tail, head, adjacency[tail][head]) for tail, head in pairwise(path))


# ---- what networkx finds ----------------------------------------------------------------------------

FUNCTIONS = {name: Dispatched(name, globals().get(name)) for name in (*DEVICE_FUNCTIONS, *HOST_FUNCTIONS)}
"""The functions above, as networkx calls them."""

backend = SimpleNamespace(
    can_run=can_run, should_run=should_run, convert_from_nx=convert_from_nx, convert_to_nx=convert_to_nx, **FUNCTIONS
)
"""What the entry point of this backend names."""
