"""The k shortest paths of small matrices on the host, by SciPy or by a search of our own."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse.csgraph import yen as scipy_yen

from reedsp.algorithms.routes.on_host import shortest_simple_paths
from reedsp.algorithms.single_source.host.searches import dijkstra
from reedsp.algorithms.single_source.host.signed import are_integral
from reedsp.cost_model.place import is_yen_for_scipy
from reedsp.csgraph.matrix import ascend
from reedsp.csgraph.small import both_ways, small_matrix
from reedsp.edges.device_graph import NO_VERTEX

_Dist = npt.NDArray[np.float64]
_DistAndPred = tuple[_Dist, npt.NDArray[np.int32]]


def yen_on_host(
    csgraph: Any, source: int, sink: int, paths: int, directed: bool, return_predecessors: bool, unweighted: bool
) -> _Dist | _DistAndPred | None:
    """Return what is found between two vertices, or None where that is not for the host."""
    if paths == 0 or source == sink or (small := small_matrix(csgraph)) is None:
        return None
    matrix, progress = small.matrix, small.progress
    matrix = matrix if directed else both_ways(matrix)
    n, m = matrix.shape[0], len(matrix.data)
    is_exact = small.counted and are_integral(matrix)
    if not (0 <= source < n and 0 <= sink < n and ascend(matrix.indptr, matrix.indices) and is_exact):
        return None
    if unweighted:
        matrix, progress = type(matrix)((np.ones(m), matrix.indices, matrix.indptr), shape=matrix.shape), True
    if (
        progress
        and matrix.indices.dtype == matrix.indptr.dtype == np.int32  # SciPy raises for others
        and is_yen_for_scipy(n, m, paths + 1)
    ):
        if not return_predecessors:  # there is one answer, however many paths are equally long
            return scipy_yen(matrix, source, sink, paths)  # type: ignore[no-any-return]
        if not unweighted:
            dist, predecessors = scipy_yen(matrix, source, sink, paths + 1, return_predecessors=True)
            if len(set(dist.tolist())) == len(dist):  # no other paths are as long as these
                return dist[:paths], predecessors[:paths]
    dist = dijkstra(matrix, [source], predecessors=False)[0][0]
    found = shortest_simple_paths(matrix, dist, source, sink, paths)
    if found is None:
        return None
    dist = np.array([weight for weight, _ in found], np.float64)
    if not return_predecessors:
        return dist
    predecessors = np.full((len(found), n), NO_VERTEX, np.int32)
    for row, (_, path) in enumerate(found):
        predecessors[row, path[1:]] = path[:-1]
    return dist, predecessors
