"""Shortest paths between all pairs: the front door that chooses method, arithmetic and where the matrix is kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp import lund_smith, minplus
from reedsp.all_pairs_matrix import PathMatrix
from reedsp.all_pairs_tree import find_tight_edges, shortest_path_trees
from reedsp.bellman_ford import output_parallel
from reedsp.device import Device, Job, get_device
from reedsp.exactness import choose_arithmetic, result_dtype
from reedsp.floyd_warshall import FloydWarshall
from reedsp.graph import Graph, as_graph, is_networkx
from reedsp.negative_cycle import NegativeCycleError
from reedsp.path_matrix import Block, Weights, integers_for, to_distances
from reedsp.result import AllPairs

_OPTIONS: dict[str, dict[str, tuple[str, ...]]] = {
    "min-plus": {"product": minplus.METHODS},
    "floyd-warshall": {"kernel": ("blocked", *lund_smith.LADDER)},
}
_EDGES_AT_A_TIME = 1 << 26  # that are looked at in one launch


def apsp(
    graph: Any,
    method: str = "auto",
    predecessors: bool = False,
    negative_cycles: str = "raise",
    device: Device | int | str | None = None,
    progress: Callable[[int, int], None] | None = None,
    *,
    dtype: npt.DTypeLike | None = None,
    options: Mapping[str, str] | None = None,
) -> AllPairs:
    """Find shortest paths between all pairs of vertices.

    The answer is exact for whole weights, whatever type they are stored in: they are added in the narrowest of uint16,
    int32 and int64 that holds every path weight. Fractional weights are added in float64, in the order in which the
    method joins paths, so that the last digits depend on it, but neither on the device nor on chance. Weights may be
    negative.

    Parameters
    ----------
    graph : Graph, scipy sparse matrix, dense array or networkx graph
        As for :func:`reedsp.sssp`.
    method : {"auto", "floyd-warshall", "min-plus"}
        "floyd-warshall" works on tiles in place (Lund and Smith, section 3.2), "min-plus" squares the matrix until no
        path gets shorter (thesis section 5.2.1). "auto" takes the former, which needs fewer sums at any size.
    predecessors : bool
        Find the vertex before the last one of each path too.
    negative_cycles : {"raise", "mark"}
        Whether a negative cycle is an error, or the pairs whose paths can pass one get the distance -inf (in an integer
        dtype its least value).
    device : Device, int or str, optional
        As for :func:`reedsp.sssp`.
    progress : callable(vertices, n), optional
        Called now and then with the number of vertices by way of which paths have been shortened.
    dtype : {None, "float64", "float32", "int64", "int32"}
        Type of the distances, as for :func:`reedsp.sssp`.
    options : mapping, optional
        Of "min-plus": ``product``, a method of :func:`reedsp.min_plus_product`. Of "floyd-warshall": ``kernel``,
        "blocked" or one of the steps of Lund and Smith's table 1, "harish-narayanan", "katz-kider",
        "optimized-blocked" and "staged-load".

    Returns
    -------
    AllPairs

    Raises
    ------
    NegativeCycleError
        There is a negative cycle; its ``cycle`` is one. (With ``negative_cycles="raise"``.)
    OverflowError
        A path weight could leave int64, or does not fit into the integer `dtype`.
    ValueError, TypeError
        The graph or an argument is wrong (the message names it), or a distance has no exact float64 value.
    DeviceError, DeviceMemoryError
        There is no usable device, or its memory is too small.

    Examples
    --------
    >>> import reedsp
    >>> graph = reedsp.Graph.from_edges(3, [0, 1, 2], [1, 2, 0], [7, 2, 1])
    >>> paths = reedsp.apsp(graph, predecessors=True)
    >>> paths.dist
    array([[0., 7., 9.],
           [3., 0., 2.],
           [1., 8., 0.]])
    >>> paths.path(1, 0)
    [1, 2, 0]
    """
    node_keys = is_networkx(graph)
    graph = as_graph(graph)
    if negative_cycles not in ("raise", "mark"):
        raise ValueError(f"negative_cycles = {negative_cycles!r}, expected 'raise' or 'mark'")
    method = _method(method)
    choices = _choices(method, options)
    result = result_dtype(dtype, graph)
    chosen = get_device(device)
    job = Job(chosen)
    weights = _weights(graph, result)
    if weights is None:
        if graph.has_negative_weights and (error := _find_negative_cycle(graph, np.arange(graph.n), job, result)):
            raise error
        raise OverflowError(
            f"graph: path weights of up to {graph.simple_path_bound:.4g} are possible, which no integer type adds up; "
            "reedsp.sssp finds those from one vertex, as far as int64 holds them"
        )
    dist = np.empty((graph.n, graph.n), result)
    pred = np.empty((graph.n, graph.n), np.int32) if predecessors else None
    if graph.n:
        on_cycles = _negative_cycles_of_floats(graph, job, result, negative_cycles == "raise")
        matrix = PathMatrix(job, weights, graph)
        _SOLVERS[method](matrix, progress=progress, until_negative=negative_cycles == "raise", **choices)
        if weights.dtype.kind != "f":
            on_cycles = matrix.vertices_on_negative_cycles()
        if len(on_cycles):
            error = _find_negative_cycle(graph, on_cycles, job, result) if negative_cycles == "raise" else None
            if error is not None:
                raise error
            matrix.mark_unbounded(on_cycles)
        for rows, values in matrix.rows():
            dist[rows] = to_distances(values, rows.start, weights, result)
        if pred is not None:
            _find_predecessors(matrix, dist, pred)
    return AllPairs(
        graph=graph,
        dist=dist,
        pred=pred,
        method=method,
        device=str(chosen),
        stats={**job.stats(), "arithmetic": str(weights.dtype)},
        _node_keys=node_keys,
    )


# ---- methods ----------------------------------------------------------------------------------------


def _floyd_warshall(
    matrix: PathMatrix, progress: Callable[[int, int], None] | None, until_negative: bool, kernel: str = "blocked"
) -> None:
    if kernel == "blocked":
        FloydWarshall(matrix.job, matrix.weights).close(matrix.block, matrix.side, progress)
    else:
        lund_smith.close(matrix.job, matrix.weights, matrix.block.buffer, matrix.side, kernel)


def _min_plus(
    matrix: PathMatrix, progress: Callable[[int, int], None] | None, until_negative: bool, product: str = "auto"
) -> None:
    edges, shorter = 1, True
    while shorter and edges < matrix.n:  # a negative cycle may have n edges
        buffer, shorter = minplus.square(matrix.job, matrix.weights, matrix.block.buffer, matrix.side, product)
        matrix.block = Block(buffer, matrix.side)
        edges *= 2
        if progress is not None:
            progress(min(edges, matrix.n), matrix.n)
        if until_negative and len(matrix.vertices_on_negative_cycles()):
            return


_SOLVERS: dict[str, Callable[..., None]] = {"min-plus": _min_plus, "floyd-warshall": _floyd_warshall}


def _method(method: str) -> str:
    if method == "auto":
        return "floyd-warshall"
    if method not in _SOLVERS:
        names = ", ".join(repr(name) for name in ("auto", *_SOLVERS))
        raise ValueError(f"method = {method!r}, expected one of {names}")
    return method


def _choices(method: str, options: Mapping[str, str] | None) -> dict[str, str]:
    known = _OPTIONS[method]
    for name, value in (options or {}).items():
        if name not in known:
            raise ValueError(f"options: {method!r} has no option {name!r}; it has {', '.join(known)}")
        if value not in known[name]:
            raise ValueError(f"options: {name} = {value!r}, expected one of {', '.join(map(repr, known[name]))}")
    return dict(options or {})


def _weights(graph: Graph, result: np.dtype[Any]) -> Weights | None:
    """Return the narrowest arithmetic in which no path weight rounds or overflows, or None if there is none."""
    arithmetic = choose_arithmetic(graph, result)
    if arithmetic.dtype.kind == "f":
        return Weights(arithmetic.dtype, np.inf, np.inf, not graph.has_negative_weights)
    bound = max(graph.simple_path_bound, graph.max_abs_weight)
    return integers_for(int(bound) + (bound != int(bound)), not graph.has_negative_weights)


# ---- negative cycles --------------------------------------------------------------------------------


def _find_negative_cycle(
    graph: Graph, vertices: npt.NDArray[np.intp], job: Job, result: np.dtype[Any]
) -> NegativeCycleError | None:
    """Return the error for a negative cycle among some vertices, or None if there is none.

    Bellman-Ford from a vertex of its own, from which an edge of weight 0 leads to each of them, decides it exactly.
    """
    place = np.full(graph.n, -1)
    place[vertices] = np.arange(len(vertices))
    sources = np.repeat(np.arange(graph.n), np.diff(graph.indptr))
    inside = np.flatnonzero((place[sources] >= 0) & (place[graph.indices] >= 0))
    root = len(vertices)
    augmented = Graph.from_edges(
        root + 1,
        np.append(place[sources[inside]], np.full(root, root)),
        np.append(place[graph.indices[inside]], np.arange(root)),
        np.append(graph.weights[inside], np.zeros(root, graph.weights.dtype)),
    )
    try:
        output_parallel(augmented, root, job, choose_arithmetic(augmented, result))
    except NegativeCycleError as found:
        return NegativeCycleError([int(vertices[vertex]) for vertex in found.cycle], found.weight)
    return None


def _negative_cycles_of_floats(
    graph: Graph, job: Job, result: np.dtype[Any], until_first: bool
) -> npt.NDArray[np.intp]:
    """Return a vertex of a negative cycle of each strongly connected component that has one.

    Rounding can hide a negative cycle on the diagonal, and make one up there; so with floats it is decided before.

    Raises
    ------
    NegativeCycleError
        There is a negative cycle, and `until_first`.
    """
    found: list[int] = []
    if graph.has_negative_weights and not graph.has_integral_weights:
        component = graph.strong_components()
        left = np.arange(graph.n)
        while len(left) and (error := _find_negative_cycle(graph, left, job, result)) is not None:
            if until_first:
                raise error
            found.append(error.cycle[0])
            left = left[component[left] != component[error.cycle[0]]]
    return np.array(found, np.intp)


# ---- predecessors -----------------------------------------------------------------------------------


def _find_predecessors(matrix: PathMatrix, dist: npt.NDArray[Any], pred: npt.NDArray[np.int32]) -> None:
    """Fill in predecessors, and the distances of sources for which rounding has hidden some."""
    job, weights, graph = matrix.job, matrix.weights, matrix.graph
    edges = find_tight_edges(job, weights, graph, matrix.block)
    step = max(1, _EDGES_AT_A_TIME // (edges.count + graph.n))
    for first in range(0, graph.n, step):
        rows = min(step, graph.n - first)
        pred[first : first + rows], unresolved = shortest_path_trees(
            *(job, weights, edges, matrix.block.at(first, 0), first, rows, graph.n),
            zero_progress_only=graph.has_negative_weights,
        )
        for source in unresolved:
            _solve_anew(graph, int(source), job, dist, pred)


def _solve_anew(graph: Graph, source: int, job: Job, dist: npt.NDArray[Any], pred: npt.NDArray[np.int32]) -> None:
    """Find the distances and predecessors of one source with Bellman-Ford, among what no negative cycle reaches."""
    bounded = dist[source] != -np.inf
    kept = np.repeat(bounded, np.diff(graph.indptr)) & bounded[graph.indices]
    sources = np.repeat(np.arange(graph.n), np.diff(graph.indptr))
    rest = Graph.from_edges(graph.n, sources[kept], graph.indices[kept], graph.weights[kept])
    solution = output_parallel(rest, source, job, choose_arithmetic(rest, dist.dtype))
    dist[source, bounded] = solution.dist[bounded]
    pred[source] = solution.predecessors
