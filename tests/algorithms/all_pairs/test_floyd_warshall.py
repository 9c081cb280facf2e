"""Blocked Floyd-Warshall against the textbook's three loops in exact arithmetic, with and without work-groups."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csgraph

import reedsp
from reedsp.algorithms.all_pairs import floyd_warshall
from reedsp.algorithms.all_pairs.floyd_warshall import SPAN, TILE, FloydWarshall
from reedsp.arithmetic.matrix import INTEGERS, Weights
from reedsp.device.device import Device
from reedsp.device.job import Job
from reedsp.minplus import selfcheck, tilings
from reedsp.minplus.matrix import Block

NARROW, INT32, INT64 = INTEGERS
FLOAT32, FLOAT64 = (Weights(np.dtype(dtype), np.inf, np.inf) for dtype in (np.float32, np.float64))
SIGNED = (INT32, INT64, FLOAT32, FLOAT64)
TYPES = (NARROW, *SIGNED, *(replace(each, non_negative=True) for each in (FLOAT32, FLOAT64)))
SIDES = (1, TILE - 1, TILE, TILE + 1, 2 * TILE, 3 * TILE - 5, SPAN + 1)
FRACTIONS = 8  # weights of floats are multiples of an eighth, so that every sum is exact
NONE = np.iinfo(np.int64).max  # no path, in the matrices of this file
MARGIN = 8  # elements around a block: what work-groups load at once is aligned

every_type = pytest.mark.parametrize("weights", TYPES, ids=tilings.name_of)
every_signed_type = pytest.mark.parametrize("weights", SIGNED, ids=tilings.name_of)
every_integer = pytest.mark.parametrize("weights", INTEGERS, ids=tilings.name_of)

Close = Callable[[np.ndarray, Weights], np.ndarray]


@pytest.fixture(params=[False, True], ids=["alone", "in groups"])
def in_groups(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Both kinds of kernels on every device; in groups with the smallest tiling on those that are not made for it."""
    monkeypatch.setattr(selfcheck, "works_in_groups", lambda device: request.param)
    return request.param


