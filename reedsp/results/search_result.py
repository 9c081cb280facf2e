"""What the results of searches have in common: arrays, routes, graphs of networkx, tables and pictures."""

from __future__ import annotations

import functools
import os
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Iterator
from typing import IO, TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from reedsp.edges.device_graph import NO_VERTEX
from reedsp.graph.arguments import vertex_argument, vertices_argument
from reedsp.graph.graph import Graph
from reedsp.graph.html import DASH, SHOWN, and_more, card, distance_text, name_or_dash, run_facts
from reedsp.results.export import rows_to_arrow, rows_to_dataframe, tree_to_networkx
from reedsp.results.plot import axes_for, draw_search
from reedsp.results.routes import Routes, walk
from reedsp.results.text import write_arrays, write_result, write_rows
from reedsp.results.ties import tied_paths

if TYPE_CHECKING:
    import networkx
    import pandas
    import pyarrow
    from matplotlib.axes import Axes


class AsArray(ABC):
    """A result that stands for its distances wherever numpy, or another library of arrays, takes an array."""

    @property
    @abstractmethod
    def _numbers(self) -> npt.NDArray[Any]:
        """The distances."""

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> npt.NDArray[Any]:
        return np.array(self._numbers, dtype=dtype, copy=copy)

    def __dlpack__(self, **kwargs: Any) -> Any:
        return self._numbers.__dlpack__(**kwargs)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._numbers.__dlpack_device__()


