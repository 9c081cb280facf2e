"""Searches from many sources over workers: rows that stay there, that are written, that a function looks at, or all."""

from __future__ import annotations

import contextlib
import hashlib
import math
import numbers
import os
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.algorithms.single_source.sssp import Asked
from reedsp.algorithms.single_source.sssp import checked as checked_sssp
from reedsp.algorithms.traversal.bfs import checked_bfs_options
from reedsp.arithmetic.types import InexactError
from reedsp.cluster import plan, tasks
from reedsp.cluster.engines.engine import Engine, Future, Rows
from reedsp.cluster.engines.job import Task, returned, run
from reedsp.cluster.output import Output
from reedsp.cluster.tasks import Search, Trees
from reedsp.cluster.work_folder import WorkFolder
from reedsp.cluster.worker.published import Published
from reedsp.cost_model import sharing
from reedsp.edges.negative_cycle_error import NegativeCycleError
from reedsp.edges.statistics import Measured
from reedsp.graph.arguments import as_graph, source_argument
from reedsp.graph.graph import Graph
from reedsp.system.files.rows_path import free_path, partial

_ROWS = "rows"
_SHOWN = 6  # sources of a task in an error

Progress = Callable[[int, int], None] | None


@dataclass(frozen=True)
class Question:
    """Searches that are asked for, in arguments that are right.

    Attributes
    ----------
    graph : Graph
    sources : list of int
        Their indices.
    many : bool
        Whether they were given as a sequence.
    dtype : dtype
        Of the rows.
    search : Search
    """

    graph: Graph
    sources: list[int]
    many: bool
    dtype: np.dtype[Any]
    search: Search

    @property
    def row_bytes(self) -> int:
        """Bytes of a row."""
        return self.graph.n * self.dtype.itemsize

    def problem(self, reference: Published, kind: str) -> dict[str, int | str]:
        """Return what distinguishes one piece of work from another, what is said first of it first."""
        sources = hashlib.sha256(np.array(self.sources, np.int64).tobytes()).hexdigest()
        arguments = {"dtype": str(self.dtype)} | {name: _said(each) for name, each in self.search.arguments.items()}
        return {
            **{"function": self.search.function, **arguments, "output": kind},
            **{"graph": reference.fingerprint, "sources": sources, "n": len(self.sources)},
        }

    def about(self, first: int, last: int) -> str:
        """Return which sources a task is about, as an error shows it."""
        names = [repr(self.graph.names[each]) for each in self.sources[first:last]]
        if len(names) > _SHOWN:
            names = [*names[: _SHOWN - 2], "...", names[-1]]
        return f"sources[{first}:{last}] = {', '.join(names)}"

    def place(self, first: int, last: int) -> tuple[int | None]:
        """Return which of all rows is the first of a task; None where there is a single row by itself."""
        return (first if self.many else None,)


def question_of_paths(graph: Any, source: Any, **arguments: Any) -> Question:
    """Return the question that these arguments of :func:`reedsp.sssp` are."""
    return question_of(checked_sssp(graph, source, **arguments), arguments)


def question_of(asked: Asked, arguments: Mapping[str, Any]) -> Question:
    """Return the question that arguments of :func:`reedsp.sssp` are, which are checked."""
    given = {name: arguments[name] for name in ("method", "cutoff") if arguments.get(name) is not None}
    given["dtype"] = asked.result.name
    if asked.target is not None:
        given["target"] = asked.target
    if asked.options:
        given["options"] = asked.options
    search = Search("sssp", asked.arithmetic.dtype.itemsize, given)
    return Question(asked.graph, asked.sources, asked.many, asked.result, search)


def question_of_levels(graph: Any, source: Any, options: Mapping[str, Any] | None = None) -> Question:
    """Return the question that these arguments of :func:`reedsp.bfs` are, which are checked."""
    graph = as_graph(graph)
    sources, many = source_argument(graph, source)
    choices = checked_bfs_options(options)
    search = Search("bfs", 0, {"options": choices} if choices else {})
    return Question(graph, sources, many, np.dtype(np.int32), search)


def _said(argument: Any) -> str:
    """Return an argument of a search as text, the same for what is equal."""
    if isinstance(argument, Mapping):
        return str(dict(sorted(argument.items())))
    number = argument.item() if isinstance(argument, np.generic) else argument
    if not isinstance(number, numbers.Real) or number == math.inf:
        return str(number)
    if number % 1 == 0:
        return str(math.floor(number))
    return str(float(number) if float(number) == number else number)


# ---- what becomes of rows ---------------------------------------------------------------------------


def rows_on_workers(engine: Engine, question: Question, reference: Published, progress: Progress = None) -> list[Rows]:
    """Return the rows of each task, on a worker."""
    cut = _cut(engine, question)
    made = _tasks(question, cut, tasks.rows, question.place, reference)
    found = {task.first: future for task, future in _run(engine, question, made, progress)}
    return [Rows(found[first], slice(0, last - first), slice(first, last)) for first, last in cut]


def rows_here(engine: Engine, question: Question, reference: Published, progress: Progress = None) -> npt.NDArray[Any]:
    """Return the rows in an array of this process."""
    made = _tasks(question, _cut(engine, question), tasks.rows, question.place, reference)
    rows = np.empty((len(question.sources), question.graph.n), question.dtype)
    with contextlib.closing(_run(engine, question, made, progress)) as done:
        for task, future in done:
            part = future.result()
            rows[task.first : task.first + len(part)] = part
    return rows


