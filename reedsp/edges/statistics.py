"""What rows of distances amount to: how many vertices are reached, how far the farthest is, and the sum of distances.

Sums of floating-point numbers are the same wherever they are added up (cl/edges/statistics.cl).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyopencl as cl

from reedsp.arithmetic.paths import Arithmetic
from reedsp.arithmetic.types import C_TYPES
from reedsp.device.build import constants
from reedsp.device.device import Device
from reedsp.device.dispatch import even
from reedsp.device.job import Job, Memory
from reedsp.device.selfcheck import is_trusted
from reedsp.edges.device_graph import UNREACHED
from reedsp.edges.overflow_error import VertexOverflowError

_FILE = "edges/statistics.cl"
_LANES = constants(_FILE)["LANES"]
_INT64_MAX = 2**63 - 1
_LEVELS = {**Arithmetic(np.dtype(np.int32)).macros, "INF": str(UNREACHED)}


@dataclass(frozen=True)
class RowStatistics:
    """Statistics of rows of distances.

    Attributes
    ----------
    reached : ndarray of int64, shape (rows,)
        How many vertices there is a path to.
    farthest : ndarray of the arithmetic's dtype, shape (rows,)
        The largest distance to one of these; 0 if there is none.
    total : ndarray of int64, or float64 where distances are floats, shape (rows,)
        The sum of these distances.
    sources : sequence
        The names of the vertices that rows are from, for errors; empty if they are not known.
    """

    reached: npt.NDArray[np.int64]
    farthest: npt.NDArray[Any]
    total: npt.NDArray[Any]
    sources: Sequence[Any] = field(default=(), kw_only=True)

    @staticmethod
    def empty(rows: int, dtype: np.dtype[Any], sources: Sequence[Any] = ()) -> RowStatistics:
        """Return room for the statistics of so many rows of distances of a type."""
        total = np.int64 if dtype.kind == "i" else np.float64
        return RowStatistics(np.empty(rows, np.int64), np.empty(rows, dtype), np.empty(rows, total), sources=sources)

    def part(self, rows: slice) -> RowStatistics:
        """Return those of some rows, in the same memory."""
        return RowStatistics(self.reached[rows], self.farthest[rows], self.total[rows], sources=self.sources[rows])

    def equals(self, other: RowStatistics) -> bool:
        """Return whether others are the same."""
        return all(map(np.array_equal, _arrays(self), _arrays(other)))

    def _may_overflow(self, least: npt.NDArray[Any] | int = 0) -> npt.NDArray[np.intp]:
        """Return the rows whose sums may be beyond int64, given the smallest distance of each that is not above 0.

        Raises
        ------
        OverflowError
            A sum is beyond float64.
        """
        if self.farthest.dtype.kind != "i":
            if not (finite := np.isfinite(self.total)).all():
                raise self._beyond(int(finite.argmin()), "a number that is beyond float64")
            return np.empty(0, np.intp)
        most = np.maximum(self.farthest.astype(np.float64), -np.asarray(least, np.float64))
        return np.flatnonzero(self.reached * most >= _INT64_MAX)

    def _refuse_overflow(self, row: int, dist: npt.NDArray[Any]) -> None:
        total = sum(dist.tolist())
        if not -_INT64_MAX - 1 <= total <= _INT64_MAX:
            raise self._beyond(row, f"{total}, which is beyond int64")

    def _beyond(self, row: int, number: str) -> OverflowError:
        source, known = ("vertex {}", [self.sources[row]]) if len(self.sources) else ("a vertex", [])
        return VertexOverflowError(f"the distances from {source} add up to {number}", *known)


class Measured(NamedTuple):
    """Statistics that were found, and how."""

    rows: RowStatistics
    device: str
    """Where; each, if there were several."""
    method: str
    """That found the distances; each, if there were several."""
    because: str
    """Why that one."""
    kernels_launched: int

    @staticmethod
    def joined(parts: Sequence[Measured], found: np.dtype[Any]) -> Measured:
        """Return what was measured of rows, one part after the other, of distances that are found in a type."""
        rows = [RowStatistics.empty(0, found), *(part.rows for part in parts)]
        return Measured(
            RowStatistics(*map(np.concatenate, zip(*map(_arrays, rows), strict=True))),
            ", ".join(dict.fromkeys(part.device for part in parts)),
            ", ".join(dict.fromkeys(part.method for part in parts)),
            parts[0].because if parts else "there is nothing to find",
            sum(part.kernels_launched for part in parts),
        )


def _arrays(rows: RowStatistics) -> tuple[npt.NDArray[Any], ...]:
    return rows.reached, rows.farthest, rows.total


def add_up(
    job: Job, dist: cl.Buffer, n: int, statistics: RowStatistics, arithmetic: Arithmetic, group_size: int | None = None
) -> None:
    """Wait for the work queued so far, and fill statistics of rows that lie on the device.

    Parameters
    ----------
    job : Job
    dist : pyopencl.Buffer of the arithmetic's dtype, shape (rows, n)
        No row is all below zero.
    n : int
    statistics : RowStatistics
    arithmetic : Arithmetic
        One that :func:`adds_up`.
    group_size : int, optional
        Work-items that share a row; by default 1 on CPUs.

    Raises
    ------
    OverflowError
        The sum of a row is beyond int64, or float64.
    """
    _add_up(job, dist, n, n, statistics, arithmetic.macros, group_size)
    for row in statistics._may_overflow().tolist():
        own: npt.NDArray[Any] = np.empty(n, arithmetic.dtype)
        job.download_into(own, dist, row * n)
        statistics._refuse_overflow(row, own[own != arithmetic.infinity])


def add_up_levels(job: Job, found: Memory, n: int, statistics: RowStatistics) -> None:
    """Wait for the work queued so far, and fill statistics of levels, shape (rows, 2, n) with predecessors."""
    _add_up(job, found, n, 2 * n, statistics, _LEVELS)


def _add_up(
    job: Job,
    dist: Memory,
    n: int,
    stride: int,
    statistics: RowStatistics,
    macros: Mapping[str, str | int],
    group_size: int | None = None,
) -> None:
    rows, device = len(statistics.reached), job.device
    if rows == 0:
        return
    most = 1 if device.kind == "cpu" else min(_LANES, device.max_work_group_size)
    size = group_size or 1 << most.bit_length() - 1  # which divides the lanes
    total = np.dtype(np.uint64 if statistics.total.dtype.kind == "i" else np.float64)
    kernel = device.kernel(_FILE, "row_statistics", TOTAL=C_TYPES[total], GROUP_SIZE=size, **macros)
    found = job.allocate(rows, np.uint32), job.allocate(rows, statistics.farthest.dtype), job.allocate(rows, total)
    slices = even(0, rows * size, size, rows * n, device.steps_at_once)
    job.launch(kernel, rows * size, size, dist, *found, np.uint64(stride), np.uint32(n), slices=slices)
    statistics.reached[...] = job.download(found[0], rows, np.uint32)
    job.download_into(statistics.farthest, found[1])
    job.download_into(statistics.total.view(total), found[2])


def add_up_on_host(dist: npt.NDArray[Any], statistics: RowStatistics, no_path: Any) -> None:
    """Fill statistics of rows that lie on the host, shape (rows, n), in the same order of additions.

    Raises
    ------
    OverflowError
        The sum of a row is beyond int64, or float64.
    """
    rows, n = dist.shape
    counted = np.where(dist == no_path, dist.dtype.type(0), dist)
    statistics.reached[...] = np.count_nonzero(dist != no_path, axis=1)
    statistics.farthest[...] = counted.max(axis=1, initial=0)
    if dist.dtype.kind == "i":
        counted.sum(axis=1, dtype=np.int64, out=statistics.total)
        for row in statistics._may_overflow(counted.min(axis=1, initial=0)).tolist():
            statistics._refuse_overflow(row, counted[row])
        return
    lanes = np.zeros((rows, _LANES))
    with np.errstate(over="ignore", invalid="ignore"):
        for first in range(0, n, _LANES):
            some = counted[:, first : first + _LANES]
            lanes[:, : some.shape[1]] += some
        while lanes.shape[1] > 1:
            half = lanes.shape[1] // 2
            lanes = lanes[:, :half] + lanes[:, half:]
    statistics.total[...] = lanes[:, 0]
    statistics._may_overflow()


def adds_up(device: Device, arithmetic: Arithmetic) -> bool:
    """Return whether a device adds up rows of distances in an arithmetic, and rightly."""
    if arithmetic.dtype.kind == "f" and not device.fp64:
        return False
    return is_trusted(device, f"sums of distances in {arithmetic}", adds_up_known_rows, arithmetic)


def adds_up_levels(device: Device) -> bool:
    """Return whether a device adds up rows of levels, and rightly."""
    return is_trusted(device, "sums of levels", adds_up_known_levels)


def adds_up_known_levels(device: Device) -> bool:
    """Return whether a device finds the statistics of levels that the host knows."""
    rows, n, job = 3, _LANES + 5, Job(device)
    found = (np.arange(rows * 2 * n, dtype=np.int32) * 7919 % 101 - 1).reshape(rows, 2, n)
    statistics, expected = (RowStatistics.empty(rows, found.dtype) for _ in range(2))
    add_up_levels(job, job.upload(found), n, statistics)
    add_up_on_host(found[:, 0], expected, UNREACHED)
    return statistics.equals(expected)


def adds_up_known_rows(device: Device, arithmetic: Arithmetic) -> bool:
    """Return whether a device finds the statistics of rows that the host knows."""
    rows, n, job = 5, 2 * _LANES + 3, Job(device)
    dist = (np.arange(rows * n) * 7919 % 10_007).reshape(rows, n).astype(arithmetic.dtype)
    if arithmetic.dtype.kind == "f":
        dist /= arithmetic.dtype.type(3)
    dist[:, ::5] = arithmetic.infinity
    dist[1], dist[2, 1:], dist[3, : n - 1] = arithmetic.infinity, arithmetic.infinity, arithmetic.infinity
    found, expected = (RowStatistics.empty(rows, arithmetic.dtype) for _ in range(2))
    add_up(job, job.upload(dist), n, found, arithmetic)
    add_up_on_host(dist, expected, arithmetic.infinity)
    return found.equals(expected)
