"""What the cost model predicts for searches beside what was measured, and what its choices cost.

Whole calls of `sssp` and `bfs` from one vertex and from sixteen, by each method that "auto" chooses from, the host
among them, on the graphs of `cost_model_fit`, all of which the counts of searches were fitted to, and on others, of
which some have negative weights. The device is calibrated first. `decided_ms` is what the choice took, on a graph that
is new to it; `times_best` is the time of a method, in that of the best one.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import reedsp
from experiments.lib import inputs
from experiments.lib.experiment import Experiment, Row, WrongAnswerError
from experiments.lib.measure import measure_in_turn
from experiments.tmm.cost_model_fit import FLOAT64, cases_of, known, plot, rows_of
from experiments.tmm.cost_model_graphs import (
    FITTED,
    HELD_BACK,
    Graphs,
    islands,
    layers,
    nearest,
    random,
    small_world,
    star,
    tree,
)
from reedsp.algorithms.single_source.host.searches import can_solve
from reedsp.algorithms.single_source.sssp import searched_for
from reedsp.arithmetic.paths import choose_arithmetic
from reedsp.cost_model import choose_search, place, searches
from reedsp.cost_model.families import Known
from reedsp.cost_model.searches import Searches

SOURCES = (1, 16)
HOST = "host"
MOST_ROUNDS = 30_000_000  # of an edge, of the host: beyond that it takes seconds


def lifted(make: Callable[[], reedsp.Graph], seed: int) -> reedsp.Graph:
    """Return a graph with other weights, of which some are negative, and no cycle is."""
    graph = make()
    height = np.random.default_rng(seed).integers(-500, 500, graph.n)
    tails = np.arange(graph.n).repeat(np.diff(graph.indptr))
    weights = graph.weights.astype(np.int64) + height[tails] - height[graph.indices]
    return reedsp.Graph.from_edges(graph.n, tails, graph.indices, weights)


_SIZES = (120, 240, 650, 1000, 1400, 2300, 3000)
OTHERS: Graphs = {
    **{f"random {n}, {d}, again": functools.partial(random, n, n * d, seed=n + d) for n in _SIZES for d in (2, 5, 9)},
    **{f"small world {n}, {k}": functools.partial(small_world, n, k, n) for n, k in ((700, 3), (1500, 5), (2900, 2))},
    **{f"tree {n}, {c}": functools.partial(tree, n, c, n) for n, c in ((900, 2), (2200, 4), (3000, 3))},
    **{f"layers {c} x {w}": functools.partial(layers, c, w, 4, c) for c, w in ((15, 50), (50, 40), (8, 300))},
    **{f"islands {c} x {s}": functools.partial(islands, c, s, 3, c) for c, s in ((3, 500), (12, 100), (40, 70))},
    **{f"in-degree {n}, {d}": functools.partial(inputs.skewed_in_degree, n, d, n) for n, d in ((900, 5), (1800, 4))},
    **{f"nearest {n}, {k}": functools.partial(nearest, n, k, n) for n, k in ((500, 6), (1200, 4), (2800, 3))},
    **{f"grid {s}": functools.partial(inputs.grid, s, s, 0.2) for s in (16, 31, 44, 54)},
    **{f"path {n}": functools.partial(inputs.long_path, n, n) for n in (300, 1500, 3000)},
    **{f"star {n}": functools.partial(star, n, n) for n in (400, 2500)},
    **{f"complete {n}": functools.partial(inputs.complete, n, n) for n in (150, 400, 800)},
    **{f"R-MAT 10, {f}": functools.partial(inputs.r_mat, 10, f, 4) for f in (3, 12)},
    "random 20000, 3": functools.partial(random, 20_000, 60_000, seed=5),
}
"""Graphs that the counts of searches were not fitted to."""

NEGATIVE: Graphs = {
    f"negative {name}": functools.partial(lifted, make, number)
    for number, (name, make) in enumerate(OTHERS.items())
    if number % 2
}
PARTS = {"fitted": {**FITTED, **HELD_BACK}, "held back": {**OTHERS, **NEGATIVE}}


def on_host(call: Callable[[], Any]) -> Any:
    """Have the host solve something, whatever is expected of a device."""
    before = place._serves, choose_search._BEGUN
    place._serves, choose_search._BEGUN = True, float("inf")
    try:
        return call()
    finally:
        place._serves, choose_search._BEGUN = before


def paths_from(
    graph: reedsp.Graph, sources: list[int], device: reedsp.Device, machine: Known
) -> tuple[str, dict[str, float], dict[str, Callable[[], Any]]]:
    """Return the method that is chosen, the seconds that each is expected to take, and calls of each."""
    arithmetic, starts = choose_arithmetic(graph, FLOAT64), [[each] for each in sources]
    asked = searched_for(graph, starts, arithmetic, FLOAT64)
    chosen = HOST
    if not can_solve(graph, arithmetic) or choose_search.shortest_paths_on_host(asked, lambda _: machine) is None:
        entering = lambda: int(np.diff(graph.in_edges().indptr).max(initial=0))  # noqa: E731
        choice = choose_search.shortest_paths(
            *(asked, machine), min_only=False, most_entering=entering, fits=lambda: False
        )
        chosen = choice.methods[0]
    rounds = (choose_search.CHANGED, choose_search.ALL, choose_search.GROUPS)
    methods = rounds if asked.negative else (choose_search.NEAR_FAR,)
    expected = {each: choose_search.seconds_on(asked, machine, each) for each in methods}
    calls: dict[str, Callable[[], Any]] = {
        each: functools.partial(reedsp.sssp, graph, sources, each, device=device) for each in methods
    }
    if can_solve(graph, arithmetic) and not (asked.negative and graph.n * graph.m * len(sources) > MOST_ROUNDS):
        expected[HOST] = searches.on_host(asked)
        calls[HOST] = functools.partial(on_host, functools.partial(reedsp.sssp, graph, sources))
    return chosen, expected, calls


def levels_from(
    graph: reedsp.Graph, sources: list[int], device: reedsp.Device, machine: Known
) -> tuple[str, dict[str, float], dict[str, Callable[[], Any]]]:
    """Return the same for breadth-first searches."""
    asked = Searches(graph.n, graph.m, graph.directed, len(sources), "int32", 4)
    expected = choose_search.levels_times(asked, machine, device.kind == "cpu")
    fastest = next(iter(expected))
    chosen = fastest if choose_search.levels_on_host(asked, lambda _: machine) is None else HOST
    calls: dict[str, Callable[[], Any]] = {
        each: functools.partial(
            reedsp.bfs, graph, sources, device=device, options=None if each == fastest else {"method": each}
        )
        for each in expected
    }
    calls[HOST] = functools.partial(on_host, functools.partial(reedsp.bfs, graph, sources))
    return chosen, {**expected, HOST: searches.levels_on_host(asked)}, calls


def rows(device: reedsp.Device, part: str, name: str, repeats: int) -> Iterator[Row]:
    machine, made = known(device), PARTS[part][name]()
    for function, count in ((each, count) for each in (paths_from, levels_from) for count in SOURCES):
        if function is levels_from and name in NEGATIVE:
            continue
        graph = reedsp.Graph(made.indptr, made.indices, made.weights, directed=made.directed)
        facts = (graph.has_negative_weights, graph.simple_path_bound)  # which every call needs
        sources = [number * graph.n // count for number in range(count)]
        started = time.perf_counter()
        chosen, expected, calls = function(graph, sources, device, machine)
        decided = time.perf_counter() - started
        answer: list[Any] = []

        def check(found: Any) -> None:
            values = found.dist if hasattr(found, "dist") else found.levels
            answer[:] = answer or [(values, found.pred)]  # noqa: B023
            if not all(np.array_equal(*pair) for pair in zip(answer[0], (values, found.pred), strict=True)):  # noqa: B023
                raise WrongAnswerError(f"{name}: another answer by {found.method}")

        times = dict(zip(calls, measure_in_turn([(each, check) for each in calls.values()], repeats), strict=True))
        asked = {
            **{"graph": name, "part": part, "n": graph.n, "m": graph.m, "negative": facts[0]},
            **{"call": "sssp" if function is paths_from else "bfs", "sources": len(sources)},
        }
        yield from rows_of(asked, expected, times, chosen, decided)


EXPERIMENT = Experiment(
    "The cost model for searches: predicted beside measured, and what auto's choices cost",
    functools.partial(cases_of, rows, PARTS),
    plot,
)
