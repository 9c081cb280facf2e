"""Distances in blocks of rows, in tables, and the nearest vertices."""

from __future__ import annotations

import doctest
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest

import reedsp
from reedsp.algorithms.routes import rows as routes_rows
from reedsp.algorithms.routes import tables
from reedsp.cost_model import place
from tests.support import oracle
from tests.support.small_graphs import KINDS, graph_of

CASES = [(kind, seed) for kind in KINDS for seed in range(8)]
NONE = -9999
PAGE = Path(__file__).resolve().parents[3] / "docs" / "how-to" / "paths.md"


def rows_of(graph: reedsp.Graph, kind: str, edges: list[oracle.Edge]) -> np.ndarray:
    """Distances between all pairs; the fractional ones as they are rounded from the source on."""
    if kind == "fractional":
        rows = [oracle.left_to_right_distances(graph.n, edges, source, float) for source in range(graph.n)]
    else:
        rows = oracle.all_distances(graph.n, edges)
    return np.array([[np.inf if d is None else float(d) for d in row] for row in rows]).reshape(graph.n, graph.n)


@pytest.mark.parametrize("kind", KINDS)
def test_small_tables_on_the_host(kind: str, device: reedsp.Device, serves: None) -> None:
    """The same bytes, from both ends; negative weights are for a device, and so is what names one."""
    graph, _ = graph_of(kind, 3)
    few, many = [0, graph.n - 1], [0, 1, 0, graph.n - 1, 2 % graph.n]
    for sources, targets in ((few, many), (many, few), (few, [])):
        here, where = tables.table_and_device(graph, sources, targets)
        there, device_of_it = tables.table_and_device(graph, sources, targets, device=device)
        assert (where == place.HOST) != graph.has_negative_weights
        assert device_of_it == str(device)
        np.testing.assert_array_equal(here, there, strict=True)
    for among in (None, few):
        for one, other in zip(
            *(reedsp.k_nearest(graph, many, 2, among, device=d) for d in (None, device)), strict=True
        ):
            np.testing.assert_array_equal(one, other, strict=True)
    blocks, again = (list(reedsp.all_pairs_rows(graph, memory_limit=1, device=each)) for each in (None, device))
    assert all(np.array_equal(a, b) for (_, a), (_, b) in zip(blocks, again, strict=True))


@pytest.mark.deep("negative")
@pytest.mark.parametrize(("kind", "seed"), CASES)
def test_rows_tables_and_the_nearest(kind: str, seed: int, device: reedsp.Device) -> None:
    graph, edges = graph_of(kind, seed)
    expected = rows_of(graph, kind, edges)
    for limit in (1, 1 << 28):
        found = np.full((graph.n, graph.n), np.nan)
        for sources, rows in reedsp.all_pairs_rows(graph, memory_limit=limit, device=device):
            assert limit > 1 or len(sources) == 1
            found[sources] = rows
        assert np.array_equal(found, expected)
    rng = np.random.default_rng(seed)
    few, many = rng.integers(0, graph.n, 2), rng.integers(-graph.n, graph.n, 7)
    for sources, targets in ((few, many), (many, few), (few, few[:0]), (few[:0], few)):
        table = reedsp.distance_table(graph, sources, targets, memory_limit=200, device=device)
        assert np.array_equal(table, expected[np.ix_(sources, targets)])
    for among in (None, few, many):
        nearest = reedsp.k_nearest(graph, many, 3, among, memory_limit=200, device=device)
        for source, dist, vertices in zip(many % graph.n, *nearest, strict=True):
            allowed = set(range(graph.n)) - {int(source)} if among is None else {int(v) % graph.n for v in among}
            order = sorted((expected[source, v], v) for v in allowed if np.isfinite(expected[source, v]))
            order += [(np.inf, NONE)] * 3
            assert list(zip(dist.tolist(), vertices.tolist(), strict=True)) == order[:3]


def test_rows_are_independent_and_ordered_as_asked(device: reedsp.Device) -> None:
    graph = reedsp.Graph.from_edges(3, [0, 1], [1, 2], [2, 3])
    blocks = list(reedsp.all_pairs_rows(graph, [2, 0, -2, 0], memory_limit=50, dtype="int32", device=device))
    most = np.iinfo(np.int32).max
    assert np.concatenate([sources for sources, _ in blocks]).tolist() == [2, 0, 1, 0]
    assert np.concatenate([rows for _, rows in blocks]).tolist() == [
        [most, most, 0],
        [0, 2, 5],
        [most, 0, 3],
        [0, 2, 5],
    ]
    assert list(reedsp.all_pairs_rows(graph, [], device=device)) == []
    assert list(reedsp.all_pairs_rows(reedsp.Graph.from_edges(0, [], []), device=device)) == []


def test_memory_is_that_of_a_block(device: reedsp.Device) -> None:
    rng = np.random.default_rng(0)
    graph = reedsp.Graph.from_edges(2000, *rng.integers(0, 2000, (2, 8000)), rng.integers(1, 9, 8000))
    limit = 40 * 2000 * 16
    sizes = [len(sources) for sources, _ in reedsp.all_pairs_rows(graph, memory_limit=limit, device=device)]
    assert sum(sizes) == 2000
    assert max(sizes) <= 40


