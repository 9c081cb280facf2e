"""What the host does best: depth-first orders, which are sequential, a bandwidth reducing order, and the Laplacian.

SciPy's compiled routines do the work, after checks of what they answer wrongly or crash on.
"""

from __future__ import annotations

from typing import Any, Literal, overload

import numpy as np
import numpy.typing as npt
import scipy.sparse
from scipy.sparse.csgraph import depth_first_order as _depth_first_order
from scipy.sparse.csgraph import laplacian as _laplacian
from scipy.sparse.csgraph import reverse_cuthill_mckee as _reverse_cuthill_mckee

from reedsp.csgraph.conversions import entries_of, tree_like
from reedsp.csgraph.matrix import ascend, is_of_scipys_type, refuse_oblong
from reedsp.graph.corrupt import refuse_corrupt
from reedsp.graph.graph import as_array, without_room
from reedsp.graph.indices import with_indices_alike
from reedsp.system.options import integer
from reedsp.typing import MatrixLike

_Vertices = npt.NDArray[np.int32]


# ---- depth-first search -----------------------------------------------------------------------------


@overload
def depth_first_order(
    csgraph: MatrixLike, i_start: int, directed: bool = True, return_predecessors: Literal[True] = True
) -> tuple[_Vertices, _Vertices]: ...
@overload
def depth_first_order(
    csgraph: MatrixLike, i_start: int, directed: bool, return_predecessors: Literal[False]
) -> _Vertices: ...
@overload
def depth_first_order(
    csgraph: MatrixLike, i_start: int, directed: bool = True, *, return_predecessors: Literal[False]
) -> _Vertices: ...
@overload
def depth_first_order(
    csgraph: MatrixLike, i_start: int, directed: bool = True, return_predecessors: bool = True
) -> _Vertices | tuple[_Vertices, _Vertices]: ...
def depth_first_order(
    csgraph: MatrixLike, i_start: int, directed: bool = True, return_predecessors: bool = True
) -> _Vertices | tuple[_Vertices, _Vertices]:
    """List the vertices that can be reached from one, each before all that are first reached through it.

    On the host, by SciPy's routine: whether one vertex comes before another in this order is P-complete, so that no
    device finds it sooner (Reif 1985).

    Parameters
    ----------
    csgraph, directed
        As for :func:`shortest_path`.
    i_start : int
        Vertex to start from, 0 .. n-1.
    return_predecessors : bool
        Return the tree, too.

    Returns
    -------
    node_array : ndarray of int32
        Vertices; `i_start` is the first. The neighbours of each are looked at ascending.
    predecessors : ndarray of int32, shape (n,)
        The vertex that each one was reached from; -9999 for `i_start` and what cannot be reached. If asked for.

    Raises
    ------
    ValueError
        The graph is not square, or has no such vertex.

    Examples
    --------
    >>> from reedsp.csgraph import depth_first_order
    >>> depth_first_order([[0, 1, 1, 0], [0, 0, 0, 1], [0, 0, 0, 1], [0, 0, 0, 0]], 0)
    (array([0, 1, 3, 2], dtype=int32), array([-9999,     0,     0,     1], dtype=int32))
    """
    matrix, start = _rows_in_order(entries_of(csgraph)), _start_in(csgraph, i_start)
    return _depth_first_order(matrix, start, directed, return_predecessors)  # type: ignore[no-any-return]


def depth_first_tree(csgraph: MatrixLike, i_start: int, directed: bool = True) -> Any:
    """Return the edges by which :func:`depth_first_order` reaches each vertex.

    Parameters
    ----------
    csgraph, i_start, directed
        As for :func:`depth_first_order`.

    Returns
    -------
    csr_array or csr_matrix of float64, shape (n, n)
        As for :func:`breadth_first_tree`.

    Raises
    ------
    ValueError
        The graph is not square, or has no such vertex.

    Examples
    --------
    >>> from reedsp.csgraph import depth_first_tree
    >>> depth_first_tree([[0, 5, 4, 0], [0, 0, 0, 3], [0, 0, 0, 2], [0, 0, 0, 0]], 0).toarray()
    array([[0., 5., 4., 0.],
           [0., 0., 0., 3.],
           [0., 0., 0., 0.],
           [0., 0., 0., 0.]])
    """
    matrix, start = entries_of(csgraph), _start_in(csgraph, i_start)
    _, predecessors = _depth_first_order(_rows_in_order(matrix), start, directed)
    return tree_like(csgraph, matrix, predecessors, directed)


def _rows_in_order(matrix: Any) -> Any:
    """Return a compressed matrix as SciPy takes it: in CSR and float64; its columns descend nowhere in a row."""
    if matrix.format == "csc":
        matrix = matrix.tocsr()
    is_ascending = ascend(matrix.indptr, matrix.indices)
    if is_ascending and matrix.dtype == np.float64:
        return matrix
    # SciPy's own conversion to float64 takes longer. What the given matrix says of its order may be out of date.
    weights = matrix.data.astype(np.float64, copy=False)
    rows = scipy.sparse.csr_array((weights, matrix.indices, matrix.indptr), shape=matrix.shape)
    return rows if is_ascending or rows.has_sorted_indices else rows.sorted_indices()


def _start_in(csgraph: MatrixLike, i_start: int) -> int:
    """Return the vertex to start from.

    Raises
    ------
    TypeError
        It is no integer.
    ValueError
        There is no such vertex.
    """
    n, start = csgraph.shape[0] if hasattr(csgraph, "shape") else len(csgraph), integer(i_start, "i_start")  # type: ignore[arg-type]
    if not 0 <= start < n:
        raise ValueError(f"i_start = {i_start} is not a vertex of a graph with {n} vertices")
    return start


