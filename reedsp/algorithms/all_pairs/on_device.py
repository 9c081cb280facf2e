"""Distances between all pairs that stay on the device, of a graph or of a matrix that is there already."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyopencl as cl

from reedsp.algorithms.all_pairs.apsp import apsp, find_negative_cycle
from reedsp.algorithms.all_pairs.device_matrix import DeviceMatrix, side_of
from reedsp.algorithms.all_pairs.floyd_warshall import FloydWarshall
from reedsp.arithmetic.matrix import Weights, matrix_weights
from reedsp.arithmetic.paths import PathFacts, choose_arithmetic, result_dtype
from reedsp.device.arrays import DeviceArrays, is_device_array
from reedsp.device.device import Device
from reedsp.device.discovery import device_or_that_of, get_device
from reedsp.device.errors import DeviceError, DeviceMemoryError
from reedsp.device.job import Job
from reedsp.edges.negative_cycles import renamed
from reedsp.graph.arguments import as_graph
from reedsp.graph.dense import weight_dtype
from reedsp.graph.graph import Graph
from reedsp.minplus.entries import Entries, convert, look, write_results
from reedsp.minplus.entries_check import can_convert, can_look, can_write
from reedsp.minplus.matrix import Block, copy_block
from reedsp.minplus.operands import matrix
from reedsp.typing import DistanceType, GraphLike

if TYPE_CHECKING:
    from pyopencl.array import Array


def all_pairs_on_device(
    graph: GraphLike | Array,
    *,
    dtype: DistanceType | None = None,
    queue: cl.CommandQueue | None = None,
    device: Device | int | str | None = None,
) -> Array:
    """Find the distances between all pairs by Floyd-Warshall, and leave them on the device.

    Parameters
    ----------
    graph : Graph, scipy sparse matrix, dense array, networkx graph or pyopencl.array.Array
        As for :func:`reedsp.apsp`. An array of pyopencl, shape (n, n) and contiguous, is read as
        :meth:`reedsp.Graph.from_dense` reads one of numpy: 0 and +inf are no edge, and the largest integer is a weight
        like any other. It is looked at, converted and solved where it is, and goes to the host only if that has to
        decide something: where there is a negative cycle, or an entry is wrong, and where sums are rounded and
        weights are negative, or so heavy that a path may leave the range of floats.
    dtype : {None, "float64", "float32", "int64", "int32"}
        As for :func:`reedsp.apsp`, but nothing is converted; see below.
    queue : pyopencl.CommandQueue, optional
        Where the result is to be used. By default that of the `device`; that of an array is always its own.
    device : Device, int or str, optional
        As for :func:`reedsp.sssp`, where no queue is given.

    Returns
    -------
    pyopencl.array.Array, shape (n, n)
        The distances as :func:`reedsp.distances_on_device` has them: integer weights as int32 if every path weight
        fits, else as int64 (whichever `dtype` was asked for), others as float64, or float32 if that was asked for. The
        largest integer, or inf, stands for "no path". Path weights of an array on the device are taken to be up to
        n - 1 times its heaviest weight.

    Raises
    ------
    NegativeCycleError
        There is a negative cycle; its ``cycle`` is one.
    OverflowError
        A path weight could leave int64, or a distance the range of floats.
    ValueError, TypeError
        The graph or an argument is wrong; the message names it.
    DeviceError, DeviceMemoryError
        There is no usable device, or its memory is too small.

    Examples
    --------
    >>> import reedsp
    >>> graph = reedsp.Graph.from_edges(3, [0, 1, 2], [1, 2, 0], [7, 2, 1])
    >>> dist = reedsp.all_pairs_on_device(graph)
    >>> dist.dtype, dist.shape
    (dtype('int32'), (3, 3))
    >>> reedsp.min_plus_product(dist, dist).get()
    array([[0, 7, 9],
           [3, 0, 2],
           [1, 8, 0]], dtype=int32)
    """
    from pyopencl.array import Array

    if is_device_array(graph):
        if queue is not None:
            raise ValueError("queue: the array has one already; use graph.with_queue(queue)")
        return _of_array(graph, dtype, device)
    chosen = device_or_that_of(queue, device)
    graph = as_graph(graph)
    result = result_dtype(dtype, graph)
    weights, kept = _arithmetic(graph, result)
    job = Job(chosen)
    job.begin_after([])
    shape = graph.n, graph.n
    if graph.n == 0:
        return Array(chosen.queue, shape, kept)
    if weights is None:
        found = job.upload(apsp(graph, "floyd-warshall", device=get_device(chosen.handle), dtype=kept).dist)
    else:
        _refuse_too_large(chosen, weights, graph.n, graph.n**2 * kept.itemsize)
        found = job.allocate(graph.n**2, kept)
        _solve(job, weights, DeviceMatrix(job, weights, graph).dist, graph, lambda: graph, found, kept)
    job.finish()
    return Array(chosen.queue, shape, kept, data=found)


@dataclass(frozen=True)
class _Seen:
    """What is known of the weights of a matrix on the device; attributes as of a Graph."""

    n: int
    weight_dtype: np.dtype[Any]
    max_abs_weight: int | float
    has_negative_weights: bool
    has_integral_weights: bool

    @property
    def simple_path_bound(self) -> float:
        bound = (self.n - 1) * self.max_abs_weight
        return bound if isinstance(bound, int) else bound * (1 + 2.0**-20)

    @property
    def rough_path_bound(self) -> float:
        return self.simple_path_bound


def _of_array(array: Any, dtype: DistanceType | None, device: Device | int | str | None) -> Array:
    """Solve a matrix on the device, or have it solved as a graph where the host has to decide something."""
    given = matrix("graph", array)
    n = len(given)
    if given.shape != (n, n):
        raise ValueError(f"graph: a square matrix is expected, got shape {given.shape}")
    arrays = DeviceArrays({"graph": given}, device)
    job = arrays.job

    def as_on_host() -> Graph:
        values = np.empty(given.shape, given.dtype)
        if n:
            job.download_into(values, arrays.read(given))
        return Graph.from_dense(values)

    def solved_as_graph() -> Array:
        return all_pairs_on_device(as_on_host(), dtype=dtype, queue=given.queue)

    if n == 0:
        return solved_as_graph()
    absent = ("zero", "infinity") if given.dtype.kind == "f" else ("zero",)
    _refuse_untrusted(job, can_look(job.device, given.dtype, absent))
    entries = Entries(arrays.read(given), given.dtype, given.shape, 0, (n, 1))
    facts = look(job, entries, absent)
    if facts.wrong is not None:
        return solved_as_graph()  # or rather refused, by the entry's position
    heaviest = max(-facts.low, facts.high)
    seen = _Seen(n, weight_dtype(given.dtype), heaviest, facts.low < 0, facts.integral)
    weights, kept = _arithmetic(seen, result_dtype(dtype, seen))
    if weights is None:
        return solved_as_graph()
    _refuse_untrusted(job, can_convert(job.device, given.dtype, weights, absent, of_graph=True))
    size = n**2 * kept.itemsize
    _refuse_too_large(job.device, weights, n, given.nbytes + size)
    with job.translated(f"allocation of {size:,} bytes"):
        out = arrays.empty(given.shape, kept)
    side, target = side_of(n), arrays.write(out)
    dist = Block(convert(job, entries, weights, (side, side), absent, of_graph=True), side)
    _solve(job, weights, dist, seen, as_on_host, target, kept)
    return arrays.finish(target, out)  # type: ignore[no-any-return]


def _arithmetic(graph: PathFacts, result: np.dtype[Any]) -> tuple[Weights | None, np.dtype[Any]]:
    """Return in which arithmetic a device solves a matrix, and the type of the distances.

    None where the host has a part in it: to decide exactly whether there is a negative cycle, or a sum has overflowed,
    if sums are rounded, and to say what no type adds up.
    """
    arithmetic = choose_arithmetic(graph, result)
    weights = matrix_weights(graph, arithmetic)
    if arithmetic.dtype.kind == "f" and (graph.has_negative_weights or arithmetic.saturate):
        weights = None
    return weights, arithmetic.dtype


def _solve(
    job: Job,
    weights: Weights,
    dist: Block,
    facts: PathFacts,
    graph: Callable[[], Graph],
    target: cl.Buffer,
    kept: np.dtype[Any],
) -> None:
    """Queue the solution of a matrix, and of a copy of its distances in a type that holds them.

    Parameters
    ----------
    job : Job
    weights : Weights
    dist : Block
        The path weights, filled up to tiles.
    facts : PathFacts
    graph : callable
        Returns the graph, to name a negative cycle.
    target : pyopencl.Buffer
        Where the distances go, shape (n, n).
    kept : dtype
        Their type.

    Raises
    ------
    NegativeCycleError
        There is a negative cycle.
    """
    n, dtype = facts.n, weights.dtype
    if not can_write(job.device, weights, kept):
        raise DeviceError(f"{job.device}: it cannot write distances as {kept}; use reedsp.apsp")
    FloydWarshall(job, weights).solve(dist, dist.stride)
    if facts.has_negative_weights:
        diagonal = job.allocate(n, dtype)
        copy_block(job, Block(dist.buffer, dist.stride + 1), Block(diagonal, 1), (n, 1), dtype.itemsize)
        on_cycles = np.flatnonzero(job.download(diagonal, n, dtype) < 0)
        if len(on_cycles):
            whole = graph()
            found = find_negative_cycle(whole, on_cycles, job, kept)
            assert found is not None  # integers are not rounded
            raise renamed(found, whole.names)
    # Nothing is lost: the same bound has chosen both types.
    write_results(job, weights, dist.buffer, dist.stride, target, (n, n), kept)


def _refuse_too_large(device: Device, weights: Weights, n: int, beside: int) -> None:
    if not DeviceMatrix.fits(device, weights, n, beside):
        raise DeviceMemoryError(f"{device}: a matrix of {n:,} vertices as {weights.dtype} and the distances do not fit")


def _refuse_untrusted(job: Job, trusted: bool) -> None:
    if not trusted:
        raise DeviceError(f"{job.device}: it cannot convert such matrices; use arrays of the host")
