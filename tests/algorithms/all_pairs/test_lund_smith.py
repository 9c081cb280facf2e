"""Lund and Smith's ladder against the triple loop in exact arithmetic."""

from __future__ import annotations

import functools
import itertools
from dataclasses import replace

import numpy as np
import pytest

from reedsp.algorithms.all_pairs import lund_smith
from reedsp.algorithms.all_pairs.lund_smith import LADDER, TILE
from reedsp.arithmetic.matrix import INTEGERS, Weights
from reedsp.device.device import Device
from reedsp.device.job import Job

NARROW, INT32, INT64 = INTEGERS
FLOAT32, FLOAT64 = (Weights(np.dtype(dtype), np.inf, np.inf) for dtype in (np.float32, np.float64))
SIGNED = (INT32, INT64, FLOAT32, FLOAT64)
TYPES = [NARROW, *SIGNED, replace(FLOAT32, non_negative=True), replace(FLOAT64, non_negative=True)]
SIDES = (1, 2, 31, 32, 33, 67, 100)
FRACTIONS = 8  # weights of floats are multiples of an eighth, so that every sum is exact

Matrix = tuple[tuple[int | None, ...], ...]  # None = no path; floats are these numbers divided by FRACTIONS

every_method = pytest.mark.parametrize("method", LADDER)
every_type = pytest.mark.parametrize("weights", TYPES, ids=lambda each: f"{each.dtype}{'+' * each.non_negative}")
every_signed_type = pytest.mark.parametrize("weights", SIGNED, ids=lambda each: str(each.dtype))
every_integer = pytest.mark.parametrize("weights", INTEGERS, ids=lambda each: str(each.dtype))


