"""How many searches find out what searches find."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import reedsp
from reedsp.cost_model import probe


@pytest.mark.parametrize("others", [0, 1, 7, 8, 9, 15, 16, 17, 24, 25, 1000])
def test_no_more_than_eight_beside_there_and_back(others: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """From the middle of a star, from which edges lead to all others, and from these: from each if they are eight."""
    sources: list[int] = []
    found = probe._found

    def noted(edges: Any, source: int) -> Any:
        sources.append(source)
        return found(edges, source)

    monkeypatch.setattr(probe, "_found", noted)
    star = reedsp.Graph.from_edges(1 + others, [0] * others, range(1, 1 + others))
    reach = probe.reach(star, 1.0)
    assert reach == pytest.approx(((1 + 2 * others) / star.n, others / star.n))
    assert sources[:2] == [0, 0]
    samples = sources[2:]
    assert len(set(samples)) == len(samples)
    assert min(others, 5) <= len(samples) <= 8
    assert len(samples) == others or others > 8


def test_a_bound_looks_at_entries_up_to_eight_edges_a_vertex() -> None:
    """Nine of twenty vertices find 19, as none leads to the first one; with more edges one is expected to."""
    tails, heads = np.divmod(np.arange(161), 19)
    for m, entered in ((160, 19), (161, 20)):
        graph = reedsp.Graph.from_edges(20, tails[:m], 1 + heads[:m])
        assert probe.bound(graph) == pytest.approx((1 + 9 / 20 * entered, 9 / 20 * m))


@pytest.mark.parametrize(
    ("name", "part"), [("grid", 0.0), ("random", 0.6), ("shuffled path", 0.6), ("small", 0.0), ("no edges", 0.0)]
)
def test_edges_that_lead_far_away_in_memory(name: str, part: float) -> None:
    """Of large graphs only: most edges of random ones, and none of a grid; it is looked at once."""
    rng, n = np.random.default_rng(5), 1 << 16
    numbers, order = np.arange(n), rng.permutation(n)
    ends: Any = {
        "grid": (np.r_[numbers[1:], numbers[256:]], np.r_[numbers[:-1], numbers[:-256]]),
        "random": rng.integers(0, n, (2, 3 * n)),
        "shuffled path": (order[1:], order[:-1]),
        "small": rng.integers(0, n - 1, (2, 3 * n)),
        "no edges": ([], []),
    }
    graph = reedsp.Graph.from_edges(n - (name == "small"), *ends[name])
    found = probe.scattered(graph)
    assert found == pytest.approx(part, abs=0.1)
    assert probe.scattered(graph) == found
