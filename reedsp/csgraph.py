"""Shortest paths with the functions of ``scipy.sparse.csgraph``: their names, arguments and results, on any device.

What searches runs on the device that ``REEDSP_DEVICE`` names, else on the best one. Distances are float64,
predecessors int32 with -9999 where there is none.

A graph is a sparse matrix or array of any format, where each stored entry is an edge, a stored 0 one of weight 0, and
the minimum of parallel edges counts; or a dense matrix, where a 0 is no edge; or a masked array, where the mask alone
says so. NaN and +inf are no edges wherever they stand, -inf is a ``ValueError``, and complex numbers are a
``TypeError``. With ``directed=False`` each edge can be used in both directions, and the lesser weight counts.
"""

from __future__ import annotations

import warnings
from typing import Any, Literal, NoReturn, overload

import numpy as np
import numpy.typing as npt
import scipy.sparse
from scipy.sparse.csgraph import NegativeCycleError, csgraph_to_dense, csgraph_to_masked
from scipy.sparse.csgraph import construct_dist_matrix as _construct_dist_matrix
from scipy.sparse.csgraph import csgraph_from_masked as _csgraph_from_masked
from scipy.sparse.csgraph import reconstruct_path as _reconstruct_path

from reedsp.algorithms.all_pairs.apsp import apsp
from reedsp.algorithms.routes.k_shortest import yen as _yen
from reedsp.algorithms.single_source.sssp import sssp
from reedsp.algorithms.traversal.bfs import bfs
from reedsp.edges.device_graph import NO_VERTEX
from reedsp.graph.graph import EXACT_IN_FLOAT64, Graph, sparse_entries
from reedsp.typing import AllPairsMethod, CsgraphMethod, MatrixLike

__all__ = [
    "NegativeCycleError",
    "bellman_ford",
    "breadth_first_order",
    "breadth_first_tree",
    "construct_dist_matrix",
    "csgraph_from_dense",
    "csgraph_from_masked",
    "csgraph_masked_from_dense",
    "csgraph_to_dense",
    "csgraph_to_masked",
    "dijkstra",
    "floyd_warshall",
    "johnson",
    "reconstruct_path",
    "shortest_path",
    "yen",
]

_Dist = npt.NDArray[np.float64]
_Vertices = npt.NDArray[np.int32]
_DistAndPred = tuple[_Dist, _Vertices]
_DistPredAndSources = tuple[_Dist, _Vertices, _Vertices]
_NARROW = 32  # vertices of a level


@overload
def shortest_path(
    csgraph: MatrixLike,
    method: CsgraphMethod = "auto",
    directed: bool = True,
    return_predecessors: Literal[False] = False,
    unweighted: bool = False,
    overwrite: bool = False,
    indices: npt.ArrayLike | None = None,
) -> _Dist: ...
@overload
def shortest_path(
    csgraph: MatrixLike,
    method: CsgraphMethod,
    directed: bool,
    return_predecessors: Literal[True],
    unweighted: bool = False,
    overwrite: bool = False,
    indices: npt.ArrayLike | None = None,
) -> _DistAndPred: ...
@overload
def shortest_path(
    csgraph: MatrixLike,
    method: CsgraphMethod = "auto",
    directed: bool = True,
    *,
    return_predecessors: Literal[True],
    unweighted: bool = False,
    overwrite: bool = False,
    indices: npt.ArrayLike | None = None,
) -> _DistAndPred: ...
@overload
def shortest_path(
    csgraph: MatrixLike,
    method: CsgraphMethod = "auto",
    directed: bool = True,
    return_predecessors: bool = False,
    unweighted: bool = False,
    overwrite: bool = False,
    indices: npt.ArrayLike | None = None,
) -> _Dist | _DistAndPred: ...
def shortest_path(
    csgraph: MatrixLike,
    method: CsgraphMethod = "auto",
    directed: bool = True,
    return_predecessors: bool = False,
    unweighted: bool = False,
    overwrite: bool = False,
    indices: npt.ArrayLike | None = None,
) -> _Dist | _DistAndPred:
    """Find shortest paths from some vertices, or from all, to all vertices.

    Parameters
    ----------
    csgraph : sparse matrix or array, array_like or masked array, shape (n, n)
        Weights of the edges; see the module.
    method : {"auto", "FW", "D", "BF", "J"}
        :func:`floyd_warshall`, :func:`dijkstra`, :func:`bellman_ford` or :func:`johnson`. "auto" takes what is fastest
        for the graph and the device.
    directed : bool
        False makes each edge usable in both directions.
    return_predecessors : bool
        Return the trees, too.
    unweighted : bool
        Count edges instead of adding weights.
    overwrite : bool
        As for :func:`floyd_warshall`. Has an effect with the methods "FW" and "auto", without `indices`.
    indices : array_like of int, optional
        Vertices to start from, all by default; negative ones count from the end. Not with "FW".

    Returns
    -------
    dist : ndarray of float64, shape ``indices.shape + (n,)``
        Distances; inf where there is no path.
    predecessors : ndarray of int32, same shape
        Vertex before the last one on each path; -9999 for the start and where there is no path. If asked for.
        Of several it is the start, else the smallest; see the documentation of exactness for zero weights.

    Raises
    ------
    NegativeCycleError
        There is a negative cycle: with "D" and "BF" one that can be reached from `indices`, else anywhere.
    ValueError
        The method is unknown, the graph is not square, a weight is -inf, or an index is out of range.
    TypeError
        The weights are complex.

    Examples
    --------
    >>> from reedsp.csgraph import shortest_path
    >>> dist, predecessors = shortest_path([[0, 7, 2], [0, 0, 0], [0, 1, 0]], indices=0, return_predecessors=True)
    >>> dist
    array([0., 3., 2.])
    >>> predecessors
    array([-9999,     2,     0], dtype=int32)
    """
    if method == "FW":
        if indices is not None:
            raise ValueError("indices: method='FW' finds the paths of all pairs")
        return floyd_warshall(csgraph, directed, return_predecessors, unweighted, overwrite)
    if method == "D":
        graph = _graph(csgraph, directed, unweighted)
        _warn_of_negative_weights(graph)
        return _from_each(graph, indices, return_predecessors)
    if method == "BF":
        return bellman_ford(csgraph, directed, indices, return_predecessors, unweighted)
    if method == "J":
        return johnson(csgraph, directed, indices, return_predecessors, unweighted)
    if method != "auto":
        raise ValueError(f"method = {method!r}, expected 'auto', 'FW', 'D', 'BF' or 'J'")
    graph = _graph(csgraph, directed, unweighted)
    if indices is None:
        return _all_pairs(graph, "auto", return_predecessors, csgraph if overwrite else None)
    _refuse_negative_cycles(graph)
    return _from_each(graph, indices, return_predecessors)


