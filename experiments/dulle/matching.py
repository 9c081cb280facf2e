"""Maximum matchings: Dulle's balls and bins (section 5.5) beside the methods of today and SciPy, and what he says.

`rounds` are those until no ball is left, and `after_n_rounds` is how many pairs there are after the n rounds of his
Algorithm 15. Times are of whole calls from a SciPy matrix, in turn. The row "small" runs Algorithms 16 and 17 step by
step on many small graphs: `short` counts those without a maximum matching after n rounds, `infinite` the bins that got
an infinite label, and `left` those of them that got another ball later. Every matching is proved by a cover.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse
from matplotlib.figure import Figure
from scipy.sparse.csgraph import maximum_bipartite_matching

import reedsp
from experiments.lib.experiment import Case, Experiment, Row, Setting, WrongAnswerError
from experiments.lib.measure import measure_in_turn
from experiments.lib.plotting import device_of, panels
from reedsp import csgraph
from reedsp.algorithms.structure.matching import balls
from reedsp.algorithms.structure.matching.biadjacency import pattern_of
from reedsp.algorithms.structure.matching.sides import Sides
from reedsp.cost_model import place
from reedsp.device.job import Job

SEED = 2016
DEGREE = 3
SIZES = (300, 1000, 3000, 10_000, 30_000, 100_000)
LARGEST = {"dulle": 1000, "khosla": 10_000}  # of these methods, whose rounds or balls grow with n
SMALL_GRAPHS, SMALL = 20_000, 8
ENDLESS = sys.maxsize
COLUMNS = (
    "method",
    "pairs",
    "rounds",
    "after_n_rounds",
    "short",
    "infinite",
    "left",
    "first_ms",
    "min_ms",
    "median_ms",
)


def random(n: int, degree: int = DEGREE) -> scipy.sparse.csr_array:
    """Return n balls that may each go to as many bins as `degree`, drawn from n."""
    rng = np.random.default_rng(SEED)
    ends = np.repeat(np.arange(n), degree), rng.integers(0, n, n * degree)
    matrix = scipy.sparse.csr_array((np.ones(n * degree, np.int8), ends), shape=(n, n))
    matrix.sum_duplicates()
    return matrix


def r_mat(scale: int) -> scipy.sparse.csr_array:
    """Return the matrix of a directed graph of 2^scale vertices and 16 times as many edges, as Graph500 has them."""
    rng = np.random.default_rng(SEED)
    row, column = np.zeros((2, 16 << scale), np.int64)
    for _ in range(scale):
        where = rng.random(len(row))
        row = 2 * row + (where >= 0.76)
        column = 2 * column + ((where >= 0.57) & (where < 0.76) | (where >= 0.95))
    matrix = scipy.sparse.csr_array((np.ones(len(row), np.int8), (row, column)), shape=(1 << scale, 1 << scale))
    matrix.sum_duplicates()
    return matrix


def grid(side: int) -> scipy.sparse.csr_array:
    """Return the two colours of a square grid, a tenth of whose edges is missing."""
    rng = np.random.default_rng(SEED)
    cell = np.arange(side * side).reshape(side, side)
    u = np.concatenate((cell[:, :-1].ravel(), cell[:-1].ravel()))
    v = np.concatenate((cell[:, 1:].ravel(), cell[1:].ravel()))
    kept = rng.random(len(u)) >= 0.1
    u, v = u[kept], v[kept]
    white = (u // side + u % side) % 2 == 0
    ends = np.where(white, u, v) // 2, np.where(white, v, u) // 2
    half = side * side // 2
    return scipy.sparse.csr_array((np.ones(len(u), np.int8), ends), shape=(half, half))


def row_of(name: str, matrix: scipy.sparse.csr_array, **figures: Any) -> Row:
    n, columns = matrix.shape
    row: Row = {"graph": name, "n": n, "columns": columns, "m": matrix.nnz, "seed": SEED}
    return {**row, **{column: figures.get(column, "") for column in COLUMNS}}


def check(found: np.ndarray, pairs: int) -> None:
    """Raise unless there are as many pairs as were proved to be the most."""
    if np.count_nonzero(found >= 0) != pairs:
        raise WrongAnswerError("the methods differ")


def timed(device: reedsp.Device, name: str, make: Callable[[], Any], with_scipy: bool, repeats: int) -> Iterator[Row]:
    """Time whole calls, ours and SciPy's, on the device even where the host would be sooner."""
    matrix = make()
    proved = reedsp.maximum_matching(matrix, device=device)
    proved.verify()
    pairs, n = proved.cardinality, matrix.shape[0]
    methods: list[Any] = [
        proved.method,
        *(each for each in LARGEST if name.startswith("random") and n <= LARGEST[each]),
    ]
    serves = place._serves
    place._serves = False
    solves: list[tuple[Callable[[], Any], Callable[[Any], None]]] = [
        (partial(solve, matrix, method, device), partial(check, pairs=pairs)) for method in methods
    ]
    solves.append((partial(csgraph.maximum_bipartite_matching, matrix, "column"), partial(check, pairs=pairs)))
    if with_scipy:
        solves.append((partial(maximum_bipartite_matching, matrix, "column"), partial(check, pairs=pairs)))
    try:
        times = measure_in_turn(solves, repeats)
    finally:
        place._serves = serves
    for method, found in zip([*methods, "csgraph", "SciPy"], times, strict=False):
        figures: dict[str, Any] = {"method": method, "pairs": pairs, **found}
        if method in methods:
            figures["rounds"] = reedsp.maximum_matching(matrix, method, device=device).stats["rounds"]
        if method == "dulle":
            figures["after_n_rounds"] = after_rounds(matrix, device, n)
        yield row_of(name, matrix, **figures)


