"""Every rung of the ladder of load balancing on graphs like those of the survey's figures 12 to 15.

"expansion" is the ladder by itself: the items are all vertices, and for each edge the vertex that it leaves is
written, as in the survey's algorithms 8 and 9. "search" is a whole call of the frontier Bellman-Ford, which lists the
vertices of each round and shares out their edges. Every owner, and every distance, is compared.

The survey's great-britain_osm is a road network, for which New York and a grid stand in; its circuit5M is a matrix
with few rows of very many entries, for which one is made; kron_g500-logn20 is the R-MAT graph of the same generator.
"""

from __future__ import annotations

import itertools
import tarfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt
import scipy.sparse.csgraph
from matplotlib.figure import Figure

import reedsp
from experiments.busato_bombieri.expansion import plan_expansions
from experiments.lib import inputs
from experiments.lib.experiment import Case, Experiment, Row, Setting, WrongAnswerError
from experiments.lib.measure import measure_in_turn
from experiments.lib.plotting import device_of, dots, panels
from reedsp.device.job import Job
from reedsp.edges.ladder import RUNGS, rung_for

SEED = 2012
DYNAMIC, NO_QUEUE = "dynamic-virtual-warps", "dynamic-virtual-warps, no queue"
EXPANDED = (*RUNGS, NO_QUEUE)
HUBS = 5
WARM_UP = 2


def web(folder: Path) -> reedsp.Graph:
    """Return web-NotreDame from a folder that holds it, with weights 1 .. 1000."""
    with tarfile.open(folder / "web-NotreDame.tar.gz") as archive:
        file = archive.extractfile("web-NotreDame.txt")
        assert file is not None
        lines = np.loadtxt(file, dtype=np.int64, skiprows=1, usecols=(0, 1))
    n = int(lines.max()) + 1
    weights = np.random.default_rng(SEED).integers(1, 1001, len(lines))
    return reedsp.Graph.from_edges(n, lines[:, 0], lines[:, 1], weights)


def few_long_rows(n: int, mean: int) -> reedsp.Graph:
    """Return a graph in which about `mean` edges leave most vertices, but n / 4 of a few."""
    rng = np.random.default_rng(SEED)
    degrees = rng.poisson(mean, n)
    hubs = rng.choice(n, HUBS, replace=False)
    degrees[hubs] = n // 4
    m = int(degrees.sum())
    targets = rng.integers(0, n, m)
    return reedsp.Graph.from_edges(n, np.repeat(np.arange(n), degrees), targets, rng.integers(1, 1001, m))


def graphs(setting: Setting) -> dict[str, Callable[[], reedsp.Graph]]:
    """Return how to make each graph, by its name."""
    gpu = setting.device.kind != "cpu"
    side, scale, rows = (1000, 20, 20) if gpu else (200, 16, 16)
    if setting.quick:
        side, scale, rows = 20, 8, 8
    found: dict[str, Callable[[], reedsp.Graph]] = {}
    if setting.data is not None and not setting.quick:
        found["USA-road-d.NY"] = partial(inputs.new_york, setting.data / "dimacs-ny")
    found[f"grid {side} x {side}"] = partial(inputs.grid, side, SEED)
    if setting.data is not None and not setting.quick:
        found["web-NotreDame"] = partial(web, setting.data / "snap-web-notredame")
    found[f"few long rows, n = 2^{rows}"] = partial(few_long_rows, 1 << rows, 6)
    found[f"R-MAT {scale}"] = partial(inputs.r_mat, scale, 16, SEED, directed=False)
    return found