@overload
def floyd_warshall(
    csgraph: MatrixLike,
    directed: bool = True,
    return_predecessors: Literal[False] = False,
    unweighted: bool = False,
    overwrite: bool = False,
) -> _Dist: ...
@overload
def floyd_warshall(
    csgraph: MatrixLike,
    directed: bool,
    return_predecessors: Literal[True],
    unweighted: bool = False,
    overwrite: bool = False,
) -> _DistAndPred: ...
@overload
def floyd_warshall(
    csgraph: MatrixLike,
    directed: bool = True,
    *,
    return_predecessors: Literal[True],
    unweighted: bool = False,
    overwrite: bool = False,
) -> _DistAndPred: ...
@overload
def floyd_warshall(
    csgraph: MatrixLike,
    directed: bool = True,
    return_predecessors: bool = False,
    unweighted: bool = False,
    overwrite: bool = False,
) -> _Dist | _DistAndPred: ...
def floyd_warshall(
    csgraph: MatrixLike,
    directed: bool = True,
    return_predecessors: bool = False,
    unweighted: bool = False,
    overwrite: bool = False,
) -> _Dist | _DistAndPred:
    """Find shortest paths between all pairs of vertices on tiles of the matrix of distances.

    Parameters
    ----------
    csgraph, directed, return_predecessors, unweighted
        As for :func:`shortest_path`.
    overwrite : bool
        Store the distances in `csgraph` and return that memory, if it is an array of float64 in C order.

    Returns
    -------
    dist : ndarray of float64, shape (n, n)
    predecessors : ndarray of int32, shape (n, n)
        As for :func:`shortest_path`.

    Raises
    ------
    NegativeCycleError
        There is a negative cycle; an edge of negative weight from a vertex to itself is one. `csgraph` is unchanged.
    ValueError
        The graph is not square, or is to be overwritten but is read-only.

    Examples
    --------
    >>> from reedsp.csgraph import floyd_warshall
    >>> floyd_warshall([[0, 7, 2], [0, 0, 0], [0, 1, 0]])
    array([[ 0.,  3.,  2.],
           [inf,  0., inf],
           [inf,  1.,  0.]])
    """
    graph = _graph(csgraph, directed, unweighted)
    return _all_pairs(graph, "floyd-warshall", return_predecessors, csgraph if overwrite else None)


