"""Shortest paths on the host, by SciPy's Dijkstra: for inputs so small that a device would not have begun meanwhile.

The answers are those of the kernels, to the last bit. With weights that are not negative the minimum left-to-right sum
is a unique number, and the trees follow from the distances by the rule of docs/explanation/exactness.md.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse.csgraph

from reedsp.edges.device_graph import NO_VERTEX

_NOT_YET = np.int32(2**31 - 1)


def distances(
    matrix: Any, sources: npt.NDArray[Any] | int, directed: bool = True, limit: float = np.inf
) -> npt.NDArray[np.float64]:
    """Return the distances from each source, shape of `sources` + (n,).

    Parameters
    ----------
    matrix : CSR matrix of float64
        Checked: its weights are finite and not negative, and no path is too heavy for float64.
    sources : int or ndarray of int
    directed : bool
        False makes each edge usable in both directions.
    limit : float
        Leave out what is farther away.
    """
    return scipy.sparse.csgraph.dijkstra(matrix, directed, sources, limit=limit)  # type: ignore[no-any-return]


def trees(
    indptr: npt.NDArray[Any],
    heads: npt.NDArray[Any],
    weights: npt.NDArray[Any],
    dist: npt.NDArray[Any],
    sources: npt.NDArray[Any],
    directed: bool = True,
) -> npt.NDArray[np.int32]:
    """Return the predecessors of final distances, shape (rows, n).

    Parameters
    ----------
    indptr, heads, weights : ndarray
        Of a CSR matrix.
    dist : ndarray, shape (rows, n)
        inf where there is no path.
    sources : ndarray of int, shape (rows,)
        One a row.
    directed : bool
        As for :func:`distances`.
    """
    rows, n = dist.shape
    tails = np.arange(n, dtype=heads.dtype).repeat(indptr[1:] - indptr[:-1])
    if not directed:
        tails, heads, weights = np.append(tails, heads), np.append(heads, tails), np.append(weights, weights)
    before, after = dist.take(tails, 1), dist.take(heads, 1)
    tight = (before + weights == after) & (before < np.inf)
    row, edge = (tight & (before < after)).nonzero()
    pred = np.empty(rows * n, np.int32)
    pred.fill(_NOT_YET)
    # The last one that is assigned stays, which is the smallest if tails ascend.
    slots, offered = (row * n + heads.take(edge))[::-1], tails.take(edge)[::-1]
    if directed:
        pred[slots] = offered
    else:
        np.minimum.at(pred, slots, offered)
    found = pred != _NOT_YET
    pred[~found] = NO_VERTEX
    pred = pred.reshape(rows, n)
    if found.sum() + rows != (dist < np.inf).sum():
        for number in range(rows):
            _resolve_by_levels(tails[tight[number]], heads[tight[number]], pred[number], int(sources[number]))
    return pred


def _resolve_by_levels(
    tails: npt.NDArray[Any], heads: npt.NDArray[Any], pred: npt.NDArray[np.int32], source: int
) -> None:
    """Give each vertex that tight edges lead to a predecessor, one hop level after the other.

    Those that have one, and the source, are at level 0; of several, the smallest vertex one level below it is.
    """
    below = pred != NO_VERTEX
    below[source] = True
    resolved = below.copy()
    while below.any():
        leads = below[tails] & ~resolved[heads]
        offered = np.full(len(pred), _NOT_YET)
        np.minimum.at(offered, heads[leads], tails[leads].astype(np.int32))
        below = offered != _NOT_YET
        pred[below] = offered[below]
        resolved |= below