def solve(matrix: Any, method: Any, device: reedsp.Device) -> np.ndarray:
    return reedsp.maximum_matching(matrix, method, device=device).column_of_row


def after_rounds(matrix: Any, device: reedsp.Device, rounds: int) -> int:
    """Return how many pairs Dulle's method has after some rounds."""
    sides = Sides(Job(device), pattern_of(matrix))
    (column_of_row, _), _ = balls.solve_in_rounds(sides, most_rounds=rounds)
    sides.close()
    return int(np.count_nonzero(column_of_row >= 0))


THESIS = scipy.sparse.csr_array((np.ones(7), [1, 3, 1, 2, 2, 4, 3], [0, 2, 4, 6, 7]), shape=(4, 5))
"""Four balls, for which four rounds are not enough; ties go to the least index."""


def counterexample(device: reedsp.Device) -> Iterator[Row]:
    found = reedsp.maximum_matching(THESIS, "dulle", device=device)
    found.verify()
    figures = {
        "pairs": found.cardinality,
        "rounds": found.stats["rounds"],
        "after_n_rounds": after_rounds(THESIS, device, 4),
    }
    yield row_of("4 balls", THESIS, method="dulle", **figures)


def step_by_step(matrix: scipy.sparse.csr_array) -> tuple[int, int, int, int]:
    """Return the pairs after n rounds and in the end, the bins with infinite labels, and those that changed balls."""
    n, columns = matrix.shape
    bins_of = [
        sorted(set(matrix.indices[a:b].tolist())) for a, b in zip(matrix.indptr, matrix.indptr[1:], strict=False)
    ]
    bin_of, ball_of, of_balls, of_bins = [-1] * n, [-1] * columns, [0] * n, [0] * columns
    kept: dict[int, int] = {}  # the ball of each bin that has got an infinite label
    left, after_n, done = 0, 0, False
    rounds = 0
    while not done:
        done = True
        for ball in range(n):
            if bin_of[ball] != -1:
                continue
            best = min(bins_of[ball], key=lambda each: of_bins[each], default=None)
            if best is None or of_bins[best] > columns:
                bin_of[ball] = -2
                continue
            done = False
            bin_of[ball] = best
            of_balls[ball] = min((of_bins[each] for each in bins_of[ball] if each != best), default=ENDLESS)
        for each in range(columns):
            chosen = [ball for ball in range(n) if bin_of[ball] == each]
            if not chosen:
                continue
            taken = max(chosen, key=lambda ball: of_balls[ball])
            left += each in kept and kept[each] != taken
            ball_of[each], of_bins[each] = taken, min(of_balls[taken] + 1, ENDLESS)
            if of_bins[each] == ENDLESS:
                kept.setdefault(each, taken)
            for ball in chosen:
                if ball != taken:
                    bin_of[ball] = -1
        rounds += 1
        if rounds == n:
            after_n = sum(ball >= 0 for ball in ball_of)
    return (
        after_n if rounds >= n else sum(ball >= 0 for ball in ball_of),
        sum(ball >= 0 for ball in ball_of),
        len(kept),
        left,
    )


