"""Searches on the host that end close to where they begin, or begin at the nearest of several vertices."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.algorithms.single_source.host.nearby import search_nearby
from reedsp.algorithms.single_source.host.routines import routines
from reedsp.algorithms.single_source.host.trees import trees
from reedsp.cost_model.place import is_for_host, is_limited_for_host, serves
from reedsp.csgraph.matrix import compressed_rows, vertices_of
from reedsp.csgraph.small import edges_both_ways, extent_of, small_matrix

_SPEAKING = 4
"""Sources that are looked at for all."""

_Found = tuple[npt.NDArray[np.float64], npt.NDArray[np.int32] | None]


def within(
    csgraph: Any,
    indices: npt.ArrayLike | None,
    limit: float,
    *,
    min_only: bool,
    unweighted: bool,
    predecessors: bool,
) -> _Found | None:
    """Return the distances from one vertex, or the nearest of several, and predecessors if they are wanted.

    None where more than a little lies within the limit, for what :func:`.small_matrix` serves, and for
    anything but CSR matrices of numbers that are not negative, whose sums float64 holds.
    """
    rows = compressed_rows(csgraph)
    if limit == np.inf or rows is None or indices is None or not serves():
        return None
    indptr, heads, data = rows
    n, m = len(indptr) - 1, len(heads)
    if is_for_host(n, m, 1, unweighted) or data.dtype.kind not in "biuf" or not len(data) == m > 0:
        return None
    vertices = vertices_of(indices, n)
    starts = vertices.reshape(-1).tolist()
    if not starts or (len(starts) > 1 and not min_only):
        return None
    weights = None if unweighted else data
    found = search_nearby(indptr, heads, weights, starts, limit)
    if found is None or extent_of(rows) is None:  # a pass over all edges
        return None
    shape = (n,) if min_only else (*vertices.shape, n)
    dist = found.distances(n).reshape(shape)
    if not predecessors:
        return dist, None
    return dist, found.predecessors(indptr, heads, weights, starts, direct=not min_only).reshape(shape)


def are_within(
    matrix: Any, sources: npt.NDArray[np.int64], limit: float, *, unweighted: bool, predecessors: bool
) -> bool:
    """Return whether SciPy is likely to find sooner than a device what lies within a limit of each source.

    Parameters
    ----------
    matrix : CSR matrix of float64
        Checked, with edges in one direction.
    sources : ndarray of int64, shape (rows,)
        Some that have edges speak for the others.
    """
    weights = None if unweighted else matrix.data
    leaving = matrix.indptr.take(sources + 1) > matrix.indptr.take(sources)
    speaking = sources.compress(leaving)
    reached = []
    for source in speaking[:: max(1, len(speaking) // _SPEAKING)][:_SPEAKING].tolist():
        found = search_nearby(matrix.indptr, matrix.indices, weights, [source], limit)
        if found is None:
            return False
        reached.append(len(found.vertices))
    n, m, rows = matrix.shape[0], len(matrix.indices), len(sources)
    return bool(reached) and is_limited_for_host(n, m, rows, max(reached), predecessors)


def nearest_on_host(
    csgraph: Any, directed: bool, indices: npt.ArrayLike | None, limit: float, *, unweighted: bool, predecessors: bool
) -> _Found | None:
    """Return what is found from the nearest of several vertices, as :func:`within`; None where that is for a device."""
    if (small := small_matrix(csgraph, unweighted)) is None:
        return None
    matrix = small.matrix
    starts = vertices_of(indices, matrix.shape[0]).reshape(-1)
    if len(starts) == 0:
        return None
    dist = routines().dijkstra(matrix, directed, starts, False, unweighted, limit, True)
    if not predecessors:
        return dist, None
    indptr, heads, weights = (matrix.indptr, matrix.indices, matrix.data) if directed else edges_both_ways(matrix)
    edges = indptr, heads, np.ones(len(heads)) if unweighted else weights
    return dist, trees(*edges, dist[None], [starts.tolist()])[0]
