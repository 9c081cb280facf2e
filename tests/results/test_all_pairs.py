"""Matrices of distances that are not in memory."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import reedsp
from reedsp.device.device import Device


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


def test_matrices_prove_themselves(device: Device, tmp_path: Path) -> None:
    """In memory, in a file, with what is marked, in every type; and what was changed is named."""
    graph = reedsp.Graph.from_edges(4, [0, 1, 2, 3], [1, 2, 1, 3], [4, 3, -2, 1], labels=["a", "b", "c", "d"])
    cycle = reedsp.Graph.from_edges(4, [0, 1, 2, 3], [1, 2, 1, 3], [4, 3, -4, 1], labels=["a", "b", "c", "d"])
    for number, dtype in enumerate(("float32", "int64", "int32")):
        assert reedsp.apsp(graph, device=device, dtype=dtype).verify()
        marked = reedsp.apsp(cycle, "auto", True, "mark", device=device, dtype=dtype)
        assert marked.verify()
        file = tmp_path / f"{number}.npy"
        stored = reedsp.apsp(cycle, "auto", True, "mark", out=file, device=device, dtype=dtype)
        assert stored.verify()
        marked.dist[0, 2] = 7
        with pytest.raises(reedsp.VerificationError, match="from a: vertex c"):
            marked.verify()
    paths = reedsp.apsp(graph, predecessors=True, device=device)
    assert paths.verify()
    paths.pred[0, 2] = 3
    with pytest.raises(reedsp.VerificationError, match="from a: vertex c"):
        paths.verify()
    object.__setattr__(paths, "pred", paths.pred.astype(np.int64))
    with pytest.raises(reedsp.VerificationError, match="pred: expected 4 x 4 numbers of type int32"):
        paths.verify()


@pytest.mark.filterwarnings("error")
def test_sums_beyond_float64_are_no_shorter_paths(device: Device) -> None:
    """Nor are they a reason for a warning, with predecessors or without."""
    if not device.fp64:
        pytest.skip("the device has no doubles")
    graph = reedsp.Graph.from_edges(3, [0, 1, 0], [1, 2, 2], [1e308, 1e308, 1.0])
    for predecessors in (False, True):
        found = reedsp.apsp(graph, predecessors=predecessors, device=device)
        assert found.verify()
        found.dist[0, 2] = 1e308
        with pytest.raises(reedsp.VerificationError, match="from 0: vertex 2"):
            found.verify()
