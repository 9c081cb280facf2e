"""Whether edges are a spanning forest, decided by the cycle rule, on a device by cl/forests/verify.cl."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyopencl as cl

from reedsp.algorithms.structure.forests.edges import GROUP_SIZE, DeviceEdges, group_items, in_order, key_macros
from reedsp.algorithms.structure.forests.verify_on_host import verify_forest_on_host
from reedsp.arithmetic.types import C_TYPES
from reedsp.device.build import constants
from reedsp.device.device import Device
from reedsp.device.iterate import Pace, repeated
from reedsp.device.job import Argument, BoundKernel, Job, Memory
from reedsp.edges.verify import VerificationError, check_array
from reedsp.graph.graph import Graph, edge_sources

_FILE = "forests/verify.cl"
_FIRST_BUDGET = 1 << 14
_EDGES_AT_ONCE = 1 << 20


def verify_forest(
    graph: Graph,
    ends: npt.NDArray[np.int32],
    weights: npt.NDArray[Any],
    maximum: bool,
    device: Device | None,
) -> None:
    """Check that edges are the spanning forest of a graph that is read without direction; None is the host.

    Raises
    ------
    VerificationError
        They are not; the message names an edge, or an array that is of another shape or type.
    """
    _check_form(graph, ends, weights)
    if graph.m == 0:
        if len(weights):
            raise VerificationError(f"edge {_named(graph, *ends[0])}: the graph has no edges")
        return
    if device is None:
        verify_forest_on_host(graph, ends, weights, maximum)
        return
    job = Job(device, recycle=True)
    edges = DeviceEdges(job, graph.n, graph.indices, graph.weights, indptr=graph.indptr)
    try:
        _Check(graph, edges, ends, weights, maximum, job).run()
    finally:
        job.return_borrowed()
        job.recycle()


def _check_form(graph: Graph, ends: npt.NDArray[np.int32], weights: npt.NDArray[Any]) -> None:
    """Check that there is a weight for each edge, and that ends are vertices, in ascending order."""
    check_array("weights", weights, (getattr(weights, "size", graph.n),), graph.weights.dtype)
    check_array("ends", ends, (len(weights), 2), np.int32)
    wrong = (ends < 0).any(axis=1) | (ends >= graph.n).any(axis=1) | (ends[:, 0] >= ends[:, 1])
    wrong[1:] |= (np.diff(ends[:, 0]) < 0) | ((np.diff(ends[:, 0]) == 0) & (np.diff(ends[:, 1]) <= 0))
    if wrong.any():
        edge = int(np.argmax(wrong))
        raise VerificationError(f"edge {edge}: its ends {ends[edge].tolist()} are no vertices, or not in order")


class _Check:
    def __init__(
        self,
        graph: Graph,
        edges: DeviceEdges,
        ends: npt.NDArray[np.int32],
        weights: npt.NDArray[Any],
        maximum: bool,
        job: Job,
    ) -> None:
        ordered = in_order(weights)
        self._graph, self._edges, self._job = graph, edges, job
        by_weight = np.argsort(~ordered if maximum else ordered, kind="stable")
        self._ends, self._weights = ends[by_weight], weights[by_weight]
        self._layout = constants(_FILE)
        self._flags = np.uint32(self._layout["MAXIMUM"] if maximum else 0)
        self._macros: dict[str, str | int] = {
            **key_macros(edges.value, None),
            "INDEX": C_TYPES[edges.index],
            "GROUP_SIZE": GROUP_SIZE,
        }

    def _bind(self, name: str, count: int, *args: Argument) -> BoundKernel:
        kernel = self._job.device.kernel(_FILE, name, **self._macros)
        return self._job.bind(kernel, group_items(self._job.device, count), GROUP_SIZE, *args)

    def run(self) -> None:
        job, n, count, layout = self._job, self._graph.n, len(self._weights), self._layout
        never = np.uint32(layout["NEVER"])
        parent, since, sizes = (job.allocate(n, each) for each in (np.int32, np.uint32, np.uint32))
        on_device = job.upload(self._ends), job.upload(self._weights)
        self._bind("begin", n, parent, since, sizes, np.uint32(n)).queue()
        self._unite(on_device[0], (parent, since, sizes), count)
        found, offenders = job.full(count, np.uint8(0)), job.full(2, never)
        edges = self._edges.tails(job), self._edges.heads, self._edges.values
        forest = *on_device, parent, since, found, offenders, self._flags
        for first in range(0, self._edges.m, _EDGES_AT_ONCE):
            end = min(first + _EDGES_AT_ONCE, self._edges.m)
            self._bind("check", end - first, *edges, *forest, np.uint32(first), np.uint32(end)).queue()
            job.add_steps(end - first)
        split, better = job.download(offenders, 2, np.uint32).tolist()
        if split != never:
            raise VerificationError(f"edge {self._named_of_graph(split)}: no tree holds both of its ends")
        if better != never:
            way = "the forest has an edge between its ends that comes later in the order"
            raise VerificationError(f"edge {self._named_of_graph(better)}: {way}")
        missing = job.download(found, count, np.uint8) == 0
        if missing.any():
            edge = int(np.argmax(missing))
            raise VerificationError(
                f"edge {self._named(edge)}: the graph has no such edge of weight {self._weights[edge]}"
            )

    def _unite(self, ends: cl.Buffer, sets: tuple[Memory, ...], count: int) -> None:
        """Unite the ends of the edges of the forest, one after the other."""
        job, layout = self._job, self._layout
        state = job.upload(np.array([0, layout["NEVER"]], np.uint32))
        kernel = job.device.kernel(_FILE, "unite", **self._macros)
        unite = job.bind(kernel, 1, 1, ends, *sets, state, np.uint64(0), np.uint32(count))
        for _ in repeated(unite, Pace(_FIRST_BUDGET)):
            done, cycle = job.download(state, 2, np.uint32).tolist()
            if cycle != layout["NEVER"]:
                raise VerificationError(f"edge {self._named(cycle)}: it closes a cycle")
            if done == count:
                return

    def _named(self, edge: int) -> str:
        return _named(self._graph, *self._ends[edge])

    def _named_of_graph(self, edge: int) -> str:
        ends = sorted((int(edge_sources(self._graph)[edge]), int(self._graph.indices[edge])))
        return _named(self._graph, *ends)


def _named(graph: Graph, smaller: int, larger: int) -> str:
    return f"({graph.names[smaller]!r}, {graph.names[larger]!r})"
