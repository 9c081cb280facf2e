"""What predecessors add to the time of shortest paths between all pairs.

    python -m experiments.predecessors [--device D] [--sizes 2048 4096] [--repeats 3] [--output FOLDER]

Whole calls of apsp, the graph being on the host. Every predecessor is checked: the edge from it closes the distance.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import reedsp
from experiments.measure import RESULTS, measure_in_turn, write
from reedsp.device import get_device

SEED = 2012
LARGEST_WEIGHT = 400
EDGES_PER_VERTEX = 8
TOLERANCE = 1e-12  # of fractional distances


def dense_whole(n: int, rng: np.random.Generator) -> reedsp.Graph:
    return reedsp.Graph.from_dense(rng.integers(1, LARGEST_WEIGHT + 1, (n, n)))


def dense_fractions(n: int, rng: np.random.Generator) -> reedsp.Graph:
    return reedsp.Graph.from_dense(rng.random((n, n)))


def sparse_whole(n: int, rng: np.random.Generator) -> reedsp.Graph:
    m = EDGES_PER_VERTEX * n
    weights = rng.integers(1, LARGEST_WEIGHT + 1, m)
    return reedsp.Graph.from_edges(n, rng.integers(0, n, m), rng.integers(0, n, m), weights)


def grid(n: int, rng: np.random.Generator) -> reedsp.Graph:
    side = int(n**0.5)
    number = np.arange(side * side).reshape(side, side)
    sources = np.append(number[:, :-1], number[:-1].ravel())
    targets = np.append(number[:, 1:], number[1:].ravel())
    weights = rng.integers(1, LARGEST_WEIGHT + 1, len(sources))
    return reedsp.Graph.from_edges(side * side, sources, targets, weights, directed=False)


GRAPHS: tuple[Callable[[int, np.random.Generator], reedsp.Graph], ...] = (
    *(dense_whole, dense_fractions),
    *(sparse_whole, grid),
)


def check(paths: reedsp.AllPairs, weights: np.ndarray) -> None:
    """Stop unless the edges from the predecessors close the distances."""
    if paths.pred is None:
        return
    for dist, pred in zip(paths.dist, paths.pred, strict=True):
        ends = np.flatnonzero(pred >= 0)
        closed = dist[pred[ends]] + weights[pred[ends], ends]
        if len(ends) != np.count_nonzero(np.isfinite(dist)) - 1 or (np.abs(closed - dist[ends]) > TOLERANCE).any():
            raise SystemExit("a wrong predecessor")


def rows(device: reedsp.Device, sizes: list[int], repeats: int) -> Iterator[dict[str, Any]]:
    for n in sizes:
        for make in GRAPHS:
            graph = make(n, np.random.default_rng(SEED))
            weights = graph.to_scipy().toarray()
            solves = [
                (partial(reedsp.apsp, graph, predecessors=wanted, device=device), partial(check, weights=weights))
                for wanted in (False, True)
            ]
            without, times = measure_in_turn(solves, repeats)
            yield {
                "graph": make.__name__.replace("_", ", "),
                "n": graph.n,
                "m": graph.m,
                "seed": SEED,
                **times,
                "min_ms_without": without["min_ms"],
                "ratio": round(times["min_ms"] / without["min_ms"], 3),
            }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device")
    parser.add_argument("--sizes", type=int, nargs="+", default=[2048, 4096])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--output", type=Path, default=RESULTS, metavar="FOLDER")
    arguments = parser.parse_args()
    device = get_device(arguments.device)
    print(write("predecessors", device, rows(device, arguments.sizes, arguments.repeats), arguments.output))


if __name__ == "__main__":
    main()
