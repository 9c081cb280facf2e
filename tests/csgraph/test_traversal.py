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

DENSE = np.array([[0.0, 1, 2], [3, 4, 5], [6, 7, 8]])
FORMS = [scipy.sparse.csr_array, scipy.sparse.csc_array, scipy.sparse.coo_array, np.asarray]


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
