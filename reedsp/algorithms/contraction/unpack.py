"""The edges of the graph that shortcuts stand for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from reedsp.algorithms.contraction.core import ORIGINAL
from reedsp.algorithms.contraction.hierarchy import Hierarchy


def unpacked(hierarchy: Hierarchy, up: Sequence[int], down: Sequence[int]) -> list[int]:
    """Return where the edges of the graph lead to that a path consists of.

    Parameters
    ----------
    hierarchy : Hierarchy
    up, down : sequence of int
        Its edges, in the order of the path: first those that lead up.

    Returns
    -------
    list of int
        Vertices of the graph.
    """
    edges = np.array([*up, *down], np.int64)
    leads_up = np.arange(len(edges)) < len(up)
    while True:
        parts = np.empty((len(edges), 2), np.int32)
        parts[leads_up] = hierarchy.up.parts[edges[leads_up]]
        parts[~leads_up] = hierarchy.down.parts[edges[~leads_up]]
        is_shortcut = parts[:, 0] != ORIGINAL
        if not is_shortcut.any():
            break
        counts = 1 + is_shortcut
        begins = (counts.cumsum() - counts)[is_shortcut]
        edges, leads_up = edges.repeat(counts), leads_up.repeat(counts)
        edges[begins], edges[begins + 1] = parts[is_shortcut].T
        leads_up[begins], leads_up[begins + 1] = False, True
    ranks = np.empty(len(edges), np.int64)
    ranks[leads_up] = hierarchy.up.higher[edges[leads_up]]
    ranks[~leads_up] = owners(hierarchy.down.first, edges[~leads_up])
    vertices: list[int] = hierarchy.vertices[ranks].tolist()
    return vertices


def simple(walk: Sequence[int]) -> list[int]:
    """Return a walk without what lies between two visits of the same vertex.

    Edges of weight 0 alone let a shortest walk come back to a vertex.
    """
    last = {vertex: index for index, vertex in enumerate(walk)}
    path: list[int] = []
    index = 0
    while index < len(walk):
        path.append(walk[index])
        index = last[walk[index]] + 1
    return path


def owners(first: npt.NDArray[np.int64], edges: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the rank of the vertex that each of some edges of a half belongs to."""
    return np.searchsorted(first, edges, "right") - 1
