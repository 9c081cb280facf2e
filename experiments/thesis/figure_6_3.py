"""What the early stop of Output Parallel Bellman-Ford gains, and what it costs a round (figure 6.3).

The graphs of :mod:`experiments.thesis.figure_6_2`, and larger ones, are solved with the early stop; those that are
small enough also without it. `gain` is the time without the early stop, divided by the time with it.

Thesis section 6.1.2 puts the cost of the report of updates at about 10 % of a round. It is measured here on two graphs
on which both variants need all n - 1 rounds (and one more that finds nothing to update): a path along which one vertex
is updated in each round, so that there is hardly anything to report; and a graph in which each round updates many
vertices, so that most work-groups report. The variants also differ in how the host waits: with the early stop it
reads the report after up to 64 rounds, without it waits after every 32. Distances are compared with scipy's Dijkstra.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import scipy.sparse.csgraph
from matplotlib.figure import Figure

import reedsp
from experiments.lib import inputs
from experiments.lib.experiment import Case, Experiment, Row, Setting, WrongAnswerError
from experiments.lib.measure import measure_in_turn
from experiments.lib.plotting import PUBLISHED, device_of, finish, line, panels
from experiments.report.published import THESIS_COST_OF_REPORT
from experiments.thesis.figure_6_2 import IN_DEGREES, LARGEST, REPEATS, SEED, SMALLEST, affordable, check

ALL_ROUNDS, EARLY_STOP = "all rounds", "early stop"
FORCED: dict[str, Callable[[int, int, int], reedsp.Graph]] = {
    "per round, forced path": inputs.forced_path,
    "per round, many updates": inputs.ever_shorter_steps,
}
FORCED_IN_DEGREE = 8
FORCED_STEP = 2  # of the sizes, as a power of two
FORCED_REPEATS = 9  # the difference is small


def time_variants(
    device: reedsp.Device, graph: reedsp.Graph, early_stops: tuple[bool, ...], repeats: int
) -> list[tuple[bool, Row]]:
    """Time with the early stop, without it, or both in turn."""
    expected = scipy.sparse.csgraph.dijkstra(graph.to_scipy(), indices=0)
    rounds: dict[bool, int] = {}

    def check_and_note(early_stop: bool, paths: reedsp.ShortestPaths) -> None:
        check(paths, expected)
        rounds[early_stop] = paths.rounds

    solve = partial(reedsp.sssp, graph, 0, "output-parallel", device=device)
    solves = [(partial(solve, options={"early_stop": each}), partial(check_and_note, each)) for each in early_stops]
    times = dict(zip(early_stops, measure_in_turn(solves, repeats), strict=True))
    return [
        (
            early_stop,
            {
                "rounds": rounds[early_stop],
                **each,
                "ms_per_round": round(each["min_ms"] / rounds[early_stop], 6),
                "gain": round(times[False]["min_ms"] / each["min_ms"], 3) if early_stop and False in times else "",
            },
        )
        for early_stop, each in times.items()
    ]


def rows(device: reedsp.Device, n: int, degree: int, all_rounds: bool, repeats: int) -> Iterator[Row]:
    graph = inputs.fixed_in_degree(n, degree, SEED)
    size_of = {"n": n, "m": graph.m, "in_degree": degree, "seed": SEED}
    for early_stop, found in time_variants(device, graph, (True, False) if all_rounds else (True,), repeats):
        yield {"what": EARLY_STOP if early_stop else ALL_ROUNDS, "early_stop": early_stop, **size_of, **found}


def forced_rows(device: reedsp.Device, what: str, n: int, repeats: int) -> Iterator[Row]:
    graph = FORCED[what](n, FORCED_IN_DEGREE, SEED)
    size_of = {"n": n, "m": graph.m, "in_degree": FORCED_IN_DEGREE, "seed": SEED}
    for early_stop, found in time_variants(device, graph, (True, False), repeats):
        if found["rounds"] != (n if early_stop else n - 1):
            raise WrongAnswerError(f"{what}: {found['rounds']} rounds for {n} vertices")
        yield {"what": what, "early_stop": early_stop, **size_of, **found}


def cases(setting: Setting) -> list[Case]:
    most = affordable(setting)
    sizes = [1 << power for power in range(SMALLEST, LARGEST + 1)]
    most_edges, repeats, forced_repeats = (1 << 14, 1, 1) if setting.quick else (1 << 23, REPEATS, FORCED_REPEATS)
    forced_cost = {n: FORCED_IN_DEGREE * n * n for n in sizes[::FORCED_STEP]}
    found: list[Case] = [
        (
            f"in-degree {degree}, n = {n}",
            partial(rows, setting.device, n, degree, 16 * degree * n * n <= most, repeats),
        )
        for degree in IN_DEGREES
        for n in sizes
        if degree * n <= most_edges
    ]
    found += [
        (
            f"{what}, n = {n}",
            partial(forced_rows, setting.device, what, n, forced_repeats if 16 * cost <= most else repeats),
        )
        for what in FORCED
        for n, cost in forced_cost.items()
        if cost <= most
    ]
    return found


def plot(rows: list[dict[str, str]]) -> Figure:
    """Draw the times with and without the early stop, and what a round costs with and without the report."""
    figure, [times, costs] = panels(2, 4.0)
    number = 0
    for degree in map(str, IN_DEGREES):
        for what in (ALL_ROUNDS, EARLY_STOP):
            chosen = [row for row in rows if (row["what"], row["in_degree"]) == (what, degree)]
            if chosen:
                line(times, [(float(row["n"]), float(row["min_ms"])) for row in chosen], f"{what}, {degree}", number)
            number += 1
    title = f"Figure 6.3 of the thesis: {device_of(rows)}"
    finish(times, "vertices n", "milliseconds", title)
    times.legend(fontsize=8, frameon=False, title="variant, in-degree", title_fontsize=8)
    number = 0
    for what in FORCED:
        of_round = {
            early_stop: {
                float(row["n"]): 1e3 * float(row["ms_per_round"])
                for row in rows
                if (row["what"], row["early_stop"]) == (what, early_stop)
            }
            for early_stop in ("False", "True")
        }
        largest = max(of_round["True"])
        more = 100 * (of_round["True"][largest] / of_round["False"][largest] - 1)
        updates = what.removeprefix("per round, ")
        line(costs, list(of_round["False"].items()), f"{updates}: without report", number)
        line(costs, list(of_round["True"].items()), f"{updates}: with report, {more:+.0f} %", number + 1)
        thesis = [(n, (1 + THESIS_COST_OF_REPORT) * cost) for n, cost in of_round["False"].items()]
        label = "" if number else f"with report: thesis, {100 * THESIS_COST_OF_REPORT:+.0f} %"
        line(costs, thesis, label, number, **PUBLISHED, zorder=1)
        number += 2
    finish(costs, "vertices n", "microseconds per round", f"The report of updates, in-degree {FORCED_IN_DEGREE}")
    return figure


EXPERIMENT = Experiment("The early stop: its gain, and its cost a round (thesis figure 6.3)", cases, plot)
