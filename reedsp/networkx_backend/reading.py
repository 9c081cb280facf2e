"""What is read from networkx' dicts: the ends of edges, and weights in the type in which their sums are exact."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from reedsp.graph.graph import EXACT_IN_FLOAT64, Graph, transposed

EXACT_IN_INT64 = 2**62
"""Sums that are computed in int64 are less than this."""

_LARGEST_FLOAT = 1e308


class Consecutive(Mapping[Hashable, int]):
    """The indices of nodes that are consecutive integers, or equal to them.

    Parameters
    ----------
    first, count : int
    """

    def __init__(self, first: int, count: int) -> None:
        self.first = first
        self._count = count

    def __getitem__(self, node: Hashable) -> int:
        if type(node) is int:
            if 0 <= node - self.first < self._count:
                return node - self.first
            raise KeyError(node)
        return self._of_equal[node]

    @cached_property
    def _of_equal(self) -> dict[Hashable, int]:
        """The index by whatever equals a node, as 2.0 does 2."""
        return {node: index for index, node in enumerate(self)}

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.first, self.first + self._count))

    def __len__(self) -> int:
        return self._count


@dataclass(frozen=True)
class Ends:
    """The ends of edges, by tail and then in networkx' order.

    Attributes
    ----------
    indptr : ndarray of int64, shape (n + 1,)
        Where the edges of each tail begin.
    tails, heads : ndarray of int32, shape (m,)
    """

    indptr: npt.NDArray[np.int64]
    tails: npt.NDArray[np.int32]
    heads: npt.NDArray[np.int32]

    @cached_property
    def _sorted(self) -> _Sorted:
        rows, tails, by_head = transposed(self.indptr, self.heads, np.arange(len(self.heads)))
        _, heads, by_tail = transposed(rows, tails, by_head)
        symmetric = np.array_equal(rows, self.indptr) and np.array_equal(tails, heads)
        return _Sorted(heads, by_tail, by_head, symmetric)

    def graph(self, costs: npt.NDArray[Any], undirected: bool) -> Graph:
        """Return the graph of these edges with finite weights, which in an undirected one are the same both ways."""
        heads, order, _, symmetric = self._sorted
        rows = self.indptr, heads, costs[order] + 0  # -0.0 + 0 is 0.0
        return Graph._of_rows(rows, directed=not (undirected and symmetric), offset=0)

    @cached_property
    def place(self) -> npt.NDArray[np.int64]:
        """Of edges in both directions the index of each among those whose tail is not behind the head."""
        opposite = np.empty(len(self.heads), np.int64)
        opposite[self._sorted.by_tail] = self._sorted.by_head
        first = self.tails <= self.heads
        index = np.cumsum(first) - 1
        return np.where(first, index, index[opposite])


class _Sorted(NamedTuple):
    """Edges in other orders.

    Attributes
    ----------
    heads : ndarray of int32, shape (m,)
        By tail and then by head.
    by_tail : ndarray of int64, shape (m,)
        Which edges these are.
    by_head : ndarray of int64, shape (m,)
        Which edges come one after the other by head and then by tail.
    symmetric : bool
        Whether each edge is there in both directions.
    """

    heads: npt.NDArray[np.int32]
    by_tail: npt.NDArray[np.int64]
    by_head: npt.NDArray[np.int64]
    symmetric: bool


class Weights:
    """Weights as they are given.

    Attributes
    ----------
    values : list
    kinds : set of type
        Those of the values.
    """

    def __init__(self) -> None:
        self.values: list[Any] = []
        self.kinds: set[type] = set()
        self._parts: list[npt.NDArray[Any]] | None = [np.empty(0, np.int64)]

    def extend(self, values: list[Any]) -> None:
        """Add some values, few enough that they are still in the processor's cache when they are looked at again."""
        self.values += values
        self.kinds.update(map(type, values))
        if self._parts is None or not (self.kinds <= {int, bool} or self.kinds == {float}):
            self._parts = None
            return
        try:
            self._parts.append(np.fromiter(values, np.float64 if float in self.kinds else np.int64, len(values)))
        except OverflowError:
            self._parts = None

    @property
    def is_mixed(self) -> bool:
        """Whether distances may be int or float."""
        return float in self.kinds and len(self.kinds) > 1

    def costs(self, n: int) -> npt.NDArray[Any] | None:
        """Return the weights in a type in which a device's sums of n of them are Python's, or None.

        That is so for integers, and for floats, because a distance is the sum from the source on; where both are
        mixed, if the sums of the integers are exact in float64.
        """
        if not self.kinds <= {int, bool, float}:
            return None
        if self.is_mixed:
            largest = max(abs(value) for value in self.values if type(value) is not float)
            if largest * (n + 1) >= EXACT_IN_FLOAT64:
                return None
            costs = np.fromiter(self.values, np.float64, len(self.values))
        elif self._parts is None:
            return None
        else:
            costs = np.concatenate(self._parts)
        if float not in self.kinds:
            return costs if _largest(costs) * (n + 1) < EXACT_IN_INT64 else None
        return costs if np.isfinite(costs).all() and _largest(costs) * (n + 1) < _LARGEST_FLOAT else None


def _largest(costs: npt.NDArray[Any]) -> int | float:
    largest: int | float = max(-costs.min(initial=0).item(), costs.max(initial=0).item())
    return largest
