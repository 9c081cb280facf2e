"""Distances that stay on the device, for programs that go on with them there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyopencl as cl

from reedsp.algorithms.single_source import near_far_work_group, near_far_work_item
from reedsp.algorithms.single_source.near_far import chosen_form
from reedsp.algorithms.single_source.outcome import beyond
from reedsp.arithmetic.paths import choose_arithmetic, result_dtype
from reedsp.device.device import Device
from reedsp.device.discovery import device_or_that_of
from reedsp.device.job import Job
from reedsp.edges.device_graph import OutEdges
from reedsp.edges.predecessors import find_trees_outgoing
from reedsp.graph.arguments import as_graph, source_argument
from reedsp.typing import DistanceType, GraphLike, Vertex, Vertices

if TYPE_CHECKING:
    from pyopencl.array import Array


def distances_on_device(
    graph: GraphLike,
    source: Vertex | Vertices,
    *,
    dtype: DistanceType | None = None,
    queue: cl.CommandQueue | None = None,
    device: Device | int | str | None = None,
) -> Array:
    """Find the distances from one source or several by near-far, and leave them on the device.

    Parameters
    ----------
    graph : Graph, scipy sparse matrix, dense array or networkx graph
        As for :func:`reedsp.sssp`, without negative weights. A Graph is copied to the device at its first use only;
        with a `queue`, at each.
    source : int or sequence of int
        As for :func:`reedsp.sssp`. All rows are found at once, so that there has to be memory for them.
    dtype : {None, "float64", "float32", "int64", "int32"}
        As for :func:`reedsp.sssp`, but nothing is converted; see below.
    queue : pyopencl.CommandQueue, optional
        Where the array is to be used. By default that of the `device`.
    device : Device, int or str, optional
        As for :func:`reedsp.sssp`, where no queue is given.

    Returns
    -------
    pyopencl.array.Array, shape (n,) or (k, n)
        The distances as the device has added them: integer weights as int32 if every path weight fits, else as int64
        (whichever `dtype` was asked for), others as float64, or float32 if that was asked for. The largest integer, or
        inf, stands for "no path". ``array.get()`` copies them to the host.

    Raises
    ------
    OverflowError
        A distance lies outside the type in which the device adds.
    ValueError, TypeError
        The graph or an argument is wrong (the message names it), or a weight is negative.
    DeviceError, DeviceMemoryError
        There is no usable device, or its memory is too small.

    Examples
    --------
    >>> import reedsp
    >>> graph = reedsp.Graph.from_edges(4, [0, 0, 1], [1, 2, 2], [7, 12, 2])
    >>> dist = reedsp.distances_on_device(graph, 0)
    >>> dist.dtype, dist.shape
    (dtype('int32'), (4,))
    >>> dist[:3].get()
    array([0, 7, 9], dtype=int32)
    """
    from pyopencl.array import Array

    graph = as_graph(graph)
    sources, many = source_argument(graph, source)
    if graph.has_negative_weights:
        raise ValueError("graph: needs weights that are not negative; reedsp.sssp takes others")
    arithmetic = choose_arithmetic(graph, result_dtype(dtype, graph))
    chosen = device_or_that_of(queue, device)
    job = Job(chosen)
    job.begin_after([])
    shape = (len(sources), graph.n) if many else (graph.n,)
    if not sources:
        return Array(chosen.queue, shape, arithmetic.dtype)
    search = near_far_work_group.solve if chosen_form(chosen, arithmetic) else near_far_work_item.solve
    # What is kept is kept by device, and a queue of the user's is a device of its own in each call.
    edges = OutEdges.of(graph, job, arithmetic) if queue is None else OutEdges(graph, job, arithmetic)
    starts = [[each] for each in sources]
    found, _ = search(job, edges, arithmetic, starts)
    # What finds the trees sees what has overflowed.
    if arithmetic.saturate and find_trees_outgoing(job, edges, arithmetic, found, starts, False).overflowed:
        rows = job.download(found, len(starts) * graph.n, arithmetic.dtype).reshape(-1, graph.n)
        raise beyond(arithmetic, graph, starts, rows)
    job.finish()
    return Array(chosen.queue, shape, arithmetic.dtype, data=found)
