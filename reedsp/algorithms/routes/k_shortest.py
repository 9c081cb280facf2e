"""The k shortest simple paths between two vertices, by Yen's algorithm with potentials from the device."""

from __future__ import annotations

import heapq
import itertools
import operator
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from reedsp.algorithms.contraction.exact import exponent_of
from reedsp.algorithms.routes.first_paths import FirstPaths
from reedsp.algorithms.routes.rounding import MOST, corrections
from reedsp.algorithms.single_source.sssp import sssp
from reedsp.arithmetic.paths import choose_arithmetic, result_dtype
from reedsp.arithmetic.types import InexactError, infinity
from reedsp.device.device import Device
from reedsp.device.discovery import get_device
from reedsp.graph.arguments import as_graph, vertex_argument
from reedsp.graph.graph import Graph
from reedsp.graph.html import SHOWN, card, path_text
from reedsp.results.routes import Routes
from reedsp.system.options import integer
from reedsp.system.public import public
from reedsp.typing import Distances, DistanceType, GraphLike, Vertex

_FEW = 200
"""Vertices at which a search looks before it asks for the first paths to all vertices, and whether there is one."""
_AT_ONCE = 500
"""Vertices, or edges, at which compiled code looks in the time in which Python looks at one."""
_LONGER_ENDS = 50
"""How many ends of paths are made longer, each by all edges into it, before a search takes over."""

_Found = tuple[int, int, tuple[int, ...]]
"""Weight, edges and vertices of a path."""


@public
@dataclass(frozen=True, eq=False)
class SimplePaths(Sequence[tuple[int | float, list[Any]]]):
    """Shortest simple paths between two vertices, the shortest first.

    It is a sequence of pairs of a distance and a path.

    Attributes
    ----------
    graph : Graph
    source, target : int or other name
    dist : ndarray, shape (k,)
        Weight of each path, ascending.
    routes : Routes
        The paths: ``routes[i]`` is a list of vertices, by their names.

    Examples
    --------
    >>> import reedsp
    >>> graph = reedsp.Graph.from_edges(4, [0, 0, 1, 2], [1, 2, 3, 3], [7, 2, 1, 3])
    >>> list(reedsp.yen(graph, 0, 3, k=2))
    [(5.0, [0, 2, 3]), (8.0, [0, 1, 3])]
    >>> reedsp.yen(graph, 0, 3, k=2)[-1]
    (8.0, [0, 1, 3])
    """

    graph: Graph
    source: Any
    target: Any
    dist: Distances
    routes: Routes

    def __len__(self) -> int:
        return len(self.dist)

    @overload
    def __getitem__(self, index: int) -> tuple[int | float, list[Any]]: ...
    @overload
    def __getitem__(self, index: slice) -> list[tuple[int | float, list[Any]]]: ...
    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return list(zip(self.dist[index].tolist(), self.routes[index], strict=True))
        route = self.routes[index]
        return self.dist[operator.index(index)].item(), route

    def __iter__(self) -> Iterator[tuple[int | float, list[Any]]]:
        return zip(self.dist.tolist(), self.routes, strict=True)

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> npt.NDArray[Any]:
        return np.array(self.dist, dtype=dtype, copy=copy)

    def _repr_html_(self) -> str:
        rows = [
            (number + 1, weight, len(route) - 1, path_text(route))
            for number, (weight, route) in enumerate(itertools.islice(self, SHOWN))
        ]
        title = f"{len(self):,} shortest simple paths from {self.source!r} to {self.target!r}"
        return card(title, [], ["", "distance", "edges", "path"], rows)

    def __repr__(self) -> str:
        span = f", {self.dist[0]} to {self.dist[-1]}" if len(self) else ""
        return f"<reedsp.SimplePaths: {len(self):,} from vertex {self.source!r} to vertex {self.target!r}{span}>"


