"""What networkx' own functions look at in place of a graph: its rows of neighbours, with a limit or a node more."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import networkx as nx

from reedsp.networkx_backend.graph import NetworkXGraph, Node

_EXAMPLES: Any = ((nx.Graph(), nx.MultiGraph()), (nx.DiGraph(), nx.MultiDiGraph()))


class TooFarError(Exception):
    """A search has passed more edges than it was allowed."""


def limited(G: NetworkXGraph, most: int, reverse: bool = False, more: Callable[[], int] = int) -> Any:
    """Return the graph for one search, which raises `TooFarError` if it passes more edges than so many.

    It asks `more` then, once, how many it may pass besides: none, if nothing else is given. With its edges in the other
    direction where `reverse`.
    """
    graph = _graph_like(G)
    graph._node, graph._adj = G.source._node, _LimitedRows(G.adjacency(reverse), most, more)
    if G.is_directed():
        graph._pred = _LimitedRows(G.adjacency(not reverse), most, more)
    return graph


def is_limited(graph: Any) -> bool:
    """Tell whether this is a graph that `limited` has returned."""
    return type(getattr(graph, "_adj", None)) is _LimitedRows


def with_root(G: NetworkXGraph) -> tuple[Any, Node]:
    """Return the graph with a node more, from which an edge without data leads to each other one, and this node.

    These edges lead back, too, if the graph is undirected; if it is directed, who looks at its edges against their
    direction does not see them.
    """
    root = -1
    while root in G:
        root -= 1
    own_row: dict[Node, Any] = {node: {0: {}} if G.is_multigraph() else {} for node in G}
    graph = _graph_like(G)
    graph._node = {**G.source._node, root: {}}
    if G.is_directed():
        graph._adj = {**G.adjacency(), root: own_row}
    else:
        graph._adj = _RowsWithRoot(G.adjacency(), root, own_row)
    return graph, root


def _graph_like(G: NetworkXGraph) -> Any:
    """Return a graph of networkx to be filled, which is made from one of its class: that takes a tenth of the time."""
    example = _EXAMPLES[G.is_directed()][G.is_multigraph()]
    graph = object.__new__(type(example))
    graph.__dict__.update(example.__dict__, graph={}, __networkx_cache__=None)
    return graph


class _LimitedRows(Mapping[Node, Any]):
    """Rows, until as many edges were in those that were looked at, and as many more as is told then."""

    def __init__(self, rows: Mapping[Node, Any], most: int, more: Callable[[], int]) -> None:
        self._rows, self._left, self._more = rows, most, more

    def __getitem__(self, node: Node) -> Any:
        row = self._rows[node]
        self._left -= 1 + len(row)
        if self._left < 0:
            self._left += self._more()
            self._more = int
            if self._left < 0:
                raise TooFarError
        return row

    def __iter__(self) -> Iterator[Node]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)


class _RowsWithRoot(Mapping[Node, Any]):
    """Rows, in each of which an edge to one node more comes last."""

    def __init__(self, rows: Mapping[Node, Any], root: Node, row_of_root: Mapping[Node, Any]) -> None:
        self._rows, self._root, self._own = rows, root, {root: row_of_root}

    def __getitem__(self, node: Node) -> Any:
        if node in self._own:  # a dictionary compares nodes of one hash alone
            return self._own[node]
        return {**self._rows[node], self._root: self._own[self._root][node]}

    def __iter__(self) -> Iterator[Node]:
        yield from self._rows
        yield self._root

    def __len__(self) -> int:
        return len(self._rows) + 1
