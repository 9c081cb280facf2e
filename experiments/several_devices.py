"""Blocked Floyd-Warshall on one device and on several, transfers to and from the host included.

    python -m experiments.several_devices [--kind gpu] [--vertices 32768] [--memory-limit BYTES] [--output FOLDER]

The matrix starts and ends on the host; closing a closed one takes as long and changes nothing, so one matrix serves all
repeats. All answers are compared with that of the first device alone, and rows of it with Bellman-Ford in
numpy.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import reedsp
from experiments.floyd_warshall import distances
from experiments.measure import RESULTS, measure_in_turn, write
from reedsp.out_of_core import close_matrix
from reedsp.path_matrix import INTEGERS, Weights

SEED = 2010
LARGEST_WEIGHT = 400
CHECKED_ROWS = 1
WARM_UP_VERTICES = 2048
KINDS = {"float32": Weights(np.dtype(np.float32), np.inf, np.inf), "int32": INTEGERS[1]}


def close(matrix: np.ndarray, weights: Weights, devices: Any, memory_limit: int | None) -> np.ndarray:
    """Return the matrix with all paths."""
    close_matrix(matrix, weights, devices, memory_limit)
    return matrix


def rows(
    devices: list[reedsp.Device], n: int, kinds: list[str], memory_limit: int | None, repeats: int
) -> Iterator[dict[str, Any]]:
    for kind in kinds:
        weights = KINDS[kind]
        rng = np.random.default_rng(SEED)
        initial = rng.integers(1, LARGEST_WEIGHT + 1, (n, n), np.int32).astype(weights.dtype)
        np.fill_diagonal(initial, 0)
        chosen = rng.choice(n, CHECKED_ROWS, replace=False)
        expected = np.array([distances(initial, source) for source in chosen])
        first: list[np.ndarray] = []

        def check(
            matrix: np.ndarray, chosen: Any = chosen, expected: Any = expected, first: list[np.ndarray] = first
        ) -> None:
            if not first:
                first.append(matrix.copy())
            if not np.array_equal(matrix[chosen], expected) or not np.array_equal(matrix, first[0]):
                raise SystemExit("wrong distances")

        small = initial[:WARM_UP_VERTICES, :WARM_UP_VERTICES].copy()
        close_matrix(small, weights, devices)
        counts = [1, len(devices)]
        solves = [(partial(close, initial, weights, devices[:count], memory_limit), check) for count in counts]
        for count, times in zip(counts, measure_in_turn(solves, repeats), strict=True):
            yield {
                "devices": count,
                "n": n,
                "kind": kind,
                "memory_limit": memory_limit or "",
                "seed": SEED,
                **times,
                "gigatasks_per_second": round(n**3 / times["min_ms"] / 1e6, 2),
            }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kind", default="gpu", choices=("gpu", "cpu"))
    parser.add_argument("--vertices", type=int, default=32768)
    parser.add_argument("--weights", nargs="+", default=list(KINDS), choices=KINDS)
    parser.add_argument("--memory-limit", type=int, help="bytes on each device")
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--output", type=Path, default=RESULTS, metavar="FOLDER")
    arguments = parser.parse_args()
    devices = [device for device in reedsp.devices() if device.kind == arguments.kind]
    found = rows(devices, arguments.vertices, arguments.weights, arguments.memory_limit, arguments.repeats)
    print(write("several_devices", devices[0], found, arguments.output))


if __name__ == "__main__":
    main()
