"""What a graph is in the arguments of these functions."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse

from reedsp.device.discovery import get_device
from reedsp.edges.matrix_graph import graph_over
from reedsp.graph.graph import EXACT_IN_FLOAT64, Graph, sparse_entries
from reedsp.graph.remembered import remembered
from reedsp.system.parts import in_parts
from reedsp.system.place import is_for_host

Rows = tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]
"""Row pointers, columns and weights of a matrix."""


def graph_of(csgraph: Any, directed: bool, unweighted: bool = False) -> Graph:
    """Return the graph of a matrix, with weights in float64, or 1; a new one unless it has not changed since."""
    kind = bool(directed), bool(unweighted)
    return remembered(csgraph, kind, lambda matrix: _made_of(matrix, *kind))


def _made_of(csgraph: Any, directed: bool, unweighted: bool) -> Graph:
    if hasattr(csgraph, "to_scipy_sparse"):  # an array of pydata's sparse
        csgraph = csgraph.to_scipy_sparse(accept_fv=[0, np.nan, np.inf])
    if scipy.sparse.issparse(csgraph):
        refuse_complex(csgraph.dtype, "csgraph")
        if directed and (rows := compressed_rows(csgraph)) is not None:
            graph = graph_over(*rows, get_device(), unweighted)
            if graph is not None:
                return graph
        n, sources, targets, values = sparse_entries(csgraph)
        weights = values.astype(np.float64)
        if (endless := np.isneginf(weights)).any():
            row, column = sources[edge := int(np.argmax(endless))], targets[edge]
            raise ValueError(f"csgraph[{row}, {column}] is -inf, expected a number greater than -inf")
        kept = np.isfinite(weights)
        return Graph.from_edges(n, sources[kept], targets[kept], None if unweighted else weights[kept], directed)
    weights = np.asarray(np.ma.getdata(csgraph))
    if weights.ndim != 2:
        raise ValueError(f"csgraph has {weights.ndim} dimensions, expected 2")
    refuse_complex(weights.dtype, "csgraph")
    float64 = np.dtype(np.float64)
    if weights.dtype.kind not in "biuf" or weights.itemsize > float64.itemsize:
        weights = weights.astype(float64)
    mask: Any = np.ma.getmaskarray(csgraph) if np.ma.isMaskedArray(csgraph) else None

    def absent(rows: slice, part: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
        return part == 0 if mask is None else mask[rows]  # type: ignore[no-any-return]

    options = {"name": "csgraph", "dtype": float64, "nan_is_absent": True, "unit": unweighted}
    return Graph._of_dense(weights, absent, directed, **options)


def compressed_rows(csgraph: Any) -> Rows | None:
    """Return the arrays of a square CSR matrix, which may be corrupt; None for everything else."""
    if not scipy.sparse.issparse(csgraph) or csgraph.format != "csr" or len(csgraph.shape) != 2:
        return None
    n, columns = csgraph.shape
    rows = csgraph.indptr, csgraph.indices, csgraph.data
    return rows if n == columns == len(csgraph.indptr) - 1 else None


def small_matrix(csgraph: Any) -> tuple[Any, bool] | None:
    """Return a CSR matrix of float64 for SciPy's compiled searches, and whether none of its weights is lost in a sum.

    None if it is large, or anything but a matrix of finite numbers that are not negative, whose sums float64 holds.
    """
    if type(csgraph) is np.ndarray:
        if (
            csgraph.ndim != 2
            or len(csgraph) != csgraph.shape[1]
            or csgraph.dtype.kind not in "biuf"
            or not is_for_host(len(csgraph), csgraph.size, 1)
        ):
            return None
        csgraph = _compressed(csgraph)
    elif (rows := compressed_rows(csgraph)) is None or not is_for_host(len(rows[0]), len(rows[1]), 1):
        return None
    n, indptr, indices, data = csgraph.shape[0], csgraph.indptr, csgraph.indices, csgraph.data
    m = len(indices)
    if not len(data) == m > 0 or data.dtype.kind not in "biuf" or not indptr.dtype.kind == indices.dtype.kind == "i":
        return None
    minimum, maximum = np.minimum.reduce, np.maximum.reduce  # quicker than the methods
    lightest, longest = float(minimum(data)), n * float(maximum(data))
    is_right = (
        lightest >= 0
        and longest <= EXACT_IN_FLOAT64
        and maximum(indices.view(f"u{indices.itemsize}")) < n  # negative ones are the largest then
        and indptr[0] == 0
        and indptr[n] == m
        and minimum(indptr[1:] - indptr[:-1]) >= 0
    )
    if not is_right:
        return None
    if data.dtype != np.float64:
        csgraph = scipy.sparse.csr_array((data.astype(np.float64), indices, indptr), shape=(n, n))
    return csgraph, lightest * EXACT_IN_FLOAT64 > longest


def _compressed(dense: npt.NDArray[Any]) -> Any:
    """Return a square array of numbers, in which 0, NaN and infinity are no edges, as a CSR matrix of float64."""
    n = len(dense)
    is_edge = (dense != 0) & (dense < np.inf)
    edges = is_edge.ravel().nonzero()[0].astype(np.int32)
    indptr = edges.searchsorted(np.arange(n + 1, dtype=np.int32) * np.int32(n)).astype(np.int32)
    rows = dense.ravel().take(edges).astype(np.float64), edges % np.int32(n), indptr
    return scipy.sparse.csr_array(rows, shape=dense.shape)


def is_ordered(csgraph: Any) -> bool:
    """Return whether a vertex looks at its edges as they stand, in a CSR matrix of finite numbers of float64."""
    if (rows := compressed_rows(csgraph)) is None:
        return False
    indptr, indices, data = rows
    n, m = len(indptr) - 1, len(indices)
    if not len(data) == m > 0 or data.dtype != np.float64 or not indptr.dtype.kind == indices.dtype.kind == "i":
        return False
    counts = indptr[1:] - indptr[:-1]
    if indptr[0] != 0 or indptr[n] != m or (fewest := counts.min()) < 0:
        return False
    descends, wrong = np.empty(m, np.bool_), []

    def look(first: int, last: int) -> None:
        values, columns = data[first:last], indices[first:last]
        is_right = columns.view(f"u{indices.itemsize}").max() < n  # negative ones are large
        is_right = is_right and values.min() > -np.inf and values.max() < np.inf  # neither holds if one is NaN
        after = max(first, 1)
        np.less_equal(indices[after:last], indices[after - 1 : last - 1], out=descends[after:last])
        if not is_right:
            wrong.append(first)

    descends[0] = False
    in_parts(look, m, data.itemsize)
    if wrong:
        return False
    begins = indptr[1:-1] if fewest > 0 else indptr[1:-1][(counts[1:] > 0) & (indptr[1:-1] > 0)]
    # Columns descend nowhere but from one row to the next.
    at_begins = descends.take(begins, mode="clip")
    return bool(np.count_nonzero(descends) == np.count_nonzero(at_begins))


def refuse_complex(dtype: np.dtype[Any], name: str) -> None:
    """Raise TypeError if numbers of this type are complex."""
    if dtype.kind == "c":  # of which a conversion would drop a part
        raise TypeError(f"{name} has dtype {dtype}, expected real numbers")


def weight_matrix(csgraph: Any, directed: bool) -> Any:
    """Return the graph in the one form that SciPy's conversions never misread, and of the kind that they return."""
    if directed and is_ordered(csgraph):
        return csgraph
    edges = graph_of(csgraph, directed).to_scipy()
    is_matrix = isinstance(csgraph, (np.matrix, scipy.sparse.spmatrix))
    return scipy.sparse.csr_matrix(edges) if is_matrix else edges


def vertices_of(indices: npt.ArrayLike | None, n: int) -> npt.NDArray[np.int64]:
    """Return the vertices to start from, all by default, in an array of the shape given."""
    if indices is None:
        return np.arange(n)
    if type(indices) is int and -n <= indices < n:
        return np.array(indices % n)
    given = np.asarray(indices)
    vertices = given.astype(np.int64)
    if vertices.size and not (-n <= vertices.min() <= vertices.max() < n and (vertices == given).all()):
        raise ValueError(f"indices: not all are vertices of a graph with {n} vertices")
    return vertices % max(1, n)


def edges_from(
    vertices: npt.NDArray[Any], first_edge: npt.NDArray[Any]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the edges that leave each of several vertices, one vertex after the other, and how many each has."""
    counts = first_edge[vertices + 1] - first_edge[vertices]
    begins = np.cumsum(counts) - counts
    return np.arange(counts.sum()) + np.repeat(first_edge[vertices] - begins, counts), counts