def close(matrix: Matrix, weights: Weights, method: str, device: Device) -> Matrix:
    """Run a method on the device."""
    if weights.dtype == np.float64 and not device.fp64:
        pytest.skip("the device has no doubles")
    n, units = len(matrix), FRACTIONS if weights.dtype.kind == "f" else 1
    padded = -(-n // TILE) * TILE
    host = np.full((padded, padded), weights.no_path, weights.dtype)
    host[:n, :n] = [[weights.no_path if x is None else x / units if units > 1 else x for x in row] for row in matrix]
    job = Job(device)
    buffer = job.upload(host)
    lund_smith.solve(job, weights, buffer, padded, method)
    closed = job.download(buffer, padded * padded, weights.dtype).reshape(padded, padded)
    assert (closed[n:] == weights.no_path).all()
    assert (closed[:n, n:] == weights.no_path).all()
    assert ((closed == weights.no_path) | (closed <= weights.limit)).all()
    if weights.dtype.kind == "i":
        assert (closed >= -weights.limit).all()
    return tuple(tuple(None if x == weights.no_path else x * units for x in row) for row in closed[:n, :n].tolist())


@functools.cache
def floyd_warshall(matrix: Matrix) -> Matrix:
    """Three loops, for matrices without negative cycles."""
    dist = [list(row) for row in matrix]
    for k, row_k in enumerate(dist):
        ways = [(j, second) for j, second in enumerate(row_k) if second is not None]
        for row in dist:
            if (first := row[k]) is not None:
                for j, second in ways:
                    if (now := row[j]) is None or first + second < now:
                        row[j] = first + second
    return tuple(map(tuple, dist))


def matrix_of(n: int, weights: dict[tuple[int, int], int]) -> Matrix:
    """Return the matrix of a graph without self-loops."""
    return tuple(tuple(0 if i == j else weights.get((i, j)) for j in range(n)) for i in range(n))


def edges(n: int, seed: int, largest: int = 50, part: float = 0.2, potential: int = 0) -> dict[tuple[int, int], int]:
    """Return random edges with weights from 0 to `largest`, shifted by potentials, which leave cycles as they are."""
    rng = np.random.default_rng(seed)
    numbers, there = rng.integers(0, largest + 1, (n, n)).tolist(), rng.random((n, n)) < part
    heights = rng.integers(0, potential + 1, n).tolist()
    return {(i, j): numbers[i][j] + heights[i] - heights[j] for i in range(n) for j in range(n) if there[i, j]}


@pytest.mark.deep
@every_method
@every_type
def test_every_size(method: str, weights: Weights, device: Device) -> None:
    for n in SIDES:
        for part in (0.03, 0.3):  # a few vertices reached from each, or nearly all
            matrix = matrix_of(n, edges(n, n, part=part, potential=0 if weights.non_negative else 60))
            assert close(matrix, weights, method, device) == floyd_warshall(matrix), (n, part)


@pytest.mark.deep
@every_method
@every_type
def test_longest_path(method: str, weights: Weights, device: Device) -> None:
    """Through all vertices in a random order, so that each tile is needed for it, and back again."""
    n = 100
    order = np.random.default_rng(9).permutation(n).tolist()
    matrix = matrix_of(n, {**dict.fromkeys(itertools.pairwise(order), 3), (order[-1], order[0]): 1})
    closed = close(matrix, weights, method, device)
    assert closed == floyd_warshall(matrix)
    assert closed[order[0]][order[-1]] == 3 * (n - 1)


@pytest.mark.deep
@every_method
@every_signed_type
def test_cycles_of_weight_zero(method: str, weights: Weights, device: Device) -> None:
    n = 67
    matrix = matrix_of(n, edges(n, n, largest=0, potential=60))
    closed = close(matrix, weights, method, device)
    assert closed == floyd_warshall(matrix)
    assert {closed[i][i] for i in range(n)} == {0}


@pytest.mark.deep("int64", "uint16", "load", "blocked", "katz")
@every_method
@every_integer
def test_weights_near_the_limit(method: str, weights: Weights, device: Device) -> None:
    n = 67
    largest = weights.limit // (n - 1)
    potential = 0 if weights.non_negative else largest // 2
    matrix = matrix_of(n, edges(n, 1, largest - potential, part=0.05, potential=potential))
    assert close(matrix, weights, method, device) == floyd_warshall(matrix)
    for sign in (1,) if weights.non_negative else (1, -1):
        path = dict.fromkeys(itertools.pairwise(range(n)), sign * largest)
        path[0, 1] += sign * (weights.limit - largest * (n - 1))
        closed = close(matrix_of(n, path), weights, method, device)
        assert closed == floyd_warshall(matrix_of(n, path))
        assert closed[0][n - 1] == sign * weights.limit


@pytest.mark.deep("int64", "load", "blocked", "katz")
@every_method
@pytest.mark.parametrize("weights", [INT32, INT64], ids=lambda each: str(each.dtype))
def test_no_path_stays_none(method: str, weights: Weights, device: Device) -> None:
    """However often large negative numbers are added to it."""
    n = 100
    least = -(weights.limit // (n - 1))
    matrix = matrix_of(n, {(i, j): least for i in range(n) for j in range(i)})
    assert close(matrix, weights, method, device) == floyd_warshall(matrix)


# For the negative cycle: component 0 has it, 1 is on its own, 2 reaches component 0, and 3 is reached by it.
COMPONENTS = (30, 35, 15, 20)
CROSSINGS = {(0, 0), (1, 1), (2, 2), (3, 3), (2, 0), (0, 3), (2, 3)}


@pytest.mark.deep("float64", "float32", "int64")
@every_method
@every_signed_type
@pytest.mark.parametrize("large", [False, True], ids=["small", "large"])
def test_negative_cycle(method: str, weights: Weights, large: bool, device: Device) -> None:
    """The diagonal is negative on it, entries are small wherever a path can pass it, and all others are exact."""
    n = sum(COMPONENTS)
    integers = weights.dtype.kind == "i"
    largest = weights.limit // (n - 1) if large and integers else 60
    order = np.random.default_rng(4).permutation(n).tolist()
    component = dict(zip(order, np.repeat(range(4), COMPONENTS).tolist(), strict=True))
    every = edges(n, 3, largest // 2, part=0.1, potential=largest // 2)
    kept = {(i, j): w for (i, j), w in every.items() if (component[i], component[j]) in CROSSINGS}
    cycle = order[:20]
    steps = dict.fromkeys(itertools.pairwise([*cycle, cycle[0]]), -largest)
    without = floyd_warshall(matrix_of(n, kept))
    reached = floyd_warshall(matrix_of(n, dict.fromkeys((*kept, *steps), 0)))
    closed = close(matrix_of(n, {**kept, **steps}), weights, method, device)
    assert all(closed[i][i] < 0 for i in cycle)
    affected = 0
    for i, j in itertools.product(range(n), repeat=2):
        if reached[i][cycle[0]] == reached[cycle[0]][j] == 0:
            affected += 1
            assert closed[i][j] is not None
            assert without[i][j] is None or closed[i][j] <= without[i][j]
        else:
            assert closed[i][j] == without[i][j]
    assert 30 * 30 < affected < n * n - 35 * 35
    if large and integers:
        assert -weights.limit in {x for row in closed for x in row}


@every_method
def test_negative_self_loops(method: str, device: Device) -> None:
    """Everywhere, so that each row and column would change in its own step."""
    n = 40
    matrix = matrix_of(n, edges(n, 1, part=0.05))
    looped = tuple(tuple(-INT32.limit // n if i == j else x for j, x in enumerate(row)) for i, row in enumerate(matrix))
    without, closed = floyd_warshall(matrix), close(looped, INT32, method, device)
    for i, j in itertools.product(range(n), repeat=2):
        assert closed[i][j] is without[i][j] is None or closed[i][j] <= without[i][j]
    assert all(closed[i][i] < 0 for i in range(n))


@pytest.mark.deep
@every_method
def test_small_work_groups(method: str, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device, "max_work_group_size", 64)
    monkeypatch.setattr(lund_smith, "_TASK_GROUP", (TILE, 2))
    matrix = matrix_of(67, edges(67, 5, potential=60))
    assert close(matrix, INT32, method, device) == floyd_warshall(matrix)


def test_launches(device: Device) -> None:
    """None that would have nothing to do."""
    for n, tile_launches in ((0, 0), (TILE, 1), (3 * TILE, 9)):
        staged = tile_launches + 2 if n else 0
        expected = dict(zip(LADDER, (n, tile_launches, tile_launches, staged), strict=True))
        for method in LADDER:
            job = Job(device)
            lund_smith.solve(job, INT32, job.upload(np.zeros((n, n), np.int32)), n, method)
            job.finish()
            assert job.kernels_launched == expected[method]


def test_wrong_arguments(device: Device) -> None:
    job = Job(device)
    buffer = job.allocate(1, np.int32)
    with pytest.raises(ValueError, match=r"^method: 'naive' is none of 'harish-narayanan', .*'staged-load'"):
        lund_smith.solve(job, INT32, buffer, TILE, "naive")
    with pytest.raises(ValueError, match=r"^n: 33 is not a multiple of 32"):
        lund_smith.solve(job, INT32, buffer, TILE + 1, LADDER[0])
