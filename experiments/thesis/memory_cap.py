"""All pairs in as little memory as the GPU of the thesis had: what section 6.1.1 could not, and section 6.2 wishes for.

Two matrices of float32 fit into its 256 MB up to 5,792 vertices. Here that many bytes may be allocated on the device:
beyond what they hold, the matrix is kept on the host, and rows of it travel (``docs/explanation/all-pairs.md``). Beside
it the same call with the device's own memory, in which the matrix stays. It starts and ends on the host in both cases,
and is as at first before each call. Rows of every answer are compared with Bellman-Ford in numpy.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
from matplotlib.figure import Figure

import reedsp
from experiments.beyond.several_devices import KINDS, close, random_matrix
from experiments.lib.experiment import Case, Experiment, Row, Setting, WrongAnswerError
from experiments.lib.measure import measure_in_turn
from experiments.lib.plotting import INK, device_of, finish, line, panels
from experiments.lund_smith.floyd_warshall import distances

SEED = 2012
CHECKED_ROWS = 2
KIND = "float32"
MEMORY_OF_THE_THESIS = 1 << 28  # bytes
QUICK_MEMORY = 1 << 24


def rows(device: reedsp.Device, n: int, memory_limit: int, repeats: int) -> Iterator[Row]:
    weights = KINDS[KIND]
    matrix = random_matrix(n, weights, SEED)
    chosen = np.random.default_rng(SEED).choice(n, CHECKED_ROWS, replace=False)
    expected = np.array([distances(matrix, source) for source in chosen])

    def check(closed: np.ndarray) -> None:
        if not np.array_equal(closed[chosen], expected):
            raise WrongAnswerError("wrong distances")
        np.copyto(closed, matrix)

    solves = [(partial(close, matrix.copy(), weights, [device], limit), check) for limit in (memory_limit, None)]
    times, without = measure_in_turn(solves, repeats)
    yield {
        "n": n,
        "kind": KIND,
        "bytes_of_matrix": matrix.nbytes,
        "memory_limit": memory_limit,
        "seed": SEED,
        **times,
        "min_ms_without": without["min_ms"],
        "ratio": round(times["min_ms"] / without["min_ms"], 3),
    }


def cases(setting: Setting) -> list[Case]:
    limit, sizes = MEMORY_OF_THE_THESIS, [1024, 2048, 4096, 6144, 8192, 12288, 16384]
    if setting.quick:
        limit, sizes = QUICK_MEMORY, [512, 2048]
    elif setting.device.kind != "gpu":
        sizes = sizes[:5]
    repeats = 2 if setting.device.kind == "gpu" and not setting.quick else 1
    return [(f"n = {n}", partial(rows, setting.device, n, limit, repeats)) for n in sizes]


def plot(rows: list[dict[str, str]]) -> Figure:
    """Draw the time with the limit and without it against the vertices."""
    figure, [axes] = panels()
    limit = int(rows[0]["memory_limit"])
    line(axes, [(float(row["n"]), float(row["min_ms"])) for row in rows], f"{limit >> 20} MiB", 1)
    line(axes, [(float(row["n"]), float(row["min_ms_without"])) for row in rows], "memory of the device", 0)
    for matrices, name in ((2, "two matrices"), (1, "one matrix")):
        largest = (limit / 4 / matrices) ** 0.5
        axes.axvline(largest, color=INK, linewidth=0.8, linestyle=":")
        axes.text(largest, 0.02, f"{name} ", transform=axes.get_xaxis_transform(), fontsize=7, rotation=90, ha="right")
    finish(axes, "vertices (float32, from host to host)", "ms", f"Floyd-Warshall in little memory: {device_of(rows)}")
    return figure


EXPERIMENT = Experiment("All pairs in the 256 MB of the thesis' GPU (thesis 6.1.1, 6.2)", cases, plot)
