"""Launches that are cut into dispatches: where, that the answers stay the same, and that it is done to CPUs only."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pyopencl as cl
import pytest

import reedsp
from reedsp.algorithms.all_pairs.apsp import apsp
from reedsp.algorithms.all_pairs.lund_smith import LADDER
from reedsp.device import selfcheck
from reedsp.device.device import Device
from reedsp.device.dispatch import Slices, by_counts, even
from reedsp.minplus.product import METHODS
from tests.support import oracle
from tests.support.calls import CALLS

AT_ONCE = 100


@pytest.fixture
def hasty(device: Device, monkeypatch: pytest.MonkeyPatch) -> Device:
    """The device, given very little at a time: its verdicts, which rest on other programs, are not kept on disk."""
    monkeypatch.setattr(selfcheck, "_record", lambda key, module: None)
    own = Device(device.index, device.handle)
    own.steps_at_once = AT_ONCE
    return own


def dispatches_of(call: Callable[[], Any], monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, Any, Any]]:
    """Return the kernel, the offset and the size of each dispatch of a call."""
    enqueue, found = cl.enqueue_nd_range_kernel, []

    def keep(queue: Any, kernel: Any, size: Any, group: Any, offset: Any, **options: Any) -> Any:
        found.append((kernel.function_name, offset, size))
        return enqueue(queue, kernel, size, group, offset, **options)

    with monkeypatch.context() as patch:
        patch.setattr(cl, "enqueue_nd_range_kernel", keep)
        call()
    return found


def test_even_slices() -> None:
    assert even(1, 100, 32, 1000, 300) == Slices(1, (32, 64, 96, 100), 250)
    assert even(0, 100, 32, 1000, 1000) == Slices(0, (100,), 1000)
    assert even(0, 5, 1, 10**9, 1) == Slices(0, (1, 2, 3, 4, 5), 2 * 10**8)
    assert even(0, 0, 4, 0, 300) == Slices(0, (0,), 0)
    assert even(0, 10**9, 4, 10**18, sys.maxsize).ends == (10**9,)


def test_slices_by_counts() -> None:
    counts = np.array([1000, *[1] * 99])
    assert by_counts(counts, 1099, 8, 1, 100) == Slices(0, (8, 56, 100), 100)  # 16 steps a work-group but the first
    assert by_counts(counts, 1099, 8, 1, 1200).ends == (100,)
    assert by_counts(np.ones(16, np.uint32), 16, 4, 2, 16) == Slices(0, (4, 8, 12, 16), 16)
    assert by_counts(np.zeros(0, np.int64), 0, 8, 1, 100) == Slices(0, (0,), 0)
    assert by_counts(np.full(64, 2**31), 2**37, 8, 64, sys.maxsize).ends == (64,)


@pytest.mark.parametrize("seed", range(20))
def test_slices_by_counts_hold_no_more_than_is_given_at_once(seed: int) -> None:
    rng = np.random.default_rng(seed)
    counts, group, rows = rng.zipf(1.5, 500).clip(max=300), int(rng.integers(1, 40)), int(rng.integers(1, 4))
    ends = by_counts(counts, int(counts.sum()), group, rows, 1000).ends
    assert ends[-1] == 500
    assert all(end % group == 0 for end in ends[:-1])
    for first, end in zip((0, *ends[:-1]), ends, strict=True):
        assert first < end
        steps = rows * int(counts[first:end].sum() + end - first)
        assert steps <= 1000 or end - first <= group


@pytest.mark.deep("row", "tiles")
@pytest.mark.parametrize("method", METHODS)
def test_products_are_cut(method: str, hasty: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(2)
    a, b = rng.integers(-50, 99, (70, 33)), rng.integers(-50, 99, (33, 41))
    found: list[Any] = []
    dispatches = dispatches_of(lambda: found.append(reedsp.min_plus_product(a, b, method, device=hasty)), monkeypatch)
    assert np.array_equal(found[0], (a[:, :, None] + b).min(axis=1))
    if hasty.kind == "cpu" and method in ("naive", "row-blocks", "row-blocks-transposed", "tiles"):
        places = [(offset, size) for name, offset, size in dispatches if name == "multiply"]
        assert len(places) == {"naive": 18, "tiles": 5}.get(method, 70)  # as many as there are rows of work-groups
        assert [offset[1] for offset, _ in places] == np.cumsum([0, *(size[1] for _, size in places[:-1])]).tolist()


@pytest.mark.deep
@pytest.mark.parametrize("kernel", LADDER)
def test_floyd_warshall_is_cut(kernel: str, hasty: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(4)
    n = 130
    ends, weights = rng.integers(0, n, (2, 600)), rng.integers(0, 50, 600)
    graph = reedsp.Graph.from_edges(n, *ends, weights)
    found: list[Any] = []
    options = {"kernel": kernel}
    dispatches = dispatches_of(
        lambda: found.append(apsp(graph, "floyd-warshall", options=options, device=hasty).dist), monkeypatch
    )
    edges = oracle.edges_of(*ends.tolist(), weights.tolist(), True)
    for source in (0, 64, n - 1):
        assert found[0][source].tolist() == [np.inf if d is None else d for d in oracle.distances(n, edges, source)]
    name = "relax" if kernel == "harish-narayanan" else "doubly_dependent_tiles"
    offsets = {offset[1] for each, offset, _ in dispatches if each == name and offset is not None}
    assert len(offsets) == (192 // 4 if name == "relax" else 192 // 32 - 1)  # whole tiles, of the fast method, too


@pytest.mark.deep
@pytest.mark.parametrize("method", ["output-parallel", "input-parallel", "input-parallel-refined", "near-far"])
@pytest.mark.parametrize("negative", [False, True])
def test_searches_are_cut(method: str, negative: bool, hasty: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    if negative and method == "near-far":
        return
    rng = np.random.default_rng(6)
    n, m = 3000, 9000
    heights = rng.integers(0, 90, n) if negative else np.zeros(n, np.int64)
    ends = np.concatenate([rng.integers(0, n, (2, m)), [np.zeros(n, np.int64), np.arange(n)]], axis=1)
    weights = rng.integers(0, 60, m + n) + 30 + heights[ends[0]] - heights[ends[1]]
    graph = reedsp.Graph.from_edges(n, *ends, weights)
    found: list[Any] = []
    dispatches = dispatches_of(lambda: found.append(reedsp.sssp(graph, 1, method, device=hasty)), monkeypatch)
    [paths] = found
    edges = oracle.edges_of(*ends.tolist(), weights.tolist(), True)
    expected = oracle.distances(n, edges, 1)
    assert paths.dist.tolist() == [np.inf if d is None else d for d in expected]
    assert paths.verify()
    trees = [offset for name, offset, _ in dispatches if name in ("resolve_progress", "resolve_level", "split_words")]
    assert len(set(trees)) > 10
    relaxations = [offset for name, offset, _ in dispatches if name == "relax"]
    if method in ("output-parallel", "input-parallel"):
        assert len(set(relaxations)) >= (3 if method == "output-parallel" else 10)
    elif method == "input-parallel-refined":
        assert len(relaxations) >= 120 * paths.rounds  # of 100 edges each


@pytest.mark.deep
def test_other_devices_are_given_everything_at_once(hasty: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, call in CALLS.items():
        expected = call(hasty)
        hasty.steps_at_once = sys.maxsize
        answers: list[Any] = []
        dispatches = dispatches_of(lambda call=call, answers=answers: answers.append(call(hasty)), monkeypatch)
        hasty.steps_at_once = AT_ONCE
        assert np.array_equal(answers[0], expected), name
        assert all(offset is None for _, offset, _ in dispatches), name


def test_only_cpus_are_given_little(device: Device) -> None:
    assert (device.steps_at_once < sys.maxsize) == (device.kind == "cpu")
