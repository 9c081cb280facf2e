"""Boruvka's algorithm by work-groups (cl/structure/forest_boruvka.cl), on lists of light edges first."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyopencl as cl

from reedsp.algorithms.structure.forests.edges import (
    FILE,
    GROUP_SIZE,
    DeviceEdges,
    Order,
    edge_type,
    group_items,
    key_macros,
)
from reedsp.device.build import constants
from reedsp.device.job import BoundKernel, Job

_FILE = "structure/forest_boruvka.cl"
_FIRST_BATCH, _BATCH = 5, 4  # rounds between two looks at the device
_MOST_ROUNDS = 32  # each at least halves the trees that edges leave


def boruvka(
    edges: DeviceEdges,
    order: Order,
    flags: int,
    thresholds: list[int],
    chosen: cl.Buffer,
    job: Job,
    *,
    wide: bool | None = None,
) -> dict[str, Any]:
    """Mark the edges of the spanning forest; parameters as for :func:`.kruskal`.

    Parameters
    ----------
    wide : bool, optional
        Whether to use 64-bit atomic operations; by default where the device has them.

    Returns
    -------
    stats : dict
    """
    search = _Boruvka(edges, order, flags, chosen, job, job.device.int64_atomics if wide is None else wide)
    low, rounds = 0, 0
    for number, high in enumerate(thresholds):
        rounds += search.join(low, high, filters=number > 0)
        low = high + 1
    return {"rounds": rounds}


class _Boruvka:
    def __init__(
        self, edges: DeviceEdges, order: Order, flags: int, chosen: cl.Buffer, job: Job, wide: bool
    ) -> None:
        self._edges, self._order, self._flags, self._chosen, self._job = edges, order, flags, chosen, job
        self._macros: dict[str, str | int] = {
            **key_macros(edges.value, order),
            "WIDE": int(wide),
            "ATOMIC_LOADS": int(not job.device.loads_are_atomic),
            "GROUP_SIZE": GROUP_SIZE,
        }
        n, m = edges.n, edges.m
        self._words = 2 if wide and order.key_bits == 64 else 1 if wide else 1 + order.key_bits // 32
        self._lists = [job.allocate(m, edge_type(order)) for _ in range(2)]
        self._best = job.allocate(2 * self._words * n, np.uint64 if wide else np.uint32)
        self._parent, self._roots = (job.allocate(n, np.int32) for _ in range(2))
        self._counts = job.allocate(_MOST_ROUNDS + 1, np.uint32)
        self._bind("begin", n, self._parent, np.uint32(n)).queue()

    def _bind(self, name: str, count: int, *args: cl.Buffer | np.generic) -> BoundKernel:
        kernel = self._job.device.kernel(_FILE, name, **self._macros)
        return self._job.bind(kernel, group_items(self._job.device, count), GROUP_SIZE, *args)

    def join(self, low: int, high: int, filters: bool) -> int:
        """Join the edges with keys from `low` to `high`; return the number of rounds."""
        job, n = self._job, np.uint32(self._edges.n)
        if filters:
            self._bind("find_roots", self._edges.n, self._parent, self._roots, n).queue()
        job.fill(self._counts, _MOST_ROUNDS + 1, np.uint32(0))
        self._bind("clear", 2 * self._words * self._edges.n, self._best, n).queue()
        self._gather(low, high, filters)
        last, batch = 0, _FIRST_BATCH
        while True:
            for number in range(last, last + batch):
                self._queue_round(number)
            last += batch
            counts = job.download(self._counts, _MOST_ROUNDS + 1, np.uint32)
            if counts[last] == 0:
                return int(np.count_nonzero(counts))
            batch = min(_BATCH, _MOST_ROUNDS - last)

    def _gather(self, low: int, high: int, filters: bool) -> None:
        edges, job = self._edges, self._job
        flags = self._flags | (constants(_FILE)["FILTERS"] if filters else 0)
        kernel = job.device.kernel(FILE, "gather", **edges.macros(self._order))
        arrays = edges.tails(job), edges.heads, edges.values, self._roots, self._lists[0], self._counts
        keys = np.uint64(self._order.origin), np.uint64(low), np.uint64(high)
        job.launch(
            *(kernel, group_items(job.device, edges.m), GROUP_SIZE),
            *(*arrays, *keys, np.uint64(edges.m), np.uint32(flags)),
        )

    def _queue_round(self, number: int) -> None:
        m, n, this = self._edges.m, np.uint32(self._edges.n), np.uint32(number)
        edges, left = self._lists if number % 2 == 0 else self._lists[::-1]
        self._bind("shorten", m, edges, left, self._counts, self._best, self._parent, this, n).queue()
        for word in range(1, self._words):
            self._bind("lower", m, left, self._counts, self._best, np.uint32(word), this, n).queue()
        self._bind("join", m, left, self._counts, self._best, self._parent, self._chosen, this, n).queue()
