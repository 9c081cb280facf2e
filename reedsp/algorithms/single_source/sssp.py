"""Shortest paths from one source or several: the front door that chooses method, arithmetic and device."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.algorithms.rows import Prepared, check_device
from reedsp.algorithms.single_source.bellman_ford_groups import bellman_ford
from reedsp.algorithms.single_source.bellman_ford_groups import rows_at_once as rows_of_bellman_ford
from reedsp.algorithms.single_source.bellman_ford_queue import bellman_ford_queue
from reedsp.algorithms.single_source.bellman_ford_queue import rows_at_once as rows_of_queues
from reedsp.algorithms.single_source.dijkstra_array import check_group_size as check_array_group_size
from reedsp.algorithms.single_source.dijkstra_array import dijkstra_array
from reedsp.algorithms.single_source.dijkstra_array import rows_at_once as rows_of_arrays
from reedsp.algorithms.single_source.dijkstra_heap import check_arity, dijkstra_heap
from reedsp.algorithms.single_source.dijkstra_heap import rows_at_once as rows_of_heaps
from reedsp.algorithms.single_source.host import searches as on_host
from reedsp.algorithms.single_source.host.nearby import search_nearby
from reedsp.algorithms.single_source.host.routines import routines
from reedsp.algorithms.single_source.host.signed import solve_signed
from reedsp.algorithms.single_source.input_parallel import input_parallel, input_parallel_refined
from reedsp.algorithms.single_source.near_far import chosen_form, in_work_groups, near_far
from reedsp.algorithms.single_source.near_far import rows_at_once as rows_of_near_far
from reedsp.algorithms.single_source.near_far_local import check_group_size as check_local_group_size
from reedsp.algorithms.single_source.near_far_local import fits as fits_local_memory
from reedsp.algorithms.single_source.near_far_local import is_right as is_right_in_local_memory
from reedsp.algorithms.single_source.near_far_local import near_far_local
from reedsp.algorithms.single_source.near_far_local import rows_at_once as rows_in_local_memory
from reedsp.algorithms.single_source.output_parallel import output_parallel
from reedsp.algorithms.single_source.selfcheck import finds_known_tree
from reedsp.algorithms.single_source.task import Outcome, Task, check_group_size
from reedsp.arithmetic.paths import (
    Arithmetic,
    bound_of,
    ceiling_of,
    choose_arithmetic,
    excludes_overflow,
    from_result,
    output_array,
    result_dtype,
    to_result,
)
from reedsp.arithmetic.types import name_of
from reedsp.cost_model import choose_search, families, place, probe
from reedsp.cost_model.searches import Searches
from reedsp.device.device import Device
from reedsp.device.discovery import are_known, get_device
from reedsp.device.errors import DeviceError, DeviceMemoryError, is_forked
from reedsp.device.job import Job
from reedsp.device.selfcheck import is_trusted, none_is_trusted
from reedsp.edges import balance, ladder
from reedsp.edges.selfcheck import converts
from reedsp.edges.statistics import Measured, RowStatistics, add_up_on_host, adds_up
from reedsp.graph.arguments import as_graph, source_argument, vertex_argument
from reedsp.graph.graph import Graph
from reedsp.results.shortest_paths import ShortestPaths
from reedsp.system.elsewhere import Elsewhere
from reedsp.system.options import Method, check_choice, checked_options, flag
from reedsp.system.phases import Phases
from reedsp.system.progress_bar import announce_long, may_be_silent, report_done, search_bar
from reedsp.typing import Distances, DistanceType, GraphLike, SearchMethod, SearchOptions, Vertex, Vertices

_METHODS = {
    "output-parallel": Method(
        output_parallel,
        {**dict.fromkeys(("cooperative_loading", "in_degree_order", "early_stop"), bool), "group_size": int},
    ),
    "input-parallel": Method(input_parallel),
    "input-parallel-refined": Method(
        input_parallel_refined, {"list_active": bool, "balance": ladder.RUNGS, "edge_classes": bool}
    ),
    "near-far": Method(near_far, {"delta": float, "work_groups": bool, "balance": balance.RUNGS}),
    "near-far-local": Method(near_far_local, {"delta": float, "group_size": int}),
    "bellman-ford": Method(bellman_ford, {"group_size": int, "local_memory": bool}),
    "bellman-ford-queue": Method(bellman_ford_queue),
    "dijkstra-heap": Method(dijkstra_heap, {"arity": int}),
    "dijkstra-array": Method(dijkstra_array, {"group_size": int, "local_memory": bool}),
}
_ROWS_BYTES = 1 << 28
BY_DISTANCE = ("near-far", "near-far-local", "dijkstra-heap", "dijkstra-array")
"""Those that take nearer vertices first: none of the weights is negative, and a row may have several sources."""
_NEARBY = "nearby"
_OF_THE_HOST = ("dijkstra", _NEARBY)
_STOPPING = (*BY_DISTANCE, *_OF_THE_HOST)
"""Those that leave out what is farther away than a target, the host's among them."""
_Rows = tuple[npt.NDArray[Any], npt.NDArray[np.int32] | None]
"""Distances and predecessors."""


