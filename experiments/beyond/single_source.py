"""How long shortest paths from one source take, and from many, beside SciPy's Dijkstra in the same run.

"distances" and "distances and tree" are of a graph that the device holds, and stay there; the other rows are whole
calls of sssp. SciPy's Dijkstra does the same as what it stands beside: "distances" without predecessors, whole calls
with them; it is repeated as often, unless it takes long. Every answer is compared with SciPy's, exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse.csgraph
from matplotlib.figure import Figure

import reedsp
from experiments.lib import inputs
from experiments.lib.experiment import Case, Experiment, Row, Setting, WrongAnswerError
from experiments.lib.measure import PATIENCE, measure_in_turn
from experiments.lib.plotting import INK, device_of, dots, panels
from reedsp.algorithms.single_source.near_far import in_work_groups, near_far_work_group, near_far_work_item
from reedsp.arithmetic.paths import choose_arithmetic, to_result
from reedsp.device.device import Device
from reedsp.device.job import Job
from reedsp.edges.device_graph import DeviceGraph, OutEdges
from reedsp.edges.predecessors import find_trees

SEED = 2012
FLOAT64 = np.dtype(np.float64)
SCIPY = "scipy dijkstra"
PARTS = ("distances", "distances and tree", "whole call")
METHODS = ("near-far", "output-parallel", "input-parallel", "input-parallel-refined", SCIPY)
NEW_YORK = "new-york"  # the graph that is searched from many sources, too
WARM_UP = 2

Tasks = dict[tuple[str, str], tuple[Callable[[], Any], Callable[[Any], None]]]


def graphs(setting: Setting) -> dict[str, Callable[[], reedsp.Graph]]:
    if setting.quick:
        return {
            "grid-20": partial(inputs.grid, 20, SEED),
            "r-mat-10": partial(inputs.r_mat, 10, 16, SEED),
            "random-1k-8": partial(inputs.random_in_degree, 1000, 8, SEED),
        }
    found: dict[str, Callable[[], reedsp.Graph]] = {}
    if setting.data is not None:
        found[NEW_YORK] = partial(inputs.new_york, setting.data / "dimacs-ny")
    return {
        **found,
        "grid-1000": partial(inputs.grid, 1000, SEED),
        "grid-3000": partial(inputs.grid, 3000, SEED),
        "r-mat-18": partial(inputs.r_mat, 18, 16, SEED, directed=False),
        "r-mat-20": partial(inputs.r_mat, 20, 16, SEED),
        "random-100k-10": partial(inputs.random_in_degree, 100_000, 10, SEED),
        "random-1m-8": partial(inputs.random_in_degree, 1 << 20, 8, SEED),
        "complete-1024": partial(inputs.complete, 1024, SEED),
        "path-8192": partial(inputs.long_path, 8192, SEED),
    }


def in_turn(tasks: Tasks, repeats: int, warm_up: int = 0) -> dict[tuple[str, str], dict[str, float]]:
    """Time tasks in turn, each as often, unless it takes long."""
    return dict(zip(tasks, measure_in_turn(list(tasks.values()), repeats, warm_up, PATIENCE), strict=True))


class Bench:
    """One graph, a source, and what is to come out."""

    def __init__(self, name: str, graph: reedsp.Graph, device: Device) -> None:
        self.name, self.graph, self.device = name, graph, device
        self.source = int(np.argmax(np.diff(graph.indptr)))
        self.matrix = inputs.scipy_matrix(graph)
        self.expected = scipy.sparse.csgraph.dijkstra(self.matrix, indices=self.source)
        self.arithmetic = choose_arithmetic(graph, FLOAT64)
        search = near_far_work_group if in_work_groups(device, self.arithmetic) else near_far_work_item
        self.search = search.solve

    def distances(self, tree: bool) -> tuple[Job, Any]:
        """Search, and find the tree, without a copy to the host."""
        job = Job(self.device, recycle=True)
        edges = OutEdges.of(self.graph, job, self.arithmetic)
        dist, _ = self.search(job, edges, self.arithmetic, [[self.source]])
        if tree:
            in_edges = DeviceGraph.of(self.graph, job, self.arithmetic, False)
            find_trees(job, in_edges, dist, [[self.source]], zero_progress_only=False)
        job.finish()
        job.recycle()  # for the next search; these distances are read before it begins
        return job, dist

    def check_distances(self, answer: tuple[Job, Any]) -> None:
        """Raise unless the distances on the device are right."""
        job, dist = answer
        got = job.download(dist, self.graph.n, self.arithmetic.dtype)
        self.check(to_result(got, self.arithmetic, FLOAT64))

    def check(self, dist: np.ndarray) -> None:
        """Raise unless the distances are right."""
        if not np.array_equal(dist, self.expected):
            raise WrongAnswerError(f"{self.name}: {np.count_nonzero(dist != self.expected)} wrong distances")

    def rows(self, repeats: int) -> Iterator[Row]:
        """Time everything in turn, so that one machine's moods are the same for all."""
        solve = partial(reedsp.sssp, self.graph, self.source, device=self.device)
        whole = lambda paths: self.check(paths.dist)  # noqa: E731
        dijkstra = partial(scipy.sparse.csgraph.dijkstra, self.matrix, indices=self.source)
        tasks: Tasks = {
            ("distances", "near-far"): (partial(self.distances, tree=False), self.check_distances),
            ("distances and tree", "near-far"): (partial(self.distances, tree=True), self.check_distances),
            ("whole call", "near-far"): (partial(solve, "near-far"), whole),
        }
        for method in ("output-parallel", "input-parallel", "input-parallel-refined"):
            if self.name.startswith(("random", "r-mat")):
                tasks["whole call", method] = (partial(solve, method), whole)
        of_scipy: Tasks = {
            ("distances", SCIPY): (dijkstra, self.check),
            ("whole call", SCIPY): (partial(dijkstra, return_predecessors=True), lambda answer: self.check(answer[0])),
        }
        if self.device.kind == "cpu":
            tasks |= of_scipy
            times = in_turn(tasks, repeats)
        else:  # a GPU lowers its clock while the host is busy
            times = in_turn(tasks, repeats, WARM_UP) | in_turn(of_scipy, repeats)
        for (what, method), each in times.items():
            least = times["whole call" if what == "whole call" else "distances", SCIPY]["min_ms"]
            yield {
                "graph": self.name,
                "n": self.graph.n,
                "m": self.graph.m,
                "what": what,
                "sources": 1,
                "method": method,
                "seed": SEED,
                **each,
                "times_scipy": round(least / each["min_ms"], 2),
            }

    def many(self, count: int, repeats: int, alone: float) -> Iterator[Row]:
        """Time many sources at once; `alone` is the time of one by itself."""
        sources = np.random.default_rng(SEED).choice(self.graph.n, count, replace=False).tolist()
        expected = scipy.sparse.csgraph.dijkstra(self.matrix, indices=sources)

        def check(dist: np.ndarray) -> None:
            if not np.array_equal(dist, expected):
                raise WrongAnswerError(f"{self.name}: {np.count_nonzero(dist != expected)} wrong distances")

        def at_once() -> tuple[Job, Any]:
            job = Job(self.device, recycle=True)
            edges = OutEdges.of(self.graph, job, self.arithmetic)
            dist, _ = self.search(job, edges, self.arithmetic, [[source] for source in sources])
            job.finish()
            return job, dist

        def check_at_once(answer: tuple[Job, Any]) -> None:
            job, dist = answer
            got = job.download_rows(dist, 0, expected.shape, self.arithmetic.dtype)
            job.recycle()
            check(to_result(got, self.arithmetic, FLOAT64))

        dijkstra = partial(scipy.sparse.csgraph.dijkstra, self.matrix, indices=sources)
        solve = partial(reedsp.sssp, self.graph, sources, device=self.device)
        tasks: Tasks = {
            ("distances", "near-far"): (at_once, check_at_once),
            ("whole call", "near-far"): (solve, lambda paths: check(paths.dist)),
            ("distances", SCIPY): (dijkstra, check),
            ("whole call", SCIPY): (partial(dijkstra, return_predecessors=True), lambda answer: check(answer[0])),
        }
        times = in_turn(tasks, repeats)
        for (what, method), each in times.items():
            yield {
                "graph": self.name,
                "n": self.graph.n,
                "m": self.graph.m,
                "what": what,
                "sources": count,
                "method": method,
                "seed": SEED,
                **each,
                "times_scipy": round(times[what, SCIPY]["min_ms"] / each["min_ms"], 2),
                "times_one_by_one": round(count * alone / each["min_ms"], 2) if method == "near-far" else "",
            }


