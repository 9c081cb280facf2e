"""What a graph that is prepared can be asked."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from reedsp.algorithms.contraction.files import write
from reedsp.algorithms.contraction.hierarchy import Hierarchy
from reedsp.algorithms.contraction.selfcheck import finds_known_rows
from reedsp.algorithms.contraction.sweep import sweep_to
from reedsp.algorithms.contraction.unpack import simple, unpacked
from reedsp.algorithms.contraction.wide import searches_in
from reedsp.algorithms.rows import Prepared, RowSearch
from reedsp.algorithms.single_source.outcome import fill_rows
from reedsp.algorithms.single_source.task import Outcome, Task
from reedsp.arithmetic.paths import Arithmetic, choose_arithmetic, result_dtype, to_result
from reedsp.arithmetic.types import InexactError, name_of
from reedsp.device.device import Device
from reedsp.device.errors import DeviceError
from reedsp.device.job import Job
from reedsp.device.selfcheck import is_trusted
from reedsp.edges.device_graph import OutEdges
from reedsp.edges.distances import float64_holds
from reedsp.edges.selfcheck import converts
from reedsp.edges.statistics import RowStatistics, add_up
from reedsp.graph.arguments import source_argument, vertex_argument, vertices_argument
from reedsp.graph.graph import EXACT_IN_FLOAT64, Graph
from reedsp.results.shortest_paths import ShortestPaths
from reedsp.system.elsewhere import answers_networkx
from reedsp.system.files.path_argument import path_argument
from reedsp.system.phases import Phases
from reedsp.system.progress_bar import report_done
from reedsp.system.public import public
from reedsp.typing import Distances, DistanceType, Vertex, Vertices

_METHOD = "contraction-hierarchy"
_PART_OF_MEMORY = 1 / 8
_MOST_KNOWN = 512  # exponent for which float64 holds the distances of a known graph


@public
class PreparedGraph(Prepared):
    """A graph with a hierarchy of its vertices, from :func:`reedsp.prepare` or :func:`reedsp.load_prepared`.

    Its distances and trees are those of :func:`reedsp.sssp`. Vertices are called by their names. In place of a graph
    it is taken by :func:`reedsp.sssp`, :func:`reedsp.all_pairs_rows`, :func:`reedsp.distance_table`,
    :func:`reedsp.k_nearest` and :func:`reedsp.distance_statistics`.

    Attributes
    ----------
    graph : Graph
    device : Device
        Where it is asked.
    shortcuts : int
        Edges that were added, each in place of a path by way of vertices that matter less.
    rounds : int
        Sets of vertices, contracted one after the other, between which no edges lead within a set.

    Examples
    --------
    >>> import reedsp
    >>> graph = reedsp.Graph.from_edges(4, [0, 1, 2], [1, 2, 3], [5, 6, 7], directed=False)
    >>> prepared = reedsp.prepare(graph)
    >>> prepared.distances([0, 3])
    array([[ 0.,  5., 11., 18.],
           [18., 13.,  7.,  0.]])
    """

    def __init__(self, graph: Graph, hierarchy: Hierarchy, device: Device) -> None:
        self.graph = graph
        self.device = device
        self.shortcuts: int = hierarchy.shortcuts
        self.rounds: int = len(hierarchy.rounds) - 1
        self._hierarchy = hierarchy
        self._searches = searches_in(hierarchy, Job(device))

    def __repr__(self) -> str:
        return f"PreparedGraph({self.graph!r}, {self.shortcuts:,} shortcuts in {self.rounds} rounds, on {self.device})"

    def sssp(self, source: Vertex | Vertices, *, dtype: DistanceType | None = None) -> ShortestPaths:
        """Find shortest paths from one source, or from each of several, to all vertices.

        Parameters
        ----------
        source : int, other name or sequence of these
            As for :func:`reedsp.sssp`. Trees are found source by source, each in about the same time.
        dtype : {None, "float64", "float32", "int64", "int32"}
            Type of the distances, as for :func:`reedsp.sssp`. Fractional weights have no float32; and floats whose
            sums may be beyond 2**53 have float64 alone, also if they are integers.

        Returns
        -------
        ShortestPaths
            With the distances and predecessors that :func:`reedsp.sssp` finds.

        Raises
        ------
        ValueError, TypeError, OverflowError
            An argument is wrong (the message names it), or a distance has no exact value in `dtype`.
        DeviceError, DeviceMemoryError
            The device cannot do it.

        Examples
        --------
        >>> import reedsp
        >>> graph = reedsp.Graph.from_edges(4, [0, 0, 1, 2], [1, 2, 3, 3], [7, 2, 1, 3])
        >>> reedsp.prepare(graph).sssp(0).path(3)
        [0, 2, 3]
        """
        graph, phases = self.graph, Phases()
        sources, many = source_argument(graph, source)
        arithmetic, result = self._types(dtype)
        job = Job(self.device, recycle=True, phases=phases)
        shape = len(sources), graph.n
        is_converted = converts(self.device, graph, arithmetic, result)
        found = np.empty(shape, result if is_converted else arithmetic.dtype)
        pred = np.empty(shape, np.int32)
        if sources:
            phases.begin("search")
            task = Task(graph, [[each] for each in sources], job, arithmetic, found, pred)
            task.in_parts(self._rows_at_once(graph.n * found.itemsize), self._fill)
        phases.begin("convert")
        dist = _in_type(found, arithmetic, result, np.arange(len(sources)) if many else None)
        stats = {
            **job.stats(),
            "arithmetic": name_of(arithmetic.dtype),
            "exact_on_host": 0,
            "chosen_because": "the graph was prepared",
            "phases": phases.milliseconds(),
        }
        is_rounded = result == np.float32
        return ShortestPaths(
            graph=graph,
            source=[graph.names[each] for each in sources] if many else graph.names[sources[0]],
            dist=dist if many else dist[0],
            pred=pred if many else pred[0],
            nearest=None,
            method=_METHOD,
            rounds=self.rounds,
            device=str(self.device),
            stats=stats,
            _device=self.device,
            _arithmetic=arithmetic,
            _cutoff=None,
            _target=None,
            _rows_from_host=frozenset(),
            _exact=found if is_rounded else None,
        )

    def distances(self, source: Vertex | Vertices, *, dtype: DistanceType | None = None) -> Distances:
        """Find the distances from one source, or from each of several, to all vertices.

        Parameters
        ----------
        source, dtype
            As for :meth:`sssp`. Sources are searched side by side: 16 take little more time than one.

        Returns
        -------
        ndarray, shape (n,) or (k, n)
            inf (in an integer dtype its largest value) where there is no path.

        Raises
        ------
        ValueError, TypeError, OverflowError, DeviceError, DeviceMemoryError
            As for :meth:`sssp`.

        Examples
        --------
        >>> import reedsp
        >>> graph = reedsp.Graph.from_edges(4, [0, 0, 1, 2], [1, 2, 3, 3], [7, 2, 1, 3])
        >>> reedsp.prepare(graph).distances(0)
        array([0., 7., 2., 5.])
        """
        sources, many = source_argument(self.graph, source)
        arithmetic, result = self._types(dtype)
        found = self._added(Job(self.device, recycle=True), arithmetic, result).find(np.array(sources, np.intp))
        dist = _in_type(found, arithmetic, result, np.arange(len(sources)) if many else None)
        return dist if many else dist[0]

    def distance_table(self, sources: Vertices, targets: Vertices, *, dtype: DistanceType | None = None) -> Distances:
        """Find the distances from each of several sources to each of several targets.

        Parameters
        ----------
        sources, targets : sequence of int or of other names
            Vertices.
        dtype
            As for :meth:`sssp`.

        Returns
        -------
        ndarray, shape (s, t)
            inf (in an integer dtype its largest value) where there is no path.

        Raises
        ------
        ValueError, TypeError, OverflowError, DeviceError, DeviceMemoryError
            As for :meth:`sssp`.

        Examples
        --------
        >>> import reedsp
        >>> graph = reedsp.Graph.from_edges(4, [0, 1, 2, 3], [1, 2, 3, 0], [1, 2, 3, 4])
        >>> reedsp.prepare(graph).distance_table([0, 1], [2, 3, 1])
        array([[3., 6., 1.],
               [2., 5., 0.]])
        """
        starts = vertices_argument(self.graph, sources, "sources")
        ends = vertices_argument(self.graph, targets, "targets")
        result = result_dtype(dtype, self.graph)
        search = self._row_search(Job(self.device, recycle=True), result, ends)
        return np.concatenate([np.empty((0, len(ends)), result), *(rows for _, rows in search.blocks(starts))])

    def distance(self, source: Vertex, target: Vertex) -> float:
        """Find the distance from one vertex to another.

        Parameters
        ----------
        source, target : int or other name
            Vertices.

        Returns
        -------
        float
            inf where there is no path.

        Raises
        ------
        ValueError, TypeError
            One is no vertex (the message names it), or the distance has no exact float64 value.
        DeviceError
            The device cannot do it.

        Examples
        --------
        >>> import reedsp
        >>> graph = reedsp.Graph.from_edges(3, [0, 1], [1, 2], [7, 2])
        >>> prepared = reedsp.prepare(graph)
        >>> prepared.distance(0, 2), prepared.distance(2, 0)
        (9.0, inf)
        """
        weight, _, _ = self._met(source, target)
        if weight < 0:
            return float("inf")
        if weight > EXACT_IN_FLOAT64 and int(float(weight)) != weight:
            raise InexactError(f"the distance {weight} has no exact float64 value; distances(dtype='int64') has it")
        return float(np.ldexp(weight, self._hierarchy.exponent))

    def path(self, source: Vertex, target: Vertex) -> list[Any]:
        """Find a shortest path from one vertex to another; where several are as short, any of them.

        It visits no vertex twice.

        Parameters
        ----------
        source, target : int or other name
            Vertices.

        Returns
        -------
        list of int or of other names
            The source first and the target last.

        Raises
        ------
        ValueError, TypeError
            There is no path, or one is no vertex (the message names it).
        DeviceError
            The device cannot do it.

        Examples
        --------
        >>> import reedsp
        >>> graph = reedsp.Graph.from_edges(4, [0, 0, 1, 2], [1, 2, 3, 3], [7, 2, 1, 3])
        >>> reedsp.prepare(graph).path(0, 3)
        [0, 2, 3]
        """
        weight, up, down = self._met(source, target)
        if weight < 0:
            raise ValueError(f"no path from vertex {source!r} to vertex {target!r}")
        first = vertex_argument(self.graph, source, "source")
        names = self.graph.names
        return [names[each] for each in simple([first, *unpacked(self._hierarchy, up, down)])]

    def reverse(self) -> PreparedGraph:
        """Return the same graph with all edges in the opposite direction, which is prepared as well.

        Distances from a vertex are then those to it. An undirected graph is that already.

        Raises
        ------
        DeviceMemoryError
            The device has no memory for it.

        Examples
        --------
        >>> import reedsp
        >>> one_way = reedsp.prepare(reedsp.Graph.from_edges(3, [0, 1], [1, 2], [4, 1]))
        >>> one_way.reverse().distances(2)
        array([5., 1., 0.])
        """
        if not self.graph.directed:
            return self
        return PreparedGraph(self.graph.reverse(), self._hierarchy.reverse(), self.device)

    def answers_networkx(self) -> contextlib.AbstractContextManager[None]:
        """Answer measures of networkx that need the distances from many nodes, in this context.

        Of those that the backend answers on a device: eccentricity, closeness, average path lengths and others. Those
        about the edges and weights of this graph, in either direction, are answered by it, and others as ever.

        Examples
        --------
        >>> import networkx as nx
        >>> import reedsp
        >>> G = nx.Graph()
        >>> G.add_weighted_edges_from([("Bern", "Thun", 30), ("Thun", "Brig", 75), ("Bern", "Brig", 120)])
        >>> with reedsp.prepare(G).answers_networkx():
        ...     nx.eccentricity(G, weight="weight", backend="reedsp")
        {'Bern': 105, 'Thun': 75, 'Brig': 105}
        """
        return answers_networkx(self)

    def __reduce__(self) -> NoReturn:
        raise TypeError("a PreparedGraph is on a device, and is not copied: save it, and reedsp.load_prepared reads it")

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write the hierarchy to a ``.npz`` file, whole or not at all, for :func:`reedsp.load_prepared`.

        Parameters
        ----------
        path : path
            A name that ends in ``.npz``.
        overwrite : bool
            Whether a file of this name may be replaced.

        Raises
        ------
        ValueError
            The name ends otherwise.
        TypeError
            It is no path.
        OSError
            The file cannot be written; FileExistsError if there is one that may not be replaced.
        """
        write(Path(path_argument(path, "path")), self._hierarchy, self.graph, overwrite=overwrite)

    def _met(self, source: Vertex, target: Vertex) -> tuple[int, list[int], list[int]]:
        ends = [vertex_argument(self.graph, source, "source"), vertex_argument(self.graph, target, "target")]
        job = Job(self.device, recycle=True)
        met = self._searches.meet(job, *self._hierarchy.rank[ends].tolist())
        job.recycle()
        return met

    def _types(self, dtype: DistanceType | np.dtype[Any] | None) -> tuple[Arithmetic, np.dtype[Any]]:
        """Return the types in which distances are found, and given."""
        result = result_dtype(dtype, self.graph)
        if not self._hierarchy.gives(result):
            unit = f"2**{self._hierarchy.exponent}"
            raise ValueError(f"dtype = {result}: sums of these weights, multiples of {unit}, are for float64 alone")
        arithmetic = choose_arithmetic(self.graph, result)
        if arithmetic.dtype == np.float32:
            raise ValueError("dtype = float32 may round sums of these weights; use float64")
        return arithmetic, result

    def _row_search(self, job: Job, dtype: np.dtype[Any], targets: npt.NDArray[np.intp] | None = None) -> RowSearch:
        arithmetic, result = self._types(dtype)
        search = self._added(job, arithmetic, result, targets)
        return replace(
            search, find=lambda sources: _in_type(search.find(sources), arithmetic, result, sources, targets)
        )

    def _added(
        self, job: Job, arithmetic: Arithmetic, result: np.dtype[Any], targets: npt.NDArray[np.intp] | None = None
    ) -> RowSearch:
        """Return the search for distances that are still to be converted, if the device does not do so."""
        given = self._given(arithmetic, result)
        width = self.graph.n if targets is None else len(targets)
        sweep = None if targets is None else sweep_to(self._hierarchy, targets)
        row_bytes = max(1, width) * (result.itemsize + given.dtype.itemsize)
        at_once = self._rows_at_once(row_bytes)

        def find(sources: npt.NDArray[np.intp]) -> npt.NDArray[Any]:
            ranks, found = self._hierarchy.rank[sources], np.empty((len(sources), width), given.dtype)
            with job.reusing() as end_part:
                for first in range(0, len(sources) if width else 0, at_once):
                    part = slice(first, first + at_once)
                    with job.writes(found[part]) as results:
                        self._searches.rows(job, ranks[part], given, results, sweep)
                    end_part()
            return found

        return RowSearch(find, at_once, row_bytes)

    def _statistics(
        self,
        sources: Sequence[int],
        dtype: np.dtype[Any],
        job: Job,
        progress: Callable[[int, int], None] | None = None,
    ) -> RowStatistics:
        arithmetic, n = self._types(dtype)[0], self.graph.n
        statistics = RowStatistics.empty(len(sources), arithmetic.dtype, [self.graph.names[each] for each in sources])
        ranks, at_once = self._hierarchy.rank[list(sources)], self._rows_at_once(n * arithmetic.dtype.itemsize)
        with job.reusing() as end_part:
            for first in range(0, len(sources), at_once):
                part = slice(first, first + at_once)
                rows = ranks[part]
                dist = job.allocate(len(rows) * n, arithmetic.dtype)
                self._searches.rows(job, rows, arithmetic, dist)
                add_up(job, dist, n, statistics.part(part), arithmetic)
                end_part()
                report_done(progress, first + len(rows), len(sources))
        return statistics

    def _given(self, arithmetic: Arithmetic, result: np.dtype[Any]) -> Arithmetic:
        """Return in which type the device gives distances: in that of the results where it is known to convert them."""
        if result == np.float64 and float64_holds(self.graph, self.device, arithmetic):
            units, converted = self._hierarchy.up.weights.dtype, Arithmetic(result)
            if _finds_rows(self.device, units, self._hierarchy.exponent, converted):
                return converted
        return arithmetic

    def _rows_at_once(self, row_bytes: int) -> int:
        return rows_at_once(self.device, row_bytes)

    def _fill(self, task: Task) -> Outcome:
        """Fill rows of distances and predecessors."""
        job, arithmetic, sources = task.job, task.arithmetic, [source for [source] in task.starts]
        dist = job.allocate(len(sources) * task.graph.n, arithmetic.dtype)
        self._searches.rows(job, self._hierarchy.rank[sources], arithmetic, dist)
        fill_rows(task, OutEdges.of(task.graph, job, arithmetic), dist, task.starts)
        return Outcome(self.rounds)