def yen(
    graph: GraphLike,
    source: Vertex,
    target: Vertex,
    k: int,
    *,
    dtype: DistanceType | None = None,
    device: Device | int | str | None = None,
) -> SimplePaths:
    """Find the k shortest simple paths between two vertices: those that visit no vertex twice.

    The order is that of the exact weights, without rounding; of equally long paths those with fewer edges come first,
    then those whose list of indices is the lesser. So the answer is the same on every device, and a greater `k`
    only adds to its end. Weights may be negative.

    Parameters
    ----------
    graph : Graph, scipy sparse matrix, dense array or networkx graph
        As for :func:`reedsp.sssp`. Of parallel edges the lightest counts.
    source, target : int or other name
        Vertices, as for :func:`reedsp.sssp`.
    k : int
        Number of paths; fewer are found if there are no more.
    dtype : {None, "float64", "float32", "int64", "int32"}
        Type of the distances, as for :func:`reedsp.sssp`.
    device : Device, int or str, optional
        As for :func:`reedsp.sssp`.

    Returns
    -------
    SimplePaths

    Raises
    ------
    NegativeCycleError
        A negative cycle can be reached from the source.
    OverflowError
        A distance does not fit into `dtype`, or one from the source to any vertex into int64 or float64.
    ValueError
        The graph or an argument is wrong (the message names it), or a distance has no exact float64 value.
    TypeError
        An argument has the wrong type.

    Notes
    -----
    Yen's algorithm splits the paths that are left, whenever one was found, into sets with a common end and a
    forbidden edge before it (after Lawler, no path is in two of them), and finds the shortest path of each set. Here
    the device finds the distances from the source to all vertices once. They bound the paths of a set from below, so
    that most sets are never searched, and lead each search of the others (A*) along the edges of the path that it
    finds; such a search runs on the host, and most look at few vertices. Once one has looked at many, searches in
    compiled code find out whether the set has a path at all, or is a dead end, and which of the equally short paths
    to each vertex is the first. From then on a set is searched only if its first path does not begin with one of
    these. Of fractional weights the distances are rounded, and bound paths less closely, until then: by how much they
    differ from the exact ones is found in integers, where it is less than 2**50 times the last digit of any weight.

    References
    ----------
    Yen, "Finding the k shortest loopless paths in a network", Management Science 17 (1971); Lawler, "A procedure for
    computing the k best solutions", Management Science 18 (1972).

    Examples
    --------
    >>> import reedsp
    >>> graph = reedsp.Graph.from_edges(4, [0, 0, 1, 2, 1], [1, 2, 3, 3, 2], [1, 2, 5, 2, 1])
    >>> for weight, path in reedsp.yen(graph, 0, 3, 5):
    ...     print(weight, path)
    4.0 [0, 2, 3]
    4.0 [0, 1, 2, 3]
    6.0 [0, 1, 3]
    """
    graph = as_graph(graph)
    start = vertex_argument(graph, source, "source")
    end = vertex_argument(graph, target, "target")
    count = integer(k, "k")
    if count < 0:
        raise ValueError(f"k = {count}, expected a number of paths")
    result = result_dtype(dtype, graph)
    found: list[tuple[int, tuple[int, ...]]] = []
    scale, whole = 1, True
    if count:
        search = _Search(graph, start, device)
        scale, whole = search.scale, search.whole
        found = list(itertools.islice(search.paths_to(end), min(count, sys.maxsize)))
    elif device is not None:
        get_device(device)  # which says so if there is none
    indptr = np.zeros(len(found) + 1, np.int64)
    np.cumsum([len(path) for _, path in found], out=indptr[1:])
    vertices = np.fromiter(itertools.chain.from_iterable(path for _, path in found), np.int32, indptr[-1])
    dist = np.array([_number(index, weight, scale, whole, result) for index, (weight, _) in enumerate(found)], result)
    return SimplePaths(graph, graph.names[start], graph.names[end], dist, Routes(graph, indptr, vertices))


def _number(index: int, weight: int, scale: int, whole: bool, result: np.dtype[Any]) -> int | float:
    """Return an exact weight, in units of 1 / scale, as a number for the result; `whole` ones are not rounded.

    Errors name its index.
    """
    if result.kind == "i":
        if not np.iinfo(result).min <= weight < infinity(result):
            advice = "; ask for dtype='int64'" if result == np.int32 else ""
            raise OverflowError(f"dist[{index}] = {weight} is outside {result}{advice}")
        return weight
    try:
        with np.errstate(over="raise"):
            number = float(result.type(float(Fraction(weight, scale))))
    except (FloatingPointError, OverflowError):
        raise OverflowError(f"dist[{index}] is beyond {result}") from None
    if whole and result == np.float64 and number != weight:
        raise InexactError(f"dist[{index}] = {weight} has no exact float64 value; ask for dtype='int64'")
    return number