def sssp(
    graph: GraphLike | Prepared,
    source: Vertex | Vertices,
    method: SearchMethod = "auto",
    target: Vertex | None = None,
    cutoff: float | np.integer[Any] | None = None,
    dtype: DistanceType | None = None,
    device: Device | Elsewhere | int | str | None = None,
    progress: Callable[[int, int], None] | bool | None = None,
    *,
    min_only: bool = False,
    out: Distances | None = None,
    options: SearchOptions | None = None,
) -> ShortestPaths:
    """Find shortest paths from one source, from each of several, or from the nearest of several, to all vertices.

    Integer weights are added in int32 or int64, and the answer is exact; so are whole floats, as long as no path is
    beyond 2^53 or `dtype` is an integer's. Others are added in float64. Weights may be negative.

    Parameters
    ----------
    graph : Graph, scipy sparse matrix, dense array, networkx graph or PreparedGraph
        A dense 0 and +inf are no edge; see :meth:`Graph.from_dense` for the other reading. A graph that is prepared is
        asked where it was prepared, by its own method, with `source` and `dtype` alone.
    source : int, other name or sequence of these
        Vertex to start from: its name in a graph that knows names, such as a node of a networkx graph, otherwise
        0 .. n-1, of which a negative one counts from the end. A sequence gives one row of results for each entry.
    method : str
        "near-far" relaxes each edge about once, nearer vertices first, and needs weights that are not negative. So do
        "near-far-local", one work-group a source whose distances all fit into its local memory, "dijkstra-heap", one
        work-item a source with a heap, and "dijkstra-array", one work-group a source with an array of all distances:
        for many sources at once. "output-parallel", "input-parallel" and "input-parallel-refined" are Bellman-Ford: one
        work-item a vertex (thesis section 5.3), one work-item an edge (5.4.1), and one work-item an edge of those
        vertices only whose distance has changed (5.4.2). So are "bellman-ford", one work-group a source, and
        "bellman-ford-queue", one work-item a source, of those vertices only, one after the other. "auto" takes near-far
        if it can, or near-far-local on GPUs for many sources, and with negative weights the one of these that is
        expected to be done first (docs/reference/cost-model.md).
    target : int or other name, optional
        Vertex whose path is wanted. The search may stop when it is found, and leave vertices that are farther away
        unreached: near-far and Dijkstra do.
    cutoff : float, optional
        Leave out paths that are longer than this; a vertex at exactly this distance is still reached. Needs
        weights that are not negative. One beyond the type of the distances leaves none out that this cannot hold.
    dtype : {None, "float64", "float32", "int64", "int32"}
        Type of the distances, float64 by default. float32 also adds fractional weights in float32, and
        rounds sums of integers once. In an integer type, the largest integer stands for "no path".
    device : Device, int, str or cluster, optional
        As for :func:`reedsp.get_device`: by default ``REEDSP_DEVICE``, else the best GPU, else the CPU; but the
        host where that is done sooner (docs/explanation/exactness.md). What is named is used. Workers of a
        :class:`reedsp.cluster.Cluster` share out the sources.
    progress : bool or callable(done, most), optional
        True shows a bar in a notebook, or on standard error if that is a terminal. A function is called now and then:
        with the rounds so far and the most there can be; with several sources, unless `min_only`, with how many of them
        are done and how many there are.
        By default a call from several sources that is expected to take more than five seconds says so in a line on a
        terminal.
    min_only : bool
        Find paths from the nearest of several sources: one row of results, of which `nearest` names the sources. Needs
        weights that are not negative.
    out : ndarray, shape (n,) or (k, n), optional
        Filled with the distances, and then `dist` of the result; its dtype is that of `dtype`, if both are given.
    options : mapping, optional
        Of the `method` that is named. Of "output-parallel": the bools ``cooperative_loading``, ``in_degree_order`` and
        ``early_stop``, and ``group_size``; see :func:`.output_parallel`. Of "input-parallel-refined": ``list_active``,
        ``balance`` and ``edge_classes``; see :func:`.input_parallel_refined`. Of "near-far": ``delta``, ``work_groups``
        and ``balance``; see :func:`.near_far`. Of "near-far-local": ``delta`` and ``group_size``; see
        :func:`.near_far_local`. Of "dijkstra-heap": ``arity``, the children of an entry, 2, 4 or 8. Of "dijkstra-array"
        and "bellman-ford": ``group_size`` and ``local_memory``; see :func:`.dijkstra_array` and
        :func:`.bellman_ford_groups.bellman_ford`.

    Returns
    -------
    ShortestPaths

    Raises
    ------
    NegativeCycleError
        A negative cycle can be reached from a source; its ``cycle`` is one.
    OverflowError
        A distance does not fit into int64, or into the integer `dtype`, or is beyond the largest float.
    ValueError
        The graph or an argument is wrong (the message names it), or a distance has no exact float64 value.
    TypeError
        An argument has the wrong type.
    DeviceError
        There is no usable device.

    Examples
    --------
    >>> import reedsp
    >>> graph = reedsp.Graph.from_edges(4, [0, 0, 1, 2], [1, 2, 3, 3], [7, 2, 1, 3])
    >>> paths = reedsp.sssp(graph, 0)
    >>> paths.dist
    array([0., 7., 2., 5.])
    >>> paths.path(3)
    [0, 2, 3]
    """
    given: dict[str, Any] = {"target": target, "cutoff": cutoff, "out": out, "options": options}
    if isinstance(graph, Prepared):
        check_prepared(graph, device, method=method, progress=progress, min_only=min_only, **given)
        return graph.sssp(source, dtype=dtype)
    if isinstance(device, Elsewhere):
        there: ShortestPaths = device.answer(
            "sssp", graph, source, method=method, progress=progress, dtype=dtype, min_only=min_only, **given
        )
        return there
    phases = Phases()
    asked = checked(graph, source, method, dtype=dtype, min_only=min_only, **given)
    graph, sources, arithmetic, result = asked.graph, asked.sources, asked.arithmetic, asked.result
    starts = [sources] if min_only else [[each] for each in sources]
    chosen = None if device is None else get_device(device)
    plan = planned(asked, starts, chosen, method, min_only=min_only, may_be_host=may_be_silent(progress))
    if len(starts) > 1 and progress is None:
        announce_long("sssp", plan.choice.seconds, plan.choice.methods[0])
    with search_bar(len(starts), "rounds", progress, expected=plan.choice.seconds) as report:
        solved = _solve(
            *(graph, starts, arithmetic, result, plan),
            options=asked.options,
            cutoff=cutoff,
            target=asked.target,
            progress=report,
            out=None if asked.place is None else asked.place.reshape(len(starts), graph.n),
            phases=phases,
        )
    phases.begin("convert")
    dist = solved.distances(arithmetic, result, None if asked.one_row else np.arange(len(starts)))
    dist = dist[0] if asked.one_row else dist
    if asked.place is not None:
        if not np.shares_memory(asked.place, dist):
            asked.place[...] = dist
        dist = asked.place
    assert solved.pred is not None
    nearest = nearest_source(solved.pred[0], sources) if min_only else None
    solved.stats["phases"] = phases.milliseconds()
    return ShortestPaths(
        graph=graph,
        source=[graph.names[each] for each in sources] if asked.many else graph.names[sources[0]],
        dist=dist,
        pred=solved.pred[0] if asked.one_row else solved.pred,
        nearest=nearest,
        method=solved.method,
        rounds=solved.outcome.rounds,
        device=solved.stats["device"],
        stats=solved.stats,
        _device=solved.device,
        _arithmetic=arithmetic,
        _cutoff=cutoff.item() if isinstance(cutoff, np.integer) else cutoff,
        _target=asked.target if solved.method in _STOPPING else None,  # the others find every distance
        _rows_from_host=solved.outcome.rows_from_host,
        _exact=solved.added(arithmetic) if result == np.float32 and arithmetic.dtype != result else None,
    )


