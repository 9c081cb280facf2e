"""Table 1 of the survey: what a matrix, rows of edges (CSR) and a list of edges (COO) hold, and what they are quick at.

An edge is looked for, from the first one on and by binary search; half of those that are asked for exist. A round of
Bellman-Ford relaxes the edges that leave all vertices, or one in a hundred, by one work-item a vertex in CSR and one an
edge in COO (or some edges on a CPU), with an atomic minimum; in a matrix by one a column. A list has its sources,
targets and weights in three arrays (SoA), or in one array of records (AoS). Every answer is compared with numpy's.

A graph whose vertices all have eight edges stands beside an R-MAT graph, whose degrees are skewed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure

import reedsp
from experiments.lib import inputs
from experiments.lib.experiment import Case, Experiment, Row, Setting, WrongAnswerError
from experiments.lib.measure import measure_in_turn
from experiments.lib.plotting import device_of, dots, panels
from reedsp.arithmetic.paths import Arithmetic
from reedsp.device.job import BoundKernel, Job
from reedsp.edges.device_graph import OutEdges

SEED = 2012
FILE = "experiments/representations.cl"
DEGREE = 8
QUERIES = 4096
GROUP_SIZE = 64
RUN_ON_CPU = 64
LARGEST_MATRIX = 1 << 13  # vertices
MOST_LOOKED_AT = 1 << 28  # edges of a list, by all queries from the first one on
MATRIX, CSR, SOA, AOS = "matrix", "CSR", "COO, arrays", "COO, records"
ALL, SOME, LINEAR, SEARCHED = "round of all", "round of 1 %", "an edge, one by one", "an edge, searched"
NO_PATH = np.int32(2**31 - 1)


def without_parallel_edges(graph: reedsp.Graph) -> reedsp.Graph:
    """Return a graph in which there is at most one edge from a vertex to another."""
    sources = np.repeat(np.arange(graph.n), np.diff(graph.indptr))
    _, kept = np.unique(sources * graph.n + graph.indices, return_index=True)
    return reedsp.Graph.from_edges(graph.n, sources[kept], graph.indices[kept], graph.weights[kept])


def regular(scale: int) -> reedsp.Graph:
    """Return a graph each of whose vertices has eight edges, but for parallel ones."""
    rng = np.random.default_rng(SEED)
    n = 1 << scale
    targets, weights = rng.integers(0, n, n * DEGREE), rng.integers(1, 1001, n * DEGREE)
    return without_parallel_edges(reedsp.Graph.from_edges(n, np.repeat(np.arange(n), DEGREE), targets, weights))


def skewed(scale: int) -> reedsp.Graph:
    return without_parallel_edges(inputs.r_mat(scale, DEGREE, SEED))


class Forms:
    """A graph on a device in every form, what is asked of it, and the answers."""

    def __init__(self, graph: reedsp.Graph, device: reedsp.Device) -> None:
        self._job, self._graph = Job(device), graph
        n, m, rng = graph.n, graph.m, np.random.default_rng(SEED)
        self._arithmetic = Arithmetic(np.dtype(np.int32))
        self._out = OutEdges.of(graph, self._job, self._arithmetic)
        sources = np.repeat(np.arange(n, dtype=np.int32), np.diff(graph.indptr))
        columns = [sources, graph.indices.astype(np.int32), graph.weights.astype(np.int32)]
        self._columns = [self._job.upload(each) for each in columns]
        self._records = self._job.upload(np.stack(columns, axis=1))
        self._run = RUN_ON_CPU if device.kind == "cpu" else 1
        self.bytes = {CSR: 4 * (n + 1) + 8 * m, SOA: 12 * m, AOS: 12 * m}
        if n <= LARGEST_MATRIX:
            matrix = np.full((n, n), NO_PATH)
            matrix[sources, columns[1]] = columns[2]
            self._matrix = self._job.upload(matrix)
            self.bytes = {MATRIX: 4 * n * n, **self.bytes}
        asked = np.stack((rng.integers(0, n, QUERIES), rng.integers(0, n, QUERIES)), axis=1)
        asked[::2] = np.stack(columns[:2], axis=1)[rng.integers(0, m, QUERIES // 2)]
        place = np.minimum(np.searchsorted(sources * np.int64(n) + columns[1], asked[:, 0] * n + asked[:, 1]), m - 1)
        is_there = (sources[place] == asked[:, 0]) & (columns[1][place] == asked[:, 1])
        self.weights = np.where(is_there, columns[2][place], NO_PATH)
        self._queries = self._job.upload(asked.astype(np.uint32))
        self._found, self._lowered = self._job.allocate(QUERIES, np.int32), self._job.allocate(n, np.int32)
        dist = rng.integers(0, 10**6, n).astype(np.int32)
        self._dist = self._job.upload(dist)
        chosen = {ALL: np.ones(n, np.uint8), SOME: (rng.random(n) < 0.01).astype(np.uint8)}
        self._active = {what: self._job.upload(each) for what, each in chosen.items()}
        self.lowered = {}
        for what, each in chosen.items():
            self.lowered[what] = np.full(n, NO_PATH)
            used = each[sources] > 0
            np.minimum.at(self.lowered[what], columns[1][used], dist[sources[used]] + columns[2][used])

    def _bind(self, name: str, items: int, *args: Any, searched: bool = False) -> BoundKernel:
        macros = {"SEARCHED": int(searched), "RUN": self._run, **self._out.macros, **self._arithmetic.macros}
        return self._job.bind(self._job.device.kernel(FILE, name, **macros), items, GROUP_SIZE, *args)

    def kernels(self) -> dict[tuple[str, str], BoundKernel]:
        """Return what looks for edges and relaxes rounds, by the form and by what it does."""
        n, m, count = np.uint32(self._graph.n), np.uint64(self._graph.m), np.uint32(QUERIES)
        asked, rows = (self._queries, self._found), (self._out.first_edge, self._out.edges)
        found = {}
        for searched, what in ((False, LINEAR), (True, SEARCHED)):
            found[CSR, what] = self._bind("find_in_rows", QUERIES, *rows, *asked, count, searched=searched)
            if searched or QUERIES * self._graph.m <= MOST_LOOKED_AT:
                args = (*self._columns, *asked, count, m)
                found[SOA, what] = self._bind("find_in_list", QUERIES, *args, searched=searched)
        pieces = -(-self._graph.m // self._run)
        for what, active in self._active.items():
            round_of = (self._dist, active, self._lowered)
            found[CSR, what] = self._bind("relax_rows", self._graph.n, *rows, *round_of, n)
            found[SOA, what] = self._bind("relax_list", pieces, *self._columns, *round_of, m)
            found[AOS, what] = self._bind("relax_records", pieces, self._records, *round_of, m)
        if MATRIX in self.bytes:
            found[MATRIX, SEARCHED] = self._bind("find_in_matrix", QUERIES, self._matrix, *asked, n, count)
            for what, active in self._active.items():
                args = (self._matrix, self._dist, active, self._lowered, n)
                found[MATRIX, what] = self._bind("relax_matrix", self._graph.n, *args)
        return found

    def run(self, kernel: BoundKernel) -> None:
        """Run once, with no path to any vertex before."""
        self._job.fill(self._lowered, self._graph.n, NO_PATH)
        kernel.queue()
        self._job.finish()

    def check(self, form: str, what: str, _: None) -> None:
        """Raise unless the answers are right."""
        is_round = what in self.lowered
        buffer, expected = (self._lowered, self.lowered[what]) if is_round else (self._found, self.weights)
        self._job.finish()
        answers: npt.NDArray[np.int32] = self._job.download(buffer, len(expected), np.int32)
        if not np.array_equal(answers, expected):
            raise WrongAnswerError(f"{form}: {what}")
        self._job.fill(self._found, QUERIES, np.int32(-1))
        self._job.finish()


def rows(device: reedsp.Device, name: str, make: Callable[[], reedsp.Graph], repeats: int) -> Iterator[Row]:
    graph = make()
    forms = Forms(graph, device)
    size = {"n": graph.n, "m": graph.m, "max_degree": int(np.diff(graph.indptr).max()), "seed": SEED}
    kernels = forms.kernels()
    tasks = [(partial(forms.run, kernel), partial(forms.check, *key)) for key, kernel in kernels.items()]
    for (form, what), times in zip(kernels, measure_in_turn(tasks, repeats), strict=True):
        yield {"graph": name, **size, "form": form, "what": what, "bytes": forms.bytes[form], **times}


def cases(setting: Setting) -> list[Case]:
    small, large = (6, 9) if setting.quick else (11, 17) if setting.device.kind == "cpu" else (13, 20)
    repeats = 1 if setting.quick else 10
    return [
        (f"{name} {scale}", partial(rows, setting.device, f"{name}, n = 2^{scale}", partial(make, scale), repeats))
        for scale in (small, large)
        for name, make in (("degree 8", regular), ("R-MAT", skewed))
    ]


def plot(rows: list[dict[str, str]]) -> Figure:
    """Draw the time of each question, of each form, one panel for each graph."""
    names = list(dict.fromkeys(row["graph"] for row in rows))
    figure, panes = panels(len(names), width=7.2, height=2.2, below=True)
    asked, every = (LINEAR, SEARCHED, SOME, ALL), [float(row["min_ms"]) for row in rows]
    for axes, name in zip(panes, names, strict=True):
        times = {(row["form"], row["what"]): float(row["min_ms"]) for row in rows if row["graph"] == name}
        forms = list(dict.fromkeys(form for form, _ in times))
        series: dict[str, list[float | None]] = {form: [times.get((form, what)) for what in asked] for form in forms}
        dots(axes, asked, series, "milliseconds, least", f"{name}: {device_of(rows)}")
        axes.set_xlim(min(every) / 2, 2 * max(every))
    return figure


EXPERIMENT = Experiment("Representations of a graph: bytes, and questions (Busato and Bombieri, table 1)", cases, plot)
