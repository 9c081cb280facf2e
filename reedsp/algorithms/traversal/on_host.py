"""Breadth-first search on the host, by SciPy: for graphs so small that a device would not have begun meanwhile.

The levels are lengths of shortest paths along edges of weight 1, and the tree follows from these, so that the answers
are those of the kernels.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.algorithms.single_source.host.searches import dijkstra
from reedsp.algorithms.single_source.host.trees import trees
from reedsp.graph.graph import Graph

_KEY = "matrix_of_ones"
_NO_PATH = -1


def search(graph: Graph, sources: Sequence[int], answers: npt.NDArray[np.int32]) -> None:
    """Fill `answers`, levels and predecessors from each source, of shape (sources, 2, n).

    Parameters
    ----------
    graph : Graph
    sources : sequence of int
    answers : ndarray
    """
    edges: Any = graph._derived.get(_KEY)
    if edges is None:
        import scipy.sparse

        ones = np.ones(graph.m), graph.indices, graph.indptr
        edges = graph._derived[_KEY] = scipy.sparse.csr_array(ones, shape=(graph.n, graph.n))
    dist, pred = dijkstra(edges, sources)
    starts = [[source] for source in sources]
    answers[:, 1] = trees(graph.indptr, graph.indices, edges.data, dist, starts, pred)
    answers[:, 0] = np.where(np.isinf(dist), _NO_PATH, dist)
