"""Blocked Floyd-Warshall where strips of rows travel through the devices, once for a pass through several spans."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator

import pyopencl as cl

from reedsp.algorithms.all_pairs.out_of_core.host import Host
from reedsp.algorithms.all_pairs.out_of_core.plan import Plan, pieces
from reedsp.algorithms.all_pairs.out_of_core.team import Team
from reedsp.algorithms.all_pairs.out_of_core.worker import Run, Worker
from reedsp.cost_model.counts import TILE
from reedsp.device.job import round_up


def solve_streamed(host: Host, team: Team, plan: Plan, progress: Callable[[int, int], None] | None) -> None:
    """Relax all paths, in passes through some spans, in each of which every row travels once."""
    checkpoint = host.checkpoint
    streamers = team.made([functools.partial(Streamer, host, worker, team, plan) for worker in team.workers])
    first = 0 if checkpoint is None else checkpoint.done
    while first < plan.n:
        if checkpoint is not None and checkpoint.unfinished is not None:
            size = checkpoint.unfinished[1]
        else:
            size = min(plan.strip_rows, plan.n - first)
            team.together([functools.partial(streamers[0].begin_pass, first, size)])
        left = [(0, first), (first + size, plan.n)]
        if checkpoint is not None:
            team.together([checkpoint.put_rows])
            left = checkpoint.missing()
        strips = [(start + row, count) for start, end in left for row, count in pieces(end - start, plan.strip_rows)]
        waiting = iter(strips)  # each device takes the next one when it has room for it
        team.together([functools.partial(each.run, first, size, waiting) for each in streamers])
        if checkpoint is not None:
            checkpoint.end_pass()
        first += size
        if progress is not None:
            progress(first, plan.n)


class Streamer:
    """A device through which strips of rows travel.

    What it needs for a pass are the panels: the rows of each span when it is their turn.

    Parameters
    ----------
    host : Host
    worker : Worker
    team : Team
    plan : Plan

    Attributes
    ----------
    host : Host
        Where rows come from and go to.
    """

    def __init__(self, host: Host, worker: Worker, team: Team, plan: Plan) -> None:
        self.host: Host = host
        self._worker = worker
        self._team = team
        self._plan = plan
        self._panels = worker.allocate(plan.strip_rows)
        self._strips = [worker.allocate(plan.strip_rows) for _ in range(2)]
        worker.allocate_panels(self._strips[0])
        self._loaded = -1  # first vertex of the pass that the panels are for

    def begin_pass(self, first: int, size: int) -> None:
        """Relax the paths in the rows of the vertices of a pass, and hand over these rows and the panels."""
        worker, own, count = self._worker, self._strips[0], round_up(size, TILE)
        worker.upload(self.host.read, first, own, count)
        worker.begin_pass(own, count, first, self._panels)
        self._loaded = first
        mark = worker.mark()
        if self._plan.parts > 1 or self.host.checkpoint is not None:
            worker.download([Run(self._panels, 0, size)], self.host.panels_writer(size), mark)
        worker.download([Run(own, 0, size)], self.host.own_rows_writer(first), mark)
        if self.host.checkpoint is not None:
            self.host.checkpoint.begin_pass(first, size)

    def own_rows(self, first: int, size: int) -> None:
        """Hand over what the rows of the vertices of a pass are at its end, given its panels alone."""
        worker, own, count = self._worker, self._strips[0], round_up(size, TILE)
        self._load(first, count)
        worker.end_pass(own, count, first, self._panels)
        worker.download([Run(own, 0, size)], self.host.own_rows_writer(first), worker.mark())

    def run(self, first: int, size: int, strips: Iterator[tuple[int, int]]) -> None:
        """Relax the paths through the vertices of a pass in strips of other rows, as long as there are any.

        While the device computes one strip, the one before is brought back and the next one loaded.
        """
        worker, count = self._worker, round_up(size, TILE)
        self._load(first, count)
        computed: tuple[Run, cl.Event] | None = None
        for turn, (row, length) in enumerate(strips):
            self._team.go_on()
            strip, padded = self._strips[turn % 2], round_up(length, TILE)
            worker.upload(self.host.read_for_pass, row, strip, padded)
            for offset, span in pieces(count, self._plan.side):
                self._team.go_on()
                worker.relax(strip, padded, first + offset, span, self._panels.at(offset, 0))
            mark = worker.mark()
            if computed is not None:
                self._bring_back(*computed)
            computed = Run(strip, row, length), mark
        if computed is not None:
            self._bring_back(*computed)
        for staging in worker.staging:  # of panels that no strip was left for
            staging.wait()

    def _load(self, first: int, count: int) -> None:
        """Have the panels of the pass that begins with a vertex on the device."""
        if self._loaded != first:
            self._worker.upload(self.host.read_panels, 0, self._panels, count)
            self._loaded = first

    def _bring_back(self, strip: Run, mark: cl.Event) -> None:
        checkpoint, last = self.host.checkpoint, strip.first + strip.length
        if checkpoint is not None:
            checkpoint.begin_rows(strip.first, last)
        self._worker.download([strip], self.host.write, mark)
        if checkpoint is not None:
            checkpoint.end_rows(strip.first, last)