def rows_in_files(
    engine: Engine,
    question: Question,
    reference: Published,
    out: str | os.PathLike[str],
    progress: Progress = None,
) -> Output:
    """Have the rows written by workers, and return where they are; what an earlier call has written is kept.

    Raises
    ------
    FileExistsError, FileNotFoundError
        There is something already, or no folder for it.
    ValueError
        Beside it is the work of another call.
    OSError
        A worker cannot write it.
    """
    kind, target = free_path(out)
    beside = partial(target)
    problem, count = question.problem(reference, kind), len(question.sources)
    folder = WorkFolder(beside, problem)
    if folder.has_lost({_ROWS: target}):
        folder.remove()
        folder = WorkFolder(beside, problem)
    with folder:
        try:
            folder.refuse_taken({_ROWS: target})
        except FileExistsError:
            if folder.rows is None:
                folder.remove()
            raise
        folder.begin(sharing.rows_of_task(count, len(engine.workers()), question.row_bytes, engine.task_bytes))
        assert folder.rows is not None
        shape = count, question.graph.n
        output = Output(kind, folder.result(_ROWS), shape, question.dtype, folder.rows)
        if not folder.is_complete or not count:
            output.prepare()
            left = [each for each in plan.parts(count, folder.rows) if each[0] not in folder.written]
            made = _tasks(question, left, tasks.written, lambda first, last: (output, first), reference)
            try:
                with contextlib.closing(_run(engine, question, made, progress)) as done:
                    for task, _ in done:
                        folder.record_written(task.first)
            except (NegativeCycleError, OverflowError, InexactError):  # as the same call would end again
                folder.remove()
                raise
        output.tidy()
        folder.place({_ROWS: target})
        folder.remove()
    return output.at(target)


def answers_of(
    engine: Engine,
    question: Question,
    reference: Published,
    function: Callable[[Any, npt.NDArray[Any]], Any],
    progress: Progress = None,
) -> list[Any]:
    """Return what a function makes, on workers, of each source's name and row."""
    names = question.graph.names

    def more(first: int, last: int) -> tuple[Any, ...]:
        return function, [names[each] for each in question.sources[first:last]], first

    made = _tasks(question, _cut(engine, question), tasks.mapped, more, reference)
    found: list[Any] = [None] * len(question.sources)
    with contextlib.closing(_run(engine, question, made, progress)) as done:
        for task, future in done:
            part = returned(task, future)
            found[task.first : task.first + len(part)] = part
    return found


def columns_of(
    engine: Engine, question: Question, reference: Published, targets: npt.NDArray[np.intp]
) -> npt.NDArray[Any]:
    """Return some columns of the rows in an array of this process."""
    made = _tasks(question, _cut(engine, question), tasks.columns, lambda first, last: (targets,), reference)
    table = np.empty((len(question.sources), len(targets)), question.dtype)
    with contextlib.closing(_run(engine, question, made, None)) as done:
        for task, future in done:
            part = future.result()
            table[task.first : task.first + len(part)] = part
    return table


def statistics_of(
    engine: Engine, question: Question, found: np.dtype[Any], reference: Published, progress: Progress = None
) -> Measured:
    """Return statistics of the rows, found in a type, which are added up where they are found."""
    made = _tasks(question, _cut(engine, question, sharing.ADDED), tasks.statistics, lambda first, last: (), reference)
    with contextlib.closing(_run(engine, question, made, progress)) as done:
        parts = {task.first: future.result() for task, future in done}
    return Measured.joined([parts[first] for first in sorted(parts)], found)


def trees_of(
    engine: Engine, question: Question, reference: Published, progress: Progress = None
) -> list[tuple[int, Trees]]:
    """Return everything that was found, each part with its first row."""
    made = _tasks(question, _cut(engine, question), tasks.trees, question.place, reference)
    found = []
    with contextlib.closing(_run(engine, question, made, progress)) as done:
        for task, future in done:
            first = task.first
            for part in future.result():
                found.append((first, part))
                first += len(part.rows)
    return sorted(found, key=lambda each: each[0])


# ---- tasks ------------------------------------------------------------------------------------------


def _cut(engine: Engine, question: Question, times: int = 1) -> list[tuple[int, int]]:
    count, most = len(question.sources), times * engine.task_bytes
    return plan.parts(count, sharing.rows_of_task(count, len(engine.workers()), question.row_bytes, most))


def _tasks(
    question: Question,
    cut: Sequence[tuple[int, int]],
    function: Callable[..., Any],
    more: Callable[[int, int], tuple[Any, ...]],
    reference: Published,
) -> list[Task]:
    sources = question.sources
    return [
        Task(
            first,
            last - first,
            question.about(first, last),
            function,
            (reference, question.search, sources[first:last], *more(first, last)),
        )
        for first, last in cut
    ]


def _run(
    engine: Engine, question: Question, made: Sequence[Task], progress: Progress
) -> Generator[tuple[Task, Future], None, None]:
    """Run tasks, and say how far they have come."""
    most = len(question.sources)
    count = most - sum(task.count for task in made)  # what an earlier call has written
    with contextlib.closing(run(engine, made, question.graph.names)) as done:
        for task, future in done:
            yield task, future
            count += task.count
            if progress is not None:
                progress(count, most)
