"""The ladder of load balancing by itself (cl/experiments/expansion.cl): whose each unit is."""

from __future__ import annotations

import numpy as np
import pyopencl as cl

from reedsp.device.job import BoundKernel, Job
from reedsp.edges.ladder import Rung, RungPlan

FILE = "experiments/expansion.cl"


def plan_expansions(
    job: Job,
    rung: Rung,
    prefixes: cl.Buffer,
    items: int,
    units: tuple[int, int],
    owners: cl.Buffer,
    *,
    offset: str = "uint",
    item_count: cl.Buffer | None = None,
    adds: bool = False,
) -> list[list[BoundKernel]]:
    """Return kernels that write for each unit, from the first of two on and below the second, its item.

    There are three plans, which take turns. `items` is how many there are, or may be if `item_count` says how many;
    with `adds` one more is added to what is there.
    """
    first, last = units
    plan = RungPlan(job, rung, prefixes, offset, item_count, items, last)
    macros = {"ADDS": int(adds), "COUNTED": int(item_count is not None), "OFFSET": offset}
    kernel = job.device.kernel(FILE, "expand", **macros, **rung.macros)
    counts = prefixes if item_count is None else item_count
    limits = (np.uint64(first), np.uint64(last))
    plans = []
    for turn in range(3):
        args = (prefixes, counts, plan.buffer, owners, np.uint32(items), np.uint32(turn), *limits)
        expansion = job.bind(kernel, rung.items, rung.group_size, *args)
        plans.append([*plan.for_round(turn), *plan.for_units(first, last), expansion])
    return plans
