"""Near-far in every setting that can be chosen, from many sources, each answer compared exactly.

    python -m experiments.near_far_settings [--device D] [--sources 12] [--output FOLDER]

A setting decides how fast the search is and must never decide what it finds. The first wrong distance ends the script.
"""

from __future__ import annotations

import argparse
import itertools
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse.csgraph

import reedsp
from experiments import inputs
from experiments.measure import RESULTS, write
from reedsp.device import Device, Job, get_device
from reedsp.device_graph import OutEdges
from reedsp.exactness import Arithmetic
from reedsp.near_far_work_group import Tuning, solve

SEED = 2012
GROUP_SIZES = (64, 128, 256, 512)
GROUPS_PER_COMPUTE_UNIT = (1, 4, 8)
LOCAL_ROUNDS = (1, 2, 4, 16)
LEAST_SHARES = (1, 32)
DELTAS = (1.0, 64.0)  # typical weights


def graphs() -> dict[str, reedsp.Graph]:
    return {
        "random-1m-8": inputs.random_in_degree(1 << 20, 8, SEED),
        "r-mat-20": inputs.r_mat(20, 16, SEED),
        "grid-500": inputs.grid(500, SEED),
    }


def rows(device: Device, count: int) -> Iterator[dict[str, Any]]:
    arithmetic = Arithmetic(np.dtype(np.int32))
    rng = np.random.default_rng(SEED)
    compared = 0
    for name, graph in graphs().items():
        edges = OutEdges.of(graph, Job(device), arithmetic)
        left = np.flatnonzero(np.diff(graph.indptr))
        sources = rng.choice(left, count, replace=False).tolist()
        found = scipy.sparse.csgraph.dijkstra(graph.to_scipy(), indices=sources)
        expected = np.where(np.isinf(found), arithmetic.infinity, found).astype(np.int32)
        for size, groups, local_rounds, least_share, delta in itertools.product(
            GROUP_SIZES, GROUPS_PER_COMPUTE_UNIT, LOCAL_ROUNDS, LEAST_SHARES, DELTAS
        ):
            tuning = Tuning(
                group_size=size,
                groups=groups * device.compute_units,
                local_rounds=local_rounds,
                least_share=least_share,
                delta=delta * edges.typical_weight,
                queue=512,
                hub=32 * size,
                room=2 * graph.n,
            )
            times = []
            for source, right in zip(sources, expected, strict=True):
                job = Job(device, recycle=True)
                started = time.perf_counter()
                dist, _ = solve(job, edges, arithmetic, [[source]], tuning=tuning)
                job.finish()
                times.append(1e3 * (time.perf_counter() - started))
                got = job.download(dist, graph.n, arithmetic.dtype)
                job.recycle()
                if not np.array_equal(got, right):
                    raise SystemExit(f"{name} from {source}: {np.count_nonzero(got != right)} wrong, {tuning}")
                compared += 1
            yield {
                "graph": name,
                "n": graph.n,
                "m": graph.m,
                "group_size": size,
                "groups": tuning.groups,
                "local_rounds": local_rounds,
                "least_share": least_share,
                "delta": delta,
                "sources": count,
                "compared": compared,
                "wrong": 0,
                "min_ms": round(min(times), 3),
                "median_ms": round(float(np.median(times)), 3),
                "seed": SEED,
            }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device")
    parser.add_argument("--sources", type=int, default=12)
    parser.add_argument("--output", type=Path, default=RESULTS, metavar="FOLDER")
    arguments = parser.parse_args()
    device = get_device(arguments.device)
    print(write("near_far_settings", device, rows(device, arguments.sources), arguments.output))


if __name__ == "__main__":
    main()
