"""Products of blocks against numpy: types, tilings, offsets, what is excluded and what lies outside of the blocks."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from experiments.thesis import min_plus
from reedsp.arithmetic.matrix import INTEGERS, WIDEST, Weights
from reedsp.device.device import Device, programs_requested
from reedsp.device.job import Job
from reedsp.minplus import blocks as minplus_blocks
from reedsp.minplus import tilings
from reedsp.minplus.blocks import Excluded, Products
from reedsp.minplus.matrix import Block
from reedsp.minplus.tilings import Tiling

NARROW, INT32, INT64 = INTEGERS
FLOAT32, FLOAT64 = (Weights(np.dtype(dtype), np.inf, np.inf) for dtype in (np.float32, np.float64))
TYPES = (*INTEGERS, WIDEST, FLOAT32, FLOAT64, *(replace(each, non_negative=True) for each in (FLOAT32, FLOAT64)))
NONE_EXCLUDED = Excluded()
APART = 8  # elements: what work-groups load at once is aligned

every_type = pytest.mark.parametrize("weights", TYPES, ids=tilings.name_of)
both_ways = pytest.mark.parametrize("in_groups", [False, True], ids=["alone", "in groups"])


def queue_of(device: Device, weights: Weights, in_groups: bool, tiling: Tiling | None = None) -> Products:
    """Return what is tested, with its own or only this tiling."""
    if weights.dtype == np.float64 and not device.fp64:
        pytest.skip("the device has no doubles")
    chosen = tilings.tilings_for(device, weights, in_groups) if tiling is None else [tiling]
    return Products(Job(device), weights, in_groups, chosen)


def numbers(shape: tuple[int, int], weights: Weights, rng: np.random.Generator) -> np.ndarray:
    """Return path weights, some of them infinite; none of them is as low as what is outside of the blocks."""
    low, high = (1, 60) if weights.non_negative else (-50, 60)
    result = rng.integers(low, high, shape).astype(weights.dtype)
    if weights.dtype.kind == "f":
        result += rng.random(shape).astype(weights.dtype)
    result[rng.random(shape) < 0.3] = weights.no_path
    return result


def expected_product(a: np.ndarray, b: np.ndarray, present: np.ndarray | None, weights: Weights) -> np.ndarray:
    """Return the product, and with `present` the minimum of both."""
    if weights.dtype.kind == "f":
        least = np.full((a.shape[0], b.shape[1]), np.inf, weights.dtype) if present is None else present.copy()
        with np.errstate(invalid="ignore", over="ignore"):
            for k in range(a.shape[1]):
                least = np.fmin(least, a[:, k, None] + b[k])  # no path + -inf is no path
        return least
    wide = np.uint64 if weights == WIDEST else np.int64
    none = np.iinfo(wide).max
    least = np.full((a.shape[0], b.shape[1]), none, wide)
    if present is not None:
        least = np.where(present == weights.no_path, wide(none), present.astype(wide))
    for k in range(a.shape[1]):
        reached = (a[:, k, None] != weights.no_path) & (b[k] != weights.no_path)
        sums = np.where(reached, a[:, k, None].astype(wide) + b[k].astype(wide), wide(none))
        least = np.minimum(least, sums)
    lowest = 0 if weights.dtype.kind == "u" else -weights.limit
    return np.where(least > weights.limit, weights.no_path, np.maximum(least, lowest)).astype(weights.dtype)


def check(
    queue: Products,
    matrices: tuple[np.ndarray, np.ndarray, np.ndarray],
    excluded: Excluded = NONE_EXCLUDED,
    accumulate: bool = False,
) -> None:
    """Multiply blocks of one buffer, each with a stride of its own, and compare all of the buffer."""
    a, b, c = matrices
    job, weights = queue._job, queue._weights
    outside = 0 if weights.non_negative else -1000  # less than any other number
    strides = [each.shape[1] + APART * (number + 1) for number, each in enumerate(matrices)]
    ends = np.cumsum([(each.shape[0] + 2) * stride for each, stride in zip(matrices, strides, strict=True)]).tolist()
    host = np.full(ends[-1], outside, weights.dtype)
    parts, firsts = [], []
    for start, end, stride, each in zip([0, *ends], ends, strides, matrices, strict=False):
        part = host[start:end].reshape(-1, stride)[1:-1, APART : APART + each.shape[1]]
        part[:] = each
        parts.append(part)
        firsts.append(start + stride + APART)
    rows, columns = (np.ones(size, bool) for size in c.shape)
    rows[excluded.row : excluded.row + excluded.rows] = False
    columns[excluded.column : excluded.column + excluded.columns] = False
    parts[0][~rows] = outside
    parts[1][:, ~columns] = outside
    shape = int(rows.sum()), a.shape[1], int(columns.sum())
    buffer = job.upload(host)
    blocks = [Block(buffer, stride, first) for stride, first in zip(strides, firsts, strict=True)]
    queue.queue(*blocks, shape, accumulate, excluded)
    there = np.ix_(rows, columns)
    product = expected_product(a[rows], b[:, columns], c[there] if accumulate else None, weights)
    parts[2][there] = product  # of host
    result = job.download(buffer, host.size, weights.dtype)
    wrong = np.flatnonzero(result != host)
    assert wrong.size == 0, (weights, excluded, shape, accumulate, wrong[:8], result[wrong[:8]], host[wrong[:8]])


def random_matrices(
    weights: Weights, shape: tuple[int, int, int], excluded: Excluded = NONE_EXCLUDED, seed: int = 1
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return a, b and c for a product of this shape, with what is left out."""
    rng = np.random.default_rng(seed)
    rows, inner, columns = shape[0] + excluded.rows, shape[1], shape[2] + excluded.columns
    return tuple(numbers(size, weights, rng) for size in ((rows, inner), (inner, columns), (rows, columns)))


