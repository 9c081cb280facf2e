"""Output Parallel Bellman-Ford: what each refinement of thesis sections 5.3.1 and 6.1.2 is worth.

Every graph is solved with each combination of cooperative loading, in-degree order and work-group size, with the
early stop; the small ones also without it, over all |V| - 1 rounds. Distances are compared with scipy's Dijkstra.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import scipy.sparse.csgraph
from matplotlib.figure import Figure

import reedsp
from experiments.lib import inputs
from experiments.lib.experiment import Case, Experiment, Row, Setting, WrongAnswerError
from experiments.lib.measure import measure
from experiments.lib.plotting import bars, device_of, panels

SEED = 2012
GPU_GROUP_SIZES = (32, 128, 256)
CPU_GROUP_SIZES = (64, 1024)


REFINEMENTS = {  # cooperative loading, in-degree order
    "neither": (False, False),
    "in-degree order": (False, True),
    "cooperative loading": (True, False),
    "both": (True, True),
}


def graphs(setting: Setting) -> Iterator[tuple[str, Callable[[], reedsp.Graph], bool]]:
    """Yield name, how to make the graph, and whether all |V| - 1 rounds are affordable."""
    small, large, side = (256, 1000, 20) if setting.quick else (4096, 100_000, 500)
    yield "fixed in-degree 8", partial(inputs.fixed_in_degree, small, 8, SEED), True
    yield "fixed in-degree 8", partial(inputs.fixed_in_degree, large, 8, SEED), False
    yield "skewed in-degree 8", partial(inputs.skewed_in_degree, large, 8, SEED), False
    yield f"grid {side} x {side}", partial(inputs.grid, side, SEED), False
    if setting.data is not None and not setting.quick:
        yield "USA-road-d.NY", partial(inputs.new_york, setting.data / "dimacs-ny"), False


def rows(
    device: reedsp.Device, name: str, make: Callable[[], reedsp.Graph], early_stop: bool, refinement: str, repeats: int
) -> Iterator[Row]:
    graph = make()
    expected = scipy.sparse.csgraph.dijkstra(graph.to_scipy(), indices=0)

    def check(result: reedsp.ShortestPaths) -> None:
        if not np.array_equal(result.dist, expected):
            raise WrongAnswerError("wrong distances")

    sizes = GPU_GROUP_SIZES if device.kind == "gpu" else CPU_GROUP_SIZES
    cooperative, ordered = REFINEMENTS[refinement]
    for size in sizes:
        options = {
            "early_stop": early_stop,
            "cooperative_loading": cooperative,
            "in_degree_order": ordered,
            "group_size": size,
        }
        solve = partial(reedsp.sssp, graph, 0, "output-parallel", device=device, options=options)
        result, times = measure(solve, check, repeats)
        size_of = {"n": graph.n, "m": graph.m, "seed": SEED, "rounds": result.rounds}
        yield {"graph": name, **size_of, **options, "arithmetic": result.stats["arithmetic"], **times}


def cases(setting: Setting) -> list[Case]:
    repeats = 1 if setting.quick else 5
    return [
        (
            f"{number}: {name}, {'early stop' if early_stop else 'all rounds'}, {refinement}",
            partial(rows, setting.device, name, make, early_stop, refinement, repeats),
        )
        for number, (name, make, every_round) in enumerate(graphs(setting), 1)
        for early_stop in ((True, False) if every_round else (True,))
        for refinement in REFINEMENTS
    ]


def plot(rows: list[dict[str, str]]) -> Figure:
    """Draw the time of each combination of refinements, with the work-group size that suits it best."""
    figure, [axes] = panels(width=9.0)
    inputs_of = {
        (row["graph"], row["n"], row["early_stop"]): f"{row['graph']}\nn = {row['n']}"
        + ("" if row["early_stop"] == "True" else ",\nall rounds")
        for row in rows
    }
    best: dict[str, list[float | None]] = {
        name: [
            min(
                float(row["median_ms"])
                for row in rows
                if (row["graph"], row["n"], row["early_stop"]) == key
                and (row["cooperative_loading"], row["in_degree_order"]) == (str(cooperative), str(ordered))
            )
            for key in inputs_of
        ]
        for name, (cooperative, ordered) in REFINEMENTS.items()
    }
    bars(axes, list(inputs_of.values()), best, "milliseconds, median of whole calls")
    axes.set_yscale("log")
    axes.set_title(f"Refinements of Output Parallel Bellman-Ford: {device_of(rows)}", fontsize=10)
    axes.legend(fontsize=8, frameon=False)
    return figure


EXPERIMENT = Experiment("Output Parallel Bellman-Ford: its refinements (thesis 5.3.1, 6.1.2)", cases, plot)
