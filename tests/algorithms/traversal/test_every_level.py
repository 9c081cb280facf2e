"""Breadth-first search without a queue, of the experiments: levels, trees and what is looked at."""

from __future__ import annotations

import numpy as np
import pytest

import reedsp
from experiments.busato_bombieri.every_level import KERNELS, EveryLevel, Looks, expected_looks
from reedsp.device.device import Device
from reedsp.device.job import Job
from reedsp.edges import device_graph
from tests.algorithms.traversal.test_bfs import GRAPHS, path, power_law, reference, unweighted
from tests.support.families import FAMILIES

TECHNIQUES = [("all vertices", 1), ("all vertices", 4), ("all vertices", 32), ("all edges", 1), ("matrix-vector", 1)]
each_technique = pytest.mark.parametrize(("technique", "width"), TECHNIQUES)


def check(device: Device, graph: reedsp.Graph, technique: str, width: int, *sources: int) -> None:
    """The answers, from one source after the other, and the looks."""
    for counts in (False, True):
        search = EveryLevel(graph, Job(device), technique, width, counts)
        looks = Looks(0, 0)
        for source in sources:
            levels, pred = search.search(source)
            assert (levels.tolist(), pred.tolist()) == reference(graph, source)
            expected = expected_looks(graph, levels, technique)
            looks = Looks(looks.vertices + expected.vertices, looks.edges + expected.edges)
        assert search.looks() == (looks if counts else (0, 0))


@pytest.mark.deep
@each_technique
def test_families(technique: str, width: int, device: Device) -> None:
    for family in FAMILIES:
        check(device, unweighted(family), technique, width, family.source, family.n - 1, family.source)


@pytest.mark.deep
@each_technique
def test_larger_graphs(technique: str, width: int, device: Device) -> None:
    for graph in (*GRAPHS.values(), path(300)):
        check(device, graph, technique, width, 0, graph.n - 1)


@pytest.mark.deep
@each_technique
def test_places_of_64_bits(technique: str, width: int, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device_graph, "_offsets", lambda indptr, m: (indptr.astype(np.uint64), {"OFFSET": "ulong"}))
    check(device, power_law(600, 3000, 5), technique, width, 4)


@pytest.mark.deep("all vertices")
@each_technique
def test_looks_beyond_32_bits(technique: str, width: int, device: Device) -> None:
    """They go on in the next word, whichever look it is that fills the first one."""
    graph = power_law(300, 2000, 6)
    search = EveryLevel(graph, Job(device), technique, width, counts=True)
    before = np.array([2**32 - 5, 3, 2**32 - 7, 1], np.uint32)
    job = search._job
    job.copy(search._looks, 0, job.upload(before), 0, before.nbytes)
    levels, _ = search.search(2)
    expected = expected_looks(graph, levels, technique)
    assert search.looks() == (4 * 2**32 - 5 + expected.vertices, 2 * 2**32 - 7 + expected.edges)


def test_expected_looks() -> None:
    """Of a path from its second vertex, and an edge out of reach."""
    graph = reedsp.Graph.from_edges(6, [0, 1, 2, 4], [1, 2, 3, 5])
    levels = np.array(reference(graph, 1)[0], np.int32)
    assert levels.tolist() == [-1, 0, 1, 2, -1, -1]
    assert expected_looks(graph, levels, "all vertices") == (2 * 3 * 6, 2)
    assert expected_looks(graph, levels, "all edges") == (3 * 6, 3 * 4)
    assert expected_looks(graph, levels, "matrix-vector") == (2 * 3 * 6, 3 * 4)
    assert expected_looks(graph, levels, "frontier") == (2 * 3, 2)
    assert set(KERNELS) == {"all vertices", "all edges", "matrix-vector"}
