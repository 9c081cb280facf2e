"""Prepared graphs: how long the preparation takes, and what answers take afterwards, beside near-far and others.

Whole calls of the public interface, from a graph to arrays of numpy; "on the device" the distances stay there. They are
compared with those of near-far, exactly; a table with those of its rows.
"""

from __future__ import annotations

import importlib
import importlib.util
import itertools
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse.csgraph
from matplotlib.figure import Figure

import reedsp
from experiments.lib import inputs
from experiments.lib.experiment import Case, Experiment, Row, Setting, WrongAnswerError
from experiments.lib.measure import measure, measure_in_turn
from experiments.lib.plotting import device_of, dots, panels
from reedsp.algorithms.contraction.exact import units_of
from reedsp.algorithms.contraction.hierarchy import contract
from reedsp.algorithms.contraction.wide import searches_in
from reedsp.algorithms.single_source import near_far_work_group, near_far_work_item
from reedsp.algorithms.single_source.near_far import in_work_groups
from reedsp.arithmetic.paths import choose_arithmetic
from reedsp.device.job import Job
from reedsp.edges.device_graph import OutEdges

SEED = 2011
SOURCES, MANY_SOURCES, TABLE = 64, 256, 1000
MOST_ROWS = 1e8  # distances of the rows of one call
MOST_FOR_SCIPY = 2e7
ROWS_OF_TABLE = 3  # that are compared
REPEATS_THERE, WARM_UP = 20, 5
MANY_EDGES = 1e6  # to prepare which takes long
METHODS = PREPARED, NEAR_FAR, SCIPY, IGRAPH, NETWORKIT = "prepared", "near-far", "SciPy", "igraph", "networkit"
PREPARATION, ROWS, ROWS_THERE, TREES, MORE_ROWS, ON_DEVICE, TABLES, PAIR, PATH = (
    "preparation",
    f"{SOURCES} sources",
    f"{SOURCES} sources, on the device",
    f"{SOURCES} sources, with trees",
    f"{MANY_SOURCES} sources",
    f"{MANY_SOURCES} sources, on the device",
    f"table of {TABLE:,} by {TABLE:,}",
    "one pair",
    "one path",
)


def rows_of(graph: reedsp.Graph, sources: npt.NDArray[Any], device: reedsp.Device) -> list[npt.NDArray[Any]]:
    """Return rows by near-far, without trees, in blocks."""
    return [part for _, part in reedsp.all_pairs_rows(graph, sources, device=device)]


def equal_to(expected: Any) -> Callable[[Any], None]:
    def check(answer: Any) -> None:
        if not np.array_equal(answer, expected):
            raise WrongAnswerError("other distances")

    return check


def tables_of_others(matrix: Any, starts: npt.NDArray[Any], ends: npt.NDArray[Any]) -> dict[str, Callable[[], Any]]:
    """Return calls of other libraries, as far as they are installed, on graphs that are theirs already."""
    calls = {SCIPY: lambda: scipy.sparse.csgraph.dijkstra(matrix, indices=starts)[:, ends]}
    edges = matrix.tocoo()
    if importlib.util.find_spec(IGRAPH) is not None:
        igraph: Any = importlib.import_module(IGRAPH)
        made = igraph.Graph(matrix.shape[0], np.stack(edges.coords, axis=1), directed=True)
        different, columns = np.unique(ends, return_inverse=True)  # it takes no target twice
        weights = edges.data.tolist()
        calls[IGRAPH] = lambda: np.array(made.distances(starts.tolist(), different.tolist(), weights))[:, columns]
    if importlib.util.find_spec(NETWORKIT) is not None:
        networkit: Any = importlib.import_module(NETWORKIT)
        own = networkit.GraphFromCoo((edges.data, edges.coords), n=matrix.shape[0], weighted=True, directed=True)

        def some_pairs() -> npt.NDArray[Any]:
            search = networkit.distance.SPSP(own, starts.tolist())
            search.setTargets(ends.tolist())
            return np.array(search.run().getDistances())

        calls[NETWORKIT] = some_pairs
    return calls


