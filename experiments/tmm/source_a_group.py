"""Near-far with a work-group a source, all in its local memory, beside near-far from as many sources: section V.A.

Whole calls find all pairs. Searches alone find distances from many sources, in each way that a work-group can be built,
and leave them on the device. All distances are compared with those of the first search, and some rows with SciPy's.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pyopencl as cl
import scipy.sparse.csgraph
from matplotlib.figure import Figure

import reedsp
from experiments.lib import inputs
from experiments.lib.experiment import Case, Experiment, Row, Setting, WrongAnswerError
from experiments.lib.measure import fastest_search, measure_in_turn
from experiments.lib.plotting import bars, device_of, panels
from reedsp.algorithms.single_source import near_far_local, near_far_work_group, near_far_work_item
from reedsp.algorithms.single_source.near_far import in_work_groups
from reedsp.algorithms.single_source.near_far_local import Tuning, tuning_for
from reedsp.arithmetic.paths import Arithmetic, choose_arithmetic
from reedsp.device.device import Device
from reedsp.device.job import Job
from reedsp.edges.device_graph import OutEdges

SEED = 2012
CHECKED_ROWS = 3
SEARCHES = ("near-far", "near-far-local")
GROUP_SIZES, LANES, AT_ONCE = (128, 256, 512), (1, 2, 4, 8), (1, 2, 4)
AT_ONCE_ON_CPU = (1, 2)
DELTAS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, math.inf)  # typical weights
SOURCES_ON_CPU = 128

Found = tuple[cl.Buffer | None, int]


def graphs(quick: bool) -> dict[str, Callable[[], reedsp.Graph]]:
    if quick:
        return {
            "random-200-8": partial(inputs.random_in_degree, 200, 8, SEED),
            "grid-12": partial(inputs.grid, 12, SEED),
        }
    return {
        "random-2k-8": partial(inputs.random_in_degree, 2000, 8, SEED),
        "random-10k-10": partial(inputs.random_in_degree, 10_000, 10, SEED),
        "r-mat-12": partial(inputs.r_mat, 12, 16, SEED),
        "grid-64": partial(inputs.grid, 64, SEED),
        "grid-100": partial(inputs.grid, 100, SEED),
    }


def tunings(device: Device, edges: OutEdges, arithmetic: Arithmetic, quick: bool) -> list[Tuning]:
    """Return the default first, then others: in 16 bits, with other deltas, and all programs."""
    usual = tuning_for(device, edges, arithmetic, narrow=False)
    if device.kind == "cpu":
        sizes: Sequence[tuple[int, int, int]] = [(1, 1, each) for each in AT_ONCE_ON_CPU]
    else:
        sizes = list(itertools.product(GROUP_SIZES, LANES, AT_ONCE))
    if quick:
        sizes = sizes[:2]
    found = [usual, dataclasses.replace(usual, narrow=True)]
    found += [dataclasses.replace(usual, delta=delta * edges.typical_weight) for delta in DELTAS]
    for size, lanes, each in sizes:
        hub = 32 * lanes * each if usual.hub and size > lanes else 0
        found.append(dataclasses.replace(usual, group_size=size, lanes=lanes, edges_at_once=each, hub=hub))
    fits = [each for each in found if edges.n <= each.most_vertices(device, arithmetic)]
    return [each for each in dict.fromkeys(fits) if each.group_size <= device.max_work_group_size]


def row_of(name: str, graph: reedsp.Graph, what: str, search: str, tuning: Tuning | None, **more: Any) -> Row:
    of_tuning = ("group_size", "lanes", "edges_at_once", "hub", "narrow", "delta")
    return {
        "graph": name,
        "n": graph.n,
        "m": graph.m,
        "what": what,
        "search": search,
        **{field: "" if tuning is None else getattr(tuning, field) for field in of_tuning},
        **more,
        "seed": SEED,
    }


def whole(device: Device, name: str, make: Callable[[], reedsp.Graph], repeats: int) -> Iterator[Row]:
    """Find all pairs, with what goes to the device and comes back."""
    graph = make()
    chosen = np.random.default_rng(SEED).choice(graph.n, CHECKED_ROWS, replace=False)
    expected = scipy.sparse.csgraph.dijkstra(graph.to_scipy(), indices=chosen)
    first: list[npt.NDArray[Any]] = []
    stats: list[list[dict[str, Any]]] = [[] for _ in SEARCHES]

    def check(number: int, paths: reedsp.AllPairs) -> None:
        first.extend([paths.dist] * (not first))
        if not np.array_equal(paths.dist[chosen], expected) or not np.array_equal(paths.dist, first[0]):
            raise WrongAnswerError(f"{name}: wrong distances by {SEARCHES[number]}")
        stats[number].append(paths.stats)

    solves = [
        (partial(reedsp.apsp, graph, "johnson", device=device, options={"search": search}), partial(check, number))
        for number, search in enumerate(SEARCHES)
    ]
    for search, times, of_search in zip(SEARCHES, measure_in_turn(solves, repeats), stats, strict=True):
        yield row_of(
            *(name, graph, "whole call", search, None),
            sources=graph.n,
            **times,
            search_ms=fastest_search(of_search[1:]),
            rounds="",
        )


def variants(device: Device, name: str, make: Callable[[], reedsp.Graph], repeats: int, quick: bool) -> Iterator[Row]:
    """Search from many sources, and leave the answers on the device; searches in 16 bits may give up."""
    graph = make()
    arithmetic = choose_arithmetic(graph, np.dtype(np.float64))
    edges = OutEdges.of(graph, Job(device), arithmetic)
    count = min(graph.n, SOURCES_ON_CPU) if device.kind == "cpu" else graph.n
    starts = [[source] for source in range(count)]
    near_far = near_far_work_group.solve if in_work_groups(device, arithmetic) else near_far_work_item.solve
    searches: list[tuple[str, Tuning | None, Callable[[Job], Found]]] = [
        ("near-far", None, lambda job: near_far(job, edges, arithmetic, starts))
    ]
    for tuning in tunings(device, edges, arithmetic, quick):
        searches.append(
            (
                "near-far-local",
                tuning,
                lambda job, tuning=tuning: near_far_local.solve(job, edges, arithmetic, starts, tuning),
            )
        )
    expected = scipy.sparse.csgraph.dijkstra(graph.to_scipy(), indices=range(CHECKED_ROWS))
    right: npt.NDArray[Any] | None = None
    for search, tuning, solve in searches:
        times, rounds, gives_up = [], 0, False
        for _ in range(repeats + 1):
            job = Job(device, recycle=True)
            started = time.perf_counter()
            found, rounds = solve(job)
            job.finish()
            times.append(1e3 * (time.perf_counter() - started))
            gives_up = found is None
            if found is not None:
                got = job.download(found, count * graph.n, arithmetic.dtype)
                right = got if right is None else right
                rows = got[: CHECKED_ROWS * graph.n].reshape(CHECKED_ROWS, graph.n)
                is_right = np.array_equal(np.where(rows == arithmetic.infinity, np.inf, rows), expected)
                if not is_right or not np.array_equal(got, right):
                    raise WrongAnswerError(f"{name}: wrong distances by {search}, {tuning}")
            job.recycle()
        yield row_of(
            *(name, graph, "gives up" if gives_up else "search", search, tuning),
            sources=count,
            first_ms=round(times[0], 3),
            min_ms=round(min(times[1:]), 4),
            median_ms=round(float(np.median(times[1:])), 4),
            repeats=repeats,
            search_ms="",
            rounds=rounds,
        )


def cases(setting: Setting) -> list[Case]:
    repeats = 1 if setting.quick else 2 if setting.device.kind == "cpu" else 5
    each = [(name, setting.device, name, make, repeats) for name, make in graphs(setting.quick).items()]
    return [
        *((f"whole calls, {name}", partial(whole, *rest)) for name, *rest in each),
        *((f"searches, {name}", partial(variants, *rest, setting.quick)) for name, *rest in each),
    ]


def plot(rows: list[dict[str, str]]) -> Figure:
    """Draw whole calls, and searches alone: near-far, and in local memory as by default and in the best way."""
    figure, axes_of = panels(2, 4.1, 3.6)
    names = list(dict.fromkeys(row["graph"] for row in rows))
    times: dict[tuple[str, str, str], list[float]] = {}
    for row in rows:
        times.setdefault((row["what"], row["search"], row["graph"]), []).append(float(row["min_ms"]))
    labels = {"near-far": "near-far", "near-far-local": "in local memory"}
    calls: dict[str, list[float | None]] = {
        label: [times["whole call", search, name][0] for name in names] for search, label in labels.items()
    }
    alone: dict[str, list[float | None]] = {
        "near-far": [times["search", "near-far", name][0] for name in names],
        "in local memory": [times["search", "near-far-local", name][0] for name in names],
        "the best of all ways": [min(times["search", "near-far-local", name]) for name in names],
    }
    for axes, series, title in zip(axes_of, (calls, alone), ("all pairs, whole calls", "searches alone"), strict=True):
        bars(axes, names, series, "milliseconds")
        axes.set_yscale("log")
        axes.set_title(title, fontsize=9)
        axes.legend(fontsize=8, frameon=False)
    figure.suptitle(f"A work-group a source: {device_of(rows)}", fontsize=10)
    return figure


EXPERIMENT = Experiment("Near-far with a work-group a source, in local memory: TMM section V.A", cases, plot)
