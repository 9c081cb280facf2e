"""Blocked Floyd-Warshall of a sparse graph of as many vertices as one buffer of the device holds.

    python -m experiments.largest [--device D] [--vertices 92000] [--output FOLDER]

Rows of the answer are compared with SciPy's Dijkstra. The matrix stays on the device.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse.csgraph

import reedsp
from experiments.measure import RESULTS, measure, write
from reedsp.all_pairs_matrix import PathMatrix
from reedsp.device import Job, get_device
from reedsp.floyd_warshall import FloydWarshall
from reedsp.path_matrix import INTEGERS

SEED = 2012
EDGES_PER_VERTEX = 8
LARGEST_WEIGHT = 400
CHECKED_ROWS = 4
REPEATS = 1


def rows(device: reedsp.Device, n: int) -> Iterator[dict[str, Any]]:
    rng = np.random.default_rng(SEED)
    m = EDGES_PER_VERTEX * n
    graph = reedsp.Graph.from_edges(
        n, rng.integers(0, n, m), rng.integers(0, n, m), rng.integers(1, LARGEST_WEIGHT + 1, m)
    )
    chosen = rng.choice(n, CHECKED_ROWS, replace=False)
    expected = scipy.sparse.csgraph.dijkstra(graph.to_scipy(), indices=chosen)
    job, weights = Job(device), INTEGERS[1]
    matrix = PathMatrix(job, weights, graph)
    algorithm = FloydWarshall(job, weights)

    def solve() -> PathMatrix:
        algorithm.close(matrix.block, matrix.side)
        job.finish()
        return matrix

    def check(matrix: PathMatrix) -> None:
        for row, right in zip(chosen, expected, strict=True):
            found = job.download_rows(matrix.block.buffer, int(row) * matrix.side, (1, matrix.side), weights.dtype)
            if not np.array_equal(np.where(found[0, :n] == weights.no_path, np.inf, found[0, :n]), right):
                raise SystemExit(f"wrong distances from vertex {row}")

    _, times = measure(solve, check, REPEATS)
    yield {
        "n": n,
        "m": graph.m,
        "kind": str(weights.dtype),
        "bytes": matrix.side**2 * weights.dtype.itemsize,
        "seed": SEED,
        **times,
        "gigatasks_per_second": round(n**3 / times["min_ms"] / 1e6, 2),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device")
    parser.add_argument("--vertices", type=int, default=92_000)
    parser.add_argument("--output", type=Path, default=RESULTS, metavar="FOLDER")
    arguments = parser.parse_args()
    device = get_device(arguments.device)
    print(write("largest", device, rows(device, arguments.vertices), arguments.output))


if __name__ == "__main__":
    main()
