"""Arguments: any accepted kind of graph, and which of its vertices are meant, by name where it knows some."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.graph.graph import Graph, is_networkx, is_sparse, kind_of, refuse_masked
from reedsp.graph.remembered import remembered
from reedsp.graph.sequences import entries_of, refuse_other_than_several


def as_graph(graph: Any, name: str = "graph") -> Graph:
    """Return any accepted kind of graph as a :class:`Graph`, the same one for a matrix that has not changed since.

    Parameters
    ----------
    graph : Graph, scipy sparse matrix, dense array or masked array, or networkx graph
    name : str
        What to call the argument in an error.

    Raises
    ------
    TypeError
        It is none of these.
    """
    if isinstance(graph, Graph):
        return graph
    if is_sparse(graph):
        return remembered(graph, "graph", Graph.from_scipy)
    if is_networkx(graph):  # not remembered: weights are often changed in dictionaries, which no one would notice
        return Graph.from_networkx(graph)
    if isinstance(graph, (np.ndarray, list, tuple)):
        return remembered(graph, "graph", Graph.from_dense)
    raise TypeError(
        f"{name}: expected a reedsp.Graph, a SciPy sparse matrix, a dense array or a networkx graph, "
        f"got {kind_of(graph)}{_cure_of(graph)}"
    )


def refuse_other_than_graph(graph: object) -> None:
    """Raise TypeError unless this is a :class:`Graph`, with how one is made of it."""
    if not isinstance(graph, Graph):
        raise TypeError(f"graph: expected a reedsp.Graph, got {kind_of(graph)}{_cure_of(graph)}")


def _cure_of(graph: Any) -> str:
    """Return how a graph is made of something else that may be meant."""
    if isinstance(graph, (str, os.PathLike)):
        return "; reedsp.read(path) reads a file"
    if isinstance(getattr(graph, "graph", None), Graph):
        return "; its attribute graph is one"
    if isinstance(graph, Mapping):
        return "; reedsp.Graph.from_table makes one of a table"
    if hasattr(graph, "__arrow_c_stream__"):
        return "; reedsp.Graph.from_table makes one of a table of edges, and reedsp.Graph.from_dense of a matrix"
    package = "networkx" if is_networkx(graph) else type(graph).__module__.partition(".")[0]
    if package in ("igraph", "networkit", "networkx", "rustworkx"):
        return f"; reedsp.Graph.from_{package} makes one of it"
    return ""


def vertex_argument(graph: Graph, vertex: Any, argument: str) -> int:
    """Return the index of a vertex that was named.

    In a graph without names it is an integer; negative ones count from the end, as in SciPy.

    Raises
    ------
    TypeError
        The graph has no names, and this is not an integer.
    ValueError
        The graph has no such vertex; the message names the argument, and says which vertices there are.
    """
    return graph._vertex(vertex, argument)


def vertices_argument(graph: Graph, vertices: Any, argument: str) -> npt.NDArray[np.intp]:
    """Return the indices of several vertices.

    Raises
    ------
    TypeError, ValueError
        One is no vertex; the message names its position.
    """
    refuse_masked(vertices, argument)
    if (indices := graph._indices_of_numbers(vertices)) is not None:
        return indices
    refuse_other_than_several(vertices, argument)
    named = enumerate(entries_of(vertices))
    return np.array([vertex_argument(graph, each, f"{argument}[{index}]") for index, each in named], np.intp)


def source_argument(graph: Graph, source: Any) -> tuple[list[int], bool]:
    """Return the indices of the sources, and whether there may be several.

    What is the name of a vertex is one source, also if it is a tuple or another collection; any other collection but a
    string holds several, in its order: a set has none, and a dict more than vertices.

    Raises
    ------
    TypeError, ValueError
        One is no vertex; the message names its position.
    """
    refuse_masked(source, "source")
    if isinstance(source, np.ndarray):
        if source.ndim > 1:
            raise ValueError(f"source has {source.ndim} dimensions, expected at most 1")
        source = source if source.ndim == 1 else source.item()
    if not isinstance(source, Iterable) or isinstance(source, (str, bytes)) or source in graph:
        return [vertex_argument(graph, source, "source")], False
    return vertices_argument(graph, source, "source").tolist(), True


def name_or_none(graph: Graph, index: int) -> str:
    """Return the name of a vertex as an error shows it; a negative index is that of none."""
    if not 0 <= index < graph.n:
        return "none" if index < 0 else f"no. {index}"
    return repr(graph.names[index])
