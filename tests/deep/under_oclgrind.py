"""Every kernel in every configuration on small inputs, to be run under Oclgrind's race detector.

    oclgrind --data-races --uninitialized --max-errors 20 --log LOG python -m tests.deep.under_oclgrind

The answers are checked here; races, uninitialised reads and invalid accesses are what Oclgrind writes to LOG, which
has to stay empty (its exit status says nothing). ``--part N PARTS`` makes a part of the checks; ``--changed`` makes
those of kernel files that differ from the last landing, as :mod:`tests.support.deep_slice` says it, by turns where they
are many. :mod:`tests.deep.removed_barriers` shows that a fault would be noticed.
"""

from __future__ import annotations

import argparse
import functools
import itertools
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pyopencl as cl
import pytest
import scipy.sparse.csgraph

import reedsp
from experiments.thesis import min_plus
from reedsp.algorithms.all_pairs import device_matrix, floyd_warshall, lund_smith, trees
from reedsp.algorithms.all_pairs.device_matrix import DeviceMatrix
from reedsp.algorithms.all_pairs.floyd_warshall import TILE, FloydWarshall
from reedsp.algorithms.contraction.batches import Batches
from reedsp.algorithms.contraction.exact import units_of
from reedsp.algorithms.contraction.hierarchy import contract
from reedsp.algorithms.contraction.sweep import sweep_to
from reedsp.algorithms.contraction.wide import Wide
from reedsp.algorithms.single_source import input_parallel, near_far_work_group, near_far_work_item, sssp
from reedsp.algorithms.single_source.near_far_work_group import Tuning
from reedsp.algorithms.single_source.task import Task
from reedsp.algorithms.traversal import bfs, deep, queue_levels, queue_order, source_a_group, work_groups
from reedsp.arithmetic.matrix import INTEGERS, Weights
from reedsp.arithmetic.paths import Arithmetic
from reedsp.device import build, iterate
from reedsp.device.device import Device, Program
from reedsp.device.discovery import get_device
from reedsp.device.job import Job
from reedsp.edges import predecessors, preparation, statistics, verify
from reedsp.edges.balance import Balance
from reedsp.edges.device_graph import OutEdges
from reedsp.edges.ladder import DIRECT_SEARCH, Rung
from reedsp.edges.predecessors import find_trees_outgoing
from reedsp.edges.preparation import MatrixRows
from reedsp.minplus import entries
from reedsp.minplus import product as minplus_product
from reedsp.minplus.blocks import Excluded, Products
from reedsp.minplus.matrix import Block
from reedsp.minplus.tilings import tilings_for, vector_length
from reedsp.primitives import plans
from reedsp.primitives.operators import resolve
from reedsp.primitives.plans import Buffers, Elements, scan_in_form
from reedsp.primitives.scan import plan_reduce, plan_scan
from tests.deep.oclgrind import (
    Check,
    calibration,
    centrality,
    components,
    dijkstra,
    flows,
    forests,
    initialised,
    ladder,
    matchings,
    pram,
    searches,
    sorts,
    strided,
    techniques,
    wrong_answers,
)
from tests.support import oracle
from tests.support.deep_slice import MOST, changed_files, commits, turns_of
from tests.support.families import FAMILIES, NEGATIVE_CYCLES, Family, grid, random

GROUP_SIZE = 16
LARGEST = 300  # edges: two work-groups and a tail at least, and still quick in a simulator
LONG = ("path", "long cycle of weight -1")  # hundreds of rounds, one like the other
SIMULATED = [family for family in FAMILIES if len(family.weights) <= LARGEST and family.name not in LONG]
CYCLES = [
    *(family for family in NEGATIVE_CYCLES if len(family.weights) <= LARGEST and family.name not in LONG),
    Family("cycle of weight -1", 40, list(range(40)), [*range(1, 40), 0], [1] * 39 + [-40]),
]
NARROW, INT32, INT64 = INTEGERS


def check(family: Family, graph: reedsp.Graph, options: dict[str, object]) -> None:
    """Solve and compare with the oracle."""
    expected = oracle.distances(family.n, family.edges, family.source)
    result = reedsp.sssp(graph, family.source, "output-parallel", options=options)
    assert result.dist.tolist() == [float("inf") if d is None else float(d) for d in expected], family.name
    assert result.pred.tolist() == oracle.predecessors(family.n, family.edges, family.source, expected), family.name
    assert result.verify()


def check_family(family: Family) -> None:
    """Every refinement of Output Parallel Bellman-Ford, in integers and in floats."""
    whole = family.graph()
    for cooperative, ordered in itertools.product((False, True), repeat=2):
        options = {"cooperative_loading": cooperative, "in_degree_order": ordered, "group_size": GROUP_SIZE}
        check(family, whole, options)
    options = {"cooperative_loading": True, "early_stop": family.n > 100, "group_size": GROUP_SIZE}
    check(family, whole, options)
    halves = reedsp.Graph(
        whole.indptr, whole.indices, whole.weights + 0.5, directed=True
    )  # not to be taken for integers
    assert reedsp.sssp(halves, family.source, "output-parallel", options={"group_size": GROUP_SIZE}).verify()


def check_negative_cycle(family: Family) -> None:
    """A real negative cycle is found."""
    for cooperative in (False, True):
        options = {"cooperative_loading": cooperative, "group_size": GROUP_SIZE}
        with pytest.raises(reedsp.NegativeCycleError) as found:
            reedsp.sssp(family.graph(), family.source, "output-parallel", options=options)
        assert oracle.closed_walk_weight(family.edges, found.value.cycle) < 0


TAKE_LAST = reedsp.Operator("b == 0 ? a : b", identity=0)  # associative, and not commutative
OPERATORS = {"add": lambda a, b: a + b, "min": min, TAKE_LAST: lambda a, b: b or a}


