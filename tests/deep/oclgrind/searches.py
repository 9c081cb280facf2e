"""Checks of searches from many sources, a work-group a source."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import partial

import numpy as np
import pytest

import reedsp
from reedsp.algorithms.single_source import bellman_ford_groups, bellman_ford_queue, near_far_local
from reedsp.algorithms.single_source.near_far_local import Tuning
from reedsp.arithmetic.paths import Arithmetic
from reedsp.device.device import Device
from reedsp.device.iterate import Pace
from reedsp.device.job import Job
from reedsp.edges import predecessors
from reedsp.edges.device_graph import DeviceGraph, OutEdges
from reedsp.edges.predecessors import find_trees_outgoing
from tests.deep.oclgrind import Check
from tests.support import oracle
from tests.support.families import FAMILIES, Family

NAMES = ("parallel edges and self loops", "zero-weight cycles", "no edges", "one vertex with a loop")
SEVERAL_HUBS = Family(  # which are found together
    *("several hubs", 34, [0, 0, 0, *np.repeat([1, 2, 3], 25).tolist()]),
    *([1, 2, 3, *(4 + np.arange(75) * 7 % 30).tolist()], [1, 1, 1, *(np.arange(75) % 13).tolist()]),
)
NEGATIVE = ("ties of negative edges", "zero cycle of negative and positive edges")
PREPARED = {"edges/prepare.cl"}


def checks(device: Device) -> Iterator[Check]:
    """Queues that are full, large vertices, rows that are put aside and go on, and distances in 16 bits."""
    for family in FAMILIES:
        if family.name in NAMES:
            for form in ("plain", "hubs", "narrow", "wide", "alone", "in parts"):
                yield {"single_source/near_far_local.cl"} | PREPARED, partial(check_near_far, device, family, form)
    yield {"single_source/near_far_local.cl"} | PREPARED, partial(check_near_far, device, SEVERAL_HUBS, "hubs")
    yield {"single_source/near_far_local.cl"} | PREPARED, partial(check_beyond, device)
    for family in FAMILIES:
        if family.name in NAMES + NEGATIVE:
            for in_local, counted in itertools.product((True, False), repeat=2):
                used = {"single_source/bellman_ford_groups.cl"}
                yield used, partial(check_bellman_ford, device, family, in_local, counted)
            used = {"single_source/bellman_ford_queue.cl"}
            used |= {f"edges/predecessors_{form}.cl" for form in ("outgoing", "in_order")}
            yield used | PREPARED, partial(check_queue, device, family)


def compare(family: Family, sources: list[int], found: np.ndarray, infinity: int) -> None:
    for source, row in zip(sources, found.reshape(len(sources), -1).tolist(), strict=True):
        expected = oracle.distances(family.n, family.edges, source)
        assert row == [infinity if each is None else each for each in expected], family.name


def tuning_of(form: str) -> Tuning:
    alone = form == "alone"
    return Tuning(
        group_size=1 if alone else 8,
        lanes=1 if alone else 4,
        edges_at_once=2,
        hub=0 if form in ("alone", "plain") else 20,
        queue=32,
        groups=2,
        narrow=form == "narrow",
        delta=1.0,
    )


def check_queue(device: Device, family: Family) -> None:
    """Rows that are put aside after each vertex, and trees one vertex after the other."""
    graph, sources, arithmetic = family.graph(), [family.source, 0, family.n - 1], Arithmetic(np.dtype(np.int32))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bellman_ford_queue, "_FIRST_BUDGET", 1)
        patch.setattr(bellman_ford_queue, "_LEAST_BUDGET", 1)
        paths = reedsp.sssp(graph, sources, "bellman-ford-queue", device=device, dtype="int32")
    compare(family, sources, paths.dist, arithmetic.infinity)
    job, starts = Job(device), [[source] for source in sources]
    edges, dist = OutEdges.of(graph, job, arithmetic), job.upload(paths.dist)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(device, "kind", "cpu")
        patch.setattr(predecessors, "_CPU_LEVELS", 1)
        patch.setattr(predecessors, "_FIRST_BUDGET", 1)
        trees = find_trees_outgoing(job, edges, arithmetic, dist, starts, graph.has_negative_weights)
    found = np.empty(paths.pred.shape, np.int32)
    trees.read_into(found, job)
    np.testing.assert_array_equal(found, paths.pred)


def check_near_far(device: Device, family: Family, form: str) -> None:
    arithmetic, tuning = Arithmetic(np.dtype(np.int64 if form == "wide" else np.int32)), tuning_of(form)
    sources, job = [family.source, 0, family.n - 1], Job(device)
    edges = OutEdges.of(family.graph(), job, arithmetic)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(near_far_local, "_LEAST_ROOM", 64)
        if form in ("in parts", "narrow"):
            patch.setattr(device, "kind", "cpu")
        starts = [[source] for source in sources]
        found, _ = near_far_local.solve(job, edges, arithmetic, starts, tuning, first_budget=30, most_budget=30)
    assert found is not None
    dist = job.download(found, len(sources) * family.n, arithmetic.dtype)
    compare(family, sources, dist, arithmetic.infinity)


def check_beyond(device: Device) -> None:
    """Distances that 16 bits do not hold, which several work-items find at a time."""
    arithmetic, job = Arithmetic(np.dtype(np.int32)), Job(device)
    edges = OutEdges.of(reedsp.Graph.from_edges(13, [0] * 12, range(1, 13), [1 << 17] * 12), job, arithmetic)
    assert near_far_local.solve(job, edges, arithmetic, [[0]], tuning_of("narrow"))[0] is None


def check_bellman_ford(device: Device, family: Family, in_local: bool, counted: bool) -> None:
    arithmetic, job, graph = Arithmetic(np.dtype(np.int32)), Job(device), family.graph()
    on_device = DeviceGraph.of(graph, job, arithmetic, in_degree_order=False)
    sources, group_size = [family.source, 0, family.n - 1], 8
    found = bellman_ford_groups.search(
        *(job, on_device, [[source] for source in sources], arithmetic.infinity, graph.has_negative_weights),
        group_size=group_size,
        local_memory=in_local,
        groups=2,
        counts=job.full(len(sources) * group_size * 8, np.uint64(0)) if counted else None,
        pace=Pace(300, 300),
    )
    dist = job.download(found.weights, len(sources) * family.n, arithmetic.dtype)
    compare(family, sources, dist, arithmetic.infinity)
