"""Searches of networkx graphs on the device: exact distances, to which the order of networkx' searches is added."""

from __future__ import annotations

import functools
import threading
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.algorithms.all_pairs.apsp import apsp
from reedsp.algorithms.contraction.automatic import prepared_for
from reedsp.algorithms.routes import statistics
from reedsp.algorithms.routes.rows import MEMORY_LIMIT, row_blocks
from reedsp.algorithms.rows import Prepared
from reedsp.algorithms.single_source.sssp import sssp
from reedsp.algorithms.structure.centrality.dependencies import method_of, sum_up
from reedsp.algorithms.structure.centrality.sums import Question, Sums
from reedsp.algorithms.structure.matching.biadjacency import between_sides
from reedsp.algorithms.structure.matching.check import cover_of, verify_matching
from reedsp.algorithms.structure.matching.solve import solve as match
from reedsp.algorithms.traversal.bfs import bfs
from reedsp.arithmetic.types import infinity
from reedsp.device.discovery import get_device
from reedsp.device.errors import DeviceError
from reedsp.device.job import Job
from reedsp.edges.negative_cycle_error import NegativeCycleError
from reedsp.edges.statistics import Measured, RowStatistics
from reedsp.graph.graph import EXACT_IN_FLOAT64, Graph
from reedsp.networkx_backend.graph import Arcs, Names, NetworkXGraph, Node, lists_what_it_stores, most_nodes
from reedsp.networkx_backend.order import Replay, edges_among, only_path, replay
from reedsp.networkx_backend.paths import PathTree, paths_of
from reedsp.networkx_backend.reading import EXACT_IN_INT64
from reedsp.networkx_backend.release import SINCE_3_7
from reedsp.system import switches
from reedsp.system.elsewhere import Elsewhere, of_networkx
from reedsp.typing import DistanceTypeName

FORCE_DEVICE = "REEDSP_FORCE_DEVICE"
"""Environment variable: 1 sends every search that a device can do to the device, however small; 0 does not."""
MIN_NODES = 10_000
"""Number of nodes from which on the device answered sooner than a search on the host (docs/reference/networkx.md)."""
MIN_NODES_FROM_EACH = 250
"""The same of distances from each node, most often where only their sums and extremes are wanted."""
MIN_NODES_OF_PATHS = 50
"""The same where shortest paths from every node are counted; from fewer nodes, of graphs as much larger."""
MIN_NODES_OF_TRIPLES = 50
"""The same where networkx looks at all triples of nodes in Python."""
NEAR_NODES = 2000
"""Nodes that a search between two nodes settles on the host before it is begun on the device."""
NEAR_EDGES = 2000
"""Edges that a search as far as a cutoff, to a target or of a component passes on the host before the same."""
NEAR_PART = 16
"""One in so many edges a search that may end early passes on the host where all have to be read for the device.

To pass an edge takes two to five times as long as to read it, so that a search in vain takes a quarter of the reading.
"""
NEAR_PART_OF_VIEW = 8
"""The same in a view that filters, where it takes one to two times as long."""
NEAR_EDGES_FROM_EACH = 100
"""The same where there is a search from each node: the device makes many together."""
ROWS_AT_ONCE = 64
"""Searches that are made on the device together."""
_MOST_ENTRIES = 2**24

_launched = 0
_counting = threading.Lock()


def kernels_launched() -> int:
    """Return how many kernels this backend has launched since it was imported."""
    return _launched


def count_launches(kernels: int) -> None:
    """Count kernels that were launched."""
    global _launched
    with _counting:
        _launched += kernels


def has_device() -> bool:
    """Tell whether there is a device to search on, here or elsewhere."""
    return of_networkx() is not None or _has_own_device()


@functools.cache
def _has_own_device() -> bool:
    try:
        get_device()
    except DeviceError:
        return False
    return True


