"""The functions of scipy.sparse.csgraph about matchings: SciPy's numbers, types and errors, also on the host."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.csgraph as theirs

import reedsp
from reedsp import csgraph as ours
from reedsp.cost_model import place
from reedsp.device.job import Launched
from tests.support import bipartite


@pytest.fixture(autouse=True)
def _on_device(device: reedsp.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REEDSP_DEVICE", str(device.index))


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
@pytest.mark.parametrize("where", ["device", "host"])
def test_maximum_bipartite_matchings(where: str, form: str, index: type, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(place, "_serves", where == "host")
    for seed, (n, columns, degree) in enumerate([(1, 1, 1), (30, 30, 1), (30, 20, 3), (20, 33, 2), (9, 9, 0)]):
        matrix = bipartite.random(n, columns, degree, seed, index)
        given = matrix.asformat(form)
        of_columns = ours.maximum_bipartite_matching(given)
        of_rows = ours.maximum_bipartite_matching(given, perm_type="column")
        expected = theirs.maximum_bipartite_matching(matrix)
        assert of_rows.dtype == of_columns.dtype == expected.dtype
        assert (of_rows.shape, of_columns.shape) == ((n,), (columns,))
        pairs = np.count_nonzero(expected >= 0)
        assert np.count_nonzero(of_rows >= 0) == np.count_nonzero(of_columns >= 0) == pairs
        matched = np.flatnonzero(of_rows >= 0)
        assert len(set(of_rows[matched].tolist())) == pairs
        rows = [matrix.indices[a:b] for a, b in zip(matrix.indptr, matrix.indptr[1:], strict=False)]
        assert all(of_rows[row] in rows[row] for row in matched.tolist())
        rank = ours.structural_rank(given)
        assert rank == theirs.structural_rank(matrix) == pairs
        assert type(rank) is np.int64


@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_the_host_matches_rows_that_begin_apart(
    index: type, launches: list[Launched], monkeypatch: pytest.MonkeyPatch
) -> None:
    """SciPy is sooner done with large grids, but not with large random matrices."""
    monkeypatch.setattr(place, "_serves", True)
    n = 20_000
    path = scipy.sparse.diags_array([np.ones(n - 1)] * 2, offsets=[-1, 1], format="csr")
    path.indptr, path.indices = path.indptr.astype(index), path.indices.astype(index)
    assert ours.structural_rank(path) == np.count_nonzero(ours.maximum_bipartite_matching(path) >= 0) == n
    assert not launches
    path.indices[-1] = n
    with pytest.raises(ValueError, match=r"^graph.indices\[39997\] = 20000, expected a number from 0 to 19999$"):
        ours.maximum_bipartite_matching(path)
    launches.clear()
    rows = bipartite.random(n, n, 3, 1, index)
    assert ours.structural_rank(rows) == theirs.structural_rank(rows)
    assert launches


@pytest.mark.parametrize("form", ["lil", "dok", "bsr", "dia"])
@pytest.mark.parametrize("where", ["device", "host"])
def test_ranks_of_other_formats(where: str, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(place, "_serves", where == "host")
    matrix = bipartite.random(30, 20, 3, 1)
    with pytest.warns(scipy.sparse.SparseEfficiencyWarning, match="Input matrix should be in CSC, CSR, or COO"):
        assert ours.structural_rank(matrix.asformat(form)) == theirs.structural_rank(matrix)


def test_matrices_that_are_not_matched(monkeypatch: pytest.MonkeyPatch) -> None:
    matrix = scipy.sparse.csr_array(np.array([[0.0, 1], [1, 1]]))
    for wrong in (matrix.toarray(), [[1]], None):
        with pytest.raises(TypeError, match=r"^graph must be sparse$"):
            ours.maximum_bipartite_matching(wrong)
        with pytest.raises(TypeError, match=r"^Input must be sparse$"):
            ours.structural_rank(wrong)
    for form in ("lil", "dok", "bsr", "dia"):
        with pytest.raises(TypeError, match=r"^graph must be in CSC, CSR, or COO format\.$"):
            ours.maximum_bipartite_matching(matrix.asformat(form))
    with pytest.raises(ValueError, match=r"^perm_type = 'both', expected one of 'row', 'column'$"):
        ours.maximum_bipartite_matching(matrix, "both")  # type: ignore[arg-type]
    for serves in (True, False):
        monkeypatch.setattr(place, "_serves", serves)
        corrupt = matrix.copy()
        corrupt.indices[0] = 9
        with pytest.raises(ValueError, match=r"^graph.indices\[0\] = 9, expected a number from 0 to 1$"):
            ours.maximum_bipartite_matching(corrupt)


def test_matchings_of_arrays_of_pydata() -> None:
    class OfPydata:
        def to_scipy_sparse(self) -> scipy.sparse.coo_array:
            return scipy.sparse.coo_array(np.array([[0.0, 1], [1, 1]]))

    assert ours.maximum_bipartite_matching(OfPydata()).tolist() == [1, 0]  # type: ignore[arg-type]
    assert ours.structural_rank(OfPydata()) == 2  # type: ignore[arg-type]
