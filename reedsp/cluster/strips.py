"""What a worker does to rows of a matrix of path weights: functions of strips, to the bytes of one device.

A matrix is cut into strips of some spans of rows, and these are shared out. A pass relaxes all paths through the
vertices of one strip: its own rows come first, and yield the panels, the rows of each span when it is their turn. All
that the pass does to other rows depends on these and the panels alone, and so does what becomes of its own rows. So
strips may lie anywhere, and only panels travel. It is the arithmetic of
:mod:`reedsp.algorithms.all_pairs.out_of_core`, and its code.

Where devices have memory for it, the strips of a share stay on one from task to task. Otherwise each strip is a share
of its own, and is copied to a device whenever something is done to it.
"""

from __future__ import annotations

import dataclasses
import functools
import platform
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from reedsp.algorithms.all_pairs.host_matrix import fill_rows
from reedsp.algorithms.all_pairs.out_of_core.host import Host, Read, Write, copy_rows
from reedsp.algorithms.all_pairs.out_of_core.plan import PART_OF_MEMORY, Plan, make_plan, pieces
from reedsp.algorithms.all_pairs.out_of_core.streamed import Streamer
from reedsp.algorithms.all_pairs.out_of_core.team import Team
from reedsp.algorithms.all_pairs.out_of_core.worker import Worker
from reedsp.arithmetic.matrix import Weights
from reedsp.cluster.kept_rows import Keeper, KeptRows, LostRowsError, Part
from reedsp.cluster.worker import registry
from reedsp.device.device import Device
from reedsp.minplus.tilings import works_in_groups
from reedsp.system.files.atomic_file import write_private, write_whole
from reedsp.system.host_memory import host_memory

_ON_DEVICE = "strips of a matrix"
_PIECES = 4  # of a strip, on a device with memory of its own: one is computed on while others travel
_SHARES = 2  # that a device has memory for where one is kept, as a worker may be lost

_Made = TypeVar("_Made")
_Found = TypeVar("_Found")


