"""Many sources, and all pairs, over workers of Dask on one machine, beside one process: wall and processor time.

Each worker is a process: on a processor one with a single thread, so that two workers have twice what one has; on a
machine with several GPUs one for each of two, beside two threads of one process with a GPU each. Processor time is
that of the workers and of the client together. Distances that are added up where they are found do not leave the
devices; in all other ways the host looks at them. Tasks that do nothing show what each costs, and a graph that no
worker has what it takes to send one. All answers are compared with that of one process, outside of what is timed;
beside each stands what `reedsp.estimate` says.
"""

from __future__ import annotations

import concurrent.futures
import importlib.util
import itertools
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure

import reedsp
import reedsp.cluster
from experiments.lib import inputs
from experiments.lib.experiment import Case, Experiment, Row, Setting, WrongAnswerError
from experiments.lib.measure import measure_in_turn
from experiments.lib.plotting import bars, device_of, finish, panels
from reedsp.cluster.worker.published import Published

SEED = 2010
SOURCES, SOURCES_GPU, FEW = 256, 4096, 16
SOURCES_ADDED, SOURCES_ADDED_GPU = 1024, 32768
VERTICES, VERTICES_GPU, VERTICES_QUICK = (4096, 8192), (32768,), (300,)
SHORT = 4096  # vertices up to which a matrix takes a few seconds, and is measured more often
EDGES_OF_EACH = 8
PART = 512  # sources that a thread searches from at a time
EMPTY_TASKS = 64
COUNTS = (1, 2)
ONE, THREADS, REDUCED, ZARR = "one process", "threads of one process", "reduced on workers", "rows to zarr"
ADDED = "added up on workers"
KEPT, EMPTY, SENT = "rows kept on workers", "empty tasks", "graph sent"


def farthest(source: int, dist: npt.NDArray[Any]) -> float:
    """Return the largest finite distance."""
    return float(dist.max(where=np.isfinite(dist), initial=0))


class Way:
    """A way to answer, by so many workers: how it is called, and the processor time of each call."""

    def __init__(
        self,
        name: str,
        workers: int,
        call: Callable[[], Any],
        check: Callable[[Any], None],
        of_workers: Callable[[], float] = lambda: 0.0,
        expected: reedsp.Estimate | None = None,
    ) -> None:
        self.name, self.workers = name, workers
        self._call, self._check, self._of_workers = call, check, of_workers
        self._before = self._here = 0.0
        self.expected_ms = "" if expected is None else round(1e3 * expected.seconds, 2)
        self.seconds: list[float] = []

    def solve(self) -> Any:
        """Answer."""
        self._before = self._of_workers()  # some milliseconds
        begun = time.process_time()
        answer = self._call()
        self._here = time.process_time() - begun
        return answer

    def check(self, answer: Any) -> None:
        """Look at the answer, and at what the workers have used for it."""
        self.seconds.append(self._here + self._of_workers() - self._before)
        self._check(answer)


@contextmanager
def workers_of(device: reedsp.Device, count: int) -> Iterator[tuple[Any, Callable[[], float]]]:
    """Start workers of one thread, and return the cluster, and what tells their processor time."""
    import distributed

    options: dict[str, Any] = {"n_workers": count, "threads_per_worker": 1, "dashboard_address": ":0"}
    with (
        distributed.LocalCluster(**options) as local,
        distributed.Client(local) as client,
        reedsp.cluster.Dask(client, device.kind) as cluster,
    ):
        yield cluster, lambda: float(sum(client.run(time.process_time).values()))


def figures(ways: Sequence[Way], repeats: int, **about: Any) -> Iterator[Row]:
    """Yield what was measured of each way; the first one is one process."""
    times = measure_in_turn([(way.solve, way.check) for way in ways], repeats)
    used = [1e3 * min(way.seconds[1:]) for way in ways]
    one = {way.name: each["min_ms"] for way, each in zip(ways, times, strict=True) if way.workers == 1}
    for way, each, used_ms in zip(ways, times, used, strict=True):
        yield {
            **about,
            "way": way.name,
            "workers": way.workers,
            **each,
            "expected_ms": way.expected_ms,
            "processor_ms": round(used_ms, 2),
            "processor_of_one_process": round(used_ms / used[0], 3),
            "wall_of_one_worker": round(each["min_ms"] / one[way.name], 3),
            "ms_per_task": round(each["min_ms"] / EMPTY_TASKS, 3) if way.name == EMPTY else "",
        }


# ---- many sources -----------------------------------------------------------------------------------