# ---- orders and matrices ----------------------------------------------------------------------------


def reverse_cuthill_mckee(graph: MatrixLike, symmetric_mode: bool = False) -> _Vertices:
    """Return an order of rows and columns in which the entries of a matrix lie near its diagonal.

    On the host, by SciPy's routine, whose permutation this is.

    Parameters
    ----------
    graph : sparse matrix or array, CSR or CSC, shape (n, n)
    symmetric_mode : bool
        Take it for symmetric, without a look.

    Returns
    -------
    ndarray of the type of the matrix's indices, shape (n,)
        The vertices, in the reverse of the order of Cuthill and McKee, 1969.

    Raises
    ------
    TypeError
        It is neither CSR nor CSC.
    ValueError
        It is not square, or its index arrays are corrupt.

    Examples
    --------
    >>> import scipy.sparse
    >>> from reedsp.csgraph import reverse_cuthill_mckee
    >>> reverse_cuthill_mckee(scipy.sparse.csr_array([[1, 0, 1], [0, 1, 0], [1, 0, 1]]))
    array([2, 0, 1], dtype=int32)
    """
    refuse_corrupt(graph, "graph")
    matrix: Any = graph
    if scipy.sparse.issparse(matrix) and matrix.format in ("csr", "csc"):
        refuse_oblong(matrix.shape, "graph")
        if matrix.shape[0] == 0:
            return np.empty(0, np.int32)
        matrix = with_indices_alike(matrix)
    return _reverse_cuthill_mckee(matrix, symmetric_mode)  # type: ignore[no-any-return]


def laplacian(
    csgraph: MatrixLike,
    normed: bool = False,
    return_diag: bool = False,
    use_out_degree: bool = False,
    *,
    copy: bool = True,
    form: Literal["array", "function", "lo"] = "array",
    dtype: npt.DTypeLike | None = None,
    symmetrized: bool = False,
) -> Any:
    """Return the Laplacian of a graph: the degrees on the diagonal, less the weights.

    On the host, by SciPy's arithmetic, in the type of the weights: there is nothing to search. Truth values, integers
    without a sign, and small integers whose degrees their type does not hold are added in int64.

    Parameters
    ----------
    csgraph : sparse matrix or array, array_like or masked array, shape (n, n)
        Entries that are masked are no edges.
    normed : bool
        Divide by the square roots of both degrees.
    return_diag : bool
        Return the diagonal, too.
    use_out_degree : bool
        Add up rows for degrees instead of columns.
    copy : bool
        False may change `csgraph`.
    form : {"array", "function", "lo"}
        A matrix, a function that multiplies by it, or a ``LinearOperator``.
    dtype : dtype, optional
    symmetrized : bool
        Of the graph and the transposed one together.

    Returns
    -------
    ndarray, sparse array, function or LinearOperator; diagonal, if asked for

    Raises
    ------
    ValueError
        The graph is not square, its index arrays are corrupt, or `form` is none of these.
    OverflowError
        Degrees of integers are beyond int64.

    Examples
    --------
    >>> from reedsp.csgraph import laplacian
    >>> laplacian([[0, 1, 2], [1, 0, 0], [2, 0, 0]])
    array([[ 3, -1, -2],
           [-1,  1,  0],
           [-2,  0,  2]])
    """
    refuse_corrupt(csgraph, "csgraph")
    graph: Any = csgraph
    if np.ma.isMaskedArray(graph):
        graph = np.ma.filled(graph, 0)
    elif scipy.sparse.issparse(graph):
        graph = without_room(with_indices_alike(graph))  # SciPy takes what is in the room for entries
    elif not (isinstance(graph, np.ndarray) or hasattr(graph, "to_scipy_sparse")):
        graph = as_array(graph, "csgraph")
    return _laplacian(
        _holding_degrees(graph, bool(normed), bool(symmetrized)),
        normed=normed,
        return_diag=return_diag,
        use_out_degree=use_out_degree,
        copy=copy,
        form=form,
        dtype=dtype,
        symmetrized=symmetrized,
    )


def _holding_degrees(graph: Any, normed: bool, symmetrized: bool) -> Any:
    """Return a graph in a type that holds its degrees, and minus its weights.

    Raises
    ------
    OverflowError
        No type of integers does.
    """
    is_sparse = scipy.sparse.issparse(graph)
    if is_sparse and (graph.format in ("lil", "dok") or (graph.format == "dia" and len(graph.offsets) == 0)):
        graph = graph.tocoo()  # as SciPy takes the first two; it cannot add a matrix without diagonals to another
    kind = graph.dtype.kind
    if is_sparse and not is_of_scipys_type(graph.dtype):
        graph = graph.astype({"i": np.int64, "u": np.uint64, "c": np.complex128}.get(kind, np.float64))
    if normed and kind in "buiO":
        return graph.astype(np.float64)
    if kind not in "bui":
        return graph
    times, held = (2 if symmetrized else 1), int(np.iinfo(graph.dtype if kind == "i" else np.int64).max)
    # Of all weights, or else of each row and column, in a copy: SciPy's own sums change a matrix.
    most = float(np.abs((graph.data if is_sparse else graph).astype(np.float64)).sum())
    if times * most > held:
        weights = abs(graph.astype(np.float64))
        most = max(float(weights.sum(axis=axis).max(initial=0)) for axis in (0, 1))
    if times * most > np.iinfo(np.int64).max:
        raise OverflowError("csgraph: its degrees are beyond int64")
    return graph if kind == "i" and times * most <= held else graph.astype(np.int64)
