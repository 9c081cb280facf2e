"""Floyd-Warshall: table 1 and figure 7 of Lund and Smith, and our blocked one.

The matrix is on the device already, and is there anew before each timed call: what is timed is never a matrix that is
closed already. Rows of the answer are compared with Bellman-Ford in numpy. The paper's CPU column is SciPy's
floyd_warshall here, a plain triple loop on one core; it is left out for large graphs.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse.csgraph
from matplotlib.figure import Figure

import reedsp
from experiments.lib.experiment import Case, Experiment, Row, Setting, WrongAnswerError
from experiments.lib.measure import measure_in_turn
from experiments.lib.plotting import LINES, PUBLISHED, device_of, finish, line, panels
from experiments.report.published import LUND_SMITH_DEVICE, LUND_SMITH_METHODS, LUND_SMITH_SECONDS
from reedsp.algorithms.all_pairs import lund_smith
from reedsp.algorithms.all_pairs.floyd_warshall import FloydWarshall
from reedsp.arithmetic.matrix import INTEGERS, Weights
from reedsp.device.job import Job
from reedsp.minplus.matrix import Block

SEED = 2010
LARGEST_WEIGHT = 400
CHECKED_ROWS = 3
LARGEST_ON_HOST = 2048  # vertices
LARGEST_LADDER_ON_CPU = 2048
WARM_UP = 1  # calls before each timed one on a GPU, which lowers its clock while answers are checked
HOST = "cpu"
KINDS = {
    "int32": INTEGERS[1],
    "float32": Weights(np.dtype(np.float32), np.inf, np.inf),
    "float32, none negative": Weights(np.dtype(np.float32), np.inf, np.inf, non_negative=True),
    "uint16": INTEGERS[0],
    "float64": Weights(np.dtype(np.float64), np.inf, np.inf),
}
LADDER_KIND = "float32"  # the paper: single precision


def random_weights(n: int) -> np.ndarray:
    """Return a complete graph with whole weights."""
    matrix = np.random.default_rng(SEED).integers(1, LARGEST_WEIGHT + 1, (n, n))
    np.fill_diagonal(matrix, 0)
    return matrix


def distances(matrix: np.ndarray, source: int) -> np.ndarray:
    """Return the distances from one vertex, by Bellman-Ford."""
    dist = matrix[source]
    while True:
        shorter = np.minimum(dist, (dist[:, None] + matrix).min(axis=0))
        if np.array_equal(shorter, dist):
            return dist
        dist = shorter


@functools.lru_cache(maxsize=1)
def problem(n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return a matrix, some rows to check, and what these have to be."""
    matrix = random_weights(n)
    chosen = np.random.default_rng(n).choice(n, CHECKED_ROWS, replace=False)
    return matrix, chosen, np.array([distances(matrix, source) for source in chosen])


def check_rows(dist: np.ndarray) -> None:
    """Compare some rows of the distances."""
    _, chosen, expected = problem(len(dist))
    if not np.array_equal(dist[chosen], expected):
        raise WrongAnswerError("wrong distances")


def close(job: Job, weights: Weights, buffer: Any, n: int, method: str, blocked: FloydWarshall) -> Any:
    """Wait for all paths."""
    if method == "blocked":
        blocked.solve(Block(buffer, n), n)
    else:
        lund_smith.solve(job, weights, buffer, n, method)
    job.finish()
    return buffer


Check = Callable[[np.ndarray], None]


