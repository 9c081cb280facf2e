"""Breadth-first search (cl/traversal/*.cl): levels, and the tree of smallest predecessors."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.algorithms.single_source.host.routines import routines
from reedsp.algorithms.single_source.sssp import known_default
from reedsp.algorithms.traversal import work_items
from reedsp.algorithms.traversal.deep import DeepSearch, suits
from reedsp.algorithms.traversal.frontier import FrontierSearch
from reedsp.algorithms.traversal.on_host import search as search_on_host
from reedsp.algorithms.traversal.source_a_group import rows_at_once as rows_of_groups
from reedsp.algorithms.traversal.source_a_group import search_rows
from reedsp.algorithms.traversal.work_groups import WorkGroupSearch
from reedsp.cost_model import choose_search, families, place, settings
from reedsp.cost_model.searches import Searches
from reedsp.device.device import Device
from reedsp.device.discovery import get_device
from reedsp.device.errors import DeviceError
from reedsp.device.job import Job
from reedsp.device.selfcheck import is_trusted, none_is_trusted
from reedsp.edges.balance import FEW_EDGES
from reedsp.edges.device_graph import UNREACHED, Neighbours, largest_degree
from reedsp.edges.ladder import DIRECT_SEARCH, RUNGS
from reedsp.edges.selfcheck import finds_known_levels
from reedsp.edges.statistics import Measured, RowStatistics, add_up_on_host, adds_up_levels
from reedsp.graph.arguments import as_graph, source_argument
from reedsp.graph.graph import Graph
from reedsp.results.levels import BreadthFirst
from reedsp.system.elsewhere import Elsewhere
from reedsp.system.options import checked_options
from reedsp.system.phases import Phases
from reedsp.system.progress_bar import Report, announce_long, may_be_silent, of_a_search, report_done, search_bar
from reedsp.typing import BreadthFirstOptions, GraphLike, Vertex, Vertices

METHODS = ("work-items", "work-groups")
"""Kernels for CPU devices, and kernels for GPUs, which search in either direction."""

_DEEP = "near-far"  # for deep graphs of few edges a vertex on GPUs
_ROWS = "source-a-group"  # for many sources on GPUs
_FRONTIER = "frontier"  # by a rung of the ladder of load balancing
_OPTIONS = {
    "work-items": {"direction"},
    "work-groups": {"direction", "group_size"},
    _ROWS: {"group_size"},
    _DEEP: set(),
    _FRONTIER: {"balance"},
}

# Edges not explored yet for each edge of a level up to which bottom-up pays; None: as measured for the kernels.
_EDGE_FACTORS = {"auto": None, "top-down": 0, "bottom-up": 1 << 30}
_SMALLEST_GROUP = 32  # work-items


def bfs(
    graph: GraphLike,
    source: Vertex | Vertices,
    *,
    device: Device | Elsewhere | int | str | None = None,
    progress: Callable[[int, int], None] | bool | None = None,
    options: BreadthFirstOptions | None = None,
) -> BreadthFirst:
    """Find paths with the fewest edges from one source, or from each of several, to all vertices.

    Weights are ignored. The tree is the one that :func:`reedsp.sssp` finds where every edge weighs 1, the same on every
    device and in every run.

    Parameters
    ----------
    graph : Graph, scipy sparse matrix, dense array or networkx graph
        As for :func:`reedsp.sssp`.
    source : int, other name or sequence of these
        Vertex to start from: its name in a graph that knows names, such as a node of a networkx graph, otherwise
        0 .. n-1, of which a negative one counts from the end. A sequence gives one row of results for each entry.
    device : Device, int, str or cluster, optional
        As for :func:`reedsp.get_device`: by default ``REEDSP_DEVICE``, else the best GPU, else the CPU; but the
        host where that is expected to be done sooner, unless there are `options`. What is named is used.
    progress : bool or callable(done, most), optional
        True shows a bar in a notebook, or on standard error if that is a terminal. A function is called now and then:
        with the levels so far and the most there can be; with several sources, with how many of them are done and how
        many there are.
        By default a call from several sources that is expected to take more than five seconds says so in a line on a
        terminal.
    options : mapping, optional
        ``method``: "work-items", kernels for CPU devices, "work-groups", kernels for GPUs, "source-a-group", for many
        sources on GPUs, of which each work-group searches from one at a time, "near-far", for GPUs and deep graphs,
        such as road networks, in which no vertex has more than eight edges, or "frontier", which shares out the edges
        of each level by a rung of the ladder of load balancing; by default what fits the device, the graph and the
        number of sources. Of the first two: ``direction``, "top-down", "bottom-up" or "auto", for each level what looks
        at fewer edges; but the first eight searches of a directed graph are top-down. Of "work-groups" and
        "source-a-group": ``group_size``, work-items of one. Of "frontier", and without a method for it: ``balance``,
        the name of the rung, by default "direct-search".

    Returns
    -------
    BreadthFirst

    Raises
    ------
    ValueError
        The graph or an argument is wrong; the message names it.
    TypeError
        An argument has the wrong type.
    DeviceError
        There is no usable device.

    Examples
    --------
    >>> import reedsp
    >>> graph = reedsp.Graph.from_edges(5, [0, 0, 1, 2], [1, 2, 3, 3])
    >>> search = reedsp.bfs(graph, 0)
    >>> search.levels
    array([ 0,  1,  1,  2, -1], dtype=int32)
    >>> search.path(3)
    [0, 1, 3]
    """
    if isinstance(device, Elsewhere):
        there: BreadthFirst = device.answer("bfs", graph, source, progress=progress, options=options)
        return there
    phases = Phases()
    plan = planned(graph, source, device=device, options=options, may_be_host=may_be_silent(progress))
    graph, sources, choice, choices = plan.graph, plan.sources, plan.choice, dict(plan.options)
    if len(sources) > 1 and progress is None:
        announce_long("bfs", choice.seconds, choice.methods[0])
    bar = search_bar(len(sources), "levels", progress, expected=choice.seconds)
    answers = np.empty((len(sources), 2, graph.n), np.int32)
    if plan.device is None:
        return _answer(plan, answers, choice.methods[0], _search_on_host(plan, answers, phases))
    chosen, method = plan.device, choice.methods[0]
    tries_deep = not choices and method == "work-groups" and chosen.kind != "cpu" and suits(graph)
    choices.pop("method", None)
    if method == _FRONTIER:
        choices["balance"] = _right_rung(chosen, choices.get("balance", DIRECT_SEARCH))
    else:
        method = _trusted_method(chosen, choice.methods, method, choices.get("group_size"))
    job = Job(chosen, recycle=True, phases=phases)
    because = choice.because
    phases.begin("search")
    with bar as report:
        stats = None
        if method == _DEEP or (tries_deep and _is_trusted(chosen, _DEEP)):
            stats = _search_by_near_far(graph, sources, answers, job, report, always=method == _DEEP)
        if stats is None:
            stats = _SEARCHES[method](graph, sources, answers, job, report, **choices)
        elif method != _DEEP:
            method, because = _DEEP, f"no vertex has more than {FEW_EDGES} edges, and levels are small"
    job.recycle()
    stats = {**job.stats(), **stats, "chosen_because": because, "phases": phases.milliseconds()}
    return _answer(plan, answers, method, stats)


def _answer(plan: Plan, answers: npt.NDArray[np.int32], method: str, stats: dict[str, Any]) -> BreadthFirst:
    names, levels, pred = plan.graph.names, answers[:, 0], answers[:, 1]
    return BreadthFirst(
        graph=plan.graph,
        source=[names[each] for each in plan.sources] if plan.many else names[plan.sources[0]],
        levels=levels if plan.many else levels[0],
        pred=pred if plan.many else pred[0],
        method=method,
        device=str(stats["device"]),
        stats=stats,
    )


def statistics_from(
    graph: Graph, sources: Sequence[int], device: Device | None = None, progress: Report | None = None
) -> Measured:
    """Return statistics of the levels from some vertices, by default from where :func:`bfs` finds them.

    Those that work-items and work-groups find for many sources at a time do not leave the device.
    """
    plan = planned_statistics(graph, sources, device, may_be_host=may_be_silent(progress))
    rows = RowStatistics.empty(len(sources), np.dtype(np.int32))
    chosen, method = plan.device, plan.choice.methods[0]
    adds_up = chosen is not None and method in _FOR_MANY and _is_trusted(chosen, method) and adds_up_levels(chosen)
    if chosen is not None and adds_up:
        job = Job(chosen, recycle=True)
        _FOR_MANY[method](graph, sources, None, job, progress, statistics=rows)
        return Measured(rows, str(chosen), method, plan.choice.because, job.kernels_launched)
    step, launched, because = work_items.MOST_ROWS, 0, plan.choice.because
    for first in range(0, len(sources), step):
        part = slice(first, first + step)
        found = bfs(graph, [graph.names[each] for each in sources[part]], device=chosen, progress=False)
        add_up_on_host(found.levels, rows.part(part), UNREACHED)
        launched += found.stats["kernels_launched"]
        method, because = found.method, found.stats["chosen_because"]
        report_done(progress, min(first + step, len(sources)), len(sources))
    return Measured(rows, place.HOST if chosen is None else str(chosen), method, because, launched)


# ---- how, where and why -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Plan:
    """How a search is done.

    Attributes
    ----------
    graph : Graph
    sources : list of int
        Their indices.
    many : bool
        Whether they were given as a sequence.
    device : Device or None
        None: the host.
    searched : Searches
        What the cost model's counts depend on.
    choice : Choice
    options : mapping
        That were given.
    """

    graph: Graph
    sources: Sequence[int]
    many: bool
    device: Device | None
    searched: Searches
    choice: choose_search.Choice
    options: Mapping[str, Any]


def planned(
    graph: GraphLike,
    source: Vertex | Vertices,
    *,
    device: Device | int | str | None = None,
    options: BreadthFirstOptions | None = None,
    may_be_host: bool = True,
) -> Plan:
    """Return how :func:`bfs` does what these arguments ask for, which are checked.

    `may_be_host` says whether the host may do it, which does not report on the way.
    """
    graph = as_graph(graph)
    sources, many = source_argument(graph, source)
    return _planned(graph, sources, many, device, checked_bfs_options(options), may_be_host)


def planned_statistics(
    graph: Graph, sources: Sequence[int], device: Device | None, *, may_be_host: bool = True
) -> Plan:
    """Return the same for what :func:`statistics_from` finds."""
    return _planned(graph, sources, True, device, {}, may_be_host, stays=True)


def _planned(
    graph: Graph,
    sources: Sequence[int],
    many: bool,
    device: Device | int | str | None,
    choices: dict[str, Any],
    may_be_host: bool,
    stays: bool = False,
) -> Plan:
    counts = max(1, graph.n), graph.m, graph.directed, max(1, len(sources))
    searched = Searches(*counts, "int32", 4, stays=stays)
    if may_be_host and device is None and not choices and place.serves():
        here = choose_search.levels_on_host(searched, known_default) if sources else choose_search.NOTHING
        if here is not None:
            return Plan(graph, sources, many, None, searched, here, choices)
    chosen = get_device(device)
    choice = choose_search.breadth_first(searched, families.known(chosen), chosen.kind)
    asked = choices.keys() - {"method"}
    named = choices.get("method", _FRONTIER if "balance" in choices else None)
    fitting = tuple(each for each in choice.methods if asked <= _OPTIONS[each])
    if named is not None:
        choice = choice._replace(methods=(named,), because="it was asked for")
    elif fitting and fitting[0] != choice.methods[0]:
        choice = choice._replace(methods=fitting, because="it has the options that were asked for")
    elif asked:
        choice = choice._replace(methods=fitting or choice.methods)
    for name in sorted(asked - _OPTIONS[choice.methods[0]]):
        raise ValueError(f"options: {name}: {choice.methods[0]!r} has none")
    if choice.methods[0] == _DEEP:
        _check_few_edges(graph)
    if "group_size" in choices:
        _check_group_size(choices["group_size"], chosen)
    return Plan(graph, sources, many, chosen, searched, choice, choices)


def rows_at_once(method: str, device: Device, n: int) -> int:
    """Return from how many sources at once a method searches a graph of n vertices on a device."""
    if method == "work-items":
        return work_items.rows_at_once(n)
    return rows_of_groups(device, n) if method == _ROWS else 1


def _search_on_host(plan: Plan, answers: npt.NDArray[np.int32], phases: Phases) -> dict[str, Any]:
    """Fill `answers`; return what is to be reported."""
    routines()
    phases.begin("search")
    started = time.perf_counter()
    search_on_host(plan.graph, plan.sources, answers)
    milliseconds = 1e3 * (time.perf_counter() - started)
    return {
        "device": place.HOST,
        "kernels_launched": 0,
        "milliseconds": milliseconds,
        **dict.fromkeys(("bytes_to_device", "bytes_from_device", "bytes_allocated"), 0),
        "search_milliseconds": milliseconds,
        "bottom_up_levels": 0,
        "chosen_because": plan.choice.because,
        "phases": phases.milliseconds(),
    }


# ---- single work-items ------------------------------------------------------------------------------


def _search_by_work_items(
    graph: Graph,
    sources: Sequence[int],
    answers: npt.NDArray[np.int32] | None,
    job: Job,
    progress: Report | None,
    direction: str = "auto",
    statistics: RowStatistics | None = None,
) -> dict[str, Any]:
    """Fill `answers`, levels and predecessors from each source, as many sources at once as fit into memory.

    And statistics of the levels, if they are wanted. Return what is to be reported.

    Top-down one work-item searches level after level; bottom-up all compute units share a level.
    """
    started = time.perf_counter()
    most = work_items.rows_at_once(graph.n)
    searching, bottom_up_levels = 0.0, 0
    room = np.empty((min(most, len(sources)), 2, graph.n), np.int32) if answers is None else answers
    with job.reusing() as end_part:
        for first in range(0, len(sources), most):
            rows = slice(first, first + most)
            some = sources[rows]
            factor = _edge_factor(direction, settings.ITEMS_EDGE_FACTOR, graph, job.device, len(some))
            search = work_items.WorkItemSearch(
                graph, some, room[: len(some)] if answers is None else room[rows], job, factor
            )
            bottom_up_levels += search.run(of_a_search(progress, first, len(sources)))
            searching += time.perf_counter() - started
            job.phases.begin("download")
            search.split(None if statistics is None else statistics.part(rows))
            end_part()
            job.phases.begin("search")
            report_done(progress, min(first + most, len(sources)), len(sources))
            started = time.perf_counter()
    return {"search_milliseconds": 1e3 * searching, "bottom_up_levels": bottom_up_levels}


# ---- work-groups ------------------------------------------------------------------------------------


def _search_by_work_groups(
    graph: Graph,
    sources: Sequence[int],
    answers: npt.NDArray[np.int32],
    job: Job,
    progress: Report | None,
    direction: str = "auto",
    group_size: int | None = None,
) -> dict[str, Any]:
    """Fill `answers`, levels and predecessors from each source, one after the other; return what is to be reported."""
    started = time.perf_counter()
    factor = _edge_factor(direction, settings.GROUPS_EDGE_FACTOR, graph, job.device, len(sources))
    search = WorkGroupSearch(graph, job, factor, group_size)
    stats = _search_from_each(search, search.run, sources, answers, job, progress, started)
    assert stats is not None
    return stats


# ---- near-far --------------------------------------------------------------------------------------


def _search_by_near_far(
    graph: Graph,
    sources: Sequence[int],
    answers: npt.NDArray[np.int32],
    job: Job,
    progress: Report | None,
    always: bool = True,
) -> dict[str, Any] | None:
    """Fill `answers`, levels and predecessors from each source, one after the other; return what is to be reported.

    Unless `always`, None is returned if the graph is found to have large levels.
    """
    started = time.perf_counter()
    search = DeepSearch(graph, job)

    def run(source: int, report: Report | None) -> int | None:
        return 0 if search.run(source, report, always) else None

    return _search_from_each(search, run, sources, answers, job, progress, started)


# ---- frontier --------------------------------------------------------------------------------------


def _search_by_frontier(
    graph: Graph,
    sources: Sequence[int],
    answers: npt.NDArray[np.int32],
    job: Job,
    progress: Report | None,
    balance: str,
) -> dict[str, Any]:
    """Fill `answers`, levels and predecessors from each source, one after the other; return what is to be reported."""
    started = time.perf_counter()
    search = FrontierSearch(graph, job, balance)
    stats = _search_from_each(search, search.run, sources, answers, job, progress, started)
    assert stats is not None
    return stats


# ---- trials -----------------------------------------------------------------------------------------

_FOR_MANY: dict[str, Callable[..., dict[str, Any]]] = {"work-items": _search_by_work_items, _ROWS: search_rows}
_SEARCHES: dict[str, Callable[..., dict[str, Any]]] = {
    **_FOR_MANY,
    "work-groups": _search_by_work_groups,
    _FRONTIER: _search_by_frontier,
}


def _trusted_method(device: Device, methods: Sequence[str], preferred: str, group_size: int | None) -> str:
    """Return the preferred one of some methods, or else another one, that gives right answers on a device.

    Raises
    ------
    DeviceError
        None of them does.
    """
    for method in sorted(methods, key=lambda each: each != preferred):
        if _is_trusted(device, method, group_size):
            return method
    raise _wrong(device)


def _right_rung(device: Device, balance: str) -> str:
    """Return the rung that is named, or else "direct-search", if it gives right answers on a device.

    Raises
    ------
    DeviceError
        Neither does.
    """
    for name in (balance, DIRECT_SEARCH):
        trial = (finds_known_levels, _search_by_frontier, ((("balance", name),),))
        if is_trusted(device, f"breadth-first search by frontiers and {name}", *trial):
            return name
    raise _wrong(device)


def _wrong(device: Device) -> DeviceError:
    return none_is_trusted(f"{device}: breadth-first search gives wrong answers, or fails")


def _is_trusted(device: Device, method: str, group_size: int | None = None) -> bool:
    """Return whether a method gives right answers on a device."""
    if method == _DEEP:
        trial: tuple[Any, ...] = (finds_known_levels, _search_by_near_far, ((),), FEW_EDGES)
        return is_trusted(device, f"breadth-first search in {method}", *trial)
    size = "" if group_size is None else f" of {group_size}"
    options = () if group_size is None else (("group_size", group_size),)
    directions: Iterable[tuple[Any, ...]] = [(("direction", each),) for each in _EDGE_FACTORS]
    settings = tuple((*each, *options) for each in ([()] if method == _ROWS else directions))
    return is_trusted(
        device, f"breadth-first search in {method}{size}", finds_known_levels, _SEARCHES[method], settings
    )


# ---- searches from one source after the other -------------------------------------------------------


def _search_from_each(
    search: WorkGroupSearch | DeepSearch | FrontierSearch,
    run: Callable[[int, Report | None], int | None],
    sources: Sequence[int],
    answers: npt.NDArray[np.int32],
    job: Job,
    progress: Report | None,
    started: float,
) -> dict[str, Any] | None:
    """Fill `answers` from each source, one after the other; return what is to be reported.

    `run` returns how many levels were found bottom-up, or None if the search was given up; then None is returned.
    """
    searching, bottom_up_levels = 0.0, 0
    for row, source in enumerate(sources):
        found = run(source, of_a_search(progress, row, len(sources)))
        if found is None:
            return None
        bottom_up_levels += found
        searching += time.perf_counter() - started
        job.phases.begin("download")
        job.download_into(answers[row, 0], search.levels)
        job.download_into(answers[row, 1], search.predecessors)
        job.phases.begin("search")
        report_done(progress, row + 1, len(sources))
        started = time.perf_counter()
    return {"search_milliseconds": 1e3 * searching, "bottom_up_levels": bottom_up_levels}


# ---- arguments and answers --------------------------------------------------------------------------


def _edge_factor(direction: str, measured: int, graph: Graph, device: Device, searches: int) -> int:
    """Return how many edges for each edge of a level bottom-up may look at; 0: no level is searched bottom-up."""
    if (forced := _EDGE_FACTORS[direction]) is not None:
        return forced
    if not graph.directed or Neighbours.are_there(graph, device, incoming=True):
        return measured
    graph._derived["searches"] = searches = graph._derived.get("searches", 0) + searches
    return measured if searches > settings.TOP_DOWN_SEARCHES else 0


def _check_few_edges(graph: Graph) -> None:
    if largest_degree(graph) > FEW_EDGES:
        raise ValueError(
            f"options: method = {_DEEP!r}, but a vertex has {largest_degree(graph)} edges, and may have {FEW_EDGES}"
        )


def _check_group_size(size: int, device: Device) -> None:
    if size > device.max_work_group_size:
        limits = f"from {_SMALLEST_GROUP} to {device.max_work_group_size}"
        raise ValueError(f"options: group_size = {size}, expected a power of two {limits}")


def checked_bfs_options(options: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the options of :func:`bfs` that were given; ValueError or TypeError names one that is none."""
    named: dict[str, Iterable[str]] = {"method": _OPTIONS, "direction": _EDGE_FACTORS, "balance": RUNGS}
    choices = checked_options(options, {**named, "group_size": int})
    size = choices.get("group_size", _SMALLEST_GROUP)
    if size < _SMALLEST_GROUP or size & (size - 1):
        raise ValueError(f"options: group_size = {size}, expected a power of two from {_SMALLEST_GROUP} on")
    return choices
