"""What is chosen, and why: by recorded machines, so that no clock decides whether a test passes."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
import scipy.sparse.csgraph
from hypothesis import given
from hypothesis import strategies as st

import reedsp
from experiments.tmm.cost_model_graphs import islands, layers, tree
from reedsp.arithmetic.matrix import matrix_weights
from reedsp.arithmetic.paths import choose_arithmetic
from reedsp.cost_model import choose, probe
from reedsp.cost_model.choose import Choice, predicted
from reedsp.cost_model.counts import METHODS, Pairs
from reedsp.cost_model.families import Known
from reedsp.device.device import Device
from tests.support.machines import H200, INTEL, MACHINES, POCL

PAIRS = Pairs(1000, 4000, 980, 3900, True, False, "int32", "int32", 8, False)


def random(n: int, m: int, largest: int = 1000, **options: Any) -> reedsp.Graph:
    rng = np.random.default_rng(n + m)
    ends = rng.integers(0, n, (2, m))
    return reedsp.Graph.from_edges(n, *ends, rng.integers(1, largest + 1, m), **options)


def choice(graph: reedsp.Graph, known: Known, dtype: str = "float64", **options: Any) -> Choice:
    arithmetic = choose_arithmetic(graph, np.dtype(dtype))
    return choose.all_pairs(graph, known, arithmetic, matrix_weights(graph, arithmetic), **options)


# ---- what is chosen ---------------------------------------------------------------------------------

JOHNSON, MATRIX = "johnson", "floyd-warshall"


@pytest.mark.parametrize(
    ("n", "degree", "largest", "predecessors", "expected"),
    [  # on PoCL, Intel's runtime and the H200; those of PoCL and the H200 are what whole calls measured
        (10, 1, 1000, False, (JOHNSON, JOHNSON, JOHNSON)),
        (300, 3, 1000, False, (MATRIX, MATRIX, JOHNSON)),
        (700, 8, 1000, False, (MATRIX, MATRIX, JOHNSON)),
        (1000, 2, 1000, False, (JOHNSON, JOHNSON, JOHNSON)),
        (1000, 4, 9, False, (MATRIX, MATRIX, JOHNSON)),  # in uint16
        (1500, 2, 1000, False, (JOHNSON, JOHNSON, JOHNSON)),
        (1500, 16, 1000, False, (MATRIX, MATRIX, JOHNSON)),
        (2000, 1, 1000, False, (JOHNSON, JOHNSON, JOHNSON)),
        (2000, 8, 10**6, False, (JOHNSON, JOHNSON, JOHNSON)),  # in int64
        (2000, 32, 1000, False, (MATRIX, MATRIX, JOHNSON)),
        (1500, 4, 1000, True, (JOHNSON, JOHNSON, JOHNSON)),
        (12_000, 8, 1000, False, (JOHNSON, JOHNSON, JOHNSON)),
        (40_000, 4, 1000, False, (JOHNSON, JOHNSON, JOHNSON)),
    ],
)
def test_on_three_machines(n: int, degree: int, largest: int, predecessors: bool, expected: tuple[str, ...]) -> None:
    graph = random(n, n * degree, largest)
    found = [choice(graph, each, predecessors=predecessors) for each in MACHINES.values()]
    assert tuple(each.method for each in found) == expected
    for each in found:
        assert " are expected, and " in each.because
        assert each.because.count("calibrate") == 1


def test_a_sentence_with_figures() -> None:
    found = choice(random(100, 1000), POCL)
    assert found.because.endswith(" ms of johnson, by `reedsp calibrate`")
    graph = random(2000, 2000)
    graph._derived["reach"] = probe.Reach(13.4, 12.0)
    expected = (
        r"[\d.]+ ms are expected, and [\d.]+ ms of floyd-warshall, by .*, where a search finds 13 of 2,000 vertices"
    )
    assert pytest.importorskip("re").fullmatch(expected, choice(graph, POCL).because)
    assert choose.time_text(1.5) == "1.5 s"
    assert choose.time_text(0.0123456) == "12.3 ms"


def test_rules_that_need_no_model() -> None:
    negative = reedsp.Graph.from_edges(900, [0, 1], [1, 2], [-1, 2])
    marked = choice(negative, POCL, negative_cycles="mark")
    assert marked == (MATRIX, "cycles of negative weight are marked, which searches cannot do")
    assert choice(negative, POCL).method == JOHNSON
    fractional = reedsp.Graph.from_edges(900, [0, 1], [1, 2], [-0.5, 2])
    assert choice(fractional, POCL) == (MATRIX, "negative weights are fractional, which searches cannot do")
    large = reedsp.Graph.from_edges(3, [0, 1], [1, 2], [2**61, 2**61])
    assert choice(large, POCL).method == JOHNSON
    assert choice(large, POCL).because.startswith("no matrix holds path weights of up to ")


@pytest.mark.parametrize("known", MACHINES.values(), ids=MACHINES)
def test_rounded_sums_are_of_no_machine(known: Known) -> None:
    rng = np.random.default_rng(3)
    for n, m, method in ((1000, 18_999, JOHNSON), (1000, 19_000, MATRIX), (10, 3, MATRIX)):
        graph = reedsp.Graph.from_edges(n, *np.divmod(rng.choice(n * n, m, False), n), rng.random(m))
        found = choice(graph, known)
        assert found.method == method
        figure, above = n * n / (m + n), "above" if method == JOHNSON else "not above"
        rule = f"sums are rounded and n^2 / (m + n) = {figure:.4g} is {above} 50, the same rule on all devices"
        assert found.because == rule


def test_apsp_says_why(device: Device, monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    graph = random(40, 80)
    why = {
        "auto": reedsp.apsp(graph, device=device).stats["chosen_because"],
        "named": reedsp.apsp(graph, "johnson", device=device).stats["chosen_because"],
        "out": reedsp.apsp(graph, device=device, out=tmp_path / "d.npy").stats["chosen_because"],
        "options": reedsp.apsp(graph, device=device, options={"kernel": "blocked"}).stats["chosen_because"],
    }
    assert " are expected, and " in why.pop("auto")
    assert why == {
        "named": "it was asked for",
        "out": "out, memory_limit and several devices need it",
        "options": "kernel is an option of it",
    }


# ---- what is predicted ------------------------------------------------------------------------------

arithmetics = st.sampled_from(["int32", "int64", "float64"])
sizes = st.integers(1, 1 << 20)


@given(
    st.sampled_from(list(METHODS)),
    st.sampled_from(list(MACHINES)),
    st.tuples(sizes, st.integers(0, 1 << 24), st.floats(0, 1), st.floats(0, 1)),
    st.tuples(st.booleans(), st.booleans(), arithmetics, st.sampled_from([4, 8]), st.booleans()),
    st.integers(0, 1000),
)
def test_more_vertices_or_edges_never_take_less(method: str, machine: str, counts: Any, kind: Any, more: int) -> None:
    n, m, reached, edges = counts
    directed, negative, arithmetic, size, predecessors = kind

    def seconds(n: int, m: int) -> float:
        # a search finds a part of the vertices, and at least that from which it starts
        some = Pairs(
            *(n, m, max(1, reached * n), edges * m, directed, negative, arithmetic, arithmetic, size, predecessors)
        )
        return predicted(some, MACHINES[machine], method)

    now = seconds(n, m)
    assert 0 < now < math.inf
    assert now <= seconds(n, m + more) * (1 + 1e-9)
    if edges == 0:  # else with more vertices each would have fewer edges
        assert now <= seconds(n + more, m) * (1 + 1e-9)
    degree = m / n
    assert now <= seconds(n + more, math.ceil(degree * (n + more))) * (1 + 1e-6)
    assert seconds(n, m) <= predicted(
        Pairs(n, m, max(1, reached * n), edges * m, directed, negative, arithmetic, arithmetic, size, True),
        MACHINES[machine],
        method,
    )


@pytest.mark.parametrize(
    ("changes", "method", "machine", "milliseconds"),
    [  # of whole calls, and of those of the H200 where its folder or docs/explanation/all-pairs.md have them
        ({}, MATRIX, POCL, 16),
        ({"matrix": "uint16"}, MATRIX, POCL, 10),
        ({"n": 1500, "m": 6000, "matrix": "float64"}, MATRIX, POCL, 113),
        ({"n": 2000, "m": 16000, "matrix": "int64"}, MATRIX, POCL, 240),
        ({"predecessors": True}, MATRIX, POCL, 22),
        ({}, JOHNSON, POCL, 19),
        ({"predecessors": True}, JOHNSON, POCL, 22),
        ({"n": 2000, "m": 64_000, "reached": 2000, "edges": 63_448}, JOHNSON, POCL, 203),
        ({"n": 2000, "m": 2000, "reached": 13, "edges": 12}, JOHNSON, POCL, 3.8),
        ({"n": 2000, "m": 4000, "reached": 2000, "edges": 4000, "directed": False}, JOHNSON, POCL, 33),
        ({"n": 2000, "m": 8000, "reached": 1900, "edges": 7400, "negative": True}, JOHNSON, POCL, 122),
        (
            {"n": 2000, "m": 8000, "reached": 1900, "edges": 7400, "negative": True, "predecessors": True},
            *(JOHNSON, POCL, 455),
        ),
        ({"n": 2048, "m": 16_353}, MATRIX, H200, 9.7),
        ({"n": 4096, "m": 32_739}, MATRIX, H200, 20.8),
        ({"n": 8192, "m": 65_500}, MATRIX, H200, 82.6),
        ({"n": 8192, "m": 65_500, "predecessors": True}, MATRIX, H200, 124),
        ({"n": 3000, "m": 27_000, "matrix": "float64"}, MATRIX, H200, 19.9),
        ({"n": 300, "m": 893, "reached": 290, "edges": 870}, JOHNSON, H200, 0.85),
        ({"n": 1000, "m": 7967, "reached": 1000, "edges": 7967}, JOHNSON, H200, 2.25),
        ({"n": 2000, "m": 15_965, "reached": 2000, "edges": 15_965}, JOHNSON, H200, 5.1),
        ({"n": 2000, "m": 15_965, "reached": 2000, "edges": 15_965, "predecessors": True}, JOHNSON, H200, 7.5),
        ({"n": 2600, "m": 15_577, "reached": 2600, "edges": 15_577, "predecessors": True}, JOHNSON, H200, 11.8),
        ({"n": 10_000, "m": 99_950, "reached": 10_000, "edges": 99_950}, JOHNSON, H200, 55.8),
    ],
)
def test_as_recorded(changes: dict[str, Any], method: str, machine: Known, milliseconds: float) -> None:
    """Within a factor of 1.5, of what they were fitted to: no clock runs here."""
    seconds = predicted(PAIRS._replace(**changes), machine, method)
    assert 1 / 1.5 < 1e3 * seconds / milliseconds < 1.5


# ---- what a search finds ----------------------------------------------------------------------------


def exact_reach(graph: reedsp.Graph) -> probe.Reach:
    finite = np.isfinite(scipy.sparse.csgraph.dijkstra(graph.to_scipy(), unweighted=True))
    return probe.Reach(finite.sum(1).mean(), (finite @ np.diff(graph.indptr)).mean())


@pytest.mark.parametrize(
    ("graph", "within"),
    [
        (random(300, 900, directed=False), 1e-12),
        (random(300, 200, directed=False), 1e-12),
        (tree(500, 3, 1), 1e-12),
        (random(400, 1600), 0.02),
        (random(400, 800), 0.1),
        (layers(10, 40, 3, 1), 0.2),
        (islands(5, 80, 4, 1), 0.02),
        (reedsp.Graph.from_edges(1, [], []), 1e-12),
        (reedsp.Graph.from_edges(1, [0, 0], [0, 0], [1, 1]), 1e-12),
        (reedsp.Graph.from_edges(7, [], []), 1e-12),
        (reedsp.Graph.from_edges(5, [0, 1, 2, 3], [1, 2, 3, 4]), 1e-12),
        (reedsp.Graph.from_edges(6, [0] * 5, [1, 2, 3, 4, 5]), 1e-12),
        (reedsp.Graph.from_edges(6, [0] * 5, [1, 2, 3, 4, 5], directed=False), 1e-12),
    ],
)
def test_reach(graph: reedsp.Graph, within: float) -> None:
    expected, found = exact_reach(graph), probe.reach(graph, math.inf)
    assert found is not None
    assert found.vertices == pytest.approx(expected.vertices, rel=within)
    assert found.edges == pytest.approx(expected.edges, rel=within, abs=1e-12)


def test_it_is_looked_at_once_and_only_if_there_is_time(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = random(300, 900)
    assert probe.reach(graph, 1.4e-4) is None
    assert probe.reach(graph, 1.5e-4 + 300 * 3e-8 + 900 * 1.4e-8) is None
    assert probe.known_reach(graph) is None
    found = probe.reach(graph, 1.5e-4 + 300 * 3e-8 + 900 * 1.6e-8)
    assert found is not None
    monkeypatch.delattr(probe, "_directed")
    assert probe.reach(graph, 0) is found
    assert probe.known_reach(graph) is found


def test_a_look_only_where_searches_may_be_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    budgets: list[float] = []

    def look(graph: reedsp.Graph, budget: float) -> probe.Reach | None:
        budgets.append(budget)
        return found

    found: probe.Reach | None = None
    monkeypatch.setattr(probe, "reach", look)
    assert choice(random(300, 9000), POCL).method == MATRIX
    assert choice(random(399, 9000), POCL).method == MATRIX
    assert budgets == []  # it is too small
    thick = random(2000, 64_000)
    assert choice(thick, POCL).method == MATRIX
    [budget] = budgets
    pairs = choose.pairs_of(
        thick,
        choose_arithmetic(thick, np.dtype(float)),
        matrix_weights(thick, choose_arithmetic(thick, np.dtype(float))),
        8,
        False,
        None,
    )
    assert budget == 0.01 * predicted(pairs, POCL, MATRIX)
    found = probe.Reach(1.0, 20.0)
    assert choice(thick, POCL).method == JOHNSON
    assert len(budgets) == 2


@pytest.mark.parametrize("directed", [True, False])
def test_degrees_bound_what_is_found(directed: bool) -> None:
    """Never less than what is found, and all of it where each vertex that has an edge finds each that is entered."""
    for edges in (0, 100, 400, 1600):
        graph = random(400, edges, directed=directed)
        most, exact = probe.bound(graph), exact_reach(graph)
        assert exact.vertices <= most.vertices <= 400
        assert exact.edges <= most.edges <= graph.m
    fan = reedsp.Graph.from_edges(6, [0] * 5, [1, 2, 3, 4, 5], directed=directed)
    assert probe.bound(fan) == pytest.approx((1 + 5 / 6, 5 / 6) if directed else (6, 10))
    assert probe.bound(reedsp.Graph.from_edges(9, [], [])) == (1, 0)


@pytest.mark.parametrize(("edges", "found"), [(80, 1 + 0.9 * 9), (81, 10)])
def test_where_there_are_many_edges_all_is_entered(edges: int, found: float) -> None:
    """Beyond eight a vertex, none of which leads to the last one."""
    sources, targets = np.divmod(np.arange(edges), 9)
    assert probe.bound(reedsp.Graph.from_edges(10, sources, targets)).vertices == found


def test_what_degrees_allow_is_expected_without_a_look(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probe, "reach", lambda graph, budget: None)
    for n, looked_at in ((399, False), (400, True)):
        graph = reedsp.Graph.from_edges(n, [0] * (n - 1), np.arange(1, n))  # where one vertex finds others
        assert probe.bound(graph).vertices < 2
        pairs = choose.pairs_of(graph, choose_arithmetic(graph, np.dtype(float)), None, 8, False, None)
        assert (pairs.reached < 2) == looked_at
        assert (pairs.edges < 2) == looked_at


def test_it_does_not_cost_what_it_decides_about() -> None:
    """What is chosen with a look at searches takes no longer than that without, as far as the model knows."""
    for graph, known in itertools.product((layers(100, 20, 20, 1), islands(20, 100, 30, 1)), (POCL, INTEL)):
        found = choice(graph, known)
        reach = probe.known_reach(graph)
        assert reach is not None
        assert reach.vertices < graph.n / 1.5
        assert found.method == JOHNSON
