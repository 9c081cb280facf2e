"""Where a small input is solved: on the host, unless a device is asked for, or would be done sooner."""

from __future__ import annotations

import math

from reedsp.system.switches import is_on

SWITCH = "REEDSP_HOST"
"""The environment variable that keeps small inputs on the device, too, where it is "never"; read at the import."""

_serves = is_on(SWITCH)

HOST = "host (SciPy)"
"""What results name as their device then."""

_CALL, _VERTEX, _EDGE, _LOWERED = 15.0, 0.03, 0.002, 0.06
"""Microseconds that Dijkstra's algorithm takes on one core, in all, for each vertex and edge, and each time that a
distance is lowered, which few of many edges do; as measured."""

_BY_HAND = 110
"""Vertices and edges up to which Python searches from one vertex sooner than SciPy; as measured."""

_ROWS_BY_HAND = 200
"""The same of several searches in all, which SciPy makes in one call."""

_UNWEIGHTED = 0.5
"""What of that it takes where all edges weigh the same, but for a look at each edge."""

_NEAR_ROW, _NEAR_VERTEX, _NEAR_EDGE, _NEAR_REACHED = 2.0, 0.004, 0.01, 0.3
"""The same with a limit for each source, in all, for each vertex, for each edge where all are looked at for trees, and
for each vertex that is near. A device takes as long for each vertex, and each edge, as the host for a vertex."""

_ORDER_VERTEX, _ORDER_EDGE = 0.01, 0.003
"""The same for the order of a queue."""

_LABEL_CALL, _LABEL_VERTEX, _LABEL_EDGE, _LABEL_DEVICE = 40.0, 0.014, 0.015, 1400.0
"""The same for components without regard to directions, and what a device takes."""

_STRONG_CALL, _STRONG = 200.0, 0.25
"""The same of strong components, in all and for each vertex and edge, which are numbered by levels."""

_LEVEL = 6.0
"""Microseconds in which one work-group of a GPU gets from one level to the next."""

_FLOYD_WARSHALL = 5e-4
"""The same for Floyd-Warshall's, for each triple of vertices."""

_MATCHED, _MATCHED_AT_ONCE, _OWN = 0.05, 0.004, 0.95
"""The same for a maximum matching, for each row, column and edge; it takes longer the larger the graph is, but where so
many of the rows begin with a column of their own, as in grids: the first look at all leaves little to do."""

_LACKING, _FULL_EDGE = 2, 0.002
"""The same of matrices that are full but for so many columns of each row: no path that enlarges the matching is long,
whereas SciPy's search of others, such as bands, may look at very many paths."""

_KEYS_STEP, _KEYS_TRIPLE, _DEVICE_TREES = 3.0, 4e-4, 4500.0
"""The same with predecessors: for each step on the host, for each triple, and what a device takes."""

_FOREST_VERTEX, _FOREST_EDGE = 0.02, 0.04
"""The same of a spanning forest by Kruskal's algorithm."""

_PATH_VERTEX, _PATH_EDGE = 0.1, 0.015
"""The same for each of the k shortest paths by SciPy, for each vertex and edge."""

_SEARCH, _PATH = 110.0, 8.0
"""The same by a search of our own, in all, and for each path."""

_MANY_PATHS = 1 << 12
"""Paths above which it is not asked: it takes memory for as many, and for their vertices, however few there are."""

_FEW_KEYS = 1 << 14
"""Keys that one core sorts in the time that a device takes for a sort at least, from arguments to results."""
_FLOW, _FLOW_EDGE, _FLOW_DEVICE = 100.0, 0.1, 1.5
"""The same for a maximum flow, in all, and for each vertex and edge; and what a device takes, in searches."""

_GPU_FLOW_EDGES = 50_000
"""Edges of a network of few edges at each vertex, from which on a GPU finds its flow sooner."""

_FEW_WEIGHTS, _MANY_WEIGHTS, _THIN = 12_000, 500_000, 64
"""Weights below which SciPy finds a full matching sooner: with up to so many for each pair, and with more."""

_GPU_PAIRS, _FULL_WEIGHTS = 8000, 1 << 24
"""Pairs below which it does where the device is a GPU; and weights of matrices that are half full, on any device."""

