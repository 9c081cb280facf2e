"""Shortest paths on the host, by SciPy's searches: for inputs so small that a device would not have begun meanwhile.

The answers are those of the kernels, to the last bit. With weights that are not negative the minimum left-to-right sum
is a unique number, and so it is with others as :mod:`.signed` says; the trees follow from the distances by the rule of
docs/explanation/exactness.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.algorithms.single_source.host.by_hand import search_by_hand
from reedsp.algorithms.single_source.host.routines import routines
from reedsp.algorithms.single_source.host.trees import trees
from reedsp.arithmetic.paths import Arithmetic
from reedsp.cost_model.place import is_searched_by_hand
from reedsp.edges.device_graph import NO_VERTEX
from reedsp.graph.graph import EXACT_IN_FLOAT64, Graph


def can_solve(graph: Graph, arithmetic: Arithmetic) -> bool:
    """Return whether float64 gives the very answers of this arithmetic: sums of integers have to be exact."""
    is_exact = (graph.n + 1) * graph.max_abs_weight <= EXACT_IN_FLOAT64
    return is_exact and (arithmetic.dtype.kind == "i" or arithmetic.dtype == np.float64)


def float64_matrix(graph: Graph) -> Any:
    """Return a CSR matrix of the weights in float64, which is kept on the graph."""
    import scipy.sparse

    matrix = graph._derived.get("float64_matrix")
    if matrix is None:
        rows = graph.weights.astype(np.float64), graph.indices, graph.indptr
        matrix = graph._derived["float64_matrix"] = scipy.sparse.csr_array(rows, shape=(graph.n, graph.n))
    return matrix


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
        One that :func:`can_solve`, without negative weights; for others see :func:`.solve_signed`.
    starts : sequence of sequences of int
    cutoff : float, optional
        Leave out what is farther away.
    predecessors : bool
    target : int, optional
        Leave out what is farther away than this vertex.
    """
    dist, pred = _found(graph, starts, np.inf if cutoff is None else float(cutoff), predecessors)
    if target is not None:
        leave_out_beyond(target, dist, pred)
    return dist, pred


def _found(
    graph: Graph, starts: Sequence[Sequence[int]], limit: float, predecessors: bool
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int32] | None]:
    matrix, pred = float64_matrix(graph), None
    if len(starts) == 1 and is_searched_by_hand(graph.n, graph.m) and _makes_progress(graph, matrix.data):
        tree = search_by_hand(matrix, starts[0], limit)
        return tree.dist[None], tree.pred[None] if predecessors else None
    if all(len(some) == 1 for some in starts):
        dist, pred = dijkstra(matrix, [source for [source] in starts], limit, predecessors=predecessors)
    else:
        dist = np.stack([routines().dijkstra(matrix, True, some, limit=limit, min_only=True) for some in starts])
    return dist, trees(graph.indptr, graph.indices, matrix.data, dist, starts, pred) if predecessors else None


def _makes_progress(graph: Graph, weights: npt.NDArray[np.float64]) -> bool:
    """Return whether every edge makes a path longer: no weight is lost in a sum, nor 0."""
    return float(weights.min(initial=np.inf)) * EXACT_IN_FLOAT64 > graph.n * float(graph.max_abs_weight)


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
        found = routines().dijkstra(matrix, directed, sources, predecessors, unweighted, limit)
        return found if predecessors else (found, None)
    found = routines().dijkstra(matrix, directed, sources, predecessors, unweighted, limit, True)
    return (found[0][None], found[1][None]) if predecessors else (found[None], None)
