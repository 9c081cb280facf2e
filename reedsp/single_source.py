"""Shortest paths from one source or several: the front door that chooses method, arithmetic and device."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.bellman_ford import output_parallel
from reedsp.device import Device, Job, get_device
from reedsp.exactness import ceiling_of, choose_arithmetic, result_dtype, to_result
from reedsp.graph import Graph, as_graph, is_networkx, vertex_number
from reedsp.result import ShortestPaths
from reedsp.solution import Solution

_METHODS = {"output-parallel": output_parallel}
_OPTIONS = {"output-parallel": ("cooperative_loading", "in_degree_order", "early_stop", "group_size")}


def sssp(
    graph: Any,
    source: Any,
    method: str = "auto",
    target: Hashable | None = None,
    cutoff: float | None = None,
    dtype: npt.DTypeLike | None = None,
    device: Device | int | str | None = None,
    progress: Callable[[int, int], None] | None = None,
    *,
    options: Mapping[str, Any] | None = None,
) -> ShortestPaths:
    """Find shortest paths from one source, or from each of several, to all vertices.

    The answer is exact: whole weights are added in int32 or int64, whatever type they are stored in; fractional
    weights in float64. Weights may be negative.

    Parameters
    ----------
    graph : Graph, scipy sparse matrix, dense array or networkx graph
        A dense 0 and +inf are no edge; see :meth:`Graph.from_dense` for the other reading.
    source : int or sequence of int
        Vertex to start from, 0 .. n-1; a negative one counts from the end. For a networkx graph a node, or a list
        of nodes. A sequence gives one row of results for each entry.
    method : {"auto", "output-parallel"}
        "output-parallel" is Bellman-Ford with one work-item a vertex (thesis section 5.3).
    target : int, optional
        Vertex whose path is wanted. A method may leave vertices that are farther away unreached.
    cutoff : float, optional
        Leave out paths that are longer than this; a vertex at exactly this distance is still reached. Needs
        weights that are not negative.
    dtype : {None, "float64", "float32", "int64", "int32"}
        Type of the distances, float64 by default. float32 also adds fractional weights in float32. In an integer
        type, the largest integer stands for "no path".
    device : Device, int or str, optional
        As for :func:`reedsp.device.get_device`: by default ``REEDSP_DEVICE``, else the best GPU, else the CPU.
    progress : callable(rounds, most_rounds), optional
        Called now and then.
    options : mapping, optional
        Of "output-parallel": the bools ``cooperative_loading``, ``in_degree_order`` and ``early_stop``, and
        ``group_size``; see :func:`reedsp.bellman_ford.output_parallel`.

    Returns
    -------
    ShortestPaths

    Raises
    ------
    NegativeCycleError
        A negative cycle can be reached from a source; its ``cycle`` is one.
    OverflowError
        A distance does not fit into int64, or into the integer `dtype`.
    ValueError
        The graph or an argument is wrong (the message names it), or a distance has no exact float64 value.
    TypeError
        An argument has the wrong type.
    DeviceError
        There is no usable device.

    Examples
    --------
    >>> import reedsp
    >>> graph = reedsp.Graph.from_edges(4, [0, 0, 1, 2], [1, 2, 3, 3], [7, 2, 1, 3])
    >>> paths = reedsp.sssp(graph, 0)
    >>> paths.dist
    array([0., 7., 2., 5.])
    >>> paths.path(3)
    [0, 2, 3]
    """
    node_keys = is_networkx(graph)
    graph = as_graph(graph)
    sources, many = _sources(graph, source, node_keys)
    if target is not None:
        _vertex(graph, target, "target", node_keys)
    result = result_dtype(dtype, graph)
    arithmetic = choose_arithmetic(graph, result)
    ceiling = ceiling_of(cutoff, arithmetic)
    if cutoff is not None and graph.has_negative_weights:
        raise ValueError("cutoff: needs weights that are not negative")
    method = _method(method)
    choices = _options(method, options)

    chosen = get_device(device)
    job = Job(chosen)
    solve = _METHODS[method]
    solutions = [
        solve(graph, each, job, arithmetic, ceiling=None if cutoff is None else ceiling, progress=progress, **choices)
        for each in sources
    ]
    exact = np.array([solution.dist for solution in solutions], arithmetic.dtype).reshape(len(sources), graph.n)
    pred = np.array([solution.predecessors for solution in solutions], np.int32).reshape(exact.shape)
    dist = to_result(exact, arithmetic, result)
    return ShortestPaths(
        graph=graph,
        source=sources if many else sources[0],
        dist=dist if many else dist[0],
        pred=pred if many else pred[0],
        method=method,
        rounds=sum(solution.rounds for solution in solutions),
        device=str(chosen),
        stats=_stats(job, str(arithmetic.dtype), solutions),
        _device=chosen,
        _arithmetic=arithmetic,
        _cutoff=cutoff,
        _node_keys=node_keys,
        _rows_from_host=frozenset(row for row, solution in enumerate(solutions) if solution.exact_on_host),
        _exact=exact if result == np.float32 and arithmetic.dtype != result else None,
    )


def _stats(job: Job, arithmetic: str, solutions: list[Solution]) -> dict[str, Any]:
    on_host = sum(solution.exact_on_host for solution in solutions)
    return {**job.stats(), "arithmetic": arithmetic, "exact_on_host": on_host}


def _sources(graph: Graph, source: Any, node_keys: bool) -> tuple[list[int], bool]:
    """Return the sources as vertex numbers, and whether there may be several."""
    if node_keys:
        many = isinstance(source, list)
    elif isinstance(source, np.ndarray):
        if source.ndim > 1:
            raise ValueError(f"source has {source.ndim} dimensions, expected at most 1")
        many = source.ndim == 1
        source = source if many else source.item()
    else:
        many = isinstance(source, Iterable) and not isinstance(source, (str, bytes))
    if not many:
        return [_vertex(graph, source, "source", node_keys)], False
    return [_vertex(graph, each, f"source[{position}]", node_keys) for position, each in enumerate(source)], True


def _vertex(graph: Graph, vertex: Any, name: str, node_keys: bool) -> int:
    return graph.vertex(vertex) if node_keys else vertex_number(vertex, name, graph.n)


def _method(method: str) -> str:
    if method == "auto":
        return "output-parallel"
    if method not in _METHODS:
        names = ", ".join(repr(name) for name in ("auto", *_METHODS))
        raise ValueError(f"method = {method!r}, expected one of {names}")
    return method


def _options(method: str, options: Mapping[str, Any] | None) -> dict[str, Any]:
    known = _OPTIONS[method]
    for name in options or {}:
        if name not in known:
            raise ValueError(f"options: {method!r} has no option {name!r}; it has {', '.join(known)}")
    return dict(options or {})