@overload
def dijkstra(
    csgraph: MatrixLike,
    directed: bool = True,
    indices: npt.ArrayLike | None = None,
    return_predecessors: Literal[False] = False,
    unweighted: bool = False,
    limit: float = np.inf,
    min_only: bool = False,
) -> _Dist: ...
@overload
def dijkstra(
    csgraph: MatrixLike,
    directed: bool,
    indices: npt.ArrayLike | None,
    return_predecessors: Literal[True],
    unweighted: bool = False,
    limit: float = np.inf,
    min_only: Literal[False] = False,
) -> _DistAndPred: ...
@overload
def dijkstra(
    csgraph: MatrixLike,
    directed: bool = True,
    indices: npt.ArrayLike | None = None,
    *,
    return_predecessors: Literal[True],
    unweighted: bool = False,
    limit: float = np.inf,
    min_only: Literal[False] = False,
) -> _DistAndPred: ...
@overload
def dijkstra(
    csgraph: MatrixLike,
    directed: bool,
    indices: npt.ArrayLike | None,
    return_predecessors: Literal[True],
    unweighted: bool = False,
    limit: float = np.inf,
    *,
    min_only: Literal[True],
) -> _DistPredAndSources: ...
@overload
def dijkstra(
    csgraph: MatrixLike,
    directed: bool = True,
    indices: npt.ArrayLike | None = None,
    *,
    return_predecessors: Literal[True],
    unweighted: bool = False,
    limit: float = np.inf,
    min_only: Literal[True],
) -> _DistPredAndSources: ...
@overload
def dijkstra(
    csgraph: MatrixLike,
    directed: bool = True,
    indices: npt.ArrayLike | None = None,
    return_predecessors: bool = False,
    unweighted: bool = False,
    limit: float = np.inf,
    min_only: bool = False,
) -> _Dist | _DistAndPred | _DistPredAndSources: ...
def dijkstra(
    csgraph: MatrixLike,
    directed: bool = True,
    indices: npt.ArrayLike | None = None,
    return_predecessors: bool = False,
    unweighted: bool = False,
    limit: float = np.inf,
    min_only: bool = False,
) -> _Dist | _DistAndPred | _DistPredAndSources:
    """Find shortest paths from some vertices, or from all, or from the nearest of some.

    Negative weights are answered exactly, by another algorithm, after a warning.

    Parameters
    ----------
    csgraph, directed, indices, return_predecessors, unweighted
        As for :func:`shortest_path`.
    limit : float
        Leave out vertices that are farther away than this; one at exactly this distance is found.
    min_only : bool
        Find paths from the nearest of all `indices`.

    Returns
    -------
    dist : ndarray of float64, shape ``indices.shape + (n,)``, or (n,) with `min_only`
    predecessors : ndarray of int32, same shape
        As for :func:`shortest_path`.
    sources : ndarray of int32, shape (n,)
        The nearest of `indices`, -9999 where there is no path. If predecessors and `min_only` are asked for.

    Raises
    ------
    NegativeCycleError
        A negative cycle can be reached.
    ValueError
        The graph is not square, an index is out of range, or `limit` is negative or NaN.

    Warns
    -----
    UserWarning
        There are negative weights.

    Examples
    --------
    >>> from reedsp.csgraph import dijkstra
    >>> dist, predecessors, sources = dijkstra(
    ...     [[0, 1, 0, 0], [0, 0, 4, 0], [0, 0, 0, 0], [0, 0, 2, 0]],
    ...     indices=[0, 3], min_only=True, return_predecessors=True)
    >>> dist
    array([0., 1., 2., 0.])
    >>> sources
    array([0, 0, 3, 3], dtype=int32)
    """
    if not limit >= 0:
        raise ValueError(f"limit = {limit}, expected a number of at least 0")
    graph = _graph(csgraph, directed, unweighted)
    _warn_of_negative_weights(graph)
    if not min_only:
        return _from_each(graph, indices, return_predecessors, limit)
    found = _from_nearest(graph, _vertices(indices, graph.n).ravel(), limit)
    return found if return_predecessors else found[0]


@overload
def bellman_ford(
    csgraph: MatrixLike,
    directed: bool = True,
    indices: npt.ArrayLike | None = None,
    return_predecessors: Literal[False] = False,
    unweighted: bool = False,
) -> _Dist: ...
@overload
def bellman_ford(
    csgraph: MatrixLike,
    directed: bool,
    indices: npt.ArrayLike | None,
    return_predecessors: Literal[True],
    unweighted: bool = False,
) -> _DistAndPred: ...
@overload
def bellman_ford(
    csgraph: MatrixLike,
    directed: bool = True,
    indices: npt.ArrayLike | None = None,
    *,
    return_predecessors: Literal[True],
    unweighted: bool = False,
) -> _DistAndPred: ...
@overload
def bellman_ford(
    csgraph: MatrixLike,
    directed: bool = True,
    indices: npt.ArrayLike | None = None,
    return_predecessors: bool = False,
    unweighted: bool = False,
) -> _Dist | _DistAndPred: ...
def bellman_ford(
    csgraph: MatrixLike,
    directed: bool = True,
    indices: npt.ArrayLike | None = None,
    return_predecessors: bool = False,
    unweighted: bool = False,
) -> _Dist | _DistAndPred:
    """Find shortest paths from some vertices, or from all; weights may be negative.

    Parameters
    ----------
    csgraph, directed, indices, return_predecessors, unweighted
        As for :func:`shortest_path`.

    Returns
    -------
    dist : ndarray of float64, shape ``indices.shape + (n,)``
    predecessors : ndarray of int32, same shape
        As for :func:`shortest_path`.

    Raises
    ------
    NegativeCycleError
        A negative cycle can be reached from one of `indices`. The error has one in its attribute ``cycle``.
    ValueError
        The graph is not square, or an index is out of range.

    Examples
    --------
    >>> from reedsp.csgraph import bellman_ford
    >>> bellman_ford([[0, 7, 2], [0, 0, 0], [0, -1, 0]], indices=0)
    array([0., 1., 2.])
    """
    return _from_each(_graph(csgraph, directed, unweighted), indices, return_predecessors)


