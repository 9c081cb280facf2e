"""Arguments that say which vertices are meant: names where a graph knows some, otherwise numbers."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.graph import Graph, integer


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
    if graph.has_names:
        try:
            return graph.index(vertex)
        except ValueError as error:
            raise ValueError(f"{argument} = {error}") from None
    number = integer(vertex, argument)
    if not -graph.n <= number < graph.n:
        raise ValueError(f"{argument} = {number} is not a vertex of a graph with {graph.n} vertices")
    return number % graph.n


def vertices_argument(graph: Graph, vertices: Any, argument: str) -> npt.NDArray[np.intp]:
    """Return the indices of several vertices.

    Raises
    ------
    TypeError, ValueError
        One is no vertex; the message names its position.
    """
    if graph.labels is None and isinstance(vertices, np.ndarray) and vertices.dtype.kind in "iu" and vertices.ndim == 1:
        least, first = (-graph.n, 0) if graph.offset == 0 else (graph.offset, graph.offset)
        if not ((vertices < least) | (vertices >= first + graph.n)).any():
            indices = vertices.astype(np.intp) - first
            return np.where(indices < 0, indices + graph.n, indices)
    if isinstance(vertices, (str, bytes)) or not isinstance(vertices, Iterable):
        raise TypeError(f"{argument}: expected several vertices, got {vertices!r}")
    named = enumerate(vertices)
    return np.array([vertex_argument(graph, each, f"{argument}[{place}]") for place, each in named], np.intp)


def source_argument(graph: Graph, source: Any) -> tuple[list[int], bool]:
    """Return the indices of the sources, and whether there may be several.

    What is the name of a vertex is one source, also if it is a tuple or another collection; any other collection but a
    string holds several.

    Raises
    ------
    TypeError, ValueError
        One is no vertex; the message names its position.
    """
    if isinstance(source, np.ndarray):
        if source.ndim > 1:
            raise ValueError(f"source has {source.ndim} dimensions, expected at most 1")
        source = source if source.ndim == 1 else source.item()
    if not isinstance(source, Iterable) or isinstance(source, (str, bytes)) or _is_name(graph, source):
        return [vertex_argument(graph, source, "source")], False
    return vertices_argument(graph, source, "source").tolist(), True


def name_or_none(graph: Graph, index: int) -> str:
    """Return the name of a vertex as an error shows it; a negative index is that of none."""
    if not 0 <= index < graph.n:
        return "none" if index < 0 else f"no. {index}"
    return repr(graph.names[index])


def _is_name(graph: Graph, source: Any) -> bool:
    if graph.labels is None or not isinstance(source, Hashable):
        return False
    try:
        graph.index(source)
    except ValueError:
        return False
    return True
