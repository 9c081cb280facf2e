"""Components without regard to directions, by few work-items of a CPU (cl/components/ranges.cl)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from reedsp.device.device import Device
from reedsp.device.job import Argument
from reedsp.edges.preparation import MatrixRows

_FILE = "components/ranges.cl"
_VERTICES = 1 << 12  # of a work-item, at least: a launch of several takes as long as some thousand vertices


def label_by_ranges(rows: MatrixRows, symmetric: bool, labels: npt.NDArray[np.int32], parts: int | None = None) -> int:
    """Write the number of the component of each vertex, in the order of their smallest vertices; return how many.

    Parameters
    ----------
    rows : MatrixRows
        With columns in range, which stand in any order, and more than once if they do; at least one row.
    symmetric : bool
        Each edge is there in both directions, so that one of them needs to be looked at.
    labels : ndarray, shape (n,)
    parts : int, optional
        Work-items.
    """
    job, n = rows.job, rows.n
    if parts is None:
        parts = max(1, min(job.device.compute_units, n // _VERTICES))
    at_once = job.device.steps_at_once
    launches = -(-n // at_once)
    parents = job.borrow(labels, writable=True)
    numbers, counts = job.allocate(n, np.int32), job.allocate(launches * parts, np.uint32)
    largest = job.allocate(1, np.int32)
    macros: dict[str, str | int] = {"SYMMETRIC": int(symmetric), **_macros(job.device, parts), **rows.macros}

    def launch(name: str, total: int, *args: Argument, by_part: bool = False) -> None:
        kernel = job.device.kernel(_FILE, name, **macros)
        for number, first in enumerate(range(0, total, at_once)):
            end = min(first + at_once, total)
            part = (np.uint32(number * parts),) if by_part else ()
            job.launch(kernel, parts, 1, *args, *part, np.uint64(first), np.uint64(end))
            job.add_steps(end - first)

    edges = (rows.indptr, rows.indices, parents)
    launch("begin", n, *edges)
    launch("link_first", n, *edges)
    launch("settle", n, parents, counts, by_part=True)
    job.launch(job.device.kernel(_FILE, "find_largest", **macros), 1, 1, parents, largest, np.uint32(n))
    launch("link_rest", n + rows.m, *edges, largest, np.uint32(n))
    launch("settle", n, parents, counts, by_part=True)
    launch("number", n, parents, numbers, counts, by_part=True)
    launch("write_labels", n, parents, numbers)
    count = int(job.download(counts, launches * parts, np.uint32).sum())
    job.give_back(parents, labels)
    return count


def _macros(device: Device, parts: int) -> dict[str, str | int]:
    return {"ATOMIC": int(parts > 1), "ATOMIC_LOADS": int(parts > 1 and not device.loads_are_atomic)}