@overload
def johnson(
    csgraph: MatrixLike,
    directed: bool = True,
    indices: npt.ArrayLike | None = None,
    return_predecessors: Literal[False] = False,
    unweighted: bool = False,
) -> _Dist: ...
@overload
def johnson(
    csgraph: MatrixLike,
    directed: bool,
    indices: npt.ArrayLike | None,
    return_predecessors: Literal[True],
    unweighted: bool = False,
) -> _DistAndPred: ...
@overload
def johnson(
    csgraph: MatrixLike,
    directed: bool = True,
    indices: npt.ArrayLike | None = None,
    *,
    return_predecessors: Literal[True],
    unweighted: bool = False,
) -> _DistAndPred: ...
@overload
def johnson(
    csgraph: MatrixLike,
    directed: bool = True,
    indices: npt.ArrayLike | None = None,
    return_predecessors: bool = False,
    unweighted: bool = False,
) -> _Dist | _DistAndPred: ...
def johnson(
    csgraph: MatrixLike,
    directed: bool = True,
    indices: npt.ArrayLike | None = None,
    return_predecessors: bool = False,
    unweighted: bool = False,
) -> _Dist | _DistAndPred:
    """Find shortest paths from some vertices, or from all; weights may be negative, but nowhere a cycle.

    Parameters
    ----------
    csgraph, directed, indices, return_predecessors, unweighted
        As for :func:`shortest_path`.

    Returns
    -------
    dist : ndarray of float64, shape ``indices.shape + (n,)``
    predecessors : ndarray of int32, same shape
        As for :func:`shortest_path`.

    Raises
    ------
    NegativeCycleError
        There is a negative cycle, whether it can be reached from one of `indices` or not.
    ValueError
        The graph is not square, or an index is out of range.

    Examples
    --------
    >>> from reedsp.csgraph import johnson
    >>> johnson([[0, 7, 2], [0, 0, 0], [0, -1, 0]], indices=[0, 2])
    array([[ 0.,  1.,  2.],
           [inf, -1.,  0.]])
    """
    graph = _graph(csgraph, directed, unweighted)
    if indices is None:
        whole = graph.has_integral_weights and graph.simple_path_bound + graph.max_abs_weight <= EXACT_IN_FLOAT64
        by_searches = whole or not graph.has_negative_weights
        return _all_pairs(graph, "johnson" if by_searches else "auto", return_predecessors)
    _refuse_negative_cycles(graph)
    return _from_each(graph, indices, return_predecessors)


@overload
def yen(
    csgraph: MatrixLike,
    source: int,
    sink: int,
    K: int,
    *,
    directed: bool = True,
    return_predecessors: Literal[False] = False,
    unweighted: bool = False,
) -> _Dist: ...
@overload
def yen(
    csgraph: MatrixLike,
    source: int,
    sink: int,
    K: int,
    *,
    directed: bool = True,
    return_predecessors: Literal[True],
    unweighted: bool = False,
) -> _DistAndPred: ...
@overload
def yen(
    csgraph: MatrixLike,
    source: int,
    sink: int,
    K: int,
    *,
    directed: bool = True,
    return_predecessors: bool = False,
    unweighted: bool = False,
) -> _Dist | _DistAndPred: ...
def yen(
    csgraph: MatrixLike,
    source: int,
    sink: int,
    K: int,
    *,
    directed: bool = True,
    return_predecessors: bool = False,
    unweighted: bool = False,
) -> _Dist | _DistAndPred:
    """Find the K shortest simple paths between two vertices.

    Parameters
    ----------
    csgraph, directed, return_predecessors, unweighted
        As for :func:`shortest_path`. Weights may be negative.
    source, sink : int
        Where the paths start and end, 0 .. n-1.
    K : int
        Number of paths; fewer are found if there are no more.

    Returns
    -------
    dist : ndarray of float64, shape (k,)
        Weight of each path, ascending.
    predecessors : ndarray of int32, shape (k, n)
        Vertex before each one on a path; -9999 for the start and for vertices that are not on it. If asked for.
        The order of equally long paths is that of :func:`reedsp.yen`.

    Raises
    ------
    NegativeCycleError
        There is a negative cycle anywhere.
    ValueError
        `source`, `sink` or `K` is out of range, or the graph is not square.

    Examples
    --------
    >>> from reedsp.csgraph import yen
    >>> yen([[0, 1, 2, 0], [0, 0, 0, 1], [2, 0, 0, 3], [0, 0, 0, 0]], 0, 3, K=2, return_predecessors=True)
    (array([2., 5.]), array([[-9999,     0, -9999,     1],
           [-9999, -9999,     0,     2]], dtype=int32))
    """
    graph = _graph(csgraph, directed, unweighted)
    for name, vertex in (("source", source), ("sink", sink)):
        if not 0 <= vertex < graph.n:
            raise ValueError(f"{name} = {vertex}: must have 0 <= {name} < {graph.n}")
    _refuse_negative_cycles(graph)
    paths = _yen(graph, source, sink, K)
    dist: npt.NDArray[Any] = paths.dist
    if not return_predecessors:
        return dist
    predecessors = np.full((len(paths), graph.n), NO_VERTEX, np.int32)
    rows = np.repeat(np.arange(len(paths)), np.diff(paths.routes.indptr))
    same = rows[1:] == rows[:-1]
    vertices = paths.routes.vertices
    predecessors[rows[1:][same], vertices[1:][same]] = vertices[:-1][same]
    return dist, predecessors


