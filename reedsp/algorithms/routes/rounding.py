"""By how much distances that are added in float64 differ from the exact ones, found in integers.

An edge's excess is what a path to its end adds to the rounded distance there: dist[u] + w - dist[v]. Along a path these
add up to its exact weight less the rounded distance, so that the shortest paths by excess are the shortest ones, and
weigh as much as is to be added. On edges of shortest paths the excess is twice the rounding errors at most: a small
multiple of the power of two of which all weights are multiples.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from reedsp.algorithms.single_source.sssp import sssp
from reedsp.device.device import Device
from reedsp.graph.graph import Graph, edge_sources
from reedsp.typing import Distances

MOST = 1 << 50
"""Units that distances may be rounded by: sums and differences of a few such numbers are exact in float64."""


def corrections(
    graph: Graph,
    source: int,
    dist: Distances,
    exponent: int,
    most: int,
    device: Device | int | str | None,
) -> tuple[Graph, Distances]:
    """Return the edges that may be on shortest paths, which weigh their excess, and what is to be added to distances.

    Both are in units of two to the power of `exponent`. The graph has all shortest paths from the source, and they are
    shortest in it.

    Parameters
    ----------
    graph : Graph
        Its weights are multiples of the unit.
    source : int
    dist : ndarray of float64, shape (n,)
        Distances from the source.
    exponent : int
    most : int
        Units, at most :data:`MOST`, by which no distance is further from the exact one.
    device : Device, int, str or None
        As for :func:`reedsp.sssp`.
    """
    before, weights = dist[edge_sources(graph)], graph.weights.astype(np.float64, copy=False)
    with np.errstate(over="ignore", invalid="ignore"):  # of edges that are not taken
        total = before + weights
        added = total - before
        rest = (before - (total - added)) + (weights - added)  # the exact sum is total + rest, after Knuth
        excess = np.ldexp(total - dist[graph.indices], -exponent) + np.ldexp(rest, -exponent)
        is_taken = np.abs(excess) <= 2 * most
    indptr = np.concatenate(([0], np.cumsum(is_taken)))[graph.indptr]
    taken: Any = graph.indices.compress(is_taken), excess.compress(is_taken).astype(np.int64)
    edges = Graph._over(indptr, *taken)
    return edges, sssp(edges, source, dtype="int64", device=device).dist
