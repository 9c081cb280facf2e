"""The trees that follow from distances, by the rule of docs/explanation/exactness.md, on the host."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from reedsp.algorithms.single_source.host.routines import routines
from reedsp.edges.device_graph import NO_VERTEX

_HASHES = 1 << 16  # numbers of 16 bits
_ROW_BLOCK, _BLOCK, _HASHED_BLOCK = 16_000, 6000, 60_000
"""Edges of one row, and of all rows: the memory of larger arrays is handed out page by page."""
_REACHED = 0.1
"""What of the vertices is reached, up to which the edges of these are looked at alone."""
_BY_HAND = 200
"""Edges along which Python is quicker than SciPy, however few levels there are; as measured."""


def choose_smallest(
    indptr: npt.NDArray[Any],
    heads: npt.NDArray[Any],
    weights: npt.NDArray[Any],
    dist: npt.NDArray[Any],
    pred: npt.NDArray[np.int32],
    sources: npt.NDArray[Any],
) -> None:
    """Replace SciPy's predecessors, but for sources, where there are smaller ones.

    Parameters
    ----------
    indptr, heads, weights : ndarray
        Of a CSR matrix. Every edge of a shortest path leads to a larger distance.
    dist, pred : ndarray, shape (rows, n)
        inf and negative where there is no path.
    sources : ndarray of int, shape (rows,)
    """
    edges, rows, m = (indptr, heads, weights), len(dist), len(heads)
    if rows == 1 or dist.shape[1] > _HASHES:
        for row in range(rows):
            _choose_in_row(*edges, dist[row], pred[row], sources[row])
        return
    by_hashes = rows * m > _BLOCK and not np.count_nonzero(weights != np.rint(weights))
    choose, block = (_choose_by_hashes, _HASHED_BLOCK) if by_hashes else (_choose_by_sums, _BLOCK)
    step = -(-rows // max(1, round(rows * m / block)))
    if rows == step:
        choose(*edges, dist, pred, sources)
        return
    for first in range(0, rows, step):
        part = slice(first, first + step)
        choose(*edges, dist[part], pred[part], sources[part])


def _choose_in_row(
    indptr: npt.NDArray[Any],
    heads: npt.NDArray[Any],
    weights: npt.NDArray[Any],
    dist: npt.NDArray[Any],
    pred: npt.NDArray[np.int32],
    source: np.integer[Any],
) -> None:
    edge = _tight_edges(indptr, heads, weights, dist)
    if len(edge) == np.count_nonzero(pred >= 0):
        return  # one for each vertex that has a predecessor
    head = heads.take(edge)
    known = pred.take(head)
    # Edges of smaller vertices come before those of the predecessor, and none before those of no vertex.
    last = edge.compress(edge < indptr.take(known, mode="clip"))[::-1]
    if len(last):
        last = last.compress(pred.take(heads.take(last)) != source)
        # Tails ascend, and of several for one element the last one stays.
        pred[heads.take(last)] = indptr.searchsorted(last.astype(indptr.dtype), "right") - 1


def _tight_edges(
    indptr: npt.NDArray[Any], heads: npt.NDArray[Any], weights: npt.NDArray[Any], dist: npt.NDArray[Any]
) -> npt.NDArray[np.intp]:
    """Return the edges that are the last of a shortest path, and perhaps others that lead from nowhere to nowhere."""
    n, m, counts = len(dist), len(heads), indptr[1:] - indptr[:-1]
    if m <= _ROW_BLOCK:
        return _tight_of_row(counts, heads, weights, dist, dist).nonzero()[0]
    reached = (dist < np.inf).nonzero()[0]
    if len(reached) <= _REACHED * n:
        counts = counts.take(reached)
        edges = edges_in(indptr.take(reached), counts)
        own = heads.take(edges), weights.take(edges)
        return edges.compress(_tight_of_row(counts, *own, dist.take(reached), dist))
    ends = indptr.searchsorted(np.arange(_ROW_BLOCK, m, _ROW_BLOCK, dtype=indptr.dtype)).tolist()
    tight = [
        _tight_of_row(counts[a:b], heads[first:last], weights[first:last], dist[a:b], dist)
        for a, b in itertools.pairwise([0, *ends, n])
        for first, last in [indptr[[a, b]].tolist()]
    ]
    return np.concatenate(tight).nonzero()[0]


def edges_in(first: npt.NDArray[Any], counts: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the indices of all edges of some rows, one row behind the other.

    Parameters
    ----------
    first, counts : ndarray of int, shape (rows,)
        Where the edges of each row begin, and how many there are.
    """
    edges: npt.NDArray[Any] = (first - counts.cumsum() + counts).repeat(counts)
    edges += np.arange(len(edges))
    return edges


