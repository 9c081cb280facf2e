"""What a bipartite graph is in the arguments of these functions: which rows have an entry in which columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class Biadjacency:
    """The pattern of a matrix: an edge for each entry, between its row and its column.

    Attributes
    ----------
    indptr : ndarray of int32 or int64, shape (n + 1,)
        Row pointers; those of a user may be corrupt, but begin with 0 and end with m.
    indices : ndarray of int32 or int64, shape (m,)
        Columns, in any order; one may be twice in a row.
    columns : int
        How many there are.
    row_names, column_names : sequence
        What the vertices of either side are called.
    """

    indptr: npt.NDArray[Any]
    indices: npt.NDArray[Any]
    columns: int
    row_names: Sequence[Any]
    column_names: Sequence[Any]

    @property
    def n(self) -> int:
        """How many rows there are."""
        return len(self.indptr) - 1

    @property
    def m(self) -> int:
        """How many entries there are."""
        return len(self.indices)
