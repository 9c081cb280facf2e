"""Graphs of networkx as its functions here read them: neighbours in networkx' order, and arrays for a device."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, compress, repeat
from typing import Any

import networkx as nx
import numpy as np
import numpy.typing as npt

from reedsp.graph.graph import Graph
from reedsp.graph.networkx_edges import first_number
from reedsp.networkx_backend.reading import Consecutive, Ends, Weights

Node = Hashable
Names = npt.NDArray[np.object_]
"""Nodes by their numbers."""
Rows = Callable[[Node], Iterable[tuple[Node, Any]]]
"""Gives the neighbours of a node and what the edges to them cost, in networkx' order."""

_NODES_AT_ONCE = 2**12
_CLASSES = (nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph)
_LISTING = (
    *("__iter__", "nodes"),
    *("__getitem__", "neighbors", "successors", "predecessors", "adjacency"),
    *("adj", "succ", "pred", "edges", "in_edges", "out_edges"),
)
"""What classes of graphs list nodes and edges by."""
_NO_EDGES = np.empty(0, np.int64), np.empty(0, np.int32), np.empty(0, np.int32)


@dataclass(frozen=True)
class Arcs:
    """The edges of a graph in one direction, by tail and then in networkx' order, as arrays.

    Attributes
    ----------
    n : int
        Number of nodes; a node's number is its index in the graph.
    tails, heads : ndarray of int32, shape (m,)
    costs : ndarray of int64 or float64, shape (m,)
        Weights, in which sums of paths are exact, or rounded as Python rounds them.
    values : list or None
        The weights as they were given, if int and float are mixed.
    graph : Graph
        The same edges for a device.
    hidden : bool
        Whether edges of weight None were left out.
    """

    n: int
    tails: npt.NDArray[np.int32]
    heads: npt.NDArray[np.int32]
    costs: npt.NDArray[Any]
    values: list[Any] | None
    graph: Graph
    hidden: bool

    @property
    def is_integral(self) -> bool:
        """Whether every distance is an int."""
        return self.costs.dtype.kind == "i"

    @property
    def has_negative_costs(self) -> bool:
        """Whether an edge has a weight below zero."""
        return self.graph.has_negative_weights


def most_nodes(graph: Any) -> int:
    """Return how many nodes there are, of a view at most: to count those takes as long as many a search."""
    while is_filtered(graph):
        graph = graph._graph
    return len(graph)


def lists_what_it_stores(graph: Any) -> bool:
    """Tell whether networkx finds nodes and edges of a graph where it stores them: a class may list others, or none."""
    kind = type(graph)
    return kind in _CLASSES or not any(
        name in vars(each) for each in kind.__mro__ if each not in _CLASSES for name in _LISTING
    )


def is_filtered(graph: Any) -> bool:
    """Return whether a graph is a view that looks at each node of another one."""
    return not isinstance(graph._node, dict) and isinstance(getattr(graph, "_graph", None), nx.Graph)


