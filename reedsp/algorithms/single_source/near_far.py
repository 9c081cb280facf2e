"""Near-far: shortest paths along edges that are not negative, each relaxed about once."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from reedsp.algorithms.single_source import near_far_work_group, near_far_work_item
from reedsp.algorithms.single_source.outcome import fill_rows
from reedsp.algorithms.single_source.selfcheck import finds_known_tree
from reedsp.algorithms.single_source.task import Outcome, Task
from reedsp.arithmetic.paths import Arithmetic
from reedsp.cost_model import settings
from reedsp.device.device import Device
from reedsp.device.selfcheck import is_trusted, none_is_trusted
from reedsp.edges.device_graph import OutEdges

_PART_OF_MEMORY = 0.25
_MOST_SLOTS = 1 << 31


def in_work_groups(device: Device, arithmetic: Arithmetic) -> bool:
    """Return whether work-groups share a search, rather than that single work-items search alone.

    That takes atomic operations on the numbers of the arithmetic, and is slow on CPUs.
    """
    return device.kind != "cpu" and _can_work_in_groups(device, arithmetic)


def _can_work_in_groups(device: Device, arithmetic: Arithmetic) -> bool:
    return arithmetic.dtype.itemsize == 4 or device.int64_atomics


def chosen_form(device: Device, arithmetic: Arithmetic, by_hops: bool = False) -> bool:
    """Return whether to search in work-groups: what :func:`in_work_groups` says, if that gives right answers here.

    `by_hops` is that of :class:`.Task`.

    Raises
    ------
    DeviceError
        The device gives right answers in neither way.
    """
    preferred = in_work_groups(device, arithmetic)
    return _first_right_form(device, arithmetic, by_hops, (preferred, not preferred))


def _first_right_form(device: Device, arithmetic: Arithmetic, by_hops: bool, forms: Sequence[bool]) -> bool:
    """Return the first one of these forms that gives right answers."""
    for together in forms:
        name = f"near-far in {'work-groups' if together else 'work-items'} and {arithmetic}"
        options = ("work_groups", together), ("notes_trees", False)
        trial = (finds_known_tree, near_far, arithmetic, False, by_hops, *options)
        if (not together or _can_work_in_groups(device, arithmetic)) and is_trusted(device, name, *trial):
            return together
    raise none_is_trusted(f"{device}: near-far in {arithmetic} gives wrong answers, or fails")


def rows_at_once(device: Device, arithmetic: Arithmetic, n: int, work_groups: bool, room: float = 1.0) -> int:
    """Return how many rows of n vertices fit into the memory that a search may use.

    `room` says how many entries the queues of work-groups have for each slot.
    """
    size = arithmetic.dtype.itemsize
    if work_groups:
        queues = int(4 * (4 + size) * room)
        bytes_each = n * (queues + size + 3 * 4)
        largest = max(1, int(n * size * max(1.0, 2 * room)))
        memory = min(_PART_OF_MEMORY * device.global_memory, device.max_allocation * bytes_each / largest)
    else:
        bytes_each = n * size
        memory = min(_PART_OF_MEMORY * device.global_memory, settings.ON_CPU)
    return max(1, min(int(memory) // max(1, bytes_each), _MOST_SLOTS // max(1, n)))


def near_far(
    task: Task,
    *,
    delta: float | None = None,
    work_groups: bool | None = None,
    balance: str | None = None,
    notes_trees: bool = True,
) -> Outcome:
    """Solve single-source shortest paths by near-far piles, for as many rows at once as there is memory for.

    Vertices whose path weight is below a threshold are relaxed first, again and again until none is left; then the
    threshold rises by `delta` (docs/explanation/near-far.md).

    Parameters
    ----------
    task : Task
        Of a graph without negative weights. What is farther away than a target is left out.
    delta : float, optional
        By how much the threshold rises, in units of weight. By default what measured well for similar graphs.
    work_groups : bool, optional
        As :func:`chosen_form` returns it by default. It decides how fast the search is, never what it finds.
    balance : {"block-search", "items", "low-degree"}, optional
        How work-groups share out the edges of their vertices: each edge goes to the next work-item, which finds its
        vertex by a search in running sums; or each vertex to a work-item; or, where none has more than eight edges,
        these are loaded at once, from a copy with room for the same number of each vertex. By default what measured
        well for similar graphs. It decides how fast the search is, never what it finds. If it is given, work-groups
        share the search, on CPUs as well.
    notes_trees : bool
        Whether work-items may find the trees on the way, where they do it right. It changes nothing that is found.

    Returns
    -------
    Outcome

    Raises
    ------
    ValueError
        `balance` does not suit the graph.
    OverflowError
        A distance lies outside the arithmetic.
    DeviceError, DeviceMemoryError
        The device cannot do it.
    """
    device = task.job.device
    if balance is not None:
        together = _first_right_form(device, task.arithmetic, task.by_hops, (True,))
    else:
        together = chosen_form(device, task.arithmetic, task.by_hops) if work_groups is None else work_groups
    room = _room(task, balance) if together and task.target is None else 1.0
    most = rows_at_once(device, task.arithmetic, task.graph.n, together, room)
    return task.in_parts(most, functools.partial(_solve, delta, together, balance, notes_trees))


def _room(task: Task, balance: str | None) -> float:
    """Return how many entries of the queues of work-groups there are for each slot."""
    task.job.phases.begin("prepare")
    edges = OutEdges.of(task.graph, task.job, task.arithmetic)
    return near_far_work_group.room_of_rows(task.job, edges, task.arithmetic, task.starts, balance)


def _notes_trees(task: Task, edges: OutEdges) -> bool:
    """Return whether work-items note the trees on the way."""
    if task.predecessors is None or task.target is not None or task.by_hops:
        return False
    return near_far_work_item.can_note_trees(task.job.device, edges, task.arithmetic, len(task.starts))


def _solve(delta: float | None, together: bool, balance: str | None, notes_trees: bool, task: Task) -> Outcome:
    graph, job, arithmetic = task.graph, task.job, task.arithmetic
    job.phases.begin("prepare")
    edges = OutEdges.of(graph, job, arithmetic)
    search: Callable[..., Any] = near_far_work_item.solve
    if together:
        search = functools.partial(near_far_work_group.solve, balance=balance)
    distinct = task.different_starts()
    job.phases.begin("search")
    options = {"ceiling": task.ceiling, "delta": delta, "progress": task.progress}
    noted = None
    if notes_trees and not together and _notes_trees(task, edges):
        found, rounds, noted = near_far_work_item.solve_with_trees(job, edges, arithmetic, distinct, **options)
    else:
        found, rounds = search(job, edges, arithmetic, distinct, **options, target=task.target)
    if task.progress is not None:
        task.progress(rounds, graph.n)
    fill_rows(task, edges, found, distinct, noted)
    return Outcome(rounds)
