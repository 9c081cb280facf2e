"""The order of a queue is that of a loop over a list, whatever a launch does at a time."""

from __future__ import annotations

import numpy as np
import pytest

from reedsp.algorithms.traversal import queue_order
from reedsp.device.device import Device

NONE = -9999


def by_a_list(indptr: list[int], indices: list[int], start: int) -> tuple[list[int], list[int]]:
    queue, before, seen = [start], [NONE] * (len(indptr) - 1), {start}
    for vertex in queue:
        for head in indices[indptr[vertex] : indptr[vertex + 1]]:
            if head not in seen:
                seen.add(head)
                before[head] = vertex
                queue.append(head)
    return queue, before


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("piece", [1, 7, 1 << 14])
@pytest.mark.parametrize("budget", [1, 50, 1 << 23])
@pytest.mark.parametrize(("n", "degree"), [(1, 0), (1, 2), (2, 1), (40, 2), (300, 1), (300, 5)])
def test_the_order(
    n: int, degree: int, budget: int, piece: int, index: type, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Columns are in no order, and occur more than once."""
    monkeypatch.setattr(queue_order, "_FIRST_BUDGET", budget)
    monkeypatch.setattr(queue_order, "_PIECE", piece)
    rng = np.random.default_rng(n * degree)
    counts = rng.integers(0, 2 * degree + 1, n)
    indptr = np.append(0, np.cumsum(counts)).astype(index)
    indices = rng.integers(0, n, counts.sum()).astype(index)
    for start in {0, n // 2, n - 1}:
        order, before = queue_order.queue_order(device, indptr, indices, start)
        assert (order.tolist(), before.tolist()) == by_a_list(indptr.tolist(), indices.tolist(), start)
        assert order.dtype == before.dtype == np.int32


def test_a_device_that_is_no_cpu(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """The order is found on the host."""
    monkeypatch.setattr(device, "kind", "gpu")
    monkeypatch.setattr(Device, "kernel", lambda *a, **k: pytest.fail("a kernel was asked for"))
    order, before = queue_order.queue_order(device, np.array([0, 2, 3, 3]), np.array([2, 1, 2]), 0)
    assert (order.tolist(), before.tolist()) == ([0, 2, 1], [NONE, 0, 0])
