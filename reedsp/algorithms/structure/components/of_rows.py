"""Components of the rows of a matrix, numbered as SciPy numbers them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from reedsp.algorithms.structure.components.depth_first import label_as_done
from reedsp.algorithms.structure.components.groups import Edges, label_by_groups
from reedsp.algorithms.structure.components.ranges import label_by_ranges
from reedsp.algorithms.structure.components.selfcheck import Form, is_right
from reedsp.arithmetic.types import C_TYPES
from reedsp.edges.preparation import MatrixRows

_Found = tuple[int, npt.NDArray[np.int32]]
_DTYPES = {name: dtype for dtype, name in C_TYPES.items()}


def weak_components_of(rows: MatrixRows) -> _Found | None:
    """Return how many components there are, edges taken in both directions, and the number of each vertex's.

    Parameters
    ----------
    rows : MatrixRows
        With columns in range, which stand in any order, and more than once if they do; at least one row.

    Returns
    -------
    count : int
    labels : ndarray of int32, shape (n,)
        In the order of the smallest vertices of the components, as SciPy numbers them.

    None instead of the two if the device does it wrong.
    """
    labels = np.empty(rows.n, np.int32)
    if rows.job.device.kind == "cpu":
        return (label_by_ranges(rows, False, labels), labels) if _is_right(rows, "ranges") else None
    if not _is_right(rows, "groups"):
        return None
    return label_by_groups(rows.job, Edges.of_rows(rows), False, labels), labels


def strong_components_of(rows: MatrixRows, descending: bool) -> _Found | None:
    """Return how many strongly connected components there are, and the number of each vertex's.

    Parameters
    ----------
    rows
        As for :func:`weak_components_of`.
    descending : bool
        A vertex looks at its edges from the last one to the first, as in SciPy's search before 1.18.

    Returns
    -------
    count : int
    labels : ndarray of int32, shape (n,)
        In the order in which a search in depth is done with them.

    None instead of the two if the device is no CPU, whose single work-items are slow, or does it wrong.
    """
    form: Form = "as done, descending" if descending else "as done"
    if rows.job.device.kind != "cpu" or not _is_right(rows, form):
        return None
    labels = np.empty(rows.n, np.int32)
    return label_as_done(rows, labels, descending), labels


def _is_right(rows: MatrixRows, form: Form) -> bool:
    types = (_DTYPES[str(rows.macros[name])] for name in ("POINTER", "INDEX"))
    return is_right(rows.job.device, form, *types)