def test_nodes_of_networkx(device: reedsp.Device) -> None:
    graph = nx.DiGraph([("a", "b"), ("b", ("c",))])
    blocks = reedsp.all_pairs_rows(graph, ["b", "a"], device=device)
    assert [(sources, rows.tolist()) for sources, rows in blocks] == [(["b", "a"], [[np.inf, 0, 1], [0, 1, 2]])]
    assert reedsp.distance_table(graph, ["a"], [("c",), "a"], device=device).tolist() == [[2, 0]]
    assert reedsp.k_nearest(graph, None, 1, device=device).vertices.tolist() == [["b"], [("c",)], [None]]


def test_backwards_and_forwards_agree(device: reedsp.Device) -> None:
    rng = np.random.default_rng(5)
    graph = reedsp.Graph.from_edges(300, *rng.integers(0, 300, (2, 1200)), rng.integers(1, 9, 1200))
    every = reedsp.apsp(graph, device=device).dist
    among = rng.choice(300, 20, replace=False)
    back = reedsp.k_nearest(graph, None, 7, among, memory_limit=10_000, device=device)
    ahead = [reedsp.k_nearest(graph, [source], 7, among, device=device) for source in range(300)]
    assert np.array_equal(back.dist, np.concatenate([each.dist for each in ahead]))
    assert np.array_equal(back.vertices, np.concatenate([each.vertices for each in ahead]))
    assert np.array_equal(np.sort(every[:, among], axis=1)[:, :7], back.dist)


def test_an_error_of_a_search_backwards_names_the_pair_as_it_was_asked_for(device: reedsp.Device) -> None:
    """On a device, on the host and of a prepared graph."""
    graph = reedsp.Graph.from_edges(4, [0, 1, 2], [1, 2, 3], [2**53 + 1, 0, 2**20])
    for asked, given in ((graph, device), (graph, None), (reedsp.prepare(graph, device=device), None)):
        with pytest.raises(ValueError, match=r"^dist\[0, 2\] = 9007199254740993 has no exact float64 value"):
            reedsp.distance_table(asked, [3, 0, 1], [2], device=given)
        with pytest.raises(OverflowError, match=r"^dist\[0, 2\] = 9007199254740993 is outside int32"):
            reedsp.k_nearest(asked, [3, 0, 1], 1, among=[2], dtype="int32", device=given)
        rows = reedsp.distance_table(asked, [3, 0, 1], [2], dtype="int64", device=given)
        assert rows.ravel().tolist() == [2**63 - 1, 2**53 + 1, 0]
        assert reedsp.distance_table(asked, [3, 1, 2], [2, 3], device=given).tolist() == [
            [np.inf, 0],
            [0, 2**20],
            [0, 2**20],
        ]
    beyond = reedsp.Graph.from_edges(3, [0, 1], [1, 2], [2**62, 2**62])
    with pytest.raises(OverflowError, match="the distance from vertex 0 to vertex 2 is beyond int64"):
        reedsp.distance_table(beyond, [0, 1], [2], device=device)


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
@pytest.mark.parametrize("factor", [1, 2**24])
def test_types_of_what_is_searched_backwards(dtype: Any, factor: int, device: reedsp.Device) -> None:
    rng = np.random.default_rng(6)
    graph = reedsp.Graph.from_edges(40, *rng.integers(0, 40, (2, 90)), factor * rng.integers(1, 9, 90))
    expected = reedsp.apsp(graph, dtype=dtype, device=device).dist[:, [7, 5]]
    table = reedsp.distance_table(graph, range(40), [7, 5], dtype=dtype, device=device)
    np.testing.assert_array_equal(table, expected, strict=True)


def test_negative_cycles(device: reedsp.Device) -> None:
    for weights in ([-2, 1], [-2.5, 1.25]):
        graph = reedsp.Graph.from_edges(2, [0, 1], [1, 0], weights)
        for use in (
            lambda g=graph: list(reedsp.all_pairs_rows(g, device=device)),
            lambda g=graph: reedsp.distance_table(g, [0], [1], device=device),
            lambda g=graph: reedsp.k_nearest(g, [0], 1, device=device),
        ):
            with pytest.raises(reedsp.NegativeCycleError):
                use()


