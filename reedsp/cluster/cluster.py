"""Calls on a cluster: by a client of Dask, or any executor."""

from __future__ import annotations

import concurrent.futures
import contextlib
import os
import threading
import weakref
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from reedsp.algorithms.routes.statistics import Question as StatisticsQuestion
from reedsp.algorithms.routes.tables import backwards_type, is_better_backwards, turned
from reedsp.algorithms.single_source.sssp import BY_DISTANCE
from reedsp.algorithms.single_source.sssp import checked as checked_sssp
from reedsp.arithmetic.paths import choose_arithmetic, result_dtype
from reedsp.cluster import all_pairs, searches, tasks
from reedsp.cluster.engines.engine import Engine
from reedsp.cluster.engines.executor import ExecutorEngine
from reedsp.cluster.searches import Question
from reedsp.cluster.worker.published import Published, Wrapped
from reedsp.cost_model import sharing
from reedsp.edges.statistics import Measured
from reedsp.graph.arguments import as_graph, vertices_argument
from reedsp.graph.graph import Graph
from reedsp.results.all_pairs import AllPairs
from reedsp.results.levels import BreadthFirst
from reedsp.results.shortest_paths import ShortestPaths
from reedsp.system.elsewhere import Elsewhere, answers_networkx
from reedsp.system.files.path_argument import path_argument
from reedsp.system.phases import Phases
from reedsp.system.progress_bar import search_bar
from reedsp.typing import (
    AllPairsMethod,
    AllPairsOptions,
    BreadthFirstOptions,
    Distances,
    DistanceType,
    GraphLike,
    NegativeCycles,
    SearchMethod,
    SearchOptions,
    Vertex,
    Vertices,
)

if TYPE_CHECKING:
    from reedsp.cluster.engines.dask import DaskEngine

_GRAPHS = 4
"""Graphs that workers keep for a cluster: the last ones used."""


