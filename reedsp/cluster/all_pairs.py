"""Shortest paths between all pairs over workers: Johnson's searches by rows, and Floyd-Warshall by strips of rows."""

from __future__ import annotations

import contextlib
import functools
import os
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from reedsp.algorithms.all_pairs.for_workers import checked
from reedsp.algorithms.all_pairs.path_matrix import one_of_each
from reedsp.algorithms.all_pairs.trees import slack_of
from reedsp.arithmetic.matrix import Weights
from reedsp.arithmetic.types import InexactError
from reedsp.cluster import answers, strips
from reedsp.cluster.answers import Look, Marks, Wanted
from reedsp.cluster.engines.engine import Engine, Future, Rows
from reedsp.cluster.engines.job import Task, run
from reedsp.cluster.floyd_warshall import Held, relax_all
from reedsp.cluster.output import Output
from reedsp.cluster.plan import parts
from reedsp.cluster.question import Question
from reedsp.cluster.strips import Strips
from reedsp.cluster.work_folder import WorkFolder
from reedsp.cluster.worker.published import Published
from reedsp.cost_model import choose, sharing
from reedsp.cost_model.counts import SPAN
from reedsp.device.errors import DeviceMemoryError
from reedsp.edges.negative_cycle_error import NegativeCycleError
from reedsp.graph.arguments import as_graph
from reedsp.graph.graph import Graph
from reedsp.results.all_pairs import AllPairs
from reedsp.system.files.journal import Journal
from reedsp.system.files.journaled_folder import JOURNAL
from reedsp.system.files.own_folder import OwnFolder
from reedsp.system.files.rows_path import partial
from reedsp.system.phases import Phases
from reedsp.system.progress_bar import vertices_bar
from reedsp.typing import AllPairsMethod, AllPairsOptions, Distances, DistanceType, GraphLike, NegativeCycles

Progress = Callable[[int, int], None] | None
Array = Callable[[Sequence[Rows], tuple[int, int], np.dtype[Any], int], Any]
"""Makes an array of its shape and type of some rows each of an item of what futures stand for."""


class Cluster(Protocol):
    """What is needed of a cluster."""

    @property
    def engine(self) -> Engine:
        """What runs tasks."""

    def _used(self, graph: Graph) -> contextlib.AbstractContextManager[Published]:
        """Have workers find a graph, in this context."""


@dataclass(frozen=True)
class Solved:
    """Distances and predecessors, in files or as futures of some rows.

    Attributes
    ----------
    method, because : str
        Which method was taken, and why.
    outputs : dict of str to Output
        "dist" and, if wanted, "pred", where they were asked for.
    rows : list of Rows
        Of what will be distances and predecessors, if no files were asked for, in their order.
    """

    method: str
    because: str
    outputs: dict[str, Output]
    rows: list[Rows]

    def arrays(
        self, question: Question, place: npt.NDArray[Any] | None = None, array: Array | None = None
    ) -> tuple[npt.NDArray[Any], npt.NDArray[np.int32] | None]:
        """Return distances and predecessors.

        They are in files; or in the memory of this process, perhaps in a given place; or stay where they are, as what
        makes an array of futures has them.
        """
        if self.outputs:
            return self.outputs["dist"].opened(), self.outputs["pred"].opened() if question.predecessors else None
        shape = question.graph.n, question.graph.n
        if array is not None and place is None:
            trees = array(self.rows, shape, np.dtype(np.int32), 1) if question.predecessors else None
            return array(self.rows, shape, question.dtype, 0), trees
        dist = np.empty(shape, question.dtype) if place is None else place
        pred = np.empty(shape, np.int32) if question.predecessors else None
        for each in self.rows:
            some, trees = each.future.result()
            dist[each.place] = some[each.there]
            if pred is not None:
                pred[each.place] = trees[each.there]
        return dist, pred


