"""The backend that networkx dispatches to: its shortest-path functions, with the same answers in every respect.

Each function has the arguments, the answer and the errors of the function of networkx that has its name, down to the
types of numbers, the order of keys and which of several shortest paths is named; see docs/reference/networkx.md.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice, pairwise
from types import SimpleNamespace
from typing import Any

import networkx as nx
import numpy as np
import numpy.typing as npt

from reedsp._nx_info import DEVICE_FUNCTIONS, FROM_EACH, HOST_FUNCTIONS
from reedsp.edges.negative_cycles import NegativeCycleError
from reedsp.networkx_backend import on_device, on_host
from reedsp.networkx_backend.graph import Arcs, NetworkXGraph, Node, Rows
from reedsp.networkx_backend.measures import (  # noqa: F401  networkx finds them here
    center,
    centroid,
    closeness_centrality,
    diameter,
    eccentricity,
    efficiency,
    global_efficiency,
    gutman_index,
    harmonic_diameter,
    hyper_wiener_index,
    is_connected,
    local_efficiency,
    periphery,
    radius,
    schultz_index,
    sum_of_distances,
    wiener_index,
)
from reedsp.networkx_backend.release import Dispatched

Lengths = dict[Node, Any]
Paths = dict[Node, list[Node]]
Predecessors = dict[Node, list[Node]]

barycenter = centroid  # its name before networkx 3.7

_NEGATIVE_CYCLE = "Negative cycle detected."
_NO_LIMIT = float("inf")
_METHODS = ("dijkstra", "bellman-ford")


# ---- what networkx asks of a backend ----------------------------------------------------------------


def convert_from_nx(graph: Any, **what_to_keep: Any) -> NetworkXGraph:
    """Return the graph as this backend reads it; neighbours and weights are read when they are needed."""
    return graph if isinstance(graph, NetworkXGraph) else NetworkXGraph(graph)


def convert_to_nx(answer: Any, *, name: str | None = None) -> Any:
    """Return an answer as networkx gives it, which it already is; of a graph, the graph of networkx."""
    return answer.source if isinstance(answer, NetworkXGraph) else answer


def can_run(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool | str:
    """Tell whether a function can be called with these arguments, or why not."""
    if name not in FUNCTIONS:
        return f"reedsp has no function {name}"
    return FUNCTIONS[name].reason_not_to_run(args, kwargs) or True


def should_run(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool | str:
    """Tell whether a call would be answered sooner here than by networkx, or why not."""
    if name in HOST_FUNCTIONS:
        return f"{name} is searched on the host, where networkx is as fast"
    graph = args[0] if args else kwargs["G"]
    if name in ("astar_path", "astar_path_length") and (len(args) > 3 or kwargs.get("heuristic") is not None):
        return "a search that is led by a function is searched on the host, where networkx is as fast"
    least = on_device.LEAST_NODES_FROM_EACH if name in FROM_EACH else on_device.LEAST_NODES
    if len(graph) < least:
        return f"{len(graph)} nodes, fewer than {least}: networkx answers sooner"
    return on_device.has_device() or "there is no usable OpenCL device"


# ---- nodes ------------------------------------------------------------------------------------------


def _require(G: NetworkXGraph, node: Any, otherwise: str = "Node {} not found in graph") -> None:
    if node not in G:
        raise nx.NodeNotFound(otherwise.format(node))


def _require_both(G: NetworkXGraph, source: Any, target: Any) -> None:
    _require(G, source, "Source {} is not in G")
    _require(G, target, "Target {} is not in G")


def _no_path(source: Any, target: Any) -> nx.NetworkXNoPath:
    return nx.NetworkXNoPath(f"Node {target} not reachable from {source}")


def _is_named_alike(G: NetworkXGraph, *named: Node) -> bool:
    """Tell whether nodes look as they do in the graph, so that nobody sees whose object is in an answer."""
    pairs = [(node, G.nodes[G.number_of[node]]) for node in named]
    return all(one is own or (type(one) is type(own) and repr(one) == repr(own)) for one, own in pairs)


def _the_one(found: on_device.Between | None, source: Node, target: Node) -> tuple[Any, list[Node] | None]:
    """Return length and nodes of the only shortest path, None for the nodes where there may be others."""
    if found is None:
        return None, None
    if not found.path:
        raise _no_path(source, target)
    return found.length, found.path


def _backwards(paths: Paths) -> Paths:
    return {node: path[::-1] for node, path in paths.items()}


# ---- unweighted -------------------------------------------------------------------------------------


def _levels(G: NetworkXGraph, source: Node, cutoff: Any, reverse: bool) -> Lengths:
    _require(G, source, f"{'Target' if reverse else 'Source'} {{}} is not in G")
    cutoff = _NO_LIMIT if cutoff is None else cutoff
    if on_device.is_wanted(G):
        return on_device.breadth_first(G, source, cutoff, reverse).lengths
    return on_host.breadth_first(G.neighbours(reverse), source, cutoff)[0]


def single_source_shortest_path_length(G: NetworkXGraph, source: Node, cutoff: Any = None) -> Lengths:
    """Return the number of edges from the source to each node."""
    return _levels(G, source, cutoff, reverse=False)


def single_target_shortest_path_length(G: NetworkXGraph, target: Node, cutoff: Any = None) -> Lengths:
    """Return the number of edges from each node to the target."""
    return _levels(G, target, cutoff, reverse=True)


def all_pairs_shortest_path_length(G: NetworkXGraph, cutoff: Any = None) -> Iterator[tuple[Node, Lengths]]:
    """Yield each node with the number of edges to each other one."""
    if on_device.is_wanted(G):
        trees = on_device.breadth_first_from_each(G, _NO_LIMIT if cutoff is None else cutoff)
        yield from ((node, tree.lengths) for node, tree in trees)
    else:
        for node in G:
            yield node, _levels(G, node, cutoff, reverse=False)


def _fewest_edges(G: NetworkXGraph, source: Node, cutoff: Any, reverse: bool) -> Paths:
    """Return a path with the fewest edges to each node, or from each where `reverse`."""
    _require(G, source, f"{'Target' if reverse else 'Source'} {{}} not in G")
    cutoff = _NO_LIMIT if cutoff is None else cutoff
    if on_device.is_wanted(G):
        return on_device.breadth_first(G, source, cutoff, reverse).paths(reverse)
    paths = {source: [source]}
    for node, before in on_host.breadth_first(G.neighbours(reverse), source, cutoff)[1].items():
        paths[node] = [node, *paths[before]] if reverse else [*paths[before], node]
    return paths


def single_source_shortest_path(G: NetworkXGraph, source: Node, cutoff: Any = None) -> Paths:
    """Return a path with the fewest edges to each node."""
    return _fewest_edges(G, source, cutoff, reverse=False)


def single_target_shortest_path(G: NetworkXGraph, target: Node, cutoff: Any = None) -> Paths:
    """Return a path with the fewest edges from each node."""
    return _fewest_edges(G, target, cutoff, reverse=True)


def all_pairs_shortest_path(G: NetworkXGraph, cutoff: Any = None) -> Iterator[tuple[Node, Paths]]:
    """Yield each node with paths with the fewest edges to the others."""
    if on_device.is_wanted(G):
        trees = on_device.breadth_first_from_each(G, _NO_LIMIT if cutoff is None else cutoff)
        yield from ((node, tree.paths()) for node, tree in trees)
    else:
        for node in G:
            yield node, _fewest_edges(G, node, cutoff, reverse=False)


def bidirectional_shortest_path(G: NetworkXGraph, source: Node, target: Node) -> list[Node]:
    """Return a path with the fewest edges."""
    _require_both(G, source, target)
    path = _fewest_edges_nearby(G, source, target)
    if path is None and _is_named_alike(G, source, target):
        path = _the_one(on_device.path_with_fewest_edges(G, source, target), source, target)[1]
    if path is None:
        path = on_host.breadth_first_between(G.neighbours(), G.neighbours(reverse=True), source, target)
    assert path is not None  # without a limit the search goes on to the end
    return path


def _fewest_edges_nearby(G: NetworkXGraph, source: Node, target: Node) -> list[Node] | None:
    """Return what the host finds; None where the nodes are so far apart that the device is quicker."""
    if not on_device.is_wanted(G):
        return on_host.breadth_first_between(G.neighbours(), G.neighbours(reverse=True), source, target)
    if on_device.is_forced():
        return None
    return on_host.breadth_first_between(G.adjacency(), G.adjacency(reverse=True), source, target, on_device.NEAR_NODES)


def _level_between(G: NetworkXGraph, source: Node, target: Node) -> int:
    """Return the number of edges on a path with the fewest."""
    _require_both(G, source, target)
    path = _fewest_edges_nearby(G, source, target)
    level = on_device.level_between(G, source, target) if path is None else len(path) - 1
    if level is None:
        raise _no_path(source, target)
    return level


def predecessor(
    G: NetworkXGraph, source: Node, target: Node | None = None, cutoff: Any = None, return_seen: Any = None
) -> Any:
    """Return all nodes before each node on paths with the fewest edges."""
    predecessors, levels = _level_predecessors(G, source, cutoff)
    if target is None:
        return (predecessors, levels) if return_seen else predecessors
    before = predecessors.get(target, [])
    return (before, levels.get(target, -1)) if return_seen else before


def _level_predecessors(G: NetworkXGraph, source: Node, cutoff: Any = None) -> tuple[Predecessors, Lengths]:
    _require(G, source, "Source {} not in G")
    if not on_device.is_wanted(G):
        return on_host.breadth_first_predecessors(G.neighbours(), source, cutoff)
    limited = cutoff and cutoff == cutoff  # NaN limits nothing
    tree = on_device.breadth_first(G, source, max(1, cutoff) if limited else _NO_LIMIT)
    return tree.predecessors, tree.lengths


# ---- Dijkstra ---------------------------------------------------------------------------------------


def _all_present(G: NetworkXGraph, sources: Any) -> list[Node]:
    if not sources:
        raise ValueError("sources must not be empty")
    listed = list(sources)
    for source in listed:
        _require(G, source)
    return listed


def _dijkstra_arcs(G: NetworkXGraph, weight: Any, cutoff: Any, reverse: bool = False) -> Arcs | None:
    return on_device.arcs_for(G, weight, reverse) if on_device.takes(cutoff) else None


def _dijkstra_lengths(
    G: NetworkXGraph, sources: list[Node], cutoff: Any, weight: Any, reverse: bool = False
) -> Lengths:
    arcs = _dijkstra_arcs(G, weight, cutoff, reverse)
    if arcs is not None:
        return on_device.dijkstra(G, arcs, sources, cutoff).lengths
    return on_host.dijkstra(G.rows(weight, reverse), sources, cutoff)[0]


def _dijkstra(G: NetworkXGraph, sources: list[Node], cutoff: Any, weight: Any) -> tuple[Lengths, Paths]:
    arcs = _dijkstra_arcs(G, weight, cutoff)
    if arcs is not None:
        tree = on_device.dijkstra(G, arcs, sources, cutoff)
        return tree.lengths, tree.paths()
    lengths, predecessors = on_host.dijkstra(G.rows(weight), sources, cutoff)
    return lengths, _paths_along(sources, lengths, predecessors)


def _dijkstra_paths(G: NetworkXGraph, sources: list[Node], cutoff: Any, weight: Any, reverse: bool = False) -> Paths:
    """Return a shortest path to each node, or from each where `reverse`."""
    arcs = _dijkstra_arcs(G, weight, cutoff, reverse)
    if arcs is not None:
        return on_device.dijkstra(G, arcs, sources, cutoff).paths(source_last=reverse)
    lengths, predecessors = on_host.dijkstra(G.rows(weight, reverse), sources, cutoff)
    paths = _paths_along(sources, lengths, predecessors)
    return _backwards(paths) if reverse else paths


def _paths_along(sources: list[Node], lengths: Lengths, predecessors: Predecessors) -> Paths:
    paths = {source: [source] for source in sources}
    for node in islice(lengths, len(paths), None):
        paths[node] = [*paths[predecessors[node][0]], node]
    return paths


def _dijkstra_to(
    G: NetworkXGraph, sources: list[Node], target: Node, cutoff: Any, weight: Any
) -> tuple[Any, Callable[[], list[Node]]]:
    """Return the length of a shortest path to one node, and what finds the path itself."""
    arcs = _dijkstra_arcs(G, weight, cutoff)
    if arcs is not None and target in G:
        tree = on_device.dijkstra(G, arcs, sources, cutoff, target)
        number = G.number_of[target]
        if not tree.number_reached(number):
            raise _no_path(sources, target)
        return tree.length_to(number), lambda: tree.path_to(target, number)
    lengths, predecessors = on_host.dijkstra(G.rows(weight), sources, cutoff, target)
    if target not in lengths:
        raise _no_path(sources, target)
    return lengths[target], lambda: on_host.path_to(target, predecessors)


def dijkstra_path(G: NetworkXGraph, source: Node, target: Node, weight: Any = "weight") -> list[Node]:
    """Return a shortest path between two nodes."""
    path: list[Node] = single_source_dijkstra(G, source, target, weight=weight)[1]
    return path


def dijkstra_path_length(G: NetworkXGraph, source: Node, target: Node, weight: Any = "weight") -> Any:
    """Return the length of a shortest path between two nodes."""
    _require(G, source)
    return 0 if source == target else _dijkstra_to(G, [source], target, None, weight)[0]


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
    return _dijkstra_paths(G, _all_present(G, sources), cutoff, weight)


def multi_source_dijkstra_path_length(
    G: NetworkXGraph, sources: Any, cutoff: Any = None, weight: Any = "weight"
) -> Lengths:
    """Return the distance of each node from the nearest source."""
    return _dijkstra_lengths(G, _all_present(G, sources), cutoff, weight)


def multi_source_dijkstra(
    G: NetworkXGraph, sources: Any, target: Node | None = None, cutoff: Any = None, weight: Any = "weight"
) -> tuple[Any, Any]:
    """Return distances and shortest paths from any of the sources to all nodes, or to the target."""
    listed = _all_present(G, sources)
    if target in sources:
        return 0, [target]
    if target is None:
        return _dijkstra(G, listed, cutoff, weight)
    length, path = _dijkstra_to(G, listed, target, cutoff, weight)
    return length, path()


def dijkstra_predecessor_and_distance(
    G: NetworkXGraph, source: Node, cutoff: Any = None, weight: Any = "weight"
) -> tuple[Predecessors, Lengths]:
    """Return all predecessors on shortest paths, and the distance, of each node."""
    _require(G, source)
    arcs = _dijkstra_arcs(G, weight, cutoff)
    if arcs is not None:
        tree = on_device.dijkstra(G, arcs, [source], cutoff)
        return tree.predecessors, tree.lengths
    lengths, predecessors = on_host.dijkstra(G.rows(weight), [source], cutoff, all_ties=True)
    return predecessors, lengths


def all_pairs_dijkstra(
    G: NetworkXGraph, cutoff: Any = None, weight: Any = "weight"
) -> Iterator[tuple[Node, tuple[Lengths, Paths]]]:
    """Yield each node with distances of and shortest paths to the others."""
    arcs = _dijkstra_arcs(G, weight, cutoff)
    if arcs is not None:
        trees = on_device.dijkstra_from_each(G, arcs, cutoff)
        yield from ((node, (tree.lengths, tree.paths())) for node, tree in trees)
    else:
        for node in G:
            yield node, _dijkstra(G, [node], cutoff, weight)


def all_pairs_dijkstra_path_length(
    G: NetworkXGraph, cutoff: Any = None, weight: Any = "weight"
) -> Iterator[tuple[Node, Lengths]]:
    """Yield each node with the distances of the others."""
    arcs = _dijkstra_arcs(G, weight, cutoff)
    if arcs is not None:
        yield from ((node, tree.lengths) for node, tree in on_device.dijkstra_from_each(G, arcs, cutoff))
    else:
        for node in G:
            yield node, _dijkstra_lengths(G, [node], cutoff, weight)


def all_pairs_dijkstra_path(
    G: NetworkXGraph, cutoff: Any = None, weight: Any = "weight"
) -> Iterator[tuple[Node, Paths]]:
    """Yield each node with shortest paths to the others."""
    arcs = _dijkstra_arcs(G, weight, cutoff)
    if arcs is not None:
        yield from ((node, tree.paths()) for node, tree in on_device.dijkstra_from_each(G, arcs, cutoff))
    else:
        for node in G:
            yield node, _dijkstra_paths(G, [node], cutoff, weight)


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
    _require_both(G, source, target)
    found = None
    if on_device.is_wanted(G) and not callable(weight) and _is_named_alike(G, source, target):
        if not on_device.is_forced():
            after, before = G.rows_as_passed(weight), G.rows_as_passed(weight, reverse=True)
            found = on_host.dijkstra_between(after, before, source, target, on_device.NEAR_NODES)
        arcs = on_device.arcs_for(G, weight) if found is None else None
        if arcs is not None and (arcs.is_integral or not with_length):
            length, path = _the_one(on_device.path_between(G, arcs, source, target), source, target)
            found = None if path is None else (length, path)
    if found is None:
        found = on_host.dijkstra_between(G.rows(weight), _rows_to(G, weight), source, target)
    assert found is not None  # as above
    return found


def _rows_to(G: NetworkXGraph, weight: Any) -> Rows:
    """Return the edges that end at a node; a function of two nodes is given tail and head of the edge."""
    if not callable(weight):
        return G.rows(weight, reverse=True)
    return G.rows(lambda head, tail, data: weight(tail, head, data), reverse=True)


# ---- Bellman-Ford -----------------------------------------------------------------------------------


@contextlib.contextmanager
def _networkx_errors() -> Iterator[None]:
    """Raise networkx' error for a negative cycle, without the cycle, whose vertices are numbers."""
    try:
        yield
    except NegativeCycleError:
        raise nx.NetworkXUnbounded(_NEGATIVE_CYCLE) from None


