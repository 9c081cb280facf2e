"""Whether rounded sums have left the range of floats, where a matrix then says "no path"."""

from __future__ import annotations

import numpy as np

from reedsp.algorithms.all_pairs.path_matrix import PathMatrix
from reedsp.arithmetic.paths import choose_arithmetic
from reedsp.system.parts import TRANSFERRED, in_parts

_BYTES_AT_A_TIME = 1 << 24  # of a part, of which several are looked at together


def refuse_overflow(matrix: PathMatrix) -> None:
    """Raise if a path has a weight that the type of the matrix cannot hold.

    From where a path leads to, an edge leads on: if that ends where there is "no path", a sum has overflowed. Only
    heavy weights make it worth a look.

    Raises
    ------
    OverflowError
        There is such a path.
    """
    graph, dtype = matrix.graph, matrix.weights.dtype
    if dtype.kind != "f" or not choose_arithmetic(graph, dtype).saturate:
        return
    starts = np.repeat(np.arange(graph.n), np.diff(graph.indptr))

    def look(first_row: int, last_row: int) -> None:
        with matrix.rows_on_host(slice(first_row, last_row)) as values:
            reached = np.packbits(values != matrix.weights.no_path, axis=0)  # 8 rows in a byte
        step = max(1, _BYTES_AT_A_TIME // len(reached))
        for first in range(0, graph.m, step):
            edges = slice(first, first + step)
            lost = reached[:, starts[edges]] & ~reached[:, graph.indices[edges]]
            if lost.any():
                byte, edge = np.argwhere(lost)[0]
                source = first_row + 8 * int(byte) + int(np.unpackbits(lost[byte, edge : edge + 1]).argmax())
                raise OverflowError(f"a distance from vertex {source} is beyond {dtype}")

    in_parts(look, graph.n, matrix.row_bytes, TRANSFERRED)
