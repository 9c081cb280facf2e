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
from scipy.sparse.csgraph import reconstruct_path as _reconstruct_path

from reedsp.cost_model.place import is_for_host
from reedsp.csgraph.matrix import (
    first_of,
    graph_of,
    is_ordered,
    number,
    refuse_oblong,
    refuse_unreal,
    with_indices_alike,
)
from reedsp.csgraph.small import both_ways
from reedsp.edges.device_graph import NO_VERTEX
from reedsp.graph.corrupt import refuse_corrupt
from reedsp.graph.graph import as_array, refuse_masked, without_room
from reedsp.system.parts import in_parts
from reedsp.typing import MatrixLike, SparseMatrix


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
    matrix, before = _weight_matrix(csgraph, directed), as_array(predecessors, "predecessors")
    n = matrix.shape[0]
    _check_integers(before)
    _check_predecessors(before, (n,), n)
    tree = tree_of(matrix, before)
    if tree is None:
        tree = _reconstruct_path(matrix, before if n else before.astype(np.int64))  # a list of none is one of floats
    from_scipy = getattr(type(csgraph), "from_scipy_sparse", None)  # an array of pydata's sparse
    return tree if from_scipy is None else from_scipy(tree)


def _weight_matrix(csgraph: Any, directed: bool) -> Any:
    """Return the graph in the one form that SciPy's conversions never misread, and of the kind that they return."""
    edges = None
    if is_ordered(csgraph):
        matrix = without_room(csgraph)
        if directed:
            return matrix
        if is_for_host(matrix.shape[0], len(matrix.data), 1):
            edges = both_ways(matrix)
    if edges is None:
        edges = graph_of(csgraph, directed).to_scipy()
    is_matrix = isinstance(csgraph, (np.matrix, scipy.sparse.spmatrix))
    return scipy.sparse.csr_matrix(edges) if is_matrix else edges


def _check_integers(predecessors: npt.NDArray[Any]) -> None:
    kind = predecessors.dtype.kind
    if kind not in "iuf":
        raise TypeError(f"predecessors has dtype {predecessors.dtype}, expected integers")
    if kind == "f" and (wrong := (predecessors != np.rint(predecessors)) | np.isinf(predecessors)).any():
        raise ValueError(f"{first_of(wrong, predecessors, 'predecessors')}, expected an integral number")


def _check_predecessors(predecessors: npt.NDArray[Any], shape: tuple[int, ...], n: int) -> None:
    if predecessors.shape != shape:
        raise ValueError(f"predecessors has shape {predecessors.shape}, expected {shape}")
    if predecessors.size and predecessors.max() >= n:
        found = first_of(predecessors >= n, predecessors, "predecessors")
        raise ValueError(f"{found} is not a vertex of a graph with {n} vertices")


def tree_of(matrix: Any, predecessors: npt.NDArray[Any]) -> Any:
    """Return the edges of a matrix by which predecessors lead, in the order of the matrix, found in one pass over it.

    Parameters
    ----------
    matrix : csr_array or csr_matrix, shape (n, n)
        Its columns ascend.
    predecessors : ndarray, shape (n,)

    Returns
    -------
    csr_array or csr_matrix of float64, shape (n, n)
        As `matrix` is; None where a vertex has not exactly one such edge, and for what are no predecessors.
    """
    n = matrix.shape[0]
    if predecessors.shape != (n,) or predecessors.dtype.kind != "i":
        return None
    indptr, heads, m = matrix.indptr, matrix.indices, len(matrix.indices)
    found: dict[int, npt.NDArray[Any]] = {}

    def look(first: int, last: int) -> None:
        begin, end = int(indptr.searchsorted(first, "right")) - 1, int(indptr.searchsorted(last))
        borders = indptr[begin : end + 1].clip(first, last)
        tails = np.arange(begin, end, dtype=predecessors.dtype).repeat(borders[1:] - borders[:-1])
        found[first] = (tails == predecessors.take(heads[first:last])).nonzero()[0] + first

    in_parts(look, m, heads.itemsize)
    edges = np.concatenate([found[first] for first in sorted(found)]) if found else np.empty(0, np.intp)
    leads = heads.take(edges)
    reached, rows = np.zeros(n, np.bool_), np.zeros(n + 1, np.int32)
    reached[leads] = True
    if not np.count_nonzero(reached) == len(edges) == np.count_nonzero(predecessors >= 0):
        return None
    np.cumsum(np.bincount(predecessors.take(leads), minlength=n), out=rows[1:])
    weights = np.add(matrix.data.take(edges), 0, dtype=np.float64)
    return type(matrix)((weights, leads.astype(np.int32, copy=False), rows), shape=(n, n))


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
    matrix = _weight_matrix(graph, directed)
    n = matrix.shape[0]
    _check_predecessors(before, (n, n), n)
    before = np.where(before < 0, np.int32(NO_VERTEX), before)  # to SciPy other negative ones are vertices
    return _construct_dist_matrix(matrix, before, null_value=null_value)  # type: ignore[no-any-return]


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
    refuse_oblong(csgraph.shape, "csgraph")
    refuse_unreal(csgraph.dtype, "csgraph")
    refuse_corrupt(csgraph, "csgraph")
    return with_indices_alike(csgraph)
