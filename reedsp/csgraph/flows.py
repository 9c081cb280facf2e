"""Maximum flows, and full matchings of minimum weight."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse
from scipy.sparse.csgraph import maximum_flow as _maximum_flow
from scipy.sparse.csgraph import min_weight_full_bipartite_matching as _min_weight_full_bipartite_matching
from scipy.sparse.csgraph._flow import MaximumFlowResult

from reedsp.algorithms.structure.assignment.full_matching import full_matching
from reedsp.algorithms.structure.flow.capacities import Network
from reedsp.algorithms.structure.flow.maximum_flow import flow_between
from reedsp.cost_model.place import (
    is_flow_for_host,
    is_flow_slow_on_gpus,
    is_full_matching_for_host,
    is_full_matching_slow_on_gpus,
)
from reedsp.csgraph.matrix import ascend, refuse_unreal
from reedsp.device.discovery import get_device
from reedsp.graph.corrupt import refuse_corrupt
from reedsp.graph.graph import EXACT_IN_FLOAT64, without_room
from reedsp.graph.indices import with_indices_alike
from reedsp.system.options import integer
from reedsp.typing import MatrixLike

_NARROW = np.iinfo(np.int32).max
_LARGEST = np.iinfo(np.int64).max
_METHODS = ("dinic", "edmonds_karp")
_FEW_CELLS, _MANY_CELLS = (
    1 << 18,
    1 << 22,
)  # between which SciPy's routine for dense ones is quick, if half full
_BITS = 20  # of a weight, in steps: SciPy's routine for sparse matrices takes some tenths of a second
_Pairs = tuple[npt.NDArray[Any], npt.NDArray[Any]]


def maximum_flow(csgraph: MatrixLike, source: int, sink: int, *, method: str = "dinic") -> Any:
    """Find the most that can flow from one vertex to another, where weights are the capacities of the edges.

    Parameters
    ----------
    csgraph : CSR matrix or array of integers, shape (n, n)
        None is negative. Entries that are stored more than once add up.
    source, sink : int
        Two vertices.
    method : {"dinic", "edmonds_karp"}
        With "dinic" the flow is the one that SciPy finds, but on GPUs perhaps another one of the same value.
        "edmonds_karp" is done by SciPy, where its 32 bits hold the capacities.

    Returns
    -------
    MaximumFlowResult
        SciPy's: ``flow_value``, and ``flow``, a CSR matrix or array of int32, or of int64 if a capacity needs it, with
        what flows between two vertices less what flows back, and an entry for each pair with an edge either way.

    Raises
    ------
    TypeError
        It is no CSR matrix, or a vertex is no integer.
    ValueError
        Capacities are no integers, one is negative or outside int64, the matrix is not square or its index arrays are
        corrupt, a vertex does not exist, source and sink are the same, or there is no such method.
    OverflowError
        More may flow than int64 holds.

    Examples
    --------
    >>> import scipy.sparse
    >>> from reedsp.csgraph import maximum_flow
    >>> found = maximum_flow(scipy.sparse.csr_array([[0, 5, 0], [0, 0, 3], [0, 0, 0]]), 0, 2)
    >>> found.flow_value, found.flow.toarray().tolist()
    (np.int64(3), [[0, 3, 0], [-3, 0, 3], [0, -3, 0]])
    """
    from_scipy = getattr(type(csgraph), "from_scipy_sparse", None)  # of pydata's sparse
    matrix: Any = csgraph if from_scipy is None else csgraph.to_scipy_sparse()  # type: ignore[union-attr]
    if not scipy.sparse.issparse(matrix) or matrix.format != "csr":
        raise TypeError("graph must be in CSR format")
    if matrix.dtype.kind not in "iu":
        raise ValueError("graph capacities must be integers")
    if method not in _METHODS:
        raise ValueError(f"{method} method is not supported yet.")
    source, sink = integer(source, "source"), integer(sink, "sink")
    if source == sink:
        raise ValueError("source and sink vertices must differ")
    n = matrix.shape[0]
    if matrix.shape != (n, n):
        raise ValueError("graph must be specified as a square matrix.")
    for name, vertex in (("source", source), ("sink", sink)):
        if not 0 <= vertex < n:
            raise ValueError(f"{name} value ({vertex}) must be between 0 and {n - 1}")
    refuse_corrupt(matrix, "csgraph")
    matrix, heaviest = _with_capacities(with_indices_alike(matrix))
    fits = 2 * heaviest <= _NARROW
    if fits and (method == "edmonds_karp" or _is_flow_for_host(n, matrix.nnz)):
        found = _maximum_flow(_writeable(matrix), source, sink, method=method)
    else:
        network = Network.of(matrix.indptr, matrix.indices, matrix.data, source, sink)
        value, (amounts, heads, before) = flow_between(network)
        kind = np.int32 if len(heads) <= _NARROW else np.int64
        flow = type(matrix)((amounts, *(each.astype(kind, copy=False) for each in (heads, before))), shape=(n, n))
        found = MaximumFlowResult(np.int64(value), flow)
    if from_scipy is not None:
        found.flow = from_scipy(found.flow)
    return found


def _with_capacities(matrix: Any) -> tuple[Any, int]:
    """Return a matrix whose rows ascend, with capacities of int32 or int64, and the largest of these.

    Raises
    ------
    ValueError
        One is negative, or too large.
    """
    m = int(matrix.indptr[-1])
    indices, data = matrix.indices[:m], matrix.data[:m]
    if m == 0:
        return type(matrix)(matrix.shape, dtype=np.int32), 0
    lowest, highest = int(data.min()), int(data.max())
    if lowest < 0 or highest > _LARGEST:
        entry = int(np.argmax((data < 0) | (data > _LARGEST)))
        row = int(np.searchsorted(matrix.indptr, entry, side="right")) - 1
        expected = "a capacity that is not negative" if lowest < 0 else "one that int64 holds"
        raise ValueError(f"csgraph[{row}, {indices[entry]}] is {data[entry]}, expected {expected}")
    dtype = np.int32 if highest <= _NARROW else np.int64
    arrays = data.astype(dtype, copy=False), indices, matrix.indptr
    if ascend(matrix.indptr, indices):
        if data.dtype == dtype and m == len(matrix.data) == len(matrix.indices):
            return matrix, highest
        ordered = type(matrix)(arrays, shape=matrix.shape)
    else:
        ordered = type(matrix)(arrays, shape=matrix.shape, copy=True)
        ordered.sort_indices()
        if not ascend(ordered.indptr, ordered.indices):
            ordered, highest = _added_up(ordered, highest)
    ordered.has_canonical_format = True
    return ordered, highest


def _writeable(matrix: Any) -> Any:
    """Return a matrix whose arrays may be written to: SciPy's routine for flows takes no others."""
    arrays = matrix.indptr, matrix.indices, matrix.data
    return matrix if all(each.flags.writeable for each in arrays) else matrix.copy()


