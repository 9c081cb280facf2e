"""Lazy minimum in Floyd-Warshall: what is gained where whole pieces of the matrix hold no path.

Harish, Vineet and Narayanan, of whom the survey tells (section 4.1), leave out the minimum where one of its operands is
infinite. Here a CPU device leaves out rows and columns of a span in which nothing else is (cl/minplus/panels.cl). The
same graph with its vertices in order and shuffled has as many infinite entries, but not in one piece. The matrix is
copied on the device within the time, because a solved one holds other paths. All distances are compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import numpy.typing as npt
import scipy.sparse.csgraph
from matplotlib.figure import Figure

import reedsp
from experiments.lib import inputs
from experiments.lib.experiment import Case, Experiment, Row, Setting, WrongAnswerError
from experiments.lib.measure import measure_in_turn
from experiments.lib.plotting import bars, device_of, panels
from experiments.lund_smith.floyd_warshall import KINDS
from reedsp.algorithms.all_pairs.floyd_warshall import FloydWarshall
from reedsp.device.job import Job
from reedsp.minplus.matrix import Block

SEED = 2012
DEGREE = 8
COMPONENTS = 8
MEASURED = ("int32", "float64")
ORDERS = ("in order", "shuffled")


def components(n: int) -> reedsp.Graph:
    """Return a graph of random components, whose vertices have consecutive numbers."""
    rng = np.random.default_rng(SEED)
    size = n // COMPONENTS
    sources = np.repeat(np.arange(n), DEGREE)
    targets = sources // size * size + rng.integers(0, size, n * DEGREE)
    return reedsp.Graph.from_edges(n, sources, targets, rng.integers(1, 1001, n * DEGREE))


def acyclic(n: int) -> reedsp.Graph:
    """Return a random graph all of whose edges lead to higher numbers."""
    rng = np.random.default_rng(SEED)
    lower, higher = np.sort(rng.integers(0, n, (2, n * DEGREE)), axis=0)
    return reedsp.Graph.from_edges(n, lower, higher, rng.integers(1, 1001, n * DEGREE))


def graphs(n: int) -> dict[str, Callable[[], reedsp.Graph]]:
    """Return how to make each graph, by its name; the grid has as many vertices as there is room for."""
    return {
        "components": partial(components, n),
        "acyclic": partial(acyclic, n),
        "grid": partial(inputs.grid, int(n**0.5), SEED),
        "random": partial(inputs.random_in_degree, n, DEGREE, SEED),
        "complete": partial(inputs.complete, n, SEED),
    }


class Problem:
    """A matrix of edges on a device, with its vertices in some order, to be solved again and again."""

    def __init__(self, job: Job, kind: str, edges: npt.NDArray[np.float64], order: npt.NDArray[np.intp]) -> None:
        self._job, self._n, self._order = job, len(edges), order
        weights = KINDS[kind]
        ordered = edges[np.ix_(order, order)]
        matrix = np.where(np.isinf(ordered), weights.no_path, ordered).astype(weights.dtype)
        self._dtype, self._no_path = weights.dtype, weights.no_path
        self._edges, self._matrix = job.upload(matrix), job.allocate(self._n**2, weights.dtype)
        self._algorithm = FloydWarshall(job, weights)

    def solve(self) -> None:
        """Wait for all paths."""
        self._job.copy(self._matrix, 0, self._edges, 0, self._n**2 * self._dtype.itemsize)
        self._algorithm.solve(Block(self._matrix, self._n), self._n)
        self._job.finish()

    def check(self, expected: npt.NDArray[np.float64], _: None) -> None:
        """Raise unless all distances are right."""
        found = self._job.download(self._matrix, self._n**2, self._dtype).reshape(self._n, self._n)
        dist = np.empty((self._n, self._n))
        dist[np.ix_(self._order, self._order)] = np.where(found == self._no_path, np.inf, found)
        if not np.array_equal(dist, expected):
            raise WrongAnswerError("wrong distances")


def padded(graph: reedsp.Graph, n: int) -> npt.NDArray[np.float64]:
    """Return the matrix of a graph, with vertices without edges at the end."""
    edges = np.full((n, n), np.inf)
    sources = np.repeat(np.arange(graph.n), np.diff(graph.indptr))
    np.minimum.at(edges, (sources, graph.indices), graph.weights)
    np.fill_diagonal(edges, 0)
    return edges


def rows(device: reedsp.Device, n: int, name: str, make: Callable[[], reedsp.Graph], repeats: int) -> Iterator[Row]:
    graph = make()
    edges = padded(graph, n)
    expected = np.full((n, n), np.inf)
    expected[: graph.n, : graph.n] = scipy.sparse.csgraph.dijkstra(graph.to_scipy())
    np.fill_diagonal(expected, 0)
    orders = (np.arange(n), np.random.default_rng(SEED).permutation(n))
    for kind in MEASURED:
        problems = [Problem(Job(device), kind, edges, order) for order in orders]
        tasks = [(each.solve, partial(each.check, expected)) for each in problems]
        for order, times in zip(ORDERS, measure_in_turn(tasks, repeats), strict=True):
            yield {"graph": name, "n": n, "m": graph.m, "kind": kind, "order": order, "seed": SEED, **times}


def cases(setting: Setting) -> list[Case]:
    n = 128 if setting.quick else 2048 if setting.device.kind == "cpu" else 8192
    repeats = 1 if setting.quick else 5
    return [(name, partial(rows, setting.device, n, name, make, repeats)) for name, make in graphs(n).items()]


def plot(rows: list[dict[str, str]]) -> Figure:
    """Draw the time of each graph with its vertices in order and shuffled, one panel for each type of weights."""
    kinds = list(dict.fromkeys(row["kind"] for row in rows))
    figure, panes = panels(len(kinds), width=6.6, height=3.0, below=True)
    names = list(dict.fromkeys(row["graph"] for row in rows))
    for axes, kind in zip(panes, kinds, strict=True):
        times = {(row["graph"], row["order"]): float(row["min_ms"]) for row in rows if row["kind"] == kind}
        bars(axes, names, {order: [times[name, order] for name in names] for order in ORDERS}, "milliseconds, least")
        axes.set_title(f"{kind}, n = {rows[0]['n']}: {device_of(rows)}", fontsize=10)
        axes.margins(y=0.2)
        axes.legend(fontsize=8, frameon=False, ncols=2, loc="upper center")
    return figure


EXPERIMENT = Experiment(
    "Lazy minimum in Floyd-Warshall: vertices in order and shuffled (Busato and Bombieri, section 4.1)", cases, plot
)
