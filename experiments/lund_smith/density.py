"""Does the time depend on how many edges there are, or on their weights? Lund and Smith say that it does not.

Their staged kernel (section 4), and our blocked one, on random graphs of one number of vertices: from two edges a
vertex to a complete graph, with few weights, many, and a single one, so that all paths of as many edges tie. Each timed
call begins with the edges, not with the paths that the call before has found. Rows of the answers are compared with
Bellman-Ford in numpy.

`bytes_allocated` is what a call allocates on the device, the matrix included: how many matrices are needed
(thesis 6.1.1).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
from matplotlib.figure import Figure

import reedsp
from experiments.lib.experiment import Case, Experiment, Row, Setting, WrongAnswerError
from experiments.lib.plotting import device_of, dots, panels
from experiments.lund_smith.floyd_warshall import KINDS, LADDER_KIND, Check, close, distances, in_turn
from reedsp.algorithms.all_pairs.floyd_warshall import FloydWarshall
from reedsp.device.job import Job

SEED = 2010
METHODS = ["staged-load", "blocked"]
COMPLETE = "complete"
DENSITIES = ("2", "8", "64", COMPLETE)  # edges of a vertex, on average
LARGEST_WEIGHTS = {"1 to 10": 10, "1 to 10^6": 10**6, "all 1": 1}
CHECKED_ROWS = 3
REPEATS = {"gpu": 9, "cpu": 40}  # of a busy CPU many, until the least time is one without disturbance


def random_matrix(n: int, edges: str, largest: int) -> np.ndarray:
    """Return the edges of a random graph: so many from each vertex on average, or all."""
    rng = np.random.default_rng(SEED)
    matrix = rng.integers(1, largest + 1, (n, n)).astype(KINDS[LADDER_KIND].dtype)
    if edges != COMPLETE:
        matrix[rng.random((n, n)) >= int(edges) / n] = np.inf
    np.fill_diagonal(matrix, 0)
    return matrix


def allocated(device: reedsp.Device, matrix: np.ndarray, method: str) -> int:
    """Return the bytes that one call allocates on the device."""
    job, weights = Job(device), KINDS[LADDER_KIND]
    close(job, weights, job.upload(matrix), len(matrix), method, FloydWarshall(job, weights))
    return job.bytes_allocated


def checked(matrix: np.ndarray) -> Check:
    """Return what compares some rows of the distances."""
    chosen = np.random.default_rng(SEED).choice(len(matrix), CHECKED_ROWS, replace=False)
    expected = np.array([distances(matrix, source) for source in chosen])

    def check(dist: np.ndarray) -> None:
        if not np.array_equal(dist[chosen], expected):
            raise WrongAnswerError("wrong distances")

    return check


def rows(device: reedsp.Device, n: int, repeats: int) -> Iterator[Row]:
    """Yield all rows: the graphs take turns, so that what slows the machine down slows all of them down."""
    graphs = {
        (edges, weights): random_matrix(n, edges, largest)
        for edges in DENSITIES
        for weights, largest in LARGEST_WEIGHTS.items()
    }
    checks = {graph: checked(matrix) for graph, matrix in graphs.items()}
    chosen = [(graph, method) for graph in graphs for method in METHODS]
    tasks = [(graphs[graph], method, checks[graph]) for graph, method in chosen]
    found = in_turn(device, KINDS[LADDER_KIND], tasks, repeats)
    for ((edges, weights), method), times in zip(chosen, found, strict=True):
        matrix = graphs[edges, weights]
        yield {
            "method": method,
            "n": n,
            "m": int(np.isfinite(matrix).sum()) - n,
            "edges_per_vertex": edges,
            "weights": weights,
            "kind": LADDER_KIND,
            "seed": SEED,
            **times,
            "bytes_of_matrix": matrix.nbytes,
            "bytes_allocated": allocated(device, matrix, method),
        }


def cases(setting: Setting) -> list[Case]:
    kind = setting.device.kind
    n, repeats = (4096 if kind == "gpu" else 512), REPEATS[kind]
    if setting.quick:
        n, repeats = 128, 1
    return [(f"n = {n}", partial(rows, setting.device, n, repeats))]


def plot(rows: list[dict[str, str]]) -> Figure:
    """Draw the time on each graph."""
    figure, [axes] = panels(width=6.6)
    graphs = list(dict.fromkeys((row["edges_per_vertex"], row["weights"]) for row in rows))
    found = {(row["method"], row["edges_per_vertex"], row["weights"]): float(row["min_ms"]) for row in rows}
    series: dict[str, list[float | None]] = {
        method: [found[method, edges, weights] for edges, weights in graphs] for method in METHODS
    }
    title = f"Floyd-Warshall, float32, n = {int(rows[0]['n']):,}: {device_of(rows)}"
    dots(axes, [f"{edges}, {weights}" for edges, weights in graphs], series, "milliseconds", title)
    axes.set_xscale("linear")
    axes.set_xlim(left=0)
    axes.set_ylabel("edges a vertex, weights")
    return figure


EXPERIMENT = Experiment("Floyd-Warshall: do density and weights matter? (Lund and Smith, section 1)", cases, plot)