def _added_up(matrix: Any, highest: int) -> tuple[Any, int]:
    """Return a matrix, which is changed, whose parallel edges are one each, and the largest of their capacities.

    Raises
    ------
    OverflowError
        They may add up to more than int64 holds.
    """
    if highest * (len(matrix.data) + 1) > _LARGEST:
        raise OverflowError("capacities of parallel edges may add up to more than int64 holds")
    matrix.data = matrix.data.astype(np.int64, copy=False)
    matrix.sum_duplicates()
    highest = int(matrix.data.max())
    if highest <= _NARROW:
        matrix.data = matrix.data.astype(np.int32)
    return matrix, highest


def min_weight_full_bipartite_matching(
    biadjacency: MatrixLike, maximize: bool = False
) -> tuple[npt.NDArray[Any], npt.NDArray[np.int32]]:
    """Match every row with a column of its own, or every column if these are fewer, for the minimum weight in all.

    Parameters
    ----------
    biadjacency : sparse matrix or array, CSR, CSC or COO, shape (rows, columns)
        A weight for each edge. Those that are 0 are removed with a warning, and those that are +inf, or -inf to
        find the maximum. Of several that are stored for a pair the better one counts.
    maximize : bool
        Find the maximum weight instead.

    Returns
    -------
    row_ind, col_ind : ndarray
        The edges of the matching, rows ascending. There may be several of the same weight; which one is found depends
        on where, and SciPy's may be another one. Matrices that are half full, or have few weights, are solved by SciPy;
        more of them if the device is a GPU.

    Raises
    ------
    TypeError
        It is not sparse, or of another format; or the weights are complex.
    ValueError
        There is no full matching, weights are no numbers, one is NaN, infinitely good or an integer outside int64, or
        the index arrays are corrupt.
    OverflowError
        Weights are integers that are too far apart for prices in int64, as :func:`reedsp.full_matching` says.

    Examples
    --------
    >>> import scipy.sparse
    >>> from reedsp.csgraph import min_weight_full_bipartite_matching
    >>> rows, columns = min_weight_full_bipartite_matching(scipy.sparse.csr_array([[4, 1, 3], [2, 8, 5], [3, 2, 2]]))
    >>> columns
    array([1, 0, 2], dtype=int32)
    """
    matrix: Any = biadjacency
    maximize = bool(maximize)
    if hasattr(matrix, "to_scipy_sparse"):
        matrix = matrix.to_scipy_sparse()
    if not scipy.sparse.issparse(matrix) or matrix.format not in ("csr", "csc", "coo"):
        return _min_weight_full_bipartite_matching(matrix, maximize)  # type: ignore[no-any-return]  # its error
    refuse_unreal(matrix.dtype, "biadjacency")
    if matrix.ndim != 2:
        raise ValueError(f"biadjacency has {matrix.ndim} dimension, expected 2")
    if matrix.dtype.kind not in "biuf":
        return _min_weight_full_bipartite_matching(matrix, maximize)  # type: ignore[no-any-return]  # its error
    refuse_corrupt(matrix, "biadjacency")
    matrix = without_room(with_indices_alike(matrix))
    values = matrix.data
    lowest, highest = (float(values.min()), float(values.max())) if values.size else (0.0, 0.0)
    if not (highest < np.inf if maximize else lowest > -np.inf):  # neither holds for NaN
        entry = int(np.argmax(np.isnan(values) | (np.isposinf(values) if maximize else np.isneginf(values))))
        raise ValueError(f"{_entry(matrix, entry)}, expected a finite number")
    if values.dtype.kind == "u" and values.size and values.max() > _LARGEST:
        raise ValueError(f"{_entry(matrix, int(values.argmax()))}, expected a number that int64 holds")
    if not np.all(values):
        warnings.warn("explicit zero weights are removed before matching", stacklevel=2)
        matrix = matrix.copy()
        matrix.eliminate_zeros()
    if _is_for_host(matrix.shape, len(matrix.data)) and (pairs := _matched_on_host(matrix, maximize)) is not None:
        return pairs
    found = full_matching(matrix, maximize)
    order = np.arange(min(matrix.shape))
    if matrix.shape[1] < matrix.shape[0]:
        return found.rows, order[found.columns]
    return order, found.columns