class SearchResult(AsArray):
    """What a search found, from one source or several: numbers, and trees of predecessors.

    A subclass has the fields below, says which edges lie on its paths, and what its numbers are called.
    """

    graph: Graph
    source: Any  # its name, or a list of names
    pred: npt.NDArray[np.int32]
    method: str
    device: str
    stats: dict[str, Any]

    _title: ClassVar[str]
    _quantity: ClassVar[str]
    _column: ClassVar[str]

    @abstractmethod
    def _is_reached(self, numbers: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
        """Return which of these numbers are those of a vertex that has a path."""

    @property
    def _shape(self) -> tuple[int, ...]:
        """The shape that numbers and predecessors have."""
        return (len(self.source), self.graph.n) if isinstance(self.source, list) else (self.graph.n,)

    @abstractmethod
    def _tight(self, row: int) -> npt.NDArray[np.bool_]:
        """Return which edges lie on the paths of this row, shape (m,)."""

    @property
    @abstractmethod
    def _kept(self) -> dict[str, Any]:
        """The arrays that a file has to hold, beside predecessors and sources."""

    @property
    def _effort(self) -> list[tuple[str, int]]:
        """What the search took, beside time."""
        return []

    @property
    def _vertex_columns(self) -> dict[str, npt.NDArray[np.int32]]:
        """What names a vertex for each vertex: negative for none."""
        return {"pred": self.pred}

    # ---- routes -------------------------------------------------------------------------------------

    def path(self, target: Hashable, source: Hashable | None = None) -> list[Any]:
        """Return the vertices of the path to a vertex, the source first and the target last.

        Parameters
        ----------
        target : int or other name
            A vertex; see :attr:`Graph.names`.
        source : int or other name, optional
            Which of several sources to start from.

        Returns
        -------
        list of int or of other names

        Raises
        ------
        ValueError
            There is no path, or none that is no longer than the `cutoff` of the search or the path to its `target` (the
            message says which); the vertex does not exist; or `source` is missing or not among the sources.
        """
        return self._names(self._route(vertex_argument(self.graph, target, "target"), self._row(source)))

    def _route(self, vertex: int, row: int) -> list[int]:
        pred = np.atleast_2d(self.pred)[row]
        route = [vertex]
        while (before := int(pred[route[-1]])) != NO_VERTEX:
            route.append(before)
        if not self._is_reached(np.atleast_2d(self._numbers)[row, vertex]):
            starts = self._starts(row)
            whence = f"from vertex {self.graph.names[starts[0]]!r} " if len(starts) == 1 else ""
            raise ValueError(f"no path {whence}to vertex {self.graph.names[vertex]!r}{self._as_far_as(row)}")
        return route[::-1]

    def paths_to(self, targets: Iterable[Hashable], source: Hashable | None = None) -> Routes:
        """Return the path to each of many targets, all walked together.

        Parameters
        ----------
        targets : iterable of int or of other names
            Vertices; an array of numbers is the quickest.
        source : int or other name, optional
            Which of several sources to start from.

        Returns
        -------
        Routes
            A sequence of lists, each as :meth:`path` returns it; an empty one where there is no path, or where the
            `cutoff` or the `target` of the search has left it out. They take 4 bytes a vertex.

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
        >>> list(reedsp.bfs(graph, 0).paths_to([3, 1]))
        [[0, 1, 3], [0, 1]]
        """
        row = self._row(source)
        ends = vertices_argument(self.graph, targets, "targets")
        numbers, pred = np.atleast_2d(self._numbers, self.pred)
        reached = self._is_reached(numbers[row, ends])
        return walk(self.graph, pred, np.full(len(ends), row, np.intp), ends, reached)

    def all_paths_to(self, target: Hashable, source: Hashable | None = None) -> Iterator[list[Any]]:
        """Yield every path to a vertex that is as short; where there are ties these are several, and may be very many.

        Only simple paths are meant: where a cycle of weight zero could be added to a path, it is not.

        Parameters
        ----------
        target : int or other name
            A vertex.
        source : int or other name, optional
            Which of several sources to start from.

        Yields
        ------
        list of int or of other names
            The lists come in the order of the vertices' indices: by the first vertex that differs, counted from the
            source. They are made when they are asked for; nothing is listed ahead.

        Raises
        ------
        ValueError
            As for :meth:`path`, at the call.

        Notes
        -----
        Fractional weights tie where the sums, rounded as the distances were, are equal.

        Examples
        --------
        >>> import reedsp
        >>> graph = reedsp.Graph.from_edges(4, [0, 0, 1, 2], [1, 2, 3, 3])
        >>> list(reedsp.sssp(graph, 0).all_paths_to(3))
        [[0, 1, 3], [0, 2, 3]]
        """
        vertex, row = vertex_argument(self.graph, target, "target"), self._row(source)
        self._route(vertex, row)
        routes = tied_paths(self.graph, self._tight(row), self._starts(row), vertex)
        return map(self._names, routes)

    # ---- vertices and rows --------------------------------------------------------------------------

    def _as_far_as(self, row: int) -> str:
        """Return how far the search of this row went, as the end of an error; nothing if it has left out no path."""
        return ""

    def _names(self, indices: Iterable[int]) -> list[Any]:
        names = self.graph.names
        return [names[each] for each in indices]

    def _starts(self, row: int) -> list[int]:
        """Return the indices of the vertices where the paths of this row may start."""
        return [self.graph.index(self.source[row] if isinstance(self.source, list) else self.source)]

    def _row(self, source: Hashable | None) -> int:
        """Return the row of a source, which has to be named where there are several."""
        chosen = None if source is None else self.graph.names[vertex_argument(self.graph, source, "source")]
        if not isinstance(self.source, list):
            if source is not None and chosen != self.source:
                raise ValueError(f"source = {source!r}, but the paths start at {self.source!r}")
            return 0
        if source is None:
            raise ValueError("source: name one of the sources, there are several")
        if chosen not in self.source:
            raise ValueError(f"source = {source!r} is not among the sources")
        return self.source.index(chosen)

    def _arrays(self, row: int) -> tuple[npt.NDArray[Any], npt.NDArray[np.int32], npt.NDArray[np.bool_]]:
        """Return the numbers and predecessors of a row, and which vertices were reached."""
        numbers, pred = (array[row] for array in np.atleast_2d(self._numbers, self.pred))
        return numbers, pred, self._is_reached(numbers)

    # ---- other forms --------------------------------------------------------------------------------

    def to_dict(self, source: Hashable | None = None) -> dict[Hashable, int | float]:
        """Return the distance, or the level of a breadth-first search, of each reached vertex by its name.

        Parameters
        ----------
        source : int or other name, optional
            Which of several sources to start from.

        Returns
        -------
        dict

        Raises
        ------
        ValueError
            `source` is missing or not among the sources.

        Examples
        --------
        >>> import reedsp
        >>> graph = reedsp.Graph.from_edges(3, [0], [1], [7], labels=["a", "b", "c"])
        >>> reedsp.sssp(graph, "a").to_dict(), reedsp.bfs(graph, "a").to_dict()
        ({'a': 0.0, 'b': 7.0}, {'a': 0, 'b': 1})
        """
        numbers, _, is_reached = self._arrays(self._row(source))
        reached = np.flatnonzero(is_reached)
        return dict(zip(self._names(reached.tolist()), numbers[reached].tolist(), strict=True))

    def to_networkx(self, source: Hashable | None = None) -> networkx.DiGraph[Any]:
        """Return the tree of paths as a graph of networkx.

        Parameters
        ----------
        source : int or other name, optional
            Which of several sources to start from.

        Returns
        -------
        networkx.DiGraph
            The reached vertices by their names, each with the attribute ``dist``, or ``level`` of a breadth-first
            search, and ``nearest`` if paths from the nearest of several sources were asked for; and the edges of the
            tree with their ``weight`` in the graph.

        Raises
        ------
        ValueError
            `source` is missing or not among the sources.

        Examples
        --------
        >>> import reedsp
        >>> graph = reedsp.Graph.from_edges(3, [0, 0, 1], [1, 2, 2], [1, 5, 2], labels=["a", "b", "c"])
        >>> tree = reedsp.sssp(graph, "a").to_networkx()
        >>> tree.nodes(data="dist"), tree.edges(data="weight")
        (NodeDataView({'a': 0.0, 'b': 1.0, 'c': 3.0}, data='dist'), OutEdgeDataView([('a', 'b', 1), ('b', 'c', 2)]))
        """
        numbers, pred, is_reached = self._arrays(self._row(source))
        reached = np.flatnonzero(is_reached)
        attributes = {self._column: numbers[reached].tolist()}
        for name, column in self._vertex_columns.items():
            if name != "pred":  # which the edges are
                attributes[name] = self._names(column[reached].tolist())
        return tree_to_networkx(self.graph, pred, reached, attributes)

    def to_dataframe(self) -> pandas.DataFrame:
        """Return the result as a table of pandas, which has to be installed.

        Returns
        -------
        pandas.DataFrame
            A line for each vertex, or with several sources for each source and vertex, by their names. The columns
            are ``dist``, or ``level`` of a breadth-first search, ``pred`` (a name, or missing), and ``nearest`` if
            that was asked for. Where there is no path, distances are inf; integers are missing.

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
        return rows_to_dataframe(*self._rows())

    def to_arrow(self) -> pyarrow.Table:
        """Return the result as a table of Arrow, for which pyarrow has to be installed (the extra ``tables``).

        polars, duckdb and others take it without a copy.

        Returns
        -------
        pyarrow.Table
            The lines of :meth:`to_dataframe`, with ``vertex``, and ``source`` if there are several, as columns; null
            for what is missing.

        Raises
        ------
        ImportError
            pyarrow is not installed.
        TypeError
            The vertices have names of different types.

        Examples
        --------
        >>> import reedsp
        >>> reedsp.sssp(reedsp.Graph.from_edges(3, [0, 1], [1, 2], [4, 3]), 0).to_arrow().to_pydict()
        {'vertex': [0, 1, 2], 'dist': [0.0, 4.0, 7.0], 'pred': [None, 0, 1]}
        """
        return rows_to_arrow(*self._rows())

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return the rows of :meth:`to_arrow` to libraries that speak Arrow's C interface, such as polars."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def _rows(self) -> tuple[Any, ...]:
        """Return what a table is made of; its lines name the source of each row, if there are several."""
        rows, numbers = range(len(self.pred)) if self.pred.ndim > 1 else None, self._numbers
        listed = None if rows is None else [start for row in rows for start in self._starts(row)]
        return self.graph, listed, {self._column: numbers}, self._is_reached(numbers), self._vertex_columns

    def plot(self, target: Hashable | None = None, source: Hashable | None = None, *, ax: Axes | None = None) -> Axes:
        """Draw the result with matplotlib, which has to be installed.

        A graph with coordinates is drawn as a map whose edges have the colour of the distance, true to scale also where
        they are longitude and latitude (:meth:`Graph.with_coordinates`). Of others a small tree is drawn as it is, each
        vertex at the height of its distance; of a large one, how many vertices are how far.

        Parameters
        ----------
        target : int or other name, optional
            Show the path to this vertex.
        source : int or other name, optional
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
        route = [] if target is None else self._route(vertex_argument(self.graph, target, "target"), row)
        numbers, pred, reached = self._arrays(row)
        values = np.where(reached, numbers, np.inf).astype(np.float64)
        ax = axes_for(ax)
        draw_search(ax, self.graph, values, pred, self._starts(row), route, self._quantity)
        return ax

    # ---- files --------------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str], *, target: Hashable | None = None, overwrite: bool = False) -> None:
        """Write the result to a file, whole or not at all.

        Parameters
        ----------
        path : path
            A ``.npz`` holds everything, and :func:`reedsp.load` makes the same result of it. A ``.csv`` has a line for
            each vertex, or for each of several sources and each vertex, by their names: ``vertex``, ``distance`` or
            ``level``, and ``predecessor``; before them ``source`` if there are several, behind them ``nearest`` if the
            paths start at the nearest.
        target : int or other name, optional
            With a path from one source, or the nearest: a ``.csv`` then has the lines of its vertices only, a ``.npz``
            also ``target`` and ``path``. With several sources a ``.npz`` has ``target`` alone.
        overwrite : bool
            Whether a file of this name may be replaced.

        Raises
        ------
        ValueError
            The name ends otherwise, or there is no path to `target`, or a ``.csv`` would have one from each of several
            sources.
        OSError
            The file cannot be written; FileExistsError if there is one that may not be replaced.

        Examples
        --------
        >>> from pathlib import Path
        >>> import reedsp
        >>> graph = reedsp.Graph.from_edges(3, [0, 0, 1], [1, 2, 2], [1, 5, 2], labels=["a", "b", "c"])
        >>> reedsp.sssp(graph, "a").save("paths.csv")
        >>> print(Path("paths.csv").read_text())
        vertex,distance,predecessor
        a,0,
        b,1,a
        c,3,b
        """
        end, route = self._end_and_route(target)
        write_npz = functools.partial(self._write_npz, target=end, route=route)
        write_csv = functools.partial(self._write_csv, target=end, route=route)
        write_result(path, {".npz": write_npz, ".csv": write_csv}, overwrite=overwrite)

    def write_csv(self, stream: IO[bytes], *, target: Hashable | None = None) -> None:
        """Write what :meth:`save` writes to a ``.csv`` to a binary stream, such as ``sys.stdout.buffer``.

        Parameters
        ----------
        stream : binary file
        target : int or other name, optional
            As for :meth:`save`.

        Raises
        ------
        ValueError
            There is no path to `target`, or one from each of several sources.
        """
        self._write_csv(stream, *self._end_and_route(target))

    def _end_and_route(self, target: Hashable | None) -> tuple[int | None, list[int] | None]:
        """Return the index of a target, and the path to it from one source or the nearest."""
        end = None if target is None else vertex_argument(self.graph, target, "target")
        return end, None if end is None or self.pred.ndim > 1 else self._route(end, 0)

    def _write_npz(self, stream: IO[bytes], target: int | None, route: list[int] | None) -> None:
        named = self.source if isinstance(self.source, list) else [self.source]
        sources = np.array([self.graph.index(name) for name in named], np.int64)
        arrays = {**self._kept, "pred": self.pred, "source": sources if isinstance(self.source, list) else sources[0]}
        if target is not None:
            arrays["target"] = np.int64(target)
        if route is not None:
            arrays["path"] = np.array(route, np.int32)
        about = {"result": type(self).__name__, "method": self.method, "device": self.device, "stats": self.stats}
        write_arrays(stream, self.graph, arrays, {**about, **dict(self._effort)}, compress=True)

    def _write_csv(self, stream: IO[bytes], target: int | None, route: list[int] | None) -> None:
        if target is not None and route is None:
            raise ValueError(f"target = {self.graph.name(target)!r}: a path leads to it from each of several sources")
        columns = {name: np.atleast_2d(column) for name, column in self._vertex_columns.items()}
        columns = {"predecessor": columns.pop("pred"), **columns}
        numbers = np.atleast_2d(self._numbers)
        sources = self.source if self.pred.ndim > 1 else None
        write_rows(stream, self.graph, self._quantity, numbers, self._is_reached(numbers), columns, sources, route)

    # ---- in words -----------------------------------------------------------------------------------

    def _repr_html_(self) -> str:
        rows = len(np.atleast_2d(self.pred))
        facts = [("method", self.method), *self._effort, *run_facts(self.stats, self.device)]
        if rows != 1:
            title = f"{self._title} from {rows:,} sources to {self.graph.n:,} vertices"
            lines = [self._line_of_row(row) for row in range(min(rows, SHOWN))]
            return card(title, facts, ["source", "reached", "farthest"], [*lines, *and_more(rows, 3)])
        numbers, pred, reached = self._arrays(0)
        shown = [
            (
                self.graph.names[v],
                distance_text(numbers[v]) if reached[v] else DASH,
                name_or_dash(self.graph.names, int(pred[v])),
            )
            for v in range(min(self.graph.n, SHOWN))
        ]
        starts = self._starts(0)
        whence = repr(self.graph.names[starts[0]]) if len(starts) == 1 else f"the nearest of {len(starts):,} sources"
        title = f"{self._title} from {whence}: {np.count_nonzero(reached):,} of {self.graph.n:,} vertices reached"
        return card(title, facts, ["vertex", self._quantity, "before it"], [*shown, *and_more(self.graph.n, 3)])

    def _line_of_row(self, row: int) -> tuple[Any, ...]:
        numbers, _, reached = self._arrays(row)
        farthest = distance_text(numbers[reached].max())
        return self.graph.names[self._starts(row)[0]], f"{np.count_nonzero(reached):,}", farthest

    def __repr__(self) -> str:
        start = f"{len(self.source)} sources" if isinstance(self.source, list) else f"source {self.source!r}"
        reached, total = np.count_nonzero(self._is_reached(self._numbers)), self._numbers.size
        how = ", ".join([self.method, *(f"{value} {name}" for name, value in self._effort)])
        return (
            f"<reedsp.{type(self).__name__}: {start}, {reached:,} of {total:,} reached, {how}, "
            f"{self.stats['milliseconds']:.1f} ms on {self.device}>"
        )
