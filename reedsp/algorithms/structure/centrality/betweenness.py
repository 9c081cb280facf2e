"""Betweenness: which part of all shortest paths passes each vertex, and each edge."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from reedsp.algorithms.structure.centrality.dependencies import METHODS, method_of, sum_up
from reedsp.algorithms.structure.centrality.result import Betweenness
from reedsp.algorithms.structure.centrality.scales import scaled_edges, scaled_values
from reedsp.algorithms.structure.centrality.sums import Question, Sums
from reedsp.device.device import Device
from reedsp.device.discovery import get_device
from reedsp.device.job import Job
from reedsp.graph.arguments import as_graph, vertices_argument
from reedsp.graph.graph import Graph
from reedsp.system.options import checked_options, flag
from reedsp.system.phases import Phases
from reedsp.system.progress_bar import search_bar
from reedsp.typing import BetweennessOptions, GraphLike, Vertices

_NOTHING = Sums(np.empty(0), np.empty(0), np.empty(0, np.int64), np.empty(0, np.int64), "exact")


def betweenness(
    graph: GraphLike,
    sources: Vertices | None = None,
    *,
    edges: bool = False,
    normalized: bool = True,
    endpoints: bool = False,
    device: Device | int | str | None = None,
    progress: Callable[[int, int], None] | bool | None = None,
    options: BetweennessOptions | None = None,
) -> Betweenness:
    """Find for every vertex which part of the shortest paths between all others passes it.

    Paths are shortest where they have the fewest edges: weights are ignored. Where several paths between two vertices
    are as short, each counts by its part of them. Values are those of networkx' ``betweenness_centrality``, and the
    same bytes on every device and in every run.

    Parameters
    ----------
    graph : Graph, scipy sparse matrix, dense array or networkx graph
        As for :func:`reedsp.sssp`. Parallel edges count as one.
    sources : sequence of int or of other names, optional
        Vertices whose paths count, each once; by default all. Paths from a few that were drawn by chance give an
        estimate, which is scaled as that of networkx is.
    edges : bool
        Whether the same is asked for every edge.
    normalized : bool
        Divide by the number of pairs of vertices between which there could be a path. Otherwise values are numbers of
        pairs; in an undirected graph a pair counts once.
    endpoints : bool
        Count paths for their own ends, too; edges have none.
    device : Device, int or str, optional
        As for :func:`reedsp.get_device`: by default ``REEDSP_DEVICE``, else the best GPU, else the CPU.
    progress : bool or callable(done, most), optional
        True shows a bar in a notebook, or on standard error if that is a terminal. A function is called now and then
        with how many sources are done and how many there are.
    options : mapping, optional
        ``method``: "work-items", each of which searches from one source after the other, for CPU devices, or
        "work-groups", which search from many at a time, for GPUs; by default what fits the device.

    Returns
    -------
    Betweenness

    Raises
    ------
    ValueError
        The graph or an argument is wrong; the message names it, and the position of a source.
    TypeError
        An argument has the wrong type.
    DeviceError
        There is no usable device, or it has no float64.

    Notes
    -----
    Numbers of paths are exact up to 2^53, and beyond that rounded to 53 bits at each addition, in a fixed order. They
    never overflow: where float64 ends, exponents are kept apart.

    References
    ----------
    U. Brandes, "A Faster Algorithm for Betweenness Centrality", Journal of Mathematical Sociology 25 (2001); "On
    Variants of Shortest-Path Betweenness Centrality and their Generic Computation", Social Networks 30 (2008).

    Examples
    --------
    >>> import reedsp
    >>> graph = reedsp.Graph.from_edges(4, [0, 1, 1], [1, 2, 3], directed=False)
    >>> reedsp.betweenness(graph).values
    array([0., 1., 0., 0.])
    >>> reedsp.betweenness(graph, edges=True, normalized=False).edges_to_dict()
    {(0, 1): 3.0, (1, 2): 3.0, (1, 3): 3.0}
    """
    phases = Phases()
    graph = as_graph(graph)
    chosen = _sources(graph, sources)
    edges, normalized = flag(edges, "edges"), flag(normalized, "normalized")
    endpoints = flag(endpoints, "endpoints")
    method = checked_options(options, {"method": METHODS}).get("method")
    target = get_device(device)
    method = method_of(target) if method is None else method
    job = Job(target, phases=phases)
    sums = _NOTHING
    if graph.n:
        is_target = np.ones(graph.n, np.uint8)
        phases.begin("search")
        with search_bar(max(2, len(chosen)), "sources", progress) as report:
            sums = sum_up(Question(graph, chosen, is_target, edges), method, job, report)
    phases.begin("convert")
    values = scaled_values(sums, chosen, graph.directed, normalized, endpoints)
    edge_values = scaled_edges(graph, sums, len(chosen), graph.directed, normalized) if edges else None
    return Betweenness(
        graph=graph,
        sources=None if sources is None else [graph.names[each] for each in chosen],
        values=values,
        edge_values=edge_values,
        normalized=normalized,
        endpoints=endpoints,
        method=method,
        device=str(target),
        stats={**job.stats(), "path_counts": sums.form, "phases": phases.milliseconds()},
        _sums=sums,
    )


def _sources(graph: Graph, sources: Vertices | None) -> list[int]:
    if sources is None:
        return list(range(graph.n))
    chosen: list[int] = vertices_argument(graph, sources, "sources").tolist()
    if not chosen:
        raise ValueError("sources: there are none")
    first: dict[int, int] = {}
    for position, vertex in enumerate(chosen):
        if first.setdefault(vertex, position) != position:
            raise ValueError(f"sources[{position}] = {graph.names[vertex]!r} is sources[{first[vertex]}] as well")
    return chosen
