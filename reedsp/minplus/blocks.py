"""Fast min-plus products of blocks on the device, which other algorithms are made of."""

from __future__ import annotations

import itertools
import struct
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyopencl as cl

from reedsp.arithmetic.matrix import Weights
from reedsp.device.dispatch import PAIRS_A_STEP
from reedsp.device.job import Argument, BoundKernel, Job, Launch, round_up
from reedsp.minplus.matrix import Block
from reedsp.minplus.tilings import Tiling

_LARGEST_LAUNCH = 1 << 41  # pairs (sum, minimum), so that a display is refreshed in time
_PAIRS_A_STEP = {2: 256, 4: 128, 8: 32}  # by the bytes of a weight: as many as take a CPU as long as one step
_DEEPEST = 512
_ENOUGH_GROUPS = 2  # for each compute unit


# How vectors of numbers are handed to a kernel.
_FOUR_ULONGS = struct.Struct("4Q")
_FOUR_UINTS = struct.Struct("4I")


class Excluded(NamedTuple):
    """Rows and columns that a product leaves out."""

    row: int = 0
    rows: int = 0
    column: int = 0
    columns: int = 0


class _Part(NamedTuple):
    """Rows of a product that are computed at a time."""

    row: int
    pairs: int
    sizes: tuple[int, int]
    shape: bytes
    excluded: bytes


