"""Rows of distances: what finds them, some at a time, in a graph that is searched or in one that is prepared."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.device.device import Device
from reedsp.device.discovery import get_device
from reedsp.device.job import Job
from reedsp.edges.statistics import RowStatistics
from reedsp.graph.arguments import as_graph
from reedsp.graph.graph import Graph
from reedsp.results.shortest_paths import ShortestPaths
from reedsp.system.elsewhere import Elsewhere
from reedsp.typing import DistanceType, GraphLike, Vertex, Vertices


@dataclass(frozen=True)
class RowSearch:
    """Searches from any vertices, some at a time.

    Attributes
    ----------
    find : callable(sources)
        Returns the distances from some vertices, an array of indices, to the targets: a row for each, in an array of
        its own.
    at_once : int
        Number of vertices to start from for which there is memory.
    row_bytes : int
        What the host keeps of a row meanwhile.
    """

    find: Callable[[npt.NDArray[np.intp]], npt.NDArray[Any]]
    at_once: int
    row_bytes: int

    def blocks(
        self, sources: npt.NDArray[np.intp], memory_limit: int | None = None
    ) -> Iterator[tuple[npt.NDArray[np.intp], npt.NDArray[Any]]]:
        """Yield some sources after the other with their rows, which take so many bytes at most if there are several."""
        step = self.at_once if memory_limit is None else min(self.at_once, max(1, memory_limit // self.row_bytes))
        for block in np.array_split(sources, -(-len(sources) // step)) if len(sources) else ():
            yield block, self.find(block)


class Prepared(ABC):
    """A graph that is prepared on the device where it is asked, and that is taken in place of a graph.

    Attributes
    ----------
    graph : Graph
    device : Device
    """

    graph: Graph
    device: Device

    @abstractmethod
    def sssp(self, source: Vertex | Vertices, *, dtype: DistanceType | None = None) -> ShortestPaths:
        """Return what :func:`reedsp.sssp` would."""

    @abstractmethod
    def reverse(self) -> Prepared:
        """Return the same with all edges in the opposite direction."""

    @abstractmethod
    def _row_search(self, job: Job, dtype: np.dtype[Any], targets: npt.NDArray[np.intp] | None = None) -> RowSearch:
        """Return the search for distances of a type to some vertices, by default to all."""

    @abstractmethod
    def _statistics(
        self,
        sources: Sequence[int],
        dtype: np.dtype[Any],
        job: Job,
        progress: Callable[[int, int], None] | None = None,
    ) -> RowStatistics:
        """Return statistics of the distances from some vertices, on a device that adds them up.

        Distances are in the arithmetic for results of a type.
        """


def accepted(graph: GraphLike | Prepared) -> tuple[Graph | Prepared, Graph]:
    """Return what is to be asked, a graph or one that is prepared, and the graph that it is of."""
    asked = graph if isinstance(graph, Prepared) else as_graph(graph)
    return asked, asked.graph if isinstance(asked, Prepared) else asked


def check_device(prepared: Prepared, device: Device | Elsewhere | int | str | None) -> None:
    """Check that a device, if one is named, is that where a graph is prepared.

    Raises
    ------
    TypeError
        It is a cluster.
    ValueError
        It is another device.
    """
    if isinstance(device, Elsewhere):
        raise TypeError(f"device: the graph is prepared on {prepared.device}, and cannot be asked on a cluster")
    if device is not None and (named := get_device(device)).handle != prepared.device.handle:
        raise ValueError(f"device = {device!r}: the graph is prepared on {prepared.device}, and not on {named}")
