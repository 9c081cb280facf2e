"""What thesis sections 5.2.1 to 5.2.3 claim about powers of path matrices, counted on many small random graphs.

The truth comes from all simple cycles, found by a search on the host. A pair of vertices has no shortest path if a
vertex of a negative cycle can be reached from the first and reaches the second. The powers are those of
``reedsp.min_plus_power`` and are compared with walks found edge by edge, so that what is counted as wrong is the claim.
Predecessors are updated, and paths followed, on the host as section 5.2.2 says, and matrixExponent is taken as printed.
Of several paths of one weight a serial loop takes the first intermediate vertex; work-items that share a minimum may
take any. Times are those of all graphs of a row, one after another.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from textwrap import fill

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

import reedsp
from experiments.lib.experiment import Case, Experiment, Row, Setting, WrongAnswerError
from experiments.lib.measure import measure
from experiments.lib.plotting import INK, device_of, finish, panels

SEED = 523
INF = float("inf")
DEGREE = 2.5  # edges that begin at a vertex, about
EXPONENTS = range(1, 17)
OUTCOMES = ("right", "wrong", "endless")
STYLES = {
    outcome: {"facecolor": color, "hatch": hatch, "edgecolor": "white", "linewidth": 0.5}
    for outcome, color, hatch in zip(OUTCOMES, ("#b9cfe4", "#b5451b", "#222222"), ("", "///", "..."), strict=True)
}

Matrix = list[list[float]]  # of whole numbers, which floats hold exactly, and of inf
Predecessors = list[list[int]]  # -1: none
Paths = tuple[Matrix, Predecessors]
Order = Callable[[int], Iterable[int]]  # of the intermediate vertices


@dataclass(frozen=True)
class Truth:
    """A weighted adjacency matrix with a zero diagonal, and what is known about it.

    Attributes
    ----------
    a : Matrix
    on_cycles : set of int
        The vertices that a simple cycle of negative weight passes.
    dist : Matrix
        -inf for pairs that have walks, but no shortest one.
    """

    a: Matrix
    on_cycles: set[int]
    dist: Matrix

    @property
    def n(self) -> int:
        """Number of vertices."""
        return len(self.a)

    def pairs(self) -> Iterator[tuple[int, int]]:
        """Yield the pairs of different vertices between which there are walks."""
        for i, j in itertools.permutations(range(self.n), 2):
            if self.dist[i][j] < INF:
                yield i, j


def negative_cycle_vertices(a: Matrix) -> set[int]:
    """Return the vertices on simple cycles of negative weight, each of which is searched from its least vertex."""
    found: set[int] = set()

    def extend(path: list[int], weight: float) -> None:
        for v in range(path[0], len(a)):
            longer = weight + a[path[-1]][v]
            if longer == INF or v == path[-1]:
                continue
            if v == path[0] and longer < 0:
                found.update(path)
            elif v not in path:
                extend([*path, v], longer)

    for start in range(len(a)):
        extend([start], 0)
    return found


def product(a: Matrix, b: Matrix) -> Matrix:
    return [[min(x + y for x, y in zip(row, column, strict=True)) for column in zip(*b, strict=True)] for row in a]


def power(a: Matrix, k: int) -> Matrix:
    """Return the best walks of exactly `k` edges, `k` > 0, found edge by edge."""
    result = a
    for _ in range(k - 1):
        result = product(result, a)
    return result


def truth_of(a: Matrix) -> Truth:
    n, walks = len(a), power(a, len(a))
    on_cycles = negative_cycle_vertices(a) if walks != product(walks, a) else set()
    dist = [
        [-INF if any(walks[i][k] < INF and walks[k][j] < INF for k in on_cycles) else walks[i][j] for j in range(n)]
        for i in range(n)
    ]
    return Truth(a, on_cycles, dist)


# ---- graphs -----------------------------------------------------------------------------------------


def empty(n: int) -> Matrix:
    return [[0 if i == j else INF for j in range(n)] for i in range(n)]


def random_graph(rng: np.random.Generator, n: int, lowest: int, highest: int) -> Matrix:
    a = empty(n)
    for i, j in itertools.permutations(range(n), 2):
        if rng.random() < DEGREE / n:
            a[i][j] = int(rng.integers(lowest, highest + 1))
    return a


def single_cycle(rng: np.random.Generator, n: int) -> Matrix:
    """Return one cycle through all vertices, of weight -1."""
    a, order = empty(n), rng.permutation(n).tolist()
    weights = rng.integers(-4, 10, n - 1).tolist()
    for i, j, weight in zip(order, order[1:] + order[:1], [*weights, -1 - sum(weights)], strict=True):
        a[i][j] = weight
    return a


def zero_cycles(rng: np.random.Generator, n: int) -> Matrix:
    """Return a graph without negative cycles in which most edges lie on paths of the same weight."""
    a, height = random_graph(rng, n, 0, 0), rng.integers(0, 10, n).tolist()
    for i, j in itertools.permutations(range(n), 2):
        a[i][j] += height[j] - height[i] + int(rng.random() < 0.2)
    return a


FAMILIES: dict[str, Callable[[np.random.Generator, int], Matrix]] = {
    "weights of both signs": partial(random_graph, lowest=-4, highest=9),
    "one cycle of all vertices": single_cycle,
    "positive weights": partial(random_graph, lowest=1, highest=9),
    "cycles of weight zero": zero_cycles,
}


# ---- 5.2.3: the diagonal ----------------------------------------------------------------------------


def diagonals(device: reedsp.Device, truths: list[Truth]) -> Iterator[tuple[str, str, Counter[str]]]:
    """Yield what the diagonals of three powers say about negative cycles."""
    n = truths[0].n
    doubled = 1 << (n - 1).bit_length()
    for way, k in (("A^(|V|-1)", n - 1), ("A^|V|", n), ("A^(2^k), 2^k > |V|-1", doubled)):
        counts: dict[str, Counter[str]] = {
            "a negative cycle through i makes i,i negative": Counter(),
            "only a negative cycle through i makes i,i negative": Counter(),
            "i,i is negative if i has no shortest path to itself": Counter(),
            "the diagonal shows whether there is a negative cycle": Counter(),
        }
        through, only, closed, any_cycle = counts.values()
        for truth in truths:
            result = reedsp.min_plus_power(np.array(truth.a, np.float32), k, device=device).tolist()
            if result != power(truth.a, k):
                raise WrongAnswerError(f"{way} of {truth.a}")
            negative = {i for i in range(n) if result[i][i] < 0}
            unbounded = {i for i in range(n) if truth.dist[i][i] < 0}
            through.update(right=len(truth.on_cycles & negative), wrong=len(truth.on_cycles - negative))
            only.update(right=len(negative & truth.on_cycles), wrong=len(negative - truth.on_cycles))
            closed.update(right=len(unbounded & negative), wrong=len(unbounded - negative))
            any_cycle["right" if bool(negative) == bool(truth.on_cycles) else "wrong"] += 1
        for claim, count in counts.items():
            yield claim, way, count


# ---- 5.2.2: predecessors ----------------------------------------------------------------------------


def multiply(d: Matrix, pred: Predecessors, b: Matrix, b_pred: Predecessors, order: Order) -> Paths:
    """Multiply path matrices: an entry that gets less takes its predecessor from the second factor."""
    new, new_pred = [list(row) for row in d], [list(row) for row in pred]
    for i, j in itertools.product(range(len(d)), repeat=2):
        for m in order(len(d)):
            if d[i][m] + b[m][j] < new[i][j]:
                new[i][j], new_pred[i][j] = d[i][m] + b[m][j], b_pred[m][j]
    return new, new_pred


def squared(a: Matrix, pred: Predecessors, order: Order = range) -> Paths:
    """Square until the power is larger than |V| - 1."""
    d, k = a, 1
    while k <= len(a) - 1:
        d, pred = multiply(d, pred, d, pred, order)
        k *= 2
    return d, pred


def multiplied(a: Matrix, pred: Predecessors) -> Paths:
    """Multiply |V| - 1 times by the first matrix."""
    d, first = a, pred
    for _ in range(len(a) - 1):
        d, pred = multiply(d, pred, a, first, range)
    return d, pred


def follow(pred: Predecessors, i: int, j: int) -> tuple[list[int], str]:
    """Return the path of section 5.2.2 from its end on, and whether it is "whole", "endless" or "broken" off."""
    path = [j]
    while path[-1] != i:
        before = pred[i][path[-1]]
        if before < 0:
            return path, "broken"
        if before in path:
            return path, "endless"
        path.append(before)
    return path, "whole"


def paths(truths: list[Truth]) -> Iterator[tuple[str, str, Counter[str]]]:
    """Yield whether predecessors lead along shortest paths, and whether these tell which ones are invalid."""
    rng = np.random.default_rng(SEED)
    ways: dict[str, Callable[[Matrix, Predecessors], Paths]] = {
        "A^(2^k)": squared,
        "A^(2^k), ties in any order": partial(squared, order=lambda n: rng.permutation(n).tolist()),
        "A * A * ... * A": multiplied,
    }
    for way, method in ways.items():
        shortest, valid, invalid, on_the_way = (Counter[str]() for _ in range(4))
        for truth in truths:
            size = range(truth.n)
            edges = [[i if i != j and truth.a[i][j] < INF else -1 for j in size] for i in size]
            d, pred = method(truth.a, edges)
            for i, j in truth.pairs():
                path, end = follow(pred, i, j)
                passes = any(d[v][v] < 0 for v in path)
                ended = {"whole": "right", "broken": "wrong", "endless": "endless"}[end]
                if truth.dist[i][j] == -INF:
                    invalid[ended if end != "whole" or passes else "wrong"] += 1
                    on_the_way["right" if passes else ended if end != "whole" else "wrong"] += 1
                    continue
                valid[ended if end != "whole" or not passes else "wrong"] += 1
                weight = sum(truth.a[u][v] for v, u in itertools.pairwise(path))
                shortest[ended if end != "whole" or weight == truth.dist[i][j] else "wrong"] += 1
        yield "predecessors lead along a shortest path, if there is one", way, shortest
        yield "a valid path value is accepted", way, valid
        yield "an invalid path value is rejected, its path being known", way, invalid
        yield "an invalid path value is rejected while its path is followed", way, on_the_way


def marks(device: reedsp.Device, truths: list[Truth], repeats: int) -> Iterator[tuple[str, str, Counter[str], float]]:
    """Yield how long reedsp takes to mark the pairs without a shortest path, which has to be right."""
    expected = [truth.dist for truth in truths]
    edges = [[(i, j) for i, j in itertools.permutations(range(t.n), 2) if t.a[i][j] < INF] for t in truths]
    graphs = [
        reedsp.Graph.from_edges(t.n, [i for i, _ in pairs], [j for _, j in pairs], [int(t.a[i][j]) for i, j in pairs])
        for t, pairs in zip(truths, edges, strict=True)
    ]

    def check(answers: list[reedsp.AllPairs]) -> None:
        if [answer.dist.tolist() for answer in answers] != expected:
            raise WrongAnswerError("wrong distances or marks")

    for method in ("floyd-warshall", "min-plus"):
        solve = partial(mark, device, graphs, method)
        _, times = measure(solve, check, repeats)
        count = Counter(right=sum(truth.n**2 for truth in truths))
        yield "reedsp marks the pairs without a shortest path", method, count, times["min_ms"]


def mark(device: reedsp.Device, graphs: list[reedsp.Graph], method: str) -> list[reedsp.AllPairs]:
    return [reedsp.apsp(graph, method, negative_cycles="mark", device=device) for graph in graphs]


# ---- 5.2.1: matrixExponent --------------------------------------------------------------------------


def matrix_exponent(device: reedsp.Device, matrix: np.ndarray, exponent: int) -> np.ndarray:
    """Take the steps of matrixExponent as they are printed; the half of an odd exponent is rounded down."""
    if exponent > 3:
        half = matrix_exponent(device, matrix, exponent // 2)
        result = reedsp.min_plus_product(half, half, device=device)
    else:
        result = reedsp.min_plus_product(matrix, matrix, device=device)
    if exponent % 2 == 1:
        result = reedsp.min_plus_product(result, matrix, device=device)
    return result


def exponents(device: reedsp.Device, n: int) -> Iterator[Row]:
    """Yield how many exponents give the power that they ask for, on a path, whose powers are all different."""
    a = empty(n)
    for i in range(n - 1):
        a[i][i + 1] = 1
    matrix = np.array(a, np.float32)
    ways = {
        "as printed, for 1 to 16": partial(matrix_exponent, device, matrix),
        "reedsp.min_plus_power": partial(reedsp.min_plus_power, matrix, device=device),
    }
    for way, raised in ways.items():
        wrong = sum(raised(k).tolist() != power(a, k) for k in EXPONENTS)
        count = Counter(right=len(EXPONENTS) - wrong, wrong=wrong)
        yield row_of("matrixExponent returns the power", way, "positive weights", 1, n, count)


# ---- rows -------------------------------------------------------------------------------------------


def row_of(
    claim: str, way: str, family: str, graphs: int, n: int, count: Counter[str], min_ms: float | str = ""
) -> Row:
    counts = {outcome: count[outcome] for outcome in OUTCOMES}
    about = {"claim": claim, "way": way, "family": family, "graphs": graphs, "n": n, "seed": SEED}
    return {**about, "cases": sum(counts.values()), **counts, "min_ms": min_ms}


def rows(device: reedsp.Device, family: str, n: int, graphs: int, repeats: int) -> Iterator[Row]:
    rng = np.random.default_rng((SEED, n))
    truths = [truth_of(FAMILIES[family](rng, n)) for _ in range(graphs)]
    about = (family, graphs, n)
    for claim, way, count in (*diagonals(device, truths), *paths(truths)):
        if count.total():
            yield row_of(claim, way, *about, count)
    for claim, way, count, min_ms in marks(device, truths, repeats):
        yield row_of(claim, way, *about, count, min_ms)


def cases(setting: Setting) -> list[Case]:
    graphs, repeats = (10, 1) if setting.quick else (200, 3)
    return [
        ("matrixExponent", partial(exponents, setting.device, EXPONENTS[-1] + 2)),
        *(
            (f"{family}, n = {n}", partial(rows, setting.device, family, n, graphs, repeats))
            for family in FAMILIES
            for n in ((4,) if setting.quick else (8, 12, 16) if family == "cycles of weight zero" else (4, 6, 8))
        ),
    ]


def plot(rows: list[dict[str, str]]) -> Figure:
    """Draw the shares of the outcomes, a panel for each kind of graphs, all sizes taken together."""
    counts: dict[tuple[str, str, str], Counter[str]] = {}
    for row in rows:
        each = counts.setdefault((row["family"], row["claim"], row["way"]), Counter())
        each.update({outcome: int(row[outcome]) for outcome in OUTCOMES})
    lines: list[tuple[str, str]] = []  # claim and way; without a way, the heading of a claim
    for claim in dict.fromkeys(row["claim"] for row in rows):
        lines += [(claim, ""), *dict.fromkeys((claim, row["way"]) for row in rows if row["claim"] == claim)]
    figure, axes = panels(len(FAMILIES), 2.3, 0.21 * len(lines) + 1.2)
    for family, panel in zip(FAMILIES, axes, strict=True):
        for place, line in enumerate(lines):
            draw_shares(panel, -place, counts.get((family, *line), Counter()))
        panel.set(xlim=(0, 100), ylim=(0.7 - len(lines), 0.7), yticks=[])
        finish(panel, "% of the cases", "", fill(family, 16), log="")
        panel.grid(False, axis="y")
    axes[0].set_yticks(
        [-place for place in range(len(lines))], [way or f"{claim}:" for claim, way in lines], fontsize=7
    )
    for (_, way), text in zip(lines, axes[0].get_yticklabels(), strict=True):
        text.set_weight("normal" if way else "bold")
    patches = [Patch(label=outcome, **style) for outcome, style in STYLES.items()]
    figure.legend(handles=patches, loc="outside lower center", ncols=len(patches), fontsize=8, frameon=False)
    figure.suptitle(f"Claims of sections 5.2.1 to 5.2.3, counted: {device_of(rows)}", fontsize=10)
    return figure


def draw_shares(axes: Axes, place: float, count: Counter[str]) -> None:
    """Draw one bar, and how many cases were not right."""
    left, total = 0.0, count.total()
    for outcome, style in STYLES.items():
        if count[outcome]:
            share = 100 * count[outcome] / total
            axes.barh(place, share, 0.75, left=left, **style)
            left += share
    if missed := total - count["right"]:
        box = {"facecolor": "white", "edgecolor": "none", "pad": 0.8}
        axes.text(2, place, f"{missed:,} of {total:,}", ha="left", va="center", fontsize=6.5, color=INK, bbox=box)


EXPERIMENT = Experiment(
    "Negative cycles, predecessors and matrixExponent: what holds of thesis 5.2.1 to 5.2.3", cases, plot
)
