"""A graph as the undirected one that spanning forests are of: each edge once, from its smaller to its larger end."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.algorithms.structure.forests.edges import DeviceEdges, Seen
from reedsp.device.device import Device
from reedsp.device.job import Job
from reedsp.graph.graph import Graph, edge_sources


def upper_edges(graph: Graph, job: Job, maximum: bool) -> tuple[DeviceEdges, Seen]:
    """Return edges on a device, of which those to later vertices are the ones of an undirected graph, in their order.

    Of edges in both directions, the one that comes first in the order counts.

    Parameters
    ----------
    graph : Graph
        With edges.
    job : Job
    maximum : bool

    Returns
    -------
    edges : DeviceEdges
    seen : Seen
    """
    edges, seen = _on_device(graph, job)
    if not graph.directed:
        return edges, seen
    key = "has_twins", maximum
    if key not in graph._derived:
        graph._derived[key] = not edges.lacks_twins(job, maximum)
    if graph._derived[key]:
        return edges, seen
    made: dict[bool, Graph] = graph._derived.setdefault("upper", {})
    if maximum not in made:
        made[maximum] = _upper(graph, maximum)
    return _on_device(made[maximum], job)


def _on_device(graph: Graph, job: Job) -> tuple[DeviceEdges, Seen]:
    """Return the edges of a graph on a device, which a GPU keeps, and what there is to see, looked at only once."""
    kept: dict[Device, DeviceEdges] = graph._derived.setdefault("forest_edges", {})
    edges = kept.get(job.device)
    if edges is None:
        rows = job, graph.n, graph.indices, graph.weights
        edges = DeviceEdges(*rows, indptr=graph.indptr, is_symmetric=not graph.directed)
        if job.device.kind != "cpu":
            kept[job.device] = edges
    if "forest_seen" not in graph._derived:
        graph._derived["forest_seen"] = edges.look(job)
    return edges, graph._derived["forest_seen"]


def _upper(graph: Graph, maximum: bool) -> Graph:
    """Return the edges from smaller ends to larger ones, of those with the same ends the first in the order."""
    tails, heads = edge_sources(graph), graph.indices
    lightest_first = _turned(graph.weights) if maximum else graph.weights
    upper = Graph.from_edges(graph.n, np.minimum(tails, heads), np.maximum(tails, heads), lightest_first)
    if not maximum:
        return upper
    return Graph._of_rows((upper.indptr, upper.indices, _turned(upper.weights)), True, 0)


def _turned(weights: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return weights in the opposite order: of integers the complement, which every type has, unlike the negative."""
    return ~weights if weights.dtype.kind == "i" else 0 - weights
