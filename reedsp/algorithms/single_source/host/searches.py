"""Shortest paths on the host, by SciPy's searches: for inputs so small that a device would not have begun meanwhile.

The answers are those of the kernels, to the last bit. With weights that are not negative the minimum left-to-right sum
is a unique number, and so it is for integers that float64 holds; the trees follow from the distances by the rule of
docs/explanation/exactness.md.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.algorithms.single_source.host.trees import trees
from reedsp.arithmetic.paths import Arithmetic
from reedsp.edges.device_graph import NO_VERTEX
from reedsp.graph.graph import EXACT_IN_FLOAT64, Graph


@functools.cache
def routines() -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Return SciPy's ``dijkstra`` and ``bellman_ford``, as they are at the first call; their import takes long."""
    from scipy.sparse.csgraph import bellman_ford, dijkstra

    return dijkstra, bellman_ford


def can_solve(graph: Graph, arithmetic: Arithmetic) -> bool:
    """Return whether float64 gives the very answers of this arithmetic.

    Sums of integers have to be exact. Of negative weights only integers are for the host: their sums do not depend on
    the order of the relaxations.
    """
    if (graph.n + 1) * graph.max_abs_weight > EXACT_IN_FLOAT64:
        return False
    return arithmetic.dtype.kind == "i" or (arithmetic.dtype == np.float64 and not graph.has_negative_weights)


def solve(
    graph: Graph,
    starts: Sequence[Sequence[int]],
    cutoff: float | None = None,
    predecessors: bool = True,
    target: int | None = None,
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int32] | None]:
    """Return distances, and trees if they are wanted, in arrays of a row for each set of vertices to start from.

    Parameters
    ----------
    graph : Graph
        One that :func:`can_solve`.
    starts : sequence of sequences of int
        Several in a row are for graphs without negative weights.
    cutoff : float, optional
        Leave out what is farther away, in graphs without negative weights.
    predecessors : bool
    target : int, optional
        Leave out what is farther away than this vertex, in graphs without negative weights.

    Raises
    ------
    scipy.sparse.csgraph.NegativeCycleError
        A negative cycle can be reached.
    """
    import scipy.sparse

    scipy_dijkstra, bellman_ford = routines()
    matrix = graph._derived.get("float64_matrix")
    if matrix is None:
        rows = graph.weights.astype(np.float64), graph.indices, graph.indptr
        matrix = graph._derived["float64_matrix"] = scipy.sparse.csr_array(rows, shape=(graph.n, graph.n))
    limit, pred = np.inf if cutoff is None else float(cutoff), None
    if graph.has_negative_weights:
        dist, pred = bellman_ford(matrix, True, [source for [source] in starts], return_predecessors=True)
    elif all(len(some) == 1 for some in starts):
        dist, pred = dijkstra(matrix, [source for [source] in starts], limit, predecessors=predecessors)
    else:
        dist = np.stack([scipy_dijkstra(matrix, True, some, limit=limit, min_only=True) for some in starts])
    if predecessors:
        edges = graph.indptr, graph.indices, matrix.data
        pred = trees(*edges, dist, starts, pred, by_hops=graph.has_negative_weights)
    pred = pred if predecessors else None
    if target is not None and not graph.has_negative_weights:
        leave_out_beyond(target, dist, pred)
    return dist, pred


def leave_out_beyond(target: int, dist: npt.NDArray[np.float64], pred: npt.NDArray[np.int32] | None) -> None:
    """Take what is farther away than a vertex out of distances, and out of trees if there are any, in rows."""
    beyond = dist > dist[:, target, None]
    dist[beyond] = np.inf
    if pred is not None:
        pred[beyond] = NO_VERTEX


def dijkstra(
    matrix: Any,
    sources: Sequence[int] | npt.NDArray[Any],
    limit: float = np.inf,
    unweighted: bool = False,
    directed: bool = True,
    predecessors: bool = True,
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int32] | None]:
    """Return distances and SciPy's predecessors, if they are wanted, from each source, both of shape (sources, n).

    SciPy is quicker to find the nearest of several sources than to search from each, also if there is only one.

    Parameters
    ----------
    matrix : CSR matrix of float64
        Checked: its weights are finite and not negative.
    sources : sequence of int
    limit : float
        Leave out what is farther away.
    unweighted : bool
        Have every edge weigh 1.
    directed : bool
        False makes each edge usable in both directions.
    predecessors : bool
    """
    if len(sources) > 1:
        found = routines()[0](matrix, directed, sources, predecessors, unweighted, limit)
        return found if predecessors else (found, None)
    found = routines()[0](matrix, directed, sources, predecessors, unweighted, limit, True)
    return (found[0][None], found[1][None]) if predecessors else (found[None], None)