@overload
def breadth_first_order(
    csgraph: MatrixLike, i_start: int, directed: bool = True, return_predecessors: Literal[True] = True
) -> tuple[_Vertices, _Vertices]: ...
@overload
def breadth_first_order(
    csgraph: MatrixLike, i_start: int, directed: bool, return_predecessors: Literal[False]
) -> _Vertices: ...
@overload
def breadth_first_order(
    csgraph: MatrixLike, i_start: int, directed: bool = True, *, return_predecessors: Literal[False]
) -> _Vertices: ...
@overload
def breadth_first_order(
    csgraph: MatrixLike, i_start: int, directed: bool = True, return_predecessors: bool = True
) -> _Vertices | tuple[_Vertices, _Vertices]: ...
def breadth_first_order(
    csgraph: MatrixLike, i_start: int, directed: bool = True, return_predecessors: bool = True
) -> _Vertices | tuple[_Vertices, _Vertices]:
    """List the vertices that can be reached from one, those behind fewer edges first.

    The device finds the levels. Within one they are listed as a queue would have them: in the order of the vertices
    before them, and those behind the same one ascending.

    Parameters
    ----------
    csgraph, directed
        As for :func:`shortest_path`. Without direction, edges that leave a vertex come before those that end there.
    i_start : int
        Vertex to start from, 0 .. n-1.
    return_predecessors : bool
        Return the tree, too.

    Returns
    -------
    node_array : ndarray of int32
        Vertices; `i_start` is the first.
    predecessors : ndarray of int32, shape (n,)
        Of the vertices one level below that have an edge to this one, the first in `node_array`; -9999 for `i_start`
        and what cannot be reached. If asked for.

    Raises
    ------
    ValueError
        The graph is not square, or has no such vertex.

    Examples
    --------
    >>> from reedsp.csgraph import breadth_first_order
    >>> breadth_first_order([[0, 1, 1, 0], [0, 0, 0, 1], [0, 0, 0, 1], [0, 0, 0, 0]], 0)
    (array([0, 1, 2, 3], dtype=int32), array([-9999,     0,     0,     1], dtype=int32))
    """
    graph = _graph(csgraph, directed=True, unweighted=True)
    start = int(i_start)
    if not 0 <= start < graph.n:
        raise ValueError(f"i_start = {i_start} is not a vertex of a graph with {graph.n} vertices")
    tails = np.repeat(np.arange(graph.n, dtype=np.int32), np.diff(graph.indptr))
    heads = graph.indices
    searched = graph
    if not directed:
        searched = Graph(graph.indptr, graph.indices, directed=False)
        tails, heads = np.concatenate((tails, heads)), np.concatenate((heads, tails))
        outward = np.argsort(tails, kind="stable")
        tails, heads = tails[outward], heads[outward]
    order, predecessors = _queue_order(tails, heads, bfs(searched, start).levels, start)
    return (order, predecessors) if return_predecessors else order


def breadth_first_tree(csgraph: MatrixLike, i_start: int, directed: bool = True) -> Any:
    """Return the edges by which :func:`breadth_first_order` reaches each vertex.

    Parameters
    ----------
    csgraph, i_start, directed
        As for :func:`breadth_first_order`.

    Returns
    -------
    csr_array or csr_matrix of float64, shape (n, n)
        The weights of these edges, from the vertex nearer to `i_start` to the other one. A ``csr_matrix`` if `csgraph`
        is a matrix rather than an array.

    Raises
    ------
    ValueError
        The graph is not square, or has no such vertex.

    Examples
    --------
    >>> from reedsp.csgraph import breadth_first_tree
    >>> breadth_first_tree([[0, 5, 4, 0], [0, 0, 0, 3], [0, 0, 0, 2], [0, 0, 0, 0]], 0).toarray()
    array([[0., 5., 4., 0.],
           [0., 0., 0., 3.],
           [0., 0., 0., 0.],
           [0., 0., 0., 0.]])
    """
    _, predecessors = breadth_first_order(csgraph, i_start, directed)
    return reconstruct_path(csgraph, predecessors, directed)


# ---- conversions, which search nothing --------------------------------------------------------------


