"""Where the time of a whole call goes: from a SciPy matrix to distances and predecessors, phase by phase.

Each call gets a matrix that no earlier call has seen. The phases are those of ``stats["phases"]``, which add up to the
call; those of the fastest call are shown. Answers are compared with SciPy's.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse.csgraph
from matplotlib.figure import Figure

import reedsp
from experiments.lib import inputs
from experiments.lib.experiment import Case, Experiment, Row, Setting, WrongAnswerError
from experiments.lib.plotting import HATCHES, LINES, device_of, finish, panels
from reedsp.system.phases import NAMES

SEED = 2012


def row(name: str, matrix: Any, device: reedsp.Device, repeats: int) -> Iterator[Row]:
    source = int(np.argmax(np.diff(matrix.indptr)))
    expected = scipy.sparse.csgraph.dijkstra(matrix, indices=source)
    best, phases = np.inf, dict.fromkeys(NAMES, 0.0)
    for _ in range(repeats + 1):
        given = copy.copy(matrix)
        started = time.perf_counter()
        paths = reedsp.sssp(given, source, device=device)
        elapsed = 1e3 * (time.perf_counter() - started)
        if not np.array_equal(paths.dist, expected):
            raise WrongAnswerError("other distances")
        if elapsed < best:
            best, phases = elapsed, paths.stats["phases"]
    shares = {f"{phase}_ms": round(phases[phase], 3) for phase in NAMES}
    yield {
        "graph": name,
        "n": matrix.shape[0],
        "m": matrix.nnz,
        "seed": SEED,
        "min_ms": round(best, 3),
        **shares,
        "repeats": repeats,
    }


def rows_of(name: str, make: Callable[[], reedsp.Graph], device: reedsp.Device, repeats: int) -> Iterator[Row]:
    yield from row(name, inputs.scipy_matrix(make()), device, repeats)


def cases(setting: Setting) -> list[Case]:
    graphs: dict[str, Callable[[], reedsp.Graph]] = {
        "random, n = 1,000": partial(inputs.fixed_in_degree, 1000, 10, SEED)
    }
    if not setting.quick:
        graphs["random, n = 100,000"] = partial(inputs.fixed_in_degree, 100_000, 10, SEED)
        if setting.data is not None:
            graphs["New York"] = partial(inputs.new_york, setting.data / "dimacs-ny")
        graphs["grid 1000 x 1000"] = partial(inputs.grid, 1000, SEED)
        graphs["R-MAT 18"] = partial(inputs.r_mat, 18, 16, SEED)
    repeats = 1 if setting.quick else 10
    return [(name, partial(rows_of, name, make, setting.device, repeats)) for name, make in graphs.items()]


def plot(rows: list[dict[str, str]]) -> Figure:
    """Draw a bar a graph, of a piece for each phase, as parts of the whole call."""
    figure, [axes] = panels(width=7.0, height=0.4 * len(rows) + 1.4)
    begins = np.zeros(len(rows))
    whole = np.array([float(each["min_ms"]) for each in rows])
    for number, phase in enumerate(NAMES):
        parts = np.array([float(each[f"{phase}_ms"]) for each in rows]) / whole
        style = {"facecolor": LINES[number]["color"], "hatch": HATCHES[number], "edgecolor": "white", "linewidth": 0.5}
        axes.barh(range(len(rows)), parts, left=begins, label=phase, **style)
        begins += parts
    axes.set_yticks(range(len(rows)), [f"{each['graph']}: {float(each['min_ms']):.3g} ms" for each in rows])
    axes.invert_yaxis()
    finish(axes, "part of the call", "", f"Where a whole call goes: {device_of(rows)}", log="")
    axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5), fontsize=8)
    return figure


EXPERIMENT = Experiment("Where the time of a call of sssp goes, from a SciPy matrix to its results", cases, plot)
