"""Connected components: Dulle's Algorithm 18 (section 5.6) beside the fast method and SciPy's; strong ones, too.

Random graphs of growing size, then larger graphs. A time is that of the whole call on a `Graph`, which is on the device
already, "csgraph" that of `reedsp.csgraph` from a matrix, and "SciPy" that of SciPy's function from the same one.
`search_ms` is the part of a call from the first launch until the number of components is known: edges are there, labels
stay there, as codes for GPUs count it that have no caller to answer. All take turns, and each answer is compared with
SciPy's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from scipy.sparse import csgraph

import reedsp
import reedsp.csgraph
from experiments.lib import inputs
from experiments.lib.experiment import Case, Experiment, Row, Setting, WrongAnswerError
from experiments.lib.measure import fastest_search, measure_in_turn
from experiments.lib.plotting import bars, device_of, finish, line, panels

SEED = 2016
DEGREE = 3  # mean, of the random graphs of growing size
LARGEST_MATRIX = 1 << 13  # vertices
LARGE, LARGE_REPEATS = 10**7, 3  # edges from which on SciPy takes long
GROWING = "random, degree 3"
PLOTTED = {"dulle": "Dulle's Algorithm 18", "fast": "fast", "SciPy": "SciPy"}


def random(n: int) -> reedsp.Graph:
    rng = np.random.default_rng(SEED)
    return reedsp.Graph.from_edges(n, *rng.integers(0, n, (2, DEGREE * n // 2)), directed=False)


def one_way(graph: reedsp.Graph) -> reedsp.Graph:
    """Return seven of ten edges of a graph, so that paths that lead there need not lead back."""
    kept = np.random.default_rng(SEED).random(graph.m) < 0.7
    tails = np.repeat(np.arange(graph.n), np.diff(graph.indptr))
    return reedsp.Graph.from_edges(graph.n, tails[kept], graph.indices[kept])


def graphs(setting: Setting) -> dict[str, tuple[str, Callable[[], reedsp.Graph]]]:
    """Return connection and maker of each of the larger graphs."""
    side, scale, small = (30, 10, 1000) if setting.quick else (1000, 18, 100_000)
    found: dict[str, tuple[str, Callable[[], reedsp.Graph]]] = {
        f"grid {side} x {side}": ("weak", partial(inputs.grid, side, SEED)),
        "random, degree 20": ("weak", lambda: undirected(inputs.random_in_degree(small, 10, SEED))),
        f"R-MAT {scale}": ("weak", partial(inputs.r_mat, scale, 16, SEED, directed=False)),
        "random, 2 edges": ("strong", partial(inputs.random_in_degree, small, 2, SEED)),
        f"grid {side} x {side}, some one way": ("strong", lambda: one_way(inputs.grid(side, SEED))),
        f"R-MAT {scale}, one way": ("strong", partial(inputs.r_mat, scale, 8, SEED)),
    }
    if setting.data is not None and not setting.quick:
        found["USA-road-d.NY"] = ("weak", partial(inputs.new_york, setting.data / "dimacs-ny"))
    if setting.device.kind == "gpu" and not setting.quick:
        found["grid 3000 x 3000"] = ("weak", partial(inputs.grid, 3000, SEED))
        found["R-MAT 20"] = ("weak", partial(inputs.r_mat, 20, 8, SEED, directed=False))
    return found


def undirected(graph: reedsp.Graph) -> reedsp.Graph:
    tails = np.repeat(np.arange(graph.n), np.diff(graph.indptr))
    return reedsp.Graph.from_edges(graph.n, tails, graph.indices, directed=False)


def check(found: Any, count: int, labels: np.ndarray, stats: list[dict[str, Any]]) -> None:
    """Raise unless these are the components that SciPy finds, whatever their numbers; note what is said of a call."""
    got, numbers = (found.count, found.labels) if isinstance(found, reedsp.Components) else found
    pairs = np.unique(numbers.astype(np.int64) * (len(labels) + 1) + labels)
    if not got == count == len(pairs):
        raise WrongAnswerError("the components are not SciPy's")
    stats.append(found.stats if isinstance(found, reedsp.Components) else {})


def rows(
    device: reedsp.Device,
    name: str,
    connection: Any,
    make: Callable[[], reedsp.Graph],
    methods: tuple[Any, ...],
    repeats: int,
) -> Iterator[Row]:
    graph = make()
    repeats = min(repeats, LARGE_REPEATS) if graph.m > LARGE else repeats
    matrix = inputs.scipy_matrix(graph)
    count, labels = csgraph.connected_components(matrix, connection=connection)
    calls: dict[str, Callable[[], Any]] = {
        each: partial(reedsp.connected_components, graph, connection, each, device=device) for each in methods
    }
    calls["csgraph"] = partial(reedsp.csgraph.connected_components, matrix, connection=connection)
    calls["SciPy"] = partial(csgraph.connected_components, matrix, connection=connection)
    stats: dict[str, list[dict[str, Any]]] = {each: [] for each in calls}
    checked = [(call, partial(check, count=count, labels=labels, stats=stats[each])) for each, call in calls.items()]
    for method, times in zip(calls, measure_in_turn(checked, repeats), strict=True):
        yield {
            **{"graph": name, "n": graph.n, "m": graph.m, "seed": SEED, "connection": connection, "method": method},
            **{"components": count, "rounds": stats[method][0].get("rounds", 0), **times},
            "search_ms": fastest_search(stats[method]),
        }


def cases(setting: Setting) -> list[Case]:
    repeats = 1 if setting.quick else 9
    found: list[Case] = []
    for power in (4, 6, 8) if setting.quick else range(6, 21, 2):
        for n in {1 << power, min(LARGEST_MATRIX, 2 << power)} if power == 12 else {1 << power}:
            methods = ("fast", "dulle") if n <= LARGEST_MATRIX else ("fast",)
            make = partial(random, n)
            found.append(
                (f"{GROWING}, n = {n}", partial(rows, setting.device, GROWING, "weak", make, methods, repeats))
            )
    for name, (connection, make) in graphs(setting).items():
        methods = ("fast",) if connection == "weak" else ("auto",)
        found.append((name, partial(rows, setting.device, name, connection, make, methods, repeats)))
    return found


def plot(rows: list[dict[str, str]]) -> Figure:
    """Draw the times on random graphs of growing size, and on the others."""
    figure, [growing, others] = panels(2, width=4.8)
    for number, (method, label) in enumerate(PLOTTED.items()):
        chosen = [row for row in rows if row["graph"] == GROWING and row["method"] == method]
        line(growing, [(int(row["n"]), float(row["min_ms"])) for row in chosen], label, number)
    finish(growing, "vertices, of mean degree 3", "milliseconds, fastest", f"Components: {device_of(rows)}")
    large = [row for row in rows if row["graph"] != GROWING]
    names = list(dict.fromkeys(f"{row['graph']}: {row['connection']}" for row in large))
    times = {(f"{row['graph']}: {row['connection']}", row["method"]): float(row["min_ms"]) for row in large}
    series: dict[str, list[float | None]] = {
        label: [next((times[name, each] for each in methods if (name, each) in times), None) for name in names]
        for label, methods in {
            "on the device": ("fast", "auto"),
            "from a matrix": ("csgraph",),
            "SciPy": ("SciPy",),
        }.items()
    }
    bars(others, names, series, "milliseconds, fastest")
    others.set_yscale("log")
    others.legend(fontsize=8, frameon=False)
    return figure


EXPERIMENT = Experiment("Connected components (Dulle's thesis, section 5.6)", cases, plot)
