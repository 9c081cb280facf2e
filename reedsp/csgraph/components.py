"""Connected components, numbered as SciPy numbers them."""

from __future__ import annotations

from typing import Any, Literal, overload

import numpy as np
import numpy.typing as npt
import scipy.sparse

from reedsp.algorithms.structure.components.of_rows import strong_components_of, weak_components_of
from reedsp.algorithms.structure.components.on_host import looks_from_the_last, search
from reedsp.cost_model.place import is_labelled_on_host, serves
from reedsp.csgraph.matrix import are_as_read, are_plain, ascend, compressed_rows, graph_of, is_ordered
from reedsp.csgraph.small import plain_matrix
from reedsp.device.discovery import get_device
from reedsp.device.job import Job
from reedsp.edges.preparation import MatrixRows
from reedsp.typing import MatrixLike

_Labels = npt.NDArray[np.int32]
_CONNECTIONS = ("weak", "strong")


@overload
def connected_components(
    csgraph: MatrixLike, directed: bool = True, connection: str = "weak", return_labels: Literal[True] = True
) -> tuple[int, _Labels]: ...
@overload
def connected_components(
    csgraph: MatrixLike, directed: bool, connection: str, return_labels: Literal[False]
) -> int: ...
@overload
def connected_components(
    csgraph: MatrixLike, directed: bool = True, connection: str = "weak", *, return_labels: Literal[False]
) -> int: ...
@overload
def connected_components(
    csgraph: MatrixLike, directed: bool = True, connection: str = "weak", return_labels: bool = True
) -> int | tuple[int, _Labels]: ...
def connected_components(
    csgraph: MatrixLike, directed: bool = True, connection: str = "weak", return_labels: bool = True
) -> int | tuple[int, _Labels]:
    """Find which vertices are connected.

    Parameters
    ----------
    csgraph
        As for :func:`shortest_path`.
    directed : bool
        False: an edge connects its ends whichever way it leads, and `connection` has no meaning.
    connection : {"weak", "strong"}
        "weak": the same. "strong": two vertices are connected if a path leads from each to the other one.
    return_labels : bool
        Return the numbers of the components, too.

    Returns
    -------
    n_components : int
    labels : ndarray of int32, shape (n,)
        Number of the component of each vertex, the same as SciPy's. Of "weak" they are in the order of the smallest
        vertices, of "strong" in that in which one search in depth is done with them: an edge leads to a component with
        the same number or a lower one. If asked for.

    Raises
    ------
    ValueError
        The graph is not square, or `connection` is none of the two.

    Notes
    -----
    Strongly connected components are searched for by one work-item of a CPU device, or by SciPy where the device is no
    CPU, because the order is that of a single search. :func:`reedsp.connected_components` numbers them in an order that
    a GPU finds, too.

    Examples
    --------
    >>> from reedsp.csgraph import connected_components
    >>> connected_components([[0, 1, 0], [0, 0, 0], [0, 0, 0]])
    (2, array([0, 0, 1], dtype=int32))
    >>> connected_components([[0, 1, 0], [0, 0, 0], [0, 0, 0]], connection="strong")
    (3, array([1, 0, 2], dtype=int32))
    """
    if not isinstance(connection, str) or connection.lower() not in _CONNECTIONS:
        raise ValueError("connection must be 'weak' or 'strong'")
    is_weak = not directed or connection.lower() == "weak"
    small = _small(csgraph, is_weak)
    count, labels = _on_host(small, is_weak) if small is not None else _found(csgraph, is_weak)
    return (count, labels) if return_labels else count


def _small(csgraph: Any, is_weak: bool) -> Any:
    """Return a matrix that SciPy's function is likely to be done with sooner than a device, and reads as we do.

    SciPy 1.17 never ends its search for strong components if a column is twice in a row.
    """
    matrix = plain_matrix(csgraph, is_labelled_on_host)
    if matrix is None or is_weak or ascend(matrix.indptr, matrix.indices):
        return matrix
    # SciPy puts the columns of other types in order.
    return _one_of_doubles(matrix.indptr, matrix.indices) if matrix.dtype == np.float64 else None


def _on_host(matrix: Any, is_weak: bool) -> tuple[int, _Labels]:
    count, labels = search()(matrix, directed=True, connection=_CONNECTIONS[0 if is_weak else 1])
    return int(count), labels


def _found(csgraph: Any, is_weak: bool) -> tuple[int, _Labels]:
    """Return the answer of the device, or of SciPy where the device has none."""
    device, given = get_device(), compressed_rows(csgraph)
    if not is_weak and device.kind != "cpu" and serves() and is_ordered(csgraph):
        return _on_host(csgraph, is_weak)
    if given is None or not are_plain(*given) or not (is_weak or are_as_read(*given)):
        graph = graph_of(csgraph, directed=True, unweighted=True)
        given = graph.indptr, graph.indices, np.broadcast_to(np.float64(1), graph.m)
        if graph.n == 0:
            return 0, np.empty(0, np.int32)
    rows = MatrixRows(Job(device, recycle=True), *given[:2])
    try:
        found = weak_components_of(rows) if is_weak else strong_components_of(rows, looks_from_the_last())
    finally:
        rows.close()
    if found is not None:
        return found
    return _on_host(_one_of_doubles(*given[:2]), is_weak)


def _one_of_doubles(indptr: npt.NDArray[Any], indices: npt.NDArray[Any]) -> Any:
    """Return a matrix with that one of columns that are twice in a row to which SciPy's search comes first."""
    n, m = len(indptr) - 1, len(indices)
    indptr, indices = np.ascontiguousarray(indptr), np.ascontiguousarray(indices)  # SciPy reads no others
    if ascend(indptr, indices):
        return scipy.sparse.csr_array((np.ones(m), indices, indptr), shape=(n, n))
    keys = np.repeat(np.arange(n), np.diff(indptr)) * n + indices
    if looks_from_the_last():
        kept = np.sort(m - 1 - np.unique(keys[::-1], return_index=True)[1])
    else:
        kept = np.sort(np.unique(keys, return_index=True)[1])
    rows = np.searchsorted(kept, indptr)
    return scipy.sparse.csr_array((np.ones(len(kept)), indices[kept], rows), shape=(n, n))
