"""Blocked Floyd-Warshall of a sparse graph of as many vertices as one buffer of a large GPU holds.

Rows of the answer are compared with SciPy's Dijkstra. The matrix stays on the device, and is closed once: a smaller one
before it builds the kernels, since closing it again would be to close another matrix.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
import scipy.sparse.csgraph
from matplotlib.figure import Figure

import reedsp
from experiments.lib.experiment import Case, Experiment, Row, Setting, WrongAnswerError
from experiments.lib.measure import measure
from experiments.lib.plotting import LINES, PUBLISHED, device_of, finish, line, panels
from experiments.report.published import LUND_SMITH_DEVICE, LUND_SMITH_METHODS, LUND_SMITH_SECONDS
from reedsp.algorithms.all_pairs.device_matrix import DeviceMatrix
from reedsp.algorithms.all_pairs.floyd_warshall import FloydWarshall
from reedsp.arithmetic.matrix import INTEGERS
from reedsp.device.job import Job

SEED = 2012
VERTICES = 92_000
EDGES_PER_VERTEX = 8
LARGEST_WEIGHT = 400
CHECKED_ROWS = 4
VERTICES_BEFORE = 1024  # enough for every kernel
WEIGHTS = INTEGERS[1]


def random_graph(n: int, rng: np.random.Generator) -> reedsp.Graph:
    m = EDGES_PER_VERTEX * n
    return reedsp.Graph.from_edges(
        n, rng.integers(0, n, m), rng.integers(0, n, m), rng.integers(1, LARGEST_WEIGHT + 1, m)
    )


def rows(device: reedsp.Device, n: int) -> Iterator[Row]:
    rng = np.random.default_rng(SEED)
    graph = random_graph(n, rng)
    chosen = rng.choice(n, CHECKED_ROWS, replace=False)
    expected = scipy.sparse.csgraph.dijkstra(graph.to_scipy(), indices=chosen)
    job = Job(device)
    algorithm = FloydWarshall(job, WEIGHTS)

    def solve(matrix: DeviceMatrix) -> DeviceMatrix:
        algorithm.solve(matrix.dist, matrix.side)
        job.finish()
        return matrix

    def check(matrix: DeviceMatrix) -> None:
        for row, right in zip(chosen, expected, strict=True):
            found = job.download_rows(matrix.dist.buffer, int(row) * matrix.side, (1, matrix.side), WEIGHTS.dtype)
            if not np.array_equal(np.where(found[0, :n] == WEIGHTS.no_path, np.inf, found[0, :n]), right):
                raise WrongAnswerError(f"wrong distances from vertex {row}")

    solve(DeviceMatrix(job, WEIGHTS, random_graph(VERTICES_BEFORE, rng)))
    matrix = DeviceMatrix(job, WEIGHTS, graph)
    _, times = measure(partial(solve, matrix), check, repeats=0)
    yield {
        "n": n,
        "m": graph.m,
        "kind": str(WEIGHTS.dtype),
        "bytes": matrix.side**2 * WEIGHTS.dtype.itemsize,
        "seed": SEED,
        **times,
        "gigatasks_per_second": round(n**3 / times["min_ms"] / 1e6, 2),
    }


def cases(setting: Setting) -> list[Case]:
    n = 512 if setting.quick else VERTICES
    return [(f"n = {n}", partial(rows, setting.device, n))]


def plot(rows: list[dict[str, str]]) -> Figure:
    """Draw tasks per second against vertices, beside those of Lund and Smith."""
    figure, [axes] = panels()
    points = [(float(row["n"]), float(row["gigatasks_per_second"])) for row in rows]
    line(axes, points, "blocked (ours), int32", len(LUND_SMITH_METHODS), markersize=9)
    for number, method in enumerate(LUND_SMITH_METHODS[1:], 1):
        published = [(n, n**3 / seconds / 1e9) for n, seconds in LUND_SMITH_SECONDS[method].items()]
        style = {**PUBLISHED, "marker": LINES[number]["marker"]}
        line(axes, published, f"{method}, paper, {LUND_SMITH_DEVICE}", number, **style)
    finish(axes, "vertices", "10$^9$ tasks per second", f"All pairs in one buffer: {device_of(rows)}")
    axes.set_ylim(top=30 * axes.get_ylim()[1])
    axes.legend(fontsize=7, frameon=False, loc="upper left")
    return figure


def impossible(setting: Setting) -> str:
    """Return why the device cannot do it."""
    fits = setting.quick or DeviceMatrix.fits(setting.device, WEIGHTS, VERTICES)
    return "" if fits else f"the matrix of {VERTICES:,} vertices does not fit into one buffer of the device"


EXPERIMENT = Experiment("The most vertices whose matrix one buffer holds", cases, plot, impossible)