def is_wanted(graph: NetworkXGraph, searches: int = 1) -> bool:
    """Tell whether so many searches of this graph, whose order does not matter, belong on the device."""
    large = len(graph) >= (MIN_NODES if searches < len(graph) else MIN_NODES_FROM_EACH)
    return (large or is_forced()) and len(graph) > 0 and _has_device_for(graph)


def _has_device_for(graph: NetworkXGraph) -> bool:
    return lists_what_it_stores(graph.source) and has_device()


def may_be_wanted(graph: NetworkXGraph) -> bool:
    """Tell whether one search may belong on the device, without counting the nodes of a view."""
    return (most_nodes(graph.source) >= MIN_NODES or is_forced()) and _has_device_for(graph)


def is_wanted_by_triples(graph: NetworkXGraph) -> bool:
    """Tell whether distances between all pairs, for which networkx looks at all triples, belong on the device."""
    return (len(graph) >= MIN_NODES_OF_TRIPLES or is_forced()) and len(graph) > 0 and _has_device_for(graph)


def is_wanted_by_paths(graph: NetworkXGraph, searches: int | None) -> bool:
    """Tell whether paths from so many nodes, by default from all, are to be counted on the device."""
    searches = len(graph) if searches is None else searches
    large = len(graph) * searches >= MIN_NODES_OF_PATHS**2
    return (large or is_forced()) and len(graph) > 0 and searches > 0 and _has_device_for(graph)


def is_forced() -> bool:
    """Tell whether searches belong on the device however small they are.

    Warns
    -----
    RuntimeWarning
        The variable has a value without a meaning.
    """
    return switches.is_forced(FORCE_DEVICE)


def arcs_for(graph: NetworkXGraph, weight: Any, reverse: bool = False, searches: int = 1) -> Arcs | None:
    """Return the edges for Dijkstra's searches on the device; None means that the host has to search."""
    if not is_wanted(graph, searches):
        return None
    arcs = graph.arcs(weight, reverse)
    return None if arcs is None or arcs.has_negative_costs else arcs


def whole_arcs_for(graph: NetworkXGraph, weight: Any, searches: int = 1) -> Arcs | None:
    """Return the edges if all weights are ints, which may be negative; None means that the host has to search."""
    if not is_wanted(graph, searches):
        return None
    arcs = graph.arcs(weight)
    return None if arcs is None or arcs.hidden or not arcs.is_integral else arcs


def takes(cutoff: Any) -> bool:
    """Tell whether this is a cutoff that distances on the device can be compared with."""
    return cutoff is None or (type(cutoff) in (int, float) and cutoff >= 0)


@dataclass(frozen=True)
class Between:
    """The one shortest path between two nodes: its length in the type of the arcs, None without one, and its nodes."""

    length: Any
    path: list[Node]


