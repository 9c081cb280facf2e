"""The settings of searches that measured well, by numbers of a graph: rules, where no counts tell better.

What they decide shows in rounds that cannot be foreseen: how far the limit between near and far is raised, and how many
work-items take a part. The optima are flat, and the same on devices of a kind.
"""

from __future__ import annotations

from typing import NamedTuple

LARGEST_TEAM, TEAM_EDGES = 8, 1 << 18
"""Work-items of a CPU that search one row together, and edges from which on."""
ON_CPU = 1 << 24
"""Bytes of distances that a CPU searches at a time: memory that is touched for the first time costs time."""
PARTS, LEAST_PART = 8, 1 << 25
"""Of searches from all vertices, so that progress is reported; and distances of a part, of which less is soon done."""

# of an edge of a level, edges that are not explored yet, up to which bottom-up pays
ITEMS_EDGE_FACTOR, GROUPS_EDGE_FACTOR = 6, 14
TOP_DOWN_SEARCHES = 8
"""Of a directed graph: so many are sooner done top-down than its edges are sorted by their heads."""

# ---- near-far by work-items -------------------------------------------------------------------------

_NARROWEST, _WIDEST, _EDGES_OF_ONE = 0.25, 2.0, 4.0


def delta_of_items(n: int, m: int) -> float:
    """Return a near interval, in typical weights, that holds enough to do, and in which few distances fall again.

    The more edges a vertex has, the sooner a shorter path is found: more than a typical weight on road networks, and a
    quarter of one where there are sixteen edges a vertex or more.
    """
    return min(_WIDEST, max(_NARROWEST, _EDGES_OF_ONE * n / max(1, m)))


# ---- near-far by work-groups that share a search ----------------------------------------------------

_FEWEST_EDGES = 3.0  # a vertex, as in road networks
FEW_EDGES = 6.0
"""Edges of a vertex, as in grids and road networks, up to which a graph may be deep."""
_MORE_EDGES = 12.0  # a vertex; the more there are, the lower are most distances
_SMALL = 6_000_000  # edges, of a graph in which more launches cost more than edges that are relaxed in vain
MANY_ROWS = 8
"""Which keep all work-groups busy."""
_MANY_SLOTS = 20_000_000  # as do those of many rows
_LARGER_GROUPS, _LARGEST_GROUPS = 5_000_000, 12_000_000  # edges, of a graph with hubs, that keep such groups busy
_LARGE = 4_000_000  # vertices, of a graph whose frontiers keep more work-groups busy
_MANY_EDGES = 1000  # at one vertex, as in social networks
_TIMES_THE_MEAN = 8  # which that vertex has, too, unless all have many
_STEPS_ALONE = 4
_LEAST_ROOM, _ROOM_OF_DEEP = 1 / 8, 16.0  # entries for each slot, of very many: twice those of grids, times root n


class Shared(NamedTuple):
    """Settings of near-far by work-groups that share a search.

    Attributes
    ----------
    group_size, groups : int
        Work-items of a work-group, and work-groups of each compute unit.
    local_rounds : int
    delta : float
        In typical weights.
    steps_alone : int
        Edges of each work-item up to which one work-group goes on alone.
    room : float
        Entries of the queues for each slot.
    """

    group_size: int
    groups: int
    local_rounds: int
    delta: float
    steps_alone: int
    room: float = 1.0


def shared(n: int, m: int, max_degree: int, rows: int, is_deep: bool) -> Shared:
    """Return what measured well.

    Parameters
    ----------
    n, m, max_degree : int
        Vertices, edges, and the most of one vertex.
    rows : int
    is_deep : bool
        Whether frontiers of a graph with few edges are small, as far as is known.
    """
    size, groups, few, many = 256, 4, _STEPS_ALONE, 4 * _STEPS_ALONE
    mean_degree = m / max(1, n)
    if max_degree > max(_MANY_EDGES, _TIMES_THE_MEAN * mean_degree):
        if rows == 1 and m > _LARGEST_GROUPS:
            return Shared(4 * size, groups // 2, 2, 16.0, few)
        large = rows > 1 or m > _LARGER_GROUPS
        return Shared(2 * size, groups, 2, 16.0, few) if large else Shared(size, groups, 2, 16.0, many)
    if mean_degree > _MORE_EDGES and (rows > 1 or m > _SMALL):
        return Shared(size, groups, 4, 2.0 / mean_degree**0.5, many)
    if mean_degree > FEW_EDGES:
        return Shared(size, groups, 4, 1.5, few if mean_degree > _MORE_EDGES else many)
    if not is_deep:
        return Shared(size, groups, 4, 4.0, few)
    if rows >= MANY_ROWS:
        if rows * n > _MANY_SLOTS:
            return Shared(size, groups, 16, 16.0, few, min(1.0, max(_LEAST_ROOM, _ROOM_OF_DEEP / n**0.5)))
        return Shared(size, groups, 16, 64.0, few)
    if rows > 1:
        return Shared(size, groups, 32, 128.0, few)
    if n > _LARGE:
        return Shared(size // 2, 2 * groups, 32, 128.0, few)
    thin = mean_degree < _FEWEST_EDGES
    return Shared(size, groups // 2, 32 if thin else 64, 256.0 if thin else 128.0, few)


# ---- near-far in local memory -----------------------------------------------------------------------

_LARGE_LOCAL, _DENSE = 8192, 32.0  # vertices, and edges of one, of a graph for which larger work-groups are worth it
_FEW_LOCAL, _MORE_LOCAL = 6.0, 12.0  # edges of a vertex
_DELTA_OF_FEW, _DELTA, _DELTA_OF_MANY = 8.0, 1.0, 0.25  # typical weights


def needs_large_groups(n: int, mean_degree: float) -> bool:
    """Return whether larger work-groups of a GPU are worth it, where each searches a row in its local memory."""
    return n > _LARGE_LOCAL or mean_degree > _DENSE


def delta_in_local_memory(mean_degree: float) -> float:
    """Return by how much the limit between near and far rises there, in typical weights."""
    if mean_degree > _MORE_LOCAL:
        return _DELTA_OF_MANY
    return _DELTA if mean_degree > _FEW_LOCAL else _DELTA_OF_FEW
