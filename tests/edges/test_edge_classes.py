"""What is known of the edges at each vertex, beside what one finds by looking at all edges."""

from __future__ import annotations

import numpy as np
import pytest

import reedsp
from reedsp.device.build import constants
from reedsp.device.device import Device
from reedsp.device.job import Job
from reedsp.edges.edge_classes import LEAF, SOLE, edge_classes, edge_classes_on
from tests.support.families import FAMILIES


def looked_for(graph: reedsp.Graph) -> list[int]:
    """Return the classes of each vertex, found edge by edge."""
    edges = [
        (u, int(graph.indices[i]), graph.weights[i])
        for u in range(graph.n)
        for i in range(graph.indptr[u], graph.indptr[u + 1])
    ]
    found = []
    for vertex in range(graph.n):
        into, out = ([edge for edge in edges if edge[end] == vertex] for end in (1, 0))
        is_leaf = not out
        if len(into) == len(out) == 1:
            is_leaf = into[0][0] == out[0][1] and min(into[0][2], out[0][2]) >= 0
        found.append(SOLE * (len(into) <= 1) + LEAF * is_leaf)
    return found


@pytest.mark.parametrize("directed", [False, True], ids=["undirected", "directed"])
@pytest.mark.parametrize("dtype", [np.int16, np.float32])
def test_random_graphs(dtype: type, directed: bool) -> None:
    """Few edges, so that there is each kind of vertices; loops, parallel edges, negative weights and zeros."""
    rng = np.random.default_rng(3)
    seen = set()
    for n in (1, 2, 3, 5, 40):
        for m in (0, n // 2, n, 2 * n):
            sources, targets = rng.integers(0, n, (2, m))
            weights = rng.integers(-2 if directed else 0, 4, m).astype(dtype)
            graph = reedsp.Graph.from_edges(n, sources, targets, weights, directed=directed)
            classes = edge_classes(graph)
            assert classes.dtype == np.uint8
            assert classes.tolist() == looked_for(graph)
            assert edge_classes(graph) is classes
            seen |= set(classes.tolist())
    assert seen == ({0, SOLE, LEAF, SOLE + LEAF} if directed else {0, SOLE + LEAF})


def test_families() -> None:
    for family in FAMILIES:
        graph = family.graph()
        if graph.m < 2000:
            assert edge_classes(graph).tolist() == looked_for(graph), family.name


def test_on_a_device(device: Device) -> None:
    """Copied only once."""
    graph = reedsp.Graph.from_edges(4, [0, 1, 2], [1, 2, 1], [1, 2, 3])
    job = Job(device)
    buffer = edge_classes_on(graph, job)
    assert (
        job.download(buffer, 4, np.uint8).tolist()
        == edge_classes(graph).tolist()
        == [SOLE, 0, SOLE + LEAF, SOLE + LEAF]
    )
    assert edge_classes_on(graph, Job(device)) is buffer


def test_kernels_know_the_same_classes() -> None:
    found = constants("single_source/input_parallel_refined.cl")
    assert (found["SOLE"], found["LEAF"]) == (SOLE, LEAF)
