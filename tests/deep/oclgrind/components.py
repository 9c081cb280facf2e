"""Checks of components."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
import pytest
import scipy.sparse.csgraph

import reedsp
from reedsp.algorithms.structure.components import check, colours, depth_first, dulle, groups, ranges
from reedsp.algorithms.structure.components.on_host import looks_from_the_last
from reedsp.device.device import Device
from reedsp.device.job import Job
from reedsp.edges.preparation import MatrixRows
from tests.deep.oclgrind import Check

_GROUP_SIZE = 16
_FEW_TILES = 8  # and as many work-items of a work-group
_FOLDER = "components/"


def checks(device: Device) -> Iterator[Check]:
    """Yield every check: chains between parts, hubs, loops and vertices without edges."""
    rng = np.random.default_rng(11)
    chain = np.arange(150).reshape(3, -1).T.ravel()
    hub = np.concatenate(([np.zeros(79, int), np.arange(1, 80)], rng.integers(0, 100, (2, 40))), axis=1)
    for ends in ((chain[:-1], chain[1:]), hub, rng.integers(0, 130, (2, 200))):
        for directed in (True, False):
            graph = reedsp.Graph.from_edges(157, *ends, directed=directed)  # no multiple of a work-group
            for form in ("ranges", "groups", "matrix", "depth-first", "as done", "colours"):
                files = {
                    "ranges": {f"{_FOLDER}ranges.cl", f"{_FOLDER}hook.cl"},
                    "groups": {f"{_FOLDER}groups.cl", f"{_FOLDER}hook.cl"},
                    "matrix": {f"{_FOLDER}dulle.cl"},
                    "colours": {f"{_FOLDER}colours.cl", f"{_FOLDER}groups.cl"},
                }.get(form, {f"{_FOLDER}depth_first.cl"})
                yield files, partial(check_form, device, graph, form)
            for connection in ("weak", "strong"):
                yield {f"{_FOLDER}verify.cl"}, partial(check_verify, device, graph, connection)


def check_form(device: Device, graph: reedsp.Graph, form: str) -> None:
    """Two or three work-items, or work-groups, and a few steps in each launch."""
    is_strong = form in ("depth-first", "as done", "colours")
    found = [np.empty(graph.n, np.int32)]
    symmetric = not graph.directed
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(groups, "_GROUP_SIZE", _GROUP_SIZE)
        if symmetric:  # tiles of several steps
            patch.setattr(groups, "_GROUP_SIZE", _FEW_TILES)
            patch.setattr(groups, "_MOST_TILES", _FEW_TILES)
        patch.setattr(colours, "_GROUP_SIZE", _GROUP_SIZE)
        patch.setattr(dulle, "_GROUP_SIZE", _GROUP_SIZE)
        patch.setattr(depth_first, "_FIRST_BUDGET", 100)
        job = Job(device)
        if form in ("groups", "colours"):
            edges = groups.Edges.of(graph, job)
            if form == "groups":
                found.append(found[0].copy())
                for sampled, labels in zip((False, True), found, strict=True):
                    groups.label_by_groups(job, edges, symmetric, labels, sampled)
            else:
                colours.label_by_colours(job, edges, found[0])
        elif form == "matrix":
            patch.setattr(device, "kind", "gpu")
            dulle.label_by_matrix(job, graph, found[0])
        else:
            rows = MatrixRows(job, graph.indptr, graph.indices)
            if form == "ranges":
                patch.setattr(device, "steps_at_once", 100)
                found.append(found[0].copy())
                for parts, labels in zip((1, 3), found, strict=True):
                    ranges.label_by_ranges(rows, symmetric, labels, parts)
            elif form == "depth-first":
                depth_first.label_in_depth(rows, found[0])
            else:
                depth_first.label_as_done(rows, found[0], looks_from_the_last())
            rows.close()
    connection = "strong" if is_strong else "weak"
    count, expected = scipy.sparse.csgraph.connected_components(graph.to_scipy(), connection=connection)
    for labels in found:
        assert labels.max() + 1 == count
        assert len(set(zip(labels.tolist(), expected.tolist(), strict=True))) == count
        if form in ("as done", "ranges", "groups", "matrix"):
            assert np.array_equal(labels, expected)


def check_verify(device: Device, graph: reedsp.Graph, connection: str) -> None:
    _, labels = scipy.sparse.csgraph.connected_components(graph.to_scipy(), connection=connection)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(check, "_GROUP_SIZE", _GROUP_SIZE)
        search = check._Check(Job(device), graph, labels, int(labels.max()) + 1, connection == "strong")
        assert search.edges()[0] == graph.n
        if connection == "weak":
            assert search.trees() == labels.max() + 1
