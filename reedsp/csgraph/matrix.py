"""What a graph is in the arguments of these functions."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import issparse

from reedsp.csgraph.undirected import both_ways
from reedsp.device.discovery import get_device
from reedsp.edges.matrix_graph import are_finite, graph_over
from reedsp.graph.graph import Graph, as_array, sparse_entries, without_room
from reedsp.graph.remembered import remembered
from reedsp.system.parts import WORTH_THREADS, in_parts

Rows = tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]
"""Row pointers, columns and weights of a matrix."""

_FLOAT64 = np.dtype(np.float64)
_BOOLS = frozenset((bool, np.bool_))

_UNSIGNED: dict[np.dtype[Any], np.dtype[Any]] = {
    np.dtype(np.int32): np.dtype(np.uint32),
    np.dtype(np.int64): np.dtype(np.uint64),
}
"""Types of indices, and those in which negative ones are the largest."""


def graph_of(csgraph: Any, directed: bool, unweighted: bool = False) -> Graph:
    """Return the graph of a matrix, with weights in float64, or 1; a new one unless it has not changed since."""
    kind = bool(directed), bool(unweighted)
    return remembered(csgraph, kind, lambda matrix: _made_of(matrix, *kind))


def _made_of(csgraph: Any, directed: bool, unweighted: bool) -> Graph:
    if hasattr(csgraph, "to_scipy_sparse"):  # an array of pydata's sparse
        csgraph = csgraph.to_scipy_sparse(accept_fv=[0, np.nan, np.inf])
    if issparse(csgraph):
        refuse_oblong(csgraph.shape, "csgraph")
        refuse_unreal(csgraph.dtype, "csgraph")
        rows = compressed_rows(csgraph)
        if rows is not None and not directed:
            rows = both_ways(*rows) if are_rows(*rows) else None
        if rows is not None:
            graph = graph_over(*rows, get_device(), unweighted, directed=directed)
            if graph is not None:
                return graph
        n, sources, targets, values = sparse_entries(csgraph)
        weights = values.astype(np.float64)
        if (endless := np.isneginf(weights)).any():
            row, column = sources[edge := int(np.argmax(endless))], targets[edge]
            raise ValueError(f"csgraph[{row}, {column}] is -inf, expected a number greater than -inf")
        kept = np.isfinite(weights)
        return Graph.from_edges(n, sources[kept], targets[kept], None if unweighted else weights[kept], directed)
    is_masked = np.ma.isMaskedArray(csgraph)
    weights = as_array(np.ma.getdata(csgraph) if is_masked else csgraph, "csgraph")
    refuse_oblong(weights.shape, "csgraph")
    refuse_unreal(weights.dtype, "csgraph")
    if is_masked and weights.dtype == bool:
        weights = weights.view(np.uint8)  # False is an edge where it is not masked
    if weights.dtype.kind not in "biuf" or weights.itemsize > _FLOAT64.itemsize:
        weights = weights.astype(_FLOAT64)
    mask: Any = np.ma.getmaskarray(csgraph) if is_masked else None

    def absent(rows: slice, part: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
        return part == 0 if mask is None else mask[rows]  # type: ignore[no-any-return]

    options = {"name": "csgraph", "dtype": _FLOAT64, "nan_is_absent": True, "unit": unweighted}
    return Graph._of_dense(weights, absent, directed, **options)


def compressed_rows(csgraph: Any) -> Rows | None:
    """Return the arrays of a square CSR matrix, which may be corrupt; None for everything else."""
    if not issparse(csgraph) or csgraph.format != "csr":
        return None
    csgraph = without_room(csgraph)
    rows = csgraph.indptr, csgraph.indices, csgraph.data
    n = len(csgraph.indptr) - 1
    return rows if csgraph.shape == (n, n) and all(each.ndim == 1 for each in rows) else None


def are_pointers(indptr: npt.NDArray[Any], indices: npt.NDArray[Any]) -> bool:
    """Return whether row pointers ascend from 0 to the number of indices, and both have a type that SciPy's have."""
    if not are_indices(indptr, indices) or indptr[0] != 0 or indptr[-1] != len(indices):
        return False
    ascends = indptr[1:] >= indptr[:-1]
    return bool(ascends[ascends.argmin()])


