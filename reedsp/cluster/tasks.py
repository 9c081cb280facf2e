"""What a worker does for searches: rows of distances or levels, written, given to a function, or returned."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from reedsp.algorithms.routes.statistics import Question, measured_on
from reedsp.algorithms.single_source.sssp import distances, sssp
from reedsp.algorithms.traversal.bfs import bfs
from reedsp.cluster import plan
from reedsp.cluster.output import Output
from reedsp.cluster.worker import registry
from reedsp.cluster.worker.published import Published
from reedsp.device.device import Device
from reedsp.device.errors import DeviceMemoryError
from reedsp.edges.statistics import Measured
from reedsp.graph.graph import Graph


@dataclass(frozen=True)
class Search:
    """What is searched for, in a graph of indices.

    Attributes
    ----------
    function : {"sssp", "bfs"}
    itemsize : int
        Bytes of a path weight.
    arguments : mapping
        Of the function, but for graph, sources and device.
    """

    function: str
    itemsize: int
    arguments: Mapping[str, Any] = field(default_factory=dict)

    def found(self, graph: Graph, sources: Sequence[int], device: Device) -> Any:
        """Return what the function finds from several sources."""
        function: Callable[..., Any] = sssp if self.function == "sssp" else bfs
        return function(graph, list(sources), device=device, progress=False, **self.arguments)

    def rows(self, graph: Graph, sources: Sequence[int], device: Device) -> npt.NDArray[Any]:
        """Return a row for each source: distances, or levels."""
        if self.function == "sssp":
            return distances(graph, list(sources), device, **self.arguments)
        levels: npt.NDArray[np.int32] = self.found(graph, sources, device).levels
        return levels


class Trees(NamedTuple):
    """Everything that a search from some sources found."""

    rows: npt.NDArray[Any]
    pred: npt.NDArray[np.int32]
    exact: npt.NDArray[Any] | None
    method: str
    rounds: int
    device: str
    rows_from_host: tuple[int, ...]
    stats: Mapping[str, Any]


class Memory(NamedTuple):
    """The memory of a worker's device."""

    device: str
    kind: str
    there: int


def memory() -> Memory:
    """Return the memory of this worker's device."""
    device = registry.device()
    return Memory(str(device), device.kind, device.global_memory)


def rows(published: Published, search: Search, sources: Sequence[int]) -> npt.NDArray[Any]:
    """Return a row for each source."""
    graph, device = _ready(published, search)
    with registry.lock():
        return np.concatenate(in_halves(lambda some: search.rows(graph, some, device), sources))


def written(published: Published, search: Search, sources: Sequence[int], output: Output, first: int) -> None:
    """Write a row for each source to an array, from one row on."""
    output.write(first, rows(published, search, sources))


def mapped(
    published: Published,
    search: Search,
    sources: Sequence[int],
    function: Callable[[Any, npt.NDArray[Any]], Any],
    names: Sequence[Any],
) -> list[Any]:
    """Return what a function makes of each source's name and row."""
    graph, device = _ready(published, search)

    def answers(some: Sequence[int]) -> npt.NDArray[Any]:
        with registry.lock():
            return search.rows(graph, some, device)

    found = (row for part in in_halves(answers, sources) for row in part)
    return [function(name, row) for name, row in zip(names, found, strict=True)]


def columns(
    published: Published, search: Search, sources: Sequence[int], targets: npt.NDArray[np.intp]
) -> npt.NDArray[Any]:
    """Return some columns of the row of each source."""
    return np.ascontiguousarray(rows(published, search, sources)[:, targets])


def statistics(published: Published, search: Search, sources: Sequence[int]) -> Measured:
    """Return statistics of the row of each source."""
    graph, device = _ready(published, search)
    is_weighted = search.function == "sssp"
    question = Question(graph, np.dtype(search.arguments["dtype"] if is_weighted else np.int32), not is_weighted)

    def found(some: Sequence[int]) -> Measured:
        return measured_on(question, graph, np.array(some, np.intp), device)

    with registry.lock():
        return Measured.joined(in_halves(found, sources), question.found)


def trees(published: Published, search: Search, sources: Sequence[int]) -> list[Trees]:
    """Return rows and predecessors, and how they were found."""
    graph, device = _ready(published, search)

    def found(some: Sequence[int]) -> Trees:
        result = search.found(graph, some, device)
        is_sssp = search.function == "sssp"
        about = (result.method, result.rounds if is_sssp else 0, result.device)
        rows, exact = (result.dist, result._exact) if is_sssp else (result.levels, None)
        from_host = tuple(sorted(result._rows_from_host)) if is_sssp else ()
        return Trees(rows, result.pred, exact, *about, from_host, result.stats)

    with registry.lock():
        return in_halves(found, sources)


def in_halves(solve: Callable[[Sequence[int]], Any], sources: Sequence[int]) -> list[Any]:
    """Return what is found from all sources, or where memory is short from parts of them, which are halved."""
    short: MemoryError | None = None
    try:
        return [solve(sources)]
    except MemoryError as error:
        short = error
    if len(sources) < 2:
        raise short.with_traceback(None)
    del short
    middle = len(sources) // 2
    return [*in_halves(solve, sources[:middle]), *in_halves(solve, sources[middle:])]


def _ready(published: Published, search: Search) -> tuple[Graph, Device]:
    """Return the graph and the device, which has memory for it."""
    device = registry.device()
    check_memory(registry.name(), memory(), published, search.itemsize)
    return registry.graph(published), device


def check_memory(worker: str, memory: Memory, graph: Published, itemsize: int) -> None:
    """Raise DeviceMemoryError if a worker's device has no memory for a graph, whatever else is on it."""
    needed = plan.bytes_needed(graph.n, graph.m, itemsize)
    if needed > memory.there:
        raise DeviceMemoryError(
            f"worker {worker}: the graph needs {needed:,} bytes, {memory.device} has {memory.there:,}"
        )
