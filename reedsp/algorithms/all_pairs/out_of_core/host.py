"""The matrix on the host whose rows travel to devices and back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.algorithms.all_pairs.out_of_core.checkpoint import Checkpoint
from reedsp.system.parts import in_parts

Read = Callable[[int, npt.NDArray[Any]], None]
Write = Callable[[int, npt.NDArray[Any]], None]


class Host:
    """The matrix on the host, and what there is to know of a pass over it.

    On the device rows and columns are padded to full tiles.
    """

    def __init__(self, matrix: npt.NDArray[Any], no_path: Any, checkpoint: Checkpoint | None) -> None:
        self.matrix = matrix
        self.checkpoint = checkpoint
        self._no_path = no_path
        self._panels: npt.NDArray[Any] | None = None

    def read(self, first: int, rows: npt.NDArray[Any]) -> None:
        """Fill in rows of the matrix."""
        self._fill(self.matrix, first, rows)

    def write(self, first: int, rows: npt.NDArray[Any]) -> None:
        """Replace rows of the matrix."""
        rows = self._without_padding(rows)
        if self.checkpoint is None:
            copy_rows(rows, self.matrix[first : first + len(rows)])
        else:
            self.checkpoint.write_rows(first, rows)

    def read_for_pass(self, first: int, rows: npt.NDArray[Any]) -> None:
        """Fill in rows of the matrix; if a pass is repeated, with the columns that it found."""
        self.read(first, rows)
        if self.checkpoint is not None:
            assert self.checkpoint.unfinished is not None
            assert self.checkpoint.columns is not None
            column, size = self.checkpoint.unfinished
            columns = self.checkpoint.columns[first : first + len(rows)]
            rows[: len(columns), column : column + size] = columns

    def read_panels(self, first: int, rows: npt.NDArray[Any]) -> None:
        """Fill in rows of the panels of this pass."""
        panels = self._panels if self.checkpoint is None else self.checkpoint.panels
        assert panels is not None
        self._fill(panels, first, rows)

    def panels_writer(self, size: int) -> Write:
        """Return what keeps the panels of a pass through `size` vertices."""
        if self.checkpoint is not None:
            checkpoint = self.checkpoint
            return lambda row, rows: checkpoint.store_panels(row, self._without_padding(rows))
        panels = self._panels = np.empty((size, len(self.matrix)), self.matrix.dtype)

        def write(row: int, rows: npt.NDArray[Any]) -> None:
            copy_rows(self._without_padding(rows), panels[row : row + len(rows)])

        return write

    def own_rows_writer(self, first: int) -> Write:
        """Return what keeps the rows of the vertices of a pass: in the matrix only if it will not be interrupted."""
        if self.checkpoint is not None:
            checkpoint = self.checkpoint
            return lambda row, rows: checkpoint.store_rows(row, self._without_padding(rows))
        return lambda row, rows: self.write(first + row, rows)

    def _fill(self, source: npt.NDArray[Any], first: int, rows: npt.NDArray[Any]) -> None:
        there = source[first : first + len(rows)]
        count, columns = there.shape
        copy_rows(there, rows[:count, :columns])
        rows[:count, columns:] = self._no_path
        rows[count:] = self._no_path

    def _without_padding(self, rows: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return rows[:, : self.matrix.shape[1]]


def copy_rows(source: npt.NDArray[Any], target: npt.NDArray[Any]) -> None:
    """Copy rows on the host: one core would take longer than the way to a device."""

    def copy(first: int, last: int) -> None:
        target[first:last] = source[first:last]

    in_parts(copy, len(source), source.shape[1] * source.itemsize)
