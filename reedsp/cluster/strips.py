"""What a worker does to rows of a matrix of path weights: pure functions of strips, to the bytes of one device.

A matrix is cut into strips of some spans of rows. A pass relaxes all paths through the vertices of one strip: its own
rows come first, and yield the panels, the rows of each span when it is their turn. All that the pass does to another
strip depends on that strip and the panels alone, and so does what becomes of its own rows. So strips may lie anywhere,
and only panels travel. It is the arithmetic of :mod:`reedsp.algorithms.all_pairs.out_of_core`, and its code.
"""

from __future__ import annotations

import dataclasses
import platform
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from reedsp.algorithms.all_pairs.host_matrix import fill_rows
from reedsp.algorithms.all_pairs.out_of_core.host import Host, Write, copy_rows
from reedsp.algorithms.all_pairs.out_of_core.plan import PART_OF_MEMORY, make_plan, pieces
from reedsp.algorithms.all_pairs.out_of_core.streamed import Streamer
from reedsp.algorithms.all_pairs.out_of_core.team import Team
from reedsp.algorithms.all_pairs.out_of_core.worker import Worker
from reedsp.arithmetic.matrix import Weights
from reedsp.cluster.worker import registry
from reedsp.device.device import Device
from reedsp.system.atomic_file import write_private, write_whole
from reedsp.system.host_memory import host_memory

_STREAMER = "strips of a matrix"
_PIECES = 4  # of a strip, on a device with memory of its own: one is computed on while others travel


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
    memory_limit : int or None
        Bytes that may be allocated on each device.
    """

    name: str
    graph: Any
    weights: Weights
    n: int
    spans: int
    rows: int
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


Rows = npt.NDArray[Any] | Filed
"""A strip, or panels, as they come to a task and leave it."""


# ---- tasks ------------------------------------------------------------------------------------------


def fill(strips: Strips, strip: int, into: Path | None) -> Rows:
    """Return a strip as it is at first: the weights of the edges from its vertices."""
    rows = np.empty((strips.size(strip), strips.n), strips.weights.dtype)
    fill_rows(registry.graph(strips.graph), strips.weights, strips.first(strip), rows)
    return _given(rows, into)


def relax(strips: Strips, strip: int, rows: Rows, passed: int, panels: Rows, into: Path | None) -> Rows:
    """Return a strip after the pass through another one, whose panels are given."""
    return _given(_relaxed(strips, strip, taken(strips, rows), passed, panels), into)


def close(strips: Strips, strip: int, rows: Rows, into: Path | None) -> Rows:
    """Return the panels of a strip whose turn it is."""
    return _given(_closed(strips, strip, taken(strips, rows)), into)


def relax_and_close(strips: Strips, strip: int, rows: Rows, passed: int, panels: Rows, into: Path | None) -> Rows:
    """Return the panels of a strip that is next, after the pass through another one, whose panels are given."""
    relaxed = _relaxed(strips, strip, taken(strips, rows), passed, panels)
    return _given(_closed(strips, strip, relaxed), into)


def own_rows(strips: Strips, strip: int, panels: Rows, into: Path | None) -> Rows:
    """Return a strip after the pass through itself, given its panels."""
    found = np.empty((strips.size(strip), strips.n), strips.weights.dtype)
    host = _StripHost(strips, strips.first(strip), None, found, panels)
    _on_device(strips, host, lambda streamer: streamer.own_rows(strips.first(strip), strips.size(strip)))
    return _given(found, into)


def store(strips: Strips, rows: Rows, path: Path) -> Filed:
    """Write a strip to a file that stays; return when it is on the disk."""
    content = _bytes(taken(strips, rows))
    write_whole(path, lambda stream: stream.write(content), overwrite=True)
    return Filed(path, zlib.crc32(content))


def taken(strips: Strips, rows: Rows) -> npt.NDArray[Any]:
    """Return rows, wherever they are.

    Raises
    ------
    ValueError
        A file is not what was written.
    OSError
    """
    if not isinstance(rows, Filed):
        return rows
    content = rows.path.read_bytes()
    wrong = len(content) % (strips.n * strips.weights.dtype.itemsize)
    if wrong or (rows.checksum is not None and zlib.crc32(content) != rows.checksum):
        raise ValueError(f"{rows.path}: wrong checksum; delete {rows.path.parent} to start again")
    return np.frombuffer(content, strips.weights.dtype).reshape(-1, strips.n)


class Memory(NamedTuple):
    """What a worker has memory for."""

    spans: int | str
    """Spans of rows at a time that fit its device; if none does, what is needed and what is there."""
    host: str
    memory: int
    """Bytes of the host."""


def memory_for(n: int, weights: Weights, most: int, memory_limit: int | None) -> Memory:
    """Return what the worker has memory for; strips have at most some spans."""
    device = registry.device()
    limit = int(PART_OF_MEMORY * device.global_memory) if memory_limit is None else memory_limit
    try:
        spans: int | str = make_plan(n, weights, [device], limit, None, most_spans=most).pass_spans
    except ValueError as error:
        spans = f"{device}: {error}"
    return Memory(spans, platform.node(), host_memory())


def release() -> None:
    """Give back the memory of the device in which strips were relaxed."""
    with registry.lock():
        registry.kept(_STREAMER, dict).clear()


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
    panels : ndarray of shape (vertices of the pass, n), or Filed, optional
        Read if they are not on the device from the task before.
    """

    def __init__(
        self,
        strips: Strips,
        first: int,
        rows: npt.NDArray[Any] | None,
        found: npt.NDArray[Any],
        panels: Rows | None = None,
    ) -> None:
        super().__init__(found if rows is None else rows, strips.weights.no_path, None)
        self._first = first
        self._found = found
        self._strips = strips
        self._given = panels

    def read_panels(self, first: int, rows: npt.NDArray[Any]) -> None:
        if self._panels is None:
            assert self._given is not None
            self._panels = taken(self._strips, self._given)
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

    _on_device(strips, _StripHost(strips, first, rows, found, panels), run)
    return found