def check_prepared(
    prepared: Prepared,
    device: Device | Elsewhere | int | str | None = None,
    *,
    method: str = "auto",
    progress: Callable[[int, int], None] | bool | None = None,
    min_only: bool = False,
    **others: Any,
) -> None:
    """Refuse arguments of :func:`sssp` that a graph that is prepared does not take."""
    check_device(prepared, device)
    refused = {**others, "method": None if method == "auto" else method}
    refused |= {"progress": None if progress is None or progress is False else progress}
    for name, value in {**refused, "min_only": flag(min_only, "min_only") or None}.items():
        if value is not None:
            raise ValueError(f"{name}: a prepared graph is searched without; sssp(prepared.graph, ...) takes it")


@dataclass(frozen=True)
class Asked:
    """What a call asks for, in arguments that are right.

    Attributes
    ----------
    graph : Graph
    sources : list of int
        Their indices.
    many, one_row : bool
        Whether they were given as a sequence, and whether the answer has one row.
    target : int or None
        Its index.
    arithmetic : Arithmetic
        In which path weights are added.
    result : dtype
        Of the distances.
    place : ndarray or None
        What is to be filled with these.
    options : mapping
        Of the method.
    """

    graph: Graph
    sources: list[int]
    many: bool
    one_row: bool
    target: int | None
    arithmetic: Arithmetic
    result: np.dtype[Any]
    place: npt.NDArray[Any] | None
    options: Mapping[str, Any]


