"""Every kernel in every configuration on small inputs, to be run under Oclgrind's race detector.

    oclgrind --data-races --uninitialized --max-errors 20 --log LOG python tests/under_oclgrind.py [--plant N]

The answers are checked here; races, uninitialised reads and invalid accesses are what Oclgrind writes to LOG, which
has to stay empty (its exit status says nothing). ``--plant N`` first removes the N-th barrier of the kernels, to show
that the lane would notice, and ends with the first entry in LOG; ``--count-barriers`` prints how many there are.
"""

from __future__ import annotations

import argparse
import functools
import itertools
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))

import oracle
from families import FAMILIES, NEGATIVE_CYCLES, Family

import reedsp
from reedsp import kernels, minplus, scan
from reedsp.device import Device, Job, get_device
from reedsp.operators import resolve
from reedsp.scan import Buffers, Elements, plan_reduce, plan_scan

GROUP_SIZE = 16
LARGEST = 300  # edges: two work-groups and a tail at least, and still quick in a simulator


def barriers(folder: Path) -> list[tuple[Path, re.Match[str]]]:
    """Return every barrier of the kernel sources."""
    return [
        (file, match)
        for file in sorted(folder.glob("*.cl"))
        for match in re.finditer(r"^ *barrier\(.*\);\n", file.read_text(), re.MULTILINE)
    ]


def plant(number: int, folder: Path) -> str:
    """Use a copy of the kernels without one of the barriers, and return the name of the file that lacks it."""
    copy = Path(tempfile.mkdtemp()) / "cl"
    shutil.copytree(folder, copy)
    file, match = barriers(copy)[number]
    text = file.read_text()
    line = text.count("\n", 0, match.start()) + 1
    file.write_text(text[: match.start()] + "\n" + text[match.end() :])
    print(f"removed the barrier in {file.name}, line {line}")
    kernels.kernel_directory = lambda: copy
    return file.name


kept = []


def keep_buffers() -> None:
    """Never free a buffer: Oclgrind 21.10 gives a new buffer the initialisation record of a freed, smaller one."""
    for name in ("allocate", "upload"):
        make = getattr(Job, name)

        def make_and_keep(*args: object, make: object = make) -> object:
            kept.append(make(*args))
            return kept[-1]

        setattr(Job, name, make_and_keep)


def graph_of(family: Family, dtype: type) -> reedsp.Graph:
    weights = np.array(family.weights, dtype)
    return reedsp.Graph.from_edges(family.n, family.sources, family.targets, weights, directed=family.directed)


def check(family: Family, graph: reedsp.Graph, options: dict[str, object]) -> None:
    """Solve and compare with the oracle."""
    expected = oracle.distances(family.n, family.edges, family.source)
    result = reedsp.sssp(graph, family.source, options=options)
    assert result.dist.tolist() == [float("inf") if d is None else float(d) for d in expected], family.name
    assert result.pred.tolist() == oracle.predecessors(family.n, family.edges, family.source, expected), family.name
    assert result.verify()


def check_family(family: Family) -> None:
    """Every refinement of Output Parallel Bellman-Ford, in integers and in floats."""
    whole = graph_of(family, np.int64)
    for cooperative, ordered in itertools.product((False, True), repeat=2):
        options = {"cooperative_loading": cooperative, "in_degree_order": ordered, "group_size": GROUP_SIZE}
        check(family, whole, options)
    options = {"cooperative_loading": True, "early_stop": family.n > 100, "group_size": GROUP_SIZE}
    check(family, whole, options)
    halves = reedsp.Graph(
        whole.indptr, whole.indices, whole.weights + 0.5, directed=True
    )  # not to be taken for integers
    assert reedsp.sssp(halves, family.source, options={"group_size": GROUP_SIZE}).verify()


def check_negative_cycle(family: Family) -> None:
    """A real negative cycle is found."""
    for cooperative in (False, True):
        options = {"cooperative_loading": cooperative, "group_size": GROUP_SIZE}
        with pytest.raises(reedsp.NegativeCycleError) as found:
            reedsp.sssp(graph_of(family, np.int64), family.source, options=options)
        assert oracle.closed_walk_weight(family.edges, found.value.cycle) < 0


TAKE_LAST = reedsp.Operator("b == 0 ? a : b", identity=0)  # associative, and not commutative
OPERATORS = {"add": lambda a, b: a + b, "min": min, TAKE_LAST: lambda a, b: b or a}


