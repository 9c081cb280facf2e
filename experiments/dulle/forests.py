"""Spanning forests: Dulle's Algorithm 19 (2016, section 5.7), our fast methods and SciPy against n; rounds, and ties.

Random graphs have about three times as many edges as vertices, each given once, from its smaller end; a road network,
grids and graphs like social networks are undirected, with weights from 1 to 1000. `kind` says which weights there are:
"distinct", "few", the numbers 1 to 3, or "many". Dulle's algorithm has the order of edges here that it lacks as
printed: `counted` shows what happens without. A time is that of a whole call on a graph that the device has already,
and `search_ms` the part of it until the edges are chosen, which stay there.
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
from experiments.lib.measure import fastest_search, measure_in_turn
from experiments.lib.plotting import device_of, panels

SEED = 2016
EDGES_EACH = 3
RANDOM = "random"
SIZES = (256, 512, 1024, 2048, 16384, 131072, 1048576)
LARGEST_OF_DULLE = 2048  # its memory grows with the square, and its time with more
LARGE = 10**7  # edges from which on SciPy takes long, and is not timed
METHODS = {"fast": "auto", "dulle": "dulle"}


def random(n: int, kind: str) -> reedsp.Graph:
    rng = np.random.default_rng(SEED + n)
    m = EDGES_EACH * n
    weights = rng.permutation(m) if kind == "distinct" else rng.integers(1, 4, m)
    ends = np.sort(rng.integers(0, n, (2, m)), axis=0)
    return reedsp.Graph.from_edges(n, *ends, weights + 1)


def larger(setting: Setting) -> dict[str, Callable[[], reedsp.Graph]]:
    """Return makers of graphs of other kinds."""
    found: dict[str, Callable[[], reedsp.Graph]] = {
        "grid 1000 x 1000": partial(inputs.grid, 1000, SEED),
        "R-MAT 18": partial(inputs.r_mat, 18, 8, SEED, directed=False),
    }
    if setting.data is not None:
        found["USA-road-d.NY"] = partial(inputs.new_york, setting.data / "dimacs-ny")
    if setting.device.kind == "gpu":
        found["grid 3000 x 3000"] = partial(inputs.grid, 3000, SEED)
        found["R-MAT 20"] = partial(inputs.r_mat, 20, 8, SEED, directed=False)
    return {} if setting.quick else found


def check(forest: reedsp.SpanningForest, expected: Any, answers: list[reedsp.SpanningForest]) -> None:
    if len(forest) != expected.nnz or forest.total_weight != expected.sum():
        raise WrongAnswerError("SciPy and reedsp differ")
    answers.append(forest)


def rows(
    device: reedsp.Device, graph_name: str, make: Callable[[], reedsp.Graph], kind: str, repeats: int
) -> Iterator[Row]:
    graph = make()
    n = graph.n
    matrix = inputs.scipy_matrix(graph)
    expected = csgraph.minimum_spanning_tree(matrix)
    answers: dict[str, list[reedsp.SpanningForest]] = {
        name: [] for name in METHODS if name == "fast" or n <= LARGEST_OF_DULLE
    }
    solves: list[tuple[Callable[[], Any], Callable[[Any], None]]] = [
        (
            partial(reedsp.spanning_forest, graph, method=METHODS[name], device=device),
            partial(check, expected=expected, answers=found),
        )
        for name, found in answers.items()
    ]
    names = list(answers)
    if graph.m <= LARGE:
        solves.append((partial(csgraph.minimum_spanning_tree, matrix), lambda tree: None))
        names.append("scipy")
    measured = measure_in_turn(solves, repeats, warm_up=1)
    if len({found[0].ends.tobytes() for found in answers.values()}) != 1:
        raise WrongAnswerError("the methods choose different edges")
    for name, figures in zip(names, measured, strict=True):
        stats = answers[name][0].stats if name in answers else {}
        yield {
            "graph": graph_name,
            "n": n,
            "m": graph.m,
            "kind": kind,
            "seed": SEED,
            "method": name,
            "rounds": stats.get("rounds", ""),
            "launches": stats.get("kernels_launched", ""),
            **figures,
            "search_ms": fastest_search([each.stats for each in answers.get(name, ())]),
        }


def cases(setting: Setting) -> list[Case]:
    sizes, repeats = (SIZES[:2], 1) if setting.quick else (SIZES, 5)
    found: list[Case] = [
        (
            f"n = {n}, {kind} weights",
            partial(rows, setting.device, RANDOM, partial(random, n, kind), kind, repeats),
        )
        for kind in ("distinct", "few")
        for n in sizes
    ]
    others = larger(setting).items()
    return found + [(name, partial(rows, setting.device, name, make, "many", repeats)) for name, make in others]


def plot(rows: list[dict[str, str]]) -> Figure:
    """Draw the time of each method against the number of vertices, and the rounds."""
    figure, [times, rounds] = panels(2, width=4.2)
    for axes, column, title in ((times, "min_ms", "milliseconds, fastest"), (rounds, "rounds", "rounds")):
        for method in (*METHODS, "scipy"):
            points = [row for row in rows if row["method"] == method and row["kind"] == "distinct" and row[column]]
            if points:
                axes.plot([int(row["n"]) for row in points], [float(row[column]) for row in points], "o-", label=method)
        axes.set_xscale("log", base=2)
        axes.set_xlabel("vertices")
        axes.set_title(title, fontsize=10)
        axes.legend(fontsize=8, frameon=False)
    times.set_yscale("log")
    figure.suptitle(f"Spanning forests: {device_of(rows)}", fontsize=10)
    return figure


EXPERIMENT = Experiment("Spanning forests: Dulle's, ours and SciPy's (Dulle, section 5.7)", cases, plot)
