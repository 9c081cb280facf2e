"""Graphs of networkx as its functions here read them: neighbours in networkx' order, and arrays for a device."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, compress
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse

from reedsp.graph.graph import EXACT_IN_FLOAT64, Graph

Node = Hashable
Rows = Callable[[Node], Iterable[tuple[Node, Any]]]
"""Gives the neighbours of a node and what the edges to them cost, in networkx' order."""

_EXACT_INTEGERS = 2**62
_LARGEST_FLOAT = 1e308


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


class NetworkXGraph:
    """A graph of networkx that this backend has accepted.

    Neighbours and weights are read when they are first asked for, and kept.

    Parameters
    ----------
    source : networkx.Graph
    """

    __networkx_backend__ = "reedsp"

    def __init__(self, source: Any) -> None:
        self.source = source
        self.nodes: list[Node] = list(source)
        self.__networkx_cache__: dict[Any, Any] = {}
        self._kept: dict[Any, Any] = {}

    def is_directed(self) -> bool:
        """Tell whether edges have a direction."""
        return bool(self.source.is_directed())

    def is_multigraph(self) -> bool:
        """Tell whether there may be parallel edges."""
        return bool(self.source.is_multigraph())

    @property
    def edges(self) -> Any:
        """The edges, as networkx has them."""
        return self.source.edges

    def number_of_nodes(self) -> int:
        """Return the number of nodes."""
        return len(self.nodes)

    def number_of_edges(self) -> int:
        """Return the number of edges, an undirected one counted once."""
        return int(self.source.number_of_edges())

    def __len__(self) -> int:
        return len(self.nodes)

    def __iter__(self) -> Iterator[Node]:
        return iter(self.nodes)

    def __contains__(self, node: Any) -> bool:
        return node in self.source

    @property
    def number_of(self) -> dict[Node, int]:
        """The index of each node in the graph."""
        numbers: dict[Node, int] = self._keep("numbers", lambda: {node: i for i, node in enumerate(self.nodes)})
        return numbers

    def adjacency(self, reverse: bool = False) -> Any:
        """Return networkx' own dict of dicts; `reverse` gives the edges that end at a node."""
        return self.source._pred if reverse and self.is_directed() else self.source._adj

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
        arcs: Arcs | None = self._keep(("arcs", weight, self._side(reverse)), lambda: self._read_arcs(weight, reverse))
        return arcs

    def matrix(self, weight: Any) -> npt.NDArray[np.float64]:
        """Return the weights of all pairs as floats, inf where there is no edge."""
        matrix = np.full((len(self.nodes), len(self.nodes)), np.inf)
        values, place = self._values(weight, reverse=False)
        costs = np.array(values, np.float64)
        matrix[self._ends(reverse=False)] = costs if place is None else costs[place]
        return matrix

    def _read_arcs(self, weight: Any, reverse: bool) -> Arcs | None:
        n = len(self.nodes)
        tails, heads = self._ends(reverse)
        if weight is None:
            ones = np.ones(len(heads), np.int64)
            return Arcs(n, tails, heads, ones, None, Graph.from_edges(n, tails, heads), False)
        try:
            values, place = (
                (self._evaluated(weight, reverse), None) if callable(weight) else self._values(weight, reverse)
            )
        except Exception:  # whatever is wrong with a weight, networkx only notices where the search passes
            return None
        kinds = set(map(type, values))
        if type(None) in kinds:
            return self._shown(tails, heads, values if place is None else [values[i] for i in place])
        costs = _exact_costs(values, kinds, n)
        if costs is None:
            return None
        if place is not None:
            costs = costs[place]
        mixed = None
        if _is_mixed(kinds):
            mixed = values if place is None else [values[i] for i in place]
        return Arcs(n, tails, heads, costs, mixed, Graph.from_edges(n, tails, heads, costs), False)

    def _shown(self, tails: npt.NDArray[np.int32], heads: npt.NDArray[np.int32], values: list[Any]) -> Arcs | None:
        """Return the edges but those of weight None."""
        n = len(self.nodes)
        shown = np.fromiter((value is not None for value in values), bool, len(values))
        tails, heads = tails[shown], heads[shown]
        values = [value for value in values if value is not None]
        kinds = set(map(type, values))
        costs = _exact_costs(values, kinds, n)
        if costs is None:
            return None
        mixed = values if _is_mixed(kinds) else None
        return Arcs(n, tails, heads, costs, mixed, Graph.from_edges(n, tails, heads, costs), True)

    def _ends(self, reverse: bool) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        ends: tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]] = self._keep(
            ("ends", self._side(reverse)), lambda: self._read_ends(reverse)
        )
        return ends

    def _read_ends(self, reverse: bool) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        adjacency = self.adjacency(reverse)
        rows = [adjacency[node] for node in self.nodes]
        degrees = np.fromiter(map(len, rows), np.int64, len(rows))
        others: Iterator[Any] = chain.from_iterable(rows)
        if self.nodes != list(range(len(rows))):  # the usual nodes need no translation
            others = map(self.number_of.__getitem__, others)
        heads = np.fromiter(others, np.int32, int(degrees.sum()))
        return np.repeat(np.arange(len(rows), dtype=np.int32), degrees), heads

    def _values(self, weight: Any, reverse: bool) -> tuple[list[Any], npt.NDArray[np.int64] | None]:
        """Return weights, and the index among them of that of each edge, or None if they are in the order of edges.

        An undirected graph of networkx holds the data of an edge once, though both its ends lead there: they are
        read once, which halves the time.
        """
        adjacency = self.adjacency(reverse)
        data: Iterable[Any] = chain.from_iterable(adjacency[node].values() for node in self.nodes)
        place = None
        if type(adjacency) is dict and not self.is_directed():
            read, place = self._keep("once", lambda: _read_once(*self._ends(False), len(self.nodes)))
            data = compress(data, read)
        if self.is_multigraph():
            return [min([each.get(weight, 1) for each in parallel.values()]) for parallel in data], place
        return [each.get(weight, 1) for each in data], place

    def _evaluated(self, weight: Callable[[Node, Node, Any], Any], reverse: bool) -> list[Any]:
        adjacency = self.adjacency(reverse)
        return [weight(node, other, data) for node in self.nodes for other, data in adjacency[node].items()]

    def _side(self, reverse: bool) -> bool:
        return reverse and self.is_directed()

    def _keep(self, name: Any, make: Callable[[], Any]) -> Any:
        if name not in self._kept:
            self._kept[name] = make()
        return self._kept[name]


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