class NetworkXGraph:
    """A graph of networkx that this backend has accepted.

    Neighbours and weights are read when they are first asked for, and kept.

    Parameters
    ----------
    source : networkx.Graph

    Attributes
    ----------
    is_wide : bool
        Whether a search on the host that had no end set has been given up, since it led to many edges.
    """

    __networkx_backend__ = "reedsp"

    def __init__(self, source: Any) -> None:
        self.source = source
        self.__networkx_cache__: dict[Any, Any] = {}
        self._kept: dict[Any, Any] = {}
        self.is_wide = False

    def __getstate__(self) -> dict[str, Any]:
        return {"source": self.source, "__networkx_cache__": {}, "_kept": {}, "is_wide": False}

    def as_it_is(self) -> NetworkXGraph:
        """Return the graph as it is now, for generators, which networkx lets read it when they are first asked.

        It is this one while networkx keeps it: methods that change a graph empty its cache.
        """
        return self if any(each is self for each in self.kept_of(self.source)) else NetworkXGraph(self.source)

    @classmethod
    def kept_of(cls, source: Any) -> list[NetworkXGraph]:
        """Return what networkx keeps of a graph, for whichever weight it was converted."""
        cache = getattr(source, "__networkx_cache__", None) or {}
        kept = list(cache.get("backends", {}).get(cls.__networkx_backend__, {}).values())
        return [each for each in kept if isinstance(each, cls) and each.source is source]

    @property
    def nodes(self) -> list[Node]:
        """The nodes by their numbers, listed when they are first asked for."""
        nodes: list[Node] = self._keep("nodes", lambda: list(iter(self.source)))
        return nodes

    def is_directed(self) -> bool:
        """Tell whether edges have a direction."""
        return bool(self.source.is_directed())

    def has_two_weights(self) -> bool:
        """Tell whether edges may have other data from their other ends: in a digraph seen without its directions."""
        graph, directed = self.source, self.is_directed()
        while not directed and isinstance(getattr(graph, "_graph", None), nx.Graph):
            graph = graph._graph
            if graph.is_directed():
                return True
        return False

    def is_multigraph(self) -> bool:
        """Tell whether there may be parallel edges."""
        return bool(self.source.is_multigraph())

    @property
    def edges(self) -> Any:
        """The edges, as networkx has them."""
        return self.source.edges

    def number_of_nodes(self) -> int:
        """Return the number of nodes."""
        return len(self)

    def number_of_edges(self) -> int:
        """Return the number of edges, an undirected one counted once."""
        return int(self.source.number_of_edges())

    def __len__(self) -> int:
        return len(self.nodes if is_filtered(self.source) else self.source)  # which a view would count each time

    def __iter__(self) -> Iterator[Node]:
        return iter(self.nodes)

    def __contains__(self, node: Any) -> bool:
        return node in self.source

    @property
    def number_of(self) -> Mapping[Node, int]:
        """The index of each node in the graph."""
        numbers: Mapping[Node, int] = self._keep("numbers", self._numbered)
        return numbers

    def _numbered(self) -> Mapping[Node, int]:
        first = first_number(self.nodes)
        if first is None:
            return dict(zip(self.nodes, range(len(self.nodes)), strict=True))
        return Consecutive(first, len(self.nodes))

    @property
    def names(self) -> Names:
        """The nodes as an array."""
        names: Names = self._keep("names", lambda: np.fromiter(self.nodes, object, len(self.nodes)))
        return names

    def adjacency(self, reverse: bool = False) -> Any:
        """Return networkx' own dict of dicts; `reverse` gives the edges that end at a node."""
        return self.source._pred if reverse and self.is_directed() else self.source._adj

    def ends(self) -> Ends:
        """Return the ends of all edges."""
        return self._read(None, reverse=False)[0]

    def rows(self, weight: Any, reverse: bool = False) -> Rows:
        """Return what gives the edges of a node, read when a search first passes it: for searches of few nodes."""
        return _Evaluated(self.adjacency(reverse), self.cost_of(weight))

    def cost_of(self, weight: Any) -> Callable[[Node, Node, Any], Any]:
        """Return what tells the weight of an edge from its ends and its data."""
        if callable(weight):
            return weight  # type: ignore[no-any-return]
        if weight is None:
            return lambda tail, head, data: 1
        if self.is_multigraph():
            return lambda tail, head, data: min([each.get(weight, 1) for each in data.values()])
        return lambda tail, head, data: data.get(weight, 1)

    def arcs(self, weight: Any, reverse: bool = False) -> Arcs | None:
        """Return the edges as arrays, or None if no device adds up these weights as Python does.

        A function is called once for each edge, and again in each call, because its answers may have changed.
        """
        if callable(weight):
            return self._read_arcs(weight, reverse)
        if not _is_hashable(weight):  # which networkx only notices where a search passes an edge
            return None
        arcs: Arcs | None = self._keep(
            ("arcs", weight, reverse and self.is_directed()), lambda: self._read_arcs(weight, reverse)
        )
        return arcs

    def is_read(self, weight: Any, reverse: bool = False) -> bool:
        """Tell whether `arcs` has the edges at hand, so that a device can begin at once."""
        side = reverse and self.is_directed()
        key = ("ends", side) if weight is None else ("arcs", weight, side)
        return not callable(weight) and _is_hashable(weight) and key in self._kept

    def matrix(self, weight: Any) -> npt.NDArray[np.float64]:
        """Return the weights of all pairs as floats, inf where there is no edge."""
        matrix = np.full((len(self.nodes), len(self.nodes)), np.inf)
        ends, weights = self._read(weight, reverse=False)
        costs: Any = np.array(weights.values, np.float64)
        if weight is None:
            costs = 1
        elif self._has_edges_twice():
            costs = costs[ends.place]
        matrix[ends.tails, ends.heads] = costs
        return matrix

    def _read_arcs(self, weight: Any, reverse: bool) -> Arcs | None:
        n = len(self.nodes)
        if weight is None:
            ends, _ = self._read(None, reverse)
            ones = np.ones(len(ends.heads), np.int64)
            graph = ends.graph(ones.astype(np.int32), self._has_edges_twice())
            return Arcs(n, ends.tails, ends.heads, ones, None, graph, False)
        try:
            ends, weights = self._evaluated(weight, reverse) if callable(weight) else self._read(weight, reverse)
        except Exception:  # whatever is wrong with a weight, networkx only notices where the search passes
            return None
        place = ends.place if self._has_edges_twice() and not callable(weight) else None
        values = weights.values
        if place is not None and (weights.is_mixed or type(None) in weights.kinds):
            values = [values[i] for i in place]
        if type(None) in weights.kinds:
            return self._shown(ends.tails, ends.heads, values)
        costs = weights.costs(n)
        if costs is None:
            return None
        if place is not None:
            costs = costs[place]
        graph = ends.graph(costs, undirected=place is not None)
        return Arcs(n, ends.tails, ends.heads, costs, values if weights.is_mixed else None, graph, False)

    def _shown(self, tails: npt.NDArray[np.int32], heads: npt.NDArray[np.int32], values: list[Any]) -> Arcs | None:
        """Return the edges but those of weight None."""
        n = len(self.nodes)
        shown = np.fromiter((value is not None for value in values), bool, len(values))
        tails, heads = tails[shown], heads[shown]
        weights = Weights()
        weights.extend([value for value in values if value is not None])
        costs = weights.costs(n)
        if costs is None:
            return None
        mixed = weights.values if weights.is_mixed else None
        return Arcs(n, tails, heads, costs, mixed, Graph.from_edges(n, tails, heads, costs), True)

    def _has_edges_twice(self) -> bool:
        """Whether both ends of an edge lead to the same data: they are read once, which halves the time."""
        return type(self.source._adj) is dict and not self.is_directed()

    def _is_plain(self) -> bool:
        """Whether neighbours and data are in dicts, whose methods are called sooner by the name of their class."""
        kind = type(self.source)
        plain = kind.adjlist_inner_dict_factory is kind.edge_attr_dict_factory is dict
        return plain and type(self.source._adj) is dict

    def _read(self, weight: Any, reverse: bool) -> tuple[Ends, Weights]:
        """Return all edges, and their weights, if there is an attribute: in an undirected graph each once.

        Both are read from one part of the nodes after the other, which stays in the processor's cache meanwhile.
        """
        side = ("ends", reverse and self.is_directed())
        ends: Ends | None = self._kept.get(side)
        parts: list[tuple[npt.NDArray[Any], ...]] = []
        weights = Weights()
        for begin in range(0, len(self.nodes), _NODES_AT_ONCE) if ends is None or weight is not None else ():
            rows = self._rows(self.nodes[begin : begin + _NODES_AT_ONCE], reverse, weight is not None)
            if ends is None:
                counts = np.fromiter(map(len, rows), np.int64, len(rows))
                tails = np.repeat(np.arange(begin, begin + len(rows), dtype=np.int32), counts)
                heads = self._heads(rows, len(tails))
                parts.append((counts, tails, heads))
            else:
                part = slice(*ends.indptr[[begin, begin + len(rows)]])
                tails, heads = ends.tails[part], ends.heads[part]
            if weight is not None:
                data: Iterable[Any] = chain.from_iterable(map(dict.values, rows))
                if self._has_edges_twice():
                    data = compress(data, (tails <= heads).tobytes())
                weights.extend(self._weights_in(data, weight))
        if ends is None:
            counts, tails, heads = map(np.concatenate, zip(*parts, strict=True)) if parts else _NO_EDGES
            ends = self._kept[side] = Ends(np.concatenate(([0], np.cumsum(counts))), tails, heads)
        return ends, weights

    def _rows(self, nodes: list[Node], reverse: bool, with_data: bool) -> list[Any]:
        """Return the neighbours of some nodes, in dicts where their data is wanted.

        A row of a view is copied, once: whoever looks at it, or asks for its length, as `list` does, has each neighbour
        filtered.
        """
        rows = map(self.adjacency(reverse).__getitem__, nodes)
        if self._is_plain():
            return list(rows)
        if with_data:
            return [row if type(row) is dict else dict(row.items()) for row in rows]
        return list(map(list, map(iter, rows)))

    def _heads(self, rows: list[Any], m: int) -> npt.NDArray[np.int32]:
        number_of = self.number_of
        if isinstance(number_of, Consecutive):  # then numbers need not be looked up
            with contextlib.suppress(TypeError):  # an edge names a node by something that equals it, but is no integer
                numbers = np.fromiter(chain.from_iterable(rows), np.int64, m) - number_of.first
                if not m or 0 <= numbers.min() <= numbers.max() < len(number_of):
                    return numbers.astype(np.int32)
        return np.fromiter(map(number_of.__getitem__, chain.from_iterable(rows)), np.int32, m)

    def _weights_in(self, data: Iterable[Any], weight: Any) -> list[Any]:
        if self.is_multigraph():
            return [min([each.get(weight, 1) for each in parallel.values()]) for parallel in data]
        if self._is_plain():
            return list(map(dict.get, data, repeat(weight), repeat(1)))
        return [each.get(weight, 1) for each in data]

    def _evaluated(self, weight: Callable[[Node, Node, Any], Any], reverse: bool) -> tuple[Ends, Weights]:
        """Return all edges, and the weights that a function gives in either direction."""
        adjacency, weights = self.adjacency(reverse), Weights()
        ends, _ = self._read(None, reverse)
        costs = weight.costs if isinstance(weight, AskedOnce) else AskedOnce(weight).costs
        weights.extend([cost for node in self.nodes for cost in costs(node, adjacency[node])])
        return ends, weights

    def _keep(self, name: Any, make: Callable[[], Any]) -> Any:
        if name not in self._kept:
            self._kept[name] = make()
        return self._kept[name]


