"""Betweenness of random graphs over their size, beside networkx, and beside igraph and networkit where there are these.

Each library counts the paths from every vertex, or from as many as take it seconds; what is compared is the time for
one of them. Calls are whole ones, on a graph that is converted. networkx, igraph and networkit use one core,
`compute_units` says how many ours had. All answers from the same sources are compared, and ours is verified. networkit
draws its sources itself where they are not all: there the sums of all values are compared, which differ by some
hundredths.

On a GPU there is a graph like a social network, too, from 1,024 sources, beside networkit with all cores of the host
and 64 sources, which take it seconds. Of so few the sums differ by some tenths, as a vertex without edges has none.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import networkx as nx
import numpy as np
from matplotlib.figure import Figure

import reedsp
from experiments.lib import inputs
from experiments.lib.experiment import Case, Experiment, Row, Setting, WrongAnswerError
from experiments.lib.measure import measure_in_turn
from experiments.lib.plotting import device_of, finish, line, panels

SEED = 2012
EDGES_PER_VERTEX = 10
SIZES = (100, 300, 1000, 3000, 10_000)
QUICK_SIZES = (60, 120)
LIBRARIES = ("networkx", "igraph", "networkit")
MOST_WORK = {"reedsp": 3 * 10**8, "networkx": 3 * 10**6, "igraph": 5 * 10**7, "networkit": 3 * 10**7}
"""Sources times stored edges."""

SAMPLED, SCALE, EDGE_FACTOR = 1024, 18, 8
SAMPLED_BY_NETWORKIT = 64
SAME_SUM, SAME_SUM_OF_FEW = 0.1, 0.5  # of sums of values from other sources

Solve = Callable[[], Any]


def prepared(library: str, graph: nx.Graph, sources: list[int]) -> Solve | None:
    """Return a call of a library, which leaves an undirected graph's values as numbers of pairs; None without it.

    networkit draws as many sources as there are, unless these are all.
    """
    if library == "networkx":
        return lambda: list(nx.betweenness_centrality_subset(graph, sources, list(graph), backend="networkx").values())
    if importlib.util.find_spec(library) is None:
        return None
    module: Any = importlib.import_module(library)
    if library == "igraph":
        made = module.Graph(len(graph), list(graph.edges))
        return lambda: made.betweenness(sources=sources)
    module.setNumberOfThreads(1)
    own = module.nxadapter.nx2nk(graph)
    if len(sources) < len(graph):
        return lambda: np.array(module.centrality.EstimateBetweenness(own, len(sources)).run().scores()) / 2
    return lambda: np.array(module.centrality.Betweenness(own).run().scores()) / 2


def chosen(library: str, n: int) -> list[int]:
    """Return as many sources as a library takes seconds for."""
    count = min(n, max(8, MOST_WORK[library] // (2 * EDGES_PER_VERTEX * n)))
    return np.sort(np.random.default_rng(SEED).choice(n, count, replace=False)).tolist()


def check(answer: Any, expected: list[float]) -> None:
    """Raise unless the values are those expected."""
    if not np.allclose(answer, expected, 1e-9, 1e-9):
        raise WrongAnswerError("two libraries differ")


def verify(answer: reedsp.Betweenness, answers: list[bytes]) -> None:
    """Raise unless the first answer is right, and the others have the same bytes."""
    if not answers:
        answer.verify()
        answers.append(answer.values.tobytes())
    if answer.values.tobytes() != answers[0]:
        raise WrongAnswerError("two runs differ")


def rows(device: reedsp.Device, n: int, repeats: int) -> Iterator[Row]:
    graph = nx.gnm_random_graph(n, EDGES_PER_VERTEX * n, seed=SEED)
    ours = reedsp.Graph.from_networkx(graph)
    sources = chosen("reedsp", n)
    solves: dict[str, tuple[Solve, Callable[[Any], None]]] = {
        "reedsp": (partial(reedsp.betweenness, ours, sources, device=device), partial(verify, answers=[]))
    }
    counts = {"reedsp": len(sources)}
    for library in LIBRARIES:
        own = chosen(library, n)
        solve = prepared(library, graph, own)
        if solve is not None:
            found = reedsp.betweenness(ours, own, device=device, normalized=False)
            is_source = np.isin(np.arange(n), own)
            parts = (len(own) - (is_source & (len(own) < n))) / (n - (len(own) < n))  # of the estimate: paths counted
            compare = partial(check, expected=found.values * parts)
            if library == "networkit" and len(own) < n:
                compare = partial(check_sum, expected=float(found.values.sum()))
            solves[library] = (solve, compare)
            counts[library] = len(own)
    times = measure_in_turn(list(solves.values()), repeats)
    each = {name: 1e3 * time["min_ms"] / counts[name] for name, time in zip(solves, times, strict=True)}
    yield {
        "graph": "random",
        "n": n,
        "m": ours.m,
        "seed": SEED,
        "compute_units": device.compute_units,
        "sources": counts["reedsp"],
        **times[0],
        "networkx_sources": counts["networkx"],
        "reedsp_us_a_source": round(each["reedsp"], 3),
        **{f"{name}_us_a_source": round(each[name], 3) if name in each else "" for name in LIBRARIES},
        "ratio": round(each["networkx"] / each["reedsp"], 2),
    }


def sampled(graph: reedsp.Graph) -> Solve | None:
    """Return a call of networkit with all cores, from sources that it draws; None without it."""
    if importlib.util.find_spec("networkit") is None:
        return None
    module: Any = importlib.import_module("networkit")
    module.setNumberOfThreads(len(os.sched_getaffinity(0)))
    tails = np.repeat(np.arange(graph.n), np.diff(graph.indptr))
    once = tails < graph.indices
    ends = tuple(each[once].astype(np.uint64) for each in (tails, graph.indices))
    own = module.GraphFromCoo((np.ones(len(ends[0])), ends), n=graph.n, directed=False)
    count = SAMPLED_BY_NETWORKIT
    return lambda: np.array(module.centrality.EstimateBetweenness(own, count, False, True).run().scores()) / 2


def check_sum(answer: Any, expected: float, tolerance: float = SAME_SUM) -> None:
    """Raise unless the sum of all values is about the one expected."""
    if abs(np.sum(answer) / expected - 1) > tolerance:
        raise WrongAnswerError("two libraries differ")


def rows_of_social_network(device: reedsp.Device, repeats: int) -> Iterator[Row]:
    graph = inputs.r_mat(SCALE, EDGE_FACTOR, SEED, directed=False)
    sources = np.sort(np.random.default_rng(SEED).choice(graph.n, SAMPLED, replace=False)).tolist()
    first = reedsp.betweenness(graph, sources, device=device, normalized=False)
    check_ours = partial(verify, answers=[first.values.tobytes()])
    solves: list[tuple[Solve, Callable[[Any], None]]] = [
        (partial(reedsp.betweenness, graph, sources, device=device, normalized=False), check_ours)
    ]
    if (theirs := sampled(graph)) is not None:
        check_theirs = partial(check_sum, expected=float(first.values.sum()), tolerance=SAME_SUM_OF_FEW)
        solves.append((theirs, check_theirs))
    times = measure_in_turn(solves, repeats)
    counts = (SAMPLED, SAMPLED_BY_NETWORKIT)
    each = [round(1e3 * time["min_ms"] / count, 3) for time, count in zip(times, counts, strict=False)]
    yield {
        **{"graph": f"R-MAT {SCALE}", "n": graph.n, "m": graph.m, "seed": SEED},
        **{"compute_units": device.compute_units, "sources": SAMPLED, **times[0], "networkx_sources": ""},
        "reedsp_us_a_source": each[0],
        **dict.fromkeys((f"{name}_us_a_source" for name in LIBRARIES), ""),
        "ratio": "",
        **({"networkit_us_a_source": each[1]} if len(each) > 1 else {}),
    }


def cases(setting: Setting) -> list[Case]:
    sizes = QUICK_SIZES if setting.quick else SIZES
    repeats = 1 if setting.quick else 2
    found: list[Case] = [(f"n = {n}", partial(rows, setting.device, n, repeats)) for n in sizes]
    if setting.device.kind == "gpu" and not setting.quick:
        found.append((f"R-MAT {SCALE}", partial(rows_of_social_network, setting.device, repeats)))
    return found


def plot(rows: list[dict[str, str]]) -> Figure:
    """Draw the time for a source over the number of vertices."""
    figure, [axes] = panels()
    for number, name in enumerate(("reedsp", *LIBRARIES)):
        column = f"{name}_us_a_source"
        points = [(float(row["n"]), float(row[column])) for row in rows if row[column] and row["graph"] == "random"]
        if points:
            line(axes, points, name, number)
    finish(axes, "vertices", "microseconds for each source, fastest", f"Betweenness: {device_of(rows)}")
    return figure


EXPERIMENT = Experiment("Betweenness beside networkx, igraph and networkit", cases, plot)