def _tight_of_row(
    counts: npt.NDArray[Any],
    heads: npt.NDArray[Any],
    weights: npt.NDArray[Any],
    dist_of_tails: npt.NDArray[Any],
    dist: npt.NDArray[Any],
) -> npt.NDArray[np.bool_]:
    """Return which edges are the last of a shortest path, or lead from nowhere to nowhere."""
    before = dist_of_tails.repeat(counts)
    before += weights
    return before == dist.take(heads)  # type: ignore[no-any-return]


def _choose_by_sums(
    indptr: npt.NDArray[Any],
    heads: npt.NDArray[Any],
    weights: npt.NDArray[Any],
    dist: npt.NDArray[Any],
    pred: npt.NDArray[np.int32],
    sources: npt.NDArray[Any],
) -> None:
    before = dist.repeat(indptr[1:] - indptr[:-1], 1)
    before += weights
    tight = before == dist.take(heads, 1)
    if np.count_nonzero(tight) != np.count_nonzero(pred >= 0):  # one for each vertex that has a predecessor
        row, edge = np.divmod(tight.ravel().nonzero()[0], len(heads))  # one dimension is quicker than two
        _replace(indptr, heads, weights, dist, pred, sources, row, edge)


def _choose_by_hashes(
    indptr: npt.NDArray[Any],
    heads: npt.NDArray[Any],
    weights: npt.NDArray[Any],
    dist: npt.NDArray[Any],
    pred: npt.NDArray[np.int32],
    sources: npt.NDArray[Any],
) -> None:
    """Do so where weights are integers.

    Almost no edge is tight that is not in a tree, so that most are ruled out by the last 16 bits of the distances, of
    all rows side by side.
    """
    counts, rows = indptr[1:] - indptr[:-1], len(dist)
    with np.errstate(invalid="ignore"):  # whatever becomes of infinity
        to = dist.astype(np.int64).astype(np.uint16).T.copy()
    before = to.repeat(counts, 0)
    before += weights.astype(np.int64).astype(np.uint16)[:, None]
    tight = before == to.take(heads, 0)
    if np.count_nonzero(tight) == np.count_nonzero(dist < np.inf) - rows:
        return  # one for each vertex that is reached
    tails = np.arange(dist.shape[1], dtype=np.uint16).repeat(counts)
    tight &= pred.astype(np.uint16).T.copy().take(heads, 0) > tails[:, None]
    edge, row = np.divmod(tight.ravel().nonzero()[0], rows)
    _replace(indptr, heads, weights, dist, pred, sources, row, edge)


def _replace(
    indptr: npt.NDArray[Any],
    heads: npt.NDArray[Any],
    weights: npt.NDArray[Any],
    dist: npt.NDArray[Any],
    pred: npt.NDArray[np.int32],
    sources: npt.NDArray[Any],
    row: npt.NDArray[Any],
    edge: npt.NDArray[Any],
) -> None:
    """Replace predecessors by the tails of some edges, in some rows, where these are tight; edges ascend in a row."""
    begin = row * dist.shape[1]
    at = begin + heads.take(edge)
    known = pred.take(at)
    # Edges of smaller vertices come before those of the predecessor, and none before those of no vertex.
    chosen = ((edge < indptr.take(known, mode="clip")) & (known != sources.take(row))).nonzero()[0]
    if not len(chosen):
        return
    at, edge = at.take(chosen), edge.take(chosen)
    tail = indptr.searchsorted(edge.astype(indptr.dtype), "right") - 1
    tight = dist.take(begin.take(chosen) + tail) + weights.take(edge) == dist.take(at)
    last = tight.nonzero()[0][::-1]  # tails ascend, and of several for one element the last one stays
    pred.reshape(-1)[at.take(last)] = tail.take(last)


