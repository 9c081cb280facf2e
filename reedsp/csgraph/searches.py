"""Shortest paths: the searches of SciPy's module."""

from __future__ import annotations

import warnings
from typing import Any, Literal, overload

import numpy as np
import numpy.typing as npt

from reedsp.algorithms.all_pairs.apsp import apsp
from reedsp.algorithms.routes.k_shortest import yen as _yen
from reedsp.algorithms.single_source.sssp import nearest_source, rows_from, sssp
from reedsp.algorithms.traversal.queue_order import queue_distances
from reedsp.arithmetic.paths import has_exact_sums
from reedsp.cost_model.counts import TILE
from reedsp.cost_model.place import (
    is_counted_on_cpu_device,
    is_forest_for_host,
    is_matrix_for_host,
)
from reedsp.csgraph.matrix import are_plain, compressed_rows, edges_from, graph_of, number, vertices_of
from reedsp.csgraph.nearest import nearest_on_host, within
from reedsp.csgraph.on_host import FEW_TO_SEARCH, all_pairs_on_host, search_on_host, without_edges
from reedsp.csgraph.small import small_matrix
from reedsp.csgraph.yen_on_host import yen_on_host
from reedsp.device.discovery import get_device
from reedsp.device.job import Job
from reedsp.edges.device_graph import NO_VERTEX
from reedsp.edges.preparation import MatrixRows
from reedsp.graph.dense import DenseWeights
from reedsp.graph.graph import Graph
from reedsp.system.options import integer
from reedsp.system.parts import in_parts
from reedsp.typing import AllPairsMethod, CsgraphMethod, MatrixLike

_Dist = npt.NDArray[np.float64]
_Vertices = npt.NDArray[np.int32]
_DistAndPred = tuple[_Dist, _Vertices]
_DistPredAndSources = tuple[_Dist, _Vertices, _Vertices]


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
    directed, return_predecessors, unweighted = bool(directed), bool(return_predecessors), bool(unweighted)
    if method == "FW":
        if indices is not None:
            raise ValueError("indices: method='FW' finds the paths of all pairs")
        return floyd_warshall(csgraph, directed, return_predecessors, unweighted, overwrite)
    if method in ("D", "auto"):
        given = csgraph, directed, indices, return_predecessors, unweighted
        found = search_on_host(*given, **dict.fromkeys(("auto", "signed", "everywhere"), method == "auto"))
        if found is not None:
            return _stored(found, csgraph) if overwrite and method == "auto" and indices is None else found
    if method == "D":
        graph = graph_of(csgraph, directed, unweighted)
        _warn_of_negative_weights(graph)
        return _from_each(graph, indices, return_predecessors)
    if method == "BF":
        return bellman_ford(csgraph, directed, indices, return_predecessors, unweighted)
    if method == "J":
        return johnson(csgraph, directed, indices, return_predecessors, unweighted)
    if method != "auto":
        raise ValueError(f"method = {method!r}, expected 'auto', 'FW', 'D', 'BF' or 'J'")
    graph = graph_of(csgraph, directed, unweighted)
    if indices is None:
        searches = graph.n <= FEW_TO_SEARCH and _sums_are_rounded(graph)
        return _all_pairs(graph, "johnson" if searches else "auto", return_predecessors, csgraph if overwrite else None)
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
    directed, return_predecessors, unweighted = bool(directed), bool(return_predecessors), bool(unweighted)
    if (small := small_matrix(csgraph, unweighted, signed=True)) is not None:
        n, found = small.matrix.shape[0], None
        if len(small.matrix.data) == 0:
            found = without_edges(np.arange(n), n, return_predecessors)
        elif (is_forest_for_host if return_predecessors else is_matrix_for_host)(n):
            found = all_pairs_on_host(small, directed, return_predecessors, unweighted, rounded=n <= TILE)
        if found is not None:
            return _stored(found, csgraph) if overwrite else found
    graph = graph_of(csgraph, directed, unweighted)
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
        As for :func:`shortest_path`; with `min_only` the smallest of several, also where a start is one of them.
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
    directed, return_predecessors, unweighted = bool(directed), bool(return_predecessors), bool(unweighted)
    if type(limit) is not float:  # numpy's own would have distances rounded to their type to be compared
        limit = _as_float(limit)
    if not limit >= 0:
        raise ValueError(f"limit = {limit}, expected a number of at least 0")
    if min_only or limit < np.inf:
        near = _near(csgraph, directed, indices, return_predecessors, unweighted, limit, min_only)
        if near is not None:
            return near
    counts = unweighted and directed and not (min_only or return_predecessors)
    if counts and (counted := _edges_to_each(csgraph, indices, limit)) is not None:
        return counted
    found = None if min_only else search_on_host(csgraph, directed, indices, return_predecessors, unweighted, limit)
    if found is not None:
        return found
    graph, looked = graph_of(csgraph, directed, unweighted), directed and compressed_rows(csgraph) is not None
    _warn_of_negative_weights(graph)
    if not min_only:
        return _from_each(graph, indices, return_predecessors, limit, looked=looked)
    nearest = _from_nearest(graph, vertices_of(indices, graph.n).ravel(), limit, looked)
    return nearest if return_predecessors else nearest[0]


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
    directed, return_predecessors, unweighted = bool(directed), bool(return_predecessors), bool(unweighted)
    found = search_on_host(csgraph, directed, indices, return_predecessors, unweighted, signed=True)
    if found is not None:
        return found
    return _from_each(graph_of(csgraph, directed, unweighted), indices, return_predecessors)


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
    directed, return_predecessors, unweighted = bool(directed), bool(return_predecessors), bool(unweighted)
    found = search_on_host(csgraph, directed, indices, return_predecessors, unweighted, signed=True, everywhere=True)
    if found is not None:
        return found
    graph = graph_of(csgraph, directed, unweighted)
    if indices is None:
        by_searches = _sums_are_integers(graph) or not graph.has_negative_weights
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
    directed, return_predecessors, unweighted = bool(directed), bool(return_predecessors), bool(unweighted)
    source, sink, K = integer(source, "source"), integer(sink, "sink"), integer(K, "K")
    if K < 0:
        raise ValueError(f"K = {K}, expected at least 0")
    if (found := yen_on_host(csgraph, source, sink, K, directed, return_predecessors, unweighted)) is not None:
        return found
    graph = graph_of(csgraph, directed, unweighted)
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


