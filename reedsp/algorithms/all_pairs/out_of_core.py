"""Blocked Floyd-Warshall on a matrix that is larger than a device's memory, or is spread over several devices.

The order in which floats are added up, and therefore every bit, is that of :meth:`FloydWarshall.close`: spans of
vertices follow one another, of each span its own rows come first, and what is then done to another row depends on that
row and on them alone. So rows may lie anywhere. Either each device keeps its share of them throughout, and only the
rows of a span travel; or strips of rows travel through the devices, once for a pass by way of several spans.
"""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
import pyopencl as cl

from reedsp.algorithms.all_pairs.checkpoint import Checkpoint
from reedsp.algorithms.all_pairs.floyd_warshall import SPAN, TILE, FloydWarshall
from reedsp.arithmetic.matrix import Weights
from reedsp.device.device import Device, Job, round_up
from reedsp.device.pinned import PinnedArray
from reedsp.minplus.blocks import Hole
from reedsp.minplus.matrix import Block, copy_block
from reedsp.minplus.tilings import works_in_groups
from reedsp.system.parts import in_parts
from reedsp.system.threads import POLL, at_once

_PART_OF_MEMORY = 0.8  # of a device, unless the caller says how much
_WIDTH = 8192  # rows or columns of the copies of what a product replaces: enough for the largest GPU
_STAGING = 1 << 26  # bytes of host memory that the device reads and writes by itself
_STRIPS = 4  # at least, on each device in each pass: one is computed on while others travel
_HALVINGS = 2  # of staged rows and copies that cost less than one more pass

Read = Callable[[int, npt.NDArray[Any]], None]
Write = Callable[[int, npt.NDArray[Any]], None]
Made = TypeVar("Made")


