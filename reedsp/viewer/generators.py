"""Small arrays and graphs to look at, made by their names."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np
import numpy.typing as npt

from reedsp.graph.graph import Graph
from reedsp.system.options import integer
from reedsp.viewer.inputs import LARGEST_LENGTH, LARGEST_M, LARGEST_N
from reedsp.viewer.story import listed

_HEAVIEST = 9  # weight, so that labels are short
_LARGEST_ELEMENT = 10
_REMOVED = 0.15  # of the edges of a grid of roads
_JITTER = 0.3  # of its spacing
_DEGREE = 3  # edges for each vertex of a random graph
_R_MAT = (0.57, 0.76, 0.95)  # running sums of the probabilities of Graph500

Ends = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]


def array(generate: str, size: int, seed: int = 0) -> npt.NDArray[np.int32]:
    """Make an array.

    Parameters
    ----------
    generate : {"constant", "random", "shuffled", "ascending", "descending"}
        All 1; numbers from 0 to 10; or those from 0 to size - 1 in some order.
    size : int
        1 to 1,000.
    seed : int

    Raises
    ------
    ValueError
        There is no such kind, or the size is none.
    """
    if generate not in ARRAYS:
        raise ValueError(f"generate: one of {listed(tuple(ARRAYS))} is expected, got {generate!r}")
    _check_size(size, LARGEST_LENGTH, "elements")
    return ARRAYS[generate](size, np.random.default_rng(seed)).astype(np.int32)


ARRAYS: Mapping[str, Callable[[int, np.random.Generator], npt.NDArray[np.int64]]] = {
    "constant": lambda size, rng: np.ones(size, np.int64),
    "random": lambda size, rng: rng.integers(0, _LARGEST_ELEMENT + 1, size),
    "shuffled": lambda size, rng: rng.permutation(size),
    "ascending": lambda size, rng: np.arange(size),
    "descending": lambda size, rng: np.arange(size)[::-1],
}
"""Kinds of arrays."""


def graph(generate: str, size: int, seed: int = 0) -> Graph:
    """Make an undirected graph, with weights from 1 to 9.

    Parameters
    ----------
    generate : {"grid", "road", "random", "r-mat", "tree", "path", "cycle", "complete", "bipartite"}
        The vertices of "grid" and "road" have coordinates; those of the first side of "bipartite" come first.
    size : int
        Vertices, 1 to 200; a grid has as many as fit into a rectangle.
    seed : int

    Raises
    ------
    ValueError
        There is no such kind, or the size is none, or there would be too many edges.
    """
    if generate not in GRAPHS:
        raise ValueError(f"generate: one of {listed(GRAPHS)} is expected, got {generate!r}")
    _check_size(size, LARGEST_N, "vertices")
    rng = np.random.default_rng(seed)
    if generate in ("grid", "road"):
        return _grid(size, rng, of_roads=generate == "road")
    u, v = _ENDS[generate](size, rng)
    if len(u) > LARGEST_M:
        raise ValueError(
            f"size: at most {LARGEST_M:,} edges can be traced, {generate!r} of {size} vertices has {len(u):,}"
        )
    return _weighted(size, u, v, rng)


def _check_size(size: int, largest: int, what: str) -> None:
    if not 1 <= integer(size, "size") <= largest:
        raise ValueError(f"size: 1 to {largest:,} {what} are expected, got {size:,}")


def _weighted(n: int, u: npt.NDArray[np.int64], v: npt.NDArray[np.int64], rng: np.random.Generator) -> Graph:
    return Graph.from_edges(n, u, v, rng.integers(1, _HEAVIEST + 1, len(u)), directed=False)


def _grid(size: int, rng: np.random.Generator, of_roads: bool) -> Graph:
    rows = math.isqrt(size)
    columns = size // rows
    n = rows * columns
    vertex = np.arange(n).reshape(rows, columns)
    u = np.concatenate((vertex[:, :-1].ravel(), vertex[:-1].ravel()))
    v = np.concatenate((vertex[:, 1:].ravel(), vertex[1:].ravel()))
    places = np.stack((np.arange(n) % columns, np.arange(n) // columns), axis=1).astype(np.float64)
    if of_roads:
        kept = rng.random(len(u)) >= _REMOVED
        u, v = u[kept], v[kept]
        places += rng.uniform(-_JITTER, _JITTER, places.shape)
    return _weighted(n, u, v, rng).with_coordinates(places)


def _random(n: int, rng: np.random.Generator) -> Ends:
    u, v = rng.integers(0, n, (2, min(_DEGREE * n, LARGEST_M)))
    return u[u != v], v[u != v]


def _r_mat(n: int, rng: np.random.Generator) -> Ends:
    """Draw a quarter of the matrix for each bit of both ends; ends that are no vertices are left out."""
    bits = (n - 1).bit_length()
    quarters = np.searchsorted(_R_MAT, rng.random((min(2 * _DEGREE * n, LARGEST_M), bits)), "right")
    powers = 1 << np.arange(bits)
    u, v = (quarters // 2 * powers).sum(axis=1), (quarters % 2 * powers).sum(axis=1)
    kept = (u < n) & (v < n) & (u != v)
    number = rng.permutation(n)
    return number[u[kept]], number[v[kept]]


def _tree(n: int, rng: np.random.Generator) -> Ends:
    """Each vertex hangs on one before it."""
    return np.arange(1, n), np.array([rng.integers(0, vertex) for vertex in range(1, n)], np.int64)


def _path(n: int, rng: np.random.Generator) -> Ends:
    return np.arange(n - 1), np.arange(1, n)


def _cycle(n: int, rng: np.random.Generator) -> Ends:
    return (np.arange(n), (np.arange(n) + 1) % n) if n > 2 else _path(n, rng)


def _complete(n: int, rng: np.random.Generator) -> Ends:
    u, v = np.triu_indices(n, 1)
    return u, v


def _bipartite(n: int, rng: np.random.Generator) -> Ends:
    """Each vertex of either side has an edge, and on average two; the first vertices are one side."""
    left = (n + 1) // 2
    right = n - left
    if right == 0:
        return _path(1, rng)
    u = np.concatenate((np.arange(left), rng.integers(0, left, n)))
    v = np.concatenate((np.arange(left) % right, rng.integers(0, right, n)))
    return u, left + v


_ENDS: Mapping[str, Callable[[int, np.random.Generator], Ends]] = {
    "random": _random,
    "r-mat": _r_mat,
    "tree": _tree,
    "path": _path,
    "cycle": _cycle,
    "complete": _complete,
    "bipartite": _bipartite,
}

GRAPHS = ("grid", "road", *_ENDS)
"""Kinds of graphs."""
