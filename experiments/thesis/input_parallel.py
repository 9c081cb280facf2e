"""Input Parallel Bellman-Ford and its refinement (thesis section 5.4) beside Output Parallel Bellman-Ford.

The methods take turns on each graph. Distances are compared with scipy's, or with what the weights are made from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse.csgraph
from matplotlib.figure import Figure

import reedsp
from experiments.lib import inputs
from experiments.lib.experiment import Case, Experiment, Row, Setting, WrongAnswerError
from experiments.lib.measure import measure_in_turn
from experiments.lib.plotting import bars, device_of, panels

SEED = 2012
METHODS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("output-parallel", {}),
    ("input-parallel", {}),
    ("input-parallel-refined", {"list_active": True}),
    ("input-parallel-refined", {"list_active": False}),
)


Instance = tuple[reedsp.Graph, npt.NDArray[Any]]


def plain(make: Callable[[], reedsp.Graph]) -> Instance:
    """Return a graph without negative weights, and its distances from vertex 0."""
    graph = make()
    return graph, scipy.sparse.csgraph.dijkstra(graph.to_scipy(), indices=0)


def graphs(setting: Setting) -> Iterator[tuple[str, Callable[[], Instance]]]:
    """Yield name, and how to make the graph and its distances from vertex 0."""
    n, side = (1000, 20) if setting.quick else (100_000, 500)
    for vertices in (n // 5, 10 * n):
        yield "negative edges", partial(inputs.negative_edges, vertices, 10 * vertices, SEED)
    yield "fixed in-degree 8", partial(plain, partial(inputs.fixed_in_degree, n, 8, SEED))
    yield "skewed in-degree 8", partial(plain, partial(inputs.skewed_in_degree, n, 8, SEED))
    yield f"grid {side} x {side}", partial(plain, partial(inputs.grid, side, SEED))
    if setting.data is not None and not setting.quick:
        yield "USA-road-d.NY", partial(plain, partial(inputs.new_york, setting.data / "dimacs-ny"))


def rows(device: reedsp.Device, name: str, make: Callable[[], Instance], repeats: int) -> Iterator[Row]:
    graph, expected = make()
    rounds: dict[int, int] = {}

    def check(number: int, result: reedsp.ShortestPaths) -> None:
        if not np.array_equal(result.dist, expected):
            raise WrongAnswerError("wrong distances")
        rounds[number] = result.rounds

    solves = [
        (partial(reedsp.sssp, graph, 0, method, device=device, options=options), partial(check, number))
        for number, (method, options) in enumerate(METHODS)
    ]
    for number, times in enumerate(measure_in_turn(solves, repeats)):
        method, options = METHODS[number]
        size_of = {"n": graph.n, "m": graph.m, "seed": SEED, "rounds": rounds[number]}
        listed = options.get("list_active", "")
        yield {"graph": name, **size_of, "method": method, "list_active": listed, **times}


def cases(setting: Setting) -> list[Case]:
    repeats = 1 if setting.quick else 5
    return [
        (f"{number}: {name}", partial(rows, setting.device, name, make, repeats))
        for number, (name, make) in enumerate(graphs(setting), 1)
    ]


def plot(rows: list[dict[str, str]]) -> Figure:
    """Draw the time of each method on each graph."""
    figure, [axes] = panels(width=9.0)
    graphs = list(dict.fromkeys((row["graph"], row["n"]) for row in rows))
    times = {(row["graph"], row["n"], row["method"], row["list_active"]): float(row["median_ms"]) for row in rows}
    series: dict[str, list[float | None]] = {}
    for method, options in METHODS:
        listed = str(options.get("list_active", ""))
        name = f"{method}, {'listed' if options['list_active'] else 'not listed'}" if options else method
        series[name] = [times.get((*graph, method, listed)) for graph in graphs]
    bars(axes, [f"{graph}\nn = {n}" for graph, n in graphs], series, "milliseconds, median of whole calls")
    axes.set_yscale("log")
    axes.set_title(f"Relaxing by vertex, by edge, and by active edge: {device_of(rows)}", fontsize=10)
    axes.legend(fontsize=8, frameon=False)
    return figure


EXPERIMENT = Experiment("Input Parallel Bellman-Ford and its refinement (thesis 5.4)", cases, plot)
