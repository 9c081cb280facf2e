"""What a new process waits for: its imports, the driver, and its first call, with kernels that are kept or compiled.

Each time is of a process of its own, in which nothing but what is named has been done before. "Kept" are the kernels
of an earlier process; otherwise its caches are empty, as on the day of the installation. Answers are compared with
SciPy's.
"""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse.csgraph
from matplotlib.figure import Figure

from experiments.lib import inputs
from experiments.lib.experiment import Case, Experiment, Row, Setting, WrongAnswerError
from experiments.lib.plotting import device_of, dots, panels
from experiments.lib.processes import printed

SEED = 2012
IN_DEGREE = 10
BEFORE = {
    "import numpy": "",
    "import scipy.sparse.csgraph": "",
    "import reedsp": "",
    "from reedsp import sssp": "import numpy",
    "from reedsp.csgraph import dijkstra": "import scipy.sparse.csgraph",
    "reedsp.devices()": "import reedsp.device",
}
"""Statements, and what each comes after."""

CALLS: dict[str, tuple[str, int, Callable[[Any], Any]]] = {
    "sssp": ("sssp(graph, 0, device=device).dist", 20_000, partial(scipy.sparse.csgraph.dijkstra, indices=0)),
    "bfs": (
        "bfs(graph, 0, device=device).levels",
        20_000,
        partial(scipy.sparse.csgraph.dijkstra, indices=0, unweighted=True),
    ),
    "apsp": ("apsp(graph, device=device).dist", 1000, scipy.sparse.csgraph.dijkstra),
}
"""What is called, the vertices of its graph, and SciPy's function for it."""

STATEMENT = """
import sys, time
exec(sys.argv[2])
started = time.perf_counter()
exec(sys.argv[1])
print(1e3 * (time.perf_counter() - started))
"""
CALL = """
import sys, time
import numpy, scipy.sparse
from reedsp import Graph, apsp, bfs, sssp
graph, device = Graph.from_scipy(scipy.sparse.load_npz(sys.argv[2])), int(sys.argv[3])
started = time.perf_counter()
dist = eval(sys.argv[1])
print(1e3 * (time.perf_counter() - started), dist[(dist >= 0) & (dist < numpy.inf)].sum())
"""
QUICK = 200  # vertices


def row(what: str, name: str, n: int, m: int, times: list[float]) -> Row:
    return {
        "what": what,
        "name": name,
        "n": n,
        "m": m,
        "seed": SEED,
        "min_ms": round(min(times), 3),
        "median_ms": round(statistics.median(times), 3),
        "repeats": len(times),
    }


def statement_rows(repeats: int) -> Iterator[Row]:
    """Measure the statements in turn."""
    times: dict[str, list[float]] = {statement: [] for statement in BEFORE}
    for _ in range(repeats):
        for statement, series in times.items():
            series.append(float(printed(STATEMENT, statement, BEFORE[statement])))
    for statement, series in times.items():
        yield row("statement", statement, 0, 0, series)


def call_rows(name: str, device: int, n: int, repeats: int, compiled: bool) -> Iterator[Row]:
    code, _, solve = CALLS[name]
    graph = inputs.fixed_in_degree(n, IN_DEGREE, SEED)
    matrix = inputs.scipy_matrix(graph)
    expected = solve(matrix)
    expected = expected[np.isfinite(expected)].sum()
    times = []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "graph.npz")
        scipy.sparse.save_npz(file, matrix)
        for number in range(repeats if compiled else repeats + 1):
            caches = Path(folder, str(number)) if compiled else None
            milliseconds, total = map(float, printed(CALL, code, str(file), str(device), caches=caches).split())
            if total != expected:
                raise WrongAnswerError("other distances")
            times.append(milliseconds)
    kept = times if compiled else times[1:]  # the first one has filled the caches
    yield row(f"first call, kernels {'compiled' if compiled else 'kept'}", name, n, graph.m, kept)


def cases(setting: Setting) -> list[Case]:
    repeats = 1 if setting.quick else 5
    found: list[Case] = [("statements", partial(statement_rows, repeats))]
    for name, (_, vertices, _) in CALLS.items():
        n = QUICK if setting.quick else vertices
        measure = partial(call_rows, name, setting.device.index, n, repeats)
        found.append((f"{name}, kernels kept", partial(measure, compiled=False)))
        if not setting.quick:
            found.append((f"{name}, kernels compiled", partial(measure, compiled=True)))
    return found


def plot(rows: list[dict[str, str]]) -> Figure:
    """Draw how long each statement and each call takes."""
    names = list(dict.fromkeys(row["name"] for row in rows))
    times = {(row["what"], row["name"]): float(row["min_ms"]) for row in rows}
    kinds = list(dict.fromkeys(row["what"] for row in rows))
    series: dict[str, list[float | None]] = {kind: [times.get((kind, name)) for name in names] for kind in kinds}
    figure, [axes] = panels(width=7.8, height=0.3 * len(names) + 1.2)
    dots(axes, names, series, "milliseconds", f"What a new process waits for: {device_of(rows)}")
    return figure


EXPERIMENT = Experiment("What a new process waits for: imports, the driver, and first calls", cases, plot)