def close_matrix(
    matrix: npt.NDArray[Any],
    weights: Weights,
    devices: Sequence[Device],
    memory_limit: int | None = None,
    checkpoint: Checkpoint | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[Job]:
    """Shorten all paths in a matrix on the host, in place.

    Parameters
    ----------
    matrix : ndarray or memmap, shape (n, n)
        Weights of edges, of the type of `weights` and with its "no path"; on the diagonal no entry is above zero.
        After an error it is neither what it was nor finished, but a checkpoint can be continued.
    weights : Weights
    devices : sequence of Device
        They share the work evenly; one that is listed twice gets two shares.
    memory_limit : int, optional
        Bytes that may be allocated on each device; by default four fifths of its memory.
    checkpoint : Checkpoint, optional
        That of this matrix, which is then ``checkpoint.matrix``, filled; work goes on from what it records.
    progress : callable(vertices, n), optional
        Called when the paths by way of the first `vertices` vertices are done.

    Returns
    -------
    list of Job
        One for each device, for their statistics.

    Raises
    ------
    ValueError
        The memory allowed is too small; the message says how much is needed. Or an argument is wrong.
    DeviceError
        A device failed; DeviceMemoryError if it had less memory than it said.
    OSError
        A file of the checkpoint cannot be written.
    """
    n = len(matrix)
    if matrix.shape != (n, n) or matrix.dtype != weights.dtype or not matrix.flags.c_contiguous:
        raise ValueError(f"matrix: a contiguous square one of {weights.dtype} is expected")
    if not devices:
        raise ValueError("devices: at least one is needed")
    if checkpoint is not None and (matrix is not checkpoint.matrix or checkpoint.fresh):
        raise ValueError("checkpoint: it is that of another matrix, or its matrix is not filled")
    if n == 0 or (checkpoint is not None and checkpoint.finished()):
        return [Job(device) for device in devices]
    plan = _plan(n, weights, devices, memory_limit, checkpoint)
    host = _Host(matrix, weights.no_path, checkpoint)
    team = _Team()
    team.workers = team.made([functools.partial(_Worker, each, weights, plan) for each in devices[: plan.parts]])
    if plan.resident:
        _close_resident(host, team, plan, progress)
    else:
        _close_streamed(host, team, plan, progress)
    return [worker.job for worker in team.workers]


# ---- how the work is cut up -------------------------------------------------------------------------


@dataclass(frozen=True)
class _Plan:
    """Sizes, the same ones for all devices.

    Attributes
    ----------
    n, padded : int
        Rows and columns, also in whole tiles.
    parts : int
        How many devices there are.
    pass_spans : int
        Spans by way of which paths are shortened while a strip is on a device; 0: each device keeps its rows.
    width : int
        Rows or columns of the copy of what a product replaces.
    staging_rows : int
        Rows that travel at a time.
    """

    n: int
    padded: int
    parts: int
    pass_spans: int
    width: int
    staging_rows: int

    @property
    def resident(self) -> bool:
        """Whether each device keeps its rows."""
        return self.pass_spans == 0

    @property
    def spans(self) -> int:
        """How many spans there are."""
        return -(-self.padded // SPAN)

    @property
    def side(self) -> int:
        """Vertices of the largest span."""
        return min(SPAN, self.padded)

    @property
    def strip_rows(self) -> int:
        """Rows of a strip that travels."""
        return min(self.pass_spans * SPAN, self.padded)

    def size(self, span: int) -> int:
        """Return the vertices of a span."""
        return min(SPAN, self.padded - span * SPAN)

    def own_spans(self, part: int) -> range:
        """Return the spans whose rows a device keeps: in turn, since whoever has a span has more to do for it."""
        return range(part, self.spans, self.parts)

    def bytes_needed(self, in_groups: bool, item_size: int) -> int:
        """Return the bytes that the first device allocates, which has no less to do than others."""
        rows = 2 * self.staging_rows
        if self.resident:
            rows += sum(map(self.size, self.own_spans(0))) + (2 * self.side if self.parts > 1 else 0)
        else:
            rows += 3 * self.strip_rows
        elements = rows * self.padded + self.side * self.width
        if not in_groups:  # packed panels, and what is replaced in the diagonal block
            elements += self.side * self.width + 2 * self.side * TILE
        return elements * item_size


def _plan(
    n: int, weights: Weights, devices: Sequence[Device], memory_limit: int | None, checkpoint: Checkpoint | None
) -> _Plan:
    """Choose sizes that fit the memory of every device."""
    item_size, padded = weights.dtype.itemsize, round_up(n, TILE)
    parts = min(len(devices), -(-padded // SPAN))
    devices = devices[:parts]
    limits = [int(_PART_OF_MEMORY * each.global_memory) if memory_limit is None else memory_limit for each in devices]

    def excess(plan: _Plan) -> int:
        """Return by how many bytes the device with the least memory has too little."""
        needed = (plan.bytes_needed(works_in_groups(each), item_size) for each in devices)
        return max(bytes_ - limit for bytes_, limit in zip(needed, limits, strict=True))

    side, width, staging = min(SPAN, padded), min(padded, _WIDTH), max(TILE, _STAGING // (padded * item_size))

    def cut(halvings: int, pass_spans: int) -> _Plan:
        """Return the plan with so many spans in a pass, for which other memory is halved some times."""
        copied = max(side, (width >> halvings) // TILE * TILE)
        # what one device keeps and hands to others travels whole
        whole = pass_spans == 0 and parts > 1
        return _Plan(n, padded, parts, pass_spans, copied, side if whole else max(TILE, min(side, staging) >> halvings))

    spans = -(-padded // SPAN)
    begun = -(-checkpoint.unfinished[1] // SPAN) if checkpoint is not None and checkpoint.unfinished else 0
    largest = min(each.max_allocation for each in devices) // (SPAN * padded * item_size)
    most = max(1, min(largest, spans // (_STRIPS * parts)))
    halvings = range(max(width, staging).bit_length())
    resident = [(times, 0) for times in halvings] if checkpoint is None else []
    streamed = [(times, each) for times in halvings for each in ([begun] if begun else range(most, 0, -1))]
    # the fewer passes, the less travels
    streamed.sort(key=lambda each: (each[0] > _HALVINGS, -(-spans // each[1]), each[0]))
    possible = [cut(*each) for each in resident + streamed]
    for plan in possible:
        if excess(plan) <= 0:
            return plan
    lacking = min(map(excess, possible))
    if memory_limit is None:
        raise ValueError(f"memory_limit: a device has {lacking:,} bytes less than {n:,} vertices need")
    needed = memory_limit + lacking
    raise ValueError(f"memory_limit: {memory_limit:,} bytes, but {n:,} vertices need {needed:,} on each device")


def _pieces(total: int, step: int, first: int = 0, size: int = 0) -> Iterator[tuple[int, int]]:
    """Yield the start and length of pieces of a range without the `size` places from `first` on."""
    for start, end in ((0, first), (first + size, total)):
        for place in range(start, end, step):
            yield place, min(step, end - place)


# ---- one device -------------------------------------------------------------------------------------


class _Staging:
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


class _Run(NamedTuple):
    """Rows on a device that follow one another there and on the host."""

    rows: Block
    first: int
    """The first one of them, on the host."""
    length: int


class _Worker:
    """One device, its memory, and what is done there to rows."""

    def __init__(self, device: Device, weights: Weights, plan: _Plan) -> None:
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
        self.staging = [_Staging(self.job, self._transfers, shape, weights.dtype) for _ in range(2)]
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

    def shorten_own(self, rows: Block, first: int, size: int) -> None:
        """Queue what is done first by way of a span: to its own rows."""
        diagonal = rows.at(0, first)
        self._floyd_warshall.close_span(diagonal, size)
        for column, width in _pieces(self._plan.padded, self._plan.width, first, size):
            copy = Block(self._copy, width)
            copy_block(self.job, rows.at(0, column), copy, (size, width), self._item_size)
            self._products.queue(diagonal, copy, rows.at(0, column), (size, size, width))

    def shorten(self, rows: Block, count: int, first: int, size: int, panel: Block) -> None:
        """Queue what is then done to other rows, given the panel, the rows of the span."""
        if count == 0:
            return
        diagonal, columns = panel.at(0, first), rows.at(0, first)
        copy = Block(self._copy, size)
        for row, height in _pieces(count, self._plan.width):
            copy_block(self.job, columns.at(row, 0), copy, (height, size), self._item_size)
            self._products.queue(copy, diagonal, columns.at(row, 0), (height, size, size))
        padded = self._plan.padded
        if self._products.in_groups:
            hole = Hole(0, 0, first, size)
            self._products.queue(columns, panel, rows, (count, size, padded - size), accumulate=True, hole=hole)
            return
        for column, width in _pieces(padded, self._plan.width, first, size):  # so that little is packed at a time
            shape = (count, size, width)
            self._products.queue(columns, panel.at(0, column), rows.at(0, column), shape, accumulate=True)

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

    def send(self, staging: _Staging, target: Block, count: int, after: Sequence[cl.Event] = ()) -> None:
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

    def fetch(self, staging: _Staging, source: Block, count: int, after: cl.Event) -> None:
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
        for offset, piece in _pieces(count, self._plan.staging_rows):
            staging = self._next_staging()
            staging.wait()
            read(first + offset, staging.rows[:piece])
            self.send(staging, target.at(offset, 0), piece)

    def download(self, runs: Iterable[_Run], write: Write, after: cl.Event) -> None:
        """Copy rows of the device to the host once an event has happened, as `write` does with those from a row on.

        While some are written, the next ones arrive.
        """
        arriving: tuple[_Staging, int, int] | None = None
        for run in runs:
            for offset, piece in _pieces(run.length, self._plan.staging_rows):
                staging = self._next_staging()
                staging.wait()
                self.fetch(staging, run.rows.at(offset, 0), piece, after)
                if arriving is not None:
                    self._receive(*arriving, write)
                arriving = staging, run.first + offset, piece
        if arriving is not None:
            self._receive(*arriving, write)

    def _receive(self, staging: _Staging, first: int, count: int, write: Write) -> None:
        staging.wait()
        write(first, staging.rows[:count])

    def _next_staging(self) -> _Staging:
        self._turn = 1 - self._turn
        return self.staging[self._turn]

    def finish(self) -> None:
        """Wait until nothing is going on any more."""
        self.job.finish()
        with self.job.translated("waiting for the device"):
            self._transfers.finish()
        for staging in self.staging:
            staging.wait()


# ---- the host ---------------------------------------------------------------------------------------


class _Host:
    """The matrix on the host, and what there is to know of a pass over it.

    On the device rows and columns are padded to whole tiles.
    """

    def __init__(self, matrix: npt.NDArray[Any], no_path: Any, checkpoint: Checkpoint | None) -> None:
        self.matrix = matrix
        self.checkpoint = checkpoint
        self._no_path = no_path
        self._panels: npt.NDArray[Any] | None = None

    def read(self, first: int, rows: npt.NDArray[Any]) -> None:
        """Fill in rows of the matrix."""
        self._fill(self.matrix, first, rows)

    def write(self, first: int, rows: npt.NDArray[Any]) -> None:
        """Replace rows of the matrix."""
        rows = self._without_padding(rows)
        if self.checkpoint is None:
            _copy(rows, self.matrix[first : first + len(rows)])
        else:
            self.checkpoint.write_rows(first, rows)

    def read_for_pass(self, first: int, rows: npt.NDArray[Any]) -> None:
        """Fill in rows of the matrix; if a pass is repeated, with the columns that it found."""
        self.read(first, rows)
        if self.checkpoint is not None:
            assert self.checkpoint.unfinished is not None
            assert self.checkpoint.columns is not None
            column, size = self.checkpoint.unfinished
            columns = self.checkpoint.columns[first : first + len(rows)]
            rows[: len(columns), column : column + size] = columns

    def read_panels(self, first: int, rows: npt.NDArray[Any]) -> None:
        """Fill in rows of the panels of this pass."""
        panels = self._panels if self.checkpoint is None else self.checkpoint.panels
        assert panels is not None
        self._fill(panels, first, rows)

    def panels_writer(self, size: int) -> Write:
        """Return what keeps the panels of a pass by way of `size` vertices."""
        if self.checkpoint is not None:
            checkpoint = self.checkpoint
            return lambda row, rows: checkpoint.store_panels(row, self._without_padding(rows))
        panels = self._panels = np.empty((size, len(self.matrix)), self.matrix.dtype)

        def write(row: int, rows: npt.NDArray[Any]) -> None:
            _copy(self._without_padding(rows), panels[row : row + len(rows)])

        return write

    def own_rows_writer(self, first: int) -> Write:
        """Return what keeps the rows of the vertices of a pass: in the matrix only if it will not be interrupted."""
        if self.checkpoint is not None:
            checkpoint = self.checkpoint
            return lambda row, rows: checkpoint.store_rows(row, self._without_padding(rows))
        return lambda row, rows: self.write(first + row, rows)

    def _fill(self, source: npt.NDArray[Any], first: int, rows: npt.NDArray[Any]) -> None:
        there = source[first : first + len(rows)]
        count, columns = there.shape
        _copy(there, rows[:count, :columns])
        rows[:count, columns:] = self._no_path
        rows[count:] = self._no_path

    def _without_padding(self, rows: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return rows[:, : len(self.matrix)]


def _copy(source: npt.NDArray[Any], target: npt.NDArray[Any]) -> None:
    """Copy rows on the host: one core would take longer than the way to a device."""

    def copy(first: int, last: int) -> None:
        target[first:last] = source[first:last]

    in_parts(copy, len(source), source.shape[1] * source.itemsize)


# ---- several devices --------------------------------------------------------------------------------


class _StoppedError(Exception):
    """Somebody else has failed."""


class _Team:
    """The devices, each of which has a thread while there is work for it.

    When the threads have ended, nothing is under way on the devices either.
    """

    def __init__(self) -> None:
        self.workers: list[_Worker] = []
        self._changed = threading.Condition()
        self._stopping = False
        self._panels: dict[int, npt.NDArray[Any]] = {}

    def together(self, tasks: Sequence[Callable[[], None]], watch: Callable[[], None] = lambda: None) -> None:
        """Run tasks in threads, the first one that of the first device; `watch` is called in this one now and then.

        The first error of a task, or one in this thread, makes the others stop soon and is raised then.
        """

        def run(number: int) -> None:
            try:
                tasks[number]()
            except BaseException as error:
                self._stop()
                for worker in self.workers[number : number + 1]:
                    with contextlib.suppress(RuntimeError):  # the error that is being raised came first
                        worker.finish()
                if not isinstance(error, _StoppedError):
                    raise

        at_once([functools.partial(run, number) for number in range(len(tasks))], self._stop, watch)

    def made(self, makers: Sequence[Callable[[], Made]]) -> list[Made]:
        """Return what some calls return, each in a thread of its own: they allocate memory, which takes long."""
        found: dict[int, Made] = {}

        def make(place: int) -> None:
            found[place] = makers[place]()

        self.together([functools.partial(make, place) for place in range(len(makers))])
        return [found[place] for place in range(len(makers))]

    def go_on(self) -> None:
        """Raise an error if the others have stopped."""
        if self._stopping:
            raise _StoppedError

    def publish(self, span: int, panel: npt.NDArray[Any]) -> None:
        """Let the others have the rows of a span."""
        with self._changed:
            self._panels[span] = panel
            self._changed.notify_all()

    def panel(self, span: int) -> npt.NDArray[Any]:
        """Wait for the rows of a span."""
        with self._changed:
            while span not in self._panels:
                self.go_on()
                self._changed.wait(POLL)
            return self._panels[span]

    def _stop(self) -> None:
        self._stopping = True  # who waits for a panel looks now and then


# ---- rows that stay ---------------------------------------------------------------------------------


class _Share(NamedTuple):
    """Some of the rows that a device keeps, in one buffer."""

    rows: Block
    spans: Sequence[int]


def _close_resident(host: _Host, team: _Team, plan: _Plan, progress: Callable[[int, int], None] | None) -> None:
    """Shorten all paths in a matrix that fits the devices; each keeps its rows."""
    residents = team.made(
        [functools.partial(_Resident, host, worker, part, team, plan) for part, worker in enumerate(team.workers)]
    )
    reported = 0

    def report() -> None:
        nonlocal reported
        finished = min(each.finished for each in residents)
        if progress is not None and finished > reported:
            reported = finished
            progress(min(finished * SPAN, plan.n), plan.n)

    team.together([each.run for each in residents], report)
    team.together([each.bring_back for each in residents])


class _Resident:
    """A device that keeps its rows.

    While the devices are busy with one span, the one that has the rows of the next span brings these up to date first
    and hands them over, so that nobody waits for them.
    """

    def __init__(self, host: _Host, worker: _Worker, part: int, team: _Team, plan: _Plan) -> None:
        self._host = host
        self._worker = worker
        self._team = team
        self._plan = plan
        self._alone = plan.parts == 1
        spans = plan.own_spans(part)
        largest = worker.job.device.max_allocation // (SPAN * plan.padded * host.matrix.itemsize)
        self._shares: list[_Share] = []
        for place, count in _pieces(len(spans), max(1, largest)):
            own = spans[place : place + count]
            self._shares.append(_Share(worker.allocate(sum(map(plan.size, own))), own))
        worker.allocate_panels(self._shares[0].rows)
        self._places = {
            span: share.rows.at(place * SPAN, 0) for share in self._shares for place, span in enumerate(share.spans)
        }
        self._received = [] if self._alone else [worker.allocate(plan.side) for _ in range(2)]
        self._outgoing, self._incoming = worker.staging
        self._marks: list[cl.Event] = []  # where the commands of each span end
        self.finished = 0

    def run(self) -> None:
        """Load the rows, and shorten all paths."""
        plan, worker = self._plan, self._worker
        for span, rows in self._places.items():
            worker.upload(self._host.read, span * SPAN, rows, plan.size(span))
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
                worker.shorten(rows, plan.size(following), span * SPAN, plan.size(span), panel)
                self._prepare(following)
                done.add(following)
            for rows, count in self._others(done):
                worker.shorten(rows, count, span * SPAN, plan.size(span), panel)
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

    def _runs(self) -> Iterator[_Run]:
        """Yield the rows of one span after the other, as long as no other device has failed."""
        for span, rows in self._places.items():
            self._team.go_on()
            first = span * SPAN
            yield _Run(rows, first, min(SPAN, self._plan.n - first))

    def _prepare(self, span: int) -> None:
        """Queue what is done to a span's own rows, and begin to copy them to the host for the others."""
        rows, size = self._places[span], self._plan.size(span)
        self._worker.shorten_own(rows, span * SPAN, size)
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
        _copy(panel, self._incoming.rows[:size])
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


# ---- rows that travel -------------------------------------------------------------------------------


def _close_streamed(host: _Host, team: _Team, plan: _Plan, progress: Callable[[int, int], None] | None) -> None:
    """Shorten all paths, in passes by way of some spans, in each of which every row travels once."""
    checkpoint = host.checkpoint
    streamers = team.made([functools.partial(_Streamer, host, worker, team, plan) for worker in team.workers])
    first = 0 if checkpoint is None else checkpoint.done
    while first < plan.n:
        if checkpoint is not None and checkpoint.unfinished is not None:
            size = checkpoint.unfinished[1]
        else:
            size = min(plan.pass_spans * SPAN, plan.n - first)
            team.together([functools.partial(streamers[0].begin_pass, first, size)])
        strips = [(0, first), (first + size, plan.n)]
        if checkpoint is not None:
            team.together([checkpoint.put_rows])
            strips = checkpoint.missing()
        pieces = [
            (start + place, count) for start, end in strips for place, count in _pieces(end - start, plan.strip_rows)
        ]
        waiting = iter(pieces)  # each device takes the next strip when it has room for it
        team.together([functools.partial(each.run, first, size, waiting) for each in streamers])
        if checkpoint is not None:
            checkpoint.end_pass()
        first += size
        if progress is not None:
            progress(first, plan.n)


class _Streamer:
    """A device through which strips of rows travel.

    What it needs for a pass are the panels: the rows of each span when it is their turn.
    """

    def __init__(self, host: _Host, worker: _Worker, team: _Team, plan: _Plan) -> None:
        self._host = host
        self._worker = worker
        self._team = team
        self._plan = plan
        self._panels = worker.allocate(plan.strip_rows)
        self._strips = [worker.allocate(plan.strip_rows) for _ in range(2)]
        worker.allocate_panels(self._strips[0])
        self._loaded = -1  # first vertex of the pass that the panels are for

    def begin_pass(self, first: int, size: int) -> None:
        """Shorten the paths in the rows of the vertices of a pass, and hand over these rows and the panels."""
        worker, own, count = self._worker, self._strips[0], round_up(size, TILE)
        worker.upload(self._host.read, first, own, count)
        for place, length in _pieces(count, SPAN):
            rows = own.at(place, 0)
            worker.shorten_own(rows, first + place, length)
            worker.copy_rows(rows, self._panels.at(place, 0), length)
            for other, others in _pieces(count, count, place, length):
                worker.shorten(own.at(other, 0), others, first + place, length, rows)
        self._loaded = first
        mark = worker.mark()
        if self._plan.parts > 1 or self._host.checkpoint is not None:
            worker.download([_Run(self._panels, 0, size)], self._host.panels_writer(size), mark)
        worker.download([_Run(own, 0, size)], self._host.own_rows_writer(first), mark)
        if self._host.checkpoint is not None:
            self._host.checkpoint.begin_pass(first, size)

    def run(self, first: int, size: int, strips: Iterator[tuple[int, int]]) -> None:
        """Shorten the paths by way of the vertices of a pass in strips of other rows, as long as there are any.

        While the device computes one strip, the one before is brought back and the next one loaded.
        """
        worker, count = self._worker, round_up(size, TILE)
        if self._loaded != first:
            worker.upload(self._host.read_panels, 0, self._panels, count)
            self._loaded = first
        computed: tuple[_Run, cl.Event] | None = None
        for turn, (row, length) in enumerate(strips):
            self._team.go_on()
            strip, padded = self._strips[turn % 2], round_up(length, TILE)
            worker.upload(self._host.read_for_pass, row, strip, padded)
            for place, span in _pieces(count, SPAN):
                self._team.go_on()
                worker.shorten(strip, padded, first + place, span, self._panels.at(place, 0))
            mark = worker.mark()
            if computed is not None:
                self._bring_back(*computed)
            computed = _Run(strip, row, length), mark
        if computed is not None:
            self._bring_back(*computed)
        for staging in worker.staging:  # of panels that no strip was left for
            staging.wait()

    def _bring_back(self, strip: _Run, mark: cl.Event) -> None:
        checkpoint, last = self._host.checkpoint, strip.first + strip.length
        if checkpoint is not None:
            checkpoint.begin_rows(strip.first, last)
        self._worker.download([strip], self._host.write, mark)
        if checkpoint is not None:
            checkpoint.end_rows(strip.first, last)
