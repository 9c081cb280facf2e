"""Whole calls of reedsp.csgraph beside those of SciPy, from a matrix of the user to arrays of numpy.

Nothing is prepared, and no matrix is known from an earlier call, but where the name says so: each call reads SciPy's
matrix, or the dense array, copies it to the device and copies the answer back. The functions of both take turns. Every
answer is compared, exactly.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse.csgraph
from matplotlib.figure import Figure

import reedsp.csgraph
from experiments.lib import inputs
from experiments.lib.experiment import Case, Experiment, Row, Setting, WrongAnswerError
from experiments.lib.measure import measure_in_turn
from experiments.lib.plotting import INK, device_of, finish, grid_of_panels, line
from reedsp.device.discovery import get_device

SEED = 2012
IN_DEGREE = 10
AFFORDABLE = 1e8  # relaxations by SciPy's Bellman-Ford
PATIENCE = 1e8  # vertices and edges that one graph's calls look at in all
MOST_FOR_SOURCES = 2e6  # of these, in a graph that is searched from several sources
MOST_REPEATS = 100
MATRICES = 200  # vertices up to which a sparse graph's paths of all pairs are asked for, too
BELLMAN_FORD = ("bellman_ford", "bellman_ford, predecessors", "johnson")  # which SciPy's Johnson begins with
SIGNED = (*BELLMAN_FORD, "shortest_path", "shortest_path, all pairs, predecessors")
SIGNED_EDGES = 4  # a vertex has, with negative weights
PART = 0.1  # of a whole weight, as a fraction
SOURCES = ("dijkstra, 16 sources", "dijkstra, 16 sources, predecessors")
ALL_PAIRS = ("floyd_warshall", "floyd_warshall, predecessors")
YEN = "yen, K = 3"
AGAIN = "dijkstra, matrix given again"


def sixteen(source: int, n: int) -> Any:
    return (source + np.arange(16)) % n


CALLS: dict[str, Callable[[Any, Any, int], Any]] = {
    "dijkstra": lambda module, graph, source: module.dijkstra(graph, indices=source),
    AGAIN: lambda module, graph, source: module.dijkstra(graph, indices=source),
    "dijkstra, predecessors": lambda module, graph, source: module.dijkstra(
        graph, indices=source, return_predecessors=True
    ),
    "dijkstra, unweighted": lambda module, graph, source: module.dijkstra(graph, indices=source, unweighted=True),
    SOURCES[0]: lambda module, graph, source: module.dijkstra(graph, indices=sixteen(source, graph.shape[0])),
    SOURCES[1]: lambda module, graph, source: module.dijkstra(
        graph, indices=sixteen(source, graph.shape[0]), return_predecessors=True
    ),
    "shortest_path": lambda module, graph, source: module.shortest_path(graph, indices=source),
    "breadth_first_order": lambda module, graph, source: module.breadth_first_order(graph, source),
    "breadth_first_tree": lambda module, graph, source: module.breadth_first_tree(graph, source),
    "bellman_ford": lambda module, graph, source: module.bellman_ford(graph, indices=source),
    "bellman_ford, predecessors": lambda module, graph, source: module.bellman_ford(
        graph, indices=source, return_predecessors=True
    ),
    "johnson": lambda module, graph, source: module.johnson(graph, indices=source),
    SIGNED[-1]: lambda module, graph, source: module.shortest_path(graph, return_predecessors=True),
    YEN: lambda module, graph, source: module.yen(graph, source, (source + 1) % graph.shape[0], 3),
    ALL_PAIRS[0]: lambda module, graph, source: module.floyd_warshall(graph),
    ALL_PAIRS[1]: lambda module, graph, source: module.floyd_warshall(graph, return_predecessors=True),
}
"""From one source unless the name says more, or all pairs of a dense matrix."""


def sparse_graphs(setting: Setting) -> dict[str, Callable[[], reedsp.Graph]]:
    """Return graphs like roads, social networks and none, of each size."""
    sizes = (10, 100) if setting.quick else (10, 100, 1000, 10_000, 100_000, 1_000_000)
    found: dict[str, Callable[[], reedsp.Graph]] = {}
    for n in sizes:
        side, scale = round(n**0.5), round(np.log2(n))
        found[f"random, n = {n:,}"] = partial(inputs.fixed_in_degree, n, IN_DEGREE, SEED)
        found[f"grid, n = {side * side:,}"] = partial(inputs.grid, side, SEED)
        found[f"R-MAT, n = {1 << scale:,}"] = partial(inputs.r_mat, scale, 16, SEED)
    if setting.quick:
        return found
    if setting.data is not None:
        found["New York"] = partial(inputs.new_york, setting.data / "dimacs-ny")
    found["R-MAT 18"] = partial(inputs.r_mat, 18, 16, SEED)
    return found


def same(answer: Any, expected: Any, call: str) -> None:
    """Compare an answer with SciPy's; of predecessors only which there are, as there may be several."""
    if call == "breadth_first_tree":
        answer, expected = (each.sorted_indices() for each in (answer, expected))  # SciPy's rows have any order
        if not np.array_equal(answer.indices, expected.indices) or not np.array_equal(answer.indptr, expected.indptr):
            raise WrongAnswerError("other edges")
        answer, expected = answer.data, expected.data
    ours, theirs = (each if isinstance(each, tuple) else (each,) for each in (answer, expected))
    if not np.array_equal(ours[0], theirs[0]):
        raise WrongAnswerError("other distances, or another order")
    if "predecessors" in call and not np.array_equal(ours[1] < 0, theirs[1] < 0):
        raise WrongAnswerError("other vertices are reached")


