"""Maximum flows and full matchings, whole calls of reedsp.csgraph beside SciPy's, from matrices of growing size.

Small ones are solved by SciPy's routine in both columns; assignments are `reedsp.full_matching`, by a device, beside
`linear_sum_assignment` where the matrix is dense. Grids are layers of squares between a source at their left and
a sink at their right; flows in random and R-MAT graphs are between the vertices of most edges. Rectangular matrices
have twice as many columns as rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse
from matplotlib.figure import Figure
from scipy.optimize import linear_sum_assignment
from scipy.sparse import csgraph

from experiments.lib import inputs
from experiments.lib.experiment import Case, Experiment, Row, Setting, WrongAnswerError
from experiments.lib.measure import measure_in_turn
from experiments.lib.plotting import device_of, finish, line, panels
from reedsp import csgraph as ours
from reedsp import full_matching

SEED = 2016
FLOW, MATCHING, ASSIGNMENT = "maximum flow", "full matching", "assignment"


def between_hubs(matrix: Any) -> tuple[Any, int, int]:
    """Return a network with the vertex that most edges leave, and the one that most others end at."""
    leaving, entering = np.diff(matrix.indptr), np.bincount(matrix.indices, minlength=matrix.shape[0])
    source = int(np.argmax(leaving))
    entering[source] = -1
    return matrix, source, int(np.argmax(entering))


def random_network(n: int) -> tuple[Any, int, int]:
    return between_hubs(inputs.random_in_degree(n, 10, SEED).to_scipy().astype(np.int32))


def r_mat_network(n: int) -> tuple[Any, int, int]:
    return between_hubs(inputs.r_mat(n.bit_length() - 1, 8, SEED).to_scipy().astype(np.int32))


def grid_network(n: int) -> tuple[Any, int, int]:
    side = round(n**0.5)
    rng = np.random.default_rng(SEED)
    vertex = np.arange(side * side).reshape(side, side)
    one = np.concatenate((vertex[:, :-1].ravel(), vertex[:-1].ravel()))
    other = np.concatenate((vertex[:, 1:].ravel(), vertex[1:].ravel()))
    source, sink = side * side, side * side + 1
    tails = np.concatenate((one, other, np.full(side, source), vertex[:, -1]))
    heads = np.concatenate((other, one, vertex[:, 0], np.full(side, sink)))
    capacities = np.concatenate((rng.integers(1, 101, 2 * len(one)), np.full(2 * side, 1000))).astype(np.int32)
    return scipy.sparse.csr_array((capacities, (tails, heads)), shape=(sink + 1, sink + 1)), source, sink


def random_weights(rows: int, columns: int, degree: int) -> Any:
    """Return random weights with a full matching among them."""
    rng = np.random.default_rng(SEED)
    tails = np.concatenate((np.repeat(np.arange(rows), degree), np.arange(rows)))
    heads = np.concatenate((rng.integers(0, columns, rows * degree), rng.permutation(columns)[:rows]))
    keys = np.unique(tails * columns + heads)
    return scipy.sparse.csr_array((rng.integers(1, 1001, len(keys)), np.divmod(keys, columns)), shape=(rows, columns))


def fractions(rows: int, degree: int) -> Any:
    """Return random fractions with a full matching among them."""
    weights = random_weights(rows, rows, degree)
    weights.data = np.random.default_rng(SEED).random(weights.nnz)
    return weights


def dense(n: int) -> Any:
    side = round(n**0.5)
    return np.random.default_rng(SEED).random((side, side))


def dense_weights(n: int) -> Any:
    side = round(n**0.5)
    return scipy.sparse.csr_array(np.random.default_rng(SEED).integers(1, 100_001, (side, side)))


Inputs = dict[str, tuple[Callable[[int], Any], list[int]]]

FLOWS: Inputs = {
    "random, in-degree 10": (random_network, [1_000, 10_000, 100_000]),
    "grid": (grid_network, [1_024, 10_000, 90_000]),
    "R-MAT": (r_mat_network, [1 << 10, 1 << 14, 1 << 17]),
}
MATCHINGS: Inputs = {
    "random, 5 a row": (lambda n: random_weights(n, n, 5), [1_000, 10_000, 20_000]),
    "rectangular, 5 a row": (lambda n: random_weights(n, 2 * n, 5), [1_000, 10_000, 20_000]),
    "dense": (dense_weights, [10_000, 100_000, 1_000_000]),
}
ASSIGNMENTS: Inputs = {
    "fractions, 10 a row": (lambda n: fractions(n, 10), [1_000, 10_000]),
    "fractions, dense": (dense, [10_000, 100_000, 1_000_000, 4_000_000]),
}


def rows(problem: str, graph: str, make: Callable[[int], Any], size: int, repeats: int) -> Iterator[Row]:
    made, found = make(size), []

    def weigh(answer: Any) -> None:
        value = answer.flow_value if problem == FLOW else math.fsum(np.asarray(made[answer]).ravel().tolist())
        found.append(value)
        if value != found[0]:
            raise WrongAnswerError("SciPy and reedsp differ")

    def assign(matrix: Any) -> Any:
        matching = full_matching(matrix)
        return matching.rows, matching.columns

    arguments = made if problem == FLOW else (made,)
    matrix = arguments[0]
    if problem == ASSIGNMENT:
        theirs = csgraph.min_weight_full_bipartite_matching if scipy.sparse.issparse(matrix) else linear_sum_assignment
        functions = [assign, theirs]
    else:
        name = "maximum_flow" if problem == FLOW else "min_weight_full_bipartite_matching"
        functions = [getattr(module, name) for module in (ours, csgraph)]
    mine, scipys = measure_in_turn([(partial(function, *arguments), weigh) for function in functions], repeats)
    yield {
        "problem": problem,
        "graph": graph,
        "n": matrix.shape[0],
        "m": matrix.size,
        "seed": SEED,
        "value": found[0],
        **mine,
        "scipy_min_ms": scipys["min_ms"],
        "scipy_median_ms": scipys["median_ms"],
        "ratio": round(scipys["min_ms"] / mine["min_ms"], 2),
    }


def cases(setting: Setting) -> list[Case]:
    found = []
    for problem, kinds in ((FLOW, FLOWS), (MATCHING, MATCHINGS), (ASSIGNMENT, ASSIGNMENTS)):
        for graph, (make, sizes) in kinds.items():
            for size in sizes[:1] if setting.quick else sizes:
                repeats = 1 if setting.quick else 3
                label = f"{problem}, {graph}, {size}"
                found.append((label, partial(rows, problem, graph, make, size, repeats)))
    return found


def plot(rows: list[dict[str, str]]) -> Figure:
    """Draw the time of a call against the number of edges, of reedsp and of SciPy."""
    problems = list(dict.fromkeys(row["problem"] for row in rows))
    figure, axes = panels(len(problems), width=4.2 if len(problems) < 3 else 3.2)
    for pane, problem in zip(axes, problems, strict=True):
        mine = [row for row in rows if row["problem"] == problem]
        for number, graph in enumerate(dict.fromkeys(row["graph"] for row in mine)):
            for column, style in (("min_ms", {}), ("scipy_min_ms", {"linestyle": ":", "markerfacecolor": "white"})):
                points = [(float(row["m"]), float(row[column])) for row in mine if row["graph"] == graph]
                line(pane, points, f"{graph}{', SciPy' if style else ''}", number, **style)
        finish(pane, "edges", "milliseconds, fastest", problem.capitalize())
        pane.legend(fontsize=8, frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.16))
    figure.suptitle(device_of(rows), fontsize=10)
    return figure


EXPERIMENT = Experiment("Maximum flows and full matchings beside SciPy", cases, plot)
