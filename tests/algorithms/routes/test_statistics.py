"""Eccentricities, sums of distances and closeness, on the host, devices, several of them and prepared graphs."""

from __future__ import annotations

import contextlib
import doctest
import threading
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import networkx as nx
import numpy as np
import pytest

import reedsp
from reedsp.algorithms import rows
from reedsp.algorithms.routes import statistics
from reedsp.algorithms.single_source import near_far, sssp
from reedsp.algorithms.traversal import bfs, source_a_group
from reedsp.cost_model import choose_search, contraction, place
from reedsp.cost_model.searches import Searches
from reedsp.device.job import Job
from reedsp.edges.statistics import RowStatistics
from reedsp.results import statistics as results
from tests.edges.test_statistics import sum_of_lanes
from tests.support import oracle
from tests.support.machines import H200
from tests.support.small_graphs import KINDS, graph_of

CASES = [(kind, seed) for kind in KINDS for seed in range(8)]


def check(found: reedsp.DistanceStatistics, rows: list[list[float | None]], integral: bool) -> None:
    reached = [[dist for dist in row if dist is not None] for row in rows]
    assert found.reached.tolist() == list(map(len, reached))
    assert found.eccentricity.tolist() == [float(max(row)) for row in reached]
    totals = [sum(row) if integral else sum_of_lanes([float(dist or 0) for dist in row]) for row in map(filled, rows)]
    assert found.farness.tolist() == totals
    assert found.farness.dtype == (np.int64 if integral else np.float64)


def filled(row: list[float | None]) -> list[Any]:
    return [0 if dist is None else dist for dist in row]


def rows_of(graph: reedsp.Graph, kind: str, edges: list[oracle.Edge]) -> list[list[float | None]]:
    if kind == "fractional":
        rows = (oracle.left_to_right_distances(graph.n, edges, source, float) for source in range(graph.n))
        return [[None if dist == np.inf else dist for dist in row] for row in rows]
    return oracle.all_distances(graph.n, edges)


@pytest.mark.deep
@pytest.mark.parametrize(("kind", "seed"), CASES)
def test_statistics_are_those_of_the_rows(kind: str, seed: int, device: reedsp.Device) -> None:
    graph, edges = graph_of(kind, seed)
    integral = bool(graph.has_integral_weights)
    rows = rows_of(graph, kind, edges)
    ways: list[Any] = [device, [device], [device, device], [device] * 3]
    for way in ways:
        check(reedsp.distance_statistics(graph, device=way), rows, integral)
    if not graph.has_negative_weights and kind != "fractional":
        check(reedsp.distance_statistics(reedsp.prepare(graph, device=device)), rows, integral)
    hops = oracle.all_distances(graph.n, [(u, v, 1) for u, v, _ in edges])
    for way in ways:
        found = reedsp.distance_statistics(graph, unweighted=True, device=way)
        check(found, hops, integral=True)
        assert found.eccentricity.dtype == np.int32
    rng = np.random.default_rng(seed)
    some = rng.integers(-graph.n, graph.n, 5)
    check(reedsp.distance_statistics(graph, some, device=device), [rows[each] for each in some], integral)


