"""Rows of a matrix that stay on a worker's device from task to task, and leave it only where they are sent elsewhere.

A pass changes them in place. So of what tasks have returned only the last has its rows, and whatever was before it says
that these are lost. No task uses that unless an engine runs one again that it need not, or moves what is in use.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyopencl as cl

from reedsp.algorithms.all_pairs.out_of_core.host import Host, Read, copy_rows
from reedsp.algorithms.all_pairs.out_of_core.plan import Plan
from reedsp.algorithms.all_pairs.out_of_core.worker import Run, Worker
from reedsp.arithmetic.matrix import Weights
from reedsp.cost_model.counts import TILE
from reedsp.device.device import Device
from reedsp.device.job import Job, round_up
from reedsp.minplus.matrix import Block

_CHANGING = -1
"""In place of how many vertices paths were relaxed through, while that changes, and for ever if it fails."""


class LostRowsError(RuntimeError):
    """Rows were changed since a task returned them."""


class Part(NamedTuple):
    """Rows that follow one another in the matrix."""

    first: int
    size: int

    @property
    def padded(self) -> int:
        """How many rows they are on a device."""
        return round_up(self.size, TILE)


class _Memory:
    """Memory of a device, and what is in it now.

    Attributes
    ----------
    rows : Block
    parts : tuple of Part
        One after the other.
    done : int
        Through how many vertices all paths in these rows are relaxed; the next ones wait for their panels.
    lock : Lock
        Held while that changes, and while rows are copied to be sent elsewhere.
    """

    def __init__(self, job: Job, weights: Weights, n: int, rows: Block, parts: Sequence[Part], done: int) -> None:
        self.rows, self.parts, self.done = rows, tuple(parts), done
        self.lock = threading.Lock()
        self._job, self._dtype, self._n = job, weights.dtype, n

    @property
    def bytes_of_host(self) -> int:
        """How much memory of the host this is."""
        return int(self.rows.buffer.size) if self._job.device.kind == "cpu" else 0

    def at(self, first: int) -> Block:
        """Return the rows of a part."""
        before = itertools.takewhile(lambda part: part.first < first, self.parts)
        return self.rows.at(sum(part.padded for part in before), 0)

    def on_host(self, part: Part) -> npt.NDArray[Any]:
        """Return rows, on a CPU device where they are."""
        rows, shape, dtype = self.at(part.first), (part.size, self.rows.stride), self._dtype
        if self._job.device.kind == "cpu":
            queue, offset = self._job.queue, rows.first * dtype.itemsize
            with self._job.translated("access to the device's memory"):
                found, _ = cl.enqueue_map_buffer(
                    queue, rows.buffer, cl.map_flags.READ, offset, shape, dtype, is_blocking=True
                )
        else:
            found = self._job.download_rows(rows.buffer, rows.first, shape, dtype)
        return np.asarray(found)[:, : self._n]


class KeptRows:
    """Rows on a device; what is pickled are rows on the host, or nothing if these are lost.

    Parameters
    ----------
    memory : _Memory
    done : int
        Through how many vertices all paths in these rows are relaxed.
    """

    def __init__(self, memory: _Memory, done: int) -> None:
        self._memory = memory
        self._done = done

    def __sizeof__(self) -> int:
        return super().__sizeof__() + self._memory.bytes_of_host

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        memory = self._memory
        with memory.lock:
            kept = memory.done == self._done
            rows = np.concatenate([memory.on_host(part) for part in memory.parts]) if kept else None
        return _sent, (rows,)

    def on_host(self, first: int) -> npt.NDArray[Any]:
        """Return the rows of a part, to be read before anything else is done to them."""
        memory = self._memory
        with memory.lock:
            return memory.on_host(next(part for part in self.those_of(self._done).parts if part.first == first))

    def those_of(self, *done: int) -> _Memory:
        """Return the memory, in which all paths are relaxed through as many vertices as one of these.

        Raises
        ------
        LostRowsError
            They are not.
        """
        if self._memory.done not in done:
            raise LostRowsError("rows were changed since a task returned them")
        return self._memory


def _sent(rows: npt.NDArray[Any] | None) -> npt.NDArray[Any] | None:
    return rows


class Keeper:
    """A device that keeps rows.

    Parameters
    ----------
    device : Device
    weights : Weights
    plan : Plan
        For strips that travel through the device, of as many rows as a pass is long; here their memory is that of
        panels.
    """

    def __init__(self, device: Device, weights: Weights, plan: Plan) -> None:
        self._plan = plan
        self._weights = weights
        worker = self._worker = Worker(device, weights, plan)
        self._panels = [worker.allocate(plan.strip_rows) for _ in range(2)]  # of a pass, and of the next
        self._loaded = [_CHANGING, _CHANGING]  # first vertices of these
        self._own = None if plan.pass_spans == 1 else worker.allocate(plan.strip_rows)
        worker.allocate_panels(self._panels[0])

    def keep(self, parts: Iterable[tuple[Part, Read]], done: int) -> KeptRows:
        """Return rows that are kept from now on.

        Parameters
        ----------
        parts : iterable of (Part, callable)
            In their order, each with what reads some of its rows, given the first one and where they go.
        done : int
            Through how many vertices all paths in them are relaxed.
        """
        listed = list(parts)
        worker, rows = self._worker, self._worker.allocate(sum(part.padded for part, _ in listed))
        job = Job(worker.job.device)
        memory = _Memory(job, self._weights, self._plan.n, rows, [part for part, _ in listed], done)
        for part, read in listed:
            worker.upload(read, 0, memory.at(part.first), part.padded)
        worker.finish()
        return KeptRows(memory, done)

    def relax(self, rows: KeptRows, passed: Part, panels: Callable[[], npt.NDArray[Any]]) -> KeptRows:
        """Return the rows after a pass whose panels are given; of those whose turn is next, their panels are."""
        worker, memory, following = self._worker, rows.those_of(passed.first), passed.first + passed.size
        through = self._through(passed, panels)
        with memory.lock:
            rows.those_of(passed.first)
            memory.done = _CHANGING
            for block, count in _runs(memory, {passed.first, following}):
                worker.relax_through(block, count, passed.first, passed.padded, through)
            if any(part == passed for part in memory.parts):
                worker.end_pass(memory.at(passed.first), passed.padded, passed.first, through)
            worker.wait(worker.mark())
            memory.done = following
        return KeptRows(memory, following)

    def begin_pass(
        self, rows: KeptRows, own: Part, passed: Part | None, panels: Callable[[], npt.NDArray[Any]] | None
    ) -> npt.NDArray[Any]:
        """Return the panels of a part, after the pass before it, whose panels are given."""
        worker, slot = self._worker, self._slot(own)
        target, count = self._panels[slot], own.padded
        work = target if self._own is None else self._own
        self._loaded[slot] = _CHANGING
        before = 0 if passed is None else passed.first
        with rows.those_of(before, own.first).lock:  # the pass before has left these rows as they were
            memory = rows.those_of(before, own.first)
            worker.copy_rows(memory.at(own.first), work, count)
            worker.wait(worker.mark())
        if passed is not None and panels is not None:
            worker.relax_through(work, count, passed.first, passed.padded, self._through(passed, panels))
        worker.begin_pass(work, count, own.first, target)
        self._loaded[slot] = own.first
        found = np.empty((own.size, self._plan.n), self._weights.dtype)

        def write(first: int, some: npt.NDArray[Any]) -> None:
            copy_rows(some[:, : self._plan.n], found[first : first + len(some)])

        worker.download([Run(target, 0, own.size)], write, worker.mark())
        return found

    def bring(self, passed: Part, panels: Callable[[], npt.NDArray[Any]]) -> None:
        """Have the panels of a pass on the device before they are needed."""
        self._through(passed, panels)

    def _through(self, passed: Part, panels: Callable[[], npt.NDArray[Any]]) -> Block:
        """Return the panels of a pass, which are on the device already if they were found there."""
        slot = self._slot(passed)
        if self._loaded[slot] != passed.first:
            self._loaded[slot] = _CHANGING
            read = Host(panels(), self._weights.no_path, None).read
            self._worker.upload(read, 0, self._panels[slot], passed.padded)
            self._loaded[slot] = passed.first
        return self._panels[slot]

    def _slot(self, part: Part) -> int:
        return part.first // self._plan.strip_rows % 2


def _runs(memory: _Memory, left_out: set[int]) -> Iterator[tuple[Block, int]]:
    """Yield rows that follow one another in memory, without some parts, and how many these are."""
    for is_left_out, parts in itertools.groupby(memory.parts, lambda part: part.first in left_out):
        if not is_left_out:
            run = list(parts)
            yield memory.at(run[0].first), sum(part.padded for part in run)
