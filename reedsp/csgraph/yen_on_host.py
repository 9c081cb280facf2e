"""The k shortest simple paths of small matrices on the host, by SciPy or by a search of our own."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse
from scipy.sparse.csgraph import NegativeCycleError
from scipy.sparse.csgraph import yen as scipy_yen

from reedsp.algorithms.routes.on_host import shortest_simple_paths
from reedsp.algorithms.single_source.host.searches import dijkstra
from reedsp.algorithms.single_source.host.signed import are_integral, solve_signed
from reedsp.cost_model.place import is_signed_for_host, is_yen_for_scipy
from reedsp.csgraph.matrix import ascend
from reedsp.csgraph.small import both_ways, small_matrix
from reedsp.edges.device_graph import NO_VERTEX
from reedsp.graph.graph import EXACT_IN_FLOAT64

_Dist = npt.NDArray[np.float64]
_DistAndPred = tuple[_Dist, npt.NDArray[np.int32]]

_TIMES = 4
"""Sums of SciPy's searches where weights are negative, as multiples of the heaviest path's."""


class _Asked(NamedTuple):
    """What is asked.

    Attributes
    ----------
    matrix : CSR matrix of float64
    source, sink, paths : int
    exact, signed : bool
        Whether weights are integers, of which float64 holds sums, and whether some are negative.
    """

    matrix: Any
    source: int
    sink: int
    paths: int
    exact: bool
    signed: bool


def yen_on_host(
    csgraph: Any, source: int, sink: int, paths: int, directed: bool, return_predecessors: bool, unweighted: bool
) -> _Dist | _DistAndPred | None:
    """Return what is found between two vertices, or None where that is not for the host."""
    if paths == 0 or source == sink or (small := small_matrix(csgraph, signed=True)) is None:
        return None
    matrix, n, weight = small.matrix, small.matrix.shape[0], 1.0
    signed = small.signed and not unweighted
    if not (0 <= source < n and 0 <= sink < n) or (signed and not directed):
        return None
    if not len(matrix.data):
        return (np.empty(0), np.empty((0, n), np.int32)) if return_predecessors else np.empty(0)
    exact = unweighted or are_integral(matrix)
    if not (exact or signed) and _are_alike(matrix):  # then edges are counted, and only the product is rounded
        weight = float(matrix.data[0])
    if unweighted or weight != 1:
        matrix = scipy.sparse.csr_array((np.ones(len(matrix.data)), matrix.indices, matrix.indptr), shape=(n, n))
        exact = True
    elif exact and not small.counted:
        return None
    matrix = matrix if directed else both_ways(matrix)
    asked = _Asked(matrix, source, sink, paths, exact, signed)
    if not return_predecessors:
        dist = _weights(asked)
        return dist if dist is None or weight == 1 else dist * weight
    found = _paths(asked)
    return found if found is None or weight == 1 else (found[0] * weight, found[1])


def _are_alike(matrix: Any) -> bool:
    """Return whether all edges weigh the same."""
    return not np.count_nonzero(matrix.data != matrix.data[0])


def _in_order(matrix: Any) -> Any:
    """Return a CSR matrix with columns that ascend, and the lightest of parallel edges."""
    if ascend(matrix.indptr, matrix.indices):
        return matrix
    n = matrix.shape[0]
    tails = np.arange(n).repeat(matrix.indptr[1:] - matrix.indptr[:-1])
    order = np.lexsort((matrix.data, matrix.indices, tails))
    tails, heads, weights = tails.take(order), matrix.indices.take(order).astype(np.int32), matrix.data.take(order)
    first = np.append(True, (tails[1:] != tails[:-1]) | (heads[1:] != heads[:-1])).nonzero()[0]
    indptr = tails.take(first).searchsorted(np.arange(n + 1)).astype(np.int32)
    return scipy.sparse.csr_array((weights.take(first), heads.take(first), indptr), shape=(n, n))


def _weights(asked: _Asked) -> _Dist | None:
    """Return the weights of the paths alone: these are the same, whichever of equally long paths are taken."""
    if asked.paths > 1 or not asked.exact:  # one search takes the lightest of parallel edges, in whatever order
        asked = asked._replace(matrix=_in_order(asked.matrix))
    if asked.exact and _is_for_scipy(asked, asked.paths):
        try:
            return scipy_yen(*asked[:4])  # type: ignore[no-any-return]
        except NegativeCycleError:
            return None
    found = _found(asked)
    return None if found is None else np.array([weight for weight, _ in found], np.float64)


def _paths(asked: _Asked) -> _DistAndPred | None:
    """Return weights and predecessors."""
    asked = asked._replace(matrix=_in_order(asked.matrix))
    matrix, source, sink, paths = asked[:4]
    may_differ = paths > 1 and asked.exact and not asked.signed and not _are_alike(matrix)
    if may_differ and _is_for_scipy(asked, paths + 1):
        dist, predecessors = scipy_yen(matrix, source, sink, paths + 1, return_predecessors=True)
        if len(set(dist.tolist())) == len(dist):  # no other paths are as long as these
            return dist[:paths], predecessors[:paths]
    if (found := _found(asked)) is None:
        return None
    predecessors = np.full((len(found), matrix.shape[0]), NO_VERTEX, np.int32)
    for row, (_, path) in enumerate(found):
        predecessors[row, path[1:]] = path[:-1]
    return np.array([weight for weight, _ in found], np.float64), predecessors


def _is_for_scipy(asked: _Asked, paths: int) -> bool:
    """Return whether SciPy takes this matrix, and is likely to find so many paths sooner than a search of our own."""
    matrix, n = asked.matrix, asked.matrix.shape[0]
    is_taken = matrix.indices.dtype == matrix.indptr.dtype == np.int32
    if asked.signed:
        is_taken &= _TIMES * (n + 1) * float(np.abs(matrix.data).max()) <= EXACT_IN_FLOAT64
    return is_taken and (paths == 1 or is_yen_for_scipy(n, len(matrix.data), paths))


def _found(asked: _Asked) -> list[tuple[float, tuple[int, ...]]] | None:
    """Return weights and vertices of the paths by a search of our own."""
    matrix, sources, pred = asked.matrix, np.array([asked.source]), None
    if not asked.signed:
        dist, pred = dijkstra(matrix, sources)
    elif is_signed_for_host(matrix.shape[0], len(matrix.data), 1, asked.exact):
        dist, pred = solve_signed(matrix, sources, everywhere=True) or (sources, None)
    if pred is None:  # a device is to look for negative cycles
        return None
    return shortest_simple_paths(*asked[:4], dist[0], pred[0], asked.exact)