_DEVICE, _DEVICE_EDGE = 1200.0, 0.001
"""Microseconds that a device takes for a search at least, from arguments to results, and for each edge that it is
given, be it again; as measured."""

_FEW_EDGES, _DEVICE_THIN = 6, 2500.0
"""The same where vertices have fewer edges than that on average, as in road networks: a GPU takes many steps."""

_SIGNED_CALL, _SIGNED_PAIR, _SIGNED_ROUNDED = 50.0, 2.5e-3, 150.0
"""The same with negative weights by Bellman-Ford's algorithm, for each vertex times each edge; and with fractions."""

_CPU_COUNT = 500.0
"""The same of a device that is a CPU, where edges are only counted."""


def serves() -> bool:
    """Return whether the host solves small inputs at all."""
    return _serves


def is_for_host(n: int, m: int, rows: int, unweighted: bool = False) -> bool:
    """Return whether the host is likely to find shortest paths sooner than a device.

    Parameters
    ----------
    n, m : int
        Vertices and edges.
    rows : int
        Sources.
    unweighted : bool
        Whether all edges weigh the same.
    """
    return _serves and _on_host(n, m, rows, unweighted) < on_any_device(n, m) + _DEVICE_EDGE * m


def is_searched_by_hand(n: int, m: int, rows: int = 1) -> bool:
    """Return whether Python is done with some searches on the host before SciPy has looked at its arguments."""
    return n + m <= (_BY_HAND if rows == 1 else _ROWS_BY_HAND / rows)


def is_signed_for_host(n: int, m: int, rows: int, exact: bool) -> bool:
    """Return whether the host is likely to find shortest paths with negative weights sooner than a device.

    Parameters
    ----------
    n, m, rows : int
        As for :func:`is_for_host`.
    exact : bool
        Whether weights are integers, so that one search gives potentials for all.
    """
    once = _SIGNED_CALL + _SIGNED_PAIR * n * m
    if exact:
        return _serves and once + (_on_host(n, m, rows, unweighted=False) if rows > 1 else 0.0) < on_any_device(n, m)
    return _serves and _SIGNED_ROUNDED + (1 + rows) * once < on_any_device(n, m)


def is_limited_for_host(n: int, m: int, rows: int, reached: float, predecessors: bool) -> bool:
    """Return whether the host is likely to find what is near each source sooner than a device finds it.

    Parameters
    ----------
    n, m : int
        Vertices and edges.
    rows : int
        Sources.
    reached : float
        Vertices that are near one, on average.
    predecessors : bool
        Whether all edges are looked at for them, at each source.
    """
    of_row = _NEAR_ROW + _NEAR_VERTEX * n + _NEAR_REACHED * reached + (_NEAR_EDGE * m if predecessors else 0.0)
    return _serves and _CALL + rows * of_row < on_any_device(n, m) + _NEAR_VERTEX * (n + m)


def is_counted_on_cpu_device(n: int, m: int) -> bool:
    """Return whether a device that is a CPU is likely to count the edges to each vertex from one sooner."""
    return not _serves or _on_host(n, m, 1, unweighted=True) > _CPU_COUNT


def _on_host(n: int, m: int, rows: int, unweighted: bool) -> float:
    lowered = n * math.log2(1 + m / n) if n else 0.0  # as each of a vertex's edges finds the minimum so far in turn
    at_vertices = _CALL + _VERTEX * n + _LOWERED * lowered
    return rows * ((_UNWEIGHTED if unweighted else 1.0) * at_vertices + _EDGE * m)


def is_order_for_host(n: int, m: int) -> bool:
    """Return whether the host is likely to be done with a breadth-first search sooner than a device."""
    return _serves and _ORDER_VERTEX * n + _ORDER_EDGE * m < on_any_device(n, m)


def is_labelled_on_host(n: int, m: int, by_level: bool = False) -> bool:
    """Return whether the host is likely to find connected components sooner than a device.

    Parameters
    ----------
    n, m : int
        Vertices and edges.
    by_level : bool
        Whether they are strong ones whose numbers are in the order of their levels.
    """
    if by_level:
        return _serves and _STRONG_CALL + _STRONG * (n + m) < _LABEL_DEVICE
    return _serves and _LABEL_CALL + _LABEL_VERTEX * n + _LABEL_EDGE * m < _LABEL_DEVICE


