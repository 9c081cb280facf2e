"""Floyd-Warshall as Lund and Smith made it faster, from one task a work-item to the staged load, each step to be run.

"A Multi-Stage CUDA Kernel for Floyd-Warshall": table 1 there compares these methods.
"""

from __future__ import annotations

import numpy as np
import pyopencl as cl

from reedsp.arithmetic.matrix import Weights
from reedsp.device.dispatch import PAIRS_A_STEP, even
from reedsp.device.job import Job

LADDER = ("harish-narayanan", "katz-kider", "optimized-blocked", "staged-load")
TILE = 32

_TASK_GROUP = (TILE, 4)
_LARGEST_SIDE = 16  # Katz and Kider: 256 work-items a tile
_LARGEST_ROWS = 8  # Optimized and Blocked: as many
_UNROLL = 8
_STAGED = {"TILE": TILE, "STAGE": 4, "GROUP_SIZE": 64}  # section 4.2


def solve(job: Job, weights: Weights, matrix: cl.Buffer, n: int, method: str) -> None:
    """Queue the Floyd-Warshall algorithm on a matrix on the device, in place.

    Afterwards entry (i, j) is the weight of the best path from i to j. Where a path can pass a negative cycle it is no
    greater than the weight of any path that passes no vertex twice, and entry (i, i) is negative for each vertex i of
    such a cycle. Integers below the lowest of `weights` are raised to it.

    Parameters
    ----------
    job : Job
    weights : Weights
        The limit is no less than the weight of any path that passes no vertex twice, or of any part of one.
    matrix : pyopencl.Buffer
        Edge weights, (n, n) in row-major order, ``weights.no_path`` where there is no edge; on the diagonal 0 or a
        negative self-loop, or `no_path` for a vertex without edges.
    n : int
        A multiple of `TILE`: the matrix is filled up with `no_path`.
    method : str
        One of `LADDER`, from Lund and Smith: "harish-narayanan" (section 3.1) launches a work-item for each task,
        "katz-kider" (section 3.2) takes tiles into local memory, "optimized-blocked" (section 4) does this with fewer
        instructions, and "staged-load" (sections 4.1 to 4.3) has tiles in registers and loads what they depend on in
        stages. It needs a second matrix on the device.

    Raises
    ------
    ValueError
        The method is unknown, or `n` no multiple of `TILE`.
    DeviceError, DeviceMemoryError
        The device cannot do it.
    """
    if method not in LADDER:
        raise ValueError(f"method: {method!r} is none of {', '.join(map(repr, LADDER))}")
    if n % TILE:
        raise ValueError(f"n: {n} is not a multiple of {TILE}")
    if n == 0:
        return
    if method == "harish-narayanan":
        _close_by_tasks(job, weights, matrix, n)
    elif method == "staged-load":
        _close_in_stages(job, weights, matrix, n)
    elif method == "katz-kider":
        side = _LARGEST_SIDE
        while side * side > job.device.max_work_group_size:
            side //= 2
        macros = {"TILE": TILE, "GROUP_SIDE": side, **weights.macros(job.device.kind)}
        _close_by_tiles(job, "all_pairs/katz_kider.cl", macros, (side, side), matrix, n)
    else:
        rows = _LARGEST_ROWS
        while rows > 1 and TILE * rows > job.device.max_work_group_size:
            rows //= 2
        macros = {"TILE": TILE, "GROUP_ROWS": rows, "UNROLL": _UNROLL, **weights.macros(job.device.kind)}
        _close_by_tiles(job, "all_pairs/optimized_blocked.cl", macros, (TILE, rows), matrix, n)


def _close_by_tasks(job: Job, weights: Weights, matrix: cl.Buffer, n: int) -> None:
    kernel = job.device.kernel("all_pairs/harish_narayanan.cl", "relax", **weights.macros(job.device.kind))
    slices = even(1, n, _TASK_GROUP[1], n * n // PAIRS_A_STEP, job.device.steps_at_once)
    relax = job.bind(kernel, (n, n), _TASK_GROUP, matrix, np.uint64(n), np.uint32(0), slices=slices)
    for k in range(n):
        relax.set("k", np.uint32(k))
        relax.queue()


def _close_by_tiles(
    job: Job, file: str, macros: dict[str, str | int], group: tuple[int, int], matrix: cl.Buffer, n: int
) -> None:
    others = n // TILE - 1
    groups = {"independent_tile": (1, 1)}
    if others:
        groups |= {"singly_dependent_tiles": (others, 2), "doubly_dependent_tiles": (others, others)}
    kernels = []
    for name, (across, down) in groups.items():
        kernel = job.device.kernel(file, name, **macros)
        items = (across * group[0], down * group[1])
        slices = even(1, items[1], group[1], across * down * TILE**3 // PAIRS_A_STEP, job.device.steps_at_once)
        kernels.append(job.bind(kernel, items, group, matrix, np.uint32(n), np.uint32(0), slices=slices))
    for diagonal in range(n // TILE):
        for bound in kernels:
            bound.set("diagonal", np.uint32(diagonal))
            bound.queue()


def _close_in_stages(job: Job, weights: Weights, matrix: cl.Buffer, n: int) -> None:
    macros = {**_STAGED, **weights.macros(job.device.kind)}
    to_tiles, from_tiles = (
        job.device.kernel("all_pairs/staged_load.cl", name, **macros) for name in ("to_tiles", "from_tiles")
    )
    tiles = job.allocate(n * n, weights.dtype)
    slices = even(1, n, _TASK_GROUP[1], n * n // PAIRS_A_STEP, job.device.steps_at_once)
    job.launch(to_tiles, (n, n), _TASK_GROUP, matrix, tiles, np.uint32(n), slices=slices)
    _close_by_tiles(job, "all_pairs/staged_load.cl", macros, (_STAGED["GROUP_SIZE"], 1), tiles, n)
    job.launch(from_tiles, (n, n), _TASK_GROUP, tiles, matrix, np.uint32(n), slices=slices)
