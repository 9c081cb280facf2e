"""What sssp returns: distances and a tree of predecessors from each source, and how they were computed."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from reedsp.arithmetic.paths import RESULT_TYPES, Arithmetic, bound_of, ceiling_of, from_result, to_result
from reedsp.arithmetic.types import infinity
from reedsp.device.device import Device
from reedsp.device.job import Job
from reedsp.edges.negative_cycles import exact_shortest_paths
from reedsp.edges.verify import (
    VerificationError,
    check_array,
    device_that_verifies,
    verify_on_host,
    verify_tree,
    wrong_nearest,
)
from reedsp.graph.arguments import name_or_none
from reedsp.graph.graph import Graph, edge_sources
from reedsp.results.certificate import check
from reedsp.results.files import Stored
from reedsp.results.search_result import SearchResult
from reedsp.results.ties import tight_edges
from reedsp.system.public import public
from reedsp.typing import Distances


@public
@dataclass(frozen=True, eq=False, repr=False)
class ShortestPaths(SearchResult):
    """Shortest paths from one source or several.

    Attributes
    ----------
    graph : Graph
    source : int or other name, or list of these
        The source, or one source for each row of `dist` and `pred`.
    dist : ndarray, shape (n,) or (k, n)
        Distance of each vertex; inf (in an integer dtype its largest value) where there is no path.
    pred : ndarray of int32, same shape
        Vertex before the last one on a shortest path; -9999 for the source and where there is no path. The
        predecessors form a tree, which is the same on every device.
    nearest : ndarray of int32, shape (n,), or None
        If paths from the nearest of several sources were asked for: that source, or -9999 where there is no path.
    method : str
        The method that was used; on the host "dijkstra", "bellman-ford" or "nearby".
    rounds : int
        Rounds that the device ran, over all sources.
    device : str
        Name and platform of the device.
    stats : dict
        ``device``, ``kernels_launched``, ``milliseconds`` (on a device from its first work to the end, copies
        included; on the host those of the search), ``bytes_to_device``, ``bytes_from_device``, ``bytes_allocated``,
        ``arithmetic`` (in which path weights were added), ``exact_on_host`` (number of sources that the host had to
        solve in integers, because rounding defeated the device's floats),
        ``chosen_because`` (why this method, and why there, in a sentence), and ``phases``: the milliseconds of the call
        in "prepare", "upload", "search", "tree", "download" and "convert", which add up to it.

    Examples
    --------
    >>> import reedsp
    >>> paths = reedsp.sssp(reedsp.Graph.from_edges(4, [0, 0, 2], [1, 2, 1], [7, 2, 3]), 0)
    >>> paths.dist, paths.path(1)
    (array([ 0.,  5.,  2., inf]), [0, 2, 1])
    """

    graph: Graph
    source: Any
    dist: Distances
    pred: npt.NDArray[np.int32]
    nearest: npt.NDArray[np.int32] | None
    method: str
    rounds: int
    device: str
    stats: dict[str, Any]
    _device: Device | None  # None after it was loaded from a pickle: then any device serves
    _arithmetic: Arithmetic
    _cutoff: float | None
    _target: int | None  # the search stopped there
    _rows_from_host: frozenset[int]
    _exact: npt.NDArray[Any] | None  # distances before rounding to `dist`, where that loses something

    _title: ClassVar[str] = "Shortest paths"
    _quantity: ClassVar[str] = "distance"
    _column: ClassVar[str] = "dist"

    @property
    def _numbers(self) -> npt.NDArray[Any]:
        return self.dist

    @property
    def _effort(self) -> list[tuple[str, int]]:
        return [("rounds", self.rounds)]

    @property
    def _vertex_columns(self) -> dict[str, npt.NDArray[np.int32]]:
        return {"pred": self.pred} if self.nearest is None else {"pred": self.pred, "nearest": self.nearest}

    @property
    def _kept(self) -> dict[str, Any]:
        limit = bound_of(self._cutoff, self._arithmetic)
        given = {"nearest": self.nearest, "cutoff": limit, "stopped_at": self._target, "exact": self._exact}
        rows = {"exact_rows": np.array(sorted(self._rows_from_host), np.int64)} if self._rows_from_host else {}
        return {"dist": self.dist, **{name: value for name, value in given.items() if value is not None}, **rows}

    def _is_reached(self, numbers: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
        return np.asarray(numbers != infinity(numbers.dtype))

    def _tight(self, row: int) -> npt.NDArray[np.bool_]:
        if row in self._rows_from_host:
            exact, scale, _ = exact_shortest_paths(self.graph, self._starts(row))
            ends = zip(edge_sources(self.graph).tolist(), self.graph.indices.tolist(), strict=True)
            weights = [int(fraction * scale) for fraction in map(Fraction, self.graph.weights.tolist())]
            tight = [
                (before := exact[u]) is not None and before + weight == exact[v]
                for (u, v), weight in zip(ends, weights, strict=True)
            ]
            return np.array(tight, bool)
        dist = self._in_arithmetic(row)
        return tight_edges(self.graph, dist, self._arithmetic.infinity)

    def _in_arithmetic(self, row: int) -> npt.NDArray[Any]:
        """Return the distances of this row in the arithmetic of the device, in which they were added."""
        if self._exact is not None:
            return self._exact[row]  # type: ignore[no-any-return]
        return from_result(np.atleast_2d(self.dist)[row], self._arithmetic)

    @property
    def _shape(self) -> tuple[int, ...]:
        return super()._shape if self.nearest is None else (self.graph.n,)

    def _starts(self, row: int) -> list[int]:
        if self.nearest is not None:
            return [self.graph.index(each) for each in self.source]
        return super()._starts(row)

    def _complete_to(self, row: int) -> int | float:
        """Return up to which distance the search of this row has found every vertex; infinity if it has found all."""
        arithmetic, known = self._arithmetic, math.inf if self._cutoff is None else self._cutoff
        if self._target is not None:
            target = self._in_arithmetic(row)[self._target]
            known = known if target == arithmetic.infinity else min(known, target.item())
        return known

    def _as_far_as(self, row: int) -> str:
        known = self._complete_to(row)
        if known == math.inf:
            return ""
        if self._target is None or known == self._cutoff:
            return f" within cutoff = {self._cutoff}"
        return f" was found before the search stopped at target = {self.graph.names[self._target]!r}"

    def _row(self, source: Hashable | None) -> int:
        if self.nearest is None:
            return super()._row(source)
        if source is not None:
            raise ValueError("source: the paths start at the nearest of the sources")
        return 0

    def verify(self) -> bool:
        """Check on a device that this is a shortest-path tree, by the rules of the Graph500 validator.

        Distances obey the triangle inequality on every edge; each predecessor has an edge that gives exactly the
        distance; the predecessors lead back to the source. What the host has found is checked there if there is no
        device.

        Returns
        -------
        bool
            True.

        Raises
        ------
        VerificationError
            They do not; the message names a vertex, or an array that is of another shape or type.
        """
        check_array("dist", self.dist, self._shape, *RESULT_TYPES)
        check_array("pred", self.pred, self._shape, np.int32)
        if self.nearest is not None:
            check_array("nearest", self.nearest, self._shape, np.int32)
        dist, pred = np.atleast_2d(self.dist, self.pred)
        arithmetic, device = self._arithmetic, device_that_verifies(self.device, self._device)
        for row in range(len(dist)):
            sources = self._starts(row)
            if row in self._rows_from_host:
                verify_on_host(self.graph, sources[0], dist[row], pred[row])
                continue
            exact = self._in_arithmetic(row)
            changed = np.flatnonzero(to_result(exact, arithmetic, dist.dtype) != dist[row])
            if len(changed):
                name = self.graph.names[changed[0]]
                raise VerificationError(f"vertex {name!r}: its distance was changed to {dist[row, changed[0]]}")
            known = self._complete_to(row)
            bound = None if known == math.inf else known
            if device is None:
                nothing = np.empty((0, 0), bool)
                given = exact[None] if exact.dtype.kind == "f" else dist[row : row + 1]
                check(self.graph, Stored([sources], given, nothing, nothing, pred[row : row + 1], cutoff=bound))
                continue
            ceiling = ceiling_of(bound, arithmetic)
            verify_tree(self.graph, sources, exact, pred[row], Job(device), arithmetic, ceiling)
        if self.nearest is not None:
            wrong = wrong_nearest(self.nearest, self.pred, self._starts(0))
            if len(wrong):
                vertex, nearest = self.graph.names[wrong[0]], name_or_none(self.graph, self.nearest[wrong[0]])
                raise VerificationError(f"vertex {vertex!r}: {nearest} is not its nearest source")
        return True

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_device": None}  # a device's handle is this process's own