@dataclass(frozen=True)
class Strips:
    """A matrix over workers, as its tasks know it.

    Attributes
    ----------
    name : str
        Of this piece of work, unlike any other's.
    graph : Reference
        The graph, as it was published.
    weights : Weights
    n : int
        Rows and columns.
    spans : int
        Spans of a strip.
    rows : int
        Rows of a strip; the last one may have fewer.
    shares : int
        Into how many shares the strips are dealt out in turn.
    kept : bool
        Whether each share stays on the device of a worker.
    memory_limit : int or None
        Bytes that may be allocated on each device.
    """

    name: str
    graph: Any
    weights: Weights
    n: int
    spans: int
    rows: int
    shares: int
    kept: bool
    memory_limit: int | None = None

    @property
    def count(self) -> int:
        """How many strips there are."""
        return -(-self.n // self.rows)

    def first(self, strip: int) -> int:
        """Return the first row of a strip."""
        return strip * self.rows

    def size(self, strip: int) -> int:
        """Return the number of rows of a strip."""
        return min(self.rows, self.n - self.first(strip))

    def share(self, strip: int) -> int:
        """Return the share that a strip belongs to."""
        return strip % self.shares

    def of_share(self, share: int) -> range:
        """Return the strips of a share."""
        return range(share, self.count, self.shares)

    def part(self, strip: int) -> Part:
        """Return the rows of a strip."""
        return Part(self.first(strip), self.size(strip))


@dataclass(frozen=True)
class Filed:
    """Rows in a file that all workers reach, in place of the rows themselves.

    Attributes
    ----------
    path : Path
    checksum : int or None
        That of the content, if it was written to stay.
    """

    path: Path
    checksum: int | None = None


Rows = npt.NDArray[Any] | KeptRows | Filed
"""Strips of a share, one after the other, or panels, as they come to a task and leave it."""


# ---- tasks ------------------------------------------------------------------------------------------


def fill(strips: Strips, share: int, into: Path | None) -> Rows:
    """Return a share as it is at first: the weights of the edges from its vertices."""
    if strips.kept:
        return _keep(strips, strips.of_share(share), 0, _reader(strips))
    rows = np.empty((strips.size(share), strips.n), strips.weights.dtype)
    _reader(strips)(share)(0, rows)
    return _given(rows, into)


def begin(strips: Strips, into: Path | None) -> Rows:
    """Return the panels of the first strip, which others wait for sooner than its share can be filled."""
    rows, own = _keep(strips, range(1), 0, _reader(strips)), strips.part(0)
    return _by_keeper(strips, lambda keeper: keeper.begin_pass(rows, own, None, None))


def load(strips: Strips, share: int, passes: int, *rows: Filed) -> Rows:
    """Return a share after some passes, whose strips are in files, as one that stays on the device."""
    files = dict(zip(strips.of_share(share), rows, strict=True))
    done, no_path = min(strips.first(passes), strips.n), strips.weights.no_path
    return _keep(
        strips, strips.of_share(share), done, lambda strip: Host(taken(strips, strip, files[strip]), no_path, None).read
    )


def bring(strips: Strips, passed: int, panels: Rows, into: Path | None) -> None:
    """Have panels on the device of the worker before it needs them."""
    own, given = strips.part(passed), _later(strips, passed, panels)
    _by_keeper(strips, lambda keeper: keeper.bring(own, given))


def relax_kept(
    strips: Strips, share: int, rows: Rows, passed: int, panels: Rows, next_panels: Rows | None, into: Path | None
) -> Rows:
    """Return a share that stays on the device after one or two passes, whose panels are given."""
    kept = _kept(strips, share, rows, strips.first(passed))
    for number, given in enumerate([panels] if next_panels is None else [panels, next_panels], start=passed):
        own, later = strips.part(number), _later(strips, number, given)
        kept = _by_keeper(strips, functools.partial(Keeper.relax, rows=kept, passed=own, panels=later))
    return kept


def relax(strips: Strips, strip: int, rows: Rows, passed: int, panels: Rows, into: Path | None) -> Rows:
    """Return a strip after the pass through another one, whose panels are given."""
    return _given(_relaxed(strips, strip, taken(strips, strip, rows), passed, panels), into)


def close(strips: Strips, strip: int, rows: Rows, into: Path | None) -> Rows:
    """Return the panels of a strip whose turn it is."""
    return _given(_closed(strips, strip, taken(strips, strip, rows)), into)


def relax_and_close(strips: Strips, strip: int, rows: Rows, passed: int, panels: Rows, into: Path | None) -> Rows:
    """Return the panels of a strip that is next, given its share, after the pass before it, whose panels are given."""
    if strips.kept:
        kept = _kept(strips, strips.share(strip), rows, strips.first(passed))
        own, before, given = strips.part(strip), strips.part(passed), _later(strips, passed, panels)
        return _by_keeper(strips, lambda keeper: keeper.begin_pass(kept, own, before, given))
    relaxed = _relaxed(strips, strip, taken(strips, strip, rows), passed, panels)
    return _given(_closed(strips, strip, relaxed), into)


def own_rows(strips: Strips, strip: int, panels: Rows, into: Path | None) -> Rows:
    """Return a strip after the pass through itself, given its panels."""
    found = np.empty((strips.size(strip), strips.n), strips.weights.dtype)
    host = _StripHost(strips, strips.first(strip), None, found, _later(strips, strip, panels))
    _stream(strips, host, lambda streamer: streamer.own_rows(strips.first(strip), strips.size(strip)))
    return _given(found, into)


def store(strips: Strips, strip: int, rows: Rows, path: Path) -> Filed:
    """Write a strip to a file that stays, given its share, or panels; return when it is on the disk."""
    content = _bytes(taken(strips, strip, rows))
    write_whole(path, lambda stream: stream.write(content), overwrite=True)
    return Filed(path, zlib.crc32(content))


def taken(strips: Strips, strip: int, rows: Rows) -> npt.NDArray[Any]:
    """Return a strip, given its share, or panels, wherever they are.

    Raises
    ------
    LostRowsError
        They are nowhere.
    ValueError
        A file is not what was written.
    OSError
    """
    if isinstance(rows, KeptRows):
        return rows.on_host(strips.first(strip))
    if rows is None:
        raise LostRowsError("rows were changed before they were sent to another worker")
    if not isinstance(rows, Filed):
        several = len(rows) > strips.size(strip)
        start = strip // strips.shares * strips.rows if several else 0
        return rows[start : start + strips.size(strip)]
    content = rows.path.read_bytes()
    wrong = len(content) % (strips.n * strips.weights.dtype.itemsize)
    if wrong or (rows.checksum is not None and zlib.crc32(content) != rows.checksum):
        raise ValueError(f"{rows.path}: wrong checksum; delete {rows.path.parent} to start again")
    return np.frombuffer(content, strips.weights.dtype).reshape(-1, strips.n)


class Memory(NamedTuple):
    """What a worker has memory for."""

    spans: int | str
    """Spans of rows at a time that fit its device; if none does, what is needed and what is there."""
    keeps: bool
    """Whether a share fits its device, and that of a worker which is lost."""
    host: str
    memory: int
    """Bytes of the host."""


def memory_for(n: int, weights: Weights, most: int, shares: int, memory_limit: int | None) -> Memory:
    """Return what the worker has memory for; strips have at most some spans, and are dealt out in some shares."""
    device, host = registry.device(), (platform.node(), host_memory())
    limit = int(PART_OF_MEMORY * device.global_memory) if memory_limit is None else memory_limit
    try:
        plan = make_plan(n, weights, [device], limit, None, most_spans=most)
    except ValueError as error:
        return Memory(f"{device}: {error}", False, *host)
    itemsize, strips = weights.dtype.itemsize, -(-plan.padded // plan.strip_rows)
    share = -(-strips // shares) * plan.strip_rows * plan.padded * itemsize
    needed = plan.bytes_needed(works_in_groups(device), itemsize) + _SHARES * share
    return Memory(plan.pass_spans, needed <= limit and share <= device.max_allocation, *host)


def release() -> None:
    """Give back the memory of the device in which strips were relaxed, but for those that are kept."""
    with registry.lock():
        registry.kept(_ON_DEVICE, dict).clear()


# ---- on the worker's device -------------------------------------------------------------------------


class _StripHost(Host):
    """Rows of one strip and the panels of a pass, in the memory of a worker.

    Parameters
    ----------
    strips : Strips
    first : int
        The first of the rows.
    rows, found : ndarray or None, shape (rows, n)
        What is read, and what is written.
    panels : callable, optional
        Returns them, shape (vertices of the pass, n), if they are not on the device from the task before.
    """

    def __init__(
        self,
        strips: Strips,
        first: int,
        rows: npt.NDArray[Any] | None,
        found: npt.NDArray[Any],
        panels: Callable[[], npt.NDArray[Any]] | None = None,
    ) -> None:
        super().__init__(found if rows is None else rows, strips.weights.no_path, None)
        self._first = first
        self._found = found
        self._given = panels

    def read_panels(self, first: int, rows: npt.NDArray[Any]) -> None:
        if self._panels is None:
            assert self._given is not None
            self._panels = self._given()
        super().read_panels(first, rows)

    def read(self, first: int, rows: npt.NDArray[Any]) -> None:
        super().read(first - self._first, rows)

    def read_for_pass(self, first: int, rows: npt.NDArray[Any]) -> None:
        self.read(first, rows)

    def write(self, first: int, rows: npt.NDArray[Any]) -> None:
        start = first - self._first
        copy_rows(self._without_padding(rows), self._found[start : start + len(rows)])

    def panels_writer(self, size: int) -> Write:
        return lambda row, rows: self.write(self._first + row, rows)


class _Closed(_StripHost):
    """The same, where the panels are wanted and not what becomes of the rows: that follows from the panels."""

    def own_rows_writer(self, first: int) -> Write:
        return lambda row, rows: None


def _relaxed(strips: Strips, strip: int, rows: npt.NDArray[Any], passed: int, panels: Rows) -> npt.NDArray[Any]:
    first, found = strips.first(strip), np.empty_like(rows)

    def run(streamer: Streamer) -> None:
        parts = 1 if registry.device().kind == "cpu" else _PIECES
        some = ((first + row, count) for row, count in pieces(len(rows), -(-strips.rows // parts)))
        streamer.run(strips.first(passed), strips.size(passed), some)

    _stream(strips, _StripHost(strips, first, rows, found, _later(strips, passed, panels)), run)
    return found


def _closed(strips: Strips, strip: int, rows: npt.NDArray[Any]) -> npt.NDArray[Any]:
    found = np.empty_like(rows)
    host = _Closed(strips, strips.first(strip), rows, found)
    _stream(strips, host, lambda streamer: streamer.begin_pass(strips.first(strip), len(rows)))
    return found


def _stream(strips: Strips, host: Host, work: Callable[[Streamer], None]) -> None:
    """Have rows of a host travel through the worker's device."""

    def run(streamer: Streamer) -> None:
        idle, streamer.host = streamer.host, host
        try:
            work(streamer)
        finally:
            streamer.host = idle

    _on_device(strips, _streamer, run)


def _reader(strips: Strips) -> Callable[[int], Read]:
    """Return what returns, for a strip, what fills in its rows as they are at first."""
    graph, weights = registry.graph(strips.graph), strips.weights

    def reader(strip: int) -> Read:
        def read(row: int, rows: npt.NDArray[Any]) -> None:
            there = rows[: strips.size(strip) - row, : strips.n]
            fill_rows(graph, weights, strips.first(strip) + row, there)
            rows[:, strips.n :] = weights.no_path
            rows[len(there) :] = weights.no_path

        return read

    return reader


def _keep(strips: Strips, some: range, done: int, reader: Callable[[int], Read]) -> KeptRows:
    """Have some strips stay on the worker's device from now on, given what reads each of them."""
    parts = ((strips.part(strip), reader(strip)) for strip in some)
    return _by_keeper(strips, lambda keeper: keeper.keep(parts, done))


def _kept(strips: Strips, share: int, rows: Rows, done: int) -> KeptRows:
    """Return a share that stays on the worker's device; if it was sent from another, it does so from now on."""
    if isinstance(rows, KeptRows):
        return rows
    some, no_path = strips.of_share(share), strips.weights.no_path
    return _keep(strips, some, done, lambda strip: Host(taken(strips, strip, rows), no_path, None).read)


def _later(strips: Strips, strip: int, panels: Rows) -> Callable[[], npt.NDArray[Any]]:
    """Return what returns panels, if they are needed."""
    return lambda: taken(strips, strip, panels)


def _by_keeper(strips: Strips, work: Callable[[Keeper], _Found]) -> _Found:
    """Do some work with rows that stay on the worker's device."""
    return _on_device(strips, _keeper, work)


def _on_device(
    strips: Strips, make: Callable[[Strips, Plan, Device], _Made], work: Callable[[_Made], _Found]
) -> _Found:
    """Do some work on the worker's device, with memory there that is kept for the next task."""
    with registry.lock():
        held: dict[str, _Made] = registry.kept(_ON_DEVICE, dict)
        if strips.name not in held:
            held.clear()  # no other matrix is likely to go on here
            device, limit = registry.device(), strips.memory_limit
            plan = make_plan(strips.n, strips.weights, [device], limit, None, most_spans=strips.spans)
            held[strips.name] = make(strips, plan, device)
        try:
            return work(held[strips.name])
        except BaseException:
            held.clear()
            raise


def _streamer(strips: Strips, plan: Plan, device: Device) -> Streamer:
    """Return a device that rows can travel through, and none do yet."""
    plan = dataclasses.replace(plan, parts=2)  # others need the panels, too
    team = Team()
    team.workers = [Worker(device, strips.weights, plan)]
    none = np.empty((0, strips.n), strips.weights.dtype)
    return Streamer(Host(none, strips.weights.no_path, None), team.workers[0], team, plan)


def _keeper(strips: Strips, plan: Plan, device: Device) -> Keeper:
    return Keeper(device, strips.weights, plan)


def _given(rows: npt.NDArray[Any], into: Path | None) -> Rows:
    if into is None:
        return rows
    write_private(into, _bytes(rows))
    return Filed(into)


def _bytes(rows: npt.NDArray[Any]) -> Any:
    return np.ascontiguousarray(rows).reshape(-1).view(np.uint8).data