# ---- searches ---------------------------------------------------------------------------------------


def _all_pairs(
    graph: Graph, method: AllPairsMethod, return_predecessors: bool, overwritten: Any = None
) -> _Dist | _DistAndPred:
    paths = apsp(graph, method, return_predecessors, out=_memory_of(overwritten))
    dist: npt.NDArray[Any] = paths.dist
    if paths.pred is not None and graph.dense is not None:
        _take_direct_entries(graph.dense, dist, paths.pred)
    elif paths.pred is not None:
        _take_direct_edges(graph.indptr, graph.indices, graph.weights, np.arange(graph.n), dist, paths.pred)
    return dist if paths.pred is None else (dist, paths.pred)


def _memory_of(csgraph: Any) -> _Dist | None:
    """Return the memory of an array of float64 in C order, which may be overwritten; None for everything else."""
    if not (isinstance(csgraph, np.ndarray) and csgraph.dtype == np.float64 and csgraph.flags.c_contiguous):
        return None
    memory = np.asarray(np.ma.getdata(csgraph))
    if not memory.flags.writeable:
        raise ValueError("csgraph is read-only")
    return memory


def _stored(found: _Dist | _DistAndPred, csgraph: Any) -> _Dist | _DistAndPred:
    """Return what the host has found, with the distances in the memory of a matrix that is to be overwritten."""
    if (memory := _memory_of(csgraph)) is None:
        return found
    if isinstance(found, tuple):
        memory[:] = found[0]
        return memory, found[1]
    memory[:] = found
    return memory


def _from_each(
    graph: Graph,
    indices: npt.ArrayLike | None,
    return_predecessors: bool,
    limit: float = np.inf,
    *,
    looked: bool = False,
) -> _Dist | _DistAndPred:
    vertices = vertices_of(indices, graph.n)
    if indices is None and limit == np.inf:
        # Rounded sums are those of Dijkstra's algorithm, added from the start of a path, if each vertex searches.
        return _all_pairs(graph, "johnson" if _sums_are_rounded(graph) else "auto", return_predecessors)
    dist, predecessors = _rows(graph, vertices.ravel(), limit, return_predecessors, looked=looked)
    shape = (*vertices.shape, graph.n)
    if predecessors is None:
        return dist.reshape(shape)
    _take_direct_edges(graph.indptr, graph.indices, graph.weights, vertices.ravel(), dist, predecessors)
    return dist.reshape(shape), predecessors.reshape(shape)


def _as_float(limit: Any) -> float:
    """Return a limit as a float, an infinite one for a number beyond all others."""
    try:
        return number(limit, "limit")
    except OverflowError:
        return np.inf if limit > 0 else -np.inf


def _near(
    csgraph: Any,
    directed: bool,
    indices: npt.ArrayLike | None,
    return_predecessors: bool,
    unweighted: bool,
    limit: float,
    min_only: bool,
) -> _Dist | _DistAndPred | _DistPredAndSources | None:
    """Return what is near, or is found from the nearest of several vertices; None where a device is likely sooner."""
    wanted = {"unweighted": unweighted, "predecessors": return_predecessors}
    given = csgraph, directed, indices, limit
    if (found := within(*given, min_only=min_only, **wanted)) is not None:
        dist, pred = found
        sources = None
        if min_only and pred is not None:
            sources = nearest_source(pred, vertices_of(indices, len(pred)).ravel().tolist())
    elif min_only and (nearest := nearest_on_host(*given, **wanted)) is not None:
        dist, pred, sources = nearest
    else:
        return None
    if pred is None:
        return dist
    return (dist, pred) if sources is None else (dist, pred, sources)


