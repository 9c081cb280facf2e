"""What predecessors add to the time of shortest paths between all pairs.

Whole calls of apsp, the graph being on the host. Every predecessor is checked: the edge from it closes the distance.
Some rows of the distances are compared with SciPy's Dijkstra.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import scipy.sparse.csgraph
from matplotlib.figure import Figure

import reedsp
from experiments.experiment import Case, Experiment, Row, Setting, WrongAnswerError
from experiments.measure import measure_in_turn
from experiments.plotting import bars, device_of, finish, panels

SEED = 2012
LARGEST_WEIGHT = 400
EDGES_PER_VERTEX = 8
CHECKED_ROWS = 3
TOLERANCE = 1e-12  # of fractional distances


def dense_whole(n: int, rng: np.random.Generator) -> reedsp.Graph:
    return reedsp.Graph.from_dense(rng.integers(1, LARGEST_WEIGHT + 1, (n, n)))


def dense_fractions(n: int, rng: np.random.Generator) -> reedsp.Graph:
    return reedsp.Graph.from_dense(rng.random((n, n)))


def sparse_whole(n: int, rng: np.random.Generator) -> reedsp.Graph:
    m = EDGES_PER_VERTEX * n
    weights = rng.integers(1, LARGEST_WEIGHT + 1, m)
    return reedsp.Graph.from_edges(n, rng.integers(0, n, m), rng.integers(0, n, m), weights)


def grid(n: int, rng: np.random.Generator) -> reedsp.Graph:
    side = int(n**0.5)
    number = np.arange(side * side).reshape(side, side)
    sources = np.append(number[:, :-1], number[:-1].ravel())
    targets = np.append(number[:, 1:], number[1:].ravel())
    weights = rng.integers(1, LARGEST_WEIGHT + 1, len(sources))
    return reedsp.Graph.from_edges(side * side, sources, targets, weights, directed=False)


GRAPHS: tuple[Callable[[int, np.random.Generator], reedsp.Graph], ...] = (
    *(dense_whole, dense_fractions),
    *(sparse_whole, grid),
)


def check(paths: reedsp.AllPairs, weights: np.ndarray, chosen: np.ndarray, expected: np.ndarray) -> None:
    """Stop unless some rows are right, and the edges from the predecessors close the distances."""
    if not np.allclose(paths.dist[chosen], expected, rtol=0, atol=TOLERANCE):
        raise WrongAnswerError("wrong distances")
    if paths.pred is None:
        return
    for dist, pred in zip(paths.dist, paths.pred, strict=True):
        ends = np.flatnonzero(pred >= 0)
        closed = dist[pred[ends]] + weights[pred[ends], ends]
        if len(ends) != np.count_nonzero(np.isfinite(dist)) - 1 or (np.abs(closed - dist[ends]) > TOLERANCE).any():
            raise WrongAnswerError("a wrong predecessor")


def rows(
    device: reedsp.Device, n: int, make: Callable[[int, np.random.Generator], reedsp.Graph], repeats: int
) -> Iterator[Row]:
    rng = np.random.default_rng(SEED)
    graph = make(n, rng)
    edges = graph.to_scipy()
    chosen = rng.choice(graph.n, CHECKED_ROWS, replace=False)
    right = {
        "weights": edges.toarray(),
        "chosen": chosen,
        "expected": scipy.sparse.csgraph.dijkstra(edges, indices=chosen),
    }
    solves = [
        (partial(reedsp.apsp, graph, predecessors=wanted, device=device), partial(check, **right))
        for wanted in (False, True)
    ]
    without, times = measure_in_turn(solves, repeats)
    yield {
        "graph": make.__name__.replace("_", ", "),
        "n": graph.n,
        "m": graph.m,
        "seed": SEED,
        **times,
        "min_ms_without": without["min_ms"],
        "ratio": round(times["min_ms"] / without["min_ms"], 3),
    }


def cases(setting: Setting) -> list[Case]:
    sizes, repeats = ([256], 1) if setting.quick else ([2048, 4096], 7)
    return [
        (f"n = {n}, {make.__name__}", partial(rows, setting.device, n, make, repeats)) for n in sizes for make in GRAPHS
    ]


def plot(rows: list[dict[str, str]]) -> Figure:
    """Draw the time without and with predecessors for each graph."""
    figure, [axes] = panels(width=7)
    times = {
        "distances": [float(row["min_ms_without"]) for row in rows],
        "distances and predecessors": [float(row["min_ms"]) for row in rows],
    }
    names = [f"{row['graph']}, n = {row['n']}".replace(", ", "\n") for row in rows]
    bars(axes, names, times, "")
    for place, row in enumerate(rows):
        axes.annotate(
            f"{float(row['ratio']):.2f}",
            (place, max(float(row["min_ms"]), float(row["min_ms_without"]))),
            (0, 2),
            textcoords="offset points",
            ha="center",
            fontsize=7,
        )
    axes.set_xticks(range(len(names)), names, rotation=0, ha="center")
    finish(axes, "", "ms, whole call", f"What predecessors add (ratio): {device_of(rows)}", "y")
    return figure


EXPERIMENT = Experiment("Predecessors: what they add to all pairs (thesis 5.2.2)", cases, plot)
