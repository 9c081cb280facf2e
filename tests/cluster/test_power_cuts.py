"""The power fails while workers write rows, and any of what was not synchronised is lost: the same call goes on."""

from __future__ import annotations

import concurrent.futures
import hashlib
import os
import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import reedsp
import reedsp.cluster
from reedsp.device.device import Device
from tests.system.files.disk import states_of

pytestmark = [
    pytest.mark.deep,
    pytest.mark.skipif(not hasattr(os, "O_DIRECTORY"), reason="folders cannot be synchronised"),
]

VERTICES = 20
MOST = 120
"""States of a disk that are gone on from."""


def digest(path: Path) -> dict[str, str]:
    """Return the SHA-256 of a file, or of each file of a folder."""
    files = [each for each in path.rglob("*") if each.is_file()] if path.is_dir() else [path]
    return {str(each.relative_to(path)): hashlib.sha256(each.read_bytes()).hexdigest() for each in files}


def goes_on(
    call: Callable[[Path], object], names: list[str], folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Check that a call, which makes these files or folders, makes the same ones from whatever a cut has left."""
    call(tmp_path)
    expected = [digest(tmp_path / name) for name in names]
    folder.mkdir()
    during, after = states_of(lambda: call(folder), folder, monkeypatch)
    assert len(during) > 20
    chosen = during if len(during) <= MOST else random.Random(3).sample(during, MOST)
    for number, state in enumerate(chosen):
        place = tmp_path / f"{number}"
        state.place(place)
        complete = all((place / name).exists() for name in names) and [digest(place / name) for name in names]
        try:
            call(place)
        except FileExistsError:
            assert complete == expected  # nothing was left to do
        else:
            assert sorted(each.name for each in place.iterdir()) == sorted(names)
        assert [digest(place / name) for name in names] == expected, number
    for number, state in enumerate(after):
        state.place(tmp_path / f"after {number}")
        assert [digest(tmp_path / f"after {number}" / name) for name in names] == expected


@pytest.fixture
def graphs(tmp_path: Path) -> Path:
    (tmp_path / "graphs").mkdir()
    return tmp_path / "graphs"


@pytest.fixture
def graph() -> reedsp.Graph:
    rng = np.random.default_rng(4)
    ends = rng.integers(0, VERTICES, (2, 4 * VERTICES))
    return reedsp.Graph.from_edges(VERTICES, *ends, rng.integers(1, 99, 4 * VERTICES))


@pytest.mark.parametrize("name", ["x.npy", "x.zarr", "x"])
def test_rows_of_searches(
    name: str, graph: reedsp.Graph, graphs: Path, device: Device, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (
        concurrent.futures.ThreadPoolExecutor(1) as pool,
        reedsp.cluster.Executor(pool, [device.name], folder=graphs) as cluster,
    ):
        cluster.engine.task_bytes = 3 * 8 * VERTICES

        def call(place: Path) -> None:
            cluster.sssp(graph, range(VERTICES), out=place / name)

        goes_on(call, [name], tmp_path / "files", tmp_path, monkeypatch)


@pytest.mark.parametrize("method", ["johnson", "floyd-warshall"])
def test_all_pairs(
    method: str, graph: reedsp.Graph, graphs: Path, device: Device, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (
        concurrent.futures.ThreadPoolExecutor(2) as pool,
        reedsp.cluster.Executor(pool, [device.name], folder=graphs) as cluster,
    ):

        def call(place: Path) -> None:
            cluster.apsp(graph, method, out=place / "y.npy", predecessors=True)

        goes_on(call, ["y.npy", "y.pred.npy"], tmp_path / "files", tmp_path, monkeypatch)
