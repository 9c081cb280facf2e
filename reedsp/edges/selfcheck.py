"""Whether searches give right answers on a device: they are tried on a small graph with known distances."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyopencl as cl

from reedsp.arithmetic.paths import Arithmetic
from reedsp.device.device import Device
from reedsp.device.job import Job
from reedsp.device.selfcheck import is_trusted
from reedsp.edges.device_graph import NO_VERTEX, OutEdges
from reedsp.edges.distances import float64_holds, read_distances
from reedsp.graph.graph import Graph, edge_sources

SOURCE = 0
"""From which distances are known."""

_VERTICES, _OUT_OF_REACH, _HUB = 600, 10, 5
_CHAIN = 40  # more vertices, one behind the other: more rounds than methods run without a look at negative cycles
_SIDE = 20
_LARGEST_LENGTH, _LARGEST_HEIGHT = 50, 1000


def finds_known_distances(
    device: Device, solve: Callable[..., cl.Buffer], arithmetic: Arithmetic, *options: Any
) -> bool:
    """Return whether ``solve(job, edges, arithmetic, starts, *options)`` is right without negative weights."""
    graph, expected = known_graph(arithmetic.dtype.kind == "f", negative=False)
    job = Job(device)
    found = solve(job, OutEdges.of(graph, job, arithmetic), arithmetic, [[SOURCE]], *options)
    return is_known(job.download(found, graph.n, arithmetic.dtype), arithmetic.infinity, expected)


def finds_distances_along_few(
    device: Device, solve: Callable[..., cl.Buffer], arithmetic: Arithmetic, degree: int, *options: Any
) -> bool:
    """Return whether it is right in graphs in which no vertex has more than `degree` edges, such as a grid."""
    fractional = arithmetic.dtype.kind == "f"
    for graph, expected in (known_graph(fractional, negative=False, degree=degree), known_grid(fractional, degree)):
        job = Job(device)
        found = solve(job, OutEdges.of(graph, job, arithmetic), arithmetic, [[SOURCE]], *options)
        if not is_known(job.download(found, graph.n, arithmetic.dtype), arithmetic.infinity, expected):
            return False
    return True


def converts(device: Device, graph: Graph, arithmetic: Arithmetic, result: np.dtype[Any]) -> bool:
    """Return whether results are of float64, and the device can convert all distances of a graph to it, and rightly."""
    if result != np.float64 or not float64_holds(graph, device, arithmetic):
        return False
    return is_trusted(device, f"conversion of {arithmetic} to float64", converts_known_distances, arithmetic)


def converts_known_distances(device: Device, arithmetic: Arithmetic) -> bool:
    """Return whether a device writes distances in float64, with inf where there is no path."""
    graph, expected = known_graph(arithmetic.dtype.kind == "f", negative=False)
    found, dist, job = np.full(graph.n, arithmetic.infinity, arithmetic.dtype), np.empty(graph.n), Job(device)
    reached = np.isfinite(expected)
    found[reached] = expected[reached]
    read_distances(job, job.upload(found), dist, arithmetic)
    return np.array_equal(dist, expected)


def finds_known_levels(
    device: Device,
    search: Callable[..., Any],
    settings: Sequence[tuple[tuple[str, Any], ...]],
    degree: int | None = None,
) -> bool:
    """Return whether levels and predecessors from a source, twice, are those of numpy, in each setting.

    Parameters
    ----------
    device : Device
    search : callable(graph, sources, answers, job, progress, **options)
        Fills `answers`, levels and predecessors from each source; the level is negative where there is no path.
    settings : sequence of tuples of (str, value)
        The options of each.
    degree : int, optional
        As of :func:`known_graph`.
    """
    graph, levels, before = known_levels(degree)
    for options in settings:
        answers = np.empty((2, 2, graph.n), np.int32)
        search(graph, [SOURCE, SOURCE], answers, Job(device), None, **dict(options))
        found = np.where(answers[:, 0] < 0, np.inf, answers[:, 0])
        if not (found == levels).all() or not (answers[:, 1] == before).all():
            return False
    return True


def known_graph(fractional: bool, negative: bool, degree: int | None = None) -> tuple[Graph, npt.NDArray[Any]]:
    """Return a graph and the distances of its vertices from the first one, inf where there is no path.

    It has several work-groups of vertices and a rest, one vertex with hundreds of edges, edges that weigh nothing,
    vertices that cannot be reached, and a chain of others.

    Parameters
    ----------
    fractional : bool
        Weights are multiples of a half, rather than whole.
    negative : bool
        Some weights are negative; no cycle is.
    degree : int, optional
        The most edges that leave a vertex, of which none has hundreds then.
    """
    rng = np.random.default_rng(2012)
    reachable = _VERTICES - _OUT_OF_REACH
    if degree is None:
        sources = np.concatenate([rng.integers(0, _VERTICES, 3 * _VERTICES), np.full(reachable, _HUB)])
        targets = np.concatenate([rng.integers(0, reachable, 3 * _VERTICES), np.arange(reachable)])
    else:
        sources = np.delete(np.repeat(np.arange(_VERTICES), degree), _HUB * degree)  # to which the chain is added
        targets = rng.integers(0, reachable, len(sources))
    lengths = rng.integers(0, _LARGEST_LENGTH, len(sources))
    chain = np.arange(_VERTICES, _VERTICES + _CHAIN)
    sources, targets = np.concatenate([sources, [_HUB], chain[:-1]]), np.concatenate([targets, chain])
    lengths = np.concatenate([lengths, rng.integers(1, _LARGEST_LENGTH, _CHAIN)])
    n = _VERTICES + _CHAIN
    heights = rng.integers(0, _LARGEST_HEIGHT, n) if negative else np.zeros(n, np.int64)
    weights = lengths + heights[sources] - heights[targets]
    expected = _distances(n, sources, targets, weights)
    order = np.lexsort((weights, targets, sources))  # what is sorted needs no SciPy, which a child process would import
    sources, targets, weights = sources[order], targets[order], weights[order]
    first = np.diff(sources, prepend=-1) | np.diff(targets, prepend=-1) != 0  # of parallel edges
    sources, targets, weights = sources[first], targets[first], weights[first]
    if not fractional:
        return Graph.from_edges(n, sources, targets, weights), expected
    return Graph.from_edges(n, sources, targets, weights / 2), expected / 2


def known_grid(fractional: bool, degree: int) -> tuple[Graph, npt.NDArray[Any]]:
    """Return a grid, whose edges lead to the right and down, and those distances: few are found in each of many rounds.

    It fails compilers that the other graph does not: near-far along few edges, as PoCL 7.1 compiles it. So many edges
    as its last vertex has, or two, are the most.
    """
    n = _SIDE**2
    sources = np.arange(n).repeat(2)
    targets = sources + np.tile([1, _SIDE], n)
    inside = (targets < n) & ((targets % _SIDE > 0) | (targets - sources > 1))
    sources = np.append(sources[inside], np.full(degree, n - 1))
    targets = np.append(targets[inside], np.arange(degree))
    lengths = np.random.default_rng(2012).integers(0, _LARGEST_LENGTH, len(sources))
    weights = lengths / 2 if fractional else lengths
    return Graph.from_edges(n, sources, targets, weights), _distances(n, sources, targets, weights)


def known_levels(degree: int | None = None) -> tuple[Graph, npt.NDArray[Any], npt.NDArray[np.int32]]:
    """Return that graph with weights of 1, the distances, and for each vertex the first that it is reached from.

    Where there is none the last array holds NO_VERTEX.
    """
    graph, _ = known_graph(fractional=False, negative=False, degree=degree)
    sources, targets = edge_sources(graph), graph.indices
    levels = _distances(graph.n, sources, targets, np.ones(graph.m))
    before = np.full(graph.n, graph.n)
    tight = np.isfinite(levels[targets]) & (levels[sources] + 1 == levels[targets])
    np.minimum.at(before, targets[tight], sources[tight])
    return graph, levels, np.where(before == graph.n, NO_VERTEX, before).astype(np.int32)


def is_known(dist: npt.NDArray[Any], infinity: Any, expected: npt.NDArray[Any]) -> bool:
    """Return whether these are the distances; parameters as for :func:`is_known_tree`."""
    return np.array_equal(np.where(dist == infinity, np.inf, dist.astype(np.float64)), expected)


def is_known_tree(
    dist: npt.NDArray[Any], pred: npt.NDArray[np.int32], infinity: Any, graph: Graph, expected: npt.NDArray[Any]
) -> bool:
    """Return whether these are the distances, and each reached vertex has a predecessor by way of which it is that far.

    Parameters
    ----------
    dist, pred : ndarray, shape (n,)
    infinity
        What stands for "no path" in `dist`.
    graph, expected
        As :func:`known_graph` returns them.
    """
    if not is_known(dist, infinity, expected):
        return False
    has_one = np.isfinite(expected)
    has_one[SOURCE] = False
    if not np.array_equal(pred >= 0, has_one):
        return False
    targets = np.flatnonzero(has_one)
    sources = edge_sources(graph)
    edges = dict(zip(zip(sources.tolist(), graph.indices.tolist(), strict=True), graph.weights.tolist(), strict=True))
    weights = [edges.get((before, after), np.inf) for before, after in zip(pred[targets], targets, strict=True)]
    return np.array_equal(expected[pred[targets]] + weights, expected[targets])


def _distances(n: int, sources: Any, targets: Any, weights: Any) -> npt.NDArray[np.float64]:
    """Relax all edges until nothing changes."""
    dist = np.full(n, np.inf)
    dist[SOURCE] = 0
    while True:
        shorter = dist.copy()
        np.minimum.at(shorter, targets, dist[sources] + weights)
        if np.array_equal(shorter, dist):
            return dist
        dist = shorter
