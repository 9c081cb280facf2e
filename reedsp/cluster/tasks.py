"""What a worker does for searches: rows of distances or levels, written, given to a function, or returned."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from reedsp.algorithms.routes.statistics import Question, measured_on
from reedsp.algorithms.single_source.sssp import distances, sssp
from reedsp.algorithms.traversal.bfs import bfs
from reedsp.arithmetic.paths import Arithmetic, choose_arithmetic, to_result
from reedsp.cluster import plan
from reedsp.cluster.output import Output
from reedsp.cluster.worker import registry
from reedsp.cluster.worker.published import Published
from reedsp.cluster.worker.serve import NAMED
from reedsp.device.device import Device
from reedsp.device.errors import DeviceMemoryError
from reedsp.edges.negative_cycle_error import NegativeCycleError
from reedsp.edges.overflow_error import VertexOverflowError
from reedsp.edges.statistics import Measured
from reedsp.graph.graph import EXACT_IN_FLOAT64, Graph

_INT64 = np.dtype(np.int64)


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

    def as_added(self, graph: Graph) -> Search:
        """Return the same for distances as they are added, if the type that is asked for may not hold one of them.

        What is converted later is refused by its position in all rows, and only if it is wanted.
        """
        if self.function == "bfs":
            return self
        result = np.dtype(self.arguments["dtype"])
        is_lossy = result == np.int32 or (result == np.float64 and graph.simple_path_bound > EXACT_IN_FLOAT64)
        if not is_lossy or choose_arithmetic(graph, result).dtype != _INT64:
            return self
        return replace(self, arguments={**self.arguments, "dtype": _INT64.name})

    def converted(
        self,
        found: npt.NDArray[Any],
        rows: npt.NDArray[np.intp] | None,
        columns: npt.NDArray[np.intp] | None = None,
    ) -> npt.NDArray[Any]:
        """Return what was found as added in the type that is asked for; errors name these rows and columns."""
        if self.function == "bfs" or found.dtype == self.arguments["dtype"]:
            return found
        return to_result(found, Arithmetic(_INT64), np.dtype(self.arguments["dtype"]), rows, columns)


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


def rows(published: Published, search: Search, sources: Sequence[int], first: int | None) -> npt.NDArray[Any]:
    """Return a row for each source, of which the first is this one of all; None: the only one, of a single source."""
    return search.converted(_as_added(published, search, sources), _positions(first, sources))


def written(published: Published, search: Search, sources: Sequence[int], output: Output, first: int) -> None:
    """Write a row for each source to an array, from one row on."""
    output.write(first, rows(published, search, sources, first))


def mapped(
    published: Published,
    search: Search,
    sources: Sequence[int],
    function: Callable[[Any, npt.NDArray[Any]], Any],
    names: Sequence[Any],
    first: int,
) -> list[Any]:
    """Return what a function makes of each source's name and row, of which the first is this one of all."""
    given = zip(names, rows(published, search, sources, first), strict=True)
    try:
        return [function(name, row) for name, row in given]
    except (NegativeCycleError, VertexOverflowError) as error:  # about a graph of the function's own
        setattr(error, NAMED, True)
        raise


def columns(
    published: Published, search: Search, sources: Sequence[int], targets: npt.NDArray[np.intp]
) -> npt.NDArray[Any]:
    """Return some columns of the row of each source."""
    found = np.ascontiguousarray(_as_added(published, search, sources)[:, targets])
    return search.converted(found, np.array(sources, np.intp), targets)


def statistics(published: Published, search: Search, sources: Sequence[int]) -> Measured:
    """Return statistics of the row of each source."""
    graph, device = _ready(published, search)
    is_weighted = search.function == "sssp"
    question = Question(graph, np.dtype(search.arguments["dtype"] if is_weighted else np.int32), not is_weighted)

    def found(some: Sequence[int]) -> Measured:
        return measured_on(question, graph, np.array(some, np.intp), device)

    with registry.lock():
        return Measured.joined(in_halves(found, sources), question.found)


def trees(published: Published, search: Search, sources: Sequence[int], first: int | None) -> list[Trees]:
    """Return rows, of which the first is this one of all, and predecessors, and how they were found."""
    graph, device = _ready(published, search)
    as_added = search.as_added(graph)

    def found(some: Sequence[int]) -> Trees:
        result = as_added.found(graph, some, device)
        is_sssp = search.function == "sssp"
        about = (result.method, result.rounds if is_sssp else 0, result.device)
        rows, exact = (result.dist, result._exact) if is_sssp else (result.levels, None)
        from_host = tuple(sorted(result._rows_from_host)) if is_sssp else ()
        return Trees(rows, result.pred, exact, *about, from_host, result.stats)

    with registry.lock():
        parts: list[Trees] = in_halves(found, sources)
    positions = _positions(first, sources)
    converted, done = [], 0
    for each in parts:
        some = None if positions is None else positions[done : done + len(each.rows)]
        converted.append(each._replace(rows=search.converted(each.rows, some)))
        done += len(each.rows)
    return converted


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


def _as_added(published: Published, search: Search, sources: Sequence[int]) -> npt.NDArray[Any]:
    """Return a row for each source, as it is added if it may have to be."""
    graph, device = _ready(published, search)
    as_added = search.as_added(graph)
    with registry.lock():
        return np.concatenate(in_halves(lambda some: as_added.rows(graph, some, device), sources))


def _positions(first: int | None, sources: Sequence[int]) -> npt.NDArray[np.intp] | None:
    """Return which of all rows those from some sources are; None for that of a single source."""
    return None if first is None else np.arange(first, first + len(sources))


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
