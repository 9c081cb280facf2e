"""What the search for a maximum flow returns."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.algorithms.structure.flow.capacities import capacities_of
from reedsp.algorithms.structure.flow.verify import verify_flow
from reedsp.device.device import Device
from reedsp.device.job import Job
from reedsp.edges.verify import check_array, check_vertex, device_that_verifies
from reedsp.graph.graph import Graph, edge_sources
from reedsp.graph.html import SHOWN, and_more, card, run_facts
from reedsp.results.text import AsTable
from reedsp.system.public import public


@public
@dataclass(frozen=True, eq=False)
class Cut:
    """Edges without which nothing flows from the source to the target: indices of vertices and edges, and a number.

    Attributes
    ----------
    source_side : ndarray of int32
        Indices of the vertices on the source's side, ascending; :attr:`Graph.names` has what they are called.
    edges : ndarray of int64
        Indices of the edges that lead from there to the other side, ascending.
    capacity : int
        What these can carry together.

    Examples
    --------
    >>> import reedsp
    >>> graph = reedsp.Graph.from_edges(4, [0, 0, 1, 2], [1, 2, 3, 3], [7, 2, 1, 3])
    >>> reedsp.maximum_flow(graph, 0, 3).cut()
    Cut(source_side=array([0, 1], dtype=int32), edges=array([1, 2]), capacity=3)
    """

    source_side: npt.NDArray[np.int32]
    edges: npt.NDArray[np.int64]
    capacity: int


@public
@dataclass(frozen=True, eq=False, repr=False)
class Flow(AsTable):
    """A maximum flow from one vertex to another.

    Attributes
    ----------
    graph : Graph
        Its weights are the capacities.
    source, target : int or other name
    value : int
        What flows from the source to the target.
    flow : ndarray of int32 or int64, shape (m,)
        What flows along each edge, in the order of the edges. Of two edges between the same vertices in opposite
        directions only one carries anything.
    is_source_side : ndarray of bool, shape (n,)
        Which vertices the source reaches along edges that could carry more, and against edges that carry something: the
        smallest set that a minimum cut leaves on the source's side, the same for every maximum flow.
    method : {"dinic", "push-relabel"}
        There may be several maximum flows; which one is found is a matter of the method alone.
    device : str
        Name and platform of the device.
    stats : dict
        ``device``, ``method``, ``why`` (the reason for this method), ``rounds``, ``kernels_launched``,
        ``milliseconds``, ``bytes_to_device``, ``bytes_from_device``, ``bytes_allocated``, and ``phases``, as in
        :class:`ShortestPaths`.

    Examples
    --------
    >>> import reedsp
    >>> graph = reedsp.Graph.from_edges(4, [0, 0, 1, 2], [1, 2, 3, 3], [7, 2, 1, 3])
    >>> found = reedsp.maximum_flow(graph, 0, 3)
    >>> found.value, found.flow
    (3, array([1, 2, 1, 2]))
    """

    graph: Graph
    source: Any
    target: Any
    value: int
    flow: npt.NDArray[Any]
    is_source_side: npt.NDArray[np.bool_]
    method: str
    device: str
    stats: dict[str, Any]

    def cut(self) -> Cut:
        """Return the minimum cut that is nearest to the source.

        Returns
        -------
        Cut
            Its capacity is the value of the flow.
        """
        tails = edge_sources(self.graph)
        edges = np.flatnonzero(self.is_source_side[tails] & ~self.is_source_side[self.graph.indices])
        capacity = sum(map(int, self.graph.weights[edges].tolist()))
        return Cut(np.flatnonzero(self.is_source_side).astype(np.int32), edges, capacity)

    def to_scipy(self) -> Any:
        """Return what flows along each edge as a matrix.

        Returns
        -------
        scipy.sparse.csr_array, shape (n, n)
            With an entry for each edge, also where it is 0.
        """
        import scipy.sparse

        graph = self.graph
        return scipy.sparse.csr_array((self.flow, graph.indices, graph.indptr), shape=(graph.n, graph.n))

    def _table(self) -> tuple[list[str], Iterable[Iterable[Any]]]:
        graph, names = self.graph, self.graph.names
        ends = zip(edge_sources(graph).tolist(), graph.indices.tolist(), strict=True)
        amounts = zip(self.flow.tolist(), capacities_of(graph).tolist(), strict=True)
        rows = ((names[tail], names[head], *both) for (tail, head), both in zip(ends, amounts, strict=True))
        return ["from", "to", "flow", "capacity"], rows

    def verify(self, device: Device | int | str | None = None) -> bool:
        """Prove on a device that this is a flow, and that none is larger, however it was found.

        No edge carries less than nothing or more than its capacity, as much flows out of each other vertex as in, and
        the value is the capacity of a cut, above which no flow can be. What the host has found is checked there if
        there is no device.

        Parameters
        ----------
        device : Device, int or str, optional
            As for :func:`reedsp.get_device`.

        Returns
        -------
        bool
            True.

        Raises
        ------
        VerificationError
            It is not; the message names a vertex, or an array that is of another shape or type.
        """
        graph, capacities = self.graph, capacities_of(self.graph)
        ends = (check_vertex("source", graph, self.source), check_vertex("target", graph, self.target))
        check_array("flow", self.flow, (graph.m,), np.int32, np.int64)
        check_array("is_source_side", self.is_source_side, (graph.n,), np.bool_)
        kind = np.promote_types(capacities.dtype, self.flow.dtype)
        most, flow = (np.ascontiguousarray(each, kind) for each in (capacities, self.flow))
        side = np.ascontiguousarray(self.is_source_side)
        chosen = device_that_verifies(self.device, device)
        verify_flow(None if chosen is None else Job(chosen), graph, most, flow, side, ends, self.value)
        return True

    def __repr__(self) -> str:
        return (
            f"<reedsp.Flow: {self.value:,} from {self.source!r} to {self.target!r}, {self.method}, "
            f"{self.stats['milliseconds']:.1f} ms on {self.device}>"
        )

    def _repr_html_(self) -> str:
        graph = self.graph
        carrying = np.flatnonzero(self.flow)
        tails = edge_sources(graph)
        rows = [
            (
                graph.names[tails[edge]],
                graph.names[graph.indices[edge]],
                int(self.flow[edge]),
                graph.weights[edge].item(),
            )
            for edge in carrying[:SHOWN].tolist()
        ]
        title = f"Maximum flow from {self.source!r} to {self.target!r}: {self.value:,}"
        facts = [("method", self.method), ("rounds", self.stats["rounds"]), *run_facts(self.stats, self.device)]
        return card(title, facts, ["from", "to", "flow", "capacity"], [*rows, *and_more(len(carrying), 4)])