def unknown(matrix: Any) -> Any:
    """Return the matrix as another object with the same arrays, which has not been given to a function yet."""
    return copy.copy(matrix) if scipy.sparse.issparse(matrix) else matrix.view()


def solved(module: Any, call: str, matrix: Any, source: int) -> Any:
    return CALLS[call](module, matrix if call == AGAIN else unknown(matrix), source)


def beside_scipy(theirs: dict[str, float], ours: dict[str, float]) -> Row:
    """Return the times of both in columns, and how many times as fast a call of ours is."""
    return {
        "min_ms": ours["min_ms"],
        "median_ms": ours["median_ms"],
        "scipy_min_ms": theirs["min_ms"],
        "scipy_median_ms": theirs["median_ms"],
        "repeats": ours["repeats"],
        "ratio": float(f"{theirs['min_ms'] / ours['min_ms']:.3g}"),
    }


def row(graph: str, n: int, m: int, call: str, times: list[dict[str, float]]) -> Row:
    theirs, ours = times
    return {
        "graph": graph,
        "n": n,
        "m": m,
        "call": call,
        "seed": SEED,
        **beside_scipy(theirs, ours),
    }


def rows_of_calls(name: str, matrix: Any, m: int, calls: list[str], repeats: int) -> Iterator[Row]:
    source = int(np.argmax(np.diff(matrix.indptr))) if scipy.sparse.issparse(matrix) else 0
    for call in calls:
        expected = CALLS[call](scipy.sparse.csgraph, matrix, source)
        check = partial(same, expected=expected, call=call)
        modules = (scipy.sparse.csgraph, reedsp.csgraph)
        solves = [(partial(solved, module, call, matrix, source), check) for module in modules]
        yield row(name, matrix.shape[0], m, call, measure_in_turn(solves, repeats))


def sparse_rows(name: str, make: Callable[[], reedsp.Graph], quick: bool) -> Iterator[Row]:
    matrix = inputs.scipy_matrix(make())
    n, m = matrix.shape[0], matrix.nnz
    repeats = 1 if quick else int(np.clip(PATIENCE / (n + m) / len(CALLS), 5, MOST_REPEATS))
    left_out = set() if n <= MATRICES else {*ALL_PAIRS, YEN, SIGNED[-1]}
    if n * m > AFFORDABLE:
        left_out.update(BELLMAN_FORD)
    if n + m > MOST_FOR_SOURCES:
        left_out.update(SOURCES)
    yield from rows_of_calls(name, matrix, m, [call for call in CALLS if call not in left_out], repeats)


