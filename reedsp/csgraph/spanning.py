"""Minimum spanning trees of matrices, with SciPy's answer in every byte."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse
from scipy.sparse.csgraph import minimum_spanning_tree as on_host

from reedsp.algorithms.structure.forests.choose import MOST_EDGES, choose
from reedsp.algorithms.structure.forests.edges import DeviceEdges
from reedsp.cost_model.place import is_spanning_for_host
from reedsp.csgraph.conversions import csgraph_from_dense, csgraph_from_masked
from reedsp.csgraph.matrix import compressed_rows, is_of_scipys_type, refuse_oblong, refuse_unreal
from reedsp.device.discovery import get_device
from reedsp.device.errors import DeviceMemoryError
from reedsp.device.job import Job
from reedsp.graph.corrupt import refuse_corrupt
from reedsp.graph.graph import as_array
from reedsp.typing import MatrixLike

_INDICES = (np.dtype(np.int32), np.dtype(np.int64))


def minimum_spanning_tree(csgraph: MatrixLike, overwrite: bool = False) -> Any:
    """Find a minimum spanning tree of each connected component of an undirected graph.

    The answer is SciPy's in every byte, ties included: entries are taken by their weights, and of equal ones that which
    stands first in the rows of the matrix. In this function alone a NaN or an infinity that a sparse matrix stores is
    an edge, as it is for SciPy: NaN is heavier than any number, and -inf is the lightest. A stored 0 joins its ends,
    but is not in the answer.

    Parameters
    ----------
    csgraph : sparse matrix or array, array_like or masked array, shape (n, n)
        Weights of the edges, which lead both ways; see the module. If both entries of two vertices are there, the
        smaller one counts, and of equal ones that above the diagonal. Entries that a CSR matrix of float64 has twice
        are two edges; of other types SciPy adds them up, and so does this.
    overwrite : bool
        There for SciPy's sake: `csgraph` stays as it is.

    Returns
    -------
    csr_array or csr_matrix of float64, shape (n, n)
        The entries of `csgraph` that are edges of the trees. A ``csr_matrix`` if `csgraph` is a matrix rather than an
        array.

    Raises
    ------
    ValueError
        The graph is not square, or the index arrays of the matrix are corrupt.
    TypeError
        The weights are complex.

    Examples
    --------
    >>> from reedsp.csgraph import minimum_spanning_tree
    >>> minimum_spanning_tree([[0, 8, 0, 3], [0, 0, 2, 5], [0, 0, 0, 6], [0, 0, 0, 0]]).toarray()
    array([[0., 0., 0., 3.],
           [0., 0., 2., 5.],
           [0., 0., 0., 0.],
           [0., 0., 0., 0.]])
    """
    rows = compressed_rows(csgraph)
    if rows is not None and is_of_scipys_type(rows[2].dtype) and is_spanning_for_host(len(rows[0]), len(rows[1])):
        refuse_unreal(csgraph.dtype, "csgraph")  # type: ignore[union-attr]
        return _on_host(csgraph)
    given = csgraph
    if hasattr(csgraph, "to_scipy_sparse"):  # an array of pydata's sparse
        csgraph = csgraph.to_scipy_sparse(accept_fv=[0, np.nan, np.inf])
    matrix = _rows(csgraph)
    n, m = matrix.shape[0], int(matrix.indptr[-1])
    if m == 0 or is_spanning_for_host(n, m):
        is_ours = given is csgraph and getattr(csgraph, "format", None) != "csr"
        tree = _on_host(matrix, overwrite=is_ours)
    else:
        tree = _on_device(matrix)
    if isinstance(given, (np.matrix, scipy.sparse.spmatrix)):
        return scipy.sparse.csr_matrix(tree)
    from_scipy = getattr(type(given), "from_scipy_sparse", None)  # of an array of pydata's sparse
    return tree if from_scipy is None else from_scipy(tree)


def _rows(csgraph: Any) -> Any:
    """Return a graph as a square CSR matrix, with its entries as they stand."""
    if scipy.sparse.issparse(csgraph):
        refuse_unreal(csgraph.dtype, "csgraph")
        refuse_oblong(csgraph.shape, "csgraph")
        if csgraph.format != "csr":
            refuse_corrupt(csgraph, "csgraph")
        rows = csgraph.tocsr()
        if csgraph.format == "bsr":
            rows.eliminate_zeros()  # of what fills blocks, in a copy
        _check_pointers(rows)
        return rows.astype(np.float64, copy=False)  # which adds up entries that are there twice, unless it copies none
    if np.ma.isMaskedArray(csgraph):
        refuse_unreal(csgraph.dtype, "csgraph")
        return csgraph_from_masked(csgraph)
    weights = as_array(csgraph, "csgraph")
    refuse_unreal(weights.dtype, "csgraph")
    refuse_oblong(weights.shape, "csgraph")
    return csgraph_from_dense(weights.astype(np.float64) if weights.dtype.kind == "O" else weights)


def _check_pointers(rows: Any) -> None:
    """Raise ValueError if row pointers do not ascend from 0 to the number of entries."""
    indptr, entries = rows.indptr, min(len(rows.indices), len(rows.data))
    if not {indptr.dtype, rows.indices.dtype} <= set(_INDICES):
        raise ValueError(f"csgraph has indices of {indptr.dtype} and {rows.indices.dtype}, expected int32 or int64")
    is_right = len(indptr) == rows.shape[0] + 1 and indptr[0] == 0 and indptr[-1] <= entries
    if not is_right or (indptr[1:] < indptr[:-1]).any():
        raise ValueError(f"csgraph.indptr does not ascend from 0 to the number of entries, {entries}")


def _arrays(rows: Any) -> tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[np.float64]]:
    """Return row pointers, columns and weights, contiguous and without what may be behind the last row."""
    indptr, indices, data = (np.ascontiguousarray(each) for each in (rows.indptr, rows.indices, rows.data))
    return indptr, indices[: indptr[-1]], data[: indptr[-1]]


def _column_error(indices: npt.NDArray[Any], n: int) -> ValueError:
    entry = int(np.argmax((indices < 0) | (indices >= n)))
    return ValueError(f"csgraph.indices[{entry}] = {indices[entry]} is not a vertex of a graph with {n} vertices")


def _on_host(rows: Any, overwrite: bool = False) -> Any:
    """Return SciPy's answer, which does not look whether columns are in range, and may overwrite the matrix."""
    _check_pointers(rows)
    n, indices = rows.shape[0], rows.indices[: rows.indptr[-1]]
    if len(indices) and np.maximum.reduce(indices.view(f"u{indices.itemsize}")) >= n:  # negative ones are large
        raise _column_error(indices, n)
    return on_host(rows, overwrite)


def _on_device(rows: Any) -> Any:
    """Return the entries of the forest, found on the device."""
    indptr, indices, data = _arrays(rows)
    n = rows.shape[0]
    if len(indices) > MOST_EDGES:
        raise DeviceMemoryError(f"csgraph has {len(indices):,} entries, and places are counted in 32 bits")
    job = Job(get_device(), recycle=True)
    try:
        edges = DeviceEdges(job, n, indices, data, indptr=indptr)
        seen = edges.look(job)
        if seen.outside:
            raise _column_error(indices, n)
        places, count, _ = choose(edges, seen, job, maximum=False, upper=False)
        before = edges.rows_before(places, count, job)
        columns, weights = edges.heads_of(places, count, job)
    finally:
        job.return_borrowed()
        job.recycle()
    tree = scipy.sparse.csr_array((weights, columns, before), shape=rows.shape)
    tree.eliminate_zeros()
    return tree
