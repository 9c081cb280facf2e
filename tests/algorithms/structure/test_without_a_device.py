"""What the host has found is proved there where there is no device, and every wrong answer is seen."""

from __future__ import annotations

import dataclasses
import itertools
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse

import reedsp
from reedsp.cost_model import place
from reedsp.device import discovery

RANDOM = [(n, m, seed) for seed, (n, m) in enumerate([(1, 0), (5, 3), (40, 30), (60, 90), (60, 300)])]


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(place, "_serves", True)
    monkeypatch.setattr(discovery, "_devices", [])


def random_graph(n: int, m: int, seed: int) -> reedsp.Graph:
    rng = np.random.default_rng(seed)
    ends = rng.integers(0, n, (2, m))
    return reedsp.Graph.from_edges(n, *ends, rng.integers(1, 6, m), directed=bool(seed % 2))


def everything_of(graph: reedsp.Graph) -> list[Any]:
    return [
        reedsp.connected_components(graph),
        reedsp.connected_components(graph, "strong"),
        reedsp.spanning_forest(graph),
        reedsp.spanning_forest(graph, maximum=True),
        reedsp.maximum_matching(graph.to_scipy()),
        reedsp.maximum_matching(graph.to_scipy().tocsc()),
        *([reedsp.maximum_flow(graph, 0, graph.n - 1)] if graph.n > 1 else []),
    ]


@pytest.mark.parametrize(("n", "m", "seed"), RANDOM)
def test_answers_are_proved(n: int, m: int, seed: int) -> None:
    for found in everything_of(random_graph(n, m, seed)):
        assert found.device == place.HOST
        assert found.verify()


def test_what_a_device_has_found_asks_for_one() -> None:
    for found in everything_of(random_graph(5, 9, 1)):
        with pytest.raises(reedsp.DeviceError, match="no OpenCL device was found"):
            dataclasses.replace(found, device="a GPU").verify()
    with pytest.raises(reedsp.DeviceError, match="no OpenCL device was found"):
        reedsp.spanning_forest([[0, 1], [0, 0]]).verify("gpu")


def test_a_name_that_no_device_has_is_no_lack_of_devices(
    device: reedsp.Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = everything_of(random_graph(5, 9, 1))
    monkeypatch.setattr(discovery, "_devices", [device])
    monkeypatch.setenv("REEDSP_DEVICE", "no such device")
    for each in found:
        with pytest.raises(reedsp.DeviceError, match="REEDSP_DEVICE = 'no such device' fits none"):
            each.verify()


TWO_RINGS = reedsp.Graph.from_edges(6, [0, 1, 2, 3, 4, 5, 2], [1, 2, 0, 4, 5, 3, 3], labels=list("abcdef"))
APART = reedsp.Graph.from_edges(6, [0, 1, 3], [1, 2, 4], labels=list("abcdef"))


@pytest.mark.parametrize(
    ("graph", "connection", "labels", "message"),
    [
        (APART, "weak", [0, 0, 1, 2, 2, 3], "vertex 'b': its component is 0, but it has an edge to vertex 'c'"),
        (APART, "weak", [0, 0, 0, 0, 0, 1], "vertex 'd': it is not connected with vertex 'a' of the same component"),
        (APART, "weak", [1, 1, 1, 0, 0, 2], "vertex 'a': its component, 1, should have a lower number"),
        (APART, "weak", [0, 0, 0, 1, 1, 3], "no vertex has component 2"),
        (TWO_RINGS, "strong", [1, 1, 2, 0, 0, 0], "vertex 'b': its component is 1, but it has an edge to vertex 'c'"),
        (TWO_RINGS, "strong", [0, 0, 0, 0, 0, 0], "vertex 'd': it does not reach vertex 'a' of the same component"),
        (APART, "strong", [0, 0, 0, 1, 1, 2], "vertex 'b': it does not reach vertex 'a' of the same component"),
        (APART, "strong", [5, 2, 0, 4, 1, 3], "vertex 'f': its component, 3, should have a lower number"),
    ],
)
def test_other_components_are_not(graph: reedsp.Graph, connection: Any, labels: list[int], message: str) -> None:
    found = reedsp.connected_components(graph, connection)
    found.labels[:] = labels
    with pytest.raises(reedsp.VerificationError, match=f"^{message}"):
        found.verify()


@pytest.mark.parametrize("maximum", [False, True])
def test_of_all_sets_of_edges_only_the_forest_is_one(maximum: bool) -> None:
    edges = [(0, 1, 2), (0, 2, 2), (1, 2, 2), (1, 3, 1), (2, 3, 2), (4, 5, 1)]
    graph = reedsp.Graph.from_edges(6, *zip(*edges, strict=True), directed=False)  # type: ignore[misc]
    found = reedsp.spanning_forest(graph, maximum)
    passed = []
    for some in itertools.chain.from_iterable(itertools.combinations(edges, count) for count in range(7)):
        ends = np.array([each[:2] for each in some], np.int32).reshape(-1, 2)
        weights = np.array([each[2] for each in some], found.weights.dtype)
        try:
            assert dataclasses.replace(found, ends=ends, weights=weights).verify()
        except reedsp.VerificationError:
            continue
        passed.append(list(some))
    assert passed == [list(found.edges())]


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        ([(0, 2, 0), (1, 2, 1)], "edge ('Chur', 'Genf'): no tree holds both of its ends"),
        ([(0, 1, 7), (0, 2, 0), (1, 2, 1), (2, 3, 3)], "edge ('Bern', 'Thun'): it closes a cycle"),
        ([(0, 1, 7), (0, 2, 0), (2, 3, 3)], "edge ('Thun', 'Chur'): the forest has an edge between its ends"),
        ([(0, 2, 0), (1, 2, 1), (2, 3, 4)], "edge ('Chur', 'Genf'): the forest has an edge between its ends"),
        ([(0, 2, 0), (1, 2, 1), (2, 3, 2)], "edge ('Chur', 'Genf'): the graph has no such edge"),
    ],
)
@pytest.mark.parametrize("maximum", [False, True])
def test_other_edges_are_no_forest(edges: list[tuple[int, int, int]], message: str, maximum: bool) -> None:
    names, sign = ["Bern", "Thun", "Chur", "Genf"], -1 if maximum else 1
    weights = [sign * weight for weight in (7, 0, 1, 3)]
    found = reedsp.spanning_forest(
        reedsp.Graph.from_edges(4, [0, 2, 1, 3], [1, 0, 2, 2], weights, labels=names), maximum
    )
    assert found.verify()
    ends = np.array([each[:2] for each in edges], np.int32)
    wrong = np.array([sign * each[2] for each in edges], found.weights.dtype)
    with pytest.raises(reedsp.VerificationError, match=f"^{re.escape(message)}"):
        dataclasses.replace(found, ends=ends, weights=wrong).verify()


