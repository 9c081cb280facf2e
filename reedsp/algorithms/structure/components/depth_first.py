"""Strongly connected components by a search in depth, by one work-item (cl/components/depth_first.cl)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyopencl as cl

from reedsp.arithmetic.types import C_TYPES
from reedsp.device.build import SIMULATORS, constants
from reedsp.device.iterate import Pace, repeated
from reedsp.device.job import Argument, Memory
from reedsp.edges.preparation import MatrixRows

_FILE = "components/depth_first.cl"
_FIRST_BUDGET = 1 << 22  # edges
_NAMES = {name: np.dtype(dtype) for dtype, name in C_TYPES.items()}


def label_in_depth(rows: MatrixRows, labels: npt.NDArray[np.int32]) -> int:
    """Write the number of the strongly connected component of each vertex; return how many there are.

    Those of lower levels come first, and of these those of smaller vertices; the level is the number of edges between
    components on the longest path that leaves one.

    Parameters
    ----------
    rows : MatrixRows
        With columns in range; at least one row.
    labels : ndarray, shape (n,)
    """
    job, n = rows.job, rows.n
    components = job.allocate(n, np.int32)
    found, count, levels = _search(rows, components, descending=False)
    ranks, sizes = job.full(count, np.int32(-1)), job.full(levels, np.uint32(0))
    known = (found, components, ranks, sizes)
    at_once = job.device.steps_at_once

    def launch(name: str, items: int, total: int, *args: Argument) -> None:
        kernel = job.device.kernel(_FILE, name, **_macros(rows, descending=False))
        for first in range(0, total, at_once):
            end = min(first + at_once, total)
            job.launch(kernel, items, 1, *args, np.uint64(first), np.uint64(end))
            job.add_steps(end - first)

    launch("rank_components", 1, n, *known)
    launch("add_up", 1, levels, sizes)
    with job.writes(labels) as written:
        launch("write_labels", job.device.compute_units, n, *known, written)
    return count


def label_as_done(rows: MatrixRows, labels: npt.NDArray[np.int32], descending: bool) -> int:
    """Write the number of the strongly connected component of each vertex, in the order in which a search is done.

    Parameters
    ----------
    rows, labels
        As for :func:`label_in_depth`.
    descending : bool
        A vertex looks at its edges from the last one to the first: the order of SciPy's search before 1.18.
    """
    with rows.job.writes(labels) as written:
        _, count, _ = _search(rows, written, descending)
    return count


def _macros(rows: MatrixRows, descending: bool) -> dict[str, str | int]:
    prefetches = int(rows.job.device.platform not in SIMULATORS)
    return {"DESCENDING": int(descending), "PREFETCH_BUILT_IN": prefetches, **rows.macros}


def _search(rows: MatrixRows, components: Memory, descending: bool) -> tuple[cl.Buffer, int, int]:
    """Search; return what there is to know of each vertex, and the numbers of components and of their levels."""
    job, n, layout = rows.job, rows.n, constants(_FILE)
    pointer = _NAMES[str(rows.macros["POINTER"])]
    fields = [("entry", pointer), ("vertex", np.int32), ("own", np.uint32), ("low", np.uint32), ("behind", np.int32)]
    found, waiting = job.full(n, np.int32(0)), job.allocate(n, np.int32)
    frames = job.allocate(n, np.dtype(fields, align=True))
    state = job.full(layout["STATE_WORDS"], np.uint32(0))
    kernel = job.device.kernel(_FILE, "search", **_macros(rows, descending))
    args = (rows.indptr, rows.indices, found, components, frames, waiting, state)
    for _ in repeated(job.bind(kernel, 1, 1, *args, np.uint64(0), np.uint32(n)), Pace(_FIRST_BUDGET)):
        words = job.download(state, layout["STATE_WORDS"], np.uint32)
        if words[layout["NEXT"]] == n and words[layout["DEPTH"]] == 0:
            break
    return found, int(words[layout["COUNT"]]), int(words[layout["LEVELS"]])