def rows_at_once(device: Device, row_bytes: int) -> int:
    """Return from how many sources at once a graph that is prepared is searched on a device, of so many bytes a row."""
    memory = min(device.max_allocation, int(_PART_OF_MEMORY * device.global_memory))
    return max(1, memory // max(1, row_bytes))


def check_device(device: Device, graph: Graph, units: np.dtype[Any], exponent: int) -> None:
    """Raise if a device contracts and searches wrongly.

    Parameters
    ----------
    device : Device
    graph : Graph
        One of such weights as the graph that is to be prepared.
    units : dtype
        In which these are added.
    exponent : int
        Of two: what a unit is worth.

    Raises
    ------
    DeviceError
        It does.
    """
    arithmetic = choose_arithmetic(graph, np.dtype(np.float64))
    if not _finds_rows(device, units, exponent, arithmetic):
        raise DeviceError(f"{device}: {_named(units, arithmetic)} gives wrong answers, or fails")


def _finds_rows(device: Device, units: np.dtype[Any], exponent: int, arithmetic: Arithmetic) -> bool:
    known = min(exponent, _MOST_KNOWN)
    return is_trusted(device, _named(units, arithmetic), finds_known_rows, units, known, arithmetic)


def _named(units: np.dtype[Any], arithmetic: Arithmetic) -> str:
    return f"contraction in {name_of(units)} for {arithmetic}"


def _in_type(
    found: npt.NDArray[Any],
    arithmetic: Arithmetic,
    result: np.dtype[Any],
    rows: npt.NDArray[np.intp] | None,
    columns: npt.NDArray[np.intp] | None = None,
) -> npt.NDArray[Any]:
    return found if found.dtype == result else to_result(found, arithmetic, result, rows, columns)