class Resident(ABC):
    """Distances that a search leaves on the device."""

    def __init__(self, graph: reedsp.Graph, device: reedsp.Device) -> None:
        self.job, self.n = Job(device), graph.n
        self.arithmetic = choose_arithmetic(graph, np.dtype(np.float64))
        self.found: Any = None

    @abstractmethod
    def _find(self, job: Job) -> None:
        """Queue the search."""

    def solve(self) -> None:
        """Find all rows."""
        job = Job(self.job.device, recycle=True)
        self._find(job)
        job.finish()
        job.recycle()

    def first_rows(self, count: int) -> npt.NDArray[Any]:
        """Return some rows as :func:`reedsp.sssp` would."""
        found = self.job.download(self.found, count * self.n, self.arithmetic.dtype).reshape(count, self.n)
        return np.where(found == self.arithmetic.infinity, np.inf, found)


class ByHierarchy(Resident):
    """Those of a prepared graph."""

    def __init__(self, graph: reedsp.Graph, device: reedsp.Device, most: int) -> None:
        super().__init__(graph, device)
        hierarchy = contract(graph, units_of(graph), self.job)
        self.searches, self.rank = searches_in(hierarchy, self.job), hierarchy.rank
        self.found = self.job.allocate(most * graph.n, self.arithmetic.dtype)
        self.ranks = self.rank[:0]

    def of(self, sources: npt.NDArray[Any]) -> Resident:
        """Have it search from these, at most as many as there is memory for."""
        self.ranks = self.rank[sources]
        return self

    def _find(self, job: Job) -> None:
        self.searches.rows(job, self.ranks, self.arithmetic, self.found)


class ByNearFar(Resident):
    """Those of near-far, with the edges there already."""

    def __init__(self, graph: reedsp.Graph, device: reedsp.Device, sources: npt.NDArray[Any]) -> None:
        super().__init__(graph, device)
        form = near_far_work_group if in_work_groups(device, self.arithmetic) else near_far_work_item
        self.search: Callable[..., Any] = form.solve
        self.edges, self.starts = OutEdges.of(graph, self.job, self.arithmetic), [[each] for each in sources.tolist()]

    def _find(self, job: Job) -> None:
        self.found, _ = self.search(job, self.edges, self.arithmetic, self.starts)


