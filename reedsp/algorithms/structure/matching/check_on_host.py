"""What a matching is checked by where there is no device: numpy for pairs, and SciPy's breadth-first search."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from reedsp.algorithms.structure.matching.biadjacency import Biadjacency
from reedsp.algorithms.structure.matching.sides import Mates


def broken_on_host(
    graph: Biadjacency, mates: Mates, covers: tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]
) -> dict[str, int]:
    """Return the first vertex that breaks each rule of cl/matching/check.cl, columns counted on from n."""
    graph.refuse_corrupt()
    n, sizes = graph.n, (graph.n, graph.columns)
    mate, own = np.concatenate(mates), np.concatenate([np.arange(size) for size in sizes])
    exists = (mate >= 0) & (mate < np.repeat(sizes[::-1], sizes))
    theirs = np.where(exists, mate + np.repeat((n, 0), sizes), 0)
    rows = _tails(graph)
    has_edge = mate == -1
    has_edge[n:] = True
    has_edge[rows[mates[0][rows] == graph.indices]] = True
    broken = {
        "NO_MATE": np.flatnonzero(~exists & (mate != -1)),
        "NOT_MUTUAL": np.flatnonzero(exists & (mate[theirs] != own)),
        "NO_EDGE": np.flatnonzero(~has_edge),
        "NOT_COVERED": rows[~(covers[0][rows] | covers[1][graph.indices])],
    }
    return {rule: int(vertices[0]) for rule, vertices in broken.items() if len(vertices)}


def reached_on_host(graph: Biadjacency, mates: Mates) -> npt.NDArray[np.bool_]:
    """Return which columns alternating paths lead to from rows that are not matched."""
    import scipy.sparse
    from scipy.sparse.csgraph import breadth_first_order

    n, root = graph.n, graph.n + graph.columns  # a new vertex, with an edge to each of these rows
    free, matched = np.flatnonzero(mates[0] < 0), np.flatnonzero(mates[1] >= 0)
    tails = np.concatenate((_tails(graph), n + matched, np.full(len(free), root)))
    heads = np.concatenate((n + graph.indices, mates[1][matched], free))
    edges = np.ones(len(tails), np.int8), (tails, heads)
    found = np.zeros(root + 1, np.bool_)
    matrix = scipy.sparse.csr_array(edges, shape=(root + 1, root + 1))
    found[breadth_first_order(matrix, root, return_predecessors=False)] = True
    return found[n:root]


def _tails(graph: Biadjacency) -> npt.NDArray[np.intp]:
    return np.repeat(np.arange(graph.n), np.diff(graph.indptr))
