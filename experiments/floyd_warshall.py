"""Floyd-Warshall: table 1 of Lund and Smith, and our blocked one, in tasks (sum and minimum) per second.

    python -m experiments.floyd_warshall [--device D] [--sizes 1024 2048] [--repeats 3] [--output FOLDER]

The matrix is on the device already. Closing a closed matrix takes as long as closing any other and changes nothing, so
one matrix serves all repeats; rows of it are compared with Bellman-Ford in numpy. The paper's CPU column is SciPy's
floyd_warshall here, a plain triple loop on one core; it is left out above --largest-on-cpu vertices.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse.csgraph

import reedsp
from experiments.measure import RESULTS, measure_in_turn, write
from reedsp import lund_smith
from reedsp.device import Job, get_device
from reedsp.floyd_warshall import FloydWarshall
from reedsp.path_matrix import INTEGERS, Block, Weights

SEED = 2010
LARGEST_WEIGHT = 400
CHECKED_ROWS = 3
WARM_UP = 1  # calls before each timed one on a GPU, which lowers its clock while answers are checked
KINDS = {
    "int32": INTEGERS[1],
    "float32": Weights(np.dtype(np.float32), np.inf, np.inf),
    "float32, none negative": Weights(np.dtype(np.float32), np.inf, np.inf, non_negative=True),
    "uint16": INTEGERS[0],
    "float64": Weights(np.dtype(np.float64), np.inf, np.inf),
}
LADDER_KINDS = ("float32",)  # the paper: single precision


def random_weights(n: int) -> np.ndarray:
    """Return a complete graph with whole weights."""
    matrix = np.random.default_rng(SEED).integers(1, LARGEST_WEIGHT + 1, (n, n))
    np.fill_diagonal(matrix, 0)
    return matrix


def distances(matrix: np.ndarray, source: int) -> np.ndarray:
    """Return the distances from one vertex, by Bellman-Ford."""
    dist = matrix[source]
    while True:
        shorter = np.minimum(dist, (dist[:, None] + matrix).min(axis=0))
        if np.array_equal(shorter, dist):
            return dist
        dist = shorter


def close(job: Job, weights: Weights, buffer: Any, n: int, method: str, blocked: FloydWarshall) -> Any:
    """Wait for all paths."""
    if method == "blocked":
        blocked.close(Block(buffer, n), n)
    else:
        lund_smith.close(job, weights, buffer, n, method)
    job.finish()
    return buffer


def rows(
    device: reedsp.Device, sizes: list[int], repeats: int, largest_on_cpu: int, only_blocked: bool
) -> Iterator[dict[str, Any]]:
    for n in sizes:
        matrix = random_weights(n)
        chosen = np.random.default_rng(n).choice(n, CHECKED_ROWS, replace=False)
        expected = np.array([distances(matrix, source) for source in chosen])
        job = Job(device)

        def compare(dist: np.ndarray, chosen: np.ndarray = chosen, expected: np.ndarray = expected) -> None:
            if not np.array_equal(dist[chosen], expected):
                raise SystemExit("wrong distances")

        def check(buffer: Any, dtype: Any, n: int = n, job: Job = job) -> None:
            compare(job.download(buffer, n * n, dtype).reshape(n, n))

        names, solves = [], []
        if n <= largest_on_cpu:
            names.append(("cpu", "float64"))
            solves.append((partial(scipy.sparse.csgraph.floyd_warshall, matrix.astype(np.float64)), compare))
        for kind, weights in KINDS.items():
            blocked = FloydWarshall(job, weights)
            for method in (*(lund_smith.LADDER if kind in LADDER_KINDS and not only_blocked else ()), "blocked"):
                buffer = job.upload(matrix.astype(weights.dtype))
                names.append((method, kind))
                solve = partial(close, job, weights, buffer, n, method, blocked)
                solves.append((solve, partial(check, dtype=weights.dtype)))
        warm_up = WARM_UP if device.kind == "gpu" else 0
        for (method, kind), times in zip(names, measure_in_turn(solves, repeats, warm_up), strict=True):
            rate = round(n**3 / times["min_ms"] / 1e6, 2)
            yield {"method": method, "n": n, "kind": kind, "seed": SEED, **times, "gigatasks_per_second": rate}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device")
    parser.add_argument("--sizes", type=int, nargs="+", default=[1024, 2048], help="multiples of 128")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--largest-on-cpu", type=int, default=2048, help="vertices")
    parser.add_argument("--only-blocked", action="store_true", help="leave out the ladder of the paper")
    parser.add_argument("--output", type=Path, default=RESULTS, metavar="FOLDER")
    arguments = parser.parse_args()
    device = get_device(arguments.device)
    largest, only_blocked = arguments.largest_on_cpu, arguments.only_blocked
    found = rows(device, arguments.sizes, arguments.repeats, largest, only_blocked)
    print(write("floyd_warshall", device, found, arguments.output))


if __name__ == "__main__":
    main()
