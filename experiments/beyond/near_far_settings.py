"""Near-far in every setting that can be chosen, from many sources, each answer compared exactly.

A setting decides how fast the search is and must never decide what it finds. The first wrong distance ends the
experiment. `compared` counts the answers up to and including those of a row.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import scipy.sparse.csgraph
from matplotlib.figure import Figure

import reedsp
from experiments.lib import inputs
from experiments.lib.experiment import Case, Experiment, Row, Setting, WrongAnswerError
from experiments.lib.plotting import device_of, finish, line, panels
from reedsp.algorithms.single_source.near_far_work_group import Tuning, solve
from reedsp.arithmetic.paths import Arithmetic
from reedsp.device.device import Device
from reedsp.device.job import Job
from reedsp.edges.device_graph import OutEdges

SEED = 2012
GROUP_SIZES = (64, 128, 256, 512)
GROUPS_PER_COMPUTE_UNIT = (1, 4, 8)
LOCAL_ROUNDS = (1, 2, 4, 16)
LEAST_SHARES = (1, 32)
DELTAS = (1.0, 64.0)  # typical weights
SETTINGS = tuple(itertools.product(GROUP_SIZES, GROUPS_PER_COMPUTE_UNIT, LOCAL_ROUNDS, LEAST_SHARES, DELTAS))


def graphs(quick: bool) -> dict[str, Callable[[], reedsp.Graph]]:
    if quick:
        return {
            "random-1k-8": partial(inputs.random_in_degree, 1 << 10, 8, SEED),
            "r-mat-10": partial(inputs.r_mat, 10, 16, SEED),
            "grid-20": partial(inputs.grid, 20, SEED),
        }
    return {
        "random-1m-8": partial(inputs.random_in_degree, 1 << 20, 8, SEED),
        "r-mat-20": partial(inputs.r_mat, 20, 16, SEED),
        "grid-500": partial(inputs.grid, 500, SEED),
    }


def rows(device: Device, name: str, make: Callable[[], reedsp.Graph], count: int, compared: int) -> Iterator[Row]:
    graph = make()
    arithmetic = Arithmetic(np.dtype(np.int32))
    edges = OutEdges.of(graph, Job(device), arithmetic)
    left = np.flatnonzero(np.diff(graph.indptr))
    sources = np.random.default_rng(SEED).choice(left, count, replace=False).tolist()
    found = scipy.sparse.csgraph.dijkstra(graph.to_scipy(), indices=sources)
    expected = np.where(np.isinf(found), arithmetic.infinity, found).astype(np.int32)
    for size, groups, local_rounds, least_share, delta in SETTINGS:
        tuning = Tuning(
            group_size=size,
            groups=groups * device.compute_units,
            local_rounds=local_rounds,
            least_share=least_share,
            delta=delta * edges.typical_weight,
            queue=512,
            hub=32 * size,
            edges_alone=4 * size,
            room=2 * graph.n,
        )
        times = []
        for source, right in zip(sources, expected, strict=True):
            job = Job(device, recycle=True)
            started = time.perf_counter()
            dist, _ = solve(job, edges, arithmetic, [[source]], tuning=tuning)
            job.finish()
            times.append(1e3 * (time.perf_counter() - started))
            got = job.download(dist, graph.n, arithmetic.dtype)
            job.recycle()
            if not np.array_equal(got, right):
                raise WrongAnswerError(f"{name} from {source}: {np.count_nonzero(got != right)} wrong, {tuning}")
        compared += count
        yield {
            "graph": name,
            "n": graph.n,
            "m": graph.m,
            "group_size": size,
            "groups": tuning.groups,
            "local_rounds": local_rounds,
            "least_share": least_share,
            "delta": delta,
            "sources": count,
            "compared": compared,
            "wrong": 0,
            "min_ms": round(min(times), 3),
            "median_ms": round(float(np.median(times)), 3),
            "seed": SEED,
        }


def cases(setting: Setting) -> list[Case]:
    count = 1 if setting.quick else 12
    return [
        (name, partial(rows, setting.device, name, make, count, number * len(SETTINGS) * count))
        for number, (name, make) in enumerate(graphs(setting.quick).items())
    ]


def impossible(setting: Setting) -> str:
    return "on a CPU single work-items search, to which these settings do not apply" * (setting.device.kind == "cpu")


def plot(rows: list[dict[str, str]]) -> Figure:
    """Draw the time of the best of all settings with this work-group size and this number of work-groups."""
    names = list(dict.fromkeys(row["graph"] for row in rows))
    figure, axes_of = panels(len(names), 7.8 / len(names), 3.6)
    for axes, name in zip(axes_of, names, strict=True):
        chosen = [row for row in rows if row["graph"] == name]
        for number, size in enumerate(map(str, GROUP_SIZES)):
            best: dict[float, float] = {}
            for row in chosen:
                if row["group_size"] == size:
                    groups, milliseconds = float(row["groups"]), float(row["median_ms"])
                    best[groups] = min(milliseconds, best.get(groups, milliseconds))
            line(axes, list(best.items()), f"{size} work-items", number)
        counts = sorted(best)
        worst = max(float(row["median_ms"]) for row in chosen)
        finish(axes, "work-groups", "", f"{name};\nworst of all {worst:.3g} ms")
        axes.get_legend().remove()
        axes.set_xticks(counts, [f"{count:g}" for count in counts])
        axes.set_xticks([], minor=True)
    axes_of[0].set_ylabel("milliseconds, best of the other settings")
    figure.legend(*axes_of[0].get_legend_handles_labels(), loc="outside lower center", ncols=4, frameon=False)
    figure.suptitle(f"Near-far: {device_of(rows)}", fontsize=10)
    return figure


EXPERIMENT = Experiment("Near-far in every setting, each answer compared", cases, plot, impossible)