def signed_rows(name: str, n: int, fractional: bool, quick: bool) -> Iterator[Row]:
    """Yield rows of a graph with negative weights, of which SciPy relaxes all edges n times."""
    matrix = inputs.scipy_matrix(inputs.negative_edges(n, SIGNED_EDGES * n, SEED)[0]).astype(np.float64)
    calls = [call for call in SIGNED if n <= MATRICES or call != SIGNED[-1]]
    if fractional:  # sums of other algorithms are rounded otherwise
        matrix, calls = PART * matrix, [call for call in calls if call.startswith("bellman_ford")]
    repeats = 1 if quick else int(np.clip(PATIENCE / (n * matrix.nnz), 3, MOST_REPEATS))
    yield from rows_of_calls(name, matrix, matrix.nnz, calls, repeats)


def dense_rows(n: int, quick: bool) -> Iterator[Row]:
    matrix = inputs.complete_matrix(n, SEED).astype(np.float64)
    matrix[matrix == 0] = 401  # a zero is no edge
    np.fill_diagonal(matrix, 0)
    repeats = 1 if quick else int(np.clip(PATIENCE / n**3, 3, MOST_REPEATS))
    yield from rows_of_calls(f"complete, n = {n:,}", matrix, n * (n - 1), list(ALL_PAIRS), repeats)


def cases(setting: Setting) -> list[Case]:
    quick = setting.quick
    found: list[Case] = [
        (name, partial(sparse_rows, name, make, quick)) for name, make in sparse_graphs(setting).items()
    ]
    for n in (10, 100) if quick else (10, 100, 1000, 3000):
        for name, fractional in (("negative", False), ("negative fractions", True)):
            graph = f"{name}, n = {n:,}"
            found.append((graph, partial(signed_rows, graph, n, fractional, quick)))
    sizes = (50,) if quick else (10, 50, 100, 200, 500, 1000)
    found += [(f"complete, n = {n}", partial(dense_rows, n, quick)) for n in sizes]
    return found


def impossible(setting: Setting) -> str:
    used = get_device()
    chosen = (used.name, used.platform) == (setting.device.name, setting.device.platform)
    return "" if chosen else "SciPy's functions have no argument for the device: name it by REEDSP_DEVICE"


def family(graph: str) -> str:
    """Return the kind of a graph that is measured in many sizes, or nothing."""
    name, _, size = graph.partition(", n = ")
    return name if size else ""


def plot(rows: list[dict[str, str]]) -> Figure:
    """Draw how many times as fast as SciPy each call is: a panel a call, a line a family, over the vertices."""
    calls = list(dict.fromkeys(row["call"] for row in rows))
    families = list(dict.fromkeys(family(row["graph"]) for row in rows if family(row["graph"])))
    figure, panes = grid_of_panels(len(calls), 4, width=2.3, height=2.0)
    for axes, call in zip(panes, calls, strict=True):
        for number, name in enumerate(families):
            own = [row for row in rows if row["call"] == call and family(row["graph"]) == name]
            if own:
                line(axes, [(float(row["n"]), float(row["ratio"])) for row in own], name, number)
        others = [row for row in rows if row["call"] == call and not family(row["graph"])]
        if others:
            points = [(float(row["n"]), float(row["ratio"])) for row in others]
            line(axes, points, "New York, R-MAT 18", len(families), linestyle="", marker="x")
        axes.axhline(1, color=INK, linewidth=0.8)
        finish(axes, "", "", call)
        axes.get_legend().remove()
    handles = {label: handle for axes in panes for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)}
    figure.legend(handles.values(), handles.keys(), loc="lower right", frameon=False, fontsize=8)
    figure.supxlabel("vertices")
    figure.supylabel("times SciPy's speed")
    figure.suptitle(f"Whole calls of reedsp.csgraph: {device_of(rows)}", fontsize=10)
    return figure


EXPERIMENT = Experiment("Whole calls of reedsp.csgraph from SciPy's matrices, beside SciPy", cases, plot, impossible)
