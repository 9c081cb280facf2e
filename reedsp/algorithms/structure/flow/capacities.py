"""The capacities of a network: rows of integers, and how much can flow at most."""

from __future__ import annotations

import bisect
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.graph.graph import Graph

_LARGEST = np.iinfo(np.int64).max
_NARROW = np.iinfo(np.int32).max


@dataclass(frozen=True, eq=False)
class Network:
    """A matrix of capacities, whose rows ascend, with two vertices.

    Attributes
    ----------
    indptr : ndarray of int32 or int64, shape (n + 1,)
    indices : ndarray of int32 or int64, shape (m,)
    capacities : ndarray of int32 or int64, shape (m,)
        Not negative.
    source, sink : int
    bound : int
        Larger than any flow, by one: a capacity above it is as good as it. uint64 holds it.
    """

    indptr: npt.NDArray[Any]
    indices: npt.NDArray[Any]
    capacities: npt.NDArray[Any]
    source: int
    sink: int
    bound: int

    @classmethod
    def of(
        cls, indptr: npt.NDArray[Any], indices: npt.NDArray[Any], capacities: npt.NDArray[Any], source: int, sink: int
    ) -> Network:
        """Return the network of rows that are checked.

        Raises
        ------
        OverflowError
            More may flow than int64 holds: across the cut around either vertex, and across one of small edges.
        """
        leaving = _total(capacities[indptr[source] : indptr[source + 1]])
        bound = leaving if leaving <= _NARROW else min(leaving, _total(capacities[indices == sink]))
        if bound > _LARGEST:
            bound = min(bound, _capacity_of_cut(indptr, indices, capacities, source, sink))
        if bound > _LARGEST:
            raise OverflowError(f"up to {bound} may flow, which int64 does not hold")
        return cls(indptr, indices, capacities, source, sink, bound + 1)

    @property
    def n(self) -> int:
        """Number of vertices."""
        return len(self.indptr) - 1

    @property
    def m(self) -> int:
        """Number of edges."""
        return len(self.indices)

    @property
    def leaving(self) -> int:
        """What the edges that leave the source can carry together, each of them the bound at most."""
        capacities = self.capacities[self.indptr[self.source] : self.indptr[self.source + 1]]
        return _total(np.minimum(capacities, min(self.bound, np.iinfo(capacities.dtype).max)))

    @property
    def is_narrow(self) -> bool:
        """Whether 32 bits hold what flows between two vertices in both directions together."""
        return self.bound <= _NARROW


@dataclass(frozen=True, eq=False)
class Found:
    """A flow, and the cut that proves it.

    Attributes
    ----------
    value : int
    flow : ndarray of the capacities' dtype, shape (m,)
        What flows along each edge.
    is_source_side : ndarray of bool, shape (n,)
        Which vertices the source reaches in the residual graph.
    rounds : int
        Phases of Dinic's algorithm, or rounds of the other one.
    """

    value: int
    flow: npt.NDArray[Any]
    is_source_side: npt.NDArray[np.bool_]
    rounds: int


def _capacity_of_cut(
    indptr: npt.NDArray[Any], indices: npt.NDArray[Any], capacities: npt.NDArray[Any], source: int, sink: int
) -> int:
    """Return the capacity of a cut whose largest edge is as small as that of any: none has no limit, if that can be.

    It is between what the source reaches by edges that can carry more than some amount, and the rest.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import breadth_first_order

    n = len(indptr) - 1
    amounts = np.unique(capacities)

    def reached(amount: Any) -> npt.NDArray[np.bool_]:
        larger = csr_array((capacities > amount, indices, indptr), shape=(n, n), copy=True)
        larger.eliminate_zeros()
        mask = np.zeros(n, np.bool_)
        mask[breadth_first_order(larger, source, return_predecessors=False)] = True
        return mask

    first = bisect.bisect_left(range(len(amounts)), True, key=lambda place: not reached(amounts[place])[sink])
    side = reached(amounts[first])
    return _total(capacities[np.repeat(side, np.diff(indptr)) & ~side[indices]])


def _total(capacities: npt.NDArray[Any]) -> int:
    """Return the sum, which no type of numpy may hold."""
    if len(capacities) == 0 or len(capacities) * int(capacities.max()) <= _LARGEST:
        return int(capacities.sum(dtype=np.int64))
    return sum(capacities.tolist())


def capacities_of(graph: Graph) -> npt.NDArray[Any]:
    """Return the weights of a graph as capacities, int32 or int64.

    Raises
    ------
    ValueError
        One is negative, or no integer that int64 holds; the message names the edge.
    """
    weights = graph.weights
    if graph.has_negative_weights:
        raise ValueError(f"capacity of {_edge(graph, weights < 0)}, expected one that is not negative")
    if weights.dtype.kind == "f":
        wrong = (weights != np.rint(weights)) | (weights >= 2.0**63)
        if wrong.any():
            raise ValueError(f"capacity of {_edge(graph, wrong)}, expected an integer that int64 holds")
        return weights.astype(np.int64)
    return weights


def refuse_unlimited(graph: Any) -> None:
    """Raise ValueError for an infinite weight of networkx, which means no limit there: a Graph has no such edge."""
    for tail, head, weight in graph.edges(data="weight", default=1):
        if weight == math.inf:
            raise ValueError(
                f"capacity of the edge from {tail!r} to {head!r} is {weight}, expected an integer that int64 holds; "
                "one that is larger than any flow does for no limit"
            )


def _edge(graph: Graph, wrong: npt.NDArray[np.bool_]) -> str:
    """Return the first edge that is wrong as an error shows it."""
    edge = int(np.argmax(wrong))
    tail = int(np.searchsorted(graph.indptr, edge, side="right")) - 1
    names = graph.names
    return f"the edge from {names[tail]!r} to {names[int(graph.indices[edge])]!r} is {graph.weights[edge]}"
