"""The ladder of load balancing in near-far: every rung finds what the oracle finds, whatever queue is full."""

from __future__ import annotations

import dataclasses
import itertools
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import reedsp
from reedsp.algorithms.single_source import near_far_work_group
from reedsp.algorithms.single_source.near_far_work_group import Search, Tuning
from reedsp.arithmetic.paths import Arithmetic
from reedsp.device import build, selfcheck
from reedsp.device.device import Device
from reedsp.device.job import Job
from reedsp.edges.balance import FEW_EDGES, RUNGS, Balance, balance_for
from reedsp.edges.device_graph import OutEdges, UnitEdges
from tests.support import oracle
from tests.support.families import FAMILIES, Family

INT32 = np.dtype(np.int32)
TUNING = Tuning(
    group_size=16, groups=3, local_rounds=3, least_share=5, delta=7.0, queue=16, hub=1000, edges_alone=128, room=400
)
EACH = [Balance(), Balance("items", FEW_EDGES), Balance("low-degree", 4), Balance("low-degree", FEW_EDGES)]
rungs = pytest.mark.parametrize("rung", EACH, ids=lambda rung: f"{rung.name}-{rung.units_at_once}")


def degree(graph: reedsp.Graph) -> int:
    return int(np.diff(graph.indptr).max(initial=0))


def thin(n: int, each: int, seed: int) -> reedsp.Graph:
    """Return a graph in which so many edges leave each vertex, to anywhere."""
    rng = np.random.default_rng(seed)
    return reedsp.Graph.from_edges(
        n, np.repeat(np.arange(n), each), rng.integers(0, n, n * each), rng.integers(0, 50, n * each)
    )


def run(device: Device, graph: reedsp.Graph, starts: list[list[int]], dtype: Any, **settings: Any) -> np.ndarray:
    arithmetic, job = Arithmetic(np.dtype(dtype)), Job(device)
    edges = OutEdges.of(graph, job, arithmetic)
    dist, rounds = near_far_work_group.solve(
        job, edges, arithmetic, starts, tuning=dataclasses.replace(TUNING, **settings)
    )
    assert rounds > 0
    found = job.download(dist, len(starts) * graph.n, dtype).reshape(len(starts), graph.n)
    return np.where(found == arithmetic.infinity, np.inf, found)


def plant(folder: Path, right: str, wrong: str, device: Device, patch: pytest.MonkeyPatch) -> Device:
    """Return a device that is given a changed text of the kernels from now on."""
    planted = shutil.copytree(build.kernel_directory(), folder / "cl")
    file = planted / near_far_work_group._FILE
    text = file.read_text(encoding="utf-8")
    assert right in text
    file.write_text(text.replace(right, wrong), encoding="utf-8")
    patch.setattr(build, "kernel_directory", lambda: planted)
    return Device(device.index, device.handle)


def expected(graph: reedsp.Graph, source: int) -> list[float]:
    edges = list(
        zip(
            np.repeat(np.arange(graph.n), np.diff(graph.indptr)).tolist(),
            graph.indices.tolist(),
            graph.weights.tolist(),
            strict=True,
        )
    )
    return [np.inf if d is None else float(d) for d in oracle.distances(graph.n, edges, source)]


def each_that_can_be_searched() -> Iterator[Any]:
    """Yield each rung with the families whose weights are not negative, and whose degrees it allows."""
    for rung, family in itertools.product(EACH, FAMILIES):
        suits = rung.name != "low-degree" or degree(family.graph()) <= rung.units_at_once
        if suits and min(family.weights, default=0) >= 0:
            wide = max(family.weights, default=0) > 2**20
            parts = (family.name, rung.name, rung.units_at_once, *["int64"] * wide)
            dtype = np.int64 if wide else np.int32
            yield pytest.param(rung, family, dtype, id="-".join(str(part) for part in parts))


@pytest.mark.deep("-items", "int64", "one vertex", "no edges", group="near-far by items")
@pytest.mark.parametrize(("rung", "family", "dtype"), list(each_that_can_be_searched()))
def test_families(rung: Balance, family: Family, dtype: type, device: Device) -> None:
    found = run(device, family.graph(), [[family.source]], dtype, balance=rung)
    assert found[0].tolist() == expected(family.graph(), family.source)