def reconstruct_path(csgraph: MatrixLike, predecessors: npt.ArrayLike, directed: bool = True) -> Any:
    """Return the tree that predecessors describe, with the weights of the graph.

    Parameters
    ----------
    csgraph, directed
        As for :func:`shortest_path`.
    predecessors : array_like of int32, shape (n,)
        Vertex before each one; negative where there is none.

    Returns
    -------
    csr_array or csr_matrix of float64, shape (n, n)
        As for :func:`breadth_first_tree`.

    Examples
    --------
    >>> from reedsp.csgraph import reconstruct_path
    >>> reconstruct_path([[0, 7, 2], [0, 0, 0], [0, 3, 0]], [-9999, 2, 0]).toarray()
    array([[0., 0., 2.],
           [0., 0., 0.],
           [0., 3., 0.]])
    """
    tree = _reconstruct_path(_weight_matrix(csgraph, directed), np.asarray(predecessors))
    from_scipy = getattr(type(csgraph), "from_scipy_sparse", None)  # an array of pydata's sparse
    return tree if from_scipy is None else from_scipy(tree)


def construct_dist_matrix(
    graph: MatrixLike, predecessors: npt.NDArray[np.int32], directed: bool = True, null_value: float = np.inf
) -> npt.NDArray[np.float64]:
    """Add up the weights along the paths that predecessors describe.

    Parameters
    ----------
    graph, directed
        As for :func:`shortest_path`.
    predecessors : ndarray of int32, shape (n, n)
        Vertex before the last one on each path; negative where there is none.
    null_value : float
        What stands where there is no path.

    Returns
    -------
    ndarray of float64, shape (n, n)

    Examples
    --------
    >>> from reedsp.csgraph import construct_dist_matrix, shortest_path
    >>> graph = [[0, 7, 2], [0, 0, 0], [0, 3, 0]]
    >>> _, predecessors = shortest_path(graph, return_predecessors=True)
    >>> construct_dist_matrix(graph, predecessors)
    array([[ 0.,  5.,  2.],
           [inf,  0., inf],
           [inf,  3.,  0.]])
    """
    predecessors = np.asarray(predecessors)
    if predecessors.dtype != np.int32:  # SciPy before 1.16 gives zeros for others
        raise TypeError(f"predecessors: expected an array of int32, got {predecessors.dtype}")
    matrix = _weight_matrix(graph, directed)
    return _construct_dist_matrix(matrix, predecessors, null_value=null_value)  # type: ignore[no-any-return]


def csgraph_masked_from_dense(
    graph: npt.ArrayLike,
    null_value: float | None = 0,
    nan_null: bool = True,
    infinity_null: bool = True,
    copy: bool = True,
) -> np.ma.MaskedArray[Any, Any]:
    """Return a dense matrix with a mask over the entries that are no edges.

    Parameters
    ----------
    graph : array_like, shape (n, n)
    null_value : float or None
        Entries equal to this are no edges.
    nan_null, infinity_null : bool
        Neither are those that are NaN, or infinite.
    copy : bool
        False shares the memory of `graph` where possible.

    Returns
    -------
    MaskedArray

    Raises
    ------
    ValueError
        The matrix is not square.
    TypeError
        Its numbers are complex.

    Examples
    --------
    >>> import numpy as np
    >>> from reedsp.csgraph import csgraph_masked_from_dense
    >>> csgraph_masked_from_dense([[0, 7], [np.inf, 0]]).mask
    array([[ True, False],
           [ True,  True]])
    """
    values = np.array(graph, copy=True if copy else None)
    _refuse_complex(values.dtype, "graph")
    if values.ndim != 2 or values.shape[0] != values.shape[1]:
        raise ValueError(f"graph has shape {values.shape}, expected a square matrix")
    absent = np.zeros(values.shape, bool) if null_value is None else np.asarray(values == null_value)
    if nan_null or (null_value is not None and np.isnan(null_value)):
        absent |= np.isnan(values)
    if infinity_null or (null_value is not None and np.isinf(null_value)):
        absent |= np.isinf(values)
    fill_value = null_value if null_value is not None and np.isfinite(null_value) else None
    return np.ma.MaskedArray(values, absent, copy=False, fill_value=fill_value)


def csgraph_from_dense(
    graph: npt.ArrayLike, null_value: float | None = 0, nan_null: bool = True, infinity_null: bool = True
) -> Any:
    """Return the edges of a dense matrix as a sparse one.

    Parameters
    ----------
    graph, null_value, nan_null, infinity_null
        As for :func:`csgraph_masked_from_dense`.

    Returns
    -------
    csr_array or csr_matrix of float64, shape (n, n)
        A ``csr_matrix`` if `graph` is a ``numpy.matrix``.

    Raises
    ------
    ValueError
        The matrix is not square.
    TypeError
        Its numbers are complex.

    Examples
    --------
    >>> import numpy as np
    >>> from reedsp.csgraph import csgraph_from_dense
    >>> csgraph_from_dense([[0, 7], [np.inf, 0]]).nnz
    1
    """
    edges = _csgraph_from_masked(csgraph_masked_from_dense(graph, null_value, nan_null, infinity_null, copy=False))
    return scipy.sparse.csr_matrix(edges) if isinstance(graph, np.matrix) else edges


