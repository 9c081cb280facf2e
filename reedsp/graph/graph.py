"""Weighted graphs on the host: validated, immutable, in compressed sparse row (CSR) form.

Everything that enters the library passes through this module, and what it accepts is never checked again:
indices are in range, weights are numbers, and of parallel edges only the lightest is left.
"""

from __future__ import annotations

import contextlib
import copy
import itertools
import sys
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

import numpy as np
import numpy.ma  # else at its first use, within which a signal's handler could not call reedsp
import numpy.typing as npt

from reedsp.graph.dense import Absent, DenseWeights, Rows, UnusableMatrixError, weight_dtype
from reedsp.graph.html import SHOWN, and_more, card
from reedsp.graph.networkx_edges import first_number, read_edges, read_places
from reedsp.graph.sequences import dimensions, entries_of, first_missing, is_mapping, refuse_other_than_several
from reedsp.graph.tables import place_in, read_table
from reedsp.system.options import check_choice, flag, integer
from reedsp.system.parts import in_parts
from reedsp.system.public import public

if TYPE_CHECKING:
    import networkx
    import scipy.sparse

MAX_VERTICES = 2**31 - 1
"""Largest number of vertices: a vertex number has to fit into int32."""

EXACT_IN_FLOAT64 = 2**53
"""Up to it, every integer is a float64."""

_INT64 = np.iinfo(np.int64)
_BOOLS = (bool, np.bool_)
_SCALARS = (np.integer, np.bool_, np.float64, np.float32, np.float16, np.str_, np.bytes_)  # equal to those of Python
_ROUNDED_UP = 1 + 2.0**-20  # more than a sum of numbers of float64 loses
_EDGES_AT_ONCE = 2**16  # where more at a time would take much memory
_NAMES_SHOWN = 8  # in an error
_NO_DEGREES = 1000  # beyond which coordinates are millionths of degrees: longitudes from 0 to 360 are a mistake
_PART_OF_DENSE = 0.5  # of the bytes of a dense matrix, below which the edges of a graph are kept instead
_INTEGERS = (int, np.integer, np.bool_)
_NUMBERS = (*_INTEGERS, float, np.floating)
_Arrays = TypeVar("_Arrays", bound=tuple[npt.NDArray[Any], ...])
_Edges = list[npt.NDArray[Any]]


class InEdges(NamedTuple):
    """The edges of a graph grouped by the vertex they end at, sources ascending within a group."""

    indptr: npt.NDArray[np.int64]
    sources: npt.NDArray[np.int32]
    weights: npt.NDArray[Any]