class _Search:
    """Simple paths from one vertex, in integer multiples of 1 / scale, by way of bounds from below on their weights.

    Attributes
    ----------
    scale : int
    whole : bool
        Whether weights are added in integers.
    """

    def __init__(self, graph: Graph, source: int, device: Device | int | str | None) -> None:
        self._graph, self._source, self._device = graph, source, device
        self._in_edges = graph.in_edges()
        self._first_paths: FirstPaths | None = None  # until a search takes long
        self._before: dict[int, list[tuple[int, int, int]]] = {}
        self._patience = _FEW + (graph.n + graph.m) // _AT_ONCE
        self.whole = choose_arithmetic(graph, np.dtype(np.float64)).dtype.kind == "i"
        self._dist = sssp(graph, graph.names[source], dtype="int64" if self.whole else "float64", device=device).dist
        self._exponent, self._slack = 0, 0
        self._corrections: Distances | None = None
        if not self.whole:
            self._exponent = min(0, exponent_of(graph.weights))
            self._slack = self._most_rounded()
        self.scale = 2**-self._exponent

    def _most_rounded(self) -> int:
        """Return more than the rounding errors of any sum."""
        graph = self._graph
        if not graph.has_negative_weights:  # then no sum on the way to a distance is greater
            most = Fraction(self._dist.max(initial=0, where=self._dist < np.inf).item())
        elif graph.simple_path_bound < np.inf:
            most = Fraction(graph.simple_path_bound)
        else:
            most = graph.n * Fraction(graph.max_abs_weight)
        return int(most * 2**-self._exponent * graph.n / 2**52) + 1

    def _bound(self, vertex: int) -> int | None:
        """Return a lower bound of the distance from the source, exact at the source; None without a path."""
        dist = self._dist[vertex]
        if dist == infinity(self._dist.dtype):
            return None
        if vertex == self._source:
            return 0
        correction = -self._slack if self._corrections is None else int(self._corrections[vertex])
        return self._exact(dist) + correction

    def _exact(self, number: Any) -> int:
        numerator, denominator = number.item().as_integer_ratio()
        return int(numerator * (self.scale // denominator))

    def _edges_into(self, vertex: int) -> list[tuple[int, int, int]]:
        """Return each vertex before this one that paths can come from, the edge's weight, and the bound there."""
        edges = self._before.get(vertex)
        if edges is None:
            first, last = self._in_edges.indptr[vertex : vertex + 2]
            edges = []
            for u, weight in zip(
                self._in_edges.sources[first:last].tolist(), self._in_edges.weights[first:last], strict=True
            ):
                bound = self._bound(u)
                if bound is not None and u != vertex:
                    edges.append((u, self._exact(weight), bound))
            self._before[vertex] = edges
        return edges

    def paths_to(self, target: int) -> Iterator[tuple[int, tuple[int, ...]]]:
        """Yield weights and vertices of all simple paths in order."""
        # An entry of the heap: weight, edges, path, and the set that it is the first path of. Of a set that was not
        # searched yet: a bound, 0, no path. What comes after that is never compared.
        order = itertools.count()
        heap: list[tuple[*_Found, int, _Set]] = []

        def add(some: _Set, used: set[int]) -> None:
            edges = self._edges_into(some.first)
            ways = (w + bound for u, w, bound in edges if u not in some.banned and u not in used)
            if (minimum := min(ways, default=None)) is not None:
                heapq.heappush(heap, (some.weight + minimum, 0, (), next(order), some))

        if target == self._source:
            yield 0, (target,)
            return
        add(_Set((target,), 0, 0, frozenset()), set())
        while heap:
            weight, _, path, _, some = heapq.heappop(heap)
            if path:
                yield weight, path
                self._split(path, some, add)
            elif (best := self._shortest(some)) is not None:
                heapq.heappush(heap, (*best, next(order), some))

    def _split(self, path: tuple[int, ...], some: _Set, add: Callable[[_Set, set[int]], None]) -> None:
        """Add the sets into which what is left of a set falls after its shortest path was taken."""
        index = len(path) - len(some.path) + some.index
        used, weight = set(path[index + 1 :]), some.weight
        add(_Set(path, index, weight, some.banned | {path[index - 1]}), used)
        for first in range(index - 1, 0, -1):
            used.add(path[first + 1])
            weight += next(w for u, w, _ in self._edges_into(path[first + 1]) if u == path[first])
            add(_Set(path, first, weight, frozenset({path[first - 1]})), used)

    def _shortest(self, some: _Set) -> _Found | None:
        """Return the first path of a set; None if it is empty.

        A* from the common end backwards to the source. A vertex that gets a lesser label after all is looked at again.
        """
        if (best := self._along_first_paths(some)) is not None:
            return best
        first, suffix = some.first, some.path[some.index + 1 :]
        used = set(suffix)
        labels = {first: (0, 0)}
        following: dict[int, int] = {}
        heap = [(0, 0, first, 0)]
        looked_at = 0
        while heap:
            _, edges, vertex, weight = heapq.heappop(heap)
            if labels[vertex] != (weight, edges):
                continue
            looked_at += 1
            if looked_at == self._patience:
                if self._is_empty(some, suffix):
                    return None
                if self._first_paths is None and self._slack <= MOST:
                    self._find_first_paths()
                    return self._shortest(some)
            if vertex == self._source:
                break
            for u, w, bound in self._edges_into(vertex):
                if u in used or (vertex == first and u in some.banned):
                    continue
                label = (weight + w, edges + 1)
                known = labels.get(u)
                if known is None or label < known:
                    labels[u] = label
                    following[u] = vertex
                    heapq.heappush(heap, (label[0] + bound, label[1], u, label[0]))
                elif label == known and vertex < following.get(u, -1):
                    following[u] = vertex
        else:
            return None
        path = [self._source]
        while path[-1] != first:
            path.append(following[path[-1]])
        return some.weight + weight, edges + len(suffix), (*path, *suffix)

    def _find_first_paths(self) -> None:
        """Find the first paths to all vertices, and what was rounded off their distances."""
        graph, dist = self._graph, self._dist
        if not self.whole:
            graph, dist = corrections(graph, self._source, dist, self._exponent, self._slack, self._device)
            self._corrections = dist
            self._before.clear()
        self._first_paths = FirstPaths(graph, self._source, dist.astype(np.int64, copy=False))

    def _along_first_paths(self, some: _Set) -> _Found | None:
        """Return the first path of a set if few looks find it, once first paths to all vertices are known.

        No path that ends as another does is before that end with the first path to its beginning. Where that visits a
        vertex twice, longer ends take its place.
        """
        if (first_paths := self._first_paths) is None:
            return None
        suffix = some.path[some.index :]
        used = set(suffix)
        heap: list[tuple[*_Found, tuple[int, ...], int]] = []

        def add(vertex: int, banned: frozenset[int], longer: tuple[int, ...], weight: int) -> None:
            for u, w, bound in self._edges_into(vertex):
                if not (u in banned or u in used or u in longer):
                    path = (*first_paths.to(u), *longer, *suffix)
                    heapq.heappush(heap, (weight + w + bound, len(path) - 1, path, (u, *longer), weight + w))

        add(some.first, some.banned, (), some.weight)
        for _ in range(_LONGER_ENDS):
            if not heap:
                break
            bound, edges, path, longer, weight = heapq.heappop(heap)
            if len(set(path)) == len(path):
                return bound, edges, path
            add(longer[0], frozenset(), longer, weight)
        return None

    def _is_empty(self, some: _Set, suffix: tuple[int, ...]) -> bool:
        """Tell whether no edges lead back from the common end of a set to the source."""
        import scipy.sparse.csgraph

        indptr, tails = self._in_edges.indptr, self._in_edges.sources
        is_free = np.ones(len(indptr) - 1, np.bool_)
        is_free[list(suffix)] = False
        is_open = is_free[tails]
        into = slice(*indptr[some.first : some.first + 2])
        is_open[into] &= ~np.isin(tails[into], list(some.banned))
        before = np.concatenate(([0], np.cumsum(is_open)))[indptr]
        tails = tails[is_open]
        rows = scipy.sparse.csr_array((np.ones(len(tails), np.int8), tails, before), shape=(len(is_free),) * 2)
        reached = scipy.sparse.csgraph.breadth_first_order(rows, some.first, return_predecessors=False)
        return self._source not in reached


@dataclass(frozen=True)
class _Set:
    """The paths that end as one path does from an index on, before which some vertices must not come.

    `weight` is that of this end of the path.
    """

    path: tuple[int, ...]
    index: int
    weight: int
    banned: frozenset[int]

    @property
    def first(self) -> int:
        return self.path[self.index]
