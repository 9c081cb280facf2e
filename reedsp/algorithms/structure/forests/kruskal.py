"""Kruskal's algorithm on CPU devices (cl/forests/kruskal.cl): light edges before heavy ones are looked at."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyopencl as cl

from reedsp.algorithms.structure.forests.edges import (
    FILE,
    DeviceEdges,
    Order,
    chunk_slices,
    chunks_of,
    edge_type,
    key_macros,
)
from reedsp.device.build import SIMULATORS, constants
from reedsp.device.iterate import Pace, repeated
from reedsp.device.job import Argument, Job

_FILE = "forests/kruskal.cl"
_FIRST_BUDGET = 1 << 20  # edges, which one work-item joins in some hundredths of a second


def kruskal(
    edges: DeviceEdges, order: Order, flags: int, thresholds: list[int], chosen: cl.Buffer, job: Job
) -> dict[str, Any]:
    """Mark the edges of the spanning forest.

    Parameters
    ----------
    edges : DeviceEdges
    order : Order
    flags : int
        Of cl/forests/keys.cl: MAXIMUM as in the order, and UPPER.
    thresholds : list of int
        Largest keys of the lists that are joined one after the other, ascending; the last is the largest of all.
    chosen : pyopencl.Buffer of uint8, shape (m,)
        Zeros before.
    job : Job

    Returns
    -------
    stats : dict
    """
    search = _Kruskal(edges, order, flags, chosen, job)
    low = 0
    for number, high in enumerate(thresholds):
        if search.join(low, high, filters=number > 0) == edges.n - 1:
            break
        low = high + 1
    return {"rounds": number + 1, "edges_sorted": search.sorted_edges}


class _Kruskal:
    def __init__(self, edges: DeviceEdges, order: Order, flags: int, chosen: cl.Buffer, job: Job) -> None:
        self._edges, self._order, self._flags, self._chosen, self._job = edges, order, flags, chosen, job
        n, m = edges.n, edges.m
        self._chunks = chunks_of(m, job.device)
        self._vertex_chunks = chunks_of(n, job.device)
        self._digits = 1 << order.digit
        self._layout = constants(_FILE)
        self._macros: dict[str, str | int] = {
            **key_macros(edges.value, order),
            "DIGITS": self._digits,
            "PREFETCH_BUILT_IN": int(job.device.platform not in SIMULATORS),
        }
        self._lists = [job.allocate(m, edge_type(order)) for _ in range(2)]
        self._counts = job.allocate(self._chunks * (self._digits + 1), np.uint32)
        self._state = job.full(self._layout["STATE_WORDS"], np.uint32(0))
        self._parent, self._roots = (job.allocate(n, np.int32) for _ in range(2))
        self._launch("begin", self._vertex_chunks, n, self._parent, np.uint32(n), np.uint32(self._vertex_chunks))
        self.sorted_edges = 0

    def _launch(self, name: str, chunks: int, steps: int, *args: Argument) -> None:
        kernel = self._job.device.kernel(_FILE, name, **self._macros)
        self._job.launch(kernel, chunks, 1, *args, slices=chunk_slices(steps, chunks, self._job))

    def join(self, low: int, high: int, filters: bool) -> int:
        """Join the edges with keys from `low` to `high`; return how many edges the forest has now."""
        n = np.uint32(self._edges.n)
        if filters:
            chunks = self._vertex_chunks
            self._launch("find_roots", chunks, int(n), self._parent, self._roots, n, np.uint32(chunks))
        self._gather(low, high, filters)
        edges = self._sort()
        kernel = self._job.device.kernel(_FILE, "join", **self._macros)
        arguments = edges, self._parent, self._chosen, self._state, np.uint64(0), n
        for _ in repeated(self._job.bind(kernel, 1, 1, *arguments), Pace(_FIRST_BUDGET)):
            state = self._job.download(self._state, self._layout["STATE_WORDS"], np.uint32)
            if state[self._layout["NEXT"]] == state[self._layout["COUNT"]]:
                break
        self.sorted_edges += int(state[self._layout["COUNT"]])
        return int(state[self._layout["FOUND"]])

    def _gather(self, low: int, high: int, filters: bool) -> None:
        edges, order, job = self._edges, self._order, self._job
        flags = self._flags | (constants(_FILE)["FILTERS"] if filters else 0)
        kernel = job.device.kernel(FILE, "gather_chunks", **edges.macros(order))
        arrays = (
            edges.indptr,
            edges.tails_or_rows(),
            edges.heads,
            edges.values,
            self._roots,
            self._lists[0],
            self._counts,
        )
        keys = np.uint64(order.origin), np.uint64(low), np.uint64(high)
        sizes = np.uint64(edges.m), np.uint32(edges.n), np.uint32(flags), np.uint32(self._chunks)
        slices = chunk_slices(edges.m, self._chunks, job)
        job.launch(kernel, self._chunks, 1, *arrays, *keys, *sizes, slices=slices)

    def _sort(self) -> cl.Buffer:
        """Return the list of the gathered edges in their order."""
        order, chunks = self._order, np.uint32(self._chunks)
        source, target = self._lists
        gaps = np.uint64(self._edges.m)
        for shift in range(0, order.bits, order.digit):
            steps = self._chunks, self._edges.m
            if shift > 0:
                self._launch("count_digits", *steps, source, self._state, self._counts, np.uint32(shift), chunks)
            is_first = np.uint32(shift == 0)
            self._launch("scan_digits", 1, 1, self._counts, self._state, chunks, is_first)
            where = np.uint32(shift), gaps if shift == 0 else np.uint64(0), chunks
            self._launch("sort_digits", *steps, source, self._counts, self._state, target, *where)
            source, target = target, source
        return source