@pytest.fixture
def close(device: Device, in_groups: bool) -> Close:
    """Run it on the device, on part of a larger matrix that has to stay as it is around it."""

    def close_block(matrix: np.ndarray, weights: Weights) -> np.ndarray:
        if weights.dtype == np.float64 and not device.fp64:
            pytest.skip("the device has no doubles")
        n, units = len(matrix), FRACTIONS if weights.dtype.kind == "f" else 1
        padded = -(-n // TILE) * TILE
        outside = 0 if weights.non_negative else -1000
        host = np.full((padded + 2, padded + 2 * MARGIN), outside, weights.dtype)
        part = host[1:-1, MARGIN:-MARGIN]
        part[:] = weights.no_path
        np.fill_diagonal(part, 0)
        part[:n, :n] = np.where(matrix == NONE, weights.no_path, matrix / units if units > 1 else matrix)
        job = Job(device)
        buffer = job.upload(host)
        algorithm = FloydWarshall(job, weights)
        assert algorithm.products.in_groups == in_groups
        algorithm.solve(Block(buffer, host.shape[1], host.shape[1] + MARGIN), padded)
        whole = job.download(buffer, host.size, weights.dtype).reshape(host.shape)
        closed = whole[1:-1, MARGIN:-MARGIN].copy()
        whole[1:-1, MARGIN:-MARGIN] = outside
        assert (whole == outside).all()
        assert np.array_equal(closed[n:], part[n:])
        assert np.array_equal(closed[:n, n:], part[:n, n:])
        assert ((closed == weights.no_path) | (closed <= weights.limit)).all()
        if weights.dtype.kind == "i":
            assert (closed >= -weights.limit).all()
        closed = closed[:n, :n]
        if units > 1:
            return np.where(closed == np.inf, np.inf, closed.astype(np.float64) * units)
        return np.where(closed == weights.no_path, NONE, closed.astype(np.int64))

    return close_block


def floyd_warshall_of(matrix: np.ndarray) -> np.ndarray:
    """Three loops, the inner two in numpy, for matrices without negative cycles."""
    largest = np.abs(matrix[matrix != NONE]).max()
    if int(largest) * len(matrix) < 2**53:  # every sum is exact in float64, which is quicker
        dist = np.where(matrix == NONE, np.inf, matrix)
        for k in range(len(dist)):
            np.minimum(dist, dist[:, k, None] + dist[k], out=dist)
        return np.where(dist == np.inf, NONE, np.where(dist == np.inf, 0, dist).astype(np.int64))
    dist = matrix.copy()
    for k in range(len(dist)):
        rows, columns = dist[:, k] != NONE, dist[k] != NONE
        ways = np.ix_(rows, columns)
        dist[ways] = np.minimum(dist[ways], dist[rows, k][:, None] + dist[k, columns])
    return dist


def same(closed: np.ndarray, expected: np.ndarray) -> bool:
    """Compare what the device gives, with inf for no path in floats, with exact integers."""
    if closed.dtype.kind == "f":
        return np.array_equal(closed, np.where(expected == NONE, np.inf, expected))
    return np.array_equal(closed, expected)


def matrix_of(n: int, weights: dict[tuple[int, int], int]) -> np.ndarray:
    """Return the matrix of a graph without self-loops."""
    matrix = np.full((n, n), NONE)
    for (i, j), weight in weights.items():
        matrix[i, j] = weight
    np.fill_diagonal(matrix, 0)
    return matrix


def random_matrix(n: int, seed: int, largest: int = 50, part: float = 0.2, potential: int = 0) -> np.ndarray:
    """Return random weights from 0 to `largest`, shifted by potentials, which leave cycles as they are."""
    rng = np.random.default_rng(seed)
    matrix = rng.integers(0, largest + 1, (n, n))
    heights = rng.integers(0, potential + 1, n)
    matrix += heights[:, None] - heights
    matrix[rng.random((n, n)) >= part] = NONE
    np.fill_diagonal(matrix, 0)
    return matrix


@functools.cache
def example(n: int, part: float, potential: int) -> tuple[np.ndarray, np.ndarray]:
    """Return a matrix and its closure."""
    matrix = random_matrix(n, n, part=part, potential=potential)
    return matrix, floyd_warshall_of(matrix)


@pytest.mark.deep("in groups-", "float32", "int32", "uint16")
@every_type
def test_every_size(weights: Weights, close: Close) -> None:
    for n in SIDES:
        for part in (2 / (n + 3), 0.3):  # a few vertices reached from most, or nearly all
            matrix, expected = example(n, part, 0 if weights.non_negative else 60)
            assert same(close(matrix, weights), expected), (n, part)


@pytest.mark.deep
@every_type
def test_longest_path(weights: Weights, close: Close) -> None:
    """Through all vertices in a random order, so that each tile is needed for it, and back again."""
    n = SPAN + 2 * TILE
    order = np.random.default_rng(9).permutation(n).tolist()
    closed = close(matrix_of(n, {**dict.fromkeys(itertools.pairwise(order), 3), (order[-1], order[0]): 1}), weights)
    place = np.argsort(order)
    steps = (place - place[:, None]) % n
    assert same(closed, 3 * steps - 2 * (place < place[:, None]))


@pytest.mark.deep
@every_signed_type
def test_cycles_of_weight_zero(weights: Weights, close: Close) -> None:
    matrix = random_matrix(3 * TILE, 1, largest=0, potential=60, part=0.05)
    closed = close(matrix, weights)
    assert same(closed, floyd_warshall_of(matrix))
    assert not closed.diagonal().any()


@pytest.mark.deep("int64", "uint16", "in groups")
@every_integer
def test_weights_near_the_limit(weights: Weights, close: Close) -> None:
    n = 2 * TILE + 10
    largest = weights.limit // (n - 1)
    potential = 0 if weights.non_negative else largest // 2
    matrix = random_matrix(n, 1, largest - potential, part=0.03, potential=potential)
    assert same(close(matrix, weights), floyd_warshall_of(matrix))
    for sign in (1,) if weights.non_negative else (1, -1):
        path = dict.fromkeys(itertools.pairwise(range(n)), sign * largest)
        path[0, 1] += sign * (weights.limit - largest * (n - 1))
        closed = close(matrix_of(n, path), weights)
        assert same(closed, floyd_warshall_of(matrix_of(n, path)))
        assert closed[0, n - 1] == sign * weights.limit


@pytest.mark.deep("in groups-int64", "in groups")
@pytest.mark.parametrize("weights", [INT32, INT64], ids=tilings.name_of)
def test_no_path_stays_none(weights: Weights, close: Close) -> None:
    """However often large negative numbers are added to it."""
    n = 3 * TILE - 5
    matrix = np.tril(np.full((n, n), -(weights.limit // (n - 1))), -1) + np.triu(np.full((n, n), NONE), 1)
    assert same(close(matrix, weights), floyd_warshall_of(matrix))


# For the negative cycle: component 0 has it, 1 is on its own, 2 reaches component 0, and 3 is reached by it.
PARTS = (0.3, 0.35, 0.15, 0.2)
CROSSINGS = {(0, 0), (1, 1), (2, 2), (3, 3), (2, 0), (0, 3), (2, 3)}


@pytest.mark.deep
@every_signed_type
@pytest.mark.parametrize("n", [TILE, 3 * TILE, SPAN + TILE])
@pytest.mark.parametrize("large", [False, True], ids=["small", "large"])
def test_negative_cycle(large: bool, n: int, weights: Weights, close: Close) -> None:
    """The diagonal is negative on it, and all entries are exact where no path can pass it."""
    integers = weights.dtype.kind == "i"
    largest = weights.limit // (n - 1) if large and integers else 60
    rng = np.random.default_rng(4)
    component = np.searchsorted(np.cumsum(PARTS), rng.permutation(n) / n, side="right")
    kept = random_matrix(n, 3, largest // 2, part=10 / n, potential=largest // 2)
    for crossing in itertools.product(range(4), repeat=2):
        if crossing not in CROSSINGS:
            kept[np.ix_(component == crossing[0], component == crossing[1])] = NONE
    cycle = np.flatnonzero(component == 0)[: n // 5]
    rng.shuffle(cycle)
    whole = kept.copy()
    whole[cycle, np.roll(cycle, -1)] = -largest
    without = floyd_warshall_of(kept)
    reached = floyd_warshall_of(np.where(whole == NONE, NONE, 0)) == 0
    affected = reached[:, cycle[0], None] & reached[cycle[0]]
    closed = close(whole, weights)
    assert (closed.diagonal()[cycle] < 0).all()
    assert (closed.diagonal()[~affected.diagonal()] == 0).all()
    assert same(np.where(affected, 0, closed), np.where(affected, 0, without))
    assert (closed[affected] < (np.inf if not integers else NONE)).all()
    assert 0.05 * n * n < affected.sum() < 0.8 * n * n
    if large and integers:
        assert (closed == -weights.limit).any()


@pytest.mark.deep("in groups-float32")
@pytest.mark.parametrize("weights", [INT32, FLOAT32], ids=tilings.name_of)
def test_negative_self_loops(weights: Weights, close: Close) -> None:
    """Everywhere, so that each row and column would change in its own step."""
    n = 2 * TILE
    matrix = random_matrix(n, 1, part=0.03)
    looped = matrix.copy()
    np.fill_diagonal(looped, -(INT32.limit // n))
    without, closed = floyd_warshall_of(matrix), close(looped, weights)
    assert np.array_equal(closed == (NONE if weights is INT32 else np.inf), without == NONE)
    assert (closed <= without)[without != NONE].all()
    assert (closed.diagonal() < 0).all()


def test_every_span(close: Close, monkeypatch: pytest.MonkeyPatch) -> None:
    """Several of them, the last one being shorter, a tile, or as long as the others."""
    monkeypatch.setattr(floyd_warshall, "SPAN", 2 * TILE)
    for n in (3 * TILE, 4 * TILE - 1, 5 * TILE):
        matrix, expected = example(n, 5 / n, 60)
        assert same(close(matrix, INT32), expected)


@pytest.mark.deep
@every_type
def test_little_local_memory(weights: Weights, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work-groups have room for one tile of the widest type, and read the others where they are."""
    if weights.dtype == np.float64 and not device.fp64:
        pytest.skip("the device has no doubles")
    monkeypatch.setattr(selfcheck, "works_in_groups", lambda device: True)
    results = []
    matrix = example(3 * TILE, 0.05, 0)[0]
    of_compilers = 64  # bytes that one may take for itself
    for room in (device.local_memory, TILE * TILE * weights.dtype.itemsize + of_compilers):
        job = Job(device)
        products = selfcheck.trusted_products(job, weights)
        monkeypatch.setattr(device, "local_memory", room)
        algorithm = FloydWarshall(job, weights, products)
        assert algorithm._kernel.local_memory <= room
        buffer = job.upload(np.where(matrix == NONE, weights.no_path, matrix).astype(weights.dtype))
        algorithm.solve(Block(buffer, 3 * TILE), 3 * TILE)
        results.append(job.download(buffer, matrix.size, weights.dtype))
    expected = example(3 * TILE, 0.05, 0)[1].ravel()
    assert np.array_equal(results[0], results[1])
    assert np.array_equal(results[1], np.where(expected == NONE, weights.no_path, expected))


@pytest.mark.deep("in groups")
def test_used_again(device: Device, in_groups: bool) -> None:
    """On matrices of one size after another, and on two in one buffer."""
    job = Job(device)
    algorithm = FloydWarshall(job, INT32)
    for n in (2 * TILE, SPAN + TILE, 3 * TILE):
        matrix, expected = example(n, 5 / n, 60)
        both = np.where(matrix == NONE, INT32.no_path, matrix).astype(np.int32)
        buffer = job.upload(np.concatenate([both, both]))
        for part in range(2):
            algorithm.solve(Block(buffer, n, part * n * n), n)
        closed = job.download(buffer, 2 * n * n, np.int32)
        assert np.array_equal(closed, np.tile(np.where(expected == NONE, INT32.no_path, expected).ravel(), 2))


@pytest.mark.deep("in groups")
def test_progress(device: Device, in_groups: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """After each span, if there is enough to do in one."""
    monkeypatch.setattr(floyd_warshall, "_PAIRS_BETWEEN_WAITS", (0, 0))
    job = Job(device)
    algorithm = FloydWarshall(job, INT32)
    for n, spans in ((0, []), (TILE, [TILE]), (2 * SPAN + TILE, [SPAN, 2 * SPAN, 2 * SPAN + TILE])):
        calls: list[tuple[int, int]] = []
        matrix = job.upload(np.zeros((n, n), np.int32))
        algorithm.solve(Block(matrix, n), n, lambda done, n, calls=calls: calls.append((done, n)))
        assert calls == [(done, n) for done in spans]


@pytest.mark.deep
@pytest.mark.parametrize("vector_bytes", [16, 32, 64])
def test_every_length_of_vectors(vector_bytes: int, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """OpenCL has none of more than 16 elements, however large the registers are."""
    monkeypatch.setattr(selfcheck, "works_in_groups", lambda device: False)
    monkeypatch.setattr(tilings, "_vector_bytes", lambda device: vector_bytes)
    matrix, expected = example(TILE, 0.1, 0)
    job = Job(device)
    buffer = job.upload(np.where(matrix == NONE, NARROW.no_path, matrix).astype(np.uint16))
    FloydWarshall(job, NARROW).solve(Block(buffer, TILE), TILE)
    closed = job.download(buffer, TILE * TILE, np.uint16)
    assert np.array_equal(closed, np.where(expected == NONE, NARROW.no_path, expected).ravel())
    for weights in TYPES:
        length = tilings.vector_length(device, weights)
        assert length in (2, 4, 8, 16)
        assert length * weights.dtype.itemsize <= vector_bytes


@pytest.mark.deep
def test_result_does_not_depend_on_the_way(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """Floats are added up in the same order, and so rounded alike."""
    n = SPAN + TILE
    rng = np.random.default_rng(8)
    matrix = np.where(rng.random((n, n)) < 0.01, rng.random((n, n)), np.inf).astype(np.float32)
    np.fill_diagonal(matrix, 0)
    results = []
    for each in (False, True):
        monkeypatch.setattr(selfcheck, "works_in_groups", lambda device, each=each: each)
        for weights in (FLOAT32, replace(FLOAT32, non_negative=True)):
            job = Job(device)
            buffer = job.upload(matrix)
            FloydWarshall(job, weights).solve(Block(buffer, n), n)
            results.append(job.download(buffer, n * n, np.float32))
    assert all(np.array_equal(each, results[0]) for each in results)


@pytest.mark.deep("test_FW_2003")
@pytest.mark.parametrize("name", ["test_FW_1000", "test_FW_2003"])
def test_real_graph(name: str, device: Device, shared_data: Path) -> None:
    """LAGraph's test matrices, against scipy."""
    graph = reedsp.read(shared_data / "lagraph-mtx" / f"{name}.mtx.gz").to_scipy()
    n, weights = graph.shape[0], replace(FLOAT32, non_negative=True)
    size = -(-n // TILE) * TILE
    matrix = np.full((size, size), np.inf, np.float32)
    entries = graph.tocoo()
    matrix[entries.row, entries.col] = entries.data
    np.fill_diagonal(matrix, 0)
    job = Job(device)
    buffer = job.upload(matrix)
    FloydWarshall(job, weights).solve(Block(buffer, size), size)
    closed = job.download(buffer, size * size, np.float32).reshape(size, size)[:n, :n]
    assert np.array_equal(closed, csgraph.dijkstra(graph))
    if name == "test_FW_2003":
        reached = closed[0][closed[0] < np.inf]
        assert (reached.size, reached.sum()) == (1519, 35_609)
