"""Distances from a device, in its arithmetic or in float64 (cl/edges/distances.cl)."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyopencl as cl

from reedsp.arithmetic.paths import Arithmetic
from reedsp.device.device import Device
from reedsp.device.dispatch import even
from reedsp.device.job import Job
from reedsp.graph.graph import EXACT_IN_FLOAT64, Graph

_GROUP_SIZE = 64


def float64_holds(graph: Graph, device: Device, arithmetic: Arithmetic) -> bool:
    """Return whether the device can convert all distances of a graph to float64 without changing one."""
    if arithmetic.saturate or arithmetic.dtype.kind != "i" or not device.fp64:
        return False
    return arithmetic.dtype.itemsize == 4 or graph.simple_path_bound <= EXACT_IN_FLOAT64


def read_distances(job: Job, found: cl.Buffer, dist: npt.NDArray[Any], arithmetic: Arithmetic) -> None:
    """Wait for the work queued so far and copy distances into a contiguous array.

    Parameters
    ----------
    job : Job
    found : pyopencl.Buffer
        In the arithmetic's dtype.
    dist : ndarray of that dtype, or of float64 if :func:`float64_holds` them
    arithmetic : Arithmetic
    """
    if dist.dtype == arithmetic.dtype or dist.size == 0:
        job.download_into(dist, found)
        return
    kernel = job.device.kernel("edges/distances.cl", "convert_distances", **arithmetic.macros)
    slices = even(0, dist.size, _GROUP_SIZE, dist.size, job.device.steps_at_once)
    with job.writes(dist) as converted:
        job.launch(kernel, dist.size, _GROUP_SIZE, found, converted, np.uint64(dist.size), slices=slices)