@pytest.mark.deep("items", "'queue'", group="near-far by items")
@rungs
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"room": 0},
        {"room": 0, "delta": 1e30, "groups": 7},
        {"delta": 1e-9, "local_rounds": 1},
        {"delta": 1e30, "local_rounds": 1000, "queue": 64},
        {"groups": 1, "least_share": 1},
    ],
    ids=str,
)
def test_settings(rung: Balance, settings: dict[str, Any], device: Device) -> None:
    """Rows from several sources at once; a queue of 16 entries is full after two vertices of eight edges."""
    graph = thin(200, 4 if rung.units_at_once == 4 else FEW_EDGES, 1)
    found = run(device, graph, [[3], [7, 150]], np.int32, balance=rung, **settings)
    assert found[0].tolist() == expected(graph, 3)
    assert np.array_equal(found[1], np.minimum(expected(graph, 7), expected(graph, 150)))


@pytest.mark.deep("items", "low", group="near-far by items")
@rungs
@pytest.mark.parametrize("far_room", [0, 1, 50])
def test_far_pile_without_room(rung: Balance, far_room: int, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """However few far entries are kept, and wherever they come from: local queues that are full, or drained."""
    graph, arithmetic, job = thin(200, 4 if rung.units_at_once == 4 else FEW_EDGES, 1), Arithmetic(INT32), Job(device)
    repeated: list[int] = []
    requeue = Search._requeue
    monkeypatch.setattr(Search, "_requeue", lambda self, *rows: (repeated.append(self._launches), requeue(self, *rows)))
    tuning = dataclasses.replace(TUNING, balance=rung)
    search = Search(job, OutEdges.of(graph, job, arithmetic), arithmetic, [[3], [7, 150]], tuning)
    search._advance.set("far_room", np.uint32(far_room))
    search.run(None)
    found = job.download(search.dist, 2 * graph.n, INT32).reshape(2, graph.n).astype(float)
    found[found == arithmetic.infinity] = np.inf
    assert found[0].tolist() == expected(graph, 3)
    assert np.array_equal(found[1], np.minimum(expected(graph, 7), expected(graph, 150)))
    assert repeated, "there was room for everything: this test tries nothing"


@pytest.mark.deep
@pytest.mark.parametrize("rung", [Balance(), Balance("items", FEW_EDGES)], ids=lambda rung: rung.name)
def test_more_hubs_than_there_is_room_for(
    rung: Balance, device: Device, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They come back to the near queue, in several launches if need be."""
    other = plant(tmp_path, "#define HUB_ROOM 1024", "#define HUB_ROOM 2", device, monkeypatch)
    graph = thin(200, FEW_EDGES, 1)
    for hub in (1, FEW_EDGES):
        found = run(other, graph, [[3], [7, 150]], np.int32, balance=rung, hub=hub)
        assert found[0].tolist() == expected(graph, 3)
        assert np.array_equal(found[1], np.minimum(expected(graph, 7), expected(graph, 150)))


@pytest.mark.deep("int64", "float")
@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float32, np.float64], ids=lambda dtype: np.dtype(dtype).name)
def test_few_edges_in_every_type(dtype: Any, device: Device) -> None:
    graph = thin(300, 3, 2)
    if np.dtype(dtype).kind == "f":
        graph = reedsp.Graph(graph.indptr, graph.indices, graph.weights / 2)
    found = run(device, graph, [[5]], dtype, balance=Balance("low-degree", 4))
    assert found[0].tolist() == expected(graph, 5)


@pytest.mark.parametrize("width", [4, FEW_EDGES])
def test_edges_are_padded(width: int, device: Device) -> None:
    graph, job, arithmetic = thin(70, 3, 3), Job(device), Arithmetic(np.dtype(np.int32))
    graph = reedsp.Graph.from_edges(80, *[np.append(each, [79, 79]) for each in edges_of(graph)])
    pairs = np.dtype([("target", np.int32), ("weight", np.int32)])
    for edges, unit in ((OutEdges.of(graph, job, arithmetic), False), (UnitEdges(graph, job), True)):
        padded = job.download(edges.padded(job, width), 80 * width, pairs).reshape(80, width)
        assert edges.padded(job, width) is edges.padded(job, width)
        for vertex in range(80):
            own = slice(*graph.indptr[vertex : vertex + 2])
            count = own.stop - own.start
            assert padded["target"][vertex].tolist() == [*graph.indices[own].tolist(), *[-1] * (width - count)]
            weights = [1] * count if unit else graph.weights[own].tolist()
            assert padded["weight"][vertex].tolist() == [*weights, *[0] * (width - count)]


def edges_of(graph: reedsp.Graph) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return np.repeat(np.arange(graph.n), np.diff(graph.indptr)), graph.indices, graph.weights


# ---- which rung -------------------------------------------------------------------------------------


def test_the_rung_follows_the_degrees(device: Device) -> None:
    job, arithmetic = Job(device), Arithmetic(np.dtype(np.int32))

    def chosen(each: int, most_bytes: int = 1 << 30, name: str | None = None) -> Balance:
        return balance_for(OutEdges.of(thin(100, each, 4), job, arithmetic), most_bytes, name)

    assert chosen(4) == Balance("low-degree", 4)
    assert chosen(5) == Balance("low-degree", 8)
    assert chosen(30) == Balance("block-search", 1)
    assert chosen(30, name="items") == Balance("items", 8)
    assert chosen(3, name="items") == Balance("items", 4)
    assert chosen(3, name="block-search") == Balance()
    assert chosen(4, most_bytes=100 * 4 * 8 - 1) == Balance()
    assert chosen(4, most_bytes=100 * 4 * 8) == Balance("low-degree", 4)
    with pytest.raises(
        ValueError, match=r"^options: balance = 'low-degree' takes more than 3,199 bytes of this graph$"
    ):
        chosen(4, 3199, "low-degree")


def test_settings_follow_the_first_frontiers(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """A graph is deep if few entries wait after some launches; that is found out once, and not if delta is given."""
    monkeypatch.setattr(near_far_work_group, "_SMALL_FRONTIER", 30)
    job, arithmetic = Job(device), Arithmetic(np.dtype(np.int32))
    lane = np.arange(2000)
    ladder = reedsp.Graph.from_edges(2002, [*lane, *lane], [*lane + 1, *lane + 2], [1, 3] * 2000)
    for graph, deep, delta in ((ladder, True, None), (thin(3000, 3, 6), False, None), (thin(200, 3, 6), None, 5.0)):
        edges = OutEdges.of(graph, job, arithmetic)
        for _ in range(2):
            dist, _ = near_far_work_group.solve(job, edges, arithmetic, [[2]], delta=delta)
            found = job.download(dist, graph.n, np.int32)
            assert np.where(found == arithmetic.infinity, np.inf, found).tolist() == expected(graph, 2)
            found_out = graph._derived.get("is_deep")
            assert found_out is deep or (device.kind == "gpu" and found_out is None)  # which was done before
        rounds = near_far_work_group.tuning_for(device, edges, 1).local_rounds
        assert device.kind == "gpu" or rounds == (4 if deep is False else 32)


@pytest.mark.deep("-items")
@pytest.mark.parametrize("name", RUNGS)
def test_by_the_public_function(name: str, device: Device) -> None:
    graph = thin(150, 3, 5)
    paths = reedsp.sssp(graph, [3, 9], "near-far", device=device, options={"balance": name})
    bellman_ford = reedsp.sssp(graph, [3, 9], "output-parallel", device=device)
    assert paths.dist.tolist() == [expected(graph, 3), expected(graph, 9)]
    assert np.array_equal(paths.pred, bellman_ford.pred)


def test_wrong_rungs(device: Device) -> None:
    star = reedsp.Graph.from_edges(20, [0] * 19, range(1, 20), [1] * 19)
    with pytest.raises(ValueError, match=r"^options: balance = 'low-degree', but a vertex has 19 edges, and may"):
        reedsp.sssp(star, 0, "near-far", device=device, options={"balance": "low-degree"})
    with pytest.raises(ValueError, match=r"^options: balance = 'warps', expected one of 'block-search', 'items', "):
        reedsp.sssp(star, 0, "near-far", device=device, options={"balance": "warps"})  # type: ignore[typeddict-item]


def test_75_a_wrong_rung_is_replaced(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """What finds wrong distances in trials is put aside; block search serves."""
    monkeypatch.setattr(near_far_work_group, "is_trusted", lambda device, name, *trial: "low-degree" not in name)
    job, arithmetic, graph = Job(device), Arithmetic(np.dtype(np.int32)), thin(100, 4, 4)
    edges = OutEdges.of(graph, job, arithmetic)
    assert near_far_work_group._right_tuning(device, edges, arithmetic, 1, None).balance == Balance()
    assert near_far_work_group._right_tuning(device, edges, arithmetic, 1, "items").balance == Balance("items", 4)
    assert selfcheck.is_trusted is not near_far_work_group.is_trusted


# ---- faults -----------------------------------------------------------------------------------------


@pytest.mark.deep
@pytest.mark.parametrize("rung", [Balance(), Balance("low-degree", 4)], ids=lambda rung: rung.name)
def test_a_fault_that_keeps_a_search_from_ending_is_an_error(
    rung: Balance, device: Device, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Room is taken for what was not lowered, too, where entries of the round before stand: along a cycle of zeros."""
    if device.kind == "gpu" and rung.name == "low-degree":
        pytest.skip("work-items side by side leave no such entries")
    right, wrong = "nearby += sums[k] < found[k]", "nearby += sums[k] <= found[k]"
    other = plant(tmp_path, right, wrong, device, monkeypatch)
    n, lane = 60, np.arange(60)
    loops = ([*lane, *lane], [*(lane + 1) % n, *lane], [1] * n + [0] * n)
    graph = reedsp.Graph.from_edges(n, *(loops if rung.name == "low-degree" else (lane, (lane + 1) % n, [0] * n)))
    with pytest.raises(
        reedsp.DeviceError, match=r"near-far in work-groups does not end: \d+ launches and \d splits are"
    ):
        run(other, graph, [[3]], np.int32, balance=rung)


def test_entries_that_are_lost_again_and_again(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each time one more edge of every shortest path is final: there are as many times as vertices, and no more."""
    graph, layout = thin(200, 4, 1), near_far_work_group.constants(near_far_work_group._FILE)
    launch, most, times = Search._launch, 4 * 201, 0
    last = 201

    def pretended(search: Search, count: int) -> np.ndarray:
        nonlocal times
        counts, times = launch(search, count), times + 1
        counts[layout["ROUNDS"]] = times * most
        counts[layout["DONE"]], counts[layout["LOST"]] = True, times <= last
        return counts

    monkeypatch.setattr(Search, "_launch", pretended)
    assert run(device, graph, [[3]], np.int32)[0].tolist() == expected(graph, 3)
    times, last = 0, 202
    with pytest.raises(reedsp.DeviceError, match="does not end"):
        run(device, graph, [[3]], np.int32)


@pytest.mark.parametrize(("launches", "splits"), [(4 * 201 + 1, 0), (0, 4 * 200 * 49 // 7 + 3)])
def test_more_launches_or_splits_than_there_can_be(
    launches: int, splits: int, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a search that ends if they are fewer by one; a split begins the count of launches anew."""
    graph, layout = thin(200, 4, 1), near_far_work_group.constants(near_far_work_group._FILE)
    assert graph.max_abs_weight == 49
    launch = Search._launch
    more = 0

    def pretended(search: Search, count: int) -> np.ndarray:
        counts = launch(search, count)
        counts[layout["ROUNDS"]] = launches + more if launches else 10**9
        counts[layout["SPLITS"] : layout["SPLITS"] + 2] = splits + more if splits else 0
        counts[layout["DONE"]] = search._launches > 40
        return counts

    monkeypatch.setattr(Search, "_launch", pretended)
    with pytest.raises(reedsp.DeviceError, match="does not end"):
        run(device, graph, [[3]], np.int32)
    more = -1
    assert run(device, graph, [[3]], np.int32)[0].tolist() == expected(graph, 3)
