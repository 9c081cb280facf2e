"""Components on the host, by SciPy's search: of inputs so small that a device would not have begun meanwhile."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt


@functools.cache
def search() -> Callable[..., Any]:
    """Return SciPy's ``connected_components``, as it is at the first call; its import takes long."""
    from scipy.sparse.csgraph import connected_components

    found: Callable[..., Any] = connected_components
    return found


@functools.cache
def looks_from_the_last() -> bool:
    """Return whether SciPy's search in depth comes to the last edge of a vertex first, as before 1.18."""
    import scipy.sparse

    fork = scipy.sparse.csr_array((np.ones(2), ([0, 0], [1, 2])), shape=(3, 3))
    return int(search()(fork, directed=True, connection="strong")[1][2]) == 0


def weak_labels(indptr: npt.NDArray[Any], indices: npt.NDArray[np.int32]) -> tuple[int, npt.NDArray[np.int32]]:
    """Return how many components there are, edges taken in both directions, and the number of each vertex's.

    Numbers are in the order of their smallest vertices.
    """
    return _labels(indptr, indices, "weak")


def strong_labels(indptr: npt.NDArray[Any], indices: npt.NDArray[np.int32]) -> tuple[int, npt.NDArray[np.int32]]:
    """Return how many strongly connected components there are, and the number of each vertex's.

    Numbers are in the order in which a search in depth is done with them. No column is twice in a row.
    """
    if looks_from_the_last():
        indices = indices[np.repeat(indptr[:-1] + indptr[1:] - 1, np.diff(indptr)) - np.arange(len(indices))]
    return _labels(indptr, indices, "strong")


def strong_labels_by_level(
    indptr: npt.NDArray[Any], indices: npt.NDArray[np.int32]
) -> tuple[int, npt.NDArray[np.int32]]:
    """Return how many strongly connected components there are, and the number of each vertex's.

    Numbers are those of :func:`.label_in_depth`. No column is twice in a row.
    """
    count, done = _labels(indptr, indices, "strong")
    tails, heads = np.repeat(done, np.diff(indptr)), done[indices]
    between = np.flatnonzero(tails != heads)
    between = between[np.argsort(tails[between], kind="stable")]  # what an edge leads to is done earlier
    levels = [0] * count
    for tail, head in zip(tails[between].tolist(), heads[between].tolist(), strict=True):
        levels[tail] = max(levels[tail], levels[head] + 1)
    smallest = np.unique(done, return_index=True)[1]
    numbers = np.empty(count, np.int32)
    numbers[np.lexsort((smallest, np.array(levels)))] = np.arange(count, dtype=np.int32)
    return count, numbers[done]


def _labels(
    indptr: npt.NDArray[Any], indices: npt.NDArray[np.int32], connection: str
) -> tuple[int, npt.NDArray[np.int32]]:
    import scipy.sparse

    n = len(indptr) - 1
    rows = np.ones(len(indices)), indices, indptr
    count, labels = search()(scipy.sparse.csr_array(rows, shape=(n, n)), directed=True, connection=connection)
    return int(count), labels