def _bellman_ford(G: NetworkXGraph, source: Node, weight: Any, reverse: bool = False) -> tuple[Lengths, Predecessors]:
    _require(G, source, "Source {} not in G")
    lengths, predecessors, noticed = on_host.bellman_ford(G.rows(weight, reverse), [source], len(G))
    if noticed is not None:
        raise nx.NetworkXUnbounded(_NEGATIVE_CYCLE)
    return lengths, predecessors


def _paths_to_each(source: Node, predecessors: Predecessors, targets: Iterable[Node]) -> Paths:
    paths = {source: [source]}
    for target in targets:
        paths[target] = next(on_host.all_paths_to({source}, target, predecessors))
    return paths


def bellman_ford_predecessor_and_distance(
    G: NetworkXGraph, source: Node, target: Node | None = None, weight: Any = "weight", heuristic: bool = False
) -> tuple[Predecessors, Lengths]:
    """Return all predecessors on shortest paths, and the distance, of each node."""
    _require(G, source)
    if on_host.has_negative_loop(G, weight):
        raise nx.NetworkXUnbounded(_NEGATIVE_CYCLE)
    if len(G) == 1:
        return {source: []}, {source: 0}
    lengths, predecessors, noticed = on_host.bellman_ford(G.rows(weight), [source], len(G), heuristic)
    if noticed is not None:
        raise nx.NetworkXUnbounded(_NEGATIVE_CYCLE)
    return predecessors, lengths