def test_arguments(device: reedsp.Device) -> None:
    graph = reedsp.Graph.from_edges(2, [0], [1])
    with pytest.raises(ValueError, match=r"sources\[1\] = 2"):
        reedsp.all_pairs_rows(graph, [0, 2], device=device)  # at the call, before the first block
    with pytest.raises(ValueError, match=r"targets\[0\] = 5"):
        reedsp.distance_table(graph, [0], [5], device=device)
    with pytest.raises(ValueError, match=r"among\[0\] = 5"):
        reedsp.k_nearest(graph, [0], 1, [5], device=device)
    with pytest.raises(ValueError, match="k = -1"):
        reedsp.k_nearest(graph, [0], -1, device=device)
    with pytest.raises(MemoryError, match=r"^k = 2147483647: the result takes 25,769,803,764,000 bytes, the host has "):
        reedsp.k_nearest(graph, [0] * 1000, 2**31 - 1, device=device)
    assert reedsp.k_nearest(graph, [0], 0, device=device).dist.shape == (1, 0)
    for weight in (1, 0.5, -1):
        none = reedsp.k_nearest(reedsp.Graph.from_edges(2, [0], [1], [weight]), None, 1, [], device=device)
        assert (none.dist.tolist(), none.vertices.tolist()) == ([[np.inf], [np.inf]], [[-9999], [-9999]])
    for use in (
        lambda: reedsp.all_pairs_rows(graph, memory_limit=0, device=device),
        lambda: reedsp.distance_table(graph, [0], [1], memory_limit=0, device=device),
        lambda: reedsp.k_nearest(graph, [0], 1, memory_limit=-1, device=device),
    ):
        with pytest.raises(ValueError, match="memory_limit"):
            use()


@pytest.mark.parametrize("method", ["johnson", "floyd-warshall", "min-plus"])
def test_an_array_for_all_pairs(method: str, device: reedsp.Device) -> None:
    graph = reedsp.Graph.from_edges(70, np.arange(69), np.arange(1, 70), np.arange(69))
    expected = reedsp.apsp(graph, method, device=device).dist
    wide = np.full((70, 140), -1, np.int64)
    for out in (np.empty((70, 70)), wide[:, ::2]):
        paths = reedsp.apsp(graph, method, predecessors=True, out=out, device=device)
        assert paths.dist is out
        assert np.array_equal(np.where(out == np.iinfo(np.int64).max, np.inf, out), expected)
        assert paths.path(3, 5) == [3, 4, 5]
    assert (wide[:, 1::2] == -1).all()
    none = np.empty((0, 0))
    assert reedsp.apsp(reedsp.Graph.from_edges(0, [], []), out=none, device=device).dist is none


def test_arrays_that_do_not_fit(device: reedsp.Device) -> None:
    graph = reedsp.Graph.from_edges(2, [0], [1])
    fixed = np.empty((2, 2))
    fixed.flags.writeable = False
    for out, dtype, words in (
        (np.empty((2, 3)), None, r"out has shape \(2, 3\)"),
        (np.empty((2, 2)), "int32", "expected .* and int32"),
        (np.empty((2, 2), np.int16), None, "dtype = int16"),
        (fixed, None, "out is read-only"),
    ):
        with pytest.raises(ValueError, match=words):
            reedsp.apsp(graph, out=out, dtype=dtype, device=device)


def test_docstring_examples(device: reedsp.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REEDSP_DEVICE", str(device.name))
    for module in (routes_rows, tables):
        assert doctest.testmod(module, raise_on_error=True).attempted > 3


@pytest.mark.parametrize("text", [PAGE.read_text(encoding="utf-8"), str(reedsp.all_pairs_rows.__doc__)])
def test_what_is_shown_of_rows_holds_where_names_are_other_indices(
    text: str, device: reedsp.Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REEDSP_DEVICE", str(device.name))
    shown = doctest.DocTestParser().get_examples(text.replace("```", ""))
    first = next(number for number, each in enumerate(shown) if "all_pairs_rows" in each.source)
    made = [each for each in shown[:first] if not each.want]
    backwards = "reedsp.Graph(graph.indptr, graph.indices, graph.weights, labels=list(range(graph.n))[::-1])"
    examples = [*made, doctest.Example(f"graph = {backwards}\n", ""), *shown[first:]]
    doctest.DebugRunner().run(doctest.DocTest(examples, {}, "rows", None, None, text))


@pytest.mark.parametrize("last", [1, -1])
def test_distances_that_nobody_asked_for_may_be_beyond_the_type(last: int, device: reedsp.Device) -> None:
    large, none = 2**31 - 10, 2**31 - 1
    graph = reedsp.Graph.from_edges(5, [0, 1, 2, 3], [1, 2, 3, 4], [large, large, 5, last])
    asked = {"dtype": "int32", "device": device}
    assert reedsp.distance_table(graph, [0, 2], [1], **asked).tolist() == [[large], [none]]
    assert reedsp.distance_table(graph, [2], [1, 3, 4], **asked).tolist() == [[none, 5, 5 + last]]
    assert reedsp.k_nearest(graph, [0], 1, [1], **asked).dist.tolist() == [[large]]
    with pytest.raises(OverflowError, match=rf"^dist\[0, 2\] = {2 * large} is outside int32"):
        reedsp.distance_table(graph, [0], [1, 2], **asked)


def test_nearest_vertices_are_compared_as_objects(device: reedsp.Device) -> None:
    graph = reedsp.Graph.from_edges(3, [0, 0], [1, 2], [7, 2])
    one, other = (reedsp.k_nearest(graph, [0], 2, device=device) for _ in range(2))
    assert one == one
    assert one != other
    assert len({one, other, one}) == 2
    dist, vertices = one
    assert (dist is one.dist, vertices is one.vertices) == (True, True)
