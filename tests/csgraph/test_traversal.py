"""Breadth-first orders: where they are found, and from which vertices they begin."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse
from scipy.sparse import csgraph as theirs

from reedsp import csgraph as ours
from reedsp.cost_model import place
from reedsp.csgraph import traversal
from reedsp.device.discovery import get_device

DENSE = np.array([[0.0, 1, 2], [3, 4, 5], [6, 7, 8]])
FORMS = [scipy.sparse.csr_array, scipy.sparse.csc_array, scipy.sparse.coo_array, scipy.sparse.lil_array, np.asarray]
DESCENDING = np.array([3, 2, 1, 0]), np.array([0, 3, 4, 4, 4])
"""Columns of 4 rows, and where the rows begin."""


def descending(dtype: type) -> Any:
    return scipy.sparse.csr_array((np.ones(4, dtype), *DESCENDING), shape=(4, 4))


@pytest.mark.parametrize("serves", [True, False])
@pytest.mark.parametrize("form", FORMS)
def test_vertices_are_those_of_rows(form: Any, serves: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many entries there are."""
    monkeypatch.setattr(place, "_serves", serves)
    for start in (-1, 3, 7, 8):
        with pytest.raises(ValueError, match=rf"^i_start = {start} is not a vertex of a graph with 3 vertices$"):
            ours.breadth_first_order(form(DENSE), start)
    order, predecessors = ours.breadth_first_order(form(DENSE), 2)
    assert (order.tolist(), predecessors.tolist()) == ([2, 0, 1], [2, 2, -9999])


@pytest.mark.parametrize("form", FORMS)
def test_small_graphs_need_no_device(form: Any, serves: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(traversal, "_order")
    for directed in (True, False):
        found, expected = (each.breadth_first_order(form(DENSE), 1, directed) for each in (ours, theirs))
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_array_equal(one, other)


@pytest.mark.deep("gpu")
@pytest.mark.parametrize("on", ["host", "cpu", "gpu"])
@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int32])
def test_columns_that_descend(dtype: type, directed: bool, on: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """SciPy takes them as they are stored in float64, and in order where it converts other weights to that."""
    monkeypatch.setattr(place, "_serves", on == "host")
    device = get_device()
    monkeypatch.setenv("REEDSP_DEVICE", str(device.index))  # whatever kind it is said to be
    monkeypatch.setattr(device, "kind", "gpu" if on == "gpu" else "cpu")
    found, expected = (each.breadth_first_order(descending(dtype), 0, directed)[0] for each in (ours, theirs))
    assert found.tolist() == expected.tolist()
    assert found[1] == (3 if dtype is np.float64 else 1)


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int32])
def test_what_little_can_be_reached_needs_no_device(
    dtype: type, directed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a large graph, whose order of the columns matters as ever: SciPy is given a part of it."""
    monkeypatch.setattr(place, "_serves", True)
    monkeypatch.setattr(traversal, "_for_host", lambda *_: None)
    order_of = traversal._order
    monkeypatch.setattr(traversal, "_order", lambda *_: pytest.fail("on a device"))
    tails, heads = np.array([7, 7, 7, 5, 30]), np.array([9, 5, 8, 6, 5])
    indptr = np.append(0, np.bincount(tails, minlength=40).cumsum())
    matrix = scipy.sparse.csr_array((np.ones(5, dtype), heads, indptr), shape=(40, 40))
    if dtype is not np.float64:
        with pytest.raises(pytest.fail.Exception, match="on a device"):
            ours.breadth_first_order(matrix, 7, directed)
        matrix.sort_indices()
    for start in (7, 5, 30, 0):
        found, expected = (each.breadth_first_order(matrix, start, directed) for each in (ours, theirs))
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_array_equal(one, other, strict=True)
    monkeypatch.setattr(traversal, "_order", order_of)
    with pytest.raises(ValueError, match=r"^i_start = 40 "):
        ours.breadth_first_order(matrix, 40, directed)


def test_trees_are_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    for serves in (True, False):
        monkeypatch.setattr(place, "_serves", serves)
        assert ours.breadth_first_tree(descending(float), 0).indices.tolist() == [1, 2, 3]


def test_lists_in_another_order_are_edges(serves: None) -> None:
    lists = scipy.sparse.lil_array(DENSE)
    lists.rows[0], lists.data[0] = [2, 1, 2], [5.0, 1.0, 2.0]
    assert ours.breadth_first_order(lists, 0)[0].tolist() == [0, 1, 2]
    assert ours.dijkstra(lists, indices=0).tolist() == [0, 1, 2]
    lists.rows[0], lists.data[0] = [1, 3], [1.0, 2.0]
    with pytest.raises(ValueError, match="3"):
        ours.breadth_first_order(lists, 0)
