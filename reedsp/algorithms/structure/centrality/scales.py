"""What sums over sources are multiplied by to be betweenness, as in networkx."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from reedsp.algorithms.structure.centrality.sums import Sums
from reedsp.graph.graph import Graph, transposed


def scaled_values(
    sums: Sums, sources: Sequence[int], directed: bool, normalized: bool, endpoints: bool
) -> npt.NDArray[np.float64]:
    """Return the values of vertices, of the sums over different sources.

    Without endpoints no path from a vertex counts for it: a source has one source less.
    """
    values: npt.NDArray[np.float64] = sums.vertices
    if endpoints:
        ends = sums.reached_by.copy()
        ends[sources] += sums.reached - 1
        values = values + ends
    n, k = len(values), len(sources)
    if (n if endpoints else n - 1) < 2:
        return values.copy()  # what can be changed without a change to the sums, as below
    if endpoints or k == n:
        return values * scale(n if endpoints else n - 1, None if k == n else k, directed, normalized)
    scales: npt.NDArray[np.float64] = np.full(n, scale(n - 1, k, directed, normalized))
    scales[sources] = scale(n - 1, k - 1, directed, normalized)
    return values * scales


def scaled_edges(graph: Graph, sums: Sums, count: int, directed: bool, normalized: bool) -> npt.NDArray[np.float64]:
    """Return the values of edges, of the sums over some sources: of an undirected edge that of both directions."""
    assert sums.edges is not None
    values: npt.NDArray[np.float64] = sums.edges
    if not directed:
        values = values + transposed(graph.indptr, graph.indices, values)[2]
    return values * scale(graph.n, count, directed, normalized) if graph.n >= 2 else values.copy()


def scale(ends: int, sources: int | None, directed: bool, normalized: bool) -> float:
    """Return the factor of sums over some sources.

    Parameters
    ----------
    ends : int
        Vertices that a path may start at, or end at: for a vertex on it, all or all others. At least two.
    sources : int, optional
        How many it did start at; by default as many. NaN is the factor for none.
    """
    sources = ends if sources is None else sources
    if sources == 0:
        return math.nan
    if normalized:
        return 1 / (sources * (ends - 1))
    return ends / (sources * (1 if directed else 2))