def is_ordered(csgraph: Any) -> bool:
    """Return whether SciPy looks at edges as they stand, in a CSR matrix of finite numbers of up to 64 bits."""
    rows = compressed_rows(csgraph)
    if rows is None or not rows[2].dtype.isnative or rows[2].dtype.itemsize > _FLOAT64.itemsize:
        return False
    are_alike = rows[0].dtype == rows[1].dtype and all(each.flags.c_contiguous for each in rows)
    return are_alike and are_plain(*rows) and ascend(*rows[:2])


def are_as_read(indptr: npt.NDArray[Any], indices: npt.NDArray[Any], data: npt.NDArray[Any]) -> bool:
    """Return whether SciPy searches edges in the order in which the arrays of a CSR matrix, which are right, have them.

    It puts columns in order where it converts weights to float64.
    """
    return data.dtype == _FLOAT64 or ascend(indptr, indices)


def are_plain(indptr: npt.NDArray[Any], indices: npt.NDArray[Any], data: npt.NDArray[Any]) -> bool:
    """Return whether these are the arrays of a square CSR matrix of finite numbers, in whatever order they stand."""
    return are_rows(indptr, indices, data) and are_finite(data)


def are_rows(indptr: npt.NDArray[Any], indices: npt.NDArray[Any], data: npt.NDArray[Any]) -> bool:
    """Return whether row pointers and columns are those of a square CSR matrix with entries, which are real numbers."""
    n, m = len(indptr) - 1, len(indices)
    if not len(data) == m > 0 or data.dtype.kind not in "biuf" or not are_pointers(indptr, indices):
        return False
    columns, largest = unsigned(indices), []

    def look(first: int, last: int) -> None:
        part = columns[first:last]
        largest.append(part[part.argmax()])  # quicker than the maximum

    in_parts(look, m, columns.itemsize, WORTH_THREADS)
    return bool(max(largest) < n)


def are_indices(*arrays: npt.NDArray[Any]) -> bool:
    """Return whether arrays have types that SciPy's routines take as they are."""
    return all(each.dtype in _UNSIGNED for each in arrays)


def is_of_scipys_type(dtype: np.dtype[Any]) -> bool:
    """Return whether SciPy's sparse matrices hold numbers of a type: no objects, no halves, no swapped bytes."""
    return dtype.isnative and dtype.kind != "O" and dtype != np.float16


