"""The time of Output Parallel Bellman-Ford over all |V| - 1 rounds, against the number of vertices (figure 6.2).

As in thesis section 6.1.2, the graphs are random, with a fixed number of edges ending at each vertex. The thesis reads
from its figure that the time is quadratic: there are n - 1 rounds, each of which relaxes in_degree * n edges. That
holds once a round keeps the device busy; below, a round costs what a launch costs, and the time is linear. Distances
are compared with scipy's Dijkstra.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
import numpy.typing as npt
import scipy.sparse.csgraph
from matplotlib.figure import Figure

import reedsp
from experiments.lib import inputs
from experiments.lib.experiment import Case, Experiment, Row, Setting, WrongAnswerError
from experiments.lib.measure import measure
from experiments.lib.plotting import INK, PUBLISHED, device_of, finish, line, panels
from experiments.report.published import THESIS_GROWTH

SEED = 2012
IN_DEGREES = (8, 32)
SMALLEST, LARGEST = 8, 20  # of the sizes, as powers of two
REPEATS = 3
FITTED = 3  # of the largest sizes


def affordable(setting: Setting) -> int:
    """Return how many edge relaxations take seconds rather than minutes."""
    return 1 << (23 if setting.quick else 39 if setting.device.kind == "gpu" else 33)


def check(paths: reedsp.ShortestPaths, expected: npt.NDArray[np.float64]) -> None:
    if not np.array_equal(paths.dist, expected):
        raise WrongAnswerError(f"{np.count_nonzero(paths.dist != expected)} wrong distances")


def rows(device: reedsp.Device, n: int, degree: int, repeats: int) -> Iterator[Row]:
    graph = inputs.fixed_in_degree(n, degree, SEED)
    expected = scipy.sparse.csgraph.dijkstra(graph.to_scipy(), indices=0)
    solve = partial(reedsp.sssp, graph, 0, "output-parallel", device=device, options={"early_stop": False})
    paths, times = measure(solve, partial(check, expected=expected), repeats)
    yield {
        "n": n,
        "m": graph.m,
        "in_degree": degree,
        "seed": SEED,
        "rounds": paths.rounds,
        **times,
        "ms_per_round": round(times["min_ms"] / paths.rounds, 6),
    }


def cases(setting: Setting) -> list[Case]:
    most = affordable(setting)
    return [
        (
            f"in-degree {degree}, n = {n}",
            partial(rows, setting.device, n, degree, 1 if setting.quick or 16 * degree * n * n > most else REPEATS),
        )
        for degree in IN_DEGREES
        for n in (1 << power for power in range(SMALLEST, LARGEST + 1))
        if degree * n * n <= most
    ]


def plot(rows: list[dict[str, str]]) -> Figure:
    """Draw the time against the number of vertices, with the slope at the largest sizes."""
    figure, [axes] = panels()
    for number, degree in enumerate(IN_DEGREES):
        points = sorted((float(row["n"]), float(row["min_ms"])) for row in rows if row["in_degree"] == str(degree))
        slope = np.polyfit(*np.log(points[-FITTED:]).T, 1)[0]
        line(axes, points, f"in-degree {degree}: grows as $n^{{{slope:.2f}}}$ at the end", number)
    n = np.array([point[0] for point in points])
    growth = points[-1][1] * (n / n[-1]) ** THESIS_GROWTH
    axes.plot(n, growth, **PUBLISHED, linestyle="--", label=f"$n^{THESIS_GROWTH}$: thesis")
    axes.plot(n, points[0][1] * n / n[0], color=INK, linewidth=0.8, linestyle=(0, (6, 3)), label="$n$")
    finish(axes, "vertices n", "milliseconds for all n - 1 rounds", f"Figure 6.2 of the thesis: {device_of(rows)}")
    return figure


EXPERIMENT = Experiment("Output Parallel Bellman-Ford, all |V| - 1 rounds (thesis figure 6.2)", cases, plot)
