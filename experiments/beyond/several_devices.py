"""Blocked Floyd-Warshall on one GPU and on all GPUs of the same platform, transfers to and from the host included.

The matrix starts and ends on the host, and is as at first before each call. All answers are compared with that of the
first device alone, and rows of it with Bellman-Ford in numpy.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np
from matplotlib.figure import Figure

import reedsp
from experiments.lib.experiment import Case, Experiment, Row, Setting, WrongAnswerError
from experiments.lib.measure import measure_in_turn
from experiments.lib.plotting import bars, device_of, finish, panels
from experiments.lund_smith.floyd_warshall import distances
from reedsp.algorithms.all_pairs.out_of_core.solve import solve_matrix
from reedsp.arithmetic.matrix import INTEGERS, Weights

SEED = 2010
LARGEST_WEIGHT = 400
CHECKED_ROWS = 1
WARM_UP_VERTICES = 2048
KINDS = {"float32": Weights(np.dtype(np.float32), np.inf, np.inf), "int32": INTEGERS[1]}


def close(
    matrix: np.ndarray, weights: Weights, devices: Sequence[reedsp.Device], memory_limit: int | None = None
) -> np.ndarray:
    """Return the matrix with all paths."""
    solve_matrix(matrix, weights, devices, memory_limit)
    return matrix


def random_matrix(n: int, weights: Weights, seed: int) -> np.ndarray:
    """Return a complete graph with whole weights."""
    matrix = np.random.default_rng(seed).integers(1, LARGEST_WEIGHT + 1, (n, n), np.int32).astype(weights.dtype)
    np.fill_diagonal(matrix, 0)
    return matrix


def rows(devices: Sequence[reedsp.Device], n: int, kind: str, repeats: int) -> Iterator[Row]:
    weights = KINDS[kind]
    initial = random_matrix(n, weights, SEED)
    chosen = np.random.default_rng(n).choice(n, CHECKED_ROWS, replace=False)
    expected = np.array([distances(initial, source) for source in chosen])
    first: list[np.ndarray] = []

    def check(matrix: np.ndarray) -> None:
        if not first:
            first.append(matrix.copy())
        if not np.array_equal(matrix[chosen], expected) or not np.array_equal(matrix, first[0]):
            raise WrongAnswerError("wrong distances")
        np.copyto(matrix, initial)

    small = initial[:WARM_UP_VERTICES, :WARM_UP_VERTICES].copy()
    solve_matrix(small, weights, devices)
    counts = [1, len(devices)]
    solves = [(partial(close, initial.copy(), weights, devices[:count]), check) for count in counts]
    for count, times in zip(counts, measure_in_turn(solves, repeats), strict=True):
        yield {
            "devices": count,
            "n": n,
            "kind": kind,
            "memory_limit": "",
            "seed": SEED,
            **times,
            "gigatasks_per_second": round(n**3 / times["min_ms"] / 1e6, 2),
        }


def devices_of(setting: Setting) -> list[reedsp.Device]:
    """Return the GPUs of the device's platform."""
    return [each for each in reedsp.devices() if each.kind == "gpu" and each.platform == setting.device.platform]


def cases(setting: Setting) -> list[Case]:
    n, repeats = (2048, 1) if setting.quick else (32768, 2)
    return [(f"n = {n}, {kind}", partial(rows, devices_of(setting), n, kind, repeats)) for kind in KINDS]


def plot(rows: list[dict[str, str]]) -> Figure:
    """Draw tasks per second on one device and on all."""
    figure, [axes] = panels()
    counts = list(dict.fromkeys(row["devices"] for row in rows))
    groups = list(dict.fromkeys((row["kind"], row["n"]) for row in rows))
    rates = {(row["kind"], row["n"], row["devices"]): float(row["gigatasks_per_second"]) / 1e3 for row in rows}
    series = {
        f"{count} device{'s' if count != '1' else ''}": [rates.get((*group, count)) for group in groups]
        for count in counts
    }
    bars(axes, [f"{kind}, n = {int(n):,}" for kind, n in groups], series, "")
    finish(axes, "", "10$^{12}$ tasks per second", f"Floyd-Warshall on several devices: {device_of(rows)}", "")
    axes.margins(y=0.25)
    return figure


def impossible(setting: Setting) -> str:
    """Return why this machine cannot do it."""
    return "" if len(devices_of(setting)) > 1 else "there are no two GPUs"


EXPERIMENT = Experiment("All pairs on one GPU and on several", cases, plot, impossible)
