"""What lies within a cutoff of some vertices, on the host, where that is so little that no device would be done."""

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


class Nearby(NamedTuple):
    """All vertices that are near.

    Attributes
    ----------
    vertices : ndarray of int64, shape (k,)
        Ascending.
    dist : ndarray of float64, shape (k,)
        Their distances.
    """

    vertices: npt.NDArray[np.int64]
    dist: npt.NDArray[np.float64]

    def distances(self, n: int) -> npt.NDArray[np.float64]:
        """Return those of all vertices, infinity for what is not near."""
        dist = np.full(n, np.inf)
        dist[self.vertices] = self.dist
        return dist

    def predecessors(
        self,
        indptr: npt.NDArray[Any],
        heads: npt.NDArray[Any],
        weights: npt.NDArray[Any] | None,
        starts: Sequence[int],
        *,
        direct: bool = False,
    ) -> npt.NDArray[np.int32]:
        """Return those of all vertices, by the rule of :func:`.trees`, NO_VERTEX for what is not near."""
        first, counts = _rows_of(indptr, self.vertices)
        edges = edges_in(first, counts)
        ends = heads.take(edges)
        position = self.vertices.searchsorted(ends)
        is_near = self.vertices.take(position, mode="clip") == ends
        tails = np.arange(len(counts)).repeat(counts).compress(is_near)
        own = np.append(0, np.bincount(tails, minlength=len(counts)).cumsum())
        near_weights = np.ones(len(tails)) if weights is None else _float64(weights.take(edges.compress(is_near)))
        begun = [self.vertices.searchsorted(starts).tolist()]
        [near] = trees(own, position.compress(is_near), near_weights, self.dist[None], begun, direct=direct)
        pred = np.full(len(indptr) - 1, NO_VERTEX, np.int32)
        pred[self.vertices] = np.where(near < 0, NO_VERTEX, self.vertices.take(near, mode="clip"))
        return pred


def search_nearby(
    indptr: npt.NDArray[Any],
    heads: npt.NDArray[Any],
    weights: npt.NDArray[Any] | None,
    starts: Sequence[int],
    cutoff: float,
) -> Nearby | None:
    """Return the vertices that are not farther away than `cutoff` from the nearest start, if these are few.

    Frontiers are relaxed until none is left (Bellman-Ford), so that each distance is the minimum left-to-right sum. How
    far the first rounds have led says how many more there will be, with as many more edges as in a plane.

    Parameters
    ----------
    indptr, heads, weights : ndarray
        Of a CSR matrix; without weights edges are counted. Those that are looked at need not have been checked before:
        what is found in a matrix that is corrupt, or has weights that are negative or NaN, is to be thrown away.
    starts : sequence of int
        Some, which are vertices.
    cutoff : float

    Returns
    -------
    Nearby or None
        None where there are likely to be more, and for what is no matrix.
    """
    n = len(indptr) - 1
    numbers = np.zeros(n, np.int32)  # of vertices that were found, from 1; the pages of others are never touched
    vertices = _numbered(np.asarray(starts, np.int64), numbers, 1)
    dist = np.zeros(len(vertices))
    frontier, looked = np.arange(len(vertices)), 0
    for number in range(1, _ROUNDS + 1):
        first, counts = _rows_of(indptr, vertices.take(frontier))
        looked += int(counts.sum())
        if counts[counts.argmin()] < 0 or looked > _EDGES:
            return None
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
        new = _numbered(ends.compress(numbers.take(ends) == 0), numbers, len(vertices) + 1)
        vertices = np.concatenate((vertices, new))
        known = np.concatenate((dist, np.full(len(new), np.inf)))
        dist = known.copy()
        np.minimum.at(dist, numbers.take(ends) - 1, after)
        frontier = (dist < known).nonzero()[0]
        if len(frontier) == 0:
            break
        if number >= _FIRST:
            share = dist.take(frontier).min() / cutoff if cutoff else 1.0
            if number > _ROUNDS * share or looked > _EDGES * share**2:
                return None
    else:
        return None
    order = vertices.argsort()
    return Nearby(vertices.take(order), dist.take(order))


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
