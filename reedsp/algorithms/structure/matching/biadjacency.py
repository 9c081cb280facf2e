"""What a bipartite graph is in the arguments of these functions: which rows have an entry in which columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.graph.arguments import as_graph, vertices_argument
from reedsp.graph.corrupt import refuse_beyond, refuse_corrupt
from reedsp.graph.graph import MAX_VERTICES, Graph, edge_sources, entries_of_dense, is_networkx, is_sparse, without_room

MOST_ENTRIES = 2**32 - 1
"""Largest number of edges: offsets among them are 32 bits wide."""

_INDICES = (np.dtype(np.int32), np.dtype(np.int64))
_Vertices = npt.NDArray[np.intp]


@dataclass(frozen=True)
class Biadjacency:
    """The pattern of a matrix: an edge for each entry, between its row and its column.

    Attributes
    ----------
    indptr : ndarray of int32 or int64, shape (n + 1,)
        Row pointers, the first 0 and the last m; those of a user may be corrupt between them.
    indices : ndarray of int32 or int64, shape (m,)
        Columns, in any order; one may be twice in a row. Those of a user may be out of range.
    columns : int
        How many there are.
    flipped : bool
        Whether these rows are what the user calls columns.
    """

    indptr: npt.NDArray[Any]
    indices: npt.NDArray[Any]
    columns: int
    flipped: bool = False

    @property
    def n(self) -> int:
        """How many rows there are."""
        return len(self.indptr) - 1

    @property
    def m(self) -> int:
        """How many entries there are."""
        return len(self.indices)

    @property
    def sizes(self) -> tuple[int, int]:
        """How many rows and columns the user has."""
        return (self.columns, self.n) if self.flipped else (self.n, self.columns)

    def refuse_corrupt(self) -> None:
        """Raise ValueError for row pointers that descend, or a column that there is not."""
        descending = self.indptr[1:] < self.indptr[:-1]
        if descending.any():
            row = int(np.argmax(descending))
            both = f"graph.indptr[{row}] = {self.indptr[row]}, but graph.indptr[{row + 1}] = {self.indptr[row + 1]}"
            raise ValueError(f"{both}: row pointers ascend")
        refuse_beyond(self.indices, self.columns, "graph.indices")


@dataclass(frozen=True)
class Names:
    """What the user calls the rows, or the columns.

    Attributes
    ----------
    of_vertices : sequence
        Names of the vertices of a graph, or the indices of a matrix.
    vertices : ndarray of int, optional
        Which of these vertices are meant; all by default.
    """

    of_vertices: Sequence[Any]
    vertices: _Vertices | None = None

    def listed(self) -> Sequence[Any]:
        """Return the names in order."""
        if self.vertices is None:
            return self.of_vertices
        names = self.of_vertices
        return tuple(names[vertex] for vertex in self.vertices.tolist())


class OfTwoSides:
    """A result whose rows and columns have names."""

    _names: tuple[Names, Names]

    @cached_property
    def row_names(self) -> Sequence[Any]:
        """The name of each row: its index, or the vertex of a graph."""
        return self._names[0].listed()

    @cached_property
    def column_names(self) -> Sequence[Any]:
        """The name of each column."""
        return self._names[1].listed()


def biadjacency_of(graph: Any, rows: Any = None) -> tuple[Biadjacency, Names, Names]:
    """Return the rows and columns that are meant, and what they are called.

    Parameters
    ----------
    graph, rows
        As for :func:`reedsp.maximum_matching`.

    Raises
    ------
    TypeError, ValueError
        They are wrong; the message names the argument, and the vertex or edge.
    """
    if rows is None and is_sparse(graph):
        pattern = pattern_of(graph)
    elif rows is None and isinstance(graph, (np.ndarray, list, tuple)):
        pattern = _pattern_of_dense(graph)
    else:
        graph = Graph.from_networkx(graph, None) if is_networkx(graph) else as_graph(graph)
        if rows is None and graph.directed:
            return Biadjacency(graph.indptr, graph.indices, graph.n), Names(graph.names), Names(graph.names)
        return between_sides(graph, side_of(graph, rows))
    size = pattern.sizes
    return pattern, Names(range(size[0])), Names(range(size[1]))


# ---- matrices ---------------------------------------------------------------------------------------


def pattern_of(matrix: Any) -> Biadjacency:
    """Return the pattern of a sparse matrix, whose arrays it reads as they are if that is in CSR or CSC format.

    Every stored entry counts, whatever its value; but in the BSR and DIA formats, which store zeros of their own, those
    that are not 0.

    Raises
    ------
    ValueError
        It is no matrix, or its arrays contradict each other.
    """
    if len(matrix.shape) != 2:
        raise ValueError(f"graph has {len(matrix.shape)} dimensions, expected 2")
    if matrix.format not in ("csr", "csc"):  # whose arrays the device looks at
        refuse_corrupt(matrix, "graph")
    if matrix.format in ("bsr", "dia"):
        matrix = without_room(matrix).tocoo()
        kept = matrix.data != 0
        return _of_entries(matrix.row[kept], matrix.col[kept], matrix.shape)
    if matrix.format == "coo":
        return _of_entries(matrix.row, matrix.col, matrix.shape)
    if matrix.format not in ("csr", "csc"):
        matrix = matrix.tocsr()
    n, columns = matrix.shape if matrix.format == "csr" else matrix.shape[::-1]
    indptr, indices = matrix.indptr, matrix.indices
    if indptr.dtype not in _INDICES or indices.dtype not in _INDICES:
        raise ValueError(f"graph has indices of type {indptr.dtype} and {indices.dtype}, expected int32 or int64")
    if len(indptr) != n + 1 or indptr[0] != 0 or not 0 <= indptr[-1] <= len(indices):
        raise ValueError(f"graph: its row pointers do not lead from 0 to {len(indices)} in {n} steps")
    return _checked(Biadjacency(indptr, indices[: int(indptr[-1])], columns, matrix.format == "csc"))


def _of_entries(rows: npt.NDArray[Any], columns: npt.NDArray[Any], shape: tuple[int, int]) -> Biadjacency:
    """Return the pattern of entries that are listed, one of which may be twice there."""
    import scipy.sparse

    entries = scipy.sparse.coo_array((np.ones(len(rows), np.int8), (rows, columns)), shape=shape).tocsr()
    return _checked(Biadjacency(entries.indptr, entries.indices, shape[1]))


def _pattern_of_dense(matrix: Any) -> Biadjacency:
    """Return the pattern of a dense matrix, in which 0 and +inf are no edges; of a masked one the mask says which."""
    values = entries_of_dense(matrix, "graph")
    if values.dtype.kind not in "biuf":
        raise TypeError(f"graph has dtype {values.dtype}, expected real numbers")
    edges = ~np.ma.getmaskarray(matrix) if np.ma.isMaskedArray(matrix) else values != 0
    if values.dtype.kind == "f":
        wrong = edges & (np.isnan(values) | np.isneginf(values))
        if wrong.any():
            row, column = np.argwhere(wrong)[0]
            raise ValueError(f"graph[{row}, {column}] is {values[row, column]}, expected a number greater than -inf")
        edges &= values < np.inf
    rows, columns = edges.nonzero()
    return _of_entries(rows, columns, (values.shape[0], values.shape[1]))


def _checked(pattern: Biadjacency) -> Biadjacency:
    if pattern.m > MOST_ENTRIES:
        raise ValueError(f"graph has {pattern.m:,} entries, at most {MOST_ENTRIES:,} are possible")
    if max(pattern.sizes) > MAX_VERTICES:
        raise ValueError(f"graph has shape {pattern.sizes}, at most {MAX_VERTICES:,} rows and columns are possible")
    return pattern


# ---- graphs -----------------------------------------------------------------------------------------


def side_of(graph: Graph, rows: Any = None) -> npt.NDArray[np.bool_]:
    """Return which vertices are rows: those that are given, or one side of an undirected graph.

    Raises
    ------
    TypeError, ValueError
        What is given is wrong, or the graph is not bipartite; the message names a vertex.
    """
    return _found_side(graph) if rows is None else _given_side(graph, rows)


def _given_side(graph: Graph, rows: Any) -> npt.NDArray[np.bool_]:
    """Return which vertices are rows."""
    if isinstance(rows, (set, frozenset)):
        rows = list(rows)
    if not isinstance(rows, Iterable) or isinstance(rows, (str, bytes)):
        raise TypeError(f"rows: expected several vertices, got {rows!r}")
    is_row = np.zeros(graph.n, np.bool_)
    is_row[vertices_argument(graph, rows, "rows")] = True
    return is_row


def _found_side(graph: Graph) -> npt.NDArray[np.bool_]:
    """Return which vertices of an undirected graph are on the side of the smallest vertex of their component.

    A graph is bipartite if and only if no component of its double cover, which has each vertex twice and an edge
    between vertices of different kinds for each edge, holds a vertex of both kinds.

    Raises
    ------
    ValueError
        The graph is not bipartite.
    """
    import scipy.sparse
    from scipy.sparse.csgraph import connected_components

    if "side" not in graph._derived:
        n = graph.n
        rows = np.append(graph.indptr, np.full(n, graph.m)), np.asarray(graph.indices, np.int64) + n
        cover = scipy.sparse.csr_array((np.ones(graph.m, np.int8), rows[1], rows[0]), shape=(2 * n, 2 * n))
        labels = connected_components(cover, directed=False)[1].reshape(2, n)
        both = labels[0] == labels[1]
        if both.any():
            name = graph.names[int(np.argmax(both))]
            raise ValueError(f"graph: it is not bipartite, a cycle of odd length can be reached from vertex {name!r}")
        graph._derived["side"] = labels[0] < labels[1]  # labels ascend with the smallest vertex
    side: npt.NDArray[np.bool_] = graph._derived["side"]
    return side


def edges_between(
    graph: Graph, is_row: npt.NDArray[np.bool_]
) -> tuple[_Vertices, npt.NDArray[np.int32], npt.NDArray[np.int32], tuple[_Vertices, _Vertices]]:
    """Return the edges between two sides, whichever way they lead; one that is undirected once.

    Returns
    -------
    edges : ndarray
        Their indices in the graph.
    rows, columns : ndarray of int32
        Of each of them: numbers within the sides.
    sides : tuple of ndarray
        The vertices that are rows, and those that are columns.

    Raises
    ------
    ValueError
        An edge is between vertices of one side; the message names both.
    """
    tails, heads = edge_sources(graph), graph.indices
    within = is_row[tails] == is_row[heads]
    if within.any():
        edge = int(np.argmax(within))
        ends = f"{graph.names[tails[edge]]!r} to {graph.names[heads[edge]]!r}"
        raise ValueError(f"rows: the edge from {ends} is between two {'rows' if is_row[tails[edge]] else 'columns'}")
    sides = np.flatnonzero(is_row), np.flatnonzero(~is_row)
    number = np.empty(graph.n, np.int32)
    for side in sides:
        number[side] = np.arange(len(side), dtype=np.int32)
    forward = is_row[tails]
    if not graph.directed:
        edges = np.flatnonzero(forward)
        return edges, number[tails[edges]], number[heads[edges]], sides
    rows, columns = np.where(forward, tails, heads), np.where(forward, heads, tails)
    return np.arange(graph.m), number[rows], number[columns], sides


def between_sides(graph: Graph, is_row: npt.NDArray[np.bool_]) -> tuple[Biadjacency, Names, Names]:
    """Return the pattern of the edges between two sides, whichever way they lead."""
    _, rows, columns, sides = edges_between(graph, is_row)
    if graph.directed:
        pattern = _of_entries(rows, columns, (len(sides[0]), len(sides[1])))
    else:
        counts = np.diff(graph.indptr)[sides[0]]
        pattern = Biadjacency(np.append(0, np.cumsum(counts)), columns, len(sides[1]))
    return _checked(pattern), Names(graph.names, sides[0]), Names(graph.names, sides[1])
