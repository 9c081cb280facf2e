"""Blocked Floyd-Warshall on a matrix that is larger than a device's memory, or is spread over several devices.

The order in which floats are added up, and therefore every bit, is that of :meth:`FloydWarshall.solve`: spans of
vertices follow one another, of each span its own rows come first, and what is then done to another row depends on that
row and on them alone. So rows may lie anywhere. Either each device keeps its share of them throughout, and only the
rows of a span travel; or strips of rows travel through the devices, once for a pass through several spans.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy.typing as npt

from reedsp.algorithms.all_pairs.out_of_core.checkpoint import Checkpoint
from reedsp.algorithms.all_pairs.out_of_core.host import Host
from reedsp.algorithms.all_pairs.out_of_core.plan import make_plan
from reedsp.algorithms.all_pairs.out_of_core.resident import solve_resident
from reedsp.algorithms.all_pairs.out_of_core.streamed import solve_streamed
from reedsp.algorithms.all_pairs.out_of_core.team import Team
from reedsp.algorithms.all_pairs.out_of_core.worker import Worker
from reedsp.arithmetic.matrix import Weights
from reedsp.device.device import Device
from reedsp.device.job import Job


def solve_matrix(
    matrix: npt.NDArray[Any],
    weights: Weights,
    devices: Sequence[Device],
    memory_limit: int | None = None,
    checkpoint: Checkpoint | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[Job]:
    """Relax all paths in a matrix on the host through every vertex, in place.

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
        Called when all paths have been relaxed through the first `vertices` vertices.

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
    plan = make_plan(n, weights, devices, memory_limit, checkpoint)
    host = Host(matrix, weights.no_path, checkpoint)
    team = Team()
    team.workers = team.made([functools.partial(Worker, each, weights, plan) for each in devices[: plan.parts]])
    if plan.resident:
        solve_resident(host, team, plan, progress)
    else:
        solve_streamed(host, team, plan, progress)
    return [worker.job for worker in team.workers]
