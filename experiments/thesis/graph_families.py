"""Every single-source method on every family of graphs: the comparison that thesis section 6.2 leaves unfinished.

Output Parallel and Input Parallel Bellman-Ford relax all m edges in each round. The refined method relaxes the edges
that leave a vertex updated in the round before, which surveys call a frontier; near-far those of near vertices first.
SciPy's methods are sequential; its Bellman-Ford does all |V| - 1 rounds, and is left out where that takes long.

`relaxations` counts edge relaxations: rounds times m where all edges are relaxed, the edges that leave reached
vertices for Dijkstra, and for the refined method what its rounds relax when they are repeated on the host, where they
also have to be as many. It is empty for near-far, which does not count them. All distances are compared with scipy's
Dijkstra; with negative weights, with those that the weights are made from.
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
from experiments.lib.measure import PATIENCE, measure_in_turn
from experiments.lib.plotting import device_of, dots, panels

SEED = 2012
ALL_EDGES = ("output-parallel", "input-parallel")
FRONTIER, NEAR_FAR = "input-parallel-refined", "near-far"
DIJKSTRA, BELLMAN_FORD = "scipy dijkstra", "scipy bellman_ford"
METHODS = (*ALL_EDGES, FRONTIER, NEAR_FAR, DIJKSTRA, BELLMAN_FORD)
AFFORDABLE = 2e9  # relaxations by SciPy's Bellman-Ford
REPEATS = 3

Distances = npt.NDArray[np.float64]
Instance = tuple[reedsp.Graph, int, Distances]


def plain(make: Callable[[], reedsp.Graph]) -> Instance:
    """Return a graph without negative weights, a vertex that most edges leave, and the distances from it."""
    graph = make()
    source = int(np.argmax(np.diff(graph.indptr)))
    return graph, source, scipy.sparse.csgraph.dijkstra(graph.to_scipy(), indices=source)


def negative(vertices: int, edges: int) -> Instance:
    """Return a graph with negative weights, and its distances from vertex 0."""
    graph, dist = inputs.negative_edges(vertices, edges, SEED)
    return graph, 0, dist


def families(setting: Setting) -> dict[str, Callable[[], Instance]]:
    """Return how to make each graph, with a source and its distances."""
    full = (18, 500, 1024) if setting.device.kind == "gpu" else (17, 300, 1024)
    scale, side, small = (10, 20, 64) if setting.quick else full
    n = 1 << scale
    made: dict[str, Callable[[], reedsp.Graph]] = {
        "in-degree 4": partial(inputs.random_in_degree, n, 4, SEED),
        "in-degree 32": partial(inputs.random_in_degree, n, 32, SEED),
        "skewed in-degree 8": partial(inputs.skewed_in_degree, n, 8, SEED),
        "R-MAT": partial(inputs.r_mat, scale, 16, SEED, directed=False),
        "grid": partial(inputs.grid, side, SEED),
        "path": partial(inputs.long_path, 8 * small, SEED),
        "complete": partial(inputs.complete, small, SEED),
    }
    if setting.data is not None and not setting.quick:
        made["USA-road-d.NY"] = partial(inputs.new_york, setting.data / "dimacs-ny")
    found: dict[str, Callable[[], Instance]] = {name: partial(plain, make) for name, make in made.items()}
    for name, size in (("negative edges, small", 8 * small), ("negative edges", n)):
        found[name] = partial(negative, size, 10 * size)
    return found


def frontier_relaxations(graph: reedsp.Graph, source: int) -> tuple[int, int, Distances]:
    """Run Bellman-Ford on the host, only along edges from vertices updated in the round before.

    Returns
    -------
    rounds : int
        The last one, which updates nothing, included.
    relaxations : int
    dist : ndarray
    """
    matrix = graph.to_scipy()
    dist = np.full(graph.n, np.inf)
    dist[source] = 0
    active = np.array([source])
    rounds = relaxations = 0
    while len(active):
        counts = np.diff(matrix.indptr)[active]
        edges = np.arange(counts.sum()) + np.repeat(matrix.indptr[active] - np.cumsum(counts) + counts, counts)
        targets, sums = matrix.indices[edges], np.repeat(dist[active], counts) + matrix.data[edges]
        before = dist.copy()
        np.minimum.at(dist, targets, sums)
        active = np.flatnonzero(dist < before)
        rounds += 1
        relaxations += len(edges)
    return rounds, relaxations, dist


def rows(device: reedsp.Device, name: str, make: Callable[[], Instance], repeats: int) -> Iterator[Row]:
    graph, source, expected = make()
    rounds: dict[str, int] = {}

    def check(method: str, dist: Distances) -> None:
        if not np.array_equal(dist, expected):
            raise WrongAnswerError(f"{method}: {np.count_nonzero(dist != expected)} wrong distances")

    def check_paths(method: str, paths: reedsp.ShortestPaths) -> None:
        check(method, paths.dist)
        rounds[method] = paths.rounds

    methods = [*ALL_EDGES, FRONTIER, *([] if graph.has_negative_weights else [NEAR_FAR])]
    ours = [
        (partial(reedsp.sssp, graph, source, method, device=device), partial(check_paths, method)) for method in methods
    ]
    times = dict(zip(methods, measure_in_turn(ours, repeats, warm_up=int(device.kind == "gpu")), strict=True))
    matrix = inputs.scipy_matrix(graph)
    sequential: dict[str, Callable[..., Any]] = {}
    if not graph.has_negative_weights:
        sequential[DIJKSTRA] = scipy.sparse.csgraph.dijkstra
    if graph.n * graph.m <= AFFORDABLE:
        sequential[BELLMAN_FORD] = scipy.sparse.csgraph.bellman_ford
        rounds[BELLMAN_FORD] = graph.n - 1
    theirs = [(partial(solve, matrix, indices=source), partial(check, method)) for method, solve in sequential.items()]
    times |= dict(zip(sequential, measure_in_turn(theirs, repeats, patience=PATIENCE), strict=True))

    of_frontier, active, dist = frontier_relaxations(graph, source)
    check("on the host", dist)
    if of_frontier != rounds[FRONTIER]:
        raise WrongAnswerError(f"{FRONTIER}: {rounds[FRONTIER]} rounds, expected {of_frontier}")
    reached = np.flatnonzero(np.isfinite(expected))
    relaxations: dict[str, Any] = {
        **{method: number * graph.m for method, number in rounds.items()},
        FRONTIER: active,
        NEAR_FAR: "",
        DIJKSTRA: int(np.diff(graph.indptr)[reached].sum()),
    }
    for method, each in times.items():
        yield {
            "graph": name,
            "n": graph.n,
            "m": graph.m,
            "mean_degree": round(graph.m / graph.n, 2),
            "method": method,
            "rounds": rounds.get(method, ""),
            "relaxations": relaxations[method],
            "seed": SEED,
            **each,
            "negative": graph.has_negative_weights,
        }


def cases(setting: Setting) -> list[Case]:
    repeats = 1 if setting.quick else REPEATS
    return [(name, partial(rows, setting.device, name, make, repeats)) for name, make in families(setting).items()]


def plot(rows: list[dict[str, str]]) -> Figure:
    """Draw the time of each method on each graph, and the relaxations that it needs of those of all edges."""
    figure, [times, shares] = panels(2, 7.8, 4.0, below=True)
    degrees = {row["graph"]: float(row["mean_degree"]) for row in rows}
    graphs = sorted(degrees, key=lambda graph: degrees[graph])
    labels = [f"{graph} ({degrees[graph]:g})" for graph in graphs]
    found = {(row["graph"], row["method"]): row for row in rows}

    def value(graph: str, method: str, column: str) -> float | None:
        text = found[graph, method][column] if (graph, method) in found else ""
        return float(text) if text else None

    milliseconds = {method: [value(graph, method, "min_ms") for graph in graphs] for method in METHODS}
    dots(times, labels, milliseconds, "milliseconds, whole call", f"Single-source methods: {device_of(rows)}")
    every = {graph: float(found[graph, ALL_EDGES[0]]["relaxations"]) for graph in graphs}
    percent: dict[str, list[float | None]] = {
        method: [
            100 * count / every[graph] if needed and (count := value(graph, method, "relaxations")) else None
            for graph in graphs
        ]
        for method in METHODS
        for needed in [method in (FRONTIER, DIJKSTRA)]
    }
    dots(shares, labels, percent, f"% of the relaxations of {ALL_EDGES[0]}", "Relaxations that are needed")
    for axes in (times, shares):
        axes.set_ylabel("graph (mean degree)")
    return figure


EXPERIMENT = Experiment("Every method on every family of graphs (thesis 6.2)", cases, plot)