class Cluster(Elsewhere):
    """Workers, and the calls that they answer; :class:`Dask` and :class:`Executor` make one.

    It is a context, at the end of which workers forget what they were sent. Give it to ``device=`` of
    :func:`reedsp.sssp`, :func:`reedsp.bfs`, :func:`reedsp.apsp`, :func:`reedsp.distance_statistics` and
    :func:`reedsp.distance_table` for what these return. Several threads may use it at once.

    Attributes
    ----------
    engine : Engine
        What runs tasks.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._published: OrderedDict[int, tuple[weakref.ref[Graph], Published]] = OrderedDict()
        self._calls: Counter[str] = Counter()  # that have not ended, by the fingerprints of their graphs
        self._publishing = threading.RLock()  # held where either of these is looked at or changed

    def __enter__(self) -> Cluster:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Have workers forget what they were sent; they stay, and so does what runs them.

        No call is answered then, and one that another thread waits for ends with an error.
        """
        with self._publishing:
            if not self.engine.closed:
                self._published.clear()
                self.engine.close()

    def publish(self, graph: GraphLike) -> Published:
        """Send a graph to all workers, now and later; the calls below do so by themselves.

        Workers keep the last four graphs of a cluster that were used, and those of calls that have not ended.

        Parameters
        ----------
        graph : Graph, scipy sparse matrix, dense array or networkx graph

        Returns
        -------
        Published
            What tasks know of it.

        Raises
        ------
        RuntimeError
            There are no workers.
        DeviceMemoryError
            It is too large for the device of a worker, which is named; it has not been sent.
        DeviceError
            A worker, which is named, has no such device.
        """
        graph = as_graph(graph)
        with self._publishing:
            self.check()
            known = self._published.pop(id(graph), None)
            if known is not None:
                if known[0]() is graph:
                    self._published[id(graph)] = known
                    return known[1]
                self._forget(known[1])  # of another graph, whose place in memory this one has
            published = self._send(graph)
            self._published[id(graph)] = weakref.ref(graph), published
            while len(self._published) > _GRAPHS:
                self._forget(self._published.popitem(last=False)[1][1])
            return published

    def _send(self, graph: Graph) -> Published:
        """Send a graph to all workers whose devices have memory for it."""
        wrapped = Wrapped.of(graph)
        size = choose_arithmetic(graph, np.dtype(np.float64)).dtype.itemsize
        memories = self.engine.each_worker(tasks.memory)
        for worker, memory in memories.items():
            tasks.check_memory(worker, memory, wrapped.published(), size)
        if memories and all(each.kind == "gpu" for each in memories.values()):
            self.engine.task_bytes = sharing.ROW_BYTES_GPU
        return self.engine.publish(wrapped)

    @contextlib.contextmanager
    def _used(self, graph: GraphLike) -> Iterator[Published]:
        """Send a graph to all workers, which keep it in this context."""
        with self._publishing:
            published = self.publish(graph)
            self._calls[published.fingerprint] += 1
        try:
            yield published
        finally:
            with self._publishing:
                self._calls[published.fingerprint] -= 1
                self._forget(published)

    def _forget(self, published: Published) -> None:
        """Have workers forget a graph, if it is not also that of another object, or of a call that has not ended."""
        fingerprint = published.fingerprint
        if self._calls[fingerprint]:
            return
        del self._calls[fingerprint]
        if all(fingerprint != each.fingerprint for _, each in self._published.values()):
            self.engine.forget(published)

    def check(self) -> None:
        """Raise RuntimeError if there is no worker, or the engine is closed or lost."""
        self.engine.check()
        if not self.engine.workers():
            raise RuntimeError("the cluster has no workers: start some, and wait for them")

    # ---- searches ----------------------------------------------------------------------------------

    def sssp(
        self,
        graph: GraphLike,
        source: Vertex | Vertices,
        method: SearchMethod = "auto",
        cutoff: float | np.integer[Any] | None = None,
        dtype: DistanceType | None = None,
        *,
        out: str | os.PathLike[str] | None = None,
        progress: Callable[[int, int], None] | bool | None = None,
        options: SearchOptions | None = None,
    ) -> Any:
        """Find the distances from each of several sources to all vertices: those of :func:`reedsp.sssp`.

        Parameters
        ----------
        graph, source, method, cutoff, dtype, options
            As for :func:`reedsp.sssp`.
        out : path, optional
            Where workers write the rows: ``NAME.zarr``, ``NAME.npy``, or another name for a folder of ``.npy`` files,
            each called by its first row. All workers have to reach it. What an interrupted call has left beside it,
            in ``NAME.partial``, the same call goes on with.
        progress : bool or callable(done, most), optional
            As for :func:`reedsp.sssp`: with how many sources are done, and how many there are.

        Returns
        -------
        dask.array.Array or ndarray, shape (n,) or (k, n)
            Rows that have been found and stay on their workers, by Dask; by an executor an array. With `out`: the
            array on the disk, of shape (k, n) for a single source, too, or the names of a folder's files.

        Raises
        ------
        NegativeCycleError, OverflowError, ValueError, TypeError
            As for :func:`reedsp.sssp`. A vertex that does not exist is an error before anything is sent.
        RuntimeError
            There is no worker, the client or the executor is closed or lost, or a task has failed on two workers: the
            message names its sources and the workers.
        DeviceError, DeviceMemoryError
            A worker, which is named, has no such device, or one that is too small.
        FileExistsError, FileNotFoundError, OSError
            The rows cannot be written.
        """
        question = searches.question_of_paths(graph, source, method=method, cutoff=cutoff, dtype=dtype, options=options)
        return self._rows(question, out, progress)

    def bfs(
        self,
        graph: GraphLike,
        source: Vertex | Vertices,
        *,
        out: str | os.PathLike[str] | None = None,
        progress: Callable[[int, int], None] | bool | None = None,
        options: BreadthFirstOptions | None = None,
    ) -> Any:
        """Find the levels of all vertices from each of several sources: those of :func:`reedsp.bfs`.

        Parameters
        ----------
        graph, source, options
            As for :func:`reedsp.bfs`.
        out, progress
            As for :meth:`sssp`.

        Returns
        -------
        dask.array.Array or ndarray of int32, shape (n,) or (k, n)
            As for :meth:`sssp`.

        Raises
        ------
        ValueError, TypeError, RuntimeError, DeviceError, DeviceMemoryError, OSError
            As for :meth:`sssp`.
        """
        return self._rows(searches.question_of_levels(graph, source, options), out, progress)

    def map_rows(
        self,
        graph: GraphLike,
        function: Callable[[Any, npt.NDArray[Any]], Any],
        sources: Vertices | None = None,
        *,
        method: SearchMethod = "auto",
        cutoff: float | np.integer[Any] | None = None,
        dtype: DistanceType | None = None,
        progress: Callable[[int, int], None] | bool | None = None,
        options: SearchOptions | None = None,
    ) -> list[Any]:
        """Have a function look at the distances from each source where they are found: only its answers travel.

        Parameters
        ----------
        graph : Graph, scipy sparse matrix, dense array or networkx graph
        function : callable(source, dist)
            Given the name of a source and its distances to all vertices, shape (n,). It has to pickle.
        sources : sequence of int or of other names, optional
            By default all vertices.
        method, cutoff, dtype, options
            As for :func:`reedsp.sssp`.
        progress : bool or callable(done, most), optional
            As for :func:`reedsp.sssp`: with how many sources are done, and how many there are.

        Returns
        -------
        list
            An answer for each source.

        Raises
        ------
        NegativeCycleError, OverflowError, ValueError, TypeError, RuntimeError, DeviceError, DeviceMemoryError
            As for :meth:`sssp`; what the function raises stops the call, at the latest when another worker has
            raised it as well.
        """
        if not callable(function):
            raise TypeError(f"function: expected a function, got {function!r}")
        graph = as_graph(graph)
        names = graph.names
        starts = names if sources is None else [names[each] for each in vertices_argument(graph, sources, "sources")]
        question = searches.question_of_paths(
            graph, list(starts), method=method, cutoff=cutoff, dtype=dtype, options=options
        )
        with (
            self._used(question.graph) as reference,
            search_bar(len(question.sources), "searches", progress) as report,
        ):
            return searches.answers_of(self.engine, question, reference, function, report)

    def apsp(
        self,
        graph: GraphLike,
        method: AllPairsMethod = "auto",
        predecessors: bool = False,
        negative_cycles: NegativeCycles = "raise",
        out: str | os.PathLike[str] | Distances | None = None,
        progress: Callable[[int, int], None] | bool | None = None,
        *,
        dtype: DistanceType | None = None,
        memory_limit: int | None = None,
        options: AllPairsOptions | None = None,
    ) -> AllPairs:
        """Find shortest paths between all pairs of vertices: those of :func:`reedsp.apsp`, whose arguments these are.

        Parameters
        ----------
        graph, method, predecessors, negative_cycles, progress, dtype, memory_limit, options
            As for :func:`reedsp.apsp`. "auto" goes on by the method that an interrupted call with this `out` had taken;
            `memory_limit` is that of a matrix, which "auto" then takes.
        out : path or ndarray, optional
            As for :meth:`sssp`, or an array to be filled.

        Returns
        -------
        AllPairs
            Its arrays are what :meth:`sssp` returns: by Dask they stay on the workers unless there is an `out`. Of its
            `stats` there are ``chosen_because``, ``milliseconds``, ``phases`` and ``device``, and ``workers``, how many
            there were; what their devices did is not added up.

        Raises
        ------
        NegativeCycleError, OverflowError, ValueError, TypeError, RuntimeError, DeviceError, DeviceMemoryError, OSError
            As for :func:`reedsp.apsp` and :meth:`sssp`.
        """
        self.check()
        asked = graph, method, predecessors, negative_cycles, out, progress
        given = {"dtype": dtype, "memory_limit": memory_limit, "options": options}
        return all_pairs.apsp(self, *asked, array=self._array(), **given)  # type: ignore[arg-type]

    def _array(self) -> all_pairs.Array | None:
        """Return what makes an array of rows that stay on workers, if they can."""
        return None

    def answers_networkx(self) -> contextlib.AbstractContextManager[None]:
        """Return a context in which distances that networkx' measures need are found by these workers.

        Of those that the backend answers on a device: eccentricity, closeness, average path lengths and others. Calls
        outside this context, and in other threads, are answered as before.
        """
        return answers_networkx(self)

    # ---- in place of a device ----------------------------------------------------------------------

    def answer(self, function: str, /, *args: Any, **arguments: Any) -> Any:
        """Return what a function of this package would return, for ``device=``."""
        known: Mapping[str, Callable[..., Any]] = {
            **{"sssp": self._shortest_paths, "bfs": self._levels},
            **{"apsp": self._all_pairs, "distance_table": self._distance_table},
            "distance_statistics": self._statistics,
        }
        if function not in known:
            raise TypeError(f"device: {function} needs a device, and cannot be done by a cluster")
        return known[function](*args, **arguments)

    def _shortest_paths(
        self,
        graph: Any,
        source: Any,
        *,
        progress: Any = None,
        min_only: bool = False,
        out: npt.NDArray[Any] | None = None,
        **arguments: Any,
    ) -> ShortestPaths:
        asked = checked_sssp(graph, source, out=out, min_only=min_only, **arguments)
        if min_only:
            raise ValueError("min_only: one search cannot be shared out among workers, use a device")
        question = searches.question_of(asked, arguments)
        found, report = self._trees(question, progress)
        dist = np.concatenate([each.rows for _, each in found])
        if not asked.many:
            dist = dist[0]
        if asked.place is not None:
            asked.place[...] = dist
            dist = asked.place
        pred = np.concatenate([each.pred for _, each in found])
        exact = None if found[0][1].exact is None else np.concatenate([each.exact for _, each in found])
        names = question.graph.names
        reaches_all = all(each.method not in BY_DISTANCE for _, each in found)
        return ShortestPaths(
            graph=question.graph,
            source=[names[each] for each in question.sources] if question.many else names[question.sources[0]],
            dist=dist,
            pred=pred if question.many else pred[0],
            nearest=None,
            method=found[0][1].method,
            rounds=sum(each.rounds for _, each in found),
            device=report["device"],
            stats=report,
            _device=None,
            _arithmetic=asked.arithmetic,
            _cutoff=arguments.get("cutoff"),
            _target=None if reaches_all else asked.target,
            _rows_from_host=frozenset(first + row for first, each in found for row in each.rows_from_host),
            _exact=exact,
        )

    def _all_pairs(self, *asked: Any, **given: Any) -> AllPairs:
        self.check()
        return all_pairs.apsp(self, *asked, **given)

    def _levels(self, graph: Any, source: Any, *, progress: Any = None, options: Any = None) -> BreadthFirst:
        question = searches.question_of_levels(graph, source, options)
        found, report = self._trees(question, progress)
        levels = np.concatenate([each.rows for _, each in found])
        pred = np.concatenate([each.pred for _, each in found])
        names = question.graph.names
        return BreadthFirst(
            graph=question.graph,
            source=[names[each] for each in question.sources] if question.many else names[question.sources[0]],
            levels=levels if question.many else levels[0],
            pred=pred if question.many else pred[0],
            method=found[0][1].method,
            device=report["device"],
            stats=report,
        )

    def _trees(self, question: Question, progress: Any) -> tuple[list[tuple[int, tasks.Trees]], dict[str, Any]]:
        """Return everything that was found, in at least one part, and what is said of it."""
        phases = Phases()
        with self._used(question.graph) as reference:
            phases.begin("search")
            with search_bar(len(question.sources), "searches", progress) as report:
                found = searches.trees_of(self.engine, question, reference, report)
        if not found:  # without sources: the types of what would be found
            shape = 0, question.graph.n
            empty = np.empty(shape, question.dtype), np.empty(shape, np.int32), None
            found = [(0, tasks.Trees(*empty, "none", 0, "none", (), {}))]
        devices = dict.fromkeys(each.device for _, each in found)
        spent = phases.milliseconds()
        stats: dict[str, Any] = {"device": ", ".join(devices), "milliseconds": sum(spent.values()), "phases": spent}
        stats["workers"] = len(self.engine.workers())
        for name in _ADDED:
            stats[name] = sum(each.stats.get(name, 0) for _, each in found)
        for name in ("arithmetic", "chosen_because"):
            if name in found[0][1].stats:
                stats[name] = found[0][1].stats[name]
        return found, stats

    def _distance_table(
        self,
        graph: Any,
        sources: Any,
        targets: Any,
        *,
        dtype: Any = None,
        memory_limit: int | None = None,
    ) -> npt.NDArray[Any]:
        graph = as_graph(graph)
        starts = vertices_argument(graph, sources, "sources")
        ends = vertices_argument(graph, targets, "targets")
        result = result_dtype(dtype, graph)
        is_backwards = is_better_backwards(graph, starts, ends, result)
        searched, first, last = (graph.reverse(), ends, starts) if is_backwards else (graph, starts, ends)
        names, dtype = searched.names, backwards_type(graph, result) if is_backwards else result
        question = searches.question_of_paths(
            searched, [names[each] for each in first] if len(last) else [], dtype=dtype.name
        )
        with self._used(searched) as reference:
            table = searches.columns_of(self.engine, question, reference, last)
        table = table if len(last) else np.empty((len(first), 0), dtype)
        return np.ascontiguousarray(turned(table, result, starts, ends)) if is_backwards else table

    def _statistics(
        self, asked: StatisticsQuestion, sources: npt.NDArray[np.intp], *, progress: Any = None
    ) -> Measured:
        graph = asked.graph
        named = [graph.names[each] for each in sources]
        if asked.unweighted:
            question = searches.question_of_levels(graph, named)
        else:
            question = searches.question_of_paths(graph, named, dtype=asked.result.name)
        with self._used(graph) as reference, search_bar(len(named), "searches", progress) as report:
            return searches.statistics_of(self.engine, question, asked.found, reference, report)

    def _rows(
        self,
        question: Question,
        out: str | os.PathLike[str] | None,
        progress: Callable[[int, int], None] | bool | None,
    ) -> Any:
        with (
            self._used(question.graph) as reference,
            search_bar(len(question.sources), "searches", progress) as report,
        ):
            if out is not None:
                return searches.rows_in_files(self.engine, question, reference, out, report).opened()
            rows = self._kept(question, reference, report)
        return rows if question.many else rows[0]

    def _kept(self, question: Question, reference: Published, report: Callable[[int, int], None] | None) -> Any:
        return searches.rows_here(self.engine, question, reference, report)


