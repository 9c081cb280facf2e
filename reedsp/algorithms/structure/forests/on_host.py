"""Spanning forests of small graphs, by SciPy's Kruskal's algorithm, with the bytes of a device."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.algorithms.structure.forests.edges import in_order
from reedsp.graph.graph import Graph, edge_sources


def forest_on_host(graph: Graph, maximum: bool) -> tuple[npt.NDArray[np.int32], npt.NDArray[Any]]:
    """Return the ends of the edges of the forest, the smaller one first, and their weights.

    Their numbers in the one order of all edges are what SciPy is given for weights: no two of them are equal.
    """
    import scipy.sparse.csgraph

    tails, heads, weights = edge_sources(graph), graph.indices, graph.weights
    ordered = in_order(weights)
    smaller, larger = np.minimum(tails, heads), np.maximum(tails, heads)
    number = np.lexsort((larger, smaller, ~ordered if maximum else ordered))
    ranks = np.empty(graph.m)
    ranks[number] = np.arange(1, graph.m + 1)
    rows = ranks, heads, graph.indptr.astype(np.int32)
    tree = scipy.sparse.csgraph.minimum_spanning_tree(scipy.sparse.csr_array(rows, shape=(graph.n, graph.n)))
    chosen = number[tree.data.astype(np.int64) - 1]
    chosen = chosen[np.lexsort((larger[chosen], smaller[chosen]))]
    return np.column_stack((smaller[chosen], larger[chosen])), weights[chosen]