def checked(
    graph: GraphLike,
    source: Vertex | Vertices,
    method: SearchMethod = "auto",
    target: Vertex | None = None,
    cutoff: float | np.integer[Any] | None = None,
    dtype: DistanceType | None = None,
    *,
    min_only: bool = False,
    out: Distances | None = None,
    options: SearchOptions | None = None,
) -> Asked:
    """Return what these arguments of :func:`sssp` ask for."""
    graph = as_graph(graph)
    sources, many = source_argument(graph, source)
    aim = None if target is None else vertex_argument(graph, target, "target")
    min_only = flag(min_only, "min_only")
    if isinstance(method, str) and method in _OF_THE_HOST:
        raise ValueError(f"method = {method!r} is the host's, which 'auto' takes where it is done sooner")
    check_choice("method", method, ("auto", *_METHODS))
    if min_only and not (many and sources):
        raise ValueError("min_only: needs a sequence of at least one source")
    if dtype is None and isinstance(out, np.ndarray):
        result = result_dtype(out.dtype, graph, "out.dtype")
    else:
        result = result_dtype(dtype, graph)
    one_row = min_only or not many
    place = None if out is None else output_array(out, (graph.n,) if one_row else (len(sources), graph.n), result)
    arithmetic = choose_arithmetic(graph, result)
    ceiling_of(cutoff, arithmetic)  # refuses what is no bound
    for name, given in (
        ("cutoff", cutoff is not None),
        ("min_only", min_only),
        (f"method = {method!r}", method in BY_DISTANCE),
    ):
        if given and graph.has_negative_weights:
            raise ValueError(f"{name}: needs weights that are not negative")
    known, others = ({}, _METHODS) if method == "auto" else (_METHODS[method].options, None)
    choices = checked_options(options, known, f"method {method!r}", others)
    if "arity" in choices:
        check_arity(choices["arity"])
    return Asked(graph, sources, many, one_row, aim, arithmetic, result, place, choices)


