"""What the distances from vertices amount to."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.graph.graph import Graph
from reedsp.graph.html import SHOWN, and_more, card
from reedsp.results.ranking import largest
from reedsp.results.text import AsTable
from reedsp.system.public import public
from reedsp.typing import Distances


@public
@dataclass(frozen=True, eq=False)
class DistanceStatistics(AsTable):
    """Statistics of the distances from each of several vertices, from :func:`reedsp.distance_statistics`.

    Attributes
    ----------
    graph : Graph
    sources : list of int or of other names
    reached : ndarray of int64, shape (k,)
        How many vertices there is a path to, the source among them.
    eccentricity : ndarray, shape (k,)
        The largest distance to one of these.
    farness : ndarray of int64, or of float64 if weights are fractional, shape (k,)
        The sum of the distances to these.
    method : str
        How distances were found.
    device : str
        Name and platform of the device, of each if there were several; or "host (SciPy)".
    stats : dict
        ``chosen_because``, why this method and this device; ``kernels_launched``.

    Examples
    --------
    >>> import reedsp
    >>> graph = reedsp.Graph.from_edges(4, [0, 1, 2], [1, 2, 3], [1, 2, 3], directed=False)
    >>> found = reedsp.distance_statistics(graph)
    >>> found.eccentricity, found.farness
    (array([6., 5., 3., 6.]), array([10,  8,  8, 14]))
    """

    graph: Graph
    sources: list[Any]
    reached: npt.NDArray[np.int64]
    eccentricity: Distances
    farness: npt.NDArray[Any]
    method: str
    device: str
    stats: dict[str, Any]

    def __repr__(self) -> str:
        return f"DistanceStatistics({len(self.sources):,} sources of {self.graph!r}, on {self.device})"

    @property
    def closeness(self) -> npt.NDArray[np.float64]:
        """The closeness centrality of each source, shape (k,).

        That is the reciprocal of the mean distance to the other vertices that are reached, times the part of all others
        that these are (Wasserman and Faust); 0 where none is reached. It is what networkx has for distances *to* a
        node, which are those of :meth:`Graph.reverse`.
        """
        others, n = self.reached - 1.0, self.graph.n
        closeness = np.zeros(len(others))
        np.divide(others, self.farness, out=closeness, where=self.farness > 0)
        if n > 1:
            closeness *= others / (n - 1)
        return closeness

    def most_central(self, count: int = 10) -> list[tuple[Any, float]]:
        """Return the sources of the largest closeness, the largest first, and of equal ones in their order.

        Returns
        -------
        list of (name, float)

        Examples
        --------
        >>> import reedsp
        >>> graph = reedsp.Graph.from_edges(4, [0, 1, 2], [1, 2, 3], directed=False)
        >>> reedsp.distance_statistics(graph).most_central(2)
        [(1, 0.75), (2, 0.75)]
        """
        return largest(self.sources, self.closeness, count)

    def _repr_html_(self) -> str:
        columns, rows = self._table()
        shown = [[*line[:-1], f"{line[-1]:.10g}"] for line in map(list, itertools.islice(rows, SHOWN))]
        facts = [("method", self.method), ("device", self.device)]
        title = f"Distances from {len(self.sources):,} sources"
        return card(title, facts, columns, [*shown, *and_more(len(self.sources), len(columns))])

    def _table(self) -> tuple[list[str], Iterable[Iterable[Any]]]:
        farthest = self.eccentricity
        if self.farness.dtype.kind == "i":  # then these are integers, too
            farthest = farthest.astype(np.int64)
        values = (self.reached, farthest, self.farness, self.closeness)
        rows = zip(self.sources, *(each.tolist() for each in values), strict=True)
        return ["vertex", "reached", "eccentricity", "farness", "closeness"], rows
