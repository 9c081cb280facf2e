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
from reedsp.algorithms.all_pairs.out_of_core.checkpoint import Checkpoint
from reedsp.algorithms.all_pairs.out_of_core.solve import solve_matrix
from reedsp.cost_model import machine
from reedsp.device import selfcheck
from reedsp.device.device import Device
from reedsp.results.files import load
from reedsp.system.files.atomic_file import write_whole
from tests.algorithms.all_pairs import test_out_of_core as out_of_core
from tests.support.machines import POCL
from tests.system.files.failing import (
    CUT,
    Failing,
    FailingReads,
    each_fails,
    each_read_fails,
    error_of,
    every_error,
    every_reading_error,
)

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
    # of a method that queues the same launches each time, however soon the host hears that there is no more to do
    "trace": lambda folder: reedsp.trace(graph(), "floyd-warshall").save(folder / "x.json"),
}


@pytest.mark.deep
@every_error
@pytest.mark.parametrize("name", FILES)
def test_files(name: str, error: int, device: Device, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REEDSP_DEVICE", str(device.index))
    begun = each_fails(FILES[name], error, tmp_path, monkeypatch)
    assert {"open", "write", "fsync"} <= set(begun)


@pytest.mark.deep
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


@pytest.mark.deep("full", "forbidden", "interrupted", "short")
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


# ---- reading ----------------------------------------------------------------------------------------


def edges_of(read: reedsp.Graph) -> object:
    return read.n, read.indptr.tolist(), read.indices.tolist(), read.weights.tolist()


def stored(path: Path) -> object:
    found = load(path, graph())
    return found.sources, found.dist.tolist(), None if found.pred is None else found.pred.tolist()


def matrix(folder: Path) -> None:
    reedsp.apsp(graph(), out=folder / "x.npy", predecessors=True)


READ: dict[str, tuple[Callable[[Path], object], Callable[[Path], object]]] = {
    **{
        f"graph {kind}": (
            lambda folder, kind=kind: reedsp.write(graph(), folder / f"x.{kind}"),
            lambda folder, kind=kind: edges_of(reedsp.read(folder / f"x.{kind}")),
        )
        for kind in ("npz", "mtx", "gr.gz", "wel", "wel.xz")
    },
    "distances": (FILES["distances"], lambda folder: reedsp.load(folder / "x.npz", graph()).dist.tolist()),
    "lines": (lambda folder: solved("distances").save(folder / "x.csv"), lambda folder: stored(folder / "x.csv")),
    "matrix": (matrix, lambda folder: stored(folder / "x.npy")),
    "prepared": (
        FILES["prepared"],
        lambda folder: reedsp.load_prepared(folder / "x.npz", graph()).distance(0, 3),
    ),
}


@pytest.mark.deep("matrix", "prepared")
@every_reading_error
@pytest.mark.parametrize("name", READ)
def test_files_that_are_read(
    name: str, error: int, device: Device, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REEDSP_DEVICE", str(device.index))
    write, read = READ[name]
    (tmp_path / "written").mkdir()
    write(tmp_path / "written")
    begun = each_read_fails(read, error, tmp_path / "written", tmp_path, monkeypatch)
    assert {"open", "read"} <= set(begun)


@pytest.mark.deep
@every_reading_error
def test_a_checkpoint_that_is_read(error: int, device: Device, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out_of_core.use_short_spans(monkeypatch.setattr)
    given = out_of_core.weights_of_edges(3 * out_of_core.SHORT_SPAN, out_of_core.FLOAT32)

    def call(folder: Path) -> object:
        with out_of_core.opened(folder, given) as checkpoint:
            solve_matrix(checkpoint.matrix, out_of_core.FLOAT32, [device], checkpoint=checkpoint)
            return checkpoint.matrix.tobytes()

    out_of_core.interrupted(tmp_path / "written", given, device, 26, monkeypatch)  # in a pass
    begun = each_read_fails(call, error, tmp_path / "written", tmp_path, monkeypatch)
    assert {"open", "read", "stat", "fstat", "mmap"} <= set(begun)


@pytest.mark.deep("forbidden", "interrupted", "short", "broken")
@every_reading_error
def test_results_that_are_not_in_their_place_yet(
    error: int, device: Device, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def call(folder: Path) -> object:
        result = reedsp.apsp(graph(), "floyd-warshall", out=folder / "y.npy", device=device, predecessors=True)
        return result.dist.tolist(), result.pred.tolist()

    def fails(*given: object) -> None:
        raise RuntimeError("not yet")

    (tmp_path / "written").mkdir()
    with monkeypatch.context() as patch:
        patch.setattr(Checkpoint, "place_results", fails)
        with pytest.raises(RuntimeError, match="not yet"):
            call(tmp_path / "written")
    begun = each_read_fails(call, error, tmp_path / "written", tmp_path, monkeypatch)
    assert {"open", "read", "stat", "lstat", "mmap"} <= set(begun)


@pytest.mark.deep
@every_reading_error
def test_caches_that_are_read(error: int, private_cache: Path, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """What cannot be read is not there: kernels and verdicts are made again, and a device counts as not measured."""
    measured = POCL.machine

    def call() -> tuple[object, object]:
        monkeypatch.setattr(selfcheck, "_known", {})
        fresh = Device(device.index, device.handle)
        return reedsp.bfs(graph(), 2, device=fresh).levels.tolist(), machine.stored(fresh)

    machine.FILES.write(machine.identity_of(device), measured.content())
    expected = call()
    assert expected[1] == measured
    for number in itertools.count():
        failing = FailingReads(private_cache, number, error)
        with monkeypatch.context() as patch:
            failing.plant(patch)
            patch.setattr("warnings.warn", lambda *given, **options: None)
            answer, found = call()
        assert answer == expected[0], failing.begun
        assert found in (measured, None), failing.begun
        if not failing.has_failed:
            break
        if error == CUT:
            machine.FILES.write(machine.identity_of(device), measured.content())
        assert call() == expected, failing.begun
    assert {"stat", "listdir", "open", "read"} <= set(failing.begun)