_ADDED = (
    *("kernels_launched", "bytes_to_device", "bytes_from_device", "bytes_allocated"),
    *("exact_on_host", "bottom_up_levels"),
)


class Dask(Cluster):
    """The workers of a client of Dask.

    Parameters
    ----------
    client : distributed.Client
        Its workers, those that come, and those that are started again. It stays open.
    devices : str or sequence of str, optional
        "gpu": the workers of a host share out its GPUs. "cpu": the host's processor. Names, as for
        :func:`reedsp.get_device`: the workers of a host take them in turn. By default each takes what it would by
        itself, which ``REEDSP_DEVICE`` can say.
    threads : int, optional
        Of each worker's device, where that is the host's processor; by default the threads that Dask gives a worker.

    Raises
    ------
    ImportError
        Dask is not installed: ``pip install "reedsp[dask]"``.
    TypeError, ValueError
        It is no client, or one whose calls do not wait.
    RuntimeError
        It is closed.
    DeviceError
        A worker, which is named, has no such device.

    Examples
    --------
    >>> import reedsp
    >>> import reedsp.cluster
    >>> from distributed import Client
    >>> graph = reedsp.Graph.from_edges(4, [0, 0, 1, 2], [1, 2, 3, 3], [7, 2, 1, 3])
    >>> with Client(processes=False, n_workers=1, dashboard_address=":0") as client:
    ...     with reedsp.cluster.Dask(client) as cluster:
    ...         cluster.sssp(graph, [0, 1]).min(axis=0).compute()
    array([0., 0., 2., 1.])
    """

    engine: DaskEngine

    def __init__(self, client: Any, devices: str | Sequence[str] | None = None, threads: int | None = None) -> None:
        try:
            from reedsp.cluster.engines.dask import DaskEngine
        except ImportError as error:
            raise ImportError('reedsp.cluster.Dask needs Dask: pip install "reedsp[dask]"') from error
        super().__init__(DaskEngine(client, devices, threads))
        try:
            self.engine.each_worker(tasks.memory)  # says so if a device is unknown on one of them
        except BaseException:
            self.engine.close()
            raise

    def __repr__(self) -> str:
        return f"<reedsp.cluster.Dask: {self.engine.client!r}>"

    def _kept(self, question: Question, reference: Published, report: Callable[[int, int], None] | None) -> Any:
        found = searches.rows_on_workers(self.engine, question, reference, report)
        return self.engine.array(found, (len(question.sources), question.graph.n), question.dtype)

    def _array(self) -> all_pairs.Array | None:
        return self.engine.array


