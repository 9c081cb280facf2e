"""The order of a queue on GPUs: level after level, the small ones by one work-group (cl/traversal/queue_levels.cl)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from reedsp.device.build import constants
from reedsp.device.iterate import Pace
from reedsp.device.job import Argument
from reedsp.edges.preparation import MatrixRows
from reedsp.system.place import is_too_deep

_FILE = "traversal/queue_levels.cl"
_GROUP_SIZE = 512
_VERTICES = 4  # of a work-item that searches without other work-groups, if there is local memory for them
_VERTEX_BYTES = {"int": 9, "long": 13}  # by the type of row pointers
_FREE_BYTES = 6144
_DEGREE_ALONE = 64
_FIRST_LEVELS, _MOST_LEVELS = 128, 1 << 20


def search_by_levels(
    rows: MatrixRows, start: int, to_the_end: bool = False
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]] | None:
    """Return the order and the predecessors, as for :func:`.queue_order`.

    None if there are too many levels for a GPU, unless it is to search `to_the_end`.
    """
    job, n = rows.job, rows.n
    group = min(_GROUP_SIZE, job.device.max_work_group_size) // 32 * 32
    if group == 0 or rows.m >= 1 << 32:
        return None
    bytes_each = _VERTEX_BYTES[str(rows.macros["POINTER"])]
    macros: dict[str, str | int] = {
        "GROUP_SIZE": group,
        "VERTICES": max(1, min(_VERTICES, (job.device.local_memory - _FREE_BYTES) // (bytes_each * group))),
        "DEGREE_ALONE": _DEGREE_ALONE,
        "ATOMIC_LOADS": int(not job.device.loads_are_atomic),
        **rows.macros,
    }
    layout = constants(_FILE)

    def launch(name: str, items: int, *args: Argument) -> None:
        job.launch(job.device.kernel(_FILE, name, **macros), items, min(items, group), *args)

    claims, counts = job.allocate(n, np.uint32), job.allocate(-(-n // group) + 1, np.uint32)
    queue, predecessors, state = job.allocate(n, np.int32), job.allocate(n, np.int32), job.allocate(4, np.uint32)
    edges, level = (rows.indptr, rows.indices), (rows.indptr, rows.indices, queue, claims)
    launch("begin", -(-n // group) * group, claims, queue, predecessors, state, np.uint32(start), np.uint32(n))
    pace = Pace(_FIRST_LEVELS, _MOST_LEVELS)
    head, tail, is_large = 0, 1, False
    while head < tail:
        groups = -(-(tail - head) // group)
        if is_large:
            launch("claim", groups * group, *level, state)
            launch("count", groups * group, *level, counts, state)
            launch("add_up", group, counts, np.uint32(groups))
            launch("append", groups * group, *level, counts, predecessors, state)
            launch("next_level", 1, counts, state, np.uint32(groups))
        else:
            pace.begin()
            launch("search_alone", group, *edges, claims, queue, predecessors, state, np.uint32(pace.amount))
        words = job.download(state, 4, np.uint32)
        head, tail, levels = (int(words[layout[name]]) for name in ("HEAD", "TAIL", "LEVELS"))
        if not is_large:
            pace.adapt()
            if head < tail and not to_the_end and is_too_deep(levels, tail, n, rows.m):
                return None
        is_large = bool(words[layout["TOO_LARGE"]])
    return job.download(queue, tail, np.int32), job.download(predecessors, n, np.int32)
