"""Maximum matchings of the rows and columns of a sparse matrix."""

from __future__ import annotations

import warnings
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import scipy.sparse

from reedsp.algorithms.structure.matching import on_host
from reedsp.algorithms.structure.matching.biadjacency import Biadjacency, pattern_of
from reedsp.algorithms.structure.matching.sides import Mates
from reedsp.algorithms.structure.matching.solve import solve
from reedsp.device.discovery import get_device
from reedsp.device.job import Job
from reedsp.system.options import check_choice
from reedsp.typing import SparseMatrix

_FORMATS = ("csr", "csc", "coo")


def maximum_bipartite_matching(
    graph: SparseMatrix, perm_type: Literal["row", "column"] = "row"
) -> npt.NDArray[np.int32]:
    """Match as many rows of a matrix as possible with columns in which they have an entry, each with one of its own.

    How many these are is SciPy's number. Which ones they are depends on the method, as it does on the version of SciPy.

    Parameters
    ----------
    graph : sparse matrix or array in CSR, CSC or COO format
        Of any shape. Each stored entry counts, whatever its value.
    perm_type : {"row", "column"}
        Return the row of each column, or the column of each row.

    Returns
    -------
    ndarray of int32
        -1 where there is none.

    Raises
    ------
    TypeError
        The matrix is dense, or in another format.
    ValueError
        Its arrays are corrupt, or `perm_type` is something else.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> from reedsp.csgraph import maximum_bipartite_matching
    >>> maximum_bipartite_matching(csr_array([[1, 1, 0], [1, 0, 0]]), perm_type="column")
    array([1, 0], dtype=int32)
    >>> maximum_bipartite_matching(csr_array([[1, 1, 0], [1, 0, 0]]))
    array([ 1,  0, -1], dtype=int32)
    """
    check_choice("perm_type", perm_type, ("row", "column"))
    matrix = _sparse(graph, "graph must be sparse")
    if matrix.format not in _FORMATS:
        raise TypeError("graph must be in CSC, CSR, or COO format.")
    pattern = pattern_of(matrix)
    is_for_host = on_host.can_solve(pattern)
    if is_for_host and matrix.format != "coo":  # which has been converted
        return on_host.search()(matrix, perm_type=perm_type)  # type: ignore[no-any-return]
    return (on_host.solve(pattern) if is_for_host else _mates(pattern))[perm_type == "row"]


def structural_rank(graph: SparseMatrix) -> np.int64:
    """Return how many rows of a matrix can be matched with columns, which is the largest rank of such a pattern.

    Parameters
    ----------
    graph : sparse matrix or array
        As for :func:`maximum_bipartite_matching`; one in another format is converted.

    Returns
    -------
    int64

    Warns
    -----
    SparseEfficiencyWarning
        The format is another one.

    Raises
    ------
    TypeError
        The matrix is dense.
    ValueError
        Its arrays are corrupt.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> from reedsp.csgraph import structural_rank
    >>> int(structural_rank(csr_array([[1, 1, 1], [1, 0, 0], [1, 0, 0]])))
    2
    """
    matrix = _sparse(graph, "Input must be sparse")
    if matrix.format not in _FORMATS:
        said = "Input matrix should be in CSC, CSR, or COO matrix format"
        warnings.warn(said, scipy.sparse.SparseEfficiencyWarning, stacklevel=2)
    pattern = pattern_of(matrix)
    if not on_host.can_solve(pattern):
        found = _mates(pattern)[0]
    elif matrix.format in ("csr", "csc"):  # others have been converted
        found = on_host.search()(matrix)
    else:
        found = on_host.solve(pattern)[0]
    return np.int64(np.count_nonzero(found >= 0))


def _sparse(graph: Any, refusal: str) -> Any:
    """Return a matrix of SciPy.

    Raises
    ------
    TypeError
        It is none.
    """
    if hasattr(graph, "to_scipy_sparse"):  # an array of pydata's sparse
        graph = graph.to_scipy_sparse()
    if not scipy.sparse.issparse(graph):
        raise TypeError(refusal)
    return graph


def _mates(pattern: Biadjacency) -> Mates:
    """Return what a device finds."""
    return solve(pattern, Job(get_device(), recycle=True))[0]
