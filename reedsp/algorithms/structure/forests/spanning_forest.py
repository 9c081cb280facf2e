"""Minimum and maximum spanning forests of graphs."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.algorithms.structure.forests.choose import METHODS, MOST_EDGES, choose
from reedsp.algorithms.structure.forests.on_host import forest_on_host
from reedsp.algorithms.structure.forests.result import SpanningForest
from reedsp.algorithms.structure.forests.upper import upper_edges
from reedsp.cost_model.place import HOST, is_spanning_for_host
from reedsp.device.device import Device
from reedsp.device.discovery import get_device
from reedsp.device.errors import DeviceMemoryError
from reedsp.device.job import Job
from reedsp.graph.arguments import as_graph
from reedsp.graph.graph import Graph
from reedsp.system.options import check_choice, flag
from reedsp.system.phases import Phases
from reedsp.typing import ForestMethod, GraphLike


def spanning_forest(
    graph: GraphLike,
    maximum: bool = False,
    method: ForestMethod = "auto",
    *,
    device: Device | int | str | None = None,
) -> SpanningForest:
    """Find the minimum spanning forest: a minimum spanning tree of each connected component.

    Edges are read without direction, in either; of two in opposite directions the lighter counts, or the heavier for
    the maximum one. Of parallel edges in one direction a graph has the lightest only, whatever is asked of it. Loops
    are in no forest. Edges of equal weight are ordered by their smaller ends, and then by
    their larger ends: so there is exactly one forest, which every method finds, on every device and in every run.

    Parameters
    ----------
    graph : Graph, scipy sparse matrix, dense array or networkx graph
        As for :func:`reedsp.sssp`. Weights may be negative.
    maximum : bool
        Find the maximum spanning forest.
    method : {"auto", "kruskal", "boruvka", "dulle"}
        "kruskal" sorts edges, light ones first, and drops the heavy ones whose ends light ones have joined already
        (Osipov, Sanders and Singler 2009). "boruvka" has every tree choose its first edge in each round (Fallin and
        others 2023). "dulle" does so on a dense matrix, as Dulle's thesis (2016, Algorithm 19), in memory for the
        square of the number of vertices. "auto" takes "kruskal" on CPU devices and "boruvka" on
        others; what the host solves says "host".
    device : Device, int or str, optional
        As for :func:`reedsp.get_device`: by default ``REEDSP_DEVICE``, else the best GPU, else the CPU; but the
        host where that is done sooner. What is named is used.

    Returns
    -------
    SpanningForest

    Raises
    ------
    ValueError
        The graph or an argument is wrong; the message names it.
    TypeError
        An argument has the wrong type.
    DeviceError
        There is no usable device.

    Examples
    --------
    >>> import reedsp
    >>> graph = reedsp.Graph.from_edges(4, [0, 0, 1, 2], [1, 2, 2, 3], [7, 2, 1, 3], directed=False)
    >>> reedsp.spanning_forest(graph)
    <reedsp.SpanningForest: minimum, 3 edges, 1 tree, weight 6>
    >>> reedsp.spanning_forest(graph, maximum=True).ends.tolist()
    [[0, 1], [0, 2], [2, 3]]
    """
    phases = Phases()
    check_choice("method", method, ("auto", *METHODS))
    maximum = flag(maximum, "maximum")
    graph = as_graph(graph)
    if device is None and method == "auto" and is_spanning_for_host(graph.n, graph.m):
        phases.begin("search")
        ends, weights = forest_on_host(graph, maximum)
        seconds = phases.milliseconds()
        stats: dict[str, Any] = {"device": HOST, "method": "host", "why": "small", "rounds": 0, "kernels_launched": 0}
        stats |= {"milliseconds": sum(seconds.values()), "phases": seconds}
        stats |= dict.fromkeys(("bytes_to_device", "bytes_from_device", "bytes_allocated"), 0)
        return SpanningForest(graph, ends, weights, maximum, "host", HOST, stats)
    chosen = get_device(device)
    job = Job(chosen, recycle=True, phases=phases)
    usual = "kruskal" if chosen.kind == "cpu" else "boruvka"
    stats = {"method": usual if method == "auto" else method, "why": "there are no edges", "rounds": 0}
    ends, weights = np.empty((0, 2), np.int32), graph.weights[:0].copy()
    if graph.m > MOST_EDGES:
        raise DeviceMemoryError(f"the graph has {graph.m:,} edges, and places are counted in 32 bits")
    if graph.m > 0:
        try:
            ends, weights, stats = _on_device(graph, maximum, method, job)
        finally:
            job.return_borrowed()
            job.recycle()
    stats = {**job.stats(), **stats, "phases": phases.milliseconds()}
    return SpanningForest(graph, ends, weights, maximum, stats["method"], str(chosen), stats)


def _on_device(
    graph: Graph, maximum: bool, method: str, job: Job
) -> tuple[npt.NDArray[np.int32], npt.NDArray[Any], dict[str, Any]]:
    """Return the ends and the weights of the edges of the forest, and what is to be reported."""
    edges, seen = upper_edges(graph, job, maximum)
    job.phases.begin("search")
    places, count, stats = choose(edges, seen, job, maximum=maximum, upper=True, method=method)
    job.phases.begin("download")
    return *edges.ends_of(places, count, job), stats
