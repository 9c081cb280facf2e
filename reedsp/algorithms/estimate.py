"""What a call of another function will take, without solving anything."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from reedsp.algorithms.all_pairs.apsp import apsp, beyond_types, planned
from reedsp.algorithms.all_pairs.for_workers import checked as checked_for_workers
from reedsp.algorithms.all_pairs.out_of_core.plan import make_plan
from reedsp.algorithms.contraction.prepared_graph import rows_at_once as prepared_at_once
from reedsp.algorithms.routes import statistics
from reedsp.algorithms.rows import Prepared, accepted
from reedsp.algorithms.single_source.sssp import check_prepared, checked, rows_at_once, searched_for, sssp
from reedsp.algorithms.single_source.sssp import planned as planned_search
from reedsp.algorithms.traversal.bfs import bfs
from reedsp.algorithms.traversal.bfs import planned as planned_levels
from reedsp.algorithms.traversal.bfs import rows_at_once as levels_at_once
from reedsp.arithmetic.paths import bound_of, choose_arithmetic
from reedsp.cost_model import choose, contraction, counts, families, searches, sharing
from reedsp.cost_model.estimate import Estimate
from reedsp.device.device import Device
from reedsp.device.discovery import get_device
from reedsp.graph.arguments import as_graph, source_argument, vertices_argument
from reedsp.graph.graph import Graph
from reedsp.system.files.rows_path import free_path
from reedsp.system.options import check_choice, flag, integer
from reedsp.system.progress_bar import may_be_silent, search_bar
from reedsp.typing import EstimatedFunction, GraphLike

_MEASURED, _ASSUMED = 2.0, 4.0
"""Factors that a call is within: by parameters that were measured, and by those of a family."""
_SUMS = 2.0
"""The factor that searches whose distances are added up are within beside that of the machine."""
_OF_PREPARED = ("graph", "source", "dtype")  # what sssp asks of a graph that is prepared
_DISK = 5e8  # bytes a second
_LOOK = 1e-4  # seconds in which the host has found what lies within a cutoff, where that is next to nothing
_MOST_WORKERS = 1 << 20
_PART_OF_MEMORY = 0.8  # of a device that a matrix on the host passes through


def estimate(
    graph: GraphLike | Prepared,
    function: EstimatedFunction = "apsp",
    /,
    *args: Any,
    workers: int | None = None,
    **arguments: Any,
) -> Estimate:
    """Say what a call will take before it is made.

    Nothing is solved. The figures are those of a model (docs/reference/cost-model.md) whose parameters
    ``reedsp calibrate`` measures; until then those of similar devices are taken.

    Parameters
    ----------
    graph : Graph, scipy sparse matrix, dense array, networkx graph or PreparedGraph
        As for the function.
    function : {"apsp", "sssp", "bfs", "distance_statistics"}
    *args, **arguments
        What the function would be given beside the graph.
    workers : int, optional
        Of a cluster (:class:`reedsp.cluster.Cluster`), each with a device like this one: its method is called, and
        `out` is a path, of "apsp" also an array, or None for rows that stay on the workers.

    Returns
    -------
    Estimate

    Raises
    ------
    ValueError, TypeError
        The graph or an argument is wrong; the message names it.
    OverflowError
        No matrix holds the path weights that are possible, and the method needs one.
    DeviceError
        There is no usable device, where the call itself would need one.

    Examples
    --------
    >>> import reedsp
    >>> graph = reedsp.Graph.from_edges(3, [0, 1, 2], [1, 2, 0], [7, 2, 1])
    >>> reedsp.estimate(graph, "apsp", method="johnson").method
    'johnson'
    >>> reedsp.estimate(graph, "sssp", source=0).host_bytes
    36
    """
    check_choice("function", function, _FUNCTIONS)
    estimated = _FUNCTIONS[function]
    out = None if workers is None else arguments.pop("out", None)
    given = inspect.signature(estimated.function).bind(graph, *args, **arguments).arguments
    progress = given.pop("progress", None)
    search_bar(1, "steps", progress)  # refuses what is no progress
    if workers is None:
        return estimated.alone(given, may_be_silent(progress))
    count = integer(workers, "workers")
    if count < 1:
        raise ValueError(f"workers = {count}, expected at least 1")
    if count > _MOST_WORKERS:
        raise ValueError(f"workers: expected at most {_MOST_WORKERS:,}")
    if isinstance(graph, Prepared):
        raise TypeError(f"workers: the graph is prepared on {graph.device}, and cannot be asked on a cluster")
    out = given.pop("out", out)
    return estimated.shared(given, count, out)


# ---- all pairs --------------------------------------------------------------------------------------


def _of_all_pairs(arguments: Mapping[str, Any], most_spans: int = 0) -> Estimate:
    """Return what a call takes, where strips travel that have at most some spans, or as it likes."""
    plan = planned(**arguments)
    task, n = plan.task, plan.task.graph.n
    if n == 0:
        return Estimate(plan.method, 0.0, 0.0, 0.0, 0, 0, 0, plan.because)
    if plan.method != choose.SEARCHES and task.weights is None:
        raise beyond_types(task.graph)
    known, pairs, expected = plan.known, plan.pairs, plan.expected
    answer, matrix = n * n * (task.result.itemsize + 4 * task.predecessors), n * n * counts.SIZES[pairs.matrix]
    searches_bytes = plan.method == choose.SEARCHES
    device_bytes = counts.bytes_of_searches(pairs, known) if searches_bytes else counts.bytes_of_matrix(pairs)
    if plan.method == "min-plus":
        device_bytes += matrix  # a product is not written over what it is made of
    in_files = task.target is not None
    if task.on_host:
        if task.memory_limit is not None and task.weights is not None:  # one that is too small is refused
            make_plan(n, task.weights, task.devices, task.memory_limit, None, most_spans=1 if in_files else most_spans)
        device_bytes = min(device_bytes, task.memory_limit or int(_PART_OF_MEMORY * task.devices[0].global_memory))
    host_bytes = 0 if in_files else answer + matrix * task.on_host
    disk_bytes = matrix + max(answer, counts.bytes_of_pass(pairs)) if in_files else 0
    seconds = expected.seconds + disk_bytes / _DISK
    return _within(plan.method, seconds, expected.factor, known, device_bytes, host_bytes, disk_bytes, plan.because)


# ---- searches ---------------------------------------------------------------------------------------


def _of_searches(arguments: Mapping[str, Any], may_be_host: bool = True) -> Estimate:
    device, given = arguments.get("device"), {name: value for name, value in arguments.items() if name != "device"}
    where, given["graph"] = accepted(given["graph"])
    asked, method = checked(**given), given.get("method", "auto")
    graph, result = asked.graph, asked.result
    starts = [asked.sources] if given.get("min_only") else [[each] for each in asked.sources]
    if isinstance(where, Prepared):
        check_prepared(where, **{name: arguments[name] for name in arguments if name not in _OF_PREPARED})
        searched = searched_for(graph, starts, asked.arithmetic, result)
        return _of_prepared_searches(where, searched, len(starts) * graph.n * (result.itemsize + 4))
    how = {"min_only": bool(given.get("min_only")), "may_be_host": may_be_host}
    plan = planned_search(asked, starts, None if device is None else get_device(device), method, **how)
    answer = graph.n * (len(starts) * (result.itemsize + 4) + 4 * how["min_only"])
    choice = plan.choice
    if plan.device is None:
        return _within(choice.methods[0], choice.seconds, 1.0, None, 0, answer, 0, choice.because)
    known = families.known(plan.device)
    searched = searched_for(asked.graph, starts, asked.arithmetic, result)
    factor = searches.METHODS[choice.methods[0]](searched, known)[1]
    at_once = rows_at_once(choice.methods[0], plan.device, asked.arithmetic, searched.n)
    sizes = searches.bytes_of(searched, known, at_once), answer
    found = _within(choice.methods[0], choice.seconds, factor, known, *sizes, 0, choice.because)
    if plan.may_be_near and bound_of(given.get("cutoff"), asked.arithmetic) is not None:
        because = f"{choice.because}; the host looks first whether little lies within the cutoff"
        return replace(found, low=min(found.low, _LOOK), because=because)
    return found


def _of_levels(arguments: Mapping[str, Any], may_be_host: bool = True) -> Estimate:
    plan = planned_levels(**arguments, may_be_host=may_be_host)
    graph, rows, choice = plan.graph, len(plan.sources), plan.choice
    answer = 8 * rows * graph.n
    if plan.device is None:
        return _within(choice.methods[0], choice.seconds, 1.0, None, 0, answer, 0, choice.because)
    known = families.known(plan.device)
    factor = searches.breadth_first(plan.searched, known)[1]
    at_once = levels_at_once(choice.methods[0], plan.device, graph.n)
    sizes = searches.bytes_of_levels(plan.searched, at_once), answer
    return _within(choice.methods[0], choice.seconds, factor, known, *sizes, 0, choice.because)


def _within(
    method: str,
    seconds: float,
    factor: float,
    known: families.Known | None,
    device_bytes: int,
    host_bytes: int,
    disk_bytes: int,
    because: str,
) -> Estimate:
    """Return an estimate, whose limits are the farther away, the less sure its parameters and counts are."""
    width = factor * (_MEASURED if known is None or known.was_measured else _ASSUMED)
    return Estimate(method, seconds, seconds / width, seconds * width, device_bytes, host_bytes, disk_bytes, because)


def _of_statistics(arguments: Mapping[str, Any], may_be_host: bool = True) -> Estimate:
    asked, graph = accepted(arguments["graph"])
    sources, device = arguments.get("sources"), arguments.get("device")
    rows = graph.n if sources is None else len(vertices_argument(graph, sources, "sources"))
    question = statistics.question_of(
        graph, flag(arguments.get("unweighted", False), "unweighted"), arguments.get("dtype")
    )
    devices = statistics.devices_of(asked, device)
    share = statistics.share_of(rows, devices)
    choice, chosen, searched = statistics.expected(question, asked, share, devices[0], may_be_host=may_be_host)
    answer = rows * (2 * 8 + question.result.itemsize)
    if chosen is None:
        return _within(choice.methods[0], choice.seconds, 1.0, None, 0, answer, 0, choice.because)
    known = families.known(chosen)
    method = choice.methods[0]
    if question.unweighted:
        device_bytes = searches.bytes_of_levels(searched, levels_at_once(method, chosen, graph.n))
    elif method == statistics.PREPARED:
        device_bytes = _bytes_of_prepared(chosen, searched)
    else:
        by = "near-far" if method == statistics.JOHNSON else method
        at_once = rows_at_once(by, chosen, choose_arithmetic(graph, question.result), searched.n)
        device_bytes = searches.bytes_of(searched, known, at_once)
    return _within(choice.methods[0], choice.seconds, _SUMS, known, device_bytes, answer, 0, choice.because)


def _of_prepared_searches(prepared: Prepared, searched: searches.Searches, answer: int) -> Estimate:
    known = families.known(prepared.device)
    seconds, size = contraction.swept(searched, known), _bytes_of_prepared(prepared.device, searched)
    return _within(statistics.PREPARED, seconds, _SUMS, known, size, answer, 0, statistics.GIVEN)


def _bytes_of_prepared(device: Device, searched: searches.Searches) -> int:
    return contraction.bytes_of(searched, prepared_at_once(device, searched.n * counts.SIZES[searched.arithmetic]))


# ---- over workers -----------------------------------------------------------------------------------


def _of_shared_pairs(arguments: Mapping[str, Any], workers: int, out: Any) -> Estimate:
    graph, device = as_graph(arguments["graph"]), arguments.get("device")
    asked = {name: each for name, each in arguments.items() if name != "device"} | {"graph": graph, "out": out}
    in_files, n = checked_for_workers(**asked).target is not None, graph.n
    given = {**asked, "out": None if in_files else out, "device": None if device is None else get_device(device)}
    alone = _of_all_pairs(given, sharing.spans_of_strip(n, counts.SPAN, workers))
    plan = planned(**given)
    pairs = plan.pairs
    if n == 0:
        return alone
    if plan.method == choose.SEARCHES:
        most = sharing.ROW_BYTES_GPU if plan.task.devices[0].kind == "gpu" else sharing.ROW_BYTES
        sizes = n, n * plan.task.result.itemsize, _bytes_sent(graph), workers, most
        shared = sharing.searches(*sizes, lambda rows: alone.seconds * rows / n)
    else:
        shared = sharing.strips(n, counts.SIZES[pairs.matrix], counts.SPAN, workers, alone.seconds)
    return _shared(alone, shared, workers, alone.host_bytes, in_files)


def _of_shared_searches(
    found: Callable[[Mapping[str, Any]], Estimate], arguments: Mapping[str, Any], workers: int, out: Any
) -> Estimate:
    if arguments.get("min_only"):
        raise ValueError("min_only: workers find the distances from each source")
    if arguments.get("target") is not None:
        raise TypeError("target: workers find the distances to all vertices")
    if out is not None:
        free_path(out)
    graph = as_graph(arguments["graph"])
    sources, _ = source_argument(graph, arguments["source"])
    device = get_device(arguments.get("device"))
    given = {**arguments, "graph": graph, "device": device}
    alone = found(given)
    if not sources:
        return alone
    most = sharing.ROW_BYTES_GPU if device.kind == "gpu" else sharing.ROW_BYTES
    names = [graph.names[each] for each in sources]
    answer = alone.host_bytes - 4 * len(sources) * graph.n  # without trees
    sizes = len(sources), answer // len(sources), _bytes_sent(graph), workers, most
    shared = sharing.searches(*sizes, lambda rows: found({**given, "source": names[:rows]}).seconds)
    return _shared(alone, shared, workers, answer, out is not None)


def _of_shared_statistics(arguments: Mapping[str, Any], workers: int, out: Any) -> Estimate:
    if out is not None:
        raise TypeError("out: there are no rows to be written")
    graph, device = as_graph(arguments["graph"]), get_device(arguments.get("device"))
    sources = arguments.get("sources")
    given = {**arguments, "graph": graph, "device": device}
    alone = _of_statistics(given)
    names = graph.names if sources is None else list(sources)
    if not names:
        return alone
    most = sharing.ADDED * (sharing.ROW_BYTES_GPU if device.kind == "gpu" else sharing.ROW_BYTES)
    sizes = len(names), graph.n * 8, _bytes_sent(graph), workers, most
    shared = sharing.searches(*sizes, lambda rows: _of_statistics({**given, "sources": names[:rows]}).seconds)
    return _shared(alone, shared, workers, alone.host_bytes, False)


def _shared(alone: Estimate, shared: sharing.Shared, workers: int, answer: int, in_files: bool) -> Estimate:
    """Return what workers take, given what one device does; how they are connected is not known."""
    seconds = shared.seconds + answer * in_files / _DISK
    low, high = seconds * alone.low / alone.seconds / _ASSUMED, seconds * alone.high / alone.seconds * _ASSUMED
    because = f"{alone.because}; {workers} workers share out {shared.tasks:,} tasks"
    sizes = alone.device_bytes, 0 if in_files else answer, answer if in_files else 0
    return Estimate(alone.method, seconds, low, high, *sizes, because)


def _bytes_sent(graph: Graph) -> int:
    """Return the bytes of a graph on its way to workers, at most."""
    return graph.m * (4 + graph.weight_dtype.itemsize) + 4 * graph.n


class _Estimated(NamedTuple):
    """A function, and what says how long it takes: alone, where the host may do it or not, and over workers."""

    function: Callable[..., Any]
    alone: Callable[[Mapping[str, Any], bool], Estimate]
    shared: Callable[[Mapping[str, Any], int, Any], Estimate]


_FUNCTIONS: dict[str, _Estimated] = {
    "apsp": _Estimated(apsp, lambda given, _: _of_all_pairs(given), _of_shared_pairs),
    "sssp": _Estimated(sssp, _of_searches, partial(_of_shared_searches, _of_searches)),
    "bfs": _Estimated(bfs, _of_levels, partial(_of_shared_searches, _of_levels)),
    "distance_statistics": _Estimated(statistics.distance_statistics, _of_statistics, _of_shared_statistics),
}