def apsp(
    cluster: Cluster,
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
    array: Array | None = None,
) -> AllPairs:
    """Find shortest paths between all pairs over workers; arguments are those of :func:`reedsp.apsp`.

    With `array`, rows stay on workers unless there is an `out`, and it makes an array of them.
    """
    phases = Phases()
    graph = as_graph(graph)
    bar = vertices_bar("solving", progress)
    place = out if isinstance(out, np.ndarray) else None
    asked = checked(graph, method, predecessors, negative_cycles, out, dtype, memory_limit, options)  # type: ignore[arg-type]
    phases.begin("search")
    with cluster._used(graph) as reference:
        question = Question(**vars(asked), reference=reference)
        with bar as report:
            solved = solve(cluster.engine, question, report)
        phases.begin("download")
        dist, pred = solved.arrays(question, place, array)
    workers = cluster.engine.workers()
    spent = phases.milliseconds()
    device = f"{len(workers)} workers"
    stats = {"device": device, "workers": len(workers), "chosen_because": solved.because}
    stats |= {"milliseconds": sum(spent.values()), "phases": spent}
    return AllPairs(graph, dist, pred, solved.method, device, stats)


def solve(engine: Engine, question: Question, progress: Progress = None) -> Solved:
    """Solve shortest paths between all pairs over the workers of an engine.

    Parameters
    ----------
    engine : Engine
    question : Question
    progress : callable(vertices, n), optional

    Raises
    ------
    NegativeCycleError, OverflowError, ValueError, DeviceError
        As :func:`reedsp.apsp`.
    DeviceMemoryError
        The devices or the hosts have too little memory; nothing has been sent to them.
    FileExistsError, BlockingIOError, OSError
        The result cannot be written.
    """
    method, because = _chosen(engine, question)
    question = replace(question, method=method)
    solver = _by_searches if question.method == choose.SEARCHES else _by_matrix
    if question.graph.n == 0:
        solver = _of_no_vertices
    if question.target is None:
        return Solved(question.method, because, {}, solver(engine, question, None, progress))
    targets = question.targets
    with _opened(question) as folder:
        try:
            folder.refuse_taken(targets)
            question.refuse_stale_predecessors()
        except FileExistsError:
            if folder.rows is None:
                folder.remove()
            raise
        if not folder.is_complete:
            try:
                solver(engine, question, folder, progress)
            except (NegativeCycleError, OverflowError, InexactError):  # as the same call would end again
                folder.remove()
                raise
            except DeviceMemoryError:  # which other devices may have for what is begun
                if folder.rows is None:
                    folder.remove()
                raise
        outputs = question.outputs(folder)
        for output in outputs.values():
            output.tidy()
        folder.place(targets)
        folder.remove()
    return Solved(question.method, because, {name: outputs[name].at(targets[name]) for name in outputs}, [])


def _opened(question: Question) -> WorkFolder:
    """Return the folder of work in progress, which begins again if its results were deleted since."""
    assert question.target is not None
    folder = WorkFolder(partial(question.target), question.problem())
    if folder.has_lost(question.targets):
        folder.remove()
        folder = WorkFolder(partial(question.target), question.problem())
    return folder


def _chosen(engine: Engine, question: Question) -> tuple[str, str]:
    """Return the method that is taken, and why."""
    if question.method != "auto":
        return question.method, "it was asked for"
    if question.graph.n == 0:
        return choose.MATRIX, "there is nothing to solve"
    if question.memory_limit is not None:
        return choose.MATRIX, "memory_limit needs it"
    if question.options:
        return choose.MATRIX, f"{', '.join(question.options)} is an option of it"
    begun = _begun_with(question)
    if begun is not None:
        return begun, "what was begun goes on by it"
    options = {
        **{"predecessors": question.predecessors, "negative_cycles": question.negative_cycles},
        "dtype": str(question.dtype),
    }
    chosen: tuple[str, str] = _result(engine, answers.method_for, question.reference, options)
    return chosen


