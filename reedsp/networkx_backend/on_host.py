"""Searches on the host, with any numbers that Python can add and compare, in the order of networkx' searches.

They work on the nodes themselves, so that the objects that the caller named appear in the answer.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from heapq import heappop, heappush
from itertools import count
from typing import Any

import networkx as nx
import numpy as np
import numpy.typing as npt

from reedsp.networkx_backend.graph import NetworkXGraph, Node, Rows
from reedsp.networkx_backend.release import SINCE_3_7

Lengths = dict[Node, Any]
Predecessors = dict[Node, list[Node]]
Paths = dict[Node, list[Node]]
Neighbours = Mapping[Node, Iterable[Node]]

_CONTRADICTION = ("Contradictory paths found:", "negative weights?")
_NEGATIVE_CYCLE = "Negative cycle detected."


# ---- breadth-first ----------------------------------------------------------------------------------


def breadth_first(neighbours: Neighbours, source: Node, cutoff: Any) -> tuple[Lengths, dict[Node, Node]]:
    """Return levels, and for each node the one it was found from, in the order of the search."""
    levels: Lengths = {source: 0}
    found_from: dict[Node, Node] = {}
    frontier, level = [source], 0
    while frontier and cutoff > level:
        level += 1
        following = []
        for node in frontier:
            for other in neighbours[node]:
                if other not in levels:
                    levels[other] = level
                    found_from[other] = node
                    following.append(other)
        frontier = following
    return levels, found_from


def breadth_first_predecessors(neighbours: Neighbours, source: Node, cutoff: Any) -> tuple[Predecessors, Lengths]:
    """Return all nodes one level before each node, and the levels."""
    levels: Lengths = {source: 0}
    predecessors: Predecessors = {source: []}
    frontier, level = [source], 0
    while frontier:
        level += 1
        following = []
        for node in frontier:
            for other in neighbours[node]:
                if other not in levels:
                    levels[other] = level
                    predecessors[other] = [node]
                    following.append(other)
                elif levels[other] == level:
                    predecessors[other].append(node)
        if cutoff and cutoff <= level:
            break
        frontier = following
    return predecessors, levels


def breadth_first_between(
    after: Neighbours, before: Neighbours, source: Node, target: Node, most: float = float("inf")
) -> list[Node] | None:
    """Return the path on which searches from both ends meet, the smaller frontier moving first.

    None if they have not met when they have come to `most` nodes.

    Raises
    ------
    networkx.NetworkXNoPath
        There is none.
    """
    if source == target:
        return [source]
    sides = ({source: None}, {target: None})
    frontiers = [[source], [target]]
    while frontiers[0] and frontiers[1]:
        if len(sides[0]) + len(sides[1]) > most:
            return None
        side = int(len(frontiers[0]) > len(frontiers[1]))
        own, opposite, neighbours = sides[side], sides[1 - side], (after, before)[side]
        frontier, frontiers[side] = frontiers[side], []
        for node in frontier:
            for other in neighbours[node]:
                if other not in own:
                    own[other] = node  # type: ignore[assignment]
                    frontiers[side].append(other)
                if other in opposite:
                    return _joined(other, *sides)
    raise nx.NetworkXNoPath(f"No path between {source} and {target}.")


def _joined(middle: Node, before: Mapping[Node, Any], after: Mapping[Node, Any]) -> list[Node]:
    path = [middle]
    while (node := before[path[-1]]) is not None:
        path.append(node)
    path.reverse()
    while (node := after[path[-1]]) is not None:
        path.append(node)
    return path


# ---- Dijkstra ---------------------------------------------------------------------------------------


def dijkstra(
    rows: Rows, sources: Iterable[Node], cutoff: Any = None, target: Node | None = None, all_ties: bool = False
) -> tuple[Lengths, Predecessors]:
    """Return distances in the order in which nodes are settled, and predecessors as they are found.

    Parameters
    ----------
    rows : callable
        Edges of each node; those of weight None are hidden.
    sources : iterable
    cutoff : number, optional
        Longest distance.
    target : node, optional
        Where to stop.
    all_ties : bool
        Find all predecessors, not only the first one, and give the sources an entry, too.

    Raises
    ------
    ValueError
        A negative weight leads to a shorter path to a node that is settled.
    """
    settled: Lengths = {}
    nearest = dict.fromkeys(sources, 0)
    predecessors: Predecessors = {source: [] for source in nearest} if all_ties else {}
    number = count()
    heap: list[tuple[Any, int, Node]] = [(0, next(number), source) for source in sources]
    while heap:
        length, _, node = heappop(heap)
        if node in settled:
            continue
        settled[node] = length
        if node == target:
            break
        for other, cost in rows(node):
            if cost is None:
                continue
            reach = length + cost
            if cutoff is not None and reach > cutoff:
                continue
            if other in settled:
                if reach < settled[other]:
                    raise ValueError(*_CONTRADICTION)
                if all_ties and reach == settled[other]:
                    predecessors[other].append(node)
            elif other not in nearest or reach < nearest[other]:
                nearest[other] = reach
                heappush(heap, (reach, next(number), other))
                predecessors[other] = [node]
            elif all_ties and reach == nearest[other]:
                predecessors[other].append(node)
    return settled, predecessors


def path_to(target: Node, predecessors: Mapping[Node, Sequence[Node]]) -> list[Node]:
    """Return the path along first predecessors that ends at a node."""
    path = [target]
    while before := predecessors.get(path[-1]):
        path.append(before[0])
    path.reverse()
    return path


def dijkstra_between(
    after: Rows, before: Rows, source: Node, target: Node, most: float = float("inf")
) -> tuple[Any, list[Node]] | None:
    """Return length and nodes of the path on which searches from both ends meet, which take turns.

    None if they have not met when they have settled `most` nodes.

    Raises
    ------
    networkx.NetworkXNoPath
        There is none.
    ValueError
        As in :func:`dijkstra`.
    """
    if source == target:
        return 0, [source]
    sides = (_Side(after, source, 0), _Side(before, target, 1))
    number = count(2)
    length, middle, turn = None, None, 1
    while sides[0].heap and sides[1].heap:
        if len(sides[0].settled) + len(sides[1].settled) > most:
            return None
        turn = 1 - turn
        own, opposite = sides[turn], sides[1 - turn]
        so_far, _, node = heappop(own.heap)
        if node in own.settled:
            continue
        own.settled[node] = so_far
        if node in opposite.settled:
            return length, _joined(middle, sides[0].found_from, sides[1].found_from)
        for other, cost in own.rows(node):
            if cost is None:
                continue
            reach = so_far + cost
            if other in own.settled:
                if reach < own.settled[other]:
                    raise ValueError(" ".join(_CONTRADICTION))
            elif other not in own.nearest or reach < own.nearest[other]:
                own.nearest[other] = reach
                heappush(own.heap, (reach, next(number), other))
                own.found_from[other] = node
                if other in opposite.nearest:
                    whole = reach + opposite.nearest[other]
                    if length is None or length > whole:
                        length, middle = whole, other
    raise nx.NetworkXNoPath(f"No path between {source} and {target}.")


class _Side:
    """One of two searches that go towards each other."""

    def __init__(self, rows: Rows, start: Node, number: int) -> None:
        self.rows = rows
        self.heap: list[tuple[Any, int, Node]] = [(0, number, start)]
        self.settled: Lengths = {}
        self.nearest: Lengths = {start: 0}
        self.found_from: dict[Node, Node | None] = {start: None}


def a_star(
    rows: Rows, source: Node, target: Node, estimate: Callable[[Node, Node], Any] | None, cutoff: Any
) -> list[Node]:
    """Return the path that A* finds; each node is estimated once.

    Raises
    ------
    networkx.NetworkXNoPath
        There is none, or the estimates leave none within the cutoff.
    """
    number = count()
    heap: list[tuple[Any, int, Node, Any, Node | None]] = [(0, next(number), source, 0, None)]
    waiting: dict[Node, tuple[Any, Any]] = {}
    found_from: dict[Node, Node | None] = {}
    while heap:
        _, _, node, length, before = heappop(heap)
        if node == target:
            return [*_joined(before, found_from, {before: None}), node] if before is not None else [node]
        if node in found_from and (found_from[node] is None or waiting[node][0] < length):
            continue
        found_from[node] = before
        for other, cost in rows(node):
            if cost is None:
                continue
            reach = length + cost
            if other in waiting:
                known, rest = waiting[other]
                if known <= reach:
                    continue
            else:
                rest = 0 if estimate is None else estimate(other, target)
            if cutoff and reach + rest > cutoff:
                continue
            waiting[other] = (reach, rest)
            heappush(heap, (reach + rest, next(number), other, reach, node))
    raise nx.NetworkXNoPath(f"Node {target} not reachable from {source}")


# ---- Bellman-Ford -----------------------------------------------------------------------------------


def bellman_ford(
    rows: Rows, sources: Collection[Node], n: int, heuristic: bool = True
) -> tuple[Lengths, Predecessors, Node | None]:
    """Relax the edges of changed nodes, first in first out, and let be those whose predecessor will change them again.

    Parameters
    ----------
    rows : callable
    sources : collection
    n : int
        Number of nodes: one that has changed so often is on a negative cycle or behind one.
    heuristic : bool
        Look for a negative cycle among the latest changes.

    Returns
    -------
    lengths : dict
    predecessors : dict
        All predecessors of each node, in the order in which they were found.
    node : node or None
        Where a negative cycle was noticed.
    """
    lengths: Lengths = dict.fromkeys(sources, 0)
    predecessors: Predecessors = {source: [] for source in sources}
    changed_by: dict[Node, Node | None] = dict.fromkeys(sources)
    latest: dict[Node, tuple[Node | None, Node | None]] = dict.fromkeys(sources, (None, None))
    changes: dict[Node, int] = {}
    queue, queued = deque(sources), set(sources)
    unreached = float("inf")
    while queue:
        node = queue.popleft()
        queued.remove(node)
        if not queued.isdisjoint(predecessors[node]):
            continue
        length = lengths[node]
        for other, cost in rows(node):
            reach = length + cost
            if reach < lengths.get(other, unreached):
                if heuristic:
                    if other in latest[node]:
                        predecessors[other].append(node)
                        return lengths, predecessors, other
                    again = other in changed_by and changed_by[other] == node
                    latest[other] = latest[node] if again else (node, other)
                if other not in queued:
                    queue.append(other)
                    queued.add(other)
                    changes[other] = changes.get(other, 0) + 1
                    if changes[other] == n:
                        return lengths, predecessors, other
                lengths[other] = reach
                predecessors[other] = [node]
                changed_by[other] = node
            elif other in lengths and reach == lengths[other]:
                predecessors[other].append(node)
    return lengths, predecessors, None


def goldberg_radzik(rows: Rows, nodes: Iterable[Node], source: Node) -> tuple[dict[Node, Node | None], Lengths]:
    """Return a predecessor and the distance of each node, by passes over the changed nodes in topological order.

    Raises
    ------
    networkx.NetworkXUnbounded
        There is a negative cycle.
    """
    lengths: Lengths = dict.fromkeys(nodes, float("inf"))
    lengths[source] = 0
    found_from: dict[Node, Node | None] = {source: None}
    changed = {source}
    while changed:
        order = _topological(rows, changed, lengths, found_from)
        changed = set()
        for node in order:
            length = lengths[node]
            for other, cost in rows(node):
                if length + cost < lengths[other]:
                    lengths[other] = length + cost
                    found_from[other] = node
                    changed.add(other)
    return found_from, {node: lengths[node] for node in found_from}


def _topological(rows: Rows, changed: set[Node], lengths: Lengths, found_from: dict[Node, Node | None]) -> list[Node]:
    """Relax edges depth-first from changed nodes; return the nodes that were passed, in topological order."""
    order: list[Node] = []
    depth: dict[Node, int] = {}
    for start in changed - depth.keys():  # networkx walks through a copy of the set, which may be in another order
        length = lengths[start]
        if all(length + cost >= lengths[other] for other, cost in rows(start)):
            continue
        depth[start] = 0
        stack, on_stack = [(start, iter(rows(start)))], {start}
        while stack:
            node, edges = stack[-1]
            other, cost = next(edges, (None, None))
            if other is None:
                order.append(node)
                stack.pop()
                on_stack.remove(node)
                continue
            reach = lengths[node] + cost
            if reach < lengths[other]:
                lengths[other] = reach
                found_from[other] = node
                if other not in depth:
                    depth[other] = depth[node] + 1
                    stack.append((other, iter(rows(other))))
                    on_stack.add(other)
                elif other in on_stack and depth[node] + 1 > depth[other]:
                    raise nx.NetworkXUnbounded(_NEGATIVE_CYCLE)
    order.reverse()
    return order


def has_negative_loop(graph: NetworkXGraph, weight: Any) -> bool:
    """Tell whether some edge from a node to itself has a negative weight."""
    cost = graph.cost_of(weight)
    for node, row in graph.adjacency().items():
        if node in row:
            data = row[node]
            loops = [{key: each} for key, each in data.items()] if graph.is_multigraph() else [data]
            if any(cost(node, node, each) < 0 for each in loops):
                return True
    return False


def negative_cycle(predecessors: Predecessors, node: Node) -> list[Node] | None:
    """Return a cycle through the node where one was noticed, its first node at both ends; None if there is none."""
    cycle: list[Node] = []
    stack = [(node, list(predecessors[node]))]
    seen = {node}
    while stack:
        current, before = stack[-1]
        if node in before:
            return [node, current, *reversed(cycle)]
        if before:
            previous = before.pop()
            if previous not in seen:
                stack.append((previous, list(predecessors[previous])))
                cycle.append(current)
                seen.add(previous)
            continue
        stack.pop()
        if cycle:
            cycle.pop()
    return None


# ---- paths from predecessors ------------------------------------------------------------------------


def all_paths_to(sources: Collection[Node], target: Node, predecessors: Predecessors) -> Iterator[list[Node]]:
    """Yield the paths along predecessors that end at a node.

    Raises
    ------
    networkx.NetworkXNoPath
        The node was not reached.
    """
    if target not in predecessors:
        raise nx.NetworkXNoPath(f"Target {target} cannot be reached from given sources")
    path, choices, on_path = [target], [iter(predecessors[target])], {target}
    while path:
        if path[-1] in sources:
            yield path[::-1]
        before = next(choices[-1], None)
        while SINCE_3_7 and before in on_path:
            before = next(choices[-1], None)
        if before is None:
            on_path.discard(path.pop())
            choices.pop()
        elif before not in on_path:
            path.append(before)
            choices.append(iter(predecessors[before]))
            on_path.add(before)


# ---- Floyd-Warshall ---------------------------------------------------------------------------------


def _infinity() -> float:
    return float("inf")


def require_no_negative(lengths_to_self: Iterable[Any]) -> None:
    """Raise for a node from which a path leads back to it that is shorter than none, as networkx does since 3.7.

    Raises
    ------
    networkx.NetworkXUnbounded
        There is one.
    """
    if SINCE_3_7 and any(length < 0 for length in lengths_to_self):
        raise nx.NetworkXUnbounded(_NEGATIVE_CYCLE)


def direct_distances(graph: NetworkXGraph, weight: Any) -> tuple[dict[Node, Lengths], dict[Node, dict[Node, Node]]]:
    """Return the weights of single edges, inf where there is none, and where they begin."""
    lengths, predecessors = (_direct_distances if SINCE_3_7 else _direct_distances_before_3_7)(graph, weight)
    for row in lengths.values():
        for node in graph:
            row.setdefault(node, _infinity())
    return lengths, predecessors


def _direct_distances(graph: NetworkXGraph, weight: Any) -> tuple[dict[Node, Lengths], dict[Node, dict[Node, Node]]]:
    lengths: dict[Node, Lengths] = {}
    predecessors: dict[Node, dict[Node, Node]] = {}
    cost_of = graph.cost_of(weight)
    for node, row in graph.adjacency().items():
        lengths[node] = defaultdict(_infinity)
        for other, data in row.items():
            cost = cost_of(node, other, data)
            if cost is not None:
                lengths[node][other] = cost
                predecessors.setdefault(node, {})[other] = node
        require_no_negative([lengths[node][node]])
        lengths[node][node] = 0
    return lengths, predecessors


def _direct_distances_before_3_7(
    graph: NetworkXGraph, weight: Any
) -> tuple[dict[Node, Lengths], dict[Node, dict[Node, Node]]]:
    """Take a missing weight for 1.0, and look a function up like the name of an attribute."""
    lengths: dict[Node, Lengths] = {node: defaultdict(_infinity, {node: 0}) for node in graph}
    predecessors: dict[Node, dict[Node, Node]] = {}
    for tail, head, data in graph.source.edges(data=True):
        cost = data.get(weight, 1.0)
        for one, other in ((tail, head),) if graph.is_directed() else ((tail, head), (head, tail)):
            lengths[one][other] = min(cost, lengths[one][other])
            predecessors.setdefault(one, {})[other] = one
    return lengths, predecessors


def floyd_warshall(
    nodes: Sequence[Node], lengths: dict[Node, Lengths], predecessors: dict[Node, dict[Node, Node]]
) -> None:
    """Shorten the distances of all pairs by way of each node in turn.

    Raises
    ------
    networkx.NetworkXUnbounded
        As in :func:`require_no_negative`.
    """
    for middle in nodes:
        further = lengths[middle]
        for tail in nodes:
            row = lengths[tail]
            for head in nodes:
                through = row[middle] + further[head]
                if row[head] > through:
                    row[head] = through
                    predecessors.setdefault(tail, {})[head] = predecessors[middle][head]
    require_no_negative(lengths[node][node] for node in nodes)


def floyd_warshall_matrix(matrix: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the distances of all pairs in a matrix of floats, rounded as by way of each vertex in turn.

    Raises
    ------
    networkx.NetworkXUnbounded
        As in :func:`require_no_negative`.
    """
    for middle in range(len(matrix)):
        matrix = np.minimum(matrix, matrix[middle, :][np.newaxis, :] + matrix[:, middle][:, np.newaxis])
    require_no_negative(matrix.diagonal())
    return matrix
