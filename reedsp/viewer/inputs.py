"""What is traced: a graph or an array, checked and described."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from reedsp.algorithms.structure.matching.biadjacency import biadjacency_of
from reedsp.device.arrays import refuse_rounded
from reedsp.graph.arguments import as_graph, vertex_argument
from reedsp.graph.graph import Graph, edge_sources, is_networkx, refuse_masked
from reedsp.viewer.story import as_json

Kind: TypeAlias = Literal["search", "graph", "array"]
"""Of inputs: a graph and a vertex, a graph alone, or an array."""

LARGEST_N = 200
"""Vertices of a graph."""

LARGEST_M = 2_000
"""Edges of a graph; one without direction counts once."""

LARGEST_LENGTH = 1_000
"""Elements of an array."""


@dataclass(frozen=True)
class Input:
    """What an algorithm is given.

    Attributes
    ----------
    problem : str
    described : dict
        As a trace has it.
    graph : Graph, optional
    values : ndarray, optional
    source : int
        Index of the vertex from which searches start.
    """

    problem: str
    described: dict[str, Any]
    graph: Graph | None = None
    values: npt.NDArray[Any] | None = None
    source: int = 0

    @property
    def as_graph(self) -> Graph:
        """The graph of an algorithm on graphs."""
        assert self.graph is not None
        return self.graph

    @property
    def as_array(self) -> npt.NDArray[Any]:
        """The array of an algorithm on arrays."""
        assert self.values is not None
        return self.values


class Problem(NamedTuple):
    """What an algorithm is for, and what it takes."""

    name: str
    kind: Kind


def input_of(given: Any, problem: Problem, source: Any = None) -> Input:
    """Return what an algorithm for a problem is given.

    Raises
    ------
    ValueError
        The input is too large, or none for this problem.
    TypeError
        It is nothing that the problem is about.
    """
    if source is not None and problem.kind != "search":
        raise ValueError(f"source: expected None, as this is about {problem.name}, got {source!r}")
    if problem.kind == "array":
        return _array(given, problem.name)
    try:
        graph = as_graph(given, "input")
    except ValueError as error:
        raise ValueError(f"input: {error}") from None
    if graph.n == 0 or graph.n > LARGEST_N:
        raise ValueError(f"input: 1 to {LARGEST_N} vertices can be traced, the graph has {graph.n:,}")
    edges = len(ends_of(graph)[0])
    if edges > LARGEST_M:
        raise ValueError(f"input: at most {LARGEST_M:,} edges can be traced, the graph has {edges:,}")
    start = 0 if source is None else vertex_argument(graph, source, "source")
    return Input(
        problem.name,
        _describe(graph, start if problem.kind == "search" else None, problem.name == "matching"),
        graph=graph,
        source=start,
    )


def _array(given: Any, problem: str) -> Input:
    if isinstance(given, Graph) or is_networkx(given):
        raise TypeError("input: an array is expected, got a graph")
    refuse_masked(given, "input")
    values = np.asarray(given)
    if values.ndim != 1 or values.dtype.kind not in ("iufb" if problem == "PRAM program" else "iuf"):
        raise TypeError(f"input: an array of numbers in one dimension is expected, got {values.dtype} {values.shape}")
    if values.size == 0 or values.size > LARGEST_LENGTH:
        raise ValueError(f"input: 1 to {LARGEST_LENGTH:,} elements can be traced, the array has {values.size:,}")
    if values.dtype.itemsize > 8:
        raise TypeError(f"input: elements of at most 8 bytes are expected, got {values.dtype}")
    refuse_rounded("input", given, values)
    values = values.astype(values.dtype.newbyteorder("="), copy=False)  # as devices have it
    described = {"kind": "array", "dtype": str(values.dtype), "values": [as_json(each) for each in values.tolist()]}
    return Input(problem, described, values=values)


def sides_of(graph: Graph) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return the vertices of either side of a bipartite graph.

    Raises
    ------
    ValueError
        It is not bipartite, or directed.
    """
    if graph.directed:
        raise ValueError("input: an undirected graph is expected, whose sides are found; this one is directed")
    try:
        _, rows, columns = biadjacency_of(graph)
    except ValueError as error:
        raise ValueError(f"input: {str(error).removeprefix('graph: ')}") from None
    assert rows.vertices is not None
    assert columns.vertices is not None
    return rows.vertices, columns.vertices


def ends_of(graph: Graph) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.intp]]:
    """Return both ends of each edge, one without direction once, and where it is among the entries of the rows."""
    sources, targets = edge_sources(graph).astype(np.int64), graph.indices.astype(np.int64)
    kept = np.flatnonzero(sources <= targets) if not graph.directed else np.arange(graph.m)
    return sources[kept], targets[kept], kept


def _left(graph: Graph) -> int | None:
    """Return how many vertices the first side has, if they come before those of the other one."""
    rows, _ = sides_of(graph)
    return len(rows) if np.array_equal(rows, np.arange(len(rows))) else None


def _describe(graph: Graph, source: int | None, bipartite: bool) -> dict[str, Any]:
    sources, targets, kept = ends_of(graph)
    weights = graph.weights[kept].tolist()
    weighted = any(weight != 1 for weight in weights)
    coordinates = graph.coordinates
    return {
        "kind": "graph",
        "n": graph.n,
        "directed": graph.directed,
        "edges": [[u, v, as_json(w)] for u, v, w in zip(sources.tolist(), targets.tolist(), weights, strict=True)],
        "weighted": weighted,
        "names": [str(name) for name in graph.names] if graph.has_names else None,
        "coordinates": None if coordinates is None else np.asarray(coordinates, float).tolist(),
        "sides": _left(graph) if bipartite else None,
        "source": source,
    }