def distances(
    graph: Graph,
    sources: list[int],
    device: Device,
    method: SearchMethod = "auto",
    target: int | None = None,
    cutoff: float | np.integer[Any] | None = None,
    dtype: DistanceType | None = None,
    options: SearchOptions | None = None,
) -> npt.NDArray[Any]:
    """Return the rows that :func:`sssp` finds with these arguments, in a graph without names, and no trees."""
    asked = checked(graph, sources, method, target, cutoff, dtype, options=options)
    starts = [[each] for each in asked.sources]
    plan = planned(asked, starts, device, method, min_only=False)
    given: dict[str, Any] = {"options": asked.options, "cutoff": cutoff, "target": asked.target}
    solved = _solve(graph, starts, asked.arithmetic, asked.result, plan, predecessors=False, **given)
    return solved.distances(asked.arithmetic, asked.result)


def rows_from(
    graph: Graph,
    starts: Sequence[Sequence[int]],
    *,
    cutoff: float | np.integer[Any] | None = None,
    predecessors: bool = True,
    looked: bool = False,
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int32] | None]:
    """Return distances, and the trees if they are wanted, in arrays of a row for each set of vertices to start from.

    The rest is as :func:`sssp` does it by default.

    Parameters
    ----------
    graph : Graph
    starts : sequence of sequences of int
        Of indices; several in a row are for graphs without negative weights.
    cutoff : float, optional
        For these, too.
    predecessors : bool
    looked : bool
        The caller has looked whether little lies within the cutoff, and it does not.
    """
    result = np.dtype(np.float64)
    arithmetic = choose_arithmetic(graph, result)
    plan = _planned(graph, starts, arithmetic, result, None)
    plan = replace(plan, may_be_near=plan.may_be_near and not looked)
    solved = _solve(graph, starts, arithmetic, result, plan, cutoff=cutoff, predecessors=predecessors)
    return solved.distances(arithmetic, result), solved.pred


