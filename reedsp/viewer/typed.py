"""Inputs that are typed: as text, or by the name of a kind that is generated."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.graph.graph import Graph
from reedsp.viewer.inputs import LARGEST_LENGTH, LARGEST_M, LARGEST_N

Array = npt.NDArray[Any]
Edges = list[tuple[int, int]]

_NEIGHBOUR = re.compile(r"([0-9]{1,15})(?:\(([^()]*)\))?")
_VERTEX = re.compile(r"[0-9]{1,15}")
_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)(e[+-]?[0-9]+)?", re.IGNORECASE)
_SEED = 1


# ---- text -------------------------------------------------------------------------------------------


def array_of(text: str) -> Array:
    """Return the numbers between white space: int32 or int64 if all are integers of that size, otherwise float64.

    Raises
    ------
    ValueError
        A word is no number, or there are too many.
    """
    words = text.split()
    if len(words) > LARGEST_LENGTH:
        raise ValueError(f"text: at most {LARGEST_LENGTH:,} numbers can be watched, there are {len(words):,}")
    values = [_number(word, f"text: word {position}") for position, word in enumerate(words, start=1)]
    if any(isinstance(value, float) for value in values):
        return np.array(values, np.float64)
    for dtype in (np.int32, np.int64):
        limits = np.iinfo(dtype)
        if all(limits.min <= value <= limits.max for value in values):
            return np.array(values, dtype)
    raise ValueError("text: integers of at most 64 bits are expected")


def graph_of(text: str, directed: bool = True) -> Graph:
    """Return the graph of lines ``v : a b c``, a vertex and its neighbours; ``a(5)`` is one by an edge of weight 5.

    Vertices are numbers, with gaps if need be: then they are the names of those of the graph.

    Raises
    ------
    ValueError
        A line is none of these, or there are too many vertices or edges.
    """
    rows: list[tuple[int, int, int | float]] = []
    names: set[int] = set()
    for position, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        where = f"text: line {position}"
        head, colon, rest = line.partition(":")
        if not colon or not _VERTEX.fullmatch(head.strip()):
            raise ValueError(f"{where}: a vertex, a colon and its neighbours are expected, got {line[:40]!r}")
        vertex = int(head)
        names.add(vertex)
        for word in rest.split():
            found = _NEIGHBOUR.fullmatch(word)
            if found is None:
                raise ValueError(f"{where}: a neighbour, perhaps with a weight as 3(5), is expected, got {word[:40]!r}")
            weight = 1 if found[2] is None else _number(found[2], where)
            rows.append((vertex, int(found[1]), weight))
            names.add(int(found[1]))
        if len(names) > LARGEST_N or len(rows) > LARGEST_M:
            raise ValueError(f"{where}: at most {LARGEST_N:,} vertices and {LARGEST_M:,} edges can be watched")
    ordered = sorted(names)
    index = {name: i for i, name in enumerate(ordered)}
    labels = None if ordered == list(range(len(ordered))) else ordered
    sources, targets = [index[u] for u, _, _ in rows], [index[v] for _, v, _ in rows]
    return Graph.from_edges(len(ordered), sources, targets, [w for _, _, w in rows], directed, labels=labels)


def _number(word: str, where: str) -> int | float:
    if not _NUMBER.fullmatch(word):
        raise ValueError(f"{where}: {word[:40]!r} is no number")
    try:
        return int(word)
    except ValueError:  # a fraction, or thousands of digits
        value = float(word)
    if not math.isfinite(value):
        raise ValueError(f"{where}: a number that float64 can hold is expected, got {word[:40]!r}")
    return value


# ---- kinds ------------------------------------------------------------------------------------------


def generated_array(kind: str, size: int) -> Array:
    """Return an array of one of :data:`ARRAYS`, the same each time.

    Raises
    ------
    ValueError
        There is no such kind, or the size is none of an array that can be watched.
    """
    _check(kind, size, ARRAYS, LARGEST_LENGTH)
    return np.asarray(ARRAYS[kind](size), np.int32)


def generated_graph(kind: str, size: int) -> Graph:
    """Return a graph of one of :data:`GRAPHS` with about so many vertices, the same each time; weights are 1 to 9.

    Raises
    ------
    ValueError
        There is no such kind, or the size is none of a graph that can be watched.
    """
    _check(kind, size, GRAPHS, LARGEST_N)
    n, edges, coordinates = GRAPHS[kind](size)
    if len(edges) > LARGEST_M // 2:
        raise ValueError(f"size: at most {LARGEST_M // 2:,} edges can be watched, {kind} of {size} has {len(edges):,}")
    weights = _random().integers(1, 10, len(edges))
    sources, targets = [u for u, _ in edges], [v for _, v in edges]
    graph = Graph.from_edges(n, sources, targets, weights, directed=False)
    return graph if coordinates is None else graph.with_coordinates(coordinates)


def _check(kind: str, size: int, kinds: dict[str, Any], largest: int) -> None:
    if kind not in kinds:
        raise ValueError(f"generate: one of {', '.join(kinds)} is expected, got {kind[:40]!r}")
    if not 1 <= size <= largest:
        raise ValueError(f"size: 1 to {largest:,} is expected for {kind}, got {size:,}")


def _random() -> np.random.Generator:
    return np.random.default_rng(_SEED)


def _grid(size: int) -> tuple[int, Edges, None]:
    columns = math.ceil(math.sqrt(1.6 * size))
    across = [(v, v + 1) for v in range(size - 1) if (v + 1) % columns]
    return size, across + [(v, v + columns) for v in range(size - columns)], None


def _road(size: int) -> tuple[int, Edges, Array]:
    """Return crossings at random places, each with roads to its nearest three."""
    places = _random().random((size, 2)) * [1.5, 1.0]
    distance = np.hypot(*(places[:, None] - places[None]).transpose(2, 0, 1))
    nearest = np.argsort(distance, axis=1, kind="stable")[:, 1:4]
    edges = {(min(u, int(v)), max(u, int(v))) for u in range(size) for v in nearest[u]}
    return size, sorted(edges), places


def _sparse(size: int) -> tuple[int, Edges, None]:
    ends = _random().integers(0, size, (2 * size, 2)).tolist()
    return size, sorted({(min(u, v), max(u, v)) for u, v in ends if u != v}), None


def _r_mat(size: int) -> tuple[int, Edges, None]:
    """Return edges by the probabilities of Graph500, among as many vertices as the largest power of two below."""
    bits = size.bit_length() - 1
    draws = _random().choice(4, (3 * size, bits), p=[0.57, 0.19, 0.19, 0.05])
    powers = 1 << np.arange(bits)
    ends = np.stack([(draws // 2) @ powers, (draws % 2) @ powers], axis=1).tolist() if bits else []
    return 1 << bits, sorted({(min(u, v), max(u, v)) for u, v in ends if u != v}), None


def _tree(size: int) -> tuple[int, Edges, None]:
    random = _random()
    return size, [(int(random.integers(0, v)), v) for v in range(1, size)], None


def _bipartite(size: int) -> tuple[int, Edges, None]:
    """Return edges between a first half and a second one, two at each vertex of the first."""
    left = (size + 1) // 2
    if size == left:
        return size, [], None
    targets = _random().integers(left, size, (left, 2)).tolist()
    return size, sorted({(u, v) for u, row in enumerate(targets) for v in row}), None


ARRAYS: dict[str, Callable[[int], Any]] = {
    "constant": lambda size: np.ones(size),
    "random": lambda size: _random().integers(0, 11, size),
    "shuffled": lambda size: _random().permutation(size),
    "ascending": np.arange,
    "descending": lambda size: np.arange(size)[::-1],
}
"""Kinds of arrays."""

GRAPHS: dict[str, Callable[[int], tuple[int, Edges, Array | None]]] = {
    "grid": _grid,
    "road": _road,
    "random": _sparse,
    "r-mat": _r_mat,
    "tree": _tree,
    "path": lambda size: (size, [(v, v + 1) for v in range(size - 1)], None),
    "cycle": lambda size: (size, [(v, (v + 1) % size) for v in range(size)] if size > 2 else [], None),
    "complete": lambda size: (size, [(u, v) for u in range(size) for v in range(u + 1, size)], None),
    "bipartite": _bipartite,
}
"""Kinds of graphs: each returns the number of vertices, edges, and perhaps places."""
