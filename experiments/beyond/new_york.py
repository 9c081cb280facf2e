"""The main job: the road network USA-road-d.NY from vertex 1, its published answer, and the time it takes.

The CSV says whether every vertex was reached, the sum and maximum of the distances, and the SHA-256 of the
predecessors, which is the same on every device.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import reedsp
from experiments.lib import inputs
from experiments.lib.experiment import Case, Experiment, Row, Setting, WrongAnswerError
from experiments.lib.measure import measure
from experiments.lib.plotting import bars, device_of, panels

REACHED, TOTAL, FARTHEST = 264_346, 186_686_642_878, 1_440_081
PLOTTED = {"first_ms": "first call", "median_ms": "median", "min_ms": "fastest"}


def check(result: reedsp.ShortestPaths) -> None:
    finite = result.dist[np.isfinite(result.dist)]
    if (finite.size, int(finite.sum()), int(finite.max())) != (REACHED, TOTAL, FARTHEST) or not result.verify():
        raise WrongAnswerError("wrong distances")


def rows(device: reedsp.Device, folder: Path, repeats: int) -> Iterator[Row]:
    graph = inputs.new_york(folder)
    result, times = measure(partial(reedsp.sssp, graph, 0, device=device), check, repeats)
    yield {
        "graph": "USA-road-d.NY",
        "n": graph.n,
        "m": graph.m,
        "source": 1,  # as the file counts
        "reached": int(np.isfinite(result.dist).sum()),
        "sum": int(result.dist.sum()),
        "max": int(result.dist.max()),
        "predecessors_sha256": hashlib.sha256(result.pred.astype("<i4").tobytes()).hexdigest(),
        "method": result.method,
        "arithmetic": result.stats["arithmetic"],
        "rounds": result.rounds,
        **times,
    }


def cases(setting: Setting) -> list[Case]:
    assert setting.data is not None
    repeats = 1 if setting.quick else 5
    return [("from vertex 1", partial(rows, setting.device, setting.data / "dimacs-ny", repeats))]


def impossible(setting: Setting) -> str:
    return "" if setting.data is not None else "needs the road network, see --data"


def plot(rows: list[dict[str, str]]) -> Figure:
    """Draw the time of the first call, which builds kernels and copies the graph, and of the later ones."""
    figure, [axes] = panels()
    [row] = rows
    heights: list[float | None] = [float(row[column]) for column in PLOTTED]
    bars(axes, list(PLOTTED.values()), {row["method"]: heights}, "milliseconds, whole call")
    axes.bar_label(axes.containers[0], fmt="{:,.4g}", fontsize=8)
    axes.set_yscale("log")
    axes.margins(y=0.15)
    axes.set_title(f"{row['graph']}, {row['method']}: {device_of(rows)}", fontsize=10)
    return figure


EXPERIMENT = Experiment("The road network of New York from one source", cases, plot, impossible)
