"""Dulle's kernels on a dense matrix (cl/forests/dulle.cl), with an order of edges that makes them right."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyopencl as cl

from reedsp.algorithms.structure.forests.edges import GROUP_SIZE, DeviceEdges, Order, key_macros
from reedsp.arithmetic.types import C_TYPES
from reedsp.device.dispatch import even
from reedsp.device.job import Argument, Job

_FILE = "forests/dulle.cl"


def dulle(
    edges: DeviceEdges, order: Order, flags: int, thresholds: list[int], chosen: cl.Buffer, job: Job
) -> dict[str, Any]:
    """Mark the edges of the spanning forest of the rows of a matrix, of which those to later vertices count.

    Dulle (2016), section 5.7, Algorithm 19: as many rounds as the number of vertices has bits, in each of which all
    components hook to another one, and as many steps that lead each vertex to the name of its component.

    Parameters as for :func:`.kruskal`; no edge is left for later, whatever the thresholds.
    """
    n, size = np.uint32(edges.n), edges.n
    order_arguments = np.uint64(order.origin), np.uint32(flags), n
    macros: dict[str, str | int] = {
        **key_macros(edges.value, order),
        "POINTER": C_TYPES[edges.pointer],
        "INDEX": C_TYPES[edges.index],
        "GROUP_SIZE": GROUP_SIZE,
        "BY_ROWS": int(job.device.kind == "cpu"),
    }
    matrix = job.full(size * size, np.uint32(0))
    component, nearest, after = (job.allocate(size, np.int32) for _ in range(3))

    def launch(name: str, steps: int, *args: Argument) -> None:
        kernel = job.device.kernel(_FILE, name, **macros)
        slices = even(0, size, GROUP_SIZE, steps, job.device.steps_at_once)
        job.launch(kernel, size, GROUP_SIZE, *args, slices=slices)

    launch("place_edges", edges.m, edges.indptr, edges.heads, matrix, component, n)
    rounds = (size - 1).bit_length()
    for _ in range(rounds):
        launch("find_nearest", size * size, edges.values, matrix, component, nearest, *order_arguments)
        both = component, nearest, after, chosen
        launch("choose", size * size, edges.values, matrix, *both, *order_arguments)
        launch("hook", size, component, after, n)
        launch("jump", size, component, after, n)
        launch("part_pairs", size, component, after, n)
        for _ in range(rounds):
            launch("jump", size, component, after, n)
            component, after = after, component
    return {"rounds": rounds}