def check_scan(device: Device, method: str, n: int, op: str | reedsp.Operator, dtype: np.dtype) -> None:
    """Every kind of scan over three tiles or segments and a tail, or three levels of recursion."""
    rng = np.random.default_rng(3)
    x, heads = rng.integers(0, 9, n).astype(dtype), rng.random(n) < 0.02
    join = OPERATORS[op]
    plain = Elements(resolve(op, dtype), dtype, isinstance(op, str))
    for exclusive, segmented in itertools.product((False, True), repeat=2):
        elements = replace(plain, exclusive=exclusive, segmented=segmented)
        expected = oracle.scan(x.tolist(), join, plain.operator.identity, heads * segmented, exclusive)
        group_size = 4 if method == "blelloch" else GROUP_SIZE  # 32 elements a segment: three levels
        assert run_scan(device, elements, x, heads, method, group_size).tolist() == expected, (method, op)
    if method in ("work-group", "work-item"):
        job = Job(device)
        total = job.allocate(1, dtype)
        for kernel in plan_reduce(job, plain, job.upload(x), total, n, method, GROUP_SIZE):
            kernel.queue()
        assert job.download(total, 1, dtype)[0] == functools.reduce(join, x.tolist())
        assert reedsp.compact(x, heads, method=method, device=device).tolist() == x[heads].tolist()
        assert reedsp.compact_indices(heads, method=method, device=device).tolist() == np.flatnonzero(heads).tolist()


def run_scan(
    device: Device, elements: Elements, x: np.ndarray, heads: np.ndarray, method: str, group_size: int
) -> np.ndarray:
    job = Job(device)
    out, total = job.allocate(x.size, x.dtype), job.allocate(1, x.dtype)
    buffers = Buffers(job.upload(x), job.upload(heads.view(np.uint8)), out, total)
    for kernel in plan_scan(job, elements, buffers, x.size, method, group_size):
        kernel.queue()
    return job.download(out, x.size, x.dtype)


def check_places(device: Device) -> None:
    """Heads given as places in arrays of the device, two of them in one word."""
    from pyopencl import array

    x, places = np.arange(70, dtype=np.int32), np.array([0, 3, 5, 5, 64, 70], np.int64)
    on_device = [array.to_device(device.queue, each) for each in (x, places)]
    kept.extend(on_device)
    result = reedsp.segmented_scan(*on_device).get()
    heads = np.isin(np.arange(70), places)
    assert result.tolist() == oracle.scan(x.tolist(), OPERATORS["add"], 0, heads, False)


def check_scans(device: Device) -> Iterator[Callable[[], None]]:
    """Yield the checks of the kernels that scan."""
    yield partial(check_places, device)
    sizes = {"work-group": 3 * GROUP_SIZE * 8 * 4 + 5, "work-item": 300, "blelloch": 2100, "naive": 100}
    for method, op, dtype in itertools.product(sizes, OPERATORS, (np.uint32, np.float64)):
        yield partial(check_scan, device, method, sizes[method], op, np.dtype(dtype))


def check_products(device: Device) -> Iterator[Callable[[], None]]:
    """Yield the checks of the min-plus products: two tiles or blocks and a tail each way."""
    rng = np.random.default_rng(5)
    for method, dtype in itertools.product(minplus.METHODS, (np.int32, np.float64)):
        none = np.inf if dtype is np.float64 else np.iinfo(dtype).max
        a, b = (rng.integers(-9, 10, shape).astype(dtype) for shape in ((35, 40), (40, 67)))
        a[rng.random(a.shape) < 0.2] = b[rng.random(b.shape) < 0.2] = none
        yield partial(check_product, device, a, b, none, method)


def check_product(device: Device, a: np.ndarray, b: np.ndarray, none: float, method: str) -> None:
    exact = [[None if x == none else x for x in row] for row in (*a.tolist(), *b.tolist())]
    expected = oracle.min_plus_product(exact[: len(a)], exact[len(a) :], b.shape[1])
    product = reedsp.min_plus_product(a, b, method, device=device)
    assert [[None if x == none else x for x in row] for row in product.tolist()] == expected, method


def check_paths(device: Device) -> Iterator[Callable[[], None]]:
    """Yield the checks of the kernels that find paths."""
    yield device.self_test
    for family in FAMILIES:
        if len(family.weights) <= LARGEST:
            yield partial(check_family, family)
    for family in NEGATIVE_CYCLES:
        if len(family.weights) <= LARGEST:
            yield partial(check_negative_cycle, family)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--plant", type=int)
    parser.add_argument("--count-barriers", action="store_true")
    arguments = parser.parse_args()
    folder = kernels.kernel_directory()
    if arguments.count_barriers:
        print(len(barriers(folder)))
        return
    parts = {"elements.cl": check_scans, "minplus.cl": check_products, "common.cl": check_paths}
    if arguments.plant is not None:
        source = kernels.assemble(plant(arguments.plant, folder), {})
        parts = {included: part for included, part in parts.items() if f'"cl/{included}"' in source}
    keep_buffers()
    scan._CHUNK = scan._SHORTEST_CHUNK = 64  # several chunks and several spans
    scan._GROUPS_PER_COMPUTE_UNIT = 2  # several tiles a chunk
    for part in parts.values():
        for check in part(get_device("oclgrind")):
            check()
            if arguments.plant is not None and Path(os.environ["OCLGRIND_LOG"]).stat().st_size:
                return
    print("all answers are right")


if __name__ == "__main__":
    main()
