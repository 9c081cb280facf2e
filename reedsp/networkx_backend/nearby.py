"""Searches on the host for what may be near, in the steps of networkx' own, which give up when it is not.

They work on the nodes themselves, so that the objects that the caller named appear in the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from heapq import heappop, heappush
from itertools import count, islice
from typing import Any

import networkx as nx

from reedsp.networkx_backend import on_device, views
from reedsp.networkx_backend.graph import (
    AskedOnce,
    NetworkXGraph,
    Node,
    Rows,
    is_filtered,
    most_nodes,
)

_NODES_TRIED = 64
_BEYOND_TARGETS = ("predecessor", "bellman_ford_path_length", "single_source_bellman_ford")
"""Searches that do not end at their target."""

Lengths = dict[Node, Any]
Neighbours = Mapping[Node, Iterable[Node]]


def own_answer(name: str, graph: NetworkXGraph, *args: Any, reverse: bool = False, **kwargs: Any) -> Any:
    """Return what networkx' own function answers to one question; None if it passes `NEAR_EDGES` edges before.

    It may pass more where the device would have to read all edges first and the search may end early: at a target or
    cutoff, or with a component. It may pass fewer where the edges are at hand and an earlier search that could not end
    so led so far. None also where networkx would answer at once, and where every search belongs on the device. With its
    edges in the other direction where `reverse`.
    """
    if not is_tried(graph):
        return None
    is_read = graph.is_read(kwargs.get("weight", kwargs.get("distance")), reverse)
    ends = ("cutoff",) if name in _BEYOND_TARGETS else ("target", "cutoff")
    ends_early = any(kwargs.get(end) is not None for end in ends)
    is_narrow = graph.is_wide and is_read and not ends_early
    most = on_device.NEAR_EDGES_FROM_EACH if is_narrow else on_device.NEAR_EDGES
    may_pass_more = not is_read and (ends_early or name == "node_connected_component")
    more = partial(_edges_sooner_passed, graph, reverse) if may_pass_more else int
    found = limited_answer(name, graph, most, *args, reverse=reverse, more=more, **kwargs)
    graph.is_wide |= found is None and not ends_early
    return found


def _edges_sooner_passed(graph: NetworkXGraph, reverse: bool = False) -> int:
    """Return how many edges a search passes in a part of the time that it takes to read all.

    Guessed from the usual row: to count them all would take long, and a few long rows are no measure of the others.
    """
    rows, nodes = graph.adjacency(reverse), graph.nodes
    lengths = sorted(len(rows[node]) for node in islice(nodes, 0, None, 1 + len(nodes) // _NODES_TRIED))
    return len(nodes) * (1 + lengths[len(lengths) // 2]) // _part(graph)


def _part(graph: NetworkXGraph) -> int:
    return on_device.NEAR_PART_OF_VIEW if is_filtered(graph.source) else on_device.NEAR_PART


def nodes_sooner_seen(graph: NetworkXGraph, weight: Any = None) -> int:
    """Return how many nodes a search comes to sooner than all edges are read: none where these are at hand."""
    return 0 if graph.is_read(weight) else most_nodes(graph.source) // _part(graph)


def answer_of_many(name: str, graph: NetworkXGraph, *args: Any, **kwargs: Any) -> Any:
    """Return the same to one of many questions, which share what a device reads: `NEAR_EDGES` are the limit.

    Fewer where an earlier question about the graph led so far.
    """
    if not is_tried(graph):
        return None
    most = on_device.NEAR_EDGES_FROM_EACH if graph.is_wide else on_device.NEAR_EDGES
    found = limited_answer(name, graph, most, *args, **kwargs)
    graph.is_wide |= found is None
    return found


def is_tried(graph: NetworkXGraph) -> bool:
    """Tell whether the host searches first what may be near."""
    return not on_device.is_forced() and on_device.may_be_wanted(graph)


def limited_answer(
    name: str,
    graph: NetworkXGraph,
    most: int,
    *args: Any,
    reverse: bool = False,
    more: Callable[[], int] = int,
    **kwargs: Any,
) -> Any:
    """Return what networkx' own function answers; None if it passes more edges than so many, and `more`, before."""
    try:
        return getattr(nx, name)(views.limited(graph, most, reverse, more), *args, **kwargs, backend="networkx")
    except views.TooFarError:
        return None