class Expansion:
    """The expansion of all vertices of a graph by one rung, on a device."""

    def __init__(self, graph: reedsp.Graph, device: reedsp.Device, name: str) -> None:
        self._job, self._m = Job(device), graph.m
        rung = rung_for(device, DYNAMIC if name == NO_QUEUE else name)
        if name == NO_QUEUE:
            rung = replace(rung, large=graph.m + 1)
        prefixes = self._job.upload(graph.indptr.astype(np.uint32))
        self._owners = self._job.allocate(graph.m, np.uint32)
        all_edges = (0, graph.m)
        self._plans = itertools.cycle(plan_expansions(self._job, rung, prefixes, graph.n, all_edges, self._owners))

    def run(self) -> None:
        """Expand once."""
        for kernel in next(self._plans):
            kernel.queue()
        self._job.finish()

    def check(self, expected: npt.NDArray[np.uint32], _: None) -> None:
        """Raise unless each edge has its vertex."""
        if not np.array_equal(self._job.download(self._owners, self._m, np.uint32), expected):
            raise WrongAnswerError("wrong owners")
        self._job.fill(self._owners, self._m, np.uint32(0xFFFFFFFF))
        self._job.finish()


def rows(device: reedsp.Device, name: str, make: Callable[[], reedsp.Graph], repeats: int) -> Iterator[Row]:
    graph = make()
    degrees = np.diff(graph.indptr)
    size_of = {"n": graph.n, "m": graph.m, "mean_degree": round(graph.m / graph.n, 2), "max_degree": degrees.max()}
    owners = np.repeat(np.arange(graph.n, dtype=np.uint32), degrees)
    expansions = [Expansion(graph, device, rung) for rung in EXPANDED]
    tasks = [(each.run, partial(each.check, owners)) for each in expansions]
    found = measure_in_turn(tasks, 4 * repeats, 0 if device.kind == "cpu" else WARM_UP)
    for rung, times in zip(EXPANDED, found, strict=True):
        yield {"graph": name, **size_of, "what": "expansion", "rung": rung, "rounds": "", "seed": SEED, **times}

    source = int(np.argmax(degrees)) if graph.m / graph.n > 4 else 0
    expected = scipy.sparse.csgraph.dijkstra(graph.to_scipy(), indices=source)
    rounds: dict[str, int] = {}

    def check(rung: str, paths: reedsp.ShortestPaths) -> None:
        if not np.array_equal(paths.dist, expected):
            raise WrongAnswerError(f"{rung}: wrong distances")
        rounds[rung] = paths.rounds

    def solve(rung: str) -> reedsp.ShortestPaths:
        options: dict[str, object] = {"balance": rung, "list_active": True}
        return reedsp.sssp(graph, source, "input-parallel-refined", device=device, options=options)

    searches = [(partial(solve, rung), partial(check, rung)) for rung in RUNGS]
    for rung, times in zip(RUNGS, measure_in_turn(searches, repeats), strict=True):
        yield {"graph": name, **size_of, "what": "search", "rung": rung, "rounds": rounds[rung], "seed": SEED, **times}


def cases(setting: Setting) -> list[Case]:
    repeats = 1 if setting.quick else 3 if setting.device.kind == "cpu" else 5
    return [(name, partial(rows, setting.device, name, make, repeats)) for name, make in graphs(setting).items()]


def plot(rows: list[dict[str, str]]) -> Figure:
    """Draw the time of each rung on each graph: of the ladder by itself, and of whole searches."""
    figure, panes = panels(2, width=7.8, height=3.8, below=True)
    names = list(dict.fromkeys(row["graph"] for row in rows))
    for axes, what in zip(panes, ("expansion", "search"), strict=True):
        times = {(row["graph"], row["rung"]): float(row["min_ms"]) for row in rows if row["what"] == what}
        rungs = list(dict.fromkeys(rung for _, rung in times))
        series: dict[str, list[float | None]] = {name: [times.get((name, rung)) for rung in rungs] for name in names}
        dots(axes, rungs, series, "milliseconds, least", f"{what.capitalize()} by each rung: {device_of(rows)}")
    return figure


EXPERIMENT = Experiment(
    "The ladder of load balancing, rung by rung (Busato and Bombieri, section 5, figures 12 to 15)", cases, plot
)
