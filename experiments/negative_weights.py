"""Negative weights from one source, and all pairs of a sparse graph, beside SciPy in the same run.

    python -m experiments.negative_weights [--device D] [--repeats 3] [--vertices 10000] [--output FOLDER]

SciPy's Bellman-Ford never stops early, and is run once; so is its Johnson. All distances are compared, exactly.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse.csgraph

import reedsp
from experiments.input_parallel import negative_edges
from experiments.inputs import random_in_degree
from experiments.measure import RESULTS, measure_in_turn, write
from reedsp.device import Device, get_device

SEED = 2012
VERTICES, EDGES = 20_000, 200_000
IN_DEGREE = 10


def compare(name: str, solve: Callable[[], Any], reference: Callable[[], np.ndarray], repeats: int) -> dict[str, Any]:
    """Time both, and stop unless their distances are equal."""
    started = time.perf_counter()
    expected = reference()
    of_scipy = 1e3 * (time.perf_counter() - started)
    used = []

    def check(paths: Any) -> None:
        if not np.array_equal(paths.dist, expected):
            raise SystemExit(f"{name}: {np.count_nonzero(paths.dist != expected)} wrong distances")
        used[:] = [paths.method]

    [times] = measure_in_turn([(solve, check)], repeats)
    return {
        "what": name,
        "method": used[0],
        **times,
        "scipy_ms": round(of_scipy, 1),
        "ratio": round(of_scipy / times["min_ms"], 1),
    }


def rows(device: Device, repeats: int, vertices: int) -> Iterator[dict[str, Any]]:
    graph, _ = negative_edges(VERTICES, EDGES)
    matrix = graph.to_scipy()
    yield {
        "n": graph.n,
        "m": graph.m,
        "seed": SEED,
        **compare(
            "negative weights, one source",
            partial(reedsp.sssp, graph, 0, device=device),
            partial(scipy.sparse.csgraph.bellman_ford, matrix, indices=0),
            repeats,
        ),
    }
    graph = random_in_degree(vertices, IN_DEGREE, SEED)
    matrix = graph.to_scipy()
    for method in ("johnson", "floyd-warshall"):
        yield {
            "n": graph.n,
            "m": graph.m,
            "seed": SEED,
            **compare(
                f"all pairs, in-degree {IN_DEGREE}",
                partial(reedsp.apsp, graph, method, device=device),
                partial(scipy.sparse.csgraph.johnson, matrix),
                repeats,
            ),
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--vertices", type=int, default=10_000)
    parser.add_argument("--output", type=Path, default=RESULTS, metavar="FOLDER")
    arguments = parser.parse_args()
    device = get_device(arguments.device)
    print(write("negative_weights", device, rows(device, arguments.repeats, arguments.vertices), arguments.output))


if __name__ == "__main__":
    main()
