"""What is left of a graph while its vertices are contracted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.algorithms.contraction.exact import Units
from reedsp.graph.graph import Graph, edge_sources, is_symmetric, transposed

ORIGINAL = -1
"""In place of what a shortcut stands for, of an edge of the graph."""


@dataclass(frozen=True)
class Edges:
    """Some edges, each with what it stands for."""

    tails: npt.NDArray[np.int64]
    heads: npt.NDArray[np.int64]
    weights: npt.NDArray[Any]
    parts: npt.NDArray[np.int32]


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
        edges = Edges(tails[kept], heads[kept], units.weights[kept], parts)
        return cls(np.arange(graph.n, dtype=np.int32), edges, symmetric)

    def without(self, goes: npt.NDArray[np.bool_], shortcuts: Edges) -> Core:
        """Return what is left when some vertices go, of parallel edges the lightest."""
        edges, stays = self.edges, ~goes
        kept = stays[edges.tails] & stays[edges.heads]
        number = stays.cumsum() - 1
        left = int(stays.sum())
        tails = number[np.concatenate((edges.tails[kept], shortcuts.tails))]
        heads = number[np.concatenate((edges.heads[kept], shortcuts.heads))]
        weights = np.concatenate((edges.weights[kept], shortcuts.weights))
        parts = np.concatenate((edges.parts[kept], shortcuts.parts))
        keys = tails * left + heads
        order = np.argsort(keys, kind="stable")
        keys, weights = keys[order], weights[order]
        begins = np.flatnonzero(np.concatenate((keys[:1] == keys[:1], keys[1:] != keys[:-1])))
        if len(begins) < len(keys):
            lightest = np.minimum.reduceat(weights, begins)
            pair = np.repeat(np.arange(len(begins)), np.diff(np.append(begins, len(keys))))
            light = np.flatnonzero(weights == lightest[pair])
            order = order[light[np.unique(pair[light], return_index=True)[1]]]
            weights = lightest
        return Core(self.names[stays], Edges(tails[order], heads[order], weights, parts[order]), self.symmetric)


def ranges(first: npt.NDArray[Any], rows: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Return the indices of what belongs to some rows, one after the other, where each begins at ``first[row]``."""
    begins = first[rows].astype(np.int64)
    counts = first[rows + 1].astype(np.int64) - begins
    before = counts.cumsum() - counts
    return np.repeat(begins - before, counts) + np.arange(counts.sum())


def _degrees(first: npt.NDArray[np.uint32]) -> npt.NDArray[np.int64]:
    return first[1:].astype(np.int64) - first[:-1].astype(np.int64)
