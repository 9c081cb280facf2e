"""Maximum flows: SciPy's flow, networkx' value, every cut of small graphs, and faults that a proof finds."""

from __future__ import annotations

import dataclasses
import itertools
import math
from functools import partial
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
import scipy.sparse
from scipy.sparse.csgraph import maximum_flow as scipy_flow

import reedsp
from reedsp.algorithms.structure.flow import dinic, maximum_flow, on_host, push_relabel
from reedsp.algorithms.structure.flow.capacities import Found, Network
from reedsp.algorithms.structure.flow.selfcheck import finds_known_flow
from reedsp.cost_model import place
from reedsp.device.device import Device
from reedsp.device.job import Job, Launched, recording

METHODS = ("dinic", "push-relabel")
INT64 = np.iinfo(np.int64).max


@pytest.fixture(params=["", "budgets"])
def small_steps(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything in one launch, or as little at a time as there can be, with hubs among small vertices."""
    if request.param:
        monkeypatch.setattr(dinic, "_PART", 3)
        monkeypatch.setattr(dinic, "_FIRST_BUDGET", 1)
        monkeypatch.setattr(dinic, "Pace", lambda first: ConstantPace())
        monkeypatch.setattr(push_relabel, "_HUB", 4)
        monkeypatch.setattr(push_relabel, "_FEWEST_ROUNDS", 2)


class ConstantPace:
    """Leaves the budget at one."""

    amount = 1

    def begin(self) -> None:
        """Do nothing."""

    def adapt(self) -> None:
        """Do nothing."""


def random_graph(rng: np.random.Generator, most: int = 9, factor: int = 1) -> reedsp.Graph:
    n, m = int(rng.integers(2, most)), int(rng.integers(0, 5 * most))
    return reedsp.Graph.from_edges(
        n,
        rng.integers(0, n, m),
        rng.integers(0, n, m),
        rng.integers(0, 7, m) * factor,
        directed=bool(rng.integers(0, 4)),
    )


def least_cut(graph: reedsp.Graph, source: int, sink: int) -> tuple[int, set[int]]:
    """Return the capacity of the smallest cut, and the smallest source side of those that have it, of all there are."""
    ends = list(zip(np.repeat(np.arange(graph.n), np.diff(graph.indptr)).tolist(), graph.indices.tolist(), strict=True))
    weights = [int(weight) for weight in graph.weights]
    others = [vertex for vertex in range(graph.n) if vertex not in (source, sink)]
    best: tuple[int, int, set[int]] | None = None
    for size in range(len(others) + 1):
        for chosen in itertools.combinations(others, size):
            side = {source, *chosen}
            total = sum(w for (tail, head), w in zip(ends, weights, strict=True) if tail in side and head not in side)
            if best is None or (total, size) < best[:2]:
                best = (total, size, side)
    assert best is not None
    return best[0], best[2]


@pytest.mark.deep
@pytest.mark.parametrize("factor", [1, 1 << 33], ids=["int32", "int64"])
@pytest.mark.parametrize("method", METHODS)
def test_every_cut_of_small_graphs(method: Any, factor: int, device: Device, small_steps: None) -> None:
    rng = np.random.default_rng(factor % 1000)
    for _ in range(25):
        graph = random_graph(rng, factor=factor)
        source, sink = map(int, rng.choice(graph.n, 2, replace=False))
        found = reedsp.maximum_flow(graph, source, sink, method, device=device)
        capacity, side = least_cut(graph, source, sink)
        cut = found.cut()
        assert (found.value, cut.capacity) == (capacity, capacity)
        assert set(cut.source_side.tolist()) == side == set(np.flatnonzero(found.is_source_side).tolist())
        assert found.flow.dtype == graph.weights.dtype
        assert found.verify(device)


def test_a_cut_of_whole_floats_is_an_exact_integer(device: Device) -> None:
    graph = reedsp.Graph.from_edges(3, [0, 1, 0], [1, 2, 2], [1.0, 2.0**53, 1.0], directed=False)
    found = reedsp.maximum_flow(graph, 1, 2, device=device)
    assert (found.value, found.cut().capacity) == (2**53 + 1, 2**53 + 1)


def network_of(graph: reedsp.Graph, source: int, sink: int) -> Network:
    return Network.of(graph.indptr, graph.indices, graph.weights, source, sink)


def test_the_flow_is_that_of_scipy(device: Device, small_steps: None) -> None:
    rng = np.random.default_rng(3)
    for _ in range(20):
        graph = random_graph(rng, 30)
        source, sink = map(int, rng.choice(graph.n, 2, replace=False))
        expected = scipy_flow(graph.to_scipy().astype(np.int32), source, sink)
        found = reedsp.maximum_flow(graph, source, sink, "dinic", device=device)
        assert found.value == expected.flow_value
        net = expected.flow.toarray()
        np.testing.assert_array_equal(
            found.to_scipy().toarray(), np.where(graph.to_scipy().toarray() > 0, net, 0).clip(0)
        )
        if on_host.can_solve(network_of(graph, source, sink)):
            host = on_host.solve(network_of(graph, source, sink))
            np.testing.assert_array_equal(host.flow, found.flow, strict=True)
            np.testing.assert_array_equal(host.is_source_side, found.is_source_side)
            assert host.value == found.value


def large_graph(rng: np.random.Generator, n: int = 400) -> reedsp.Graph:
    """A sparse graph with two hubs, from which and to which there is an edge for every third vertex."""
    sources, targets = rng.integers(0, n, (2, 3 * n))
    hub = np.arange(2, n, 3)
    sources = np.concatenate((sources, np.zeros_like(hub), hub))
    targets = np.concatenate((targets, hub, np.ones_like(hub)))
    return reedsp.Graph.from_edges(n, sources, targets, rng.integers(1, 1000, len(sources)))


@pytest.mark.deep("push")
@pytest.mark.parametrize("method", METHODS)
def test_a_larger_graph(method: Any, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = large_graph(np.random.default_rng(1))
    expected = scipy_flow(graph.to_scipy().astype(np.int32), 0, 1).flow_value
    answers = []
    for hub, group in ((512, 16), (16, 32)):
        monkeypatch.setattr(push_relabel, "_HUB", hub)
        monkeypatch.setattr(push_relabel, "_CPU_GROUP", group)
        monkeypatch.setattr(push_relabel, "_GPU_GROUP", group)
        found = reedsp.maximum_flow(graph, 0, 1, method, device=device)
        assert found.value == expected
        assert found.verify(device)
        answers.append((found.flow.tobytes(), found.is_source_side.tobytes()))
    assert len(set(answers)) == 1


def test_networkx_agrees(device: Device) -> None:
    rng = np.random.default_rng(4)
    for _ in range(5):
        graph = nx.gnp_random_graph(12, 0.3, seed=int(rng.integers(1000)), directed=True)
        for tail, head in graph.edges:
            graph[tail][head]["weight"] = int(rng.integers(0, 20))
        value, (side, _) = nx.minimum_cut(graph, 0, 11, capacity="weight", backend="networkx")
        found = reedsp.maximum_flow(graph, 0, 11, device=device)
        assert found.value == value == found.cut().capacity
        assert found.graph.n == 12
        assert set(found.cut().source_side.tolist()) <= set(side)


@pytest.mark.deep("dinic")
@pytest.mark.parametrize("method", METHODS)
def test_shapes(method: Any, device: Device) -> None:
    """A path, a star, a loop, no edge, and edges in both directions."""
    n = 300
    path = reedsp.Graph.from_edges(n, np.arange(n - 1), np.arange(1, n), np.arange(n - 1) + 5)
    found = reedsp.maximum_flow(path, 0, n - 1, method, device=device)
    assert (found.value, found.cut().edges.tolist(), set(found.flow.tolist())) == (5, [0], {5})
    star = reedsp.Graph.from_edges(n, np.zeros(n - 1, int), np.arange(1, n))
    assert reedsp.maximum_flow(star, 0, 7, method, device=device).value == 1
    assert reedsp.maximum_flow(star, 7, 0, method, device=device).value == 0
    loops = reedsp.Graph.from_edges(2, [0, 0, 1], [0, 1, 1], [9, 4, 9])
    found = reedsp.maximum_flow(loops, 0, 1, method, device=device)
    assert (found.value, found.flow.tolist(), found.verify()) == (4, [0, 4, 0], True)
    empty = reedsp.Graph.from_edges(3, [], [])
    found = reedsp.maximum_flow(empty, 2, 0, method, device=device)
    assert (found.value, found.is_source_side.tolist(), found.verify()) == (0, [False, False, True], True)
    both = reedsp.Graph.from_edges(3, [0, 1, 1, 2], [1, 0, 2, 1], [3, 8, 2, 8])
    found = reedsp.maximum_flow(both, 0, -1, method, device=device)
    assert (found.value, found.flow.tolist()) == (2, [2, 0, 2, 0])


@pytest.mark.parametrize("method", METHODS)
def test_the_largest_capacities(method: Any, device: Device) -> None:
    chain = reedsp.Graph.from_edges(3, [0, 1, 1, 2], [1, 2, 0, 1], [INT64] * 4)
    found = reedsp.maximum_flow(chain, 0, 2, method, device=device)
    assert (found.value, found.flow.tolist(), found.verify()) == (INT64, [INT64, 0, INT64, 0], True)
    narrow = reedsp.Graph.from_edges(4, [0, 0, 1, 2, 1, 2], [1, 2, 3, 3, 2, 1], [2**31 - 1] * 2 + [2**30] * 4)
    found = reedsp.maximum_flow(narrow, 0, 3, method, device=device)
    assert (found.value, found.verify()) == (2**31, True)
    two = reedsp.Graph.from_edges(4, [0, 0, 1, 2], [1, 2, 3, 3], [INT64] * 4)
    with pytest.raises(OverflowError, match=r"^up to 18446744073709551614 may flow, which int64 does not hold$"):
        reedsp.maximum_flow(two, 0, 3, method, device=device)
    endless = reedsp.Graph.from_edges(4, [0, 0, 1, 2, 1], [1, 2, 3, 3, 2], [5, 6, INT64, INT64, INT64])
    found = reedsp.maximum_flow(endless, 0, 3, method, device=device)
    assert (found.value, found.cut().source_side.tolist(), found.verify()) == (11, [0], True)


def test_it_is_written_as_a_table(device: Device, tmp_path: Path) -> None:
    graph = reedsp.Graph.from_edges(4, [0, 0, 1, 2], [1, 2, 3, 3], [7, 2, 1, 3], labels=["a", "b", "c", "d"])
    reedsp.maximum_flow(graph, "a", "d", device=device).save(tmp_path / "flow.csv")
    lines = (tmp_path / "flow.csv").read_text().split()
    assert lines == ["from,to,flow,capacity", "a,b,1,7", "a,c,2,2", "b,d,1,1", "c,d,2,3"]


@pytest.mark.parametrize("method", METHODS)
def test_no_limit_at_either_end(method: Any, device: Device) -> None:
    """A source of all sources, and a target of all targets: what is between them limits the flow."""
    ends = [0, 0, 1, 2, 3, 4], [1, 2, 3, 4, 5, 5]
    graph = reedsp.Graph.from_edges(6, *ends, [INT64, INT64, 5, 7, INT64, INT64])
    found = reedsp.maximum_flow(graph, 0, 5, method, device=device)
    assert (found.value, found.cut().edges.tolist(), found.verify(device)) == (12, [2, 3], True)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("most", [2**62, INT64])
def test_more_leaves_the_source_than_64_bits_hold(method: Any, most: int, device: Device) -> None:
    """It comes together in one vertex, before an edge that carries little of it."""
    k = 40
    middle, last = np.arange(1, k + 1), np.full(k, k + 1)
    tails = np.concatenate((np.zeros(k, int), middle, [k + 1, k + 1]))
    heads = np.concatenate((middle, last, [k + 2, k + 3]))
    capacities = np.concatenate((np.full(k, INT64), np.full(k, 2**61), [most, 7]))
    graph = reedsp.Graph.from_edges(k + 4, tails, heads, capacities)
    found = reedsp.maximum_flow(graph, 0, k + 2, method, device=device)
    assert (found.value, found.cut().capacity, found.verify(device)) == (most, most, True)


def test_what_is_accepted(device: Device) -> None:
    matrix = scipy.sparse.csr_array([[0, 5, 0], [0, 0, 3], [0, 0, 0]])
    for given in (matrix, matrix.astype(float), matrix.toarray(), matrix.tocoo(), nx.from_scipy_sparse_array(matrix)):
        found = reedsp.maximum_flow(given, 0, 2, device=device)
        assert (found.value, type(found.value)) == (3, int)
    named = reedsp.Graph.from_edges(3, [0, 1], [1, 2], [5, 3], labels=["a", "b", "c"])
    found = reedsp.maximum_flow(named, "a", "c", device=device)
    assert (found.source, found.target, found.value) == ("a", "c", 3)
    assert repr(found).startswith("<reedsp.Flow: 3 from 'a' to 'c', ")
    assert "Maximum flow from" in found._repr_html_()
    assert found.stats["method"] == found.method
    assert sum(found.stats["phases"].values()) > 0


@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        ((0, 0), ValueError, "source and target are the same vertex, 0"),
        ((0, 3), ValueError, "target = 3 is not a vertex of a graph with 3 vertices"),
        ((1.5, 2), TypeError, "source"),
        ((0, 2, "simplex"), ValueError, "method = 'simplex', expected one of 'auto', 'dinic', 'push-relabel'"),
    ],
)
def test_wrong_arguments(arguments: Any, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        reedsp.maximum_flow(reedsp.Graph.from_edges(3, [0, 1], [1, 2]), *arguments)


@pytest.mark.parametrize(
    ("capacity", "message"),
    [
        (-2, r"^capacity of the edge from 'b' to 'c' is -2, expected one that is not negative$"),
        (1.5, r"^capacity of the edge from 'b' to 'c' is 1.5, expected an integer that int64 holds$"),
        (2.0**63, r"^capacity of the edge from 'b' to 'c' is 9.2.*, expected an integer that int64 holds$"),
    ],
)
def test_wrong_capacities(capacity: float, message: str) -> None:
    graph = reedsp.Graph.from_edges(3, [0, 1], [1, 2], [1, capacity], labels=["a", "b", "c"])
    with pytest.raises(ValueError, match=message):
        reedsp.maximum_flow(graph, "a", "c")


@pytest.mark.parametrize("kind", [nx.DiGraph, nx.MultiGraph])
def test_no_limit_in_networkx_is_refused(kind: type[nx.Graph[Any]]) -> None:
    graph = kind()
    graph.add_weighted_edges_from([("a", "b", math.inf), ("b", "c", 3)])
    message = r"^capacity of the edge from 'a' to 'b' is inf, expected an integer .*; one that is larger than any flow"
    with pytest.raises(ValueError, match=message):
        reedsp.maximum_flow(graph, "a", "c")


def test_infinity_elsewhere_is_no_edge() -> None:
    graph = reedsp.Graph.from_edges(3, [0, 1, 0], [1, 2, 2], [math.inf, 3, 2])
    assert reedsp.maximum_flow(graph, 0, 2).value == 2


FAULTS = {
    "more than the capacity": lambda found: found.flow.__setitem__(0, 100),
    "less than nothing": lambda found: found.flow.__setitem__(0, -1),
    "not conserved": lambda found: found.flow.__setitem__(1, found.flow[1] - 1),
    "cut not full": lambda found: found.is_source_side.__setitem__(1, True),
    "source on the other side": lambda found: found.is_source_side.__setitem__(0, False),
    "sink on this side": lambda found: found.is_source_side.__setitem__(3, True),
    "another value": lambda found: object.__setattr__(found, "value", found.value + 1),
    "nothing flows": lambda found: found.flow.fill(0),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_proof_finds_faults(name: str, device: Device) -> None:
    graph = reedsp.Graph.from_edges(4, [0, 0, 1, 2, 1], [1, 2, 3, 3, 2], [2, 7, 9, 3, 4])
    found = reedsp.maximum_flow(graph, 0, 3, "dinic", device=device)
    assert found.verify(device)
    FAULTS[name](found)
    with pytest.raises(reedsp.VerificationError):
        found.verify(device)


@pytest.mark.deep("flow")
@pytest.mark.parametrize(
    ("name", "changed", "message"),
    [
        ("flow", lambda flow: flow[:1], "flow: expected 5 numbers of type int32 or int64"),
        ("flow", lambda flow: flow + 0.5, "flow: expected 5 numbers of type int32 or int64"),
        ("flow", lambda flow: flow.tolist(), "flow: expected 5 numbers of type int32 or int64"),
        ("flow", lambda flow: flow + 2**32, "vertex 0: an edge from there carries less than nothing or more than its"),
        ("is_source_side", lambda side: side[:1], "is_source_side: expected 4 numbers of type bool"),
        ("is_source_side", lambda side: side.astype(int), "is_source_side: expected 4 numbers of type bool"),
        ("is_source_side", lambda side: side.tolist(), "is_source_side: expected 4 numbers of type bool"),
    ],
)
def test_other_arrays_are_no_flow(name: str, changed: Any, message: str, device: Device) -> None:
    graph = reedsp.Graph.from_edges(4, [0, 0, 1, 2, 1], [1, 2, 3, 3, 2], np.int32([2, 7, 9, 3, 4]))
    found = reedsp.maximum_flow(graph, 0, 3, device=device)
    wide = dataclasses.replace(
        found, flow=found.flow.astype(np.int64), is_source_side=np.repeat(found.is_source_side, 2)[::2]
    )
    assert wide.verify(device)
    wrong = dataclasses.replace(wide, **{name: changed(getattr(wide, name))})
    with pytest.raises(reedsp.VerificationError, match=f"^{message}"):
        wrong.verify(device)


@pytest.mark.parametrize(("name", "other"), [("source", "q"), ("target", 4), ("source", None), ("target", [1])])
def test_ends_that_are_no_vertices(name: str, other: Any, device: Device) -> None:
    found = reedsp.maximum_flow(reedsp.Graph.from_edges(4, [0, 0, 1, 2], [1, 2, 3, 3]), 0, 3, device=device)
    with pytest.raises(reedsp.VerificationError, match=f"^{name}: .* is not a vertex of this graph"):
        dataclasses.replace(found, **{name: other}).verify(device)


def test_a_smaller_flow_that_is_none_the_less_one(device: Device) -> None:
    """Its value is right for the flow, and the cut is a cut, but a larger one."""
    graph = reedsp.Graph.from_edges(2, [0], [1], [5])
    found = reedsp.maximum_flow(graph, 0, 1, "dinic", device=device)
    found.flow[0] = 4
    object.__setattr__(found, "value", 4)
    with pytest.raises(reedsp.VerificationError, match="is not full"):
        found.verify(device)


def test_values_that_do_not_fit(device: Device) -> None:
    """What a proof says at its end, where the rules for single edges are kept."""
    graph = reedsp.Graph.from_edges(3, [0, 1], [1, 2], [5, 5])
    found = reedsp.maximum_flow(graph, 0, 2, "dinic", device=device)
    object.__setattr__(found, "value", 4)
    with pytest.raises(reedsp.VerificationError, match=r"^vertex 0: 5 flows there, but the value is 4$"):
        found.verify(device)


def test_no_flow_and_an_empty_cut_is_no_proof_of_more(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    from reedsp.algorithms.structure.flow import verify

    graph = reedsp.Graph.from_edges(3, [0, 1], [1, 2], [5, 5])
    found = reedsp.maximum_flow(graph, 0, 2, "dinic", device=device)
    numbers = iter([6, 5, 0, 0, 5])
    monkeypatch.setattr(verify, "_number", lambda words: next(numbers))
    with pytest.raises(
        reedsp.VerificationError, match=r"^the capacity of the cut is 6, but the value of the flow is 5$"
    ):
        found.verify(device)


def test_a_large_proof_is_cut_into_launches(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    from reedsp.algorithms.structure.flow import verify

    monkeypatch.setattr(verify, "_PART", 50)
    found = reedsp.maximum_flow(large_graph(np.random.default_rng(2)), 0, 1, "dinic", device=device)
    assert found.verify(device)


def test_the_host_solves_small_networks(serves: None, device: Device) -> None:
    def refuse(launched: Launched) -> None:
        raise AssertionError("a kernel was launched")

    graph = large_graph(np.random.default_rng(2), 60)
    by_device = reedsp.maximum_flow(graph, 0, 1, "dinic", device=device)
    with recording(refuse):
        found = reedsp.maximum_flow(graph, 0, 1, progress=False)
    assert (found.device, found.method, found.stats["kernels_launched"]) == (place.HOST, "dinic", 0)
    assert found.flow.tobytes() == by_device.flow.tobytes()
    assert found.is_source_side.tobytes() == by_device.is_source_side.tobytes()
    wide = reedsp.Graph.from_edges(2, [0], [1], [2**30])
    with (
        recording(refuse),
        pytest.raises(AssertionError, match="launched"),
    ):  # twice its capacity is beyond SciPy's numbers
        reedsp.maximum_flow(wide, 0, 1)


def path_of(n: int) -> reedsp.Graph:
    return reedsp.Graph.from_edges(n, np.arange(n - 1), np.arange(1, n), np.full(n - 1, 5))


def test_launches_grow_with_the_depth_and_no_faster(device: Device) -> None:
    launched = []
    for n in (1500, 3000, 6000):
        found = reedsp.maximum_flow(path_of(n), 0, n - 1, "push-relabel", device=device)
        assert found.value == 5
        launched.append(found.stats["kernels_launched"])
    assert launched[1] < 2.2 * launched[0]
    assert launched[2] < 2.2 * launched[1]


def test_a_deep_network_is_for_one_work_item(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device, "kind", "gpu")
    monkeypatch.setattr(maximum_flow, "_FEW_LEVELS", 100)
    path = np.arange(103)
    wide = reedsp.Graph.from_edges(16 * 103, path[:-1], path[1:], np.full(102, 5))  # 16 for each level
    for graph, target, method in (
        (path_of(102), 101, "push-relabel"),
        (path_of(103), 102, "dinic"),
        (wide, 102, "push-relabel"),
    ):
        found = reedsp.maximum_flow(graph, 0, target, device=device)
        assert (found.value, found.method) == (5, method)
        is_deep = method == "dinic"
        assert (found.stats["why"] == "the network is too deep for rounds over all its vertices") == is_deep
        assert found.verify(device)
        assert reedsp.maximum_flow(graph, 0, target, "push-relabel", device=device).method == "push-relabel"
    network = network_of(path_of(103), 0, 102)
    monkeypatch.setattr(maximum_flow, "get_device", lambda: device)
    value, (net, _, _) = maximum_flow.flow_between(network)
    assert (value, set(net.tolist())) == (5, {5, -5})


def put(seen: list[tuple[int, int]], done: int, most: int) -> None:
    seen.append((done, most))


def test_progress_is_reported(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dinic, "Pace", lambda first: ConstantPace())
    graph = large_graph(np.random.default_rng(2), 50)
    for method in METHODS:
        seen: list[tuple[int, int]] = []
        found = reedsp.maximum_flow(graph, 0, 1, method, device=device, progress=partial(put, seen))
        rounds, vertices = zip(*seen, strict=True)
        assert set(vertices) == {graph.n}
        assert list(rounds) == sorted(rounds)
        assert 0 < rounds[-1] <= found.stats["rounds"]


def test_without_edges_the_host_says_so(serves: None, launches: list[Launched]) -> None:
    found = reedsp.maximum_flow(reedsp.Graph.from_edges(3, [], []), 2, 0)
    assert (found.device, found.value, len(found.flow), found.is_source_side.tolist()) == (
        *(place.HOST, 0, 0),
        [False, False, True],
    )
    assert not launches


@pytest.mark.usefixtures("own_verdicts")
def test_a_method_that_is_wrong_is_not_used(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(job: Job, network: Network, progress: Any = None) -> Found:
        flow = np.zeros(network.m, network.capacities.dtype)
        return Found(0, flow, np.arange(network.n) == network.source, 0)

    graph = reedsp.Graph.from_edges(3, [0, 1], [1, 2], [5, 3])
    preferred = "dinic" if device.kind == "cpu" else "push-relabel"
    monkeypatch.setitem(maximum_flow._METHODS, preferred, wrong)
    with pytest.warns(RuntimeWarning, match=f"maximum flow by {preferred} gives a wrong answer"):
        found = reedsp.maximum_flow(graph, 0, 2, device=device)
    assert (found.value, found.method != preferred) == (3, True)
    assert found.stats["why"] == f"{preferred} gives wrong answers on this device, or fails"
    with pytest.raises(reedsp.DeviceError, match=rf"maximum flow by {preferred} gives wrong answers, or fails$"):
        reedsp.maximum_flow(graph, 0, 2, preferred, device=device)  # type: ignore[arg-type]


def test_the_trial_notices_a_flow_that_is_none(device: Device) -> None:
    def too_much(job: Job, network: Network) -> Found:
        return Found(0, network.capacities + 1, np.arange(network.n) == network.source, 0)

    assert not finds_known_flow(device, too_much, "int64", "int32", "int32", True)
