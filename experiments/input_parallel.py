"""Input Parallel Bellman-Ford and its refinement (thesis section 5.4) beside Output Parallel Bellman-Ford.

    python -m experiments.input_parallel [--device D] [--new-york FOLDER] [--repeats 5] [--output FOLDER]

The methods take turns on each graph. Distances are compared with scipy's, or with what the weights are made from.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse.csgraph

import reedsp
from experiments import inputs
from experiments.measure import RESULTS, measure_in_turn, write
from reedsp.device import get_device

SEED = 2012
METHODS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("output-parallel", {}),
    ("input-parallel", {}),
    ("input-parallel-refined", {"list_active": True}),
    ("input-parallel-refined", {"list_active": False}),
)


def negative_edges(n: int, m: int) -> tuple[reedsp.Graph, npt.NDArray[Any]]:
    """Return a random graph with negative edges but no negative cycle, and its distances from vertex 0.

    Each vertex has a potential, by which its distance differs from that in a graph with weights that are not negative.
    """
    rng = np.random.default_rng(SEED)
    potential = rng.integers(-1000, 1000, n)
    sources, targets = rng.integers(0, n, (2, m))
    lengths = rng.integers(1, 101, m)
    plain = reedsp.Graph.from_edges(n, sources, targets, lengths)
    dist = scipy.sparse.csgraph.dijkstra(plain.to_scipy(), indices=0) + potential - potential[0]
    return reedsp.Graph.from_edges(n, sources, targets, lengths + potential[targets] - potential[sources]), dist


def graphs(new_york: Path | None) -> Iterator[tuple[str, reedsp.Graph, npt.NDArray[Any]]]:
    """Yield name, graph and distances from vertex 0."""
    yield "negative edges", *negative_edges(20_000, 200_000)
    yield "negative edges", *negative_edges(1_000_000, 10_000_000)
    plain = {
        "fixed in-degree 8": inputs.fixed_in_degree(100_000, 8, SEED),
        "skewed in-degree 8": inputs.skewed_in_degree(100_000, 8, SEED),
        "grid 500 x 500": inputs.grid(500, SEED),
    }
    if new_york is not None:
        plain["USA-road-d.NY"] = inputs.new_york(new_york)
    for name, graph in plain.items():
        yield name, graph, scipy.sparse.csgraph.dijkstra(graph.to_scipy(), indices=0)


def rows(device: reedsp.Device, new_york: Path | None, repeats: int) -> Iterator[dict[str, Any]]:
    for name, graph, expected in graphs(new_york):
        rounds: dict[int, int] = {}

        def check(number: int, result: reedsp.ShortestPaths, expected: Any = expected, rounds: Any = rounds) -> None:
            if not np.array_equal(result.dist, expected):
                raise SystemExit("wrong distances")
            rounds[number] = result.rounds

        solves = [
            (partial(reedsp.sssp, graph, 0, method, device=device, options=options), partial(check, number))
            for number, (method, options) in enumerate(METHODS)
        ]
        for number, times in enumerate(measure_in_turn(solves, repeats)):
            method, options = METHODS[number]
            size_of = {"n": graph.n, "m": graph.m, "seed": SEED, "rounds": rounds[number]}
            listed = options.get("list_active", "")
            yield {"graph": name, **size_of, "method": method, "list_active": listed, **times}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device")
    parser.add_argument("--new-york", type=Path, metavar="FOLDER", help="folder with USA-road-d.NY.gr.gz")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--output", type=Path, default=RESULTS, metavar="FOLDER")
    arguments = parser.parse_args()
    device = get_device(arguments.device)
    print(write("input_parallel", device, rows(device, arguments.new_york, arguments.repeats), arguments.output))


if __name__ == "__main__":
    main()