def check_scan_by_work_items(device: Device, *case: object) -> None:
    """Three chunks, of which Oclgrind's one compute unit would scan all at once, and then what is left."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(device, "compute_units", 3)
        check_scan(device, "work-item", *case)


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


def check_counted_scan(device: Device, method: str, n: int) -> None:
    """Of as many elements as there can be, some are there: a part of the first chunk, or of the last."""
    x, dtype = np.random.default_rng(3).integers(0, 9, n).astype(np.uint32), np.dtype(np.uint32)
    elements = Elements(resolve("add", dtype), dtype, built_in=True, exclusive=True, counted=True)
    for length in (0, 5, n - 3):
        job = Job(device)
        out, total = job.full(n, np.uint32(7)), job.allocate(1, dtype)
        source, count = job.upload(x), job.upload(np.array([length], np.uint32))
        for kernel in plan_scan(job, elements, Buffers(source, source, out, total, count), n, method, GROUP_SIZE):
            kernel.queue()
        sums = np.cumsum(x[:length])
        assert job.download(out, n, dtype).tolist() == [0, *sums.tolist()][:length] + [7] * (n - length)
        assert job.download(total, 1, dtype)[0] == x[:length].sum()


def check_places(device: Device) -> None:
    """Heads given as places in arrays of the device, two of them in one word."""
    from pyopencl import array

    x, places = np.arange(70, dtype=np.int32), np.array([0, 3, 5, 5, 64, 70], np.int64)
    on_device = [array.to_device(device.queue, each) for each in (x, places)]
    result = reedsp.segmented_scan(*on_device)
    initialised.kept.extend([*on_device, result])
    heads = np.isin(np.arange(70), places)
    assert result.get().tolist() == oracle.scan(x.tolist(), OPERATORS["add"], 0, heads, False)


def check_trace(device: Device, dtype: np.dtype, segmented: bool) -> None:
    """The tree of the sweeps before them and behind their last barrier."""
    elements = Elements(resolve("add", dtype), dtype, True, segmented=segmented)
    n, levels, width = 2 * GROUP_SIZE, 2 * GROUP_SIZE.bit_length() + 2, 1 + segmented
    leaves = np.random.default_rng(7).integers(1, 9, (n, width)).astype(dtype)
    leaves[:, 1:] = leaves[:, 1:] > 6
    heads = leaves[:, -1].astype(bool) & segmented
    macros = {"GROUP_SIZE": GROUP_SIZE, "OF_SUMS": 1, "LEVELS": levels}
    job = Job(device)
    found = job.allocate(levels * leaves.size, dtype)
    kernel = device.kernel("primitives/scan_trace.cl", "trace_sweep", **elements.macros, **macros)
    job.launch(kernel, GROUP_SIZE, GROUP_SIZE, job.upload(leaves), found)
    first, *_, last = job.download(found, levels * leaves.size, dtype).reshape(levels, n, width)
    assert np.array_equal(first, leaves)
    inclusive = oracle.scan(leaves[:, 0].tolist(), OPERATORS["add"], 0, heads, False)
    assert last[:, 0].tolist() == [0, *inclusive[:-1]]


def checks_of_scans(device: Device) -> Iterator[Check]:
    """Every kernel that scans."""
    for dtype, segmented in itertools.product((np.uint32, np.float64), (False, True)):
        yield {"primitives/scan_trace.cl"}, partial(check_trace, device, np.dtype(dtype), segmented)
    yield {"primitives/heads.cl", "primitives/work_group_scan.cl"}, partial(check_places, device)
    sizes = {"work-group": 3 * GROUP_SIZE * 8 * 4 + 5, "work-item": 300, "blelloch": 2100, "naive": 100}
    files = {name: {f"primitives/{name.replace('-', '_')}_scan.cl"} for name in sizes}
    files["work-group"] |= {"primitives/reduce.cl"}
    for method in ("work-group", "work-item"):
        yield files[method], partial(check_counted_scan, device, method, sizes[method])
    for method, op, dtype in itertools.product(sizes, OPERATORS, (np.uint32, np.float64)):
        yield files[method], partial(check_scan, device, method, sizes[method], op, np.dtype(dtype))
    for op, dtype in itertools.product(OPERATORS, (np.uint32, np.float64)):
        yield files["work-item"], partial(check_scan_by_work_items, device, sizes["work-item"], op, np.dtype(dtype))

    for op, dtype, exclusive in itertools.product(("add", "min"), (np.uint32, np.float32), (False, True)):
        files_of_one = {"primitives/single_pass_scan.cl", "primitives/tiles.cl"}
        yield files_of_one, partial(check_single_pass, device, op, np.dtype(dtype), exclusive)


def check_single_pass(device: Device, op: str, dtype: np.dtype, exclusive: bool) -> None:
    """The last tiles first, which find no word of those before; then all, of more tiles than a work-group looks at."""
    group, rows = 4, 2
    n = 11 * group * rows * 4 + 5
    x = np.random.default_rng(3).integers(0, 9, n).astype(dtype)
    elements = Elements(resolve(op, dtype), dtype, True, exclusive=exclusive)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plans, "_ROWS_OF_SINGLE_PASS", rows)
        patch.setattr(plans, "_LOOKS", 1)
        job = Job(device)
        given, out, total = job.upload(x), job.allocate(n, dtype), job.allocate(1, dtype)
        clear, scan = scan_in_form(job, elements, Buffers(given, given, out, total), n, "single-pass", group)
    expected = oracle.scan(x.tolist(), OPERATORS[op], elements.operator.identity, np.zeros(n, np.bool_), exclusive)
    tiles = scan._global_size[0] // group
    for first in (tiles - 2, 5, 0):
        scan._dispatches = [((part * group,), (min(3, tiles - part) * group,)) for part in range(first, tiles, 3)]
        if first in (tiles - 2, 0):
            clear.queue()
        scan.queue()
        if first != 5:
            found = job.download(out, n, dtype)[first * group * rows * 4 :]
            assert found.tolist() == expected[first * group * rows * 4 :]


PRODUCT_FILES = {
    "naive": {"minplus/naive.cl"},
    "row-blocks": {"minplus/row_blocks.cl"},
    "row-blocks-transposed": {"minplus/row_blocks.cl", "core/transpose.cl"},
    "tiles": {"minplus/tiles.cl"},
    "registers": {"minplus/registers.cl"},
    "panels": {"minplus/panels.cl"},
}


def checks_of_products(device: Device) -> Iterator[Check]:
    """Every min-plus product: two tiles or blocks and a tail each way, then parts of matrices."""
    assert {"auto", *PRODUCT_FILES} == set(minplus_product.METHODS)
    rng = np.random.default_rng(5)
    for method, dtype in itertools.product(PRODUCT_FILES, (np.int32, np.float64)):
        none = np.inf if dtype is np.float64 else np.iinfo(dtype).max
        a, b = (rng.integers(-9, 10, shape).astype(dtype) for shape in ((35, 40), (40, 67)))
        a[rng.random(a.shape) < 0.2] = b[rng.random(b.shape) < 0.2] = none
        yield PRODUCT_FILES[method], partial(check_product, device, a, b, none, method)
    for weights, in_groups in itertools.product((INT32, NARROW), (True, False)):
        file = f"minplus/{'registers' if in_groups else 'panels'}.cl"
        yield {file}, partial(check_blocks, device, weights, in_groups)
    for kind in ("int32", "float64"):
        yield {"experiments/minplus_arithmetic.cl"}, partial(check_arithmetic, device, kind)


def check_arithmetic(device: Device, kind: str) -> None:
    assert list(min_plus.rows_of_arithmetic(device, 8, kind, 1))


def checks_of_entries(device: Device) -> Iterator[Check]:
    """Matrices of users, with a tail: looked at, converted and written by groups of work-items, and by single ones."""
    used = {"minplus/entries.cl", "minplus/from_user.cl", "minplus/to_user.cl"}
    for dtype, kind in itertools.product((np.uint8, np.int64, np.float32), ("gpu", "cpu")):
        yield used, partial(check_entries, device, dtype, kind)


def check_entries(device: Device, dtype: type, kind: str) -> None:
    matrix = np.arange(35 * 9).reshape(35, 9).astype(dtype) % 100
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(device, "kind", kind)
        settings = {"_CPU_PIECE": 50, "_GPU_PIECE": 4 * GROUP_SIZE, "_GPU_GROUP": GROUP_SIZE}
        for name, value in settings.items():
            patch.setattr(entries, name, value)
        for given in (matrix, matrix.T, matrix[::-1, ::2]):
            job = Job(device)
            found = entries.entries_of(job, given)
            facts = entries.look(job, found)
            assert (facts.low, facts.high, facts.wrong) == (0, given.max(), None)
            shape = (given.shape[0] + 5, given.shape[1] + 7)
            target = entries.convert(job, found, INT32, shape, of_graph=dtype is np.int64)
            written = job.download(target, shape[0] * shape[1], np.int32).reshape(shape)
            expected = np.full(shape, INT32.no_path)
            expected[: given.shape[0], : given.shape[1]] = given
            if dtype is np.int64:
                np.fill_diagonal(expected[: given.shape[0]], 0)
            assert (written == expected).all()
            result = job.allocate(given.size, np.int16)
            assert entries.write_results(job, INT32, target, shape[1], result, given.shape, np.dtype(np.int16)) is None
            assert np.array_equal(
                job.download(result, given.size, np.int16), expected[tuple(map(slice, given.shape))].ravel()
            )


def check_product(device: Device, a: np.ndarray, b: np.ndarray, none: float, method: str) -> None:
    exact = [[None if x == none else x for x in row] for row in (*a.tolist(), *b.tolist())]
    expected = oracle.min_plus_product(exact[: len(a)], exact[len(a) :], b.shape[1])
    product = reedsp.min_plus_product(a, b, method, device=device)
    assert [[None if x == none else x for x in row] for row in product.tolist()] == expected, method


def product_of(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Multiply in the type of the matrices, none of whose entries is infinite."""
    return (a[:, :, None] + b).min(axis=1)


