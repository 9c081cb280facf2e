"""Blocked Floyd-Warshall in place (Lund and Smith, section 3.2), whose third phase is the fast min-plus product."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyopencl as cl

from reedsp.algorithms.all_pairs.selfcheck import closes_known_matrix
from reedsp.arithmetic.matrix import Weights
from reedsp.device.errors import DeviceError
from reedsp.device.job import BoundKernel, Job, Launch
from reedsp.device.selfcheck import is_trusted
from reedsp.minplus.blocks import Excluded, Products
from reedsp.minplus.matrix import Block, copy_block
from reedsp.minplus.selfcheck import right_tilings
from reedsp.minplus.tilings import Tiling, name_of, vector_length

TILE = 64
"""Vertices of the tiles that are closed first; a matrix has a multiple of it."""

SPAN = 512
"""Vertices through which all paths are relaxed at a time.

It decides in which order floats are added up, so it depends on nothing, and results neither on the device nor on where
the matrix is kept.
"""

# So that Ctrl-C and reports of progress are in time, on devices without and with work-groups that are large.
_PAIRS_BETWEEN_WAITS = (1 << 32, 1 << 42)
_SIDE = 4  # of the square of entries of a work-item


class FloydWarshall:
    """The Floyd-Warshall algorithm in one arithmetic on one device.

    Parameters
    ----------
    job : Job
    weights : Weights
    products : Products, optional
        In this arithmetic on this device; by default such that give right answers, here too.
    """

    def __init__(self, job: Job, weights: Weights, products: Products | None = None) -> None:
        self._job = job
        self._weights = weights
        self.products = products or _trusted_products(job, weights)
        weight_macros = self.products.weight_macros
        if self.products.in_groups:
            own = {"TILE": TILE, "SIDE": _SIDE}
            kernel = job.device.kernel("all_pairs/floyd_warshall_tile.cl", "close_tile", **own, **weight_macros)
            self._group = (TILE // _SIDE, TILE // _SIDE)
        else:
            own = {"TILE": TILE, "VECTOR_LENGTH": vector_length(job.device, weights)}
            kernel = job.device.kernel("all_pairs/floyd_warshall_serial_tile.cl", "close_tile", **own, **weight_macros)
            self._group = (1, 1)
        self._kernel = kernel
        self._bound: BoundKernel | None = None
        self._copy: cl.Buffer | None = None

    def solve(self, matrix: Block, n: int, progress: Callable[[int, int], None] | None = None) -> None:
        """Queue the relaxation of all paths in a matrix through every vertex, in place.

        Afterwards entry (i, j) is the weight of the best path from i to j. Where a path can pass a negative cycle it is
        some number, integers no less than the lowest of `weights`, and entry (i, i) is negative for each i on such a
        cycle.

        Parameters
        ----------
        matrix : Block, shape (n, n)
            Weights of edges; on the diagonal no entry is above zero.
        n : int
            A multiple of TILE.
        progress : callable(vertices, n), optional
            Called when all paths have been relaxed through the first `vertices` vertices.
        """
        queued = 0
        for first in range(0, n, SPAN):
            size = min(SPAN, n - first)
            self.relax(matrix, n, first, size)
            queued += n * n * size
            if queued > _PAIRS_BETWEEN_WAITS[self.products.in_groups]:
                self._job.finish()
                queued = 0
                if progress is not None:
                    progress(first + size, n)

    def solve_span(self, matrix: Block, n: int) -> None:
        """Queue the relaxation of all paths in a matrix of at most SPAN vertices, tile by tile."""
        for first in range(0, n, TILE):
            self.relax(matrix, n, first, TILE)

    def relax(self, matrix: Block, n: int, first: int, size: int) -> None:
        """Queue the relaxation of all paths through some vertices.

        Parameters
        ----------
        matrix : Block, shape (n, n)
        n : int
        first, size : int
            The vertices; as many as a tile, or as one span at the most.
        """
        diagonal, row_panel, column_panel = matrix.at(first, first), matrix.at(first, 0), matrix.at(0, first)
        if size == TILE:
            self._close_tile(diagonal)
        else:
            self.solve_span(diagonal, size)
        rest = n - size
        if rest == 0:
            return
        in_place = self.products.in_groups and size == TILE
        rows, columns = Excluded(first, size, 0, 0), Excluded(0, 0, first, size)
        copied_by_product = in_place or not self.products.in_groups
        row_copy = row_panel if copied_by_product else self._copied(row_panel, (size, n))
        self.products.queue(diagonal, row_copy, row_panel, (size, size, rest), excluded=columns, in_place=in_place)
        column_copy = column_panel if in_place else self._copied(column_panel, (n, size))
        self.products.queue(column_copy, diagonal, column_panel, (rest, size, size), excluded=rows, in_place=in_place)
        both = Excluded(first, size, first, size)
        self.products.queue(column_panel, row_panel, matrix, (rest, size, rest), accumulate=True, excluded=both)

    def _close_tile(self, tile: Block) -> None:
        arguments = (tile.buffer, np.uint64(tile.first), np.uint32(tile.stride))
        if self._bound is None:
            self._bound = self._job.bind(self._kernel, self._group, self._group, *arguments)
        self._job.run([Launch(self._bound, self._group, arguments)])

    def _copied(self, panel: Block, shape: tuple[int, int]) -> Block:
        """Queue a copy of rows or columns, which a product then replaces before the next copy."""
        elements, dtype = shape[0] * shape[1], self._weights.dtype
        if self._copy is None or self._copy.size < elements * dtype.itemsize:
            self._copy = self._job.allocate(elements, dtype)
        copy = Block(self._copy, shape[1])
        copy_block(self._job, panel, copy, shape, dtype.itemsize)
        return copy


def _trusted_products(job: Job, weights: Weights) -> Products:
    """Return products with which the algorithm gives right answers on the device, the preferred ones if they do."""
    for wanted in (None, False):
        in_groups, tilings = right_tilings(job.device, weights, wanted)
        name = f"Floyd-Warshall in {'work-groups' if in_groups else 'work-items'} and {name_of(weights)}"
        trial = (closes_known_matrix, _closed, weights, TILE, in_groups, tuple(tilings))
        if is_trusted(job.device, name, *trial):
            return Products(job, weights, in_groups, tilings)
    raise DeviceError(f"{job.device}: Floyd-Warshall in {name_of(weights)} gives wrong answers, or fails")


def _closed(
    job: Job, weights: Weights, edges: npt.NDArray[Any], in_groups: bool, tilings: Sequence[Tiling]
) -> npt.NDArray[Any]:
    """Return the shortest paths among the vertices of a matrix, found with these products."""
    buffer, n = job.upload(edges), len(edges)
    FloydWarshall(job, weights, Products(job, weights, in_groups, tilings)).solve(Block(buffer, n), n)
    return job.download(buffer, n * n, weights.dtype).reshape(n, n)
