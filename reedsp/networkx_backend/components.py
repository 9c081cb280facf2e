"""networkx' functions of connected components, whose sets come in the order in which networkx finds them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import networkx as nx
import numpy as np
import numpy.typing as npt

from reedsp.algorithms.structure.components.of_rows import strong_components_of, weak_components_of
from reedsp.algorithms.structure.components.on_host import strong_labels, weak_labels
from reedsp.device.discovery import get_device
from reedsp.device.job import Job
from reedsp.edges.preparation import MatrixRows
from reedsp.networkx_backend import nearby, on_device
from reedsp.networkx_backend.graph import NetworkXGraph, Node
from reedsp.networkx_backend.reading import Ends


@dataclass(frozen=True)
class _Parts:
    """The components of a graph.

    Attributes
    ----------
    count : int
    labels : ndarray of int32, shape (n,)
        Number of the component of each node, in the order in which networkx finds them.
    ends : Ends
        The edges.
    """

    count: int
    labels: npt.NDArray[np.int32]
    ends: Ends

    def nodes(self, G: NetworkXGraph, of: Iterable[int] | None = None) -> Iterator[set[Node]]:
        """Yield the nodes of each component, or of some."""
        order = np.argsort(self.labels, kind="stable")
        bounds = np.concatenate(([0], np.cumsum(np.bincount(self.labels, minlength=self.count)))).tolist()
        for part in range(self.count) if of is None else of:
            yield set(G.names[order[bounds[part] : bounds[part + 1]]].tolist())

    def attracting(self) -> list[int]:
        """Return the components that no edge leaves."""
        tails, heads = self.labels[self.ends.tails], self.labels[self.ends.heads]
        is_left = np.zeros(self.count, np.bool_)
        is_left[tails[tails != heads]] = True
        return np.flatnonzero(~is_left).tolist()


def _parts(G: NetworkXGraph, strong: bool) -> _Parts | None:
    """Return the components, or None where networkx itself is to find them.

    Weak ones are found in the order of their first nodes, strong ones when a search in depth is done with them. That
    one is made by one work-item of a CPU device, or on the host, since the order is that of a single search.
    """
    if not on_device.is_wanted(G):
        return None
    ends = G.ends()
    job = Job(get_device(), recycle=True)
    rows = MatrixRows(job, ends.indptr, ends.heads)
    try:
        found = strong_components_of(rows, descending=False) if strong else weak_components_of(rows)
    finally:
        rows.close()
    on_device.count_launches(job.kernels_launched)
    if found is None:
        found = (strong_labels if strong else weak_labels)(ends.indptr, ends.heads)
    return _Parts(*found, ends)


def _own(name: str, G: NetworkXGraph, *args: Any) -> Any:
    return getattr(nx, name)(G.source, *args, backend="networkx")


# ---- edges in both directions -----------------------------------------------------------------------


def _weak_sets(name: str, G: NetworkXGraph) -> Iterator[set[Node]]:
    near: set[Node] | None = nearby.first_answer(name, G)
    first = frozenset(near or ())
    if near is not None:
        yield near  # the others are looked for when they are asked for
        if len(first) == len(G):
            return
    G = G.as_it_is()
    parts = _parts(G, strong=False)
    sets: Iterator[set[Node]] = _own(name, G) if parts is None else parts.nodes(G)
    yield from (nodes for nodes in sets if not nodes <= first)


def connected_components(G: NetworkXGraph) -> Iterator[set[Node]]:
    """Yield the nodes of each component."""
    yield from _weak_sets("connected_components", G)


def weakly_connected_components(G: NetworkXGraph) -> Iterator[set[Node]]:
    """Yield the nodes of each component, whichever way edges lead."""
    yield from _weak_sets("weakly_connected_components", G)


def number_connected_components(G: NetworkXGraph) -> int:
    """Return how many components there are."""
    return _number("number_connected_components", G, strong=False)


def number_weakly_connected_components(G: NetworkXGraph) -> int:
    """Return how many components there are, whichever way edges lead."""
    return _number("number_weakly_connected_components", G, strong=False)


def _number(name: str, G: NetworkXGraph, strong: bool) -> int:
    parts = _parts(G, strong)
    return int(_own(name, G)) if parts is None else parts.count


def node_connected_component(G: NetworkXGraph, n: Node) -> set[Node]:
    """Return the nodes of the component of one."""
    near: set[Node] | None = nearby.own_answer("node_connected_component", G, n)
    if near is not None:
        return near
    parts = _parts(G, strong=False) if n in G else None
    if parts is None:
        return _own("node_connected_component", G, n)  # type: ignore[no-any-return]
    [nodes] = parts.nodes(G, [int(parts.labels[G.number_of[n]])])
    return nodes


def is_connected(G: NetworkXGraph) -> bool:
    """Tell whether each node reaches each.

    Raises
    ------
    networkx.NetworkXPointlessConcept
        There is no node.
    """
    name = "is_strongly_connected" if G.is_directed() else "is_connected"
    return _is_one(name, G, strong=G.is_directed())


def is_weakly_connected(G: NetworkXGraph) -> bool:
    """Tell whether there is one component, whichever way edges lead."""
    return _is_one("is_weakly_connected", G, strong=False)


def _is_near_one(G: NetworkXGraph) -> bool | None:
    """Return whether the nodes are one strong component, None if the first reaches many, and many reach it."""
    for node in islice(G.source, 1):
        for reverse in (False, True):
            lengths = nearby.own_answer("single_source_shortest_path_length", G, node, reverse=reverse)
            if lengths is not None and len(lengths) < len(G):
                return False
    return None


def _is_one(name: str, G: NetworkXGraph, strong: bool) -> bool:
    near: bool | None = _is_near_one(G) if strong else nearby.own_answer(name, G)
    if near is not None:
        return near
    parts = _parts(G, strong)
    return bool(_own(name, G)) if parts is None else parts.count == 1


# ---- paths both ways --------------------------------------------------------------------------------


def strongly_connected_components(G: NetworkXGraph) -> Iterator[set[Node]]:
    """Yield the nodes of each component."""
    G = G.as_it_is()
    parts = _parts(G, strong=True)
    yield from _own("strongly_connected_components", G) if parts is None else parts.nodes(G)


def number_strongly_connected_components(G: NetworkXGraph) -> int:
    """Return how many components there are."""
    return _number("number_strongly_connected_components", G, strong=True)


is_strongly_connected: Callable[[NetworkXGraph], bool] = is_connected


def attracting_components(G: NetworkXGraph) -> Iterator[set[Node]]:
    """Yield the nodes of each component that no edge leaves."""
    G = G.as_it_is()
    parts = _parts(G, strong=True)
    yield from _own("attracting_components", G) if parts is None else parts.nodes(G, parts.attracting())


def number_attracting_components(G: NetworkXGraph) -> int:
    """Return how many components no edge leaves."""
    parts = _parts(G, strong=True)
    return int(_own("number_attracting_components", G)) if parts is None else len(parts.attracting())


def is_attracting_component(G: NetworkXGraph) -> bool:
    """Tell whether the nodes are one component that no edge leaves."""
    parts = _parts(G, strong=True)
    return bool(_own("is_attracting_component", G)) if parts is None else parts.count == 1


def condensation(G: NetworkXGraph, scc: Any = None) -> Any:
    """Return the graph of the components, or of sets of nodes that are given."""
    if scc is None:
        parts = _parts(G, strong=True)
        scc = None if parts is None else list(parts.nodes(G))
    return _own("condensation", G, scc)
