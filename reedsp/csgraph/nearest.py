"""Searches on the host that end close to where they begin, or begin at the nearest of several vertices."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse

from reedsp.algorithms.single_source.host.by_hand import search_by_hand
from reedsp.algorithms.single_source.host.nearby import connected_nearby, edges_between, search_nearby
from reedsp.algorithms.single_source.host.routines import routines
from reedsp.algorithms.single_source.host.searches import dijkstra
from reedsp.algorithms.single_source.host.trees import choose_smallest, trees
from reedsp.algorithms.single_source.sssp import nearest_source
from reedsp.cost_model.place import is_for_host, is_limited_for_host, is_searched_by_hand, serves
from reedsp.csgraph.matrix import Rows, are_indices, compressed_rows, vertices_of
from reedsp.csgraph.small import edges_both_ways, extent_of, last_edges, small_matrix
from reedsp.edges.device_graph import NO_VERTEX

_FEW = 8
"""Sources from which is looked for what is near where SciPy takes microseconds for each, or edges lead both ways."""

_ALIKE = 4
"""Steps along a tree after which the sources of another one tend to be right."""

_SPEAKING = 4
"""Sources that are looked at for all."""

_Vertices = npt.NDArray[np.int32]
_Found = tuple[npt.NDArray[np.float64], _Vertices | None]


def within(
    csgraph: Any,
    directed: bool,
    indices: npt.ArrayLike | None,
    limit: float,
    *,
    min_only: bool,
    unweighted: bool,
    predecessors: bool,
) -> _Found | None:
    """Return the distances from a few vertices, or the nearest of several, and predecessors if they are wanted.

    None where more than a little lies within the limit, or can be reached if that is infinite, for what
    :func:`.small_matrix` serves, and for anything but CSR matrices of numbers that are not negative, whose sums float64
    holds.
    """
    rows = compressed_rows(csgraph)
    if rows is None or indices is None or not (serves() and are_indices(*rows[:2])):
        return None
    indptr, heads, data = rows
    n, m = len(indptr) - 1, len(heads)
    if data.dtype.kind not in "biuf" or not len(data) == m > 0:
        return None
    most = 1 if min_only or isinstance(indices, (int, np.integer)) else _FEW
    if is_for_host(n, m, most, unweighted):  # before the vertices are looked at, which takes as long as a small search
        return None
    vertices = vertices_of(indices, n)
    starts = vertices.reshape(-1).tolist()
    sets = [starts] if min_only else [[start] for start in starts]
    few_only = not directed or is_for_host(n, m, 1, unweighted)
    if not starts or (few_only and len(sets) > _FEW) or is_for_host(n, m, len(sets), unweighted):
        return None
    wanted = unweighted, predecessors, not min_only
    found = _one_way(rows, sets, limit, *wanted) if directed else _found_both_ways(rows, sets, limit, *wanted)
    if found is None:
        return None
    dist, pred = found
    shape = (n,) if min_only else (*vertices.shape, n)
    return dist.reshape(shape), None if pred is None else pred.reshape(shape)


def _one_way(
    rows: Rows, sets: list[list[int]], limit: float, unweighted: bool, predecessors: bool, direct: bool
) -> _Found | None:
    """Return what is found from each set of vertices, if that is little and weights are right."""
    indptr, heads, data = rows
    edges = indptr, heads, None if unweighted else data
    nearby = search_nearby(*edges, sets, limit)
    if nearby is None or extent_of(rows) is None:  # a pass over all edges
        return None
    return nearby.distances(), nearby.predecessors(*edges, sets, direct=direct) if predecessors else None


def _found_both_ways(
    rows: Rows, sets: list[list[int]], limit: float, unweighted: bool, predecessors: bool, direct: bool
) -> _Found | None:
    """Do so with edges both ways, without a limit in what is connected to the vertices alone."""
    indptr, heads, data = rows
    if limit < np.inf:
        nearby = search_nearby(indptr, heads, None if unweighted else data, sets, limit)
        if nearby is None or extent_of(rows) is None:
            return None
        return _both_ways(rows, sets, limit, unweighted, predecessors, direct)
    near = connected_nearby(indptr, heads, [start for some in sets for start in some])
    if near is None or extent_of(rows) is None:
        return None
    begins, ends, edges = edges_between(indptr, heads, near)
    begun = [near.searchsorted(some).tolist() for some in sets]
    dist, before = _both_ways((begins, ends, data.take(edges)), begun, limit, unweighted, predecessors, direct)
    far = np.full((len(sets), len(indptr) - 1), np.inf)
    far[:, near] = dist
    return far, None if before is None else _renamed(before, near, len(indptr) - 1)


def _renamed(before: _Vertices, near: npt.NDArray[np.int64], n: int) -> _Vertices:
    """Return the predecessors of n vertices, from those of some in a graph of their own."""
    pred = np.full((len(before), n), NO_VERTEX, np.int32)
    pred[:, near] = np.where(before < 0, NO_VERTEX, near.take(before, mode="clip"))
    return pred


def _both_ways(
    rows: Rows, sets: list[list[int]], limit: float, unweighted: bool, predecessors: bool, direct: bool
) -> tuple[npt.NDArray[np.float64], _Vertices | None]:
    """Return what SciPy finds with edges both ways, in a matrix that has been checked, from each set of vertices."""
    indptr, heads, data = rows
    matrix = scipy.sparse.csr_array((data.astype(np.float64, copy=False), heads, indptr), shape=(len(indptr) - 1,) * 2)
    starts, nearest = [start for some in sets for start in some], len(sets) == 1
    dist = routines().dijkstra(matrix, False, starts, False, unweighted, limit, nearest)
    dist = dist[None] if nearest else dist
    if not predecessors:
        return dist, None
    near = (dist < np.inf).any(axis=0).nonzero()[0]  # no edge of others is on a path
    indptr, heads, weights = edges_both_ways(matrix[near][:, near])
    edges = indptr, heads, np.ones(len(heads)) if unweighted else weights
    begun = [near.searchsorted(some).tolist() for some in sets]
    before = trees(*edges, dist[:, near], begun, direct=direct)
    return dist, _renamed(before, near, dist.shape[1])


def are_within(
    matrix: Any, sources: npt.NDArray[np.int64], limit: float, *, unweighted: bool, predecessors: bool
) -> bool:
    """Return whether SciPy is likely to find sooner than a device what lies within a limit of each source.

    Parameters
    ----------
    matrix : CSR matrix of float64
        Checked, with edges in one direction.
    sources : ndarray of int64, shape (rows,)
        Some that have edges speak for the others that have.
    """
    n, m, rows = matrix.shape[0], len(matrix.indices), len(sources)
    speaking = sources.compress(matrix.indptr.take(sources + 1) > matrix.indptr.take(sources))
    if len(speaking) == 0:
        return False
    if is_limited_for_host(n, m, rows, n // 2, predecessors):  # however far the limit is
        return True
    some = speaking[:: max(1, len(speaking) // _SPEAKING)][:_SPEAKING]
    dist, _ = dijkstra(matrix, some, limit, unweighted, predecessors=False)
    reached = np.count_nonzero(dist < np.inf) / len(some) * len(speaking) / rows
    return is_limited_for_host(n, m, rows, reached, predecessors)


def nearest_on_host(
    csgraph: Any, directed: bool, indices: npt.ArrayLike | None, limit: float, *, unweighted: bool, predecessors: bool
) -> tuple[npt.NDArray[np.float64], _Vertices | None, _Vertices | None] | None:
    """Return what is found from the nearest of several vertices, and which; None where that is for a device."""
    if (small := small_matrix(csgraph, unweighted)) is None:
        return None
    matrix = small.matrix
    starts = vertices_of(indices, matrix.shape[0]).reshape(-1)
    if len(starts) == 0:
        return None
    if (small.progress or unweighted) and is_searched_by_hand(matrix.shape[0], len(matrix.data)):
        tree = search_by_hand(matrix, starts.tolist(), limit, unweighted, directed)
        return tree if predecessors else (tree.dist, None, None)
    found = routines().dijkstra(matrix, directed, starts, predecessors, unweighted, limit, True)
    if not predecessors:
        return found, None, None
    dist, before, sources = found
    if directed:
        indptr, heads, weights = matrix.indptr, matrix.indices, matrix.data
    else:
        indptr, heads, weights = edges_both_ways(last_edges(matrix, dist[None], unweighted))
    edges = indptr, heads, np.ones(len(heads)) if unweighted else weights
    if not (small.progress or unweighted):
        pred = trees(*edges, dist[None], [starts.tolist()])[0]
        return dist, pred, nearest_source(pred, starts.tolist())
    pred = before.copy()
    choose_smallest(*edges, dist[None], pred[None], np.array([NO_VERTEX]))  # no edge from a source comes first
    return dist, pred, _sources_of(pred, sources, starts)


def _sources_of(pred: _Vertices, nearly: _Vertices, starts: npt.NDArray[np.int64]) -> _Vertices:
    """Return the sources of a tree, from those of another one with the same distances."""
    before = np.where(pred >= 0, pred, np.arange(len(pred), dtype=np.int32))
    for _ in range(_ALIKE):
        further = nearly.take(before)
        if np.array_equal(further, nearly):
            return nearly
        nearly = further
    return nearest_source(pred, starts.tolist())