def bellman_ford_path(G: NetworkXGraph, source: Node, target: Node, weight: Any = "weight") -> list[Node]:
    """Return a shortest path between two nodes."""
    path: list[Node] = single_source_bellman_ford(G, source, target, weight)[1]
    return path


def bellman_ford_path_length(G: NetworkXGraph, source: Node, target: Node, weight: Any = "weight") -> Any:
    """Return the length of a shortest path between two nodes."""
    _require(G, source)
    if source == target:
        return 0
    arcs = on_device.whole_arcs_for(G, weight)
    if arcs is not None and target in G:
        with _networkx_errors():
            length = on_device.bellman_ford_length(G, arcs, source, target)
    else:
        length = _bellman_ford(G, source, weight)[0].get(target)
    if length is None:
        raise _no_path(source, target)
    return length


def single_source_bellman_ford_path(G: NetworkXGraph, source: Node, weight: Any = "weight") -> Paths:
    """Return a shortest path to each node."""
    return _bellman_ford_paths(G, source, weight)


def _bellman_ford_paths(G: NetworkXGraph, source: Node, weight: Any, reverse: bool = False) -> Paths:
    predecessors = _bellman_ford(G, source, weight, reverse)[1]
    return _paths_to_each(source, predecessors, predecessors)


def single_source_bellman_ford_path_length(G: NetworkXGraph, source: Node, weight: Any = "weight") -> Lengths:
    """Return the distance of each node."""
    return _bellman_ford(G, source, weight)[0]


