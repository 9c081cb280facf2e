"""Edges of a hierarchy on a device, and the macros of what is found there (results.cl)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyopencl as cl

from reedsp.algorithms.contraction.exact import unit_macros
from reedsp.algorithms.contraction.hierarchy import Hierarchy
from reedsp.arithmetic.paths import Arithmetic
from reedsp.arithmetic.types import weight_macros
from reedsp.device.job import Job


class ResidentEdges(NamedTuple):
    """The first edge of each vertex, and pairs of the other end and the weight."""

    first: cl.Buffer
    edges: cl.Buffer


def uploaded(
    first: npt.NDArray[Any], ends: npt.NDArray[np.int32], weights: npt.NDArray[Any], job: Job
) -> ResidentEdges:
    """Copy edges to a device."""
    pairs = np.empty(len(ends), np.dtype([("target", np.int32), ("weight", weights.dtype)], align=True))
    pairs["target"], pairs["weight"] = ends, weights
    return ResidentEdges(job.upload(first.astype(np.uint32)), job.upload(pairs))


def result_macros(hierarchy: Hierarchy, arithmetic: Arithmetic) -> dict[str, str | int]:
    """Return the macros of kernels that write distances in a type which holds all of them."""
    of_result = weight_macros(arithmetic.dtype)
    scale = float.hex(2.0**hierarchy.exponent) if arithmetic.dtype.kind == "f" else "1"
    return {
        "RESULT": of_result["WEIGHT"],
        "RESULT_INF": of_result["INF"],
        "SCALE": scale,
        "OFFSET": "uint",
        **unit_macros(hierarchy.up.weights.dtype),
    }