def small_products(job: Job, weights: Weights, in_groups: bool) -> Products:
    """Return products with the smallest tiling."""
    return Products(job, weights, in_groups, tilings_for(job.device, weights, in_groups)[-1:])


def check_blocks(device: Device, weights: Weights, in_groups: bool) -> None:
    """Two tiles each way around what is excluded; rows and columns without paths."""
    job = Job(device)
    blocks = small_products(job, weights, in_groups)
    side = blocks._tilings[0].columns
    shape, excluded = (128, 32, 2 * side) if in_groups else (70, 20, 2 * side), Excluded(64, 64, side, side)
    rng = np.random.default_rng(6)
    sizes = (shape[0] + excluded.rows, shape[1]), (shape[1], 3 * side), (shape[0] + excluded.rows, 3 * side)
    a, b, c = (rng.integers(5, 99, size).astype(weights.dtype) for size in sizes)
    c *= 2
    a[:40], b[:, 2 * side :] = weights.no_path, weights.no_path
    on_device = [job.upload(each) for each in (a, b, c)]
    blocks.queue(
        *(Block(buffer, size[1]) for buffer, size in zip(on_device, sizes, strict=True)), shape, True, excluded
    )
    expected = np.minimum(product_of(a, b), c)
    expected[64:128] = c[64:128]
    expected[:, side : 2 * side] = c[:, side : 2 * side]
    assert np.array_equal(job.download(on_device[2], c.size, c.dtype), expected.ravel())


def checks_of_floyd_warshall(device: Device) -> Iterator[Check]:
    """One tile, then four of them, each kind of which there is; in work-groups, with local memory or little of it."""
    serial, stage = (f"all_pairs/floyd_warshall_{name}.cl" for name in ("serial_tile", "stage"))
    for weights, tiles, used in ((INT64, 1, {serial}), (NARROW, 2, {serial, "minplus/panels.cl"})):
        yield used, partial(check_floyd_warshall, device, weights, tiles * TILE)
    for weights, room in ((INT32, 1 << 15), (NARROW, 1 << 10)):
        yield {stage}, partial(check_stages, device, weights, room)
    for method, weights, tiles in (
        ("harish-narayanan", NARROW, 1),
        ("katz-kider", NARROW, 2),
        ("optimized-blocked", INT32, 2),
        ("staged-load", INT64, 2),
    ):
        file = f"all_pairs/{method.replace('-', '_')}.cl"
        yield {file}, partial(check_lund_smith, device, weights, tiles * lund_smith.TILE, method)


def check_floyd_warshall(device: Device, weights: Weights, n: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FloydWarshall, "_copied", copied_by_the_host)
        matrix, expected, job = paths(n, weights), closure(paths(n, weights)), Job(device)
        algorithm = FloydWarshall(job, weights, small_products(job, weights, in_groups=False))
        buffer = job.upload(matrix)
        algorithm.solve(Block(buffer, n), n)
        assert np.array_equal(job.download(buffer, n * n, weights.dtype), expected.ravel())


