"""What is timed is how long it takes to close a matrix of edges, not one that the call before has closed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import reedsp
from experiments.beyond import largest, several_devices
from experiments.lib.experiment import Setting
from experiments.lund_smith import density, floyd_warshall
from experiments.thesis import memory_cap
from reedsp.algorithms.all_pairs.floyd_warshall import FloydWarshall
from reedsp.arithmetic.matrix import Weights
from reedsp.device.job import Job

REPEATS = 3
N = 128


def spied(monkeypatch: pytest.MonkeyPatch, module: Any, name: str, seen: Callable[..., object]) -> list[object]:
    """Return what is seen of the arguments before each call of a function."""
    found: list[object] = []
    function = getattr(module, name)

    def call(*arguments: Any, **options: Any) -> Any:
        found.append(seen(*arguments))
        return function(*arguments, **options)

    monkeypatch.setattr(module, name, call)
    return found


def first_row(job: Job, weights: Weights, buffer: Any, n: int, *others: object) -> bytes:
    return job.download(buffer, n, weights.dtype).tobytes()


def is_host_matrix(matrix: np.ndarray, *others: object) -> bytes:
    return matrix.tobytes()


def test_each_timed_call_is_given_the_edges(monkeypatch: pytest.MonkeyPatch, device: reedsp.Device) -> None:
    found = spied(monkeypatch, floyd_warshall, "close", first_row)
    floyd_warshall.measured(device, N, "int32", ["blocked"], REPEATS)
    calls = 1 + (floyd_warshall.WARM_UP if device.kind == "gpu" else 0)
    timed = [found[0], *found[calls::calls]]
    edges = floyd_warshall.problem(N)[0][0].astype(np.int32).tobytes()
    assert timed == [edges] * (1 + REPEATS)


def test_matrices_on_the_host_are_restored(monkeypatch: pytest.MonkeyPatch, device: reedsp.Device) -> None:
    for module, rows in (
        (several_devices, several_devices.rows([device], N, "int32", REPEATS)),
        (memory_cap, memory_cap.rows(device, N, 1 << 24, REPEATS)),
    ):
        with monkeypatch.context() as patch:
            found = spied(patch, module, "close", is_host_matrix)
            list(rows)
        assert len(found) == 2 * (1 + REPEATS)
        assert len(set(found)) == 1


def test_largest_matrix_is_closed_once(monkeypatch: pytest.MonkeyPatch, device: reedsp.Device) -> None:
    found = spied(monkeypatch, FloydWarshall, "solve", lambda algorithm, matrix, side, *others: side)
    [row] = largest.rows(device, 256)
    assert found == [largest.VERTICES_BEFORE, 256]
    assert row["repeats"] == 0


def test_density_and_weights_are_varied(device: reedsp.Device) -> None:
    [(_, solve)] = density.cases(Setting(device, quick=True))
    found = list(solve())
    graphs = {(row["edges_per_vertex"], row["weights"]) for row in found}
    assert len(graphs) == len(density.DENSITIES) * len(density.LARGEST_WEIGHTS)
    edges = {row["edges_per_vertex"]: row["m"] for row in found}
    assert list(edges.values()) == sorted(edges.values())
    assert edges[density.COMPLETE] == N * (N - 1)
