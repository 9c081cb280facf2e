"""What a call of another function will take, without solving anything."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from reedsp.algorithms.all_pairs.apsp import planned
from reedsp.algorithms.single_source.sssp import checked, searched_for, sssp
from reedsp.algorithms.single_source.sssp import planned as planned_search
from reedsp.algorithms.traversal.bfs import bfs
from reedsp.algorithms.traversal.bfs import planned as planned_levels
from reedsp.cost_model import choose, counts, families, searches
from reedsp.cost_model.estimate import Estimate
from reedsp.device.discovery import get_device
from reedsp.system.options import check_choice
from reedsp.typing import EstimatedFunction, GraphLike

_MEASURED, _ASSUMED = 2.0, 4.0
"""Factors that a call is within: by parameters that were measured, and by those of a family."""
_DISK = 5e8  # bytes a second
_PART_OF_MEMORY = 0.8  # of a device that a matrix on the host passes through


def estimate(graph: GraphLike, function: EstimatedFunction = "apsp", /, *args: Any, **arguments: Any) -> Estimate:
    """Say what a call will take before it is made.

    Nothing is solved. The figures are those of a model (docs/reference/cost-model.md) whose parameters
    ``reedsp calibrate`` measures; until then those of similar devices are taken.

    Parameters
    ----------
    graph : Graph, scipy sparse matrix, dense array or networkx graph
        As for the function.
    function : {"apsp", "sssp", "bfs"}
    *args, **arguments
        What the function would be given beside the graph; `progress` by its name, if at all.

    Returns
    -------
    Estimate

    Raises
    ------
    ValueError, TypeError
        The graph or an argument is wrong; the message names it.
    DeviceError
        There is no usable device.

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
    called, found = _FUNCTIONS[function]
    arguments.pop("progress", None)
    return found(inspect.signature(called).bind(graph, *args, **arguments).arguments)


# ---- all pairs --------------------------------------------------------------------------------------


def _of_all_pairs(arguments: Mapping[str, Any]) -> Estimate:
    plan = planned(**arguments)
    task, n = plan.task, plan.task.graph.n
    if n == 0:
        return Estimate(plan.method, 0.0, 0.0, 0.0, 0, 0, 0, plan.because)
    known, pairs, expected = plan.known, plan.pairs, plan.expected
    answer, matrix = n * n * (task.result.itemsize + 4 * task.predecessors), n * n * counts.SIZES[pairs.matrix]
    searches_bytes = plan.method == choose.SEARCHES
    device_bytes = counts.bytes_of_searches(pairs, known) if searches_bytes else counts.bytes_of_matrix(pairs)
    if task.on_host:
        device_bytes = min(device_bytes, task.memory_limit or int(_PART_OF_MEMORY * task.devices[0].global_memory))
    in_files = task.target is not None
    host_bytes = 0 if in_files else answer + matrix * task.on_host
    disk_bytes = answer + matrix if in_files else 0
    seconds = expected.seconds + disk_bytes / _DISK
    return _within(plan.method, seconds, expected.factor, known, device_bytes, host_bytes, disk_bytes, plan.because)


# ---- searches ---------------------------------------------------------------------------------------


def _of_searches(arguments: Mapping[str, Any]) -> Estimate:
    device, given = arguments.get("device"), {name: value for name, value in arguments.items() if name != "device"}
    asked, method = checked(**given), given.get("method", "auto")
    graph, result = asked.graph, asked.result
    starts = [asked.sources] if given.get("min_only") else [[each] for each in asked.sources]
    default = get_device(device)  # which the call will know then
    plan = planned_search(
        asked, starts, None if device is None else default, method, min_only=bool(given.get("min_only"))
    )
    answer = len(starts) * graph.n * (result.itemsize + 4)
    choice = plan.choice
    if plan.device is None:
        return _within(choice.methods[0], choice.seconds, 1.0, None, 0, answer, 0, choice.because)
    known = families.known(plan.device)
    searched = searched_for(asked.graph, starts, asked.arithmetic, result)
    factor = searches.METHODS[choice.methods[0]](searched, known)[1]
    sizes = searches.bytes_of(searched, known), answer
    return _within(choice.methods[0], choice.seconds, factor, known, *sizes, 0, choice.because)


def _of_levels(arguments: Mapping[str, Any]) -> Estimate:
    get_device(arguments.get("device"))
    plan = planned_levels(**arguments)
    graph, rows, choice = plan.graph, len(plan.sources), plan.choice
    answer = 8 * rows * graph.n
    if plan.device is None:
        return _within(choice.methods[0], choice.seconds, 1.0, None, 0, answer, 0, choice.because)
    known = families.known(plan.device)
    factor = searches.breadth_first(plan.searched, known)[1]
    sizes = searches.bytes_of(plan.searched, known), answer
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


_FUNCTIONS: dict[str, tuple[Callable[..., Any], Callable[[Mapping[str, Any]], Estimate]]] = {
    "apsp": (planned, _of_all_pairs),
    "sssp": (sssp, _of_searches),
    "bfs": (bfs, _of_levels),
}
