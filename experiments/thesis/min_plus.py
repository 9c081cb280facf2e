"""Min-plus products: the ladder of thesis section 4.1, and the fast kernels, in pairs (sum, minimum) per second.

Square matrices are on the device already. Some rows of every product are compared with numpy's. On CPU devices SciPy's
floyd_warshall of the same size, in float64 and on one core, stands beside the products: it takes as many pairs. So does
"arithmetic", the pairs alone, of numbers that stay in registers: no product can be faster on that processor.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import pyopencl as cl
import scipy.sparse.csgraph
from matplotlib.figure import Figure

import reedsp
from experiments.lib.experiment import Case, Experiment, Row, Setting, WrongAnswerError
from experiments.lib.measure import measure, measure_in_turn
from experiments.lib.plotting import bars, device_of, finish, panels
from experiments.lund_smith.floyd_warshall import distances
from reedsp.arithmetic.matrix import weights_of
from reedsp.device.job import Job
from reedsp.minplus import product as minplus_product
from reedsp.minplus import tilings

SEED = 2012
LARGEST_WEIGHT = 400  # as the random matrices of thesis section 6.1.1
CHECKED_ROWS = 5
WARM_UP = 1  # products before each timed one on a GPU, which lowers its clock while answers are checked
FAST = ("registers", "panels")
ARITHMETIC = "arithmetic"
RINGS_PER_UNIT = 8  # work-items that do it
CPU = "scipy floyd_warshall"  # one sum and one minimum for each of n^3 triples too
CPU_KIND = "float64, none negative"
KINDS = {  # name: type, and whether weights may be negative
    "uint16": (np.uint16, False),
    "int32": (np.int32, True),
    "float32": (np.float32, True),
    "float32, none negative": (np.float32, False),
    "float64": (np.float64, True),
    "float64, none negative": (np.float64, False),
}
LABELS = {
    "naive": "naive (Algorithm 3)",
    "row-blocks": "row blocks (Algorithm 4)",
    "row-blocks-transposed": "row blocks, transposed",
    "tiles": "tiles (Algorithm 5)",
    "registers": "registers",
    "panels": "panels",
    ARITHMETIC: "the arithmetic alone",
    CPU: "SciPy's Floyd-Warshall, one core",
}


def methods_on(device: reedsp.Device, kind: str) -> list[str]:
    """Return the methods that are worth their time: tiles in registers are not what a CPU wants."""
    left_out = ("auto", "panels") if device.kind == "gpu" else ("auto", "registers")
    ladder = kind == "float32" or (device.kind == "gpu" and kind != "uint16")
    return [method for method in minplus_product.METHODS if method not in left_out and (ladder or method in FAST)]


def multiply(job: Job, weights: Any, a: Any, b: Any, product: Any, shape: Any, method: str) -> Any:
    """Wait for a product."""
    minplus_product.multiply(job, weights, a, b, product, shape, method)
    job.finish()
    return product


def operands(n: int, kind: str) -> tuple[np.ndarray, np.ndarray, np.random.Generator]:
    """Return two random matrices, and the generator that made them."""
    dtype, negative = KINDS[kind]
    rng = np.random.default_rng(SEED)
    low = -LARGEST_WEIGHT if negative else 0
    a, b = (rng.integers(low, LARGEST_WEIGHT + 1, (n, n)).astype(dtype) for _ in range(2))
    return a, b, rng


def row_of(method: str, n: int, kind: str, times: dict[str, float]) -> Row:
    rate = round(n**3 / times["min_ms"] / 1e6, 2)
    return {"method": method, "n": n, "kind": kind, "seed": SEED, **times, "gigapairs_per_second": rate}


def rows(device: reedsp.Device, n: int, kind: str, repeats: int) -> Iterator[Row]:
    a, b, rng = operands(n, kind)
    weights = weights_of(a, b)
    job = Job(device)
    left, right = job.upload(a), job.upload(b)
    chosen = rng.choice(n, CHECKED_ROWS, replace=False)
    expected = np.array([(a[row][:, None] + b).min(axis=0) for row in chosen])

    def check(product: Any) -> None:
        if not np.array_equal(job.download(product, n * n, a.dtype).reshape(n, n)[chosen], expected):
            raise WrongAnswerError("a wrong product")

    methods = methods_on(device, kind)
    products = [job.allocate(n * n, a.dtype) for _ in methods]
    solves = [
        (partial(multiply, job, weights, left, right, product, (n, n, n), method), check)
        for method, product in zip(methods, products, strict=True)
    ]
    warm_up = WARM_UP if device.kind == "gpu" else 0
    for method, times in zip(methods, measure_in_turn(solves, repeats, warm_up), strict=True):
        yield row_of(method, n, kind, times)


def rows_of_arithmetic(device: reedsp.Device, n: int, kind: str, repeats: int) -> Iterator[Row]:
    """Yield the time of as many pairs as a product has, of numbers that stay in registers."""
    a, b, rng = operands(n, kind)
    weights, job = weights_of(a, b), Job(device)
    tiling = tilings.tilings_for(device, weights, in_groups=False)[0].macros
    macros = {name: tiling[name] for name in ("VECTOR_LENGTH", "VECTORS", "ITEM_ROWS")}
    kernel = device.kernel("experiments/minplus_arithmetic.cl", "arithmetic", **macros, **weights.macros(device.kind))
    rings, ring = RINGS_PER_UNIT * device.compute_units, macros["VECTORS"] * macros["ITEM_ROWS"]
    given = rng.integers(a.min(), LARGEST_WEIGHT, (rings, ring, macros["VECTOR_LENGTH"])).astype(a.dtype)
    weight, rounds = given.dtype.type(1), -(-(n**3) // given.size)
    expected = given.copy()
    for _, place in itertools.product(range(min(rounds, ring)), range(ring)):  # then each number knows all others
        expected[:, place] = np.minimum(expected[:, place], expected[:, (place + 1) % ring] + weight)

    def solve() -> cl.Buffer:
        numbers = job.upload(given)
        job.bind(kernel, rings, 1, numbers, weight, np.uint32(rounds)).queue()
        job.finish()
        return numbers

    def check(numbers: cl.Buffer) -> None:
        if not np.array_equal(job.download(numbers, given.size, given.dtype), expected.ravel()):
            raise WrongAnswerError("wrong arithmetic")

    _, times = measure(solve, check, repeats)
    yield row_of(ARITHMETIC, n, kind, times)


def rows_on_host(n: int) -> Iterator[Row]:
    """Yield the time of SciPy's floyd_warshall, which is called twice only."""
    graph, _, rng = operands(n, CPU_KIND)
    graph[graph == 0] = np.inf  # as SciPy has it
    np.fill_diagonal(graph, 0)
    chosen = rng.choice(n, CHECKED_ROWS, replace=False)
    expected = [distances(graph, source) for source in chosen]

    def check(dist: np.ndarray) -> None:
        if not np.array_equal(dist[chosen], expected):
            raise WrongAnswerError("wrong distances")

    _, times = measure(partial(scipy.sparse.csgraph.floyd_warshall, graph), check, repeats=1)
    yield row_of(CPU, n, CPU_KIND, times)