class DeviceTree:
    """What a search found, in the order of networkx.

    Parameters
    ----------
    graph : NetworkXGraph
    arcs : Arcs
    sources : sequence of node
        As the caller named them.
    dist : ndarray, shape (n,)
        Distances in the type of the weights.
    reached : ndarray of bool, shape (n,)
    cutoff : number, optional
        Longest distance of the search.
    """

    def __init__(
        self,
        graph: NetworkXGraph,
        arcs: Arcs,
        sources: Sequence[Node],
        dist: npt.NDArray[Any],
        reached: npt.NDArray[np.bool_],
        cutoff: Any = None,
    ) -> None:
        self._arcs, self._dist, self._reached, self._cutoff = arcs, dist, reached, cutoff
        self._number_of = graph.number_of
        self._sources = [graph.number_of[source] for source in sources]
        self._names = _renamed(graph.names, self._sources, sources)

    @functools.cached_property
    def _replay(self) -> Replay:
        return replay(self._arcs, self._dist, self._reached, self._sources)

    @functools.cached_property
    def _first(self) -> npt.NDArray[np.int64]:
        return self._replay.first_edges()

    @functools.cached_property
    def _order(self) -> list[int]:
        return self._replay.order.tolist()  # type: ignore[no-any-return]

    @functools.cached_property
    def _sources_found(self) -> int:
        return len(set(self._sources))

    @property
    def lengths(self) -> dict[Node, Any]:
        """Distances in the order in which nodes were settled."""
        return dict(zip(self._names[self._replay.order].tolist(), self._numbers(), strict=True))

    def _numbers(self) -> list[Any]:
        """Return the distances in the type in which Python's sums give them."""
        numbers: list[Any] = self._dist[self._replay.order].tolist()
        numbers[: self._sources_found] = [0] * self._sources_found
        if self._arcs.values is not None:
            sums = dict.fromkeys(self._sources, 0)
            for node, edge in self._tree():
                sums[node] = sums[int(self._arcs.tails[edge])] + self._arcs.values[edge]
            numbers = [sums[v] for v in self._order]
        return numbers

    def _tree(self) -> Iterator[tuple[int, int]]:
        """Yield each node but the sources and the edge by which it was found."""
        order = self._order[self._sources_found :]
        return zip(order, self._first[order].tolist(), strict=True)

    def paths(self, source_last: bool = False) -> dict[Node, list[Node]]:
        """Return the path to each node; `source_last` turns them round."""
        before = np.full(self._arcs.n, -1, np.int32)
        found = np.flatnonzero(self._first >= 0)
        before[found] = self._arcs.tails[self._first[found]]
        return paths_of(PathTree(self._names, self._number_of, self._replay.order, before.data, source_last))

    def length_to(self, number: int) -> Any:
        """Return the distance of a node that was reached."""
        if self._arcs.values is None:
            return self._dist[number].item()
        length: Any = 0
        for edge in self._edges_to(number):
            length = length + self._arcs.values[edge]
        return length

    def path_to(self, target: Node, number: int) -> list[Node]:
        """Return the path to a node that was reached."""
        return [*self._names[self._arcs.tails[self._edges_to(number)]], target]

    def _edges_to(self, number: int) -> list[int]:
        edges = []
        while (edge := int(self._first[number])) >= 0:
            edges.append(edge)
            number = int(self._arcs.tails[edge])
        return edges[::-1]

    @property
    def predecessors(self) -> dict[Node, list[Node]]:
        """All predecessors of each node, nodes and predecessors in the order in which they were found."""
        arcs, names = self._arcs, self._names
        passed = edges_among(arcs, self._reached)
        if self._cutoff is not None:
            passed = passed[self._dist[arcs.tails[passed]] + arcs.costs[passed] <= self._cutoff]
        lists: dict[int, list[Node]] = {v: [] for v in self._replay.discovered(passed).tolist()}
        heads, tails = self._replay.predecessors()
        for head, name in zip(heads.tolist(), names[tails].tolist(), strict=True):
            lists[head].append(name)
        return {names[v]: found for v, found in lists.items()}

    def number_reached(self, number: int) -> bool:
        """Tell whether the search came to a node."""
        return bool(self._reached[number])


def _renamed(nodes: Names, numbers: list[int], named: Sequence[Node]) -> Names:
    """Return the nodes, of which those that the caller named are the caller's objects."""
    names = nodes
    for number, name in zip(numbers, named, strict=True):
        if nodes[number] is not name:
            names = nodes.copy() if names is nodes else names
            names[number] = name
    return names


def counted(result: Any) -> Any:
    """Return a result, whose launches of kernels are counted."""
    count_launches(result.stats["kernels_launched"])
    return result


# ---- searches ---------------------------------------------------------------------------------------


def dijkstra(
    graph: NetworkXGraph, arcs: Arcs, sources: Sequence[Node], cutoff: Any = None, target: Node | None = None
) -> DeviceTree:
    """Search from the nearest of several sources, as far as a target if there is one."""
    numbers = [graph.number_of[source] for source in dict.fromkeys(sources)]
    aim = None if target is None else graph.number_of[target]
    many = len(numbers) > 1
    dist, reached = _distances(arcs, numbers if many else numbers[0], cutoff, aim, min_only=many)
    if aim is not None and reached[aim]:
        reached &= dist <= dist[aim]  # what is farther need not be put in order
    return DeviceTree(graph, arcs, list(dict.fromkeys(sources)), dist, reached, cutoff)


