"""What the distances from vertices amount to, added up where they are found: rows of distances do not travel."""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.algorithms.contraction.automatic import prepare_for_several, prepared_for
from reedsp.algorithms.routes.rows import MEMORY_LIMIT, Searched, row_blocks
from reedsp.algorithms.rows import Prepared, accepted, check_device
from reedsp.algorithms.single_source.sssp import planned_statistics as planned_distances
from reedsp.algorithms.single_source.sssp import searched_for
from reedsp.algorithms.single_source.sssp import statistics_from as distances_from
from reedsp.algorithms.traversal.bfs import planned_statistics as planned_levels
from reedsp.algorithms.traversal.bfs import statistics_from as levels_from
from reedsp.arithmetic.paths import Arithmetic, choose_arithmetic, result_dtype, to_result
from reedsp.arithmetic.types import infinity
from reedsp.cost_model import contraction, families, sharing
from reedsp.cost_model.choose_search import NEAR_FAR, Choice, seconds_on
from reedsp.cost_model.searches import Searches
from reedsp.device.device import Device, different
from reedsp.device.discovery import get_device, get_devices
from reedsp.device.job import Job
from reedsp.edges.statistics import Measured, RowStatistics, add_up_on_host, adds_up
from reedsp.graph.arguments import vertices_argument
from reedsp.graph.graph import Graph
from reedsp.results.statistics import DistanceStatistics
from reedsp.system.elsewhere import Elsewhere
from reedsp.system.options import flag
from reedsp.system.progress_bar import Report, announce_long, may_be_silent, report_done, search_bar
from reedsp.system.threads import at_once
from reedsp.typing import DistanceType, GraphLike, Vertices


def distance_statistics(
    graph: GraphLike | Prepared,
    sources: Vertices | None = None,
    *,
    unweighted: bool = False,
    dtype: DistanceType | None = None,
    device: Device | Elsewhere | int | str | Sequence[Device | int | str] | None = None,
    progress: Callable[[int, int], None] | bool | None = None,
) -> DistanceStatistics:
    """Find how many vertices each source reaches, how far the farthest is, and the sum of the distances.

    These are what eccentricities, diameters, closeness and mean distances are made of. Distances are added up on the
    device that finds them, so that none of them is copied or kept.

    Parameters
    ----------
    graph : Graph, scipy sparse matrix, dense array, networkx graph or PreparedGraph
        As for :func:`reedsp.sssp`. Weights may be negative.
    sources : sequence of int or of other names, optional
        Vertices where the paths start; all of them by default.
    unweighted : bool
        Count edges in place of weights, as :func:`reedsp.bfs` does. Eccentricities are of int32 then.
    dtype : {None, "float64", "float32", "int64", "int32"}
        Type of the eccentricities, as for the distances of :func:`reedsp.sssp`.
    device : Device, int or str, a sequence of these, or cluster, optional
        As for :func:`reedsp.sssp`. Several devices share the sources, and so do the workers of a
        :class:`reedsp.cluster.Cluster`.
    progress : bool or callable(done, most), optional
        As for :func:`reedsp.sssp`: with how many sources are done, and how many there are.

    Returns
    -------
    DistanceStatistics

    Raises
    ------
    NegativeCycleError
        There is a negative cycle; if weights are fractional, one that can be reached from a source.
    OverflowError
        A distance is beyond int64 or the integer `dtype`, or the sum of those from a source is beyond int64, or beyond
        float64; or weights are negative, and those of Johnson's method, with potentials, are beyond int64.
    ValueError, TypeError, DeviceError, DeviceMemoryError
        As for :func:`reedsp.sssp`.

    Notes
    -----
    Integers are added up exactly. Sums of fractional distances are of float64, rounded in one order, which does not
    depend on the device.

    From very many sources of a graph like a road network, a CPU device prepares it first, as by :func:`reedsp.prepare`.

    Examples
    --------
    >>> import reedsp
    >>> graph = reedsp.Graph.from_edges(4, [0, 1, 2, 3], [1, 2, 3, 0], [1, 2, 3, 4])
    >>> found = reedsp.distance_statistics(graph)
    >>> float(found.eccentricity.max()), float(found.farness.sum()) / (4 * 3)
    (9.0, 5.0)
    """
    asked, graph = accepted(graph)
    starts = np.arange(graph.n) if sources is None else vertices_argument(graph, sources, "sources")
    question = question_of(graph, flag(unweighted, "unweighted"), dtype)
    if isinstance(device, Elsewhere):
        if isinstance(asked, Prepared):
            check_device(asked, device)  # which refuses it
        return question.answer(starts, device.answer("distance_statistics", question, starts, progress=progress))
    devices = devices_of(asked, device)
    seconds, may_be_host = None, may_be_silent(progress)
    if not may_be_host and not isinstance(asked, Prepared):
        devices = [get_device(each) for each in devices]  # even if no bar is shown
    if len(starts) > 1 and len(starts) * (graph.n + graph.m) >= _LONG:
        rows = share_of(len(starts), devices)
        choice, _, _ = expected(question, asked, rows, devices[0], may_be_host=may_be_host)
        seconds = choice.seconds
        if progress is None:
            announce_long("distance_statistics", seconds, choice.methods[0])
    with search_bar(len(starts), "searches", progress, expected=seconds) as report:
        if len(devices) > 1 and len(starts) > 0:
            measured = _on_several(question, starts, devices, report)
        else:
            measured = measured_on(question, asked, starts, devices[0], report)
    return question.answer(starts, measured)


