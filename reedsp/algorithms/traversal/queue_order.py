"""Breadth-first search in the order of a queue, on CPU devices (cl/traversal/queue_order.cl)."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.arithmetic.types import C_TYPES
from reedsp.device.build import SIMULATORS
from reedsp.device.device import Device
from reedsp.device.iterate import Pace
from reedsp.device.job import Job
from reedsp.edges.device_graph import NO_VERTEX

_FILE = "traversal/queue_order.cl"
_PIECE = 1 << 14  # vertices
_FIRST_BUDGET = 1 << 23  # edges


def queue_order(
    device: Device, indptr: npt.NDArray[Any], indices: npt.NDArray[Any], start: int
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Return the vertices that can be reached in the order of a queue, and the one that each was put there by.

    A queue is for one core: where the device is no CPU, SciPy's serves, on the host.

    Parameters
    ----------
    device : Device
    indptr : ndarray of int32 or int64, shape (n + 1,)
        Row pointers, in order.
    indices : ndarray of int32 or int64, shape (m,)
        Columns, in range. A vertex looks at its own as they come.
    start : int

    Returns
    -------
    order : ndarray of int32
    predecessors : ndarray of int32, shape (n,)
        NO_VERTEX for the start and what cannot be reached.
    """
    n, m = len(indptr) - 1, len(indices)
    if m == 0:
        return np.array([start], np.int32), np.full(n, NO_VERTEX, np.int32)
    if device.kind != "cpu":
        import scipy.sparse
        from scipy.sparse.csgraph import breadth_first_order

        matrix = scipy.sparse.csr_array((np.ones(m), indices, indptr), shape=(n, n))
        order, before = breadth_first_order(matrix, start)
        return order, before
    job = Job(device, recycle=True)
    types = {"POINTER": C_TYPES[indptr.dtype], "INDEX": C_TYPES[indices.dtype]}
    prefetches = int(device.platform not in SIMULATORS)
    macros: dict[str, str | int] = {"PIECE": _PIECE, "PREFETCH_BUILT_IN": prefetches, **types}
    kernels = {name: device.kernel(_FILE, name, **macros) for name in ("begin", "search", "write_predecessors")}
    pointers, columns = (job.borrow(np.ascontiguousarray(array), writable=False) for array in (indptr, indices))
    seen, state = job.allocate(n, np.uint8), job.allocate(2, np.uint32)
    queue, parents = job.allocate(n + 1, np.int32), job.allocate(n + 1, np.int32)
    predecessors = np.empty(n, np.int32)
    written = job.borrow(predecessors, writable=True)
    sizes = np.uint32(start), np.uint32(n)
    job.launch(kernels["begin"], -(-n // _PIECE), 1, seen, queue, written, state, *sizes)
    pace = Pace(_FIRST_BUDGET)
    args = (pointers, columns, seen, queue, parents, state)
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
    job.recycle()
    return order, predecessors
