"""From one representation of a graph, or of paths, to another: nothing is searched."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse
from scipy.sparse.csgraph import construct_dist_matrix as _construct_dist_matrix
from scipy.sparse.csgraph import csgraph_from_masked as _csgraph_from_masked
from scipy.sparse.csgraph import reconstruct_path as _reconstruct_path

from reedsp.csgraph.matrix import refuse_unreal, weight_matrix
from reedsp.system.parts import in_parts
from reedsp.typing import MatrixLike


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

    Examples
    --------
    >>> from reedsp.csgraph import reconstruct_path
    >>> reconstruct_path([[0, 7, 2], [0, 0, 0], [0, 3, 0]], [-9999, 2, 0]).toarray()
    array([[0., 0., 2.],
           [0., 0., 0.],
           [0., 3., 0.]])
    """
    matrix, predecessors = weight_matrix(csgraph, directed), np.asarray(predecessors)
    tree = tree_of(matrix, predecessors)
    if tree is None:
        tree = _reconstruct_path(matrix, predecessors)
    from_scipy = getattr(type(csgraph), "from_scipy_sparse", None)  # an array of pydata's sparse
    return tree if from_scipy is None else from_scipy(tree)


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
    predecessors = np.asarray(predecessors)
    if predecessors.dtype != np.int32:  # SciPy before 1.16 gives zeros for others
        raise TypeError(f"predecessors: expected an array of int32, got {predecessors.dtype}")
    matrix = weight_matrix(graph, directed)
    return _construct_dist_matrix(matrix, predecessors, null_value=null_value)  # type: ignore[no-any-return]


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
    graph : array_like, shape (n, n)
    null_value : float or None
        Entries equal to this are no edges.
    nan_null, infinity_null : bool
        Neither are those that are NaN, or infinite.
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
        Its numbers are complex.

    Examples
    --------
    >>> import numpy as np
    >>> from reedsp.csgraph import csgraph_masked_from_dense
    >>> csgraph_masked_from_dense([[0, 7], [np.inf, 0]]).mask
    array([[ True, False],
           [ True,  True]])
    """
    values = np.array(graph, copy=True if copy else None)
    refuse_unreal(values.dtype, "graph")
    if values.ndim != 2 or values.shape[0] != values.shape[1]:
        raise ValueError(f"graph has shape {values.shape}, expected a square matrix")
    absent = np.zeros(values.shape, bool) if null_value is None else np.asarray(values == null_value)
    if nan_null or (null_value is not None and np.isnan(null_value)):
        absent |= np.isnan(values)
    if infinity_null or (null_value is not None and np.isinf(null_value)):
        absent |= np.isinf(values)
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
        Its numbers are complex.

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
    return _csgraph_from_masked(np.ma.MaskedArray(graph, np.ma.getmaskarray(graph)))
