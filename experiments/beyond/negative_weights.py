"""Negative weights from one source, and all pairs of a sparse graph, beside SciPy in the same run.

SciPy's Bellman-Ford never stops early, and is run once; so is its Johnson. All distances are compared, exactly.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse.csgraph
from matplotlib.figure import Figure

import reedsp
from experiments.lib import inputs
from experiments.lib.experiment import Case, Experiment, Row, Setting, WrongAnswerError
from experiments.lib.measure import measure_in_turn
from experiments.lib.plotting import bars, device_of, panels

SEED = 2012
IN_DEGREE = 10


def compare(name: str, solve: Callable[[], Any], reference: Callable[[], np.ndarray], repeats: int) -> Row:
    """Time both, and stop unless their distances are equal."""
    started = time.perf_counter()
    expected = reference()
    of_scipy = 1e3 * (time.perf_counter() - started)
    used: list[str] = []

    def check(paths: Any) -> None:
        if not np.array_equal(paths.dist, expected):
            raise WrongAnswerError(f"{name}: {np.count_nonzero(paths.dist != expected)} wrong distances")
        used[:] = [paths.method]

    [times] = measure_in_turn([(solve, check)], repeats)
    return {
        "what": name,
        "method": used[0],
        **times,
        "scipy_ms": round(of_scipy, 1),
        "ratio": round(of_scipy / times["min_ms"], 1),
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
            partial(scipy.sparse.csgraph.bellman_ford, graph.to_scipy(), indices=0),
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
            partial(scipy.sparse.csgraph.johnson, graph.to_scipy()),
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