def single_source_bellman_ford(
    G: NetworkXGraph, source: Node, target: Node | None = None, weight: Any = "weight"
) -> tuple[Any, Any]:
    """Return distances and shortest paths to all nodes, or to the target."""
    if source == target:
        _require(G, source)
        return 0, [source]
    if target is not None:
        found = _bellman_ford_to(G, source, target, weight)
        if found is not None:
            return found
    lengths, predecessors = _bellman_ford(G, source, weight)
    if target is None:
        return lengths, _paths_to_each(source, predecessors, predecessors)
    if target not in predecessors:
        raise _no_path(source, target)
    return lengths[target], _paths_to_each(source, predecessors, [target])[target]


def _bellman_ford_to(G: NetworkXGraph, source: Node, target: Node, weight: Any) -> tuple[Any, list[Node]] | None:
    """Return the length and the nodes of the only shortest path; None if the host has to search."""
    if callable(weight) or source not in G or target not in G or not _is_named_alike(G, source, target):
        return None
    arcs = on_device.whole_arcs_for(G, weight)
    if arcs is None:
        return None
    with _networkx_errors():
        found = on_device.bellman_ford_path(G, arcs, source, target)
    length, path = _the_one(found, source, target)
    return None if path is None else (length, path)


def all_pairs_bellman_ford_path_length(G: NetworkXGraph, weight: Any = "weight") -> Iterator[tuple[Node, Lengths]]:
    """Yield each node with the distances of the others."""
    for node in G:
        yield node, _bellman_ford(G, node, weight)[0]


