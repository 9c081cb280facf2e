"""Breadth-first search in the order of a queue: by one work-item of a CPU, or by the work-groups of a GPU."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from reedsp.algorithms.traversal.queue_levels import search_by_levels
from reedsp.device.build import SIMULATORS, constants
from reedsp.device.device import Device
from reedsp.device.iterate import Pace
from reedsp.device.job import Job
from reedsp.device.selfcheck import is_trusted
from reedsp.edges.device_graph import NO_VERTEX
from reedsp.edges.preparation import MatrixRows

_FILE = "traversal/queue_order.cl"
_PIECE = 1 << 14  # vertices
_FIRST_BUDGET = 1 << 23  # edges

_Found = tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]


def queue_order(rows: MatrixRows, start: int) -> _Found | None:
    """Return the vertices that can be reached in the order of a queue, and the one that each was put there by.

    Parameters
    ----------
    rows : MatrixRows
        In order, and with columns in range; only CPU devices know what to do with one that is twice in a row. A vertex
        looks at its own as they come.
    start : int

    Returns
    -------
    order : ndarray of int32
    predecessors : ndarray of int32, shape (n,)
        NO_VERTEX for the start and what cannot be reached.

    None instead of the two if the host is likely to be done sooner, or the device does it wrong.
    """
    if rows.m == 0:
        return np.array([start], np.int32), np.full(rows.n, NO_VERTEX, np.int32)
    device = rows.job.device
    types = tuple(rows.macros.values())
    if not is_trusted(device, "breadth-first search in the order of a queue", _orders_known_graph, *types):
        return None
    return (_search_by_item if device.kind == "cpu" else search_by_levels)(rows, start)


def _search_by_item(rows: MatrixRows, start: int) -> _Found:
    job, n = rows.job, rows.n
    prefetches = int(job.device.platform not in SIMULATORS)
    macros: dict[str, str | int] = {"PIECE": _PIECE, "PREFETCH_BUILT_IN": prefetches, **rows.macros}
    kernels = {name: job.device.kernel(_FILE, name, **macros) for name in ("begin", "search", "write_predecessors")}
    marks, state = job.allocate(-(-n // 32), np.uint32), job.allocate(2, np.uint32)
    queue, parents = job.allocate(n + constants(_FILE)["BLOCK"], np.int32), job.allocate(n + 1, np.int32)
    predecessors = np.empty(n, np.int32)
    written = job.borrow(predecessors, writable=True)
    job.launch(kernels["begin"], -(-n // _PIECE), 1, marks, queue, written, state, np.uint32(start), np.uint32(n))
    pace = Pace(_FIRST_BUDGET)
    args = (rows.indptr, rows.indices, marks, queue, parents, state)
    search = job.bind(kernels["search"], 1, 1, *args, np.uint64(pace.amount))
    budget = kernels["search"].position_of("budget")
    while True:
        pace.begin()
        search.queue()
        head, tail = map(int, job.download(state, 2, np.uint32))
        if head == tail:
            break
        pace.adapt()
        search.set(budget, np.uint64(pace.amount))
    job.launch(kernels["write_predecessors"], -(-tail // _PIECE), 1, queue, parents, written, np.uint32(tail))
    order = job.download(queue, tail, np.int32)
    job.give_back(written, predecessors)
    return order, predecessors


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
        found = _search_by_item(rows, start) if device.kind == "cpu" else search_by_levels(rows, start, to_the_end=True)
        rows.close()
        queue, before = [start], np.full(len(columns), NO_VERTEX)
        for vertex in queue:
            for head in columns[vertex].tolist():
                if before[head] == NO_VERTEX and head != start:
                    before[head] = vertex
                    queue.append(head)
        if found is None or found[0].tolist() != queue or not np.array_equal(found[1], before):
            return False
    return True