def check_stages(device: Device, weights: Weights, room: int) -> None:
    """Two small tiles, on a device with some local memory."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(floyd_warshall, "TILE", 16)
        patch.setattr(device, "local_memory", room)
        matrix, expected, job = paths(32, weights), closure(paths(32, weights)), Job(device)
        algorithm = FloydWarshall(job, weights, small_products(job, weights, in_groups=True))
        buffer = job.upload(matrix)
        algorithm.solve(Block(buffer, 32), 32)
        assert np.array_equal(job.download(buffer, 32 * 32, weights.dtype), expected.ravel())


def copied_by_the_host(self: FloydWarshall, panel: Block, shape: tuple[int, int]) -> Block:
    """Copy a part into a new buffer: Oclgrind 21.10 takes what a copy has written for uninitialised."""
    dtype = self._weights.dtype
    rows, columns = (panel.first // panel.stride, panel.first % panel.stride)
    matrix = self._job.download(panel.buffer, panel.buffer.size // dtype.itemsize, dtype).reshape(-1, panel.stride)
    return Block(self._job.upload(matrix[rows : rows + shape[0], columns : columns + shape[1]]), shape[1])


def copied_back_by_the_host(job: Job, source: Block, target: Block, shape: tuple[int, int], item_size: int) -> None:
    """Copy all of a matrix, for the same reason."""
    assert (source.first, source.stride, target.first, target.stride) == (0, shape[1], 0, shape[1])
    data = job.download(source.buffer, shape[0] * shape[1] * item_size, np.uint8)
    cl.enqueue_copy(job.queue, target.buffer, data)


def check_lund_smith(device: Device, weights: Weights, n: int, method: str) -> None:
    matrix, job = paths(n, weights), Job(device)
    buffer = job.upload(matrix)
    lund_smith.solve(job, weights, buffer, n, method)
    assert np.array_equal(job.download(buffer, n * n, weights.dtype), closure(matrix).ravel())


def paths(n: int, weights: Weights) -> np.ndarray:
    """Return edges of a tenth of all pairs, and a cycle through all vertices."""
    rng = np.random.default_rng(n)
    matrix = np.where(rng.random((n, n)) < 0.1, rng.integers(1, 99, (n, n)), weights.no_path)
    np.fill_diagonal(matrix, 0)
    matrix[np.arange(n), np.roll(np.arange(n), 1)] = 99
    return matrix.astype(weights.dtype)


def closure(matrix: np.ndarray) -> np.ndarray:
    """Return the best path weights between vertices each of which reaches all others."""
    dist = matrix.astype(np.float64)
    for k in range(len(dist)):
        dist = np.minimum(dist, dist[:, k, None] + dist[k])
    return dist.astype(matrix.dtype)


def checks_of_all_pairs(device: Device) -> Iterator[Check]:
    """From edges to distances and trees: edges of weight zero, fractions, and what a negative cycle reaches."""
    used = {"all_pairs/matrix.cl", "all_pairs/trees.cl", "core/transpose.cl", "all_pairs/floyd_warshall_stage.cl"}
    rng = np.random.default_rng(8)
    n = 50
    sources, targets = rng.integers(0, n, (2, 3 * n))
    whole = rng.integers(0, 5, 3 * n)
    fractions = whole + 0.5
    beside = sources < n - 20  # no edge leads on from the last vertices
    negative = np.where((sources == 3) & (targets != 3), -2, whole)
    for weights, kept in ((whole, slice(None)), (fractions, slice(None)), (negative, beside)):
        graph = reedsp.Graph.from_edges(n, sources[kept], targets[kept], weights[kept])
        yield used, partial(check_all_pairs, device, graph, "floyd-warshall")
        yield used, partial(check_rows_of_edges, device, graph)
    squaring = {"all_pairs/matrix.cl", "minplus/compare.cl", "minplus/registers.cl"}
    yield squaring, partial(check_all_pairs, device, graph, "min-plus")
    loops = np.array([[n - 3, n - 3, -1], [n - 2, n - 2, -1], [n - 3, n - 1, 1]])  # two cycles, of one edge each
    ends = np.concatenate(([sources[beside], targets[beside], whole[beside]], loops.T), axis=1)
    yield used, partial(check_all_pairs, device, reedsp.Graph.from_edges(n, *ends), "floyd-warshall")
    yield {"all_pairs/matrix.cl"}, partial(check_diagonal, device)
    yield {"all_pairs/trees.cl", "all_pairs/matrix.cl"}, partial(check_unresolved, device)


def check_unresolved(device: Device) -> None:
    """Many vertices of each row are left without a predecessor, and say so at once."""
    job, n, rows = Job(device), 40, 8
    states = job.upload(np.full(n * rows, build.constants("all_pairs/trees.cl")["UNRESOLVED"], np.uint8))
    found = job.full(rows, np.uint32(0))
    matrix = DeviceMatrix(job, INT32, reedsp.Graph.from_edges(n, [], []))
    macros = trees._macros(matrix, vector_length(device, INT32), True)
    kernel = device.kernel("all_pairs/trees.cl", "find_unresolved", **macros)
    job.launch(kernel, (rows, n), trees._GROUP, states, found, np.uint32(rows))
    assert job.download(found, rows, np.uint32).tolist() == [1] * rows


def check_diagonal(device: Device) -> None:
    """Rounding can make path weights from vertices to themselves negative; here edges do."""
    n = 50
    loops = reedsp.Graph.from_edges(n, range(n), range(n), np.full(n, -1))
    matrix = DeviceMatrix(Job(device), INT32, loops)
    assert matrix.vertices_on_negative_cycles().tolist() == list(range(n))
    assert matrix.reset_diagonal()
    expected = np.full((matrix.side, matrix.side), INT32.no_path)
    expected[range(n), range(n)] = 0
    found = matrix.job.download(matrix.dist.buffer, matrix.side**2, INT32.dtype)
    assert np.array_equal(found, expected.ravel())


def check_rows_of_edges(device: Device, graph: reedsp.Graph) -> None:
    """Edges are sent again, some rows at a time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(device_matrix, "_PART_FOR_EDGES", 0)
        patch.setattr(trees, "_ROWS_OF_A_PART", 9)
        check_all_pairs(device, graph, "floyd-warshall")


def check_all_pairs(device: Device, graph: reedsp.Graph, method: str) -> None:
    trees = method == "floyd-warshall"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(floyd_warshall, "copy_block", copied_back_by_the_host)
        paths = reedsp.apsp(graph, method, predecessors=trees, negative_cycles="mark", device=device)
    edges = oracle.edges_of(
        np.repeat(np.arange(graph.n), np.diff(graph.indptr)), graph.indices, graph.weights.tolist(), directed=True
    )
    expected = oracle.all_distances(graph.n, edges)
    assert paths.dist.tolist() == [[np.inf if d is None else float(d) for d in row] for row in expected]
    if trees:
        assert paths.pred.tolist() == oracle.all_predecessors(graph.n, edges, expected)


def checks_of_paths(device: Device) -> Iterator[Check]:
    """Every kernel that finds paths from single sources."""
    yield {"core/self_test.cl"}, device.self_test
    yield {"edges/verify.cl"}, partial(check_wrong_trees, device)
    files = {"single_source/output_parallel.cl"}
    for family in SIMULATED:
        yield files | {"edges/predecessors.cl", "edges/verify.cl"}, partial(check_family, family)
    for family in CYCLES:
        yield files | {"edges/predecessors.cl"}, partial(check_negative_cycle, family)


def check_wrong_trees(device: Device) -> None:
    """All vertices but one break the same rule, of which the first is named."""
    n = 100  # two work-groups
    star = reedsp.Graph.from_edges(n, np.zeros(n - 1, int), np.arange(1, n))
    ring = reedsp.Graph.from_edges(n, np.arange(1, n), [*range(2, n), 1], np.zeros(n - 1))
    near, far = (np.array([0, *[dist] * (n - 1)], np.int32) for dist in (1, 2))
    tree, cycle = np.array([-9999, *[0] * (n - 1)], np.int32), np.array([-9999, n - 1, *range(1, n - 1)], np.int32)
    for graph, sources, dist, pred, message in (
        (star, range(n), near, tree, "vertex 1: a source must have distance 0 and no predecessor"),
        (star, [0], far, tree, "vertex 1: an edge leads to it on a shorter path"),
        (star, [0], near, cycle, "vertex 1: its predecessor has no edge that gives its distance"),
        (ring, [0], 0 * near, cycle, "vertex 1: its predecessors do not lead back to a source"),
    ):
        arithmetic = Arithmetic(np.dtype(np.int32))
        with pytest.raises(reedsp.VerificationError, match=f"^{message}"):
            verify.verify_tree(graph, sources, dist, pred, Job(device), arithmetic, arithmetic.infinity)


