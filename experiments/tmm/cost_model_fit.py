"""What the cost model predicts for all pairs beside what was measured, and what its choices cost.

Whole calls of both methods that "auto" chooses from, with and without predecessors, on graphs that the model was fitted
to, and on others. The device is calibrated first. `predicted_ms` is what is known before a call: with the look at
searches, where "auto" would take one, and else as if each vertex reached all others. `decided_ms` is what the choice
took, on a graph that is new to it; `times_best` is the time of a method, in that of the better one.
"""

from __future__ import annotations

import functools
import math
import time
from collections.abc import Callable, Iterator, Mapping

import numpy as np
from matplotlib.figure import Figure

import reedsp
from experiments.lib.experiment import Case, Experiment, Row, Setting, WrongAnswerError
from experiments.lib.measure import measure_in_turn
from experiments.lib.plotting import device_of, finish, line, panels
from experiments.tmm.cost_model_graphs import FITTED, HELD_BACK, Graphs
from reedsp.arithmetic.matrix import matrix_weights
from reedsp.arithmetic.paths import choose_arithmetic
from reedsp.cost_model import choose, families, probe
from reedsp.cost_model.calibrate import measured
from reedsp.cost_model.counts import METHODS

PARTS = {"fitted": FITTED, "held back": HELD_BACK}
FLOAT64 = np.dtype(np.float64)


@functools.cache
def known(device: reedsp.Device) -> families.Known:
    """Return what a calibration finds, which is not stored."""
    return families.Known(measured(device), device.kind, device.compute_units, "`reedsp calibrate`")


def rows(device: reedsp.Device, part: str, name: str, repeats: int) -> Iterator[Row]:
    machine, made = known(device), PARTS[part][name]()
    arithmetic = choose_arithmetic(made, FLOAT64)
    weights = matrix_weights(made, arithmetic)
    for predecessors in (False, True):
        decided = math.inf  # as calls, at best
        for _ in range(repeats):
            graph = reedsp.Graph(made.indptr, made.indices, made.weights, directed=made.directed)
            facts = (graph.has_negative_weights, graph.simple_path_bound)  # which every call needs
            started = time.perf_counter()
            chosen = choose.all_pairs(graph, machine, arithmetic, weights, predecessors=predecessors).method
            decided = min(decided, time.perf_counter() - started)
        pairs = choose.pairs_of(graph, arithmetic, weights, 8, predecessors, probe.known_reach(graph))

        def check(paths: reedsp.AllPairs) -> None:
            right = np.array_equal(paths.dist, expected) or np.allclose(paths.dist, expected, rtol=1e-12)  # noqa: B023
            if not right:
                raise WrongAnswerError(f"{name}: wrong distances by {paths.method}")

        expected = reedsp.apsp(graph, "min-plus", device=device).dist
        calls = [functools.partial(reedsp.apsp, graph, each, predecessors, device=device) for each in METHODS]
        times = measure_in_turn([(call, check) for call in calls], repeats)
        asked = {
            **{"graph": name, "part": part, "n": graph.n, "m": graph.m, "negative": facts[0]},
            **{"predecessors": predecessors, "arithmetic": pairs.matrix, "reached": round(pairs.reached, 1)},
        }
        expected_of = {method: choose.predicted(pairs, machine, method) for method in METHODS}
        yield from rows_of(asked, expected_of, dict(zip(METHODS, times, strict=True)), chosen, decided)


def rows_of(
    asked: Row, expected: Mapping[str, float], times: Mapping[str, Row], chosen: str, decided: float
) -> Iterator[Row]:
    """Return what each method took beside the seconds that were expected, and what the choice took."""
    best = min(each["min_ms"] for each in times.values())
    for method, each in times.items():
        predicted = 1e3 * expected[method]
        yield {
            **{**asked, "method": method, "predicted_ms": f"{predicted:.4f}", **each},
            "ratio": f"{predicted / each['min_ms']:.3f}",
            "times_best": f"{each['min_ms'] / best:.3f}",
            **{"chosen": method == chosen, "decided_ms": f"{1e3 * decided:.4f}"},
        }


def cases_of(rows: Callable[..., Iterator[Row]], parts: Mapping[str, Graphs], setting: Setting) -> list[Case]:
    repeats = 1 if setting.quick else 7
    return [
        (f"{part}: {name}", functools.partial(rows, setting.device, part, name, repeats))
        for part, graphs in parts.items()
        for name in list(graphs)[: 2 if setting.quick else None]
    ]


def plot(rows: list[dict[str, str]]) -> Figure:
    """Draw what was predicted against what was measured, and what choices cost."""
    figure, (fit, regret) = panels(2, width=3.6, height=3.2)
    for number, part in enumerate(dict.fromkeys(row["part"] for row in rows)):
        some = [row for row in rows if row["part"] == part]
        points = [(float(row["min_ms"]), float(row["predicted_ms"])) for row in some]
        line(fit, points, part, number, linestyle="", markersize=3)
        costs = sorted(float(row["times_best"]) for row in some if row["chosen"] == "True")
        shares = [(100 * (place + 1) / len(costs), cost) for place, cost in enumerate(costs)]
        line(regret, shares, part, number, markersize=2)
    ends = [min(float(row["min_ms"]) for row in rows), max(float(row["min_ms"]) for row in rows)]
    for factor, style in ((1.0, "-"), (1.3, ":"), (1 / 1.3, ":"), (2.0, "--"), (0.5, "--")):
        fit.plot(ends, [factor * end for end in ends], style, c="0.3", linewidth=0.7)
    finish(fit, "milliseconds, measured", "predicted; lines: 1, 1.3 and 2 times", "Whole calls")
    finish(regret, "percent of graphs", "times the better method", "What auto takes", log="")
    figure.suptitle(device_of(rows), fontsize=10)
    return figure


EXPERIMENT = Experiment(
    "The cost model for all pairs: predicted beside measured, and what auto's choices cost",
    functools.partial(cases_of, rows, PARTS),
    plot,
)
