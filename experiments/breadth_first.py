"""Breadth-first search, whole calls with levels and tree, beside SciPy's breadth_first_order with predecessors.

    python -m experiments.breadth_first [FOLDER] [--device D] [--scale 18] [--repeats 9] [--output FOLDER]

FOLDER holds USA-road-d.NY.gr.gz of the 9th DIMACS challenge; without it that row is left out. The graphs are on the
device, and for SciPy in CSR form with float64 weights, before the time is taken. Every answer is checked. `edges` are
those that leave reached vertices; `search_min_ms` is the time until the search had ended, before the answer was copied.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csgraph

import reedsp
from experiments import inputs
from experiments.measure import RESULTS, measure_in_turn, write
from reedsp.breadth_first import BreadthFirst, bfs
from reedsp.device import get_device

SEED = 2012
EDGE_FACTOR = 16
CORNERS = (0.57, 0.19, 0.19)  # of the adjacency matrix, as Graph500 has them


def power_law(scale: int) -> reedsp.Graph:
    """Return an undirected R-MAT graph of 2^scale vertices, whose numbers say nothing about their degrees."""
    rng = np.random.default_rng(SEED)
    m = EDGE_FACTOR << scale
    u, v = np.zeros((2, m), np.int64)
    first, second, third = np.cumsum(CORNERS)
    for _ in range(scale):
        where = rng.random(m)
        u = 2 * u + (where >= second)
        v = 2 * v + (((where >= first) & (where < second)) | (where >= third))
    number = rng.permutation(1 << scale)
    kept = u != v
    return reedsp.Graph.from_edges(1 << scale, number[u[kept]], number[v[kept]], directed=False)


def graphs(folder: Path | None, scale: int) -> Iterator[tuple[str, reedsp.Graph]]:
    yield "grid 1000 x 1000", inputs.grid(1000, SEED)
    yield f"R-MAT {scale}", power_law(scale)
    yield "random, in-degree 10", inputs.fixed_in_degree(100_000, 10, SEED)
    yield "random, in-degree 8", inputs.fixed_in_degree(1_000_000, 8, SEED)
    if folder is not None:
        yield "USA-road-d.NY", inputs.new_york(folder)


def check(found: BreadthFirst, answers: list[BreadthFirst]) -> None:
    found.verify()
    answers.append(found)


def check_order(answer: tuple[np.ndarray, np.ndarray], answers: list[BreadthFirst]) -> None:
    """Stop unless SciPy has reached the same vertices, each from one level below."""
    order, pred = answer
    levels = answers[-1].levels
    if len(order) != np.count_nonzero(levels >= 0) or (levels[order[1:]] != levels[pred[order[1:]]] + 1).any():
        raise SystemExit("SciPy and reedsp differ")


def rows(device: reedsp.Device, folder: Path | None, scale: int, repeats: int) -> Iterator[dict[str, Any]]:
    for name, graph in graphs(folder, scale):
        degrees = np.diff(graph.indptr)
        source = int(np.argmax(degrees))
        matrix = graph.to_scipy().astype(np.float64)
        answers: list[BreadthFirst] = []
        ours, scipys = measure_in_turn(
            [
                (partial(bfs, graph, source, device=device), partial(check, answers=answers)),
                (partial(csgraph.breadth_first_order, matrix, source), partial(check_order, answers=answers)),
            ],
            repeats,
            warm_up=1,
        )
        levels, stats = answers[0].levels, answers[0].stats
        searches = [answer.stats["search_milliseconds"] for answer in answers]
        yield {
            "graph": name,
            "n": graph.n,
            "m": graph.m,
            "seed": SEED,
            "source": source,
            "reached": np.count_nonzero(levels >= 0),
            "edges": int(degrees[levels >= 0].sum()),
            "levels": int(levels.max()),
            "bottom_up_levels": stats["bottom_up_levels"],
            "method": answers[0].method,
            "search_min_ms": round(min(searches), 4),
            **ours,
            "scipy_min_ms": scipys["min_ms"],
            "scipy_median_ms": scipys["median_ms"],
            "ratio": round(scipys["median_ms"] / ours["median_ms"], 2),
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--device")
    parser.add_argument("--scale", type=int, default=18)
    parser.add_argument("--repeats", type=int, default=9)
    parser.add_argument("--output", type=Path, default=RESULTS, metavar="FOLDER")
    arguments = parser.parse_args()
    device = get_device(arguments.device)
    found = rows(device, arguments.folder, arguments.scale, arguments.repeats)
    print(write("breadth_first", device, found, arguments.output))


if __name__ == "__main__":
    main()