def _closed(strips: Strips, strip: int, rows: npt.NDArray[Any]) -> npt.NDArray[Any]:
    found = np.empty_like(rows)
    host = _Closed(strips, strips.first(strip), rows, found)
    _on_device(strips, host, lambda streamer: streamer.begin_pass(strips.first(strip), len(rows)))
    return found


def _on_device(strips: Strips, host: Host, work: Callable[[Streamer], None]) -> None:
    """Do some work on the worker's device, in memory there that is kept for the next task."""
    with registry.lock():
        held: dict[str, Streamer] = registry.kept(_STREAMER, dict)
        streamer = held.get(strips.name)
        if streamer is None:
            held.clear()  # no other matrix is likely to go on here
            streamer = held[strips.name] = _streamer(strips, registry.device())
        idle, streamer.host = streamer.host, host
        try:
            work(streamer)
        except BaseException:
            held.clear()
            raise
        finally:
            streamer.host = idle


def _streamer(strips: Strips, device: Device) -> Streamer:
    """Return a device that rows can travel through, and none do yet."""
    plan = make_plan(strips.n, strips.weights, [device], strips.memory_limit, None, most_spans=strips.spans)
    plan = dataclasses.replace(plan, parts=2)  # others need the panels, too
    team = Team()
    team.workers = [Worker(device, strips.weights, plan)]
    none = np.empty((0, strips.n), strips.weights.dtype)
    return Streamer(Host(none, strips.weights.no_path, None), team.workers[0], team, plan)


def _given(rows: npt.NDArray[Any], into: Path | None) -> Rows:
    if into is None:
        return rows
    write_private(into, _bytes(rows))
    return Filed(into)


def _bytes(rows: npt.NDArray[Any]) -> Any:
    return np.ascontiguousarray(rows).reshape(-1).view(np.uint8).data
