"""The main job: the road network USA-road-d.NY from vertex 1, its published answer, and the time it takes.

    python -m experiments.new_york FOLDER [--device D] [--repeats 5] [--output FOLDER]

FOLDER holds USA-road-d.NY.gr.gz of the 9th DIMACS challenge. The CSV says whether every vertex was reached, the sum and
maximum of the distances, and the SHA-256 of the predecessors, which is the same on every device.
"""

from __future__ import annotations

import argparse
import hashlib
from pathlib import Path

import numpy as np

import reedsp
from experiments import inputs
from experiments.measure import RESULTS, measure, write
from reedsp.device import get_device

REACHED, TOTAL, FARTHEST = 264_346, 186_686_642_878, 1_440_081


def check(result: reedsp.ShortestPaths) -> None:
    finite = result.dist[np.isfinite(result.dist)]
    if (finite.size, int(finite.sum()), int(finite.max())) != (REACHED, TOTAL, FARTHEST) or not result.verify():
        raise SystemExit("wrong distances")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--device")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--output", type=Path, default=RESULTS, metavar="FOLDER")
    arguments = parser.parse_args()
    device = get_device(arguments.device)
    graph = inputs.new_york(arguments.folder)
    result, times = measure(lambda: reedsp.sssp(graph, graph.vertex(1), device=device), check, arguments.repeats)
    row = {
        "graph": "USA-road-d.NY",
        "n": graph.n,
        "m": graph.m,
        "source": 1,
        "reached": int(np.isfinite(result.dist).sum()),
        "sum": int(result.dist.sum()),
        "max": int(result.dist.max()),
        "predecessors_sha256": hashlib.sha256(result.pred.astype("<i4").tobytes()).hexdigest(),
        "method": result.method,
        "arithmetic": result.stats["arithmetic"],
        "rounds": result.rounds,
        **times,
    }
    print(write("new_york", device, [row], arguments.output))


if __name__ == "__main__":
    main()
