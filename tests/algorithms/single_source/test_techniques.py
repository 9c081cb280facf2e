"""The searches and the forms of a graph that only experiments need, against the oracle and numpy."""

from __future__ import annotations

import numpy as np
import pytest

import reedsp
from experiments.busato_bombieri import representations
from experiments.busato_bombieri.representations import ALL, AOS, CSR, LINEAR, MATRIX, SEARCHED, SOA, SOME, Forms
from experiments.busato_bombieri.searches import NONE, Bucketing, QueueBellmanFord
from experiments.busato_bombieri.shortest_path_techniques import delta_of, grid_with_loops, techniques
from experiments.lib.experiment import WrongAnswerError
from reedsp.device.device import Device
from tests.support import oracle
from tests.support.families import FAMILIES, Family

SEARCHED_FAMILIES = [each for each in FAMILIES if all(0 <= weight < 2**20 for weight in each.weights)]


def expected_of(family: Family) -> list[int]:
    found = oracle.distances(family.n, family.edges, family.source)
    return [int(NONE) if dist is None else int(dist) for dist in found]


@pytest.mark.deep
@pytest.mark.parametrize("delta", [1, 30, 1 << 30])
@pytest.mark.parametrize("width", [1, 4])
def test_bucketing(width: int, delta: int, device: Device) -> None:
    """From as many buckets as distances to a single one; twice with the same buffers."""
    for family in SEARCHED_FAMILIES:
        search, expected = Bucketing(family.graph(), device, delta, width), expected_of(family)
        for _ in range(2):
            dist, rounds = search.solve(family.source)
            assert dist.tolist() == expected, family.name
            assert rounds >= (len({each // delta for each in expected if each != NONE}))


def test_queue(device: Device) -> None:
    """In one launch, and in many that end within it."""
    for family in SEARCHED_FAMILIES:
        search, expected = QueueBellmanFord(family.graph(), device), expected_of(family)
        for most in (1 << 24, 5):
            if most > 5 or len(family.weights) < 500:
                assert search.solve(family.source, most).tolist() == expected, family.name


@pytest.mark.deep
def test_every_technique(device: Device) -> None:
    graph = grid_with_loops(12)
    expected = reedsp.sssp(graph, 5, device=device).dist
    assert delta_of(graph) == round(32 * graph.weights.mean() / (graph.m / graph.n))
    for name, solve in techniques(graph, device, 5).items():
        dist, none = solve()
        assert np.array_equal(np.where(dist == none, np.inf, dist), expected), name


@pytest.mark.deep("-5")
@pytest.mark.parametrize("run", [1, 5])
def test_every_form(run: int, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs of edges with a rest; a wrong answer is none."""
    monkeypatch.setattr(representations, "RUN_ON_CPU", run)
    for graph in (representations.skewed(7), representations.regular(6), reedsp.Graph.from_edges(1, [0], [0], [3])):
        forms = Forms(graph, device)
        kernels = forms.kernels()
        assert {what for form, what in kernels if form == CSR} == {LINEAR, SEARCHED, ALL, SOME}
        assert {form for form, what in kernels if what == ALL} == {MATRIX, CSR, SOA, AOS}
        for key, kernel in kernels.items():
            forms.run(kernel)
            forms.check(*key, None)
        assert forms.bytes[MATRIX] == 4 * graph.n**2
    forms.weights = forms.weights + 1
    forms.run(kernels[CSR, SEARCHED])
    with pytest.raises(WrongAnswerError, match="CSR: an edge, searched"):
        forms.check(CSR, SEARCHED, None)
