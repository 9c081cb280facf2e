"""Checks of flows, and of full matchings: every kernel with as little at a time as there can be, and with hubs."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
import pytest

from reedsp.algorithms.structure.assignment import auction, paths
from reedsp.algorithms.structure.assignment.selfcheck import _is_proved as matching_is_proved
from reedsp.algorithms.structure.assignment.verify import verify_full
from reedsp.algorithms.structure.assignment.weights import Weights
from reedsp.algorithms.structure.flow import dinic, push_relabel
from reedsp.algorithms.structure.flow.capacities import Found as FoundFlow
from reedsp.algorithms.structure.flow.capacities import Network
from reedsp.algorithms.structure.flow.selfcheck import _is_proved as flow_is_proved
from reedsp.algorithms.structure.flow.verify import verify_flow
from reedsp.device.device import Device
from reedsp.device.job import Job
from reedsp.graph.graph import Graph
from tests.deep.oclgrind import Check

FLOW = {
    "dinic": {"flow/arcs.cl", "flow/dinic.cl", "flow/verify.cl"},
    "push-relabel": {"flow/push_relabel.cl", "flow/verify.cl"},
}
ASSIGNMENT = {
    "shortest-paths": {"assignment/paths.cl", "assignment/verify.cl"},
    "auction": {"assignment/auction_rounds.cl", "assignment/auction_few.cl", "assignment/verify.cl"},
}


def checks(device: Device) -> Iterator[Check]:
    """Yield every check."""
    for method, files in FLOW.items():
        for capacity in (np.int32, np.int64):
            for n, edges in ((9, 30), (20, 40)):
                yield files, partial(check_flow, device, method, capacity, n, edges)
    for method, files in ASSIGNMENT.items():
        for value, maximum in ((np.int32, False), (np.int64, True)):
            for rows, columns in ((7, 7), (5, 8)):
                yield files, partial(check_matching, device, method, value, maximum, rows, columns)
    yield ASSIGNMENT["shortest-paths"], partial(check_matching, device, "shortest-paths", np.float64, False, 7, 7)


def check_flow(device: Device, method: str, capacity: type, n: int, edges: int) -> None:
    rng = np.random.default_rng(n)
    keys = np.union1d(rng.integers(0, n * n, edges), np.arange(n))
    factor = 1 if capacity is np.int32 else 1 << 40
    capacities = rng.integers(0, 9, len(keys)).astype(capacity) * capacity(factor)
    indptr = np.searchsorted(keys, np.arange(n + 1) * n).astype(np.int64)
    network = Network.of(indptr, (keys % n).astype(np.int32), capacities, 0, n - 1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dinic, "_PART", 11)
        patch.setattr(dinic, "_FIRST_BUDGET", 5)
        patch.setattr(push_relabel, "_HUB", 5)
        patch.setattr(push_relabel, "_GPU_GROUP", 8)
        patch.setattr(push_relabel, "_CPU_GROUP", 8)
        if method == "dinic":
            search = dinic.Dinic(Job(device), network)
            value, phases = search.run()
            found = FoundFlow(value, search.flow(), search.source_side(), phases)
            net, heads, first = search.net()
            assert net.sum() == 0
            assert len(heads) == first[-1] == len(net)
        else:
            found = push_relabel.push_relabel(Job(device), network)
        assert flow_is_proved(network, found)
        graph = Graph.from_edges(n, keys // n, keys % n, capacities)
        verify_flow(Job(device), graph, capacities, found.flow, found.is_source_side, (0, n - 1), found.value)


def check_matching(device: Device, method: str, value: type, maximum: bool, rows: int, columns: int) -> None:
    rng = np.random.default_rng(rows)
    matching = np.arange(rows) * columns + rng.permutation(columns)[:rows]
    keys = np.union1d(matching, rng.integers(0, rows * columns, 3 * rows))
    indptr = np.searchsorted(keys, np.arange(rows + 1) * columns).astype(np.int32)
    values = rng.integers(-3, 6, len(keys)).astype(value)
    weights = Weights(indptr, (keys % columns).astype(np.int32), values, columns)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(paths, "_FIRST_BUDGET", 5)
        for group in ("_GPU_GROUP", "_GPU_FEW_GROUP"):
            patch.setattr(auction, group, 16)
        solve = paths.shortest_paths if method == "shortest-paths" else auction.auction
        found = solve(Job(device), weights, maximum)
        assert matching_is_proved(weights, maximum, found)
        taken = weights.indices[found.edges]
        sign = -1 if maximum else 1
        prices = (values[found.edges].astype(found.prices.dtype) - sign * found.prices[taken], sign * found.prices)
        verify_full(Job(device), weights, found.edges, *prices, maximum)
