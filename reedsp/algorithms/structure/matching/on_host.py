"""A maximum matching on the host, by SciPy's search, of inputs so small that a device would not have begun."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from reedsp.algorithms.structure.matching.biadjacency import Biadjacency
from reedsp.algorithms.structure.matching.sides import Mates
from reedsp.cost_model.place import is_matched_on_host

METHOD = "hopcroft-karp"
"""That of SciPy."""


@functools.cache
def search() -> Callable[..., Any]:
    """Return SciPy's ``maximum_bipartite_matching``, as it is at the first call; its import takes long."""
    from scipy.sparse.csgraph import maximum_bipartite_matching

    return maximum_bipartite_matching  # type: ignore[no-any-return]


def can_solve(graph: Biadjacency) -> bool:
    """Return whether this is for the host: it is small, and its arrays are not corrupt."""
    vertices = graph.n + graph.columns
    if not is_matched_on_host(vertices, graph.m, own=1.0):
        return False
    indptr, indices = graph.indptr, graph.indices
    ascends = np.logical_and.reduce(indptr[1:] >= indptr[:-1])
    if graph.m == 0:
        return bool(ascends)
    if not (ascends and np.maximum.reduce(indices.view(f"u{indices.itemsize}")) < graph.columns):  # or is negative
        return False
    return is_matched_on_host(vertices, graph.m) or is_matched_on_host(vertices, graph.m, _own(graph))


def _own(graph: Biadjacency) -> float:
    """Return what of the rows begins with a column of its own; one without edges begins as the next one does."""
    begins = graph.indptr[:-1].astype(np.intp)  # which numpy takes more quickly
    first = graph.indices.take(begins, mode="clip").astype(np.intp)
    is_first = np.zeros(graph.columns, np.bool_)
    is_first[first] = True
    return np.count_nonzero(is_first) / graph.n


def solve(graph: Biadjacency) -> Mates:
    """Return the column of each row and the row of each column, as the user calls them."""
    import scipy.sparse

    rows = np.broadcast_to(np.int8(1), graph.m), graph.indices, graph.indptr
    column_of = search()(scipy.sparse.csr_array(rows, shape=(graph.n, graph.columns)), "column")
    row_of = np.full(graph.columns, -1, np.int32)
    matched = (column_of >= 0).nonzero()[0]
    row_of[column_of[matched]] = matched
    return (row_of, column_of) if graph.flipped else (column_of, row_of)
