"""What these functions find on the host, in small matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse.csgraph import NegativeCycleError
from scipy.sparse.csgraph import floyd_warshall as scipy_floyd_warshall

from reedsp.algorithms.all_pairs.on_host import floyd_warshall
from reedsp.algorithms.single_source.host.by_hand import search_each_by_hand
from reedsp.algorithms.single_source.host.searches import dijkstra
from reedsp.algorithms.single_source.host.signed import are_integral, most_lost, solve_signed
from reedsp.algorithms.single_source.host.trees import choose_smallest, trees
from reedsp.cost_model.counts import TILE
from reedsp.cost_model.place import is_for_host, is_matrix_for_host, is_searched_by_hand, is_signed_for_host
from reedsp.csgraph.matrix import vertices_of
from reedsp.csgraph.nearest import are_within, within
from reedsp.csgraph.small import Small, both_ways, edges_both_ways, last_edges, small_matrix
from reedsp.edges.device_graph import NO_VERTEX

_Dist = npt.NDArray[np.float64]
_DistAndPred = tuple[_Dist, npt.NDArray[np.int32]]

FEW_TO_SEARCH = 100
"""Vertices up to which each one searches by "auto" where sums are rounded, as Dijkstra's algorithm adds; for more, see
:func:`reedsp.apsp`. They alone decide, so that the host and all devices return the same bytes."""


def search_on_host(
    csgraph: Any,
    directed: bool,
    indices: npt.ArrayLike | None,
    return_predecessors: bool,
    unweighted: bool,
    limit: float = np.inf,
    *,
    auto: bool = False,
    signed: bool = False,
    everywhere: bool = False,
) -> _Dist | _DistAndPred | None:
    """Return what is found from each vertex, or None where that is not for the host.

    With `auto` the sums of all pairs are those of the algorithm that `shortest_path` takes by itself. Weights may be
    negative if they may be `signed`, and `everywhere` has cycles of negative weight matter that cannot be reached.
    """
    searches = 1 if indices is None or limit < np.inf else _at_least_in(indices)
    if (small := small_matrix(csgraph, unweighted, signed=signed, searches=searches)) is None:
        wanted = {"unweighted": unweighted, "predecessors": return_predecessors}
        near = within(csgraph, directed, indices, limit, min_only=False, **wanted) if limit == np.inf else None
        if near is None:
            return None
        dist, pred = near
        return dist if pred is None else (dist, pred)
    if small.signed:
        return _search_signed(small, indices, return_predecessors, everywhere) if directed else None
    matrix, n = small.matrix, small.matrix.shape[0]
    if len(matrix.data) == 0:
        return without_edges(vertices_of(indices, n), n, return_predecessors)
    if indices is None and limit == np.inf:
        if is_matrix_for_host(n):
            found = all_pairs_on_host(small, directed, return_predecessors, unweighted)
            if found is not None:
                return found
        if auto and not unweighted and _are_added_otherwise(small):
            return None
    vertices = vertices_of(indices, n)
    rows, shape = vertices.size, (*vertices.shape, n)
    if rows == 0:
        return _nothing(shape, return_predecessors)
    sources = vertices.reshape(-1)
    if (small.progress or unweighted) and is_searched_by_hand(n, len(matrix.data), rows):
        dist, pred = search_each_by_hand(matrix, sources.tolist(), limit, unweighted, directed)
        return (dist.reshape(shape), pred.reshape(shape)) if return_predecessors else dist.reshape(shape)
    if rows > 1 and not is_for_host(n, len(matrix.data), rows, unweighted):
        wanted = {"unweighted": unweighted, "predecessors": return_predecessors}
        if not (directed and limit < np.inf and are_within(matrix, sources, limit, **wanted)):
            return None
    dist, before = dijkstra(matrix, sources, limit, unweighted, directed, return_predecessors)
    if before is None:
        return dist.reshape(shape)
    if directed:
        indptr, heads, weights = matrix.indptr, matrix.indices, matrix.data
    else:
        indptr, heads, weights = edges_both_ways(last_edges(matrix, dist, unweighted))
    edges = indptr, heads, np.ones(len(heads)) if unweighted else weights
    if small.progress or unweighted:
        choose_smallest(*edges, dist, before, sources)
        return dist.reshape(shape), before.reshape(shape)
    pred = trees(*edges, dist, [[source] for source in sources.tolist()], before, direct=True)
    return dist.reshape(shape), pred.reshape(shape)


def _at_least_in(indices: Any) -> int:
    """Return a number of vertices that there are at least, but for none, without a look at what they are."""
    if isinstance(indices, np.ndarray):
        return max(1, indices.size)
    return max(1, len(indices)) if isinstance(indices, (list, tuple, range)) else 1


def _are_added_otherwise(small: Small) -> bool:
    """Return whether "auto" may round the sums of all pairs as another algorithm than Dijkstra's does."""
    return small.matrix.shape[0] > FEW_TO_SEARCH and not (small.counted and are_integral(small.matrix))


