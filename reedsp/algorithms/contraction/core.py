"""What is left of a graph while its vertices are contracted."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from reedsp.algorithms.contraction.exact import Units
from reedsp.graph.graph import Graph, edge_sources, is_symmetric, transposed

ORIGINAL = -1
"""In place of what a shortcut stands for, of an edge of the graph."""


class Edges(NamedTuple):
    """Some edges, each with what it stands for."""

    tails: npt.NDArray[np.int64]
    heads: npt.NDArray[np.int64]
    weights: npt.NDArray[Any]
    parts: npt.NDArray[np.int32]

    def chosen(self, which: npt.NDArray[Any] | slice) -> Edges:
        """Return some of them."""
        return Edges(self.tails[which], self.heads[which], self.weights[which], self.parts[which])

    def followed_by(self, others: Edges) -> Edges:
        """Return these and then some others."""
        both: Any = zip(self, others, strict=True)
        return Edges(*map(np.concatenate, both))


class Core:
    """The vertices that are not contracted, and the edges between them, by the vertex that they leave.

    Attributes
    ----------
    names : ndarray of int32, shape (n,)
        Which vertices of the graph they are.
    edges : Edges
        Sorted by tails, then heads.
    first_out, first_in : ndarray of uint32, shape (n + 1,)
    out_degrees, in_degrees : ndarray of int64, shape (n,)
    entering : ndarray of int32, shape (m,)
        The edges by the vertex that they end at.
    symmetric : bool
    """

    def __init__(self, names: npt.NDArray[np.int32], edges: Edges, symmetric: bool) -> None:
        self.names, self.edges, self.symmetric = names, edges, symmetric
        self.n: int = len(names)
        self.m: int = len(edges.heads)
        self._keys = edges.tails * self.n + edges.heads
        ends = np.bincount(edges.tails, minlength=self.n).cumsum()
        self.first_out = np.concatenate(([0], ends)).astype(np.uint32)
        numbers = np.arange(self.m, dtype=np.int32)
        first_in, _, self.entering = transposed(self.first_out.astype(np.int64), edges.heads.astype(np.int32), numbers)
        self.first_in = first_in.astype(np.uint32)
        self.in_degrees = _degrees(self.first_in)
        self.out_degrees = _degrees(self.first_out)

    @classmethod
    def of(cls, graph: Graph, units: Units) -> Core:
        """Return all vertices of a graph, and the edges between different ones."""
        tails, heads = edge_sources(graph).astype(np.int64), graph.indices.astype(np.int64)
        symmetric = not graph.directed or is_symmetric(graph.indptr, graph.indices, graph.weights)
        kept = tails != heads
        parts = np.full((int(kept.sum()), 2), ORIGINAL, np.int32)
        edges = lightest(Edges(tails[kept], heads[kept], units.weights[kept], parts), graph.n)
        return cls(np.arange(graph.n, dtype=np.int32), edges, symmetric)

    def without(self, goes: npt.NDArray[np.bool_], shortcuts: Edges) -> Core:
        """Return what is left when some vertices go, of parallel edges the lightest."""
        edges, stays = self.edges, ~goes
        added = lightest(shortcuts, self.n)
        keys = added.tails * self.n + added.heads
        at = np.searchsorted(self._keys, keys)
        is_new = self._keys[np.minimum(at, self.m - 1)] != keys
        parallel = np.flatnonzero(~is_new)
        lighter = parallel[added.weights[parallel] < edges.weights[at[parallel]]]
        best = np.arange(self.m)
        best[at[lighter]] = self.m + lighter
        kept, new = np.flatnonzero(stays[edges.tails] & stays[edges.heads]), np.flatnonzero(is_new)
        order = np.insert(best[kept], np.searchsorted(kept, at[new]), self.m + new)
        joined = edges.followed_by(added).chosen(order)
        number = stays.cumsum() - 1
        left = joined._replace(tails=number[joined.tails], heads=number[joined.heads])
        return Core(self.names[stays], left, self.symmetric)


def lightest(edges: Edges, n: int) -> Edges:
    """Return edges between n vertices in the order of tails, then heads, of parallel ones the lightest."""
    keys = edges.tails * n + edges.heads
    if (keys[1:] > keys[:-1]).all():
        return edges
    order = np.lexsort((edges.weights, keys))
    keys = keys[order]
    order = order[np.concatenate((keys[:1] == keys[:1], keys[1:] != keys[:-1]))]
    return edges.chosen(order)


def ranges(first: npt.NDArray[Any], rows: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Return the indices of what belongs to some rows, one after the other, where each begins at ``first[row]``."""
    begins = first[rows].astype(np.int64)
    counts = first[rows + 1].astype(np.int64) - begins
    before = counts.cumsum() - counts
    return np.repeat(begins - before, counts) + np.arange(counts.sum())


def _degrees(first: npt.NDArray[np.uint32]) -> npt.NDArray[np.int64]:
    return first[1:].astype(np.int64) - first[:-1].astype(np.int64)
