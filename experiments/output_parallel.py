"""Output Parallel Bellman-Ford: what each refinement of thesis sections 5.3.1 and 6.1.2 is worth.

    python -m experiments.output_parallel [--device D] [--new-york FOLDER] [--repeats 5] [--output FOLDER]

Every graph is solved with each combination of cooperative loading, in-degree order and work-group size, with the
early stop; the small ones also without it, over all |V| - 1 rounds. Distances are compared with scipy's Dijkstra.
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse.csgraph

import reedsp
from experiments import inputs
from experiments.measure import RESULTS, measure, write
from reedsp.device import get_device

SEED = 2012
GPU_GROUP_SIZES = (32, 128, 256)
CPU_GROUP_SIZES = (64, 1024)


def graphs(new_york: Path | None) -> Iterator[tuple[str, reedsp.Graph, bool]]:
    """Yield name, graph, and whether all |V| - 1 rounds are affordable."""
    yield "fixed in-degree 8", inputs.fixed_in_degree(4096, 8, SEED), True
    yield "fixed in-degree 8", inputs.fixed_in_degree(100_000, 8, SEED), False
    yield "skewed in-degree 8", inputs.skewed_in_degree(100_000, 8, SEED), False
    yield "grid 500 x 500", inputs.grid(500, SEED), False
    if new_york is not None:
        yield "USA-road-d.NY", inputs.new_york(new_york), False


def rows(device: reedsp.Device, new_york: Path | None, repeats: int) -> Iterator[dict[str, Any]]:
    sizes = GPU_GROUP_SIZES if device.kind == "gpu" else CPU_GROUP_SIZES
    for name, graph, every_round in graphs(new_york):
        expected = scipy.sparse.csgraph.dijkstra(graph.to_scipy(), indices=0)

        def check(result: reedsp.ShortestPaths, expected: Any = expected) -> None:
            if not np.array_equal(result.dist, expected):
                raise SystemExit("wrong distances")

        stops = (True, False) if every_round else (True,)
        for early_stop, cooperative, ordered, size in itertools.product(stops, (False, True), (False, True), sizes):
            options = {
                "early_stop": early_stop,
                "cooperative_loading": cooperative,
                "in_degree_order": ordered,
                "group_size": size,
            }

            def solve(graph: reedsp.Graph = graph, options: dict[str, Any] = options) -> reedsp.ShortestPaths:
                return reedsp.sssp(graph, 0, "output-parallel", device=device, options=options)

            result, times = measure(solve, check, repeats)
            size_of = {"n": graph.n, "m": graph.m, "seed": SEED, "rounds": result.rounds}
            yield {"graph": name, **size_of, **options, "arithmetic": result.stats["arithmetic"], **times}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device")
    parser.add_argument("--new-york", type=Path, metavar="FOLDER", help="folder with USA-road-d.NY.gr.gz")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--output", type=Path, default=RESULTS, metavar="FOLDER")
    arguments = parser.parse_args()
    device = get_device(arguments.device)
    print(write("output_parallel", device, rows(device, arguments.new_york, arguments.repeats), arguments.output))


if __name__ == "__main__":
    main()