def cases(setting: Setting) -> list[Case]:
    device = setting.device
    sizes = [128] if setting.quick else [1024, 2048, 4096, 8192] if device.kind == "gpu" else [2048]
    repeats = {kind: 1 if setting.quick else 3 if len(methods_on(device, kind)) > 1 else 9 for kind in KINDS}
    found = [(f"n = {n}, {kind}", partial(rows, device, n, kind, repeats[kind])) for n in sizes for kind in KINDS]
    if device.kind == "cpu":
        found += [
            (f"n = {n}, {kind}, {ARITHMETIC}", partial(rows_of_arithmetic, device, n, kind, repeats[kind]))
            for n in sizes
            for kind in KINDS
        ]
        found += [(f"n = {n}, {CPU}", partial(rows_on_host, n)) for n in sizes]
    return found


def plot(rows: list[dict[str, str]]) -> Figure:
    """Draw the rate of each method for each kind of weights, with the largest matrices."""
    figure, [axes] = panels(width=7.6)
    largest = max(int(row["n"]) for row in rows)
    rates = {
        (row["method"], row["kind"]): float(row["gigapairs_per_second"]) for row in rows if int(row["n"]) == largest
    }
    names = [kind.replace(", ", ",\n") for kind in KINDS]
    measured = [method for method in LABELS if any((method, kind) in rates for kind in KINDS)]
    bars(
        axes,
        names,
        {LABELS[method]: [rates.get((method, kind)) for kind in KINDS] for method in measured},
        "",
    )
    axes.set_ylim(min(rates.values()) / 3, 1.5 * max(rates.values()))
    axes.set_xlim(-0.6, len(KINDS) - 0.4)
    axes.set_xticks(range(len(KINDS)), names, rotation=0, ha="center")
    finish(axes, "weights", "10$^9$ pairs per second", f"Min-plus products, n = {largest:,}: {device_of(rows)}", "y")
    axes.legend(fontsize=8, frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
    return figure


EXPERIMENT = Experiment("Min-plus products: every method (thesis 4.1, Algorithms 3 to 5)", cases, plot)
