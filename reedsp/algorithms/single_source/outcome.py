"""What methods share: from path weights at rest to a checked answer, and negative cycles and rounding."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import pyopencl as cl

from reedsp.algorithms.single_source.task import Outcome, Task
from reedsp.arithmetic.paths import Arithmetic
from reedsp.device.errors import DeviceError
from reedsp.edges.device_graph import DeviceGraph, OutEdges
from reedsp.edges.distances import read_distances
from reedsp.edges.negative_cycles import (
    cycle_weight,
    error_for,
    exact_shortest_paths,
    hidden_negative_cycle,
    predecessor_cycle,
)
from reedsp.edges.overflow_error import VertexOverflowError
from reedsp.edges.predecessors import Noted, Trees, find_trees, find_trees_outgoing
from reedsp.edges.statistics import add_up
from reedsp.graph.graph import Graph, edge_sources

_GROUP = (64, 1)


class RoundingError(Exception):
    """Rounded path weights contradict each other: the graph has to be solved in integers."""


def settle(task: Task, on_device: DeviceGraph, weights: cl.Buffer, rounds: int) -> Outcome:
    """Fill the arrays of a task of one row with what path weights at rest stand for.

    Parameters
    ----------
    task : Task
    on_device : DeviceGraph
    weights : pyopencl.Buffer, shape (n,)
        Path weights in the arithmetic and order of `on_device`, which no relaxation lowers any more.
    rounds : int
        As in :class:`Outcome`.

    Raises
    ------
    NegativeCycleError
        A negative cycle can be reached from the source, which rounding had hidden.
    OverflowError
        A distance lies outside the arithmetic.
    RoundingError
        The path weights contradict each other.
    """

    def find() -> Trees:
        return find_trees(task.job, on_device, weights, task.starts, task.graph.has_negative_weights)

    return _settle(task, weights, on_device, find, rounds)


def settle_outgoing(task: Task, edges: OutEdges, weights: cl.Buffer, rounds: int) -> Outcome:
    """Do the same with path weights in the order of the user, by the edges that leave each vertex."""

    def find() -> Trees:
        return find_trees_outgoing(task.job, edges, task.arithmetic, weights, task.starts, task.by_hops)

    return _settle(task, weights, None, find, rounds)


def _settle(
    task: Task, weights: cl.Buffer, on_device: DeviceGraph | None, find: Callable[[], Trees], rounds: int
) -> Outcome:
    graph, job, dtype, [dist] = task.graph, task.job, task.arithmetic.dtype, task.dist
    job.phases.begin("download")
    found = job.download(weights, graph.n, dtype)
    dist[...] = found if on_device is None else on_device.to_user_order(found)
    job.phases.begin("tree")
    name = graph.names[task.source]
    if task.arithmetic.saturate and dtype.kind == "i" and dist.min() == np.iinfo(dtype).min:
        raise VertexOverflowError(f"a distance from vertex {{}} is below {dtype}", name)
    trees = find()
    if trees.overflowed and task.ceiling is None:
        raise VertexOverflowError(f"a distance from vertex {{}} is beyond {dtype}", name)
    if trees.unresolved:
        raise RoundingError
    if graph.has_negative_weights and dtype.kind == "f":
        cycle = hidden_negative_cycle(graph, dist.astype(np.float64))
        if cycle is not None:
            raise error_for(graph, cycle, cycle_weight(graph, cycle))
        if dist[task.source] < 0:  # a cycle that weighs nothing, or more
            raise RoundingError
    if task.predecessors is not None:
        job.phases.begin("download")
        trees.read_into(task.predecessors, job, on_device)
    job.phases.begin("search")  # of the next row
    return Outcome(rounds)


def solve_by(search: Callable[..., tuple[cl.Buffer, int]], task: Task) -> Outcome:
    """Solve a task by a search along the edges that leave each vertex, none of which is negative.

    Parameters
    ----------
    search : callable(job, edges, arithmetic, starts, *, ceiling, target, progress)
        Returns the distances on the device, and the rounds.
    task : Task
    """
    task.job.phases.begin("prepare")
    edges = OutEdges.of(task.graph, task.job, task.arithmetic)
    distinct = task.different_starts()
    task.job.phases.begin("search")
    limits = {"ceiling": task.ceiling, "target": task.target}
    found, rounds = search(task.job, edges, task.arithmetic, distinct, **limits, progress=task.progress)
    if task.progress is not None:
        task.progress(rounds, task.graph.n)
    fill_rows(task, edges, found, distinct)
    return Outcome(rounds)


def fill_rows(
    task: Task, edges: OutEdges, found: cl.Buffer, starts: Sequence[Sequence[int]], noted: Noted | None = None
) -> None:
    """Fill the arrays of a task along edges that are not negative with distances that a search has found.

    Parameters
    ----------
    task : Task
    edges : OutEdges
        Of its graph, in its arithmetic.
    found : pyopencl.Buffer of the arithmetic's dtype, shape (rows, n)
        Final distances, the arithmetic's infinity where there is no path. What is farther away than a target may be
        missing, or too great.
    starts : sequence of sequences of int
        For each row the vertices at distance 0, different ones.
    noted : Noted, optional
        What the search knows of the trees already.

    Raises
    ------
    OverflowError
        A distance lies outside the arithmetic.
    DeviceError
        The distances contradict each other.
    """
    job, arithmetic, dist, n = task.job, task.arithmetic, task.dist, task.graph.n
    if task.target is not None:
        kernel = job.device.kernel("single_source/near_far_target.cl", "forget_beyond", **arithmetic.macros)
        job.launch(kernel, (n, len(starts)), _GROUP, found, np.uint32(task.target), np.uint32(n))
    if task.predecessors is not None or arithmetic.saturate:  # what finds the trees sees what has overflowed
        job.phases.begin("tree")
        trees = find_trees_outgoing(job, edges, arithmetic, found, starts, task.by_hops, noted)
        if trees.overflowed and task.ceiling is None:
            values = job.download(found, len(starts) * n, arithmetic.dtype).reshape(-1, n)
            rows = [*range(len(starts))]
            if task.target is not None:  # what is farther away has been forgotten
                rows = np.flatnonzero(values[:, task.target] == arithmetic.infinity).tolist()
            if rows:
                raise beyond(arithmetic, task.graph, [starts[row] for row in rows], values[rows])
        if trees.unresolved:
            raise DeviceError(f"{job.device} has computed path weights that contradict each other")
        if task.predecessors is not None:
            job.finish()
            job.phases.begin("download")
            trees.read_into(task.predecessors, job)
    job.phases.begin("download")
    if task.statistics is not None:
        add_up(job, found, n, task.statistics, arithmetic)
    else:
        read_distances(job, found, dist, arithmetic)


def beyond(
    arithmetic: Arithmetic, graph: Graph, starts: Sequence[Sequence[int]], dist: npt.NDArray[Any]
) -> OverflowError:
    """Return the error that a distance is beyond an arithmetic: an edge leads from a distance to where there is none.

    Parameters
    ----------
    arithmetic : Arithmetic
    graph : Graph
    starts : sequence of sequences of int
        For each row the vertices at distance 0.
    dist : ndarray of the arithmetic's dtype, shape (rows, n)
    """
    tails, heads, names = edge_sources(graph), graph.indices, graph.names
    for some, row in zip(starts, dist, strict=True):
        reached = row != arithmetic.infinity
        lost = heads[reached[tails] & ~reached[heads]]
        if lost.size:
            source, known = ("vertex {}", [names[some[0]]]) if len(some) == 1 else ("the nearest source", [])
            text = f"graph: the distance from {source} to vertex {{}} is beyond {arithmetic.dtype}"
            return VertexOverflowError(text, *known, names[int(lost.min())])
    return OverflowError(f"graph: a distance is beyond {arithmetic.dtype}")


def refuse_cycle(graph: Graph, predecessors: npt.NDArray[np.int32]) -> None:
    """Raise if the predecessors of the relaxations, by the user's numbers, close a cycle.

    Such a cycle has negative weight: along each of its edges the path weight has not risen since the edge was
    relaxed, and along at least one it has fallen. Rounding can fake that, so the weight is added up exactly.

    Raises
    ------
    NegativeCycleError
        The cycle.
    RoundingError
        A cycle that does not weigh less than nothing.
    """
    cycle = predecessor_cycle(predecessors)
    if cycle is None:
        return
    weight = cycle_weight(graph, cycle)
    if weight >= 0:
        raise RoundingError
    raise error_for(graph, cycle, weight)


def look_for_cycle(task: Task, on_device: DeviceGraph, predecessors: cl.Buffer) -> None:
    """Do the same with predecessors that the device holds in its order."""
    kept = task.job.download(predecessors, task.graph.n, np.int32)
    refuse_cycle(task.graph, on_device.to_user_order(on_device.to_vertices(kept)))


def solve_on_host(task: Task) -> Outcome:
    """Solve a task of one row, which rounding has spoilt, in integers.

    Raises
    ------
    NegativeCycleError
        A negative cycle can be reached from the source.
    DeviceError
        The arithmetic is that of integers, which do not round: the device computes wrong.
    """
    if task.arithmetic.dtype.kind == "i":
        raise DeviceError(f"{task.job.device} has computed path weights that contradict each other")
    exact, scale, tree = exact_shortest_paths(task.graph, [task.source])
    task.dist[0] = [np.inf if value is None else float(Fraction(value, scale)) for value in exact]
    if task.predecessors is not None:
        task.predecessors[0] = tree
    return Outcome(task.graph.n, frozenset({0}))
