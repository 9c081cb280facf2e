"""All pairs of a small graph on the host: SciPy's distances of integer weights, with the predecessors of the kernels.

The smallest predecessor is chosen, or the source, by the rule of docs/explanation/exactness.md; which way is quickest
depends on the numbers of vertices and edges.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse.csgraph import floyd_warshall as scipy_floyd_warshall

from reedsp.algorithms.single_source.host.trees import choose_smallest, trees
from reedsp.edges.device_graph import NO_VERTEX

_Trees = tuple[npt.NDArray[np.float64], npt.NDArray[np.int32]]

_IN_DEGREE, _RELAXATIONS = 4, 35_000
"""Edges a vertex, or relaxations in all, up to which SciPy is quick, and so is a look for ties; as measured."""


def floyd_warshall(matrix: Any, unweighted: bool, progress: bool) -> _Trees:
    """Return the distances between all pairs, and predecessors, each of shape (n, n).

    Parameters
    ----------
    matrix : CSR matrix of float64
        Checked: its weights are integers that are not negative, and float64 holds the sums of n of them.
    unweighted : bool
        Have every edge weigh 1.
    progress : bool
        Whether every edge of a shortest path is known to lead to a larger distance.
    """
    n, m = matrix.shape[0], len(matrix.data)
    if unweighted:
        matrix = type(matrix)((np.ones(m), matrix.indices, matrix.indptr), shape=matrix.shape)
    if progress and m > _IN_DEGREE * n and n * m > _RELAXATIONS:
        shift = n.bit_length()
        for dtype in (np.int32, np.int64):
            fits = int(n * matrix.data.max()) + 1 < np.iinfo(dtype).max >> (shift + 1)
            if fits and (found := _by_keys(matrix, dtype, shift)) is not None:
                return found
    dist, pred = scipy_floyd_warshall(matrix, return_predecessors=True)
    if not progress:
        edges = matrix.indptr, matrix.indices, matrix.data
        return dist, trees(*edges, dist, [[source] for source in range(n)], direct=True)
    choose_smallest(matrix.indptr, matrix.indices, matrix.data, dist, pred, np.arange(n))
    return dist, pred


def _by_keys(matrix: Any, dtype: type[np.signedinteger[Any]], shift: int) -> _Trees | None:
    """Have numpy run Floyd-Warshall's algorithm on keys: distances, and in their last bits predecessors.

    None if edges are parallel.
    """
    n, indptr, heads = matrix.shape[0], matrix.indptr, matrix.indices
    vertices, counts = np.arange(n, dtype=dtype), indptr[1:] - indptr[:-1]
    tails = vertices.repeat(counts)
    unit = 1 << shift
    infinity = np.iinfo(dtype).max // 2 & -unit
    keys = np.full((n, n), infinity, dtype)
    keys[tails, heads] = matrix.data.astype(dtype) * unit + tails
    if np.count_nonzero(keys < infinity) != len(heads):
        return None
    keys.flat[:: n + 1] = n  # more than any vertex, so that a path that ends with nothing is never preferred
    edges = keys.copy()
    sums, before, distance = np.empty_like(keys), np.empty((n, 1), dtype), np.array(-unit, dtype)
    columns, rows = list(keys.T[:, :, None]), list(keys)
    for vertex in (np.minimum(counts, np.bincount(heads, minlength=n)) > 0).nonzero()[0].tolist():  # paths lead through
        np.bitwise_and(columns[vertex], distance, before)
        np.add(before, rows[vertex], sums)
        np.minimum(keys, sums, out=keys)
    pred = (keys & (unit - 1)).astype(np.int32)
    np.copyto(pred, vertices[:, None], "unsafe", keys ^ edges < unit)  # the edge from the source
    dist = (keys >> shift).astype(np.float64)
    unreached = keys == infinity
    dist[unreached] = np.inf
    unreached.flat[:: n + 1] = True
    pred[unreached] = NO_VERTEX
    return dist, pred