def csgraph_from_masked(graph: np.ma.MaskedArray[Any, Any]) -> Any:
    """Return the entries of a masked array that are not masked as a sparse array.

    Parameters
    ----------
    graph : MaskedArray, shape (n, n)

    Returns
    -------
    csr_array of float64, shape (n, n)

    Raises
    ------
    TypeError
        The numbers are complex.

    Examples
    --------
    >>> import numpy as np
    >>> from reedsp.csgraph import csgraph_from_masked
    >>> csgraph_from_masked(np.ma.masked_equal([[-1, 7], [0, -1]], -1)).nnz     # the 0 is an edge
    2
    """
    _refuse_complex(graph.dtype, "graph")
    return _csgraph_from_masked(np.ma.MaskedArray(graph, np.ma.getmaskarray(graph)))


# ---- what a graph is --------------------------------------------------------------------------------


def _graph(csgraph: Any, directed: bool, unweighted: bool = False) -> Graph:
    """Return the graph of a matrix, with weights in float64, or 1."""
    if hasattr(csgraph, "to_scipy_sparse"):  # an array of pydata's sparse
        csgraph = csgraph.to_scipy_sparse(accept_fv=[0, np.nan, np.inf])
    if scipy.sparse.issparse(csgraph):
        _refuse_complex(csgraph.dtype, "csgraph")
        n, sources, targets, values = sparse_entries(csgraph)
        weights = values.astype(np.float64)
        if (endless := np.isneginf(weights)).any():
            _refuse_endless(sources[edge := int(np.argmax(endless))], targets[edge])
        kept = np.isfinite(weights)
        return Graph.from_edges(n, sources[kept], targets[kept], None if unweighted else weights[kept], directed)
    weights = np.asarray(np.ma.getdata(csgraph))
    if weights.ndim != 2:
        raise ValueError(f"csgraph has {weights.ndim} dimensions, expected 2")
    _refuse_complex(weights.dtype, "csgraph")
    weights = weights.astype(np.float64, order="C", copy=False)
    absent = np.ma.getmaskarray(csgraph) if np.ma.isMaskedArray(csgraph) else weights == 0
    if (endless := np.isneginf(weights) & ~absent).any():
        _refuse_endless(*divmod(int(np.argmax(endless)), weights.shape[1]))
    absent = absent | ~np.isfinite(weights)
    return Graph.from_dense(np.ma.MaskedArray(np.ones_like(weights) if unweighted else weights, absent), directed)


def _refuse_complex(dtype: np.dtype[Any], name: str) -> None:
    if dtype.kind == "c":  # of which a conversion would drop a part
        raise TypeError(f"{name} has dtype {dtype}, expected real numbers")


def _refuse_endless(row: int, column: int) -> NoReturn:
    raise ValueError(f"csgraph[{row}, {column}] is -inf, expected a number greater than -inf")


def _weight_matrix(csgraph: Any, directed: bool) -> Any:
    """Return the graph in the one form that SciPy's conversions never misread, and of the kind that they return."""
    edges = _graph(csgraph, directed).to_scipy()
    is_matrix = isinstance(csgraph, (np.matrix, scipy.sparse.spmatrix))
    return scipy.sparse.csr_matrix(edges) if is_matrix else edges


def _vertices(indices: npt.ArrayLike | None, n: int) -> npt.NDArray[np.int64]:
    """Return the vertices to start from, all by default, in an array of the shape given."""
    if indices is None:
        return np.arange(n)
    given = np.asarray(indices)
    vertices = given.astype(np.int64)
    if vertices.size and not (-n <= vertices.min() <= vertices.max() < n and (vertices == given).all()):
        raise ValueError(f"indices: not all are vertices of a graph with {n} vertices")
    return vertices % max(1, n)


# ---- searches ---------------------------------------------------------------------------------------


def _all_pairs(
    graph: Graph, method: AllPairsMethod, return_predecessors: bool, overwritten: Any = None
) -> _Dist | _DistAndPred:
    paths = apsp(graph, method, return_predecessors)
    dist: npt.NDArray[Any] = paths.dist
    if paths.pred is not None:
        _take_direct_edges(graph, np.arange(graph.n), dist, paths.pred)
    if isinstance(overwritten, np.ndarray) and overwritten.dtype == np.float64 and overwritten.flags.c_contiguous:
        place = np.asarray(np.ma.getdata(overwritten))
        place[...] = dist
        dist = place
    return dist if paths.pred is None else (dist, paths.pred)


def _from_each(
    graph: Graph, indices: npt.ArrayLike | None, return_predecessors: bool, limit: float = np.inf
) -> _Dist | _DistAndPred:
    vertices = _vertices(indices, graph.n)
    if indices is None and limit == np.inf:
        # Fractional sums are those of Dijkstra's algorithm, added from the start of a path, if each vertex searches.
        searches = not (graph.has_integral_weights or graph.has_negative_weights)
        return _all_pairs(graph, "johnson" if searches else "auto", return_predecessors)
    dist, predecessors = _rows(graph, vertices.ravel(), limit)
    shape = (*vertices.shape, graph.n)
    if not return_predecessors:
        return dist.reshape(shape)
    _take_direct_edges(graph, vertices.ravel(), dist, predecessors)
    return dist.reshape(shape), predecessors.reshape(shape)


