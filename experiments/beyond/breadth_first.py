"""Breadth-first search, whole calls with levels and tree, beside SciPy's breadth_first_order with predecessors.

The graphs are on the device, and for SciPy in CSR form with float64 weights, before the time is taken. Every answer is
checked. `edges` are those that leave reached vertices; `search_min_ms` is the time until the search had ended, before
the answer was copied.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from matplotlib.figure import Figure
from scipy.sparse import csgraph

import reedsp
from experiments.lib import inputs
from experiments.lib.experiment import Case, Experiment, Row, Setting, WrongAnswerError
from experiments.lib.measure import measure_in_turn
from experiments.lib.plotting import bars, device_of, panels
from reedsp.algorithms.traversal.bfs import BreadthFirst, bfs

SEED = 2012
EDGE_FACTOR = 16
CORNERS = (0.57, 0.19, 0.19)  # of the adjacency matrix, as Graph500 has them
PLOTTED = {"search_min_ms": "search", "min_ms": "whole call", "scipy_min_ms": "SciPy"}


def power_law(scale: int) -> reedsp.Graph:
    """Return an undirected R-MAT graph of 2^scale vertices, whose numbers say nothing about their degrees."""
    rng = np.random.default_rng(SEED)
    m = EDGE_FACTOR << scale
    u, v = np.zeros((2, m), np.int64)
    first, second, third = np.cumsum(CORNERS)
    for _ in range(scale):
        where = rng.random(m)
        u = 2 * u + (where >= second)
        v = 2 * v + (((where >= first) & (where < second)) | (where >= third))
    number = rng.permutation(1 << scale)
    kept = u != v
    return reedsp.Graph.from_edges(1 << scale, number[u[kept]], number[v[kept]], directed=False)


def graphs(setting: Setting) -> dict[str, Callable[[], reedsp.Graph]]:
    full = (1000, 20 if setting.device.kind == "gpu" else 18, 100_000, 1_000_000)
    side, scale, small, large = (30, 10, 1000, 2000) if setting.quick else full
    found: dict[str, Callable[[], reedsp.Graph]] = {
        f"grid {side} x {side}": partial(inputs.grid, side, SEED),
        f"R-MAT {scale}": partial(power_law, scale),
        "random, in-degree 10": partial(inputs.fixed_in_degree, small, 10, SEED),
        "random, in-degree 8": partial(inputs.fixed_in_degree, large, 8, SEED),
    }
    if setting.data is not None and not setting.quick:
        found["USA-road-d.NY"] = partial(inputs.new_york, setting.data / "dimacs-ny")
    return found


def check(found: BreadthFirst, answers: list[BreadthFirst]) -> None:
    found.verify()
    answers.append(found)


def check_order(answer: tuple[np.ndarray, np.ndarray], answers: list[BreadthFirst]) -> None:
    """Raise unless SciPy has reached the same vertices, each from one level below."""
    order, pred = answer
    levels = answers[-1].levels
    if len(order) != np.count_nonzero(levels >= 0) or (levels[order[1:]] != levels[pred[order[1:]]] + 1).any():
        raise WrongAnswerError("SciPy and reedsp differ")


def rows(device: reedsp.Device, name: str, make: Callable[[], reedsp.Graph], repeats: int) -> Iterator[Row]:
    graph = make()
    degrees = np.diff(graph.indptr)
    source = int(np.argmax(degrees))
    matrix = inputs.scipy_matrix(graph)
    answers: list[BreadthFirst] = []
    ours, scipys = measure_in_turn(
        [
            (partial(bfs, graph, source, device=device), partial(check, answers=answers)),
            (partial(csgraph.breadth_first_order, matrix, source), partial(check_order, answers=answers)),
        ],
        repeats,
        warm_up=1,
    )
    levels, stats = answers[0].levels, answers[0].stats
    searches = [answer.stats["search_milliseconds"] for answer in answers]
    yield {
        "graph": name,
        "n": graph.n,
        "m": graph.m,
        "seed": SEED,
        "source": source,
        "reached": np.count_nonzero(levels >= 0),
        "edges": int(degrees[levels >= 0].sum()),
        "levels": int(levels.max()),
        "bottom_up_levels": stats["bottom_up_levels"],
        "method": answers[0].method,
        "search_min_ms": round(min(searches), 4),
        **ours,
        "scipy_min_ms": scipys["min_ms"],
        "scipy_median_ms": scipys["median_ms"],
        "ratio": round(scipys["median_ms"] / ours["median_ms"], 2),
    }


def cases(setting: Setting) -> list[Case]:
    repeats = 1 if setting.quick else 9
    return [(name, partial(rows, setting.device, name, make, repeats)) for name, make in graphs(setting).items()]


def plot(rows: list[dict[str, str]]) -> Figure:
    """Draw the time of a search, of the whole call, and of SciPy."""
    figure, [axes] = panels(width=7.0)
    series: dict[str, list[float | None]] = {
        name: [float(row[column]) for row in rows] for column, name in PLOTTED.items()
    }
    labels = [f"{row['graph']}\nn = {row['n']}" for row in rows]
    bars(axes, labels, series, "milliseconds, fastest")
    axes.set_yscale("log")
    axes.set_title(f"Breadth-first search: {device_of(rows)}", fontsize=10)
    axes.legend(fontsize=8, frameon=False)
    return figure


EXPERIMENT = Experiment("Breadth-first search beside SciPy (survey, section 2)", cases, plot)
