"""Checks of the ladder of load balancing over a launch (cl/balance), of what searches by it, and of what needs none."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from experiments.busato_bombieri import every_level
from experiments.busato_bombieri.every_level import KERNELS, EveryLevel, expected_looks
from experiments.busato_bombieri.expansion import FILE
from reedsp.algorithms.single_source import input_parallel
from reedsp.algorithms.single_source.task import Task
from reedsp.algorithms.traversal import frontier
from reedsp.algorithms.traversal.bfs import bfs
from reedsp.arithmetic.paths import Arithmetic
from reedsp.device.device import Device
from reedsp.device.job import Job
from reedsp.edges.ladder import DIRECT_SEARCH, RUNGS, Rung
from tests.algorithms.traversal.test_bfs import unweighted
from tests.deep.oclgrind import Check
from tests.edges.test_ladder import COUNTS, expand, owners_of, prefixes_of, small
from tests.support import oracle
from tests.support.families import FAMILIES, Family, grid, random

PREPARED = {"balance/partition.cl", "balance/large_items.cl"}
NAMES = ("star", "negative edges")
OF_LEVELS = [
    *(family for family in FAMILIES if family.name == "star"),
    random("few vertices of many edges", 8, 600, 0, 100, seed=7),
    grid("small grid", 2, 3, seed=1),  # each level is some launches, which take a second without optimisation
]
SEVERAL_WIDTHS = ("virtual-warps-2", "virtual-warps-4", "virtual-warps-8", "virtual-warps-16")


def checks(device: Device) -> Iterator[Check]:
    """Each rung by itself, over several turns of its loops and a rest; and in a search."""
    for name in RUNGS:
        yield {FILE} | PREPARED, partial(check_expansion, device, name)
    files = {"single_source/input_parallel_refined.cl", "edges/predecessors.cl", "edges/prepare.cl"}
    files |= {"primitives/work_group_scan.cl"} | PREPARED
    for name in RUNGS:
        if name not in (DIRECT_SEARCH, *SEVERAL_WIDTHS):
            for family in FAMILIES:
                if family.name in NAMES:
                    yield files, partial(check_search, device, name, family)
    one_vertex = [family for family in FAMILIES if family.name == "one vertex"]
    for technique, family in itertools.product(KERNELS, one_vertex + OF_LEVELS):
        yield {every_level.FILE}, partial(check_every_level, device, technique, family)
    files = {"traversal/frontier.cl", "primitives/work_group_scan.cl"} | PREPARED
    for name in RUNGS:
        if name not in SEVERAL_WIDTHS:
            for family in OF_LEVELS + one_vertex * (name == DIRECT_SEARCH):
                yield files, partial(check_levels, device, name, family)


def check_expansion(device: Device, name: str) -> None:
    for counts in COUNTS.values():
        prefixes = prefixes_of([*counts[:300], *counts[-50:]])
        total = int(prefixes[-1])
        assert expand(device, replace(small(name), items=64), prefixes) == owners_of(prefixes, 0, total)


def check_search(device: Device, name: str, family: Family) -> None:
    """Solve and compare with the oracle."""
    arithmetic = Arithmetic(np.dtype(np.int32))
    graph = family.graph()
    dist, predecessors = np.empty((1, graph.n), arithmetic.dtype), np.empty((1, graph.n), np.int32)
    solve: Callable[..., object] = partial(input_parallel._by_rung, balance=name)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(input_parallel, "rung_for", lambda device, name: Rung(name, 32, 64, large=20, each=4))
        patch.setattr(input_parallel, "_group_size", lambda device: 32)
        solve(Task(graph, [[family.source]], Job(device), arithmetic, dist, predecessors))
    expected = oracle.distances(family.n, family.edges, family.source)
    assert dist[0].tolist() == [arithmetic.infinity if d is None else d for d in expected], family.name
    assert predecessors[0].tolist() == oracle.predecessors(family.n, family.edges, family.source, expected)


def check_every_level(device: Device, technique: str, family: Family) -> None:
    """Search without a queue, count the looks, and compare with the oracle."""
    graph = unweighted(family)
    expected, tree = levels_of(family, family.source)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(every_level, "GROUP_SIZE", 16)
        search = EveryLevel(graph, Job(device), technique, 4, counts=True)
        levels, pred = search.search(family.source)
    assert (levels.tolist(), pred.tolist()) == (expected, tree), family.name
    assert search.looks() == expected_looks(graph, levels, technique), family.name


def levels_of(family: Family, source: int) -> tuple[list[int], list[int]]:
    """Return the levels, -1 where there is no path, and the tree."""
    edges = oracle.edges_of(family.sources, family.targets, [1] * len(family.sources), family.directed)
    expected = oracle.distances(family.n, edges, source)
    levels = [-1 if level is None else int(level) for level in expected]
    return levels, oracle.predecessors(family.n, edges, source, expected)


def check_levels(device: Device, name: str, family: Family) -> None:
    """Search twice by frontiers, with room for two vertices of each work-item, and compare with the oracle."""
    graph = unweighted(family)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(frontier, "rung_for", lambda device, name: Rung(name, 32, 64, run=3, large=20, each=4))
        patch.setattr(frontier, "_FOUND", 2)
        patch.setattr(frontier, "_FOUND_ON_CPU", 2)
        found = bfs(graph, [family.n - 1, family.source], device=device, options={"balance": name})
    for row, source in enumerate((family.n - 1, family.source)):
        assert (found.levels[row].tolist(), found.pred[row].tolist()) == levels_of(family, source), family.name