def _is_hashable(weight: Any) -> bool:
    try:
        hash(weight)
    except TypeError:
        return False
    return True


class AskedOnce:
    """A function of weights that keeps what it has answered to searches which may give up, for those that follow.

    Parameters
    ----------
    function : callable
    """

    def __init__(self, function: Callable[[Node, Node, Any], Any]) -> None:
        self._function = function
        self._known: dict[Node, dict[Node, Any]] = {}

    def __call__(self, tail: Node, head: Node, data: Any) -> Any:
        """Return the weight of an edge."""
        known = self._known.setdefault(tail, {})
        if head not in known:
            known[head] = self._function(tail, head, data)
        return known[head]

    def costs(self, tail: Node, row: Mapping[Node, Any]) -> list[Any]:
        """Return the weights of the edges of a node, which are not kept."""
        known = self._known.get(tail, {})
        if not known:
            return [self._function(tail, head, data) for head, data in row.items()]
        return [known[head] if head in known else self._function(tail, head, data) for head, data in row.items()]


class _Evaluated:
    """Edges whose weight is found out when a search first passes them."""

    def __init__(self, adjacency: Any, cost: Callable[[Node, Node, Any], Any]) -> None:
        self._adjacency, self._cost = adjacency, cost
        self._known: dict[Node, list[tuple[Node, Any]]] = {}

    def __call__(self, node: Node) -> Iterable[tuple[Node, Any]]:
        return self._known[node] if node in self._known else self._passed(node)

    def _passed(self, node: Node) -> Iterator[tuple[Node, Any]]:
        row = []
        for other, data in self._adjacency[node].items():
            row.append((other, self._cost(node, other, data)))
            yield row[-1]
        self._known[node] = row