def _begun_with(question: Question) -> str | None:
    """Return the method by which an earlier call has begun the result, if one has; workers differ in what they take."""
    if question.target is None or not (place := partial(question.target)).is_dir():
        return None
    header: Any = None
    with contextlib.closing(OwnFolder(place)) as folder, contextlib.suppress(ValueError):  # which is refused later on
        header = next(iter(Journal(folder, JOURNAL).read()), None)
    method = header.get("method") if isinstance(header, dict) else None
    return method if method in (choose.MATRIX, choose.SEARCHES) else None


def _of_no_vertices(engine: Engine, question: Question, folder: WorkFolder | None, progress: Progress) -> list[Rows]:
    _begun(question, folder, 1)
    return []


# ---- by searches ------------------------------------------------------------------------------------


def _by_searches(engine: Engine, question: Question, folder: WorkFolder | None, progress: Progress) -> list[Rows]:
    n, workers = question.graph.n, len(engine.workers())
    if question.graph.has_negative_weights:
        _refuse_cycle(engine, question, np.dtype(np.int64))
    step = sharing.rows_of_task(n, workers, n * question.dtype.itemsize, engine.task_bytes)
    step, wanted = _begun(question, folder, step)
    name, method = uuid.uuid4().hex, question.options.get("search")
    tasks = []
    for first, last in parts(n, step):
        given = question.reference, first, last, wanted, name, method
        tasks.append(_task(question, (slice(first, last),), answers.search, given))
    return _collected(engine, question, folder, tasks, progress)


# ---- by a matrix ------------------------------------------------------------------------------------


def _by_matrix(engine: Engine, question: Question, folder: WorkFolder | None, progress: Progress) -> list[Rows]:
    graph, weights = question.graph, question.weights
    if weights is None:
        if graph.has_negative_weights:
            _refuse_cycle(engine, question, question.dtype)
        raise OverflowError(
            f"graph: path weights of up to {graph.simple_path_bound:.4g} are possible, which no type adds up; "
            "reedsp.sssp finds those from one vertex, as far as int64 or float64 holds them"
        )
    cycles = np.empty(0, np.intp)
    if weights.dtype.kind == "f" and graph.has_negative_weights:
        cycles = _result(engine, answers.float_cycles, question.reference, question.dtype)
        if len(cycles) and question.negative_cycles == "raise":
            _refuse_cycle(engine, question, question.dtype)
    cut = _cut(engine, question, weights, folder)
    _, wanted = _begun(question, folder, cut.rows)
    matrix = _Matrix(engine, question, *relax_all(engine, cut, folder, progress))
    cut = matrix.strips
    marks = _marks(matrix, cycles)
    edges = _tight_edges(matrix) if question.predecessors and not marks.useless else None
    most = 1 if folder is not None else _strips_of_task(engine, question, cut)  # what is written is noted one by one
    tasks = []
    for some in _answered_at_once(cut, most):
        tasks.append(matrix.task(some, answers.answer, some, matrix.held(some[0]), wanted, marks, edges))
    return _collected(engine, question, folder, tasks, None)


