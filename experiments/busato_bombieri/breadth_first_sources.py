"""Breadth-first search from many sources: one after the other, or a work-group a source, and SciPy.

Whole calls with levels and trees; the graphs are on the device before. SciPy's `dijkstra` with unweighted=True is what
finds rows of levels and predecessors in one call; its times are those of up to `MOST_OF_SCIPY` sources, times the rest.
All levels and trees are compared, SciPy's levels as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from scipy.sparse import csgraph

import reedsp
from experiments.lib import inputs
from experiments.lib.experiment import Case, Experiment, Row, Setting, WrongAnswerError
from experiments.lib.measure import measure_in_turn
from experiments.lib.plotting import bars, device_of, panels

SEED = 2012
SOURCES = (2, 16, 256)
MOST_IN_TURN = 16  # sources from which searches one after the other are measured
MOST_OF_SCIPY = 2
METHODS = {"cpu": ("work-items",), "gpu": ("work-groups", "source-a-group")}
IN_TURN = "work-groups"


def graphs(setting: Setting) -> dict[str, Callable[[], reedsp.Graph]]:
    """Return how to make each graph, by its name."""
    side, scale, n = (20, 8, 300) if setting.quick else (300, 16, 100_000)
    found = {
        "random, n = 1,000": partial(inputs.fixed_in_degree, 1000, 3, SEED),
        f"random, n = {n:,}": partial(inputs.fixed_in_degree, n, 8, SEED),
        f"grid {side} x {side}": partial(inputs.grid, side, SEED),
        f"R-MAT {scale}": partial(inputs.r_mat, scale, 16, SEED),
    }
    if setting.data is not None and not setting.quick:
        found["USA-road-d.NY"] = partial(inputs.new_york, setting.data / "dimacs-ny")
    return found


def rows(device: reedsp.Device, name: str, make: Callable[[], reedsp.Graph], repeats: int) -> Iterator[Row]:
    graph = make()
    matrix = inputs.scipy_matrix(graph)
    for count in SOURCES:
        sources = np.random.default_rng(SEED).integers(0, graph.n, count).tolist()
        answers: list[reedsp.BreadthFirst] = []

        def check(found: Any) -> None:
            answers.append(found)  # noqa: B023
            first = answers[0]  # noqa: B023
            if not (np.array_equal(found.levels, first.levels) and np.array_equal(found.pred, first.pred)):
                raise WrongAnswerError(f"{name}: another answer by {found.method}")

        def check_scipy(found: Any) -> None:
            levels = answers[0].levels[: len(found[0])]  # noqa: B023
            if not np.array_equal(np.where(levels < 0, np.inf, levels), found[0]):
                raise WrongAnswerError(f"{name}: SciPy and reedsp differ")

        methods = [each for each in METHODS[device.kind] if each != IN_TURN or count <= MOST_IN_TURN]
        calls: list[Any] = [
            (partial(reedsp.bfs, graph, sources, device=device, options={"method": each}), check) for each in methods
        ]
        few = sources[:MOST_OF_SCIPY]
        scipys = partial(csgraph.dijkstra, matrix, indices=few, unweighted=True, return_predecessors=True)
        for method, times in zip(
            [*methods, "SciPy"], measure_in_turn([*calls, (scipys, check_scipy)], repeats), strict=True
        ):
            factor = count / len(few) if method == "SciPy" else 1
            yield {
                **{"graph": name, "n": graph.n, "m": graph.m, "seed": SEED, "sources": count, "method": method},
                **{key: round(value * factor, 4) if key.endswith("_ms") else value for key, value in times.items()},
                "ms_per_source": round(times["min_ms"] * factor / count, 5),
            }


def cases(setting: Setting) -> list[Case]:
    repeats = 1 if setting.quick else 3
    return [(name, partial(rows, setting.device, name, make, repeats)) for name, make in graphs(setting).items()]


def plot(rows: list[dict[str, str]]) -> Figure:
    """Draw the time of each method for a source, by graphs and numbers of sources."""
    figure, [axes] = panels(width=9.0)
    bars_of = [(row["graph"], row["sources"]) for row in rows if row["method"] == "SciPy"]
    times = {(row["graph"], row["sources"], row["method"]): float(row["ms_per_source"]) for row in rows}
    methods = list(dict.fromkeys(row["method"] for row in rows))
    series = {method: [times.get((*each, method)) for each in bars_of] for method in methods}
    bars(axes, [f"{graph}\n{count} sources" for graph, count in bars_of], series, "milliseconds for a source, fastest")
    axes.set_yscale("log")
    axes.tick_params(axis="x", labelrotation=90, labelsize=7)
    axes.set_title(f"Breadth-first search from many sources: {device_of(rows)}", fontsize=10)
    axes.legend(fontsize=8, frameon=False)
    return figure


EXPERIMENT = Experiment("Breadth-first search from many sources, a work-group of a GPU for each", cases, plot)
