"""Whole calls of reedsp.distance_statistics beside SciPy's Dijkstra and three lines of numpy.

Both begin with a SciPy matrix that no earlier call has seen, and end with how many vertices each source reaches, how
far the farthest is, and the sum of the distances. SciPy finds a thousand rows at a time, as a careful program would.
Every answer is compared, exactly.
"""

from __future__ import annotations

import copy
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
from experiments.lib.plotting import INK, device_of, finish, line, panels
from reedsp.device.discovery import get_device

SEED = 2012
SIZES, SIZES_QUICK = (10, 100, 1000, 5000), (10, 100)
PATIENCE = 5e6  # vertices and edges that are looked at from all sources, in all repeats
MOST_REPEATS = 50
ROWS = 1000  # that SciPy finds at a time
ALL = "all sources"

Found = tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]


def graphs(setting: Setting) -> dict[str, tuple[Callable[[], reedsp.Graph], tuple[int, ...]]]:
    """Return how to make each graph, and from how many sources it is searched, 0 being all."""
    found: dict[str, tuple[Callable[[], reedsp.Graph], tuple[int, ...]]] = {}
    for n in SIZES_QUICK if setting.quick else SIZES:
        side = round(n**0.5)
        found[f"random, n = {n:,}"] = partial(inputs.fixed_in_degree, n, 4, SEED), (1, 0)
        found[f"grid, n = {side * side:,}"] = partial(inputs.grid, side, SEED), (1, 0)
    if setting.data is not None and not setting.quick:
        found["New York"] = partial(inputs.new_york, setting.data / "dimacs-ny"), (1, 64)
    return found


def by_scipy(matrix: Any, sources: npt.NDArray[np.intp]) -> Found:
    parts = []
    for first in range(0, len(sources), ROWS):
        dist = scipy.sparse.csgraph.dijkstra(copy.copy(matrix), indices=sources[first : first + ROWS])
        reached = np.isfinite(dist)
        dist[~reached] = 0
        parts.append((reached.sum(axis=1), dist.max(axis=1), dist.sum(axis=1)))
    reached, farthest, total = (np.concatenate(each) for each in zip(*parts, strict=True))
    return reached, farthest, total


def by_reedsp(matrix: Any, sources: npt.NDArray[np.intp]) -> Found:
    found = reedsp.distance_statistics(copy.copy(matrix), sources)
    return found.reached, found.eccentricity, found.farness


def rows(name: str, make: Callable[[], reedsp.Graph], counts: tuple[int, ...]) -> Iterator[Row]:
    matrix = inputs.scipy_matrix(make())
    n, m = matrix.shape[0], matrix.nnz
    for count in counts:
        sources = np.arange(n) if count == 0 else np.random.default_rng(SEED).choice(n, count, replace=False)
        expected = by_scipy(matrix, sources)

        def check(answer: Found, expected: Found = expected) -> None:
            if not all(map(np.array_equal, answer, expected)):
                raise WrongAnswerError(f"{name}: other sums")

        solves = [(partial(each, matrix, sources), check) for each in (by_scipy, by_reedsp)]
        repeats = int(np.clip(PATIENCE / (n + m) / len(sources), 3, MOST_REPEATS))
        theirs, ours = measure_in_turn(solves, repeats)
        yield {
            "graph": name,
            "n": n,
            "m": m,
            "sources": len(sources),
            "what": ALL if count == 0 else "one source" if count == 1 else f"{count} sources",
            "seed": SEED,
            **ours,
            "scipy_min_ms": theirs["min_ms"],
            "scipy_median_ms": theirs["median_ms"],
            "ratio": float(f"{theirs['min_ms'] / ours['min_ms']:.3g}"),
        }


def cases(setting: Setting) -> list[Case]:
    return [(name, partial(rows, name, make, counts)) for name, (make, counts) in graphs(setting).items()]


def impossible(setting: Setting) -> str:
    used = get_device()
    chosen = (used.name, used.platform) == (setting.device.name, setting.device.platform)
    return "" if chosen else "calls choose between the host and the device by default: name it by REEDSP_DEVICE"


def plot(rows: list[dict[str, str]]) -> Figure:
    """Draw how many times as fast as SciPy and numpy it is, over the number of vertices."""
    figure, [axes] = panels(1, width=6.0, height=3.2)
    series: dict[str, list[tuple[float, float]]] = {}
    for row in rows:
        label = f"{row['graph'].partition(',')[0]}, {row['what']}"
        series.setdefault(label, []).append((float(row["n"]), float(row["ratio"])))
    for number, (label, points) in enumerate(series.items()):
        line(axes, points, label, number, **({} if len(points) > 1 else {"linestyle": "", "marker": "x"}))
    axes.axhline(1, color=INK, linewidth=0.8)
    finish(axes, "vertices", "times the speed of SciPy and numpy", f"Sums of distances: {device_of(rows)}")
    return figure


EXPERIMENT = Experiment("Sums of distances from SciPy's matrices, beside SciPy and numpy", cases, plot, impossible)