def _strips_of_task(engine: Engine, question: Question, cut: Strips) -> int:
    """Return for how many strips a task answers whose answer stays on its worker, or is sent."""
    row_bytes = cut.n * (question.dtype.itemsize + 4 * question.predecessors)
    return max(1, engine.task_bytes // (cut.rows * row_bytes))


def _answered_at_once(cut: Strips, most: int) -> Iterator[range]:
    """Yield up to so many strips at a time, each time of the next share, as these are on different workers."""
    for first in range(0, len(cut.of_share(0)), most):
        for share in range(cut.shares):
            some = cut.of_share(share)[first : first + most]
            if some:
                yield some


def _cut(engine: Engine, question: Question, weights: Weights, folder: WorkFolder | None) -> Strips:
    """Return the matrix in strips for which every device has memory, and all hosts together.

    Raises
    ------
    DeviceMemoryError
        One has not.
    """
    n, workers = question.graph.n, engine.workers()
    begun = 0 if folder is None or folder.rows is None else -(-folder.rows // SPAN)
    most = begun or sharing.spans_of_strip(n, SPAN, len(workers))
    shares = max(1, len(workers))
    asked = n, weights, most, shares, question.memory_limit
    found = list(engine.each_worker(functools.partial(strips.memory_for, *asked)).values())
    if not found:
        found = [_result(engine, strips.memory_for, *asked)]
    for each in found:
        if isinstance(each.spans, str) or each.spans < begun:
            too_large = f"{each.host}: its device has no memory for strips of {begun * SPAN} rows, as it was begun with"
            raise DeviceMemoryError(each.spans if isinstance(each.spans, str) else too_large)
    spans = min(each.spans for each in found)
    rows = min(spans * SPAN, n)
    if engine.keeps_results:
        needed = (n + 3 * rows * len(found)) * n * weights.dtype.itemsize
        there = sum({each.host: each.memory for each in found}.values())
        if needed > there:
            raise DeviceMemoryError(
                f"a matrix of {n:,} vertices needs {needed:,} bytes of the memory of all hosts, which have {there:,}"
            )
    name, count = uuid.uuid4().hex, -(-n // rows)
    kept = engine.keeps_results and all(each.keeps for each in found)
    shares = min(shares, count) if kept else count
    return Strips(name, question.reference, weights, n, spans, rows, shares, kept, question.memory_limit)


class _Matrix(NamedTuple):
    """Strips of final path weights."""

    engine: Engine
    question: Question
    strips: Strips
    rows: Sequence[Held]
    owners: Sequence[str | None]
    """Of shares, as the rows are."""

    def held(self, strip: int) -> Held:
        """Return the share of a strip."""
        return self.rows[self.strips.share(strip)]

    def task(self, some: Sequence[int], function: Callable[..., Any], *arguments: Any) -> _Task:
        """Return a task about strips of one share, for the worker that has them."""
        cut = self.strips
        rows = tuple(slice(cut.first(strip), cut.first(strip) + cut.size(strip)) for strip in some)
        return _task(self.question, rows, function, (cut, *arguments), self.owners[cut.share(some[0])])

    def of_each(self, function: Callable[..., Any], *arguments: Any) -> list[Future]:
        """Return what a task for each strip returns, when all are done."""
        strips = range(self.strips.count)
        tasks = [self.task((each,), function, each, self.held(each), *arguments) for each in strips]
        return _done(self.engine, tasks)

    def results_of_each(self, function: Callable[..., Any], *arguments: Any) -> list[Any]:
        """Return the same, here."""
        return [each.result() for each in self.of_each(function, *arguments)]


def _marks(matrix: _Matrix, cycles: npt.NDArray[np.intp]) -> Marks:
    """Return what is known of negative cycles, given those that were found before, with floats.

    Raises
    ------
    NegativeCycleError
        There is one, and it is an error.
    """
    question, cut = matrix.question, matrix.strips
    if not question.graph.has_negative_weights:
        return Marks()
    floats = cut.weights.dtype.kind == "f"
    looks: list[Look] = matrix.results_of_each(answers.look, False)
    below = np.concatenate([each.below_zero for each in looks])
    if not floats:
        cycles = below
    if len(cycles) and question.negative_cycles == "raise":
        _refuse_cycle(matrix.engine, question, question.dtype, cycles)
    marks = Marks()
    if len(cycles):
        chosen = one_of_each(question.graph, cycles)
        by_strip = {strip: chosen[chosen // cut.rows == strip] for strip in np.unique(chosen // cut.rows).tolist()}
        looking = [
            matrix.task((strip,), answers.beyond, strip, matrix.held(strip), some) for strip, some in by_strip.items()
        ]
        found = [each.result() for each in _done(matrix.engine, looking)]
        bits = dict(zip(np.concatenate(list(by_strip.values())).tolist(), np.concatenate(found), strict=True))
        marks = Marks(bits)
    if floats and len(below) and any(matrix.results_of_each(answers.is_useless, marks)):
        marks = replace(marks, useless=True)
    return marks


def _tight_edges(matrix: _Matrix) -> Future:
    """Return the edges of all strips that can end a shortest path, on a worker."""
    graph, weights, farthest = matrix.question.graph, matrix.strips.weights, 0.0
    if weights.dtype.kind == "f" and not graph.has_negative_weights:
        looks: list[Look] = matrix.results_of_each(answers.look, True)
        farthest = max(each.farthest for each in looks)
    listed = matrix.of_each(answers.tight, slack_of(graph, weights, farthest))
    return _done(matrix.engine, [_about_all(answers.together, *listed)])[0]


# ---- tasks that answer ------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Task(Task):
    """A task about some rows, of which several may lie apart if they go to no files."""

    rows: tuple[slice, ...]


def _task(
    question: Question,
    rows: tuple[slice, ...],
    function: Callable[..., Any],
    arguments: tuple[Any, ...],
    worker: str | None = None,
) -> _Task:
    names, count = question.graph.names, sum(each.stop - each.start for each in rows)
    ends = (dict.fromkeys((each.start, each.stop - 1)) for each in rows)
    about = "sources " + ", ".join(" ... ".join(repr(names[end]) for end in both) for both in ends)
    return _Task(rows[0].start, count, about, function, arguments, rows, worker=worker)


def _about_all(function: Callable[..., Any], *arguments: Any) -> Task:
    """Return a task about the graph, or all of its matrix."""
    return Task(0, 1, "graph", function, arguments)


def _begun(question: Question, folder: WorkFolder | None, rows: int) -> tuple[int, Wanted]:
    """Return how many rows a task answers for, and where they go, which is made ready."""
    if folder is None:
        return rows, question.wanted({})
    folder.begin(rows)
    assert folder.rows is not None
    outputs = question.outputs(folder)
    for output in outputs.values():
        output.prepare()
    return folder.rows, question.wanted(outputs)


def _collected(
    engine: Engine, question: Question, folder: WorkFolder | None, tasks: Sequence[_Task], progress: Progress
) -> list[Rows]:
    """Run tasks, and return the rows they find; record what they have written."""
    n = question.graph.n
    if folder is not None:
        tasks = [task for task in tasks if task.first not in folder.written]
    ended = n - sum(task.count for task in tasks)
    found: list[Rows] = []
    with contextlib.closing(run(engine, tasks, question.graph.names)) as done:
        for task, future in done:
            if folder is None:
                found += _rows_of(future, task.rows)
            else:
                folder.record_written(task.first)
            ended += task.count
            if progress is not None:
                progress(ended, n)
    return sorted(found, key=lambda each: each.place.start)


def _rows_of(future: Future, places: Sequence[slice]) -> Iterator[Rows]:
    """Yield the rows of a task's answer, in which they come one after the other."""
    first = 0
    for place in places:
        last = first + place.stop - place.start
        yield Rows(future, slice(first, last), place)
        first = last


def _refuse_cycle(
    engine: Engine, question: Question, dtype: np.dtype[Any], vertices: npt.NDArray[np.intp] | None = None
) -> None:
    """Raise the error for a negative cycle among some vertices, or all, if there is one."""
    cycle = _result(engine, answers.cycle_among, question.reference, vertices, dtype)
    if cycle is not None:
        raise question.error(cycle)


def _result(engine: Engine, function: Callable[..., Any], *arguments: Any) -> Any:
    """Return what one task about the graph returns."""
    return _done(engine, [_about_all(function, *arguments)])[0].result()


def _done(engine: Engine, tasks: Sequence[Task]) -> list[Future]:
    """Return what each of some tasks returns, in their order, when all are done."""
    with contextlib.closing(run(engine, tasks)) as done:
        found = {task.first: future for task, future in done}
    return [found[task.first] for task in tasks]
