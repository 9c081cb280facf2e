"""What a solver returns: distances, predecessors, routes, and how they were computed."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.device import Device, Job
from reedsp.device_graph import NO_VERTEX
from reedsp.exactness import Arithmetic, ceiling_of, from_result, to_result
from reedsp.graph import Graph, vertex_number
from reedsp.verification import VerificationError, verify_on_host, verify_tree


@dataclass(frozen=True, eq=False)
class ShortestPaths:
    """Shortest paths from one source or several.

    Attributes
    ----------
    graph : Graph
    source : int or list of int
        The source, or one source for each row of `dist` and `pred`.
    dist : ndarray, shape (n,) or (k, n)
        Distance of each vertex; inf (in an integer dtype its largest value) where there is no path.
    pred : ndarray of int32, same shape
        Vertex before the last one on a shortest path; -9999 for the source and where there is no path. The
        predecessors form a tree, which is the same on every device.
    nearest : ndarray of int32, shape (n,), or None
        If paths from the nearest of several sources were asked for: that source, or -9999 where there is no path.
    method : str
        The method that was used.
    rounds : int
        Rounds that the device ran, over all sources.
    device : str
        Name and platform of the device.
    stats : dict
        ``device``, ``kernels_launched``, ``milliseconds``, ``bytes_to_device``, ``bytes_from_device``,
        ``bytes_allocated``, ``arithmetic`` (in which path weights were added), and ``exact_on_host`` (number of
        sources that the host had to solve in whole numbers, because rounding defeated the device's floats).
    """

    graph: Graph
    source: int | list[int]
    dist: npt.NDArray[Any]
    pred: npt.NDArray[np.int32]
    nearest: npt.NDArray[np.int32] | None
    method: str
    rounds: int
    device: str
    stats: dict[str, Any]
    _device: Device
    _arithmetic: Arithmetic
    _cutoff: float | None
    _target: int | None  # the search stopped there
    _node_keys: bool  # the graph came as a networkx graph: vertices are called by their nodes
    _rows_from_host: frozenset[int]
    _exact: npt.NDArray[Any] | None  # distances before rounding to `dist`, where that loses something

    def path(self, target: Hashable, source: Hashable | None = None) -> list[Any]:
        """Return the vertices of a shortest path, the source first and the target last.

        Parameters
        ----------
        target : int
            A vertex; a negative one counts from the end. If the graph was given as a networkx graph, a node.
        source : int, optional
            Which of several sources to start from.

        Returns
        -------
        list of int
            Vertices, or nodes if the graph was given as a networkx graph.

        Raises
        ------
        ValueError
            There is no path, the vertex does not exist, or `source` is missing or not among the sources.
        """
        vertex = self._vertex(target, "target")
        row = self._row(source)
        pred = np.atleast_2d(self.pred)[row]
        if self.nearest is not None:
            start = int(self.nearest[vertex])
            if start == NO_VERTEX:
                raise ValueError(f"no path to vertex {self._name(vertex)!r}")
        else:
            start = self.source[row] if isinstance(self.source, list) else self.source
        route = [vertex]
        while route[-1] != start:
            before = int(pred[route[-1]])
            if before == NO_VERTEX:
                raise ValueError(f"no path from vertex {self._name(start)!r} to vertex {self._name(vertex)!r}")
            route.append(before)
        return [self._name(each) for each in reversed(route)]

    def to_dict(self, source: Hashable | None = None) -> dict[Hashable, int | float]:
        """Return the distance of each reached vertex by its label (for a networkx graph: its node)."""
        dist = np.atleast_2d(self.dist)[self._row(source)]
        unreached = np.inf if dist.dtype.kind == "f" else np.iinfo(dist.dtype).max
        return {self.graph.label(int(v)): dist[v].item() for v in np.flatnonzero(dist != unreached)}

    def verify(self) -> bool:
        """Check on the device that this is a shortest-path tree, by the rules of the Graph500 validator.

        Distances obey the triangle inequality on every edge; each predecessor has an edge that gives exactly the
        distance; the predecessors lead back to the source.

        Returns
        -------
        bool
            True.

        Raises
        ------
        VerificationError
            They do not; the message names a vertex.
        """
        dist, pred = np.atleast_2d(self.dist, self.pred)
        listed = self.source if isinstance(self.source, list) else [self.source]
        rows = [[source] for source in listed] if self.nearest is None else [listed]
        arithmetic = self._arithmetic
        for row, sources in enumerate(rows):
            if row in self._rows_from_host:
                verify_on_host(self.graph, sources[0], dist[row], pred[row])
                continue
            exact = self._exact[row] if self._exact is not None else from_result(dist[row], arithmetic)
            changed = np.flatnonzero(to_result(exact, arithmetic, dist.dtype) != dist[row])
            if len(changed):
                raise VerificationError(f"vertex {changed[0]}: its distance was changed to {dist[row, changed[0]]}")
            ceiling = ceiling_of(self._cutoff, arithmetic)
            if self._target is not None and exact[self._target] != arithmetic.infinity:
                ceiling = min(ceiling, ceiling_of(exact[self._target].item(), arithmetic))
            verify_tree(self.graph, sources, exact, pred[row], Job(self._device), arithmetic, ceiling)
        if self.nearest is not None:
            self._verify_nearest(listed)
        return True

    def _verify_nearest(self, sources: list[int]) -> None:
        """Check that each vertex has the nearest source of its predecessor."""
        assert self.nearest is not None
        expected = np.where(self.pred >= 0, self.nearest[np.maximum(self.pred, 0)], np.int32(NO_VERTEX))
        expected[sources] = sources
        wrong = np.flatnonzero(expected != self.nearest)
        if len(wrong):
            raise VerificationError(f"vertex {wrong[0]}: {self.nearest[wrong[0]]} is not its nearest source")

    def _vertex(self, vertex: Hashable, name: str) -> int:
        return self.graph.vertex(vertex) if self._node_keys else vertex_number(vertex, name, self.graph.n)

    def _name(self, vertex: int) -> Any:
        return self.graph.label(vertex) if self._node_keys else vertex

    def _row(self, source: Hashable | None) -> int:
        if self.nearest is not None:
            if source is not None:
                raise ValueError("source: the paths start at the nearest of the sources")
            return 0
        if not isinstance(self.source, list):
            if source is not None and self._vertex(source, "source") != self.source:
                raise ValueError(f"source = {source!r}, but the paths start at {self._name(self.source)!r}")
            return 0
        if source is None:
            raise ValueError("source: name one of the sources, there are several")
        vertex = self._vertex(source, "source")
        if vertex not in self.source:
            raise ValueError(f"source = {source!r} is not among the sources")
        return self.source.index(vertex)

    def __repr__(self) -> str:
        sources = len(set(self.source)) if self.nearest is not None else np.atleast_2d(self.pred).shape[0]  # type: ignore[arg-type]
        reached = int(np.count_nonzero(self.pred != NO_VERTEX)) + sources
        start = f"{len(self.source)} sources" if isinstance(self.source, list) else f"source {self.source}"
        return (
            f"<reedsp.ShortestPaths: {start}, {reached:,} of {self.dist.size:,} reached, {self.method}, "
            f"{self.rounds} rounds, {self.stats['milliseconds']:.1f} ms on {self.device}>"
        )


@dataclass(frozen=True, eq=False)
class AllPairs:
    """Shortest paths between all pairs of vertices.

    Attributes
    ----------
    graph : Graph
    dist : ndarray, shape (n, n)
        Distance from the vertex of the row to that of the column. inf (in an integer dtype its largest value) where
        there is no path, -inf (the least value) where a path can pass a negative cycle.
    pred : ndarray of int32, shape (n, n), or None
        Vertex before the last one on a shortest path; -9999 on the diagonal, and where `dist` is infinite. Each row is
        a tree, which is the same on every device. None unless asked for.
    method : str
        The method that was used.
    device : str
        Name and platform of the device.
    stats : dict
        ``device``, ``kernels_launched``, ``milliseconds``, ``bytes_to_device``, ``bytes_from_device``,
        ``bytes_allocated`` and ``arithmetic`` (in which path weights were added).
    """

    graph: Graph
    dist: npt.NDArray[Any]
    pred: npt.NDArray[np.int32] | None
    method: str
    device: str
    stats: dict[str, Any]
    _node_keys: bool  # the graph came as a networkx graph: vertices are called by their nodes

    def path(self, source: Hashable, target: Hashable) -> list[Any]:
        """Return the vertices of a shortest path, the source first and the target last (thesis section 5.2.2).

        Parameters
        ----------
        source, target : int
            Vertices; negative ones count from the end. If the graph was given as a networkx graph, nodes.

        Returns
        -------
        list of int
            Vertices, or nodes if the graph was given as a networkx graph.

        Raises
        ------
        ValueError
            There is no path, or none is shortest because it can pass a negative cycle; a vertex does not exist; or
            predecessors were not asked for.
        """
        if self.pred is None:
            raise ValueError("path: there are no predecessors; ask for them with predecessors=True")
        start, vertex = self._vertex(source, "source"), self._vertex(target, "target")
        unbounded = -np.inf if self.dist.dtype.kind == "f" else np.iinfo(self.dist.dtype).min
        if self.dist[start, vertex] == unbounded:
            raise ValueError(f"paths from vertex {source!r} to vertex {target!r} can pass a negative cycle")
        route = [vertex]
        while route[-1] != start:
            before = int(self.pred[start, route[-1]])
            if before == NO_VERTEX:
                raise ValueError(f"no path from vertex {source!r} to vertex {target!r}")
            route.append(before)
        return [self.graph.label(each) if self._node_keys else each for each in reversed(route)]

    def _vertex(self, vertex: Hashable, name: str) -> int:
        return self.graph.vertex(vertex) if self._node_keys else vertex_number(vertex, name, self.graph.n)

    def __repr__(self) -> str:
        return (
            f"<reedsp.AllPairs: {self.graph.n:,} vertices, {self.method}, "
            f"{self.stats['milliseconds']:.1f} ms on {self.device}>"
        )
