"""Each operation on files in turn is the one that fails: an error says so, and the same call made again goes on."""

from __future__ import annotations

import functools
import itertools
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import reedsp
from reedsp.device.device import Device
from reedsp.system.atomic_file import write_whole
from tests.system.failing import Failing, each_fails, error_of, every_error

pytestmark = pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="what a descriptor stands for is not known")

N = 40


def graph() -> reedsp.Graph:
    rng = np.random.default_rng(4)
    ends = rng.integers(0, N, (2, 4 * N))
    return reedsp.Graph.from_edges(N, *ends, rng.integers(1, 99, 4 * N))


@functools.cache
def solved(name: str) -> Any:
    """Return an answer, in which is also how long it took."""
    return reedsp.sssp(graph(), 3) if name == "distances" else reedsp.apsp(graph())


FILES: dict[str, Callable[[Path], object]] = {
    "npz": lambda folder: reedsp.write(graph(), folder / "x.npz"),
    "mtx": lambda folder: reedsp.write(graph(), folder / "x.mtx"),
    "gr.gz": lambda folder: reedsp.write(graph(), folder / "x.gr.gz"),
    "distances": lambda folder: solved("distances").save(folder / "x.npz"),
    "matrix": lambda folder: solved("matrix").save(folder / "x.npz"),
    "prepared": lambda folder: reedsp.prepare(graph()).save(folder / "x.npz"),
    "trace": lambda folder: reedsp.trace(graph(), "top-down").save(folder / "x.json"),
}


@every_error
@pytest.mark.parametrize("name", FILES)
def test_files(name: str, error: int, device: Device, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REEDSP_DEVICE", str(device.index))
    begun = each_fails(FILES[name], error, tmp_path, monkeypatch)
    assert {"open", "write", "fsync"} <= set(begun)


@every_error
def test_all_pairs(error: int, device: Device, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def call(folder: Path) -> None:
        reedsp.apsp(graph(), "floyd-warshall", out=folder / "y.npy", device=device, predecessors=True)

    begun = each_fails(call, error, tmp_path, monkeypatch)
    assert {"open", "fsync", "unlink"} <= set(begun)


@every_error
def test_a_file_in_place_of_another(error: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever fails, one of both is there, whole."""
    earlier, later = b"earlier" * 1000, b"later" * 50_000
    for number in itertools.count():
        (tmp_path / "a").write_bytes(earlier)
        failing = Failing(tmp_path, number, error)
        with monkeypatch.context() as patch:
            failing.plant(patch)
            raised = error_of(lambda: write_whole(tmp_path / "a", lambda stream: stream.write(later), overwrite=True))
        assert raised is None or raised.errno == error
        assert (tmp_path / "a").read_bytes() in (earlier, later)
        if not failing.has_failed:
            break
    assert (tmp_path / "a").read_bytes() == later
    assert number > 5
    assert {each.name for each in tmp_path.iterdir() if not each.name.endswith(".partial")} == {"a"}


@every_error
def test_what_is_only_kept_is_not_needed(
    error: int, private_cache: Path, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Kernels and verdicts that cannot be stored are made again: answers are right whatever fails."""
    expected = reedsp.bfs(graph(), 2, device=device).levels.tolist()
    private_cache.mkdir(parents=True, exist_ok=True)
    for number in range(0, 60, 3):
        failing = Failing(private_cache, number, error)
        fresh = Device(device.index, device.handle)
        with monkeypatch.context() as patch:
            failing.plant(patch)
            patch.setattr("warnings.warn", lambda *given, **options: None)
            assert reedsp.bfs(graph(), 2, device=fresh).levels.tolist() == expected
        if not failing.has_failed:
            break
        for each in sorted(private_cache.rglob("*"), reverse=True):
            each.unlink() if not each.is_dir() else each.rmdir()
    assert os.path.isdir(private_cache)
