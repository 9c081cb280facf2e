"""What the Bellman-Ford methods share: from path weights at rest to a checked answer, negative cycles and rounding."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import pyopencl as cl

from reedsp.arithmetic.paths import Arithmetic
from reedsp.device.device import DeviceError, Job
from reedsp.edges.device_graph import DeviceGraph
from reedsp.edges.negative_cycles import (
    cycle_weight,
    error_for,
    exact_shortest_paths,
    hidden_negative_cycle,
    predecessor_cycle,
)
from reedsp.edges.predecessors import find_trees
from reedsp.graph.graph import Graph


@dataclass(frozen=True)
class Solution:
    """Shortest paths from one source, in the user's vertex order.

    Attributes
    ----------
    dist : ndarray of the arithmetic's dtype, shape (n,)
    predecessors : ndarray of int32, shape (n,)
    rounds : int
        Sets of edge relaxations; with the early stop the last one changed nothing.
    exact_on_host : bool
        True if rounding defeated the device's float arithmetic and the host solved the graph in whole numbers.
    """

    dist: npt.NDArray[Any]
    predecessors: npt.NDArray[np.int32]
    rounds: int
    exact_on_host: bool = False


class RoundingError(Exception):
    """Rounded path weights contradict each other: the graph has to be solved in whole numbers."""


def settle(
    graph: Graph, source: int, job: Job, on_device: DeviceGraph, weights: cl.Buffer, rounds: int, bounded: bool
) -> Solution:
    """Return the solution that path weights at rest stand for.

    Parameters
    ----------
    graph : Graph
    source : int
    job : Job
    on_device : DeviceGraph
    weights : pyopencl.Buffer, shape (n,)
        Path weights in the arithmetic and order of `on_device`, which no relaxation lowers any more.
    rounds : int
        As in :class:`Solution`.
    bounded : bool
        Whether path weights from some value on were left out.

    Raises
    ------
    NegativeCycleError
        A negative cycle can be reached from the source, which rounding had hidden.
    OverflowError
        A distance lies outside the arithmetic.
    RoundingError
        The path weights contradict each other.
    """
    dtype = on_device.arithmetic.dtype
    dist = on_device.to_user_order(job.download(weights, graph.n, dtype))
    if on_device.arithmetic.saturate and dtype.kind == "i" and dist.min() == np.iinfo(dtype).min:
        raise OverflowError(f"a distance from vertex {graph.names[source]!r} is below {dtype}")
    trees = find_trees(job, on_device, weights, [[source]], graph.has_negative_weights)
    if trees.overflowed and not bounded:
        raise OverflowError(f"a distance from vertex {graph.names[source]!r} is beyond {dtype}")
    if trees.unresolved:
        raise RoundingError
    if graph.has_negative_weights and dtype.kind == "f":
        cycle = hidden_negative_cycle(graph, dist.astype(np.float64))
        if cycle is not None:
            raise error_for(graph, cycle, cycle_weight(graph, cycle))
        if dist[source] < 0:  # a cycle that weighs nothing, or more
            raise RoundingError
    return Solution(dist, trees.read(job, on_device)[0], rounds)


def look_for_cycle(graph: Graph, job: Job, on_device: DeviceGraph, predecessors: cl.Buffer) -> None:
    """Raise if the predecessors of the relaxations, which the device holds in its order, close a cycle.

    Such a cycle has negative weight: along each of its edges the path weight has not risen since the edge was
    relaxed, and along at least one it has fallen. Rounding can fake that, so the weight is added up exactly.

    Raises
    ------
    NegativeCycleError
        The cycle.
    RoundingError
        A cycle that does not weigh less than nothing.
    """
    kept = job.download(predecessors, graph.n, np.int32)
    cycle = predecessor_cycle(on_device.to_user_order(on_device.to_vertices(kept)))
    if cycle is None:
        return
    weight = cycle_weight(graph, cycle)
    if weight >= 0:
        raise RoundingError
    raise error_for(graph, cycle, weight)


def solve_on_host(graph: Graph, source: int, job: Job, arithmetic: Arithmetic) -> Solution:
    """Solve in whole numbers what rounding has spoilt.

    Raises
    ------
    NegativeCycleError
        A negative cycle can be reached from the source.
    DeviceError
        The arithmetic is that of integers, which do not round: the device computes wrong.
    """
    if arithmetic.dtype.kind == "i":
        raise DeviceError(f"{job.device} has computed path weights that contradict each other")
    exact, scale, tree = exact_shortest_paths(graph, [source])
    dist = [np.inf if value is None else float(Fraction(value, scale)) for value in exact]
    return Solution(np.array(dist, arithmetic.dtype), tree, graph.n, exact_on_host=True)