def all_pairs_bellman_ford_path(G: NetworkXGraph, weight: Any = "weight") -> Iterator[tuple[Node, Paths]]:
    """Yield each node with shortest paths to the others."""
    for node in G:
        yield node, _bellman_ford_paths(G, node, weight)


def goldberg_radzik(G: NetworkXGraph, source: Node, weight: Any = "weight") -> tuple[dict[Node, Node | None], Lengths]:
    """Return one predecessor, and the distance, of each node."""
    _require(G, source)
    if on_host.has_negative_loop(G, weight):
        raise nx.NetworkXUnbounded(_NEGATIVE_CYCLE)
    if len(G) == 1:
        return {source: None}, {source: 0}
    return on_host.goldberg_radzik(G.rows(weight), G, source)


def negative_edge_cycle(G: NetworkXGraph, weight: Any = "weight", heuristic: bool = True) -> bool:
    """Tell whether there is a negative cycle."""
    if not any(G.adjacency().values()):
        return False
    # networkx asks a function about the edges of a node more, too
    arcs = None if callable(weight) else on_device.whole_arcs_for(G, weight)
    if arcs is None:
        return _has_negative_cycle(G, weight, heuristic)
    try:
        on_device.potentials(arcs)
    except NegativeCycleError:
        return True
    return False


