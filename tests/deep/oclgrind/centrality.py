"""Checks of centrality."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
import pytest

import reedsp
from reedsp.algorithms.structure.centrality import work_groups, work_items
from reedsp.algorithms.structure.centrality.dependencies import METHODS
from reedsp.algorithms.structure.centrality.selfcheck import _by_numpy
from reedsp.algorithms.structure.centrality.sums import FORMS, MOST_PATHS, ROUNDED, Question
from reedsp.device.device import Device
from reedsp.device.job import Job
from tests.deep.oclgrind import Check

_FILES = {"work-items": "centrality/serial.cl", "work-groups": "centrality/levels.cl"}
_PIECE = 32  # edges, so that a vertex of a small graph has several pieces


def checks(device: Device) -> Iterator[Check]:
    """Yield every check."""
    hub = np.arange(1, 40)
    u, v = np.random.default_rng(3).integers(0, 44, (2, 50))
    graph = reedsp.Graph.from_edges(45, [*np.zeros(39, int), *hub, *u], [*hub, *np.full(39, 41), *v])
    files = {"centrality/counts.cl", "core/language.cl"}
    for method, file in _FILES.items():
        for form in FORMS if method == "work-items" else FORMS[1:]:
            for edges in (False, True):
                yield files | {file}, partial(_check, device, graph, method, form, edges)
        yield files | {file}, partial(_check, device, graph, method, ROUNDED, False, most_paths=1.0)


def _check(
    device: Device, graph: reedsp.Graph, method: str, form: str, edges: bool, most_paths: float = MOST_PATHS[ROUNDED]
) -> None:
    """From more sources than a block has, and than a bundle; with few edges, or levels, in a launch.

    Where there are more paths than so many, a form that rounds is left for the one that scales.
    """
    question = Question(graph, [*range(0, 45, 4), 0, *range(1, 45, 2)], np.ones(graph.n, np.uint8), edges)
    with pytest.MonkeyPatch.context() as patch:
        for module in (work_items, work_groups):
            patch.setattr(module, "PIECE", _PIECE)
            patch.setattr(module, "MOST_PATHS", {**MOST_PATHS, ROUNDED: most_paths})
        patch.setattr(work_items, "_FIRST_BUDGET", 200)
        patch.setattr(work_items, "_PART", 20)
        patch.setattr(work_groups, "_GROUPS_PER_UNIT", 4)
        patch.setattr(work_groups, "_FIRST_LEVELS", 2)
        patch.setattr(work_groups, "_MOST_GROUPS_THAT_COUNT", 2)
        found = METHODS[method](question, Job(device), None, lambda form: None, form)
    vertices, of_edges, reached, reached_by = _by_numpy(question)
    assert np.allclose(found.vertices, vertices)
    assert found.edges is None or np.allclose(found.edges, of_edges)
    assert found.reached.tolist() == reached
    assert found.reached_by.tolist() == reached_by