def _rows(
    graph: Graph, vertices: npt.NDArray[np.int64], limit: float
) -> tuple[npt.NDArray[Any], npt.NDArray[np.int32]]:
    """Return distances and predecessors from each vertex, without those beyond the limit."""
    if not graph.has_negative_weights:
        paths = sssp(graph, vertices, cutoff=float(limit))
        return paths.dist, paths.pred
    paths = sssp(graph, vertices)
    beyond = paths.dist > limit
    return np.where(beyond, np.inf, paths.dist), np.where(beyond, np.int32(NO_VERTEX), paths.pred)


def _take_direct_edges(
    graph: Graph, sources: npt.NDArray[np.int64], dist: npt.NDArray[Any], predecessors: npt.NDArray[np.int32]
) -> None:
    """Of equally short paths take the edge from the source, if it is one, as all of SciPy's algorithms do."""
    edges, counts = _edges_from(sources, graph.indptr)
    rows, heads = np.repeat(np.arange(len(sources)), counts), graph.indices[edges]
    shortest = (dist[rows, heads] == graph.weights[edges]) & (sources[rows] != heads)
    rows, heads = rows[shortest], heads[shortest]
    predecessors[rows, heads] = sources[rows]


def _warn_of_negative_weights(graph: Graph) -> None:
    if graph.has_negative_weights:
        warnings.warn("csgraph has negative weights; Bellman-Ford's algorithm answers them", stacklevel=3)


def _from_nearest(
    graph: Graph, vertices: npt.NDArray[np.int64], limit: float
) -> tuple[npt.NDArray[Any], npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Return distances, predecessors and sources of the paths from the nearest of several vertices."""
    if len(vertices) == 0:
        none = np.full(graph.n, NO_VERTEX, np.int32)
        return np.full(graph.n, np.inf), none, none.copy()
    if not graph.has_negative_weights:
        paths = sssp(graph, vertices, cutoff=float(limit), min_only=True)
        assert paths.nearest is not None
        return paths.dist, paths.pred, paths.nearest
    dist, predecessors = _rows(graph, vertices, limit)
    # Of several nearest vertices the first: the vertex before the last one on a path has the same, so a tree it stays.
    row, column = dist.argmin(axis=0), np.arange(graph.n)
    minimum = dist[row, column]
    sources = np.where(minimum < np.inf, vertices[row], NO_VERTEX).astype(np.int32)
    return minimum, predecessors[row, column], sources


def _refuse_negative_cycles(graph: Graph) -> None:
    """Raise NegativeCycleError if there is a negative cycle anywhere.

    All of them can be reached from a vertex of its own, from which an edge of weight 0 leads to each vertex.
    """
    if not graph.has_negative_weights:
        return
    n = graph.n
    sources = np.repeat(np.arange(n), np.diff(graph.indptr))
    sssp(
        Graph.from_edges(
            n + 1,
            np.append(sources, np.full(n, n)),
            np.append(graph.indices, np.arange(n)),
            np.append(graph.weights, np.zeros(n)),
        ),
        n,
    )


def _queue_order(
    tails: npt.NDArray[np.int32], heads: npt.NDArray[np.int32], levels: npt.NDArray[np.int32], start: int
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Return the reached vertices in the order of a queue, and the one that each was put there by.

    Parameters
    ----------
    tails, heads : ndarray of int32
        Edges, grouped by tail, in the order in which a vertex looks at them.
    levels : ndarray of int32, shape (n,)
    start : int
    """
    down = levels[heads] == levels[tails] + 1
    tails, heads = tails[down], heads[down]
    first_edge = np.searchsorted(tails, np.arange(len(levels) + 1))
    predecessors = np.full(len(levels), NO_VERTEX, np.int32)
    queue = [np.array([start], np.int32)]
    while len(queue[-1]):
        level = queue[-1]
        if len(level) < _NARROW:  # a loop takes less time than numpy's calls
            found: dict[int, int] = {}
            for vertex in level.tolist():
                for head in heads[first_edge[vertex] : first_edge[vertex + 1]].tolist():
                    found.setdefault(head, vertex)
            below = np.array([*found], np.int32)
            predecessors[below] = [*found.values()]
        else:
            edges, _ = _edges_from(level, first_edge)
            edges = edges[np.sort(np.unique(heads[edges], return_index=True)[1])]
            below = heads[edges]
            predecessors[below] = tails[edges]
        queue.append(below)
    return np.concatenate(queue), predecessors


def _edges_from(
    vertices: npt.NDArray[Any], first_edge: npt.NDArray[Any]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the edges that leave each of several vertices, one vertex after the other, and how many each has."""
    counts = first_edge[vertices + 1] - first_edge[vertices]
    begins = np.cumsum(counts) - counts
    return np.arange(counts.sum()) + np.repeat(first_edge[vertices] - begins, counts), counts