def _unused_number(G: NetworkXGraph) -> int:
    """Return the node that networkx would add."""
    number = -1
    while number in G:
        number -= 1
    return number


def _has_negative_cycle(G: NetworkXGraph, weight: Any, heuristic: bool) -> bool:
    """Search from a node more, whose edges without attributes lead to all nodes."""
    if on_host.has_negative_loop(G, weight):
        return True
    start, rows, cost = _unused_number(G), G.rows(weight), G.cost_of(weight)
    data: dict[Any, Any] = {0: {}} if G.is_multigraph() else {}

    def with_start(node: Node) -> Iterator[tuple[Node, Any]]:
        if node == start:
            yield from ((other, cost(start, other, data)) for other in G)
            return
        yield from rows(node)
        if not G.is_directed():
            yield start, cost(node, start, data)

    return on_host.bellman_ford(with_start, [start], len(G) + 1, heuristic)[2] is not None


def find_negative_cycle(G: NetworkXGraph, source: Node, weight: Any = "weight") -> list[Node]:
    """Return a negative cycle that the source leads to."""
    _require(G, source)
    _, predecessors, noticed = on_host.bellman_ford(G.rows(weight), [source], len(G))
    if noticed is None:
        raise nx.NetworkXError("No negative cycles detected.")
    cycle = on_host.negative_cycle(predecessors, noticed)
    if cycle is not None:
        return cycle
    if any(node == noticed and cost < 0 for node, cost in G.rows(weight)(noticed)):
        return [noticed, noticed]
    raise nx.NetworkXError("Negative cycle is detected but not found")