def test_the_weight_that_no_edge_has_is_named() -> None:
    for sign, maximum in ((1, False), (-1, True)):
        found = reedsp.spanning_forest(reedsp.Graph.from_edges(2, [0], [1], [3 * sign]), maximum)
        found.weights[0] = 2 * sign
        with pytest.raises(reedsp.VerificationError, match=rf"no such edge of weight {2 * sign}$"):
            found.verify()


@pytest.mark.parametrize("form", ["csr", "csc"])
@pytest.mark.parametrize(
    ("columns", "rows", "message"),
    [
        ([99, 1, 2], [0, 1, 2], "row 0: what it is matched with does not exist"),
        ([-5, 1, 2], [0, 1, 2], "row 0: what it is matched with does not exist"),
        ([0, 1, 2], [0, 99, 2], "column 1: what it is matched with does not exist"),
        ([0, 1, 2], [-1, 1, 2], "row 0: what it is matched with is matched with another one, or with nothing"),
        ([0, -1, 2], [0, 1, 2], "column 1: what it is matched with is matched with another one, or with nothing"),
        ([1, 0, 2], [1, 0, 2], "(row|column) 0: it is matched, but there is no such edge"),
        ([0, -1, 2], [0, -1, 2], "there is a matching with more pairs, and this one has 2"),
    ],
)
def test_other_pairs_are_no_matching(form: str, columns: list[int], rows: list[int], message: str) -> None:
    found = reedsp.maximum_matching(scipy.sparse.csr_array(np.eye(3)).asformat(form))
    found.column_of_row[:], found.row_of_column[:] = columns, rows
    for call in (found.verify, found.cover):
        with pytest.raises(reedsp.VerificationError, match=f"^{message}$"):
            call()


def test_covers_are_those_of_a_device(device: reedsp.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    matrix = random_graph(60, 90, 5).to_scipy()
    for some in (matrix, matrix.tocsc()):
        here = reedsp.maximum_matching(some).cover()
        there = reedsp.maximum_matching(some, device=device).cover()
        assert [each.tolist() for each in here] == [each.tolist() for each in there]


FLOW_FAULTS: dict[str, tuple[Callable[[reedsp.Flow], Any], str]] = {
    "too much": (
        lambda found: found.flow.__setitem__(0, 100),
        "vertex 0: an edge from there carries less than nothing",
    ),
    "too little": (lambda found: found.flow.__setitem__(0, -1), "vertex 0: an edge from there carries less than"),
    "not conserved": (lambda found: found.flow.__setitem__(1, found.flow[1] - 1), "vertex 2: not as much flows out"),
    "not full": (lambda found: found.is_source_side.__setitem__(1, True), "vertex 1: an edge from there crosses"),
    "no source": (lambda found: found.is_source_side.__setitem__(0, False), "vertex 0: it is on the wrong side"),
    "a sink": (lambda found: found.is_source_side.__setitem__(3, True), "vertex 3: it is on the wrong side"),
    "value": (lambda found: object.__setattr__(found, "value", 6), "vertex 0: 5 flows there, but the value is 6"),
}


@pytest.mark.parametrize("name", FLOW_FAULTS)
def test_other_flows_are_no_maximum(name: str) -> None:
    spoil, message = FLOW_FAULTS[name]
    found = reedsp.maximum_flow(reedsp.Graph.from_edges(4, [0, 0, 1, 2, 1], [1, 2, 3, 3, 2], [2, 7, 9, 3, 4]), 0, 3)
    assert found.verify()
    spoil(found)
    with pytest.raises(reedsp.VerificationError, match=f"^{message}"):
        found.verify()