def _matched_on_host(matrix: Any, maximize: bool) -> _Pairs | None:
    """Return what SciPy finds, or None where it rounds, or a device is quicker than what takes limited time there.

    In a square matrix its routine for sparse ones first lowers prices in steps, as many as fit into the range of the
    weights: where these are fractions, a step may be what is rounded away. With an empty column more it omits that.
    """
    rows, shape = matrix.tocsr(), matrix.shape  # SciPy 1.15 does not take its own COO arrays
    if not ascend(rows.indptr, rows.indices):
        rows = scipy.sparse.csr_array((rows.data, rows.indices, rows.indptr), shape=shape, copy=True)
        rows.sort_indices()
    if len(rows.data) < len(matrix.data) or not ascend(rows.indptr, rows.indices):
        return None  # of several weights of a pair SciPy takes the sum, or any
    values = rows.data if rows.dtype.kind != "f" else rows.data[np.isfinite(rows.data)].astype(np.float64, copy=False)
    largest = max(-values.min().item(), values.max().item()) if values.size else 0
    if rows.dtype.kind != "f" and largest > EXACT_IN_FLOAT64:
        return None
    if shape[0] == shape[1] and not _are_few_steps(values):
        if _FEW_CELLS < math.prod(shape) <= min(_MANY_CELLS, 2 * values.size):
            return _matched_in_dense(rows, maximize)
        most = np.finfo(np.float64).max if rows.dtype.kind == "f" else EXACT_IN_FLOAT64
        if math.prod(shape) > _FEW_CELLS and 4 * largest * (shape[0] + 1) <= most:  # devices have room for it
            return None
        rows = scipy.sparse.csr_array((rows.data, rows.indices, rows.indptr), shape=(shape[0], shape[1] + 1))
    return _min_weight_full_bipartite_matching(rows, maximize)  # type: ignore[no-any-return]


def _are_few_steps(values: npt.NDArray[Any]) -> bool:
    """Return whether weights, none of them 0, are multiples of a power of two that is no small part of their range."""
    if values.size == 0 or (lowest := float(values.min())) == (highest := float(values.max())):
        return True
    step = math.ldexp(1.0, math.frexp(highest / 2 - lowest / 2)[1] - _BITS)
    if values.dtype.kind != "f" and step <= 1:
        return True
    if step == 0:
        return False
    parts = values / step
    return bool((parts == np.rint(parts)).all() and parts.all())  # as 0 is what is far below a step


def _matched_in_dense(rows: Any, maximize: bool) -> _Pairs:
    """Return what SciPy's routine for dense matrices finds in a square one."""
    from scipy.optimize import linear_sum_assignment  # takes half a second

    weights = np.full(rows.shape, -np.inf if maximize else np.inf)
    weights[rows.tocoo().coords] = rows.data
    try:
        first, second = linear_sum_assignment(weights, maximize)
    except ValueError:  # as SciPy says it of sparse ones
        raise ValueError("no full matching exists") from None
    return first, second.astype(np.int32)


def _entry(matrix: Any, entry: int) -> str:
    """Return an entry of a matrix as a message names it: with its row, its column and its value."""
    row, column = (ends[entry] for ends in matrix.tocoo().coords)
    return f"biadjacency[{row}, {column}] is {matrix.data[entry]}"


def _is_flow_for_host(n: int, m: int) -> bool:
    """Return whether SciPy is likely to find a maximum flow sooner than the device."""
    return is_flow_for_host(n, m) or (is_flow_slow_on_gpus(n, m) and get_device().kind != "cpu")


def _is_for_host(shape: tuple[int, int], m: int) -> bool:
    """Return whether SciPy is likely to find a full matching sooner than the device."""
    if is_full_matching_for_host(min(shape), shape[0] * shape[1], m):
        return True
    return is_full_matching_slow_on_gpus(min(shape)) and get_device().kind != "cpu"