@dataclass(frozen=True)
class Question:
    """What statistics are asked for.

    Attributes
    ----------
    graph : Graph
    result : dtype
        Of eccentricities: decides in which arithmetic distances are found.
    unweighted : bool
    """

    graph: Graph
    result: np.dtype[Any]
    unweighted: bool

    @property
    def found(self) -> np.dtype[Any]:
        """The type in which distances are found."""
        return self.result if self.unweighted else choose_arithmetic(self.graph, self.result).dtype

    def answer(self, sources: npt.NDArray[np.intp], measured: Measured) -> DistanceStatistics:
        """Return what was measured as users read it."""
        rows, names = measured.rows, self.graph.names
        farthest = rows.farthest
        if farthest.dtype != self.result:
            farthest = to_result(farthest, Arithmetic(farthest.dtype), self.result)
        named = [names[each] for each in sources.tolist()]
        stats = {"chosen_because": measured.because, "kernels_launched": measured.kernels_launched}
        found = rows.reached, farthest, rows.total
        return DistanceStatistics(self.graph, named, *found, measured.method, measured.device, stats)


def question_of(graph: Graph, unweighted: bool, dtype: DistanceType | None) -> Question:
    """Return what these arguments of :func:`distance_statistics` ask."""
    if unweighted and dtype is not None:
        raise ValueError(f"dtype = {dtype!r}: numbers of edges are of int32")
    return Question(graph, np.dtype(np.int32) if unweighted else result_dtype(dtype, graph), unweighted)


def devices_of(
    asked: Graph | Prepared, device: Device | int | str | Sequence[Device | int | str] | None
) -> Sequence[Device | None]:
    """Return the devices that are named, or None for that which is chosen, or that where a graph is prepared.

    Raises
    ------
    ValueError
        The graph is prepared elsewhere.
    """
    devices = [None] if device is None else get_devices(device)
    if isinstance(asked, Prepared):
        if len(devices) > 1:
            raise ValueError(f"device: the graph is prepared on {asked.device}, and not on several devices")
        check_device(asked, devices[0] if isinstance(device, Sequence) and not isinstance(device, str) else device)
    return devices