class Products:
    """Products of blocks in one arithmetic on one device.

    Parameters
    ----------
    job : Job
    weights : Weights
    in_groups : bool
        Use work-groups that share local memory (``cl/minplus/registers.cl``), or work-items that work alone
        (``cl/minplus/panels.cl``).
    tilings : sequence of Tiling
        For either of these, the largest first.
    """

    def __init__(self, job: Job, weights: Weights, in_groups: bool, tilings: Sequence[Tiling]) -> None:
        self._job = job
        self._weights = weights
        self.in_groups = in_groups
        self.weight_macros = weights.macros(job.device.kind)
        self._tilings = tilings
        self._kernels: dict[tuple[int, str], BoundKernel] = {}
        self._plans: dict[tuple[tuple[int, int, int], Excluded], tuple[Tiling, list[_Part]]] = {}
        self._panels: cl.Buffer | None = None
        self._pairs_a_step = PAIRS_A_STEP if in_groups else _PAIRS_A_STEP[weights.dtype.itemsize]

    def padded(self, shape: tuple[int, int, int]) -> tuple[int, int, int]:
        """Return rows, columns of a and columns of b rounded up to tiles, to be filled up with "no path"."""
        large = (each for each in self._tilings if self._fills_device(each, shape))
        tiling = next(large, self._tilings[-1])
        if self.in_groups:
            rows, inner, columns = map(round_up, shape, (tiling.rows, tiling.inner, tiling.columns))
            return rows, inner, columns
        return max(shape[0], tiling.macros["ITEM_ROWS"]), shape[1], round_up(shape[2], tiling.columns)

    def queue(
        self,
        a: Block,
        b: Block,
        c: Block,
        shape: tuple[int, int, int],
        accumulate: bool = False,
        excluded: Excluded = Excluded(),  # noqa: B008 - it is immutable
    ) -> None:
        """Queue c = a b, or with `accumulate` the minimum of that and c.

        Parameters
        ----------
        a, b, c : Block
            They do not overlap in what is read and written, but b may be c without `in_groups`: it is copied first.
        shape : tuple of int
            Rows of a and c, columns of a and rows of b, columns of b and c, without the excluded ones.
        accumulate : bool
        excluded : Excluded
            Rows of a and c, and columns of b and c, that are passed over.
        """
        if 0 in shape:
            return
        rows, inner, columns = shape
        # What is read of a stays in a CPU's cache until all columns are done, and a launch of few rows ends in time.
        if self._job.device.kind == "cpu" and inner > _DEEPEST:
            for first in range(0, inner, _DEEPEST):
                some = (rows, min(_DEEPEST, inner - first), columns)
                self.queue(a.at(0, first), b.at(first, 0), c, some, accumulate or first > 0, excluded)
            return
        tiling, parts = self._planned(shape, excluded)
        right, first, stride = b.buffer, b.first, b.stride
        launches = []
        if not self.in_groups:
            right, first, stride = self._panels_for(shape), 0, 0
            launches.append(self._packing(tiling, b, right, shape, excluded))
        strides = _FOUR_UINTS.pack(a.stride, stride, c.stride, 0)
        for part in parts:
            firsts = (a.first + part.row * a.stride, first, c.first + part.row * c.stride, 0)
            numbers = (_FOUR_ULONGS.pack(*firsts), strides, part.shape, part.excluded, np.uint32(accumulate))
            steps, arguments = part.pairs // self._pairs_a_step, (a.buffer, right, c.buffer, *numbers)
            launches.append(self._launch(tiling, "multiply", part.sizes, steps, *arguments))
        self._job.run(launches)

    def _planned(self, shape: tuple[int, int, int], excluded: Excluded) -> tuple[Tiling, list[_Part]]:
        """Return the tiling and the launches for a product."""
        if (shape, excluded) not in self._plans:
            tiling = self._tiling(shape, excluded)
            plan = []
            for first, last in self._chunks(tiling, shape):
                before = first < excluded.row
                row = first if before else first + excluded.rows
                left_out = (excluded.row - first, excluded.rows) if before else (0, 0)
                groups = (shape[2] // tiling.columns, max(1, (last - first) // tiling.rows))
                plan.append(
                    _Part(
                        row=row,
                        pairs=(last - first) * shape[1] * shape[2],
                        sizes=(groups[0] * tiling.group_size, groups[1]),
                        shape=_FOUR_UINTS.pack(last - first, shape[1], shape[2], 0),
                        excluded=_FOUR_UINTS.pack(*left_out, excluded.column, excluded.columns),
                    )
                )
            self._plans[shape, excluded] = tiling, plan
        return self._plans[shape, excluded]

    def _tiling(self, shape: tuple[int, int, int], excluded: Excluded) -> Tiling:
        """Return the largest tiling that divides a product and gives every compute unit something to do."""
        for tiling in self._tilings[:-1]:
            sides = (
                tiling.rows,
                tiling.inner,
                tiling.columns,
                tiling.rows,
                tiling.rows,
                tiling.columns,
                tiling.columns,
            )
            fits = all(size % side == 0 for size, side in zip((*shape, *excluded), sides, strict=True))
            if fits and self._fills_device(tiling, shape):
                return tiling
        return self._tilings[-1]

    def _fills_device(self, tiling: Tiling, shape: tuple[int, int, int]) -> bool:
        groups = shape[0] * shape[2] // (tiling.rows * tiling.columns)
        return groups >= _ENOUGH_GROUPS * self._job.device.compute_units

    def _chunks(self, tiling: Tiling, shape: tuple[int, int, int]) -> list[tuple[int, int]]:
        """Return the first and last rows of launches that end in time, the last of which is not much shorter."""
        rows, inner, columns = shape
        largest = min(_LARGEST_LAUNCH, self._pairs_a_step * self._job.device.steps_at_once)
        step = max(1, largest // (inner * columns) // tiling.rows) * tiling.rows
        starts = [*range(0, max(1, rows - step // 2), step), rows]
        return list(itertools.pairwise(starts))

    def _panels_for(self, shape: tuple[int, int, int]) -> cl.Buffer:
        """Return memory for a copy of b in panels."""
        size = shape[1] * shape[2]
        if self._panels is None or self._panels.size < size * self._weights.dtype.itemsize:
            self._panels = self._job.allocate(size, self._weights.dtype)
        return self._panels

    def _packing(
        self, tiling: Tiling, b: Block, panels: cl.Buffer, shape: tuple[int, int, int], excluded: Excluded
    ) -> Launch:
        """Return the launch that copies b in panels."""
        sizes = (shape[2] // tiling.columns, -(-shape[1] // tiling.macros["DEPTH"]))
        firsts, strides = _FOUR_ULONGS.pack(0, b.first, 0, 0), _FOUR_UINTS.pack(0, b.stride, 0, 0)
        extents = _FOUR_UINTS.pack(*shape, 0), _FOUR_UINTS.pack(*excluded)
        return self._launch(tiling, "pack", sizes, 0, b.buffer, panels, firsts, strides, *extents)

    def _launch(self, tiling: Tiling, name: str, sizes: tuple[int, int], steps: int, *arguments: Argument) -> Launch:
        """Return the launch of a kernel, given by its name."""
        key = (id(tiling), name)
        if (kernel := self._kernels.get(key)) is None:
            built = self._job.device.kernel(tiling.file, name, **tiling.macros, **self.weight_macros)
            kernel = self._kernels[key] = self._job.bind(built, sizes, (tiling.group_size, 1), *arguments)
        return Launch(kernel, sizes, arguments, steps)