def small(graphs: int) -> Iterator[Row]:
    """Run the two steps on small graphs, written again without the library."""
    rng = np.random.default_rng(SEED)
    short = infinite = left = total = 0
    for _ in range(graphs):
        n = int(rng.integers(1, SMALL + 1))
        columns = n + int(rng.integers(0, 2))
        ends = np.repeat(np.arange(n), rng.integers(1, 3, n))  # of one bin or two for each ball
        places = ends, rng.integers(0, columns, len(ends))
        matrix = scipy.sparse.csr_array((np.ones(len(ends), np.int8), places), shape=(n, columns))
        pairs = int(np.count_nonzero(maximum_bipartite_matching(matrix, "column") >= 0))
        after_n, in_the_end, some, changed = step_by_step(matrix)
        if in_the_end != pairs:
            raise WrongAnswerError("rounds until no ball is left do not give a maximum matching")
        short, infinite, left, total = short + (after_n < pairs), infinite + some, left + changed, total + pairs
    figures = {"pairs": total, "short": short, "infinite": infinite, "left": left}
    yield row_of(f"small, {graphs:,}", scipy.sparse.csr_array((SMALL, SMALL)), method="dulle", **figures)


def cases(setting: Setting) -> list[Case]:
    repeats = 1 if setting.quick else 5
    sizes = (100, 300) if setting.quick else SIZES
    found: list[Case] = [
        ("4 balls", partial(counterexample, setting.device)),
        ("small", partial(small, 100 if setting.quick else SMALL_GRAPHS)),
    ]
    graphs: list[tuple[str, Callable[[], Any], bool]] = [(f"random, {n:,}", partial(random, n), True) for n in sizes]
    scale, side = (10, 40) if setting.quick else (18, 1000)
    graphs += [(f"R-MAT {scale}", partial(r_mat, scale), True)]
    graphs += [(f"grid {side} x {side}", partial(grid, side), setting.quick)]  # SciPy is not done in minutes
    return [*found, *((name, partial(timed, setting.device, name, *more, repeats)) for name, *more in graphs)]


def plot(rows: list[dict[str, str]]) -> Figure:
    """Draw time and rounds against n, of random graphs."""
    figure, [times, rounds] = panels(2, width=4.6)
    chosen = [row for row in rows if row["graph"].startswith("random")]
    names = {"csgraph": "reedsp.csgraph", "dulle": "Dulle", "khosla": "Khosla", "SciPy": "SciPy"}
    for method, name in names.items():
        points = [(float(row["n"]), float(row["min_ms"])) for row in chosen if row["method"] == method]
        times.loglog(*zip(*points, strict=True), marker="o", label=name)
    points = [(float(row["n"]), float(row["rounds"])) for row in chosen if row["method"] == "dulle"]
    rounds.loglog(*zip(*points, strict=True), marker="o", color="C1", label="until no ball is left")
    rounds.loglog(*zip(*[(n, n) for n, _ in points], strict=True), ":", color="grey", label="n, as in Algorithm 15")
    for axes, label in ((times, "milliseconds, fastest"), (rounds, "rounds of Dulle's method")):
        axes.set_xlabel("balls, and bins")
        axes.set_ylabel(label)
        axes.legend(fontsize=8, frameon=False)
    figure.suptitle(f"Maximum matchings, three bins a ball: {device_of(rows)}", fontsize=10)
    return figure


EXPERIMENT = Experiment("Maximum matchings: Dulle's rounds, and what is faster (Dulle, section 5.5)", cases, plot)
