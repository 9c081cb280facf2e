"""Checks of forests."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
import pytest

import reedsp
from reedsp.algorithms.structure.forests import boruvka, choose, dulle, edges, kruskal, verify
from reedsp.algorithms.structure.forests.edges import DeviceEdges, Order
from reedsp.algorithms.structure.forests.on_host import forest_on_host
from reedsp.device.device import Device
from reedsp.device.job import Job
from tests.deep.oclgrind import Check

GROUP_SIZE = 16
N, M = 40, 300  # a work-group, and a piece of the rows, more than once
EDGES, KEYS, PLACE = "forests/edges.cl", "forests/keys.cl", "forests/place.cl"


def checks(device: Device) -> Iterator[Check]:
    """Yield every check."""
    for dtype in (np.int32, np.float64):
        for has_rows in (True, False):
            yield {EDGES, KEYS, PLACE, "forests/kruskal.cl"}, partial(check, device, "kruskal", dtype, has_rows)
        for wide in (True, False):
            files = {EDGES, KEYS, PLACE, "forests/boruvka.cl", "forests/trees.cl"}
            yield files, partial(check, device, "boruvka", dtype, True, wide=wide)
            yield files | {"forests/rows.cl"}, partial(check, device, "boruvka", dtype, True, wide, symmetric=True)
        yield {EDGES, KEYS, PLACE, "forests/dulle.cl"}, partial(check, device, "dulle", dtype, True)
    yield {EDGES, KEYS, PLACE}, partial(check_twins, device)
    yield {EDGES, KEYS, PLACE, "forests/verify.cl"}, partial(check_proof, device)


def settings(patch: pytest.MonkeyPatch, device: Device, kind: str) -> None:
    """Have work-items do little at a time."""
    patch.setattr(device, "kind", kind)
    patch.setattr(edges, "_GROUPS_PER_UNIT", 2)
    patch.setattr(edges, "_FEWEST", 40)
    patch.setattr(kruskal, "_FIRST_BUDGET", 50)
    patch.setattr(verify, "_FIRST_BUDGET", 30)
    for module in (edges, boruvka, dulle, verify):
        patch.setattr(module, "GROUP_SIZE", GROUP_SIZE)


def check(device: Device, method: str, dtype: type, has_rows: bool, wide: bool = True, symmetric: bool = False) -> None:
    """A forest in two lists, of edges with keys of 32 bits, or of 64."""
    rng = np.random.default_rng(3)
    rows, columns = rng.integers(0, N, (2, M if symmetric else 4 * M))
    if symmetric:
        rows, columns = np.concatenate((rows, columns)), np.concatenate((columns, rows))
    rows, columns = np.divmod(np.unique(rows * N + columns), N)
    weights = (rng.integers(-9, 9, len(rows)) * (0.1 if dtype is np.float64 else 1)).astype(dtype)
    if symmetric:
        weights = np.where(rows < columns, weights, weights[np.searchsorted(rows * N + columns, columns * N + rows)])
    with pytest.MonkeyPatch.context() as patch:
        settings(patch, device, "cpu" if method == "kruskal" else "gpu")
        patch.setattr(device, "int64_atomics", wide)
        job = Job(device)
        given = DeviceEdges(
            *(job, N, columns.astype(np.int32), weights),
            indptr=np.searchsorted(rows, np.arange(N + 1)).astype(np.int32) if has_rows else None,
            tails=None if has_rows else rows.astype(np.int32),
            is_symmetric=symmetric,
        )
        order: Order = given.look(job).order(False)
        keys = order.keys(weights)
        chosen = job.full(len(rows), np.uint8(0))
        thresholds = [int(np.sort(keys)[len(keys) // 3]), order.last - order.origin]
        choose._mark(method, given, order, True, thresholds, chosen, job)
        places = np.flatnonzero(job.download(chosen, len(rows), np.uint8)).astype(np.uint32)
        found = job.upload(places), len(places)
        ends, kept = given.ends_of(*found, job)
        heads, _ = given.heads_of(*found, job)
        if has_rows:
            assert (given.rows_before(*found, job) == np.searchsorted(rows[places], np.arange(N + 1))).all()
        job.return_borrowed()
    assert places.tolist() == choose._kruskal_in_python(rows, columns, keys, True)
    assert (ends == np.sort(np.column_stack((rows, columns)), axis=1)[places]).all()
    assert (heads == columns[places]).all()
    assert (kept == weights[places]).all()


def check_twins(device: Device) -> None:
    """Whether an edge lacks its twin, by work-items and by work-groups."""
    rng = np.random.default_rng(4)
    graph = reedsp.Graph.from_edges(N, *rng.integers(0, N, (2, M // 2)), rng.integers(1, 9, M // 2), directed=False)
    for kind in ("cpu", "gpu"):
        for place in (None, M // 3):
            weights = graph.weights.copy()
            if place is not None:
                weights[place] = 0 if graph.indices[place] < np.searchsorted(graph.indptr, place, "right") - 1 else 99
            with pytest.MonkeyPatch.context() as patch:
                settings(patch, device, kind)
                job = Job(device)
                given = DeviceEdges(job, N, graph.indices, weights, indptr=graph.indptr)
                lacks = given.lacks_twins(job, False)
                job.return_borrowed()
            assert lacks == (place is not None)


def check_proof(device: Device) -> None:
    """The forest passes, and one edge less does not."""
    rng = np.random.default_rng(5)
    graph = reedsp.Graph.from_edges(N, *rng.integers(0, N, (2, M)), rng.integers(1, 9, M), directed=False)
    with pytest.MonkeyPatch.context() as patch:
        settings(patch, device, "gpu")
        ends, weights = forest_on_host(graph, False)
        verify.verify_forest(graph, ends, weights, False, device)
        with pytest.raises(reedsp.VerificationError):
            verify.verify_forest(graph, ends[1:], weights[1:], False, device)
