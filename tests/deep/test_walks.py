"""What the walk of a graph is taken to be."""

from __future__ import annotations

from itertools import pairwise

import pytest

import reedsp
from tests.deep.walks import random_graph, walk_of
from tests.support.modules import TREES

METHODS = ("near-far", "output-parallel")


@pytest.mark.parametrize("method", METHODS)
def test_walk_goes_on_in_other_modules(method: str, device: reedsp.Device) -> None:
    graph = random_graph()
    walk = walk_of(lambda: reedsp.sssp(graph, 0, method, device=device))
    assert {module.removeprefix("reedsp.") for module in walk.order} <= set(TREES)
    assert all(module != following for module, following in pairwise(walk.modules))
    assert walk.changes >= len(walk.order) - 1 > 5


def test_nothing_walks_outside_the_package() -> None:
    assert walk_of(lambda: sorted([2, 1])).modules == []
    assert walk_of(lambda: sorted([2, 1])).changes == 0
