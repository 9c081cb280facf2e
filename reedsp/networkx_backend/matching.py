"""networkx' maximum matchings of bipartite graphs, and the covers that prove them.

How many pairs there are is networkx' number. Which ones is not, where there are several maximum matchings; the cover is
the same whichever one it is found from.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import networkx as nx
import numpy as np
import numpy.typing as npt

from reedsp.edges.verify import VerificationError
from reedsp.networkx_backend import on_device
from reedsp.networkx_backend.graph import NetworkXGraph, Node


def hopcroft_karp_matching(G: NetworkXGraph, top_nodes: Collection[Node] | None = None) -> dict[Node, Node]:
    """Return what each node of a maximum matching is matched with."""
    given = None if top_nodes is None else set(top_nodes)
    if (sides := _sides(G, given)) is not None:
        try:
            found = on_device.maximum_matching(G, _is_top(G, sides[0]))
        except ValueError:  # an edge between nodes of one side: networkx says what it thinks of that
            pass
        else:
            tops, bottoms = ([G.nodes[node] for node in side.tolist()] for side in found)
            partner = dict(zip(tops, bottoms, strict=True)) | dict(zip(bottoms, tops, strict=True))
            return {node: partner[node] for side in sides for node in side if node in partner}
    return nx.bipartite.hopcroft_karp_matching(G.source, given, backend="networkx")  # type: ignore[no-any-return]


def to_vertex_cover(
    G: NetworkXGraph, matching: Mapping[Node, Node], top_nodes: Collection[Node] | None = None
) -> set[Node]:
    """Return as few nodes as possible of which each edge has one."""
    given = None if top_nodes is None else set(top_nodes)
    if (sides := _sides(G, given)) is not None and all(node in G for pair in matching.items() for node in pair):
        mates = np.full(len(G), -1, np.int32)
        for node, other in matching.items():
            mates[G.number_of[node]] = G.number_of[other]
        try:
            return {G.nodes[node] for node in on_device.minimum_cover(G, _is_top(G, sides[0]), mates)}
        except (ValueError, VerificationError):  # networkx takes other matchings, too
            pass
    return nx.bipartite.to_vertex_cover(G.source, matching, given, backend="networkx")  # type: ignore[no-any-return]


def _sides(G: NetworkXGraph, top_nodes: set[Node] | None) -> tuple[set[Node], set[Node]] | None:
    """Return the nodes of both sides; None if networkx has to do it.

    Raises
    ------
    networkx.AmbiguousSolution, networkx.NetworkXError
        They are not known, and the graph is not connected, or not bipartite.
    """
    if G.is_directed() or not on_device.is_wanted(G):
        return None
    top, bottom = nx.bipartite.sets(G.source, top_nodes, backend="networkx")
    return (top, bottom) if all(node in G for node in top) else None


def _is_top(G: NetworkXGraph, top: set[Node]) -> npt.NDArray[np.bool_]:
    return np.fromiter((node in top for node in G), np.bool_, len(G))
