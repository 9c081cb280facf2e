"""Blocked Floyd-Warshall where each device keeps its share of the rows throughout."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import pyopencl as cl

from reedsp.algorithms.all_pairs.out_of_core.host import Host, copy_rows
from reedsp.algorithms.all_pairs.out_of_core.plan import Plan, pieces
from reedsp.algorithms.all_pairs.out_of_core.team import Team
from reedsp.algorithms.all_pairs.out_of_core.worker import Run, Worker
from reedsp.minplus.matrix import Block


class _Share(NamedTuple):
    """Some of the rows that a device keeps, in one buffer."""

    rows: Block
    spans: Sequence[int]


def solve_resident(host: Host, team: Team, plan: Plan, progress: Callable[[int, int], None] | None) -> None:
    """Relax all paths in a matrix that fits the devices; each keeps its rows."""
    residents = team.made(
        [functools.partial(_Resident, host, worker, part, team, plan) for part, worker in enumerate(team.workers)]
    )
    reported = 0

    def report() -> None:
        nonlocal reported
        finished = min(each.finished for each in residents)
        if progress is not None and finished > reported:
            reported = finished
            progress(min(plan.first(finished), plan.n), plan.n)

    team.together([each.run for each in residents], report)
    team.together([each.bring_back for each in residents])


class _Resident:
    """A device that keeps its rows.

    While the devices are busy with one span, the one that has the rows of the next span brings these up to date first
    and hands them over, so that no device waits for them.
    """

    def __init__(self, host: Host, worker: Worker, part: int, team: Team, plan: Plan) -> None:
        self._host = host
        self._worker = worker
        self._team = team
        self._plan = plan
        self._alone = plan.parts == 1
        spans = plan.own_spans(part)
        largest = worker.job.device.max_allocation // (plan.side * plan.padded * host.matrix.itemsize)
        self._shares: list[_Share] = []
        for begin, count in pieces(len(spans), max(1, largest)):
            own = spans[begin : begin + count]
            self._shares.append(_Share(worker.allocate(sum(map(plan.size, own))), own))
        worker.allocate_panels(self._shares[0].rows)
        self._places = {
            span: share.rows.at(plan.first(number), 0)
            for share in self._shares
            for number, span in enumerate(share.spans)
        }
        self._received = [] if self._alone else [worker.allocate(plan.side) for _ in range(2)]
        self._outgoing, self._incoming = worker.staging
        self._marks: list[cl.Event] = []  # where the commands of each span end
        self.finished = 0

    def run(self) -> None:
        """Load the rows, and relax all paths."""
        plan, worker = self._plan, self._worker
        for span, rows in self._places.items():
            worker.upload(self._host.read, plan.first(span), rows, plan.size(span))
        for staging in worker.staging:
            staging.wait()
        if 0 in self._places:
            self._prepare(0)
        panel = self._panel(0)
        for span in range(plan.spans):
            self._team.go_on()
            following = span + 1
            done = {span}
            ahead = following in self._places and not self._alone
            if ahead:
                rows = self._places[following]
                worker.relax(rows, plan.size(following), plan.first(span), plan.size(span), panel)
                self._prepare(following)
                done.add(following)
            for rows, count in self._others(done):
                worker.relax(rows, count, plan.first(span), plan.size(span), panel)
            self._marks.append(worker.mark())
            if following < plan.spans:
                if self._alone:
                    self._prepare(following)
                panel = self._panel(following)
            if span > 0:  # the device is busy with this span, and no more than the next one is queued
                worker.wait(self._marks[span - 1])
                self.finished = span
        worker.wait(self._marks[-1])
        self.finished = plan.spans

    def bring_back(self) -> None:
        """Copy the rows to the host, when no other device needs what is staged here any more."""
        self._worker.download(self._runs(), self._host.write, self._marks[-1])

    def _runs(self) -> Iterator[Run]:
        """Yield the rows of one span after the other, as long as no other device has failed."""
        for span, rows in self._places.items():
            self._team.go_on()
            first = self._plan.first(span)
            yield Run(rows, first, min(self._plan.size(span), self._plan.n - first))

    def _prepare(self, span: int) -> None:
        """Queue what is done to a span's own rows, and begin to copy them to the host for the others."""
        rows, size = self._places[span], self._plan.size(span)
        self._worker.relax_own(rows, self._plan.first(span), size)
        if not self._alone:
            # the others have copied what was there before: each has prepared a span since, for which it needed that
            self._worker.fetch(self._outgoing, rows, size, self._worker.mark())

    def _panel(self, span: int) -> Block:
        """Return the rows of a span, which later commands wait for."""
        size = self._plan.size(span)
        if span in self._places:
            if not self._alone:
                self._outgoing.wait()
                self._team.publish(span, self._outgoing.rows[:size])
            return self._places[span]
        panel = self._team.panel(span)
        self._incoming.wait()
        copy_rows(panel, self._incoming.rows[:size])
        rows = self._received[span % 2]
        after = [self._marks[span - 2]] if span >= 2 else []  # until when the panel before the last one was needed
        self._worker.send(self._incoming, rows, size, after)
        return rows

    def _others(self, done: set[int]) -> Iterator[tuple[Block, int]]:
        """Yield runs of rows of all spans but some."""
        for share in self._shares:
            run: list[int] = []
            for span in [*share.spans, None]:
                if span is not None and span not in done:
                    run.append(span)
                elif run:
                    yield self._places[run[0]], sum(map(self._plan.size, run))
                    run = []
