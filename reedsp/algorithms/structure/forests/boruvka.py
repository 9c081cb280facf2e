"""Boruvka's algorithm by work-groups (cl/forests/boruvka.cl), on lists of light edges first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyopencl as cl

from reedsp.algorithms.structure.forests.edges import (
    GROUP_SIZE,
    DeviceEdges,
    Order,
    edge_type,
    group_items,
    key_macros,
)
from reedsp.arithmetic.types import C_TYPES
from reedsp.device.build import constants
from reedsp.device.job import Argument, BoundKernel, Job

_FILE, _ROWS = "forests/boruvka.cl", "forests/rows.cl"
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
    low, rounds = 0, search.begin()
    for high in thresholds:
        rounds += search.join(low, high, filters=rounds > 0)
        low = high + 1
    edges.give_scratch((order.key_bits, search.wide), search.buffers)
    return {"rounds": rounds}


@dataclass(frozen=True)
class _Buffers:
    """What a search writes to; see cl/forests/boruvka.cl."""

    lists: list[cl.Buffer]
    best: cl.Buffer
    next: cl.Buffer
    roots: cl.Buffer
    counts: cl.Buffer


class _Boruvka:
    def __init__(self, edges: DeviceEdges, order: Order, flags: int, chosen: cl.Buffer, job: Job, wide: bool) -> None:
        self._edges, self._order, self._flags, self._chosen, self._job = edges, order, flags, chosen, job
        self.wide = wide
        self._macros: dict[str, str | int] = {
            **key_macros(edges.value, order),
            "INDEX": C_TYPES[edges.index],
            "ATOMICS_64": int(wide),
            "ATOMIC_LOADS": int(not job.device.loads_are_atomic),
            "GROUP_SIZE": GROUP_SIZE,
        }
        self._words = 2 if wide and order.key_bits == 64 else 1 if wide else 1 + order.key_bits // 32
        self.buffers: _Buffers = edges.take_scratch((order.key_bits, wide), self._allocated)
        self._kernels = [self._round(parity) for parity in range(2)]

    def _allocated(self) -> _Buffers:
        job, n, edge = self._job, self._edges.n, edge_type(self._order)
        most = self._edges.m // 2 if self._edges.is_symmetric else self._edges.m
        return _Buffers(
            lists=[job.allocate(most, edge, keep=True) for _ in range(2)],
            best=job.allocate(2 * self._words * n, np.uint64 if self.wide else np.uint32, keep=True),
            next=job.allocate(n, np.int32, keep=True),
            roots=job.allocate(n, np.int32, keep=True),
            counts=job.allocate(_MOST_ROUNDS + 1, np.uint32, keep=True),
        )

    def _round(self, parity: int) -> list[BoundKernel]:
        """Return the kernels of an even or an odd round."""
        buffers, m, n, this = self.buffers, self._edges.m, np.uint32(self._edges.n), np.uint32(parity)
        edges, left = buffers.lists if parity == 0 else buffers.lists[::-1]
        state = buffers.counts, buffers.best
        return [
            self._bind("shorten", m, edges, left, *state, buffers.next, this, n),
            *(self._bind("lower", m, left, *state, np.uint32(word), this, n) for word in range(1, self._words)),
            self._bind("join", m, left, *state, buffers.next, self._chosen, this, n),
        ]

    def _bind(self, name: str, count: int, *args: Argument) -> BoundKernel:
        kernel = self._job.device.kernel(_FILE, name, **self._macros)
        return self._job.bind(kernel, group_items(self._job.device, count), GROUP_SIZE, *args)

    def begin(self) -> int:
        """Begin with each vertex by itself, or joined by its first edge, where rows tell that; return rounds so far."""
        edges = self._edges
        if not edges.is_symmetric:
            self._bind("begin", edges.n, self.buffers.next, np.uint32(edges.n)).queue()
            return 0
        types = {"POINTER": C_TYPES[edges.pointer], "INDEX": C_TYPES[edges.index]}
        macros = {**key_macros(edges.value, self._order), **types, "GROUP_SIZE": GROUP_SIZE}
        kernel = self._job.device.kernel(_ROWS, "join_rows", **macros)
        arrays = edges.indptr, edges.heads, edges.values, self.buffers.next, self._chosen
        numbers = np.uint64(self._order.origin), np.uint32(edges.n), np.uint32(self._flags)
        self._job.launch(kernel, group_items(self._job.device, edges.n), GROUP_SIZE, *arrays, *numbers)
        return 1

    def join(self, low: int, high: int, filters: bool) -> int:
        """Join the edges with keys from `low` to `high`; return the number of rounds."""
        job, n = self._job, np.uint32(self._edges.n)
        buffers = self.buffers
        if filters:
            self._bind("find_roots", self._edges.n, buffers.next, buffers.roots, n).queue()
        job.fill(buffers.counts, _MOST_ROUNDS + 1, np.uint32(0))
        self._bind("clear", 2 * self._words * self._edges.n, buffers.best, n).queue()
        self._gather(low, high, filters)
        last, batch = 0, _FIRST_BATCH
        while True:
            for number in range(last, last + batch):
                for kernel in self._kernels[number % 2][int(number == 0) :]:
                    kernel.set("round", np.uint32(number))
                    kernel.queue()
            last += batch
            counts = job.download(buffers.counts, _MOST_ROUNDS + 1, np.uint32)
            if counts[last] == 0:
                return int(np.count_nonzero(counts))
            batch = min(_BATCH, _MOST_ROUNDS - last)

    def _gather(self, low: int, high: int, filters: bool) -> None:
        """Do what comes first in the first round, in place of `shorten`."""
        edges, buffers = self._edges, self.buffers
        flags = self._flags | (constants(_FILE)["FILTERS"] if filters else 0)
        arrays = edges.tails(self._job), edges.heads, edges.values, buffers.roots
        written = buffers.lists[1], buffers.counts, buffers.best
        keys = np.uint64(self._order.origin), np.uint64(low), np.uint64(high)
        sizes = np.uint64(edges.m), np.uint32(edges.n), np.uint32(flags)
        self._bind("gather", edges.m, *arrays, *written, *keys, *sizes).queue()
