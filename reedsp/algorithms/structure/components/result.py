"""What connected components are returned as."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from reedsp.algorithms.structure.components.check import verify_labels
from reedsp.device.device import Device
from reedsp.edges.verify import VerificationError, device_that_verifies
from reedsp.graph.arguments import vertex_argument
from reedsp.graph.graph import Graph
from reedsp.graph.html import SHOWN, and_more, card, run_facts
from reedsp.results.search_result import AsArray
from reedsp.results.text import AsTable
from reedsp.system.options import integer
from reedsp.system.public import public


@public
@dataclass(frozen=True, eq=False, repr=False)
class Components(AsArray, AsTable):
    """Which vertices of a graph are connected.

    Attributes
    ----------
    graph : Graph
    connection : {"weak", "strong"}
        Whether edges were taken in both directions, or paths lead both ways.
    labels : ndarray of int32, shape (n,)
        Number of the component of each vertex, 0 .. count - 1. Of "weak" they are in the order of their smallest
        vertices. Of "strong" they are in reverse topological order: an edge leads to a component with the same number
        or a lower one. Those come first from which the longest path, counted in edges between components, is the
        shortest, and of these the ones with smaller vertices.
    count : int
        Number of components.
    method : {"fast", "dulle", "depth-first", "colours"}
    device : str
        Name and platform of the device.
    stats : dict
        ``device``, ``why`` (this method), ``kernels_launched``, ``milliseconds``, ``bytes_to_device``,
        ``bytes_from_device``, ``bytes_allocated``, ``phases`` as in :class:`ShortestPaths`; and ``rounds`` of "dulle".

    Examples
    --------
    >>> import reedsp
    >>> graph = reedsp.Graph.from_edges(5, [0, 2, 3], [1, 3, 4], labels=["a", "b", "c", "d", "e"])
    >>> parts = reedsp.connected_components(graph)
    >>> parts.count, parts.labels, parts.vertices(0)
    (2, array([0, 0, 1, 1, 1], dtype=int32), ['a', 'b'])
    """

    graph: Graph
    connection: Literal["weak", "strong"]
    labels: npt.NDArray[np.int32]
    count: int
    method: str
    device: str
    stats: dict[str, Any]
    _device: Device | None = None  # then any device verifies

    @property
    def _numbers(self) -> npt.NDArray[Any]:
        return self.labels

    def __len__(self) -> int:
        return self.count

    @cached_property
    def sizes(self) -> npt.NDArray[np.int64]:
        """How many vertices each component has, shape (count,)."""
        return np.bincount(self.labels, minlength=self.count)

    @property
    def largest(self) -> int | None:
        """Number of the component with the most vertices, the lowest of several; None of a graph without vertices."""
        return int(np.argmax(self.sizes)) if self.count else None

    def component(self, vertex: Hashable) -> int:
        """Return the number of the component of a vertex.

        Parameters
        ----------
        vertex : int or other name
            See :attr:`Graph.names`.

        Raises
        ------
        ValueError, TypeError
            The graph has no such vertex.

        Examples
        --------
        >>> import reedsp
        >>> reedsp.connected_components(reedsp.Graph.from_edges(3, [0], [1])).component(2)
        1
        """
        return int(self.labels[vertex_argument(self.graph, vertex, "vertex")])

    def vertices(self, component: int) -> list[Any]:
        """Return the names of the vertices of a component, in the order of their indices.

        Parameters
        ----------
        component : int
            Its number.

        Raises
        ------
        ValueError
            There is no such component.
        TypeError
            The number is no integer.

        Examples
        --------
        >>> import reedsp
        >>> parts = reedsp.connected_components(reedsp.Graph.from_edges(4, [0, 2], [3, 0]))
        >>> parts.vertices(parts.largest)
        [0, 2, 3]
        """
        number = integer(component, "component")
        if not 0 <= number < self.count:
            raise ValueError(f"component = {number} is not the number of one of {self.count} components")
        names = self.graph.names
        return [names[vertex] for vertex in np.flatnonzero(self.labels == number).tolist()]

    def verify(self) -> bool:
        """Check on the device that the components are right, by rules that do not depend on the method.

        Of "weak": no edge leads out of a component, and as many trees as there are components can be grown along edges.
        Of "strong": no edge leads to a higher number, and the smallest vertex of a component reaches the others
        within it, and is reached from them. Numbers are in the order that :attr:`labels` has. What the host has found
        is checked there if there is no device.

        Returns
        -------
        bool
            True.

        Raises
        ------
        VerificationError
            They are not; the message names a vertex.

        Examples
        --------
        >>> import reedsp
        >>> reedsp.connected_components(reedsp.Graph.from_edges(3, [0, 1], [1, 0]), "strong").verify()
        True
        """
        device = device_that_verifies(self.device, self._device)
        verify_labels(self.graph, self.labels, self.connection == "strong", device)
        count = int(self.labels.max(initial=-1)) + 1
        if self.count != count:
            raise VerificationError(f"count is {self.count}, but there are {count} components")
        return True

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_device": None}  # a device's handle is this process's own

    def _table(self) -> tuple[list[str], Iterable[Iterable[Any]]]:
        return ["vertex", "component"], zip(self.graph.names, self.labels.tolist(), strict=True)

    def _repr_html_(self) -> str:
        largest = np.argsort(-self.sizes, kind="stable")[:SHOWN]
        lines = [[str(each), f"{self.sizes[each]:,}", repr(self.vertices(int(each))[0])] for each in largest]
        facts = [("method", self.method), *run_facts(self.stats, self.device)]
        columns = ["component", "vertices", "smallest"]
        return card(self._title(), facts, columns, [*lines, *and_more(self.count, len(columns))])

    def _title(self) -> str:
        kind = "strongly connected" if self.connection == "strong" else "connected"
        return f"{self.count:,} {kind} components of {self.graph.n:,} vertices"

    def __repr__(self) -> str:
        largest = f"the largest has {self.sizes.max():,}, " if self.count else ""
        return (
            f"<reedsp.Components: {self._title()}, {largest}{self.method}, "
            f"{self.stats['milliseconds']:.1f} ms on {self.device}>"
        )
