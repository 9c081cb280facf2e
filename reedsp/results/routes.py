"""Many paths at once out of trees of predecessors, walked together."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from reedsp.graph.graph import Graph
from reedsp.graph.html import DASH, SHOWN, and_more, card, path_text
from reedsp.system.public import public

_FEW = 16  # routes that a loop follows in less time than numpy's calls take


@public
class Routes(Sequence[list[Any]]):
    """Several paths, each a list of vertices from its source to its target.

    It is a sequence: ``routes[i]`` is a list as ``path()`` returns it, made when it is asked for. The vertices of all
    routes lie in one array, one route after the other, for programs that want arrays.

    Attributes
    ----------
    indptr : ndarray of int64, shape (k + 1,)
        Route ``i`` is ``vertices[indptr[i]:indptr[i + 1]]``; it is empty where there is no path.
    vertices : ndarray of int32, shape (total,)
        Indices of vertices, also where the graph knows names.

    Examples
    --------
    >>> import reedsp
    >>> paths = reedsp.sssp(reedsp.Graph.from_edges(4, [0, 1], [1, 2]), 0)
    >>> routes = paths.paths_to([2, 3, 0])
    >>> list(routes)
    [[0, 1, 2], [], [0]]
    >>> routes.vertices
    array([0, 1, 2, 0], dtype=int32)
    """

    def __init__(self, graph: Graph, indptr: npt.NDArray[np.int64], vertices: npt.NDArray[np.int32]) -> None:
        self.indptr = indptr
        self.vertices = vertices
        self._graph = graph

    def __len__(self) -> int:
        return len(self.indptr) - 1

    @overload
    def __getitem__(self, index: int) -> list[Any]: ...
    @overload
    def __getitem__(self, index: slice) -> list[list[Any]]: ...
    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return [self[each] for each in range(*index.indices(len(self)))]
        try:
            number = range(len(self))[index]
        except IndexError:
            raise IndexError(f"there is no route {index}: there are {len(self):,}") from None
        route = self.vertices[self.indptr[number] : self.indptr[number + 1]].tolist()
        names = self._graph.names
        return [names[vertex] for vertex in route] if self._graph.has_names else route

    def __iter__(self) -> Iterator[list[Any]]:
        return (self[number] for number in range(len(self)))

    def _repr_html_(self) -> str:
        rows = [
            (number, len(route) - 1, path_text(route)) if route else (number, DASH, DASH)
            for number, route in enumerate(self[:SHOWN])
        ]
        return card(f"{len(self):,} routes", [], ["", "edges", "path"], [*rows, *and_more(len(self), 3)])

    def __repr__(self) -> str:
        return f"<reedsp.Routes: {len(self):,} routes, {len(self.vertices):,} vertices>"


def walk(
    graph: Graph,
    pred: npt.NDArray[np.int32],
    rows: npt.NDArray[np.intp],
    targets: npt.NDArray[np.intp],
    reached: npt.NDArray[np.bool_],
) -> Routes:
    """Return the routes to several vertices in trees of predecessors.

    All routes take a step at a time together, so that the time is that of the vertices on them, and of as many numpy
    calls as the longest has edges; the last few are followed one by one.

    Parameters
    ----------
    graph : Graph
    pred : ndarray of int32, shape (k, n)
        A tree in each row: the vertex before each one, negative for the root and where there is no path.
    rows, targets : ndarray of intp, shape (t,)
        The tree of each route, and where the route ends.
    reached : ndarray of bool, shape (t,)
        Whether there is a path.
    """
    routes = np.flatnonzero(reached)
    trees, start = pred.ravel(), rows[routes] * pred.shape[1]
    lengths = np.zeros(len(targets), np.int64)
    for active, steps, _ in _steps(trees, start, targets[routes]):
        lengths[routes[active]] += np.size(steps)
    indptr = np.zeros(len(targets) + 1, np.int64)
    np.cumsum(lengths, out=indptr[1:])
    vertices = np.empty(indptr[-1], np.int32)
    ends = indptr[routes + 1] - 1
    for active, steps, here in _steps(trees, start, targets[routes]):
        vertices[ends[active] - steps] = here
    return Routes(graph, indptr, vertices)


def _steps(
    trees: npt.NDArray[np.int32], start: npt.NDArray[np.intp], targets: npt.NDArray[np.intp]
) -> Iterator[tuple[Any, Any, Any]]:
    """Yield routes, how many steps from their ends they are, and which vertices are there.

    These are arrays of routes, a number and an array of as many vertices; or one route, and arrays for the rest of it.
    """
    active, here, step = np.arange(len(targets)), targets.astype(np.int32), 0
    while len(here) > _FEW:
        yield active, step, here
        before = trees.take(start + here)
        further = before >= 0
        if not further.all():
            active, start, before = active[further], start[further], before[further]
        here = before
        step += 1
    for route, first, vertex in zip(active.tolist(), start.tolist(), here.tolist(), strict=True):
        rest = array("i")
        while vertex >= 0:
            rest.append(vertex)
            vertex = int(trees[first + vertex])
        yield route, np.arange(step, step + len(rest)), np.array(rest, np.int32)
