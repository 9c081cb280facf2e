"""Breadth-first search in the order of a queue: by one work-item of a CPU, or by the work-groups of a GPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyopencl as cl

from reedsp.algorithms.traversal.queue_levels import search_by_levels, sizes_alone
from reedsp.device.build import SIMULATORS, constants
from reedsp.device.device import Device
from reedsp.device.iterate import Pace, repeated
from reedsp.device.job import Job, Kernel, Memory
from reedsp.device.selfcheck import is_trusted
from reedsp.edges.device_graph import NO_VERTEX
from reedsp.edges.preparation import MatrixRows

_FILE, _QUEUE = "traversal/queue_order.cl", "traversal/queue.cl"
_PIECE = 1 << 14  # vertices
_FIRST_BUDGET = 1 << 23  # edges

_Found = tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]


def queue_order(rows: MatrixRows, start: int, meanwhile: Callable[[], None] | None = None) -> _Found | None:
    """Return the vertices that can be reached in the order of a queue, and the one that each was put there by.

    Parameters
    ----------
    rows : MatrixRows
        Row pointers in order, and columns in range, which a vertex looks at as they come; only CPU devices know what to
        do with one that is twice in a row.
    start : int
    meanwhile : callable(), optional
        Called once, while the device is at work; what it raises ends the search.

    Returns
    -------
    order : ndarray of int32
    predecessors : ndarray of int32, shape (n,)
        NO_VERTEX for the start and what cannot be reached.

    None instead of the two if the host is likely to be done sooner, or the device does it wrong.
    """
    if rows.m > 0 and _is_trusted(rows):
        search = _search_by_item if rows.job.device.kind == "cpu" else search_by_levels
        return search(rows, start, meanwhile)
    if meanwhile is not None:
        meanwhile()
    return None if rows.m > 0 else (np.array([start], np.int32), np.full(rows.n, NO_VERTEX, np.int32))


def queue_distances(rows: MatrixRows, start: int) -> npt.NDArray[np.float64] | None:
    """Return how many edges lead to each vertex, infinity for what cannot be reached.

    Parameters as for :func:`queue_order`. None if the device is no CPU with double precision, or does it wrong.
    """
    device = rows.job.device
    if device.kind != "cpu" or not device.fp64 or rows.m == 0 or not _is_trusted(rows):
        return None
    return _distances_by_item(rows, start)


def _is_trusted(rows: MatrixRows) -> bool:
    name, types = "breadth-first search in the order of a queue", tuple(rows.macros.values())
    return is_trusted(rows.job.device, name, _orders_known_graph, *types)


class _Search(NamedTuple):
    """What one work-item has found beside the queue: arrays on the device, how many vertices, and the last level."""

    ends: cl.Buffer
    level_ends: cl.Buffer
    reached: int
    last_level: int


def _search_by_item(rows: MatrixRows, start: int, meanwhile: Callable[[], None] | None = None) -> _Found:
    job, n = rows.job, rows.n
    predecessors, order = np.empty(n, np.int32), np.empty(n + constants(_QUEUE)["BLOCK"], np.int32)
    queue = job.borrow(order, writable=True)

    def clear() -> None:
        predecessors.fill(NO_VERTEX)
        if meanwhile is not None:
            meanwhile()

    found = _search(rows, start, queue, clear)
    written = job.borrow(predecessors, writable=True)
    arrays = queue, found.ends, written
    job.launch(_kernel(rows, "write_predecessors"), -(-found.reached // _PIECE), 1, *arrays, np.uint32(found.reached))
    for memory, array in ((queue, order), (written, predecessors)):
        job.give_back(memory, array)
    return order[: found.reached], predecessors


def _distances_by_item(rows: MatrixRows, start: int) -> npt.NDArray[np.float64]:
    job, n = rows.job, rows.n
    distances = np.empty(n)
    written, pieces = job.borrow(distances, writable=True), -(-n // _PIECE)
    job.launch(_kernel(rows, "clear_distances"), pieces, 1, written, np.uint32(n))
    queue = job.allocate(n + constants(_QUEUE)["BLOCK"], np.int32)
    found = _search(rows, start, queue)
    sizes = np.uint32(found.last_level), np.uint32(found.reached)
    arrays = queue, found.level_ends, written
    job.launch(_kernel(rows, "write_distances"), -(-found.reached // _PIECE), 1, *arrays, *sizes)
    job.give_back(written, distances)
    return distances


def _search(rows: MatrixRows, start: int, queue: Memory, meanwhile: Callable[[], None] | None = None) -> _Search:
    """Have the queue filled, which has room for one block more than there are vertices."""
    job, n, layout = rows.job, rows.n, constants(_FILE)
    marks, state = job.allocate(-(-n // constants(_QUEUE)["MARKS"]), np.uint64), job.allocate(4, np.uint32)
    ends, level_ends = job.allocate(n, np.uint32), job.allocate(n, np.uint32)
    begin, arrays = _kernel(rows, "begin"), (marks, queue, level_ends, state)
    job.launch(begin, -(-n // _PIECE), 1, *arrays, np.uint32(start), np.uint32(n))
    args = (rows.indptr, rows.indices, marks, queue, ends, level_ends, state)
    search = job.bind(_kernel(rows, "search"), 1, 1, *args, np.uint64(0))
    for _ in repeated(search, Pace(_FIRST_BUDGET)):
        if meanwhile is not None:
            job.queue.flush()
            meanwhile()
            meanwhile = None
        words = job.download(state, 4, np.uint32)
        head, tail, level = (int(words[layout[name]]) for name in ("HEAD", "TAIL", "LEVEL"))
        if head == tail:
            break
    return _Search(ends, level_ends, tail, level)


def _kernel(rows: MatrixRows, name: str) -> Kernel:
    device = rows.job.device
    prefetches = int(device.platform not in SIMULATORS)
    return device.kernel(_FILE, name, **{"PIECE": _PIECE, "PREFETCH_BUILT_IN": prefetches, **rows.macros})


def _orders_known_graph(device: Device, pointer: str, index: str) -> bool:
    """Return whether a device finds the order of small graphs: of one with hubs, and of a path with branches."""
    dtypes = [np.dtype({"int": np.int32, "long": np.int64}[each]) for each in (pointer, index)]
    rng = np.random.default_rng(2012)
    hubs = [np.sort(rng.choice(900, size, replace=False)) for size in rng.choice([0, 1, 3, 300], 900)]
    path = [np.arange(v + 1, min(v + 3, 300)) for v in range(300)]
    for columns in (hubs, path):
        start = int(np.argmax([len(each) for each in columns]))
        indptr, indices = (
            np.cumsum([0, *map(len, columns)]).astype(dtypes[0]),
            np.concatenate(columns).astype(dtypes[1]),
        )
        rows = MatrixRows(Job(device), indptr, indices)
        is_cpu = device.kind == "cpu"
        if is_cpu:
            answers: list[_Found | None] = [_search_by_item(rows, start)]
        else:
            answers = [search_by_levels(rows, start, sizes=[size], to_the_end=True) for size in sizes_alone(rows)]
        distances = _distances_by_item(rows, start) if is_cpu and device.fp64 else None
        rows.close()
        queue, before, levels = [start], np.full(len(columns), NO_VERTEX), np.full(len(columns), np.inf)
        levels[start] = 0
        for vertex in queue:
            for head in columns[vertex].tolist():
                if before[head] == NO_VERTEX and head != start:
                    before[head], levels[head] = vertex, levels[vertex] + 1
                    queue.append(head)
        for found in answers:
            if found is None or found[0].tolist() != queue or not np.array_equal(found[1], before):
                return False
        if distances is not None and not np.array_equal(distances, levels):
            return False
    return True
