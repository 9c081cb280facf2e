"""The order of a queue is that of a loop over a list, whatever a launch does at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from reedsp.algorithms.traversal import queue_levels, queue_order
from reedsp.cost_model import place
from reedsp.device.device import Device
from reedsp.device.job import Job
from reedsp.edges.preparation import MatrixRows

NONE = -9999

pytestmark = pytest.mark.usefixtures("own_verdicts")
Found = tuple[list[int], list[int]]


def by_a_list(indptr: np.ndarray, indices: np.ndarray, start: int) -> Found:
    queue, before, seen = [start], [NONE] * (len(indptr) - 1), {start}
    for vertex in queue:
        for head in indices[indptr[vertex] : indptr[vertex + 1]].tolist():
            if head not in seen:
                seen.add(head)
                before[head] = vertex
                queue.append(head)
    return queue, before


def by_device(device: Device, indptr: np.ndarray, indices: np.ndarray, start: int) -> Found | None:
    rows = MatrixRows(Job(device, recycle=True), indptr, indices)
    found = queue_order.queue_order(rows, start)
    rows.close()
    if found is None:
        return None
    assert found[0].dtype == found[1].dtype == np.int32
    return found[0].tolist(), found[1].tolist()


def rows_of(columns: list[np.ndarray], index: type = np.int32) -> tuple[np.ndarray, np.ndarray]:
    return np.cumsum([0, *map(len, columns)]).astype(index), np.concatenate(columns).astype(index)


@pytest.mark.deep
@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("piece", [64, 192, 1 << 14])
@pytest.mark.parametrize("budget", [1, 50, 1 << 23])
@pytest.mark.parametrize(("n", "degree"), [(1, 0), (1, 2), (2, 1), (40, 2), (300, 1), (300, 5)])
def test_the_order_by_one_work_item(
    n: int, degree: int, budget: int, piece: int, index: type, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Columns are in no order, and occur more than once."""
    monkeypatch.setattr(device, "kind", "cpu")
    monkeypatch.setattr(queue_order, "_FIRST_BUDGET", budget)
    monkeypatch.setattr(queue_order, "_PIECE", piece)
    rng = np.random.default_rng(n * degree)
    rows = rows_of([rng.integers(0, n, rng.integers(0, 2 * degree + 1)) for _ in range(n)], index)
    for start in {0, n // 2, n - 1}:
        assert by_device(device, *rows, start) == by_a_list(*rows, start)


@pytest.mark.deep("1-64-int64", "16384", "int32", "50-64-int64")
@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("piece", [64, 1 << 14])
@pytest.mark.parametrize("budget", [1, 50, 1 << 23])
def test_how_many_edges_lead_to_each(
    budget: int, piece: int, index: type, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(device, "kind", "cpu")
    monkeypatch.setattr(queue_order, "_FIRST_BUDGET", budget)
    monkeypatch.setattr(queue_order, "_PIECE", piece)
    for columns in GRAPHS.values():
        indptr, indices = rows_of(columns, index)
        for start in {0, len(columns) // 2, len(columns) - 1}:
            queue, before = by_a_list(indptr, indices, start)
            expected = np.full(len(columns), np.inf)
            expected[start] = 0
            for vertex in queue[1:]:
                expected[vertex] = expected[before[vertex]] + 1
            rows = MatrixRows(Job(device, recycle=True), indptr, indices)
            found = queue_order.queue_distances(rows, start)
            rows.close()
            assert (found is not None) == device.fp64
            if found is not None:
                assert np.array_equal(found, expected)


@pytest.fixture
def gpu(device: Device, monkeypatch: pytest.MonkeyPatch) -> Device:
    """Return a device that is taken for a GPU, with small work-groups."""
    monkeypatch.setattr(device, "kind", "gpu")
    monkeypatch.setattr(queue_levels, "_GROUP_SIZE", 32)
    monkeypatch.setattr(queue_levels, "_ALONE", ((32, 2), (64, 3)))
    return device


def sparse(n: int, degree: float, hubs: int = 0, seed: int = 0) -> list[np.ndarray]:
    """Return columns of a random graph, in no order, with some rows that have a third of all vertices."""
    rng = np.random.default_rng(seed)
    counts = np.minimum(rng.poisson(degree, n), n)
    counts[rng.choice(n, hubs, replace=False)] = n // 3
    return [rng.permutation(rng.choice(n, count, replace=False)) for count in counts]


GRAPHS = {
    "a vertex with a loop": [np.array([0])],
    "two vertices": [np.array([1]), np.array([0, 1])],
    "path": [np.array([v + 1]) for v in range(99)] + [np.array([], int)],
    "no edge from the start": [np.array([], int), np.array([0])],
    "thin": sparse(500, 1.5),
    "random": sparse(900, 6),
    "hubs": sparse(700, 1.5, hubs=5),
    "one hub": sparse(400, 1, hubs=1, seed=3),
    "all": [np.arange(90)[::-1] for _ in range(90)],
}


@pytest.mark.deep
@pytest.mark.parametrize(
    ("vertices", "degree", "index", "atomic_loads"),
    [(5, 64, np.int32, False), (1, 64, np.int64, True), (3, 5, np.int32, True), (2, 0, np.int64, False)],
)
@pytest.mark.parametrize("graph", GRAPHS)
def test_the_order_by_levels(
    graph: str,
    vertices: int,
    degree: int,
    index: type,
    atomic_loads: bool,
    gpu: Device,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """By one work-group alone, by many, and by turns."""
    monkeypatch.setattr(queue_levels, "_ALONE", ((32, 1), (64, vertices)))
    monkeypatch.setattr(queue_levels, "_DEGREE_ALONE", degree)
    monkeypatch.setattr(queue_levels, "_FIRST_LEVELS", 3)
    monkeypatch.setattr(gpu, "loads_are_atomic", not atomic_loads)
    rows = rows_of(GRAPHS[graph], index)
    for start in {0, len(GRAPHS[graph]) // 2}:
        assert by_device(gpu, *rows, start) == by_a_list(*rows, start)


@pytest.mark.deep("no edge from the start", "thin")
@pytest.mark.parametrize("graph", ["no edge from the start", "thin", "path", "all"])
def test_work_that_is_done_meanwhile(graph: str, gpu: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once, however few or many launches there are; what it raises ends the search."""
    monkeypatch.setattr(queue_levels, "_FIRST_LEVELS", 3)
    rows, calls = MatrixRows(Job(gpu), *rows_of(GRAPHS[graph])), []
    assert queue_order.queue_order(rows, 0, lambda: calls.append(0)) is not None
    assert calls == [0]

    def refuse() -> None:
        raise ValueError("meanwhile")

    with pytest.raises(ValueError, match="meanwhile"):
        queue_order.queue_order(rows, 0, refuse)
    rows.close()


@pytest.mark.parametrize("kind", ["cpu", "gpu"])
def test_work_that_is_done_where_no_device_searches(kind: str, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device, "kind", kind)
    rows, calls = MatrixRows(Job(device), np.zeros(4, np.int32), np.array([], np.int32)), []
    found = queue_order.queue_order(rows, 2, lambda: calls.append("no edges"))
    assert found is not None
    assert [each.tolist() for each in found] == [[2], [NONE] * 3]
    assert queue_order.queue_distances(rows, 2) is None
    rows = MatrixRows(Job(device), *rows_of(GRAPHS["thin"]))
    monkeypatch.setattr(queue_order, "is_trusted", lambda *_: False)
    assert queue_order.queue_order(rows, 0, lambda: calls.append("wrong")) is None
    assert queue_order.queue_distances(rows, 0) is None
    assert calls == ["no edges", "wrong"]
    rows.close()


def test_work_groups_of_few_work_items(gpu: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernels need 32 of them; the host serves."""
    monkeypatch.setattr(gpu, "max_work_group_size", 31)
    assert by_device(gpu, *rows_of(GRAPHS["random"]), 0) is None
    monkeypatch.setattr(gpu, "max_work_group_size", 32)
    assert by_device(gpu, *rows_of(GRAPHS["random"]), 0) == by_a_list(*rows_of(GRAPHS["random"]), 0)


def test_trials_see_wrong_distances(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device, "kind", "cpu")
    assert queue_order._orders_known_graph(device, "int", "int")
    right = queue_order._distances_by_item
    monkeypatch.setattr(queue_order, "_distances_by_item", lambda rows, start: right(rows, start) + 1)
    assert queue_order._orders_known_graph(device, "int", "int") != device.fp64


def test_graphs_too_deep_for_a_gpu(gpu: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """The host serves for a path, and not for a graph with few levels."""
    monkeypatch.setattr(place, "_serves", True)
    long_path = rows_of([np.array([v + 1]) for v in range(20_000)] + [np.array([], int)])
    assert by_device(gpu, *long_path, 0) is None
    assert by_device(gpu, *rows_of(GRAPHS["random"]), 0) is not None


@pytest.mark.usefixtures("own_verdicts")
def test_a_device_that_orders_wrongly(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """As it seems, because what it has found is read the wrong way round; its state of one level stays as it is."""
    download, give_back = Job.download, Job.give_back

    def turned(job: Job, memory: Any, array: np.ndarray) -> None:
        give_back(job, memory, array)
        array[:] = array[::-1].copy()

    monkeypatch.setattr(Job, "download", lambda job, buffer, n, dtype: download(job, buffer, n, dtype)[..., ::-1])
    monkeypatch.setattr(Job, "give_back", turned)
    with pytest.warns(RuntimeWarning, match="order of a queue gives a wrong answer"):
        assert by_device(device, *rows_of(GRAPHS["random"]), 0) is None
