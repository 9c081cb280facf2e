"""A maximum matching on the host, by SciPy's search, of inputs so small that a device would not have begun."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from reedsp.algorithms.structure.matching.biadjacency import Biadjacency
from reedsp.algorithms.structure.matching.sides import Mates
from reedsp.cost_model.place import is_full_matched_on_host, is_matched_on_host

METHOD = "hopcroft-karp"
"""That of SciPy."""


@functools.cache
def search() -> Callable[..., Any]:
    """Return SciPy's ``maximum_bipartite_matching``, as it is at the first call; its import takes long."""
    from scipy.sparse.csgraph import maximum_bipartite_matching

    return maximum_bipartite_matching  # type: ignore[no-any-return]


def can_solve(graph: Biadjacency) -> bool:
    """Return whether this is for the host: it is small, its arrays are not corrupt, and no edge is there twice."""
    vertices = graph.n + graph.columns
    least = graph.m // max(graph.n, 1)  # edges of a row, at most
    if not (is_matched_on_host(vertices, graph.m, own=1.0) or is_full_matched_on_host(graph.n, graph.columns, least)):
        return False
    indptr, indices = graph.indptr, graph.indices
    ascends = np.logical_and.reduce(indptr[1:] >= indptr[:-1])
    if graph.m == 0:
        return bool(ascends)
    if not (ascends and np.maximum.reduce(indices.view(f"u{indices.itemsize}")) < graph.columns):  # or is negative
        return False
    is_small = is_matched_on_host(vertices, graph.m)
    if not (
        is_small
        or is_matched_on_host(vertices, graph.m, _own(graph))
        or is_full_matched_on_host(graph.n, graph.columns, int(np.diff(indptr).min()))
    ):
        return False
    return _ascend(graph) or (is_small and _are_apart(graph))


def _own(graph: Biadjacency) -> float:
    """Return what of the rows begins with a column of its own.

    It is 1 also where the rows that begin so are all that have edges, or their columns are all that have any: no other
    matching has more.
    """
    begins = graph.indptr[:-1][graph.indptr[1:] > graph.indptr[:-1]].astype(np.intp)  # which numpy takes more quickly
    is_first = np.zeros(graph.columns, np.bool_)
    is_first[graph.indices[begins]] = True
    own = np.count_nonzero(is_first)
    if own == len(begins) or (graph.m <= graph.n + graph.columns and is_first[graph.indices].all()):
        return 1.0
    return own / graph.n


def _ascend(graph: Biadjacency) -> bool:
    """Return whether the columns of each row ascend, as they mostly do, and none is there twice."""
    ascends = graph.indices[1:] > graph.indices[:-1]
    begins = graph.indptr[1:-1]
    ascends[begins[(begins > 0) & (begins < graph.m)] - 1] = True
    return bool(ascends.all())


def _are_apart(graph: Biadjacency) -> bool:
    """Return whether no row has a column twice: SciPy's search writes beyond its memory then."""
    rows = np.arange(graph.n).repeat(np.diff(graph.indptr))
    keys = np.sort(rows * graph.columns + graph.indices)
    return bool((keys[1:] != keys[:-1]).all())


def solve(graph: Biadjacency) -> Mates:
    """Return the column of each row and the row of each column, as the user calls them."""
    import scipy.sparse

    rows = np.broadcast_to(np.int8(1), graph.m), graph.indices, graph.indptr
    column_of = search()(scipy.sparse.csr_array(rows, shape=(graph.n, graph.columns)), "column")
    row_of = np.full(graph.columns, -1, np.int32)
    matched = (column_of >= 0).nonzero()[0]
    row_of[column_of[matched]] = matched
    return (row_of, column_of) if graph.flipped else (column_of, row_of)