def trees(
    indptr: npt.NDArray[Any],
    heads: npt.NDArray[Any],
    weights: npt.NDArray[Any],
    dist: npt.NDArray[Any],
    starts: Sequence[Sequence[int]],
    guess: npt.NDArray[np.int32] | None = None,
    *,
    by_hops: bool = False,
    direct: bool = False,
) -> npt.NDArray[np.int32]:
    """Return the predecessors of final distances, shape (rows, n).

    Parameters
    ----------
    indptr, heads, weights : ndarray
        Of a CSR matrix.
    dist : ndarray, shape (rows, n)
        inf where there is no path.
    starts : sequence of sequences of int
        The vertices at distance 0 of each row.
    guess : ndarray of int32, shape (rows, n), optional
        The predecessors of some shortest paths, which are the answer if there are no others. Needs one start in each
        row.
    by_hops : bool
        Choose predecessors by hop level only, as in a graph with negative weights.
    direct : bool
        Before all others take a start, if an edge from it is a shortest path, as all of SciPy's algorithms do. Each
        vertex is reached from one start of its row.
    """
    rows, n = dist.shape
    flat = dist if rows > 1 else dist[0]  # numpy is quicker with fewer dimensions
    counts = indptr[1:] - indptr[:-1]
    before, after = flat.repeat(counts, -1), flat.take(heads, -1)
    tight = before + weights == after
    reached = np.count_nonzero(flat < np.inf)
    if guess is not None:
        # Each vertex that is reached has such an edge; if none has two, and no start one, there is one tree.
        of_paths = tight if reached == flat.size else tight & (before < np.inf)
        if np.count_nonzero(of_paths) == reached - rows:
            return guess
        if rows > 1:
            ties = (np.count_nonzero(of_paths, 1) != np.count_nonzero(flat < np.inf, 1) - 1).nonzero()[0]
            some = [starts[row] for row in ties.tolist()]
            guess[ties] = trees(indptr, heads, weights, dist[ties], some, by_hops=by_hops, direct=direct)
            return guess
    tails = np.arange(n, dtype=np.int32).repeat(counts)
    pred = np.empty(rows * n, np.int32)
    pred.fill(NO_VERTEX)
    found = 0
    if not by_hops:
        *row, edge = (tight & (before < after)).nonzero()
        # Tails ascend, and of those that are assigned to one place the last one stays.
        pred[_slots(row, n, heads.take(edge))[::-1]] = tails.take(edge)[::-1]
        found = int(np.count_nonzero(pred >= 0))
    if found + sum(map(len, map(set, starts))) != reached:
        tight &= before < np.inf
        *row, edge = tight.nonzero()
        of_paths = _slots(row, n, tails.take(edge)), _slots(row, n, heads.take(edge))
        _resolve_by_levels(*of_paths, pred, n, [row * n + start for row, some in enumerate(starts) for start in some])
    if direct:
        for number, source in ((number, source) for number, some in enumerate(starts) for source in some):
            first, last, own = indptr[source], indptr[source + 1], pred[number * n : (number + 1) * n]
            own[heads[first:last][(tight[number] if rows > 1 else tight)[first:last]]] = source
            own[source] = NO_VERTEX
    return pred.reshape(rows, n)


def _slots(row: list[npt.NDArray[Any]], n: int, vertices: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the indices of vertices in all rows, one behind the other; without a row there is one only."""
    return row[0] * n + vertices if row else vertices


def _resolve_by_levels(
    tails: npt.NDArray[Any], heads: npt.NDArray[Any], pred: npt.NDArray[np.int32], n: int, starts: Sequence[int]
) -> None:
    """Give each vertex that tight edges lead to a predecessor, by hop level, in all rows at once.

    Those that have one, and the starts, are at level 0; of several, it is the smallest vertex one level below. Tails
    and heads are indices of the rows' vertices, n in each, and tails ascend.
    """
    resolved = pred != NO_VERTEX
    resolved[starts] = True
    is_open = (~resolved.take(heads)).nonzero()[0]
    tails, heads = tails.take(is_open), heads.take(is_open)
    if len(heads) <= _BY_HAND:
        _resolve_by_hand(tails.tolist(), heads.tolist(), pred, n, resolved)
        return
    levels = _hops(tails, heads, resolved)
    leads = (levels.take(tails) < levels.take(heads)).nonzero()[0][::-1]
    # Tails ascend, and of those that are assigned to one place the last one stays.
    pred[heads.take(leads)] = tails.take(leads) % n


def _hops(tails: npt.NDArray[Any], heads: npt.NDArray[Any], begins: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
    """Return how many edges lead to each vertex from the nearest one to begin with, inf if none do; tails ascend.

    SciPy is given the ends of these edges only, which may be few of the vertices.
    """
    import scipy.sparse

    is_end = np.zeros(len(begins), bool)
    is_end[tails] = is_end[heads] = True
    ends = is_end.nonzero()[0]
    number = np.empty(len(begins), np.int32)
    number[ends] = np.arange(len(ends), dtype=np.int32)
    counts = np.bincount(number.take(tails), minlength=len(ends))
    rows = np.ones(len(heads)), number.take(heads), np.append(0, counts.cumsum())
    matrix = scipy.sparse.csr_array(rows, shape=(len(ends), len(ends)))
    first = (begins.take(ends) & (counts > 0)).nonzero()[0]
    levels = np.full(len(begins), np.inf)
    levels[ends] = routines().dijkstra(matrix, indices=first, min_only=True)
    return levels


def _resolve_by_hand(
    tails: list[int], heads: list[int], pred: npt.NDArray[np.int32], n: int, resolved: npt.NDArray[np.bool_]
) -> None:
    """Do so along few edges to vertices without a predecessor, before SciPy has looked at its arguments."""
    leading: dict[int, list[int]] = {}
    for tail, head in zip(tails, heads, strict=True):
        leading.setdefault(tail, []).append(head)
    before: dict[int, int] = {}
    level = [tail for tail in leading if resolved[tail]]
    while level:
        entered = []
        for tail in level:
            for head in leading[tail]:
                if head not in before:
                    before[head] = tail % n
                    entered.append(head)
        level = sorted(head for head in entered if head in leading)
    pred[list(before)] = list(before.values())
