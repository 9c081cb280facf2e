"""The techniques of the survey's figure 7 for paths from one source, on graphs that stand in for its own.

Each finds distances only, of a graph that is on the device already, and all of them are compared. "workfront sweep" is
the frontier Bellman-Ford whose edges are shared out along merge paths: the rung "multi-phase" of the ladder. "H-BF" is
the same with dynamic virtual warps and edge classes; the survey's 64-bit atomics and its dynamic parallelism are not in
OpenCL C 1.2. Of near-far there is the width 32 w / d that the survey recommends, and ours. What the others are compared
with is Algorithm 5 by one work-item, on CPU devices, and SciPy's Dijkstra for Boost's.

New York and a grid stand in for asia.osm and USA-road-d.CAL, a grid whose vertices have loops for msdoor, web-NotreDame
for flickr, a made graph with few rows of very many edges for circuit5M, and an R-MAT graph for rmat.3Mv.20Me.
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
from experiments.busato_bombieri import balance
from experiments.busato_bombieri.searches import NONE, Bucketing, QueueBellmanFord
from experiments.lib import inputs
from experiments.lib.experiment import Case, Experiment, Row, Setting, WrongAnswerError
from experiments.lib.measure import measure_in_turn
from experiments.lib.plotting import device_of, dots, panels
from reedsp.algorithms.single_source.input_parallel import input_parallel_refined
from reedsp.algorithms.single_source.near_far import near_far
from reedsp.algorithms.single_source.task import Outcome, Task
from reedsp.arithmetic.paths import Arithmetic
from reedsp.device.job import Job
from reedsp.edges.edge_classes import LEAF, SOLE, edge_classes

SEED = 2012
WARP = 32
SCIPY, QUEUE = "Dijkstra (SciPy)", "Algorithm 5"
SWEEP, BUCKETING, NEAR_FAR_AS_SAID, NEAR_FAR = "workfront sweep", "bucketing", "near-far, 32 w / d", "near-far"
H_BF, WITHOUT_CLASSES = "H-BF", "H-BF without classes"
REFINED, WITH_CLASSES = "frontier", "frontier with classes"
ON_DEVICE = (SWEEP, BUCKETING, NEAR_FAR_AS_SAID, NEAR_FAR, H_BF, WITHOUT_CLASSES, REFINED, WITH_CLASSES)

Answer = tuple[npt.NDArray[Any], Any]
"""Distances, and what there is where there is no path."""


def grid_with_loops(side: int) -> reedsp.Graph:
    """Return a grid each of whose vertices has an edge to itself."""
    grid = inputs.grid(side, SEED)
    vertices = np.arange(grid.n)
    sources = np.append(np.repeat(vertices, np.diff(grid.indptr)), vertices)
    weights = np.append(grid.weights, np.full(grid.n, 7))
    return reedsp.Graph.from_edges(grid.n, sources, np.append(grid.indices, vertices), weights)


def graphs(setting: Setting) -> dict[str, Callable[[], reedsp.Graph]]:
    """Return how to make each graph, by its name."""
    side = 20 if setting.quick else 1000 if setting.device.kind == "gpu" else 200
    found = balance.graphs(setting)
    return {**found, f"grid {side} x {side} with loops": partial(grid_with_loops, side)}


def delta_of(graph: reedsp.Graph) -> int:
    """Return the width of a bucket that the survey has from Davidson and others: 32 w / d."""
    return max(1, round(WARP * float(graph.weights.mean()) * graph.n / graph.m))


def by_task(
    method: Callable[..., Outcome], graph: reedsp.Graph, device: reedsp.Device, source: int, **options: Any
) -> Answer:
    """Return the distances that a method of the library finds."""
    arithmetic = Arithmetic(np.dtype(np.int32))
    dist = np.empty((1, graph.n), np.int32)
    method(Task(graph, [[source]], Job(device), arithmetic, dist), **options)
    return dist[0], arithmetic.infinity


def techniques(graph: reedsp.Graph, device: reedsp.Device, source: int) -> dict[str, Callable[[], Answer]]:
    """Return what finds the distances by each technique."""
    of_library = partial(by_task, graph=graph, device=device, source=source)
    refined = partial(of_library, input_parallel_refined)
    delta, bucketing = delta_of(graph), Bucketing(graph, device, delta_of(graph))
    matrix = inputs.scipy_matrix(graph)
    found: dict[str, Callable[[], Answer]] = {
        SCIPY: lambda: (scipy.sparse.csgraph.dijkstra(matrix, indices=source), np.inf)
    }
    if device.kind == "cpu":
        queue = QueueBellmanFord(graph, device)
        found[QUEUE] = lambda: (queue.solve(source), NONE)
    warps = {"balance": "dynamic-virtual-warps"}
    return found | {
        SWEEP: partial(refined, balance="multi-phase"),
        BUCKETING: lambda: (bucketing.solve(source)[0], NONE),
        NEAR_FAR_AS_SAID: partial(of_library, near_far, delta=float(delta)),
        NEAR_FAR: partial(of_library, near_far),
        H_BF: partial(refined, edge_classes=True, **warps),
        WITHOUT_CLASSES: partial(refined, **warps),
        REFINED: refined,
        WITH_CLASSES: partial(refined, edge_classes=True),
    }


def rows(device: reedsp.Device, name: str, make: Callable[[], reedsp.Graph], repeats: int) -> Iterator[Row]:
    graph = make()
    degrees = np.diff(graph.indptr)
    source = int(np.argmax(degrees)) if graph.m / graph.n > 4 else 0
    expected = scipy.sparse.csgraph.dijkstra(graph.to_scipy(), indices=source)
    classes = edge_classes(graph)
    share = {which: round(float(np.mean(classes & each > 0)), 3) for which, each in (("sole", SOLE), ("leaf", LEAF))}
    size = {"n": graph.n, "m": graph.m, "max_degree": degrees.max(), **share, "delta": delta_of(graph), "seed": SEED}

    def check(technique: str, answer: Answer) -> None:
        dist, none = answer
        if not np.array_equal(np.where(dist == none, np.inf, dist), expected):
            raise WrongAnswerError(f"{technique}: wrong distances")

    found = techniques(graph, device, source)
    tasks = [(solve, partial(check, technique)) for technique, solve in found.items()]
    for technique, times in zip(found, measure_in_turn(tasks, repeats), strict=True):
        yield {"graph": name, **size, "technique": technique, **times}


def cases(setting: Setting) -> list[Case]:
    repeats = 1 if setting.quick else 3 if setting.device.kind == "cpu" else 5
    return [(name, partial(rows, setting.device, name, make, repeats)) for name, make in graphs(setting).items()]


def plot(rows: list[dict[str, str]]) -> Figure:
    """Draw the time of each technique on each graph."""
    figure, [axes] = panels(width=7.8, height=4.4)
    names = list(dict.fromkeys(row["graph"] for row in rows))
    times = {(row["graph"], row["technique"]): float(row["min_ms"]) for row in rows}
    found = list(dict.fromkeys(technique for _, technique in times))
    series: dict[str, list[float | None]] = {name: [times.get((name, each)) for each in found] for name in names}
    dots(axes, found, series, "milliseconds, least", f"Distances from one source: {device_of(rows)}")
    return figure


EXPERIMENT = Experiment("Techniques for paths from one source (Busato and Bombieri, figure 7)", cases, plot)