def test_rows_of_several_parts(device: reedsp.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of near-far, of a prepared graph, and of levels by a work-group a source."""
    rng = np.random.default_rng(9)
    n = 60
    graph = reedsp.Graph.from_edges(n, [*range(n)] * 2, [*range(1, n), 0, *rng.integers(0, n, n)], range(1, 2 * n + 1))
    dist, levels = reedsp.apsp(graph, dtype="int64").dist, reedsp.bfs(graph, range(n)).levels
    monkeypatch.setattr(near_far, "rows_at_once", lambda *_: 7)
    monkeypatch.setattr(reedsp.PreparedGraph, "_rows_at_once", lambda *_: 7)
    monkeypatch.setattr(source_a_group, "rows_at_once", lambda *_: 7)
    for asked in (graph, reedsp.prepare(graph, device=device)):
        found = reedsp.distance_statistics(asked, device=device)
        assert found.farness.tolist() == dist.sum(axis=1).tolist()
        assert found.eccentricity.tolist() == dist.max(axis=1).tolist()
    rows = RowStatistics.empty(n, np.dtype(np.int32))
    source_a_group.search_rows(graph, range(n), None, Job(device), None, statistics=rows)
    assert rows.total.tolist() == levels.sum(axis=1).tolist()
    assert rows.farthest.tolist() == levels.max(axis=1).tolist()


@pytest.mark.parametrize("fractional", [False, True])
def test_the_host_and_devices_that_cannot_add_give_the_same_bytes(
    fractional: bool, device: reedsp.Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(3)
    n, m = 700, 2000
    weights = rng.random(m) if fractional else rng.integers(1, 99, m)
    graph = reedsp.Graph.from_edges(n, *rng.integers(0, n, (2, m)), weights)
    expected = reedsp.distance_statistics(graph, device=device)
    hops = reedsp.distance_statistics(graph, unweighted=True, device=device)
    assert expected.device == hops.device == str(device)

    def check_same(found: reedsp.DistanceStatistics, other: reedsp.DistanceStatistics) -> None:
        for name in ("reached", "eccentricity", "farness"):
            assert getattr(found, name).tobytes() == getattr(other, name).tobytes()

    monkeypatch.setattr(sssp, "_ROWS_BYTES", 100 * n * 8)  # several blocks
    for module, name in ((sssp, "adds_up"), (statistics, "adds_up"), (bfs, "adds_up_levels")):
        monkeypatch.setattr(module, name, lambda *_: False)
    done: list[tuple[int, int]] = []
    check_same(reedsp.distance_statistics(graph, device=device, progress=lambda *report: done.append(report)), expected)
    assert done[-1] == (n, n)
    assert done == sorted(done)
    check_same(reedsp.distance_statistics(graph, unweighted=True, device=device), hops)
    if not fractional:
        check_same(reedsp.distance_statistics(reedsp.prepare(graph, device=device)), expected)
    monkeypatch.setattr(place, "_serves", True)
    on_host = choose_search.Choice(("dijkstra",), "it was said so", 0.0)
    for name in ("shortest_paths_on_host", "levels_on_host"):
        monkeypatch.setattr(choose_search, name, lambda *_: on_host)
    for unweighted, other in ((False, expected), (True, hops)):
        here = reedsp.distance_statistics(graph, unweighted=unweighted)
        assert here.device == place.HOST
        check_same(here, other)


def test_road_networks_are_prepared_once_for_several_devices(
    device: reedsp.Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(contraction, "may_pay", lambda *_: True)
    monkeypatch.setattr(contraction, "pays", lambda asked, known: asked.rows == 40)
    graph = reedsp.Graph.from_edges(40, range(40), [*range(1, 40), 0], range(1, 41), directed=False)
    expected = reedsp.apsp(graph, dtype="int64").dist
    found = reedsp.distance_statistics(graph, device=[device, device])
    assert list(graph._derived["hierarchies"]) == [device]
    assert found.farness.tolist() == expected.sum(axis=1).tolist()
    assert reedsp.distance_statistics(graph, device=device).farness.tolist() == found.farness.tolist()


def test_names_and_closeness(device: reedsp.Device) -> None:
    rng = np.random.default_rng(5)
    G = nx.DiGraph()
    G.add_nodes_from("abcdefghij")
    for u, v in rng.integers(0, 9, (25, 2)).tolist():
        G.add_edge("abcdefghij"[u], "abcdefghij"[v], weight=int(rng.integers(1, 9)))
    backwards = reedsp.distance_statistics(G.reverse(), device=device)
    assert backwards.sources == list(G)
    expected = nx.closeness_centrality(G, distance="weight", backend="networkx")
    assert dict(zip(backwards.sources, backwards.closeness.tolist(), strict=True)) == pytest.approx(expected, abs=1e-15)
    assert backwards.closeness[9] == 0
    some = reedsp.distance_statistics(G, ["c", "a", "c"], unweighted=True, device=device)
    assert some.sources == ["c", "a", "c"]
    assert some.eccentricity[1] == max(nx.single_source_shortest_path_length(G, "a", backend="networkx").values())
    alone = reedsp.distance_statistics(reedsp.Graph.from_edges(1, [], []), device=device)
    assert (alone.closeness.tolist(), alone.reached.tolist(), alone.farness.tolist()) == ([0], [1], [0])
    pair = reedsp.distance_statistics(reedsp.Graph.from_edges(2, [0], [1]), device=device)
    assert (pair.closeness.tolist(), pair.farness.tolist()) == ([1, 0], [1, 0])
    many = reedsp.distance_statistics(reedsp.Graph.from_edges(12, [0], [1]), device=device)
    assert [name for name, _ in many.most_central()] == [*range(10)]
    assert many.closeness[0] == 1 / 11
    assert repr(alone) == f"DistanceStatistics(1 sources of {alone.graph!r}, on {device})"


def test_levels_are_added_up_where_they_are_found(device: reedsp.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bfs, "add_up_on_host", lambda *_: pytest.fail("they were copied"))
    graph = reedsp.Graph.from_edges(70, range(70), [*range(1, 70), 0])
    found = reedsp.distance_statistics(graph, unweighted=True, device=device)
    assert found.farness.tolist() == [sum(range(70))] * 70


def test_how_and_why(device: reedsp.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    ends = range(40), [*range(1, 40), 0]
    plain = reedsp.Graph.from_edges(40, *ends, range(1, 41))
    lowered = reedsp.Graph.from_edges(40, *ends, [-1, *range(2, 41)])
    fractional = reedsp.Graph.from_edges(40, *ends, [-0.5, *range(2, 41)])
    path, search = reedsp.sssp(fractional, [0, 1], device=device), reedsp.bfs(plain, [0, 1], device=device)
    for graph, options, method, because in (
        (plain, {}, "near-far", "none of the weights is negative, and "),
        (plain, {"unweighted": True}, search.method, search.stats["chosen_because"]),
        (reedsp.prepare(plain, device=device), {}, "contraction-hierarchy", "the graph was prepared"),
        (lowered, {}, "johnson", "potentials make negative weights positive"),
        (fractional, {}, path.method, path.stats["chosen_because"]),
    ):
        found = reedsp.distance_statistics(graph, [0, 1], device=device, **options)
        assert found.method == method
        assert found.stats["chosen_because"].startswith(because)
        assert found.stats["kernels_launched"] > 0
    several = reedsp.distance_statistics(plain, device=[device, device])
    assert (several.method, several.device) == ("near-far", str(device))
    monkeypatch.setattr(place, "_serves", True)
    host = reedsp.distance_statistics(plain, [0])
    assert (host.method, host.device, host.stats["kernels_launched"]) == ("dijkstra", place.HOST, 0)
    assert host.stats["chosen_because"].endswith(" are expected on the host, and no device begins sooner")
    monkeypatch.setattr(contraction, "may_pay", lambda *_: True)
    monkeypatch.setattr(contraction, "pays", lambda *_: True)
    unseen = reedsp.Graph.from_edges(40, *ends, range(1, 41))
    auto = reedsp.distance_statistics(unseen, device=device)
    assert (auto.method, auto.stats["chosen_because"]) == ("contraction-hierarchy", "it pays to prepare the graph")


@pytest.mark.parametrize(("weight", "shown"), [(2, "2"), (2.5, "2.5")])
def test_tables(weight: float, shown: str, device: reedsp.Device, tmp_path: Path) -> None:
    graph = reedsp.Graph.from_edges(3, [0, 1], [1, 2], [weight, weight], labels=["a", "b", "c"], directed=False)
    found = reedsp.distance_statistics(graph, ["c", "b", "a"], device=device)
    found.save(tmp_path / "found.csv")
    assert (tmp_path / "found.csv").read_text().splitlines()[:3] == [
        "vertex,reached,eccentricity,farness,closeness",
        f"c,3,{found.farness.dtype.type(2 * weight)},{found.farness[0]},{2 / (3 * weight)}",
        f"b,3,{shown},{found.farness[1]},{1 / weight}",
    ]
    assert found.most_central(2) == [("b", 1 / weight), ("c", 2 / (3 * weight))]
    assert found.most_central(0) == []
    for count in (1.5, None, "2"):
        with pytest.raises(TypeError, match=r"^count: expected an integer, got "):
            found.most_central(count)  # type: ignore[arg-type]
    assert [name for name, _ in found.most_central(9)] == ["b", "c", "a"]


def test_types(device: reedsp.Device) -> None:
    graph = reedsp.Graph.from_edges(3, [0, 1], [1, 2], [2**30, 2**31])
    for dtype in ("float64", "float32", "int64"):
        found = reedsp.distance_statistics(graph, [0, 2], dtype=dtype, device=device)
        assert found.eccentricity.dtype == dtype
        assert (found.eccentricity.tolist(), found.farness.tolist()) == ([3 * 2**30, 0], [2**32, 0])
    with pytest.raises(OverflowError, match="outside int32"):
        reedsp.distance_statistics(graph, dtype="int32", device=device)
    far = reedsp.Graph.from_edges(4, [0, 0, 0], [1, 2, 3], [2**62, 2**62, 1])
    with pytest.raises(
        OverflowError, match=f"^the distances from vertex 0 add up to {2**63 + 1}, which is beyond int64"
    ):
        reedsp.distance_statistics(far, [3, 0], device=device)
    star = reedsp.Graph.from_edges(10, [0] * 9, range(1, 10), [2**60] * 9)
    with pytest.raises(
        OverflowError, match=f"^the distances from vertex 0 add up to {9 * 2**60}, which is beyond int64"
    ):
        reedsp.distance_statistics(reedsp.prepare(star, device=device), [3, 0], device=device)
    falls = reedsp.Graph.from_edges(4, [0, 0, 1], [1, 2, 3], [2**62, 2**62, -1])
    with pytest.raises(OverflowError, match=f"^the distances from vertex 0 add up to {3 * 2**62 - 1}, which is beyond"):
        reedsp.distance_statistics(falls, [3, 0], dtype="int64", device=device)
    empty: list[int] = []
    for way in (device, [device, device]):
        for unweighted in (False, True):
            none = reedsp.distance_statistics(graph, empty, unweighted=unweighted, device=way)
            assert (len(none.reached), len(none.eccentricity), len(none.farness)) == (0, 0, 0)
            nothing = reedsp.distance_statistics(reedsp.Graph.from_edges(0, [], []), unweighted=unweighted, device=way)
            assert nothing.sources == []
            assert all((each.method, each.device) != ("", "") for each in (none, nothing))


def test_progress_of_several_devices(device: reedsp.Device) -> None:
    graph = reedsp.Graph.from_edges(50, range(50), [*range(1, 50), 0])
    done: list[tuple[int, int]] = []
    reedsp.distance_statistics(graph, device=[device, device], progress=lambda *report: done.append(report))
    assert done[-1] == (50, 50)
    assert done == sorted(done)
    with pytest.raises(ZeroDivisionError):
        reedsp.distance_statistics(graph, device=[device, device], progress=lambda *report: 1 // 0)


def test_one_device_that_fails_stops_the_others(device: reedsp.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = reedsp.Graph.from_edges(50, range(50), [*range(1, 50), 0])
    begun, stopped = threading.Event(), []

    def measured(question: Any, asked: Any, sources: Any, chosen: Any, report: Any) -> Any:
        if 0 in sources:
            assert begun.wait(60)
            raise reedsp.DeviceError("lost")
        begun.set()
        while True:
            try:
                report(1, 2)
            except Exception as error:
                stopped.append(error)
                raise

    monkeypatch.setattr(statistics, "measured_on", measured)
    with pytest.raises(reedsp.DeviceError, match="lost"):
        reedsp.distance_statistics(graph, device=[device, device])
    assert len(stopped) == 1


def unlike(device: reedsp.Device) -> reedsp.Device:
    """Return the same device by another name."""
    other = object.__new__(type(device))
    vars(other).update(vars(device), name="another one")
    return other


def test_what_each_device_takes(device: reedsp.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """A part if they are alike, and the next of several when it has time if they are not."""
    graph = reedsp.Graph.from_edges(50, range(50), [*range(1, 50), 0])
    parts: list[int] = []
    reports: list[tuple[int, int]] = []

    def measured(question: Any, asked: Any, sources: Any, chosen: Any, report: Any) -> Any:
        parts.append(len(sources))
        report(min(2, len(sources)), len(sources))
        return statistics.Measured(
            statistics.RowStatistics.empty(len(sources), np.dtype(np.int32)), "it", "by", "so", 1
        )

    monkeypatch.setattr(statistics, "measured_on", measured)
    ask = partial(reedsp.distance_statistics, graph, progress=lambda *report: reports.append(report))
    ask(device=[device, device])
    assert sorted(parts) == [25, 25]
    assert set(reports) <= {(0, 50), (2, 50), (4, 50), (25, 50), (27, 50), (50, 50)}
    assert reports[-1] == (50, 50)
    parts.clear()
    ask(range(2), device=[device, device])
    assert parts == [1, 1]
    parts.clear()
    ask(device=[device, unlike(device)])
    assert sorted(parts) == [1, *[7] * 7]


def test_progress_is_that_of_all_devices(device: reedsp.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = reedsp.Graph.from_edges(50, range(50), [*range(1, 50), 0])
    reports: list[tuple[int, int]] = []
    seen, both = threading.Event(), threading.Barrier(2)

    def noted(done: int, most: int) -> None:
        reports.append((done, most))
        if done == 8:
            seen.set()

    def measured(question: Any, asked: Any, sources: Any, chosen: Any, report: Any) -> Any:
        report(3 + 2 * int(0 in sources), len(sources))
        both.wait(60)
        assert seen.wait(60)
        return statistics.Measured(
            statistics.RowStatistics.empty(len(sources), np.dtype(np.int32)), "it", "by", "so", 1
        )

    monkeypatch.setattr(statistics, "measured_on", measured)
    reedsp.distance_statistics(graph, device=[device, unlike(device)], progress=noted)
    assert (8, 50) in reports
    assert reports[-1] == (50, 50)


def test_no_part_is_begun_after_a_failure(device: reedsp.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = reedsp.Graph.from_edges(50, range(50), [*range(1, 50), 0])
    begun: list[int] = []
    both = threading.Barrier(2)

    def measured(question: Any, asked: Any, sources: Any, chosen: Any, report: Any) -> Any:
        begun.append(int(sources[0]))
        if len(begun) > 2:
            raise AssertionError
        both.wait(60)
        if 0 in sources:
            raise reedsp.DeviceError("lost")
        with contextlib.suppress(statistics._StoppedError):
            while True:
                report(1, 7)
        return None

    monkeypatch.setattr(statistics, "measured_on", measured)
    with pytest.raises(reedsp.DeviceError, match="lost"):
        reedsp.distance_statistics(graph, device=[device, unlike(device)])
    assert len(begun) == 2


def test_rows_that_are_copied_come_in_blocks(device: reedsp.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    graph, edges = graph_of("negative", 5)
    monkeypatch.setattr(statistics, "MEMORY_LIMIT", 1)
    done: list[tuple[int, int]] = []
    found = reedsp.distance_statistics(graph, device=device, progress=lambda *report: done.append(report))
    check(found, oracle.all_distances(graph.n, edges), integral=True)
    assert done == [(number, graph.n) for number in range(1, graph.n + 1)]
    assert graph.n > 2


def test_edges_are_counted_without_a_hierarchy(device: reedsp.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contraction, "may_pay", lambda *_: True)
    monkeypatch.setattr(contraction, "pays", lambda *_: True)
    graph = reedsp.Graph.from_edges(40, range(40), [*range(1, 40), 0], range(1, 41))
    reedsp.distance_statistics(graph, unweighted=True, device=[device, device])
    assert "hierarchies" not in graph._derived
    negative = reedsp.Graph.from_edges(3, [0, 1, 2], [1, 2, 0], [4, -1, 2])
    assert reedsp.distance_statistics(negative, device=[device, device]).farness.tolist() == [7, 0, 8]


def test_a_prepared_graph_is_asked_where_it_is(device: reedsp.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    prepared = reedsp.prepare(reedsp.Graph.from_edges(3, [0, 1, 2], [1, 2, 0], [4, 1, 2]), device=device)
    monkeypatch.setattr(rows, "get_device", lambda _: SimpleNamespace(handle=None))
    with pytest.raises(ValueError, match="the graph is prepared on"):
        reedsp.distance_statistics(prepared, device=device)


def test_bad_input(device: reedsp.Device) -> None:
    graph = reedsp.Graph.from_edges(3, [0, 1, 2], [1, 2, 0], [1, 2, -4])
    with pytest.raises(reedsp.NegativeCycleError):
        reedsp.distance_statistics(graph, device=device)
    positive = reedsp.Graph.from_edges(3, [0, 1, 2], [1, 2, 0], [1, 2, 4])
    for call, error, message in (
        (lambda: reedsp.distance_statistics(positive, [0, 3], device=device), ValueError, r"sources\[1\] = 3 is not a"),
        (lambda: reedsp.distance_statistics(positive, [0, 1.5], device=device), TypeError, r"sources\[1\]"),
        (lambda: reedsp.distance_statistics(positive, 0, device=device), TypeError, "sources: expected several"),  # type: ignore[arg-type]
        (lambda: reedsp.distance_statistics(positive, device=[]), ValueError, "device: the list is empty"),
        (
            lambda: reedsp.distance_statistics(positive, [], device=[0, "nope"]),
            reedsp.DeviceError,
            r"device\[1\] = 'nope'",
        ),
        (lambda: reedsp.distance_statistics(positive, device=b"0"), TypeError, "device: expected .*, got bytes"),  # type: ignore[arg-type]
        (
            lambda: reedsp.distance_statistics(positive, np.array([[0]])),
            ValueError,
            "^sources has 2 dimensions, expected 1",
        ),
        (
            lambda: reedsp.distance_statistics(positive, unweighted=True, dtype="int32", device=device),
            ValueError,
            "dtype = 'int32': numbers of edges are of int32",
        ),
        (
            lambda: reedsp.distance_statistics(reedsp.prepare(positive, device=device), device=[device] * 2),
            ValueError,
            "the graph is prepared on .*, and not on several devices",
        ),
        (lambda: reedsp.distance_statistics(positive, dtype="uint8", device=device), ValueError, "dtype = uint8"),
    ):
        with pytest.raises(error, match=message):
            call()


def test_what_is_expected(device: reedsp.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(8)
    n = 4000
    graph = reedsp.Graph.from_edges(n, *rng.integers(0, n, (2, 3 * n)), rng.integers(1, 9, 3 * n))
    estimate = partial(reedsp.estimate, graph, "distance_statistics")
    found = estimate(device=device)
    assert found.method in ("near-far", "near-far-local")
    assert found.low < found.seconds < found.high
    assert found.host_bytes == n * 24
    assert found.device_bytes > 0
    fewer = estimate(range(900), device=device).seconds
    assert found.seconds > (4 if device.kind == "cpu" else 1) * fewer > 0  # what a call takes anyway is a part of it
    assert estimate(device=[device, device]).seconds == found.seconds  # one that is named twice is one
    levels = estimate(unweighted=True, device=device)
    assert levels.host_bytes == n * 20
    assert levels.method == reedsp.estimate(graph, "bfs", range(n), device=device).method
    shared = estimate(workers=2, device=device)
    assert shared.host_bytes == n * 24
    assert "2 workers share out 8 tasks" in shared.because
    assert estimate([], workers=2, device=device).seconds == estimate([], device=device).seconds
    with pytest.raises(TypeError, match="out: there are no rows"):
        estimate(workers=2, out="x.zarr")
    with pytest.raises(ValueError, match=r"sources\[0\]"):
        estimate([n])
    prepared = reedsp.prepare(reedsp.Graph.from_edges(n, range(n), [*range(1, n), 0]), device=device)
    known = reedsp.estimate(prepared, "distance_statistics")  # type: ignore[arg-type]
    assert (known.method, known.because) == ("contraction-hierarchy", "the graph was prepared")
    assert known.seconds < found.seconds
    negative = reedsp.Graph.from_edges(3, [0, 1, 2], [1, 2, 0], [4, -1, 2])
    assert reedsp.estimate(negative, "distance_statistics", device=device).method == "johnson"
    halves = reedsp.Graph.from_edges(3, [0, 1, 2], [1, 2, 0], [4, -1.5, 2])
    assert reedsp.estimate(halves, "distance_statistics", device=device).method != "johnson"
    monkeypatch.setattr(contraction, "may_pay", lambda *_: True)
    monkeypatch.setattr(contraction, "pays", lambda *_: True)
    assert estimate(device=device).because == "it pays to prepare the graph"
    monkeypatch.setattr(place, "_serves", True)
    assert reedsp.estimate(negative, "distance_statistics").method == "johnson"
    assert reedsp.estimate(negative, "distance_statistics", unweighted=True).method == "dijkstra"
    small = reedsp.Graph.from_edges(3, [0, 1, 2], [1, 2, 0], [4, 1, 2])
    assert reedsp.estimate(small, "distance_statistics").device_bytes == 0


def test_what_a_gpu_is_expected_to_take(device: reedsp.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statistics.families, "known", lambda _: H200)
    n = 900
    graph = reedsp.Graph.from_edges(n, range(n), [*range(1, n), 0], directed=False)
    asked = Searches(n, 2 * n, False, n, "int32", 8, stays=True)
    result = np.dtype(np.float64)

    def seconds(graph: Any) -> float:
        of = graph.graph if isinstance(graph, reedsp.PreparedGraph) else graph
        return statistics.expected(statistics.Question(of, result, False), graph, of.n, device)[0].seconds

    swept = contraction.swept(asked, H200)
    assert seconds(reedsp.prepare(graph, device=device)) == swept
    assert swept < contraction.swept(asked._replace(stays=False), H200)
    assert seconds(graph) == pytest.approx(choose_search.seconds_on(asked, H200, "near-far"))
    negative = reedsp.Graph.from_edges(n, range(n - 1), range(1, n), [-1] * (n - 1))
    as_rows = Searches(n, n - 1, True, n, "int32", 8)
    assert seconds(negative) == pytest.approx(choose_search.seconds_on(as_rows, H200, "near-far"))
    monkeypatch.setattr(contraction, "may_pay", lambda *_: True)
    monkeypatch.setattr(contraction, "pays", lambda searched, known: not searched.stays)
    assert seconds(graph) == pytest.approx(contraction.contracting(2 * n, H200) + swept)


def test_a_call_that_takes_long_says_so(device: reedsp.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[tuple[str, float, str]] = []
    monkeypatch.setattr(statistics, "announce_long", lambda *what: said.append(what))
    monkeypatch.setattr(statistics, "_LONG", 2 * 6)
    graph = reedsp.Graph.from_edges(3, [0, 1, 2], [1, 2, 0], [4, 1, 2])
    reedsp.distance_statistics(graph, [0, 2], device=device)
    assert said == [("distance_statistics", said[0][1], "near-far")]
    reedsp.distance_statistics(graph, device=device, progress=False)
    reedsp.distance_statistics(graph, [1], device=device)
    assert len(said) == 1
    asked: list[tuple[int, Any]] = []
    choice = choose_search.Choice(("near-far",), "", 9.0)

    def noted(question: Any, graph: Any, rows: int, of: Any, *, may_be_host: bool) -> Any:
        asked.append((rows, of))
        return choice, None, None

    monkeypatch.setattr(statistics, "expected", noted)
    reedsp.distance_statistics(graph, device=[device, device])
    assert asked == [(3, device)]  # one that is named twice is one
    assert said[1] == ("distance_statistics", 9.0, "near-far")
    monkeypatch.setattr(statistics, "_LONG", 3 * 6 + 1)
    reedsp.distance_statistics(graph, device=device)
    assert len(asked) == 1


def test_examples() -> None:
    for module in (statistics, results):
        assert doctest.testmod(module).failed == 0
