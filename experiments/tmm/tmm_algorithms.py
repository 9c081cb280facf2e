"""The algorithms of Ma, Agrawal and Chamberlain's Table III that the library has: times, and counts beside formulae.

Random graphs of n vertices with 4, n / lg n and n edges a vertex, as sections IV and V have them. Calls of `apsp` are
timed in turn, and all distances compared. What the two of Johnson do is counted from SOURCES sources, and multiplied by
n / SOURCES, as the paper has them: a binary heap, and an array of groups of GROUP_SIZE work-items in global memory, and
in local memory. The formulae are those of T1 and M in Table III (reedsp/cost_model/many_core.py), without a factor.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
import scipy.sparse.csgraph
from matplotlib.figure import Figure

import reedsp
from experiments.lib.experiment import Case, Experiment, Row, Setting, WrongAnswerError
from experiments.lib.measure import measure_in_turn
from experiments.lib.plotting import device_of, finish, line, panels
from experiments.tmm.counted import Counts, count_array, count_heap
from reedsp.algorithms.single_source.dijkstra_array import COALESCED
from reedsp.cost_model.many_core import TABLE, ManyCore

SEED = 2012
SOURCES = 64
GROUP_SIZE = 32
DENSITIES: dict[str, Callable[[int], float]] = {
    "4": lambda n: 4,
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
    "matrix squaring": Algorithm("min-plus", {}, "matrix squaring"),
}
TIMED = ("heap", "array", "matrix squaring")


def graph_of(n: int, degree: float) -> reedsp.Graph:
    """Return a random graph without parallel edges, of so many edges a vertex."""
    rng = np.random.default_rng(SEED)
    places = rng.choice(n * n, int(n * degree), replace=False)
    return reedsp.Graph.from_edges(n, places // n, places % n, rng.integers(1, 1001, len(places)))


def solve(device: reedsp.Device, graph: reedsp.Graph, algorithm: Algorithm) -> reedsp.AllPairs:
    return reedsp.apsp(graph, algorithm.method, device=device, options=algorithm.options)  # type: ignore[arg-type]


def rows(device: reedsp.Device, n: int, name: str, repeats: int) -> Iterator[Row]:
    graph = graph_of(n, DENSITIES[name](n))
    expected = scipy.sparse.csgraph.dijkstra(graph.to_scipy())

    def check(paths: reedsp.AllPairs) -> None:
        if not np.array_equal(paths.dist, expected):
            raise WrongAnswerError("wrong distances")

    tasks = [(partial(solve, device, graph, ALGORITHMS[each]), check) for each in TIMED]
    times = dict(zip(TIMED, measure_in_turn(tasks, repeats), strict=True))
    untimed = dict.fromkeys(times[TIMED[0]], "")
    some = np.random.default_rng(SEED).choice(n, min(n, SOURCES), replace=False).tolist()
    for label, algorithm in ALGORITHMS.items():
        counts = dict.fromkeys(("operations", "accesses", "of_t1", "of_m"), "")
        if algorithm.count is not None:
            found, part = algorithm.count(graph, device, some), n / len(some)
            machine = ManyCore(1, 1, COALESCED, algorithm.local_words, 1, 1)
            formula = TABLE[algorithm.row].program(n, graph.m, machine)
            operations, accesses = round(found.operations * part), round(found.accesses * part)
            counts |= {"operations": str(operations), "of_t1": f"{operations / formula.work:.3f}"}
            counts |= {"accesses": str(accesses), "of_m": f"{accesses / formula.accesses:.3f}"}
        graph_columns = {"degree": name, "n": n, "m": graph.m, "seed": SEED}
        yield {**graph_columns, "algorithm": label, **counts, **times.get(label, untimed)}


def cases(setting: Setting) -> list[Case]:
    repeats = 1 if setting.quick else 11
    return [
        (f"{name}, n = {n}", partial(rows, setting.device, n, name, repeats))
        for name in DENSITIES
        for n in ((64,) if setting.quick else (64, 128, 256, 512, 1024))
    ]


def plot(rows: list[dict[str, str]]) -> Figure:
    """Draw the times for each density, one panel each."""
    degrees = list(dict.fromkeys(row["degree"] for row in rows))
    figure, panes = panels(len(degrees), width=2.5, height=2.9)
    for axes, degree in zip(panes, degrees, strict=True):
        for number, name in enumerate(TIMED):
            some = [row for row in rows if (row["degree"], row["algorithm"]) == (degree, name)]
            line(axes, [(float(row["n"]), float(row["min_ms"])) for row in some], name, number)
        finish(axes, "vertices", "milliseconds, least" if axes is panes[0] else "", f"{degree} edges a vertex")
    figure.suptitle(device_of(rows), fontsize=10)
    return figure


EXPERIMENT = Experiment(
    "Three algorithms for all pairs, timed and counted (Ma, Agrawal and Chamberlain, Table III)", cases, plot
)