def in_turn(
    device: reedsp.Device, weights: Weights, tasks: list[tuple[np.ndarray, str, Check]], repeats: int
) -> list[dict[str, float]]:
    """Return the times of matrices and methods, which take turns; each timed call is given its matrix as at first."""
    job, warm_up = Job(device), WARM_UP if device.kind == "gpu" else 0
    blocked = FloydWarshall(job, weights)

    def task(matrix: np.ndarray, method: str, check: Check) -> tuple[Callable[[], Any], Callable[[Any], None]]:
        n, original = len(matrix), job.upload(matrix)
        # The timed calls have the first one; the others are for calls that warm up, and nobody restores them.
        buffers = itertools.cycle([job.upload(matrix) for _ in range(1 + warm_up)])

        def check_and_restore(buffer: Any) -> None:
            check(job.download(buffer, n * n, weights.dtype).reshape(n, n))
            job.copy(buffer, 0, original, 0, matrix.nbytes)
            job.finish()

        return lambda: close(job, weights, next(buffers), n, method, blocked), check_and_restore

    return measure_in_turn([task(*each) for each in tasks], repeats, warm_up)


def measured(device: reedsp.Device, n: int, kind: str, methods: list[str], repeats: int) -> list[dict[str, float]]:
    """Return the times of some methods on a complete graph."""
    weights = KINDS[kind]
    matrix = problem(n)[0].astype(weights.dtype)
    return in_turn(device, weights, [(matrix, method, check_rows) for method in methods], repeats)


def row_of(method: str, n: int, kind: str, times: dict[str, float]) -> Row:
    rate = round(n**3 / times["min_ms"] / 1e6, 2)
    return {"method": method, "n": n, "kind": kind, "seed": SEED, **times, "gigatasks_per_second": rate}


def rows(device: reedsp.Device, n: int, kind: str, repeats: int) -> Iterator[Row]:
    laddered = kind == LADDER_KIND and (device.kind == "gpu" or n <= LARGEST_LADDER_ON_CPU)
    methods = [*(lund_smith.LADDER if laddered else ()), "blocked"]
    for method, times in zip(methods, measured(device, n, kind, methods, repeats), strict=True):
        yield row_of(method, n, kind, times)


def rows_on_host(n: int) -> Iterator[Row]:
    """Yield the time of SciPy's floyd_warshall, which is called twice only."""
    solve = partial(scipy.sparse.csgraph.floyd_warshall, problem(n)[0].astype(np.float64))
    [times] = measure_in_turn([(solve, check_rows)], repeats=1)
    yield row_of(HOST, n, "float64", times)


def cases(setting: Setting) -> list[Case]:
    device = setting.device
    sizes = [1024, 2048, 4096, 8192, 16384] if device.kind == "gpu" else [1024, 2048, 4096]
    found: list[Case] = []
    for n in [128, 256] if setting.quick else sizes:
        if n <= LARGEST_ON_HOST:
            found.append((f"n = {n}, SciPy", partial(rows_on_host, n)))
        repeats = 1 if setting.quick or n > 8192 else 2
        found += [(f"n = {n}, {kind}", partial(rows, device, n, kind, repeats)) for kind in KINDS]
    return found


def plot(rows: list[dict[str, str]]) -> Figure:
    """Draw the time against the vertices, as figure 7 of the paper, whose own figures are grey."""
    figure, [axes] = panels(width=6.6, height=4.8)
    for number, method in enumerate((*LUND_SMITH_METHODS, "blocked")):
        points = [
            (float(row["n"]), float(row["min_ms"]) / 1e3)
            for row in rows
            if row["method"] == method and row["kind"] == (LADDER_KIND if method != HOST else "float64")
        ]
        label = "SciPy, one core" if method == HOST else f"{method} (ours)" if method == "blocked" else method
        if points:
            line(axes, points, label, number)
        if published := list(LUND_SMITH_SECONDS.get(method, {}).items()):
            machine = "one core" if method == HOST else LUND_SMITH_DEVICE
            style = {**PUBLISHED, "marker": LINES[number]["marker"]}
            line(axes, published, f"{method}, paper, {machine}", number, **style)
    finish(axes, "vertices", "seconds", f"Floyd-Warshall, float32: {device_of(rows)}")
    axes.legend(fontsize=7, frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
    return figure


EXPERIMENT = Experiment(
    "Floyd-Warshall: five implementations and ours (Lund and Smith, table 1, figure 7)", cases, plot
)
