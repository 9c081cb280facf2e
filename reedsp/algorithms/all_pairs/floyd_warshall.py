"""Blocked Floyd-Warshall in place (Lund and Smith, section 3.2), whose third phase is the fast min-plus product."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyopencl as cl

from reedsp.algorithms.all_pairs.selfcheck import closes_known_matrix
from reedsp.arithmetic.matrix import Weights
from reedsp.cost_model.counts import SPAN, TILE
from reedsp.device.job import Argument, BoundKernel, Job, Launch
from reedsp.device.selfcheck import is_trusted, none_is_trusted
from reedsp.minplus.blocks import Excluded, Products
from reedsp.minplus.matrix import Block, copy_block
from reedsp.minplus.selfcheck import right_tilings
from reedsp.minplus.tilings import Tiling, name_of, vector_length

# So that Ctrl-C and reports of progress are in time, on devices without and with work-groups that are large.
_PAIRS_BETWEEN_WAITS = (1 << 32, 1 << 42)

# Of a work-item of a stage: the side of its square of the tile on the diagonal, and the columns of its result.
_SIDE, _ACROSS = 4, 2

_TWO_ULONGS, _TWO_UINTS = struct.Struct("2Q"), struct.Struct("2I")


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
            tiles = TILE * (2 * TILE + TILE // _SIDE * _ACROSS) * weights.dtype.itemsize
            own = {"TILE": TILE, "SIDE": _SIDE, "ACROSS": _ACROSS, "STAGED": int(tiles <= job.device.local_memory)}
            kernel = job.device.kernel("all_pairs/floyd_warshall_stage.cl", "relax_stage", **own, **weight_macros)
            self._group = (TILE // _SIDE, TILE // _SIDE)
        else:
            own = {"TILE": TILE, "VECTOR_LENGTH": vector_length(job.device, weights)}
            kernel = job.device.kernel("all_pairs/floyd_warshall_serial_tile.cl", "close_tile", **own, **weight_macros)
            self._group = (1, 1)
        self._kernel = kernel
        self._bound: BoundKernel | None = None
        self._copy: cl.Buffer | None = None
        self._other: cl.Buffer | None = None

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
        if self.products.in_groups:
            self._solve_in_stages(matrix, n)
            return
        for first in range(0, n, TILE):
            self.relax(matrix, n, first, TILE)

    def _solve_in_stages(self, matrix: Block, n: int) -> None:
        """Queue one launch for each tile on the diagonal; they read the matrix and write another, or the reverse."""
        tiles, item_size = n // TILE, self._weights.dtype.itemsize
        if self._other is None or self._other.size < n * n * item_size:
            self._other = self._job.allocate(n * n, self._weights.dtype)
        before, after = matrix, Block(self._other, n)
        sizes = (tiles * TILE // _ACROSS, tiles * TILE // _SIDE)
        for stage in range(tiles):
            firsts, strides = _TWO_ULONGS.pack(before.first, after.first), _TWO_UINTS.pack(before.stride, after.stride)
            self._launch(sizes, before.buffer, after.buffer, firsts, strides, np.uint32(stage))
            before, after = after, before
        if tiles % 2:
            copy_block(self._job, before, matrix, (n, n), item_size)

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
        if size == TILE and not self.products.in_groups:
            first_element, stride = np.uint64(diagonal.first), np.uint32(diagonal.stride)
            self._launch(self._group, diagonal.buffer, first_element, stride)
        else:
            self.solve_span(diagonal, size)
        rest = n - size
        if rest == 0:
            return
        rows, columns = Excluded(first, size, 0, 0), Excluded(0, 0, first, size)
        row_copy = self._copied(row_panel, (size, n)) if self.products.in_groups else row_panel
        self.products.queue(diagonal, row_copy, row_panel, (size, size, rest), excluded=columns)
        column_copy = self._copied(column_panel, (n, size))
        self.products.queue(column_copy, diagonal, column_panel, (rest, size, size), excluded=rows)
        both = Excluded(first, size, first, size)
        self.products.queue(column_panel, row_panel, matrix, (rest, size, rest), accumulate=True, excluded=both)

    def _launch(self, sizes: tuple[int, int], *arguments: Argument) -> None:
        if self._bound is None:
            self._bound = self._job.bind(self._kernel, sizes, self._group, *arguments)
        self._job.run([Launch(self._bound, sizes, arguments)])

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
    raise none_is_trusted(f"{job.device}: Floyd-Warshall in {name_of(weights)} gives wrong answers, or fails")


def _closed(
    job: Job, weights: Weights, edges: npt.NDArray[Any], in_groups: bool, tilings: Sequence[Tiling]
) -> npt.NDArray[Any]:
    """Return the shortest paths among the vertices of a matrix, found with these products."""
    buffer, n = job.upload(edges), len(edges)
    FloydWarshall(job, weights, Products(job, weights, in_groups, tilings)).solve(Block(buffer, n), n)
    return job.download(buffer, n * n, weights.dtype).reshape(n, n)
