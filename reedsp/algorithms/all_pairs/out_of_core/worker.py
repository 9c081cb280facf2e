"""One device that works on rows of a matrix on the host: its memory, what is done there, and transfers."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyopencl as cl

from reedsp.algorithms.all_pairs.floyd_warshall import FloydWarshall
from reedsp.algorithms.all_pairs.out_of_core.host import Read, Write
from reedsp.algorithms.all_pairs.out_of_core.plan import Plan, pieces
from reedsp.arithmetic.matrix import Weights
from reedsp.cost_model.counts import TILE
from reedsp.device.device import Device
from reedsp.device.job import Job
from reedsp.device.memory.scratch import PinnedArray
from reedsp.minplus.blocks import Excluded
from reedsp.minplus.matrix import Block, copy_block


class Staging:
    """Host memory that a device reads and writes by itself, while the host does something else."""

    def __init__(self, job: Job, queue: cl.CommandQueue, shape: tuple[int, int], dtype: np.dtype[Any]) -> None:
        size = shape[0] * shape[1] * dtype.itemsize
        self._job = job
        with job.translated(f"allocation of {size:,} bytes of host memory"):
            self._memory = PinnedArray(queue, shape, dtype)
        self.rows = self._memory.array
        job.bytes_allocated += size
        self.event: cl.Event | None = None  # of the copy that is on its way

    def wait(self) -> None:
        """Wait until the memory is the host's."""
        if self.event is not None:
            with self._job.translated("copy between host and device"):
                self.event.wait()
            self.event = None


class Run(NamedTuple):
    """Rows on a device that follow one another there and on the host."""

    rows: Block
    first: int
    """The first one of them, on the host."""
    length: int


