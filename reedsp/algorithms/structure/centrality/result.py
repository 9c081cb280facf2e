"""What betweenness returns."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.algorithms.structure.centrality.scales import scaled_edges, scaled_values
from reedsp.algorithms.structure.centrality.sums import Sums
from reedsp.algorithms.traversal.bfs import bfs
from reedsp.edges.verify import VerificationError, check_array, check_vertex
from reedsp.graph.arguments import vertex_argument
from reedsp.graph.graph import Graph, edge_sources
from reedsp.graph.html import SHOWN, and_more, card, run_facts
from reedsp.results.ranking import largest
from reedsp.results.text import AsTable
from reedsp.system.options import integer
from reedsp.system.public import public

_CLOSE = 1e-9
_ROWS_AT_ONCE = 64


@public
@dataclass(frozen=True, eq=False, repr=False)
class Betweenness(AsTable):
    """Which part of the shortest paths passes each vertex, and each edge if that was asked for.

    Attributes
    ----------
    graph : Graph
    sources : list of int or of other names, or None
        The vertices whose paths were counted; None for all.
    values : ndarray of float64, shape (n,)
        That of each vertex. NaN for a single source if `endpoints` do not count: nothing is known about it.
    edge_values : ndarray of float64, shape (m,), or None
        That of each stored edge, in the order of ``graph.indices``: an undirected edge is stored twice, and has the
        same value both times.
    normalized, endpoints : bool
    method : {"work-items", "work-groups"}
        The kernels that were used.
    device : str
        Name and platform of the device.
    stats : dict
        ``device``, ``kernels_launched``, ``milliseconds``, ``bytes_to_device``, ``bytes_from_device``,
        ``bytes_allocated``, ``phases``, as in :class:`ShortestPaths`, and ``path_counts``: "exact", "rounded" or, with
        exponents apart, "scaled".

    Examples
    --------
    >>> import reedsp
    >>> path = reedsp.Graph.from_edges(3, [0, 1], [1, 2], directed=False, labels=["a", "b", "c"])
    >>> reedsp.betweenness(path).to_dict()
    {'a': 0.0, 'b': 1.0, 'c': 0.0}
    """

    graph: Graph
    sources: list[Any] | None
    values: npt.NDArray[np.float64]
    edge_values: npt.NDArray[np.float64] | None
    normalized: bool
    endpoints: bool
    method: str
    device: str
    stats: dict[str, Any]
    _sums: Sums = field(repr=False)

    def to_dict(self) -> dict[Any, float]:
        """Return the value of each vertex by its name.

        Returns
        -------
        dict of name to float
        """
        return dict(zip(self.graph.names, self.values.tolist(), strict=True))

    def edges_to_dict(self) -> dict[tuple[Any, Any], float]:
        """Return the value of each edge by the names of its ends, of an undirected edge once.

        Returns
        -------
        dict of (name, name) to float
            In the order of :meth:`Graph.edges`.

        Raises
        ------
        ValueError
            Edges were not asked for.
        """
        values = self._of_edges()
        tails = edge_sources(self.graph)
        shown = np.flatnonzero(self.graph.directed | (tails <= self.graph.indices))
        names = self.graph.names
        ends = zip(tails[shown].tolist(), self.graph.indices[shown].tolist(), values[shown].tolist(), strict=True)
        return {(names[tail], names[head]): value for tail, head, value in ends}

    def of(self, vertex: Hashable) -> float:
        """Return the value of one vertex, by its name.

        Raises
        ------
        ValueError
            There is no such vertex.
        """
        return float(self.values[vertex_argument(self.graph, vertex, "vertex")])

    def largest(self, count: int = 10) -> list[tuple[Any, float]]:
        """Return the vertices with the largest values, the largest first, and those before others as in the graph.

        Returns
        -------
        list of (name, float)

        Examples
        --------
        >>> import reedsp
        >>> path = reedsp.Graph.from_edges(5, [0, 1, 2, 3], [1, 2, 3, 4], directed=False)
        >>> reedsp.betweenness(path, normalized=False).largest(3)
        [(2, 4.0), (1, 3.0), (3, 3.0)]
        """
        return largest(self.graph.names, self.values, count)

    def largest_edges(self, count: int = 10) -> list[tuple[tuple[Any, Any], float]]:
        """Return the edges with the largest values, each by the names of its ends, as :meth:`largest` does vertices.

        Returns
        -------
        list of ((name, name), float)

        Raises
        ------
        ValueError
            Edges were not asked for.
        """
        count = integer(count, "count")
        values = self.edges_to_dict()
        return sorted(values.items(), key=lambda item: -item[1])[: max(0, count)]

    def _of_edges(self) -> npt.NDArray[np.float64]:
        if self.edge_values is None:
            raise ValueError("edges: they were not asked for; betweenness(..., edges=True) finds their values")
        return self.edge_values

    def verify(self) -> bool:
        """Check the sums by the levels of a breadth-first search from each source, and the values by the sums.

        All dependencies add up to the inner vertices of all paths. Where edges were asked for, as much comes to every
        vertex as paths end there or go on, and as much leaves it as paths start there or go on. Values are these sums,
        scaled as `normalized` and `endpoints` say.

        Returns
        -------
        bool
            True.

        Raises
        ------
        VerificationError
            Some do not; the message names a vertex, if it can.
        """
        graph, sums = self.graph, self._sums
        check_array("values", self.values, (graph.n,), np.float64)
        if self.edge_values is not None:
            check_array("edge_values", self.edge_values, (graph.m,), np.float64)
        if graph.n == 0:
            return True
        named = list(graph.names) if self.sources is None else self.sources
        sources = [check_vertex("sources", graph, name) for name in named]
        reached, inner = [], 0
        reached_by, starts = np.zeros(graph.n, np.int64), np.zeros(graph.n, np.int64)
        for first in range(0, len(named), _ROWS_AT_ONCE):
            levels = bfs(graph, named[first : first + _ROWS_AT_ONCE]).levels
            reached.append((levels >= 0).sum(axis=1))
            reached_by += (levels > 0).sum(axis=0)
            inner += int(np.maximum(levels.astype(np.int64) - 1, 0).sum())
        starts[sources] = np.concatenate(reached) - 1
        self._compare("the number of sources that reach it", sums.reached_by, reached_by)
        if not np.array_equal(sums.reached, np.concatenate(reached)):
            raise VerificationError("the numbers of vertices that sources reach are wrong")
        if not np.isclose(sums.vertices.sum(), inner, _CLOSE, _CLOSE):
            raise VerificationError(f"the dependencies add up to {sums.vertices.sum()}, expected {inner}")
        if sums.edges is not None:
            tails = edge_sources(graph)
            coming = np.bincount(graph.indices, sums.edges, graph.n)
            leaving = np.bincount(tails, sums.edges, graph.n)
            self._compare("what comes to it", coming, sums.vertices + reached_by)
            self._compare("what leaves it", leaving, sums.vertices + starts)
        self._compare_values(sources)
        return True

    def _compare_values(self, sources: list[int]) -> None:
        """Check that values are the sums, scaled, to the last bit."""
        graph, sums = self.graph, self._sums
        expected = scaled_values(sums, sources, graph.directed, self.normalized, self.endpoints)
        wrong = _differ(self.values, expected)
        if len(wrong):
            vertex = wrong[0]
            raise VerificationError(
                f"vertex {graph.names[vertex]!r}: its value is {self.values[vertex]}, expected {expected[vertex]}"
            )
        if self.edge_values is None:
            return
        if sums.edges is None:
            raise VerificationError("edge_values: there are no sums that they could be of")
        expected = scaled_edges(graph, sums, len(sources), graph.directed, self.normalized)
        wrong = _differ(self.edge_values, expected)
        if len(wrong):
            edge = wrong[0]
            ends = [graph.names[vertex] for vertex in (edge_sources(graph)[edge], graph.indices[edge])]
            found = self.edge_values[edge]
            raise VerificationError(
                f"the edge from {ends[0]!r} to {ends[1]!r}: its value is {found}, expected {expected[edge]}"
            )

    def _compare(self, what: str, found: npt.NDArray[Any], expected: npt.NDArray[Any]) -> None:
        wrong = ~np.isclose(found, expected, _CLOSE, _CLOSE)
        if wrong.any():
            vertex = int(np.argmax(wrong))
            name = self.graph.names[vertex]
            raise VerificationError(f"vertex {name!r}: {what} is {found[vertex]}, expected {expected[vertex]}")

    def _table(self) -> tuple[list[str], Iterable[Iterable[Any]]]:
        if self.edge_values is None:
            return ["vertex", "betweenness"], self.to_dict().items()
        edges = self.edges_to_dict().items()
        return ["source", "target", "betweenness"], ([*ends, value] for ends, value in edges)

    def _repr_html_(self) -> str:
        facts = [("method", self.method), *run_facts(self.stats, self.device)]
        lines = [[name, f"{value:.10g}"] for name, value in self.largest(SHOWN)]
        return card(self._title(), facts, ["vertex", "betweenness"], [*lines, *and_more(self.graph.n, 2)])

    def _title(self) -> str:
        whose = "all" if self.sources is None else f"{len(self.sources):,}"
        what = "" if self.edge_values is None else f" and {len(self.edge_values):,} edges"
        return f"Betweenness of {self.graph.n:,} vertices{what}, by paths from {whose}"

    def __repr__(self) -> str:
        whose = "all vertices" if self.sources is None else f"{len(self.sources):,} sources"
        of_edges = "" if self.edge_values is None else f" and {len(self.edge_values):,} edges"
        return (
            f"<reedsp.Betweenness: {self.graph.n:,} vertices{of_edges}, from {whose}, {self.method}, "
            f"{self.stats['milliseconds']:.1f} ms on {self.device}>"
        )


def _differ(found: npt.NDArray[np.float64], expected: npt.NDArray[np.float64]) -> npt.NDArray[np.intp]:
    """Return where numbers differ, NaN being itself."""
    return np.flatnonzero((found != expected) & ~(np.isnan(found) & np.isnan(expected)))
