"""Bipartite graphs, and the number of pairs of a maximum matching by a search that shares no code with the library."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import scipy.sparse


def cardinality(matrix: scipy.sparse.csr_array) -> int:
    """Return how many rows can be matched."""
    return most_pairs([matrix.indices[a:b].tolist() for a, b in zip(matrix.indptr, matrix.indptr[1:], strict=False)])


def most_pairs(rows: list[list[int]]) -> int:
    """Return how many rows can be matched, trying each in turn (Kuhn 1955)."""
    row_of: dict[int, int] = {}

    def finds(row: int, tried: set[int]) -> bool:
        for column in rows[row]:
            if column not in tried:
                tried.add(column)
                if column not in row_of or finds(row_of[column], tried):
                    row_of[column] = row
                    return True
        return False

    return sum(finds(row, set()) for row in range(len(rows)))


def rows_of_bits(bits: int, n: int, columns: int) -> list[list[int]]:
    """Return the columns of the rows of the graph whose entries are the bits of a number."""
    return [[column for column in range(columns) if bits >> row * columns + column & 1] for row in range(n)]


def of_rows(rows: list[list[int]], columns: int) -> scipy.sparse.csr_array:
    """Return a graph by the columns of its rows."""
    indptr = np.append(0, np.cumsum([len(each) for each in rows], dtype=int))
    indices = [column for row in rows for column in row]
    return scipy.sparse.csr_array((np.ones(len(indices)), np.array(indices, int), indptr), shape=(len(rows), columns))


def random(n: int, columns: int, degree: float, seed: int, index: type = np.int32) -> scipy.sparse.csr_array:
    """Return rows with columns in no order, some of them twice; every fifth entry is a stored 0."""
    rng = np.random.default_rng(seed)
    counts = rng.poisson(degree, n) if columns else np.zeros(n, int)
    indptr = np.append(0, np.cumsum(counts))
    indices = rng.integers(0, max(1, columns), indptr[-1])
    data = np.arange(len(indices)) % 5
    matrix = scipy.sparse.csr_array((data, indices, indptr), shape=(n, columns))
    matrix.indices, matrix.indptr = matrix.indices.astype(index), matrix.indptr.astype(index)
    return matrix


def grid(side: int, cut: float = 0.1, seed: int = 1) -> scipy.sparse.csr_array:
    """Return the two colours of a grid of an even number of vertices a side, without some of its edges."""
    rng = np.random.default_rng(seed)
    cells = np.arange(side * side).reshape(side, side)
    ends = np.concatenate(
        [np.stack([cells[:, :-1].ravel(), cells[:, 1:].ravel()]), np.stack([cells[:-1].ravel(), cells[1:].ravel()])], 1
    )
    ends = ends[:, rng.random(ends.shape[1]) >= cut]
    is_white = (ends[0] // side + ends[0] % side) % 2 == 0
    white, black = np.where(is_white, ends, ends[::-1]) // 2
    half = side * side // 2
    return scipy.sparse.csr_array((np.ones(len(white)), (white, black)), shape=(half, half))


THESIS = scipy.sparse.csr_array((np.ones(7), [1, 3, 1, 2, 2, 4, 3], [0, 2, 4, 6, 7]), shape=(4, 5))
"""Balls and bins, of which one is in no ball's list, that n rounds of the thesis are not enough for."""


def families() -> Iterator[tuple[str, scipy.sparse.csr_array]]:
    """Yield graphs of every kind, with names."""
    yield "thesis", THESIS
    for seed, (n, columns, degree) in enumerate(
        [(1, 1, 1), (30, 30, 1), (30, 30, 2), (30, 30, 4), (60, 20, 3), (20, 60, 3), (50, 50, 0.4), (300, 280, 2)]
    ):
        yield f"random {n} x {columns}, {degree}", random(n, columns, degree, seed)
    yield "star of a row", scipy.sparse.csr_array(np.ones((1, 40)))
    yield "star of a column", scipy.sparse.csr_array(np.ones((40, 1)))
    yield "all", scipy.sparse.csr_array(np.ones((20, 33)))
    yield "diagonal, as loops", scipy.sparse.eye_array(17, format="csr")
    path = np.repeat(np.arange(200), 2)
    yield "path", scipy.sparse.csr_array((np.ones(400), (path, path + np.tile([0, 1], 200))), shape=(200, 201))
    yield "long ways", scipy.sparse.csr_array(np.tri(30, k=1))  # each row takes what the one before needs
    yield "grid", grid(14)
    yield "no entries", scipy.sparse.csr_array((3, 4))
