"""Near-far: shortest paths along edges that are not negative, each relaxed about once."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.algorithms.single_source import near_far_work_group, near_far_work_item
from reedsp.arithmetic.paths import Arithmetic
from reedsp.device.device import Device, DeviceError, Job
from reedsp.device.selfcheck import is_trusted
from reedsp.edges.device_graph import DeviceGraph, OutEdges
from reedsp.edges.known_graph import SOURCE, is_known_tree, known_graph
from reedsp.edges.predecessors import find_trees
from reedsp.graph.graph import Graph

_GROUP = (64, 1)
_PART_OF_MEMORY = 0.25
_DISTANCES_ON_CPU = 1 << 24  # bytes, so that the buffers are recycled: memory that is touched anew costs time
_MOST_SLOTS = 1 << 31


def in_work_groups(device: Device, arithmetic: Arithmetic) -> bool:
    """Return whether work-groups share a search, rather than that single work-items search alone.

    That takes atomic operations on the numbers of the arithmetic, and is slow on CPUs.
    """
    return device.kind != "cpu" and _can_work_in_groups(device, arithmetic)


def _can_work_in_groups(device: Device, arithmetic: Arithmetic) -> bool:
    return arithmetic.dtype.itemsize == 4 or device.int64_atomics


def chosen_form(device: Device, arithmetic: Arithmetic) -> bool:
    """Return whether to search in work-groups: what :func:`in_work_groups` says, if that gives right answers here.

    Raises
    ------
    DeviceError
        The device gives right answers in neither way.
    """
    preferred = in_work_groups(device, arithmetic)
    for together in (preferred, not preferred):
        name = f"near-far in {'work-groups' if together else 'work-items'} and {arithmetic}"
        is_right = functools.partial(_is_right, device, arithmetic, together)
        if (not together or _can_work_in_groups(device, arithmetic)) and is_trusted(device, name, is_right):
            return together
    raise DeviceError(f"{device}: near-far in {arithmetic} gives wrong answers, or fails")


def _is_right(device: Device, arithmetic: Arithmetic, together: bool) -> bool:
    graph, expected = known_graph(fractional=arithmetic.dtype.kind == "f", negative=False)
    dist, predecessors = np.empty((1, graph.n), arithmetic.dtype), np.empty((1, graph.n), np.int32)
    near_far(graph, [[SOURCE]], Job(device), arithmetic, dist, predecessors, work_groups=together)
    return is_known_tree(dist[0], predecessors[0], arithmetic.infinity, graph, expected)


def rows_at_once(device: Device, arithmetic: Arithmetic, n: int) -> int:
    """Return how many rows of n vertices fit into the memory that a search may use."""
    size = arithmetic.dtype.itemsize
    if chosen_form(device, arithmetic):
        queues = 4 * (4 + size)
        bytes_each = n * (queues + size + 3 * 4)
        memory = min(_PART_OF_MEMORY * device.global_memory, device.max_allocation * bytes_each / max(1, 2 * n * size))
    else:
        bytes_each = n * size
        memory = min(_PART_OF_MEMORY * device.global_memory, _DISTANCES_ON_CPU)
    return max(1, min(int(memory) // max(1, bytes_each), _MOST_SLOTS // max(1, n)))


def near_far(
    graph: Graph,
    starts: Sequence[Sequence[int]],
    job: Job,
    arithmetic: Arithmetic,
    dist: npt.NDArray[Any],
    predecessors: npt.NDArray[np.int32] | None,
    *,
    ceiling: Any = None,
    target: int | None = None,
    by_hops: bool = False,
    progress: Callable[[int, int], None] | None = None,
    delta: float | None = None,
    work_groups: bool | None = None,
) -> int:
    """Solve single-source shortest paths by near-far piles, for several sources at once.

    Vertices whose path weight is below a threshold are relaxed first, again and again until none is left; then the
    threshold rises by `delta` (docs/explanation/near-far.md).

    Parameters
    ----------
    graph : Graph
        Without negative weights.
    starts : sequence of sequences of int
        For each row of the answer the vertices at distance 0: a source, or several of which the nearest counts.
    job : Job
    arithmetic : Arithmetic
        Holds every path sum, as ``reedsp.arithmetic.paths.choose_arithmetic`` finds it.
    dist : ndarray of the arithmetic's dtype, shape (rows, n)
        Filled with the distances.
    predecessors : ndarray of int32, shape (rows, n), or None
        Filled with the predecessors, if they are wanted.
    ceiling : optional
        Path weights from here on are left out.
    target : int, optional
        Leave out what is farther away than this vertex, and stop once its distance is final.
    by_hops : bool
        Choose predecessors as in a graph with negative weights, whose tight edges these are: by hop level only.
    progress : callable(rounds, n), optional
        Called now and then, and at the end of the search.
    delta : float, optional
        By how much the threshold rises, in units of weight. By default what measured well for similar graphs.
    work_groups : bool, optional
        As :func:`chosen_form` returns it by default. It decides how fast the search is, never what it finds.

    Returns
    -------
    int
        Rounds that the device ran.

    Raises
    ------
    OverflowError
        A distance lies outside the arithmetic.
    DeviceError, DeviceMemoryError
        The device cannot do it.
    """
    edges = OutEdges.of(graph, job, arithmetic)
    together = chosen_form(job.device, arithmetic) if work_groups is None else work_groups
    search = near_far_work_group.solve if together else near_far_work_item.solve
    distinct = [list(dict.fromkeys(some)) for some in starts]
    found, rounds = search(
        job, edges, arithmetic, distinct, ceiling=ceiling, target=target, delta=delta, progress=progress
    )
    if progress is not None:
        progress(rounds, graph.n)
    if target is not None:
        kernel = job.device.kernel("single_source/near_far_target.cl", "forget_beyond", **arithmetic.macros)
        job.launch(kernel, (graph.n, len(starts)), _GROUP, found, np.uint32(target), np.uint32(graph.n))
    if predecessors is not None or arithmetic.saturate:  # what finds the trees sees what has overflowed
        in_edges = DeviceGraph.of(graph, job, arithmetic, False)
        trees = find_trees(job, in_edges, found, distinct, by_hops)
        if trees.overflowed and ceiling is None:
            job.download_into(dist, found)
            if target is None or (dist[:, target] == arithmetic.infinity).any():
                raise OverflowError(f"a distance is beyond {arithmetic.dtype}")
        if trees.unresolved:
            raise DeviceError(f"{job.device} has computed path weights that contradict each other")
        if predecessors is not None:
            trees.read_into(predecessors, job)
    job.download_into(dist, found)
    return rounds