class Worker:
    """One device, its memory, and what is done there to rows."""

    def __init__(self, device: Device, weights: Weights, plan: Plan) -> None:
        self.job = Job(device)
        self._weights = weights
        self._plan = plan
        self._item_size = weights.dtype.itemsize
        self._floyd_warshall = FloydWarshall(self.job, weights)
        self._products = self._floyd_warshall.products
        self._copy = self.job.allocate(plan.side * plan.width, weights.dtype)
        with self.job.translated("making a queue"):
            self._transfers = cl.CommandQueue(device.context, device.handle)
        shape = plan.staging_rows, plan.padded
        self.staging = [Staging(self.job, self._transfers, shape, weights.dtype) for _ in range(2)]
        self._turn = 0

    def allocate(self, rows: int) -> Block:
        """Allocate rows, to be filled in from the host."""
        return Block(self.job.allocate(rows * self._plan.padded, self._weights.dtype), self._plan.padded)

    def allocate_panels(self, scratch: Block) -> None:
        """Have the products allocate what they will need, by the largest there will be; `scratch` is overwritten."""
        if self._products.in_groups or self._plan.padded < 2 * TILE:
            return
        side, width = self._plan.side, self._plan.width
        self.job.fill(self._copy, side * width, self._weights.dtype.type(self._weights.no_path))
        self._products.queue(Block(self._copy, side), Block(self._copy, width), scratch, (TILE, side, width))
        self.job.finish()

    # ---- arithmetic --------------------------------------------------------------------------------

    def relax_own(self, rows: Block, first: int, size: int) -> None:
        """Relax the paths through a span in its own rows, which comes first."""
        diagonal = rows.at(0, first)
        self._floyd_warshall.solve_span(diagonal, size)
        for column, width in pieces(self._plan.padded, self._plan.width, first, size):
            copy = Block(self._copy, width)
            copy_block(self.job, rows.at(0, column), copy, (size, width), self._item_size)
            self._products.queue(diagonal, copy, rows.at(0, column), (size, size, width))

    def relax(self, rows: Block, count: int, first: int, size: int, panel: Block) -> None:
        """Queue what is then done to other rows, given the panel, the rows of the span."""
        if count == 0:
            return
        diagonal, columns = panel.at(0, first), rows.at(0, first)
        copy = Block(self._copy, size)
        for row, height in pieces(count, self._plan.width):
            copy_block(self.job, columns.at(row, 0), copy, (height, size), self._item_size)
            self._products.queue(copy, diagonal, columns.at(row, 0), (height, size, size))
        padded = self._plan.padded
        if self._products.in_groups:
            excluded = Excluded(0, 0, first, size)
            self._products.queue(columns, panel, rows, (count, size, padded - size), accumulate=True, excluded=excluded)
            return
        for column, width in pieces(padded, self._plan.width, first, size):  # so that little is packed at a time
            shape = (count, size, width)
            self._products.queue(columns, panel.at(0, column), rows.at(0, column), shape, accumulate=True)

    def relax_through(self, rows: Block, count: int, first: int, size: int, panels: Block) -> None:
        """Queue what a pass through `size` vertices does to other rows, given its panels."""
        for offset, length in pieces(size, self._plan.side):
            self.relax(rows, count, first + offset, length, panels.at(offset, 0))

    def begin_pass(self, own: Block, count: int, first: int, panels: Block) -> None:
        """Queue a pass in the rows of its own vertices, which yields the panels: each span's rows when it is its turn.

        Parameters
        ----------
        own : Block
            The rows; may be `panels` where there is one span.
        count : int
            Of them, with padding.
        first : int
            The vertex of the first one.
        panels : Block
        """
        for offset, length in pieces(count, self._plan.side):
            rows = own.at(offset, 0)
            self.relax_own(rows, first + offset, length)
            if own != panels:
                self.copy_rows(rows, panels.at(offset, 0), length)
            for other, others in pieces(count, count, offset, length):
                self.relax(own.at(other, 0), others, first + offset, length, rows)

    def end_pass(self, own: Block, count: int, first: int, panels: Block) -> None:
        """Queue what becomes of these rows, which follows from the panels alone."""
        self.copy_rows(panels, own, count)
        for offset, length in pieces(count, self._plan.side):  # what is done to rows whose turn has been
            self.relax(own, offset, first + offset, length, panels.at(offset, 0))

    def copy_rows(self, source: Block, target: Block, count: int) -> None:
        """Queue a copy of rows on the device."""
        copy_block(self.job, source, target, (count, self._plan.padded), self._item_size)

    # ---- transfers ---------------------------------------------------------------------------------

    def mark(self) -> cl.Event:
        """Return the event of everything queued so far."""
        queue = self.job.device.queue
        with self.job.translated("marking a place in the queue"):
            event = cl.enqueue_marker(queue, wait_for=self.job.after)
            queue.flush()
        return event

    def wait(self, event: cl.Event) -> None:
        """Wait for an event."""
        with self.job.translated("waiting for the device"):
            event.wait()

    def send(self, staging: Staging, target: Block, count: int, after: Sequence[cl.Event] = ()) -> None:
        """Begin to copy staged rows to the device, where later commands wait for them."""
        rows = staging.rows[:count]
        with self.job.translated("copy to the device"):
            staging.event = cl.enqueue_copy(
                self._transfers,
                target.buffer,
                rows,
                dst_offset=target.first * self._item_size,
                is_blocking=False,
                wait_for=list(after),
            )
            self._transfers.flush()
        self.job.begin_after([staging.event])
        self.job.bytes_to_device += rows.nbytes

    def fetch(self, staging: Staging, source: Block, count: int, after: cl.Event) -> None:
        """Begin to copy rows from the device to the host, once an event has happened."""
        rows = staging.rows[:count]
        with self.job.translated("copy from the device"):
            staging.event = cl.enqueue_copy(
                self._transfers,
                rows,
                source.buffer,
                src_offset=source.first * self._item_size,
                is_blocking=False,
                wait_for=[after],
            )
            self._transfers.flush()
        self.job.bytes_from_device += rows.nbytes

    def upload(self, read: Read, first: int, target: Block, count: int) -> None:
        """Copy rows of the host to the device, where later commands wait for them and nothing else is using them.

        Parameters
        ----------
        read : callable(row, rows)
            Fills in the rows from `row` on, of which the last ones are padding.
        first : int
        target : Block
        count : int
        """
        if self.job.device.kind == "cpu":
            with self._mapped(target, count, cl.map_flags.WRITE_INVALIDATE_REGION) as rows:
                read(first, rows)
            self.job.bytes_to_device += rows.nbytes
            return
        for offset, piece in pieces(count, self._plan.staging_rows):
            staging = self._next_staging()
            staging.wait()
            read(first + offset, staging.rows[:piece])
            self.send(staging, target.at(offset, 0), piece)

    def download(self, runs: Iterable[Run], write: Write, after: cl.Event) -> None:
        """Copy rows of the device to the host once an event has happened, as `write` does with those from a row on.

        While some are written, the next ones arrive.
        """
        if self.job.device.kind == "cpu":
            for run in runs:
                with self._mapped(run.rows, run.length, cl.map_flags.READ, [after]) as rows:
                    write(run.first, rows)
                self.job.bytes_from_device += rows.nbytes
            return
        arriving: tuple[Staging, int, int] | None = None
        for run in runs:
            for offset, piece in pieces(run.length, self._plan.staging_rows):
                staging = self._next_staging()
                staging.wait()
                self.fetch(staging, run.rows.at(offset, 0), piece, after)
                if arriving is not None:
                    self._receive(*arriving, write)
                arriving = staging, run.first + offset, piece
        assert arriving is not None  # no device is without rows
        self._receive(*arriving, write)

    @contextlib.contextmanager
    def _mapped(
        self, rows: Block, count: int, flags: cl.map_flags, after: Sequence[cl.Event] = ()
    ) -> Iterator[npt.NDArray[Any]]:
        """Lend rows of a CPU device, which the host reads and writes where they are; later commands wait for them."""
        offset, shape, dtype = rows.first * self._item_size, (count, self._plan.padded), self._weights.dtype
        with self.job.translated("access to the device's memory"):
            mapped, _ = cl.enqueue_map_buffer(
                self._transfers, rows.buffer, flags, offset, shape, dtype, wait_for=list(after), is_blocking=True
            )
        try:
            yield mapped
        finally:
            released = mapped.base.release(self._transfers)
            self._transfers.flush()
            self.job.begin_after([released])

    def _receive(self, staging: Staging, first: int, count: int, write: Write) -> None:
        staging.wait()
        write(first, staging.rows[:count])

    def _next_staging(self) -> Staging:
        self._turn = 1 - self._turn
        return self.staging[self._turn]

    def finish(self) -> None:
        """Wait until nothing is going on any more."""
        self.job.finish()
        with self.job.translated("waiting for the device"):
            self._transfers.finish()
        for staging in self.staging:
            staging.wait()
