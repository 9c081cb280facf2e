"""What apsp returns: a matrix of distances, and trees of predecessors."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from reedsp.arithmetic.paths import RESULT_TYPES
from reedsp.arithmetic.types import infinity, minus_infinity
from reedsp.edges.device_graph import NO_VERTEX
from reedsp.edges.verify import check_array
from reedsp.graph.arguments import vertex_argument, vertices_argument
from reedsp.graph.graph import Graph
from reedsp.graph.html import SHOWN, and_more, card, distance_text, run_facts
from reedsp.results.certificate import check
from reedsp.results.export import matrix_to_dataframe, pairs_to_networkx
from reedsp.results.files import matrices
from reedsp.results.plot import axes_for, draw_matrix
from reedsp.results.routes import Routes, walk
from reedsp.results.search_result import AsArray
from reedsp.results.text import write_arrays, write_result
from reedsp.system.public import public
from reedsp.typing import Distances

if TYPE_CHECKING:
    import networkx
    import pandas
    from matplotlib.axes import Axes


@public
@dataclass(frozen=True, eq=False)
class AllPairs(AsArray):
    """Shortest paths between all pairs of vertices.

    Attributes
    ----------
    graph : Graph
    dist : ndarray, shape (n, n)
        Distance from the vertex of the row to that of the column. inf (in an integer dtype its largest value) where
        there is no path, -inf (the minimum of the type) where a path can pass a negative cycle.
    pred : ndarray of int32, shape (n, n), or None
        Vertex before the last one on a shortest path; -9999 on the diagonal, and where `dist` is infinite. Each row is
        a tree, which is the same on every device. None unless asked for.
    method : str
        The method that was used.
    device : str
        Name and platform of the device.
    stats : dict
        ``device``, ``kernels_launched``, ``milliseconds``, ``bytes_to_device``, ``bytes_from_device``,
        ``bytes_allocated``, ``arithmetic`` (in which path weights were added), ``chosen_because`` and ``phases``, as in
        :class:`ShortestPaths`; copies of predecessors, and with `out` their file, count as "tree", the file of the
        distances as "download". Of a cluster, ``device``, ``workers``, ``chosen_because``, ``phases`` and, which is
        their sum, ``milliseconds``.
    """

    graph: Graph
    dist: Distances
    pred: npt.NDArray[np.int32] | None
    method: str
    device: str
    stats: dict[str, Any]

    def path(self, source: Hashable, target: Hashable) -> list[Any]:
        """Return the vertices of a shortest path, the source first and the target last (thesis section 5.2.2).

        Parameters
        ----------
        source, target : int or other name
            Vertices; see :attr:`Graph.names`.

        Returns
        -------
        list of int or of other names

        Raises
        ------
        ValueError
            There is no path, or none is shortest because it can pass a negative cycle; a vertex does not exist; or
            predecessors were not asked for.
        """
        pred = self._trees("path")
        start = vertex_argument(self.graph, source, "source")
        vertex = vertex_argument(self.graph, target, "target")
        dist = self._held("dist")[start, vertex]
        if dist == minus_infinity(dist.dtype):
            raise ValueError(f"paths from vertex {source!r} to vertex {target!r} can pass a negative cycle")
        route, tree = [vertex], np.asarray(pred[start])
        while route[-1] != start:
            before = int(tree[route[-1]])
            if before == NO_VERTEX:
                raise ValueError(f"no path from vertex {source!r} to vertex {target!r}")
            route.append(before)
        return [self.graph.names[each] for each in reversed(route)]

    def paths_between(self, sources: Iterable[Hashable], targets: Iterable[Hashable]) -> Routes:
        """Return a shortest path for each of many pairs, all walked together.

        Parameters
        ----------
        sources, targets : iterable of int or of other names
            Both ends of each path.

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
        starts = vertices_argument(self.graph, sources, "sources")
        ends = vertices_argument(self.graph, targets, "targets")
        if len(starts) != len(ends):
            raise ValueError(f"sources has {len(starts)} entries, targets has {len(ends)}")
        dist, rows = self._held("dist"), starts
        if not isinstance(dist, np.ndarray):  # but on disks or on workers, from where as few rows as needed come
            asked, rows = np.unique(starts, return_inverse=True)
            dist, pred = np.asarray(dist[asked]), np.asarray(pred[asked])
        return walk(self.graph, pred, rows, ends, self._finite(dist[rows, ends]))

    def verify(self) -> bool:
        """Check on the host that these are the shortest paths, by the edges of the graph and nothing else.

        From each vertex no edge leads to a vertex on a shorter path; each distance is that of a path, which the
        predecessors, if there are any, lead back along; and exactly what can pass a negative cycle is marked. This
        looks at each edge once for each vertex: n^3 steps of numpy if all are edges, half a second of 400 vertices.

        Sums of whole numbers are compared exactly. Others may be off by n units in the last place of the largest number
        among the weight of the edge and the distances at its ends; if some weights are negative, also of the distances
        of what is on the way, and where a cycle weighs no more than rounding may change, of the least distances to it.

        Returns
        -------
        bool
            True.

        Raises
        ------
        VerificationError
            They are not; the message names the vertices, or an array that is of another shape or type.
        ValueError
            The distances are in several files.

        Examples
        --------
        >>> import reedsp
        >>> paths = reedsp.apsp(reedsp.Graph.from_edges(3, [0, 1], [1, 2], [4, 3]))
        >>> paths.verify()
        True
        >>> paths.dist[0, 2] = 8
        >>> paths.verify()
        Traceback (most recent call last):
            ...
        reedsp.VerificationError: from 0: vertex 2: no path gives its distance 8
        """
        shape = self.graph.n, self.graph.n
        dist = np.asanyarray(self._held("dist"))
        pred = None if self.pred is None else np.asanyarray(self._held("pred"))
        check_array("dist", dist, shape, *RESULT_TYPES)
        if pred is not None:
            check_array("pred", pred, shape, np.int32)
        check(self.graph, matrices(dist, pred, self.graph))
        return True

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write the result to a file, whole or not at all.

        Parameters
        ----------
        path : path
            A name that ends in ``.npz``; :func:`reedsp.load` makes the same result of the file.
        overwrite : bool
            Whether a file of this name may be replaced.

        Raises
        ------
        ValueError
            The name ends otherwise.
        OSError
            The file cannot be written; FileExistsError if there is one that may not be replaced.
        """
        write_result(path, {".npz": self._write_npz}, overwrite=overwrite)

    def _write_npz(self, stream: IO[bytes]) -> None:
        arrays = {name: np.asarray(self._held(name)) for name in ("dist", "pred") if getattr(self, name) is not None}
        about = {"result": type(self).__name__, "method": self.method, "device": self.device, "stats": self.stats}
        # Compression would take longer than the solution.
        write_arrays(stream, self.graph, arrays, about, compress=False)

    def to_networkx(self) -> networkx.DiGraph[Any]:
        """Return the distances as a graph of networkx: an edge for each pair of vertices that has a shortest path.

        Returns
        -------
        networkx.DiGraph
            All vertices by their names, and up to n * (n - 1) edges whose ``weight`` is the distance.

        Examples
        --------
        >>> import reedsp
        >>> closure = reedsp.apsp(reedsp.Graph.from_edges(3, [0, 1], [1, 2], [4, 3])).to_networkx()
        >>> closure.edges(data="weight")
        OutEdgeDataView([(0, 1, 4.0), (0, 2, 7.0), (1, 2, 3.0)])
        """
        dist = np.asarray(self._held("dist"))
        return pairs_to_networkx(self.graph, dist, self._finite(dist))

    def to_dataframe(self) -> pandas.DataFrame:
        """Return the matrix of distances as a table of pandas, which has to be installed.

        Returns
        -------
        pandas.DataFrame, shape (n, n)
            Its rows and columns have the names of the vertices. It shares the memory of `dist`, unless these are
            integers some of which stand for no path, or for none that is shortest: those are missing, in columns of
            ``Int32`` or ``Int64``.

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
        return matrix_to_dataframe(self.graph, np.asarray(self._held("dist")), self._finite)

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
        draw_matrix(ax, self.graph, self._held("dist"), self._finite)
        return ax

    def _trees(self, name: str) -> npt.NDArray[np.int32]:
        if self.pred is None:
            raise ValueError(f"{name}: there are no predecessors; ask for them with predecessors=True")
        return self._held("pred")  # type: ignore[no-any-return]

    def _held(self, name: str) -> Any:
        """Return `dist` or `pred`: an array in memory, on a disk or on the workers of a cluster."""
        array = getattr(self, name)
        if isinstance(array, list):
            raise ValueError(f"{name} is in {len(array)} files of rows, which this does not read: numpy.load does")
        return array

    def _finite(self, dist: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
        """Return where there is a shortest path."""
        return np.asarray((dist != infinity(dist.dtype)) & (dist != minus_infinity(dist.dtype)))

    @property
    def _numbers(self) -> npt.NDArray[Any]:
        return np.asarray(self._held("dist"))

    def _repr_html_(self) -> str:
        shown = range(min(self.graph.n, SHOWN))
        names = [self.graph.names[v] for v in shown]
        corner = [] if isinstance(self.dist, list) else np.asarray(self.dist[: len(shown), : len(shown)])
        rows = [(name, *map(distance_text, values)) for name, values in zip(names, corner, strict=False)]
        title = f"Shortest paths between all pairs of {self.graph.n:,} vertices"
        facts = [("method", self.method), *run_facts(self.stats, self.device)]
        rows += [tuple(row) for row in and_more(self.graph.n, len(rows) + 1)]
        return card(title, facts, ["from \\ to", *map(str, names)], rows)

    def __repr__(self) -> str:
        return (
            f"<reedsp.AllPairs: {self.graph.n:,} vertices, {self.method}, "
            f"{self.stats['milliseconds']:.1f} ms on {self.device}>"
        )