@public
class Graph:
    """Immutable directed or undirected graph with one weight an edge, in CSR form.

    Vertices have the indices 0 .. n-1, by which every array is ordered. A graph can also know names for them: the
    numbers of a file, the nodes of a networkx graph, any hashable objects. Then all functions take and return names,
    except in arrays; see :attr:`names`.

    An undirected graph holds each edge in both directions. Within a row the targets ascend and no target occurs twice:
    of parallel edges the one with the minimum weight is kept. Self loops and zero weights are edges like any other.
    It is not for subclassing: methods return a Graph, and so does pickle.

    Use :meth:`from_edges`, :meth:`from_scipy`, :meth:`from_dense`, :meth:`from_networkx`, :meth:`from_igraph`,
    :meth:`from_networkit`, :meth:`from_rustworkx`, :meth:`from_table` or :func:`reedsp.read`; the constructor itself
    takes the three arrays of a CSR matrix.

    Parameters
    ----------
    indptr : array_like of int, shape (n + 1,)
        Row pointers: the edges that leave vertex ``u`` are ``indptr[u] .. indptr[u + 1] - 1``.
    indices : array_like of int, shape (m,)
        Target of each edge.
    weights : array_like, shape (m,), optional
        Weight of each edge; 1 when omitted. +inf means that there is no such edge.
    directed : bool
        False also adds each edge in the other direction; where both exist the lighter one counts.
    offset : int
        Makes numbers names: that of the vertex with index 0; 1 for files that count from 1.
    labels : sequence of hashable, optional
        The name of each vertex, none of which is missing, and no two of which are equal; by default ``index + offset``.

    Attributes
    ----------
    indptr : ndarray of int64, shape (n + 1,)
    indices : ndarray of int32, shape (m,)
    weights : ndarray of int32, int64, float32 or float64, shape (m,)
        All three are read-only.
    n : int
        Number of vertices.
    m : int
        Number of stored edges; an undirected edge counts twice, an undirected self loop once.
    directed, offset, labels
        As given.
    coordinates : ndarray of float64, shape (n, 2), or None
        Where each vertex lies, x and y, if :meth:`with_coordinates` was called. Read-only.
    geographic : bool
        Whether these are longitude and latitude.

    Raises
    ------
    ValueError
        An array has the wrong shape, an index is out of range, a weight is NaN, -inf or outside int64, or two labels
        are equal. The message names the argument and the position.
    TypeError
        An index is not an integer, the weights are complex, strings or Python objects, or a label is not hashable.
    """

    __slots__ = (
        *("__weakref__", "_derived", "_edges", "coordinates", "directed"),
        *("geographic", "labels", "offset"),
    )

    _edges: Rows | DenseWeights
    directed: bool
    offset: int
    labels: tuple[Hashable, ...] | None
    coordinates: npt.NDArray[np.float64] | None
    geographic: bool
    _derived: dict[Any, Any]

    def __init__(
        self,
        indptr: npt.ArrayLike,
        indices: npt.ArrayLike,
        weights: npt.ArrayLike | None = None,
        *,
        directed: bool = True,
        offset: int = 0,
        labels: Sequence[Hashable] | None = None,
    ) -> None:
        directed = flag(directed, "directed")
        pointers = _integer_vector(indptr, "indptr").astype(np.int64)
        n = len(pointers) - 1
        if n < 0:
            raise ValueError("indptr is empty: it needs one entry more than the graph has vertices")
        targets = _vertex_vector(indices, "indices", n)
        _check_row_pointers(pointers, len(targets))
        edge_weights = _weight_vector(weights, len(targets))
        labels = _checked_labels(labels, n)
        rows = _existing(pointers, targets, *_clean_weights(edge_weights, "weights[{}]".format))
        del pointers, targets, edge_weights
        self._store_rows(*rows, directed, offset, labels)

    def _store_rows(
        self,
        indptr: npt.NDArray[np.int64],
        targets: npt.NDArray[np.int32],
        weights: npt.NDArray[Any],
        directed: bool,
        offset: int,
        labels: Sequence[Hashable] | None,
    ) -> None:
        """Store edges whose weights are clean, in arrays of our own, which are sorted in place."""
        if not _rows_ascend(indptr, targets):
            _sort_rows(indptr, targets, weights)
            indptr, targets, weights = _without_parallel_edges(indptr, targets, weights)
        rows = indptr, targets, weights
        if directed or is_symmetric(*rows):
            self._freeze(rows, directed, offset, labels)
            return
        n = len(indptr) - 1
        edges: _Edges = [np.repeat(np.arange(n, dtype=np.int32), np.diff(indptr)), targets, weights]
        del targets, weights, rows
        self._store(n, edges, str, directed, offset, labels)

    def _store(
        self,
        n: int,
        edges: _Edges,
        position: Callable[[int], str],
        directed: bool,
        offset: int,
        labels: Sequence[Hashable] | None,
    ) -> None:
        """Clean the weights, bring the edges into canonical CSR form and freeze everything.

        The list of sources, targets and weights is emptied, so that each array goes when it is no longer needed.
        """
        edges[2], kept = _clean_weights(edges[2], position)
        if kept is not None:
            _keep(kept, edges)
        if not directed:
            sources, targets, listed = edges
            edges.clear()  # what follows needs much memory
            forward = sources != targets
            listed = np.concatenate((listed, listed[forward]))
            edges += [np.concatenate((sources, targets[forward])), np.concatenate((targets, sources[forward])), listed]
            del sources, targets, listed, forward
        self._freeze(_compress(n, edges), directed, offset, labels)

    def _freeze(
        self,
        rows: tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[Any]] | DenseWeights,
        directed: bool,
        offset: int,
        labels: Sequence[Hashable] | None,
    ) -> None:
        """Take canonical CSR arrays, or a matrix, which no other code may write to, and labels that are checked."""
        offset = integer(offset, "offset")
        n = len(rows.values) if isinstance(rows, DenseWeights) else len(rows[0]) - 1
        if not _INT64.min <= offset <= _INT64.max - max(n - 1, 0):
            raise ValueError(f"offset = {offset}: int64 does not hold the numbers of {n} vertices")
        self._edges = rows if isinstance(rows, DenseWeights) else _frozen(Rows(*rows))
        self.directed = directed
        self.offset = offset
        self.labels = None if labels is None else _own_labels(labels)
        self.coordinates = None
        self.geographic = False
        self._derived = {}

    @classmethod
    def _over(
        cls,
        indptr: npt.NDArray[Any],
        indices: npt.NDArray[Any],
        weights: npt.NDArray[Any],
        directed: bool = True,
        **facts: Any,
    ) -> Graph:
        """Return a graph that reads arrays of the user's, or copies: then it outlives the call that they were given to.

        They are as a graph has them, but that row pointers can be int32, and indices int64, which are narrowed.

        Parameters
        ----------
        directed : bool
            False if each edge is there in both directions, with the same weight.
        **facts
            What is known of the weights already: of ``max_abs_weight``, ``negative`` and ``integral``.
        """
        graph = cls.__new__(cls)
        narrow = indices.view() if indices.dtype == np.int32 else np.empty(len(indices), np.int32)

        def convert(first: int, last: int) -> None:
            narrow[first:last] = indices[first:last]

        if indices.dtype != np.int32:
            in_parts(convert, len(indices), indices.itemsize)
        graph._freeze((indptr.view(), narrow, weights.view()), directed, 0, None)
        graph._derived.update(facts)
        return graph

    # ---- constructors -------------------------------------------------------------------------------

    @classmethod
    def from_edges(
        cls,
        n: int,
        sources: npt.ArrayLike,
        targets: npt.ArrayLike,
        weights: npt.ArrayLike | None = None,
        directed: bool = True,
        *,
        offset: int = 0,
        labels: Sequence[Hashable] | None = None,
    ) -> Graph:
        """Build a graph from a list of edges.

        Parameters
        ----------
        n : int
            Number of vertices.
        sources, targets : array_like of int, shape (m,)
            Ends of each edge, 0 .. n-1, in any order. Parallel edges keep the minimum weight.
        weights : array_like, shape (m,), optional
            Integers, floats, or booleans (True is an edge of weight 1, False is no edge); 1 when omitted.
            +inf is no edge. Integers are kept as int32 or int64, float16 and float32 as float32.
        directed : bool
            False makes each edge usable in both directions.
        offset, labels
            As for :class:`Graph`.

        Raises
        ------
        ValueError, TypeError
            As for :class:`Graph`.
        """
        n, directed = _vertex_count(n), flag(directed, "directed")
        return cls._taking([sources, targets, weights], n, directed, offset, _checked_labels(labels, n))

    @classmethod
    def _taking(cls, edges: list[Any], n: int, directed: bool, offset: int, labels: Sequence[Hashable] | None) -> Graph:
        """Build a graph of sources, targets and weights; the list is emptied, so that they go when they are copied."""
        n = _vertex_count(n)
        weights = edges.pop()
        for place, name in enumerate(("sources", "targets")):
            edges[place] = _vertex_vector(edges[place], name, n)
        if len(edges[0]) != len(edges[1]):
            raise ValueError(f"sources has {len(edges[0])} entries, targets has {len(edges[1])}")
        edges.append(_weight_vector(weights, len(edges[0])))
        del weights
        graph = cls.__new__(cls)
        graph._store(n, edges, "weights[{}]".format, directed, offset, labels)
        return graph

    @classmethod
    def _of_rows(
        cls,
        rows: tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[Any]],
        directed: bool,
        offset: int,
        labels: Sequence[Hashable] | None = None,
    ) -> Graph:
        """Build a graph of CSR arrays that are as a graph has them, and that no other code writes to."""
        graph = cls.__new__(cls)
        graph._freeze(rows, directed, offset, labels)
        return graph

    @classmethod
    def from_scipy(cls, matrix: Any, directed: bool = True) -> Graph:
        """Build a graph from a SciPy sparse matrix or array of any format.

        Entry (i, j) is the weight of the edge from i to j. A *stored* zero is an edge of weight 0, except in the
        BSR and DIA formats, which fill their blocks and diagonals with zeros of their own: there a zero is no
        edge. Entries stored more than once are parallel edges, of which the minimum counts (SciPy's own
        conversions would add them up). A stored +inf, or False in a boolean matrix, is no edge.

        Parameters
        ----------
        matrix : sparse matrix or sparse array, shape (n, n)
        directed : bool
            False makes each edge usable in both directions, with the smaller of the two weights.

        Raises
        ------
        ValueError
            The matrix is not square, its index arrays are corrupt, or a weight is NaN or -inf.
        TypeError
            It is not a sparse matrix, or its dtype is not a real number.
        """
        directed = flag(directed, "directed")
        if not is_sparse(matrix):
            raise TypeError(f"matrix: expected a SciPy sparse matrix, got {type(matrix).__name__}")
        if matrix.format not in ("csr", "csc"):
            n, *entries = sparse_entries(matrix)
            return cls._from_matrix_entries(n, entries, directed)
        graph = cls.__new__(cls)
        indptr, targets, weights = _clean_rows(matrix) if matrix.format == "csr" else _transposed_columns(matrix)
        graph._store_rows(indptr, targets, weights, directed, 0, None)
        return graph

    @classmethod
    def from_dense(cls, matrix: npt.ArrayLike, directed: bool = True, *, null_value: float | None = 0) -> Graph:
        """Build a graph from a dense matrix of weights.

        Parameters
        ----------
        matrix : array_like or masked array, shape (n, n)
            ``matrix[i, j]`` is the weight of the edge from i to j. **+inf is no edge. A 0 is no edge either**, as
            in scipy.sparse.csgraph, unless `null_value` says otherwise. In a masked array the mask alone says
            which edges are missing, and a 0 or False that is not masked is an edge of weight 0.
        directed : bool
            False makes each edge usable in both directions, with the smaller of the two weights.
        null_value : float or None
            The value that means "no edge" besides +inf; it may be NaN. ``None`` or ``numpy.inf`` makes every 0 an edge
            of weight 0, as the matrices of the thesis have it on the diagonal (section 5.2); a False is none
            either way. Integers are compared
            with it exactly.

        Raises
        ------
        ValueError
            The matrix is not square or two-dimensional, or an entry is NaN or -inf.
        TypeError
            The dtype is not a real number.
        """
        directed = flag(directed, "directed")
        if not (null_value is None or isinstance(null_value, Real)):
            raise TypeError(f"null_value: expected a number or None, got {null_value!r}")
        values = entries_of_dense(matrix, "matrix")
        _square(values.shape)
        _require_real(values, "matrix")
        mask: Any = np.ma.getmaskarray(matrix) if np.ma.isMaskedArray(matrix) else None
        if mask is not None and values.dtype.kind == "b":
            values = values.view(np.uint8)  # False is an edge where it is not masked
        null = None if null_value is None else _held(null_value, values.dtype)

        def absent(rows: slice, part: npt.NDArray[Any]) -> npt.NDArray[np.bool_] | None:
            if mask is not None:
                return mask[rows]  # type: ignore[no-any-return]
            if null is None:
                return None
            return np.asarray(part == null if null == null else part != part)

        if values.dtype.itemsize <= _INT64.dtype.itemsize:
            with contextlib.suppress(UnusableMatrixError):
                return cls._of_dense(values, absent, directed)
        missing = absent(slice(None), values)
        sources, targets = np.nonzero(np.ones(values.shape, np.bool_) if missing is None else ~missing)
        return cls._from_matrix_entries(len(values), [sources, targets, values[sources, targets]], directed)

    @classmethod
    def _of_dense(cls, values: npt.NDArray[Any], absent: Absent, directed: bool, **options: Any) -> Graph:
        """Return the graph of a matrix, which it keeps unless there are so few edges that rows of them are smaller.

        Arguments and errors are those of :class:`.DenseWeights`; and it is an error if the matrix is not square.
        """
        _square(values.shape)
        matrix = DenseWeights(values, absent, directed=directed, **options)
        graph = cls.__new__(cls)
        size = matrix.m * (np.dtype(np.int32).itemsize + matrix.dtype.itemsize)
        graph._freeze(matrix.rows() if size < _PART_OF_DENSE * matrix.values.nbytes else matrix, directed, 0, None)
        graph._derived.update(matrix.facts, heaviest=matrix.heaviest)
        return graph

    @classmethod
    def _from_matrix_entries(cls, n: int, entries: _Edges, directed: bool) -> Graph:
        """Build a graph of rows, columns and values; the list is emptied, so that they go when they are copied."""
        _require_real(entries[2], "matrix")
        for index, name in enumerate(("row indices", "column indices")):
            entries[index] = _vertex_vector(entries[index], name, n)
        graph = cls.__new__(cls)
        graph._store(n, entries, lambda edge: f"matrix[{entries[0][edge]}, {entries[1][edge]}]", directed, 0, None)
        return graph

    @classmethod
    def from_networkx(cls, graph: networkx.Graph[Any], weight: str | None = "weight") -> Graph:
        """Build a graph from a networkx graph, digraph or multigraph.

        The vertex with index ``i`` is the ``i``-th node in the order of ``list(graph)``; the nodes are its names. A
        graph with the attribute ``crs`` is a map, such as those of osmnx: ``x`` and ``y`` of its nodes are its
        coordinates, longitude and latitude if ``crs`` is EPSG:4326 and none is beyond 180 or 90.

        Parameters
        ----------
        graph : networkx.Graph, DiGraph, MultiGraph or MultiDiGraph
        weight : str or None
            Edge attribute that holds the weight; an edge without it has weight 1. None gives every edge weight 1.

        Raises
        ------
        TypeError
            A weight is not an int or a float (None included).
        ValueError
            A weight is NaN, -inf, or an integer outside int64, or integers beyond 2**53 are mixed with floats; a node
            is NaN, or other than itself otherwise; some nodes of a map have no coordinates, or others than finite
            numbers, also as strings; or another thread has changed the graph meanwhile.
        """
        if not is_networkx(graph):
            raise TypeError(f"graph: expected a networkx graph, got {kind_of(graph)}")
        _check_attribute(weight)
        try:
            result = cls._from_nodes_and_edges(graph, weight)
            places = read_places(graph, result.names)
        except (KeyError, RuntimeError):  # an edge between nodes that are new, or a dict that grew on the way
            raise ValueError("graph has changed while it was read") from None
        return result if places is None else result.with_coordinates(places[0], geographic=places[1])

    @classmethod
    def _from_nodes_and_edges(cls, graph: networkx.Graph[Any], weight: str | None) -> Graph:
        nodes = list(graph)
        for node in nodes:
            if type(node) not in (int, str) and not _equals_itself(node):
                raise ValueError(f"node {node!r} cannot be found again: it does not equal itself")
        sources, targets, given = read_edges(graph, nodes, weight)
        position = _weight_between(nodes, sources, targets)
        weights = np.ones(len(sources), np.int32) if given is None else _python_weights(given, position)
        del given
        result = cls.__new__(cls)
        result._store(len(nodes), [sources, targets, weights], position, graph.is_directed(), 0, nodes)
        return result

    @classmethod
    def from_igraph(cls, graph: Any, weight: str | None = "weight") -> Graph:
        """Build a graph from a graph of igraph.

        The vertices keep their order; if they have the attribute ``name``, that is what they are called.

        Parameters
        ----------
        graph : igraph.Graph
        weight : str or None
            Edge attribute that holds the weight; without it, or with None, every edge has weight 1.

        Raises
        ------
        TypeError
            It is no graph of igraph, `weight` is neither a string nor None, or a weight is not an int or a float (None
            included).
        ValueError
            Two vertices have one name, or a weight is NaN, -inf, or an integer outside int64, or integers beyond 2**53
            are mixed with floats.

        Examples
        --------
        >>> import igraph, reedsp
        >>> roads = igraph.Graph([(0, 1), (1, 2)], vertex_attrs={"name": ["Bern", "Thun", "Spiez"]})
        >>> roads.es["weight"] = [27, 10]
        >>> reedsp.sssp(reedsp.Graph.from_igraph(roads), "Bern").to_dict()
        {'Bern': 0.0, 'Thun': 27.0, 'Spiez': 37.0}
        """
        igraph = sys.modules.get("igraph")
        if igraph is None or not isinstance(graph, igraph.Graph):
            raise TypeError(f"graph: expected a graph of igraph, got {type(graph).__name__}")
        _check_attribute(weight)
        n = graph.vcount()
        given = graph.vs["name"] if "name" in graph.vs.attributes() else None
        names = _checked_labels(given, n, "graph.vs[{}]['name']".format)
        ends = np.array(graph.get_edgelist(), np.int32).reshape(-1, 2)
        sources, targets = (_vertex_vector(ends[:, side], "edges", n) for side in (0, 1))
        position = _weight_between(range(n) if names is None else names, sources, targets)
        weights = np.ones(len(sources), np.int32)
        if weight is not None and weight in graph.es.attributes():
            weights = _python_weights(graph.es[weight], position)
        result = cls.__new__(cls)
        result._store(n, [sources, targets, weights], position, graph.is_directed(), 0, names)
        return result

    @classmethod
    def from_networkit(cls, graph: Any) -> Graph:
        """Build a graph from a graph of networkit.

        The vertices keep their order. They are called by their numbers in networkit, which have gaps where nodes were
        removed. In a graph of networkit that is not weighted every edge has weight 1.

        Parameters
        ----------
        graph : networkit.Graph

        Raises
        ------
        TypeError
            It is no graph of networkit.
        ValueError
            A weight is NaN or -inf.

        Examples
        --------
        >>> import networkit, reedsp
        >>> roads = networkit.Graph(4, weighted=True)
        >>> for edge in (0, 1, 27), (1, 2, 50), (2, 3, 10), (0, 3, 40):
        ...     _ = roads.addEdge(*edge)
        >>> roads.removeNode(1)
        >>> reedsp.sssp(reedsp.Graph.from_networkit(roads), 0).to_dict()
        {0: 0.0, 2: 50.0, 3: 40.0}
        """
        networkit = sys.modules.get("networkit")
        if networkit is None or not isinstance(graph, networkit.Graph):
            raise TypeError(f"graph: expected a graph of networkit, got {type(graph).__name__}")
        numbers = np.fromiter(graph.iterNodes(), np.int64)
        fields = [("source", np.int64), ("target", np.int64), ("weight", np.float64)]
        if graph.isWeighted():
            edges = np.fromiter(graph.iterEdgesWeights(), np.dtype(fields))
        else:
            edges = np.fromiter(graph.iterEdges(), np.dtype(fields[:2]))
        weights = edges["weight"] if graph.isWeighted() else np.ones(len(edges), np.int32)
        sources, targets = _indices_of((edges["source"], edges["target"]), numbers)
        offset, labels = _as_names(numbers)
        position = _weight_between(numbers.tolist(), sources, targets)
        result = cls.__new__(cls)
        result._store(len(numbers), [sources, targets, weights], position, graph.isDirected(), offset, labels)
        return result

    @classmethod
    def from_rustworkx(
        cls,
        graph: Any,
        weight: Literal["payload"] | Callable[[Any], Any] | None = "payload",
        *,
        names: Literal["index", "payload"] = "index",
    ) -> Graph:
        """Build a graph from a graph of rustworkx.

        The vertices keep their order.

        Parameters
        ----------
        graph : rustworkx.PyGraph, PyDiGraph or PyDAG
        weight : "payload", callable or None
            The weight of an edge is its payload, what a function makes of that, such as
            ``operator.itemgetter("minutes")``, or 1.
        names : {"index", "payload"}
            What the vertices are called by: their indices in rustworkx, which have gaps where nodes were removed; or
            the payloads of their nodes, which are hashable, other than None, and no two of which are equal.

        Raises
        ------
        TypeError
            It is no graph of rustworkx, a weight is not an int or a float (None included), or a payload that is a name
            is not hashable. The message names the edge or the position.
        ValueError
            Two names are equal, or a weight is NaN, -inf, or an integer outside int64, or integers beyond 2**53 are
            mixed with floats.

        Examples
        --------
        >>> import reedsp, rustworkx
        >>> roads = rustworkx.PyGraph()
        >>> _ = roads.add_nodes_from(["Bern", "Thun", "Spiez"])
        >>> _ = roads.add_edges_from([(0, 1, 27), (1, 2, 10)])
        >>> reedsp.sssp(reedsp.Graph.from_rustworkx(roads, names="payload"), "Bern").to_dict()
        {'Bern': 0.0, 'Thun': 27.0, 'Spiez': 37.0}
        """
        rustworkx = sys.modules.get("rustworkx")
        if rustworkx is None or not isinstance(graph, (rustworkx.PyGraph, rustworkx.PyDiGraph)):
            raise TypeError(f"graph: expected a graph of rustworkx, got {type(graph).__name__}")
        if not (weight is None or callable(weight) or (isinstance(weight, str) and weight == "payload")):
            raise TypeError(f"weight: expected 'payload', a function or None, got {weight!r}")
        check_choice("names", names, ("index", "payload"))
        numbers = np.asarray(graph.node_indices()).astype(np.int64)
        offset, labels = _as_names(numbers) if names == "index" else (0, list(graph.nodes()))
        labels = _checked_labels(labels, len(numbers), lambda vertex: f"graph[{numbers[vertex]}]")
        sources, targets = _indices_of(np.asarray(graph.edge_list()).astype(np.int64).T, numbers)
        position = _weight_between(numbers.tolist() if labels is None else labels, sources, targets)
        weights = np.ones(len(sources), np.int32)
        if weight is not None:
            payloads = graph.edges()
            weights = _python_weights(list(map(weight, payloads)) if callable(weight) else payloads, position)
        directed = isinstance(graph, rustworkx.PyDiGraph)
        result = cls.__new__(cls)
        result._store(len(numbers), [sources, targets, weights], position, directed, offset, labels)
        return result

    @classmethod
    def from_table(
        cls,
        table: Any,
        source: str = "source",
        target: str = "target",
        weight: str | None = "weight",
        directed: bool = True,
    ) -> Graph:
        """Build a graph from a table with an edge in each row.

        The vertices are those that occur, in ascending order; the integers or strings that stand for them are their
        names. Of parallel edges the minimum counts.

        Parameters
        ----------
        table : table, mapping of str to array_like, str or path-like
            A table of pandas (from 2.2 on; "0" is column 0), polars, duckdb, pyarrow or another library that has
            ``__arrow_c_stream__``; columns by name; or a file: ``.csv`` with a line of names, ``.tsv`` or
            ``.parquet``.
        source, target : str
            Columns with the ends of each edge, both integers or both strings. In a text they are integers if all are
            as they are written: 007 is a string, and so are then the others.
        weight : str or None
            Column with the weights: integers, floats, or booleans as for :meth:`from_edges`. None gives every edge
            weight 1.
        directed : bool
            False makes each edge usable in both directions.

        Raises
        ------
        TypeError
            It is no table, or a column has another type.
        ValueError
            A column is missing, or holds a null, NaN, -inf or an integer outside int64; the message names the column
            and the row, counted from 0. Or the file is damaged.
        OSError
            The file cannot be opened or read.
        ImportError
            pyarrow is not installed (the extra ``tables``).

        Examples
        --------
        >>> import reedsp
        >>> roads = {"source": ["Bern", "Bern"], "target": ["Thun", "Biel"], "weight": [27, 34]}
        >>> graph = reedsp.Graph.from_table(roads, directed=False)
        >>> graph.names, graph.neighbors("Bern")
        (('Bern', 'Biel', 'Thun'), ['Biel', 'Thun'])
        """
        directed = flag(directed, "directed")
        sources, targets, weights, first, labels, n = read_table(table, source, target, weight)
        edges = [
            _vertex_vector(sources, "sources", n),
            _vertex_vector(targets, "targets", n),
            _weight_vector(weights, len(sources)),
        ]
        graph = cls.__new__(cls)
        graph._store(n, edges, place_in(weight), directed, first, labels)
        return graph

    def with_coordinates(self, coordinates: npt.ArrayLike, *, geographic: bool | None = None) -> Graph:
        """Return the same graph with coordinates of each vertex; nothing but the coordinates is copied.

        Parameters
        ----------
        coordinates : array_like of real numbers, shape (n, 2)
            x and y of each vertex, in any unit, for instance from :func:`reedsp.read_coordinates`.
        geographic : bool, optional
            Whether they are longitude and latitude: a map then has the same scale from east to west as from south to
            north. They are in degrees, or in millionths of a degree if some are beyond 1000, as in DIMACS' road
            networks. By default they are if all are integers that can be such millionths, and some beyond a million.

        Raises
        ------
        ValueError
            The shape is another one, a number is not finite, or `geographic` and no longitude or latitude.
        TypeError
            They are no real numbers.

        Examples
        --------
        >>> import reedsp
        >>> square = reedsp.Graph.from_edges(4, [0, 1, 2], [1, 2, 3])
        >>> square.with_coordinates([[0, 0], [1, 0], [1, 1], [0, 1]]).coordinates[2]
        array([1., 1.])
        """
        given = as_array(coordinates, "coordinates")
        _require_real(given, "coordinates")
        if given.shape != (self.n, 2):
            raise ValueError(f"coordinates has shape {given.shape}, expected {(self.n, 2)}")
        places = given.astype(np.float64, order="C")
        refuse_infinite(places)
        told = None if geographic is None else flag(geographic, "geographic")
        return self._located(places, _are_geographic(places, told))

    def _located(self, places: npt.NDArray[np.float64], geographic: bool) -> Graph:
        """Return the same graph with coordinates that are checked, in an array that no other code writes to."""
        graph = Graph.__new__(Graph)
        graph.geographic = geographic
        graph._edges = self._edges
        graph.directed, graph.offset, graph.labels = self.directed, self.offset, self.labels
        [graph.coordinates] = _frozen((places,))
        graph._derived = self._derived  # nothing in it depends on coordinates
        return graph

    # ---- what the graph is --------------------------------------------------------------------------

    @property
    def n(self) -> int:
        """Number of vertices."""
        edges = self._edges
        return len(edges.values) if isinstance(edges, DenseWeights) else len(edges.indptr) - 1

    @property
    def m(self) -> int:
        """Number of stored edges."""
        edges = self._edges
        return edges.m if isinstance(edges, DenseWeights) else len(edges.indices)

    @property
    def indptr(self) -> npt.NDArray[np.int64]:
        """Row pointers: the index of the first edge that leaves each vertex, then m."""
        return self._rows().indptr

    @property
    def indices(self) -> npt.NDArray[np.int32]:
        """Target of each edge."""
        return self._rows().indices

    @property
    def weights(self) -> npt.NDArray[Any]:
        """Weight of each edge."""
        return self._rows().weights

    def _rows(self) -> Rows:
        """Return the edges in compressed rows, which take the place of a dense matrix from now on."""
        edges = self._edges
        if isinstance(edges, DenseWeights):
            edges = _frozen(edges.rows())
            super().__setattr__("_edges", edges)
        return edges

    @property
    def dense(self) -> DenseWeights | None:
        """The matrix that the graph was made of, as long as nothing has asked for its edges in compressed rows."""
        edges = self._edges
        return edges if isinstance(edges, DenseWeights) else None

    @property
    def weight_dtype(self) -> np.dtype[Any]:
        """Type of the weights."""
        edges = self._edges
        return edges.dtype if isinstance(edges, DenseWeights) else edges.weights.dtype

    @property
    def max_abs_weight(self) -> int | float:
        """Largest magnitude of a weight, as a Python number; 0 without edges."""
        return self._fact("max_abs_weight")  # type: ignore[no-any-return]

    def _fact(self, name: str) -> Any:
        """Return one of "max_abs_weight", "negative" and "integral", which are found in one pass over the weights."""
        if name not in self._derived:
            for each, value in _facts_of(self.weights).items():
                self._derived.setdefault(each, value)
        return self._derived[name]

    @property
    def simple_path_bound(self) -> float:
        """A number that the magnitude of no simple path's weight exceeds.

        A simple path leaves each vertex at most once, so it weighs at most the sum over the vertices of the heaviest
        edge that leaves each.
        """
        if "bound" not in self._derived:
            total = self._sum_of_heaviest()
            exact = self.has_integral_weights and total < EXACT_IN_FLOAT64
            self._derived["bound"] = total if exact else total * _ROUNDED_UP
        return self._derived["bound"]  # type: ignore[no-any-return]

    @property
    def rough_path_bound(self) -> float:
        """Such a number that is found sooner, unless :attr:`simple_path_bound` is known: the sum of all magnitudes."""
        if "bound" in self._derived or "heaviest" in self._derived:
            return self.simple_path_bound
        if "rough" not in self._derived:
            weights, sums, negative = self.weights, [0.0], self.has_negative_weights

            def add_up(first: int, last: int) -> None:
                part = weights[first:last]
                with np.errstate(over="ignore"):
                    magnitudes = np.abs(part.astype(np.float64)) if negative else part
                    sums.append(float(magnitudes.sum(dtype=np.float64)))

            in_parts(add_up, len(weights), weights.itemsize)
            self._derived["rough"] = sum(sums) * _ROUNDED_UP
        return self._derived["rough"]  # type: ignore[no-any-return]

    def _sum_of_heaviest(self) -> float:
        """Return the sum over the vertices of the magnitude of the heaviest edge that leaves each, in float64."""
        heaviest = self._derived.get("heaviest")
        if heaviest is None:
            heaviest = np.zeros(self.n)
            leaving = np.flatnonzero(self.indptr[:-1] < self.indptr[1:])
            begins = self.indptr[leaving]
            ends = np.append(begins[1:], self.m)

            def find(first: int, last: int) -> None:
                begin, end = begins[first], ends[last - 1]
                magnitudes = np.abs(self.weights[begin:end].astype(np.float64))
                heaviest[leaving[first:last]] = np.maximum.reduceat(magnitudes, begins[first:last] - begin)

            in_parts(find, len(begins), max(1, 8 * self.m // max(1, len(begins))))
        with np.errstate(over="ignore"):
            return float(heaviest.sum())

    @property
    def has_negative_weights(self) -> bool:
        """Whether some edge has a weight below zero."""
        return self._fact("negative")  # type: ignore[no-any-return]

    @property
    def has_integral_weights(self) -> bool:
        """Whether every weight is an integer, whatever its dtype."""
        return self._fact("integral")  # type: ignore[no-any-return]

    def in_edges(self) -> InEdges:
        """Return the edges grouped by the vertex they end at (computed once)."""
        if "in_edges" not in self._derived:
            if self.directed:
                indptr, sources, edges = self._by_target(np.arange(self.m, dtype=_narrowest_index(self.m)))
                self._derived["in_edges"] = _frozen(InEdges(indptr, sources, self.weights[edges]))
            else:
                self._derived["in_edges"] = InEdges(self.indptr, self.indices, self.weights)
        return self._derived["in_edges"]  # type: ignore[no-any-return]

    def _in_neighbors(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
        """Return row pointers and sources of :meth:`in_edges`, which are not kept if only these are asked for."""
        if self.directed and "in_edges" not in self._derived:
            return self._by_target(np.ones(self.m, np.bool_))[:2]
        return self.in_edges()[:2]

    def _by_target(
        self, values: npt.NDArray[Any]
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[Any]]:
        """Return row pointers, sources and values of the edges by the vertex they end at, the sources ascending."""
        import scipy.sparse

        narrow = _narrowest_index(self.m)  # SciPy converts both arrays of indices to the wider type of the two
        rows = values, self.indices.astype(narrow, copy=False), self.indptr.astype(narrow)
        columns = scipy.sparse.csr_array(rows, shape=(self.n, self.n)).tocsc()
        return columns.indptr.astype(np.int64), columns.indices.astype(np.int32, copy=False), columns.data

    def strong_components(self) -> npt.NDArray[np.int32]:
        """Return the number of the strongly connected component of each vertex (computed once)."""
        if "components" not in self._derived:
            import scipy.sparse.csgraph

            edges = (np.ones(self.m, np.int8), self.indices, self.indptr)
            adjacency = scipy.sparse.csr_array(edges, shape=(self.n, self.n))
            components = scipy.sparse.csgraph.connected_components(adjacency, connection="strong")[1]
            components.flags.writeable = False
            self._derived["components"] = components
        return self._derived["components"]  # type: ignore[no-any-return]

    # ---- names --------------------------------------------------------------------------------------

    @property
    def has_names(self) -> bool:
        """Whether vertices have names other than their indices 0 .. n-1."""
        return self.labels is not None or self.offset != 0

    @property
    def names(self) -> Sequence[Any]:
        """The name of each vertex by index: the :attr:`labels`, or the numbers from :attr:`offset` on.

        Arguments, paths, tables, messages and pictures call vertices by these names. Arrays such as ``dist`` and
        ``pred`` are by index.

        Examples
        --------
        >>> import reedsp
        >>> reedsp.Graph.from_edges(3, [0, 1], [1, 2], offset=1).names
        range(1, 4)
        """
        return range(self.offset, self.offset + self.n) if self.labels is None else self.labels

    def name(self, index: int) -> Any:
        """Return the name of the vertex with this index.

        Raises
        ------
        IndexError
            There is no such index; negative ones count from the end.
        TypeError
            It is not an integer.

        Examples
        --------
        >>> import reedsp
        >>> reedsp.Graph.from_edges(2, [0], [1], labels=["Bern", "Thun"]).name(1)
        'Thun'
        """
        place = integer(index, "index")
        if not -self.n <= place < self.n:
            raise IndexError(f"index = {place} is out of range for a graph with {self.n} vertices")
        return self.names[place]

    def index(self, name: Hashable) -> int:
        """Return the index of the vertex with this name.

        Raises
        ------
        ValueError
            No vertex has this name; the message says which names there are.

        Examples
        --------
        >>> import reedsp
        >>> graph = reedsp.Graph.from_edges(2, [0], [1], labels=["Bern", "Thun"])
        >>> reedsp.sssp(graph, "Bern").dist[graph.index("Thun")]
        np.float64(1.0)
        """
        found = self._find(name)
        if found is None:
            raise ValueError(f"{name!r} is not a vertex of this graph, {self._names_in_words()}")
        return found

    def _vertex(self, vertex: Any, argument: str) -> int:
        """Return the index of a vertex that an argument means: where there are no names, -1 is the last one."""
        if self.has_names:
            try:
                return self.index(vertex)
            except ValueError as error:
                raise ValueError(f"{argument} = {error}") from None
        number = integer(vertex, argument)
        if not -self.n <= number < self.n:
            raise ValueError(f"{argument} = {number} is not a vertex of a graph with {self.n} vertices")
        return number % self.n

    def _find(self, name: object) -> int | None:
        found = self._index_of(name)
        if found is None and hasattr(name, "as_py"):  # one of Arrow's, which does not equal Python's
            found = self._index_of(name.as_py())
        return found

    def _index_of(self, name: object) -> int | None:
        if self.labels is None:
            is_number = isinstance(name, (int, np.integer)) and not isinstance(name, bool)
            number = int(name) - self.offset if is_number else -1  # type: ignore[call-overload]
            return number if 0 <= number < self.n else None
        if "index_of" not in self._derived:
            self._derived["index_of"] = {label: index for index, label in enumerate(self.labels)}
        try:
            found: int | None = self._derived["index_of"].get(name)
        except TypeError:  # it cannot be hashed
            return None
        if found is not None and isinstance(name, _BOOLS) and not isinstance(self.labels[found], _BOOLS):
            return None  # one of a mask, where the number that it is equal to is meant by no one
        return found

    def _indices_of_numbers(self, vertices: object) -> npt.NDArray[np.intp] | None:
        """Return the indices of vertices that have no labels, given by their numbers alone; None for anything else."""
        if self.labels is not None:
            return None
        is_list = isinstance(vertices, range) or (isinstance(vertices, list) and set(map(type, vertices)) == {int})
        given = np.array(vertices) if is_list else vertices
        if not isinstance(given, np.ndarray) or given.ndim != 1 or np.ma.isMaskedArray(given):
            return None
        if given.dtype.kind not in "iu" or not np.can_cast(given.dtype, np.int64):
            return None
        indices = given.astype(np.int64) - self.offset
        return indices.astype(np.intp) if ((indices >= 0) & (indices < self.n)).all() else None

    def _indices_of_each(self, vertices: Iterable[Hashable]) -> npt.NDArray[np.intp]:
        """Return the indices of vertices, each one by itself; an error names its position, also where it is twice."""
        refuse_other_than_several(vertices, "vertices")
        positions: dict[int, int] = {}
        for position, name in enumerate(vertices):
            vertex = self._vertex(name, f"vertices[{position}]")
            if positions.setdefault(vertex, position) != position:
                raise ValueError(f"vertices[{position}] = {name!r} is also vertices[{positions[vertex]}]")
        return np.fromiter(positions, np.intp, len(positions))

    def _names_in_words(self) -> str:
        if self.n == 0:
            return "which has none"
        if self.labels is None or self.n > _NAMES_SHOWN:
            first, last = (", ".join(map(repr, each)) for each in (self.names[: _NAMES_SHOWN // 2], self.names[-1:]))
            shown = f"{self.offset} .. {last}" if self.labels is None else f"{first}, ..., {last} ({self.n:,} in all)"
            return f"whose vertices are {shown}"
        return f"whose vertices are {', '.join(map(repr, self.labels))}"

    def __len__(self) -> int:
        return self.n

    def __contains__(self, name: object) -> bool:
        return self._find(name) is not None

    # ---- edges --------------------------------------------------------------------------------------

    def edges(self) -> Iterator[tuple[Any, Any, int | float]]:
        """Iterate over the edges: the names of both ends, and the weight as a Python number.

        They come in the order of the indices of their ends; an undirected edge comes once, the end with the smaller
        index first.

        Examples
        --------
        >>> import reedsp
        >>> list(reedsp.Graph.from_edges(3, [2, 0], [0, 1], [7, 5]).edges())
        [(0, 1, 5), (2, 0, 7)]
        """
        names, rows = self.names, self._rows()
        for begin in range(0, self.m, _EDGES_AT_ONCE):
            some = slice(begin, min(begin + _EDGES_AT_ONCE, self.m))
            sources = np.searchsorted(rows.indptr, np.arange(some.start, some.stop), side="right") - 1
            edges = zip(*(part.tolist() for part in (sources, rows.indices[some], rows.weights[some])), strict=True)
            yield from ((names[u], names[v], w) for u, v, w in edges if self.directed or u <= v)

    def neighbors(self, name: Hashable) -> list[Any]:
        """Return the vertices that edges lead to from one, in the order of their indices.

        Raises
        ------
        ValueError
            There is no such vertex.
        TypeError
            The graph has no names, and this is not an integer.

        Examples
        --------
        >>> import reedsp
        >>> reedsp.Graph.from_edges(3, [1, 1], [0, 2]).neighbors(1)
        [0, 2]
        """
        vertex = self._vertex(name, "name")
        return [self.names[end] for end in self.indices[self.indptr[vertex] : self.indptr[vertex + 1]].tolist()]

    def reverse(self) -> Graph:
        """Return the same graph with all edges in the opposite direction; an undirected one is that already.

        Examples
        --------
        >>> import reedsp
        >>> list(reedsp.Graph.from_edges(2, [0], [1], [4]).reverse().edges())
        [(1, 0, 4)]
        """
        if not self.directed:
            return self
        graph = Graph.__new__(Graph)
        graph._freeze(self.in_edges(), True, self.offset, self.labels)
        return self._placed(graph, slice(None))

    def subgraph(self, vertices: Iterable[Hashable]) -> Graph:
        """Return some vertices, and the edges between them.

        Parameters
        ----------
        vertices : sequence of int or of other names
            Which vertices, in the order that their indices are to have. They keep their names, also if these are the
            numbers 0 .. n-1, and their coordinates.

        Raises
        ------
        ValueError
            One is no vertex, or occurs twice; the message names its position. Or they have several dimensions.
        TypeError
            They are no iterable, or a string, a set or a mapping; or the graph has no names, and one is not an integer.

        Examples
        --------
        >>> import reedsp
        >>> part = reedsp.Graph.from_edges(4, [0, 1, 2, 3], [1, 2, 3, 0], [4, 5, 6, 7]).subgraph([3, 2])
        >>> list(part.edges()), part.names
        ([(2, 3, 6)], (3, 2))
        """
        chosen = self._indices_of_numbers(vertices)
        if chosen is None or np.bincount(chosen).max(initial=0) > 1:
            chosen = self._indices_of_each(vertices)
        number = np.full(self.n, -1, np.int32)
        number[chosen] = np.arange(len(chosen))
        sources, targets = np.repeat(number, np.diff(self.indptr)), number[self.indices]
        kept = (sources >= 0) & (targets >= 0)
        edges: _Edges = [sources[kept], targets[kept], self.weights[kept]]
        graph = Graph.__new__(Graph)
        names = [self.names[vertex] for vertex in chosen.tolist()]
        graph._store(len(chosen), edges, "weights[{}]".format, self.directed, 0, names)
        return self._placed(graph, chosen)

    def _placed(self, graph: Graph, chosen: Any) -> Graph:
        """Return a graph of some of these vertices with their coordinates, if there are any."""
        if self.coordinates is None:
            return graph
        return graph._located(self.coordinates[chosen], self.geographic)

    def to_scipy(self) -> scipy.sparse.csr_array:
        """Return a new ``csr_array`` with the same edges; zero weights are stored zeros."""
        import scipy.sparse

        return scipy.sparse.csr_array(
            (self.weights.copy(), self.indices.copy(), self.indptr.copy()), shape=(self.n, self.n)
        )

    def __repr__(self) -> str:
        kind = "directed" if self.directed else "undirected"
        return f"<reedsp.Graph: {self.n:,} vertices, {self.m:,} edges, {kind}, {self.weight_dtype} weights>"

    def _repr_html_(self) -> str:
        kind = "directed" if self.directed else "undirected"
        shown = list(itertools.islice(self.edges(), SHOWN + 1))
        span = f", {self.weights.min().item()} to {self.weights.max().item()}" if self.m else ""
        facts = [("weights", f"{self.weights.dtype}{span}")]
        if self.n:
            facts.append(("vertices", f"{self.names[0]} to {self.names[-1]}"))
        lines = [*shown[:SHOWN], *and_more(len(shown), 3)]
        return card(
            f"Graph of {self.n:,} vertices and {self.m:,} edges, {kind}", facts, ["from", "to", "weight"], lines
        )

    # ---- equality -----------------------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        """Whether both have the same vertices, names, coordinates and edges; weights are compared as numbers."""
        if self is other or not isinstance(other, Graph):
            return self is other or NotImplemented
        kind = (self.n, self.m, self.directed, self.geographic)
        arrays = ((self.indptr, other.indptr), (self.indices, other.indices), (self.weights, other.weights))
        return (
            kind == (other.n, other.m, other.directed, other.geographic)
            and (self.names == other.names or tuple(self.names) == tuple(other.names))
            and all(_same_numbers(*pair) for pair in arrays)
            and (self.coordinates is None) == (other.coordinates is None)
            and (self.coordinates is None or np.array_equal(self.coordinates, other.coordinates))  # type: ignore[arg-type]
        )

    def __hash__(self) -> int:
        return hash((self.n, self.m, self.directed))

    # ---- immutability -------------------------------------------------------------------------------

    def __setattr__(self, name: str, value: object) -> None:
        if hasattr(self, "_derived"):
            raise AttributeError(f"a Graph cannot be changed: {name}")
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a Graph cannot be changed: {name}")

    def __reduce__(self) -> tuple[Any, ...]:
        # Derived arrays and copies on devices stay behind: they are made again when they are needed.
        state = (self.indptr, self.indices, self.weights, self.directed, self.offset, self.labels, self.coordinates)
        return _restore, (*state, self.geographic)

    def __copy__(self) -> Graph:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Graph:
        return self


def kind_of(value: object) -> str:
    """Return the name of a type as an error shows it, with its module: several packages have a Graph."""
    kind = type(value)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def is_networkx(graph: Any) -> bool:
    """Whether this is a networkx graph; does not import networkx, which another thread may be importing."""
    kind = getattr(sys.modules.get("networkx"), "Graph", None)
    return kind is not None and isinstance(graph, kind)


def is_sparse(matrix: Any) -> bool:
    """Whether this is a sparse matrix of SciPy; does not import SciPy, which another thread may be importing."""
    known = getattr(sys.modules.get("scipy.sparse"), "issparse", None)
    return known is not None and known(matrix)


# ---- validation -------------------------------------------------------------------------------------


def _restore(
    indptr: npt.NDArray[np.int64],
    indices: npt.NDArray[np.int32],
    weights: npt.NDArray[Any],
    directed: bool,
    offset: int,
    labels: tuple[Hashable, ...] | None,
    coordinates: npt.NDArray[np.float64] | None,
    geographic: bool,
) -> Graph:
    graph = Graph(indptr, indices, weights, directed=directed, offset=offset, labels=labels)
    return graph if coordinates is None else graph._located(coordinates.copy(), geographic)


def _are_geographic(places: npt.NDArray[np.float64], asked: bool | None) -> bool:
    """Return whether positions are longitude and latitude, and check them if they are said to be."""
    distance = np.abs(places)
    millionths = bool((distance > _NO_DEGREES).any())
    beyond = distance > ((180e6, 90e6) if millionths else (180, 90))
    if asked is None:
        return bool((distance > 1e6).any() and not beyond.any() and (places == np.rint(places)).all())
    if asked and beyond.any():
        vertex, axis = divmod(_first(beyond.ravel()), 2)
        expected = ("longitude", "latitude")[axis]
        unit = "millionths of a degree, as some are" if millionths else "degrees, as none is"
        raise ValueError(
            f"coordinates[{vertex}, {axis}] is {places[vertex, axis]}, "
            f"expected a {expected} in {unit} beyond {_NO_DEGREES}"
        )
    return asked


def refuse_infinite(coordinates: npt.NDArray[np.float64]) -> None:
    """Refuse coordinates that are not finite."""
    finite = np.isfinite(coordinates)
    if not finite.all():
        vertex, axis = divmod(_first(~finite.ravel()), 2)
        raise ValueError(f"coordinates[{vertex}, {axis}] is {coordinates[vertex, axis]}, expected a finite number")


def _own_labels(labels: Sequence[Hashable]) -> tuple[Hashable, ...]:
    """Return labels with Python's numbers and strings in place of numpy's, which files and JSON know nothing of."""
    if not any(issubclass(each, np.generic) for each in set(map(type, labels))):
        return tuple(labels)
    return tuple(_own_label(label) if isinstance(label, _SCALARS) else label for label in labels)


def _own_label(label: Any) -> Hashable:
    if isinstance(label, str):  # item() would leave out what is zero at the end
        return str.__str__(label)
    return bytes(label) if isinstance(label, bytes) else label.item()


def _checked_labels(
    labels: Sequence[Hashable] | None, n: int, position: Callable[[int], str] = "labels[{}]".format
) -> list[Hashable] | None:
    """Return labels, of which each vertex has one that no other one has, and that can be looked up."""
    if labels is None:
        return None
    has_order = hasattr(labels, "__len__") and dimensions(labels) != 0
    if isinstance(labels, (set, frozenset)) or is_mapping(labels) or not has_order:
        raise TypeError(f"labels: expected a sequence, got a {type(labels).__name__}")
    if dimensions(labels) > 1:
        raise ValueError(f"labels has {dimensions(labels)} dimensions, expected 1")
    entries = entries_of(labels)
    if len(entries) != n:
        raise ValueError(f"labels has {len(entries)} entries for {n} vertices")
    seen: set[Hashable] = set()
    for index, label in enumerate(entries):
        try:
            known = label in seen
        except TypeError:
            raise TypeError(f"{position(index)} = {label!r} is not hashable") from None
        if known or label is None:
            reason = "stands for no vertex" if label is None else f"is also {position(entries.index(label))}"
            raise ValueError(f"{position(index)} = {label!r} {reason}")
        if type(label) not in (int, str) and not _equals_itself(label):
            raise ValueError(f"{position(index)} = {label!r} cannot be found again: it does not equal itself")
        seen.add(label)
    return entries


def _equals_itself(label: Hashable) -> bool:
    try:
        answer = label == label
    except (TypeError, ValueError):  # there is none
        return True
    try:
        return bool(answer)
    except TypeError:  # NA of pandas, which may be anything
        return False
    except ValueError:  # an array of answers
        return True


def _check_attribute(weight: object) -> None:
    if not (weight is None or isinstance(weight, str)):
        raise TypeError(f"weight: expected the name of an edge attribute or None, got {weight!r}")


def _vertex_count(n: object) -> int:
    count = integer(n, "n")
    if not 0 <= count <= MAX_VERTICES:
        raise ValueError(f"n = {count} is outside 0 .. {MAX_VERTICES}")
    return count


def _square(shape: tuple[int, ...]) -> int:
    if len(shape) != 2 or shape[0] != shape[1]:
        raise ValueError(f"matrix has shape {shape}, expected a square matrix")
    return _vertex_count(shape[0])


def _held(number: Any, dtype: np.dtype[Any]) -> Any:
    """Return a number as those of a type are compared with it exactly; None if none of them can equal it."""
    if number != number or abs(number) == np.inf or (integer := int(number)) != number:
        return number if dtype.kind == "f" else None
    try:
        with np.errstate(over="ignore"):
            held = dtype.type(integer)
        return held if int(held) == integer else None
    except OverflowError:
        return None


def _first(mask: npt.NDArray[np.bool_]) -> int:
    return int(np.argmax(mask))


_LONG = 256
"""Entries of a list from which on numpy is asked what it holds, before one after the other is looked at."""


def as_array(values: npt.ArrayLike, name: str) -> npt.NDArray[Any]:
    """Return any array_like as an array; an entry that is masked or missing has no value, so that it is refused."""
    is_long = isinstance(values, (list, tuple)) and len(values) >= _LONG
    if not is_long:
        refuse_masked(values, name)
    try:
        array = np.asarray(values)
    except (ValueError, UserWarning, np.ma.MaskError) as error:  # rows of different lengths, or masked numbers
        refuse_masked(values, name)
        raise ValueError(f"{name}: {error}") from None
    if is_long and not _are_numbers(values, array):
        refuse_masked(values, name)
    return array


def _are_numbers(values: Any, array: npt.NDArray[Any]) -> bool:
    """Return whether a list, or one of lists, holds nothing but numbers, as what numpy has made of it says.

    It makes NaN of a masked number; of a masked array it takes what is below the mask.
    """
    if array.ndim > 2 or (array.ndim == 2 and not set(map(type, values)) <= {list, tuple}):
        return False
    return array.dtype.kind in "iu" or (array.dtype.kind == "f" and not np.isnan(array).any())


def entries_of_dense(matrix: Any, name: str) -> npt.NDArray[Any]:
    """Return the entries of a dense matrix, also those below a mask; of lists without loss.

    Raises
    ------
    ValueError, TypeError
        It has other than two dimensions, or an entry of a list is masked, or no number that int64 or float64 holds.
    """
    values = as_array(np.ma.getdata(matrix) if np.ma.isMaskedArray(matrix) else matrix, name)
    if values.ndim != 2:
        cure = "; it is sparse, and Graph.from_scipy makes a graph of it" if is_sparse(matrix) else ""
        raise ValueError(f"{name} has {values.ndim} dimensions, expected 2{cure}")
    if not isinstance(matrix, Sequence) or values.dtype.kind not in "Of":  # of integers numpy makes integers
        return values
    numbers, columns = np.asarray(matrix, dtype=object).ravel().tolist(), values.shape[1]
    checked = _checked_weights(numbers, values.ravel(), lambda entry: f"{name}[{entry // columns}, {entry % columns}]")
    return checked.reshape(values.shape)


def refuse_masked(values: object, name: str) -> None:
    """Raise ValueError for an array, or a list, of which an entry is masked or missing: it has a position only."""
    if np.ma.isMaskedArray(values) and (mask := np.ma.getmaskarray(values)).any():
        position = ", ".join(map(str, np.argwhere(mask)[0].tolist()))
        raise ValueError(f"{name}[{position}] is masked" if position else f"{name} is masked")
    if (missing := first_missing(values)) is not None:
        raise ValueError(f"{name}[{missing}] is missing")
    if isinstance(values, (list, tuple)):
        kinds = set(map(type, values))
        if kinds <= {list, tuple}:  # of which rows of numbers need no look each
            kinds = set(map(type, itertools.chain.from_iterable(values)))
        if any(issubclass(kind, (np.ma.MaskedArray, list, tuple)) for kind in kinds):
            for index, each in enumerate(values):
                refuse_masked(each, f"{name}[{index}]")


def _vector(values: npt.ArrayLike, name: str) -> npt.NDArray[Any]:
    """Return any array_like of one dimension as an array."""
    array = as_array(values, name)
    if array.ndim == 0 and array.dtype == object:
        raise TypeError(f"{name}: expected a sequence of numbers, got a {type(values).__name__}")
    if array.ndim != 1:
        raise ValueError(f"{name} has {array.ndim} dimensions, expected 1")
    return array


def _integer_vector(values: npt.ArrayLike, name: str) -> npt.NDArray[Any]:
    """Return integers of any width, none of which is outside int64."""
    array = _vector(values, name)
    if array.size == 0 and not isinstance(values, np.ndarray):
        return np.empty(0, dtype=np.int64)
    if isinstance(values, Sequence) and _has_lost_integers(values, array):
        return _python_integers(values, name)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name} has dtype {array.dtype}, expected integers")
    if array.dtype == np.uint64 and array.size and array.max() > _INT64.max:
        where = _first(array > _INT64.max)
        raise ValueError(f"{name}[{where}] = {array[where]} is outside int64")
    return array


def _python_integers(values: Sequence[Any], name: str) -> npt.NDArray[np.int64]:
    """Convert Python numbers of which numpy made no integers."""
    for index, value in enumerate(values):
        if not isinstance(value, _INTEGERS) or isinstance(value, np.timedelta64):
            raise TypeError(f"{name}[{index}] is {value!r}, expected an integer")
        if not _INT64.min <= int(value) <= _INT64.max:
            raise ValueError(f"{name}[{index}] = {value} is outside int64")
    return np.fromiter(values, np.int64, len(values))


def _has_lost_integers(values: Sequence[Any], array: npt.NDArray[Any]) -> bool:
    """Return whether numpy has rounded integers, or could not read the numbers at all."""
    return array.dtype.kind == "O" or (array.dtype.kind == "f" and any(isinstance(each, _INTEGERS) for each in values))


def _vertex_vector(values: npt.ArrayLike, name: str, n: int) -> npt.NDArray[np.int32]:
    """Return vertices in an array of our own, which is checked: another thread may be writing to the given one."""
    array = _integer_vector(values, name)
    own = np.empty(len(array), np.int32)
    others: list[int] = []

    def copy(first: int, last: int) -> None:
        part, given = own[first:last], array[first:last]
        np.copyto(part, given, casting="unsafe")
        if not (0 <= part.min() <= part.max() < n) or (given.dtype != part.dtype and not np.array_equal(part, given)):
            others.append(first)

    in_parts(copy, len(array), array.itemsize)
    if others:
        wrong = (array < 0) | (array >= n)
        if not wrong.any():
            raise ValueError(f"{name} has changed while it was read")
        where = _first(wrong)
        raise ValueError(f"{name}[{where}] = {array[where]} is not a vertex of a graph with {n} vertices")
    return own


def _check_row_pointers(indptr: npt.NDArray[np.int64], edges: int) -> None:
    if len(indptr) == 0 or indptr[0] != 0:
        raise ValueError("indptr[0] must be 0")
    if len(indptr) - 1 > MAX_VERTICES:
        raise ValueError(f"indptr describes more than {MAX_VERTICES} vertices")
    falls = indptr[1:] < indptr[:-1]
    if falls.any():
        where = _first(falls) + 1
        raise ValueError(f"indptr[{where}] = {indptr[where]} is less than the entry before it")
    if indptr[-1] != edges:
        raise ValueError(f"indptr ends at {indptr[-1]}, but there are {edges} indices")


def without_room(matrix: Any) -> Any:
    """Return a compressed matrix whose arrays end with its last entry; SciPy's may have room for more."""
    if matrix.format not in ("csr", "csc", "bsr") or len(matrix.indptr) == 0:
        return matrix
    m, stored = int(matrix.indptr[-1]), min(len(matrix.indices), len(matrix.data))
    if not 0 <= m < stored:
        return matrix
    trimmed = copy.copy(matrix)
    trimmed.indices, trimmed.data = matrix.indices[:m], matrix.data[:m]
    return trimmed


def sparse_entries(matrix: Any) -> tuple[int, npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]:
    """Return the edges that a sparse matrix stores, parallel ones included, as :meth:`Graph.from_scipy` reads them.

    SciPy's compiled conversions follow corrupt arrays out of bounds, so that they only see what has been checked.

    Returns
    -------
    n : int
        Number of rows and of columns.
    rows, columns, values : ndarray
        Where each entry is, and what it is; some may be arrays of the matrix itself.

    Raises
    ------
    ValueError
        The matrix is not square, or its index arrays are corrupt.
    """
    n = _square(matrix.shape)
    matrix = without_room(matrix)
    if matrix.format in ("csr", "csc"):
        pointers, minor = _checked_rows(matrix, n)
        major = np.repeat(np.arange(n, dtype=np.int32), np.diff(pointers))
        return n, *((major, minor) if matrix.format == "csr" else (minor, major)), matrix.data
    if matrix.format == "bsr":
        return n, *_block_entries(matrix, n)
    if matrix.format == "dia":
        if len(matrix.offsets) != len(matrix.data):
            raise ValueError(f"offsets has {len(matrix.offsets)} entries for {len(matrix.data)} diagonals")
        return n, *_diagonal_entries(matrix, n)
    if matrix.format == "lil":
        lengths = list(map(len, matrix.rows))
        if len(lengths) != n or lengths != list(map(len, matrix.data)):
            raise ValueError(f"rows and data differ in length, or are not {n} lists each")
    entries = matrix.tocoo(copy=False)
    rows, columns, values = map(len, (entries.row, entries.col, entries.data))
    if not rows == columns == values:
        raise ValueError(f"matrix has {rows} rows, {columns} columns and {values} weights")
    return n, entries.row, entries.col, entries.data


def _checked_rows(matrix: Any, n: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    """Return row pointers and column indices of a compressed matrix in arrays of our own; in BSR, those of blocks."""
    rows, columns = matrix.blocksize if matrix.format == "bsr" else (1, 1)
    pointers = _integer_vector(matrix.indptr, "indptr").astype(np.int64)
    if len(pointers) != n // rows + 1:
        raise ValueError(f"indptr has {len(pointers)} entries, expected {n // rows + 1}")
    minor = _vertex_vector(matrix.indices, "indices", n // columns)
    _check_row_pointers(pointers, len(minor))
    expected = (len(minor), rows, columns) if matrix.format == "bsr" else (len(minor),)
    if len(matrix.data) != len(minor):
        raise ValueError(f"data has {len(matrix.data)} entries for {len(minor)} indices")
    if matrix.data.shape != expected:
        raise ValueError(f"data has the shape {matrix.data.shape}, expected {expected}")
    return pointers, minor


def _clean_rows(matrix: Any) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[Any]]:
    """Return the edges of a CSR matrix that exist, or of a CSC matrix column by column, in arrays of our own."""
    matrix = without_room(matrix)
    _require_real(matrix.data, "matrix")
    indptr, minor = _checked_rows(matrix, _square(matrix.shape))

    def position(edge: int) -> str:
        index = int(np.searchsorted(indptr, edge, side="right")) - 1, int(minor[edge])
        row, column = index if matrix.format == "csr" else index[::-1]
        return f"matrix[{row}, {column}]"

    return _existing(indptr, minor, *_clean_weights(matrix.data, position))


def _transposed_columns(matrix: Any) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[Any]]:
    """Return the edges of a CSC matrix that exist row by row, in arrays of our own."""
    indptr, targets, weights = transposed(*_clean_rows(matrix))
    targets = targets.copy()  # SciPy gives parts of longer arrays
    return indptr.astype(np.int64), targets, weights.copy()


def _block_entries(matrix: Any, n: int) -> tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]:
    """Return the entries of a BSR matrix that are not 0."""
    rows, columns = matrix.blocksize
    pointers, minor = _checked_rows(matrix, n)
    major = np.repeat(np.arange(n // rows, dtype=np.int32), np.diff(pointers))

    def place(entries: npt.NDArray[np.int64]) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        blocks, inside = np.divmod(entries, rows * columns)
        row, column = np.divmod(inside, columns)
        return rows * major[blocks] + row, columns * minor[blocks] + column

    return _padded_entries(matrix.data, n, place)


def _diagonal_entries(matrix: Any, n: int) -> tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]:
    """Return the entries of a DIA matrix that are not 0; what is stored outside the matrix is none."""
    width, offsets = max(1, matrix.data.shape[1]), matrix.offsets.astype(np.int64)

    def place(entries: npt.NDArray[np.int64]) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        diagonals, column = np.divmod(entries, width)
        return column - offsets[diagonals], column

    return _padded_entries(matrix.data, n, place)


def _padded_entries(
    data: npt.NDArray[Any],
    n: int,
    place: Callable[[npt.NDArray[np.int64]], tuple[npt.NDArray[Any], npt.NDArray[Any]]],
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[Any]]:
    """Return row, column and value of what is not 0 in data, whose positions in the matrix a function returns.

    Some entries at a time: most may be padding, or outside the matrix.
    """
    values = data.reshape(-1)

    def inside(begin: int) -> tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]:
        some = values[begin : begin + _EDGES_AT_ONCE]
        entries = np.flatnonzero(some)
        row, column = place(entries + begin)
        kept = (row >= 0) & (row < n) & (column < n)
        return row[kept], column[kept], some[entries[kept]]

    begins = range(0, len(values), _EDGES_AT_ONCE)
    count = sum(len(inside(begin)[0]) for begin in begins)
    found = np.empty(count, np.int32), np.empty(count, np.int32), np.empty(count, data.dtype)
    first = 0
    for begin in begins:
        parts = inside(begin)
        for whole, part in zip(found, parts, strict=True):
            whole[first : first + len(part)] = part
        first += len(parts[0])
    return found


def _require_real(values: npt.NDArray[Any], name: str) -> None:
    if values.dtype.kind not in "biuf":
        raise TypeError(f"{name} has dtype {values.dtype}, expected real numbers")


def _weight_vector(values: npt.ArrayLike | None, edges: int) -> npt.NDArray[Any]:
    if values is None:
        return np.ones(edges, dtype=np.int32)
    array = _vector(values, "weights")
    if len(array) != edges:
        raise ValueError(f"weights has {len(array)} entries for {edges} edges")
    if isinstance(values, Sequence):
        array = _checked_weights(values, array, "weights[{}]".format)
    _require_real(array, "weights")
    return array


def _checked_weights(
    values: Sequence[Any], array: npt.NDArray[Any], position: Callable[[int], str]
) -> npt.NDArray[Any]:
    """Return what numpy made of Python numbers, unless it has rounded integers or could not read them at all."""
    return _python_weights(values, position) if _has_lost_integers(values, array) else array


def _python_weights(values: Sequence[Any], position: Callable[[int], str]) -> npt.NDArray[Any]:
    """Convert Python numbers without loss: all integers to int64, otherwise to float64."""
    kinds = set(map(type, values))
    wrong = {kind for kind in kinds if not issubclass(kind, _NUMBERS) or issubclass(kind, np.timedelta64)}
    if wrong:
        edge = next(i for i, value in enumerate(values) if type(value) in wrong)
        raise TypeError(f"{position(edge)} is {values[edge]!r}, expected an int or a float")
    integral = all(issubclass(kind, _INTEGERS) for kind in kinds)
    if kinds <= {int, bool}:
        with contextlib.suppress(OverflowError):  # the loop says where
            return np.fromiter(values, np.int64, len(values))
    elif kinds == {float}:
        return np.fromiter(values, np.float64, len(values))
    for edge, value in enumerate(values):
        if isinstance(value, _INTEGERS):
            number = int(value)
            if integral and not _INT64.min <= number <= _INT64.max:
                raise ValueError(f"{position(edge)} = {value} is outside int64")
            if not integral and not _float64_holds(number):
                raise ValueError(f"{position(edge)} = {value} has no exact float64 value; give integers only")
    if integral:
        return np.array(values, dtype=np.int64)
    return np.array(values, dtype=np.longdouble if np.longdouble in kinds else np.float64)


def _float64_holds(number: int) -> bool:
    trailing_zeros = (number & -number).bit_length() - 1
    return number.bit_length() <= 1024 and number.bit_length() - trailing_zeros <= 53


def _narrowest_index(m: int) -> np.dtype[Any]:
    """Return the type of SciPy's indices that holds numbers of edges."""
    return np.dtype(np.int32 if m <= np.iinfo(np.int32).max else np.int64)


def _indices_of(ends: Iterable[npt.NDArray[np.int64]], numbers: npt.NDArray[np.int64]) -> list[npt.NDArray[np.int32]]:
    """Return the indices of vertices among the numbers of all, which are different and not negative."""
    index = np.empty(numbers.max(initial=-1) + 1, np.int32)
    index[numbers] = np.arange(_vertex_count(len(numbers)), dtype=np.int32)
    return [index[side] for side in ends]


def _as_names(numbers: npt.NDArray[np.int64]) -> tuple[int, list[int] | None]:
    """Return numbers of vertices as an offset, if they are consecutive, otherwise as labels."""
    nodes = numbers.tolist()
    first = first_number(nodes)
    return (0, nodes) if first is None else (first, None)


def _weight_between(
    names: Sequence[Any], sources: npt.NDArray[np.int32], targets: npt.NDArray[np.int32]
) -> Callable[[int], str]:
    """Return what says in an error which edge has a weight."""
    return lambda edge: f"weight of edge {(names[sources[edge]], names[targets[edge]])!r}"


def _clean_weights(
    weights: npt.NDArray[Any], position: Callable[[int], str]
) -> tuple[npt.NDArray[Any], npt.NDArray[np.bool_] | None]:
    """Return the weights in a dtype the kernels know, and which edges exist (None: all)."""
    kind, size = weights.dtype.kind, weights.dtype.itemsize
    if kind == "b":
        return np.ones(len(weights), dtype=np.int32), None if weights.all() else weights.copy()
    if kind in "iu":
        whole: npt.NDArray[Any] = weights.astype(weight_dtype(weights.dtype))
        if kind == "u" and size == 8 and (whole < 0).any():
            edge = _first(whole < 0)
            raise ValueError(f"{position(edge)} = {weights[edge]} is outside int64")
        return whole, None
    converted, are_finite = _converted(weights, weight_dtype(weights.dtype))
    if are_finite and size <= 8:
        return converted, None
    if size > 8 and (inexact := (converted != weights) & ~np.isnan(weights)).any():
        edge = _first(inexact)
        raise ValueError(f"{position(edge)} = {weights[edge]!r} has no exact float64 value")
    bad = np.isnan(converted) | np.isneginf(converted)
    if bad.any():
        edge = _first(bad)
        raise ValueError(f"{position(edge)} is {converted[edge]}, expected a number greater than -inf")
    finite = np.isfinite(converted)
    return converted, None if finite.all() else finite


def _same_numbers(first: npt.NDArray[Any], second: npt.NDArray[Any]) -> bool:
    """Whether two arrays hold the same finite numbers, also integers that float64 would round."""
    if not np.array_equal(first, second):
        return False
    if first.dtype.kind == second.dtype.kind:
        return True
    whole, floats = (first, second) if first.dtype.kind == "i" else (second, first)
    return bool((floats < 2.0**63).all()) and np.array_equal(floats.astype(np.int64), whole)


def _converted(weights: npt.NDArray[Any], dtype: np.dtype[Any]) -> tuple[npt.NDArray[Any], bool]:
    """Return floats in a type of floats, and whether all of them are finite."""
    converted, others = np.empty(len(weights), dtype), []

    def convert(first: int, last: int) -> None:
        part = converted[first:last]
        with np.errstate(over="ignore"):
            np.add(weights[first:last], 0, out=part, casting="unsafe")  # -0.0 + 0 is 0.0
        if not (part.min() > -np.inf and part.max() < np.inf):  # neither holds if one is NaN
            others.append(first)

    in_parts(convert, len(weights), dtype.itemsize)
    return converted, not others


def _facts_of(weights: npt.NDArray[Any]) -> dict[str, Any]:
    """Return the largest magnitude of a weight, whether one is negative, and whether all are integers."""
    lows, highs, fractional = [0], [0], [False]

    def look(first: int, last: int) -> None:
        part = weights[first:last]
        lows.append(part.min().item())
        highs.append(part.max().item())
        fractional.append(part.dtype.kind == "f" and not np.array_equal(np.rint(part), part))

    in_parts(look, len(weights), weights.itemsize)
    heaviest: int | float = max(-min(lows), max(highs))
    if len(weights) and weights.dtype.kind == "f":
        heaviest = float(heaviest)
    return {"max_abs_weight": heaviest, "negative": min(lows) < 0, "integral": not any(fractional)}


def _frozen(arrays: _Arrays) -> _Arrays:
    for array in arrays:
        array.flags.writeable = False
    return arrays


def _rows_ascend(indptr: npt.NDArray[np.int64], columns: npt.NDArray[np.int32]) -> bool:
    """Whether the columns of each row ascend, without one that occurs twice."""
    falls: list[int] = []

    def compare(first: int, last: int) -> None:
        if falls:
            return
        later = columns[first + 1 : last + 1] > columns[first:last]
        begin, end = np.searchsorted(indptr, (first + 1, last + 1))
        later[indptr[begin:end] - (first + 1)] = True  # the first of a row
        if not later.all():
            falls.append(first)

    in_parts(compare, max(0, len(columns) - 1), columns.itemsize)
    return not falls


def _existing(
    indptr: npt.NDArray[np.int64],
    indices: npt.NDArray[np.int32],
    weights: npt.NDArray[Any],
    kept: npt.NDArray[np.bool_] | None,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[Any]]:
    """Return compressed arrays without the edges that do not exist; `kept` is as of :func:`_clean_weights`."""
    if kept is not None:
        indptr = _pointers_to_kept(indptr, kept)
        _keep(kept, (indices, weights))
    return indptr, indices, weights


def _pointers_to_kept(indptr: npt.NDArray[np.int64], kept: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """Return how many edges are kept before each pointer; some edges at a time, as every sum takes eight bytes."""
    pointers = np.zeros(len(indptr), np.int64)
    count = done = 0
    for begin in range(0, len(kept), _EDGES_AT_ONCE):
        before = np.concatenate(([0], np.cumsum(kept[begin : begin + _EDGES_AT_ONCE])))
        some = indptr[done : np.searchsorted(indptr, begin + len(before) - 1, side="right")]
        pointers[done : done + len(some)] = count + before[some - begin]
        done += len(some)
        count += int(before[-1])
    return pointers


def _keep(kept: npt.NDArray[np.bool_], arrays: Sequence[npt.NDArray[Any]]) -> None:
    """Leave in arrays of our own what is kept, and give the rest of their memory back."""
    count = 0
    for begin in range(0, len(kept), _EDGES_AT_ONCE):
        some = np.flatnonzero(kept[begin : begin + _EDGES_AT_ONCE]) + begin
        for array in arrays:
            array[count : count + len(some)] = array[some]
        count += len(some)
    _shorten(count, arrays)


def _shorten(count: int, arrays: Iterable[npt.NDArray[Any]]) -> None:
    """Give back the memory behind the first elements of arrays of our own."""
    for array in arrays:
        array.resize(count, refcheck=False)


def _sort_rows(indptr: npt.NDArray[np.int64], columns: npt.NDArray[np.int32], weights: npt.NDArray[Any]) -> None:
    """Bring the columns of each row into ascending order, in place, and the weights with them."""
    import scipy.sparse

    n = len(indptr) - 1
    index = np.int32 if len(columns) < 2**31 else np.int64  # pointers in int64 would make SciPy widen the columns
    matrix = scipy.sparse.csr_array((weights, columns, indptr.astype(index)), shape=(n, n))
    matrix.has_sorted_indices = False
    matrix.sort_indices()
    columns[:], weights[:] = matrix.indices, matrix.data


def _without_parallel_edges(
    indptr: npt.NDArray[Any], columns: npt.NDArray[np.int32], weights: npt.NDArray[Any]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[Any]]:
    """Keep the minimum weight of equal columns, which are adjacent in their row, in the same arrays."""
    edges = len(columns)
    first = np.ones(edges + 1, np.bool_)  # of the edges between two vertices
    np.not_equal(columns[1:], columns[:-1], out=first[1:-1])
    first[indptr] = True
    if first.all():
        return indptr.astype(np.int64), columns, weights
    rows = np.zeros(len(indptr), np.int64)
    begin = kept = row = 0
    while begin < edges:
        end = min(begin + _EDGES_AT_ONCE, edges)
        end += int(np.argmax(first[end:]))
        starts = np.flatnonzero(first[begin:end])
        last = int(np.searchsorted(indptr, end, side="right"))
        for some in range(row, last, _EDGES_AT_ONCE):
            part = slice(some, min(some + _EDGES_AT_ONCE, last))
            rows[part] = kept + np.searchsorted(starts, indptr[part] - begin)
        columns[kept : kept + len(starts)] = columns[begin:end][starts]
        weights[kept : kept + len(starts)] = np.minimum.reduceat(weights[begin:end], starts)
        begin, kept, row = end, kept + len(starts), last
    _shorten(kept, (columns, weights))
    return rows, columns, weights


def _compress(n: int, edges: _Edges) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[Any]]:
    """Sort edges by (source, target), keep the minimum of parallel edges, return CSR arrays of our own."""
    rows, columns, weights = edges
    later = rows[1:] == rows[:-1]
    later &= columns[1:] > columns[:-1]
    later |= rows[1:] > rows[:-1]
    if later.all():
        indptr = np.zeros(n + 1, dtype=np.int64)
        for begin in range(0, len(rows), _EDGES_AT_ONCE):
            some = rows[begin : begin + _EDGES_AT_ONCE]
            counts = np.bincount(some - some[0])
            indptr[some[0] + 1 :][: len(counts)] += counts
        return np.cumsum(indptr, out=indptr), columns, weights
    del rows, columns, later, edges[2]
    pointers, columns, order = _sorted_edges(n, edges)
    weights = weights[order]
    del order
    return _without_parallel_edges(pointers, columns, weights)


def _sorted_edges(n: int, edges: _Edges) -> tuple[npt.NDArray[Any], npt.NDArray[np.int32], npt.NDArray[Any]]:
    """Return where the edges of each row begin, their columns in ascending order, and which edge each of them is.

    By counting, in two passes: by column, and then by row, which keeps the order within a row. The list of rows and
    columns is emptied.
    """
    import scipy.sparse

    columns, rows = edges.pop(), edges.pop()
    number = np.arange(len(rows), dtype=np.int32 if len(rows) < 2**31 else np.int64)
    unsorted = scipy.sparse.coo_array((number, (columns, rows)), shape=(n, n))
    unsorted.has_canonical_format = True  # or else parallel edges, whose numbers these are, would be added up
    del rows, columns, number
    by_column = unsorted.tocsr()
    del unsorted
    by_row = by_column.tocsc()
    del by_column
    return by_row.indptr, by_row.indices.copy(), by_row.data


def edge_sources(graph: Graph) -> npt.NDArray[np.int32]:
    """Return the vertex that each edge leaves, shape (m,)."""
    return np.repeat(np.arange(graph.n, dtype=np.int32), np.diff(graph.indptr))


def transposed(
    indptr: npt.NDArray[np.int64], indices: npt.NDArray[np.int32], values: npt.NDArray[Any]
) -> tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]:
    """Return the CSR arrays of the transposed matrix, the indices of each row in ascending order.

    Entries that occur more than once remain so, in the order in which they stand.
    """
    import scipy.sparse

    n = len(indptr) - 1
    index = np.int32 if len(indices) < 2**31 else np.int64  # pointers in int64 would make SciPy widen the indices
    rows = indices.astype(index, copy=False), indptr.astype(index, copy=False)
    matrix = scipy.sparse.csr_array((values, *rows), shape=(n, n)).tocsc()
    return matrix.indptr, matrix.indices, matrix.data


def is_symmetric(indptr: npt.NDArray[np.int64], indices: npt.NDArray[np.int32], values: npt.NDArray[Any]) -> bool:
    """Whether a matrix, the indices of whose rows ascend, is equal to the transposed one."""
    others = transposed(indptr, indices, values)
    return (
        np.array_equal(indptr, others[0]) and np.array_equal(indices, others[1]) and np.array_equal(values, others[2])
    )