def unsigned(indices: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return indices in a type in which negative ones are the largest."""
    return indices.view(_UNSIGNED[indices.dtype])


def ascend(indptr: npt.NDArray[Any], indices: npt.NDArray[Any]) -> bool:
    """Return whether columns descend nowhere but from one row to the next; row pointers are right."""
    m = len(indices)
    ascends = np.empty(m + 1, np.bool_)

    def look(first: int, last: int) -> None:
        after = max(first, 1)
        np.greater(indices[after:last], indices[after - 1 : last - 1], out=ascends[after:last])

    in_parts(look, m, indices.itemsize)
    ascends[indptr.astype(np.intp, copy=False)] = True  # the first of a row; numpy converts others less quickly
    return bool(ascends[ascends.argmin()])


def refuse_oblong(shape: tuple[int, ...], name: str) -> None:
    """Raise ValueError for the shape of anything but a square matrix."""
    if len(shape) != 2 or shape[0] != shape[1]:
        raise ValueError(f"{name} has shape {shape}, expected a square matrix")


def refuse_unreal(dtype: np.dtype[Any], name: str) -> None:
    """Raise TypeError for a type of complex numbers, of which a conversion would drop a part, of texts or of times."""
    if dtype.kind not in "biufO":  # objects may be numbers
        raise TypeError(f"{name} has dtype {dtype}, expected real numbers")


def number(value: Any, name: str) -> float:
    """Return any number, also one of no dimension."""
    given = np.asarray(value)  # numpy's own texts and times seem to be numbers, too
    if given.ndim == 0 and given.dtype.kind in "biufO" and hasattr(value, "__float__"):
        try:
            return float(value)
        except OverflowError:
            raise OverflowError(f"{name} is larger than any float64") from None
    raise TypeError(f"{name}: expected a number, got {value!r}")


def vertices_of(indices: npt.ArrayLike | None, n: int) -> npt.NDArray[np.int64]:
    """Return the vertices to start from, all by default, in an array of the shape given."""
    if indices is None:
        return np.arange(n)
    if type(indices) is int and -n <= indices < n:
        return np.array(indices % n)
    given = indices if type(indices) is np.ndarray else _of_sequence(indices)
    kind = given.dtype.kind
    if kind == "i":
        vertices = given.astype(np.int64)
    else:
        if kind not in "ufO":  # objects may be integers
            raise TypeError(f"indices has dtype {given.dtype}, expected integers")
        if kind == "O":
            given = _of_objects(given, n)
        with np.errstate(invalid="ignore"):  # NaN, which equals nothing
            vertices = given.astype(np.int64)
    if not (flat := vertices.reshape(-1)).size:
        return vertices
    lowest, is_same = flat[flat.argmin()], kind == "i" or (vertices == given).all()
    if not (-n <= lowest and flat[flat.argmax()] < n and is_same):
        wrong = (vertices != given) | (vertices < -n) | (vertices >= n)
        raise ValueError(f"{first_of(wrong, given, 'indices')} is not a vertex of a graph with {n} vertices")
    return vertices if lowest >= 0 else vertices % n


def _of_sequence(indices: npt.ArrayLike) -> npt.NDArray[Any]:
    """Return any array_like as an array, after a look for truth among integers, of which numpy makes integers."""
    given = as_array(indices, "indices")
    if not isinstance(indices, (list, tuple)) or given.dtype.kind == "b":
        return given
    objects = np.array(indices, object) if given.ndim > 1 else given
    if not _BOOLS.isdisjoint(map(type, indices if given.ndim == 1 else objects.ravel().tolist())):
        place, each = next(found for found in np.ndenumerate(np.array(indices, object)) if type(found[1]) in _BOOLS)
        raise TypeError(f"{_position(place)} = {each!r}, expected an integer")
    return given


def _position(place: tuple[int, ...]) -> str:
    return f"indices[{', '.join(map(str, place))}]" if place else "indices"


def _of_objects(given: npt.NDArray[Any], n: int) -> npt.NDArray[np.int64]:
    """Return integers that numpy has left as they were, such as those beyond int64, which are no vertices."""
    numbers = np.empty(given.shape, np.int64)
    for place, each in np.ndenumerate(given):
        position = _position(place)
        if isinstance(each, (bool, np.bool_)) or not isinstance(each, (int, np.integer)):
            raise TypeError(f"{position} = {each!r}, expected an integer")
        if not -n <= each < n:
            raise ValueError(f"{position} = {each} is not a vertex of a graph with {n} vertices")
        numbers[place] = each
    return numbers


def first_of(wrong: npt.NDArray[np.bool_], values: npt.NDArray[Any], name: str) -> str:
    """Return the first entry of an array that is wrong, as a message names it: with its position and its value."""
    place = np.unravel_index(int(np.argmax(wrong)), values.shape)
    position = f"[{', '.join(map(str, place))}]" if place else ""
    return f"{name}{position} = {values[place]}"


def edges_from(
    vertices: npt.NDArray[Any], first_edge: npt.NDArray[Any]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the edges that leave each of several vertices, one vertex after the other, and how many each has."""
    counts = first_edge[vertices + 1] - first_edge[vertices]
    begins = np.cumsum(counts) - counts
    return np.arange(counts.sum()) + np.repeat(first_edge[vertices] - begins, counts), counts
