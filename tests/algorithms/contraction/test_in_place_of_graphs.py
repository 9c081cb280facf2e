"""Functions that take a prepared graph in place of a graph answer the same, by way of its hierarchy."""

from __future__ import annotations

import itertools
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import reedsp
from reedsp.algorithms import rows
from reedsp.algorithms.contraction.batches import Batches
from reedsp.algorithms.contraction.prepared_graph import PreparedGraph
from reedsp.algorithms.contraction.wide import Wide
from reedsp.algorithms.routes import rows as routes_rows
from reedsp.system.elsewhere import Elsewhere
from tests.support.small_graphs import graph_of

CASES = [(kind, seed) for kind in ("zero and small", "unit", "undirected") for seed in range(6)]


@pytest.fixture
def by_hierarchy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have other searches fail from now on."""
    monkeypatch.setattr(routes_rows, "Searches", None)
    monkeypatch.setattr(routes_rows, "sssp", None)


def one_way(offset: int = 0, unit: float = 1) -> reedsp.Graph:
    rng = np.random.default_rng(3)
    ends = rng.integers(0, 60, (2, 150))
    return reedsp.Graph.from_edges(60, *ends, rng.integers(0, 9, 150) * unit, offset=offset)


@pytest.mark.parametrize(("kind", "seed"), CASES)
@pytest.mark.parametrize("limit", [1, 1 << 28])
def test_rows_tables_and_the_nearest(
    kind: str, seed: int, limit: int, device: reedsp.Device, by_hierarchy: None
) -> None:
    graph, _ = graph_of(kind, seed)
    prepared = reedsp.prepare(graph, device=device)
    expected = reedsp.sssp(graph, range(graph.n), "near-far", device=device).dist
    found = np.full_like(expected, np.nan)
    for sources, block in reedsp.all_pairs_rows(prepared, memory_limit=limit):
        assert limit > 1 or len(sources) == 1
        found[sources] = block
    assert np.array_equal(found, expected)
    rng = np.random.default_rng(seed)
    few, many = rng.integers(0, graph.n, 2), rng.integers(0, graph.n, 7)
    for sources, targets in ((few, many), (many, few), (few, few[:0]), (few[:0], few)):
        table = reedsp.distance_table(prepared, sources, targets, memory_limit=limit)
        assert np.array_equal(table, expected[np.ix_(sources, targets)])
    for among in (None, few, many):
        nearest = reedsp.k_nearest(prepared, many, 3, among, memory_limit=limit, device=device)
        for source, dist in zip(many.tolist(), nearest.dist, strict=True):
            ends = np.delete(np.arange(graph.n), source) if among is None else np.unique(among)
            closest = np.sort(expected[source, ends])[:3]
            assert dist.tolist() == [*closest, *[np.inf] * (3 - len(closest))]


@pytest.mark.parametrize("unit", [1, 0.25])
def test_the_nearest_have_names(unit: float, device: reedsp.Device) -> None:
    graph = one_way(offset=100, unit=unit)
    prepared = reedsp.prepare(graph, device=device)
    for among in (None, [107, 103]):
        expected = reedsp.k_nearest(graph, None, 4, among, device=device)
        nearest = reedsp.k_nearest(prepared, None, 4, among)
        assert np.array_equal(nearest.dist, expected.dist)
        assert np.array_equal(nearest.vertices, expected.vertices)
    assert [names for names, _ in reedsp.all_pairs_rows(prepared, [159, 100])] == [[159, 100]]


@pytest.mark.parametrize(
    ("call", "position"),
    [
        (lambda prepared: prepared.sssp([1, 0]), "1, 2"),
        (lambda prepared: prepared.sssp([0]), "0, 2"),
        (lambda prepared: prepared.sssp(0), "2"),
        (lambda prepared: prepared.distances([1, 0]), "1, 2"),
        (lambda prepared: prepared.distances(0), "2"),
        (lambda prepared: prepared.distance_table([1, 0], [1, 2]), "0, 2"),
        (lambda prepared: reedsp.distance_table(prepared, [1, 0], [1, 2], memory_limit=1), "0, 2"),
        (lambda prepared: list(reedsp.all_pairs_rows(prepared, [1, 0], memory_limit=1)), "0, 2"),
    ],
)
def test_a_distance_that_is_refused_is_named(call: Any, position: str, device: reedsp.Device) -> None:
    """By its place in the array, and in blocks and tables by its vertices, as from the graph itself."""
    graph = reedsp.Graph.from_edges(3, [0, 1], [1, 2], [2**53, 1])
    with pytest.raises(ValueError, match=rf"^dist\[{position}\] = "):
        call(reedsp.prepare(graph, device=device))


@pytest.mark.parametrize("source", [5, [5, 7, 5], []])
@pytest.mark.parametrize("dtype", [None, "int32"])
def test_searches(source: Any, dtype: Any, device: reedsp.Device) -> None:
    graph = one_way()
    found = reedsp.sssp(reedsp.prepare(graph, device=device), source, dtype=dtype, device=device)
    expected = reedsp.sssp(graph, source, "near-far", dtype=dtype, device=device)
    assert found.method == "contraction-hierarchy"
    assert found.dist.dtype == expected.dist.dtype
    assert np.array_equal(found.dist, expected.dist)
    assert np.array_equal(found.pred, expected.pred)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("method", "near-far"), ("target", 1), ("cutoff", 0), ("min_only", True), ("out", np.empty(60))),
        *(("options", {}), ("progress", True)),
    ],
)
def test_arguments_that_it_does_without(name: str, value: Any, device: reedsp.Device) -> None:
    prepared = reedsp.prepare(one_way(), device=device)
    with pytest.raises(ValueError, match=f"{name}: a prepared graph is searched without; sssp"):
        reedsp.sssp(prepared, 0, **{name: value})
    reedsp.sssp(prepared, 0, progress=False)


CALLS = [
    lambda graph, device: reedsp.sssp(graph, 0, device=device),
    lambda graph, device: reedsp.all_pairs_rows(graph, device=device),
    lambda graph, device: reedsp.distance_table(graph, [0], [1], device=device),
    lambda graph, device: reedsp.k_nearest(graph, [0], 1, device=device),
]


@pytest.mark.parametrize("call", CALLS)
def test_another_device(call: Any, device: reedsp.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    class Workers(Elsewhere):
        def answer(self, function: str, /, *args: Any, **arguments: Any) -> Any:
            raise AssertionError

    prepared = reedsp.prepare(one_way(), device=device)
    call(prepared, device)
    with pytest.raises(TypeError, match=r"device: the graph is prepared on .*, and cannot be asked on a cluster"):
        call(prepared, Workers())
    monkeypatch.setattr(rows, "get_device", lambda _: SimpleNamespace(handle=None))
    with pytest.raises(ValueError, match=r"device = 'other': the graph is prepared on .*, and not on"):
        call(prepared, "other")


@pytest.mark.parametrize("kind", ["zero and small", "undirected"])
def test_reversed(kind: str, device: reedsp.Device, tmp_path: Path) -> None:
    graph, _ = graph_of(kind, 1)
    prepared = reedsp.prepare(graph, device=device).reverse()
    expected = reedsp.sssp(graph, range(graph.n), "near-far", device=device).dist.T
    assert prepared.graph == graph.reverse()
    assert np.array_equal(prepared.distances(range(graph.n)), expected)
    assert prepared.sssp(range(graph.n)).verify()
    prepared.save(tmp_path / "reversed.npz")
    for again in (prepared, reedsp.load_prepared(tmp_path / "reversed.npz", graph.reverse(), device=device)):
        assert_paths(again, expected)


def test_paths_of_a_larger_one_reversed(device: reedsp.Device) -> None:
    graph = one_way()
    prepared = reedsp.prepare(graph, device=device).reverse()
    assert prepared.shortcuts > 0
    assert_paths(prepared, reedsp.sssp(graph, range(graph.n), "near-far", device=device).dist.T)


def assert_paths(prepared: PreparedGraph, expected: np.ndarray) -> None:
    weights = {(u, v): weight for u, v, weight in prepared.graph.edges()}
    if not prepared.graph.directed:
        weights |= {(v, u): weight for (u, v), weight in weights.items()}
    for source in range(0, len(expected), 3):
        for target in np.flatnonzero(np.isfinite(expected[source])).tolist():
            path = prepared.path(source, target)
            assert (path[0], path[-1]) == (source, target)
            assert sum(weights[step] for step in itertools.pairwise(path)) == expected[source, target]


@pytest.fixture
def searched(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list that grows by how many vertices each search starts from."""
    counts = []

    def counted(search: Any) -> Any:
        def rows(here: Any, job: Any, sources: Any, *arguments: Any) -> Any:
            counts.append(len(sources))
            return search(here, job, sources, *arguments)

        return rows

    for form in (Batches, Wide):
        monkeypatch.setattr(form, "rows", counted(form.rows))
    return counts


def test_a_large_table_comes_in_parts(
    device: reedsp.Device, monkeypatch: pytest.MonkeyPatch, searched: list[int]
) -> None:
    graph = one_way()
    prepared = reedsp.prepare(graph, device=device)
    searched.clear()
    monkeypatch.setattr(PreparedGraph, "_rows_at_once", lambda *_: 7)
    expected = reedsp.sssp(graph, range(60), "near-far", device=device).dist
    assert np.array_equal(prepared.distance_table(range(60), [3, 1]), expected[:, [3, 1]])
    assert max(searched) == 7
    assert np.array_equal(prepared.distances(range(60)), expected)
    assert max(searched) == 7


def test_a_table_is_searched_from_the_fewer(device: reedsp.Device, searched: list[int]) -> None:
    graph = one_way()
    prepared = reedsp.prepare(graph, device=device)
    searched.clear()
    table = reedsp.distance_table(prepared, range(60), [3, 1])
    assert searched == [2]
    assert np.array_equal(table, prepared.distance_table(range(60), [3, 1]))
