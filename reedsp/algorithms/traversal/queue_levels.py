"""The order of a queue on GPUs: level after level, the small ones by one work-group (cl/traversal/queue_levels.cl)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from reedsp.cost_model.place import is_too_deep
from reedsp.device.build import constants
from reedsp.device.iterate import Pace
from reedsp.device.job import Argument, Job
from reedsp.edges.preparation import MatrixRows

_FILE = "traversal/queue_levels.cl"
_GROUP_SIZE = 512
_ALONE = ((384, 4), (512, 6))  # see sizes_alone
_VERTEX_BYTES = {"int": 9, "long": 13}  # of local memory, by the type of row pointers
_OTHER_BYTES = 6144
_DEGREE_ALONE = 64
_FIRST_LEVELS, _MOST_LEVELS = 128, 1 << 20


def search_by_levels(
    rows: MatrixRows,
    start: int,
    meanwhile: Callable[[], None] | None = None,
    *,
    sizes: Sequence[tuple[int, int]] | None = None,
    to_the_end: bool = False,
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]] | None:
    """Return the order and the predecessors, as for :func:`.queue_order`.

    Parameters
    ----------
    rows, start, meanwhile
    sizes : sequence of (int, int), optional
        As :func:`sizes_alone` has them; the first that a level fits into is taken.
    to_the_end : bool
        Go on if there are so many levels that the host would be done sooner; None is returned otherwise.
    """
    job, n = rows.job, rows.n
    group = _rounded(job, _GROUP_SIZE)
    if group == 0 or rows.m >= 1 << 32:
        return None
    options = {
        "DEGREE_ALONE": _DEGREE_ALONE,
        "ATOMIC_LOADS": int(not job.device.loads_are_atomic),
        **rows.macros,
    }
    sizes, together = sizes_alone(rows) if sizes is None else sizes, (group, 1)
    layout = constants(_FILE)

    def launch(name: str, items: int, size: tuple[int, int], *args: Argument) -> None:
        kernel = job.device.kernel(_FILE, name, GROUP_SIZE=size[0], VERTICES=size[1], **options)
        job.launch(kernel, items, min(items, size[0]), *args)

    claims, counts = job.allocate(n, np.uint32), job.allocate(-(-n // group) + 1, np.uint32)
    queue, predecessors, state = job.allocate(n, np.int32), job.allocate(n, np.int32), job.allocate(4, np.uint32)
    edges, level = (rows.indptr, rows.indices), (rows.indptr, rows.indices, queue, claims)
    begin = (claims, queue, predecessors, state, np.uint32(start), np.uint32(n))
    launch("begin", -(-n // group) * group, together, *begin)
    pace = Pace(_FIRST_LEVELS, _MOST_LEVELS)
    head, tail, has_hub, launches = 0, 1, False, 0
    while head < tail:
        size = next((each for each in sizes if tail - head <= each[0] * each[1] and not has_hub), None)
        if size is None:
            groups = -(-(tail - head) // group)
            launch("claim", groups * group, together, *level, state)
            launch("count", groups * group, together, *level, counts, state)
            launch("add_up", group, together, counts, np.uint32(groups))
            launch("append", groups * group, together, *level, counts, predecessors, state)
            launch("next_level", 1, together, counts, state, np.uint32(groups))
        else:
            pace.begin()
            most_levels = np.uint32(pace.amount)
            launch("search_alone", size[0], size, *edges, claims, queue, predecessors, state, most_levels)
        launches += 1
        if launches == 2 and meanwhile is not None:  # the first one takes less time
            job.queue.flush()
            meanwhile()
        words = job.download(state, 4, np.uint32)
        head, tail, levels, hub = (int(words[layout[name]]) for name in ("HEAD", "TAIL", "LEVELS", "HUB"))
        has_hub = bool(hub)
        if size is not None:
            pace.adapt()
            is_small = head < tail <= head + size[0] * size[1] and not has_hub  # a level after all those of this launch
            if is_small and not to_the_end and is_too_deep(levels, tail, n, rows.m):
                break
    if launches < 2 and meanwhile is not None:
        meanwhile()
    if head < tail:
        return None
    return job.download(queue, tail, np.int32), job.download(predecessors, n, np.int32)


def sizes_alone(rows: MatrixRows) -> list[tuple[int, int]]:
    """Return work-groups that search alone, as far as the device has work-items and local memory, the small one first.

    Each is a size, and the most vertices of a level that each of its work-items takes. There are none where work-groups
    are too small to search together, too.
    """
    bytes_each, free = _VERTEX_BYTES[str(rows.macros["POINTER"])], rows.job.device.local_memory - _OTHER_BYTES
    found = [(_rounded(rows.job, group), vertices) for group, vertices in _ALONE]
    return [(group, max(1, min(vertices, free // (bytes_each * group)))) for group, vertices in found if group > 0]


def _rounded(job: Job, group: int) -> int:
    return min(group, job.device.max_work_group_size) // 32 * 32
