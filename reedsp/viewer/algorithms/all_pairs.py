"""Shortest paths between all pairs of vertices, in a matrix."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from reedsp.algorithms.all_pairs.apsp import apsp
from reedsp.arithmetic.paths import exact_type
from reedsp.device.device import Device
from reedsp.results.all_pairs import AllPairs
from reedsp.viewer.inputs import Input
from reedsp.viewer.recorder import Moment
from reedsp.viewer.roles.all_pairs import ARRAYS, KERNELS
from reedsp.viewer.story import State, Story, Values, changed, counted, distances_in_json


class AllPairsStory(Story):
    """What the methods share: the matrix of distances."""

    kernels = KERNELS
    main = "dist"
    method: str
    how: dict[str, Any]

    def __init__(self, given: Input, device: Device) -> None:
        super().__init__(device)
        self.graph = given.as_graph
        self.arrays = dict(ARRAYS)
        self.rounds = 0
        self._found: AllPairs | None = None

    def run(self) -> None:
        """Solve by the method."""
        how: dict[str, Any] = {"dtype": exact_type(self.graph), "options": self.how}
        self._found = apsp(self.graph, self.method, device=self.device, **how)  # type: ignore[arg-type]

    def answer(self) -> State:
        """Return the distances row by row."""
        assert self._found is not None
        return {"dist": distances_in_json(np.asarray(self._found.dist), self.graph)}

    def shape(self, name: str) -> list[int]:
        """Return the shape of the matrix."""
        return [self.graph.n, self.graph.n]

    def shown(self, name: str, moment: Moment) -> Values | None:
        """Return the matrix without its padding."""
        if name not in moment.left:
            return None
        numbers, n = moment.numbers, self.graph.n
        stride = next(numbers[each] for each in ("stride", "columns", "n") if each in numbers)
        rows = moment.left[name][: stride * n].reshape(n, stride)
        return self.plain(name, rows[:, :n].ravel(), moment)

    def says(self, moment: Moment, before: State, after: State) -> str:
        """Return how many distances fell, and by what."""
        fell = counted(len(changed(before["dist"], after["dist"])), "distance")
        if moment.kernel == "clear":
            return "each vertex is at distance 0 from itself"
        if moment.kernel == "scatter":
            return f"the edges: {fell} known"
        return self.of_round(moment, f"{fell} fell")

    @abstractmethod
    def of_round(self, moment: Moment, fell: str) -> str:
        """Return what a launch has done to some distances."""


class ByVertex(AllPairsStory):
    """All paths through one vertex after the other."""

    title = "Floyd-Warshall, a launch for each vertex"
    paper = "Harish and Narayanan, 2007"
    method = "floyd-warshall"
    how = {"kernel": "harish-narayanan"}  # noqa: RUF012 - of the class

    def of_round(self, moment: Moment, fell: str) -> str:
        """Return the vertex that paths go through."""
        return f"paths through vertex {self.graph.names[moment.numbers['k']]}: {fell}"

    def active(self, moment: Moment, before: State, after: State) -> list[int] | None:
        """Return the row and the column of the vertex, which all others read."""
        if moment.kernel != "relax":
            return None
        n, k = self.graph.n, moment.numbers["k"]
        return sorted({*range(k * n, (k + 1) * n), *range(k, n * n, n)})


_PHASES = {
    "independent_tile": "the tile on the diagonal",
    "singly_dependent_tiles": "the tiles in its row and its column",
    "doubly_dependent_tiles": "all other tiles",
}


class Blocked(AllPairsStory):
    """All paths through the vertices of one tile after the other."""

    title = "Blocked Floyd-Warshall"
    paper = "Katz and Kider, 2008"
    method = "floyd-warshall"
    how = {"kernel": "katz-kider"}  # noqa: RUF012 - of the class

    def of_round(self, moment: Moment, fell: str) -> str:
        """Return the tiles that are relaxed through the vertices of one."""
        side = int(moment.macros["TILE"])
        first = moment.numbers["diagonal"] * side
        last = min(first + side, self.graph.n) - 1
        names = self.graph.names
        return f"paths through vertices {names[first]} to {names[last]}, {_PHASES[moment.kernel]}: {fell}"

    def block(self, moment: Moment) -> tuple[int, int] | None:
        """Return the sides of a tile."""
        if moment.kernel not in _PHASES:
            return None
        side = int(moment.macros["TILE"])
        return side, side

    def active(self, moment: Moment, before: State, after: State) -> list[int] | None:
        """Return the cells of the tiles that are relaxed."""
        if moment.kernel not in _PHASES:
            return None
        side, n = int(moment.macros["TILE"]), self.graph.n
        inside = np.arange(n) // side == moment.numbers["diagonal"]
        rows, columns = inside[:, None], inside[None, :]
        cells = {
            "independent_tile": rows & columns,
            "singly_dependent_tiles": rows ^ columns,
            "doubly_dependent_tiles": ~(rows | columns),
        }[moment.kernel]
        return np.flatnonzero(cells).tolist()


class Squaring(AllPairsStory):
    """Products of the matrix with itself: paths of 1, 2, 4, ... edges."""

    title = "Min-plus squaring"
    paper = "thesis, section 5.2.1"
    method = "min-plus"
    how = {"product": "naive"}  # noqa: RUF012 - of the class

    def of_round(self, moment: Moment, fell: str) -> str:
        """Return how many edges paths may have."""
        self.rounds += 1
        return f"product {self.rounds}: paths of at most {2**self.rounds} edges, {fell}"
