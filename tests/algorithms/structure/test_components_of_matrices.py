"""``reedsp.csgraph.connected_components`` answers as SciPy's function does, to the last number."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse
from scipy.sparse import csgraph as scipys

from reedsp import csgraph
from reedsp.algorithms.structure.components import of_rows
from reedsp.cost_model import place
from reedsp.device.device import Device

ARGUMENTS = ({}, {"connection": "strong"}, {"directed": False, "connection": "strong"}, {"connection": "WEAK"})


@pytest.fixture(params=["the device", "a GPU", "the host", "a device that is wrong", "a GPU that is wrong"])
def solver(request: pytest.FixtureRequest, device: Device, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("REEDSP_DEVICE", str(device.index))
    if request.param.startswith("a GPU"):
        monkeypatch.setattr(device, "kind", "gpu")
    if request.param == "the host":
        monkeypatch.setattr(place, "_serves", True)
    if request.param.endswith("wrong"):
        monkeypatch.setattr(of_rows, "is_right", lambda *arguments: False)
        for name in ("label_by_ranges", "label_by_groups", "label_as_done"):
            monkeypatch.delattr(of_rows, name)
    return request.param


def random_matrix(seed: int, n: int = 60, m: int = 80) -> Any:
    rng = np.random.default_rng(seed)
    ends = rng.integers(0, n, (2, m))
    weights = rng.integers(-3, 4, m).astype(float)  # zeros are edges, too
    return scipy.sparse.coo_array((weights, ends), shape=(n, n)).tocsr()


def assert_same(matrix: Any, expected_of: Any = None) -> None:
    for arguments in ARGUMENTS:
        found = csgraph.connected_components(matrix, **arguments)  # type: ignore[call-overload]
        expected = scipys.connected_components(matrix if expected_of is None else expected_of, **arguments)
        assert (type(found[0]), found[1].dtype) == (int, np.int32)
        assert found[0] == expected[0]
        assert np.array_equal(found[1], expected[1])
        assert csgraph.connected_components(matrix, **arguments, return_labels=False) == found[0]  # type: ignore[call-overload]


@pytest.mark.deep
@pytest.mark.usefixtures("solver")
@pytest.mark.parametrize("seed", range(4))
def test_the_same_numbers(seed: int) -> None:
    matrix = random_matrix(seed)
    assert_same(matrix)
    assert_same(scipy.sparse.csr_matrix(matrix))
    assert_same(matrix.tocsc(), matrix)
    assert_same(matrix.astype(np.int32))
    wide = scipy.sparse.csr_array((matrix.data, matrix.indices.astype(np.int64), matrix.indptr.astype(np.int64)))
    wide.resize(matrix.shape)
    assert_same(wide)
    dense = abs(matrix).toarray()
    assert_same(dense)
    assert_same(dense.tolist(), dense)
    assert_same(np.ma.masked_equal(dense, 0))


@pytest.mark.usefixtures("solver")
def test_rows_in_no_order() -> None:
    """SciPy's search looks at the edges as they stand; we do, too."""
    matrix = random_matrix(7, m=200)
    rng = np.random.default_rng(7)
    for first, last in zip(matrix.indptr, matrix.indptr[1:], strict=False):
        order = rng.permutation(last - first) + first
        matrix.indices[first:last], matrix.data[first:last] = matrix.indices[order], matrix.data[order]
    matrix.has_sorted_indices = False
    assert_same(matrix)


@pytest.mark.usefixtures("solver")
def test_columns_that_are_twice_in_a_row() -> None:
    """SciPy 1.17 never ends its search for strong components of these."""
    indptr, indices = np.array([0, 3, 5, 5, 6]), np.array([1, 2, 1, 0, 0, 3])
    doubled = scipy.sparse.csr_array((np.ones(6), indices, indptr), shape=(4, 4))
    single = scipy.sparse.csr_array((np.ones(4), [2, 1, 0, 3], [0, 2, 3, 3, 4]), shape=(4, 4))
    assert_same(doubled, single)


@pytest.mark.deep("a GPU", "the device")
@pytest.mark.usefixtures("solver")
def test_what_is_no_number_is_no_edge() -> None:
    for weight in (np.nan, np.inf):
        matrix = scipy.sparse.csr_array(([0.0, weight], ([0, 1], [1, 2])), shape=(3, 3))
        assert csgraph.connected_components(matrix)[1].tolist() == [0, 0, 1]
        assert csgraph.connected_components(np.array([[0, 2, weight], [0, 0, 0], [0, 0, 0]]))[0] == 2
    with pytest.raises(ValueError, match=r"csgraph\[1, 2\] is -inf"):
        csgraph.connected_components(scipy.sparse.csr_array(([1.0, -np.inf], ([0, 1], [1, 2])), shape=(3, 3)))


@pytest.mark.usefixtures("solver")
def test_sizes_at_the_ends() -> None:
    for matrix in (scipy.sparse.csr_array((0, 0)), scipy.sparse.csr_array((1, 1)), scipy.sparse.csr_array((5, 5))):
        for connection in ("weak", "strong"):
            count, labels = csgraph.connected_components(matrix, connection=connection)
            assert (count, labels.tolist()) == (matrix.shape[0], list(range(matrix.shape[0])))


@pytest.mark.usefixtures("solver")
def test_errors() -> None:
    for wrong in ("both", None, 1):
        with pytest.raises(ValueError, match="connection must be 'weak' or 'strong'"):
            csgraph.connected_components(np.eye(2), connection=wrong)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="square"):
        csgraph.connected_components(scipy.sparse.csr_array((2, 3)))
    with pytest.raises(ValueError, match="square"):
        csgraph.connected_components(np.ones((2, 3)))
    with pytest.raises(TypeError, match="complex"):
        csgraph.connected_components(np.array([[0, 1j], [0, 0]]))


@pytest.mark.usefixtures("solver")
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_corrupt_arrays_are_refused(index: type) -> None:
    for place_, column in ((0, -1), (3, 5), (5, 1 << 30)):
        matrix = scipy.sparse.csr_array((np.ones(6), np.arange(6, dtype=index) % 5, [0, 2, 3, 3, 5, 6]), shape=(5, 5))
        matrix.indices[place_] = column
        for connection in ("weak", "strong"):
            with pytest.raises(ValueError, match="indices"):
                csgraph.connected_components(matrix, connection=connection)
