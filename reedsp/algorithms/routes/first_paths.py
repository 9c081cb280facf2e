"""The first of all equally short paths from one vertex to each other: of those with fewest edges the least by indices.

A breadth-first search that looks at vertices in ascending order, along those edges only that lie on shortest paths,
takes each vertex from the one before it on its first path: it queues vertices by their numbers of edges, then by paths.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.arithmetic.types import infinity
from reedsp.graph.graph import Graph


class FirstPaths:
    """The first paths from one vertex.

    Parameters
    ----------
    graph : Graph
        Its weights are integers.
    source : int
    dist : ndarray of int64, shape (n,)
        Distances from the source.
    """

    def __init__(self, graph: Graph, source: int, dist: npt.NDArray[np.int64]) -> None:
        tails = np.repeat(np.arange(graph.n, dtype=np.int32), np.diff(graph.indptr))
        before = dist[tails]
        is_tight = (before + graph.weights.astype(np.int64) == dist[graph.indices]) & (before != infinity(dist.dtype))
        self._source = source
        tree: Any = before_on_first_paths(graph.indptr, graph.indices, is_tight, source)
        self._before = memoryview(tree)

    def to(self, vertex: int) -> list[int]:
        """Return the vertices of the first path to one that can be reached."""
        path = [vertex]
        while path[-1] != self._source:
            path.append(self._before[path[-1]])
        path.reverse()
        return path


def before_on_first_paths(
    indptr: npt.NDArray[Any], heads: npt.NDArray[Any], is_tight: npt.NDArray[np.bool_], source: int
) -> npt.NDArray[np.int32]:
    """Return the vertex before each one that can be reached.

    Parameters
    ----------
    indptr, heads : ndarray
        Of a CSR matrix, whose columns ascend.
    is_tight : ndarray of bool
        Which edges are on shortest paths from the source.
    source : int
    """
    import scipy.sparse.csgraph

    n = len(indptr) - 1
    heads = heads.compress(is_tight)
    counts = np.concatenate(([0], np.cumsum(is_tight)))[indptr]
    rows = scipy.sparse.csr_array((np.ones(len(heads), np.int8), heads, counts), shape=(n, n))
    before: npt.NDArray[np.int32] = scipy.sparse.csgraph.breadth_first_order(rows, source)[1]
    return before