def rows(device: Device, name: str, make: Callable[[], reedsp.Graph], repeats: int) -> Iterator[Row]:
    bench = Bench(name, make(), device)
    alone = 0.0
    for row in bench.rows(repeats):
        if (row["what"], row["method"]) == ("distances", "near-far"):
            alone = row["min_ms"]
        yield {**row, "times_one_by_one": ""}
    if name == NEW_YORK:
        # a first answer of this size is mostly the wait for memory that no process has used yet
        count, repeats = (64, repeats) if device.kind == "cpu" else (256, min(2, repeats))
        yield from bench.many(count, repeats, alone)


def cases(setting: Setting) -> list[Case]:
    repeats = 1 if setting.quick else 5 if setting.device.kind == "cpu" else 20  # a GPU takes milliseconds
    return [(name, partial(rows, setting.device, name, make, repeats)) for name, make in graphs(setting).items()]


def plot(rows: list[dict[str, str]]) -> Figure:
    """Draw whole calls of each method from one source, and how many times faster than SciPy near-far is."""
    figure, [times, ratios] = panels(2, width=7.8, height=3.2, below=True)
    graphs = list(dict.fromkeys(row["graph"] for row in rows))
    whole = {
        (row["graph"], row["method"]): float(row["min_ms"])
        for row in rows
        if (row["what"], row["sources"]) == ("whole call", "1")
    }
    by_method: dict[str, list[float | None]] = {
        method: [whole.get((graph, method)) for graph in graphs] for method in METHODS
    }
    device = device_of(rows)
    dots(times, graphs, by_method, "milliseconds, whole call from one source", f"Single-source methods: {device}")
    near_far = {
        (row["graph"], row["sources"], row["what"]): float(row["times_scipy"])
        for row in rows
        if row["method"] == "near-far"
    }
    searches = list(dict.fromkeys((graph, sources) for graph, sources, _ in near_far))
    by_part: dict[str, list[float | None]] = {
        part: [near_far.get((*search, part)) for search in searches] for part in PARTS
    }
    labels = [graph if sources == "1" else f"{graph},\n{sources} sources" for graph, sources in searches]
    dots(ratios, labels, by_part, "times faster than SciPy's Dijkstra", f"Near-far: {device}")
    ratios.axvline(1, color=INK, linewidth=0.8)
    return figure


EXPERIMENT = Experiment("Near-far and Bellman-Ford from one source, beside SciPy's Dijkstra", cases, plot)