def _edges_to_each(csgraph: Any, indices: npt.ArrayLike | None, limit: float) -> _Dist | None:
    """Return how many edges lead from one vertex to each, found by a CPU device in the matrix as it stands, or None."""
    given = compressed_rows(csgraph)
    if given is None or indices is None or not is_counted_on_cpu_device(len(given[0]), len(given[1])):
        return None
    device = get_device()
    if device.kind != "cpu":
        return None
    vertices = vertices_of(indices, len(given[0]) - 1)
    if vertices.size != 1 or not are_plain(*given):
        return None
    rows = MatrixRows(Job(device, recycle=True), *given[:2])
    try:
        dist = queue_distances(rows, int(vertices.reshape(-1)[0]))
    finally:
        rows.close()
    if dist is None:
        return None
    if limit < np.inf:
        dist[dist > limit] = np.inf
    return dist.reshape(*vertices.shape, rows.n)


def _sums_are_rounded(graph: Graph) -> bool:
    """Return whether paths of weights that are not negative get other sums by other algorithms."""
    return not (graph.has_negative_weights or _sums_are_integers(graph))


def _sums_are_integers(graph: Graph) -> bool:
    """Return whether all weights are integers, and so are their sums in float64."""
    return graph.has_integral_weights and has_exact_sums(graph)


def _rows(
    graph: Graph,
    vertices: npt.NDArray[np.int64],
    limit: float,
    return_predecessors: bool = True,
    *,
    looked: bool = False,
) -> tuple[npt.NDArray[Any], npt.NDArray[np.int32] | None]:
    """Return distances and predecessors from each vertex, without those beyond the limit."""
    starts = [[each] for each in vertices.tolist()]
    if not graph.has_negative_weights:
        return rows_from(graph, starts, cutoff=float(limit), predecessors=return_predecessors, looked=looked)
    dist, pred = rows_from(graph, starts, predecessors=return_predecessors)
    beyond = dist > limit
    dist[beyond] = np.inf
    if pred is not None:
        pred[beyond] = NO_VERTEX
    return dist, pred


def _take_direct_edges(
    indptr: npt.NDArray[Any],
    indices: npt.NDArray[Any],
    weights: npt.NDArray[Any],
    sources: npt.NDArray[np.int64],
    dist: npt.NDArray[Any],
    predecessors: npt.NDArray[np.int32],
) -> None:
    """Of equally short paths take the edge from the source, if it is one, as all of SciPy's algorithms do."""
    edges, counts = edges_from(sources, indptr)
    rows, heads = np.repeat(np.arange(len(sources)), counts), indices[edges]
    shortest = (dist[rows, heads] == weights[edges]) & (sources[rows] != heads)
    rows, heads = rows[shortest], heads[shortest]
    predecessors[rows, heads] = sources[rows]


def _take_direct_entries(matrix: DenseWeights, dist: npt.NDArray[Any], predecessors: npt.NDArray[np.int32]) -> None:
    """Do the same for all vertices of a dense matrix."""

    def take(first: int, last: int) -> None:
        part, sources = matrix.values[first:last], np.arange(first, last, dtype=np.int32)
        shortest = dist[first:last] == part
        shortest &= part != matrix.none
        shortest[sources - first, sources] = False
        np.copyto(predecessors[first:last], sources[:, np.newaxis], where=shortest)

    in_parts(take, len(dist), max(1, dist.itemsize * len(dist)))


def _warn_of_negative_weights(graph: Graph) -> None:
    if graph.has_negative_weights:
        warnings.warn("csgraph has negative weights; Bellman-Ford's algorithm answers them", stacklevel=3)


def _from_nearest(
    graph: Graph, vertices: npt.NDArray[np.int64], limit: float, looked: bool
) -> tuple[npt.NDArray[Any], npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Return distances, predecessors and sources of the paths from the nearest of several vertices."""
    if len(vertices) == 0:
        none = np.full(graph.n, NO_VERTEX, np.int32)
        return np.full(graph.n, np.inf), none, none.copy()
    if not graph.has_negative_weights:
        sources = vertices.tolist()
        dist, pred = rows_from(graph, [sources], cutoff=float(limit), looked=looked)
        assert pred is not None
        return dist[0], pred[0], nearest_source(pred[0], sources)
    dist, predecessors = _rows(graph, vertices, limit)
    assert predecessors is not None
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
