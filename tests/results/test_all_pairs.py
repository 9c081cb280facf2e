"""Matrices of distances that are not in memory."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

import reedsp


class OnDisk:
    """A matrix of which whole rows are read, and noted."""

    def __init__(self, matrix: np.ndarray[Any, Any]) -> None:
        self._matrix, self.dtype = matrix, matrix.dtype
        self.read: list[int] = []

    def __getitem__(self, rows: Any) -> np.ndarray[Any, Any]:
        assert not isinstance(rows, tuple)
        self.read += np.atleast_1d(rows).tolist()
        found: np.ndarray[Any, Any] = self._matrix[rows]
        return found


def test_paths_need_each_row_of_their_sources_once(device: reedsp.Device) -> None:
    graph = reedsp.Graph.from_edges(5, [0, 1, 2, 3], [1, 2, 3, 4])
    found = reedsp.apsp(graph, predecessors=True, device=device)
    sources, targets = [3, 1, 3, 1, 4], [4, 3, 3, 0, 4]
    assert found.pred is not None
    dist, pred = OnDisk(found.dist), OnDisk(found.pred)
    apart = dataclasses.replace(found, dist=dist, pred=pred)  # type: ignore[arg-type]
    expected = [[3, 4], [1, 2, 3], [3], [], [4]]
    assert list(apart.paths_between(sources, targets)) == list(found.paths_between(sources, targets)) == expected
    assert dist.read == pred.read == [1, 3, 4]
