"""What a breadth-first search returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from reedsp.edges.device_graph import NO_VERTEX, UNREACHED
from reedsp.edges.verify import VerificationError, check_array
from reedsp.graph.arguments import name_or_none
from reedsp.graph.graph import Graph, edge_sources
from reedsp.results.search_result import SearchResult
from reedsp.system.public import public


@public
@dataclass(frozen=True, eq=False, repr=False)
class BreadthFirst(SearchResult):
    """What a breadth-first search found, from one source or several.

    Attributes
    ----------
    graph : Graph
    source : int or other name, or list of these
        The source, or one source for each row of `levels` and `pred`.
    levels : ndarray of int32, shape (n,) or (k, n)
        Least number of edges on a path to each vertex; -1 where there is no path.
    pred : ndarray of int32, same shape
        The smallest vertex that is one level below and has an edge to this one; -9999 for the source and where there
        is no path.
    method : {"work-items", "work-groups", "source-a-group", "near-far", "frontier", "dijkstra"}
        The kernels that were used, or "dijkstra" on the host.
    device : str
        Name and platform of the device.
    stats : dict
        ``device``, ``kernels_launched``, ``milliseconds``, ``bytes_to_device``, ``bytes_from_device``,
        ``bytes_allocated``, ``chosen_because`` and ``phases``, as in :class:`ShortestPaths`; ``search_milliseconds``
        (those until the search had ended, before the answer was copied), and ``bottom_up_levels`` (levels that were
        found from the vertices not reached yet, over all sources).

    Examples
    --------
    >>> import reedsp
    >>> search = reedsp.bfs(reedsp.Graph.from_edges(4, [0, 0, 2], [1, 2, 1]), 0)
    >>> search.levels, search.path(1)
    (array([ 0,  1,  1, -1], dtype=int32), [0, 1])
    """

    graph: Graph
    source: Any
    levels: npt.NDArray[np.int32]
    pred: npt.NDArray[np.int32]
    method: str
    device: str
    stats: dict[str, Any]

    _title: ClassVar[str] = "Breadth-first search"
    _quantity: ClassVar[str] = "level"
    _column: ClassVar[str] = "level"

    @property
    def _numbers(self) -> npt.NDArray[Any]:
        return self.levels

    @property
    def _kept(self) -> dict[str, Any]:
        return {"levels": self.levels}

    def _is_reached(self, numbers: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
        return np.asarray(numbers != UNREACHED)

    def _tight(self, row: int) -> npt.NDArray[np.bool_]:
        levels = np.atleast_2d(self.levels)[row]
        before = levels[edge_sources(self.graph)]
        return np.asarray((before != UNREACHED) & (levels[self.graph.indices] == before + 1))

    def verify(self) -> bool:
        """Check on the host that levels and predecessors are right, by the rules of the Graph500 validator and more.

        The source is the one vertex of level 0; no edge leads more than one level up, nor from a reached vertex to an
        unreached one; each predecessor is the smallest that there is.

        Returns
        -------
        bool
            True.

        Raises
        ------
        VerificationError
            They are not; the message names a vertex, or an array that is of another shape or type.
        """
        check_array("levels", self.levels, self._shape, np.int32)
        check_array("pred", self.pred, self._shape, np.int32)
        levels, pred = np.atleast_2d(self.levels, self.pred)
        for row in range(len(levels)):
            [source] = self._starts(row)
            _verify(self.graph, source, levels[row], pred[row])
        return True


def _verify(graph: Graph, source: int, levels: npt.NDArray[np.int32], pred: npt.NDArray[np.int32]) -> None:
    """Check one row; see :meth:`BreadthFirst.verify`."""
    names = graph.names
    starts = np.flatnonzero(levels == 0)
    if starts.tolist() != [source]:
        vertex = source if levels[source] != 0 else int(starts[starts != source][0])
        raise VerificationError(
            f"vertex {names[vertex]!r}: level {levels[vertex]}, but the source is {names[source]!r}"
        )
    if (levels < UNREACHED).any():
        vertex = int(np.argmin(levels))
        raise VerificationError(f"vertex {names[vertex]!r}: level {levels[vertex]}")
    starts_at, ends_at = edge_sources(graph), graph.indices
    before, after = levels[starts_at], levels[ends_at]
    too_far = (before != UNREACHED) & ((after == UNREACHED) | (after > before + 1))
    if too_far.any():
        edge = int(np.argmax(too_far))
        end, start = names[ends_at[edge]], names[starts_at[edge]]
        raise VerificationError(f"vertex {end!r}: an edge from vertex {start!r} leads to it earlier")
    expected = np.full(graph.n, NO_VERTEX, np.int32)
    of_tree = np.flatnonzero((before != UNREACHED) & (after == before + 1))[::-1]
    expected[ends_at[of_tree]] = starts_at[of_tree]  # the last one stays, which is the smallest
    wrong = (pred != expected) | ((levels > 0) & (expected == NO_VERTEX))
    if wrong.any():
        vertex = int(np.argmax(wrong))
        raise VerificationError(
            f"vertex {names[vertex]!r}: level {levels[vertex]}, predecessor {name_or_none(graph, pred[vertex])}, "
            f"expected {name_or_none(graph, expected[vertex])}"
        )