def dijkstra_from_each(
    graph: NetworkXGraph, arcs: Arcs, nodes: Sequence[Node], cutoff: Any = None
) -> Iterator[DeviceTree]:
    """Search from each of some nodes, from some of them at a time."""
    for part in _parts(arcs.n, nodes):
        dist, reached = _distances(arcs, [graph.number_of[node] for node in part], cutoff)
        for row, node in enumerate(part):
            yield DeviceTree(graph, arcs, [node], dist[row], reached[row], cutoff)


def breadth_first(graph: NetworkXGraph, source: Node, cutoff: Any, reverse: bool = False) -> DeviceTree:
    """Search along the fewest edges, through the levels that are less than `cutoff`."""
    arcs = _unweighted(graph, reverse)
    levels = counted(bfs(arcs.graph, graph.number_of[source])).levels.astype(np.int64)
    return DeviceTree(graph, arcs, [source], levels, _within(levels, cutoff))


def breadth_first_from_each(graph: NetworkXGraph, nodes: Sequence[Node], cutoff: Any) -> Iterator[DeviceTree]:
    """Search from each of some nodes, from some of them at a time."""
    arcs = _unweighted(graph, reverse=False)
    for part in _parts(arcs.n, nodes):
        levels = counted(bfs(arcs.graph, [graph.number_of[node] for node in part])).levels.astype(np.int64)
        reached = _within(levels, cutoff)
        for row, node in enumerate(part):
            yield DeviceTree(graph, arcs, [node], levels[row], reached[row])


def distances_from_each(
    arcs: Arcs, numbers: Sequence[int], weighted: bool
) -> Iterator[tuple[npt.NDArray[Any], npt.NDArray[np.bool_]]]:
    """Yield the distances from each of these nodes, and which of them it reaches, by the numbers of the nodes."""
    answering = of_networkx()
    elsewhere = answering if isinstance(answering, Elsewhere) else None
    prepared = _turned_to(arcs, answering) if weighted and isinstance(answering, Prepared) else None
    if prepared is None and weighted and elsewhere is None:
        prepared = prepared_for(arcs.graph, None, len(numbers), np.dtype(_distance_type(arcs)))
    if prepared is not None:
        yield from _distances_as_prepared(prepared, arcs, numbers)
        return
    for part in _parts(arcs.n, numbers):
        if weighted:
            dist, reached = _distances(arcs, part, device=elsewhere)
        else:
            dist = counted(bfs(arcs.graph, part, device=elsewhere)).levels.astype(np.int64)
            reached = dist >= 0
        yield from zip(dist, reached, strict=True)


def adds_up(arcs: Arcs) -> bool:
    """Tell whether distances along these edges are ints whose sums from each node fit into int64."""
    return arcs.values is None and arcs.is_integral and arcs.graph.simple_path_bound * arcs.n < EXACT_IN_INT64


def statistics_from_each(arcs: Arcs, numbers: Sequence[int], weighted: bool) -> RowStatistics:
    """Return statistics of the distances from each of these nodes, which are ints."""
    answering = of_networkx()
    result = np.dtype(_distance_type(arcs) if weighted else np.int32)
    question, sources = statistics.Question(arcs.graph, result, not weighted), np.array(numbers, np.intp)
    if isinstance(answering, Elsewhere):
        measured: Measured = answering.answer("distance_statistics", question, sources)
    else:
        prepared = _turned_to(arcs, answering) if weighted and isinstance(answering, Prepared) else None
        measured = statistics.measured_on(question, arcs.graph if prepared is None else prepared, sources)
    count_launches(measured.kernels_launched)
    return measured.rows


def _distances_as_prepared(
    prepared: Prepared, arcs: Arcs, numbers: Sequence[int]
) -> Iterator[tuple[npt.NDArray[Any], npt.NDArray[np.bool_]]]:
    job = Job(prepared.device, recycle=True)
    dtype = np.dtype(_distance_type(arcs))
    for _, rows in row_blocks(prepared, np.array(numbers, np.intp), dtype, MEMORY_LIMIT, job=job):
        yield from zip(rows, rows != infinity(dtype), strict=True)
    count_launches(job.kernels_launched)


