"""Cycles that weigh about nothing, which rounding makes negative, and each vertex then doubles."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import reedsp
from reedsp.algorithms.all_pairs import answers as all_pairs_answers
from reedsp.algorithms.all_pairs.johnson import Searches
from reedsp.device.device import Device

N = 200
LITTLE = 3_000_000  # bytes


def differences(n: int, dtype: str) -> tuple[np.ndarray, np.ndarray]:
    """Return a complete graph of differences of heights, none of them too small, and the heights.

    So no cycle is negative. But most weigh less than nothing in floats, of which one that is passed with every vertex
    falls below all floats.
    """
    rng = np.random.default_rng(1)
    heights = (rng.random(n) * 10.0 ** rng.uniform(-3, 3, n)).astype(dtype)
    exact = heights[:, None].astype(np.float64) - heights
    weights = exact.astype(dtype)
    weights = np.where(weights <= exact, np.nextafter(weights, np.array(np.inf, dtype)), weights)
    np.fill_diagonal(weights, np.inf)
    return weights, heights


def check(dist: np.ndarray, heights: np.ndarray) -> None:
    exact = heights[:, None].astype(np.float64) - heights
    np.testing.assert_allclose(dist, exact, rtol=0, atol=len(heights) * np.finfo(dist.dtype).eps * heights.max())
    assert not dist.diagonal().any()


ROUTES: list[dict[str, Any]] = [
    {},
    {"method": "floyd-warshall", "predecessors": True},
    {"method": "floyd-warshall", "options": {"kernel": "optimized-blocked"}},
    {"method": "min-plus"},
    {"memory_limit": LITTLE, "predecessors": True},
]


@pytest.mark.deep("{'method': 'floyd", "plus'}")
@pytest.mark.parametrize("route", ROUTES, ids=str)
def test_distances_do_not_fall_to_minus_infinity(route: dict[str, Any], device: Device) -> None:
    weights, heights = differences(N, "float32")
    paths = reedsp.apsp(weights, device=device, dtype="float32", **route)
    check(paths.dist, heights)
    if paths.pred is not None:
        assert paths.verify()
        route_of = paths.path(3, 40)
        total = sum(float(weights[u, v]) for u, v in itertools.pairwise(route_of))
        assert abs(total - float(paths.dist[3, 40])) <= N * 2.0**-23 * heights.max()


def test_the_same_bytes_wherever_the_matrix_is(device: Device, tmp_path: Path) -> None:
    weights, _ = differences(N, "float32")
    one = reedsp.apsp(weights, "floyd-warshall", True, device=device, dtype="float32")
    two = reedsp.apsp(weights, "floyd-warshall", True, device=[device, device], dtype="float32")
    stored = reedsp.apsp(weights, "floyd-warshall", True, device=device, dtype="float32", out=tmp_path / "x.npy")
    for other in (two, stored):
        assert other.dist.tobytes() == one.dist.tobytes()
        assert other.pred.tobytes() == one.pred.tobytes()


@pytest.mark.parametrize("limit", [None, LITTLE])
def test_only_what_can_pass_a_negative_cycle_is_marked(limit: int | None, device: Device) -> None:
    """Neither what lies beside one, nor vertices that only lead to it, or that it leads to, among themselves."""
    weights, heights = differences(N, "float32")
    whole = np.full((N + 4, N + 4), np.inf, np.float32)
    whole[:N, :N] = weights
    cycle, behind, alone = [N, N + 1], N + 2, N + 3
    whole[N, N + 1], whole[N + 1, N], whole[7, N], whole[N, behind] = 0.5, -0.75, 1, 1
    whole[behind, alone] = 0.25
    paths = reedsp.apsp(whole, "floyd-warshall", True, "mark", device=device, dtype="float32", memory_limit=limit)
    check(paths.dist[:N, :N], heights)
    expected = np.full((N + 4, 4), -np.inf, np.float32)
    expected[behind] = np.inf, np.inf, 0, 0.25
    expected[alone] = np.inf, np.inf, np.inf, 0
    np.testing.assert_array_equal(paths.dist[:, N:], expected)
    assert (paths.dist[N:, :N] == np.inf).all()
    assert (paths.pred[:N, N:] == -9999).all()
    assert (paths.pred[cycle] == -9999).all()
    assert paths.pred[behind, alone] == behind
    assert paths.verify()


def test_all_sources_are_searched_from_together(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """In one graph, which is made once."""
    made, asked = [], []

    class Spy(Searches):
        def __init__(self, *arguments: Any, **named: Any) -> None:
            made.append(named)
            super().__init__(*arguments, **named)

        def rows(self, sources: np.ndarray, *arrays: Any) -> np.ndarray:
            asked.extend(sources.tolist())
            return super().rows(sources, *arrays)

    monkeypatch.setattr(all_pairs_answers, "Searches", Spy)
    weights, _ = differences(N, "float32")
    reedsp.apsp(weights, "floyd-warshall", True, device=device, dtype="float32")
    assert made == [{"rounded": True}]
    assert asked == list(range(N))