def share_of(rows: int, devices: Sequence[Device | None]) -> int:
    """Return how many searches each of several devices begins at most, of which one may be named twice."""
    return -(-rows // max(1, different(each for each in devices if each is not None)))


def expected(
    question: Question, asked: Graph | Prepared, rows: int, device: Device | None, *, may_be_host: bool = True
) -> tuple[Choice, Device | None, Searches]:
    """Return how :func:`measured_on` does it, and in which time; where, None being the host; and what it searches.

    Parameters
    ----------
    question, asked, device
        As for :func:`measured_on`.
    rows : int
        Number of sources.
    may_be_host : bool
        Whether the host may do it, which does not report on the way.
    """
    graph, result = question.graph, question.result
    prepared = asked if isinstance(asked, Prepared) else None
    named = device if prepared is None else prepared.device
    if question.unweighted:
        levels = planned_levels(graph, range(rows), named, may_be_host=may_be_host)
        return levels.choice, levels.device, levels.searched
    starts = [[0]] * rows
    searched = searched_for(graph, starts, choose_arithmetic(graph, result), result, stays=True)
    plan = planned_distances(graph, starts, result, named, may_be_host=may_be_host)
    chosen = get_device() if graph.has_negative_weights and plan.device is None else plan.device
    if chosen is None:
        return plan.choice, None, searched
    known = families.known(chosen)
    if prepared is not None:
        choice = Choice((PREPARED,), GIVEN, contraction.swept(searched, known))
    elif graph.has_negative_weights:
        if not graph.has_integral_weights:
            return plan.choice, chosen, searched
        seconds = seconds_on(searched._replace(stays=False), known, NEAR_FAR)
        choice = Choice((JOHNSON,), _POTENTIALS, seconds)
    elif contraction.may_pay(graph.n, graph.m, rows) and contraction.pays(searched._replace(stays=False), known):
        seconds = contraction.contracting(graph.m, known) + contraction.swept(searched, known)
        choice = Choice((PREPARED,), _PAYS, seconds)
    else:
        choice = plan.choice
    return choice, chosen, searched


def measured_on(
    question: Question,
    asked: Graph | Prepared,
    sources: npt.NDArray[np.intp],
    device: Device | None = None,
    progress: Report | None = None,
) -> Measured:
    """Return statistics of the rows from some vertices.

    Parameters
    ----------
    question : Question
    asked : Graph or Prepared
        Its graph, or that prepared.
    sources : ndarray of intp
    device : Device, optional
        None for that which is chosen, or that where the graph is prepared.
    progress : callable(done, most), optional
    """
    graph, result = question.graph, question.result
    if question.unweighted:
        chosen = asked.device if isinstance(asked, Prepared) else device
        return levels_from(graph, sources.tolist(), chosen, progress)
    prepared = asked if isinstance(asked, Prepared) else None
    if prepared is None and not (graph.has_negative_weights and len(sources)):
        prepared = prepared_for(graph, device, len(sources), result)
        if prepared is None:
            return distances_from(graph, sources.tolist(), result, device, progress)
    if prepared is not None:
        how = PREPARED, GIVEN if prepared is asked else _PAYS
    elif graph.has_integral_weights:
        how = JOHNSON, _POTENTIALS
    else:
        choice = planned_distances(graph, [[each] for each in sources.tolist()], result, get_device(device)).choice
        how = choice.methods[0], choice.because
    if prepared is not None and adds_up(prepared.device, choose_arithmetic(graph, result)):
        job = Job(prepared.device, recycle=True)
        rows = prepared._statistics(sources.tolist(), result, job, progress)
        return Measured(rows, str(prepared.device), *how, job.kernels_launched)
    searched = Searched(graph, get_device(device)) if prepared is None else prepared
    return _of_blocks(question, searched, sources, how, progress)


def _of_blocks(
    question: Question,
    searched: Searched | Prepared,
    sources: npt.NDArray[np.intp],
    how: tuple[str, str],
    progress: Report | None,
) -> Measured:
    """Return the same of rows that are copied to the host, block by block; `how` is the method, and why that one."""
    found = np.dtype(np.int64) if question.found.kind == "i" else question.result
    rows = RowStatistics.empty(len(sources), found, [searched.graph.names[each] for each in sources.tolist()])
    job, done = Job(searched.device, recycle=True), 0
    for block, dist in row_blocks(searched, sources, found, MEMORY_LIMIT, job=job):
        add_up_on_host(dist, rows.part(slice(done, done + len(block))), infinity(found))
        done += len(block)
        report_done(progress, done, len(sources))
    return Measured(rows, str(searched.device), *how, job.kernels_launched)


_LONG = 10**6  # vertices and edges of all rows: with fewer no call takes so long that it is worth it to ask how long
PREPARED, JOHNSON = "contraction-hierarchy", "johnson"
"""How distances are found by way of a graph that is prepared, and of one that has negative weights."""
GIVEN, _PAYS = "the graph was prepared", "it pays to prepare the graph"
"""Why they are found there."""
_POTENTIALS = "potentials make negative weights positive"


class _StoppedError(Exception):
    """Another device has failed, or the caller was interrupted."""


def _on_several(
    question: Question,
    sources: npt.NDArray[np.intp],
    named: Sequence[Device | None],
    progress: Report | None,
) -> Measured:
    """Return the same, found by several devices, each of which takes the next sources when it has time."""
    devices, graph, count = [get_device(each) for each in named], question.graph, len(sources)
    if not question.unweighted and not graph.has_negative_weights:
        prepare_for_several(graph, devices, count, question.result)
    are_alike = len({(each.name, each.platform) for each in devices}) == 1
    parts = len(devices) * (1 if are_alike else sharing.PARTS)
    step = max(1, -(-count // parts))
    left: deque[int] = deque(range(0, count, step))
    stopped: list[bool] = []
    found: dict[int, Measured] = {}
    done = dict.fromkeys(left, 0)

    def look(first: int, some: int, most: int) -> None:
        if stopped:
            raise _StoppedError
        done[first] = some

    def work(device: Device) -> None:
        with contextlib.suppress(IndexError):
            while True:
                first = left.popleft()
                part = sources[first : first + step]
                found[first] = measured_on(question, graph, part, device, partial(look, first))
                done[first] = len(part)

    def stop() -> None:
        left.clear()
        stopped.append(True)

    def report() -> None:
        report_done(progress, sum(done.values()), count)

    at_once([partial(work, device) for device in devices], stop, report)
    return Measured.joined([found[first] for first in sorted(found)], question.found)
