"""What is known of the edges at each vertex before a search, and spares it work (Busato and Bombieri, section 3.2)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyopencl as cl

from reedsp.device.device import Device
from reedsp.device.job import Job
from reedsp.graph.graph import Graph

SOLE = 1
"""At most one edge ends at the vertex."""

LEAF = 2
"""No edge leaves the vertex, or only one, back to where the only edge that ends at it comes from.

Neither of these two edges has a negative weight, so that nothing is ever gained by the way there and back.
"""


def edge_classes(graph: Graph) -> npt.NDArray[np.uint8]:
    """Return the classes of each vertex, sums of :data:`SOLE` and :data:`LEAF`, found at the first call.

    Parameters
    ----------
    graph : Graph

    Returns
    -------
    ndarray of uint8, shape (n,)
    """
    classes: npt.NDArray[np.uint8] | None = graph._derived.get("edge_classes")
    if classes is None:
        classes = graph._derived["edge_classes"] = _found(graph)
    return classes


def edge_classes_on(graph: Graph, job: Job) -> cl.Buffer:
    """Return the classes of each vertex on the job's device, copied there only once."""
    copies: dict[Device, cl.Buffer] = graph._derived.setdefault("edge_classes_on_devices", {})
    if job.device not in copies:
        copies[job.device] = job.upload(edge_classes(graph))
    return copies[job.device]


def _found(graph: Graph) -> npt.NDArray[np.uint8]:
    out_degrees, in_degrees = np.diff(graph.indptr), np.bincount(graph.indices, minlength=graph.n)
    is_leaf = out_degrees == 0
    edge_into = np.zeros(graph.n, np.int64)  # the one that ends at each vertex, where there is only one
    edge_into[graph.indices] = np.arange(graph.m)
    ends = np.flatnonzero((out_degrees == 1) & (in_degrees == 1))
    into, out = edge_into[ends], graph.indptr[ends]
    came_from = np.searchsorted(graph.indptr, into, "right") - 1
    there_and_back = came_from == graph.indices[out]
    is_leaf[ends] = there_and_back & (graph.weights[into] >= 0) & (graph.weights[out] >= 0)
    return np.where(in_degrees <= 1, SOLE, 0).astype(np.uint8) | np.where(is_leaf, LEAF, 0).astype(np.uint8)