def _read_once(
    tails: npt.NDArray[np.int32], heads: npt.NDArray[np.int32], n: int
) -> tuple[list[bool], npt.NDArray[np.int64]]:
    """Return which of the edges in both directions to read, and the index of each edge among those."""
    m = len(heads)
    indptr = np.searchsorted(tails, np.arange(n + 1))
    by_head = scipy.sparse.csr_array((np.arange(m), heads, indptr), shape=(n, n)).tocsc()
    opposite = np.empty(m, np.int64)
    opposite[by_head.tocsr().data] = by_head.data  # by tail and head, and by head and tail
    read = tails <= heads
    place = np.cumsum(read) - 1
    return read.tolist(), np.where(read, place, place[opposite])


def _is_mixed(kinds: set[type]) -> bool:
    """Tell whether distances may be int or float."""
    return float in kinds and len(kinds) > 1


def _exact_costs(values: list[Any], kinds: set[type], n: int) -> npt.NDArray[Any] | None:
    """Return weights, of these types, in a type in which a device's sums are Python's, or None.

    That is so for integers, and for floats, because a distance is the sum from the source on; where both are mixed,
    if the sums of the integers are exact in float64.
    """
    if not kinds <= {int, bool, float}:
        return None
    if float not in kinds:
        try:
            whole = np.fromiter(values, np.int64, len(values))
        except OverflowError:
            return None
        return whole if _largest(whole) * (n + 1) < _EXACT_INTEGERS else None
    if len(kinds) > 1:
        largest = max(abs(value) for value in values if type(value) is not float)
        if largest * (n + 1) >= EXACT_IN_FLOAT64:
            return None
    costs = np.fromiter(values, np.float64, len(values))
    return costs if np.isfinite(costs).all() and _largest(costs) * (n + 1) < _LARGEST_FLOAT else None


def _largest(costs: npt.NDArray[Any]) -> int | float:
    largest: int | float = max(-costs.min(initial=0).item(), costs.max(initial=0).item())
    return largest
