"""networkx' measures that need the distances of nodes, but neither their paths nor, mostly, their order.

An integer is the same in whichever order it is summed up, so a device's arrays answer without an object of Python for
each pair of nodes. Floats are added one after the other in networkx' order, which is that of the distances.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, repeat
from typing import Any, NamedTuple

import networkx as nx
import numpy as np
import numpy.typing as npt

from reedsp.graph.graph import EXACT_IN_FLOAT64
from reedsp.networkx_backend import nearby, on_device
from reedsp.networkx_backend.components import is_connected
from reedsp.networkx_backend.graph import Arcs, NetworkXGraph, Node
from reedsp.networkx_backend.reading import EXACT_IN_INT64
from reedsp.networkx_backend.release import SINCE_3_7

Values = npt.NDArray[np.int64] | list[Any]
"""Distances from one node: ints as an array, other numbers as a list in the order of networkx."""


# ---- distances from each node -----------------------------------------------------------------------


def _found_from(
    G: NetworkXGraph, weight: Any, nodes: Iterable[Node], inward: bool = False
) -> Iterator[tuple[Node, Values]]:
    """Yield each node with the distances of those it reaches, or of those that reach it."""
    search = _Search(G, weight, list(nodes), inward)
    return nearby.from_each(search.nodes, search.near, search.own, search.far, repeat(max(1, len(search.nodes))))


class _Search:
    """Searches from some nodes, where each is soonest made.

    Parameters
    ----------
    G : NetworkXGraph
    weight : weight of an edge, as networkx has it
    nodes : list of node
    inward : bool
        Whether distances are those to these nodes.
    """

    def __init__(self, G: NetworkXGraph, weight: Any, nodes: list[Node], inward: bool) -> None:
        self.nodes = nodes
        self._graph, self._weight, self._inward = G, weight, inward
        from_each = len(nodes) >= len(G)
        self._most = on_device.NEAR_EDGES_FROM_EACH if from_each else on_device.NEAR_EDGES
        is_wanted = on_device.is_wanted(G, len(nodes)) and not on_device.is_forced()
        self._is_tried = is_wanted and not callable(weight)

    def near(self, node: Node) -> Values | None:
        """Return the distances if few edges lead to them."""
        if not self._is_tried:
            return None
        name, start, options = _search_of_networkx(node, self._weight)
        options["reverse"] = self._inward
        if len(self.nodes) == 1:
            lengths = nearby.own_answer(name, self._graph, start, **options)
        else:
            lengths = nearby.limited_answer(name, self._graph, self._most, start, **options)
        return None if lengths is None else list(lengths.values())

    @functools.cached_property
    def _side(self) -> NetworkXGraph:
        G = self._graph
        return NetworkXGraph(G.source.reverse()) if self._inward and G.is_directed() else G

    @functools.cached_property
    def arcs(self) -> Arcs | None:
        """The edges on the device, None where the host searches."""
        return on_device.arcs_for(self._graph, self._weight, self._inward, searches=len(self.nodes))

    def own(self, node: Node) -> Values:
        """Return the distances that networkx finds."""
        [(_, lengths)] = _lengths_on_host(self._side, self._weight, [node])
        return list(lengths.values())

    def far(self, nodes: list[Node]) -> Iterator[Values]:
        """Yield the distances of each of these nodes."""
        arcs = self.arcs
        if arcs is None or arcs.values is not None:
            yield from map(self.own, nodes)
            return
        numbers = [self._graph.number_of[node] for node in nodes]
        for dist, reached in on_device.distances_from_each(arcs, numbers, self._weight is not None):
            values = dist[reached]
            if not arcs.is_integral:
                values = np.sort(values).tolist()
                values[0] = 0  # that of the node itself
            yield values

    @property
    def adds_up(self) -> bool:
        """Whether the device sums up the distances."""
        return self.arcs is not None and on_device.adds_up(self.arcs)

    def far_sums(self, nodes: list[Node]) -> Iterator[Sums]:
        """Yield the sums of the distances of each of these nodes."""
        if not self.adds_up:
            yield from map(_sums_of, self.far(nodes))
            return
        assert self.arcs is not None
        numbers = [self._graph.number_of[node] for node in nodes]
        rows = on_device.statistics_from_each(self.arcs, numbers, self._weight is not None)
        yield from map(Sums, rows.reached.tolist(), rows.farthest.tolist(), rows.total.tolist())

    def near_sums(self, node: Node) -> Sums | None:
        """Return the sums of the distances if few edges lead to them."""
        values = self.near(node)
        return None if values is None else _sums_of(values)

    def together(self) -> Iterator[int]:
        """Yield of how many nodes the device sums up the distances first, second and so on."""
        if self.adds_up:
            yield from (1, on_device.ROWS_AT_ONCE)
        yield from repeat(max(1, len(self.nodes)))


def _lengths_on_host(G: NetworkXGraph, weight: Any, nodes: Iterable[Node]) -> Iterator[tuple[Node, dict[Node, Any]]]:
    for node in nodes:
        name, start, options = _search_of_networkx(node, weight)
        yield node, getattr(nx, name)(G.source, start, **options, backend="networkx")


def _search_of_networkx(node: Node, weight: Any) -> tuple[str, Any, dict[str, Any]]:
    """Return name and arguments of a function of networkx that finds the distances from a node and calls no other."""
    if weight is None:
        return "single_source_shortest_path_length", node, {}
    return "multi_source_dijkstra_path_length", [node], {"weight": weight}


def _summands(values: Values) -> list[Any]:
    """Return numbers that sum up to the same as the distances, in every partial sum that can be rounded."""
    if isinstance(values, list):
        return values
    fits = int(values.max()) * len(values) < EXACT_IN_INT64
    return [int(values.sum()) if fits else sum(values.tolist())]


class Sums(NamedTuple):
    """How many nodes there are distances of, the largest of these, and their sum."""

    reached: int
    largest: Any
    total: Any


def _sums_from(
    G: NetworkXGraph, weight: Any, nodes: Iterable[Node], inward: bool = False
) -> Iterator[tuple[Node, Sums]]:
    """Yield each node with sums of the distances of those it reaches, or of those that reach it.

    Ints are added up on the device. A few nodes come first: their sums may be all that is asked for.
    """
    search = _Search(G, weight, list(nodes), inward)

    def own(node: Node) -> Sums:
        return _sums_of(search.own(node))

    return nearby.from_each(search.nodes, search.near_sums, own, search.far_sums, search.together())


def _sums_of(values: Values) -> Sums:
    largest = max(values, default=0) if isinstance(values, list) else int(values.max())
    return Sums(len(values), largest, sum(_summands(values)))


def _sums_of_each(found: Iterable[tuple[Node, Values]]) -> Iterator[tuple[Node, Sums]]:
    return ((node, _sums_of(values)) for node, values in found)


def sum_of_distances(G: NetworkXGraph, weight: Any) -> Any:
    """Return the sum of the distances between all pairs of nodes of which one reaches the other."""
    arcs = on_device.arcs_for(G, weight, searches=len(G))
    if arcs is not None and on_device.adds_up(arcs):
        return sum(sums.total for _, sums in _sums_from(G, weight, G))
    return sum(chain.from_iterable(_summands(values) for _, values in _found_from(G, weight, G)))


def plus_reciprocals(total: Any, values: Values) -> Any:
    """Add the reciprocals of all distances but 0, one after the other."""
    if not isinstance(values, list):
        values = np.sort(values[values != 0])
        if not len(values):
            return total
        if values[-1] < EXACT_IN_FLOAT64:
            return np.add.accumulate(np.concatenate(([total], 1 / values)))[-1].item()
        values = values.tolist()
    for value in values:
        if value != 0:
            total += 1 / value
    return total


# ---- eccentricity and what follows from it ----------------------------------------------------------


def _given(sp: Any, nodes: Iterable[Node]) -> Iterator[tuple[Node, Values]]:
    for node in nodes:
        try:
            lengths = sp[node]
            len(lengths)
        except TypeError as error:
            raise nx.NetworkXError('Format of "sp" is invalid.') from error
        yield node, list(lengths.values())


def eccentricity(G: NetworkXGraph, v: Any = None, sp: Any = None, weight: Any = None) -> Any:
    """Return the largest distance from each node, or from one."""
    if SINCE_3_7 and not len(G):
        raise nx.NetworkXPointlessConcept("Cannot compute eccentricity of a null graph.")
    nodes = G.source.nbunch_iter(v)
    largest = {}
    for node, sums in _sums_from(G, weight, nodes) if sp is None else _sums_of_each(_given(sp, nodes)):
        if sums.reached != len(G):
            state = "the digraph is not strongly connected" if G.is_directed() else "the graph is not connected"
            raise nx.NetworkXError(f"Found infinite path length because {state}")
        largest[node] = sums.largest
    return largest[v] if v in G else largest


def diameter(G: NetworkXGraph, e: Any = None, usebounds: bool = False, weight: Any = None) -> Any:
    """Return the largest distance."""
    if _is_bounded(G, e, usebounds):
        bounds = _bounds(G, weight, lambda lower, upper: upper <= lower.max())
        return (
            nx.diameter(G.source, usebounds=True, weight=weight, backend="networkx")
            if bounds is None
            else bounds[0].max().item()
        )
    return max((eccentricity(G, weight=weight) if e is None else e).values())


def radius(G: NetworkXGraph, e: Any = None, usebounds: bool = False, weight: Any = None) -> Any:
    """Return the minimum of the eccentricities."""
    if _is_bounded(G, e, usebounds):
        bounds = _bounds(G, weight, lambda lower, upper: lower >= upper.min())
        return (
            nx.radius(G.source, usebounds=True, weight=weight, backend="networkx")
            if bounds is None
            else bounds[1].min().item()
        )
    return min((eccentricity(G, weight=weight) if e is None else e).values())


def periphery(G: NetworkXGraph, e: Any = None, usebounds: bool = False, weight: Any = None) -> list[Node]:
    """Return the nodes of the largest eccentricity."""
    if _is_bounded(G, e, usebounds):
        bounds = _bounds(G, weight, lambda lower, upper: upper < lower.max())
        if bounds is None:
            return nx.periphery(G.source, usebounds=True, weight=weight, backend="networkx")  # type: ignore[no-any-return]
        return [G.nodes[number] for number in np.flatnonzero(bounds[0] == bounds[0].max()).tolist()]
    e = eccentricity(G, weight=weight) if e is None else e
    largest = max(e.values())
    return [node for node in e if e[node] == largest]


def center(G: NetworkXGraph, e: Any = None, usebounds: bool = False, weight: Any = None) -> list[Node]:
    """Return the nodes of the minimum eccentricity."""
    if _is_bounded(G, e, usebounds):
        bounds = _bounds(G, weight, lambda lower, upper: lower > upper.min())
        if bounds is None:
            return nx.center(G.source, usebounds=True, weight=weight, backend="networkx")  # type: ignore[no-any-return]
        return [G.nodes[number] for number in np.flatnonzero(bounds[1] == bounds[1].min()).tolist()]
    if e is None and weight is None and _is_tree(G):
        return nx.tree.center(G.source)  # type: ignore[no-any-return]
    e = eccentricity(G, weight=weight) if e is None else e
    minimum = min(e.values())
    return [node for node in e if e[node] == minimum]


def _is_tree(G: NetworkXGraph) -> bool:
    return not G.is_directed() and bool(nx.is_tree(G.source))


def _is_bounded(G: NetworkXGraph, e: Any, usebounds: bool) -> bool:
    return usebounds is True and e is None and not G.is_directed()


def _bounds(
    G: NetworkXGraph, weight: Any, settles: Callable[[npt.NDArray[Any], npt.NDArray[Any]], npt.NDArray[np.bool_]]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]] | None:
    """Return lower and upper bounds of the eccentricity of each node, from searches from as few of them as need be.

    A search from a node at distance d whose eccentricity is e leaves another node at least max(d, e - d) and at most
    e + d. `settles` tells by both which nodes need no search any more.

    Returns None where networkx answers: if the graph is small, or not all weights are ints, the same in both directions
    and none negative: rounded or directed distances have no such bounds, and what networkx answers then depends on its
    order of the nodes.
    """
    arcs = None if callable(weight) else on_device.arcs_for(G, weight)
    if arcs is None or not arcs.is_integral:
        return None
    degrees = np.bincount(arcs.tails, minlength=len(G))
    lower, upper = np.zeros(len(G), np.int64), np.full(len(G), np.iinfo(np.int64).max)
    waiting = np.arange(len(G))
    current = int(np.argmax(degrees))
    farthest = False
    while len(waiting):
        [(values, reached)] = on_device.distances_from_each(arcs, [current], weight is not None)
        if not reached.all():
            raise nx.NetworkXError("Cannot compute metric because graph is not connected.")
        reach = int(values.max())
        lower = np.maximum(lower, np.maximum(values, reach - values))
        upper = np.minimum(upper, reach + values)
        waiting = waiting[~(settles(lower, upper) | (lower == upper))[waiting]]
        farthest = not farthest
        if len(waiting):
            bound = -upper[waiting] if farthest else lower[waiting]
            best = waiting[bound == bound.min()]
            current = int(best[np.argmax(degrees[best])])
    return lower, upper


def harmonic_diameter(G: NetworkXGraph, sp: Any = None, *, weight: Any = None) -> float:
    """Return the harmonic mean of all distances."""
    total: Any = 0
    for _, values in _found_from(G, weight, G) if sp is None else _given(sp, G):
        total = plus_reciprocals(total, values)
    n = len(G)
    if total != 0:
        return n * (n - 1) / total  # type: ignore[no-any-return]
    return math.inf if n > 1 else math.nan


def centroid(G: NetworkXGraph, weight: Any = None, attr: Any = None, sp: Any = None) -> list[Node]:
    """Return the nodes whose distances have the minimum sum."""
    if weight is None and attr is None and sp is None and _is_tree(G):
        return nx.tree.centroid(G.source)  # type: ignore[no-any-return]
    found: Iterable[tuple[Node, Sums]]
    if sp is None:
        found = _sums_from(G, weight, G)
    elif weight is not None:
        raise ValueError("Cannot use both sp, weight arguments together")
    else:
        found = _sums_of_each((node, list(lengths.values())) for node, lengths in sp.items())
    minimum, nodes = math.inf, []
    for node, sums in found:
        if sums.reached < len(G):
            raise nx.NetworkXNoPath(
                f"Input graph {G.source} is disconnected, so every induced subgraph has infinite barycentricity."
            )
        total = sums.total
        if attr is not None:
            G.source.nodes[node][attr] = total
        if total < minimum:
            minimum, nodes = total, [node]
        elif total == minimum:
            nodes.append(node)
    return nodes


# ---- closeness, efficiency and topological indices --------------------------------------------------


def closeness_centrality(
    G: NetworkXGraph, u: Node | None = None, distance: Any = None, wf_improved: bool = True, *, sp: Any = None
) -> Any:
    """Return the reciprocal of the mean distance to each node, or to one."""
    nodes = G.source.nodes if u is None else [u]
    if sp is None and u is not None and u not in G:
        return nx.closeness_centrality(G.source, u, distance, backend="networkx")  # which says so
    closeness = {}
    given = None if sp is None else _sums_of_each(_given_inward(G, sp, nodes))
    for node, sums in _sums_from(G, distance, nodes, inward=True) if given is None else given:
        closeness[node] = 0.0
        if sums.total > 0.0 and len(G) > 1:
            closeness[node] = (sums.reached - 1.0) / sums.total
            if wf_improved:
                closeness[node] *= (sums.reached - 1.0) / (len(G) - 1)
    return closeness if u is None else closeness[u]


def _given_inward(G: NetworkXGraph, sp: Any, nodes: Iterable[Node]) -> Iterator[tuple[Node, Values]]:
    """Yield each node with the distances of those that reach it, of given distances from each node."""
    if not G.is_directed():
        yield from ((node, list(sp[node].values())) for node in nodes)
        return
    inward: dict[Node, dict[Node, Any]] = {}
    for node, lengths in sp.items():
        for other, length in lengths.items():
            inward.setdefault(other, {})[node] = length
    yield from ((node, list(inward.get(node, {}).values())) for node in nodes)


def global_efficiency(G: NetworkXGraph) -> float:
    """Return the mean efficiency of all pairs."""
    n = len(G)
    if n < 2:
        return 0
    total: Any = 0
    for _, values in _found_from(G, None, G):
        total = plus_reciprocals(total, values)
    return total / (n * (n - 1))  # type: ignore[no-any-return]


def local_efficiency(G: NetworkXGraph) -> float:
    """Return the mean of the global efficiency among the neighbours of each node."""
    among = (global_efficiency(NetworkXGraph(G.source.subgraph(G.source[node]))) for node in G)
    return sum(among) / len(G)


def wiener_index(G: NetworkXGraph, weight: Any = None) -> Any:
    """Return the sum of the distances between all pairs, inf for a graph that is not connected."""
    if not is_connected(G):
        return math.inf
    total = sum_of_distances(G, weight)
    return total if G.is_directed() else total / 2


def hyper_wiener_index(G: NetworkXGraph, weight: Any = None) -> float:
    """Return the sum of the distances and their squares, inf for a graph that is not connected."""
    if not is_connected(G):
        return math.inf

    def summands(values: Values) -> list[Any]:
        if not isinstance(values, list):
            largest = int(values.max())
            if (largest + largest**2) * len(values) < EXACT_IN_INT64:
                return [int((values + values**2).sum())]
            values = values.tolist()
        return [value + value**2 for value in values]

    total: Any = sum(chain.from_iterable(summands(values) for _, values in _found_from(G, weight, G)))
    return total / 2  # type: ignore[no-any-return]


def schultz_index(G: NetworkXGraph, weight: Any = None) -> float:
    """Return the sum of the distances times the sum of both degrees, inf for a graph that is not connected."""
    return _by_degree(G, weight, lambda dist, one, other: dist * (one + other))


def gutman_index(G: NetworkXGraph, weight: Any = None) -> float:
    """Return the sum of the distances times both degrees, inf for a graph that is not connected."""
    return _by_degree(G, weight, lambda dist, one, other: dist * one * other)


def _by_degree(G: NetworkXGraph, weight: Any, term: Callable[[Any, Any, Any], Any]) -> float:
    if not is_connected(G):
        return math.inf
    degrees: dict[Node, Any] = dict(G.source.degree)
    degrees["weight"] = weight  # networkx means weighted degrees, but writes this
    total = _by_whole_degree(G, weight, term, [degrees[node] for node in G])
    if total is None:
        rows = _lengths_on_host(G, weight, G)
        total = sum(term(length, degrees[node], degrees[other]) for node, row in rows for other, length in row.items())
    return total / 2


def _by_whole_degree(
    G: NetworkXGraph, weight: Any, term: Callable[[Any, Any, Any], Any], degrees: list[Any]
) -> int | None:
    """Return the sum over all pairs if the device finds their distances and all numbers are ints, otherwise None."""
    arcs = on_device.arcs_for(G, weight, searches=len(G))
    if arcs is None or not arcs.is_integral or set(map(type, degrees)) != {int}:
        return None
    largest = int(arcs.costs.max(initial=0)) * len(G) * max(degrees) * max(2, max(degrees)) * len(G)
    if largest >= EXACT_IN_INT64:
        return None
    whole = np.array(degrees, np.int64)
    rows = on_device.distances_from_each(arcs, range(len(G)), weight is not None)
    return sum(
        int(term(dist[reached], degree, whole[reached]).sum())
        for degree, (dist, reached) in zip(degrees, rows, strict=True)
    )
