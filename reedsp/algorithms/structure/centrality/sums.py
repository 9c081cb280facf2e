"""What is summed up over the sources of betweenness, whatever device it was done on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from reedsp.graph.graph import Graph

BLOCK = 8
"""Sources whose dependencies are added up before they are added to those of the blocks before: on every device."""

PIECE = 512
"""Edges of a vertex that are summed up before they are added to the pieces before: on every device."""


EXACT, ROUNDED, SCALED = FORMS = ("exact", "rounded", "scaled")
"""How numbers of paths are kept: as float64 that are integers, as float64 that may be rounded, or as these with their
exponents apart, which never overflow. Where several are right they give the same bytes; the first ones are faster."""

MOST_PATHS = {EXACT: 2.0**53, ROUNDED: 2.0**960, SCALED: float("inf")}
"""Number of paths up to which each is right: of ROUNDED its reciprocals, too, keep all their bits."""

Require = Callable[[str], None]
"""Called before the kernels of a form are used; raises an error if they cannot be."""


@dataclass(frozen=True)
class Question:
    """What is asked.

    Attributes
    ----------
    graph : Graph
        With at least one vertex.
    sources : sequence of int
        Vertices that paths start at, at least one.
    is_target : ndarray of uint8, shape (n,)
        1 where paths may end, else 0.
    edges : bool
        Whether edges are asked for, too.
    """

    graph: Graph
    sources: Sequence[int]
    is_target: npt.NDArray[np.uint8]
    edges: bool


@dataclass(frozen=True)
class Sums:
    """The sums over all sources.

    Attributes
    ----------
    vertices : ndarray of float64, shape (n,)
        The dependency of all sources on each vertex: of the shortest paths from a source to a target, which part
        passes it; the vertex itself is neither of the two.
    edges : ndarray of float64, shape (m,), or None
        The same of edges, for each as it is stored.
    reached : ndarray of int64, shape (k,)
        Vertices that each source reaches, itself included.
    reached_by : ndarray of int64, shape (n,)
        Sources that reach each vertex, without itself.
    form : str
        One of FORMS: that of the largest number of paths.
    """

    vertices: npt.NDArray[np.float64]
    edges: npt.NDArray[np.float64] | None
    reached: npt.NDArray[np.int64]
    reached_by: npt.NDArray[np.int64]
    form: str
