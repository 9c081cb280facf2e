"""Small calls of reedsp.csgraph beside those of SciPy: every function, every form of a matrix, every kind of weight.

What ``whole_calls`` measures of plain matrices in all sizes is asked here of small ones that are anything but plain: a
program that has its import changed may give any of them. Each call is given a matrix that no function has seen; the
functions of both take turns. Distances are compared with SciPy's wherever both say what an edge is.
"""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse
import scipy.sparse.csgraph
from matplotlib.figure import Figure

import reedsp.csgraph
from experiments.calls.whole_calls import beside_scipy, impossible
from experiments.lib.experiment import Case, Experiment, Row, Setting, WrongAnswerError
from experiments.lib.measure import measure_in_turn
from experiments.lib.plotting import INK, device_of, finish, grid_of_panels, line

SEED = 2012
EDGES = 4  # of a vertex
REPEATS = 30
PATIENCE = 0.1  # seconds, for each
ALLOWED_MS = 0.02  # and a tenth of SciPy's time
NEAR = 40.0  # a limit, in edges of weights up to 100

_Call = Callable[[Any, Any], Any]
CALLS: dict[str, _Call] = {
    "dijkstra": lambda module, graph: module.dijkstra(graph, indices=0),
    "dijkstra, predecessors": lambda module, graph: module.dijkstra(graph, indices=0, return_predecessors=True),
    "dijkstra, 10 sources": lambda module, graph: module.dijkstra(graph, indices=range(10)),
    "dijkstra, limit": lambda module, graph: module.dijkstra(graph, indices=0, limit=NEAR),
    "dijkstra, nearest": lambda module, graph: module.dijkstra(graph, indices=range(10), min_only=True),
    "dijkstra, nearest, predecessors": lambda module, graph: module.dijkstra(
        graph, indices=range(10), min_only=True, return_predecessors=True
    ),
    "dijkstra, unweighted": lambda module, graph: module.dijkstra(graph, indices=0, unweighted=True),
    "dijkstra, undirected": lambda module, graph: module.dijkstra(graph, False, 0),
    "bellman_ford": lambda module, graph: module.bellman_ford(graph, indices=0),
    "johnson, 10 sources": lambda module, graph: module.johnson(graph, indices=range(10)),
    "shortest_path, all pairs": lambda module, graph: module.shortest_path(graph),
    "shortest_path, all pairs, predecessors": lambda module, graph: module.shortest_path(
        graph, return_predecessors=True
    ),
    "floyd_warshall, overwrite": lambda module, graph: module.floyd_warshall(graph, overwrite=True),
    "yen, K = 1": lambda module, graph: module.yen(graph, 0, 1, 1),
    "yen, K = 3, predecessors": lambda module, graph: module.yen(graph, 0, 1, 3, return_predecessors=True),
    "breadth_first_order": lambda module, graph: module.breadth_first_order(graph, 0),
    "breadth_first_tree, undirected": lambda module, graph: module.breadth_first_tree(graph, 0, False),
    "depth_first_order": lambda module, graph: module.depth_first_order(graph, 0),
    "depth_first_tree": lambda module, graph: module.depth_first_tree(graph, 0),
    "connected_components, weak": lambda module, graph: module.connected_components(graph),
    "connected_components, strong": lambda module, graph: module.connected_components(graph, True, "strong"),
    "minimum_spanning_tree": lambda module, graph: module.minimum_spanning_tree(graph),
    "maximum_bipartite_matching": lambda module, graph: module.maximum_bipartite_matching(graph),
    "structural_rank": lambda module, graph: module.structural_rank(graph),
    "reverse_cuthill_mckee": lambda module, graph: module.reverse_cuthill_mckee(graph),
    "laplacian": lambda module, graph: module.laplacian(graph),
}

WEIGHTS: dict[str, Callable[[np.random.Generator, int], Any]] = {
    "whole": lambda rng, m: rng.integers(1, 101, m),
    "fractions": lambda rng, m: 1 + 99 * rng.random(m),
    "zeros and ones": lambda rng, m: rng.integers(0, 2, m),
    "all alike": lambda rng, m: np.ones(m),
    "beyond 2**53": lambda rng, m: 1e17 * rng.random(m),
    "infinities": lambda rng, m: np.where(rng.random(m) < 0.1, np.inf, rng.integers(1, 101, m)),
}

FORMS: dict[str, Callable[[Any], Any]] = {
    "int64 indices": lambda matrix: _csr(matrix.data, matrix.indices.astype(np.int64), matrix.indptr.astype(np.int64)),
    "float32": lambda matrix: matrix.astype(np.float32),
    "int32": lambda matrix: matrix.astype(np.int32),
    "bool": lambda matrix: matrix.astype(bool),
    "columns in no order": lambda matrix: _csr(*_backwards(matrix)),
    "columns twice": lambda matrix: _csr(matrix.data.repeat(2), matrix.indices.repeat(2), 2 * matrix.indptr),
    "csc": lambda matrix: matrix.tocsc(),
    "coo": lambda matrix: matrix.tocoo(),
    "lil": lambda matrix: matrix.tolil(),
    "dok": lambda matrix: matrix.todok(),
    "bsr": lambda matrix: matrix.tobsr((1, 1)),
    "dia": lambda matrix: matrix.todia(),
    "dense": lambda matrix: matrix.toarray(),
    "masked": lambda matrix: np.ma.masked_equal(matrix.toarray(), 0),
    "list": lambda matrix: matrix.toarray().tolist(),
    "no entries": lambda matrix: scipy.sparse.csr_array(matrix.shape),
}
"""Of whole weights."""

NOT_ALIKE = {"columns twice", "infinities", "no entries", "beyond 2**53"}
"""Where SciPy's functions differ from each other in what an edge is, or what is found depends on it."""


