"""All pairs by repeated squaring: figure 6.1 of the thesis, with both of its random matrices (section 6.1.1).

"apsp" is the whole call, the graph being on the host; it stops when a squaring shortens no path. "every squaring" is
what the thesis measures: all ceil(log2(n - 1)) products of float32 matrices on the device, queued one after another,
with the kernel of Algorithm 5 ("tiles") and with the fast one ("auto"). Some rows of every answer are compared with
Bellman-Ford in numpy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pyopencl as cl
from matplotlib.figure import Figure

import reedsp
from experiments.lib.experiment import Case, Experiment, Row, Setting, WrongAnswerError
from experiments.lib.inputs import complete_matrix, quarter_matrix
from experiments.lib.measure import measure, measure_in_turn
from experiments.lib.plotting import PUBLISHED, device_of, finish, line, panels
from experiments.lund_smith.floyd_warshall import distances
from experiments.report.published import THESIS_TOO_LARGE
from reedsp.arithmetic.matrix import Weights, to_device
from reedsp.device.job import Job
from reedsp.minplus import product as minplus_product

SEED = 2012
CHECKED_ROWS = 4
WARM_UP = 1  # calls before each timed one on a GPU, which lowers its clock while answers are checked
LARGEST_OF_TILES = 4096
WEIGHTS = Weights(np.dtype(np.float32), np.inf, np.inf, non_negative=True)
GENERATORS: dict[str, Callable[[int, int], np.ndarray]] = {"complete": complete_matrix, "n/4 edges": quarter_matrix}
WHOLE, EVERY = "apsp", "every squaring"
LABELS = {
    (EVERY, "tiles"): "every squaring, Algorithm 5",
    (EVERY, "auto"): "every squaring, fast product",
    (WHOLE, "auto"): "apsp, until nothing is shorter",
}


def squarings(job: Job, first: cl.Buffer, others: list[cl.Buffer], side: int, count: int, method: str) -> cl.Buffer:
    """Wait for a power of a matrix, which is in one of two other buffers then."""
    matrix = first
    for number in range(count):
        product = others[number % 2]
        minplus_product.multiply(job, WEIGHTS, matrix, matrix, product, (side, side, side), method)
        matrix = product
    job.finish()
    return matrix


def rows(device: reedsp.Device, n: int, generator: str, repeats: int) -> Iterator[Row]:
    matrix = GENERATORS[generator](n, SEED)
    chosen = np.random.default_rng(SEED).choice(n, CHECKED_ROWS, replace=False)
    expected = np.array([distances(matrix, source) for source in chosen])

    def check_rows(dist: np.ndarray) -> None:
        if not np.array_equal(dist[chosen], expected):
            raise WrongAnswerError("wrong distances")

    def row(what: str, method: str, count: int, times: dict[str, float]) -> Row:
        key = {"n": n, "generator": generator, "what": what, "product": method, "products": count, "seed": SEED}
        return {**key, **times}

    graph = reedsp.Graph.from_dense(matrix, null_value=np.inf)
    done: list[int] = []

    def apsp() -> reedsp.AllPairs:
        done.clear()
        return reedsp.apsp(graph, "min-plus", device=device, progress=lambda edges, _: done.append(edges))

    _, times = measure(apsp, lambda paths: check_rows(paths.dist), repeats)
    yield row(WHOLE, "auto", len(done), times)
    job = Job(device)
    count = int(np.ceil(np.log2(n - 1)))
    for method in ("tiles", "auto") if n <= LARGEST_OF_TILES else ("auto",):
        side = minplus_product.padded_side(job, WEIGHTS, n, method)
        first = job.upload(to_device(matrix, (side, side), WEIGHTS))
        others = [job.allocate(side * side, WEIGHTS.dtype) for _ in range(2)]

        def check(power: Any, side: int = side) -> None:
            check_rows(job.download(power, side * side, WEIGHTS.dtype).reshape(side, side)[:, :n])

        solve = partial(squarings, job, first, others, side, count, method)
        [times] = measure_in_turn([(solve, check)], repeats, WARM_UP if device.kind == "gpu" else 0)
        yield row(EVERY, method, count, times)


def cases(setting: Setting) -> list[Case]:
    largest = 128 if setting.quick else 8192 if setting.device.kind == "gpu" else 1024
    sizes = [n for n in (64, 128, 256, 512, 1024, 2048, 4096, 8192) if n <= largest]
    repeats = 1 if setting.quick else 3
    return [
        (f"n = {n}, {generator}", partial(rows, setting.device, n, generator, repeats))
        for n in sizes
        for generator in GENERATORS
    ]


def plot(rows: list[dict[str, str]]) -> Figure:
    """Draw the time against the vertices, with both matrices."""
    figure, [axes] = panels(width=6.4, height=4.6)
    for number, (what, method) in enumerate(LABELS):
        for generator, filled in zip(GENERATORS, (True, False), strict=True):
            points = [
                (float(row["n"]), float(row["min_ms"]))
                for row in rows
                if (row["what"], row["product"], row["generator"]) == (what, method, generator)
            ]
            style: dict[str, Any] = {} if filled else {"markerfacecolor": "white", "markersize": 8, "linewidth": 0.8}
            line(axes, points, f"{LABELS[what, method]}, {generator}", number, zorder=2 + filled, **style)
    slowest = max((int(row["n"]), float(row["min_ms"])) for row in rows if row["product"] == "tiles")
    growth = [(n, n**3 * np.log2(n)) for n in sorted({int(row["n"]) for row in rows})]
    scale = 3 * slowest[1] / (slowest[0] ** 3 * np.log2(slowest[0]))
    line(axes, [(n, scale * each) for n, each in growth], r"$\propto n^3 \log n$", 7, marker="", linewidth=1)
    axes.axvline(THESIS_TOO_LARGE, **{**PUBLISHED, "linestyle": "--"}, label=f"thesis: fewer than {THESIS_TOO_LARGE:,}")
    finish(axes, "vertices", "ms", f"All pairs by repeated squaring: {device_of(rows)}")
    axes.legend(fontsize=8, frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
    return figure


EXPERIMENT = Experiment("All pairs by squaring against n (thesis 6.1.1, figure 6.1)", cases, plot)
