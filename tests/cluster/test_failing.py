"""Each operation on files in turn is the one that fails where workers write rows: the same call goes on."""

from __future__ import annotations

import concurrent.futures
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import reedsp
import reedsp.cluster
from reedsp.device.device import Device
from tests.system.files.failing import each_fails, every_error

pytestmark = [
    pytest.mark.deep,
    pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="what a descriptor stands for is not known"),
]

VERTICES = 20


@pytest.fixture
def graph() -> reedsp.Graph:
    rng = np.random.default_rng(4)
    ends = rng.integers(0, VERTICES, (2, 4 * VERTICES))
    return reedsp.Graph.from_edges(VERTICES, *ends, rng.integers(1, 99, 4 * VERTICES))


@every_error
@pytest.mark.parametrize("name", ["x.npy", "x.zarr", "x"])
def test_rows_of_searches(
    name: str, error: int, graph: reedsp.Graph, device: Device, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "graphs").mkdir()
    with (
        concurrent.futures.ThreadPoolExecutor(1) as pool,
        reedsp.cluster.Executor(pool, [device.name], folder=tmp_path / "graphs") as cluster,
    ):
        cluster.engine.task_bytes = 6 * 8 * VERTICES

        def call(folder: Path) -> None:
            cluster.sssp(graph, range(VERTICES), out=folder / name)

        begun = each_fails(call, error, tmp_path, monkeypatch)
        assert {"open", "fsync", "unlink"} <= set(begun)


@every_error
@pytest.mark.parametrize("method", ["johnson", "floyd-warshall"])
def test_all_pairs(
    method: Any, error: int, graph: reedsp.Graph, device: Device, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "graphs").mkdir()
    with (
        concurrent.futures.ThreadPoolExecutor(2) as pool,
        reedsp.cluster.Executor(pool, [device.name], folder=tmp_path / "graphs") as cluster,
    ):

        def call(folder: Path) -> None:
            cluster.apsp(graph, method, out=folder / "y.npy", predecessors=True)

        begun = each_fails(call, error, tmp_path, monkeypatch)
        assert {"open", "fsync", "unlink"} <= set(begun)
