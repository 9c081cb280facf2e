"""What can be said about a graph before it is solved: degrees, weights, components, and what a solution will take."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.algorithms.estimate import estimate
from reedsp.arithmetic.matrix import matrix_weights
from reedsp.arithmetic.paths import choose_arithmetic
from reedsp.cost_model import choose_search
from reedsp.device.device import Device
from reedsp.device.discovery import get_device
from reedsp.device.errors import DeviceError
from reedsp.graph.graph import Graph, edge_sources

_PERCENTILES = (50, 90, 99)


def facts(
    graph: Graph,
    listed: int,
    device: str | None = None,
    progress: Callable[[float, str], None] | None = None,
) -> dict[str, Any]:
    """Describe a graph.

    Parameters
    ----------
    graph : Graph
    listed : int
        Edges that its file lists, parallel ones included; an undirected one counts once.
    device : str, optional
        What would solve; by default as for :func:`reedsp.sssp`. Without any device only what the host does is known.
    progress : callable(part, text), optional
        Called before each part of the work.

    Returns
    -------
    dict
        The keys are those of ``reedsp info --json``.
    """
    steps: dict[str, Callable[[], dict[str, Any]]] = {
        "degrees": lambda: _degrees(graph),
        "weights": lambda: {"weights": _weights(graph)},
        "edges": lambda: _edges(graph, listed),
        "components": lambda: _components(graph),
        "methods": lambda: _methods(graph, device),
    }
    found: dict[str, Any] = {"vertices": graph.n, "edges": graph.m, "directed": graph.directed}
    found["first_vertex"] = graph.name(0) if graph.n else None
    for number, (name, step) in enumerate(steps.items()):
        if progress is not None:
            progress(number / len(steps), name)
        found |= step()
    return found


def _degrees(graph: Graph) -> dict[str, Any]:
    out = np.diff(graph.indptr)
    if not graph.directed:
        return {"degree": _spread(out)}
    return {"out_degree": _spread(out), "in_degree": _spread(np.bincount(graph.indices, minlength=graph.n))}


def _spread(degrees: npt.NDArray[np.int64]) -> dict[str, Any] | None:
    if not len(degrees):
        return None
    percentiles = np.percentile(degrees, _PERCENTILES, method="inverted_cdf").tolist()
    return {
        "min": int(degrees.min()),
        "mean": float(degrees.mean()),
        **{f"p{percent}": int(value) for percent, value in zip(_PERCENTILES, percentiles, strict=True)},
        "max": int(degrees.max()),
        "zero": int(np.count_nonzero(degrees == 0)),
    }


def _weights(graph: Graph) -> dict[str, Any] | None:
    weights = graph.weights
    if not len(weights):
        return None
    return {
        "type": str(weights.dtype),
        "whole": graph.has_integral_weights,
        "min": weights.min().item(),
        "max": weights.max().item(),
        "zero": int(np.count_nonzero(weights == 0)),
        "negative": int(np.count_nonzero(weights < 0)),
    }


def _edges(graph: Graph, listed: int) -> dict[str, Any]:
    tails = edge_sources(graph)
    loops = int(np.count_nonzero(tails == graph.indices))
    distinct = graph.m if graph.directed else (graph.m + loops) // 2
    return {"self_loops": loops, "parallel_edges": listed - distinct}


def _components(graph: Graph) -> dict[str, Any]:
    import scipy.sparse.csgraph

    links = scipy.sparse.csr_array((np.ones(graph.m, np.int8), graph.indices, graph.indptr), shape=(graph.n, graph.n))
    _, weak = scipy.sparse.csgraph.connected_components(links, directed=graph.directed, connection="weak")
    found = {"weak_components": _sizes(weak)}
    return found | {"strong_components": _sizes(graph.strong_components()) if graph.directed else _sizes(weak)}


def _sizes(component: npt.NDArray[Any]) -> dict[str, int]:
    sizes = np.bincount(component) if len(component) else np.zeros(0, np.int64)
    return {"count": len(sizes), "largest": int(sizes.max(initial=0))}


def _in_one_line(message: str) -> str:
    """Return the first line of a message, and the list that it announces."""
    first, _, others = message.partition("\n")
    return " ".join([first, *others.split()]) if first.endswith(":") else first


def _methods(graph: Graph, device: str | None) -> dict[str, Any]:
    """Return what method="auto" would take, and the bytes of all pairs, which take a device."""
    found: dict[str, Any] = {"device": None, "sssp": None, "apsp": None}
    try:
        search = estimate(graph, "sssp", source=graph.name(0), device=device) if graph.n else None
        method, seconds = (choose_search.NEAR_FAR, 0.0) if search is None else (search.method, search.seconds)
        found["sssp"] = {"method": method, "seconds": seconds}
        chosen = get_device(device)
    except DeviceError as error:
        return found | {"no_device": _in_one_line(str(error))}
    return found | {"device": str(chosen), "apsp": _all_pairs(graph, chosen)}


def _all_pairs(graph: Graph, device: Device) -> dict[str, Any]:
    weights = matrix_weights(graph, choose_arithmetic(graph, np.dtype(np.float64)))
    expected, pairs = estimate(graph, "apsp", device=device), graph.n**2
    johnson = expected.method == "johnson"
    return {
        "method": expected.method,
        "seconds": expected.seconds,
        "low": expected.low,
        "high": expected.high,
        "because": expected.because,
        "pairs": pairs,
        "distance_bytes": pairs * 8,
        "predecessor_bytes": pairs * 4,
        "matrix_bytes": None if johnson or weights is None else pairs * weights.dtype.itemsize,
        "arithmetic": None if weights is None else str(weights.dtype),
        "device_memory": device.global_memory,
    }