def first_answer(name: str, graph: NetworkXGraph) -> Any:
    """Return what networkx' own generator yields first; None where `own_answer` is."""
    if not is_tried(graph):
        return None
    more = int if graph.is_read(None) else partial(_edges_sooner_passed, graph)
    view = views.limited(graph, on_device.NEAR_EDGES, more=more)
    try:
        return next(getattr(nx, name)(view, backend="networkx"), None)
    except views.TooFarError:
        return None


def asked_once(graph: NetworkXGraph, weight: Any) -> Any:
    """Return a weight that can be given to a search here and, where that gives up, to another one.

    A function is still asked about each edge once.
    """
    return AskedOnce(weight) if callable(weight) and is_tried(graph) else weight


def from_each(
    nodes: Iterable[Node],
    near: Callable[[Node], Any],
    own: Callable[[Node], Any],
    far: Callable[[list[Node]], Iterable[Any]],
    together: Iterable[int],
) -> Iterator[tuple[Node, Any]]:
    """Yield each node with its answer, of `far` for some nodes at once where `near` has none.

    Where it has one, `own`, which gives up nowhere, answers for some nodes after it: for more of them, as long as
    `near` has an answer each time.

    Parameters
    ----------
    nodes : iterable of node
    near, own : callable(node)
    far : callable(list of node)
    together : iterable of int
        How many nodes `far` answers for the first time, the second time and so on: few at first, since the first
        answer may be all that is asked for.
    """
    left, sizes, alone = iter(nodes), iter(together), 1
    for node in left:
        answer = near(node)
        if answer is None:
            alone = 1
            some = [node, *islice(left, next(sizes) - 1)]
            yield from zip(some, far(some), strict=True)
        else:
            yield node, answer
            yield from ((other, own(other)) for other in islice(left, alone - 1))
            alone = min(2 * alone, on_device.ROWS_AT_ONCE)


def more_and_more() -> Iterator[int]:
    """Yield how many of many searches are made on the device together: one, then two, then four."""
    size = 1
    while True:
        yield size
        size = min(2 * size, on_device.ROWS_AT_ONCE)


def is_scattered(graph: NetworkXGraph) -> bool:
    """Tell whether nodes lead to few edges each: networkx is soon done with a search from each of them."""
    if on_device.is_forced():
        return False
    some = islice(graph.source, 0, None, 1 + len(graph) // _NODES_TRIED)
    name, most = "single_source_shortest_path_length", on_device.NEAR_EDGES_FROM_EACH
    return all(limited_answer(name, graph, most, node) is not None for node in some)


def breadth_first_between(
    after: Neighbours, before: Neighbours, source: Node, target: Node, most: int
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


def dijkstra_between(
    after: Rows, before: Rows, source: Node, target: Node, most: int, seen: int = 0
) -> tuple[Any, list[Node]] | None:
    """Return length and nodes of the path on which searches from both ends meet, which take turns.

    None if they have not met when they have settled `most` nodes and come to `seen`, which a few hubs may lead to.

    Raises
    ------
    networkx.NetworkXNoPath
        There is none.
    ValueError
        A negative weight leads to a shorter path to a node that is settled.
    """
    if source == target:
        return 0, [source]
    sides = (_Side(after, source, 0), _Side(before, target, 1))
    number = count(2)
    length, middle, turn = None, None, 1
    while sides[0].heap and sides[1].heap:
        if sum(len(side.settled) for side in sides) > most and sum(len(side.nearest) for side in sides) > seen:
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
                    raise ValueError("Contradictory paths found: negative weights?")
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