def checks_of_near_far(device: Device) -> Iterator[Check]:
    """Near-far by work-groups: local and global queues that fill up, hubs, and rows."""
    files = {"single_source/near_far_work_group.cl", "single_source/near_far_target.cl"}
    files |= {"edges/prepare.cl", "edges/predecessors_outgoing.cl", "edges/distances.cl"}
    for family in FAMILIES:
        long = family.name in ("path", "backward path")  # of many rounds
        if len(family.weights) <= LARGEST and min(family.weights, default=0) >= 0 and not long:
            for dtype in (np.int32, np.float64):
                if dtype is np.int32 and max(family.weights, default=0) > 2**20:
                    continue
                yield files, partial(check_near_far, device, family, dtype)
    for dtype in (np.int32, np.float64):
        yield files, partial(check_near_far, device, crowded(), dtype)
    yield files, partial(check_near_far, device, searches.SEVERAL_HUBS, np.int32)
    for dtype in (np.int32, np.int64):
        for rung in (Balance("items", 4), Balance("low-degree", 4), Balance("low-degree", 8)):
            few = files | {"edges/pad.cl"} if rung.name == "low-degree" else files
            yield few, partial(check_near_far, device, few_edges(rung.units_at_once), dtype, rung)
    deep_files = {"traversal/deep.cl", "edges/pad.cl", "single_source/near_far_work_group.cl"}
    yield deep_files, partial(check_deep, device)


def checks_of_statistics(device: Device) -> Iterator[Check]:
    """Rows of distances and of levels, added up by one work-item or several."""
    for dtype, size in itertools.product((np.int32, np.int64, np.float32, np.float64), (1, 8, 256)):
        yield {"edges/statistics.cl"}, partial(check_statistics, device, np.dtype(dtype), size)


def check_statistics(device: Device, dtype: np.dtype[Any], size: int) -> None:
    arithmetic, job, n = Arithmetic(dtype), Job(device), 300
    dist = (np.arange(2 * n) * 7919 % 1009).reshape(2, n).astype(dtype)
    dist[:, ::5] = arithmetic.infinity
    found, expected = (statistics.RowStatistics.empty(2, dtype) for _ in range(2))
    statistics.add_up(job, job.upload(dist), n, found, arithmetic, size)
    statistics.add_up_on_host(dist, expected, arithmetic.infinity)
    assert found.equals(expected)
    assert statistics.adds_up_known_levels(device)


def few_edges(degree: int) -> Family:
    """Up to so many edges out of each vertex of some, so that a queue with room for one a work-item is full."""
    rng = np.random.default_rng(degree)
    sources = np.repeat(np.arange(60), rng.integers(0, degree + 1, 60))
    targets, weights = rng.integers(0, 60, len(sources)), rng.integers(0, 40, len(sources))
    return Family(f"up to {degree} edges", 60, *(each.tolist() for each in (sources, targets, weights)))


def check_deep(device: Device) -> None:
    """A search of levels that gives up, and one that does not."""
    family = few_edges(3)
    graph = family.graph()
    expected = oracle.distances(family.n, [(u, v, 1) for u, v, _ in family.edges], 0)
    levels = reedsp.bfs(graph, 0, device=device, options={"method": "near-far"}).levels
    assert levels.tolist() == [-1 if d is None else d for d in expected]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(deep, "_SMALL_LEVELS", 0)
        patch.setattr(deep, "_FIRST_LAUNCHES", 1)
        patch.setattr(deep, "_LEVELS", 1.0)
        search = deep.DeepSearch(graph, Job(device))
        assert not search.run(0, None, always=False)
        assert not deep.suits(graph)


def crowded() -> Family:
    """A few vertices that each of many others improves on in one round, so often that a full queue has no room for it.

    That is the second of two queues, behind which there is nothing, as the source is two edges before them.
    """
    between, last = np.arange(3, 33), np.arange(33, 38)
    sources, targets = (ends.ravel() for ends in np.meshgrid(between, last, indexing="ij"))
    return Family(
        "crowded",
        38,
        [0, 1, *[2] * len(between), *sources.tolist()],
        [1, 2, *between.tolist(), *targets.tolist()],
        [1, 1, *[1] * len(between), *(33 - sources).tolist()],
    )


