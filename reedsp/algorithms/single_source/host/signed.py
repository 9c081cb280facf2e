"""Shortest paths on the host where some weights are negative, by SciPy's searches.

Sums of integers are exact. Fractional ones are rounded, and rounding can hide a cycle of negative weight, or make one
up. Where every cycle weighs more than rounding can lose, the relaxations come to rest at the same distances in whatever
order they take place: the minimum sums along walks, added from the source on, for what is added to a larger number is
not less afterwards.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.algorithms.single_source.host.routines import routines
from reedsp.algorithms.single_source.host.trees import trees
from reedsp.graph.graph import EXACT_IN_FLOAT64

_RELAXATIONS = 20_000
"""Of edges, in all, up to which searches that relax all edges n times are done sooner than one for potentials."""

_TIMES = 4
"""Sums of the searches that have potentials, as multiples of the heaviest path's."""

_PEELED = 8
"""Times that edges which no other enters are left out, before SciPy looks for the cycles of what is left."""

_LIGHT = 4
"""Errors of the edges of a cycle: in a search along it, in the potentials of its slack, and in the slack itself."""


def solve_signed(
    matrix: Any, sources: npt.NDArray[np.integer[Any]], predecessors: bool = True, *, everywhere: bool = False
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int32] | None] | None:
    """Return distances, and trees if they are wanted, of shape (sources, n), as a device finds them.

    None where a device is to tell a cycle of negative weight from what rounding makes one.

    Parameters
    ----------
    matrix : CSR matrix of float64
        Checked: its weights are finite, and no sum of n of them is beyond what float64 counts to.
    sources : ndarray of integers, shape (sources,)
    predecessors : bool
    everywhere : bool
        Whether cycles of negative weight that cannot be reached are cycles, too.
    """
    from scipy.sparse.csgraph import NegativeCycleError

    n, m = matrix.shape[0], len(matrix.data)
    edges = matrix.indptr, matrix.indices, matrix.data
    _, bellman_ford, johnson = routines()
    is_exact = are_integral(matrix)
    repeated = len(sources) > 1 and len(sources) * n * m > _RELAXATIONS
    has_potentials = is_exact and (everywhere or repeated)
    if has_potentials and _TIMES * (n + 1) * float(np.abs(matrix.data).max()) > EXACT_IN_FLOAT64:
        return None
    try:
        found = (johnson if has_potentials else bellman_ford)(matrix, True, sources, predecessors)
        dist, pred = found if predecessors else (found, None)
        if not is_exact:
            alone = len(sources) == 1 and not everywhere  # then only what can be reached matters
            potentials = dist[0] if alone else _from_root(matrix, bellman_ford)
            if not (_are_cycles_heavy(*edges, potentials) and _are_at_rest(*edges, dist, sources)):
                return None
    except NegativeCycleError:
        return None
    if pred is not None:
        pred = trees(*edges, dist, [[source] for source in sources.tolist()], pred, by_hops=True)
    return dist, pred


def are_integral(matrix: Any) -> bool:
    """Return whether all weights of a matrix are integers."""
    return not np.count_nonzero(matrix.data != np.rint(matrix.data))


def most_lost(n: int, weights: npt.NDArray[np.float64]) -> float:
    """Return more than an edge of a cycle is above nothing, if rounding can hide the cycle's weight."""
    return _LIGHT * n * _error(n, weights)


def _error(n: int, weights: npt.NDArray[np.float64]) -> float:
    """Return more than rounding changes a sum of up to n of these weights by at one edge."""
    return 2.0**-50 * (n + 1) * float(np.abs(weights).max())


def _from_root(matrix: Any, bellman_ford: Any) -> npt.NDArray[np.float64]:
    """Return the distances from a root that has an edge of no weight to each vertex."""
    import scipy.sparse

    n, m = matrix.shape[0], len(matrix.data)
    heads = np.concatenate((matrix.indices, np.arange(n, dtype=matrix.indices.dtype)))
    rows = np.concatenate((matrix.data, np.zeros(n))), heads, np.append(matrix.indptr, m + n)
    dist: npt.NDArray[np.float64] = bellman_ford(scipy.sparse.csr_array(rows, shape=(n + 1, n + 1)), True, n)
    return dist[:n]


def _are_cycles_heavy(
    indptr: npt.NDArray[Any], heads: npt.NDArray[Any], weights: npt.NDArray[Any], potentials: npt.NDArray[np.float64]
) -> bool:
    """Return whether every cycle of vertices with finite potentials weighs more than rounding can lose.

    The slack of its edges adds up to its weight. So edges of more slack are on no light cycle, and none is if the
    others close none.
    """
    n = len(potentials)
    tails = np.arange(n).repeat(indptr[1:] - indptr[:-1])
    slack = potentials.take(tails)
    slack += weights
    reached = (slack < np.inf).nonzero()[0]
    tails, heads = tails.take(reached), heads.take(reached)
    slack = slack.take(reached) - potentials.take(heads)
    if slack.min(initial=0) < -_error(n, weights):
        return False
    little = (slack <= most_lost(n, weights)).nonzero()[0]
    tails, heads = tails.take(little), heads.take(little)
    for _ in range(_PEELED):
        if not len(tails):
            return True
        entered = np.zeros(n, np.bool_)
        entered[heads] = True
        may_close = entered.take(tails).nonzero()[0]
        if len(may_close) == len(tails):
            return False
        tails, heads = tails.take(may_close), heads.take(may_close)
    return not _close_a_cycle(n, tails, heads)


def _close_a_cycle(n: int, tails: npt.NDArray[Any], heads: npt.NDArray[Any]) -> bool:
    """Return whether edges, whose tails ascend, close a cycle."""
    import scipy.sparse
    from scipy.sparse.csgraph import connected_components

    if np.count_nonzero(tails == heads):
        return True
    indptr = np.append(0, np.bincount(tails, minlength=n).cumsum())
    edges = scipy.sparse.csr_array((np.ones(len(heads)), heads, indptr), shape=(n, n))
    edges.sum_duplicates()  # with which SciPy does not return
    return bool(connected_components(edges, connection="strong", return_labels=False) < n)


def _are_at_rest(
    indptr: npt.NDArray[Any],
    heads: npt.NDArray[Any],
    weights: npt.NDArray[Any],
    dist: npt.NDArray[np.float64],
    sources: npt.NDArray[np.integer[Any]],
) -> bool:
    """Return whether no relaxation lowers a distance any more, and none has lowered that of a source."""
    before = dist.repeat(indptr[1:] - indptr[:-1], 1)
    before += weights
    lowered = np.count_nonzero(before < dist.take(heads, 1))
    return not lowered and not np.count_nonzero(dist[np.arange(len(sources)), sources])
