"""What a search is asked, whatever its method, and what it says about its answer."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyopencl as cl

from reedsp.arithmetic.paths import Arithmetic
from reedsp.device.device import Device
from reedsp.device.job import Job, round_up
from reedsp.edges.statistics import RowStatistics
from reedsp.graph.graph import Graph
from reedsp.system.progress_bar import of_a_search, report_done


@dataclass(frozen=True)
class Task:
    """Shortest paths to find: in which graph and from where, how far, and the arrays for the answer.

    Attributes
    ----------
    graph : Graph
    starts : sequence of sequences of int
        For each row of the answer the vertices at distance 0: a source, or for near-far several, of which the nearest
        counts.
    job : Job
    arithmetic : Arithmetic
        Holds every path sum, as ``reedsp.arithmetic.paths.choose_arithmetic`` finds it.
    dist : ndarray of the arithmetic's dtype, shape (rows, n)
        Filled with the distances. For near-far it can be of float64 where ``reedsp.edges.distances.float64_holds``
        them: with inf where there is no path. Of shape (rows, 0) if there are `statistics`.
    predecessors : ndarray of int32, shape (rows, n), optional
        Filled with the predecessors, if they are wanted.
    ceiling : optional
        Path weights from here on are left out; for graphs without negative weights.
    target : int, optional
        What is farther away than this vertex need not be found.
    by_hops : bool
        Choose predecessors as in a graph with negative weights, whose tight edges these are: by hop level only.
    progress : callable(done, most), optional
        Called now and then: with the rounds of the only row, otherwise with the rows that are done.
    statistics : RowStatistics, optional
        Filled in place of the distances, by searches that take nearer vertices first.
    """

    graph: Graph
    starts: Sequence[Sequence[int]]
    job: Job
    arithmetic: Arithmetic
    dist: npt.NDArray[Any]
    predecessors: npt.NDArray[np.int32] | None = None
    ceiling: Any = None
    target: int | None = None
    by_hops: bool = False
    progress: Callable[[int, int], None] | None = None
    statistics: RowStatistics | None = None

    @property
    def source(self) -> int:
        """The source of the only row."""
        [[source]] = self.starts
        return source

    @property
    def bound(self) -> Any:
        """Path weights from here on are left out, at the latest where the arithmetic ends."""
        return self.arithmetic.infinity if self.ceiling is None else self.ceiling

    def different_starts(self) -> Sequence[Sequence[int]]:
        """Return the vertices at distance 0 of each row, each once."""
        if max(map(len, self.starts), default=0) <= 1:
            return self.starts
        return [list(dict.fromkeys(some)) for some in self.starts]

    def of_row(self, row: int) -> Task:
        """Return the task of one row, which does not report."""
        part = slice(row, row + 1)
        return dataclasses.replace(
            self,
            starts=self.starts[part],
            dist=self.dist[part],
            predecessors=None if self.predecessors is None else self.predecessors[part],
            progress=None,
        )

    def in_parts(self, most: int, solve: Callable[[Task], Outcome]) -> Outcome:
        """Solve up to so many rows at a time, in parts of about the same size.

        A CPU's work-items take a row each: where all of them have as many rows, none is idle while others end.
        """
        device, rows = self.job.device, len(self.starts)
        sharers = device.compute_units if device.kind == "cpu" else 1
        if most > sharers:
            most -= most % sharers
        parts = max(1, -(-rows // most))
        step = max(1, min(most, round_up(-(-rows // parts), sharers)))
        rounds, from_host = 0, set()
        with self.job.reusing() as end_part:
            for first in range(0, len(self.starts), step):
                part = slice(first, first + step)
                task = dataclasses.replace(
                    self,
                    starts=self.starts[part],
                    dist=self.dist[part],
                    predecessors=None if self.predecessors is None else self.predecessors[part],
                    progress=of_a_search(self.progress, first, len(self.starts)),
                    statistics=None if self.statistics is None else self.statistics.part(part),
                )
                outcome = solve(task)
                rounds += outcome.rounds
                from_host |= {first + row for row in outcome.rows_from_host}
                end_part()
                report_done(self.progress, first + len(task.starts), len(self.starts))
        return Outcome(rounds, frozenset(from_host))


@dataclass(frozen=True)
class Outcome:
    """How the arrays of a task were filled.

    Attributes
    ----------
    rounds : int
        Sets of edge relaxations that the device ran, over all rows; with an early stop the last one of a row changed
        nothing.
    rows_from_host : frozenset of int
        Rows in which rounding defeated the device's float arithmetic, so that the host solved them in integers.
    """

    rounds: int
    rows_from_host: frozenset[int] = frozenset()


def upload_starts(job: Job, starts: Sequence[Sequence[int]]) -> tuple[cl.Buffer, cl.Buffer]:
    """Copy the vertices at distance 0 of each row, different ones in ascending order, to the device.

    Returns
    -------
    first_start : pyopencl.Buffer of uint32, shape (rows + 1,)
        Where those of each row begin, then how many there are.
    vertices : pyopencl.Buffer of int32
    """
    sizes = list(map(len, starts))
    if max(sizes, default=0) > 1:
        starts = [sorted(set(row)) for row in starts]
        sizes = list(map(len, starts))
    ends = np.cumsum([0, *sizes]).astype(np.uint32)
    vertices = np.fromiter(itertools.chain.from_iterable(starts), np.int32, ends[-1])
    return job.upload(ends), job.upload(vertices)


def check_group_size(size: int, device: Device) -> None:
    """Raise ValueError for a number of work-items that is none of a work-group of a device."""
    if not 0 < size <= device.max_work_group_size:
        raise ValueError(f"options: group_size = {size}, expected an integer from 1 to {device.max_work_group_size}")