class Executor(Cluster):
    """The workers of an executor: a process pool, or mpi4py.futures.

    Parameters
    ----------
    executor : concurrent.futures.Executor
        It stays open. Processes have to be spawned, not forked, where this one has used a device.
    devices : str or sequence of str, optional
        As for :class:`Dask`.
    folder : path, optional
        Where graphs are kept in files; all workers have to reach it. By default it is a temporary one of this machine.
    threads : int, optional
        As for :class:`Dask`; by default cores divided by workers, where the executor is a process pool.

    Raises
    ------
    TypeError
        It is no executor, or `folder` no path.

    Examples
    --------
    Threads, here; processes are begun by ``ProcessPoolExecutor(2, multiprocessing.get_context("spawn"))``.

    >>> from concurrent.futures import ThreadPoolExecutor
    >>> import reedsp
    >>> import reedsp.cluster
    >>> graph = reedsp.Graph.from_edges(4, [0, 0, 1, 2], [1, 2, 3, 3], [7, 2, 1, 3])
    >>> with ThreadPoolExecutor(2) as pool, reedsp.cluster.Executor(pool) as cluster:
    ...     cluster.map_rows(graph, lambda source, dist: dist.min(), [0, 1])
    ...     reedsp.sssp(graph, [0, 1], device=cluster).path(3, 0)
    [np.float64(0.0), np.float64(0.0)]
    [0, 2, 3]
    """

    def __init__(
        self,
        executor: concurrent.futures.Executor,
        devices: str | Sequence[str] | None = None,
        *,
        folder: str | os.PathLike[str] | None = None,
        threads: int | None = None,
    ) -> None:
        if not isinstance(executor, concurrent.futures.Executor):
            raise TypeError(f"executor: expected a concurrent.futures.Executor, got {type(executor).__name__}")
        given = None if folder is None else Path(path_argument(folder, "folder"))
        super().__init__(ExecutorEngine(executor, devices, given, threads))

    def __repr__(self) -> str:
        return f"<reedsp.cluster.Executor: {len(self.engine.workers()):,} workers>"
