"""Strongly connected components by the work-groups of a GPU (cl/components/colours.cl)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from reedsp.algorithms.structure.components.groups import Edges
from reedsp.device.dispatch import even
from reedsp.device.iterate import Rounds
from reedsp.device.job import Argument, BoundKernel, Job

_FILE = "components/colours.cl"
_GROUP_SIZE = 256
_MOST_ROUNDS, _FEW_ROUNDS = 1 << 14, 1 << 10  # in all: a graph that takes more of them is for one work-item
_PER_ROUND = 64  # vertices and edges through which one work-item gets in the time that a round takes at least
_OF_EDGES = ("mark_ends", "spread", "colour", "spread_back", "raise_levels")


class TooManyRoundsError(Exception):
    """A graph is too deep for rounds over all its edges."""


def label_by_colours(job: Job, edges: Edges, labels: npt.NDArray[np.int32], is_patient: bool = True) -> int | None:
    """Write the number of the strongly connected component of each vertex; return how many there are.

    Numbers are those of :func:`.label_in_depth`. Return None if there are too many rounds ahead.

    Parameters
    ----------
    job : Job
    edges : Edges
        At least one vertex; edges may be there more than once.
    labels : ndarray, shape (n,)
    is_patient : bool
        Otherwise there are no more rounds than what one work-item would have done in their time.
    """
    by_one = max(_FEW_ROUNDS, (edges.n + edges.m) // _PER_ROUND)
    search = _Search(job, edges, _MOST_ROUNDS if is_patient else min(_MOST_ROUNDS, by_one))
    try:
        owners, levels = search.run()
    except TooManyRoundsError:
        return None
    # Few components have a high level, so that numpy sorts two bytes by counting.
    roots = np.flatnonzero(owners == np.arange(edges.n))
    levels = levels[roots]
    by_level = np.argsort(levels.astype(np.uint16) if levels.max() < 1 << 16 else levels, kind="stable")
    numbers = np.empty(edges.n, np.int32)
    numbers[roots[by_level]] = np.arange(len(roots), dtype=np.int32)
    np.take(numbers, owners, out=labels)
    return len(roots)


class _Search:
    """A search in rounds, over all edges in each."""

    def __init__(self, job: Job, edges: Edges, most_rounds: int) -> None:
        self._job, self._edges = job, edges
        self._group = min(_GROUP_SIZE, job.device.max_work_group_size)
        self._macros = {**edges.macros, "ATOMIC_LOADS": int(not job.device.loads_are_atomic)}
        self._owners, self._inward, self._outward, self._marks = (job.allocate(edges.n, np.int32) for _ in range(4))
        self._colours, self._smallest, self._levels = (job.allocate(edges.n, np.int32) for _ in range(3))
        self._pivot = job.upload(np.array([-1, edges.n], np.int32))
        self._ends = (edges.sources, edges.indices, self._owners)
        self._rounds_left, self._trimmed = most_rounds, 0

    def _bind(self, name: str, count: int, *args: Argument) -> BoundKernel:
        job = self._job
        kernel = job.device.kernel(_FILE, name, **self._macros)
        length = np.uint64(count) if name in _OF_EDGES else np.uint32(count)
        slices = even(0, count, self._group, count, job.device.steps_at_once)
        return job.bind(kernel, count, self._group, *args, length, slices=slices)

    def _of_vertices(self, name: str, *args: Argument) -> None:
        self._bind(name, self._edges.n, *args).queue()

    def run(self) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        """Return the smallest vertex of the component of each vertex, and for it the level."""
        of_vertices, owners, marks, n = self._of_vertices, self._owners, self._marks, self._edges.n
        of_vertices("begin", owners, self._inward, self._outward, marks, self._smallest, self._levels)
        self._trim()
        for name in ("find_degree", "find_pivot"):
            of_vertices(name, self._edges.indptr, owners, self._pivot)
        of_vertices("mark_pivot", self._pivot, marks)
        self._spread("spread", marks)
        of_vertices("take_pivot", marks, self._pivot, owners)
        while self._is_left():
            self._trim()
            of_vertices("begin_colours", self._colours, marks)
            self._spread("colour", self._colours)
            of_vertices("begin_back", owners, self._colours, marks)
            self._spread("spread_back", self._colours, marks)
            of_vertices("take_colours", self._colours, marks, owners)
        of_vertices("find_smallest", owners, self._smallest)
        of_vertices("take_smallest", owners, self._smallest)
        self._spread("raise_levels", self._levels)
        return self._job.download(owners, n, np.int32), self._job.download(self._levels, n, np.int32)

    def _is_left(self) -> bool:
        left = self._job.full(1, np.uint32(0))
        self._of_vertices("find_left", self._owners, left)
        return bool(self._job.download(left, 1, np.uint32)[0])

    def _spread(self, name: str, *args: Argument) -> None:
        """Repeat a kernel until nothing changes."""
        rounds = Rounds(self._job)
        kernel = self._bind(name, self._edges.m, *self._ends, *args, rounds.updates, np.uint32(0))

        def queue_round(number: int) -> None:
            kernel.set("phase", np.uint32(number % 3))
            kernel.queue()

        self._run(rounds, queue_round)

    def _trim(self) -> None:
        rounds, n, m = Rounds(self._job), self._edges.n, self._edges.m
        ends, shared = (self._inward, self._outward), (np.int32(0), rounds.updates, np.uint32(0))
        mark = self._bind("mark_ends", m, *self._ends, *ends, *shared)
        trim = self._bind("trim", n, self._owners, *ends, *shared)

        def queue_round(number: int) -> None:
            for kernel in (mark, trim):
                kernel.set("round", np.int32(self._trimmed))
                kernel.set("phase", np.uint32(number % 3))
                kernel.queue()
            self._trimmed += 1

        self._run(rounds, queue_round)

    def _run(self, rounds: Rounds, queue_round: Callable[[int], None]) -> None:
        done, is_over = rounds.run(queue_round, self._rounds_left)
        self._rounds_left -= done
        if not is_over:
            raise TooManyRoundsError