def in_threads(devices: Sequence[reedsp.Device], graph: reedsp.Graph, sources: Sequence[int]) -> list[float]:
    """Return how far the farthest vertex is from each source, found by a thread for each device."""
    parts = [sources[first : first + PART] for first in range(0, len(sources), PART)]

    def some(turn: int) -> list[list[float]]:
        rows = (reedsp.sssp(graph, part, device=devices[turn]).dist for part in parts[turn :: len(devices)])
        return [[farthest(0, row) for row in each] for each in rows]

    with concurrent.futures.ThreadPoolExecutor(len(devices)) as pool:
        found = list(pool.map(some, range(len(devices))))
    return [each for number in range(len(parts)) for each in found[number % len(devices)][number // len(devices)]]


def of_sources(
    devices: Sequence[reedsp.Device], load: Callable[[], reedsp.Graph], label: str, count: int, repeats: int
) -> Iterator[Row]:
    graph, device = load(), devices[0]
    sources = np.random.default_rng(SEED).choice(graph.n, count, replace=count > graph.n).tolist()
    farthest_found = in_threads([device], graph, sources)
    sample = reedsp.sssp(graph, sources[:FEW], device=device).dist

    def check_maxima(found: list[float]) -> None:
        if found != farthest_found:
            raise WrongAnswerError("wrong distances")

    def check_rows(found: Any) -> None:
        if not np.array_equal(found[:FEW], sample) or [farthest(0, row) for row in found[:]] != farthest_found:
            raise WrongAnswerError("wrong rows")
        shutil.rmtree(folder / "x.zarr")

    def check_empty(found: list[int]) -> None:
        if found != list(range(EMPTY_TASKS)):
            raise WrongAnswerError("wrong numbers")

    def check_sent(found: Published) -> None:
        if (found.n, found.m) != (graph.n, graph.m):
            raise WrongAnswerError("another graph")

    fresh = (reedsp.Graph(graph.indptr, graph.indices, graph.weights + 1 + number) for number in itertools.count())

    def send(cluster: reedsp.cluster.Dask) -> Published:
        return cluster.publish(next(fresh))

    def alone() -> list[float]:
        return [farthest(0, row) for row in reedsp.sssp(graph, sources, device=device).dist]

    def empty(engine: Any) -> list[int]:
        futures = [engine.submit(int, number) for number in range(EMPTY_TASKS)]
        return [future.result() for future in futures]

    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        expected = partial(reedsp.estimate, graph, "sssp", sources, device=device)
        ways = [Way(ONE, 1, alone, check_maxima, expected=expected())]
        for number in COUNTS:
            cluster, used = stack.enter_context(workers_of(device, number))
            if number <= len(devices) > 1:
                threads = partial(in_threads, devices[:number], graph, sources)
                ways.append(Way(THREADS, number, threads, check_maxima))
            reduced = partial(cluster.map_rows, graph, farthest, sources)
            ways.append(Way(REDUCED, number, reduced, check_maxima, used, expected(workers=number)))
            if device.kind == "cpu":
                written = partial(cluster.sssp, graph, sources, out=folder / "x.zarr")
                ways.append(Way(ZARR, number, written, check_rows, used, expected(workers=number, out="x.zarr")))
            ways.append(Way(EMPTY, number, partial(empty, cluster.engine), check_empty, used))
            ways.append(Way(SENT, number, partial(send, cluster), check_sent, used))
        about = {"task": "many sources", "graph": label, "n": graph.n, "m": graph.m, "sources": count, "seed": SEED}
        yield from figures(ways, repeats, **about)


def of_sums(
    devices: Sequence[reedsp.Device], load: Callable[[], reedsp.Graph], label: str, count: int, repeats: int
) -> Iterator[Row]:
    graph, device = load(), devices[0]
    sources = np.random.default_rng(SEED).choice(graph.n, count, replace=count > graph.n).tolist()
    sample = reedsp.sssp(graph, sources[:FEW], device=device).dist
    reached = np.isfinite(sample)
    totals, farthest_found = sample.sum(axis=1, where=reached), sample.max(axis=1, where=reached, initial=0)
    first: list[npt.NDArray[Any]] = []

    def check(found: reedsp.DistanceStatistics) -> None:
        first.append(found.farness)
        if not np.array_equal(found.eccentricity[:FEW], farthest_found) or not np.array_equal(first[0][:FEW], totals):
            raise WrongAnswerError("wrong sums")
        if not np.array_equal(found.farness, first[0]):
            raise WrongAnswerError("other sums than before")

    added = partial(reedsp.distance_statistics, graph, sources)
    with ExitStack() as stack:
        ways = [Way(ONE, 1, partial(added, device=device), check)]
        for number in COUNTS:
            cluster, used = stack.enter_context(workers_of(device, number))
            if number <= len(devices) > 1:
                ways.append(Way(THREADS, number, partial(added, device=devices[:number]), check))
            ways.append(Way(ADDED, number, partial(added, device=cluster), check, used))
        about = {"task": "sums of distances", "graph": label, "n": graph.n, "m": graph.m, "sources": count}
        yield from figures(ways, repeats, **about, seed=SEED)


# ---- all pairs --------------------------------------------------------------------------------------


def of_pairs(devices: Sequence[reedsp.Device], n: int, repeats: int) -> Iterator[Row]:
    rng, device = np.random.default_rng(SEED), devices[0]
    m = EDGES_OF_EACH * n
    graph = reedsp.Graph.from_edges(n, *rng.integers(0, n, (2, m)), rng.integers(1, 1000, m).astype(np.int32))
    chosen = rng.choice(n, FEW, replace=False)
    sample = reedsp.sssp(graph, chosen.tolist(), dtype="int32", device=device).dist
    first: list[npt.NDArray[Any]] = []

    def check(found: reedsp.AllPairs) -> None:
        dist = np.asarray(found.dist)
        if not first:
            first.append(dist)
        if not np.array_equal(dist[chosen], sample) or not np.array_equal(dist, first[0]):
            raise WrongAnswerError("wrong distances")

    def check_kept(client: Any, found: reedsp.AllPairs) -> None:
        with client.as_current():  # there are two
            check(found)

    asked: dict[str, Any] = {"method": "floyd-warshall", "dtype": "int32"}
    with ExitStack() as stack:
        expected = partial(reedsp.estimate, graph, "apsp", device=device, **asked)
        ways = [Way(ONE, 1, partial(reedsp.apsp, graph, device=device, **asked), check, expected=expected())]
        for number in COUNTS:
            cluster, used = stack.enter_context(workers_of(device, number))
            if number <= len(devices) > 1:
                threads = partial(reedsp.apsp, graph, device=devices[:number], memory_limit=limit(devices), **asked)
                ways.append(Way(THREADS, number, threads, check))
            kept, alike = partial(cluster.apsp, graph, **asked), partial(check_kept, cluster.engine.client)
            ways.append(Way(KEPT, number, kept, alike, used, expected(workers=number)))
        about = {"task": "Floyd-Warshall", "graph": "random", "n": n, "m": graph.m, "sources": n, "seed": SEED}
        yield from figures(ways, repeats, **about)


def limit(devices: Sequence[reedsp.Device]) -> int:
    """Return bytes that each device has: given, one device goes the way of several."""
    return min(int(0.8 * each.global_memory) for each in devices)


# ---- the experiment ---------------------------------------------------------------------------------


def devices_of(setting: Setting) -> list[reedsp.Device]:
    """Return two GPUs of the device's platform, if there are, or the device alone."""
    same = [each for each in reedsp.devices() if each.kind == "gpu" and each.platform == setting.device.platform]
    return same[: max(COUNTS)] if setting.device.kind == "gpu" else [setting.device]


def cases(setting: Setting) -> list[Case]:
    devices, repeats = devices_of(setting), 1 if setting.quick else 3
    often = 3 * repeats
    on_gpus = setting.device.kind == "gpu"
    if setting.quick or setting.data is None:
        side, count = (40, FEW) if setting.quick else (400, SOURCES)
        load, label = partial(inputs.grid, side, SEED), f"grid {side} x {side}"
        added = count
    else:
        load, label = partial(inputs.new_york, setting.data / "dimacs-ny"), "USA-road-d.NY"
        count, added = (SOURCES_GPU, SOURCES_ADDED_GPU) if on_gpus else (SOURCES, SOURCES_ADDED)
    vertices = VERTICES_QUICK if setting.quick else VERTICES_GPU if on_gpus else VERTICES
    return [
        (label, partial(of_sources, devices, load, label, count, often)),
        (f"{label}, sums", partial(of_sums, devices, load, label, added, repeats)),
        *((f"all pairs of {n}", partial(of_pairs, devices, n, often if n <= SHORT else repeats)) for n in vertices),
    ]


def impossible(setting: Setting) -> str:
    """Return why this machine cannot do it."""
    missing = [name for name in ("distributed", "zarr") if importlib.util.find_spec(name) is None]
    if missing:
        return f"{', '.join(missing)} is not installed: the extra [dask]"
    enough = len(devices_of(setting)) if setting.device.kind == "gpu" else os.cpu_count() or 1
    return "" if enough >= max(COUNTS) else "there are no two GPUs, or no two cores"


def plot(rows: list[dict[str, str]]) -> Figure:
    """Draw how long each way takes, with one worker and with two."""
    tasks = list(dict.fromkeys((row["task"], row["n"]) for row in rows))
    figure, parts = panels(len(tasks), width=min(4.2, 9.6 / len(tasks)))
    counts = list(dict.fromkeys(row["workers"] for row in rows))
    for axes, (task, n) in zip(parts, tasks, strict=True):
        some = [row for row in rows if (row["task"], row["n"]) == (task, n) and row["way"] not in (EMPTY, SENT)]
        names = list(dict.fromkeys(row["way"] for row in some))
        known = {(row["way"], row["workers"]): float(row["min_ms"]) / 1e3 for row in some}
        series: dict[str, list[float | None]] = {
            f"{count} worker{'s' if count != '1' else ''}": [known.get((name, count)) for name in names]
            for count in counts
        }
        bars(axes, names, series, "")
        title = f"{task}\n{some[0]['graph']}, n = {int(n):,}\n{device_of(rows)}"
        finish(axes, "", "seconds", title, "")
        axes.margins(y=0.25)
    return figure


EXPERIMENT = Experiment("Many sources, and all pairs, over workers of Dask", cases, plot, impossible)
