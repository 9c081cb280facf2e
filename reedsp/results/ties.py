"""All shortest simple paths to a vertex, one after the other, out of the edges that lie on shortest paths."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.graph.graph import Graph, edge_sources


def tight_edges(graph: Graph, dist: npt.NDArray[Any], infinity: Any) -> npt.NDArray[np.bool_]:
    """Return which edges (u, v) lie on shortest paths: those with ``dist[u] + weight == dist[v]``.

    Parameters
    ----------
    graph : Graph
    dist : ndarray, shape (n,)
        Distances in the arithmetic that they were added in.
    infinity
        What stands for "no path" in `dist`.
    """
    before, after = dist[edge_sources(graph)], dist[graph.indices]
    finite = (before != infinity) & (after != infinity)
    if dist.dtype.kind == "f":
        with np.errstate(invalid="ignore", over="ignore"):
            return np.asarray(finite & (before + graph.weights.astype(dist.dtype) == after))
    weights = graph.weights.astype(np.int64)
    before, after = before.astype(np.int64), after.astype(np.int64)
    # No distance is greater than the one before it and the weight, so a difference that wraps has the wrong sign.
    return np.asarray(finite & (after - before == weights) & ((after < before) == (weights < 0)))


def tied_paths(graph: Graph, tight: npt.NDArray[np.bool_], starts: list[int], target: int) -> Iterator[list[int]]:
    """Yield every simple path of tight edges from one of several vertices to a target.

    The order is that of the lists of vertex numbers. Nothing is listed ahead: the first path takes time for the
    edges, each further one for its length, and where edges form a cycle of weight zero for the edges at each vertex.

    Parameters
    ----------
    graph : Graph
    tight : ndarray of bool, shape (m,)
        The edges that may be used.
    starts : list of int
    target : int
    """
    import scipy.sparse.csgraph

    n = graph.n
    tails, heads = edge_sources(graph)[tight], graph.indices[tight]
    loops = tails == heads
    tails, heads = tails[~loops], heads[~loops]
    back = scipy.sparse.csr_array((np.ones(len(tails), np.int8), (heads, tails)), shape=(n, n))
    leads = np.zeros(n, bool)
    leads[scipy.sparse.csgraph.breadth_first_order(back, target, return_predecessors=False)] = True
    kept = leads[tails] & leads[heads]
    tails, heads = tails[kept], heads[kept]
    firsts = np.searchsorted(tails, np.arange(n + 1))
    forward = scipy.sparse.csr_array((np.ones(len(heads), np.int8), heads, firsts), shape=(n, n))
    _, component = scipy.sparse.csgraph.connected_components(forward, connection="strong")
    search = _Search(firsts, heads, np.bincount(component)[component] > 1, target)
    for start in sorted(set(starts)):
        if leads[start]:
            yield from search.paths_from(start)


class _Search:
    """A walk along edges all of which lead to the target, back and forth; on cycles some ways are dead ends."""

    def __init__(
        self,
        firsts: npt.NDArray[np.intp],
        heads: npt.NDArray[np.int32],
        on_cycle: npt.NDArray[np.bool_],
        target: int,
    ) -> None:
        self._firsts = firsts
        self._heads = heads
        self._on_cycle = on_cycle
        self._target = target

    def _after(self, vertex: int) -> list[int]:
        return self._heads[self._firsts[vertex] : self._firsts[vertex + 1]].tolist()  # type: ignore[no-any-return]

    def paths_from(self, start: int) -> Iterator[list[int]]:
        """Yield the simple paths from this vertex."""
        path, used = [start], {start}
        ways = [iter(self._ways(start, used))]
        while ways:
            if path[-1] == self._target:
                yield path.copy()
                following = None
            else:
                following = next(ways[-1], None)
            if following is None:
                ways.pop()
                used.remove(path.pop())
                continue
            path.append(following)
            used.add(following)
            ways.append(iter(self._ways(following, used)))

    def _ways(self, vertex: int, used: set[int]) -> list[int]:
        """Return where a path that has come to this vertex may go on: where it can still get to the target."""
        if vertex == self._target:
            return []
        if not self._on_cycle[vertex]:  # whatever comes after it was never used
            return self._after(vertex)
        return [each for each in self._after(vertex) if each not in used and self._arrives(each, used)]

    def _arrives(self, vertex: int, used: set[int]) -> bool:
        """Return whether a way leads from here to the target, or off the cycles, without what is used."""
        seen, waiting = {vertex}, [vertex]
        while waiting:
            here = waiting.pop()
            if here == self._target or not self._on_cycle[here]:
                return True
            new = [each for each in self._after(here) if each not in used and each not in seen]
            seen.update(new)
            waiting += new
        return False
