"""What predecessors add to the time of shortest paths between all pairs.

Whole calls of apsp, the graph being on the host, and "on the device": from a matrix of edges there to one of
distances, and one of predecessors, there. Every predecessor is checked: the edge from it closes the distance. Some rows
of the distances are compared with SciPy's Dijkstra.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pyopencl as cl
import scipy.sparse.csgraph
from matplotlib.figure import Figure

import reedsp
from experiments.lib.experiment import Case, Experiment, Row, Setting, WrongAnswerError
from experiments.lib.measure import measure_in_turn
from experiments.lib.plotting import bars, device_of, finish, panels
from reedsp.algorithms.all_pairs.answers import Answers
from reedsp.algorithms.all_pairs.device_matrix import DeviceMatrix
from reedsp.algorithms.all_pairs.floyd_warshall import FloydWarshall
from reedsp.algorithms.all_pairs.trees import find_tight_edges, shortest_path_trees
from reedsp.arithmetic.matrix import matrix_weights
from reedsp.arithmetic.paths import choose_arithmetic
from reedsp.device.job import Job

SEED = 2012
METHOD = "floyd-warshall"
LARGE = 8192  # vertices
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


class OnDevice:
    """Floyd-Warshall, and the predecessors, of a graph whose edges the device has."""

    def __init__(self, graph: reedsp.Graph, device: reedsp.Device) -> None:
        self.graph = graph
        weights = matrix_weights(graph, choose_arithmetic(graph, np.dtype(np.float64)))
        if weights is None:
            raise TypeError("path weights that no type of a device adds up")
        self.job = Job(device)
        self.matrix = DeviceMatrix(self.job, weights, graph, keep_edges=True)
        self.size = self.matrix.side * self.matrix.row_bytes
        self.edges: cl.Buffer = self.job.allocate(self.size, np.uint8)
        self.job.copy(self.edges, 0, self.matrix.dist.buffer, 0, self.size)
        self.floyd_warshall = FloydWarshall(self.job, weights)

    def solve(self, predecessors: bool) -> cl.Buffer | None:
        """Find distances, in the matrix, and predecessors."""
        job, matrix, n = self.job, self.matrix, self.graph.n
        job.copy(matrix.dist.buffer, 0, self.edges, 0, self.size)
        self.floyd_warshall.solve(matrix.dist, matrix.side)
        pred = None
        if predecessors:
            tight = find_tight_edges(matrix)
            pred, _ = shortest_path_trees(matrix, tight, matrix.dist, 0, (n, n), zero_progress_only=False)
        job.finish()
        return pred

    def check(self, pred: cl.Buffer | None, right: Right) -> None:
        """Compare with what is right."""
        n = self.graph.n
        dist, found = np.empty((n, n)), None
        Answers(self.matrix, np.dtype(np.float64)).to_memory(dist, None)
        if pred is not None:
            found = self.job.download(pred, n * n, np.int32).reshape(n, n)
        right.check(dist, found)


class Right:
    """What answers are compared with."""

    def __init__(self, graph: reedsp.Graph, rng: np.random.Generator) -> None:
        edges = graph.to_scipy()
        self.weights = edges.toarray()
        self.chosen = rng.choice(graph.n, CHECKED_ROWS, replace=False)
        self.expected = scipy.sparse.csgraph.dijkstra(edges, indices=self.chosen)

    def check(self, dist: np.ndarray, pred: np.ndarray | None) -> None:
        """Stop unless some rows are right, and the edges from the predecessors close the distances."""
        if not np.allclose(dist[self.chosen], self.expected, rtol=0, atol=TOLERANCE):
            raise WrongAnswerError("wrong distances")
        if pred is None:
            return
        for row, before in zip(dist, pred, strict=True):
            ends = np.flatnonzero(before >= 0)
            closed = row[before[ends]] + self.weights[before[ends], ends]
            if len(ends) != np.count_nonzero(np.isfinite(row)) - 1 or (np.abs(closed - row[ends]) > TOLERANCE).any():
                raise WrongAnswerError("a wrong predecessor")

    def check_paths(self, paths: reedsp.AllPairs) -> None:
        """Compare the answers of a whole call."""
        self.check(paths.dist, paths.pred)


def rows(
    device: reedsp.Device, n: int, make: Callable[[int, np.random.Generator], reedsp.Graph], repeats: int
) -> Iterator[Row]:
    rng = np.random.default_rng(SEED)
    graph = make(n, rng)
    right, there = Right(graph, rng), OnDevice(graph, device)
    measured: dict[str, list[tuple[Callable[[], Any], Callable[[Any], None]]]] = {
        "whole call": [
            (partial(reedsp.apsp, graph, METHOD, wanted, device=device), right.check_paths) for wanted in (False, True)
        ],
        "on the device": [
            (partial(there.solve, wanted), partial(there.check, right=right)) for wanted in (False, True)
        ],
    }
    for what, solves in measured.items():
        without, times = measure_in_turn(solves, repeats)
        yield {
            "graph": make.__name__.replace("_", ", "),
            "n": graph.n,
            "m": graph.m,
            "what": what,
            "seed": SEED,
            **times,
            "min_ms_without": without["min_ms"],
            "ratio": round(times["min_ms"] / without["min_ms"], 3),
        }


def cases(setting: Setting) -> list[Case]:
    sizes, repeats = ([256], 1) if setting.quick else ([2048, 4096], 7)
    graphs = [(n, make) for n in sizes for make in GRAPHS]
    if not setting.quick and setting.device.kind != "cpu":
        graphs += [(LARGE, make) for make in (sparse_whole, grid)]
    return [(f"n = {n}, {make.__name__}", partial(rows, setting.device, n, make, repeats)) for n, make in graphs]


def plot(rows: list[dict[str, str]]) -> Figure:
    """Draw the time of whole calls without and with predecessors for each graph."""
    rows = [row for row in rows if row["what"] == "whole call"]
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
