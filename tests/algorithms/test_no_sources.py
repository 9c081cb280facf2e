"""From no sources nothing is searched, and no device is needed, however large the graph."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import reedsp
from reedsp.cost_model import place
from reedsp.device import discovery

GRAPHS = {
    "small": reedsp.Graph.from_edges(4, [0, 0, 1, 2], [1, 2, 3, 3], [7, 2, 1, 3]),
    "large": reedsp.Graph.from_edges(1 << 18, np.arange(1 << 17), np.arange(1 << 17) + 1),
    "negative": reedsp.Graph.from_edges(4, [0, 0, 1, 2], [1, 2, 3, 3], [7, -2, 1, 3]),
    "negative fractions": reedsp.Graph.from_edges(4, [0, 0, 1, 2], [1, 2, 3, 3], [7, -2.5, 1, 3]),
    "empty": reedsp.Graph.from_edges(0, [], []),
}


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(place, "_serves", True)
    monkeypatch.setattr(discovery, "_devices", [])


@pytest.mark.parametrize("name", GRAPHS)
def test_searches_from_none(name: str) -> None:
    graph = GRAPHS[name]
    types: list[Any] = [None, "float32"] if name == "negative fractions" else [None, "float32", "int64", "int32"]
    for dtype in types:
        paths = reedsp.sssp(graph, [], dtype=dtype)
        assert paths.dist.shape == paths.pred.shape == (0, graph.n)
        assert (paths.dist.dtype, paths.pred.dtype) == (np.dtype(dtype or "float64"), np.int32)
        assert (paths.device, paths.verify()) == (place.HOST, True)
        assert len(reedsp.distance_statistics(graph, [], dtype=dtype).reached) == 0
    levels = reedsp.bfs(graph, [])
    assert levels.levels.shape == levels.pred.shape == (0, graph.n)
    assert (levels.device, levels.verify()) == (place.HOST, True)
    counted = reedsp.distance_statistics(graph, [], unweighted=True)
    assert (len(counted.reached), counted.device) == (0, place.HOST)


def test_statistics_of_a_graph_without_vertices() -> None:
    for unweighted in (False, True):
        assert reedsp.distance_statistics(GRAPHS["empty"], unweighted=unweighted).device == place.HOST


def test_what_asks_for_a_device_gets_one() -> None:
    for given in ({"device": "gpu"}, {"method": "near-far"}, {"progress": lambda *_: None}):
        with pytest.raises(reedsp.DeviceError, match="no OpenCL device was found"):
            reedsp.sssp(GRAPHS["small"], [], **given)  # type: ignore[arg-type]
