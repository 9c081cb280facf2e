"""Whole calls of reedsp.csgraph beside those of SciPy, from a matrix of the user to arrays of numpy.

Nothing is prepared: each call reads SciPy's matrix, or the dense array, copies it to the device and copies the answer
back. The functions of both take turns. Every answer is compared, exactly. "First call" is a new process that imports
the module and calls it once: with the kernels of an earlier process, or with empty caches, so that they are compiled.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse.csgraph
from matplotlib.figure import Figure

import reedsp.csgraph
from experiments.lib import inputs
from experiments.lib.experiment import Case, Experiment, Row, Setting, WrongAnswerError
from experiments.lib.measure import measure_in_turn
from experiments.lib.plotting import INK, device_of, dots, panels
from reedsp.device.discovery import get_device

SEED = 2012
IN_DEGREE = 10
AFFORDABLE = 1e8  # relaxations by SciPy's Bellman-Ford
PATIENCE = 2e8  # vertices and edges that one graph's calls look at in all
MOST_FOR_SOURCES = 2e6  # of these, in a graph that is searched from several sources
MOST_REPEATS = 100
CACHES = ("XDG_CACHE_HOME", "POCL_CACHE_DIR", "CUDA_CACHE_PATH")
PREDECESSORS, SOURCES, BELLMAN_FORD = "dijkstra, predecessors", "dijkstra, 16 sources", "bellman_ford"
FLOYD_WARSHALL = "floyd_warshall"
CALLS: dict[str, Callable[[Any, Any, int], Any]] = {
    "dijkstra": lambda module, graph, source: module.dijkstra(graph, indices=source),
    PREDECESSORS: lambda module, graph, source: module.dijkstra(graph, indices=source, return_predecessors=True),
    SOURCES: lambda module, graph, source: module.dijkstra(graph, indices=(source + np.arange(16)) % graph.shape[0]),
    "breadth_first_order": lambda module, graph, source: module.breadth_first_order(graph, source),
    BELLMAN_FORD: lambda module, graph, source: module.bellman_ford(graph, indices=source),
    FLOYD_WARSHALL: lambda module, graph, source: module.floyd_warshall(graph),
}
"""From one source unless the name says more, or all pairs of a dense matrix."""

CHILD = """
import sys, time
import numpy, scipy.sparse
graph = scipy.sparse.load_npz(sys.argv[2])
started = time.perf_counter()
if sys.argv[1] == "scipy":
    from scipy.sparse.csgraph import dijkstra
else:
    from reedsp.csgraph import dijkstra
dist = dijkstra(graph, indices=0)
print(1e3 * (time.perf_counter() - started), dist[numpy.isfinite(dist)].sum())
"""


def sparse_graphs(setting: Setting) -> dict[str, Callable[[], reedsp.Graph]]:
    sizes = (10, 100, 1000) if setting.quick else (10, 100, 1000, 10_000)
    found: dict[str, Callable[[], reedsp.Graph]] = {
        f"random, n = {n:,}": partial(inputs.fixed_in_degree, n, IN_DEGREE, SEED) for n in sizes
    }
    if setting.quick:
        return found
    if setting.data is not None:
        found["New York"] = partial(inputs.new_york, setting.data / "dimacs-ny")
    found["R-MAT 18"] = partial(inputs.r_mat, 18, 16, SEED)
    found["grid 1000 x 1000"] = partial(inputs.grid, 1000, SEED)
    return found


def same(answer: Any, expected: Any, pred: bool) -> None:
    """Compare an answer with SciPy's; of predecessors only which there are, as there may be several."""
    ours, theirs = (each if isinstance(each, tuple) else (each,) for each in (answer, expected))
    if not np.array_equal(ours[0], theirs[0]):
        raise WrongAnswerError("other distances, or another order")
    if pred and not np.array_equal(ours[1] < 0, theirs[1] < 0):
        raise WrongAnswerError("other vertices are reached")


def row(graph: str, n: int, m: int, call: str, times: list[dict[str, float]]) -> Row:
    theirs, ours = times
    return {
        "graph": graph,
        "n": n,
        "m": m,
        "call": call,
        "seed": SEED,
        "min_ms": ours["min_ms"],
        "median_ms": ours["median_ms"],
        "scipy_min_ms": theirs["min_ms"],
        "scipy_median_ms": theirs["median_ms"],
        "repeats": ours["repeats"],
        "ratio": float(f"{theirs['min_ms'] / ours['min_ms']:.3g}"),
    }


