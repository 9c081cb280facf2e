"""A small call of each public function that runs kernels, for tests that care about what happens around the answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import reedsp
from reedsp.device.device import Device


def made_graph(negative: bool = False, lightest: int = 0) -> reedsp.Graph:
    """Return a graph that nothing is derived of yet."""
    rng = np.random.default_rng(3)
    heights = rng.integers(0, 40, 90) if negative else np.zeros(90, np.int64)
    sources, targets = rng.integers(0, 90, (2, 400))
    weights = rng.integers(lightest, 30, 400) + heights[sources] - heights[targets]
    return reedsp.Graph.from_edges(90, sources, targets, weights)


def solved(method: str, **options: Any) -> Callable[[Device], Any]:
    return lambda device: reedsp.sssp(made_graph(), [3, 5], method, device=device, **options).dist


def all_pairs(method: str, negative: bool = False, **options: Any) -> Callable[[Device], Any]:
    return lambda device: reedsp.apsp(made_graph(negative), method, device=device, **options).dist


def central(method: str) -> Callable[[Device], Any]:
    options: Any = {"method": method}
    return lambda device: reedsp.betweenness(made_graph(), device=device, options=options).values


def verified(device: Device) -> Any:
    paths = reedsp.sssp(made_graph(), 3, device=device)
    return paths.dist if paths.verify() else None


NUMBERS = np.arange(5000, dtype=np.int64)[::-1].copy()
MATRIX = np.arange(80 * 80).reshape(80, 80) % 77
CALLS: dict[str, Callable[[Device], Any]] = {
    **{f"sssp {method}": solved(method) for method in ("near-far", "output-parallel", "input-parallel")},
    "sssp input-parallel-refined": solved("input-parallel-refined"),
    "sssp near-far in groups": solved("near-far", options={"work_groups": True}),
    "sssp min_only": solved("near-far", min_only=True),
    "verify": verified,
    "bfs": lambda device: reedsp.bfs(made_graph(), 3, device=device).levels,
    **{f"betweenness {method}": central(method) for method in ("work-items", "work-groups")},
    **{f"apsp {method}": all_pairs(method) for method in ("floyd-warshall", "min-plus", "johnson")},
    "apsp with predecessors": all_pairs("floyd-warshall", predecessors=True),
    "apsp of negative weights": all_pairs("johnson", negative=True),
    "apsp marking": all_pairs("floyd-warshall", negative=True, negative_cycles="mark"),
    "min_plus_product": lambda device: reedsp.min_plus_product(MATRIX, MATRIX, device=device),
    "min_plus_power": lambda device: reedsp.min_plus_power(MATRIX, 3, device=device),
    "reduce": lambda device: reedsp.reduce(NUMBERS, device=device),
    "inclusive_scan": lambda device: reedsp.inclusive_scan(NUMBERS, device=device),
    "exclusive_scan blelloch": lambda device: reedsp.exclusive_scan(NUMBERS, method="blelloch", device=device),
    "segmented_scan": lambda device: reedsp.segmented_scan(NUMBERS, NUMBERS % 7 == 0, device=device),
    "compact": lambda device: reedsp.compact(NUMBERS, NUMBERS % 3 == 0, device=device),
}