def on_any_device(n: int, m: int) -> float:
    """Return microseconds that a search takes on a device of which nothing is known."""
    return _DEVICE_THIN if m < _FEW_EDGES * n else _DEVICE


def is_too_deep(levels: int, reached: int, n: int, m: int) -> bool:
    """Return whether the host is likely to be done with a breadth-first search sooner than a GPU that has begun it.

    Parameters
    ----------
    levels, reached : int
        Levels searched so far, and vertices found there.
    n, m : int
        Vertices and edges.
    """
    ahead = levels * ((n / reached) ** 0.5 - 1)  # levels, as in a plane, where they grow with their number
    return _serves and ahead * _LEVEL > _ORDER_VERTEX * n + _ORDER_EDGE * m


def is_flow_for_host(n: int, m: int) -> bool:
    """Return whether the host is likely to find a maximum flow sooner than a device."""
    return _serves and _FLOW + _FLOW_EDGE * (n + m) < _FLOW_DEVICE * _DEVICE


def is_flow_slow_on_gpus(n: int, m: int) -> bool:
    """Return whether the host is likely to find a maximum flow sooner than a GPU.

    The rounds of a GPU pay in large networks of few edges at each vertex, such as grids; elsewhere a core has found
    what little is left to do at the end before many work-items have.
    """
    return _serves and (m >= _FEW_EDGES * n or m < _GPU_FLOW_EDGES)


def is_full_matching_for_host(pairs: int, cells: int, m: int) -> bool:
    """Return whether the host is likely to find a full matching of minimum weight sooner than any device.

    Parameters
    ----------
    pairs, cells, m : int
        Of a full matching, of the matrix, and how many of its cells have a weight.
    """
    if 2 * m >= cells:
        return _serves and m <= _FULL_WEIGHTS
    return _serves and m < (_FEW_WEIGHTS if m <= _THIN * pairs else _MANY_WEIGHTS)


def is_full_matching_slow_on_gpus(pairs: int) -> bool:
    """Return whether the host is likely to find a full matching of so many pairs sooner than a GPU."""
    return _serves and pairs < _GPU_PAIRS


def is_matrix_for_host(n: int) -> bool:
    """Return whether the host is likely to find the paths of all pairs sooner by Floyd-Warshall's algorithm."""
    return _serves and _FLOYD_WARSHALL * n**3 < _DEVICE


def is_forest_for_host(n: int) -> bool:
    """Return whether the host is likely to find the paths of all pairs, and predecessors, sooner by that algorithm."""
    return _serves and _KEYS_STEP * n + _KEYS_TRIPLE * n**3 < _DEVICE_TREES


def is_sort_for_host(n: int) -> bool:
    """Return whether the host is likely to sort this many keys sooner than a device."""
    return _serves and n <= _FEW_KEYS


def is_spanning_for_host(n: int, m: int) -> bool:
    """Return whether the host is likely to find a spanning forest sooner."""
    return _serves and _FOREST_VERTEX * n + _FOREST_EDGE * m < _DEVICE


def is_matched_on_host(vertices: int, m: int, own: float = 0.0) -> bool:
    """Return whether the host is likely to find a maximum matching sooner.

    Parameters
    ----------
    vertices, m : int
        Rows and columns, and edges.
    own : float
        What of the rows begins with a column of its own; 1 also where that matching is a maximum one.
    """
    if own >= _OWN:
        return _serves and _MATCHED_AT_ONCE * (vertices + m) < _DEVICE_THIN
    return _serves and _MATCHED * (vertices + m) < _DEVICE


def is_full_matched_on_host(rows: int, columns: int, least: int) -> bool:
    """Return whether the host is likely to find a maximum matching of an almost full matrix sooner.

    Parameters
    ----------
    rows, columns, least : int
        How many there are, and the fewest edges that one of the rows has, to different columns.
    """
    almost = rows <= columns <= least + _LACKING
    return _serves and almost and _FULL_EDGE * (rows * columns + rows + columns) < _DEVICE_THIN


def is_yen_for_scipy(n: int, m: int, paths: int) -> bool:
    """Return whether SciPy is likely to find this many shortest simple paths sooner than another search on the host."""
    return paths <= _MANY_PATHS and paths * (_PATH_VERTEX * n + _PATH_EDGE * m) < _SEARCH + paths * _PATH
