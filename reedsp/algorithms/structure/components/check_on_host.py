"""What components are checked by where there is no device: numpy for edges, and SciPy's breadth-first search."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from reedsp.graph.graph import Graph, edge_sources


def look_at_edges(
    graph: Graph, labels: npt.NDArray[np.int32], count: int, strong: bool
) -> tuple[int, npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Return a vertex with a wrong edge, or n, and `smallest` and `highest` of cl/components/verify.cl."""
    sources = edge_sources(graph)
    own, other = labels[sources], labels[graph.indices]
    wrong = np.flatnonzero(other > own if strong else other != own)
    smallest, highest = np.full(count, graph.n, np.int32), np.full(count, -1, np.int32)
    np.minimum.at(smallest, labels, np.arange(graph.n, dtype=np.int32))
    lower = other < own
    np.maximum.at(highest, own[lower], other[lower])
    return int(sources[wrong[0]]) if len(wrong) else graph.n, smallest, highest


def reached_from(graph: Graph, source: int) -> npt.NDArray[np.bool_]:
    """Return which vertices edges lead to from one."""
    import scipy.sparse
    from scipy.sparse.csgraph import breadth_first_order

    rows = np.ones(graph.m, np.int8), graph.indices, graph.indptr
    found = np.zeros(graph.n, np.bool_)
    matrix = scipy.sparse.csr_array(rows, shape=(graph.n, graph.n))
    found[breadth_first_order(matrix, source, return_predecessors=False)] = True
    return found
