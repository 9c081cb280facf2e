"""Index arrays of sparse matrices that lead beyond their memory are refused, in every format."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse

from reedsp.graph.corrupt import refuse_corrupt

VALUES = np.array([[0, 1, 0, 0], [1, 0, 2, 0], [0, 2, 0, 5]])
FORMATS = ("csr", "csc", "coo", "dia", "lil", "dok")


def matrix_of(kind: str, **arrays: Any) -> Any:
    """Return a matrix with other arrays than its own."""
    matrix: Any = scipy.sparse.csr_array(VALUES).asformat(kind)
    for name, values in arrays.items():
        setattr(matrix, name, np.array(values))
    return matrix


@pytest.mark.parametrize("kind", FORMATS)
def test_matrices_as_they_are_made(kind: str) -> None:
    refuse_corrupt(matrix_of(kind), "graph")
    refuse_corrupt(scipy.sparse.bsr_array(np.eye(6, 4), blocksize=(3, 2)), "graph")
    refuse_corrupt(VALUES, "graph")


@pytest.mark.parametrize("kind", ["csr", "csc"])
def test_pointers(kind: str) -> None:
    matrix = matrix_of(kind)
    right, stored = matrix.indptr.tolist(), len(matrix.data)
    for wrong in ([1, *right[1:]], [*right[:-1], stored + 1], right[:-1], [*right, stored], [0, *right[:0:-1]]):
        with pytest.raises(ValueError, match=rf"^graph\.indptr is corrupt: expected {len(right)} ascending numbers"):
            refuse_corrupt(matrix_of(kind, indptr=wrong), "graph")


@pytest.mark.parametrize(("kind", "size"), [("csr", 4), ("csc", 3)])
def test_indices(kind: str, size: int) -> None:
    indices = matrix_of(kind).indices.tolist()
    for wrong in (size, -1):
        message = rf"^graph\.indices\[2\] = {wrong}, expected a number from 0 to {size - 1}$"
        with pytest.raises(ValueError, match=message):
            refuse_corrupt(matrix_of(kind, indices=[*indices[:2], wrong, *indices[3:]]), "graph")


def test_coordinates() -> None:
    matrix = matrix_of("coo")
    for axis, wrong in ((0, 3), (1, 4), (1, -1)):
        coords = [each.copy() for each in matrix.coords]
        coords[axis][1] = wrong
        broken = scipy.sparse.coo_array(VALUES)
        broken.coords = tuple(coords)
        with pytest.raises(ValueError, match=rf"^graph\.coords\[{axis}\]\[1\] = {wrong}, expected a number from 0 to"):
            refuse_corrupt(broken, "graph")
    matrix.data = matrix.data[:-1]
    with pytest.raises(ValueError, match=r"^graph\.coords\[0\] has 5 entries, but graph\.data has 4$"):
        refuse_corrupt(matrix, "graph")


def test_rows_of_lists_and_diagonals() -> None:
    lists = matrix_of("lil")
    lists.rows[1].append(3)
    with pytest.raises(ValueError, match=r"^graph\.rows\[1\] has 3 entries, but graph\.data\[1\] has 2$"):
        refuse_corrupt(lists, "graph")
    lists.data[1].append(1)
    refuse_corrupt(lists, "graph")
    lists.rows[1][-1] = 4
    with pytest.raises(ValueError, match=r"^graph\.rows\[1\]\[2\] = 4, expected a number from 0 to 3$"):
        refuse_corrupt(lists, "graph")
    with pytest.raises(ValueError, match=r"^graph\.offsets has 1 entries, but graph\.data has \d$"):
        refuse_corrupt(matrix_of("dia", offsets=[0]), "graph")