def rows(
    name: str, make: Callable[[], reedsp.Graph], device: reedsp.Device, sizes: tuple[int, ...], quick: bool
) -> Iterator[Row]:
    graph, repeats = make(), 1 if quick else 3
    few, many, side = sizes
    rng = np.random.default_rng(SEED)
    sources, starts, ends = rng.integers(0, graph.n, many), *rng.integers(0, graph.n, (2, side))
    matrix = inputs.scipy_matrix(graph)

    def row_of(call: str, method: str, times: dict[str, float]) -> Row:
        sizes = {"graph": name, "n": graph.n, "m": graph.m, "seed": SEED, "call": call, "method": method}
        return {**sizes, "shortcuts": shortcuts, **times}

    def timed(call: str, method: str, solve: Callable[[], Any], check: Callable[[Any], None], repeats: int) -> Any:
        answer, times = measure(solve, check, repeats)
        return answer, row_of(call, method, times)

    def timed_there(call: str, searches: dict[str, Resident], check: Callable[[Any], None]) -> Iterator[Row]:
        solves = [(each.solve, lambda _, each=each: check(each.first_rows(few))) for each in searches.values()]
        times = measure_in_turn(solves, 1 if quick else REPEATS_THERE, WARM_UP)
        return map(row_of, itertools.repeat(call), searches, times)

    shortcuts: int | str = ""
    prepare, again = partial(reedsp.prepare, graph, device=device), 1 if graph.m > MANY_EDGES else repeats
    prepared, row = timed(PREPARATION, PREPARED, prepare, lambda _: None, again)
    yield row
    shortcuts = prepared.shortcuts
    expected, row = timed(ROWS, NEAR_FAR, partial(rows_of, graph, sources[:few], device), lambda _: None, repeats)
    yield row
    expected = np.concatenate(expected)
    check, there = equal_to(expected), ByHierarchy(graph, device, many if many * graph.n <= MOST_ROWS else few)
    searches = {PREPARED: there.of(sources[:few]), NEAR_FAR: ByNearFar(graph, device, sources[:few])}
    yield from timed_there(ROWS_THERE, searches, check)
    del searches
    yield timed(ROWS, PREPARED, partial(prepared.distances, sources[:few]), equal_to(expected), repeats)[1]
    if few * graph.n <= MOST_FOR_SCIPY:
        dijkstra = partial(scipy.sparse.csgraph.dijkstra, matrix, indices=sources[:few])
        yield timed(ROWS, SCIPY, dijkstra, equal_to(expected), 0)[1]
    if many * graph.n <= MOST_ROWS:
        every_row = partial(prepared.distances, sources)
        yield timed(MORE_ROWS, PREPARED, every_row, lambda rows: check(rows[:few]), repeats)[1]
        yield from timed_there(ON_DEVICE, {PREPARED: there.of(sources)}, check)
    trees, row = timed(
        *(TREES, NEAR_FAR, lambda: reedsp.sssp(graph, sources[:few], "near-far", device=device).pred),
        *(lambda _: None, repeats),
    )
    yield row
    yield timed(TREES, PREPARED, lambda: prepared.sssp(sources[:few]).pred, equal_to(trees), repeats)[1]
    del trees, expected
    some = np.concatenate(rows_of(graph, starts[:ROWS_OF_TABLE], device))[:, ends]
    check_table = equal_to(some)
    table = partial(prepared.distance_table, starts, ends)
    yield timed(TABLES, PREPARED, table, lambda all_: check_table(all_[:ROWS_OF_TABLE]), repeats)[1]
    if few * graph.n <= MOST_FOR_SCIPY:
        for library, solve in tables_of_others(matrix, starts, ends).items():
            yield timed(TABLES, library, solve, lambda all_: check_table(all_[:ROWS_OF_TABLE]), 0)[1]
    source, target, dist = int(starts[0]), int(ends[0]), some[0, 0]
    pair = partial(prepared.distance, source, target)
    yield timed(PAIR, PREPARED, pair, equal_to(dist), 1 if quick else 100)[1]
    yield timed(PATH, PREPARED, partial(prepared.path, source, target), lambda _: None, 1 if quick else 100)[1]
    one = partial(reedsp.sssp, graph, source, "near-far", target, device=device)
    yield timed(PAIR, NEAR_FAR, lambda: one().dist[target], equal_to(dist), repeats)[1]
    yield timed(
        *(PAIR, SCIPY, lambda: scipy.sparse.csgraph.dijkstra(matrix, indices=source)[target], equal_to(dist), repeats)
    )[1]


def cases(setting: Setting) -> list[Case]:
    if setting.quick:
        made: dict[str, Callable[[], reedsp.Graph]] = {"grid of 30 by 30": partial(inputs.grid, 30, SEED)}
        sizes: tuple[int, ...] = (4, 20, 10)
    else:
        made, sizes = {"grid of 1,000 by 1,000": partial(inputs.grid, 1000, SEED)}, (SOURCES, MANY_SOURCES, TABLE)
        if setting.data is not None:
            folder: Path = setting.data / "dimacs-ny"
            made = {"New York": partial(inputs.new_york, folder), **made}
    return [(name, partial(rows, name, make, setting.device, sizes, setting.quick)) for name, make in made.items()]


def plot(rows: list[dict[str, str]]) -> Figure:
    """Draw the fastest call of each method: a panel a graph."""
    graphs = list(dict.fromkeys(row["graph"] for row in rows))
    calls = list(dict.fromkeys(row["call"] for row in rows))
    figure, panes = panels(len(graphs), width=7, height=3, below=True)
    for axes, graph in zip(panes, graphs, strict=True):
        own = {(row["call"], row["method"]): float(row["min_ms"]) for row in rows if row["graph"] == graph}
        series = {method: [own.get((call, method)) for call in calls] for method in METHODS}
        dots(axes, calls, series, "milliseconds", graph)
    figure.suptitle(f"Prepared graphs: {device_of(rows)}", fontsize=10)
    return figure


EXPERIMENT = Experiment("prepared graphs: contraction hierarchies, PHAST", cases, plot)