def _turned_to(arcs: Arcs, prepared: Prepared) -> Prepared | None:
    """Return the graph that is prepared, or its reverse, whichever has these edges; None if neither has."""
    if _has_same_edges(prepared.graph, arcs.graph):
        return prepared
    return prepared.reverse() if _has_same_edges(prepared.graph.reverse(), arcs.graph) else None


def _has_same_edges(one: Graph, other: Graph) -> bool:
    if (one.n, one.m) != (other.n, other.m):
        return False
    pairs = (one.indptr, other.indptr), (one.indices, other.indices), (one.weights, other.weights)
    return all(np.array_equal(*pair) for pair in pairs)


def dependencies(
    graph: NetworkXGraph, sources: Sequence[int], is_target: npt.NDArray[np.uint8] | None = None, edges: bool = False
) -> tuple[Arcs, Sums]:
    """Return the edges, and sums over the shortest paths from some nodes to the targets, by default to all."""
    arcs = _unweighted(graph, reverse=False)
    device = get_device()
    job = Job(device)
    targets = np.ones(arcs.n, np.uint8) if is_target is None else is_target
    sums = sum_up(Question(arcs.graph, sources, targets, edges), method_of(device), job)
    count_launches(job.kernels_launched)
    return arcs, sums


def maximum_matching(
    graph: NetworkXGraph, is_top: npt.NDArray[np.bool_]
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return the top nodes that are matched, and the nodes that they are matched with.

    Raises
    ------
    ValueError
        An edge is not between the two sides.
    """
    pattern, top, bottom = between_sides(_unweighted(graph, reverse=False).graph, is_top)
    job = Job(get_device(), recycle=True)
    (partners, _), _ = match(pattern, job)
    count_launches(job.kernels_launched)
    matched = np.flatnonzero(partners >= 0)
    assert top.vertices is not None
    assert bottom.vertices is not None
    return top.vertices[matched], bottom.vertices[partners[matched]]


def minimum_cover(graph: NetworkXGraph, is_top: npt.NDArray[np.bool_], mates: npt.NDArray[np.int32]) -> list[int]:
    """Return the nodes that Koenig's theorem finds from a maximum matching: the mate of each node, or -1.

    Raises
    ------
    ValueError, VerificationError
        An edge is not between the two sides; it is not a maximum matching of this graph.
    """
    pattern, top, bottom = between_sides(_unweighted(graph, reverse=False).graph, is_top)
    sides = [each.vertices for each in (top, bottom) if each.vertices is not None]
    number = np.full(len(graph) + 1, -1, np.int32)  # of none, too
    for side in sides:
        number[side] = np.arange(len(side), dtype=np.int32)
    of_rows, of_columns = (number[mates[side]] for side in sides)
    everything = range(len(graph))
    verify_matching(pattern, (of_rows, of_columns), get_device(), (everything, everything))
    covers = cover_of(pattern, (of_rows, of_columns), get_device())
    return [int(node) for side, cover in zip(sides, covers, strict=True) for node in side[cover]]


def level_between(graph: NetworkXGraph, source: Node, target: Node) -> int | None:
    """Return the minimum number of edges between two nodes, None where there is no path."""
    levels = counted(bfs(_unweighted(graph, reverse=False).graph, graph.number_of[source])).levels
    level = int(levels[graph.number_of[target]])
    return level if level >= 0 else None


def path_with_fewest_edges(graph: NetworkXGraph, source: Node, target: Node) -> Between | None:
    """Return the one path with the fewest edges, None if there are others."""
    arcs = _unweighted(graph, reverse=False)
    levels = counted(bfs(arcs.graph, graph.number_of[source])).levels.astype(np.int64)
    return _between(graph, arcs, levels, levels >= 0, source, target)


def path_between(graph: NetworkXGraph, arcs: Arcs, source: Node, target: Node) -> Between | None:
    """Return the one shortest path between two nodes, None if others may be as short; no weight is negative."""
    aim = graph.number_of[target]
    dist, reached = _distances(arcs, graph.number_of[source], target=aim)
    if not reached[aim]:
        return Between(None, [])
    # Farther nodes need not have been found. From one that is no farther than the target, an edge is no longer.
    farthest = dist[aim]
    rounding = 0.0 if arcs.is_integral else float(4 * arcs.n * np.finfo(np.float64).eps * farthest)
    return _between(graph, arcs, np.minimum(dist, farthest), np.ones(arcs.n, bool), source, target, rounding)


def bellman_ford_path(graph: NetworkXGraph, arcs: Arcs, source: Node, target: Node) -> Between | None:
    """Return the one shortest path where weights are ints that may be negative, None if others are as short.

    Raises
    ------
    NegativeCycleError
        There is a negative cycle that the source leads to.
    """
    dist, reached = _distances(arcs, graph.number_of[source])
    return _between(graph, arcs, dist, reached, source, target)


def _between(
    graph: NetworkXGraph,
    arcs: Arcs,
    dist: npt.NDArray[Any],
    reached: npt.NDArray[np.bool_],
    source: Node,
    target: Node,
    rounding: float = 0,
) -> Between | None:
    start, aim = graph.number_of[source], graph.number_of[target]
    if not reached[aim]:
        return Between(None, [])
    numbers = only_path(arcs, dist, reached, start, aim, rounding)
    return None if numbers is None else Between(dist[aim].item(), [graph.nodes[number] for number in numbers])


def bellman_ford_length(graph: NetworkXGraph, arcs: Arcs, source: Node, target: Node) -> int | None:
    """Return a distance where weights are ints that may be negative, None where there is no path.

    Raises
    ------
    NegativeCycleError
        There is a negative cycle that the source leads to.
    """
    dist, reached = _distances(arcs, graph.number_of[source])
    number = graph.number_of[target]
    return int(dist[number]) if reached[number] else None


def potentials(arcs: Arcs) -> npt.NDArray[np.int64]:
    """Return the minimum distance of each node from any other or itself, for Johnson's weights.

    Raises
    ------
    NegativeCycleError
        There is a negative cycle.
    """
    n = arcs.n  # one vertex more, from which an edge of weight 0 leads to every node
    tails = np.concatenate((arcs.tails, np.full(n, n, np.int32)))
    heads = np.concatenate((arcs.heads, np.arange(n, dtype=np.int32)))
    graph = Graph.from_edges(n + 1, tails, heads, np.concatenate((arcs.costs, np.zeros(n, np.int64))))
    dist: npt.NDArray[np.int64] = counted(sssp(graph, n, dtype="int64")).dist[:n]
    return dist


def without_negative_costs(arcs: Arcs) -> Arcs:
    """Return the edges with Johnson's weights, by which the same paths are shortest.

    Raises
    ------
    NegativeCycleError
        There is a negative cycle.
    """
    above = potentials(arcs)
    costs = arcs.costs + above[arcs.tails] - above[arcs.heads]
    graph = Graph.from_edges(arcs.n, arcs.tails, arcs.heads, costs)
    return Arcs(arcs.n, arcs.tails, arcs.heads, costs, None, graph, arcs.hidden)


def all_distances(matrix: npt.NDArray[np.float64]) -> npt.NDArray[np.float64] | None:
    """Return the matrix of distances for one of weights, in which inf is no edge, or None if the host has to do it.

    That is so where rounding or the sign of a zero depends on the order of the sums, and where there is a negative
    cycle.
    """
    edges = matrix[np.isfinite(matrix)]
    bound = float(np.abs(edges).max(initial=0)) * (len(matrix) + 1)
    whole = bound < EXACT_IN_FLOAT64 and not ((edges != np.rint(edges)) | (np.signbit(edges) & (edges == 0))).any()
    if not whole or np.isnan(matrix).any() or np.isneginf(matrix).any():
        return None
    try:
        dist: npt.NDArray[np.float64] = counted(apsp(Graph.from_dense(matrix, null_value=None))).dist
    except NegativeCycleError:
        return None
    return dist


def direct_distances(graph: NetworkXGraph, weight: Any) -> dict[Node, dict[Node, Any]]:
    """Return the weights of single edges, inf where there is none, in the order of networkx.

    Before networkx 3.7 a missing weight is 1.0, and a function is looked up like the name of an attribute.
    """
    lengths: dict[Node, dict[Node, Any]] = {node: defaultdict(_infinity) for node in graph}
    if SINCE_3_7:
        cost_of = graph.cost_of(weight)
        for node, row in graph.adjacency().items():
            costs = {other: cost_of(node, other, data) for other, data in row.items()}
            lengths[node].update({other: cost for other, cost in costs.items() if cost is not None})
            lengths[node][node] = min(0, lengths[node][node])  # the device leaves negative cycles to networkx
    else:
        for node in graph:
            lengths[node][node] = 0
        for tail, head, data in graph.source.edges(data=True):
            cost = data.get(weight, 1.0)
            for one, other in ((tail, head),) if graph.is_directed() else ((tail, head), (head, tail)):
                lengths[one][other] = min(cost, lengths[one][other])
    for row in lengths.values():
        for node in graph:
            row.setdefault(node, _infinity())
    return lengths


def _infinity() -> float:
    return float("inf")


def shorten(graph: NetworkXGraph, lengths: dict[Node, dict[Node, Any]]) -> bool:
    """Replace weights of single edges, inf where there is none, by distances; tell whether the device could do it.

    All have to be of one type, which that of their sums is; a node itself is at the distance that it has here.
    """
    infinity = _infinity()
    rows = [[row[node] for node in graph] for row in lengths.values()]
    others = (length for index, row in enumerate(rows) for length in (*row[:index], *row[index + 1 :]))
    kinds = {type(length) for length in others if length != infinity} or {int}
    if len(kinds) > 1 or not kinds <= {int, float}:
        return False
    dist = all_distances(np.array(rows, np.float64))
    if dist is None:
        return False
    [kind] = kinds
    for index, (row, found) in enumerate(zip(lengths.values(), dist.tolist(), strict=True)):
        own = rows[index][index]
        row.update(
            {node: kind(length) if length < infinity else length for node, length in zip(graph, found, strict=True)}
        )
        row[graph.nodes[index]] = own
    return True


# ---- distances --------------------------------------------------------------------------------------


def _unweighted(graph: NetworkXGraph, reverse: bool) -> Arcs:
    arcs = graph.arcs(None, reverse)
    assert arcs is not None
    return arcs


def _within(levels: npt.NDArray[np.int64], cutoff: Any) -> npt.NDArray[np.bool_]:
    reached: npt.NDArray[np.bool_] = (levels == 0) | ((levels > 0) & (levels - 1 < cutoff))
    return reached


def _parts(n: int, starts: Sequence[Any]) -> Iterator[list[Any]]:
    step = max(1, min(ROWS_AT_ONCE, _MOST_ENTRIES // max(1, n)))
    for first in range(0, len(starts), step):
        yield list(starts[first : first + step])


def _distances(
    arcs: Arcs,
    source: int | list[int],
    cutoff: Any = None,
    target: int | None = None,
    min_only: bool = False,
    device: Elsewhere | None = None,
) -> tuple[npt.NDArray[Any], npt.NDArray[np.bool_]]:
    dtype = _distance_type(arcs)
    options: dict[str, Any] = {"target": target, "cutoff": cutoff, "min_only": min_only, "device": device}
    found = counted(sssp(arcs.graph, source, dtype=dtype, **options)).dist
    return found, found != infinity(found.dtype)


def _distance_type(arcs: Arcs) -> DistanceTypeName:
    return "int64" if arcs.is_integral else "float64"