def statistics_from(
    graph: Graph,
    sources: Sequence[int],
    result: np.dtype[Any],
    device: Device | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Measured:
    """Return statistics of the distances from some vertices.

    The distances, in the arithmetic of :func:`sssp`, do not leave a device that adds them up.

    Parameters
    ----------
    graph : Graph
        Without negative weights.
    sources : sequence of int
        Indices.
    result : dtype
        As for :func:`sssp`.
    device : Device, optional
        By default what :func:`sssp` takes.
    progress : callable(rows, most), optional
    """
    arithmetic = choose_arithmetic(graph, result)
    starts = [[each] for each in sources]
    plan = planned_statistics(graph, starts, result, device, may_be_host=may_be_silent(progress))
    statistics = RowStatistics.empty(len(starts), arithmetic.dtype, [graph.names[each] for each in sources])
    if plan.device is not None and starts and adds_up(plan.device, arithmetic):
        job = Job(plan.device, recycle=True)
        right, form = _trusted_method(plan, graph, job, arithmetic)
        room = np.empty((len(starts), 0), arithmetic.dtype)
        task = Task(graph, starts, job, arithmetic, room, progress=progress, statistics=statistics)
        _METHODS[right].solve(task, **form)
        because = _because(plan.choice, right)
        return Measured(statistics, str(plan.device), right, because, job.kernels_launched)
    method, because = plan.choice.methods[0], plan.choice.because
    step, launched = max(1, _ROWS_BYTES // max(1, graph.n * arithmetic.dtype.itemsize)), 0
    for first in range(0, len(starts), step):
        part = slice(first, first + step)
        solved = _solve(graph, starts[part], arithmetic, result, plan, predecessors=False)
        add_up_on_host(solved.added(arithmetic), statistics.part(part), arithmetic.infinity)
        launched += solved.stats["kernels_launched"]
        method, because = solved.method, solved.stats["chosen_because"]
        report_done(progress, min(first + step, len(starts)), len(starts))
    return Measured(statistics, place.HOST if plan.device is None else str(plan.device), method, because, launched)


@dataclass(frozen=True)
class _Solved:
    """What was found, and how."""

    dist: npt.NDArray[Any]  # of the arithmetic's type, or as a result in float64
    pred: npt.NDArray[np.int32] | None
    method: str
    outcome: Outcome
    device: Device | None
    stats: dict[str, Any]

    def distances(
        self, arithmetic: Arithmetic, result: np.dtype[Any], rows: npt.NDArray[np.intp] | None = None
    ) -> npt.NDArray[Any]:
        """Return the distances in the type of a result; errors name these rows."""
        is_result = result == self.dist.dtype and result.kind == "f"
        return self.dist if is_result else to_result(self.added(arithmetic), arithmetic, result, rows)

    def added(self, arithmetic: Arithmetic) -> npt.NDArray[Any]:
        """Return the distances in the type of the arithmetic."""
        return self.dist if self.dist.dtype == arithmetic.dtype else from_result(self.dist, arithmetic)


@dataclass(frozen=True)
class Plan:
    """Where searches are done, and how.

    Attributes
    ----------
    device : Device or None
        None: the host.
    choice : Choice
        What the method is chosen from, why, and how long it is expected to take.
    named : str or None
        The method that was asked for.
    may_be_near : bool
        Whether the host may look first whether little lies within a cutoff.
    """

    device: Device | None
    choice: choose_search.Choice
    named: SearchMethod | None = None
    may_be_near: bool = False


def planned(
    asked: Asked,
    starts: Sequence[Sequence[int]],
    device: Device | None,
    method: SearchMethod,
    *,
    min_only: bool,
    may_be_host: bool = True,
) -> Plan:
    """Return where, how and why :func:`sssp` solves what is asked: on a device that is given, or that is expected best.

    Parameters
    ----------
    asked : Asked
    starts : sequence of sequences of int
        Of each row.
    device : Device, optional
    method : str
    min_only : bool
    may_be_host : bool
        Whether the host may do it, which does not report on the way.
    """
    if min_only and method not in ("auto", *BY_DISTANCE):
        raise ValueError(f"min_only: method {method!r} cannot do it, near-far can")
    arguments = (asked.graph, starts, asked.arithmetic, asked.result, device)
    plan = _planned(*arguments, method, min_only=min_only, may_be_host=may_be_host)
    if "group_size" in asked.options and plan.device is not None:
        _check_group_size(method, asked.options["group_size"], plan.device, asked.arithmetic)
    return plan


def _check_group_size(method: SearchMethod, size: int, device: Device, arithmetic: Arithmetic) -> None:
    if method == "near-far-local":
        check_local_group_size(size, device, arithmetic)
    elif method == "dijkstra-array":
        check_array_group_size(size, device)
    else:
        check_group_size(size, device)


def rows_at_once(method: str, device: Device, arithmetic: Arithmetic, n: int) -> int:
    """Return from how many sources at once a method searches a graph of n vertices on a device."""
    if method == "near-far":
        return rows_of_near_far(device, arithmetic, n, in_work_groups(device, arithmetic))
    at_once: dict[str, Callable[[Device, Arithmetic, int], int]] = {
        "near-far-local": rows_in_local_memory,
        "bellman-ford": rows_of_bellman_ford,
        "bellman-ford-queue": rows_of_queues,
        "dijkstra-heap": rows_of_heaps,
        "dijkstra-array": rows_of_arrays,
    }
    return at_once[method](device, arithmetic, n) if method in at_once else 1


def planned_statistics(
    graph: Graph,
    starts: Sequence[Sequence[int]],
    result: np.dtype[Any],
    device: Device | None,
    *,
    may_be_host: bool = True,
) -> Plan:
    """Return the same for what :func:`statistics_from` finds."""
    arithmetic = choose_arithmetic(graph, result)
    return _planned(graph, starts, arithmetic, result, device, may_be_host=may_be_host, stays=True)


def _planned(
    graph: Graph,
    starts: Sequence[Sequence[int]],
    arithmetic: Arithmetic,
    result: np.dtype[Any],
    device: Device | None,
    method: SearchMethod = "auto",
    *,
    min_only: bool | None = None,
    may_be_host: bool = True,
    stays: bool = False,
) -> Plan:
    asked = searched_for(graph, starts, arithmetic, result, stays)
    here, can = None, False
    if may_be_host and device is None and method == "auto" and place.serves():
        if not starts:
            return Plan(None, choose_search.NOTHING)
        can = on_host.can_solve(graph, arithmetic)
        here = choose_search.shortest_paths_on_host(asked, known_default) if can else None
    if here is not None:
        return Plan(None, here)
    chosen = get_device() if device is None else device
    if method != "auto":
        seconds = choose_search.seconds_on(asked, families.known(chosen), method)
        return Plan(chosen, choose_search.Choice((method,), "it was asked for", seconds), method)
    choice = choose_search.shortest_paths(
        *(asked, families.known(chosen)),
        min_only=any(len(some) != 1 for some in starts) if min_only is None else min_only,
        most_entering=lambda: int(np.diff(graph.in_edges().indptr).max(initial=0)),
        fits=lambda: fits_local_memory(chosen, graph.n, arithmetic),
    )
    return Plan(chosen, choice, may_be_near=can and len(starts) == 1 and not graph.has_negative_weights)


def searched_for(
    graph: Graph, starts: Sequence[Sequence[int]], arithmetic: Arithmetic, result: np.dtype[Any], stays: bool = False
) -> Searches:
    """Return what the counts of searches depend on; `stays` is as in :class:`.Searches`."""
    counts = max(1, graph.n), graph.m, graph.directed, max(1, len(starts))
    weights = name_of(arithmetic.dtype), result.itemsize, graph.has_negative_weights
    return Searches(*counts, *weights, stays, probe.scattered(graph))


def known_default(asked: Searches) -> families.Known | None:
    """Return what is known of the device that is used by default; None if there is none, or it is not worth a look.

    There is none for a process that was forked from one that uses OpenCL.
    """
    if is_forked():
        return None
    if not are_known() and not choose_search.is_time_to_look(asked):
        return None
    try:
        return families.known(get_device())
    except DeviceError:
        return None


def _solve(
    graph: Graph,
    starts: Sequence[Sequence[int]],
    arithmetic: Arithmetic,
    result: np.dtype[Any],
    plan: Plan,
    *,
    options: Mapping[str, Any] | None = None,
    cutoff: float | np.integer[Any] | None = None,
    target: int | None = None,
    predecessors: bool = True,
    progress: Callable[[int, int], None] | None = None,
    out: npt.NDArray[Any] | None = None,
    phases: Phases | None = None,
) -> _Solved:
    """Solve a row for each set of vertices to start from, as planned.

    What is found is in `out`, if that has the type in which it is found.
    """
    if plan.device is None:
        routines()
        if phases is not None:
            phases.begin("search")
        solved = _solve_on_host(graph, starts, arithmetic, plan, cutoff, target, predecessors)
        if solved is not None:
            return solved
        plan = _planned(graph, starts, arithmetic, result, get_device())
    if plan.may_be_near and cutoff is not None:
        if phases is not None:
            phases.begin("search")
        near = _solve_nearby(graph, starts[0], arithmetic, cutoff, target, predecessors)
        if near is not None:
            return near
    assert plan.device is not None
    chosen, choice = plan.device, plan.choice
    job = Job(chosen, recycle=True, phases=phases)
    method, form = _trusted_method(plan, graph, job, arithmetic)
    is_converted = method in BY_DISTANCE and converts(chosen, graph, arithmetic, result)
    type_found = result if is_converted else arithmetic.dtype
    is_place = out is not None and out.dtype == type_found and out.flags.c_contiguous
    found = out if is_place else np.empty((len(starts), graph.n), type_found)
    assert found is not None
    pred = np.empty((len(starts), graph.n), np.int32) if predecessors else None
    ceiling = ceiling_of(cutoff, arithmetic) if excludes_overflow(cutoff, arithmetic) else None
    task = Task(graph, starts, job, arithmetic, found, pred, ceiling=ceiling, target=target, progress=progress)
    job.phases.begin("search")
    outcome = _METHODS[method].solve(task, **{**form, **(options or {})})
    stats = {**job.stats(), "arithmetic": name_of(arithmetic.dtype), "exact_on_host": len(outcome.rows_from_host)}
    stats["chosen_because"] = _because(choice, method)
    return _Solved(found, pred, method, outcome, chosen, stats)


def _because(choice: choose_search.Choice, method: str) -> str:
    return choice.because if method == choice.methods[0] else f"{choice.methods[0]} is not right here"


def _solve_on_host(
    graph: Graph,
    starts: Sequence[Sequence[int]],
    arithmetic: Arithmetic,
    plan: Plan,
    cutoff: float | np.integer[Any] | None,
    target: int | None,
    predecessors: bool,
) -> _Solved | None:
    """Return what the host finds; None where a device has to describe a negative cycle."""
    started = time.perf_counter()
    if not starts:
        found: _Rows | None = np.empty((0, graph.n)), np.empty((0, graph.n), np.int32) if predecessors else None
    elif graph.has_negative_weights:
        sources = np.array([source for [source] in starts])
        found = solve_signed(on_host.float64_matrix(graph), sources, predecessors)
    else:
        found = on_host.solve(graph, starts, bound_of(cutoff, arithmetic), predecessors, target)
    if found is None:
        return None
    stats = _stats_of_host(started, arithmetic, plan.choice.because)
    return _Solved(*found, plan.choice.methods[0], Outcome(0), None, stats)


def _solve_nearby(
    graph: Graph,
    starts: Sequence[int],
    arithmetic: Arithmetic,
    cutoff: float | np.integer[Any],
    target: int | None,
    predecessors: bool,
) -> _Solved | None:
    """Return what lies within a cutoff; None where that is more than a little."""
    started = time.perf_counter()
    bound = bound_of(cutoff, arithmetic)
    edges = graph.indptr, graph.indices, graph.weights
    if bound is None or (found := search_nearby(*edges, [starts], float(bound))) is None:
        return None
    dist = found.distances()
    pred = found.predecessors(*edges, [starts]) if predecessors else None
    if target is not None:
        on_host.leave_out_beyond(target, dist, pred)
    stats = _stats_of_host(started, arithmetic, "little lies within the cutoff")
    return _Solved(dist, pred, _NEARBY, Outcome(0), None, stats)


def _stats_of_host(started: float, arithmetic: Arithmetic, because: str) -> dict[str, Any]:
    return {
        "device": place.HOST,
        "kernels_launched": 0,
        "milliseconds": 1e3 * (time.perf_counter() - started),
        **dict.fromkeys(("bytes_to_device", "bytes_from_device", "bytes_allocated"), 0),
        "arithmetic": name_of(arithmetic.dtype),
        "exact_on_host": 0,
        "chosen_because": because,
    }


def nearest_source(pred: npt.NDArray[np.int32], sources: list[int]) -> npt.NDArray[np.int32]:
    """Return the source that the predecessors of each vertex lead back to; NO_VERTEX where there is no path.

    Vertices without a path are left alone, which may be nearly all.
    """
    is_reached, nearest = pred >= 0, pred.copy()
    nearest[sources] = sources
    before = pred[is_reached]
    while not np.array_equal(further := nearest[before], before):
        nearest[is_reached] = before = further
    return nearest


def _trusted_method(
    plan: Plan, graph: Graph, job: Job, arithmetic: Arithmetic
) -> tuple[SearchMethod, Mapping[str, Any]]:
    """Return the method to use: the one asked for, or of those that can and give right answers here the fastest.

    Returns
    -------
    method : str
    options : mapping
        What it needs to give right answers.

    Raises
    ------
    DeviceError
        None of them gives right answers on the device.
    """
    methods = plan.choice.methods
    for each in methods:
        if each == choose_search.LOCAL and plan.named is None and not is_right_in_local_memory(job, graph, arithmetic):
            continue
        if (form := _trusted_form(each, job.device, arithmetic, graph.has_negative_weights)) is not None:
            return each, form  # type: ignore[return-value]
    raise none_is_trusted(f"{job.device}: {', '.join(methods)} in {arithmetic} give wrong answers, or fail")


def _trusted_form(method: str, device: Device, arithmetic: Arithmetic, negative: bool) -> Mapping[str, Any] | None:
    """Return the options with which a method gives right answers on a device, or None if it gives none."""
    if method == "near-far-local":
        return {}  # which finds that out for each graph
    if method != "near-far":
        trial = (finds_known_tree, _METHODS[method].solve, arithmetic, negative)
        return {} if is_trusted(device, f"{method} in {arithmetic}", *trial) else None
    try:
        return {"work_groups": chosen_form(device, arithmetic)}
    except DeviceMemoryError:
        raise
    except DeviceError:
        return None
