"""Graphs that are prepared without being asked to: where it pays, once, and with the same bytes."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import networkx as nx
import numpy as np
import pytest

import reedsp
from reedsp.algorithms.contraction import automatic, hierarchy, prepared_graph
from reedsp.cost_model import contraction, families
from reedsp.cost_model.searches import Searches
from reedsp.device.job import Job
from reedsp.networkx_backend import on_device
from tests.support.families import FAMILIES, Family, grid

GRID = grid("grid", 15, 12, seed=3)


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many edges the graphs have that are contracted, where it always pays."""
    contracted: list[int] = []
    contract = automatic.contract
    monkeypatch.setattr(contraction, "may_pay", lambda *_: True)
    monkeypatch.setattr(contraction, "pays", lambda asked, _: not asked.negative)
    monkeypatch.setattr(
        automatic,
        "contract",
        lambda graph, *rest, **more: (contracted.append(graph.m), contract(graph, *rest, **more))[1],
    )
    return contracted


@pytest.mark.deep
@pytest.mark.parametrize("family", FAMILIES, ids=str)
@pytest.mark.parametrize("dtype", ["int64", "float64", "float32"])
def test_the_same_bytes(
    family: Family, dtype: str, device: reedsp.Device, calls: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = family.graph()

    def rows() -> bytes | str:
        try:
            blocks = reedsp.all_pairs_rows(graph, dtype=dtype, device=device)  # type: ignore[call-overload]
            return np.concatenate([np.empty((0, graph.n), dtype), *(block for _, block in blocks)]).tobytes()
        except (reedsp.NegativeCycleError, OverflowError, ValueError) as error:
            return str(error)

    found = rows()
    monkeypatch.setattr("reedsp.algorithms.routes.rows.prepared_for", lambda *_: None)
    assert rows() == found


def test_a_graph_is_contracted_once(device: reedsp.Device, calls: list[int]) -> None:
    graph = GRID.graph()
    for _ in range(3):
        reedsp.distance_table(graph, range(10), range(20, 50), device=device)
    reedsp.k_nearest(graph, None, 3, device=device)
    assert calls == [graph.m]


def test_rows_come_from_the_hierarchy(device: reedsp.Device, calls: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    """Which is found in buffers that are left to others."""
    graph, options = GRID.graph(), []

    def job(device: reedsp.Device, **given: Any) -> Job:
        options.append(given)
        return Job(device, **given)

    monkeypatch.setattr(automatic, "Job", job)
    prepared = automatic.prepared_for(graph, device, 100, np.dtype(np.float64))
    assert prepared is not None
    assert np.array_equal(prepared.distances(5), reedsp.sssp(graph, 5, device=device).dist)
    assert (calls, options) == ([graph.m], [{"recycle": True}])


def test_a_device_that_contracts_wrongly_is_not_used(
    device: reedsp.Device, calls: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prepared_graph, "is_trusted", lambda *_: False)
    assert automatic.prepared_for(GRID.graph(), device, 100, np.dtype(np.float64)) is None
    assert calls == []


def test_a_graph_without_a_hierarchy_is_given_up_once(device: reedsp.Device, calls: list[int]) -> None:
    rng = np.random.default_rng(4)
    graph = reedsp.Graph.from_edges(3000, *rng.integers(0, 3000, (2, 12000)), directed=False)
    for _ in range(2):
        [(_, rows)] = reedsp.all_pairs_rows(graph, [5], device=device)
        assert np.array_equal(rows[0], reedsp.sssp(graph, 5, device=device).dist)
    assert calls == [graph.m]


@pytest.mark.parametrize("side", [80, pytest.param(200, marks=pytest.mark.deep)])
def test_a_grid_of_equal_weights_is_given_up_once(
    side: int, device: reedsp.Device, calls: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has a hierarchy, but to find that takes many times as long as for weights at random."""
    if side == 80:
        monkeypatch.setattr(hierarchy, "_CORE", 40)
        monkeypatch.setattr(contraction, "budget", lambda m: 8 * m)
    family = grid("grid", side, side, seed=1)
    different = family.graph()
    equal = reedsp.Graph.from_edges(family.n, family.sources, family.targets, directed=False)
    for _ in range(2):
        assert automatic.prepared_for(equal, device, 100, np.dtype(np.float64)) is None
        assert automatic.prepared_for(different, device, 100, np.dtype(np.float64)) is not None
    assert calls == [equal.m, different.m]
    [(_, rows)] = reedsp.all_pairs_rows(equal, [5], device=device)
    assert np.array_equal(rows[0], reedsp.sssp(equal, 5, device=device).dist)


def test_that_there_is_no_hierarchy_is_known_of_several_devices(device: reedsp.Device, calls: list[int]) -> None:
    rng = np.random.default_rng(4)
    graph = reedsp.Graph.from_edges(3000, *rng.integers(0, 3000, (2, 12000)), directed=False)
    other: Any = object()
    automatic.prepare_for_several(graph, [device, other], 100, np.dtype(np.float64))
    assert graph._derived["hierarchies"] == {device: None, other: None}
    assert calls == [graph.m]


def test_sums_that_would_be_rounded_are_searched_for(device: reedsp.Device, calls: list[int]) -> None:
    graph = reedsp.Graph.from_edges(3, [0, 1], [1, 2], [0.1, 0.2])
    [(_, rows)] = reedsp.all_pairs_rows(graph, [0], device=device)
    assert rows.tolist() == [[0, 0.1, 0.1 + 0.2]]
    exact = reedsp.Graph.from_edges(3, [0, 1], [1, 2], [0.25, 0.5])
    [(_, rows)] = reedsp.all_pairs_rows(exact, [0], dtype="float32", device=device)
    assert rows.tolist() == [[0, 0.25, 0.75]]
    assert calls == [], "nor in float32, in which other sums would be"


def test_integers_do_not_come_of_large_units(device: reedsp.Device, calls: list[int]) -> None:
    graph = reedsp.Graph.from_edges(3, [0, 1], [1, 2], [2.0**60, 2.0**61])
    for dtype in ("float64", "int64"):
        [(_, rows)] = reedsp.all_pairs_rows(graph, [0], dtype=dtype, device=device)  # type: ignore[call-overload]
        assert rows.tolist() == [[0, 2**60, 3 * 2**60]]
    assert len(calls) == 1


def test_a_hierarchy_without_room_on_the_device_is_not_used(
    device: reedsp.Device, calls: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(hierarchy: object, job: object) -> None:
        raise reedsp.DeviceMemoryError("no room")

    graph = GRID.graph()
    monkeypatch.setattr(prepared_graph, "searches_in", refuse)
    for _ in range(2):
        [(_, rows)] = reedsp.all_pairs_rows(graph, [5], device=device)
        assert np.array_equal(rows[0], reedsp.sssp(graph, 5, device=device).dist)
    assert calls == [graph.m]


@pytest.mark.parametrize(("module", "name"), [(automatic, "contract"), (prepared_graph, "searches_in")])
def test_where_the_host_has_no_memory_to_prepare_a_graph_it_is_searched(
    module: Any, name: str, device: reedsp.Device, calls: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise MemoryError("unable to allocate 95 GiB")

    graph = GRID.graph()
    monkeypatch.setattr(module, name, refuse)
    [(_, rows)] = reedsp.all_pairs_rows(graph, [5], device=device)
    assert np.array_equal(rows[0], reedsp.sssp(graph, 5, device=device).dist)


def test_it_goes_with_its_graph(device: reedsp.Device, calls: list[int]) -> None:
    graph = GRID.graph()
    list(reedsp.all_pairs_rows(graph, [0, 5], device=device))
    assert calls == [graph.m]
    watched = weakref.ref(graph)
    gc.disable()
    try:
        del graph
        assert watched() is None, "without a look for cycles"
    finally:
        gc.enable()


def test_measures_of_networkx(device: reedsp.Device, calls: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(on_device.FORCE_DEVICE, "1")
    monkeypatch.setenv("REEDSP_DEVICE", device.name)
    G = nx.grid_2d_graph(7, 9)
    for number, edge in enumerate(G.edges):
        G.edges[edge]["weight"] = 1 + number * 37 % 11
    found = nx.closeness_centrality(G, distance="weight", backend="reedsp")
    assert len(calls) == 1
    assert found == pytest.approx(nx.closeness_centrality(G, distance="weight", backend="networkx"))


def test_where_it_pays() -> None:
    two_cores = families.family("cpu", 2, 24 << 30, True)
    large_gpu = families.family("gpu", 132, 140 << 30, False)

    def roads(rows: int, m: int = 730_100, negative: bool = False) -> Searches:
        return Searches(264_346, m, False, rows, "int32", 8, negative)

    assert [contraction.pays(roads(rows), two_cores) for rows in (1000, 100_000)] == [False, True]
    assert not contraction.pays(roads(100_000, negative=True), two_cores)
    copied = [contraction.pays(roads(rows), large_gpu) for rows in (100_000, 264_346)]
    assert copied == [False, True], "where copies to the host take most of the time"
    assert contraction.contracting(10**6, two_cores) == pytest.approx(15)
    assert contraction.contracting(10**6, large_gpu) == pytest.approx(5.5)
    assert contraction.budget(10**6) == 11 * 10**6
    assert contraction.swept(roads(10**4), two_cores) == pytest.approx(3.978, rel=1e-3)
    assert contraction.swept(roads(10**4), large_gpu) == pytest.approx(1.293, rel=1e-3)
    assert contraction.may_pay(264_346, 730_100, 1000)
    assert not contraction.may_pay(264_346, 730_100, 100)
    assert not contraction.may_pay(264_346, 10 * 264_346, 1000)