def without_edges(vertices: npt.NDArray[np.int64], n: int, return_predecessors: bool) -> _Dist | _DistAndPred:
    """Return what is found from each vertex where there are no edges."""
    shape = (*vertices.shape, n)
    dist = np.full((vertices.size, n), np.inf)
    dist[np.arange(vertices.size), vertices.reshape(-1)] = 0
    return (dist.reshape(shape), np.full(shape, NO_VERTEX, np.int32)) if return_predecessors else dist.reshape(shape)


def _nothing(shape: tuple[int, ...], return_predecessors: bool) -> _Dist | _DistAndPred:
    """Return what is found from no vertex."""
    dist = np.empty(shape)
    return (dist, np.empty(shape, np.int32)) if return_predecessors else dist


def _search_signed(
    small: Small, indices: npt.ArrayLike | None, return_predecessors: bool, everywhere: bool
) -> _Dist | _DistAndPred | None:
    """Do so with negative weights, of edges in one direction."""
    matrix, n = small.matrix, small.matrix.shape[0]
    if indices is None and is_matrix_for_host(n):
        return all_pairs_on_host(small, True, return_predecessors, False, rounded=n <= TILE)
    is_exact = are_integral(matrix)
    if indices is None and not is_exact:  # sums of all pairs are those of another algorithm
        return None
    vertices = vertices_of(indices, n)
    if vertices.size == 0 and not everywhere:
        return _nothing((*vertices.shape, n), return_predecessors)
    if vertices.size == 0 or not is_signed_for_host(n, len(matrix.data), vertices.size, is_exact):
        return None
    found = solve_signed(matrix, vertices.reshape(-1), return_predecessors, everywhere=everywhere)
    if found is None:
        return None
    dist, pred = found
    shape = (*vertices.shape, n)
    return dist.reshape(shape) if pred is None else (dist.reshape(shape), pred.reshape(shape))


def all_pairs_on_host(
    small: Small, directed: bool, return_predecessors: bool, unweighted: bool, rounded: bool = False
) -> _Dist | _DistAndPred | None:
    """Return what Floyd-Warshall's algorithm finds, or None where hop levels take long, or sums are rounded otherwise.

    Distances that are rounded, if they are wanted, are those of a device whose first tile holds all vertices.
    """
    matrix, progress, is_signed, counted = small
    if is_signed:
        return _all_pairs_signed(matrix, return_predecessors, rounded) if directed else None
    is_exact = unweighted or (counted and are_integral(matrix))
    if not (is_exact or rounded):
        return None
    if not (is_exact and return_predecessors):
        dist = scipy_floyd_warshall(matrix, directed, unweighted=unweighted)
        return _with_predecessors(matrix if directed else both_ways(matrix), dist) if return_predecessors else dist
    matrix = matrix if directed else both_ways(matrix)
    n, progress = matrix.shape[0], progress or unweighted
    if not (progress or is_for_host(n, len(matrix.data), n)):
        return None
    return floyd_warshall(matrix, unweighted, progress)


def _all_pairs_signed(matrix: Any, return_predecessors: bool, rounded: bool) -> _Dist | _DistAndPred | None:
    """Do so with negative weights, of edges in one direction; None where there is a negative cycle, too."""
    is_exact, n = are_integral(matrix), matrix.shape[0]
    if not (is_exact or rounded):
        return None
    tails = np.arange(n).repeat(matrix.indptr[1:] - matrix.indptr[:-1])
    if matrix.data.compress(tails == matrix.indices).min(initial=0) < 0:  # SciPy does not look at these
        return None
    try:
        found = scipy_floyd_warshall(matrix, True, is_exact and return_predecessors)
    except NegativeCycleError:
        return None
    if is_exact and return_predecessors:
        dist, pred = found
        edges = matrix.indptr, matrix.indices, matrix.data
        return dist, trees(*edges, dist, [[source] for source in range(n)], pred, by_hops=True)
    if not is_exact and (matrix.data + found[matrix.indices, tails]).min() <= most_lost(n, matrix.data):
        return None
    return _with_predecessors(matrix, found) if return_predecessors else found


def _with_predecessors(matrix: Any, dist: _Dist) -> _DistAndPred | None:
    """Return rounded distances and predecessors, or None where rounding may hide which edge of a path is the last."""
    n, heads = len(dist), matrix.indices
    tails = np.arange(n, dtype=np.int32).repeat(matrix.indptr[1:] - matrix.indptr[:-1])
    with np.errstate(invalid="ignore"):  # of infinite distances
        excess = dist[:, tails] + matrix.data - dist[:, heads]
    rows, edges = (excess <= most_lost(n, matrix.data)).nonzero()
    pred = np.full((n, n), NO_VERTEX, np.int32)
    pred[rows, heads[edges]] = tails[edges]
    others = np.count_nonzero(dist < np.inf) - n
    return (dist, pred) if len(rows) == others == np.count_nonzero(pred != NO_VERTEX) else None
