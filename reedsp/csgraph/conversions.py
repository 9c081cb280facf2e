"""From one representation of a graph, or of paths, to another: nothing is searched."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse
from scipy.sparse.csgraph import construct_dist_matrix as _construct_dist_matrix
from scipy.sparse.csgraph import csgraph_from_masked as _csgraph_from_masked
from scipy.sparse.csgraph import csgraph_to_dense as _csgraph_to_dense
from scipy.sparse.csgraph import csgraph_to_masked as _csgraph_to_masked

from reedsp.csgraph.formats import compressed
from reedsp.csgraph.matrix import (
    are_indices,
    are_rows,
    first_of,
    graph_of,
    number,
    refuse_oblong,
    refuse_unreal,
)
from reedsp.edges.device_graph import NO_VERTEX
from reedsp.edges.matrix_graph import are_finite
from reedsp.graph.corrupt import refuse_corrupt
from reedsp.graph.graph import as_array, refuse_masked, without_room
from reedsp.graph.indices import with_indices_alike
from reedsp.system.parts import in_parts
from reedsp.typing import MatrixLike, SparseMatrix

_INTEGERS = (np.dtype(np.int32), np.dtype(np.int64))


def entries_of(csgraph: Any) -> Any:
    """Return a graph as a square CSR or CSC matrix of finite numbers of up to 64 bits, itself if it is one.

    Its indices are right, but stand in any order, and parallel edges may be among them.
    """
    if scipy.sparse.issparse(csgraph) and csgraph.format in ("csr", "csc"):
        matrix = without_room(csgraph)
        data = matrix.data
        if data.dtype.isnative and data.dtype.itemsize <= 8 and _is_as_made(matrix):
            if are_finite(data):
                return matrix
            if not np.isneginf(data).any():
                return _finite(matrix)
    elif (matrix := compressed(csgraph)) is not None and are_finite(matrix.data):
        return matrix
    return graph_of(csgraph, directed=True).to_scipy()


def _finite(matrix: Any) -> Any:
    """Return a compressed matrix without its entries that are NaN or infinite."""
    is_kept = np.isfinite(matrix.data)
    kept = np.append(0, np.cumsum(is_kept, dtype=matrix.indptr.dtype))
    return type(matrix)((matrix.data[is_kept], matrix.indices[is_kept], kept[matrix.indptr]), shape=matrix.shape)


def reconstruct_path(csgraph: MatrixLike, predecessors: npt.ArrayLike, directed: bool = True) -> Any:
    """Return the tree that predecessors describe, with the weights of the graph.

    Parameters
    ----------
    csgraph, directed
        As for :func:`shortest_path`.
    predecessors : array_like of int32, shape (n,)
        Vertex before each one; negative where there is none.

    Returns
    -------
    csr_array or csr_matrix of float64, shape (n, n)
        As for :func:`breadth_first_tree`.

    Raises
    ------
    TypeError
        The predecessors are no numbers.
    ValueError
        They are not one for each vertex, or one is no vertex, or no integer.

    Examples
    --------
    >>> from reedsp.csgraph import reconstruct_path
    >>> reconstruct_path([[0, 7, 2], [0, 0, 0], [0, 3, 0]], [-9999, 2, 0]).toarray()
    array([[0., 0., 2.],
           [0., 0., 0.],
           [0., 3., 0.]])
    """
    matrix, before = entries_of(csgraph), as_array(predecessors, "predecessors")
    n = matrix.shape[0]
    _check_integers(before)
    _check_predecessors(before, (n,), n)
    if before.dtype not in _INTEGERS:
        before = (before if before.dtype.kind == "u" else np.maximum(before, -1)).astype(np.int64)
    return tree_like(csgraph, matrix, before, directed)


def tree_like(csgraph: Any, matrix: Any, predecessors: npt.NDArray[Any], directed: bool) -> Any:
    """Return the tree that predecessors describe, in the kind of a graph, of which the matrix has been made."""
    tree = tree_of(matrix, predecessors, directed)
    if isinstance(csgraph, (np.matrix, scipy.sparse.spmatrix)) and not isinstance(tree, scipy.sparse.spmatrix):
        return scipy.sparse.csr_matrix(tree)
    from_scipy = getattr(type(csgraph), "from_scipy_sparse", None)  # an array of pydata's sparse
    return tree if from_scipy is None else from_scipy(tree)


def _check_integers(predecessors: npt.NDArray[Any]) -> None:
    kind = predecessors.dtype.kind
    if kind not in "iuf":
        raise TypeError(f"predecessors has dtype {predecessors.dtype}, expected integers")
    if kind == "f" and (wrong := (predecessors != np.rint(predecessors)) | np.isinf(predecessors)).any():
        raise ValueError(f"{first_of(wrong, predecessors, 'predecessors')}, expected an integral number")


def _check_predecessors(predecessors: npt.NDArray[Any], shape: tuple[int, ...], n: int) -> None:
    if predecessors.shape != shape:
        raise ValueError(f"predecessors has shape {predecessors.shape}, expected {shape}")
    if predecessors.size and predecessors.flat[predecessors.argmax()] >= n:
        found = first_of(predecessors >= n, predecessors, "predecessors")
        raise ValueError(f"{found} is not a vertex of a graph with {n} vertices")


def tree_of(matrix: Any, predecessors: npt.NDArray[Any], directed: bool = True) -> Any:
    """Return the edges by which predecessors lead, found in one pass over a matrix.

    Parameters
    ----------
    matrix : sparse matrix or array, CSR or CSC, shape (n, n)
        Of finite numbers.
    predecessors : ndarray of int32 or int64, shape (n,)
        Each below n.
    directed : bool

    Returns
    -------
    csr_array or csr_matrix of float64, shape (n, n)
        A matrix if `matrix` is one. Of parallel edges the minimum counts; where there is none, 0 stands if `directed`,
        else inf, as in SciPy.
    """
    n = matrix.shape[0]
    vertices = (predecessors >= 0).nonzero()[0]
    weights = _weights_before(matrix, predecessors, directed)
    if directed:
        weights[weights == np.inf] = 0
    tails = predecessors.take(vertices)
    positions = tails * np.int64(n) + vertices
    if (positions[1:] < positions[:-1]).any():
        positions.sort()
    heads, rows = positions % n, np.zeros(n + 1, np.int32)
    rows[1:] = np.bincount(tails, minlength=n).cumsum()
    kind = scipy.sparse.csr_matrix if isinstance(matrix, scipy.sparse.spmatrix) else scipy.sparse.csr_array
    return kind((weights.take(heads), heads.astype(np.int32), rows), shape=(n, n))


def _weights_before(matrix: Any, predecessors: npt.NDArray[Any], directed: bool) -> npt.NDArray[np.float64]:
    """Return the weight of the edge that leads to each vertex from the one before it, inf where there is none."""
    indptr, minors, data = matrix.indptr, matrix.indices, matrix.data
    is_rows = matrix.format == "csr"
    leads_to_minor, leads_to_major = is_rows or not directed, not (is_rows and directed)
    weights = np.full(matrix.shape[0], np.inf)
    found = []

    def look(first: int, last: int) -> None:
        begin, end = int(indptr.searchsorted(first, "right")) - 1, int(indptr.searchsorted(last))
        borders = indptr[begin : end + 1].copy()
        borders[0], borders[-1] = first, last
        minor, counts = minors[first:last], borders[1:] - borders[:-1]
        major = np.arange(begin, end, dtype=predecessors.dtype).repeat(counts)
        if leads_to_minor:
            edges = (major == predecessors.take(minor)).nonzero()[0]
            found.append((minor.take(edges), edges + first))
        if leads_to_major:
            edges = (minor == predecessors[begin:end].repeat(counts)).nonzero()[0]
            found.append((major.take(edges), edges + first))

    in_parts(look, len(minors), minors.itemsize)
    for heads, edges in found:
        np.minimum.at(weights, heads, data.take(edges).astype(np.float64, copy=False))
    weights += 0.0  # which is no longer -0.0
    return weights


def construct_dist_matrix(
    graph: MatrixLike, predecessors: npt.NDArray[np.int32], directed: bool = True, null_value: float = np.inf
) -> npt.NDArray[np.float64]:
    """Add up the weights along the paths that predecessors describe.

    Parameters
    ----------
    graph, directed
        As for :func:`shortest_path`.
    predecessors : ndarray of int32, shape (n, n)
        Vertex before the last one on each path; negative where there is none.
    null_value : float
        What stands where there is no path.

    Returns
    -------
    ndarray of float64, shape (n, n)

    Raises
    ------
    TypeError
        The predecessors are no array of int32.
    ValueError
        They are not one for each pair of vertices, or one is no vertex.

    Examples
    --------
    >>> from reedsp.csgraph import construct_dist_matrix, shortest_path
    >>> graph = [[0, 7, 2], [0, 0, 0], [0, 3, 0]]
    >>> _, predecessors = shortest_path(graph, return_predecessors=True)
    >>> construct_dist_matrix(graph, predecessors)
    array([[ 0.,  5.,  2.],
           [inf,  0., inf],
           [inf,  3.,  0.]])
    """
    before = as_array(predecessors, "predecessors")
    if before.dtype != np.int32:  # SciPy before 1.16 gives zeros for others
        raise TypeError(f"predecessors: expected an array of int32, got {before.dtype}")
    given: Any = entries_of(graph)
    n = given.shape[0]
    _check_predecessors(before, (n, n), n)
    before = before.copy()
    before[before < 0] = NO_VERTEX  # to SciPy other negative ones are vertices
    if not directed:  # else SciPy does so, entry by entry, and without edges of weight 0
        weights = _csgraph_to_dense(given, np.inf)
        given = np.minimum(weights, weights.T).view(np.ma.MaskedArray)
    return _construct_dist_matrix(given, before, null_value=null_value)  # type: ignore[no-any-return]


def csgraph_masked_from_dense(
    graph: npt.ArrayLike,
    null_value: float | None = 0,
    nan_null: bool = True,
    infinity_null: bool = True,
    copy: bool = True,
) -> np.ma.MaskedArray[Any, Any]:
    """Return a dense matrix with a mask over the entries that are no edges.

    Parameters
    ----------
    graph : array_like or masked array, shape (n, n)
        Entries that are masked are no edges.
    null_value : float or None
        Neither are those that are equal to this.
    nan_null, infinity_null : bool
        Nor those that are NaN, or infinite.
    copy : bool
        False shares the memory of `graph` where possible.

    Returns
    -------
    MaskedArray

    Raises
    ------
    ValueError
        The matrix is not square.
    TypeError
        Its numbers are complex, or `null_value` is no number.

    Examples
    --------
    >>> import numpy as np
    >>> from reedsp.csgraph import csgraph_masked_from_dense
    >>> csgraph_masked_from_dense([[0, 7], [np.inf, 0]]).mask
    array([[ True, False],
           [ True,  True]])
    """
    mask = np.ma.getmaskarray(graph) if isinstance(graph, np.ma.MaskedArray) else None
    if mask is None:
        refuse_masked(graph, "graph")
    values = np.array(graph, copy=True if copy else None)
    refuse_unreal(values.dtype, "graph")
    refuse_oblong(values.shape, "graph")
    if values.dtype.kind == "O":
        values = values.astype(np.float64)
    if null_value is not None:
        number(null_value, "null_value")
    absent = np.zeros(values.shape, bool) if null_value is None else np.asarray(values == null_value)
    if nan_null or (null_value is not None and np.isnan(null_value)):
        absent |= np.isnan(values)
    if infinity_null or (null_value is not None and np.isinf(null_value)):
        absent |= np.isinf(values)
    if mask is not None:
        absent |= mask
    fill_value = null_value if null_value is not None and np.isfinite(null_value) else None
    return np.ma.MaskedArray(values, absent, copy=False, fill_value=fill_value)


def csgraph_from_dense(
    graph: npt.ArrayLike, null_value: float | None = 0, nan_null: bool = True, infinity_null: bool = True
) -> Any:
    """Return the edges of a dense matrix as a sparse one.

    Parameters
    ----------
    graph, null_value, nan_null, infinity_null
        As for :func:`csgraph_masked_from_dense`.

    Returns
    -------
    csr_array or csr_matrix of float64, shape (n, n)
        A ``csr_matrix`` if `graph` is a ``numpy.matrix``.

    Raises
    ------
    ValueError
        The matrix is not square.
    TypeError
        Its numbers are complex, or `null_value` is no number.

    Examples
    --------
    >>> import numpy as np
    >>> from reedsp.csgraph import csgraph_from_dense
    >>> csgraph_from_dense([[0, 7], [np.inf, 0]]).nnz
    1
    """
    edges = _csgraph_from_masked(csgraph_masked_from_dense(graph, null_value, nan_null, infinity_null, copy=False))
    return scipy.sparse.csr_matrix(edges) if isinstance(graph, np.matrix) else edges


def csgraph_from_masked(graph: np.ma.MaskedArray[Any, Any]) -> Any:
    """Return the entries of a masked array that are not masked as a sparse array.

    Parameters
    ----------
    graph : MaskedArray, shape (n, n)

    Returns
    -------
    csr_array of float64, shape (n, n)

    Raises
    ------
    TypeError
        It is no array, or of complex numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from reedsp.csgraph import csgraph_from_masked
    >>> csgraph_from_masked(np.ma.masked_equal([[-1, 7], [0, -1]], -1)).nnz     # the 0 is an edge
    2
    """
    if not isinstance(graph, np.ndarray):
        raise TypeError(f"graph: expected a masked array, got {type(graph).__name__}")
    refuse_unreal(graph.dtype, "graph")
    return _csgraph_from_masked(np.ma.MaskedArray(np.asarray(np.ma.getdata(graph)), np.ma.getmaskarray(graph)))


def csgraph_to_dense(csgraph: SparseMatrix, null_value: float = 0) -> npt.NDArray[np.float64]:
    """Return the weights of the edges as a dense matrix.

    Parameters
    ----------
    csgraph : sparse matrix or array, CSR, CSC or LIL, shape (n, n)
        The least of parallel edges counts.
    null_value : float
        What stands where there is no edge.

    Returns
    -------
    ndarray of float64, shape (n, n)

    Raises
    ------
    TypeError
        The weights are complex.
    ValueError
        It is not sparse, of another format or not square, or its index arrays are corrupt.

    Examples
    --------
    >>> import scipy.sparse
    >>> from reedsp.csgraph import csgraph_to_dense
    >>> csgraph_to_dense(scipy.sparse.csr_array([[0, 7], [0, 0]]), null_value=-1)
    array([[-1.,  7.],
           [-1., -1.]])
    """
    return _csgraph_to_dense(_readable(csgraph), null_value)  # type: ignore[no-any-return]


def csgraph_to_masked(csgraph: SparseMatrix) -> np.ma.MaskedArray[Any, Any]:
    """Return the weights of the edges as a dense matrix with a mask over what is no edge.

    Parameters
    ----------
    csgraph
        As for :func:`csgraph_to_dense`.

    Returns
    -------
    MaskedArray of float64, shape (n, n)

    Raises
    ------
    TypeError, ValueError
        As for :func:`csgraph_to_dense`.

    Examples
    --------
    >>> import scipy.sparse
    >>> from reedsp.csgraph import csgraph_to_masked
    >>> csgraph_to_masked(scipy.sparse.csr_array([[0, 7], [0, 0]])).mask
    array([[ True, False],
           [ True,  True]])
    """
    return _csgraph_to_masked(_readable(csgraph))  # type: ignore[no-any-return]


def _readable(csgraph: Any) -> Any:
    """Return a sparse matrix that does not lead SciPy's routines beyond its memory; whatever is none as it is."""
    if not scipy.sparse.issparse(csgraph):
        return csgraph
    if csgraph.format in ("csr", "csc") and _is_as_made(csgraph):
        return csgraph
    refuse_oblong(csgraph.shape, "csgraph")
    refuse_unreal(csgraph.dtype, "csgraph")
    refuse_corrupt(csgraph, "csgraph")
    return with_indices_alike(csgraph)


def _is_as_made(matrix: Any) -> bool:
    """Return whether a compressed matrix is square and as SciPy makes it, without room behind its entries."""
    indptr, indices, data, n = matrix.indptr, matrix.indices, matrix.data, len(matrix.indptr) - 1
    if matrix.shape != (n, n) or indptr.dtype != indices.dtype:
        return False
    if not all(each.flags.c_contiguous for each in (indptr, indices, data)):
        return False
    if not len(indices):
        return not (len(data) or indptr.any()) and are_indices(indptr) and data.dtype.kind in "biuf"
    return are_rows(indptr, indices, data)
