"""Min-plus products: the ladder of thesis section 4.1, and the fast kernels, in pairs (sum, minimum) per second.

    python -m experiments.min_plus [--device D] [--sizes 1024 2048 4096] [--repeats 3] [--output FOLDER]

Square matrices are on the device already. Some rows of every product are compared with numpy's. On CPU devices SciPy's
floyd_warshall of the same size takes its turn with the products, in float64.
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
from reedsp import minplus
from reedsp.device import Job, get_device

SEED = 2012
LARGEST_WEIGHT = 400  # as the random matrices of thesis section 6.1.1
CHECKED_ROWS = 5
LARGEST_ON_CPU = 2048
WARM_UP = 1  # products before each timed one on a GPU, which lowers its clock while answers are checked
FAST = ("registers", "panels")
CPU = "scipy floyd_warshall"  # one sum and one minimum for each of n^3 triples too
KINDS = {  # name: type, and whether weights may be negative
    "uint16": (np.uint16, False),
    "int32": (np.int32, True),
    "float32": (np.float32, True),
    "float32, none negative": (np.float32, False),
    "float64": (np.float64, True),
    "float64, none negative": (np.float64, False),
}


def methods_on(device: reedsp.Device) -> list[str]:
    """Return the methods that are worth their time: tiles in registers are not what a CPU wants."""
    left_out = ("auto", "panels") if device.kind == "gpu" else ("auto", "registers")
    return [method for method in minplus.METHODS if method not in left_out]


def multiply(job: Job, weights: Any, a: Any, b: Any, product: Any, shape: Any, method: str) -> Any:
    """Wait for a product."""
    minplus.multiply(job, weights, a, b, product, shape, method)
    job.finish()
    return product


def not_ours(answer: Any) -> None:
    """SciPy's answer, which is another one than a product, is not checked."""


def rows(device: reedsp.Device, sizes: list[int], repeats: int, only_fast: bool) -> Iterator[dict[str, Any]]:
    for n in sizes:
        for kind, (dtype, negative) in KINDS.items():
            rng = np.random.default_rng(SEED)
            low = -LARGEST_WEIGHT if negative else 0
            a, b = (rng.integers(low, LARGEST_WEIGHT + 1, (n, n)).astype(dtype) for _ in range(2))
            weights = minplus.weights_of(a, b)
            job = Job(device)
            left, right = job.upload(a), job.upload(b)
            chosen = rng.choice(n, CHECKED_ROWS, replace=False)
            expected = np.array([(a[row][:, None] + b).min(axis=0) for row in chosen])

            def check(product: Any, chosen: Any = chosen, expected: Any = expected, n: int = n, job: Job = job) -> None:
                if not np.array_equal(job.download(product, n * n, expected.dtype).reshape(n, n)[chosen], expected):
                    raise SystemExit("a wrong product")

            solves = []
            methods = [method for method in methods_on(device) if method in FAST or not (only_fast or kind == "uint16")]
            for method in methods:
                product = job.allocate(n * n, dtype)
                operands = (job, weights, left, right, product, (n, n, n), method)
                solves.append((partial(multiply, *operands), check))
            if device.kind == "cpu" and n <= LARGEST_ON_CPU:
                methods.append(CPU)
                graph = np.abs(a).astype(np.float64)
                solves.append((partial(scipy.sparse.csgraph.floyd_warshall, graph), not_ours))
            warm_up = WARM_UP if device.kind == "gpu" else 0
            for method, times in zip(methods, measure_in_turn(solves, repeats, warm_up), strict=True):
                rate = n**3 / times["min_ms"] / 1e6
                yield {
                    "method": method,
                    "n": n,
                    "kind": kind,
                    "seed": SEED,
                    **times,
                    "gigapairs_per_second": round(rate, 2),
                }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device")
    parser.add_argument("--sizes", type=int, nargs="+", default=[1024, 2048, 4096], help="multiples of 64")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only-fast", action="store_true", help="leave out the ladder of the thesis")
    parser.add_argument("--output", type=Path, default=RESULTS, metavar="FOLDER")
    arguments = parser.parse_args()
    device = get_device(arguments.device)
    print(
        write(
            "min_plus", device, rows(device, arguments.sizes, arguments.repeats, arguments.only_fast), arguments.output
        )
    )


if __name__ == "__main__":
    main()
