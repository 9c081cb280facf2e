"""The highest vertices of a hierarchy, whose distances from each other are known: one product spares many rounds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyopencl as cl

from reedsp.algorithms.contraction.exact import infinity_of
from reedsp.algorithms.contraction.hierarchy import Hierarchy
from reedsp.arithmetic.matrix import Weights
from reedsp.device.errors import DeviceError
from reedsp.device.job import Job
from reedsp.minplus.matrix import Block
from reedsp.minplus.selfcheck import trusted_products

_SIDE = 64  # of a tile of a product: its rows and columns, or several of them


@dataclass(frozen=True)
class Top:
    """The distances between the highest vertices, on a device.

    Attributes
    ----------
    first : int
        The lowest rank of these vertices.
    count : int
        How many there are; maybe none.
    weights : Weights
    distances : pyopencl.Buffer, shape (count, count)
        To each, from each.
    """

    first: int
    count: int
    weights: Weights
    distances: cl.Buffer

    @classmethod
    def of(cls, hierarchy: Hierarchy, most: int, job: Job) -> Top:
        """Find the distances between at most so many of the vertices, by squares of the matrix of their edges.

        Of no vertices where the device gives wrong products.
        """
        n, dtype = len(hierarchy.vertices), hierarchy.up.weights.dtype
        count = min(n, most) // _SIDE * _SIDE
        infinity = infinity_of(dtype)
        weights = Weights(dtype, infinity, infinity - 1, non_negative=True)
        try:
            products = trusted_products(job, weights) if count > 0 else None
        except DeviceError:
            products, count = None, 0
        before = Block(job.upload(_edges_between(hierarchy, count, infinity)), count)
        if products is not None:
            after = Block(job.allocate(count * count, dtype), count)
            for _ in range((2 * len(hierarchy.rounds)).bit_length()):
                products.queue(before, before, after, (count, count, count))
                before, after = after, before
        return cls(n - count, count, weights, before.buffer)

    def lowering(self, job: Job, dist: cl.Buffer, lanes: int) -> Callable[[], None] | None:
        """Return what queues the lowering of the distances of these vertices to those by way of each other.

        Parameters
        ----------
        job : Job
        dist : pyopencl.Buffer, shape (n, lanes)
        lanes : int

        Returns
        -------
        callable or None
            None if there are no such vertices, or fewer lanes than a product is computed for.
        """
        if self.count == 0 or lanes % _SIDE:
            return None
        products, size, item_size = trusted_products(job, self.weights), self.count * lanes, self.weights.dtype.itemsize
        distances, before = Block(self.distances, self.count), Block(dist, lanes, self.first * lanes)
        after = Block(job.allocate(size, self.weights.dtype), lanes)

        def lower() -> None:
            products.queue(distances, before, after, (self.count, self.count, lanes))
            job.copy(dist, before.first * item_size, after.buffer, 0, size * item_size)

        return lower


def _edges_between(hierarchy: Hierarchy, count: int, infinity: int) -> npt.NDArray[Any]:
    """Return the weights of the edges to each of the highest vertices, a row of a matrix, from each of them."""
    first = len(hierarchy.vertices) - count
    matrix = np.full((count, count), infinity, hierarchy.up.weights.dtype)
    np.fill_diagonal(matrix, 0)
    for half, leads_up in ((hierarchy.up, True), (hierarchy.down, False)):
        lower, some = np.arange(count).repeat(np.diff(half.first[first:])), slice(half.first[first], None)
        higher = half.higher[some] - first
        np.minimum.at(matrix, (higher, lower) if leads_up else (lower, higher), half.weights[some])
    return matrix
