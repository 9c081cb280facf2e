"""What is near some vertices, on the host, where that is so little that no device would be done."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from reedsp.algorithms.single_source.host.trees import edges_in, trees
from reedsp.edges.device_graph import NO_VERTEX

_ROUNDS, _EDGES = 32, 8192
"""Rounds of relaxations, and edges, in which a device would have begun: some 1 ms."""
_FIRST = 4
"""Rounds after which it is known how far they lead."""
_ROWS = 8
"""Rows up to which each may have as many edges; more of them share these out."""
_PASSES = 3
"""Passes over all edges for those that end near, in which many more than a few vertices would come to light."""
_LEAST, _PART = 64, 2048
"""Edges, and what of all edges, one of so many, after which no frontier may be the widest, if there is no cutoff: grids
are seen to go on after a few rounds, which take some hundredths of a search."""


class Nearby(NamedTuple):
    """All vertices that are near, in rows of n vertices.

    Attributes
    ----------
    n, rows : int
    vertices : ndarray of int64, shape (k,)
        Ascending; n times the number of its row is added to each.
    dist : ndarray of float64, shape (k,)
        Their distances.
    """

    n: int
    rows: int
    vertices: npt.NDArray[np.int64]
    dist: npt.NDArray[np.float64]

    def distances(self) -> npt.NDArray[np.float64]:
        """Return those of all vertices, infinity for what is not near, shape (rows, n)."""
        dist = np.full(self.rows * self.n, np.inf)
        dist[self.vertices] = self.dist
        return dist.reshape(self.rows, self.n)

    def predecessors(
        self,
        indptr: npt.NDArray[Any],
        heads: npt.NDArray[Any],
        weights: npt.NDArray[Any] | None,
        starts: Sequence[Sequence[int]],
        *,
        direct: bool = False,
    ) -> npt.NDArray[np.int32]:
        """Return those of all vertices, by the rule of :func:`.trees`, NO_VERTEX for what is not near."""
        own = self.vertices % self.n if self.rows > 1 else self.vertices
        first, counts = _rows_of(indptr, own)
        edges = edges_in(first, counts)
        ends = heads.take(edges)
        if self.rows > 1:
            ends = ends + (self.vertices - own).repeat(counts)
        position = self.vertices.searchsorted(ends)
        is_near = self.vertices.take(position, mode="clip") == ends
        tails = np.arange(len(counts)).repeat(counts).compress(is_near)
        begins = np.append(0, np.bincount(tails, minlength=len(counts)).cumsum())
        near_weights = np.ones(len(tails)) if weights is None else _float64(weights.take(edges.compress(is_near)))
        begun = [self.vertices.searchsorted(_in_rows(starts, self.n)).tolist()]  # all rows are one graph
        [near] = trees(begins, position.compress(is_near), near_weights, self.dist[None], begun, direct=direct)
        pred = np.full(self.rows * self.n, NO_VERTEX, np.int32)
        pred[self.vertices] = np.where(near < 0, NO_VERTEX, own.take(near, mode="clip"))
        return pred.reshape(self.rows, self.n)


def search_nearby(
    indptr: npt.NDArray[Any],
    heads: npt.NDArray[Any],
    weights: npt.NDArray[Any] | None,
    starts: Sequence[Sequence[int]],
    cutoff: float,
) -> Nearby | None:
    """Return the vertices that are not farther away than `cutoff` from the nearest start of a row, if these are few.

    Frontiers are relaxed until none is left (Bellman-Ford), those of all rows together, so that each distance is the
    minimum left-to-right sum. How far the first rounds have led says how many more there will be, with as many more
    edges as in a plane. Without a cutoff frontiers have to die out, and not to grow for long.

    Parameters
    ----------
    indptr, heads, weights : ndarray
        Of a CSR matrix; without weights edges are counted. Those that are looked at need not have been checked before:
        what is found in a matrix that is corrupt, or has weights that are negative or NaN, is to be thrown away.
    starts : sequence of sequences of int
        Some for each row, which are vertices.
    cutoff : float
        Infinity for all that can be reached.

    Returns
    -------
    Nearby or None
        None where there are likely to be more, and for what is no matrix.
    """
    n, rows = len(indptr) - 1, len(starts)
    most = _EDGES * min(rows, _ROWS)
    most_growing = min(_EDGES, max(_LEAST, len(heads) // _PART)) * min(rows, _ROWS) if cutoff == np.inf else most
    numbers = np.zeros(rows * n, np.int32)  # of vertices that were found, from 1; pages of others are never touched
    vertices = _numbered(_in_rows(starts, n), numbers, 1)
    dist = np.zeros(len(vertices))
    frontier, looked, widest = np.arange(len(vertices)), 0, 0
    for number in range(1, _ROUNDS + 1):
        tails = vertices.take(frontier)
        own = tails % n if rows > 1 else tails
        first, counts = _rows_of(indptr, own)
        width = int(counts.sum())
        looked += width
        grows = width > widest > 0
        if counts[counts.argmin()] < 0 or looked > (most_growing if grows else most):
            return None
        widest = max(widest, width)
        edges = edges_in(first, counts)
        ends = heads.take(edges, mode="clip")
        with np.errstate(over="ignore", invalid="ignore"):  # of what is to be thrown away
            added = 1.0 if weights is None else _float64(weights.take(edges, mode="clip"))
            after = dist.take(frontier).repeat(counts) + added
        is_near = after <= cutoff
        ends, after = ends.compress(is_near), after.compress(is_near)
        if len(ends) == 0:
            break
        if ends[ends.argmin()] < 0 or ends[ends.argmax()] >= n:
            return None
        if rows > 1:
            ends = ends + (tails - own).repeat(counts).compress(is_near)
        new = _numbered(ends.compress(numbers.take(ends) == 0), numbers, len(vertices) + 1)
        vertices = np.concatenate((vertices, new))
        known = np.concatenate((dist, np.full(len(new), np.inf)))
        dist = known.copy()
        np.minimum.at(dist, numbers.take(ends) - 1, after)
        frontier = (dist < known).nonzero()[0]
        if len(frontier) == 0:
            break
        if number >= _FIRST and cutoff < np.inf:
            shares = dist.take(frontier) / cutoff if cutoff else np.ones(1)
            share = shares.min() if rows == 1 else _share(vertices.take(frontier) // n, shares, rows)
            if number > _ROUNDS * share or looked > most * share**2:
                return None
    else:
        return None
    order = vertices.argsort()
    return Nearby(n, rows, vertices.take(order), dist.take(order))


def connected_nearby(
    indptr: npt.NDArray[Any], heads: npt.NDArray[Any], starts: Sequence[int], directed: bool = False
) -> npt.NDArray[np.int64] | None:
    """Return the vertices, ascending, to which edges lead from some, or in either direction, if these are few.

    Parameters as for :func:`search_nearby`. In either direction all edges are looked at, in passes.
    """
    is_near, new = np.zeros(len(indptr) - 1, np.bool_), starts
    for _ in range(_PASSES):
        nearby = search_nearby(indptr, heads, None, [new], np.inf)
        if nearby is None or directed:
            return None if nearby is None else nearby.vertices
        is_near[nearby.vertices] = True
        edges = is_near.take(heads, mode="clip").nonzero()[0]
        if len(edges) > _EDGES:
            return None
        tails = np.clip(indptr.searchsorted(edges, "right") - 1, 0, len(is_near) - 1)
        new = np.unique(tails.compress(~is_near.take(tails))).tolist()
        if not new:
            return is_near.nonzero()[0]
    return None


def edges_between(
    indptr: npt.NDArray[Any], heads: npt.NDArray[Any], vertices: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return row pointers and columns of a part of a CSR matrix, of ascending vertices, and which edges are in it."""
    first, counts = _rows_of(indptr, vertices)
    edges = edges_in(first, counts)
    ends = heads.take(edges)
    positions = vertices.searchsorted(ends)
    is_near = vertices.take(positions, mode="clip") == ends
    tails = np.arange(len(counts)).repeat(counts).compress(is_near)
    begins = np.append(0, np.bincount(tails, minlength=len(counts)).cumsum())
    return begins, positions.compress(is_near), edges.compress(is_near)