def places(size: int, unit: int, length: int) -> list[tuple[int, int]]:
    """Return nothing excluded, and something at the beginning, in the middle and at the end."""
    return [(0, 0), (0, length), (size // unit // 2 * unit, length), (size, length)]


@pytest.mark.deep
@both_ways
@every_type
def test_every_hole(weights: Weights, in_groups: bool, device: Device) -> None:
    queue = queue_of(device, weights, in_groups)
    side = queue._tilings[-1].columns
    if in_groups:
        shape, row_places = (128, 48, 128), places(128, 64, 64)
    else:
        shape, row_places = (75, 37, 3 * side), [*places(75, 1, 11), (3, 2), (71, 64)]
    for number, (rows, columns) in enumerate(itertools.product(row_places, places(shape[2], side, side))):
        excluded = Excluded(*rows, *columns)
        check(queue, random_matrices(weights, shape, excluded, number), excluded, accumulate=number % 2 == 1)


@both_ways
def test_every_hole_of_the_other_way(in_groups: bool, device: Device) -> None:
    """What the test above does without accumulating is done with it here, and the other way round."""
    queue = queue_of(device, INT32, in_groups)
    side = queue._tilings[-1].columns
    shape = (128, 32, 2 * side)
    for number, (rows, columns) in enumerate(itertools.product(places(128, 64, 64), places(shape[2], side, side))):
        excluded = Excluded(*rows, *columns)
        check(queue, random_matrices(INT32, shape, excluded, number), excluded, accumulate=number % 2 == 0)


def test_every_shape_alone(device: Device) -> None:
    """On both sides of the rows of registers, of a work-item and of what is packed at a time."""
    queue = queue_of(device, INT32, False)
    macros, side = queue._tilings[-1].macros, queue._tilings[-1].columns
    item_rows, rows, depth = (macros[name] for name in ("ITEM_ROWS", "ROWS", "DEPTH"))
    heights = {item_rows, item_rows + 1, 2 * item_rows - 1, rows - 1, rows, rows + 1, 2 * rows - 1, 2 * rows}
    depths = (1, 2, depth - 1, depth, depth + 1, 2 * depth + 3)
    for number, (height, inner) in enumerate(itertools.product(sorted(heights), depths)):
        shape = (height, inner, side * (1 + number % 3))
        check(queue, random_matrices(INT32, shape, seed=number), accumulate=number % 2 == 1)


def test_every_shape_in_groups(device: Device) -> None:
    queue = queue_of(device, INT32, True)
    depth = queue._tilings[-1].inner
    for number, (height, inner) in enumerate(itertools.product((64, 192), (depth, 2 * depth, 5 * depth))):
        shape = (height, inner, 64 * (1 + number % 4))
        check(queue, random_matrices(INT32, shape, seed=number), accumulate=number % 2 == 1)


@pytest.mark.deep("product", "int64")
@every_type
@pytest.mark.parametrize("accumulate", [False, True], ids=["product", "minimum"])
def test_without_paths(accumulate: bool, weights: Weights, device: Device) -> None:
    """Rows of registers, and panels, in which there are no paths, or a single one, for as long as is packed at a time.

    The first sums are at the limits, and are stored before it is known that there are none at the end.
    """
    queue = queue_of(device, weights, False)
    macros, side = queue._tilings[-1].macros, queue._tilings[-1].columns
    item_rows, rows, depth = (macros[name] for name in ("ITEM_ROWS", "ROWS", "DEPTH"))
    shape, length = (rows + 3 * item_rows + 1, 2 * depth + 3, 3 * side), macros["VECTOR_LENGTH"]
    a, b, c = random_matrices(weights, shape, seed=3)
    values = special(weights)
    a[:, :3], b[:3] = weights.no_path, weights.no_path
    a[:, 0], b[0] = np.resize(values, len(a)), np.resize(values, len(b[0]))
    no_rows, no_columns = a.copy(), b.copy()
    no_rows[: 2 * item_rows, depth:] = no_rows[3 * item_rows : -2, :depth] = no_rows[-3:, 1:] = weights.no_path
    no_columns[:depth, side:] = no_columns[2 * depth :] = weights.no_path
    one_each, ends = np.full_like(no_rows, weights.no_path), [0, length - 1, length, depth - 1, depth, 2 * depth + 2]
    for row in range(len(one_each)):
        k = ends[row // item_rows % len(ends)]
        one_each[row, k] = a[row, k] = 1
    for left, right in ((no_rows, b), (a, no_columns), (no_rows, no_columns), (one_each, b), (one_each, no_columns)):
        check(queue, (left, right, c), accumulate=accumulate)


CPU_TILINGS = {f"{8 * vector} bits, {8 * item}": (vector, item) for vector, item in tilings._CPU}


@pytest.mark.deep
@pytest.mark.parametrize("name", CPU_TILINGS)
def test_every_tiling_alone(name: str, device: Device) -> None:
    vector_bytes, item_bytes = CPU_TILINGS[name]
    tiling = tilings._CPU[vector_bytes, item_bytes]
    weights = next(each for each in INTEGERS if each.dtype.itemsize == item_bytes)
    assert item_bytes * tiling.macros["VECTOR_LENGTH"] <= vector_bytes
    if vector_bytes > tilings._vector_bytes(device):  # one row: it takes a compiler long to do without registers
        tiling = replace(tiling, macros={**tiling.macros, "ITEM_ROWS": 1})
    queue = queue_of(device, weights, False, tiling)
    excluded = Excluded(33, 9, tiling.columns, tiling.columns)
    check(queue, random_matrices(weights, (70, 300, 2 * tiling.columns), excluded), excluded, accumulate=True)


@pytest.mark.deep
@pytest.mark.parametrize("weights", [each for each in TYPES if len(tilings._GPU.get(tilings.name_of(each), "")) > 1])
def test_every_tiling_in_groups(weights: Weights, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    if device.platform.startswith("Intel"):
        pytest.skip("Intel's compiler crashes on large tiles")
    monkeypatch.setattr(tilings, "works_in_groups", lambda device: True)
    for tiling in tilings.tilings_for(device, weights, True)[:-1]:
        queue = queue_of(device, weights, True, tiling)
        rows, inner, columns = tiling.rows, tiling.inner, tiling.columns
        for excluded in (Excluded(rows, rows, columns, columns), Excluded(0, rows, 2 * columns, columns)):
            check(
                queue, random_matrices(weights, (2 * rows, 3 * inner, 2 * columns), excluded), excluded, accumulate=True
            )


@pytest.mark.deep("float64", "uint64", "int64", "uint16")
@every_type
def test_tiling_for_few_groups(weights: Weights, device: Device) -> None:
    """It is taken where no other one gives every compute unit something to do."""
    few, others = tilings.tabled_for_few(device, weights), tilings.tilings_for(device, weights, True)
    assert few.rows * few.columns < others[-1].rows * others[-1].columns
    queue = queue_of(device, weights, True, few)
    excluded = Excluded(few.rows, few.rows, 2 * few.columns, few.columns)
    check(queue, random_matrices(weights, (3 * few.rows, 3 * few.inner, 2 * few.columns), excluded), excluded, True)
    products = Products(Job(device), weights, True, [*others, few])
    groups = 2 * device.compute_units
    assert products._tiling((64, 64, 64 * (groups - 1)), NONE_EXCLUDED) == few
    assert products._tiling((64, 64, 64 * groups), NONE_EXCLUDED) == others[-1]


@both_ways
def test_several_launches(in_groups: bool, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """With something excluded before, in and after each of them."""
    monkeypatch.setattr(minplus_blocks, "_LARGEST_LAUNCH", 1)
    tiling = tilings.tilings_for(device, INT32, in_groups)[-1]
    step, side = tiling.rows, tiling.columns
    halves = {5 * step // 2 + 8: 3, 5 * step // 2: 2, 3 * step // 2 + 1: 2, 3 * step // 2: 1, step: 1, 20: 1}
    for height, launches in ({3 * step: 3} if in_groups else halves).items():
        inside = range(0, height + 1, step)
        if not in_groups:
            inside = (0, 1, step - 1, step, step + 1, 100, 2 * step - 1, 2 * step, height - 1, height)
        for number, row in enumerate(row for row in inside if row <= height):
            excluded = Excluded(row, 64 if in_groups else (1, 70)[number % 2], side, side)
            queue = queue_of(device, INT32, in_groups)
            matrices = random_matrices(INT32, (height, 16, 2 * side), excluded, row)
            check(queue, matrices, excluded, accumulate=number % 2 == 1)
            assert queue._job.kernels_launched == launches + (not in_groups)


def test_rows_of_a_launch(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """As many as are allowed, in whole groups of rows, and none with fewer than half of them."""
    queue = queue_of(device, INT32, False)
    tiling = queue._tilings[-1]
    monkeypatch.setattr(minplus_blocks, "_LARGEST_LAUNCH", 3 * tiling.rows * 100 * 200 + 1)
    step = 3 * tiling.rows
    for rows in range(1, 4 * step, 7):
        chunks = queue._chunks(tiling, (rows, 100, 200))
        assert [row for chunk in chunks for row in range(*chunk)] == list(range(rows))
        assert all(last - first == step for first, last in chunks[:-1])
        assert len(chunks) == 1 or step // 2 <= chunks[-1][1] - chunks[-1][0] < 2 * step


def special(weights: Weights) -> np.ndarray:
    """Numbers at the limits of a type, and their halves, so that sums of two are on both sides of the limits."""
    if weights.dtype.kind == "f":
        info = np.finfo(weights.dtype)
        found = [0, info.smallest_subnormal, info.tiny, 1, 1 + info.eps, info.max / 2, info.max]
    else:
        half = weights.limit // 2
        found = [0, 1, 2, half - 1, half, half + 1, half + 2, weights.limit - 1, weights.limit]
    signed = found if weights.non_negative else [*found, *(-x for x in found)]
    if weights.dtype.kind == "f" and not weights.non_negative:
        signed.append(-np.inf)  # the sum of two
    return np.array([*signed, weights.no_path], weights.dtype)


@pytest.mark.deep("in groups")
@both_ways
@every_type
def test_sums_at_the_limits(weights: Weights, in_groups: bool, device: Device) -> None:
    """Of all pairs, and no path however much is subtracted from it."""
    queue = queue_of(device, weights, in_groups)
    values = special(weights)
    rows, columns = 64, 64 // queue._tilings[-1].columns * queue._tilings[-1].columns
    a = np.full((rows, 16), weights.no_path, weights.dtype)
    b = np.full((16, columns), weights.no_path, weights.dtype)
    a[:, 0] = np.resize(values, rows)
    b[0] = np.resize(values, columns)
    a[:, 1] = b[2] = values.min()
    for number, present in enumerate(values):
        c = np.full((rows, columns), present, weights.dtype)
        check(queue, (a, b, c), accumulate=number % 2 == 1)


@both_ways
def test_used_again(in_groups: bool, device: Device) -> None:
    """With other blocks of the same shape, and with larger and smaller ones in turn; all by one program."""
    queue = queue_of(device, INT32, in_groups)
    with programs_requested() as programs:
        for seed, (rows, inner, columns) in enumerate([(64, 16, 64), (128, 64, 192), (64, 16, 64), (64, 32, 128)]):
            for accumulate in (False, True, False):
                check(queue, random_matrices(INT32, (rows, inner, columns), seed=seed), accumulate=accumulate)
    assert len(programs) == 1


@both_ways
def test_nothing_to_do(in_groups: bool, device: Device) -> None:
    queue = queue_of(device, INT32, in_groups)
    buffer = queue._job.allocate(1, np.int32)
    for shape in ((0, 64, 64), (64, 0, 64), (64, 64, 0)):
        queue.queue(Block(buffer, 64), Block(buffer, 64), Block(buffer, 64), shape)
    assert queue._job.kernels_launched == 0


@both_ways
@every_type
def test_padded(weights: Weights, in_groups: bool, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """In whole tiles of the largest tiling that gives every compute unit something to do, or of the smallest."""
    monkeypatch.setattr(tilings, "works_in_groups", lambda device: True)
    monkeypatch.setattr(device, "compute_units", 4)
    queue = queue_of(device, weights, in_groups)
    for shape in itertools.product((1, 63, 64, 65, 300, 3000), (1, 7, 8, 17), (1, 64, 129, 1000)):
        padded = queue.padded(shape)
        assert all(after >= before for before, after in zip(shape, padded, strict=True))
        tiling = queue._tiling(padded, NONE_EXCLUDED)
        if in_groups:
            assert [size % side for size, side in zip(padded, (tiling.rows, tiling.inner, tiling.columns))] == [0] * 3  # noqa: B905
            assert tiling is queue._tilings[-1] or padded[0] * padded[2] >= 8 * tiling.rows * tiling.columns
        else:
            assert padded[0] == max(shape[0], tiling.macros["ITEM_ROWS"])
            assert padded[1:] == (shape[1], -(-shape[2] // tiling.columns) * tiling.columns)
    if in_groups:
        assert queue.padded((1, 1, 1)) == (64, queue._tilings[-1].inner, 64)
        assert queue._tiling(queue.padded((4096, 64, 4096)), NONE_EXCLUDED) is queue._tilings[0]


def test_large_tiles_where_they_fit(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tilings, "works_in_groups", lambda device: True)
    monkeypatch.setattr(device, "compute_units", 4)
    queue = queue_of(device, NARROW, True)
    large, small = queue._tilings
    assert (large.rows, large.columns) == (128, 128)
    fitting = (1024, 64, 1024), Excluded(128, 256, 384, 128)
    assert queue._tiling(*fitting) is large
    for shape, excluded in (
        ((1024 + 64, 64, 1024), fitting[1]),
        ((1024, 68, 1024), fitting[1]),
        ((1024, 64, 1024 + 64), fitting[1]),
        (fitting[0], Excluded(64, 256, 384, 128)),
        (fitting[0], Excluded(128, 64, 384, 128)),
        (fitting[0], Excluded(128, 256, 64, 128)),
        (fitting[0], Excluded(128, 256, 384, 64)),
        ((128, 64, 7 * 128), NONE_EXCLUDED),  # too few for four compute units
    ):
        assert queue._tiling(shape, excluded) is small


@pytest.mark.deep
@pytest.mark.parametrize("kind", min_plus.KINDS)
def test_arithmetic_alone(kind: str, device: Device) -> None:
    """What it computes is compared with numpy, so that a figure is one of sums and minima that were taken."""
    [row] = min_plus.rows_of_arithmetic(device, 16, kind, 1)
    assert (row["method"], row["kind"]) == ("arithmetic", kind)
    assert row["gigapairs_per_second"] >= 0