def johnson(G: NetworkXGraph, weight: Any = "weight") -> dict[Node, Paths]:
    """Return shortest paths between all pairs."""
    arcs = on_device.whole_arcs_for(G, weight)
    if arcs is not None:
        with _networkx_errors():
            arcs = on_device.without_negative_costs(arcs)
        trees = on_device.dijkstra_from_each(G, arcs)
        return {node: tree.paths() for node, tree in trees}
    rows = G.rows(weight)
    above, _, noticed = on_host.bellman_ford(rows, list(G), len(G))
    if noticed is not None:
        raise nx.NetworkXUnbounded(_NEGATIVE_CYCLE)

    def raised(node: Node) -> Iterator[tuple[Node, Any]]:
        return ((other, cost + above[node] - above[other]) for other, cost in rows(node))

    return {node: _paths_along([node], *on_host.dijkstra(raised, [node])) for node in G}


# ---- generic ----------------------------------------------------------------------------------------


def has_path(G: NetworkXGraph, source: Node, target: Node) -> bool:
    """Tell whether there is a path."""
    _require_both(G, source, target)
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
    return all_pairs_dijkstra_path(G, None, weight) if method == "dijkstra" else all_pairs_bellman_ford_path(G, weight)


def _paths_from(G: NetworkXGraph, source: Node, weight: Any, method: str, reverse: bool) -> Paths:
    """Return a path to each node, or from each where `reverse`."""
    if method == "unweighted":
        return _fewest_edges(G, source, None, reverse)
    if method == "dijkstra":
        return _dijkstra_paths(G, _all_present(G, {source}), None, weight, reverse)
    paths = _bellman_ford_paths(G, source, weight, reverse)
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
    return all_pairs_bellman_ford_path_length(G, weight)


def _lengths_from(G: NetworkXGraph, source: Node, weight: Any, method: str, reverse: bool) -> Lengths:
    if method == "unweighted":
        return _levels(G, source, None, reverse)
    if method == "dijkstra":
        return _dijkstra_lengths(G, _all_present(G, {source}), None, weight, reverse)
    return _bellman_ford(G, source, weight, reverse)[0]


def average_shortest_path_length(G: NetworkXGraph, weight: Any = None, method: str | None = None) -> float:
    """Return the mean of all distances."""
    if method is None:
        method = "unweighted" if weight is None else "dijkstra"
    if method not in ("unweighted", *_METHODS, "floyd-warshall", "floyd-warshall-numpy"):
        raise ValueError(f"method not supported: {method}")
    n = len(G)
    if n == 0:
        raise nx.NetworkXPointlessConcept("the graph without nodes has no paths and so no mean of their lengths")
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
        rows = all_pairs_bellman_ford_path_length(G, weight)
        return sum(chain.from_iterable(lengths.values() for _, lengths in rows))
    return sum_of_distances(G, None if method == "unweighted" else weight)


def all_shortest_paths(
    G: NetworkXGraph, source: Node, target: Node, weight: Any = None, method: str = "dijkstra"
) -> Iterator[list[Node]]:
    """Return an iterator of all shortest paths between two nodes."""
    return on_host.all_paths_to({source}, target, _predecessors(G, source, weight, method))


def _predecessors(G: NetworkXGraph, source: Node, weight: Any, method: str) -> Predecessors:
    if weight is None or method == "unweighted":
        return _level_predecessors(G, source)[0]
    if _method(weight, method) == "dijkstra":
        return dijkstra_predecessor_and_distance(G, source, weight=weight)[0]
    return bellman_ford_predecessor_and_distance(G, source, weight=weight)[0]