def rows_of_calls(name: str, matrix: Any, m: int, calls: list[str], repeats: int) -> Iterator[Row]:
    source = int(np.argmax(np.diff(matrix.indptr))) if scipy.sparse.issparse(matrix) else 0
    for call in calls:
        expected = CALLS[call](scipy.sparse.csgraph, matrix, source)
        check = partial(same, expected=expected, pred=call == PREDECESSORS)
        modules = (scipy.sparse.csgraph, reedsp.csgraph)
        solves = [(partial(CALLS[call], module, matrix, source), check) for module in modules]
        yield row(name, matrix.shape[0], m, call, measure_in_turn(solves, repeats))


def sparse_rows(name: str, make: Callable[[], reedsp.Graph], quick: bool) -> Iterator[Row]:
    matrix = make().to_scipy().astype(np.float64)
    n, m = matrix.shape[0], matrix.nnz
    repeats = 1 if quick else int(np.clip(PATIENCE / (n + m) / len(CALLS), 5, MOST_REPEATS))
    left_out = {FLOYD_WARSHALL}
    if n * m > AFFORDABLE:
        left_out.add(BELLMAN_FORD)
    if n + m > MOST_FOR_SOURCES:
        left_out.add(SOURCES)
    yield from rows_of_calls(name, matrix, m, [call for call in CALLS if call not in left_out], repeats)


def dense_rows(n: int, quick: bool) -> Iterator[Row]:
    matrix = inputs.complete_matrix(n, SEED).astype(np.float64)
    matrix[matrix == 0] = 401  # a zero is no edge
    np.fill_diagonal(matrix, 0)
    repeats = 1 if quick else int(np.clip(PATIENCE / n**3, 3, MOST_REPEATS))
    yield from rows_of_calls(f"complete, n = {n:,}", matrix, n * (n - 1), [FLOYD_WARSHALL], repeats)


def first_rows(repeats: int, compiled: bool) -> Iterator[Row]:
    """Measure new processes; where kernels are to be compiled, each with caches of its own."""
    graph = inputs.fixed_in_degree(1000, IN_DEGREE, SEED)
    series: dict[str, list[float]] = {"scipy": [], "reedsp": []}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "graph.npz")
        scipy.sparse.save_npz(file, graph.to_scipy().astype(np.float64))
        sums = set()
        for number in range(repeats):
            caches = {name: str(Path(folder, f"{name}{number}")) for name in CACHES} if compiled else {}
            found = [str(Path(__file__).resolve().parents[2]), *filter(None, [os.environ.get("PYTHONPATH")])]
            for module, times in series.items():
                command = [sys.executable, "-c", CHILD, module, str(file)]
                environment = {**os.environ, "PYTHONPATH": os.pathsep.join(found), **caches}
                told = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
                milliseconds, total = map(float, told.split())
                times.append(milliseconds)
                sums.add(total)
    if len(sums) != 1:
        raise WrongAnswerError("other distances")
    times = [
        {"min_ms": round(min(each), 3), "median_ms": round(float(np.median(each)), 3), "repeats": repeats}
        for each in series.values()
    ]
    name = f"random, n = {graph.n:,}, first call, kernels {'compiled' if compiled else 'kept'}"
    yield row(name, graph.n, graph.m, "dijkstra", times)


def cases(setting: Setting) -> list[Case]:
    quick = setting.quick
    found: list[Case] = [
        (name, partial(sparse_rows, name, make, quick)) for name, make in sparse_graphs(setting).items()
    ]
    sizes = (50,) if quick else (50, 100, 200, 500, 1000)
    found += [(f"complete, n = {n}", partial(dense_rows, n, quick)) for n in sizes]
    found.append(("first call, kernels kept", partial(first_rows, 1 if quick else 5, compiled=False)))
    if not quick:
        found.append(("first call, kernels compiled", partial(first_rows, 3, compiled=True)))
    return found


def impossible(setting: Setting) -> str:
    used = get_device()
    chosen = (used.name, used.platform) == (setting.device.name, setting.device.platform)
    return "" if chosen else "SciPy's functions have no argument for the device: name it by REEDSP_DEVICE"


def plot(rows: list[dict[str, str]]) -> Figure:
    """Draw how many times as fast as SciPy each call is."""
    graphs = list(dict.fromkeys(row["graph"] for row in rows))
    calls = list(dict.fromkeys(row["call"] for row in rows))
    ratios = {(row["graph"], row["call"]): float(row["ratio"]) for row in rows}
    figure, [axes] = panels(width=7.8, height=0.3 * len(graphs) + 1.2)
    series: dict[str, list[float | None]] = {call: [ratios.get((graph, call)) for graph in graphs] for call in calls}
    dots(axes, graphs, series, "times as fast as SciPy", f"Whole calls of reedsp.csgraph: {device_of(rows)}")
    axes.axvline(1, color=INK, linewidth=0.8)
    return figure


EXPERIMENT = Experiment("Whole calls of reedsp.csgraph from SciPy's matrices, beside SciPy", cases, plot, impossible)
