"""Negative weights from one source, and all pairs of a sparse graph, beside SciPy in the same run.

Both take turns; what takes longer than ten seconds is repeated once. All distances are compared, exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse.csgraph
from matplotlib.figure import Figure

import reedsp
from experiments.lib import inputs
from experiments.lib.experiment import Case, Experiment, Row, Setting, WrongAnswerError
from experiments.lib.measure import PATIENCE, measure_in_turn
from experiments.lib.plotting import bars, device_of, panels

SEED = 2012
IN_DEGREE = 10


def compare(name: str, solve: Callable[[], Any], reference: Callable[[], np.ndarray], repeats: int) -> Row:
    """Time both, and stop unless their distances are equal."""
    expected: list[np.ndarray] = []
    used: list[str] = []

    def check(paths: Any) -> None:
        wrong = np.count_nonzero(paths.dist != expected[-1])
        if wrong:
            raise WrongAnswerError(f"{name}: {wrong} wrong distances")
        used[:] = [paths.method]

    def keep(dist: np.ndarray) -> None:
        expected[:] = [dist]

    theirs, ours = measure_in_turn([(reference, keep), (solve, check)], repeats, patience=PATIENCE)
    return {
        "what": name,
        "method": used[0],
        **ours,
        "scipy_ms": theirs["min_ms"],
        "scipy_repeats": theirs["repeats"],
        "ratio": round(theirs["min_ms"] / ours["min_ms"], 1),
    }


def one_source(device: reedsp.Device, vertices: int, repeats: int) -> Iterator[Row]:
    graph, _ = inputs.negative_edges(vertices, 10 * vertices, SEED)
    yield {
        "n": graph.n,
        "m": graph.m,
        "seed": SEED,
        **compare(
            "negative weights, one source",
            partial(reedsp.sssp, graph, 0, device=device),
            partial(scipy.sparse.csgraph.bellman_ford, inputs.scipy_matrix(graph), indices=0),
            repeats,
        ),
    }


def all_pairs(device: reedsp.Device, method: str, vertices: int, repeats: int) -> Iterator[Row]:
    graph = inputs.random_in_degree(vertices, IN_DEGREE, SEED)
    yield {
        "n": graph.n,
        "m": graph.m,
        "seed": SEED,
        **compare(
            f"all pairs, in-degree {IN_DEGREE}",
            partial(reedsp.apsp, graph, method, device=device),
            partial(scipy.sparse.csgraph.johnson, inputs.scipy_matrix(graph)),
            repeats,
        ),
    }


def cases(setting: Setting) -> list[Case]:
    vertices, repeats = (500, 1) if setting.quick else (10_000, 3)
    return [
        ("one source", partial(one_source, setting.device, 2 * vertices, repeats)),
        *(
            (f"all pairs, {method}", partial(all_pairs, setting.device, method, vertices, repeats))
            for method in ("johnson", "floyd-warshall")
        ),
    ]


def plot(rows: list[dict[str, str]]) -> Figure:
    """Draw the time of each method beside SciPy's."""
    figure, [axes] = panels(width=6.4)
    series: dict[str, list[float | None]] = {
        "reedsp": [float(row["min_ms"]) for row in rows],
        "SciPy": [float(row["scipy_ms"]) for row in rows],
    }
    labels = [f"{row['what']}:\n{row['method']}, n = {row['n']}" for row in rows]
    bars(axes, labels, series, "milliseconds")
    axes.bar_label(axes.containers[0], [f"{float(row['ratio']):.3g} times\nfaster" for row in rows], fontsize=8)
    axes.set_yscale("log")
    axes.set_title(f"Negative weights, and Johnson's method: {device_of(rows)}", fontsize=10)
    axes.legend(fontsize=8, frameon=False)
    return figure


EXPERIMENT = Experiment("Negative weights, and all pairs of a sparse graph, beside SciPy", cases, plot)
