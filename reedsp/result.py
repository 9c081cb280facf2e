"""What a solver returns: distances, predecessors, routes, and how they were computed."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from reedsp.device import Device, Job, get_device, infinity
from reedsp.device_graph import NO_VERTEX
from reedsp.exactness import Arithmetic, ceiling_of, from_result, to_result
from reedsp.exports import matrix_to_dataframe, pairs_to_networkx, rows_to_dataframe, tree_to_networkx
from reedsp.graph import Graph, vertex_number, vertices_argument
from reedsp.negative_cycle import exact_shortest_paths
from reedsp.plotting import axes_for, draw_matrix, draw_search
from reedsp.presentation import SHOWN, and_more, card, distance_text, name_or_dash, run_facts
from reedsp.routes import Routes, walk
from reedsp.tied_paths import edge_sources, tied_paths, tight_edges
from reedsp.verification import VerificationError, verify_on_host, verify_tree

if TYPE_CHECKING:
    import networkx
    import pandas
    from matplotlib.axes import Axes


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
    _device: Device | None  # None after it was loaded from a pickle: then any device serves
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
        route = self._route(self._vertex(target, "target"), self._row(source))
        return [self._name(each) for each in route]

    def _route(self, vertex: int, row: int) -> list[int]:
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
        return route[::-1]

    def paths_to(self, targets: Iterable[Hashable], source: Hashable | None = None) -> Routes:
        """Return a shortest path to each of many targets, all walked together.

        Parameters
        ----------
        targets : iterable of int
            Vertices, or nodes if the graph was given as a networkx graph; an array of vertices is the quickest.
        source : int, optional
            Which of several sources to start from.

        Returns
        -------
        Routes
            A sequence of lists, each as :meth:`path` returns it; an empty one where there is no path. They take 4
            bytes a vertex.

        Raises
        ------
        ValueError, TypeError
            A vertex does not exist (the message names its position), or `source` is missing or not among the sources.

        Examples
        --------
        >>> import reedsp
        >>> graph = reedsp.Graph.from_edges(4, [0, 0, 1, 2], [1, 2, 3, 3], [7, 2, 1, 3])
        >>> list(reedsp.sssp(graph, 0).paths_to([3, 1]))
        [[0, 2, 3], [0, 1]]
        """
        row = self._row(source)
        ends = vertices_argument(self.graph, targets, "targets", self._node_keys)
        reached = np.isin(ends, self._starts(row)) | (np.atleast_2d(self.pred)[row, ends] != NO_VERTEX)
        return walk(
            self.graph, np.atleast_2d(self.pred), np.full(len(ends), row, np.intp), ends, reached, self._node_keys
        )

    def all_paths_to(self, target: Hashable, source: Hashable | None = None) -> Iterator[list[Any]]:
        """Yield every shortest path to a vertex; where there are ties these are several, and may be very many.

        Only simple paths are meant: where a cycle of weight zero could be added to a path, it is not.

        Parameters
        ----------
        target : int
            A vertex, or a node if the graph was given as a networkx graph.
        source : int, optional
            Which of several sources to start from.

        Yields
        ------
        list of int
            Vertices, or nodes if the graph was given as a networkx graph. The lists come in the order of their vertex
            numbers: by the first vertex that differs, counted from the source. They are made when they are asked
            for; nothing is listed ahead.

        Raises
        ------
        ValueError
            As for :meth:`path`, at the call.

        Notes
        -----
        Fractional weights tie where the sums, rounded as `dist` was, are equal.

        Examples
        --------
        >>> import reedsp
        >>> graph = reedsp.Graph.from_edges(4, [0, 0, 1, 2], [1, 2, 3, 3])
        >>> list(reedsp.sssp(graph, 0).all_paths_to(3))
        [[0, 1, 3], [0, 2, 3]]
        """
        vertex, row = self._vertex(target, "target"), self._row(source)
        starts = self._starts(row)
        if vertex not in starts and np.atleast_2d(self.pred)[row, vertex] == NO_VERTEX:
            whence = f"from vertex {self._name(starts[0])!r} " if self.nearest is None else ""
            raise ValueError(f"no path {whence}to vertex {self._name(vertex)!r}")
        routes = tied_paths(self.graph, self._tight(row), starts, vertex)
        return ([self._name(each) for each in route] for route in routes)

    def _tight(self, row: int) -> npt.NDArray[np.bool_]:
        """Return which edges lie on shortest paths of this row."""
        if row in self._rows_from_host:
            exact, scale, _ = exact_shortest_paths(self.graph, self._starts(row))
            ends = zip(edge_sources(self.graph).tolist(), self.graph.indices.tolist(), strict=True)
            weights = [int(fraction * scale) for fraction in map(Fraction, self.graph.weights.tolist())]
            tight = [
                (before := exact[u]) is not None and before + weight == exact[v]
                for (u, v), weight in zip(ends, weights, strict=True)
            ]
            return np.array(tight, bool)
        dist = self._in_arithmetic(row)
        return tight_edges(self.graph, dist, self._arithmetic.infinity)

    def _in_arithmetic(self, row: int) -> npt.NDArray[Any]:
        """Return the distances of this row in the arithmetic of the device, in which they were added."""
        if self._exact is not None:
            return self._exact[row]  # type: ignore[no-any-return]
        return from_result(np.atleast_2d(self.dist)[row], self._arithmetic)

    def _starts(self, row: int) -> list[int]:
        """Return where the paths of this row may start."""
        if not isinstance(self.source, list):
            return [self.source]
        return self.source if self.nearest is not None else [self.source[row]]

    def to_networkx(self, source: Hashable | None = None) -> networkx.DiGraph[Any]:
        """Return the tree of shortest paths as a graph of networkx.

        Parameters
        ----------
        source : int, optional
            Which of several sources to start from.

        Returns
        -------
        networkx.DiGraph
            The reached vertices by their labels, each with the attribute ``dist``, and ``nearest`` if paths from the
            nearest of several sources were asked for; and the edges of the tree with their ``weight``.

        Raises
        ------
        ValueError
            `source` is missing or not among the sources, or several vertices have the same label.

        Examples
        --------
        >>> import reedsp
        >>> graph = reedsp.Graph.from_edges(3, [0, 0, 1], [1, 2, 2], [1, 5, 2], labels=["a", "b", "c"])
        >>> tree = reedsp.sssp(graph, 0).to_networkx()
        >>> tree.nodes(data="dist"), tree.edges(data="weight")
        (NodeDataView({'a': 0.0, 'b': 1.0, 'c': 3.0}, data='dist'), OutEdgeDataView([('a', 'b', 1), ('b', 'c', 2)]))
        """
        row = self._row(source)
        dist, pred = (array[row] for array in np.atleast_2d(self.dist, self.pred))
        reached = np.flatnonzero(dist != infinity(dist.dtype))
        attributes = {"dist": dist[reached].tolist()}
        if self.nearest is not None:
            attributes["nearest"] = [self.graph.label(each) for each in self.nearest[reached].tolist()]
        return tree_to_networkx(self.graph, pred, reached, attributes)

    def to_dataframe(self) -> pandas.DataFrame:
        """Return the result as a table of pandas, which has to be installed.

        Returns
        -------
        pandas.DataFrame
            A line for each vertex, or with several sources for each source and vertex, by their labels. The columns
            are ``dist``, ``pred`` (a label, or missing), and ``nearest`` if that was asked for.

        Raises
        ------
        ImportError
            pandas is not installed.

        Examples
        --------
        >>> import reedsp
        >>> table = reedsp.sssp(reedsp.Graph.from_edges(3, [0, 1], [1, 2], [4, 3]), 0).to_dataframe()
        >>> print(table.loc[[1, 2]].to_string(index_names=False))
           dist  pred
        1   4.0     0
        2   7.0     1
        """
        listed = self.source if isinstance(self.source, list) and self.nearest is None else None
        vertices = {"pred": self.pred} | ({} if self.nearest is None else {"nearest": self.nearest})
        return rows_to_dataframe(self.graph, listed, {"dist": self.dist}, vertices)

    def plot(self, target: Hashable | None = None, source: Hashable | None = None, *, ax: Axes | None = None) -> Axes:
        """Draw the result with matplotlib, which has to be installed.

        A graph with coordinates is drawn as a map whose edges have the colour of the distance. Of others a small tree
        is drawn as it is, each vertex at the height of its distance; of a large one, how many vertices are how far.

        Parameters
        ----------
        target : int, optional
            Show the path to this vertex.
        source : int, optional
            Which of several sources to start from.
        ax : matplotlib.axes.Axes, optional
            Where to draw; by default in a new figure.

        Returns
        -------
        matplotlib.axes.Axes

        Raises
        ------
        ImportError
            matplotlib is not installed.
        ValueError
            As for :meth:`path`.
        """
        row = self._row(source)
        route = [] if target is None else self._route(self._vertex(target, "target"), row)
        dist, pred = (array[row] for array in np.atleast_2d(self.dist, self.pred))
        values = np.where(dist == infinity(dist.dtype), np.inf, dist).astype(np.float64)
        ax = axes_for(ax)
        draw_search(ax, self.graph, values, pred, self._starts(row), route, "distance")
        return ax

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
            exact = self._in_arithmetic(row)
            changed = np.flatnonzero(to_result(exact, arithmetic, dist.dtype) != dist[row])
            if len(changed):
                raise VerificationError(f"vertex {changed[0]}: its distance was changed to {dist[row, changed[0]]}")
            ceiling = ceiling_of(self._cutoff, arithmetic)
            if self._target is not None and exact[self._target] != arithmetic.infinity:
                ceiling = min(ceiling, ceiling_of(exact[self._target].item(), arithmetic))
            verify_tree(self.graph, sources, exact, pred[row], Job(self._device or get_device()), arithmetic, ceiling)
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

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> npt.NDArray[Any]:
        return np.array(self.dist, dtype=dtype, copy=copy)

    def __dlpack__(self, **kwargs: Any) -> Any:
        return self.dist.__dlpack__(**kwargs)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.dist.__dlpack_device__()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_device": None}  # a device's handle is this process's own

    def _repr_html_(self) -> str:
        dist, pred = np.atleast_2d(self.dist, self.pred)
        facts = [("method", self.method), ("rounds", self.rounds), *run_facts(self.stats, self.device)]
        if len(dist) != 1:
            starts = self.source if isinstance(self.source, list) else [self.source]
            reached = [row[row != infinity(row.dtype)] for row in dist[:SHOWN]]
            rows = [
                (self.graph.label(start), f"{len(row):,}", distance_text(row.max()))
                for start, row in zip(starts, reached, strict=False)
            ]
            title = f"Shortest paths from {len(dist):,} sources to {self.graph.n:,} vertices"
            return card(title, facts, ["source", "reached", "farthest"], [*rows, *and_more(len(dist), 3)])
        shown = range(min(self.graph.n, SHOWN))
        rows = [
            (self.graph.label(v), distance_text(dist[0, v]), name_or_dash(self.graph, int(pred[0, v]))) for v in shown
        ]
        start = self.source if isinstance(self.source, list) else [self.source]
        whence = repr(self.graph.label(start[0])) if len(start) == 1 else f"the nearest of {len(start):,} sources"
        reached_count = np.count_nonzero(dist != infinity(dist.dtype))
        title = f"Shortest paths from {whence}: {reached_count:,} of {self.graph.n:,} vertices reached"
        return card(title, facts, ["vertex", "distance", "before it"], [*rows, *and_more(self.graph.n, 3)])

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
        pred = self._trees("path")
        start, vertex = self._vertex(source, "source"), self._vertex(target, "target")
        unbounded = -np.inf if self.dist.dtype.kind == "f" else np.iinfo(self.dist.dtype).min
        if self.dist[start, vertex] == unbounded:
            raise ValueError(f"paths from vertex {source!r} to vertex {target!r} can pass a negative cycle")
        route = [vertex]
        while route[-1] != start:
            before = int(pred[start, route[-1]])
            if before == NO_VERTEX:
                raise ValueError(f"no path from vertex {source!r} to vertex {target!r}")
            route.append(before)
        return [self.graph.label(each) if self._node_keys else each for each in reversed(route)]

    def paths_between(self, sources: Iterable[Hashable], targets: Iterable[Hashable]) -> Routes:
        """Return a shortest path for each of many pairs, all walked together.

        Parameters
        ----------
        sources, targets : iterable of int
            Both ends of each path: vertices, or nodes if the graph was given as a networkx graph.

        Returns
        -------
        Routes
            A sequence of lists, each as :meth:`path` returns it; an empty one where there is no path, or none is
            shortest because it can pass a negative cycle.

        Raises
        ------
        ValueError, TypeError
            A vertex does not exist (the message names its position), there are more of one than of the other, or
            predecessors were not asked for.

        Examples
        --------
        >>> import reedsp
        >>> graph = reedsp.Graph.from_edges(3, [0, 1, 2], [1, 2, 0], [7, 2, 1])
        >>> list(reedsp.apsp(graph, predecessors=True).paths_between([0, 1], [2, 0]))
        [[0, 1, 2], [1, 2, 0]]
        """
        pred = self._trees("paths_between")
        starts = vertices_argument(self.graph, sources, "sources", self._node_keys)
        ends = vertices_argument(self.graph, targets, "targets", self._node_keys)
        if len(starts) != len(ends):
            raise ValueError(f"sources has {len(starts)} entries, targets has {len(ends)}")
        finite = self._finite(self.dist[starts, ends])
        return walk(self.graph, pred, starts, ends, finite, self._node_keys)

    def to_networkx(self) -> networkx.DiGraph[Any]:
        """Return the distances as a graph of networkx: an edge for each pair of vertices that has a shortest path.

        Returns
        -------
        networkx.DiGraph
            All vertices by their labels, and up to n * (n - 1) edges whose ``weight`` is the distance.

        Raises
        ------
        ValueError
            Several vertices have the same label.

        Examples
        --------
        >>> import reedsp
        >>> closure = reedsp.apsp(reedsp.Graph.from_edges(3, [0, 1], [1, 2], [4, 3])).to_networkx()
        >>> closure.edges(data="weight")
        OutEdgeDataView([(0, 1, 4.0), (0, 2, 7.0), (1, 2, 3.0)])
        """
        return pairs_to_networkx(self.graph, self.dist, self._finite(self.dist))

    def to_dataframe(self) -> pandas.DataFrame:
        """Return the matrix of distances as a table of pandas, which has to be installed.

        Returns
        -------
        pandas.DataFrame, shape (n, n)
            The labels of the vertices are those of its rows and columns. It shares the memory of `dist`.

        Raises
        ------
        ImportError
            pandas is not installed.

        Examples
        --------
        >>> import reedsp
        >>> graph = reedsp.Graph.from_edges(2, [0], [1], [4], labels=["a", "b"])
        >>> print(reedsp.apsp(graph).to_dataframe())
             a    b
        a  0.0  4.0
        b  inf  0.0
        """
        return matrix_to_dataframe(self.graph, self.dist)

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw the matrix of distances with matplotlib, which has to be installed.

        Pairs without a path, or without a shortest one, are left white. Of a large matrix some rows and columns are
        drawn.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; by default in a new figure.

        Returns
        -------
        matplotlib.axes.Axes

        Raises
        ------
        ImportError
            matplotlib is not installed.
        """
        ax = axes_for(ax)
        draw_matrix(ax, self.dist, self._finite)
        return ax

    def _trees(self, name: str) -> npt.NDArray[np.int32]:
        if self.pred is None:
            raise ValueError(f"{name}: there are no predecessors; ask for them with predecessors=True")
        return self.pred

    def _finite(self, dist: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
        """Return where there is a shortest path."""
        unbounded = -np.inf if dist.dtype.kind == "f" else np.iinfo(dist.dtype).min
        return np.asarray((dist != infinity(dist.dtype)) & (dist != unbounded))

    def _vertex(self, vertex: Hashable, name: str) -> int:
        return self.graph.vertex(vertex) if self._node_keys else vertex_number(vertex, name, self.graph.n)

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> npt.NDArray[Any]:
        return np.array(self.dist, dtype=dtype, copy=copy)

    def __dlpack__(self, **kwargs: Any) -> Any:
        return self.dist.__dlpack__(**kwargs)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.dist.__dlpack_device__()

    def _repr_html_(self) -> str:
        shown = range(min(self.graph.n, SHOWN))
        names = [self.graph.label(v) for v in shown]
        rows = [(name, *map(distance_text, self.dist[v, : len(shown)])) for v, name in zip(shown, names, strict=True)]
        title = f"Shortest paths between all pairs of {self.graph.n:,} vertices"
        facts = [("method", self.method), *run_facts(self.stats, self.device)]
        rows += [tuple(row) for row in and_more(self.graph.n, len(rows) + 1)]
        return card(title, facts, ["from \\ to", *map(str, names)], rows)

    def __repr__(self) -> str:
        return (
            f"<reedsp.AllPairs: {self.graph.n:,} vertices, {self.method}, "
            f"{self.stats['milliseconds']:.1f} ms on {self.device}>"
        )