def single_source_all_shortest_paths(
    G: NetworkXGraph, source: Node, weight: Any = None, method: str = "dijkstra"
) -> Iterator[tuple[Node, list[list[Node]]]]:
    """Yield each node with all shortest paths to it."""
    predecessors = _predecessors(G, source, weight, method)
    for node in predecessors:
        yield node, list(on_host.all_paths_to({source}, node, predecessors))


def all_pairs_all_shortest_paths(
    G: NetworkXGraph, weight: Any = None, method: str = "dijkstra"
) -> Iterator[tuple[Node, dict[Node, list[list[Node]]]]]:
    """Yield each node with all shortest paths to the others."""
    for node in G:
        yield node, dict(single_source_all_shortest_paths(G, node, weight, method))


# ---- dense ------------------------------------------------------------------------------------------


def floyd_warshall_numpy(G: NetworkXGraph, nodelist: Any = None, weight: Any = "weight") -> npt.NDArray[np.float64]:
    """Return the matrix of distances between all pairs."""
    numbers = list(range(len(G)))
    if nodelist is not None:
        nodelist = list(nodelist)
        if not len(nodelist) == len(G) == len(set(nodelist)) or not all(node in G for node in nodelist):
            raise nx.NetworkXError("nodelist must contain every node in G with no repeats.")
        numbers = [G.number_of[node] for node in nodelist]
    matrix = G.matrix(weight)
    on_host.require_no_negative(matrix.diagonal())
    np.fill_diagonal(matrix, 0)
    matrix = matrix[np.ix_(numbers, numbers)]
    dist = on_device.all_distances(matrix) if on_device.is_wanted(G) else None
    return on_host.floyd_warshall_matrix(matrix) if dist is None else dist


def floyd_warshall_predecessor_and_distance(
    G: NetworkXGraph, weight: Any = "weight"
) -> tuple[dict[Node, dict[Node, Node]], dict[Node, Lengths]]:
    """Return predecessors and distances between all pairs."""
    lengths, predecessors = on_host.direct_distances(G, weight)
    on_host.floyd_warshall(G.nodes, lengths, predecessors)
    return predecessors, lengths


def floyd_warshall(G: NetworkXGraph, weight: Any = "weight") -> dict[Node, Lengths]:
    """Return the distances between all pairs."""
    lengths, predecessors = on_host.direct_distances(G, weight)
    if not (on_device.is_wanted(G) and on_device.shorten(G, lengths)):
        on_host.floyd_warshall(G.nodes, lengths, predecessors)
    return lengths


def reconstruct_path(source: Node, target: Node, predecessors: Any) -> list[Node]:
    """Return the path between two nodes along the predecessors of Floyd and Warshall."""
    if source == target:
        return []
    before = predecessors[source]
    path = [target, before[target]]
    while path[-1] != source:
        path.append(before[path[-1]])
    return path[::-1]


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
    _require_both(G, source, target)
    if heuristic is None and not cutoff and source != target:  # then it takes the steps of Dijkstra's search
        arcs = on_device.arcs_for(G, weight)
        if arcs is not None:
            number = G.number_of[target]
            tree = on_device.dijkstra(G, arcs, [source], None, target)
            if not tree.number_reached(number):
                raise _no_path(source, target)
            return tree.path_to(G.nodes[number], number)
    return on_host.a_star(G.rows(weight), source, target, heuristic, cutoff)


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
    path = astar_path(G, source, target, heuristic, weight, cutoff=cutoff)
    cost, adjacency = G.cost_of(weight), G.adjacency()
    return sum(cost(tail, head, adjacency[tail][head]) for tail, head in pairwise(path))


# ---- what networkx finds ----------------------------------------------------------------------------

FUNCTIONS = {name: Dispatched(name, globals()[name]) for name in (*DEVICE_FUNCTIONS, *HOST_FUNCTIONS)}
"""The functions above, as networkx calls them."""

backend = SimpleNamespace(
    can_run=can_run, should_run=should_run, convert_from_nx=convert_from_nx, convert_to_nx=convert_to_nx, **FUNCTIONS
)
"""What the entry point of this backend names."""
