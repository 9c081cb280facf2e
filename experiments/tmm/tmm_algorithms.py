"""The algorithms of Ma, Agrawal and Chamberlain's Table III: times, and counts beside formulae.

Random graphs of n vertices with 4, n / lg^2 n, n / lg n and n edges a vertex, as sections IV and V have them. Calls of
`apsp` are timed in turn, and all distances compared with each other and with SciPy's. What is searched from one source
after the other is counted from SOURCES sources, and multiplied by n / SOURCES, as the paper has it: a binary heap, and
an array, and Bellman-Ford, of groups of GROUP_SIZE work-items, in global memory, and in local memory. The formulae are
those of T1 and M in Table III (reedsp/cost_model/many_core.py), without a factor.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt
import scipy.sparse.csgraph
from matplotlib.figure import Figure

import reedsp
from experiments.lib.experiment import Case, Experiment, Row, Setting, WrongAnswerError
from experiments.lib.measure import measure_in_turn
from experiments.lib.plotting import device_of, finish, grid_of_panels, line
from experiments.tmm.counted import Counts, count_array, count_bellman_ford, count_heap
from reedsp.algorithms.single_source.dijkstra_array import COALESCED
from reedsp.cost_model.many_core import TABLE, ManyCore

SEED = 2012
SOURCES = 64
GROUP_SIZE = 32
SIZES, LARGE = (64, 128, 256, 512, 1024), (2048, 4096)  # the latter on GPUs, of graphs that are not dense
DENSITIES: dict[str, Callable[[int], float]] = {
    "4": lambda n: 4,
    "n / lg^2 n": lambda n: n / math.log2(n) ** 2,
    "n / lg n": lambda n: n / math.log2(n),
    "n": lambda n: n,
}


@dataclass(frozen=True)
class Algorithm:
    """How to run it, to count it, and its row of Table III for the local memory that it has."""

    method: str
    options: dict[str, str]
    row: str
    count: Callable[[reedsp.Graph, reedsp.Device, list[int]], Counts] | None = None
    local_words: float = 1


ALGORITHMS = {
    "heap": Algorithm("johnson", {"search": "dijkstra-heap"}, "heap", partial(count_heap, arity=2)),
    "array": Algorithm("johnson", {"search": "dijkstra-array"}, "array", partial(count_array, group_size=GROUP_SIZE)),
    "array in local memory": Algorithm(
        *("johnson", {}, "array"),
        partial(count_array, group_size=GROUP_SIZE, local_memory=True),
        local_words=1e9,
    ),
    "Bellman-Ford": Algorithm(
        *("johnson", {"search": "bellman-ford"}, "Bellman-Ford"),
        partial(count_bellman_ford, group_size=GROUP_SIZE, local_memory=False),
    ),
    "Bellman-Ford in local memory": Algorithm(
        *("johnson", {}, "Bellman-Ford"),
        partial(count_bellman_ford, group_size=GROUP_SIZE, local_memory=True),
        local_words=1e9,
    ),
    "matrix squaring": Algorithm("min-plus", {}, "matrix squaring"),
}
TIMED = ("heap", "array", "Bellman-Ford", "matrix squaring")
COUNTED = ("operations", "accesses", "extractions", "insertions")


def graph_of(n: int, degree: float) -> reedsp.Graph:
    """Return a random graph without parallel edges, of so many edges a vertex."""
    rng = np.random.default_rng(SEED)
    places = rng.choice(n * n, int(n * degree), replace=False)
    return reedsp.Graph.from_edges(n, places // n, places % n, rng.integers(1, 1001, len(places)))


def solve(device: reedsp.Device, graph: reedsp.Graph, algorithm: Algorithm) -> reedsp.AllPairs:
    return reedsp.apsp(graph, algorithm.method, device=device, options=algorithm.options)  # type: ignore[arg-type]


def rows(device: reedsp.Device, n: int, name: str, repeats: int) -> Iterator[Row]:
    graph = graph_of(n, DENSITIES[name](n))
    checked = np.random.default_rng(SEED).choice(n, SOURCES, replace=False)
    expected = scipy.sparse.csgraph.dijkstra(graph.to_scipy(), indices=checked)
    first: list[npt.NDArray[np.float64]] = []

    def check(paths: reedsp.AllPairs) -> None:
        first.extend([paths.dist] * (not first))
        if not np.array_equal(paths.dist[checked], expected) or not np.array_equal(paths.dist, first[0]):
            raise WrongAnswerError("wrong distances")

    tasks = [(partial(solve, device, graph, ALGORITHMS[each]), check) for each in TIMED]
    times = dict(zip(TIMED, measure_in_turn(tasks, repeats), strict=True))
    untimed = dict.fromkeys(times[TIMED[0]], "")
    some = checked.tolist()
    for label, algorithm in ALGORITHMS.items():
        counts = dict.fromkeys((*COUNTED, "of_t1", "of_m"), "")
        if algorithm.count is not None:
            found, part = algorithm.count(graph, device, some), n / len(some)
            machine = ManyCore(1, 1, COALESCED, algorithm.local_words, 1, 1)
            formula = TABLE[algorithm.row].program(n, graph.m, machine)
            counts |= {column: str(round(getattr(found, column) * part)) for column in COUNTED}
            counts |= {"of_t1": f"{found.operations * part / formula.work:.3f}"}
            counts |= {"of_m": f"{found.accesses * part / formula.accesses:.3f}"}
        graph_columns = {"degree": name, "n": n, "m": graph.m, "seed": SEED}
        yield {**graph_columns, "algorithm": label, **counts, **times.get(label, untimed)}


def cases(setting: Setting) -> list[Case]:
    def repeats(n: int) -> int:
        return 1 if setting.quick else 11 if n <= 256 else 5 if n == 512 else 3

    sizes = dict.fromkeys(DENSITIES, (64,) if setting.quick else SIZES)
    if setting.device.kind != "cpu" and not setting.quick:
        sizes |= {name: SIZES + LARGE for name in DENSITIES if name != "n"}
    return [
        (f"{name}, n = {n}", partial(rows, setting.device, n, name, repeats(n)))
        for name, several in sizes.items()
        for n in several
    ]


def plot(rows: list[dict[str, str]]) -> Figure:
    """Draw the times for each density, one panel each."""
    degrees = list(dict.fromkeys(row["degree"] for row in rows))
    figure, panes = grid_of_panels(len(degrees), 2, 3.9, 3.2)
    for axes, degree in zip(panes, degrees, strict=True):
        for number, name in enumerate(TIMED):
            some = [row for row in rows if (row["degree"], row["algorithm"]) == (degree, name)]
            line(axes, [(float(row["n"]), float(row["min_ms"])) for row in some], name, number)
        finish(axes, "vertices", "milliseconds, least", f"{degree} edges a vertex")
    figure.suptitle(device_of(rows), fontsize=10)
    return figure


EXPERIMENT = Experiment(
    "Four algorithms for all pairs, timed and counted (Ma, Agrawal and Chamberlain, Table III)", cases, plot
)