_SEARCHES = [call for call in CALLS if call.startswith(("dijkstra", "yen"))]
NEVER_END = {
    "negative": _SEARCHES,
    "negative fractions": _SEARCHES,
    "columns twice": ["connected_components, strong"],
}
"""Calls of SciPy's for some matrices."""


def _csr(data: Any, indices: Any, indptr: Any) -> Any:
    n = len(indptr) - 1
    return scipy.sparse.csr_array((data, indices, indptr), shape=(n, n))


def _backwards(matrix: Any) -> tuple[Any, Any, Any]:
    """Return the arrays of a CSR matrix with the columns of each row in reverse."""
    ends = matrix.indptr[1:].repeat(np.diff(matrix.indptr)) - 1
    order = ends - (np.arange(matrix.nnz) - matrix.indptr[:-1].repeat(np.diff(matrix.indptr)))
    return matrix.data[order], matrix.indices[order], matrix.indptr


def random_matrix(n: int, weights: str) -> Any:
    """Return a matrix with some edges at each vertex, none of them twice or from a vertex to itself."""
    rng = np.random.default_rng(SEED)
    places = np.unique(rng.integers(0, n, EDGES * n) * n + rng.integers(0, n, EDGES * n))
    tails, heads = np.divmod(places[places // n != places % n].astype(np.int32), n)
    if weights.startswith("negative"):
        height = rng.integers(0, 200, n)
        values = rng.integers(1, 101, len(tails)) + height[heads] - height[tails]
        values[values == 0] = 1
        values = values * (0.1 if weights == "negative fractions" else 1)
    else:
        values = WEIGHTS[weights](rng, len(tails))
    return scipy.sparse.csr_array((values.astype(np.float64), (tails, heads)), shape=(n, n))


def matrices(n: int) -> Iterator[tuple[str, Any]]:
    for weights in (*WEIGHTS, "negative", "negative fractions"):
        yield weights, random_matrix(n, weights)
    for name, form in FORMS.items():
        yield name, form(random_matrix(n, "whole"))


def given(module: Any, call: str, matrix: Any) -> Any:
    """Return the answer for a copy of the matrix, or the error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return CALLS[call](module, copy.copy(matrix))
        except Exception as error:
            return error


def same(answer: Any, expected: Any, call: str) -> None:
    """Compare distances, and numbers of components."""
    ours, theirs = (each[0] if isinstance(each, tuple) else each for each in (answer, expected))
    is_compared = call.startswith(("dijkstra", "bellman", "johnson", "shortest", "floyd", "yen", "connected"))
    if is_compared and not np.allclose(ours, theirs, rtol=1e-12):
        raise WrongAnswerError("other distances, or another number of components")


def rows_of(n: int, name: str, matrix: Any, quick: bool) -> Iterator[Row]:
    for call in CALLS:
        if call in NEVER_END.get(name, ()):
            continue
        expected = given(scipy.sparse.csgraph, call, matrix)
        if isinstance(expected, Exception) or isinstance(given(reedsp.csgraph, call, matrix), Exception):
            continue
        check = (lambda answer: None) if name in NOT_ALIKE else partial(same, expected=expected, call=call)
        modules = (scipy.sparse.csgraph, reedsp.csgraph)
        solves = [(partial(given, module, call, matrix), check) for module in modules]
        theirs, ours = measure_in_turn(solves, 1 if quick else REPEATS, patience=PATIENCE)
        yield {
            "n": n,
            "matrix": name,
            "call": call,
            "seed": SEED,
            **beside_scipy(theirs, ours),
            "slower": int(ours["min_ms"] > theirs["min_ms"] / 0.9 + ALLOWED_MS),
        }


def cases(setting: Setting) -> list[Case]:
    return [
        (f"{name}, n = {n:,}", partial(rows_of, n, name, matrix, setting.quick))
        for n in ((12,) if setting.quick else (12, 100, 1000))
        for name, matrix in matrices(n)
    ]


def plot(rows: list[dict[str, str]]) -> Figure:
    """Draw how many times as fast as SciPy each call is: a panel a size, a mark a kind of matrix, a line a call."""
    sizes = list(dict.fromkeys(row["n"] for row in rows))
    calls = list(dict.fromkeys(row["call"] for row in rows))
    figure, panes = grid_of_panels(len(sizes), len(sizes), width=3.0, height=5.6)
    for place, (axes, size) in enumerate(zip(panes, sizes, strict=True)):
        for slower, number in (("0", 0), ("1", 3)):
            own = [row for row in rows if row["n"] == size and row["slower"] == slower]
            points = [(float(row["ratio"]), float(calls.index(row["call"]))) for row in own]
            label = ("0.9, or\nwithin 20 µs", "slower")[int(slower)]
            if points:
                line(axes, points, label, number, linestyle="", marker="|")
        axes.axvline(1, color=INK, linewidth=0.8)
        finish(axes, "", "", f"{int(size):,} vertices")
        axes.set_xscale("log")
        axes.set_yscale("linear")
        axes.set_yticks(range(len(calls)), calls, fontsize=7)
        axes.tick_params(labelleft=place == 0)
        axes.set_ylim(len(calls) - 0.5, -0.5)
        axes.get_legend().remove()
    panes[0].legend(loc="lower right", frameon=False, fontsize=7, handletextpad=0)
    figure.supxlabel("times SciPy's speed: a mark for each kind of weight and form of matrix", fontsize=9)
    figure.suptitle(f"Small calls of reedsp.csgraph: {device_of(rows)}", fontsize=10)
    return figure


EXPERIMENT = Experiment(
    "Small calls of reedsp.csgraph, of every form of matrix and kind of weight, beside SciPy", cases, plot, impossible
)