def _share(of_rows: npt.NDArray[np.int64], shares: npt.NDArray[np.float64], rows: int) -> float:
    """Return which part of the way to the cutoff rows have come on average, given those of their frontiers."""
    least = np.ones(rows)
    np.minimum.at(least, of_rows, shares)
    return float(least.mean())


def _in_rows(starts: Sequence[Sequence[int]], n: int) -> npt.NDArray[np.int64]:
    """Return vertices of several rows as those of one graph."""
    return np.array([row * n + start for row, some in enumerate(starts) for start in some], np.int64)


def _numbered(vertices: npt.NDArray[Any], numbers: npt.NDArray[np.int32], first: int) -> npt.NDArray[Any]:
    """Return these vertices, each once, and give them numbers, from a first one on."""
    own = np.arange(first, first + len(vertices))
    numbers[vertices] = own
    vertices = vertices.compress(numbers.take(vertices) == own)  # of several the one that wrote last
    numbers[vertices] = own[: len(vertices)]
    return vertices


def _rows_of(
    indptr: npt.NDArray[Any], vertices: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return where the edges of some vertices begin, and how many there are of each."""
    first = indptr.take(vertices).astype(np.int64)
    return first, indptr.take(vertices + 1) - first


def _float64(weights: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    return weights.astype(np.float64, copy=False)
