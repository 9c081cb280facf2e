"""Dinic's algorithm by one work-item (cl/flow/arcs.cl, cl/flow/dinic.cl)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.algorithms.structure.flow.capacities import Found, Network
from reedsp.arithmetic.types import C_TYPES
from reedsp.device.build import constants
from reedsp.device.iterate import Pace, repeated
from reedsp.device.job import Argument, Job
from reedsp.edges.preparation import MatrixRows
from reedsp.system.progress_bar import Report

_ARCS_FILE = "flow/arcs.cl"
_SEARCH_FILE = "flow/dinic.cl"
_PART = 1 << 21  # edges a launch
_FIRST_BUDGET = 1 << 22  # arcs


class Dinic:
    """The search for a flow, which has been prepared: the residual graph is on the device.

    Parameters
    ----------
    job : Job
    network : Network
        Whose arrays the kernels of a CPU device read where they are, until :meth:`close`.
    """

    def __init__(self, job: Job, network: Network) -> None:
        self._job, self._network = job, network
        self._amount = np.dtype(np.uint32 if network.is_narrow else np.uint64)
        self._rows = MatrixRows(job, network.indptr, network.indices)
        self._capacities = job.reads(network.capacities)
        self._macros = {
            **self._rows.macros,
            "CAPACITY": C_TYPES[network.capacities.dtype],
            "AMOUNT": C_TYPES[self._amount],
        }
        self._bound = np.uint64(network.bound)
        self._prepare()

    def close(self) -> None:
        """Read the arrays of the network no more."""
        self._rows.close()

    def _in_parts(self, file: str, name: str, ranges: Iterator[tuple[int, int]], *args: Argument) -> None:
        """Launch a kernel for one range after the other, and wait for each but the last."""
        bound = self._job.bind(self._job.device.kernel(file, name, **self._macros), 1, 1, *args, *[np.uint64(0)] * 2)
        for number, (begin, end) in enumerate(ranges):
            if number:
                self._job.finish()
            bound.set("begin", np.uint64(begin))
            bound.set("end", np.uint64(end))
            bound.queue()

    def _vertices(self) -> Iterator[tuple[int, int]]:
        """Yield ranges of vertices that have some edges each."""
        network = self._network
        ends = np.searchsorted(network.indptr, np.arange(_PART, network.m, _PART)).tolist()
        return pairwise(sorted({0, *(min(end, network.n) for end in ends), network.n}))

    def _prepare(self) -> None:
        job, network, rows = self._job, self._network, self._rows
        n, m = network.n, network.m
        column_end = job.full(n + 1, np.uint32(0))
        sources, incoming = job.allocate(m, np.int32), job.allocate(m, self._amount)
        self._first, cursor = job.allocate(n + 1, np.uint32), job.allocate(n, np.uint32)
        self._arcs = job.allocate(2 * m * (8 + 2 * self._amount.itemsize), np.uint8)
        edges = (rows.indptr, rows.indices, self._capacities)
        columns = (column_end, sources, incoming)
        parts = pairwise([*range(0, m, _PART), m])
        self._in_parts(_ARCS_FILE, "count", parts, rows.indices, column_end)
        self._in_parts(_ARCS_FILE, "sum", pairwise([*range(0, n, 8 * _PART), n]), column_end)
        self._in_parts(_ARCS_FILE, "transpose", self._vertices(), *edges, *columns, self._bound)
        arcs = (self._first, cursor, self._arcs)
        self._in_parts(_ARCS_FILE, "merge", self._vertices(), *edges, *columns, *arcs, self._bound)
        self._in_parts(_ARCS_FILE, "pair", self._vertices(), *arcs)

    def run(self, progress: Report | None = None) -> tuple[int, int]:
        """Search to the end; return the value of the flow and the number of phases."""
        job, network, n = self._job, self._network, self._network.n
        layout = constants(_SEARCH_FILE)
        self._level = job.full(n, np.uint32(layout["UNSEEN"]))
        position, path = job.allocate(n, np.uint32), job.allocate(n, np.uint32)
        queue = job.allocate(n, np.int32)
        left, sent = job.allocate(n + 1, self._amount), job.allocate(n + 1, self._amount)
        state = job.full(layout["STATE_WORDS"], np.uint64(0))
        kernel = job.device.kernel(_SEARCH_FILE, "search", **self._macros)
        ends = (np.uint32(network.source), np.uint32(network.sink), self._bound)
        args = (self._first, self._arcs, self._level, position, queue, path, left, sent, state, *ends)
        for _ in repeated(job.bind(kernel, 1, 1, *args, np.uint64(0)), Pace(_FIRST_BUDGET)):
            words = job.download(state, layout["STATE_WORDS"], np.uint64)
            if words[layout["STEP"]] == layout["DONE"]:
                break
            if progress is not None:
                progress(int(words[layout["PHASES"]]), n)
        return int(words[layout["FLOW"]]), int(words[layout["PHASES"]])

    def source_side(self) -> npt.NDArray[np.bool_]:
        """Return which vertices the source still reaches."""
        level = self._job.download(self._level, self._network.n, np.uint32)
        return np.asarray(level != constants(_SEARCH_FILE)["UNSEEN"])

    def flow(self) -> npt.NDArray[Any]:
        """Return what flows along each edge."""
        network = self._network
        flow = np.empty(network.m, network.capacities.dtype)
        edges = (self._rows.indptr, self._rows.indices, self._capacities, self._first, self._arcs)
        with self._job.writes(flow) as buffer:
            self._in_parts(_SEARCH_FILE, "write_flow", self._vertices(), *edges, buffer, self._bound)
        return flow

    def net(self) -> tuple[npt.NDArray[Any], npt.NDArray[np.int32], npt.NDArray[np.uint32]]:
        """Return what flows between two vertices, less what flows back: the CSR arrays data, indices and indptr."""
        network, job = self._network, self._job
        first = job.download(self._first, network.n + 1, np.uint32)
        heads, net = np.empty(first[-1], np.int32), np.empty(first[-1], network.capacities.dtype)
        edges = (self._rows.indptr, self._rows.indices, self._capacities, self._first, self._arcs)
        with job.writes(heads) as indices, job.writes(net) as data:
            self._in_parts(_SEARCH_FILE, "write_net", self._vertices(), *edges, indices, data, self._bound)
        return net, heads, first


def dinic(job: Job, network: Network, progress: Report | None = None) -> Found:
    """Return the maximum flow that Dinic's algorithm finds: the same as SciPy's.

    Parameters
    ----------
    job : Job
    network : Network
        With an edge.
    progress : callable(phases, vertices), optional
    """
    search = Dinic(job, network)
    try:
        value, phases = search.run(progress)
        with job.phases.within("download"):
            return Found(value, search.flow(), search.source_side(), phases)
    finally:
        search.close()
