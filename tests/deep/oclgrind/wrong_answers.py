"""Checks of what proves answers, by answers that are wrong in many places: the first place of each is to be named."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from functools import partial

import numpy as np
import numpy.typing as npt
import pytest

from reedsp.algorithms.structure.assignment import auction
from reedsp.algorithms.structure.assignment.verify import verify_full
from reedsp.algorithms.structure.assignment.weights import Weights
from reedsp.algorithms.structure.components.check import verify_labels
from reedsp.algorithms.structure.flow.verify import verify_flow
from reedsp.algorithms.structure.forests.verify import verify_forest
from reedsp.algorithms.structure.matching import check
from reedsp.algorithms.structure.matching.biadjacency import Biadjacency
from reedsp.device.device import Device
from reedsp.device.job import Job
from reedsp.edges.verify import VerificationError
from reedsp.graph.graph import Graph
from tests.deep.oclgrind import Check, forests

N = 40
EACH = np.arange(N)
ZEROS = np.zeros(N, np.int64)


def checks(device: Device) -> Iterator[Check]:
    """Yield every check."""
    for kind in ("cpu", "gpu"):
        yield {"matching/check.cl"}, partial(check_matchings, device, kind)
    yield {"assignment/verify.cl"}, partial(check_assignments, device)
    yield {"assignment/auction_rounds.cl"}, partial(check_prices, device)
    yield {"flow/verify.cl"}, partial(check_flows, device)
    yield (
        {"forests/verify.cl", "forests/edges.cl", "forests/keys.cl", "forests/place.cl"},
        partial(check_forests, device),
    )
    yield {"components/verify.cl"}, partial(check_components, device)


@contextlib.contextmanager
def refused(message: str) -> Iterator[pytest.MonkeyPatch]:
    """Expect the error that an answer is wrong."""
    with pytest.MonkeyPatch.context() as patch, pytest.raises(VerificationError, match=message):
        yield patch


def check_matchings(device: Device, kind: str) -> None:
    """Row i has an edge to column i alone."""
    graph = Biadjacency(np.arange(N + 1, dtype=np.int32), EACH.astype(np.int32), N)
    nothing = np.zeros(N, np.bool_), np.zeros(N, np.bool_)
    none, first = np.full(N, -1), np.where(EACH == 0, 0, -1)
    wrong = {
        "NO_MATE": (0, np.full(N, N), none),
        "NOT_MUTUAL": (1, np.zeros(N, int), first),
        "NO_EDGE": (0, (EACH + 1) % N, (EACH - 1) % N),
        "NOT_COVERED": (0, none, none),
    }
    for rule, (row, *mates) in wrong.items():
        with refused(f"row {row}: ") as patch:
            patch.setattr(device, "kind", kind)
            patch.setattr(check, "_CPU_PIECE", 3)
            of_rows, of_columns = (each.astype(np.int32) for each in mates)
            check._check(graph, (of_rows, of_columns), nothing, device, (range(N), range(N)), (rule,))


def check_assignments(device: Device) -> None:
    """Each row has one entry, and rules are broken by prices or by what is matched."""
    own, last = np.full(N, 5), np.where(EACH < N // 2, 0, -1)
    for columns, column_of, edges, row_price, column_price, message in (
        (N, EACH, EACH, own + 1, ZEROS, "row 0: its price and that of a column"),
        (N, EACH, EACH, own - 1, ZEROS, "row 0: the weight by which it is matched"),
        (N, EACH, (EACH + 1) % N, own, ZEROS, "row 0: the weight by which it is matched"),
        (N, EACH, np.full(N, -1), own, ZEROS, "row 0: it is free"),
        (N // 2, EACH % (N // 2), np.where(last < 0, -1, EACH), own - 4, ZEROS[: N // 2] + 4, "row 0: it is free"),
        (N // 2, EACH % (N // 2), np.where(last < 0, -1, EACH), last, ZEROS[: N // 2] + 5, "row 20: it is free"),
        (2 * N, EACH, EACH, own, np.repeat([0, -1], N), "column 40: it is free"),
        (N, EACH // 2, EACH, own, ZEROS, "column 20: it is free"),
    ):
        weights = Weights(np.arange(N + 1, dtype=np.int32), column_of.astype(np.int32), own, columns)
        with refused(message):
            verify_full(Job(device), weights, edges, row_price, column_price, False)


def check_prices(device: Device) -> None:
    """Each row would rather have the next one's column, so that all prices fall at once."""
    columns = np.stack((EACH, np.minimum(EACH + 1, N - 1)), axis=1).reshape(-1)[:-1]
    values = np.tile([1, 0], N)[:-1]
    weights = Weights(np.minimum(2 * np.arange(N + 1), 2 * N - 1).astype(np.int32), columns.astype(np.int32), values, N)
    found = auction.prices_of(Job(device), weights, 2 * EACH)
    assert found.tolist() == (-EACH).tolist()


def check_flows(device: Device) -> None:
    """From a source by way of each of many vertices to a sink; capacities add up to more than 64 bits hold."""
    sink = N + 1
    middle = EACH + 1
    graph = Graph.from_edges(N + 2, [*ZEROS, *middle], [*middle, *np.full(N, sink)])
    capacities = np.full(graph.m, 1 << 62)
    is_source, is_near = (np.arange(N + 2) < end for end in (1, sink))
    for out, on, side, message in (
        (1, -1, is_source, "vertex 1: an edge from there carries"),
        (1, 0, is_source, "vertex 1: not as much flows out"),
        (0, 0, is_near, "vertex 1: an edge from there crosses"),
    ):
        flow = np.repeat([out, on], N)
        with refused(message):
            verify_flow(Job(device), graph, capacities, flow, side, (0, sink), N)


def check_forests(device: Device) -> None:
    """Of triangles the forest has nothing, or two edges of which one is heavier, or larger, than the one left out."""
    corners = 3 * EACH[:, np.newaxis] + [[0, 1, 2]]
    edges = np.concatenate([corners[:, [0, 1]], corners[:, [0, 2]], corners[:, [1, 2]]])
    later = np.concatenate([corners[:, [0, 2]], corners[:, [1, 2]]])
    later = later[np.lexsort(later.T[::-1])].astype(np.int32)
    for weight_of_first, ends, message in (
        (1, later[:0], "no tree holds both"),
        (1, later, "comes later in the order"),
        (2, later, "comes later in the order"),
    ):
        weights = np.repeat([weight_of_first, 2], [N, 2 * N])
        graph = Graph.from_edges(3 * N, *edges.T, weights, directed=False)
        with refused(rf"\(0, 1\): .*{message}") as patch:
            forests.settings(patch, device, "gpu")
            verify_forest(graph, ends, np.full(len(ends), 2, graph.weights.dtype), False, device)


def check_components(device: Device) -> None:
    """Edges lead from the vertices of one component to those of the other."""
    graph = Graph.from_edges(2 * N, EACH, EACH + N)
    labels: npt.NDArray[np.int32] = np.repeat([0, 1], N).astype(np.int32)
    for strong in (False, True):
        with refused("vertex 0: its component is 0, but it has an edge to vertex 40"):
            verify_labels(graph, labels, strong, device)