def check_near_far(device: Device, family: Family, dtype: type, rung: Balance | None = None) -> None:
    """Two rows, with little that a work-group does alone; up to a target, much, with room for one entry a slot."""
    sources = [family.source, family.n // 2]
    expected = [oracle.distances(family.n, family.edges, source) for source in sources]
    settings = {
        "group_size": GROUP_SIZE,
        "groups": 3,
        "local_rounds": 3,
        "least_share": 4,
        "delta": 30.0,
        "queue": GROUP_SIZE,
        "hub": 6,
        "balance": rung or Balance(),
    }
    roomy = Tuning(**settings, edges_alone=8, room=2 * family.n)
    scant = Tuning(**{**settings, "local_rounds": 1}, edges_alone=10 * GROUP_SIZE, room=0)
    graph = family.graph()
    if dtype is np.float64:
        graph = reedsp.Graph(graph.indptr, graph.indices, graph.weights + 0.0)
    for tuning, target in ((roomy, None), (scant, family.n - 1)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(near_far_work_group, "tuning_for", lambda *arguments, tuning=tuning: tuning)
            patch.setattr(predecessors, "_MANY_EDGES", 1 if target is None else 64)
            patch.setattr(sssp, "choose_arithmetic", lambda *arguments: Arithmetic(np.dtype(dtype)))
            options = {"work_groups": True}
            paths = reedsp.sssp(graph, sources, "near-far", target=target, device=device, options=options)
        for row, (source, dist) in enumerate(zip(sources, expected, strict=True)):
            farthest = np.inf if target is None or dist[target] is None else dist[target]
            within = [None if d is None or d > farthest else d for d in dist]
            assert paths.dist[row].tolist() == [np.inf if d is None else float(d) for d in within], family.name
            tree = oracle.predecessors(family.n, family.edges, source, dist)
            assert paths.pred[row].tolist() == [-9999 if d is None else p for d, p in zip(within, tree, strict=True)]


SHARES = {"one edge each": Rung(DIRECT_SEARCH, GROUP_SIZE, 64), "runs": Rung(DIRECT_SEARCH, 1, 5, 7)}


def checks_of_input_parallel(device: Device) -> Iterator[Check]:
    """Both methods; the refined one with and without its list, in words and pairs of words, for GPUs and for CPUs."""
    scans = {"primitives/work_group_scan.cl", "edges/predecessors.cl", "edges/prepare.cl"}
    for family in SIMULATED:
        if len(family.weights) <= LARGEST // 4:
            negative = min(family.weights, default=0) < 0
            whole = Arithmetic(np.dtype(np.int32), saturate=negative)  # then sources are kept from the first round on
            fractions = Arithmetic(np.dtype(np.float64))
            for arithmetic in (whole, fractions):
                files = {"single_source/input_parallel.cl", "primitives/heads.cl"} | scans
                solve = input_parallel.input_parallel
                yield files, partial(check_input_parallel, device, family, arithmetic, solve)
                for number, shares in enumerate(SHARES):
                    listed = (number == 0) == (arithmetic is whole)
                    settings = {"list_active": listed, "edge_classes": arithmetic is whole}
                    solve = partial(input_parallel.input_parallel_refined, **settings)
                    files = {"single_source/input_parallel_refined.cl"} | scans
                    yield files, partial(check_input_parallel, device, family, arithmetic, solve, shares)
    family = next(each for each in CYCLES if each.name == "undirected negative edge")
    yield files, partial(check_input_parallel_cycle, device, family)


def check_input_parallel(
    device: Device, family: Family, arithmetic: Arithmetic, solve: Callable, shares: str = "one edge each"
) -> None:
    """Solve and compare with the oracle."""
    with pytest.MonkeyPatch.context() as patch:
        small_groups(patch, shares)
        dist, predecessors = answer_of(solve, device, family, arithmetic)
    expected = oracle.distances(family.n, family.edges, family.source)
    assert dist.tolist() == [arithmetic.infinity if d is None else d for d in expected], family.name
    tree = oracle.predecessors(family.n, family.edges, family.source, expected)
    assert predecessors.tolist() == tree, family.name


def answer_of(
    solve: Callable[[Task], object], device: Device, family: Family, arithmetic: Arithmetic
) -> tuple[np.ndarray, np.ndarray]:
    """Return the distances and predecessors that a search finds."""
    graph = family.graph()
    dist, predecessors = np.empty((1, graph.n), arithmetic.dtype), np.empty((1, graph.n), np.int32)
    solve(Task(graph, [[family.source]], Job(device), arithmetic, dist, predecessors))
    return dist[0], predecessors[0]


def check_input_parallel_cycle(device: Device, family: Family) -> None:
    """Find a real cycle, for which sources are kept after the first rounds only."""
    with pytest.MonkeyPatch.context() as patch:
        small_groups(patch, "one edge each")
        with pytest.raises(reedsp.NegativeCycleError) as found:
            answer_of(input_parallel.input_parallel_refined, device, family, Arithmetic(np.dtype(np.float64)))
    assert oracle.closed_walk_weight(family.edges, found.value.cycle) < 0


def small_groups(patch: pytest.MonkeyPatch, shares: str) -> None:
    """Have several work-groups where there are but a few vertices."""
    patch.setattr(input_parallel, "_group_size", lambda device: GROUP_SIZE)
    patch.setattr(input_parallel, "rung_for", lambda device, name: SHARES[shares])
    patch.setattr(plans, "_GROUP_SIZE", GROUP_SIZE)


def checks_of_breadth_first(device: Device) -> Iterator[Check]:
    """Both sets of kernels in every direction: hubs, vertices without edges, and predecessors far behind."""
    files = {method: {f"traversal/bfs_{method.replace('-', '_')}.cl"} for method in bfs.METHODS}
    rng = np.random.default_rng(9)
    cores = [rng.integers(first, first + 60, (2, 240)) for first in (0, 70)]
    tail = np.array([range(59, 70), range(60, 71)])
    others = np.arange(8, 88)
    late = np.array([[*np.tile(others, 8), 88], [*np.repeat(np.arange(8), 80), 86]])
    graphs = [
        (reedsp.Graph.from_edges(130, *np.concatenate((*cores, tail), axis=1), directed=False), 3),
        (reedsp.Graph.from_edges(89, *late), 88),
        (reedsp.Graph.from_edges(200, np.full(199, 199), np.arange(199)), 199),
        *((family.graph(), family.source) for family in SIMULATED if len(family.weights) <= LARGEST // 2),
    ]
    for (number, (graph, source)), method in itertools.product(enumerate(graphs), files):
        settings = itertools.product(("auto", "top-down", "bottom-up"), (0, 2)) if number < 3 else (("auto", 2),)
        for direction, small in settings:
            yield files[method], partial(check_breadth_first, device, graph, source, method, direction, small)
        yield {"traversal/bfs_rows.cl"}, partial(check_breadth_first_of_rows, device, graph, source)
    for graph, source in graphs:
        yield {"traversal/queue_order.cl"}, partial(check_queue_order, device, graph, source, "cpu", 0)
        for vertices, levels in ((1, 1), (4, 1), (1, 8)):
            check = partial(check_queue_order, device, graph, source, "gpu", vertices, levels)
            yield {"traversal/queue_levels.cl"}, check
    star = reedsp.Graph.from_edges(1101, np.zeros(1100, int), np.arange(1, 1101))  # a level for over 32 work-groups
    yield {"traversal/queue_levels.cl"}, partial(check_queue_order, device, star, 0, "gpu", 1)
    children = np.arange(1, 156)  # five of each vertex: the last level is found by one work-group, and too large for it
    tree = reedsp.Graph.from_edges(156, (children - 1) // 5, children)
    yield {"traversal/queue_levels.cl"}, partial(check_queue_order, device, tree, 0, "gpu", 1)
    middle, ends = np.arange(1, 65), np.arange(65, 95)  # each in the middle leads to each end
    fan = reedsp.Graph.from_edges(95, [*np.zeros(64, int), *np.repeat(middle, 30)], [*middle, *np.tile(ends, 64)])
    yield {"traversal/queue_levels.cl"}, partial(check_queue_order, device, fan, 0, "gpu", 1)


def check_contraction(device: Device, family: Family, heavy: int) -> None:
    """Sweeps by work-items alone and by rounds, to all vertices and to some, and one pair."""
    family = replace(family, weights=[weight * heavy for weight in family.weights])
    graph = family.graph()
    job, arithmetic = Job(device), Arithmetic(np.dtype(np.int32 if heavy == 1 else np.int64))
    hierarchy = contract(graph, units_of(graph), job)
    sources, last = [family.source, 0], family.n - 1
    dist = [oracle.distances(family.n, family.edges, source) for source in sources]
    expected = np.array([[np.inf if each is None else float(each) for each in row] for row in dist])
    some = sweep_to(hierarchy, np.array(sources))
    for form in (Batches(hierarchy, job), Wide(hierarchy, job), Wide(hierarchy, job, small=2, waiting=2)):
        for sweep, wanted in ((None, expected), (some, expected[:, sources])):
            rows = np.empty(wanted.shape, arithmetic.dtype)
            with job.writes(rows) as results:
                form.rows(job, hierarchy.rank[sources], arithmetic, results, sweep)
            assert np.array_equal(np.where(rows == arithmetic.infinity, np.inf, rows), wanted)
        weight, _, _ = form.meet(job, *hierarchy.rank[[family.source, last]].tolist())
        assert weight == (expected[0, last] if np.isfinite(expected[0, last]) else -1)


def check_contraction_for_many(device: Device) -> None:
    """Rows of several tiles, from more sources than are searched for in one of them.

    Without the product at the top: what is copied to a place in a buffer counts as never written in this simulator.
    """
    side = 9
    graph, job, rows = grid("grid", side, side, seed=4).graph(np.int32), Job(device), 65
    hierarchy, found = contract(graph, units_of(graph), job), np.empty((rows, side * side), np.int32)
    sources = np.arange(rows)
    with job.writes(found) as results:
        Wide(hierarchy, job, small=8, top=0).rows(job, hierarchy.rank[sources], Arithmetic(found.dtype), results)
    assert np.array_equal(found, scipy.sparse.csgraph.dijkstra(graph.to_scipy(), indices=sources))


def checks_of_contraction(device: Device) -> Iterator[Check]:
    """Graphs with directions and without, in both types."""
    # A climb from 0 leads to 7 by way of six vertices of one round, and for three of them the path is as short.
    middle, leaves = list(range(1, 7)), list(range(8, 14))
    ends = [0] * 6 + middle + [7] * 6, middle + [7] * 6 + leaves
    fan = Family("fan", 14, *ends, [9, 9, 9, 6, 12, 11] + [1, 1, 1, 4, 1, 1] + [1] * 6, directed=False)
    files = {f"contraction/{name}.cl" for name in ("rounds", "batches", "wide", "results")}
    for family in (
        grid("grid", 4, 5, seed=1),
        random("random", 30, 70, 0, 3, seed=2),
        random("dense", 16, 200, 1, 9, seed=3),
        fan,
    ):
        for heavy in (1, 2**27):
            yield files, partial(check_contraction, device, family, heavy)
    yield files, partial(check_contraction_for_many, device)


def checks_of_preparation(device: Device) -> Iterator[Check]:
    """Rows of several pieces, in work-groups. Of what single work-items do, vectors of eight end this simulator."""
    for value in (np.int32, np.float32):
        yield {"edges/prepare.cl"}, partial(check_preparation, device, value)


def check_preparation(device: Device, value: type) -> None:
    rng = np.random.default_rng(4)
    columns = [np.sort(rng.choice(90, rng.integers(0, 8), replace=False)) for _ in range(90)]
    indptr, indices = np.cumsum([0, *map(len, columns)]).astype(np.int32), np.concatenate(columns).astype(np.int32)
    values = rng.integers(1, 50, len(indices)).astype(value)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(device, "kind", "gpu")
        patch.setattr(preparation, "_GPU_GROUP", GROUP_SIZE)
        patch.setattr(preparation, "_GPU_PIECE", 4 * GROUP_SIZE)
        prepared = preparation.Preparation(Job(device), indptr, indices, values, Arithmetic(np.dtype(np.int32)))
        facts = prepared.edges().facts
        heaviest = prepared.sum_of_heaviest()
        prepared.close()
    assert facts == preparation.Facts(True, True, 0, values.max().item(), float(values.sum()), max(map(len, columns)))
    assert heaviest == sum(int(values[first:last].max(initial=0)) for first, last in itertools.pairwise(indptr))


def check_queue_order(
    device: Device, graph: reedsp.Graph, start: int, kind: str, vertices: int, most_levels: int = 1
) -> None:
    """By one work-item, as on CPUs, some edges a launch; or by work-groups, of which one works alone or not.

    What is written is copied, too, as the queue is read again, and not all predecessors are written.
    """

    def copied(job: Job, array: np.ndarray, writable: bool) -> cl.Buffer:
        return job.upload(array)

    def copied_back(job: Job, memory: cl.Buffer, array: np.ndarray) -> None:
        job.download_into(array, memory)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Job, "borrow", copied)
        patch.setattr(Job, "give_back", copied_back)
        patch.setattr(device, "kind", kind)
        patch.setattr(device, "compute_units", 2)
        patch.setattr(queue_order, "_FIRST_BUDGET", 50)
        patch.setattr(queue_order, "_PIECE", 64)
        patch.setattr(queue_levels, "_GROUP_SIZE", 32)
        patch.setattr(queue_levels, "_ALONE", ((32, vertices),))
        patch.setattr(queue_levels, "_DEGREE_ALONE", 20)
        patch.setattr(queue_levels, "_FIRST_LEVELS", 1)  # so that levels are read from the queue, too
        patch.setattr(queue_levels, "_MOST_LEVELS", most_levels)
        rows = MatrixRows(Job(device), graph.indptr, graph.indices)
        order, before = queue_order.queue_order(rows, start)
        distances = queue_order.queue_distances(rows, start)
        rows.close()
    queue, expected, levels = [start], {start: -9999}, {start: 0}
    for vertex in queue:
        for head in graph.indices[graph.indptr[vertex] : graph.indptr[vertex + 1]].tolist():
            if head not in expected:
                expected[head], levels[head] = vertex, levels[vertex] + 1
                queue.append(head)
    assert order.tolist() == queue
    assert before.tolist() == [expected.get(vertex, -9999) for vertex in range(graph.n)]
    assert (distances is None) == (kind == "gpu" or graph.m == 0)
    if distances is not None:
        assert distances.tolist() == [levels.get(vertex, np.inf) for vertex in range(graph.n)]


def check_breadth_first_of_rows(device: Device, graph: reedsp.Graph, source: int) -> None:
    """Two work-groups for three rows, which end in the midst of some."""
    ends = np.repeat(np.arange(graph.n), np.diff(graph.indptr))
    edges = oracle.edges_of(ends, graph.indices, np.ones(graph.m, int).tolist(), directed=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(device, "compute_units", 1)
        patch.setattr(source_a_group, "GROUPS_PER_COMPUTE_UNIT", 2)
        patch.setattr(source_a_group, "_FIRST_BUDGET", 40)
        options = {"method": "source-a-group", "group_size": 32}
        found = bfs.bfs(graph, [source, 0, source], device=device, options=options)
    for row, start in enumerate((source, 0, source)):
        expected = oracle.distances(graph.n, edges, start)
        assert found.levels[row].tolist() == [-1 if level is None else level for level in expected]
        assert found.pred[row].tolist() == oracle.predecessors(graph.n, edges, start, expected)


def check_breadth_first(
    device: Device, graph: reedsp.Graph, source: int, method: str, direction: str, small: int
) -> None:
    """One work-group alone where there is little to do, or never; a few work-groups, each with several vertices."""
    ends = np.repeat(np.arange(graph.n), np.diff(graph.indptr))
    edges = oracle.edges_of(ends, graph.indices, np.ones(graph.m, int).tolist(), directed=True)
    expected = oracle.distances(graph.n, edges, source)
    with pytest.MonkeyPatch.context() as patch:
        settings = {"PIECE": 4, "EDGES_PER_ITEM": 1, "SMALL": small, "MOST_LEVELS": 5, "GROUPS_PER_UNIT": 2}
        for name, value in settings.items():
            patch.setattr(work_groups, f"_{name}", value)
        options = {"method": method, "direction": direction}
        if method == "work-groups":
            options["group_size"] = 64 if graph.n > 64 else 32
        found = bfs.bfs(graph, source, device=device, options=options)
    assert found.levels.tolist() == [-1 if level is None else level for level in expected]
    assert found.pred.tolist() == oracle.predecessors(graph.n, edges, source, expected)


def checks_of_near_far_work_item(device: Device) -> Iterator[Check]:
    """Near-far on CPU devices: rows one by one and together, with as little room and patience as there can be."""
    rows, team = (
        {"single_source/near_far_work_item.cl", "edges/prepare.cl"},
        {"single_source/near_far_work_item.cl", "single_source/near_far_team.cl", "edges/prepare.cl"},
    )
    for family in SIMULATED:
        if min(family.weights, default=0) >= 0:
            for dtype in (np.int32, np.int64, np.float64):
                if sum(family.weights) <= np.iinfo(np.int32).max or dtype is not np.int32:
                    yield rows, partial(check_near_far_work_item, device, family, dtype, 3, 2)
                    yield team, partial(check_near_far_work_item, device, family, dtype, 1, 3)
                    if dtype is np.int32:
                        noted = {"single_source/near_far_trees.cl", "edges/predecessors_outgoing.cl"}
                        yield rows | noted, partial(check_near_far_trees, device, family, 3, 2)
                        yield team | noted, partial(check_near_far_trees, device, family, 1, 3)


def check_near_far_trees(device: Device, family: Family, rows: int, workers: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in LITTLE_ROOM.items():
            patch.setattr(near_far_work_item, name, value)
        patch.setattr(iterate, "_SECONDS", 0.0)
        starts = [(family.source + row) % family.n for row in range(rows)]
        arithmetic, job = Arithmetic(np.dtype(np.int32)), Job(device)
        edges = OutEdges.of(family.graph(), job, arithmetic)
        rooted = [[start] for start in starts]
        found, _, noted = near_far_work_item.solve_with_trees(job, edges, arithmetic, rooted, workers=workers)
        tree = find_trees_outgoing(job, edges, arithmetic, found, rooted, False, noted).predecessors
        dist, pred = (job.download(each, rows * family.n, np.int32).reshape(rows, -1) for each in (found, tree))
        for row, start in enumerate(starts):
            right = oracle.distances(family.n, family.edges, start)
            assert dist[row].tolist() == [arithmetic.infinity if d is None else d for d in right], family.name
            assert pred[row].tolist() == oracle.predecessors(family.n, family.edges, start, right), family.name


LITTLE_ROOM = {
    "_CHUNK": 3,
    "_SPARE_ROOM": 0,
    "_ROWS_BUDGET": 50,
    "_TEAM_BUDGET": 50,
    "_SLICE": 10,
    "_FEW": 2,
    "_PATIENCE": 2,
    "_LAG": 1,
    "_FIRST_BATCH": 1,
}


def check_near_far_work_item(device: Device, family: Family, dtype: type, rows: int, workers: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in LITTLE_ROOM.items():
            patch.setattr(near_far_work_item, name, value)
        patch.setattr(iterate, "_SECONDS", 0.0)
        starts = [[(family.source + row) % family.n, family.source] for row in range(rows)]
        arithmetic, job = Arithmetic(np.dtype(dtype)), Job(device)
        edges = OutEdges.of(family.graph(), job, arithmetic)
        options = {"workers": workers, "target": family.n - 1} if dtype is np.int64 else {"workers": workers}
        dist, _ = near_far_work_item.solve(job, edges, arithmetic, starts, **options)
        found = job.download(dist, rows * family.n, dtype).reshape(rows, family.n)
        for row, both in zip(found.tolist(), starts, strict=True):
            columns = zip(*(oracle.distances(family.n, family.edges, start) for start in both), strict=True)
            right = [min((float(d) for d in column if d is not None), default=np.inf) for column in columns]
            last = right[-1] if "target" in options else np.inf
            final = [d for d in row if d <= last and d < arithmetic.infinity]
            assert final == [d for d in right if d <= last and d < np.inf], family.name


def recorded() -> set[str]:
    """Return the kernel files that devices are asked for from now on."""
    used: set[str] = set()
    ask = Device.kernel_of

    def ask_and_record(device: Device, program: Program, name: str) -> object:
        used.add(program[0])
        return ask(device, program, name)

    Device.kernel_of = ask_and_record
    return used


def end_with_first_entry(log: Path) -> None:
    """End this process, whatever it is doing, when there is something in the log."""
    while not (log.exists() and log.stat().st_size):
        time.sleep(0.1)
    os._exit(0)


def until_noticed(file: str) -> None:
    """Make the checks of a kernel file that has a fault, and end this process with the first entry in the log."""
    Thread(target=end_with_first_entry, args=(Path(os.environ["OCLGRIND_LOG"]),), daemon=True).start()
    make([each for each in all_checks() if any(f'"cl/{file}"' in build.assemble(used, {}) for used in each[0])])


def all_checks() -> Iterator[Check]:
    """Yield each check with the kernel files that it may use, of inputs that are large for the kernels then."""
    initialised.know_what_is_initialised()
    plans._CHUNK = plans._SHORTEST_CHUNK = 64  # several chunks and several spans
    plans._GROUPS_PER_COMPUTE_UNIT = 2  # several tiles a chunk
    device = get_device("oclgrind")
    families = (
        checks_of_products,
        checks_of_floyd_warshall,
        checks_of_entries,
        checks_of_all_pairs,
        checks_of_scans,
        checks_of_paths,
        checks_of_input_parallel,
        checks_of_breadth_first,
        checks_of_contraction,
        checks_of_preparation,
        checks_of_near_far,
        checks_of_statistics,
        checks_of_near_far_work_item,
        searches.checks,
        sorts.checks,
        strided.checks,
        calibration.checks,
        ladder.checks,
        techniques.checks,
        dijkstra.checks,
        components.checks,
        forests.checks,
        matchings.checks,
        flows.checks,
        centrality.checks,
        pram.checks,
        wrong_answers.checks,
    )
    return itertools.chain.from_iterable(checks(device) for checks in families)


def make(checks: list[Check]) -> None:
    """Make checks, which must use no kernel file but those that they name."""
    used = recorded()
    for files, check in checks:
        used.clear()
        assert check() is None, f"it has not run: {check}"
        assert used <= files, f"the check also uses {sorted(used - files)}"
    print(f"all answers are right, of {len(checks)} checks")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", type=int, nargs=2, default=(0, 1), metavar=("NUMBER", "PARTS"))
    parser.add_argument("--changed", action="store_true")
    arguments = parser.parse_args()
    chosen = list(all_checks())
    if arguments.changed:
        changed = {file.removeprefix("cl/") for file in changed_files() if file.endswith(".cl")}
        chosen = [each for each in chosen if each[0] & changed]
        turns = turns_of(len(chosen), MOST)
        print(f"{len(chosen)} checks of what has changed, of which this is turn {commits() % turns} of {turns}")
        chosen = chosen[commits() % turns :: turns]
    part, parts = arguments.part
    make(chosen[part::parts])


if __name__ == "__main__":
    main()
