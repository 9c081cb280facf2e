"""Check a shortest-path tree on a device by the rules of the Graph500 validator (cl/edges/verify.cl)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.arithmetic.paths import Arithmetic
from reedsp.cost_model.place import HOST
from reedsp.device.build import constants
from reedsp.device.device import Device
from reedsp.device.discovery import are_known, devices, get_device
from reedsp.device.errors import DeviceError
from reedsp.device.job import Job
from reedsp.edges.device_graph import NO_VERTEX, DeviceGraph
from reedsp.edges.negative_cycles import exact_shortest_paths
from reedsp.graph.arguments import name_or_none
from reedsp.graph.graph import Graph
from reedsp.system.public import public

_FILE = "edges/verify.cl"
GROUP_SIZE = 64
_NONE = 0xFFFFFFFF
_RULES = {
    "RULE_SOURCE": "a source must have distance 0 and no predecessor",
    "RULE_TRIANGLE": "an edge leads to it on a shorter path",
    "RULE_TREE": "its predecessor has no edge that gives its distance",
    "RULE_ACYCLIC": "its predecessors do not lead back to a source",
}


@public
class VerificationError(AssertionError):
    """Distances and predecessors are not a shortest-path tree; the message names a vertex and what is wrong.

    Examples
    --------
    >>> import reedsp
    >>> graph = reedsp.Graph.from_edges(4, [0, 0, 1, 2], [1, 2, 3, 3], [7, 2, 1, 3])
    >>> paths = reedsp.sssp(graph, 0)
    >>> paths.dist[3] = 4
    >>> paths.verify()
    Traceback (most recent call last):
        ...
    reedsp.VerificationError: vertex 3: its predecessor has no edge that gives its distance (...)
    """


def check_array(name: str, array: Any, shape: tuple[int, ...], *types: npt.DTypeLike) -> None:
    """Check that what is to be verified is an array of this shape, and of one of these types.

    Raises
    ------
    VerificationError
        It is not; the message gives its name.
    """
    allowed = [np.dtype(each) for each in types]
    if not isinstance(array, np.ndarray) or array.shape != shape or array.dtype not in allowed:
        size, kinds = " x ".join(map(str, shape)), " or ".join(map(str, allowed))
        raise VerificationError(f"{name}: expected {size} numbers of type {kinds}")


def check_vertex(name: str, graph: Graph, vertex: Any) -> int:
    """Return the index of a vertex that is part of what is to be verified.

    Raises
    ------
    VerificationError
        The graph has no such vertex; the message gives the name of the attribute.
    """
    try:
        return graph.index(vertex)
    except (ValueError, TypeError) as error:
        raise VerificationError(f"{name}: {error}") from None


def device_that_verifies(found_on: str, device: Device | int | str | None = None) -> Device | None:
    """Return the device that checks an answer; None is the host, where there is none and the host has found it.

    Parameters
    ----------
    found_on : str
        The device that the answer names.
    device : Device, int or str, optional
        As for :func:`reedsp.get_device`; what is named is used.
    """
    try:
        return get_device(device)
    except DeviceError:
        if device is not None or found_on != HOST or (are_known() and devices()):
            raise
        return None


def verify_tree(
    graph: Graph,
    sources: Sequence[int],
    dist: npt.NDArray[Any],
    predecessors: npt.NDArray[np.int32],
    job: Job,
    arithmetic: Arithmetic,
    ceiling: Any,
) -> None:
    """Check distances and predecessors from one source, or from the nearest of several.

    Parameters
    ----------
    graph : Graph
    sources : sequence of int
    dist : ndarray of the arithmetic's dtype, shape (n,)
    predecessors : ndarray of int32, shape (n,)
    job : Job
    arithmetic : Arithmetic
    ceiling
        Distances from here on are left out of the tree.

    Raises
    ------
    VerificationError
        A rule is broken.
    """
    n = graph.n
    beyond = (predecessors >= n) | ((predecessors < 0) & (predecessors != NO_VERTEX))
    if beyond.any():
        vertex = int(np.argmax(beyond))
        name, wrong = graph.names[vertex], predecessors[vertex]
        raise VerificationError(f"vertex {name!r}: its predecessor {wrong} is not a vertex")
    on_device = DeviceGraph.of(graph, job, arithmetic)
    kernels = {
        name: job.device.kernel(_FILE, name, **arithmetic.macros) for name in ("check_edges", "jump", "check_ancestors")
    }
    size = np.uint32(n)
    is_source = np.zeros(n, np.uint8)
    is_source[on_device.number_of[list(sources)]] = 1
    roots = job.upload(is_source)
    device_dist = job.upload(on_device.to_device_order(dist))
    device_predecessors = job.upload(on_device.to_numbers(on_device.to_device_order(predecessors)))
    ancestors = [job.allocate(n, np.int32), job.allocate(n, np.int32)]
    offenders = job.full(len(_RULES), np.uint32(_NONE))
    edges = (on_device.edge_weights, on_device.edge_sources, on_device.edge_counts, on_device.vertex_edge_index)
    tree = (device_dist, device_predecessors, ancestors[0], offenders, ceiling, roots, size)
    job.launch(kernels["check_edges"], n, GROUP_SIZE, *edges, *tree, slices=on_device.slices(GROUP_SIZE))
    for _ in range(n.bit_length()):
        job.launch(kernels["jump"], n, GROUP_SIZE, *ancestors, size)
        ancestors.reverse()
    job.launch(kernels["check_ancestors"], n, GROUP_SIZE, device_dist, ancestors[0], offenders, roots, size)
    found, layout = job.download(offenders, len(_RULES), np.uint32), constants(_FILE)
    for rule, fault in _RULES.items():
        if (offender := found[layout[rule]]) != _NONE:
            vertex = int(on_device.vertex_of[offender])
            before = name_or_none(graph, predecessors[vertex])
            raise VerificationError(f"vertex {graph.names[vertex]!r}: {fault} (dist {dist[vertex]}, pred {before})")


def verify_on_host(graph: Graph, source: int, dist: npt.NDArray[Any], predecessors: npt.NDArray[np.int32]) -> None:
    """Check distances that were solved in integers, where the tree is not tight in rounded ones.

    Raises
    ------
    VerificationError
        A distance is not the exact one rounded once, or a predecessor is another one.
    """
    exact, scale, tree = exact_shortest_paths(graph, [source])
    for vertex, value in enumerate(exact):
        expected = np.inf if value is None else float(Fraction(value, scale))
        if dist[vertex] != dist.dtype.type(expected):
            raise VerificationError(f"vertex {graph.names[vertex]!r}: dist {dist[vertex]} should be {expected}")
        if predecessors[vertex] != tree[vertex]:
            before, right = (name_or_none(graph, each) for each in (predecessors[vertex], tree[vertex]))
            raise VerificationError(f"vertex {graph.names[vertex]!r}: predecessor {before} should be {right}")


def wrong_nearest(
    nearest: npt.NDArray[Any], predecessors: npt.NDArray[Any], sources: Sequence[int]
) -> npt.NDArray[np.intp]:
    """Return the vertices whose nearest source is not that of their predecessor."""
    expected = np.where(predecessors >= 0, nearest[np.maximum(predecessors, 0)], NO_VERTEX)
    expected[sources] = sources
    return np.flatnonzero(expected != nearest)
